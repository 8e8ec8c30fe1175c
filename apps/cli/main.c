// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth COMMAND: the table of commands, help, version.
// Entry: main.

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"

static const Command commands[] = {
    {"info", "what is in this robot, scene, mesh or states file; what is assumed, what looks wrong", FOR_INFO,
     "FILE... [OPTIONS]", cli_info_help, cli_run_info},
    {"check", "is this pose free? how near is everything? what touches what?", FOR_CHECK, "SCENE [OPTIONS]",
     cli_check_help, cli_run_check},
    {"path", "is every configuration on this motion free - proven, not sampled? when is first contact?",
     FOR_PATH, "SCENE TRAJECTORY... [OPTIONS]", cli_path_help, cli_run_path},
    {"monitor", "real-time guard over several arms: a permit each cycle, or STOP", FOR_MONITOR,
     "SCENE --input SOURCE [OPTIONS]", cli_monitor_help, cli_run_monitor},
    {"contact", "contact points, normals, depths, forces and moments of touching bodies", FOR_CONTACT,
     "SCENE [TRAJECTORY] [OPTIONS]", cli_contact_help, cli_run_contact},
    {"new", "a first scene file for a robot; converts MoveIt and MotionBenchMaker scenes", FOR_NEW,
     "ROBOT.urdf|SCENE [-o FILE] [OPTIONS]", cli_new_help, cli_run_new},
    {"spheres", "covering spheres of a robot or a mesh: fit, report, write a spherized URDF", FOR_SPHERES,
     "FILE [--count N | --protrusion P] [-o FILE] [OPTIONS]", cli_spheres_help, cli_run_spheres},
    {"srdf", "which link pairs need no check, and why (proven, adjacent, default, sampled)", FOR_SRDF,
     "ROBOT [-o FILE | --lint FILE] [OPTIONS]", cli_srdf_help, cli_run_srdf},
    {"plan", "a collision-free motion, with the proof that it is one", FOR_PLAN,
     "SCENE --from S --to S [OPTIONS]", cli_plan_help, cli_run_plan},
    {"map", "occupancy and distance maps (quadtree/octree, ODM, EODM, dense DM), 2-D and 3-D", FOR_MAP,
     "build|info|query|update|convert FILE [-o FILE] [OPTIONS]", cli_map_help, cli_run_map},
    {"view", "look at all of it in a browser, live or as one HTML file", FOR_VIEW, "SCENE [OPTIONS]",
     cli_view_help, cli_run_view},
    {"batch", "millions of states or segments on all cores, or on many machines under mpirun", FOR_BATCH,
     "SCENE STATES|--segments FILE [-o OUT.npy] [OPTIONS]", cli_batch_help, cli_run_batch},
};
#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static const Command* find_command(const char* name) {
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static int unknown_command(const char* name) {
    enum { LIMIT = 2 };
    const char* best = NULL;
    int best_distance = LIMIT + 1;
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        const int distance = berth_word_distance(name, commands[i].name, LIMIT);
        if (distance < best_distance) {
            best = commands[i].name;
            best_distance = distance;
        }
    }

    if (best != NULL) {
        fprintf(stderr, "berth: unknown command '%s'; did you mean '%s'?\n", name, best);
    } else {
        fprintf(stderr, "berth: unknown command '%s'; 'berth help' lists them\n", name);
    }
    return EXIT_WRONG;
}

static int refuse_missing(const Command* command) {
    fprintf(stderr, "berth %s: not in this version yet (%s)\n", command->name, berth_version());
    return EXIT_WRONG;
}

static void print_overview(FILE* stream) {
    fprintf(
        stream,
        "berth %s: certified collision checking for robots\n\n"
        "usage: berth COMMAND [ARGUMENTS] [OPTIONS]\n       berth help COMMAND\n       berth --version\n\n",
        berth_version());

    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fprintf(stream, "  %-9s %s%s\n", commands[i].name, commands[i].about,
                commands[i].run == NULL ? " [not in this version yet]" : "");
    }

    fprintf(stream,
            "\nA first look:\n"
            "  berth info robot.urdf                  what the file contains\n"
            "  berth new robot.urdf -o cell.yaml      a scene to edit\n"
            "  berth check cell.yaml --distance       is it free, and how near is everything?\n"
            "  berth path cell.yaml path.csv          is the whole motion free?\n"
            "  berth plan cell.yaml --from A --to B   a motion that is free\n\n"
            "Exit status: 0 free or done, 1 collision, 2 wrong request or file, 3 unknown, 4 the machine\n"
            "failed, 5 the guard's loop hung, 130 interrupted. Units are SI: metre, radian, second.\n");
}

static void print_help(FILE* stream, const Command* command) {
    fprintf(stream, "berth %s: %s\n\n", command->name, command->about);
    if (command->run == NULL) {
        fprintf(stream, "Not in this version yet (%s).\n", berth_version());
        return;
    }
    fprintf(stream, "usage: berth %s %s\n\n", command->name, command->usage);
    cli_print_options(stream, command, NULL);
    fputc('\n', stream);
    cli_print_help_text(stream, command->help);
}

// Help and version go through stdio: a full disk must still be detected.
static int finish_stdout(int status) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno != EPIPE) {
            fprintf(stderr, "berth: standard output: %s\n", strerror(errno));
        }
        return EXIT_MACHINE;
    }
    return status;
}

static int run_help(int argc, char** argv) {
    if (argc == 0) {
        print_overview(stdout);
        return finish_stdout(EXIT_FREE);
    }
    if (argc == 2 && strcmp(argv[0], "map") == 0 &&
        cli_print_map_help(stdout, find_command("map"), argv[1])) {
        return finish_stdout(EXIT_FREE);
    }
    if (argc > 1) {
        return cli_reject("help", "one command at a time: berth help %s", argv[0]);
    }

    const Command* command = find_command(argv[0]);
    if (command == NULL) {
        return unknown_command(argv[0]);
    }
    print_help(stdout, command);
    return finish_stdout(EXIT_FREE);
}

int main(int argc, char** argv) {
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);  // write() then fails at a file's size limit, as on a full disk

    if (argc < 2) {
        print_overview(stderr);
        return EXIT_WRONG;
    }

    const char* name = argv[1];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        printf("berth %s\n", berth_version());
        return finish_stdout(EXIT_FREE);
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return run_help(argc - 2, argv + 2);
    }
    if (name[0] == '-') {
        fprintf(stderr, "berth: unknown option %s; 'berth help' lists the commands\n", name);
        return EXIT_WRONG;
    }

    const Command* command = find_command(name);
    if (command == NULL) {
        return unknown_command(name);
    }

    if (command->run == NULL) {
        for (int i = 2; i < argc; ++i) {
            if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
                return run_help(1, argv + 1);
            }
        }
        return refuse_missing(command);
    }

    Options options;
    if (!cli_parse_options(command, argc - 2, argv + 2, &options)) {
        return EXIT_WRONG;
    }
    if (options.help) {
        // The commands of `map` have their own help.
        const bool narrow = strcmp(name, "map") == 0 && options.argument_count > 0 &&
                            cli_print_map_help(stdout, command, options.arguments[0]);
        return narrow ? finish_stdout(EXIT_FREE) : run_help(1, argv + 1);
    }
    return files_of_program() != NULL ? command->run(&options) : cli_out_of_memory();
}
