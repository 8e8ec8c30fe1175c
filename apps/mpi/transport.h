// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// All that `berth batch` needs from MPI. Implemented by a module that is loaded only if mpirun started the program, so
// that nobody else has to wait for MPI to start.

#ifndef MPI_TRANSPORT_H
#define MPI_TRANSPORT_H

#include <stddef.h>

/// Messages between processes, numbered from 0. Called by one thread only. Functions return 0, or another value on failure.
typedef struct BatchTransport {
    int (*start)(int* rank, int* size);
    /// Looks for a message: `*there` tells whether there is one; also its sender, kind and size.
    int (*look)(int* there, int* from, int* kind, size_t* size);
    /// Receives the message that was found.
    int (*receive)(int from, int kind, void* bytes, size_t size);
    int (*send)(int to, int kind, const void* bytes, size_t size);
    int (*stop)(void);
} BatchTransport;

/// The module's only function, and its name.
typedef const BatchTransport* BatchTransportEntry(void);
#define BATCH_TRANSPORT_ENTRY "berth_batch_transport"
#define BATCH_TRANSPORT_FILE "berth-batch-mpi.so"

#endif
