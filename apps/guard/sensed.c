// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A topic of a cloud or an object belongs to the writer that sent on it first. If that one is silent for half a second,
// another one may take over with a new stream, to which the monitor reacts with STOP until a reset. A message counts if
// its stamp is later than that writer's last one.
// Entries: sensed_open, sensed_receive_*, sensed_next, sensed_release, sensed_close.

#include "sensed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POSES_MAX = 256,  // waiting for the loop
    CLOUDS_MAX = 4,   // per topic
    MESSAGES_MAX = 512,
    TOPIC_TEXT = 256,
    FLOAT32 = 7,
    FLOAT64 = 8
};

/// Seconds of silence after which an owner may lose its topic.
static const double TAKEOVER_SECONDS = 0.5;
/// How far the length of a quaternion may be from one: allows for rounding, but not for values that are not a rotation.
static const double QUATERNION_TOLERANCE = 1e-2;

typedef struct Owner {
    uint64_t writer, stream, sequence;
    bool is_owned;
    double stamp, received;
    double offset;  // receipt minus stamp of its first message
} Owner;

typedef struct Topic {
    char name[TOPIC_TEXT];
    SensedKind kind;
    int32_t cloud, mover, capacity;
    bool invalid_free, empty_free;
    Owner owner;  // of a cloud
    BerthVec3* points[CLOUDS_MAX];
    int32_t next_points;
    atomic_int in_use;  // of `points`: taken by the receiver, returned by the loop
} Topic;

typedef struct Frame {
    char name[TOPIC_TEXT];
    BerthPose pose;
} Frame;

typedef struct Mover {
    BerthObjectId id;
    const char* name;
    Owner owner;
} Mover;

struct Sensed {
    Topic topics[GUARD_LIST_MAX];
    int32_t topic_count;
    Frame frames[GUARD_LIST_MAX + 1];
    int32_t frame_count;
    Mover* movers;
    int32_t mover_count;
    SensedMessage queue[MESSAGES_MAX];
    int16_t from[MESSAGES_MAX];  // topic whose points a message has; -1: a pose
    atomic_size_t head, tail;    // head is written by the receiver, tail by the loop
    atomic_int poses;            // number of waiting poses
};

// ---- what is asked for ---------------------------------------------------------------------------------------

static BerthPose pose_of(const double position[3], const double m[3][3]) {
    return (BerthPose){{m[0][0], m[1][0], m[2][0]},
                       {m[0][1], m[1][1], m[2][1]},
                       {m[0][2], m[1][2], m[2][2]},
                       {position[0], position[1], position[2]}};
}

// Roll, pitch and yaw about fixed axes, as in URDF.
static BerthPose pose_from_angles(const double v[6]) {
    const double cr = cos(v[3]), sr = sin(v[3]), cp = cos(v[4]), sp = sin(v[4]), cy = cos(v[5]),
                 sy = sin(v[5]);
    const double m[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                            {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                            {-sp, cp * sr, cp * cr}};
    return pose_of(v, m);
}

// X/Y/Z or X/Y/Z/ROLL/PITCH/YAW.
static bool read_place(const char* text, double out[6]) {
    int count = 0;
    memset(out, 0, 6 * sizeof *out);
    for (const char* at = text; count < 6; ++count) {
        char* end = NULL;
        out[count] = strtod(at, &end);
        if (end == at || !isfinite(out[count]) || (*end != '/' && *end != '\0')) {
            return false;
        }
        if (*end == '\0') {
            return count == 2 || count == 5;
        }
        at = end + 1;
    }
    return false;
}

static Frame* find_frame(Sensed* sensed, const char* name) {
    name += name[0] == '/';  // as in ROS 1
    for (int32_t i = 0; i < sensed->frame_count; ++i) {
        if (strcmp(sensed->frames[i].name, name) == 0) {
            return &sensed->frames[i];
        }
    }
    return NULL;
}

static bool read_frame(Sensed* sensed, const char* text, GuardError* error) {
    const char* equals = strchr(text, '=');
    const size_t size = equals != NULL ? (size_t)(equals - text) : strlen(text);
    double place[6] = {0};
    Frame* frame = &sensed->frames[sensed->frame_count];

    if (size == 0 || size >= sizeof frame->name || (equals != NULL && !read_place(equals + 1, place))) {
        return guard_fail(error, GUARD_WRONG, "--frame '%s': expected NAME or NAME=X/Y/Z[/ROLL/PITCH/YAW]",
                          text);
    }

    memcpy(frame->name, text, size);
    frame->name[size] = '\0';
    frame->pose = pose_from_angles(place);
    if (find_frame(sensed, frame->name) != NULL) {
        return guard_fail(error, GUARD_WRONG, "--frame %s is given twice", frame->name);
    }
    sensed->frame_count += 1;
    return true;
}

static bool read_frames(Sensed* sensed, const GuardSettings* settings, GuardError* error) {
    for (int i = 0; i < settings->frame_count; ++i) {
        if (!read_frame(sensed, settings->frames[i], error)) {
            return false;
        }
    }
    return find_frame(sensed, "world") != NULL || read_frame(sensed, "world", error);
}

// After the topic's name: ,invalid:free and ,empty:free.
static bool read_topic_keys(Topic* topic, const char* keys) {
    while (*keys == ',') {
        keys += 1;
        const size_t size = strcspn(keys, ",");
        if (size == strlen("invalid:free") && memcmp(keys, "invalid:free", size) == 0) {
            topic->invalid_free = true;
        } else if (size == strlen("empty:free") && memcmp(keys, "empty:free", size) == 0) {
            topic->empty_free = true;
        } else {
            return false;
        }
        keys += size;
    }
    return *keys == '\0' && (topic->kind == SENSED_CLOUD || !(topic->invalid_free || topic->empty_free));
}

static bool find_named(const Sensed* sensed, const GuardSettings* settings, const char* text, size_t size,
                       Topic* topic) {
    for (int32_t i = 0; i < settings->def.cloud_count; ++i) {
        const BerthMonitorCloud* cloud = &settings->def.clouds[i];
        if (strlen(cloud->name) == size && memcmp(cloud->name, text, size) == 0 && cloud->grid == NULL) {
            topic->kind = SENSED_CLOUD;
            topic->cloud = i;
            topic->capacity = cloud->capacity;
            return true;
        }
    }

    for (int32_t i = 0; i < sensed->mover_count; ++i) {
        if (strlen(sensed->movers[i].name) == size && memcmp(sensed->movers[i].name, text, size) == 0) {
            topic->kind = SENSED_POSE;
            topic->mover = i;
            return true;
        }
    }
    return false;
}

static bool allocate_points(Topic* topic) {
    for (int i = 0; topic->kind == SENSED_CLOUD && i < CLOUDS_MAX; ++i) {
        topic->points[i] = calloc((size_t)topic->capacity, sizeof *topic->points[i]);
        if (topic->points[i] == NULL) {
            return false;
        }
        memset(topic->points[i], 0xff, (size_t)topic->capacity * sizeof *topic->points[i]);  // touched now
    }
    return true;
}

// NAME=/TOPIC,KEYS or /TOPIC.
static bool read_topic(Sensed* sensed, const GuardSettings* settings, const char* text, GuardError* error) {
    Topic* topic = &sensed->topics[sensed->topic_count];
    const char* equals = text[0] == '/' ? NULL : strchr(text, '=');
    const char* name = equals != NULL ? equals + 1 : text;
    const size_t size = strcspn(name, ",");
    *topic = (Topic){.kind = SENSED_TRANSFORMS, .cloud = -1, .mover = -1};

    if (name[0] != '/' || size < 2 || size >= sizeof topic->name - 2) {
        return guard_fail(
            error, GUARD_WRONG,
            "--topic '%s': expected NAME=/TOPIC of a cloud or an object, or /TOPIC of transforms", text);
    }
    if (equals != NULL && !find_named(sensed, settings, text, (size_t)(equals - text), topic)) {
        return guard_fail(error, GUARD_WRONG,
                          "--topic '%s': '%.*s' is neither a --cloud nor a moving object or person", text,
                          (int)(equals - text), text);
    }
    for (int32_t i = 0; topic->cloud >= 0 && i < sensed->topic_count; ++i) {
        if (sensed->topics[i].cloud == topic->cloud) {
            return guard_fail(error, GUARD_WRONG, "--topic '%s': this cloud already has a topic", text);
        }
    }
    if (!read_topic_keys(topic, name + size)) {
        return guard_fail(
            error, GUARD_WRONG,
            "--topic '%s': expected only ,invalid:free and ,empty:free after the topic of a cloud", text);
    }

    memcpy(topic->name, name, size);
    sensed->topic_count += 1;  // its memory is freed at the end from here on
    return allocate_points(topic) || guard_fail(error, GUARD_MACHINE, "out of memory");
}

static bool take_movers(Sensed* sensed, const GuardSettings* settings, const BerthObjectId* movers,
                        int32_t count) {
    sensed->movers = calloc((size_t)count + 1, sizeof *sensed->movers);
    for (int32_t i = 0; sensed->movers != NULL && i < count; ++i) {
        BerthObjectInfo info;
        if (berth_scene_object(settings->scene, movers[i], &info) == BERTH_OK && info.name != NULL) {
            sensed->movers[sensed->mover_count++] = (Mover){.id = movers[i], .name = info.name};
        }
    }
    return sensed->movers != NULL;
}

bool sensed_open(const GuardSettings* settings, const BerthObjectId* movers, int32_t mover_count,
                 Sensed** out, GuardError* error) {
    *out = NULL;
    if (settings->topic_count == 0) {
        return settings->frame_count == 0 ||
               guard_fail(error, GUARD_WRONG, "--frame is only for messages of a --topic");
    }

    Sensed* sensed = calloc(1, sizeof *sensed);
    if (sensed == NULL || !take_movers(sensed, settings, movers, mover_count)) {
        sensed_close(sensed);
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    bool good = read_frames(sensed, settings, error);
    for (int i = 0; good && i < settings->topic_count; ++i) {
        good = read_topic(sensed, settings, settings->topics[i], error);
    }
    if (!good) {
        sensed_close(sensed);
        return false;
    }
    *out = sensed;
    return true;
}

void sensed_close(Sensed* sensed) {
    if (sensed == NULL) {
        return;
    }
    for (int32_t t = 0; t < sensed->topic_count; ++t) {
        for (int i = 0; i < CLOUDS_MAX; ++i) {
            free(sensed->topics[t].points[i]);
        }
    }
    free(sensed->movers);
    free(sensed);
}

int32_t sensed_topic_count(const Sensed* sensed) {
    return sensed != NULL ? sensed->topic_count : 0;
}

const char* sensed_topic(const Sensed* sensed, int32_t topic, SensedKind* kind) {
    *kind = sensed->topics[topic].kind;
    return sensed->topics[topic].name;
}

int32_t sensed_believed_empty(const Sensed* sensed) {
    int32_t count = 0;
    for (int32_t i = 0; i < sensed_topic_count(sensed); ++i) {
        count += sensed->topics[i].invalid_free || sensed->topics[i].empty_free;
    }
    return count;
}

// ---- whose it is, and whether it is new ------------------------------------------------------------------------

static SensedOutcome admit(Owner* owner, const SensedHead* head, SensedMessage* out) {
    const double stamp = (double)head->seconds + 1e-9 * (double)head->nanoseconds;
    if (head->nanoseconds >= 1000000000u || !(stamp > 0.0) || !isfinite(head->received)) {
        return SENSED_MALFORMED;
    }

    const bool silent = head->received - owner->received > TAKEOVER_SECONDS;
    if (owner->is_owned && owner->writer != head->writer && !silent) {
        return SENSED_STRANGER;
    }
    if (!owner->is_owned || owner->writer != head->writer) {
        const uint64_t stream = owner->stream + owner->is_owned;
        *owner = (Owner){.writer = head->writer,
                         .stream = stream,
                         .is_owned = true,
                         .stamp = -INFINITY,
                         .offset = head->received - stamp};
    }
    if (!(stamp > owner->stamp)) {
        return SENSED_STALE;
    }

    owner->stamp = stamp;
    owner->received = head->received;
    owner->sequence += 1;
    *out = (SensedMessage){.stream = owner->stream,
                           .sequence = owner->sequence,
                           .stamp = stamp + owner->offset,
                           .skew = stamp - head->wall,
                           .received = head->received,
                           .cloud = -1};
    return SENSED_TAKEN;
}

// ---- from the receiver to the loop -----------------------------------------------------------------------------

static bool queue_message(Sensed* sensed, const SensedMessage* message, int32_t topic) {
    const size_t head = atomic_load_explicit(&sensed->head, memory_order_relaxed);
    if (head - atomic_load_explicit(&sensed->tail, memory_order_acquire) >= MESSAGES_MAX) {
        return false;
    }
    sensed->queue[head % MESSAGES_MAX] = *message;
    sensed->from[head % MESSAGES_MAX] = (int16_t)topic;
    atomic_store_explicit(&sensed->head, head + 1, memory_order_release);
    return true;
}

// Poses leave room for clouds.
static SensedOutcome queue_pose(Sensed* sensed, const SensedMessage* message) {
    if (atomic_load(&sensed->poses) >= POSES_MAX) {
        return SENSED_LOST;
    }
    atomic_fetch_add(&sensed->poses, 1);
    if (!queue_message(sensed, message, -1)) {
        atomic_fetch_sub(&sensed->poses, 1);
        return SENSED_LOST;
    }
    return SENSED_TAKEN;
}

const SensedMessage* sensed_next(Sensed* sensed) {
    const size_t tail = atomic_load_explicit(&sensed->tail, memory_order_relaxed);
    return tail == atomic_load_explicit(&sensed->head, memory_order_acquire)
               ? NULL
               : &sensed->queue[tail % MESSAGES_MAX];
}

void sensed_release(Sensed* sensed) {
    const size_t tail = atomic_load_explicit(&sensed->tail, memory_order_relaxed);
    const int16_t topic = sensed->from[tail % MESSAGES_MAX];
    atomic_fetch_sub(topic >= 0 ? &sensed->topics[topic].in_use : &sensed->poses, 1);
    atomic_store_explicit(&sensed->tail, tail + 1, memory_order_release);
}

// ---- clouds --------------------------------------------------------------------------------------------------

static uint64_t load_bits(const uint8_t* bytes, size_t count, bool big_endian) {
    uint64_t bits = 0;
    for (size_t i = 0; i < count; ++i) {
        bits |= (uint64_t)bytes[big_endian ? count - 1 - i : i] << (8 * i);
    }
    return bits;
}

static double load_number(const uint8_t* bytes, uint8_t type, bool big_endian) {
    if (type == FLOAT64) {
        const uint64_t bits = load_bits(bytes, 8, big_endian);
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const uint32_t bits = (uint32_t)load_bits(bytes, 4, big_endian);
    float value = 0.0F;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

// x, y and z, each once, each within a point.
static bool find_coordinates(const SensedCloud* cloud, const SensedField* out[3]) {
    out[0] = out[1] = out[2] = NULL;
    for (uint32_t i = 0; i < cloud->field_count; ++i) {
        const SensedField* field = &cloud->fields[i];
        const bool is_axis =
            field->name != NULL && field->name[0] >= 'x' && field->name[0] <= 'z' && field->name[1] == '\0';
        if (!is_axis) {
            continue;
        }

        const SensedField** at = &out[field->name[0] - 'x'];
        const uint64_t size = field->type == FLOAT64 ? 8 : 4;
        if (*at != NULL || (field->type != FLOAT32 && field->type != FLOAT64) || field->count > 1 ||
            field->offset + size > cloud->point_step) {
            return false;
        }
        *at = field;
    }
    return out[0] != NULL && out[1] != NULL && out[2] != NULL;
}

// Every point lies within the received bytes. Each product is of two numbers below 2^32.
static bool sizes_agree(const SensedCloud* cloud) {
    if (cloud->width == 0 || cloud->height == 0) {
        return true;
    }
    const uint64_t row = (uint64_t)cloud->width * cloud->point_step;
    const uint64_t rows = (uint64_t)(cloud->height - 1) * cloud->row_step;
    return (cloud->height == 1 || row <= cloud->row_step) && row <= cloud->size && rows <= cloud->size - row;
}

static BerthVec3 place_point(const BerthPose* pose, const double p[3]) {
    return (BerthVec3){pose->x.x * p[0] + pose->y.x * p[1] + pose->z.x * p[2] + pose->t.x,
                       pose->x.y * p[0] + pose->y.y * p[1] + pose->z.y * p[2] + pose->t.y,
                       pose->x.z * p[0] + pose->y.z * p[1] + pose->z.z * p[2] + pose->t.z};
}

// For a cloud that is too large, one more than the capacity is enough to know.
static void take_points(const Topic* topic, const SensedCloud* cloud, const SensedField* const axes[3],
                        const BerthPose* frame, SensedMessage* out) {
    const uint32_t rows =
        cloud->width > 0 ? cloud->height : 0;  // the number of rows without points is arbitrary
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < cloud->width; ++column) {
            const uint8_t* bytes =
                cloud->data + (uint64_t)row * cloud->row_step + (uint64_t)column * cloud->point_step;
            double p[3];
            for (int k = 0; k < 3; ++k) {
                p[k] = load_number(bytes + axes[k]->offset, axes[k]->type, cloud->big_endian);
            }

            const bool is_point = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
            if (!is_point && topic->invalid_free) {
                continue;
            }
            if (out->total == topic->capacity) {
                out->total += 1;
                out->count = 0;
                return;
            }
            const BerthVec3 nowhere = {NAN, NAN, NAN};
            out->points[out->total++] = is_point ? place_point(frame, p) : nowhere;
        }
    }
    out->count = out->total;
}

SensedOutcome sensed_receive_cloud(Sensed* sensed, int32_t at, const SensedCloud* cloud) {
    Topic* topic = &sensed->topics[at];
    const SensedField* axes[3];
    const Frame* frame = find_frame(sensed, cloud->head.frame != NULL ? cloud->head.frame : "");
    if (frame == NULL) {
        return SENSED_MISFIT;
    }
    if (!find_coordinates(cloud, axes) || !sizes_agree(cloud)) {
        return SENSED_MALFORMED;
    }

    // A cloud without a free buffer is dropped: its owner will send another one.
    if (atomic_load(&topic->in_use) >= CLOUDS_MAX) {
        return SENSED_LOST;
    }
    SensedMessage message;
    const SensedOutcome outcome = admit(&topic->owner, &cloud->head, &message);
    if (outcome != SENSED_TAKEN) {
        return outcome;
    }

    message.cloud = topic->cloud;
    message.points = topic->points[topic->next_points];
    take_points(topic, cloud, axes, &frame->pose, &message);
    message.alive = topic->empty_free || (cloud->width > 0 && cloud->height > 0);

    atomic_fetch_add(&topic->in_use, 1);
    if (!queue_message(sensed, &message, at)) {
        atomic_fetch_sub(&topic->in_use, 1);
        return SENSED_LOST;
    }
    topic->next_points = (topic->next_points + 1) % CLOUDS_MAX;  // the loop returns them in this order
    return SENSED_TAKEN;
}

// ---- poses ---------------------------------------------------------------------------------------------------

// False: not a rotation. Values that are not numbers are passed on to the monitor, which stops at them.
static bool read_pose(const SensedPlace* place, BerthPose* out) {
    const double* q = place->quaternion;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (isfinite(length) && !(fabs(length - 1.0) <= QUATERNION_TOLERANCE)) {
        return false;
    }

    const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    *out = pose_of(place->position, m);
    return true;
}

static BerthVec3 turn(const BerthPose* pose, BerthVec3 v) {
    const BerthPose turned = {pose->x, pose->y, pose->z, {0, 0, 0}};
    return place_point(&turned, (const double[3]){v.x, v.y, v.z});
}

static SensedOutcome receive_place(Sensed* sensed, Mover* mover, const SensedPlace* place) {
    SensedMessage message;
    BerthPose pose;
    const Frame* frame = find_frame(sensed, place->head.frame != NULL ? place->head.frame : "");
    if (frame == NULL) {
        return SENSED_MISFIT;
    }
    if (!read_pose(place, &pose)) {
        return SENSED_MALFORMED;
    }
    const SensedOutcome outcome = admit(&mover->owner, &place->head, &message);
    if (outcome != SENSED_TAKEN) {
        return outcome;
    }

    message.object = mover->id;
    message.pose =
        (BerthPose){turn(&frame->pose, pose.x), turn(&frame->pose, pose.y), turn(&frame->pose, pose.z),
                    place_point(&frame->pose, (const double[3]){pose.t.x, pose.t.y, pose.t.z})};
    return queue_pose(sensed, &message);
}

SensedOutcome sensed_receive_pose(Sensed* sensed, int32_t topic, const SensedPlace* place) {
    return receive_place(sensed, &sensed->movers[sensed->topics[topic].mover], place);
}

SensedOutcome sensed_receive_transform(Sensed* sensed, const char* child, const SensedPlace* place) {
    if (child == NULL) {
        return SENSED_IGNORED;
    }

    child += child[0] == '/';
    for (int32_t i = 0; i < sensed->mover_count; ++i) {
        if (strcmp(sensed->movers[i].name, child) == 0) {
            return receive_place(sensed, &sensed->movers[i], place);
        }
    }
    return SENSED_IGNORED;
}
