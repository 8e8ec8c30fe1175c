// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covers of many bodies: the number of balls for each, and the threads.

#ifndef BI_COVER_MANY_H
#define BI_COVER_MANY_H

#include "cover/cover.h"

enum { COVER_STEPS_MAX = 48 };

/// About what volume a body's cover by so many balls has, and how far it protrudes.
typedef struct CoverStep {
    int32_t count;
    double volume, reach;
} CoverStep;

/// One body's cover in the making.
typedef struct CoverJob {
    CoverBody* body;  ///< null: nothing to cover
    const char* name;
    uint64_t seed;
    double effort;
    CoverStop stop;                      ///< nothing is wanted any more
    CoverStop pause;                     ///< that, or what is proven by now is enough
    void (*tell)(void* user);            ///< one ball is done, with stop.user
    int32_t surface_points;              ///< for a protrusion
    CoverStep steps[COVER_STEPS_MAX];    ///< more and more balls, less and less volume, slower and slower
    CoverStep reaches[COVER_STEPS_MAX];  ///< more and more balls that protrude less and less
    int32_t step_count, reach_count;
    int32_t asked;      ///< balls that this body was given by the caller; 0: its share
    int32_t wanted;     ///< balls that it gets
    double protrusion;  ///< largest allowed; 0: as it comes
    // The result, in the body's arena.
    Ball* balls;
    int32_t ball_count;
    bool covered;
    bool cut_short;  ///< there was no time for all
    CoverMeasure measure;
} CoverJob;

/// Centres as short decimals.
void bi_cover_round_centres(const CoverBody* body, Ball* balls, int32_t count);
/// Radii as short decimals, never smaller.
void bi_cover_round_radii_up(const CoverBody* body, Ball* balls, int32_t count);
/// Balls that others contain, or that are next to nothing, go.
void bi_cover_drop_useless(const CoverBody* body, Ball* balls, int32_t* count);

/// What more balls are worth to a body: roughly, and independent of the request.
BerthStatus bi_cover_find_ladder(CoverJob* job);
/// From the cover that the job has to the one by job->wanted balls: none of the steps there is looser than the one before.
BerthStatus bi_cover_run_chain(CoverJob* job);
/// The cover by job->wanted balls, or the one that protrudes no more than job->protrusion; proven and measured.
BerthStatus bi_cover_finish_job(CoverJob* job);
/// Measures job->balls as they are.
BerthStatus bi_cover_prove_and_measure(CoverJob* job);

struct BerthSpheres {
    BerthAllocator allocator;
    BerthMetric metric;
    int32_t group_count;
    BerthSphereGroup* groups;
    BerthBall* balls;
    int32_t ball_count;
};

/// Runs the def over the jobs (bodies, names, requested balls and, to be measured only, balls are set) and makes spheres
/// of them: `measure` judges the balls that are there instead of finding some.
BerthStatus bi_cover_many(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, bool measure,
                          BerthSpheres** out);
BerthStatus bi_spheres_check_def(const BerthSpheresDef* def);
/// One of the def's poses: finite, and not further away than coordinates may be.
bool bi_spheres_pose_is_good(const BerthPose* pose);

#endif
