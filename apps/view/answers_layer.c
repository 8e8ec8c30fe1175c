// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Layers drawn on request: covering spheres, RSS volumes, the monitor's capsules and boxes; and the current state as a file.
// Entries: answer_layer, view_json_spheres, answer_export.

#include <berth/cover.h>
#include <berth/lab/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

enum { RSS_MOST = 64 };  // most volumes drawn for a mesh

// ---- layers ------------------------------------------------------------------------------------------------------

static void json_simple_part(Json* json, ViewGeometry* geometry, int32_t body, const char* layer,
                             const BerthPose* pose, const BerthShape* shape) {
    BerthSolid* solid = NULL;
    if (berth_solid_from_shape(shape, NULL, &solid) == BERTH_OK) {
        view_json_part(json, geometry, body, layer, pose, solid, 0.0, NULL);
    }
    berth_solid_destroy(solid);
}

static bool json_capsules(Answer* answer, ViewGeometry* geometry) {
    enum { SHAPES_MOST = 4096 };
    const BerthScene* scene = answer->session->question.scene;
    const BerthMonitorDef def = berth_default_monitor_def();
    BerthSimpleBody* bodies = malloc(SHAPES_MOST * sizeof *bodies);
    bool is_well = bodies != NULL || answer_fail(answer, "out of memory");
    const int32_t count = berth_scene_body_count(scene);
    View* view = answer->session->view;
    view_place(view, answer->session->values);

    for (int32_t i = 0; i < count && is_well; ++i) {
        BerthSimpleBodyFit fit;
        is_well = answer_status(answer, berth_simple_body_fit(scene, i, &def, bodies, SHAPES_MOST, &fit));
        const BerthPose body_from_guard = view_body_from_guard(view, i, answer->session->values);
        for (int32_t k = 0; is_well && k < fit.count && k < SHAPES_MOST; ++k) {
            const BerthPose body_from_shape = berth_pose_multiply(&body_from_guard, &bodies[k].pose);
            json_simple_part(&answer->json, geometry, i, "capsules", &body_from_shape, &bodies[k].shape);
        }
        answer_tell_progress(answer, (double)i / count);
        is_well = is_well && !(answer_is_cancelled(answer) && !answer_fail(answer, "cancelled"));
    }
    free(bodies);
    return is_well;
}

static void json_group(Json* json, ViewGeometry* geometry, int32_t body, const BerthSphereGroup* group) {
    for (int32_t i = 0; i < group->count; ++i) {
        BerthShape shape;
        BerthPose pose = berth_pose_identity();
        pose.t = group->balls[i].centre;
        if (berth_shape_sphere(group->balls[i].radius, &shape) == BERTH_OK) {
            json_simple_part(json, geometry, body, "spheres", &pose, &shape);
        }
    }
}

void view_json_spheres(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t robot,
                       const BerthSpheres* spheres) {
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        if (body.robot == robot && body.object.age == 0) {
            const BerthSphereGroup group = berth_spheres_group(spheres, body.link);
            json_group(json, geometry, i, &group);
        }
    }
}

static void tell_spheres(void* user, int32_t done, int32_t total) {
    answer_tell_progress(user, total > 0 ? (double)done / total : 0.0);
}

// A picture should not take long: shows the best cover proven within this many seconds per robot.
static bool has_enough_spheres(void* user) {
    static const double SECONDS = 2.0;
    const Answer* answer = user;
    return cli_seconds() - answer->session->progress.begin > SECONDS;
}

// Fits spheres to each robot as berth spheres does, with little effort.
static bool json_spheres(Answer* answer, ViewGeometry* geometry) {
    const BerthScene* scene = answer->session->question.scene;
    bool is_well = true;
    for (int32_t r = 0; r < berth_scene_robot_count(scene) && is_well; ++r) {
        BerthSpheresDef def = berth_default_spheres_def();
        def.effort = 0.01;
        def.stop = answer_is_cancelled;
        def.enough = has_enough_spheres;
        def.progress = tell_spheres;
        def.user = answer;
        BerthSpheres* spheres = NULL;
        answer->session->progress.begin = cli_seconds();
        is_well = answer_status(
            answer, berth_robot_fit_spheres(berth_scene_robot(scene, r, NULL, NULL), -1, &def, &spheres));

        if (is_well) {
            view_json_spheres(&answer->json, geometry, scene, r, spheres);
        }
        berth_spheres_destroy(spheres);
    }
    return is_well;
}

// The rectangle's pose and size; the page adds the radius.
static void json_rss_part(Json* json, int32_t body, const BerthPose* body_from_solid,
                          const BerthRssVolume* volume) {
    const BerthPose pose = berth_pose_multiply(body_from_solid, &volume->solid_from_volume);
    json_open(json, '{');
    json_key_int(json, "body", body);
    json_key_text(json, "layer", "rss");
    json_key_open(json, "shape", '{');
    json_key_text(json, "kind", "rss");
    json_key_values(json, "half", volume->half, 2);
    json_key_number(json, "radius", volume->radius);
    json_close(json, '}');
    json_key(json, "pose");
    view_json_pose(json, &pose);
    json_close(json, '}');
}

// The upper volumes of the RSS trees used in proofs of motions, `count` per mesh.
static bool json_rss(Answer* answer, int32_t count) {
    const BerthScene* scene = answer->session->question.scene;
    BerthRssVolume volumes[RSS_MOST];
    for (int32_t i = 0; i < berth_scene_body_count(scene); ++i) {
        const BerthBodyInfo body = berth_scene_body(scene, i);
        const BerthRobot* robot =
            body.object.age == 0 ? berth_scene_robot(scene, body.robot, NULL, NULL) : NULL;
        BerthObjectInfo object = {0};
        if (robot == NULL && !answer_status(answer, berth_scene_object(scene, body.object, &object))) {
            return false;
        }

        const int32_t parts =
            robot != NULL ? berth_robot_link(robot, body.link).solid_count : object.part_count;
        for (int32_t k = 0; k < parts; ++k) {
            BerthPose body_from_solid;
            const BerthSolid* solid = robot != NULL
                                          ? berth_robot_solid(robot, body.link, k, &body_from_solid, NULL)
                                          : berth_scene_object_part(scene, body.object, k, &body_from_solid);
            const int32_t found = berth_solid_rss_volumes(solid, volumes, count);
            for (int32_t v = 0; v < found; ++v) {
                json_rss_part(&answer->json, i, &body_from_solid, &volumes[v]);
            }
        }
        answer_tell_progress(answer, (double)i / berth_scene_body_count(scene));
        if (answer_is_cancelled(answer)) {
            return answer_fail(answer, "cancelled");
        }
    }
    return true;
}

static bool read_rss_count(Answer* answer, int32_t* count) {
    const json_t* given = json_object_get(answer->request, "count");
    const json_int_t number = given != NULL ? json_integer_value(given) : 8;
    *count = (int32_t)number;
    return (number >= 1 && number <= RSS_MOST) ||
           answer_fail(answer, "'count': expected 1 to %d volumes per mesh", RSS_MOST);
}

static void json_base64(Json* json, const char* key, const Text* bytes) {
    Text text = {0};
    view_put_base64(&text, bytes);
    json->text->failed |= text.failed;
    json_key_text(json, key, text.data != NULL ? text.data : "");
    text_free(&text);
}

// For one body that is not attached: a map whose cells changed.
static bool json_collision(Answer* answer, ViewGeometry* geometry) {
    int32_t index = -1;
    if (!answer_read_body(answer, "body", &index)) {
        return false;
    }
    const BerthScene* scene = answer->session->question.scene;
    const BerthBodyInfo body = berth_scene_body(scene, index);
    if (body.object.age == 0) {
        return answer_fail(answer, "'body': %s is not an object", body.name);
    }
    view_json_object(&answer->json, geometry, scene, index, &body);
    return true;
}

bool answer_layer(Answer* answer) {
    const char* name = json_string_value(json_object_get(answer->request, "name"));
    ViewGeometry geometry = {0};
    bool is_well = false;
    int32_t count = 0;
    json_key_open(&answer->json, "parts", '[');
    if (name != NULL && strcmp(name, "capsules") == 0) {
        is_well = json_capsules(answer, &geometry);
    } else if (name != NULL && strcmp(name, "spheres") == 0) {
        is_well = json_spheres(answer, &geometry);
    } else if (name != NULL && strcmp(name, "rss") == 0) {
        is_well = read_rss_count(answer, &count) && json_rss(answer, count);
    } else if (name != NULL && strcmp(name, "collision") == 0) {
        is_well = json_collision(answer, &geometry);
    } else {
        is_well = answer_fail(answer, "'name': expected capsules, collision (of an object), rss or spheres");
    }
    json_close(&answer->json, ']');

    view_json_geometry(&answer->json, &geometry);
    Text bytes = {0};
    view_join_geometry(&geometry, &bytes);
    json_base64(&answer->json, "data", &bytes);
    text_free(&bytes);
    return is_well;
}

// ---- export ------------------------------------------------------------------------------------------------------

static void put_csv(Text* text, const BerthScene* scene, const double* values) {
    const int32_t count = berth_scene_value_count(scene);
    for (int32_t i = 0; i < count; ++i) {
        char name[512];
        berth_scene_value_name(scene, i, name, sizeof name);
        text_printf(text, "%s%s", i > 0 ? "," : "", name);
    }
    text_puts(text, "\n");
    for (int32_t i = 0; i < count; ++i) {
        text_puts(text, i > 0 ? "," : "");
        text_number(text, values[i]);
    }
    text_puts(text, "\n");
}

bool answer_export(Answer* answer) {
    Session* session = answer->session;
    const char* what = json_string_value(json_object_get(answer->request, "what"));
    const json_t* given = json_object_get(answer->request, "values");
    if (given != NULL && !answer_read_values(answer, "values", session->values)) {
        return false;
    }

    Text text = {0};
    const char* name = "state.csv";
    bool is_well = true;
    if (what != NULL && strcmp(what, "csv") == 0) {
        put_csv(&text, session->question.scene, session->values);
    } else if (what != NULL && strcmp(what, "scene") == 0) {
        name = "scene.yaml";
        is_well = view_write_yaml(answer, &text);
    } else {
        is_well = answer_fail(answer, "'what': expected scene or csv");
    }

    if (is_well) {
        answer->json.text->failed |= text.failed;
        json_key_text(&answer->json, "text", text.data);
        json_key_text(&answer->json, "name", name);
    }
    text_free(&text);
    return is_well;
}
