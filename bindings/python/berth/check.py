# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""One configuration: is it free, how near is everything, what touches what?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from berth._answers import REASONS, VERDICTS, Answer, Assumed, Gap, Hit, Reason, Verdict
from berth._answers import body_name, gap_of, hit_of, with_counted
from berth._arrays import ArrayLike, Floats, doubles, scalar, vector
from berth._abi import ffi
from berth._library import Owner, Status, c_text, check, lib, own, raise_value
from berth.scene import Scene


@dataclass(frozen=True, eq=False)
class CheckAnswer(Answer):
    """The answer about one state. The fields are those of `berth check --json`."""

    verdict: Verdict  #: "free" is proven, "collision" has a witness, "unknown" is to be treated as a collision
    reason: Optional[Reason]  #: why it is unknown
    a: Optional[str]  #: unknown: a body it is about
    b: Optional[str]  #: unknown: the other
    clearance: Optional[Gap]  #: of distance: the smallest gap; None in a collision, and without pairs
    hits: tuple[Hit, ...]  #: the first hit, or all of them
    pairs: tuple[Gap, ...]  #: of distance with all: every pair, nearest first
    assumed: tuple[Assumed, ...]  #: what was taken without proof
    declared: tuple[Assumed, ...]  #: pairs that are meant to touch
    proven: int  #: pairs skipped by a proof that holds here


@dataclass(frozen=True, eq=False)
class GradientAnswer:
    """The gap of two bodies and how it changes."""

    gap: Gap  #: of the two bodies
    gradient: Optional[Floats]  #: d(gap)/d(value) for every value; None where the bodies are not apart


class Checker(Owner):
    """Asks about states of one scene. Give each thread its own; an edit of the scene makes it stale.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
    >>> checker = berth.Checker(scene)
    >>> checker.check(scene.state).verdict
    'free'
    >>> answer = checker.distance(scene.state)
    >>> 0 < answer.clearance.lower <= answer.clearance.upper
    True
    """

    _what = "Checker"

    def __init__(
        self,
        scene: Scene,
        *,
        margin: float = 0.0,
        self_margin: Optional[float] = None,
        node_budget: Optional[int] = None,
        lanes: Optional[bool] = None,
    ) -> None:
        """`margin` is the clearance that is required, `self_margin` that between two links of one robot (default: as margin). `lanes`: is
        the scene laid out for wide registers, which makes most checks many times faster, with the same verdicts? None: where that takes
        less than a millisecond, for robots made of spheres; of others it covers every link first, 0.04 s a link. For large arrays: Batch."""
        super().__init__()
        definition = ffi.new("BerthCheckerDef*", lib.berth_default_checker_def())
        definition.margin = scalar(margin, "margin")
        definition.self_margin = -1.0 if self_margin is None else non_negative(self_margin, "self_margin")
        if node_budget is not None:
            definition.node_budget = node_budget
        pointer = scene._built()
        out = ffi.new("BerthChecker**")
        with scene._asking():
            layout = lay_out(pointer, definition, lanes, states=FEW)
            check(lib.berth_checker_create(pointer, definition, out))
        self._pointer = own(out[0], "berth_checker_destroy", pointer, layout)
        self._lanes = layout
        self._request = ffi.new("BerthCheckRequest*")
        self._result = ffi.new("BerthCheckResult*")
        self._begin(scene, pointer)

    def _begin(self, scene: Scene, pointer: Any) -> None:
        self.scene = scene
        self._scene_pointer = pointer
        self._value_count = scene.value_count
        self._assumed, self._declared = scene.assumed, scene.declared
        self._standing = lib.berth_scene_moving_count(pointer)

    def check(self, state: ArrayLike, *, all: bool = False) -> CheckAnswer:
        """Is this state free? With `all` every pair in collision is told, else the first.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> checker = berth.Checker(scene, margin=0.01)
        >>> checker.check(scene.state).free
        True
        >>> lying = scene.make_state("left/joint2=1.7,left/joint4=0")
        >>> checker.check(lying, all=True).hits[0].a
        'left/link7'
        """
        return self._ask(state, False, all, 0.0, 0.0, 0.0)

    def distance(
        self,
        state: ArrayLike,
        *,
        all: bool = False,
        tolerance: float = 0.0,
        near: float = 0.0,
        far: float = 0.0,
    ) -> CheckAnswer:
        """How near is everything? With `all` every pair's gap is told.

        `tolerance` is relative, 0 is exact. A clearance up to `near` may be told as anything down to the margin, one above `far` as
        being above it, without a pair: both save work.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> near = berth.Checker(scene).distance(scene.state).clearance
        >>> near.lower <= near.upper, near.a, near.b
        (True, 'left/link1', 'left/link3')
        """
        return self._ask(
            state, True, all, scalar(tolerance, "tolerance"), scalar(near, "near"), scalar(far, "far")
        )

    def _ask(
        self, state: ArrayLike, distance: bool, every: bool, tolerance: float, near: float, far: float
    ) -> CheckAnswer:
        values = vector(state, self._value_count, "state")
        with self._use() as checker, self.scene._asking():
            request, result, scene = self._request, self._result, self._scene_pointer
            outside = self.scene._count_outside(scene, doubles(values))
            request.distance, request.all = distance, every
            request.tolerance, request.near_enough, request.far_enough = tolerance, near, far
            self._check(lib.berth_check_state(checker, doubles(values), request, result))
            return self._answer(scene, result, outside)

    def _answer(self, scene: Any, result: Any, outside: int) -> CheckAnswer:
        unknown = result.verdict == 0
        return CheckAnswer(
            VERDICTS[result.verdict],
            REASONS[result.reason],
            body_name(scene, result.unknown_a) if unknown else None,
            body_name(scene, result.unknown_b) if unknown else None,
            gap_of(scene, result.clearance) if result.has_clearance else None,
            tuple(hit_of(scene, result.hits[i]) for i in range(result.hit_count)),
            tuple(gap_of(scene, result.pairs[i]) for i in range(result.pair_count)),
            with_counted(self._assumed, self._standing, outside),
            self._declared,
            result.proven_count,
        )

    def gradient(self, state: ArrayLike, a: Optional[str], b: Optional[str]) -> GradientAnswer:
        """The gap of two bodies, by name, and its derivative with respect to every value. They need not be a pair that is checked.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> checker = berth.Checker(scene)
        >>> near = checker.distance(scene.state).clearance
        >>> checker.gradient(scene.state, near.a, near.b).gradient.shape
        (14,)
        """
        values = vector(state, self._value_count, "state")
        with self._use() as checker, self.scene._asking():
            scene = self._scene_pointer
            if not self.scene._committed:  # bodies have no numbers until it is
                self._check(Status.STALE)
            self.scene._count_outside(scene, doubles(values))
            found = ffi.new("BerthGapGradient*")
            slope = np.zeros(self._value_count)
            self._check(
                lib.berth_check_gradient(
                    checker, doubles(values), find_body(scene, a), find_body(scene, b), doubles(slope), found
                )
            )
            return GradientAnswer(gap_of(scene, found.gap), slope if found.defined else None)


#: questions that a checker is asked at least, before anybody knows
FEW = 200


def lay_out(scene: Any, definition: Any, lanes: Optional[bool], states: int = 0, segments: int = 0) -> Any:
    """The scene for wide registers, for the checker or planner that `definition` makes; None where nobody wants it, or it does not fit."""
    if lanes is False or (lanes is None and not lib.berth_lanes_pay(scene, states, segments)):
        return None
    wanted = ffi.new("BerthLanesDef*", lib.berth_default_lanes_def())
    wanted.margin, wanted.self_margin = definition.margin, definition.self_margin
    if lanes is None:
        wanted.expected_states, wanted.expected_segments = states, segments
    out = ffi.new("BerthLanes**")
    check(lib.berth_lanes_create(scene, wanted, out))
    if out[0] == ffi.NULL:
        return None
    definition.lanes = out[0]
    return own(out[0], "berth_lanes_destroy", scene)


def find_body(scene: Any, name: Optional[str]) -> int:
    """The number of a body. A clearance beyond what was asked for names none: that is refused, too."""
    if name is None:
        raise_value("which body? None was given: nothing was near enough to be named")
    found: int = lib.berth_scene_find_body(scene, c_text(name, "a body"))
    if found < 0:
        raise_value(f"the scene has no body '{name}'")
    return found


def non_negative(value: float, what: str) -> float:
    """A number that may be 0."""
    number = scalar(value, what)
    if number < 0.0:
        raise_value(f"{what} is {number}; at least 0 is expected")
    return number
