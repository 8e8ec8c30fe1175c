# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Motions: is every configuration on the way free, proven and not sampled? Certificates of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Literal, Optional, Union

import numpy as np

from berth._abi import ffi
from berth._answers import REASONS, VERDICTS, Answer, Assumed, Reason, Verdict, body_name, outside_map, with_counted
from berth._arrays import ArrayLike, Floats, Point, RowsLike, doubles, point_of, scalar, vector
from berth._files import PathLike, Reading, write_certificate
from berth._library import BerthError, Owner, Status, Watch, c_path, c_text, check, choose, fail, lib, own, raise_value
from berth.advice import Advice, Asked, advise
from berth.check import FEW, Checker, lay_out, non_negative
from berth.scene import Scene
from berth.trajectory import Trajectory, as_trajectory

Method = Literal["default", "second-order", "adaptive", "refined", "fixed"]
METHODS = {"default": 0, "second-order": 1, "adaptive": 2, "refined": 3, "fixed": 4}
MOVING = {"stand": 0, "reach": 1}


@dataclass(frozen=True)
class Bounds:
    """Bounds of the smallest gap on a motion."""

    lower: float  #: proven: every gap is larger on the whole motion; inf without pairs
    upper: Optional[float] = None  #: measured: some gap is no larger; None when it was not looked for


@dataclass(frozen=True)
class MotionClearance:
    """How near bodies come on a motion that is free."""

    lower: float  #: proven: every gap is larger on the whole motion; inf without pairs
    upper: Optional[float]  #: measured between a and b; None when it was not looked for
    a: Optional[str]  #: whose gap was measured
    b: Optional[str]  #: and the other body
    segment: Optional[int]  #: where
    t: Optional[float]  #: and when on that segment, 0 to 1
    point_a: Optional[Point]  #: nearest point of a there
    point_b: Optional[Point]  #: and of b
    spent: Optional[str]  #: "budget": the search ended for it, `lower` may be far below what is there
    self: Bounds  #: of two links of one robot
    environment: Bounds  #: of all other pairs


@dataclass(frozen=True, eq=False)
class MotionHit:
    """A collision on a motion."""

    segment: int  #: between which rows, counted from 0
    t: float  #: where on that segment, 0 to 1
    time: Optional[float]  #: seconds of the trajectory's clock, where it has one
    state: Floats  #: the values there
    a: str  #: a body
    b: str  #: the other
    point: Point  #: of both, in the world
    reach: Optional[float]  #: with moving="reach": metres that b can have moved by then
    outside_map: bool = False  #: a or b is a map, and the point is outside of it


@dataclass(frozen=True)
class FirstContact:
    """The earliest touch lies within t[0] and t[1] of the segment."""

    segment: int
    t: tuple[float, float]
    a: str
    b: str
    not_before: Optional[dict[str, float]]  #: an earlier place that could not be decided: segment and t


@dataclass(frozen=True)
class MotionStats:
    """What a question took."""

    configurations: int  #: placed
    intervals: int  #: of time, opened
    pairs: int  #: of bodies in the scene
    bv_tests: int  #: pairs of bounding volumes
    leaf_tests: int  #: pairs of triangles
    seconds: float


@dataclass(frozen=True, eq=False)
class PathAnswer(Answer):
    """The answer about a motion. The fields are those of `berth path --json`."""

    verdict: Verdict  #: "free" is proven for all of the infinitely many configurations on the way
    clearance: Optional[MotionClearance]  #: of a free motion
    segment: Optional[int]  #: collision, unknown: between which rows
    t: Union[float, tuple[float, float], None]  #: collision: where on it; unknown: where it could not be decided
    time: Optional[float]  #: collision: seconds of the trajectory's clock
    state: Optional[Floats]  #: collision: the values there
    a: Optional[str]  #: collision, unknown: a body it is about
    b: Optional[str]  #: and the other
    point: Optional[Point]  #: collision: a point of both
    reach: Optional[float]  #: collision, with moving="reach": metres that b can have moved by then
    reason: Optional[Reason]  #: why it is unknown
    advice: tuple[Advice, ...]  #: unknown: what may decide it, and what that costs
    sampled: Optional[str]  #: method="fixed": "free" when no sample touched, which proves nothing
    first_contact: Optional[FirstContact]  #: where asked for, of a collision
    hits: tuple[MotionHit, ...]  #: with all: every segment that collides
    margin: float  #: that was asked for
    self_margin: Optional[float]  #: that was asked for; None: as margin
    moving: str  #: what objects that may move are taken to do: "stand" or "reach"
    delta: float  #: gaps of at most margin + delta need not be told from collisions
    segments: int  #: of the whole motion
    interpolation: Optional[str]  #: how values run between rows
    assumed: tuple[Assumed, ...]  #: what was taken without proof
    declared: tuple[Assumed, ...]  #: pairs that are meant to touch
    proven: int  #: pairs skipped by a proof that holds on all of it
    stats: MotionStats  #: what it took
    outside_map: bool = False  #: collision: a or b is a map, and the point is outside of it


@dataclass(frozen=True)
class CertificateAnswer(Answer):
    """A certificate that holds: verified without a search, by code that shares nothing with it."""

    verdict: Verdict  #: "free"
    certificate: str  #: "holds"
    clearance: MotionClearance  #: proven again; no upper bounds
    margin: float  #: that was asked for
    self_margin: Optional[float]  #: that was asked for; None: as margin
    moving: str  #: what it takes objects that may move to do
    segments: int  #: of the motion
    interpolation: Optional[str]  #: how values run between rows
    assumed: tuple[Assumed, ...]  #: what is taken without proof
    declared: tuple[Assumed, ...]  #: pairs that are meant to touch
    proven: int  #: pairs of a robot's proven table, proven again
    records: int  #: that were proven again
    configurations: int  #: placed for that


class _Sum:
    """What comes of the segments so far."""

    def __init__(self, clearance: bool) -> None:
        self.wants_clearance = clearance
        self.done = self.free = self.unknown = self.sampled = self.outside = self.proven = 0
        self.hit: Optional[tuple[int, Any]] = None
        self.doubt: Optional[tuple[int, Any]] = None
        self.hits: list[tuple[int, Any]] = []
        self.stats = ffi.new("BerthMotionStats*")
        self.own = ffi.new("BerthClearance*")
        self.environment = ffi.new("BerthClearance*")
        for bounds in (self.own, self.environment):
            bounds.lower = bounds.upper = np.inf
            bounds.body_a = bounds.body_b = -1

    def add(self, index: int, result: Any) -> None:
        """One more segment."""
        self.done += 1
        self.outside += result.outside_limits
        self.proven = max(self.proven, result.proven_count)
        lib.berth_motion_stats_add(self.stats, ffi.addressof(result, "stats"))
        if result.verdict == lib.BERTH_FREE:
            self.free += 1
            result.self.segment = result.environment.segment = index
            lib.berth_clearance_lower(self.own, ffi.addressof(result, "self"))
            lib.berth_clearance_lower(self.environment, ffi.addressof(result, "environment"))
        elif result.verdict == lib.BERTH_COLLISION:
            self.hits.append((index, result))
            self.hit = self.hit or (index, result)
        else:
            self.unknown += 1
            self.sampled += result.sampled_free
            self.doubt = self.doubt or (index, result)


class MotionChecker(Owner):
    """Asks about motions of one scene. Give each thread its own; an edit of the scene makes it stale.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
    >>> goal = scene.state
    >>> goal[0] += 0.25
    >>> answer = berth.MotionChecker(scene).path([scene.state, goal])
    >>> answer.verdict, answer.clearance.lower > 0
    ('free', True)
    """

    _what = "MotionChecker"

    def __init__(
        self,
        scene: Scene,
        *,
        margin: float = 0.0,
        self_margin: Optional[float] = None,
        delta: Optional[float] = None,
        method: Method = "default",
        moving: Literal["stand", "reach"] = "stand",
        resolution: Optional[float] = None,
        tracking_error: Union[None, float, ArrayLike] = None,
        interval_budget: Optional[int] = None,
        lanes: Optional[bool] = None,
    ) -> None:
        """`margin` is the clearance that is required; gaps of at most margin + `delta` may be told as unknown. `moving="reach"` takes
        objects that may move to be everywhere they can have got to, and needs times. `tracking_error`: how far each value may be off
        the commanded one, one number or one a value. `method="fixed"` only samples, at `resolution`, and proves nothing. `lanes`: as in
        Checker, for straight lines of which no clearance, first contact or certificate is asked."""
        super().__init__()
        definition = ffi.new("BerthMotionCheckerDef*", lib.berth_default_motion_checker_def())
        definition.margin = scalar(margin, "margin")
        definition.self_margin = -1.0 if self_margin is None else non_negative(self_margin, "self_margin")
        definition.method = choose("method", method, METHODS)
        definition.moving = choose("moving", moving, MOVING)
        if delta is not None:
            definition.delta = scalar(delta, "delta")
        if resolution is not None:
            if method != "fixed":
                raise_value("resolution is of method='fixed'; the others have none to choose")
            definition.resolution = scalar(resolution, "resolution")
        if interval_budget is not None:
            definition.interval_budget = interval_budget
        if tracking_error is not None:
            single = np.ndim(tracking_error) == 0
            errors = np.full(scene.value_count, scalar(tracking_error, "tracking_error")) if single else tracking_error
            self._errors = np.array(vector(errors, scene.value_count, "tracking_error"))
            definition.tracking_error = doubles(self._errors)
        self._watch = Watch()
        self._watch.attach(definition)
        self._definition = definition
        self.scene = scene
        self._scene_pointer = scene._built()
        with scene._asking():
            self._lanes = lay_out(self._scene_pointer, definition, lanes, segments=FEW)
        self._pointer = self._make(definition)
        self._count = scene.value_count
        self._assumed, self._declared = scene.assumed, scene.declared
        self._state_checker: Optional[Checker] = None

    def _make(self, definition: Any) -> Any:
        """A BerthMotionChecker, owned."""
        out = ffi.new("BerthMotionChecker**")
        with self.scene._asking():
            self._check(lib.berth_motion_checker_create(self._scene_pointer, definition, out))
        return own(out[0], "berth_motion_checker_destroy", self._scene_pointer, self._watch.c, self._lanes)

    # ---- asking --------------------------------------------------------------------------------------------------------

    def path(
        self,
        motion: Union[Trajectory, RowsLike],
        *,
        first_contact: bool = False,
        clearance: bool = True,
        all: bool = False,
        time: Optional[float] = None,
        certificate: Optional[PathLike] = None,
    ) -> PathAnswer:
        """Is all of this motion free? Rows are states with straight lines between them.

        Ends at the first collision; with `all` every segment that collides is told in `hits`. `first_contact` brackets the earliest
        touch. `clearance=False` leaves the search for the smallest gap out. `time` seconds end it with unknown. `certificate` writes
        the proof of a free motion to that file. Ctrl-C ends it.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> rows = [scene.state, scene.make_state("left/joint1=0.2"), scene.make_state("left/joint1=0.2,left/joint2=-0.3")]
        >>> answer = berth.MotionChecker(scene).path(rows)
        >>> answer.verdict, answer.segments, answer.clearance.lower > 0
        ('free', 2, True)
        >>> down = scene.make_state("left/joint2=1.7,left/joint4=0")
        >>> hit = berth.MotionChecker(scene).path([scene.state, down], first_contact=True)
        >>> hit.verdict, hit.first_contact.t[0] <= hit.t
        ('collision', True)
        """
        trajectory = as_trajectory(motion, self.scene)
        if self._definition.moving == lib.BERTH_MOVING_REACH and trajectory._struct.times == ffi.NULL:
            raise_value("moving='reach': the trajectory has no times, and how far objects get depends on them")
        self._states()
        with self._use() as checker, self.scene._asking():
            start = perf_counter()
            total = _Sum(clearance)
            started = not all and self._ask_start(trajectory, total)
            if not started:
                self._ask_segments(checker, trajectory, total, first_contact, clearance, all, time)
            answer = self._answer(trajectory, total, first_contact, clearance, all, perf_counter() - start, time)
            if certificate is not None:
                if not answer.free:
                    raise BerthError(f"{certificate}: not written: the motion is not proven free", Status.ARGUMENT)
                self._write_certificate(trajectory, total, certificate)
            return answer

    def segment(
        self, start: ArrayLike, goal: ArrayLike, *, first_contact: bool = False, clearance: bool = True
    ) -> PathAnswer:
        """The same about one straight segment between two states, as planners ask it.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> checker = berth.MotionChecker(scene, margin=0.005)
        >>> checker.segment(scene.state, scene.make_state("left/joint1=0.2"), clearance=False).free
        True
        """
        ends = np.array([vector(start, self._count, "start"), vector(goal, self._count, "goal")])
        trajectory = Trajectory(self.scene, ends)
        with self._use() as checker, self.scene._asking():
            begin = perf_counter()
            total = _Sum(clearance)
            self._ask_segments(checker, trajectory, total, first_contact, clearance, False, None)
            return self._answer(trajectory, total, first_contact, clearance, False, perf_counter() - begin)

    def function(
        self,
        values: Callable[[float], ArrayLike],
        speeds: ArrayLike,
        *,
        first_contact: bool = False,
        clearance: bool = True,
        time: Optional[float] = None,
    ) -> PathAnswer:
        """Any other motion: `values(t)` gives the state at t from 0 to 1, and no value changes faster than its one of `speeds`, per unit of
        t. The speeds are taken without proof, but a value that is further from the ends than they allow makes the answer unknown. There is
        no certificate of such a motion, and robots with floating joints are refused. What `values` raises ends it.

        >>> import math, berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> rest = scene.state
        >>> def wave(t):
        ...     state = rest.copy()
        ...     state[0] += 0.1 * math.sin(6 * t)
        ...     return state
        >>> berth.MotionChecker(scene).function(wave, [0.6] + [0] * 13).verdict
        'free'
        """
        most = vector(speeds, self._count, "speeds")
        if not (most >= 0.0).all():
            raise_value(f"speeds: {most.min()} is below 0")
        ends = np.array([vector(values(t), self._count, f"values({t})") for t in (0.0, 1.0)])
        if not (np.abs(ends[1] - ends[0]) <= most).all():
            raise_value("speeds: a value is further from its start at t = 1 than its speed allows")

        def give(user: Any, t: float, out: Any) -> None:
            row = np.frombuffer(ffi.buffer(out, 8 * self._count))
            row[:] = np.nan  # what is not given proves nothing
            row[:] = vector(values(t), self._count, f"values({t})")

        told = self._watch.callback("void(void*, double, double*)", give)
        motion = ffi.new("BerthMotionFunction*", {"values": told, "speeds": doubles(most)})
        trajectory = Trajectory(self.scene, ends)
        with self._use() as checker, self.scene._asking():
            begin = perf_counter()
            total = _Sum(clearance)
            self._ask_segments(checker, trajectory, total, first_contact, clearance, False, time, motion)
            answer = self._answer(trajectory, total, first_contact, clearance, False, perf_counter() - begin, time)
        state = vector(values(total.hit[1].t), self._count, "values") if total.hit else None
        return replace(answer, state=state, interpolation=None)

    def _ask_start(self, trajectory: Trajectory, total: _Sum) -> bool:
        """A motion that begins in collision is said to: other witnesses on the first segment would hide it."""
        found = ffi.new("BerthMotionResult*", {"body_a": -1, "body_b": -1})
        if self._definition.moving == lib.BERTH_MOVING_REACH:
            definition = ffi.new("BerthMotionCheckerDef*", self._definition[0])
            definition.method = lib.BERTH_METHOD_FIXED  # a segment of no length has two samples: both are the start
            segment, kept = self._segment(trajectory, 0)
            segment.to, segment.curves, segment.duration = getattr(segment, "from"), ffi.NULL, 0.0
            self._ask_one(self._make(definition), segment, ffi.new("BerthMotionRequest*"), found)
            del kept
        else:
            result = ffi.new("BerthCheckResult*")
            values = trajectory._struct.positions
            checker = self._states()._open()
            self._check(lib.berth_check_state(checker, values, ffi.new("BerthCheckRequest*"), result))
            if result.verdict == lib.BERTH_COLLISION and result.hit_count > 0:
                hit = result.hits[0]
                found.verdict, found.point, found.proven_count = result.verdict, hit.point, result.proven_count
                found.body_a, found.body_b = hit.body_a, hit.body_b
                found.stats.configurations, found.stats.counters = 1, result.counters
        if found.verdict != lib.BERTH_COLLISION:
            return False
        found.outside_limits = self.scene._count_outside(self._scene_pointer, trajectory._struct.positions)
        total.add(0, found)
        return True

    def _states(self) -> Checker:
        """Asks about single states with the same margins; made when it is needed first."""
        if self._state_checker is None:
            margin, self_margin = self._margins()
            self._state_checker = Checker(self.scene, margin=margin, self_margin=self_margin, lanes=False)
        return self._state_checker

    def _segment(self, trajectory: Trajectory, index: int) -> tuple[Any, Any]:
        """A BerthSegment, and what it borrows."""
        segment = ffi.new("BerthSegment*")
        curves = ffi.new("BerthCurve[]", max(self._count, 1))
        check(
            lib.berth_trajectory_segment(
                trajectory._struct, self._scene_pointer, index, trajectory._kind, curves, segment
            )
        )
        return segment, curves

    def _ask_one(self, checker: Any, segment: Any, request: Any, result: Any) -> None:
        self._check(self._watch.call(lib.berth_motion_check_segment, checker, segment, request, result))

    def _ask_segments(
        self,
        checker: Any,
        trajectory: Trajectory,
        total: _Sum,
        first_contact: bool,
        clearance: bool,
        every: bool,
        time: Optional[float],
        function: Any = ffi.NULL,
    ) -> None:
        request = ffi.new("BerthMotionRequest*", {"first_contact": first_contact, "sharp_clearance": clearance})
        request.function = function
        with self._watch.until(time):
            for index in range(trajectory.segment_count):
                segment, kept = self._segment(trajectory, index)
                result = ffi.new("BerthMotionResult*")
                self._ask_one(checker, segment, request, result)
                total.add(index, result)
                del kept
                if result.verdict == lib.BERTH_COLLISION and not every:
                    return

    # ---- answers -------------------------------------------------------------------------------------------------------

    def _name(self, body: int) -> Optional[str]:
        return body_name(self._scene_pointer, body)

    def _clearance(self, total: _Sum) -> MotionClearance:
        least = ffi.new("BerthClearance*", total.environment[0])
        lib.berth_clearance_lower(least, total.own)
        measured = least.body_a >= 0

        def bounds(part: Any) -> Bounds:
            return Bounds(part.lower, part.upper if total.wants_clearance else None)

        return MotionClearance(
            least.lower,
            least.upper if total.wants_clearance else None,
            self._name(least.body_a),
            self._name(least.body_b),
            least.segment if measured else None,
            least.t if measured else None,
            point_of(least.point_a) if measured else None,
            point_of(least.point_b) if measured else None,
            "budget" if least.spent else None,
            bounds(total.own),
            bounds(total.environment),
        )

    def _hit(self, trajectory: Trajectory, index: int, result: Any) -> MotionHit:
        segment, kept = self._segment(trajectory, index)
        state = np.zeros(self._count)
        lib.berth_segment_values(self._scene_pointer, segment, result.t, doubles(state))
        times = trajectory._struct.times
        moment = None
        if times != ffi.NULL:
            after = min(index + 1, len(trajectory) - 1)
            moment = times[index] + result.t * (times[after] - times[index])
        reach = None
        if self._definition.moving == lib.BERTH_MOVING_REACH:
            reach = self._reach(result.body_b, segment.start + result.t * segment.duration)
        del kept
        return MotionHit(
            index,
            result.t,
            moment,
            state,
            self._name(result.body_a) or "",
            self._name(result.body_b) or "",
            point_of(result.point),
            reach,
            outside_map(self._scene_pointer, result.body_a, result.body_b, result.point),
        )

    def _reach(self, body: int, seconds: float) -> float:
        """How far a body that may move can have got by then."""
        info = ffi.new("BerthObjectInfo*")
        found = lib.berth_scene_body(self._scene_pointer, body)
        if body < 0 or lib.berth_scene_object(self._scene_pointer, found.object, info) != 0:
            return 0.0
        if not (info.moving or info.person):
            return 0.0
        ahead = info.intrusion + info.uncertainty if info.person else 0.0
        return float(ahead + info.speed * seconds)

    def _first_contact(self, total: _Sum) -> Optional[FirstContact]:
        if total.hit is None:
            return None
        index, result = total.hit
        before = None
        if total.doubt is not None and total.doubt[0] < index:
            before = {"segment": total.doubt[0], "t": total.doubt[1].t_low}
        names = self._name(result.body_a) or "", self._name(result.body_b) or ""
        return FirstContact(index, (result.t_low, result.t_high), *names, before)

    def _standing(self, moving: int) -> int:
        return int(lib.berth_scene_moving_count(self._scene_pointer)) if moving == lib.BERTH_MOVING_STAND else 0

    def _margins(self) -> tuple[float, Optional[float]]:
        definition = self._definition
        return definition.margin, None if definition.self_margin < 0 else definition.self_margin

    def _answer(
        self,
        trajectory: Trajectory,
        total: _Sum,
        first_contact: bool,
        clearance: bool,
        every: bool,
        seconds: float,
        time: Optional[float] = None,
    ) -> PathAnswer:
        free = total.hit is None and total.free == total.done == trajectory.segment_count
        verdict: Verdict = "collision" if total.hit else "free" if free else "unknown"
        hit = self._hit(trajectory, *total.hit) if total.hit else None
        doubt = total.doubt if verdict == "unknown" else None
        sampled = doubt is not None and doubt[1].sampled_free
        place: Union[float, tuple[float, float], None] = hit.t if hit else None
        if doubt is not None and not sampled:
            place = (doubt[1].t_low, doubt[1].t_high)
        all_sampled = doubt is not None and total.sampled == total.unknown
        about = doubt[1] if doubt is not None and not sampled else None
        stats = total.stats
        margin, self_margin = self._margins()
        return PathAnswer(
            verdict=verdict,
            clearance=self._clearance(total) if verdict == "free" else None,
            segment=hit.segment if hit else doubt[0] if doubt is not None and not all_sampled else None,
            t=place,
            time=hit.time if hit else None,
            state=hit.state if hit else None,
            a=hit.a if hit else self._name(about.body_a) if about else None,
            b=hit.b if hit else self._name(about.body_b) if about else None,
            point=hit.point if hit else None,
            reach=hit.reach if hit else None,
            reason=REASONS[about.reason] if about else None,
            advice=self._advise(doubt[1], clearance, seconds, time) if doubt else (),
            sampled="free" if sampled else None,
            first_contact=self._first_contact(total) if first_contact else None,
            hits=tuple(self._hit(trajectory, *each) for each in total.hits) if every else (),
            margin=margin,
            self_margin=self_margin,
            moving=list(MOVING)[self._definition.moving],
            delta=self._definition.delta,
            segments=trajectory.segment_count,
            interpolation=trajectory.interpolation,
            assumed=with_counted(
                self._assumed, self._standing(self._definition.moving), total.outside, trajectory._late
            ),
            declared=self._declared,
            proven=total.proven,
            stats=MotionStats(
                stats.configurations,
                stats.intervals,
                lib.berth_scene_pair_count(self._scene_pointer),
                stats.counters.bv_tests,
                stats.counters.leaf_tests,
                seconds,
            ),
            outside_map=hit.outside_map if hit else False,
        )

    def _advise(self, result: Any, clearance: bool, seconds: float, time: Optional[float]) -> tuple[Advice, ...]:
        definition, scene = self._definition, self._scene_pointer
        margin, self_margin = self._margins()
        a, b = (lib.berth_scene_body(scene, body) for body in (result.body_a, result.body_b))
        own = self_margin is not None and a.robot >= 0 and a.robot == b.robot and a.object.age == 0 and b.object.age == 0
        asked = Asked(
            margin=self_margin if own and self_margin is not None else margin,
            margin_is_own=own,
            delta=definition.delta,
            method=list(METHODS)[definition.method],
            tracking_error=definition.tracking_error != ffi.NULL,
            clearance=clearance,
            time=time,
            late=time is not None and seconds > time,
        )
        return advise(asked, REASONS[result.reason] or "", bool(result.sampled_free))

    # ---- certificates --------------------------------------------------------------------------------------------------

    def _write_certificate(self, trajectory: Trajectory, total: _Sum, path: PathLike) -> None:
        """Proves the clearances that the answer states, as margins a little below them; else the margins that were asked for."""
        margin, self_margin = self._margins()
        asked = (margin, margin if self_margin is None else self_margin)
        better = (_below(total.environment.lower, asked[0]), _below(total.own.lower, asked[1]))
        for margins in dict.fromkeys((better, asked)):
            if self._write_with(trajectory, margins, path):
                return
        raise BerthError(f"{path}: not written: a segment was not proven free again", Status.ARGUMENT)

    def _write_with(self, trajectory: Trajectory, margins: tuple[float, float], path: PathLike) -> bool:
        definition = ffi.new("BerthMotionCheckerDef*", self._definition[0])
        definition.margin, definition.self_margin = margins
        checker = self._make(definition)
        out = ffi.new("BerthCertificate**")
        check(lib.berth_certificate_create(checker, ffi.NULL, out))
        certificate = own(out[0], "berth_certificate_destroy", checker)
        lib.berth_certificate_set_interpolation(certificate, c_text(trajectory.interpolation, "interpolation"))
        request = ffi.new("BerthMotionRequest*", {"certificate": certificate})
        for index in range(trajectory.segment_count):
            segment, kept = self._segment(trajectory, index)
            self._ask_one(checker, segment, request, ffi.new("BerthMotionResult*"))
            del kept
        proven = ffi.new("int64_t*")
        if lib.berth_certificate_segment_count(certificate, proven) != proven[0]:
            return False
        write_certificate(path, certificate, self._scene_pointer, self.scene._files + trajectory._files)
        return True

    def verify(self, motion: Union[Trajectory, RowsLike], certificate: PathLike) -> CertificateAnswer:
        """Checks a certificate by code of its own, without a search: does it prove this motion free in this scene, with this checker's
        margin, tracking error and `moving`? One that does not hold raises a BerthValueError that says what failed.

        >>> import berth, pathlib, tempfile
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> motion = [scene.state, scene.make_state("left/joint1=0.2")]
        >>> checker = berth.MotionChecker(scene)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     proof = pathlib.Path(folder) / "motion.cert"
        ...     free = checker.path(motion, certificate=proof).free
        ...     answer = checker.verify(motion, proof)
        >>> free, answer.certificate, answer.records > 0
        (True, 'holds', True)
        """
        trajectory = as_trajectory(motion, self.scene)
        with self._use(), self.scene._asking():
            out = ffi.new("BerthCertificate**")
            reading = Reading()
            reading.call(lib.berth_io_read_certificate, c_path(certificate), self._scene_pointer, reading.options, out)
            proof = own(out[0], "berth_certificate_destroy")
            count = trajectory.segment_count
            segments = ffi.new("BerthSegment[]", count)
            kept = []
            for index in range(count):
                segment, curves = self._segment(trajectory, index)
                segments[index] = segment[0]
                kept.append(curves)
            asked = ffi.new("BerthVerifyDef*", lib.berth_motion_verify_def(self._definition))
            report = ffi.new("BerthCertificateReport*")
            status = lib.berth_certificate_verify(proof, self._scene_pointer, segments, count, asked, report)
            if status != 0:
                fail(status, f"{certificate}: it does not hold: ")
            return self._verified(trajectory, report)

    def _verified(self, trajectory: Trajectory, report: Any) -> CertificateAnswer:
        margin, self_margin = self._margins()
        none = (None, None, None, None, None, None, None, None)
        clearance = MotionClearance(
            report.clearance, *none, Bounds(report.self_clearance), Bounds(report.environment_clearance)
        )
        return CertificateAnswer(
            verdict=VERDICTS[lib.BERTH_FREE],
            certificate="holds",
            clearance=clearance,
            margin=margin,
            self_margin=self_margin,
            moving=list(MOVING)[report.moving],
            segments=trajectory.segment_count,
            interpolation=trajectory.interpolation,
            assumed=with_counted(self._assumed, self._standing(report.moving), 0, trajectory._late),
            declared=self._declared,
            proven=report.proven_count,
            records=report.records,
            configurations=report.configurations,
        )


def _below(clearance: float, margin: float) -> float:
    """A little below a clearance that was proven, but no less than the margin that was asked for."""
    below = clearance * (1.0 - 1e-6)
    return below if margin < below <= 1e6 else margin



