# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Contact, monitor, plans, spheres and proven pairs: the command's own JSON on the same input."""

import json

import numpy as np
import pytest

import berth
from conftest import MODELS, ask, run_berth, same

CELL = MODELS / "two_arms/cell.yaml"


@pytest.mark.parametrize("cell", ["touch", "touch_parts"])
@pytest.mark.parametrize("method", ["manifold", "elemental"])
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


def plan_json(*arguments):
    return ask("plan", *arguments, "--threads", "1")


def test_plan(tmp_path):
    scene = berth.Scene.load(CELL)
    text = "left/joint1=0.9,left/joint2=-0.4,left/joint4=0.3"
    goal = scene.make_state(text)
    proof = tmp_path / "mine.proof"
    answer = berth.Planner(scene, margin=0.005, seed=3).find(scene.state, goal, certificate=proof)
    theirs = plan_json(CELL, "--to", text, "--margin", "0.005", "--seed", "3")
    theirs["clearance"] = {"lower": theirs["clearance"]["lower"], "self": theirs["clearance"]["self"],
                           "environment": theirs["clearance"]["environment"]}
    theirs["stats"] = {key: theirs["stats"][key] for key in ("samples", "states", "edges", "free_edges")}
    same(berth.to_dict(answer), theirs)
    assert answer.found and np.array_equal(answer.path[0], scene.state) and np.array_equal(answer.path[-1], goal)
    assert berth.MotionChecker(scene, margin=0.005).verify(answer.path, proof).free
    with pytest.raises(TypeError, match="ask .found"):
        bool(answer)


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
            for inner, method in vars(thing).items() if isinstance(thing, type) else ():
                if not inner.startswith("_") and callable(method):
                    assert method.__doc__, f"{name}.{inner}"
