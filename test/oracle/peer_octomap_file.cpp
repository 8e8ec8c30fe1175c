// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OctoMap's files by OctoMap, see peer_octomap_file.h.
#include "peer_octomap_file.h"

#include <octomap/ColorOcTree.h>
#include <octomap/OcTree.h>

#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

namespace {

// OctoMap tells what it does; tests need not hear it.
class Mute {
public:
    Mute() : out_(std::cout.rdbuf(nullptr)), err_(std::cerr.rdbuf(nullptr)), saved_(dup(2)) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 2);
        close(nowhere);
    }
    ~Mute() {
        std::cout.rdbuf(out_);
        std::cerr.rdbuf(err_);
        dup2(saved_, 2);
        close(saved_);
    }

private:
    std::streambuf* out_;
    std::streambuf* err_;
    int saved_;
};

bool ends_in(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

template <class Tree>
bool write_tree(const char* path, double resolution, const PeerOctoLeaf* leaves, int count, bool prune) {
    Tree tree(resolution);
    for (int i = 0; i < count; ++i) {
        const int side = 1 << leaves[i].scale;
        for (int c = 0; c < side * side * side; ++c) {
            const octomap::OcTreeKey key(leaves[i].x + c % side, leaves[i].y + c / side % side,
                                         leaves[i].z + c / side / side);
            tree.setNodeValue(key, leaves[i].occupied ? 2.0f : -1.5f, true);
        }
    }
    tree.updateInnerOccupancy();
    if (prune) {
        tree.prune();
    } else {
        tree.expand();
    }
    return ends_in(path, ".bt") ? tree.writeBinaryConst(path) : tree.write(path);
}

template <class Tree>
int list_leaves(const Tree& tree, PeerOctoLeaf* leaves, int capacity) {
    int count = 0;
    for (auto it = tree.begin_leafs(), end = tree.end_leafs(); it != end; ++it, ++count) {
        if (count < capacity) {
            const octomap::OcTreeKey key = it.getIndexKey();
            const uint8_t scale = static_cast<uint8_t>(tree.getTreeDepth() - it.getDepth());
            const uint16_t mask = static_cast<uint16_t>(~((1u << scale) - 1));
            leaves[count] = {static_cast<uint16_t>(key[0] & mask), static_cast<uint16_t>(key[1] & mask),
                             static_cast<uint16_t>(key[2] & mask), scale,
                             static_cast<uint8_t>(tree.isNodeOccupied(*it))};
        }
    }
    return count;
}

}  // namespace

extern "C" int peer_octomap_write(const char* path, double resolution, const PeerOctoLeaf* leaves, int count,
                                  int prune, int colour) {
    const Mute mute;
    const bool good = colour ? write_tree<octomap::ColorOcTree>(path, resolution, leaves, count, prune != 0)
                             : write_tree<octomap::OcTree>(path, resolution, leaves, count, prune != 0);
    return good ? 0 : -1;
}

extern "C" int peer_octomap_read(const char* path, double* resolution, PeerOctoLeaf* leaves, int capacity) {
    const Mute mute;
    if (ends_in(path, ".bt")) {
        octomap::OcTree tree(1.0);
        if (!tree.readBinary(path)) {
            return -1;
        }
        *resolution = tree.getResolution();
        return list_leaves(tree, leaves, capacity);
    }
    std::unique_ptr<octomap::AbstractOcTree> any(octomap::AbstractOcTree::read(path));
    if (const auto* tree = dynamic_cast<octomap::OcTree*>(any.get())) {
        *resolution = tree->getResolution();
        return list_leaves(*tree, leaves, capacity);
    }
    if (const auto* tree = dynamic_cast<octomap::ColorOcTree*>(any.get())) {
        *resolution = tree->getResolution();
        return list_leaves(*tree, leaves, capacity);
    }
    return -1;
}
