// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A depth camera makes the map that a robot is checked against, while it runs. Scans come as text from a file or from standard
// input ('-'): "scan X Y Z COUNT" (where the sensor was), then COUNT lines "X Y Z", metres in the world. Rays clear the
// cells that they pass and hit the one where they end; only cells that changed colour go on into the map, and the map
// into the scene. What no ray has seen stays an obstacle. A ball of 0.2 m, as a small drone would be, asks about places.
//     live_map build/models/kitchen/flight.txt

#include <berth/berth.h>
#include <berth/occupancy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_X = 104, CELLS_Y = 88, CELLS_Z = 56, PLACES = 5 };
static const double resolution = 0.05;
static const BerthVec3 corner = {-2.6, -2.2, -0.1};
static const BerthVec3 places[PLACES] = {
    {0.0, 0.0, 1.3}, {0.3, 0.0, 1.2}, {-0.4, 0.0, 1.1}, {0.0, 0.5, 1.4}, {1.0, -0.7, 0.5}};

typedef struct Live {
    BerthOccupancy* seen;  // chances of cells
    BerthField* map;       // their colours, with distances
    BerthScene* scene;
    BerthObjectId room;
} Live;

/// Chances and colours of the same cells: cell (0, 0, 0) of both begins at `corner`.
static BerthStatus make_map(Live* live) {
    BerthOccupancyDef chances = berth_default_occupancy_def();
    chances.resolution = resolution;
    chances.origin = corner;
    memset(chances.first, 0, sizeof chances.first);
    BerthStatus status = berth_occupancy_create(&chances, &live->seen);

    BerthFieldDef def = berth_default_field_def();
    def.resolution = resolution;
    def.origin = corner;
    def.size[0] = CELLS_X;
    def.size[1] = CELLS_Y;
    def.size[2] = CELLS_Z;
    def.levels = berth_field_levels_for(3, def.size);
    def.background = BERTH_CELL_UNKNOWN;
    def.parts = BERTH_FIELD_EUCLID;
    BerthFieldBuilder* builder = NULL;
    if (status == BERTH_OK) {
        status = berth_field_builder_create(&def, &builder);
    }
    if (status == BERTH_OK) {
        status = berth_field_build(builder, &live->map);
    }
    berth_field_builder_destroy(builder);
    return status;
}

/// A ball of 0.2 m on a joint that lets it go anywhere: seven values, a place and a quaternion.
static BerthStatus build_drone(BerthRobot** out) {
    BerthRobotBuilder* builder = NULL;
    BerthShape ball;
    BerthSolid* solid = NULL;
    int32_t ground = 0, hull = 0;
    const BerthPose here = berth_pose_identity();
    BerthStatus status = berth_robot_builder_create("drone", NULL, &builder);
    if (status == BERTH_OK) {
        status = berth_robot_add_link(builder, "ground", &ground);
    }
    if (status == BERTH_OK) {
        status = berth_robot_add_link(builder, "hull", &hull);
    }
    if (status == BERTH_OK) {
        status = berth_shape_sphere(0.2, &ball);
    }
    if (status == BERTH_OK) {
        status = berth_solid_from_shape(&ball, NULL, &solid);
    }
    if (status == BERTH_OK) {
        status = berth_robot_add_solid(builder, hull, &here, solid, "ball");
    }

    if (status == BERTH_OK) {
        BerthJointDef def = berth_default_joint_def();
        def.name = "flies";
        def.type = BERTH_JOINT_FLOATING;
        def.parent_link = ground;
        def.child_link = hull;
        status = berth_robot_add_joint(builder, &def, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_robot_build(builder, out, NULL);
    }
    berth_robot_builder_destroy(builder);
    return status;
}

static BerthStatus make_scene(Live* live) {
    BerthSceneRobotDef robot = berth_default_scene_robot_def();
    robot.own = true;  // the scene destroys it
    BerthStatus status = berth_scene_create(NULL, &live->scene);
    if (status == BERTH_OK) {
        status = build_drone(&robot.robot);
    }
    if (status == BERTH_OK) {
        status = berth_scene_add_robot(live->scene, &robot, NULL);
    }
    if (status == BERTH_OK) {
        const BerthMapDef map = berth_default_map_def();  // unknown space and the outside are obstacles
        BerthObjectDef object = berth_default_object_def();
        object.name = "room";
        status = berth_scene_add_map(live->scene, &object, live->map, &map, &live->room);
    }
    return status;
}

/// Cells that changed colour, and are cells of the map, go into it; then the map into the scene.
static BerthStatus follow(Live* live, size_t* changed) {
    size_t count = 0;
    const BerthFieldChange* changes = berth_occupancy_changes(live->seen, &count);
    BerthFieldChange* inside = calloc(count + 1, sizeof *inside);
    if (inside == NULL) {
        return BERTH_ERR_MEMORY;
    }

    *changed = 0;
    for (size_t i = 0; i < count; ++i) {
        const int32_t* cell = changes[i].cell;
        if (cell[0] < CELLS_X && cell[1] < CELLS_Y && cell[2] < CELLS_Z) {
            inside[(*changed)++] = changes[i];
        }
    }
    BerthStatus status = berth_field_update(live->map, inside, *changed);
    berth_occupancy_forget_changes(live->seen);
    free(inside);

    if (status == BERTH_OK) {
        const BerthMapDef map = berth_default_map_def();
        status = berth_scene_set_map(live->scene, live->room, live->map, &map);
    }
    return status == BERTH_OK ? berth_scene_commit(live->scene) : status;
}

/// How many of the places are proven free; a checker is for the scene as it is now.
static BerthStatus ask(const Live* live, int* free_places, double* nearest) {
    const BerthCheckerDef def = berth_default_checker_def();
    BerthChecker* checker = NULL;
    BerthStatus status = berth_checker_create(live->scene, &def, &checker);
    *free_places = 0;
    *nearest = 0.0;
    for (int i = 0; i < PLACES && status == BERTH_OK; ++i) {
        const double values[7] = {places[i].x, places[i].y, places[i].z, 0, 0, 0, 1};
        const BerthCheckRequest request = {.distance = true};
        BerthCheckResult result;
        status = berth_check_state(checker, values, &request, &result);
        if (status == BERTH_OK && result.verdict == BERTH_FREE) {
            *free_places += 1;
            *nearest =
                *free_places == 1 || result.clearance.lower < *nearest ? result.clearance.lower : *nearest;
        }
    }
    berth_checker_destroy(checker);
    return status;
}

/// One scan of the stream: 1, or 0 at its end, or -1 where it is no scan.
static int read_scan(FILE* stream, BerthVec3* sensor, BerthVec3** points, int* count) {
    const int words = fscanf(stream, " scan %lf %lf %lf %d", &sensor->x, &sensor->y, &sensor->z, count);
    if (words == EOF) {
        return 0;
    }
    if (words != 4 || *count < 0 || *count > 10000000) {
        return -1;
    }

    *points = calloc((size_t)*count + 1, sizeof **points);
    int taken = 0;
    while (*points != NULL && taken < *count &&
           fscanf(stream, "%lf %lf %lf", &(*points)[taken].x, &(*points)[taken].y, &(*points)[taken].z) ==
               3) {
        ++taken;
    }
    return *points != NULL && taken == *count ? 1 : -1;
}

static BerthStatus run(Live* live, FILE* stream) {
    BerthStatus status = make_map(live);
    if (status == BERTH_OK) {
        status = make_scene(live);
    }

    for (int scan = 0; status == BERTH_OK; ++scan) {
        BerthVec3 sensor, *points = NULL;
        int count = 0, free_places = 0;
        const int got = read_scan(stream, &sensor, &points, &count);
        if (got <= 0) {
            free(points);
            if (got < 0) {
                fprintf(stderr, "scan %d: 'scan X Y Z COUNT' and so many points are expected\n", scan);
            }
            return got == 0 && scan > 0 ? BERTH_OK : BERTH_ERR_PARSE;
        }

        size_t changed = 0;
        double nearest = 0.0;
        status = berth_occupancy_insert_scan(live->seen, points, (size_t)count, sensor, 0.0, NULL);
        free(points);
        if (status == BERTH_OK) {
            status = follow(live, &changed);
        }
        if (status == BERTH_OK) {
            status = ask(live, &free_places, &nearest);
        }
        if (status == BERTH_OK) {
            printf("scan %2d: %5d points, %6zu cells changed; %d of %d places are proven free", scan, count,
                   changed, free_places, (int)PLACES);
            printf(free_places > 0 ? ", %.2f m at least from what is or may be there\n" : "\n", nearest);
        }
    }
    return status;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: live_map SCANS.txt | -\n");
        return 2;
    }
    FILE* stream = strcmp(argv[1], "-") == 0 ? stdin : fopen(argv[1], "r");
    if (stream == NULL) {
        fprintf(stderr, "%s: cannot be read\n", argv[1]);
        return 2;
    }

    Live live = {0};
    const BerthStatus status = run(&live, stream);
    if (status != BERTH_OK) {
        fprintf(stderr, "%s: %s\n", berth_status_name(status), berth_error_text());
    } else {
        printf("assumed: what rays of the camera passed is free\n");
    }

    (void)fclose(stream);
    berth_scene_destroy(live.scene);
    berth_field_destroy(live.map);
    berth_occupancy_destroy(live.seen);
    return status == BERTH_OK ? 0 : 1;
}
