#!/usr/bin/python3
# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Makes the Python package out of this folder and a build of the C library: a folder to import from, and a wheel.

Nothing is downloaded and nothing compiled: the package is Python, the library lies beside its modules. The same bytes come out for
the same input. pip calls build_wheel (pyproject.toml); ./dev calls the program.

usage: make_wheel.py BUILD_DIR       makes BUILD_DIR/python/berth/ and BUILD_DIR/python/berth-VERSION-py3-none-PLATFORM.whl
       make_wheel.py BUILD_DIR --without-library FOLDER
                                     makes FOLDER/berth/ and its dist-info for a system package: the library is another's
"""

import base64
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY, READER = "libberth.so.0", "berth-mesh-reader"
sys.path.insert(0, str(HERE))
import make_abi  # noqa: E402


def version() -> str:
    """The one of the public header."""
    return make_abi.version(ROOT / "include")


def stage_modules(folder: Path) -> Path:
    """The package's own files, without the library."""
    package = folder / "berth"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(HERE / "berth", package, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "_abi.py"))
    make_abi.write_module(ROOT / "include", package / "_abi.py")
    return package


def stage(build: Path) -> Path:
    """A folder that holds the package as users get it."""
    folder = build / "python"
    if not (build / LIBRARY).exists():
        sys.exit(f"make_wheel: there is no {build / LIBRARY}; './dev build' makes it")
    package = stage_modules(folder)
    shutil.copy2(build / LIBRARY, package / LIBRARY)
    if (build / READER).exists():  # builds without assimp have none
        shutil.copy2(build / READER, package / READER)
    return folder


def metadata() -> dict[str, str]:
    """The files of the wheel's dist-info folder, but its list of files."""
    facts = f"""Metadata-Version: 2.1
Name: berth
Version: {version()}
Summary: certified collision checking for robots
License: MIT
Requires-Python: >=3.9
Requires-Dist: cffi >=1.15
Requires-Dist: numpy >=1.22
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text(encoding="utf-8")}"""
    wheel = f"Wheel-Version: 1.0\nGenerator: berth\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    return {"METADATA": facts, "WHEEL": wheel, "LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8")}


def tag() -> str:
    """Any Python 3 on this platform."""
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def stage_for_system(folder: Path) -> None:
    """What lies in the system's folder of Python packages: whoever asks pip there finds name and version."""
    stage_modules(folder)
    info = folder / f"berth-{version()}.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(metadata()["METADATA"], encoding="utf-8")
    (info / "INSTALLER").write_text("debian\n", encoding="utf-8")


def write_wheel(staged: Path, folder: Path) -> Path:
    """Zips the staged package with its dist-info, whole or not at all."""
    info = f"berth-{version()}.dist-info"
    files = {str(path.relative_to(staged)): (path.read_bytes(), os.access(path, os.X_OK))
             for path in sorted((staged / "berth").rglob("*")) if path.is_file() and "__pycache__" not in path.parts}
    files |= {f"{info}/{name}": (text.encode("utf-8"), False) for name, text in metadata().items()}

    record = ""
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode("ascii")
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = ((record + f"{info}/RECORD,,\n").encode("utf-8"), False)

    out = folder / f"berth-{version()}-{tag()}.whl"
    beside = out.with_suffix(".part")
    with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, runs) in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            archive.writestr(entry, data)
    beside.replace(out)
    return out


# ---- what pip asks for (PEP 517) ----------------------------------------------------------------------------------------


def build_wheel(wheel_directory: str, config_settings: Optional[dict[str, Any]] = None,
                metadata_directory: Optional[str] = None) -> str:
    """Of the build folder that BERTH_BUILD names, else build/ of the source tree."""
    build = Path(os.environ.get("BERTH_BUILD", ROOT / "build")).resolve()
    return write_wheel(stage(build), Path(wheel_directory)).name


def main() -> None:
    if len(sys.argv) == 4 and sys.argv[2] == "--without-library":
        stage_for_system(Path(sys.argv[3]))
        return
    if len(sys.argv) != 2:
        sys.exit("usage: make_wheel.py BUILD_DIR [--without-library FOLDER]")
    build = Path(sys.argv[1]).resolve()
    print(write_wheel(stage(build), build / "python"))


if __name__ == "__main__":
    main()
