// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The parts of `berth map`.

#ifndef CLI_MAP_H
#define CLI_MAP_H

#include <berth/lab/field.h>

#include "cli/worker_pool.h"

/// One run of `berth map`.
typedef struct MapRun {
    const Options* options;
    const BerthIoOptions* io;
    Warnings* warnings;
    Progress progress;
    const char* path;  ///< of the map
    BerthMap* map;
    BerthMapFacts facts;
    double seconds;        ///< to open or build it
    const char* chosen;    ///< of build: the structure that was chosen, or null
    char why[160];         ///< and the reason
    int64_t reaching_out;  ///< balls that were called free and reach out of the map
} MapRun;

/// What the command line says about maps; `parts` are asked for. False after a message.
bool map_make_options(MapRun* run, uint32_t parts, BerthMapOptions* out);
/// Opens run->path. EXIT_FREE, or a status after a message.
int map_open(MapRun* run, uint32_t parts);
/// A list of structures, "octree", "odm", "eodm", "dm", "edt", "lists", "all". False after a message.
bool map_parts(const char* text, uint32_t* parts);
/// The name of a structure that answers.
const char* map_method_name(BerthFieldMethod method);
/// One of these as a way to ask. False after a message.
bool map_method(const char* text, BerthFieldMethod* method, uint32_t* parts);

/// How far the centre of a ball (x y z r) is from what is outside of the map, by any metric: metres, 0 outside.
typedef struct MapBorder {
    double lower, upper;  ///< equal when nothing was rounded
    BerthVec3 nearest;    ///< of the border; outside the centre itself
} MapBorder;
MapBorder map_border(const BerthFieldInfo* info, const double ball[4]);

/// What `berth map NAME --help` says.
typedef struct MapHelp {
    const char* name;
    const char* usage;           ///< behind "berth map"
    const char* text;            ///< below the options
    const char* const* without;  ///< options of `map` that are none of this one, up to null
} MapHelp;
/// Null when there is no such command.
const MapHelp* map_find_help(const char* name);

/// Where the map's cells are: a map of ROS' map_server may be turned about its origin. False, and the identity, when it is not.
bool map_turn(const MapRun* run, BerthPose* world_from_cells);
/// EXIT_WRONG after a message when the map is turned, which `what` cannot do.
int map_refuse_yaw(const MapRun* run, const char* what);

int map_build(MapRun* run);
int map_convert(MapRun* run);
int map_info(MapRun* run);
int map_query(MapRun* run);
int map_update(MapRun* run);
/// convert with --esdf, --gradient, --slice, or to a .ply.
int map_export(MapRun* run);

/// For `berth info`: a map or a cloud into `text`. EXIT_FREE, or a status after a message.
int map_describe(const Options* options, const BerthIoOptions* io, Warnings* warnings, const char* path,
                 Text* text, bool* assumed);
int map_describe_points(const Options* options, const BerthIoOptions* io, const Warnings* warnings,
                        const char* path, Text* text);

/// What the map assumes, as "assumed" or as lines; the number of entries.
int map_json_assumed(Json* json, const MapRun* run);
int map_text_assumed(Text* text, const MapRun* run);
/// All of it to standard output; `wrote`: run->options->output was written. EXIT_FREE, or a status after a message.
int map_print_facts(MapRun* run, bool wrote);
/// The map as JSON, into an open object; as lines.
void map_json_facts(Json* json, const MapRun* run);
void map_text_facts(Text* text, const MapRun* run);

#endif
