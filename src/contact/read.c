// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reading a contact world: bodies, features, what it assumes.

#include <stddef.h>

#include "contact/contact.h"

const char* berth_contact_doubt_name(BerthContactDoubt doubt) {
    static const char* const names[] = {"numeric", "not_convex", "no_features"};
    return (int)doubt >= 0 && doubt <= BERTH_DOUBT_NO_FEATURES ? names[doubt] : "numeric";
}

int32_t berth_contact_body_count(const BerthContactWorld* world) {
    return world != NULL ? world->body_count : 0;
}

BerthStatus berth_contact_body(const BerthContactWorld* world, int32_t body, BerthContactBody* out) {
    if (world == NULL || out == NULL || body < 0 || body >= world->body_count) {
        return bi_fail_quietly(BERTH_ERR_ARGUMENT);
    }

    const Body* b = &world->bodies[body];
    *out = (BerthContactBody){.name = b->name,
                              .motion = b->motion,
                              .mass = b->mass,
                              .centroid = b->centroid,
                              .world_from_body = b->world_from_body,
                              .velocity = b->velocity,
                              .spin = b->spin,
                              .piece_count = b->piece_count};

    for (int32_t i = 0; i < b->piece_count; ++i) {
        const Polytope* p = &world->pieces[b->first_piece + i].polytope;
        out->vertex_count += p->vertex_count;
        out->edge_count += p->edge_count;
        out->face_count += p->face_count;
    }

    if (b->motion == BERTH_BODY_FREE) {
        const Vec3 centre = pose_apply(&b->world_from_body, b->centroid);
        out->energy = 0.5 * b->mass * v3_length_sq(b->velocity) + 0.5 * v3_dot(b->momentum, b->spin) -
                      b->mass * v3_dot(world->def.gravity, centre);
    }

    return BERTH_OK;
}

const char* berth_feature_name(BerthFeatureKind kind) {
    static const char* const names[] = {"round", "vertex", "edge", "face"};
    return (unsigned)kind < 4 ? names[kind] : "unknown";
}

int32_t berth_contact_feature(const BerthContactWorld* world, int32_t body, int32_t piece,
                              BerthFeature feature, BerthVec3* corners, int32_t capacity) {
    if (world == NULL || body < 0 || body >= world->body_count || piece < 0 ||
        piece >= world->bodies[body].piece_count || (corners == NULL && capacity > 0)) {
        return 0;
    }

    const Polytope* p = &world->pieces[world->bodies[body].first_piece + piece].polytope;
    const int32_t i = feature.index;
    if (feature.kind == BERTH_FEATURE_VERTEX && i >= 0 && i < p->vertex_count) {
        if (capacity > 0) {
            corners[0] = p->vertices[i];
        }
        return 1;
    }

    if (feature.kind == BERTH_FEATURE_EDGE && i >= 0 && i < p->edge_count) {
        for (int32_t k = 0; k < 2 && k < capacity; ++k) {
            corners[k] = p->vertices[k == 0 ? p->edges[i].tail : p->edges[i].head];
        }
        return 2;
    }

    if (feature.kind != BERTH_FEATURE_FACE || i < 0 || i >= p->face_count) {
        return 0;
    }

    for (int32_t k = 0; k < p->faces[i].count && k < capacity; ++k) {
        corners[k] = p->vertices[p->corners[p->faces[i].first + k].vertex];
    }
    return p->faces[i].count;
}

int32_t berth_contact_assumed_count(const BerthContactWorld* world) {
    return world != NULL ? world->assumed.count : 0;
}

BerthAssumed berth_contact_assumed(const BerthContactWorld* world, int32_t index) {
    const bool there = index >= 0 && index < berth_contact_assumed_count(world);
    return there ? world->assumed.items[index] : (BerthAssumed){"", "", 0};
}

int32_t berth_contact_declared_count(const BerthContactWorld* world) {
    return world != NULL ? world->declared.count : 0;
}

BerthAssumed berth_contact_declared(const BerthContactWorld* world, int32_t index) {
    const bool there = index >= 0 && index < berth_contact_declared_count(world);
    return there ? world->declared.items[index] : (BerthAssumed){"", "", 0};
}
