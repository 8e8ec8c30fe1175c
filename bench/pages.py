#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Plots and pages from what bench_paper001 wrote: SVG into docs/pictures/, and its printed tables into
docs/results/paper001.md and docs/results/planners.md between the markers there. pages002.py draws with what is here.
usage: pages.py DATA_FOLDER DOCS_FOLDER      (standard library only)"""

import csv
import math
import os
import re
import sys

INK, GRID, FONT = "#333", "#ddd", "font-family='Helvetica, Arial, sans-serif'"
COLOURS = ["#1b6ca8", "#d1603d", "#3a8f4d", "#8a5aa8", "#777"]


class Plot:
    """One SVG with panels; every panel maps data to pixels by itself."""

    def __init__(self, width, height, title):
        self.width, self.height, self.out = width, height, []
        self.text(width / 2, 22, title, 15, "middle", weight="bold")

    def add(self, text):
        self.out.append(text)

    def text(self, x, y, words, size=11, anchor="start", colour=INK, weight="normal", turn=None):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        place = f" transform='rotate({turn} {x:.1f} {y:.1f})'" if turn is not None else ""
        self.add(f"<text x='{x:.1f}' y='{y:.1f}' {FONT} font-size='{size}' font-weight='{weight}' fill='{colour}' "
                 f"text-anchor='{anchor}'{place}>{words}</text>")

    def line(self, x1, y1, x2, y2, colour=INK, width=1.0, dash=None):
        dashes = f" stroke-dasharray='{dash}'" if dash else ""
        self.add(f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' "
                 f"stroke-width='{width}'{dashes}/>")

    def path(self, points, colour, width=1.5, dash=None, fill="none", opacity=1.0):
        dashes = f" stroke-dasharray='{dash}'" if dash else ""
        way = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
        self.add(f"<path d='{way}' fill='{fill}' stroke='{colour}' stroke-width='{width}' opacity='{opacity}'"
                 f" stroke-linejoin='round'{dashes}/>")

    def dot(self, x, y, r, colour, opacity=1.0):
        self.add(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='{r}' fill='{colour}' fill-opacity='{opacity}'/>")

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' "
                       f"width='{self.width}' height='{self.height}'>\n<rect width='100%' height='100%' fill='white'/>\n")
            file.write("\n".join(self.out))
            file.write("\n</svg>\n")
        print(f"wrote {path}")


class Axis:
    """Data to pixels along one direction."""

    def __init__(self, low, high, start, end, log=False):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def __call__(self, value):
        if self.log:
            share = (math.log(max(value, self.low)) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self):
        if self.log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            return [10.0**k for k in range(first, last + 1)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        while (self.high - self.low) / step > 7:
            step *= 2.5 if str(step).strip("0.").startswith("2") else 2
        first = math.ceil(self.low / step - 1e-9)
        return [k * step for k in range(first, int(math.floor(self.high / step + 1e-9)) + 1)]


def frame(plot, x, y, x_label, y_label, title=""):
    for tick in x.ticks():
        plot.line(x(tick), y.start, x(tick), y.end, GRID)
        plot.text(x(tick), y.start + 15, f"{tick:g}", anchor="middle")
    for tick in y.ticks():
        plot.line(x.start, y(tick), x.end, y(tick), GRID)
        plot.text(x.start - 6, y(tick) + 4, f"{tick:g}", anchor="end")
    plot.line(x.start, y.start, x.end, y.start)
    plot.line(x.start, y.start, x.start, y.end)
    plot.text((x.start + x.end) / 2, y.start + 33, x_label, 12, "middle")
    plot.text(x.start - 42, (y.start + y.end) / 2, y_label, 12, "middle", turn=-90)
    if title:
        plot.text((x.start + x.end) / 2, y.end - 8, title, 12, "middle", weight="bold")


def legend(plot, x, y, names, colours, dashes=None):
    for i, name in enumerate(names):
        plot.line(x, y + 16 * i - 4, x + 22, y + 16 * i - 4, colours[i], 2.5, dashes[i] if dashes else None)
        plot.text(x + 28, y + 16 * i, name)


def rows_of(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    rows, header = [], None
    with open(path, newline="", encoding="utf-8") as file:
        for cells in csv.reader(file):
            if "machine" in cells and "commit" in cells:
                header = cells  # from here on; old rows have no date
            elif header is not None and len(cells) in (len(header), len(header) - (header[-1] == "date")):
                rows.append(dict(zip(header, cells)))
    return rows


def who_of(row):
    """Where a row is from, as pages say it."""
    return "; ".join(part for part in (f"commit {row['commit']}", row.get("date"), row["machine"], row["compiler"]) if part)


def medians(points, edges):
    """Median of y in each class of x, at the class's geometric middle; classes of at least five."""
    out = []
    for low, high in zip(edges, edges[1:]):
        ys = sorted(y for x, y in points if low <= x < high)
        if len(ys) >= 5:
            out.append((math.sqrt(low * high), ys[len(ys) // 2]))
    return out


def log_edges(low, high, count):
    return [low * (high / low) ** (i / count) for i in range(count + 1)]


def plot_growth(rows, path, stretch=()):
    points = [(float(r["length"]), max(float(r["gap"]), 1e-3), float(r["us"]), float(r["fixed_us"])) for r in rows]
    plot = Plot(1400 if stretch else 940, 440, "Time to check a free segment (Panda, bookshelf_small)")
    top = 10 ** math.ceil(math.log10(max(max(p[2], p[3]) for p in points)))
    y1, y2 = (Axis(5, top, 380, 60, True) for _ in range(2))
    x1, x2 = Axis(0.05, 5, 70, 450, True), Axis(0.001, 1, 540, 920, True)
    frame(plot, x1, y1, "length of the segment, rad (Euclidean, 7 joints)", "time, µs", "over length, by how near it passes")
    frame(plot, x2, y2, "nearest gap to an obstacle on the segment, m", "time, µs", "over difficulty, by length")
    gaps = [(0, 0.01, "gap < 10 mm"), (0.01, 0.03, "10 - 30 mm"), (0.03, 0.1, "30 - 100 mm"), (0.1, 9, "gap > 100 mm")]
    lengths = [(1.6, 6, "1.6 - 5 rad"), (0.5, 1.6, "0.5 - 1.6 rad"), (0.16, 0.5, "0.16 - 0.5 rad"), (0, 0.16, "under 0.16 rad")]
    shades = ["#7f1d1d", "#d1603d", "#e0a33e", "#3a8f4d"]
    for length, gap, us, _ in points:
        k = next(i for i, (low, high, _) in enumerate(gaps) if low <= gap < high)
        plot.dot(x1(length), y1(us), 1.6, shades[k], 0.25)
    for k, (low, high, _) in enumerate(gaps):
        chosen = [(p[0], p[2]) for p in points if low <= p[1] < high]
        plot.path([(x1(x), y1(y)) for x, y in medians(chosen, log_edges(0.05, 5, 8))], shades[k], 2.5)
    plot.path([(x1(x), y1(y)) for x, y in medians([(p[0], p[3]) for p in points], log_edges(0.05, 5, 8))], "#555", 2, "6 4")
    legend(plot, 84, 82, [g[2] for g in gaps] + ["sampled at 0.01 rad, all"], shades + ["#555"], [None] * 4 + ["6 4"])
    blues = ["#16324f", "#1b6ca8", "#6fa8d6", "#9a8fbf"]
    for length, gap, us, _ in points:
        k = next(i for i, (low, high, _) in enumerate(lengths) if low <= length < high)
        plot.dot(x2(gap), y2(us), 1.6, blues[k], 0.25)
    for k, (low, high, _) in enumerate(lengths):
        chosen = [(p[1], p[2]) for p in points if low <= p[0] < high]
        plot.path([(x2(x), y2(y)) for x, y in medians(chosen, log_edges(0.001, 1, 9))], blues[k], 2.5)
    legend(plot, 780, 82, [g[2] for g in lengths], blues)
    if stretch:
        x3, y3 = Axis(0.05, 5, 1010, 1380, True), Axis(5, top, 380, 60, True)
        frame(plot, x3, y3, "length, rad: pieces around the same nearest point", "time, µs", "the same difficulty, longer and longer")
        for k, (key, colour, dash) in enumerate([("us", COLOURS[1], None), ("fixed_us", "#555", "6 4")]):
            line = [(x3(float(r["length"])), y3(float(r[key]))) for r in stretch]
            plot.path(line, colour, 2.5, dash)
            for point in line:
                plot.dot(*point, 3, colour)
        legend(plot, 1024, 82, ["certified", "sampled at 0.01 rad"], [COLOURS[1], "#555"], [None, "6 4"])
    plot.text(plot.width / 2, 432, "Lines are medians. Certified: the default method, one thread, from joint values to proof. "
              f"{len(points)} random free segments, as many of each class of gap as were found.", 10, "middle", "#666")
    plot.save(path)


def plot_lambda(rows, path):
    figures = [("11a", "6 joints, gripper (paper 9a)", 8), ("11b", "6 joints, welding gun (paper 9b)", 8),
               ("1a", "20 joints (paper 9c)", 20), ("11a", "6 joints, with pairs of links (paper 9d)", 8)]
    series = ["paper's R; random point", "paper's R", "ours", "ours on 1/16"]
    names = ["paper's R, a random point of the link (as in the paper)", "paper's R, the longest curve of the link",
             "ours, the longest curve", "ours on a sixteenth of the segment"]
    plot = Plot(1270, 400, "How loose the motion bound is: lambda over length of curve, random segments")
    for i, (figure, title, most) in enumerate(figures):
        x = Axis(1, most, 62 + 310 * i, 310 + 310 * i)
        mine = [r for r in rows if r["figure"] == figure]
        if i == 3:  # the paper's bound only, links in the world and between each other
            mine = [dict(r, series=series[0]) for r in mine if r["series"] == "... and between links"]
        group = 1 if most < 10 else 2
        bins = {}
        for name in series:
            shares = [(float(r["ratio"]), float(r["percent"])) for r in mine if r["series"] == name]
            bins[name] = [(shares[k][0], sum(s[1] for s in shares[k:k + group])) for k in range(0, len(shares), group)]
        top = max(p for name in series for _, p in bins[name] or [(0, 0)])
        y = Axis(0, 5 * math.ceil(top / 5), 290, 60)
        frame(plot, x, y, "lambda / length", "% of links and segments" if i == 0 else "", title)
        width = 0.25 * group
        for k, name in enumerate(series):
            steps = []
            for low, percent in bins[name]:
                if low < most:
                    steps += [(x(low), y(percent)), (x(min(low + width, most)), y(percent))]
            plot.path(steps, [COLOURS[4], COLOURS[0], COLOURS[1], COLOURS[2]][k], 1.8, "4 3" if k == 0 else None)
    for k, name in enumerate(names):
        place = (80 + 430 * (k % 2), 352 + 18 * (k // 2))
        legend(plot, place[0], place[1], [name], [[COLOURS[4], COLOURS[0], COLOURS[1], COLOURS[2]][k]], ["4 3" if k == 0 else None])
    plot.text(635, 394, "1 would be a bound that is met exactly. Curves are measured as polylines of 64 steps.", 10, "middle", "#666")
    plot.save(path)


def plot_trace(rows, path):
    curve = [r for r in rows if r["what"] == "curve"]
    pick = lambda what: [r for r in rows if r["what"] == what]
    # Seen from above and in front; one scale for both directions.
    flat = lambda r: (0.87 * (float(r["y"]) - float(r["x"])), float(r["z"]) - 0.4 * (float(r["x"]) + float(r["y"])))
    xs, ys = [flat(r)[0] for r in curve], [flat(r)[1] for r in curve]
    scale = min(380 / (max(xs) - min(xs) + 1e-9), 320 / (max(ys) - min(ys) + 1e-9))
    place = lambda r: (250 + (flat(r)[0] - (max(xs) + min(xs)) / 2) * scale, 230 - (flat(r)[1] - (max(ys) + min(ys)) / 2) * scale)
    plot = Plot(960, 470, "One segment of the robot of Figure 11b: the way of the gun's tip, and what is looked at")
    plot.path([place(r) for r in curve], "#bbb", 1.2)
    for r in pick("fixed"):
        plot.dot(*place(r), 1.6, COLOURS[4])
    for r in pick("second-order"):
        plot.dot(*place(r), 4.0, COLOURS[1], 0.85)
    plot.dot(64, 460, 1.6, COLOURS[4])
    plot.text(76, 464, "sampled at 0.006 turns")
    plot.dot(64, 480, 4.0, COLOURS[1], 0.85)
    plot.text(76, 484, "middles of the intervals that second-order proves")
    length = scale
    plot.line(60, 425, 60 + length, 425, INK, 1.5)
    plot.text(60 + length / 2, 441, "1 m", anchor="middle")
    plot.text(250, 52, "the tip's way in space (from above and in front)", 12, "middle", weight="bold")
    x, top = Axis(0, 1, 560, 930), max(float(r["gap"]) for r in curve)
    y = Axis(0, top * 1.05, 250, 70)
    frame(plot, x, y, "", "nearest gap, m", "clearance on the way")
    plot.path([(x(float(r["t"])), y(float(r["gap"]))) for r in curve], INK, 1.5)
    rows_below = [("fixed", f"sampled: {len(pick('fixed'))} configurations, no proof", COLOURS[4]),
                  ("adaptive", f"adaptive: {len(pick('adaptive'))} intervals, proven", COLOURS[0]),
                  ("second-order", f"second-order: {len(pick('second-order'))} intervals, proven", COLOURS[1])]
    base = 310
    for what, name, colour in rows_below:
        plot.text(560, base - 6, name, 11, colour=colour, weight="bold")
        if what == "fixed":
            for r in pick(what):
                plot.line(x(float(r["t"])), base, x(float(r["t"])), base + 12, colour, 0.8)
            base += 40
            continue
        levels = [round(-math.log2(2 * float(r["half"]))) for r in pick(what)]
        for r, level in zip(pick(what), levels):
            left, right = x(float(r["t"]) - float(r["half"])), x(float(r["t"]) + float(r["half"]))
            plot.add(f"<rect x='{left:.2f}' y='{base + 7 * (level - min(levels)):.1f}' "
                     f"width='{max(right - left - 0.6, 0.5):.2f}' height='6' fill='{colour}'/>")
        base += 7 * (max(levels) - min(levels) + 1) + 28
    plot.text(745, base, "t along the segment; a row below: half as long, for pairs still open", 10,
              "middle", "#666")
    plot.height = max(plot.height, base + 14)
    plot.save(path)


def splice(page, text_of):
    """What text_of(NAME) gives, unless None, into the page: <!-- printed: NAME --> ... <!-- end -->."""
    if not os.path.exists(page):
        return
    with open(page, encoding="utf-8") as file:
        text = file.read()

    def put(match):
        printed = text_of(match.group(1))
        if printed is None:
            return match.group(0)
        return f"<!-- printed: {match.group(1)} -->\n```\n{printed.strip()}\n```\n<!-- end -->"

    made = re.sub(r"<!-- printed: (\w+) -->.*?<!-- end -->", put, text, flags=re.S)
    if made != text:
        with open(page, "w", encoding="utf-8") as file:
            file.write(made)
        print(f"wrote {page}")


def printed_in(folder, name):
    path = os.path.join(folder, name + ".txt")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    data, docs = sys.argv[1:]
    for name, draw, target in [("growth.csv", plot_growth, "motion_time.svg"), ("lambda.csv", plot_lambda, "motion_lambda.svg"),
                               ("trace.csv", plot_trace, "motion_trace.svg")]:
        rows = rows_of(data, name)
        if rows:
            more = [rows_of(data, "stretch.csv") or []] if draw is plot_growth else []
            draw(rows, os.path.join(docs, "pictures", target), *more)
    for page in ("paper001.md", "planners.md"):
        splice(os.path.join(docs, "results", page), lambda name: printed_in(data, name))


if __name__ == "__main__":
    main()
