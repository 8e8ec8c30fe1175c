// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth contact: contacts, forces and moments of a state, of each row of a trajectory, of a recorded motion, or of free
// bodies that move under them.
// Entry: cli_run_contact.

#include "cli/contact/contact.h"

#include <stdlib.h>
#include <string.h>

#include "cli/question.h"

const char cli_contact_help[] =
    "SCENE is what berth check takes. Without TRAJECTORY the scene's own state is examined, with it "
    "every row. Links, attached objects and objects are compared with each other, except two objects "
    "that stand still. Pairs that may touch (allow, touch lists) are compared too, unless --skip-allowed "
    "is given or neither body moves, such as a base and its table. Objects with a mass can move; the "
    "others stand still.\n"
    "\n"
    "A contact has a point, the unit normal from a to b, a depth >= 0, the features that touch (vertex, "
    "edge or face, counted within a convex piece of the body), and the force on a; the force on b is the "
    "opposite. Moments are about centroids. Cylinders and cones are replaced by prisms and pyramids that "
    "enclose them: see assumed. Closed meshes that are not convex are cut into convex pieces; contact "
    "with a mesh that is open or takes more than 512 pieces is unknown.\n"
    "\n"
    "Forces come from the scene's materials: 'default', the name of a body, or 'a+b' for a pair of "
    "bodies. The force between two bodies is the foundation (N/m3) times the volume that they share; a "
    "contact's force is its part of that. If only a stiffness (N/m) is given, it is that of 10 cm2.\n"
    "\n"
    "--follower leads an object along a recorded motion (CSV: x, y, z; optionally qx, qy, qz, qw or "
    "roll, pitch, yaw; optionally time). With --constrain it stops at surfaces and slides along them, "
    "and the answer has the force and moment that the hand feels: those of a spring and a damper "
    "(--coupling) between the hand and the follower. --steps moves objects that have a mass by their "
    "springs and gravity, in substeps: a small stepper, not a physics engine.\n"
    "\n"
    "NAME=udp:HOST:PORT leads it live: it receives pose messages as for 'berth monitor' (port 0: any "
    "free port, which is printed) and sends a force every millisecond to --output, as JSON. The first "
    "pose places the follower and must be free. If poses are older than --silence, or after any other "
    "fault, the force is 0 and the message gives the reason. Ctrl-C ends it, with a last force 0.\n"
    "\n"
    "examples:\n"
    "  berth contact cell.yaml --at joint2=1.2\n"
    "  berth contact cell.yaml insertion.csv --json\n"
    "  berth contact table.yaml --follower hand=hand.csv --constrain --json\n"
    "  berth contact table.yaml --steps 2000 --dt 0.0005\n"
    "  berth contact table.yaml --rate\n"
    "  berth contact table.yaml --follower hand=udp:127.0.0.1:7500 --output udp:127.0.0.1:7501\n"
    "\n"
    "with --json, one line per state (or row):\n"
    "  {\"state\": 0, \"verdict\": \"collision\", \"contacts\": [{\"a\": \"cube\", \"b\": \"table\", "
    "\"feature_a\":\n"
    "   {\"kind\": \"vertex\", \"piece\": 0, \"index\": 2}, \"feature_b\": {\"kind\": \"face\", "
    "\"piece\": 0, \"index\": 5},\n"
    "   \"point\": [0.1, 0.2, 0.3], \"normal\": [0, 0, -1], \"depth\": 0.001, \"force\": [0, 0, 10], "
    "\"age\": 0}],\n"
    "   \"bodies\": [{\"name\": \"cube\", \"force\": [0, 0, 10], \"moment\": [0, 0, 0]}], \"assumed\": "
    "[], \"declared\": [], \"proven\": 0}\n"
    "\n"
    "with --rate one line: cycles, seconds, rate, contacts (mean), p50, p99, p99.9, worst (seconds)\n"
    "\n"
    "exit status: 0 done, whatever touches, 2 wrong request or file, 3 some pair could not be decided "
    "(or --strict and something assumed), 4 the machine failed, 130 interrupted; live: 0 ended, 5 the "
    "loop hung\n";

// ---- rows ------------------------------------------------------------------------------------------------------

static double row_time(const ContactJob* job, int32_t row, bool* has) {
    const double* times = job->follower >= 0 ? job->motion.times : job->times;
    *has = times != NULL;
    return times != NULL ? times[row] : 0.0;
}

BerthStatus contact_lead_follower(ContactJob* job, const BerthPose* target, double dt, bool first,
                                  ContactAnswer* answer) {
    if (!job->constrained || first) {
        job->has_last = false;
        return berth_contact_lead(job->world, job->follower, target, first ? 0.0 : dt);
    }

    BerthContactBody before;
    BerthStatus status = berth_contact_body(job->world, job->follower, &before);
    if (status == BERTH_OK) {
        status = berth_contact_follow(job->world, job->follower, target, &answer->follow);
    }
    answer->has_follow = status == BERTH_OK;

    // Its speeds follow from the way it moved.
    if (status == BERTH_OK) {
        status = berth_contact_move(job->world, job->follower, &before.world_from_body, NULL, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_contact_lead(job->world, job->follower, &answer->follow.world_from_body, dt);
    }
    if (status == BERTH_OK) {
        status = berth_contact_couple(job->world, job->follower, &job->coupling, &answer->follow,
                                      job->has_last ? &job->last : NULL, dt, &answer->hand);
    }

    job->last = answer->follow;
    job->has_last = status == BERTH_OK;
    return status;
}

static int report_unplaced(const ContactJob* job, BerthStatus status, int32_t row) {
    if (status == BERTH_ERR_UNSUPPORTED) {
        return cli_reject(
            "contact",
            "--constrain: '%s' is a mesh that is not convex, or is unbounded: how far it may move between "
            "two checks is not known",
            berth_scene_body_name(job->scene, job->follower));
    }
    return cli_reject("contact", "state %d cannot be placed: a value is out of range", (int)row);
}

// Puts everything into the poses of row `row`. `first`: there is no previous row, so nothing has a speed.
static int place_row(ContactJob* job, int32_t row, bool first, ContactAnswer* answer) {
    bool timed = false;
    answer->time = row_time(job, row, &timed);
    answer->has_time = timed;
    const double dt = timed && !first && row > 0 ? answer->time - row_time(job, row - 1, &timed) : 0.0;

    const int32_t state = job->follower >= 0 ? 0 : row;
    const double* values = job->rows + (size_t)state * (size_t)job->value_count;
    BerthStatus status = berth_contact_place(job->world, values, dt);

    if (status == BERTH_OK && job->follower >= 0) {
        status = contact_lead_follower(job, &job->motion.poses[row], dt, first, answer);
    }

    return status == BERTH_OK ? EXIT_FREE : report_unplaced(job, status, row);
}

// Refuses steps that are too long for the stiffness, before the first one.
static int check_step(const ContactJob* job) {
    if (job->steps == 0 || berth_contact_substeps(job->world, job->dt) > 0) {
        return EXIT_FREE;
    }

    double dt = job->dt;
    while (dt > 1e-12 && berth_contact_substeps(job->world, dt) == 0) {
        dt *= 0.5;
    }
    return cli_reject(
        "contact",
        "--dt %g: the stiffest materials on the lightest objects need more than 256 substeps for it; "
        "use --dt %.2g, or a smaller foundation (stiffness)",
        job->dt, dt);
}

// A cycle, or a step of free bodies.
static int run_cycle(ContactJob* job, BerthContactResult* result, bool* is_held) {
    const BerthStatus status = job->steps > 0 ? berth_contact_step(job->world, job->dt, result)
                                              : berth_contact_cycle(job->world, result);
    if (status == BERTH_ERR_CAPACITY) {
        return cli_reject("contact", "too many contacts: %lld more than the limit of %d",
                          (long long)result->lost_count, (int)result->contact_count);
    }
    *is_held = status == BERTH_ERR_UNSUPPORTED;
    if (status != BERTH_OK && !*is_held) {
        return cli_reject("contact", "a body left all bounds: use a smaller --dt or softer materials");
    }
    return EXIT_FREE;
}

static int answer_row(ContactJob* job, int32_t row, ContactAnswer* answer) {
    *answer = (ContactAnswer){.row = row};
    int status = place_row(job, row, row == 0, answer);

    int32_t outside = 0;
    const double* values = job->rows + (size_t)(job->follower >= 0 ? 0 : row) * (size_t)job->value_count;
    if (status == EXIT_FREE && job->value_count > 0) {
        const BerthStatus checked = berth_scene_check_values(job->scene, values, &outside, NULL);
        status = cli_exit_status(checked);
    }
    answer->outside = outside;

    const int32_t count = job->steps > 0 ? job->steps : 1;
    for (int32_t i = 0; i < count && status == EXIT_FREE && !answer->is_held; ++i) {
        if (cli_interrupted()) {
            return EXIT_INTERRUPTED;
        }
        status = run_cycle(job, &answer->result, &answer->is_held);
        answer->stepped = answer->is_held ? i : i + 1;
    }

    return status;
}

static int32_t row_count(const ContactJob* job) {
    return job->follower >= 0 ? job->motion.row_count : job->row_count;
}

static int answer_rows(ContactJob* job) {
    int status = EXIT_FREE;
    Text text = {0};

    for (int32_t row = 0; row < row_count(job) && status == EXIT_FREE; ++row) {
        ContactAnswer answer;
        status = answer_row(job, row, &answer);
        if (status != EXIT_FREE) {
            break;
        }

        job->touching += answer.result.verdict == BERTH_COLLISION;
        job->unknown += answer.result.unknown_pairs > 0;
        job->outside += answer.outside;

        contact_write(&text, job, &answer);
        status = cli_write_output(&text);
    }

    text_free(&text);
    return status;
}

// ---- rate ------------------------------------------------------------------------------------------------------

enum { RATE_CYCLES = 200000 };
static const double RATE_SECONDS = 2.0;

// Repeats the rows for two seconds, and times each cycle.
static int measure_rate(ContactJob* job) {
    ContactRate rate = {.capacity = RATE_CYCLES};
    rate.seconds = malloc(RATE_CYCLES * sizeof *rate.seconds);
    if (rate.seconds == NULL) {
        return cli_out_of_memory();
    }

    int status = EXIT_FREE;
    const double begin = cli_seconds();
    for (int32_t row = 0; rate.count < rate.capacity && status == EXIT_FREE;
         row = (row + 1) % row_count(job)) {
        if (cli_interrupted()) {
            status = EXIT_INTERRUPTED;
            break;
        }

        ContactAnswer answer = {.row = row};
        const double from = cli_seconds();
        status = place_row(job, row, row == 0, &answer);
        if (status == EXIT_FREE) {
            status = run_cycle(job, &answer.result, &answer.is_held);
        }

        const double to = cli_seconds();
        rate.seconds[rate.count++] = to - from;
        rate.sum += to - from;
        rate.contacts += answer.result.contact_count;
        job->unknown += answer.result.unknown_pairs > 0;

        if (to - begin > RATE_SECONDS) {
            break;
        }
    }

    if (status == EXIT_FREE) {
        Text text = {0};
        contact_write_rate(&text, job, &rate);
        status = cli_write_output(&text);
        text_free(&text);
    }

    free(rate.seconds);
    return status;
}

// ---- request -----------------------------------------------------------------------------------------------------

// The source of a live follower's poses, or null.
static const char* live_address(const Options* options) {
    const char* equals = options->follower != NULL ? strchr(options->follower, '=') : NULL;
    return equals != NULL && strncmp(equals + 1, "udp:", 4) == 0 ? equals + 5 : NULL;
}

// NAME=FILE or NAME=udp:HOST:PORT of --follower.
static int find_follower(ContactJob* job) {
    const char* text = job->options->follower;
    const char* equals = text != NULL ? strchr(text, '=') : NULL;
    job->follower = -1;
    if (text == NULL) {
        if (job->options->constrain) {
            return cli_reject("contact", "--constrain needs a --follower NAME=FILE");
        }
        if (job->options->coupling != NULL) {
            return cli_reject("contact", "--coupling needs a --follower NAME=FILE and --constrain");
        }
        return EXIT_FREE;
    }

    char name[1024];
    if (equals == NULL || equals == text || equals[1] == '\0' || (size_t)(equals - text) >= sizeof name) {
        return cli_reject("contact", "--follower '%s': expected NAME=FILE.csv, with the name of an object",
                          text);
    }
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';

    const int32_t body = berth_scene_find_body(job->scene, name);
    if (body < 0) {
        return cli_reject("contact", "--follower: the scene has no body '%s'", name);
    }

    const BerthBodyInfo info = berth_scene_body(job->scene, body);
    if (info.robot >= 0) {
        return cli_reject("contact", "--follower: '%s' moves with a robot; an object on its own was expected",
                          name);
    }

    // Coupling of the hand: a spring and a damper.
    double numbers[2];
    job->coupling = berth_default_coupling();
    const char* coupling = job->options->coupling;
    if (coupling != NULL) {
        if (!cli_read_numbers(coupling, 2, numbers) || !(numbers[0] >= 0.0 && numbers[1] >= 0.0)) {
            return cli_reject("contact", "--coupling '%s': expected K,B: N/m and N s/m, both >= 0", coupling);
        }
        job->coupling.stiffness = numbers[0];
        job->coupling.damping = numbers[1];
    }

    job->follower = body;
    job->constrained = job->options->constrain || live_address(job->options) != NULL;
    if (live_address(job->options) != NULL) {
        return EXIT_FREE;
    }
    const BerthStatus status = berth_io_read_poses(equals + 1, NULL, &job->motion);
    return cli_exit_status(status);
}

bool contact_make_def(const Options* options, BerthContactDef* def, BerthContactLab* lab) {
    *lab = berth_default_contact_lab();
    *def = berth_default_contact_def();
    def->capacity = 1 << 16;
    def->points = options->all ? 0 : 4;

    if (options->method != NULL) {
        if (strcmp(options->method, "elemental") == 0) {
            def->method = BERTH_CONTACT_ELEMENTAL;
        } else if (strcmp(options->method, "manifold") == 0) {
            def->method = BERTH_CONTACT_MANIFOLD;
        } else if (strcmp(options->method, "overlap") != 0) {
            (void)cli_reject("contact", "--method '%s': expected overlap, manifold or elemental",
                             options->method);
            return false;
        }
    }

    if (options->levels != NULL) {
        const char* text = options->levels;
        if (text[0] < '0' || text[0] > '6' || text[1] != '\0') {
            (void)cli_reject("contact", "--levels '%s': expected 0 to 6", text);
            return false;
        }
        lab->levels = text[0] - '0';
        def->lab = lab;
    }

    return true;
}

static int exit_status(const ContactJob* job, int status) {
    if (status != EXIT_FREE) {
        return status;
    }
    const bool assumed =
        berth_contact_assumed_count(job->world) > 0 || job->outside > 0 || job->warnings->count > 0;
    return job->unknown > 0 || (job->options->strict && assumed) ? EXIT_UNKNOWN : EXIT_FREE;
}

// Leads the follower live, after checking that it can be led from its pose at the start.
static int run_live(ContactJob* job) {
    const MonitorOptions* given = &job->options->monitor;
    const LiveOptions live = {.input = live_address(job->options),
                              .outputs = &given->outputs,
                              .from = &given->from,
                              .test_fault = given->test_fault,
                              .not_real_time = given->not_real_time,
                              .trust_network = given->trust_network,
                              .priority = given->priority,
                              .period = job->options->live_period,
                              .silence = job->options->live_silence,
                              .force_limit = job->options->force_limit,
                              .watchdog = given->watchdog,
                              .seconds = given->seconds,
                              .cycles = given->cycles};

    ContactAnswer answer = {.row = 0};
    const double* values = job->value_count > 0 ? job->rows : NULL;
    BerthStatus status = berth_contact_place(job->world, values, 0.0);
    BerthContactBody body;
    if (status == BERTH_OK) {
        status = berth_contact_body(job->world, job->follower, &body);
    }
    if (status == BERTH_OK) {
        status = berth_contact_follow(job->world, job->follower, &body.world_from_body, &answer.follow);
    }

    if (status != BERTH_OK) {
        return report_unplaced(job, status, 0);
    }
    return contact_run_live(job, &live);
}

static int run_job(ContactJob* job) {
    BerthContactDef def;
    BerthContactLab lab;
    int status = contact_make_def(job->options, &def, &lab) ? find_follower(job) : EXIT_WRONG;
    if (status == EXIT_FREE) {
        def.driven = job->follower;
        const BerthStatus made =
            berth_contact_from_scene(job->scene, &def, job->options->skip_allowed, &job->world);
        status = cli_exit_status(made);
    }

    if (status == EXIT_FREE) {
        status = check_step(job);
    }

    if (status == EXIT_FREE && live_address(job->options) != NULL) {
        status = run_live(job);
    } else if (status == EXIT_FREE) {
        status = job->options->rate ? measure_rate(job) : answer_rows(job);
        status = exit_status(job, status);
    }

    berth_contact_destroy(job->world);
    berth_io_free_poses(&job->motion);
    return status;
}

// The rows of a trajectory, instead of the single state.
static int read_rows(Question* question, BerthTrajectory* trajectory, ContactJob* job) {
    const int status = question_set_scene_state(question);
    if (status != EXIT_FREE) {
        return status;
    }

    const BerthStatus read =
        berth_io_read_trajectory(question->options->arguments[1], question->scene, &question->io, trajectory);
    job->many = true;
    job->rows = trajectory->positions;
    job->times = trajectory->times;
    job->row_count = trajectory->row_count;
    return cli_exit_status(read);
}

static int contact_scene(Question* question) {
    const Options* options = question->options;
    ContactJob job = {.options = options,
                      .scene = question->scene,
                      .warnings = &question->warnings,
                      .rows = question->values,
                      .row_count = 1,
                      .value_count = question->value_count,
                      .steps = options->steps,
                      .dt = options->dt > 0.0 ? options->dt : 1e-3};

    BerthTrajectory trajectory = {.positions = NULL};
    int status = options->argument_count == 2 ? read_rows(question, &trajectory, &job) : EXIT_FREE;
    if (status == EXIT_FREE) {
        status = run_job(&job);
    }

    berth_io_free_trajectory(&trajectory);
    return status;
}

static int check_request(const Options* options) {
    if (options->argument_count < 1) {
        return cli_reject("contact",
                          "which scene? usage: berth contact SCENE [TRAJECTORY] [OPTIONS]; 'berth help "
                          "contact' has more");
    }

    if (options->argument_count > 2) {
        return cli_reject("contact", "expected one scene and one trajectory, not also '%s'",
                          options->arguments[2]);
    }
    if (options->argument_count == 2 && (options->follower != NULL || options->steps > 0)) {
        return cli_reject("contact", "a trajectory cannot be combined with --follower or --steps");
    }
    if (options->follower != NULL && options->steps > 0) {
        return cli_reject("contact", "--follower and --steps cannot be combined");
    }

    static const char* const live_only[] = {
        "output",  "from",       "trust-network", "not-real-time", "priority",    "watchdog", "cycles",
        "seconds", "test-fault", "period",        "silence",       "force-limit", NULL};
    static const char* const not_live[] = {"rate", "constrain", NULL};
    const bool live = live_address(options) != NULL;
    const int idle = live ? cli_refuse_idle("contact", options, not_live, "with a live follower")
                          : cli_refuse_idle("contact", options, live_only,
                                            "without a live follower: --follower NAME=udp:HOST:PORT");
    if (idle != EXIT_FREE) {
        return idle;
    }

    if (options->dt > 0.0 && (options->steps == 0 || options->dt > 1.0)) {
        return cli_reject("contact", "--dt is only for --steps, and at most 1 second");
    }
    return EXIT_FREE;
}

int cli_run_contact(const Options* options) {
    int status = check_request(options);
    if (status != EXIT_FREE) {
        return status;
    }

    Question question;
    status = question_open(&question, "contact", options);
    if (status == EXIT_FREE) {
        status = contact_scene(&question);
    }
    question_close(&question);
    return status;
}
