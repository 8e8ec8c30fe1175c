#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Are the plans of the 700 problems what tools/verify_certificate.py says, which shares no line with the library?

    plan_second.py BUILD_TREE SHARED [meshes|spheres] [--every N] [--first I]

Each problem becomes a scene file; `berth plan -o MOTION --certificate FILE` solves it with its defaults; the script reads scene, robot,
meshes, motion and certificate itself. One line of CSV a model, and one a problem that is not accepted with exit status 0. Told to end
(SIGTERM), it ends with what was done. No time is measured."""

import argparse
import collections
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def load_verifier():
    loader = importlib.machinery.SourceFileLoader("verify_certificate", str(ROOT / "tools/verify_certificate.py"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("verify_certificate", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def ask(verifier, program, problem, robot, folder):
    """(the exit status of `berth plan`, of the script, what it said, how many records)."""
    scene, motion, proof = (folder / name for name in ("scene.yaml", "motion.csv", "motion.cert"))
    for file in (motion, proof):
        file.unlink(missing_ok=True)
    scene.write_text(json.dumps({"berth": 1, "robots": [robot], **problem["scene"]}))  # JSON is YAML
    names = ",".join(f"panda_joint{i}" for i in range(1, 8))
    write = lambda name, row: (folder / name).write_text(names + "\n" + ",".join(map(repr, row[:7])) + "\n")
    write("start.csv", problem["start"])
    ends = []
    for i, goal in enumerate(problem["goals"]):
        write(f"goal{i}.csv", goal)
        ends += ["--to", f"@{folder}/goal{i}.csv"]
    run = subprocess.run([program, "plan", scene, "--from", f"@{folder}/start.csv", *ends, "-q", "-o", motion, "--certificate", proof],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return run.returncode, None, (run.stdout or run.stderr).strip().split("\n")[0], 0
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = verifier.main([str(scene), str(motion), str(proof)])
    records = sum(int(line.split(" ")[2]) for line in proof.read_text().split("\n") if line.startswith("segment "))
    return 0, status, said.getvalue().strip().replace(",", ";").replace("\n", " "), records


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("shared", type=Path)
    parser.add_argument("model", nargs="?", choices=("meshes", "spheres"), default="meshes")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    mbm = (options.shared / "robots/panda_mbm").resolve()
    robot = {"urdf": str(mbm / ("panda.urdf" if options.model == "meshes" else "panda_spherized.urdf")), "srdf": str(mbm / "panda.srdf")}
    lines = (options.shared / "problems/panda.jsonl").read_text().splitlines()[options.first::options.every]
    verifier, count, records, stopped = load_verifier(), collections.Counter(), 0, []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    who = ",".join(os.environ.get(name, "unknown") for name in ("BERTH_MACHINE", "BERTH_COMMIT"))
    print("bench,model,problem,plan,second,records,said,machine,commit")
    with tempfile.TemporaryDirectory() as folder:
        for line in lines:
            if stopped:
                break
            problem = json.loads(line)
            planned, status, said, some = ask(verifier, options.build / "berth", problem, robot, Path(folder))
            count[planned, status] += 1
            records += some
            if status != 0:
                print(f"plan_second,{options.model},{problem['name']},{planned},{status},{some},{said},{who}", flush=True)
    found = sum(n for (planned, _), n in count.items() if planned == 0)
    print(f"plan_second,{options.model},all {sum(count.values())},{found},{count[0, 0]},{records},,{who}")
    return 0 if count[0, 2] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
