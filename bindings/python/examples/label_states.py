#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Fills a data set for learning: random states of a scene, each with its verdict and a lower bound of its clearance.

usage: label_states.py [SCENE [COUNT [OUT.npz]]]        10^6 states by default
"""

import sys

import numpy as np

import berth

scene_file = sys.argv[1] if len(sys.argv) > 1 else "build/models/two_arms/cell.yaml"
count = int(float(sys.argv[2])) if len(sys.argv) > 2 else 1_000_000
out = sys.argv[3] if len(sys.argv) > 3 else "build/states.npz"

scene = berth.Scene.load(scene_file)
states = scene.random_states(count, seed=1)

# All cores, nothing is copied. Knowing how many rows will come lets it prepare for them.
verdicts = berth.Batch(scene, expected_rows=count).ask(states)
print(f"{count} states in {verdicts.seconds:.2f} s: {verdicts.free} free, {verdicts.collisions} in collision, "
      f"{verdicts.unknown} unknown")

# Distances cost more: here of a part of them.
part = states[: max(count // 100, 1)]
clearances = berth.Batch(scene).ask(part, clearance=True).clearances
assert clearances is not None

# What is unknown is no label: it is left out, never taken as free.
known = verdicts.verdicts != berth.UNKNOWN
np.savez(out, states=states[known], free=(verdicts.verdicts == berth.FREE)[known], names=np.array(scene.value_names),
         limits=scene.limits, part=part, clearances=clearances)
print(f"wrote {out}; what was assumed: {[entry.what for entry in verdicts.assumed] or 'nothing'}")
