// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Balls against occupancy by OctoMap, FCL and DynamicEDT3D, see peer_map.h.
#include "peer_map.h"

#include <dynamicEDT3D/dynamicEDT3D.h>
#include <fcl/fcl.h>
#include <octomap/octomap.h>

#include <malloc.h>
#include <memory>

struct PeerMap {
    std::shared_ptr<octomap::OcTree> tree;
    std::shared_ptr<fcl::OcTreed> geometry;
    std::unique_ptr<fcl::CollisionObjectd> object;
};

PeerMap* peer_map_open(const uint8_t* cells, int size) {
    auto* map = new PeerMap;
    map->tree = std::make_shared<octomap::OcTree>(1.0);
    const int middle = 1 << 15;  // key of the cell that begins at the origin
    for (int x = 0; x < size; ++x) {
        for (int y = 0; y < size; ++y) {
            for (int z = 0; z < size; ++z) {
                if (cells[(static_cast<size_t>(x) * size + y) * size + z] != 0) {
                    const octomap::OcTreeKey key(static_cast<uint16_t>(middle + x),
                                                 static_cast<uint16_t>(middle + y),
                                                 static_cast<uint16_t>(middle + z));
                    map->tree->setNodeValue(key, 2.0f, true);
                }
            }
        }
    }
    map->tree->updateInnerOccupancy();
    map->tree->prune();
    map->geometry = std::make_shared<fcl::OcTreed>(std::shared_ptr<const octomap::OcTree>(map->tree));
    map->object = std::make_unique<fcl::CollisionObjectd>(map->geometry);
    return map;
}

void peer_map_close(PeerMap* map) {
    delete map;
}

int peer_map_point(const PeerMap* map, double x, double y, double z) {
    const octomap::OcTreeNode* node = map->tree->search(x, y, z);
    if (node == nullptr) {
        return -1;
    }
    return map->tree->isNodeOccupied(node) ? 1 : 0;
}

size_t peer_held_bytes() {
    const struct mallinfo2 held = mallinfo2();
    return held.uordblks + held.hblkhd;
}

size_t peer_map_bytes(const PeerMap* map) {
    return map->tree->memoryUsage();
}

void peer_map_set(PeerMap* map, int x, int y, int z, bool occupied) {
    const int middle = 1 << 15;
    const octomap::OcTreeKey key(static_cast<uint16_t>(middle + x), static_cast<uint16_t>(middle + y),
                                 static_cast<uint16_t>(middle + z));
    map->tree->setNodeValue(key, occupied ? 2.0f : -2.0f, true);
}

void peer_map_settle(PeerMap* map) {
    map->tree->updateInnerOccupancy();
    map->tree->prune();
}

bool peer_map_collides(PeerMap* map, double x, double y, double z, double r) {
    fcl::CollisionObjectd ball(std::make_shared<fcl::Sphered>(r));
    ball.setTranslation(fcl::Vector3d(x, y, z));
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(map->object.get(), &ball, request, result) > 0;
}

double peer_map_distance(PeerMap* map, double x, double y, double z, double r) {
    fcl::CollisionObjectd ball(std::make_shared<fcl::Sphered>(r));
    ball.setTranslation(fcl::Vector3d(x, y, z));
    fcl::DistanceRequestd request;
    fcl::DistanceResultd result;
    return fcl::distance(map->object.get(), &ball, request, result);
}

struct PeerEdt {
    DynamicEDT3D map{1 << 20};
    int size = 0;
};

PeerEdt* peer_edt_open(const uint8_t* cells, int size) {
    auto* edt = new PeerEdt;
    edt->size = size;
    // Allocated as it wants it: it keeps the grid and deletes it.
    bool*** grid = new bool**[static_cast<size_t>(size)];
    for (int x = 0; x < size; ++x) {
        grid[x] = new bool*[static_cast<size_t>(size)];
        for (int y = 0; y < size; ++y) {
            grid[x][y] = new bool[static_cast<size_t>(size)];
            for (int z = 0; z < size; ++z) {
                grid[x][y][z] = cells[(static_cast<size_t>(x) * size + y) * size + z] != 0;
            }
        }
    }
    edt->map.initializeMap(size, size, size, grid);
    edt->map.update(true);
    return edt;
}

void peer_edt_close(PeerEdt* edt) {
    delete edt;
}

void peer_edt_set(PeerEdt* edt, int x, int y, int z, bool occupied) {
    if (occupied) {
        edt->map.occupyCell(x, y, z);
    } else {
        edt->map.clearCell(x, y, z);
    }
}

void peer_edt_update(PeerEdt* edt) {
    edt->map.update(true);
}

float peer_edt_distance(const PeerEdt* edt, double x, double y, double z) {
    return edt->map.getDistance(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z));
}

static inline bool reaches(const PeerEdt* edt, const double* ball, double grown) {
    return edt->map.getDistance(static_cast<int>(ball[0]), static_cast<int>(ball[1]),
                                static_cast<int>(ball[2])) <= ball[3] + grown;
}

int peer_edt_count_hits(const PeerEdt* edt, const double* balls, int count, double grown) {
    int hits = 0;
    for (const double* b = balls; b < balls + 4 * static_cast<size_t>(count); b += 4) {
        hits += reaches(edt, b, grown) ? 1 : 0;
    }
    return hits;
}

bool peer_edt_any_hits(const PeerEdt* edt, const double* balls, int count, double grown) {
    for (const double* b = balls; b < balls + 4 * static_cast<size_t>(count); b += 4) {
        if (reaches(edt, b, grown)) {
            return true;
        }
    }
    return false;
}
