# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Every public call is held against the command's own JSON on the same input, or, where no command asks it, against an oracle that is
named. What is listed is looked for: a call that is new has to be entered, a test that does not use what it stands for fails. The
comparisons that no other file has are here too."""

import importlib
import inspect
import json
import re
import types

import numpy as np
import pytest

import berth
from conftest import MODELS, ask, run_berth, same

CELL = MODELS / "two_arms/cell.yaml"

# Call: where the command is asked the same.
COMPARED = {
    "Batch.ask": "test_batch.test_batch_is_what_the_command_writes",
    "Checker.check": "test_check.test_check_is_what_the_command_says",
    "Checker.distance": "test_check.test_check_is_what_the_command_says",
    "ContactWorld.couple": "test_coverage.test_a_led_hand_feels_what_the_command_says",
    "ContactWorld.cycle": "test_rooms.test_contact",
    "ContactWorld.follow": "test_coverage.test_a_led_hand_feels_what_the_command_says",
    "ContactWorld.lead": "test_coverage.test_a_led_hand_feels_what_the_command_says",
    "Map.cells": "test_coverage.test_updates_and_distances_of_maps_are_the_commands",
    "Map.esdf": "test_coverage.test_updates_and_distances_of_maps_are_the_commands",
    "Map.from_cells": "test_field.test_query_is_what_the_command_says",
    "Map.from_points": "test_coverage.test_a_map_of_points_is_the_commands",
    "Map.load": "test_field.test_files_and_info",
    "Map.query": "test_field.test_query_is_what_the_command_says",
    "Map.save": "test_field.test_files_and_info",
    "Map.update": "test_coverage.test_updates_and_distances_of_maps_are_the_commands",
    "Mesh.load": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "MotionChecker.path": "test_motion.test_path_is_what_the_command_says",
    "MotionChecker.segment": "test_motion.test_segments_are_as_planners_ask_them",
    "MotionChecker.verify": "test_motion.test_certificates",
    "Occupancy.insert_scan": "test_occupancy.test_scans_are_those_of_the_command",
    "Occupancy.load": "test_occupancy.test_scans_are_those_of_the_command",
    "Occupancy.log_odds": "test_occupancy.test_scans_are_those_of_the_command",
    "Occupancy.save": "test_occupancy.test_scans_are_those_of_the_command",
    "Occupancy.set": "test_coverage.test_cells_that_are_set_are_the_commands",
    "Planner.find": "test_rooms.test_plan",
    "Planner.solve_pose": "test_coverage.test_poses_are_solved_as_the_command_does",
    "Robot.groups": "test_scene.test_info",
    "Robot.joints": "test_scene.test_info",
    "Robot.links": "test_coverage.test_rules_of_all_pairs_are_the_commands",
    "Robot.load": "test_check.test_real_robots",
    "Robot.name": "test_scene.test_info",
    "Robot.pair": "test_coverage.test_rules_of_all_pairs_are_the_commands",
    "Robot.reach": "test_scene.test_info",
    "Robot.state": "test_coverage.test_named_states_are_the_commands",
    "Robot.state_names": "test_scene.test_info",
    "Robot.value_count": "test_scene.test_info",
    "Scene.add_box": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_capsule": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_cone": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_cylinder": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_halfspace": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_map": "test_field.test_a_map_is_an_obstacle",
    "Scene.add_mesh": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_part": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_robot": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.add_sphere": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.allow": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "Scene.assumed": "test_scene.test_info",
    "Scene.attach": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.bodies": "test_coverage.test_what_is_in_a_scene_is_what_info_says",
    "Scene.commit": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.declared": "test_coverage.test_what_is_in_a_scene_is_what_info_says",
    "Scene.detach": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.limits": "test_check.test_values_outside_limits_are_assumed",
    "Scene.load": "test_check.test_check_is_what_the_command_says",
    "Scene.make_state": "test_check.test_states_by_name_and_text",
    "Scene.move": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.objects": "test_coverage.test_what_is_in_a_scene_is_what_info_says",
    "Scene.outside_limits": "test_check.test_values_outside_limits_are_assumed",
    "Scene.pairs": "test_scene.test_pairs_and_rules",
    "Scene.remove": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.robots": "test_scene.test_info",
    "Scene.safety": "test_coverage.test_a_guard_with_another_margin_is_the_commands",
    "Scene.set_base": "test_coverage.test_edits_make_the_scene_of_a_file",
    "Scene.set_joint_limit": "test_coverage.test_limits_of_joints_time_plans_as_the_command_does",
    "Scene.set_material": "test_coverage.test_materials_are_those_of_a_file",
    "Scene.state": "test_coverage.test_what_is_in_a_scene_is_what_info_says",
    "Scene.value_count": "test_coverage.test_what_is_in_a_scene_is_what_info_says",
    "Scene.value_names": "test_scene.test_info",
    "Spheres.count": "test_rooms.test_spheres",
    "Trajectory.interpolation": "test_motion.test_curves_times_and_a_moveit_message",
    "Trajectory.load": "test_motion.test_path_is_what_the_command_says",
    "Trajectory.merge": "test_motion.test_files_of_several_robots_are_merged",
    "Trajectory.positions": "test_motion.test_curves_times_and_a_moveit_message",
    "Trajectory.save": "test_rooms.test_plans_are_saved_and_verified_by_both",
    "fit_spheres": "test_rooms.test_spheres",
    "pose": "test_scene.test_a_scene_built_in_python_answers_as_one_from_a_file",
    "prove_pairs": "test_rooms.test_pairs_that_never_touch",
    "replay": "test_rooms.test_replay",
    "to_dict": "test_check.test_check_is_what_the_command_says",
    "version": "test_check.test_the_command_and_the_package_are_of_one_version",
}

# Call: what it is held against, and why no command says it.
ORACLES = {
    "Batch.threads": ("test_coverage.test_small_things", "a number that was asked for"),
    "Checker.gradient": ("test_check.test_gradient_is_the_slope_of_the_distance", "differences of distances: no command prints slopes"),
    "ContactWorld.body": ("test_rooms.test_contact_follows_and_is_felt", "velocities by hand: the command prints forces"),
    "ContactWorld.forget": ("test_coverage.test_small_things", "ages begin again: the command ends instead"),
    "ContactWorld.move": ("test_rooms.test_contact_moves_and_steps", "a depth by hand: the command moves bodies by --follower alone"),
    "ContactWorld.place": ("test_coverage.test_placed_links_touch_where_a_checker_has_them", "the checker: the command has one state"),
    "ContactWorld.step": ("test_coverage.test_a_body_falls_as_bodies_fall", "free fall by hand"),
    "ContactWorld.substeps": ("test_rooms.test_contact_follows_and_is_felt", "a bound: no command prints them"),
    "MapFeed.changes": ("test_monitor.test_a_guard_that_loses_datagrams_has_the_map_of_the_last_one_that_came", "a receiver by the manual"),
    "MapFeed.whole": ("test_monitor.test_a_guard_that_loses_datagrams_has_the_map_of_the_last_one_that_came", "a receiver by the manual"),
    "Monitor.cycle": ("test_rooms.test_monitor_stops_for_what_is_wrong", "what was sent is known; recorded motions are compared by replay"),
    "Monitor.end": ("test_rooms.test_monitor_stops_for_what_is_wrong", "what was sent is known"),
    "Monitor.receive": ("test_rooms.test_monitor_stops_for_what_is_wrong", "what was sent is known; recorded motions are compared by replay"),
    "Monitor.receive_pose": ("test_coverage.test_a_guard_hears_where_things_are", "a checker's distance: no recording holds poses"),
    "Monitor.reset": ("test_rooms.test_monitor_stops_for_what_is_wrong", "what was sent is known"),
    "MotionChecker.function": ("test_ways.test_every_way_says_the_same", "the same motion as a segment: no file holds functions"),
    "Occupancy.from_map": ("test_occupancy.test_maps_of_what_is_known", "cells by hand"),
    "Occupancy.to_map": ("test_occupancy.test_maps_of_what_is_known", "cells by hand"),
    "Robot.default_state": ("test_coverage.test_links_are_where_a_urdf_puts_them", "zero within limits by hand"),
    "Robot.limits": ("test_coverage.test_links_are_where_a_urdf_puts_them", "the URDF, read here"),
    "Robot.link_poses": ("test_coverage.test_links_are_where_a_urdf_puts_them", "kinematics of the test's own: no command prints poses"),
    "Robot.point_jacobian": ("test_scene.test_kinematics_against_differences", "differences of poses: no command prints slopes"),
    "Robot.value_names": ("test_coverage.test_links_are_where_a_urdf_puts_them", "the URDF, read here"),
    "Scene.add": ("test_coverage.test_small_things", "what add_box and others call"),
    "Scene.add_points": ("test_scene.test_points_and_meshes_from_arrays", "a ball of the same size"),
    "Scene.link_poses": ("test_coverage.test_links_are_where_a_urdf_puts_them", "kinematics of the test's own: no command prints poses"),
    "Scene.random_states": ("test_coverage.test_small_things", "limits: the command draws none"),
    "Scene.set_map": ("test_field.test_a_map_that_changes", "a scene made anew: the command reads maps once"),
    "Spheres.save": ("test_rooms.test_spheres", "the file that the command writes"),
    "Trajectory.accelerations": ("test_coverage.test_small_things", "what was given"),
    "Trajectory.segment_count": ("test_coverage.test_small_things", "rows less one"),
    "Trajectory.times": ("test_coverage.test_small_things", "what was given"),
    "state_message": ("test_rooms.test_messages_of_states", "the wire format by hand: the command receives messages and writes none"),
    "Trajectory.velocities": ("test_coverage.test_small_things", "what was given"),
    "read_points": ("test_occupancy.test_points_of_the_plane", "numbers by hand"),
}

# Answers are compared field by field wherever they come from; `close` gives memory back (test_lives).
PLAIN = {"free", "found", "close"}


def public_calls():
    """Functions, and methods and properties of classes."""
    for name in berth.__all__:
        thing = getattr(berth, name)
        if isinstance(thing, types.FunctionType):
            yield name
        for inner in dir(thing) if isinstance(thing, type) and not issubclass(thing, BaseException) else ():
            member = inspect.getattr_static(thing, inner)
            own = any(inner in vars(base) and base.__module__.startswith("berth") for base in thing.__mro__)
            calls = isinstance(member, (types.FunctionType, classmethod, staticmethod, property))
            if own and calls and not inner.startswith("_") and inner not in PLAIN:
                yield f"{name}.{inner}"


def source_of(where):
    """Of a test, and of what it calls in its own file and in conftest."""
    file, name = where.split(".")
    module = importlib.import_module(file)
    names, wait, text = set(), [name], ""
    while wait:
        name = wait.pop()
        function = getattr(module, name, None)
        if name not in names and isinstance(function, types.FunctionType):
            names.add(name)
            source = inspect.getsource(function)
            text += source
            wait += re.findall(r"\b([a-z_]\w*)\(", source)
    assert text, f"there is no {where}"
    return text


def uses(source, call):
    """Is the member named? A class that is made counts for what it is, not for its methods."""
    return re.search(rf"\b{call.split('.')[-1]}\b", re.sub(r'""".*?"""', "", source, flags=re.S)) is not None


def test_every_call_has_a_comparison():
    known = set(COMPARED) | set(ORACLES)
    assert set(public_calls()) == known
    assert not set(COMPARED) & set(ORACLES)


@pytest.mark.parametrize("call", [*COMPARED, *ORACLES])
def test_what_is_listed_is_compared(call):
    where = COMPARED[call] if call in COMPARED else ORACLES[call][0]
    source = source_of(where)
    assert uses(source, call), f"{where} does not use {call}"
    if call in COMPARED:
        assert re.search(r"\b(ask|run_berth)\(", source), f"{where} does not ask the command"


def test_the_list_can_fail():
    assert not uses(source_of("test_check.test_margins"), "Scene.set_base")
    assert uses(source_of("test_check.test_margins"), "Checker.check")


# ---- texts -------------------------------------------------------------------------------------------------------------


def test_every_method_shows_an_example():
    """One that is run (--doctest-modules): of every class that is asked something, and of every method and function."""
    for call in public_calls():
        name, _, inner = call.partition(".")
        thing = getattr(berth, name)
        if inner:
            assert ">>> " in (thing.__doc__ or ""), name
            thing = inspect.getattr_static(thing, inner)
        if isinstance(thing, property):
            assert thing.__doc__ and len(thing.__doc__) > 5, f"{call} has no text"
        elif call != "version":
            text = getattr(thing, "__func__", thing).__doc__ or ""
            assert ">>> " in text, f"{call} has no example"


# ---- comparisons that are nowhere else ---------------------------------------------------------------------------------


def test_what_is_in_a_scene_is_what_info_says():
    for cell in ("two_arms/cell.yaml", "touch/cell.yaml", "kitchen/cell.yaml"):
        theirs = ask("info", MODELS / cell)
        scene = berth.Scene.load(MODELS / cell)
        assert len(scene.bodies) == theirs["bodies"] and scene.value_count == len(scene.value_names) == len(scene.state)
        assert [{"name": name, "now": now} for name, now in zip(scene.value_names, scene.state)] == theirs["values"]
        same([berth.to_dict(each) for each in scene.declared], theirs["declared"])
        assert list(scene.objects) == [each["name"] for each in theirs["objects"]]
        for each in theirs["objects"]:
            mine = scene.objects[each["name"]]
            assert (mine.parts, mine.mass or None, mine.attach) == (each["parts"], each.get("mass"), each.get("attached"))
            assert mine.pose == pytest.approx(berth.pose(each["position"], quat=each["orientation"]), abs=1e-15)


def test_rules_of_all_pairs_are_the_commands():
    cell = MODELS / "arm6/cell.yaml"
    theirs = ask("info", cell, "--pairs")
    arm = next(iter(berth.Scene.load(cell).robots.values()))
    assert list(arm.links) == [link["name"] for link in theirs["links"]]
    of_links = [pair for pair in theirs["pairs"]["list"] if {pair["a"], pair["b"]} <= set(arm.links)]
    assert len(of_links) > 10 and {pair["rule"] for pair in of_links} >= {"adjacent", "checked"}
    for pair in of_links:
        assert arm.pair(pair["a"], pair["b"]) == (pair["rule"], pair["reason"] or "")


def test_named_states_are_the_commands():
    urdf, srdf = MODELS / "two_arms/arm.urdf", MODELS / "two_arms/left.srdf"
    arm = berth.Robot.load(urdf, srdf=srdf)
    scene = berth.Scene()
    scene.add_robot(arm)
    for name in arm.state_names:
        theirs = ask("check", urdf, "--srdf", srdf, "--state", name, "--distance")
        same(berth.to_dict(berth.Checker(scene).distance(arm.state(name))), theirs)


EDITED = """berth: 1
robots:
  - urdf: {arm}
    srdf: {srdf}
    base: {{xyz: [0.1, 0.2, 0.3], rpy: [0.1, 0.2, 0.3]}}
objects:
  - {{name: table, box: {{size: [1, 1, 0.1]}}, pose: {{xyz: [0.2, 0.1, -0.3]}}}}
  - {{name: tool, box: {{size: [0.05, 0.05, 0.2]}}, attach: link7, pose: {{xyz: [0, 0, 0.2]}}, touch: [link6]}}
  - {{name: part, sphere: {{radius: 0.1}}, pose: {{xyz: [0.4, -0.6, 0.9]}}}}
"""


def test_edits_make_the_scene_of_a_file(tmp_path):
    arm, srdf = MODELS / "two_arms/arm.urdf", MODELS / "two_arms/left.srdf"
    (tmp_path / "scene.yaml").write_text(EDITED.format(arm=arm, srdf=srdf))
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(arm, srdf=srdf))
    scene.add_box("table", (1, 1, 0.1))
    scene.add_box("tool", (0.05, 0.05, 0.2), pose=[0, 0, 9])
    scene.add_sphere("part", 0.1, attach="link7", pose=[0, 0, 0.3])
    scene.add_cone("gone", 0.5, 0.5)
    scene.set_base("", berth.pose([0.1, 0.2, 0.3], rpy=[0.1, 0.2, 0.3]))
    scene.move("table", [0.2, 0.1, -0.3])
    scene.attach("tool", "link7", pose=[0, 0, 0.2], touch=["link6"])
    scene.detach("part", [0.4, -0.6, 0.9])
    scene.remove("gone")
    scene.commit()
    states = scene.random_states(30, seed=9)
    np.save(tmp_path / "states.npy", states)
    theirs = ask("check", tmp_path / "scene.yaml", "--states", tmp_path / "states.npy", "--distance", "--all")
    checker, compared = berth.Checker(scene), 0
    for state, answer in zip(states, theirs):
        pairs = {frozenset((pair["a"], pair["b"])): pair for pair in answer.pop("pairs", [])}
        mine = berth.to_dict(checker.distance(state, all=True))
        hits = {frozenset((hit["a"], hit["b"])) for hit in answer.pop("hits")}
        assert {frozenset((hit["a"], hit["b"])) for hit in mine["hits"]} == hits
        for pair in mine["pairs"]:  # in the order of bodies, which the edits changed
            other = pairs[frozenset((pair["a"], pair["b"]))]
            compared += 1
            assert pair["upper"] == pytest.approx(other["upper"], abs=1e-12)
        assert len(mine["pairs"]) == len(pairs) and mine["verdict"] == answer["verdict"]
    assert compared > 100 and {answer["verdict"] for answer in theirs} == {"free", "collision"}


def test_poses_are_solved_as_the_command_does():
    scene = berth.Scene.load(CELL)
    pose = scene.link_poses(scene.make_state("left/joint1=0.3,left/joint3=0.2"))["left/link7"]
    r = pose[:3, :3]
    rpy = np.arctan2(r[2, 1], r[2, 2]), np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0])), np.arctan2(r[1, 0], r[0, 0])
    numbers = [float(n) for n in (*pose[:3, 3], *rpy)]
    theirs = ask("plan", CELL, "--goal-pose", "left/link7=" + ",".join(map(repr, numbers)), "--threads", "1")
    planner = berth.Planner(scene)
    states = planner.solve_pose("link7", berth.pose(numbers[:3], rpy=numbers[3:]), robot="left")
    mine = planner.find(scene.state, states)
    assert theirs["verdict"] == mine.verdict == "found" and len(states) >= 1
    assert mine.path == pytest.approx(np.array(theirs["path"]), abs=1e-9)
    assert scene.link_poses(mine.path[-1])["left/link7"] == pytest.approx(pose, abs=1e-6)


def test_limits_of_joints_time_plans_as_the_command_does(tmp_path):
    arm, srdf = MODELS / "two_arms/arm.urdf", MODELS / "two_arms/left.srdf"
    limits = "    limits: {joint1: {velocity: 0.5, acceleration: 2, deceleration: 4}, joint2: {acceleration: 3}}\n"
    (tmp_path / "scene.yaml").write_text(f"berth: 1\nrobots:\n  - urdf: {arm}\n    srdf: {srdf}\n{limits}")
    theirs = ask("plan", tmp_path / "scene.yaml", "--to", "joint1=0.9,joint2=0.3", "--timed", "--threads", "1")
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(arm, srdf=srdf))
    free = berth.Planner(scene).find(scene.state, scene.make_state("joint1=0.9,joint2=0.3"), timed=True)
    scene.set_joint_limit("joint1", velocity=0.5, acceleration=2, deceleration=4)
    scene.set_joint_limit("joint2", acceleration=3)
    mine = berth.Planner(scene).find(scene.state, scene.make_state("joint1=0.9,joint2=0.3"), timed=True)
    assert mine.duration == theirs["duration"] != free.duration
    assert mine.times.tolist() == theirs["times"]


def test_materials_are_those_of_a_file(tmp_path):
    text = (MODELS / "touch/cell.yaml").read_text().replace("stiffness: 1.0e4", "stiffness: 3.0e4").replace("file: ", f"file: {MODELS}/touch/")
    (tmp_path / "cell.yaml").write_text(text)
    theirs = ask("contact", tmp_path / "cell.yaml", "--method", "elemental")
    scene = berth.Scene.load(MODELS / "touch/cell.yaml")
    before = berth.ContactWorld(scene, method="elemental").cycle()
    scene.set_material("default", berth.Material(stiffness=3.0e4, damping=40, viscosity=10, friction=0.5))
    answer = berth.ContactWorld(scene, method="elemental").cycle()
    same([berth.to_dict(each) for each in answer.contacts], theirs["contacts"])
    assert answer.contacts != before.contacts


def test_a_guard_with_another_margin_is_the_commands(tmp_path):
    cell, file = MODELS / "two_arms/testbed.yaml", MODELS / "two_arms/task1.csv"
    text = cell.read_text().replace("urdf: ", f"urdf: {cell.parent}/").replace("srdf: ", f"srdf: {cell.parent}/")
    (tmp_path / "cell.yaml").write_text(text.replace("margin: 0}", "margin: 0.05}"))
    lines = [json.loads(line) for line in run_berth("monitor", tmp_path / "cell.yaml", "--input", file, "--fast", "--json").stdout.splitlines()]
    scene = berth.Scene.load(cell)
    assert scene.safety == berth.Safety(**ask("info", cell)["safety"])
    permits = sum(permit.go for permit in berth.replay(scene, berth.Trajectory.load(file, scene)))
    scene.safety = berth.Safety(**ask("info", tmp_path / "cell.yaml")["safety"])
    fewer = sum(permit.go for permit in berth.replay(scene, berth.Trajectory.load(file, scene)))
    assert lines[-1]["permits"] == fewer < permits


def test_a_led_hand_feels_what_the_command_says():
    cell, file = MODELS / "touch/cell.yaml", MODELS / "touch/hand.csv"
    lines = ask("contact", cell, "--follower", f"follower={file}", "--constrain")
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    world = berth.ContactWorld(berth.Scene.load(cell), driven="follower")
    world.lead("follower", berth.pose(rows[0, 1:4], rpy=rows[0, 4:7]))
    assert world.cycle().verdict == lines[0]["verdict"]
    before, blocked = None, 0
    for i in range(1, len(rows)):
        dt, stood = rows[i, 0] - rows[i - 1, 0], world.body("follower").pose
        now = world.follow("follower", berth.pose(rows[i, 1:4], rpy=rows[i, 4:7]))
        world.move("follower", stood)  # its speeds are those of the way it went
        world.lead("follower", now.pose, dt)
        felt = world.couple("follower", now, before, dt)
        answer, theirs = world.cycle(), lines[i]["follower"]
        assert (now.lag, now.depth, now.blocked) == pytest.approx((theirs["lag"], theirs["depth"], theirs["blocked"]), abs=1e-12)
        assert felt.force == pytest.approx(theirs["force"], abs=1e-6) and felt.moment == pytest.approx(theirs["moment"], abs=1e-6)
        assert answer.verdict == lines[i]["verdict"] and len(answer.contacts) == len(lines[i]["contacts"])
        before, blocked = now, blocked + now.blocked
    assert len(lines) == len(rows) and blocked > 50


def test_updates_and_distances_of_maps_are_the_commands(tmp_path):
    chance = np.random.default_rng(11)
    cells = (chance.random((12, 9, 7)) < 0.1).astype(np.int8)
    space = berth.Map.from_cells(cells, resolution=0.1)
    space.save(tmp_path / "a.bmap")
    changed = chance.integers(0, cells.shape, (40, 3))
    np.save(tmp_path / "cells.npy", (changed + 0.5) * 0.1)
    for to in ("occupied", "free"):
        theirs = tmp_path / f"{to}.bmap"
        run_berth("map", "update", tmp_path / "a.bmap", f"--{to}", tmp_path / "cells.npy", "-o", theirs, status=(0,))
        mine = berth.Map.load(tmp_path / "a.bmap")
        mine.update(changed, to)
        assert np.array_equal(mine.cells(), berth.Map.load(theirs).cells())
        assert not np.array_equal(mine.cells(), cells)
        for what in ("--esdf", "--gradient"):
            file = tmp_path / f"{to}{what}.npy"
            run_berth("map", "convert", theirs, "-o", file, what, status=(0,))
            assert np.array_equal(mine.esdf(gradient=what == "--gradient"), np.load(file), equal_nan=True)


def test_a_map_of_points_is_the_commands(tmp_path):
    points = np.random.default_rng(12).uniform((0.8, -0.6, 0.1), (1.2, 0.6, 0.9), (300, 3))
    np.savetxt(tmp_path / "cloud.xyz", points, fmt="%r")
    run_berth("map", "build", tmp_path / "cloud.xyz", "--resolution", "0.05", "-o", tmp_path / "m.bmap", status=(0,))
    theirs, mine = berth.Map.load(tmp_path / "m.bmap"), berth.Map.from_points(points, resolution=0.05)
    balls = np.column_stack([points, np.full(300, 0.01)])
    assert (theirs.query(balls).verdicts == berth.COLLISION).all() and (mine.query(balls).verdicts == berth.COLLISION).all()
    # Their grids begin elsewhere: what is a cell away from all points is free in both.
    away = np.random.default_rng(13).uniform((0.7, -0.7, 0), (1.3, 0.7, 1.0), (2000, 3))
    gaps = np.sqrt(((away[:, None] - points) ** 2).sum(axis=2)).min(axis=1)
    far = np.column_stack([away, np.zeros(2000)])[gaps > 0.05 * 3**0.5 * 1.01]
    seen = [space.query(far) for space in (theirs, mine)]
    inside = ~seen[0].outside & ~seen[1].outside
    assert inside.sum() > 100 and all((answer.verdicts[inside] == berth.FREE).all() for answer in seen)


def test_cells_that_are_set_are_the_commands(tmp_path):
    chance = np.random.default_rng(14)
    seen = berth.Occupancy(0.1)
    seen.insert_scan(chance.uniform(-1, 1, (50, 3)), sensor=(0.01, 0.02, 0.03))
    seen.save(tmp_path / "a.ot")
    points = chance.uniform(-1, 1, (60, 3))
    np.save(tmp_path / "points.npy", points)
    line = ask("map", "update", tmp_path / "a.ot", "--occupied", tmp_path / "points.npy", "-o", tmp_path / "b.ot")
    answer = seen.set(points, "occupied")
    assert answer.became_occupied == line["update"]["became_occupied"] > 0
    theirs, where = berth.Occupancy.load(tmp_path / "b.ot"), chance.uniform(-1.1, 1.1, (5000, 3))
    assert np.array_equal(seen.log_odds(where), theirs.log_odds(where), equal_nan=True)


# ---- oracles -----------------------------------------------------------------------------------------------------------


def turn(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


def frames_of(path, values):
    """Where a URDF's links are, and its limits, by a few lines of our own."""
    from xml.etree import ElementTree

    root, at, limits = ElementTree.parse(path).getroot(), {}, {}
    numbers = lambda element, key, rest: np.array([float(n) for n in (element.get(key) if element is not None else None or rest).split()])
    joints = root.findall("joint")
    children = {joint.find("child").get("link") for joint in joints}
    at[next(link.get("name") for link in root.findall("link") if link.get("name") not in children)] = np.eye(4)
    for joint in joints:  # parents come first in these files
        origin, name = joint.find("origin"), joint.get("name")
        rpy = numbers(origin, "rpy", "0 0 0") if origin is not None and origin.get("rpy") else np.zeros(3)
        step = np.eye(4)
        step[:3, :3] = turn(np.array([0, 0, 1.0]), rpy[2]) @ turn(np.array([0, 1.0, 0]), rpy[1]) @ turn(np.array([1.0, 0, 0]), rpy[0])
        step[:3, 3] = numbers(origin, "xyz", "0 0 0") if origin is not None and origin.get("xyz") else np.zeros(3)
        move = np.eye(4)
        if joint.get("type") != "fixed":
            axis = numbers(joint.find("axis"), "xyz", "1 0 0")
            limits[name] = (float(joint.find("limit").get("lower")), float(joint.find("limit").get("upper")))
            if joint.get("type") == "prismatic":
                move[:3, 3] = axis / np.linalg.norm(axis) * values[name]
            else:
                move[:3, :3] = turn(axis, values[name])
        at[joint.find("child").get("link")] = at[joint.find("parent").get("link")] @ step @ move
    return at, limits


@pytest.mark.parametrize("urdf", ["two_arms/arm.urdf", "arm6/arm6.urdf"])
def test_links_are_where_a_urdf_puts_them(urdf):
    arm = berth.Robot.load(MODELS / urdf)
    base = berth.pose([1, 2, 3], rpy=[0.1, 0.2, 0.3])
    scene = berth.Scene()
    scene.add_robot(arm, base=base)
    for state in scene.random_states(5, seed=3):
        at, limits = frames_of(MODELS / urdf, dict(zip(arm.value_names, state)))
        assert set(at) == set(arm.links) and [limits[name] for name in arm.value_names] == [tuple(row) for row in arm.limits]
        for name, pose in arm.link_poses(state, base).items():
            assert pose == pytest.approx(base @ at[name], abs=1e-12)
            assert np.array_equal(scene.link_poses(state)[name], pose)
    assert np.array_equal(arm.default_state, np.clip(0.0, arm.limits[:, 0], arm.limits[:, 1]))


def test_placed_links_touch_where_a_checker_has_them():
    scene = berth.Scene.load(CELL)
    world, checker = berth.ContactWorld(scene, skip_allowed=True), berth.Checker(scene)
    seen = set()
    for state in scene.random_states(40, seed=2):
        world.place(state)
        hits = {frozenset((hit.a, hit.b)) for hit in checker.check(state, all=True).hits}
        answer = world.cycle()
        found = {frozenset((each.a, each.b)) for each in answer.contacts}
        pairs = {frozenset(pair) for pair in scene.pairs}
        doubts = {frozenset((each.a, each.b)) for each in answer.unknown}
        assert hits - doubts <= found and found & pairs <= hits
        seen.add(bool(hits))
    assert seen == {True, False}


def test_a_body_falls_as_bodies_fall():
    scene = berth.Scene()
    scene.add_box("table", (2, 2, 0.1), pose=[0, 0, -10])
    scene.add_sphere("ball", 0.1, pose=[0, 0, 1], mass=2.0)
    world = berth.ContactWorld(scene)
    for _ in range(100):
        assert world.step(0.001).free
    body = world.body("ball")
    assert body.velocity == pytest.approx((0, 0, -9.81 * 0.1), rel=1e-3)
    assert body.pose[2, 3] == pytest.approx(1 - 0.5 * 9.81 * 0.01, abs=1e-3)


def test_a_guard_hears_where_things_are():
    scene = berth.Scene.load(MODELS / "two_arms/testbed.yaml")
    scene.add_sphere("ball", 0.1, pose=[0, 0, 9], moving=0.5)
    hand = scene.link_poses()["left/link7"][:3, 3]
    for place, go in (([0, 0, 9], True), (hand + [0.1, 0, 0], False)):
        monitor = berth.Monitor(scene, good_needed=1)
        monitor.reset()
        monitor.receive(scene.state, 0.0 * scene.state, time=0.0)
        monitor.receive_pose("ball", place, time=0.0, sequence=1)
        permit = monitor.cycle(0.0)
        assert permit.go == go
    assert permit.reason == "near" and "ball" in (permit.a, permit.b)


def test_small_things():
    scene = berth.Scene.load(CELL)
    assert berth.Batch(scene, threads=2).threads == 2
    states = scene.random_states(200, seed=4)
    assert (states >= scene.limits[:, 0]).all() and (states <= scene.limits[:, 1]).all() and np.ptp(states, axis=0).min() > 1
    assert np.array_equal(states, scene.random_states(200, seed=4)) and not np.array_equal(states, scene.random_states(200, seed=5))
    rows, rates = states[:3], np.ones((3, 14))
    motion = berth.Trajectory(scene, rows, times=[0, 1, 3], velocities=rates, accelerations=2 * rates)
    assert (motion.segment_count, motion.times.tolist()) == (2, [0, 1, 3])
    assert (motion.velocities == 1).all() and (motion.accelerations == 2).all() and np.array_equal(motion.positions, rows)

    made, same_made = berth.Scene(), berth.Scene()
    made.add("box", berth.Box((1, 2, 3)), pose=[0, 0, 4])
    same_made.add_box("box", (1, 2, 3), pose=[0, 0, 4])
    for each in (made, same_made):
        each.add_sphere("ball", 0.5, pose=[0, 0, 9], moving=1.0)
    assert [berth.to_dict(each) for each in made.objects.values()] == [berth.to_dict(each) for each in same_made.objects.values()]

    world = berth.ContactWorld(berth.Scene.load(MODELS / "touch/cell.yaml"))
    ages = [max(contact.age for contact in world.cycle().contacts) for _ in range(3)]
    world.forget()
    assert ages == [0, 1, 2] and max(contact.age for contact in world.cycle().contacts) == 0
