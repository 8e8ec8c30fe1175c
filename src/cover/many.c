// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covers of many bodies: balls go to where they reduce the total volume or the largest protrusion most; work
// is distributed over threads, body by body.
// Entries: bi_cover_many, berth_solid_fit_spheres.

#include "cover/many.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 64, BALLS_EACH = 5, TEXT_SIZE = 512, SHARE_TURNS = 3 };

BerthSpheresDef berth_default_spheres_def(void) {
    return (BerthSpheresDef){.seed = 1, .threads = 1, .effort = 1.0, .stamp = BI_DEF_STAMP};
}

bool bi_spheres_pose_is_good(const BerthPose* pose) {
    const double parts[12] = {pose->x.x, pose->x.y, pose->x.z, pose->y.x, pose->y.y, pose->y.z,
                              pose->z.x, pose->z.y, pose->z.z, pose->t.x, pose->t.y, pose->t.z};
    bool good = true;
    for (int i = 0; i < 12; ++i) {
        good = good && fabs(parts[i]) <= BI_COORDINATE_MAX;
    }
    return good;
}

BerthStatus bi_spheres_check_def(const BerthSpheresDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: start from berth_default_spheres_def()");
    }

    if (def->count < 0 || def->count > 1000000) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: count is %d, must be from 0 (not given) to 1000000",
                       (int)def->count);
    }
    if (!(def->protrusion >= 0.0) || def->protrusion > BI_COORDINATE_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "spheres def: protrusion is %g m, must be from 0 (not given) to 1e7", def->protrusion);
    }

    if (def->count > 0 && def->protrusion > 0.0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: a count or a protrusion, not both");
    }
    if (def->metric < 0 || def->metric >= BERTH_METRIC_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: metric is %d, must be from 0 to %d",
                       (int)def->metric, (int)BERTH_METRIC_COUNT - 1);
    }
    if (!(def->effort >= 0.0 && def->effort <= 100.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: effort is %g, must be from 0 to 100", def->effort);
    }

    for (int32_t i = 0; def->body_counts != NULL && i < def->body_count; ++i) {
        if (def->body_counts[i] < -1 || def->body_counts[i] > BI_COVER_BALLS_MAX) {
            return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: body %d: count is %d, must be from -1 to %d",
                           (int)i, (int)def->body_counts[i], (int)BI_COVER_BALLS_MAX);
        }
    }
    return BERTH_OK;
}

// ---- threads -------------------------------------------------------------------------------------------------

typedef struct JobRun {
    CoverJob* jobs;
    int32_t count;
    const BerthSpheresDef* def;
    BerthStatus (*step)(CoverJob* job);
    atomic_int next;
    atomic_bool stopped, paused;
    pthread_mutex_t mutex;
    // guarded by the mutex
    int32_t done, total;
    BerthStatus status;
    char failure[TEXT_SIZE];
} JobRun;

static bool poll_stop(void* user) {
    JobRun* many = user;
    if (!atomic_load(&many->stopped) && many->def->stop != NULL && many->def->stop(many->def->user)) {
        atomic_store(&many->stopped, true);
    }
    return atomic_load(&many->stopped);
}

static bool poll_pause(void* user) {
    JobRun* many = user;
    if (!atomic_load(&many->paused) && many->def->enough != NULL && many->def->enough(many->def->user)) {
        atomic_store(&many->paused, true);
    }
    return poll_stop(many) || atomic_load(&many->paused);
}

static void tell_done(void* user) {
    JobRun* many = user;
    pthread_mutex_lock(&many->mutex);
    many->done += 1;
    if (many->def->progress != NULL && many->done <= many->total) {
        many->def->progress(many->def->user, many->done, many->total);
    }
    pthread_mutex_unlock(&many->mutex);
}

static void run_jobs(JobRun* many) {
    for (;;) {
        const int32_t at = atomic_fetch_add(&many->next, 1);
        if (at >= many->count || poll_stop(many)) {
            return;
        }

        CoverJob* job = &many->jobs[at];
        const BerthStatus status = job->body != NULL ? many->step(job) : BERTH_OK;

        pthread_mutex_lock(&many->mutex);
        if (status != BERTH_OK && many->status == BERTH_OK) {
            many->status = status;
            (void)snprintf(many->failure, sizeof many->failure, "%s", berth_error_text());
            atomic_store(&many->stopped, true);
        }
        pthread_mutex_unlock(&many->mutex);

        if (status == BERTH_OK && job->body != NULL) {
            tell_done(many);
        }
    }
}

static void* thread_main(void* many) {
    run_jobs(many);
    return NULL;
}

// Every job once through `step`, on as many threads as were requested and can be had.
static BerthStatus run_step(JobRun* many, BerthStatus (*step)(CoverJob* job)) {
    pthread_t threads[THREADS_MAX];
    int32_t started = 0;

    many->step = step;
    atomic_store(&many->next, 0);
    const int32_t wanted = many->def->threads < THREADS_MAX ? many->def->threads : THREADS_MAX;
    while (started + 1 < wanted && started + 1 < many->count &&
           pthread_create(&threads[started], NULL, thread_main, many) == 0) {
        ++started;
    }

    run_jobs(many);
    for (int32_t i = 0; i < started; ++i) {
        (void)pthread_join(threads[i], NULL);
    }

    if (many->status != BERTH_OK) {
        return bi_fail(many->status, "%s", many->failure);
    }
    return atomic_load(&many->stopped) ? bi_fail(BERTH_ERR_CANCELLED, "cover: stopped") : BERTH_OK;
}

// ---- who gets how many -----------------------------------------------------------------------------------------

// What one ball more is worth to a body that has `count`: by its ladder, and beyond that as if what is left of the volume
// shrank with the size of the balls.
static double worth_of_next(const CoverJob* job, int32_t count) {
    for (int32_t i = 0; i + 1 < job->step_count; ++i) {
        if (count < job->steps[i + 1].count) {
            return (job->steps[i].volume - job->steps[i + 1].volume) /
                   (job->steps[i + 1].count - job->steps[i].count);
        }
    }

    const CoverStep last = job->steps[job->step_count - 1];
    const double share = (double)last.count / count;
    return 0.5 * last.volume / last.count * share * cbrt(share * share);
}

// How far a body's cover by `count` balls protrudes, about: by its ladder, and beyond that a disc of the surface that a ball
// covers is as wide as the root of what it protrudes.
static double reach_with(const CoverJob* job, int32_t count) {
    for (int32_t i = 0; i + 1 < job->reach_count; ++i) {
        const CoverStep a = job->reaches[i], b = job->reaches[i + 1];
        if (count < b.count) {
            return a.reach + (b.reach - a.reach) * (count - a.count) / (b.count - a.count);
        }
    }

    const CoverStep last = job->reaches[job->reach_count - 1];
    return last.reach * last.count / count;
}

static int32_t most_of(const CoverJob* job) {
    const int32_t given = job->body->given_count;
    return given > 0 && given < BI_COVER_BALLS_MAX ? given : BI_COVER_BALLS_MAX;
}

// Who gets the next ball: the body whose volume it lessens most, or the one that protrudes most. None: -1.
static int32_t choose_body(const CoverJob* jobs, int32_t count, bool by_reach) {
    int32_t best = -1;
    double most = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const CoverJob* job = &jobs[i];
        if (job->body == NULL || job->asked > 0 || job->wanted >= most_of(job)) {
            continue;
        }
        const double worth = by_reach ? reach_with(job, job->wanted) : worth_of_next(job, job->wanted);
        if (worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

// One ball after the other, two of three by volume and one by protrusion: by volume alone a few large bodies get nearly
// all, and some small one is left with a ball that protrudes more than it is wide. Who gets the next does not depend on
// how many there are.
static void share_balls(CoverJob* jobs, int32_t count, int32_t left) {
    for (int32_t i = 0; i < count; ++i) {
        jobs[i].wanted = 0;
        if (jobs[i].body != NULL) {
            jobs[i].wanted = jobs[i].asked > 0 ? jobs[i].asked : 1;
            left -= jobs[i].wanted;
        }
    }

    for (int32_t turn = 0; left > 0; turn = (turn + 1) % SHARE_TURNS) {
        const bool by_reach = turn == SHARE_TURNS - 1;
        int32_t best = choose_body(jobs, count, by_reach);
        if (best < 0) {
            best = choose_body(jobs, count, !by_reach);
        }
        if (best < 0) {
            break;
        }
        jobs[best].wanted += 1;
        left -= 1;
    }
}

/// What the bodies are in all.
typedef struct JobSum {
    int32_t bodies, sharing;  // all, and those without a count of their own
    int32_t asked;            // balls of the others
} JobSum;

static BerthStatus count_balls(const CoverJob* jobs, int32_t count, const BerthSpheresDef* def, JobSum* sum,
                               int32_t* wanted) {
    *sum = (JobSum){0};
    for (int32_t i = 0; i < count; ++i) {
        if (jobs[i].body != NULL) {
            sum->bodies += 1;
            sum->sharing += jobs[i].asked > 0 ? 0 : 1;
            sum->asked += jobs[i].asked > 0 ? jobs[i].asked : 0;
        }
    }
    if (sum->bodies == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: there is no collision geometry to cover");
    }

    *wanted = sum->asked + (sum->sharing > 0 && def->protrusion == 0.0 ? BALLS_EACH * sum->sharing : 0);
    if (def->count > 0) {
        *wanted = def->count;
    }
    if (def->count > 0 && sum->asked == 0 && def->count < sum->bodies) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "spheres: %d bodies have geometry, so at least %d spheres are needed, not %d",
                       (int)sum->bodies, (int)sum->bodies, (int)def->count);
    }
    if (def->count > 0 &&
        (def->count < sum->asked + sum->sharing || (sum->sharing == 0 && def->count > sum->asked))) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "spheres: a count of %d does not fit: %d are asked for by name, and %d further bodies "
                       "need at least one each",
                       (int)def->count, (int)sum->asked, (int)sum->sharing);
    }
    return BERTH_OK;
}

static int32_t clamp_count(double value, int32_t low, int32_t high) {
    if (!(value > low)) {
        return low;
    }
    return value < high ? (int32_t)value : high;
}

static void prepare_jobs(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, JobRun* many) {
    for (int32_t i = 0; i < count; ++i) {
        CoverJob* job = &jobs[i];
        job->seed = def->seed + (uint64_t)i;
        job->effort = def->effort;
        job->stop = (CoverStop){poll_stop, many};
        job->pause = (CoverStop){poll_pause, many};
        job->tell = tell_done;
        job->protrusion = job->asked > 0 ? 0.0 : def->protrusion;

        if (job->body != NULL && def->protrusion > 0.0) {
            // A ball of radius R that protrudes by p covers a disc of radius sqrt(2 R p): eight points across it.
            const double disc_sq = 2.0 * fmax(0.05 * job->body->diagonal, def->protrusion) * def->protrusion;
            job->surface_points = clamp_count(32.0 * job->body->area / disc_sq, 1200, 24000);
        }
    }
}

// ---- results -------------------------------------------------------------------------------------------------

static BerthStatus collect_spheres(const CoverJob* jobs, int32_t count, BerthMetric metric,
                                   const BerthAllocator* from, BerthSpheres** out) {
    int32_t total = 0;
    for (int32_t i = 0; i < count; ++i) {
        total += jobs[i].body != NULL ? jobs[i].ball_count : 0;
    }

    BerthSpheres* spheres = bi_take(from, 1, sizeof *spheres);
    if (spheres == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    *spheres =
        (BerthSpheres){.allocator = *from, .metric = metric, .group_count = count, .ball_count = total};
    spheres->groups = bi_take(from, (size_t)count, sizeof *spheres->groups);
    spheres->balls = bi_take(from, (size_t)total, sizeof *spheres->balls);
    if (spheres->groups == NULL || spheres->balls == NULL) {
        berth_spheres_destroy(spheres);
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    BerthBall* next = spheres->balls;
    for (int32_t i = 0; i < count; ++i) {
        const CoverJob* job = &jobs[i];
        if (job->body == NULL) {
            continue;
        }

        spheres->groups[i] = (BerthSphereGroup){.balls = next,
                                                .count = job->ball_count,
                                                .has_geometry = true,
                                                .cut_short = job->cut_short,
                                                .covered = job->covered,
                                                .open_meshes = job->body->open_count,
                                                .volume = job->measure.volume,
                                                .solid_volume = job->measure.solid_volume,
                                                .protrusion = job->measure.reach,
                                                .mean_protrusion = job->measure.mean_reach,
                                                .outside_share = job->measure.outside_share,
                                                .outside_most = job->measure.outside_most};

        for (int32_t k = 0; k < job->ball_count; ++k) {
            *next++ = (BerthBall){job->balls[k].centre, job->balls[k].radius};
        }
    }

    *out = spheres;
    return BERTH_OK;
}

// Who gets how many balls, and what there is to tell about until all are done.
static BerthStatus plan_jobs(JobRun* many) {
    JobSum sum;
    int32_t wanted = 0;
    BerthStatus status = count_balls(many->jobs, many->count, many->def, &sum, &wanted);
    const bool by_count = many->def->protrusion == 0.0;

    // Who gets more than one ball depends on what they are worth; where no body can, that need not be known.
    const bool shares_more = wanted > sum.asked + sum.sharing;
    many->total = sum.bodies;
    if (status == BERTH_OK && by_count && sum.sharing > 1 && shares_more) {
        many->total += sum.bodies + wanted;
        status = run_step(many, bi_cover_find_ladder);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (by_count && sum.sharing > 1) {
        share_balls(many->jobs, many->count, wanted);
    }
    many->total = many->done + sum.bodies;
    for (int32_t i = 0; i < many->count; ++i) {
        CoverJob* job = &many->jobs[i];
        if (job->body == NULL) {
            continue;
        }
        if (job->asked > 0 || (by_count && sum.sharing == 1)) {
            job->wanted = job->asked > 0 ? job->asked : wanted - sum.asked;
        }
        if (job->wanted > BI_COVER_BALLS_MAX) {
            return bi_fail(BERTH_ERR_ARGUMENT, "spheres: %d for '%s', more than %d of one body",
                           (int)job->wanted, job->name, (int)BI_COVER_BALLS_MAX);
        }
        many->total += job->wanted > 1 ? job->wanted - 1 : 0;
    }
    return BERTH_OK;
}

BerthStatus bi_cover_many(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, bool measure,
                          BerthSpheres** out) {
    *out = NULL;
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    JobRun many = {.jobs = jobs, .count = count, .def = def, .mutex = PTHREAD_MUTEX_INITIALIZER};
    many.total = count;

    prepare_jobs(jobs, count, def, &many);
    BerthStatus status = measure ? BERTH_OK : plan_jobs(&many);
    if (status == BERTH_OK) {
        status = run_step(&many, measure ? bi_cover_prove_and_measure : bi_cover_finish_job);
    }

    (void)pthread_mutex_destroy(&many.mutex);
    return status == BERTH_OK ? collect_spheres(jobs, count, def->metric, &from, out) : status;
}

BerthStatus berth_solid_fit_spheres(const BerthSolid* solid, const BerthSpheresDef* def, BerthSpheres** out) {
    if (out == NULL || solid == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: no solid, or nowhere to put the answer");
    }
    *out = NULL;
    if (solid_is_empty(solid)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: the map has no obstacle");
    }

    BerthStatus status = bi_spheres_check_def(def);
    if (status != BERTH_OK) {
        return status;
    }

    if (def->poses != NULL && !bi_spheres_pose_is_good(def->poses)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: the solid's pose is not finite, or beyond %g m",
                       BI_COORDINATE_MAX);
    }

    const CoverPiece piece = {solid, def->poses != NULL ? *def->poses : pose_identity()};
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    CoverJob* job = bi_take(&from, 1, sizeof *job);
    if (job == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    job->name = "solid";
    job->asked = def->body_counts != NULL && def->body_count > 0 ? def->body_counts[0] : 0;
    status = bi_cover_body_create(&piece, 1, def->metric, &from, &job->body);
    if (status == BERTH_OK) {
        status = bi_cover_many(job, 1, def, false, out);
        bi_cover_body_destroy(job->body);
    }

    bi_give(&from, job, 1, sizeof *job);
    return status;
}

void berth_spheres_destroy(BerthSpheres* spheres) {
    if (spheres == NULL) {
        return;
    }

    const BerthAllocator from = spheres->allocator;
    bi_give(&from, spheres->groups, (size_t)spheres->group_count, sizeof *spheres->groups);
    bi_give(&from, spheres->balls, (size_t)spheres->ball_count, sizeof *spheres->balls);
    bi_give(&from, spheres, 1, sizeof *spheres);
}

BerthMetric berth_spheres_metric(const BerthSpheres* spheres) {
    return spheres->metric;
}

int32_t berth_spheres_group_count(const BerthSpheres* spheres) {
    return spheres->group_count;
}

BerthSphereGroup berth_spheres_group(const BerthSpheres* spheres, int32_t group) {
    const BerthSphereGroup none = {.count = 0};
    return group >= 0 && group < spheres->group_count ? spheres->groups[group] : none;
}
