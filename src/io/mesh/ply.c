// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Checks a PLY file before assimp reads it: with a slightly wrong header assimp 5.2 does not return, and it
// allocates as many items as the header or a list announces, before it checks whether they are there.
// Entry: bi_io_scan_ply.

#include "io/syntax/ply.h"
#include "io/mesh/soup.h"

static BerthStatus check_body(const char* name, const char* data, PlyBody body) {
    const PlyHeader* plan = body.plan;
    for (int e = 0; e < plan->element_count; e++) {
        for (int64_t i = 0; i < plan->items[e]; i++) {
            for (int p = plan->first[e]; p < plan->first[e + 1]; p++) {
                const long long byte = body.at - data;
                if (!bi_ply_skip(&body, &plan->properties[p])) {
                    return bi_fail(
                        BERTH_ERR_PARSE,
                        "%s: byte %lld: item %lld of element %d: the file does not hold what it says here",
                        name, byte, (long long)i, e);
                }
            }
        }
    }
    return BERTH_OK;
}

BerthStatus bi_io_scan_ply(const char* name, const char* data, size_t size) {
    PlyHeader plan;
    const char* body = NULL;
    const BerthStatus status = bi_ply_parse_header(name, data, size, &plan, &body);
    return status == BERTH_OK ? check_body(name, data, (PlyBody){&plan, body, data + size}) : status;
}
