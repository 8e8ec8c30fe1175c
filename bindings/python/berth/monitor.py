# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The monitor's logic: joint angles in, a permit that expires or STOP out. Time is passed in, so that recordings can be replayed.

This is for looking at recordings and for simulation. A guard over a machine is the program `berth monitor`."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
import numpy.typing as npt

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
    time_to_contact: Optional[float]  #: seconds at the earliest, as fast as accelerations allow; inf: never
    #: share of their velocity limits at which all joints could go now and there would be a permit; advice
    scale: float = 0.0
    scale_a: Optional[str] = None  #: what a larger scale would bring too near
    scale_b: Optional[str] = None  #: and the other; None also for a point of a cloud
    retreat: bool = False  #: with `crawl`: STOP for nearness, but an arm may be backed out until `valid_until`


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
        crawl: float = 0.0,
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
        definition.crawl = scalar(crawl, "crawl")
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
        """Asks for permits: at the start and after a fault.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> monitor = berth.Monitor(scene, good_needed=1)
        >>> monitor.receive(scene.state, 0.0 * scene.state, time=0.0)
        >>> monitor.cycle(0.0).go
        False
        >>> monitor.reset()
        >>> monitor.receive(scene.state, 0.0 * scene.state, time=monitor.period)
        >>> monitor.cycle(monitor.period).go
        True
        """
        with self._use() as monitor:
            lib.berth_monitor_reset(monitor)

    def receive(
        self,
        positions: ArrayLike,
        velocities: Optional[ArrayLike] = None,
        *,
        time: float,
        sequence: Optional[int] = None,
        stamp: Optional[float] = None,
        echo: int = 0,
    ) -> None:
        """A message with all values of the scene, received at `time`. Without velocities all joints may be going as fast as they can. NaN may be in it: the monitor answers it with STOP. `stamp`: the sender's own
        time. `echo`: the number (`Permit.sequence`) of the last permit that the sender had received when it sampled; the sample is
        then no older than that permit.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> monitor = berth.Monitor(scene, good_needed=1)
        >>> monitor.reset()
        >>> wrong = scene.state
        >>> wrong[0] = float("nan")
        >>> monitor.receive(wrong, time=0.0)
        >>> monitor.cycle(0.0).reason
        'value'
        """
        values = _any_numbers(positions, self._count, "positions")
        message = ffi.new("BerthMonitorMessage*", {"positions": doubles(values), "count": self._count})
        message.stamp, message.received = np.nan if stamp is None else scalar(stamp, "stamp"), scalar(time, "time")
        message.echo = echo
        if velocities is not None:
            speeds = _any_numbers(velocities, self._count, "velocities")
            message.velocities = doubles(speeds)
        self._sequence = self._sequence + 1 if sequence is None else sequence
        message.sequence = self._sequence
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            lib.berth_monitor_receive(monitor, message)

    def receive_pose(self, name: str, pose: PoseLike, *, time: float, sequence: int) -> None:
        """A message about an object that may move, or a person.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> scene.add_sphere("ball", 0.1, pose=[0, 0, 9], moving=0.5)
        >>> monitor = berth.Monitor(scene, good_needed=1)
        >>> monitor.reset()
        >>> monitor.receive(scene.state, 0.0 * scene.state, time=0.0)
        >>> monitor.receive_pose("ball", [0, 0, 9], time=0.0, sequence=1)
        >>> monitor.cycle(0.0).go
        True
        """
        message = ffi.new("BerthMonitorPose*")
        message.object, message.pose = self.scene._id(name), c_pose(pose, "pose")[0]
        message.sequence, message.stamp, message.received = sequence, np.nan, scalar(time, "time")
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            lib.berth_monitor_receive_pose(monitor, message)

    def cycle(self, time: float) -> Permit:
        """The decision of the cycle that begins at `time`.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> monitor = berth.Monitor(scene, good_needed=1)
        >>> monitor.cycle(0.0).go
        False
        """
        now = scalar(time, "time")
        with self._use() as monitor, self.scene._asking_unedited(self._edits, self._what):
            permit = ffi.new("BerthPermit*")
            lib.berth_monitor_cycle(monitor, now, permit)
            lib.berth_monitor_seal(monitor, now, permit)
            return self._permit(now, permit)

    def end(self) -> None:
        """No permits any more.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> monitor = berth.Monitor(scene, good_needed=1)
        >>> monitor.end()
        >>> monitor.cycle(0.0).reason
        'end'
        """
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
            permit.scale,
            body_name(scene, permit.scale_a),
            body_name(scene, permit.scale_b),
            permit.retreat,
        )


class MapFeed:
    """The messages that keep a map of a guard current: `berth monitor --map NAME=size:X/Y/Z,resolution:R,cells:N,...`.

    Datagrams to send as they are. `whole` first, and whenever the guard may have lost the thread; then `changes` again and again, at
    least as often as the map's silence demands, also when nothing changed. Each update names what changed over the last `window` ones,
    so that as many but one may be lost in a row.

    >>> import berth, numpy
    >>> feed = berth.MapFeed("room", cells_most=500)
    >>> space = numpy.zeros((20, 20, 10), dtype=numpy.int8)
    >>> len(feed.whole(space, stamp=0.0))
    1
    >>> space[3, 4, 5] = 1
    >>> len(feed.changes(space, stamp=0.01)[0])
    77
    """

    def __init__(self, name: str, *, cells_most: int, window: int = 4, stream: Optional[int] = None) -> None:
        """`cells_most`: `cells` of the guard's --map. `stream` is chosen at random unless it is given."""
        if cells_most < 1 or window < 1:
            raise_value(f"cells_most is {cells_most}, window {window}; at least 1 is expected")
        self._message = ffi.new("BerthWireMessage*")
        self._message.kind = lib.BERTH_WIRE_CELLS
        self._message.name = name.encode()
        self._message.stream = secrets.randbits(52) if stream is None else stream
        self._most, self._window = cells_most, window
        self._sequence, self._first = 0, 0
        self._cells: Optional[npt.NDArray[np.int8]] = None
        self._changed: Optional[npt.NDArray[np.int64]] = None

    def whole(self, cells: Any, *, stamp: float, alive: bool = True) -> list[bytes]:
        """All cells, shape (x, y, z): 1 occupied, 0 free, -1 unknown. `stamp`: seconds of the sensor's clock at which it was so. More
        than two datagrams want a cycle of the guard for each.

        >>> import berth, numpy
        >>> feed = berth.MapFeed("room", cells_most=500)
        >>> [len(part) for part in feed.whole(numpy.zeros((20, 20, 10), dtype=numpy.int8), stamp=0.0)]
        [69]
        """
        return self._all(self._tell(cells), stamp, alive)

    def _all(self, told: npt.NDArray[np.int8], stamp: float, alive: bool) -> list[bytes]:
        self._first = self._first or self._sequence
        rest = 0 if np.count_nonzero(told == 0) >= np.count_nonzero(told == -1) else -1
        self._message.whole, self._message.since = True, 0
        self._message.rest = 2 if rest == -1 else 0
        return self._datagrams(_runs(told, told != rest, self._most), stamp, alive)

    def changes(self, cells: Any, *, stamp: float, alive: bool = True) -> list[bytes]:
        """What changed, of all cells as they are now; a whole when that is more than `cells_most`. `alive`: the sensor looks; without it
        an update that changes nothing is STOP.

        >>> import berth, numpy
        >>> feed, space = berth.MapFeed("room", cells_most=500), numpy.zeros((20, 20, 10), dtype=numpy.int8)
        >>> told = feed.whole(space, stamp=0.0)
        >>> space[3:6, 4, 5] = 1
        >>> len(feed.changes(space, stamp=0.01))
        1
        """
        if self._cells is None or self._changed is None:
            raise_value("changes of what? begin with a whole")
        told = self._tell(cells)
        since = max(self._sequence - self._window, self._first)
        named = self._changed > since
        if np.count_nonzero(named) > self._most:
            return self._all(told, stamp, alive)
        self._message.whole, self._message.rest, self._message.since = False, 0, since
        return self._datagrams(_runs(told, named, self._most), stamp, alive)

    def _tell(self, cells: Any) -> npt.NDArray[np.int8]:
        array = np.asarray(cells)
        if array.ndim != 3 or array.dtype.kind not in "iub" or not np.isin(array, (-1, 0, 1)).all():
            raise_value(f"cells has shape {array.shape} and dtype {array.dtype}; (x, y, z) of 1, 0 and -1 is expected")
        told = array.astype(np.int8).ravel(order="F")
        if self._cells is not None and len(told) != len(self._cells):
            raise_value(f"cells has shape {array.shape}; the map has {len(self._cells)} cells")
        self._sequence += 1
        if self._cells is None or self._changed is None:
            self._changed = np.zeros(len(told), dtype=np.int64)
        else:
            self._changed[told != self._cells] = self._sequence
        self._cells = told
        return told

    def _datagrams(self, runs: list[npt.NDArray[np.uint32]], stamp: float, alive: bool) -> list[bytes]:
        message, out, room = self._message, [], ffi.new("char[]", lib.BERTH_WIRE_SIZE)
        message.sequence, message.stamp, message.alive = self._sequence, scalar(stamp, "stamp"), alive
        message.parts = len(runs)
        for part, some in enumerate(runs):
            message.part, message.run_count = part, len(some)
            np.frombuffer(ffi.buffer(message.runs), dtype=np.uint32)[: some.size] = some.ravel()
            size = lib.berth_wire_write(message, room, lib.BERTH_WIRE_SIZE)
            if size == 0:
                raise_value(f"'{ffi.string(message.name).decode()}' is no name of a map")
            out.append(ffi.buffer(room, size)[:])
        return out


def state_message(
    positions: ArrayLike,
    velocities: Optional[ArrayLike] = None,
    *,
    sequence: int,
    stream: int,
    name: str = "state",
    stamp: Optional[float] = None,
    echo: int = 0,
    echo_stream: int = 0,
) -> bytes:
    """A datagram that tells a running `berth monitor --input udp:HOST:PORT` where the joints of a source are. `stream` is chosen at random
    when a sender starts, `sequence` grows by one. `stamp`: seconds of the sender's clock. `echo`, `echo_stream`: the number and the stream
    of the last permit that the sender had received when it sampled; the sample is then no older than that permit.

    >>> import berth
    >>> len(berth.state_message([0.1, 0.2], [0.0, 0.0], sequence=1, stream=5, echo=7, echo_stream=9))
    102
    """
    values = np.atleast_1d(np.asarray(positions, dtype=np.float64))
    if values.ndim != 1 or len(values) > lib.BERTH_WIRE_VALUES:
        raise_value(f"positions has shape {values.shape}; at most {lib.BERTH_WIRE_VALUES} numbers are expected")
    message = ffi.new("BerthWireMessage*")
    message.kind, message.name, message.count = lib.BERTH_WIRE_STATE, name.encode(), len(values)
    message.stream, message.sequence = stream, sequence
    message.stamp = np.nan if stamp is None else scalar(stamp, "stamp")
    message.echo, message.echo_stream = echo, echo_stream if echo else 0
    np.frombuffer(ffi.buffer(message.positions), dtype=np.float64)[: len(values)] = values
    if velocities is not None:
        speeds = np.atleast_1d(np.asarray(velocities, dtype=np.float64))
        if speeds.shape != values.shape:
            raise_value(f"velocities has shape {speeds.shape}, positions {values.shape}")
        message.has_velocities = True
        np.frombuffer(ffi.buffer(message.velocities), dtype=np.float64)[: len(values)] = speeds
    room = ffi.new("char[]", lib.BERTH_WIRE_SIZE)
    size = lib.berth_wire_write(message, room, lib.BERTH_WIRE_SIZE)
    if size == 0:
        raise_value(f"'{name}' is no name of a source")
    return bytes(ffi.buffer(room, size)[:])


def _runs(cells: npt.NDArray[np.int8], named: Any, most: int) -> list[npt.NDArray[np.uint32]]:
    """Cells of one colour one behind the other, as rows of first, count, colour; in parts that fit a message, of at most `most` cells."""
    at = np.flatnonzero(named)
    if len(at) == 0:
        return [np.zeros((0, 3), dtype=np.uint32)]
    begins = np.flatnonzero(np.r_[True, (np.diff(at) != 1) | (np.diff(cells[at]) != 0)])
    counts = np.diff(np.r_[begins, len(at)])
    pieces = -(-counts // most)  # of a run that is too long
    owner = np.repeat(np.arange(len(begins)), pieces)
    within = (np.arange(len(owner)) - np.repeat(np.cumsum(pieces) - pieces, pieces)) * most
    first = at[begins][owner] + within
    count = np.minimum(most, counts[owner] - within)
    colour = np.where(cells[first] == -1, 2, cells[first])
    rows = np.stack([first, count, colour], axis=1).astype(np.uint32)
    parts, start, cells_in = [], 0, 0
    for i, size in enumerate(count.tolist()):
        if i - start == lib.BERTH_WIRE_RUNS or cells_in + size > most:
            parts.append(rows[start:i])
            start, cells_in = i, 0
        cells_in += size
    return [*parts, rows[start:]]


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


