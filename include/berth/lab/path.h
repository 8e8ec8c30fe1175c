// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, path: in which order a collection of segments is worked on (paper 001). The verdicts are the same for
// all.

#ifndef BERTH_LAB_PATH_H
#define BERTH_LAB_PATH_H

#include <berth/lab/motion.h>
#include <berth/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For BerthPathCacheDef.lab. All zero is the default.
struct BerthPathCacheLab {
    BerthPathOrder order;  ///< which sub-segment is next
};

#ifdef __cplusplus
}
#endif
#endif
