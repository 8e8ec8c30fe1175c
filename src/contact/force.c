// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Forces of contacts (paper 003, equation 1; signs as in errata 4): a spring and a damper along the normal that never
// pull, viscous friction along the surface, at most the friction coefficient times the normal force. The default law,
// by the common volume of bodies, is in overlap.c; pieces without a volume keep this one.
// Entry: bi_contact_forces.

#include "contact/contact.h"

static Vec3 force_on_a(const BerthContactWorld* world, const BerthMaterial* m, const BerthContact* c) {
    const Vec3 va = body_speed(&world->bodies[c->body_a], c->point);
    const Vec3 vb = body_speed(&world->bodies[c->body_b], c->point);
    const Vec3 dv = v3_sub(va, vb);
    const double closing = v3_dot(dv, c->normal);
    const double push = m->stiffness * c->depth + m->damping * closing;
    const double normal = push > 0.0 ? push : 0.0;

    Vec3 side = v3_scale(v3_mad(dv, -closing, c->normal), -m->viscosity);
    if (world->def.coulomb) {
        const double most = m->friction * normal, size = v3_length(side);
        side = size > most ? v3_scale(side, most / size) : side;
    }
    return v3_mad(side, -normal, c->normal);
}

static void add_force(BerthWrench* wrench, Vec3 force, Vec3 arm) {
    wrench->force = v3_add(wrench->force, force);
    wrench->moment = v3_add(wrench->moment, v3_cross(arm, force));
}

void bi_contact_forces(BerthContactWorld* world, const BodyPair* pair, int32_t first, int32_t end) {
    const Body* a = &world->bodies[pair->a];
    const Body* b = &world->bodies[pair->b];
    const Vec3 centre_a = pose_apply(&a->world_from_body, a->centroid);
    const Vec3 centre_b = pose_apply(&b->world_from_body, b->centroid);

    const bool overlaps = world->def.method == BERTH_CONTACT_OVERLAP;
    if (overlaps) {
        bi_contact_overlap_forces(world, pair, first, end);
    }

    // All points' dampers act at once.
    BerthMaterial material = pair->material;
    material.damping = damper_rate(world, pair, material.damping, end - first);
    material.viscosity = damper_rate(world, pair, material.viscosity, end - first);
    for (int32_t i = first; i < end; ++i) {
        BerthContact* c = &world->contacts[i];
        if (overlaps && bi_contact_has_overlap(world, c)) {
            continue;
        }
        c->force = force_on_a(world, &material, c);
        add_force(&world->wrenches[pair->a], c->force, v3_sub(c->point, centre_a));
        add_force(&world->wrenches[pair->b], v3_neg(c->force), v3_sub(c->point, centre_b));
    }
}
