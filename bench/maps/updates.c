// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Memory of the tree alone, and what a change costs: 256^3 cells, 60 boxes, of which a block of 1 % and one of 10 % of the cells are turned
// over, free to occupied and back; OctoMap's tree, DynamicEDT3D's distances, and ours, in one run.

#include <berth/lab/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "maps/maps.h"
#include "oracle/peer_map.h"
#include "support/clock.h"

enum { SIDE = 256 };

static void say(bool holds, const char* words, double value) {
    fprintf(stderr, "%s %s: %.3g\n", holds ? "PASS    " : "differs ", words, value);
    map_row("expected", holds ? "PASS" : "differs", words, value, (double)NAN);
}

#if BERTH_HAVE_ORACLES

/// The block's cells, with the colour that they get.
typedef struct Block {
    BerthFieldChange* changes;
    size_t count;
} Block;

static Block turn_over(uint8_t* cells, double share) {
    const int wide = (int)floor(cbrt(share) * SIDE + 0.5), from = (SIDE - wide) / 2;
    Block out = {calloc((size_t)wide * (size_t)wide * (size_t)wide, sizeof *out.changes), 0};
    for (int x = from; out.changes != NULL && x < from + wide; ++x) {
        for (int y = from; y < from + wide; ++y) {
            for (int z = from; z < from + wide; ++z) {
                uint8_t* cell = &cells[((size_t)x * SIDE + (size_t)y) * SIDE + (size_t)z];
                *cell = !*cell;
                out.changes[out.count++] =
                    (BerthFieldChange){{x, y, z}, *cell ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE};
            }
        }
    }
    return out;
}

static double update_ours(const BerthField* bare, uint32_t parts, const Block* block) {
    double seconds = 0.0;
    BerthField* field = map_remake(bare, parts, &seconds);
    const double start = bench_thread_now();
    const BerthStatus status = berth_field_update(field, block->changes, block->count);
    seconds = bench_thread_now() - start;
    berth_field_destroy(field);
    return status == BERTH_OK ? seconds : (double)NAN;
}

static void one_share(const BerthField* bare, uint8_t* cells, double share) {
    char name[32];
    (void)snprintf(name, sizeof name, "%g %% of the cells", 100.0 * share);
    PeerMap* map = peer_map_open(cells, SIDE);
    PeerEdt* edt = peer_edt_open(cells, SIDE);
    const Block block = turn_over(cells, share);

    double start = bench_thread_now();
    for (size_t i = 0; i < block.count; ++i) {
        const BerthFieldChange* c = &block.changes[i];
        peer_map_set(map, c->cell[0], c->cell[1], c->cell[2], c->colour == BERTH_CELL_OCCUPIED);
    }
    peer_map_settle(map);
    const double octomap = bench_thread_now() - start;

    start = bench_thread_now();
    for (size_t i = 0; i < block.count; ++i) {
        const BerthFieldChange* c = &block.changes[i];
        peer_edt_set(edt, c->cell[0], c->cell[1], c->cell[2], c->colour == BERTH_CELL_OCCUPIED);
    }
    peer_edt_update(edt);
    const double dynamic = bench_thread_now() - start;

    const double tree = update_ours(bare, 0, &block), euclid = update_ours(bare, BERTH_FIELD_EUCLID, &block);
    fprintf(stderr,
            "%s (%zu) turned over, s of processor time: OctoMap %.3f, our tree %.3f; DynamicEDT3D %.3f, our "
            "Euclidean map %.3f\n",
            name, block.count, octomap, tree, dynamic, euclid);
    map_row("updates", name, "OctoMap s", octomap, (double)NAN);
    map_row("updates", name, "tree s", tree, (double)NAN);
    map_row("updates", name, "DynamicEDT3D s", dynamic, (double)NAN);
    map_row("updates", name, "euclid s", euclid, (double)NAN);

    free(turn_over(cells, share).changes);  // back again
    free(block.changes);
    peer_map_close(map);
    peer_edt_close(edt);
}

static void memory(const char* name, const BerthField* bare, const uint8_t* cells) {
    PeerMap* map = peer_map_open(cells, SIDE);
    const BerthFieldInfo info = berth_field_info(bare);
    const double theirs = (double)peer_map_bytes(map), ours = (double)info.tree_bytes;
    fprintf(stderr,
            "The tree alone, %s: OctoMap %.2f MB (occupied cells only), ours %.2f MB (free ones, too: %lld "
            "nodes)\n",
            name, 1e-6 * theirs, 1e-6 * ours, (long long)info.node_count);
    map_row("memory", name, "OctoMap's tree", theirs, (double)NAN);
    map_row("memory", name, "our tree", ours, (double)NAN);
    say(ours <= 1.5 * theirs, "our tree at most 1.5 times OctoMap's; times", ours / theirs);
    peer_map_close(map);
}

static void memory_of_noise(void) {
    double seconds = 0;
    BerthFieldBuilder* builder = map_noisy();
    BerthField* bare = map_build(builder, &seconds);
    uint8_t* cells = map_cells(bare);
    memory("60 boxes and 0.2 % noise", bare, cells);
    free(cells);
    berth_field_destroy(bare);
    berth_field_builder_destroy(builder);
}
#endif

void map_updates(void) {
    double seconds = 0;
    BerthFieldBuilder* builder = map_sixty();
    BerthField* bare = map_build(builder, &seconds);
    uint8_t* cells = map_cells(bare);
    fprintf(stderr, "\nMemory and updates: 256^3 cells, 60 boxes\n\n");
#if BERTH_HAVE_ORACLES
    memory("60 boxes", bare, cells);
    memory_of_noise();
    one_share(bare, cells, 0.01);
    one_share(bare, cells, 0.1);
#else
    say(false, "built without OctoMap", 0.0);
#endif
    free(cells);
    berth_field_destroy(bare);
    berth_field_builder_destroy(builder);
}
