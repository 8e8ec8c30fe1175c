# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""What may decide an unknown answer: what the command says, in Python's words; and it decides it."""

import pytest

import berth
from conftest import MODELS, ask
from test_motion import free_rows, write_csv

CELL = MODELS / "machine/cell.yaml"


def as_option(advice):
    """A piece of advice as the command writes it."""
    if advice.option is None:
        return {"option": None, "cost": advice.cost}
    cost = advice.cost.replace("the argument", "the option")
    if advice.option == "clearance":
        return {"option": "--no-clearance", "cost": cost}
    option = "--" + advice.option.replace("_", "-")
    if isinstance(advice.value, str):
        return {"option": f"{option} {advice.value}", "cost": cost}
    value = {} if advice.value is None else {"value": f"{advice.value:.3g}"}
    return {"option": option} | value | {"cost": cost}


@pytest.fixture(name="motion")
def make_motion(tmp_path):
    """A free motion, its file, and the answer about it."""
    scene = berth.Scene.load(CELL)
    rows = free_rows(scene, 4, seed=1, step=0.05)
    file = write_csv(tmp_path / "path.csv", scene.value_names, rows)
    answer = berth.MotionChecker(scene).path(rows)
    assert answer.free and answer.advice == ()
    return scene, rows, file, answer.clearance


def compare(motion, made, options, asked=None):
    """The answer, and that its advice is the command's."""
    scene, rows, file, _ = motion
    mine = berth.MotionChecker(scene, **made).path(rows, **(asked or {}))
    theirs = ask("path", CELL, file, *options, "--threads", "1")
    assert mine.verdict == theirs["verdict"] == "unknown" and mine.reason == theirs.get("reason")
    assert [as_option(advice) for advice in mine.advice] == theirs["advice"]
    assert berth.to_dict(mine)["advice"][0].keys() == {"option", "value", "cost"}
    return mine.advice


def unknown_margin(scene, rows, option, **more):
    """Between the margins that are proven and those that are refuted."""
    low, high = 0.0, 1.0
    for _ in range(60):
        made = {"margin": 0.0, "self_margin": 0.0} | {option: 0.5 * (low + high)} | more
        answer = berth.MotionChecker(scene, **made).path(rows, clearance=False)
        if answer.verdict == "unknown":
            return made
        low, high = (made[option], high) if answer.free else (low, made[option])
    raise AssertionError("every margin was decided")


@pytest.mark.parametrize("option", ["margin", "self_margin"])
def test_too_close(motion, option):
    scene, rows, _, _ = motion
    made = unknown_margin(scene, rows, option)
    options = [word for key, value in made.items() for word in ("--" + key.replace("_", "-"), repr(value))]
    advice = compare(motion, made, options)
    assert [each.option for each in advice] == ["delta", "delta", option]
    assert berth.MotionChecker(scene, **(made | {option: advice[-1].value})).path(rows).free
    assert [each.value for each in advice[:2]] == [pytest.approx(1e-5), 0.0]


def test_too_close_for_tracking_error(motion):
    scene, rows, _, clearance = motion
    made = {"margin": 0.8 * clearance.lower, "tracking_error": 0.05}
    advice = compare(motion, made, ["--margin", repr(made["margin"]), "--tracking-error", "0.05"])
    assert advice[0].option == "tracking_error" and advice[0].value is None
    assert berth.MotionChecker(scene, margin=made["margin"], tracking_error=1e-4).path(rows).free


def test_samples(motion):
    scene, rows, _, _ = motion
    (advice,) = compare(motion, {"method": "fixed"}, ["--method", "fixed"])
    assert berth.MotionChecker(scene, **{advice.option: advice.value}).path(rows).free


def test_no_time(motion):
    advice = compare(motion, {}, ["--time", "1e-9"], {"time": 1e-9})
    assert [(each.option, each.value) for each in advice] == [("time", pytest.approx(1e-8)), ("clearance", False)]
    advice = compare(motion, {}, ["--time", "1e-9", "--no-clearance"], {"time": 1e-9, "clearance": False})
    assert [each.option for each in advice] == ["time"]


def test_no_budget(motion):
    scene, rows, _, _ = motion
    # The command has no such budget: what its advice is for it is written down here.
    made = unknown_margin(scene, rows, "margin", delta=1e-6, method="adaptive", interval_budget=1)
    answer = berth.MotionChecker(scene, **made).path(rows)
    assert (answer.verdict, answer.reason) == ("unknown", "budget")
    assert [(each.option, each.value) for each in answer.advice] == [("method", "second-order"), ("delta", 1e-4), (None, None)]
