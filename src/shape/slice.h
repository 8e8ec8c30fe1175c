// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The common part of a capsule and other convex bodies: volume, its first moment, and the surface of the
// other body in it. By slices whose common area has a closed form, and Gauss's rule over them;
// docs/theory/shape.md.

#ifndef BI_SLICE_H
#define BI_SLICE_H

#include "math/vec3.h"

/// All points within `radius` of a segment; a ball when its ends are one point.
typedef struct Capsule {
    Vec3 end[2];
    double radius;
} Capsule;

/// normal . x <= offset, the normal unit. Only planes with `surface` add to the surface.
typedef struct SlicePlane {
    Vec3 normal;
    double offset;
    bool surface;
    double x, y, sine;   ///< written by bi_slice_planes: the normal in the slices, and its length there
    double along, from;  ///< ... along the axis, and the offset from the capsule's first end
} SlicePlane;

/// A convex body as the planes that bound it. Its edges only tell where slices change their form: leaving some out costs
/// accuracy, not truth.
typedef struct SliceBody {
    SlicePlane* planes;
    int32_t plane_count;
    const Vec3* edges;  ///< two ends each
    int32_t edge_count;
} SliceBody;

/// Integrals over what two bodies have in common, and over the other body's surface in the capsule.
typedef struct SliceSum {
    double volume;
    Vec3 first;  ///< of x over the volume
    Vec3 push;   ///< area vector of the surface
    double area;
    Vec3 area_first;
    Vec3 area_second[3];  ///< of x x^T
} SliceSum;

/// Points of a polygon that so many planes cut: twice as many as there are without rounding.
static inline int32_t bi_slice_room(int32_t plane_count) {
    return 8 + 2 * plane_count;
}
/// Adds `share` times a capsule and a body of planes. `polygons`: room for two times bi_slice_room(plane_count) points.
void bi_slice_planes(const Capsule* capsule, const SliceBody* body, double share, Vec3* const polygons[2],
                     SliceSum* sum);
/// Adds two capsules or balls: the surface is that of `other`.
void bi_slice_capsules(const Capsule* capsule, const Capsule* other, SliceSum* sum);
/// Moments that were added up about a point are about the frame's origin from here on.
void bi_slice_shift(SliceSum* sum, Vec3 point);

#endif
