// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// How far each body can move before everything has stopped, as a guard of this scene computes it for a state: the buffers of
// `berth monitor`. A monitor with the scene's own `safety` computes them; its permits are not used.
// Entry: answer_buffers.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

static bool need_monitor(Answer* answer) {
    Session* session = answer->session;
    BerthSafety safety;
    if (session->monitor != NULL) {
        return true;
    }
    if (!berth_scene_safety(session->question.scene, &safety)) {
        return answer_fail(answer, "this scene has no 'safety', which says when a guard would brake");
    }
    BerthMonitorDef def = berth_default_monitor_def();
    def.speed_scale = false;
    session->monitor_sequence = 0;
    return answer_status(answer, berth_monitor_create(session->question.scene, &def, &session->monitor));
}

// The speeds in the request; null if there are none: then the largest are assumed. False after answer_fail.
static bool read_speeds(Answer* answer, double* speeds, const double** out) {
    const json_t* given = json_object_get(answer->request, "velocities");
    const size_t count = (size_t)answer->session->question.value_count;
    *out = NULL;
    if (given == NULL) {
        return true;
    }
    bool is_well = json_is_array(given) && json_array_size(given) == count;
    for (size_t i = 0; i < count && is_well; ++i) {
        const json_t* number = json_array_get(given, i);
        speeds[i] = json_number_value(number);
        is_well = json_is_number(number) && isfinite(speeds[i]);
    }
    *out = speeds;
    return is_well || answer_fail(answer, "'velocities': expected %d numbers", (int)count);
}

static void send_state(Answer* answer, double clock, const double* values, const double* speeds) {
    Session* session = answer->session;
    const BerthMonitorMessage message = {.sequence = ++session->monitor_sequence,
                                         .stamp = (double)NAN,
                                         .received = clock,
                                         .positions = values,
                                         .velocities = speeds,
                                         .count = session->question.value_count};
    berth_monitor_receive(session->monitor, &message);
}

// Objects and persons that may move stay where the scene has them.
static void send_objects(Answer* answer, double clock) {
    const Session* session = answer->session;
    const BerthScene* scene = session->question.scene;
    for (int32_t i = 0; i < berth_scene_object_count(scene); ++i) {
        const BerthObjectId id = berth_scene_object_at(scene, i);
        BerthObjectInfo info;
        if (berth_scene_object(scene, id, &info) == BERTH_OK && (info.moving || info.person)) {
            const BerthMonitorPose pose = {.object = id,
                                           .sequence = session->monitor_sequence,
                                           .stamp = (double)NAN,
                                           .received = clock,
                                           .pose = info.pose};
            berth_monitor_receive_pose(session->monitor, &pose);
        }
    }
}

// As a guard receives it: the positions a period ago, at these speeds, then the present ones. Requests are far apart in
// time, so none looks like a jump. `before` is scratch.
static bool place_bodies(Answer* answer, const double* values, const double* speeds, double* before) {
    Session* session = answer->session;
    const BerthScene* scene = session->question.scene;
    const double clock = 1000.0 * (double)(session->monitor_sequence + 1);
    BerthSafety safety;
    (void)berth_scene_safety(scene, &safety);
    int32_t outside = 0;
    const int32_t count = session->question.value_count;
    for (int32_t i = 0; i < count; ++i) {
        before[i] = values[i] - (speeds != NULL ? speeds[i] * safety.period : 0.0);
    }
    if (berth_scene_check_values(scene, before, &outside, NULL) != BERTH_OK || outside > 0) {
        memcpy(before, values, (size_t)count * sizeof *before);
    }
    send_state(answer, clock, before, speeds);
    send_state(answer, clock + safety.period, values, speeds);
    send_objects(answer, clock + safety.period);

    BerthPermit permit;
    berth_monitor_cycle(session->monitor, clock + safety.period, &permit);

    // A guard has no buffers for a state that it considers a fault; the next request starts anew.
    static const BerthStop faults[] = {BERTH_STOP_VALUE, BERTH_STOP_LIMIT, BERTH_STOP_JUMP};
    const BerthMonitorCounters counters = berth_monitor_counters(session->monitor);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        if (counters.faults[faults[i]] > 0) {
            berth_monitor_destroy(session->monitor);
            session->monitor = NULL;
            return answer_fail(answer, "a guard would stop at this state at once: %s",
                               berth_stop_name(faults[i]));
        }
    }
    return true;
}

// The shape enlarged by the buffer; a box is drawn with sharp corners, slightly too large. False: not drawn.
static bool grow(const BerthShape* shape, double buffer, BerthShape* out) {
    BerthVec3 half;

    switch (shape->kind) {
    case BERTH_SPHERE:
        return berth_shape_sphere(shape->as.sphere.radius + buffer, out) == BERTH_OK;
    case BERTH_CAPSULE:
        return berth_shape_capsule(shape->as.capsule.radius + buffer, shape->as.capsule.length, out) ==
               BERTH_OK;
    case BERTH_CYLINDER:
        return berth_shape_cylinder(shape->as.cylinder.radius + buffer,
                                    shape->as.cylinder.length + 2.0 * buffer, out) == BERTH_OK;
    case BERTH_BOX:
        half = shape->as.box.half;
        half = (BerthVec3){half.x + buffer, half.y + buffer, half.z + buffer};
        return berth_shape_box(half, out) == BERTH_OK;
    default:
        return false;
    }
}

static void json_buffers(Answer* answer) {
    const BerthMonitor* monitor = answer->session->monitor;
    Json* json = &answer->json;
    ViewGeometry geometry = {0};
    json_key_open(json, "bodies", '[');
    for (int32_t i = 0; i < berth_monitor_body_count(monitor); ++i) {
        const BerthSimpleBody body = berth_monitor_body(monitor, i);
        if (body.buffer > 0.0) {
            json_open(json, '{');
            json_key_int(json, "body", body.body);
            json_key_number(json, "buffer", body.buffer);
            json_close(json, '}');
        }
    }
    json_close(json, ']');

    json_key_open(json, "parts", '[');
    for (int32_t i = 0; i < berth_monitor_body_count(monitor); ++i) {
        const BerthSimpleBody body = berth_monitor_body(monitor, i);
        BerthShape larger;
        BerthSolid* solid = NULL;
        if (body.buffer > 0.0 && grow(&body.shape, body.buffer, &larger) &&
            berth_solid_from_shape(&larger, NULL, &solid) == BERTH_OK) {
            view_json_part(json, &geometry, body.body, "buffers", &body.pose, solid, 0.0, NULL);
        }
        berth_solid_destroy(solid);
    }
    json_close(json, ']');

    // None of these shapes is a mesh.
    text_free(&geometry.vertices);
    text_free(&geometry.indices);
}

bool answer_buffers(Answer* answer) {
    const size_t count = (size_t)answer->session->question.value_count;
    double* numbers = calloc(3 * count + 1, sizeof *numbers);
    if (numbers == NULL) {
        return answer_fail(answer, "out of memory");
    }

    const double* speeds = NULL;
    const bool is_well = answer_read_values(answer, "values", numbers) &&
                         read_speeds(answer, numbers + count, &speeds) && need_monitor(answer) &&
                         place_bodies(answer, numbers, speeds, numbers + 2 * count);
    if (is_well) {
        json_key_number(&answer->json, "horizon", berth_monitor_horizon(answer->session->monitor, 0.0));
        json_key_bool(&answer->json, "reported", speeds != NULL);
        json_buffers(answer);
    }
    free(numbers);
    return is_well;
}
