// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The account of what was sent, and the judge over what came back.

#include "support/lab.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/program.h"

// The kernel's stamps are of another clock.
static const double SLACK = 2e-4;

// ---- the account ---------------------------------------------------------------------------------------------

void lab_note(Lab* lab, LabKind kind, int channel, double before, double after) {
    lab->ledger[lab->entries % LAB_LEDGER] = (LabEntry){kind, channel, before, after};
    lab->entries += 1;
}

// Whoever was silent for too long: cycles began in the gap, and said LATE; or none did for more than 1.5 periods, and that is
// OVERRUN. One period more: the first that began in it may have been held up before it read.
static void note_gaps(Lab* lab, double now) {
    for (int c = 0; c < lab->channels; ++c) {
        if (!lab->gap[c] && now - lab->last_good[c] > lab->silence + 3.0 * lab->period) {
            lab_note(lab, LAB_FAULT, c, now, now);
            lab->gap[c] = true;
        }
    }
}

void lab_told(Lab* lab, int channel, double before, double after) {
    note_gaps(lab, before);
    lab_note(lab, LAB_SENT_GOOD, channel, before, after);
    lab->last_good[channel] = after;
    lab->gap[channel] = false;
}

void lab_send(Lab* lab, const BerthWireMessage* message, bool json) {
    static char bytes[BERTH_WIRE_SIZE];
    const size_t size = json ? berth_wire_write_json(message, bytes, sizeof bytes)
                             : berth_wire_write(message, bytes, sizeof bytes);
    assert_true(size > 0);
    guarded_send(&lab->g, bytes, size);
}

BerthWireMessage* lab_next(Lab* lab) {
    lab->state.stream = lab->g.stream;
    lab->state.sequence = ++lab->g.sequence;
    lab->state.stamp = guarded_now();
    return &lab->state;
}

void lab_good(Lab* lab) {
    const BerthWireMessage* message = lab_next(lab);
    const double before = guarded_now();
    lab_send(lab, message, message->sequence % 4 == 0);
    lab_told(lab, 0, before, guarded_now());
}

void lab_bad(Lab* lab, const BerthWireMessage* message) {
    const double before = guarded_now();
    lab_send(lab, message, false);
    lab_note(lab, LAB_FAULT, 0, before, guarded_now());
}

void lab_reset(Lab* lab) {
    const double before = guarded_now();
    note_gaps(lab, before);
    guarded_send_reset(&lab->g);
    lab_note(lab, LAB_SENT_RESET, 0, before, guarded_now());
}

// ---- the judge -----------------------------------------------------------------------------------------------

// A permit of a cycle that began then: was all of it heard, and nothing wrong since the last reset?
static void judge_go(Lab* lab, double began) {
    bool fresh[LAB_CHANNELS] = {false}, reset = false;
    int good[LAB_CHANNELS] = {0}, since[LAB_CHANNELS] = {0};
    const int64_t oldest = lab->entries > LAB_LEDGER ? lab->entries - LAB_LEDGER : 0;
    double newest = -(double)INFINITY;
    for (int64_t i = lab->entries - 1; i >= oldest; --i) {
        const LabEntry* e = &lab->ledger[i % LAB_LEDGER];
        if (e->before > began + lab->period) {
            continue;  // a cycle that is longer than a period is STOP, so it cannot have read this
        }
        if (e->kind == LAB_SENT_GOOD) {
            good[e->channel] += 1;
            fresh[e->channel] = fresh[e->channel] || e->after >= began - lab->silence - SLACK;
            newest = e->channel == 0 && e->after > newest ? e->after : newest;
        } else if (e->kind == LAB_SENT_RESET) {
            reset = true;
            memcpy(since, good, sizeof since);
        } else if (e->after + lab->period < began) {  // in a storm datagrams take a moment to their queue
            if (!reset) {
                fail_msg("a permit %.4f s after a fault, without a reset", began - e->after);
            }
            for (int c = 0; c < lab->channels; ++c) {
                if (since[c] < LAB_GOOD) {
                    fail_msg("a permit after %d good messages on channel %d since the reset", since[c], c);
                }
            }
            break;
        }
    }
    for (int c = 0; c < lab->channels; ++c) {
        if (!fresh[c]) {
            fail_msg("a permit %.4f s after the last good message on channel %d", began - lab->last_good[c],
                     c);
        }
    }
    lab->oldest = fmax(lab->oldest, began - newest);
}

static void judge(Lab* lab, const BerthWireMessage* m) {
    const BerthPermit* p = &m->permit;
    assert_true(m->sequence > lab->last_permit);
    assert_true(p->go == (p->reason == BERTH_STOP_NONE));
    assert_true(p->go ? p->valid_until >= 0.0 && p->valid_until <= fmax(1.5 * lab->period, 0.003) + 1e-9
                      : p->valid_until == 0.0);
    lab->standstill = lab->last_began > 0.0 ? fmax(lab->standstill, m->stamp - lab->last_began) : 0.0;
    lab->last_began = m->stamp;
    lab->last_permit = m->sequence;
    lab->go += p->go;
    lab->stops[p->reason] += !p->go;
    if (p->go) {
        judge_go(lab, m->stamp);
        lab->g.last_go_stamp = m->stamp;
    } else if (p->reason == BERTH_STOP_VALUE || p->reason == BERTH_STOP_LIMIT ||
               p->reason == BERTH_STOP_JUMP) {
        lab->value = p->value;
    }
}

int lab_take(Lab* lab) {
    static BerthWireMessage message;
    char bytes[BERTH_WIRE_SIZE];
    int count = 0;
    for (size_t got; (got = guarded_receive(&lab->g, bytes, sizeof bytes, guarded_is_permit)) > 0; ++count) {
        assert_true(berth_wire_read(bytes, got, &message) == BERTH_OK && message.kind == BERTH_WIRE_PERMIT);
        lab->g.last = message;
        judge(lab, &message);
    }
    return count;
}

// ---- its life ------------------------------------------------------------------------------------------------

void lab_open(Lab* lab, double period, double silence, const char* more, const char* const* arguments) {
    *lab = (Lab){.period = period, .silence = silence, .channels = 1};
    lab->ledger = calloc(LAB_LEDGER, sizeof *lab->ledger);
    assert_non_null(lab->ledger);
    const char* list[PROGRAM_ARGUMENTS_MAX] = {"--good", "3"};
    int count = 2;
    bool has_input = false;
    for (int i = 0; arguments != NULL && arguments[i] != NULL && count < PROGRAM_ARGUMENTS_MAX - 3; ++i) {
        has_input = has_input || strcmp(arguments[i], "--input") == 0;
        list[count++] = arguments[i];
    }
    if (!has_input) {
        list[count++] = "--input";
        list[count++] = "udp:127.0.0.1:0";
    }
    const char* scene = guarded_scene(period, silence, more);
    assert_non_null(scene);
    if (!guarded_start(&lab->g, scene, false, list)) {
        fail_msg("it did not start: %s", lab->g.text);
    }
    const double now = guarded_now();
    lab_note(lab, LAB_FAULT, 0, -(double)INFINITY, -(double)INFINITY);  // it begins in STOP
    for (int c = 0; c < LAB_CHANNELS; ++c) {
        lab->last_good[c] = now;
    }
    BerthWireMessage* m = &lab->state;
    m->kind = BERTH_WIRE_STATE;
    memcpy(m->name, "state", sizeof "state");
    m->count = berth_scene_value_count(lab->g.scene);
    m->has_velocities = true;
    memcpy(m->positions, berth_scene_values(lab->g.scene), (size_t)m->count * sizeof m->positions[0]);
}

int lab_end(Lab* lab, int signal) {
    const int status = guarded_end(&lab->g, signal);
    (void)lab_take(lab);
    return status;
}

void lab_close(Lab* lab) {
    if (lab->g.pid > 0) {
        assert_int_equal(lab_end(lab, SIGTERM), 0);
        assert_int_equal(lab->g.last.permit.reason, BERTH_STOP_END);
    }
    guarded_close(&lab->g);
    free(lab->ledger);
    lab->ledger = NULL;
}

// ---- ways to talk --------------------------------------------------------------------------------------------

void lab_wait(Lab* lab, double seconds) {
    const double end = guarded_now() + seconds;
    do {
        (void)lab_take(lab);
        guarded_sleep(0.001);
    } while (guarded_now() < end);
    (void)lab_take(lab);
}

void lab_talk(Lab* lab, double seconds) {
    const double end = guarded_now() + seconds;
    do {
        lab_good(lab);
        guarded_sleep(fmin(0.4 * lab->period, 0.003));
        (void)lab_take(lab);
    } while (guarded_now() < end);
}

bool lab_stopped(Lab* lab, bool talks) {
    const double end = guarded_now() + LAB_PATIENCE;
    while (lab->g.last.permit.go && guarded_now() < end) {
        if (talks) {
            lab_good(lab);
        }
        guarded_sleep(0.003);
        (void)lab_take(lab);
    }
    return !lab->g.last.permit.go;
}

bool lab_until_go(Lab* lab, double seconds) {
    const double end = guarded_now() + seconds;
    const int64_t before = lab->go;
    for (int i = 0; guarded_now() < end; ++i) {
        // The first word of a fault is its own; it is RESET that waits for one.
        if (i % 16 == 0) {
            lab_reset(lab);
        }
        lab_good(lab);
        guarded_sleep(fmin(0.4 * lab->period, 0.003));
        if (lab_take(lab) > 0 && lab->go > before && lab->g.last.permit.go) {
            return true;
        }
    }
    return false;
}

// ---- what most rows use --------------------------------------------------------------------------------------

const double LAB_PERIOD = 0.01, LAB_SILENCE = 0.05, LAB_PATIENCE = 60.0;
static Random random_state = {.state = 24};

uint64_t lab_random(void) {
    return bi_random_next(&random_state);
}

uint64_t lab_pick(uint64_t count) {
    return lab_random() % count;
}

double lab_between(double low, double high) {
    return low + (high - low) * 0x1p-53 * (double)(lab_random() >> 11);
}

void lab_open_plain(Lab* lab) {
    lab_open(lab, LAB_PERIOD, LAB_SILENCE, "", NULL);
}

void lab_go(Lab* lab) {
    if (!lab_until_go(lab, LAB_PATIENCE)) {
        fail_msg("no permit in %g s, the last word is %s", LAB_PATIENCE,
                 berth_stop_name(lab->g.last.permit.reason));
    }
}

// What must not be the reason when nothing is wrong but time.
void lab_only_time_was_wrong(const Lab* lab) {
    static const BerthStop others[] = {BERTH_STOP_SEQUENCE, BERTH_STOP_SKEW,    BERTH_STOP_VALUE,
                                       BERTH_STOP_LIMIT,    BERTH_STOP_JUMP,    BERTH_STOP_OBJECT,
                                       BERTH_STOP_UNKNOWN,  BERTH_STOP_NUMBERS, BERTH_STOP_MODEL};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        if (lab->stops[others[i]] != 0) {
            fail_msg("STOP for %s, and nothing was wrong", berth_stop_name(others[i]));
        }
    }
}
