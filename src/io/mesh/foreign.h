// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The protocol between the library and its reader of foreign meshes (src/io/reader, a separate program), over
// one socket on one machine: a request with the file, then replies. The library does not trust a reply: every
// count, index and number is checked, since whoever wrote the file may control the reader.

#ifndef BI_FOREIGN_H
#define BI_FOREIGN_H

#include "io/mesh/soup.h"

/// Changes with the layout below: a reader of another version is refused.
#define READER_MAGIC 0x62726d31u
/// The reader's only descriptor besides standard input, output and error, which are /dev/null.
enum { READER_SOCKET = 3 };
/// Most bytes of a text or of a file's name.
enum { READER_TEXT_MAX = 2048, READER_NAME_MAX = 4096 };
/// The size that is sent for a file that does not exist.
#define READER_NO_FILE UINT64_MAX

/// The library's first words; the path and the file's bytes follow.
typedef struct ReaderRequest {
    uint32_t magic;
    uint32_t seconds;  // of processor time
    uint64_t memory;   // bytes of address space
    uint64_t path_size, data_size;
    double scale[3];
    double factor;  // on top of the units that the file states
} ReaderRequest;

typedef enum ReaderReplyKind {
    READER_WANTS_FILE = 1,  // its name follows; the answer is a uint64_t size, and the bytes
    READER_DONE             // the error's text, vertices and corners follow
} ReaderReplyKind;

typedef struct ReaderReply {
    uint32_t magic;
    uint32_t kind;
    int32_t status;        // a BerthStatus
    int32_t folded_count;  // polygons whose fans fold over
    uint64_t text_size;    // of the name, or of the error's text
    uint64_t vertex_count, triangle_count;
} ReaderReply;

/// A program that runs beside us, at the other end of a socket.
typedef struct ReaderProcess {
    int socket;  // < 0: none
    int pid;
    int handle;  // of the process, < 0: this system has none
} ReaderProcess;

/// Starts the reader. Not found: BERTH_ERR_UNSUPPORTED with the places that were tried. `path` is the mesh, for the texts.
BerthStatus bi_reader_start(const char* path, ReaderProcess* out);
/// Ends it, whatever it does, and takes its end off the system's list. Returns how it ended, as waitpid tells; -1: somebody
/// else in this program has asked for it.
int bi_reader_end(ReaderProcess* process);

#endif
