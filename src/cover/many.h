// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covers of many bodies: who gets how many balls, and the threads.

#ifndef BI_COVER_MANY_H
#define BI_COVER_MANY_H

#include "cover/cover.h"

enum { COVER_STEPS_MAX = 48 };

/// One body's cover in the making.
typedef struct CoverJob {
    CoverBody* body;  ///< null: nothing to cover
    const char* name;
    uint64_t seed;
    double effort;
    CoverStop stop;
    int32_t surface_points;
    bool started;
    CoverFit fit;
    CoverStep steps[COVER_STEPS_MAX];  ///< more and more balls, less and less volume
    int32_t step_count;
    int32_t most;  ///< balls worth trying
    int32_t wanted;
    double protrusion;  ///< largest allowed; 0: as it comes
    // The result, in the body's arena.
    Ball* balls;
    int32_t ball_count;
    bool covered;
    CoverMeasure measure;
} CoverJob;

/// What balls of one body cost in volume, for 1 to job->most balls.
BerthStatus bi_cover_find_ladder(CoverJob* job);
/// The cover by job->wanted balls, or the one that protrudes no more than job->protrusion; proven and measured.
BerthStatus bi_cover_finish_job(CoverJob* job);
/// Measures job->balls as they are.
BerthStatus bi_cover_prove_and_measure(CoverJob* job);

struct BerthSpheres {
    BerthAllocator allocator;
    int32_t group_count;
    BerthSphereGroup* groups;
    BerthBall* balls;
    int32_t ball_count;
};

/// Runs the def over the jobs (bodies, names and, to be measured only, balls are set) and makes spheres of them: `measure`
/// judges the balls that are there instead of finding some.
BerthStatus bi_cover_many(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, bool measure,
                          BerthSpheres** out);
BerthStatus bi_spheres_check_def(const BerthSpheresDef* def);

#endif
