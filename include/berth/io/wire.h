// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Messages to and from a monitor, as bytes and as JSON.

#ifndef BERTH_IO_WIRE_H
#define BERTH_IO_WIRE_H

#include <berth/monitor.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What goes over a socket to and from a monitor: docs/reference/guard.md has the bytes. Nothing here allocates.
typedef enum BerthWireKind {
    BERTH_WIRE_STATE = 1,  ///< joints
    BERTH_WIRE_POSE,       ///< an object
    BERTH_WIRE_PERMIT,     ///< what a monitor sends: go until a time, or stop
    BERTH_WIRE_RESET,      ///< asks for permits again after a fault
    BERTH_WIRE_CLOUD,      ///< points of a sensor, or a part of them
    BERTH_WIRE_SWITCH,     ///< which of a choice's options is in force
    BERTH_WIRE_CELLS,      ///< an update of a map, or a part of it
    BERTH_WIRE_HELLO,      ///< a receiver of permits that asks for an answer; nothing in it
    BERTH_WIRE_KIND_COUNT  ///< how many there are
} BerthWireKind;
/// Sizes of messages and their parts.
enum {
    BERTH_WIRE_NAME = 64,     ///< most bytes of a name
    BERTH_WIRE_VALUES = 512,  ///< most values of a state message
    BERTH_WIRE_POINTS = 360,  ///< most points of a message
    BERTH_WIRE_RUNS = 1100,   ///< most runs of cells of a message
    BERTH_WIRE_SIZE = 9216,   ///< most bytes of a message
    BERTH_WIRE_NAMES = 8192,  ///< most bytes of all names of a state message, each with a zero byte behind it
    BERTH_WIRE_TAG = 32,      ///< bytes of a signature: HMAC-SHA256
    BERTH_WIRE_KEY_LEAST = 16,  ///< fewest bytes of a key
    BERTH_WIRE_KEY_MOST = 1024  ///< most bytes of a key
};
/// One message, whatever its kind.
typedef struct BerthWireMessage {
    BerthWireKind kind;                    ///< says which fields count
    uint64_t stream;                       ///< as in BerthMonitorMessage
    uint64_t sequence;                     ///< as in BerthMonitorMessage
    double stamp;                          ///< NaN: none
    char name[BERTH_WIRE_NAME + 1];        ///< of the source, object, cloud or choice
    int32_t count;                         ///< STATE: values
    bool has_velocities;                   ///< STATE: `velocities` are reported
    double positions[BERTH_WIRE_VALUES];   ///< STATE: radian or metre
    double velocities[BERTH_WIRE_VALUES];  ///< STATE: per second
    /// STATE: number of the last permit that the sender had received when it sampled, as its `sequence` has it; 0: not told
    uint64_t echo;
    uint64_t echo_stream;          ///< STATE: and that permit's `stream`
    bool has_model;                ///< STATE: `model` is told
    bool has_names;                ///< STATE: `names` are told
    uint8_t model[32];             ///< STATE: hash of the model that the sender means
    char names[BERTH_WIRE_NAMES];  ///< STATE: of the values, one behind the other, each ended by a zero byte
    BerthPose pose;                ///< POSE
    BerthPermit permit;   ///< PERMIT: `valid_until` is the seconds it lives from now on; bodies are not sent
    int32_t first;        ///< CLOUD: number of the first of these points
    int32_t total;        ///< CLOUD: points in all messages of this sequence
    int32_t point_count;  ///< CLOUD: points here
    bool
        alive;  ///< CLOUD, CELLS: the sensor says that it lives; an empty cloud is free space, and no change an answer, then only
    BerthVec3 points[BERTH_WIRE_POINTS];  ///< CLOUD: in the world, metres
    char option[BERTH_WIRE_NAME + 1];     ///< SWITCH; `name` is the choice
    bool whole;                           ///< CELLS: these and the next as in BerthMonitorCells
    BerthCellColour rest;                 ///< CELLS: of a whole, FREE or UNKNOWN; FREE else
    uint64_t since;                       ///< CELLS: of changes; 0 else
    int32_t part;                         ///< CELLS: number of this part
    int32_t parts;                        ///< CELLS: how many there are
    int32_t run_count;                    ///< CELLS: of `runs`
    BerthCellRun runs[BERTH_WIRE_RUNS];   ///< CELLS: each of at most 2^30 - 1 cells
    size_t signed_size;  ///< read: bytes from the front that the signature is of; 0: it has none
    uint64_t nonce;      ///< read, of a signed one: the guard's, of its present or last fault
    uint64_t answer;     ///< read, of a signed one: of a permit, the stream of its receiver's last message
    uint8_t tag[BERTH_WIRE_TAG];  ///< read, of a signed one: not compared yet, berth_wire_is_signed_by does
} BerthWireMessage;
/// Writes a message in binary form. Returns its bytes, at most BERTH_WIRE_SIZE; 0 when it does not fit or is none
/// (names, counts).
BERTH_API size_t berth_wire_write(const BerthWireMessage* message, void* bytes, size_t size);
/// The same as JSON, without an end of line; a zero byte stands behind it and is not counted.
BERTH_API size_t berth_wire_write_json(const BerthWireMessage* message, char* text, size_t size);
/// Either form. Anything else - another magic number or version, a length or checksum that is wrong, names or counts
/// too long, NaN in JSON - is an error and leaves nothing of use in `out`.
BERTH_API BerthStatus berth_wire_read(const void* bytes, size_t size, BerthWireMessage* out);

/// What messages are signed with: HMAC-SHA256 (RFC 2104).
typedef struct BerthWireKey {
    uint8_t block[64];  ///< the key, filled up with zeros; the sum of one that is longer
} BerthWireKey;
/// A key of these bytes, however many; berth_wire_read_key makes one of a file.
BERTH_API void berth_wire_make_key(const void* bytes, size_t size, BerthWireKey* out);
/// A key is the bytes of a file, without ends of line behind them: `openssl rand -hex 32`. A file that others than its owner
/// and group may read, or others than its owner change, is refused.
BERTH_API BerthStatus berth_wire_read_key(const char* path, BerthWireKey* out);
/// Signs a written message of either form in place, `size` bytes in a buffer of `room`. Returns its new size; 0 when there is
/// no room, or it is signed already. docs/reference/guard.md says what nonce and answer are for.
BERTH_API size_t berth_wire_sign(void* bytes, size_t size, size_t room, uint64_t nonce, uint64_t answer,
                                 const BerthWireKey* key);
/// Did one who has the key sign this? `message` was read from these bytes. Whether its nonce is the right one is for the caller.
BERTH_API bool berth_wire_is_signed_by(const BerthWireMessage* message, const void* bytes,
                                       const BerthWireKey* key);

#ifdef __cplusplus
}
#endif
#endif
