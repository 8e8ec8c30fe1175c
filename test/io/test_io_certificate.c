// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Certificates as files: they read back as they were written, damage is found with and without the checksum put right,
// memory that fails and requests that make no sense are said.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <berth/io.h>

#include "io/motion/certificate.h"
#include "math/math.h"
#include "scene/scene.h"
#include "support/meshes.h"
#include "support/proofs.h"
#include "support/setting.h"
#include "support/starve.h"

static int64_t pick(Random* random, int64_t count) {
    return (int64_t)(bi_random_next(random) % (uint64_t)count);
}

static void put_checksum(FileBytes* bytes) {
    Sha256 sha;
    uint8_t hash[SHA256_SIZE];
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, bytes->data, bytes->size - 69);
    bi_sha256_end(&sha, hash);
    char text[SHA256_TEXT];
    bi_sha256_text(hash, text);
    memcpy(bytes->data + bytes->size - 65, text, 64);
}

typedef struct FileCase {
    World* world;
    ProofCase* c;
    FileBytes bytes;
} FileCase;

static FileCase make_file(int seed) {
    Random random = {(uint64_t)seed * 31 + 9};
    const WorldPlan plan = {.style = WORLD_CONVEX, .robots = 2, .joints = 3, .objects = 3};
    FileCase f = {.c = malloc(sizeof(ProofCase))};
    for (;;) {
        f.world = world_make(&random, &plan);
        proof_open(f.c, f.world->scene, 0.0, 0.001, BERTH_METHOD_DEFAULT);
        proof_random(f.c, f.world, &random, 40, 3);
        if (f.c->count > 0 && f.c->certificate->record_count > 20) {
            break;
        }
        proof_close(f.c);
        world_destroy(f.world);
    }
    assert_int_equal(bi_io_certificate_to_bytes("m", f.c->certificate, f.world->scene, NULL, &f.bytes),
                     BERTH_OK);
    return f;
}

static void free_file(FileCase* f) {
    bi_io_free_file(&f->bytes);
    proof_close(f->c);
    free(f->c);
    world_destroy(f->world);
}

// Reads and verifies bytes; BERTH_OK only when both went well.
static BerthStatus judge(const FileCase* f, const FileBytes* bytes) {
    const BerthIoOptions options = berth_default_io_options();
    BerthCertificate* read = NULL;
    BerthStatus status =
        bi_io_certificate_from_bytes("m", bytes->data, bytes->size, f->world->scene, &options, &read);
    if (status == BERTH_OK) {
        BerthCertificateReport report;
        status = proof_verify(read, f->world->scene, f->c->segments, f->c->count, &f->c->def, &report);
        berth_certificate_destroy(read);
    } else {
        assert_int_equal(status, BERTH_ERR_PARSE);
    }
    return status;
}

static void test_round_trip(void** state) {
    (void)state;
    FileCase f = make_file(1);
    char path[64] = "/tmp/berth_certificate_XXXXXX";
    const int made = mkstemp(path);
    assert_true(made >= 0);
    close(made);
    const BerthIoOptions options = berth_default_io_options();
    assert_int_equal(berth_io_write_certificate(path, f.c->certificate, f.world->scene, &options), BERTH_OK);
    BerthCertificate* read = NULL;
    assert_int_equal(berth_io_read_certificate(path, f.world->scene, &options, &read), BERTH_OK);
    FileBytes again;
    assert_int_equal(bi_io_certificate_to_bytes("m", read, f.world->scene, NULL, &again), BERTH_OK);
    assert_int_equal(again.size, f.bytes.size);
    assert_memory_equal(again.data, f.bytes.data, again.size);
    BerthCertificateReport report;
    assert_int_equal(proof_verify(read, f.world->scene, f.c->segments, f.c->count, &f.c->def, &report),
                     BERTH_OK);
    assert_true(report.clearance >= 0.0 && report.segment == -1);
    bi_io_free_file(&again);
    berth_certificate_destroy(read);
    unlink(path);
    assert_int_equal(berth_io_write_certificate("/tmp", f.c->certificate, f.world->scene, &options),
                     BERTH_ERR_ARGUMENT);
    assert_int_equal(berth_io_write_certificate("/nowhere/x", f.c->certificate, f.world->scene, &options),
                     BERTH_ERR_ARGUMENT);
    free_file(&f);
}

// ---- what passes although it was damaged ------------------------------------------------------------------------

/// Why a damaged file that verifies does no harm. Each is shown without the verifier.
typedef struct Harmless {
    int same;   // every number reads as it was
    int delta;  // which proves nothing
    int less;   // of a bound, or of what is claimed: what is larger holds, so does this
    int other_kind;  // another direction or kind of proof, or more margin or error: states within show no gap below the bound
} Harmless;

// The gap of a pair at a state whose values may each be off by the error that the certificate allows.
static double gap_off(const FileCase* f, BerthChecker* checker, const BerthCertificate* c, int64_t segment,
                      int32_t pair_index, double t, Random* random) {
    double values[PROOF_VALUES], gradient[PROOF_VALUES];
    const ScenePair* pair = &f->world->scene->pairs[pair_index];
    BerthGapGradient found;
    berth_segment_values(f->world->scene, &f->c->segments[segment], t, values);
    for (int32_t i = 0; i < c->value_count; ++i) {
        values[i] += (pick(random, 2) == 0 ? 1.0 : -1.0) * fmin(c->tracking_error[i], 1.0);
    }
    const BerthStatus status =
        berth_check_gradient(checker, values, pair->body_a, pair->body_b, gradient, &found);
    assert_true(status == BERTH_OK || status == BERTH_ERR_ARGUMENT);
    return status == BERTH_OK ? found.gap.upper : (double)INFINITY;
}

// Every pair that moves has records for every time: counted on a grid that no record's interval is finer than by more than a
// level, in whole numbers.
static void check_whole(const FileCase* f, const BerthCertificate* c) {
    const BerthScene* scene = f->world->scene;
    for (int64_t s = 0; s < c->segment_count; ++s) {
        for (int32_t pair = 0; pair < scene->pair_count; ++pair) {
            uint64_t reached = 0;
            for (bool more = !scene->pairs[pair].constant;
                 more;) {  // the record that goes on furthest from here
                uint64_t furthest = reached;
                for (int64_t i = c->segments[s].first; i < c->segments[s].first + c->segments[s].count; ++i) {
                    const CertificateRecord* r = &c->records[i];
                    const uint64_t unit = (uint64_t)1 << (CERTIFICATE_LEVEL_MAX - r->level);
                    if (r->pair == pair && r->index * unit <= reached && (r->index + 1) * unit > furthest) {
                        furthest = (r->index + 1) * unit;
                    }
                }
                assert_true(furthest > reached);
                reached = furthest;
                more = reached < (uint64_t)1 << CERTIFICATE_LEVEL_MAX;
            }
        }
    }
}

static bool same_proof(const CertificateRecord* a, const CertificateRecord* b) {
    return a->index == b->index && a->level == b->level && a->kind == b->kind && a->pair == b->pair &&
           memcmp(&a->direction, &b->direction, sizeof a->direction) == 0;
}

static void explain(const FileCase* f, BerthChecker* checker, const FileBytes* bytes, Random* random,
                    Harmless* why) {
    const BerthCertificate* was = f->c->certificate;
    const BerthIoOptions options = berth_default_io_options();
    BerthCertificate* c = NULL;
    assert_int_equal(
        bi_io_certificate_from_bytes("m", bytes->data, bytes->size, f->world->scene, &options, &c), BERTH_OK);
    // What it is about is what was asked: the same scene and segments, no less margin, no less error.
    assert_memory_equal(c->scene_hash, was->scene_hash, SHA256_SIZE);
    assert_int_equal(c->segment_count, was->segment_count);
    assert_true(c->margin >= f->c->def.margin && c->self_margin >= f->c->def.margin);
    bool more = c->margin > was->margin || c->self_margin > was->self_margin, changed = false, less = false;
    for (int32_t i = 0; i < c->value_count; ++i) {
        assert_true(c->tracking_error[i] >= was->tracking_error[i]);
        more = more || c->tracking_error[i] > was->tracking_error[i];
    }
    for (int64_t s = 0; s < c->segment_count; ++s) {
        assert_memory_equal(c->segments[s].hash, was->segments[s].hash, SHA256_SIZE);
    }
    check_whole(f, c);
    assert_int_equal(c->constant_count, was->constant_count);
    for (int32_t i = 0; i < c->constant_count; ++i) {
        assert_int_equal(c->constants[i].pair, was->constants[i].pair);
        const double gap = gap_off(f, checker, c, 0, c->constants[i].pair, 0.5, random);
        assert_true(c->constants[i].bound >= c->margin &&
                    (c->constants[i].bound <= gap || c->constants[i].count_a > 0));
        less = less || c->constants[i].bound != was->constants[i].bound;
    }
    int64_t segment = 0;
    for (int64_t i = 0; i < c->record_count; ++i) {
        while (i >= c->segments[segment].first + c->segments[segment].count) {
            ++segment;
        }
        const CertificateRecord* r = &c->records[i];
        assert_true(r->bound >= c->margin);
        const bool listed = c->record_count == was->record_count && same_proof(r, &was->records[i]);
        if (listed && !more && r->bound <= was->records[i].bound) {
            less = less || r->bound < was->records[i].bound;
            continue;  // it says what was said before, or less
        }
        changed = true;
        const double width = ldexp(1, -r->level);
        for (int k = 0; k < 12; ++k) {
            const double share = k == 0 ? 0.0 : k == 1 ? 1.0 : bi_random_between(random, 0, 1);
            const double gap =
                gap_off(f, checker, c, segment, r->pair, ((double)r->index + share) * width, random);
            assert_true(gap >= r->bound);
        }
    }
    why->other_kind += changed;
    why->less += !changed && less;
    why->delta += !changed && !less && c->delta != was->delta;
    why->same += !changed && !less && c->delta == was->delta;
    berth_certificate_destroy(c);
}

// Bytes changed, cut and doubled: without the checksum none passes; with it put right again, only what is true.
static void test_damaged_bytes(void** state) {
    (void)state;
    FileCase f = make_file(2);
    Random random = {3};
    assert_int_equal(judge(&f, &f.bytes), BERTH_OK);
    BerthChecker* checker = NULL;
    const BerthCheckerDef def = berth_default_checker_def();
    assert_int_equal(berth_checker_create(f.world->scene, &def, &checker), BERTH_OK);
    Harmless why = {0};
    int passed = 0;
    const int count = test_scaled(3000);
    for (int i = 0; i < count; ++i) {
        FileBytes hurt = {
            .data = malloc(f.bytes.size + 1), .size = f.bytes.size, .capacity = f.bytes.size + 1};
        memcpy(hurt.data, f.bytes.data, f.bytes.size + 1);
        const size_t at = (size_t)pick(&random, (int64_t)f.bytes.size - 70);
        const char old = hurt.data[at];
        if (i % 4 == 3) {  // a line less
            char* line = memchr(hurt.data + at, '\n', hurt.size - at);
            char* end = memchr(line + 1, '\n', hurt.size - (size_t)(line + 1 - hurt.data));
            if (end - hurt.data < (long)hurt.size - 70) {
                memmove(line, end, hurt.size - (size_t)(end - hurt.data));
                hurt.size -= (size_t)(end - line);
            } else {
                hurt.data[at] ^= 1;
            }
        } else if (i % 4 == 2) {
            hurt.data[at] = "0123456789 .-e\n\xff"[pick(&random, 16)];
        } else {
            hurt.data[at] = (char)(hurt.data[at] ^ (1 << pick(&random, 7)));
        }
        const bool same = hurt.size == f.bytes.size && hurt.data[at] == old;
        if (!same) {
            assert_int_not_equal(judge(&f, &hurt), BERTH_OK);
            put_checksum(&hurt);
            if (judge(&f, &hurt) == BERTH_OK) {
                passed += 1;
                explain(&f, checker, &hurt, &random, &why);
            }
        }
        free(hurt.data);
    }
    print_message(
        "report bytes: %d damaged, %d of them true with the checksum put right: %d read as before, %d "
        "another delta, "
        "%d claim less, %d prove it otherwise and no state is nearer\n",
        count, passed, why.same, why.delta, why.less, why.other_kind);
    assert_int_equal(passed, why.same + why.delta + why.less + why.other_kind);
    berth_checker_destroy(checker);
    for (size_t size = 0; size < f.bytes.size; size += 7) {
        FileBytes cut = {.data = f.bytes.data, .size = size};
        assert_int_equal(judge(&f, &cut), BERTH_ERR_PARSE);
    }
    free_file(&f);
}

// Proves a motion, writes it, reads it, verifies it.
static BerthStatus prove_and_verify(void* user, const BerthAllocator* allocator) {
    const FileCase* f = user;
    const BerthScene* scene = f->world->scene;
    BerthIoOptions options = berth_default_io_options();
    options.allocator = *allocator;
    BerthCertificate* made = NULL;
    BerthCertificate* read = NULL;
    FileBytes bytes = {0};

    BerthStatus status = berth_certificate_create(f->c->motion, allocator, &made);
    const BerthMotionRequest request = {.certificate = made};
    for (int i = 0; i < f->c->count && status == BERTH_OK; ++i) {
        BerthMotionResult result;
        status = berth_motion_check_segment(f->c->motion, &f->c->segments[i], &request, &result);
    }
    if (status == BERTH_OK) {
        status = bi_io_certificate_to_bytes("m", made, scene, allocator, &bytes);
    }
    if (status == BERTH_OK) {
        status = bi_io_certificate_from_bytes("m", bytes.data, bytes.size, scene, &options, &read);
    }
    if (status == BERTH_OK) {
        BerthMotionCheckerDef def = f->c->def;
        def.allocator = *allocator;
        BerthCertificateReport report;
        status = proof_verify(read, scene, f->c->segments, f->c->count, &def, &report);
    }

    bi_io_free_file(&bytes);
    berth_certificate_destroy(made);
    berth_certificate_destroy(read);
    return status;
}

static void test_memory(void** state) {
    (void)state;
    FileCase f = make_file(3);
    assert_true(starve(prove_and_verify, &f) > 0);
    free_file(&f);
}

static void test_refusals(void** state) {
    (void)state;
    FileCase f = make_file(4);
    BerthMotionCheckerDef def = berth_default_motion_checker_def();
    BerthMotionChecker* motion = NULL;
    BerthCertificate* certificate = NULL;
    def.method = BERTH_METHOD_FIXED;
    assert_int_equal(berth_motion_checker_create(f.world->scene, &def, &motion), BERTH_OK);
    assert_int_equal(berth_certificate_create(motion, NULL, &certificate), BERTH_ERR_ARGUMENT);
    const BerthMotionRequest request = {.certificate = f.c->certificate};
    BerthMotionResult result;
    assert_int_equal(berth_motion_check_segment(motion, &f.c->segments[0], &request, &result),
                     BERTH_ERR_ARGUMENT);
    berth_motion_checker_destroy(motion);
    // More than was proven is asked for.
    BerthCertificateReport report;
    def = f.c->def;
    def.margin = 1e-9;
    assert_int_equal(proof_verify(f.c->certificate, f.world->scene, f.c->segments, f.c->count, &def, &report),
                     BERTH_ERR_ARGUMENT);
    def = f.c->def;
    def.tracking_error = NULL;  // less
    assert_int_equal(proof_verify(f.c->certificate, f.world->scene, f.c->segments, f.c->count, &def, &report),
                     BERTH_OK);
    assert_int_equal(
        proof_verify(f.c->certificate, f.world->scene, f.c->segments, f.c->count - 1, &def, &report),
        BERTH_ERR_ARGUMENT);
    // A segment that is not free leaves a certificate that proves nothing and is not written.
    assert_true(bi_certificate_begin(f.c->certificate, f.c->certificate->scene_hash, 0.0, 0.0));
    assert_int_equal(bi_certificate_end(f.c->certificate, false), BERTH_OK);
    FileBytes bytes;
    assert_int_equal(bi_io_certificate_to_bytes("m", f.c->certificate, f.world->scene, NULL, &bytes),
                     BERTH_ERR_ARGUMENT);
    free_file(&f);
}

static void test_sha256(void** state) {
    (void)state;
    static const struct {
        const char *text, *hash;
    } known[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
                 {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                 {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        Sha256 sha;
        uint8_t hash[SHA256_SIZE];
        char text[SHA256_TEXT];
        bi_sha256_init(&sha);
        for (const char* c = known[i].text; *c != '\0'; ++c) {
            bi_sha256_add(&sha, c, 1);
        }
        bi_sha256_end(&sha, hash);
        bi_sha256_text(hash, text);
        assert_string_equal(text, known[i].hash);
    }
}

int test_io_certificate(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damaged_bytes), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
