// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A monitor over a small robot of one's own, with a sender that tells its joints each cycle, and everything else that it wants to
// hear: objects, clouds, choices.

#ifndef TEST_SUPPORT_GUARD_H
#define TEST_SUPPORT_GUARD_H

#include <berth/io.h>
#include <berth/monitor.h>

enum { KIT_VALUES = 32, KIT_OBJECTS = 8, KIT_CLOUDS = 4, KIT_CHOICES = 4, KIT_POINTS = 512 };

/// What moves by itself, as the kit tells it.
typedef struct KitObject {
    BerthObjectId id;
    BerthPose pose;
} KitObject;

typedef struct GuardKit GuardKit;
struct GuardKit {
    BerthScene* scene;
    BerthMonitorDef def;
    BerthMonitor* monitor;
    int32_t count;
    double q[KIT_VALUES], qd[KIT_VALUES];
    KitObject objects[KIT_OBJECTS];
    int32_t object_count;
    BerthVec3 points[KIT_CLOUDS][KIT_POINTS];
    int32_t point_count[KIT_CLOUDS];
    int32_t option[KIT_CHOICES];
    bool silent_choices;                                   ///< they are told when a test tells them
    void (*say_map)(struct GuardKit* kit, int32_t cloud);  ///< tells a cloud that is a map
    void* map_user;
    uint64_t stream, sequence;
    double now;
};

/// A robot by its URDF; every joint may do `limit`. No monitor yet: objects may be added. Safety is 1 ms and small numbers.
void kit_open(GuardKit* kit, const char* urdf, const char* srdf, bool free_base, BerthJointLimit limit);
/// A ball or box of the scene. `def` may be null; names are kept.
BerthObjectId kit_add(GuardKit* kit, const char* name, const BerthShape* shape, BerthVec3 at,
                      const BerthObjectDef* def);
/// Commits, and makes the monitor of kit->def.
void kit_start(GuardKit* kit);
void kit_close(GuardKit* kit);

/// Not for the linker: kit.h has one of that name.
static inline BerthPose kit_at(BerthVec3 at) {
    return (BerthPose){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, at};
}
BerthMonitorMessage kit_message(GuardKit* kit);
/// Tells joints only; everything else; all.
void kit_say_joints(GuardKit* kit);
void kit_say_others(GuardKit* kit);
void kit_say(GuardKit* kit);
void kit_say_points(GuardKit* kit, int32_t cloud);
/// A cycle at `now`, sealed; the time goes on by a period.
BerthPermit kit_cycle(GuardKit* kit);
/// A reset and as many good cycles as are needed. Returns the last permit, whatever it is.
BerthPermit kit_wake(GuardKit* kit);

/// A carriage of 0.2 m on a rail along x (joint "rail", -5 to 5 m).
extern const char kit_rail[];
/// Two links of 0.5 m in a plane, turning about z (joints "a" without end, "b" within +-2.5).
extern const char kit_arm[];

#endif
