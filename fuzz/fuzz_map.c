// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as berth's own map, with checksums that are made right first: a field that answers questions within its block, or an error.

#include <berth/lab/field.h>

#include "io/map/map_file.h"
#include "support/target.h"

static void ask(const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    for (int i = 0; i < 32; ++i) {
        const double t = i / 31.0;
        const double wide = info.resolution * (double)((int64_t)1 << info.levels);
        const BerthVec3 p = {info.origin.x + t * wide, info.origin.y + (1.0 - t) * wide,
                             info.origin.z + t * t * wide};
        for (int method = 0; method < BERTH_FIELD_METHOD_COUNT; ++method) {
            BerthFieldAnswer answer;
            (void)berth_field_query_by(field, (BerthFieldMethod)method, (BerthMetric)(i % 2), p, t * wide,
                                       &answer);
        }
    }
}

FUZZ_TARGET(bytes, size) {
    // A block that is used where it lies is aligned.
    const size_t room = (size + 63) / 64 * 64 + 64;
    uint8_t* copy = aligned_alloc(64, room);
    if (copy == NULL) {
        return;
    }
    memset(copy, 0, room);
    memcpy(copy, bytes, size);

    bi_bmap_write_checksums(copy, size);
    BerthMapFacts facts = {0};
    BerthField* field = NULL;
    if (bi_bmap_parse("fuzz.bmap", copy, size, true, NULL, &facts, &field) == BERTH_OK) {
        ask(field);
        berth_field_destroy(field);
    }
    free(copy);
}
