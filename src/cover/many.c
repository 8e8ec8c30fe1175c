// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Covers of many bodies: each gets the balls that lessen the whole volume most; work is spread over threads, body by body.
//
// Entries: bi_cover_many, berth_solid_fit_spheres.

#include "cover/many.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS_MAX = 64, BALLS_EACH = 5, TEXT_SIZE = 512 };

BerthSpheresDef berth_default_spheres_def(void) {
    return (BerthSpheresDef){.seed = 1, .threads = 1, .effort = 1.0, .stamp = BI_DEF_STAMP};
}

BerthStatus bi_spheres_check_def(const BerthSpheresDef* def) {
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: start from berth_default_spheres_def()");
    }

    if (def->count < 0 || def->count > 1000000) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: count is %d, must be from 1 to 1000000",
                       (int)def->count);
    }
    if (!(def->protrusion >= 0.0) || def->protrusion > BI_COORDINATE_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: protrusion is %g m, must be finite and > 0",
                       def->protrusion);
    }

    if (def->count > 0 && def->protrusion > 0.0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: a count or a protrusion, not both");
    }
    if (!(def->effort >= 0.0 && def->effort <= 100.0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres def: effort is %g, must be from 0 to 100", def->effort);
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
    atomic_bool stopped;
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

static void run_jobs(JobRun* many) {
    for (;;) {
        const int32_t at = atomic_fetch_add(&many->next, 1);
        if (at >= many->count || poll_stop(many)) {
            return;
        }

        CoverJob* job = &many->jobs[at];
        const BerthStatus status = job->body != NULL ? many->step(job) : BERTH_OK;

        pthread_mutex_lock(&many->mutex);
        many->done += 1;
        if (status != BERTH_OK && many->status == BERTH_OK) {
            many->status = status;
            (void)snprintf(many->failure, sizeof many->failure, "%s", berth_error_text());
            atomic_store(&many->stopped, true);
        }

        if (many->def->progress != NULL && status == BERTH_OK) {
            many->def->progress(many->def->user, many->done, many->total);
        }
        pthread_mutex_unlock(&many->mutex);
    }
}

static void* thread_main(void* many) {
    run_jobs(many);
    return NULL;
}

// Every job once through `step`, on as many threads as asked for and can be had.
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
    return atomic_load(&many->stopped) ? bi_fail(BERTH_ERR_CANCELLED, "fit: stopped") : BERTH_OK;
}

// ---- who gets how many -----------------------------------------------------------------------------------------

// The next step of a body that lessens its volume most for each ball it takes, and needs no more than `left`.
static int32_t best_step(const CoverJob* job, int32_t from, int32_t left, double* gain) {
    int32_t best = -1;
    *gain = 0.0;
    for (int32_t i = from + 1; i < job->step_count; ++i) {
        const int32_t more = job->steps[i].count - job->steps[from].count;
        if (more > left) {
            break;
        }

        const double each = (job->steps[from].volume - job->steps[i].volume) / more;
        if (each > *gain) {
            *gain = each;
            best = i;
        }
    }
    return best;
}

// Steps where they are worth most; what is left over goes to those who are worth most beyond their last step.
static void share_balls(CoverJob* jobs, int32_t count, int32_t left, int32_t* at) {
    for (int32_t i = 0; i < count; ++i) {
        jobs[i].wanted = 1;
        at[i] = 0;
        left -= jobs[i].body != NULL ? 1 : 0;
    }

    while (left > 0) {
        int32_t best = -1, best_to = -1;
        double best_gain = 0.0;
        for (int32_t i = 0; i < count; ++i) {
            double gain;
            const int32_t to = jobs[i].body != NULL ? best_step(&jobs[i], at[i], left, &gain) : -1;
            if (to >= 0 && gain > best_gain) {
                best_gain = gain;
                best = i;
                best_to = to;
            }
        }

        if (best < 0) {
            break;
        }

        left -= jobs[best].steps[best_to].count - jobs[best].steps[at[best]].count;
        at[best] = best_to;
    }

    for (int32_t i = 0; i < count; ++i) {
        jobs[i].wanted = jobs[i].body != NULL ? jobs[i].steps[at[i]].count : 0;
    }
    // One ball more takes about 1 / n of what a body's cover has too much.
    while (left > 0) {
        int32_t best = -1;
        double most = 0.0;
        for (int32_t i = 0; i < count; ++i) {
            if (jobs[i].body == NULL || jobs[i].wanted >= BI_COVER_BALLS_MAX ||
                (jobs[i].body->given_count > 0 && jobs[i].wanted >= jobs[i].body->given_count)) {
                continue;
            }

            const double worth = jobs[i].steps[at[i]].volume / jobs[i].wanted;
            if (worth > most) {
                most = worth;
                best = i;
            }
        }

        if (best < 0) {
            break;
        }

        jobs[best].wanted += 1;
        left -= 1;
    }
}

static int32_t clamp_count(double value, int32_t low, int32_t high) {
    if (!(value > low)) {
        return low;
    }
    return value < high ? (int32_t)value : high;
}

static BerthStatus prepare_jobs(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, JobRun* many,
                                int32_t* wanted) {
    int32_t bodies = 0;
    double area = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        bodies += jobs[i].body != NULL ? 1 : 0;
        area += jobs[i].body != NULL ? jobs[i].body->area : 0.0;
    }

    if (bodies == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "spheres: there is no collision geometry to cover");
    }

    *wanted = def->count > 0 ? def->count : BALLS_EACH * bodies;
    if (*wanted < bodies && def->protrusion == 0.0) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "spheres: %d bodies have geometry, so at least %d spheres are needed, not %d",
                       (int)bodies, (int)bodies, (int)*wanted);
    }

    for (int32_t i = 0; i < count; ++i) {
        CoverJob* job = &jobs[i];
        job->seed = def->seed + (uint64_t)i;
        job->effort = def->effort;
        job->stop = (CoverStop){poll_stop, many};
        job->protrusion = def->protrusion;
        if (job->body == NULL) {
            continue;
        }

        const double share = job->body->area / area;
        const int32_t most = *wanted - (bodies - 1);
        job->most = clamp_count(3.0 * share * *wanted + 24.0, 1,
                                most < BI_COVER_BALLS_MAX ? most : BI_COVER_BALLS_MAX);
        job->surface_points = clamp_count(1200.0 + 30.0 * share * *wanted, 1200, 12000);

        if (def->protrusion > 0.0) {
            // A ball of radius R that protrudes by p covers a disc of radius sqrt(2 R p): eight points across it.
            const double disc_sq = 2.0 * fmax(0.05 * job->body->diagonal, def->protrusion) * def->protrusion;
            job->surface_points = clamp_count(32.0 * job->body->area / disc_sq, 1200, 24000);
        }
    }
    return BERTH_OK;
}

// ---- results -------------------------------------------------------------------------------------------------

static BerthStatus collect_spheres(const CoverJob* jobs, int32_t count, const BerthAllocator* from,
                                   BerthSpheres** out) {
    int32_t total = 0;
    for (int32_t i = 0; i < count; ++i) {
        total += jobs[i].body != NULL ? jobs[i].ball_count : 0;
    }

    BerthSpheres* spheres = bi_take(from, 1, sizeof *spheres);
    if (spheres == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    *spheres = (BerthSpheres){.allocator = *from, .group_count = count, .ball_count = total};
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

BerthStatus bi_cover_many(CoverJob* jobs, int32_t count, const BerthSpheresDef* def, bool measure,
                          BerthSpheres** out) {
    *out = NULL;
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    JobRun many = {.jobs = jobs, .count = count, .def = def, .mutex = PTHREAD_MUTEX_INITIALIZER};
    const bool ladder = !measure && def->protrusion == 0.0;
    many.total = ladder ? 2 * count : count;

    int32_t wanted = 0;
    BerthStatus status = prepare_jobs(jobs, count, def, &many, &wanted);
    if (status == BERTH_OK && ladder) {
        status = run_step(&many, bi_cover_find_ladder);
        int32_t* at = bi_take(&from, (size_t)count, sizeof *at);
        if (status == BERTH_OK && at != NULL) {
            share_balls(jobs, count, wanted, at);
        } else if (status == BERTH_OK) {
            status = bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
        }
        bi_give(&from, at, (size_t)count, sizeof *at);
    }

    if (status == BERTH_OK) {
        status = run_step(&many, measure ? bi_cover_prove_and_measure : bi_cover_finish_job);
    }

    (void)pthread_mutex_destroy(&many.mutex);
    return status == BERTH_OK ? collect_spheres(jobs, count, &from, out) : status;
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

    const CoverPiece piece = {solid, pose_identity()};
    const BerthAllocator from = bi_allocator_or_default(&def->allocator);
    CoverJob* job = bi_take(&from, 1, sizeof *job);
    if (job == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "spheres: out of memory");
    }

    job->name = "solid";
    status = bi_cover_body_create(&piece, 1, &from, &job->body);
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

int32_t berth_spheres_group_count(const BerthSpheres* spheres) {
    return spheres->group_count;
}

BerthSphereGroup berth_spheres_group(const BerthSpheres* spheres, int32_t group) {
    const BerthSphereGroup none = {.count = 0};
    return group >= 0 && group < spheres->group_count ? spheres->groups[group] : none;
}
