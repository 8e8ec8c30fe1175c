// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The proven table in an SRDF: an element of our own, which other readers of SRDFs skip like every element that they do
// not know. Numbers are written in the shortest form that reads back exactly, so that its sum can be computed again.
//
//   <berth_proven version="1" robot="SUM" sum="SUM">
//     <limit joint="elbow" lower="-2.5" upper="2.5"/>
//     <pair link1="base" link2="hand" gap="0.0125"/>
//   </berth_proven>
//
// Entries: bi_srdf_put_table; bi_srdf_read_table, bi_srdf_judge_tables.

#include "io/robot/srdf_proven.h"
#include <berth/lab/robot.h>

#include <stdio.h>
#include <string.h>

#include <berth/proof.h>

static const char* const TABLE_VERSION = "1";

// ---- writing ----------------------------------------------------------------------------------------------

static void put_attribute(TextOut* out, const char* name, const char* value) {
    bi_text_out_add(out, " %s=\"", name);
    bi_text_out_quoted(out, value);
    bi_text_out_add(out, "\"");
}

static void put_number(TextOut* out, const char* name, double value) {
    char text[TEXT_OUT_NUMBER];
    put_attribute(out, name, bi_number_text(value, text));
}

void bi_srdf_put_table(TextOut* out, const BerthProvenTable* table) {
    bi_text_out_add(out, "  <%s", BI_SRDF_TABLE);
    put_attribute(out, "version", TABLE_VERSION);
    put_attribute(out, "robot", table->robot);
    put_attribute(out, "sum", table->sum);
    bi_text_out_add(out, ">\n");

    for (int32_t i = 0; i < table->limit_count; ++i) {
        bi_text_out_add(out, "    <limit");
        put_attribute(out, "joint", table->limits[i].joint);
        put_number(out, "lower", table->limits[i].lower);
        put_number(out, "upper", table->limits[i].upper);
        bi_text_out_add(out, "/>\n");
    }

    for (int32_t i = 0; i < table->pair_count; ++i) {
        bi_text_out_add(out, "    <pair");
        put_attribute(out, "link1", table->pairs[i].link_a);
        put_attribute(out, "link2", table->pairs[i].link_b);
        put_number(out, "gap", table->pairs[i].gap);
        bi_text_out_add(out, "/>\n");
    }

    bi_text_out_add(out, "  </%s>\n", BI_SRDF_TABLE);
}

// ---- reading ----------------------------------------------------------------------------------------------

static int32_t count_children(const XmlNode* node, const char* name) {
    int32_t count = 0;
    for (const XmlNode* child = bi_xml_next(node->first, name); child != NULL;
         child = bi_xml_next(child->next, name)) {
        ++count;
    }
    return count;
}

static BerthStatus read_limit(const XmlFile* file, const XmlNode* node, void* out) {
    BerthProvenLimit* limit = out;
    BerthStatus status = bi_xml_text(file, node, "joint", &limit->joint);
    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, node, "lower", true, 1, (double)INFINITY, &limit->lower);
    }
    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, node, "upper", true, 1, (double)INFINITY, &limit->upper);
    }
    return status;
}

static BerthStatus read_pair(const XmlFile* file, const XmlNode* node, void* out) {
    BerthProvenPair* pair = out;
    BerthStatus status = bi_xml_text(file, node, "link1", &pair->link_a);
    if (status == BERTH_OK) {
        status = bi_xml_text(file, node, "link2", &pair->link_b);
    }

    if (status == BERTH_OK) {
        status = bi_xml_numbers(file, node, "gap", true, 1, BI_COORDINATE_MAX, &pair->gap);
    }
    if (status == BERTH_OK && !(pair->gap > 0.0)) {
        status = bi_xml_fail(file, node, BERTH_ERR_PARSE, "gap=\"%.60s\": a proven gap is above 0",
                             bi_xml_value(node, "gap"));
    }
    return status;
}

// All children of this name into an array of things of `size` bytes.
static BerthStatus read_children(const XmlFile* file, const XmlNode* node, const char* name,
                                 BerthStatus (*read)(const XmlFile*, const XmlNode*, void*), void* out,
                                 size_t size) {
    BerthStatus status = BERTH_OK;
    char* at = out;
    for (const XmlNode* child = bi_xml_next(node->first, name); child != NULL && status == BERTH_OK;
         child = bi_xml_next(child->next, name), at += size) {
        status = read(file, child, at);
    }
    return status;
}

// A sum that is missing or too long is a wrong one.
static void copy_sum(const XmlNode* node, const char* attribute, char out[BERTH_SUM_TEXT]) {
    const char* text = bi_xml_value(node, attribute);
    (void)snprintf(out, BERTH_SUM_TEXT, "%s",
                   text != NULL && strlen(text) == BERTH_SUM_TEXT - 1 ? text : "none");
}

BerthStatus bi_srdf_read_table(RobotRead* read, const XmlNode* node) {
    const XmlFile* file = &read->srdf;
    if (read->table_count >= BI_ROBOT_TABLE_MAX) {
        return bi_xml_fail(file, node, BERTH_ERR_CAPACITY, "more than %d tables", BI_ROBOT_TABLE_MAX);
    }

    BerthProvenTable table = {.limit_count = count_children(node, "limit"),
                              .pair_count = count_children(node, "pair")};
    copy_sum(node, "robot", table.robot);
    copy_sum(node, "sum", table.sum);

    // What a later version means by its sum is not known here: its pairs are checked.
    const char* version = bi_xml_value(node, "version");
    if (version == NULL || strcmp(version, TABLE_VERSION) != 0) {
        table.sum[0] = '\0';
    }

    BerthProvenLimit* limits = bi_arena_take(read->arena, (size_t)table.limit_count, sizeof *limits);
    BerthProvenPair* pairs = bi_arena_take(read->arena, (size_t)table.pair_count, sizeof *pairs);
    if (limits == NULL || pairs == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", file->path);
    }
    table.limits = limits;
    table.pairs = pairs;

    BerthStatus status = read_children(file, node, "limit", read_limit, limits, sizeof *limits);
    if (status == BERTH_OK) {
        status = read_children(file, node, "pair", read_pair, pairs, sizeof *pairs);
    }
    if (status == BERTH_OK) {
        status = berth_robot_add_proven_table(read->builder, &table);
        status = status == BERTH_OK ? status : bi_xml_fail_prefix(file, node, status);
    }
    if (status == BERTH_OK) {
        read->table_nodes[read->table_count++] = node;
    }
    return status;
}

// ---- after the build --------------------------------------------------------------------------------------

// A proof that a table claims is tried again; one that fails is dropped, with a warning.
static void confirm_pair(RobotRead* read, BerthRobot* robot, BerthProver* prover, int32_t a, int32_t b) {
    const double gap = bi_robot_proven_gap(robot, a, b);
    if (gap > 0.0 && !berth_prover_confirm(prover, a, b, gap)) {
        bi_xml_warn(&read->srdf, read->table_nodes[0],
                    "\"%.200s\" and \"%.200s\" are not proven to stay %g m apart; they are checked",
                    robot->links[b].name, robot->links[a].name, gap);
        bi_robot_drop_proof(robot, a, b);
    }
}

// What was proven of two links is tried for the larger spheres in their place: first a little of the gap, which shows whether
// there is hope, then as much of it as can be had.
static void prove_for_spheres(BerthRobot* robot, BerthProver* prover, int32_t a, int32_t b) {
    static const double shares[] = {1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1};
    const double original = bi_robot_original_gap(robot, a, b), least = 0.01 * original;
    if (!(original > 0.0) || !berth_prover_confirm(prover, a, b, least)) {
        return;
    }

    double gap = least;
    for (size_t i = 0; i < sizeof shares / sizeof shares[0] && gap == least; ++i) {
        if (berth_prover_confirm(prover, a, b, shares[i] * original)) {
            gap = shares[i] * original;
        }
    }
    bi_robot_enter_proof(robot, a, b, gap);
}

static BerthStatus prove_pairs(RobotRead* read, BerthRobot* robot, BerthProver* prover) {
    const BerthIoOptions* options = read->ask->options;
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            if (options->cancelled != NULL && options->cancelled(options->cancelled_user)) {
                return bi_fail(BERTH_ERR_CANCELLED, "%s: its proofs were interrupted", read->srdf.path);
            }
            if (options->prove) {
                confirm_pair(read, robot, prover, a, b);
            }
            prove_for_spheres(robot, prover, a, b);
        }
    }
    return BERTH_OK;
}

static BerthStatus prove_tables(RobotRead* read, BerthRobot* robot) {
    const BerthAllocator* from = &read->ask->options->allocator;
    const BerthProofDef def = berth_default_proof_def();
    BerthProofModel* model = NULL;
    BerthProver* prover = NULL;

    BerthStatus status = berth_proof_model_create(robot, from, &model);
    if (status == BERTH_OK) {
        status = berth_prover_create(model, &def, from, &prover);
    }
    if (status == BERTH_OK) {
        status = prove_pairs(read, robot, prover);
    }

    berth_prover_destroy(prover);
    berth_proof_model_destroy(model);
    return status;
}

BerthStatus bi_srdf_judge_tables(RobotRead* read, BerthRobot* robot) {
    bool wanted = false;
    for (int32_t i = 0; i < read->table_count; ++i) {
        const BerthTableUse use = berth_robot_table_use(robot, i);
        wanted = wanted || use == BERTH_TABLE_OF_ORIGINAL ||
                 (use == BERTH_TABLE_USED && read->ask->options->prove);
        if (use == BERTH_TABLE_EDITED) {
            bi_xml_warn(&read->srdf, read->table_nodes[i],
                        "its sum is wrong, so it was edited or is of another version: its pairs are checked");
        } else if (use == BERTH_TABLE_OTHER_ROBOT) {
            bi_xml_warn(&read->srdf, read->table_nodes[i],
                        "it is about another robot: geometry, joints, limits or names differ; its pairs are "
                        "checked ('berth srdf' makes a new table)");
        }
    }
    return wanted ? prove_tables(read, robot) : BERTH_OK;
}
