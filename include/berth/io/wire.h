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

/// Kinds of messages to and from a monitor; docs/reference/guard.md defines the bytes. Nothing here
/// allocates.
typedef enum BerthWireKind {
    BERTH_WIRE_STATE = 1,  ///< joints
    BERTH_WIRE_POSE,       ///< an object
    BERTH_WIRE_PERMIT,     ///< from a monitor: go until a time, or stop
    BERTH_WIRE_RESET,      ///< requests permits again after a fault
    BERTH_WIRE_CLOUD,      ///< points of a sensor, all or a part
    BERTH_WIRE_SWITCH,     ///< the option of a choice that is in force
    BERTH_WIRE_CELLS,      ///< an update of a map, all or a part
    BERTH_WIRE_HELLO,      ///< from a receiver of permits, to request an answer; empty
    BERTH_WIRE_KIND_COUNT  ///< how many there are
} BerthWireKind;
/// Limits of messages and their parts.
enum {
    BERTH_WIRE_NAME = 64,     ///< most bytes of a name
    BERTH_WIRE_VALUES = 512,  ///< most values of a state message
    BERTH_WIRE_POINTS = 360,  ///< most points of a message
    BERTH_WIRE_RUNS = 1100,   ///< most runs of cells of a message
    BERTH_WIRE_SIZE = 9216,   ///< most bytes of a message
    BERTH_WIRE_NAMES = 8192,  ///< most bytes of all names of a state message, each with its terminating zero
    BERTH_WIRE_TAG = 32,      ///< bytes of a signature: HMAC-SHA256
    BERTH_WIRE_KEY_LEAST = 16,  ///< fewest bytes of a key
    BERTH_WIRE_KEY_MOST = 1024  ///< most bytes of a key
};
/// One message of any kind.
typedef struct BerthWireMessage {
    BerthWireKind kind;                    ///< determines which fields count
    uint64_t stream;                       ///< as in BerthMonitorMessage
    uint64_t sequence;                     ///< as in BerthMonitorMessage
    double stamp;                          ///< NaN: none
    char name[BERTH_WIRE_NAME + 1];        ///< of the source, object, cloud or choice
    int32_t count;                         ///< STATE: values
    bool has_velocities;                   ///< STATE: `velocities` are given
    double positions[BERTH_WIRE_VALUES];   ///< STATE: radian or metre
    double velocities[BERTH_WIRE_VALUES];  ///< STATE: per second
    /// STATE: number of the last permit that the sender had received when it sampled (its `sequence`); 0:
    /// none
    uint64_t echo;
    uint64_t echo_stream;  ///< STATE: the `stream` of that permit
    bool has_model;        ///< STATE: `model` is given
    bool has_names;        ///< STATE: `names` are given
    uint8_t model[32];     ///< STATE: hash of the model that the sender expects
    /// STATE: names of the values, one after the other, each with a terminating zero
    char names[BERTH_WIRE_NAMES];
    BerthPose pose;       ///< POSE
    BerthPermit permit;   ///< PERMIT: `valid_until` is its remaining lifetime, seconds; bodies are not sent
    int32_t first;        ///< CLOUD: index of the first of these points
    int32_t total;        ///< CLOUD: points in all messages of this sequence
    int32_t point_count;  ///< CLOUD: points in this message
    /// CLOUD, CELLS: the sensor states that it is working: only then is an empty cloud free space, and only
    /// then does "nothing changed" count
    bool alive;
    BerthVec3 points[BERTH_WIRE_POINTS];  ///< CLOUD: in the world, metres
    char option[BERTH_WIRE_NAME + 1];     ///< SWITCH: the option; `name` is the choice
    bool whole;                           ///< CELLS: this and the next fields as in BerthMonitorCells
    BerthCellColour rest;                 ///< CELLS: of a whole map, FREE or UNKNOWN; otherwise FREE
    uint64_t since;                       ///< CELLS: of changes; otherwise 0
    int32_t part;                         ///< CELLS: number of this part, from 0
    int32_t parts;                        ///< CELLS: how many parts there are
    int32_t run_count;                    ///< CELLS: of `runs`
    BerthCellRun runs[BERTH_WIRE_RUNS];   ///< CELLS: each of at most 2^30 - 1 cells
    size_t signed_size;  ///< when read: bytes from the start that the signature covers; 0: not signed
    uint64_t nonce;      ///< when read and signed: the guard's, of its present or last fault
    uint64_t answer;     ///< when read and signed: in a permit, the stream of its receiver's last message
    /// When read and signed: the signature, not yet verified (berth_wire_is_signed_by)
    uint8_t tag[BERTH_WIRE_TAG];
} BerthWireMessage;
/// Writes a message in binary form. Returns its bytes, at most BERTH_WIRE_SIZE; 0 when it does not fit or is
/// not valid (names, counts).
BERTH_API size_t berth_wire_write(const BerthWireMessage* message, void* bytes, size_t size);
/// The same as JSON, without a line end; a terminating zero is written but not counted.
BERTH_API size_t berth_wire_write_json(const BerthWireMessage* message, char* text, size_t size);
/// Reads either form. Anything else - a wrong magic number, version, length or checksum, names or counts that
/// are too long, NaN in JSON - is an error; `out` must then not be used.
BERTH_API BerthStatus berth_wire_read(const void* bytes, size_t size, BerthWireMessage* out);

/// A key to sign messages: HMAC-SHA256 (RFC 2104).
typedef struct BerthWireKey {
    uint8_t block[64];  ///< the key, padded with zeros; the hash of a longer one
} BerthWireKey;
/// Makes a key of any number of bytes; berth_wire_read_key makes one from a file.
BERTH_API void berth_wire_make_key(const void* bytes, size_t size, BerthWireKey* out);
/// Reads a key: the bytes of a file, without trailing line ends, for example from `openssl rand -hex 32`. A
/// file that anyone besides its owner and group may read, or anyone besides its owner may change, is refused.
BERTH_API BerthStatus berth_wire_read_key(const char* path, BerthWireKey* out);
/// Signs a written message of either form in place: `size` bytes in a buffer of `room`. Returns its new size;
/// 0 when there is no room, or it is already signed. docs/reference/guard.md explains nonce and answer.
BERTH_API size_t berth_wire_sign(void* bytes, size_t size, size_t room, uint64_t nonce, uint64_t answer,
                                 const BerthWireKey* key);
/// True when the message was signed with this key; `message` was read from these bytes. Whether its nonce is
/// the right one is for the caller to check.
BERTH_API bool berth_wire_is_signed_by(const BerthWireMessage* message, const void* bytes,
                                       const BerthWireKey* key);

#ifdef __cplusplus
}
#endif
#endif
