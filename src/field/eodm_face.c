// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The functions of one face, by the three-way minimum of errata 5.2: on a column between two edges the distance is min(u - left, right - u, cover),
// at most three pieces with breaks at half cells. Nothing is rounded.
// Entries: bi_eodm_append_face, bi_eodm_append_function.

#include <string.h>

/// Bytes of profiles that are never refused; values between two questions whether to go on.
enum { COVERS_FREE = 1 << 20, WORK_A_LOOK = 1 << 24 };

#include "field/eodm.h"

static const Owned no_left = {-EODM_FAR, UINT32_MAX}, no_right = {EODM_FAR, UINT32_MAX};

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
}

// ---- pieces -----------------------------------------------------------------------------------------------------------------------

// A piece from `start` (half cells) on. Where nothing is needed a ramp may go on, away from its obstacle: it is exact there.
static BerthStatus push_piece(EodmMaker* maker, int64_t start, uint32_t kind, int32_t value,
                              uint32_t obstacle) {
    GrowList* list = &maker->pieces;
    if (list->count > maker->function) {
        FieldPiece* last = (FieldPiece*)list->data + list->count - 1;
        const uint32_t before = piece_kind(*last);
        if (before == kind &&
            (kind == PIECE_NONE || (piece_value(*last) == value && piece_obstacle(*last) == obstacle))) {
            return BERTH_OK;
        }

        if (kind == PIECE_NONE && before == PIECE_RISE) {
            return BERTH_OK;
        }
        if (kind == PIECE_FALL && before == PIECE_NONE) {
            *last = piece_pack(piece_start(*last), kind, value, obstacle);
            return BERTH_OK;
        }
    }

    FieldPiece* piece = list->count < UINT32_MAX ? bi_list_more(list, 1) : NULL;
    if (piece == NULL) {
        return no_memory();
    }

    *piece = piece_pack((uint32_t)start, kind, value, obstacle);
    ++list->count;
    return BERTH_OK;
}

typedef struct Column {
    int32_t from, to;
    Owned left, right, cover;
} Column;

static int64_t keep_between(int64_t x, int64_t from, int64_t to) {
    if (x < from) {
        return from;
    }
    return x > to ? to : x;
}

// min(u - left, right - u, cover) from `from` to `to`.
static BerthStatus push_column(EodmMaker* maker, const Column* c) {
    const int64_t from = 2 * (int64_t)c->from, to = 2 * (int64_t)c->to;
    const bool has_left = c->left.value > -EODM_FAR, has_right = c->right.value < EODM_FAR,
               has_cover = c->cover.value < EODM_FAR;

    if (!has_left && !has_right && !has_cover) {
        return push_piece(maker, from, PIECE_NONE, 0, 0);
    }

    // Where the ramp up ends and the ramp down starts: in one point, or with the cover between them.
    int64_t rise_end = from;
    if (has_left) {
        rise_end = has_right ? (int64_t)c->left.value + c->right.value : to;
    }
    int64_t fall_start = rise_end;
    if (has_cover) {
        const int64_t rise_to = has_left ? 2 * ((int64_t)c->left.value + c->cover.value) : from;
        const int64_t fall_from = has_right ? 2 * ((int64_t)c->right.value - c->cover.value) : to;
        if (rise_to < fall_from) {
            rise_end = rise_to;
            fall_start = fall_from;
        }
    }

    rise_end = keep_between(rise_end, from, to);
    fall_start = keep_between(fall_start, from, to);

    BerthStatus status = BERTH_OK;
    if (has_left && from < rise_end) {
        status = push_piece(maker, from, PIECE_RISE, -c->left.value, c->left.obstacle);
    }
    if (status == BERTH_OK && has_cover && rise_end < fall_start) {
        status = push_piece(maker, rise_end, PIECE_LEVEL, c->cover.value, c->cover.obstacle);
    }
    if (status == BERTH_OK && has_right && fall_start < to) {
        status = push_piece(maker, fall_start, PIECE_FALL, c->right.value, c->right.obstacle);
    }

    return status;
}

// Leaves out of `c` what `t` has at least as near on all of the column.
static void prune_column(Column* c, const Column* t) {
    const int64_t left = t->left.value, right = t->right.value, cover = t->cover.value;
    const int64_t l = c->left.value, r = c->right.value, v = c->cover.value;
    if (l <= left || c->from - l >= cover || 2 * (int64_t)c->from >= right + l) {
        c->left = no_left;
    }
    if (r >= right || r - c->to >= cover || r + left >= 2 * (int64_t)c->to) {
        c->right = no_right;
    }
    if (v >= cover || v >= c->to - left || v >= right - c->from || 2 * v >= right - left) {
        c->cover = no_right;
    }
}

// The best ramps of each column: from what ends before it and from what starts after it.
static void spread_ramps(const Profile* p, const int32_t* edges, size_t columns, Owned* left, Owned* right) {
    Owned best = p->left;
    for (size_t i = 0; i < columns; ++i) {
        left[i] = best;
        const int32_t value = edges[i + 1] - p->cover[i].value;
        if (p->cover[i].value < EODM_FAR && value > best.value) {
            best = (Owned){value, p->cover[i].obstacle};
        }
    }

    best = p->right;
    for (size_t i = columns; i-- > 0;) {
        right[i] = best;
        const int32_t value = edges[i] + p->cover[i].value;
        if (p->cover[i].value < EODM_FAR && value < best.value) {
            best = (Owned){value, p->cover[i].obstacle};
        }
    }
}

BerthStatus bi_eodm_append_function(EodmMaker* maker, const Profile* profile, const Profile* other) {
    const size_t columns = maker->edges_u.count - 1;
    const int32_t* edges = maker->edges_u.data;
    maker->ramps.count = 0;
    Owned* left = bi_list_more(&maker->ramps, 4 * columns);
    if (left == NULL) {
        return no_memory();
    }

    Owned* right = left + columns;
    spread_ramps(profile, edges, columns, left, right);
    if (other != NULL) {
        spread_ramps(other, edges, columns, left + 2 * columns, left + 3 * columns);
    }

    maker->function = maker->pieces.count;
    BerthStatus status = BERTH_OK;

    for (size_t i = 0; i < columns && status == BERTH_OK; ++i) {
        Column column = {edges[i], edges[i + 1], left[i], right[i], profile->cover[i]};
        if (other != NULL) {
            const Column better = {edges[i], edges[i + 1], left[2 * columns + i], left[3 * columns + i],
                                   other->cover[i]};
            prune_column(&column, &better);
        }
        status = push_column(maker, &column);
    }

    // One that says nothing is no function.
    if (status == BERTH_OK && maker->pieces.count == maker->function + 1 &&
        piece_kind(((const FieldPiece*)maker->pieces.data)[maker->function]) == PIECE_NONE) {
        --maker->pieces.count;
    }
    return status;
}

// ---- a face -----------------------------------------------------------------------------------------------------------------------

// The places between 0 and width where a rectangle starts or ends, in order. marks[x] is then the number of the edge at x.
static BerthStatus find_edges(EodmMaker* maker, const GrowList* rects, int32_t width, bool along_v,
                              GrowList* edges) {
    maker->marks.count = 0;
    int32_t* marks = bi_list_more(&maker->marks, 2 * ((size_t)width + 1));
    edges->count = 0;
    int32_t* out = bi_list_more(edges, (size_t)width + 1);
    if (marks == NULL || out == NULL) {
        return no_memory();
    }

    marks += along_v ? (size_t)width + 1 : 0;
    memset(marks, 0, ((size_t)width + 1) * sizeof *marks);
    marks[0] = marks[width] = 1;

    const FaceRect* rect = rects->data;
    for (size_t i = 0; i < rects->count; ++i, ++rect) {
        const int32_t a = along_v ? rect->v0 : rect->u0, b = along_v ? rect->v1 : rect->u1;
        if (a > 0 && a < width) {
            marks[a] = 1;
        }
        if (b > 0 && b < width) {
            marks[b] = 1;
        }
    }

    for (int32_t x = 0; x <= width; ++x) {
        if (marks[x] != 0) {
            marks[x] = (int32_t)edges->count;
            out[edges->count++] = x;
        }
    }

    return BERTH_OK;
}

static void add_rect(Profile* profile, const FaceRect* rect, int32_t weight, int32_t width,
                     const int32_t* marks) {
    if (rect->u1 <= 0) {
        if (rect->u1 - weight > profile->left.value) {
            profile->left = (Owned){rect->u1 - weight, rect->obstacle};
        }
    } else if (rect->u0 >= width) {
        if (rect->u0 + weight < profile->right.value) {
            profile->right = (Owned){rect->u0 + weight, rect->obstacle};
        }
    } else {
        const int32_t first = rect->u0 > 0 ? marks[rect->u0] : 0;
        const int32_t end = marks[rect->u1 < width ? rect->u1 : width];
        for (int32_t i = first; i < end; ++i) {
            if (weight < profile->cover[i].value) {
                profile->cover[i] = (Owned){weight, rect->obstacle};
            }
        }
    }
}

// `to` becomes the nearer of itself, and of `strip` and `beyond` seen across a strip that is `height` high.
static void carry_across(Profile* to, const Profile* strip, const Profile* beyond, int32_t height,
                         size_t columns) {
    for (size_t i = 0; i < columns; ++i) {
        const Owned far = beyond->cover[i], near = strip->cover[i];
        to->cover[i] = far.value < EODM_FAR && far.value + height < near.value
                           ? (Owned){far.value + height, far.obstacle}
                           : near;
    }

    to->left = strip->left;
    if (beyond->left.value > -EODM_FAR && beyond->left.value - height > strip->left.value) {
        to->left = (Owned){beyond->left.value - height, beyond->left.obstacle};
    }
    to->right = strip->right;
    if (beyond->right.value < EODM_FAR && beyond->right.value + height < strip->right.value) {
        to->right = (Owned){beyond->right.value + height, beyond->right.obstacle};
    }
}

// Three profiles a row: in the strip, beyond its upper line, beyond its lower line.
static BerthStatus take_profiles(EodmMaker* maker, size_t rows, size_t columns, Profile** out) {
    const uint64_t bytes = 3 * (uint64_t)rows * (uint64_t)columns * sizeof(Owned);
    const uint64_t limit = bi_field_memory_limit(maker->def);
    if (bytes > limit && bytes > COVERS_FREE) {
        return bi_fail(BERTH_ERR_MEMORY,
                       "field: the EODM of one free node that sees %zu x %zu edges of obstacles would need "
                       "%llu bytes, the "
                       "limit is %llu: another structure (octree, odm) or larger cells need less",
                       columns, rows, (unsigned long long)bytes, (unsigned long long)limit);
    }

    maker->profiles.count = maker->covers.count = 0;
    Profile* profiles = bi_list_more(&maker->profiles, 3 * rows);
    Owned* covers = bi_list_more(&maker->covers, 3 * rows * columns);
    if (profiles == NULL || covers == NULL) {
        return no_memory();
    }

    for (size_t i = 0; i < 3 * rows * columns; ++i) {
        covers[i] = no_right;
    }

    for (size_t i = 0; i < 3 * rows; ++i) {
        profiles[i] = (Profile){covers + i * columns, no_left, no_right};
    }

    *out = profiles;
    return BERTH_OK;
}

// Rectangles that span many strips and columns are work of seconds: `*work` counts it.
static BerthStatus pause_after(const EodmMaker* maker, size_t* work, size_t more) {
    *work += more;
    if (*work < WORK_A_LOOK) {
        return BERTH_OK;
    }
    *work = 0;
    return bi_field_report_progress(maker->def, maker->share);
}

static BerthStatus fill_profiles(const EodmMaker* maker, const GrowList* rects, int32_t width,
                                 Profile* profiles, size_t rows) {
    const size_t columns = maker->edges_u.count - 1;
    const int32_t* edges = maker->edges_v.data;
    const int32_t* marks_u = maker->marks.data;
    const int32_t* marks_v = marks_u + width + 1;
    const FaceRect* rect = rects->data;
    size_t work = 0;
    BerthStatus status = BERTH_OK;

    for (size_t i = 0; i < rects->count && status == BERTH_OK; ++i, ++rect) {
        size_t spanned = 1;
        if (rect->v0 >= width) {
            add_rect(&profiles[3 * (rows - 1) + 1], rect, rect->weight + rect->v0 - width, width, marks_u);
        } else if (rect->v1 <= 0) {
            add_rect(&profiles[2], rect, rect->weight - rect->v1, width, marks_u);
        } else {
            const int32_t first = rect->v0 > 0 ? marks_v[rect->v0] : 0;
            const int32_t end = marks_v[rect->v1 < width ? rect->v1 : width];
            for (int32_t row = first; row < end; ++row) {
                add_rect(&profiles[3 * row], rect, rect->weight, width, marks_u);
            }
            spanned = (size_t)(end - first);
        }
        status = pause_after(maker, &work, spanned * columns);
    }

    for (size_t row = rows - 1; row-- > 0 && status == BERTH_OK;) {
        status = pause_after(maker, &work, columns);
        carry_across(&profiles[3 * row + 1], &profiles[3 * row + 3], &profiles[3 * row + 4],
                     edges[row + 2] - edges[row + 1], columns);
    }

    for (size_t row = 1; row < rows && status == BERTH_OK; ++row) {
        status = pause_after(maker, &work, columns);
        carry_across(&profiles[3 * row + 2], &profiles[3 * row - 3], &profiles[3 * row - 1],
                     edges[row] - edges[row - 1], columns);
    }
    return status;
}

BerthStatus bi_eodm_append_face(EodmMaker* maker, const GrowList* rects, int32_t width) {
    if (rects->count == 0) {
        return BERTH_OK;
    }

    BerthStatus status = find_edges(maker, rects, width, false, &maker->edges_u);
    if (status == BERTH_OK) {
        status = find_edges(maker, rects, width, true, &maker->edges_v);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const size_t rows = maker->edges_v.count - 1, columns = maker->edges_u.count - 1;
    Profile* profiles = NULL;
    status = take_profiles(maker, rows, columns, &profiles);
    if (status == BERTH_OK) {
        status = fill_profiles(maker, rects, width, profiles, rows);
    }

    size_t work = 0;
    for (size_t row = 0; row < rows && status == BERTH_OK; ++row) {
        status = pause_after(maker, &work, columns);
        if (status != BERTH_OK) {
            break;
        }

        FieldStrip* strip = maker->strips.count < UINT32_MAX ? bi_list_more(&maker->strips, 1) : NULL;
        if (strip == NULL) {
            return no_memory();
        }

        const Profile* p = profiles + 3 * row;
        strip->low = (uint32_t)((const int32_t*)maker->edges_v.data)[row];
        strip->first = (uint32_t)maker->pieces.count;
        status = bi_eodm_append_function(maker, &p[0], NULL);
        strip->north = (uint32_t)maker->pieces.count;
        if (status == BERTH_OK) {
            status = bi_eodm_append_function(maker, &p[1], &p[0]);
        }
        strip->south = (uint32_t)maker->pieces.count;
        if (status == BERTH_OK) {
            status = bi_eodm_append_function(maker, &p[2], &p[0]);
        }

        ++maker->strips.count;
    }

    return status;
}
