// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proven tables: pairs of links that a proof keeps apart within joint limits, and the sums that identify the
// robot (docs/theory/proof.md, Proven tables). A table whose sum is wrong, or that is about another robot,
// proves nothing, and the pairs that it names are checked, although they are listed as disabled: they were
// meant to be skipped because of the proof alone. What was proven for geometry that spheres replaced does not
// hold for the spheres, which are larger: such a pair is checked, with the gap that is to be tried for it
// (bi_robot_original_gap) by callers that can prove.
// Entries: berth_robot_sum, berth_proven_table_sum, berth_robot_add_proven_table, bi_robot_apply_tables,
// bi_robot_proven_gap, bi_robot_drop_proof, bi_robot_original_gap, bi_robot_enter_proof.

#include <string.h>

#include "robot/builder.h"
#include "tree/sum.h"

enum { TABLE_PAIR_MAX = 10000000 };

// ---- sums -------------------------------------------------------------------------------------------------

static void end_as_text(Sha256* sha, char out[BERTH_SUM_TEXT]) {
    uint8_t hash[SHA256_SIZE];
    bi_sha256_end(sha, hash);
    bi_sha256_text(hash, out);
}

// The joint of a free base moves all links together: frames are numbered from the first one that counts.
static int32_t first_frame(const BerthRobot* robot) {
    return robot->frames[0].link < 0 ? 2 : 1;
}

static const char* frame_name(const BerthRobot* robot, int32_t frame) {
    const int32_t link = robot->frames[frame].link;
    return link >= 0 ? robot->links[link].name : "";
}

static void add_frame(Sha256* sha, const BerthRobot* robot, int32_t f) {
    const RobotFrame* frame = &robot->frames[f];
    bi_sha256_add_text(sha, robot->joints[frame->joint].name);
    bi_sha256_add_text(sha, frame_name(robot, f));
    bi_sha256_add_text(sha, frame_name(robot, frame->parent));
    bi_sha256_add_integer(sha, (int64_t)frame->motion);
    bi_sha256_add_number(sha, frame->multiplier);
    bi_sha256_add_number(sha, frame->offset);
    bi_sum_vector(sha, frame->axis);
    bi_sum_vector(sha, frame->across[0]);
    bi_sum_vector(sha, frame->across[1]);
    bi_sum_pose(sha, &frame->parent_from_joint);

    const RobotValue* value = &robot->values[frame->value];
    bi_sha256_add_text(sha, robot->joints[value->joint].name);
    bi_sha256_add_integer(sha, value->has_limits);
    bi_sha256_add_number(sha, value->has_limits ? value->lower : 0.0);
    bi_sha256_add_number(sha, value->has_limits ? value->upper : 0.0);
}

void berth_robot_sum(const BerthRobot* robot, char out[BERTH_SUM_TEXT]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add_text(&sha, "berth robot 1");

    bi_sha256_add_integer(&sha, robot->frame_count - first_frame(robot));
    for (int32_t f = first_frame(robot); f < robot->frame_count; ++f) {
        add_frame(&sha, robot, f);
    }

    bi_sha256_add_integer(&sha, robot->geometry_count);
    for (int32_t i = 0; i < robot->link_count; ++i) {
        const RobotLink* link = &robot->links[i];
        if (link->geometry < 0) {
            continue;
        }

        bi_sha256_add_text(&sha, link->name);
        bi_sha256_add_text(&sha, frame_name(robot, link->frame));
        bi_sha256_add_integer(&sha, link->solid_count);
        for (int32_t k = 0; k < link->solid_count; ++k) {
            const RobotSolid* solid = &robot->solids[link->first_solid + k];
            bi_sum_pose(&sha, &solid->frame_from_solid);
            bi_sum_solid(&sha, solid->solid);
        }
    }

    end_as_text(&sha, out);
}

void berth_proven_table_sum(const BerthProvenTable* table, char out[BERTH_SUM_TEXT]) {
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add_text(&sha, "berth proven 1");
    bi_sha256_add_text(&sha, table->robot);

    bi_sha256_add_integer(&sha, table->limit_count);
    for (int32_t i = 0; i < table->limit_count; ++i) {
        bi_sha256_add_text(&sha, table->limits[i].joint);
        bi_sha256_add_number(&sha, table->limits[i].lower);
        bi_sha256_add_number(&sha, table->limits[i].upper);
    }

    bi_sha256_add_integer(&sha, table->pair_count);
    for (int32_t i = 0; i < table->pair_count; ++i) {
        bi_sha256_add_text(&sha, table->pairs[i].link_a);
        bi_sha256_add_text(&sha, table->pairs[i].link_b);
        bi_sha256_add_number(&sha, table->pairs[i].gap);
    }

    end_as_text(&sha, out);
}

// ---- a table for a robot in the making --------------------------------------------------------------------

static BerthStatus no_memory(void) {
    return bi_fail(BERTH_ERR_MEMORY, "robot: out of memory");
}

static BerthStatus copy_limits(Arena* arena, const BerthProvenTable* table, BerthProvenTable* copy) {
    BerthProvenLimit* limits = bi_arena_take(arena, (size_t)table->limit_count, sizeof *limits);
    if (limits == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < table->limit_count; ++i) {
        const BerthProvenLimit* limit = &table->limits[i];
        limits[i] = *limit;
        limits[i].joint = bi_arena_copy_text(arena, limit->joint, strlen(limit->joint));
        if (limits[i].joint == NULL) {
            return no_memory();
        }
        if (!(limit->lower <= limit->upper)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "proven table: joint '%s' has limits from %g to %g",
                           limit->joint, limit->lower, limit->upper);
        }
    }

    copy->limits = limits;
    return BERTH_OK;
}

static BerthStatus copy_pairs(Arena* arena, const BerthProvenTable* table, BerthProvenTable* copy) {
    BerthProvenPair* pairs = bi_arena_take(arena, (size_t)table->pair_count, sizeof *pairs);
    if (pairs == NULL) {
        return no_memory();
    }

    for (int32_t i = 0; i < table->pair_count; ++i) {
        const BerthProvenPair* pair = &table->pairs[i];
        pairs[i] = *pair;
        pairs[i].link_a = bi_arena_copy_text(arena, pair->link_a, strlen(pair->link_a));
        pairs[i].link_b = bi_arena_copy_text(arena, pair->link_b, strlen(pair->link_b));
        if (pairs[i].link_a == NULL || pairs[i].link_b == NULL) {
            return no_memory();
        }
        if (!(pair->gap > 0.0 && pair->gap <= BI_COORDINATE_MAX)) {
            return bi_fail(BERTH_ERR_ARGUMENT, "proven table: '%s' and '%s' have a gap of %g m, must be > 0",
                           pair->link_a, pair->link_b, pair->gap);
        }
    }

    copy->pairs = pairs;
    return BERTH_OK;
}

BerthStatus berth_robot_add_proven_table(BerthRobotBuilder* builder, const BerthProvenTable* table) {
    if (builder == NULL || table == NULL || table->limit_count < 0 || table->pair_count < 0 ||
        table->limit_count > BI_ROBOT_LINK_MAX || table->pair_count > TABLE_PAIR_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "proven table: no builder or table, or one that is too large");
    }
    if (builder->table_count >= BI_ROBOT_TABLE_MAX) {
        return bi_fail(BERTH_ERR_CAPACITY, "more than %d proven tables", BI_ROBOT_TABLE_MAX);
    }

    BerthProvenTable copy = *table;
    copy.robot[BERTH_SUM_TEXT - 1] = copy.sum[BERTH_SUM_TEXT - 1] = '\0';
    BerthStatus status = copy_limits(&builder->arena, table, &copy);
    if (status == BERTH_OK) {
        status = copy_pairs(&builder->arena, table, &copy);
    }
    if (status == BERTH_OK) {
        builder->tables[builder->table_count++] = copy;
    }
    return status;
}

// ---- what it says about the robot that was built ----------------------------------------------------------

// The limits of the table are the robot's: the sum says so too, unless it was forged.
static bool same_limits(const BerthRobot* robot, const BerthProvenTable* table) {
    int32_t next = 0;
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        if (!value->has_limits) {
            continue;
        }

        const BerthProvenLimit* limit = next < table->limit_count ? &table->limits[next] : NULL;
        if (limit == NULL || strcmp(limit->joint, robot->joints[value->joint].name) != 0 ||
            !(limit->lower == value->lower && limit->upper == value->upper)) {
            return false;
        }
        next += 1;
    }
    return next == table->limit_count;
}

static BerthTableUse judge_table(const BerthRobot* robot, const char* robot_sum, const char* original_sum,
                                 const BerthProvenTable* table) {
    char sum[BERTH_SUM_TEXT];
    berth_proven_table_sum(table, sum);
    if (strcmp(sum, table->sum) != 0) {
        return BERTH_TABLE_EDITED;
    }
    if (!same_limits(robot, table)) {
        return BERTH_TABLE_OTHER_ROBOT;
    }
    if (strcmp(robot_sum, table->robot) == 0) {
        return BERTH_TABLE_USED;
    }
    return strcmp(original_sum, table->robot) == 0 ? BERTH_TABLE_OF_ORIGINAL : BERTH_TABLE_OTHER_ROBOT;
}

// The place of a pair among all, or -1 when it is none.
static int64_t find_place(const BerthRobot* robot, const BerthProvenPair* pair) {
    const int32_t link_a = bi_names_find(&robot->link_names, pair->link_a);
    const int32_t link_b = bi_names_find(&robot->link_names, pair->link_b);
    const int32_t a = link_a >= 0 ? robot->links[link_a].geometry : -1;
    const int32_t b = link_b >= 0 ? robot->links[link_b].geometry : -1;
    if (a < 0 || b < 0 || a == b) {
        return -1;
    }
    const int64_t high = a > b ? a : b, low = a > b ? b : a;
    return high * (high - 1) / 2 + low;
}

// Pairs that are disabled for the sake of a proof: checked, until a table that holds says otherwise.
static void enter_table(BerthRobot* robot, const BerthProvenTable* table, BerthTableUse use) {
    const bool holds = use == BERTH_TABLE_USED;
    for (int32_t i = 0; i < table->pair_count; ++i) {
        const int64_t place = find_place(robot, &table->pairs[i]);
        if (place < 0) {
            continue;
        }

        uint8_t* rule = &robot->rules[place];
        const bool by_table = *rule == BERTH_PAIR_DISABLED || *rule == BERTH_PAIR_PROVEN;
        if (holds && by_table) {
            // Listed twice: the smaller gap is the one that both allow.
            const double gap = table->pairs[i].gap;
            robot->proven[place] = *rule == BERTH_PAIR_PROVEN ? fmin(robot->proven[place], gap) : gap;
            *rule = BERTH_PAIR_PROVEN;
        } else if (*rule == BERTH_PAIR_DISABLED) {
            *rule = BERTH_PAIR_CHECKED;
            robot->proven[place] = use == BERTH_TABLE_OF_ORIGINAL ? -table->pairs[i].gap : 0.0;
        }
    }
}

BerthStatus bi_robot_apply_tables(BerthRobot* robot, const BerthRobotBuilder* builder) {
    if (builder->table_count == 0) {
        return BERTH_OK;
    }

    const size_t n = (size_t)robot->geometry_count;
    robot->table_count = builder->table_count;
    robot->tables = bi_arena_take(&robot->arena, (size_t)robot->table_count, sizeof *robot->tables);
    robot->proven = bi_arena_take(&robot->arena, n > 1 ? n * (n - 1) / 2 : 0, sizeof *robot->proven);
    if (robot->tables == NULL || robot->proven == NULL) {
        return no_memory();
    }

    char sum[BERTH_SUM_TEXT];
    berth_robot_sum(robot, sum);
    for (int32_t i = 0; i < robot->table_count; ++i) {
        robot->tables[i] = judge_table(robot, sum, builder->original_sum, &builder->tables[i]);
    }

    // Those that hold first: what another table names as well stays proven.
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < robot->table_count; ++i) {
            const BerthTableUse use = robot->tables[i];
            if ((use == BERTH_TABLE_USED) == (pass == 0)) {
                enter_table(robot, &builder->tables[i], use);
            }
        }
    }
    return BERTH_OK;
}

int32_t berth_robot_limits(const BerthRobot* robot, BerthProvenLimit* out) {
    int32_t count = 0;
    for (int32_t i = 0; i < robot->value_count; ++i) {
        const RobotValue* value = &robot->values[i];
        if (value->has_limits && out != NULL) {
            out[count] = (BerthProvenLimit){robot->joints[value->joint].name, value->lower, value->upper};
        }
        count += value->has_limits;
    }
    return count;
}

// ---- questions --------------------------------------------------------------------------------------------

double bi_robot_proven_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b) {
    if (robot->proven == NULL || bi_robot_pair_rule(robot, link_a, link_b) != BERTH_PAIR_PROVEN) {
        return 0.0;
    }
    return robot->proven[bi_robot_pair_index(robot, link_a, link_b)];
}

double berth_robot_proven_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b) {
    return bi_robot_proven_gap(robot, link_a, link_b);
}

void bi_robot_drop_proof(BerthRobot* robot, int32_t link_a, int32_t link_b) {
    if (bi_robot_pair_rule(robot, link_a, link_b) == BERTH_PAIR_PROVEN) {
        const size_t place = bi_robot_pair_index(robot, link_a, link_b);
        robot->rules[place] = BERTH_PAIR_CHECKED;
        robot->proven[place] = 0.0;
    }
}

double bi_robot_original_gap(const BerthRobot* robot, int32_t link_a, int32_t link_b) {
    if (robot->proven == NULL || bi_robot_pair_rule(robot, link_a, link_b) != BERTH_PAIR_CHECKED) {
        return 0.0;
    }
    return fmax(0.0, -robot->proven[bi_robot_pair_index(robot, link_a, link_b)]);
}

void bi_robot_enter_proof(BerthRobot* robot, int32_t link_a, int32_t link_b, double gap) {
    if (gap > 0.0 && bi_robot_original_gap(robot, link_a, link_b) > 0.0) {
        const size_t place = bi_robot_pair_index(robot, link_a, link_b);
        robot->rules[place] = BERTH_PAIR_PROVEN;
        robot->proven[place] = gap;
    }
}

int32_t berth_robot_table_count(const BerthRobot* robot) {
    return robot->table_count;
}

BerthTableUse berth_robot_table_use(const BerthRobot* robot, int32_t table) {
    BI_ASSERT(table >= 0 && table < robot->table_count);
    return robot->tables[table];
}
