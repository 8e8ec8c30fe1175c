// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Answers about objects: moving one, contact forces, the N-objects octree.
// Entries: answer_place, answer_contact, answer_octree.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/view.h"

// ---- place -------------------------------------------------------------------------------------------------------

// Other pages show the scene before the change: they must ask again.
static void tell_others(const Answer* answer, const char* body) {
    Session* session = answer->session;
    pthread_mutex_lock(&session->lock);
    ViewServer* server = session->server;
    pthread_mutex_unlock(&session->lock);
    if (server == NULL || answer->client == NULL) {
        return;
    }

    Text text = {0};
    Json json = json_writer(&text);
    json_open(&json, '{');
    json_key_text(&json, "event", "place");
    json_key_text(&json, "body", body);
    json_close(&json, '}');
    if (!text.failed) {
        view_server_send_others(server, answer->client, text.data, text.size);
    }
    text_free(&text);
}

bool answer_place(Answer* answer) {
    Session* session = answer->session;
    BerthScene* scene = session->question.scene;
    int32_t body = -1;
    BerthPose pose;
    if (!answer_read_body(answer, "body", &body)) {
        return false;
    }
    const BerthBodyInfo info = berth_scene_body(scene, body);
    if (info.object.age == 0) {
        return answer_fail(answer, "'%s' is a link: move it by its joints", info.name);
    }
    if (!view_read_pose(json_object_get(answer->request, "pose"), &pose)) {
        return answer_fail(answer, "'pose': expected 12 numbers, a rotation and a position");
    }

    // The pose of an attached object is relative to its link.
    if (info.robot >= 0) {
        BerthObjectInfo object;
        view_place(session->view, session->values);
        if (!answer_status(answer, berth_scene_object(scene, info.object, &object))) {
            return false;
        }
        const BerthPose object_from_link = berth_pose_inverse(&object.pose);
        const BerthPose world_from_link = berth_pose_multiply(&session->view->poses[body], &object_from_link);
        const BerthPose link_from_world = berth_pose_inverse(&world_from_link);
        pose = berth_pose_multiply(&link_from_world, &pose);
    }

    session->placed[body] = true;
    session_forget_scene(session);
    if (!answer_status(answer, berth_scene_set_object_pose(scene, info.object, &pose)) ||
        !answer_status(answer, berth_scene_commit(scene))) {
        return false;
    }
    tell_others(answer, berth_scene_body_name(scene, body));
    return answer_about_values(answer);
}

// ---- contact -----------------------------------------------------------------------------------------------------

static bool need_world(Answer* answer) {
    Session* session = answer->session;
    if (session->contact.world != NULL) {
        return true;
    }

    BerthContactDef def;
    BerthContactLab lab;
    session->contact = (ContactJob){.options = &session->options,
                                    .scene = session->question.scene,
                                    .warnings = &session->question.warnings,
                                    .row_count = 1,
                                    .value_count = session->question.value_count,
                                    .follower = -1};
    return contact_make_def(&session->options, &def, &lab) &&
           answer_status(answer, berth_contact_from_scene(session->question.scene, &def, false,
                                                          &session->contact.world));
}

bool answer_contact(Answer* answer) {
    Session* session = answer->session;
    const json_t* given = json_object_get(answer->request, "values");
    if ((given != NULL && !answer_read_values(answer, "values", session->values)) || !need_world(answer)) {
        return false;
    }

    int32_t outside = 0;
    ContactAnswer found = {.row = 0};
    (void)berth_scene_check_values(session->question.scene, session->values, &outside, NULL);
    found.outside = outside;
    if (!answer_status(answer, berth_contact_place(session->contact.world, session->values, 0.0)) ||
        !answer_status(answer, berth_contact_cycle(session->contact.world, &found.result))) {
        return false;
    }

    Text text = {0};
    contact_write(&text, &session->contact, &found);
    json_members(&answer->json, &text);
    text_free(&text);
    return true;
}

// ---- octree ------------------------------------------------------------------------------------------------------

/// The leaves being written.
typedef struct LeafList {
    Json* json;
    const BerthScene* scene;
    const int32_t* owners;  ///< the body of each shape in the index
} LeafList;

static void write_leaf(void* user, const BerthIndexLeaf* leaf) {
    const LeafList* list = user;
    Json* json = list->json;
    json_open(json, '{');
    json_key_vec3(json, "low", leaf->low);
    json_key_vec3(json, "high",
                  (BerthVec3){leaf->low.x + leaf->edge, leaf->low.y + leaf->edge, leaf->low.z + leaf->edge});
    json_key_open(json, "bodies", '[');
    for (int32_t i = 0; i < leaf->body_count && i < 64; ++i) {
        json_int(json, list->owners[leaf->bodies[i]]);
    }
    json_close(json, ']');
    json_close(json, '}');
}

enum { OCTREE_SHAPES = 1024, OCTREE_SHAPES_OF_BODY = 256 };

// The simple bodies of a monitor: the contents of its octree.
static BerthStatus fill_index(View* view, const double* values, BerthIndex* index, int32_t* owners,
                              int32_t* shape_count) {
    const BerthScene* scene = view->question->scene;
    const BerthMonitorDef def = berth_default_monitor_def();
    BerthSimpleBody* bodies = malloc(OCTREE_SHAPES_OF_BODY * sizeof *bodies);
    BerthStatus status = bodies != NULL ? BERTH_OK : BERTH_ERR_MEMORY;

    for (int32_t i = 0; i < berth_scene_body_count(scene) && status == BERTH_OK; ++i) {
        BerthSimpleBodyFit fit;
        status = berth_simple_body_fit(scene, i, &def, bodies, OCTREE_SHAPES_OF_BODY, &fit);
        const BerthPose body_from_guard = view_body_from_guard(view, i, values);
        const BerthPose world_from_guard = berth_pose_multiply(&view->poses[i], &body_from_guard);
        const int32_t count = fit.count < OCTREE_SHAPES_OF_BODY ? fit.count : OCTREE_SHAPES_OF_BODY;
        for (int32_t k = 0; k < count && status == BERTH_OK && *shape_count < OCTREE_SHAPES; ++k) {
            const BerthPose world_from_shape = berth_pose_multiply(&world_from_guard, &bodies[k].pose);
            int32_t number = 0;
            status = berth_index_add(index, &bodies[k].shape, &world_from_shape, 0.0,
                                     !berth_scene_body(scene, i).fixed, &number);
            if (status == BERTH_OK && number < OCTREE_SHAPES) {
                owners[number] = i;
                ++*shape_count;
            }
        }
    }
    free(bodies);
    return status;
}

bool answer_octree(Answer* answer) {
    Session* session = answer->session;
    View* view = session->view;
    const json_t* given = json_object_get(answer->request, "values");
    if (given != NULL && !answer_read_values(answer, "values", session->values)) {
        return false;
    }

    BerthIndexDef def = berth_default_index_def();
    def.body_limit = def.mover_limit = OCTREE_SHAPES;
    def.node_limit = 1 << 16;
    def.entry_limit = 1 << 18;
    def.smallest = 0.05;
    BerthIndex* index = NULL;
    int32_t shape_count = 0;
    int32_t* owners = calloc(OCTREE_SHAPES, sizeof *owners);
    view_place(view, session->values);
    bool is_well = (owners != NULL || answer_fail(answer, "out of memory")) &&
                   answer_status(answer, berth_index_create(&def, &index)) &&
                   answer_status(answer, fill_index(view, session->values, index, owners, &shape_count));
    if (is_well) {
        LeafList list = {&answer->json, session->question.scene, owners};
        berth_index_update(index);
        const BerthIndexStats stats = berth_index_stats(index);
        json_key_open(&answer->json, "leaves", '[');
        berth_index_leaves(index, write_leaf, &list);
        json_close(&answer->json, ']');
        json_key_int(&answer->json, "shapes", shape_count);
        json_key_int(&answer->json, "outside", stats.outside);
        json_key_int(&answer->json, "depth", stats.depth);
    }
    berth_index_destroy(index);
    free(owners);
    return is_well;
}
