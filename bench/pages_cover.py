#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Curves of covering spheres from what bench_cover wrote: docs/pictures/spheres_cover.svg. Of several runs the last one counts.
usage: pages_cover.py RESULTS_FOLDER DOCS_FOLDER      (standard library only)"""

import os
import sys

sys.dont_write_bytecode = True
from pages import COLOURS, Axis, Plot, frame, legend, rows_of, who_of

WAYS = ["berth", "octree", "grid", "k-means"]


def curves_of(rows):
    """{body: {way: {asked: (volume, protrusion)}}}, the last value of each."""
    out = {}
    for row in rows:
        if row["asked"] != "asked":  # the header again
            ways = out.setdefault(row["body"], {})
            ways.setdefault(row["way"], {})[int(row["asked"])] = (float(row["volume_over_solid"]), float(row["protrusion_mm"]))
    return out


def plot_curves(curves, who, path):
    bodies = sorted(curves)
    plot = Plot(60 + 250 * len(bodies), 560, "Covering spheres over their number, all proven")
    for k, body in enumerate(bodies):
        left = 60 + 250 * k
        counts = sorted({count for way in curves[body].values() for count in way})
        for panel, (label, top) in enumerate([("volume / solid", 60), ("protrusion, mm", 310)]):
            most = max(values[panel] for way in curves[body].values() for values in way.values())
            x = Axis(0, max(counts), left, left + 190)
            y = Axis(1 if panel == 0 else 0, most, top + 180, top + 10)
            frame(plot, x, y, "balls" if panel else "", label if k == 0 else "", body if panel == 0 else "")
            for n, way in enumerate(WAYS):
                points = sorted(curves[body].get(way, {}).items())
                plot.path([(x(count), y(values[panel])) for count, values in points], COLOURS[n], 2.0 if n == 0 else 1.2)
                for count, values in points:
                    plot.dot(x(count), y(values[panel]), 2.2, COLOURS[n])
    for n, way in enumerate(WAYS):
        legend(plot, 80 + 120 * n, 548, [way], [COLOURS[n]])
    plot.text(60 + 250 * len(bodies) - 20, 548, who, 9, "end", "#666")
    plot.save(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, docs = sys.argv[1:]
    rows = rows_of(data, "cover.csv")
    if rows:
        plot_curves(curves_of(rows), who_of(rows[-1]), os.path.join(docs, "pictures", "spheres_cover.svg"))


if __name__ == "__main__":
    main()
