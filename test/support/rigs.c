// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Random robots of balls among plain obstacles.

#include "support/rigs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/meshes.h"
#include "support/must.h"

static int pick(Random* random, int count) {
    return (int)(bi_random_next(random) % (uint64_t)count);
}

static double between(Random* random, double low, double high) {
    return bi_random_between(random, low, high);
}

static bool chance(Random* random, double share) {
    return between(random, 0, 1) < share;
}

// hypot is right where squares would overflow, which they do not here.
static double length2(double x, double y) {
    return sqrt(x * x + y * y);
}

static double length3(double x, double y, double z) {
    return sqrt(x * x + y * y + z * z);
}

static double above(double x) {
    return x > 0.0 ? x : 0.0;
}

// ---- matrices ---------------------------------------------------------------------------------------------------

static void write_pose(const BerthPose* pose, double m[12]) {
    const BerthVec3 columns[4] = {pose->x, pose->y, pose->z, pose->t};
    for (int k = 0; k < 4; ++k) {
        m[3 * k] = columns[k].x;
        m[3 * k + 1] = columns[k].y;
        m[3 * k + 2] = columns[k].z;
    }
}

static void turn(const double m[12], const double v[3], double out[3]) {
    for (int row = 0; row < 3; ++row) {
        out[row] = m[row] * v[0] + m[3 + row] * v[1] + m[6 + row] * v[2];
    }
}

static void apply(const double m[12], const double v[3], double out[3]) {
    turn(m, v, out);
    for (int row = 0; row < 3; ++row) {
        out[row] += m[9 + row];
    }
}

static void multiply(const double a[12], const double b[12], double out[12]) {
    for (int k = 0; k < 3; ++k) {
        turn(a, b + 3 * k, out + 3 * k);
    }
    apply(a, b + 9, out + 9);
}

// Rodrigues' formula.
static void about(const double n[3], double angle, double out[12]) {
    const double s = sin(angle), c = cos(angle), k = 2.0 * sin(0.5 * angle) * sin(0.5 * angle);
    const double cross[9] = {0, n[2], -n[1], -n[2], 0, n[0], n[1], -n[0], 0};
    for (int column = 0; column < 3; ++column) {
        for (int row = 0; row < 3; ++row) {
            out[3 * column + row] =
                k * n[row] * n[column] + s * cross[3 * column + row] + (row == column ? c : 0.0);
        }
        out[9 + column] = 0.0;
    }
}

static void along(const double n[3], double far, double out[12]) {
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k < 3; ++k) {
        out[4 * k] = 1.0;
        out[9 + k] = n[k] * far;
    }
}

// ---- where everything is ----------------------------------------------------------------------------------------

static void joint_motion(const RigLink* link, const double* values, double out[12]) {
    const double value = values[link->value] * link->multiplier + link->offset;
    if (link->type == BERTH_JOINT_PRISMATIC) {
        along(link->axis, value, out);
    } else if (link->type == BERTH_JOINT_PLANAR) {  // its axis is z: the plane is that of x and y
        about(link->axis, values[link->value + 2], out);
        out[9] = values[link->value];
        out[10] = values[link->value + 1];
    } else {
        about(link->axis, value, out);
    }
}

static void place_balls(Rig* rig, const double* values) {
    double poses[RIG_LINKS][12];
    for (int i = 0; i < rig->link_count; ++i) {
        const RigLink* link = &rig->links[i];
        if (link->parent < 0) {
            memcpy(poses[i], link->m, sizeof poses[i]);
            continue;
        }
        double joint[12], motion[12];
        multiply(poses[link->parent], link->m, joint);
        joint_motion(link, values, motion);
        multiply(joint, motion, poses[i]);
    }
    for (int i = 0; i < rig->ball_count; ++i) {
        apply(poses[rig->balls[i].link], rig->balls[i].at, rig->at[i]);
    }
}

// From a point of a cone's half-plane (r, z) to the cone: to its slope, its base, or 0 inside.
static double cone_distance(double r, double z, double radius, double length) {
    const double h = 0.5 * length;
    const double dr = radius, dz = -length;  // from the tip to the rim
    double t = (r * dr + (z - h) * dz) / (dr * dr + dz * dz);
    t = fmin(fmax(t, 0.0), 1.0);
    const double slope = hypot(r - t * dr, z - h - t * dz);
    const bool under = (r * -dz + (z - h) * dr) <= 0.0;  // on the inner side of the slope
    if (under && z >= -h) {
        return 0.0;
    }
    const double base = r <= radius ? fabs(z + h) : hypot(r - radius, z + h);
    return fmin(slope, base);
}

static double shape_distance(const BerthShape* shape, const double p[3]) {
    const double r = length2(p[0], p[1]);
    switch (shape->kind) {
    case BERTH_SPHERE:
        return length2(r, p[2]) - shape->as.sphere.radius;
    case BERTH_CAPSULE:
        return length2(r, above(fabs(p[2]) - 0.5 * shape->as.capsule.length)) - shape->as.capsule.radius;
    case BERTH_BOX: {
        const double x = above(fabs(p[0]) - shape->as.box.half.x);
        const double y = above(fabs(p[1]) - shape->as.box.half.y);
        return length3(x, y, above(fabs(p[2]) - shape->as.box.half.z));
    }
    case BERTH_CYLINDER:
        return length2(above(r - shape->as.cylinder.radius),
                       above(fabs(p[2]) - 0.5 * shape->as.cylinder.length));
    case BERTH_CONE:
        return cone_distance(r, p[2], shape->as.cone.radius, shape->as.cone.length);
    default:
        return p[0] * shape->as.halfspace.normal.x + p[1] * shape->as.halfspace.normal.y +
               p[2] * shape->as.halfspace.normal.z - shape->as.halfspace.offset;
    }
}

static double block_distance(const RigBlock* block, const double at[3]) {
    double from[3], p[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = at[k] - block->m[9 + k];
    }
    for (int k = 0; k < 3; ++k) {
        p[k] = block->m[3 * k] * from[0] + block->m[3 * k + 1] * from[1] + block->m[3 * k + 2] * from[2];
    }
    return shape_distance(&block->shape, p) - block->padding;
}

double rig_gap(void* user, const double* values) {
    Rig* rig = user;
    double least = INFINITY;
    place_balls(rig, values);
    for (int i = 0; i < rig->ball_count; ++i) {
        const RigBall* a = &rig->balls[i];
        const RigLink* link = &rig->links[a->link];
        for (int k = 0; link->parent >= 0 && k < rig->block_count; ++k) {
            const double gap = block_distance(&rig->blocks[k], rig->at[i]) - rig->padding[link->robot];
            const double here = gap - a->radius - rig->margin;
            least = here < least ? here : least;
        }
        for (int k = 0; k < i; ++k) {
            const RigBall* b = &rig->balls[k];
            const RigLink* other = &rig->links[b->link];
            if (rig->skip[a->link][b->link] || (link->parent < 0 && other->parent < 0)) {
                continue;
            }
            const double* p = rig->at[i];
            const double* q = rig->at[k];
            const double apart = length3(p[0] - q[0], p[1] - q[1], p[2] - q[2]) - a->radius - b->radius;
            const bool self = link->robot == other->robot;
            least = fmin(
                least, apart - (self ? rig->self_margin
                                     : rig->margin + rig->padding[link->robot] + rig->padding[other->robot]));
        }
    }
    return least;
}

double rig_speed(const Rig* rig, const double* from, const double* to) {
    double arm[RIG_LINKS] = {0}, most = 0.0;
    for (int i = rig->link_count - 1; i > 0; --i) {  // of everything below
        for (int k = 0; k < rig->ball_count; ++k) {
            const double* at = rig->balls[k].at;
            arm[i] = rig->balls[k].link == i ? fmax(arm[i], length3(at[0], at[1], at[2])) : arm[i];
        }
        const RigLink* link = &rig->links[i];
        double slide = 0.0, rate = 0.0;
        for (int v = 0; link->parent >= 0 && v < (link->type == BERTH_JOINT_PLANAR ? 3 : 1); ++v) {
            const int at = link->value + v;
            const bool slides =
                link->type == BERTH_JOINT_PRISMATIC || (link->type == BERTH_JOINT_PLANAR && v < 2);
            slide += slides ? fmax(fabs(from[at]), fabs(to[at])) * fabs(link->multiplier) + fabs(link->offset)
                            : 0.0;
            rate += fabs(to[at] - from[at]) * fabs(link->multiplier) * (slides ? 1.0 : arm[i]);
        }
        most += rate;
        if (link->parent >= 0) {
            const double step = length3(link->m[9], link->m[10], link->m[11]);
            arm[link->parent] = fmax(arm[link->parent], arm[i] + step + slide);
        }
    }
    return 2.0 * most + 1e-9;
}

// ---- robots -----------------------------------------------------------------------------------------------------

static BerthJointType any_type(Random* random) {
    static const BerthJointType types[8] = {
        BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,   BERTH_JOINT_REVOLUTE,  BERTH_JOINT_REVOLUTE,
        BERTH_JOINT_CONTINUOUS, BERTH_JOINT_CONTINUOUS, BERTH_JOINT_PRISMATIC, BERTH_JOINT_PLANAR};
    return types[pick(random, 8)];
}

// Limits of all kinds: far on one side, beyond a whole turn, narrow.
static void set_limits(Random* random, const Rig* rig, RigLink* link) {
    const bool slides = link->type == BERTH_JOINT_PRISMATIC;
    const double unit = slides ? 0.4 * rig->size : 1.0;
    static const double limits[6][2] = {{-2.9, 2.9}, {-6.28, 6.28}, {0.1, 9.5},
                                        {-0.4, 0.3}, {-12.0, -3.0}, {-3.1, 0.0}};
    const int k = pick(random, 12);
    link->limited = link->type == BERTH_JOINT_REVOLUTE || (slides && chance(random, 0.7));
    link->lower = unit * (k < 6 ? limits[k][0] : -2.2);
    link->upper = unit * (k < 6 ? limits[k][1] : 2.6);
}

static void add_joint(Random* random, Rig* rig, BerthRobotBuilder* builder, int first, int link_index) {
    RigLink* link = &rig->links[link_index];
    char names[3][16];
    BerthJointDef def = berth_default_joint_def();
    const int leader = first + 1 + pick(random, link_index - first);
    const bool follows = leader < link_index && link->type != BERTH_JOINT_PLANAR &&
                         rig->links[leader].leader < 0 && rig->links[leader].type != BERTH_JOINT_PLANAR &&
                         chance(random, 0.15);
    link->value = rig->value_count;
    if (follows) {
        static const double multipliers[4] = {1.0, -1.0, 0.5, -1.7};
        link->leader = leader;
        link->value = rig->links[leader].value;
        link->multiplier = multipliers[pick(random, 4)];
        link->offset = between(random, -0.3, 0.3);
        snprintf(names[2], sizeof names[2], "joint%d", leader - first);
        def.mimic = names[2];
        def.mimic_multiplier = link->multiplier;
        def.mimic_offset = link->offset;
    } else {
        rig->value_count += link->type == BERTH_JOINT_PLANAR ? 3 : 1;
    }

    snprintf(names[1], sizeof names[1], "joint%d", link_index - first);
    def.name = names[1];
    def.type = link->type;
    def.parent_link = link->parent - first;
    def.child_link = link_index - first;
    def.axis = v3(link->axis[0], link->axis[1], link->axis[2]);
    const double* m = link->m;
    def.parent_from_joint =
        (BerthPose){v3(m[0], m[1], m[2]), v3(m[3], m[4], m[5]), v3(m[6], m[7], m[8]), v3(m[9], m[10], m[11])};
    def.has_limits = link->limited;
    def.lower = link->lower;
    def.upper = link->upper;
    MUST(berth_robot_add_joint(builder, &def, NULL));
}

static void any_axis(Random* random, RigLink* link) {
    const bool straight = link->type == BERTH_JOINT_PLANAR || chance(random, 0.5);
    const int k = link->type == BERTH_JOINT_PLANAR ? 2 : pick(random, 3);
    double length = 0.0;
    for (int i = 0; i < 3; ++i) {
        link->axis[i] = straight ? (double)(i == k) : between(random, -1, 1);
        length = hypot(length, link->axis[i]);
    }
    const double sign = link->type != BERTH_JOINT_PLANAR && chance(random, 0.3) ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) {
        link->axis[i] *= sign / length;
    }
}

static void any_link(Random* random, const Rig* rig, int first, int index, RigLink* link) {
    BerthPose pose = test_pose(random, 0.5 * rig->size / 4.0);
    if (chance(random, 0.5)) {  // right angles, as files have them
        const Vec3 t = pose.t;
        pose = berth_pose_identity();
        pose.t = t;
        if (chance(random, 0.5)) {
            pose = (BerthPose){v3(1, 0, 0), v3(0, 1e-8, 1), v3(0, -1, 1e-8), t};
        }
    }
    const bool branches = chance(random, 0.15);
    *link = (RigLink){.robot = rig->robot_count,
                      .parent = branches ? first + pick(random, index - first) : index - 1,
                      .type = any_type(random),
                      .leader = -1,
                      .multiplier = 1.0};
    any_axis(random, link);
    write_pose(&pose, link->m);
    set_limits(random, rig, link);
}

static void add_balls(Random* random, Rig* rig, BerthRobotBuilder* builder, int link, int first) {
    const int count = chance(random, 0.15) ? 0 : 1 + pick(random, 4);
    for (int i = 0; i < count && rig->ball_count < RIG_BALLS; ++i) {
        RigBall* ball = &rig->balls[rig->ball_count++];
        ball->link = link;
        ball->radius = rig->size * (chance(random, 0.2) ? 0.002 : between(random, 0.02, 0.06));
        for (int k = 0; k < 3; ++k) {
            ball->at[k] = between(random, -0.08, 0.08) * rig->size;
        }
        BerthShape shape;
        BerthSolid* solid = NULL;
        BerthPose pose = berth_pose_identity();
        pose.t = v3(ball->at[0], ball->at[1], ball->at[2]);
        MUST(berth_shape_sphere(ball->radius, &shape));
        MUST(berth_solid_from_shape(&shape, NULL, &solid));
        MUST(berth_robot_add_solid(builder, link - first, &pose, solid, "rig"));
    }
}

static void skip_pairs(Random* random, Rig* rig, BerthRobotBuilder* builder, int first) {
    MUST(berth_robot_use_listed_pairs(builder));
    for (int a = first; a < rig->link_count; ++a) {
        rig->skip[a][a] = true;
        for (int b = a + 1; b < rig->link_count; ++b) {
            const bool off = rig->links[b].parent == a || chance(random, 0.5);
            rig->skip[a][b] = rig->skip[b][a] = off;
            if (off) {
                MUST(berth_robot_disable_pair(builder, a - first, b - first, "rig"));
            }
        }
    }
}

static void add_robot(Random* random, Rig* rig, BerthVec3 place) {
    const int first = rig->link_count, links = 2 + pick(random, 8);
    BerthRobotBuilder* builder = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    char name[16];
    MUST(berth_robot_builder_create("rig", NULL, &builder));
    def.world_from_base = test_pose(random, 0.3 * rig->size);
    def.world_from_base.t = v3_add(def.world_from_base.t, place);
    rig->links[first] = (RigLink){.robot = rig->robot_count, .parent = -1, .leader = -1};
    write_pose(&def.world_from_base, rig->links[first].m);

    for (int i = first; i < first + links; ++i) {
        snprintf(name, sizeof name, "link%d", i - first);
        MUST(berth_robot_add_link(builder, name, NULL));
        rig->link_count += 1;
        if (i > first) {
            any_link(random, rig, first, i, &rig->links[i]);
        }
        add_balls(random, rig, builder, i, first);
    }
    for (int i = first + 1; i < first + links; ++i) {
        add_joint(random, rig, builder, first, i);
    }
    skip_pairs(random, rig, builder, first);
    MUST(berth_robot_build(builder, &def.robot, NULL));
    berth_robot_builder_destroy(builder);

    snprintf(name, sizeof name, "r%d", rig->robot_count);
    def.name = name;
    def.own = true;
    def.padding = chance(random, 0.3) ? between(random, 0, 0.02) * rig->size : 0.0;
    rig->padding[rig->robot_count++] = def.padding;
    MUST(berth_scene_add_robot(rig->scene, &def, NULL));
}

// ---- obstacles --------------------------------------------------------------------------------------------------

static BerthShape any_shape(Random* random, const Rig* rig) {
    BerthShape shape;
    const double s = rig->size * between(random, 0.02, 0.15);
    const double thin =
        chance(random, 0.4) ? fmin(between(random, 0.001, 0.002), s) : s * between(random, 0.3, 1);
    const double length = rig->size * between(random, 0.05, 0.5);
    switch (pick(random, 7)) {
    case 0:
        MUST(berth_shape_sphere(thin, &shape));
        break;
    case 1:
        MUST(berth_shape_capsule(thin, length, &shape));
        break;
    case 2:
        MUST(berth_shape_box(v3(length, s, thin), &shape));
        break;
    case 3:
        MUST(berth_shape_cylinder(thin, length, &shape));
        break;
    case 4:
        MUST(berth_shape_cylinder(length, thin, &shape));
        break;
    case 5:
        MUST(berth_shape_cone(s, length, &shape));
        break;
    default:
        MUST(berth_shape_box(v3(thin, thin, length), &shape));
        break;
    }
    return shape;
}

static void add_block(Random* random, Rig* rig, BerthVec3 place) {
    RigBlock* block = &rig->blocks[rig->block_count];
    BerthObjectDef def = berth_default_object_def();
    BerthPose pose = test_pose(random, 1.1 * rig->size);
    if (chance(random, 0.4)) {
        const Vec3 t = pose.t;
        pose = berth_pose_identity();
        pose.t = t;
    }
    block->shape = any_shape(random, rig);
    if (rig->block_count == 1 && chance(random, 0.4)) {
        MUST(berth_shape_halfspace(v3(between(random, -1, 1), 0.3, 1), -0.9 * rig->size, &block->shape));
        pose.t = v3(0, 0, 0);
    }
    pose.t = v3_add(pose.t, place);
    write_pose(&pose, block->m);
    block->padding = chance(random, 0.1) ? between(random, 0, 0.01) * rig->size : 0.0;

    char name[16];
    snprintf(name, sizeof name, "block%d", rig->block_count++);
    def.name = name;
    def.pose = pose;
    def.radius = block->padding;
    MUST(berth_solid_from_shape(&block->shape, NULL, &def.solid));
    MUST(berth_scene_add_object(rig->scene, &def, NULL));
}

Rig* rig_make(uint64_t seed) {
    static const double sizes[8] = {1, 1, 1, 1, 0.1, 0.1, 10, 100};
    Rig* rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    Random random = {seed * 0x9e3779b97f4a7c15u + 1};
    rig->seed = seed;
    rig->size = sizes[pick(&random, 8)];
    const Vec3 place = chance(&random, 0.25) ? v3(100, -60, 30) : v3(0, 0, 0);
    MUST(berth_scene_create(NULL, &rig->scene));

    const int robots = chance(&random, 0.25) ? 2 : 1;
    for (int i = 0; i < robots; ++i) {
        add_robot(&random, rig, place);
    }
    const int blocks = chance(&random, 0.3) ? 66 + pick(&random, 50) : 1 + pick(&random, 8);
    for (int i = 0; i < blocks; ++i) {
        add_block(&random, rig, place);
    }
    rig->margin = chance(&random, 0.3) ? between(&random, 0, 0.02) * rig->size : 0.0;
    rig->self_margin = chance(&random, 0.3) ? between(&random, 0, 0.02) * rig->size : rig->margin;
    MUST(berth_scene_commit(rig->scene));
    assert_int_equal(berth_scene_value_count(rig->scene), rig->value_count);
    return rig;
}

void rig_destroy(Rig* rig) {
    berth_scene_destroy(rig->scene);
    free(rig);
}

void rig_values(const Rig* rig, Random* random, bool wild, double* values) {
    for (int i = 0; i < rig->link_count; ++i) {
        const RigLink* link = &rig->links[i];
        if (link->parent < 0 || link->leader >= 0) {
            continue;
        }
        const bool slides = link->type == BERTH_JOINT_PRISMATIC;
        const double most = slides ? 0.5 * rig->size : 3.3;
        double* value = values + link->value;
        if (link->type == BERTH_JOINT_PLANAR) {
            value[0] = between(random, -0.5, 0.5) * rig->size;
            value[1] = between(random, -0.5, 0.5) * rig->size;
            value[2] = between(random, -4, 4) * (wild && chance(random, 0.3) ? 8.0 : 1.0);
        } else if (link->limited && !(wild && chance(random, 0.2))) {
            value[0] = between(random, link->lower, link->upper);
        } else {
            value[0] = between(random, -most, most) * (wild && !slides && chance(random, 0.4) ? 12.0 : 1.0);
        }
    }
}

bool rig_is_within(const Rig* rig, const double* values) {
    bool within = true;
    for (int i = 0; i < rig->link_count; ++i) {
        const RigLink* link = &rig->links[i];
        if (link->parent >= 0 && link->leader < 0 && link->limited && link->type != BERTH_JOINT_PLANAR) {
            within = within && values[link->value] >= link->lower && values[link->value] <= link->upper;
        }
    }
    return within;
}
