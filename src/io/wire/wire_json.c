// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages of a monitor as a line of JSON: one flat object, keys in any order, numbers and lists of numbers and names without
// escapes. Written out here because it must not allocate.
// Entries: berth_wire_write_json, bi_wire_read_json.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/sha256.h"
#include "io/syntax/number.h"
#include "io/syntax/text_out.h"
#include "io/wire/wire.h"

static const char* const kinds[BERTH_WIRE_KIND_COUNT] = {"",      "state",  "pose",  "permit", "reset",
                                                         "cloud", "switch", "cells", "hello"};

/// Text that is written into a buffer; `at` beyond its size: it did not fit.
typedef struct JsonLine {
    char* text;
    size_t at, size;
} JsonLine;

static void add_text(JsonLine* line, const char* text) {
    const size_t length = strlen(text);
    if (line->at + length < line->size) {
        memcpy(line->text + line->at, text, length + 1);
    }
    line->at += length;
}

// Seventeen digits, with a point in every locale; null for what JSON cannot say.
static void add_number(JsonLine* line, double value) {
    char text[TEXT_OUT_NUMBER];
    add_text(line, isfinite(value) ? bi_number_text(value, text) : "null");
}

static void add_list_member(JsonLine* line, const char* key, const double* values, int32_t count) {
    add_text(line, ",\"");
    add_text(line, key);
    add_text(line, "\":[");
    for (int32_t i = 0; i < count; ++i) {
        add_text(line, i > 0 ? "," : "");
        add_number(line, values[i]);
    }
    add_text(line, "]");
}

static void add_integer_member(JsonLine* line, const char* key, uint64_t value) {
    char text[64];
    snprintf(text, sizeof text, ",\"%s\":%llu", key, (unsigned long long)value);
    add_text(line, text);
}

static void add_bool_member(JsonLine* line, const char* key, bool value) {
    add_text(line, ",\"");
    add_text(line, key);
    add_text(line, value ? "\":true" : "\":false");
}

static void add_text_member(JsonLine* line, const char* key, const char* word) {
    add_text(line, ",\"");
    add_text(line, key);
    add_text(line, "\":\"");
    add_text(line, word);
    add_text(line, "\"");
}

static void add_number_member(JsonLine* line, const char* key, double value) {
    add_text(line, ",\"");
    add_text(line, key);
    add_text(line, "\":");
    add_number(line, value);
}

static void add_model_member(JsonLine* line, const uint8_t model[32]) {
    char hash[SHA256_TEXT];
    bi_sha256_text(model, hash);
    add_text_member(line, "model", hash);
}

// What the values of a state are of.
static void add_claims(JsonLine* line, const BerthWireMessage* message) {
    if (message->has_model) {
        add_model_member(line, message->model);
    }
    if (message->has_names) {
        const char* name = message->names;
        add_text(line, ",\"names\":[");
        for (int32_t i = 0; i < message->count; ++i, name = bi_wire_next_name(name)) {
            add_text(line, i > 0 ? ",\"" : "\"");
            add_text(line, name);
            add_text(line, "\"");
        }
        add_text(line, "]");
    }
}

static void add_permit(JsonLine* line, const BerthPermit* permit) {
    add_text_member(line, "verdict", permit->go ? "go" : "stop");
    add_bool_member(line, "retreat", permit->retreat);
    add_text_member(line, "reason", berth_stop_name(permit->reason));
    add_text_member(line, "cause", berth_stop_name(permit->cause));

    add_number_member(line, "valid_for", permit->valid_until);
    add_number_member(line, "distance", permit->distance);
    add_number_member(line, "required", permit->required);
    add_number_member(line, "approach", permit->approach);
    add_number_member(line, "time_to_contact", permit->time_to_contact);
    add_number_member(line, "scale", permit->scale);
    add_list_member(line, "point_a", &permit->point_a.x, 3);
    add_list_member(line, "point_b", &permit->point_b.x, 3);
    add_model_member(line, permit->model);
}

static void add_cells(JsonLine* line, const BerthWireMessage* message) {
    add_bool_member(line, "whole", message->whole);
    add_bool_member(line, "unknown", message->rest == BERTH_CELL_UNKNOWN);
    add_integer_member(line, "since", message->since);
    add_integer_member(line, "part", (uint64_t)message->part);
    add_integer_member(line, "parts", (uint64_t)message->parts);
    add_bool_member(line, "alive", message->alive);

    add_text(line, ",\"runs\":[");
    for (int32_t i = 0; i < message->run_count; ++i) {
        char text[48];
        const BerthCellRun* run = &message->runs[i];
        snprintf(text, sizeof text, "%s%u,%u,%d", i > 0 ? "," : "", run->first, run->count, (int)run->colour);
        add_text(line, text);
    }
    add_text(line, "]");
}

size_t berth_wire_write_json(const BerthWireMessage* message, char* text, size_t size) {
    if ((int)message->kind < 1 || message->kind >= BERTH_WIRE_KIND_COUNT ||
        bi_wire_check(message) != BERTH_OK) {
        return 0;
    }

    JsonLine line = {text, 0, size};
    add_text(&line, "{\"berth\":1");
    add_text_member(&line, "kind", kinds[message->kind]);
    add_text_member(&line, "name", message->name);
    add_integer_member(&line, "stream", message->stream);
    add_integer_member(&line, "sequence", message->sequence);
    add_number_member(&line, "stamp", message->stamp);

    if (message->kind == BERTH_WIRE_STATE) {
        add_list_member(&line, "positions", message->positions, message->count);
        if (message->has_velocities) {
            add_list_member(&line, "velocities", message->velocities, message->count);
        }
        if (message->echo != 0) {
            add_integer_member(&line, "echo", message->echo);
            add_integer_member(&line, "echo_stream", message->echo_stream);
        }
        add_claims(&line, message);
    } else if (message->kind == BERTH_WIRE_POSE) {
        add_list_member(&line, "pose", &message->pose.x.x, 12);
    } else if (message->kind == BERTH_WIRE_PERMIT) {
        add_permit(&line, &message->permit);
    } else if (message->kind == BERTH_WIRE_CLOUD) {
        add_integer_member(&line, "first", (uint64_t)message->first);
        add_integer_member(&line, "total", (uint64_t)message->total);
        add_bool_member(&line, "alive", message->alive);
        add_list_member(&line, "points", &message->points[0].x, 3 * message->point_count);
    } else if (message->kind == BERTH_WIRE_SWITCH) {
        add_text_member(&line, "option", message->option);
    } else if (message->kind == BERTH_WIRE_CELLS) {
        add_cells(&line, message);
    }

    if (line.at >= size) {
        return 0;
    }

    char sum[24];
    snprintf(sum, sizeof sum, ",\"crc\":\"%08x\"}", bi_wire_checksum(text, line.at));
    add_text(&line, sum);
    return line.at < size ? line.at : 0;
}

// ---- reading ---------------------------------------------------------------------------------------------

typedef struct Reader {
    const char* at;
    const char* end;
} Reader;

static void skip_spaces(Reader* r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at += 1;
    }
}

static bool take_character(Reader* r, char c) {
    skip_spaces(r);
    if (r->at < r->end && *r->at == c) {
        r->at += 1;
        return true;
    }
    return false;
}

// A text between quotes, without escapes.
static bool take_text(Reader* r, char* out, size_t size) {
    if (!take_character(r, '"')) {
        return false;
    }

    size_t length = 0;
    while (r->at < r->end && *r->at != '"') {
        if (*r->at == '\\' || (unsigned char)*r->at < 0x20 || length + 1 >= size) {
            return false;
        }
        out[length++] = *r->at++;
    }

    out[length] = '\0';
    return take_character(r, '"');
}

static size_t token_length(const Reader* r) {
    size_t length = 0;
    while (r->at + length < r->end && strchr("+-.0123456789eE", r->at[length]) != NULL &&
           r->at[length] != '\0') {
        length += 1;
    }
    return length;
}

static bool take_number(Reader* r, double* out) {
    skip_spaces(r);
    const size_t length = token_length(r);
    const bool good = bi_parse_double(r->at, length, out);
    r->at += length;
    return good;
}

static bool take_word(Reader* r, const char* word) {
    skip_spaces(r);
    const size_t length = strlen(word);
    if ((size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0) {
        r->at += length;
        return true;
    }
    return false;
}

static bool take_integer(Reader* r, uint64_t* out) {
    skip_spaces(r);
    const size_t length = token_length(r);
    uint64_t value = 0;
    for (size_t i = 0; i < length; ++i) {
        const unsigned digit = (unsigned)(r->at[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }

    r->at += length;
    *out = value;
    return length > 0;
}

static bool take_list(Reader* r, double* out, int32_t most, int32_t* count) {
    *count = 0;
    if (!take_character(r, '[')) {
        return false;
    }
    if (take_character(r, ']')) {
        return true;
    }

    do {
        if (*count >= most || !take_number(r, &out[*count])) {
            return false;
        }
        *count += 1;
    } while (take_character(r, ','));
    return take_character(r, ']');
}

/// Which keys came.
enum {
    SAW_BERTH = 1,
    SAW_KIND = 2,
    SAW_NAME = 4,
    SAW_STREAM = 8,
    SAW_SEQUENCE = 16,
    SAW_STAMP = 32,
    SAW_POSITIONS = 64,
    SAW_VELOCITIES = 128,
    SAW_POSE = 256,
    SAW_SUM = 512,
    SAW_FIRST = 1024,
    SAW_TOTAL = 2048,
    SAW_ALIVE = 4096,
    SAW_POINTS = 8192,
    SAW_OPTION = 16384,
    SAW_WHOLE = 32768,
    SAW_UNKNOWN = 65536,
    SAW_SINCE = 1 << 17,
    SAW_PART = 1 << 18,
    SAW_PARTS = 1 << 19,
    SAW_RUNS = 1 << 20,
    SAW_ECHO = 1 << 21,
    SAW_ECHO_STREAM = 1 << 22,
    SAW_MODEL = 1 << 24,
    SAW_NAMES = 1 << 25,
    SAW_NONCE = 1 << 26,
    SAW_ANSWER = 1 << 27,
    SAW_HMAC = 1 << 28,
    SAW_CLOUD = SAW_FIRST | SAW_TOTAL | SAW_ALIVE | SAW_POINTS,
    SAW_CELLS = SAW_WHOLE | SAW_UNKNOWN | SAW_SINCE | SAW_PART | SAW_PARTS | SAW_ALIVE | SAW_RUNS,
    SAW_SENSOR = SAW_CLOUD | SAW_CELLS
};

/// Lists whose lengths have to agree with another one's.
typedef struct JsonCounts {
    int32_t velocities, names;
} JsonCounts;

static bool read_kind(Reader* r, BerthWireMessage* out) {
    char word[16];
    if (!take_text(r, word, sizeof word)) {
        return false;
    }
    for (int k = 1; k < BERTH_WIRE_KIND_COUNT; ++k) {
        if (strcmp(word, kinds[k]) == 0) {
            out->kind = (BerthWireKind)k;
            return true;
        }
    }
    return false;
}

static bool read_pose(Reader* r, BerthWireMessage* out) {
    int32_t count = 0;
    return take_list(r, &out->pose.x.x, 12, &count) && count == 12;
}

static bool take_bool(Reader* r, bool* out) {
    *out = take_word(r, "true");
    return *out || take_word(r, "false");
}

static bool take_index(Reader* r, int32_t* out) {
    uint64_t number = 0;
    const bool good = take_integer(r, &number) && number <= INT32_MAX;
    *out = good ? (int32_t)number : 0;
    return good;
}

static bool read_points(Reader* r, BerthWireMessage* out) {
    int32_t count = 0;
    const bool good = take_list(r, &out->points[0].x, 3 * BERTH_WIRE_POINTS, &count) && count % 3 == 0;
    out->point_count = good ? count / 3 : 0;
    return good;
}

// Flat: the first cell, how many, and their colour, again and again.
static bool read_runs(Reader* r, BerthWireMessage* out) {
    out->run_count = 0;
    if (!take_character(r, '[')) {
        return false;
    }
    if (take_character(r, ']')) {
        return true;
    }

    do {
        uint64_t numbers[3] = {0};
        for (int k = 0; k < 3; ++k) {
            if ((k > 0 && !take_character(r, ',')) || !take_integer(r, &numbers[k]) ||
                numbers[k] > UINT32_MAX) {
                return false;
            }
        }
        if (out->run_count >= BERTH_WIRE_RUNS || numbers[2] >= BERTH_CELL_COLOUR_COUNT) {
            return false;
        }
        out->runs[out->run_count++] =
            (BerthCellRun){(uint32_t)numbers[0], (uint32_t)numbers[1], (BerthCellColour)numbers[2]};
    } while (take_character(r, ','));
    return take_character(r, ']');
}

// The keys of maps. 0: it is none of them, or wrong.
static int read_cells_member(Reader* r, const char* key, BerthWireMessage* out) {
    bool unknown = false;
    if (strcmp(key, "whole") == 0) {
        return take_bool(r, &out->whole) ? SAW_WHOLE : 0;
    }
    if (strcmp(key, "unknown") == 0) {
        const bool good = take_bool(r, &unknown);
        out->rest = unknown ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
        return good ? SAW_UNKNOWN : 0;
    }

    if (strcmp(key, "since") == 0) {
        return take_integer(r, &out->since) ? SAW_SINCE : 0;
    }
    if (strcmp(key, "part") == 0) {
        return take_index(r, &out->part) ? SAW_PART : 0;
    }
    if (strcmp(key, "parts") == 0) {
        return take_index(r, &out->parts) ? SAW_PARTS : 0;
    }
    return strcmp(key, "runs") == 0 && read_runs(r, out) ? SAW_RUNS : 0;
}

// The keys of clouds and switches, and what maps have beside them. 0: it is none of them, or wrong.
static int read_other_member(Reader* r, const char* key, BerthWireMessage* out) {
    if (strcmp(key, "first") == 0) {
        return take_index(r, &out->first) ? SAW_FIRST : 0;
    }
    if (strcmp(key, "total") == 0) {
        return take_index(r, &out->total) ? SAW_TOTAL : 0;
    }
    if (strcmp(key, "alive") == 0) {
        return take_bool(r, &out->alive) ? SAW_ALIVE : 0;
    }
    if (strcmp(key, "points") == 0) {
        return read_points(r, out) ? SAW_POINTS : 0;
    }

    if (strcmp(key, "option") == 0) {
        return take_text(r, out->option, sizeof out->option) ? SAW_OPTION : 0;
    }
    return read_cells_member(r, key, out);
}

// 64 hexadecimal digits, in small letters.
static bool take_hash(Reader* r, uint8_t out[SHA256_SIZE]) {
    char word[SHA256_TEXT];
    if (!take_text(r, word, sizeof word) || strlen(word) != SHA256_TEXT - 1 ||
        strspn(word, "0123456789abcdef") != SHA256_TEXT - 1) {
        return false;
    }
    for (int i = 0; i < SHA256_SIZE; ++i) {
        const char digits[3] = {word[2 * i], word[2 * i + 1], '\0'};
        out[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return true;
}

static bool read_names(Reader* r, BerthWireMessage* out, int32_t* count) {
    size_t at = 0;
    *count = 0;
    if (!take_character(r, '[')) {
        return false;
    }
    if (take_character(r, ']')) {
        return true;
    }

    do {
        char name[BERTH_WIRE_NAME + 1];
        if (*count >= BERTH_WIRE_VALUES || !take_text(r, name, sizeof name)) {
            return false;
        }
        const size_t room = strlen(name) + 1;
        if (at + room > sizeof out->names) {
            return false;
        }
        memcpy(out->names + at, name, room);
        at += room;
        *count += 1;
    } while (take_character(r, ','));
    return take_character(r, ']');
}

// The keys of who speaks, and of what. 0: it is none of them, or wrong.
static int read_claim(Reader* r, const char* text, const char* before, const char* key, JsonCounts* counts,
                      BerthWireMessage* out) {
    if (strcmp(key, "model") == 0) {
        return take_hash(r, out->model) ? SAW_MODEL : 0;
    }
    if (strcmp(key, "names") == 0) {
        return read_names(r, out, &counts->names) ? SAW_NAMES : 0;
    }

    if (strcmp(key, "echo") == 0) {
        return take_integer(r, &out->echo) && out->echo != 0 ? SAW_ECHO : 0;
    }
    if (strcmp(key, "echo_stream") == 0) {
        return take_integer(r, &out->echo_stream) ? SAW_ECHO_STREAM : 0;
    }
    if (strcmp(key, "nonce") == 0) {
        return take_integer(r, &out->nonce) ? SAW_NONCE : 0;
    }
    if (strcmp(key, "answer") == 0) {
        return take_integer(r, &out->answer) ? SAW_ANSWER : 0;
    }
    if (strcmp(key, "hmac") == 0) {
        out->signed_size = (size_t)(before - text);  // everything before the comma in front of it
        return take_hash(r, out->tag) ? SAW_HMAC : 0;
    }
    return 0;
}

static bool check_sum(Reader* r, const char* text, const char* key_start) {
    char word[16];
    char wanted[16];
    // The sum is of everything before the comma in front of it.
    snprintf(wanted, sizeof wanted, "%08x", bi_wire_checksum(text, (size_t)(key_start - text)));
    return take_text(r, word, sizeof word) && strcmp(word, wanted) == 0;
}

// One key and its value. 0: wrong.
static int read_member(Reader* r, const char* text, BerthWireMessage* out, JsonCounts* counts) {
    const char* before = r->at - 1;  // the comma or brace
    char key[24];
    uint64_t number = 0;
    if (!take_text(r, key, sizeof key) || !take_character(r, ':')) {
        return 0;
    }

    if (strcmp(key, "berth") == 0) {
        return take_integer(r, &number) && number == 1 ? SAW_BERTH : 0;
    }
    if (strcmp(key, "kind") == 0) {
        return read_kind(r, out) ? SAW_KIND : 0;
    }
    if (strcmp(key, "name") == 0) {
        return take_text(r, out->name, sizeof out->name) ? SAW_NAME : 0;
    }
    if (strcmp(key, "stream") == 0) {
        return take_integer(r, &out->stream) ? SAW_STREAM : 0;
    }
    if (strcmp(key, "sequence") == 0) {
        return take_integer(r, &out->sequence) ? SAW_SEQUENCE : 0;
    }
    if (strcmp(key, "stamp") == 0) {
        return take_word(r, "null") || take_number(r, &out->stamp) ? SAW_STAMP : 0;
    }
    if (strcmp(key, "positions") == 0) {
        return take_list(r, out->positions, BERTH_WIRE_VALUES, &out->count) ? SAW_POSITIONS : 0;
    }
    if (strcmp(key, "velocities") == 0) {
        return take_list(r, out->velocities, BERTH_WIRE_VALUES, &counts->velocities) ? SAW_VELOCITIES : 0;
    }
    if (strcmp(key, "pose") == 0) {
        return read_pose(r, out) ? SAW_POSE : 0;
    }

    if (strcmp(key, "crc") == 0) {
        return check_sum(r, text, before) ? SAW_SUM : 0;
    }
    const int claim = read_claim(r, text, before, key, counts, out);
    return claim != 0 ? claim : read_other_member(r, key, out);
}

BerthStatus bi_wire_read_json(const char* text, size_t size, BerthWireMessage* out) {
    Reader r = {text, text + size};
    int saw = 0;
    JsonCounts counts = {0};
    bool good = take_character(&r, '{');

    do {
        const int one = good ? read_member(&r, text, out, &counts) : 0;
        good = one != 0 && (saw & one) == 0 && (saw & SAW_SUM) == 0;  // the sum comes last
        good =
            good && ((saw & SAW_HMAC) == 0 || one == SAW_SUM);  // and before it the signature: it is of all
        saw |= one;
    } while (good && take_character(&r, ','));

    good = good && take_character(&r, '}');
    skip_spaces(&r);
    if (!good || r.at != r.end) {
        return bi_fail(BERTH_ERR_PARSE, "message: JSON that is wrong at byte %zu, or whose 'crc' is",
                       (size_t)(r.at - text));
    }

    // Exactly the keys of its kind.
    int sensor = 0;
    if (out->kind == BERTH_WIRE_CLOUD || out->kind == BERTH_WIRE_CELLS) {
        sensor = out->kind == BERTH_WIRE_CLOUD ? SAW_CLOUD : SAW_CELLS;
    }
    const int all = SAW_BERTH | SAW_KIND | SAW_NAME | SAW_STREAM | SAW_SEQUENCE | SAW_SUM;
    const bool is_state = out->kind == BERTH_WIRE_STATE;
    out->has_velocities = (saw & SAW_VELOCITIES) != 0;
    out->has_model = (saw & SAW_MODEL) != 0;
    out->has_names = (saw & SAW_NAMES) != 0;
    if ((saw & all) != all || is_state != ((saw & SAW_POSITIONS) != 0) ||
        (out->has_velocities && (!is_state || counts.velocities != out->count)) ||
        (out->has_names && (!is_state || counts.names != out->count)) || (out->has_model && !is_state) ||
        (out->echo != 0 && !is_state) || ((saw & SAW_ECHO) != 0) != ((saw & SAW_ECHO_STREAM) != 0) ||
        ((saw & SAW_NONCE) != 0) != ((saw & SAW_HMAC) != 0) ||
        ((saw & SAW_ANSWER) != 0 && (saw & SAW_HMAC) == 0) ||
        (out->kind == BERTH_WIRE_POSE) != ((saw & SAW_POSE) != 0) || (saw & SAW_SENSOR) != sensor ||
        (out->kind == BERTH_WIRE_SWITCH) != ((saw & SAW_OPTION) != 0)) {
        return bi_fail(BERTH_ERR_PARSE, "message: JSON lacks a key, or has one that its kind does not have");
    }

    if (out->kind == BERTH_WIRE_PERMIT) {
        return bi_fail(BERTH_ERR_PARSE, "message: permits are read in their binary form only");
    }
    return bi_wire_check(out);
}
