// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts over a tree, one after the other, and their memory. ODM and lists are derived from the
// candidates.
// Entries: bi_field_make_parts, bi_field_measure_parts.

#include "field/eodm.h"

typedef struct LeafMaker {
    BerthField* field;
    Candidates candidates;
    GrowList items;  // of the lists
    bool lists;
    const FieldTouched* touched;  // null: all is new
} LeafMaker;

static uint16_t saturate(int64_t value) {
    return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

// Least and greatest separation of a free leaf; without obstacles both are as far as can be said.
static void note_separation(LeafMaker* maker, uint32_t slot) {
    uint16_t* separations = (uint16_t*)maker->field->arrays[FIELD_SEPARATIONS].data + 2 * (size_t)slot;
    const Candidates* c = &maker->candidates;
    separations[0] = c->least < 0 ? UINT16_MAX : saturate(c->least);
    separations[1] = c->least < 0 ? UINT16_MAX : saturate(c->greatest);
}

static BerthStatus note_list(LeafMaker* maker, uint32_t slot) {
    uint32_t* first = maker->field->arrays[FIELD_LIST_FIRST].data;
    const GrowList* found = &maker->candidates.items;
    uint32_t* items =
        maker->items.count + found->count < UINT32_MAX ? bi_list_more(&maker->items, found->count) : NULL;
    if (items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "field: out of memory for %zu list entries", maker->items.count);
    }

    for (size_t i = 0; i < found->count; ++i) {
        items[i] = ((const Candidate*)found->data)[i].obstacle;
    }

    maker->items.count += found->count;
    first[slot + 1] = (uint32_t)maker->items.count;
    return BERTH_OK;
}

// The separation that was found before, where nothing changed near enough to matter.
static bool try_keep_separation(LeafMaker* maker, const FieldNode* leaf) {
    const FieldTouched* touched = maker->touched;
    const uint32_t old_slot =
        touched != NULL && !maker->lists ? bi_field_old_slot(touched, leaf) : UINT32_MAX;
    if (old_slot == UINT32_MAX) {
        return false;
    }

    const uint16_t* old = touched->old->separations + 2 * (size_t)old_slot;
    if (old[1] == UINT16_MAX || !bi_field_is_untouched(touched, leaf, old[1])) {
        return false;
    }

    uint16_t* separations =
        (uint16_t*)maker->field->arrays[FIELD_SEPARATIONS].data + 2 * (size_t)node_payload(leaf->node);
    separations[0] = old[0];
    separations[1] = old[1];
    return true;
}

static BerthStatus make_all_leaves(LeafMaker* maker, const BerthFieldDef* def, double from, double to) {
    const BerthField* field = maker->field;
    FieldNode stack[FIELD_STACK];
    int count = 1;
    stack[0] = field_root(field);
    BerthStatus status = BERTH_OK;

    while (count > 0 && status == BERTH_OK) {
        const FieldNode at = stack[--count];
        if (node_colour(at.node) == FIELD_GREY) {
            for (int k = field_children(field) - 1; k >= 0; --k) {
                stack[count++] = field_child(field, &at, k);
            }
            continue;
        }
        if (node_blocks(field, at.node)) {
            continue;
        }

        const uint32_t slot = node_payload(at.node);
        if (try_keep_separation(maker, &at)) {
            continue;
        }

        status = bi_candidates_find(&maker->candidates, &at, NULL);
        if (status == BERTH_OK && maker->lists) {
            status = note_list(maker, slot);
        } else if (status == BERTH_OK) {
            note_separation(maker, slot);
        }

        if (slot % 1024 == 1023 && status == BERTH_OK) {
            status = bi_field_check_budget(def, (uint64_t)maker->items.count * maker->items.size, slot,
                                           field->slots);
        }
        if (slot % 64 == 0 && status == BERTH_OK) {
            status = bi_field_report_progress(def, from + (to - from) * slot / field->slots);
        }
    }

    return status;
}

static BerthStatus make_by_leaf(BerthField* field, const BerthFieldDef* def, bool lists,
                                const FieldTouched* touched, double from, double to) {
    LeafMaker maker = {.field = field, .lists = lists, .touched = touched};
    bi_candidates_init(&maker.candidates, field, lists ? BERTH_METRIC_L2 : BERTH_METRIC_L1);
    bi_list_init(&maker.items, &field->allocator, sizeof(uint32_t));

    BerthStatus status = BERTH_OK;
    if (lists) {
        status = bi_field_take_array(field, FIELD_LIST_FIRST, (size_t)field->slots + 1);
    } else {
        status = bi_field_take_array(field, FIELD_SEPARATIONS, 2 * (size_t)field->slots);
    }
    if (status == BERTH_OK) {
        status = make_all_leaves(&maker, def, from, to);
    }

    if (status == BERTH_OK && lists) {
        field->info.list_count = (int64_t)maker.items.count;
        status = bi_field_take_list(field, FIELD_LIST_ITEMS, &maker.items);
    }

    bi_list_free(&maker.items);
    bi_candidates_free(&maker.candidates);
    return status;
}

static uint64_t array_bytes(const BerthField* field, FieldArrayKind kind) {
    return (uint64_t)field->arrays[kind].count * field->arrays[kind].size;
}

void bi_field_measure_parts(BerthField* field) {
    BerthFieldInfo* info = &field->info;
    for (int metric = 0; metric < BERTH_METRIC_COUNT; ++metric) {
        field->best[metric] = (uint8_t)bi_field_best_method(info->parts, (BerthMetric)metric);
    }

    info->odm_bytes = array_bytes(field, FIELD_SEPARATIONS);
    info->eodm_bytes = array_bytes(field, FIELD_LINKS) + array_bytes(field, FIELD_STRIPS) +
                       array_bytes(field, FIELD_PIECES) + array_bytes(field, FIELD_REACHES);
    info->dm_bytes = array_bytes(field, FIELD_DENSE_L1);
    info->euclid_bytes = array_bytes(field, FIELD_DENSE_EUCLID);
    info->list_bytes = array_bytes(field, FIELD_LIST_FIRST) + array_bytes(field, FIELD_LIST_ITEMS);
}

// What is there already counts: the limit is for all parts together.
static BerthFieldDef def_for_rest(const BerthField* field, const BerthFieldDef* def) {
    uint64_t used = 0;
    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        used += array_bytes(field, (FieldArrayKind)kind);
    }

    BerthFieldDef rest = *def;
    const uint64_t limit = bi_field_memory_limit(def);
    rest.memory_limit = limit > used ? (size_t)(limit - used) : 1;
    return rest;
}

BerthStatus bi_field_make_parts(BerthField* field, const BerthFieldDef* def, const FieldTouched* touched,
                                uint32_t skip) {
    // Shares of the work, roughly, so that a bar moves evenly.
    static const struct {
        uint32_t part;
        double weight;
    } parts[] = {{BERTH_FIELD_ODM, 2},
                 {BERTH_FIELD_EODM, 6},
                 {BERTH_FIELD_LISTS, 2},
                 {BERTH_FIELD_DM, 1},
                 {BERTH_FIELD_EUCLID, 2}};
    enum { COUNT = sizeof parts / sizeof parts[0] };

    const uint32_t wanted = field->info.parts & ~skip;
    double total = 0.0, done = 0.0;
    for (int i = 0; i < COUNT; ++i) {
        total += (wanted & parts[i].part) != 0 ? parts[i].weight : 0.0;
    }

    BerthStatus status = BERTH_OK;
    for (int i = 0; i < COUNT && status == BERTH_OK; ++i) {
        if ((wanted & parts[i].part) == 0) {
            continue;
        }

        const BerthFieldDef rest = def_for_rest(field, def);
        const double from = done / total, to = (done + parts[i].weight) / total;
        switch (parts[i].part) {
        case BERTH_FIELD_ODM:
            status = make_by_leaf(field, &rest, false, touched, from, to);
            break;
        case BERTH_FIELD_EODM:
            status = bi_field_make_eodm(field, &rest, touched, from, to);
            break;
        case BERTH_FIELD_LISTS:
            status = make_by_leaf(field, &rest, true, touched, from, to);
            break;
        case BERTH_FIELD_DM:
            status = bi_field_make_l1(field, &rest, from, to);
            break;
        default:
            status = bi_field_make_euclid(field, &rest, from, to);
            break;
        }

        done += parts[i].weight;
    }

    bi_field_measure_parts(field);
    if (status == BERTH_OK) {
        status = bi_field_report_progress(def, 1.0);
    }
    return status;
}

BerthFieldMethod berth_field_best_method(const BerthField* field, BerthMetric metric) {
    return (BerthFieldMethod)field->best[metric == BERTH_METRIC_L1 ? 1 : 0];
}
