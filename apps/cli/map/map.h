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
    const char* chosen;    ///< by build: the chosen structure, or null
    char why[160];         ///< the reason for it
    int64_t reaching_out;  ///< balls that were answered free and extend beyond the map
} MapRun;

/// Reads the map options of the command line; `parts` are requested. False after a message.
bool map_make_options(MapRun* run, uint32_t parts, BerthMapOptions* out);
/// Opens run->path. EXIT_FREE, or a status after a message.
int map_open(MapRun* run, uint32_t parts);
/// Reads a list of structures: "octree", "odm", "eodm", "dm", "edt", "lists", "all". False after a message.
bool map_parts(const char* text, uint32_t* parts);
/// The name of the structure that answers.
const char* map_method_name(BerthFieldMethod method);
/// Reads the name of one structure for queries. False after a message.
bool map_method(const char* text, BerthFieldMethod* method, uint32_t* parts);

/// The distance from the centre of a ball (x y z r) to the space outside the map, in any metric: metres, 0 if it is outside.
typedef struct MapBorder {
    double lower, upper;  ///< equal if nothing was rounded
    BerthVec3 nearest;    ///< point of the border; the centre itself if it is outside
} MapBorder;
MapBorder map_border(const BerthFieldInfo* info, const double ball[4]);

/// The help of `berth map NAME`.
typedef struct MapHelp {
    const char* name;
    const char* usage;           ///< after "berth map"
    const char* text;            ///< printed below the options
    const char* const* without;  ///< options of `map` that this command does not have; ends with null
} MapHelp;
/// Null if there is no such command.
const MapHelp* map_find_help(const char* name);

/// The pose of the map's cells: a map of ROS' map_server may be rotated about its origin. False, and the identity, if it
/// is not.
bool map_turn(const MapRun* run, BerthPose* world_from_cells);
/// EXIT_WRONG after a message if the map is rotated, which `what` does not support.
int map_refuse_yaw(const MapRun* run, const char* what);

int map_build(MapRun* run);
int map_convert(MapRun* run);
int map_info(MapRun* run);
int map_query(MapRun* run);
int map_update(MapRun* run);
/// convert with --esdf, --gradient, --slice, or to a .ply.
int map_export(MapRun* run);

/// For `berth info`: describes a map or a cloud in `text`. EXIT_FREE, or a status after a message.
int map_describe(const Options* options, const BerthIoOptions* io, Warnings* warnings, const char* path,
                 Text* text, bool* assumed);
int map_describe_points(const Options* options, const BerthIoOptions* io, const Warnings* warnings,
                        const char* path, Text* text);

/// Writes what the map assumes, as "assumed" or as lines; returns the number of entries.
int map_json_assumed(Json* json, const MapRun* run);
int map_text_assumed(Text* text, const MapRun* run);
/// Writes the whole answer to standard output; `wrote`: run->options->output was written. EXIT_FREE, or a status after a
/// message.
int map_print_facts(MapRun* run, bool wrote);
/// Writes the map as JSON, into an open object; as lines.
void map_json_facts(Json* json, const MapRun* run);
void map_text_facts(Text* text, const MapRun* run);

#endif
