// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Draws a scene of boxes and capsules as a moving picture (SVG): every robot goes from its state to a named one and
// back, coloured by what berth says of each pose. The README's picture is made by
//     draw_cell build/models/two_arms/cell.yaml hit_table reach_side > docs/pictures/two_arms.svg

#include <berth/berth.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 60, VALUES_MAX = 256, SHAPES_MAX = 512, LINKS_MAX = 256 };

/// A shape on paper: lines of a width for capsules and spheres, faces for boxes.
typedef struct Drawn {
    const BerthShape* shape;
    BerthPose pose;
    double depth;
} Drawn;

typedef struct Point {
    double x, y;
} Point;

// Seen from the front right, a little from above; 220 dots a metre.
static Point project(BerthVec3 p) {
    const double turn = 0.72, tilt = 0.42;
    const double side = -p.x * sin(turn) + p.y * cos(turn);
    const double away = p.x * cos(turn) + p.y * sin(turn);
    return (Point){420.0 + 150.0 * side, 430.0 - 150.0 * (p.z * cos(tilt) - away * sin(tilt))};
}

static double depth_of(BerthVec3 p) {
    return p.x * cos(0.72) + p.y * sin(0.72) + 0.5 * p.z;
}

static int by_depth(const void* a, const void* b) {
    const double x = ((const Drawn*)a)->depth, y = ((const Drawn*)b)->depth;
    return (x > y) - (x < y);
}

static void draw_box(const Drawn* d) {
    // The three faces that can be seen, each with its own shade.
    static const char* const shade[3] = {"#c9cfd6", "#dfe4e9", "#eef1f4"};
    const BerthVec3 half = d->shape->as.box.half;
    const double h[3] = {half.x, half.y, half.z};
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        double corner[3];
        corner[axis] = h[axis];
        printf("<polygon fill=\"%s\" stroke=\"#9aa4af\" stroke-width=\"0.7\" points=\"", shade[axis]);
        for (int k = 0; k < 4; ++k) {
            corner[u] = k == 0 || k == 3 ? -h[u] : h[u];
            corner[v] = k < 2 ? -h[v] : h[v];
            const Point p = project(berth_pose_apply(&d->pose, (BerthVec3){corner[0], corner[1], corner[2]}));
            printf("%.1f,%.1f ", p.x, p.y);
        }
        printf("\"/>\n");
    }
}

static void draw_capsule(const Drawn* d, const char* colour) {
    const double radius =
        d->shape->kind == BERTH_CAPSULE ? d->shape->as.capsule.radius : d->shape->as.sphere.radius;
    const double half = d->shape->kind == BERTH_CAPSULE ? 0.5 * d->shape->as.capsule.length : 0.0;
    const Point p = project(berth_pose_apply(&d->pose, (BerthVec3){0, 0, -half}));
    const Point q = project(berth_pose_apply(&d->pose, (BerthVec3){0, 0, half}));
    printf("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#2b3642\" stroke-width=\"%.1f\"/>", p.x, p.y, q.x, q.y,
           300.0 * radius);
    printf("<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", p.x, p.y, q.x, q.y,
           colour, 300.0 * radius - 2.5);
}

static void draw_all(Drawn* drawn, int count, const char* colour) {
    qsort(drawn, (size_t)count, sizeof *drawn, by_depth);
    for (int i = 0; i < count; ++i) {
        if (drawn[i].shape->kind == BERTH_BOX) {
            draw_box(&drawn[i]);
        } else if (drawn[i].shape->kind == BERTH_CAPSULE || drawn[i].shape->kind == BERTH_SPHERE) {
            draw_capsule(&drawn[i], colour);
        }
    }
}

static int collect_objects(const BerthScene* scene, Drawn* out) {
    int count = 0;
    for (int32_t i = 0; i < berth_scene_object_count(scene) && count < SHAPES_MAX; ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(scene, berth_scene_object_at(scene, i), &info) == BERTH_OK && info.robot < 0 &&
            berth_solid_shape(info.solid) != NULL && strcmp(info.name, "floor") != 0) {
            out[count++] = (Drawn){berth_solid_shape(info.solid), info.pose, depth_of(info.pose.t)};
        }
    }
    return count;
}

static int collect_links(const BerthScene* scene, const double* values, Drawn* out) {
    int count = 0;
    for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
        BerthPose base;
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, &base);
        BerthPose world_from_link[LINKS_MAX];
        if (berth_robot_link_count(robot) > LINKS_MAX) {
            continue;
        }
        berth_robot_link_poses(robot, &base, values, world_from_link);
        values += berth_robot_value_count(robot);
        for (int32_t link = 0; link < berth_robot_link_count(robot); ++link) {
            for (int32_t k = 0; k < berth_robot_link(robot, link).solid_count && count < SHAPES_MAX; ++k) {
                BerthPose link_from_solid;
                const BerthSolid* solid = berth_robot_solid(robot, link, k, &link_from_solid, NULL);
                const BerthPose pose = berth_pose_multiply(&world_from_link[link], &link_from_solid);
                if (berth_solid_shape(solid) != NULL) {
                    out[count++] = (Drawn){berth_solid_shape(solid), pose, depth_of(pose.t)};
                }
            }
        }
    }
    return count;
}

static BerthStatus draw_frame(const BerthScene* scene, BerthChecker* checker, const double* values,
                              int frame) {
    const BerthCheckRequest request = {.distance = true};
    BerthCheckResult result;
    const BerthStatus status = berth_check_state(checker, values, &request, &result);
    if (status != BERTH_OK) {
        return status;
    }
    const bool hit = result.verdict == BERTH_COLLISION;
    const bool near = result.has_clearance && result.clearance.upper < 0.05;
    const char* colour = hit ? "#e5534b" : near ? "#f0a43a" : "#4caf7d";
    printf(
        "<g visibility=\"hidden\" fill=\"none\" stroke-linecap=\"round\"><animate "
        "attributeName=\"visibility\" "
        "values=\"visible;hidden\" keyTimes=\"0;%.5f\" dur=\"9s\" begin=\"%.4fs\" calcMode=\"discrete\" "
        "repeatCount=\"indefinite\"/>\n",
        1.0 / FRAMES, 9.0 * frame / FRAMES);
    Drawn drawn[SHAPES_MAX];
    draw_all(drawn, collect_links(scene, values, drawn), colour);
    printf("<text x=\"24\" y=\"36\" fill=\"%s\" font-size=\"19\">", hit ? "#c0362c" : "#1f2933");
    if (hit) {
        printf("COLLISION: %s and %s", berth_scene_body_name(scene, result.hits[0].body_a),
               berth_scene_body_name(scene, result.hits[0].body_b));
    } else if (result.has_clearance) {
        printf("%s, proven: nothing nearer than %.1f mm (%s, %s)", berth_verdict_name(result.verdict),
               1000.0 * result.clearance.lower, berth_scene_body_name(scene, result.clearance.body_a),
               berth_scene_body_name(scene, result.clearance.body_b));
    }
    printf("</text></g>\n");
    return BERTH_OK;
}

// Every robot to the named state that is its own: robot k takes names[k], and the last name when there are fewer.
static BerthStatus goal_values(const BerthScene* scene, char** names, int name_count, double* values) {
    BerthStatus status = BERTH_OK;
    for (int32_t r = 0; r < berth_scene_robot_count(scene) && status == BERTH_OK; ++r) {
        const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
        status = berth_robot_named_state(robot, names[r < name_count ? r : name_count - 1], values);
        values += berth_robot_value_count(robot);
    }
    return status;
}

static BerthStatus draw(const BerthScene* scene, BerthChecker* checker, char** names, int name_count) {
    const int32_t count = berth_scene_value_count(scene);
    double from[VALUES_MAX], to[VALUES_MAX], at[VALUES_MAX];
    memcpy(from, berth_scene_values(scene), (size_t)count * sizeof *from);
    memcpy(to, from, (size_t)count * sizeof *to);
    BerthStatus status = goal_values(scene, names, name_count, to);
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 560\" font-family=\"sans-serif\">\n");
    printf(
        "<rect width=\"900\" height=\"560\" fill=\"#f7f9fb\"/>\n<g fill=\"none\" "
        "stroke-linecap=\"round\">\n");
    Drawn drawn[SHAPES_MAX];
    draw_all(drawn, collect_objects(scene, drawn), "#b8c1cb");
    printf("</g>\n");
    for (int frame = 0; frame < FRAMES && status == BERTH_OK; ++frame) {
        const double t = 0.5 - 0.5 * cos(6.283185307179586 * frame / FRAMES);
        for (int32_t i = 0; i < count; ++i) {
            at[i] = from[i] + t * (to[i] - from[i]);
        }
        status = draw_frame(scene, checker, at, frame);
    }
    printf("</svg>\n");
    return status;
}

int main(int argc, char** argv) {
    static char default_goal[] = "hit_table";
    char* default_names[1] = {default_goal};
    const char* path = argc > 1 ? argv[1] : "build/models/two_arms/cell.yaml";
    const BerthIoOptions options = berth_default_io_options();
    BerthScene* scene = NULL;
    BerthChecker* checker = NULL;
    BerthStatus status = berth_io_read_scene(path, &options, &scene);
    if (status == BERTH_OK) {
        const BerthCheckerDef def = berth_default_checker_def();
        status = berth_checker_create(scene, &def, &checker);
    }
    if (status == BERTH_OK && berth_scene_value_count(scene) > VALUES_MAX) {
        fprintf(stderr, "%s: too many joints for this example\n", path);
    } else if (status == BERTH_OK) {
        status = draw(scene, checker, argc > 2 ? argv + 2 : default_names, argc > 2 ? argc - 2 : 1);
    }
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
    return status == BERTH_OK ? 0 : 2;
}
