// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Edges and states of a place through the fast engine, judged by the sceptic's model and compared between instruction sets. For
// test_lanes_sound and bench_sound.

#ifndef TEST_SUPPORT_SOUND_H
#define TEST_SUPPORT_SOUND_H

#include "support/places.h"

typedef struct SoundCount {
    char label[64];
    int64_t edges, grazing, free, hits, unknown;
    int64_t by_lanes;  ///< edges that lanes decided alone
    int64_t refuted;   ///< free, and the sceptic found a meeting
    int64_t proven;    ///< free edges on which the sceptic's bounds prove that the robot meets nothing else
    int64_t spent;     ///< free edges that took all of his budget
    int64_t far, alarms;  ///< edges that keep more than 1 mm; those that are not free all the same
    int64_t samples;      ///< states that the sceptic looked at on edges
    int64_t states, states_free, states_hit, states_open, states_judged, states_refuted, states_unseen;
    int64_t differ;        ///< of these, verdicts that differ in the end
    int64_t differ_lanes;  ///< answers of lanes that are not those of the best set, what they leave open too
    double nearest;        ///< the smallest gap on a free edge that he found where his bounds proved nothing
} SoundCount;

/// How much of it.
typedef struct SoundPlan {
    int edges, states;
    int grazing_every;  ///< one of so many edges is followed by one that grazes
    double finest;      ///< metres between the sceptic's samples on an edge, where his bounds prove nothing
    int self_depth;     ///< within the robot he halves it so often
} SoundPlan;

/// A place with the engine.
typedef struct SoundStage SoundStage;

/// Null when its files are not there. `doubt`: metres that the sceptic takes everything to be nearer than it is: 0, but to see that
/// he can refute.
SoundStage* sound_open(PlaceRobot robot, PlaceKind kind, uint64_t seed, double doubt);
void sound_close(SoundStage* stage);
/// Random edges and states of a stage, others for another `part`, added to the count.
void sound_ask(SoundStage* stage, uint64_t part, const SoundPlan* plan, SoundCount* count);
/// Part 0 of a stage of its own. False when its files are not there.
bool sound_place(PlaceRobot robot, PlaceKind kind, uint64_t seed, const SoundPlan* plan, SoundCount* count);
void sound_add(SoundCount* sum, const SoundCount* more);
/// A line for people.
void sound_tell(const SoundCount* count, char* text, size_t size);

#endif
