// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reads certificates. Strict: every line must be in its place and contain nothing else. What it says is not
// verified here; berth_certificate_verify does that.
// Entries: berth_io_read_certificate, bi_io_certificate_from_bytes; berth_io_read_certificate_facts without a
// scene.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "certificate/certificate.h"
#include "io/motion/certificate.h"
#include "io/syntax/number.h"
#include "scene/scene.h"

/// 64 hexadecimal digits, "end " before them and a line's end behind.
enum { END_SIZE = 4 + SHA256_TEXT, SHOWN = 60 };

/// The lines, one at a time.
typedef struct Lines {
    const char* path;
    const char* next;
    const char* end;   // of what the hash is about
    const char* text;  // this line,
    size_t length;     // without its end,
    int64_t number;    // from 1
    const BerthScene* scene;
} Lines;

static BerthStatus fail_line(const Lines* lines, const char* expected) {
    char shown[SHOWN + 1];
    size_t length = lines->length < SHOWN ? lines->length : SHOWN;
    for (size_t i = 0; i < length; ++i) {
        const unsigned char c = (unsigned char)lines->text[i];
        shown[i] = c < ' ' || c > '~' ? '?' : (char)c;
    }

    shown[length] = '\0';
    return bi_fail(BERTH_ERR_PARSE, "%s:%lld: '%s'%s: expected %s", lines->path, (long long)lines->number,
                   shown, lines->length > SHOWN ? "..." : "", expected);
}

static bool next_line(Lines* lines) {
    if (lines->next >= lines->end) {
        lines->text = "";
        lines->length = 0;
        lines->number += 1;
        return false;
    }

    const char* stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
    stop = stop != NULL ? stop : lines->end;

    lines->text = lines->next;
    lines->length = (size_t)(stop - lines->next);
    lines->next = stop < lines->end ? stop + 1 : stop;
    lines->number += 1;
    return true;
}

/// What is left of a line.
typedef struct Words {
    const char* at;
    size_t left;
} Words;

static bool take_word(Words* words, const char** word, size_t* length) {
    const char* space = words->left > 0 ? memchr(words->at, ' ', words->left) : NULL;
    *word = words->at;
    *length = space != NULL ? (size_t)(space - words->at) : words->left;
    const size_t used = *length + (space != NULL ? 1 : 0);
    words->at += used;
    words->left -= used;
    return *length > 0;
}

static bool take_key(Words* words, const char* key) {
    const char* word = NULL;
    size_t length = 0;
    return take_word(words, &word, &length) && length == strlen(key) && memcmp(word, key, length) == 0;
}

static bool take_integer(Words* words, int64_t least, int64_t most, int64_t* out) {
    const char* word = NULL;
    size_t length = 0;
    return take_word(words, &word, &length) && word[0] >= '0' && word[0] <= '9' &&
           bi_parse_int(word, length, out) && *out >= least && *out <= most;
}

static bool take_number(Words* words, double* out) {
    const char* word = NULL;
    size_t length = 0;
    return take_word(words, &word, &length) && bi_parse_double(word, length, out);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool take_hash(Words* words, uint8_t out[SHA256_SIZE]) {
    const char* word = NULL;
    size_t length = 0;
    if (!take_word(words, &word, &length) || length != 2 * SHA256_SIZE) {
        return false;
    }

    for (int i = 0; i < SHA256_SIZE; ++i) {
        const int high = hex_digit(word[2 * i]);
        const int low = hex_digit(word[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

// The rest of the line, as certificates write names.
static bool is_name(const Words* words, const char* name) {
    if (strlen(name) != words->left) {
        return false;
    }
    for (size_t i = 0; i < words->left; ++i) {
        if (words->at[i] != ((unsigned char)name[i] < ' ' ? '?' : name[i])) {
            return false;
        }
    }
    return true;
}

static bool next_line_words(Lines* lines, Words* words) {
    const bool there = next_line(lines);
    *words = (Words){lines->text, lines->length};
    return there;
}

// The last line is a hash of all bytes before it.
static BerthStatus check_last_line(Lines* lines, const char* data, size_t size) {
    Words words = {data + size - END_SIZE, END_SIZE - 1};
    uint8_t listed[SHA256_SIZE];
    uint8_t found[SHA256_SIZE];

    if (data[size - 1] != '\n' || data[size - END_SIZE - 1] != '\n' || !take_key(&words, "end") ||
        !take_hash(&words, listed)) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: the last line is not 'end' and 64 hexadecimal digits: it was cut", lines->path);
    }

    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, data, size - END_SIZE);
    bi_sha256_end(&sha, found);
    if (memcmp(listed, found, SHA256_SIZE) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: its checksum is wrong: it was changed or damaged", lines->path);
    }

    lines->next = data;
    lines->end = data + size - END_SIZE;
    return BERTH_OK;
}

// What the scene assumes, its values and its bodies: all must be as in the scene at hand.
static BerthStatus read_names(Lines* lines, BerthCertificate* c) {
    Words words;
    int64_t index = 0;
    for (int32_t i = 0; i < lines->scene->assumed_count; ++i) {
        const BerthAssumed* assumed = &lines->scene->assumed[i];
        if (!next_line_words(lines, &words) || !take_key(&words, "assumed") ||
            !take_integer(&words, 0, INT32_MAX, &index) || index != assumed->count ||
            !is_name(&words, assumed->what)) {
            char text[160];
            snprintf(text, sizeof text, "'assumed %d %s', as the scene has it", (int)assumed->count,
                     assumed->what);
            return fail_line(lines, text);
        }
    }

    for (int32_t i = 0; i < c->value_count; ++i) {
        char name[2 * BI_SCENE_NAME_MAX];
        berth_scene_value_name(lines->scene, i, name, sizeof name);
        if (!next_line_words(lines, &words) || !take_key(&words, "value") ||
            !take_number(&words, &c->tracking_error[i]) || !(c->tracking_error[i] >= 0.0) ||
            !is_name(&words, name)) {
            char text[sizeof name + 80];
            snprintf(text, sizeof text, "'value', a tracking error and '%s', as the scene has it", name);
            return fail_line(lines, text);
        }
    }

    for (int32_t i = 0; i < lines->scene->body_count; ++i) {
        const char* name = lines->scene->bodies[i].name;
        if (!next_line_words(lines, &words) || !take_key(&words, "body") ||
            !take_integer(&words, i, i, &index) || !is_name(&words, name)) {
            char text[2 * BI_SCENE_NAME_MAX];
            snprintf(text, sizeof text, "'body %d %s', as the scene has it", (int)i, name);
            return fail_line(lines, text);
        }
    }
    return BERTH_OK;
}

// Sums of the files that it was made from: for those who read these files themselves. The scene's own hash is what counts here.
static BerthStatus skip_files(Lines* lines) {
    for (;;) {
        const Lines before = *lines;
        Words words;
        uint8_t hash[SHA256_SIZE];
        if (!next_line_words(lines, &words) || !take_key(&words, "file")) {
            *lines = before;
            return BERTH_OK;
        }
        if (!take_hash(&words, hash) || words.left == 0) {
            return fail_line(lines, "'file', 64 hexadecimal digits and a name");
        }
    }
}

// The balls that levers are found with, as the scene's bodies have them.
static BerthStatus read_balls(Lines* lines) {
    for (int32_t i = 0; i < lines->scene->body_count; ++i) {
        Vec3 centre;
        double radius = 0.0;
        if (!bi_certificate_ball(lines->scene, i, &centre, &radius)) {
            continue;
        }

        Words words;
        int64_t index = 0;
        double found[4];
        if (!next_line_words(lines, &words) || !take_key(&words, "ball") ||
            !take_integer(&words, i, i, &index) || !take_number(&words, &found[0]) ||
            !take_number(&words, &found[1]) || !take_number(&words, &found[2]) ||
            !take_number(&words, &found[3]) || words.left > 0 ||
            !(found[0] == centre.x && found[1] == centre.y && found[2] == centre.z && found[3] == radius)) {
            char text[200];
            snprintf(text, sizeof text, "'ball %d %.17g %.17g %.17g %.17g', as the scene has it", (int)i,
                     centre.x, centre.y, centre.z, radius);
            return fail_line(lines, text);
        }
    }
    return BERTH_OK;
}

// "interpolation" and its name, where somebody noted it.
static void read_interpolation(Lines* lines, BerthCertificate* c) {
    const Lines before = *lines;
    Words words;
    if (!next_line_words(lines, &words) || !take_key(&words, "interpolation")) {
        *lines = before;
        return;
    }

    char name[sizeof c->interpolation];
    (void)snprintf(name, sizeof name, "%.*s", (int)(words.left < sizeof name ? words.left : sizeof name),
                   words.at);
    berth_certificate_set_interpolation(c, name);
}

static BerthStatus read_first_line(Lines* lines) {
    static const char first[] = "berth certificate 3";
    Words words;
    if (!next_line_words(lines, &words) || words.left != sizeof first - 1 ||
        memcmp(words.at, first, sizeof first - 1) != 0) {
        return fail_line(lines,
                         "'berth certificate 3'; older versions do not list all that a second verifier "
                         "needs, and have to be made again");
    }
    return BERTH_OK;
}

// The version, and what objects that may move are taken to do.
static BerthStatus read_version(Lines* lines, BerthMoving* moving) {
    const BerthStatus status = read_first_line(lines);
    if (status != BERTH_OK) {
        return status;
    }

    Words words;
    const char* word = NULL;
    size_t length = 0;
    int64_t count = 0;
    const int32_t movers = berth_scene_moving_count(lines->scene);
    *moving = BERTH_MOVING_COUNT;
    if (next_line_words(lines, &words) && take_key(&words, "moving") && take_word(&words, &word, &length)) {
        for (int i = 0; i < BERTH_MOVING_COUNT; ++i) {
            const char* name = berth_moving_name((BerthMoving)i);
            *moving = length == strlen(name) && memcmp(word, name, length) == 0 ? (BerthMoving)i : *moving;
        }
    }

    if (*moving == BERTH_MOVING_COUNT || !take_integer(&words, movers, movers, &count) || words.left > 0) {
        char text[80];
        snprintf(text, sizeof text, "'moving', 'stand' or 'reach', and %d, as the scene has it", (int)movers);
        return fail_line(lines, text);
    }
    return BERTH_OK;
}

static BerthStatus read_header(Lines* lines, BerthCertificate* c) {
    const BerthStatus files = skip_files(lines);
    if (files != BERTH_OK) {
        return files;
    }

    Words words;
    if (!next_line_words(lines, &words) || !take_key(&words, "scene") || !take_hash(&words, c->scene_hash) ||
        words.left > 0) {
        return fail_line(lines, "'scene' and 64 hexadecimal digits");
    }

    if (!next_line_words(lines, &words) || !take_key(&words, "margin") || !take_number(&words, &c->margin) ||
        words.left > 0 || !(c->margin >= 0.0)) {
        return fail_line(lines, "'margin' and a number, 0 or more");
    }
    if (!next_line_words(lines, &words) || !take_key(&words, "self-margin") ||
        !take_number(&words, &c->self_margin) || words.left > 0 || !(c->self_margin >= 0.0)) {
        return fail_line(lines, "'self-margin' and a number, 0 or more");
    }

    if (!next_line_words(lines, &words) || !take_key(&words, "delta") || !take_number(&words, &c->delta) ||
        words.left > 0 || !(c->delta >= 0.0)) {
        return fail_line(lines, "'delta' and a number of at least 0");
    }

    read_interpolation(lines, c);
    const BerthStatus status = read_names(lines, c);
    return status == BERTH_OK ? read_balls(lines) : status;
}

static bool take_pair(Words* words, const BerthScene* scene, int32_t* pair) {
    int64_t a = 0;
    int64_t b = 0;
    if (!take_integer(words, 0, INT32_MAX, &a) || !take_integer(words, 0, INT32_MAX, &b)) {
        return false;
    }
    *pair = bi_scene_find_pair(scene, a, b);
    return *pair >= 0;
}

static bool take_kind(Words* words, uint8_t* kind) {
    static const char* const kinds[PROOF_KIND_COUNT] = {"balls",      "plane", "distance",
                                                        "half-space", "table", "gap"};
    const char* word = NULL;
    size_t length = 0;
    if (!take_word(words, &word, &length)) {
        return false;
    }

    for (int i = 0; i < PROOF_KIND_COUNT; ++i) {
        if (length == strlen(kinds[i]) && memcmp(word, kinds[i], length) == 0) {
            *kind = (uint8_t)i;
            return true;
        }
    }
    return false;
}

// "leaves" and for each body the first and how many.
static bool take_leaves(Words* words, CertificateRecord* record) {
    int32_t* const numbers[4] = {&record->first_a, &record->count_a, &record->first_b, &record->count_b};
    if (!take_key(words, "leaves")) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        int64_t number = 0;
        if (!take_integer(words, i % 2, INT32_MAX, &number)) {
            return false;
        }
        *numbers[i] = (int32_t)number;
    }
    return words->left == 0;
}

// Its kind, its bound, and what belongs to them.
static bool take_proof(Words* words, CertificateRecord* record) {
    if (!take_kind(words, &record->kind) || !take_number(words, &record->bound)) {
        return false;
    }

    Vec3* n = &record->direction;
    const bool has_plane = record->kind == PROOF_PLANE || record->kind == PROOF_GAP;
    if (has_plane &&
        (!take_number(words, &n->x) || !take_number(words, &n->y) || !take_number(words, &n->z))) {
        return false;
    }
    return words->left == 0 || (has_plane && take_leaves(words, record));
}

static bool take_record(Words* words, const BerthScene* scene, CertificateRecord* record) {
    int64_t level = 0;
    int64_t index = 0;
    if (!take_pair(words, scene, &record->pair) || !take_integer(words, 0, CERTIFICATE_LEVEL_MAX, &level) ||
        !take_integer(words, 0, ((int64_t)1 << level) - 1, &index)) {
        return false;
    }

    record->level = (uint8_t)level;
    record->index = (uint64_t)index;
    return take_proof(words, record);
}

static BerthStatus read_constants(Lines* lines, BerthCertificate* c) {
    for (;;) {
        const Lines before = *lines;
        Words words;
        if (!next_line_words(lines, &words) || !take_key(&words, "constant")) {
            *lines = before;
            return BERTH_OK;
        }

        CertificateConstant constant = {0};
        if (!take_pair(&words, lines->scene, &constant.pair) || !take_proof(&words, &constant) ||
            (constant.kind != PROOF_GAP && constant.kind != PROOF_DISTANCE &&
             constant.kind != PROOF_HALF_SPACE)) {
            return fail_line(lines,
                             "'constant', two bodies that never move against each other, 'gap', "
                             "'half-space' or 'distance', a bound, for a gap x y z, and perhaps leaves");
        }
        if (!bi_certificate_add_constant(c, &constant)) {
            return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", lines->path);
        }
    }
}

static BerthStatus read_segment(Lines* lines, BerthCertificate* c) {
    Words words = {lines->text, lines->length};
    int64_t index = 0;
    int64_t count = 0;
    double start = 0.0;
    double duration = 0.0;
    uint8_t hash[SHA256_SIZE];
    const bool timed = c->moving == BERTH_MOVING_REACH;
    if (!take_key(&words, "segment") || !take_integer(&words, c->segment_count, c->segment_count, &index) ||
        !take_integer(&words, 0, INT64_MAX, &count) || !take_hash(&words, hash) ||
        (timed && (!take_number(&words, &start) || !take_number(&words, &duration))) || words.left > 0) {
        return fail_line(lines,
                         timed ? "'segment', its number, how many records it has, 64 hexadecimal digits, "
                                 "and the seconds of its start and of its duration"
                               : "'segment', its number, how many records it has, and 64 hexadecimal "
                                 "digits");
    }

    bool has_room = bi_certificate_begin(c, hash, start, duration);
    for (int64_t i = 0; i < count && has_room; ++i) {
        CertificateRecord record = {0};
        if (!next_line_words(lines, &words) || !take_record(&words, lines->scene, &record)) {
            return fail_line(
                lines,
                "two bodies, level, index, kind of proof, bound, for a plane x y z, and perhaps leaves");
        }
        has_room = bi_certificate_add(c, &record);
    }

    if (!has_room) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", lines->path);
    }
    return bi_certificate_end(c, true);
}

// What is left must be the triangles of the meshes whose leaves are counted, as the scene has them.
static BerthStatus read_meshes(Lines* lines, const char* rest, const BerthCertificate* c,
                               const BerthIoOptions* options) {
    TextOut expected = {.bytes.allocator = bi_allocator_or_default(&options->allocator)};
    BerthStatus status = bi_io_certificate_meshes(c, lines->scene, &expected);
    if (status == BERTH_OK && expected.failed) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", lines->path);
    }

    const size_t size = (size_t)(lines->end - rest);
    if (status == BERTH_OK &&
        (size != expected.bytes.size || (size > 0 && memcmp(rest, expected.bytes.data, size) != 0))) {
        status = fail_line(lines,
                           "a segment, or 'mesh' with the triangles that leaves are counted of, as the "
                           "scene has them");
    }
    bi_io_free_file(&expected.bytes);
    return status;
}

// Segments, up to the first line that is none.
static BerthStatus read_segments(Lines* lines, BerthCertificate* c, const BerthIoOptions* options) {
    static const char key[] = "segment ";
    BerthStatus status = BERTH_OK;
    const char* rest = lines->next;
    while (status == BERTH_OK && next_line(lines) && lines->length >= sizeof key - 1 &&
           memcmp(lines->text, key, sizeof key - 1) == 0) {
        status = read_segment(lines, c);
        rest = lines->next;
    }
    return status == BERTH_OK ? read_meshes(lines, rest, c, options) : status;
}

BerthStatus bi_io_certificate_from_bytes(const char* path, const char* data, size_t size,
                                         const BerthScene* scene, const BerthIoOptions* options,
                                         BerthCertificate** out) {
    *out = NULL;
    Lines lines = {.path = path, .scene = scene};

    if (!scene->committed) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: the scene is not committed", path);
    }
    if (size <= END_SIZE || memcmp(data, "berth certificate ", 18) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: not a certificate: expected 'berth certificate 3'", path);
    }

    BerthStatus status = check_last_line(&lines, data, size);
    if (status != BERTH_OK) {
        return status;
    }

    BerthMoving moving = BERTH_MOVING_STAND;
    status = read_version(&lines, &moving);
    if (status != BERTH_OK) {
        return status;
    }

    BerthCertificate* c = bi_certificate_new(&options->allocator, scene->value_count, 0);
    if (c == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }
    c->pair_count = scene->pair_count;
    c->moving = moving;

    status = read_header(&lines, c);
    if (status == BERTH_OK) {
        status = read_constants(&lines, c);
    }
    if (status == BERTH_OK) {
        status = read_segments(&lines, c, options);
    }

    if (status != BERTH_OK) {
        berth_certificate_destroy(c);
        return status;
    }

    *out = c;
    return BERTH_OK;
}

BerthStatus berth_io_read_certificate(const char* path, const BerthScene* scene,
                                      const BerthIoOptions* options, BerthCertificate** out) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    FileBytes bytes;
    status = bi_io_read_file(path, 0, options, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_certificate_from_bytes(path, bytes.data, bytes.size, scene, options, out);
    }
    bi_io_free_file(&bytes);
    return status;
}

// ---- what it says about itself -----------------------------------------------------------------------------------

bool berth_io_is_certificate(const char* path) {
    static const char first[] = "berth certificate ";
    char found[sizeof first - 1];
    int descriptor = -1;
    int64_t size = 0;
    if (path == NULL || bi_io_open_file(path, NULL, &descriptor, &size) != BERTH_OK) {
        return false;
    }

    const bool is = size >= (int64_t)sizeof found &&
                    bi_io_read_at(descriptor, path, 0, found, sizeof found) == BERTH_OK &&
                    memcmp(found, first, sizeof found) == 0;
    (void)close(descriptor);
    return is;
}

/// The lines that are kept grow.
typedef struct FactsRead {
    BerthCertificateFacts* facts;
    TextOut kept;
} FactsRead;

// A line of the header or one that begins a segment. False when it is not as it should be; records and balls are passed by.
static bool read_fact(FactsRead* read, Words words) {
    BerthCertificateFacts* facts = read->facts;
    const Words line = words;
    const char* key = NULL;
    size_t length = 0;
    int64_t number = 0;
    if (!take_word(&words, &key, &length)) {
        return true;
    }

    const bool file = length == 4 && memcmp(key, "file", 4) == 0;
    if (file || (length == 7 && memcmp(key, "assumed", 7) == 0)) {
        facts->file_count += file;
        bi_text_out_bytes(&read->kept, line.at, line.left);
        bi_text_out_bytes(&read->kept, "\n", 1);
    } else if (length == 6 && memcmp(key, "margin", 6) == 0) {
        return take_number(&words, &facts->margin);
    } else if (length == 11 && memcmp(key, "self-margin", 11) == 0) {
        return take_number(&words, &facts->self_margin);
    } else if (length == 5 && memcmp(key, "delta", 5) == 0) {
        return take_number(&words, &facts->delta);
    } else if (length == 13 && memcmp(key, "interpolation", 13) == 0) {
        (void)snprintf(
            facts->interpolation, sizeof facts->interpolation, "%.*s",
            (int)(words.left < sizeof facts->interpolation ? words.left : sizeof facts->interpolation),
            words.at);
        bi_make_one_line(facts->interpolation);
    } else if (length == 5 && memcmp(key, "value", 5) == 0) {
        facts->value_count += 1;
    } else if (length == 4 && memcmp(key, "body", 4) == 0) {
        facts->body_count += 1;
    } else if (length == 8 && memcmp(key, "constant", 8) == 0) {
        facts->constant_count += 1;
    } else if (length == 7 && memcmp(key, "segment", 7) == 0) {
        const bool right = take_integer(&words, facts->segment_count, facts->segment_count, &number) &&
                           take_integer(&words, 0, INT32_MAX, &number);
        facts->segment_count += 1;
        facts->record_count += number;
        return right;
    }
    return true;
}

// "moving", what is proven of objects that may move, and how many there are.
static bool read_moving(Lines* lines, BerthCertificateFacts* facts) {
    Words words;
    const char* word = NULL;
    size_t length = 0;
    int64_t count = 0;
    if (!next_line_words(lines, &words) || !take_key(&words, "moving") ||
        !take_word(&words, &word, &length) || !take_integer(&words, 0, INT32_MAX, &count)) {
        return false;
    }

    const bool reach = length == 5 && memcmp(word, "reach", 5) == 0;
    facts->moving = reach ? BERTH_MOVING_REACH : BERTH_MOVING_STAND;
    facts->moving_count = (int32_t)count;
    return reach || (length == 5 && memcmp(word, "stand", 5) == 0);
}

static BerthStatus read_facts(const char* path, const FileBytes* file, FactsRead* read) {
    Lines lines = {.path = path};
    if (file->size <= END_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: not a certificate: expected 'berth certificate 3'", path);
    }

    BerthStatus status = check_last_line(&lines, file->data, file->size);
    if (status == BERTH_OK) {
        status = read_first_line(&lines);
    }
    if (status == BERTH_OK && !read_moving(&lines, read->facts)) {
        status = fail_line(&lines, "'moving', 'stand' or 'reach', and a number");
    }

    Words words;
    while (status == BERTH_OK && next_line_words(&lines, &words)) {
        if (!read_fact(read, words)) {
            status = fail_line(&lines, "a number, or the next segment and how many records it has");
        }
    }
    if (status == BERTH_OK && read->kept.failed) {
        status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }
    return status;
}

BerthStatus berth_io_read_certificate_facts(const char* path, const BerthIoOptions* options,
                                            BerthCertificateFacts* out) {
    *out = (BerthCertificateFacts){.segment_count = 0};
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    FileBytes file;
    FactsRead read = {.facts = out, .kept.bytes.allocator = bi_allocator_or_default(&options->allocator)};
    status = bi_io_read_file(path, 0, options, &file);
    if (status == BERTH_OK) {
        bi_text_out_bytes(&read.kept, "", 0);
        status = read_facts(path, &file, &read);
    }
    bi_io_free_file(&file);

    out->lines = read.kept.bytes.data;
    out->lines_capacity = read.kept.bytes.capacity;
    out->allocator = read.kept.bytes.allocator;
    if (status != BERTH_OK) {
        berth_io_free_certificate_facts(out);
    }
    return status;
}

void berth_io_free_certificate_facts(BerthCertificateFacts* facts) {
    bi_give(&facts->allocator, facts->lines, facts->lines_capacity, 1);
    *facts = (BerthCertificateFacts){.segment_count = 0};
}
