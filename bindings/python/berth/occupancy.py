# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""How likely cells are occupied: scans of a sensor, as OctoMap has them; maps of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from berth._abi import ffi
from berth._arrays import ArrayLike, Floats, pointer, rows, scalar, vec3
from berth._files import PathLike, Reading
from berth._library import Owner, Watch, c_path, check, choose, lib, own
from berth.field import UNKNOWN_CELLS, Map, Unknown, parts_of

COLOURS = {"free": 0, "occupied": 1, "unknown": 2}


def read_points(path: PathLike, *, dim: Literal[2, 3] = 3) -> Floats:
    """Points (n, 3) of a cloud, as `berth map update` reads them for a map of that dimension: in the plane columns x and y are
    enough, and z is 0 then. NaN and infinite ones are left out.

    >>> import berth, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "scan.xyz"
    ...     _ = file.write_text("0 0 1\\n0 0.5 1\\n")
    ...     berth.read_points(file).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]]
    """
    reading, points = Reading(), ffi.new("BerthPoints*")
    reading.call(lib.berth_io_read_points_of, c_path(path), dim, reading.options, points)
    try:
        size = 24 * int(points.count)
        flat = np.frombuffer(ffi.buffer(points.points, size), dtype=np.float64).copy() if size else np.empty(0)
    finally:
        lib.berth_io_free_points(points)
    return flat.reshape(-1, 3)


@dataclass(frozen=True)
class ScanAnswer:
    """What a scan did: points, and cells, each once."""

    points: int  #: that were taken
    dropped: int  #: that were not: outside of the tree's 65536 cells a side
    beyond: int  #: beyond the range: their rays clear up to it and hit nothing
    hit: int  #: cells in which rays ended, or that were set occupied
    passed: int  #: cells that rays passed, or that were set free: that these are free is an assumption about the sensor
    became_occupied: int  #: cells that were not before
    became_free: int  #: cells that were not before
    hit_and_free: int  #: cells that were hit and are still free: their chances were too low for one hit


class Occupancy(Owner):
    """Chances of cells, as log-odds in a tree. Hits, misses, clamping and pruning are OctoMap's.

    >>> import berth
    >>> seen = berth.Occupancy(0.1)
    >>> answer = seen.insert_scan([[1.05, 0.05, 0.05]], sensor=(0.05, 0.05, 0.05))
    >>> answer.hit, answer.passed
    (1, 10)
    >>> space = seen.to_map()
    >>> bool(space.query([[0.55, 0.05, 0.05, 0.01]]).verdicts[0] == berth.FREE)
    True
    """

    _what = "Occupancy"

    def __init__(self, resolution: float, *, dim: int = 3) -> None:
        """Nothing is known, in cells of so many metres."""
        super().__init__()
        definition, self._watch, self._told = _definition()
        definition.resolution, definition.dim = scalar(resolution, "resolution"), dim
        out = ffi.new("BerthOccupancy**")
        check(lib.berth_occupancy_create(definition, out))
        self._take(out[0])

    def _take(self, made: Any) -> None:
        self._pointer = own(made, "berth_occupancy_destroy", self._told)
        info = lib.berth_occupancy_info(self._pointer)
        self.dim = int(info.dim)  #: 2 or 3
        self.resolution = float(info.resolution)  #: metres a cell

    @classmethod
    def _empty(cls) -> tuple["Occupancy", Any]:
        made = cls.__new__(cls)
        Owner.__init__(made)
        definition, made._watch, made._told = _definition()
        return made, definition

    @classmethod
    def load(cls, path: PathLike) -> "Occupancy":
        """Reads OctoMap's .ot with its chances, or a .bt, whose cells are as sure as OctoMap can be.

        >>> import berth, pathlib, tempfile
        >>> seen = berth.Occupancy(0.1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     seen.save(pathlib.Path(folder) / "seen.ot")
        ...     berth.Occupancy.load(pathlib.Path(folder) / "seen.ot").resolution
        0.1
        """
        made, definition = cls._empty()
        out, reading = ffi.new("BerthOccupancy**"), Reading()
        reading.call(lib.berth_io_read_occupancy, c_path(path), definition, reading.options, out)
        made._take(out[0])
        return made

    @classmethod
    def from_map(cls, space: Map) -> "Occupancy":
        """The cells of a map: one hit makes a free one occupied.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> seen = berth.Occupancy.from_map(space)
        >>> [bool(odds > 0) for odds in seen.log_odds([[0.75, 0.05, 0.05], [0.05, 0.05, 0.05]])]
        [True, False]
        """
        made, definition = cls._empty()
        out = ffi.new("BerthOccupancy**")
        check(made._watch.call(lib.berth_occupancy_from_field, space._open(), definition, out, ffi.new("int32_t[3]")))
        made._take(out[0])
        return made

    def _cloud(self, points: Any) -> Floats:
        """(n, 3); in the plane (n, 2) is enough."""
        flat = np.asarray(points, dtype=np.float64)
        if self.dim == 2 and flat.ndim == 2 and flat.shape[1] == 2:
            return rows(np.column_stack([flat, np.zeros(len(flat))]), 3, "points")
        return rows(points, 3, "points")

    def insert_scan(self, points: Any, sensor: ArrayLike, *, range: float = 0.0) -> ScanAnswer:
        """Points (n, 3), in the plane also (n, 2), that a sensor saw from there: cells that rays pass get a miss, cells in which they end a hit, each once.
        `range` > 0: rays clear up to it, and hit nothing beyond.

        >>> import berth
        >>> seen = berth.Occupancy(0.1)
        >>> answer = seen.insert_scan([[1.05, 0.05, 0.05], [9.05, 0.05, 0.05]], sensor=(0.05, 0.05, 0.05), range=2.0)
        >>> answer.hit, answer.beyond
        (1, 1)
        """
        cloud, report = self._cloud(points), ffi.new("BerthOccupancyReport*")
        with self._use() as tree:
            place, most = vec3(sensor, "sensor"), scalar(range, "range")
            lib.berth_occupancy_forget_changes(tree)
            call = lib.berth_occupancy_insert_scan
            check(self._watch.call(call, tree, pointer(cloud, "BerthVec3*"), len(cloud), place, most, report))
        return _answer(report)

    def set(self, points: Any, to: Literal["free", "occupied", "unknown"]) -> ScanAnswer:
        """Cells that hold these points (n, 3) become as surely so as they can.

        >>> import berth
        >>> seen = berth.Occupancy(0.1)
        >>> seen.set([[0.05, 0.05, 0.05]], "occupied").became_occupied
        1
        """
        cloud, report = self._cloud(points), ffi.new("BerthOccupancyReport*")
        with self._use() as tree:
            colour = choose("to", to, COLOURS)
            lib.berth_occupancy_forget_changes(tree)
            call = lib.berth_occupancy_set_points
            check(self._watch.call(call, tree, pointer(cloud, "BerthVec3*"), len(cloud), colour, report))
        return _answer(report)

    def log_odds(self, points: Any) -> Floats:
        """Of the cells that hold these points (n, 3); NaN where nothing is known.

        >>> import berth
        >>> seen = berth.Occupancy(0.1)
        >>> answer = seen.insert_scan([[1.05, 0.05, 0.05]], sensor=(0.05, 0.05, 0.05))
        >>> [bool(odds > 0) for odds in seen.log_odds([[1.05, 0.05, 0.05], [0.55, 0.05, 0.05]])]
        [True, False]
        """
        cloud = self._cloud(points)
        found, cell, odds = np.full(len(cloud), np.nan), ffi.new("int32_t[3]"), ffi.new("float*")
        with self._use() as tree:
            for i, point in enumerate(ffi.cast("BerthVec3*", cloud.ctypes.data)[0 : len(cloud)]):
                if lib.berth_occupancy_cell(tree, point, cell) and lib.berth_occupancy_log_odds(tree, cell, odds):
                    found[i] = odds[0]
        return found

    def to_map(self, *, unknown: Unknown = "occupied", parts: Sequence[str] = ()) -> Map:
        """A map of what is known, cut to it.

        >>> import berth
        >>> seen = berth.Occupancy(0.1)
        >>> answer = seen.set([[0.05, 0.05, 0.05], [0.25, 0.05, 0.05]], "occupied")
        >>> int((seen.to_map(unknown="free").cells() == 1).sum())
        2
        """
        reading, options = Reading(), ffi.new("BerthMapOptions*", lib.berth_default_map_options())
        options.unknown_given, options.unknown_is_free = True, choose("unknown", unknown, UNKNOWN_CELLS) == 1
        options.parts = parts_of(parts)
        out = ffi.new("BerthField**")
        with self._use() as tree:
            reading.call(lib.berth_io_field_from_occupancy, c_path("map"), tree, options, reading.options, out)
        return Map(own(out[0], "berth_field_destroy"))

    def save(self, path: PathLike) -> None:
        """Writes OctoMap's .ot, chances and all.

        >>> import berth, pathlib, tempfile
        >>> seen = berth.Occupancy(0.1)
        >>> answer = seen.set([[0.05, 0.05, 0.05]], "occupied")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     seen.save(pathlib.Path(folder) / "seen.ot")
        ...     again = berth.Occupancy.load(pathlib.Path(folder) / "seen.ot")
        >>> bool(again.log_odds([[0.05, 0.05, 0.05]])[0] > 0)
        True
        """
        reading = Reading()
        with self._use() as tree:
            reading.call(lib.berth_io_write_occupancy, c_path(path), tree, reading.options)

    def __repr__(self) -> str:
        return f"<berth.Occupancy, cells of {self.resolution} m>"


def _definition() -> tuple[Any, Watch, Any]:
    """A def that Ctrl-C ends; the callback lives as long as what is returned."""
    watch, definition = Watch(), ffi.new("BerthOccupancyDef*", lib.berth_default_occupancy_def())
    told = watch.callback("bool(void*, double)", lambda user, share: True, error=False)
    definition.progress = told
    return definition, watch, told


def _answer(report: Any) -> ScanAnswer:
    return ScanAnswer(**{name: int(getattr(report, name)) for name in ScanAnswer.__dataclass_fields__})
