// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Base: status codes and their texts, verdicts, allocators. Everything else stands on this.

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

/// Every fallible function returns one of these. Cold functions also leave one line of text: berth_error_text().
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
/// What became of a call; the values and their meanings are those of BERTH_STATUS_LIST.
typedef enum BerthStatus { BERTH_STATUS_LIST(BERTH_AS_ENUM) } BerthStatus;
#undef BERTH_AS_ENUM

/// What a query concluded. Cleared memory reads as UNKNOWN: a forgotten or unfinished query is never free.
typedef enum BerthVerdict {
    BERTH_UNKNOWN = 0,  ///< neither could be shown; treat it as a collision
    BERTH_FREE,         ///< proven: every gap is larger than the margin
    BERTH_COLLISION     ///< a witness was found: a gap of at most the margin
} BerthVerdict;

/// Why a verdict is UNKNOWN.
typedef enum BerthReason {
    BERTH_REASON_NONE = 0,   ///< the verdict is FREE or COLLISION
    BERTH_REASON_TOO_CLOSE,  ///< between the margin and the margin plus what can be told apart
    BERTH_REASON_BUDGET,     ///< a limit on work was reached
    BERTH_REASON_NUMERIC     ///< NaN, overflow, or rounding larger than the gap
} BerthReason;

/// Where memory comes from. `take` returns null when there is none; alignment is a power of two. All zero means the C
/// library's heap.
typedef struct BerthAllocator {
    void* (*take)(void* user, size_t size, size_t align);  ///< gives `size` bytes aligned to `align`, or null
    void (*give)(void* user, void* block, size_t size);    ///< the size returns, so accounting is exact
    void* user;                                            ///< passed to both calls, not looked at
} BerthAllocator;

/// A wish to stop long work, for callers to whom being asked is expensive (interpreters, user interfaces): berth_watch_ask is
/// what a def's `cancelled` or `stop` is set to, with the watch as its user. All zero: never, until berth_watch_stop.
typedef struct BerthWatch {
    bool (*cancelled)(void* user);  ///< the caller's own question; true stops for good. May be null
    void* user;                     ///< passed to `cancelled`
    double period;                  ///< seconds that pass before `cancelled` is asked again, >= 0
    int64_t asked;                  ///< when it was asked last; 0 at the start, then the library's own
    int32_t stopped;                ///< 0 at the start, then the library's own
} BerthWatch;
/// Is it time to stop? Asks `cancelled` at most once a period, whatever number of threads ask how often: a few nanoseconds
/// else. Null: no.
BERTH_API bool berth_watch_ask(void* watch);
/// From now on berth_watch_ask says yes, on every thread.
BERTH_API void berth_watch_stop(BerthWatch* watch);

/// The allocator that is used where none is given.
BERTH_API BerthAllocator berth_default_allocator(void);

/// One line about the last failure in this thread. Valid until the next one. "" when there was none, and after one of a
/// function that is called in every cycle: these leave no text, their status says it all (berth_status_meaning()).
BERTH_API const char* berth_error_text(void);
/// The name of a status, for example "BERTH_ERR_PARSE"; "unknown status" for a number that is none.
BERTH_API const char* berth_status_name(BerthStatus status);
/// What a status means, in a few words; "unknown status" for a number that is none.
BERTH_API const char* berth_status_meaning(BerthStatus status);
/// "free", "collision" or "unknown".
BERTH_API const char* berth_verdict_name(BerthVerdict verdict);
/// "too_close", "budget" or "numeric"; "" for NONE.
BERTH_API const char* berth_reason_name(BerthReason reason);
/// How far two words are apart: letters (bytes) to change, to add, to drop or to swap with a neighbour. The answer is
/// never more than one above `limit`, which is also what null and words of more than 63 bytes get. For texts that say
/// what was probably meant.
BERTH_API int32_t berth_word_distance(const char* a, const char* b, int32_t limit);
/// "0.1.0"
BERTH_API const char* berth_version(void);

#ifdef __cplusplus
}
#endif
#endif
