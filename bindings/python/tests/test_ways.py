# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The same states and segments through every way that Python has to ask, and through the program: never free against collision; free
against unknown only where the gap is within delta of the margin, but for "fixed", which proves nothing. The ways of the library itself and of
the view's socket are asked in test/cli/test_cli_ways.c. 1,000 of each a robot in the long form."""

import os

import numpy as np
import pytest

import berth
from conftest import SHARED, ask

LONG = bool(os.environ.get("BERTH_TEST_LONG"))
COUNT = 1000 if LONG else 60
DELTA = 1e-4
MOVEIT = "robots/moveit_resources_"
EXAMPLE = "robots/example-robot-data/robots/"

# Name, URDF, SRDF (none where it leaves pairs in that always overlap), is it of the long form only?
ROBOTS = [
    ("panda", "robots/panda_mbm/panda.urdf", "robots/panda_mbm/panda.srdf", False),
    ("panda of spheres", "robots/panda_mbm/panda_spherized.urdf", "robots/panda_mbm/panda.srdf", False),
    ("fanuc", MOVEIT + "fanuc_description/urdf/fanuc.urdf", MOVEIT + "fanuc_moveit_config/config/fanuc.srdf", False),
    ("ur5", EXAMPLE + "ur_description/urdf/ur5_robot.urdf", None, True),
    ("two pandas", MOVEIT + "dual_arm_panda_moveit_config/config/dual_panda_close.urdf",
     MOVEIT + "dual_arm_panda_moveit_config/config/panda.srdf", True),
    ("romeo", EXAMPLE + "romeo_description/urdf/romeo.urdf", EXAMPLE + "romeo_description/srdf/romeo.srdf", True),
    ("pr2", MOVEIT + "pr2_description/urdf/robot.xml", None, True),
]

OBJECTS = """objects:
  - {name: a_table, box: {size: [0.6, 1.2, 0.04]}, pose: {xyz: [0.85, 0, 0.3]}}
  - {name: a_plate, box: {size: [0.3, 0.2, 0.001]}, pose: {xyz: [0.4, 0.4, 0.6], rpy: [0.4, 0.3, 0.1]}}
  - {name: a_rod, cylinder: {radius: 0.001, length: 0.6}, pose: {xyz: [0.5, -0.4, 0.6]}}
  - {name: a_ball, sphere: {radius: 0.08}, pose: {xyz: [-0.5, 0.3, 0.7]}}
  - {name: a_bar, capsule: {radius: 0.01, length: 0.5}, pose: {xyz: [-0.4, -0.4, 0.8], rpy: [1.3, 0, 0]}}
"""


def write_scene(folder, urdf, srdf):
    path = folder / "scene.yaml"
    beside = f"    srdf: {SHARED / srdf}\n" if srdf else ""
    path.write_text(f"berth: 1\nrobots:\n  - urdf: {SHARED / urdf}\n{beside}{OBJECTS}")
    return path


def let_graze(scene, rows, segments):
    """Every third row is moved to where the verdict changes: into the band of delta."""
    checker = berth.MotionChecker(scene)

    def is_free(row):
        return checker.segment(*(row if segments else (row, row)), clearance=False).free

    last = {}
    for i in range(len(rows)):
        if i % 3 != 2 or len(last) < 2:
            last[is_free(rows[i])] = rows[i].copy()
            continue
        low, high = 0.0, 1.0  # of the way from the free one
        for _ in range(16):
            middle = 0.5 * (low + high)
            rows[i] = last[True] + middle * (last[False] - last[True])
            low, high = (middle, high) if is_free(rows[i]) else (low, middle)


def words(verdicts):
    """Of a batch, as words."""
    names = {berth.FREE: "free", berth.COLLISION: "collision", berth.UNKNOWN: "unknown"}
    return [names[v] for v in verdicts]


def python_ways(scene, rows, segments):
    """Name of a way and its verdicts; "fixed" is told by its name."""
    ends = rows if segments else np.stack([rows, rows], axis=1)
    for method in ("default", "second-order", "adaptive", "refined", "fixed"):
        checker = berth.MotionChecker(scene, method=method)
        yield f"segment, {method}", [checker.segment(*row, clearance=False).verdict for row in ends]
    checker = berth.MotionChecker(scene, lanes=True)
    yield "segment, lanes", [checker.segment(*row, clearance=False).verdict for row in ends]
    checker = berth.MotionChecker(scene, lanes=False)
    yield "segment, bodies", [checker.segment(*row, clearance=False).verdict for row in ends]
    checker = berth.MotionChecker(scene)
    yield "segment, first contact", [checker.segment(*row, first_contact=True).verdict for row in ends]
    yield "path", [checker.path(row).verdict for row in ends]
    speeds = np.abs(ends[:, 1] - ends[:, 0]) * (1 + 1e-12) + 1e-12
    some = range(0, len(ends), 10)  # it calls Python for every configuration
    found = ["not asked"] * len(ends)
    for i in some:
        found[i] = checker.function(lambda t, p=ends[i, 0], q=ends[i, 1]: (1 - t) * p + t * q, speeds[i], clearance=False).verdict
    yield "function", found
    kind = "segments" if segments else "states"
    for expected in (0, 2**62):  # and with so many that lanes pay
        yield f"batch, {expected}", words(berth.Batch(scene, kind, threads=2, expected_rows=expected).ask(rows).verdicts)
    yield "batch, clearance", words(berth.Batch(scene, kind).ask(rows, clearance=True).verdicts)
    if not segments:
        states = berth.Checker(scene, lanes=True)
        yield "check, lanes", [states.check(row).verdict for row in rows]
        states = berth.Checker(scene)
        yield "check", [states.check(row).verdict for row in rows]
        yield "distance", [states.distance(row).verdict for row in rows]


def program_ways(scene_path, file, segments, folder):
    """The same of the program, by its JSON."""
    if segments:
        yield "berth path", [answer["verdict"] for answer in ask("path", scene_path, "--segments", file, "--quiet")]
    else:
        yield "berth check", [answer["verdict"] for answer in ask("check", scene_path, "--states", file, "--quiet")]
    given = ["--segments", file] if segments else [file]
    ask("batch", scene_path, *given, "-o", folder / "out.npy", "--force", "--quiet")
    yield "berth batch", words(np.load(folder / "out.npy"))


def least_gap(scene, row, segments):
    """As states measure it, from samples that close in: never less than the true one."""
    checker = berth.Checker(scene)
    ends = row if segments else (row, row)

    def gap(t):
        answer = checker.distance((1 - t) * ends[0] + t * ends[1])
        return answer.clearance.lower if answer.free else -1.0

    low, high = 0.0, 1.0
    for _ in range(4):
        times = np.linspace(low, high, 401)
        gaps = [gap(t) for t in times]
        k = int(np.argmin(gaps))
        low, high = times[max(k - 1, 0)], times[min(k + 1, 400)]
    return min(gaps)


def judge(scene, rows, segments, ways):
    """Compares row by row; returns how many rows are free, and how many collide."""
    free = hits = 0
    for i, row in enumerate(rows):
        said = {name: verdicts[i] for name, verdicts in ways.items()}
        proofs = {verdict for name, verdict in said.items() if "fixed" not in name}
        assert not any(verdict == "free" for name, verdict in said.items() if "fixed" in name), "samples prove nothing"
        assert not ("free" in proofs and "collision" in said.values()), (i, said, row.tolist())
        if "free" in proofs and "unknown" in proofs:
            assert least_gap(scene, row, segments) <= DELTA * 1.01 + 1e-6, (i, said, row.tolist())
        free += "free" in proofs
        hits += "collision" in said.values()
    return free, hits


@pytest.mark.filterwarnings("ignore::berth.BerthWarning")
@pytest.mark.parametrize("kind", ["states", "segments"])
@pytest.mark.parametrize("name, urdf, srdf, slow", ROBOTS, ids=[robot[0] for robot in ROBOTS])
def test_every_way_says_the_same(name, urdf, srdf, slow, kind, tmp_path):
    if slow and not LONG:
        return  # not of this form
    if not (SHARED / urdf).exists():
        pytest.skip(f"SKIP: there is no {SHARED / urdf}")
    path = write_scene(tmp_path, urdf, srdf)
    scene = berth.Scene.load(path)
    segments = kind == "segments"
    rows = scene.random_states(2 * COUNT if segments else COUNT, seed=len(name))
    if segments:
        share = np.exp(np.random.default_rng(len(name)).uniform(np.log(0.01), np.log(0.5), (COUNT, 1)))
        rows = np.ascontiguousarray(np.stack([rows[::2], rows[::2] + share * (rows[1::2] - rows[::2])], axis=1))
    let_graze(scene, rows, segments)
    np.save(tmp_path / "rows.npy", rows)
    ways = dict(python_ways(scene, rows, segments)) | dict(program_ways(path, tmp_path / "rows.npy", segments, tmp_path))
    free, hits = judge(scene, rows, segments, ways)
    assert free > 0 and hits > 0


def check_layouts(scene, spheres):
    """Made by default where the robot is spheres, else where somebody wants it; what is proven is the same."""
    for kind in (berth.Checker, berth.MotionChecker):
        assert (kind(scene)._lanes is not None) == spheres
        assert kind(scene, lanes=True)._lanes is not None
        assert kind(scene, lanes=False)._lanes is None

    rows = scene.random_states(400, seed=5)
    near = rows[:-1] + 0.05 * (rows[1:] - rows[:-1])
    one, other = berth.MotionChecker(scene, lanes=True), berth.MotionChecker(scene, lanes=False)
    states, bodies = berth.Checker(scene, lanes=True), berth.Checker(scene, lanes=False)
    by_lanes, by_bodies = 0, 0
    for start, goal in zip(rows, near):
        a, b = (checker.segment(start, goal, clearance=False) for checker in (one, other))
        assert a.verdict == b.verdict
        by_lanes, by_bodies = by_lanes + a.stats.configurations, by_bodies + b.stats.configurations
        assert states.check(start).verdict == bodies.check(start).verdict
    assert 3 * by_lanes < by_bodies  # what lanes place does not count: else nothing was asked by them

    # Whole plans, with a layout from the start and with one that may never come: proven, as both checkers say of them again.
    start, goal = rows[[bodies.check(row).free for row in rows]][[0, 1]]
    for lanes in (False, True):
        plan = berth.Planner(scene, seed=3, samples=100000, lanes=lanes).find(start, goal)
        assert plan.found
        for checker in (one, other):
            assert checker.path(plan.path, clearance=False).free

    # A batch learns from its first large array that lanes pay.
    batch = berth.Batch(scene, threads=1)
    for count in (1, 400, 1):
        answer = batch.ask(rows[:count])
        assert words(answer.verdicts) == [bodies.check(row).verdict for row in rows[:count]]
        assert batch._learns == (not spheres or (count == 1 and batch._definition.expected_rows == 0))
    assert batch._definition.expected_rows == (400 if spheres else 0)

    late = berth.Batch(scene)
    scene.add_sphere("far", 0.1, pose=berth.pose([9.0, 9.0, 9.0]))
    with pytest.raises(berth.BerthError):
        states.check(rows[0])
    with pytest.raises(berth.BerthError):
        one.segment(rows[0], rows[1])
    for _ in range(2):
        with pytest.raises(berth.BerthError):
            late.ask(rows)
        scene.commit()


def test_layouts_are_made_where_they_pay(tmp_path):
    shapes = {True: '<sphere radius="0.05"/>', False: '<box size="0.3 0.05 0.05"/>'}
    for spheres, shape in shapes.items():
        links = "".join(
            f'<link name="l{i}"><collision><origin xyz="0.15 0 0"/><geometry>{shape}</geometry></collision></link>'
            f'<joint name="j{i}" type="revolute"><parent link="{f"l{i - 1}" if i else "base"}"/><child link="l{i}"/>'
            f'<origin xyz="{0.35 if i else 0} 0 0"/><axis xyz="0 {i % 2} {1 - i % 2}"/>'
            '<limit lower="-2.5" upper="2.5" velocity="1" effort="1"/></joint>'
            for i in range(3)
        )
        file = tmp_path / f"arm{spheres}.urdf"
        file.write_text(f'<robot name="arm"><link name="base"/>{links}</robot>')
        scene = berth.Scene()
        scene.add_robot(berth.Robot.load(file))
        for i, place in enumerate([[0.6, 0.2, 0.1], [-0.4, 0.4, 0], [0.1, -0.6, 0.2], [0, 0.1, 0.7]]):
            scene.add_sphere(f"post{i}", 0.08, pose=berth.pose(place))
        check_layouts(scene, spheres)
