# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Contact: which features of bodies touch, where, how deep, with what force and moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Optional

from berth._abi import ffi
from berth._answers import REASONS, VERDICTS, Answer, Assumed, Reason, Verdict, assumed_list
from berth._arrays import ArrayLike, Point, PoseLike, c_pose, doubles, point_of, scalar, vec3, vector
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
        skip_allowed: bool = False,
        driven: Optional[str] = None,
    ) -> None:
        """`points`: most that two convex pieces keep, 0 for all. `skip_allowed`: pairs that may touch are left out. `driven`: a body
        that will be moved by move()."""
        super().__init__()
        definition = ffi.new("BerthContactDef*", lib.berth_default_contact_def())
        definition.method, definition.memory = choose("method", method, METHODS), memory
        if points is not None:
            definition.points = points
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
        """Puts links and what they hold where this state has them. With `dt` their speeds are taken from where they were before."""
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
        """Puts a body at a pose, with the velocity of its centroid and its spin."""
        speeds = ffi.new("BerthVec3*", vec3(velocity, "velocity")), ffi.new("BerthVec3*", vec3(spin, "spin"))
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            number = find_body(self._scene_pointer, body)
            check(lib.berth_contact_move(world, number, c_pose(pose, "pose"), *speeds))

    def cycle(self) -> ContactAnswer:
        """Contacts and forces of where the bodies are now."""
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            result = ffi.new("BerthContactResult*")
            check(lib.berth_contact_cycle(world, result))
            return self._answer(result)

    def step(self, dt: float) -> ContactAnswer:
        """One cycle, then free bodies move for `dt` seconds under its forces and gravity."""
        with self._use() as world, self.scene._asking_unedited(self._edits, self._what):
            result = ffi.new("BerthContactResult*")
            check(lib.berth_contact_step(world, scalar(dt, "dt"), result))
            return self._answer(result)

    def forget(self) -> None:
        """Forgets earlier contacts."""
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
