// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Hashes of the subject of a certificate. Numbers enter in one form only (base/sha256.h); texts and lists are
// preceded by their lengths.
// Entries: bi_certificate_hash_scene, berth_certificate_scene_hash, bi_certificate_hash_segment.

#include <string.h>

#include "certificate/certificate.h"
#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/sum.h"

static void add_numbers(Sha256* sha, const double* values, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        bi_sha256_add_number(sha, values[i]);
    }
}

static void add_robot(Sha256* sha, const SceneRobot* robot) {
    const BerthRobot* model = robot->robot;
    bi_sha256_add_text(sha, robot->name);
    bi_sum_pose(sha, &robot->world_from_base);

    bi_sha256_add_integer(sha, model->frame_count);
    for (int32_t i = 0; i < model->frame_count; ++i) {
        const RobotFrame* f = &model->frames[i];
        bi_sha256_add_integer(sha, f->parent);
        bi_sha256_add_integer(sha, f->value);
        bi_sha256_add_integer(sha, (int64_t)f->motion);
        bi_sha256_add_number(sha, f->multiplier);
        bi_sha256_add_number(sha, f->offset);
        bi_sum_vector(sha, f->axis);
        bi_sum_vector(sha, f->across[0]);
        bi_sum_vector(sha, f->across[1]);
        bi_sum_pose(sha, &f->parent_from_joint);
    }

    bi_sha256_add_integer(sha, model->value_count);
    for (int32_t i = 0; i < model->value_count; ++i) {
        const RobotValue* v = &model->values[i];
        bi_sha256_add_text(sha, model->joints[v->joint].name);
        bi_sha256_add_integer(sha, v->component);
        bi_sha256_add_integer(sha, v->has_limits);
        bi_sha256_add_number(sha, v->lower);
        bi_sha256_add_number(sha, v->upper);
    }
}

// How it may move on its own: a proof that takes it as standing, or as within its reach, is about these numbers.
static void add_object(Sha256* sha, const SceneObject* object) {
    bi_sha256_add_integer(sha, object->moving);
    bi_sha256_add_integer(sha, object->person);
    bi_sha256_add_number(sha, object->speed);
    bi_sha256_add_number(sha, object->intrusion);
    bi_sha256_add_number(sha, object->uncertainty);
}

static void add_list(Sha256* sha, const BerthAssumed* list, int32_t count) {
    bi_sha256_add_integer(sha, count);
    for (int32_t i = 0; i < count; ++i) {
        bi_sha256_add_text(sha, list[i].what);
        bi_sha256_add_text(sha, list[i].detail);
        bi_sha256_add_integer(sha, list[i].count);
    }
}

void bi_certificate_hash_scene(const BerthScene* scene, uint8_t out[SHA256_SIZE]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add_text(&sha, "berth scene 3");

    bi_sha256_add_integer(&sha, scene->robot_count);
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        add_robot(&sha, &scene->robots[i]);
    }

    bi_sha256_add_integer(&sha, scene->body_count);
    for (int32_t i = 0; i < scene->body_count; ++i) {
        const SceneBody* body = &scene->bodies[i];
        bi_sha256_add_text(&sha, body->name);
        bi_sha256_add_integer(&sha, body->frame);
        bi_sha256_add_integer(&sha, body->part_count);
        for (int32_t p = body->first_part; p < body->first_part + body->part_count; ++p) {
            bi_sum_pose(&sha, &scene->parts[p].frame_from_part);
            bi_sum_solid(&sha, scene->parts[p].solid);
        }
        if (body->object >= 0) {
            add_object(&sha, &scene->objects[body->object]);
        }
    }

    bi_sha256_add_integer(&sha, scene->pair_count);
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        bi_sha256_add_integer(&sha, scene->pairs[i].body_a);
        bi_sha256_add_integer(&sha, scene->pairs[i].body_b);
        bi_sha256_add_integer(&sha, scene->pairs[i].constant);
        bi_sha256_add_number(&sha, scene->pairs[i].padding);
        bi_sha256_add_number(&sha, scene->pairs[i].proven_gap);
    }

    add_list(&sha, scene->assumed, scene->assumed_count);
    add_list(&sha, scene->declared, scene->declared_count);
    bi_sha256_end(&sha, out);
}

BerthStatus berth_certificate_scene_hash(const BerthScene* scene, uint8_t out[32]) {
    if (scene == NULL || !scene->committed || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "scene hash: a committed scene and a place are expected");
    }
    bi_certificate_hash_scene(scene, out);
    return BERTH_OK;
}

void bi_certificate_hash_segment(const BerthSegment* segment, BerthMoving moving, uint8_t out[SHA256_SIZE]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add_text(&sha, "berth segment 1");
    bi_sha256_add_integer(&sha, segment->value_count);
    add_numbers(&sha, segment->from, segment->value_count);
    add_numbers(&sha, segment->to, segment->value_count);

    bi_sha256_add_integer(&sha, segment->curves != NULL);
    for (int32_t i = 0; segment->curves != NULL && i < segment->value_count; ++i) {
        add_numbers(&sha, segment->curves[i].term, BERTH_CURVE_TERMS);
        bi_sha256_add_number(&sha, segment->curves[i].error);
    }

    if (moving == BERTH_MOVING_REACH) {
        bi_sha256_add_text(&sha, "times");
        bi_sha256_add_number(&sha, segment->start);
        bi_sha256_add_number(&sha, segment->duration);
    }
    bi_sha256_end(&sha, out);
}
