# SPDX-FileCopyrightText: 2026 berth authors
# SPDX-License-Identifier: MIT
"""What keeps a guard's map current: datagrams of a feed, read here by the table of docs/reference/guard.md."""

import struct
import zlib

import numpy as np
import pytest

import berth


class Receiver:
    """What a guard has of a map, from datagrams read by docs/reference/guard.md."""

    def __init__(self, shape, most):
        self.cells, self.shape, self.most = None, shape, most
        self.sequence, self.parts = 0, {}

    def take(self, datagram):
        assert len(datagram) <= 9216 and datagram[:4] == b"BRTH" and datagram[5] == 7
        assert struct.unpack_from("<I", datagram, len(datagram) - 4)[0] == zlib.crc32(datagram[:-4])
        sequence, at = struct.unpack_from("<Q", datagram, 16)[0], 41 + datagram[40]
        since, part, parts, count, flags = struct.unpack_from("<QIIHH", datagram, at)
        rows = np.frombuffer(datagram, dtype="<u4", count=2 * count, offset=at + 20).reshape(-1, 2)
        assert (rows[:, 1] & 0x3FFFFFFF).sum() <= self.most
        self.parts.setdefault(sequence, {})[part] = rows
        if len(self.parts[sequence]) < parts or (not flags & 2 and (self.cells is None or since > self.sequence)):
            return
        if flags & 2:
            self.cells = np.full(int(np.prod(self.shape)), -1 if flags & 4 else 0, dtype=np.int8)
        for first, both in np.concatenate(list(self.parts[sequence].values())).tolist():
            colour = both >> 30
            self.cells[first:first + (both & 0x3FFFFFFF)] = -1 if colour == 2 else colour
        self.sequence = sequence


def test_a_guard_that_loses_datagrams_has_the_map_of_the_last_one_that_came():
    chance = np.random.default_rng(6)
    for most, window, loss in ((100, 4, 0.3), (3000, 4, 0.3), (3000, 1, 0.0), (30000, 9, 0.5)):
        cells = chance.choice(np.array([-1, 0, 1], dtype=np.int8), (30, 20, 25), p=(0.02, 0.9, 0.08))
        feed, guard = berth.MapFeed("room", cells_most=most, window=window), Receiver(cells.shape, most)
        for part in feed.whole(cells, stamp=0.0):
            guard.take(part)
        in_step = 0
        for step in range(60):
            at = tuple(chance.integers(0, cells.shape, (12, 3)).T)
            cells[at] = chance.choice([-1, 0, 1], 12)
            parts = feed.changes(cells, stamp=step + 1.0)
            for part in parts:
                if chance.random() >= loss / len(parts):
                    guard.take(part)
            if guard.sequence == step + 2:
                in_step += 1
                assert np.array_equal(guard.cells.reshape(cells.shape, order="F"), cells)
        assert in_step == 60 if loss == 0.0 else in_step >= 20
    for wrong in (lambda: berth.MapFeed("room", cells_most=0), lambda: berth.MapFeed("room", cells_most=9).changes(cells, stamp=0.0),
                  lambda: feed.whole(np.zeros((2, 2)), stamp=0.0), lambda: feed.whole(np.full((2, 2, 2), 3), stamp=0.0),
                  lambda: feed.changes(np.zeros((2, 2, 2), dtype=int), stamp=0.0)):
        with pytest.raises(berth.BerthError):
            wrong()
