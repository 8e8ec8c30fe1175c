# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Many rows: the bytes that `berth batch` writes; arrays are used where they are."""

import numpy as np
import pytest

import berth
from conftest import MODELS, ask, same


@pytest.mark.parametrize("cell", ["two_arms", "arm6", "humanoid23"])
@pytest.mark.parametrize("kind", ["states", "segments"])
def test_batch_is_what_the_command_writes(cell, kind, tmp_path):
    scene = berth.Scene.load(MODELS / cell / "cell.yaml")
    rows = scene.random_states(600, seed=1)
    if kind == "segments":
        rows = np.ascontiguousarray(np.stack([rows[:300], rows[:300] + 0.1 * (rows[300:] - rows[:300])], axis=1))
    np.save(tmp_path / "rows.npy", rows)
    arguments = [tmp_path / "rows.npy"] if kind == "states" else ["--segments", tmp_path / "rows.npy"]
    theirs = ask("batch", MODELS / cell / "cell.yaml", *arguments, "-o", tmp_path / "out.npy", "--margin", "0.005",
                 "--clearance", tmp_path / "gaps.npy")
    answer = berth.Batch(scene, kind, margin=0.005).ask(rows, clearance=True)
    assert np.array_equal(answer.verdicts, np.load(tmp_path / "out.npy"))
    assert np.array_equal(answer.clearances, np.load(tmp_path / "gaps.npy"))
    same(berth.to_dict(answer) | {kind: len(answer.verdicts)}, theirs)
    assert len(set(answer.verdicts)) > 1


def test_verdicts_are_those_of_a_checker():
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    states = scene.random_states(300, seed=2)
    checker = berth.Checker(scene)
    for threads in (1, 3):
        batch = berth.Batch(scene, threads=threads)
        assert batch.threads == threads
        verdicts = batch.ask(states).verdicts
        names = {berth.FREE: "free", berth.COLLISION: "collision", berth.UNKNOWN: "unknown"}
        assert [names[v] for v in verdicts] == [checker.check(state).verdict for state in states]


def test_arrays_are_used_where_they_are(tmp_path):
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    batch = berth.Batch(scene)
    states = scene.random_states(50, seed=2)
    states.flags.writeable = False
    out = np.zeros(50, dtype=np.uint8)
    answer = batch.ask(states, out=out)
    assert answer.verdicts is out and out.any()
    np.save(tmp_path / "s.npy", states)
    mapped = np.load(tmp_path / "s.npy", mmap_mode="r")  # a file, as one gets it for a large data set
    assert np.array_equal(batch.ask(mapped).verdicts, out)
    assert len(batch.ask(np.empty((0, 14))).verdicts) == 0


@pytest.mark.parametrize("rows, error, what", [
    (np.zeros((5, 13)), ValueError, r"shape \(5, 13\); \(n, 14\) is expected"),
    (np.zeros((5, 2, 14)), ValueError, r"\(n, 14\)"),
    (np.zeros((5, 14), dtype=np.float32), TypeError, r"dtype float32; float64 is expected: numpy.ascontiguousarray"),
    (np.zeros((5, 14), dtype=">f8"), TypeError, "dtype >f8"),
    (np.zeros((5, 28))[:, ::2], ValueError, "not contiguous"),
    (np.zeros((14, 5)).T, ValueError, "not contiguous"),
    ([[0.0] * 14], TypeError, "is a list; a numpy array of float64"),
    (np.full((3, 14), np.nan), ValueError, "state 0: joint .left/joint1.: value nan"),
])
def test_wrong_arrays_are_refused(rows, error, what):
    batch = berth.Batch(berth.Scene.load(MODELS / "two_arms/cell.yaml"))
    with pytest.raises(error, match=what):
        batch.ask(rows)


def test_the_row_that_is_no_state_is_named():
    batch = berth.Batch(berth.Scene.load(MODELS / "two_arms/cell.yaml"))
    rows = np.zeros((100, 14))
    rows[37, 3] = np.inf
    with pytest.raises(berth.BerthValueError, match="37"):
        batch.ask(rows)
    with pytest.raises(berth.BerthValueError, match="out is read-only"):
        out = np.zeros(100, dtype=np.uint8)
        out.flags.writeable = False
        batch.ask(np.zeros((100, 14)), out=out)
    with pytest.raises(berth.BerthValueError, match=r"out has shape \(99,\)"):
        batch.ask(np.zeros((100, 14)), out=np.zeros(99, dtype=np.uint8))
    with pytest.raises(berth.BerthValueError, match="expected one of states, segments"):
        berth.Batch(batch.scene, "paths")
    with pytest.raises(berth.BerthValueError, match="threads"):
        berth.Batch(batch.scene, threads=-3)
