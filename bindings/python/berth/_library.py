# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""The C library: where it is found, how its failures become exceptions, how long calls are interrupted.

Every other module of the package calls C through this one.
"""

from __future__ import annotations

import enum
import math
import os
import re
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, NoReturn, Optional, TypeVar

from berth._abi import VERSION, ffi

T = TypeVar("T")

NAME = "libberth.so.0"


class Status(enum.IntEnum):
    """Why a call of the library failed: the `status` of a BerthError."""

    OK = 0
    ARGUMENT = -1
    MEMORY = -2
    PARSE = -3
    CAPACITY = -4
    STALE = -5
    SYSTEM = -6
    UNSUPPORTED = -7
    CANCELLED = -8


class BerthError(Exception):
    """A call failed. The text is berth's own; about a file it begins with `FILE:LINE:` or `FILE: byte N:`.

    >>> import berth
    >>> try:
    ...     berth.Scene.load("nowhere.yaml")
    ... except berth.BerthError as error:
    ...     print(error.status.name)
    ARGUMENT
    """

    #: what kind of failure it is
    status: Status

    def __init__(self, text: str, status: Status = Status.ARGUMENT) -> None:
        super().__init__(text)
        self.status = status

    @property
    def file(self) -> Optional[str]:
        """The file that the text is about, where it names a line or byte of one."""
        place = re.match(r"(.+?):(?:(\d+):| byte \d+:)", str(self))
        return place.group(1) if place else None

    @property
    def line(self) -> Optional[int]:
        """The line of that file, where the text names one."""
        place = re.match(r"(.+?):(\d+):", str(self))
        return int(place.group(2)) if place else None


class BerthValueError(BerthError, ValueError):
    """A value outside of what a call accepts: a wrong shape, NaN, an unknown name, ..."""


class BerthTypeError(BerthError, TypeError):
    """An argument of a type that a call does not take: an array of another dtype, say."""


class BerthStaleError(BerthError):
    """A checker of a scene that was edited since, or something that was closed or removed."""


class BerthWarning(UserWarning):
    """What a reader of files found odd; the text names file and line."""


# ---- loading -----------------------------------------------------------------------------------------------------------


def _places() -> Iterator[str]:
    """Where the library may be, in the order of trying. What BERTH_LIBRARY names is the only place."""
    named = os.environ.get("BERTH_LIBRARY")
    if named:
        yield named
        return
    beside = Path(__file__).resolve().parent / NAME
    if beside.exists():
        yield str(beside)
        return
    yield NAME
    yield "/usr/local/lib/" + NAME


def _load() -> Any:
    tried = []
    for place in _places():
        try:
            found = ffi.dlopen(place)
        except OSError as error:
            tried.append(f"{place}: {error}")
            continue
        version = ffi.string(found.berth_version()).decode("ascii", "replace")
        if version != VERSION:
            raise ImportError(f"berth: {place} is of version {version}, this package of {VERSION}")
        return found
    raise ImportError("berth: the C library was not found; BERTH_LIBRARY may name it. Tried " + "; ".join(tried))


lib: Any = _load()


def text_of(pointer: Any) -> str:
    """A C text; "" for null."""
    return "" if pointer == ffi.NULL else str(ffi.string(pointer).decode("utf-8", "replace"))


def version() -> str:
    """The version of the C library, for example "0.1.0"."""
    return text_of(lib.berth_version())


# ---- failures ----------------------------------------------------------------------------------------------------------

_CLASSES: dict[int, type[BerthError]] = {
    Status.ARGUMENT: BerthValueError,
    Status.STALE: BerthStaleError,
}


def fail(status: int, prefix: str = "") -> NoReturn:
    """Raises what a status of the library stands for, with its text."""
    known = Status(status)
    text = text_of(lib.berth_error_text()) or text_of(lib.berth_status_meaning(status))
    raise _CLASSES.get(known, BerthError)(prefix + text, known)


def check(status: int, prefix: str = "") -> None:
    """Raises when a call failed."""
    if status != 0:
        fail(status, prefix)


def raise_value(text: str) -> NoReturn:
    """Refuses a value."""
    raise BerthValueError(text, Status.ARGUMENT)


def raise_type(text: str) -> NoReturn:
    """Refuses a type."""
    raise BerthTypeError(text, Status.ARGUMENT)


# ---- texts for C -------------------------------------------------------------------------------------------------------


def c_text(text: str, what: str) -> Any:
    """A text as C has it; it lives as long as the returned object."""
    if not isinstance(text, str):
        raise_type(f"{what} is {text!r}, a text is expected")
    if "\0" in text:
        raise_value(f"{what} is {text!r}: a zero byte ends a text")
    return ffi.new("char[]", text.encode("utf-8"))


def c_path(path: "str | os.PathLike[str]") -> Any:
    """A path as C has it."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise_type(f"a path is expected, not {path!r}")
    if b"\0" in name:
        raise_value(f"the path {path!r} has a zero byte")
    return ffi.new("char[]", name)


def choose(what: str, name: str, names: dict[str, int]) -> int:
    """The number of a word; an unknown one is told with all that there are."""
    if name not in names:
        raise_value(f"{what} is {name!r}; expected one of {', '.join(names)}")
    return names[name]


# ---- long calls --------------------------------------------------------------------------------------------------------
# C runs without the interpreter's lock. Every 50 ms or so it asks, on its own thread, whether it should stop; being asked runs
# Python's signal handlers, so that Ctrl-C ends the call and KeyboardInterrupt goes on from there.


class Watch:
    """Ends a long call for Ctrl-C, and passes on what a callback raised."""

    PERIOD = 0.05

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self._deadline = math.inf
        self._ask = ffi.callback("bool(void*)", self._is_late, error=True, onerror=self._note)
        self.c = ffi.new("BerthWatch*")
        self.c.cancelled = self._ask
        self.c.period = self.PERIOD

    def _is_late(self, user: Any) -> bool:
        return monotonic() > self._deadline

    @contextmanager
    def until(self, seconds: Optional[float]) -> Iterator[None]:
        """Calls end when so many seconds have passed."""
        if seconds is None:
            yield
            return
        if not seconds > 0.0:
            raise_value(f"time is {seconds} s; more than 0 is expected")
        self._deadline = monotonic() + seconds
        self.c.period = 0.0
        try:
            yield
        finally:
            self._deadline = math.inf
            self.c.period = self.PERIOD

    def _note(self, kind: type[BaseException], error: BaseException, trace: TracebackType) -> None:
        if self.error is None:
            self.error = error
        lib.berth_watch_stop(self.c)

    def attach(self, struct: Any, field: str = "cancelled", user: str = "cancelled_user") -> None:
        """Has a def ask this watch."""
        setattr(struct, field, ffi.addressof(lib, "berth_watch_ask"))
        setattr(struct, user, self.c)

    def callback(self, signature: str, function: Callable[..., Any], error: Any = None) -> Any:
        """A Python function that C calls; what it raises ends the call and goes on from there."""
        return ffi.callback(signature, function, error=error, onerror=self._note)

    def call(self, function: Callable[..., int], *arguments: Any) -> int:
        """Calls C; raises what came up meanwhile, else returns the status."""
        self.error = None
        self.c.stopped = 0
        self.c.asked = 0
        status = function(*arguments)
        if self.error is not None:
            raise self.error
        return status


# ---- owners ------------------------------------------------------------------------------------------------------------


def own(pointer: Any, destroy: str, *borrowed: Any) -> Any:
    """`pointer`, destroyed when nobody has it any more. Its destructor holds on to what it borrows, which so lives longer than it,
    but where the garbage collector ends them together: it calls all destructors of a cycle, in any order. That is why no
    function of the C library that destroys a thing may read what that thing borrowed."""
    function = getattr(lib, destroy)
    return ffi.gc(pointer, lambda dead, borrowed=borrowed: function(dead))


class Token:
    """Stands for a call that runs. Whoever notes it does so weakly: when Ctrl-C ends a call at the one moment at which it cannot
    take its note back, the note dies with it."""

    __slots__ = ("__weakref__",)


class Owner:
    """A thing of the C library, used by one thread at a time."""

    _what = "object"

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._user: Callable[[], Optional[Token]] = lambda: None  # the call that uses it
        self._pointer: Any = ffi.NULL

    def close(self) -> None:
        """Gives it up: its memory is returned as soon as nothing else needs it. Calls after this raise; closing twice is fine."""
        self._pointer = ffi.NULL

    def _open(self) -> Any:
        """The C pointer."""
        pointer = self._pointer
        if pointer == ffi.NULL:
            raise BerthStaleError(f"this {self._what} is closed", Status.STALE)
        return pointer

    def _check(self, status: int) -> None:
        """Raises when a call about its scene failed."""
        if status == Status.STALE:
            raise BerthStaleError(f"this {self._what} is stale: its scene was edited since. Make a new one", Status.STALE)
        check(status)

    @contextmanager
    def _use(self) -> Iterator[Any]:
        """The C pointer, for this call alone."""
        token = Token()
        with self._mutex:
            if self._user() is not None:
                text = f"this {self._what} is in use by another thread: give each thread its own"
                raise BerthError(text, Status.ARGUMENT)
            self._user = weakref.ref(token)
        try:
            yield self._open()
        finally:
            del token


def warn_all(texts: Iterable[str]) -> None:
    """Tells a reader's warnings as Python's."""
    for text in texts:
        warnings.warn(text, BerthWarning, stacklevel=4)
