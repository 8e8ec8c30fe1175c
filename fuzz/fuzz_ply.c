// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a PLY file: finite points or an error; and the look before assimp sees it.

#include <stdlib.h>
#include <string.h>

#include "io/cloud/cloud.h"
#include "io/mesh/soup.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    char* copy = malloc(size + 1);  // on the heap, so that reading past the end is seen
    if (copy == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    copy[size] = '\0';
    PointCloud cloud;
    bi_cloud_init(&cloud, NULL);
    if (bi_io_parse_ply_points("fuzz.ply", copy, size, &cloud) == BERTH_OK) {
        for (size_t i = 0; i < cloud.count; ++i) {
            const BerthVec3 p = cloud.points[i];
            if (!(p.x - p.x == 0.0 && p.y - p.y == 0.0 && p.z - p.z == 0.0)) {
                abort();  // what is kept is finite
            }
        }
    }
    bi_cloud_free(&cloud);
    (void)bi_io_scan_ply("fuzz.ply", copy, size);
    free(copy);
    return 0;
}
