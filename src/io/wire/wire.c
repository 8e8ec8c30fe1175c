// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages of a monitor as bytes: little-endian, fixed offsets, a length and a checksum.
// docs/reference/guard.md has the table.
// Entries: berth_wire_write, berth_wire_read; bi_wire_checksum and bi_wire_check are shared with
// wire_json.c.

#include "io/wire/wire.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"

enum { VERSION = 2, HEADER = WIRE_HEADER, CHECKSUM = WIRE_CHECKSUM };
enum { STATE_VELOCITIES = 1, STATE_MODEL = 4, STATE_NAMES = 8, STATE_ECHO = 16 };  // flags of a state
enum { PERMIT_RETREAT = 1 };                                                       // and of a permit
static const uint8_t magic[4] = {'B', 'R', 'T', 'H'};

// Four bits at a time: a cloud's datagram of nine kilobytes takes ten microseconds, and the table fits a cache line.
uint32_t bi_wire_checksum(const void* bytes, size_t size) {
    static const uint32_t table[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu,
                                       0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu,
                                       0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                       0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; ++i) {
        sum ^= ((const uint8_t*)bytes)[i];
        sum = (sum >> 4) ^ table[sum & 15u];
        sum = (sum >> 4) ^ table[sum & 15u];
    }
    return ~sum;
}

/// Bytes that are written or read from the front; `failed` when there are too few.
typedef struct Bytes {
    uint8_t* out;
    const uint8_t* in;
    size_t at, size;
    bool failed;
} Bytes;

// True when so many bytes are left; else the bytes have failed for good.
static bool claim_room(Bytes* bytes, size_t count) {
    bytes->failed = bytes->failed || bytes->size - bytes->at < count;
    return !bytes->failed;
}

static void put_integer(Bytes* bytes, uint64_t value, size_t count) {
    if (claim_room(bytes, count)) {
        for (size_t i = 0; i < count; ++i) {
            bytes->out[bytes->at++] = (uint8_t)(value >> (8 * i));
        }
    }
}

static uint64_t get_integer(Bytes* bytes, size_t count) {
    uint64_t value = 0;
    if (claim_room(bytes, count)) {
        for (size_t i = 0; i < count; ++i) {
            value |= (uint64_t)bytes->in[bytes->at++] << (8 * i);
        }
    }
    return value;
}

static void put_number(Bytes* bytes, double value) {
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_integer(bytes, bits, sizeof bits);
}

static double get_number(Bytes* bytes) {
    const uint64_t bits = get_integer(bytes, sizeof bits);
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_vector(Bytes* bytes, BerthVec3 v) {
    put_number(bytes, v.x);
    put_number(bytes, v.y);
    put_number(bytes, v.z);
}

static BerthVec3 get_vector(Bytes* bytes) {
    BerthVec3 v;
    v.x = get_number(bytes);
    v.y = get_number(bytes);
    v.z = get_number(bytes);
    return v;
}

static void put_permit(Bytes* bytes, const BerthPermit* permit) {
    put_integer(bytes, permit->go ? 1 : 0, 1);
    put_integer(bytes, (uint64_t)permit->reason, 1);
    put_integer(bytes, (uint64_t)permit->cause, 1);
    put_integer(bytes, permit->retreat ? PERMIT_RETREAT : 0, 1);
    put_integer(bytes, (uint64_t)(uint32_t)permit->value, 4);

    put_number(bytes, permit->valid_until);
    put_number(bytes, permit->distance);
    put_number(bytes, permit->required);
    put_number(bytes, permit->approach);
    put_number(bytes, permit->time_to_contact);
    put_number(bytes, permit->scale);
    put_vector(bytes, permit->point_a);
    put_vector(bytes, permit->point_b);
    for (size_t i = 0; i < sizeof permit->model; ++i) {
        put_integer(bytes, permit->model[i], 1);
    }
}

static void get_permit(Bytes* bytes, BerthWireMessage* out) {
    BerthPermit* permit = &out->permit;
    const uint64_t go = get_integer(bytes, 1);
    const uint64_t reason = get_integer(bytes, 1);
    const uint64_t cause = get_integer(bytes, 1);
    const uint64_t flags = get_integer(bytes, 1);
    bytes->failed = bytes->failed || go > 1 || reason >= BERTH_STOP_COUNT || cause >= BERTH_STOP_COUNT ||
                    (go == 1) != (reason == BERTH_STOP_NONE) || flags > PERMIT_RETREAT ||
                    (flags != 0 && reason != BERTH_STOP_NEAR);

    permit->sequence = out->sequence;
    permit->go = go == 1;
    permit->retreat = flags == PERMIT_RETREAT;
    permit->reason = (BerthStop)reason;
    permit->cause = (BerthStop)cause;
    permit->value = (int32_t)(uint32_t)get_integer(bytes, 4);
    permit->source = permit->body_a = permit->body_b = permit->cloud = permit->object = permit->choice = -1;

    permit->valid_until = get_number(bytes);
    permit->distance = get_number(bytes);
    permit->required = get_number(bytes);
    permit->approach = get_number(bytes);
    permit->time_to_contact = get_number(bytes);
    permit->scale = get_number(bytes);
    permit->scale_a = permit->scale_b = permit->scale_cloud = -1;
    permit->point_a = get_vector(bytes);
    permit->point_b = get_vector(bytes);

    for (size_t i = 0; i < sizeof permit->model; ++i) {
        permit->model[i] = (uint8_t)get_integer(bytes, 1);
    }
}

static void put_name(Bytes* bytes, const char* name) {
    const size_t length = strlen(name);
    put_integer(bytes, length, 1);
    for (size_t i = 0; i < length; ++i) {
        put_integer(bytes, (uint8_t)name[i], 1);
    }
}

const char* bi_wire_next_name(const char* name) {
    return name + strlen(name) + 1;
}

static void put_state(Bytes* bytes, const BerthWireMessage* message) {
    const unsigned flags = (message->has_velocities ? STATE_VELOCITIES : 0u) |
                           (message->has_model ? STATE_MODEL : 0u) | (message->has_names ? STATE_NAMES : 0u) |
                           (message->echo != 0 ? STATE_ECHO : 0u);
    put_integer(bytes, (uint64_t)message->count, 2);
    put_integer(bytes, flags, 2);

    for (int32_t i = 0; i < message->count; ++i) {
        put_number(bytes, message->positions[i]);
    }
    for (int32_t i = 0; message->has_velocities && i < message->count; ++i) {
        put_number(bytes, message->velocities[i]);
    }

    if (message->echo != 0) {
        put_integer(bytes, message->echo, 8);
        put_integer(bytes, message->echo_stream, 8);
    }

    // What they are of: the model's hash, and the joints' names.
    for (size_t i = 0; message->has_model && i < sizeof message->model; ++i) {
        put_integer(bytes, message->model[i], 1);
    }
    const char* name = message->names;
    for (int32_t i = 0; message->has_names && i < message->count; ++i, name = bi_wire_next_name(name)) {
        put_name(bytes, name);
    }
}

// Names one behind the other, each with a zero byte at its end; no zero byte may hide in one.
static void get_names(Bytes* bytes, BerthWireMessage* out) {
    size_t at = 0;
    for (int32_t i = 0; i < out->count; ++i) {
        const uint64_t length = get_integer(bytes, 1);
        bytes->failed = bytes->failed || length > BERTH_WIRE_NAME || at + length + 1 > sizeof out->names;
        for (uint64_t k = 0; !bytes->failed && k < length; ++k) {
            out->names[at] = (char)get_integer(bytes, 1);
            bytes->failed = bytes->failed || out->names[at] == '\0';
            at += 1;
        }
        if (bytes->failed) {
            return;
        }
        out->names[at++] = '\0';
    }
}

static void get_state(Bytes* bytes, BerthWireMessage* out) {
    const uint64_t count = get_integer(bytes, 2);
    const uint64_t flags = get_integer(bytes, 2);
    const uint64_t known = STATE_VELOCITIES | STATE_MODEL | STATE_NAMES | STATE_ECHO;
    bytes->failed = bytes->failed || count > BERTH_WIRE_VALUES || (flags & ~known) != 0;

    out->count = bytes->failed ? 0 : (int32_t)count;
    out->has_velocities = (flags & STATE_VELOCITIES) != 0;
    out->has_model = (flags & STATE_MODEL) != 0;
    out->has_names = (flags & STATE_NAMES) != 0;
    for (int32_t i = 0; i < out->count; ++i) {
        out->positions[i] = get_number(bytes);
    }
    for (int32_t i = 0; out->has_velocities && i < out->count; ++i) {
        out->velocities[i] = get_number(bytes);
    }

    if ((flags & STATE_ECHO) != 0) {
        out->echo = get_integer(bytes, 8);
        out->echo_stream = get_integer(bytes, 8);
        bytes->failed = bytes->failed || out->echo == 0;
    }
    for (size_t i = 0; out->has_model && i < sizeof out->model; ++i) {
        out->model[i] = (uint8_t)get_integer(bytes, 1);
    }
    if (out->has_names) {
        get_names(bytes, out);
    }
}

static void put_cloud(Bytes* bytes, const BerthWireMessage* message) {
    put_integer(bytes, (uint64_t)message->first, 4);
    put_integer(bytes, (uint64_t)message->total, 4);
    put_integer(bytes, (uint64_t)message->point_count, 2);
    put_integer(bytes, message->alive ? 1 : 0, 2);
    for (int32_t i = 0; i < message->point_count; ++i) {
        put_vector(bytes, message->points[i]);
    }
}

static void get_cloud(Bytes* bytes, BerthWireMessage* out) {
    const uint64_t first = get_integer(bytes, 4);
    const uint64_t total = get_integer(bytes, 4);
    const uint64_t count = get_integer(bytes, 2);
    const uint64_t flag = get_integer(bytes, 2);
    bytes->failed =
        bytes->failed || first > INT32_MAX || total > INT32_MAX || count > BERTH_WIRE_POINTS || flag > 1;

    out->first = bytes->failed ? 0 : (int32_t)first;
    out->total = bytes->failed ? 0 : (int32_t)total;
    out->point_count = bytes->failed ? 0 : (int32_t)count;
    out->alive = flag == 1;
    for (int32_t i = 0; i < out->point_count; ++i) {
        out->points[i] = get_vector(bytes);
    }
}

enum { CELL_ALIVE = 1, CELL_WHOLE = 2, CELL_UNKNOWN = 4, COUNT_BITS = 30 };

// A run is eight bytes: its first cell, and its count with the colour in the two highest bits.
static void put_cells(Bytes* bytes, const BerthWireMessage* message) {
    const unsigned flags = (message->alive ? CELL_ALIVE : 0u) | (message->whole ? CELL_WHOLE : 0u) |
                           (message->rest == BERTH_CELL_UNKNOWN ? CELL_UNKNOWN : 0u);
    put_integer(bytes, message->since, 8);
    put_integer(bytes, (uint64_t)message->part, 4);
    put_integer(bytes, (uint64_t)message->parts, 4);
    put_integer(bytes, (uint64_t)message->run_count, 2);
    put_integer(bytes, flags, 2);
    for (int32_t i = 0; i < message->run_count; ++i) {
        const BerthCellRun* run = &message->runs[i];
        put_integer(bytes, run->first, 4);
        put_integer(bytes, run->count | (uint32_t)run->colour << COUNT_BITS, 4);
    }
}

static void get_cells(Bytes* bytes, BerthWireMessage* out) {
    out->since = get_integer(bytes, 8);
    const uint64_t part = get_integer(bytes, 4);
    const uint64_t parts = get_integer(bytes, 4);
    const uint64_t count = get_integer(bytes, 2);
    const uint64_t flags = get_integer(bytes, 2);
    bytes->failed = bytes->failed || part > INT32_MAX || parts > INT32_MAX || count > BERTH_WIRE_RUNS ||
                    flags > (CELL_ALIVE | CELL_WHOLE | CELL_UNKNOWN);

    out->part = bytes->failed ? 0 : (int32_t)part;
    out->parts = bytes->failed ? 0 : (int32_t)parts;
    out->run_count = bytes->failed ? 0 : (int32_t)count;
    out->alive = (flags & CELL_ALIVE) != 0;
    out->whole = (flags & CELL_WHOLE) != 0;
    out->rest = (flags & CELL_UNKNOWN) != 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
    for (int32_t i = 0; i < out->run_count; ++i) {
        const uint32_t first = (uint32_t)get_integer(bytes, 4);
        const uint32_t both = (uint32_t)get_integer(bytes, 4);
        out->runs[i] =
            (BerthCellRun){first, both & ((1u << COUNT_BITS) - 1), (BerthCellColour)(both >> COUNT_BITS)};
    }
}

static void get_name(Bytes* bytes, char* name) {
    const uint64_t length = get_integer(bytes, 1);
    bytes->failed = bytes->failed || length > BERTH_WIRE_NAME;
    for (uint64_t i = 0; !bytes->failed && i < length; ++i) {
        name[i] = (char)get_integer(bytes, 1);
    }
}

static BerthStatus check_name(const char* name) {
    for (const char* c = name; *c != '\0'; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f || *c == '"' || *c == '\\') {
            return bi_fail(BERTH_ERR_PARSE, "message: a name with byte %d in it", (int)(unsigned char)*c);
        }
    }
    return BERTH_OK;
}

// As many names as values, within their room.
static BerthStatus check_names(const BerthWireMessage* message) {
    const char* name = message->names;
    const char* end = message->names + sizeof message->names;
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; status == BERTH_OK && i < message->count; ++i) {
        const char* stop = memchr(name, '\0', (size_t)(end - name));
        if (stop == NULL || stop - name > BERTH_WIRE_NAME) {
            return bi_fail(BERTH_ERR_PARSE, "message: names of %d values that do not fit", message->count);
        }
        status = check_name(name);
        name = stop + 1;
    }
    return status;
}

// The points of a part lie within the cloud.
static BerthStatus check_cloud(const BerthWireMessage* message) {
    const int64_t end = (int64_t)message->first + message->point_count;
    if (message->first < 0 || message->point_count < 0 || message->point_count > BERTH_WIRE_POINTS ||
        end > message->total) {
        return bi_fail(BERTH_ERR_PARSE, "message: points %d to %lld of %d, at most %d in one message",
                       message->first, (long long)end, message->total, BERTH_WIRE_POINTS);
    }
    return BERTH_OK;
}

// Parts are of an update, runs are cells of a colour, and only a whole has a rest, only changes a `since`.
static BerthStatus check_cells(const BerthWireMessage* message) {
    bool good = message->parts >= 1 && message->part >= 0 && message->part < message->parts &&
                message->run_count >= 0 && message->run_count <= BERTH_WIRE_RUNS;
    good = good && (message->whole ? message->since == 0 && (message->rest == BERTH_CELL_FREE ||
                                                             message->rest == BERTH_CELL_UNKNOWN)
                                   : message->rest == BERTH_CELL_FREE);
    for (int32_t i = 0; good && i < message->run_count; ++i) {
        const BerthCellRun* run = &message->runs[i];
        good = run->count >= 1 && run->count < 1u << COUNT_BITS && (int)run->colour >= 0 &&
               run->colour < BERTH_CELL_COLOUR_COUNT;
    }
    return good ? BERTH_OK
                : bi_fail(BERTH_ERR_PARSE, "message: part %d of %d of a map, %d runs of cells", message->part,
                          message->parts, message->run_count);
}

BerthStatus bi_wire_check(const BerthWireMessage* message) {
    BerthStatus status = check_name(message->name);
    if (status == BERTH_OK && message->kind == BERTH_WIRE_SWITCH) {
        status = check_name(message->option);
    }
    if (status == BERTH_OK && message->kind == BERTH_WIRE_CLOUD) {
        status = check_cloud(message);
    }
    if (status == BERTH_OK && message->kind == BERTH_WIRE_CELLS) {
        status = check_cells(message);
    }

    if (status != BERTH_OK) {
        return status;
    }
    if (message->count < 0 || message->count > BERTH_WIRE_VALUES) {
        return bi_fail(BERTH_ERR_PARSE, "message: %d values, at most %d are taken", message->count,
                       BERTH_WIRE_VALUES);
    }
    return message->kind == BERTH_WIRE_STATE && message->has_names ? check_names(message) : BERTH_OK;
}

size_t berth_wire_write(const BerthWireMessage* message, void* out, size_t size) {
    if ((int)message->kind < 1 || message->kind >= BERTH_WIRE_KIND_COUNT ||
        bi_wire_check(message) != BERTH_OK || size < HEADER) {
        return 0;
    }

    Bytes bytes = {.out = out, .size = size < BERTH_WIRE_SIZE ? size : BERTH_WIRE_SIZE};
    for (int i = 0; i < 4; ++i) {
        put_integer(&bytes, magic[i], 1);
    }

    put_integer(&bytes, VERSION, 1);
    put_integer(&bytes, (uint64_t)message->kind, 1);
    put_integer(&bytes, 0, 2);  // the length, which is not known yet
    put_integer(&bytes, message->stream, 8);
    put_integer(&bytes, message->sequence, 8);
    put_number(&bytes, message->stamp);
    put_integer(&bytes, 0, 8);
    put_name(&bytes, message->name);

    if (message->kind == BERTH_WIRE_STATE) {
        put_state(&bytes, message);
    } else if (message->kind == BERTH_WIRE_POSE) {
        put_vector(&bytes, message->pose.x);
        put_vector(&bytes, message->pose.y);
        put_vector(&bytes, message->pose.z);
        put_vector(&bytes, message->pose.t);
    } else if (message->kind == BERTH_WIRE_PERMIT) {
        put_permit(&bytes, &message->permit);
    } else if (message->kind == BERTH_WIRE_CLOUD) {
        put_cloud(&bytes, message);
    } else if (message->kind == BERTH_WIRE_SWITCH) {
        put_name(&bytes, message->option);
    } else if (message->kind == BERTH_WIRE_CELLS) {
        put_cells(&bytes, message);
    }

    // The length and the checksum come last, when all else is known.
    const size_t length = bytes.at + CHECKSUM;
    if (bytes.failed || length > bytes.size) {
        return 0;
    }

    bytes.out[6] = (uint8_t)length;
    bytes.out[7] = (uint8_t)(length >> 8);
    put_integer(&bytes, bi_wire_checksum(out, bytes.at), CHECKSUM);
    return length;
}

// What stands behind the body of a signed message; it is cut off. Whether it is right is for who has the key.
static bool take_signature(const uint8_t* in, Bytes* bytes, BerthWireMessage* out) {
    if (bytes->size < HEADER + 1 + WIRE_SIGNATURE) {
        return false;
    }

    Bytes at = {.in = in, .size = bytes->size, .at = bytes->size - WIRE_SIGNATURE};
    bytes->size = at.at;
    out->nonce = get_integer(&at, 8);
    out->answer = get_integer(&at, 8);
    out->signed_size = at.at;
    memcpy(out->tag, in + at.at, sizeof out->tag);
    return true;
}

static BerthStatus read_binary(const uint8_t* in, size_t size, BerthWireMessage* out) {
    Bytes bytes = {.in = in, .size = size - CHECKSUM, .at = 4};
    const uint64_t version = get_integer(&bytes, 1);
    const uint64_t kind_byte = get_integer(&bytes, 1);
    const uint64_t kind = kind_byte & ~(uint64_t)WIRE_SIGNED;
    const uint64_t length = get_integer(&bytes, 2);

    if (version != VERSION) {
        return bi_fail(BERTH_ERR_PARSE, "message: version %d, expected %d", (int)version, VERSION);
    }
    if (length != size) {
        return bi_fail(BERTH_ERR_PARSE, "message: %zu bytes came, it says %d", size, (int)length);
    }

    Bytes sum = {.in = in, .size = size, .at = size - CHECKSUM};
    if (get_integer(&sum, CHECKSUM) != bi_wire_checksum(in, size - CHECKSUM)) {
        return bi_fail(BERTH_ERR_PARSE, "message: its checksum is wrong");
    }

    if ((kind_byte & WIRE_SIGNED) != 0 && !take_signature(in, &bytes, out)) {
        return bi_fail(BERTH_ERR_PARSE, "message: %zu bytes are too few for a signature", size);
    }

    out->kind = (BerthWireKind)kind;
    out->stream = get_integer(&bytes, 8);
    out->sequence = get_integer(&bytes, 8);
    out->stamp = get_number(&bytes);
    const bool empty = get_integer(&bytes, 8) == 0;
    bytes.failed = bytes.failed || !empty;
    get_name(&bytes, out->name);

    if (kind == BERTH_WIRE_STATE) {
        get_state(&bytes, out);
    } else if (kind == BERTH_WIRE_POSE) {
        out->pose.x = get_vector(&bytes);
        out->pose.y = get_vector(&bytes);
        out->pose.z = get_vector(&bytes);
        out->pose.t = get_vector(&bytes);
    } else if (kind == BERTH_WIRE_PERMIT) {
        get_permit(&bytes, out);
    } else if (kind == BERTH_WIRE_CLOUD) {
        get_cloud(&bytes, out);
    } else if (kind == BERTH_WIRE_SWITCH) {
        get_name(&bytes, out->option);
    } else if (kind == BERTH_WIRE_CELLS) {
        get_cells(&bytes, out);
    } else if (kind != BERTH_WIRE_RESET && kind != BERTH_WIRE_HELLO) {
        return bi_fail(BERTH_ERR_PARSE, "message: kind %d is not known", (int)kind);
    }

    if (bytes.failed || bytes.at != bytes.size) {
        return bi_fail(BERTH_ERR_PARSE, "message: its parts do not fill %zu bytes", size);
    }
    return bi_wire_check(out);
}

BerthStatus berth_wire_read(const void* in, size_t size, BerthWireMessage* out) {
    *out = (BerthWireMessage){.stamp = NAN};
    const uint8_t* bytes = in;
    BerthStatus status = BERTH_OK;
    if (size > 0 && bytes[0] == '{') {
        status = bi_wire_read_json(in, size, out);
    } else if (size < HEADER + 1 + CHECKSUM || memcmp(bytes, magic, sizeof magic) != 0) {
        status = bi_fail(BERTH_ERR_PARSE, "message: %zu bytes that begin with neither 'BRTH' nor '{'", size);
    } else {
        status = read_binary(bytes, size, out);
    }

    if (status != BERTH_OK) {
        out->kind = (BerthWireKind)0;
        out->count = out->point_count = out->run_count = 0;
        out->signed_size = 0;
    }
    return status;
}
