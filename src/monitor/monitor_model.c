// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Detects flipped bits in memory (docs/reference/safety.md, row 22): what must not change was summed at the
// start and is summed again one slice at a time. Each step h = (h ^ word) * odd is invertible, so two regions
// that differ in one word never have the same sum.
// Entry: berth_monitor_check_model.

#include <string.h>

#include "index/index.h"
#include "monitor/monitor.h"

uint64_t bi_model_sum(uint64_t sum, const void* bytes, size_t size) {
    const uint8_t* at = bytes;
    size_t left = size;
    while (left > 0) {
        uint64_t word = 0;
        const size_t count = left < sizeof word ? left : sizeof word;
        memcpy(&word, at, count);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
        at += count;
        left -= count;
    }
    return sum;
}

size_t berth_monitor_model_bytes(const BerthMonitor* monitor) {
    return monitor->model_bytes;
}

// What stands still has a copy in the index that no cycle makes anew.
static bool index_is_unchanged(const BerthMonitor* monitor) {
    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        const SimpleBody* simple = &monitor->simple_bodies[i];
        const IndexBody* body = &monitor->index->bodies[simple->indexed];
        if (simple->row_count > 1 || simple->object >= 0 || !monitor->simple_shown[i] || body->in_list) {
            continue;
        }

        IndexBody anew = *body;
        anew.shape = simple->shape;
        anew.pose = simple->frame_from_shape;
        bi_index_measure(monitor->index, &anew);

        if (memcmp(&anew.box, &body->box, sizeof anew.box) != 0 ||
            memcmp(&anew.range, &body->range, sizeof anew.range) != 0 ||
            memcmp(&monitor->simple_pose[i], &simple->frame_from_shape, sizeof anew.pose) != 0) {
            return false;
        }
    }
    return bi_index_mates_are_current(monitor->index);
}

bool berth_monitor_check_model(BerthMonitor* monitor, size_t bytes) {
    bool good = monitor->scene->generation == monitor->generation;
    size_t left = bytes;

    while (good && left > 0 && monitor->region_count > 0) {
        const ModelRegion* region = &monitor->regions[monitor->model_at];
        const size_t rest = region->size - monitor->model_offset;
        // Whole words but at the end of a region: sums do not depend on how they are sliced.
        const size_t slice = left < rest ? (left + 7) / 8 * 8 : rest;
        const size_t count = slice < rest ? slice : rest;

        monitor->model_sum =
            bi_model_sum(monitor->model_sum, (const uint8_t*)region->start + monitor->model_offset, count);
        monitor->model_offset += count;
        left -= count < left ? count : left;

        if (monitor->model_offset < region->size) {
            continue;
        }

        good = monitor->model_sum == region->sum;
        // Right after the simple bodies were found unchanged: no pointer that is followed here is wild.
        good = good && (region->start != monitor->simple_bodies || index_is_unchanged(monitor));

        monitor->model_sum = 0;
        monitor->model_offset = 0;
        monitor->model_at = good ? monitor->model_at + 1 : 0;
        monitor->model_doubt = monitor->model_doubt || !good;

        if (monitor->model_at == monitor->region_count) {
            monitor->model_at = 0;
            monitor->model_doubt = false;
            monitor->counters.model_passes += 1;
        }
    }

    // A reset makes no model right: from where it was found wrong to a whole pass without a fault every slice is one.
    good = good && !monitor->model_doubt;
    if (!good) {
        bi_monitor_fault(monitor, BERTH_STOP_MODEL, FAULT_ANYWHERE);
    }
    return good;
}

void berth_monitor_test_flip_bit(BerthMonitor* monitor, size_t bit) {
    size_t at = bit / 8 % (monitor->model_bytes > 0 ? monitor->model_bytes : 1);
    for (int32_t i = 0; i < monitor->region_count; ++i) {
        if (at < monitor->regions[i].size) {
            // The memory is the monitor's or the scene's own; only the view of it is constant.
            uint8_t* byte = (uint8_t*)(uintptr_t)monitor->regions[i].start + at;
            *byte = (uint8_t)(*byte ^ (1u << (bit % 8)));
            return;
        }
        at -= monitor->regions[i].size;
    }
}
