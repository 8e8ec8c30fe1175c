// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth's own map file, .bmap: a header of 128 bytes, then the field as one block, which is used in place.
// Little-endian:
//
//     0  "BERTHMAP"      8  version 1 (u32)      12  flags (u32)      16  bytes of the block (u64)
//    24  check of the block (u64)               32  points (u64)     40  dropped (u64)     48  open meshes (u64)
//    56  cells cleared by rays (u64)            64  yaw (f64)     72  zeros, to 120
//   120  check of the bytes before (u64)
//
// The checksums detect damage, not malice: they are a fast hash, not a signature.
// A block is a header, then the arrays at multiples of 64, in order; offsets follow from the counts, so it has
// one form only. Nothing in it is trusted: the tree is made again from its leaves and compared, every index is
// checked before a query can use it.
// Entries: bi_bmap_parse, bi_bmap_bytes; bi_bmap_read_block and bi_bmap_write_block without the file's
// header.

#include <math.h>
#include <string.h>

#include "field/field.h"
#include "io/map/map_file.h"
#include "io/syntax/bytes.h"

// ---- a field as one block -----------------------------------------------------------------------------------------

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "packed fields are little-endian and are used where they lie");

#define PACK_MAGIC "BERTHFLD"
enum { PACK_VERSION = 1, PACK_ALIGN = 64, PACK_FREE = 1, PACK_LOCAL = 2, PACK_CANVAS = 4 };

typedef struct PackHeader {
    char magic[8];
    uint32_t version, flags;
    uint64_t bytes;  // of the whole block
    int32_t dim, levels, size[3];
    uint32_t parts;
    double resolution, origin[3];
    uint64_t count[FIELD_ARRAY_COUNT];
    uint64_t reserved[2];  // 0
} PackHeader;

static size_t align_up(size_t bytes) {
    return (bytes + PACK_ALIGN - 1) / PACK_ALIGN * PACK_ALIGN;
}

size_t bi_bmap_block_size(const BerthField* field) {
    size_t bytes = align_up(sizeof(PackHeader));
    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        bytes += align_up(field->arrays[kind].count * field->arrays[kind].size);
    }
    return bytes;
}

BerthStatus bi_bmap_write_block(const BerthField* field, void* block, size_t size) {
    const size_t bytes = bi_bmap_block_size(field);
    if (size < bytes) {
        return bi_fail(BERTH_ERR_CAPACITY, "field: a block of %zu bytes is too small, %zu are needed", size,
                       bytes);
    }

    const BerthFieldInfo* info = &field->info;
    memset(block, 0, align_up(sizeof(PackHeader)));

    PackHeader header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, PACK_MAGIC, sizeof header.magic);
    header.version = PACK_VERSION;
    header.flags = (info->unknown_is_free ? PACK_FREE : 0u) | (info->local ? PACK_LOCAL : 0u) |
                   (info->background == BERTH_CELL_UNKNOWN ? PACK_CANVAS : 0u);

    header.bytes = bytes;
    header.dim = info->dim;
    header.levels = info->levels;
    memcpy(header.size, info->size, sizeof header.size);
    header.parts = info->parts;
    header.resolution = info->resolution;
    header.origin[0] = info->origin.x;
    header.origin[1] = info->origin.y;
    header.origin[2] = info->origin.z;

    size_t offset = align_up(sizeof header);
    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        const FieldArray* array = &field->arrays[kind];
        const size_t used = array->count * array->size, next = offset + align_up(used);
        header.count[kind] = array->count;
        if (array->count > 0) {
            memcpy((char*)block + offset, array->data, used);
        }
        memset((char*)block + offset + used, 0, next - offset - used);
        offset = next;
    }

    memcpy(block, &header, sizeof header);
    return BERTH_OK;
}

// ---- and back -----------------------------------------------------------------------------------------------------------------------

typedef struct Unpack {
    const char* block;
    size_t size;
    PackHeader header;
    size_t offset[FIELD_ARRAY_COUNT];
    BerthField* field;
} Unpack;

static BerthStatus read_header(Unpack* u, const BerthAllocator* allocator, BerthFieldDef* def) {
    if (u->size < sizeof u->header) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: the map ends within its header of %zu bytes", u->size,
                       sizeof u->header);
    }

    memcpy(&u->header, u->block, sizeof u->header);
    const PackHeader* h = &u->header;
    if (memcmp(h->magic, PACK_MAGIC, sizeof h->magic) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "byte 0: not a berth map, expected " PACK_MAGIC);
    }
    if (h->version != PACK_VERSION) {
        return bi_fail(BERTH_ERR_PARSE, "byte 8: map version %u, this berth reads version %d", h->version,
                       PACK_VERSION);
    }
    if ((h->flags & ~(uint32_t)(PACK_FREE | PACK_LOCAL | PACK_CANVAS)) != 0 || h->reserved[0] != 0 ||
        h->reserved[1] != 0) {
        return bi_fail(BERTH_ERR_PARSE,
                       "byte 12: flags 0x%x or reserved words that this version does not have", h->flags);
    }

    *def = berth_default_field_def();
    def->dim = h->dim;
    def->levels = h->levels;
    def->resolution = h->resolution;
    def->origin = v3(h->origin[0], h->origin[1], h->origin[2]);
    memcpy(def->size, h->size, sizeof def->size);
    def->background = (h->flags & PACK_CANVAS) != 0 ? BERTH_CELL_UNKNOWN : BERTH_CELL_FREE;
    def->unknown_is_free = (h->flags & PACK_FREE) != 0;
    def->local = (h->flags & PACK_LOCAL) != 0;
    def->parts = h->parts;
    def->memory_limit = SIZE_MAX;
    def->allocator = *allocator;

    const BerthStatus status = bi_field_def_check(def);
    if (status != BERTH_OK) {
        return bi_fail_prefix(BERTH_ERR_PARSE, "byte 24");
    }

    bool sized = h->dim == 3 || h->size[2] == 1;
    for (int axis = 0; axis < 3; ++axis) {
        sized = sized && h->size[axis] >= 1;
    }
    if (!sized || (def->local && (def->parts & BERTH_FIELD_EODM) == 0)) {
        return bi_fail(BERTH_ERR_PARSE, "byte 32: sizes %d, %d, %d or flags that no map has", h->size[0],
                       h->size[1], h->size[2]);
    }

    return BERTH_OK;
}

static BerthStatus find_offsets(Unpack* u) {
    size_t offset = align_up(sizeof u->header);

    for (int kind = 0; kind < FIELD_ARRAY_COUNT; ++kind) {
        const uint64_t count = u->header.count[kind];
        const size_t size = bi_field_item_size((FieldArrayKind)kind);
        u->offset[kind] = offset;
        if (offset > u->size || count > (u->size - offset) / size) {
            return bi_fail(BERTH_ERR_PARSE, "byte %zu: section %d promises %llu items, the map has %zu bytes",
                           offset, kind, (unsigned long long)count, u->size);
        }
        offset += align_up((size_t)count * size);
    }

    if (offset != u->size || u->header.bytes != u->size) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: the map should end here, it has %zu bytes", offset,
                       u->size);
    }
    return BERTH_OK;
}

// Leaves in the order of codes, apart, at places where nodes can be, within the size.
static BerthStatus check_leaves(const Unpack* u) {
    const PackHeader* h = &u->header;
    uint64_t end = 0;
    for (size_t i = 0; i < h->count[FIELD_SOLIDS]; ++i) {
        PackedLeaf leaf;
        memcpy(&leaf, u->block + u->offset[FIELD_SOLIDS] + i * sizeof leaf, sizeof leaf);

        const int32_t low[3] = {leaf_low(leaf, 0), leaf_low(leaf, 1), leaf_low(leaf, 2)};
        bool good = leaf_log(leaf) <= h->levels && leaf >> 55 == 0 && (h->dim == 3 || low[2] == 0) &&
                    (leaf_colour(leaf) == BERTH_CELL_OCCUPIED || leaf_colour(leaf) == BERTH_CELL_UNKNOWN);
        for (int axis = 0; axis < h->dim && good; ++axis) {
            good = (low[axis] & (leaf_width(leaf) - 1)) == 0 && low[axis] + leaf_width(leaf) <= h->size[axis];
        }

        const uint64_t first = morton_code(h->dim, low);
        if (!good || first < end) {
            return bi_fail(BERTH_ERR_PARSE,
                           "byte %zu: leaf %zu is no node of the tree, or not behind the one before it",
                           u->offset[FIELD_SOLIDS] + 8 * i, i);
        }

        end = first + ((uint64_t)1 << (h->dim * leaf_log(leaf)));
    }
    return BERTH_OK;
}

static BerthStatus take_packed_array(Unpack* u, FieldArrayKind kind, bool borrow) {
    const size_t count = (size_t)u->header.count[kind];
    const char* data = u->block + u->offset[kind];

    if (borrow) {
        bi_field_give_array(u->field, kind);
        u->field->arrays[kind] = (FieldArray){(void*)(uintptr_t)data, count, bi_field_item_size(kind), true};
        bi_field_set_pointers(u->field);
        return BERTH_OK;
    }

    const BerthStatus status = bi_field_take_array(u->field, kind, count);
    if (status == BERTH_OK && count > 0) {
        memcpy(u->field->arrays[kind].data, data, count * bi_field_item_size(kind));
    }
    return status;
}

// The tree that the leaves make must be the one that is there.
static BerthStatus take_tree(Unpack* u, bool borrow) {
    BerthStatus status = take_packed_array(u, FIELD_SOLIDS, borrow);
    if (status == BERTH_OK) {
        status = bi_field_make_tree(u->field, NULL);
    }
    if (status != BERTH_OK) {
        return status;
    }

    const FieldArray* nodes = &u->field->arrays[FIELD_NODES];
    if (nodes->count != u->header.count[FIELD_NODES] ||
        memcmp(nodes->data, u->block + u->offset[FIELD_NODES], nodes->count * nodes->size) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: the tree does not follow from its leaves",
                       u->offset[FIELD_NODES]);
    }

    if (borrow) {
        return take_packed_array(u, FIELD_NODES, true);
    }
    return BERTH_OK;
}

static BerthStatus check_counts(const Unpack* u) {
    const BerthFieldInfo* info = &u->field->info;
    const uint64_t* count = u->header.count;
    const uint64_t slots = u->field->slots, faces = 2 * (uint64_t)info->dim;
    const uint64_t cells = (uint64_t)info->size[0] * (uint64_t)info->size[1] * (uint64_t)info->size[2];
    const uint64_t records = info->local ? (uint64_t)info->node_count : slots;

    const bool odm = (info->parts & BERTH_FIELD_ODM) != 0, eodm = (info->parts & BERTH_FIELD_EODM) != 0;
    const bool lists = (info->parts & BERTH_FIELD_LISTS) != 0;

    const bool good =
        count[FIELD_SEPARATIONS] == (odm ? 2 * slots : 0) &&
        count[FIELD_LINKS] == (eodm ? records * faces + 1 : 0) &&
        count[FIELD_REACHES] == (eodm && !info->local ? slots : 0) &&
        (eodm ? count[FIELD_STRIPS] >= 1 : count[FIELD_STRIPS] == 0 && count[FIELD_PIECES] == 0) &&
        count[FIELD_DENSE_L1] == ((info->parts & BERTH_FIELD_DM) != 0 ? cells : 0) &&
        count[FIELD_DENSE_EUCLID] == ((info->parts & BERTH_FIELD_EUCLID) != 0 ? cells : 0) &&
        count[FIELD_LIST_FIRST] == (lists ? slots + 1 : 0) && (lists || count[FIELD_LIST_ITEMS] == 0);

    if (!good) {
        return bi_fail(BERTH_ERR_PARSE, "byte 80: the sections have other lengths than the tree asks for");
    }
    return BERTH_OK;
}

static bool is_obstacle(const BerthField* field, uint32_t solid) {
    if (solid >= field->arrays[FIELD_SOLIDS].count) {
        return false;
    }
    return leaf_colour(field->solids[solid]) == BERTH_CELL_OCCUPIED || !field->info.unknown_is_free;
}

static bool function_is_good(const BerthField* field, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i) {
        const FieldPiece piece = field->pieces[i];
        const bool starts =
            i == first ? piece_start(piece) == 0 : piece_start(piece) > piece_start(field->pieces[i - 1]);
        if (!starts || (piece_kind(piece) != PIECE_NONE && !is_obstacle(field, piece_obstacle(piece)))) {
            return false;
        }
    }
    return true;
}

static BerthStatus check_eodm(const Unpack* u) {
    const BerthField* field = u->field;
    const size_t links = field->arrays[FIELD_LINKS].count, strips = field->arrays[FIELD_STRIPS].count;
    const size_t pieces = field->arrays[FIELD_PIECES].count;

    bool good = field->links[0] == 0 && field->links[links - 1] == strips - 1;
    for (size_t i = 1; i < links && good; ++i) {
        good = field->links[i] >= field->links[i - 1];
    }

    for (size_t i = 0; i + 1 < links && good; ++i) {
        for (uint32_t k = field->links[i]; k < field->links[i + 1] && good; ++k) {
            good = k == field->links[i] ? field->strips[k].low == 0
                                        : field->strips[k].low > field->strips[k - 1].low;
        }
    }

    if (!good) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: links or strips out of order", u->offset[FIELD_LINKS]);
    }

    good = field->strips[0].first == 0 && field->strips[strips - 1].first == pieces;
    for (size_t i = 0; i + 1 < strips && good; ++i) {
        const FieldStrip* s = &field->strips[i];
        good = s->first <= s->north && s->north <= s->south && s->south <= s[1].first && s[1].first <= pieces;
        good = good && function_is_good(field, s->first, s->north) &&
               function_is_good(field, s->north, s->south) && function_is_good(field, s->south, s[1].first);

        if (!good) {
            return bi_fail(BERTH_ERR_PARSE,
                           "byte %zu: strip %zu names intervals that are not there or not in order",
                           u->offset[FIELD_STRIPS] + i * sizeof *s, i);
        }
    }

    if (!good) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: strips do not cover the intervals",
                       u->offset[FIELD_STRIPS]);
    }
    return BERTH_OK;
}

static BerthStatus check_lists(const Unpack* u) {
    const BerthField* field = u->field;
    const size_t slots = field->slots, items = field->arrays[FIELD_LIST_ITEMS].count;
    bool good = field->list_first[0] == 0 && field->list_first[slots] == items;

    for (size_t i = 0; i < slots && good; ++i) {
        good = field->list_first[i] <= field->list_first[i + 1];
    }

    for (size_t i = 0; i < items && good; ++i) {
        good = is_obstacle(field, field->list_items[i]);
    }
    if (!good) {
        return bi_fail(BERTH_ERR_PARSE, "byte %zu: a list names what is no obstacle",
                       u->offset[FIELD_LIST_FIRST]);
    }
    return BERTH_OK;
}

static void count_parts(BerthField* field) {
    BerthFieldInfo* info = &field->info;
    if ((info->parts & BERTH_FIELD_EODM) != 0) {
        info->interval_count = (int64_t)field->arrays[FIELD_PIECES].count;
        info->strip_count = (int64_t)field->arrays[FIELD_STRIPS].count - 1;
    }
    info->list_count = (int64_t)field->arrays[FIELD_LIST_ITEMS].count;
    bi_field_measure_parts(field);
}

static BerthStatus take_parts(Unpack* u, bool borrow) {
    BerthStatus status = check_counts(u);

    for (int kind = FIELD_SEPARATIONS; kind < FIELD_ARRAY_COUNT && status == BERTH_OK; ++kind) {
        if (u->header.count[kind] > 0) {
            status = take_packed_array(u, (FieldArrayKind)kind, borrow);
        }
    }

    if (status == BERTH_OK && (u->field->info.parts & BERTH_FIELD_EODM) != 0) {
        status = check_eodm(u);
    }
    if (status == BERTH_OK && (u->field->info.parts & BERTH_FIELD_LISTS) != 0) {
        status = check_lists(u);
    }

    if (status == BERTH_OK) {
        count_parts(u->field);
    }
    return status;
}

// Everything once more, from the leaves.
static BerthStatus check_by_rebuilding(const Unpack* u, const BerthFieldDef* def) {
    BerthField* again = NULL;
    BerthStatus status = berth_field_remake(u->field, def, &again);

    for (int kind = 0; kind < FIELD_ARRAY_COUNT && status == BERTH_OK; ++kind) {
        const FieldArray* a = &u->field->arrays[kind];
        const FieldArray* b = &again->arrays[kind];
        if (a->count != b->count || (a->count > 0 && memcmp(a->data, b->data, a->count * a->size) != 0)) {
            status = bi_fail(BERTH_ERR_PARSE, "byte %zu: section %d is not what the leaves give",
                             u->offset[kind], kind);
        }
    }

    berth_field_destroy(again);
    return status;
}

BerthStatus bi_bmap_read_block(const void* block, size_t size, bool borrow, bool proven,
                               const BerthAllocator* allocator, BerthField** out) {
    *out = NULL;
    if (borrow && (uintptr_t)block % PACK_ALIGN != 0) {
        return bi_fail(BERTH_ERR_ARGUMENT, "field: a borrowed block must lie at a multiple of %d",
                       PACK_ALIGN);
    }

    Unpack u = {.block = block, .size = size};
    const BerthAllocator own = bi_allocator_or_default(allocator);
    BerthFieldDef def;

    BerthStatus status = read_header(&u, &own, &def);
    if (status == BERTH_OK) {
        status = find_offsets(&u);
    }
    if (status == BERTH_OK) {
        status = check_leaves(&u);
    }

    // From here on there is a field, and parts of it are checked by using it.
    if (status == BERTH_OK) {
        status = bi_field_create(&def, &u.field);
    }
    if (status == BERTH_OK) {
        status = take_tree(&u, borrow);
    }
    if (status == BERTH_OK) {
        status = take_parts(&u, borrow);
    }
    if (status == BERTH_OK && proven) {
        status = check_by_rebuilding(&u, &def);
    }

    if (status != BERTH_OK) {
        berth_field_destroy(u.field);
        return status;
    }

    *out = u.field;
    return BERTH_OK;
}

// ---- the file ---------------------------------------------------------------------------------------------------------

static const char magic[8] = {'B', 'E', 'R', 'T', 'H', 'M', 'A', 'P'};
enum { HEADER_SIZE = 128, VERSION = 1, FLAG_BACKGROUND = 1, FLAGS_KNOWN = 1, LANES = 4 };

static void put_u64(uint8_t* bytes, uint64_t value) {
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t rotated(uint64_t value, int by) {
    return value << by | value >> (64 - by);
}

// Four lanes of multiply and rotate, so that a map is checked as fast as it is read. Each step can be undone, so any
// change within one word changes the result.
static uint64_t checksum_of(const uint8_t* bytes, size_t size) {
    const uint64_t odd = 0x9E3779B97F4A7C15u;
    uint64_t lanes[LANES] = {1, 2, 3, 4};
    size_t at = 0;
    for (; size - at >= 8 * LANES; at += 8 * LANES) {
        for (int i = 0; i < LANES; ++i) {
            lanes[i] = rotated((lanes[i] ^ u64_at(bytes + at + 8 * (size_t)i)) * odd, 29);
        }
    }

    uint64_t sum = size;
    for (; at < size; ++at) {
        sum = rotated((sum ^ bytes[at]) * odd, 29);
    }

    for (int i = 0; i < LANES; ++i) {
        sum = rotated((sum ^ lanes[i]) * odd, 29);
    }
    return sum ^ sum >> 32;
}

bool bi_bmap_has_magic(const void* data, size_t size) {
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static BerthStatus check_header(const char* path, const uint8_t* bytes, size_t size) {
    if (!bi_bmap_has_magic(bytes, size)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: not a .bmap file: it does not begin with BERTHMAP",
                       path);
    }
    if (size < HEADER_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the file ends inside its header", path, size);
    }

    const uint64_t words = u64_at(bytes + 8);
    const uint32_t version = (uint32_t)words, flags = (uint32_t)(words >> 32);
    if (version != VERSION) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte 8: version %u, this berth reads version %d: build the map again", path,
                       (unsigned)version, VERSION);
    }

    if (checksum_of(bytes, HEADER_SIZE - 8) != u64_at(bytes + HEADER_SIZE - 8) ||
        (flags & ~(uint32_t)FLAGS_KNOWN) != 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 120: the header is damaged: its checksum is another", path);
    }

    const uint64_t block = u64_at(bytes + 16);
    if (block != size - HEADER_SIZE) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the header says %llu bytes of map, %zu are there",
                       path, size, (unsigned long long)block, size - HEADER_SIZE);
    }
    return BERTH_OK;
}

BerthStatus bi_bmap_parse(const char* path, const void* data, size_t size, bool borrow,
                          const BerthAllocator* allocator, BerthMapFacts* facts, BerthField** out) {
    const uint8_t* bytes = data;
    *out = NULL;
    BerthStatus status = check_header(path, bytes, size);
    if (status != BERTH_OK) {
        return status;
    }

    if (checksum_of(bytes + HEADER_SIZE, size - HEADER_SIZE) != u64_at(bytes + 24)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %d: the map is damaged: its checksum is another", path,
                       HEADER_SIZE);
    }

    facts->format = "bmap";
    facts->background_taken_free = (bytes[12] & FLAG_BACKGROUND) != 0;
    facts->points = (int64_t)u64_at(bytes + 32);
    facts->dropped = (int64_t)u64_at(bytes + 40);
    facts->open_meshes = (int64_t)u64_at(bytes + 48);
    facts->cleared = (int64_t)u64_at(bytes + 56);
    facts->yaw = f64_at(bytes + 64);
    if (!(fabs(facts->yaw) <= 1e7)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 64: a yaw of %g", path, facts->yaw);
    }

    status = bi_bmap_read_block(bytes + HEADER_SIZE, size - HEADER_SIZE, borrow, false, allocator, out);
    return status == BERTH_OK ? BERTH_OK : bi_fail_prefix(status, "%s: after the header", path);
}

void bi_bmap_write_checksums(void* data, size_t size) {
    uint8_t* bytes = data;
    if (size < HEADER_SIZE) {
        return;
    }

    memcpy(bytes, magic, sizeof magic);
    put_u64(bytes + 16, size - HEADER_SIZE);
    put_u64(bytes + 24, checksum_of(bytes + HEADER_SIZE, size - HEADER_SIZE));
    put_u64(bytes + HEADER_SIZE - 8, checksum_of(bytes, HEADER_SIZE - 8));
}

BerthStatus bi_bmap_bytes(const char* path, const BerthField* field, const BerthMapFacts* facts,
                          FileBytes* out) {
    const size_t block = bi_bmap_block_size(field);
    out->capacity = HEADER_SIZE + block;
    out->data = block > 0 ? bi_take_raw(&out->allocator, out->capacity, 1) : NULL;
    if (out->data == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu bytes of map", path, out->capacity);
    }

    out->size = out->capacity;
    uint8_t* bytes = (uint8_t*)out->data;
    memset(bytes, 0, HEADER_SIZE);
    const BerthStatus status = bi_bmap_write_block(field, bytes + HEADER_SIZE, block);
    if (status != BERTH_OK) {
        return bi_fail_prefix(status, "%s", path);
    }

    const uint64_t flags = facts->background_taken_free ? FLAG_BACKGROUND : 0;
    put_u64(bytes + 8, (uint64_t)VERSION | flags << 32);
    put_u64(bytes + 32, (uint64_t)facts->points);
    put_u64(bytes + 40, (uint64_t)facts->dropped);
    put_u64(bytes + 48, (uint64_t)facts->open_meshes);
    put_u64(bytes + 56, (uint64_t)facts->cleared);
    uint64_t yaw;
    memcpy(&yaw, &facts->yaw, sizeof yaw);
    put_u64(bytes + 64, yaw);
    bi_bmap_write_checksums(bytes, out->size);
    return BERTH_OK;
}
