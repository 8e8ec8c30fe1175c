# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""numpy arrays and C memory: what shape, dtype and values are accepted, and pointers into arrays without copies."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from berth._abi import ffi
from berth._library import lib, raise_type, raise_value

Floats = npt.NDArray[np.float64]
#: numbers in a row: a list, a tuple or an array
ArrayLike = Union[Sequence[float], npt.NDArray[Any]]
#: rows of numbers
RowsLike = Union[Sequence[Union[Sequence[float], npt.NDArray[Any]]], npt.NDArray[Any]]
#: a pose: a 4x4 matrix (berth.pose makes one), or three numbers: a place without a turn
PoseLike = Union[RowsLike, ArrayLike]
#: a point or direction
Point = tuple[float, float, float]


def numbers(values: Any, what: str) -> Floats:
    """Any array-like of real numbers as contiguous doubles; copied only where it is not that already."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise_value(f"{what}: its rows differ in length")
    if array.dtype.kind not in "fiu":
        raise_type(f"{what} has dtype {array.dtype}; real numbers are expected")
    return np.ascontiguousarray(array, dtype=np.float64)


def finite(array: Floats, what: str) -> Floats:
    """Refuses NaN and infinity, and says where the first is."""
    good = np.isfinite(array)
    if not good.all():
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        where = str(place[0]) if len(place) == 1 else str(list(place))
        raise_value(f"{what}: element {where} is {array[place]}, a finite number is expected")
    return array


def vector(values: Any, count: int, what: str) -> Floats:
    """`count` finite numbers."""
    array = numbers(values, what)
    if array.shape != (count,):
        raise_value(f"{what} has shape {array.shape}; ({count},) is expected")
    return finite(array, what)


def rows(values: Any, width: int, what: str) -> Floats:
    """Rows of `width` finite numbers, at least one."""
    array = numbers(values, what)
    if array.ndim != 2 or array.shape[1] != width or array.shape[0] < 1:
        raise_value(f"{what} has shape {array.shape}; (n, {width}) with n >= 1 is expected")
    return finite(array, what)


def scalar(value: Any, what: str) -> float:
    """One finite number."""
    return float(vector([value] if np.ndim(value) == 0 else value, 1, what)[0])


def shared(array: Any, dtype: Any, shape: tuple[Optional[int], ...], what: str, writes: bool = False) -> Any:
    """An array that C works on where it is: never copied, so it must be what C expects."""
    kind = np.dtype(dtype)
    wanted = ", ".join("n" if size is None else str(size) for size in shape)
    if not isinstance(array, np.ndarray):
        raise_type(f"{what} is a {type(array).__name__}; a numpy array of {kind} is expected")
    if array.dtype != kind:
        raise_type(f"{what} has dtype {array.dtype}; {kind} is expected: numpy.ascontiguousarray(x, dtype=numpy.{kind})")
    if array.ndim != len(shape) or any(size is not None and size != real for size, real in zip(shape, array.shape)):
        raise_value(f"{what} has shape {array.shape}; ({wanted}) is expected")
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise_value(f"{what} is not contiguous; numpy.ascontiguousarray(x) makes it so")
    if writes and not array.flags.writeable:
        raise_value(f"{what} is read-only")
    return array


def pointer(array: Any, ctype: str) -> Any:
    """C's view of an array's memory, which must outlive the call."""
    return ffi.cast(ctype, array.ctypes.data)


def doubles(array: Floats) -> Any:
    """A `const double*` into the array."""
    return ffi.cast("double*", array.ctypes.data)


def from_doubles(source: Any, shape: tuple[int, ...]) -> Floats:
    """A copy of C's doubles, read-only."""
    size = int(np.prod(shape))
    out = np.empty(size, dtype=np.float64)
    if size:
        ffi.memmove(out.data, source, size * 8)
    out = out.reshape(shape)
    out.flags.writeable = False
    return out


def point_of(vec: Any) -> Point:
    """A BerthVec3 as a tuple."""
    return (vec.x, vec.y, vec.z)


def vec3(values: Any, what: str) -> dict[str, float]:
    """Three finite numbers as cffi initialises a BerthVec3."""
    array = vector(values, 3, what)
    return {"x": array[0], "y": array[1], "z": array[2]}


def pose(
    xyz: ArrayLike = (0.0, 0.0, 0.0),
    rpy: Optional[ArrayLike] = None,
    quat: Optional[ArrayLike] = None,
) -> Floats:
    """A 4x4 matrix of a place and a turn: `rpy` are roll, pitch and yaw as URDF has them, `quat` is x, y, z, w.

    >>> import berth
    >>> berth.pose([0, 0, 1], rpy=[0, 0, 0])[2, 3]
    1.0
    """
    place = vec3(xyz, "xyz")
    out = ffi.new("BerthPose*")
    if rpy is not None and quat is not None:
        raise_value("a pose has rpy or quat, not both")
    if quat is not None:
        x, y, z, w = vector(quat, 4, "quat")
        if lib.berth_pose_from_quat(place, {"x": x, "y": y, "z": z, "w": w}, out) != 0:
            raise_value(f"quat is {list(quat)}: x, y, z, w with a length above 0 are expected")
    else:
        out[0] = lib.berth_pose_from_rpy(place, vec3((0, 0, 0) if rpy is None else rpy, "rpy"))
    return matrix_of(out[0])


def matrix_of(c_pose: Any) -> Floats:
    """A BerthPose as a 4x4 matrix."""
    out = np.eye(4)
    for column, axis in enumerate((c_pose.x, c_pose.y, c_pose.z, c_pose.t)):
        out[:3, column] = (axis.x, axis.y, axis.z)
    return out


def c_pose(values: Optional[Any], what: str) -> Any:
    """A BerthPose from a 4x4 matrix, three numbers, or None: the origin. That it is a rotation C checks."""
    out = ffi.new("BerthPose*")
    if values is None:
        out[0] = lib.berth_pose_identity()
        return out
    array = numbers(values, what)
    if array.shape == (3,):
        out[0] = lib.berth_pose_identity()
        out.t = vec3(array, what)
        return out
    if array.shape != (4, 4):
        raise_value(f"{what} has shape {array.shape}; a 4x4 matrix (berth.pose) or three numbers are expected")
    finite(array, what)
    if not np.array_equal(array[3], (0.0, 0.0, 0.0, 1.0)):
        raise_value(f"{what}: the last row of its matrix is {array[3].tolist()}; 0, 0, 0, 1 is expected")
    for column, axis in enumerate("xyzt"):
        setattr(out, axis, {"x": array[0, column], "y": array[1, column], "z": array[2, column]})
    return out
