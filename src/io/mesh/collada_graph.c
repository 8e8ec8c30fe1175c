// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Links between nodes are resolved by sorted hashes of their names, then one walk in depth order, with its
// own stack, finds cycles, depth and the total size when every use is a copy.
// Entries: bi_graph_init, bi_graph_free, bi_graph_add_node, bi_graph_add_link, bi_graph_check.

#include "io/mesh/collada_graph.h"

#include <string.h>

#include "base/sort.h"

// Links times the nodes that answer to their names: more is no document that a modeller wrote.
#define EDGE_MAX ((size_t)1 << 22)

// What a node costs that shows nothing.
#define NODE_BYTES 256

typedef struct Edges {
    int32_t* first;  // node_count + 1
    int32_t* to;
    size_t count;
} Edges;

void bi_graph_init(Graph* graph, const BerthAllocator* allocator) {
    *graph = (Graph){.node_count = 0};
    bi_arena_init(&graph->arena, allocator, 0);
}

void bi_graph_free(Graph* graph) {
    bi_arena_free(&graph->arena);
}

static bool copy_text(Graph* graph, const char* text, const char** out) {
    *out = text != NULL ? bi_arena_copy_text(&graph->arena, text, strlen(text)) : NULL;
    return text == NULL || *out != NULL;
}

int32_t bi_graph_add_node(Graph* graph, const char* id, const char* name, int32_t parent, int32_t line) {
    GraphNode* nodes = bi_arena_grow(&graph->arena, graph->nodes, graph->node_count, graph->node_count + 1,
                                     &graph->node_capacity, sizeof *nodes);
    if (nodes == NULL || graph->node_count >= INT32_MAX) {
        return -1;
    }

    graph->nodes = nodes;
    GraphNode node = {.parent = parent, .line = line, .bytes = NODE_BYTES};
    if (!copy_text(graph, id, &node.id) || !copy_text(graph, name, &node.name)) {
        return -1;
    }

    nodes[graph->node_count] = node;
    return (int32_t)graph->node_count++;
}

bool bi_graph_add_link(Graph* graph, int32_t from, const char* url, bool to_geometry) {
    GraphLink* links = bi_arena_grow(&graph->arena, graph->links, graph->link_count, graph->link_count + 1,
                                     &graph->link_capacity, sizeof *links);
    if (links == NULL) {
        return false;
    }

    graph->links = links;
    GraphLink link = {.from = from, .to_geometry = to_geometry};
    if (!copy_text(graph, url[0] == '#' ? url + 1 : url, &link.url)) {
        return false;
    }

    links[graph->link_count++] = link;
    return true;
}

// FNV-1a; equal hashes are compared as texts.
static uint64_t hash_text(const char* text) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text != '\0'; text++) {
        hash = (hash ^ (uint64_t)(unsigned char)*text) * 0x100000001b3u;
    }
    return hash;
}

static size_t add_sort_item(SortItem* items, size_t count, const char* text, size_t index) {
    if (text != NULL) {
        items[count++] = (SortItem){hash_text(text), (uint32_t)index};
    }
    return count;
}

static size_t first_at_least(const SortItem* items, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (items[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool answers_to(const GraphNode* node, const GraphLink* link) {
    return node->is_geometry == link->to_geometry &&
           ((node->id != NULL && strcmp(node->id, link->url) == 0) ||
            (node->name != NULL && strcmp(node->name, link->url) == 0));
}

// Visits all (from, to); on the first pass `edges->to` is null and they are counted. False: too many.
static bool visit_edges(const Graph* graph, const SortItem* items, size_t item_count, Edges* edges) {
    size_t compared_count = 0;

    // Children are edges, too.
    for (size_t i = 0; i < graph->node_count; i++) {
        const int32_t parent = graph->nodes[i].parent;
        if (parent >= 0 && edges->to == NULL) {
            edges->first[parent + 1]++;
        } else if (parent >= 0) {
            edges->to[edges->first[parent]++] = (int32_t)i;
        }
    }

    for (size_t i = 0; i < graph->link_count; i++) {
        const GraphLink* link = &graph->links[i];
        const uint64_t key = hash_text(link->url);
        for (size_t k = first_at_least(items, item_count, key); k < item_count && items[k].key == key; k++) {
            if (++compared_count > EDGE_MAX) {
                return false;
            }

            if (!answers_to(&graph->nodes[items[k].index], link)) {
                continue;
            }
            if (edges->to == NULL) {
                edges->first[link->from + 1]++;
            } else {
                edges->to[edges->first[link->from]++] = (int32_t)items[k].index;
            }
        }
    }
    return true;
}

static BerthStatus resolve_links(Graph* graph, const char* name, Edges* edges) {
    const size_t count = graph->node_count;
    SortItem* items = bi_arena_take(&graph->arena, 4 * count, sizeof *items);
    edges->first = bi_arena_take(&graph->arena, count + 2, sizeof *edges->first);
    if (items == NULL || edges->first == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu nodes", name, count);
    }

    // Every node under its id and, if another, its name.
    size_t item_count = 0;
    for (size_t i = 0; i < count; i++) {
        const GraphNode* node = &graph->nodes[i];
        const bool same = node->id != NULL && node->name != NULL && strcmp(node->id, node->name) == 0;
        item_count = add_sort_item(items, item_count, node->id, i);
        item_count = add_sort_item(items, item_count, same ? NULL : node->name, i);
    }

    bi_sort_items(items, items + 2 * count, item_count);
    if (!visit_edges(graph, items, item_count, edges)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: too many uses of nodes that have the same name", name);
    }

    // Counts become starts, and the second pass fills.
    for (size_t i = 0; i < count; i++) {
        edges->first[i + 1] += edges->first[i];
    }
    edges->count = (size_t)edges->first[count];
    edges->to = bi_arena_take(&graph->arena, edges->count + 1, sizeof *edges->to);
    if (edges->to == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu links", name, edges->count);
    }
    (void)visit_edges(graph, items, item_count, edges);

    for (size_t i = count; i > 0; i--) {  // filling moved each start to the next one's
        edges->first[i] = edges->first[i - 1];
    }
    edges->first[0] = 0;
    return BERTH_OK;
}

static uint64_t add_capped(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

typedef struct Visit {
    int32_t node;
    int32_t next;  // edge
} Visit;

enum { NEW = 0, OPEN, DONE };

// Everything below `top`; `stack` has room for depth_max.
static BerthStatus walk_from(Graph* graph, const Edges* edges, const char* name, int32_t top,
                             int32_t depth_max, Visit* stack, uint8_t* mark) {
    int32_t depth = 1;
    stack[0] = (Visit){top, edges->first[top]};
    mark[top] = OPEN;
    while (depth > 0) {
        Visit* visit = &stack[depth - 1];
        GraphNode* node = &graph->nodes[visit->node];

        if (visit->next == edges->first[visit->node + 1]) {
            mark[visit->node] = DONE;
            depth--;
            continue;
        }

        const int32_t child = edges->to[visit->next];
        if (mark[child] == OPEN) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: the node uses itself", name, graph->nodes[child].line);
        }
        if (mark[child] == DONE) {
            node->bytes = add_capped(node->bytes, graph->nodes[child].bytes);
            visit->next++;
            continue;
        }

        if (depth == depth_max) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: nodes use each other more than %d deep", name,
                           graph->nodes[child].line, depth_max);
        }

        mark[child] = OPEN;
        stack[depth++] = (Visit){child, edges->first[child]};
    }
    return BERTH_OK;
}

BerthStatus bi_graph_check(Graph* graph, const char* name, int32_t depth_max, uint64_t bytes_max) {
    Edges edges = {NULL, NULL, 0};
    BerthStatus status = resolve_links(graph, name, &edges);

    Visit* stack = bi_arena_take(&graph->arena, (size_t)depth_max, sizeof *stack);
    uint8_t* mark = bi_arena_take(&graph->arena, graph->node_count, sizeof *mark);
    if (status == BERTH_OK && (stack == NULL || mark == NULL)) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu nodes", name, graph->node_count);
    }

    uint64_t bytes = 0;
    for (size_t i = 0; i < graph->node_count && status == BERTH_OK; i++) {
        if (mark[i] == NEW) {
            status = walk_from(graph, &edges, name, (int32_t)i, depth_max, stack, mark);
        }
        if (status == BERTH_OK && graph->nodes[i].parent < 0 && !graph->nodes[i].is_geometry) {
            bytes = add_capped(bytes, graph->nodes[i].bytes);
        }
    }

    if (status == BERTH_OK && bytes > bytes_max) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: with every use counted it has %llu bytes of geometry, at most %llu are read",
                       name, (unsigned long long)bytes, (unsigned long long)bytes_max);
    }
    return status;
}
