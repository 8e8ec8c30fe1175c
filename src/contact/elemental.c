// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Elemental contacts as in paper 003 (section 3.3), with the corrections of errata 4: a vertex inside the other body
// touches the face of least depth, over all of that body's faces; two edges touch when their Gauss arcs cross, they
// pass each other between their ends, and are no deeper than `reach`. Candidates come from the octrees.
// Entry: bi_contact_add_elemental.

#include "contact/contact.h"

typedef struct Elements {
    Work* work;
    double reach;
    int32_t first;  // of world->found that is elemental
} Elements;

static bool found_already(const Elements* elements, BerthFeature a, BerthFeature b) {
    const Work* work = elements->work;
    for (int32_t i = elements->first; i < work->found_count; ++i) {
        const BerthContact* c = &work->world->found[i];
        if (c->feature_a.kind == a.kind && c->feature_a.index == a.index && c->feature_b.kind == b.kind &&
            c->feature_b.index == b.index) {
            return true;
        }
    }
    return false;
}

// check-vfs: vertices of a leaf of one body against all of the other.
static void try_leaf_vertices(Elements* elements, const BallOctreeNode* leaf, bool of_a) {
    Work* work = elements->work;
    BerthContactWorld* world = work->world;
    const Polytope* p = of_a ? &work->a->polytope : &work->b->polytope;
    const Polytope* q = of_a ? &work->b->polytope : &work->a->polytope;
    uint32_t* seen = world->vertex_seen[of_a ? 0 : 1];
    const int32_t* vertices = ball_octree_vertices(&p->octree, leaf);

    for (int32_t i = 0; i < leaf->vertex_count; ++i) {
        const int32_t v = vertices[i];
        if (seen[v] == world->search) {
            continue;
        }

        seen[v] = world->search;
        ++world->counters.vertex_faces;
        const Vec3 at = of_a ? pose_apply_back(&work->a_from_b, p->vertices[v])
                             : pose_apply(&work->a_from_b, p->vertices[v]);

        int32_t face = 0;
        const double height = polytope_height(q, at, &face);
        if (!(height <= work->slack) || q->faces[face].inner) {
            continue;
        }

        const double depth = height < 0.0 ? -height : 0.0;
        const Vec3 n = q->faces[face].normal, middle = v3_mad(at, 0.5 * depth, n);
        const BerthFeature vertex = {BERTH_FEATURE_VERTEX, v}, on = {BERTH_FEATURE_FACE, face};

        if (of_a) {
            bi_contact_add_point(work, vertex, on, pose_apply(&work->a_from_b, middle),
                                 v3_neg(pose_turn(&work->a_from_b, n)), depth);
        } else {
            bi_contact_add_point(work, on, vertex, middle, n, depth);
        }
    }
}

// check-ees
static void try_edge_contact(Elements* elements, int32_t index_a, int32_t index_b) {
    Work* work = elements->work;
    const Polytope* a = &work->a->polytope;
    const Polytope* b = &work->b->polytope;
    const PolyEdge* edge_a = &a->edges[index_a];
    const PolyEdge* edge_b = &b->edges[index_b];
    const EdgePair pair = bi_contact_edge_pair(work, index_a, index_b);

    ++work->world->counters.edge_edges;
    const bool inner = a->faces[edge_a->left].inner || a->faces[edge_a->right].inner ||
                       b->faces[edge_b->left].inner || b->faces[edge_b->right].inner;
    if (!pair.crosses || inner || !(pair.depth >= -work->slack && pair.depth <= elements->reach) ||
        !(pair.along_a >= 0.0 && pair.along_a <= edge_a->length) ||
        !(pair.along_b >= 0.0 && pair.along_b <= edge_b->length)) {
        return;
    }

    const BerthFeature on_a = {BERTH_FEATURE_EDGE, index_a}, on_b = {BERTH_FEATURE_EDGE, index_b};
    if (!found_already(elements, on_a, on_b)) {
        bi_contact_add_point(work, on_a, on_b, v3_lerp(pair.point_a, pair.point_b, 0.5), pair.n,
                             pair.depth > 0.0 ? pair.depth : 0.0);
    }
}

static void visit_leaf_pair(void* user, const BallOctreeNode* leaf_a, const BallOctreeNode* leaf_b) {
    Elements* elements = user;
    Work* work = elements->work;

    try_leaf_vertices(elements, leaf_a, true);
    try_leaf_vertices(elements, leaf_b, false);

    const int32_t* edges_a = ball_octree_edges(&work->a->polytope.octree, leaf_a);
    const int32_t* edges_b = ball_octree_edges(&work->b->polytope.octree, leaf_b);
    for (int32_t i = 0; i < leaf_a->edge_count; ++i) {
        for (int32_t k = 0; k < leaf_b->edge_count; ++k) {
            if (!bi_contact_mark_edges_seen(work->world, edges_a[i], edges_b[k])) {
                try_edge_contact(elements, edges_a[i], edges_b[k]);
            }
        }
    }
}

void bi_contact_add_elemental(Work* work, double reach) {
    Elements elements = {work, reach, work->found_count};

    bi_contact_begin_search(work->world);
    work->world->counters.node_tests += bi_octree_walk(&work->a->polytope.octree, &work->b->polytope.octree,
                                                       &work->a_from_b, reach, visit_leaf_pair, &elements);
}
