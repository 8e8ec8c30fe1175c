# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""Many states or segments on many threads, on numpy arrays without copies."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, Optional

import numpy as np
import numpy.typing as npt

from berth._answers import Assumed, with_counted
from berth._arrays import Floats, pointer, scalar, shared
from berth._abi import ffi
from berth._library import Owner, Watch, check, choose, lib, own
from berth.check import non_negative
from berth.scene import Scene

KINDS = {"states": 0, "segments": 1}


@dataclass(frozen=True, eq=False)
class BatchAnswer:
    """The answers about many rows. The counts are those of `berth batch --json`."""

    verdicts: npt.NDArray[np.uint8]  #: one a row: berth.UNKNOWN (0), berth.FREE (1) or berth.COLLISION (2)
    clearances: Optional[Floats]  #: where asked for: lower bounds of the smallest gap; -inf where none is known
    free: int  #: rows that are proven free
    collisions: int  #: rows with a witness
    unknown: int  #: rows that are to be treated as collisions
    outside_rows: int  #: rows with values outside joint limits
    assumed: tuple[Assumed, ...]  #: what was taken without proof
    declared: tuple[Assumed, ...]  #: pairs that are meant to touch
    proven: int  #: pairs skipped by a proof: the most that one answer relies on
    seconds: float  #: of asking alone


class Batch(Owner):
    """Many rows of one scene, asked by all cores. An edit of the scene makes it stale.

    >>> import berth
    >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
    >>> answer = berth.Batch(scene).ask(scene.random_states(1000, seed=1))
    >>> answer.free + answer.collisions + answer.unknown
    1000
    """

    _what = "Batch"

    def __init__(
        self,
        scene: Scene,
        kind: Literal["states", "segments"] = "states",
        *,
        margin: float = 0.0,
        self_margin: Optional[float] = None,
        delta: Optional[float] = None,
        threads: int = 0,
        expected_rows: Optional[int] = None,
    ) -> None:
        """`threads` 0: one a processor. `expected_rows`: how many rows will be asked about in all (None: as many as an array has); where
        so many pay for it the scene is first laid out for wide registers, which makes most rows many times faster. The verdicts are the same."""
        super().__init__()
        self._watch = Watch()
        self._told = self._watch.callback("void(void*, int64_t, int64_t)", lambda user, done, count: None)
        definition = ffi.new("BerthBatchDef*", lib.berth_default_batch_def())
        definition.kind = choose("kind", kind, KINDS)
        definition.margin = scalar(margin, "margin")
        definition.self_margin = -1.0 if self_margin is None else non_negative(self_margin, "self_margin")
        if delta is not None:
            definition.delta = scalar(delta, "delta")
        definition.threads, definition.expected_rows = threads, expected_rows or 0
        self._watch.attach(definition)
        definition.progress = self._told

        scene_pointer = scene._built()
        self._definition, self._scene_pointer = definition, scene_pointer
        self._learns = expected_rows is None
        self._states = kind == "states"
        self.scene = scene
        self._pointer = self._make()
        self._shape: tuple[Optional[int], ...] = (None, scene.value_count)
        if kind == "segments":
            self._shape = (None, 2, scene.value_count)
        self._assumed, self._declared = scene.assumed, scene.declared
        self._standing = lib.berth_scene_moving_count(scene_pointer)

    def _make(self) -> Any:
        """A BerthBatch, owned. Its threads ask its watch as long as they live."""
        out = ffi.new("BerthBatch**")
        with self.scene._asking():
            check(self._watch.call(lib.berth_batch_create, self._scene_pointer, self._definition, out))
        return own(out[0], "berth_batch_destroy", self._scene_pointer, self._watch.c, self._told)

    def _learn(self, rows: Floats) -> None:
        """The first array for which a layout pays says how many rows come."""
        count = len(rows)
        asked = (count, 0) if self._states else (0, count)
        with self._use() as batch:
            with self.scene._asking():
                if not self._learns or not lib.berth_lanes_pay(self._scene_pointer, *asked):
                    return
                # One row, so that a batch of a scene that was edited since stays stale.
                verdict, result = ffi.new("uint8_t[1]"), ffi.new("BerthBatchResult*")
                first = pointer(rows, "double*")
                self._check(self._watch.call(lib.berth_batch_ask, batch, first, 1, verdict, ffi.NULL, result))
                self._definition.expected_rows = count
                self._learns = False
            self._pointer = self._make()

    def ask(
        self,
        rows: Floats,
        *,
        clearance: bool = False,
        out: Optional[npt.NDArray[np.uint8]] = None,
    ) -> BatchAnswer:
        """Asks about all rows: shape (n, values) of states, (n, 2, values) of segments; float64 and contiguous: nothing is copied.

        `clearance` also gives lower bounds of the smallest gap, which costs what a distance costs. `out` gets the verdicts instead of
        a new array. Ctrl-C ends it.

        >>> import berth
        >>> scene = berth.Scene.load("build/models/two_arms/cell.yaml")
        >>> states = scene.random_states(500, seed=2)
        >>> answer = berth.Batch(scene).ask(states, clearance=True)
        >>> (answer.verdicts == berth.FREE).sum() == answer.free, answer.clearances.shape
        (True, (500,))
        >>> ends = states.reshape(250, 2, 14)
        >>> len(berth.Batch(scene, "segments").ask(ends).verdicts)
        250
        """
        shared(rows, np.float64, self._shape, "rows")
        count = len(rows)
        self._learn(rows)
        verdicts = np.zeros(count, dtype=np.uint8) if out is None else shared(out, np.uint8, (count,), "out", writes=True)
        gaps = np.empty(count) if clearance else None
        result = ffi.new("BerthBatchResult*")
        with self._use() as batch, self.scene._asking():
            start = perf_counter()
            status = self._watch.call(
                lib.berth_batch_ask,
                batch,
                pointer(rows, "double*"),
                count,
                pointer(verdicts, "uint8_t*"),
                ffi.NULL if gaps is None else pointer(gaps, "double*"),
                result,
            )
            seconds = perf_counter() - start
            self._check(status)
        return self._answer(result, verdicts, gaps, seconds)

    def _answer(self, result: Any, verdicts: npt.NDArray[np.uint8], gaps: Optional[Floats], seconds: float) -> BatchAnswer:
        return BatchAnswer(
            verdicts,
            gaps,
            result.free_count,
            result.collision_count,
            result.unknown_count,
            result.outside_rows,
            with_counted(self._assumed, self._standing, result.outside_count),
            self._declared,
            result.proven_count,
            seconds,
        )

    @property
    def threads(self) -> int:
        """How many threads work."""
        return int(lib.berth_batch_worker_count(self._open()))
