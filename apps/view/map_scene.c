// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A map on its own as a scene in which nothing moves, for `berth view MAP` and the report of `berth map info`.
// Entries: view_scene_of_map, view_open_map.

#include <stdlib.h>

#include "view/view.h"

BerthStatus view_scene_of_map(const BerthMap* map, BerthScene** out) {
    const BerthField* field = berth_map_field(map);
    const BerthFieldInfo info = berth_field_info(field);
    const BerthMapFacts facts = berth_map_facts(map);
    BerthObjectDef object = berth_default_object_def();
    BerthMapDef def = berth_default_map_def();
    object.name = "map";
    def.outside_is_free = false;
    def.unseen_is_free = facts.background_taken_free || facts.cleared > 0;
    def.from_open_meshes = facts.open_meshes > 0;
    if (info.dim == 2) {
        def.height[0] = 0.0;
        def.height[1] = 3.0 * info.resolution;  // high enough to be seen, low enough to see over
    }

    *out = NULL;
    BerthStatus status = berth_scene_create(NULL, out);
    if (status == BERTH_OK) {
        status = berth_scene_add_map(*out, &object, field, &def, NULL);
    }
    if (status == BERTH_OK) {
        status = berth_scene_commit(*out);
    }
    if (status != BERTH_OK) {
        berth_scene_destroy(*out);
        *out = NULL;
    }
    return status;
}

int view_open_map(Question* question, const Options* options, ViewFields* fields) {
    *question = (Question){.command = "view", .options = options};
    if (!cli_start("view", options, &question->warnings, &question->io)) {
        return EXIT_WRONG;
    }

    BerthMap* map = NULL;
    const BerthMapOptions map_options = berth_default_map_options();
    BerthStatus status = berth_io_open_map(options->arguments[0], &map_options, &question->io, &map);
    if (status == BERTH_OK) {
        fields_add(fields, "map", berth_map_field(map));
        status = view_scene_of_map(map, &question->scene);
    }
    berth_io_close_map(map);
    warnings_show();
    if (status != BERTH_OK) {
        return cli_interrupted() ? EXIT_INTERRUPTED : cli_report_failure(status);
    }
    question->values = calloc(1, sizeof *question->values);
    return question->values != NULL ? cli_make_state("view", options, question->scene, question->values)
                                    : cli_out_of_memory();
}
