// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reading a built robot.

#include "robot/robot.h"

#include <stdio.h>
#include <string.h>

void berth_robot_destroy(BerthRobot* robot) {
    if (robot == NULL) {
        return;
    }
    for (int32_t i = 0; i < robot->solid_count; ++i) {
        berth_solid_destroy(robot->solids[i].solid);
    }

    bi_arena_free(&robot->arena);
    const BerthAllocator memory = robot->allocator;
    bi_give(&memory, robot, 1, sizeof *robot);
}

int32_t bi_joint_value_count(BerthJointType type) {
    switch (type) {
    case BERTH_JOINT_FIXED:
        return 0;
    case BERTH_JOINT_FLOATING:
        return 7;
    case BERTH_JOINT_PLANAR:
        return 3;
    default:
        return 1;
    }
}

const char* berth_robot_name(const BerthRobot* robot) {
    return robot->name;
}
int32_t berth_robot_link_count(const BerthRobot* robot) {
    return robot->link_count;
}
int32_t berth_robot_joint_count(const BerthRobot* robot) {
    return robot->joint_count;
}
int32_t berth_robot_value_count(const BerthRobot* robot) {
    return robot->value_count;
}
int32_t berth_robot_state_count(const BerthRobot* robot) {
    return robot->state_count;
}
int32_t berth_robot_group_count(const BerthRobot* robot) {
    return robot->group_count;
}
double berth_robot_reach(const BerthRobot* robot) {
    return robot->reach;
}
int32_t berth_robot_find_link(const BerthRobot* robot, const char* name) {
    return name != NULL ? bi_names_find(&robot->link_names, name) : -1;
}
int32_t berth_robot_find_joint(const BerthRobot* robot, const char* name) {
    return name != NULL ? bi_names_find(&robot->joint_names, name) : -1;
}

BerthLinkInfo berth_robot_link(const BerthRobot* robot, int32_t link) {
    BI_ASSERT(link >= 0 && link < robot->link_count);
    const RobotLink* self = &robot->links[link];
    return (BerthLinkInfo){self->name, self->parent_joint, self->frame, self->solid_count};
}

BerthJointInfo berth_robot_joint(const BerthRobot* robot, int32_t joint) {
    BI_ASSERT(joint >= 0 && joint < robot->joint_count);
    return robot->joints[joint];
}

const BerthSolid* berth_robot_solid(const BerthRobot* robot, int32_t link, int32_t index,
                                    BerthPose* link_from_solid, const char** source) {
    BI_ASSERT(link >= 0 && link < robot->link_count && index >= 0 && index < robot->links[link].solid_count);
    const RobotSolid* solid = &robot->solids[robot->links[link].first_solid + index];
    if (link_from_solid != NULL) {
        *link_from_solid = solid->link_from_solid;
    }
    if (source != NULL) {
        *source = solid->source;
    }
    return solid->solid;
}

// The reason that was listed for a disabled pair, or null.
static const char* listed_reason(const BerthRobot* robot, int32_t a, int32_t b) {
    int32_t low = 0, high = robot->reason_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const RobotPairReason* entry = &robot->reasons[middle];
        if (entry->a == a && entry->b == b) {
            return entry->reason;
        }
        if (entry->a < a || (entry->a == a && entry->b < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

BerthPairRule berth_robot_pair(const BerthRobot* robot, int32_t link_a, int32_t link_b, const char** reason) {
    static const char* const texts[] = {
        [BERTH_PAIR_CHECKED] = "",
        [BERTH_PAIR_NO_GEOMETRY] = "no collision geometry",
        [BERTH_PAIR_RIGID] = "joined by fixed joints only",
        [BERTH_PAIR_ADJACENT] = "neighbours in the chain",
        [BERTH_PAIR_ALWAYS_OVERLAP] = "overlap in the default state and in 1000 random states",
        [BERTH_PAIR_DISABLED] = "disabled by default",
        [BERTH_PAIR_PROVEN] = "proven apart within joint limits",
    };

    const BerthPairRule rule = bi_robot_pair_rule(robot, link_a, link_b);
    if (reason != NULL) {
        *reason = texts[rule];
        if (robot->reason_count > 0) {
            const char* listed =
                listed_reason(robot, link_a < link_b ? link_a : link_b, link_a < link_b ? link_b : link_a);
            *reason = listed != NULL ? listed : *reason;
        }
    }

    return rule;
}

void berth_robot_value_name(const BerthRobot* robot, int32_t value, char* text, size_t size) {
    static const char* const floating[] = {"x", "y", "z", "qx", "qy", "qz", "qw"};
    static const char* const planar[] = {"x", "y", "theta"};
    BI_ASSERT(value >= 0 && value < robot->value_count);
    const RobotValue* self = &robot->values[value];
    const char* name = robot->joints[self->joint].name;

    if (self->type == BERTH_JOINT_FLOATING) {
        snprintf(text, size, "%s/%s", name, floating[self->component]);
    } else if (self->type == BERTH_JOINT_PLANAR) {
        snprintf(text, size, "%s/%s", name, planar[self->component]);
    } else {
        snprintf(text, size, "%s", name);
    }
}

void berth_robot_default_values(const BerthRobot* robot, double* values) {
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        values[i] = value->type == BERTH_JOINT_FLOATING && value->component == 6 ? 1.0 : 0.0;
        if (value->has_limits) {
            values[i] = clamp(0.0, value->lower, value->upper);
        }
    }
}

void bi_robot_random_values(const BerthRobot* robot, Random* random, double* values) {
    const double pi = 3.141592653589793;
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        const bool turns = value->type == BERTH_JOINT_REVOLUTE || value->type == BERTH_JOINT_CONTINUOUS ||
                           (value->type == BERTH_JOINT_PLANAR && value->component == 2);
        const double most = turns ? pi : 1.0;

        const double lower = value->has_limits ? value->lower : -most;
        const double upper = value->has_limits ? value->upper : most;
        values[i] = bi_random_between(random, lower, upper);

        if (value->type == BERTH_JOINT_FLOATING && value->component == 6) {
            const BerthQuat q = bi_random_quat(random);
            values[i - 3] = q.x;
            values[i - 2] = q.y;
            values[i - 1] = q.z;
            values[i] = q.w;
        }
    }
}

static bool is_whole_name(const RobotState* state, const char* name) {
    const size_t length = strlen(state->group);
    return strncmp(name, state->group, length) == 0 && name[length] == '/' &&
           strcmp(name + length + 1, state->name) == 0;
}

// The state that `name` means: a whole GROUP/NAME first, else a NAME that occurs once. Null with a text if none.
static const RobotState* find_state(const BerthRobot* robot, const char* name) {
    for (int32_t i = 0; i < robot->state_count; ++i) {
        if (is_whole_name(&robot->states[i], name)) {
            return &robot->states[i];
        }
    }

    const RobotState* found = NULL;
    for (int32_t i = 0; i < robot->state_count; ++i) {
        const RobotState* state = &robot->states[i];
        if (strcmp(name, state->name) != 0) {
            continue;
        }
        if (found != NULL) {
            bi_fail(BERTH_ERR_ARGUMENT, "there are two states named '%s': '%s/%s' and '%s/%s'", name,
                    found->group, found->name, state->group, state->name);
            return NULL;
        }
        found = state;
    }

    if (found == NULL) {
        bi_fail(BERTH_ERR_ARGUMENT, "robot '%s' has no state named '%s'", robot->name, name);
    }
    return found;
}

BerthStatus berth_robot_named_state(const BerthRobot* robot, const char* name, double* values) {
    if (robot == NULL || name == NULL || values == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "named state: robot, name or values is null");
    }

    const RobotState* state = find_state(robot, name);
    if (state == NULL) {
        return BERTH_ERR_ARGUMENT;
    }

    for (int32_t i = 0; i < robot->value_count; ++i) {
        values[i] = state->named[i] ? state->values[i] : values[i];
    }
    return BERTH_OK;
}

const char* berth_robot_state_name(const BerthRobot* robot, int32_t state, const char** group) {
    if (group != NULL) {
        *group = robot->states[state].group;
    }
    return robot->states[state].name;
}

const char* berth_robot_group(const BerthRobot* robot, int32_t group, const int32_t** joints,
                              int32_t* count) {
    BI_ASSERT(group >= 0 && group < robot->group_count);
    const RobotGroup* self = &robot->groups[group];
    if (joints != NULL) {
        *joints = self->joints;
    }
    if (count != NULL) {
        *count = self->joint_count;
    }
    return self->name;
}
