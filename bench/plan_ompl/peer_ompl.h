// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OMPL (Debian) behind a C interface: RRTConnect with its discrete motion validator, and its path simplifier, as people use them.

#ifndef BENCH_PEER_OMPL_H
#define BENCH_PEER_OMPL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeerOmplQuery {
    int dimension;
    const double *low, *high;  ///< bounds of the values
    const double* start;
    const double* goals;  ///< goal_count rows
    int goal_count;
    double resolution;  ///< between samples on a motion: length in the space of values
    double seconds;     ///< most of a search
    unsigned seed;      ///< of OMPL, taken the first time only
    int (*is_free)(void* user, const double* values);  ///< the state validity checker
    void* user;
} PeerOmplQuery;

typedef struct PeerOmplResult {
    int found;
    double search, simplify;  ///< seconds of the processor
    double found_length, length;
    double* rows;  ///< row_count rows of the simplified path; free() it
    int row_count;
} PeerOmplResult;

PeerOmplResult peer_ompl_plan(const PeerOmplQuery* query);

#ifdef __cplusplus
}
#endif
#endif
