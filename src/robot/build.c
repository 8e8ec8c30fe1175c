// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Building a robot: one tree of links, mimics resolved to the joints that they finally follow, fixed joints
// merged into frames, the layout of states. Every loop is linear in the robot; none follows the input's depth
// recursively.
// Entry: berth_robot_build.

#include "robot/builder.h"

#include <stdio.h>
#include <string.h>

// Scratch of one build; lives in the builder's arena.
typedef struct Build {
    BerthRobotBuilder* builder;
    BerthRobot* robot;
    BerthRobotFault* fault;
    int32_t link_count, joint_count;  // the free base is not counted
    int32_t* parent_joint;            // of each link, or -1
    int32_t* first_child;             // joint of each link, or -1
    int32_t* next_child;              // joint after each joint with the same parent, or -1
    int32_t root;
} Build;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
}

static BerthStatus note_fault(Build* build, int32_t link, int32_t joint) {
    *build->fault = (BerthRobotFault){link, joint};
    return BERTH_ERR_ARGUMENT;
}

static const char* link_name(const Build* build, int32_t link) {
    return build->builder->links[link];
}

static const char* joint_name(const Build* build, int32_t joint) {
    return build->builder->joints[joint].def.name;
}

// ---- one tree ---------------------------------------------------------------------------------------------

static BerthStatus find_parents(Build* build) {
    for (int32_t i = 0; i < build->link_count; ++i) {
        build->parent_joint[i] = build->first_child[i] = -1;
    }

    for (int32_t j = 0; j < build->joint_count; ++j) {
        const BerthJointDef* def = &build->builder->joints[j].def;
        if (def->parent_link == def->child_link) {
            return bi_fail(note_fault(build, def->child_link, j), "joint '%s' joins link '%s' to itself",
                           def->name, link_name(build, def->child_link));
        }

        const int32_t other = build->parent_joint[def->child_link];
        if (other >= 0) {
            return bi_fail(note_fault(build, def->child_link, j),
                           "link '%s' has two parents: by joint '%s' and by joint '%s'",
                           link_name(build, def->child_link), joint_name(build, other), def->name);
        }
        build->parent_joint[def->child_link] = j;
    }

    // Backward, so that children stay in document order.
    for (int32_t j = build->joint_count - 1; j >= 0; --j) {
        const int32_t parent = build->builder->joints[j].def.parent_link;
        build->next_child[j] = build->first_child[parent];
        build->first_child[parent] = j;
    }
    return BERTH_OK;
}

// Names the loop above `link`: whoever climbs link_count steps from it is inside.
static BerthStatus fail_loop(Build* build, int32_t link) {
    for (int32_t step = 0; step < build->link_count && build->parent_joint[link] >= 0; ++step) {
        link = build->builder->joints[build->parent_joint[link]].def.parent_link;
    }

    char text[512];
    size_t length = 0;
    int32_t at = link;
    for (int32_t shown = 0; shown < 8; ++shown) {
        const int n = snprintf(text + length, sizeof text - length, "'%.40s' < ", link_name(build, at));
        length += n > 0 ? (size_t)n : 0;
        at = build->builder->joints[build->parent_joint[at]].def.parent_link;
        if (at == link) {
            break;
        }
    }

    snprintf(text + length, sizeof text - length, "%s", at == link ? "" : "... < ");
    return bi_fail(note_fault(build, link, build->parent_joint[link]), "links form a loop: %s'%.40s'", text,
                   link_name(build, link));
}

static BerthStatus find_root(Build* build) {
    build->root = -1;
    for (int32_t i = 0; i < build->link_count; ++i) {
        if (build->parent_joint[i] >= 0) {
            continue;
        }

        if (build->root >= 0) {
            return bi_fail(
                note_fault(build, i, -1),
                "links '%s' and '%s' are both roots: a robot is one tree, and no joint leads to either",
                link_name(build, build->root), link_name(build, i));
        }
        build->root = i;
    }
    if (build->root < 0) {
        return fail_loop(build, 0);
    }
    return BERTH_OK;
}

// The link after `link` in preorder, or -1. Climbs instead of keeping a stack.
static int32_t next_link(const Build* build, int32_t link) {
    int32_t joint = build->first_child[link];
    while (joint < 0 && build->parent_joint[link] >= 0) {
        const int32_t up = build->parent_joint[link];
        joint = build->next_child[up];
        link = build->builder->joints[up].def.parent_link;
    }
    return joint >= 0 ? build->builder->joints[joint].def.child_link : -1;
}

static BerthStatus find_tree(Build* build) {
    BerthStatus status = find_parents(build);
    if (status == BERTH_OK) {
        status = find_root(build);
    }
    if (status != BERTH_OK) {
        return status;
    }

    uint8_t* seen = bi_arena_take(&build->builder->arena, (size_t)build->link_count, 1);
    if (seen == NULL) {
        return no_memory();
    }

    int32_t count = 0;
    for (int32_t link = build->root; link >= 0; link = next_link(build, link)) {
        seen[link] = 1;
        ++count;
    }

    for (int32_t i = 0; i < build->link_count && count < build->link_count; ++i) {
        if (!seen[i]) {
            return fail_loop(build, i);
        }
    }
    return BERTH_OK;
}

// ---- mimics -----------------------------------------------------------------------------------------------

// The joint that `joint` follows directly, -1 for none, -2 when that failed.
static int32_t find_leader(Build* build, int32_t joint) {
    const BerthJointDef* def = &build->builder->joints[joint].def;
    if (def->mimic == NULL || def->type == BERTH_JOINT_FIXED) {
        return -1;
    }

    const int32_t leader = bi_robot_builder_find_joint(build->builder, def->mimic);
    if (leader < 0) {
        bi_fail(note_fault(build, -1, joint), "joint '%s' mimics '%s', which does not exist", def->name,
                def->mimic);
        return -2;
    }

    const BerthJointType type = build->builder->joints[leader].def.type;
    if (bi_joint_value_count(def->type) > 1 || bi_joint_value_count(type) > 1) {
        bi_fail(note_fault(build, -1, joint),
                "joint '%s' mimics '%s': floating and planar joints cannot take part in a mimic", def->name,
                def->mimic);
        return -2;
    }

    return leader;
}

static void resolve_mimic(BuildJoint* joints, int32_t joint, int32_t leader) {
    BuildJoint* self = &joints[joint];
    if (leader < 0) {
        self->root = joint;
        self->multiplier = 1.0;
        self->offset = 0.0;
        self->rigid = self->def.type == BERTH_JOINT_FIXED;
        return;
    }

    // value = m * leader + o and leader = M * root + O. A fixed leader's value is 0.
    const BuildJoint* lead = &joints[leader];
    self->root = lead->root;
    self->multiplier = lead->rigid ? 0.0 : self->def.mimic_multiplier * lead->multiplier;
    self->offset = self->def.mimic_multiplier * lead->offset + self->def.mimic_offset;
    self->rigid = self->multiplier == 0.0;
}

static BerthStatus resolve_mimics(Build* build) {
    BuildJoint* joints = build->builder->joints;
    int32_t* path = bi_arena_take(&build->builder->arena, (size_t)build->joint_count, sizeof *path);
    if (path == NULL) {
        return no_memory();
    }

    for (int32_t j = 0; j < build->joint_count; ++j) {
        joints[j].root = -1;
        joints[j].depth = -1;
    }

    for (int32_t j = 0; j < build->joint_count; ++j) {
        // Up to the joint that leads, or to one that is resolved already.
        int32_t length = 0;
        int32_t leader = -1;
        for (int32_t at = j; at >= 0 && joints[at].root < 0; at = leader) {
            if (joints[at].depth == j) {
                return bi_fail(note_fault(build, -1, at), "joint '%s' mimics itself by way of '%s'",
                               joint_name(build, at), joints[at].def.mimic);
            }
            joints[at].depth = j;  // seen on this way
            leader = find_leader(build, at);
            if (leader < -1) {
                return BERTH_ERR_ARGUMENT;
            }
            path[length++] = at;
        }

        // Back down: each is expressed by what its leader follows.
        for (int32_t i = length - 1; i >= 0; --i) {
            resolve_mimic(joints, path[i], i + 1 < length ? path[i + 1] : leader);
            const BuildJoint* done = &joints[path[i]];
            if (!isfinite(done->multiplier) || !isfinite(done->offset)) {
                return bi_fail(note_fault(build, -1, path[i]),
                               "joint '%s': its chain of mimics multiplies up to infinity", done->def.name);
            }
        }
    }
    return BERTH_OK;
}

// ---- joints, values ---------------------------------------------------------------------------------------

static void add_values(BerthRobot* robot, int32_t joint) {
    BerthJointInfo* info = &robot->joints[joint];
    info->first_value = robot->value_count;
    info->value_count = bi_joint_value_count(info->type);
    for (int32_t k = 0; k < info->value_count; ++k) {
        robot->values[robot->value_count++] = (RobotValue){.joint = joint,
                                                           .component = k,
                                                           .type = info->type,
                                                           .has_limits = info->has_limits,
                                                           .lower = info->lower,
                                                           .upper = info->upper};
    }
}

static BerthStatus add_base_joint(Build* build) {
    BerthRobot* robot = build->robot;
    const BerthRobotBuilder* builder = build->builder;
    const char* name = bi_arena_copy_text(&robot->arena, builder->base_name, strlen(builder->base_name));
    if (name == NULL || !bi_names_add(&robot->joint_names, &robot->arena, name, build->joint_count)) {
        return no_memory();
    }

    robot->joints[build->joint_count] = (BerthJointInfo){.name = name,
                                                         .type = builder->base_type,
                                                         .parent_link = -1,
                                                         .child_link = build->root,
                                                         .axis = {0, 0, 1},
                                                         .mimic = -1,
                                                         .mimic_multiplier = 1.0,
                                                         .first_value = -1};

    add_values(robot, build->joint_count);
    return BERTH_OK;
}

static BerthStatus fill_joints(Build* build) {
    BerthRobot* robot = build->robot;
    BuildJoint* joints = build->builder->joints;
    const bool free_base = build->builder->base_name != NULL;

    robot->joint_count = build->joint_count + free_base;
    robot->joints = bi_arena_take(&robot->arena, (size_t)robot->joint_count, sizeof *robot->joints);
    robot->values = bi_arena_take(&robot->arena, 7 * (size_t)robot->joint_count, sizeof *robot->values);
    if (robot->joints == NULL || robot->values == NULL) {
        return no_memory();
    }

    if (free_base && add_base_joint(build) != BERTH_OK) {  // its values come first, its index last
        return BERTH_ERR_MEMORY;
    }

    for (int32_t j = 0; j < build->joint_count; ++j) {
        const BuildJoint* from = &joints[j];
        const char* name = bi_arena_copy_text(&robot->arena, from->def.name, strlen(from->def.name));
        if (name == NULL || !bi_names_add(&robot->joint_names, &robot->arena, name, j)) {
            return no_memory();
        }

        robot->joints[j] = (BerthJointInfo){.name = name,
                                            .type = from->def.type,
                                            .parent_link = from->def.parent_link,
                                            .child_link = from->def.child_link,
                                            .axis = from->def.axis,
                                            .has_limits = from->def.has_limits,
                                            .lower = from->def.lower,
                                            .upper = from->def.upper,
                                            .velocity = from->def.velocity,
                                            .effort = from->def.effort,
                                            .mimic = from->root == j ? -1 : from->root,
                                            .mimic_multiplier = from->multiplier,
                                            .mimic_offset = from->offset,
                                            .first_value = -1};

        if (from->root == j && !from->rigid) {
            add_values(robot, j);
        }
    }

    return BERTH_OK;
}

// ---- frames -----------------------------------------------------------------------------------------------

// The directions of x and y in the plane with this normal: x and y of the joint's frame, turned by the shortest
// rotation that brings z to the normal (about x where that is half a turn).
static void plane_directions(Vec3 n, Vec3 across[2]) {
    const double flat_sq = n.x * n.x + n.y * n.y;
    if (n.z < 0.0 && !(flat_sq > 0.0)) {
        across[0] = v3(1, 0, 0);
        across[1] = v3(0, -1, 0);
        return;
    }

    const double k =
        n.z < 0.0 ? (1.0 - n.z) / flat_sq : 1.0 / (1.0 + n.z);  // 1 / (1 + n.z), never cancelling
    across[0] = v3(1.0 - k * n.x * n.x, -k * n.x * n.y, -n.x);
    across[1] = v3(-k * n.x * n.y, 1.0 - k * n.y * n.y, -n.y);
}

static void set_motion(RobotFrame* frame, BerthJointType type, Vec3 axis) {
    frame->axis = axis;
    switch (type) {
    case BERTH_JOINT_FLOATING:
        frame->motion = FRAME_FLOATING;
        return;
    case BERTH_JOINT_PLANAR:
        frame->motion = FRAME_PLANAR;
        plane_directions(axis, frame->across);
        return;
    case BERTH_JOINT_PRISMATIC:
        frame->motion = FRAME_SLIDE;
        break;
    default:
        frame->motion = FRAME_TURN;
        break;
    }

    // Along x, y or z the step is shorter; an axis the other way round turns the value's sign.
    const bool on_x = axis.y == 0.0 && axis.z == 0.0;
    const bool on_y = axis.x == 0.0 && axis.z == 0.0;
    const bool on_z = axis.x == 0.0 && axis.y == 0.0;
    if (on_x || on_y || on_z) {
        if (axis.x + axis.y + axis.z < 0.0) {
            frame->multiplier = -frame->multiplier;
            frame->offset = -frame->offset;
        }

        frame->axis = v3(on_x ? 1 : 0, on_y ? 1 : 0, on_z ? 1 : 0);

        if (frame->motion == FRAME_TURN) {
            if (on_x) {
                frame->motion = FRAME_TURN_X;
            } else {
                frame->motion = on_y ? FRAME_TURN_Y : FRAME_TURN_Z;
            }
        }
    }
}

static int32_t add_frame(Build* build, int32_t parent, int32_t joint, int32_t link,
                         const Pose* parent_from_joint) {
    BerthRobot* robot = build->robot;
    const BerthJointInfo* info = &robot->joints[joint];
    RobotFrame* frame = &robot->frames[robot->frame_count];
    *frame = (RobotFrame){.parent = parent,
                          .joint = joint,
                          .link = link,
                          .multiplier = info->mimic_multiplier,
                          .offset = info->mimic_offset,
                          .parent_from_joint = *parent_from_joint};

    frame->value = robot->joints[info->mimic >= 0 ? info->mimic : joint].first_value;
    set_motion(frame, info->type, info->axis);
    return robot->frame_count++;
}

// Where a joint puts its child when it never moves: fixed, or held by a mimic at a constant.
static Pose rigid_pose(const BuildJoint* joint, const Pose* frame_from_parent_link) {
    RobotFrame still = {.multiplier = 0.0, .offset = joint->offset, .value = 0};
    still.parent_from_joint = joint->def.parent_from_joint;
    if (joint->def.type == BERTH_JOINT_FIXED) {
        return pose_mul(frame_from_parent_link, &still.parent_from_joint);
    }

    set_motion(&still, joint->def.type, joint->def.axis);
    const double zero = 0.0;
    Pose out;
    bi_robot_frame_step(&still, frame_from_parent_link, &zero, &out);
    return out;
}

static void place_link(Build* build, int32_t link) {
    BerthRobot* robot = build->robot;
    const int32_t j = build->parent_joint[link];
    RobotLink* self = &robot->links[link];

    self->parent_joint = j;
    if (j < 0) {  // the root
        const Pose still = pose_identity();
        self->frame_from_link = still;
        self->frame = 0;
        if (build->builder->base_name != NULL) {
            self->frame = add_frame(build, 0, build->joint_count, link, &still);
        }
        return;
    }

    const BuildJoint* joint = &build->builder->joints[j];
    const RobotLink* parent = &robot->links[joint->def.parent_link];
    if (joint->rigid) {
        self->frame = parent->frame;
        self->frame_from_link = rigid_pose(joint, &parent->frame_from_link);
        return;
    }

    const Pose frame_from_joint = pose_mul(&parent->frame_from_link, &joint->def.parent_from_joint);
    self->frame = add_frame(build, parent->frame, j, link, &frame_from_joint);
    self->frame_from_link = pose_identity();
}

static BerthStatus fill_frames(Build* build) {
    BerthRobot* robot = build->robot;
    const size_t most = (size_t)robot->joint_count + 1;
    robot->frames = bi_arena_take(&robot->arena, most, sizeof *robot->frames);
    robot->links = bi_arena_take(&robot->arena, (size_t)build->link_count, sizeof *robot->links);
    if (robot->frames == NULL || robot->links == NULL) {
        return no_memory();
    }

    robot->link_count = build->link_count;
    for (int32_t i = 0; i < build->link_count; ++i) {
        const char* name = link_name(build, i);
        const char* copy = bi_arena_copy_text(&robot->arena, name, strlen(name));
        if (copy == NULL || !bi_names_add(&robot->link_names, &robot->arena, copy, i)) {
            return no_memory();
        }
        robot->links[i].name = copy;
    }

    robot->frames[0] = (RobotFrame){.parent = -1,
                                    .joint = -1,
                                    .value = -1,
                                    .link = build->builder->base_name != NULL ? -1 : build->root,
                                    .parent_from_joint = pose_identity()};
    robot->frame_count = 1;

    for (int32_t link = build->root; link >= 0; link = next_link(build, link)) {
        place_link(build, link);
    }

    // In preorder a subtree ends where its last child's does.
    for (int32_t f = robot->frame_count - 1; f >= 0; --f) {
        RobotFrame* frame = &robot->frames[f];
        frame->end = frame->end > f + 1 ? frame->end : f + 1;
        if (f > 0 && robot->frames[frame->parent].end < frame->end) {
            robot->frames[frame->parent].end = frame->end;
        }
    }
    return BERTH_OK;
}

// ---- solids, states, groups -------------------------------------------------------------------------------

static BerthStatus fill_solids(Build* build) {
    BerthRobot* robot = build->robot;
    const BerthRobotBuilder* builder = build->builder;
    robot->solid_count = (int32_t)builder->solid_count;
    robot->solids = bi_arena_take(&robot->arena, builder->solid_count, sizeof *robot->solids);
    if (robot->solids == NULL) {
        return no_memory();
    }

    // Count solids a link, then give every link its range.
    for (size_t i = 0; i < builder->solid_count; ++i) {
        ++robot->links[builder->solids[i].link].solid_count;
    }
    int32_t first = 0;
    for (int32_t i = 0; i < robot->link_count; ++i) {
        RobotLink* link = &robot->links[i];
        link->first_solid = first;
        link->geometry = -1;
        if (link->solid_count > 0) {
            link->geometry = robot->geometry_count++;
        }
        first += link->solid_count;
        link->solid_count = 0;
    }

    if (robot->geometry_count > BI_ROBOT_GEOMETRY_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "%d links have collision geometry, at most %d can be checked",
                       robot->geometry_count, BI_ROBOT_GEOMETRY_MAX);
    }

    for (size_t i = 0; i < builder->solid_count; ++i) {
        const BuildSolid* from = &builder->solids[i];
        RobotLink* link = &robot->links[from->link];
        RobotSolid* to = &robot->solids[link->first_solid + link->solid_count++];
        *to = (RobotSolid){.link = from->link,
                           .frame = link->frame,
                           .solid = from->solid,
                           .link_from_solid = from->link_from_solid,
                           .frame_from_solid = pose_mul(&link->frame_from_link, &from->link_from_solid),
                           .source = bi_arena_copy_text(&robot->arena, from->source, strlen(from->source))};
        if (to->source == NULL) {
            return no_memory();
        }

        // Rounding of the pose is part of the radius.
        Vec3 centre;
        bi_robot_solid_ball(to->solid, &centre, &to->radius);
        to->centre = pose_apply(&to->frame_from_solid, centre);
        const Vec3 c = v3_abs(to->centre);
        const Vec3 t = v3_abs(to->frame_from_solid.t);
        to->radius += BI_DISTANCE_SLACK * (c.x + c.y + c.z + t.x + t.y + t.z + to->radius);
    }

    return BERTH_OK;
}

static BerthStatus fill_states(Build* build) {
    BerthRobot* robot = build->robot;
    const BerthRobotBuilder* builder = build->builder;
    robot->state_count = (int32_t)builder->state_count;
    robot->states = bi_arena_take(&robot->arena, builder->state_count, sizeof *robot->states);
    if (robot->states == NULL) {
        return no_memory();
    }

    // Bounded: a hostile file may have many states of a robot with many joints.
    const size_t most = (size_t)1 << 24;
    if (builder->state_count > 0 && (size_t)robot->value_count > most / builder->state_count) {
        return bi_fail(BERTH_ERR_CAPACITY, "%zu named states of %d values each are more than %zu numbers",
                       builder->state_count, robot->value_count, most);
    }

    for (size_t i = 0; i < builder->state_count; ++i) {
        const BuildState* from = &builder->states[i];
        RobotState* to = &robot->states[i];
        to->group = bi_arena_copy_text(&robot->arena, from->group, strlen(from->group));
        to->name = bi_arena_copy_text(&robot->arena, from->name, strlen(from->name));
        to->values = bi_arena_take(&robot->arena, (size_t)robot->value_count, sizeof *to->values);
        to->named = bi_arena_take(&robot->arena, (size_t)robot->value_count, sizeof *to->named);
        if (to->group == NULL || to->name == NULL || to->values == NULL || to->named == NULL) {
            return no_memory();
        }
    }

    for (size_t i = 0; i < builder->state_value_count; ++i) {
        const BuildStateValue* from = &builder->state_values[i];
        const BerthJointInfo* joint = &robot->joints[from->joint < 0 ? build->joint_count : from->joint];
        RobotState* to = &robot->states[from->state];
        for (int32_t k = 0; k < joint->value_count && joint->first_value >= 0; ++k) {
            to->values[joint->first_value + k] = from->values[k];
            to->named[joint->first_value + k] = 1;
        }
    }

    return BERTH_OK;
}

static BerthStatus fill_groups(Build* build) {
    BerthRobot* robot = build->robot;
    const BerthRobotBuilder* builder = build->builder;
    robot->group_count = (int32_t)builder->group_count;
    robot->groups = bi_arena_take(&robot->arena, builder->group_count, sizeof *robot->groups);
    if (robot->groups == NULL) {
        return no_memory();
    }

    for (size_t i = 0; i < builder->group_count; ++i) {
        const RobotGroup* from = &builder->groups[i];
        RobotGroup* to = &robot->groups[i];
        to->name = bi_arena_copy_text(&robot->arena, from->name, strlen(from->name));
        to->joints = bi_arena_take(&robot->arena, (size_t)from->joint_count, sizeof *to->joints);
        to->joint_count = from->joint_count;
        if (to->name == NULL || to->joints == NULL) {
            return no_memory();
        }

        for (int32_t k = 0; k < from->joint_count; ++k) {
            to->joints[k] = from->joints[k] >= 0 ? from->joints[k] : build->joint_count;
        }
    }

    return BERTH_OK;
}

// ---- all of it --------------------------------------------------------------------------------------------

// Spheres in the place of what was given: links keep their numbers, since each keeps some geometry.
static BerthStatus use_spheres(Build* build) {
    BerthRobot* robot = build->robot;
    if (build->builder->table_count > 0) {
        berth_robot_sum(robot, build->builder->original_sum);
    }

    int32_t link = -1;
    BerthStatus status = bi_robot_cover_links(robot, build->builder, &link);
    if (status != BERTH_OK) {
        *build->fault = (BerthRobotFault){link, -1};
        return status;
    }

    robot->geometry_count = 0;
    for (int32_t i = 0; i < robot->link_count; ++i) {
        robot->links[i].solid_count = 0;
    }
    status = fill_solids(build);
    return status == BERTH_OK ? bi_robot_find_reach(robot, &build->builder->arena) : status;
}

static BerthStatus run_build_steps(Build* build) {
    BerthRobotBuilder* builder = build->builder;
    if (builder->link_count == 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot '%s' has no links", builder->name);
    }

    const size_t links = builder->link_count;
    build->link_count = (int32_t)links;
    build->joint_count = (int32_t)builder->joint_count;
    build->parent_joint = bi_arena_take(&builder->arena, links, sizeof *build->parent_joint);
    build->first_child = bi_arena_take(&builder->arena, links, sizeof *build->first_child);
    build->next_child = bi_arena_take(&builder->arena, builder->joint_count, sizeof *build->next_child);
    build->robot->name = bi_arena_copy_text(&build->robot->arena, builder->name, strlen(builder->name));
    if (build->parent_joint == NULL || build->first_child == NULL || build->next_child == NULL ||
        build->robot->name == NULL) {
        return no_memory();
    }

    BerthStatus (*const steps[])(Build*) = {find_tree,   resolve_mimics, fill_joints, fill_frames,
                                            fill_solids, fill_states,    fill_groups};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
        const BerthStatus status = steps[i](build);
        if (status != BERTH_OK) {
            return status;
        }
    }

    // Tables come last: they are about the geometry that is used.
    BerthStatus status = bi_robot_find_reach(build->robot, &builder->arena);
    if (status == BERTH_OK) {
        status = bi_robot_find_pairs(build->robot, builder);
    }
    if (status == BERTH_OK && builder->sphere_most > 0) {
        status = use_spheres(build);
    }
    return status == BERTH_OK ? bi_robot_apply_tables(build->robot, builder) : status;
}

BerthStatus berth_robot_build(BerthRobotBuilder* builder, BerthRobot** out, BerthRobotFault* fault) {
    BerthRobotFault unused;
    fault = fault != NULL ? fault : &unused;
    *fault = (BerthRobotFault){-1, -1};
    if (builder == NULL || out == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "robot: builder or out is null");
    }

    *out = NULL;
    const BerthAllocator memory = builder->allocator;
    BerthRobot* robot = bi_take(&memory, 1, sizeof *robot);
    if (robot == NULL) {
        bi_robot_builder_clear(builder);
        return no_memory();
    }

    robot->allocator = memory;
    robot->kernels = bi_simd_kernels();
    bi_arena_init(&robot->arena, &memory, 0);
    Build build = {.builder = builder, .robot = robot, .fault = fault};

    const BerthStatus status = run_build_steps(&build);
    if (status == BERTH_OK) {
        builder->solid_count = 0;  // they are the robot's now
        *out = robot;
    } else {
        robot->solid_count = 0;  // they are still the builder's
        berth_robot_destroy(robot);
    }

    bi_robot_builder_clear(builder);
    return status;
}
