// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scans put into a tree by OctoMap: the peer of src/occupancy, with which it shares no code.

#ifndef BERTH_TEST_ORACLE_PEER_OCTOMAP_SCAN_H
#define BERTH_TEST_ORACLE_PEER_OCTOMAP_SCAN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Points (x y z each) that a sensor saw.
typedef struct PeerScan {
    const float* points;
    int count;
    float sensor[3];
    double range;  ///< <= 0: no limit
} PeerScan;

/// A leaf: its lowest key, its side as a power of two of cells, its log-odds.
typedef struct PeerOddsLeaf {
    uint16_t x, y, z;
    uint8_t scale;
    float log_odds;
} PeerOddsLeaf;

/// OcTree::insertPointCloud of all scans, over the tree in `from` (.bt, .ot) when that is not null; written to `to` (.bt, .ot) when
/// that is not null. Returns the number of leaves, at most `capacity` of which are written, in the order of the tree; -1
/// when a file fails. `nodes` gets OctoMap's count of all nodes.
int peer_octomap_insert(const char* from, double resolution, const PeerScan* scans, int count, const char* to,
                        PeerOddsLeaf* leaves, int capacity, int64_t* nodes);

#ifdef __cplusplus
}
#endif

#endif
