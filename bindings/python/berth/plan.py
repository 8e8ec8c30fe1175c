# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plans: a collision-free motion from one state to another, every edge of which is proven free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, Optional, Union

import numpy as np

from berth._abi import ffi
from berth._answers import Assumed, body_name, outside_map, with_counted
from berth._arrays import (
    ArrayLike,
    Floats,
    Point,
    PoseLike,
    RowsLike,
    c_pose,
    doubles,
    from_doubles,
    numbers,
    point_of,
    rows,
    scalar,
    vector,
)
from berth._files import PathLike, write_certificate
from berth._library import BerthError, Owner, Status, Watch, c_path, c_text, check, choose, lib, own, raise_value, text_of
from berth.check import lay_out, non_negative
from berth.motion import Bounds
from berth.robot import Robot
from berth.scene import Scene

#: as the library names them
PLANNERS = {"default": 0}
PLANNERS.update({text_of(lib.berth_planner_name(i)): i for i in range(1, lib.BERTH_PLANNER_KIND_COUNT)})


@dataclass(frozen=True)
class PlanStats:
    """What a search did."""

    samples: int  #: random states that were drawn
    states: int  #: that trees hold
    edges: int  #: straight motions that were asked about
    free_edges: int  #: of these: proven free


@dataclass(frozen=True)
class PlanClearance:
    """How near bodies come on a plan."""

    lower: float  #: proven: every gap is larger on the whole motion
    upper: Optional[float]  #: measured between a and b; None when it was not looked for
    a: Optional[str]  #: whose gap was measured
    b: Optional[str]  #: and the other body
    segment: Optional[int]  #: where
    t: Optional[float]  #: and when on that segment, 0 to 1
    self: Bounds  #: of two links of one robot
    environment: Bounds  #: of all other pairs


@dataclass(frozen=True, eq=False)
class PlanAnswer:
    """A motion, or why there is none. The fields are those of `berth plan --json`."""

    verdict: Literal["found", "none"]
    planner: str  #: what searched
    seconds: float  #: of searching and shortening
    #: rows of states, straight lines between them, or with `timed` cubics; the first is the start, the last a goal, exactly
    path: Optional[Floats]
    length: Optional[float]  #: sum of the weighted lengths of its lines
    found_length: Optional[float]  #: before it was shortened
    goal: Optional[int]  #: which goal it reaches, or which one the reason is about
    clearance: Optional[PlanClearance]  #: proven on the whole motion
    certified: bool  #: the whole was proven once more when it was done
    reason: Optional[str]  #: none: "start_collision", "goal_collision", "start_unknown", "goal_unknown" or "budget"
    a: Optional[str]  #: of a start or goal that collides or is unknown: a body
    b: Optional[str]  #: and the other
    point: Optional[Point]  #: of a collision, in the world
    margin: float  #: that was asked for
    self_margin: Optional[float]  #: that was asked for; None: as margin
    delta: float  #: motions that come nearer may be passed by
    assumed: tuple[Assumed, ...]  #: what was taken without proof
    declared: tuple[Assumed, ...]  #: pairs that are meant to touch
    proven: int  #: pairs skipped by a proof
    stats: PlanStats
    times: Optional[Floats] = None  #: of `timed`: seconds since the start, a row each; the first is 0
    velocities: Optional[Floats] = None  #: of `timed`: per second, rows like the path's
    duration: Optional[float] = None  #: of `timed`: seconds of all of it
    corners: Optional[int] = None  #: of `timed`: points of the motion between its ends
    blends: Optional[int] = None  #: of these: rounded, since that is proven free; it stops at the others
    default_accelerations: Optional[int] = None  #: values without an acceleration limit: they reach full speed in half a second
    outside_map: bool = False  #: of a collision: a or b is a map, and the point is outside of it

    @property
    def found(self) -> bool:
        """There is a motion, and it is proven free."""
        return self.verdict == "found" and self.certified

    def __bool__(self) -> bool:
        raise TypeError("a PlanAnswer is neither true nor false: ask .found")


class Planner(Owner):
    """Searches motions in one scene. Give each thread its own; an edit of the scene makes it stale.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
    >>> goal = scene.make_state("left/joint1=0.6,left/joint2=-0.5")
    >>> plan = berth.Planner(scene).find(scene.state, goal)
    >>> plan.found, plan.path.shape[1]
    (True, 14)
    """

    _what = "Planner"

    def __init__(
        self,
        scene: Scene,
        *,
        planner: str = "default",
        margin: float = 0.0,
        self_margin: Optional[float] = None,
        delta: Optional[float] = None,
        seed: int = 0,
        weights: Optional[ArrayLike] = None,
        group: Optional[str] = None,
        moves: Optional[Sequence[str]] = None,
        samples: Optional[int] = None,
        wrap: bool = False,
        lanes: bool = False,
    ) -> None:
        """The same `seed` gives the same motion. `weights`: how much each value counts in lengths. `group`, of the SRDF of every robot
        that has it, or ROBOT/GROUP, or `moves`, names of values, say what may change: all by default. `samples` limits a search. `wrap`: goals count at whole turns of
        continuous joints and planar angles, so that the shorter way round may be taken. The scene is laid out for wide registers where
        that pays within a question (at once for robots made of spheres); `lanes`: at once in any case, for many questions."""
        super().__init__()
        count = scene.value_count
        definition = ffi.new("BerthPlannerDef*", lib.berth_default_planner_def())
        definition.kind = choose("planner", planner, PLANNERS)
        definition.margin = scalar(margin, "margin")
        definition.self_margin = -1.0 if self_margin is None else non_negative(self_margin, "self_margin")
        definition.seed = seed
        definition.wrap = wrap
        if delta is not None:
            definition.delta = scalar(delta, "delta")
        if samples is not None:
            definition.sample_budget = samples
        if weights is not None:
            factors = vector(weights, count, "weights")
            definition.weights = doubles(factors)
        if group is not None or moves is not None:
            may = ffi.new("bool[]", _chosen(scene, group, moves))
            definition.moves = may
        self._watch, self._clock = Watch(), Watch()
        self._watch.attach(definition)
        self._clock.attach(definition, "late", "late_user")
        self._definition = definition
        self.scene = scene
        self._scene_pointer = scene._built()
        out = ffi.new("BerthPlanner**")
        with scene._asking():
            layout = lay_out(self._scene_pointer, definition, lanes)
            check(self._watch.call(lib.berth_planner_create, self._scene_pointer, definition, out))
        self._pointer = own(out[0], "berth_planner_destroy", self._scene_pointer, layout, self._watch.c, self._clock.c)
        definition.weights = definition.moves = ffi.NULL  # were copied
        self._count = count
        self._assumed, self._declared = scene.assumed, scene.declared

    def find(
        self,
        start: ArrayLike,
        goals: Union[ArrayLike, RowsLike],
        *,
        shorten: bool = True,
        clearance: bool = True,
        timed: bool = False,
        time: Optional[float] = None,
        certificate: Optional[PathLike] = None,
    ) -> PlanAnswer:
        """Searches a motion from a state to a goal, or to any of several. `timed` gives it times and velocities within the joints'
        limits, and rounds corners where that is proven free. `time` seconds limit it; `certificate` writes the proof to that file, for
        MotionChecker.verify. Ctrl-C ends it.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> names = [name for name in scene.value_names if name.startswith("left/")]
        >>> planner = berth.Planner(scene, moves=names, seed=1)
        >>> goals = [scene.make_state("left/joint1=0.6"), scene.make_state("left/joint1=-0.6")]
        >>> plan = planner.find(scene.state, goals, timed=True, time=60)
        >>> plan.found, plan.goal in (0, 1), plan.times[0]
        (True, True, 0.0)
        >>> (plan.path[-1] == goals[plan.goal]).all()
        True
        """
        begin = vector(start, self._count, "start")
        ends = numbers(goals, "goals")
        ends = rows(ends[None] if ends.ndim == 1 else ends, self._count, "goals")
        query = ffi.new("BerthPlanQuery*", {"start": doubles(begin), "goals": doubles(ends), "goal_count": len(ends)})
        result, proof = ffi.new("BerthPlanResult*"), ffi.new("BerthPlanProof*")
        with self._use() as planner, self.scene._asking(), self._clock.until(time):
            self._clock.c.stopped = self._clock.c.asked = 0
            moment = perf_counter()
            self._check(self._watch.call(lib.berth_planner_find, planner, query, result))
            length = result.length
            if result.found and shorten:
                self._check(self._watch.call(lib.berth_planner_shorten, planner, result))
            seconds = perf_counter() - moment
            path = from_doubles(result.rows, (result.row_count, self._count)) if result.found else None
            stats = PlanStats(*(getattr(result.stats, name) for name in PlanStats.__dataclass_fields__))
            times: dict[str, Any] = {}
            if result.found and timed:
                path, times = self._give_times(planner)
            if result.found:
                self._certify(planner, clearance, certificate, proof)
            elif certificate is not None:
                raise BerthError(f"{certificate}: not written: no motion was found", Status.ARGUMENT)
        return self._answer(result, proof, path, times, stats, length, clearance, seconds)

    def solve_pose(
        self, link: str, pose: PoseLike, *, start: Optional[ArrayLike] = None, most: int = 8, robot: str = ""
    ) -> Floats:
        """States in which a link has a pose in the world, for the goals of `find`: by inverse kinematics from `start` (the scene's state)
        and many random states, within limits. Rows, at most `most`, free ones only; one that is not free where there is no other;
        none when the pose is out of reach.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> planner = berth.Planner(scene, moves=[name for name in scene.value_names if name.startswith("left/")])
        >>> planner.solve_pose("link7", berth.pose([1000.0, 0, 0]), robot="left").shape
        (0, 14)
        """
        names = list(self.scene.robots)
        if robot not in names:
            raise_value(f"there is no robot '{robot}'; there are: {', '.join(names)}")
        begin = self.scene.state if start is None else vector(start, self._count, "start")
        if most < 1:
            raise_value(f"most is {most}, must be at least 1")
        question = ffi.new("BerthPlanPose*")
        question.robot = names.index(robot)
        question.link = lib.berth_robot_find_link(self.scene.robots[robot]._open(), c_text(link, "link"))
        if question.link < 0:
            raise_value(f"there is no link '{link}'")
        question.world_from_link = c_pose(pose, "pose")[0]

        states = np.zeros((most, self._count))
        count = ffi.new("int32_t*")
        with self._use() as planner, self.scene._asking(), self._clock.until(None):
            self._check(
                self._watch.call(
                    lib.berth_planner_solve_pose, planner, question, doubles(begin), doubles(states), most, count
                )
            )
        return states[: count[0]]

    def _give_times(self, planner: Any) -> tuple[Floats, dict[str, Any]]:
        """From here on the motion is the timed one."""
        out = ffi.new("BerthPlanTimed*")
        self._check(self._watch.call(lib.berth_planner_time, planner, out))
        shape = (out.row_count, self._count)
        return from_doubles(out.rows, shape), {
            "times": from_doubles(out.times, (out.row_count,)),
            "velocities": from_doubles(out.velocities, shape),
            "duration": out.duration,
            "corners": out.corner_count,
            "blends": out.blend_count,
            "default_accelerations": out.default_accelerations,
        }

    def _certify(self, planner: Any, sharp: bool, path: Optional[PathLike], proof: Any) -> None:
        """Proves the whole once more, and writes that down."""
        record = ffi.NULL
        if path is not None:
            out = ffi.new("BerthCertificate**")
            check(lib.berth_planner_certificate(planner, ffi.NULL, out))
            record = own(out[0], "berth_certificate_destroy", planner)
        self._check(self._watch.call(lib.berth_planner_certify, planner, sharp, record, proof))
        if path is not None:
            if proof.verdict != lib.BERTH_FREE:
                raise BerthError(f"{path}: not written: the motion was not proven free again", Status.ARGUMENT)
            write_certificate(path, record, self._scene_pointer, self.scene._files)

    def _clearance(self, proof: Any, own_bounds: Bounds, environment: Bounds, sharp: bool) -> PlanClearance:
        least = ffi.new("BerthClearance*", proof.environment)
        lib.berth_clearance_lower(least, ffi.addressof(proof, "self"))
        measured = least.body_a >= 0
        scene = self._scene_pointer
        return PlanClearance(
            least.lower,
            least.upper if sharp else None,
            body_name(scene, least.body_a),
            body_name(scene, least.body_b),
            least.segment if measured else None,
            least.t if measured else None,
            own_bounds,
            environment,
        )

    def _answer(
        self,
        result: Any,
        proof: Any,
        path: Optional[Floats],
        times: dict[str, Any],
        stats: PlanStats,
        length: float,
        sharp: bool,
        seconds: float,
    ) -> PlanAnswer:
        found = path is not None
        free = found and proof.verdict == lib.BERTH_FREE
        own_bounds = Bounds(proof.self.lower, proof.self.upper if sharp else None)
        environment = Bounds(proof.environment.lower, proof.environment.upper if sharp else None)
        definition, scene = self._definition, self._scene_pointer
        collides = "collision" in text_of(lib.berth_plan_reason_name(result.reason))
        return PlanAnswer(
            verdict="found" if found else "none",
            planner=text_of(lib.berth_planner_name(definition.kind)),
            seconds=seconds,
            path=path,
            length=result.length if found else None,
            found_length=length if found else None,
            goal=result.goal if result.goal >= 0 else None,
            clearance=self._clearance(proof, own_bounds, environment, sharp) if free else None,
            certified=free,
            reason=None if found else text_of(lib.berth_plan_reason_name(result.reason)),
            a=body_name(scene, result.body_a),
            b=body_name(scene, result.body_b),
            point=point_of(result.point) if collides else None,
            margin=definition.margin,
            self_margin=None if definition.self_margin < 0 else definition.self_margin,
            delta=definition.delta,
            assumed=with_counted(self._assumed, lib.berth_scene_moving_count(scene)),
            declared=self._declared,
            proven=proof.proven_count,
            stats=stats,
            outside_map=collides and outside_map(scene, result.body_a, result.body_b, result.point),
            **times,
        )


def _chosen(scene: Scene, group: Optional[str], moves: Optional[Sequence[str]]) -> list[bool]:
    """Which values may change."""
    names = scene.value_names
    if moves is not None:
        if group is not None:
            raise_value("group or moves, not both")
        unknown = [name for name in moves if name not in names]
        if unknown:
            raise_value(f"the scene has no value '{unknown[0]}'; there are: {', '.join(names)}")
        return [name in moves for name in names]
    robots = scene.robots
    named = any(group in robot.groups for robot in robots.values())
    chosen, known, found = [], [], False
    for name, robot in robots.items():
        moving: set[str] = set()
        for word, joints in robot.groups.items():
            known.append(word if len(robots) == 1 else f"{name}/{word}")
            if (word if named else f"{name}/{word}") == group:
                found = True
                moving.update(joints)
        chosen += _moved_values(robot, moving)
    if not found:
        raise_value(f"there is no group '{group}'; there are: {', '.join(known) or 'none'}")
    return chosen


def _moved_values(robot: Robot, names: set[str]) -> list[bool]:
    """Which values of a robot move these joints. One that follows another moves when that does."""
    leads = {joint.mimic or joint.name for joint in robot.joints if joint.name in names}
    chosen = [False] * robot.value_count
    for joint in robot.joints:
        if joint.name in leads and joint.first_value >= 0:
            chosen[joint.first_value : joint.first_value + joint.value_count] = [True] * joint.value_count
    return chosen


