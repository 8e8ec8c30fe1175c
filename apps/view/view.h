// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The view: a page in a browser shows a scene and asks about it. docs/reference/view.md has the protocol.
//
// Threads: the checker thread owns the scene (session.c, answers_*.c); a second one plans and proves motions at the same
// time, on the same scene with its own checker, and stops early when the scene is about to change. The server's threads
// (server.c) put requests into a bounded inbox and take texts out of the bounded outbox of each client: a client that
// does not read is dropped, and nobody waits for it.

#ifndef VIEW_H
#define VIEW_H

#include <berth/io/wire.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cli/check/check.h"
#include "cli/contact/contact.h"

// ---- what there is to draw (scene_json.c) ----------------------------------------------------------------------

/// Bytes that scene.json points into.
typedef struct ViewGeometry {
    Text vertices;  ///< float32 x, y, z, one after the other
    Text indices;   ///< uint32, three per triangle
} ViewGeometry;

/// The position of a mesh's triangles in it.
typedef struct ViewMesh {
    int64_t first_vertex, vertex_count;
    int64_t first_index, index_count;  ///< three per triangle, counted from the first vertex
} ViewMesh;

/// A visual of a URDF.
typedef struct ViewVisual {
    int32_t robot;
    char *link, *mesh;  ///< copies; mesh may be null
    BerthVisual visual;
    int32_t body;  ///< set by visuals_find_bodies; -1: on a link without collision geometry
} ViewVisual;

/// All visuals of the URDFs, in the order of the robots.
typedef struct ViewVisuals {
    ViewVisual* items;
    int32_t count, capacity, robots;
    bool failed;         ///< memory ran out: none of them is drawn
    bool differ;         ///< set by visuals_find_bodies: they differ from the checked geometry; worth a layer
    int64_t bytes_most;  ///< limit for all meshes together when written; 0: none

    // About the last writing.
    int64_t triangle_count, drawn_count;  ///< in the files, and of these drawn
    double merged;                        ///< metres: smaller details were merged; 0: none
    int32_t unread_count;                 ///< meshes that cannot be read, or are too large
} ViewVisuals;

/// Start with zeros. Sets options whose functions fill the list, which must not be moved in memory; call visuals_free at
/// the end.
BerthIoOptions visuals_told(ViewVisuals* visuals);
void visuals_free(ViewVisuals* visuals);
/// Finds the bodies of the scene that they belong to. Call it before they are written, and while nobody edits the scene.
void visuals_find_bodies(ViewVisuals* visuals, const BerthScene* scene);

/// A map from which an object was made.
typedef struct ViewField {
    char* object;
    BerthField* field;      ///< its cells
    BerthField* perimeter;  ///< the same with perimeter functions; null until they are requested
} ViewField;

typedef struct ViewFields {
    ViewField* items;
    int32_t count;
} ViewFields;

/// For BerthIoOptions.field, with the list.
void fields_add(void* fields, const char* object, const BerthField* field);
void fields_free(ViewFields* fields);

/// Makes a scene whose only object, "map", is the obstacles of a map. Sets the error text on failure.
BerthStatus view_scene_of_map(const BerthMap* map, BerthScene** out);
/// Opens the first argument, a map, as the scene to show. EXIT_FREE, or a status after a message; call question_close in
/// both cases.
int view_open_map(Question* question, const Options* options, ViewFields* fields);

/// What is shown.
typedef struct View {
    Question* question;                 ///< the scene is committed
    const BerthTrajectory* trajectory;  ///< or null
    BerthInterpolation interpolation;
    const char* title;
    ViewVisuals* visuals;                ///< after visuals_find_bodies; or null
    bool visuals_later;                  ///< scene.json only announces them; view_write_visuals writes them
    ViewFields* fields;                  ///< or null
    const struct BerthSpheres* spheres;  ///< of the first robot, sent with the scene; or null
    BerthPose* poses;                    ///< world_from_body of the state placed last
    BerthPose* link_poses;               ///< scratch: of the links of one robot
    bool live;                           ///< maps may change while it is shown: pages ask for them
} View;

/// Allocates scratch for a scene; false if memory runs out. Call view_close in either case.
bool view_open(View* view, Question* question, const BerthTrajectory* trajectory,
               BerthInterpolation interpolation, const char* title);
void view_close(View* view);
/// world_from_body of all bodies, into view->poses.
void view_place(View* view, const double* values);
/// The frame of the shapes of berth_simple_body_fit, relative to the body; after view_place with these values.
BerthPose view_body_from_guard(View* view, int32_t body, const double* values);
/// Whether this is the last link of a moving chain, which can be dragged.
bool view_is_tip(const BerthScene* scene, int32_t body);
/// The map from which the body was made; null if there is none.
ViewField* fields_find(const View* view, int32_t body);
/// Writes "poses": 12 numbers per body in one flat array, for the state placed last.
void view_json_poses(Json* json, const View* view);
/// 3 x 4, row by row.
void view_json_pose(Json* json, const BerthPose* pose);
/// Reads 12 numbers; false if they are not a pose.
bool view_read_pose(const json_t* numbers, BerthPose* out);
/// Writes a part: its body, its layer and its pose; the geometry goes to `geometry`. `colour` (red, green, blue, alpha)
/// may be null.
void view_json_part(Json* json, ViewGeometry* geometry, int32_t body, const char* layer,
                    const BerthPose* body_from_part, const BerthSolid* solid, double radius,
                    const double* colour);
/// Adds triangles to `geometry`; several parts may share them as their shape.
ViewMesh view_add_mesh(ViewGeometry* geometry, const BerthVec3* vertices, int32_t vertex_count,
                       const int32_t* triangles, int32_t triangle_count);
/// Writes a part whose triangles were added by view_add_mesh.
void view_json_mesh_part(Json* json, int32_t body, const char* layer, const BerthPose* body_from_part,
                         const ViewMesh* mesh, const double* colour);
/// Writes "geometry": its sizes.
void view_json_geometry(Json* json, const ViewGeometry* geometry);
/// Writes the parts of an object's layer "collision".
void view_json_object(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t index,
                      const BerthBodyInfo* body);
/// Writes the parts of a robot's layer "spheres".
void view_json_spheres(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t robot,
                       const struct BerthSpheres* spheres);
/// Writes the parts of the layer "visual", for a view that has visuals. Reads their meshes.
void view_json_visuals(Json* json, ViewGeometry* geometry, const View* view);
/// Writes all of scene.json and geometry.bin.
void view_write_scene(const View* view, Text* json, ViewGeometry* geometry);
/// Writes all of visual.json and visual.bin. Does not use the scene, which may be edited at the same time.
void view_write_visuals(const View* view, Text* json, ViewGeometry* geometry);
/// Makes geometry.bin: vertices, then indices. Frees `geometry`.
void view_join_geometry(ViewGeometry* geometry, Text* out);

// ---- the checker thread (session.c) ----------------------------------------------------------------------------

/// A connected page. Created and freed by the server.
typedef struct ViewClient ViewClient;

/// A waiting request.
typedef struct ViewRequest {
    ViewClient* client;  ///< held
    json_t* body;        ///< owned
} ViewRequest;

enum {
    VIEW_INBOX_OF_CLIENT = 16,       ///< most waiting requests of one page
    VIEW_INBOX = 128,                ///< and of all pages
    VIEW_FRAME_BYTES = 1 << 18,      ///< most bytes of a request
    VIEW_OUTBOX_BYTES = 1 << 25,     ///< most waiting bytes for one client
    VIEW_OUTBOX_COUNT = 256,         ///< most waiting texts for one client
    VIEW_CLIENTS = 8,                ///< most pages at once
    VIEW_MOTIONS = 2 * VIEW_CLIENTS  ///< planned motions kept; older ones are dropped
};

/// Which thread does a request: the checker thread, or the second one, which plans and proves motions.
typedef enum ViewLane { VIEW_PROMPT = 0, VIEW_LONG, VIEW_LANES } ViewLane;

/// A planned motion. Constant; lives until its last holder releases it.
typedef struct ViewMotion {
    json_int_t number;
    int holders;  ///< under the session's lock
    BerthTrajectory trajectory;
} ViewMotion;

/// The request that a thread is working on.
typedef struct ViewBusy {
    bool works;
    ViewClient* client;  ///< the client of the request
    json_int_t id;       ///< the request's number
} ViewBusy;

/// When the progress of long work was last reported.
typedef struct ViewSend {
    double begin, last;  ///< in cli_seconds()
} ViewSend;

/// Maps whose cells are received (live_maps.c).
typedef struct ViewLiveMaps ViewLiveMaps;

typedef struct ViewServer ViewServer;

/// Answers requests. Each of the two threads has one; the inbox and the shared members are in that of the checker thread.
typedef struct Session {
    struct Session* shared;  ///< the checker thread's
    View* view;
    CheckJob check;             ///< how a state is checked
    BerthChecker* checker;      ///< null until it is needed, and after the scene was edited
    double* values;             ///< of the last state that was checked
    double start;               ///< where a written page begins on its trajectory; NaN: at its start
    Options options;            ///< as on the command line, with --json
    Question question;          ///< the view's question with these options, for code shared with the commands
    bool* placed;               ///< by body: an object that was moved
    BerthPlanner* planner;      ///< for inverse kinematics; null whenever the checker is
    ContactJob contact;         ///< its world is null whenever the checker is
    BerthMonitor* monitor;      ///< for buffers; null whenever the checker is
    uint64_t monitor_sequence;  ///< of its messages
    ViewSend progress;          ///< of long work
    pthread_t thread;
    bool runs;              ///< the thread was made
    atomic_bool cancelled;  ///< the present answer should end
    atomic_bool overtaken;  ///< because the scene is about to change

    // In the checker thread's session only.
    struct Session* beside;  ///< the other thread's session; null: one thread does everything
    pthread_mutex_t lock;    ///< protects all members below
    pthread_cond_t wake;     ///< of both threads
    ViewRequest inbox[VIEW_INBOX];
    int waiting;
    bool ends;
    bool edits;          ///< the scene is being changed, or is about to be: no long work begins
    ViewLiveMaps* live;  ///< or null
    bool is_woken;       ///< the live maps have something for the scene
    ViewBusy busy[VIEW_LANES];
    ViewMotion* motions[VIEW_MOTIONS];
    json_int_t motion_count;  ///< so far
    ViewServer* server;       ///< its pages are informed of changes; or null
} Session;

/// EXIT_FREE, or a status after a message; call session_close in either case.
int session_open(Session* session, View* view);
/// Starts the thread. EXIT_FREE, or a status after a message.
int session_start(Session* session);
/// Stops the present answer, and the thread.
void session_stop(Session* session);
void session_close(Session* session);
/// Takes a text received from a client. False: drop the client. Any thread.
bool session_receive(Session* session, ViewClient* client, const char* text, size_t size);
/// Removes the requests of a client that disconnected. Any thread.
void session_forget(Session* session, const ViewClient* client);
/// Announces that live maps have something for the scene, to be taken as soon as the thread is free. Any thread.
void session_wake(Session* session);
/// Sets the live maps to ask then.
void session_follow(Session* session, ViewLiveMaps* live);
/// Sets the server whose pages are informed when one of them moves an object; null: none.
void session_serve(Session* session, ViewServer* server);
/// Answers a single request as the thread does, for pages that are written to disk.
void session_answer(Session* session, const json_t* request, Text* text);

/// The start and end of a tip's path on an edge of a search, in the world.
typedef struct ViewLine {
    BerthVec3 from, to;
} ViewLine;

enum { VIEW_TREE_LINES = 8000 };  ///< most lines drawn for a search

/// The trees of a search (search_tree.c).
typedef struct ViewTree {
    View* view;
    int32_t* tips;  ///< bodies
    int32_t tip_count;
    BerthVec3* places;  ///< scratch: of the tips
    ViewLine* lines;
    int32_t line_count, told;  ///< told: lines that the page already has
    int64_t edges;             ///< of the search, including those not drawn
} ViewTree;

/// False if memory runs out. Call view_tree_close in either case.
bool view_tree_open(ViewTree* tree, View* view);
/// For BerthPlannerDef.grew, with the tree.
void view_tree_grow(void* tree, const BerthPlanEdge* edge);
/// Writes "edges", and "tree": the lines that the page does not have yet, 6 numbers each.
void view_json_tree(Json* json, ViewTree* tree);
void view_tree_close(ViewTree* tree);

/// A request while it is being answered.
typedef struct Answer {
    Session* session;
    const json_t* request;
    Json json;           ///< "id" was written, in an open object
    char error[1024];    ///< a sentence; "" if there is no error
    ViewClient* client;  ///< for progress; may be null
    ViewTree* tree;      ///< of a search, sent with its progress; may be null
} Answer;

/// Sets the error; returns false.
bool answer_fail(Answer* answer, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// The same with the library's text.
bool answer_status(Answer* answer, BerthStatus status);
/// Reads the values under `key` of the request, over the scene's own; false after answer_fail.
bool answer_read_values(Answer* answer, const char* key, double* values);
/// Reads the body under `key` of the request, by name or number; false after answer_fail.
bool answer_read_body(Answer* answer, const char* key, int32_t* body);

/// The motion of a request: the file's, or a planned one, which is held.
typedef struct AnswerMotion {
    const BerthTrajectory* trajectory;
    BerthInterpolation interpolation;
    ViewMotion* held;  ///< or null
} AnswerMotion;
/// Finds the motion under `motion` of the request, else the file's; false after answer_fail. Call answer_release_motion
/// in either case.
bool answer_read_motion(Answer* answer, AnswerMotion* out);
void answer_release_motion(Answer* answer, AnswerMotion* motion);
/// Keeps a planned motion; returns its number, 0 if memory runs out.
json_int_t session_keep_motion(Session* session, const double* rows, int32_t row_count, int32_t value_count);
void session_forget_motions(Session* session);

/// The state at `t` of a motion, seconds or rows; false after answer_fail.
bool answer_read_moment(Answer* answer, const AnswerMotion* motion, double t, double* values);
/// Why a pair is checked or not: "checked", "declared", "assumed" or "proven", and a reason, which is "" for checked ones.
typedef struct PairFact {
    const char *status, *reason;
} PairFact;
PairFact view_pair_fact(const BerthScene* scene, int32_t body_a, int32_t body_b);

/// Writes the answer of `state` for session->values.
bool answer_about_values(Answer* answer);
void json_key_values(Json* json, const char* key, const double* values, int32_t count);

/// Writes the current state as a scene file; false after answer_fail.
bool view_write_yaml(Answer* answer, Text* text);
/// Call it when the scene was edited or is about to be: frees everything that was made for it.
void session_forget_scene(Session* session);
/// Whether long work should end: for `stop` functions, with the answer.
bool answer_is_cancelled(void* answer);
/// Reports the progress of long work, 0 to 1, a few times a second.
void answer_tell_progress(Answer* answer, double share);

// One function per kind of request: writes members of the answer; false after answer_fail.
bool answer_state(Answer* answer);
bool answer_at(Answer* answer);
bool answer_pairs(Answer* answer);
bool answer_path(Answer* answer);
bool answer_plan(Answer* answer);
bool answer_tool(Answer* answer);
bool answer_place(Answer* answer);
bool answer_contact(Answer* answer);
bool answer_ball(Answer* answer);
bool answer_slice(Answer* answer);
bool answer_cells(Answer* answer);
bool answer_perimeter(Answer* answer);
bool answer_octree(Answer* answer);
bool answer_buffers(Answer* answer);
bool answer_layer(Answer* answer);
bool answer_export(Answer* answer);

// ---- the server (server.c, or server_absent.c without civetweb) --------------------------------------------------

/// Queues a copy of a text for a client; the client is dropped if too many texts wait. Any thread.
void view_client_send(ViewClient* client, const char* text, size_t size);
void view_client_hold(ViewClient* client);
void view_client_release(ViewClient* client);

/// What the server serves.
typedef struct ViewServerDef {
    Session* session;
    int port;            ///< first port to try; 0: any free port
    bool port_is_given;  ///< print a message if it is not free
    const Text* scene;   ///< scene.json
    const Text* geometry;
} ViewServerDef;

/// Listens on 127.0.0.1. EXIT_FREE, or a status after a message.
int view_server_open(const ViewServerDef* def, ViewServer** out);
/// http://127.0.0.1:PORT/#token=TOKEN
const char* view_server_address(const ViewServer* server);
/// Waits for at most this time; true, once, when the first page requests visual.json: then call view_server_give_visuals.
bool view_server_await_visuals(ViewServer* server, double seconds);
/// Takes over visual.json and visual.bin, for which pages may be waiting.
void view_server_give_visuals(ViewServer* server, Text* json, Text* geometry);
/// Sends a text to all pages.
void view_server_send_all(ViewServer* server, const char* text, size_t size);
/// Sends a text to all pages except one, which may be null.
void view_server_send_others(ViewServer* server, const ViewClient* but, const char* text, size_t size);
void view_server_close(ViewServer* server);

// ---- permits of a running monitor (permits.c) ----------------------------------------------------------------------

typedef struct ViewPermits ViewPermits;
/// Listens for permits at HOST:PORT and passes them on to all pages, and cells to `live`. EXIT_FREE, or a status after a
/// message.
int permits_open(const char* where, ViewServer* server, int32_t value_count, ViewLiveMaps* live,
                 ViewPermits** out);
void permits_close(ViewPermits* permits);

// ---- maps whose cells change while they are shown (live_maps.c) --------------------------------------------------------

/// Follows the maps of the scene. EXIT_FREE, or a status after a message. Close after the session has stopped.
int live_maps_open(Session* session, ViewServer* server, ViewLiveMaps** out);
/// Takes a message of cells; messages for other names are ignored. Called in the thread of permits.
void live_maps_take(ViewLiveMaps* maps, const BerthWireMessage* message);
/// Wakes the session if there is something to do and it is time. Called now and then in the thread of permits.
void live_maps_wait(ViewLiveMaps* maps);
/// Gives the scene the received cells, and informs the pages. Called in the checker thread.
void live_maps_apply(ViewLiveMaps* maps);
void live_maps_close(ViewLiveMaps* maps);

// ---- the page (bundle.c, page.c, browser.c) ------------------------------------------------------------------------

/// A file of the page, embedded in the program.
typedef struct ViewFile {
    const char* name;  ///< "/app.js"
    const char* type;
    const unsigned char* data;
    size_t size;
} ViewFile;

/// Finds a file by its address; false if there is none.
bool view_find_file(const char* name, ViewFile* out);
/// Whether the page was built: otherwise a plain page says how to build it.
bool view_has_bundle(void);
void view_put_base64(Text* text, const Text* bytes);
/// Makes one page that contains everything, as in docs/reference/view.md. The session's thread must not be running.
/// EXIT_FREE, or a status after a message.
int view_write_page(Session* session, Text* page);

/// Opens an address in the user's browser; false if there is none.
bool view_open_browser(const char* address);
/// Checks that there is a browser that can make pictures. EXIT_FREE, or a status after a message.
int view_check_picture(void);
/// Makes a PNG of a page. EXIT_FREE, or a status after a message.
int view_take_picture(const Text* page, Text* out);

#endif
