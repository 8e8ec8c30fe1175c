// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Proven tables and what relies on them: a table counts for the robot that it is about and for no other, an edited one for
// none, and motions and certificates use it only where all values keep their limits, tracking error included, and the gap
// exceeds the margin. Whoever raises a gap and computes the sum anew is believed by readers, and neither by those that
// prove again nor by the verifier.

#include <berth/lab/robot.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "certificate/verify.h"
#include "io/robot/urdf.h"
#include "math/math.h"
#include "motion/motion.h"
#include "support/proofs.h"
#include "support/proven.h"
#include "support/robots.h"
#include "support/setting.h"
#include "support/starve.h"
#include "support/urdf_text.h"

int test_certificate_table(void);

// An arm of two turns with a slide at its end, a finger that follows the slide, and a wheel beside its base that turns
// without limits. Within limits the upper arm never reaches the base; beyond those of j2 it does.
typedef struct Toy {
    double base_size, upper, multiplier;
    const char* axis;
    const char* name;  // of the last joint
} Toy;
static const Toy toy_first = {0.2, 1.0, 0.5, "0 1 0", "grip"};

static const char* toy_urdf(const Toy* toy) {
    static char text[6000];
    (void)snprintf(
        text, sizeof text,
        "<robot name='r'>"
        "<link name='base'><collision><geometry><box size='%.17g 0.2 0.2'/></geometry></collision></link>"
        "<link name='lower'><collision><origin xyz='0 0 0.25'/><geometry><box size='0.1 0.1 0.4'/></geometry>"
        "</collision></link>"
        "<link name='upper'><collision><origin xyz='0 0 0.25'/><geometry><box size='0.1 0.1 0.4'/></geometry>"
        "</collision></link>"
        "<link name='tip'><collision><origin xyz='0 0 0.05'/><geometry><sphere radius='0.04'/></geometry>"
        "</collision></link>"
        "<link name='finger'><collision><origin xyz='0.06 0 0.05'/><geometry><box size='0.02 0.02 0.06'/>"
        "</geometry></collision></link>"
        "<link name='wheel'><collision><origin xyz='0.1 0 0'/><geometry><box size='0.1 0.05 "
        "0.05'/></geometry>"
        "</collision></link>"
        "<joint name='j1' type='revolute'><parent link='base'/><child link='lower'/><origin xyz='0 0 0.15'/>"
        "<axis xyz='%s'/><limit lower='-1' upper='%.17g' velocity='1' effort='1'/></joint>"
        "<joint name='j2' type='revolute'><parent link='lower'/><child link='upper'/><origin xyz='0 0 0.5'/>"
        "<axis xyz='0 1 0'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"
        "<joint name='%s' type='prismatic'><parent link='upper'/><child link='tip'/><origin xyz='0 0 0.5'/>"
        "<axis xyz='0 0 1'/><limit lower='0' upper='0.1' velocity='1' effort='1'/></joint>"
        "<joint name='follow' type='prismatic'><parent link='tip'/><child link='finger'/><axis xyz='1 0 0'/>"
        "<limit lower='0' upper='1' velocity='1' effort='1'/><mimic joint='%s' multiplier='%.17g'/></joint>"
        "<joint name='spin' type='continuous'><parent link='base'/><child link='wheel'/><origin xyz='0 -1.5 "
        "0'/>"
        "<axis xyz='0 0 1'/></joint></robot>",
        toy->base_size, toy->axis, toy->upper, toy->name, toy->name, toy->multiplier);
    return text;
}

static void make_toy(ProvenSheet* sheet, BerthRobot** plain) {
    assert_int_equal(test_read_text(toy_urdf(&toy_first), NULL, false, NULL, plain), BERTH_OK);
    proven_make(*plain, sheet);
    assert_true(sheet->table.pair_count >= 6);
}

static BerthRobot* read_with(const Toy* toy, const ProvenSheet* sheet, TestTalk* talk) {
    BerthRobot* robot = NULL;
    char* text = proven_text(sheet);
    if (test_read_text(toy_urdf(toy), text, false, talk, &robot) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    free(text);
    return robot;
}

static BerthPairRule rule_of(const BerthRobot* robot, const char* a, const char* b) {
    return berth_robot_pair(robot, berth_robot_find_link(robot, a), berth_robot_find_link(robot, b), NULL);
}

static int count_rules(const BerthRobot* robot, BerthPairRule rule) {
    int count = 0;
    for (int32_t a = 0; a < robot->link_count; ++a) {
        for (int32_t b = 0; b < a; ++b) {
            count += berth_robot_pair(robot, a, b, NULL) == rule;
        }
    }
    return count;
}

static int32_t find_in_table(const ProvenSheet* sheet, const char* a, const char* b) {
    for (int32_t i = 0; i < sheet->table.pair_count; ++i) {
        if (strcmp(sheet->pairs[i].link_a, a) == 0 && strcmp(sheet->pairs[i].link_b, b) == 0) {
            return i;
        }
    }
    return -1;
}

// ---- whose table it is --------------------------------------------------------------------------------------

static void a_table_counts_for_its_own_robot(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    BerthRobot* plain = NULL;
    make_toy(sheet, &plain);

    TestTalk talk;
    BerthRobot* robot = read_with(&toy_first, sheet, &talk);
    assert_int_equal(talk.warning_count, 0);
    assert_int_equal(berth_robot_table_count(robot), 1);
    assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_USED);
    assert_int_equal(count_rules(robot, BERTH_PAIR_DISABLED), 0);
    assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_PROVEN);
    assert_int_equal(rule_of(robot, "upper", "finger"), BERTH_PAIR_PROVEN);  // through a joint that follows
    assert_int_equal(rule_of(robot, "lower", "wheel"), BERTH_PAIR_PROVEN);   // through one without limits
    assert_int_equal(rule_of(robot, "base", "lower"), BERTH_PAIR_ADJACENT);
    const int32_t at = find_in_table(sheet, "base", "upper");
    assert_true(berth_robot_proven_gap(robot, 0, 2) == sheet->pairs[at].gap);
    berth_robot_destroy(robot);

    // Another in any way that a proof depends on: its pairs are checked, and it is said once.
    const Toy others[] = {{0.21, 1.0, 0.5, "0 1 0", "grip"}, {0.2, 1.5, 0.5, "0 1 0", "grip"},
                          {0.2, 0.9, 0.5, "0 1 0", "grip"},  // also where the proof would hold
                          {0.2, 1.0, 0.75, "0 1 0", "grip"}, {0.2, 1.0, 0.5, "0 1 0.1", "grip"},
                          {0.2, 1.0, 0.5, "0 1 0", "slide"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        robot = read_with(&others[i], sheet, &talk);
        assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_OTHER_ROBOT);
        assert_int_equal(talk.warning_count, 1);
        assert_non_null(strstr(talk.first, "another robot"));
        assert_int_equal(count_rules(robot, BERTH_PAIR_PROVEN), 0);
        assert_int_equal(count_rules(robot, BERTH_PAIR_DISABLED), 0);
        assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_CHECKED);
        assert_int_equal(rule_of(robot, "base", "lower"), BERTH_PAIR_ADJACENT);  // declared all the same
        berth_robot_destroy(robot);
    }
    berth_robot_destroy(plain);
    free(sheet);
}

static void a_free_base_changes_nothing(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    BerthRobot* plain = NULL;
    BerthRobot* robot = NULL;
    make_toy(sheet, &plain);
    char* text = proven_text(sheet);
    char* end = strstr(text, "</robot>");
    char* whole = malloc(strlen(text) + 200);
    (void)snprintf(
        whole, strlen(text) + 200,
        "%.*s<virtual_joint name='ground' type='floating' parent_frame='world' child_link='base'/>%s",
        (int)(end - text), text, end);

    assert_int_equal(test_read_text(toy_urdf(&toy_first), whole, true, NULL, &robot), BERTH_OK);
    assert_int_equal(berth_robot_value_count(robot), berth_robot_value_count(plain) + 7);
    assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_USED);
    assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_PROVEN);

    berth_robot_destroy(robot);
    berth_robot_destroy(plain);
    free(whole);
    free(text);
    free(sheet);
}

// A hull is other geometry than the mesh that it is around.
static void hulls_are_another_robot(void** state) {
    (void)state;
    char path[4096];
    const TestRobot* entry = test_robot_named("fanuc");
    BerthRobot* plain = test_read_robot_if_there(entry, false);
    if (plain == NULL || !test_shared_path(path, sizeof path, entry->urdf)) {
        TEST_SKIP("the shared robots are not there");
    }

    ProvenSheet* sheet = malloc(sizeof *sheet);
    proven_make(plain, sheet);
    char* text = proven_text(sheet);
    const BerthIoOptions options = berth_default_io_options();
    static const char* const hulls[] = {"link_3"};
    for (int32_t count = 0; count < 2; ++count) {
        BerthRobot* robot = NULL;
        assert_int_equal(proven_read_file(path, text, hulls, count, &options, &robot), BERTH_OK);
        assert_int_equal(berth_robot_table_use(robot, 0),
                         count == 0 ? BERTH_TABLE_USED : BERTH_TABLE_OTHER_ROBOT);
        assert_int_equal(rule_of(robot, "link_1", "link_3"),
                         count == 0 ? BERTH_PAIR_PROVEN : BERTH_PAIR_CHECKED);
        berth_robot_destroy(robot);
    }
    berth_robot_destroy(plain);
    free(text);
    free(sheet);
}

// ---- edits --------------------------------------------------------------------------------------------------

static void edited_tables_prove_nothing(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    ProvenSheet* edited = malloc(sizeof *edited);
    BerthRobot* plain = NULL;
    make_toy(sheet, &plain);

    for (int edit = 0; edit < 5; ++edit) {
        *edited = *sheet;
        edited->pairs[0].gap *= edit == 0 ? 1.5 : 1.0;
        edited->pairs[0].gap = edit == 1 ? nextafter(edited->pairs[0].gap, 1.0) : edited->pairs[0].gap;
        edited->limits[0].upper += edit == 2 ? 0.5 : 0.0;
        edited->table.pair_count -= edit == 3;
        if (edit == 4) {
            edited->pairs[edited->table.pair_count++] = (BerthProvenPair){"tip", "wheel", 0.1};
        }

        TestTalk talk;
        BerthRobot* robot = read_with(&toy_first, edited, &talk);
        assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_EDITED);
        assert_int_equal(talk.warning_count, 1);
        assert_non_null(strstr(talk.first, "edited"));
        assert_int_equal(count_rules(robot, BERTH_PAIR_PROVEN), 0);
        // A pair that was taken out is disabled and nothing says why.
        assert_int_equal(count_rules(robot, BERTH_PAIR_DISABLED), edit == 3);
        berth_robot_destroy(robot);
    }

    // Limits that are not the robot's, with a right sum: somebody made it up.
    *edited = *sheet;
    edited->limits[0].upper += 0.5;
    proven_sum_again(edited);
    BerthRobot* robot = read_with(&toy_first, edited, NULL);
    assert_int_equal(berth_robot_table_use(robot, 0), BERTH_TABLE_OTHER_ROBOT);
    berth_robot_destroy(robot);
    berth_robot_destroy(plain);
    free(sheet);
    free(edited);
}

// The toy with a gap that is too large, and a sum that says it is as it was written.
static BerthStatus read_forged(const ProvenSheet* sheet, bool prove, TestTalk* talk, BerthRobot** out) {
    char* text = proven_text(sheet);
    memset(talk, 0, sizeof *talk);
    BerthIoOptions options = berth_default_io_options();
    options.warn = test_hear;
    options.user = talk;
    options.prove = prove;
    const char* urdf = toy_urdf(&toy_first);
    const RobotText urdf_text = {"r.urdf", urdf, strlen(urdf)};
    const RobotText srdf_text = {"r.srdf", text, strlen(text)};
    const RobotRequest ask = {.no_files = true, .options = &options};
    const BerthStatus status = bi_io_robot_from_text(&urdf_text, &srdf_text, &ask, out);
    free(text);
    return status;
}

static void forged_gaps_are_found_by_proving_again(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    BerthRobot* plain = NULL;
    make_toy(sheet, &plain);
    TestTalk talk;
    BerthRobot* robot = NULL;

    // As it was made it is proven again without a word.
    assert_int_equal(read_forged(sheet, true, &talk, &robot), BERTH_OK);
    assert_int_equal(talk.warning_count, 0);
    const int proven = count_rules(robot, BERTH_PAIR_PROVEN);
    berth_robot_destroy(robot);

    // Raised by a half: believed by its sum, and not by a proof.
    sheet->pairs[find_in_table(sheet, "base", "upper")].gap *= 1.5;
    proven_sum_again(sheet);
    assert_int_equal(read_forged(sheet, false, &talk, &robot), BERTH_OK);
    assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_PROVEN);
    berth_robot_destroy(robot);
    assert_int_equal(read_forged(sheet, true, &talk, &robot), BERTH_OK);
    assert_int_equal(talk.warning_count, 1);
    assert_non_null(strstr(talk.first, "not proven"));
    assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_CHECKED);
    assert_int_equal(count_rules(robot, BERTH_PAIR_PROVEN), proven - 1);
    berth_robot_destroy(robot);
    berth_robot_destroy(plain);
    free(sheet);
}

static void two_tables_may_be_in_one_file(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    ProvenSheet* other = malloc(sizeof *other);
    BerthRobot* plain = NULL;
    BerthRobot* robot = NULL;
    make_toy(sheet, &plain);
    *other = *sheet;
    other->table.robot[0] = other->table.robot[0] == '0' ? '1' : '0';
    proven_sum_again(other);

    char* one = proven_text(sheet);
    char* two = proven_text(other);
    const char* table = strstr(two, "<berth_proven");
    char* whole = malloc(strlen(one) + strlen(two) + 1);
    for (int order = 0; order < 2; ++order) {
        // Before the first one's own table, or behind it.
        const char* cut = order == 0 ? strstr(one, "<berth_proven") : strstr(one, "</robot>");
        const size_t size = (size_t)(strstr(table, "</robot>") - table);
        (void)snprintf(whole, strlen(one) + strlen(two) + 1, "%.*s%.*s%s", (int)(cut - one), one, (int)size,
                       table, cut);
        assert_int_equal(test_read_text(toy_urdf(&toy_first), whole, false, NULL, &robot), BERTH_OK);
        assert_int_equal(berth_robot_table_count(robot), 2);
        assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_PROVEN);
        berth_robot_destroy(robot);
    }
    berth_robot_destroy(plain);
    free(whole);
    free(one);
    free(two);
    free(sheet);
    free(other);
}

static BerthStatus read_starving(void* user, const BerthAllocator* allocator) {
    const char* text = user;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    options.prove = true;
    const char* urdf = toy_urdf(&toy_first);
    const RobotText urdf_text = {"r.urdf", urdf, strlen(urdf)};
    const RobotText srdf_text = {"r.srdf", text, strlen(text)};
    const RobotRequest ask = {.no_files = true, .options = &options};
    BerthRobot* robot = NULL;
    const BerthStatus status = bi_io_robot_from_text(&urdf_text, &srdf_text, &ask, &robot);
    if (status == BERTH_OK) {
        assert_int_equal(rule_of(robot, "base", "upper"), BERTH_PAIR_PROVEN);
    }
    berth_robot_destroy(robot);
    return status;
}

static void no_memory_is_told(void** state) {
    (void)state;
    ProvenSheet* sheet = malloc(sizeof *sheet);
    BerthRobot* plain = NULL;
    make_toy(sheet, &plain);
    char* text = proven_text(sheet);
    assert_true(starve(read_starving, text) > 20);
    berth_robot_destroy(plain);
    free(text);
    free(sheet);
}

// ---- motions and certificates -------------------------------------------------------------------------------

typedef struct Course {
    ProvenSheet* sheet;
    BerthRobot *plain, *robot;
    BerthScene* scene;
    double from[8], to[8];
    BerthCurve curves[8];
    BerthSegment segment;
} Course;

static void course_open(Course* c, double raise) {
    *c = (Course){.sheet = malloc(sizeof *c->sheet)};
    make_toy(c->sheet, &c->plain);
    c->sheet->pairs[find_in_table(c->sheet, "base", "upper")].gap *= raise;
    proven_sum_again(c->sheet);
    c->robot = read_with(&toy_first, c->sheet, NULL);
    BerthSceneRobotDef def = berth_default_scene_robot_def();
    def.robot = c->robot;
    assert_int_equal(berth_scene_create(NULL, &c->scene), BERTH_OK);
    assert_int_equal(berth_scene_add_robot(c->scene, &def, NULL), BERTH_OK);
    assert_int_equal(berth_scene_commit(c->scene), BERTH_OK);
    assert_int_equal(berth_scene_value_count(c->scene), 4);  // j1, j2, grip, spin
    c->segment = (BerthSegment){.value_count = 4, .from = c->from, .to = c->to};
    c->from[2] = c->to[2] = 0.05;
}

static void course_close(Course* c) {
    berth_scene_destroy(c->scene);
    berth_robot_destroy(c->robot);
    berth_robot_destroy(c->plain);
    free(c->sheet);
}

typedef struct Ask {
    double margin, error;
    BerthMethod method;
} Ask;

static BerthMotionResult ask_motion(const Course* c, Ask ask, BerthCertificate** certificate) {
    double errors[8];
    for (int i = 0; i < 8; ++i) {
        errors[i] = ask.error;
    }
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    def.margin = ask.margin;
    def.tracking_error = errors;
    def.method = ask.method;
    BerthMotionChecker* motion = NULL;
    assert_int_equal(berth_motion_checker_create(c->scene, &def, &motion), BERTH_OK);
    BerthMotionRequest request = {0};
    if (certificate != NULL) {
        assert_int_equal(berth_certificate_create(motion, NULL, certificate), BERTH_OK);
        request.certificate = *certificate;
    }
    BerthMotionResult result;
    assert_int_equal(berth_motion_check_segment(motion, &c->segment, &request, &result), BERTH_OK);
    berth_motion_checker_destroy(motion);
    return result;
}

static BerthStatus verify(const Course* c, const BerthCertificate* certificate, Ask ask,
                          BerthCertificateReport* report) {
    double errors[8];
    for (int i = 0; i < 8; ++i) {
        errors[i] = ask.error;
    }
    BerthVerifyDef def = berth_default_verify_def();
    def.margin = ask.margin;
    def.tracking_error = errors;
    return berth_certificate_verify(certificate, c->scene, &c->segment, 1, &def, report);
}

static int count_table_records(const BerthCertificate* certificate) {
    int count = 0;
    for (int64_t i = 0; i < certificate->record_count; ++i) {
        count += certificate->records[i].kind == PROOF_TABLE;
    }
    return count;
}

// Every method: on the limit it is still within, an ulp beyond it is not; so with tracking error, and with margins.
static void motions_rely_on_tables_within_limits(void** state) {
    (void)state;
    static const BerthMethod methods[] = {BERTH_METHOD_DEFAULT, BERTH_METHOD_SECOND_ORDER,
                                          BERTH_METHOD_ADAPTIVE, BERTH_METHOD_REFINED};
    Course c;
    course_open(&c, 1.0);
    const int all = berth_scene_proven_count(c.scene, c.from, c.from, 0.0);
    assert_int_equal(all, c.scene->proven_count);
    const double gap = c.sheet->pairs[find_in_table(c.sheet, "base", "upper")].gap;

    for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
        c.from[0] = 0.0;
        c.to[0] = 1.0;
        BerthMotionResult result = ask_motion(&c, (Ask){.method = methods[m]}, NULL);
        assert_int_equal(result.verdict, BERTH_FREE);
        assert_int_equal(result.proven_count, all);
        assert_int_equal(result.outside_limits, 0);
        assert_true(result.clearance > 0.0 && result.clearance <= gap);

        // With tracking error the end is beyond; away from the limit it is not.
        result = ask_motion(&c, (Ask){.error = 0.01, .method = methods[m]}, NULL);
        assert_int_equal(result.proven_count, 0);
        c.to[0] = 0.98;
        result = ask_motion(&c, (Ask){.error = 0.01, .method = methods[m]}, NULL);
        assert_int_equal(result.verdict, BERTH_FREE);
        assert_int_equal(result.proven_count, all);

        c.to[0] = nextafter(1.0, 2.0);
        result = ask_motion(&c, (Ask){.method = methods[m]}, NULL);
        assert_int_equal(result.verdict, BERTH_FREE);
        assert_int_equal(result.proven_count, 0);
        assert_int_equal(result.outside_limits, 1);

        // Far beyond those of j2 the upper arm is driven into the base.
        c.from[0] = c.to[0] = 1.0;
        c.to[1] = 3.1;
        result = ask_motion(&c, (Ask){.method = methods[m]}, NULL);
        assert_int_equal(result.verdict, BERTH_COLLISION);
        c.from[0] = c.to[1] = 0.0;

        // A margin that the gap does not exceed: the pair is checked.
        c.to[0] = 1.0;
        result = ask_motion(&c, (Ask){.margin = gap, .method = methods[m]}, NULL);
        assert_true(result.proven_count < all);
    }
    course_close(&c);
}

// A curve may leave the limits between ends that keep them.
static void curves_leave_limits_on_the_way(void** state) {
    (void)state;
    Course c;
    course_open(&c, 1.0);
    c.from[0] = c.to[0] = 0.9;
    c.segment.curves = c.curves;
    for (int i = 0; i < 4; ++i) {
        c.curves[i] = (BerthCurve){.term = {c.from[i]}};
    }
    assert_int_equal(ask_motion(&c, (Ask){0}, NULL).proven_count, c.scene->proven_count);
    c.curves[0] = (BerthCurve){.term = {0.9, 4.0 * 0.11, -4.0 * 0.11}};  // 1.01 in the middle
    assert_int_equal(ask_motion(&c, (Ask){0}, NULL).proven_count, 0);
    c.curves[0] = (BerthCurve){.term = {0.9, 4.0 * 0.05, -4.0 * 0.05}};
    BerthCertificate* certificate = NULL;
    BerthCertificateReport report;
    assert_int_equal(ask_motion(&c, (Ask){0}, &certificate).proven_count, c.scene->proven_count);
    assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_OK);
    assert_int_equal(report.proven_count, c.scene->proven_count);
    berth_certificate_destroy(certificate);
    course_close(&c);
}

// The record of one pair, on the whole segment, says that a table proves it.
static void claim_by_table(BerthCertificate* certificate, int32_t pair, double bound) {
    int64_t kept = 0;
    bool claimed = false;
    for (int64_t i = 0; i < certificate->record_count; ++i) {
        CertificateRecord record = certificate->records[i];
        if (record.pair == pair && claimed) {
            continue;
        }
        if (record.pair == pair) {
            record = (CertificateRecord){.pair = pair, .kind = PROOF_TABLE, .bound = bound};
            claimed = true;
        }
        certificate->records[kept++] = record;
    }
    assert_true(claimed);
    certificate->record_count = certificate->segments[0].count = kept;
}

static int32_t pair_of(const BerthScene* scene, const char* a, const char* b) {
    const int32_t x = berth_scene_find_body(scene, a), y = berth_scene_find_body(scene, b);
    for (int32_t i = 0; i < scene->pair_count; ++i) {
        if (scene->pairs[i].body_a == (x < y ? x : y) && scene->pairs[i].body_b == (x < y ? y : x)) {
            return i;
        }
    }
    fail_msg("%s and %s are no pair", a, b);
    return -1;
}

static void certificates_keep_the_conditions(void** state) {
    (void)state;
    Course c;
    course_open(&c, 1.0);
    const double gap = c.sheet->pairs[find_in_table(c.sheet, "base", "upper")].gap;
    BerthCertificate* certificate = NULL;
    BerthCertificateReport report;

    // Within limits it relies on the table, says so, and holds.
    c.to[0] = 0.9;
    assert_int_equal(ask_motion(&c, (Ask){0}, &certificate).verdict, BERTH_FREE);
    assert_int_equal(count_table_records(certificate), c.scene->proven_count);
    if (verify(&c, certificate, (Ask){0}, &report) != BERTH_OK) {
        fail_msg("%s", berth_error_text());
    }
    assert_int_equal(report.proven_count, c.scene->proven_count);
    assert_true(report.clearance <= gap);

    // It claims more than the gap.
    const int32_t pair = pair_of(c.scene, "base", "upper");
    claim_by_table(certificate, pair, 1.01 * gap);
    assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);
    // It relies on the table for a pair that has no proof.
    claim_by_table(certificate, pair, 0.5 * gap);
    assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_OK);
    berth_certificate_destroy(certificate);

    // Beyond limits nothing relies on it, and a record that does is refused.
    c.to[0] = 1.1;
    assert_int_equal(ask_motion(&c, (Ask){0}, &certificate).verdict, BERTH_FREE);
    assert_int_equal(count_table_records(certificate), 0);
    assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_OK);
    claim_by_table(certificate, pair, 0.5 * gap);
    assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);
    assert_int_equal(report.body_a, c.scene->pairs[pair].body_a);
    berth_certificate_destroy(certificate);

    // So with a tracking error that can carry it beyond.
    c.to[0] = 0.95;
    assert_int_equal(ask_motion(&c, (Ask){.error = 0.06}, &certificate).verdict, BERTH_FREE);
    assert_int_equal(count_table_records(certificate), 0);
    assert_int_equal(verify(&c, certificate, (Ask){.error = 0.06}, &report), BERTH_OK);
    claim_by_table(certificate, pair, 0.5 * gap);
    assert_int_equal(verify(&c, certificate, (Ask){.error = 0.06}, &report), BERTH_ERR_ARGUMENT);
    berth_certificate_destroy(certificate);

    // A pair that is checked has no table.
    c.to[0] = 0.5;
    for (int32_t i = 0; i < c.scene->pair_count; ++i) {
        if (c.scene->pairs[i].constant || c.scene->pairs[i].proven_gap > 0.0) {
            continue;
        }
        assert_int_equal(ask_motion(&c, (Ask){0}, &certificate).verdict, BERTH_FREE);
        claim_by_table(certificate, i, 1e-6);
        assert_int_equal(verify(&c, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);
        berth_certificate_destroy(certificate);
    }
    course_close(&c);
}

// A table with a gap that is not true, and a sum that fits: its certificate is refused by proving the gap again, and no
// certificate of the true table holds for it.
static void the_verifier_does_not_trust_the_table(void** state) {
    (void)state;
    Course forged, right;
    course_open(&forged, 1.5);
    course_open(&right, 1.0);
    forged.to[0] = right.to[0] = 0.9;
    BerthCertificate* certificate = NULL;
    BerthCertificateReport report;

    assert_int_equal(ask_motion(&forged, (Ask){0}, &certificate).verdict, BERTH_FREE);
    assert_int_equal(verify(&forged, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);
    assert_non_null(strstr(berth_error_text(), "proven table"));
    assert_int_equal(verify(&right, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);  // another scene
    berth_certificate_destroy(certificate);

    assert_int_equal(ask_motion(&right, (Ask){0}, &certificate).verdict, BERTH_FREE);
    assert_int_equal(verify(&forged, certificate, (Ask){0}, &report), BERTH_ERR_ARGUMENT);
    berth_certificate_destroy(certificate);
    course_close(&forged);
    course_close(&right);
}

int test_certificate_table(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_counts_for_its_own_robot),
        cmocka_unit_test(a_free_base_changes_nothing),
        cmocka_unit_test(hulls_are_another_robot),
        cmocka_unit_test(edited_tables_prove_nothing),
        cmocka_unit_test(forged_gaps_are_found_by_proving_again),
        cmocka_unit_test(two_tables_may_be_in_one_file),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(motions_rely_on_tables_within_limits),
        cmocka_unit_test(curves_leave_limits_on_the_way),
        cmocka_unit_test(certificates_keep_the_conditions),
        cmocka_unit_test(the_verifier_does_not_trust_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
