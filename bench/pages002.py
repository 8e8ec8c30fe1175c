#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plots and tables of paper 002 from what bench_spheres and bench_self wrote: SVG into docs/pictures/, and tables into
docs/results/paper002.md between the markers there. Of several runs in the results the last one counts.
usage: pages002.py RESULTS_FOLDER DOCS_FOLDER      (standard library only)"""

import math
import os
import statistics
import sys

sys.dont_write_bytecode = True
from pages import COLOURS, Axis, Plot, frame, legend, rows_of, who_of, splice

ROBOTS = ["humanoid", "romeo", "pr2", "dual_panda", "kitchen"]
APPROACHES = [("0 mm; 0 %", "no margin, exact"), ("0 mm; 30 %", "no margin, tolerance 30 %"),
              ("10 mm; 0 %", "min_d 10 mm, exact"), ("10 mm; 30 %", "min_d 10 mm, tolerance 30 %")]


class Results:
    """The last value of every row, and who measured it."""

    def __init__(self, rows):
        self.cells, self.who, self.fit_who, self.states = {}, "", "", "?"
        self.whole_who, self.whole_states = "", "?"
        for row in rows:
            if row["x"] == "x":  # the header again
                continue
            key = (row["table"], row["series"])
            if key == ("run", "states"):  # a new run
                self.cells = {k: v for k, v in self.cells.items() if k[0].startswith("whole ")}
                self.states = f"{float(row['value']):g}"
            self.cells.setdefault(key, {})[float(row["x"])] = row
            who = who_of(row)
            if key == ("whole run", "states"):
                self.whole_states = f"{float(row['value']):g}"
            if row["table"].startswith("whole "):  # a run of its own
                self.whole_who = who
            elif row["table"] == "fit":  # also run by itself
                self.fit_who = who
            else:
                self.who = who

    def xs(self, table, series):
        return sorted(self.cells.get((table, series), {}))

    def at(self, table, series, x, column="value"):
        return float(self.cells[(table, series)][x][column])

    def curve(self, table, series, column="value"):
        return [(x, self.at(table, series, x, column)) for x in self.xs(table, series)]

    def head(self, with_states=True):
        return f"({self.who}" + (f"; {self.states} states)" if with_states else ")")


def told(holds, words):
    return f"{'PASS    ' if holds else 'differs '} {words}"


def percent(a, b):
    return 100 * (a / b - 1)


# ---- tables ----------------------------------------------------------------------------------------------------


def table_combine(r):
    out = [r.head(False), "", "Figure 9a: two cubes of 1 m, median time of a distance query, extra of greedy over compact", "",
           "            | tolerance 0 %                               | tolerance 30 %",
           "distance, m | compact us  greedy us   extra  extra balls   | compact us  greedy us   extra  extra balls"]
    extra = {"": [], " 30%": []}
    for x in r.xs("combine", "compact"):
        line = f"{x:11g} |"
        for tail in extra:
            compact, greedy = r.at("combine", "compact" + tail, x), r.at("combine", "greedy" + tail, x)
            balls = percent(r.at("combine", "greedy" + tail, x, "volumes"), r.at("combine", "compact" + tail, x, "volumes"))
            extra[tail].append(percent(greedy, compact))
            line += f" {compact:10.1f} {greedy:10.1f} {extra[tail][-1]:+6.0f} % {balls:+8.0f} %    |"
        out.append(line.rstrip(" |"))
    exact, loose = extra[""], extra[" 30%"]
    return out + ["", told(min(exact + loose) > 0, "compact is faster at every distance, with and without a tolerance"),
                  told(max(loose) > max(exact), "most is gained with a tolerance (paper: 30 % gains more than 0 %)"),
                  told(loose[0] < max(loose) / 2, "with a tolerance the gain falls as the cubes come near"),
                  told(max(exact[0], loose[0]) < 20, "about the same time for both when near (paper)")]


def table_levels(r):
    out = [r.head(False), "", "Figure 4: an L-shaped body with arms of 1 m, mean radius of the balls of a level, mm", "",
           "level   balls   compact    greedy   greedy / compact"]
    ratios = []
    for x in r.xs("levels", "compact"):
        compact, greedy = r.at("levels", "compact", x), r.at("levels", "greedy", x)
        ratios.append(greedy / compact)
        out.append(f"{x:5g} {r.at('levels', 'compact', x, 'volumes'):7.0f} {compact:9.1f} {greedy:9.1f} {greedy / compact:10.2f}")
    return out + ["", told(min(ratios) > 1 - 1e-9, "every level is tighter, or the leaves themselves")]


def table_max(r):
    robots = [("humanoid", "humanoid spheres"), ("kitchen", "kitchen spheres")]
    out = [r.head(), "", "Figure 9b: smallest distance of all pairs, time a state over max_d; 'found': mean of min(distance, max_d)", "",
           "          | humanoid with itself                | humanoid in the kitchen",
           " max_d, m |      us    balls  leaves  found, mm |      us    balls  leaves  found, mm"]
    for x in r.xs("max_d", robots[0][1]):
        line = f"{x:9g} |"
        for _, series in robots:
            cell = [r.at("max_d", series, x, c) for c in ("value", "volumes", "leaves", "distance_mm")]
            line += f" {cell[0]:7.0f} {cell[1]:8.0f} {cell[2]:7.0f} {cell[3]:10.1f} |"
        out.append(line.rstrip(" |"))
    out.append("")
    for name, series in robots:
        whole, least = r.at("max_d", series, math.inf), r.at("max_d", series, 0.001)
        real = r.at("max_d", series, math.inf, "distance_mm")
        above = next(x for x in r.xs("max_d", series) if r.at("max_d", series, x, "distance_mm") > real - 1e-3)
        change = percent(r.at("max_d", series, above, "volumes"), r.at("max_d", series, math.inf, "volumes"))
        out += [told(least < whole / 2, f"{name}: a max_d below the distance saves more than half ({whole / least:.0f} times as fast)"),
                told(change < -3, f"{name}: one above every state's distance ({above:g} m) saves too: {change:+.0f} % balls "
                     "(paper: also for higher values)")]
    return out


def table_approach(r):
    series = "kitchen spheres"
    out = [r.head(), "", "Figure 10a: humanoid near the kitchen, time a state in us (and the distance told, mm)", "",
           "        | no margin                       | min_d 10 mm",
           "gap, mm |   exact             30 %        |   exact             30 %"]
    xs = r.xs("approach; 0 mm; 0 %", series)
    times = {}
    for x in xs:
        line = f"{1e3 * x:7g} |"
        for k, (tail, _) in enumerate(APPROACHES):
            times[k, x] = r.at("approach; " + tail, series, x)
            line += f" {times[k, x]:7.0f} ({r.at('approach; ' + tail, series, x, 'distance_mm'):5.1f})" + (" |" if k == 1 else "")
        out.append(line.rstrip(" |"))
    gains = [statistics.median(100 * (1 - times[k + 2, x] / times[k, x]) for x in xs if x < 0.01) for k in range(2)]
    out += ["", "Time over min_d, us a state:", "", "min_d, mm | 5 mm off the kitchen    | humanoid with itself"]
    for x in r.xs("min_d", "kitchen 5 mm off spheres"):
        line = f"{1e3 * x:9g} |"
        for name in ("kitchen 5 mm off spheres", "humanoid spheres"):
            line += f" {r.at('min_d', name, x):9.0f} ({r.at('min_d', name, x, 'volumes'):6.0f} balls) |"
        out.append(line.rstrip(" |"))
    return out + ["", told(min(gains) > 0, f"inside the margin min_d saves time: {gains[0]:.0f} % of an exact search, {gains[1]:.0f} % with tolerance (medians)"),
                  told(gains[0] > 50, "... most of the time (paper: without it 'much longer')")]


def table_tolerance(r):
    columns = [("tolerance", "humanoid spheres"), ("tolerance; min_d 10 mm", "humanoid spheres"), ("tolerance", "kitchen spheres"),
               ("tolerance", "kitchen 20 mm off spheres"), ("tolerance; min_d 10 mm", "kitchen 20 mm off spheres")]
    out = [r.head(), "", "Figures 10a, 10b: time a state over the error tolerance, us (and the distance told, mm)", "",
           "          | humanoid with itself              | kitchen         | kitchen, moved to 20 mm",
           "tolerance | no margin       | min_d 10 mm     | no margin       | no margin       | min_d 10 mm"]
    for x in r.xs(*columns[0]):
        line = f"{100 * x:7g} % |"
        for table, series in columns:
            line += f" {r.at(table, series, x):6.0f} ({r.at(table, series, x, 'distance_mm'):6.1f}) |"
        out.append(line.rstrip(" |"))
    out.append("")
    for name, (table, series) in [("self-collision", columns[0]), ("kitchen", columns[2])]:
        gain = r.at(table, series, 0.0) / r.at(table, series, 0.3)
        out.append(told(gain > 1.3, f"{name}: 30 % is {gain:.1f} times as fast as exact (paper: 'considerably')"))
    gains = [r.at(*columns[k], 0.0) / r.at(*columns[k], 0.7) for k in (0, 2)]
    return out + [told(gains[0] > gains[1], "a large tolerance gains more in self-collision than in the kitchen (paper: 'particularly')")]


WAYS = ["pair by pair", "hierarchy, tables of balls", "hierarchy, proven tables", "hierarchy by M, tables of balls"]


def table_whole(r):
    """Figures 9b, 10a, 10b by the paper's whole combination."""
    if not r.whole_who:
        return ["(not run yet)"]
    out = [f"({r.whole_who}; {r.whole_states} states)", "",
           "Figures 9b, 10a, 10b, us a state (balls compared in sphere trees); distance told, mm", ""]
    parts = [("max_d", "max_d, m", 1, ["humanoid", "kitchen"]), ("min_d", "min_d, mm", 1e3, ["humanoid", "kitchen 5 mm off"]),
             ("tolerance", "tolerance, %", 100, ["humanoid", "kitchen", "kitchen 5 mm off"]),
             ("tolerance; min_d 10 mm", "... min_d 10 mm", 100, ["humanoid", "kitchen 5 mm off"])]
    for table, name, unit, labels in parts:
        for label in labels:
            out += [f"{label:16} " + "".join(f" | {way:>31}" for way in WAYS), f"{name:>16}"]
            for x in r.xs("whole " + table, f"{label}; {WAYS[0]}"):
                line = f"{x * unit:16g} "
                for way in WAYS:
                    cell = [r.at("whole " + table, f"{label}; {way}", x, c) for c in ("value", "volumes", "distance_mm")]
                    line += f" | {cell[0]:8.0f} ({cell[1]:6.0f}) {cell[2]:10.1f} mm"
                out.append(line)
            out.append("")
    at = lambda table, label, way, x: r.at("whole " + table, f"{label}; {WAYS[way]}", x)
    out += ["Comparisons of balls for a verdict, before any tree (pairs that are left to trees)", ""]
    for label in ("humanoid", "kitchen"):
        out.append(f"{label:16} " + " | ".join(f"{WAYS[w]}: {at('steps', label, w, 0):.1f} ({at('pairs', label, w, 0):.1f})" for w in (1, 2, 3)))
    out.append("")
    inf = math.inf
    gains = {label: at("max_d", label, 0, inf) / at("max_d", label, 2, inf) for label in ("humanoid", "kitchen")}
    swept = {label: at("max_d", label, 3, inf) / at("max_d", label, 1, inf) for label in ("humanoid", "kitchen")}
    more = [at("steps", label, 3, 0) / at("steps", label, 1, 0) for label in ("humanoid", "kitchen")]
    out += [told(max(more) < 1, f"the paper's M spheres need fewer comparisons than MR (humanoid {more[0]:.2f}, kitchen {more[1]:.2f} times as many)"),
            told(min(gains.values()) > 1, f"the whole combination is faster than pair by pair (humanoid {gains['humanoid']:.2f}, "
                 f"kitchen {gains['kitchen']:.2f} times, exact)"),
            told(max(swept.values()) < 1, f"the paper's M spheres are faster than MR where the frame is (time humanoid {swept['humanoid']:.2f}, "
                 f"kitchen {swept['kitchen']:.2f} times)")]
    for label in ("humanoid", "kitchen"):
        gain = at("max_d", label, 2, inf) / at("max_d", label, 2, 0.001)
        out.append(told(gain > 2, f"{label}: a max_d below the distance is {gain:.0f} times as fast (9b)"))
    gain = at("min_d", "kitchen 5 mm off", 2, 0.0) / at("min_d", "kitchen 5 mm off", 2, 0.01)
    out.append(told(gain > 1.5, f"5 mm off the kitchen: a min_d of 10 mm is {gain:.2f} times as fast as none (10a: 'much longer' without)"))
    large = [at("tolerance", label, 2, 0.0) / at("tolerance", label, 2, 0.7) for label in ("humanoid", "kitchen")]
    out.append(told(large[0] > large[1], f"a tolerance of 70 % gains more in self-collision ({large[0]:.1f} times) than in the kitchen ({large[1]:.1f}; 10b)"))
    return out


def table_caching(r):
    out = [r.head(), "", "Kept centres: time saved over turning every centre anew (paper: about 30 % of a query)", ""]
    saved = []
    for tail, name in (("", "two cubes, exact"), (" 30%", "two cubes, tolerance 30 %")):
        shares = [100 * (1 - r.at("combine", "compact" + tail, x) / r.at("combine", f"compact{tail}, plain centres", x))
                  for x in r.xs("combine", "compact" + tail)]
        saved += shares
        out.append(f"{name:32} median {statistics.median(shares):5.1f} %   from {min(shares):.1f} to {max(shares):.1f} % over the distances")
    for name in ("humanoid", "kitchen"):
        kept, plain = r.at("engines", name + " spheres", 0.0), r.at("engines", name + " spheres, plain", 0.0)
        saved.append(100 * (1 - kept / plain))
        out.append(f"{name + ', all pairs':32}        {saved[-1]:5.1f} %   {kept:.0f} us against {plain:.0f} us a state")
    return out + ["", told(statistics.median(saved) > 20, "about 30 %, as in the paper")]


def table_engines(r):
    out = [r.head(), "", "The same question to the other trees: smallest distance of all pairs, exact, us a state (volumes; leaves)", "",
           f"{'':20} |" + "".join(f"{engine:>21} |" for engine in ("boxes", "rss", "spheres"))[:-2]]
    for name, words in (("humanoid", "humanoid with itself"), ("kitchen", "in the kitchen")):
        line = f"{words:20} |"
        for engine in ("boxes", "rss", "spheres"):
            cell = [r.at("engines", f"{name} {engine}", 0.0, c) for c in ("value", "volumes", "leaves")]
            counts = f"({cell[1]:.0f}; {cell[2]:.0f})"
            line += f" {cell[0]:6.0f} {counts:>13} |"
        out.append(line.rstrip(" |"))
    out += ["", "Building a tree over a bumpy ball: ms, and mean radius of all balls, mm", "",
            "triangles |    leaves |        compact |         greedy |        growing |         ritter"]
    for x in r.xs("build", "compact"):
        line = f"{x:9.0f} | {r.at('build', 'compact', x, 'leaves'):9.0f} |"
        for rule in ("compact", "greedy", "growing", "ritter"):
            line += f" {r.at('build', rule, x) / 1e3:6.0f}  {r.at('build', rule, x, 'volumes'):6.2f} |"
        out.append(line.rstrip(" |"))
    return out


def table_fit(r):
    if not r.xs("fit", "berth; balls"):
        return None
    facts = ["balls", "links not proven covered", "volume over solid", "protrusion most mm", "protrusion mean mm", "surface outside %",
             "outside most mm", "processor s"]
    ways = [w for w in ("berth", "shipped") if r.xs("fit", w + "; balls")]
    out = [f"({r.fit_who})", "", "Panda's collision meshes in 59 balls; 'shipped': panda_spherized.urdf of a planner, measured", "",
           f"{'':28}" + "".join(f"{w:>10}" for w in ways)]
    value = lambda way, fact: r.at("fit", f"{way}; {fact}", r.xs("fit", f"{way}; {fact}")[0])
    for fact in facts:
        out.append(f"{fact:28}" + "".join(f"{value(w, fact):10.4g}" for w in ways))
    out += ["", told(value("berth", "links not proven covered") == 0, "all of the robot is covered, proven")]
    if len(ways) == 2:
        times = value("berth", "volume m3") / value("shipped", "volume m3")
        out.append(told(times < 2.4, f"{times:.2f} times the volume of the shipped balls, which leave half of it outside (a plain k-means "
                        "cover: 3.0 times)"))
    return out


def last_self(rows):
    cells = {}
    for row in rows or []:
        if row["robot"] != "robot":
            cells[row["robot"], row["question"], row["way"]] = row
    return cells


def table_self(cells):
    if not cells:
        return None
    ways = ["no tables", "tables of balls", "proven tables"]
    any_row = next(reversed(cells.values()))
    out = [f"({who_of(any_row)}; random states, one thread)", "",
           "Questions a second (times FCL on the same pairs, same run); 'left': pairs of links that have to be looked at.",
           "FCL has its poses for free; 'poses given': berth without the time of its kinematics, too", "",
           "robot       question   |         FCL |       no tables | tables of balls |   proven tables | ... poses given | pairs; left | differ"]
    worst = {}
    for robot in ROBOTS:
        for question in ("verdict", "distance"):
            mine = [cells.get((robot, question, way)) for way in ways]
            if None in mine:
                continue
            made = cells.get((robot, "creation", "proven tables"))
            pairs = f"{made['count']:>4}; {made['collide']:>4}" if made else ""
            line = f"{robot:11} {question:10} | {float(mine[0]['fcl_per_s']):9.0f}/s |"
            given = cells.get((robot, question, "proven tables; poses given"))
            for row in mine + ([given] if given else []):
                line += f" {float(row['berth_per_s']):8.0f} ({float(row['times_fcl']):4.1f}) |"
            out.append(f"{line} {pairs:11} | {mine[2]['differ']} of {mine[2]['count']}")
            worst[robot, question] = float((given or mine[2])["times_fcl"])
    out.append("")
    for robot in ("humanoid", "romeo"):
        for question in ("verdict", "distance"):
            if (robot, question) in worst:
                out.append(told(worst[robot, question] >= 5, f"{robot}, {question}: at least 5 times FCL, poses given to both"))
    return out


# ---- plots -----------------------------------------------------------------------------------------------------


def curves(plot, x, y, lines, place):
    """(name, points, colour, dash), with a legend."""
    for _, points, colour, dash in lines:
        shown = [(x(a), y(b)) for a, b in points if x.low <= a <= x.high]
        plot.path(shown, colour, 2.2, dash)
        for point in shown:
            plot.dot(*point, 2.6, colour)
    legend(plot, *place, [line[0] for line in lines], [line[2] for line in lines], [line[3] for line in lines])


def round_up(value):
    step = 10 ** math.floor(math.log10(value))
    return next(k * step for k in (1, 2, 2.5, 4, 5, 8, 10, 12.5) if k * step >= value * 1.02)


def plot_rules(r, path):
    plot = Plot(960, 420, "Greedy against compact balls")
    extra = {tail: [(x, percent(r.at("combine", "greedy" + tail, x), v)) for x, v in r.curve("combine", "compact" + tail)]
             for tail in ("", " 30%")}
    x = Axis(0.002, 5, 80, 455, True)
    y = Axis(0, round_up(max(v for points in extra.values() for _, v in points)), 350, 60)
    frame(plot, x, y, "distance of the cubes, m", "extra time of greedy, %", "two cubes of 1 m (paper, figure 9a)")
    curves(plot, x, y, [("tolerance 0 %", extra[""], COLOURS[0], None), ("tolerance 30 %", extra[" 30%"], COLOURS[1], None)], (96, 84))
    depth = r.xs("levels", "compact")[-1]
    x = Axis(0, depth, 560, 935)
    y = Axis(20, 2000, 350, 60, True)
    frame(plot, x, y, "level of the tree (0: the root)", "mean radius, mm", "L-shaped body, arms of 1 m (paper, figure 4)")
    curves(plot, x, y, [("greedy", r.curve("levels", "greedy"), COLOURS[1], None), ("compact", r.curve("levels", "compact"), COLOURS[0], None)],
           (800, 84))
    plot.text(480, 410, "Median processor time over 40 poses. Both trees have the same leaves, so that the curves meet at the bottom.", 10, "middle", "#666")
    plot.save(path)


def panel(plot, at, size, axis_x, points, labels, lines, place):
    left, base = at
    x = Axis(*axis_x[:2], left, left + size[0], axis_x[2])
    y = Axis(0, round_up(max(points)), base, base - size[1])
    frame(plot, x, y, labels[0], "time a state, µs", labels[1])
    curves(plot, x, y, lines, (left + place[0], base - size[1] + place[1]))


def plot_range(r, path):
    plot = Plot(960, 800, "Humanoid with itself and in the kitchen: what a range and a tolerance save")
    size = (370, 250)
    colours = {"humanoid": COLOURS[0], "kitchen": COLOURS[1], "kitchen 5 mm off": COLOURS[3], "kitchen 20 mm off": COLOURS[3]}
    words = {"humanoid": "self-collision", "kitchen": "in the kitchen", "kitchen 5 mm off": "5 mm off the kitchen",
             "kitchen 20 mm off": "20 mm off the kitchen"}
    line = lambda table, name, dash=None: (words[name], r.curve(table, name + " spheres"), colours[name], dash)
    top = lambda lines: [v for one in lines for _, v in one[1]]

    lines = [line("max_d", n) for n in ("humanoid", "kitchen")]
    panel(plot, (80, 320), size, (0.0008, 1.3, True), top(lines), ("max_d, m", "over max_d (paper, figure 9b)"), lines, (14, 20))
    lines = [line("min_d", n) for n in ("humanoid", "kitchen 5 mm off")]
    lines = [(a, [(1e3 * x, v) for x, v in p], c, d) for a, p, c, d in lines]
    panel(plot, (560, 320), size, (0, 50, False), top(lines), ("min_d, mm", "over min_d (paper, figure 10a)"), lines, (210, 20))
    shades = [(COLOURS[4], None), (COLOURS[4], "5 4"), (COLOURS[1], None), (COLOURS[1], "5 4")]
    lines = [(name, [(1e3 * x, v) for x, v in r.curve("approach; " + tail, "kitchen spheres")], *shades[k])
             for k, (tail, name) in enumerate(APPROACHES)]
    top_with_room = [1.25 * max(top(lines))]
    panel(plot, (80, 710), size, (0.8, 250, True), top_with_room, ("distance to the kitchen, mm", "coming near the kitchen (paper, figure 10a)"), lines, (14, 14))
    lines = [line("tolerance", n) for n in ("humanoid", "kitchen", "kitchen 20 mm off")]
    lines = [(a, [(100 * x, v) for x, v in p], c, d) for a, p, c, d in lines]
    panel(plot, (560, 710), size, (0, 70, False), top(lines), ("error tolerance, %", "over the tolerance (paper, figures 10a, 10b)"), lines, (200, 20))
    plot.text(480, 780, f"Smallest distance of all pairs, sphere trees, from joint values to answer; medians, {r.states} states. "
              "The 0 of min_d is an exact search.", 10, "middle", "#666")
    plot.save(path)


def plot_self(cells, path):
    bars = [("FCL", COLOURS[4], lambda q, robot: float(cells[robot, q, "no tables"]["fcl_per_s"]))]
    for way, colour in (("no tables", "#9cc3e0"), ("tables of balls", "#4f94c4"), ("proven tables", "#16486f")):
        bars.append((way, colour, lambda q, robot, way=way: float(cells[robot, q, way]["berth_per_s"])))
    robots = [robot for robot in ROBOTS if (robot, "distance", "proven tables") in cells]
    plot = Plot(960, 420, "Self-collision of whole robots: questions a second, one thread")
    for i, (question, title) in enumerate([("verdict", "free or not"), ("distance", "smallest distance")]):
        x, y = Axis(0, 1, 75 + 480 * i, 465 + 480 * i), Axis(100, 1e6, 340, 60, True)
        for tick in y.ticks():
            plot.line(x.start, y(tick), x.end, y(tick), "#ddd")
            plot.text(x.start - 6, y(tick) + 4, f"{tick:,.0f}", anchor="end")
        plot.text((x.start + x.end) / 2, 52, title, 12, "middle", weight="bold")
        plot.text(x.start - 58, 200, "questions a second", 12, "middle", turn=-90)
        room = (x.end - x.start) / len(robots)
        for k, robot in enumerate(robots):
            for b, (_, colour, rate) in enumerate(bars):
                left, top = x.start + room * k + 8 + b * (room - 16) / 4, y(rate(question, robot))
                plot.add(f"<rect x='{left:.1f}' y='{top:.1f}' width='{(room - 16) / 4 - 1:.1f}' height='{340 - top:.1f}' fill='{colour}'/>")
            plot.text(x.start + room * (k + 0.5), 356, robot.replace("_", " "), 11, "middle")
        plot.line(x.start, 340, x.end, 340)
    for b, (name, colour, _) in enumerate(bars):
        legend(plot, 200 + 150 * b, 386, [name], [colour])
    plot.text(480, 410, "FCL on the same pairs in the same run, its poses for free. 'kitchen': everything in the scene, not the robot alone.", 10, "middle", "#666")
    plot.save(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, docs = sys.argv[1:]
    rows, cells = rows_of(data, "spheres.csv"), last_self(rows_of(data, "self.csv"))
    tables = {"self_collision": table_self(cells)}
    if cells:
        plot_self(cells, os.path.join(docs, "pictures", "spheres_self.svg"))
    if rows:
        r = Results(rows)
        for name, make in [("combine", table_combine), ("levels", table_levels), ("max_d", table_max), ("min_d", table_approach),
                           ("tolerance", table_tolerance), ("whole", table_whole), ("caching", table_caching), ("engines", table_engines), ("fit", table_fit)]:
            tables[name] = make(r)
        plot_rules(r, os.path.join(docs, "pictures", "spheres_rules.svg"))
        plot_range(r, os.path.join(docs, "pictures", "spheres_range.svg"))
    splice(os.path.join(docs, "results", "paper002.md"), lambda name: "\n".join(tables[name]) if tables.get(name) else None)


if __name__ == "__main__":
    main()
