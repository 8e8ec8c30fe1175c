# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Covering spheres of a robot's links, and pairs of links that never touch: both proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from berth._abi import ffi
from berth._arrays import Floats, doubles, scalar
from berth._files import PathLike, Reading
from berth._library import Watch, c_path, check, lib, own, raise_value, text_of
from berth.robot import Robot, open_robot

WHY = (None, "budget", "endless", "numeric")


@dataclass(frozen=True, eq=False)
class LinkSpheres:
    """The balls of one link, in its frame."""

    balls: Floats  #: shape (n, 4): x, y, z, radius
    covered: bool  #: proven: every point of the link is in a ball
    volume: float  #: of their union, m3 (estimate)
    protrusion: float  #: no point of a ball is further from the link, m
    mean_protrusion: float  #: over the surface of the union (estimate), m
    open_meshes: int  #: surfaces without an inside: only they themselves are covered


class Spheres:
    """Balls that cover a robot's links; `links` has them by name.

    >>> import berth
    >>> arm = berth.Robot.load("build/models/room/arm.urdf")
    >>> spheres = berth.fit_spheres(arm, count=8, effort=0)
    >>> all(link.covered for link in spheres.links.values())
    True
    """

    def __init__(self, pointer: Any, robot: Robot) -> None:
        """For the package itself: fit_spheres makes them."""
        self._pointer, self._robot = pointer, robot
        self.links: dict[str, LinkSpheres] = {}
        for i, name in enumerate(robot.links):
            group = lib.berth_spheres_group(pointer, i)
            if group.count > 0:
                balls = np.empty((group.count, 4))
                ffi.memmove(balls.data, group.balls, balls.nbytes)
                self.links[name] = LinkSpheres(
                    balls, group.covered, group.volume, group.protrusion, group.mean_protrusion, group.open_meshes
                )

    @property
    def count(self) -> int:
        """Of all balls."""
        return sum(len(link.balls) for link in self.links.values())

    def save(self, path: PathLike) -> None:
        """Writes the robot's URDF with these spheres as its collision geometry.

        >>> import berth, pathlib, tempfile
        >>> arm = berth.Robot.load("build/models/room/arm.urdf")
        >>> spheres = berth.fit_spheres(arm, count=8, effort=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     spheres.save(pathlib.Path(folder) / "arm.urdf")
        ...     berth.Robot.load(pathlib.Path(folder) / "arm.urdf").links == arm.links
        True
        """
        if self._robot._urdf is None:
            raise_value("the robot was not read by Robot.load: there is no URDF to copy")
        reading = Reading()
        reading.call(
            lib.berth_io_write_spherized,
            c_path(path),
            c_path(self._robot._urdf),
            self._robot._open(),
            self._pointer,
            reading.options,
        )


def fit_spheres(
    robot: Robot,
    *,
    count: Optional[int] = None,
    protrusion: Optional[float] = None,
    seed: Optional[int] = None,
    effort: Optional[float] = None,
    threads: int = 1,
) -> Spheres:
    """Covers all links: with `count` balls in all, or with as many as it takes to protrude by at most `protrusion` metres. Takes seconds;
    Ctrl-C ends it.

    >>> import berth
    >>> arm = berth.Robot.load("build/models/room/arm.urdf")
    >>> spheres = berth.fit_spheres(arm, count=8, effort=0)
    >>> spheres.count, all(link.covered for link in spheres.links.values())
    (8, True)
    """
    pointer = open_robot(robot)
    watch = Watch()
    definition = ffi.new("BerthSpheresDef*", lib.berth_default_spheres_def())
    if count is not None:
        definition.count = count
    if protrusion is not None:
        definition.protrusion = scalar(protrusion, "protrusion")
    if seed is not None:
        definition.seed = seed
    if effort is not None:
        definition.effort = scalar(effort, "effort")
    definition.threads = threads
    watch.attach(definition, "stop", "user")
    out = ffi.new("BerthSpheres**")
    check(watch.call(lib.berth_robot_fit_spheres, pointer, -1, definition, out))
    return Spheres(own(out[0], "berth_spheres_destroy"), robot)


@dataclass(frozen=True, eq=False)
class PairProof:
    """What was found out about two links, within joint limits."""

    a: str  #: one link
    b: str  #: the other
    standing: str  #: "check", "adjacent", "default", "always" or "never"
    never: bool  #: proven: they never touch
    always: bool  #: proven: they always do
    adjacent: bool  #: they are neighbours
    gap: float  #: never: they are never nearer than this, metres
    touch: Optional[Floats]  #: a state in which they touch
    why: Optional[str]  #: nothing was shown: "budget", "endless" or "numeric"


def prove_pairs(
    robot: Robot, *, budget: Optional[int] = None, samples: int = 0, seed: int = 0
) -> tuple[PairProof, ...]:
    """Which pairs of links can ever touch? One answer a pair of links with geometry, as `berth srdf` has it.

    >>> import berth
    >>> arm = berth.Robot.load("build/models/two_arms/arm.urdf")
    >>> any(pair.never for pair in berth.prove_pairs(arm, budget=3000))
    True
    """
    pointer = open_robot(robot)
    out = ffi.new("BerthProofModel**")
    check(lib.berth_proof_model_create(pointer, ffi.NULL, out))
    model = own(out[0], "berth_proof_model_destroy", pointer)
    definition = ffi.new("BerthProofDef*", lib.berth_default_proof_def())
    if budget is not None:
        definition.budget = budget
    definition.samples, definition.seed = samples, seed
    made = ffi.new("BerthProver**")
    check(lib.berth_prover_create(model, definition, ffi.NULL, made))
    prover = own(made[0], "berth_prover_destroy", model)

    names = robot.links
    solid = [i for i in range(len(names)) if lib.berth_robot_link(pointer, i).solid_count > 0]
    found = []
    for place, a in enumerate(solid):
        for b in solid[place + 1 :]:
            touch = np.zeros(robot.value_count)
            proof = ffi.new("BerthPairProof*")
            check(lib.berth_prover_pair(prover, a, b, doubles(touch), ffi.NULL, proof))
            found.append(
                PairProof(
                    names[a],
                    names[b],
                    text_of(lib.berth_pair_standing_name(proof.standing)),
                    proof.never,
                    proof.always,
                    proof.adjacent,
                    proof.gap,
                    touch if proof.has_touch else None,
                    WHY[proof.why],
                )
            )
    return tuple(found)
