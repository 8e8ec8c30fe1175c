// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What `berth help map` says, and `berth map NAME --help` about one of its commands: only the options that it has.
// Entries: cli_map_help, cli_print_map_help, map_find_help.

#include <string.h>

#include "cli/map/map.h"

#define ABOUT_FILES                                                                                        \
    "FROM and MAP: .lin (the thesis' list of black nodes, cells 1 wide), OctoMap .bt and .ot, .yaml of\n"  \
    "ROS' map_server (PGM or PNG beside it), .npy volumes (x, y, z) or (x, y) of bool, whole numbers\n"    \
    "(-1 unknown) or chances in float, clouds (.pcd .ply .xyz .csv .txt .pts), meshes (.stl .obj .dae\n"   \
    ".gltf .glb), scenes (.yaml: the objects that stand still), and berth's own .bmap. Volumes, clouds,\n" \
    "meshes and scenes need --resolution. Space that a file calls unknown is an obstacle unless\n"         \
    "--unknown free says otherwise; space that a cloud, mesh or scene says nothing about is taken as\n"    \
    "free, which is an entry in 'assumed'.\n"

#define ABOUT_STRUCTURES                                                                                 \
    "Structures: octree (a search), odm (least and greatest separation of each node), eodm (perimeter\n" \
    "functions, constant time), dm (dense, L1), edt (dense, Euclidean), lists (candidates a node);\n"    \
    "several with commas, or all. All give the same answers.\n"

#define ABOUT_STATUS                                                                                \
    "exit status: 0 done (collisions too), 2 wrong request or file, 3 --strict and something was\n" \
    "assumed or warned about, 4 the machine failed, 130 interrupted\n"

#define ABOUT_BUILD                                                                                   \
    "build writes a .bmap. Without --structure it chooses, and says what and why: edt, where the\n"   \
    "distances of all cells take at most 256 MB, else the octree alone; with --metric l1 eodm, but\n" \
    "where many obstacles are single cells (noise) dm, or the octree where that would be larger.\n"

#define ABOUT_QUERY                                                                                          \
    "query asks about balls: --ball x,y,z,r (x,y,r in the plane), --balls FILE (CSV), --random N, or\n"      \
    "the covering spheres of a robot: --robot URDF with --at or --state, and --count or --protrusion as\n"   \
    "in 'berth spheres'. A URDF whose geometry is spheres is taken as it is. In a 2-D map the spheres'\n"    \
    "shadows on the floor are asked, at all heights ('projected').\n"                                        \
    "The distance is that of the ball's centre; touching is collision. What is outside of the map is an\n"   \
    "obstacle unless --outside free says otherwise, which is an entry in 'assumed'. --all lists every\n"     \
    "obstacle that is equally near.\n"                                                                       \
    "With --metric l1 radii are those of octahedra (in the plane of diamonds) on the axes of the map's\n"    \
    "cells; a robot's are fitted to its links where they are in that state, by default five a link, or as\n" \
    "many as it has spheres ('radius_l1'). In a map that is turned (map_server's yaw) coordinates are\n"     \
    "those of the world.\n"                                                                                  \
    "--stats FILE writes a row a ball: verdict, distance, steps, microseconds. query takes the fastest\n"    \
    "structure that the map has, and names it.\n"

#define ABOUT_UPDATE                                                                                         \
    "update changes cells and writes the map to another file; distances follow without being built anew,\n"  \
    "and are what a new build has. --free and --occupied set the cells of points (2-D maps: columns x,y\n"   \
    "are enough). --scan with --sensor puts a scan in as OctoMap does: cells that rays pass get a miss\n"    \
    "(chance 0.4), cells in which they end a hit (0.7), once a scan, between 0.1192 and 0.971. --range R:\n" \
    "rays clear up to R and hit nothing beyond. Several scans are taken in their order.\n"                   \
    "An .ot keeps its chances in an .ot; other files have none: cells of a .bt are as sure as OctoMap can\n" \
    "be (one hit does not make a free one occupied, and a warning says how often that happened), free\n"     \
    "ones of the others become occupied by one hit. What rays cleared is an entry in 'assumed', which a\n"   \
    ".bmap keeps. Cells outside of the map make it larger, unless it is turned (map_server's yaw).\n"

#define ABOUT_CONVERT                                                                                        \
    "convert writes .lin .bt .ot .npy .yaml .bmap by TO's extension; .ply: the surface of what is\n"         \
    "occupied, two triangles a face of a cell. --esdf (.npy, float64): the distance of each cell's centre\n" \
    "to the nearest obstacle, metres, less than 0 in obstacles (there to the nearest free cell), inf "       \
    "where\n"                                                                                                \
    "there is none; --outside occupied counts what is outside of the map, too. --gradient: its gradient,\n"  \
    "(x, y, z, 3); in the plane (x, y, 2). --slice Z (.png, .svg): occupied cells black, unknown ones\n"     \
    "grey, free ones the lighter the further from obstacles. These three are of the map's own frame where\n" \
    "it is turned (map_server's yaw), which a warning says; .yaml and .bmap keep the turn, other files\n"    \
    "refuse it.\n"                                                                                           \
    "A .lin that is written has powers of two as sizes: what is outside of the map is occupied there\n"      \
    "(free with --unknown free), and so are unknown cells; a warning says how many.\n"

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
