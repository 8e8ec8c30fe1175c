// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proven tables for tests.

#include "support/proven.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "io/robot/urdf.h"
#include "io/syntax/file.h"

static void list_pair(ProvenSheet* sheet, const char* a, const char* b, const BerthPairProof* proof) {
    static const char* const reasons[] = {"", "Adjacent", "Default", "Always", "Never"};
    const bool disabled = proof->standing == BERTH_STANDING_ADJACENT ||
                          proof->standing == BERTH_STANDING_ALWAYS || proof->standing == BERTH_STANDING_NEVER;
    assert_true(sheet->listed_count < PROVEN_PAIR_MAX);
    if (disabled) {
        sheet->listed[sheet->listed_count++] =
            (BerthSrdfPair){.link_a = a, .link_b = b, .reason = reasons[proof->standing]};
    }
    if (proof->never && proof->gap > 0.0) {
        sheet->pairs[sheet->table.pair_count++] = (BerthProvenPair){a, b, proof->gap};
    }
}

void proven_make(const BerthRobot* robot, ProvenSheet* sheet) {
    *sheet = (ProvenSheet){0};
    const BerthProofDef def = berth_default_proof_def();
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;
    assert_int_equal(berth_proof_model_create(robot, NULL, &model), BERTH_OK);
    assert_int_equal(berth_prover_create(model, &def, NULL, &prover), BERTH_OK);

    for (int32_t a = 0; a < berth_robot_link_count(robot); ++a) {
        for (int32_t b = a + 1; b < berth_robot_link_count(robot); ++b) {
            const BerthLinkInfo x = berth_robot_link(robot, a), y = berth_robot_link(robot, b);
            BerthPairProof proof;
            if (x.solid_count > 0 && y.solid_count > 0) {
                assert_int_equal(berth_prover_pair(prover, a, b, NULL, NULL, &proof), BERTH_OK);
                list_pair(sheet, x.name, y.name, &proof);
            }
        }
    }

    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    assert_true(berth_robot_limits(robot, NULL) <= PROVEN_LIMIT_MAX);
    sheet->table.limit_count = berth_robot_limits(robot, sheet->limits);
    berth_robot_sum(robot, sheet->table.robot);
    proven_sum_again(sheet);
}

void proven_sum_again(ProvenSheet* sheet) {
    sheet->table.limits = sheet->limits;
    sheet->table.pairs = sheet->pairs;
    berth_proven_table_sum(&sheet->table, sheet->table.sum);
}

char* proven_text(const ProvenSheet* sheet) {
    const BerthIoOptions options = berth_default_io_options();
    BerthProvenTable table = sheet->table;
    table.limits = sheet->limits;
    table.pairs = sheet->pairs;
    char* text = NULL;
    size_t size = 0;
    BerthSrdfDef def = berth_default_srdf_def();
    def.name = "r";
    def.pairs = sheet->listed;
    def.pair_count = sheet->listed_count;
    def.table = &table;
    assert_int_equal(berth_io_srdf_text(&def, &options, &text, &size), BERTH_OK);
    char* copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, text, size);
    copy[size] = '\0';
    berth_io_free_srdf_text(&options, text, size);
    return copy;
}

BerthStatus proven_read_file(const char* urdf_path, const char* srdf, const char* const* hull,
                             int32_t hull_count, const BerthIoOptions* options, BerthRobot** out) {
    FileBytes urdf = {0};
    assert_int_equal(bi_io_read_file(urdf_path, 0, NULL, &urdf), BERTH_OK);
    const RobotText urdf_text = {urdf_path, urdf.data, urdf.size};
    const RobotText srdf_text = {"r.srdf", srdf, srdf != NULL ? strlen(srdf) : 0};
    const RobotRequest ask = {.robot = {.hull_links = hull, .hull_link_count = hull_count},
                              .options = options};
    const BerthStatus status = bi_io_robot_from_text(&urdf_text, srdf != NULL ? &srdf_text : NULL, &ask, out);
    bi_io_free_file(&urdf);
    return status;
}

BerthScene* proven_scene(const char* urdf_path, const BerthRobot* plain, const BerthIoOptions* options,
                         BerthRobot** robot) {
    ProvenSheet* sheet = malloc(sizeof *sheet);
    assert_non_null(sheet);
    proven_make(plain, sheet);
    char* text = proven_text(sheet);
    assert_int_equal(proven_read_file(urdf_path, text, NULL, 0, options, robot), BERTH_OK);
    free(text);
    free(sheet);

    BerthScene* scene = NULL;
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = *robot;
    assert_int_equal(berth_scene_create(NULL, &scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(scene), BERTH_OK);
    return scene;
}
