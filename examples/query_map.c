// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A map of sensed space: points become cells, and balls are asked about. The same questions go to a map file that
// berth_io_open_map reads (OctoMap, ROS map_server, .npy, berth's own).
//     query_map

#include <berth/berth.h>
#include <stdio.h>

/// A wall that a sensor saw: points a few centimetres apart.
static BerthStatus add_wall(BerthFieldBuilder* builder) {
    for (int row = 0; row < 40; ++row) {
        BerthVec3 points[60];
        for (int i = 0; i < 60; ++i) {
            points[i] = (BerthVec3){2.0, 0.2 + 0.05 * i, 0.05 * row};
        }
        const BerthStatus status = berth_field_add_points(builder, points, 60, 0.0, NULL);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

/// Four metres a side in cells of five centimetres, with distances of every cell.
static BerthStatus make_map(BerthField** out) {
    BerthFieldDef def = berth_default_field_def();
    def.resolution = 0.05;
    def.size[0] = 80;
    def.size[1] = 80;
    def.size[2] = 80;
    def.levels = berth_field_levels_for(3, def.size);
    def.parts = BERTH_FIELD_EUCLID;

    BerthFieldBuilder* builder = NULL;
    BerthStatus status = berth_field_builder_create(&def, &builder);
    if (status == BERTH_OK) {
        status = add_wall(builder);
    }
    if (status == BERTH_OK) {
        status = berth_field_build(builder, out);
    }
    berth_field_builder_destroy(builder);
    return status;
}

int main(void) {
    BerthField* field = NULL;
    BerthStatus status = make_map(&field);
    for (int i = 0; status == BERTH_OK && i < 4; ++i) {
        const BerthVec3 centre = {0.5 + 0.4 * i, 1.5, 1.0};
        BerthFieldAnswer answer;
        status = berth_field_query(field, BERTH_METRIC_L2, centre, 0.25, &answer);
        if (status == BERTH_OK) {
            printf("a ball of 0.25 m at x = %.1f m: %s, %.3f m from its centre to the nearest obstacle\n",
                   centre.x, berth_verdict_name(answer.verdict), answer.lower);
        }
    }

    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    berth_field_destroy(field);
    return status == BERTH_OK ? 0 : 2;
}
