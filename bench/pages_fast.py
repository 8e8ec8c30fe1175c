#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The fast engine's time over the number of obstacles, from the last run of `./dev bench fast growth`, as docs/pictures/lanes_growth.svg.
usage: pages_fast.py RESULTS_FOLDER DOCS_FOLDER      (standard library only)"""

import os
import sys

sys.dont_write_bytecode = True
from pages import COLOURS, Axis, Plot, frame, rows_of

SIZES = [10, 100, 1000, 10000]


def main():
    results, docs = sys.argv[1:3]
    last = {}
    for row in rows_of(results, "fast_growth.csv"):
        if row["boxes"] in map(str, SIZES):
            last[int(row["boxes"])] = row
    if set(last) != set(SIZES):
        sys.exit(f"{results}/fast_growth.csv: rows of {', '.join(map(str, SIZES))} boxes are expected; there are: {sorted(last)}")
    commits = {row["commit"] for row in last.values()}
    if len(commits) != 1:
        sys.exit(f"{results}/fast_growth.csv: the last rows are of several commits: {', '.join(sorted(commits))}")

    times = [(size, float(last[size]["ns a state"])) for size in SIZES]
    plot = Plot(620, 420, f"A state among boxes at equal density (commit {commits.pop()})")
    x, y = Axis(7, 15000, 80, 560, True), Axis(0, max(t for _, t in times) * 1.25, 360, 50)
    frame(plot, x, y, "boxes", "time a state, ns")
    plot.path([(x(size), y(time)) for size, time in times], COLOURS[0], 2.5)
    for size, time in times:
        plot.dot(x(size), y(time), 3.5, COLOURS[0])
        plot.text(x(size), y(time) - 10, f"{time:.0f}", anchor="middle")
    plot.save(os.path.join(docs, "pictures", "lanes_growth.svg"))


main()
