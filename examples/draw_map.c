// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Draws what a field holds, as the pictures of docs/theory/field.md: a quadtree with the intervals of one free node's EODM, the distance along that node's border, and a
// slice of a Euclidean map.
// usage: draw_map FOLDER

#include <berth/berth.h>
#include <berth/lab.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELL = 16, PLANE = 32, SPACE = 64, TONES = 14, INTERVALS = 256 };

static const char* const colours[] = {"#c0392b", "#2471a3", "#1e8449", "#b9770e",
                                      "#7d3c98", "#117a65", "#a04000", "#5d6d7e"};

static FILE* open_picture(const char* folder, const char* name, int width, int height) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* out = fopen(path, "w");
    if (out == NULL) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(4);
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n",
            width, height);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width, height);
    return out;
}

static void close_picture(FILE* out) {
    fprintf(out, "</svg>\n");
    fclose(out);
}

static BerthField* make(int dim, int levels, uint32_t parts, const int32_t boxes[][6], int count) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = dim;
    def.levels = levels;
    def.parts = parts;
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    BerthStatus status = berth_field_builder_create(&def, &builder);
    for (int i = 0; i < count && status == BERTH_OK; ++i) {
        status = berth_field_add_box(builder, boxes[i], boxes[i] + 3, BERTH_CELL_OCCUPIED);
    }
    status = status == BERTH_OK ? berth_field_build(builder, &field) : status;
    berth_field_builder_destroy(builder);
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
        exit(4);
    }
    return field;
}

static double px(double x) {
    return CELL * x;
}
static double py(double y) {
    return CELL * (PLANE - y);  // y goes up
}

// Leaves one by one, each at its first cell.
static void draw_tree(FILE* out, const BerthField* field) {
    for (int32_t y = 0; y < PLANE; ++y) {
        for (int32_t x = 0; x < PLANE; ++x) {
            const BerthFieldLeaf leaf = berth_field_leaf_at(field, x, y, 0);
            if (leaf.low[0] == x && leaf.low[1] == y) {
                fprintf(out,
                        "<rect x=\"%g\" y=\"%g\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#aaa\" "
                        "stroke-width=\"0.5\"/>\n",
                        px(x), py(y + leaf.width), CELL * leaf.width, CELL * leaf.width,
                        leaf.colour == BERTH_CELL_OCCUPIED ? "#333" : "white");
            }
        }
    }
}

// Along its face, and from its middle to the obstacle that it is of.
static void draw_interval(FILE* out, const BerthField* field, const BerthFieldLeaf* node,
                          const BerthFieldInterval* interval) {
    const int normal = interval->face / 2;
    const double plane = node->low[normal] + (interval->face % 2 == 0 ? 0 : node->width);
    const double middle = 0.5 * (interval->from + interval->to);
    const char* colour = colours[interval->obstacle % 8];
    double a[2], b[2], m[2], near[2];
    a[normal] = b[normal] = m[normal] = plane;
    a[1 - normal] = interval->from;
    b[1 - normal] = interval->to;
    m[1 - normal] = middle;
    const BerthFieldLeaf leaf = berth_field_solid_leaf(field, interval->obstacle);
    for (int axis = 0; axis < 2; ++axis) {
        near[axis] = fmin(fmax(m[axis], leaf.low[axis]), leaf.low[axis] + leaf.width);
    }
    fprintf(out, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"5\"/>\n",
            px(a[0]), py(a[1]), px(b[0]), py(b[1]), colour);
    fprintf(out,
            "<polyline points=\"%g,%g %g,%g %g,%g\" fill=\"none\" stroke=\"%s\" stroke-dasharray=\"3 2\"/>\n",
            px(m[0]), py(m[1]), px(normal == 0 ? near[0] : m[0]), py(normal == 0 ? m[1] : near[1]),
            px(near[0]), py(near[1]), colour);
}

static void draw_quadtree(const char* folder, const BerthField* field, const BerthFieldLeaf* node) {
    FILE* out = open_picture(folder, "field_quadtree.svg", CELL * PLANE, CELL * PLANE);
    draw_tree(out, field);
    BerthFieldInterval intervals[INTERVALS];
    const int64_t count = berth_field_intervals(field, node->low[0], node->low[1], 0, intervals, INTERVALS);
    for (int64_t i = 0; i < count && i < INTERVALS; ++i) {
        draw_interval(out, field, node, &intervals[i]);
    }
    fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">W: %lld intervals</text>\n",
            px(node->low[0] + 0.5 * node->width), py(node->low[1] + 0.5 * node->width), (long long)count);
    close_picture(out);
}

// Once around the node, anticlockwise from its lower left corner.
static void draw_perimeter(const char* folder, const BerthField* field, const BerthFieldLeaf* node) {
    enum { WIDTH = 640, HEIGHT = 260, LEFT = 40, BOTTOM = 220, STEPS = 8 };
    FILE* out = open_picture(folder, "field_perimeter.svg", WIDTH, HEIGHT);
    const double scale_s = (double)(WIDTH - LEFT - 20) / (4 * node->width), scale_d = 20.0;
    const double dx[4] = {1, 0, -1, 0}, dy[4] = {0, 1, 0, -1};
    int64_t last = -1;
    for (int i = 0; i <= 4 * STEPS * node->width; ++i) {
        const double s = (double)i / STEPS;
        const int side = i == 4 * STEPS * node->width ? 3 : (int)(s / node->width);
        const double along = s - side * node->width;
        const BerthVec3 p = {node->low[0] + (side == 1 || side == 2 ? node->width : 0) + dx[side] * along,
                             node->low[1] + (side >= 2 ? node->width : 0) + dy[side] * along, 0};
        BerthFieldAnswer answer;
        if (berth_field_query_by(field, BERTH_FIELD_BY_EODM, BERTH_METRIC_L1, p, 0, &answer) != BERTH_OK) {
            exit(4);
        }
        const double x = LEFT + scale_s * s, y = BOTTOM - scale_d * answer.lower;
        if (answer.obstacle != last) {
            fprintf(out, "%s<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"",
                    last < 0 ? "" : "\"/>\n", colours[answer.obstacle % 8]);
        }
        last = answer.obstacle;
        fprintf(out, "%.1f,%.1f ", x, y);
    }
    fprintf(out, "\"/>\n<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"black\"/>\n", LEFT, BOTTOM,
            WIDTH - 20, BOTTOM);
    for (int side = 0; side <= 4; ++side) {
        const double x = LEFT + scale_s * side * node->width;
        fprintf(out,
                "<line x1=\"%g\" y1=\"20\" x2=\"%g\" y2=\"%d\" stroke=\"#ccc\"/><text x=\"%g\" y=\"%d\" "
                "text-anchor=\"middle\">%d</text>\n",
                x, x, BOTTOM, x, BOTTOM + 16, side * node->width);
    }
    for (int d = 0; d <= 8; d += 2) {
        fprintf(out, "<text x=\"%d\" y=\"%g\" text-anchor=\"end\">%d</text>\n", LEFT - 6,
                BOTTOM - scale_d * d + 4, d);
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\">s, cells along the border of W; L1 distance to the nearest obstacle, a "
            "colour an obstacle</text>\n",
            LEFT, HEIGHT - 6);
    close_picture(out);
}

// Runs of one tone, row by row; the tree's leaves over them.
static void draw_slice(const char* folder, const BerthField* field) {
    enum { SIDE = 8, AT = SPACE / 2 };
    FILE* out = open_picture(folder, "field_slice.svg", SIDE * SPACE, SIDE * SPACE);
    for (int32_t y = 0; y < SPACE; ++y) {
        for (int32_t x = 0; x < SPACE;) {
            const int64_t value = berth_field_euclid_at(field, x, y, AT);
            const int tone = value == 0 ? -1 : (int)fmin(0.5 * sqrt((double)value), TONES - 1);
            int32_t end = x;
            while (end < SPACE) {
                const int64_t next = berth_field_euclid_at(field, end, y, AT);
                if ((next == 0 ? -1 : (int)fmin(0.5 * sqrt((double)next), TONES - 1)) != tone) {
                    break;
                }
                ++end;
            }
            const int light = 90 + 160 * (tone + 1) / TONES;
            fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"rgb(%d,%d,%d)\"/>\n",
                    SIDE * x, SIDE * (SPACE - 1 - y), SIDE * (end - x), SIDE, tone < 0 ? 40 : light,
                    tone < 0 ? 40 : light, tone < 0 ? 40 : 255);
            x = end;
        }
    }
    for (int32_t y = 0; y < SPACE; ++y) {
        for (int32_t x = 0; x < SPACE; ++x) {
            const BerthFieldLeaf leaf = berth_field_leaf_at(field, x, y, AT);
            if (leaf.low[0] == x && leaf.low[1] == y && leaf.width > 1) {
                fprintf(out,
                        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#555\" "
                        "stroke-width=\"0.4\"/>\n",
                        SIDE * x, SIDE * (SPACE - y - leaf.width), SIDE * leaf.width, SIDE * leaf.width);
            }
        }
    }
    close_picture(out);
}

int main(int count, char** words) {
    if (count != 2) {
        fprintf(stderr, "usage: draw_map FOLDER\n");
        return 2;
    }
    static const int32_t plane[][6] = {{2, 3, 0, 6, 9, 1},    {11, 2, 0, 20, 5, 1},   {23, 8, 0, 25, 17, 1},
                                       {9, 19, 0, 12, 27, 1}, {17, 18, 0, 21, 20, 1}, {27, 22, 0, 31, 30, 1}};
    static const int32_t space[][6] = {{5, 6, 20, 18, 30, 50},
                                       {30, 10, 10, 45, 18, 40},
                                       {40, 40, 25, 55, 58, 34},
                                       {12, 45, 0, 22, 55, 64},
                                       {50, 20, 30, 62, 28, 36}};
    BerthField* flat = make(2, 5, BERTH_FIELD_EODM, plane, 6);
    const BerthFieldLeaf node = berth_field_leaf_at(flat, 13, 11, 0);
    draw_quadtree(words[1], flat, &node);
    draw_perimeter(words[1], flat, &node);
    berth_field_destroy(flat);
    BerthField* solid = make(3, 6, BERTH_FIELD_EUCLID, space, 5);
    draw_slice(words[1], solid);
    berth_field_destroy(solid);
    printf("three pictures are in %s\n", words[1]);
    return 0;
}
