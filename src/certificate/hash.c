// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Hashes of what a certificate is about. Numbers go in one way only: doubles as the eight bytes of their IEEE form,
// integers as eight bytes, both little-endian; texts and lists with their lengths before them.
// Entries: bi_certificate_hash_scene, bi_certificate_hash_segment.

#include <string.h>

#include "certificate/certificate.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/cells.h"

static void add_bits(Sha256* sha, uint64_t bits) {
    uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (uint8_t)(bits >> (8 * i));
    }
    bi_sha256_add(sha, bytes, sizeof bytes);
}

static void add_integer(Sha256* sha, int64_t value) {
    add_bits(sha, (uint64_t)value);
}

static void add_number(Sha256* sha, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    add_bits(sha, bits);
}

static void add_numbers(Sha256* sha, const double* values, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        add_number(sha, values[i]);
    }
}

static void add_text(Sha256* sha, const char* text) {
    const size_t length = strlen(text);
    add_integer(sha, (int64_t)length);
    bi_sha256_add(sha, text, length);
}

static void add_vector(Sha256* sha, Vec3 v) {
    add_number(sha, v.x);
    add_number(sha, v.y);
    add_number(sha, v.z);
}

static void add_pose(Sha256* sha, const Pose* pose) {
    add_vector(sha, pose->x);
    add_vector(sha, pose->y);
    add_vector(sha, pose->z);
    add_vector(sha, pose->t);
}

static void add_robot(Sha256* sha, const SceneRobot* robot) {
    const BerthRobot* model = robot->robot;
    add_text(sha, robot->name);
    add_pose(sha, &robot->world_from_base);

    add_integer(sha, model->frame_count);
    for (int32_t i = 0; i < model->frame_count; ++i) {
        const RobotFrame* f = &model->frames[i];
        add_integer(sha, f->parent);
        add_integer(sha, f->value);
        add_integer(sha, (int64_t)f->motion);
        add_number(sha, f->multiplier);
        add_number(sha, f->offset);
        add_vector(sha, f->axis);
        add_vector(sha, f->across[0]);
        add_vector(sha, f->across[1]);
        add_pose(sha, &f->parent_from_joint);
    }

    add_integer(sha, model->value_count);
    for (int32_t i = 0; i < model->value_count; ++i) {
        const RobotValue* v = &model->values[i];
        add_text(sha, model->joints[v->joint].name);
        add_integer(sha, v->component);
        add_integer(sha, v->has_limits);
        add_number(sha, v->lower);
        add_number(sha, v->upper);
    }
}

static void add_points(Sha256* sha, const Vec3* points, int32_t count) {
    add_integer(sha, count);
    for (int32_t i = 0; i < count; ++i) {
        add_vector(sha, points[i]);
    }
}

static void add_shape(Sha256* sha, const BerthShape* shape) {
    add_integer(sha, (int64_t)shape->kind);

    switch (shape->kind) {
    case BERTH_SPHERE:
        add_number(sha, shape->as.sphere.radius);
        break;
    case BERTH_CAPSULE:
        add_number(sha, shape->as.capsule.radius);
        add_number(sha, shape->as.capsule.length);
        break;
    case BERTH_BOX:
        add_vector(sha, shape->as.box.half);
        break;
    case BERTH_CYLINDER:
        add_number(sha, shape->as.cylinder.radius);
        add_number(sha, shape->as.cylinder.length);
        break;
    case BERTH_CONE:
        add_number(sha, shape->as.cone.radius);
        add_number(sha, shape->as.cone.length);
        break;
    case BERTH_TRIANGLE:
        add_points(sha, shape->as.triangle.point, 3);
        break;
    case BERTH_HULL:
        add_points(sha, shape->as.hull.hull->vertices, shape->as.hull.hull->vertex_count);
        add_number(sha, shape->as.hull.hull->outside);
        break;
    case BERTH_HALFSPACE:
        add_vector(sha, shape->as.halfspace.normal);
        add_number(sha, shape->as.halfspace.offset);
        break;
    default:
        break;
    }
}

static void add_solid(Sha256* sha, const BerthSolid* solid) {
    add_integer(sha, solid->is_mesh);
    if (!solid->is_mesh) {
        add_shape(sha, &solid->shape);
        return;
    }

    const BerthMesh* mesh = solid->mesh;
    add_integer(sha, solid->closed);

    if (solid->cells != NULL) {  // its surface says which cells; these, how they were chosen
        add_integer(sha, solid->cells->info.dim);
        add_number(sha, solid->cells->info.resolution);
        add_integer(sha, solid->cells->info.unknown_is_free);
        add_integer(sha, solid->cells->info.outside_is_free);
    }

    add_points(sha, mesh->vertices, mesh->info.vertex_count);
    add_integer(sha, mesh->info.triangle_count);
    for (int32_t i = 0; i < 3 * mesh->info.triangle_count; ++i) {
        add_integer(sha, mesh->triangles[i]);
    }
}

// How it may move on its own: a proof that takes it as standing, or as within its reach, is about these numbers.
static void add_object(Sha256* sha, const SceneObject* object) {
    add_integer(sha, object->moving);
    add_integer(sha, object->person);
    add_number(sha, object->speed);
    add_number(sha, object->intrusion);
    add_number(sha, object->uncertainty);
}

void bi_certificate_hash_scene(const BerthScene* scene, uint8_t out[SHA256_SIZE]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    add_text(&sha, "berth scene 2");

    add_integer(&sha, scene->robot_count);
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        add_robot(&sha, &scene->robots[i]);
    }

    add_integer(&sha, scene->body_count);
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        add_text(&sha, body->name);
        add_integer(&sha, body->frame);
        add_integer(&sha, body->part_count);
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            add_pose(&sha, &scene->parts[p].frame_from_part);
            add_solid(&sha, scene->parts[p].solid);
        }
        if (body->object >= 0) {
            add_object(&sha, &scene->objects[body->object]);
        }
    }

    add_integer(&sha, scene->pair_count);
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        add_integer(&sha, scene->pairs[i].body_a);
        add_integer(&sha, scene->pairs[i].body_b);
        add_integer(&sha, scene->pairs[i].constant);
        add_number(&sha, scene->pairs[i].padding);
    }

    add_integer(&sha, scene->assumed_count);
    for (int32_t i = 0; i < scene->assumed_count; ++i) {
        add_text(&sha, scene->assumed[i].what);
        add_text(&sha, scene->assumed[i].detail);
        add_integer(&sha, scene->assumed[i].count);
    }

    bi_sha256_end(&sha, out);
}

void bi_certificate_hash_segment(const BerthSegment* segment, BerthMoving moving, uint8_t out[SHA256_SIZE]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    add_text(&sha, "berth segment 1");
    add_integer(&sha, segment->value_count);
    add_numbers(&sha, segment->from, segment->value_count);
    add_numbers(&sha, segment->to, segment->value_count);

    add_integer(&sha, segment->curves != NULL);
    for (int32_t i = 0; segment->curves != NULL && i < segment->value_count; ++i) {
        add_numbers(&sha, segment->curves[i].term, BERTH_CURVE_TERMS);
        add_number(&sha, segment->curves[i].error);
    }

    if (moving == BERTH_MOVING_REACH) {
        add_text(&sha, "times");
        add_number(&sha, segment->start);
        add_number(&sha, segment->duration);
    }
    bi_sha256_end(&sha, out);
}
