// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The long form of the tests of maps: random maps through files of every format, balls asked of every structure, and changes,
// against all obstacle boxes one by one in long double. Nothing here is the product's but what it is asked.

#include <berth/io/map.h>
#include <berth/lab/field.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "maps/maps.h"
#include "oracle/peer_octomap_file.h"
#include "support/clock.h"

enum { SIDE_MOST = 40, CELLS_MOST = SIDE_MOST * SIDE_MOST * SIDE_MOST, BALLS_A_MAP = 1000, FAR_VOXELS = 8 };

typedef enum Format {
    AS_NPY,
    AS_SERVER,
    AS_LIN,
    AS_BMAP,
    AS_POINTS,
    AS_BT,
    AS_OT,
    AS_FAR_BT,
    FORMAT_COUNT
} Format;
static const char* const format_names[FORMAT_COUNT] = {".npy", ".yaml", ".lin", ".bmap",
                                                       ".xyz", ".bt",   ".ot",  "far .bt"};

/// An obstacle, in cells from the origin.
typedef struct Box {
    int32_t low[3], high[3];
} Box;

typedef struct World {
    Format format;
    int dim;
    int32_t size[3];
    double resolution;
    double origin[3];
    double yaw;
    bool unknown_is_free, around_is_unknown;
    uint8_t* colour;  // [x][y][z]: 0 free, 1 occupied, 2 unknown
    Box* boxes;       // all obstacles
    int box_count;
    double reach;  // the largest number in it
} World;

typedef struct Tally {
    int64_t balls, answers, wrong, undecided, updates;
    int64_t of_format[FORMAT_COUNT];
    int64_t told[3];
} Tally;

// ---- chance ------------------------------------------------------------------------------------------------------

static uint64_t chance;

static uint64_t roll(void) {
    uint64_t z = chance += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static int pick(int count) {
    return (int)(roll() % (uint64_t)count);
}

static double between(double low, double high) {
    return low + (high - low) * ((double)(roll() >> 11) * 0x1p-53);
}

static void die(const char* what) {
    fprintf(stderr, "bench_maps sound: %s: %s\n", what, berth_error_text());
    exit(2);
}

// ---- worlds ------------------------------------------------------------------------------------------------------

static uint8_t* colour_at(const World* w, int x, int y, int z) {
    return &w->colour[((size_t)x * (size_t)w->size[1] + (size_t)y) * (size_t)w->size[2] + (size_t)z];
}

static bool blocks(const World* w, int x, int y, int z) {
    const int colour = *colour_at(w, x, y, z);
    return colour == 1 || (colour == 2 && !w->unknown_is_free);
}

static void add_box(World* w, const int32_t low[3], const int32_t high[3]) {
    Box* box = &w->boxes[w->box_count++];
    memcpy(box->low, low, sizeof box->low);
    memcpy(box->high, high, sizeof box->high);
}

// Runs of obstacles along z (in the plane along y), and what is around the map where that is an obstacle.
static void list_boxes(World* w) {
    w->box_count = 0;
    const int last = w->dim - 1;
    for (int x = 0; x < w->size[0]; ++x) {
        for (int y = 0; y < (w->dim == 3 ? w->size[1] : 1); ++y) {
            for (int from = 0; from < w->size[last];) {
                int to = from;
                while (to < w->size[last] && (w->dim == 3 ? blocks(w, x, y, to) : blocks(w, x, to, 0))) {
                    ++to;
                }
                if (to > from) {
                    const int32_t low[3] = {x, w->dim == 3 ? y : from, w->dim == 3 ? from : 0};
                    const int32_t high[3] = {x + 1, w->dim == 3 ? y + 1 : to, w->dim == 3 ? to : 1};
                    add_box(w, low, high);
                }
                from = to + 1;
            }
        }
    }

    for (int axis = 0; w->around_is_unknown && !w->unknown_is_free && axis < 3; ++axis) {
        int32_t low[3] = {-1, -1, -1}, high[3] = {w->size[0] + 1, w->size[1] + 1, w->size[2] + 1};
        high[axis] = 0;
        add_box(w, low, high);
        low[axis] = w->size[axis];
        high[axis] = w->size[axis] + 1;
        add_box(w, low, high);
    }
}

// Boxes, shells and dust, with unknown ones among them.
static void paint(World* w) {
    const int pieces = pick(4) == 0 ? pick(60) : 1 + pick(6);
    for (int i = 0; i < pieces; ++i) {
        const int colour = pick(5) == 0 ? 2 : pick(6) == 0 ? 0 : 1;
        const bool shell = pick(4) == 0;
        int low[3], high[3];
        for (int axis = 0; axis < 3; ++axis) {
            const int most = pieces > 6 ? 1 : (w->size[axis] + 2) / 3;
            low[axis] = pick(w->size[axis]);
            high[axis] = low[axis] + 1 + pick(most);
            high[axis] = high[axis] < w->size[axis] ? high[axis] : w->size[axis];
        }
        for (int x = low[0]; x < high[0]; ++x) {
            for (int y = low[1]; y < high[1]; ++y) {
                for (int z = low[2]; z < high[2]; ++z) {
                    const bool inner = x > low[0] && x + 1 < high[0] && y > low[1] && y + 1 < high[1] &&
                                       (w->dim == 2 || (z > low[2] && z + 1 < high[2]));
                    if (!shell || !inner) {
                        *colour_at(w, x, y, z) = (uint8_t)colour;
                    }
                }
            }
        }
    }
}

// What the format can say: no unknown cells, powers of two, an unknown rest that begins right outside.
static void suit_format(World* w) {
    const bool octomap = w->format == AS_BT || w->format == AS_OT;
    for (int x = 0; x < w->size[0]; ++x) {
        for (int y = 0; y < w->size[1]; ++y) {
            for (int z = 0; z < w->size[2]; ++z) {
                uint8_t* c = colour_at(w, x, y, z);
                const bool edge = x == 0 || y == 0 || z == 0 || x + 1 == w->size[0] || y + 1 == w->size[1] ||
                                  z + 1 == w->size[2];
                if (*c == 2 && (w->format == AS_LIN || w->format == AS_POINTS || (octomap && edge))) {
                    *c = 0;
                }
            }
        }
    }
    w->around_is_unknown = octomap;
}

static void make_world(World* w, Format format) {
    static const double resolutions[] = {0.05, 0.1, 0.07, 0.03, 0.25, 1.0, 1e-3};
    static const double reaches[] = {0.0, 1.0, 10.0, 3000.0};
    w->format = format;
    w->dim = format == AS_SERVER                                         ? 2
             : format == AS_BT || format == AS_OT || format == AS_POINTS ? 3
                                                                         : 2 + pick(2);
    w->resolution = format == AS_LIN ? 1.0 : resolutions[pick(7)];
    w->unknown_is_free = pick(2) == 0;
    w->yaw = format == AS_SERVER && pick(2) == 0 ? between(-3.1, 3.1) : 0.0;
    const int most = pick(8) == 0 ? SIDE_MOST : pick(6) == 0 ? 2 : 18;
    for (int axis = 0; axis < 3; ++axis) {
        w->size[axis] = axis < w->dim ? 1 + pick(most) : 1;
    }
    if (format == AS_LIN) {
        const int side = 1 << pick(6);
        w->size[0] = w->size[1] = side;
        w->size[2] = w->dim == 3 ? side : 1;
    }
    memset(w->colour, 0, CELLS_MOST);
    paint(w);
    suit_format(w);

    const double reach = reaches[pick(4)];
    w->reach = reach;
    for (int axis = 0; axis < 3; ++axis) {
        w->origin[axis] = axis >= w->dim || format == AS_LIN ? 0.0 : between(-reach, reach);
        if (format == AS_BT || format == AS_OT) {  // whole multiples; not at the end of its cube
            const double cells = fmin(reach / w->resolution, 32000.0);
            w->origin[axis] = floor(between(-cells, cells)) * w->resolution;
        }
        w->reach = fmax(w->reach, fabs(w->origin[axis]) + w->resolution * w->size[axis]);
    }
    list_boxes(w);
}

// ---- files, written by hand or by their owners --------------------------------------------------------------------

static void write_npy(const World* w, const char* path) {
    char head[128];
    const int length =
        w->dim == 3
            ? snprintf(head, sizeof head, "{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d, %d), }",
                       (int)w->size[0], (int)w->size[1], (int)w->size[2])
            : snprintf(head, sizeof head, "{'descr': '|i1', 'fortran_order': False, 'shape': (%d, %d), }",
                       (int)w->size[0], (int)w->size[1]);
    FILE* file = fopen(path, "wb");
    fprintf(file, "\x93NUMPY%c%c%c%c%s%*s\n", 1, 0, 118, 0, head, 117 - length, "");
    for (int i = 0; i < w->size[0] * w->size[1] * w->size[2]; ++i) {
        fputc(w->colour[i] == 2 ? 255 : w->colour[i], file);
    }
    fclose(file);
}

static void write_server(const World* w, const char* path, const char* image, const char* image_name) {
    FILE* file = fopen(path, "w");
    fprintf(file,
            "image: %s\nresolution: %.17g\norigin: [%.17g, %.17g, %.17g]\nnegate: 0\noccupied_thresh: 0.65\n"
            "free_thresh: 0.196\n",
            image_name, w->resolution, w->origin[0], w->origin[1], w->yaw);
    fclose(file);
    file = fopen(image, "wb");
    fprintf(file, "P5\n%d %d\n255\n", (int)w->size[0], (int)w->size[1]);
    for (int y = w->size[1] - 1; y >= 0; --y) {
        for (int x = 0; x < w->size[0]; ++x) {
            static const int greys[] = {254, 0, 205};
            fputc(greys[*colour_at(w, x, y, 0)], file);
        }
    }
    fclose(file);
}

static void write_points(const World* w, const char* path) {
    FILE* file = fopen(path, "w");
    for (int x = 0; x < w->size[0]; ++x) {
        for (int y = 0; y < w->size[1]; ++y) {
            for (int z = 0; z < w->size[2]; ++z) {
                if (*colour_at(w, x, y, z) == 1) {
                    fprintf(file, "%.17g %.17g %.17g\n", w->origin[0] + w->resolution * (x + 0.5),
                            w->origin[1] + w->resolution * (y + 0.5),
                            w->origin[2] + w->resolution * (z + 0.5));
                }
            }
        }
    }
    fclose(file);
}

static void write_octomap(const World* w, const char* path) {
#if BERTH_HAVE_ORACLES
    PeerOctoLeaf* leaves = calloc(CELLS_MOST, sizeof *leaves);
    int count = 0;
    int32_t first[3];
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = 32768 + (int32_t)floor(w->origin[axis] / w->resolution + 0.5);
    }
    for (int x = 0; x < w->size[0]; ++x) {
        for (int y = 0; y < w->size[1]; ++y) {
            for (int z = 0; z < w->size[2]; ++z) {
                if (*colour_at(w, x, y, z) != 2) {
                    leaves[count++] = (PeerOctoLeaf){(uint16_t)(first[0] + x), (uint16_t)(first[1] + y),
                                                     (uint16_t)(first[2] + z), 0, *colour_at(w, x, y, z)};
                }
            }
        }
    }
    if (peer_octomap_write(path, w->resolution, leaves, count, pick(2), 0) != 0) {
        die("OctoMap does not write");
    }
    free(leaves);
#else
    (void)w, (void)path;
#endif
}

// A few voxels, up to 3.2 km apart, the rest unknown.
static void make_far(World* w, const char* path) {
    w->format = AS_FAR_BT;
    w->dim = 3;
    w->resolution = pick(2) == 0 ? 0.05 : 0.1;
    w->unknown_is_free = true;
    w->around_is_unknown = false;
    w->yaw = 0.0;
    w->box_count = 0;
    PeerOctoLeaf leaves[FAR_VOXELS];
    int32_t low[3] = {65536, 65536, 65536}, high[3] = {0, 0, 0};
    for (int i = 0; i < FAR_VOXELS; ++i) {
        const int scale = i % 3;
        int32_t from[3], to[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = (pick(65000) + 256) >> scale << scale;
            to[axis] = from[axis] + (1 << scale);
            low[axis] = from[axis] < low[axis] ? from[axis] : low[axis];
            high[axis] = to[axis] > high[axis] ? to[axis] : high[axis];
        }
        leaves[i] =
            (PeerOctoLeaf){(uint16_t)from[0], (uint16_t)from[1], (uint16_t)from[2], (uint8_t)scale, 1};
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] -= 32768;
            to[axis] -= 32768;
        }
        add_box(w, from, to);
    }
    for (int axis = 0; axis < 3; ++axis) {
        w->origin[axis] = 0.0;
        w->size[axis] = 32768;
    }
    w->reach = 32768 * w->resolution;
#if BERTH_HAVE_ORACLES
    if (peer_octomap_write(path, w->resolution, leaves, FAR_VOXELS, 1, 0) != 0) {
        die("OctoMap does not write");
    }
#else
    (void)path, (void)leaves;
#endif
}

// The map by way of its file; `folder` is emptied again.
static BerthMap* open_world(const World* w, const char* folder) {
    static const char* const names[FORMAT_COUNT] = {"m.npy", "m.yaml", "m.npy", "m.npy",
                                                    "m.xyz", "m.bt",   "m.ot",  "m.bt"};
    char path[256], other[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, names[w->format]);
    (void)snprintf(other, sizeof other, "%s/m.pgm", folder);
    BerthMapOptions options = berth_default_map_options();
    options.unknown_given = true;
    options.unknown_is_free = w->unknown_is_free;
    options.obey_yaw = true;
    options.parts = w->format == AS_FAR_BT ? 0u : (uint32_t)BERTH_FIELD_ALL_PARTS;
    const BerthIoOptions io = berth_default_io_options();
    BerthMap* map = NULL;

    const bool placed =
        w->format == AS_NPY || w->format == AS_BMAP || w->format == AS_POINTS || w->format == AS_LIN;
    if (placed) {
        options.resolution = w->resolution;
        options.has_origin = true;
        options.origin = (BerthVec3){w->origin[0], w->origin[1], w->origin[2]};
    }
    if (w->format == AS_POINTS) {
        write_points(w, path);
        options.unknown_is_free = true;
        options.levels = 6;
    } else if (w->format == AS_SERVER) {
        write_server(w, path, other, "m.pgm");
    } else if (w->format == AS_BT || w->format == AS_OT) {
        write_octomap(w, path);
    } else if (placed) {
        write_npy(w, path);
    }
    if (berth_io_open_map(path, &options, &io, &map) != BERTH_OK) {
        die(format_names[w->format]);
    }

    if (w->format == AS_LIN || w->format == AS_BMAP) {
        (void)snprintf(other, sizeof other, "%s/m%s", folder, format_names[w->format]);
        const BerthMapFacts facts = berth_map_facts(map);
        if (berth_io_write_map(other, berth_map_field(map), &facts, &io) != BERTH_OK) {
            die(format_names[w->format]);
        }
        berth_io_close_map(map);
        if (w->format == AS_BMAP) {
            options.resolution = 0.0;
            options.has_origin = false;
        }
        if (berth_io_open_map(other, &options, &io, &map) != BERTH_OK) {
            die(format_names[w->format]);
        }
    }
    if (fabs(berth_map_facts(map).yaw - w->yaw) > 1e-15) {
        die("another yaw");
    }
    (void)unlink(other);
    (void)unlink(path);
    return map;
}

// ---- the truth ---------------------------------------------------------------------------------------------------

/// Distances of a point to the nearest obstacle, and the place of the point in the map's own frame.
typedef struct Truth {
    long double distance[2];  // by BerthMetric
} Truth;

static Truth truth_of(const World* w, const long double at[3]) {
    Truth t = {{INFINITY, INFINITY}};
    long double squared = INFINITY;
    for (int i = 0; i < w->box_count; ++i) {
        long double sum = 0, sum_sq = 0;
        for (int axis = 0; axis < w->dim; ++axis) {
            const long double low = w->origin[axis] + (long double)w->resolution * w->boxes[i].low[axis];
            const long double high = w->origin[axis] + (long double)w->resolution * w->boxes[i].high[axis];
            const long double gap = at[axis] < low ? low - at[axis] : at[axis] > high ? at[axis] - high : 0;
            sum += gap;
            sum_sq += gap * gap;
        }
        t.distance[BERTH_METRIC_L1] = fminl(t.distance[BERTH_METRIC_L1], sum);
        squared = fminl(squared, sum_sq);
    }
    t.distance[BERTH_METRIC_L2] = sqrtl(squared);
    return t;
}

static double choose_radius(const World* w, long double distance) {
    const double d = isfinite((double)distance) ? (double)distance : 1.0;
    switch (pick(6)) {
    case 0:
        return 0.0;
    case 1:
        return d;
    case 2:
        return nextafter(d, pick(2) == 0 ? 0.0 : INFINITY);
    case 3:
        return d * (1.0 + between(-1e-9, 1e-9));
    case 4:
        return d * between(0.0, 2.0);
    default:
        return w->resolution * between(0.0, 4.0);
    }
}

static void complain(const World* w, const char* what, BerthFieldMethod method, int metric,
                     const double ball[4], long double truth, const BerthFieldAnswer* a) {
    static int told;
    if (++told <= 20) {
        fprintf(stderr,
                "%s: %s, %s %s at (%.17g, %.17g, %.17g) r %.17g: true %.21Lg; %s, [%.17g, %.17g], reach %g\n",
                what, format_names[w->format], berth_field_method_name(method),
                berth_metric_name((BerthMetric)metric), ball[0], ball[1], ball[2], ball[3], truth,
                berth_verdict_name(a->verdict), a->lower, a->upper, w->reach);
    }
}

// One ball, one structure, one metric: the whole answer, and the verdict alone.
static void judge(const World* w, const BerthField* field, BerthFieldMethod method, int metric,
                  const double ball[4], const Truth* truth, bool inside, Tally* tally) {
    const BerthVec3 at = {ball[0], ball[1], ball[2]};
    const long double d = truth->distance[metric];
    // Where the cells are is rounded to a unit or two of the largest number; turned maps are off by some more.
    const long double tiny =
        (w->yaw != 0.0 ? 64 : 8) * DBL_EPSILON * (long double)(w->reach + ball[3] + 1e-3);
    BerthFieldAnswer a;
    if (berth_field_query_by(field, method, (BerthMetric)metric, at, ball[3], &a) != BERTH_OK) {
        die("no answer");
    }
    const BerthVerdict alone = berth_field_ball_by(field, method, (BerthMetric)metric, at, ball[3]);
    const BerthVerdict both[2] = {a.verdict, alone};

    tally->answers += 2;
    for (int k = 0; k < 2; ++k) {
        tally->told[both[k]] += 1;
        const bool wrong = (both[k] == BERTH_FREE && d < ball[3] - tiny) ||
                           (both[k] == BERTH_COLLISION && d > ball[3] + tiny);
        const bool known = fabsl(d - ball[3]) > 1e-9L * (1.0L + w->reach) && (inside || d < ball[3]);
        if (wrong) {
            tally->wrong += 1;
            complain(w, "WRONG", method, metric, ball, d, &a);
        } else if (both[k] == BERTH_UNKNOWN && known) {
            tally->undecided += 1;
            complain(w, "undecided", method, metric, ball, d, &a);
        }
    }
    if (a.lower > d + tiny || a.upper < d - tiny) {
        tally->wrong += 1;
        complain(w, "WRONG distance", method, metric, ball, d, &a);
    }
}

// A ball: its place in the map's frame is rolled, turned into the world's, and back as a user would.
static void ask(const World* w, const BerthField* field, Tally* tally) {
    double cells[3] = {0, 0, 0}, ball[4] = {0, 0, 0, 0};
    for (int axis = 0; axis < w->dim; ++axis) {
        const double low = w->format == AS_FAR_BT ? -w->size[axis] : 0.0;
        cells[axis] = pick(4) == 0 ? floor(between(low, w->size[axis] + 1.0)) : between(low, w->size[axis]);
    }
    if (w->format == AS_FAR_BT && pick(2) == 0) {  // near a voxel
        const Box* box = &w->boxes[pick(w->box_count)];
        for (int axis = 0; axis < 3; ++axis) {
            cells[axis] = box->low[axis] + between(-4.0, 8.0);
        }
    }
    if (pick(40) == 0 && !w->around_is_unknown) {
        cells[pick(w->dim)] = between(-5.0, 2.0 * w->size[0] + 5.0);
    }

    bool inside = true;
    long double at[3] = {0, 0, 0};
    const BerthFieldInfo info = berth_field_info(field);
    const double begin[3] = {info.origin.x, info.origin.y, info.origin.z};
    for (int axis = 0; axis < w->dim; ++axis) {
        ball[axis] = w->origin[axis] + w->resolution * cells[axis];
    }
    if (w->yaw != 0.0) {  // a place in the world, and back by the yaw that the map tells
        const long double c = cosl(w->yaw), s = sinl(w->yaw);
        const long double x = (long double)ball[0] - w->origin[0], y = (long double)ball[1] - w->origin[1];
        const double world[2] = {(double)(w->origin[0] + c * x - s * y),
                                 (double)(w->origin[1] + s * x + c * y)};
        const long double wx = (long double)world[0] - w->origin[0],
                          wy = (long double)world[1] - w->origin[1];
        ball[0] = (double)(w->origin[0] + c * wx + s * wy);
        ball[1] = (double)(w->origin[1] - s * wx + c * wy);
    }
    for (int axis = 0; axis < w->dim; ++axis) {
        at[axis] = ball[axis];
        const double margin = 1e-9 * (1.0 + w->reach);
        inside = inside && ball[axis] > begin[axis] + margin &&
                 ball[axis] < begin[axis] + info.size[axis] * info.resolution - margin;
    }

    const Truth truth = truth_of(w, at);
    ball[3] = choose_radius(w, truth.distance[pick(2)]);
    tally->balls += 1;
    tally->of_format[w->format] += 1;
    for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
        const bool there =
            w->format != AS_FAR_BT || method == BERTH_FIELD_BY_BEST || method == BERTH_FIELD_BY_OCTREE;
        if (there && (method != BERTH_FIELD_BY_THESIS || tally->balls % 16 == 0)) {
            judge(w, field, (BerthFieldMethod)method, BERTH_METRIC_L1, ball, &truth, inside, tally);
            judge(w, field, (BerthFieldMethod)method, BERTH_METRIC_L2, ball, &truth, inside, tally);
        }
    }
}

// ---- changes -----------------------------------------------------------------------------------------------------

static void update_world(World* w, BerthField* field, Tally* tally) {
    BerthFieldChange changes[64];
    const int count = pick(6) == 0 ? 64 : 1 + pick(6);
    int near[3];
    for (int axis = 0; axis < 3; ++axis) {
        near[axis] = pick(w->size[axis]);
    }
    for (int i = 0; i < count; ++i) {
        int cell[3];
        for (int axis = 0; axis < 3; ++axis) {
            const int at = pick(2) == 0 ? pick(w->size[axis]) : near[axis] + pick(3) - 1;
            cell[axis] = at < 0 ? 0 : at >= w->size[axis] ? w->size[axis] - 1 : at;
        }
        const int colour = pick(3);
        *colour_at(w, cell[0], cell[1], cell[2]) = (uint8_t)colour;
        changes[i] = (BerthFieldChange){{cell[0], cell[1], cell[2]}, (BerthCellColour)colour};
    }
    if (berth_field_update(field, changes, (size_t)count) != BERTH_OK) {
        die("no update");
    }
    list_boxes(w);
    tally->updates += 1;
}

static BerthField* field_of(const World* w, uint32_t parts) {
    BerthFieldDef def = berth_default_field_def();
    def.dim = w->dim;
    memcpy(def.size, w->size, sizeof def.size);
    def.levels = berth_field_levels_for(w->dim, w->size);
    def.resolution = w->resolution;
    def.origin = (BerthVec3){w->origin[0], w->origin[1], w->origin[2]};
    def.unknown_is_free = w->unknown_is_free;
    def.parts = parts;
    BerthFieldBuilder* builder = NULL;
    BerthField* field = NULL;
    const int32_t low[3] = {0, 0, 0};
    const int64_t stride[3] = {(int64_t)w->size[1] * w->size[2], w->size[2], 1};
    if (berth_field_builder_create(&def, &builder) != BERTH_OK ||
        berth_field_add_block(builder, w->colour, w->size, stride, low) != BERTH_OK ||
        berth_field_build(builder, &field) != BERTH_OK) {
        die("no field");
    }
    berth_field_builder_destroy(builder);
    return field;
}

static void all_updates(World* w, int64_t wanted, Tally* tally) {
    while (tally->updates < wanted) {
        do {
            make_world(w, AS_NPY);
        } while (w->size[0] * w->size[1] * w->size[2] > 6000);
        BerthField* field = field_of(w, BERTH_FIELD_ALL_PARTS);
        for (int i = 0; i < 50 && tally->updates < wanted; ++i) {
            update_world(w, field, tally);
            for (int k = 0; k < 3; ++k) {
                ask(w, field, tally);
            }
        }
        berth_field_destroy(field);
    }
}

static void all_balls(World* w, int64_t wanted, const char* folder, Tally* tally) {
    double shown = bench_now();
    for (int map = 0; tally->balls < wanted; ++map) {
        const Format format = (Format)(map % FORMAT_COUNT);
        char path[256];
        (void)snprintf(path, sizeof path, "%s/m.bt", folder);
#if !BERTH_HAVE_ORACLES
        if (format == AS_BT || format == AS_OT || format == AS_FAR_BT) {
            continue;
        }
#endif
        if (format == AS_FAR_BT) {
            make_far(w, path);
        } else {
            make_world(w, format);
        }
        if (format == AS_POINTS && w->box_count == 0) {
            continue;  // a cloud of no points is none
        }
        BerthMap* opened = open_world(w, folder);
        for (int i = 0; i < BALLS_A_MAP && tally->balls < wanted; ++i) {
            ask(w, berth_map_field(opened), tally);
        }
        berth_io_close_map(opened);
        if (bench_now() - shown > 60.0) {
            shown = bench_now();
            fprintf(stderr, "    %lld balls, %lld answers, %lld wrong\n", (long long)tally->balls,
                    (long long)tally->answers, (long long)tally->wrong);
        }
    }
}

static void tell(const char* what, const Tally* t, double seconds) {
    fprintf(
        stderr,
        "%s: %lld balls, %lld answers (%lld free, %lld collision, %lld unknown), %lld updates: %lld wrong, "
        "%lld undecided without need; %.0f s\n",
        what, (long long)t->balls, (long long)t->answers, (long long)t->told[BERTH_FREE],
        (long long)t->told[BERTH_COLLISION], (long long)t->told[BERTH_UNKNOWN], (long long)t->updates,
        (long long)t->wrong, (long long)t->undecided, seconds);
    map_row("sound", what, "balls", (double)t->balls, (double)NAN);
    map_row("sound", what, "answers", (double)t->answers, (double)NAN);
    map_row("sound", what, "updates", (double)t->updates, (double)NAN);
    map_row("sound", what, "wrong", (double)t->wrong, 0.0);
    map_row("sound", what, "undecided", (double)t->undecided, 0.0);
}

bool map_sound(int64_t balls, int64_t updates, uint64_t seed) {
    char folder[] = "/tmp/berth_maps_XXXXXX";
    World world = {.colour = malloc(CELLS_MOST), .boxes = calloc(CELLS_MOST, sizeof *world.boxes)};
    if (world.colour == NULL || world.boxes == NULL || mkdtemp(folder) == NULL) {
        die("no room");
    }

    chance = seed;
    Tally files = {0}, changes = {0};
    double start = bench_now();
    fprintf(stderr, "\nSound: seed %llu, against every obstacle box in long double\n\n",
            (unsigned long long)seed);
    all_balls(&world, balls, folder, &files);
    tell("files", &files, bench_now() - start);
    for (int i = 0; i < FORMAT_COUNT; ++i) {
        fprintf(stderr, "    %-8s %lld balls\n", format_names[i], (long long)files.of_format[i]);
    }
    start = bench_now();
    all_updates(&world, updates, &changes);
    tell("updates", &changes, bench_now() - start);

    (void)rmdir(folder);
    free(world.boxes);
    free(world.colour);
    return files.wrong + changes.wrong == 0;
}
