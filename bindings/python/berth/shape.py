# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Shapes that objects of a scene are made of. Metres; axes of cylinders, capsules and cones are z, centred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from berth._arrays import ArrayLike, Floats, Point, numbers, pointer, point_of, rows, scalar, vec3, vector
from berth._files import Packages, PathLike, Reading
from berth._abi import ffi
from berth._library import c_path, check, lib, own, raise_type, raise_value


@dataclass(frozen=True)
class Box:
    """A cuboid by its full sizes."""

    size: ArrayLike  #: along x, y, z


@dataclass(frozen=True)
class Sphere:
    """A ball."""

    radius: float


@dataclass(frozen=True)
class Capsule:
    """All points within a radius of a line; `length` is between the centres of its two round ends."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cylinder:
    """A round rod."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A round cone with its tip at +z."""

    radius: float
    length: float


@dataclass(frozen=True)
class HalfSpace:
    """Solid where normal . x <= offset: a floor is (0, 0, 1) and its height."""

    normal: ArrayLike
    offset: float = 0.0


class Mesh:
    """Triangles: solid when they are closed, else a surface; with `hull` their convex hull.

    >>> import berth
    >>> mesh = berth.Mesh.load("build/models/arm6/base.stl")
    >>> mesh.watertight
    True
    """

    def __init__(self, vertices: Any, triangles: Any, *, hull: bool = False) -> None:
        """Vertices of shape (n, 3), triangles of shape (m, 3): numbers of vertices. Equal vertices are welded, triangles without
        area are dropped."""
        points = rows(vertices, 3, "vertices")
        try:
            corners = np.asarray(triangles)
        except ValueError:
            raise_value("triangles: its rows differ in length")
        if corners.dtype.kind not in "iu":
            raise_type(f"triangles has dtype {corners.dtype}; whole numbers are expected")
        if corners.ndim != 2 or corners.shape[1] != 3 or corners.shape[0] < 1:
            raise_value(f"triangles has shape {corners.shape}; (n, 3) with n >= 1 is expected")
        if corners.min() < 0 or corners.max() >= len(points):
            raise_value(f"triangles name vertices {corners.min()} to {corners.max()}; 0 to {len(points) - 1} are there")
        self._take(make_mesh(points, np.ascontiguousarray(corners, dtype=np.int32)), hull)

    def _take(self, mesh: Any, hull: bool) -> None:
        """Copies what a BerthMesh holds."""
        self.hull = hull
        info = lib.berth_mesh_info(mesh)
        self.vertices: Floats = np.empty((info.vertex_count, 3))  #: after welding
        self.triangles: npt.NDArray[np.int32] = np.empty((info.triangle_count, 3), dtype=np.int32)  #: that are left
        ffi.memmove(self.vertices.data, lib.berth_mesh_vertices(mesh), self.vertices.nbytes)
        ffi.memmove(self.triangles.data, lib.berth_mesh_triangles(mesh), self.triangles.nbytes)
        self.vertices.flags.writeable = self.triangles.flags.writeable = False
        self.watertight = bool(info.watertight)  #: closed: it is solid
        self.convex = bool(info.convex)  #: it is its own hull
        self.volume = float(info.volume)  #: m3; 0 when it is open
        self.area = float(info.area)  #: m2
        self.low: Point = point_of(info.low)  #: smallest coordinates
        self.high: Point = point_of(info.high)  #: largest coordinates

    @classmethod
    def load(
        cls,
        path: PathLike,
        *,
        scale: Union[float, ArrayLike] = 1.0,
        hull: bool = False,
        packages: Optional[Packages] = None,
    ) -> "Mesh":
        """Reads STL, OBJ, and where the library has assimp DAE, PLY and glTF. `scale` may be one number or one an axis.

        >>> import berth
        >>> berth.Mesh.load("build/models/arm6/base.stl", scale=0.5, hull=True).hull
        True
        """
        reading = Reading(packages)
        factors = vector(np.broadcast_to(numbers(scale, "scale"), (3,)) if np.ndim(scale) == 0 else scale, 3, "scale")
        out = ffi.new("BerthMesh**")
        reading.call(lib.berth_io_read_mesh, c_path(path), vec3(factors, "scale"), reading.options, out)
        made = cls.__new__(cls)
        made._take(own(out[0], "berth_mesh_destroy"), hull)
        return made

    def __repr__(self) -> str:
        kind = "closed" if self.watertight else "open"
        return f"<berth.Mesh, {len(self.triangles)} triangles, {kind}>"


@dataclass(frozen=True, eq=False)
class Points:
    """Points that a sensor saw, each with a radius."""

    points: Any  #: shape (n, 3)
    radius: float = 0.0


Shape = Union[Box, Sphere, Capsule, Cylinder, Cone, HalfSpace, Mesh, Points]


# ---- solids for C ------------------------------------------------------------------------------------------------------


def make_mesh(points: Floats, corners: npt.NDArray[np.int32]) -> Any:
    """A BerthMesh, owned."""
    out = ffi.new("BerthMesh**")
    check(
        lib.berth_mesh_create(
            pointer(points, "BerthVec3*"), len(points), pointer(corners, "int32_t*"), len(corners), ffi.NULL, out
        )
    )
    return own(out[0], "berth_mesh_destroy")


def _primitive(shape: Shape, out: Any) -> int:
    """Makes a BerthShape."""
    if isinstance(shape, Box):
        status = lib.berth_shape_box(vec3(shape.size, "size"), out)
    elif isinstance(shape, Sphere):
        status = lib.berth_shape_sphere(scalar(shape.radius, "radius"), out)
    elif isinstance(shape, HalfSpace):
        status = lib.berth_shape_halfspace(vec3(shape.normal, "normal"), scalar(shape.offset, "offset"), out)
    elif isinstance(shape, (Capsule, Cylinder, Cone)):
        maker = getattr(lib, f"berth_shape_{type(shape).__name__.lower()}")
        status = maker(scalar(shape.radius, "radius"), scalar(shape.length, "length"), out)
    else:
        raise_type(f"{shape!r} is no shape: berth.Box, Sphere, Capsule, Cylinder, Cone, HalfSpace, Mesh or Points is expected")
    return int(status)


def solid_of(shape: Shape) -> Any:
    """A BerthSolid that nobody owns yet: it is for a call that takes it."""
    out = ffi.new("BerthSolid**")
    if isinstance(shape, Mesh):
        if shape.hull:
            hull = ffi.new("BerthHull**")
            check(lib.berth_hull_create(pointer(shape.vertices, "BerthVec3*"), len(shape.vertices), ffi.NULL, hull))
            check(lib.berth_solid_from_hull(hull[0], ffi.NULL, out))
        else:
            mesh = make_mesh(shape.vertices, shape.triangles)
            ffi.gc(mesh, None)  # the solid takes it, also on failure
            check(lib.berth_solid_from_mesh(mesh, ffi.NULL, out))
    elif isinstance(shape, Points):
        points = rows(shape.points, 3, "points")
        check(lib.berth_solid_from_points(pointer(points, "BerthVec3*"), len(points), ffi.NULL, out))
    else:
        made = ffi.new("BerthShape*")
        check(_primitive(shape, made))
        check(lib.berth_solid_from_shape(made, ffi.NULL, out))
    return out[0]
