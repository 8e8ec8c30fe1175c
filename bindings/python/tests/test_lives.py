# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Lives of things that C owns, threads, and Ctrl-C."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import berth
from conftest import MODELS, ROOT

CELL = MODELS / "two_arms/cell.yaml"


def test_a_checker_keeps_its_scene(tmp_path):
    scene = berth.Scene.load(CELL)
    state = scene.state
    checker, motion, batch = berth.Checker(scene), berth.MotionChecker(scene), berth.Batch(scene)
    robot = scene.robots["left"]
    del scene
    gc.collect()
    assert checker.check(state).free and motion.path([state]).free and batch.ask(state[None].copy()).free == 1
    assert robot.name == "arm"
    checker.scene.close()
    assert checker._pointer and robot.name == "arm"  # closing gives up the name, not the memory that others use
    with pytest.raises(berth.BerthStaleError, match="this Scene is closed"):
        checker.check(state)


def test_a_scene_keeps_robots_that_it_borrows():
    scene = berth.Scene()
    scene.add_robot(berth.Robot.load(MODELS / "two_arms/arm.urdf", srdf=MODELS / "two_arms/left.srdf"))
    gc.collect()
    assert berth.Checker(scene).check(scene.state).free


def test_cycles_end_in_the_right_order():
    class Holder:
        pass

    for _ in range(20):
        holder = Holder()
        holder.scene = berth.Scene.load(MODELS / "two_arms/arm.urdf", srdf=MODELS / "two_arms/left.srdf")
        holder.checker, holder.batch = berth.Checker(holder.scene), berth.Batch(holder.scene, threads=2)
        holder.batch.ask(np.zeros((4, 7)))
        holder.me = holder
        del holder
        gc.collect()


CYCLES = """
import gc, sys
import berth
gc.disable()
robot = berth.Robot.load(sys.argv[1])
for what in sys.argv[2:]:
    for round in range(30):
        scene = berth.Scene()
        scene.add_robot(robot)
        scene.add_box("box", [0.1, 0.1, 0.1], pose=[5, 5, 5])
        scene.set_joint_limit("turn", velocity=1.0, acceleration=1.0, deceleration=1.0)
        scene.safety = berth.Safety(0.001, 0.01, 0.02, 0.005, 0.02)
        kinds = {
            "check": lambda: berth.Checker(scene, lanes=False),
            "check by lanes": lambda: berth.Checker(scene, lanes=True),
            "motion": lambda: berth.MotionChecker(scene, lanes=False),
            "motion by lanes": lambda: berth.MotionChecker(scene, lanes=True),
            "batch": lambda: berth.Batch(scene),
            "planner": lambda: berth.Planner(scene),
            "contact": lambda: berth.ContactWorld(scene),
            "monitor": lambda: berth.Monitor(scene),
        }
        cycle = {"scene": scene, "user": kinds[what]()}
        if what.startswith("motion"):
            assert cycle["user"].path([scene.state, scene.state + 0.5]).free
        cycle["itself"] = cycle
        del cycle, scene, kinds
        gc.collect()
    print(what)
"""

BALL = """<robot name="ball"><link name="foot"/><link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="turn" type="revolute"><parent link="foot"/><child link="ball"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"
velocity="1" effort="1"/></joint></robot>"""


def test_the_collector_may_end_borrowed_things_first(tmp_path):
    # Of what is only reachable from itself the collector calls all destructors, in whatever order, before it lets anything go. A
    # checker of lanes that read its layout while it was destroyed jumped into freed memory. What was freed is overwritten here.
    (tmp_path / "ball.urdf").write_text(BALL)
    kinds = ["check", "check by lanes", "motion", "motion by lanes", "batch", "planner", "contact", "monitor"]
    done = subprocess.run([sys.executable, "-c", CYCLES, str(tmp_path / "ball.urdf"), *kinds], capture_output=True, text=True, cwd=ROOT,
                          check=False, env={**os.environ, "MALLOC_PERTURB_": "165"})
    assert (done.returncode, done.stdout.splitlines()) == (0, kinds), done.stderr


def test_memory_is_given_back():
    def work():
        scene = berth.Scene.load(CELL)
        scene.add_mesh("m", MODELS / "arm6/base.stl", pose=[9, 9, 9])
        berth.Checker(scene).distance(scene.state, all=True)
        berth.MotionChecker(scene).path([scene.state, scene.state + 0.01])
        with pytest.raises(berth.BerthError):
            scene.add_box("m", (1, 1, 1))
        with pytest.raises(berth.BerthError):
            scene.add_part("nobody", berth.Sphere(1))

    def used():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    for _ in range(5):
        work()
    before = used()
    for _ in range(25):
        work()
    gc.collect()
    assert used() - before < 8e6


def test_closed_things_say_so():
    scene = berth.Scene.load(CELL)
    for thing in (berth.Checker(scene), berth.MotionChecker(scene), berth.Batch(scene)):
        thing.close()
        thing.close()
        with pytest.raises(berth.BerthStaleError, match="is closed"):
            {berth.Checker: lambda: thing.check(scene.state), berth.MotionChecker: lambda: thing.path([scene.state]),
             berth.Batch: lambda: thing.ask(scene.state[None].copy())}[type(thing)]()


def test_every_question_about_an_edited_scene_is_stale():
    scene = berth.Scene.load(CELL)
    checker, motion, batch = berth.Checker(scene), berth.MotionChecker(scene), berth.Batch(scene)
    scene.add_sphere("s", 0.1, pose=[0, 0, 9])
    for ask in (lambda: checker.check(scene.state), lambda: checker.gradient(scene.state, "left/link7", "s"),
                lambda: motion.path([scene.state, scene.state]), lambda: motion.segment(scene.state, scene.state),
                lambda: batch.ask(scene.state[None].copy())):
        with pytest.raises(berth.BerthStaleError):
            ask()


def test_worlds_and_monitors_of_an_edited_scene_are_stale():
    scene = berth.Scene.load(MODELS / "touch/cell.yaml")
    world = berth.ContactWorld(scene)
    world.cycle()
    scene.remove(next(iter(scene.objects)))
    scene.commit()
    for ask in (world.cycle, lambda: world.step(0.001), lambda: world.move("cube", [0, 0, 1])):
        with pytest.raises(berth.BerthStaleError, match="this ContactWorld is stale"):
            ask()
    scene = berth.Scene.load(MODELS / "two_arms/testbed.yaml")
    monitor = berth.Monitor(scene)
    scene.remove("beam")
    for ask in (lambda: monitor.cycle(0.0), lambda: monitor.receive(scene.state, time=0.0)):
        with pytest.raises(berth.BerthStaleError, match="this Monitor is stale"):
            ask()


def test_ctrl_c_at_any_moment_leaves_everything_usable():
    """Signals come between any two steps of Python: none may leave a checker in use or a scene being asked."""
    scene = berth.Scene.load(CELL)
    checker, motion = berth.Checker(scene), berth.MotionChecker(scene)
    state = scene.state

    class Stop(Exception):
        pass

    def stop(number, frame):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        for i in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 + 0.000003 * i)
                while True:
                    checker.check(state)
                    motion.segment(state, state)
            except Stop:
                pass
            assert checker.check(state).free and motion.segment(state, state).free
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    scene.add_sphere("later", 0.1, pose=[0, 0, 9])


def test_a_map_is_shared_by_threads():
    space = berth.Map.from_cells(np.random.default_rng(1).integers(0, 2, (8, 8, 8)), resolution=0.1)
    balls = np.random.default_rng(2).uniform(0, 0.8, (3000, 4))
    wanted, found = space.query(balls).lower, []
    threads = [threading.Thread(target=lambda: found.append(space.query(balls).lower)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 and all(np.array_equal(wanted, lower) for lower in found)


def test_threads_each_with_their_own_checker():
    scene = berth.Scene.load(CELL)
    states = scene.random_states(150, seed=6)
    wanted = [(berth.Checker(scene).distance(state).clearance, berth.MotionChecker(scene).segment(state, states[0]).verdict)
              for state in states]
    wrong, done = [], []

    def work():
        checker, motion = berth.Checker(scene), berth.MotionChecker(scene)
        for state, (clearance, verdict) in zip(states, wanted):
            if checker.distance(state).clearance != clearance or motion.segment(state, states[0]).verdict != verdict:
                wrong.append(state)
        done.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 4 and not wrong


def test_one_checker_for_two_threads_is_refused_and_edits_wait():
    scene = berth.Scene.load(CELL)
    batch = berth.Batch(scene, expected_rows=1)  # it asks for seconds; one that learns would first lay out the scene
    states = np.ascontiguousarray(np.tile(scene.random_states(2000, seed=1), (200, 1)))
    begun = threading.Event()

    def work():
        begun.set()
        try:
            batch.ask(states)
        except berth.BerthError as error:
            ended.append(error)

    ended = []
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    while batch._user() is None and thread.is_alive():
        time.sleep(0.001)
    time.sleep(0.02)
    # The interpreter's lock is free meanwhile: this thread goes on.
    assert thread.is_alive()
    with pytest.raises(berth.BerthError, match="in use by another thread: give each thread its own"):
        batch.ask(states[:1])
    with pytest.raises(berth.BerthError, match="being asked by another thread"):
        scene.add_sphere("s", 0.1)
    assert berth.Checker(scene).check(scene.state).free
    batch._watch.c.stopped = 1
    thread.join()
    assert [error.status for error in ended] == [berth.Status.CANCELLED]
    scene.add_sphere("s", 0.1, pose=[0, 0, 9])


PROGRAM = """
import sys, numpy as np, berth
scene = berth.Scene.load("build/models/{cell}/cell.yaml")
what = sys.argv[1]
if what == "batch":
    batch = berth.Batch(scene)
    rows = np.ascontiguousarray(np.tile(scene.random_states(1000, seed=1), (2000, 1)))
    call = lambda: batch.ask(rows)
elif what == "path":
    motion = berth.MotionChecker(scene, margin=0.0, delta=0.0, interval_budget=2**60)
    rows = np.tile(scene.random_states(2, seed=1), (200000, 1))
    rows = 0.999 * scene.state + 0.001 * rows
    call = lambda: motion.path(rows)
print("ready", flush=True)
try:
    call()
    print("finished")
except KeyboardInterrupt:
    print("interrupted", berth.Checker(scene).check(scene.state).verdict)
"""


@pytest.mark.parametrize("what", ["batch", "path"])
def test_ctrl_c_ends_long_calls(what, tmp_path):
    program = subprocess.Popen([sys.executable, "-c", PROGRAM.format(cell="two_arms"), what], stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.PIPE, cwd=ROOT)
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.4)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert out == "interrupted free\n", (out, err)
    assert err == ""


def test_a_batch_can_be_asked_again_after_ctrl_c():
    scene = berth.Scene.load(CELL)
    batch = berth.Batch(scene)
    rows = np.ascontiguousarray(np.tile(scene.random_states(1000, seed=1), (100, 1)))
    timer = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            batch.ask(rows)
    assert len(batch.ask(rows[:10]).verdicts) == 10


def test_the_library_is_found_by_name_or_said_to_be_missing(tmp_path):
    def run(**environment):
        return subprocess.run([sys.executable, "-c", "import berth; print(berth.version())"], capture_output=True, text=True,
                              env={**os.environ, **environment}, cwd=ROOT, check=False)

    library = ROOT / "build/libberth.so"
    assert run(BERTH_LIBRARY=str(library)).stdout.strip() == berth.version()
    missing = run(BERTH_LIBRARY=str(tmp_path / "nothing.so"))
    assert missing.returncode != 0 and "nothing.so" in missing.stderr and "ImportError" in missing.stderr


def test_a_library_of_another_version_is_refused(tmp_path):
    source = tmp_path / "other.c"
    source.write_text('const char* berth_version(void) { return "9.9.9"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tmp_path / "other.so"], check=True)
    done = subprocess.run([sys.executable, "-c", "import berth"], capture_output=True, text=True, cwd=ROOT, check=False,
                          env={**os.environ, "BERTH_LIBRARY": str(tmp_path / "other.so")})
    assert done.returncode != 0 and f"is of version 9.9.9, this package of {berth.version()}" in done.stderr
