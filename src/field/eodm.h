// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Perimeter functions under construction (docs/theory/field.md, "EODM"). A face of node W is [0, s] x [0, s]
// in (u, v). Obstacles beyond its plane are rectangles with a weight w, their distance from the plane; the L1
// distance of a point with foot (u, v) is m + min (w + gap of u + gap of v).

#ifndef BI_EODM_H
#define BI_EODM_H

#include "field/field.h"

// Candidates (candidates.c): which obstacles can be nearest to some point of a node W, those with mindist(W, O) <= min over O' of
// maxdist(W, O') (errata 5.7). No other is, since O' is nearer everywhere in W.
typedef struct Candidate {
    int32_t low[3], high[3];  ///< cells, from W's corner
    int64_t least;            ///< key of W and the obstacle: L1 distance, or the squared Euclidean one
    uint32_t obstacle;
} Candidate;

typedef struct Candidates {
    const BerthField* field;
    BerthMetric metric;
    GrowList items;  ///< Candidate
    int64_t least;   ///< least key of W and any obstacle; -1: there is none
    uint32_t last;   ///< obstacle that gave the last `greatest`, a first guess for the next; UINT32_MAX: none
    int64_t greatest;  ///< no point of W has its nearest obstacle further (as a key)
} Candidates;

void bi_candidates_init(Candidates* candidates, const BerthField* field, BerthMetric metric);
void bi_candidates_free(Candidates* candidates);
/// All candidates of the node. With `parent` (grey) only obstacles in the parent's other children count.
BerthStatus bi_candidates_find(Candidates* candidates, const FieldNode* w, const FieldNode* parent);

/// An obstacle seen from a face, cells from the node's corner.
typedef struct FaceRect {
    int32_t u0, u1, v0, v1;
    int32_t weight;
    uint32_t obstacle;
} FaceRect;

/// A value and whose it is.
typedef struct Owned {
    int32_t value;
    uint32_t obstacle;
} Owned;

#define EODM_FAR (1 << 28)  // further than any weight

/// min over rectangles of (weight + gap of u), for the columns between edges: what covers a column, and the best from beyond both
/// ends, as ramps u - left and right - u.
typedef struct Profile {
    Owned* cover;  ///< a column
    Owned left;    ///< greatest end - weight; -EODM_FAR: none
    Owned right;   ///< least start + weight; EODM_FAR: none
} Profile;

typedef struct EodmMaker {
    BerthField* field;
    Candidates candidates;
    GrowList rects[FIELD_FACES];  ///< FaceRect
    GrowList edges_u, edges_v;    ///< int32_t, from 0 to s
    GrowList marks;               ///< int32_t, s + 1 for u and s + 1 for v: number of the edge at each place
    GrowList covers;              ///< Owned: the grids of all profiles of a face
    GrowList profiles;            ///< Profile: in the strip, beyond above, beyond below; a row of each
    GrowList ramps;               ///< Owned: left and right of the columns, for two functions
    GrowList links, strips, pieces, reaches;
    const BerthFieldDef* def;     ///< for progress and the limit
    double share;                 ///< of the work, so far
    const FieldTouched* touched;  ///< null: all is new
    size_t function;              ///< first piece of the function that is being made
} EodmMaker;

/// A maker without a def; its lists take memory as the field does.
void bi_eodm_maker_init(EodmMaker* maker, BerthField* field);
void bi_eodm_maker_free(EodmMaker* maker);
/// Appends the function of `profile` to the pieces, without what `other` (may be null) has at least as near everywhere.
BerthStatus bi_eodm_append_function(EodmMaker* maker, const Profile* profile, const Profile* other);
/// Appends the strips of a face of a node `width` wide from its rectangles.
BerthStatus bi_eodm_append_face(EodmMaker* maker, const GrowList* rects, int32_t width);
/// The field's EODM.
BerthStatus bi_field_make_eodm(BerthField* field, const BerthFieldDef* def, const FieldTouched* touched,
                               double share_from, double share_to);

#endif
