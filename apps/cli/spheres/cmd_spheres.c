// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth spheres: covering spheres of a robot or a mesh, their measures, and what another sphere model leaves outside.
// Entry: cli_run_spheres.

#include <berth/cover.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/files.h"
#include "cli/worker_pool.h"
#include "view/report.h"

const char cli_spheres_help[] =
    "FILE is a robot (.urdf, .xml) or a mesh (.stl .obj .dae .ply .glb .gltf). Every link gets spheres "
    "whose union contains its collision geometry: the whole surface, and the inside of shapes and closed "
    "meshes. Of an open mesh only the surface is covered. This is proven, not sampled, before anything "
    "is written.\n"
    "\n"
    "--count is the number of spheres for the whole robot (or for the links named by --link); they are "
    "distributed to make the total volume as small as possible. A cover never gets more volume from more "
    "spheres; you get fewer spheres than you asked for only if more would not be tighter. --protrusion "
    "uses as few spheres as it can that extend no more than P beyond the geometry. Without either: five "
    "spheres per link. The same request gives the same bytes on every machine and for every number of "
    "threads, except with --time (cut_short).\n"
    "\n"
    "-o writes the robot with spheres instead of its collision geometry and nothing else changed, or "
    "JSON if the name ends in .json; --srdf-out writes MoveIt's link_sphere_approximation (into a copy "
    "of --srdf, if given). --metric l1 covers with octahedra |x| + |y| + |z| <= radius instead, for "
    "'berth map query --metric l1'; JSON only.\n"
    "\n"
    "--compare measures the spheres of another URDF against this geometry: how much it leaves outside, "
    "and how far it protrudes. With --count, --protrusion or -o, berth's own spheres are shown beside "
    "them.\n"
    "\n"
    "examples:\n"
    "  berth spheres panda.urdf --count 59 -o panda_spheres.urdf\n"
    "  berth spheres panda.urdf --protrusion 0.02 --srdf panda.srdf --srdf-out panda_spheres.srdf\n"
    "  berth spheres panda.urdf --link panda_link5=64 --link panda_hand=20 -o hand.json\n"
    "  berth spheres panda.urdf --compare panda_spherized.urdf\n"
    "  berth spheres gripper.stl --count 8 --json\n"
    "\n"
    "with --json (shortened):\n"
    "  {\"file\": \"panda.urdf\", \"metric\": \"l2\", \"fit\": {\"count\": 59, \"covered\": true, "
    "\"cut_short\": false,\n"
    "   \"volume\": 0.031, \"volume_ratio\": 1.58, \"protrusion\": {\"max\": 0.041, \"mean\": 0.011}, "
    "\"outside\": {\"share\": 0,\n"
    "   \"most\": 0}, \"links\": [{\"name\": \"panda_link0\", \"count\": 9, \"covered\": true, ..., "
    "\"spheres\": [{\"center\":\n"
    "   [0, 0, 0.05], \"radius\": 0.08}]}]}, \"compared\": null, \"seconds\": 4.2, \"assumed\": [], "
    "\"declared\": [], \"proven\": 0,\n"
    "   \"warnings\": 0}\n"
    "\n"
    "exit status: 0 done, 2 wrong request or file, 3 --strict and something was assumed or warned about, "
    "4 the machine failed, 130 interrupted\n";

/// Sums over links.
typedef struct SpheresTotal {
    int32_t count, open_meshes, links;
    int32_t bare;  // links with geometry but without spheres, as in a comparison
    bool covered, cut_short;
    bool others_covered;          // all except the bare ones
    double volume, solid_volume;  // of links whose volume is known
    double all_volume;
    double farthest, mean, weight;
    double outside_share, outside_most, outside_weight;
} SpheresTotal;

/// The measures of one link's spheres, or of all of them.
typedef struct SpheresFacts {
    int32_t count;
    int32_t bare;  // in the total: links without spheres
    bool covered, others_covered;
    double volume, volume_ratio;  // NaN: the volume is not known
    double farthest, mean;        // protrusion
    double outside_share,
        outside_most;  // all together: of links with spheres; most is NaN where there are none
} SpheresFacts;

typedef struct SpheresJob {
    const Options* options;
    const BerthIoOptions* io;
    Warnings* warnings;
    Progress progress;
    BerthRobot* robot;  // null for a mesh
    BerthSolid* solid;
    int32_t* counts;  // for each link: n spheres, 0: a share, -1: none; null: all get a share
    BerthMetric metric;
    double end;  // of the search, by cli_seconds; 0: no limit
    const char* name;
    BerthSpheres* fit;
    BerthSpheres* compared;
    double seconds;
} SpheresJob;

enum { SPHERES_OF_LINK_MAX = 4096 };

static bool has_extension(const char* path, const char* const* list) {
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && list[i] != NULL; ++i) {
        if (strcasecmp(dot, list[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char* const robot_extensions[] = {".urdf", ".xml", NULL};
static const char* const scene_extensions[] = {".yaml", ".yml", ".scene", ".csv", ".npy", ".srdf", NULL};
static const char* const json_extensions[] = {".json", NULL};

// ---- reading -------------------------------------------------------------------------------------------------

static int read_mesh(SpheresJob* job, const char* path) {
    BerthMesh* mesh = NULL;
    BerthStatus status = berth_io_read_mesh(path, (BerthVec3){1, 1, 1}, job->io, &mesh);
    warnings_show();
    if (status == BERTH_OK) {
        status = berth_solid_from_mesh(mesh, NULL, &job->solid);  // takes ownership of the mesh
    }
    const char* slash = strrchr(path, '/');
    job->name = slash != NULL ? slash + 1 : path;
    return cli_exit_status(status);
}

// NAME, or NAME=N: the whole text is tried as a name first. `*count` is 0 without a number, -1 if it is invalid.
static int32_t find_link(const BerthRobot* robot, const char* text, int32_t* count) {
    *count = 0;
    const int32_t whole = berth_robot_find_link(robot, text);
    const char* equals = strrchr(text, '=');
    if (whole >= 0 || equals == NULL) {
        return whole;
    }

    char name[512];
    const size_t length = (size_t)(equals - text);
    if (length >= sizeof name) {
        return -1;
    }
    memcpy(name, text, length);
    name[length] = 0;

    char* end = NULL;
    const long number = strtol(equals + 1, &end, 10);
    *count =
        end != equals + 1 && *end == 0 && number >= 1 && number <= SPHERES_OF_LINK_MAX ? (int32_t)number : -1;
    return berth_robot_find_link(robot, name);
}

static int read_links(SpheresJob* job, const char* path) {
    const TextList* links = &job->options->links;
    const int32_t count = berth_robot_link_count(job->robot);
    job->counts = malloc((size_t)count * sizeof *job->counts);
    if (job->counts == NULL) {
        fprintf(stderr, "berth spheres: out of memory\n");
        return EXIT_MACHINE;
    }
    for (int32_t i = 0; i < count; ++i) {
        job->counts[i] = -1;
    }

    for (int i = 0; i < links->count; ++i) {
        int32_t wanted;
        const int32_t link = find_link(job->robot, links->items[i], &wanted);
        if (link < 0) {
            return cli_reject("spheres", "%s: no link is named '%s'; 'berth info %s' lists them", path,
                              links->items[i], path);
        }
        if (wanted < 0) {
            return cli_reject("spheres", "--link '%s': expected NAME or NAME=N with N from 1 to %d",
                              links->items[i], SPHERES_OF_LINK_MAX);
        }
        if (job->counts[link] >= 0) {
            return cli_reject("spheres", "--link '%s': that link is named twice", links->items[i]);
        }
        if (berth_robot_link(job->robot, link).solid_count == 0) {
            return cli_reject("spheres", "--link '%s': that link has no collision geometry", links->items[i]);
        }
        job->counts[link] = wanted;
    }
    return EXIT_FREE;
}

static int read_robot(SpheresJob* job, const char* path) {
    const Options* options = job->options;
    const BerthStatus status = berth_io_read_robot(path, NULL, job->io, &job->robot);
    warnings_show();
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    job->name = berth_robot_name(job->robot);
    return options->links.count > 0 ? read_links(job, path) : EXIT_FREE;
}

static int check_request(const Options* options) {
    if (options->argument_count != 1) {
        if (options->argument_count == 0) {
            return cli_reject("spheres",
                              "of which robot or mesh? usage: berth spheres FILE [OPTIONS]; 'berth help "
                              "spheres' has more");
        }
        return cli_reject("spheres", "expected one robot or mesh, not also '%s'", options->arguments[1]);
    }

    if (options->count > 0 && options->protrusion >= 0.0) {
        return cli_reject("spheres", "expected --count or --protrusion, not both");
    }
    if (options->protrusion == 0.0) {
        return cli_reject("spheres",
                          "--protrusion 0: expected more than 0 m; only a sphere is covered exactly");
    }

    if (has_extension(options->arguments[0], scene_extensions)) {
        return cli_reject("spheres", "%s: expected a robot (.urdf) or a mesh (.stl, .obj, .dae, ...)",
                          options->arguments[0]);
    }

    const bool robot = has_extension(options->arguments[0], robot_extensions);
    if (!robot && (options->links.count > 0 || options->srdf_out != NULL || options->compare != NULL ||
                   options->srdf != NULL)) {
        return cli_reject("spheres", "%s is a mesh: --link, --srdf, --srdf-out and --compare are for robots",
                          options->arguments[0]);
    }

    const char* metric = options->map.metric;
    if (metric != NULL && strcmp(metric, "l1") != 0 && strcmp(metric, "l2") != 0) {
        return cli_reject("spheres", "--metric '%s': expected l1 or l2", metric);
    }
    const bool json_only = options->output == NULL || has_extension(options->output, json_extensions);
    if (metric != NULL && strcmp(metric, "l1") == 0 &&
        (!json_only || options->srdf_out != NULL || options->compare != NULL)) {
        return cli_reject(
            "spheres",
            "--metric l1 makes octahedra, not spheres: only with -o FILE.json, and without --srdf-out and "
            "--compare");
    }

    const int status = cli_refuse_input_as_output(options, 0, options->output);
    return status == EXIT_FREE ? cli_refuse_input_as_output(options, 0, options->srdf_out) : status;
}

// ---- work ----------------------------------------------------------------------------------------------------

static bool asked_to_stop(void* user) {
    (void)user;
    return cli_interrupted();
}

static bool time_is_up(void* user) {
    const SpheresJob* job = user;
    return job->end > 0.0 && cli_seconds() >= job->end;
}

static void show_progress(void* user, int32_t done, int32_t total) {
    SpheresJob* job = user;
    progress_show(&job->progress, job->options, done, total, "spheres");
}

static BerthSpheresDef make_def(SpheresJob* job) {
    const Options* options = job->options;
    BerthSpheresDef def = berth_default_spheres_def();
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    def.count = options->count;
    def.protrusion = options->protrusion > 0.0 ? options->protrusion : 0.0;
    def.effort = options->effort >= 0.0 ? options->effort : def.effort;
    def.seed = options->seed > 0 ? (uint64_t)options->seed : def.seed;

    def.threads = options->threads;
    if (def.threads <= 0) {
        def.threads = processors > 0 ? (int32_t)processors : 1;
    }

    def.body_counts = job->counts;
    def.body_count = job->counts != NULL ? berth_robot_link_count(job->robot) : 0;
    def.metric = job->metric;
    def.stop = asked_to_stop;
    def.enough = time_is_up;
    def.progress = show_progress;
    def.user = job;
    return def;
}

static int compare_with(SpheresJob* job, const char* path) {
    BerthRobot* other = NULL;
    BerthStatus status = berth_io_read_robot(path, NULL, job->io, &other);

    BerthSpheresDef def = make_def(job);
    def.count = 0;
    def.protrusion = 0.0;
    def.enough = NULL;
    int32_t others = 0;

    if (status == BERTH_OK) {
        status = berth_robot_measure_spheres(job->robot, other, &def, &others, &job->compared);
    }
    if (status == BERTH_OK && others > 0) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s: %d shapes are not spheres and were left out", path,
                       (int)others);
        warnings_add(job->warnings, text);
    }

    berth_robot_destroy(other);
    return cli_exit_status(status);
}

static int fit_and_compare(SpheresJob* job) {
    const Options* options = job->options;
    const double start = cli_seconds();
    int status = EXIT_FREE;

    const bool fit = options->compare == NULL || options->count > 0 || options->protrusion > 0.0 ||
                     options->output != NULL || options->srdf_out != NULL;

    if (options->compare != NULL) {
        status = compare_with(job, options->compare);
    }

    if (status == EXIT_FREE && fit) {
        job->end = options->time > 0.0 ? cli_seconds() + options->time : 0.0;
        const BerthSpheresDef def = make_def(job);
        const BerthStatus done = job->robot != NULL ? berth_robot_fit_spheres(job->robot, -1, &def, &job->fit)
                                                    : berth_solid_fit_spheres(job->solid, &def, &job->fit);
        progress_end(&job->progress);
        status = cli_exit_status(done);
    }

    progress_end(&job->progress);
    job->seconds = cli_seconds() - start;
    return status;
}

// ---- answers -------------------------------------------------------------------------------------------------

static const char* group_name(const SpheresJob* job, int32_t group) {
    return job->robot != NULL ? berth_robot_link(job->robot, group).name : job->name;
}

static bool is_asked_for(const SpheresJob* job, const BerthSphereGroup* group, int32_t link) {
    return group->has_geometry && (job->counts == NULL || job->counts[link] >= 0);
}

static void add_group(const BerthSphereGroup* group, SpheresTotal* total) {
    total->count += group->count;
    total->links += 1;
    total->open_meshes += group->open_meshes;
    total->covered = total->covered && group->covered;
    if (group->count == 0) {
        total->bare += 1;
        return;  // there is nothing to measure
    }
    total->others_covered = total->others_covered && group->covered;
    total->cut_short = total->cut_short || group->cut_short;
    total->all_volume += group->volume;

    if (group->solid_volume > 0.0) {
        total->volume += group->volume;
        total->solid_volume += group->solid_volume;
    }

    // About the surface of the union.
    const double weight = cbrt(group->volume * group->volume);
    total->farthest = fmax(total->farthest, group->protrusion);
    total->mean += weight * group->mean_protrusion;
    total->weight += weight;
    total->outside_most = fmax(total->outside_most, group->outside_most);
    total->outside_share += weight * group->outside_share;
}

static SpheresTotal sum_groups(const SpheresJob* job, const BerthSpheres* spheres) {
    SpheresTotal total = {.covered = true, .others_covered = true};
    for (int32_t i = 0; i < berth_spheres_group_count(spheres); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        if (is_asked_for(job, &group, i)) {
            add_group(&group, &total);
        }
    }
    total.mean = total.weight > 0.0 ? total.mean / total.weight : 0.0;
    total.outside_share = total.weight > 0.0 ? total.outside_share / total.weight : 0.0;
    if (total.count == 0) {
        total.outside_share = 1.0;
        total.outside_most = (double)NAN;
    }
    return total;
}

static double volume_ratio_of(double volume, double solid_volume) {
    return solid_volume > 0.0 ? volume / solid_volume : (double)NAN;
}

static SpheresFacts facts_of_group(const BerthSphereGroup* group) {
    return (SpheresFacts){.count = group->count,
                          .covered = group->covered,
                          .volume = group->volume,
                          .volume_ratio = volume_ratio_of(group->volume, group->solid_volume),
                          .farthest = group->protrusion,
                          .mean = group->mean_protrusion,
                          .outside_share = group->outside_share,
                          .outside_most = group->count > 0 ? group->outside_most : (double)NAN};
}

static SpheresFacts facts_of_all(const SpheresTotal* total) {
    return (SpheresFacts){.count = total->count,
                          .bare = total->bare,
                          .covered = total->covered,
                          .others_covered = total->others_covered,
                          .volume = total->all_volume,
                          .volume_ratio = volume_ratio_of(total->volume, total->solid_volume),
                          .farthest = total->farthest,
                          .mean = total->mean,
                          .outside_share = total->outside_share,
                          .outside_most = total->outside_most};
}

static void json_facts(Json* json, const SpheresFacts* facts) {
    json_key_bool(json, "covered", facts->covered);
    json_key_number(json, "volume", facts->volume);
    json_key_number(json, "volume_ratio", facts->volume_ratio);
    json_key_open(json, "protrusion", '{');
    json_key_number(json, "max", facts->farthest);
    json_key_number(json, "mean", facts->mean);
    json_close(json, '}');
    json_key_open(json, "outside", '{');
    json_key_number(json, "share", facts->outside_share);
    json_key_number(json, "most", facts->outside_most);
    json_close(json, '}');
}

static void json_group(Json* json, const char* name, const BerthSphereGroup* group, bool with_balls) {
    const SpheresFacts facts = facts_of_group(group);
    json_open(json, '{');
    json_key_text(json, "name", name);
    json_key_int(json, "count", group->count);
    json_key_bool(json, "cut_short", group->cut_short);
    json_facts(json, &facts);
    json_key_int(json, "open_meshes", group->open_meshes);

    if (with_balls) {
        json_key_open(json, "spheres", '[');
        for (int32_t i = 0; i < group->count; ++i) {
            json_open(json, '{');
            json_key_vec3(json, "center", group->balls[i].centre);
            json_key_number(json, "radius", group->balls[i].radius);
            json_close(json, '}');
        }
        json_close(json, ']');
    }

    json_close(json, '}');
}

static void json_spheres(Json* json, const SpheresJob* job, const BerthSpheres* spheres, bool with_balls) {
    if (spheres == NULL) {
        json_put_null(json);
        return;
    }

    const SpheresTotal total = sum_groups(job, spheres);
    const SpheresFacts facts = facts_of_all(&total);
    json_open(json, '{');
    json_key_int(json, "count", total.count);
    json_key_bool(json, "cut_short", total.cut_short);
    json_facts(json, &facts);

    json_key_open(json, "links", '[');
    for (int32_t i = 0; i < berth_spheres_group_count(spheres); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        if (is_asked_for(job, &group, i)) {
            json_group(json, group_name(job, i), &group, with_balls);
        }
    }

    json_close(json, ']');
    json_close(json, '}');
}

static const char open_detail[] =
    "meshes that are not closed: only their surface is covered, and outside is what can be seen "
    "along an axis";

static int32_t open_meshes(const SpheresJob* job) {
    return sum_groups(job, job->fit != NULL ? job->fit : job->compared).open_meshes;
}

static void write_json(Text* text, const SpheresJob* job, bool with_seconds) {
    Json json = json_writer(text);
    json_open(&json, '{');

    json_key_text(&json, "file", job->options->arguments[0]);
    json_key_text(&json, "metric", berth_metric_name(job->metric));
    json_key(&json, "fit");
    json_spheres(&json, job, job->fit, true);
    json_key(&json, "compared");
    json_spheres(&json, job, job->compared, false);
    if (with_seconds) {
        json_key_number(&json, "seconds", job->seconds);
    }

    json_key_open(&json, "assumed", '[');
    if (open_meshes(job) > 0) {
        json_open(&json, '{');
        json_key_text(&json, "what", "open_meshes");
        json_key_text(&json, "detail", open_detail);
        json_key_int(&json, "count", open_meshes(job));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    cli_json_no_pairs(&json);

    json_key_int(&json, "warnings", job->warnings->count);
    json_close(&json, '}');
    text_puts(text, "\n");
}

static void put_row(Text* text, int width, const char* name, const SpheresFacts* facts) {
    text_printf(text, "  %-*s %6d", width, name, (int)facts->count);
    if (isfinite(facts->volume_ratio)) {
        text_printf(text, " %8.2f", facts->volume_ratio);
    } else {
        text_printf(text, " %8s", "-");
    }

    text_millimetres(text, facts->farthest, 10);
    text_millimetres(text, facts->mean, 10);
    if (facts->covered) {
        text_puts(text, "   proven\n");
        return;
    }
    if (facts->count == 0) {
        text_puts(text, "   no spheres\n");
        return;
    }

    if (facts->bare > 0 && facts->others_covered) {
        text_puts(text, "   no: those with spheres are proven");
    } else {
        text_printf(text, "   no: %.1f %% outside, up to ", 100.0 * facts->outside_share);
        text_length(text, facts->outside_most);
    }
    if (facts->bare > 0) {
        text_printf(text, "; %d %s no spheres", (int)facts->bare,
                    facts->bare == 1 ? "link has" : "links have");
    }
    text_puts(text, "\n");
}

static void write_table(Text* text, const SpheresJob* job, const BerthSpheres* spheres, const char* title) {
    int width = 12;
    for (int32_t i = 0; i < berth_spheres_group_count(spheres); ++i) {
        const int length = (int)strlen(group_name(job, i));
        if (berth_spheres_group(spheres, i).has_geometry && length > width) {
            width = length < 40 ? length : 40;
        }
    }

    const SpheresTotal total = sum_groups(job, spheres);
    text_printf(text, "%s\n  %-*s %6s %8s %9s %9s   %s\n", title, width, "link", "count", "volume", "max, mm",
                "mean, mm", "covered");

    for (int32_t i = 0; i < berth_spheres_group_count(spheres); ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        if (is_asked_for(job, &group, i)) {
            const SpheresFacts facts = facts_of_group(&group);
            put_row(text, width, group_name(job, i), &facts);
        }
    }

    if (total.links > 1) {
        const SpheresFacts facts = facts_of_all(&total);
        put_row(text, width, "all", &facts);
    }
}

static void write_text(Text* text, const SpheresJob* job) {
    const Options* options = job->options;
    char title[512];

    if (job->fit != NULL) {
        (void)snprintf(title, sizeof title,
                       "%s: %s, their volume against the geometry's, how far they protrude",
                       options->arguments[0], job->metric == BERTH_METRIC_L1 ? "octahedra" : "spheres");
        write_table(text, job, job->fit, title);
    }
    if (job->compared != NULL) {
        (void)snprintf(title, sizeof title, "%s: its spheres against the same geometry", options->compare);
        write_table(text, job, job->compared, title);
    }

    if (job->fit != NULL && job->compared != NULL) {
        text_printf(
            text, "the volume of berth's spheres is %.2f times theirs\n",
            volume_ratio_of(sum_groups(job, job->fit).all_volume, sum_groups(job, job->compared).all_volume));
    }

    if (job->fit != NULL && sum_groups(job, job->fit).cut_short) {
        text_printf(text, "cut short after %g s: more time gives tighter spheres\n", options->time);
    }
    if (open_meshes(job) > 0 && !options->quiet) {
        text_printf(text, "assumed: %d %s\n", (int)open_meshes(job), open_detail);
    }
    if (options->output != NULL && !options->quiet) {
        text_printf(text, "wrote %s\n", options->output);
    }
    if (options->srdf_out != NULL && !options->quiet) {
        text_printf(text, "wrote %s\n", options->srdf_out);
    }
}

// ---- files ---------------------------------------------------------------------------------------------------

static int write_json_file(const SpheresJob* job, const char* path) {
    Text text = {0};
    write_json(&text, job, false);  // compared outputs must not contain the time taken
    const int status = files_write(path, &text, true);
    text_free(&text);
    return status;
}

static int write_files(const SpheresJob* job) {
    const Options* options = job->options;
    BerthStatus status = BERTH_OK;

    if (options->output != NULL && has_extension(options->output, json_extensions)) {
        const int written = write_json_file(job, options->output);
        if (written != EXIT_FREE) {
            return written;
        }
    } else if (options->output != NULL && job->robot != NULL) {
        status =
            berth_io_write_spherized(options->output, options->arguments[0], job->robot, job->fit, job->io);
    } else if (options->output != NULL) {
        status = berth_io_write_sphere_body(options->output, job->name, job->fit, job->io);
    }

    if (status == BERTH_OK && options->srdf_out != NULL) {
        status = berth_io_write_sphere_srdf(options->srdf_out, options->srdf, job->robot, job->fit, job->io);
    }

    return status == BERTH_OK ? files_commit() : cli_report_failure(status);
}

// The robot in its first state, with its spheres around it. The report is complete without a view, too.
static void show_robot(Report* report, const SpheresJob* job, const BerthSpheres* spheres) {
    BerthScene* scene = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = job->robot;
    def.name = berth_robot_name(job->robot);
    bool is_well = berth_scene_create(NULL, &scene) == BERTH_OK;
    is_well = is_well && berth_scene_add_robot(scene, &def, NULL) == BERTH_OK;
    is_well = is_well && berth_scene_commit(scene) == BERTH_OK;

    if (is_well) {
        Question question = {.command = "spheres",
                             .options = job->options,
                             .scene = scene,
                             .values = (double*)(uintptr_t)berth_scene_values(scene),  // read only
                             .value_count = berth_scene_value_count(scene)};
        const char* title = job->options->arguments[0];
        report_view(report, &(ReportView){.question = &question, .title = title, .spheres = spheres});
    } else {
        report->page_note = "A robot alone is not a scene, so there is no 3-D view here.";
    }
    berth_scene_destroy(scene);
}

// --report: the same answer, with a picture of how far balls extend beyond the links.
static int write_report(const SpheresJob* job) {
    enum { BARS_MOST = 256 };
    const BerthSpheres* spheres = job->fit != NULL ? job->fit : job->compared;
    Report report = {.command = "spheres", .title = job->options->arguments[0]};
    Text words = {0}, numbers = {0};
    const SpheresTotal total = sum_groups(job, spheres);
    text_printf(&words, "%d balls, %s; none extends more than ", (int)total.count,
                total.covered ? "proven to cover everything" : "which are not proven to cover everything");
    text_length(&words, total.farthest);
    text_puts(&words, " beyond the geometry\n");
    write_text(&words, job);
    write_json(&numbers, job, true);

    const char* names[BARS_MOST];
    double protrusions[BARS_MOST];
    int count = 0;
    for (int32_t i = 0; i < berth_spheres_group_count(spheres) && count < BARS_MOST; ++i) {
        const BerthSphereGroup group = berth_spheres_group(spheres, i);
        if (group.count > 0) {
            names[count] = group_name(job, i);
            protrusions[count++] = 1e3 * group.protrusion;
        }
    }

    int status = EXIT_MACHINE;
    if (!words.failed && !numbers.failed) {
        report_words(&report, words.data);
        report_numbers(&report, numbers.data);
        report_bars(&report, "How far balls extend beyond the geometry", "mm", names, protrusions, count);
        if (job->robot != NULL) {
            show_robot(&report, job, spheres);
        }
        status = report_write(&report, job->options->report);
    }
    text_free(&words);
    text_free(&numbers);
    report_free(&report);
    return status;
}

static int run_job(SpheresJob* job) {
    const Options* options = job->options;
    int status = has_extension(options->arguments[0], robot_extensions)
                     ? read_robot(job, options->arguments[0])
                     : read_mesh(job, options->arguments[0]);

    if (status == EXIT_FREE) {
        status = fit_and_compare(job);
    }

    // Spheres that are not proven to cover are not written.
    if (status == EXIT_FREE && job->fit != NULL && !sum_groups(job, job->fit).covered) {
        fprintf(stderr, "berth spheres: the cover could not be proven\n");
        return EXIT_UNKNOWN;
    }

    if (status == EXIT_FREE) {
        status = write_files(job);
    }
    if (status == EXIT_FREE && options->report != NULL) {
        status = write_report(job);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    Text text = {0};
    if (options->json) {
        write_json(&text, job, true);
    } else {
        write_text(&text, job);
        text_wrote(&text, options, options->report);
    }
    status = cli_write_output(&text);
    text_free(&text);

    const bool assumed = open_meshes(job) > 0 || job->warnings->count > 0;
    return status == EXIT_FREE && options->strict && assumed ? EXIT_UNKNOWN : status;
}

int cli_run_spheres(const Options* options) {
    int status = check_request(options);
    if (status != EXIT_FREE) {
        return status;
    }

    Warnings warnings;
    BerthIoOptions io;
    if (!cli_start("spheres", options, &warnings, &io)) {
        return EXIT_WRONG;
    }

    status = files_check_writable(options->output);
    if (status == EXIT_FREE) {
        status = files_check_writable(options->srdf_out);
    }
    if (status == EXIT_FREE) {
        status = files_check_report(options);
    }

    SpheresJob job = {.options = options, .io = &io, .warnings = &warnings};
    if (options->map.metric != NULL && strcmp(options->map.metric, "l1") == 0) {
        job.metric = BERTH_METRIC_L1;
    }
    if (status == EXIT_FREE) {
        status = run_job(&job);
    }

    berth_spheres_destroy(job.fit);
    berth_spheres_destroy(job.compared);
    berth_robot_destroy(job.robot);
    berth_solid_destroy(job.solid);
    free(job.counts);
    warnings_close(&warnings);
    return status;
}
