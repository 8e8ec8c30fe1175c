// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The threads that answer requests, one after the other. They wait only for requests, never for a client. Plans and
// proofs of motions may take minutes, so a second thread works on them, and states can be answered at the same time.
// Requests that change the scene first stop that work.
// Entries: session_open, session_close, session_receive, session_answer.

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

// ---- kinds of requests -------------------------------------------------------------------------------------------

typedef struct Kind {
    const char* name;
    bool (*answer)(Answer* answer);
} Kind;

static const Kind kinds[] = {
    {"state", answer_state},         {"at", answer_at},           {"pairs", answer_pairs},
    {"path", answer_path},           {"plan", answer_plan},       {"tool", answer_tool},
    {"place", answer_place},         {"contact", answer_contact}, {"ball", answer_ball},
    {"buffers", answer_buffers},     {"octree", answer_octree},   {"layer", answer_layer},
    {"export", answer_export},       {"slice", answer_slice},     {"cells", answer_cells},
    {"perimeter", answer_perimeter},
};

bool answer_fail(Answer* answer, const char* format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(answer->error, sizeof answer->error, format, args);
    va_end(args);
    return false;
}

bool answer_status(Answer* answer, BerthStatus status) {
    if (status == BERTH_OK) {
        return true;
    }
    const char* text = berth_error_text();
    return answer_fail(answer, "%s", text[0] != '\0' ? text : berth_status_meaning(status));
}

bool answer_read_values(Answer* answer, const char* key, double* values) {
    const Question* question = answer->session->view->question;
    const json_t* given = json_object_get(answer->request, key);
    if (!json_is_array(given) || json_array_size(given) != (size_t)question->value_count) {
        return answer_fail(answer, "'%s': expected %d numbers, one per value of the state", key,
                           (int)question->value_count);
    }

    for (size_t i = 0; i < (size_t)question->value_count; ++i) {
        const json_t* number = json_array_get(given, i);
        if (!json_is_number(number)) {
            return answer_fail(answer, "'%s': value %d is not a number", key, (int)i);
        }
        values[i] = json_number_value(number);
    }
    return answer_status(answer, berth_scene_check_values(question->scene, values, NULL, NULL));
}

bool answer_read_body(Answer* answer, const char* key, int32_t* body) {
    const BerthScene* scene = answer->session->view->question->scene;
    const json_t* given = json_object_get(answer->request, key);
    const json_int_t count = berth_scene_body_count(scene);
    *body = -1;
    if (json_is_string(given)) {
        *body = berth_scene_find_body(scene, json_string_value(given));
    } else if (json_is_integer(given) && json_integer_value(given) < count) {
        *body = (int32_t)json_integer_value(given);
    }
    return *body >= 0 || answer_fail(answer, "'%s': expected the name of a body, or its number, 0 to %d", key,
                                     (int)count - 1);
}

static bool answer_by_kind(Answer* answer) {
    const char* name = json_string_value(json_object_get(answer->request, "do"));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && name != NULL; ++i) {
        if (strcmp(kinds[i].name, name) == 0) {
            return kinds[i].answer(answer);
        }
    }
    return answer_fail(answer, "'do': %s%.40s%s is not a known request", name != NULL ? "'" : "",
                       name != NULL ? name : "nothing", name != NULL ? "'" : "");
}

static void begin_answer(Json* json, const json_t* request) {
    json_open(json, '{');
    json_key_int(json, "id", json_integer_value(json_object_get(request, "id")));
}

bool answer_is_cancelled(void* user) {
    const Answer* answer = user;
    return atomic_load(&answer->session->cancelled);
}

void answer_tell_progress(Answer* answer, double share) {
    static const double EVERY = 0.1;  // seconds
    ViewSend* sent = &answer->session->progress;
    const double now = cli_seconds();
    if (answer->client == NULL || now - sent->last < EVERY) {
        return;
    }

    sent->last = now;
    Text text = {0};
    Json json = json_writer(&text);
    begin_answer(&json, answer->request);
    json_key_number(&json, "progress", share);
    if (answer->tree != NULL) {
        view_json_tree(&json, answer->tree);
    }
    json_close(&json, '}');
    if (!text.failed) {
        view_client_send(answer->client, text.data, text.size);
    }
    text_free(&text);
}

static void answer_request(Session* session, const json_t* request, ViewClient* client, Text* text) {
    Answer answer = {.session = session, .request = request, .json = json_writer(text), .client = client};
    begin_answer(&answer.json, request);
    session->progress.begin = session->progress.last = cli_seconds();
    const bool is_well = answer_by_kind(&answer);
    if (is_well && !text->failed) {
        json_key_bool(&answer.json, "ok", true);
        json_close(&answer.json, '}');
        return;
    }

    // The text written so far for a failed answer is discarded.
    if (text->failed) {
        text_free(text);
        (void)answer_fail(&answer, "out of memory");
    }
    text->size = 0;
    answer.json = json_writer(text);
    begin_answer(&answer.json, request);
    if (atomic_load(&session->overtaken)) {
        (void)answer_fail(&answer, "cancelled: an object was moved in the meantime");
    }
    json_key_bool(&answer.json, "ok", false);
    json_key_text(&answer.json, "error", answer.error);
    json_close(&answer.json, '}');
}

void session_answer(Session* session, const json_t* request, Text* text) {
    answer_request(session, request, NULL, text);
}

// ---- the threads -------------------------------------------------------------------------------------------------

static bool is_kind(const json_t* request, const char* kind) {
    const char* name = json_string_value(json_object_get(request, "do"));
    return name != NULL && strcmp(name, kind) == 0;
}

static bool is_long(const json_t* request) {
    return is_kind(request, "plan") || is_kind(request, "path");
}

// Whether a newer state of the same page is waiting, so that nobody will see this one. Under the lock.
static bool is_outdated(const Session* shared, const ViewRequest* request) {
    if (!is_kind(request->body, "state")) {
        return false;
    }
    for (int i = 0; i < shared->waiting; ++i) {
        if (shared->inbox[i].client == request->client && is_kind(shared->inbox[i].body, "state")) {
            return true;
        }
    }
    return false;
}

static void drop_request(ViewRequest* request) {
    json_decref(request->body);
    view_client_release(request->client);
}

static void send_skipped(const ViewRequest* request) {
    Text text = {0};
    Json json = json_writer(&text);
    begin_answer(&json, request->body);
    json_key_bool(&json, "skipped", true);
    json_key_bool(&json, "ok", true);
    json_close(&json, '}');
    if (!text.failed) {
        view_client_send(request->client, text.data, text.size);
    }
    text_free(&text);
}

static void work_on(Session* session, ViewRequest* request, bool outdated) {
    if (outdated) {
        send_skipped(request);
        return;
    }
    Text text = {0};
    answer_request(session, request->body, request->client, &text);
    if (!text.failed) {
        view_client_send(request->client, text.data, text.size);
    }
    text_free(&text);
}

static Session* session_of(Session* shared, ViewLane lane) {
    return lane == VIEW_LONG ? shared->beside : shared;
}

static ViewLane lane_of(const Session* session) {
    return session == session->shared ? VIEW_PROMPT : VIEW_LONG;
}

// The next request for this thread; -1: none. Maps that change many times a second would stop all long work, so then one
// thread does everything, in order. Under the lock.
static int find_work(const Session* shared, ViewLane lane) {
    const bool two = shared->beside != NULL && shared->live == NULL;
    for (int i = 0; i < shared->waiting; ++i) {
        const json_t* body = shared->inbox[i].body;
        if ((two && is_long(body)) == (lane == VIEW_LONG)) {
            return lane == VIEW_LONG && shared->edits ? -1 : i;
        }
        // Later requests are about the scene after this change.
        if (lane == VIEW_LONG && is_kind(body, "place")) {
            return -1;
        }
    }
    return -1;
}

// The scene is about to change: stops plans and proofs about it first. Under the lock.
static void begin_edit(Session* shared) {
    shared->edits = true;
    while (shared->busy[VIEW_LONG].works) {
        atomic_store(&shared->beside->overtaken, true);
        atomic_store(&shared->beside->cancelled, true);
        pthread_cond_wait(&shared->wake, &shared->lock);
    }
}

// The oldest request for this thread; without a body if live maps come first. False when the session ends.
static bool take_request(Session* session, ViewRequest* out, bool* outdated) {
    Session* shared = session->shared;
    const ViewLane lane = lane_of(session);
    *out = (ViewRequest){NULL, NULL};
    pthread_mutex_lock(&shared->lock);
    int at = -1;
    bool maps = false;
    while (!shared->ends && !maps && (at = find_work(shared, lane)) < 0) {
        maps = lane == VIEW_PROMPT && shared->is_woken;
        if (!maps) {
            pthread_cond_wait(&shared->wake, &shared->lock);
        }
    }

    const bool there_is_one = !shared->ends;
    if (there_is_one && lane == VIEW_PROMPT && shared->is_woken) {
        shared->is_woken = false;
        begin_edit(shared);
    } else if (there_is_one) {
        *out = shared->inbox[at];
        --shared->waiting;
        memmove(shared->inbox + at, shared->inbox + at + 1,
                (size_t)(shared->waiting - at) * sizeof *shared->inbox);
        *outdated = is_outdated(shared, out);
        shared->busy[lane] =
            (ViewBusy){true, out->client, json_integer_value(json_object_get(out->body, "id"))};
        atomic_store(&session->cancelled, false);
        atomic_store(&session->overtaken, false);
        if (is_kind(out->body, "place")) {
            begin_edit(shared);
        }
    }
    pthread_mutex_unlock(&shared->lock);
    return there_is_one;
}

static void end_work(Session* session) {
    Session* shared = session->shared;
    pthread_mutex_lock(&shared->lock);
    shared->busy[lane_of(session)] = (ViewBusy){0};
    if (session == shared) {
        shared->edits = false;
    }
    pthread_cond_broadcast(&shared->wake);
    pthread_mutex_unlock(&shared->lock);
}

static void* run(void* user) {
    Session* session = user;
    ViewRequest request;
    bool outdated = false;
    // While a browser starts: prepares for the first page's question about a state. A failure is reported then.
    if (session == session->shared) {
        (void)berth_checker_create(session->view->question->scene, &session->check.def, &session->checker);
    }

    while (take_request(session, &request, &outdated)) {
        if (request.body == NULL) {
            live_maps_apply(session->live);
            end_work(session);
            continue;
        }
        work_on(session, &request, outdated);
        end_work(session);
        drop_request(&request);
    }
    return NULL;
}

// ---- requests arrive ---------------------------------------------------------------------------------------------

// Stops the request of this number if it is being answered, or takes it out of the inbox into `out`: then the caller must
// answer it. Under the lock.
static bool cancel(Session* shared, const ViewClient* client, json_int_t id, ViewRequest* out) {
    for (ViewLane lane = VIEW_PROMPT; lane < VIEW_LANES; ++lane) {
        const ViewBusy* busy = &shared->busy[lane];
        if (busy->works && busy->client == client && busy->id == id) {
            atomic_store(&session_of(shared, lane)->cancelled, true);
            return false;
        }
    }

    for (int i = 0; i < shared->waiting; ++i) {
        const ViewRequest* request = &shared->inbox[i];
        if (request->client == client && json_integer_value(json_object_get(request->body, "id")) == id) {
            *out = *request;
            --shared->waiting;
            memmove(shared->inbox + i, shared->inbox + i + 1,
                    (size_t)(shared->waiting - i) * sizeof *shared->inbox);
            return true;
        }
    }
    return false;
}

static void send_cancelled(const ViewRequest* request) {
    Text text = {0};
    Json json = json_writer(&text);
    begin_answer(&json, request->body);
    json_key_bool(&json, "ok", false);
    json_key_text(&json, "error", "cancelled");
    json_close(&json, '}');
    if (!text.failed) {
        view_client_send(request->client, text.data, text.size);
    }
    text_free(&text);
}

// One page must not fill the inbox of all. Under the lock.
static bool has_room(const Session* session, const ViewClient* client) {
    int own = 0;
    for (int i = 0; i < session->waiting; ++i) {
        own += session->inbox[i].client == client;
    }
    return own < VIEW_INBOX_OF_CLIENT && session->waiting < VIEW_INBOX;
}

// civetweb's threads have small stacks, and jansson recurses once per bracket: a valid request has few.
static bool is_flat(const char* text, size_t size) {
    enum { DEPTH_MOST = 8 };
    int depth = 0;
    bool in_text = false;
    for (size_t i = 0; i < size && depth <= DEPTH_MOST; ++i) {
        if (in_text && text[i] == '\\') {
            ++i;  // an escaped character does not end a text
        } else if (in_text) {
            in_text = text[i] != '"';
        } else if (text[i] == '"') {
            in_text = true;
        } else {
            depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
        }
    }
    return depth <= DEPTH_MOST;
}

bool session_receive(Session* session, ViewClient* client, const char* text, size_t size) {
    json_error_t error;
    json_t* body = size <= VIEW_FRAME_BYTES && is_flat(text, size)
                       ? json_loadb(text, size, JSON_REJECT_DUPLICATES, &error)
                       : NULL;
    if (!json_is_object(body) || !json_is_integer(json_object_get(body, "id"))) {
        json_decref(body);
        return false;
    }

    ViewRequest dropped;
    bool is_dropped = false;
    pthread_mutex_lock(&session->lock);
    bool taken = true;
    if (is_kind(body, "cancel")) {
        is_dropped = cancel(session, client, json_integer_value(json_object_get(body, "id")), &dropped);
        json_decref(body);
    } else if (has_room(session, client) && !session->ends) {
        view_client_hold(client);
        session->inbox[session->waiting++] = (ViewRequest){client, body};
        pthread_cond_broadcast(&session->wake);
    } else {
        json_decref(body);
        taken = false;
    }
    pthread_mutex_unlock(&session->lock);

    if (is_dropped) {
        send_cancelled(&dropped);
        drop_request(&dropped);
    }
    return taken;
}

void session_wake(Session* session) {
    pthread_mutex_lock(&session->lock);
    session->is_woken = session->live != NULL;
    pthread_cond_broadcast(&session->wake);
    pthread_mutex_unlock(&session->lock);
}

void session_follow(Session* session, ViewLiveMaps* live) {
    pthread_mutex_lock(&session->lock);
    session->live = live;
    pthread_mutex_unlock(&session->lock);
}

void session_serve(Session* session, ViewServer* server) {
    pthread_mutex_lock(&session->lock);
    session->server = server;
    pthread_mutex_unlock(&session->lock);
}

void session_forget(Session* session, const ViewClient* client) {
    pthread_mutex_lock(&session->lock);
    int kept = 0;
    for (int i = 0; i < session->waiting; ++i) {
        if (session->inbox[i].client == client) {
            drop_request(&session->inbox[i]);
        } else {
            session->inbox[kept++] = session->inbox[i];
        }
    }
    session->waiting = kept;

    for (ViewLane lane = VIEW_PROMPT; lane < VIEW_LANES; ++lane) {
        if (session->busy[lane].works && session->busy[lane].client == client) {
            atomic_store(&session_of(session, lane)->cancelled, true);
        }
    }
    pthread_mutex_unlock(&session->lock);
}

// ---- life --------------------------------------------------------------------------------------------------------

int session_open(Session* session, View* view) {
    Question* question = view->question;
    *session = (Session){
        .shared = session,
        .view = view,
        .check = {
            .def = berth_default_checker_def(), .request = {.distance = true, .all = true}, .row_count = 1}};
    session->start = (double)NAN;
    session->options = *question->options;
    session->options.json = session->options.quiet = true;
    session->question = *question;
    session->question.options = &session->options;
    session->check.question = &session->question;
    session->values = calloc((size_t)question->value_count + 1, sizeof *session->values);
    session->placed = calloc((size_t)berth_scene_body_count(question->scene) + 1, sizeof *session->placed);
    if (session->values == NULL || session->placed == NULL) {
        return cli_out_of_memory();
    }
    if (question->value_count > 0) {
        memcpy(session->values, question->values, (size_t)question->value_count * sizeof(double));
    }

    (void)pthread_mutex_init(&session->lock, NULL);
    (void)pthread_cond_init(&session->wake, NULL);
    return EXIT_FREE;
}

/// What the second thread needs: its own scratch for the same scene.
typedef struct Beside {
    Session session;
    View view;
} Beside;

static void close_beside(Session* session) {
    Beside* beside = (Beside*)session->beside;  // its first member
    if (beside != NULL) {
        session_close(&beside->session);
        view_close(&beside->view);
        free(beside);
    }
    session->beside = NULL;
}

static int open_beside(Session* session) {
    const View* view = session->view;
    Beside* beside = calloc(1, sizeof *beside);
    if (beside == NULL) {
        return cli_out_of_memory();
    }
    session->beside = &beside->session;
    const bool opened =
        view_open(&beside->view, view->question, view->trajectory, view->interpolation, view->title);
    const int status = opened ? session_open(&beside->session, &beside->view) : cli_out_of_memory();
    beside->session.shared = session;
    return status;
}

int session_start(Session* session) {
    const int status = open_beside(session);
    if (status != EXIT_FREE) {
        return status;
    }
    for (ViewLane lane = VIEW_PROMPT; lane < VIEW_LANES; ++lane) {
        Session* own = session_of(session, lane);
        if (pthread_create(&own->thread, NULL, run, own) != 0) {
            fputs("berth view: cannot start a thread\n", stderr);
            return EXIT_MACHINE;
        }
        own->runs = true;
    }
    return EXIT_FREE;
}

void session_stop(Session* session) {
    if (!session->runs) {
        return;
    }
    pthread_mutex_lock(&session->lock);
    session->ends = true;
    for (ViewLane lane = VIEW_PROMPT; lane < VIEW_LANES; ++lane) {
        atomic_store(&session_of(session, lane)->cancelled, true);
    }
    pthread_cond_broadcast(&session->wake);
    pthread_mutex_unlock(&session->lock);
    for (ViewLane lane = VIEW_PROMPT; lane < VIEW_LANES; ++lane) {
        Session* own = session_of(session, lane);
        if (own->runs) {
            (void)pthread_join(own->thread, NULL);
            own->runs = false;
        }
    }

    // Pages may be disconnecting at the same time.
    pthread_mutex_lock(&session->lock);
    for (int i = 0; i < session->waiting; ++i) {
        drop_request(&session->inbox[i]);
    }
    session->waiting = 0;
    pthread_mutex_unlock(&session->lock);
}

void session_forget_scene(Session* session) {
    berth_checker_destroy(session->checker);
    berth_planner_destroy(session->planner);
    berth_contact_destroy(session->contact.world);
    session->checker = NULL;
    session->planner = NULL;
    session->contact.world = NULL;
    berth_monitor_destroy(session->monitor);
    session->monitor = NULL;
}

void session_close(Session* session) {
    session_stop(session);
    close_beside(session);
    session_forget_scene(session);
    session_forget_motions(session);
    if (session->values != NULL && session->placed != NULL) {
        (void)pthread_mutex_destroy(&session->lock);
        (void)pthread_cond_destroy(&session->wake);
    }
    free(session->values);
    free(session->placed);
    session->values = NULL;
    session->placed = NULL;
}
