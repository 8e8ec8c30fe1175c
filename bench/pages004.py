#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plots of paper 004 from what bench_maps wrote, and its printed tables, into docs/pictures/ and docs/results/. Of several runs the last one counts.
usage: pages004.py RESULTS_FOLDER PRINTED_FILE DOCS_FOLDER      (standard library only)"""

import os
import sys

sys.dont_write_bytecode = True
from pages import COLOURS, Axis, Plot, frame, rows_of, who_of, splice

WAYS = [("octree", "octree, as the thesis"), ("octree pruned", "octree, pruned"), ("odm", "ODM"), ("eodm", "EODM"), ("dm", "DM")]


def cells_of(rows):
    out = {}
    for row in rows:
        if row["value"] == "value":
            continue
        out[(row["table"], row["environment"], row["what"])] = row
    return out


def memory_of(cells, env, way):
    return cells.get(("memory", env, "octree" if way == "octree pruned" else way))


def plot_trade(cells, env, title, path):
    """Memory against time, ours and the thesis' (Figures 4.2 and 4.4)."""
    plot = Plot(760, 440, title)
    points = []
    for k, (way, name) in enumerate(WAYS):
        memory, time = memory_of(cells, env, way), cells.get(("query", env, way))
        if memory and time:
            points.append((float(memory["value"]), float(time["value"]), COLOURS[k], name, True))
            if memory["thesis"] and time["thesis"]:
                points.append((float(memory["thesis"]), float(time["thesis"]), COLOURS[k], name + ", thesis", False))
    x = Axis(min(p[0] for p in points) / 4, max(p[0] for p in points) * 30, 80, 730, True)
    y = Axis(min(p[1] for p in points) / 4, max(p[1] for p in points) * 4, 380, 60, True)
    frame(plot, x, y, "memory, bytes", "time a ball, µs")
    for memory, time, colour, name, ours in points:
        plot.dot(x(memory), y(time), 6 if ours else 4, colour, 1.0 if ours else 0.5)
        plot.text(x(memory) + 9, y(time) + 4, name, colour=colour)
    plot.save(path)


def plot_places(cells, path):
    """Figure 4.3: a dot a place and a way."""
    plot = Plot(760, 440, "Time of single places, chessboard of 256 x 256 x 256")
    ways = [("octree", "octree, as the thesis"), ("odm", "ODM"), ("eodm", "EODM"), ("dm", "DM")]
    times = {way: [] for way, _ in ways}
    while ("places", str(len(times["dm"])), "dm") in cells:
        place = str(len(times["dm"]))
        for way, _ in ways:
            times[way].append(float(cells[("places", place, way)]["value"]))
    every = [v for list_of in times.values() for v in list_of]
    x, y = Axis(0, len(times["dm"]), 80, 590), Axis(min(every) / 2, max(every) * 2, 380, 60, True)
    frame(plot, x, y, "place", "time a ball, µs")
    for k, (way, name) in enumerate(ways):
        for i, value in enumerate(times[way]):
            plot.dot(x(i + 0.5), y(value), 2.5, COLOURS[k])
        plot.text(600, y(sorted(times[way])[len(times[way]) // 2]) + 4, name, colour=COLOURS[k])
    plot.save(path)


def plot_growth(cells, path):
    plot = Plot(620, 420, "Memory over the size of the map")
    sizes = [64, 128, 256, 512]
    lines = [(what, [(s, float(cells[("growth", str(s), what)]["value"])) for s in sizes]) for what in ("octree", "eodm", "dm")]
    every = [v for _, points in lines for _, v in points]
    x, y = Axis(50, 700, 80, 560, True), Axis(min(every) / 2, max(every) * 2, 360, 50, True)
    frame(plot, x, y, "cells a side", "bytes")
    for k, (name, points) in enumerate(lines):
        plot.path([(x(a), y(b)) for a, b in points], COLOURS[k], 2.5)
        plot.text(x(points[-1][0]) + 6, y(points[-1][1]) + 4, name, colour=COLOURS[k])
    for s in sizes:
        plot.text(x(s), 360 + 15, str(s), anchor="middle")
    plot.save(path)


def main():
    results, printed, docs = sys.argv[1:4]
    rows = rows_of(results, "maps.csv")
    cells = cells_of(rows)
    with open(printed, encoding="utf-8") as file:
        text = file.read()
    parts = {"tables": "", "growth": "", "rivals": "", "updates": "", "sensed": "", "noise": "", "sound": ""}
    part = "tables"
    for line in text.split("\n"):
        for word, name in (("Growth", "growth"), ("Peers", "rivals"), ("Memory and updates", "updates"), ("Sensed", "sensed"), ("Noise", "noise"), ("Sound", "sound")):
            part = name if line.startswith(word) else part
        parts[part] += line + "\n"
    who = rows[-1]  # of the run that printed it
    head = f"({who_of(who)})\n"
    splice(os.path.join(docs, "results", "paper004.md"), lambda name: head + "\n" + parts[name].strip("\n") if parts.get(name, "").strip() else None)
    if ("query", "3D 5", "eodm") in cells:
        plot_trade(cells, "2D 5", "Memory and time, chessboard of 256 x 256", os.path.join(docs, "pictures", "maps_trade_2d.svg"))
        plot_trade(cells, "3D 5", "Memory and time, chessboard of 256 x 256 x 256", os.path.join(docs, "pictures", "maps_trade_3d.svg"))
    if ("places", "0", "eodm") in cells:
        plot_places(cells, os.path.join(docs, "pictures", "maps_places.svg"))
    if ("growth", "512", "eodm") in cells:
        plot_growth(cells, os.path.join(docs, "pictures", "maps_growth.svg"))


main()
