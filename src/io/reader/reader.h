// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The program that reads one foreign mesh for the library and ends. io/mesh/foreign.h defines the protocol.

#ifndef BI_READER_H
#define BI_READER_H

#include "io/mesh/foreign.h"

/// The mesh file, as it was sent.
typedef struct ReaderFile {
    const char* path;
    const char* data;
    size_t size;
} ReaderFile;

/// Requests from the library a file beside the mesh. Null when there is none; the bytes are on the heap.
char* reader_want_file(const char* name, size_t* size);
/// Reads the mesh with assimp. The text of an error names no file.
BerthStatus reader_import(const ReaderFile* file, double factor, TriangleSoup* soup, int32_t* folded_count);

/// Gives up everything but the socket, and what cannot be given up again: new rights, other files, a life after the caller.
/// False when the system does not let us.
bool reader_drop_privileges(void);
/// From now on: so many bytes of address space, so many seconds of processor time, no files, no processes, no network. What the
/// system does not know of it (seccomp, Landlock) is left out; false when it refuses what every system knows.
bool reader_set_limits(uint64_t memory, uint32_t seconds);

#endif
