// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The messages of `berth batch` through MPI: a separate module, the only one that links to MPI.
// Entry: berth_batch_transport.

#include <limits.h>
#include <mpi.h>

#include "mpi/transport.h"

static int start(int* rank, int* size) {
    int provided = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED) {
        return 1;
    }
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
           MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS;
}

static int look(int* there, int* from, int* kind, size_t* size) {
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, there, &status) != MPI_SUCCESS) {
        return 1;
    }
    if (*there == 0) {
        return 0;
    }

    int count = 0;
    if (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0) {
        return 1;
    }
    *from = status.MPI_SOURCE;
    *kind = status.MPI_TAG;
    *size = (size_t)count;
    return 0;
}

static int receive(int from, int kind, void* bytes, size_t size) {
    return size > INT_MAX ||
           MPI_Recv(bytes, (int)size, MPI_BYTE, from, kind, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static int send(int to, int kind, const void* bytes, size_t size) {
    return size > INT_MAX || MPI_Send(bytes, (int)size, MPI_BYTE, to, kind, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int stop(void) {
    return MPI_Finalize() != MPI_SUCCESS;
}

__attribute__((visibility("default"))) BatchTransportEntry berth_batch_transport;

const BatchTransport* berth_batch_transport(void) {
    static const BatchTransport transport = {start, look, receive, send, stop};
    return &transport;
}
