// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The view: a scene that is shown and asked about by a page in a browser. docs/reference/view.md has the protocol.
//
// Threads: the checker thread owns the scene (session.c, answers_*.c); a second one plans and proves motions beside it, on the
// same scene with a checker of its own, and ends early when the scene is to change. The server's threads (server.c) put requests
// into their bounded inbox and take texts out of the bounded outbox of each client: a client that does not read is dropped, and
// never waited for.

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
    Text indices;   ///< uint32, three a triangle
} ViewGeometry;

/// Where triangles are in it.
typedef struct ViewMesh {
    int64_t first_vertex, vertex_count;
    int64_t first_index, index_count;  ///< three a triangle, counted from the first vertex
} ViewMesh;

/// Something that a URDF draws.
typedef struct ViewVisual {
    int32_t robot;
    char *link, *mesh;  ///< copies; mesh may be null
    BerthVisual visual;
    int32_t body;  ///< of visuals_find_bodies; -1: on a link that has nothing to check
} ViewVisual;

/// All that URDFs draw, in the order of the robots.
typedef struct ViewVisuals {
    ViewVisual* items;
    int32_t count, capacity, robots;
    bool failed;         ///< memory was short: nothing of it is drawn
    bool differ;         ///< of visuals_find_bodies: it is not what is checked, and so worth a layer
    int64_t bytes_most;  ///< that all meshes together may have where they are written; 0: any

    // Of what was written last.
    int64_t triangle_count, drawn_count;  ///< of the files, and of these that were drawn
    double merged;                        ///< metres: smaller details were merged; 0: none
    int32_t unread_count;                 ///< meshes that cannot be read, or are too large
} ViewVisuals;

/// Start from all zero. Options whose functions fill the list, which stays where it is; visuals_free is due.
BerthIoOptions visuals_told(ViewVisuals* visuals);
void visuals_free(ViewVisuals* visuals);
/// Which bodies of the scene they are on. Before anything of them is written, and while nobody edits the scene.
void visuals_find_bodies(ViewVisuals* visuals, const BerthScene* scene);

/// A map that an object was made of.
typedef struct ViewField {
    char* object;
    BerthField* field;      ///< its cells
    BerthField* perimeter;  ///< the same with perimeter functions; null until somebody asks for them
} ViewField;

typedef struct ViewFields {
    ViewField* items;
    int32_t count;
} ViewFields;

/// For BerthIoOptions.field, with the list.
void fields_add(void* fields, const char* object, const BerthField* field);
void fields_free(ViewFields* fields);

/// The obstacles of a map as the one object, "map", of a scene. The text of a failure is set.
BerthStatus view_scene_of_map(const BerthMap* map, BerthScene** out);
/// The first argument, a map, as what is shown. EXIT_FREE, or a status after a message; question_close is due in both cases.
int view_open_map(Question* question, const Options* options, ViewFields* fields);

/// What is shown.
typedef struct View {
    Question* question;                 ///< the scene is committed
    const BerthTrajectory* trajectory;  ///< or null
    BerthInterpolation interpolation;
    const char* title;
    ViewVisuals* visuals;                ///< after visuals_find_bodies; or null
    bool visuals_later;                  ///< scene.json only tells of them; view_write_visuals writes them
    ViewFields* fields;                  ///< or null
    const struct BerthSpheres* spheres;  ///< of the first robot, sent with the scene; or null
    BerthPose* poses;                    ///< world_from_body of the state that was placed last
    BerthPose* link_poses;               ///< scratch: of the links of one robot
    bool live;                           ///< maps may change while it is shown: pages ask for them
} View;

/// Scratch for a scene; false when memory is short. view_close is due in any case.
bool view_open(View* view, Question* question, const BerthTrajectory* trajectory,
               BerthInterpolation interpolation, const char* title);
void view_close(View* view);
/// world_from_body of all bodies, into view->poses.
void view_place(View* view, const double* values);
/// The frame in which berth_simple_body_fit tells a body's shapes, seen from the body; after view_place with these values.
BerthPose view_body_from_guard(View* view, int32_t body, const double* values);
/// Is this the last link of a chain that moves? It is what is dragged.
bool view_is_tip(const BerthScene* scene, int32_t body);
/// The map that the body was made of; null when there is none.
ViewField* fields_find(const View* view, int32_t body);
/// "poses": 12 numbers a body, one flat array, of what was placed last.
void view_json_poses(Json* json, const View* view);
/// 3 x 4, row by row.
void view_json_pose(Json* json, const BerthPose* pose);
/// Reads 12 numbers; false when they are no pose.
bool view_read_pose(const json_t* numbers, BerthPose* out);
/// A part: its body, its layer and where it is; the geometry goes to `geometry`. `colour` (red, green, blue, alpha) may be null.
void view_json_part(Json* json, ViewGeometry* geometry, int32_t body, const char* layer,
                    const BerthPose* body_from_part, const BerthSolid* solid, double radius,
                    const double* colour);
/// Triangles go to `geometry`; the same ones may be the shape of several parts.
ViewMesh view_add_mesh(ViewGeometry* geometry, const BerthVec3* vertices, int32_t vertex_count,
                       const int32_t* triangles, int32_t triangle_count);
/// A part that is triangles of view_add_mesh.
void view_json_mesh_part(Json* json, int32_t body, const char* layer, const BerthPose* body_from_part,
                         const ViewMesh* mesh, const double* colour);
/// "geometry": how much of it there is.
void view_json_geometry(Json* json, const ViewGeometry* geometry);
/// Parts of the layer "collision" of an object.
void view_json_object(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t index,
                      const BerthBodyInfo* body);
/// Parts of the layer "spheres" of a robot.
void view_json_spheres(Json* json, ViewGeometry* geometry, const BerthScene* scene, int32_t robot,
                       const struct BerthSpheres* spheres);
/// Parts of the layer "visual", of a view that has visuals. Reads their meshes.
void view_json_visuals(Json* json, ViewGeometry* geometry, const View* view);
/// All of scene.json and geometry.bin.
void view_write_scene(const View* view, Text* json, ViewGeometry* geometry);
/// All of visual.json and visual.bin: asks the scene nothing, so that it may be edited meanwhile.
void view_write_visuals(const View* view, Text* json, ViewGeometry* geometry);
/// geometry.bin: vertices, then indices. Frees `geometry`.
void view_join_geometry(ViewGeometry* geometry, Text* out);

// ---- the checker thread (session.c) ----------------------------------------------------------------------------

/// One page that is connected. Made and freed by the server.
typedef struct ViewClient ViewClient;

/// A request that waits.
typedef struct ViewRequest {
    ViewClient* client;  ///< held
    json_t* body;        ///< owned
} ViewRequest;

enum {
    VIEW_INBOX_OF_CLIENT = 16,       ///< most requests of one page that wait
    VIEW_INBOX = 128,                ///< and of all
    VIEW_FRAME_BYTES = 1 << 18,      ///< most bytes of a request
    VIEW_OUTBOX_BYTES = 1 << 25,     ///< most bytes that wait for one client
    VIEW_OUTBOX_COUNT = 256,         ///< most texts that do
    VIEW_CLIENTS = 8,                ///< most pages at once
    VIEW_MOTIONS = 2 * VIEW_CLIENTS  ///< planned motions that are kept; older ones are forgotten
};

/// Whose work a request is: of the checker thread, or of the one beside it, which plans and proves motions.
typedef enum ViewLane { VIEW_PROMPT = 0, VIEW_LONG, VIEW_LANES } ViewLane;

/// A motion that was planned here. Constant; lives until its last holder lets go.
typedef struct ViewMotion {
    json_int_t number;
    int holders;  ///< under the session's lock
    BerthTrajectory trajectory;
} ViewMotion;

/// What a thread is busy with.
typedef struct ViewBusy {
    bool works;
    ViewClient* client;  ///< whose request it is, and
    json_int_t id;       ///< its number
} ViewBusy;

/// When something was last told about long work.
typedef struct ViewSend {
    double begin, last;  ///< in cli_seconds()
} ViewSend;

/// Maps that somebody sends cells of (live_maps.c).
typedef struct ViewLiveMaps ViewLiveMaps;

typedef struct ViewServer ViewServer;

/// What answers requests. Each of the two threads has one; the inbox and what is shared are in that of the checker thread.
typedef struct Session {
    struct Session* shared;  ///< the checker thread's
    View* view;
    CheckJob check;             ///< how a state is asked
    BerthChecker* checker;      ///< null until it is needed, and after the scene was edited
    double* values;             ///< of the last state that was asked
    double start;               ///< where a page that is written begins on its trajectory; NaN: at its start
    Options options;            ///< as on the command line, with --json
    Question question;          ///< the view's, with these options: for code that the commands share
    bool* placed;               ///< by body: an object that was moved
    BerthPlanner* planner;      ///< for inverse kinematics; null as the checker is
    ContactJob contact;         ///< its world is null as the checker is
    BerthMonitor* monitor;      ///< for buffers; null as the checker is
    uint64_t monitor_sequence;  ///< of its messages
    ViewSend progress;          ///< of long work
    pthread_t thread;
    bool runs;              ///< the thread was made
    atomic_bool cancelled;  ///< what is being answered should end
    atomic_bool overtaken;  ///< because the scene changes

    // Of the checker thread's session only.
    struct Session* beside;  ///< the other thread's, or null: then one thread does all
    pthread_mutex_t lock;    ///< of all below
    pthread_cond_t wake;     ///< of both threads
    ViewRequest inbox[VIEW_INBOX];
    int waiting;
    bool ends;
    bool edits;          ///< the scene is being changed, or waits for it: nothing long begins
    ViewLiveMaps* live;  ///< or null
    bool is_woken;       ///< it has something for the scene
    ViewBusy busy[VIEW_LANES];
    ViewMotion* motions[VIEW_MOTIONS];
    json_int_t motion_count;  ///< so far
    ViewServer* server;       ///< whose pages are told of changes; or null
} Session;

/// EXIT_FREE, or a status after a message; session_close is due in any case.
int session_open(Session* session, View* view);
/// Starts the thread. EXIT_FREE, or a status after a message.
int session_start(Session* session);
/// Ends what is being answered, and the thread.
void session_stop(Session* session);
void session_close(Session* session);
/// A text of a client arrived. False: the client is to be dropped. Any thread.
bool session_receive(Session* session, ViewClient* client, const char* text, size_t size);
/// Forgets requests of a client that went away. Any thread.
void session_forget(Session* session, const ViewClient* client);
/// Live maps have something for the scene, as soon as the thread is free. Any thread.
void session_wake(Session* session);
/// Whom to ask then.
void session_follow(Session* session, ViewLiveMaps* live);
/// Whose pages are told when one of them moves an object; null: nobody's.
void session_serve(Session* session, ViewServer* server);
/// Answers one request by itself, as the thread does: for pages that are written to disk.
void session_answer(Session* session, const json_t* request, Text* text);

/// From where to where a tip of a robot goes on an edge of a search, in the world.
typedef struct ViewLine {
    BerthVec3 from, to;
} ViewLine;

enum { VIEW_TREE_LINES = 8000 };  ///< most that one search is drawn with

/// The trees of a search (search_tree.c).
typedef struct ViewTree {
    View* view;
    int32_t* tips;  ///< bodies
    int32_t tip_count;
    BerthVec3* places;  ///< scratch: of the tips
    ViewLine* lines;
    int32_t line_count, told;  ///< told: lines that the page has
    int64_t edges;             ///< of the search, also those that are not drawn
} ViewTree;

/// False when memory is short. view_tree_close is due in any case.
bool view_tree_open(ViewTree* tree, View* view);
/// For BerthPlannerDef.grew, with the tree.
void view_tree_grow(void* tree, const BerthPlanEdge* edge);
/// "edges", and "tree": what the page does not have yet, 6 numbers a line.
void view_json_tree(Json* json, ViewTree* tree);
void view_tree_close(ViewTree* tree);

/// What a request is about while it is answered.
typedef struct Answer {
    Session* session;
    const json_t* request;
    Json json;           ///< "id" was written, in an open object
    char error[1024];    ///< a sentence; "" when all is well
    ViewClient* client;  ///< for progress; may be null
    ViewTree* tree;      ///< of a search, told with its progress; may be null
} Answer;

/// Sets the error; returns false.
bool answer_fail(Answer* answer, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// The same with the library's text.
bool answer_status(Answer* answer, BerthStatus status);
/// Values of the request under `key`, over the scene's own; false after answer_fail.
bool answer_read_values(Answer* answer, const char* key, double* values);
/// The body that the request has under `key`, by name or number; false after answer_fail.
bool answer_read_body(Answer* answer, const char* key, int32_t* body);

/// A motion that a request is about: the file's, or a planned one, which is held.
typedef struct AnswerMotion {
    const BerthTrajectory* trajectory;
    BerthInterpolation interpolation;
    ViewMotion* held;  ///< or null
} AnswerMotion;
/// What the request has under `motion`, else the file's; false after answer_fail. answer_release_motion is due in any case.
bool answer_read_motion(Answer* answer, AnswerMotion* out);
void answer_release_motion(Answer* answer, AnswerMotion* motion);
/// Keeps a motion that was planned; returns its number, 0 when memory is short.
json_int_t session_keep_motion(Session* session, const double* rows, int32_t row_count, int32_t value_count);
void session_forget_motions(Session* session);

/// The state at `t` of a motion, seconds or rows; false after answer_fail.
bool answer_read_moment(Answer* answer, const AnswerMotion* motion, double t, double* values);
/// Why a pair is checked, or is not: "checked", "declared", "assumed" or "proven", and a reason, "" for checked ones.
typedef struct PairFact {
    const char *status, *reason;
} PairFact;
PairFact view_pair_fact(const BerthScene* scene, int32_t body_a, int32_t body_b);

/// What `state` answers, about session->values.
bool answer_about_values(Answer* answer);
void json_key_values(Json* json, const char* key, const double* values, int32_t count);

/// The current state as a scene file; false after answer_fail.
bool view_write_yaml(Answer* answer, Text* text);
/// The scene was edited, or is about to be: what was made for it is no longer right.
void session_forget_scene(Session* session);
/// Long work should end: for `stop` functions, with the answer.
bool answer_is_cancelled(void* answer);
/// Tells how far long work is, 0 to 1, a few times a second.
void answer_tell_progress(Answer* answer, double share);

// One function a kind of request: writes members of the answer; false after answer_fail.
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

/// A text for a client, copied; dropped with the client when too many wait. Any thread.
void view_client_send(ViewClient* client, const char* text, size_t size);
void view_client_hold(ViewClient* client);
void view_client_release(ViewClient* client);

/// What is served.
typedef struct ViewServerDef {
    Session* session;
    int port;            ///< to begin with; 0: any that is free
    bool port_is_given;  ///< say when it is not free
    const Text* scene;   ///< scene.json
    const Text* geometry;
} ViewServerDef;

/// Listens on 127.0.0.1. EXIT_FREE, or a status after a message.
int view_server_open(const ViewServerDef* def, ViewServer** out);
/// http://127.0.0.1:PORT/#token=TOKEN
const char* view_server_address(const ViewServer* server);
/// Waits at most so long; true, once, when the first page asks for visual.json: view_server_give_visuals is due.
bool view_server_await_visuals(ViewServer* server, double seconds);
/// visual.json and visual.bin, taken. Pages that ask for them have been waiting.
void view_server_give_visuals(ViewServer* server, Text* json, Text* geometry);
/// To all pages.
void view_server_send_all(ViewServer* server, const char* text, size_t size);
/// To all but one, which may be null.
void view_server_send_others(ViewServer* server, const ViewClient* but, const char* text, size_t size);
void view_server_close(ViewServer* server);

// ---- permits of a running monitor (permits.c) ----------------------------------------------------------------------

typedef struct ViewPermits ViewPermits;
/// Listens for permits at HOST:PORT and passes them on to all pages, and cells to `live`. EXIT_FREE, or a status after a message.
int permits_open(const char* where, ViewServer* server, int32_t value_count, ViewLiveMaps* live,
                 ViewPermits** out);
void permits_close(ViewPermits* permits);

// ---- maps whose cells change while they are shown (live_maps.c) --------------------------------------------------------

/// Follows the maps of the scene. EXIT_FREE, or a status after a message. Close it after the session has stopped.
int live_maps_open(Session* session, ViewServer* server, ViewLiveMaps** out);
/// A message of cells; those of other names are no map of this scene. The thread of permits.
void live_maps_take(ViewLiveMaps* maps, const BerthWireMessage* message);
/// Wakes the session when there is something to do and it is time. The thread of permits, now and then.
void live_maps_wait(ViewLiveMaps* maps);
/// Gives the scene what came, and tells the pages. The checker thread.
void live_maps_apply(ViewLiveMaps* maps);
void live_maps_close(ViewLiveMaps* maps);

// ---- the page (bundle.c, page.c, browser.c) ------------------------------------------------------------------------

/// A file of the page that lies in the program.
typedef struct ViewFile {
    const char* name;  ///< "/app.js"
    const char* type;
    const unsigned char* data;
    size_t size;
} ViewFile;

/// By its address; false when there is none.
bool view_find_file(const char* name, ViewFile* out);
/// The page was built: it is not the plain one that says how to.
bool view_has_bundle(void);
void view_put_base64(Text* text, const Text* bytes);
/// One page with everything in it, as docs/reference/view.md has it. The session's thread does not run. EXIT_FREE, or a
/// status after a message.
int view_write_page(Session* session, Text* page);

/// Opens an address in the user's browser; false where there is none.
bool view_open_browser(const char* address);
/// Is there a browser that takes pictures? EXIT_FREE, or a status after a message.
int view_check_picture(void);
/// A PNG of a page. EXIT_FREE, or a status after a message.
int view_take_picture(const Text* page, Text* out);

#endif
