# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""How files are read: packages, warnings, Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, Union

from berth._abi import ffi
from berth._library import Watch, c_path, c_text, check, lib, own, text_of, warn_all

PathLike = Union[str, "os.PathLike[str]"]
#: where package://NAME/ lives
Packages = Mapping[str, PathLike]


def write_certificate(path: PathLike, record: Any, scene: Any, used: "Iterable[Any]") -> None:
    """Writes it with the sums of the files that were read for it, and never over one of these."""
    writing = Reading()
    files = writing.keep_files()
    for other in used:
        check(lib.berth_io_files_add(files, other))
    writing.call(lib.berth_io_write_certificate, c_path(path), record, scene, writing.options)
    check(lib.berth_io_files_commit(files))


class Reading:
    """BerthIoOptions and everything that they point to."""

    def __init__(
        self,
        packages: Optional[Packages] = None,
        srdf: Optional[PathLike] = None,
        robot: Optional[PathLike] = None,
        spheres_only: bool = False,
        prove: bool = False,
    ) -> None:
        self.warnings: list[str] = []
        self.watch = Watch()
        self._warn = self.watch.callback("void(void*, char*)", lambda user, text: self.warnings.append(text_of(text)))
        self._keep: list[Any] = []

        self.options = ffi.new("BerthIoOptions*", lib.berth_default_io_options())
        self.watch.attach(self.options)
        self.options.warn = self._warn
        self.options.spheres_only = spheres_only
        self.options.prove = prove
        if srdf is not None:
            self.options.srdf = self._kept(c_path(srdf))
        if robot is not None:
            self.options.robot = self._kept(c_path(robot))
        if packages:
            texts = [self._kept(c_text(f"{name}={os.fspath(folder)}", "a package")) for name, folder in packages.items()]
            self.options.packages = self._kept(ffi.new("char*[]", texts))
            self.options.package_count = len(texts)

    def _kept(self, thing: Any) -> Any:
        self._keep.append(thing)
        return thing

    def keep_files(self) -> Any:
        """Notes from now on which files are read, with their sums."""
        out = ffi.new("BerthFiles**")
        check(lib.berth_io_files_create(ffi.NULL, out))
        files = self._kept(own(out[0], "berth_io_files_destroy"))
        lib.berth_io_files_keep_sums(files, True)
        self.options.files = files
        return files

    def call(self, function: Callable[..., int], *arguments: Any) -> tuple[str, ...]:
        """Calls a reader or writer and raises when it failed; tells its warnings, and returns them."""
        check(self.watch.call(function, *arguments))
        found, self.warnings = tuple(self.warnings), []
        warn_all(found)
        return found
