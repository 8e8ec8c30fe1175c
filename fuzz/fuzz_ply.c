// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a PLY file: finite points or an error; and the look before assimp sees it.

#include "io/mesh/soup.h"
#include "support/clouds.h"

FUZZ_TARGET(bytes, size) {
    PointCloud cloud;
    bi_cloud_init(&cloud, NULL);
    if (bi_io_parse_ply_points("fuzz.ply", bytes, size, &cloud) == BERTH_OK) {
        need_finite_points(&cloud);
    }
    bi_cloud_free(&cloud);
    (void)bi_io_scan_ply("fuzz.ply", bytes, size);
}
