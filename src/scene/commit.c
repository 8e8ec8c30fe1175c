// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Commit: from robots, objects and exceptions to the arrays that queries read. Everything is built beside the old
// arrays in an arena of its own and takes their place only when all of it succeeded.
//
// Which pairs are checked (docs/theory/scene.md): links of one robot by its own rule; links of different robots; links
// against objects; attached objects against everything but the link they are attached to. Objects that are not attached
// are not checked against each other. `allow` and touch lists remove pairs, which is declared. A pair that a robot's
// table proves apart stays in the list with its gap: whether the proof holds depends on the state.
//
// Entry: berth_scene_commit; what it built is read by the functions at the end.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/robot.h"
#include "scene/scene.h"
#include "tree/solid.h"

/// Why a pair is left out.
typedef enum Omission {
    OMIT_NOT = 0,
    OMIT_MEANINGLESS,  ///< nothing is assumed: rigid links, or no geometry
    OMIT_DISABLED,
    OMIT_ADJACENT,
    OMIT_ALWAYS_OVERLAP,
    OMIT_ALLOWED,
    OMIT_TOUCH,
    OMIT_REASON_COUNT
} Omission;

typedef struct BodyPair {
    int32_t a, b;  // a < b
    bool touch;
} BodyPair;

enum { SENTENCE_SIZE = 2048, NAME_ROOM = 1024 };

// A sentence that names things until it is full: "... : a, b and 7 more".
typedef struct Sentence {
    char text[SENTENCE_SIZE];
    size_t used;
    int32_t count, named;
    int32_t number;  // what is reported instead of the count, when it is not 0
} Sentence;

typedef struct Build {
    const BerthScene* scene;
    Arena arena;
    SceneBody* bodies;
    int32_t body_count, link_body_count, moved_body_count;
    ScenePart* parts;
    int32_t part_count;
    ScenePair* pairs;
    int32_t pair_count;
    SceneBodyName* by_name;
    int32_t** body_of_link;  // [robot][link], -1 without geometry
    int32_t* body_of_place;
    BodyPair* exceptions;  // sorted
    int32_t exception_count;
    int32_t proven_count;
    Sentence omitted[OMIT_REASON_COUNT];
    Sentence open, unknown, unseen, outside, spheres;
} Build;

// What answers say beside the verdict.
typedef struct BuiltLists {
    const BerthAssumed* assumed;
    const BerthAssumed* declared;
    int32_t assumed_count, declared_count;
} BuiltLists;

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "scene: out of memory while committing");
}

// ---- bodies ------------------------------------------------------------------------------------------------

static BerthStatus count_bodies(Build* b) {
    const BerthScene* scene = b->scene;
    int64_t bodies = 0;
    int64_t parts = 0;

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        bodies += scene->robots[r].robot->geometry_count;
        parts += scene->robots[r].robot->solid_count;
    }
    bodies += scene->object_used;
    parts += scene->object_used + scene->piece_count;
    if (bodies > INT32_MAX || parts > INT32_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "scene: too many bodies");
    }

    b->bodies = bi_arena_take(&b->arena, (size_t)bodies, sizeof *b->bodies);
    b->by_name = bi_arena_take(&b->arena, (size_t)bodies, sizeof *b->by_name);
    b->parts = bi_arena_take(&b->arena, (size_t)parts, sizeof *b->parts);
    b->body_of_link = bi_arena_take(&b->arena, (size_t)scene->robot_count, sizeof *b->body_of_link);
    b->body_of_place = bi_arena_take(&b->arena, (size_t)scene->object_count, sizeof *b->body_of_place);
    if (b->bodies == NULL || b->by_name == NULL || b->parts == NULL || b->body_of_link == NULL ||
        b->body_of_place == NULL) {
        return no_memory();
    }

    return BERTH_OK;
}

// A part of a body on `frame` of `robot`; frame 0 stands still, so its pose in the world is known now.
static void add_part(Build* b, const SceneRobot* robot, int32_t frame, const BerthSolid* solid,
                     const Pose* frame_from_part) {
    ScenePart* part = &b->parts[b->part_count++];
    part->solid = solid;
    part->frame_from_part =
        robot != NULL && frame == 0 ? pose_mul(&robot->world_from_base, frame_from_part) : *frame_from_part;
}

static BerthStatus add_link(Build* b, int32_t robot_index, int32_t link_index) {
    const SceneRobot* robot = &b->scene->robots[robot_index];
    const RobotLink* link = &robot->robot->links[link_index];
    const char* name = link->name;

    // With several robots a link is known as "robot/link".
    if (b->scene->robot_count > 1) {
        const size_t size = strlen(robot->name) + 1 + strlen(link->name) + 1;
        char* text = bi_arena_take(&b->arena, size, 1);
        if (text == NULL) {
            return no_memory();
        }
        snprintf(text, size, "%s/%s", robot->name, link->name);
        name = text;
    }

    b->bodies[b->body_count] = (SceneBody){.name = name,
                                           .frame = link->frame == 0 ? -1 : robot->first_frame + link->frame,
                                           .robot = robot_index,
                                           .link = link_index,
                                           .object = -1,
                                           .first_part = b->part_count,
                                           .part_count = link->solid_count,
                                           .padding = robot->padding};

    for (int32_t i = 0; i < link->solid_count; ++i) {
        const RobotSolid* solid = &robot->robot->solids[link->first_solid + i];
        add_part(b, robot, link->frame, solid->solid, &solid->frame_from_solid);
    }

    b->body_of_link[robot_index][link_index] = b->body_count++;
    return BERTH_OK;
}

static BerthStatus add_links(Build* b) {
    for (int32_t r = 0; r < b->scene->robot_count; ++r) {
        const BerthRobot* robot = b->scene->robots[r].robot;
        b->body_of_link[r] = bi_arena_take(&b->arena, (size_t)robot->link_count, sizeof **b->body_of_link);
        if (b->body_of_link[r] == NULL) {
            return no_memory();
        }

        for (int32_t i = 0; i < robot->link_count; ++i) {
            b->body_of_link[r][i] = -1;
            if (robot->links[i].solid_count > 0) {
                const BerthStatus status = add_link(b, r, i);
                if (status != BERTH_OK) {
                    return status;
                }
            }
        }
    }

    b->link_body_count = b->body_count;
    return BERTH_OK;
}

static void add_object(Build* b, int32_t place) {
    const SceneObject* object = &b->scene->objects[place];
    const SceneRobot* robot = object->robot >= 0 ? &b->scene->robots[object->robot] : NULL;
    const RobotLink* link = robot != NULL ? &robot->robot->links[object->link] : NULL;
    const int32_t frame = link != NULL ? link->frame : 0;
    const bool empty = solid_is_empty(object->solid);

    b->body_of_place[place] = -1;
    if (empty && object->piece_count == 0) {
        return;  // a map without obstacles: nothing to check
    }

    b->bodies[b->body_count] =
        (SceneBody){.name = object->name,
                    .frame = frame == 0 ? -1 : robot->first_frame + frame,
                    .robot = object->robot,
                    .link = object->link,
                    .object = place,
                    .first_part = b->part_count,
                    .part_count = object->piece_count + (empty ? 0 : 1),
                    .radius = object->radius,
                    .padding = object->radius + (robot != NULL ? robot->padding : 0.0)};

    const Pose frame_from_object =
        link != NULL ? pose_mul(&link->frame_from_link, &object->pose) : object->pose;
    if (!empty) {
        const Pose frame_from_solid = pose_mul(&frame_from_object, &object->object_from_solid);
        add_part(b, robot, frame, object->solid, &frame_from_solid);
    }
    for (int32_t i = 0; i < object->piece_count; ++i) {
        const Pose frame_from_piece = pose_mul(&frame_from_object, &object->pieces[i].object_from_piece);
        add_part(b, robot, frame, object->pieces[i].solid, &frame_from_piece);
    }

    b->body_of_place[place] = b->body_count++;
}

static void add_objects(Build* b) {
    for (int attached = 1; attached >= 0; --attached) {
        for (int32_t place = 0; place < b->scene->object_count; ++place) {
            const SceneObject* object = &b->scene->objects[place];
            if (object->used && (object->robot >= 0) == (attached != 0)) {
                add_object(b, place);
            }
        }
        b->moved_body_count = attached != 0 ? b->body_count : b->moved_body_count;
    }
}

static int compare_names(const void* a, const void* b) {
    return strcmp(((const SceneBodyName*)a)->name, ((const SceneBodyName*)b)->name);
}

// Every body has a name of its own, and no object has the name of a link, with geometry or without.
static BerthStatus sort_names(Build* b) {
    for (int32_t i = 0; i < b->body_count; ++i) {
        b->by_name[i] = (SceneBodyName){b->bodies[i].name, i};
        SceneBodyRef link;
        if (b->bodies[i].object >= 0 && b->scene->robot_count > 0 &&
            bi_scene_resolve_name(b->scene, b->bodies[i].name, true, &link)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "object '%s': a link of robot '%s' has that name",
                           b->bodies[i].name, b->scene->robots[link.robot].name);
        }
    }

    if (b->body_count > 1) {
        qsort(b->by_name, (size_t)b->body_count, sizeof *b->by_name, compare_names);
    }

    for (int32_t i = 1; i < b->body_count; ++i) {
        if (strcmp(b->by_name[i - 1].name, b->by_name[i].name) == 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "scene: two bodies have the name '%s'", b->by_name[i].name);
        }
    }
    return BERTH_OK;
}

// ---- exceptions --------------------------------------------------------------------------------------------

static int32_t body_of(const Build* b, SceneBodyRef name) {
    return name.object >= 0 ? b->body_of_place[name.object] : b->body_of_link[name.robot][name.link];
}

static int compare_bodies(const void* pa, const void* pb) {
    const BodyPair* a = pa;
    const BodyPair* b = pb;
    if (a->a != b->a) {
        return a->a < b->a ? -1 : 1;
    }
    if (a->b != b->b) {
        return a->b < b->b ? -1 : 1;
    }
    return (int)a->touch - (int)b->touch;  // `allow` comes first and names the pair
}

static void add_body_exception(Build* b, int32_t body_a, int32_t body_b, bool touch) {
    if (body_a >= 0 && body_b >= 0 && body_a != body_b) {
        b->exceptions[b->exception_count++] = (BodyPair){
            .a = body_a < body_b ? body_a : body_b, .b = body_a < body_b ? body_b : body_a, .touch = touch};
    }
}

static BerthStatus list_exceptions(Build* b) {
    const BerthScene* scene = b->scene;
    const size_t most = (size_t)scene->exception_count + (size_t)(b->moved_body_count - b->link_body_count);
    b->exceptions = bi_arena_take(&b->arena, most, sizeof *b->exceptions);
    if (b->exceptions == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < scene->exception_count; ++i) {
        const SceneException* e = &scene->exceptions[i];
        add_body_exception(b, body_of(b, e->a), body_of(b, e->b), e->touch);
    }

    // An attached object may touch the link that holds it.
    for (int32_t i = b->link_body_count; i < b->moved_body_count; ++i) {
        add_body_exception(b, i, b->body_of_link[b->bodies[i].robot][b->bodies[i].link], true);
    }

    if (b->exception_count > 1) {
        qsort(b->exceptions, (size_t)b->exception_count, sizeof *b->exceptions, compare_bodies);
    }
    return BERTH_OK;
}

// The first exception for two bodies, or null.
static const BodyPair* find_exception(const Build* b, int32_t body_a, int32_t body_b) {
    int32_t low = 0;
    int32_t high = b->exception_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const BodyPair* e = &b->exceptions[middle];
        if (e->a < body_a || (e->a == body_a && e->b < body_b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    const bool found =
        low < b->exception_count && b->exceptions[low].a == body_a && b->exceptions[low].b == body_b;
    return found ? &b->exceptions[low] : NULL;
}

// ---- pairs -------------------------------------------------------------------------------------------------

static Omission omitted_by_robot(const Build* b, const SceneBody* a, const SceneBody* c) {
    if (a->object >= 0 || c->object >= 0 || a->robot != c->robot) {
        return OMIT_NOT;
    }

    switch (bi_robot_pair_rule(b->scene->robots[a->robot].robot, a->link, c->link)) {
    case BERTH_PAIR_CHECKED:
    case BERTH_PAIR_PROVEN:
        return OMIT_NOT;
    case BERTH_PAIR_NO_GEOMETRY:
    case BERTH_PAIR_RIGID:
        return OMIT_MEANINGLESS;
    case BERTH_PAIR_ADJACENT:
        return OMIT_ADJACENT;
    case BERTH_PAIR_ALWAYS_OVERLAP:
        return OMIT_ALWAYS_OVERLAP;
    case BERTH_PAIR_DISABLED:
        return OMIT_DISABLED;
    }
    return OMIT_NOT;  // a rule that is not known here leaves nothing out
}

static Omission why_omitted(const Build* b, int32_t body_a, int32_t body_b) {
    const Omission rule = omitted_by_robot(b, &b->bodies[body_a], &b->bodies[body_b]);
    if (rule != OMIT_NOT) {
        return rule;
    }

    const BodyPair* exception = find_exception(b, body_a, body_b);
    if (exception == NULL) {
        return OMIT_NOT;
    }
    return exception->touch ? OMIT_TOUCH : OMIT_ALLOWED;
}

static double pair_padding(const SceneBody* a, const SceneBody* b) {
    return a->robot >= 0 && a->robot == b->robot ? a->radius + b->radius : a->padding + b->padding;
}

// What one body of a pair can do on its own. Objects are body_b, and two of them are no pair.
static void set_reach(const Build* b, ScenePair* pair) {
    const int32_t place = b->bodies[pair->body_b].object;
    const SceneObject* object = place >= 0 ? &b->scene->objects[place] : NULL;
    if (object != NULL && (object->moving || object->person)) {
        pair->reach_speed = object->speed;
        pair->reach_start = object->person ? object->intrusion + object->uncertainty : 0.0;
    }
}

static double pair_proven_gap(const Build* b, const SceneBody* a, const SceneBody* c) {
    if (a->object >= 0 || c->object >= 0 || a->robot != c->robot) {
        return 0.0;
    }
    const double gap = bi_robot_proven_gap(b->scene->robots[a->robot].robot, a->link, c->link);
    return fmax(gap - pair_padding(a, c), 0.0);
}

// Names a pair, or a single body when `b` is null, while there is room; what comes later is only counted.
static void name_in_sentence(Sentence* s, const char* a, const char* b) {
    s->count += 1;
    if (s->named + 1 != s->count) {
        return;  // it was full before
    }

    const size_t room = SENTENCE_SIZE - 256 - s->used;  // the end of the sentence needs some
    const char* comma = s->named > 0 ? ", " : "";

    int written = 0;
    if (b != NULL) {
        written = snprintf(s->text + s->used, room, "%s%s - %s", comma, a, b);
    } else {
        written = snprintf(s->text + s->used, room, "%s%s", comma, a);
    }

    if (written > 0 && (size_t)written < room) {
        s->used += (size_t)written;
        s->named += 1;
    } else {
        s->text[s->used] = '\0';
    }
}

static bool are_links_of_one_robot(const SceneBody* a, const SceneBody* b) {
    return a->object < 0 && b->object < 0 && a->robot >= 0 && a->robot == b->robot;
}

// Fills b->pairs, or only counts when there is no array yet. Bodies that are on their own come last and are never
// body_a, so they are not paired with each other.
static int64_t visit_pairs(Build* b) {
    int64_t count = 0;
    for (int32_t i = 0; i < b->moved_body_count; ++i) {
        for (int32_t k = i + 1; k < b->body_count; ++k) {
            const Omission omission = why_omitted(b, i, k);

            if (omission == OMIT_NOT) {
                if (b->pairs != NULL) {
                    const SceneBody* x = &b->bodies[i];
                    const SceneBody* y = &b->bodies[k];
                    b->pairs[count] = (ScenePair){.body_a = i,
                                                  .body_b = k,
                                                  .constant = x->frame == y->frame,
                                                  .self = are_links_of_one_robot(x, y),
                                                  .padding = pair_padding(x, y),
                                                  .proven_gap = pair_proven_gap(b, x, y)};
                    set_reach(b, &b->pairs[count]);
                    b->proven_count += b->pairs[count].proven_gap > 0.0;
                }
                ++count;
            } else if (b->pairs != NULL) {
                name_in_sentence(&b->omitted[omission], b->bodies[i].name, b->bodies[k].name);
            }
        }
    }

    return count;
}

// A checker needs some 400 bytes a pair: attached objects, which are paired with each other, would take 19 GB for a megabyte
// of scene file.
enum { PAIR_MAX = 8000000 };

static BerthStatus list_pairs(Build* b) {
    const int64_t count = visit_pairs(b);
    if (count > PAIR_MAX) {
        return bi_fail(
            BERTH_ERR_CAPACITY,
            "scene: %lld pairs of bodies to check, expected at most %d; objects that are attached and stay "
            "together can be parts of one object",
            (long long)count, PAIR_MAX);
    }
    b->pairs = bi_arena_take(&b->arena, (size_t)count, sizeof *b->pairs);
    if (b->pairs == NULL) {
        return no_memory();
    }
    b->pair_count = (int32_t)visit_pairs(b);
    return BERTH_OK;
}

// ---- what is assumed ---------------------------------------------------------------------------------------

// What a part takes without proof: a mesh that is open; unknown cells, and what is beyond the map.
static void note_assumptions_of_part(Build* b, const char* name, const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    BerthCellsInfo cells;
    if (mesh == NULL || berth_solid_point_count(solid) > 0) {
        return;  // a cloud is its points and nothing else
    }

    if (!berth_mesh_info(mesh).watertight) {
        name_in_sentence(&b->open, name, NULL);
    }

    if (!berth_solid_cells(solid, &cells)) {
        return;
    }
    if (cells.unknown_is_free && cells.unknown > 0) {
        const uint64_t sum = (uint64_t)b->unknown.number + cells.unknown;
        b->unknown.number = sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
        name_in_sentence(&b->unknown, name, NULL);
    }

    if (cells.unseen_is_free) {
        name_in_sentence(&b->unseen, name, NULL);
    }
    if (cells.from_open_meshes) {
        name_in_sentence(&b->open, name, NULL);
    }
    if (cells.outside_is_free) {
        name_in_sentence(&b->outside, name, NULL);
    }
}

// Spheres that stand for a link, and open meshes among what they stand for.
static void note_assumptions_of_link(Build* b, const SceneBody* body) {
    if (body->object >= 0) {
        return;
    }
    const BerthRobot* robot = b->scene->robots[body->robot].robot;
    if (robot->sphere_link_count > 0) {
        name_in_sentence(&b->spheres, body->name, NULL);
    }
    for (int32_t i = 0; i < robot->links[body->link].open_mesh_count; ++i) {
        name_in_sentence(&b->open, body->name, NULL);
    }
}

static void note_assumptions(Build* b) {
    for (int32_t i = 0; i < b->body_count; ++i) {
        const SceneBody* body = &b->bodies[i];
        for (int32_t k = 0; k < body->part_count; ++k) {
            note_assumptions_of_part(b, body->name, b->parts[body->first_part + k].solid);
        }
        note_assumptions_of_link(b, body);
    }

    for (int32_t place = 0; place < b->scene->object_count; ++place) {
        const SceneObject* object = &b->scene->objects[place];
        if (object->used &&
            solid_is_empty(object->solid)) {  // it is in no body, and takes all the more for free
            note_assumptions_of_part(b, object->name, object->solid);
        }
    }
}

typedef struct AssumedText {
    const char* what;
    const char* one;   // behind the number, when it is 1
    const char* many;  // else
} AssumedText;

static const AssumedText omission_texts[OMIT_REASON_COUNT] = {
    [OMIT_DISABLED] = {"disabled_pairs",
                       "pair of links is not checked because the SRDF disables it, without proof",
                       "pairs of links are not checked because the SRDF disables them, without proof"},
    [OMIT_ADJACENT] = {"adjacent_pairs", "pair of neighbouring links is not checked",
                       "pairs of neighbouring links are not checked"},
    [OMIT_ALWAYS_OVERLAP] =
        {"always_overlapping_pairs",
         "pair of links is not checked because it overlaps in the default and in all random states",
         "pairs of links are not checked because they overlap in the default and in all random "
         "states"},
    [OMIT_ALLOWED] = {"allowed_pairs", "pair is not checked because the scene allows it to touch",
                      "pairs are not checked because the scene allows them to touch"},
    [OMIT_TOUCH] =
        {"touch_pairs",
         "pair of an object and what it may touch (what holds it, its touch list) is not checked",
         "pairs of objects and what they may touch (what holds them, their touch lists) are not checked"},
};
static const AssumedText open_text = {"open_meshes", "mesh is open, a surface without an inside",
                                      "meshes are open, surfaces without an inside"};

static const AssumedText unknown_text = {"unknown_space_free", "unknown cell of a map is taken as free",
                                         "unknown cells of maps are taken as free"};
static const AssumedText unseen_text = {
    "unseen_space_free", "map is from points or meshes: what they do not touch is taken as free",
    "maps are from points or meshes: what they do not touch is taken as free"};
static const AssumedText outside_text = {"outside_space_free",
                                         "map says nothing of space outside of it, which is taken as free",
                                         "maps say nothing of space outside of them, which is taken as free"};

static const AssumedText spheres_text = {"spheres_only", "link is asked as spheres, not as what it is",
                                         "links are asked as spheres, not as what they are"};

static bool add_assumed(Build* b, BerthAssumed* list, int32_t* count, const Sentence* s,
                        const AssumedText* words) {
    if (s->count == 0) {
        return true;
    }

    char text[SENTENCE_SIZE + 512];
    char more[64] = "";
    if (s->named < s->count) {
        snprintf(more, sizeof more, "%s%d more", s->named > 0 ? " and " : "", (int)(s->count - s->named));
    }

    const int32_t number = s->number != 0 ? s->number : s->count;
    const int length = snprintf(text, sizeof text, "%d %s: %s%s", (int)number,
                                number == 1 ? words->one : words->many, s->text, more);

    char* detail = bi_arena_copy_text(&b->arena, text, length > 0 ? (size_t)length : 0);
    if (detail == NULL) {
        return false;
    }

    list[(*count)++] = (BerthAssumed){words->what, detail, number};
    return true;
}

// What is taken without proof, and what is meant to touch. Only a list without an explanation is an assumption.
static BerthStatus list_assumed(Build* b, BuiltLists* lists) {
    note_assumptions(b);
    BerthAssumed* assumed = bi_arena_take(&b->arena, 6, sizeof *assumed);
    BerthAssumed* declared = bi_arena_take(&b->arena, OMIT_REASON_COUNT, sizeof *declared);
    int32_t* count = &lists->assumed_count;

    bool has_room = assumed != NULL && declared != NULL;
    has_room = has_room &&
               add_assumed(b, assumed, count, &b->omitted[OMIT_DISABLED], &omission_texts[OMIT_DISABLED]);
    has_room = has_room && add_assumed(b, assumed, count, &b->open, &open_text);
    has_room = has_room && add_assumed(b, assumed, count, &b->unknown, &unknown_text);
    has_room = has_room && add_assumed(b, assumed, count, &b->unseen, &unseen_text);
    has_room = has_room && add_assumed(b, assumed, count, &b->outside, &outside_text);
    has_room = has_room && add_assumed(b, assumed, count, &b->spheres, &spheres_text);

    for (int i = OMIT_DISABLED + 1; has_room && i < OMIT_REASON_COUNT; ++i) {
        has_room = add_assumed(b, declared, &lists->declared_count, &b->omitted[i], &omission_texts[i]);
    }

    lists->assumed = assumed;
    lists->declared = declared;
    return has_room ? BERTH_OK : no_memory();
}

// ---- all of it ---------------------------------------------------------------------------------------------

static BerthStatus build_all(Build* b, BuiltLists* lists) {
    // Bodies: links of robots, attached objects, the others.
    BerthStatus status = count_bodies(b);
    if (status == BERTH_OK) {
        status = add_links(b);
    }
    if (status == BERTH_OK) {
        add_objects(b);
        status = sort_names(b);
    }

    // Pairs of them, without the exceptions.
    if (status == BERTH_OK) {
        status = list_exceptions(b);
    }
    if (status == BERTH_OK) {
        status = list_pairs(b);
    }

    if (status == BERTH_OK) {
        status = list_assumed(b, lists);
    }
    return status;
}

static void install_build(BerthScene* scene, const Build* b, const BuiltLists* lists) {
    bi_arena_free(&scene->built);
    scene->built = b->arena;
    scene->bodies = b->bodies;
    scene->body_count = b->body_count;
    scene->link_body_count = b->link_body_count;
    scene->moved_body_count = b->moved_body_count;
    scene->parts = b->parts;
    scene->part_count = b->part_count;
    scene->pairs = b->pairs;
    scene->pair_count = b->pair_count;
    scene->by_name = b->by_name;
    scene->proven_count = b->proven_count;
    scene->assumed = lists->assumed;
    scene->assumed_count = lists->assumed_count;
    scene->declared = lists->declared;
    scene->declared_count = lists->declared_count;

    // Objects know their body from now on.
    for (int32_t place = 0; place < scene->object_count; ++place) {
        scene->objects[place].body = scene->objects[place].used ? b->body_of_place[place] : -1;
    }
    scene->committed = true;
}

BerthStatus berth_scene_commit(BerthScene* scene) {
    if (scene == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "commit: no scene given");
    }
    bi_scene_mark_edited(scene);
    Build* b = bi_take(&scene->allocator, 1, sizeof *b);
    if (b == NULL) {
        return no_memory();
    }

    // Build beside the old arrays, which stay when anything fails.
    b->scene = scene;
    bi_arena_init(&b->arena, &scene->allocator, 0);
    BuiltLists lists = {0};
    const BerthStatus status = build_all(b, &lists);

    if (status == BERTH_OK) {
        install_build(scene, b, &lists);
    } else {
        bi_arena_free(&b->arena);
    }

    bi_give(&scene->allocator, b, 1, sizeof *b);
    return status;
}

// ---- looking at what was built -----------------------------------------------------------------------------

int32_t berth_scene_body_count(const BerthScene* scene) {
    return scene != NULL && scene->committed ? scene->body_count : 0;
}

const char* berth_scene_body_name(const BerthScene* scene, int32_t body) {
    return body >= 0 && body < berth_scene_body_count(scene) ? scene->bodies[body].name : "";
}

BerthBodyInfo berth_scene_body(const BerthScene* scene, int32_t body) {
    if (body < 0 || body >= berth_scene_body_count(scene)) {
        return (BerthBodyInfo){.name = "", .robot = -1, .link = -1};
    }

    const SceneBody* b = &scene->bodies[body];
    BerthBodyInfo info = {.name = b->name,
                          .robot = b->robot,
                          .link = b->link,
                          .part_count = b->part_count,
                          .fixed = b->frame < 0};
    if (b->object >= 0) {
        info.object = (BerthObjectId){(uint32_t)b->object, scene->objects[b->object].age};
    }
    return info;
}

int32_t berth_scene_find_body(const BerthScene* scene, const char* name) {
    if (name == NULL || berth_scene_body_count(scene) == 0) {
        return -1;
    }

    int32_t low = 0;
    int32_t high = scene->body_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int order = strcmp(scene->by_name[middle].name, name);
        if (order == 0) {
            return scene->by_name[middle].body;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    // One robot with a name: "left/hand" is "hand".
    SceneBodyRef split;
    if (!bi_scene_resolve_name(scene, name, true, &split)) {
        return -1;
    }

    for (int32_t i = 0; i < scene->link_body_count; ++i) {
        if (scene->bodies[i].robot == split.robot && scene->bodies[i].link == split.link) {
            return i;
        }
    }
    return -1;
}

int32_t berth_scene_object_body(const BerthScene* scene, BerthObjectId id) {
    const SceneObject* object = bi_scene_object(scene, id);
    return object != NULL && scene->committed ? object->body : -1;
}

int32_t berth_scene_pair_count(const BerthScene* scene) {
    return scene != NULL && scene->committed ? scene->pair_count : 0;
}

void berth_scene_pair(const BerthScene* scene, int32_t pair, int32_t* body_a, int32_t* body_b) {
    const bool there = pair >= 0 && pair < berth_scene_pair_count(scene);
    if (body_a != NULL) {
        *body_a = there ? scene->pairs[pair].body_a : -1;
    }
    if (body_b != NULL) {
        *body_b = there ? scene->pairs[pair].body_b : -1;
    }
}

int32_t berth_scene_assumed_count(const BerthScene* scene) {
    return scene != NULL && scene->committed ? scene->assumed_count : 0;
}

BerthAssumed berth_scene_assumed(const BerthScene* scene, int32_t index) {
    if (index < 0 || index >= berth_scene_assumed_count(scene)) {
        return (BerthAssumed){"", "", 0};
    }
    return scene->assumed[index];
}

int32_t berth_scene_declared_count(const BerthScene* scene) {
    return scene != NULL && scene->committed ? scene->declared_count : 0;
}

BerthAssumed berth_scene_declared(const BerthScene* scene, int32_t index) {
    if (index < 0 || index >= berth_scene_declared_count(scene)) {
        return (BerthAssumed){"", "", 0};
    }
    return scene->declared[index];
}

// ---- proofs within limits ----------------------------------------------------------------------------------

int32_t bi_scene_find_pair(const BerthScene* scene, int64_t body_a, int64_t body_b) {
    int32_t low = 0;
    int32_t high = scene->pair_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const ScenePair* pair = &scene->pairs[middle];
        if (pair->body_a < body_a || (pair->body_a == body_a && pair->body_b < body_b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }

    const bool found =
        low < scene->pair_count && scene->pairs[low].body_a == body_a && scene->pairs[low].body_b == body_b;
    return found ? low : -1;
}

bool bi_scene_within_limits(const BerthScene* scene, int32_t robot, const double* low, const double* high) {
    const SceneRobot* self = &scene->robots[robot];
    bool inside = true;
    for (int32_t i = 0; i < self->value_count; ++i) {
        const RobotValue* value = &self->robot->values[i];
        const int32_t at = self->first_value + i;
        inside = inside && (value->has_limits ? low[at] >= value->lower && high[at] <= value->upper
                                              : low[at] <= high[at]);
    }
    return inside;
}

int32_t berth_scene_proven_count(const BerthScene* scene, const double* low, const double* high,
                                 double margin) {
    if (scene == NULL || !scene->committed || low == NULL || high == NULL) {
        return 0;
    }

    int32_t count = 0;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        const bool holds = scene->proven_count > 0 && bi_scene_within_limits(scene, r, low, high);
        for (int32_t i = 0; i < scene->pair_count && holds; ++i) {
            const ScenePair* pair = &scene->pairs[i];
            count += pair->proven_gap > margin && scene->bodies[pair->body_a].robot == r;
        }
    }
    return count;
}
