// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 004's tables, measured again on environments of its sizes and printed beside its own; growth with the map's size;
// and the peers: OctoMap through FCL, and DynamicEDT3D, on the same cells and balls in one run; a depth camera in a kitchen.
// usage: bench_maps [tables|growth|rivals|updates|sensed|noise]...      without: all
//        bench_maps sound [BALLS [UPDATES [SEED]]]                the long form of the tests: 100,000 balls, 1,000 updates

#include <berth/lab/field.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maps/maps.h"
#include "support/clock.h"

enum { BALLS = 10000, SINGLE = 2000, PLACES = 60 };

typedef struct Thesis {
    double octree, odm, eodm, dm;  // memory: kB in the plane, MB in space
    double make_odm, make_eodm;    // ms; NaN: the column is damaged in print
    double us[4];                  // octree, odm, eodm, dm
} Thesis;

static const Thesis plane[MAP_ENVIRONMENTS] = {
    {0.064, 0.080, 0.620, 65, 0.1, 0.2, {111.6, 98.5, 57.7, 0.216}},
    {0.548, 0.570, 6.860, 65, 0.9, 8.0, {89.3, 87.8, 65.1, 0.209}},
    {0.744, 0.780, 8.780, 65, 1.2, 23.5, {109.5, 81.2, 63.4, 0.209}},
    {0.904, 0.962, 9.260, 65, 1.1, 39.6, {117.5, 61.5, 48.9, 0.216}},
    {0.996, 1.060, 10.220, 65, 0.9, 27.8, {267.8, 191.4, 36.1, 0.212}}};
static const Thesis space[MAP_ENVIRONMENTS] = {
    {0.116, 0.140, 2.236, 16, 1.0, (double)NAN, {1098.5, 904.2, 22.6, 0.265}},
    {0.240, 0.330, 5.704, 16, 1.2, 112, {841.7, 704.7, 38.0, 0.268}},
    {0.368, 0.458, 8.792, 16, 1.7, 363, {483.2, 401.4, 26.2, 0.254}},
    {0.408, 0.606, 9.112, 16, 3.7, 358, {743.1, 676.8, 39.0, 0.267}},
    {0.444, 0.624, 10.496, 16, 5.8, 500, {964.2, 635.7, 21.1, 0.262}}};

typedef struct Made {
    BerthField* field;  // with all parts
    BerthFieldInfo info;
    double odm, eodm, dm, euclid, lists;  // seconds
    MapShared shared;                     // of the tables only
} Made;

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static Made make(int dim, int number, int levels, uint32_t parts) {
    Made out = {0};
    double tree = 0, all = 0;
    BerthFieldBuilder* builder = map_environment(dim, number, levels);
    BerthField* bare = map_build(builder, &tree);
    berth_field_builder_destroy(builder);
    const uint32_t each[5] = {BERTH_FIELD_ODM, BERTH_FIELD_EODM, BERTH_FIELD_DM, BERTH_FIELD_EUCLID,
                              BERTH_FIELD_LISTS};
    double* const seconds[5] = {&out.odm, &out.eodm, &out.dm, &out.euclid, &out.lists};
    double nothing = 0;
    berth_field_destroy(map_remake(bare, 0, &nothing));
    for (int i = 0; i < 5; ++i) {
        if ((parts & each[i]) != 0) {
            berth_field_destroy(map_remake(bare, each[i], seconds[i]));
            *seconds[i] = fmax(*seconds[i] - nothing, 0);  // what the tree itself takes is not theirs
        }
    }
    out.field = map_remake(bare, parts, &all);
    out.info = berth_field_info(out.field);
    berth_field_destroy(bare);
    return out;
}

static void memory_row(int dim, int number, const Made* made) {
    const Thesis* t = dim == 2 ? &plane[number - 1] : &space[number - 1];
    const double unit = dim == 2 ? 1e3 : 1e6;
    const BerthFieldInfo* f = &made->info;
    const double odm = (double)(f->tree_bytes + f->odm_bytes) / unit,
                 eodm = (double)(f->tree_bytes + f->eodm_bytes) / unit,
                 shared = ((double)f->tree_bytes + made->shared.bytes) / unit;
    char name[16];
    snprintf(name, sizeof name, "%dD %d", dim, number);
    fprintf(stderr, "%d %-9s thesis %8lld  %8.3f %8.3f %8.3f        - %8.3f | %8.1f %8.1f        -\n", number,
            map_environment_name(number), (long long)map_thesis_nodes(dim, number), t->octree, t->odm,
            t->eodm, t->dm, t->make_odm, t->make_eodm);
    fprintf(
        stderr,
        "            ours   %8lld  %8.3f %8.3f %8.3f %8.3f %8.3f | %8.2f %8.2f %8.2f   EODM / octree %.1f "
        "(thesis %.1f), shared / EODM %.2f; %.1f intervals a node; %.0f separators of %.0f leaves\n",
        (long long)f->node_count, (double)f->tree_bytes / unit, odm, eodm, shared, (double)f->dm_bytes / unit,
        1e3 * made->odm, 1e3 * made->eodm, 1e3 * made->shared.seconds, eodm / ((double)f->tree_bytes / unit),
        t->eodm / t->octree, shared / eodm, (double)f->interval_count / (double)f->node_count,
        made->shared.planes, made->shared.leaves);
    map_row("memory", name, "nodes", (double)f->node_count, (double)NAN);
    map_row("memory", name, "octree", (double)f->tree_bytes, t->octree * unit);
    map_row("memory", name, "odm", odm * unit, t->odm * unit);
    map_row("memory", name, "eodm", eodm * unit, t->eodm * unit);
    map_row("memory", name, "shared", shared * unit, (double)NAN);
    map_row("memory", name, "dm", (double)f->dm_bytes, t->dm * unit);
    map_row("memory", name, "lists", (double)f->list_bytes, (double)NAN);
    map_row("memory", name, "euclid", (double)f->euclid_bytes, (double)NAN);
    map_row("create", name, "odm", made->odm, 1e-3 * t->make_odm);
    map_row("create", name, "eodm", made->eodm, 1e-3 * t->make_eodm);
    map_row("create", name, "shared", made->shared.seconds, (double)NAN);
    map_row("create", name, "lists", made->lists, (double)NAN);
    map_row("create", name, "euclid", made->euclid, (double)NAN);
    map_row("memory", name, "intervals a node", (double)f->interval_count / (double)f->node_count,
            (double)NAN);
}

// BallOctree as the thesis searched it, ODM, EODM, DM; then the pruned search, and Euclidean balls.
static void time_row(int dim, int number, const Made* made, double ratios[2]) {
    static const BerthFieldMethod ways[5] = {BERTH_FIELD_BY_THESIS, BERTH_FIELD_BY_ODM, BERTH_FIELD_BY_EODM,
                                             BERTH_FIELD_BY_DM, BERTH_FIELD_BY_OCTREE};
    static const char* const names[5] = {"octree", "odm", "eodm", "dm", "octree pruned"};
    const Thesis* t = dim == 2 ? &plane[number - 1] : &space[number - 1];
    char name[16];
    snprintf(name, sizeof name, "%dD %d", dim, number);
    double* balls = map_balls(made->field, 4, BALLS);
    double us[5];
    int wrong = made->shared.wrong;
    for (int i = 0; i < 5; ++i) {
        us[i] = 1e6 * map_time(made->field, ways[i], BERTH_METRIC_L1, balls, BALLS);
        wrong += map_differences(made->field, ways[i], balls, ways[i] == BERTH_FIELD_BY_THESIS ? 200 : BALLS);
        map_row("query", name, names[i], us[i], i < 4 ? t->us[i] : (double)NAN);
    }
    const MapShares shares = map_shares(made->field, BERTH_FIELD_BY_EODM, balls, SINGLE);
    const double lists = 1e6 * map_time(made->field, BERTH_FIELD_BY_LISTS, BERTH_METRIC_L2, balls, BALLS);
    const double euclid = 1e6 * map_time(made->field, BERTH_FIELD_BY_EUCLID, BERTH_METRIC_L2, balls, BALLS);
    map_row("query", name, "lists, L2", lists, (double)NAN);
    map_row("query", name, "euclid, L2", euclid, (double)NAN);
    map_row("query", name, "eodm bare", made->shared.eodm_us, (double)NAN);
    map_row("query", name, "shared bare", made->shared.us, (double)NAN);
    map_row("query", name, "eodm p50", 1e6 * shares.p50, (double)NAN);
    map_row("query", name, "eodm p99", 1e6 * shares.p99, (double)NAN);
    map_row("query", name, "differences", wrong, 0);
    fprintf(stderr, "%d   thesis %9.1f %9.1f %9.1f %9.3f           |        -        - | %6.2f %6.2f\n",
            number, t->us[0], t->us[1], t->us[2], t->us[3], t->us[0] / t->us[2], t->us[1] / t->us[2]);
    fprintf(stderr,
            "    ours   %9.3f %9.3f %9.3f %9.3f %9.3f | %8.3f %8.3f | %6.2f %6.2f   pruned / EODM %.2f; "
            "p99 / p50 %.2f; L2 lists %.3f, Euclid %.3f; %d answers differ\n",
            us[0], us[1], us[2], us[3], us[4], made->shared.eodm_us, made->shared.us, us[0] / us[2],
            us[1] / us[2], us[4] / us[2], shares.p99 / shares.p50, lists, euclid, wrong);
    ratios[0] = us[0] / us[2];
    ratios[1] = shares.p99 / shares.p50;
    free(balls);
}

// Figure 4.3: the times of single places in the chessboard.
static void places(const Made* made) {
    static const BerthFieldMethod ways[4] = {BERTH_FIELD_BY_THESIS, BERTH_FIELD_BY_ODM, BERTH_FIELD_BY_EODM,
                                             BERTH_FIELD_BY_DM};
    static const char* const names[4] = {"octree", "odm", "eodm", "dm"};
    double* balls = map_balls(made->field, 43, PLACES);
    fprintf(stderr,
            "\nFigure 4.3: us a ball at %d places of environment 5 in space: median, least and most\n\n",
            (int)PLACES);
    for (int i = 0; i < 4; ++i) {
        double us[PLACES], least = INFINITY, most = 0;
        for (int k = 0; k < PLACES; ++k) {
            char name[16];
            us[k] = 1e6 * map_time(made->field, ways[i], BERTH_METRIC_L1, balls + 4 * k, 1);
            least = fmin(least, us[k]);
            most = fmax(most, us[k]);
            snprintf(name, sizeof name, "%d", k);
            map_row("places", name, names[i], us[k], (double)NAN);
        }
        qsort(us, PLACES, sizeof *us, by_size);
        fprintf(stderr, "    %-7s %9.3f %9.3f %9.3f   most / least %.1f\n", names[i], us[PLACES / 2], least,
                most, most / least);
    }
    free(balls);
}

static void verdict(bool holds, const char* words, double value) {
    fprintf(stderr, "%s %s: %.3g\n", holds ? "PASS    " : "differs ", words, value);
    map_row("expected", holds ? "PASS" : "differs", words, value, (double)NAN);
}

static void arm(void) {
    static const BerthFieldMethod ways[4] = {BERTH_FIELD_BY_THESIS, BERTH_FIELD_BY_ODM, BERTH_FIELD_BY_EODM,
                                             BERTH_FIELD_BY_OCTREE};
    static const double thesis[ARM_STATES][4] = {
        {63, 243, 231, 15}, {147, 50, 35, 17}, {0, 80, 74, 20}, {0, 77, 56, 26}};
    double seconds = 0;
    BerthFieldBuilder* builder = map_arm_world();
    BerthField* bare = map_build(builder, &seconds);
    BerthField* field = map_remake(bare, BERTH_FIELD_ODM | BERTH_FIELD_EODM, &seconds);
    fprintf(stderr,
            "\nTable 4.5: models/arm159 in 159 L1 balls that are fitted to each state, all of them asked; "
            "thesis: ms, ours: us\n\n"
            "state  hit   octree    ODM    EODM  | octree/EODM  ODM/EODM   pruned octree\n");
    for (int s = 0; s < ARM_STATES; ++s) {
        double balls[4 * ARM_BALLS], round[4 * ARM_BALLS], us[4];
        char name[16];
        snprintf(name, sizeof name, "arm %d", s + 1);
        const int count = map_arm(s, balls), round_count = map_arm_round(s, round);
        int hits = 0, hit_by_round = 0;
        for (int i = 0; i < count; ++i) {
            const BerthVec3 at = {balls[4 * i], balls[4 * i + 1], balls[4 * i + 2]};
            hits += berth_field_ball_by(field, BERTH_FIELD_BY_EODM, BERTH_METRIC_L1, at, balls[4 * i + 3]) ==
                    BERTH_COLLISION;
        }
        for (int i = 0; i < round_count; ++i) {
            const BerthVec3 at = {round[4 * i], round[4 * i + 1], round[4 * i + 2]};
            hit_by_round += berth_field_ball_by(field, BERTH_FIELD_BY_OCTREE, BERTH_METRIC_L2, at,
                                                round[4 * i + 3]) == BERTH_COLLISION;
        }
        for (int i = 0; i < 4; ++i) {
            us[i] = 1e6 * count * map_time(field, ways[i], BERTH_METRIC_L1, balls, count);
        }
        fprintf(stderr, "%d thesis %3.0f %8.0f %6.0f %7.0f  | %10.2f %9.2f\n", s + 1, thesis[s][0],
                thesis[s][1], thesis[s][2], thesis[s][3], thesis[s][1] / thesis[s][3],
                thesis[s][2] / thesis[s][3]);
        fprintf(
            stderr,
            "  ours   %3d %8.1f %6.1f %7.1f  | %10.2f %9.2f %12.1f   of %d balls; of %d round ones %d hit\n",
            hits, us[0], us[1], us[2], us[0] / us[2], us[1] / us[2], us[3], count, round_count, hit_by_round);
        map_row("arm", name, "octree", us[0], thesis[s][1] * 1e3);
        map_row("arm", name, "odm", us[1], thesis[s][2] * 1e3);
        map_row("arm", name, "eodm", us[2], thesis[s][3] * 1e3);
        map_row("arm", name, "hits", hits, thesis[s][0]);
    }
    berth_field_destroy(field);
    berth_field_destroy(bare);
    berth_field_builder_destroy(builder);
}

static void tables_of(int dim) {
    Made made[MAP_ENVIRONMENTS];
    double ratios[MAP_ENVIRONMENTS][2], least = INFINITY, spread = 0, slowest = 0, intervals = 0;
    fprintf(stderr,
            "\nTable 4.%d: memory, %s, and time to create, ms, over the tree (%s)\n\n"
            "env                   nodes    octree      ODM     EODM   shared       DM |      ODM     EODM   "
            "shared\n",
            dim == 2 ? 1 : 3, dim == 2 ? "kB" : "MB", dim == 2 ? "256^2" : "256^3");
    for (int e = 0; e < MAP_ENVIRONMENTS; ++e) {
        made[e] = make(dim, e + 1, 8, BERTH_FIELD_ALL_PARTS);
        double* balls = map_balls(made[e].field, 4, BALLS);
        made[e].shared = map_shared(made[e].field, balls, BALLS);
        free(balls);
        memory_row(dim, e + 1, &made[e]);
        slowest = fmax(slowest, made[e].eodm);
        intervals = fmax(intervals, (double)made[e].info.interval_count / (double)made[e].info.node_count);
    }
    fprintf(stderr,
            "\nTable 4.%d: us a ball (L1, radius 1 to 2 cells, %d places)\n\n"
            "                                                             |   in cells only |\n"
            "env           octree       ODM      EODM        DM    pruned |     EODM   shared | octree/EODM "
            "ODM/EODM\n",
            dim == 2 ? 2 : 4, BALLS);
    for (int e = 0; e < MAP_ENVIRONMENTS; ++e) {
        time_row(dim, e + 1, &made[e], ratios[e]);
        least = fmin(least, ratios[e][0]);
        spread = fmax(spread, ratios[e][1]);
    }
    if (dim == 3) {
        places(&made[MAP_ENVIRONMENTS - 1]);
        arm();
        fprintf(stderr, "\n");
        verdict(least >= 18, "octree as the thesis searched it over EODM at least 18 in space; least", least);
        verdict(spread <= 3, "EODM p99 / p50 at most 3 in space; most", spread);
        verdict(slowest <= 2, "EODM of every environment in at most 2 s; slowest", slowest);
        verdict(intervals <= 45, "at most 45 intervals an octree node; most", intervals);
    } else {
        verdict(least >= 1.4, "octree as the thesis searched it over EODM at least 1.4 in the plane; least",
                least);
    }
    for (int e = 0; e < MAP_ENVIRONMENTS; ++e) {
        berth_field_destroy(made[e].field);
    }
}

static void growth(void) {
    fprintf(stderr,
            "\nGrowth: environment 3, 64 to 512 cells a side\n\ncells      nodes   octree MB   EODM MB     "
            "DM MB   EODM s   us a ball\n");
    double last = 0, worst = 0;
    for (int levels = 6; levels <= 9; ++levels) {
        const Made made = make(3, 3, levels, BERTH_FIELD_EODM);
        double* balls = map_balls(made.field, 9, BALLS);
        const double us = 1e6 * map_time(made.field, BERTH_FIELD_BY_EODM, BERTH_METRIC_L1, balls, BALLS);
        const double cells = (double)(1 << levels), dm = 2 * cells * cells * cells / 1e6;
        char name[16];
        snprintf(name, sizeof name, "%d", 1 << levels);
        fprintf(stderr, "%5d %10lld %11.3f %9.3f %9.3f %8.3f %9.3f\n", 1 << levels,
                (long long)made.info.node_count, (double)made.info.tree_bytes / 1e6,
                (double)made.info.eodm_bytes / 1e6, dm, made.eodm, us);
        map_row("growth", name, "octree", (double)made.info.tree_bytes, (double)NAN);
        map_row("growth", name, "eodm", (double)made.info.eodm_bytes, (double)NAN);
        map_row("growth", name, "dm", dm * 1e6, (double)NAN);
        map_row("growth", name, "us", us, (double)NAN);
        worst = last > 0 ? fmax(worst, (double)made.info.eodm_bytes / last) : 0;
        last = (double)made.info.eodm_bytes;
        free(balls);
        berth_field_destroy(made.field);
    }
    verdict(worst <= 5,
            "EODM grows with the surface (4 times a doubling), not with the volume (8 times); most", worst);
}

// The long form alone, since it takes numbers.
static int sound(int argc, char** argv) {
    const long long balls = argc > 2 ? atoll(argv[2]) : 100000, updates = argc > 3 ? atoll(argv[3]) : 1000;
    return map_sound(balls, updates, argc > 4 ? strtoull(argv[4], NULL, 10) : 1) ? 0 : 1;
}

static void both_tables(void) {
    tables_of(2);
    tables_of(3);
}

int main(int argc, char** argv) {
    static const struct {
        const char* name;
        void (*run)(void);
    } parts[] = {{"tables", both_tables},  {"growth", growth},     {"rivals", map_rivals},
                 {"updates", map_updates}, {"sensed", map_sensed}, {"noise", map_noise}};
    enum { PARTS = sizeof parts / sizeof parts[0] };
    const bool is_sound = argc > 1 && strcmp(argv[1], "sound") == 0;
    bool wanted[PARTS] = {false};
    for (int i = 1; i < argc && !is_sound; ++i) {
        bool known = false;
        for (int k = 0; k < PARTS; ++k) {
            const bool same = strcmp(argv[i], parts[k].name) == 0;
            known = known || same;
            wanted[k] = wanted[k] || same;
        }
        if (!known) {
            fprintf(stderr,
                    "usage: bench_maps [tables|growth|rivals|updates|sensed|noise]...\n"
                    "       bench_maps sound [BALLS [UPDATES [SEED]]]\n");
            return 2;
        }
    }

    printf("bench,table,environment,what,value,thesis,machine,compiler,commit\n");
    if (is_sound) {
        return sound(argc, argv);
    }
    for (int k = 0; k < PARTS; ++k) {
        if (argc < 2 || wanted[k]) {
            parts[k].run();
        }
    }
    return 0;
}
