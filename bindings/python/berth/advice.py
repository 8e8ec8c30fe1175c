# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""What might decide an answer that is unknown. The command's advice, in the words of this package."""

from dataclasses import dataclass
from typing import Optional, Union


@dataclass(frozen=True)
class Advice:
    """One thing that may decide it."""

    option: Optional[str]  #: an argument of MotionChecker or of its method that was called; None where none of them helps
    value: Union[float, str, bool, None]  #: that it may have then; None: it is yours to choose
    cost: str  #: what that costs


@dataclass(frozen=True)
class Asked:
    """How it was asked."""

    margin: float  #: of the pair in question
    margin_is_own: bool  #: it is self_margin
    delta: float
    method: str
    tracking_error: bool  #: there is one
    clearance: bool
    time: Optional[float]
    late: bool  #: the time is over


def advise(asked: Asked, reason: str, sampled: bool) -> tuple[Advice, ...]:
    """About an unknown answer for this reason; `sampled`: no sample touched, which proves nothing."""
    if sampled:
        return (Advice("method", "second-order", "a proof instead of samples, usually with less work"),)
    if reason == "too_close":
        return _about_too_close(asked)
    if reason == "budget":
        return _about_budget(asked)
    return (Advice(None, None, "the gap equals the margin within rounding: move one of the bodies"),)


def _about_too_close(asked: Asked) -> tuple[Advice, ...]:
    """The gap is within delta of the margin somewhere. If a tracking error is subtracted from the gap, it is nearly always the cause."""
    out = [Advice("delta", 0.1 * asked.delta, "about three times the work near that time")]
    if asked.tracking_error:
        smaller = "no extra work: reduce it for the joints that move these two bodies, if the controller can keep to it"
        out.insert(0, Advice("tracking_error", None, smaller))
    else:
        out.append(Advice("delta", 0.0, "decides down to rounding; much work if surfaces slide past each other"))
    if asked.margin > 0.0:
        option = "self_margin" if asked.margin_is_own else "margin"
        less = max(0.0, asked.margin - 2.0 * asked.delta)
        out.append(Advice(option, less, "no extra work, but that much less clearance is proven"))
    return tuple(out)


def _about_budget(asked: Asked) -> tuple[Advice, ...]:
    """The check gave up: because of the given time, or of its own budget."""
    out = []
    if asked.late and asked.time is not None:
        out.append(Advice("time", 10.0 * asked.time, "up to that many seconds; without the argument it ends by itself"))
        if asked.clearance:
            out.append(Advice("clearance", False, "no clearance is reported; several times as fast"))
        return tuple(out)
    if asked.method != "default":
        out.append(Advice("method", "second-order", "less work for most motions: it is the default"))
    if not asked.delta >= 1e-4:
        out.append(Advice("delta", 1e-4, "less work, but gaps within 0.1 mm of the margin are then unknown"))
    out.append(Advice(None, None, "each segment has its own budget: add rows in between"))
    return tuple(out)
