// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which node of a COLLADA document uses which. assimp follows these links by recursion and copies what they
// name, so a document that uses itself crashes it and one that doubles itself forty times exhausts all
// memory.

#ifndef BI_MESH_COLLADA_GRAPH_H
#define BI_MESH_COLLADA_GRAPH_H

#include "base/arena.h"

typedef struct GraphNode {
    const char* id;    // or null
    const char* name;  // or null; assimp finds nodes by either
    uint64_t bytes;    // of geometry that it shows, itself and below
    int32_t parent;    // or -1
    int32_t line;
    bool is_geometry;  // a <geometry>: has bytes and no links
} GraphNode;

typedef struct GraphLink {
    const char* url;  // without its '#'
    int32_t from;
    bool to_geometry;
} GraphLink;

typedef struct Graph {
    Arena arena;
    GraphNode* nodes;
    size_t node_count, node_capacity;
    GraphLink* links;
    size_t link_count, link_capacity;
} Graph;

void bi_graph_init(Graph* graph, const BerthAllocator* allocator);
void bi_graph_free(Graph* graph);
/// Returns the index, or -1 when there is no memory. Texts are copied and may be null.
int32_t bi_graph_add_node(Graph* graph, const char* id, const char* name, int32_t parent, int32_t line);
/// False when there is no memory. `url` is copied.
bool bi_graph_add_link(Graph* graph, int32_t from, const char* url, bool to_geometry);
/// Refuses cycles, chains of more than `depth_max` nodes, and more than `bytes_max` of geometry when every
/// use is counted.
BerthStatus bi_graph_check(Graph* graph, const char* name, int32_t depth_max, uint64_t bytes_max);

#endif
