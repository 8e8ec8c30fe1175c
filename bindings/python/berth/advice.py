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
        return (Advice("method", "second-order", "a proof instead of samples, mostly with less work"),)
    if reason == "too_close":
        return _about_too_close(asked)
    if reason == "budget":
        return _about_budget(asked)
    return (Advice(None, None, "the gap is the margin as far as doubles can tell: move one of the bodies"),)


def _about_too_close(asked: Asked) -> tuple[Advice, ...]:
    """The gap is within delta of the margin somewhere. Where tracking error is taken off the gap, that is what is in the way nearly always."""
    out = [Advice("delta", 0.1 * asked.delta, "about three times the work near that time")]
    if asked.tracking_error:
        smaller = "no work: a smaller one, of joints that move these two bodies, if the controller keeps it"
        out.insert(0, Advice("tracking_error", None, smaller))
    else:
        out.append(Advice("delta", 0.0, "decides down to rounding; much work where surfaces slide past each other"))
    if asked.margin > 0.0:
        option = "self_margin" if asked.margin_is_own else "margin"
        less = max(0.0, asked.margin - 2.0 * asked.delta)
        out.append(Advice(option, less, "no work, and that much less clearance is proven"))
    return tuple(out)


def _about_budget(asked: Asked) -> tuple[Advice, ...]:
    """It gave up: for the time that was given, or by itself."""
    out = []
    if asked.late and asked.time is not None:
        out.append(Advice("time", 10.0 * asked.time, "the seconds that it says; without the argument it ends by itself"))
        if asked.clearance:
            out.append(Advice("clearance", False, "no clearance is reported; the verdicts come a few times as fast"))
        return tuple(out)
    if asked.method != "default":
        out.append(Advice("method", "second-order", "less work for most motions: it is the default"))
    if not asked.delta >= 1e-4:
        out.append(Advice("delta", 1e-4, "less work; gaps within 0.1 mm of the margin are unknown then"))
    out.append(Advice(None, None, "budgets are of one segment: more rows in between give each of them its own"))
    return tuple(out)
