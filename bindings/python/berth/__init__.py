# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""berth: certified collision checking for robots.

"free" is a proof, "collision" has a witness, everything else is "unknown" and to be treated as a collision. Units are SI: metre,
radian, second. Poses are 4x4 numpy matrices (berth.pose makes them), states are numpy arrays in the order of Scene.value_names.

>>> import berth
>>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
>>> scene.add_box("crate", (0.3, 0.3, 0.3), pose=[2.5, 0, 0.15])
>>> berth.Checker(scene).check(scene.state).free
True
"""

from berth._answers import COLLISION, FREE, UNKNOWN, Answer, Assumed, Gap, Hit, to_dict
from berth._arrays import pose
from berth._library import (
    BerthError,
    BerthStaleError,
    BerthTypeError,
    BerthValueError,
    BerthWarning,
    Status,
    version,
)
from berth.advice import Advice
from berth.batch import Batch, BatchAnswer
from berth.check import CheckAnswer, Checker, GradientAnswer
from berth.contact import Contact, ContactAnswer, ContactBody, ContactWorld, Feature, Follow, UnknownPair, Wrench
from berth.cover import LinkSpheres, PairProof, Spheres, fit_spheres, prove_pairs
from berth.field import Map, MapAnswer
from berth.monitor import MapFeed, Monitor, Permit, replay, state_message
from berth.motion import (
    Bounds,
    CertificateAnswer,
    FirstContact,
    MotionChecker,
    MotionClearance,
    MotionHit,
    MotionStats,
    PathAnswer,
)
from berth.occupancy import Occupancy, ScanAnswer, read_points
from berth.plan import PlanAnswer, PlanClearance, Planner, PlanStats
from berth.robot import Joint, Robot
from berth.scene import Material, Person, Safety, Scene, SceneObject
from berth.shape import Box, Capsule, Cone, Cylinder, HalfSpace, Mesh, Points, Sphere
from berth.trajectory import Trajectory

__version__ = version()

__all__ = [
    "Advice",
    "Answer",
    "Assumed",
    "Batch",
    "BatchAnswer",
    "BerthError",
    "BerthStaleError",
    "BerthTypeError",
    "BerthValueError",
    "BerthWarning",
    "Bounds",
    "Box",
    "COLLISION",
    "Capsule",
    "CertificateAnswer",
    "CheckAnswer",
    "Checker",
    "Cone",
    "Contact",
    "ContactAnswer",
    "ContactBody",
    "ContactWorld",
    "Cylinder",
    "FREE",
    "Feature",
    "Follow",
    "FirstContact",
    "Gap",
    "GradientAnswer",
    "HalfSpace",
    "Hit",
    "Joint",
    "LinkSpheres",
    "Map",
    "MapAnswer",
    "MapFeed",
    "Material",
    "Mesh",
    "Monitor",
    "MotionChecker",
    "MotionClearance",
    "MotionHit",
    "MotionStats",
    "Occupancy",
    "PairProof",
    "PathAnswer",
    "Permit",
    "Person",
    "PlanAnswer",
    "PlanClearance",
    "PlanStats",
    "Planner",
    "Points",
    "Robot",
    "Safety",
    "ScanAnswer",
    "Scene",
    "SceneObject",
    "Sphere",
    "Spheres",
    "Status",
    "Trajectory",
    "UNKNOWN",
    "UnknownPair",
    "Wrench",
    "fit_spheres",
    "pose",
    "prove_pairs",
    "read_points",
    "replay",
    "state_message",
    "to_dict",
    "version",
]
