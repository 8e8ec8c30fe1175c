# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Scenes built in Python answer as scenes from files; robots; edits; what is refused."""

import warnings

import numpy as np
import pytest

import berth
from conftest import MODELS, ask, same

SCENE = """berth: 1
robots:
  - urdf: {arm}
    srdf: {srdf}
    base: {{xyz: [0.1, 0.2, 0.3], rpy: [0.1, 0.2, 0.3]}}
    padding: 0.002
objects:
  - {{name: box, box: {{size: [0.3, 0.4, 0.5]}}, pose: {{xyz: [0.9, 0.1, 0.2], rpy: [0.3, 0.2, 0.1]}}}}
  - {{name: ball, sphere: {{radius: 0.2}}, pose: {{xyz: [-0.9, 0.1, 0.2]}}}}
  - {{name: rod, cylinder: {{radius: 0.1, length: 0.7}}, pose: {{xyz: [0.1, 0.9, 0.2], quat: [0, 0.6, 0, 0.8]}}}}
  - {{name: pill, capsule: {{radius: 0.1, length: 0.7}}, pose: {{xyz: [0.1, -0.9, 0.2]}}}}
  - {{name: hat, cone: {{radius: 0.3, length: 0.4}}, pose: {{xyz: [0.1, 0.1, 2.4]}}}}
  - {{name: floor, halfspace: {{normal: [0, 0, 1], offset: -0.4}}}}
  - {{name: stone, mesh: {{file: {mesh}, scale: [0.5, 0.5, 0.5], hull: true}}, pose: {{xyz: [1.4, 0.1, 0.9]}}}}
  - {{name: tool, box: {{size: [0.05, 0.05, 0.2]}}, attach: link7, pose: {{xyz: [0, 0, 0.2]}}, touch: [link6], mass: 0.5}}
  - {{name: cart, box: {{size: [0.2, 0.2, 0.2]}}, pose: {{xyz: [2, 2, 0]}}, moving: {{speed: 0.5}}}}
  - {{name: worker, capsule: {{radius: 0.3, length: 1.0}}, pose: {{xyz: [3, 0, 0.5]}}, person: {{speed: 1.6, intrusion: 0.2, uncertainty: 0.1}}}}
  - {{name: pair, parts: [{{sphere: {{radius: 0.1}}}}, {{sphere: {{radius: 0.1}}, pose: {{xyz: [0.3, 0, 0]}}}}], pose: {{xyz: [0.4, 0.5, 0.9]}}}}
allow:
  - [link1, floor]
"""


def build(arm, srdf, mesh):
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(arm, srdf=srdf), base=berth.pose([0.1, 0.2, 0.3], rpy=[0.1, 0.2, 0.3]), padding=0.002)
    scene.add_box("box", (0.3, 0.4, 0.5), pose=berth.pose([0.9, 0.1, 0.2], rpy=[0.3, 0.2, 0.1]))
    scene.add_sphere("ball", 0.2, pose=[-0.9, 0.1, 0.2])
    scene.add_cylinder("rod", 0.1, 0.7, pose=berth.pose([0.1, 0.9, 0.2], quat=[0, 0.6, 0, 0.8]))
    scene.add_capsule("pill", 0.1, 0.7, pose=[0.1, -0.9, 0.2])
    scene.add_cone("hat", 0.3, 0.4, pose=[0.1, 0.1, 2.4])
    scene.add_halfspace("floor", (0, 0, 1), -0.4)
    scene.add_mesh("stone", berth.Mesh.load(mesh, scale=0.5, hull=True), pose=[1.4, 0.1, 0.9])
    scene.add_box("tool", (0.05, 0.05, 0.2), pose=[0, 0, 0.2], attach="link7", touch=["link6"], mass=0.5)
    scene.add_box("cart", (0.2, 0.2, 0.2), pose=[2, 2, 0], moving=0.5)
    scene.add_capsule("worker", 0.3, 1.0, pose=[3, 0, 0.5], person=berth.Person(1.6, 0.2, 0.1))
    scene.add_sphere("pair", 0.1, pose=[0.4, 0.5, 0.9])
    scene.add_part("pair", berth.Sphere(0.1), pose=[0.3, 0, 0])
    scene.allow("link1", "floor")
    return scene


def test_a_scene_built_in_python_answers_as_one_from_a_file(tmp_path):
    arm, srdf, mesh = (MODELS / name for name in ("two_arms/arm.urdf", "two_arms/left.srdf", "arm6/palm.obj"))
    file = tmp_path / "scene.yaml"
    file.write_text(SCENE.format(arm=arm, srdf=srdf, mesh=mesh))
    scene = build(arm, srdf, mesh)
    checker = berth.Checker(scene)
    states = scene.random_states(30, seed=5)
    np.save(tmp_path / "states.npy", states)
    theirs = ask("check", file, "--states", tmp_path / "states.npy", "--distance", "--all")
    for state, answer in zip(states, theirs):
        same(berth.to_dict(checker.distance(state, all=True)), answer)
    assert {answer["verdict"] for answer in theirs} == {"free", "collision"}


@pytest.mark.parametrize("cell", ["two_arms", "arm6", "kitchen"])
def test_info(cell):
    theirs = ask("info", MODELS / cell / "cell.yaml")
    scene = berth.Scene.load(MODELS / cell / "cell.yaml")
    robots = scene.robots
    prefix = (lambda name: f"{name}/") if len(robots) > 1 else (lambda name: "")
    joints = [(prefix(robot) + joint.name, joint) for robot, model in robots.items() for joint in model.joints]
    by_name = dict(joints)
    for joint in theirs["joints"]:
        mine = by_name[joint["name"]]
        assert mine.type == joint["type"]
        if joint["limits"] is not None and joint["limits"]["lower"] is not None:
            assert mine.limits == (joint["limits"]["lower"], joint["limits"]["upper"])
    assert scene.value_names == tuple(value for joint in theirs["joints"] for value in joint["values"])
    same([berth.to_dict(each) for each in scene.assumed], theirs["assumed"])
    for mine, other in zip(robots.values(), theirs["robots"]):
        assert mine.value_count == other["values"] and mine.name == other["model"]
        assert mine.reach == other["reach"]
        assert mine.state_names == tuple(f"{state['group']}/{state['name']}" for state in other["states"])
        assert mine.groups == {group["name"]: tuple(group["joints"]) for group in other["groups"]}


def test_edits_count_from_the_next_checker_on():
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    checker = berth.Checker(scene)
    scene.add_box("block", (0.2, 0.2, 0.2), pose=scene.link_poses()["left/link7"][:3, 3])
    with pytest.raises(berth.BerthStaleError, match="stale: its scene was edited") as caught:
        checker.check(scene.state)
    assert caught.value.status == berth.Status.STALE
    assert berth.Checker(scene).check(scene.state).verdict == "collision"
    scene.move("block", [0, 0, 9])
    assert berth.Checker(scene).check(scene.state).free
    scene.attach("block", "left/link7", pose=[0, 0, 1.0])
    assert scene.objects["block"].attach == "left/link7"
    scene.detach("block", [0, 0, 5])
    assert scene.objects["block"].attach is None and scene.objects["block"].pose[2, 3] == 5
    scene.remove("block")
    assert "block" not in scene.objects
    with pytest.raises(berth.BerthValueError, match="no object 'block'"):
        scene.move("block", [0, 0, 1])


def test_points_and_meshes_from_arrays():
    arm = berth.Robot.load(MODELS / "two_arms/arm.urdf", srdf=MODELS / "two_arms/left.srdf")
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = [[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
             [1, 5, 7], [1, 7, 3]]
    mesh = berth.Mesh(corners, faces)
    assert mesh.watertight and mesh.convex and mesh.volume == pytest.approx(1) and mesh.high == (1, 1, 1)
    a, b = berth.Scene(), berth.Scene()
    for scene in (a, b):
        scene.add_robot(arm)
    a.add_mesh("cube", mesh, pose=[1, 0, 0])
    b.add_box("cube", (1, 1, 1), pose=[1.5, 0.5, 0.5])
    for state in a.random_states(20):
        near, other = (berth.Checker(scene).distance(state).clearance for scene in (a, b))
        assert (near is None) == (other is None)
        if near is not None:
            assert near.upper == pytest.approx(other.upper, abs=1e-9)
    cloud, ball = berth.Scene(), berth.Scene()
    for scene in (cloud, ball):
        scene.add_robot(arm)
    cloud.add_points("p", [[1.0, 0.5, 0.5]], radius=0.2)
    ball.add_sphere("p", 0.2, pose=[1.0, 0.5, 0.5])
    state = arm.state("home")
    assert berth.Checker(cloud).gradient(state, "link7", "p").gap.upper == pytest.approx(
        berth.Checker(ball).gradient(state, "link7", "p").gap.upper, abs=1e-9)


@pytest.mark.parametrize("edit, what", [
    (lambda s: s.add_box("", (1, 1, 1)), "name"),
    (lambda s: s.add_box("beam", (1, 1, 1)), "beam"),
    (lambda s: s.add_box("x", (1, 1)), r"size has shape \(2,\)"),
    (lambda s: s.add_box("x", (1, np.nan, 1)), "size: element 1 is nan"),
    (lambda s: s.add_box("x", (1, -1, 1)), "-1"),
    (lambda s: s.add_box(7, (1, 1, 1)), "name is 7, a text is expected"),
    (lambda s: s.add_box("a\0b", (1, 1, 1)), "zero byte"),
    (lambda s: s.add_box("x", (1, 1, 1), pose=np.eye(3)), r"pose of 'x' has shape \(3, 3\)"),
    (lambda s: s.add_box("x", (1, 1, 1), pose=2 * np.eye(4)), "last row"),
    (lambda s: s.add_box("x", (1, 1, 1), pose=np.diag([1, 1, -1, 1])), "not a rotation"),
    (lambda s: s.add_box("x", (1, 1, 1), pose=np.full((4, 4), np.nan)), "element"),
    (lambda s: s.add_box("x", (1, 1, 1), attach="left/nothing"), "nothing"),
    (lambda s: s.add_box("x", (1, 1, 1), touch="left/link7"), "a list of names"),
    (lambda s: s.add_box("x", (1, 1, 1), moving=1, person=berth.Person()), "not both"),
    (lambda s: s.add_sphere("x", "1"), "dtype"),
    (lambda s: s.add_points("x", [[1, 2], [3, 4]]), r"\(2, 2\)"),
    (lambda s: s.add_points("x", [[1, 2, 3], [4, 5]]), "points"),
    (lambda s: s.add_mesh("x", "nowhere.stl"), "nowhere.stl"),
    (lambda s: s.add("x", 3), "is no shape"),
    (lambda s: s.add_part("nobody", berth.Sphere(1)), "no object 'nobody'"),
    (lambda s: s.allow("left/link1", "nobody"), "nobody"),
    (lambda s: setattr(s, "state", [1, 2]), r"state has shape \(2,\)"),
    (lambda s: s.set_base("middle", None), "no robot 'middle'; there are: left, right"),
    (lambda s: s.set_joint_limit("left/joint99", velocity=1), "no joint 'left/joint99'"),
    (lambda s: s.set_material("default", berth.Material(stiffness=-1)), "-1"),
    (lambda s: s.add_robot("arm"), "a berth.Robot is expected"),
])
def test_wrong_edits_are_refused_and_change_nothing(edit, what):
    scene = berth.Scene.load(MODELS / "two_arms/cell.yaml")
    before = sorted(scene.objects), scene.pairs
    with pytest.raises(berth.BerthError, match=what):
        edit(scene)
    assert (sorted(scene.objects), scene.pairs) == before
    assert berth.Checker(scene).check(scene.state).free


def test_errors_name_file_and_line(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("berth: 1\nrobots: []\nobjects:\n  - name: table\n    bax: 1\n")
    with pytest.raises(berth.BerthError, match="bax") as caught:
        berth.Scene.load(file)
    assert (caught.value.status, caught.value.file, caught.value.line) == (berth.Status.PARSE, str(file), 5)
    with pytest.raises(berth.BerthError, match="nowhere.urdf"):
        berth.Robot.load(tmp_path / "nowhere.urdf")
    with pytest.raises(berth.BerthTypeError, match="a path is expected"):
        berth.Scene.load(3)
    with pytest.raises(berth.BerthValueError, match="zero byte"):
        berth.Scene.load("a\0b")


def test_what_is_odd_is_a_warning(tmp_path):
    srdf = tmp_path / "arm.srdf"
    srdf.write_text('<robot name="arm"><disable_collisions link1="link1" link2="nobody" reason="x"/></robot>')
    with pytest.warns(berth.BerthWarning, match="nobody"):
        scene = berth.Scene.load(MODELS / "two_arms/arm.urdf", srdf=srdf)
    assert len(scene.warnings) == 1 and "arm.srdf" in scene.warnings[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(berth.BerthWarning):
            berth.Scene.load(MODELS / "two_arms/arm.urdf", srdf=srdf)


def test_kinematics_against_differences():
    arm = berth.Robot.load(MODELS / "arm6/arm6.urdf")
    rng = np.random.default_rng(1)
    state = rng.uniform(-1, 1, arm.value_count)
    base = berth.pose([1, 2, 3], rpy=[0.1, 0.2, 0.3])
    poses = arm.link_poses(state, base)
    link = arm.links[-1]
    local = np.array([0.1, 0.2, 0.3, 1.0])
    point = (poses[link] @ local)[:3]
    jacobian = arm.point_jacobian(state, link, point, base)
    assert jacobian.shape == (3, arm.value_count)
    for i in range(arm.value_count):
        ahead, behind = state.copy(), state.copy()
        ahead[i] += 1e-6
        behind[i] -= 1e-6
        slope = (arm.link_poses(ahead, base)[link] @ local - arm.link_poses(behind, base)[link] @ local)[:3] / 2e-6
        assert slope == pytest.approx(jacobian[:, i], abs=1e-7)
    with pytest.raises(berth.BerthValueError, match="no link 'nothing'"):
        arm.point_jacobian(state, "nothing", point)


def test_poses():
    quarter = berth.pose([1, 2, 3], quat=[0, 0, np.sin(np.pi / 4), np.cos(np.pi / 4)])
    assert quarter == pytest.approx(berth.pose([1, 2, 3], rpy=[0, 0, np.pi / 2]))
    assert quarter[:3, :3] @ [1, 0, 0] == pytest.approx([0, 1, 0])
    for arguments in ({"quat": [0, 0, 0, 0]}, {"quat": [1, 0, 0]}, {"rpy": [1, 2]}, {"xyz": [1, np.inf, 0]},
                      {"rpy": [0, 0, 0], "quat": [0, 0, 0, 1]}):
        with pytest.raises(berth.BerthValueError):
            berth.pose(**arguments)


def test_pairs_and_rules():
    scene = berth.Scene.load(MODELS / "arm6/cell.yaml")
    assert len(scene.pairs) == ask("info", MODELS / "arm6/cell.yaml")["pairs"]["checked"]
    arm = next(iter(scene.robots.values()))
    links = arm.links
    assert arm.pair(links[0], links[1])[0] in ("adjacent", "rigid", "no_geometry", "disabled")


def test_safety_and_limits():
    scene = berth.Scene.load(MODELS / "two_arms/testbed.yaml")
    assert scene.safety is not None and scene.safety.period > 0
    empty = berth.Scene()
    assert empty.safety is None
    empty.safety = berth.Safety(0.001, 0.01, 0.02, 0.005, 0.02)
    assert empty.safety == berth.Safety(0.001, 0.01, 0.02, 0.005, 0.02)
    with pytest.raises(berth.BerthError):
        empty.safety = berth.Safety(-1, 0.01, 0.02, 0.005, 0.02)
