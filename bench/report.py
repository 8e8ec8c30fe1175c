#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""One page to read and to mail about a run of a benchmark: the answer in words, plots, every number, how to get them again.
`./dev bench NAME --report` calls it.  usage: report.py COMMAND OUT.html ROWS.csv...   (standard library only)"""

import csv
import html
import math
import re
import sys
from datetime import date
from pathlib import Path

ORIGIN = ["machine", "compiler", "commit", "date"]
# The columns that say how many times as much is done a second as by somebody else, and by whom.
PEERS = {"static": ("ratio", "FCL"), "motion": ("ratio", "FCL"), "fast": ("ratio", "FCL"), "self": ("times_fcl", "FCL"),
         "plan_ompl": ("times_search", "OMPL with FCL"), "batch": ("ratio", "two processes")}
MEASURED = re.compile(r"(^|_)(us|ms|s|mm|p50|p99|median|cost|ratio|volume|clearance)(_|$)|per_s")
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9"]
ROWS_MOST, BARS_MOST, PLOTS_MOST = 1500, 40, 24

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em;color:#14202e;background:#fff}
.answer{font-size:1.4em;font-weight:600;margin:.3em 0}pre{font:14px/1.4 ui-monospace,monospace;background:#f0f2f5;padding:.6em;
border-radius:6px;white-space:pre-wrap}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86em}th{text-align:left;
position:sticky;top:0;background:inherit}td,th{border-bottom:1px solid #d6dbe2;padding:.2em .7em .2em 0;white-space:nowrap}
td.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;
fill:currentColor}.grid{stroke:#8a94a055}@media(prefers-color-scheme:dark){body{background:#12161c;color:#e6ebf2}pre{
background:#1d232c}td,th{border-color:#39424e}}"""


def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def short(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


class Table:
    """The rows under one header."""

    def __init__(self, name, columns):
        self.name, self.columns, self.rows = name, columns, []

    def numeric(self, column):
        values = [row[column] for row in self.rows if row[column] != ""]
        return bool(values) and all(number(value) is not None for value in values)

    def label(self, row):
        """What a row is about: its words, but those that are alike in all rows."""
        words = [column for column in self.columns if column not in ORIGIN and not self.numeric(column)]
        told = [column for column in words if len({row[column] for row in self.rows}) > 1]
        return ", ".join(row[column] for column in told if row[column]) or (row[words[0]] if words else "")


def read(path):
    """Tables of a file; a header in the middle begins another."""
    tables = []
    with open(path, newline="", encoding="utf-8") as file:
        for cells in csv.reader(file):
            if "commit" in cells and "machine" in cells:
                tables.append(Table(path.stem.removeprefix("bench-"), cells))
            elif tables and len(cells) in (len(columns := tables[-1].columns), len(columns) - (columns[-1] == "date")):
                tables[-1].rows.append(dict(zip(columns, cells + [""])))  # old rows have no date
    return [table for table in tables if table.rows]


# ---- in words -------------------------------------------------------------------------------------------------------


def words_of(table):
    """Sentences, the most important first."""
    out = []
    ratio, peer = PEERS.get(table.name, ("", ""))
    values = sorted(value for row in table.rows if (value := number(row.get(ratio, ""))) is not None)
    if values:
        slower = sum(value < 1 for value in values)
        out.append(f"{table.name}: {short(values[0])} to {short(values[-1])} times as many a second as {peer}, "
                   f"{short(values[len(values) // 2])} in the median of {len(values)} rows"
                   + (f"; {slower} of them slower." if slower else "."))
    verdicts = [cell for row in table.rows for cell in row.values() if cell.endswith(("PASS", "FAIL"))]
    if verdicts:
        failed = sum(cell.endswith("FAIL") for cell in verdicts)
        out.append(f"{table.name}: {len(verdicts) - failed} of {len(verdicts)} expectations hold.")
    refuted = [int(value) for row in table.rows if (value := number(row.get("free_refuted", ""))) is not None]
    if refuted:
        out.append(f"{table.name}: " + ("no FREE answer was refuted." if sum(refuted) == 0 else f"{sum(refuted)} FREE ANSWERS WERE REFUTED."))
    return out or [f"{table.name}: {len(table.rows)} rows; the last: {in_words(table, table.rows[-1])}."]


def in_words(table, row):
    """What a row says, its first numbers with their names."""
    told = [f"{column.replace('_', ' ')} {row[column]}" for column in table.columns
            if column not in ORIGIN and row[column] != "" and table.numeric(column)]
    return ", ".join([table.label(row), *told[:6]])


# ---- plots ----------------------------------------------------------------------------------------------------------


def text(x, y, words, anchor="start", colour="currentColor", weight=400):
    return (f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' style='fill:{colour};font-weight:{weight}'>"
            f"{html.escape(str(words))}</text>")


def bars(title, entries, unit=""):
    """Lengths on a scale of powers of ten where they differ by more than 30 times."""
    entries = [entry for entry in entries if entry[1] is not None and entry[1] > 0][:BARS_MOST]
    if not entries:
        return ""
    left, width, step = 360, 940, 20
    low, high = min(value for _, value in entries), max(value for _, value in entries)
    log = high > 30 * low

    def length(value):
        share = (math.log(value / low) + 0.3) / (math.log(high / low) + 0.3) if log else value / high
        return share * (width - left - 90)

    out = [f"<h3>{html.escape(title)}{' (logarithmic)' if log else ''}</h3>",
           f"<svg viewBox='0 0 {width} {step * len(entries) + 6}' role='img'>"]
    for i, (name, value) in enumerate(entries):
        name = name if len(name) <= 56 else name[:55] + "…"
        out.append(text(left - 8, step * i + 15, name, "end"))
        out.append(f"<rect x='{left}' y='{step * i + 3}' width='{length(value):.1f}' height='{step - 6}' fill='{COLOURS[0]}'/>")
        out.append(text(left + length(value) + 6, step * i + 15, short(value) + unit))
    return "\n".join(out + ["</svg>"])


def lines(title, series):
    """Curves over x, both on scales of powers of ten where they span more than 30 times."""
    points = [point for curve in series.values() for point in curve]
    if len(points) < 3 or len({x for x, _ in points}) < 2:
        return ""
    width, height, left, bottom = 940, 260, 70, 30

    def scale(values, start, end):
        low, high = min(values), max(values)
        if low > 0 and high > 30 * low:
            return lambda value: start + (end - start) * math.log(value / low) / math.log(high / low)
        low = min(low, 0) if low < 0.3 * high else low
        return lambda value: start + (end - start) * (value - low) / ((high - low) or 1)

    x_of, y_of = scale([x for x, _ in points], left, width - 20), scale([y for _, y in points], height - bottom, 16)
    out = [f"<h3>{html.escape(title)}</h3>", f"<svg viewBox='0 0 {width} {height + 18 * ((len(series) + 3) // 4)}' role='img'>"]
    for value in (min(y for _, y in points), max(y for _, y in points)):
        out.append(f"<line class='grid' x1='{left}' x2='{width - 20}' y1='{y_of(value):.1f}' y2='{y_of(value):.1f}'/>")
        out.append(text(left - 6, y_of(value) + 4, short(value), "end"))
    for value in (min(x for x, _ in points), max(x for x, _ in points)):
        out.append(text(x_of(value), height - 10, short(value), "middle"))
    for i, (name, curve) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        way = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in sorted(curve))
        dashes = f" stroke-dasharray='{3 + i // len(COLOURS) * 3} 3'" if i >= len(COLOURS) else ""
        out.append(f"<polyline fill='none' stroke='{colour}' stroke-width='2'{dashes} points='{way}'/>")
        out.append(text(left + 215 * (i % 4), height + 12 + 18 * (i // 4), name[:30], colour=colour, weight=600))
    return "\n".join(out + ["</svg>"])


def curves_of(table):
    """Of tables that are series of x and value: one plot a table."""
    plots = {}
    for row in table.rows:
        x, y = number(row["x"]), number(row["value"])
        if x is not None and y is not None:
            plots.setdefault(row.get("table", table.name), {}).setdefault(row.get("series", ""), []).append((x, y))
    return [lines(title, series) if any(len({x for x, _ in curve}) > 1 for curve in series.values())
            else bars(title, [(name, curve[-1][1]) for name, curve in series.items()])
            for title, series in list(plots.items())[:PLOTS_MOST]]


def telling(table):
    """Columns that differ from row to row, first those whose names say that they are measured."""
    columns = []
    for column in table.columns:
        values = [number(row[column]) for row in table.rows if row[column] != ""]
        if column not in ORIGIN and table.numeric(column) and max(values) - min(values) > 0.02 * abs(max(values)):
            columns.append(column)
    return sorted(columns, key=lambda column: MEASURED.search(column) is None)[:3]


def plots_of(table):
    if {"x", "value"} <= set(table.columns):
        return curves_of(table)
    ratio = PEERS.get(table.name, ("", ""))[0]
    columns = [ratio] if ratio in table.columns else telling(table)
    return [bars(f"{table.name}: {column}", [(table.label(row), number(row[column])) for row in table.rows],
                 " times" if column == ratio else "") for column in columns]


# ---- the page -------------------------------------------------------------------------------------------------------


def numbers_of(table):
    columns = [column for column in table.columns if column not in ORIGIN]
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td{' class=n' if number(row[column]) is not None else ''}>{html.escape(row[column])}</td>"
                                    for column in columns) + "</tr>\n" for row in table.rows[:ROWS_MOST])
    more = f"<p>The first {ROWS_MOST} of {len(table.rows)} rows.</p>" if len(table.rows) > ROWS_MOST else ""
    return f"<h3>{html.escape(table.name)}</h3><div class='wide'><table><tr>{head}</tr>\n{body}</table></div>{more}"


def page(command, tables):
    last = tables[-1].rows[-1]
    told = [sentence for table in tables for sentence in words_of(table)]
    out = ["<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>",
           "<meta name='viewport' content='width=device-width, initial-scale=1'>",
           f"<title>{html.escape(command)}</title>\n<style>{STYLE}</style></head><body>", f"<p>{html.escape(command)} · {date.today()}</p>",
           f"<p class='answer'>{html.escape(told[0])}</p>", *(f"<p>{html.escape(sentence)}</p>" for sentence in told[1:])]
    out += [plot for table in tables for plot in plots_of(table) if plot]
    out += ["<h2>Numbers</h2>", *(numbers_of(table) for table in tables)]
    origin = "\n".join(f"{key}: {last[key]}" for key in ORIGIN if last.get(key))
    out.append(f"<h2>How to get this again</h2><pre>{html.escape(command)}\n\n{html.escape(origin)}</pre>")
    out.append("<p>Times are of this machine as busy as it was; ratios are of two programs in one run.</p></body></html>\n")
    return "\n".join(out)


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    command, out, *files = arguments
    tables = [table for file in files for table in read(Path(file))]
    if not tables:
        sys.exit("report.py: there are no rows")
    Path(out).write_text(page(command, tables), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
