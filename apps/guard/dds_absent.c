// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A build without Cyclone DDS.

#include "dds.h"

bool dds_open(const DdsDef* def, Dds** out, GuardError* error) {
    (void)def;
    *out = NULL;
    return guard_fail(error, GUARD_WRONG,
                      "dds: this berth was built without Cyclone DDS (cmake -DBERTH_WITH_DDS=ON, with the "
                      "packages cyclonedds-dev and cyclonedds-tools)");
}

void dds_close(Dds* dds) {
    (void)dds;
}

JointMerger* dds_joint_merger(Dds* dds) {
    (void)dds;
    return NULL;
}

void dds_queue_permit(Dds* dds, uint64_t stream, const BerthPermit* permit, double valid_for) {
    (void)dds;
    (void)stream;
    (void)permit;
    (void)valid_for;
}

DdsCounts dds_counts(const Dds* dds) {
    (void)dds;
    return (DdsCounts){0};
}
