// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers against truth.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support/verdicts.h"

// Per metre of the largest coordinate. The model's own rounding: chains of a dozen long double products.
#define NOISE 1e-17L
// A hit may be called this far outside of the margin: berth's own allowance is 64 roundings a metre, a hull's is
// what sticks out of it.
#define HIT_SLACK 3e-14L
// No answer is expected this near to the margin, per metre; nor are brackets wider than this.
#define BLIND 3e-12L
// Cylinders and cones on each other's axes overlap by less than this, and cannot be told (5e-11 seen).
#define BLIND_ALIGNED 1e-9L
// Where round bodies only touch, no common point is found, but one this near to both.
#define HIT_POINT 1e-5L
// Relative width of brackets from iterations that stop early: cylinders and cones end where doubles do (6e-9 seen).
#define WIDTH 2e-8L
#define WIDTH_METRES 5e-9L

// Depths of cones and cylinders on each other's axes are this far off, by size (the shape room's to sharpen).
#define DEPTH 2e-3L

void complain(Tally* tally, const char* format, ...) {
    if (tally->wrong++ >= 20) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_message("WRONG %s seed %lld state %lld: %s\n", tally->what, (long long)tally->seed,
                  (long long)tally->states, text);
    if (getenv("BERTH_TEST_VALUES") != NULL) {
        for (int i = 0; i < tally->value_count; ++i) {
            print_message("%s%.17g", i == 0 ? "  values " : " ", tally->values[i]);
        }
        print_message("\n");
    }
}

void settle(const Tally* t) {
    print_message(
        "report %s: %lld states, %lld pairs; %lld free, %lld hits, %lld unknown; %lld near, %lld touching "
        "(%lld unknown); widest %.1Le, worst hit %.1Le, unknown within %.1Le a metre\n",
        t->what, (long long)t->states, (long long)t->pairs, (long long)t->free, (long long)t->hits,
        (long long)t->unknown, (long long)t->near_count, (long long)t->touching,
        (long long)t->touching_unknown, t->widest, t->worst_hit, t->worst_near);
    if (t->wrong > 0) {
        fail_msg("%s: %lld wrong answers", t->what, (long long)t->wrong);
    }
}

int true_gaps(World* world, const double* values, Truth* out) {
    BruteWorld* brute = &world->brute;
    int count = 0;
    brute_pose_world(brute, values);
    for (int i = 0; i < brute->body_count; ++i) {
        for (int k = i + 1; k < brute->body_count; ++k) {
            const BruteBody* a = &brute->bodies[i];
            const BruteBody* b = &brute->bodies[k];
            if (brute_is_checked(brute, a, b)) {
                out[count++] = (Truth){a, b, brute_body_gap(brute, a, b), 0};
            }
        }
    }
    Real reach = 1e-3L;  // rounding is by the largest coordinate of all that was computed
    for (int i = 0; i < brute->body_count; ++i) {
        reach = fmaxl(reach, brute_reach(&brute->bodies[i], &brute->bodies[i]));
    }
    for (int r = 0; r < brute->robot_count; ++r) {
        for (int i = 0; i < brute->robots[r].link_count; ++i) {
            reach = fmaxl(reach, lv_length(brute->robots[r].links[i].t));
        }
    }
    // An angle that follows another is rounded where it is computed, and the arm is a lever.
    Real turns = 0;
    for (int r = 0; r < brute->robot_count; ++r) {
        turns += brute_followed_turns(&brute->robots[r], values);
        values += brute->robots[r].value_count;
    }
    for (int i = 0; i < count; ++i) {
        out[i].reach = reach * (1 + turns);
    }
    return count;
}

static const Truth* find_truth(const Truth* truth, int count, int a, int b) {
    for (int i = 0; i < count; ++i) {
        if ((truth[i].a->index == a && truth[i].b->index == b) ||
            (truth[i].a->index == b && truth[i].b->index == a)) {
            return &truth[i];
        }
    }
    return NULL;
}

static const char* kinds(const Truth* t) {
    static char text[200];
    size_t used = 0;
    const BruteBody* bodies[2] = {t->a, t->b};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < bodies[i]->part_count && used < sizeof text - 30; ++k) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
                                     k > 0   ? "+"
                                     : i > 0 ? " / "
                                             : "",
                                     world_part_name(&bodies[i]->parts[k]));
        }
    }
    return text;
}

// ---- single answers -----------------------------------------------------------------------------------------

typedef struct Case {
    World* world;
    const Truth* truth;
    int count;
    double margin;
    Tally* tally;
} Case;

static const BruteBody* body_of(const Case* c, int index) {
    for (int i = 0; i < c->world->brute.body_count; ++i) {
        if (c->world->brute.bodies[i].index == index) {
            return &c->world->brute.bodies[i];
        }
    }
    return NULL;
}

static Lv lv_point(BerthVec3 p) {
    return lv(p.x, p.y, p.z);
}

// Both points belong to their bodies (padding included), and are as far apart as `upper` says.
static void check_points(const Case* c, const BerthPairGap* g, const Truth* t, const char* what) {
    if (!(g->upper > 0)) {
        return;  // deepest points of overlapping bodies: by the hit's depth
    }
    const BruteBody* a = body_of(c, g->body_a);
    const BruteBody* b = body_of(c, g->body_b);
    const Lv pa = lv_point(g->point_a);
    const Lv pb = lv_point(g->point_b);
    const Real padding = brute_padding(&c->world->brute, a, b);
    const Real da = brute_body_point_gap(a, pa);
    const Real db = brute_body_point_gap(b, pb);
    const Real tiny = BLIND * t->reach + WIDTH_METRES + WIDTH * (g->upper + padding);
    const Real apart = lv_length(lv_sub(pa, pb));
    if (!(da + db <= padding + tiny) || !(fabsl(apart + da + db - padding - g->upper) <= tiny)) {
        complain(c->tally,
                 "%s %s: points off by %.3Lg and %.3Lg, %.17Lg apart, padding %.17Lg, upper %.17g (%s)", what,
                 a->name, da, db, apart, padding, g->upper, kinds(t));
    }
}

static void check_bracket(const Case* c, const BerthPairGap* g, const char* what) {
    const Truth* t = find_truth(c->truth, c->count, g->body_a, g->body_b);
    if (t == NULL) {
        complain(c->tally, "%s is about a pair that is not checked: %d %d", what, g->body_a, g->body_b);
        return;
    }
    const Real noise = NOISE * t->reach;
    const Real padding = brute_padding(&c->world->brute, t->a, t->b);
    const Real tiny = BLIND * t->reach + WIDTH_METRES + WIDTH * fabsl(t->gap.upper + padding);
    if (!(g->lower <= t->gap.upper + noise)) {
        complain(c->tally, "%s lower %.17g is above the gap %.17Lg by %.3Lg: %s %s (%s)", what, g->lower,
                 t->gap.upper, (Real)g->lower - t->gap.upper, t->a->name, t->b->name, kinds(t));
    }
    if (!(g->upper >= t->gap.lower - HIT_SLACK * t->reach)) {
        complain(c->tally, "%s upper %.17g is below the gap %.17Lg by %.3Lg: %s %s (%s)", what, g->upper,
                 t->gap.lower, t->gap.lower - (Real)g->upper, t->a->name, t->b->name, kinds(t));
    }
    if (t->gap.upper > -padding && !(g->upper <= t->gap.upper + tiny)) {
        complain(c->tally, "%s upper %.17g is not the gap %.17Lg: %s %s (%s)", what, g->upper, t->gap.upper,
                 t->a->name, t->b->name, kinds(t));
    }
    if (t->gap.upper <= -padding && !(g->upper <= -padding + tiny)) {
        complain(c->tally, "%s upper %.17g of an overlap (padding %.17Lg): %s %s (%s)", what, g->upper,
                 padding, t->a->name, t->b->name, kinds(t));
    }
    if (t->gap.lower > -padding + tiny) {
        const Real width = (Real)g->upper - g->lower;
        c->tally->widest = fmaxl(c->tally->widest, width / t->reach);
        if (!(width <= tiny)) {
            complain(c->tally, "%s [%.17g, %.17g] is wide, gap %.17Lg: %s %s (%s)", what, g->lower, g->upper,
                     t->gap.upper, t->a->name, t->b->name, kinds(t));
        }
        check_points(c, g, t, what);
    }
}

// A depth moves the two apart along the normal, and no direction is shorter.
static void check_depth(const Case* c, const BerthHit* h, const Truth* t) {
    if (!h->has_depth || !h->has_normal || t->a->part_count != 1 || t->b->part_count != 1 ||
        t->a->parts[0].kind == BRUTE_MESH || t->b->parts[0].kind == BRUTE_MESH ||
        t->a->parts[0].kind == BERTH_HALFSPACE || t->b->parts[0].kind == BERTH_HALFSPACE) {
        return;
    }
    const BruteBody* a = body_of(c, h->body_a);
    const BruteBody* b = body_of(c, h->body_b);
    const Real padding = brute_padding(&c->world->brute, a, b);
    const Lv n = lv_point(h->normal);
    const Real width = brute_width(&a->parts[0], &b->parts[0], n) + padding;
    const Real size = a->parts[0].radius + b->parts[0].radius;
    if (!(fabsl(lv_length(n) - 1) < 1e-12L)) {
        complain(c->tally, "normal of length %.17Lg", lv_length(n));
    }
    if (!(fabsl(width - h->depth) <= DEPTH * size + BLIND * t->reach)) {
        complain(c->tally, "depth %.17g, but %.17Lg along its normal: %s %s (%s)", h->depth, width, a->name,
                 b->name, kinds(t));
    }
    Random random = {.state = 77};
    for (int i = 0; i < 40; ++i) {
        Lv d = lv(bi_random_between(&random, -1, 1), bi_random_between(&random, -1, 1),
                  bi_random_between(&random, -1, 1));
        if (i % 2 == 1) {
            d = lv_add(n, lv_scale(d, i % 4 == 1 ? 0.1L : 1e-3L));
        }
        d = lv_scale(d, 1 / lv_length(d));
        const Real other = brute_width(&a->parts[0], &b->parts[0], d) + padding;
        if (!(h->depth <= other + DEPTH * size + BLIND * t->reach)) {
            complain(c->tally, "depth %.17g, but %.17Lg elsewhere: %s %s (%s)", h->depth, other, a->name,
                     b->name, kinds(t));
            return;
        }
    }
}

static void check_hit(const Case* c, const BerthHit* h, const char* what) {
    const Truth* t = find_truth(c->truth, c->count, h->body_a, h->body_b);
    if (t == NULL) {
        complain(c->tally, "%s: hit of a pair that is not checked: %d %d", what, h->body_a, h->body_b);
        return;
    }
    const Real over = t->gap.lower - c->margin;
    c->tally->worst_hit = fmaxl(c->tally->worst_hit, over / t->reach);
    if (over > HIT_SLACK * t->reach) {
        complain(c->tally, "%s: hit, but the gap is margin + %.3Lg: %s %s (%s)", what, over, t->a->name,
                 t->b->name, kinds(t));
    }
    check_depth(c, h, t);
    const Lv p = lv_point(h->point);
    const Real da = brute_body_point_gap(t->a, p);
    const Real db = brute_body_point_gap(t->b, p);
    const Real most = c->margin + brute_padding(&c->world->brute, t->a, t->b);
    const Real reach = t->reach + lv_length(p);  // planes that are nearly parallel meet far away
    if (!(da + db <= most + BLIND * reach + HIT_POINT)) {
        complain(c->tally,
                 "%s: the hit's point is %.3Lg and %.3Lg away, margin and padding %.3Lg: %s %s (%s)", what,
                 da, db, most, t->a->name, t->b->name, kinds(t));
    }
}

// FREE is never refuted; UNKNOWN only where nothing can be told.
static void check_verdict(const Case* c, const BerthCheckResult* r, const char* what) {
    bool surely_hit = false;
    bool near = false;
    for (int i = 0; i < c->count; ++i) {
        const Truth* t = &c->truth[i];
        const Real noise = c->world->style == WORLD_GRID ? 0 : NOISE * t->reach;
        if (t->gap.upper + noise <= c->margin && r->verdict == BERTH_FREE) {
            complain(c->tally, "%s: FREE, but the gap is margin - %.3Lg: %s %s (%s)", what,
                     c->margin - t->gap.upper, t->a->name, t->b->name, kinds(t));
        }
        surely_hit = surely_hit || t->gap.upper < c->margin - BLIND * t->reach - BLIND_ALIGNED;
        near = near || (t->gap.lower <= c->margin + BLIND * t->reach &&
                        t->gap.upper >= c->margin - BLIND * t->reach - BLIND_ALIGNED);
    }
    if (r->verdict == BERTH_UNKNOWN) {
        if (surely_hit || !near) {
            complain(c->tally, "%s: UNKNOWN (%s, bodies %d %d), but it is %s", what,
                     berth_reason_name(r->reason), r->unknown_a, r->unknown_b, surely_hit ? "a hit" : "free");
        }
        if (r->reason == BERTH_REASON_NONE ||
            find_truth(c->truth, c->count, r->unknown_a, r->unknown_b) == NULL) {
            complain(c->tally, "%s: UNKNOWN without a reason or a pair", what);
        }
    } else if (r->reason != BERTH_REASON_NONE) {
        complain(c->tally, "%s: a verdict with a reason to be unknown", what);
    }
    if (r->verdict == BERTH_COLLISION && r->hit_count < 1) {
        complain(c->tally, "%s: HIT without a hit", what);
    }
    if (r->verdict != BERTH_COLLISION && r->hit_count > 0) {
        complain(c->tally, "%s: hits without HIT", what);
    }
    for (int32_t i = 0; i < r->hit_count; ++i) {
        check_hit(c, &r->hits[i], what);
    }
}

static void check_all_hits(const Case* c, const BerthCheckResult* r, const char* what) {
    for (int i = 0; i < c->count; ++i) {
        const Truth* t = &c->truth[i];
        int listed = 0;
        for (int32_t k = 0; k < r->hit_count; ++k) {
            listed += find_truth(t, 1, r->hits[k].body_a, r->hits[k].body_b) != NULL;
        }
        if (listed > 1) {
            complain(c->tally, "%s: a pair is listed twice", what);
        }
        if (listed == 0 && t->gap.upper < c->margin - BLIND * t->reach - BLIND_ALIGNED) {
            complain(c->tally, "%s: no hit listed, but the gap is margin - %.3Lg: %s %s (%s)", what,
                     c->margin - t->gap.upper, t->a->name, t->b->name, kinds(t));
        }
    }
}

static void check_pairs(const Case* c, const BerthCheckResult* r) {
    if (r->pair_count != c->count) {
        complain(c->tally, "%d pairs, expected %d", r->pair_count, c->count);
        return;
    }
    for (int32_t i = 0; i < r->pair_count; ++i) {
        check_bracket(c, &r->pairs[i], "pair");
        for (int32_t k = 0; k < i; ++k) {
            if (find_truth(&(Truth){.a = body_of(c, r->pairs[i].body_a), .b = body_of(c, r->pairs[i].body_b)},
                           1, r->pairs[k].body_a, r->pairs[k].body_b) != NULL) {
                complain(c->tally, "a pair appears twice");
            }
        }
        if (i > 0 && !(r->pairs[i - 1].upper <= r->pairs[i].upper)) {
            complain(c->tally, "pairs are not sorted: %.17g before %.17g", r->pairs[i - 1].upper,
                     r->pairs[i].upper);
        }
    }
}

static void check_clearance(const Case* c, const BerthCheckResult* r, const char* what) {
    const bool expected = r->verdict != BERTH_COLLISION && c->count > 0;
    if (r->has_clearance != expected && r->verdict != BERTH_UNKNOWN) {
        complain(c->tally, "%s: clearance %s", what, expected ? "missing" : "where there is none");
    }
    if (!r->has_clearance) {
        return;
    }
    // The bracket must hold the smallest gap, and its points be those of its pair.
    Real lower = INFINITY, upper = INFINITY;
    for (int i = 0; i < c->count; ++i) {
        lower = fminl(lower, c->truth[i].gap.lower);
        upper = fminl(upper, c->truth[i].gap.upper + NOISE * c->truth[i].reach);
    }
    const Truth* t = find_truth(c->truth, c->count, r->clearance.body_a, r->clearance.body_b);
    if (t == NULL) {
        complain(c->tally, "%s: clearance of a pair that is not checked", what);
        return;
    }
    if (!(r->clearance.lower <= upper) || !(r->clearance.upper >= lower - HIT_SLACK * t->reach)) {
        complain(c->tally, "%s: clearance [%.17g, %.17g] misses %.17Lg", what, r->clearance.lower,
                 r->clearance.upper, upper);
    }
    check_bracket(c,
                  &(BerthPairGap){r->clearance.body_a, r->clearance.body_b, r->clearance.lower,
                                  r->clearance.upper, r->clearance.point_a, r->clearance.point_b},
                  what);
}

// ---- all of them --------------------------------------------------------------------------------------------

BerthVerdict examine(World* world, BerthChecker* checker, double margin, const double* values, Tally* tally) {
    static Truth truth[VERDICT_PAIRS];
    static const char* const names[4] = {"verdict", "distance", "all", "distance all"};
    const Case c = {world, truth, true_gaps(world, values, truth), margin, tally};
    tally->values = values;
    tally->value_count = world->brute.value_count;
    tally->pairs += c.count;
    if (berth_scene_pair_count(world->scene) != c.count) {
        complain(tally, "the scene has %d pairs, expected %d", berth_scene_pair_count(world->scene), c.count);
    }
    BerthVerdict verdicts[4];
    BerthPairGap clearance[4] = {{0}};
    for (int ask = 0; ask < 4; ++ask) {
        const BerthCheckRequest request = {.distance = (ask & 1) != 0, .all = (ask & 2) != 0, .tolerance = 0};
        BerthCheckResult r;
        memset(&r, 0xff, sizeof r);
        if (berth_check_state(checker, values, &request, &r) != BERTH_OK) {
            complain(tally, "%s refused", names[ask]);
            return BERTH_UNKNOWN;
        }
        verdicts[ask] = r.verdict;
        check_verdict(&c, &r, names[ask]);
        if (request.all) {
            check_all_hits(&c, &r, names[ask]);
        }
        if (request.distance) {
            check_clearance(&c, &r, names[ask]);
            clearance[ask] = r.clearance;
        } else if (r.has_clearance) {
            complain(tally, "%s: a clearance nobody asked for", names[ask]);
        }
        if (request.distance && request.all) {
            check_pairs(&c, &r);
            if (r.has_clearance && r.pair_count > 0 && r.pairs[0].upper != r.clearance.upper) {
                complain(tally, "clearance is not the first pair's");
            }
        }
    }
    for (int ask = 1; ask < 4; ++ask) {
        if (verdicts[ask] != verdicts[0]) {
            complain(tally, "%s says %s, %s says %s", names[0], berth_verdict_name(verdicts[0]), names[ask],
                     berth_verdict_name(verdicts[ask]));
        }
    }
    if (verdicts[1] == BERTH_FREE && verdicts[3] == BERTH_FREE && c.count > 0 &&
        fabs(clearance[1].upper - clearance[3].upper) > 1e-9 * (1 + fabs(clearance[1].upper))) {
        complain(tally, "clearance %.17g or %.17g", clearance[1].upper, clearance[3].upper);
    }
    bool touching = false;
    for (int i = 0; i < c.count; ++i) {
        const Real near = fabsl(truth[i].gap.upper - margin);
        tally->near_count += near <= 1e-8L * truth[i].reach;
        touching = touching || near == 0;
        if (verdicts[0] == BERTH_UNKNOWN && near <= BLIND * truth[i].reach) {
            tally->worst_near = fmaxl(tally->worst_near, near / truth[i].reach);
        }
    }
    tally->states += 1;
    tally->free += verdicts[0] == BERTH_FREE;
    tally->hits += verdicts[0] == BERTH_COLLISION;
    tally->unknown += verdicts[0] == BERTH_UNKNOWN;
    tally->touching += touching;
    tally->touching_unknown += touching && verdicts[0] == BERTH_UNKNOWN;
    return verdicts[0];
}
