// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `berth info --capsules`: the simple bodies that `berth monitor` uses for each body, and how well they fit.
// Entries: info_capsules_text, info_capsules_json.

#include <math.h>
#include <stdlib.h>

#include "cli/info/info.h"

enum { SHAPES_MOST = 4096 };

/// One body's simple bodies.
typedef struct Fit {
    const char* name;
    BerthSimpleBodyFit fit;
    BerthSimpleBody* bodies;
    int32_t shown;
} Fit;

static BerthVec3 point_on_axis(const BerthPose* pose, double z) {
    return (BerthVec3){pose->t.x + z * pose->z.x, pose->t.y + z * pose->z.y, pose->t.z + z * pose->z.z};
}

static void put_shape(Text* text, const BerthSimpleBody* body) {
    const BerthShape* shape = &body->shape;
    text_printf(text, "      %s", berth_shape_name(shape->kind));

    if (shape->kind == BERTH_CAPSULE) {
        const BerthVec3 a = point_on_axis(&body->pose, -0.5 * shape->as.capsule.length);
        const BerthVec3 b = point_on_axis(&body->pose, 0.5 * shape->as.capsule.length);
        text_printf(text, " radius %.4g, length %.4g, from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g)",
                    shape->as.capsule.radius, shape->as.capsule.length, a.x, a.y, a.z, b.x, b.y, b.z);
    } else if (shape->kind == BERTH_BOX) {
        text_printf(text, " %.4g x %.4g x %.4g m at (%.4g, %.4g, %.4g)", 2 * shape->as.box.half.x,
                    2 * shape->as.box.half.y, 2 * shape->as.box.half.z, body->pose.t.x, body->pose.t.y,
                    body->pose.t.z);
    } else if (shape->kind == BERTH_SPHERE) {
        text_printf(text, " radius %.4g at (%.4g, %.4g, %.4g)", shape->as.sphere.radius, body->pose.t.x,
                    body->pose.t.y, body->pose.t.z);
    }

    text_puts(text, "\n");
}

static void put_body_fit(Text* text, const Fit* f) {
    text_printf(text, "    %-28s %d %s, %s, %.4g m3", f->name, (int)f->fit.count,
                f->fit.count == 1 ? "body" : "bodies", f->fit.covered ? "covered" : "NOT COVERED",
                f->fit.volume);
    if (isfinite(f->fit.hull_volume)) {
        text_printf(text, " (its hull has %.4g), at most ", f->fit.hull_volume);
        text_length(text, f->fit.protrusion);
        text_puts(text, " beyond the hull");
    }
    text_puts(text, "\n");

    for (int32_t i = 0; i < f->shown; ++i) {
        put_shape(text, &f->bodies[i]);
    }
}

static void json_shape(Json* json, const BerthSimpleBody* body) {
    const BerthShape* shape = &body->shape;
    json_open(json, '{');
    json_key_text(json, "kind", berth_shape_name(shape->kind));

    if (shape->kind == BERTH_CAPSULE) {
        json_key_number(json, "radius", shape->as.capsule.radius);
        json_key_number(json, "length", shape->as.capsule.length);
        json_key_vec3(json, "from", point_on_axis(&body->pose, -0.5 * shape->as.capsule.length));
        json_key_vec3(json, "to", point_on_axis(&body->pose, 0.5 * shape->as.capsule.length));
    } else if (shape->kind == BERTH_BOX) {
        json_key_vec3(
            json, "size",
            (BerthVec3){2 * shape->as.box.half.x, 2 * shape->as.box.half.y, 2 * shape->as.box.half.z});
    } else if (shape->kind == BERTH_SPHERE) {
        json_key_number(json, "radius", shape->as.sphere.radius);
    }

    json_key_vec3(json, "position", body->pose.t);
    json_close(json, '}');
}

static void json_body_fit(Json* json, const Fit* f) {
    json_open(json, '{');
    json_key_text(json, "body", f->name);
    json_key_int(json, "count", f->fit.count);
    json_key_bool(json, "covered", f->fit.covered);
    json_key_number(json, "volume", f->fit.volume);
    json_key_number(json, "hull_volume", f->fit.hull_volume);
    json_key_number(json, "protrusion", f->fit.protrusion);

    json_key_open(json, "shapes", '[');
    for (int32_t i = 0; i < f->shown; ++i) {
        json_shape(json, &f->bodies[i]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

// Fits one body after the other, so that only one is in memory at a time.
static BerthStatus write_fits(const BerthScene* scene, Text* text, Json* json) {
    const BerthMonitorDef def = berth_default_monitor_def();
    BerthSimpleBody* bodies = malloc(SHAPES_MOST * sizeof *bodies);
    if (bodies == NULL) {
        return BERTH_ERR_MEMORY;
    }

    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; status == BERTH_OK && i < berth_scene_body_count(scene); ++i) {
        Fit f = {.name = berth_scene_body_name(scene, i), .bodies = bodies};
        status = berth_simple_body_fit(scene, i, &def, bodies, SHAPES_MOST, &f.fit);
        f.shown = f.fit.count < SHAPES_MOST ? f.fit.count : SHAPES_MOST;

        if (status == BERTH_OK && json != NULL) {
            json_body_fit(json, &f);
        } else if (status == BERTH_OK) {
            put_body_fit(text, &f);
        }
    }

    free(bodies);
    return status;
}

BerthStatus info_capsules_text(Text* text, const BerthScene* scene) {
    text_puts(text, "simple bodies that berth monitor would use, each in the frame with which it moves:\n");
    return write_fits(scene, text, NULL);
}

BerthStatus info_capsules_json(Json* json, const BerthScene* scene) {
    json_key_open(json, "guards", '[');
    const BerthStatus status = write_fits(scene, NULL, json);
    json_close(json, ']');
    return status;
}
