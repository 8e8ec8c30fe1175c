// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// See guard.h.

#include "support/guard.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/urdf_text.h"

const char kit_rail[] =
    "<robot name='r'><link name='base'/>"
    "<link name='carriage'><collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
    "<joint name='rail' type='prismatic'><parent link='base'/><child link='carriage'/><axis xyz='1 0 0'/>"
    "<limit lower='-5' upper='5' velocity='2' effort='1'/></joint></robot>";

const char kit_arm[] =
    "<robot name='r'><link name='base'/>"
    "<link name='one'><collision><origin xyz='0.25 0 0'/><geometry><box size='0.5 0.06 0.06'/></geometry>"
    "</collision></link>"
    "<link name='two'><collision><origin xyz='0.25 0 0'/><geometry><box size='0.5 0.05 0.05'/></geometry>"
    "</collision></link>"
    "<joint name='a' type='continuous'><parent link='base'/><child link='one'/><axis xyz='0 0 1'/>"
    "<limit velocity='2' effort='1'/></joint>"
    "<joint name='b' type='revolute'><parent link='one'/><child link='two'/><origin xyz='0.5 0 0'/>"
    "<axis xyz='0 0 1'/><limit lower='-2.5' upper='2.5' velocity='2' effort='1'/></joint></robot>";

static void need(BerthStatus status) {
    if (status != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
}

void kit_open(GuardKit* kit, const char* urdf, const char* srdf, bool free_base, BerthJointLimit limit) {
    memset(kit, 0, sizeof *kit);
    BerthSceneRobotDef robot = berth_default_scene_robot_def();
    need(berth_scene_create(NULL, &kit->scene));
    need(test_read_text(urdf, srdf, free_base, NULL, &robot.robot));
    robot.own = true;
    need(berth_scene_add_robot(kit->scene, &robot, NULL));
    for (int32_t j = 0; j < berth_robot_joint_count(robot.robot); ++j) {
        need(berth_scene_set_joint_limit(kit->scene, 0, j, &limit));
    }
    kit->count = berth_scene_value_count(kit->scene);
    assert_true(kit->count <= KIT_VALUES);
    kit->def = berth_default_monitor_def();
    kit->def.safety =
        (BerthSafety){.period = 0.001, .latency = 0.001, .reaction = 0.004, .silence = 0.005, .margin = 0.01};
    kit->stream = 7;
}

BerthObjectId kit_add(GuardKit* kit, const char* name, const BerthShape* shape, BerthVec3 at,
                      const BerthObjectDef* def) {
    BerthObjectDef object = def != NULL ? *def : berth_default_object_def();
    BerthObjectId id = {0, 0};
    object.name = name;
    object.pose = kit_at(at);
    need(berth_solid_from_shape(shape, NULL, &object.solid));
    need(berth_scene_add_object(kit->scene, &object, &id));
    if (object.moving || object.person) {
        assert_true(kit->object_count < KIT_OBJECTS);
        kit->objects[kit->object_count++] = (KitObject){id, object.pose};
    }
    return id;
}

void kit_start(GuardKit* kit) {
    need(berth_scene_commit(kit->scene));
    need(berth_monitor_create(kit->scene, &kit->def, &kit->monitor));
}

void kit_close(GuardKit* kit) {
    berth_monitor_destroy(kit->monitor);
    berth_scene_destroy(kit->scene);
}

BerthMonitorMessage kit_message(GuardKit* kit) {
    return (BerthMonitorMessage){.stream = kit->stream,
                                 .sequence = ++kit->sequence,
                                 .stamp = kit->now,
                                 .received = kit->now,
                                 .positions = kit->q,
                                 .velocities = kit->qd,
                                 .count = kit->count};
}

void kit_say_joints(GuardKit* kit) {
    const BerthMonitorMessage message = kit_message(kit);
    berth_monitor_receive(kit->monitor, &message);
}

void kit_say_points(GuardKit* kit, int32_t cloud) {
    const BerthMonitorPoints message = {.cloud = cloud,
                                        .stream = kit->stream,
                                        .sequence = ++kit->sequence,
                                        .stamp = kit->now,
                                        .received = kit->now,
                                        .total = kit->point_count[cloud],
                                        .alive = true,
                                        .points = kit->points[cloud],
                                        .count = kit->point_count[cloud]};
    berth_monitor_receive_points(kit->monitor, &message);
}

void kit_say_others(GuardKit* kit) {
    for (int32_t i = 0; i < kit->object_count; ++i) {
        const BerthMonitorPose message = {.object = kit->objects[i].id,
                                          .stream = kit->stream,
                                          .sequence = ++kit->sequence,
                                          .stamp = kit->now,
                                          .received = kit->now,
                                          .pose = kit->objects[i].pose};
        berth_monitor_receive_pose(kit->monitor, &message);
    }
    for (int32_t i = 0; i < kit->def.cloud_count; ++i) {
        if (kit->def.clouds[i].grid != NULL) {
            kit->say_map(kit, i);
        } else {
            kit_say_points(kit, i);
        }
    }
    for (int32_t i = 0; i < kit->def.choice_count && !kit->silent_choices; ++i) {
        const BerthMonitorSwitch message = {.choice = i,
                                            .option = kit->option[i],
                                            .stream = kit->stream,
                                            .sequence = ++kit->sequence,
                                            .stamp = kit->now,
                                            .received = kit->now};
        berth_monitor_switch(kit->monitor, &message);
    }
}

void kit_say(GuardKit* kit) {
    kit_say_joints(kit);
    kit_say_others(kit);
}

BerthPermit kit_cycle(GuardKit* kit) {
    BerthPermit permit;
    berth_monitor_cycle(kit->monitor, kit->now, &permit);
    berth_monitor_seal(kit->monitor, kit->now + 0.1 * kit->def.safety.period, &permit);
    assert_true(permit.go == (permit.reason == BERTH_STOP_NONE) && !(permit.go && permit.retreat));
    kit->now += kit->def.safety.period;
    return permit;
}

BerthPermit kit_wake(GuardKit* kit) {
    BerthPermit permit = {0};
    berth_monitor_reset(kit->monitor);
    for (int32_t i = 0; i < kit->def.good_needed + 1; ++i) {
        kit_say(kit);
        permit = kit_cycle(kit);
    }
    return permit;
}
