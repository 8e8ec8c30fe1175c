// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The proven table as an element of an SRDF.

#ifndef BI_IO_SRDF_PROVEN_H
#define BI_IO_SRDF_PROVEN_H

#include "io/robot/urdf.h"
#include "io/syntax/text_out.h"

/// The element's name.
#define BI_SRDF_TABLE "berth_proven"

/// Writes the element.
void bi_srdf_put_table(TextOut* out, const BerthProvenTable* table);
/// Reads one into the builder.
BerthStatus bi_srdf_read_table(RobotRead* read, const XmlNode* node);
/// After the build: warns of tables that do not hold for this robot, proves the others again when that is asked for, and
/// proves for the spheres, where they can be, pairs of tables about the geometry that spheres replaced.
BerthStatus bi_srdf_judge_tables(RobotRead* read, BerthRobot* robot);

#endif
