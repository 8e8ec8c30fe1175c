// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth contact`: the request, and writing an answer.

#ifndef CLI_CONTACT_H
#define CLI_CONTACT_H

#include "cli/cli.h"

/// The request, row by row: states of robots, poses of a follower, or steps of free bodies.
typedef struct ContactJob {
    const Options* options;
    const BerthScene* scene;
    BerthContactWorld* world;
    Warnings* warnings;

    const double* rows;   ///< states
    const double* times;  ///< of the rows, or null
    int32_t row_count, value_count;
    bool many;  ///< rows come from a file

    int32_t follower;        ///< the body that is led, or -1
    BerthPoses motion;       ///< of the follower
    BerthCoupling coupling;  ///< of the follower and the hand that leads it
    bool constrained;        ///< it stops at surfaces
    BerthFollow last;        ///< of the previous row
    bool has_last;
    int32_t steps;  ///< of free bodies, after each row
    double dt;      ///< of a step

    int64_t touching, unknown;  ///< answers
    int64_t outside;            ///< values outside joint limits
} ContactJob;

/// One row's answer.
typedef struct ContactAnswer {
    int32_t row;
    bool has_time;
    double time;
    BerthContactResult result;
    bool has_follow;
    BerthFollow follow;
    BerthWrench hand;  ///< the wrench that the hand feels
    int64_t outside;
    bool is_held;     ///< a step could not be made: the force on a free body is not known
    int32_t stepped;  ///< steps before that
} ContactAnswer;

/// --method, --all and --levels; `lab` must live as long as the def. False after a message.
bool contact_make_def(const Options* options, BerthContactDef* def, BerthContactLab* lab);
void contact_write(Text* text, const ContactJob* job, const ContactAnswer* answer);
/// Writes the members assumed, declared and proven.
void contact_write_assumed(Json* json, const ContactJob* job, int64_t outside);

/// Moves the follower to the hand or, constrained, as near as surfaces allow, and computes what the hand feels.
/// `first`: the follower starts there, and nothing has a speed.
BerthStatus contact_lead_follower(ContactJob* job, const BerthPose* target, double dt, bool first,
                                  ContactAnswer* answer);

/// Options of a live follower. A number that was not given is 0.
typedef struct LiveOptions {
    const char* input;  ///< HOST:PORT
    const TextList *outputs, *from;
    const char* test_fault;
    bool not_real_time, trust_network;
    int priority;
    double period, silence, force_limit, watchdog, seconds;
    int64_t cycles;
} LiveOptions;
/// Receives poses of the hand and sends forces, until it is interrupted. Returns the exit status.
int contact_run_live(ContactJob* job, const LiveOptions* options);

/// The durations of cycles, seconds, sorted.
typedef struct ContactRate {
    double* seconds;
    int32_t count, capacity;
    double sum;
    int64_t contacts;
} ContactRate;
void contact_write_rate(Text* text, const ContactJob* job, ContactRate* rate);

#endif
