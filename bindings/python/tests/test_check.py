# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""States: the command's own JSON on the same input, on made cells and on real robots."""

import json

import numpy as np
import pytest

import berth
from conftest import MODELS, SHARED, ask, run_berth, same

CELLS = ["two_arms", "arm6", "cage6", "humanoid23", "tori", "room"]


def states_file(tmp_path, scene, count, seed):
    states = scene.random_states(count, seed)
    np.save(tmp_path / "states.npy", states)
    return states, tmp_path / "states.npy"


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("options", [[], ["--all"], ["--distance"], ["--distance", "--all"]])
def test_check_is_what_the_command_says(cell, options, tmp_path):
    scene = berth.Scene.load(MODELS / cell / "cell.yaml")
    states, file = states_file(tmp_path, scene, 6, seed=len(cell))
    checker = berth.Checker(scene)
    theirs = ask("check", MODELS / cell / "cell.yaml", "--states", file, *options)
    compared = 0
    for state, answer in zip(states, theirs):
        every = "--all" in options
        mine = checker.distance(state, all=every) if "--distance" in options else checker.check(state, all=every)
        compared += same(berth.to_dict(mine), answer)
    assert compared >= 6 * 3
    assert len(theirs) == 6


def test_real_robots(panda, tmp_path):
    urdf, srdf = panda
    packages = {"moveit_resources_panda_description": SHARED / "robots/moveit_resources_panda_description"}
    scene = berth.Scene.load(urdf, srdf=srdf, packages=packages)
    states, file = states_file(tmp_path, scene, 100, seed=3)
    theirs = ask("check", urdf, "--srdf", srdf, "--states", file, "--distance", "--margin", "0.01")
    checker = berth.Checker(scene, margin=0.01)
    for state, answer in zip(states, theirs):
        same(berth.to_dict(checker.distance(state)), answer)
    assert {answer["verdict"] for answer in theirs} == {"free", "collision"}
    assert scene.make_state(named="panda_arm/ready")[1] == pytest.approx(-0.785, abs=1e-3)


FANUC = ("moveit_resources_fanuc_description/urdf/fanuc.urdf", "moveit_resources_fanuc_moveit_config/config/fanuc.srdf")
UR5 = ("example-robot-data/robots/ur_description/urdf/ur5_robot.urdf", None)


@pytest.mark.parametrize("robot", [FANUC, UR5])
def test_other_real_robots(robot, tmp_path):
    urdf, srdf = (SHARED / "robots" / name if name else None for name in robot)
    if not urdf.exists():
        pytest.skip(f"SKIP: there is no {urdf}")
    scene = berth.Scene.load(urdf, srdf=srdf)
    scene.add_box("crate", (0.4, 0.4, 0.4), pose=berth.pose([0.6, 0.1, 0.3], rpy=[0, 0, 0.4]))
    cell = tmp_path / "cell.yaml"
    cell.write_text(f"berth: 1\nrobots:\n  - urdf: {urdf}\n" + (f"    srdf: {srdf}\n" if srdf else "")
                    + "objects:\n  - {name: crate, box: {size: [0.4, 0.4, 0.4]}, pose: {xyz: [0.6, 0.1, 0.3], rpy: [0, 0, 0.4]}}\n")
    states, file = states_file(tmp_path, scene, 60, seed=4)
    theirs = ask("check", cell, "--states", file, "--distance")
    checker = berth.Checker(scene)
    for state, answer in zip(states, theirs):
        same(berth.to_dict(checker.distance(state)), answer)
    assert {answer["verdict"] for answer in theirs} == {"free", "collision"}


@pytest.mark.parametrize("options, arguments", [
    ({"margin": 0.05}, ["--margin", "0.05"]),
    ({"margin": 0.05, "self_margin": 0.0}, ["--margin", "0.05", "--self-margin", "0"]),
])
def test_margins(options, arguments, tmp_path):
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    states, file = states_file(tmp_path, scene, 40, seed=9)
    checker = berth.Checker(scene, **options)
    theirs = ask("check", MODELS / "two_arms/cell.yaml", "--states", file, *arguments)
    for state, answer in zip(states, theirs):
        same(berth.to_dict(checker.check(state)), answer)


def test_a_range_saves_work():
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    far = berth.Checker(scene).distance(scene.state, far=0.01)
    theirs = ask("check", MODELS / "two_arms/cell.yaml", "--distance", "--range", "0,0.01")
    same(berth.to_dict(far), theirs)
    assert far.clearance.a is None and far.clearance.lower >= 0.01


def test_states_by_name_and_text():
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    changed = scene.make_state("left/joint2=-0.47,left/joint4=1.27", named="left/home")
    theirs = ask("check", MODELS / "two_arms/cell.yaml", "--state", "left/home", "--at", "left/joint2=-0.47,left/joint4=1.27")
    same(berth.to_dict(berth.Checker(scene).check(changed)), theirs)
    assert scene.make_state(named="home").shape == (14,)
    with pytest.raises(berth.BerthValueError, match="no robot has a state 'nowhere'; there are: left/arm/home"):
        scene.make_state(named="nowhere")
    with pytest.raises(berth.BerthValueError, match="joint99"):
        scene.make_state("left/joint99=1")


def test_gradient_is_the_slope_of_the_distance():
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    checker = berth.Checker(scene)
    tried = 0
    for state in scene.random_states(20, seed=4):
        near = checker.distance(state).clearance
        if near is None:
            continue
        answer = checker.gradient(state, near.a, near.b)
        assert answer.gap.upper == pytest.approx(near.upper, abs=1e-9)
        step = 1e-6
        for i in range(scene.value_count):
            ahead, behind = state.copy(), state.copy()
            ahead[i] += step
            behind[i] -= step
            slope = (checker.gradient(ahead, near.a, near.b).gap.upper
                     - checker.gradient(behind, near.a, near.b).gap.upper) / (2 * step)
            tried += abs(slope - answer.gradient[i]) < 1e-4
    assert tried > 14 * 10 * 0.95  # not where the nearest points jump


def test_gradient_of_overlapping_bodies_is_none():
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(MODELS / "two_arms/arm.urdf", srdf=MODELS / "two_arms/left.srdf"))
    scene.add_box("around", (9, 9, 9))
    answer = berth.Checker(scene).gradient(scene.state, "link7", "around")
    assert answer.gradient is None and answer.gap.upper <= 0
    with pytest.raises(berth.BerthValueError, match="no body 'nobody'"):
        berth.Checker(scene).gradient(scene.state, "link7", "nobody")


@pytest.mark.parametrize("state, what", [
    (np.zeros(13), r"state has shape \(13,\); \(14,\) is expected"),
    (np.zeros((2, 14)), r"shape \(2, 14\)"),
    ([np.nan] + [0] * 13, "element 0 is nan"),
    ([0] * 13 + [np.inf], "element 13 is inf"),
    (["a"] * 14, "dtype <U1"),
    (np.zeros(14, dtype=complex), "dtype complex128"),
    ([1e7] + [0] * 13, "1e"),
    (None, "dtype object"),
])
def test_what_is_no_state_is_refused(state, what):
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    checker = berth.Checker(scene)
    with pytest.raises(berth.BerthError, match=what) as caught:
        checker.check(state)
    assert isinstance(caught.value, (ValueError, TypeError))
    assert checker.check(scene.state).free  # it is as good as before


def test_any_kind_of_numbers_is_a_state():
    scene = berth.Scene.load(MODELS / "arm6/cell.yaml")
    checker = berth.Checker(scene)
    wanted = checker.distance(np.zeros(scene.value_count)).clearance
    for state in ([0] * scene.value_count, np.zeros(scene.value_count, dtype=np.float32),
                  np.zeros(2 * scene.value_count)[::2], (0.0,) * scene.value_count):
        assert checker.distance(state).clearance == wanted


def test_answers_have_no_truth_value():
    scene = berth.Scene.load(MODELS / "arm6/cell.yaml")
    answer = berth.Checker(scene).check(scene.state)
    with pytest.raises(TypeError, match="ask .free"):
        if answer:
            pass
    with pytest.raises(AttributeError):  # frozen
        answer.verdict = "free"
    json.dumps(berth.to_dict(answer))


def test_values_outside_limits_are_assumed(tmp_path):
    scene = berth.Scene.load(MODELS / "arm6/cell.yaml")
    state = scene.limits[:, 1] + 0.01
    np.save(tmp_path / "states.npy", state[None])
    theirs = ask("check", MODELS / "arm6/cell.yaml", "--states", tmp_path / "states.npy")
    same(berth.to_dict(berth.Checker(scene).check(state)), theirs)
    assert scene.outside_limits(state) == np.isfinite(scene.limits[:, 1]).sum()


def test_wrong_margins():
    scene = berth.Scene.load(MODELS / "arm6/cell.yaml")
    for margin in (-1.0, np.nan, np.inf, "x", None):
        with pytest.raises(berth.BerthError, match="margin"):
            berth.Checker(scene, margin=margin)
    with pytest.raises(berth.BerthValueError, match="self_margin is -1"):
        berth.Checker(scene, self_margin=-1)


def test_the_command_and_the_package_are_of_one_version():
    assert berth.version() in run_berth("--version").stdout
