// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The fault laboratory (docs/reference/safety.md): a real `berth monitor` on loopback, and an account of what was sent to it and when. Every
// permit that comes is held against the account; one that it would not give fails the test. All times are CLOCK_MONOTONIC, which both
// processes share, so nobody's lateness counts.

#ifndef TEST_SUPPORT_LAB_H
#define TEST_SUPPORT_LAB_H

#include "math/math.h"
#include "support/guarded.h"

enum { LAB_LEDGER = 1 << 16, LAB_CHANNELS = 3, LAB_GOOD = 3 };

typedef enum LabKind { LAB_SENT_GOOD, LAB_SENT_RESET, LAB_FAULT } LabKind;

/// What was done, between two moments.
typedef struct LabEntry {
    LabKind kind;
    int channel;
    double before, after;
} LabEntry;

typedef struct Lab {
    Guarded g;
    double period, silence;
    int channels;  ///< that must be fresh: 0 joints, and what else the test tells about
    LabEntry* ledger;
    int64_t entries;
    double last_good[LAB_CHANNELS];  ///< just after it was sent
    bool gap[LAB_CHANNELS];          ///< its silence is in the account already
    BerthWireMessage state;          ///< what is sent as good
    int64_t go, stops[BERTH_STOP_COUNT];
    int32_t value;         ///< of the last STOP for VALUE, LIMIT, JUMP
    uint64_t last_permit;  ///< its sequence
    double oldest;         ///< seconds between a good message and the cycle of a permit, the most so far
    double last_began;     ///< of the cycle of the newest permit; 0: none came yet
    double standstill;     ///< seconds between two cycles, the most so far
} Lab;

/// `--good 3 --input udp:127.0.0.1:0` unless `arguments` (NULL: none) name an input; the test fails when it does not start.
void lab_open(Lab* lab, double period, double silence, const char* more, const char* const* arguments);
/// Ends it by this signal; takes what is there. The exit status, as guarded_end.
int lab_end(Lab* lab, int signal);
/// Ends it by SIGTERM: exit 0, and the last word was STOP `end`. Closes.
void lab_close(Lab* lab);

/// Puts it into the account.
void lab_note(Lab* lab, LabKind kind, int channel, double before, double after);
/// What is good on that channel was sent between these moments. A gap before it that is longer than is tolerated was a fault.
void lab_told(Lab* lab, int channel, double before, double after);
void lab_send(Lab* lab, const BerthWireMessage* message, bool json);
/// lab->state with the next sequence number and a stamp.
void lab_good(Lab* lab);
void lab_reset(Lab* lab);
/// The message is a fault that latches.
void lab_bad(Lab* lab, const BerthWireMessage* message);
/// lab->state as it would be sent next; the sequence number is used up.
BerthWireMessage* lab_next(Lab* lab);

/// Takes and judges all permits that are there.
int lab_take(Lab* lab);
/// Silent, but taking permits.
void lab_wait(Lab* lab, double seconds);
/// Good states, no reset.
void lab_talk(Lab* lab, double seconds);
/// Is the newest permit STOP? One that is still on its way on a busy machine is waited for, silent or with good states.
bool lab_stopped(Lab* lab, bool talks);
/// Good states and resets until there is a permit; false: there was none in so many seconds.
bool lab_until_go(Lab* lab, double seconds);

/// A cycle that a busy machine seldom misses, a silence of a few, and seconds to wait for what must come.
extern const double LAB_PERIOD, LAB_SILENCE, LAB_PATIENCE;
/// With these two, and no more arguments.
void lab_open_plain(Lab* lab);
/// Permits must come in LAB_PATIENCE.
void lab_go(Lab* lab);
/// No STOP had another reason than time, a reset or nearness.
void lab_only_time_was_wrong(const Lab* lab);
uint64_t lab_random(void);
uint64_t lab_pick(uint64_t count);
double lab_between(double low, double high);

#endif
