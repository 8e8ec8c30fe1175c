// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// FCL behind a C interface, see peer_fcl.h. Default solver (libccd) and default tolerances throughout: this
// file shows FCL as its users meet it. Two things are kept away from FCL: distances that involve a halfspace
// (a null support function, so it crashes), and, in the pair form only, the distance of a sphere that
// overlaps a mesh (FCL then returns some positive number).
#include "peer_fcl.h"

#include <fcl/fcl.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

static_assert(EIGEN_MAX_ALIGN_BYTES == 16,
              "Debian builds FCL without AVX: compile with -DEIGEN_MAX_ALIGN_BYTES=16");

struct PeerFcl {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
};

namespace {

using Object = fcl::CollisionObjectd;

fcl::Transform3d transform_of(const double pose[12]) {
    fcl::Transform3d out = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.linear()(i, j) = pose[3 * i + j];
        }
        out.translation()[i] = pose[9 + i];
    }
    return out;
}

PeerFcl* wrap(std::shared_ptr<fcl::CollisionGeometryd> geometry) {
    geometry->computeLocalAABB();
    return new PeerFcl{std::move(geometry)};
}

bool is_halfspace(const fcl::CollisionGeometryd& g) {
    return g.getNodeType() == fcl::GEOM_HALFSPACE;
}

bool is_convex_shape(const PeerFcl* g) {
    return g->geometry->getObjectType() == fcl::OT_GEOM && !is_halfspace(*g->geometry);
}

bool is_sphere_with_mesh(const PeerFcl* a, const PeerFcl* b) {
    return a->geometry->getNodeType() == fcl::GEOM_SPHERE && b->geometry->getObjectType() == fcl::OT_BVH;
}

void copy_point(double* out, const fcl::Vector3d& p) {
    if (out) {
        out[0] = p[0];
        out[1] = p[1];
        out[2] = p[2];
    }
}

}  // namespace

PeerFcl* peer_fcl_sphere(double radius) {
    return wrap(std::make_shared<fcl::Sphered>(radius));
}

PeerFcl* peer_fcl_box(double size_x, double size_y, double size_z) {
    return wrap(std::make_shared<fcl::Boxd>(size_x, size_y, size_z));
}

PeerFcl* peer_fcl_capsule(double radius, double length) {
    return wrap(std::make_shared<fcl::Capsuled>(radius, length));
}

PeerFcl* peer_fcl_cylinder(double radius, double length) {
    return wrap(std::make_shared<fcl::Cylinderd>(radius, length));
}

PeerFcl* peer_fcl_cone(double radius, double length) {
    return wrap(std::make_shared<fcl::Coned>(radius, length));
}

PeerFcl* peer_fcl_halfspace(double nx, double ny, double nz, double offset) {
    return wrap(std::make_shared<fcl::Halfspaced>(nx, ny, nz, offset));
}

PeerFcl* peer_fcl_mesh(const double* vertices, int32_t vertex_count, const int32_t* triangles,
                       int32_t triangle_count) {
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> faces;
    for (int32_t i = 0; i < vertex_count; i++) {
        points.emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    }
    for (int32_t i = 0; i < triangle_count; i++) {
        const int32_t* t = triangles + 3 * i;
        faces.emplace_back(static_cast<std::size_t>(t[0]), static_cast<std::size_t>(t[1]),
                           static_cast<std::size_t>(t[2]));
    }
    auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    bool built = model->beginModel(triangle_count, vertex_count) == fcl::BVH_OK &&
                 model->addSubModel(points, faces) == fcl::BVH_OK && model->endModel() == fcl::BVH_OK;
    return built ? wrap(model) : nullptr;
}

PeerFcl* peer_fcl_convex(const double* vertices, int32_t vertex_count, const int32_t* triangles,
                         int32_t triangle_count) {
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    for (int32_t i = 0; i < vertex_count; i++) {
        points->emplace_back(vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]);
    }
    for (int32_t i = 0; i < triangle_count; i++) {
        faces->push_back(3);
        faces->insert(faces->end(), triangles + 3 * i, triangles + 3 * i + 3);
    }
    return wrap(std::make_shared<fcl::Convexd>(points, triangle_count, faces));
}

void peer_fcl_destroy(PeerFcl* geometry) {
    delete geometry;
}

int peer_fcl_collide(const PeerFcl* a, const double pose_a[12], const PeerFcl* b, const double pose_b[12]) {
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    fcl::collide(a->geometry.get(), transform_of(pose_a), b->geometry.get(), transform_of(pose_b), request,
                 result);
    return result.isCollision();
}

double peer_fcl_distance(const PeerFcl* a, const double pose_a[12], const PeerFcl* b, const double pose_b[12],
                         double point_a[3], double point_b[3]) {
    if (is_halfspace(*a->geometry) || is_halfspace(*b->geometry)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if ((is_sphere_with_mesh(a, b) || is_sphere_with_mesh(b, a)) && peer_fcl_collide(a, pose_a, b, pose_b)) {
        return -1;
    }
    fcl::DistanceRequestd request(point_a || point_b);
    fcl::DistanceResultd result;
    try {
        fcl::distance(a->geometry.get(), transform_of(pose_a), b->geometry.get(), transform_of(pose_b),
                      request, result);
    } catch (const std::exception&) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    copy_point(point_a, result.nearest_points[0]);
    copy_point(point_b, result.nearest_points[1]);
    return result.min_distance <= 0 ? -1 : result.min_distance;
}

double peer_fcl_distance_within(const PeerFcl* a, const double pose_a[12], const PeerFcl* b,
                                const double pose_b[12], double enough) {
    if (a->geometry->getObjectType() != fcl::OT_BVH || b->geometry->getObjectType() != fcl::OT_BVH) {
        return peer_fcl_distance(a, pose_a, b, pose_b, nullptr, nullptr);
    }
    if (!(enough > 0)) {
        return peer_fcl_collide(a, pose_a, b, pose_b) ? -1 : 0;
    }
    fcl::DistanceRequestd request(false);
    fcl::DistanceResultd result;  // FCL descends only where something nearer than the result may be
    result.min_distance = std::fmin(enough, std::numeric_limits<double>::max());
    fcl::distance(a->geometry.get(), transform_of(pose_a), b->geometry.get(), transform_of(pose_b), request,
                  result);
    return result.min_distance <= 0 ? -1 : result.min_distance;
}

double peer_fcl_signed_distance(const PeerFcl* a, const double pose_a[12], const PeerFcl* b,
                                const double pose_b[12]) {
    if (!is_convex_shape(a) || !is_convex_shape(b)) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    fcl::DistanceRequestd request(true, true);
    fcl::DistanceResultd result;
    try {
        fcl::distance(a->geometry.get(), transform_of(pose_a), b->geometry.get(), transform_of(pose_b),
                      request, result);
    } catch (const std::exception&) {  // libccd's EPA gives up on some degenerate polytopes
        return std::numeric_limits<double>::quiet_NaN();
    }
    return result.min_distance;
}

struct PeerFclWorld {
    std::vector<std::unique_ptr<Object>> bodies, obstacles;
    std::vector<std::pair<int, int>> self_pairs;
    fcl::DynamicAABBTreeCollisionManagerd manager;
    bool has_halfspace = false;

    void place(const double* poses) {
        for (std::size_t i = 0; i < bodies.size(); i++) {
            bodies[i]->setTransform(transform_of(poses + 12 * i));
            bodies[i]->computeAABB();
        }
    }

    // Leaves the least distance so far in `data`; false if it cannot get smaller.
    bool environment_distance(fcl::DefaultDistanceData<double>& data) {
        for (auto& body : bodies) {
            manager.distance(body.get(), &data, fcl::DefaultDistanceFunction<double>);
            if (data.result.min_distance <= 0) {
                return false;
            }
        }
        return true;
    }

    void self_distance(fcl::DefaultDistanceData<double>& data) {
        for (const auto& pair : self_pairs) {
            Object* a = bodies[static_cast<std::size_t>(pair.first)].get();
            Object* b = bodies[static_cast<std::size_t>(pair.second)].get();
            if (a->getAABB().distance(b->getAABB()) < data.result.min_distance) {
                fcl::distance(a, b, data.request, data.result);
                if (data.result.min_distance <= 0) {
                    return;
                }
            }
        }
    }
};

namespace {

double finish(double min_distance) {
    if (min_distance <= 0) {
        return -1;
    }
    bool none = min_distance == std::numeric_limits<double>::max();
    return none ? std::numeric_limits<double>::infinity() : min_distance;
}

}  // namespace

PeerFclWorld* peer_fcl_world_create(void) {
    return new PeerFclWorld;
}

void peer_fcl_world_destroy(PeerFclWorld* world) {
    delete world;
}

int peer_fcl_world_add_body(PeerFclWorld* world, const PeerFcl* geometry) {
    world->bodies.push_back(std::make_unique<Object>(geometry->geometry));
    world->has_halfspace |= is_halfspace(*geometry->geometry);
    return static_cast<int>(world->bodies.size()) - 1;
}

void peer_fcl_world_add_obstacle(PeerFclWorld* world, const PeerFcl* geometry, const double pose[12]) {
    world->obstacles.push_back(std::make_unique<Object>(geometry->geometry, transform_of(pose)));
    world->obstacles.back()->computeAABB();
    world->has_halfspace |= is_halfspace(*geometry->geometry);
}

void peer_fcl_world_add_self_pair(PeerFclWorld* world, int body_a, int body_b) {
    world->self_pairs.emplace_back(body_a, body_b);
}

void peer_fcl_world_setup(PeerFclWorld* world) {
    std::vector<Object*> objects;
    for (auto& obstacle : world->obstacles) {
        objects.push_back(obstacle.get());
    }
    world->manager.clear();
    world->manager.registerObjects(objects);
    world->manager.setup();
}

int peer_fcl_world_check(PeerFclWorld* world, const double* poses) {
    world->place(poses);
    fcl::DefaultCollisionData<double> data;
    for (auto& body : world->bodies) {
        world->manager.collide(body.get(), &data, fcl::DefaultCollisionFunction<double>);
        if (data.result.isCollision()) {
            return 1;
        }
    }
    for (const auto& pair : world->self_pairs) {
        Object* a = world->bodies[static_cast<std::size_t>(pair.first)].get();
        Object* b = world->bodies[static_cast<std::size_t>(pair.second)].get();
        if (a->getAABB().overlap(b->getAABB()) && fcl::collide(a, b, data.request, data.result) > 0) {
            return 1;
        }
    }
    return 0;
}

double peer_fcl_world_distance(PeerFclWorld* world, const double* poses) {
    if (world->has_halfspace) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    world->place(poses);
    fcl::DefaultDistanceData<double> data;
    world->environment_distance(data);
    return finish(data.result.min_distance);
}

double peer_fcl_world_distance_self(PeerFclWorld* world, const double* poses) {
    if (world->has_halfspace) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    world->place(poses);
    fcl::DefaultDistanceData<double> data;
    if (world->environment_distance(data)) {
        world->self_distance(data);
    }
    return finish(data.result.min_distance);
}
