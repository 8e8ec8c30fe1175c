// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth path`: the request, checking segments on many threads, writing answers.

#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "cli/question.h"

/// A segment with its answer.
typedef struct PathFinding {
    bool found;
    int32_t segment;
    BerthMotionResult result;
} PathFinding;

/// The results of some segments, in order.
typedef struct PathCounts {
    AnswerCounts answers;
    int64_t sampled_count;  ///< of the unknown ones: those in which --method fixed found no collision
    BerthClearance self, environment;  ///< smallest of the free segments; infinite if there is none
    PathFinding hit, unknown;          ///< the first of each
    BerthMotionStats stats;
} PathCounts;

/// Segments to check, and the results. The scene is committed, and must not change during the check.
typedef struct PathJob {
    Question* question;
    const char* file;
    const BerthTrajectory* trajectory;  ///< or
    const BerthSegments* segments;      ///< many answers
    BerthInterpolation interpolation;
    char interpolation_name[64 * 10];  ///< the interpolation between rows; "" for segments
    bool merged;                       ///< from several files: `trajectory` has its own curves
    int64_t late_count;  ///< files that begin later than others: their robots are assumed to stand until then
    int32_t segment_count;
    BerthMotionCheckerDef def;
    BerthMotionLab lab;        ///< the def points to it
    bool first_contact;        ///< requested
    bool starts_in_collision;  ///< counts.hit is at the very start, and nothing else was checked
    double deadline;           ///< --time, on the clock of cli_seconds(); infinite if not given
    BerthMotionResult* all;    ///< --all: the results of all segments, else null
    bool (*stop)(void* user);  ///< returning true ends the check early, as --time does; may be null
    void* stop_user;
    struct ViewVisuals* visuals;  ///< --report: the visuals of the scene's URDFs

    PathCounts counts;
    double seconds;  ///< of checking
} PathJob;

/// Segment `index`; `curves` has room for value_count.
BerthStatus path_segment(const PathJob* job, int32_t index, BerthCurve* curves, BerthSegment* out);
/// Checks the segments, those of a trajectory up to the first collision. Lines of many segments go to standard output, in
/// order. EXIT_FREE on success, EXIT_INTERRUPTED if it was stopped, else a status after a message.
int path_run(PathJob* job);
/// For BerthMotionCheckerDef.cancelled, with the job: a long segment does not delay the end after Ctrl-C or --time.
bool path_interrupted(void* user);
/// --time is over.
bool path_is_late(const PathJob* job);
/// Whether both are links of one robot, so that --self-margin applies.
bool path_is_self_pair(const PathJob* job, int32_t body_a, int32_t body_b);
/// Adds `more`, whose segments come after those of `sum`. Start `sum` from path_empty_counts().
void path_add_counts(PathCounts* sum, const PathCounts* more);
PathCounts path_empty_counts(void);

/// --moving reach needs times in the trajectory: EXIT_FREE, or EXIT_WRONG after a message.
int path_check_times(const PathJob* job);
/// Checks only the very start, with objects where they can be at that time: COLLISION, or anything else.
BerthStatus path_find_start_hit(const PathJob* job, BerthMotionResult* out);
/// Metres that the object of a witness can have moved by that time; 0 if it stands still.
double path_reach(const PathJob* job, int32_t segment, const BerthMotionResult* hit);

/// The verdict of all segments together.
BerthVerdict path_verdict(const PathJob* job);

/// Both classes of pairs together.
BerthClearance path_clearance(const BerthClearance* self, const BerthClearance* environment);

/// An option that may decide an unknown answer, and its cost.
typedef struct PathAdvice {
    const char* option;  ///< null: there is no such option
    char value[32];      ///< of the option; "" if it has none
    const char* cost;
} PathAdvice;
enum { PATH_ADVICE_MAX = 3 };
/// Returns the number of pieces of advice.
int path_advise(const PathJob* job, const BerthMotionResult* result, PathAdvice out[PATH_ADVICE_MAX]);

/// --certificate: writes the proof of a free motion. EXIT_FREE, also if there is nothing to write, or a status after a
/// message.
int path_write_certificate(const PathJob* job);
/// --verify: verifies a proof and prints the result. EXIT_FREE if it holds, else a status after a message.
int path_verify_certificate(PathJob* job);

/// The answer to one of many segments.
void path_write_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
/// The answer to a trajectory, or the counts of many segments.
void path_write_answer(Text* text, const PathJob* job);
/// "margin", and "self_margin" if one was given.
void path_json_margins(Json* json, const PathJob* job);
/// The members of a trajectory's answer, with the number of segments if wanted.
void path_json_members(Json* json, const PathJob* job, bool count_segments);
// The two forms of each answer.
void path_json_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
void path_json_answer(Text* text, const PathJob* job);
void path_text_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
void path_text_answer(Text* text, const PathJob* job);

#endif
