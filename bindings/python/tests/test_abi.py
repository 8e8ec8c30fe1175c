# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""What cffi takes C's structs to be is what a C compiler makes of them; every function that is declared is there."""

import re
import subprocess

import berth
from berth._abi import ffi
from berth._library import lib
from conftest import ROOT

import make_abi  # bindings/python is on the path


def fields_of(ctype, prefix=""):
    """(path, offset) of every field, through structs and unions inside."""
    for name, field in ctype.fields:
        yield prefix + name, field.offset
        if field.type.kind in ("struct", "union") and field.type.cname.startswith(("struct $", "union $", "union ", "struct Berth")):
            for path, offset in fields_of(field.type, f"{prefix}{name}."):
                yield path, field.offset + offset


def declared_structs():
    """Every struct with fields, by its typedef."""
    typedefs, _, _ = ffi.list_types()
    for name in typedefs:
        if name.startswith("Berth") and name != "BerthNextPiece":  # a type of functions
            ctype = ffi.typeof(name)
            if ctype.kind == "struct" and ctype.fields:
                yield name, ctype


def test_structs_are_as_a_compiler_lays_them_out(tmp_path):
    lines, mine = [], []
    for name, ctype in declared_structs():
        lines.append(f'    printf("%zu\\n", sizeof({name}));')
        mine.append((name, ffi.sizeof(ctype)))
        for path, offset in fields_of(ctype):
            lines.append(f'    printf("%zu\\n", offsetof({name}, {path}));')
            mine.append((f"{name}.{path}", offset))
    assert len(mine) > 600  # some 80 structs

    headers = "".join(f"#include <{name}>\n" for name in make_abi.public_headers(ROOT / "include"))
    source = tmp_path / "layout.c"
    source.write_text(f"{headers}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run(["cc", "-std=c17", "-I", ROOT / "include", source, "-o", tmp_path / "layout"], check=True)
    theirs = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout.split()
    assert [(what, int(number)) for (what, _), number in zip(mine, theirs)] == mine


def test_the_comparison_can_fail():
    other = ffi.typeof("BerthSegment")
    assert dict(fields_of(other))["timed"] != dict(fields_of(other))["start"]
    assert any("." in path for path, _ in fields_of(ffi.typeof("BerthShape")))


def test_enums_are_as_the_headers_say():
    assert berth.Status.PARSE == lib.BERTH_ERR_PARSE
    text = (ROOT / "include/berth/base.h").read_text()
    statuses = {name: int(value) for name, value in re.findall(r"X\(BERTH_(?:ERR_)?(\w+), (-?\d+),", text)}
    assert {status.name: status.value for status in berth.Status} == statuses
    assert (berth.UNKNOWN, berth.FREE, berth.COLLISION) == (lib.BERTH_UNKNOWN, lib.BERTH_FREE, lib.BERTH_COLLISION)


def test_names_in_tables_are_those_of_the_library():
    from berth import _answers, robot

    for i, name in enumerate(_answers.VERDICTS):
        assert ffi.string(lib.berth_verdict_name(i)).decode() == name
    for i, name in enumerate(_answers.REASONS):
        assert ffi.string(lib.berth_reason_name(i)).decode() == (name or "")
    joints = [name for name in make_abi.declarations(ROOT / "include").split() if name.startswith("BERTH_JOINT_")]
    assert [name.strip(",").removeprefix("BERTH_JOINT_").lower() for name in dict.fromkeys(joints)][: len(robot.JOINT_TYPES)] == list(
        robot.JOINT_TYPES)
    rules = re.findall(r"BERTH_PAIR_(\w+)", make_abi.declarations(ROOT / "include"))
    assert [rule.lower() for rule in dict.fromkeys(rules)] == list(robot.PAIR_RULES)


def test_every_declared_function_is_in_the_library():
    names = re.findall(r"\b(berth_\w+)\s*\(", make_abi.declarations(ROOT / "include"))
    assert len(set(names)) > 200
    for name in set(names):
        try:
            getattr(lib, name)
        except NotImplementedError:
            pass  # a union by value: cffi cannot call these few without a compiler, and nobody here does
