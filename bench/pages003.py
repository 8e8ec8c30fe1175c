#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Tables of paper 003 from what bench_contact wrote, into docs/results/paper003.md between the markers there. Of several runs in
the results the last one counts.  usage: pages003.py RESULTS_FOLDER DOCS_FOLDER      (standard library only)"""

import os
import sys

sys.dont_write_bytecode = True
from pages import rows_of, who_of, splice

PAIRS = ["(b)-(e)", "(d)-(e)", "(b)-(a)", "(b)-(d)", "(b)-(c)", "(d)-(c)", "(c)-(c)"]
METHODS = ["printed", "manifold", "elemental"]
COLUMNS = ["cold", "moving", "warm"]
ASKED = [("berth", "berth, manifold"), ("overlap", "berth, overlap"), ("Bullet", "Bullet"), ("MuJoCo", "MuJoCo")]


class Results:
    """The last value of every row, and who measured it."""

    def __init__(self, rows):
        self.rows, self.who = {}, ""
        for row in rows:
            if row["us"] == "us":
                continue
            self.rows[(row["what"], row["objects"], row["vertices"], row["levels"], row["method"])] = row
            self.who = f"({who_of(row)})"

    def find(self, what, objects=None, levels=None, method=None, vertices=None):
        for (w, o, v, l, m), row in self.rows.items():
            if (w == what and objects in (None, o) and levels in (None, l) and method in (None, m)
                    and vertices in (None, v)):
                return row
        return None

    def number(self, column, *args, **kwargs):
        row = self.find(*args, **kwargs)
        return float(row[column]) if row else float("nan")


def table_pairs(r):
    out = [r.who, "", "Table 1 and Figure 4: us a question (in brackets the paper's ms of 1996); best level marked *", ""]
    out.append(f"{'objects':9}{'method':10}" + "".join(f"{'L = ' + str(level):>17}" for level in range(5)) + f"{'chosen':>9}")
    for name in PAIRS + ["mean"]:
        what = "figure4" if name == "mean" else "table1"
        for method in METHODS:
            values = [r.number("us", what, name, str(level), method) for level in range(5)]
            papers = [r.number("paper_ms", what, name, str(level), method) for level in range(5)]
            line = f"{name if method == 'printed' else '':9}{method:10}"
            for value, paper in zip(values, papers):
                mark = "*" if value == min(values) else " "
                told = f"({paper:.4g})" if method == "printed" else ""
                line += f"{value:8.2f}{mark}{told:8}"
            auto = r.number("us", what, name, "-1", method)
            out.append((line + (f"{auto:9.2f}" if method != "printed" else "")).rstrip())
    lost = sum(float(row["contacts"]) for (what, *_), row in r.rows.items() if what == "table1lost")
    out += ["", f"places where the printed search finds no contact: {lost:.0f} of {5 * 60 * len(PAIRS)}"]
    return out


def table_vertices(r):
    sizes = [16, 24, 32, 40, 56, 80, 112, 160, 224]
    out = [r.who, "", "Figure 5: two prisms, us a question over the vertices of both; best level marked *", ""]
    for method in METHODS[:2]:
        out.append(f"{method:10}" + "".join(f"{size:>9}" for size in sizes))
        columns = {level: [r.number("us", "figure5", "prisms", str(level), method, str(size)) for size in sizes]
                   for level in range(6)}
        for level, values in columns.items():
            best = [min(columns[k][i] for k in columns) for i in range(len(sizes))]
            out.append(f"L = {level:<6}" + "".join(f"{v:8.2f}{'*' if v == b else ' '}" for v, b in zip(values, best)).rstrip())
        if method != "printed":
            values = [r.number("us", "figure5", "prisms", "-1", method, str(size)) for size in sizes]
            out.append(f"{'chosen':10}" + "".join(f"{v:8.2f} " for v in values).rstrip())
        for way in ("best", "auto"):
            fit = r.find("figure5fit", way, method=method)
            if fit:
                out.append(f"  {'best level' if way == 'best' else 'chosen'}: {float(fit['contacts']):.2f} us + "
                           f"{float(fit['us']):.3f} us a vertex, off by at most {100 * float(fit['nodes']):.0f} % of the largest")
        out.append("")
    return out


def table_six(r):
    out = [r.who, "", "one thread, us a cycle", "",
           f"{'scene':17}{'method':11}{'pairs':>6}{'contacts':>9}{'cycles/s':>10}{'mean':>8}{'median':>8}{'99 %':>8}{'99.9 %':>8}"]
    for scene, method, pairs in [("six", "printed", 5), ("six", "manifold", 15), ("six", "elemental", 15), ("six", "overlap", 15),
                                 ("two parts of 64", "overlap", 1)]:
        row, more = r.find("rate", scene, method=method), r.find("rate99", scene, method=method)
        if row and more:
            mean = float(row["us"])
            out.append(f"{scene:17}{method:11}{pairs:6}{float(row['contacts']):9.1f}{1e6 / mean:10,.0f}{mean:8.2f}"
                       f"{float(row['nodes']):8.2f}{float(more['us']):8.2f}{float(row['edges']):8.2f}")
    return out


def table_columns(r):
    out = [r.who, "", "us a question: median (99 %)", "",
           f"{'objects':9}{'who':18}" + "".join(f"{column:>20}" for column in COLUMNS)]
    for name in PAIRS[2:]:
        for k, (key, told) in enumerate(ASKED):
            line = f"{name if k == 0 else '':9}{told:18}"
            for column in COLUMNS:
                row = r.find("columns", name, method=f"{key} {column}")
                line += f"{float(row['us']):11.2f} ({float(row['nodes']):6.2f})" if row else f"{'-':>20}"
            out.append(line)
    return out


def main():
    results, docs = sys.argv[1], sys.argv[2]
    rows = rows_of(results, "contact.csv")
    if not rows:
        return
    r = Results(rows)
    tables = {"pairs": table_pairs, "vertices": table_vertices, "six": table_six, "columns": table_columns}
    splice(os.path.join(docs, "results", "paper003.md"), lambda name: "\n".join(tables[name](r)) if name in tables else None)


main()
