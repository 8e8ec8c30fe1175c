// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL as a guard. See peer_guard.h.

#include "oracle/peer_guard.h"

#include <memory>
#include <vector>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/distance.h>

namespace {

fcl::Transform3d transform_of(const double* pose) {
    fcl::Transform3d t = fcl::Transform3d::Identity();
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            t.linear()(r, c) = pose[3 * r + c];
        }
        t.translation()[r] = pose[9 + r];
    }
    return t;
}

// A collision object whose box is larger: FCL has no margin of its own in collide().
struct Body : fcl::CollisionObjectd {
    int32_t number;
    double grown;
    Body(const std::shared_ptr<fcl::CollisionGeometryd>& shape, const fcl::Transform3d& pose, int32_t n,
         double g)
        : fcl::CollisionObjectd(shape, pose), number(n), grown(g) {
        grow();
    }
    void grow() {
        aabb.expand(fcl::Vector3d(grown, grown, grown));
    }
    void place(const fcl::Transform3d& pose) {
        setTransform(pose);
        computeAABB();
        grow();
    }
};

struct FclGuard : PeerGuard {
    bool each;
    double margin;
    int32_t movers;
    std::vector<std::unique_ptr<Body>> bodies;
    std::vector<uint8_t> allowed;
    fcl::DynamicAABBTreeCollisionManagerd standing, moving;
    fcl::DistanceRequestd request;
    PeerNear* out = nullptr;
    int32_t capacity = 0, count = 0;

    void near(const Body& x, const Body& y) {
        const Body& a = x.number < y.number ? x : y;
        const Body& b = x.number < y.number ? y : x;
        if (b.number < movers && allowed[size_t(a.number) * size_t(movers) + size_t(b.number)]) {
            return;
        }
        distances += 1;
        fcl::DistanceResultd result;
        const double d = fcl::distance(&a, &b, request, result);
        if (d <= margin) {
            if (count < capacity) {
                out[count] = PeerNear{a.number, b.number, d};
            }
            count += 1;
        }
    }

    static bool met(fcl::CollisionObjectd* a, fcl::CollisionObjectd* b, void* data) {
        static_cast<FclGuard*>(data)->near(*static_cast<Body*>(a), *static_cast<Body*>(b));
        return false;
    }

    int32_t cycle(const double* poses, PeerNear* to, int32_t room) override {
        out = to;
        capacity = room;
        count = 0;
        for (int32_t i = 0; i < movers; ++i) {
            bodies[size_t(i)]->place(transform_of(poses + 12 * i));
        }
        if (each) {
            for (int32_t i = 0; i < movers; ++i) {
                standing.collide(bodies[size_t(i)].get(), this, met);
                for (int32_t k = i + 1; k < movers; ++k) {
                    if (bodies[size_t(i)]->getAABB().overlap(bodies[size_t(k)]->getAABB())) {
                        near(*bodies[size_t(i)], *bodies[size_t(k)]);
                    }
                }
            }
        } else {
            moving.update();
            standing.collide(&moving, this, met);
            moving.collide(this, met);
        }
        return count;
    }
};

}  // namespace

PeerGuard* peer_fcl_guard(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                          const double* boxes, int32_t box_count, const uint8_t* allowed) {
    static const double still[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    FclGuard* guard = new FclGuard;
    guard->each = way == PEER_FCL_EACH_OWN;
    guard->margin = margin;
    guard->movers = capsule_count;
    guard->allowed.assign(allowed, allowed + size_t(capsule_count) * size_t(capsule_count));
    guard->request.gjk_solver_type = way == PEER_FCL_TREES ? fcl::GST_LIBCCD : fcl::GST_INDEP;
    for (int32_t i = 0; i < capsule_count + box_count; ++i) {
        const bool moves = i < capsule_count;
        const double* box = boxes + 15 * (i - capsule_count);
        std::shared_ptr<fcl::CollisionGeometryd> shape;
        if (moves) {
            shape = std::make_shared<fcl::Capsuled>(capsules[2 * i], capsules[2 * i + 1]);
        } else {
            shape = std::make_shared<fcl::Boxd>(box[12], box[13], box[14]);
        }
        shape->computeLocalAABB();
        guard->bodies.emplace_back(new Body(shape, transform_of(moves ? still : box), i, margin / 2));
        (moves ? guard->moving : guard->standing).registerObject(guard->bodies.back().get());
    }
    guard->moving.setup();
    guard->standing.setup();
    return guard;
}

const char* peer_guard_name(PeerGuardWay way) {
    static const char* const names[PEER_GUARD_WAY_COUNT] = {
        "fcl trees", "fcl trees own gjk", "fcl each own gjk", "bullet broadphase", "bullet tree"};
    return names[way];
}

PeerGuard* peer_guard_create(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                             const double* boxes, int32_t box_count, const uint8_t* allowed) {
    return (way < PEER_BULLET_BROAD ? peer_fcl_guard : peer_bullet_guard)(
        way, margin, capsules, capsule_count, boxes, box_count, allowed);
}

void peer_guard_destroy(PeerGuard* guard) {
    delete guard;
}

int32_t peer_guard_cycle(PeerGuard* guard, const double* poses, PeerNear* out, int32_t capacity) {
    return guard->cycle(poses, out, capacity);
}

int64_t peer_guard_distances(const PeerGuard* guard) {
    return guard->distances;
}
