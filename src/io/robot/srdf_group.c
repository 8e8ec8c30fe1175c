// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// SRDF: groups. A group is the joints that it names, the parent joints of the links that it names, the joints
// of its chains and all joints of its subgroups; fixed joints are left out. Subgroups may come before or
// after; loops are refused.
// Entry: bi_srdf_read_groups.

#include <string.h>

#include "io/robot/urdf.h"

// Most members of all groups together, and most links looked at to find chains.
enum { MEMBER_MAX = 1000000, CHAIN_STEP_MAX = 500000000 };

typedef struct Group {
    const XmlNode* node;
    const char* name;
    int32_t* joints;
    size_t count, capacity;
    const XmlNode* next;  // sorting: child to look at next
    bool open, done;      // sorting: on the stack; in the order
} Group;

typedef struct Groups {
    RobotRead* read;
    Group* groups;
    size_t count, capacity;
    NameTable names;
    int32_t* parent_joint;  // of each link, or -1
    int32_t* chain;         // joints of one chain, tip first
    int32_t* member_of;     // of each joint: one more than the last group that took it
    int32_t member_count;
    int64_t chain_steps;
} Groups;

// The free base as a joint: one more than the last of the file. It is there only when builder->base_name is.
static int32_t base_joint(const Groups* all) {
    return (int32_t)all->read->builder->joint_count;
}

static BerthStatus fail_memory(const Groups* all) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", all->read->srdf.path);
}

static BerthStatus find_groups(Groups* all) {
    const XmlFile* file = &all->read->srdf;
    for (const XmlNode* node = bi_xml_next(file->root->first, "group"); node != NULL;
         node = bi_xml_next(node->next, "group")) {
        const char* name = NULL;
        const BerthStatus status = bi_xml_text(file, node, "name", &name);
        if (status != BERTH_OK) {
            return status;
        }

        const int32_t other = bi_names_find(&all->names, name);
        if (other >= 0) {
            return bi_xml_fail(file, node, BERTH_ERR_PARSE,
                               "there are two groups of this name (first in line %d)",
                               all->groups[other].node->line);
        }
        if (all->count >= BI_ROBOT_LIST_MAX) {
            return bi_xml_fail(file, node, BERTH_ERR_CAPACITY, "more than %d groups", BI_ROBOT_LIST_MAX);
        }

        Group* grown = bi_arena_grow(all->read->arena, all->groups, all->count, all->count + 1,
                                     &all->capacity, sizeof *grown);
        if (grown == NULL || !bi_names_add(&all->names, all->read->arena, name, (int32_t)all->count)) {
            return fail_memory(all);
        }

        all->groups = grown;
        all->groups[all->count++] = (Group){.node = node, .name = name, .next = node->first};
    }
    return BERTH_OK;
}

// ---- order: subgroups before the groups that hold them -----------------------------------------------------

static int32_t subgroup_of(const Groups* all, const XmlNode* node) {
    const char* name = strcmp(node->name, "group") == 0 ? bi_xml_value(node, "name") : NULL;
    return name != NULL ? bi_names_find(&all->names, name) : -1;
}

// Depth first with a stack of our own; `order` gets each group after its subgroups.
static BerthStatus sort_groups(Groups* all, int32_t* stack, int32_t* order) {
    size_t ordered = 0;
    for (size_t start = 0; start < all->count; ++start) {
        size_t depth = 0;
        if (!all->groups[start].done) {
            stack[depth++] = (int32_t)start;
            all->groups[start].open = true;
        }

        while (depth > 0) {
            Group* top = &all->groups[stack[depth - 1]];
            const XmlNode* node = top->next;
            if (node == NULL) {
                top->open = false;
                top->done = true;
                order[ordered++] = stack[--depth];
                continue;
            }

            top->next = node->next;
            const int32_t inner = subgroup_of(all, node);
            if (inner >= 0 && all->groups[inner].open) {
                return bi_xml_fail(&all->read->srdf, node, BERTH_ERR_PARSE,
                                   "groups contain each other in a loop");
            }

            if (inner >= 0 && !all->groups[inner].done) {
                all->groups[inner].open = true;
                stack[depth++] = inner;
            }
        }
    }
    return BERTH_OK;
}

// ---- members ----------------------------------------------------------------------------------------------

// Adds a joint to the group once; fixed ones are left out.
static BerthStatus add_joint(Groups* all, int32_t group, int32_t joint, const XmlNode* node) {
    Group* self = &all->groups[group];
    const bool fixed = joint >= 0 && joint != base_joint(all) &&
                       all->read->builder->joints[joint].def.type == BERTH_JOINT_FIXED;
    if (joint < 0 || fixed || all->member_of[joint] == group + 1) {
        return BERTH_OK;
    }

    if (++all->member_count > MEMBER_MAX) {
        return bi_xml_fail(&all->read->srdf, node, BERTH_ERR_CAPACITY, "groups have more than %d members",
                           MEMBER_MAX);
    }

    int32_t* grown = bi_arena_grow(all->read->arena, self->joints, self->count, self->count + 1,
                                   &self->capacity, sizeof *grown);
    if (grown == NULL) {
        return fail_memory(all);
    }

    self->joints = grown;
    self->joints[self->count++] = joint;
    all->member_of[joint] = group + 1;
    return BERTH_OK;
}

static BerthStatus add_link_joint(Groups* all, int32_t group, const XmlNode* node) {
    const char* name = NULL;
    const BerthStatus status = bi_xml_text(&all->read->srdf, node, "name", &name);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t link = bi_robot_builder_find_link(all->read->builder, name);
    if (link < 0) {
        bi_xml_warn(&all->read->srdf, node, "the robot has no such link; ignored");
        return BERTH_OK;
    }
    return add_joint(all, group, all->parent_joint[link], node);
}

static BerthStatus add_named_joint(Groups* all, int32_t group, const XmlNode* node) {
    const char* name = NULL;
    const BerthStatus status = bi_xml_text(&all->read->srdf, node, "name", &name);
    if (status != BERTH_OK) {
        return status;
    }

    const char* base = all->read->builder->base_name;
    const bool is_base = base != NULL && strcmp(base, name) == 0;
    const int32_t joint = is_base ? base_joint(all) : bi_robot_builder_find_joint(all->read->builder, name);

    bool is_virtual = false;  // one that is not free: no joint of the robot, and no mistake
    for (const XmlNode* other = bi_xml_next(all->read->srdf.root->first, "virtual_joint");
         other != NULL && joint < 0; other = bi_xml_next(other->next, "virtual_joint")) {
        const char* other_name = bi_xml_value(other, "name");
        is_virtual |= other_name != NULL && strcmp(other_name, name) == 0;
    }

    if (joint < 0 && !is_virtual) {
        bi_xml_warn(&all->read->srdf, node, "the robot has no such joint; ignored");
    }
    return add_joint(all, group, joint, node);
}

static int32_t link_above(const Groups* all, int32_t link) {
    const int32_t joint = all->parent_joint[link];
    const bool has_parent = joint >= 0 && joint != base_joint(all);
    return has_parent ? all->read->builder->joints[joint].def.parent_link : -1;
}

// How many joints lead from `link` up to `top`; -1 when none do. Bounded, since links may still form loops here.
static int32_t steps_up(const Groups* all, int32_t link, int32_t top) {
    int32_t steps = 0;
    while (link >= 0 && link != top && steps <= (int32_t)all->read->builder->link_count) {
        link = link_above(all, link);
        ++steps;
    }
    return link == top ? steps : -1;
}

// From the base down to the tip. The tip is below the base in all files that were seen.
static BerthStatus add_chain_joints(Groups* all, int32_t group, const XmlNode* node) {
    const XmlFile* file = &all->read->srdf;
    const char* base_name = NULL;
    const char* tip_name = NULL;
    BerthStatus status = bi_xml_text(file, node, "base_link", &base_name);
    if (status == BERTH_OK) {
        status = bi_xml_text(file, node, "tip_link", &tip_name);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t base = bi_robot_builder_find_link(all->read->builder, base_name);
    const int32_t tip = bi_robot_builder_find_link(all->read->builder, tip_name);
    if (base < 0 || tip < 0) {
        bi_xml_warn(&all->read->srdf, node, "the robot has no link '%.200s'; ignored",
                    base < 0 ? base_name : tip_name);
        return BERTH_OK;
    }

    all->chain_steps += (int64_t)all->read->builder->link_count;
    const int32_t steps = all->chain_steps <= CHAIN_STEP_MAX ? steps_up(all, tip, base) : -2;
    if (steps < -1) {
        return bi_xml_fail(file, node, BERTH_ERR_CAPACITY, "too many chains for a robot of so many links");
    }

    if (steps < 0) {
        bi_xml_warn(&all->read->srdf, node, "tip_link='%.200s' is not below base_link='%.200s'; ignored",
                    tip_name, base_name);
        return BERTH_OK;
    }

    int32_t link = tip;
    for (int32_t i = 0; i < steps; ++i) {
        all->chain[i] = all->parent_joint[link];
        link = link_above(all, link);
    }

    for (int32_t i = steps - 1; i >= 0 && status == BERTH_OK; --i) {
        status = add_joint(all, group, all->chain[i], node);
    }
    return status;
}

static BerthStatus add_subgroup_joints(Groups* all, int32_t group, const XmlNode* node) {
    const char* name = NULL;
    BerthStatus status = bi_xml_text(&all->read->srdf, node, "name", &name);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t inner = bi_names_find(&all->names, name);
    if (inner < 0) {
        return bi_xml_fail(&all->read->srdf, node, BERTH_ERR_PARSE, "there is no group of this name");
    }

    for (size_t i = 0; i < all->groups[inner].count && status == BERTH_OK; ++i) {
        status = add_joint(all, group, all->groups[inner].joints[i], node);
    }
    return status;
}

static BerthStatus fill_group(Groups* all, int32_t group) {
    static const struct {
        const char* name;
        BerthStatus (*add)(Groups*, int32_t, const XmlNode*);
    } adders[] = {{"link", add_link_joint},
                  {"joint", add_named_joint},
                  {"passive_joint", add_named_joint},
                  {"chain", add_chain_joints},
                  {"group", add_subgroup_joints}};

    for (const XmlNode* node = all->groups[group].node->first; node != NULL; node = node->next) {
        for (size_t i = 0; i < sizeof adders / sizeof adders[0]; ++i) {
            if (strcmp(node->name, adders[i].name) == 0) {
                const BerthStatus status = adders[i].add(all, group, node);
                if (status != BERTH_OK) {
                    return status;
                }
            }
        }
    }
    return BERTH_OK;
}

static BerthStatus prepare_groups(Groups* all) {
    const BerthRobotBuilder* builder = all->read->builder;
    all->parent_joint = bi_arena_take(all->read->arena, builder->link_count, sizeof *all->parent_joint);
    all->chain = bi_arena_take(all->read->arena, builder->link_count + 2, sizeof *all->chain);
    all->member_of = bi_arena_take(all->read->arena, builder->joint_count + 1, sizeof *all->member_of);
    if (all->parent_joint == NULL || all->chain == NULL || all->member_of == NULL) {
        return fail_memory(all);
    }

    for (size_t i = 0; i < builder->link_count; ++i) {
        all->parent_joint[i] = builder->base_name != NULL ? base_joint(all) : -1;
    }
    for (size_t j = 0; j < builder->joint_count; ++j) {
        all->parent_joint[builder->joints[j].def.child_link] = (int32_t)j;
    }
    return BERTH_OK;
}

BerthStatus bi_srdf_read_groups(RobotRead* read) {
    Groups all = {.read = read};
    BerthStatus status = prepare_groups(&all);
    if (status == BERTH_OK) {
        status = find_groups(&all);
    }
    if (status != BERTH_OK) {
        return status;
    }

    int32_t* stack = bi_arena_take(read->arena, all.count, sizeof *stack);
    int32_t* order = bi_arena_take(read->arena, all.count, sizeof *order);
    if (stack == NULL || order == NULL) {
        return fail_memory(&all);
    }

    status = sort_groups(&all, stack, order);
    for (size_t i = 0; i < all.count && status == BERTH_OK; ++i) {
        status = fill_group(&all, order[i]);
    }

    // Outside, the free base is joint -1.
    for (size_t i = 0; i < all.count && status == BERTH_OK; ++i) {
        const Group* group = &all.groups[i];
        for (size_t k = 0; k < group->count; ++k) {
            if (group->joints[k] == base_joint(&all)) {
                group->joints[k] = -1;
            }
        }
        status = berth_robot_add_group(read->builder, group->name, group->joints, (int32_t)group->count);
        if (status != BERTH_OK) {
            status = bi_xml_fail_prefix(&read->srdf, group->node, status);
        }
    }
    return status;
}
