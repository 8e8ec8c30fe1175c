# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The monitor's logic: joint angles in, a permit that expires or STOP out. Time is passed in, so that recordings can be replayed.

This is for looking at recordings and for simulation. A guard over a machine is the program `berth monitor`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from berth._abi import ffi
from berth._answers import body_name
from berth._arrays import ArrayLike, Point, PoseLike, c_pose, doubles, point_of, scalar
from berth._library import Owner, check, lib, own, raise_value, text_of
from berth.scene import Scene
from berth.trajectory import Trajectory


@dataclass(frozen=True)
class Permit:
    """What one cycle decided."""

    time: float  #: of the cycle
    sequence: int  #: grows by one a cycle
    go: bool  #: permitted until `valid_until`; False: STOP
    valid_until: float  #: of the clock that is passed in
    reason: str  #: why there is none: "near", "late", "jump", ...; "none" when there is one
    cause: str  #: what is latched and waits for a reset
    joint: Optional[str]  #: "value", "limit", "jump": which value
    a: Optional[str]  #: the body nearest to its limit
    b: Optional[str]  #: and the other of that pair
    distance: Optional[float]  #: of these two, a lower bound
    required: Optional[float]  #: and what there must be
    point_a: Optional[Point]  #: nearest point of a, in the world
    point_b: Optional[Point]  #: nearest point of b
    approach: Optional[float]  #: metres per second at which they come nearer
    time_to_contact: Optional[float]  #: seconds at this speed; inf when they part


class Monitor(Owner):
    """The logic of a guard over one scene, which must not be edited meanwhile. Begins in STOP: it needs a reset, and good messages.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
    >>> monitor = berth.Monitor(scene, good_needed=1)
    >>> monitor.reset()
    >>> monitor.receive(scene.state, 0.0 * scene.state, time=0.0)
    >>> monitor.cycle(0.0).go
    True
    """

    _what = "Monitor"

    def __init__(
        self,
        scene: Scene,
        *,
        good_needed: int = 10,
        valid_for: Optional[float] = None,
        model_error: float = 0.0,
        tracking_error: float = 0.0,
        robot_uncertainty: float = 0.0,
        fixed_buffers: bool = False,
        latch_near: bool = False,
        refine: bool = False,
    ) -> None:
        """`good_needed`: good messages after a reset before there is a permit. `valid_for`: seconds that a permit lives, by default one
        and a half cycles. The others are as the command's options of these names."""
        super().__init__()
        definition = ffi.new("BerthMonitorDef*", lib.berth_default_monitor_def())
        safety = scene.safety
        if safety is None:
            raise_value("the scene has no safety: set scene.safety = berth.Safety(...)")
        self.period = safety.period  #: seconds of a cycle
        definition.valid_for = (
            max(definition.valid_for, 1.5 * safety.period) if valid_for is None else scalar(valid_for, "valid_for")
        )
        definition.good_needed = good_needed
        definition.model_error = scalar(model_error, "model_error")
        definition.tracking_error = scalar(tracking_error, "tracking_error")
        definition.robot_uncertainty = scalar(robot_uncertainty, "robot_uncertainty")
        definition.fixed_buffers, definition.latch_near, definition.refine = fixed_buffers, latch_near, refine
        pointer = scene._built()
        self._edits = scene._edits
        out = ffi.new("BerthMonitor**")
        with scene._asking():
            check(lib.berth_monitor_create(pointer, definition, out))
        self._pointer = own(out[0], "berth_monitor_destroy", pointer)
        self.scene, self._scene_pointer = scene, pointer
        self._count, self._names = scene.value_count, scene.value_names
        self._sequence = 0

    def reset(self) -> None:
        """Asks for permits: at the start and after a fault."""
        with self._use() as monitor:
            lib.berth_monitor_reset(monitor)

    def receive(
        self,
        positions: ArrayLike,
        velocities: Optional[ArrayLike] = None,
        *,
        time: float,
        sequence: Optional[int] = None,
    ) -> None:
        """A message with all values of the scene, received at `time`. Without velocities all joints may be going as fast as they can. NaN may be in it: the monitor answers it with STOP."""
        values = _any_numbers(positions, self._count, "positions")
        message = ffi.new("BerthMonitorMessage*", {"positions": doubles(values), "count": self._count})
        message.stamp, message.received = np.nan, scalar(time, "time")
        if velocities is not None:
            speeds = _any_numbers(velocities, self._count, "velocities")
            message.velocities = doubles(speeds)
        self._sequence = self._sequence + 1 if sequence is None else sequence
        message.sequence = self._sequence
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            lib.berth_monitor_receive(monitor, message)

    def receive_pose(self, name: str, pose: PoseLike, *, time: float, sequence: int) -> None:
        """A message about an object that may move, or a person."""
        message = ffi.new("BerthMonitorPose*")
        message.object, message.pose = self.scene._id(name), c_pose(pose, "pose")[0]
        message.sequence, message.stamp, message.received = sequence, np.nan, scalar(time, "time")
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            lib.berth_monitor_receive_pose(monitor, message)

    def cycle(self, time: float) -> Permit:
        """The decision of the cycle that begins at `time`."""
        now = scalar(time, "time")
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            permit = ffi.new("BerthPermit*")
            lib.berth_monitor_cycle(monitor, now, permit)
            lib.berth_monitor_seal(monitor, now, permit)
            return self._permit(now, permit)

    def end(self) -> None:
        """No permits any more."""
        with self._use() as monitor:
            lib.berth_monitor_end(monitor)

    def _permit(self, now: float, permit: Any) -> Permit:
        pair = permit.body_a >= 0
        scene = self._scene_pointer
        return Permit(
            now,
            permit.sequence,
            permit.go,
            permit.valid_until,
            text_of(lib.berth_stop_name(permit.reason)),
            text_of(lib.berth_stop_name(permit.cause)),
            self._names[permit.value] if permit.value >= 0 else None,
            body_name(scene, permit.body_a),
            body_name(scene, permit.body_b),
            permit.distance if pair else None,
            permit.required if pair else None,
            point_of(permit.point_a) if pair else None,
            point_of(permit.point_b) if pair else None,
            permit.approach if pair else None,
            permit.time_to_contact if pair else None,
        )


def replay(scene: Scene, trajectory: Trajectory, **options: Any) -> Iterator[Permit]:
    """What the guard would have decided in every cycle of a recorded motion with times, as `berth monitor --input FILE --fast` does.
    Options are those of Monitor.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
    >>> recorded = berth.Trajectory.load("build/models/two_arms/task2.csv", scene)
    >>> first_stop = next(permit for permit in berth.replay(scene, recorded) if not permit.go)
    >>> first_stop.reason, first_stop.a, first_stop.b
    ('near', 'left/link7', 'front_table')
    """
    times = trajectory.times
    if times is None:
        raise_value("the trajectory has no times")
    options.setdefault("good_needed", 1)
    monitor = Monitor(scene, **options)
    positions, velocities = trajectory.positions, trajectory.velocities
    monitor.reset()
    row, tick = 0, 0
    while row < len(positions):
        now = tick * monitor.period
        while row < len(positions) and times[row] - times[0] <= now + 1e-9:
            speeds = None if velocities is None else velocities[row]
            monitor.receive(positions[row], speeds, time=now)
            row += 1
        yield monitor.cycle(now)
        tick += 1


def _any_numbers(values: Any, count: int, what: str) -> Any:
    """`count` numbers of any kind: a guard is there for those that are wrong."""
    array = np.ascontiguousarray(np.asarray(values, dtype=np.float64))
    if array.shape != (count,):
        raise_value(f"{what} has shape {array.shape}; ({count},) is expected")
    return array


