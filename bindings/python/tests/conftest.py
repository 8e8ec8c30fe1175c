# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Where things are, and the command that every answer is compared with."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

# Who starts the tests in the background has SIGINT ignored, and what is ignored is inherited: tests about Ctrl-C need it.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("BERTH_BUILD", ROOT / "build"))
MODELS = BUILD / "models"
SHARED = Path(os.environ.get("BERTH_SHARED_DIR", ROOT.parent / "shared"))

# Robots that people have, with their SRDF.
PANDA = (SHARED / "robots/moveit_resources_panda_description/urdf/panda.urdf",
         SHARED / "robots/moveit_resources_panda_moveit_config/config/panda.srdf")


def run_berth(*arguments, status=(0, 1, 3)):
    """Runs the command; returns what it wrote."""
    done = subprocess.run([BUILD / "berth", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode in status, done.stderr
    return done


def ask(*arguments):
    """The command's JSON: a document, or a list of one a line."""
    lines = run_berth(*arguments, "--json").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    return found[0] if len(found) == 1 else found


def same(mine, command, ignore=("seconds", "state", "advice", "detail")):
    """Every field of the command's answer is in ours and has the same value; lists likewise. Returns the fields compared."""
    if isinstance(command, dict):
        assert isinstance(mine, dict), (mine, command)
        compared = 0
        for key, value in command.items():
            if key not in ignore:
                assert key in mine, f"no field {key}: {sorted(mine)}"
                compared += same(mine[key], value, ignore)
        return compared
    if isinstance(command, list):
        assert len(mine) == len(command), (mine, command)
        return sum(same(a, b, ignore) for a, b in zip(mine, command))
    assert mine == command, (mine, command)
    return 1


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    """Paths in examples are those of the source tree."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def panda():
    """The Panda of MoveIt's resources."""
    if not PANDA[0].exists():
        pytest.skip(f"SKIP: there is no {PANDA[0]}")
    return PANDA
