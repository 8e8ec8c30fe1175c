// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts over a tree, one after the other, and what they weigh.

#include "field/field.h"

BerthStatus bi_field_make_parts(BerthField* field, const BerthFieldDef* def) {
    (void)field;
    return bi_field_progress(def, 1.0);
}
