// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// An occupancy grid as others check balls against it: OctoMap's tree through FCL, and DynamicEDT3D. Cells are 1 wide and begin
// at the origin; cell (x, y, z) is cells[(x * size + y) * size + z], not 0 when it is occupied.

#ifndef PEER_MAP_H
#define PEER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerMap PeerMap;
PeerMap* peer_map_open(const uint8_t* cells, int size);
void peer_map_close(PeerMap* map);
/// FCL: a ball against the octree, Euclidean.
bool peer_map_collides(PeerMap* map, double x, double y, double z, double r);
double peer_map_distance(PeerMap* map, double x, double y, double z, double r);

/// OctoMap's own question: is the cell at this point occupied? -1 where it says nothing.
int peer_map_point(const PeerMap* map, double x, double y, double z);
/// Bytes that the process holds from malloc: before and after tells what a library took.
size_t peer_held_bytes(void);
/// Bytes of OctoMap's tree, as it counts them.
size_t peer_map_bytes(const PeerMap* map);
/// Makes a cell occupied or free; peer_map_settle when all are told: inner nodes are right and pruned then.
void peer_map_set(PeerMap* map, int x, int y, int z, bool occupied);
void peer_map_settle(PeerMap* map);

/// Builds DynamicEDT3D's map of the same cells.
typedef struct PeerEdt PeerEdt;
PeerEdt* peer_edt_open(const uint8_t* cells, int size);
void peer_edt_close(PeerEdt* edt);
/// Makes a cell occupied or free; distances follow with peer_edt_update.
void peer_edt_set(PeerEdt* edt, int x, int y, int z, bool occupied);
void peer_edt_update(PeerEdt* edt);
/// Distance of the centre of the cell that holds the point to that of the nearest occupied cell.
float peer_edt_distance(const PeerEdt* edt, double x, double y, double z);
/// How many of the balls (x y z radius each, radii larger by `grown`) reach an obstacle, by the loop that a user of the library writes; and
/// whether one does, by a loop that ends there.
int peer_edt_count_hits(const PeerEdt* edt, const double* balls, int count, double grown);
bool peer_edt_any_hits(const PeerEdt* edt, const double* balls, int count, double grown);

#ifdef __cplusplus
}
#endif
#endif
