// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Scans by OctoMap, see peer_octomap_scan.h.
#include "peer_octomap_scan.h"

#include <octomap/OcTree.h>

#include <iostream>
#include <memory>
#include <string>

namespace {

bool is_binary(const char* path) {
    const std::string text(path);
    return text.size() > 3 && text.compare(text.size() - 3, 3, ".bt") == 0;
}

std::unique_ptr<octomap::OcTree> start_tree(const char* from, double resolution) {
    if (from == nullptr) {
        return std::make_unique<octomap::OcTree>(resolution);
    }
    if (is_binary(from)) {
        auto tree = std::make_unique<octomap::OcTree>(resolution);
        return tree->readBinary(from) ? std::move(tree) : nullptr;
    }
    return std::unique_ptr<octomap::OcTree>(
        dynamic_cast<octomap::OcTree*>(octomap::AbstractOcTree::read(from)));
}

}  // namespace

extern "C" int peer_octomap_insert(const char* from, double resolution, const PeerScan* scans, int count,
                                   const char* to, PeerOddsLeaf* leaves, int capacity, int64_t* nodes) {
    std::streambuf* const out = std::cout.rdbuf(nullptr);
    std::streambuf* const err = std::cerr.rdbuf(nullptr);
    const std::unique_ptr<octomap::OcTree> tree = start_tree(from, resolution);
    bool good = tree != nullptr;

    for (int i = 0; good && i < count; ++i) {
        octomap::Pointcloud cloud;
        for (int k = 0; k < scans[i].count; ++k) {
            const float* p = scans[i].points + 3 * k;
            cloud.push_back(p[0], p[1], p[2]);
        }
        const float* s = scans[i].sensor;
        tree->insertPointCloud(cloud, octomap::point3d(s[0], s[1], s[2]),
                               scans[i].range > 0.0 ? scans[i].range : -1.0);
    }
    if (good && to != nullptr) {
        good = is_binary(to) ? tree->writeBinaryConst(to) : tree->write(to);
    }
    std::cout.rdbuf(out);
    std::cerr.rdbuf(err);
    if (!good) {
        return -1;
    }

    int found = 0;
    for (auto it = tree->begin_leafs(), end = tree->end_leafs(); it != end; ++it, ++found) {
        if (found < capacity) {
            const octomap::OcTreeKey key = it.getIndexKey();
            const auto scale = static_cast<uint8_t>(tree->getTreeDepth() - it.getDepth());
            const auto mask = static_cast<uint16_t>(~((1u << scale) - 1));
            leaves[found] = {static_cast<uint16_t>(key[0] & mask), static_cast<uint16_t>(key[1] & mask),
                             static_cast<uint16_t>(key[2] & mask), scale, it->getLogOdds()};
        }
    }
    *nodes = static_cast<int64_t>(tree->size());
    return found;
}
