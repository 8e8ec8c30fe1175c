#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Reads berth's public headers and writes the module that describes them to cffi: `berth/_abi.py`.

The declarations are what a C preprocessor makes of `include/berth/`, so they cannot drift from the headers. The module is plain
Python; a user of it needs no compiler and, of cffi, only its backend.

usage: make_abi.py INCLUDE_DIR OUT.py        CC names the compiler (default: cc)
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Gathering headers, and what only comparisons need.
LEFT_OUT = {"berth.h", "io.h", "lab.h"}
MARKER = re.compile(r'^# \d+ "([^"]*)"')
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")


def public_headers(include: Path) -> list[str]:
    """Every public header of a room, as it is written in an include line."""
    folder = include / "berth"
    rooms = sorted(path.name for path in folder.glob("*.h") if path.name not in LEFT_OUT)
    files = sorted(f"io/{path.name}" for path in (folder / "io").glob("*.h"))
    return [f"berth/{name}" for name in rooms + files]


def version(include: Path) -> str:
    """The one that the headers are of."""
    text = (include / "berth/base.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define BERTH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def preprocess(include: Path) -> str:
    """The headers without comments and macros, other libraries' declarations included."""
    lines = "".join(f"#include <{name}>\n" for name in public_headers(include))
    command = [os.environ.get("CC", "cc"), "-E", "-std=c17", "-I", str(include), "-x", "c", "-"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"make_abi: {' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def declarations(include: Path) -> str:
    """What cffi reads: the declarations that stand in our own headers."""
    own, kept = str(include / "berth") + "/", []
    keeps = False
    for line in preprocess(include).splitlines():
        marker = MARKER.match(line)
        if marker:
            keeps = marker.group(1).startswith(own)
        elif keeps and line.strip():
            kept.append(line)
    return ATTRIBUTE.sub("", "\n".join(kept)) + "\n"


def write_module(include: Path, out: Path) -> None:
    """Writes the module, whole or not at all."""
    import cffi  # type: ignore[import]

    ffi = cffi.FFI()
    ffi.cdef(declarations(include))
    ffi.set_source("berth._abi", None)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        made = Path(folder) / "_abi.py"
        ffi.emit_python_code(str(made))
        with made.open("a", encoding="utf-8") as file:
            file.write(f'\nVERSION = "{version(include)}"\n')
        made.replace(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: make_abi.py INCLUDE_DIR OUT.py")
    write_module(Path(sys.argv[1]), Path(sys.argv[2]))
