#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""A second verifier of berth's certificates, which shares no code with the library.

    verify_certificate.py SCENE TRAJECTORY... CERTIFICATE [--srdf FILE] [--package NAME=DIR] [--margin M] [--self-margin M]
                          [--tracking-error E|J=E,...] [--moving stand|reach] [--interpolation linear|cubic|quintic] [--budget N]

Reads scene, URDF, SRDF, meshes (STL, OBJ), trajectories (CSV, npy, JointTrajectory) and certificate itself and proves every record again, by the theorems of
docs/reference/certificate.md. Exit status: 0 it holds; 2 it does not, or an input is wrong: one line names the record; 3 every record that
was checked holds, but something is not covered by this program or is taken on trust, and is named. The options say what is asked of the
certificate, as those of `berth path --verify` do: a proof of less is refused. It is one file, so that it can be read and carried alone; it has
some 2,200 lines where 1,500 were planned, because it reads nine formats itself (scene, URDF, SRDF, two of meshes, three of motions,
certificates), which is half of it, and proves planar and floating joints, moving objects and several motions at once: less would be exit 3.

Numbers are doubles. Every bound is enlarged (ENLARGED) or has a slack (SLACK per metre of the numbers that it is made of) taken off that is
larger than all rounding on the way; comparisons are written so that NaN proves nothing.
"""
import argparse
import csv
import hashlib
import json
import math
import os
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

try:
    import numpy as np
    import yaml
except ImportError as missing:
    print(f"verify_certificate.py: {missing}: numpy and yaml are needed (Debian: python3-numpy, python3-yaml)", file=sys.stderr)
    sys.exit(2)

U = 2.0 ** -53
SLACK = 64.0 * U  # metres of rounding a metre of the numbers that a point comes from
ENLARGED = 1.0 + 2.0 ** -44  # more than the rounding of any sum or product of bounds here
FOLLOW_SHARE = 0.25  # of the slack, a radian of joints that follow others
LEVEL_MAX = 50
INF = math.inf


class Refused(Exception):
    """The certificate does not hold, or an input is wrong: exit 2."""


class NotCovered(Exception):
    """This program does not read or prove that: exit 3."""


DECIMAL = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")


def number(value, what, least=-INF):
    """A finite decimal number. Python's own float() also takes '1_0', 'nan' and digits of other scripts."""
    text = value.strip(" \t\r\n") if isinstance(value, str) else repr(value)
    if isinstance(value, bool) or not DECIMAL.fullmatch(text):
        raise Refused(f"{what}: '{value}' is not a number")
    out = float(text)
    if not math.isfinite(out) or not out >= least:
        raise Refused(f"{what}: '{value}' is not finite, or below {least:g}")
    return out


def vector(values, what, count=3):
    if isinstance(values, str):
        values = values.split()
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise Refused(f"{what}: {count} numbers are expected, not '{values}'")
    return np.array([number(v, what) for v in values])


# ---- poses: a rotation matrix and a point ---------------------------------------------------------------------------------------


def pose(rotation=None, point=None):
    return (np.eye(3) if rotation is None else rotation, np.zeros(3) if point is None else np.asarray(point, float))


def times(a, b):
    return a[0] @ b[0], a[0] @ b[1] + a[1]


def apply(a, points):
    return points @ a[0].T + a[1]


def turn_about(axis, angle):
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + s * k + (1 - c) * (k @ k)


def from_rpy(rpy):
    r, p, y = rpy
    cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def from_quat(q, what):
    length = math.sqrt(float(q @ q))
    if not length > 1e-6:
        raise Refused(f"{what}: the quaternion is zero")
    x, y, z, w = q / length
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def quat_product(a, b):
    """Of x, y, z, w."""
    return np.array([a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                     a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]])


class Arc:
    """The shorter turn from one orientation to another at constant speed, from u0 to u1 of its way."""

    def __init__(self, start, goal, what, u0=0.0, u1=1.0):
        a, b = (np.array([float(x) for x in q]) for q in (start, goal))
        sizes = [math.sqrt(float(q @ q)) for q in (a, b)]
        if not min(sizes) > 1e-6:
            raise Refused(f"{what}: the quaternion is zero")
        a, b = a / sizes[0], b / sizes[1]
        if not abs(float(a @ b)) > 1e-6:
            raise Refused(f"{what}: half a turn, and which way is not said")
        turn = quat_product(np.array([-a[0], -a[1], -a[2], a[3]]), b if float(a @ b) > 0.0 else -b)
        size = length(turn)
        self.start, self.half_angle = a, math.atan2(size, turn[3])
        self.axis = turn[:3] / size if size > 0.0 else np.array([1.0, 0, 0])
        self.u0, self.u1 = float(u0), float(u1)

    @property
    def speed(self):
        return 2.0 * self.half_angle * (self.u1 - self.u0)

    def at(self, t):
        half = self.half_angle * (self.u0 + t * (self.u1 - self.u0))
        return from_quat(quat_product(self.start, np.append(self.axis * math.sin(half), math.cos(half))), "an arc")


def keys_of(node, allowed, what):
    """A map of a scene that has no other keys: what is not known here could change what is meant."""
    if not isinstance(node, dict) or not set(node) <= set(allowed):
        raise Refused(f"{what}: a map of {', '.join(allowed)} is expected, not '{node}'"[:300])
    return node


def pose_of_yaml(node, what):
    if node is None:
        return pose()
    keys_of(node, ("xyz", "rpy", "quat"), what)
    if "rpy" in node and "quat" in node:
        raise Refused(f"{what}: rpy and quat")
    rotation = np.eye(3)
    if "quat" in node:
        rotation = from_quat(vector(node["quat"], what, 4), what)
    elif "rpy" in node:
        rotation = from_rpy(vector(node["rpy"], what))
    return rotation, vector(node.get("xyz", [0, 0, 0]), what)


def length(v):
    return math.sqrt(float(v[0]) ** 2 + float(v[1]) ** 2 + float(v[2]) ** 2)


# numpy's cross and dot are slow on three numbers.
def cross(a, b):
    ax, ay, az = float(a[0]), float(a[1]), float(a[2])
    bx, by, bz = float(b[0]), float(b[1]), float(b[2])
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def dot(a, b):
    return float(a[0]) * float(b[0]) + float(a[1]) * float(b[1]) + float(a[2]) * float(b[2])


# ---- files ----------------------------------------------------------------------------------------------------------------------


class Files:
    """Every file that was read, with its sum."""

    def __init__(self):
        self.sums = {}

    def read(self, path):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise Refused(f"{path}: cannot be read: {error.strerror}") from None
        self.sums[path] = hashlib.sha256(data).hexdigest()
        return data


def read_stl(data, path):
    if len(data) >= 84:
        count = struct.unpack("<I", data[80:84])[0]
        if len(data) == 84 + 50 * count:
            rows = np.frombuffer(data, dtype=np.dtype([("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")]), count=count, offset=84)
            return rows["v"].astype(float).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)
    lines = [line.split() for line in data.decode("latin-1").splitlines()]
    if not lines or lines[0][:1] != ["solid"]:
        raise NotCovered(f"{path}: neither a binary nor a text STL")
    rows = [words[1:] for words in lines[1:] if words[:1] == ["vertex"]]
    loops = [words for words in lines[1:] if words[:2] == ["outer", "loop"]]
    if not rows or len(rows) != 3 * len(loops) or any(len(r) != 3 for r in rows):
        raise NotCovered(f"{path}: a text STL without whole triangles, a line each")
    return np.array([[number(w, path) for w in r] for r in rows]), np.arange(len(rows)).reshape(-1, 3)


def read_obj(data, path):
    points, corners = [], []
    for line in data.decode("latin-1").split("\n"):
        words = line.split("#")[0].split()
        if line.rstrip("\r").endswith("\\"):
            raise NotCovered(f"{path}: lines that go on in the next one")
        if words and words[0] == "v":
            points.append(vector(words[1:4], path).tolist())
        elif words and words[0] == "f":
            index = [int(number(w.split("/")[0], path)) for w in words[1:]]
            if len(index) < 3 or 0 in index:
                raise Refused(f"{path}: '{line[:60]}': at least three corners are expected, counted from 1")
            index = [i - 1 if i > 0 else len(points) + i for i in index]
            corners += [[index[0], i, j] for i, j in zip(index[1:], index[2:])]  # a fan from its first corner, as the library has it
    if any(not 0 <= i < len(points) for t in corners for i in t):
        raise Refused(f"{path}: a face names a vertex that is not there")
    return np.array(points, float).reshape(-1, 3), np.array(corners, int).reshape(-1, 3)


class Mesh:
    """Triangles of a file: points that are equal are one."""

    def __init__(self, points, triangles):
        points = points + 0.0  # no negative zeros
        self.points, inverse = np.unique(points, axis=0, return_inverse=True)
        inverse = np.asarray(inverse).reshape(-1)
        triangles = inverse[triangles] if len(triangles) else triangles
        whole = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2]) & (triangles[:, 2] != triangles[:, 0])
        self.degenerate = triangles[~whole]
        kept = {}
        for t in triangles[whole].tolist():
            kept.setdefault(tuple(sorted(t)), t)
        self.triangles = np.array(list(kept.values()), int).reshape(-1, 3)
        self.find_topology()

    def find_topology(self):
        """Closed: each edge has as many triangles on one side as on the other. One point of each piece of surface."""
        balance, total = {}, {}
        for t in self.triangles.tolist():
            for k in range(3):
                i, j = t[k], t[(k + 1) % 3]
                key = (min(i, j), max(i, j))
                balance[key] = balance.get(key, 0) + (1 if i < j else -1)
                total[key] = total.get(key, 0) + 1
        self.closed = bool(balance) and not any(balance.values())
        self.twisted = not self.closed and bool(total) and all(n % 2 == 0 for n in total.values())
        label = np.arange(len(self.points))
        while len(self.triangles):
            least = label[self.triangles].min(axis=1)
            before = label.copy()
            for k in range(3):
                np.minimum.at(label, self.triangles[:, k], least)
            label = label[label]
            if (label == before).all():
                break
        used = np.unique(label[self.triangles]) if len(self.triangles) else []
        self.piece_points = self.points[used]
        if self.closed:
            self.turn_pieces_outward(label[self.triangles[:, 0]])

    def turn_pieces_outward(self, piece):
        """Pieces that are inside out are turned, so that windings of pieces that overlap cannot cancel; but not one wholly in another: a cavity."""
        a, b, c = (self.points[self.triangles[:, k]] - self.points[self.triangles[0, 0]] for k in range(3))
        six_volumes = (a * np.cross(b, c)).sum(axis=1)
        volume = {p: float(six_volumes[piece == p].sum()) for p in np.unique(piece)}
        outward = self.triangles[[volume[p] > 0.0 for p in piece]]
        for p in [p for p in volume if volume[p] < 0.0]:
            corners = self.points[np.unique(self.triangles[piece == p])]
            if not len(outward) or not all(w > 0.5 for w in self.winding(corners, outward)):
                self.triangles[piece == p] = self.triangles[piece == p][:, ::-1]

    def winding(self, points, triangles=None):
        """How often the surface goes round each point: by solid angles."""
        triangles, out = self.triangles if triangles is None else triangles, []
        for p in points:
            a, b, c = (self.points[triangles[:, k]] - p for k in range(3))
            la, lb, lc = (np.sqrt((x * x).sum(axis=1)) for x in (a, b, c))
            up = (a * np.cross(b, c)).sum(axis=1)
            down = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
            out.append(float(np.arctan2(up, down).sum() / (2 * math.pi)))
        return out


# ---- shapes ---------------------------------------------------------------------------------------------------------------------


class Part:
    """One shape of a body, in the frame of the body. A support is a maximum of n . x over all of it."""

    def __init__(self, kind, place, points=None, radius=0.0, axis=None, half=0.0, mesh=None):
        self.kind, self.place, self.radius, self.half, self.mesh = kind, place, radius, half, mesh
        self.points = None if points is None else apply(place, np.asarray(points, float))
        self.axis = None if axis is None else place[0] @ axis
        self.leaves = None  # of a mesh whose leaves are counted: corners of each, in order
        self.extent = self.find_extent(points)

    def find_extent(self, points):
        """How large its numbers are, in its own frame."""
        if self.kind == "halfspace":
            return abs(self.half)
        most = max(length(p) for p in points) if points is not None and len(points) else 0.0
        return most + self.radius + (self.half if self.kind in ("cylinder", "cone") else 0.0)

    def support(self, n, first=0, end=None):
        if self.kind == "points":
            points = self.points if self.leaves is None or end is None else self.leaves[max(first, 0):end].reshape(-1, 3)
            return float((points @ n).max()) + self.radius
        if self.kind == "halfspace":
            return INF
        # Not the root of |n|^2 - along^2: near the axis that is rounded by 1e-8, and no slack here is so large.
        along = dot(n, self.axis)
        across = length(n - along * self.axis) + 8 * U * length(n)
        middle = dot(n, self.points[0])
        if self.kind == "cylinder":
            return middle + abs(along) * self.half + across * self.radius
        return middle + max(along * self.half, -along * self.half + across * self.radius)  # a cone

    def reach_from(self, c):
        """No point is further from c."""
        if self.kind == "points":
            d = self.points - c
            return math.sqrt(float((d * d).sum(axis=1).max())) * (1 + 8 * U) + self.radius
        if self.kind == "halfspace":
            return INF
        # The circles at its ends, of which a cone has one and a tip.
        d = self.points[0] - c
        along = dot(d, self.axis)
        across = length(d - along * self.axis) + 8 * U * length(d)
        top = 0.0 if self.kind == "cone" else self.radius
        return max(math.hypot(along + self.half, across + top), math.hypot(along - self.half, across + self.radius)) * (1 + 8 * U)

    def reach_from_axis(self, axis):
        """No point is further from the axis through the frame's origin."""
        if self.kind == "points":
            d = self.points - np.outer(self.points @ axis, axis)
            return math.sqrt(float((d * d).sum(axis=1).max())) * (1 + 8 * U) + self.radius
        if self.kind == "halfspace":
            return INF
        # Round ones: the largest support across the axis, asked all round; between two directions no more than that over the cosine.
        other = np.array([1.0, 0, 0]) if abs(axis[0]) < 0.6 else np.array([0, 1.0, 0])
        first = cross(axis, other)
        first = first / length(first)
        second = cross(axis, first)
        most = 0.0
        for k in range(128):
            angle = 2 * math.pi * k / 128
            most = max(most, self.support(math.cos(angle) * first + math.sin(angle) * second))
        return most / math.cos(math.pi / 128) * (1 + 2.0 ** -40)

    def sample_points(self):
        """One point of each piece of it. A half-space is inside of nothing."""
        if self.kind == "halfspace":
            return np.zeros((0, 3))
        return apply(self.place, self.mesh.piece_points) if self.mesh is not None else self.points[:1]

    @property
    def leaf_count(self):
        return 1 if self.leaves is None else len(self.leaves)

    @property
    def is_ball(self):
        return self.kind == "points" and self.mesh is None and len(self.points) == 1


def box_points(half):
    return [[x * half[0], y * half[1], z * half[2]] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def make_part(kind, values, place, what):
    """box, sphere, cylinder, capsule, cone, halfspace of a scene or a URDF."""
    up = np.array([0.0, 0.0, 1.0])
    if kind == "box":
        size = vector(values["size"], what)
        if not (size >= 0.0).all():
            raise Refused(f"{what}: a box of size {size.tolist()}")
        return Part("points", place, box_points(size / 2))
    if kind == "halfspace":
        normal = vector(values["normal"], what)
        size = length(normal)
        if not size > 1e-6:
            raise Refused(f"{what}: a half-space without a direction")
        part = Part("halfspace", place, half=number(values.get("offset", 0.0), what) / size)
        part.normal = place[0] @ (normal / size)
        part.offset = part.half + dot(part.normal, place[1])
        return part
    radius = number(values["radius"], what, 0.0)
    if kind == "sphere":
        return Part("points", place, [[0, 0, 0]], radius=radius)
    half = number(values["length"], what, 0.0) / 2
    if kind == "capsule":
        return Part("points", place, [[0, 0, -half], [0, 0, half]], radius=radius)
    if kind in ("cylinder", "cone"):
        return Part(kind, place, [[0, 0, 0]], radius=radius, axis=up, half=half)
    raise NotCovered(f"{what}: {kind}")


class Body:
    def __init__(self, name, frame, parts, robot=None, link=None, item=None):
        self.name, self.frame, self.parts = name, frame, parts
        self.robot, self.link, self.item = robot, link, item
        self.padding = robot.padding if robot is not None else 0.0
        self.size = max(length(p.place[1]) + p.extent for p in parts)
        self.own_size = self.size
        if robot is not None:
            self.size += length(robot.base[1]) + sum(length(f.before[1]) + abs(f.offset) for f in robot.frames[1:])
        self.centre, self.radius = np.zeros(3), INF

    def set_ball(self, centre):
        """A ball around the centre that the certificate names; its radius is found here."""
        self.centre = centre
        self.radius = max(p.reach_from(centre) for p in self.parts) * (1 + 8 * U) + 4 * U * length(centre)

    @property
    def halfspace(self):
        return self.parts[0] if len(self.parts) == 1 and self.parts[0].kind == "halfspace" else None

    @property
    def leaf_count(self):
        return sum(p.leaf_count for p in self.parts)


# ---- robots ---------------------------------------------------------------------------------------------------------------------


class Frame:
    """What one joint moves: parent frame, where the joint is in it, how it moves, its first value."""

    def __init__(self, parent, before, kind, axis, value, multiplier, offset):
        self.parent, self.before, self.kind, self.axis = parent, before, kind, axis
        self.value, self.multiplier, self.offset = value, multiplier, offset
        self.across = plane_directions(axis) if kind == "planar" else None


def plane_directions(n):
    """x and y of the joint's frame, turned by the shortest rotation that takes z to n; half a turn about x for -z."""
    flat = n[0] ** 2 + n[1] ** 2
    if n[2] < 0.0 and not flat > 0.0:
        return np.array([1.0, 0, 0]), np.array([0, -1.0, 0])
    k = (1.0 - n[2]) / flat if n[2] < 0.0 else 1.0 / (1.0 + n[2])
    return np.array([1.0 - k * n[0] ** 2, -k * n[0] * n[1], -n[0]]), np.array([-k * n[0] * n[1], 1.0 - k * n[1] ** 2, -n[1]])


COMPONENTS = {"planar": ("x", "y", "theta"), "floating": ("x", "y", "z", "qx", "qy", "qz", "qw")}


class Joint:
    @staticmethod
    def of_base(name, kind, link):
        """The virtual joint that moves a free base."""
        self = Joint.__new__(Joint)
        self.name, self.kind, self.parent, self.child, self.origin = name, kind, None, link, pose()
        self.axis, self.limits, self.mimic = np.array([0, 0, 1.0]), None, None
        return self

    def value_names(self):
        return [f"{self.name}/{c}" for c in COMPONENTS[self.kind]] if self.kind in COMPONENTS else [self.name]

    def __init__(self, element, path):
        self.name = element.get("name")
        self.kind = element.get("type")
        self.parent = element.find("parent").get("link")
        self.child = element.find("child").get("link")
        self.origin = urdf_origin(element, path)
        what = f"{path}: joint '{self.name}'"
        axis = element.find("axis")
        self.axis = vector(axis.get("xyz"), what) if axis is not None else np.array([1.0, 0, 0])
        if self.kind not in ("fixed", "revolute", "continuous", "prismatic", "floating", "planar"):
            raise NotCovered(f"{what} is {self.kind}")
        if self.kind not in ("fixed", "floating"):
            if not length(self.axis) > 1e-6:
                raise Refused(f"{what}: a zero axis")
            self.axis = self.axis / length(self.axis)
        limit = element.find("limit")
        self.limits = None
        if limit is not None and self.kind in ("revolute", "prismatic"):
            self.limits = (number(limit.get("lower", 0), what), number(limit.get("upper", 0), what))
        mimic = element.find("mimic")
        self.mimic = None
        if mimic is not None and self.kind in COMPONENTS:
            raise Refused(f"{what}: it is {self.kind} and cannot follow")
        if mimic is not None and self.kind != "fixed":
            self.mimic = (mimic.get("joint"), number(mimic.get("multiplier", 1), what), number(mimic.get("offset", 0), what))


def urdf_origin(element, path):
    origin = element.find("origin")
    if origin is None:
        return pose()
    return (from_rpy(vector(origin.get("rpy", "0 0 0"), path)), vector(origin.get("xyz", "0 0 0"), path))


class Robot:
    def __init__(self, path, srdf, node, reader):
        self.path, self.node = path, node
        keys_of(node, ("name", "urdf", "srdf", "base", "free_base", "state", "padding", "hull", "limits"), path)
        self.padding = number(node.get("padding", 0.0), f"{path}: padding", 0.0)
        self.base = pose_of_yaml(node.get("base"), f"{path}: base")
        root = parse_xml(reader.files.read(path), path)
        self.name = node.get("name") or root.get("name") or ""
        joints = [Joint(e, path) for e in root.findall("joint")]
        self.joints = {j.name: j for j in joints}
        self.links = [e.get("name") for e in root.findall("link")]
        if len(self.joints) != len(joints) or len(set(self.links)) != len(self.links) or len({j.child for j in joints}) != len(joints):
            raise Refused(f"{path}: two links or joints of one name, or a link with two parents")
        self.srdf = parse_xml(reader.files.read(srdf), srdf) if srdf is not None else None
        self.base_joint = self.find_base_joint() if truth(node.get("free_base"), path) else None
        movers = ([self.base_joint] if self.base_joint else []) + [j for j in joints if j.kind != "fixed" and j.mimic is None]
        self.value_names = [name for j in movers for name in j.value_names()]
        self.value_joints = [j for j in movers for _ in j.value_names()]
        self.value_names_of_many = {j.name for j in movers if j.kind in COMPONENTS}
        self.virtual = {e.get("name") for e in self.srdf.findall("virtual_joint")} if self.srdf is not None else set()
        self.build_frames(joints)
        self.read_srdf()
        self.parts = {}
        for element in root.findall("link"):
            self.read_link(element, reader)
        self.state = self.read_state(node.get("state"))

    def find_base_joint(self):
        """The first virtual joint of the SRDF that is planar or floating and moves a link of the robot."""
        for e in self.srdf.findall("virtual_joint") if self.srdf is not None else []:
            if e.get("type") in COMPONENTS and e.get("child_link") in self.links:
                if e.get("name") in self.joints:
                    raise Refused(f"{self.path}: the virtual joint has the name of another: '{e.get('name')}'")
                return Joint.of_base(e.get("name"), e.get("type"), e.get("child_link"))
        raise Refused(f"{self.path}: a free base is asked for, and no virtual joint is planar or floating")

    def follow(self, joint):
        """(the joint that moves in the end or None, multiplier, offset)."""
        multiplier, offset, seen = 1.0, 0.0, set()
        while joint.mimic is not None:
            name, m, o = joint.mimic
            if name in seen or name not in self.joints:
                raise Refused(f"{self.path}: joint '{joint.name}' follows '{name}'")
            seen.add(name)
            offset += multiplier * o
            multiplier *= m
            joint = self.joints[name]
            if joint.kind in COMPONENTS:
                raise Refused(f"{self.path}: what is {joint.kind} cannot be followed: '{name}'")
        return (None if joint.kind == "fixed" or multiplier == 0.0 else joint), multiplier, offset

    def build_frames(self, joints):
        children = {}
        for joint in joints:
            children.setdefault(joint.parent, []).append(joint)
        moved = {j.child for j in joints}
        roots = [n for n in self.links if n not in moved]
        if len(roots) != 1:
            raise Refused(f"{self.path}: one root link is expected, not {roots}")
        self.frames = [Frame(None, pose(), None, None, None, 1.0, 0.0)]
        self.place_of = {roots[0]: (0, pose())}
        if self.base_joint is not None:
            if self.base_joint.child != roots[0]:
                raise Refused(f"{self.path}: the virtual joint moves '{self.base_joint.child}', which is not the root")
            self.frames.append(Frame(0, pose(), self.base_joint.kind, self.base_joint.axis, 0, 1.0, 0.0))
            self.place_of = {roots[0]: (1, pose())}
        wait = [roots[0]]
        while wait:
            link = wait.pop()
            frame, place = self.place_of[link]
            for joint in children.get(link, []):
                before = times(place, joint.origin)
                if joint.kind == "fixed":
                    self.place_of[joint.child] = (frame, before)
                    wait.append(joint.child)
                    continue
                root, multiplier, offset = self.follow(joint)
                kind = joint.kind if joint.kind in COMPONENTS else "slide" if joint.kind == "prismatic" else "turn"
                if root is None:
                    stands = pose(None, offset * joint.axis) if kind == "slide" else pose(turn_about(joint.axis, offset))
                    self.place_of[joint.child] = (frame, times(before, stands))
                else:
                    self.frames.append(Frame(frame, before, kind, joint.axis, self.value_joints.index(root), multiplier, offset))
                    self.place_of[joint.child] = (len(self.frames) - 1, pose())
                wait.append(joint.child)

    def read_srdf(self):
        root = self.srdf
        self.listed = root is not None
        self.disabled, self.off, self.enabled, self.states, self.tabled = set(), set(), set(), {}, set()
        if root is None:
            return
        pair = lambda e: frozenset((e.get("link1"), e.get("link2")))
        self.disabled = {pair(e) for e in root.findall("disable_collisions")}
        self.off = {e.get("link") for e in root.findall("disable_default_collisions")}
        self.enabled = {pair(e) for e in root.findall("enable_collisions")}
        # A proven table only holds within limits, and only if it is true: its pairs are pairs, whatever is written beside them.
        self.tabled = {pair(e) for table in root.findall("berth_proven") for e in table.findall("pair")}
        for e in root.findall("group_state"):
            values = {j.get("name"): j.get("value") for j in e.findall("joint")}
            self.states.setdefault(e.get("name"), []).append(values)
            self.states[f"{e.get('group')}/{e.get('name')}"] = [values]

    def read_link(self, element, reader):
        name = element.get("name")
        frame, place = self.place_of[name]
        hull = self.node.get("hull")
        hull = name in hull if isinstance(hull, list) else truth(hull, self.path)
        for collision in element.findall("collision"):
            geometry = collision.find("geometry")
            if geometry is None or len(geometry) != 1:
                raise NotCovered(f"{self.path}: link '{name}' has a collision without one geometry")
            shape = geometry[0]
            at = times(place, urdf_origin(collision, self.path))
            at = times(self.base, at) if frame == 0 else at
            what = f"{self.path}: link '{name}'"
            if shape.tag == "mesh":
                scale = vector(shape.get("scale", "1 1 1"), what)
                part = reader.mesh_part(reader.find(shape.get("filename"), self.path), scale, hull, at)
            else:
                values = dict(shape.attrib)
                if "size" in values:
                    values["size"] = values["size"].split()
                part = make_part(shape.tag, values, at, what)
            self.parts.setdefault(name, []).append(part)

    def read_state(self, node):
        state = []
        for name, joint in zip(self.value_names, self.value_joints):
            low, high = joint.limits or (-INF, INF)
            state.append(1.0 if joint.kind == "floating" and name.endswith("/qw") else min(max(0.0, low), high))
        if isinstance(node, str):
            if node not in self.states or len(self.states[node]) != 1:
                raise NotCovered(f"{self.path}: state '{node}' is not in the SRDF, or in several groups")
            node = self.states[node][0]
        for name, value in (node or {}).items():
            if name not in self.value_names:
                if name in self.value_names_of_many:
                    raise NotCovered(f"{self.path}: state of '{name}', which has several values")
                if name in self.joints or name in self.virtual:
                    continue
                raise Refused(f"{self.path}: state of '{name}', which is no joint")
            state[self.value_names.index(name)] = number(value, f"{self.path}: state of '{name}'")
        for first, joint in enumerate(self.value_joints):
            if joint.kind == "floating" and self.value_joints.index(joint) == first:
                some = [n in (node or {}) for n in self.value_names[first + 3:first + 7]]
                if any(some) and not all(some):
                    raise NotCovered(f"{self.path}: state of a part of a quaternion")
        return state

    def chain(self, frame):
        """From the frame inward, without the base."""
        out = []
        while frame:
            out.append(frame)
            frame = self.frames[frame].parent
        return out

    def skips(self, a, b):
        """Why two of its links are no pair, or None."""
        frame_a, frame_b = self.place_of[a][0], self.place_of[b][0]
        if frame_a == frame_b:
            return "rigid"
        adjacent = self.frames[frame_a].parent == frame_b or self.frames[frame_b].parent == frame_a
        if self.listed:
            key = frozenset((a, b))
            off = (a in self.off or b in self.off) and key not in self.enabled
            if not (key in self.disabled or off):
                return None
            return "adjacent" if adjacent else "disabled" if key not in self.tabled else None
        return "adjacent" if adjacent else None


def truth(value, what):
    if value is None or value in ("false", "False", "FALSE"):
        return False
    if value in ("true", "True", "TRUE"):
        return True
    raise Refused(f"{what}: 'true' or 'false' is expected, not '{value}'")


def parse_xml(data, path):
    if b"<!DOCTYPE" in data:
        raise NotCovered(f"{path}: a document type")
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise Refused(f"{path}: {error}") from None


# ---- scenes ---------------------------------------------------------------------------------------------------------------------


class Item:
    """An object of the scene."""

    def __init__(self, node):
        keys_of(node, ("name", "pose", "attach", "touch", "mass", "moving", "person") + SHAPES, "object")
        self.name, self.attach, self.touch = node["name"], node.get("attach"), node.get("touch", [])
        self.speed = self.start = 0.0
        self.moves = "moving" in node or "person" in node
        for key in ("moving", "person"):
            values = node.get(key)
            if values is not None:
                self.speed = number(values["speed"], f"object '{self.name}': {key}.speed", 0.0)
        if "person" in node:
            self.start = sum(number(node["person"][k], f"object '{self.name}': person.{k}", 0.0) for k in ("intrusion", "uncertainty"))


SHAPES = ("box", "sphere", "cylinder", "capsule", "cone", "halfspace", "mesh", "map", "points", "parts")


class Reader:
    def __init__(self, packages):
        self.files = Files()
        self.packages = packages
        self.meshes = {}

    def find(self, name, beside):
        """Where package:// and relative names lead."""
        folder = os.path.dirname(os.path.abspath(beside))
        if name.startswith("file://"):
            name = name[7:]
        if not name.startswith("package://"):
            return os.path.join(folder, name)
        package, _, rest = name[10:].partition("/")
        places = [self.packages[package]] if package in self.packages else []
        up = folder
        while up != os.path.dirname(up):
            places += [up] if os.path.basename(up) == package else []
            places.append(os.path.join(up, package))
            up = os.path.dirname(up)
        for place in places:
            if os.path.exists(os.path.join(place, rest)):
                return os.path.join(place, rest)
        raise Refused(f"{beside}: '{name}' is not in {places}")

    def mesh_part(self, path, scale, hull, place):
        key = (path, tuple(scale))
        if key not in self.meshes:
            read = {".stl": read_stl, ".obj": read_obj}.get(os.path.splitext(path)[1].lower())
            if read is None:
                raise NotCovered(f"{path}: meshes are read from .stl and .obj")
            points, triangles = read(self.files.read(path), path)
            if not len(triangles) or not np.isfinite(points).all():
                raise Refused(f"{path}: no triangles, or numbers that are not finite")
            self.meshes[key] = Mesh(points * scale, triangles[:, ::-1] if np.prod(scale) < 0 else triangles)
        mesh = self.meshes[key]
        used = np.unique(np.concatenate([mesh.triangles.reshape(-1), mesh.degenerate.reshape(-1)]))
        return Part("points", place, mesh.points[used], mesh=None if hull else mesh)

    def shape_part(self, node, place, path, name):
        kinds = [k for k in SHAPES if k in node]
        what = f"{path}: object '{name}'"
        if len(kinds) != 1 or kinds[0] in ("map", "points", "parts"):
            raise NotCovered(f"{what} is {kinds}")
        values = keys_of(node[kinds[0]], ("size", "radius", "length", "normal", "offset", "file", "scale", "hull"), what)
        if kinds[0] == "mesh":
            keys_of(values, ("file", "scale", "hull"), what)
            scale = values.get("scale", ["1", "1", "1"])
            scale = vector(scale, what) if isinstance(scale, list) else np.full(3, number(scale, what))
            return self.mesh_part(self.find(values["file"], path), scale, truth(values.get("hull"), what), place)
        return make_part(kinds[0], values, place, what)


class TextLoader(yaml.BaseLoader):
    """Values stay text; a key that appears twice, and an alias, are refused."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(set(map(str, keys))) != len(keys):
            raise yaml.YAMLError(f"a key appears twice: {keys}"[:200])
        return {k: None if v in ("", "~", "null", "Null", "NULL") else v for k, v in super().construct_mapping(node, deep=True).items()}

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("an alias")
        return super().compose_node(parent, index)


class Scene:
    def __init__(self, path, srdf, packages):
        self.reader = Reader(dict(packages))
        if path.lower().endswith(".urdf"):
            node = {"robots": [{"urdf": os.path.abspath(path), "srdf": srdf and os.path.abspath(srdf)}]}
        else:
            try:
                # Everything as the text that is there: YAML 1.1 would take 010 for 8, 1:30 for 90 and a name 'on' for true.
                node = yaml.load(self.reader.files.read(path), Loader=TextLoader)
            except yaml.YAMLError as error:
                raise Refused(f"{path}: {error}") from None
            if not isinstance(node, dict) or node.get("berth") != "1":
                raise NotCovered(f"{path}: a scene with 'berth: 1' is expected")
            keys_of(node, ("berth", "packages", "robots", "objects", "allow", "safety", "materials"), path)
        for name, folder in (node.get("packages") or {}).items():
            self.reader.packages.setdefault(name, os.path.join(os.path.dirname(os.path.abspath(path)), folder))
        self.path = path
        self.robots = []
        for robot in node.get("robots") or []:
            srdf_name = robot.get("srdf")
            self.robots.append(Robot(self.reader.find(robot["urdf"], path), self.reader.find(srdf_name, path) if srdf_name else None,
                                     robot, self.reader))
        self.value_first = [sum(len(r.value_names) for r in self.robots[:i]) for i in range(len(self.robots))]
        many = len(self.robots) > 1
        self.value_names = [f"{r.name}/{n}" if many else n for r in self.robots for n in r.value_names]
        self.value_joints = [j for r in self.robots for j in r.value_joints]
        self.followers = {}  # joints that follow others, with the value that they follow or None
        for robot, first in zip(self.robots, self.value_first):
            for joint in robot.joints.values():
                if joint.mimic is not None:
                    root, multiplier, offset = robot.follow(joint)
                    value = first + robot.value_joints.index(root) if root is not None else None
                    self.followers[f"{robot.name}/{joint.name}" if many else joint.name] = (value, multiplier, offset)
        self.quaternions = [i for i, name in enumerate(self.value_names) if self.value_joints[i].kind == "floating" and name.endswith("/qx")]
        self.state = [v for r in self.robots for v in r.state]
        self.add_links(many)
        self.add_items(node.get("objects") or [])
        self.allow = {frozenset((self.resolve(a), self.resolve(b))) for a, b in node.get("allow") or []}

    def add_links(self, many):
        self.bodies, self.link_keys = [], {}
        for robot in self.robots:
            for link in robot.links:
                name = f"{robot.name}/{link}" if many else link
                self.link_keys[name] = self.link_keys[f"{robot.name}/{link}"] = (robot, link)
                if link in robot.parts:
                    self.bodies.append(Body(name, robot.place_of[link][0], robot.parts[link], robot, link))

    def add_items(self, nodes):
        self.items = {}
        for node in nodes:
            item = Item(node)
            if len([k for k in SHAPES if k in node]) != 1 or item.name in self.link_keys or item.name in self.items:
                raise Refused(f"{self.path}: object '{item.name}' has not one shape, or not a name of its own")
            self.items[item.name] = item
            robot = link = None
            frame, place = 0, pose_of_yaml(node.get("pose"), f"{self.path}: object '{item.name}'")
            if item.attach is not None:
                if item.attach not in self.link_keys:
                    raise Refused(f"{self.path}: object '{item.name}' is attached to '{item.attach}', which is no link")
                robot, link = self.link_keys[item.attach]
                frame, link_place = robot.place_of[link]
                place = times(link_place, place)
                place = times(robot.base, place) if frame == 0 else place
            if "parts" in node:
                parts = [self.reader.shape_part(p, times(place, pose_of_yaml(p.get("pose"), item.name)), self.path, item.name)
                         for p in node["parts"]]
            else:
                parts = [self.reader.shape_part(node, place, self.path, item.name)]
            self.bodies.append(Body(item.name, frame, parts, robot, link, item))

    def resolve(self, name):
        if name in self.items:
            return name
        if name in self.link_keys:
            robot, link = self.link_keys[name]
            return f"{robot.name}/{link}"
        raise Refused(f"{self.path}: '{name}' is no body")

    def key(self, body):
        return body.name if body.item is not None else f"{body.robot.name}/{body.link}"

    def skips(self, a, b):
        """Why two bodies are no pair, or None: docs/theory/scene.md."""
        if a.item is None and b.item is None and a.robot is b.robot:
            reason = a.robot.skips(a.link, b.link)
            if reason is not None:
                return reason
        if a.robot is None and b.robot is None:
            return "objects"
        if frozenset((self.key(a), self.key(b))) in self.allow:
            return "allowed"
        for x, y in ((a, b), (b, a)):
            if x.item is not None and x.robot is not None:
                if y.item is None and y.robot is x.robot and y.link == x.link:
                    return "holds"
                if self.key(y) in {self.resolve(t) for t in x.item.touch}:
                    return "touch"
        return None


# ---- motions --------------------------------------------------------------------------------------------------------------------


class Segment:
    """Every value is a polynomial of t in [0, 1]: terms[value] has its coefficients, straight ones two; `error` bounds their rounding.
    Orientations run along arcs, by the first of their four values."""

    def __init__(self, terms, error, ends, start, duration, arcs):
        self.terms, self.error, self.ends = terms, error, ends
        self.start, self.duration, self.arcs = start, duration, arcs

    def exact_terms(self, value):
        if self.ends is not None:
            p, q = Fraction(self.ends[0][value]), Fraction(self.ends[1][value])
            return [p, q - p] + [Fraction(0)] * 4
        return list(self.exacts[value])

    def run(self, value, middle, half):
        """(value and speed at the middle, largest speed and second derivative on the interval, rounding)."""
        c = self.terms[value]
        if self.ends is not None:
            p, q = self.ends[0][value], self.ends[1][value]
            way = q - p
            return p + middle * way, way, abs(way), 0.0, 4 * U * (abs(p) + abs(q))
        c = list(c)
        rounding = self.error[value] + 80 * U * sum(abs(x) for x in c)
        for low in range(len(c)):
            for k in range(len(c) - 2, low - 1, -1):
                c[k] += middle * c[k + 1]
        speed = bend = 0.0
        for k in range(len(c) - 1, 0, -1):
            speed = speed * half + k * abs(c[k])
        for k in range(len(c) - 1, 1, -1):
            bend = bend * half + k * (k - 1) * abs(c[k])
        return c[0], c[1], speed, bend, rounding


def arcs_between(scene, p, q, what):
    """Of all floating joints, from one row to another."""
    return {i: Arc(p[i:i + 4], q[i:i + 4], what) for i in scene.quaternions}


def polynomial(p, q, v, w, a, b, duration):
    """Coefficients over t in [0, 1], exact, of a cubic (a is None) or a quintic through the given ends."""
    p, q, time = Fraction(p), Fraction(q), Fraction(duration)
    v, w = Fraction(v) * time, Fraction(w) * time
    if a is None:
        return [p, v, 3 * (q - p) - 2 * v - w, 2 * (p - q) + v + w, Fraction(0), Fraction(0)]
    a, b = Fraction(a) * time * time, Fraction(b) * time * time
    way = q - p
    return [p, v, a / 2, 10 * way - 6 * v - 4 * w - (3 * a - b) / 2, -15 * way + 8 * v + 7 * w + (3 * a - 2 * b) / 2,
            6 * way - 3 * (v + w) - (a - b) / 2]


def unique(pairs):
    """A map of JSON: a key that appears twice is refused."""
    out = dict(pairs)
    if len(out) != len(pairs):
        raise Refused(f"a key appears twice: {[k for k, _ in pairs]}"[:200])
    return out


def find_message(node, path):
    """The trajectory_msgs/JointTrajectory within what MoveIt and actions write around it."""
    for _ in range(4):
        if isinstance(node, list) and len(node) == 1:
            node = node[0]
        if not isinstance(node, dict) or "joint_names" in node:
            break
        if any((node.get(k) or {}).get("points") for k in ("multi_dof_joint_trajectory", "multi_dof_trajectory")):
            raise NotCovered(f"{path}: joints of several values")
        node = next((node[k] for k in ("joint_trajectory", "trajectory", "goal") if k in node), None)
    return keys_of(node, ("header", "joint_names", "points"), f"{path}: a trajectory")


def time_of(node, path):
    """{sec, nanosec}, {secs, nsecs} or a number of seconds."""
    if not isinstance(node, dict):
        return number(node, f"{path}: time_from_start", 0.0)
    whole, part = ("secs", "nsecs") if "secs" in node or "nsecs" in node else ("sec", "nanosec")
    keys_of(node, (whole, part), f"{path}: time_from_start")
    return number(node.get(whole, "0"), path, 0.0) + number(node.get(part, "0"), path, 0.0) / 1e9


def read_message(path, data, scene, interpolation):
    """Segments of a JointTrajectory as JSON or YAML. What one point has, all must have."""
    try:
        text = data.decode("utf-8")
        node = (json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=unique)
                if path.lower().endswith(".json") else yaml.load(text, Loader=TextLoader))
    except (ValueError, yaml.YAMLError) as error:
        raise Refused(f"{path}: {error}") from None
    node = find_message(node, path)
    names = node.get("joint_names") or []
    if len(set(names)) != len(names) or not set(names) <= set(scene.value_names) | set(scene.followers):
        raise NotCovered(f"{path}: joints that are there twice, or are not the scene's: {names}"[:300])
    given, cells = None, []
    for point in node.get("points") or []:
        keys_of(point, ("positions", "velocities", "accelerations", "effort", "time_from_start"), f"{path}: a point")
        has = [k for k in ("positions", "velocities", "accelerations", "time_from_start") if point.get(k)]
        given = has if given is None else given
        if has != given or "positions" not in has:
            raise Refused(f"{path}: points have {given} and {has}")
        row = [time_of(point["time_from_start"], path)] if "time_from_start" in has else []
        for kind in has:
            if kind != "time_from_start":
                values = point[kind] if isinstance(point[kind], list) else None
                row += vector(values, f"{path}: {kind}", len(names)).tolist()
        cells.append(row)
    if not cells:
        raise Refused(f"{path}: no points")
    clock = 0 if "time_from_start" in given else None
    table, follows, at = {"position": {}, "velocity": {}, "acceleration": {}}, [], int(clock is not None)
    for kind, what in (("positions", "position"), ("velocities", "velocity"), ("accelerations", "acceleration")):
        if kind in given:
            table[what] = {scene.value_names.index(name): at + i for i, name in enumerate(names) if name not in scene.followers}
            follows += [(name, what, at + i) for i, name in enumerate(names) if name in scene.followers]
            at += len(names)
    if clock is not None and len(cells) > 1 and all(row[0] == 0.0 for row in cells):
        clock = None  # nobody gave it times yet
    take = lambda kind, row, rest: [row[table[kind][i]] if i in table[kind] else rest[i] for i in range(len(scene.value_names))]
    need_followers(path, scene, cells, take, table, follows)
    return make_motion(path, scene, cells, take, table, clock, interpolation, True)


def read_npy(path, data, scene):
    """Rows of values, or pairs of rows: segments."""
    head = re.fullmatch(rb"\x93NUMPY[\x01\x02]\x00", data[:8])
    size = 10 if data[6:7] == b"\x01" else 12
    end = size + int.from_bytes(data[8:size], "little")
    words = re.fullmatch(r"\{'descr': '<f8', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \} *\n", data[size:end].decode("latin-1"))
    if head is None or words is None:
        raise NotCovered(f"{path}: not a .npy of version 1 or 2 with doubles, row by row")
    shape = [int(w) for w in words[1].replace(" ", "").split(",") if w]
    count = len(scene.value_names)
    if len(shape) not in (2, 3) or shape[-1] != count or (len(shape) == 3 and shape[1] != 2) or shape[0] < 1:
        raise Refused(f"{path}: shape {shape}; rows or pairs of rows of {count} values are expected")
    rows = np.frombuffer(data[end:], "<f8")
    if rows.size != math.prod(shape) or not np.isfinite(rows).all():
        raise Refused(f"{path}: not as many numbers as its shape says, or not finite")
    rows = rows.reshape(shape).tolist()
    if len(shape) == 3:
        return Motion.of_pairs(path, scene, rows)
    table = {"position": dict(enumerate(range(count))), "velocity": {}, "acceleration": {}}
    return make_motion(path, scene, rows, lambda kind, row, rest: list(row) if kind == "position" else rest, table, None, None, False)


class Motion:
    """What a file says: segments, how values run on them, which values it gives, and its clock or None."""

    def __init__(self, path, segments, interpolation, moves, clocks=None, from_start=False, rows=None):
        self.path, self.segments, self.interpolation, self.moves = path, segments, interpolation, moves
        self.clocks, self.from_start, self.rows = clocks, from_start, rows

    @staticmethod
    def of_pairs(path, scene, pairs):
        """Straight segments that need not hang together."""
        segments = [Segment([None] * len(p), None, (p, q), 0.0, None, arcs_between(scene, p, q, path)) for p, q in pairs]
        return Motion(path, segments, "linear", set(range(len(scene.value_names))))


def merge_motions(motions, scene):
    """Of several files with joints of their own: a segment between any two times that one of them has; before and after, its joints stand."""
    moved = [v for m in motions for v in m.moves]
    if len(set(moved)) != len(moved) or any(m.clocks is None for m in motions):
        raise Refused("several trajectories need times each, and joints of their own")
    times = sorted({t for m in motions for t in m.clocks})
    begin = 0.0 if any(m.from_start for m in motions) and times[0] > 0.0 else times[0]
    segments = []
    for low, high in zip(times, times[1:]) if len(times) > 1 else [(times[0], times[0])]:
        terms = [[v, 0.0, 0.0, 0.0, 0.0, 0.0] for v in scene.state]
        error = [0.0] * len(terms)
        arcs = arcs_between(scene, scene.state, scene.state, "state")
        for motion in motions:
            add_piece(motion, low, high, terms, error, arcs)
        segments.append(Segment(terms, error, None, low - begin, high - low, arcs))
    names = [m.interpolation for m in motions]
    return segments, names[0] if len(set(names)) == 1 else ", ".join(names)


def add_piece(motion, low, high, terms, error, arcs):
    """What one file does from one time to another: the polynomials of its segment there, cut exactly and written around the new start."""
    clocks = motion.clocks
    index = next((i for i, (a, b) in enumerate(zip(clocks, clocks[1:])) if a <= low < b), None)
    if index is None:  # it has not begun, or has ended
        row = motion.rows[0 if low < clocks[0] else -1]
        for v in motion.moves:
            terms[v] = [row[v], 0.0, 0.0, 0.0, 0.0, 0.0]
        arcs.update({i: Arc(row[i:i + 4], row[i:i + 4], motion.path) for i in arcs if i in motion.moves})
        return
    segment = motion.segments[index]
    whole = Fraction(clocks[index + 1]) - Fraction(clocks[index])
    u0, u1 = ((Fraction(t) - Fraction(clocks[index])) / whole for t in (low, high))
    for v in motion.moves:
        c = segment.exact_terms(v)
        for first in range(len(c)):
            for k in range(len(c) - 2, first - 1, -1):
                c[k] += u0 * c[k + 1]
        terms[v] = [float(x * (u1 - u0) ** k) for k, x in enumerate(c)]
        error[v] = 2 * U * sum(abs(x) for x in terms[v])
    for i in arcs:
        if i in motion.moves:
            arc = segment.arcs[i]
            arcs[i] = Arc(motion.rows[index][i:i + 4], motion.rows[index + 1][i:i + 4], motion.path, u0, u1)
            arcs[i].start, arcs[i].axis, arcs[i].half_angle = arc.start, arc.axis, arc.half_angle


def read_motion(path, scene, interpolation):
    """Segments of a CSV: rows of a trajectory, or columns JOINT:from and JOINT:to. Or of a message, or of an array."""
    data = scene.reader.files.read(path)
    if path.lower().endswith((".json", ".yaml", ".yml")):
        return read_message(path, data, scene, interpolation)
    if path.lower().endswith(".npy"):
        return read_npy(path, data, scene)
    if not path.lower().endswith(".csv"):
        raise NotCovered(f"{path}: motions are read from .csv, .npy, .json and .yaml")
    rows = [r for r in csv.reader(data.decode("utf-8-sig").splitlines()) if r and any(c.strip() for c in r) and not r[0].lstrip().startswith("#")]
    if len(rows) < 2:
        raise Refused(f"{path}: a header and at least one row are expected")
    header = [c.strip() for c in rows[0]]
    table = {"position": {}, "velocity": {}, "acceleration": {}, "from": {}, "to": {}}
    clock, follows = None, []
    for column, name in enumerate(header):
        joint, _, what = name.rpartition(":")
        if header.count(name) != 1:
            raise Refused(f"{path}: column '{name}' appears twice")
        if name == "time":
            clock = column
        elif name in scene.value_names:
            table["position"][scene.value_names.index(name)] = column
        elif joint in scene.value_names and what in table:
            table[what][scene.value_names.index(joint)] = column
        elif name in scene.followers or (joint in scene.followers and what in table):
            follows.append((name, "position", column) if name in scene.followers else (joint, what, column))
        else:
            raise NotCovered(f"{path}: column '{name}'")
    cells = [[number(c, f"{path}: row {i + 1}") for c in r] for i, r in enumerate(rows[1:])]
    if any(len(r) != len(header) for r in cells):
        raise Refused(f"{path}: rows have not as many cells as the header")
    take = lambda kind, row, rest: [row[table[kind][i]] if i in table[kind] else rest[i] for i in range(len(scene.value_names))]
    need_followers(path, scene, cells, take, table, follows)
    if table["from"] or table["to"]:
        need_whole_quaternions(path, scene, set(table["from"]))
        need_whole_quaternions(path, scene, set(table["to"]))
        return Motion.of_pairs(path, scene, [(take("from", r, scene.state), take("to", r, scene.state)) for r in cells])
    return make_motion(path, scene, cells, take, table, clock, interpolation, False)


def need_followers(path, scene, cells, take, table, follows):
    """Columns of joints that follow others must say what they do anyway, within what `berth` allows; what is proven is what they follow."""
    zero = [0.0] * len(scene.value_names)
    for name, kind, column in follows:
        value, multiplier, offset = scene.followers[name]
        rate = kind in ("velocity", "acceleration")
        if value is not None and not table[kind]:
            raise Refused(f"{path}: column '{name}': the joint that it follows has no {kind}")
        for i, row in enumerate(cells):
            led = multiplier * take(kind, row, zero if rate else scene.state)[value] if value is not None else 0.0
            if not abs(row[column] - led - (0.0 if rate else offset)) <= 1e-6:
                raise Refused(f"{path}: row {i + 1}: '{name}' is {row[column]:g}, by the joint that it follows it is {led + (0.0 if rate else offset):g}")


def need_whole_quaternions(path, scene, given):
    for i in scene.quaternions:
        if 0 < len(given & set(range(i, i + 4))) < 4:
            raise NotCovered(f"{path}: a part of a quaternion")


def make_motion(path, scene, cells, take, table, clock, interpolation, from_start):
    moves = set(table["position"])
    need_whole_quaternions(path, scene, moves)
    for kind in ("velocity", "acceleration"):
        if table[kind] and set(table[kind]) != moves:
            raise Refused(f"{path}: some joints have a {kind} without a position, or a position without a {kind}")
    if interpolation is None and table["acceleration"] and not table["velocity"]:
        raise Refused(f"{path}: accelerations without velocities")
    default = "quintic" if table["acceleration"] else "cubic" if table["velocity"] else "linear"
    interpolation = interpolation or default
    if interpolation not in ("linear", "cubic", "quintic"):
        raise NotCovered(f"{path}: interpolation '{interpolation}'")
    if interpolation != "linear" and (clock is None or not table["velocity"]):
        raise Refused(f"{path}: {interpolation} needs times and velocities")
    if interpolation == "quintic" and not table["acceleration"]:
        raise Refused(f"{path}: quintic needs accelerations")
    clocks = [r[clock] if clock is not None else None for r in cells]
    if clock is not None and not all(b > a for a, b in zip(clocks, clocks[1:])):
        raise Refused(f"{path}: times do not grow")
    if len(cells) == 1:
        cells, clocks = cells * 2, clocks * 2
    zero = [0.0] * len(scene.value_names)
    out = []
    for i, (r, s) in enumerate(zip(cells, cells[1:])):
        p, q = take("position", r, scene.state), take("position", s, scene.state)
        start = clocks[i] - (0.0 if from_start and clocks[0] > 0.0 else clocks[0]) if clock is not None else 0.0
        duration = clocks[i + 1] - clocks[i] if clock is not None else None
        arcs = arcs_between(scene, p, q, path)
        if interpolation == "linear":
            out.append(Segment([None] * len(p), None, (p, q), start, duration, arcs))
            continue
        if any(arc.speed > 0.0 for arc in arcs.values()):
            raise Refused(f"{path}: a floating joint turns, and orientations have no {interpolation}")
        v, w, a, b = take("velocity", r, zero), take("velocity", s, zero), take("acceleration", r, zero), take("acceleration", s, zero)
        exact_time = Fraction(clocks[i + 1]) - Fraction(clocks[i])
        terms, error, exacts = [], [], []
        for k in range(len(p)):
            exact = polynomial(p[k], q[k], v[k], w[k], *((a[k], b[k]) if interpolation == "quintic" else (None, None)), exact_time)
            exacts.append(exact)
            terms.append([float(x) for x in exact])
            error.append(2 * U * sum(abs(x) for x in terms[-1]))
        out.append(Segment(terms, error, None, start, duration, arcs))
        out[-1].exacts = exacts
    return Motion(path, out, interpolation, moves, clocks if clock is not None else None, from_start,
                  [take("position", r, scene.state) for r in cells])


# ---- certificates ---------------------------------------------------------------------------------------------------------------


class Record:
    def __init__(self, line, a, b, level, index, kind, bound, direction=None, leaves=None):
        self.line, self.a, self.b, self.level, self.index = line, a, b, level, index
        self.kind, self.bound, self.direction, self.leaves = kind, bound, direction, leaves

    @property
    def low(self):
        return self.index << (LEVEL_MAX - self.level)

    @property
    def high(self):
        return (self.index + 1) << (LEVEL_MAX - self.level)


class Certificate:
    KINDS = ("balls", "plane", "distance", "half-space", "table", "gap")

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise Refused(f"{path}: cannot be read: {error.strerror}") from None
        try:
            self.lines = data.decode("utf-8").split("\n")
        except UnicodeDecodeError:
            raise Refused(f"{path}: not a text") from None
        if self.lines[0] != "berth certificate 3":
            raise Refused(f"{path}:1: '{self.lines[0][:60]}': expected 'berth certificate 3'; older versions have to be made again")
        last = self.lines[-2] if len(self.lines) > 2 else ""
        body = data[:len(data) - len(last) - 1]
        if self.lines[-1] or last != "end " + hashlib.sha256(body).hexdigest():
            raise Refused(f"{path}: its last line is not 'end' and the sum of all before")
        self.at, self.stop = 1, len(self.lines) - 2
        self.files, self.assumed, self.errors, self.bodies = [], [], [], []
        self.balls, self.constants, self.segments, self.meshes = {}, [], [], {}
        self.interpolation, self.moving = None, None
        self.margins, self.seen = {}, set()
        self.read()

    def fail(self, expected):
        line = self.lines[self.at] if self.at < self.stop else ""
        raise Refused(f"{self.path}:{self.at + 1}: '{line[:60]}': expected {expected}")

    def number(self, word):
        if not re.fullmatch(r"-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?", word) or not math.isfinite(float(word)):
            self.fail(f"a number, not '{word[:30]}'")
        return float(word)

    def integer(self, word, most=2 ** 62):
        if not re.fullmatch(r"[0-9]{1,20}", word) or int(word) > most:
            self.fail(f"a whole number up to {most}")
        return int(word)

    def read(self):
        while self.at < self.stop:
            key, _, rest = self.lines[self.at].partition(" ")
            words = rest.split(" ")
            try:
                self.read_line(key, rest, words)
            except IndexError:
                self.fail("more words")
            self.at += 1
        if self.moving is None or not {"margin", "self-margin"} <= set(self.margins):
            raise Refused(f"{self.path}: 'moving', 'margin' or 'self-margin' is missing")

    ONCE = ("moving", "scene", "margin", "self-margin", "delta", "interpolation")

    def read_line(self, key, rest, words):
        if key in self.ONCE:
            if key in self.seen:
                self.fail(f"'{key}' once")
            self.seen.add(key)
        if key == "moving" and words[0] in ("stand", "reach"):
            self.moving = words[0]
        elif key == "file" and re.fullmatch(r"[0-9a-f]{64}", words[0]):
            self.files.append((words[0], rest[65:]))
        elif key in ("margin", "self-margin", "delta"):
            self.margins[key] = self.number(rest)
            if not self.margins[key] >= 0.0:
                self.fail("0 or more")
        elif key == "interpolation":
            self.interpolation = rest
        elif key == "assumed":
            self.assumed.append((words[0], rest.partition(" ")[2]))
        elif key == "value":
            self.errors.append((self.number(words[0]), rest.partition(" ")[2]))
        elif key == "body" and self.integer(words[0]) == len(self.bodies):
            self.bodies.append(rest.partition(" ")[2])
        elif key == "ball" and len(words) == 5 and self.integer(words[0]) not in self.balls:
            self.balls[self.integer(words[0])] = np.array([self.number(w) for w in words[1:4]])
        elif key == "constant":
            self.constants.append(self.record([words[0], words[1], "0", "0"] + words[2:]))
        elif key == "segment" and self.integer(words[0]) == len(self.segments) and re.fullmatch(r"[0-9a-f]{64}", words[2]):
            self.read_segment(self.integer(words[1]))
        elif key == "mesh" and len(words) == 4:
            self.read_mesh([self.integer(w) for w in words])
        elif key != "scene":
            self.fail("a line of a certificate")

    def record(self, words):
        a, b, level = self.integer(words[0]), self.integer(words[1]), self.integer(words[2], LEVEL_MAX)
        record = Record(self.at + 1, a, b, level, self.integer(words[3], 2 ** level - 1), words[4], self.number(words[5]))
        if record.kind not in self.KINDS or not record.bound >= 0.0:
            self.fail("a kind of proof and a bound of at least 0")
        used = 6
        if record.kind in ("plane", "gap"):
            record.direction = np.array([self.number(w) for w in words[6:9]])
            used = 9
        if len(words) > used and words[used] == "leaves" and record.direction is not None:
            record.leaves = tuple(self.integer(words[used + k]) for k in range(1, 5))
            if not record.leaves[1] or not record.leaves[3]:
                self.fail("leaves of both bodies")
            used += 5
        if len(words) != used or (record.direction is not None and len(record.direction) != 3):
            self.fail("two bodies, level, index, kind, bound, for a plane x y z, and perhaps leaves")
        return record

    def read_segment(self, count):
        records = []
        for _ in range(count):
            self.at += 1
            if self.at >= self.stop:
                self.fail("a record")
            records.append(self.record(self.lines[self.at].split(" ")))
        self.segments.append(records)

    def read_mesh(self, numbers):
        body, part, points, triangles = numbers
        rows = []
        for _ in range(points):
            self.at += 1
            words = self.lines[self.at].split(" ") if self.at < self.stop else []
            if len(words) != 4 or words[0] != "point":
                self.fail("'point' and three numbers")
            rows.append([self.number(w) for w in words[1:]])
        corners = []
        for _ in range(triangles):
            self.at += 1
            words = self.lines[self.at].split(" ") if self.at < self.stop else []
            if len(words) != 3:
                self.fail("three corners")
            corners.append([self.integer(w, points - 1) for w in words])
        if (body, part) in self.meshes:
            self.fail("each mesh once")
        self.meshes[(body, part)] = (np.array(rows, float).reshape(-1, 3) + 0.0, np.array(corners, int).reshape(-1, 3))


# ---- bounds of motion: docs/theory/motion.md, "Bounds" -----------------------------------------------------------------------------------


class Rate:
    """How a frame moves against its parent on an interval; `slide` is a velocity in the joint's frame. With `any_axis` the turn that
    tracking error adds may be about any axis through the frame."""

    __slots__ = ("axis", "any_axis", "slide", "slide_most", "slide_bend", "slide_error", "turn", "turn_most", "turn_bend", "turn_error")

    def __init__(self, axis):
        self.axis, self.any_axis, self.slide = axis, False, np.zeros(3)
        self.slide_most = self.slide_bend = self.slide_error = self.turn = self.turn_most = self.turn_bend = self.turn_error = 0.0

    def add_slide(self, along, factor, run, error):
        _, speed, most, bend, rounding = run
        self.slide = self.slide + factor * speed * along
        self.slide_most += abs(factor) * most
        self.slide_bend += abs(factor) * bend
        self.slide_error += abs(factor) * (error + rounding)

    def set_turn(self, factor, run, error):
        _, speed, most, bend, rounding = run
        self.turn = factor * speed
        self.turn_most, self.turn_bend, self.turn_error = abs(factor) * most, abs(factor) * bend, abs(factor) * (error + rounding)

    def set_arc(self, arc, errors):
        """Components that are off by e in all turn an orientation by at most 2 asin |e|, about any axis, and never by more than half a turn."""
        off = sum(errors) * ENLARGED
        self.any_axis = off > 0.0
        self.turn_error = 2.0 * math.asin(off) * ENLARGED if off < 1.0 else 3.1415927
        self.axis, self.turn = arc.axis, arc.speed
        self.turn_most = abs(arc.speed)


class Side:
    """One body of a pair, seen from the frame that both chains share."""

    def __init__(self, body, place, slack):
        self.body, self.place, self.slack = body, place, slack
        self.spin, self.velocity = np.zeros(3), np.zeros(3)
        self.travel = self.error = self.bend = self.turns = self.speed = self.seen = self.seen_speed = 0.0


class Sides:
    pass


def arc(lever, turn):
    """A joint that does not turn moves nothing, however far its axis is."""
    return lever * turn if turn > 0.0 else 0.0


class Place:
    """Everything at the middle of an interval, with bounds for all of it."""

    def __init__(self, scene, errors, reach, segment, middle, half):
        self.scene, self.half, self.reach = scene, half, reach
        self.elapsed = segment.start + middle * (segment.duration or 0.0)
        self.duration = segment.duration or 0.0
        self.robots = {}
        for robot, first in zip(scene.robots, scene.value_first):
            self.robots[robot] = self.place_robot(robot, first, errors, segment, middle)
        self.levers = {}
        self.sides_of_pair = {}

    def place_robot(self, robot, first, errors, segment, middle):
        rates, frames, joints = [None], [robot.base], [robot.base]
        metres = follows = 0.0
        for frame in robot.frames[1:]:
            value = first + frame.value
            runs = [segment.run(value + k, middle, self.half) for k in range(3 if frame.kind in COMPONENTS else 1)]
            run, error, rate = runs[0], errors[value:], Rate(frame.axis)
            rates.append(rate)
            moved = frame.multiplier * run[0] + frame.offset
            joint = times(frames[frame.parent], frame.before)
            if frame.kind == "slide":
                rate.add_slide(frame.axis, frame.multiplier, run, error[0])
                metres += abs(frame.multiplier * run[0])
                step = pose(None, moved * frame.axis)
            elif frame.kind == "planar":  # slides, then a turn
                for k in range(2):
                    rate.add_slide(frame.across[k], 1.0, runs[k], error[k])
                rate.set_turn(1.0, runs[2], error[2])
                metres += abs(runs[0][0]) + abs(runs[1][0])
                step = pose(turn_about(frame.axis, runs[2][0]), runs[0][0] * frame.across[0] + runs[1][0] * frame.across[1])
            elif frame.kind == "floating":
                for k in range(3):
                    rate.add_slide(np.eye(3)[k], 1.0, runs[k], error[k])
                rate.set_arc(segment.arcs[value + 3], error[3:7])
                metres += sum(abs(r[0]) for r in runs)
                step = pose(segment.arcs[value + 3].at(middle), [r[0] for r in runs])
            else:
                rate.set_turn(frame.multiplier, run, error[0])
                if frame.offset != 0.0 or abs(frame.multiplier) != 1.0:
                    follows += abs(frame.multiplier * run[0]) + abs(frame.offset)
                step = pose(turn_about(frame.axis, moved))
            joints.append(joint)
            frames.append(times(joint, step))
        axes = [None] + [f[0] @ r.axis for f, r in zip(frames[1:], rates[1:])]
        return rates, frames, joints, axes, metres, follows

    def slack(self, body):
        if body.frame == 0:
            return SLACK * body.size
        metres, follows = self.robots[body.robot][4:]
        return SLACK * (body.size + metres) * (1.0 + FOLLOW_SHARE * follows)

    def pose(self, body):
        return pose() if body.frame == 0 else self.robots[body.robot][1][body.frame]

    def away(self, robot, frame, point):
        """How far a point is from a joint's axis, or from where all of its axes meet."""
        rates, frames, _, axes = self.robots[robot][:4]
        arm = point - frames[frame][1]
        return length(arm if rates[frame].any_axis else cross(axes[frame], arm))

    def find_levers(self, body):
        """From the body inward: how far each axis can be from its points on the interval, and how far the joints up to there carry one.
        The smallest of: the distance now and what the joints beyond add; the ball over all that they sweep; any turn at all."""
        if body in self.levers:
            return self.levers[body]
        rates, frames, _, axes = self.robots[body.robot][:4]
        centre = apply(frames[body.frame], body.centre)
        slack = self.slack(body)
        swept_centre, swept_radius, carried, out = centre, body.radius, 0.0, {}
        for frame, far in zip(body.robot.chain(body.frame), body.far):
            rate, axis, origin = rates[frame], axes[frame], frames[frame][1]
            near = (self.away(body.robot, frame, centre) + body.radius + carried) * ENLARGED + slack
            swept = (self.away(body.robot, frame, swept_centre) + swept_radius) * ENLARGED + slack
            lever = min(near, swept, far)
            turn = self.half * rate.turn_most + rate.turn_error
            slide = self.half * rate.slide_most + rate.slide_error
            # The ball over the arcs of its centre: nearer the axis by turn^2 / 2 of its distance.
            foot = origin if rate.any_axis else origin + dot(axis, swept_centre - origin) * axis
            apart = length(swept_centre - foot)
            nearer = 0.5 * turn * turn if turn * turn < 2.0 else 1.0
            swept_centre = foot + (1.0 - nearer) * (swept_centre - foot)
            swept_radius = (swept_radius + apart * math.sqrt(nearer * (2.0 - nearer))) * ENLARGED + slide
            carried += arc(lever, turn) + slide
            out[frame] = (lever, carried)
        self.levers[body] = out
        return out

    def below(self, body, shared):
        """Frames between a body and the shared one, from the body inward."""
        if body.frame == 0:
            return []
        chain = body.robot.chain(body.frame)
        return chain[:chain.index(shared)] if shared in chain else chain

    def shared(self, a, b):
        if a.frame == 0 or b.frame == 0 or a.robot is not b.robot:
            return None
        chain = a.robot.chain(a.frame)
        return next((f for f in b.robot.chain(b.frame) if f in chain), None)

    def side(self, body, other, shared):
        side = Side(body, self.pose(body), self.slack(body))
        frames_below = self.below(body, shared)
        if not frames_below:
            return side
        levers = self.find_levers(body)
        rates, frames, joints, axes = self.robots[body.robot][:4]
        # The other body as this one sees it: how far its points can go against the shared frame.
        centre = apply(self.pose(other), other.centre)
        other_slack = self.slack(other)
        others = self.below(other, shared)
        carried = self.find_levers(other)[others[-1]][1] if others else 0.0
        for frame in reversed(frames_below):
            rate, lever = rates[frame], levers[frame][0]
            spin = rate.turn * axes[frame]
            side.spin = side.spin + spin
            side.velocity = side.velocity + joints[frame][0] @ rate.slide + cross(spin, side.place[1] - frames[frame][1])
            # First order, by the lever of the nearer body.
            carried += self.half * rate.slide_most + rate.slide_error
            far = (self.away(body.robot, frame, centre) + other.radius + carried) * ENLARGED + other_slack
            carried += arc(far, self.half * rate.turn_most + rate.turn_error)
            nearer = min(far, lever)
            side.travel += arc(nearer, rate.turn_most) + rate.slide_most
            side.error += arc(nearer, rate.turn_error) + rate.slide_error
            # Second order, by its own.
            side.bend += (arc(lever, rate.turn_bend + rate.turn_most * (rate.turn_most + 2.0 * side.turns)) + rate.slide_bend +
                          2.0 * side.turns * rate.slide_most)
            side.speed += arc(lever, rate.turn_most) + rate.slide_most
            # What the other body's points do, seen from this one: the chain runs the other way.
            side.seen += (arc(far, rate.turn_bend + rate.turn_most ** 2) + rate.slide_bend +
                          2.0 * rate.turn_most * (side.seen_speed + rate.slide_most) if rate.turn_most > 0.0 else
                          arc(far, rate.turn_bend) + rate.slide_bend)
            side.seen_speed += arc(far, rate.turn_most) + rate.slide_most
            side.turns += rate.turn_most
        side.travel *= self.half * ENLARGED
        side.bend *= 0.5 * self.half * self.half * ENLARGED
        side.error *= ENLARGED
        return side

    def sides(self, a, b, padding):
        key = (a, b)
        if key in self.sides_of_pair:
            return self.sides_of_pair[key]
        shared = self.shared(a, b)
        out = Sides()
        out.a, out.b = self.side(a, b, shared), self.side(b, a, shared)
        by_middle = out.nearing = 0.0
        for item in (a.item, b.item):
            if self.reach and item is not None and item.moves:
                by_middle += (item.speed * self.elapsed + item.start) * ENLARGED
                out.nearing += item.speed * self.half * self.duration * ENLARGED
        out.travel = out.a.travel + out.b.travel + out.nearing
        out.bend = out.a.bend + out.b.bend
        out.less = (padding + out.a.error + out.b.error + out.a.slack + out.b.slack + by_middle) * (1 + 8 * U)
        self.sides_of_pair[key] = out
        return out

    # -- the theorems --

    def support(self, side, n, time, leaves=None):
        """Largest n . x over the body's points `time` after the middle, each going straight on."""
        along = n + time * cross(n, side.spin)
        inside = side.place[0].T @ along
        return (dot(n, side.place[1]) + time * dot(n, side.velocity) + body_support(side.body, inside, leaves) +
                side.slack * length(along))

    def bound(self, record, a, b, padding):
        sides = self.sides(a, b, padding)
        if record.kind == "balls":
            return self.ball_gap(sides) - sides.less
        if record.kind == "half-space":
            return self.half_space_gap(sides) - sides.less
        n = unit(record.direction)
        leaves_a, leaves_b = split_leaves(record)
        if record.kind == "gap":
            return -self.support(sides.b, -n, 0.0, leaves_b) - self.support(sides.a, n, 0.0, leaves_a) - sides.travel - sides.less
        least = INF
        for end in (-1.0, 1.0):
            nearing = sides.nearing if end > 0 else -sides.nearing * (1.0 - 2.0 ** -42)
            time = end * self.half
            gap = -self.support(sides.b, -n, time, leaves_b) - self.support(sides.a, n, time, leaves_a) - nearing
            least = min(least, gap) if gap == gap else -INF
        return least - sides.bend - sides.less

    def ball_gap(self, sides):
        a, b = sides.a, sides.b
        arm_a, arm_b = a.place[0] @ a.body.centre, b.place[0] @ b.body.centre
        apart = (b.place[1] + arm_b) - (a.place[1] + arm_a)
        distance = length(apart)
        n = apart / distance if distance > 0 else np.array([0.0, 0, 1])
        closing = abs(dot(n, a.velocity + cross(a.spin, arm_a) - b.velocity - cross(b.spin, arm_b))) * ENLARGED
        second = self.half * closing + sides.bend + sides.nearing
        return distance - a.body.radius - b.body.radius - min(second, sides.travel)

    def half_space_gap(self, sides):
        for space, other in ((sides.a, sides.b), (sides.b, sides.a)):
            plane = space.body.halfspace
            if plane is None:
                continue
            seen = Side(other.body, other.place, other.slack)
            seen.velocity = other.velocity - (space.velocity + cross(space.spin, other.place[1] - space.place[1]))
            seen.spin = other.spin - space.spin
            bend = other.bend + 0.5 * self.half ** 2 * (space.seen + 2.0 * space.turns * other.speed) * ENLARGED
            n = space.place[0] @ plane.normal
            surface = plane.offset + dot(n, space.place[1])
            before = self.support(seen, -n, -self.half) - sides.nearing * (1.0 - 2.0 ** -42)
            after = self.support(seen, -n, self.half) + sides.nearing
            return -max(before, after) - surface - bend
        return -INF


def unit(direction):
    size = length(direction)
    if not 0.5 < size < 2.0:
        raise Refused("its direction is no direction")
    return direction / size


def split_leaves(record):
    return (None, None) if record.leaves is None else (record.leaves[:2], record.leaves[2:])


def body_support(body, n, leaves):
    """Of all parts, or of the leaves (first, count) counted over the parts."""
    most, before = -INF, 0
    for part in body.parts:
        count = part.leaf_count
        if leaves is None:
            most = max(most, part.support(n))
        else:
            first, end = leaves[0] - before, leaves[0] + leaves[1] - before
            if first < count and end > 0:
                most = max(most, part.support(n, first, end if part.leaves is not None else None))
        before += count
    return most


def still_half_space_gap(a, b):
    """One of the two is a half-space, and they never move against each other."""
    for space, other in ((a, b), (b, a)):
        if space.halfspace is not None:
            return -body_support(other, -space.halfspace.normal, None) - space.halfspace.offset
    return -INF


def find_far_levers(body):
    """How far each axis can ever be: the ball carried inward with every joint free to turn; a slide ends it. Of its own axis exactly."""
    body.far = []
    if body.frame == 0:
        return
    c, r = body.centre, body.radius
    for place, index in enumerate(body.robot.chain(body.frame)):
        frame = body.robot.frames[index]
        foot = dot(frame.axis, c) * frame.axis if frame.kind != "floating" else np.zeros(3)
        r = (r + length(c - foot)) * ENLARGED
        far = r
        if place == 0 and frame.kind != "floating":
            far = min(r, max(p.reach_from_axis(frame.axis) for p in body.parts) * ENLARGED + SLACK * body.size)
        body.far.append(far)
        turns = frame.kind == "turn"
        r = r if turns else INF
        c = apply(frame.before, foot if turns else c)


# ---- distances, where the certificate lists no planes ----------------------------------------------------------------------------------


def nearest_to_origin(points):
    """The point of a simplex nearest the origin, and the corners that it lies between."""
    best, corners = points[0], points[:1]
    for mask in range(1, 1 << len(points)):
        some = [p for i, p in enumerate(points) if mask >> i & 1]
        v = some[0]
        if len(some) > 1:
            sides = np.array([p - some[0] for p in some[1:]])
            try:
                shares = np.linalg.solve(sides @ sides.T, -sides @ some[0])
            except np.linalg.LinAlgError:
                continue
            if not ((shares >= 0.0).all() and shares.sum() <= 1.0):
                continue
            v = some[0] + shares @ sides
        if dot(v, v) < dot(best, best):
            best, corners = v, some
    return best, corners


class Volume:
    """Some leaves of a part, or all of it, in the world: a convex thing around them."""

    def __init__(self, part, place, triangles=None):
        self.part, self.place, self.triangles = part, place, triangles
        self.points = None
        if part.kind == "points":
            own = part.points if triangles is None else triangles.reshape(-1, 3)
            self.points, self.radius = apply(place, own), part.radius
            self.size = float(np.ptp(own, axis=0).max())
        self.is_leaf = triangles is None or len(triangles) == 1

    def point(self, n):
        """One of its points that is furthest along n, without its radius."""
        if self.points is not None:
            return self.points[int(np.argmax(self.points @ n))]
        inside, part = self.place[0].T @ n, self.part
        along = dot(inside, part.axis)
        across = inside - along * part.axis
        wide = length(across)
        rim = across * (part.radius / wide) if wide > 0.0 else 0.0 * across
        ends = [part.points[0] + part.half * part.axis + (rim if part.kind == "cylinder" else 0.0), part.points[0] - part.half * part.axis + rim]
        return apply(self.place, max(ends, key=lambda p: dot(p, inside)))

    def support(self, n):
        if self.points is not None:
            return float((self.points @ n).max()) + self.radius
        return dot(n, self.place[1]) + self.part.support(self.place[0].T @ n)

    def split(self):
        middles = self.triangles.mean(axis=1)
        axis = int(np.argmax(np.ptp(middles, axis=0)))
        order = np.argsort(middles[:, axis], kind="stable")
        half = len(order) // 2
        return [Volume(self.part, self.place, self.triangles[order[:half]]), Volume(self.part, self.place, self.triangles[order[half:]])]


class Distance:
    """The distance of two bodies. `proven`: planes part all of their leaves by `enough` or more, `lower` is the least of them. `refuted`: two
    points are nearer, at most `upper`. Neither: the budget is spent, or rounding decides. What lies inside of what is not looked at."""

    def __init__(self, a, place_a, b, place_b, enough, budget):
        self.lower, self.upper, self.spent = INF, INF, 0
        self.search(a, place_a, b, place_b, enough, budget)
        self.proven, self.refuted = self.lower >= enough, self.upper < enough

    def search(self, a, place_a, b, place_b, enough, budget):
        wait = []
        for x in a.parts:
            for y in b.parts:
                if "halfspace" in (x.kind, y.kind):
                    self.add_half_space(x, place_a, y, place_b)
                else:
                    wait.append((self.volume(x, place_a), self.volume(y, place_b)))
        while wait:
            if self.spent >= budget:
                self.lower = -INF
                return
            self.spent += 1
            x, y = wait.pop()
            low, high = self.between(x, y, enough)
            if low >= enough or (x.is_leaf and y.is_leaf):
                self.lower = min(self.lower, low)
                self.upper = min(self.upper, high) if x.is_leaf and y.is_leaf else self.upper
                if not low >= enough:
                    self.lower = -INF  # others are not looked at
                    return
            elif y.is_leaf or (not x.is_leaf and x.size >= y.size):
                wait += [(part, y) for part in x.split()]
            else:
                wait += [(x, part) for part in y.split()]

    @staticmethod
    def volume(part, place):
        if part.mesh is None:
            return Volume(part, place)
        corners = part.mesh.triangles
        if len(part.mesh.degenerate):
            corners = np.concatenate([corners, part.mesh.degenerate])
        return Volume(part, place, apply(part.place, part.mesh.points)[corners])

    def add_half_space(self, x, place_x, y, place_y):
        space, at_space, other, at_other = (x, place_x, y, place_y) if x.kind == "halfspace" else (y, place_y, x, place_x)
        n = at_space[0] @ space.normal
        gap = -INF
        if other.kind != "halfspace":
            gap = -Volume(other, at_other).support(-n) - space.offset - dot(n, at_space[1])
        self.lower, self.upper = min(self.lower, gap), min(self.upper, gap)

    @staticmethod
    def between(x, y, enough):
        """(a plane between the two leaves this much, two of their points are so near); the second is of the hulls."""
        radii = sum(v.radius if v.points is not None else 0.0 for v in (x, y))
        v, corners, low, high = x.point(np.array([1.0, 0, 0])) - y.point(np.array([-1.0, 0, 0])), [], -INF, INF
        for _ in range(32):
            size = length(v)
            high = min(high, size - radii)
            if not size > 1e-12:
                break
            n = v / -size
            low = max(low, -y.support(-n) - x.support(n))
            if low >= enough or high - low <= 1e-9 * size:
                break
            v, corners = nearest_to_origin(corners + [x.point(n) - y.point(-n)])
            if len(corners) == 4:
                return low, min(high, -radii)
        return low, high


# ---- the verification -------------------------------------------------------------------------------------------------------------


class Verifier:
    def __init__(self, scene, segments, certificate, options):
        self.scene, self.segments, self.certificate, self.options = scene, segments, certificate, options
        self.trusted = {}
        self.budget = options.budget  # pairs of volumes that may be looked at where distances have to be measured
        self.count = 0
        self.clearance = INF
        self.reach = certificate.moving == "reach"

    def trust(self, what, example):
        self.trusted.setdefault(what, []).append(example)

    def run(self):
        self.check_names()
        self.check_files()
        self.add_leaves()
        self.find_pairs()
        self.check_constants()
        if len(self.certificate.segments) != len(self.segments):
            raise Refused(f"it is about {len(self.certificate.segments)} segments, the motion has {len(self.segments)}")
        for index, (segment, records) in enumerate(zip(self.segments, self.certificate.segments)):
            self.check_segment(index, segment, records)

    def check_names(self):
        c = self.certificate
        if [name for _, name in c.errors] != self.scene.value_names:
            raise Refused(f"its values are {[n for _, n in c.errors]}, the scene's are {self.scene.value_names}")
        self.errors = [e for e, _ in c.errors]
        if not all(e >= 0.0 for e in self.errors):
            raise Refused("a tracking error is negative")
        known = {b.name: b for b in self.scene.bodies}
        if sorted(c.bodies) != sorted(known) or len(known) != len(self.scene.bodies):
            raise Refused(f"its bodies are not the scene's: {sorted(set(c.bodies) ^ set(known))}")
        self.bodies = [known[name] for name in c.bodies]
        for index, body in enumerate(self.bodies):
            if index in c.balls:
                body.set_ball(c.balls[index])
            find_far_levers(body)
        for asked, name in zip(self.asked_errors(c), self.scene.value_names):
            own = self.errors[self.scene.value_names.index(name)]
            if not own >= asked:
                raise Refused(f"it allows '{name}' a tracking error of {own:g}, {asked:g} is asked for")
        # Links that were asked as spheres are covered by them: what is proven here is proven of the links' own geometry.
        self.replaced = set()
        if any(what == "spheres_only" for _, what in c.assumed):
            self.replaced = {i for i, body in enumerate(self.bodies) if body.item is None and any(not p.is_ball for p in body.parts)}
        for count, what in c.assumed:
            if what in ("unknown_space_free", "unseen_space_free", "outside_space_free"):
                self.trust("assumed by the certificate, not read here", f"{what} ({count})")

    def asked_errors(self, c):
        """Of --tracking-error: one number for all values, or NAME=E,..."""
        names, out = self.scene.value_names, [0.0] * len(self.scene.value_names)
        for word in (self.options.tracking_error or "0").split(","):
            name, _, value = word.rpartition("=")
            if name and name not in names:
                raise Refused(f"--tracking-error: '{name}' is no value of the scene")
            for i in [names.index(name)] if name else range(len(names)):
                out[i] = number(value, "--tracking-error", 0.0)
        return out

    def check_files(self):
        """Every file that is read here was read there, and the other way round."""
        listed = {h for h, _ in self.certificate.files}
        for path, total in self.scene.reader.files.sums.items():
            if total not in listed:
                raise Refused(f"{path}: its sum is not among the files that the certificate was made from")
        for total, name in self.certificate.files:
            if total not in self.scene.reader.files.sums.values():
                raise Refused(f"it was made from '{name}', which is not read here or has another sum")

    def add_leaves(self):
        """The order of leaves: the triangles listed must be all of the file's."""
        for (index, place), (points, corners) in self.certificate.meshes.items():
            if index >= len(self.bodies) or place >= len(self.bodies[index].parts) or self.bodies[index].parts[place].mesh is None:
                raise Refused(f"'mesh {index} {place}': there is no such mesh")
            part = self.bodies[index].parts[place]
            listed = {tuple(sorted(map(tuple, points[t].tolist()))) for t in corners.tolist()}
            edges = {frozenset((p[i], p[j])) for p in listed for i, j in ((0, 1), (1, 2), (2, 0))}
            own = part.mesh.points.tolist()
            for t in part.mesh.triangles.tolist():
                key = tuple(sorted(tuple(own[i]) for i in t))
                if key not in listed and not covered_by_edges(key, edges):
                    raise Refused(f"'mesh {index} {place}': a triangle of '{self.bodies[index].name}' is not listed: {key}")
            corner_points = {p for key in listed for p in key}
            for t in part.mesh.degenerate.tolist():
                ends = frozenset(tuple(own[i]) for i in t)
                if ends not in edges if len(ends) == 2 else not ends <= corner_points:
                    self.trust("degenerate triangles of a mesh", self.bodies[index].name)
            part.leaves = apply(part.place, points)[corners]

    def find_pairs(self):
        """Pairs that must be covered, in the order of the certificate's bodies."""
        self.pairs, self.skipped = {}, {}
        for i, a in enumerate(self.bodies):
            for k in range(i + 1, len(self.bodies)):
                reason = self.scene.skips(a, self.bodies[k])
                if reason is None:
                    self.pairs[(i, k)] = True
                else:
                    self.skipped[reason] = self.skipped.get(reason, 0) + 1
        said = {(r.a, r.b) for records in self.certificate.segments for r in records} | {(r.a, r.b) for r in self.certificate.constants}
        for i, k in said - set(self.pairs):
            if not (i < k < len(self.bodies)):
                raise Refused(f"bodies {i} and {k} are no pair")
        # Links of one robot that overlap in every one of 1,000 samples are no pair either, for the library. These samples are not repeated
        # here, but on the motion that is proven they must overlap too.
        for i, k in sorted(set(self.pairs) - said):
            a, b = self.bodies[i], self.bodies[k]
            if a.item is None and b.item is None and a.robot is b.robot and (not a.robot.listed or frozenset((a.link, b.link)) in a.robot.tabled):
                if self.replaced and frozenset((a.link, b.link)) in a.robot.tabled:
                    self.trust("pairs that the SRDF disables, and whose table says nothing about spheres", f"{a.name} - {b.name}")
                else:
                    self.need_overlap(a, b)
                    self.trust("links that always overlap are no pair, by the library's samples", f"{a.name} - {b.name}")
                del self.pairs[(i, k)]

    def need_overlap(self, a, b):
        """The samples were within limits; so says this."""
        first = self.scene.value_first[self.scene.robots.index(a.robot)]
        limits = [joint.limits or (-INF, INF) for joint in a.robot.value_joints]
        for index, segment in enumerate(self.segments):
            for t in (0.0, 0.5, 1.0):
                values = [segment.run(first + k, t, 0.0)[0] for k in range(len(limits))]
                if not all(low <= v <= high for v, (low, high) in zip(values, limits)):
                    continue
                place = Place(self.scene, self.errors, self.reach, segment, t, 0.0)
                apart = Distance(a, place.pose(a), b, place.pose(b), SLACK * (a.size + b.size), 200)
                if apart.proven:
                    raise Refused(f"segment {index}, t = {t:g}: '{a.name}' and '{b.name}' are {apart.lower:.6g} m apart, and nothing is said about them")

    def is_constant(self, i, k):
        a, b = self.bodies[i], self.bodies[k]
        still = (a.frame == 0 and b.frame == 0) or (a.robot is b.robot and a.frame == b.frame)
        moves = self.reach and any(x.item is not None and x.item.moves and (x.item.speed > 0 or x.item.start > 0) for x in (a, b))
        return still and not moves

    def padding(self, a, b):
        return 0.0 if a.robot is b.robot and a.robot is not None else (a.padding + b.padding) * (1 + 2 * U)

    def margin(self, a, b):
        own = a.robot is b.robot and a.robot is not None and a.item is None and b.item is None
        return self.certificate.margins["self-margin" if own else "margin"]

    def name(self, record):
        return f"line {record.line}: '{self.bodies[record.a].name}' and '{self.bodies[record.b].name}', {record.kind}"

    def judge(self, record, bound):
        margin = self.margin(self.bodies[record.a], self.bodies[record.b])
        if not (bound > margin and record.bound >= margin and bound >= record.bound):
            raise Refused(f"{self.name(record)}: claimed are {record.bound:.17g} m with a margin of {margin:g} m, proven is {bound:.17g} m")
        self.clearance = min(self.clearance, record.bound)
        self.count += 1

    def judge_distance(self, record, place_a, place_b, less, travel):
        """Measured here again: the bodies at the middle, by planes between volumes."""
        a, b = self.bodies[record.a], self.bodies[record.b]
        target = (record.bound + travel + less) * (1 + 8 * U)
        found = Distance(a, place_a, b, place_b, target, min(self.budget, 4000))
        self.budget -= found.spent
        if found.proven:
            self.check_apart(record, place_a, place_b)
            self.judge(record, found.lower - travel - less)
        elif found.refuted:
            raise Refused(f"{self.name(record)}: claimed are {record.bound:.17g} m, which needs {target:.17g} m at the middle; there are "
                          f"{found.upper:.17g} m")
        else:
            self.need_margin(record)
            self.trust("distances that the library measured, too long to measure here", f"line {record.line}: {a.name} - {b.name}")

    def judge_table(self, index, segment, record):
        """A pair that a table proves apart for all values within limits: proven here on this motion, by halving its time."""
        a, b = self.bodies[record.a], self.bodies[record.b]
        if a.item is not None or b.item is not None or a.robot is not b.robot:
            raise Refused(f"{self.name(record)}: no robot's own links")
        self.judge_by_halving(index, segment, record, "the robot's proven table")

    def judge_by_halving(self, index, segment, record, what):
        """The gap of all of both bodies, on the record's interval."""
        a, b = self.bodies[record.a], self.bodies[record.b]
        self.need_margin(record)
        wait, left = [(record.level, record.index)], 64
        while wait:
            level, at = wait.pop()
            half = 0.5 ** (level + 1)
            place = Place(self.scene, self.errors, self.reach, segment, (2 * at + 1) * half, half)
            sides = place.sides(a, b, self.padding(a, b))
            less = sides.less + sides.a.slack + sides.b.slack
            if place.ball_gap(sides) - sides.less >= record.bound:
                continue
            found = Distance(a, place.pose(a), b, place.pose(b), (record.bound + sides.travel + less) * (1 + 8 * U), min(self.budget, 400))
            self.budget -= found.spent
            if found.upper + less < record.bound:
                raise Refused(f"segment {index}, {self.name(record)}: claimed are {record.bound:.17g} m, at t = {(2 * at + 1) * half:.17g} there are "
                              f"{found.upper:.17g} m")
            if found.proven:
                self.check_apart(record, place.pose(a), place.pose(b))
                continue
            left -= 1
            if left < 0 or level >= LEVEL_MAX or self.budget <= 0:
                self.trust(what, f"segment {index}, line {record.line}: {a.name} - {b.name}")
                return
            wait += [(level + 1, 2 * at + 1), (level + 1, 2 * at)]
        self.clearance = min(self.clearance, record.bound)
        self.count += 1

    def need_margin(self, record):
        """What is claimed and not proven must at least be enough."""
        margin = self.margin(self.bodies[record.a], self.bodies[record.b])
        if not record.bound >= margin:
            raise Refused(f"{self.name(record)}: claimed are {record.bound:.17g} m with a margin of {margin:g} m")

    def check_record_names(self, record):
        if not record.a < record.b < len(self.bodies):
            raise Refused(f"line {record.line}: bodies {record.a} and {record.b} are no pair")
        if record.leaves is not None:
            for index, first, count in ((record.a, *record.leaves[:2]), (record.b, *record.leaves[2:])):
                body = self.bodies[index]
                if index in self.replaced:
                    continue  # leaves are spheres that are not listed
                if any(p.mesh is not None and p.leaves is None for p in body.parts):
                    raise Refused(f"{self.name(record)}: leaves of '{body.name}' are counted, its triangles are not listed")
                if first + count > body.leaf_count:
                    raise Refused(f"{self.name(record)}: '{body.name}' has {body.leaf_count} leaves")

    def by_own_geometry(self, records):
        """Records of a pair that name spheres which replace a link: what they say together, about all of both bodies at all times."""
        if not any(r.leaves is not None and (r.a in self.replaced or r.b in self.replaced) for r in records):
            return None
        return Record(records[0].line, records[0].a, records[0].b, 0, 0, "distance", min(r.bound for r in records))

    def check_cover(self, i, k, records, where, with_leaves=True):
        """All leaves of both, at all times: between any two times that records begin or end at, their ranges fill a rectangle."""
        a, b = self.bodies[i], self.bodies[k]
        whole = (0, a.leaf_count, 0, b.leaf_count)
        boxes = [(r.low, r.high, *((r.leaves[0], r.leaves[0] + r.leaves[1], r.leaves[2], r.leaves[2] + r.leaves[3])
                                   if r.leaves is not None and with_leaves else whole)) for r in records]
        cuts = sorted({0, 2 ** LEVEL_MAX} | {x for box in boxes for x in box[:2]})
        starts = {}
        for box in boxes:
            starts.setdefault(box[0], []).append(box)
        active = []
        for low, high in zip(cuts, cuts[1:]):
            active = [box for box in active if box[1] > low] + starts.get(low, [])
            if not any(box[2:] == whole for box in active) and not fills([box[2:] for box in active], whole):
                raise Refused(f"{where}: nothing is said about all of '{a.name}' and '{b.name}' from t = "
                              f"{low / 2 ** LEVEL_MAX:.17g} to {high / 2 ** LEVEL_MAX:.17g}")

    def check_apart(self, record, place_a, place_b):
        """Planes between leaves part surfaces: that neither is inside of the other is seen at one time."""
        for (x, at_x), (y, at_y) in (((record.a, place_a), (record.b, place_b)), ((record.b, place_b), (record.a, place_a))):
            for part in self.bodies[x].parts:
                if part.mesh is None:
                    continue
                if part.mesh.twisted:
                    self.trust("a mesh whose triangles face both ways: what is inside", self.bodies[x].name)
                if not part.mesh.closed:
                    continue
                own = times(at_x, part.place)
                for other in self.bodies[y].parts:
                    points = (apply(at_y, other.sample_points()) - own[1]) @ own[0]
                    if not all(abs(w) < 0.25 for w in part.mesh.winding(points)):
                        raise Refused(f"{self.name(record)}: one is inside of the other")

    def check_constants(self):
        by_pair = {}
        for record in self.certificate.constants:
            self.check_record_names(record)
            by_pair.setdefault((record.a, record.b), []).append(record)
        for i, k in self.pairs:
            if self.is_constant(i, k) and (not by_pair.get((i, k)) or self.by_own_geometry(by_pair[i, k]) is None):
                self.check_cover(i, k, by_pair.get((i, k), []), "constant")
        for (i, k), records in by_pair.items():
            a, b = self.bodies[i], self.bodies[k]
            if not self.is_constant(i, k):
                raise Refused(f"{self.name(records[0])}: they move against each other")
            whole = self.by_own_geometry(records)
            for record in [whole] if whole is not None else records:
                slack = SLACK * (a.own_size + b.own_size)
                if record.kind == "distance":
                    self.judge_distance(record, pose(), pose(), slack + self.padding(a, b), 0.0)
                    continue
                if record.kind == "half-space":
                    self.judge(record, still_half_space_gap(a, b) - slack - self.padding(a, b))
                    continue
                if record.kind != "gap":
                    raise Refused(f"{self.name(record)}: 'gap', 'half-space' or 'distance' is expected")
                n = unit(record.direction)
                leaves_a, leaves_b = split_leaves(record)
                self.judge(record, -body_support(b, -n, leaves_b) - body_support(a, n, leaves_a) - slack - self.padding(a, b))
            if whole is None and any(r.leaves is not None for r in records):
                self.check_apart(records[0], pose(), pose())

    def check_segment(self, index, segment, records):
        if self.reach and segment.duration is None:
            raise Refused(f"segment {index}: it is about objects that move meanwhile, and the motion has no times")
        by_pair = {}
        for record in records:
            self.check_record_names(record)
            by_pair.setdefault((record.a, record.b), []).append(record)
        done = set()
        for i, k in self.pairs:
            whole = self.by_own_geometry(by_pair.get((i, k), []))
            if whole is not None and not self.is_constant(i, k):
                # Leaves are those of spheres, which this program does not have: it proves the pair itself, at all times that are claimed.
                self.check_cover(i, k, by_pair[i, k], f"segment {index}", with_leaves=False)
                self.judge_by_halving(index, segment, whole, "planes between spheres that are not listed")
                done.add((i, k))
            elif not self.is_constant(i, k):
                self.check_cover(i, k, by_pair.get((i, k), []), f"segment {index}")
        apart, places = set(), {}
        for record in sorted(records, key=lambda r: (r.level, r.index)):
            if (record.a, record.b) in done:
                continue
            a, b = self.bodies[record.a], self.bodies[record.b]
            if self.is_constant(record.a, record.b):
                raise Refused(f"segment {index}, {self.name(record)}: they never move against each other")
            if record.kind == "table":
                self.judge_table(index, segment, record)
                continue
            key = (record.level, record.index)
            if key not in places:
                half = 0.5 ** (record.level + 1)
                places = {key: Place(self.scene, self.errors, self.reach, segment, (2 * record.index + 1) * half, half)}
            place = places[key]
            if record.leaves is not None and (record.a, record.b) not in apart:
                self.check_apart(record, place.pose(a), place.pose(b))
                apart.add((record.a, record.b))
            try:
                if record.kind == "distance":
                    sides = place.sides(a, b, self.padding(a, b))
                    self.judge_distance(record, place.pose(a), place.pose(b), sides.less + sides.a.slack + sides.b.slack, sides.travel)
                else:
                    self.judge(record, place.bound(record, a, b, self.padding(a, b)))
            except Refused as error:
                raise Refused(f"segment {index}, t from {record.low / 2 ** LEVEL_MAX:.17g} to {record.high / 2 ** LEVEL_MAX:.17g}, {error}") from None


def covered_by_edges(key, edges):
    """A flat triangle whose longest side, or both others, are sides of listed ones says nothing new."""
    p, q, r = (np.array(x) for x in key)
    if length(cross(q - p, r - p)) > 16 * U * max(length(q - p), length(r - p)) ** 2:
        return False
    sides = sorted(((key[0], key[1]), (key[1], key[2]), (key[2], key[0])), key=lambda s: length(np.subtract(*s)))
    has = [frozenset(s) in edges for s in sides]
    return has[2] or (has[0] and has[1])


def fills(ranges, whole):
    """Do rectangles fill all of one? On the grid of their own sides."""
    if not ranges:
        return False
    xs = sorted({whole[0], whole[1]} | {x for r in ranges for x in r[:2]})
    ys = sorted({whole[2], whole[3]} | {y for r in ranges for y in r[2:]})
    at_x, at_y = {x: i for i, x in enumerate(xs)}, {y: i for i, y in enumerate(ys)}
    grid = np.zeros((len(xs), len(ys)), int)
    for x0, x1, y0, y1 in ranges:
        grid[at_x[x0], at_y[y0]] += 1
        grid[at_x[x1], at_y[y0]] -= 1
        grid[at_x[x0], at_y[y1]] -= 1
        grid[at_x[x1], at_y[y1]] += 1
    return bool((grid.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] > 0).all())


def verify(options):
    certificate = Certificate(options.certificate)
    scene = Scene(options.scene, options.srdf, [p.partition("=")[::2] for p in options.package])
    motions = [read_motion(path, scene, options.interpolation) for path in options.trajectory]
    segments, interpolation = (motions[0].segments, motions[0].interpolation) if len(motions) == 1 else merge_motions(motions, scene)
    if certificate.interpolation not in (None, interpolation):
        raise Refused(f"it is about {certificate.interpolation} between rows, the motion is {interpolation}")
    if options.moving == "reach" and certificate.moving != "reach":
        raise Refused("it takes objects that may move as standing, a proof for all that they can reach is asked for")
    for asked, key in ((options.margin, "margin"), (options.margin if options.self_margin is None else options.self_margin, "self-margin")):
        if not certificate.margins[key] >= asked:
            raise Refused(f"it is about a {key} of {certificate.margins[key]:g} m, {asked:g} m is asked for")
    verifier = Verifier(scene, segments, certificate, options)
    verifier.run()
    holds = (f"{len(segments)} segments ({interpolation} between rows), {len(verifier.pairs)} pairs, {verifier.count} records proven again, "
             f"every gap is larger than {verifier.clearance:.6g} m")
    left_out = [f"{verifier.skipped[k]} {k}" for k in ("disabled", "adjacent", "allowed", "touch", "holds") if k in verifier.skipped]
    holds += f"; pairs that the files leave out: {', '.join(left_out)}" if left_out else ""
    if certificate.moving == "stand" and any(i.moves for i in scene.items.values()):
        holds += "; objects that may move are taken to stand"
    if not verifier.trusted:
        print(f"{options.certificate}: it holds: {holds}")
        return 0
    print(f"{options.certificate}: what is covered holds ({holds}), but this is taken on trust:")
    for what, examples in verifier.trusted.items():
        print(f"  {what}: {len(examples)}, first {examples[0]}")
    return 3


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scene")
    parser.add_argument("trajectory", nargs="+", help="several are merged over their times")
    parser.add_argument("certificate")
    parser.add_argument("--srdf")
    parser.add_argument("--package", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--margin", type=float, default=0.0)
    parser.add_argument("--self-margin", type=float)
    parser.add_argument("--tracking-error", metavar="E|J=E,...")
    parser.add_argument("--moving", choices=("stand", "reach"), default="stand")
    parser.add_argument("--interpolation", choices=("linear", "cubic", "quintic"))
    parser.add_argument("--budget", type=int, default=20000, help="pairs of volumes, where distances have to be measured; then they are trusted")
    options = parser.parse_args(arguments)
    np.seterr(all="ignore")  # infinities prove nothing, and are compared so
    try:
        return verify(options)
    except Refused as error:
        print(f"{options.certificate}: it does not hold: {error}", file=sys.stderr)
        return 2
    except NotCovered as error:
        print(f"{options.certificate}: not covered: {error}", file=sys.stderr)
        return 3
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, MemoryError) as error:
        # Whatever an input can cause that was not foreseen: nothing is proven.
        print(f"{options.certificate}: it does not hold: an input is not as it should be: {type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
