// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Lab, contact: what the tables of paper 003 compare. The contacts are the same for all.

#ifndef BERTH_LAB_CONTACT_H
#define BERTH_LAB_CONTACT_H

#include <berth/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

/// For BerthContactDef.lab. Start from berth_default_contact_lab().
struct BerthContactLab {
    int32_t levels;  ///< of spherical octrees, 0 (one node) to 6; -1 (the default): chosen for each piece
    /// Split every node down to `levels`, as in the paper's tables; otherwise where it helps
    bool homogeneous;
};
/// The meaning of a null pointer.
BERTH_API BerthContactLab berth_default_contact_lab(void);

/// The corners of a feature in the body's frame: one, two, or those of a face. Returns how many there are; at
/// most `capacity` are written. 0 for ROUND, half-spaces, and features that do not exist. Vertices are sorted
/// by x, then y, then z.
BERTH_API int32_t berth_contact_feature(const BerthContactWorld* world, int32_t body, int32_t piece,
                                        BerthFeature feature, BerthVec3* corners, int32_t capacity);

#ifdef __cplusplus
}
#endif
#endif
