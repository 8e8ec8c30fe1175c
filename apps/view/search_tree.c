// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The trees of a search, for a page to draw: the positions of the tip of each moving robot at both ends of an edge.
// Between them the tip moves along a curve, which is drawn as a line.
// Entries: view_tree_open, view_tree_grow, view_json_tree, view_tree_close.

#include <math.h>
#include <stdlib.h>

#include "view/view.h"

bool view_tree_open(ViewTree* tree, View* view) {
    const BerthScene* scene = view->question->scene;
    const int32_t bodies = berth_scene_body_count(scene);
    *tree = (ViewTree){.view = view};
    tree->lines = calloc(VIEW_TREE_LINES, sizeof *tree->lines);
    tree->tips = calloc((size_t)bodies + 1, sizeof *tree->tips);
    tree->places = calloc((size_t)bodies + 1, sizeof *tree->places);
    if (tree->lines == NULL || tree->tips == NULL || tree->places == NULL) {
        return false;
    }
    for (int32_t i = 0; i < bodies; ++i) {
        if (view_is_tip(scene, i)) {
            tree->tips[tree->tip_count++] = i;
        }
    }
    return true;
}

void view_tree_close(ViewTree* tree) {
    free(tree->lines);
    free(tree->tips);
    free(tree->places);
    *tree = (ViewTree){0};
}

void view_tree_grow(void* user, const BerthPlanEdge* edge) {
    static const double LEAST = 1e-6;  // metres: a tip that moves less counts as standing
    ViewTree* tree = user;
    const BerthScene* scene = tree->view->question->scene;
    tree->edges += 1;
    if (tree->line_count == VIEW_TREE_LINES) {
        return;
    }

    view_place(tree->view, edge->from);
    for (int32_t i = 0; i < tree->tip_count; ++i) {
        tree->places[i] = tree->view->poses[tree->tips[i]].t;
    }
    view_place(tree->view, edge->to);

    // One line per robot: the fingers of a hand would draw the same line several times.
    int32_t drawn = -1;
    for (int32_t i = 0; i < tree->tip_count && tree->line_count < VIEW_TREE_LINES; ++i) {
        const int32_t robot = berth_scene_body(scene, tree->tips[i]).robot;
        const BerthVec3 a = tree->places[i], b = tree->view->poses[tree->tips[i]].t;
        const bool moves = fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) > LEAST;
        if (moves && robot != drawn) {
            tree->lines[tree->line_count++] = (ViewLine){a, b};
            drawn = robot;
        }
    }
}

static void json_place(Json* json, BerthVec3 at) {
    static const double STEP = 1e4;  // a tenth of a millimetre is enough for a drawing
    json_number(json, round(STEP * at.x) / STEP);
    json_number(json, round(STEP * at.y) / STEP);
    json_number(json, round(STEP * at.z) / STEP);
}

void view_json_tree(Json* json, ViewTree* tree) {
    json_key_int(json, "edges", tree->edges);
    json_key_open(json, "tree", '[');
    for (; tree->told < tree->line_count; ++tree->told) {
        json_place(json, tree->lines[tree->told].from);
        json_place(json, tree->lines[tree->told].to);
    }
    json_close(json, ']');
}
