# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Contact: which features of bodies touch, where, how deep, with what force and moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional

from berth._abi import ffi
from berth._answers import REASONS, VERDICTS, Answer, Assumed, Reason, Verdict, assumed_list
from berth._arrays import ArrayLike, Floats, Point, PoseLike, c_pose, doubles, matrix_of, point_of, scalar, vec3, vector
from berth._library import Owner, check, choose, lib, own
from berth.check import find_body
from berth.scene import Scene

METHODS = {"manifold": 0, "elemental": 1, "overlap": 2}
FEATURES = ("round", "vertex", "edge", "face")
DOUBTS = ("numeric", "not_convex", "no_features")


@dataclass(frozen=True)
class Feature:
    """A vertex, edge or face of a convex piece of a body."""

    kind: str  #: "round", "vertex", "edge" or "face"
    piece: int  #: of the body
    index: int  #: in the piece


@dataclass(frozen=True)
class Contact:
    """Two features that touch."""

    a: str  #: a body
    b: str  #: the other
    feature_a: Feature  #: of a
    feature_b: Feature  #: of b
    point: Point  #: in the world, halfway between the two surfaces
    normal: Point  #: unit, from a to b
    depth: float  #: metres
    force: Point  #: N, on a
    age: int  #: cycles since it appeared


@dataclass(frozen=True)
class Wrench:
    """Force and moment on a body."""

    force: Point  #: N, in the world
    moment: Point  #: N m, about the body's centroid


@dataclass(frozen=True)
class UnknownPair:
    """Two bodies that could not be decided: no contact and no force of them is in the answer."""

    a: str
    b: str
    reason: str  #: "numeric", "not_convex" or "no_features"
    touching: bool  #: they are known to touch; with what force is not


@dataclass(frozen=True)
class ContactAnswer(Answer):
    """The answer of one cycle."""

    verdict: Verdict  #: "collision": something touches; "free": everything is proven apart
    reason: Optional[Reason]  #: why it is unknown
    contacts: tuple[Contact, ...]
    wrenches: dict[str, Wrench]  #: by body; bodies without a force are left out
    unknown: tuple[UnknownPair, ...]
    assumed: tuple[Assumed, ...]  #: what was taken for something else than it is
    declared: tuple[Assumed, ...]  #: pairs that are left out because they are meant to touch


@dataclass(frozen=True)
class Follow:
    """Where a follower went, and why not further."""

    pose: Floats  #: 4x4
    lag: float  #: metres its origin is from the target's
    depth: float  #: deepest contact there
    blocked: bool  #: it did not get to the target
    behind: Point  #: metres from the target's origin to its own
    turned: Point  #: radians, axis times angle: the rotation from the target to it


@dataclass(frozen=True)
class ContactBody:
    """A body as it is now."""

    name: str
    pose: Floats  #: 4x4
    velocity: Point  #: of the centroid, in the world
    spin: Point  #: rad/s
    mass: float  #: kg; 0 when none was given
    energy: float  #: of a free body: kinetic and, against gravity, potential, J
    pieces: int  #: convex ones


def _c_follow(follow: Follow) -> Any:
    out = ffi.new("BerthFollow*")
    out.world_from_body = c_pose(follow.pose, "follow")[0]
    out.lag, out.depth, out.blocked = follow.lag, follow.depth, follow.blocked
    out.behind, out.turned = vec3(follow.behind, "behind"), vec3(follow.turned, "turned")
    return out


class ContactWorld(Owner):
    """The bodies of a scene, what touches, and what is remembered of it from cycle to cycle. One thread at a time.

    >>> import berth
    >>> world = berth.ContactWorld(berth.Scene.load("build/models/touch/cell.yaml"))
    >>> answer = world.cycle()
    >>> answer.verdict, len(answer.contacts) > 0
    ('collision', True)
    """

    _what = "ContactWorld"

    def __init__(
        self,
        scene: Scene,
        *,
        method: Literal["overlap", "manifold", "elemental"] = "overlap",
        memory: bool = True,
        points: Optional[int] = None,
        pieces: Optional[int] = None,
        skip_allowed: bool = False,
        driven: Optional[str] = None,
    ) -> None:
        """`points`: most that two convex pieces keep, 0 for all. `pieces`: most that a mesh is cut into; touching one that
        takes more is unknown. `skip_allowed`: pairs that may touch are left out. `driven`: a body
        that will be moved by move()."""
        super().__init__()
        definition = ffi.new("BerthContactDef*", lib.berth_default_contact_def())
        definition.method, definition.memory = choose("method", method, METHODS), memory
        if points is not None:
            definition.points = points
        if pieces is not None:
            definition.pieces = pieces
        pointer = scene._built()
        self._edits = scene._edits
        if driven is not None:
            definition.driven = find_body(pointer, driven)
        out = ffi.new("BerthContactWorld**")
        with scene._asking():
            check(lib.berth_contact_from_scene(pointer, definition, skip_allowed, out))
        self._pointer = own(out[0], "berth_contact_destroy", pointer)
        self._bodies, self._scene_pointer = scene.bodies, pointer
        self._value_count = scene.value_count
        self.scene = scene
        self._assumed = assumed_list(self._pointer, lib.berth_contact_assumed_count, lib.berth_contact_assumed)
        self._declared = assumed_list(self._pointer, lib.berth_contact_declared_count, lib.berth_contact_declared)
        if self._value_count:
            self.place(scene.state)

    def place(self, state: ArrayLike, dt: float = 0.0) -> None:
        """Puts links and what they hold where this state has them. With `dt` their speeds are taken from where they were before.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> world = berth.ContactWorld(scene, skip_allowed=True)
        >>> world.place(scene.make_state("left/joint1=0.2"))
        >>> world.cycle().free
        True
        """
        values = vector(state, self._value_count, "state")
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            check(lib.berth_contact_place(world, doubles(values), scalar(dt, "dt")))

    def move(
        self,
        body: str,
        pose: PoseLike,
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        """Puts a body at a pose, with the velocity of its centroid and its spin.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> world.move("cube", [0, 0, 0.5], velocity=(0, 0, 1))
        >>> world.cycle().free
        True
        """
        speeds = ffi.new("BerthVec3*", vec3(velocity, "velocity")), ffi.new("BerthVec3*", vec3(spin, "spin"))
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            number = find_body(self._scene_pointer, body)
            check(lib.berth_contact_move(world, number, c_pose(pose, "pose"), *speeds))

    def cycle(self) -> ContactAnswer:
        """Contacts and forces of where the bodies are now.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> world.cycle().wrenches["cube"].force[2] > 0
        True
        """
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            result = ffi.new("BerthContactResult*")
            check(lib.berth_contact_cycle(world, result))
            return self._answer(result)

    def step(self, dt: float) -> ContactAnswer:
        """One cycle, then free bodies move for `dt` seconds under its forces and gravity.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> for _ in range(20):
        ...     answer = world.step(0.0005)
        >>> answer.verdict, abs(world.body("cube").velocity[2]) < 0.1
        ('collision', True)
        """
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            result = ffi.new("BerthContactResult*")
            check(lib.berth_contact_step(world, scalar(dt, "dt"), result))
            return self._answer(result)

    def substeps(self, dt: float) -> int:
        """How many substeps step() makes of `dt`; 0: the springs are too stiff for it, and step() refuses.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> world.substeps(0.0005) >= 1
        True
        """
        with self._use() as world:
            return int(lib.berth_contact_substeps(world, scalar(dt, "dt")))

    def body(self, name: str) -> ContactBody:
        """A body as it is now.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> world.body("cube").mass, world.body("cube").pieces
        (1.0, 1)
        """
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            out = ffi.new("BerthContactBody*")
            check(lib.berth_contact_body(world, find_body(self._scene_pointer, name), out))
            return ContactBody(name, matrix_of(out.world_from_body), point_of(out.velocity), point_of(out.spin), out.mass, out.energy,
                               out.piece_count)

    def lead(self, body: str, pose: PoseLike, dt: float = 0.0) -> None:
        """Puts a body at a pose; with `dt` its velocity and spin are those that took it there from where it was.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("hand", (0.1, 0.1, 0.1), pose=[0, 0, 0.2])
        >>> world = berth.ContactWorld(scene, driven="hand")
        >>> world.lead("hand", [0, 0, 0.3], dt=0.1)
        >>> round(world.body("hand").velocity[2], 9)
        1.0
        """
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            number = find_body(self._scene_pointer, body)
            check(lib.berth_contact_lead(world, number, c_pose(pose, "pose"), scalar(dt, "dt")))

    def follow(self, body: str, target: PoseLike) -> Follow:
        """Moves a driven body towards a pose, but not into what it touches: it stops at surfaces, slides and gives way.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("hand", (0.1, 0.1, 0.1), pose=[0, 0, 0.2])
        >>> world = berth.ContactWorld(scene, driven="hand")
        >>> held = world.follow("hand", [0, 0, 0.04])
        >>> held.blocked, round(held.lag, 3)
        (True, 0.01)
        """
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            number, out = find_body(self._scene_pointer, body), ffi.new("BerthFollow*")
            check(lib.berth_contact_follow(world, number, c_pose(target, "target"), out))
            return Follow(matrix_of(out.world_from_body), out.lag, out.depth, bool(out.blocked), point_of(out.behind),
                          point_of(out.turned))

    def couple(
        self,
        body: str,
        now: Follow,
        before: Optional[Follow] = None,
        dt: float = 0.0,
        *,
        stiffness: float = 1000.0,
        damping: float = 5.0,
        radius: float = 0.0,
    ) -> Wrench:
        """What a hand feels that leads a follower by a spring (N/m) and a damper (N s/m, with `before`, `dt` seconds earlier).
        `radius`: the lever of turning, 0: the follower's ball.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("hand", (0.1, 0.1, 0.1), pose=[0, 0, 0.2])
        >>> world = berth.ContactWorld(scene, driven="hand")
        >>> held = world.follow("hand", [0, 0, 0.04])
        >>> round(world.couple("hand", held, stiffness=1000).force[2])
        10
        """
        coupling = ffi.new("BerthCoupling*", {"stiffness": scalar(stiffness, "stiffness"), "damping": scalar(damping, "damping"),
                                              "radius": scalar(radius, "radius")})
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            number, out = find_body(self._scene_pointer, body), ffi.new("BerthWrench*")
            earlier = ffi.NULL if before is None else _c_follow(before)
            check(lib.berth_contact_couple(world, number, coupling, _c_follow(now), earlier, scalar(dt, "dt"), out))
            return Wrench(point_of(out.force), point_of(out.moment))

    def forget(self) -> None:
        """Forgets earlier contacts.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
        >>> scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.0499], mass=1.0)
        >>> world = berth.ContactWorld(scene)
        >>> first, second = world.cycle().contacts[0].age, world.cycle().contacts[0].age
        >>> world.forget()
        >>> second > first, world.cycle().contacts[0].age == first
        (True, True)
        """
        with self._use() as world:
            lib.berth_contact_forget(world)

    def _answer(self, result: Any) -> ContactAnswer:
        names = self._bodies
        contacts = tuple(
            Contact(
                names[c.body_a],
                names[c.body_b],
                Feature(FEATURES[c.feature_a.kind], c.piece_a, c.feature_a.index),
                Feature(FEATURES[c.feature_b.kind], c.piece_b, c.feature_b.index),
                point_of(c.point),
                point_of(c.normal),
                c.depth,
                point_of(c.force),
                c.age,
            )
            for c in (result.contacts[i] for i in range(result.contact_count))
        )
        wrenches = {}
        for i in range(result.wrench_count):
            wrench = Wrench(point_of(result.wrenches[i].force), point_of(result.wrenches[i].moment))
            if any(wrench.force) or any(wrench.moment):
                wrenches[names[i]] = wrench
        unknown = tuple(
            UnknownPair(names[u.body_a], names[u.body_b], DOUBTS[u.doubt], u.touching)
            for u in (result.unknown[i] for i in range(result.unknown_pairs))
        )
        return ContactAnswer(
            VERDICTS[result.verdict],
            REASONS[result.reason],
            contacts,
            wrenches,
            unknown,
            self._assumed,
            self._declared,
        )
