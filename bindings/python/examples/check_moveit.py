#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Checks a MoveIt trajectory (trajectory_msgs/JointTrajectory or RobotTrajectory, JSON or YAML), before a robot executes it.

The motion between the points is the one that a ROS joint trajectory controller makes of them, cubic or quintic where velocities or
accelerations are given. Exits with 0 only when all of it is proven free.

usage: check_moveit.py ROBOT.urdf ROBOT.srdf TRAJECTORY [WORLD.scene]      ROS_PACKAGE_PATH tells where packages are
"""

import sys

import berth

if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
urdf, srdf, file = sys.argv[1:4]

try:
    if len(sys.argv) == 5:
        scene = berth.Scene.load(sys.argv[4], robot=urdf, srdf=srdf)  # a MoveIt .scene
    else:
        scene = berth.Scene.load(urdf, srdf=srdf)
    motion = berth.Trajectory.load(file, scene)
    answer = berth.MotionChecker(scene, margin=0.005).path(motion, first_contact=True)
except berth.BerthError as error:
    sys.exit(f"{error}")

print(f"{file}: {len(motion)} points, {answer.interpolation} between them: {answer.verdict}")
if answer.clearance is not None:
    print(f"  every gap is larger than {answer.clearance.lower:.4f} m")
elif answer.first_contact is not None:
    touch = answer.first_contact
    print(f"  {touch.a} and {touch.b} come nearer than 5 mm on segment {touch.segment}, not before t = {touch.t[0]:.4f}")
elif answer.reason is not None:
    print(f"  {answer.reason} between {answer.a} and {answer.b} on segment {answer.segment}: treat it as a collision")
for entry in answer.assumed:
    print(f"  assumed: {entry.what} ({entry.count})")
sys.exit(0 if answer.free else 1)
