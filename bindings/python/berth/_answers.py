# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""What all answers share: verdicts, pairs of bodies, what was assumed."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal, Optional

import numpy as np

from berth._arrays import Point, point_of
from berth._abi import ffi
from berth._library import lib, text_of

Verdict = Literal["free", "collision", "unknown"]
Reason = Literal["too_close", "budget", "numeric"]

#: bytes of a batch's answer
UNKNOWN, FREE, COLLISION = 0, 1, 2
VERDICTS: tuple[Verdict, Verdict, Verdict] = ("unknown", "free", "collision")
REASONS: tuple[Optional[Reason], ...] = (None, "too_close", "budget", "numeric")


@dataclass(frozen=True)
class Assumed:
    """Something that an answer takes without proof (`assumed`), or pairs that are meant to touch (`declared`)."""

    what: str  #: a stable word, for programs
    count: int  #: how often
    detail: str = dataclasses.field(default="", compare=False, repr=False)  #: a sentence for people


@dataclass(frozen=True)
class Gap:
    """How far two bodies are apart: the gap is between `lower` and `upper`."""

    lower: float  #: proven: the gap is at least this, metres
    upper: float  #: and at most this, by the two points
    a: Optional[str]  #: name of one body; None when nothing was near enough to be named
    b: Optional[str]  #: name of the other
    point_a: Optional[Point]  #: nearest point of a, in the world
    point_b: Optional[Point]  #: nearest point of b


@dataclass(frozen=True)
class Hit:
    """Two bodies that touch."""

    a: str  #: name of one body
    b: str  #: name of the other
    point: Point  #: of both, in the world
    depth: Optional[float]  #: metres by which they overlap, where that is defined
    normal: Optional[Point]  #: unit, from a to b, where it is defined
    #: one of the two is a map, and the point is outside of it: an obstacle, unless its outside is said to be free
    outside_map: bool = False


class Answer:
    """An answer with a verdict. It has no truth value of its own: neither `unknown` nor `collision` may pass for free."""

    verdict: Verdict

    @property
    def free(self) -> bool:
        """Proven free. Anything else is to be treated as a collision."""
        return self.verdict == "free"

    def __bool__(self) -> bool:
        raise TypeError(f"a {type(self).__name__} is neither true nor false: ask .free, or look at .verdict")


def to_dict(answer: Any) -> dict[str, Any]:
    """An answer as plain dicts, lists and numbers, as `--json` of the command has them: ready for json.dumps. Infinity and NaN
    become None.

    >>> import berth
    >>> berth.to_dict(berth.Assumed("open_meshes", 3))
    {'what': 'open_meshes', 'count': 3, 'detail': ''}
    """
    return {field.name: _plain(getattr(answer, field.name)) for field in dataclasses.fields(answer)}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return to_dict(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# ---- from C ------------------------------------------------------------------------------------------------------------


def body_name(scene: Any, body: int) -> Optional[str]:
    """The name of a body; None for -1."""
    return text_of(lib.berth_scene_body_name(scene, body)) if body >= 0 else None


def gap_of(scene: Any, gap: Any) -> Gap:
    """A BerthPairGap."""
    named = gap.body_a >= 0
    return Gap(
        gap.lower,
        gap.upper,
        body_name(scene, gap.body_a),
        body_name(scene, gap.body_b),
        point_of(gap.point_a) if named else None,
        point_of(gap.point_b) if named else None,
    )


def outside_map(scene: Any, a: int, b: int, point: Any) -> bool:
    """Is a hit of two bodies at that point about what is outside of a map?"""
    return any(lib.berth_scene_outside_map(scene, body, point) for body in (a, b))


def hit_of(scene: Any, hit: Any) -> Hit:
    """A BerthHit."""
    return Hit(
        body_name(scene, hit.body_a) or "",
        body_name(scene, hit.body_b) or "",
        point_of(hit.point),
        hit.depth if hit.has_depth else None,
        point_of(hit.normal) if hit.has_normal else None,
        outside_map(scene, hit.body_a, hit.body_b, hit.point),
    )


def assumed_list(owner: Any, count: Any, item: Any) -> tuple[Assumed, ...]:
    """What a scene or a world of contacts lists."""
    found = []
    for index in range(count(owner)):
        entry = item(owner, index)
        found.append(Assumed(text_of(entry.what), entry.count, text_of(entry.detail)))
    return tuple(found)


def with_counted(
    base: tuple[Assumed, ...], standing: int = 0, outside: int = 0, late: int = 0
) -> tuple[Assumed, ...]:
    """What a scene assumes, and what this one answer assumes besides."""
    more = []
    if standing > 0:
        more.append(Assumed("moving_objects_stand", standing, "objects that may move stand where the scene has them"))
    if late > 0:
        more.append(Assumed("stands_before_start", late, "a robot stands in its first row until its trajectory begins"))
    if outside > 0:
        more.append(Assumed("outside_limits", outside, "values outside joint limits are meant"))
    return base + tuple(more)


__all__ = ["Answer", "Assumed", "Gap", "Hit", "Verdict", "Reason", "to_dict"]
