// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Protective separation distance between a person and a robot.

#include <berth/monitor.h>
#include <math.h>

#include "base/base.h"

// Larger than the rounding of the dozen operations, and never smaller than the sum.
#define ROUNDED_UP (1.0 + 0x1p-48)

BerthStatus berth_separation_distance(const BerthSeparation* terms, double* out) {
    *out = INFINITY;

    const struct {
        const char* name;
        double value;
    } rules[] = {
        {"person speed", terms->person_speed},
        {"robot speed", terms->robot_speed},
        {"reaction time", terms->reaction},
        {"stopping time", terms->stopping},
        {"braking distance", terms->braking < 0.0 ? 0.0 : terms->braking},
        {"intrusion distance", terms->intrusion},
        {"person's uncertainty", terms->person_uncertainty},
        {"robot's uncertainty", terms->robot_uncertainty},
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
        if (!(rules[i].value >= 0.0 && rules[i].value < (double)INFINITY)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "separation distance: %s is %g, must be given and at least 0",
                           rules[i].name, rules[i].value);
        }
    }

    const double person = terms->person_speed * (terms->reaction + terms->stopping);
    const double robot = terms->robot_speed * terms->reaction;
    const double braking = terms->braking < 0.0 ? 0.5 * terms->robot_speed * terms->stopping : terms->braking;

    *out =
        (person + robot + braking + terms->intrusion + terms->person_uncertainty + terms->robot_uncertainty) *
        ROUNDED_UP;
    return BERTH_OK;
}
