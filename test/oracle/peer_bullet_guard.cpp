// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bullet as a guard. See peer_guard.h.

#include "oracle/peer_guard.h"

#include <memory>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>

namespace {

btTransform transform_of(const double* pose) {
    btTransform t;
    t.setBasis(btMatrix3x3(btScalar(pose[0]), btScalar(pose[1]), btScalar(pose[2]), btScalar(pose[3]),
                           btScalar(pose[4]), btScalar(pose[5]), btScalar(pose[6]), btScalar(pose[7]),
                           btScalar(pose[8])));
    t.setOrigin(btVector3(btScalar(pose[9]), btScalar(pose[10]), btScalar(pose[11])));
    return t;
}

struct Body {
    std::unique_ptr<btConvexShape> shape;
    btTransform pose;
    btVector3 low, high;  // grown
    btBroadphaseProxy* proxy = nullptr;
    btDbvtNode* leaf = nullptr;
    int32_t number = 0;
};

struct BulletGuard : PeerGuard {
    bool broad;
    btScalar margin;
    int32_t movers;
    std::vector<Body> bodies;
    std::vector<uint8_t> allowed;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btDbvt tree;
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    PeerNear* out = nullptr;
    int32_t capacity = 0, count = 0;
    const Body* mover = nullptr;

    void measure(Body& body) const {
        body.shape->getAabb(body.pose, body.low, body.high);
        const btVector3 grown(margin / 2, margin / 2, margin / 2);
        body.low -= grown;
        body.high += grown;
    }

    void near(const Body& a, const Body& b) {
        if (b.number < movers && allowed[size_t(a.number) * size_t(movers) + size_t(b.number)]) {
            return;
        }
        distances += 1;
        btPointCollector collector;
        btGjkPairDetector detector(a.shape.get(), b.shape.get(), &simplex, &depth);
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = a.pose;
        input.m_transformB = b.pose;
        const btScalar most = a.shape->getMargin() + b.shape->getMargin() + margin;
        input.m_maximumDistanceSquared = most * most;
        detector.getClosestPoints(input, collector, nullptr);
        if (collector.m_hasResult && collector.m_distance <= margin) {
            if (count < capacity) {
                out[count] = PeerNear{a.number, b.number, double(collector.m_distance)};
            }
            count += 1;
        }
    }

    int32_t cycle(const double* poses, PeerNear* to, int32_t room) override {
        out = to;
        capacity = room;
        count = 0;
        for (int32_t i = 0; i < movers; ++i) {
            bodies[size_t(i)].pose = transform_of(poses + 12 * i);
            measure(bodies[size_t(i)]);
        }
        broad ? cycle_broad() : cycle_tree();
        return count;
    }

    void cycle_broad() {
        for (int32_t i = 0; i < movers; ++i) {
            Body& body = bodies[size_t(i)];
            broadphase.setAabb(body.proxy, body.low, body.high, &dispatcher);
        }
        broadphase.calculateOverlappingPairs(&dispatcher);
        const btBroadphasePairArray& pairs = broadphase.getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < pairs.size(); ++i) {
            const Body& a = *static_cast<Body*>(pairs[i].m_pProxy0->m_clientObject);
            const Body& b = *static_cast<Body*>(pairs[i].m_pProxy1->m_clientObject);
            if (TestAabbAgainstAabb2(a.low, a.high, b.low, b.high)) {  // the pair cache holds enlarged boxes
                a.number < b.number ? near(a, b) : near(b, a);
            }
        }
    }

    struct Collector : btDbvt::ICollide {
        BulletGuard* guard;
        void Process(const btDbvtNode* leaf) override {
            guard->near(*guard->mover, *static_cast<Body*>(leaf->data));
        }
    };

    void cycle_tree() {
        Collector collector;
        collector.guard = this;
        for (int32_t i = 0; i < movers; ++i) {
            const Body& body = bodies[size_t(i)];
            mover = &body;
            tree.collideTV(tree.m_root, btDbvtVolume::FromMM(body.low, body.high), collector);
            for (int32_t k = i + 1; k < movers; ++k) {
                if (TestAabbAgainstAabb2(body.low, body.high, bodies[size_t(k)].low,
                                         bodies[size_t(k)].high)) {
                    near(body, bodies[size_t(k)]);
                }
            }
        }
    }

    ~BulletGuard() override {
        for (Body& body : bodies) {
            if (body.proxy != nullptr) {
                broadphase.destroyProxy(body.proxy, &dispatcher);
            }
        }
    }
};

}  // namespace

PeerGuard* peer_bullet_guard(PeerGuardWay way, double margin, const double* capsules, int32_t capsule_count,
                             const double* boxes, int32_t box_count, const uint8_t* allowed) {
    static const double still[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    BulletGuard* guard = new BulletGuard;
    guard->broad = way == PEER_BULLET_BROAD;
    guard->margin = btScalar(margin);
    guard->movers = capsule_count;
    guard->allowed.assign(allowed, allowed + size_t(capsule_count) * size_t(capsule_count));
    guard->bodies.resize(size_t(capsule_count + box_count));
    for (int32_t i = 0; i < capsule_count + box_count; ++i) {
        Body& body = guard->bodies[size_t(i)];
        const bool moves = i < capsule_count;
        const double* box = boxes + 15 * (i - capsule_count);
        body.number = i;
        body.pose = transform_of(moves ? still : box);
        if (moves) {
            body.shape.reset(new btCapsuleShapeZ(btScalar(capsules[2 * i]), btScalar(capsules[2 * i + 1])));
        } else {
            body.shape.reset(new btBoxShape(
                btVector3(btScalar(box[12] / 2), btScalar(box[13] / 2), btScalar(box[14] / 2))));
            body.shape->setMargin(0);
        }
        guard->measure(body);
        const int group = moves ? 1 : 2;
        if (guard->broad) {
            body.proxy = guard->broadphase.createProxy(body.low, body.high, body.shape->getShapeType(), &body,
                                                       group, moves ? 3 : 1, &guard->dispatcher);
        } else if (!moves) {
            body.leaf = guard->tree.insert(btDbvtVolume::FromMM(body.low, body.high), &body);
        }
    }
    guard->broad ? guard->broadphase.optimize() : guard->tree.optimizeTopDown();
    return guard;
}
