# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Trajectories: rows of states, with times, velocities and accelerations where there are any."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, Literal, Optional, Union

import numpy as np

from berth._abi import ffi
from berth._arrays import Floats, RowsLike, ArrayLike, doubles, from_doubles, numbers, rows, vector
from berth._files import PathLike, Reading
from berth._library import c_path, check, choose, lib, raise_value
from berth.scene import Scene

Interpolation = Literal["linear", "cubic", "quintic"]
INTERPOLATIONS = {"linear": 0, "cubic": 1, "quintic": 2}


class Trajectory:
    """A motion of a scene: rows of states. Between rows it runs as a ROS joint trajectory controller executes it: straight through
    positions only, along cubics through given velocities, along quintics through given accelerations.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
    >>> motion = berth.Trajectory.load("build/models/two_arms/task2.csv", scene)
    >>> motion.positions.shape[1] == scene.value_count, motion.interpolation
    (True, 'cubic')
    """

    def __init__(
        self,
        scene: Scene,
        positions: RowsLike,
        *,
        times: Optional[ArrayLike] = None,
        velocities: Optional[RowsLike] = None,
        accelerations: Optional[RowsLike] = None,
        interpolation: Optional[Interpolation] = None,
        wrap: bool = False,
    ) -> None:
        """Rows of all of the scene's values, in its order; `times` in seconds, growing. `wrap` reaches each row of a continuous joint
        the shorter way round."""
        count = scene.value_count
        position_rows = np.array(rows(positions, count, "positions"))
        size = len(position_rows)
        struct = ffi.new("BerthTrajectory*")
        kept: list[Any] = [position_rows]

        def taken(values: Any, what: str) -> Any:
            array = np.array(rows(values, count, what))
            if len(array) != size:
                raise_value(f"{what} has {len(array)} rows, positions {size}")
            kept.append(array)
            return doubles(array)

        struct.row_count, struct.value_count = size, count
        struct.positions = doubles(position_rows)
        if velocities is not None:
            struct.velocities = taken(velocities, "velocities")
        if accelerations is not None:
            struct.accelerations = taken(accelerations, "accelerations")
        if times is not None:
            moments = np.array(vector(times, size, "times"))
            if not (np.diff(moments) > 0).all():
                row = int(np.argmin(np.diff(moments) > 0)) + 1
                raise_value(f"times: row {row} is at {moments[row]} s, not after {moments[row - 1]} s")
            kept.append(moments)
            struct.times = doubles(moments)
        kept += [ffi.new("bool[]", [True] * max(count, 1)), ffi.new("char[]", b"positions"), np.arange(size, dtype=np.int64)]
        struct.named, struct.path = kept[-3], kept[-2]
        struct.lines = ffi.cast("int64_t*", kept[-1].ctypes.data)
        self._begin(scene, struct, kept, interpolation, wrap)

    def _begin(
        self, scene: Scene, struct: Any, kept: list[Any], interpolation: Optional[str], wrap: bool, late: int = 0
    ) -> None:
        self._struct, self._kept = struct, kept
        self._names = scene.value_names
        self._files: list[Any] = [files for part in kept if isinstance(part, Trajectory) for files in part._files]
        self._late = late  # parts that begin later than others
        for row, values in enumerate(self._rows()):
            check(lib.berth_scene_check_values(scene._open(), values, ffi.NULL, ffi.NULL), f"row {row}: ")
        if wrap:
            check(lib.berth_trajectory_wrap(struct, scene._open()))
        out = ffi.new("BerthInterpolation*")
        if interpolation is None:
            check(lib.berth_trajectory_interpolation(struct, out))
            self._kind = int(out[0])
        else:
            self._kind = choose("interpolation", interpolation, INTERPOLATIONS)
        self._name = list(INTERPOLATIONS)[self._kind]

    def _rows(self) -> Iterator[Any]:
        for row in range(self._struct.row_count):
            yield self._struct.positions + row * self._struct.value_count

    @classmethod
    def load(
        cls,
        path: PathLike,
        scene: Scene,
        *,
        interpolation: Optional[Interpolation] = None,
        wrap: bool = False,
    ) -> "Trajectory":
        """Reads a CSV with a header of joint names, JSON or YAML of trajectory_msgs/JointTrajectory (also within MoveIt's
        RobotTrajectory), or .npy. Joints that it does not name keep the scene's state.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/testbed.yaml")
        >>> motion = berth.Trajectory.load("build/models/two_arms/task2.csv", scene)
        >>> motion.interpolation, motion.times[0]
        ('cubic', 0.0)
        """
        reading = Reading()
        files = reading.keep_files()
        struct = ffi.new("BerthTrajectory*")
        reading.call(lib.berth_io_read_trajectory, c_path(path), scene._open(), reading.options, struct)
        free = lib.berth_io_free_trajectory
        made = cls.__new__(cls)
        made._begin(scene, ffi.gc(struct, lambda dead: free(dead)), [], interpolation, wrap)
        made._files = [files]
        return made

    @classmethod
    def merge(cls, parts: "Sequence[Trajectory]", scene: Scene) -> "Trajectory":
        """One motion of several that have joints of their own (one a robot), over their times; a robot that has arrived waits.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> motion = berth.Trajectory(scene, [scene.state, scene.make_state("left/joint1=0.2")], times=[0, 1])
        >>> berth.Trajectory.merge([motion], scene).segment_count
        1
        """
        if not parts:
            raise_value("merge: at least one trajectory is expected")
        c_parts = ffi.new("BerthTrajectory[]", [part._struct[0] for part in parts])
        kinds = ffi.new("BerthInterpolation[]", [part._kind for part in parts])
        struct = ffi.new("BerthTrajectory*")
        check(lib.berth_trajectory_merge(c_parts, kinds, len(parts), scene._open(), struct))
        free = lib.berth_io_free_trajectory
        starts = [part._struct.times[0] for part in parts]
        made = cls.__new__(cls)
        made._begin(
            scene, ffi.gc(struct, lambda dead: free(dead)), list(parts), "linear", False, sum(s > min(starts) for s in starts)
        )
        names = [part._name for part in parts]
        made._name = ", ".join(names) if len(set(names)) > 1 else names[0]
        return made

    def save(self, path: PathLike) -> None:
        """Writes it as .csv, or as .json of trajectory_msgs/JointTrajectory, as `berth plan -o` does: read with defaults it is the same
        motion to the last bit, and a certificate of this trajectory that is made later is about that file too.

        >>> import berth, pathlib, tempfile
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> motion = berth.Trajectory(scene, [scene.state, scene.state + 0.01], times=[0, 0.5])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     motion.save(pathlib.Path(folder) / "motion.csv")
        ...     len(berth.Trajectory.load(pathlib.Path(folder) / "motion.csv", scene))
        2
        """
        name = os.fspath(path)
        if self._struct.curves != ffi.NULL:
            raise_value("a merged motion has curves that no file of rows has: save its parts")
        if not name.endswith((".csv", ".json")):
            raise_value(f"'{name}': expected a name that ends in .csv or .json")
        data = (self._as_json() if name.endswith(".json") else self._as_csv()).encode()
        files = Reading().keep_files()
        check(lib.berth_io_files_write(files, c_path(path), data, len(data), True))
        check(lib.berth_io_files_add_bytes(files, c_path(path), data, len(data)))
        check(lib.berth_io_files_commit(files))
        self._files.append(files)

    def _columns(self) -> dict[str, Floats]:
        """What is written: what the interpolation takes, so that it is the default for the file."""
        kinds = {"positions": self.positions}
        for kind, values, least in (("velocities", self.velocities, 1), ("accelerations", self.accelerations, 2)):
            if values is not None and self._kind >= least:
                kinds[kind] = values
        return kinds

    def _as_csv(self) -> str:
        kinds, times = self._columns(), self.times
        header = list(self._names)
        for kind, suffix in (("velocities", "velocity"), ("accelerations", "acceleration")):
            header += [f"{name}:{suffix}" for name in self._names] if kind in kinds else []
        table = np.hstack(list(kinds.values()))
        if times is not None:
            header, table = ["time", *header], np.hstack([times[:, None], table])
        return "\n".join([",".join(header)] + [",".join(map(repr, row)) for row in table.tolist()]) + "\n"

    def _as_json(self) -> str:
        kinds, times = self._columns(), self.times
        points: list[dict[str, Any]] = [{kind: rows_[i].tolist() for kind, rows_ in kinds.items()} for i in range(len(self))]
        for point, moment in zip(points, [] if times is None else times.tolist()):
            seconds, nanoseconds = divmod(round(moment * 1e9), 10**9)
            if seconds < 0 or seconds + nanoseconds / 1e9 != moment:
                raise_value(f"time {moment!r} is no whole number of nanoseconds: round it, or write .csv")
            point["time_from_start"] = {"sec": seconds, "nanosec": nanoseconds}
        return json.dumps({"joint_names": list(self._names), "points": points}) + "\n"

    @property
    def interpolation(self) -> str:
        """How values run between rows: "linear", "cubic" or "quintic"; of a merged one those of its parts where they differ."""
        return self._name

    @property
    def segment_count(self) -> int:
        """Rows less one; a single row is one segment of no length."""
        return int(lib.berth_trajectory_segment_count(self._struct))

    def _copy(self, source: Any, shape: tuple[int, ...]) -> Optional[Floats]:
        return None if source == ffi.NULL else from_doubles(source, shape)

    @property
    def positions(self) -> Floats:
        """A copy of all rows."""
        return from_doubles(self._struct.positions, (self._struct.row_count, self._struct.value_count))

    @property
    def velocities(self) -> Optional[Floats]:
        """A copy, per second; None when there are none."""
        return self._copy(self._struct.velocities, (self._struct.row_count, self._struct.value_count))

    @property
    def accelerations(self) -> Optional[Floats]:
        """A copy, per second squared; None when there are none."""
        return self._copy(self._struct.accelerations, (self._struct.row_count, self._struct.value_count))

    @property
    def times(self) -> Optional[Floats]:
        """A copy, seconds; None when there are none."""
        return self._copy(self._struct.times, (self._struct.row_count,))

    def __len__(self) -> int:
        return int(self._struct.row_count)

    def __repr__(self) -> str:
        return f"<berth.Trajectory, {len(self)} rows, {self.interpolation}>"


def as_trajectory(motion: "Union[Trajectory, RowsLike]", scene: Scene) -> Trajectory:
    """Rows are straight lines."""
    if isinstance(motion, Trajectory):
        if motion._struct.value_count != scene.value_count:
            raise_value(f"the trajectory has {motion._struct.value_count} values a row, the scene {scene.value_count}")
        return motion
    return Trajectory(scene, numbers(motion, "a path"))
