// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The text of `berth help map`, and of `berth map NAME --help`, which lists only the options of that command.
// Entries: cli_map_help, cli_print_map_help, map_find_help.

#include <string.h>

#include "cli/map/map.h"

#define ABOUT_FILES                                                                                    \
    "FROM and MAP: .lin (the thesis' list of black nodes, cells 1 wide), OctoMap .bt and .ot, .yaml "  \
    "of ROS' map_server (PGM or PNG beside it), .npy volumes (x, y, z) or (x, y) of bool, whole "      \
    "numbers (-1 unknown) or probabilities (float), clouds (.pcd .ply .xyz .csv .txt .pts), meshes "   \
    "(.stl .obj .dae .gltf .glb), scenes (.yaml: the objects that stand still), and berth's own "      \
    ".bmap. Volumes, clouds, meshes and scenes need --resolution. Space that a file marks as unknown " \
    "is an obstacle unless --unknown free is given. Space about which a cloud, mesh or scene says "    \
    "nothing is taken as free, which is listed in 'assumed'.\n"

#define ABOUT_STRUCTURES                                                                               \
    "Structures: octree (a search), odm (least and greatest separation for each node), eodm "          \
    "(perimeter functions, constant time), dm (dense, L1), edt (dense, Euclidean), lists (candidates " \
    "for each node); several separated by commas, or all. All give the same answers.\n"

#define ABOUT_STATUS                                                                               \
    "exit status: 0 done (collisions too), 2 wrong request or file, 3 --strict and something was " \
    "assumed or warned about, 4 the machine failed, 130 interrupted\n"

#define ABOUT_BUILD                                                                                 \
    "build writes a .bmap. Without --structure it chooses one, and says which and why: edt if the " \
    "distances of all cells take at most 256 MB, else only the octree; with --metric l1 eodm, but " \
    "for maps in which many obstacles are single cells (noise) dm, or the octree if dm would be "   \
    "larger.\n"

#define ABOUT_QUERY                                                                                    \
    "query answers about balls: --ball x,y,z,r (2-D maps: x,y,r), --balls FILE (CSV), --random N, or " \
    "the covering spheres of a robot: --robot URDF with --at or --state, and --count or --protrusion " \
    "as in 'berth spheres'. If the geometry of the URDF is spheres, these are used. In a 2-D map the " \
    "shadows of the spheres on the floor are used, whatever their height ('projected').\n"             \
    "\n"                                                                                               \
    "The distance is that of the ball's centre; touching is a collision. Space outside the map is an " \
    "obstacle unless --outside free is given, which is listed in 'assumed'. --all lists every "        \
    "obstacle that is equally near.\n"                                                                 \
    "\n"                                                                                               \
    "With --metric l1, radii are those of octahedra (2-D maps: diamonds) on the axes of the map's "    \
    "cells. Those of a robot are fitted to its links in the given state: by default five per link, "   \
    "or as many as it has spheres ('radius_l1'). In a rotated map (map_server's yaw), coordinates "    \
    "are those of the world.\n"                                                                        \
    "\n"                                                                                               \
    "--stats FILE writes one row per ball: verdict, distance, steps, microseconds. query uses the "    \
    "fastest structure in the map, and names it.\n"

#define ABOUT_UPDATE                                                                                   \
    "update changes cells and writes the map to another file. Distances are updated, not rebuilt, "    \
    "and equal those of a new build. --free and --occupied set the cells of points (2-D maps: "        \
    "columns x,y are enough). --scan with --sensor inserts a scan as OctoMap does: cells that rays "   \
    "pass get a miss (probability 0.4), cells in which they end a hit (0.7), once per scan, limited "  \
    "to 0.1192 .. 0.971. --range R: rays clear up to R and hit nothing beyond. Several scans are "     \
    "inserted in the given order.\n"                                                                   \
    "\n"                                                                                               \
    "Only an .ot keeps probabilities, and only if it is written to an .ot. Cells of a .bt are as "     \
    "certain as OctoMap can be (one hit does not make a free cell occupied; a warning says how often " \
    "that happened); in other files one hit makes a free cell occupied. What rays cleared is listed "  \
    "in 'assumed', which a .bmap keeps. Cells outside the map enlarge it, unless it is rotated "       \
    "(map_server's yaw).\n"

#define ABOUT_CONVERT                                                                                  \
    "convert writes .lin .bt .ot .npy .yaml .bmap, chosen by TO's extension; .ply: the surface of "    \
    "the occupied cells, two triangles per face. --esdf (.npy, float64): the distance from each "      \
    "cell's centre to the nearest obstacle, metres, negative in obstacles (there to the nearest free " \
    "cell), inf if there is none; --outside occupied includes the space outside the map. --gradient: " \
    "its gradient, (x, y, z, 3), of 2-D maps (x, y, 2). --slice Z (.png, .svg): occupied cells "       \
    "black, unknown ones grey, free ones lighter the further they are from obstacles. For a rotated "  \
    "map (map_server's yaw) these three use the map's own frame, with a warning; .yaml and .bmap "     \
    "keep the rotation, other formats refuse it.\n"                                                    \
    "\n"                                                                                               \
    "The sizes of a .lin are powers of two: space outside the map, and unknown cells, become "         \
    "occupied in it (free with --unknown free); a warning says how many.\n"

const char cli_map_help[] =
    "berth map build FROM -o OUT.bmap    make a map with its distances once, to use many times\n"
    "berth map info MAP                  what the map contains\n"
    "berth map query MAP ...             how far from these balls is the nearest obstacle?\n"
    "berth map update MAP ... -o OUT     change cells, insert scans of a sensor; updates distances\n"
    "berth map convert FROM -o TO        .lin .bt .ot .npy .yaml .bmap .ply .png .svg by TO's extension\n"
    "'berth map COMMAND --help' explains one of them.\n"
    "\n" ABOUT_FILES "\n" ABOUT_STRUCTURES "\n" ABOUT_BUILD "\n" ABOUT_QUERY "\n" ABOUT_UPDATE
    "\n" ABOUT_CONVERT
    "\n"
    "examples:\n"
    "  berth map build office.bt -o office.bmap\n"
    "  berth map build scan.pcd --resolution 0.02 --radius 0.01 -o scan.bmap\n"
    "  berth map build cell.yaml --resolution 0.02 -o cell.bmap\n"
    "  berth map info office.bmap\n"
    "  berth map query office.bmap --ball 0.3,0.2,1,0.15 --json\n"
    "  berth map query office.bmap --robot panda.urdf --at panda_joint2=0.5 --summary\n"
    "  berth map query house.lin --random 1000 --seed 7 --metric l1 --stats times.csv\n"
    "  berth map update office.ot --scan scan.pcd --sensor 0,0,1.2 --range 5 -o office2.ot\n"
    "  berth map convert volume.npy --resolution 0.05 --origin -1,-1,0 -o volume.bt\n"
    "  berth map convert office.bmap --esdf -o distances.npy\n"
    "\n"
    "with --json, query, one line per ball:\n"
    "  {\"ball\": 0, \"verdict\": \"collision\", \"distance\": {\"lower\": 0.01, \"upper\": 0.01}, "
    "\"nearest\": [0.3, 0.2, 1.01],\n"
    "   \"assumed\": [], \"declared\": [], \"proven\": 0}\n"
    "  info: {\"file\": \"office.bmap\", \"kind\": \"map\", \"format\": \"bmap\", \"dimensions\": 3, "
    "\"levels\": 8, \"resolution\": 0.05,\n"
    "   \"origin\": [0, 0, 0], \"size\": [200, 180, 60], \"structures\": [\"eodm\"], \"cells\": "
    "{\"occupied\": 8123, ...}, ...}\n"
    "\n" ABOUT_STATUS;

#define ONLY_QUERY \
    "ball", "balls", "random", "stats", "summary", "all", "robot", "at", "state", "count", "protrusion"
#define ONLY_UPDATE "occupied", "free", "scan", "sensor", "range"
#define ONLY_CONVERT "esdf", "gradient", "slice"

static const char* const not_build[] = {ONLY_QUERY, ONLY_UPDATE, ONLY_CONVERT, "outside",
                                        "report",   "seed",      "srdf",       NULL};
static const char* const not_info[] = {ONLY_QUERY, ONLY_UPDATE, ONLY_CONVERT, "outside", "metric",
                                       "output",   "structure", "seed",       "srdf",    NULL};
static const char* const not_query[] = {ONLY_UPDATE, ONLY_CONVERT, "output", "report", NULL};
static const char* const not_update[] = {ONLY_QUERY, ONLY_CONVERT, "outside", "metric",
                                         "report",   "seed",       "srdf",    NULL};
static const char* const not_convert[] = {ONLY_QUERY, ONLY_UPDATE, "metric", "report", "seed", "srdf", NULL};

static const MapHelp helps[] = {
    {"build", "build FROM -o OUT.bmap [--structure LIST] [--resolution R] [--unknown free|occupied]",
     ABOUT_BUILD "\n" ABOUT_STRUCTURES "\n" ABOUT_FILES "\n" ABOUT_STATUS, not_build},
    {"info", "info MAP",
     "Shows what a map contains: its size and cells, its structures and their memory.\n\n" ABOUT_FILES
     "\n" ABOUT_STATUS,
     not_info},
    {"query", "query MAP --ball x,y,z,r | --balls FILE | --random N | --robot URDF",
     ABOUT_QUERY "\n" ABOUT_STRUCTURES "\n" ABOUT_FILES "\n" ABOUT_STATUS, not_query},
    {"update", "update MAP [--occupied FILE] [--free FILE] [--scan CLOUD --sensor X,Y,Z]... -o OUT",
     ABOUT_UPDATE "\n" ABOUT_FILES "\n" ABOUT_STATUS, not_update},
    {"convert", "convert FROM -o TO [--esdf | --gradient | --slice Z]",
     ABOUT_CONVERT "\n" ABOUT_FILES "\n" ABOUT_STATUS, not_convert},
};

const MapHelp* map_find_help(const char* name) {
    for (size_t i = 0; i < sizeof helps / sizeof helps[0]; ++i) {
        if (strcmp(helps[i].name, name) == 0) {
            return &helps[i];
        }
    }
    return NULL;
}

bool cli_print_map_help(FILE* stream, const Command* command, const char* name) {
    const MapHelp* help = map_find_help(name);
    if (help == NULL) {
        return false;
    }
    fprintf(stream, "usage: berth map %s\n\n", help->usage);
    cli_print_options(stream, command, help->without);
    fputc('\n', stream);
    cli_print_help_text(stream, help->text);
    return true;
}
