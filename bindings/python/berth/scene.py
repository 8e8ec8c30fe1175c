# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Scenes: robots, objects, what may touch what."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from berth._answers import Assumed, assumed_list
from berth._arrays import (
    ArrayLike,
    Floats,
    PoseLike,
    c_pose,
    doubles,
    from_doubles,
    matrix_of,
    scalar,
    vector,
)
from berth._files import Packages, PathLike, Reading
from berth._abi import ffi
from berth._library import BerthError, BerthStaleError, Owner, Status, Token, c_path, c_text, check, choose, lib, own, raise_value, text_of
from berth.robot import Robot, open_robot
from berth.shape import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Points, Shape, Sphere, solid_of

if TYPE_CHECKING:
    from berth.field import Map


@dataclass(frozen=True)
class Person:
    """A person: protective separation applies."""

    speed: float = 1.6  #: metres per second, at most
    intrusion: float = 0.0  #: metres that a person may reach in before being detected
    uncertainty: float = 0.0  #: metres that its position may be off


@dataclass(frozen=True)
class Safety:
    """What the monitor needs to know about its surroundings; seconds and metres."""

    period: float  #: of its cycle
    latency: float  #: age of a message when it arrives, at most
    reaction: float  #: from a stop being asked to braking, at most
    silence: float  #: longest time without a message
    margin: float  #: distance that must remain
    hysteresis: float = 0.002  #: so much further apart everything must be for a permit after a stop for nearness
    noise: float = 0.0  #: radian, and metre of what slides, that a reported position may be off because of noise
    drift: float = 0.0  #: seconds a second that a sender's clock may run slower or faster; 0: 1e-4


@dataclass(frozen=True)
class Material:
    """How a surface answers touch."""

    stiffness: float = 1.0e4  #: N/m of a point; 0: the foundation under 10 cm2
    damping: float = 50.0  #: N s/m
    viscosity: float = 5.0  #: N s/m, along the surface
    friction: float = 0.5  #: coefficient
    foundation: float = 0.0  #: N/m3; 0: the stiffness over 10 cm2


@dataclass(frozen=True, eq=False)
class SceneObject:
    """An object of a scene as it is."""

    name: str
    pose: Floats  #: 4x4, in the world; in the link's frame when it is attached
    attach: Optional[str]  #: the link that it moves with
    source: str  #: where it came from: a file, or "box"
    parts: int  #: bodies that it is made of
    radius: float  #: metres around all of it
    mass: float  #: kg; 0: not given
    moving: bool  #: may move on its own
    person: bool  #: protective separation applies
    speed: float  #: metres per second, at most


class Scene(Owner):
    """Robots, objects and what may touch. Edit it between questions; checkers made before an edit are stale after it.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
    >>> scene.robots["left"].name
    'arm'
    >>> empty = berth.Scene()
    >>> empty.add_box("table", (1.2, 0.8, 0.05), pose=berth.pose([0.6, 0, 0.4]))
    >>> empty.objects["table"].source
    'box'
    """

    _what = "Scene"

    def __init__(self) -> None:
        """An empty scene: add robots and objects."""
        super().__init__()
        out = ffi.new("BerthScene**")
        check(lib.berth_scene_create(ffi.NULL, out))
        self._begin(out[0], committed=False)

    def _begin(self, pointer: Any, committed: bool) -> None:
        self._files: list[Any] = []  # what was read for it
        self._borrowed: list[Any] = []  # robots that it does not own: they live as long as C has it
        self._pointer = own(pointer, "berth_scene_destroy", self._borrowed)
        self._guard = threading.Lock()
        self._askers: weakref.WeakSet[Token] = weakref.WeakSet()  # queries that run now
        self._committed = committed
        self._edits = 0
        #: what was found odd while it was read
        self.warnings: tuple[str, ...] = ()

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        packages: Optional[Packages] = None,
        srdf: Optional[PathLike] = None,
        robot: Optional[PathLike] = None,
        spheres_only: bool = False,
        prove: bool = False,
    ) -> "Scene":
        """Reads a .yaml scene, a bare .urdf (with its `srdf`), a MoveIt .scene or a MotionBenchMaker scene (with its `robot`).

        What is odd becomes a BerthWarning. `spheres_only`: robots are asked as spheres that are proven to cover them.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.value_count, list(scene.robots)
        (14, ['left', 'right'])
        """
        reading = Reading(packages, srdf, robot, spheres_only, prove)
        files = reading.keep_files()
        out = ffi.new("BerthScene**")
        found = reading.call(lib.berth_io_read_scene, c_path(path), reading.options, out)
        made = cls.__new__(cls)
        Owner.__init__(made)
        made._begin(out[0], committed=True)
        made._files.append(files)
        made.warnings = found
        return made

    # ---- editing and asking --------------------------------------------------------------------------------------------

    @contextmanager
    def _editing(self) -> Iterator[Any]:
        """The C pointer, for a change while nobody asks."""
        with self._guard:
            if len(self._askers) > 0:
                raise BerthError("the scene is being asked by another thread: edit it when that is over", Status.ARGUMENT)
            self._committed = False
            self._edits += 1
            yield self._open()

    @contextmanager
    def _asking(self) -> Iterator[Any]:
        """The C pointer, while nobody changes it."""
        token = Token()
        with self._guard:
            self._askers.add(token)
        try:
            yield self._open()
        finally:
            with self._guard:
                self._askers.discard(token)

    @contextmanager
    def _asking_unedited(self, edits: int, what: str) -> Iterator[Any]:
        """The same for what borrows the scene's bodies and does not notice that they changed."""
        with self._asking() as scene:
            if edits != self._edits:
                raise BerthStaleError(f"this {what} is stale: its scene was edited since. Make a new one", Status.STALE)
            yield scene

    def commit(self) -> None:
        """Builds the lists of bodies and pairs. Whoever needs them calls this by itself; calling it shows an error early.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_sphere("ball", 0.1)
        >>> scene.commit()
        >>> scene.bodies
        ('ball',)
        """
        if self._committed:
            return
        with self._editing() as scene:
            check(lib.berth_scene_commit(scene))
        self._committed = True

    def _built(self) -> Any:
        """The C pointer of a committed scene."""
        self.commit()
        return self._open()

    # ---- robots --------------------------------------------------------------------------------------------------------

    def add_robot(
        self,
        robot: Robot,
        name: str = "",
        *,
        base: Optional[PoseLike] = None,
        state: Optional[ArrayLike] = None,
        padding: float = 0.0,
    ) -> None:
        """Adds a robot; only a single one may have no name. `padding` is added all round it, against everything but itself.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_robot(berth.Robot.load("build/models/two_arms/arm.urdf"), base=[0, 0, 0.5])
        >>> scene.value_names[0]
        'joint1'
        """
        pointer = open_robot(robot)
        definition = ffi.new("BerthSceneRobotDef*", lib.berth_default_scene_robot_def())
        text = c_text(name, "name")
        definition.name, definition.robot, definition.own = text, pointer, False
        definition.world_from_base = c_pose(base, "base")[0]
        definition.padding = scalar(padding, "padding")
        if state is not None:
            values = vector(state, robot.value_count, "state")
            definition.values = doubles(values)
        with self._editing() as scene:
            check(lib.berth_scene_add_robot(scene, definition, ffi.NULL))
            self._borrowed.append(pointer)
            self._files.extend(robot._files)

    @property
    def robots(self) -> dict[str, Robot]:
        """The robots by name ("" for a single one without a name), in order."""
        scene = self._open()
        found = {}
        for i in range(lib.berth_scene_robot_count(scene)):
            name = ffi.new("char**")
            pointer = lib.berth_scene_robot(scene, i, name, ffi.NULL)
            # It belongs to the scene, which must live as long as somebody has it.
            found[text_of(name[0])] = Robot(ffi.gc(ffi.cast("BerthRobot*", pointer), lambda dead, scene=scene: None))
        return found

    def set_base(self, robot: str, base: PoseLike) -> None:
        """Moves a robot's base.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.set_base("left", [0, 0, 5])
        >>> root = "left/" + scene.robots["left"].links[0]
        >>> scene.link_poses()[root][2, 3]
        5.0
        """
        names = list(self.robots)
        if robot not in names:
            raise_value(f"the scene has no robot '{robot}'; there are: {', '.join(names)}")
        with self._editing() as scene:
            check(lib.berth_scene_set_base(scene, names.index(robot), c_pose(base, "base")))

    # ---- objects -------------------------------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        shape: Shape,
        *,
        pose: Optional[PoseLike] = None,
        attach: Optional[str] = None,
        touch: Sequence[str] = (),
        mass: float = 0.0,
        moving: Optional[float] = None,
        person: Optional[Person] = None,
    ) -> None:
        """Adds an object of one shape; add_part gives it more.

        `pose` is in the world, or with `attach` in the frame of that link, with which it then moves; `touch` names the bodies that
        it may touch. `moving`: it may move on its own, at most so fast (metres per second).

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add("ball", berth.Sphere(0.2), pose=[0, 0, 1], moving=0.5)
        >>> scene.objects["ball"].speed
        0.5
        """
        definition = ffi.new("BerthObjectDef*", lib.berth_default_object_def())
        kept = self._fill_object(definition, name, pose, attach, touch, mass, moving, person)
        definition.radius = scalar(shape.radius, "radius") if isinstance(shape, Points) else 0.0
        kept.append(c_text(type(shape).__name__.lower(), "source"))
        definition.source = kept[-1]
        solid = solid_of(shape)
        definition.solid = solid
        try:
            with self._editing() as scene:
                solid = None  # taken, also on failure
                check(lib.berth_scene_add_object(scene, definition, ffi.NULL))
        finally:
            if solid is not None:
                lib.berth_solid_destroy(solid)

    def _fill_object(
        self,
        definition: Any,
        name: str,
        pose: Optional[PoseLike],
        attach: Optional[str],
        touch: Sequence[str],
        mass: float,
        moving: Optional[float],
        person: Optional[Person],
    ) -> list[Any]:
        """Fills a BerthObjectDef; returns what it points to."""
        kept = [c_text(name, "name")]
        definition.name = kept[0]
        definition.pose = c_pose(pose, f"pose of '{name}'")[0]
        definition.mass = scalar(mass, "mass")
        if attach is not None:
            kept.append(c_text(attach, "attach"))
            definition.attach = kept[-1]
        if isinstance(touch, str):
            raise_value(f"touch is the text {touch!r}; a list of names is expected")
        names = [c_text(body, "touch") for body in touch]
        if names:
            kept += names
            kept.append(ffi.new("char*[]", names))
            definition.touch, definition.touch_count = kept[-1], len(names)
        if moving is not None:
            definition.moving, definition.speed = True, scalar(moving, "moving")
        if person is not None:
            if moving is not None:
                raise_value("an object is moving or a person, not both: a person has a speed of its own")
            definition.person, definition.speed = True, scalar(person.speed, "speed")
            definition.intrusion = scalar(person.intrusion, "intrusion")
            definition.uncertainty = scalar(person.uncertainty, "uncertainty")
        return kept

    def add_box(self, name: str, size: ArrayLike, **options: Any) -> None:
        """A box by its full sizes, centred at its pose. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_box("box", (0.4, 0.3, 0.2), pose=berth.pose([0, 0, 1], rpy=[0, 0, 0.5]))
        >>> scene.objects["box"].source
        'box'
        """
        self.add(name, Box(size), **options)

    def add_sphere(self, name: str, radius: float, **options: Any) -> None:
        """A ball. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_sphere("sphere", 0.1, pose=[0, 0, 1])
        >>> scene.objects["sphere"].source
        'sphere'
        """
        self.add(name, Sphere(radius), **options)

    def add_capsule(self, name: str, radius: float, length: float, **options: Any) -> None:
        """A capsule along its z axis. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_capsule("capsule", 0.1, 0.5)
        >>> scene.objects["capsule"].source
        'capsule'
        """
        self.add(name, Capsule(radius, length), **options)

    def add_cylinder(self, name: str, radius: float, length: float, **options: Any) -> None:
        """A cylinder along its z axis. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_cylinder("cylinder", 0.1, 0.5)
        >>> scene.objects["cylinder"].source
        'cylinder'
        """
        self.add(name, Cylinder(radius, length), **options)

    def add_cone(self, name: str, radius: float, length: float, **options: Any) -> None:
        """A cone along its z axis, centred, tip at +z. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_cone("cone", 0.1, 0.5)
        >>> scene.objects["cone"].source
        'cone'
        """
        self.add(name, Cone(radius, length), **options)

    def add_halfspace(self, name: str, normal: ArrayLike, offset: float = 0.0, **options: Any) -> None:
        """Solid where normal . x <= offset. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_halfspace("halfspace", (0, 0, 1), 0.0)
        >>> scene.objects["halfspace"].source
        'halfspace'
        """
        self.add(name, HalfSpace(normal, offset), **options)

    def add_mesh(self, name: str, mesh: Union[Mesh, PathLike], **options: Any) -> None:
        """A mesh, or a file of one. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_mesh("mesh", "build/models/arm6/base.stl")
        >>> scene.objects["mesh"].source
        'mesh'
        """
        self.add(name, mesh if isinstance(mesh, Mesh) else Mesh.load(mesh), **options)

    def add_points(self, name: str, points: Any, radius: float = 0.0, **options: Any) -> None:
        """Points that a sensor saw, shape (n, 3), each with a radius. Options as for add.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_points("points", [[0, 0, 1], [0, 0.1, 1]], radius=0.01)
        >>> scene.objects["points"].source
        'points'
        """
        self.add(name, Points(points, radius), **options)

    def add_map(
        self,
        name: str,
        space: "Map",
        *,
        height: Optional[ArrayLike] = None,
        outside: str = "occupied",
        **options: Any,
    ) -> None:
        """The obstacles of a map: occupied cells, unknown ones too unless it takes them as free. `height` is from where to where walls
        of a map of the plane reach; `outside` what counts outside of it, "occupied" or "free". Options as for add.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> scene = berth.Scene()
        >>> scene.add_map("room", space, outside="free")
        >>> scene.objects["room"].source
        'map'
        """
        definition = ffi.new("BerthObjectDef*", lib.berth_default_object_def())
        named: dict[str, Any] = {"pose": None, "attach": None, "touch": (), "mass": 0.0, "moving": None, "person": None}
        unknown = set(options) - set(named)
        if unknown:
            raise_value(f"add_map has no option {', '.join(sorted(unknown))}; there are: {', '.join(named)}")
        kept = self._fill_object(definition, name, **{**named, **options})
        kept.append(c_text("map", "source"))
        definition.source = kept[-1]
        choice = _map_definition(space, height, outside)
        with self._editing() as scene:
            check(lib.berth_scene_add_map(scene, definition, space._open(), choice, ffi.NULL))

    def set_map(
        self, name: str, space: "Map", *, height: Optional[ArrayLike] = None, outside: str = "occupied"
    ) -> None:
        """An object that is a map gets the obstacles of another one, or of its own after Map.update; its place and what it may touch
        stay. `height` and `outside` as for add_map.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> scene = berth.Scene()
        >>> scene.add_map("room", space)
        >>> space.update([[0, 0, 0]], "occupied")
        >>> scene.set_map("room", space)
        """
        choice = _map_definition(space, height, outside)
        with self._editing() as scene:
            check(lib.berth_scene_set_map(scene, self._id(name), space._open(), choice))

    def add_part(self, name: str, shape: Shape, *, pose: Optional[PoseLike] = None) -> None:
        """One more body that belongs to the object and moves with it; `pose` is in the object's frame.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_sphere("pair", 0.1)
        >>> scene.add_part("pair", berth.Sphere(0.1), pose=[0.3, 0, 0])
        >>> scene.objects["pair"].parts
        2
        """
        if isinstance(shape, Points) and shape.radius != 0.0:
            raise_value("points of a part have no radius of their own: the object's counts")
        where = c_pose(pose, "pose")
        solid = solid_of(shape)
        try:
            with self._editing() as scene:
                found = self._id(name)
                part, solid = solid, None  # taken, also on failure
                check(lib.berth_scene_add_part(scene, found, where, part))
        finally:
            if solid is not None:
                lib.berth_solid_destroy(solid)

    def _id(self, name: str) -> Any:
        found = lib.berth_scene_find_object(self._open(), c_text(name, "an object's name"))
        if found.slot == 0 and found.age == 0:
            raise_value(f"the scene has no object '{name}'")
        return found

    def remove(self, name: str) -> None:
        """Takes an object out.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_sphere("ball", 0.1)
        >>> scene.remove("ball")
        >>> scene.objects
        {}
        """
        with self._editing() as scene:
            check(lib.berth_scene_remove_object(scene, self._id(name)))

    def move(self, name: str, pose: PoseLike) -> None:
        """Puts an object there: in the world, or in its link's frame when it is attached.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.add_sphere("ball", 0.1)
        >>> scene.move("ball", [0, 0, 2])
        >>> scene.objects["ball"].pose[2, 3]
        2.0
        """
        with self._editing() as scene:
            check(lib.berth_scene_set_object_pose(scene, self._id(name), c_pose(pose, f"pose of '{name}'")))

    def attach(self, name: str, link: str, pose: Optional[PoseLike] = None, touch: Sequence[str] = ()) -> None:
        """The object moves with that link from now on; `pose` is in the link's frame, `touch` names what it may touch there.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.add_box("tool", (0.02, 0.02, 0.1), pose=[0, 0, 9])
        >>> scene.attach("tool", "left/link7", pose=[0, 0, 0.3], touch=["left/link6"])
        >>> scene.objects["tool"].attach
        'left/link7'
        """
        with self._editing() as scene:
            found = self._id(name)
            check(lib.berth_scene_attach(scene, found, c_text(link, "link"), c_pose(pose, f"pose of '{name}'")))
            for body in touch:
                check(lib.berth_scene_touch(scene, found, c_text(body, "touch")))

    def detach(self, name: str, pose: PoseLike) -> None:
        """It stays there, in the world, and may touch nothing any more.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.add_box("tool", (0.02, 0.02, 0.1), attach="left/link7", pose=[0, 0, 0.3])
        >>> scene.detach("tool", [0, 0, 9])
        >>> scene.objects["tool"].attach is None
        True
        """
        with self._editing() as scene:
            check(lib.berth_scene_detach(scene, self._id(name), c_pose(pose, f"pose of '{name}'")))

    def allow(self, body_a: str, body_b: str) -> None:
        """These two may touch. Bodies are named "link", "robot/link" or by an object's name.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.add_box("pad", (0.2, 0.2, 0.2), pose=scene.link_poses()["left/link7"][:3, 3])
        >>> berth.Checker(scene).check(scene.state).verdict
        'collision'
        >>> hits = berth.Checker(scene).check(scene.state, all=True).hits
        >>> for hit in hits:
        ...     scene.allow(hit.a, hit.b)
        >>> berth.Checker(scene).check(scene.state).verdict
        'free'
        """
        with self._editing() as scene:
            check(lib.berth_scene_allow(scene, c_text(body_a, "a body"), c_text(body_b, "a body")))

    @property
    def objects(self) -> dict[str, SceneObject]:
        """The objects by name."""
        scene = self._open()
        robots = list(self.robots.items())
        found = {}
        for i in range(lib.berth_scene_object_count(scene)):
            info = ffi.new("BerthObjectInfo*")
            check(lib.berth_scene_object(scene, lib.berth_scene_object_at(scene, i), info))
            link = None
            if info.robot >= 0:
                robot, model = robots[info.robot]
                link = model.links[info.link] if len(robots) == 1 else f"{robot}/{model.links[info.link]}"
            name = text_of(info.name)
            found[name] = SceneObject(
                name,
                matrix_of(info.pose),
                link,
                text_of(info.source),
                info.part_count,
                info.radius,
                info.mass,
                info.moving,
                info.person,
                info.speed,
            )
        return found

    # ---- states --------------------------------------------------------------------------------------------------------

    @property
    def value_count(self) -> int:
        """Numbers of a state: all robots', one after the other."""
        return int(lib.berth_scene_value_count(self._open()))

    @property
    def value_names(self) -> tuple[str, ...]:
        """The names of a state's values, in order: "joint", or "robot/joint" when there are several robots."""
        scene = self._open()
        text = ffi.new("char[]", 512)
        found = []
        for i in range(lib.berth_scene_value_count(scene)):
            lib.berth_scene_value_name(scene, i, text, 512)
            found.append(text_of(text))
        return tuple(found)

    @property
    def limits(self) -> Floats:
        """The least and the largest of every value, shape (values, 2); infinite where there is no limit."""
        parts = [robot.limits for robot in self.robots.values()]
        return np.concatenate(parts) if parts else np.empty((0, 2))

    @property
    def state(self) -> Floats:
        """The scene's own state, a copy. Setting it needs no new checkers: they are asked about states of their own."""
        scene = self._open()
        return np.array(from_doubles(lib.berth_scene_values(scene), (lib.berth_scene_value_count(scene),)))

    @state.setter
    def state(self, values: ArrayLike) -> None:
        array = vector(values, self.value_count, "state")
        with self._guard:
            check(lib.berth_scene_set_values(self._open(), doubles(array)))

    def make_state(self, text: str = "", *, named: Union[str, Sequence[str]] = (), **values: float) -> Floats:
        """The scene's state with changes: named states ("home", "left/home"), then "joint1=0.1,joint2=-0.5", then keywords.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/arm6/cell.yaml")
        >>> scene.make_state("joint1=0.5")[0]
        0.5
        """
        out = self.state
        for name in [named] if isinstance(named, str) else named:
            self._write_named(name, out)
        parts = [part for part in (text, ",".join(f"{key}={value!r}" for key, value in values.items())) if part]
        if parts:
            check(lib.berth_io_parse_state(c_text(",".join(parts), "a state"), self._open(), doubles(out)))
        return out

    def _write_named(self, name: str, out: Floats) -> None:
        """The whole name, for every robot that knows it; else ROBOT/NAME. As the command's --state has it."""
        robots = self.robots
        for whole in (True, False):
            first, found = 0, False
            for robot, model in robots.items():
                prefix = "" if whole else robot + "/"
                part = np.ascontiguousarray(out[first : first + model.value_count])
                if name.startswith(prefix) and prefix != "/":
                    inner = c_text(name[len(prefix) :], "a state")
                    if lib.berth_robot_named_state(model._open(), inner, doubles(part)) == 0:
                        out[first : first + model.value_count] = part
                        found = True
                first += model.value_count
            if found:
                return
        known = [f"{robot}/{state}" if len(robots) > 1 else state for robot, m in robots.items() for state in m.state_names]
        raise_value(f"no robot has a state '{name}'; there are: {', '.join(known) or 'none'}")

    def random_states(self, count: int, seed: int = 0) -> Floats:
        """States that are even within joint limits, from -pi to pi where a joint has none; floating and planar joints keep the scene's.
        The same seed gives the same states.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.random_states(1000, seed=1).shape
        (1000, 14)
        """
        random = np.random.default_rng(seed)
        out = np.tile(self.state, (count, 1))
        first = 0
        for robot in self.robots.values():
            for joint in robot.joints:
                if joint.value_count == 1:
                    low, high = joint.limits if joint.limits is not None else (-np.pi, np.pi)
                    out[:, first + joint.first_value] = random.uniform(low, high, count)
            first += robot.value_count
        return out

    def outside_limits(self, state: ArrayLike) -> int:
        """How many values are outside their joint limits; raises for what is no state.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.outside_limits(scene.state), scene.outside_limits(scene.limits[:, 1] + 0.1)
        (0, 14)
        """
        values = vector(state, self.value_count, "state")
        return self._count_outside(self._open(), doubles(values))

    def _count_outside(self, scene: Any, values: Any) -> int:
        outside = ffi.new("int32_t*")
        check(lib.berth_scene_check_values(scene, values, outside, ffi.NULL))
        return int(outside[0])

    def link_poses(self, state: Optional[ArrayLike] = None) -> dict[str, Floats]:
        """Where every link is, in the world, as 4x4 matrices by the names that answers use.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.link_poses()["right/link7"].shape
        (4, 4)
        """
        values = self.state if state is None else vector(state, self.value_count, "state")
        scene = self._open()
        robots = self.robots
        found: dict[str, Floats] = {}
        first = 0
        for i, (name, robot) in enumerate(robots.items()):
            base = ffi.new("BerthPose*")
            lib.berth_scene_robot(scene, i, ffi.NULL, base)
            own_values = values[first : first + robot.value_count]
            for link, pose in robot.link_poses(own_values, matrix_of(base[0])).items():
                found[f"{name}/{link}" if len(robots) > 1 else link] = pose
            first += robot.value_count
        return found

    # ---- what is in it -------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of all bodies: links with geometry, and objects."""
        scene = self._built()
        count = lib.berth_scene_body_count(scene)
        return tuple(text_of(lib.berth_scene_body_name(scene, i)) for i in range(count))

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of bodies that are checked, or proven apart."""
        scene, names = self._built(), self.bodies
        a, b = ffi.new("int32_t*"), ffi.new("int32_t*")
        found = []
        for i in range(lib.berth_scene_pair_count(scene)):
            lib.berth_scene_pair(scene, i, a, b)
            found.append((names[a[0]], names[b[0]]))
        return tuple(found)

    @property
    def assumed(self) -> tuple[Assumed, ...]:
        """What every answer about this scene takes without proof."""
        return assumed_list(self._built(), lib.berth_scene_assumed_count, lib.berth_scene_assumed)

    @property
    def declared(self) -> tuple[Assumed, ...]:
        """Pairs that are not checked because they are meant to touch."""
        return assumed_list(self._built(), lib.berth_scene_declared_count, lib.berth_scene_declared)

    # ---- for the monitor and for contact -------------------------------------------------------------------------------

    @property
    def safety(self) -> Optional[Safety]:
        """What the monitor needs to know; None when it was not set."""
        out = ffi.new("BerthSafety*")
        if not lib.berth_scene_safety(self._open(), out):
            return None
        return Safety(*(getattr(out, name) for name in Safety.__dataclass_fields__))

    @safety.setter
    def safety(self, safety: Safety) -> None:
        values = {name: scalar(getattr(safety, name), name) for name in Safety.__dataclass_fields__}
        with self._guard:
            check(lib.berth_scene_set_safety(self._open(), ffi.new("BerthSafety*", values)))

    def set_material(self, name: str, material: Material) -> None:
        """How a surface answers touch: "default", a body's name, or "a+b" for a pair.

        >>> import berth
        >>> scene = berth.Scene()
        >>> scene.set_material("default", berth.Material(stiffness=2e4, friction=0.3))
        """
        values = {key: scalar(getattr(material, key), key) for key in Material.__dataclass_fields__}
        with self._guard:
            check(lib.berth_scene_set_material(self._open(), c_text(name, "name"), ffi.new("BerthMaterial*", values)))

    def set_joint_limit(
        self, joint: str, *, velocity: float = 0.0, acceleration: float = 0.0, deceleration: float = 0.0
    ) -> None:
        """How fast a joint ("joint" or "robot/joint") may go and change its speed; 0: not given.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> scene.set_joint_limit("left/joint1", velocity=1.0, acceleration=4.0, deceleration=8.0)
        """
        robots = self.robots
        for i, (name, robot) in enumerate(robots.items()):
            inner = joint[len(name) + 1 :] if name and joint.startswith(name + "/") else joint if len(robots) == 1 else None
            names = [each.name for each in robot.joints]
            if inner in names:
                limit = {
                    "velocity": scalar(velocity, "velocity"),
                    "acceleration": scalar(acceleration, "acceleration"),
                    "deceleration": scalar(deceleration, "deceleration"),
                }
                with self._guard:
                    check(
                        lib.berth_scene_set_joint_limit(
                            self._open(), i, names.index(inner), ffi.new("BerthJointLimit*", limit)
                        )
                    )
                return
        raise_value(f"the scene has no joint '{joint}'")

    def __repr__(self) -> str:
        if self._pointer == ffi.NULL:
            return "<berth.Scene, closed>"
        robots = ", ".join(name or robot.name for name, robot in self.robots.items())
        return f"<berth.Scene, robots: {robots or 'none'}; {lib.berth_scene_object_count(self._open())} objects>"


def _map_definition(space: "Map", height: Optional[ArrayLike], outside: str) -> Any:
    """How a map becomes an object."""
    choice = ffi.new("BerthMapDef*", lib.berth_default_map_def())
    choice.outside_is_free = choose("outside", outside, {"occupied": 0, "free": 1}) == 1
    choice.unseen_is_free, choice.from_open_meshes = space._unseen, space._open_meshes
    if height is not None:
        choice.height = list(vector(height, 2, "height"))
    return choice
