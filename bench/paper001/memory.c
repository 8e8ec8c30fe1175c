// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the queues of a motion held at most.

#include "motion/motion_queue.h"
#include "paper001/paper.h"

void paper_queue_memory(const BerthMotion* motion, int64_t* entries, double* entry_bytes,
                        double* queue_bytes) {
    *entry_bytes = (double)sizeof(QueueEntry);
    *entries = 0;
    *queue_bytes = 0.0;
    if (motion->queue != NULL) {
        *entries = motion->queue->pool.used_most;
        *queue_bytes = (double)*entries * *entry_bytes;
    }
}
