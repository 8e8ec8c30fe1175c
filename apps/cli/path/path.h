// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth path`: what to ask, how many segments are asked on many threads, how answers are written.

#ifndef CLI_PATH_H
#define CLI_PATH_H

#include "cli/question.h"

/// A segment with its answer.
typedef struct PathFinding {
    bool found;
    int32_t segment;
    BerthMotionResult result;
} PathFinding;

/// What came out of some segments, in order.
typedef struct PathCounts {
    AnswerCounts answers;
    int64_t sampled_count;             ///< of the unknown ones: --method fixed found no collision
    BerthClearance self, environment;  ///< smallest of the free segments; infinite without any
    PathFinding hit, unknown;          ///< the first of each
    BerthMotionStats stats;
} PathCounts;

/// Segments to check, and what came out. The scene is committed and constant meanwhile.
typedef struct PathJob {
    Question* question;
    const char* file;
    const BerthTrajectory* trajectory;  ///< or
    const BerthSegments* segments;      ///< many answers
    BerthInterpolation interpolation;
    char interpolation_name[64 * 10];  ///< what was taken between rows; "" for segments
    bool merged;                       ///< of several files: `trajectory` has its curves
    int64_t late_count;  ///< of these: begin later than others, and are taken to stand until then
    int32_t segment_count;
    BerthMotionCheckerDef def;
    BerthMotionLab lab;        ///< what the def points to
    bool first_contact;        ///< ask for it
    bool starts_in_collision;  ///< counts.hit is at the very start, and nothing else was asked
    double deadline;           ///< --time: in cli_seconds(); infinite without
    BerthMotionResult* all;    ///< --all: the answers of all segments, else null
    bool (*stop)(void* user);  ///< true ends it early, as --time does; may be null
    void* stop_user;
    struct ViewVisuals* visuals;  ///< --report: what the scene's URDFs draw

    PathCounts counts;
    double seconds;  ///< of checking
} PathJob;

/// Segment `index`; `curves` has room for value_count.
BerthStatus path_segment(const PathJob* job, int32_t index, BerthCurve* curves, BerthSegment* out);
/// Checks the segments; of a trajectory up to the first collision. Lines of many segments go to standard output, in
/// order. EXIT_FREE when that went well, EXIT_INTERRUPTED when it was stopped, else a status after a message.
int path_run(PathJob* job);
/// For BerthMotionCheckerDef.cancelled, with the job: one long segment does not hold up the end after Ctrl-C or --time.
bool path_interrupted(void* user);
/// --time is over.
bool path_is_late(const PathJob* job);
/// Are these two links of one robot, which --self-margin is for?
bool path_is_self_pair(const PathJob* job, int32_t body_a, int32_t body_b);
/// Adds `more`, whose segments come after those of `sum`. Start `sum` from path_empty_counts().
void path_add_counts(PathCounts* sum, const PathCounts* more);
PathCounts path_empty_counts(void);

/// --moving reach needs times in the trajectory: EXIT_FREE, or EXIT_WRONG after a message.
int path_check_times(const PathJob* job);
/// Looks at the very start alone, with objects where they can be then: COLLISION, or anything else.
BerthStatus path_find_start_hit(const PathJob* job, BerthMotionResult* out);
/// Metres that the object of a witness can have moved by then; 0 when it stands.
double path_reach(const PathJob* job, int32_t segment, const BerthMotionResult* hit);

/// What all segments together are.
BerthVerdict path_verdict(const PathJob* job);

/// Both classes of pairs together.
BerthClearance path_clearance(const BerthClearance* self, const BerthClearance* environment);

/// What might decide an unknown answer, and what that costs.
typedef struct PathAdvice {
    const char* option;  ///< null: there is no such option
    char value[32];      ///< of the option; "" without
    const char* cost;
} PathAdvice;
enum { PATH_ADVICE_MAX = 3 };
/// Returns how many there are.
int path_advise(const PathJob* job, const BerthMotionResult* result, PathAdvice out[PATH_ADVICE_MAX]);

/// --certificate: the proof of a motion that was found free. EXIT_FREE, also when there is nothing to write, or a status
/// after a message.
int path_write_certificate(const PathJob* job);
/// --verify: checks a proof and says so. EXIT_FREE when it holds, else a status after a message.
int path_verify_certificate(PathJob* job);

/// The answer to one of many segments.
void path_write_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
/// The answer to a trajectory, or the counts of many segments.
void path_write_answer(Text* text, const PathJob* job);
/// "margin", and "self_margin" where one was given.
void path_json_margins(Json* json, const PathJob* job);
/// Members of a trajectory's answer; the number of segments among them where it is wanted.
void path_json_members(Json* json, const PathJob* job, bool count_segments);
// The two forms of each.
void path_json_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
void path_json_answer(Text* text, const PathJob* job);
void path_text_line(Text* text, const PathJob* job, int32_t segment, const BerthMotionResult* result);
void path_text_answer(Text* text, const PathJob* job);

#endif
