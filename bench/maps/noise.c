// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Where EODM loses: 256^3 cells, 60 boxes, and 0.2 % of all cells occupied by chance. Memory, time to build and time of a ball of
// each structure, beside OctoMap's tree of the same cells.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "maps/maps.h"
#include "oracle/peer_map.h"
#include "support/clock.h"

enum { SIDE = 256, BALLS = 10000 };

static uint64_t random_bits(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

BerthFieldBuilder* map_noisy(void) {
    uint64_t random = 2;
    BerthFieldBuilder* builder = map_sixty();
    for (int i = 0; i < SIDE * SIDE * SIDE / 500; ++i) {
        int cell[3];
        for (int axis = 0; axis < 3; ++axis) {
            cell[axis] = (int)(random_bits(&random) % SIDE);
        }
        if (berth_field_add_cell(builder, cell[0], cell[1], cell[2], BERTH_CELL_OCCUPIED) != BERTH_OK) {
            fprintf(stderr, "bench: noise: %s\n", berth_error_text());
            exit(2);
        }
    }
    return builder;
}

/// A structure with the metrics that it answers exactly.
typedef struct Way {
    const char* name;
    uint32_t part;
    BerthFieldMethod method;
    bool l1, l2;
} Way;

static size_t bytes_of(const BerthFieldInfo* info) {
    return info->odm_bytes + info->eodm_bytes + info->dm_bytes + info->euclid_bytes;
}

static void put_time(char* text, size_t size, double us) {
    if (us > 0) {
        (void)snprintf(text, size, "%10.3f", us);
    } else {
        (void)snprintf(text, size, "%10s", "-");
    }
}

static void one_way(const BerthField* bare, const Way* way, const double* balls) {
    double seconds = 0, us[2] = {0, 0};
    BerthField* field = map_remake(bare, way->part, &seconds);
    const BerthFieldInfo info = berth_field_info(field);
    const double mb = 1e-6 * (double)(info.tree_bytes + bytes_of(&info));
    if (way->l1) {
        us[0] = 1e6 * map_time(field, way->method, BERTH_METRIC_L1, balls, BALLS);
    }
    if (way->l2) {
        us[1] = 1e6 * map_time(field, way->method, BERTH_METRIC_L2, balls, BALLS);
    }
    const int wrong = way->l1 ? map_differences(field, way->method, balls, BALLS) : 0;

    char l1[16], l2[16];
    put_time(l1, sizeof l1, us[0]);
    put_time(l2, sizeof l2, us[1]);
    fprintf(stderr, "%-8s %9.2f %9.2f %s %s   %d answers differ\n", way->name, mb, seconds, l1, l2, wrong);
    map_row("noise", way->name, "MB", mb, (double)NAN);
    map_row("noise", way->name, "build s", seconds, (double)NAN);
    if (way->l1) {
        map_row("noise", way->name, "us a ball, L1", us[0], (double)NAN);
    }
    if (way->l2) {
        map_row("noise", way->name, "us a ball, L2", us[1], (double)NAN);
    }
    berth_field_destroy(field);
}

void map_noise(void) {
    static const Way ways[] = {{"octree", 0, BERTH_FIELD_BY_OCTREE, true, true},
                               {"odm", BERTH_FIELD_ODM, BERTH_FIELD_BY_ODM, true, false},
                               {"eodm", BERTH_FIELD_EODM, BERTH_FIELD_BY_EODM, true, true},
                               {"dm", BERTH_FIELD_DM, BERTH_FIELD_BY_DM, true, false},
                               {"edt", BERTH_FIELD_EUCLID, BERTH_FIELD_BY_EUCLID, false, true}};
    double seconds = 0;
    BerthFieldBuilder* builder = map_noisy();
    BerthField* bare = map_build(builder, &seconds);
    const BerthFieldInfo info = berth_field_info(bare);
    fprintf(stderr,
            "\nNoise: 256^3 cells, 60 boxes and 0.2 %% of the cells (%llu occupied, %lld nodes); MB and s to "
            "build "
            "with the tree\n\n",
            (unsigned long long)info.occupied_cells, (long long)info.node_count);
#if BERTH_HAVE_ORACLES
    uint8_t* cells = map_cells(bare);
    PeerMap* peer = peer_map_open(cells, SIDE);
    fprintf(stderr, "OctoMap's tree of the same cells: %.2f MB\n", 1e-6 * (double)peer_map_bytes(peer));
    map_row("noise", "OctoMap", "MB", 1e-6 * (double)peer_map_bytes(peer), (double)NAN);
    peer_map_close(peer);
    free(cells);
#endif
    fprintf(stderr, "              MB   build s   us by L1   us by L2\n");
    double* balls = map_balls(bare, 4, BALLS);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        one_way(bare, &ways[i], balls);
    }
    free(balls);
    berth_field_destroy(bare);
    berth_field_builder_destroy(builder);
}
