// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A whole path in one call, whatever its segments come from.

#ifndef BI_PATH_CHECK_H
#define BI_PATH_CHECK_H

#include <berth/motion.h>

/// Segment `index` of a path. What it borrows stays until the next call.
typedef BerthStatus PathSegment(void* user, int32_t index, BerthSegment* out);

/// Checks them one after the other, up to the first collision. `*out` is about nothing when it fails.
BerthStatus bi_path_check(const BerthScene* scene, double margin, int32_t segment_count, PathSegment* segment,
                          void* user, BerthPathResult* out);

#endif
