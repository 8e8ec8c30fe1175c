// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers about maps, and about any object that is not attached: a ball, distances on a horizontal slice, the cells of
// the tree, the perimeter functions of a cell of a 2-D map. Distances are those of the checked geometry. Trees and
// functions need the map itself, which a scene does not keep: fields_add copies it while the scene is read.
// Entries: fields_add, fields_find, answer_ball, answer_slice, answer_cells, answer_perimeter.

#include <berth/lab/field.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

// ---- the maps of the scene -----------------------------------------------------------------------------------------

void fields_add(void* user, const char* object, const BerthField* field) {
    ViewFields* list = user;
    const BerthFieldInfo info = berth_field_info(field);
    BerthFieldDef def = berth_default_field_def();
    def.unknown_is_free = info.unknown_is_free;
    ViewField* items = realloc(list->items, ((size_t)list->count + 1) * sizeof *items);
    if (items == NULL) {
        return;  // it is only for display: a map that cannot be kept is not shown
    }

    list->items = items;
    ViewField* item = &items[list->count];
    *item = (ViewField){.object = strdup(object)};
    if (item->object != NULL && berth_field_remake(field, &def, &item->field) == BERTH_OK) {
        ++list->count;
    } else {
        free(item->object);
    }
}

void fields_free(ViewFields* fields) {
    for (int32_t i = 0; i < fields->count; ++i) {
        free(fields->items[i].object);
        berth_field_destroy(fields->items[i].field);
        berth_field_destroy(fields->items[i].perimeter);
    }
    free(fields->items);
    *fields = (ViewFields){0};
}

ViewField* fields_find(const View* view, int32_t body) {
    const ViewFields* fields = view->fields;
    const BerthBodyInfo info = berth_scene_body(view->question->scene, body);
    for (int32_t i = 0; fields != NULL && i < fields->count; ++i) {
        if (info.object.age != 0 && strcmp(fields->items[i].object, info.name) == 0) {
            return &fields->items[i];
        }
    }
    return NULL;
}

// ---- distances -----------------------------------------------------------------------------------------------------

/// An object for distance queries.
typedef struct MapAsk {
    const BerthScene* scene;
    BerthObjectId id;
    BerthObjectInfo object;
    BerthSolid* point;
    BerthTreeQuery* query;
} MapAsk;

static void close_ask(MapAsk* ask) {
    berth_tree_query_destroy(ask->query);
    berth_solid_destroy(ask->point);
}

// Selects an object that is not attached for the following queries; false if the body is not one.
static bool aim_ask(MapAsk* ask, int32_t body) {
    const BerthBodyInfo info = berth_scene_body(ask->scene, body);
    ask->id = info.object;
    return info.object.age != 0 && info.robot < 0 &&
           berth_scene_object(ask->scene, info.object, &ask->object) == BERTH_OK;
}

// Selects no object yet. False after answer_fail; call close_ask in either case.
static bool make_ask(Answer* answer, MapAsk* ask) {
    *ask = (MapAsk){.scene = answer->session->question.scene};
    BerthShape shape;
    return answer_status(answer, berth_shape_sphere(0.0, &shape)) &&
           answer_status(answer, berth_solid_from_shape(&shape, NULL, &ask->point)) &&
           answer_status(answer, berth_tree_query_create(10000000, NULL, &ask->query));
}

// False after answer_fail; call close_ask in either case.
static bool open_ask(Answer* answer, int32_t body, MapAsk* ask) {
    return make_ask(answer, ask) &&
           (aim_ask(ask, body) || answer_fail(answer, "'map': expected an object that is not attached"));
}

// The part that is made of cells; null if there is none.
static const BerthSolid* find_cells(const MapAsk* ask, BerthCellsInfo* cells, BerthPose* world_from_part) {
    for (int32_t i = 0; i < ask->object.part_count; ++i) {
        BerthPose object_from_part;
        const BerthSolid* part = berth_scene_object_part(ask->scene, ask->id, i, &object_from_part);
        if (berth_solid_cells(part, cells)) {
            *world_from_part = berth_pose_multiply(&ask->object.pose, &object_from_part);
            return part;
        }
    }
    return NULL;
}

// A 2-D map is queried in its plane, halfway up its walls, whatever the height of the ball.
static BerthVec3 put_into_plane(const MapAsk* ask, BerthVec3 centre) {
    BerthCellsInfo cells;
    BerthPose world_from_part;
    const BerthSolid* part = find_cells(ask, &cells, &world_from_part);
    if (part == NULL || cells.dim != 2 || berth_solid_mesh(part) == NULL) {
        return centre;
    }

    const BerthMeshInfo walls = berth_mesh_info(berth_solid_mesh(part));
    const BerthPose part_from_world = berth_pose_inverse(&world_from_part);
    BerthVec3 inside = berth_pose_apply(&part_from_world, centre);
    inside.z = 0.5 * (walls.low.z + walls.high.z);
    return berth_pose_apply(&world_from_part, inside);
}

// The distance from a point to the nearest of the object's parts, as in berth map query.
static BerthTreeAnswer ask_point(const MapAsk* ask, BerthVec3 centre) {
    const BerthTreeRequest request = berth_default_tree_request();
    BerthTreeAnswer nearest = {.lower = INFINITY, .upper = INFINITY};
    BerthPose world_from_point = berth_pose_identity();
    double lower = INFINITY;
    world_from_point.t = put_into_plane(ask, centre);

    for (int32_t i = 0; i < ask->object.part_count; ++i) {
        BerthPose object_from_part;
        const BerthSolid* part = berth_scene_object_part(ask->scene, ask->id, i, &object_from_part);
        const BerthPose world_from_part = berth_pose_multiply(&ask->object.pose, &object_from_part);
        const BerthTreeAnswer one =
            berth_tree_distance(ask->query, ask->point, &world_from_point, part, &world_from_part, &request);
        lower = one.lower > lower ? lower : one.lower;  // NaN proves nothing
        nearest = one.upper < nearest.upper ? one : nearest;
    }

    nearest.lower = fmax(lower - ask->object.radius, 0.0);
    nearest.upper = fmax(nearest.upper - ask->object.radius, 0.0);
    return nearest;
}

// ---- ball ----------------------------------------------------------------------------------------------------------

static bool read_ball(Answer* answer, BerthVec3* centre, double* radius) {
    const json_t* point = json_object_get(answer->request, "centre");
    const json_t* size = json_object_get(answer->request, "radius");
    const size_t axes = json_array_size(point);
    double v[3] = {0};
    bool is_well = json_is_array(point) && (axes == 2 || axes == 3) && json_is_number(size);
    for (size_t i = 0; i < axes && i < 3 && is_well; ++i) {
        v[i] = json_number_value(json_array_get(point, i));
        is_well = json_is_number(json_array_get(point, i)) && fabs(v[i]) <= 1e7;
    }
    *centre = (BerthVec3){v[0], v[1], v[2]};
    *radius = json_number_value(size);
    return (is_well && *radius >= 0.0 && *radius <= 1e7) ||
           answer_fail(answer, "expected 'centre', two or three numbers, and 'radius', 0 or more metres");
}

/// The nearest object to a ball's centre.
typedef struct BallFound {
    BerthTreeAnswer nearest;  ///< lower: of all queried objects
    int32_t body;             ///< -1: there is none
} BallFound;

// One object, or all that are not attached.
static BallFound find_nearest(MapAsk* ask, int32_t body, BerthVec3 centre) {
    BallFound found = {.nearest = {.lower = INFINITY, .upper = INFINITY}, .body = -1};
    const int32_t first = body >= 0 ? body : 0;
    const int32_t end = body >= 0 ? body + 1 : berth_scene_body_count(ask->scene);
    for (int32_t i = first; i < end; ++i) {
        if (!aim_ask(ask, i)) {
            continue;
        }
        const BerthTreeAnswer one = ask_point(ask, centre);
        const double lower = one.lower > found.nearest.lower ? found.nearest.lower : one.lower;
        if (found.body < 0 || one.upper < found.nearest.upper) {
            found = (BallFound){one, i};
        }
        found.nearest.lower = lower;
    }
    return found;
}

/// Of a map that is nearest.
typedef struct MapPart {
    int64_t obstacle;  // as numbered by berth_field_query; -1 if none
    bool outside;  // the centre is outside of the map, where there is nothing but what the scene takes it for
} MapPart;

static MapPart find_part(Answer* answer, MapAsk* ask, const BallFound* found, BerthVec3 centre) {
    const ViewField* item = found->body >= 0 ? fields_find(answer->session->view, found->body) : NULL;
    BerthCellsInfo cells;
    BerthPose world_from_map;
    if (item == NULL || !aim_ask(ask, found->body) || find_cells(ask, &cells, &world_from_map) == NULL) {
        return (MapPart){-1, false};
    }

    const BerthPose map_from_world = berth_pose_inverse(&world_from_map);
    const BerthVec3 in_map = berth_pose_apply(&map_from_world, put_into_plane(ask, centre));
    BerthFieldAnswer one;
    if (berth_field_query(item->field, BERTH_METRIC_L2, in_map, 0.0, &one) != BERTH_OK) {
        return (MapPart){-1, false};
    }
    return one.outside ? (MapPart){-1, true} : (MapPart){one.obstacle, false};
}

static void json_ball(Json* json, const BallFound* found, const char* body, MapPart part, double radius) {
    const BerthTreeAnswer* nearest = &found->nearest;
    BerthVerdict verdict = BERTH_UNKNOWN;
    if (nearest->lower > radius) {
        verdict = BERTH_FREE;
    } else if (nearest->upper <= radius) {
        verdict = BERTH_COLLISION;
    }

    json_key_text(json, "verdict", berth_verdict_name(verdict));
    json_key_open(json, "distance", '{');
    json_key_number(json, "lower", nearest->lower);
    json_key_number(json, "upper", nearest->upper);
    json_close(json, '}');
    json_key(json, "nearest");
    if (isfinite(nearest->upper)) {
        json_vec3(json, nearest->point_b);
    } else {
        json_put_null(json);
    }
    json_key_text(json, "body", body);
    if (part.obstacle >= 0) {
        json_key_int(json, "obstacle", part.obstacle);
    }
    if (part.outside) {
        json_key_bool(json, "outside_map", true);
    }
}

bool answer_ball(Answer* answer) {
    const char* metric = json_string_value(json_object_get(answer->request, "metric"));
    const bool asks_all = json_object_get(answer->request, "map") == NULL;
    int32_t body = -1;
    BerthVec3 centre;
    double radius = 0.0;
    if ((!asks_all && !answer_read_body(answer, "map", &body)) || !read_ball(answer, &centre, &radius)) {
        return false;
    }
    if (metric != NULL && strcmp(metric, "l2") != 0) {
        return answer_fail(answer,
                           "'metric': the view supports only l2 for balls; use berth map query for l1");
    }

    MapAsk ask;
    const bool is_well = asks_all ? make_ask(answer, &ask) : open_ask(answer, body, &ask);
    if (is_well) {
        const BallFound found = find_nearest(&ask, body, centre);
        const char* name = found.body >= 0 ? berth_scene_body_name(ask.scene, found.body) : NULL;
        json_ball(&answer->json, &found, name, find_part(answer, &ask, &found, centre), radius);
    }
    close_ask(&ask);
    return is_well;
}

// ---- slice ---------------------------------------------------------------------------------------------------------

enum { SLICE_MOST = 1 << 14 };

// "low" and "high", two numbers each.
static bool read_rectangle(Answer* answer, double low[2], double high[2]) {
    const json_t* a = json_object_get(answer->request, "low");
    const json_t* b = json_object_get(answer->request, "high");
    bool is_well = json_is_array(a) && json_is_array(b) && json_array_size(a) == 2 && json_array_size(b) == 2;
    for (size_t i = 0; i < 2 && is_well; ++i) {
        low[i] = json_number_value(json_array_get(a, i));
        high[i] = json_number_value(json_array_get(b, i));
        is_well = fabs(low[i]) <= 1e7 && fabs(high[i]) <= 1e7 && low[i] < high[i];
    }
    return is_well || answer_fail(answer, "expected 'low' and 'high', the corners of a rectangle in x and y");
}

// Number of points along the longer side, so that there are at most about SLICE_MOST in all.
static void find_slice_size(const double low[2], const double high[2], int32_t size[2]) {
    const double width = high[0] - low[0], depth = high[1] - low[1];
    const double step = sqrt(width * depth / SLICE_MOST);
    size[0] = (int32_t)fmin(fmax(floor(width / step), 1.0), SLICE_MOST);
    size[1] = (int32_t)fmin(fmax(floor(depth / step), 1.0), SLICE_MOST / (double)size[0]);
}

bool answer_slice(Answer* answer) {
    int32_t body = -1, size[2];
    double low[2], high[2];
    const json_t* height = json_object_get(answer->request, "height");
    if (!answer_read_body(answer, "map", &body) || !read_rectangle(answer, low, high)) {
        return false;
    }
    if (!json_is_number(height) || !(fabs(json_number_value(height)) <= 1e7)) {
        return answer_fail(answer, "'height': expected a number");
    }

    MapAsk ask;
    bool is_well = open_ask(answer, body, &ask);
    Json* json = &answer->json;
    find_slice_size(low, high, size);
    json_key_open(json, "size", '[');
    json_int(json, size[0]);
    json_int(json, size[1]);
    json_close(json, ']');
    json_key_open(json, "distance", '[');
    for (int32_t y = 0; y < size[1] && is_well; ++y) {
        for (int32_t x = 0; x < size[0]; ++x) {
            const BerthVec3 at = {low[0] + (high[0] - low[0]) * (x + 0.5) / size[0],
                                  low[1] + (high[1] - low[1]) * (y + 0.5) / size[1],
                                  json_number_value(height)};
            json_number(json, ask_point(&ask, at).lower);
        }
        answer_tell_progress(answer, (double)y / size[1]);
        is_well = !answer_is_cancelled(answer) || answer_fail(answer, "cancelled");
    }
    json_close(json, ']');
    close_ask(&ask);
    return is_well;
}

// ---- the cells of its tree -----------------------------------------------------------------------------------------

enum { LEAVES_MOST = 40000 };
static const int64_t CELLS_MOST = 1 << 24;  // for a 2-D map, whose cells are visited one by one

// The common part of requests about a map's tree. Null after answer_fail.
static ViewField* read_map(Answer* answer, int32_t* body) {
    if (!answer_read_body(answer, "map", body)) {
        return NULL;
    }
    ViewField* item = fields_find(answer->session->view, *body);
    if (item == NULL) {
        (void)answer_fail(answer, "'map': '%s' is not a map",
                          berth_scene_body(answer->session->question.scene, *body).name);
    }
    return item;
}

static void json_leaf(Json* json, const BerthFieldInfo* info, const BerthFieldLeaf* leaf) {
    json_number(json, info->origin.x + info->resolution * leaf->low[0]);
    json_number(json, info->origin.y + info->resolution * leaf->low[1]);
    json_number(json, info->dim == 3 ? info->origin.z + info->resolution * leaf->low[2] : 0.0);
    json_number(json, info->resolution * leaf->width);
    json_int(json, (int)leaf->colour);
}

// The leaves of a 2-D map, including free ones: the whole quadtree.
static int64_t json_leaves_of_plane(Json* json, const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    int64_t count = 0;
    if ((int64_t)info.size[0] * info.size[1] > CELLS_MOST) {
        return 0;
    }
    for (int32_t y = 0; y < info.size[1]; ++y) {
        for (int32_t x = 0; x < info.size[0]; ++x) {
            const BerthFieldLeaf leaf = berth_field_leaf_at(field, x, y, 0);
            if (leaf.low[0] == x && leaf.low[1] == y && ++count <= LEAVES_MOST) {
                json_leaf(json, &info, &leaf);
            }
            x = leaf.low[0] + leaf.width - 1;
        }
    }
    return count;
}

static int64_t json_leaves_of_space(Json* json, const BerthField* field) {
    const BerthFieldInfo info = berth_field_info(field);
    const int64_t count = info.occupied_count + info.unknown_count;
    for (int64_t i = 0; i < count && i < LEAVES_MOST; ++i) {
        const BerthFieldLeaf leaf = berth_field_solid_leaf(field, i);
        json_leaf(json, &info, &leaf);
    }
    return count;
}

// "pose": of the map's frame; "height": the range of heights of the walls of a 2-D map.
static void json_map_frame(Answer* answer, int32_t body) {
    MapAsk ask;
    BerthCellsInfo cells;
    BerthPose world_from_map = berth_pose_identity();
    const bool is_well = open_ask(answer, body, &ask);
    const BerthSolid* part = is_well ? find_cells(&ask, &cells, &world_from_map) : NULL;
    const BerthMeshInfo walls = part != NULL && berth_solid_mesh(part) != NULL
                                    ? berth_mesh_info(berth_solid_mesh(part))
                                    : (BerthMeshInfo){0};
    json_key(&answer->json, "pose");
    view_json_pose(&answer->json, &world_from_map);
    json_key_open(&answer->json, "height", '[');
    json_number(&answer->json, walls.low.z);
    json_number(&answer->json, walls.high.z);
    json_close(&answer->json, ']');
    close_ask(&ask);
}

bool answer_cells(Answer* answer) {
    int32_t body = -1;
    const ViewField* item = read_map(answer, &body);
    if (item == NULL) {
        return false;
    }
    Json* json = &answer->json;
    const BerthFieldInfo info = berth_field_info(item->field);
    json_key_int(json, "dim", info.dim);
    json_map_frame(answer, body);
    json_key_open(json, "leaves", '[');
    const int64_t count =
        info.dim == 2 ? json_leaves_of_plane(json, item->field) : json_leaves_of_space(json, item->field);
    json_close(json, ']');
    json_key_int(json, "count", count);
    return true;
}

// ---- perimeter functions -------------------------------------------------------------------------------------------

static bool need_perimeter(Answer* answer, ViewField* item) {
    const BerthFieldInfo info = berth_field_info(item->field);
    if (item->perimeter != NULL) {
        return true;
    }
    if (info.dim != 2) {
        return answer_fail(answer, "perimeter functions are shown for 2-D maps only");
    }
    BerthFieldDef def = berth_default_field_def();
    def.unknown_is_free = info.unknown_is_free;
    def.parts = BERTH_FIELD_EODM;
    def.memory_limit = (size_t)1 << 29;
    return answer_status(answer, berth_field_remake(item->field, &def, &item->perimeter));
}

static void json_intervals(Json* json, const BerthField* field, const BerthFieldInterval* intervals,
                           int64_t count) {
    const BerthFieldInfo info = berth_field_info(field);
    json_key_open(json, "intervals", '[');
    for (int64_t i = 0; i < count; ++i) {
        const BerthFieldInterval* one = &intervals[i];
        const double start = one->face < 2 ? info.origin.y : info.origin.x;
        json_open(json, '{');
        json_key_int(json, "face", one->face);
        json_key_number(json, "from", start + info.resolution * one->from);
        json_key_number(json, "to", start + info.resolution * one->to);
        json_key_number(json, "distance_from", info.resolution * (one->value + one->slope * one->from));
        json_key_number(json, "distance_to", info.resolution * (one->value + one->slope * one->to));
        json_key_int(json, "obstacle", one->obstacle);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static bool json_perimeter(Answer* answer, const BerthField* field, const BerthFieldLeaf* leaf) {
    const BerthFieldInfo info = berth_field_info(field);
    const int64_t count = berth_field_intervals(field, leaf->low[0], leaf->low[1], 0, NULL, 0);
    BerthFieldInterval* intervals = calloc((size_t)count + 1, sizeof *intervals);
    if (intervals == NULL) {
        return answer_fail(answer, "out of memory");
    }
    (void)berth_field_intervals(field, leaf->low[0], leaf->low[1], 0, intervals, count);

    json_key_open(&answer->json, "leaf", '[');
    json_leaf(&answer->json, &info, leaf);
    json_close(&answer->json, ']');
    json_intervals(&answer->json, field, intervals, count);
    free(intervals);
    return true;
}

bool answer_perimeter(Answer* answer) {
    int32_t body = -1;
    BerthVec3 centre;
    double radius = 0.0;
    ViewField* item = read_map(answer, &body);
    if (item == NULL || !read_ball(answer, &centre, &radius) || !need_perimeter(answer, item)) {
        return false;
    }

    MapAsk ask;
    BerthCellsInfo cells;
    BerthPose world_from_map = berth_pose_identity();
    const bool is_well = open_ask(answer, body, &ask);
    if (is_well) {
        (void)find_cells(&ask, &cells, &world_from_map);
    }
    close_ask(&ask);
    if (!is_well) {
        return false;
    }

    const BerthFieldInfo info = berth_field_info(item->perimeter);
    const BerthPose map_from_world = berth_pose_inverse(&world_from_map);
    const BerthVec3 at = berth_pose_apply(&map_from_world, centre);
    const double x = floor((at.x - info.origin.x) / info.resolution);
    const double y = floor((at.y - info.origin.y) / info.resolution);
    const bool is_inside = x >= 0.0 && y >= 0.0 && x < info.size[0] && y < info.size[1];
    const BerthFieldLeaf leaf = is_inside ? berth_field_leaf_at(item->perimeter, (int32_t)x, (int32_t)y, 0)
                                          : (BerthFieldLeaf){.level = -1};
    if (leaf.level < 0 ||
        (leaf.colour != BERTH_CELL_FREE && !(leaf.colour == BERTH_CELL_UNKNOWN && info.unknown_is_free))) {
        return answer_fail(answer, "there is no free cell here: only free cells have perimeter functions");
    }
    json_map_frame(answer, body);
    return json_perimeter(answer, item->perimeter, &leaf);
}
