// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What `berth help map` says, and `berth map NAME --help` about one of its commands: only the options that it has.
// Entries: cli_map_help, cli_print_map_help, map_find_help.

#include <string.h>

#include "cli/map/map.h"

#define ABOUT_FILES                                                                                         \
    "FROM and MAP: .lin (the thesis' list of black nodes, cells 1 wide), OctoMap .bt and .ot, .yaml of "    \
    "ROS' "                                                                                                 \
    "map_server\n"                                                                                          \
    "(PGM or PNG beside it), .npy volumes (x, y, z) or (x, y) of bool, whole numbers (-1 unknown) or "      \
    "chances "                                                                                              \
    "in float,\n"                                                                                           \
    "clouds (.pcd .ply .xyz .csv .txt .pts), meshes (.stl .obj .dae .gltf .glb), scenes (.yaml: the "       \
    "objects "                                                                                              \
    "that stand still),\n"                                                                                  \
    "and berth's own .bmap. Volumes, clouds, meshes and scenes need --resolution. Space that a file calls " \
    "unknown is an\n"                                                                                       \
    "obstacle unless --unknown free says otherwise; space that a cloud, mesh or scene says nothing about "  \
    "is "                                                                                                   \
    "taken as free,\n"                                                                                      \
    "which is an entry in 'assumed'.\n"

#define ABOUT_STRUCTURES                                                                                 \
    "Structures: octree (a search), odm (least and greatest separation of each node), eodm (perimeter "  \
    "functions, constant\n"                                                                              \
    "time), dm (dense, L1), edt (dense, Euclidean), lists (candidates a node); several with commas, or " \
    "all. "                                                                                              \
    "All give the\n"                                                                                     \
    "same answers.\n"

#define ABOUT_STATUS                                                                                       \
    "exit status: 0 done (collisions too), 2 wrong request or file, 3 --strict and something was assumed " \
    "or "                                                                                                  \
    "warned about,\n"                                                                                      \
    "4 the machine failed, 130 interrupted\n"

#define ABOUT_BUILD                                                                                          \
    "build writes a .bmap. Without --structure it chooses, and says what and why: edt, where the distances " \
    "of "                                                                                                    \
    "all cells take at most\n"                                                                               \
    "256 MB, else the octree alone; with --metric l1 eodm, but where many obstacles are single cells "       \
    "(noise) "                                                                                               \
    "dm, or the octree\n"                                                                                    \
    "where that would be larger.\n"

#define ABOUT_QUERY                                                                                          \
    "query asks about balls: --ball x,y,z,r (x,y,r in the plane), --balls FILE (CSV), --random N, or the "   \
    "covering spheres of a\n"                                                                                \
    "robot: --robot URDF with --at or --state, and --count or --protrusion as in 'berth spheres'. A URDF "   \
    "whose geometry is\n"                                                                                    \
    "spheres is taken as it is. In a 2-D map the spheres' shadows on the floor are asked, at all heights "   \
    "('projected').\n"                                                                                       \
    "The distance is that of the ball's centre; touching is collision. What is outside of the map\n"         \
    "is an obstacle unless --outside free says otherwise, which is an entry in 'assumed'. --all lists "      \
    "every "                                                                                                 \
    "obstacle\n"                                                                                             \
    "that is equally near. With --metric l1 the radius of --ball, --balls and --random is that of an "       \
    "octahedron (in the\n"                                                                                   \
    "plane a diamond); a robot's spheres stay round: free when the octahedron around them is (sqrt(3) "      \
    "times "                                                                                                 \
    "their radius,\n"                                                                                        \
    "'radius_l1'), collision when the one in them is hit, else unknown (too_close). --stats FILE writes a "  \
    "row "                                                                                                   \
    "a ball:\n"                                                                                              \
    "verdict, distance, steps, microseconds. query takes the fastest structure that the map has, and names " \
    "it.\n"

#define ABOUT_UPDATE                                                                                        \
    "update changes cells and writes the map to another file; distances follow without being built anew, "  \
    "and "                                                                                                  \
    "are what a new build\n"                                                                                \
    "has. --free and --occupied set the cells of points (2-D maps: columns x,y are enough). --scan with "   \
    "--sensor puts a scan in as OctoMap "                                                                   \
    "does: "                                                                                                \
    "cells that rays pass\n"                                                                                \
    "get a miss (chance 0.4), cells in which they end a hit (0.7), once a scan, between 0.1192 and 0.971. " \
    "--range R: rays clear\n"                                                                               \
    "up to R and hit nothing beyond. Several scans are taken in their order. An .ot keeps its chances in "  \
    "an "                                                                                                   \
    ".ot; other files\n"                                                                                    \
    "have none: cells of a .bt are as sure as OctoMap can be (one hit does not make a free one occupied, "  \
    "and a "                                                                                                \
    "warning says how\n"                                                                                    \
    "often that happened), free ones of the others become occupied by one hit. What rays cleared is an "    \
    "entry "                                                                                                \
    "in 'assumed', which a\n"                                                                               \
    ".bmap keeps. Cells outside of the map make it larger.\n"

#define ABOUT_CONVERT                                                                                        \
    "convert writes .lin .bt .ot .npy .yaml .bmap by TO's extension; .ply: the surface of what is "          \
    "occupied, two "                                                                                         \
    "triangles a face of\n"                                                                                  \
    "a cell. --esdf (.npy, float64): the distance of each cell's centre to the nearest obstacle, metres, "   \
    "less "                                                                                                  \
    "than 0 in obstacles\n"                                                                                  \
    "(there to the nearest free cell), inf where there is none; --outside occupied counts what is outside "  \
    "of "                                                                                                    \
    "the map, too.\n"                                                                                        \
    "--gradient: its gradient, (x, y, z, 3); in the plane (x, y, 2). --slice Z (.png, .svg): occupied "      \
    "cells "                                                                                                 \
    "black, unknown ones grey,\n"                                                                            \
    "free ones the lighter the further from obstacles.\n"                                                    \
    "A .lin that is written has powers of two as sizes: what is outside of the map is occupied there (free " \
    "with "                                                                                                  \
    "--unknown free),\n"                                                                                     \
    "and so are unknown cells; a warning says how many.\n"

const char cli_map_help[] =
    "berth map build FROM -o OUT.bmap    makes a map with its distances once, to be used many times\n"
    "berth map info MAP                  what is in it\n"
    "berth map query MAP ...             how far is the nearest obstacle from these balls?\n"
    "berth map update MAP ... -o OUT     cells that changed, scans of a sensor; distances follow\n"
    "berth map convert FROM -o TO        .lin .bt .ot .npy .yaml .bmap .ply .png .svg by TO's extension\n"
    "'berth map COMMAND --help' is about one of them.\n"
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
    "with --json, query, one line a ball:\n"
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

static const char* const not_build[] = {ONLY_QUERY, ONLY_UPDATE, ONLY_CONVERT, "outside", NULL};
static const char* const not_info[] = {ONLY_QUERY, ONLY_UPDATE, ONLY_CONVERT, "outside",
                                       "metric",   "output",    "structure",  NULL};
static const char* const not_query[] = {ONLY_UPDATE, ONLY_CONVERT, "output", NULL};
static const char* const not_update[] = {ONLY_QUERY, ONLY_CONVERT, "outside", "metric", NULL};
static const char* const not_convert[] = {ONLY_QUERY, ONLY_UPDATE, "metric", NULL};

static const MapHelp helps[] = {
    {"build", "build FROM -o OUT.bmap [--structure LIST] [--resolution R] [--unknown free|occupied]",
     ABOUT_BUILD "\n" ABOUT_STRUCTURES "\n" ABOUT_FILES "\n" ABOUT_STATUS, not_build},
    {"info", "info MAP",
     "What is in a map: its size and cells, its structures and their bytes.\n\n" ABOUT_FILES
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
