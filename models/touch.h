// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 003 (Tzafestas, Coiffet): its five objects (Figure 3) and its scene of six (Figure 2), for those who build
// them in memory.

#ifndef MODELS_TOUCH_H
#define MODELS_TOUCH_H

#include <berth/math.h>

typedef enum TouchObject {
    TOUCH_CUBE,       ///< (a) 8 vertices
    TOUCH_RECTANGLE,  ///< (b) 8
    TOUCH_CYLINDER,   ///< (c) 20: two rings of ten
    TOUCH_CONE,       ///< (d) 11: a ring of ten and the tip
    TOUCH_SPHERE,     ///< (e)
    TOUCH_OBJECT_COUNT
} TouchObject;

#define TOUCH_RADIUS 0.08  ///< of the sphere, m

/// Corners of a polyhedron of the five (0 for the sphere), or of a cylinder with any number of sides; `out` has room for
/// 2 * sides, and for 20.
int bi_touch_points(TouchObject object, BerthVec3* out);
int bi_touch_prism(int sides, BerthVec3* out);

enum { TOUCH_BODY_COUNT = 6, TOUCH_FOLLOWER = 5 };
typedef struct TouchBody {
    const char* name;
    TouchObject object;
    BerthVec3 at;
    double yaw;  ///< rad
} TouchBody;
/// The scene: the five, and a follower (a cube) that presses on the rectangle.
extern const TouchBody bi_touch_scene[TOUCH_BODY_COUNT];

#endif
