// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The EODM of a tree: for every free leaf the obstacles that can be nearest, each seen from one face that it lies wholly beyond, and the functions of the
// faces. Local: for every node that is not an obstacle, with the obstacles among its siblings.
// Entry: bi_field_make_eodm.

#include "field/eodm.h"

enum { CLASSES = 27, RECORDS_A_LOOK = 64 };

// On which side of [0, width] an obstacle lies: -1, 1, or 0 when it reaches into it.
static int side_of(const Candidate* c, int axis, int32_t width) {
    if (c->high[axis] <= 0) {
        return -1;
    }
    return c->low[axis] >= width ? 1 : 0;
}

// The class by sides, those axes only that are in `mask`.
static int class_of(const int side[3], int mask) {
    static const int power[3] = {1, 3, 9};
    int class = 0;
    for (int axis = 0; axis < 3; ++axis) {
        class += ((mask >> axis & 1 ? side[axis] : 0) + 1) * power[axis];
    }
    return class;
}

// Over W the distance to a plain obstacle (one that cuts no axis range of W) is least + the distances to W's planes on its sides. So a plain one with the same
// or fewer sides and no larger `least` is as near everywhere as any other. Keeps one of equals.
static void drop_dominated(GrowList* items, int dim, int32_t width) {
    Candidate* c = items->data;
    int64_t best[CLASSES];
    size_t owner[CLASSES] = {0};

    for (int i = 0; i < CLASSES; ++i) {
        best[i] = INT64_MAX;
    }

    // The nearest plain one of each class.
    for (size_t i = 0; i < items->count; ++i) {
        int side[3] = {0, 0, 0};
        bool plain = true;
        for (int axis = 0; axis < dim; ++axis) {
            side[axis] = side_of(&c[i], axis, width);
            plain = plain && (side[axis] != 0 || (c[i].low[axis] <= 0 && c[i].high[axis] >= width));
        }

        const int class = class_of(side, 7);
        if (plain && c[i].least < best[class]) {
            best[class] = c[i].least;
            owner[class] = i;
        }
    }

    size_t kept = 0;
    for (size_t i = 0; i < items->count; ++i) {
        int side[3] = {0, 0, 0};
        int mask = 0;
        for (int axis = 0; axis < dim; ++axis) {
            side[axis] = side_of(&c[i], axis, width);
            mask |= (side[axis] != 0 ? 1 : 0) << axis;
        }

        bool dominated = false;
        for (int sub = mask; sub > 0 && !dominated; sub = (sub - 1) & mask) {
            const int class = class_of(side, sub);
            dominated = best[class] <= c[i].least && owner[class] != i;
        }

        if (!dominated) {
            c[kept++] = c[i];
        }
    }

    items->count = kept;
}

// The first axis that an obstacle is beside W on (or is not); the last one when neither of the others is.
static int first_axis(const int side[3], bool beside) {
    if ((side[0] != 0) == beside) {
        return 0;
    }
    return (side[1] != 0) == beside ? 1 : 2;
}

// The face an obstacle is seen from: of two that it is beyond the one from which it does not lie beyond the strips (that makes it one ramp).
static int face_axis(const int side[3], int dim) {
    const int sides = (side[0] != 0) + (side[1] != 0) + (side[2] != 0);
    if (dim == 3 && sides == 2) {
        return (first_axis(side, false) + 1) % 3;
    }
    return first_axis(side, true);
}

static BerthStatus add_face_rect(EodmMaker* maker, const Candidate* c, int32_t width) {
    const int dim = maker->field->info.dim;
    int side[3] = {0, 0, 0};
    for (int axis = 0; axis < dim; ++axis) {
        side[axis] = side_of(c, axis, width);
    }

    const int normal = face_axis(side, dim);
    BI_ASSERT(side[normal] != 0);
    const int face = 2 * normal + (side[normal] > 0 ? 1 : 0);
    FaceRect* rect = bi_list_more(&maker->rects[face], 1);
    if (rect == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }

    const int u = dim == 2 ? 1 - normal : (normal + 1) % 3;
    const int v = (normal + 2) % 3;
    *rect = (FaceRect){c->low[u], c->high[u], 0, width, 0, c->obstacle};
    if (dim == 3) {
        rect->v0 = c->low[v];
        rect->v1 = c->high[v];
    }

    rect->weight = side[normal] > 0 ? c->low[normal] - width : -c->high[normal];
    ++maker->rects[face].count;
    return BERTH_OK;
}

static BerthStatus append_node_faces(EodmMaker* maker, int32_t width, bool empty) {
    const int faces = 2 * maker->field->info.dim;
    uint32_t* links = bi_list_more(&maker->links, (size_t)faces);
    if (links == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }

    maker->links.count += (size_t)faces;
    BerthStatus status = BERTH_OK;
    for (int face = 0; face < faces && status == BERTH_OK; ++face) {
        links[face] = (uint32_t)maker->strips.count;
        if (!empty) {
            status = bi_eodm_append_face(maker, &maker->rects[face], width);
        }
    }
    return status;
}

static BerthStatus make_record(EodmMaker* maker, const FieldNode* w, const FieldNode* parent) {
    BerthStatus status = bi_candidates_find(&maker->candidates, w, parent);
    const int32_t width = 1 << w->log_width;

    for (int face = 0; face < FIELD_FACES; ++face) {
        maker->rects[face].count = 0;
    }
    if (status == BERTH_OK) {
        drop_dominated(&maker->candidates.items, maker->field->info.dim, width);
    }

    for (size_t i = 0; i < maker->candidates.items.count && status == BERTH_OK; ++i) {
        status = add_face_rect(maker, (const Candidate*)maker->candidates.items.data + i, width);
    }
    if (status == BERTH_OK) {
        status = append_node_faces(maker, width, false);
    }
    return status;
}

static BerthStatus append_reach(EodmMaker* maker, uint32_t reach) {
    uint32_t* place = bi_list_more(&maker->reaches, 1);
    if (place == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }
    *place = reach;
    ++maker->reaches.count;
    return BERTH_OK;
}

// A record of the old field, with the obstacles' new numbers.
static BerthStatus copy_record(EodmMaker* maker, uint32_t old_slot) {
    const BerthField* old = maker->touched->old;
    const size_t faces = 2 * (size_t)old->info.dim;
    const uint32_t* from = old->links + old_slot * faces;
    const uint32_t first = from[0], end = from[faces];
    const uint32_t piece_first = old->strips[first].first, piece_end = old->strips[end].first;

    uint32_t* links = bi_list_more(&maker->links, faces);
    FieldStrip* strips = bi_list_more(&maker->strips, end - first);
    FieldPiece* pieces = bi_list_more(&maker->pieces, piece_end - piece_first);
    if (links == NULL || strips == NULL || pieces == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }

    // Modulo 2^32 a difference may be added: what is meant is the sum.
    const uint32_t strip_shift = (uint32_t)maker->strips.count - first,
                   piece_shift = (uint32_t)maker->pieces.count - piece_first;
    for (size_t face = 0; face < faces; ++face) {
        links[face] = from[face] + strip_shift;
    }
    for (uint32_t i = first; i < end; ++i) {
        const FieldStrip s = old->strips[i];
        strips[i - first] =
            (FieldStrip){s.low, s.first + piece_shift, s.north + piece_shift, s.south + piece_shift};
    }

    for (uint32_t i = piece_first; i < piece_end; ++i) {
        const FieldPiece p = old->pieces[i];
        const bool none = piece_kind(p) == PIECE_NONE;
        pieces[i - piece_first] = none ? p
                                       : piece_pack(piece_start(p), piece_kind(p), piece_value(p),
                                                    maker->touched->renumber[piece_obstacle(p)]);
    }

    maker->links.count += faces;
    maker->strips.count += end - first;
    maker->pieces.count += piece_end - piece_first;
    return append_reach(maker, old->reaches[old_slot]);
}

static BerthStatus make_global_record(EodmMaker* maker, const FieldNode* leaf) {
    if (maker->touched != NULL) {
        const uint32_t old_slot = bi_field_old_slot(maker->touched, leaf);
        if (old_slot != UINT32_MAX &&
            bi_field_is_untouched(maker->touched, leaf, maker->touched->old->reaches[old_slot])) {
            return copy_record(maker, old_slot);
        }
    }

    const BerthStatus status = make_record(maker, leaf, NULL);
    if (status != BERTH_OK) {
        return status;
    }
    const int64_t reach = maker->candidates.greatest;
    return append_reach(maker, reach < 0 ? UINT32_MAX : (uint32_t)reach);
}

// Now and then: is there time and room for more?
static BerthStatus check_limits(EodmMaker* maker, const BerthFieldDef* def, uint32_t done, uint32_t total,
                                double from, double to) {
    const uint64_t used = (uint64_t)maker->pieces.count * maker->pieces.size +
                          (uint64_t)maker->strips.count * maker->strips.size +
                          (uint64_t)maker->links.count * maker->links.size;

    const BerthStatus status = bi_field_check_budget(def, used, done, total);
    if (status != BERTH_OK) {
        return status;
    }
    maker->share = from + (to - from) * done / total;
    return bi_field_report_progress(def, maker->share);
}

// Global: free leaves in the order of slots.
static BerthStatus make_global(EodmMaker* maker, const BerthFieldDef* def, double from, double to) {
    const BerthField* field = maker->field;
    FieldNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = field_root(field);
    uint32_t done = 0;
    BerthStatus status = BERTH_OK;

    while (count > 0 && status == BERTH_OK) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(field) - 1; k >= 0; --k) {
                stack[count++] = field_child(field, &at, k);
            }
        } else if (!node_blocks(field, at.node)) {
            status = make_global_record(maker, &at);
            if (++done % RECORDS_A_LOOK == 0 && status == BERTH_OK) {
                status = check_limits(maker, def, done, field->slots, from, to);
            }
        }
    }

    return status;
}

// Local: a record a node, in the order of the node array. Nodes lie in blocks of siblings, a block behind its parent's, so one pass finds all: where each
// grey node is was noted when its block was met.
static BerthStatus make_local(EodmMaker* maker, const BerthFieldDef* def, double from, double to) {
    const BerthField* field = maker->field;
    const uint32_t count = (uint32_t)field->arrays[FIELD_NODES].count;
    const uint32_t children = (uint32_t)field_children(field);
    FieldNode* owners =
        bi_take(&field->allocator, count / children + 1, sizeof *owners);  // parent of each block
    if (owners == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }

    BerthStatus status = append_node_faces(maker, field->cells, true);
    if (node_colour(field->nodes[0]) == FIELD_GREY) {
        owners[0] = field_root(field);
    }

    for (uint32_t i = 1; i < count && status == BERTH_OK; ++i) {
        const FieldNode parent = owners[(i - 1) / children];
        const FieldNode at = field_child(field, &parent, (int)((i - 1) % children));
        BI_ASSERT(at.index == i);

        if (node_colour(at.node) == FIELD_GREY) {
            owners[(node_payload(at.node) - 1) / children] = at;
        }

        if (node_blocks(field, at.node)) {
            status = append_node_faces(maker, 1, true);
        } else {
            status = make_record(maker, &at, &parent);
        }
        if (i % RECORDS_A_LOOK == 0 && status == BERTH_OK) {
            status = check_limits(maker, def, i, count, from, to);
        }
    }

    bi_give(&field->allocator, owners, count / children + 1, sizeof *owners);
    return status;
}

// A last link and a last strip say where the ones before them end.
static BerthStatus close_lists(EodmMaker* maker) {
    uint32_t* link = bi_list_more(&maker->links, 1);
    FieldStrip* strip = bi_list_more(&maker->strips, 1);
    if (link == NULL || strip == NULL || maker->strips.count >= UINT32_MAX) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for the EODM");
    }

    const uint32_t end = (uint32_t)maker->pieces.count;
    *link = (uint32_t)maker->strips.count;
    *strip = (FieldStrip){0, end, end, end};
    ++maker->links.count;
    ++maker->strips.count;
    return BERTH_OK;
}

void bi_eodm_maker_init(EodmMaker* maker, BerthField* field) {
    const BerthAllocator* a = &field->allocator;
    *maker = (EodmMaker){.field = field};

    bi_candidates_init(&maker->candidates, field, BERTH_METRIC_L1);
    for (int face = 0; face < FIELD_FACES; ++face) {
        bi_list_init(&maker->rects[face], a, sizeof(FaceRect));
    }

    bi_list_init(&maker->edges_u, a, sizeof(int32_t));
    bi_list_init(&maker->edges_v, a, sizeof(int32_t));
    bi_list_init(&maker->marks, a, sizeof(int32_t));
    bi_list_init(&maker->covers, a, sizeof(Owned));
    bi_list_init(&maker->profiles, a, sizeof(Profile));
    bi_list_init(&maker->ramps, a, sizeof(Owned));
    bi_list_init(&maker->links, a, sizeof(uint32_t));
    bi_list_init(&maker->strips, a, sizeof(FieldStrip));
    bi_list_init(&maker->pieces, a, sizeof(FieldPiece));
    bi_list_init(&maker->reaches, a, sizeof(uint32_t));
}

void bi_eodm_maker_free(EodmMaker* maker) {
    bi_candidates_free(&maker->candidates);
    for (int face = 0; face < FIELD_FACES; ++face) {
        bi_list_free(&maker->rects[face]);
    }
    GrowList* lists[] = {&maker->edges_u, &maker->edges_v, &maker->marks,  &maker->covers, &maker->profiles,
                         &maker->ramps,   &maker->links,   &maker->strips, &maker->pieces, &maker->reaches};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        bi_list_free(lists[i]);
    }
}

BerthStatus bi_field_make_eodm(BerthField* field, const BerthFieldDef* def, const FieldTouched* touched,
                               double from, double to) {
    EodmMaker maker;
    bi_eodm_maker_init(&maker, field);
    maker.def = def;
    maker.share = from;
    maker.touched = touched;

    BerthStatus status = BERTH_OK;
    if (field->info.local) {
        status = make_local(&maker, def, from, to);
    } else {
        status = make_global(&maker, def, from, to);
    }

    if (status == BERTH_OK) {
        status = close_lists(&maker);
    }

    if (status == BERTH_OK) {
        field->info.interval_count = (int64_t)maker.pieces.count;
        field->info.strip_count = (int64_t)maker.strips.count - 1;
        status = bi_field_take_list(field, FIELD_LINKS, &maker.links);
    }
    if (status == BERTH_OK) {
        status = bi_field_take_list(field, FIELD_STRIPS, &maker.strips);
    }
    if (status == BERTH_OK) {
        status = bi_field_take_list(field, FIELD_PIECES, &maker.pieces);
    }
    if (status == BERTH_OK && !field->info.local) {
        status = bi_field_take_list(field, FIELD_REACHES, &maker.reaches);
    }

    bi_eodm_maker_free(&maker);
    return status;
}
