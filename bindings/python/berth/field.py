# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Maps: what is known of space, as cells; distances of balls to what is occupied."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from berth._abi import ffi
from berth._arrays import ArrayLike, Floats, finite, numbers, point_of, pointer, rows, scalar, vec3, vector
from berth._files import PathLike, Reading
from berth._library import Owner, Watch, c_path, check, choose, lib, own, raise_type, raise_value, text_of

PARTS = {"odm": 1, "eodm": 2, "dm": 4, "euclid": 8, "lists": 16}
METRICS = {"l2": 0, "l1": 1}
UNKNOWN_CELLS = {"occupied": 0, "free": 1}
Unknown = Literal["occupied", "free"]
Cells = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class MapAnswer:
    """The answers about many balls."""

    verdicts: npt.NDArray[np.uint8]  #: one a ball: berth.UNKNOWN, berth.FREE or berth.COLLISION
    lower: Floats  #: metres from each centre to the nearest obstacle, at least; 0 inside of one, inf without obstacles
    upper: Floats  #: and at most
    nearest: Floats  #: a nearest point of it, shape (n, 3); NaN where there is none
    outside: npt.NDArray[np.bool_]  #: the centre is outside of the map: what is there is not known


class Map(Owner):
    """A map of occupied, free and unknown cells. Only `update` changes it: share it between scenes and threads else.

    >>> import berth, numpy
    >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
    >>> cells[4:, :, :] = 1
    >>> space = berth.Map.from_cells(cells, resolution=0.1)
    >>> answer = space.query([[0.15, 0.4, 0.4, 0.2]])
    >>> answer.verdicts[0] == berth.FREE, round(float(answer.lower[0]), 3)
    (True, 0.25)
    """

    _what = "Map"

    def __init__(self, pointer: Any, facts: Any = None) -> None:
        """For the package itself: Map.load, Map.from_cells and Map.from_points make one."""
        super().__init__()
        self._pointer = pointer
        info = lib.berth_field_info(pointer)
        self.dim = int(info.dim)  #: 2 or 3
        self.resolution = float(info.resolution)  #: metres a cell
        self.origin = point_of(info.origin)  #: the corner of cell (0, 0, 0)
        self.shape: tuple[int, ...] = tuple(info.size[i] for i in range(self.dim))  #: cells along each axis
        self.unknown: str = "free" if info.unknown_is_free else "occupied"  #: what unknown cells count as
        self.format = text_of(facts.format) if facts is not None else "cells"  #: of the file it is from
        self._unseen = bool(facts.background_taken_free) if facts is not None else False
        self._open_meshes = bool(facts.open_meshes) if facts is not None else False

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        resolution: Optional[float] = None,
        origin: Optional[ArrayLike] = None,
        unknown: Optional[Unknown] = None,
        radius: float = 0.0,
        parts: Sequence[str] = (),
    ) -> "Map":
        """Reads OctoMap (.bt, .ot), ROS map_server (.yaml), .npy, .lin, .bmap, clouds, meshes, or the standing objects of a scene.

        `resolution` is for files that have none. `unknown`: what unknown cells count as. `radius`: points of a cloud are balls.
        `parts`, of "odm", "eodm", "dm", "euclid" and "lists", are built beside the tree: they make questions faster.

        >>> import berth, pathlib, tempfile, numpy
        >>> cells = numpy.ones((4, 4, 4), dtype=numpy.int8)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     numpy.save(pathlib.Path(folder) / "room.npy", cells)
        ...     berth.Map.load(pathlib.Path(folder) / "room.npy", resolution=0.1).shape
        (4, 4, 4)
        """
        reading = Reading()
        options = ffi.new("BerthMapOptions*", lib.berth_default_map_options())
        if resolution is not None:
            options.resolution = scalar(resolution, "resolution")
        if origin is not None:
            options.has_origin, options.origin = True, vec3(origin, "origin")
        if unknown is not None:
            options.unknown_given, options.unknown_is_free = True, choose("unknown", unknown, UNKNOWN_CELLS) == 1
        options.radius, options.parts = scalar(radius, "radius"), parts_of(parts)
        options.progress = progress = reading.watch.callback("bool(void*, double)", lambda user, share: True, error=False)
        out = ffi.new("BerthMap**")
        reading.call(lib.berth_io_open_map, c_path(path), options, reading.options, out)
        del progress
        # The map closes when nobody has its field any more.
        owner = own(out[0], "berth_io_close_map")
        field = ffi.gc(ffi.cast("BerthField*", lib.berth_map_field(owner)), lambda dead, owner=owner: None)
        return cls(field, lib.berth_map_facts(owner))

    @classmethod
    def from_cells(
        cls,
        cells: Any,
        *,
        resolution: float,
        origin: ArrayLike = (0.0, 0.0, 0.0),
        unknown: Unknown = "occupied",
        parts: Sequence[str] = (),
    ) -> "Map":
        """Of an array (x, y, z), or (x, y) in the plane, of whole numbers: 1 occupied, 0 free, -1 unknown.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> space.shape, space.resolution
        ((8, 8, 8), 0.1)
        """
        try:
            array = np.asarray(cells)
        except ValueError:
            raise_value("cells: its rows differ in length")
        if array.dtype.kind not in "iub":
            raise_type(f"cells has dtype {array.dtype}; whole numbers are expected: 1 occupied, 0 free, -1 unknown")
        if array.ndim not in (2, 3) or array.size == 0:
            raise_value(f"cells has shape {array.shape}; (x, y, z) or (x, y) is expected")
        if not np.isin(array, (-1, 0, 1)).all():
            raise_value(f"cells holds {array.min()} to {array.max()}; 1 occupied, 0 free, -1 unknown are expected")
        builder, watch = _builder(array.shape, resolution, origin, unknown, parts)
        colours = np.ascontiguousarray(np.where(array == -1, 2, array), dtype=np.uint8)
        size = list(array.shape) + [1] * (3 - array.ndim)
        strides = list(colours.strides) + [0] * (3 - array.ndim)
        check(
            watch.call(
                lib.berth_field_add_block,
                builder,
                pointer(colours, "uint8_t*"),
                ffi.new("int32_t[3]", size),
                ffi.new("int64_t[3]", strides),
                ffi.new("int32_t[3]"),
            )
        )
        return cls(_build(builder, watch))

    @classmethod
    def from_points(
        cls,
        points: Any,
        *,
        resolution: float,
        radius: float = 0.0,
        low: Optional[ArrayLike] = None,
        high: Optional[ArrayLike] = None,
        parts: Sequence[str] = (),
    ) -> "Map":
        """Of points that a sensor saw, shape (n, 3): cells that they touch are occupied, all else is taken as free. From `low` to
        `high`, or just around the points.

        >>> import berth
        >>> space = berth.Map.from_points([[0.55, 0.55, 0.55], [0.75, 0.55, 0.55]], resolution=0.1, low=[0, 0, 0], high=[1, 1, 1])
        >>> space.shape, int((space.cells() == 1).sum())
        ((10, 10, 10), 2)
        """
        cloud = rows(points, 3, "points")
        step = scalar(resolution, "resolution")
        if not step > 0.0:
            raise_value(f"resolution is {step}; more than 0 is expected")
        grown = scalar(radius, "radius") + step
        least = cloud.min(axis=0) - grown if low is None else vector(low, 3, "low")
        most = cloud.max(axis=0) + grown if high is None else vector(high, 3, "high")
        size = np.ceil((most - least) / step)
        if not ((size >= 1).all() and (size <= 65536).all()):
            raise_value(f"a map of {size.tolist()} cells: 1 to 65536 along each axis are expected")
        builder, watch = _builder(tuple(int(n) for n in size), step, least, "occupied", parts)
        check(
            watch.call(
                lib.berth_field_add_points, builder, pointer(cloud, "BerthVec3*"), len(cloud), radius, ffi.NULL
            )
        )
        made = cls(_build(builder, watch))
        made._unseen = True
        return made

    def query(self, balls: Any, *, metric: Literal["l2", "l1"] = "l2") -> MapAnswer:
        """Balls of shape (n, 4): x, y, z, radius; in the plane (n, 3): x, y, radius. Is each clear of all obstacles, how far is its
        centre from the nearest?

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> answer = space.query([[0.15, 0.4, 0.4, 0.2], [0.35, 0.4, 0.4, 0.2]])
        >>> [verdict == berth.FREE for verdict in answer.verdicts.tolist()]
        [True, False]
        """
        array = rows(balls, self.dim + 1, "balls")
        if self.dim == 2:
            array = np.ascontiguousarray(np.insert(array, 2, 0.0, axis=1))
        if array[:, 3].min() < 0.0:
            raise_value(f"balls: radius {array[:, 3].min()} of ball {int(array[:, 3].argmin())}; at least 0 is expected")
        kind = choose("metric", metric, METRICS)
        count = len(array)
        out = ffi.new("BerthFieldAnswer[]", count)
        field, ask = self._open(), lib.berth_field_query
        balls_of_c = ffi.cast("BerthBall*", array.ctypes.data)
        for i in range(count):
            ball = balls_of_c[i]
            check(ask(field, kind, ball.centre, ball.radius, out + i))
        found = np.frombuffer(ffi.buffer(out), dtype=_answer_dtype())
        nearest = np.stack([found["nearest"]["x"], found["nearest"]["y"], found["nearest"]["z"]], axis=1)
        nearest[~np.isfinite(found["upper"])] = np.nan
        return MapAnswer(
            found["verdict"].astype(np.uint8), found["lower"].copy(), found["upper"].copy(), nearest, found["outside"].copy()
        )

    def update(self, cells: Any, to: Literal["free", "occupied", "unknown"]) -> None:
        """These cells, whole numbers of shape (n, dim), are that from now on; distances follow, and are those of a map made anew. Nobody
        may ask the map meanwhile. Scenes keep what they were given: Scene.set_map tells them.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> space.update([[3, 4, 4]], "occupied")
        >>> round(float(space.query([[0.15, 0.45, 0.45, 0.1]]).lower[0]), 3)
        0.15
        """
        try:
            array = np.asarray(cells)
        except ValueError:
            raise_value("cells: its rows differ in length")
        if array.dtype.kind not in "iu" or array.ndim != 2 or array.shape[1] != self.dim:
            raise_value(f"cells has shape {array.shape} and dtype {array.dtype}; whole numbers of shape (n, {self.dim}) are expected")
        if len(array) > 0 and ((array < 0).any() or (array >= self.shape).any()):
            raise_value(f"cells: from 0 to {[n - 1 for n in self.shape]} are expected")
        colour = choose("to", to, {"free": 0, "occupied": 1, "unknown": 2})
        changes = np.zeros((len(array), 4), dtype=np.int32)
        changes[:, : self.dim] = array
        changes[:, 3] = colour
        field = ffi.cast("BerthField*", self._open())
        check(lib.berth_field_update(field, pointer(changes, "BerthFieldChange*"), len(changes)))

    def cells(self) -> Cells:
        """All cells: 1 occupied, 0 free, -1 unknown; shape as `shape`.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> bool((space.cells() == cells).all())
        True
        """
        out = np.zeros(self.shape, dtype=np.uint8)
        size = list(self.shape) + [1] * (3 - self.dim)
        strides = list(out.strides) + [0] * (3 - self.dim)
        lib.berth_field_read_block(
            self._open(),
            ffi.new("int32_t[3]"),
            ffi.new("int32_t[3]", size),
            ffi.new("int64_t[3]", strides),
            pointer(out, "uint8_t*"),
        )
        return np.where(out == 2, -1, out).astype(np.int8)

    def save(self, path: PathLike) -> None:
        """By extension: .bmap, .lin, .bt, .ot, .npy, .yaml; .ply is the surface of what is occupied. Written beside and renamed.

        >>> import berth, pathlib, tempfile, numpy
        >>> space = berth.Map.from_cells(numpy.ones((4, 4, 4), dtype=numpy.int8), resolution=0.1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     space.save(pathlib.Path(folder) / "room.bmap")
        ...     berth.Map.load(pathlib.Path(folder) / "room.bmap").format
        'bmap'
        """
        reading = Reading()
        if str(path).endswith(".ply"):
            options = ffi.new("BerthMapOptions*", lib.berth_default_map_options())
            reading.call(lib.berth_io_write_surface, c_path(path), self._open(), options, reading.options)
        else:
            reading.call(lib.berth_io_write_map, c_path(path), self._open(), ffi.NULL, reading.options)

    def esdf(self, *, gradient: bool = False, outside: Literal["free", "occupied"] = "free") -> Floats:
        """The signed distance of each cell's centre to the nearest obstacle, metres, shape as `shape`: below 0 in obstacles, inf where
        there is none. Or its `gradient`, with a last axis of `dim`.

        >>> import berth, numpy
        >>> cells = numpy.zeros((8, 8, 8), dtype=numpy.int8)
        >>> cells[4:, :, :] = 1
        >>> space = berth.Map.from_cells(cells, resolution=0.1)
        >>> [round(float(d), 3) for d in space.esdf()[2:6, 0, 0]]
        [0.15, 0.05, -0.05, -0.15]
        """
        reading, options = Reading(), ffi.new("BerthMapOptions*", lib.berth_default_map_options())
        walled = choose("outside", outside, {"free": 0, "occupied": 1}) == 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "esdf.npy")
            reading.call(lib.berth_io_write_esdf, c_path(path), self._open(), gradient, walled, options, reading.options)
            found: Floats = np.load(path)
        return found

    def __repr__(self) -> str:
        return f"<berth.Map, {' x '.join(map(str, self.shape))} cells of {self.resolution} m>"


def parts_of(names: Sequence[str]) -> int:
    """The bits of the parts that are named."""
    return sum({choose("parts", name, PARTS) for name in names})


def _builder(
    shape: tuple[int, ...], resolution: float, origin: ArrayLike, unknown: str, parts: Sequence[str]
) -> tuple[Any, Watch]:
    """A builder for a map of this shape."""
    watch = Watch()
    definition = ffi.new("BerthFieldDef*", lib.berth_default_field_def())
    size = ffi.new("int32_t[3]", list(shape) + [1] * (3 - len(shape)))
    definition.dim, definition.size = len(shape), [size[0], size[1], size[2]]
    definition.levels = lib.berth_field_levels_for(len(shape), size)
    definition.resolution = scalar(resolution, "resolution")
    corner = finite(numbers(origin, "origin"), "origin")
    if corner.shape not in ((len(shape),), (3,)):
        raise_value(f"origin has shape {corner.shape}; ({len(shape)},) is expected")
    definition.origin = vec3(np.resize(corner, 3) if corner.shape == (3,) else [*corner, 0.0], "origin")
    definition.unknown_is_free = choose("unknown", unknown, UNKNOWN_CELLS) == 1
    definition.parts = parts_of(parts)
    told = watch.callback("bool(void*, double)", lambda user, share: True, error=False)
    definition.progress = told
    out = ffi.new("BerthFieldBuilder**")
    check(lib.berth_field_builder_create(definition, out))
    return own(out[0], "berth_field_builder_destroy", told), watch


def _build(builder: Any, watch: Watch) -> Any:
    out = ffi.new("BerthField**")
    check(watch.call(lib.berth_field_build, builder, out))
    return own(out[0], "berth_field_destroy", builder)


def _answer_dtype() -> np.dtype[Any]:
    """BerthFieldAnswer as numpy sees it."""
    types: dict[str, Any] = {"verdict": np.uint32, "lower": np.float64, "upper": np.float64, "outside": np.bool_}
    point = np.dtype([("x", np.float64), ("y", np.float64), ("z", np.float64)])
    types["nearest"] = point
    offsets = [ffi.offsetof("BerthFieldAnswer", name) for name in types]
    return np.dtype(
        {
            "names": list(types),
            "formats": list(types.values()),
            "offsets": offsets,
            "itemsize": ffi.sizeof("BerthFieldAnswer"),
        }
    )
