# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Many states by numpy beside `berth batch` on the same rows: seconds of checking of both, one line of CSV a round.

usage: bench_python.py [STATES [ROUNDS]]
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import berth

SHARED = Path(os.environ.get("BERTH_SHARED_DIR", "../shared"))
PANDA = SHARED / "robots/panda_mbm/panda.urdf"
SCENES = [("two_arms", "build/models/two_arms/cell.yaml", []), ("arm6", "build/models/arm6/cell.yaml", [])]
if PANDA.exists():
    SCENES.append(("panda", str(PANDA), ["--srdf", str(SHARED / "robots/panda_mbm/panda.srdf")]))


def ask_command(scene, options, rows, folder):
    """Seconds of `berth batch`, and its verdicts."""
    out = folder / "out.npy"
    done = subprocess.run(["build/berth", "batch", scene, rows, "-o", out, "--json", *options], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(done.stderr)
    verdicts = np.load(out)
    out.unlink()
    return json.loads(done.stdout)["seconds"], verdicts


def main():
    count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    print("commit,machine,scene,states,threads,round,python_s,command_s,ratio,same_verdicts")
    for name, file, options in SCENES:
        srdf = options[1] if options else None
        scene = berth.Scene.load(file, srdf=srdf)
        states = scene.random_states(count, seed=1)
        with tempfile.TemporaryDirectory(dir="build") as folder:
            np.save(Path(folder) / "rows.npy", states)
            batch = berth.Batch(scene, expected_rows=count)
            for number in range(rounds):
                answer = batch.ask(states)
                seconds, verdicts = ask_command(file, options, Path(folder) / "rows.npy", Path(folder))
                print(f"{os.environ.get('BERTH_COMMIT', 'none')},{os.environ.get('BERTH_MACHINE', 'unknown')},{name},{count},"
                      f"{batch.threads},{number},{answer.seconds:.4f},{seconds:.4f},{answer.seconds / seconds:.3f},"
                      f"{np.array_equal(verdicts, answer.verdicts)}", flush=True)


main()
