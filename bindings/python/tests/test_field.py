# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Maps: `berth map query` on the same balls; a brute-force distance; maps as obstacles of a scene."""

import numpy as np
import pytest

import berth
from conftest import MODELS, ask, same


def make_cells(dim, seed=1, size=14):
    rng = np.random.default_rng(seed)
    cells = (rng.random((size,) * dim) < 0.06).astype(np.int8)
    cells[rng.random(cells.shape) < 0.03] = -1
    return cells


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("metric", ["l2", "l1"])
@pytest.mark.parametrize("unknown", ["occupied", "free"])
def test_query_is_what_the_command_says(dim, metric, unknown, tmp_path):
    cells = make_cells(dim)
    np.save(tmp_path / "cells.npy", cells)
    rng = np.random.default_rng(2)
    balls = np.column_stack([rng.uniform(0.0, 1.4, (60, dim)), rng.uniform(0, 0.15, 60)])
    header = "x,y,z,r" if dim == 3 else "x,y,r"
    lines = [header] + [",".join(repr(float(number)) for number in ball) for ball in balls]
    (tmp_path / "balls.csv").write_text("\n".join(lines) + "\n")
    theirs = ask("map", "query", tmp_path / "cells.npy", "--resolution", "0.1", "--unknown", unknown, "--metric", metric,
                 "--outside", "free", "--balls", tmp_path / "balls.csv")
    for space in (berth.Map.from_cells(cells, resolution=0.1, unknown=unknown),
                  berth.Map.load(tmp_path / "cells.npy", resolution=0.1, unknown=unknown, parts=["euclid", "lists"])):
        assert np.array_equal(space.cells(), cells)
        answer = space.query(balls, metric=metric)
        names = ("unknown", "free", "collision")
        for i, line in enumerate(theirs):
            assert line["verdict"] == names[answer.verdicts[i]]
            assert [answer.lower[i], answer.upper[i]] == pytest.approx([line["distance"]["lower"], line["distance"]["upper"]], abs=1e-12)


def test_distances_against_all_cells():
    cells = make_cells(3)
    space = berth.Map.from_cells(cells, resolution=0.1, origin=(1, 2, 3))
    low = np.argwhere(cells != 0) * 0.1 + (1, 2, 3)
    balls = np.column_stack([np.random.default_rng(3).uniform(0, 1.4, (200, 3)) + (1, 2, 3), np.full(200, 0.05)])
    answer = space.query(balls)
    for ball, lower, upper, nearest in zip(balls, answer.lower, answer.upper, answer.nearest):
        away = np.maximum(np.maximum(low - ball[:3], ball[:3] - low - 0.1), 0)
        distance = np.sqrt((away**2).sum(axis=1)).min()
        assert lower - 1e-9 <= distance <= upper + 1e-9
        assert np.linalg.norm(nearest - ball[:3]) == pytest.approx(distance, abs=1e-9)
    outside = space.query([[0, 0, 0, 0.1]])
    assert outside.outside[0] and outside.verdicts[0] != berth.FREE


def test_files_and_info(tmp_path):
    cells = make_cells(3)
    space = berth.Map.from_cells(cells, resolution=0.1, parts=["odm"])
    space.save(tmp_path / "m.bmap")
    theirs = ask("map", "info", tmp_path / "m.bmap")
    again = berth.Map.load(tmp_path / "m.bmap")
    assert (again.dim, again.resolution, list(again.shape)) == (theirs["dimensions"], theirs["resolution"], theirs["size"])
    assert np.array_equal(again.cells(), cells) and again.format == "bmap"
    assert theirs["cells"]["occupied"] == (cells == 1).sum()
    with pytest.raises(berth.BerthError, match="nowhere.bt"):
        berth.Map.load("nowhere.bt")


def test_a_map_is_an_obstacle(tmp_path):
    points = np.random.default_rng(4).uniform((0.8, -0.6, 0.1), (1.2, 0.6, 0.9), (300, 3))
    lines = [" ".join(map(repr, point.tolist())) for point in points]
    (tmp_path / "cloud.xyz").write_text("\n".join(lines) + "\n")
    arm = MODELS / "two_arms/arm.urdf"
    (tmp_path / "cell.yaml").write_text(f"berth: 1\nrobots:\n  - urdf: {arm}\n    srdf: {MODELS}/two_arms/left.srdf\nobjects:\n"
                                        "  - {name: seen, map: {file: cloud.xyz, resolution: 0.05, outside: free}}\n")
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(arm, srdf=MODELS / "two_arms/left.srdf"))
    scene.add_map("seen", berth.Map.load(tmp_path / "cloud.xyz", resolution=0.05), outside="free")
    states = scene.random_states(40, seed=7)
    np.save(tmp_path / "states.npy", states)
    checker = berth.Checker(scene)
    theirs = ask("check", tmp_path / "cell.yaml", "--states", tmp_path / "states.npy", "--distance")
    for state, answer in zip(states, theirs):
        same(berth.to_dict(checker.distance(state)), answer)
    assert {answer["verdict"] for answer in theirs} == {"free", "collision"}
    assert any(entry.what for entry in scene.assumed)
    close = berth.Map.from_points(points, resolution=0.05)
    verdicts = close.query(np.column_stack([points, np.zeros(300)])).verdicts  # the outermost lie on borders of cells: unknown
    assert close.cells().sum() > 0 and berth.FREE not in verdicts and (verdicts == berth.COLLISION).sum() >= 294


def test_a_map_that_changes():
    chance = np.random.default_rng(5)
    cells = (chance.random((12, 9, 7)) < 0.1).astype(np.int8)
    space = berth.Map.from_cells(cells, resolution=0.1, parts=["euclid", "eodm"])
    arm = berth.Robot.load(MODELS / "two_arms/arm.urdf", srdf=MODELS / "two_arms/left.srdf")
    scene = berth.Scene()
    scene.add_robot(arm)
    scene.add_map("seen", space, outside="free", pose=(0.3, -0.4, 0.2))
    states = scene.random_states(60, seed=3)
    seen = set()
    for to, value in (("occupied", 1), ("free", 0), ("unknown", -1), ("free", 0)):
        changed = chance.integers(0, cells.shape, (40, 3))
        cells[tuple(changed.T)] = value
        space.update(changed, to)
        assert np.array_equal(space.cells(), cells)
        fresh = berth.Map.from_cells(cells, resolution=0.1)
        balls = np.column_stack([chance.uniform(0, 0.9, (200, 3)), np.full(200, 0.1)])
        assert np.array_equal(space.query(balls).verdicts, fresh.query(balls).verdicts)
        scene.set_map("seen", space, outside="free")
        other = berth.Scene()
        other.add_robot(arm)
        other.add_map("seen", fresh, outside="free", pose=(0.3, -0.4, 0.2))
        ours, theirs = berth.Checker(scene), berth.Checker(other)
        for state in states:
            same(berth.to_dict(ours.check(state)), berth.to_dict(theirs.check(state)))
            seen.add(ours.check(state).verdict)
    assert len(seen) == 2
    with pytest.raises(berth.BerthError, match="no map"):
        scene.add_box("box", (1, 1, 1), pose=(5, 5, 5))
        scene.set_map("box", space)


@pytest.mark.parametrize("call, what", [
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).update([[0.5, 0]], "free"), "whole numbers"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).update([[0, 2]], "free"), r"0 to \[0, 1\]"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).update([[0, 0]], "maybe"), "free, occupied"),
    (lambda: berth.Map.from_cells([[0.5]], resolution=1), "dtype float64"),
    (lambda: berth.Map.from_cells(np.zeros((2, 2, 2, 2), dtype=int), resolution=1), r"\(2, 2, 2, 2\)"),
    (lambda: berth.Map.from_cells([[3, 0]], resolution=1), "holds 0 to 3"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=0), "resolution"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=np.nan), "resolution"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1, unknown="maybe"), "occupied, free"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1, parts=["edom"]), "expected one of odm"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).query([[0, 0]]), r"\(1, 2\)"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).query([[0, 0, -1]]), "radius -1"),
    (lambda: berth.Map.from_cells([[1, 0]], resolution=1).query([[0, np.nan, 1]]), "nan"),
    (lambda: berth.Map.from_points([[1, 2, 3]], resolution=-1), "resolution is -1"),
    (lambda: berth.Scene().add_map("m", berth.Map.from_cells([[1, 0]], resolution=1), size=3), "no option size"),
    (lambda: berth.Scene().add_map("m", berth.Map.from_cells([[1, 0]], resolution=1)), "height"),
])
def test_wrong_maps_are_refused(call, what):
    with pytest.raises(berth.BerthError, match=what):
        call()


def test_a_hit_outside_of_a_map_says_so(tmp_path):
    """The outside of a map is an obstacle unless it is said to be free: a hit there is told from one of a cell."""
    urdf = tmp_path / "ball.urdf"
    urdf.write_text(
        "<robot name='r'><link name='base'/><link name='ball'><collision><geometry><sphere radius='0.05'/></geometry></collision>"
        "</link><joint name='x' type='prismatic'><parent link='base'/><child link='ball'/><axis xyz='1 0 0'/>"
        "<limit lower='-2' upper='2' effort='1' velocity='1'/></joint></robot>"
    )
    grid = np.zeros((10, 10, 10), dtype=np.int8)
    grid[9, 5, 5] = 1
    scene = berth.Scene.load(urdf)
    scene.add_map("room", berth.Map.from_cells(grid, resolution=0.1, origin=(-0.5, -0.5, -0.5)))
    checker = berth.Checker(scene)
    assert [hit.outside_map for hit in checker.check([-0.48]).hits] == [True]
    assert [hit.outside_map for hit in checker.check([0.40]).hits] == [False]
    answer = berth.MotionChecker(scene).path(np.array([[0.0], [-0.6]]))
    assert answer.verdict == "collision" and answer.outside_map
    assert berth.Planner(scene).find([0.0], [-0.6]).outside_map
