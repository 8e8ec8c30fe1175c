# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Motions: the command's own JSON on the same trajectory; certificates; what is refused."""

import json

import numpy as np
import pytest

import berth
from conftest import MODELS, SHARED, ask, run_berth, same

CELL = MODELS / "two_arms/cell.yaml"


def write_csv(path, names, rows, times=None, velocities=None):
    header = list(names)
    columns = [np.asarray(rows)]
    if velocities is not None:
        header += [f"{name}:velocity" for name in names]
        columns.append(np.asarray(velocities))
    if times is not None:
        header.insert(0, "time")
        columns.insert(0, np.asarray(times)[:, None])
    text = [",".join(header)] + [",".join(repr(float(x)) for x in row) for row in np.hstack(columns)]
    path.write_text("\n".join(text) + "\n")
    return path


def free_rows(scene, count, seed, step=0.05):
    """A wandering motion."""
    rng = np.random.default_rng(seed)
    return np.clip(scene.state + np.cumsum(rng.normal(0, step, (count, scene.value_count)), axis=0),
                   scene.limits[:, 0], scene.limits[:, 1])


FORMS = [
    ({}, {}, []),
    ({}, {"first_contact": True}, ["--first-contact"]),
    ({}, {"clearance": False}, ["--no-clearance"]),
    ({}, {"all": True}, ["--all"]),
    ({"margin": 0.02, "self_margin": 0.001, "delta": 0.001}, {},
     ["--margin", "0.02", "--self-margin", "0.001", "--delta", "0.001"]),
    ({"method": "fixed", "resolution": 0.02}, {}, ["--method", "fixed", "--resolution", "0.02"]),
    ({"method": "adaptive"}, {}, ["--method", "adaptive"]),
    ({"tracking_error": 0.002}, {}, ["--tracking-error", "0.002"]),
]


@pytest.mark.parametrize("made, asked, options", FORMS)
@pytest.mark.parametrize("step", [0.01, 0.3])
def test_path_is_what_the_command_says(made, asked, options, step, tmp_path):
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 8, seed=2, step=step)
    file = write_csv(tmp_path / "path.csv", scene.value_names, rows)
    theirs = ask("path", CELL, file, *options, "--threads", "1")
    mine = berth.MotionChecker(scene, **made).path(rows, **asked)
    compared = same(berth.to_dict(mine), theirs, ignore=("seconds", "advice", "detail"))
    assert compared >= 9
    loaded = berth.MotionChecker(scene, **made).path(berth.Trajectory.load(file, scene), **asked)
    same(berth.to_dict(loaded), theirs, ignore=("seconds", "advice", "detail"))


def test_both_verdicts_were_seen():
    scene = berth.Scene.load(CELL)
    found = {berth.MotionChecker(scene).path(free_rows(scene, 8, seed=2, step=step)).verdict for step in (0.01, 0.3)}
    assert found == {"free", "collision"}


@pytest.mark.parametrize("cell", ["arm6", "cage6", "tori", "humanoid23"])
def test_other_cells(cell, tmp_path):
    scene = berth.Scene.load(MODELS / cell / "cell.yaml")
    file = MODELS / cell / "path.csv"
    if not file.exists():
        file = write_csv(tmp_path / "path.csv", scene.value_names, free_rows(scene, 3, seed=1, step=0.02))
    theirs = ask("path", MODELS / cell / "cell.yaml", file, "--threads", "1")
    same(berth.to_dict(berth.MotionChecker(scene).path(berth.Trajectory.load(file, scene))), theirs)


def test_curves_times_and_a_moveit_message(panda, tmp_path):
    urdf, srdf = panda
    packages = {"moveit_resources_panda_description": SHARED / "robots/moveit_resources_panda_description"}
    scene = berth.Scene.load(urdf, srdf=srdf, packages=packages)
    start = scene.make_state(named="panda_arm/ready")
    names = [f"panda_joint{i}" for i in range(1, 8)]
    times = [0.0, 1.0, 2.5, 3.0]
    rows = np.array([start, start + 0.1, start - 0.1, start])
    speeds = np.array([[0] * 7, [0.2] * 7, [-0.1] * 7, [0] * 7], dtype=float)
    points = [{"positions": list(row[:7]), "velocities": list(speed), "time_from_start": {"sec": int(t), "nanosec": int(t % 1 * 1e9)}}
              for row, speed, t in zip(rows, speeds, times)]
    message = {"joint_trajectory": {"joint_names": names, "points": points}}
    file = tmp_path / "moveit.json"
    file.write_text(json.dumps(message))
    scene.state = start
    trajectory = berth.Trajectory.load(file, scene)
    assert trajectory.interpolation == "cubic" and trajectory.times.tolist() == times
    at = ",".join(f"{name}={value!r}" for name, value in zip(scene.value_names, start.tolist()))
    theirs = ask("path", urdf, file, "--srdf", srdf, "--threads", "1", "--at", at)
    mine = berth.MotionChecker(scene).path(trajectory)
    same(berth.to_dict(mine), theirs)
    full = np.zeros((4, scene.value_count))
    full[:, :7] = speeds
    rebuilt = berth.Trajectory(scene, trajectory.positions, times=times, velocities=full)
    assert berth.MotionChecker(scene).path(rebuilt).clearance == mine.clearance


def test_segments_are_as_planners_ask_them(tmp_path):
    scene = berth.Scene.load(CELL)
    states = scene.random_states(40, seed=8)
    ends = np.stack([states[:20], states[20:]], axis=1)
    ends[::2, 1] = ends[::2, 0] + 0.05
    np.save(tmp_path / "segments.npy", ends)
    theirs = ask("path", CELL, "--segments", tmp_path / "segments.npy", "--threads", "1")
    checker = berth.MotionChecker(scene)
    for pair, answer in zip(ends, theirs):
        mine = berth.to_dict(checker.segment(*pair))
        answer.pop("segment")
        if answer["verdict"] == "free":
            answer["clearance"].pop("segment", None)
        same(mine, answer)
    verdicts = berth.Batch(scene, "segments").ask(ends).verdicts
    assert [("unknown", "free", "collision")[v] for v in verdicts] == [answer["verdict"] for answer in theirs]


def test_objects_that_move_reach(tmp_path):
    cell = tmp_path / "cell.yaml"
    text = CELL.read_text().replace("urdf: ", f"urdf: {CELL.parent}/").replace("srdf: ", f"srdf: {CELL.parent}/")
    cart = "  - {name: cart, box: {size: [0.2, 0.2, 0.2]}, pose: {xyz: [1.9, 0.5, 1.3]}, moving: {speed: 0.5}}\n"
    cell.write_text(text.replace("objects:\n", "objects:\n" + cart, 1))
    scene = berth.Scene.load(cell)
    rows = free_rows(scene, 5, seed=3, step=0.01)
    times = [0.0, 1.0, 2.0, 3.0, 4.0]
    file = write_csv(tmp_path / "timed.csv", scene.value_names, rows, times)
    for moving in ("stand", "reach"):
        theirs = ask("path", cell, file, "--moving", moving, "--threads", "1")
        mine = berth.MotionChecker(scene, moving=moving).path(berth.Trajectory.load(file, scene))
        same(berth.to_dict(mine), theirs)
        assert any(entry.what == "moving_objects_stand" for entry in mine.assumed) == (moving == "stand")
    with pytest.raises(berth.BerthValueError, match="no times"):
        berth.MotionChecker(scene, moving="reach").path(rows)


def test_files_of_several_robots_are_merged(tmp_path):
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 4, seed=4, step=0.02)
    left = write_csv(tmp_path / "left.csv", scene.value_names[:7], rows[:, :7], [0, 1, 2, 3])
    right = write_csv(tmp_path / "right.csv", scene.value_names[7:], rows[:, 7:], [0.5, 1, 2.5, 4])
    theirs = ask("path", CELL, left, right, "--threads", "1")
    merged = berth.Trajectory.merge([berth.Trajectory.load(file, scene) for file in (left, right)], scene)
    same(berth.to_dict(berth.MotionChecker(scene).path(merged)), theirs)


def test_certificates(tmp_path):
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 4, seed=2, step=0.01)
    file = write_csv(tmp_path / "path.csv", scene.value_names, rows)
    checker = berth.MotionChecker(scene)
    proof, command_proof = tmp_path / "mine.proof", tmp_path / "command.proof"
    checker.path(berth.Trajectory.load(file, scene), certificate=proof)
    run_berth("path", CELL, file, "--certificate", command_proof)
    assert proof.read_bytes() == command_proof.read_bytes()
    theirs = ask("path", CELL, file, "--verify", proof)
    mine = checker.verify(rows, command_proof)
    answer = berth.to_dict(mine) | {"stats": {"records": mine.records, "configurations": mine.configurations,
                                              "pairs": len(scene.pairs)}}
    same(answer, theirs)
    with pytest.raises(berth.BerthValueError, match="it does not hold"):
        checker.verify(rows + 0.01, proof)
    with pytest.raises(berth.BerthValueError, match="it does not hold"):
        berth.MotionChecker(scene, margin=0.5).verify(rows, proof)
    bent = proof.read_text()[:-40]
    (tmp_path / "bent.proof").write_text(bent)
    with pytest.raises(berth.BerthError, match="bent.proof"):
        checker.verify(rows, tmp_path / "bent.proof")
    with pytest.raises(berth.BerthError, match="not proven free"):
        checker.path(free_rows(scene, 8, seed=2, step=0.3), certificate=tmp_path / "none.proof")
    assert not (tmp_path / "none.proof").exists()
    before = file.read_bytes()
    with pytest.raises(berth.BerthError, match="is an input file"):
        checker.path(berth.Trajectory.load(file, scene), certificate=file)
    assert file.read_bytes() == before


def test_time_ends_with_unknown():
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 50, seed=2, step=0.01)
    answer = berth.MotionChecker(scene, delta=0.0).path(rows, time=1e-9)
    assert (answer.verdict, answer.reason) == ("unknown", "budget")
    assert berth.MotionChecker(scene).path(rows, time=1000.0).verdict == "free"


def test_free_is_not_refuted_by_samples():
    scene = berth.Scene.load(CELL)
    motion, checker = berth.MotionChecker(scene), berth.Checker(scene)
    for seed in range(5):
        rows = free_rows(scene, 4, seed=seed, step=0.02)
        answer = motion.path(rows)
        if answer.free:
            for a, b in zip(rows, rows[1:]):
                for t in np.linspace(0, 1, 50):
                    assert checker.distance(a + t * (b - a)).clearance.upper >= answer.clearance.lower


@pytest.mark.parametrize("call, what", [
    (lambda s, m: m.path(np.zeros((3, 13))), r"\(3, 13\)"),
    (lambda s, m: m.path(np.zeros(14)), r"\(14,\)"),
    (lambda s, m: m.path(np.zeros((0, 14))), "n >= 1"),
    (lambda s, m: m.path([[0] * 14, [np.nan] * 14]), r"element \[1, 0\] is nan"),
    (lambda s, m: m.segment([0] * 14, [0] * 13), "goal"),
    (lambda s, m: berth.Trajectory(s, [[0] * 14] * 3, times=[0, 1]), "times"),
    (lambda s, m: berth.Trajectory(s, [[0] * 14] * 3, times=[0, 1, 1]), "row 2 is at 1"),
    (lambda s, m: berth.Trajectory(s, [[0] * 14] * 3, velocities=[[0] * 14] * 2), "velocities has 2 rows"),
    (lambda s, m: berth.Trajectory(s, [[0] * 14] * 3, velocities=[[0] * 14] * 3), "time"),
    (lambda s, m: berth.Trajectory(s, [[1e8] * 14] * 3), "row 0"),
    (lambda s, m: berth.Trajectory(s, [[0] * 14], interpolation="septic"), "expected one of linear, cubic, quintic"),
    (lambda s, m: berth.Trajectory.load("nowhere.csv", s), "nowhere.csv"),
    (lambda s, m: berth.Trajectory.merge([], s), "at least one"),
    (lambda s, m: berth.MotionChecker(s, method="guess"), "expected one of default, second-order"),
    (lambda s, m: berth.MotionChecker(s, resolution=0.1), "method='fixed'"),
    (lambda s, m: berth.MotionChecker(s, moving="flee"), "stand, reach"),
    (lambda s, m: berth.MotionChecker(s, tracking_error=[1, 2]), "tracking_error"),
    (lambda s, m: berth.MotionChecker(s, tracking_error=-1), "-1"),
    (lambda s, m: berth.MotionChecker(s, margin=-1), "margin"),
    (lambda s, m: m.path([s.state], time=-1), "time is -1"),
    (lambda s, m: m.verify([s.state], "nowhere.proof"), "nowhere.proof"),
])
def test_wrong_questions_are_refused(call, what):
    scene = berth.Scene.load(CELL)
    checker = berth.MotionChecker(scene)
    with pytest.raises(berth.BerthError, match=what):
        call(scene, checker)
    assert checker.path([scene.state]).free


def test_a_single_row_is_checked():
    scene = berth.Scene.load(CELL)
    assert berth.MotionChecker(scene).path([scene.state]).free
    hit = scene.make_state(named="left/hit_table")
    answer = berth.MotionChecker(scene).path([hit])
    assert answer.verdict == "collision" and answer.t == 0


def test_a_motion_by_a_function():
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 2, seed=2, step=0.3)
    checker = berth.MotionChecker(scene)

    def line(t):
        return (1 - t) * rows[0] + t * rows[1]

    speeds = np.abs(rows[1] - rows[0]) * 1.001
    straight, mine = checker.segment(*rows), checker.function(line, speeds)
    assert mine.verdict == straight.verdict == "free" and mine.interpolation is None
    assert mine.clearance.lower <= straight.clearance.upper
    # Slower than it is: it says so instead of proving it.
    with pytest.raises(berth.BerthValueError, match="further from its start"):
        checker.function(line, 0.1 * speeds)

    def wave(t):
        return rows[0] + 0.1 * np.sin(2 * np.pi * t)

    assert checker.function(wave, np.full(scene.value_count, 0.7)).free
    assert checker.function(wave, np.full(scene.value_count, 0.3)).verdict == "unknown"
    # Into the table and back: both ends are free, and the way is not.
    hit = scene.make_state(named="left/hit_table")

    def there_and_back(t):
        share = np.sin(np.pi * t)
        return (1 - share) * scene.state + share * hit

    answer = checker.function(there_and_back, np.abs(hit - scene.state) * np.pi)
    assert answer.verdict == "collision" and np.array_equal(answer.state, there_and_back(answer.t))
    assert not berth.Checker(scene).check(answer.state).free


def test_a_function_that_is_wrong():
    scene = berth.Scene.load(CELL)
    checker, rest, still = berth.MotionChecker(scene), scene.state, np.zeros(scene.value_count)

    class Mine(Exception):
        pass

    def raises(t):
        if 0 < t < 1:
            raise Mine
        return rest

    with pytest.raises(Mine):
        checker.function(raises, still + 1.0)
    assert checker.function(lambda t: rest, still).free  # as good as before
    for values, speeds in ((lambda t: rest, still - 1.0), (lambda t: rest, [1, 2]), (lambda t: rest * np.nan, still)):
        with pytest.raises(berth.BerthValueError):
            checker.function(values, speeds)
