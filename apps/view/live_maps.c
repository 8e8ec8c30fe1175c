// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Maps of the scene whose cells a sensor sends while the view runs: the same messages of cells as for a guard
// (docs/reference/guard.md), for the object of that name. An update counts when all of its parts have arrived; the
// checker thread then gives the scene its obstacles, and informs the pages.
// Entries: live_maps_open, live_maps_take, live_maps_wait, live_maps_apply, live_maps_close.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

static const int64_t CELLS_MOST = 1 << 24;
enum { PARTS_MOST = 1 << 16 };

// Least seconds between two changes of a scene's maps; and the least time as a multiple of the time that the last change
// took.
static const double EVERY = 0.1;
static const double SHARE = 3.0;

/// An update; a message of cells is one part of it.
typedef struct MapUpdate {
    uint64_t stream, sequence;
    int32_t parts, come;   ///< parts 0: no update is in progress
    unsigned char* got;    ///< which parts have arrived
    unsigned char* cells;  ///< colours after the update
} MapUpdate;

typedef struct LiveMap {
    ViewField* item;
    int32_t size[3];
    size_t count;
    unsigned char* cells;  ///< present colours
    unsigned char* shown;  ///< the colours in the scene; used by the checker thread
    uint64_t stream, sequence;
    bool is_known;    ///< a whole map has arrived: changes may follow
    bool is_waiting;  ///< the scene does not have the present cells yet
    MapUpdate next;
} LiveMap;

struct ViewLiveMaps {
    Session* session;
    ViewServer* server;
    LiveMap* items;
    int32_t count;
    pthread_mutex_t lock;   // protects everything that both threads use
    double asked, seconds;  // when the checker thread was last woken, and how long it then took
};

// ---- life ----------------------------------------------------------------------------------------------------------

static void free_map(LiveMap* map) {
    free(map->cells);
    free(map->shown);
    free(map->next.got);
    free(map->next.cells);
}

// False if the map is too large to follow, or memory runs out.
static bool make_map(ViewField* item, LiveMap* out) {
    const BerthFieldInfo info = berth_field_info(item->field);
    const int64_t depth = info.dim == 3 ? info.size[2] : 1;
    const int64_t count = (int64_t)info.size[0] * info.size[1] * depth;
    *out =
        (LiveMap){.item = item, .size = {info.size[0], info.size[1], (int32_t)depth}, .count = (size_t)count};
    if ((double)info.size[0] * info.size[1] * (double)depth > (double)CELLS_MOST) {
        return false;
    }

    out->cells = malloc(out->count + 1);
    out->shown = malloc(out->count + 1);
    out->next.cells = malloc(out->count + 1);
    out->next.got = malloc(PARTS_MOST);
    if (out->cells == NULL || out->shown == NULL || out->next.cells == NULL || out->next.got == NULL) {
        free_map(out);
        return false;
    }

    size_t at = 0;
    for (int32_t z = 0; z < out->size[2]; ++z) {
        for (int32_t y = 0; y < out->size[1]; ++y) {
            for (int32_t x = 0; x < out->size[0]; ++x) {
                out->shown[at++] = (unsigned char)berth_field_colour_at(item->field, x, y, z);
            }
        }
    }
    memcpy(out->cells, out->shown, out->count);
    return true;
}

int live_maps_open(Session* session, ViewServer* server, ViewLiveMaps** out) {
    const ViewFields* fields = session->view->fields;
    ViewLiveMaps* maps = calloc(1, sizeof *maps);
    const int32_t count = fields != NULL ? fields->count : 0;
    LiveMap* items = calloc((size_t)count + 1, sizeof *items);
    *out = NULL;
    if (maps == NULL || items == NULL) {
        free(maps);
        free(items);
        return cli_out_of_memory();
    }

    *maps = (ViewLiveMaps){.session = session, .server = server, .items = items};
    for (int32_t i = 0; i < count; ++i) {
        maps->count += make_map(&fields->items[i], &items[maps->count]);
    }
    (void)pthread_mutex_init(&maps->lock, NULL);
    if (maps->count > 0) {
        session_follow(session, maps);
    }
    *out = maps;
    return EXIT_FREE;
}

void live_maps_close(ViewLiveMaps* maps) {
    if (maps == NULL) {
        return;
    }
    for (int32_t i = 0; i < maps->count; ++i) {
        free_map(&maps->items[i]);
    }
    (void)pthread_mutex_destroy(&maps->lock);
    free(maps->items);
    free(maps);
}

// ---- messages ------------------------------------------------------------------------------------------------------

static LiveMap* find_map(const ViewLiveMaps* maps, const char* name) {
    for (int32_t i = 0; i < maps->count; ++i) {
        if (strcmp(maps->items[i].item->object, name) == 0) {
            return &maps->items[i];
        }
    }
    return NULL;
}

// Takes the first part of an update. False: it is not about this map, or not new.
static bool begin_update(LiveMap* map, const BerthWireMessage* message) {
    const bool follows = map->is_known && message->stream == map->stream;
    const bool is_new = !follows || message->sequence > map->sequence;
    const bool rests = message->whole || (follows && message->since <= map->sequence);
    if (!is_new || !rests || message->parts < 1 || message->parts > PARTS_MOST) {
        return false;
    }

    MapUpdate* next = &map->next;
    next->stream = message->stream;
    next->sequence = message->sequence;
    next->parts = message->parts;
    next->come = 0;
    memset(next->got, 0, (size_t)message->parts);
    if (message->whole) {
        memset(next->cells, (int)message->rest, map->count);
    } else {
        memcpy(next->cells, map->cells, map->count);
    }
    return true;
}

// False: the map does not have these cells.
static bool set_runs(LiveMap* map, const BerthWireMessage* message) {
    for (int32_t i = 0; i < message->run_count; ++i) {
        const BerthCellRun* run = &message->runs[i];
        if (run->first > map->count || run->count > map->count - run->first) {
            return false;
        }
        memset(map->next.cells + run->first, (int)run->colour, run->count);
    }
    return true;
}

static void take_part(LiveMap* map, const BerthWireMessage* message) {
    MapUpdate* next = &map->next;
    const bool is_under_way =
        next->parts > 0 && next->stream == message->stream && next->sequence == message->sequence;
    if (!is_under_way && !begin_update(map, message)) {
        return;
    }
    if (message->part < 0 || message->part >= next->parts || message->parts != next->parts ||
        next->got[message->part] != 0) {
        return;
    }
    if (!set_runs(map, message)) {
        next->parts = 0;
        return;
    }

    next->got[message->part] = 1;
    if (++next->come < next->parts) {
        return;
    }
    unsigned char* old = map->cells;
    map->cells = next->cells;
    next->cells = old;
    next->parts = 0;
    map->stream = message->stream;
    map->sequence = message->sequence;
    map->is_known = map->is_waiting = true;
}

void live_maps_take(ViewLiveMaps* maps, const BerthWireMessage* message) {
    LiveMap* map = find_map(maps, message->name);
    if (map != NULL) {
        pthread_mutex_lock(&maps->lock);
        take_part(map, message);
        pthread_mutex_unlock(&maps->lock);
    }
}

void live_maps_wait(ViewLiveMaps* maps) {
    bool is_waiting = false;
    pthread_mutex_lock(&maps->lock);
    for (int32_t i = 0; i < maps->count; ++i) {
        is_waiting |= maps->items[i].is_waiting;
    }
    const double now = cli_seconds();
    const bool is_due = is_waiting && now - maps->asked >= fmax(EVERY, (1.0 + SHARE) * maps->seconds);
    if (is_due) {
        maps->asked = now;
    }
    pthread_mutex_unlock(&maps->lock);
    if (is_due) {
        session_wake(maps->session);
    }
}

// ---- into the scene, on the checker thread ---------------------------------------------------------------------------

/// The difference from the scene's map.
typedef struct Difference {
    BerthFieldChange* changes;
    size_t count;
} Difference;

// Under the lock. From now on the scene counts as having the present cells. False: out of memory.
static bool find_difference(LiveMap* map, Difference* out) {
    *out = (Difference){0};
    for (size_t i = 0; i < map->count; ++i) {
        out->count += map->cells[i] != map->shown[i];
    }
    out->changes = calloc(out->count + 1, sizeof *out->changes);
    if (out->changes == NULL) {
        return false;
    }

    size_t put = 0;
    const size_t width = (size_t)map->size[0], depth = (size_t)map->size[1];
    for (size_t i = 0; i < map->count && put < out->count; ++i) {
        if (map->cells[i] != map->shown[i]) {
            out->changes[put++] = (BerthFieldChange){
                {(int32_t)(i % width), (int32_t)(i / width % depth), (int32_t)(i / width / depth)},
                (BerthCellColour)map->cells[i]};
            map->shown[i] = map->cells[i];
        }
    }
    map->is_waiting = false;
    return true;
}

// How the object was made of its map.
static bool find_map_def(const BerthScene* scene, BerthObjectId id, BerthMapDef* def) {
    BerthObjectInfo object;
    if (berth_scene_object(scene, id, &object) != BERTH_OK) {
        return false;
    }

    BerthPose unused;
    BerthCellsInfo cells;
    bool is_found = false;
    for (int32_t i = 0; i < object.part_count && !is_found; ++i) {
        is_found = berth_solid_cells(berth_scene_object_part(scene, id, i, &unused), &cells);
    }
    if (!is_found) {
        return false;
    }

    *def = berth_default_map_def();
    def->outside_is_free = cells.outside_is_free;
    def->unseen_is_free = cells.unseen_is_free;
    def->from_open_meshes = cells.from_open_meshes;
    if (cells.dim == 2) {
        def->height[0] = cells.low.z;
        def->height[1] = cells.high.z;
    }
    return true;
}

static BerthStatus set_map(Session* session, const LiveMap* map) {
    BerthScene* scene = session->question.scene;
    const int32_t body = berth_scene_find_body(scene, map->item->object);
    const BerthObjectId id = body >= 0 ? berth_scene_body(scene, body).object : (BerthObjectId){0, 0};
    BerthMapDef def;
    if (!find_map_def(scene, id, &def) || berth_field_info(map->item->field).obstacle_count == 0) {
        return BERTH_ERR_UNSUPPORTED;  // without any obstacle there is no body, and all pages rely on the number of bodies
    }

    session_forget_scene(session);
    const BerthStatus status = berth_scene_set_map(scene, id, map->item->field, &def);
    return status == BERTH_OK ? berth_scene_commit(scene) : status;
}

static void tell_pages(const ViewLiveMaps* maps, const LiveMap* map, const Difference* difference,
                       const char* error) {
    Text text = {0};
    Json json = json_writer(&text);
    json_open(&json, '{');
    json_key_text(&json, "event", "map");
    json_key_text(&json, "body", map->item->object);
    json_key_int(&json, "changed", (int64_t)difference->count);
    json_key_text(&json, "error", error);
    json_close(&json, '}');
    if (!text.failed) {
        view_server_send_all(maps->server, text.data, text.size);
    }
    text_free(&text);
}

static void apply_difference(const ViewLiveMaps* maps, LiveMap* map, const Difference* difference) {
    berth_field_destroy(map->item->perimeter);
    map->item->perimeter = NULL;
    BerthStatus status = berth_field_update(map->item->field, difference->changes, difference->count);
    if (status == BERTH_OK) {
        status = set_map(maps->session, map);
    }

    const char* error = NULL;
    if (status == BERTH_ERR_UNSUPPORTED) {
        error = "a map without any obstacle is not a body: the previous map is still drawn and checked";
    } else if (status != BERTH_OK) {
        error = berth_error_text();
    }
    tell_pages(maps, map, difference, error);
}

void live_maps_apply(ViewLiveMaps* maps) {
    const double begin = cli_seconds();
    for (int32_t i = 0; i < maps->count; ++i) {
        LiveMap* map = &maps->items[i];
        Difference difference = {0};
        pthread_mutex_lock(&maps->lock);
        const bool is_found = map->is_waiting && find_difference(map, &difference);
        pthread_mutex_unlock(&maps->lock);
        if (is_found && difference.count > 0) {
            apply_difference(maps, map, &difference);
        }
        free(difference.changes);
    }

    pthread_mutex_lock(&maps->lock);
    maps->seconds = cli_seconds() - begin;
    pthread_mutex_unlock(&maps->lock);
}
