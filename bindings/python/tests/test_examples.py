# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The examples run, and do what they say."""

import json
import os
import subprocess
import sys

import numpy as np

from conftest import MODELS, ROOT, SHARED

EXAMPLES = ROOT / "bindings/python/examples"


def run(name, *arguments, status=0, **environment):
    done = subprocess.run([sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, **environment})
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_plot_clearance(tmp_path):
    (tmp_path / "short.csv").write_text("left/joint1\n0\n0.4\n")
    text = run("plot_clearance.py", MODELS / "two_arms/cell.yaml", tmp_path / "short.csv", tmp_path / "c.png",
               MPLCONFIGDIR=str(tmp_path))
    assert "wrote" in text and (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_label_states(tmp_path):
    text = run("label_states.py", MODELS / "arm6/cell.yaml", 2000, tmp_path / "s.npz")
    data = np.load(tmp_path / "s.npz")
    assert "2000 states" in text and data["states"].shape == (2000, data["limits"].shape[0])
    assert 0 < data["free"].sum() < 2000
    assert (data["clearances"] > 0).sum() <= data["free"][: len(data["clearances"])].sum()


def test_check_moveit(panda, tmp_path):
    urdf, srdf = panda
    names = [f"panda_joint{i}" for i in range(1, 8)]
    ready = [0, -0.785, 0, -2.356, 0, 1.571, 0.785]

    def write(goal):
        points = [{"positions": row, "time_from_start": {"sec": i, "nanosec": 0}} for i, row in enumerate((ready, goal))]
        (tmp_path / "t.json").write_text(json.dumps({"joint_names": names, "points": points}))
        return tmp_path / "t.json"

    packages = str(SHARED / "robots")
    text = run("check_moveit.py", urdf, srdf, write([0.3, *ready[1:]]), ROS_PACKAGE_PATH=packages)
    assert "free" in text and "every gap is larger" in text
    folded = [0, 1.7, 0, -3.0, 0, 3.7, 0]
    text = run("check_moveit.py", urdf, srdf, write(folded), status=1, ROS_PACKAGE_PATH=packages)
    assert "come nearer than 5 mm" in text
    assert run("check_moveit.py", urdf, srdf, tmp_path / "nowhere.json", status=1) == ""
