// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Bullet: hulls with polyhedral features, so that it clips faces; MuJoCo: meshes, several points asked for. Both with
// their defaults otherwise (Bullet's margin around hulls is set to 0: the bodies are to be the same).

#include "oracle/peer_contact.h"

#include <btBulletCollisionCommon.h>
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

struct PeerContact {
    virtual ~PeerContact() = default;
    virtual int ask(const BerthPose& pose, PeerPoint* out) = 0;
};

namespace {

struct Bullet final : PeerContact {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btConvexHullShape a, b;
    btCollisionObject object_a, object_b;
    btCollisionAlgorithm* algorithm = nullptr;
    btDispatcherInfo info;

    static void fill(btConvexHullShape& shape, const double* points, int count) {
        for (int i = 0; i < count; ++i) {
            shape.addPoint(
                btVector3(btScalar(points[3 * i]), btScalar(points[3 * i + 1]), btScalar(points[3 * i + 2])),
                false);
        }
        shape.recalcLocalAabb();
        shape.setMargin(0);
        shape.initializePolyhedralFeatures();
    }
    Bullet(const double* points_a, int count_a, const double* points_b, int count_b) {
        fill(a, points_a, count_a);
        fill(b, points_b, count_b);
        object_a.setCollisionShape(&a);
        object_b.setCollisionShape(&b);
        object_a.setWorldTransform(btTransform::getIdentity());
    }
    ~Bullet() override {
        if (algorithm != nullptr) {
            algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(algorithm);
        }
    }
    int ask(const BerthPose& p, PeerPoint* out) override {
        const btMatrix3x3 turn(btScalar(p.x.x), btScalar(p.y.x), btScalar(p.z.x), btScalar(p.x.y),
                               btScalar(p.y.y), btScalar(p.z.y), btScalar(p.x.z), btScalar(p.y.z),
                               btScalar(p.z.z));
        object_b.setWorldTransform(
            btTransform(turn, btVector3(btScalar(p.t.x), btScalar(p.t.y), btScalar(p.t.z))));
        btCollisionObjectWrapper wrap_a(nullptr, &a, &object_a, object_a.getWorldTransform(), -1, -1);
        btCollisionObjectWrapper wrap_b(nullptr, &b, &object_b, object_b.getWorldTransform(), -1, -1);
        if (algorithm == nullptr) {
            algorithm = dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
        }
        btManifoldResult result(&wrap_a, &wrap_b);
        algorithm->processCollision(&wrap_a, &wrap_b, info, &result);
        const btPersistentManifold* manifold = result.getPersistentManifold();
        int count = 0;
        const bool swapped = manifold != nullptr && manifold->getBody0() == &object_b;
        for (int i = 0; manifold != nullptr && i < manifold->getNumContacts() && count < PEER_POINTS; ++i) {
            const btManifoldPoint& point = manifold->getContactPoint(i);
            // Bullet's normal is on B and points to A.
            btVector3 n = swapped ? point.m_normalWorldOnB : -point.m_normalWorldOnB;
            const btVector3 at = (point.getPositionWorldOnA() + point.getPositionWorldOnB()) / 2;
            if (point.getDistance() <= 0) {
                out[count++] = {
                    {at.x(), at.y(), at.z()}, {n.x(), n.y(), n.z()}, -double(point.getDistance())};
            }
        }
        return count;
    }
};

struct MuJoCo final : PeerContact {
    mjModel* model = nullptr;
    mjData* data = nullptr;

    static void mesh(std::string& xml, const char* name, const double* points, int count) {
        char number[96];
        xml += std::string("<mesh name='") + name + "' vertex='";
        for (int i = 0; i < count; ++i) {
            std::snprintf(number, sizeof number, "%.9g %.9g %.9g ", points[3 * i], points[3 * i + 1],
                          points[3 * i + 2]);
            xml += number;
        }
        xml += "'/>";
    }
    MuJoCo(const double* points_a, int count_a, const double* points_b, int count_b) {
        std::string xml = "<mujoco><option gravity='0 0 0'><flag multiccd='enable'/></option><asset>";
        mesh(xml, "a", points_a, count_a);
        mesh(xml, "b", points_b, count_b);
        xml +=
            "</asset><worldbody><body name='a'><geom type='mesh' mesh='a'/></body>"
            "<body name='b'><freejoint/><geom type='mesh' mesh='b'/></body></worldbody></mujoco>";
        std::unique_ptr<mjVFS> files(new mjVFS);
        mj_defaultVFS(files.get());
        char error[500] = "";
        if (mj_makeEmptyFileVFS(files.get(), "pair.xml", int(xml.size())) == 0) {
            const int i = mj_findFileVFS(files.get(), "pair.xml");
            std::memcpy(files->filedata[i], xml.data(), xml.size());
            model = mj_loadXML("pair.xml", files.get(), error, sizeof error);
        }
        mj_deleteVFS(files.get());
        data = model != nullptr ? mj_makeData(model) : nullptr;
        if (data == nullptr) {
            std::fprintf(stderr, "MuJoCo: %s\n", error);
        }
    }
    ~MuJoCo() override {
        if (data != nullptr) {
            mj_deleteData(data);
        }
        if (model != nullptr) {
            mj_deleteModel(model);
        }
    }
    int ask(const BerthPose& p, PeerPoint* out) override {
        const BerthQuat q = berth_pose_to_quat(&p);
        const double values[7] = {p.t.x, p.t.y, p.t.z, q.w, q.x, q.y, q.z};
        std::memcpy(data->qpos, values, sizeof values);
        mj_kinematics(model, data);
        mj_collision(model, data);
        int count = 0;
        for (int i = 0; i < data->ncon && count < PEER_POINTS; ++i) {
            const mjContact& c = data->contact[i];
            // MuJoCo's normal goes from geom1 to geom2.
            const double side = c.geom1 == 0 ? 1.0 : -1.0;
            out[count++] = {{c.pos[0], c.pos[1], c.pos[2]},
                            {side * c.frame[0], side * c.frame[1], side * c.frame[2]},
                            -c.dist};
        }
        return count;
    }
};

}  // namespace

const char* peer_contact_name(PeerContactKind kind) {
    return kind == PEER_CONTACT_BULLET ? "Bullet" : "MuJoCo";
}

PeerContact* peer_contact_create(PeerContactKind kind, const double* a, int count_a, const double* b,
                                 int count_b) {
    if (kind == PEER_CONTACT_BULLET) {
        return new Bullet(a, count_a, b, count_b);
    }
    auto* peer = new MuJoCo(a, count_a, b, count_b);
    if (peer->data == nullptr) {
        delete peer;
        return nullptr;
    }
    return peer;
}

void peer_contact_destroy(PeerContact* peer) {
    delete peer;
}

int peer_contact_ask(PeerContact* peer, const BerthPose* world_from_b, PeerPoint* out) {
    return peer->ask(*world_from_b, out);
}
