// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Collecting a robot's parts. Each call checks what can be checked on its own; berth_robot_build checks the
// whole.

#include "robot/builder.h"

#include <string.h>

#include "tree/solid.h"

BerthJointDef berth_default_joint_def(void) {
    return (BerthJointDef){.parent_link = -1,
                           .child_link = -1,
                           .parent_from_joint = pose_identity(),
                           .axis = {1, 0, 0},
                           .mimic_multiplier = 1.0,
                           .stamp = BI_DEF_STAMP};
}

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
}

static const char* copy_text(BerthRobotBuilder* builder, const char* text) {
    return bi_arena_copy_text(&builder->arena, text, strlen(text));
}

// Grows one of the builder's arrays by one; false when memory ran out.
#define GROW(builder, what)                                                              \
    grow_by_one(&(builder)->arena, (void**)&(builder)->what##s, (builder)->what##_count, \
                &(builder)->what##_capacity, sizeof *(builder)->what##s)

static bool grow_by_one(Arena* arena, void** items, size_t count, size_t* capacity, size_t size) {
    void* grown = bi_arena_grow(arena, *items, count, count + 1, capacity, size);
    if (grown != NULL) {
        *items = grown;
    }
    return grown != NULL;
}

BerthStatus berth_robot_builder_create(const char* name, const BerthAllocator* allocator,
                                       BerthRobotBuilder** out) {
    if (out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot builder: out is null");
    }

    *out = NULL;
    const BerthAllocator memory = bi_allocator_or_default(allocator);
    BerthRobotBuilder* builder = bi_take(&memory, 1, sizeof *builder);
    if (builder == NULL) {
        return no_memory();
    }

    builder->allocator = memory;
    bi_arena_init(&builder->arena, &memory, 0);
    builder->name = copy_text(builder, name != NULL ? name : "");
    if (builder->name == NULL) {
        berth_robot_builder_destroy(builder);
        return no_memory();
    }

    *out = builder;
    return BERTH_OK;
}

void bi_robot_builder_clear(BerthRobotBuilder* builder) {
    for (size_t i = 0; i < builder->solid_count; ++i) {
        berth_solid_destroy(builder->solids[i].solid);
    }
    const BerthAllocator memory = builder->allocator;
    bi_arena_free(&builder->arena);
    *builder = (BerthRobotBuilder){.allocator = memory, .name = ""};
    bi_arena_init(&builder->arena, &memory, 0);
}

void berth_robot_builder_destroy(BerthRobotBuilder* builder) {
    if (builder != NULL) {
        bi_robot_builder_clear(builder);
        const BerthAllocator memory = builder->allocator;
        bi_give(&memory, builder, 1, sizeof *builder);
    }
}

int32_t bi_robot_builder_find_link(const BerthRobotBuilder* builder, const char* name) {
    return bi_names_find(&builder->link_names, name);
}

int32_t bi_robot_builder_find_joint(const BerthRobotBuilder* builder, const char* name) {
    return bi_names_find(&builder->joint_names, name);
}

static bool is_link(const BerthRobotBuilder* builder, int32_t link) {
    return link >= 0 && (size_t)link < builder->link_count;
}

BerthStatus berth_robot_add_link(BerthRobotBuilder* builder, const char* name, int32_t* index) {
    if (builder == NULL || name == NULL || name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a link needs a name");
    }
    if (bi_robot_builder_find_link(builder, name) >= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "there are two links named '%s'", name);
    }
    if (builder->link_count >= BI_ROBOT_LINK_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d links", BI_ROBOT_LINK_MAX);
    }

    const char* copy = copy_text(builder, name);
    const int32_t place = (int32_t)builder->link_count;
    if (copy == NULL || !GROW(builder, link) ||
        !bi_names_add(&builder->link_names, &builder->arena, copy, place)) {
        return no_memory();
    }

    builder->links[builder->link_count++] = copy;
    if (index != NULL) {
        *index = place;
    }
    return BERTH_OK;
}

// A caller's matrix is a rotation up to BI_ROTATION_NEAR; it is made one up to rounding, since the bounds of
// the rooms above take that for granted. Rotations that are already exact keep their bits.
static bool repair_pose(Pose* pose) {
    const Vec3 x = pose->x, y = pose->y, z = pose->z;
    const double off = fmax(fmax(fabs(v3_length_sq(x) - 1), fabs(v3_length_sq(y) - 1)),
                            fmax(fabs(v3_length_sq(z) - 1), v3_distance(v3_cross(x, y), z)));

    const Vec3 t = v3_abs(pose->t);
    const bool usable = off <= BI_ROTATION_NEAR && t.x <= BI_COORDINATE_MAX && t.y <= BI_COORDINATE_MAX &&
                        t.z <= BI_COORDINATE_MAX;
    if (usable && off > BI_ROTATION_EXACT) {
        *pose = bi_pose_from_unit_quat(berth_pose_to_quat(pose), pose->t);
    }
    return usable;
}

static bool is_axis_needed(BerthJointType type) {
    return type != BERTH_JOINT_FIXED && type != BERTH_JOINT_FLOATING;
}

// Limits beyond what values may be at all are drawn in; such files mean "no limit".
static BerthStatus repair_limits(BerthJointDef* def) {
    const bool limited = def->type == BERTH_JOINT_REVOLUTE || def->type == BERTH_JOINT_PRISMATIC;
    def->has_limits = def->has_limits && limited;
    if (!def->has_limits) {
        def->lower = def->upper = 0.0;
        return BERTH_OK;
    }

    if (!isfinite(def->lower) || !isfinite(def->upper) || def->lower > def->upper) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "joint '%s': lower limit %g, upper limit %g: must be finite, lower <= upper",
                       def->name, def->lower, def->upper);
    }

    const double most = def->type == BERTH_JOINT_REVOLUTE ? BI_ANGLE_MAX : BI_COORDINATE_MAX;
    if (def->lower > most || def->upper < -most) {
        return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s': limits [%g, %g] are beyond %g", def->name, def->lower,
                       def->upper, most);
    }

    def->lower = fmax(def->lower, -most);
    def->upper = fmin(def->upper, most);
    return BERTH_OK;
}

static BerthStatus repair_joint(BerthJointDef* def) {
    if (def->type < BERTH_JOINT_FIXED || def->type > BERTH_JOINT_PLANAR) {
        return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s': unknown type %d", def->name, (int)def->type);
    }
    if (!repair_pose(&def->parent_from_joint)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "joint '%s': its pose is not a rotation and a translation within %g m", def->name,
                       BI_COORDINATE_MAX);
    }

    if (is_axis_needed(def->type)) {
        // Divided by the largest part first, so that tiny and huge axes neither under- nor overflow.
        const Vec3 a = v3_abs(def->axis);
        const double largest = fmax(a.x, fmax(a.y, a.z));
        if (!v3_finite(def->axis) || !(largest > 0.0)) {
            return bi_fail(BERTH_ERR_ARGUMENT,
                           "joint '%s': its axis is %g %g %g, must be finite and not zero", def->name,
                           def->axis.x, def->axis.y, def->axis.z);
        }
        const Vec3 b = v3(def->axis.x / largest, def->axis.y / largest, def->axis.z / largest);
        const double length = v3_length(b);
        def->axis = v3(b.x / length, b.y / length, b.z / length);
    } else if (!v3_finite(def->axis)) {
        def->axis = v3(0, 0, 0);
    }

    if (!(def->velocity >= 0.0 && def->effort >= 0.0) || !isfinite(def->velocity) || !isfinite(def->effort)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "joint '%s': velocity limit %g, effort limit %g: must be finite and >= 0", def->name,
                       def->velocity, def->effort);
    }

    if (def->mimic != NULL && (!isfinite(def->mimic_multiplier) || !isfinite(def->mimic_offset))) {
        return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s': mimic multiplier %g, offset %g: must be finite",
                       def->name, def->mimic_multiplier, def->mimic_offset);
    }
    return repair_limits(def);
}

BerthStatus berth_robot_add_joint(BerthRobotBuilder* builder, const BerthJointDef* def, int32_t* index) {
    if (builder == NULL || def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "joint def: start from berth_default_joint_def()");
    }
    if (def->name == NULL || def->name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a joint needs a name");
    }

    const bool is_base = builder->base_name != NULL && strcmp(builder->base_name, def->name) == 0;
    if (is_base || bi_robot_builder_find_joint(builder, def->name) >= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "there are two joints named '%s'", def->name);
    }
    if (!is_link(builder, def->parent_link) || !is_link(builder, def->child_link)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "joint '%s': links %d and %d, there are %zu", def->name,
                       def->parent_link, def->child_link, builder->link_count);
    }

    if (builder->joint_count >= BI_ROBOT_LINK_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d joints", BI_ROBOT_LINK_MAX);
    }

    BuildJoint joint = {.def = *def};
    const BerthStatus status = repair_joint(&joint.def);
    if (status != BERTH_OK) {
        return status;
    }

    const int32_t place = (int32_t)builder->joint_count;
    joint.def.name = copy_text(builder, def->name);
    joint.def.mimic = def->mimic != NULL ? copy_text(builder, def->mimic) : NULL;
    const bool copied = joint.def.name != NULL && (def->mimic == NULL || joint.def.mimic != NULL);
    if (!copied || !GROW(builder, joint) ||
        !bi_names_add(&builder->joint_names, &builder->arena, joint.def.name, place)) {
        return no_memory();
    }

    builder->joints[builder->joint_count++] = joint;
    if (index != NULL) {
        *index = place;
    }
    return BERTH_OK;
}

static BerthStatus check_solid(const BerthRobotBuilder* builder, int32_t link, const BerthSolid* solid,
                               Pose* pose) {
    if (builder == NULL || solid == NULL || !is_link(builder, link)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a solid needs a builder and a link (%d)", link);
    }

    if (solid_is_empty(solid)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "link '%s': a map without any obstacle is no body",
                       builder->links[link]);
    }
    if (builder->solid_count >= BI_ROBOT_SOLID_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d collision geometries", BI_ROBOT_SOLID_MAX);
    }
    if (!repair_pose(pose)) {
        return bi_fail(BERTH_ERR_ARGUMENT,
                       "link '%s': a collision's pose is not a rotation and a translation within %g m",
                       builder->links[link], BI_COORDINATE_MAX);
    }
    return BERTH_OK;
}

BerthStatus berth_robot_add_solid(BerthRobotBuilder* builder, int32_t link, const BerthPose* link_from_solid,
                                  BerthSolid* solid, const char* source) {
    Pose pose = link_from_solid != NULL ? *link_from_solid : pose_identity();
    BerthStatus status = check_solid(builder, link, solid, &pose);
    const char* text = NULL;
    if (status == BERTH_OK) {
        text = copy_text(builder, source != NULL ? source : "");
        if (text == NULL || !GROW(builder, solid)) {
            status = no_memory();
        }
    }

    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }

    builder->solids[builder->solid_count++] =
        (BuildSolid){.solid = solid, .source = text, .link = link, .link_from_solid = pose};
    return BERTH_OK;
}

BerthStatus berth_robot_set_free_base(BerthRobotBuilder* builder, const char* name, BerthJointType type) {
    if (builder == NULL || name == NULL || name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a free base needs a name");
    }
    if (type != BERTH_JOINT_PLANAR && type != BERTH_JOINT_FLOATING) {
        return bi_fail(BERTH_ERR_ARGUMENT, "virtual joint '%s': a free base is planar or floating", name);
    }
    if (bi_robot_builder_find_joint(builder, name) >= 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "there are two joints named '%s'", name);
    }

    const char* copy = copy_text(builder, name);
    if (copy == NULL) {
        return no_memory();
    }

    builder->base_name = copy;
    builder->base_type = type;
    return BERTH_OK;
}

BerthStatus berth_robot_use_listed_pairs(BerthRobotBuilder* builder) {
    if (builder == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot builder is null");
    }
    builder->listed_pairs = true;
    return BERTH_OK;
}

// From the first pair on, the pairs are those that were listed.
static BerthStatus start_listed_pair(BerthRobotBuilder* builder, int32_t a, int32_t b) {
    if (builder == NULL || !is_link(builder, a) || !is_link(builder, b) || a == b) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: links %d and %d are no pair", a, b);
    }
    builder->listed_pairs = true;
    return BERTH_OK;
}

BerthStatus berth_robot_disable_pair(BerthRobotBuilder* builder, int32_t link_a, int32_t link_b,
                                     const char* reason) {
    const BerthStatus status = start_listed_pair(builder, link_a, link_b);
    if (status != BERTH_OK) {
        return status;
    }

    const char* text = copy_text(builder, reason != NULL ? reason : "");
    if (text == NULL || !grow_by_one(&builder->arena, (void**)&builder->disabled, builder->disabled_count,
                                     &builder->disabled_capacity, sizeof *builder->disabled)) {
        return no_memory();
    }

    const int32_t low = link_a < link_b ? link_a : link_b;
    builder->disabled[builder->disabled_count++] = (BuildPair){low, link_a + link_b - low, text};
    return BERTH_OK;
}

BerthStatus berth_robot_enable_pair(BerthRobotBuilder* builder, int32_t link_a, int32_t link_b) {
    const BerthStatus status = start_listed_pair(builder, link_a, link_b);
    if (status != BERTH_OK) {
        return status;
    }
    if (!grow_by_one(&builder->arena, (void**)&builder->enabled, builder->enabled_count,
                     &builder->enabled_capacity, sizeof *builder->enabled)) {
        return no_memory();
    }
    const int32_t low = link_a < link_b ? link_a : link_b;
    builder->enabled[builder->enabled_count++] = (BuildPair){low, link_a + link_b - low, ""};
    return BERTH_OK;
}

BerthStatus bi_robot_builder_disable_link(BerthRobotBuilder* builder, int32_t link) {
    if (builder == NULL || !is_link(builder, link)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: no link %d", link);
    }

    if ((size_t)link >= builder->link_disabled_count) {
        uint8_t* larger = bi_arena_take(&builder->arena, builder->link_count, 1);
        if (larger == NULL) {
            return no_memory();
        }

        if (builder->link_disabled_count > 0) {
            memcpy(larger, builder->link_disabled, builder->link_disabled_count);
        }
        builder->link_disabled = larger;
        builder->link_disabled_count = builder->link_count;
    }

    builder->link_disabled[link] = 1;
    builder->listed_pairs = true;
    return BERTH_OK;
}

BerthStatus berth_robot_add_state(BerthRobotBuilder* builder, const char* group, const char* name,
                                  int32_t* index) {
    if (builder == NULL || name == NULL || name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a state needs a name");
    }
    if (builder->state_count >= BI_ROBOT_LIST_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d named states", BI_ROBOT_LIST_MAX);
    }

    const char* group_copy = copy_text(builder, group != NULL ? group : "");
    const char* name_copy = copy_text(builder, name);
    if (group_copy == NULL || name_copy == NULL || !GROW(builder, state)) {
        return no_memory();
    }

    if (index != NULL) {
        *index = (int32_t)builder->state_count;
    }
    builder->states[builder->state_count++] = (BuildState){group_copy, name_copy};
    return BERTH_OK;
}

BerthStatus berth_robot_add_state_value(BerthRobotBuilder* builder, int32_t state, const char* joint,
                                        const double* values, int32_t count) {
    if (builder == NULL || joint == NULL || values == NULL || state < 0 ||
        (size_t)state >= builder->state_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: no state %d", state);
    }

    const bool is_base = builder->base_name != NULL && strcmp(builder->base_name, joint) == 0;
    const int32_t place = is_base ? -1 : bi_robot_builder_find_joint(builder, joint);
    if (!is_base && place < 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%s': there is no joint '%s'", builder->states[state].name,
                       joint);
    }

    const BerthJointType type = is_base ? builder->base_type : builder->joints[place].def.type;
    const int32_t wanted = bi_joint_value_count(type);
    if (count != wanted && type != BERTH_JOINT_FIXED) {
        return bi_fail(BERTH_ERR_ARGUMENT, "state '%s': joint '%s' has %d value%s, %d given",
                       builder->states[state].name, joint, wanted, wanted == 1 ? "" : "s", count);
    }

    if (!GROW(builder, state_value)) {
        return no_memory();
    }

    BuildStateValue entry = {.state = state, .joint = place, .count = wanted};
    for (int32_t i = 0; i < wanted; ++i) {
        if (!isfinite(values[i])) {
            return bi_fail(BERTH_ERR_ARGUMENT, "state '%s': joint '%s': a value is not finite",
                           builder->states[state].name, joint);
        }
        entry.values[i] = values[i];
    }

    builder->state_values[builder->state_value_count++] = entry;
    return BERTH_OK;
}

BerthStatus berth_robot_add_group(BerthRobotBuilder* builder, const char* name, const int32_t* joints,
                                  int32_t joint_count) {
    if (builder == NULL || name == NULL || name[0] == '\0' || joint_count < 0 ||
        (joints == NULL && joint_count > 0)) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: a group needs a name and joints");
    }

    for (int32_t i = 0; i < joint_count; ++i) {
        const bool is_base = joints[i] == -1 && builder->base_name != NULL;
        if (!is_base && (joints[i] < 0 || (size_t)joints[i] >= builder->joint_count)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "group '%s': there is no joint %d", name, joints[i]);
        }
    }

    if (builder->group_count >= BI_ROBOT_LIST_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d groups", BI_ROBOT_LIST_MAX);
    }

    const char* copy = copy_text(builder, name);
    int32_t* list = bi_arena_take(&builder->arena, (size_t)joint_count, sizeof *list);
    if (copy == NULL || list == NULL || !GROW(builder, group)) {
        return no_memory();
    }

    if (joint_count > 0) {
        memcpy(list, joints, (size_t)joint_count * sizeof *list);
    }
    builder->groups[builder->group_count++] = (RobotGroup){copy, list, joint_count};
    return BERTH_OK;
}
