// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the queues of a motion held at most.

#include "motion/motion_queue.h"
#include "paper001/paper.h"

void paper_queue_memory(const BerthMotionChecker* motion, int64_t* entries, double* entry_bytes,
                        double* memo_bytes) {
    *entry_bytes = (double)sizeof(QueueEntry);
    *entries = 0;
    *memo_bytes = 0.0;
    if (motion->queue != NULL) {
        *entries = motion->queue->pool.used_most;
        *memo_bytes = (double)motion->queue->memo.count * (double)sizeof(MemoRecord);
    }
}
