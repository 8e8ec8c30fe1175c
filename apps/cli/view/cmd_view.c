// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth view: look at a scene in a browser.
// Entry: cli_run_view.

#include <string.h>

#include "cli/cli.h"
#include "cli/files.h"
#include "view/view.h"

const char cli_view_help[] =
    "SCENE is what berth check takes, or a map (berth map). A page opens in a browser with robots, "
    "objects and maps, the live verdict and the nearest pairs, sliders for joints, and objects to drag. "
    "All its answers come from the same checker as berth check.\n"
    "\n"
    "The page is served on 127.0.0.1 only, to whoever has the printed address, which contains a token "
    "for this run. Ctrl-C ends it. Objects that you drag move in this run only; the scene file does not "
    "change.\n"
    "\n"
    "--html writes one page that contains everything, including the motion and its proof. It works from "
    "disk and by mail, and says that it is a recording. --png writes a picture of that page, if chromium "
    "is installed.\n"
    "\n"
    "--monitor HOST:PORT shows the permits of a running guard: start it with berth monitor ... --output "
    "udp:HOST:PORT. If you send states and cells of maps to the same port, the page shows the robots and "
    "maps as they are now.\n"
    "\n"
    "examples:\n"
    "  berth view cell.yaml\n"
    "  berth view cell.yaml --trajectory path.csv\n"
    "  berth view cell.yaml --trajectory path.csv --html path.html\n"
    "  berth view office.bmap\n"
    "  berth view panda.urdf --srdf panda.srdf --state ready --port 9000 --no-open\n"
    "\n"
    "with --json, one line when the page is ready: {\"address\": \"http://127.0.0.1:8420/?token=...\"}\n"
    "\n"
    "exit status: 0 done (a file was written), 2 wrong request or file, 4 the machine failed, 130 ended "
    "by Ctrl-C\n";

static int check_request(const Options* options) {
    if (options->argument_count == 0) {
        return cli_reject("view",
                          "which scene? usage: berth view SCENE [OPTIONS]; 'berth help view' has more");
    }
    if (options->argument_count > 1) {
        return cli_reject("view", "expected one scene, not also '%s' (give a motion with --trajectory FILE)",
                          options->arguments[1]);
    }
    if (options->view.port > 65535) {
        return cli_reject("view", "--port %lld: expected 0 (any free port) to 65535",
                          (long long)options->view.port);
    }

    static const char* const of_server[] = {"port", "no-open", "monitor", NULL};
    if (options->view.html != NULL || options->view.png != NULL) {
        return cli_refuse_idle("view", options, of_server, "with --html or --png, which serve no page");
    }
    return EXIT_FREE;
}

// ---- files ---------------------------------------------------------------------------------------------------------

static int check_outputs(const Options* options) {
    int status = cli_refuse_input_as_output(options, 0, options->view.html);
    if (status == EXIT_FREE) {
        status = cli_refuse_input_as_output(options, 0, options->view.png);
    }
    if (status == EXIT_FREE) {
        status = files_check_writable(options->view.html);
    }
    if (status == EXIT_FREE) {
        status = files_check_writable(options->view.png);
    }
    return status == EXIT_FREE && options->view.png != NULL ? view_check_picture() : status;
}

static int write_files(Session* session) {
    const ViewOptions* options = &session->options.view;
    Text page = {0}, picture = {0};
    int status = view_write_page(session, &page);
    if (status == EXIT_FREE && options->png != NULL) {
        status = view_take_picture(&page, &picture);
    }

    if (status == EXIT_FREE && options->png != NULL) {
        status = files_write(options->png, &picture, true);
    }
    if (status == EXIT_FREE && options->html != NULL) {
        status = files_write(options->html, &page, true);
    }
    if (status == EXIT_FREE) {
        status = files_commit();
    }
    text_free(&page);
    text_free(&picture);
    return status;
}

// ---- the server ----------------------------------------------------------------------------------------------------

// Runs until Ctrl-C. Visual meshes take longest to read, so they are read here when a page first requests them.
static void wait_for_end(const View* view, ViewServer* server) {
    static const double MOMENT = 0.1;
    while (!cli_interrupted()) {
        if (!view_server_await_visuals(server, MOMENT)) {
            continue;
        }
        Text text = {0}, bytes = {0};
        ViewGeometry parts = {0};
        if (view->visuals->differ) {
            view_write_visuals(view, &text, &parts);
        } else {
            text_puts(&text, "{\"parts\": [], \"geometry\": {\"vertices\": 0, \"indices\": 0}}");
        }
        view_join_geometry(&parts, &bytes);
        view_server_give_visuals(server, &text, &bytes);
    }
}

static int tell_address(const Options* options, const char* address) {
    Text text = {0};
    if (options->json) {
        Json json = json_writer(&text);
        json_open(&json, '{');
        json_key_text(&json, "address", address);
        json_close(&json, '}');
        text_puts(&text, "\n");
    } else {
        text_printf(&text, "%s\n", address);
    }
    const int status = cli_write_output(&text);
    text_free(&text);
    return status;
}

static int serve(Session* session, View* view) {
    const Options* options = view->question->options;
    Text scene = {0}, geometry = {0};
    ViewGeometry parts = {0};
    view->live = options->view.monitor != NULL;
    view->visuals_later = true;
    view_write_scene(view, &scene, &parts);
    view_join_geometry(&parts, &geometry);

    int status = scene.failed || geometry.failed ? cli_out_of_memory() : EXIT_FREE;
    ViewServer* server = NULL;
    ViewPermits* permits = NULL;
    ViewLiveMaps* live = NULL;
    const ViewServerDef def = {
        .session = session, .port = (int)options->view.port, .scene = &scene, .geometry = &geometry};
    if (status == EXIT_FREE) {
        status = session_start(session);
    }
    if (status == EXIT_FREE) {
        status = view_server_open(&def, &server);
    }
    session_serve(session, server);
    if (status == EXIT_FREE && options->view.monitor != NULL) {
        status = live_maps_open(session, server, &live);
    }
    if (status == EXIT_FREE && live != NULL) {
        status = permits_open(options->view.monitor, server, view->question->value_count, live, &permits);
    }
    if (status == EXIT_FREE) {
        status = tell_address(options, view_server_address(server));
    }
    if (status == EXIT_FREE) {
        if (!options->view.no_open) {
            (void)view_open_browser(view_server_address(server));
        }
        wait_for_end(view, server);
        status = EXIT_INTERRUPTED;
    }

    permits_close(permits);
    session_stop(session);
    view_server_close(server);
    live_maps_close(live);
    text_free(&scene);
    text_free(&geometry);
    return status;
}

/// Data kept while the scene was read.
typedef struct Kept {
    ViewVisuals visuals;
    ViewFields fields;
} Kept;

static int show(Question* question, Kept* kept, BerthTrajectory* trajectory,
                BerthInterpolation interpolation) {
    const char* path = question->options->arguments[0];
    const char* slash = strrchr(path, '/');
    View view;
    Session session = {0};
    const bool opened =
        view_open(&view, question, trajectory, interpolation, slash != NULL ? slash + 1 : path);
    visuals_find_bodies(&kept->visuals, question->scene);
    view.visuals = &kept->visuals;
    view.fields = &kept->fields;
    int status = opened ? session_open(&session, &view) : cli_out_of_memory();
    cli_end_loading();
    cli_hold_interrupts();

    if (status == EXIT_FREE) {
        const ViewOptions* options = &question->options->view;
        status =
            options->html != NULL || options->png != NULL ? write_files(&session) : serve(&session, &view);
    }
    session_close(&session);
    view_close(&view);
    return status;
}

static int show_trajectory(Question* question, Kept* kept) {
    BerthTrajectory trajectory;
    BerthInterpolation interpolation = BERTH_INTERPOLATION_LINEAR;
    BerthStatus read = berth_io_read_trajectory(question->options->view.trajectory, question->scene,
                                                &question->io, &trajectory);
    if (read == BERTH_OK) {
        read = berth_trajectory_interpolation(&trajectory, &interpolation);
    }
    int status = cli_exit_status(read);
    if (status == EXIT_FREE) {
        status = show(question, kept, &trajectory, interpolation);
    }
    berth_io_free_trajectory(&trajectory);
    return status;
}

int cli_run_view(const Options* options) {
    int status = check_request(options);
    if (status == EXIT_FREE) {
        status = check_outputs(options);
    }
    if (status != EXIT_FREE) {
        return status;
    }

    Question question;
    Kept kept = {0};
    BerthIoOptions told = visuals_told(&kept.visuals);
    told.field = fields_add;
    told.field_user = &kept.fields;
    const bool is_map = berth_io_is_map(options->arguments[0]);
    status = is_map ? view_open_map(&question, options, &kept.fields)
                    : question_open_told(&question, "view", options, &told);
    if (status == EXIT_FREE) {
        status = question_set_scene_state(&question);
    }
    if (status == EXIT_FREE) {
        status = options->view.trajectory != NULL ? show_trajectory(&question, &kept)
                                                  : show(&question, &kept, NULL, BERTH_INTERPOLATION_LINEAR);
    }
    question_close(&question);
    visuals_free(&kept.visuals);
    fields_free(&kept.fields);
    return status;
}
