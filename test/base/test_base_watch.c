// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// test-labels: threads
// A watch: asks its caller once a period, whoever looks at it how often, and stops for good.

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <berth/base.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct Caller {
    atomic_int times;  // it was asked
    int stop_at;       // it says stop when it is asked the n-th time; 0: never
} Caller;

static bool asked(void* user) {
    Caller* caller = user;
    return atomic_fetch_add(&caller->times, 1) + 1 == caller->stop_at;
}

static void nothing_stops(void** state) {
    (void)state;
    BerthWatch watch = {0};
    assert_false(berth_watch_ask(NULL));
    assert_false(berth_watch_ask(&watch));
    berth_watch_stop(NULL);
    assert_false(berth_watch_ask(&watch));
}

static void stops_for_good(void** state) {
    (void)state;
    BerthWatch watch = {0};
    berth_watch_stop(&watch);
    assert_true(berth_watch_ask(&watch));
    assert_true(berth_watch_ask(&watch));

    // A caller that is known to have stopped is not asked.
    Caller caller = {.stop_at = 1};
    watch.cancelled = asked;
    watch.user = &caller;
    assert_true(berth_watch_ask(&watch));
    assert_int_equal(atomic_load(&caller.times), 0);
}

static void asks_once_a_period(void** state) {
    (void)state;
    // Without a period every look asks; the third answer is yes, and after it nobody is asked.
    Caller caller = {.stop_at = 3};
    BerthWatch watch = {.cancelled = asked, .user = &caller};
    assert_false(berth_watch_ask(&watch));
    assert_false(berth_watch_ask(&watch));
    assert_true(berth_watch_ask(&watch));
    assert_true(berth_watch_ask(&watch));
    assert_int_equal(atomic_load(&caller.times), 3);

    // A period that does not end: the first look asks, the others do not.
    Caller rare = {.stop_at = 2};
    BerthWatch slow = {.cancelled = asked, .user = &rare, .period = 1e9};
    for (int i = 0; i < 1000; ++i) {
        assert_false(berth_watch_ask(&slow));
    }
    assert_int_equal(atomic_load(&rare.times), 1);

    // NaN is no period: the caller is asked at the start only, and berth_watch_stop still works.
    Caller odd = {.stop_at = 2};
    BerthWatch wrong = {.cancelled = asked, .user = &odd, .period = (double)NAN};
    assert_false(berth_watch_ask(&wrong));
    assert_false(berth_watch_ask(&wrong));
    berth_watch_stop(&wrong);
    assert_true(berth_watch_ask(&wrong));
    assert_int_equal(atomic_load(&odd.times), 1);
}

enum { LOOKS = 20000, THREADS = 4 };

static void* look_often(void* user) {
    for (int i = 0; i < LOOKS; ++i) {
        (void)berth_watch_ask(user);
    }
    return NULL;
}

static void* look_until_stopped(void* user) {
    while (!berth_watch_ask(user)) {
    }
    return NULL;
}

static void run_threads(void* (*step)(void*), BerthWatch* watch, bool stop) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, step, watch), 0);
    }
    if (stop) {
        berth_watch_stop(watch);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void threads_share_it(void** state) {
    (void)state;
    Caller caller = {0};
    BerthWatch watch = {.cancelled = asked, .user = &caller, .period = 1e9};
    run_threads(look_often, &watch, false);
    assert_int_equal(atomic_load(&caller.times), 1);
    assert_false(berth_watch_ask(&watch));

    // Another thread's wish ends all of them.
    run_threads(look_until_stopped, &watch, true);
    assert_true(berth_watch_ask(&watch));
}

int test_base_watch(void);
int test_base_watch(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_stops), cmocka_unit_test(stops_for_good),
                                       cmocka_unit_test(asks_once_a_period),
                                       cmocka_unit_test(threads_share_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
