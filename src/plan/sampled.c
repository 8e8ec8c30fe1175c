// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edges of the sampled SBL (paper 001's FIXED-RES-BISECTION): each is bisected until its pieces are shorter
// than the resolution, and only the middles are checked. What is known about an edge is how often it was
// bisected.
// Entries: bi_sampled_create, bi_sampled_add, bi_sampled_drop, bi_sampled_check.

#include "plan/sampled.h"

#include <math.h>
#include <string.h>

void bi_sampled_create(SampledEdges* edges, PlanSpace* space) {
    const size_t size = sizeof(SampledEdge), number = sizeof(double);
    *edges = (SampledEdges){.space = space, .unused = -1};
    bi_list_init(&edges->edges, &space->allocator, size);
    bi_list_init(&edges->points, &space->allocator, number);
}

void bi_sampled_destroy(SampledEdges* edges) {
    bi_list_free(&edges->edges);
    bi_list_free(&edges->points);
}

static SampledEdge* edge_at(const SampledEdges* edges, int32_t number) {
    return (SampledEdge*)edges->edges.data + number;
}

static double* ends_of(const SampledEdges* edges, int32_t number) {
    return (double*)edges->points.data + 2 * (size_t)number * (size_t)edges->space->dimension;
}

int32_t bi_sampled_add(SampledEdges* edges, const double* from, const double* to) {
    const size_t dimension = (size_t)edges->space->dimension;
    int32_t number = edges->unused;
    if (number >= 0) {
        edges->unused = edge_at(edges, number)->next;
    } else {
        if (bi_list_more(&edges->edges, 1) == NULL || bi_list_more(&edges->points, 2 * dimension) == NULL) {
            return -1;
        }
        number = (int32_t)edges->edges.count++;
        edges->points.count += 2 * dimension;
    }

    memcpy(ends_of(edges, number), from, dimension * sizeof *from);
    memcpy(ends_of(edges, number) + dimension, to, dimension * sizeof *to);
    *edge_at(edges, number) = (SampledEdge){.length = bi_space_distance(edges->space, from, to)};
    return number;
}

void bi_sampled_drop(SampledEdges* edges, int32_t number) {
    edge_at(edges, number)->next = edges->unused;
    edges->unused = number;
}

// The edge whose pieces are longest, if they are not short enough yet; else -1.
static int32_t find_longest(const SampledEdges* edges, const int32_t* numbers, int32_t count) {
    int32_t best = -1;
    double longest = edges->space->resolution;
    for (int32_t i = 0; i < count; ++i) {
        const SampledEdge* edge = edge_at(edges, numbers[i]);
        const double piece = ldexp(edge->length, -edge->halved);
        if (piece > longest) {
            longest = piece;
            best = i;
        }
    }
    return best;
}

// The middles of all its pieces.
static BerthStatus halve(SampledEdges* edges, int32_t number, bool* is_free) {
    PlanSpace* space = edges->space;
    SampledEdge* edge = edge_at(edges, number);
    const int64_t pieces = (int64_t)1 << edge->halved;
    double* middle = bi_list_more(&edges->points, (size_t)space->dimension);
    if (middle == NULL) {
        return BERTH_ERR_MEMORY;
    }
    const double* from = ends_of(edges, number);  // not before: the list may have moved

    *is_free = true;
    for (int64_t i = 0; i < pieces && *is_free; ++i) {
        uint8_t free_here = 0;
        if ((i & 0xff) == 0xff && bi_space_poll_stop(space) != SPACE_GOES_ON) {
            *is_free = false;
            break;
        }
        bi_space_between(space, from, from + space->dimension, ((double)i + 0.5) / (double)pieces, middle);
        const BerthStatus status = bi_space_ask_points(space, middle, 1, &free_here);
        if (status != BERTH_OK) {
            return status;
        }
        *is_free = free_here != 0;
    }
    edge->halved += *is_free;
    return BERTH_OK;
}

BerthStatus bi_sampled_check(SampledEdges* edges, const int32_t* numbers, int32_t count, int32_t* blocked) {
    *blocked = -1;
    for (int32_t at = find_longest(edges, numbers, count); at >= 0;
         at = find_longest(edges, numbers, count)) {
        bool is_free = false;
        const BerthStatus status = halve(edges, numbers[at], &is_free);
        if (status != BERTH_OK || !is_free) {
            *blocked = at;
            return status;
        }
    }
    return BERTH_OK;
}
