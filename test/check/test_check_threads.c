// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads
// Several threads, each with its own checker, on one scene: the same bits as one thread.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/setting.h"
#include "support/verdicts.h"

enum { THREADS = 4, VALUE_MAX = 300, STATES_MAX = 400 };

typedef struct Answer {
    BerthVerdict verdict;
    int32_t hit_count, pair_count;
    BerthPairGap clearance;
    BerthHit hit;
    double sum;  // of all pairs' bounds, in their order
} Answer;

typedef struct Job {
    const BerthScene* scene;
    const double* values;
    int value_count, state_count, first;
    Answer* answers;
    bool failed;
} Job;

static void* run_job(void* user) {
    Job* job = user;
    const BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    if (berth_checker_create(job->scene, &def, &checker) != BERTH_OK) {
        job->failed = true;
        return NULL;
    }
    for (int k = 0; k < job->state_count; ++k) {
        const int i = (job->first + k * 7) % job->state_count;  // each thread in its own order
        const BerthCheckRequest request = {.distance = i % 2 == 0, .all = i % 3 == 0};
        BerthCheckResult r;
        Answer* answer = &job->answers[i];
        memset(answer, 0, sizeof *answer);
        job->failed = job->failed || berth_check_state(checker, job->values + i * job->value_count, &request,
                                                       &r) != BERTH_OK;
        answer->verdict = r.verdict;
        answer->hit_count = r.hit_count;
        answer->pair_count = r.pair_count;
        memcpy(&answer->clearance, &r.clearance, sizeof answer->clearance);
        if (r.hit_count > 0) {
            answer->hit.body_a = r.hits[0].body_a;
            answer->hit.body_b = r.hits[0].body_b;
            answer->hit.point = r.hits[0].point;
            answer->hit.depth = r.hits[0].depth;
        }
        for (int32_t p = 0; p < r.pair_count; ++p) {
            const double both =
                r.pairs[p].lower > -1e300 ? r.pairs[p].lower + r.pairs[p].upper : r.pairs[p].upper;
            answer->sum += both > -1e300 ? both * (p + 1) : -1.0;
        }
    }
    berth_checker_destroy(checker);
    return NULL;
}

static void threads_agree(void** state) {
    (void)state;
    for (int i = 0; i < test_scaled(12); ++i) {
        Random random = {.state = 73u * (uint64_t)(i + 1)};
        const WorldPlan plan = {
            .style = (WorldStyle)(i % WORLD_STYLE_COUNT), .robots = 1 + i % 2, .joints = 5, .objects = 4};
        World* world = world_make(&random, &plan);
        const int count = world->brute.value_count;
        double* values = calloc((size_t)STATES_MAX * VALUE_MAX, sizeof *values);
        Answer* answers = calloc((size_t)(THREADS + 1) * STATES_MAX, sizeof *answers);
        assert_true(values != NULL && answers != NULL);
        int states = test_scaled(STATES_MAX);
        states = states > STATES_MAX ? STATES_MAX : states < 20 ? 20 : states;
        states -= states % 7 == 0;  // steps of seven must reach every state
        for (int k = 0; k < states; ++k) {
            world_values(world, &random, values + k * count);
        }
        Job jobs[THREADS + 1];
        pthread_t threads[THREADS];
        for (int t = 0; t <= THREADS; ++t) {
            jobs[t] = (Job){world->scene, values, count, states, t * 13, answers + t * STATES_MAX, false};
        }
        run_job(&jobs[THREADS]);
        for (int t = 0; t < THREADS; ++t) {
            assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
        }
        for (int t = 0; t < THREADS; ++t) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
        }
        for (int t = 0; t <= THREADS; ++t) {
            assert_false(jobs[t].failed);
            assert_memory_equal(jobs[t].answers, jobs[THREADS].answers, (size_t)states * sizeof(Answer));
        }
        free(values);
        free(answers);
        world_destroy(world);
    }
}

int test_check_threads(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
