# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Contact, monitor, plans, spheres and proven pairs: the command's own JSON on the same input."""

import json
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

import berth
from conftest import MODELS, ROOT, ask, run_berth, same

CELL = MODELS / "two_arms/cell.yaml"


@pytest.mark.parametrize("cell", ["touch", "touch_parts"])
@pytest.mark.parametrize("method", ["overlap", "manifold", "elemental"])
def test_contact(cell, method):
    theirs = ask("contact", MODELS / cell / "cell.yaml", "--method", method)
    answer = berth.ContactWorld(berth.Scene.load(MODELS / cell / "cell.yaml"), method=method).cycle()
    mine = berth.to_dict(answer)
    bodies = {body["name"]: body for body in theirs.pop("bodies")}
    theirs.pop("proven")
    same(mine, theirs)
    assert set(answer.wrenches) <= set(bodies)
    for name, wrench in answer.wrenches.items():
        assert list(wrench.force) == bodies[name]["force"] and list(wrench.moment) == bodies[name]["moment"]


def test_contact_moves_and_steps():
    scene = berth.Scene()
    scene.add_box("table", (2, 2, 0.1))
    scene.add_box("cube", (0.1, 0.1, 0.1), pose=[0, 0, 0.2], mass=1.0)
    world = berth.ContactWorld(scene)
    assert world.cycle().free
    world.move("cube", berth.pose([0, 0, 0.0999]))
    touching = world.cycle()
    assert touching.verdict == "collision" and touching.wrenches["cube"].force[2] > 0
    assert touching.contacts[0].depth == pytest.approx(1e-4, rel=1e-6)
    for _ in range(10):
        answer = world.step(0.0005)
    assert answer.wrenches["cube"].force[2] > 0
    world.forget()
    for call in (lambda: world.move("cube", [0, 0, np.nan]), lambda: world.move("nobody", [0, 0, 1]), lambda: world.step(-1)):
        with pytest.raises(berth.BerthError):
            call()
    with pytest.raises(berth.BerthValueError, match="manifold, elemental"):
        berth.ContactWorld(scene, method="magic")


def test_contact_follows_and_is_felt():
    scene = berth.Scene()
    scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -0.05])
    scene.add_box("hand", (0.1, 0.1, 0.1), pose=[0, 0, 0.2])
    world = berth.ContactWorld(scene, driven="hand")
    free = world.follow("hand", [0, 0, 0.1])
    assert not free.blocked and free.lag == 0.0 and np.array_equal(free.pose[:3, 3], [0, 0, 0.1])
    held = world.follow("hand", [0, 0, 0.04])
    assert held.blocked and held.lag == pytest.approx(0.01, rel=1e-3)
    felt = world.couple("hand", held)
    assert felt.force == pytest.approx((0, 0, 10), abs=0.02) and felt.moment == pytest.approx((0, 0, 0), abs=1e-6)
    damped = world.couple("hand", held, free, 0.1, stiffness=2000, damping=50)
    assert damped.force[2] == pytest.approx(2 * felt.force[2] + 50 * held.behind[2] / 0.1)

    # The foundation of the def under 100 cm2, 1 mm deep; a step that is too stiff is told.
    world.lead("hand", [0, 0, 0.049])
    assert world.body("hand").velocity == (0, 0, 0) and world.body("hand").pieces == 1
    assert world.cycle().wrenches["hand"].force[2] == pytest.approx(1e7 * 0.01 * 1e-3)
    world.lead("hand", [0, 0, 0.05], dt=0.01)
    assert world.body("hand").velocity[2] == pytest.approx(0.1)
    scene.set_material("default", berth.Material(foundation=1e6))
    assert berth.ContactWorld(scene, driven="hand", pieces=8).substeps(0.001) >= 1


def test_a_union_beyond_its_pieces_is_unknown():
    cup = MODELS / "touch_mug/cup.stl"
    for pieces, verdict in ((None, "collision"), (2, "unknown")):
        scene = berth.Scene()
        scene.add_mesh("cup", cup)
        scene.add_sphere("ball", 0.01, pose=[0, 0, 0.0145], mass=0.1)
        answer = berth.ContactWorld(scene, pieces=pieces).cycle()
        assert answer.verdict == verdict
        assert [pair.reason for pair in answer.unknown] == (["not_convex"] if pieces else [])
        assert pieces or answer.wrenches["ball"].force[2] > 0


@pytest.mark.parametrize("task", ["task1", "task2", "task3"])
def test_replay(task):
    cell, file = MODELS / "two_arms/testbed.yaml", MODELS / f"two_arms/{task}.csv"
    lines = [json.loads(line) for line in run_berth("monitor", cell, "--input", file, "--fast", "--json").stdout.splitlines()]
    scene = berth.Scene.load(cell)
    permits = list(berth.replay(scene, berth.Trajectory.load(file, scene)))
    changes = [permit for before, permit in zip([None, *permits], permits) if before is None or before.go != permit.go]
    events = [line for line in lines if line["event"] in ("go", "stop") and line.get("reason") != "end"]
    assert len(events) == len(changes)
    for event, permit in zip(events, changes):
        assert (event["event"] == "go") == permit.go
        mine = berth.to_dict(permit)
        same(mine, {key: event[key] for key in ("time", "sequence", "a", "b", "distance", "required", "point_a", "point_b", "approach",
                                                "time_to_contact")})
        if not permit.go:
            assert (permit.reason, permit.cause) == (event["reason"], event["cause"])
    end = lines[-1]
    assert end["permits"] == sum(permit.go for permit in permits)


def test_monitor_stops_for_what_is_wrong():
    scene = berth.Scene.load(MODELS / "two_arms/testbed.yaml")
    monitor = berth.Monitor(scene, good_needed=1)
    still = np.zeros(14)
    monitor.reset()
    monitor.receive(scene.state, still, time=0.0)
    assert monitor.cycle(0.0).go
    wrong = scene.state
    wrong[3] = np.nan
    monitor.receive(wrong, still, time=monitor.period)
    stop = monitor.cycle(monitor.period)
    assert (stop.go, stop.reason, stop.joint) == (False, "value", "left/joint4")
    monitor.end()
    assert monitor.cycle(3 * monitor.period).reason == "end"
    with pytest.raises(berth.BerthValueError, match="no safety"):
        berth.Monitor(berth.Scene())
    with pytest.raises(berth.BerthValueError, match=r"\(3,\)"):
        monitor.receive([1, 2, 3], time=0)


def test_an_arm_may_be_backed_out():
    scene = berth.Scene.load(MODELS / "two_arms/testbed.yaml")
    state, still = scene.state, np.zeros(14)
    recorded = berth.Trajectory.load(MODELS / "two_arms/task2.csv", scene)
    near = next(i for i, permit in enumerate(berth.replay(scene, recorded)) if not permit.go)
    for crawl in (0.0, 5.0, 1e-6):
        monitor = berth.Monitor(scene, good_needed=1, crawl=crawl)
        monitor.reset()
        for n in range(8):
            monitor.receive(recorded.positions[near + 20], still, time=n * monitor.period, stamp=n * monitor.period, echo=n)
            permit = monitor.cycle(n * monitor.period)
        assert (permit.go, permit.reason, permit.retreat) == (False, "near", crawl == 5.0)
        assert (permit.valid_until > permit.time) == permit.retreat
    assert scene.safety.hysteresis == 0.002
    assert len(state) == 14


def test_messages_of_states():
    told = berth.state_message([0.1, 0.2], [0.0, -1.0], sequence=3, stream=5, stamp=1.5, echo=7, echo_stream=9)
    assert told[:4] == b"BRTH" and len(told) == int.from_bytes(told[6:8], "little")
    assert zlib.crc32(told[:-4]) == int.from_bytes(told[-4:], "little")
    assert struct.unpack_from("<2Q", told, 40 + 6 + 4 + 32) == (7, 9)
    assert len(berth.state_message([0.1], sequence=1, stream=5)) == 40 + 6 + 4 + 8 + 4
    with pytest.raises(berth.BerthValueError, match="velocities"):
        berth.state_message([0.1], [1.0, 2.0], sequence=1, stream=5)


def plan_json(*arguments):
    return ask("plan", *arguments, "--threads", "1")


def test_plan(tmp_path):
    scene = berth.Scene.load(CELL)
    text = "left/joint1=0.9,left/joint2=-0.4,left/joint4=0.3"
    goal = scene.make_state(text)
    proof = tmp_path / "mine.proof"
    answer = berth.Planner(scene, margin=0.005, seed=3).find(scene.state, goal, certificate=proof)
    theirs = plan_json(CELL, "--to", text, "--margin", "0.005", "--seed", "3")
    theirs["stats"] = {key: theirs["stats"][key] for key in ("samples", "states", "edges", "free_edges")}
    same(berth.to_dict(answer), theirs)
    assert answer.found and np.array_equal(answer.path[0], scene.state) and np.array_equal(answer.path[-1], goal)
    assert berth.MotionChecker(scene, margin=0.005).verify(answer.path, proof).free
    with pytest.raises(TypeError, match="ask .found"):
        bool(answer)


def test_timed_plans(tmp_path):
    scene = berth.Scene.load(CELL)
    text = "left/joint1=0.9,left/joint2=-0.4,left/joint4=0.3"
    goal = scene.make_state(text)
    proof, file = tmp_path / "mine.proof", tmp_path / "theirs.csv"
    answer = berth.Planner(scene, seed=5).find(scene.state, goal, timed=True, certificate=proof)
    theirs = plan_json(CELL, "--to", text, "--seed", "5", "--timed", "-o", file)
    for name in ("path", "times", "velocities", "duration", "corners", "blends", "default_accelerations"):
        same(berth.to_dict(answer)[name], theirs[name])
    assert answer.found and answer.times[0] == 0 and answer.times[-1] == answer.duration
    assert not answer.velocities[[0, -1]].any() and np.all(np.diff(answer.times) > 0)
    written = berth.Trajectory.load(file, scene)  # read with defaults it is the motion that was proven
    assert berth.MotionChecker(scene).verify(written, proof).free
    with pytest.raises(berth.BerthError, match="does not hold"):
        berth.MotionChecker(scene).verify(answer.path, proof)  # straight lines are another motion


@pytest.mark.parametrize("name", ["plan.csv", "plan.json"])
@pytest.mark.parametrize("timed", [False, True])
def test_plans_are_saved_and_verified_by_both(name, timed, tmp_path):
    scene = berth.Scene.load(CELL)
    goal = scene.make_state("left/joint1=0.9,left/joint2=-0.4,left/joint4=0.3")
    plan = berth.Planner(scene, seed=5).find(scene.state, goal, timed=timed)
    motion = berth.Trajectory(scene, plan.path, times=plan.times, velocities=plan.velocities)
    file, proof = tmp_path / name, tmp_path / "proof"
    motion.save(file)
    again = berth.Trajectory.load(file, scene)
    assert again.interpolation == motion.interpolation and np.array_equal(again.positions, plan.path)
    if timed:
        assert np.array_equal(again.times, plan.times) and np.array_equal(again.velocities, plan.velocities)
    assert berth.MotionChecker(scene).path(motion, certificate=proof).free
    run_berth("path", CELL, file, "--verify", proof, status=(0,))
    script = [sys.executable, ROOT / "tools/verify_certificate.py", CELL, file, proof]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_no_file_holds_is_not_saved(tmp_path):
    scene = berth.Scene.load(CELL)
    rows = np.array([scene.state, scene.state + 0.01])
    for times, name, text in (([0.0, 1 / 3], "a.json", "whole number of nanoseconds"), (None, "a.txt", ".csv or .json")):
        with pytest.raises(berth.BerthValueError, match=text):
            berth.Trajectory(scene, rows, times=times).save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    # Taken as straight although velocities are known: the file has none.
    straight = berth.Trajectory(scene, rows, times=[0, 1], velocities=rows, interpolation="linear")
    straight.save(tmp_path / "straight.csv")
    assert berth.Trajectory.load(tmp_path / "straight.csv", scene).interpolation == "linear"


def test_wrapped_goals(tmp_path):
    (tmp_path / "spin.urdf").write_text(
        "<robot name='spin'><link name='base'/><link name='arm'><collision><origin xyz='0.5 0 0'/><geometry><box size='0.2 0.1 0.1'/>"
        "</geometry></collision></link><joint name='turn' type='continuous'><parent link='base'/><child link='arm'/>"
        "<axis xyz='0 0 1'/></joint></robot>")
    scene = berth.Scene.load(tmp_path / "spin.urdf")
    long_way = berth.Planner(scene).find([3.0], [-3.0])
    short_way = berth.Planner(scene, wrap=True).find([3.0], [-3.0])
    assert long_way.found and long_way.length == pytest.approx(6.0)
    assert short_way.found and short_way.length == pytest.approx(2 * np.pi - 6.0)
    theirs = plan_json(tmp_path / "spin.urdf", "--from", "turn=3", "--to", "turn=-3", "--wrap")
    same(berth.to_dict(short_way)["path"], theirs["path"])


def test_tool_poses():
    scene = berth.Scene.load(CELL)
    left = [name for name in scene.value_names if name.startswith("left/")]
    planner = berth.Planner(scene, moves=left)
    wanted = scene.make_state("left/joint1=0.5,left/joint2=-0.6,left/joint4=1.2")
    robot, count = scene.robots["left"], len(left)
    tool = robot.links[-1]
    base = berth.pose([0.2032, 0.5588, 1.3208], rpy=[0, np.pi / 2, 0])  # as cell.yaml has it
    pose = robot.link_poses(wanted[:count], base)[tool]
    states = planner.solve_pose(tool, pose, robot="left")
    assert 0 < len(states) <= 8
    for state in states:
        assert np.array_equal(state[count:], scene.state[count:])
        assert np.allclose(robot.link_poses(state[:count], base)[tool], pose, atol=2e-6)
    assert planner.find(scene.state, states, time=20.0).found
    for wrong in ({"link": "nothing", "robot": "left"}, {"link": tool, "robot": "middle"}):
        with pytest.raises(berth.BerthValueError, match="there is no"):
            planner.solve_pose(pose=pose, **wrong)
    with pytest.raises(berth.BerthValueError, match="at least 1"):
        planner.solve_pose(tool, pose, robot="left", most=0)


def test_every_planner_of_the_library():
    from berth.plan import PLANNERS

    scene = berth.Scene.load(CELL)
    goal = scene.make_state("left/joint1=0.6")
    assert "rrt-connect" in PLANNERS and "unknown" not in PLANNERS
    for planner in PLANNERS:
        answer = berth.Planner(scene, planner=planner).find(scene.state, goal, time=20.0)
        assert answer.found and planner in (answer.planner, "default")
    with pytest.raises(berth.BerthValueError, match="expected one of default, "):
        berth.Planner(scene, planner="magic")


def test_plans_that_are_none():
    scene = berth.Scene.load(CELL)
    hit = scene.make_state(named="left/hit_table")
    planner = berth.Planner(scene)
    for start, goal, reason in ((hit, scene.state, "start_collision"), (scene.state, hit, "goal_collision")):
        answer = planner.find(start, goal)
        assert (answer.verdict, answer.reason, answer.path, answer.found) == ("none", reason, None, False)
        assert answer.a and answer.b and answer.point
    with pytest.raises(berth.BerthValueError, match="limit"):
        planner.find(scene.state, scene.limits[:, 1] + 1)
    with pytest.raises(berth.BerthError, match="not written"):
        planner.find(hit, scene.state, certificate="/nowhere/x")
    with pytest.raises(berth.BerthValueError, match="there is no group 'hand'; there are: left/arm, right/arm"):
        berth.Planner(scene, group="hand")
    with pytest.raises(berth.BerthValueError, match="no value 'x'"):
        berth.Planner(scene, moves=["x"])
    with pytest.raises(berth.BerthValueError, match="goals"):
        planner.find(scene.state, [1, 2])
    scene.add_sphere("s", 0.1, pose=[0, 0, 9])
    with pytest.raises(berth.BerthStaleError):
        planner.find(scene.state, scene.state)


def test_a_group_moves_alone():
    scene = berth.Scene.load(CELL)
    goal = scene.make_state("left/joint1=0.9,left/joint2=-0.4")
    answer = berth.Planner(scene, group="left/arm").find(scene.state, goal)
    assert answer.found and (answer.path[:, 7:] == scene.state[7:]).all()


def test_a_group_of_several_robots_is_what_the_command_takes():
    # The command moved the group of every robot that has it; here the name was refused.
    scene = berth.Scene.load(CELL)
    text = "left/joint1=0.9,left/joint2=-0.4,right/joint1=0.2"
    mine = berth.Planner(scene, group="arm").find(scene.state, scene.make_state(text))
    theirs = plan_json(CELL, "--group", "arm", "--to", text)
    assert mine.found and np.array_equal(mine.path, theirs["path"])


FINGERS = """<robot name="hand"><link name="palm"/><link name="f1"/><link name="f2"/>
<joint name="j1" type="prismatic"><parent link="palm"/><child link="f1"/><axis xyz="0 1 0"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint>
<joint name="j2" type="prismatic"><parent link="palm"/><child link="f2"/><axis xyz="0 -1 0"/><limit lower="0" upper="1" velocity="1" effort="1"/>
<mimic joint="j1"/></joint></robot>
"""


def test_a_group_of_a_joint_that_follows_moves_the_one_it_follows(tmp_path):
    urdf, srdf = tmp_path / "hand.urdf", tmp_path / "hand.srdf"
    urdf.write_text(FINGERS)
    srdf.write_text('<robot name="hand"><group name="second"><joint name="j2"/></group></robot>')
    mine = berth.Planner(berth.Scene.load(urdf, srdf=srdf), group="second").find([0.0], [0.5])
    theirs = plan_json(urdf, "--srdf", srdf, "--group", "second", "--to", "j1=0.5")
    assert mine.found and np.array_equal(mine.path, theirs["path"])


def test_spheres_are_planned_for_by_lanes_as_the_command_does():
    scene = berth.Scene.load(CELL, spheres_only=True)
    text = "left/joint1=0.9,left/joint2=-0.4,left/joint4=0.3,right/joint1=-0.5"
    mine = berth.Planner(scene, seed=2).find(scene.state, scene.make_state(text))
    theirs = plan_json(CELL, "--to", text, "--seed", "2", "--spheres-only")
    theirs["stats"] = {key: theirs["stats"][key] for key in ("samples", "states", "edges", "free_edges")}
    same(berth.to_dict(mine), theirs)


BOXES = """<robot name="boxes"><link name="a"><collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision></link>
<link name="b"><collision><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>
"""


def test_spheres(tmp_path):
    urdf = tmp_path / "boxes.urdf"
    urdf.write_text(BOXES)
    theirs = ask("spheres", urdf, "--count", "4", "--threads", "1", "-o", tmp_path / "theirs.urdf")
    spheres = berth.fit_spheres(berth.Robot.load(urdf), count=4)
    assert spheres.count == theirs["fit"]["count"] == 4
    for link in theirs["fit"]["links"]:
        mine = spheres.links[link["name"]]
        assert (len(mine.balls), mine.covered, mine.protrusion) == (link["count"], link["covered"], link["protrusion"]["max"])
    spheres.save(tmp_path / "mine.urdf")
    assert (tmp_path / "mine.urdf").read_bytes() == (tmp_path / "theirs.urdf").read_bytes()
    with pytest.raises(berth.BerthError):
        berth.fit_spheres(berth.Robot.load(urdf), count=16, protrusion=0.1)


def test_pairs_that_never_touch():
    urdf = MODELS / "two_arms/arm.urdf"
    theirs = {(pair["a"], pair["b"]): pair for pair in ask("srdf", urdf)["pairs"]}
    mine = berth.prove_pairs(berth.Robot.load(urdf))
    assert {(pair.a, pair.b) for pair in mine} == set(theirs)
    for pair in mine:
        other = theirs[pair.a, pair.b]
        assert (pair.standing, pair.never, pair.adjacent) == (other["class"], other["never"], other["adjacent"])
        assert other["least_gap"] in (None, pair.gap)


def test_every_public_name_has_a_text():
    for name in berth.__all__:
        thing = getattr(berth, name)
        if callable(thing):
            assert thing.__doc__ and len(thing.__doc__) > 5, name
            for inner, member in vars(thing).items() if isinstance(thing, type) else ():
                if not inner.startswith("_") and (callable(member) or isinstance(member, (classmethod, property))):
                    assert member.__doc__, f"{name}.{inner}"
