// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Paper 001 (Schwarzer, Saha, Latombe) measured again: its environments, ways to print our figures beside the paper's, and
// the parts that bench_paper001 is made of. Each part prints its tables to people and to build/paper001/PART.txt (from
// where bench/pages.py takes them into docs/results/paper001.md), and one CSV line a figure.

#ifndef BENCH_PAPER001_PAPER_H
#define BENCH_PAPER001_PAPER_H

#include <berth/berth.h>
#include <stdio.h>

#include "math/math.h"
#include "motion/motion.h"
#include "scene/scene.h"

enum { PAPER_VALUES = 192 };

/// One environment of the paper.
typedef struct PaperModel {
    const char* figure;  ///< of the paper
    const char* name;    ///< of the model
    double l_ref;        ///< Table II, metres
} PaperModel;

enum { FIG_1A, FIG_11A, FIG_11B, FIG_11C, FIG_12A, FIG_12B, FIG_12C, FIG_12D, PAPER_MODELS };
extern const PaperModel paper_models[PAPER_MODELS];

/// An open environment.
typedef struct PaperCell {
    const PaperModel* model;
    BerthScene* scene;
    BerthChecker* checker;
    Random random;
} PaperCell;

PaperCell paper_open(int model);
/// Any folder with a cell.yaml.
PaperCell paper_open_folder(const char* folder);
void paper_close(PaperCell* cell);
/// A random configuration of all robots within limits.
void paper_values(PaperCell* cell, double* values);
/// The same, free. False when a thousand draws give none.
bool paper_free_values(PaperCell* cell, double* values);

/// A motion on RSS trees, as the paper has them.
typedef struct PaperMethod {
    const char* name;
    BerthMethod method;
    BerthDistanceWork distance;
    double delta, resolution;
    int64_t interval_budget;  ///< 0: the default
    BerthMotionBound bound;   ///< the paper's own is GLOBAL
    BerthCover cover;
    BerthPathOrder order;
} PaperMethod;
/// The default method on boxes: quick, and verdicts are the same for all.
extern const PaperMethod paper_judge;
BerthMotionChecker* paper_motion(const PaperCell* cell, const PaperMethod* method);
/// Most entries that its queue held at a time, the bytes of one, and of the table of remembered gaps of BV pairs.
void paper_queue_memory(const BerthMotionChecker* motion, int64_t* entries, double* entry_bytes,
                        double* memo_bytes);

/// What a checker did on many segments.
typedef struct PaperSum {
    int64_t segments, bv, tri, configurations, verdicts[3], budget;
    int64_t ends_bv;  ///< of bv: what the two end configurations alone cost, where that was asked
    double seconds;
} PaperSum;
/// One segment, added up.
BerthMotionResult paper_ask(BerthMotionChecker* motion, const double* from, const double* to, PaperSum* sum);

/// What a table's segments must be.
typedef enum PaperKind { PAPER_COLLIDING, PAPER_FREE, PAPER_ANY } PaperKind;
typedef struct PaperSegments {
    int count, tried;
    int value_count;
    double
        length;  ///< of segments in value space: none is longer; infinite when ends are any two configurations
    double* ends;  ///< from, to, from, to ...
} PaperSegments;
/// BV tests of the method for the two ends alone: the query ends there. A planner knows its ends, and the paper's counts are
/// too small to have them.
int64_t paper_ends_bv(const PaperCell* cell, const PaperMethod* method, const PaperSegments* segments);
/// All of them by one method.
PaperSum paper_run(const PaperCell* cell, const PaperMethod* method, const PaperSegments* segments);
/// Segments between random free configurations that `judge` calls so. At most `seconds` are spent; where free ones are
/// fewer than one in a hundred, they are made shorter until there are more.
PaperSegments paper_segments(PaperCell* cell, BerthMotionChecker* judge, PaperKind kind, int count,
                             double seconds);
void paper_free_segments(PaperSegments* segments);

// ---- printing -------------------------------------------------------------------------------------------------

/// Opens the part's text file; everything said goes there too.
void paper_begin(const char* part);
void paper_end(void);
void paper_say(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// One figure; NAN where the paper has none.
void paper_figure(const char* row, const char* column, double paper, double ours);
/// An expectation of the issue: "PASS" or "differs", and a CSV line.
void paper_expect(const char* what, bool holds, double ours);
/// Opens build/paper001/NAME for a plot's data.
FILE* paper_data(const char* name);

// ---- parts ----------------------------------------------------------------------------------------------------

/// How much is done: 1 is the paper's thousand.
typedef struct PaperScale {
    double share;
    double seconds;  ///< most for collecting the segments of one row
} PaperScale;

void paper_table1(PaperScale scale);      ///< Table I: four distance algorithms
void paper_table3(PaperScale scale);      ///< Tables III and VI: fixed and adaptive
void paper_table8(PaperScale scale);      ///< Tables VIII to X: grazing
void paper_table11(PaperScale scale);     ///< Table XI: adaptive and refined; memory
void paper_distance(PaperScale scale);    ///< III-C: distance algorithms inside ADAPTIVE
void paper_covers(PaperScale scale);      ///< II-E: where the next configuration is put
void paper_order(PaperScale scale);       ///< II-C and II-D: which sub-segment comes next
void paper_lambda(PaperScale scale);      ///< Figure 9: lambda over length
void paper_trace(PaperScale scale);       ///< Figure 13: what a tip passes between two samples
void paper_table4(PaperScale scale);      ///< Tables IV and V: SBL with fixed resolution, A-SBL
void paper_table4_six(PaperScale scale);  ///< the same with six arms
void paper_table7(PaperScale scale);      ///< Table VII: random walks out of rings and lattices, smoothing
void paper_growth(PaperScale scale);      ///< time a segment over length and over difficulty

#endif
