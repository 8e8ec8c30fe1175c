// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OctoMap's own reader and writer of .bt and .ot files: the peer of ours, with which it shares no code.

#ifndef BERTH_TEST_ORACLE_PEER_OCTOMAP_FILE_H
#define BERTH_TEST_ORACLE_PEER_OCTOMAP_FILE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A leaf: its lowest key, its side as a power of two of cells.
typedef struct PeerOctoLeaf {
    uint16_t x, y, z;
    uint8_t scale, occupied;
} PeerOctoLeaf;

/// Writes cells (scale 0) and larger leaves to `path`: .bt when it ends so, else .ot, with colours when `colour`.
/// Returns 0, or -1.
int peer_octomap_write(const char* path, double resolution, const PeerOctoLeaf* leaves, int count, int prune,
                       int colour);
/// Reads a .bt or .ot file. Returns the number of leaves, at most `capacity` of which are written; -1 when it refuses.
int peer_octomap_read(const char* path, double* resolution, PeerOctoLeaf* leaves, int capacity);

#ifdef __cplusplus
}
#endif

#endif
