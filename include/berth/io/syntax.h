// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What all readers and writers share: options, warnings, packages.

#ifndef BERTH_IO_SYNTAX_H
#define BERTH_IO_SYNTAX_H

#include <berth/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How files are read. Start from berth_default_io_options(); where a function takes options, null means just these.
typedef struct BerthIoOptions {
    BerthAllocator allocator;  ///< all zero: the C library's heap
    /// Called once a warning with one line of text, which begins with FILE:LINE or FILE. May be null.
    void (*warn)(void* user, const char* text);
    void* user;                   ///< passed to `warn`
    const char* const* packages;  ///< NAME=DIR, searched first
    int32_t package_count;        ///< of `packages`
    const char* srdf;             ///< for a bare URDF, or null
    /// URDF for scene files that hold no robot (MoveIt .scene, MotionBenchMaker), or null
    const char* robot;
    bool ignore_dae_units;  ///< numbers of a COLLADA file are metres, whatever unit it states
    uint32_t stamp;         ///< set by the default function; ties the def to this library version
} BerthIoOptions;

/// The options to start from: no packages, no SRDF, no robot, warnings are dropped.
BERTH_API BerthIoOptions berth_default_io_options(void);

#ifdef __cplusplus
}
#endif
#endif
