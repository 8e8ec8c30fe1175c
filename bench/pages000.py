#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plots and tables of paper 000 from what bench_monitor wrote: SVG into docs/pictures/, and tables into docs/results/paper000.md between the
markers there. Of several runs in the results the last one counts.
usage: pages000.py RESULTS_FOLDER DOCS_FOLDER      (standard library only)"""

import os
import sys

sys.dont_write_bytecode = True
from pages import COLOURS, Axis, Plot, frame, legend, rows_of, who_of, splice
from pages002 import curves, told

FCL = ["fcl trees", "fcl trees own gjk", "fcl each own gjk"]
BULLET = ["bullet broadphase", "bullet tree"]


class Results:
    """The last value of every row, and who measured it."""

    def __init__(self, rows):
        self.cells, self.who = {}, {}
        for row in rows:
            if row["x"] == "x":  # the header again
                continue
            self.cells.setdefault((row["table"], row["series"]), {})[float(row["x"])] = float(row["value"])
            self.who[row["table"]] = f"({who_of(row)})"

    def at(self, table, series, x=None):
        values = self.cells.get((table, series), {})
        return values[x] if x is not None else next(iter(values.values()))

    def curve(self, table, series):
        return sorted(self.cells.get((table, series), {}).items())

    def has(self, table, series):
        return (table, series) in self.cells


def table_size(r):
    def line(words, paper, name, form="{:g}"):
        cells = [form.format(r.at(name, way)) for way in ("as printed", "with hysteresis", "by boxes")]
        return f"{words:34} {paper:>8} {cells[0]:>12} {cells[1]:>16} {cells[2]:>10}"

    out = [r.who["size nodes"], "", "35 primitives, N = 10, cube of 250 in, smallest leaf 1.95 in, movers 1.2 in larger", "",
           f"{'':34} {'paper':>8} {'as printed':>12} {'merges at 6':>16} {'by boxes':>10}",
           line("nodes", "33", "size nodes"), line("leaves", "29", "size leaves"), line("empty leaves", "15", "size empty"),
           line("levels below the root", "2", "size depth"),
           line("primitives a leaf that is not empty", "5", "size per leaf", "{:.1f}"),
           line("leaves a primitive", "2", "size per primitive", "{:.1f}"),
           line("splits and merges in the tasks", "5", "size changes"),
           line("cycles between them", "600", "size cycles per change", "{:.0f}"),
           line("box tests a cycle", "", "size pair tests", "{:.0f}"), line("distances a cycle", "", "size gaps", "{:.1f}"), ""]
    out.append(f"cycles until extended primitives meet: task 1 {r.at('task cycles', 'clear', 1.0):g} of 1000, task 2 "
               f"{r.at('task cycles', 'clear', 2.0):g} of 150, task 3 {r.at('task cycles', 'clear', 3.0):g} of 2000")
    clean = r.at("task cycles", "clear", 1.0) == 1000
    out.append(told(clean and r.at("task cycles", "clear", 2.0) < 150 and r.at("task cycles", "clear", 3.0) < 2000,
                    "task 1 runs clean, tasks 2 and 3 end before contact"))
    out.append(told(r.at("size changes", "with hysteresis") <= r.at("size changes", "as printed"),
                    "merging later than splitting changes the tree less often"))
    return out


def table_shares(r):
    names = [("kinematics", "28"), ("moves", ""), ("update", "27 (nodes 13, neighbours 7, boxes 7)"), ("pairs", ""),
             ("distances", "27")]
    out = [r.who["share us"], "", "microseconds a cycle, and percent of it", "",
           f"{'stage':12} {'as printed':>18} {'ours':>18}   paper, %"]
    whole = [r.at("share printed us", "cycle"), r.at("share us", "cycle")]
    for name, paper in names:
        values = [max(r.at("share printed us", name), 0.0), max(r.at("share us", name), 0.0)]
        out.append(f"{name:12} {values[0]:10.2f} {100 * values[0] / whole[0]:5.0f} % {values[1]:10.2f} "
                   f"{100 * values[1] / whole[1]:5.0f} %   {paper}")
    out.append(f"{'cycle':12} {whole[0]:10.2f}         {whole[1]:10.2f}           30 ms on a 20 MHz 80386")
    out += ["", f"single cycles, ours, processor time: median {r.at('cycle us', 'median'):.1f} us, p99 {r.at('cycle us', 'p99'):.1f} us, "
            f"longest {r.at('cycle us', 'worst'):.1f} us (paper: mean 30 ms, longest below 60 ms)"]
    return out


def table_gains(r):
    whole = r.at("without", "all")
    paper = {"redundant tests": 4, "direction": 8, "box in node": 13, "boxes first": 80}
    out = [r.who["without"], "", "each left out of the octree as printed (neighbours, exact nodes): time a cycle, and what it saves", "",
           f"{'refinement':18} {'without, us':>12} {'saves':>8}   paper"]
    gains = {}
    for name, saved in paper.items():
        us = r.at("without", name)
        gains[name] = 100 * (1 - whole / us)
        out.append(f"{name:18} {us:12.1f} {gains[name]:6.0f} %   {saved} %")
    ours = r.at("without", "ours")
    out += [f"{'all in place':18} {whole:12.1f}", f"{'ours':18} {ours:12.1f}   nodes by boxes, descent, kept mates", ""]
    out.append(told(max(gains, key=gains.get) == "boxes first", "boxes first save by far the most"))
    out.append(told(all(gains[n] >= -3 for n in paper), "no refinement costs more than it saves (3 % is noise)"))
    out.append(told(gains["box in node"] > gains["direction"], "box in node saves more than the direction of motion"))
    return out


def table_updates(r):
    out = [r.who["update"], "", "ways to follow, microseconds a cycle over the three tasks", "",
           f"{'':12} {'nodes by boxes':>16} {'exact nodes':>14}"]
    for name in ("descent", "neighbours", "reinsert", "rebuild"):
        out.append(f"{name:12} {r.at('update', name):16.2f} {r.at('update', name + ' exact'):14.2f}")
    best = r.at("update", "descent")
    out += ["", told(best < r.at("update", "reinsert") < r.at("update", "rebuild"), "difference before reinsert before rebuild, as in the paper"),
            told(best <= r.at("update", "neighbours"), "descent needs no bound of the motion and is not slower than neighbours")]
    return out


def table_rivals(r, course, words):
    out = [r.who[course + " median us"], "", f"14 moving capsules among N boxes, 20 mm margin, {words}: a cycle, microseconds", "",
           f"{'':20} " + " ".join(f"{int(x):>16,}" for x, _ in r.curve(course + " median us", "berth")),
           f"{'':20} " + " ".join(f"{'median':>8} {'p99':>7}" for _ in r.curve(course + " median us", "berth"))]
    for name in ["berth"] + FCL + BULLET:
        cells = [f"{v:8.2f} {p:7.2f}" for (_, v), (_, p) in zip(r.curve(course + " median us", name), r.curve(course + " p99 us", name))]
        out.append(f"{name:20} " + " ".join(cells))
    out += ["", f"{'':20} " + " ".join(f"{int(x):>16,}" for x, _ in r.curve(course + " median us", "berth")),
            f"{'pairs within 20 mm':20} " + " ".join(f"{v:16.2f}" for _, v in r.curve(course + " pairs", "near")),
            f"{'pairs measured':20} " + " ".join(f"{v:16.2f}" for _, v in r.curve(course + " candidates", "berth"))]
    for name in ["berth"] + FCL + BULLET:
        cells = [f"{d:9.4f} {int(n):6}" for (_, d), (_, n) in zip(r.curve(course + " distance mm", name), r.curve(course + " pairs differ", name))]
        out.append(f"{name:20} " + " ".join(cells) + "   largest difference, mm; pairs that differ")
    sizes = [x for x, _ in r.curve(course + " median us", "berth")]
    least = lambda names, table, x: min(r.at(table, n, x) for n in names)
    m, p = course + " median us", course + " p99 us"
    out += ["", told(all(r.at(m, "berth", x) <= 0.5 * least(FCL, m, x) for x in sizes), "median at most half of the best FCL way's, at every size"),
            told(all(r.at(m, "berth", x) <= least(BULLET, m, x) for x in sizes), "median no slower than the best Bullet way's, at every size"),
            told(all(r.at(p, "berth", x) <= least(FCL + BULLET, p, x) for x in sizes), "p99 no worse than any, at every size")]
    flat = [r.at(m, "berth", x) for x in sizes if x >= 200]
    out.append(told(max(flat) <= 1.15 * min(flat), f"flat from 200 to 10,000 boxes: {', '.join(f'{v:.2f}' for v in flat)} us"))
    return out


def table_region(r):
    out = [r.who["region leaves"], "", "smallest leaf, in   leaves   of the upper six links of both arms   a cycle, ms",]
    for edge, leaves in reversed(r.curve("region leaves", "all")):
        out.append(f"{edge:17.2f} {leaves:8.0f} {r.at('region leaves', 'of 12 links', edge):38.0f} "
                   f"{r.at('region cycle us', 'all', edge) / 1e3:13.2f}")
    out += [f"{'paper, 1.2':>17} {'~30000':>8} {'~3000':>38}   'inconceivable in real time'"]
    octree = r.at("share us", "cycle")
    coarse = r.curve("region cycle us", "all")[-1][1]
    out += ["", f"the N-objects octree's cycle is {coarse / octree:,.0f} times shorter than the coarser region octree's"]
    return out


def lines_of(r, table, names):
    return [(words, r.curve(table, series), colour, dash) for words, series, colour, dash in names if r.has(table, series)]


def panel(plot, at, limits, labels, lines, place):
    left, base = at
    x, y = Axis(*limits, left, left + 370), Axis(0.3, 1000, base, base - 240, True)
    frame(plot, x, y, labels[0], "time a cycle, µs", labels[1])
    curves(plot, x, y, lines, (left + place[0], base - 240 + place[1]))


def plot_paper(r, path):
    plot = Plot(960, 760, "The N-objects octree on the testbed of paper 000")
    printed, ours = (COLOURS[4], "5 4"), (COLOURS[0], None)
    lines = lines_of(r, "figure 4", [("as printed", "as printed", *printed), ("ours", "ours", *ours)])
    panel(plot, (80, 320), (0, 36), ("N", "over N (paper, figure 4)"), lines, (220, 20))
    lines = lines_of(r, "figure 5", [("all pairs, no boxes first", "naive without boxes", COLOURS[1], "5 4"),
                                     ("all pairs", "naive", COLOURS[1], None), ("octree as printed", "octree as printed", *printed),
                                     ("octree", "octree", *ours)])
    panel(plot, (560, 320), (0, 300), ("primitives", "over primitives near the arms (paper, figure 5)"), lines, (190, 172))
    lines = lines_of(r, "figure 6", [("grid as printed", "as printed", *printed), ("grid, ours", "ours", *ours)])
    panel(plot, (80, 680), (0, 32), ("G", "over the grid size (paper, figure 6)"), lines, (14, 20))
    lines = lines_of(r, "links", [("as printed", "as printed", *printed), ("ours", "ours", *ours)])
    panel(plot, (560, 680), (0, 14), ("links that moved", "kinematics and update over links that moved"), lines, (14, 20))
    plot.text(480, 745, "As printed: exact tests of primitives and nodes, neighbours in the direction of motion. Ours: nodes by boxes, descent, kept mates. Means over the three tasks.",
              10, "middle", "#666")
    plot.save(path)


def plot_rivals(r, path):
    plot = Plot(960, 420, "14 moving capsules among boxes, 20 mm margin: a cycle of each library in one run")
    for i, (table, title) in enumerate([("rivals median us", "median"), ("rivals p99 us", "p99 of processor time, best of five runs")]):
        best = lambda names: [(x, min(r.at(table, n, x) for n in names)) for x, _ in r.curve(table, "berth")]
        x, y = Axis(20, 20000, 80 + 480 * i, 450 + 480 * i, True), Axis(1, 1000, 340, 60, True)
        frame(plot, x, y, "boxes", "time, µs", title)
        curves(plot, x, y, [("FCL", best(FCL), COLOURS[1], None), ("Bullet (float)", best(BULLET), COLOURS[3], None),
                            ("berth", r.curve(table, "berth"), COLOURS[0], None)], (100 + 480 * i, 84))
    plot.text(480, 405, "Of FCL and Bullet the fastest way at each size. All answer: which pairs are nearer than 20 mm, and how near.", 10, "middle", "#666")
    plot.save(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, docs = sys.argv[1:]
    r = Results(rows_of(data, "monitor.csv") or [])
    tables = {}
    if r.has("size nodes", "as printed"):
        for name, make in [("size", table_size), ("shares", table_shares), ("gains", table_gains), ("updates", table_updates),
                           ("region", table_region)]:
            tables[name] = make(r)
        plot_paper(r, os.path.join(docs, "pictures", "monitor_paper.svg"))
    if r.has("rivals median us", "berth"):
        tables["rivals"] = table_rivals(r, "rivals", "30 of them where the arms pass within it")
        plot_rivals(r, os.path.join(docs, "pictures", "monitor_rivals.svg"))
    if r.has("sparse median us", "berth"):
        tables["sparse"] = table_rivals(r, "sparse", "none of them within it")
    splice(os.path.join(docs, "results", "paper000.md"), lambda name: "\n".join(tables[name]) if tables.get(name) else None)


if __name__ == "__main__":
    main()
