# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Robots: links, joints, kinematics. Constant once read; share them between threads and scenes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from berth._arrays import ArrayLike, Floats, PoseLike, c_pose, doubles, matrix_of, vec3, vector
from berth._files import Packages, PathLike, Reading
from berth._abi import ffi
from berth._library import BerthStaleError, Status, c_path, c_text, check, lib, own, raise_value, text_of

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
PAIR_RULES = ("checked", "no_geometry", "rigid", "adjacent", "always_overlap", "disabled", "proven")


@dataclass(frozen=True)
class Joint:
    """One joint."""

    name: str  #: as in the URDF
    type: str  #: "fixed", "revolute", "continuous", "prismatic", "floating" or "planar"
    parent: str  #: link
    child: str  #: link
    axis: tuple[float, float, float]  #: unit, in the joint's frame
    limits: Optional[tuple[float, float]]  #: radian or metre; None: it has none
    velocity: float  #: largest, per second; 0: not given
    effort: float  #: largest, N or N m; 0: not given
    mimic: Optional[str]  #: the joint that it follows
    mimic_multiplier: float  #: value = multiplier * that joint's + offset
    mimic_offset: float  #: radian or metre
    first_value: int  #: place of its values in a state; -1 for fixed joints and mimics
    value_count: int  #: 1, 3 (planar), 7 (floating) or 0


class Robot:
    """A robot, read from a URDF. Constant: share it between scenes and threads.

    >>> import berth
    >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf", srdf="build/models/two_arms/left.srdf")
    >>> arm.value_names[:2]
    ('joint1', 'joint2')
    >>> arm.link_poses(arm.state("home"))["link7"].shape
    (4, 4)
    """

    def __init__(self, pointer: Any, urdf: Optional[PathLike] = None, files: Any = None) -> None:
        """For the package itself: Robot.load reads one."""
        self._pointer = pointer
        self._urdf = urdf
        self._files: list[Any] = [] if files is None else [files]  # what was read for it

    @classmethod
    def load(
        cls,
        urdf: PathLike,
        *,
        srdf: Optional[PathLike] = None,
        packages: Optional[Packages] = None,
        hull: Union[bool, Sequence[str]] = False,
        free_base: bool = False,
        prove: bool = False,
        spheres_only: bool = False,
    ) -> "Robot":
        """Reads a URDF and the SRDF that goes with it (pairs that are not checked, groups, named states).

        `packages` tells where package://NAME/ lives. `hull`: names of links whose meshes become their convex hulls, or True for all.
        `free_base`: the SRDF's virtual joint of the base becomes a joint of the state. `prove`: an SRDF's proven table is proven
        again. `spheres_only`: links become spheres that are proven to cover them.

        >>> import berth
        >>> berth.Robot.load("build/models/two_arms/arm.urdf").value_count
        7
        """
        reading = Reading(packages, srdf, None, spheres_only, prove)
        options = ffi.new("BerthRobotOptions*", lib.berth_default_robot_options())
        options.free_base = free_base
        links = ["*"] if hull is True else [] if hull is False else list(hull)
        texts = [c_text(name, "a link of hull") for name in links]
        if texts:
            names = ffi.new("char*[]", texts)
            options.hull_links, options.hull_link_count = names, len(texts)
        files = reading.keep_files()
        out = ffi.new("BerthRobot**")
        reading.call(lib.berth_io_read_robot, c_path(urdf), options, reading.options, out)
        return cls(own(out[0], "berth_robot_destroy"), urdf, files)

    def _open(self) -> Any:
        return self._pointer

    @property
    def name(self) -> str:
        """The name that the URDF gives it."""
        return text_of(lib.berth_robot_name(self._pointer))

    @property
    def links(self) -> tuple[str, ...]:
        """Names of all links, those without geometry too."""
        count = lib.berth_robot_link_count(self._pointer)
        return tuple(text_of(lib.berth_robot_link(self._pointer, i).name) for i in range(count))

    @property
    def joints(self) -> tuple[Joint, ...]:
        """All joints, fixed ones too; that of a free base is the last."""
        links = self.links
        count = lib.berth_robot_joint_count(self._pointer)
        infos = [lib.berth_robot_joint(self._pointer, i) for i in range(count)]
        return tuple(
            Joint(
                text_of(info.name),
                JOINT_TYPES[info.type],
                links[info.parent_link] if info.parent_link >= 0 else "world",
                links[info.child_link],
                (info.axis.x, info.axis.y, info.axis.z),
                (info.lower, info.upper) if info.has_limits else None,
                info.velocity,
                info.effort,
                text_of(infos[info.mimic].name) if info.mimic >= 0 else None,
                info.mimic_multiplier,
                info.mimic_offset,
                info.first_value,
                info.value_count,
            )
            for info in infos
        )

    @property
    def value_count(self) -> int:
        """Numbers of a state."""
        return int(lib.berth_robot_value_count(self._pointer))

    @property
    def value_names(self) -> tuple[str, ...]:
        """The names of a state's values, in order: joints, or JOINT/x and so on."""
        text = ffi.new("char[]", 512)
        found = []
        for i in range(self.value_count):
            lib.berth_robot_value_name(self._pointer, i, text, 512)
            found.append(text_of(text))
        return tuple(found)

    @property
    def limits(self) -> Floats:
        """The least and the largest of every value, shape (values, 2); infinite where there is no limit."""
        out = np.tile([-np.inf, np.inf], (self.value_count, 1))
        for joint in self.joints:
            if joint.limits is not None and joint.first_value >= 0:
                out[joint.first_value] = joint.limits
        return out

    @property
    def default_state(self) -> Floats:
        """Zero, clamped into limits; no turn for floating joints."""
        out = np.zeros(self.value_count)
        lib.berth_robot_default_values(self._pointer, doubles(out))
        return out

    @property
    def state_names(self) -> tuple[str, ...]:
        """The SRDF's named states, as GROUP/NAME."""
        found = []
        for i in range(lib.berth_robot_state_count(self._pointer)):
            group = ffi.new("char**")
            name = text_of(lib.berth_robot_state_name(self._pointer, i, group))
            found.append(f"{text_of(group[0])}/{name}" if text_of(group[0]) else name)
        return tuple(found)

    def state(self, name: str) -> Floats:
        """A named state, by NAME or GROUP/NAME; joints that it does not name are as in the default state.

        >>> import berth
        >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf", srdf="build/models/two_arms/left.srdf")
        >>> arm.state("home").shape
        (7,)
        """
        out = self.default_state
        check(lib.berth_robot_named_state(self._pointer, c_text(name, "a state"), doubles(out)))
        return out

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The SRDF's groups: names of their joints."""
        names = [joint.name for joint in self.joints]
        found = {}
        for i in range(lib.berth_robot_group_count(self._pointer)):
            joints, count = ffi.new("int32_t**"), ffi.new("int32_t*")
            name = text_of(lib.berth_robot_group(self._pointer, i, joints, count))
            found[name] = tuple(names[joints[0][j]] for j in range(count[0]))
        return found

    @property
    def reach(self) -> float:
        """No point of it is ever further from its base, within limits, metres; may be infinite."""
        return float(lib.berth_robot_reach(self._pointer))

    def pair(self, link_a: str, link_b: str) -> tuple[str, str]:
        """Is this pair of links checked against each other, or why not? A word, and the reason for people.

        >>> import berth
        >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf", srdf="build/models/two_arms/left.srdf")
        >>> arm.pair("link1", "link2")[0]
        'adjacent'
        """
        reason = ffi.new("char**")
        rule = lib.berth_robot_pair(self._pointer, self._link(link_a), self._link(link_b), reason)
        return PAIR_RULES[rule], text_of(reason[0])

    def _link(self, name: str) -> int:
        found: int = lib.berth_robot_find_link(self._pointer, c_text(name, "a link"))
        if found < 0:
            raise_value(f"robot '{self.name}' has no link '{name}'")
        return found

    def link_poses(self, state: ArrayLike, base: Optional[PoseLike] = None) -> dict[str, Floats]:
        """Where every link is, as 4x4 matrices.

        >>> import berth
        >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf", srdf="build/models/two_arms/left.srdf")
        >>> float(arm.link_poses(arm.default_state, base=[0, 0, 2])[arm.links[0]][2, 3])
        2.0
        """
        values = vector(state, self.value_count, "state")
        count = lib.berth_robot_link_count(self._pointer)
        poses = ffi.new("BerthPose[]", count)
        lib.berth_robot_link_poses(self._pointer, c_pose(base, "base"), doubles(values), poses)
        return {name: matrix_of(poses[i]) for i, name in enumerate(self.links)}

    def point_jacobian(
        self, state: ArrayLike, link: str, point: ArrayLike, base: Optional[PoseLike] = None
    ) -> Floats:
        """The velocity of a point that is fixed to a link, given in the world, per unit of each value: shape (3, values).

        >>> import berth
        >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf", srdf="build/models/two_arms/left.srdf")
        >>> tip = arm.link_poses(arm.default_state)["link7"][:3, 3]
        >>> arm.point_jacobian(arm.default_state, "link7", tip).shape
        (3, 7)
        """
        values = vector(state, self.value_count, "state")
        columns = ffi.new("BerthVec3[]", max(self.value_count, 1))
        lib.berth_robot_point_jacobian(
            self._pointer, c_pose(base, "base"), doubles(values), self._link(link), vec3(point, "point"), columns
        )
        return np.array([[c.x, c.y, c.z] for c in columns[0 : self.value_count]]).reshape(-1, 3).T.copy()

    def __repr__(self) -> str:
        return f"<berth.Robot {self.name!r}, {self.value_count} values>"


def open_robot(robot: Robot) -> Any:
    """The C pointer of a robot."""
    if not isinstance(robot, Robot):
        raise BerthStaleError(f"a berth.Robot is expected, not {robot!r}", Status.ARGUMENT)
    return robot._open()
