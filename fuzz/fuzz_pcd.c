// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a PCD file, and as text of points: finite points or an error.

#include "support/clouds.h"

FUZZ_TARGET(bytes, size) {
    PointCloud cloud;
    bi_cloud_init(&cloud, NULL);
    if (bi_io_parse_pcd("fuzz.pcd", bytes, size, &cloud) == BERTH_OK) {
        need_finite_points(&cloud);
    }
    bi_cloud_free(&cloud);
    bi_cloud_init(&cloud, NULL);
    (void)bi_io_parse_xyz("fuzz.xyz", bytes, size, &cloud);
    bi_cloud_free(&cloud);
}
