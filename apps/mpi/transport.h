// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What `berth batch` needs of MPI, and all that it knows of it. Implemented by a module that is loaded only when mpirun
// started the program, so that nobody else waits for MPI to start.

#ifndef MPI_TRANSPORT_H
#define MPI_TRANSPORT_H

#include <stddef.h>

/// Messages between processes, numbered from 0. All by one thread. Functions return 0, or something else after a failure.
typedef struct BatchTransport {
    int (*start)(int* rank, int* size);
    /// Is there a message? `*there` says so; whose it is, of what kind, and how long.
    int (*look)(int* there, int* from, int* kind, size_t* size);
    /// Receives the message that was found.
    int (*receive)(int from, int kind, void* bytes, size_t size);
    int (*send)(int to, int kind, const void* bytes, size_t size);
    int (*stop)(void);
} BatchTransport;

/// The one function of the module, and its name.
typedef const BatchTransport* BatchTransportEntry(void);
#define BATCH_TRANSPORT_ENTRY "berth_batch_transport"
#define BATCH_TRANSPORT_FILE "berth-batch-mpi.so"

#endif
