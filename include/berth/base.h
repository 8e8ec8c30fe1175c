// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Base: status codes and their texts, verdicts, allocators. Every other header builds on this one.

#ifndef BERTH_BASE_H
#define BERTH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BERTH_API __attribute__((visibility("default")))
#else
#define BERTH_API
#endif

#define BERTH_VERSION_MAJOR 0
#define BERTH_VERSION_MINOR 1
#define BERTH_VERSION_PATCH 0

/// Every function that can fail returns one of these. Functions that are not called in every cycle also leave
/// one line of text: berth_error_text().
#define BERTH_STATUS_LIST(X)                                          \
    X(BERTH_OK, 0, "success")                                         \
    X(BERTH_ERR_ARGUMENT, -1, "a value outside its contract")         \
    X(BERTH_ERR_MEMORY, -2, "the allocator returned null")            \
    X(BERTH_ERR_PARSE, -3, "a file does not follow its format")       \
    X(BERTH_ERR_CAPACITY, -4, "a buffer fixed at creation is full")   \
    X(BERTH_ERR_STALE, -5, "an id names something removed")           \
    X(BERTH_ERR_SYSTEM, -6, "the machine failed")                     \
    X(BERTH_ERR_UNSUPPORTED, -7, "known, but not done by this build") \
    X(BERTH_ERR_CANCELLED, -8, "the caller asked to stop")
#define BERTH_AS_ENUM(name, value, text) name = value,
/// The outcome of a call; BERTH_STATUS_LIST defines the values and their meanings.
typedef enum BerthStatus { BERTH_STATUS_LIST(BERTH_AS_ENUM) } BerthStatus;
#undef BERTH_AS_ENUM

/// The conclusion of a query. Zeroed memory reads as UNKNOWN, so a forgotten or unfinished query is never
/// free.
typedef enum BerthVerdict {
    BERTH_UNKNOWN = 0,  ///< neither was shown; treat it as a collision
    BERTH_FREE,         ///< proven: every gap is larger than the margin
    BERTH_COLLISION     ///< a witness was found: some gap is at most the margin
} BerthVerdict;

/// Why a verdict is UNKNOWN.
typedef enum BerthReason {
    BERTH_REASON_NONE = 0,   ///< the verdict is FREE or COLLISION
    BERTH_REASON_TOO_CLOSE,  ///< a gap exceeds the margin by less than can be resolved
    BERTH_REASON_BUDGET,     ///< a limit on work was reached
    BERTH_REASON_NUMERIC     ///< NaN, overflow, or rounding error larger than the gap
} BerthReason;

/// Where memory comes from. All zero means the C library's heap.
typedef struct BerthAllocator {
    /// Returns `size` bytes aligned to `align`, a power of two, or null
    void* (*take)(void* user, size_t size, size_t align);
    /// Frees a block; `size` is that of `take`, so that accounting is exact
    void (*give)(void* user, void* block, size_t size);
    void* user;  ///< passed to both functions, never read
} BerthAllocator;

/// A request to stop long work, for callers whose own test is expensive (interpreters, user interfaces). Set
/// the `cancelled` or `stop` of a def to berth_watch_ask and its user pointer to the watch. All zero: never
/// stops until berth_watch_stop is called.
typedef struct BerthWatch {
    bool (*cancelled)(void* user);  ///< the caller's own test; true stops for good. May be null
    void* user;                     ///< passed to `cancelled`
    double period;                  ///< shortest time between two calls of `cancelled`, seconds, >= 0
    int64_t asked;                  ///< time of its last call; set to 0 at first, then written by the library
    int32_t stopped;                ///< set to 0 at first, then written by the library
} BerthWatch;
/// True when it is time to stop. Calls `cancelled` at most once a period, however often and from however many
/// threads it is called itself; otherwise it costs a few nanoseconds. False for null.
BERTH_API bool berth_watch_ask(void* watch);
/// From now on berth_watch_ask returns true, on every thread. Null is fine.
BERTH_API void berth_watch_stop(BerthWatch* watch);

/// The allocator that is used when none is given.
BERTH_API BerthAllocator berth_default_allocator(void);

/// One line about the last failure on this thread, valid until the next one; "" when there was none.
/// Functions that are called in every cycle write no text: after one of them has failed this is "" and its
/// status is all there is to know (berth_status_meaning()).
BERTH_API const char* berth_error_text(void);
/// The name of a status, for example "BERTH_ERR_PARSE"; "unknown status" for any other number.
BERTH_API const char* berth_status_name(BerthStatus status);
/// What a status means, in a few words; "unknown status" for any other number.
BERTH_API const char* berth_status_meaning(BerthStatus status);
/// "free", "collision" or "unknown".
BERTH_API const char* berth_verdict_name(BerthVerdict verdict);
/// "too_close", "budget" or "numeric"; "" for NONE.
BERTH_API const char* berth_reason_name(BerthReason reason);
/// The edit distance of two words: how many letters (bytes) must be changed, added, dropped or swapped with a
/// neighbour. Never more than `limit` + 1, which is also the result for null and for words of more than 63
/// bytes. For messages that suggest what was probably meant.
BERTH_API int32_t berth_word_distance(const char* a, const char* b, int32_t limit);
/// The version of the library: "0.1.0".
BERTH_API const char* berth_version(void);

#ifdef __cplusplus
}
#endif
#endif
