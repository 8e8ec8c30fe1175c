#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plots the clearance along a path: what is measured at samples, and the bound that is proven for all of it.

usage: plot_clearance.py [SCENE [TRAJECTORY [PICTURE]]]
"""

import sys

import matplotlib  # type: ignore[import]

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # type: ignore[import]
import numpy as np

import berth

scene_file = sys.argv[1] if len(sys.argv) > 1 else "build/models/two_arms/cell.yaml"
picture = sys.argv[3] if len(sys.argv) > 3 else "build/clearance.png"

# %% The scene and a motion of it: a file, or here the first joint forth and back.
scene = berth.Scene.load(scene_file)
if len(sys.argv) > 2:
    motion = berth.Trajectory.load(sys.argv[2], scene)
else:
    there = scene.state
    there[0] += 0.8
    motion = berth.Trajectory(scene, [scene.state, there, scene.state])

# %% Is all of it free? The lower bound holds between the samples as well.
answer = berth.MotionChecker(scene).path(motion)
print(f"{answer.verdict}: {answer.segments} segments, {answer.stats.configurations} configurations looked at")
if answer.clearance is not None:
    print(f"every gap is larger than {answer.clearance.lower:.4f} m on the whole motion")

# %% What a picture needs: the nearest pair at many places, and how it changes there.
checker = berth.Checker(scene)
rows = motion.positions
places, gaps, slopes = [], [], []
for index, (start, end) in enumerate(zip(rows, rows[1:])):
    for t in np.linspace(0, 1, 60):
        state = start + t * (end - start)
        near = checker.distance(state).clearance
        places.append(index + t)
        gaps.append(np.nan if near is None else near.upper)
        slope = None if near is None or near.a is None else checker.gradient(state, near.a, near.b).gradient
        slopes.append(np.nan if slope is None else float(slope @ (end - start)))

# %% The plot.
figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5))
above.plot(places, gaps, label="nearest pair, measured")
if answer.clearance is not None:
    above.axhline(answer.clearance.lower, color="tab:red", linestyle="--", label="proven for the whole motion")
elif isinstance(answer.t, float) and answer.segment is not None:
    above.axvline(answer.segment + answer.t, color="tab:red", label=f"{answer.a} touches {answer.b}")
above.set_ylabel("clearance, m")
above.set_ylim(bottom=0)
above.legend()
below.plot(places, slopes, color="tab:green")
below.set_ylabel("change, m a segment")
below.set_xlabel("segment")
figure.tight_layout()
figure.savefig(picture)
print(f"wrote {picture}")
