# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The wheel: installed without a network in a fresh environment, and used there; the same bytes for the same input."""

import os
import subprocess
import sys
import zipfile

import pytest

import berth
import make_wheel
from conftest import BUILD, ROOT

USE = """
import berth, numpy, os, sys
assert "site-packages" in berth.__file__ and sys.prefix in berth.__file__, berth.__file__
scene = berth.Scene.load("build/models/two_arms/cell.yaml")
batch = berth.Batch(scene).ask(scene.random_states(100))
mesh = berth.Mesh.load("fuzz/corpus/dae/triangles.dae")  # by the reader that lies beside the library
print(berth.Checker(scene).check(scene.state).verdict, batch.free + batch.collisions, len(mesh.triangles) > 0)
"""


def test_wheel_in_a_fresh_environment(tmp_path):
    wheel = make_wheel.write_wheel(BUILD / "python", tmp_path)
    again = make_wheel.write_wheel(BUILD / "python", tmp_path / "..")
    assert wheel.read_bytes() == again.read_bytes()
    again.unlink()
    plain = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "BERTH_LIBRARY")}
    home = tmp_path / "venv"
    # numpy and cffi are Debian's: nothing is downloaded.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", home], check=True, env=plain)
    pip = [sys.executable, "-m", "pip", "--python", home / "bin/python", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-index", wheel], check=True, env=plain)
    used = subprocess.run([home / "bin/python", "-W", "error", "-c", USE], capture_output=True, text=True, env=plain, cwd=ROOT,
                          check=False)
    assert used.stdout == "free 100 True\n", used.stderr
    subprocess.run([*pip, "uninstall", "-y", "berth"], check=True, env=plain)
    assert not list(home.glob("lib/*/site-packages/berth*"))


def test_wheel_holds_all_that_it_needs_and_nothing_else():
    wheel = next((BUILD / "python").glob("berth-*.whl"))
    names = zipfile.ZipFile(wheel).namelist()
    sources = {f"berth/{path.name}" for path in (ROOT / "bindings/python/berth").iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    assert sources <= set(names)
    extra = {name for name in names if name.startswith("berth/")} - sources
    assert extra <= {"berth/_abi.py", "berth/libberth.so.0", "berth/berth-mesh-reader"} and "berth/_abi.py" in extra
    info = f"berth-{berth.version()}.dist-info"
    record = zipfile.ZipFile(wheel).read(f"{info}/RECORD").decode().splitlines()
    assert sorted(line.split(",")[0] for line in record) == sorted(names)
    assert not any(str(ROOT) in zipfile.ZipFile(wheel).read(name).decode("latin-1") for name in names if name.endswith(".py"))


def test_a_build_without_the_library_is_told(tmp_path):
    with pytest.raises(SystemExit, match="there is no .*libberth.so.0; './dev build' makes it"):
        make_wheel.stage(tmp_path)
