// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// OctoMap's files: .bt (two bits per child), its oldest kind with a binary header, and .ot (log-odds). The
// tree has 16 levels, its cube is centred on the world's origin. Nothing is recursive, and a file never has
// more nodes than bytes.
// Entries: bi_io_parse_octomap, bi_io_parse_octomap_odds, bi_io_is_octomap.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/map/map_cells.h"
#include "io/syntax/bytes.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"
#include "occupancy/occupancy.h"

static const char binary_line[] = "# Octomap OcTree binary file";
static const char full_line[] = "# Octomap OcTree file";
enum { OLD_HEADER = 16, OLD_KIND = 3, SHOWN_WORDS = 8, LEAVES_A_LOOK = 1 << 14 };

/// What stands before the nodes.
typedef struct OctoHeader {
    bool binary;        // .bt
    size_t node_extra;  // bytes of colour behind the log-odds
    int64_t node_count;
    double resolution;
    size_t data_at;
} OctoHeader;

/// Where the walk is.
typedef struct OctoReader {
    const char* path;
    const uint8_t* bytes;
    size_t at, size;
    MapCells* cells;       // where leaves go, or
    BerthOccupancy* odds;  // with their log-odds
    float least, most;     // those of a .bt's leaves
    int64_t node_count;
} OctoReader;

/// A node whose children are being read.
typedef struct OctoFrame {
    uint32_t children;  // two bits each (.bt) or one (.ot)
    int next;
    uint16_t x, y, z;
} OctoFrame;

static bool starts_with(const char* data, size_t size, const char* text) {
    const size_t length = strlen(text);
    return size >= length && memcmp(data, text, length) == 0;
}

static bool is_oldest_kind(const char* data, size_t size) {
    return size >= OLD_HEADER && u32_at(data) == OLD_KIND;
}

bool bi_io_is_octomap(const char* data, size_t size) {
    return starts_with(data, size, binary_line) || starts_with(data, size, full_line) ||
           is_oldest_kind(data, size);
}

// ---- headers -----------------------------------------------------------------------------------------------

static BerthStatus check_header(const char* path, OctoHeader* header) {
    char place[512];
    (void)snprintf(place, sizeof place, "%.480s: byte %zu", path, header->data_at);
    return bi_map_cells_check_resolution(place, header->resolution);
}

static BerthStatus read_old_header(const char* path, const char* data, OctoHeader* header) {
    const uint8_t* bytes = (const uint8_t*)data;
    header->resolution = f64_at(bytes + 4);
    header->binary = true;
    header->node_count = (int64_t)u32_at(bytes + 12);
    header->data_at = OLD_HEADER;
    return check_header(path, header);
}

// "id", "size" or "res" with its one value.
static BerthStatus read_key(const char* path, int32_t line, const Word* words, int count, OctoHeader* header,
                            unsigned* seen) {
    static const char* const keys[] = {"id", "size", "res"};
    unsigned key = 0;
    while (key < 3 && !bi_word_is(words[0], keys[key])) {
        ++key;
    }

    if (key == 3 || count != 2 || (*seen & 1u << key) != 0) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:%d: '%s' in the header: 'id KIND', 'size N', 'res R', each once, then 'data'"
                       " are expected",
                       path, (int)line, bi_word_show(words[0]).text);
    }

    *seen |= 1u << key;
    const Word value = words[1];

    if (key == 0) {
        const bool colour = bi_word_is(value, "coloroctree");
        header->node_extra = colour ? 3 : 0;
        if (colour || bi_word_is(value, "octree") || bi_word_is(value, "octreestamped") ||
            bi_word_is(value, "1")) {
            return BERTH_OK;
        }
        return bi_fail(BERTH_ERR_UNSUPPORTED, "%s:%d: trees of kind '%s'; OcTree and ColorOcTree are read",
                       path, (int)line, bi_word_show(value).text);
    }

    if (key == 1) {
        if (bi_parse_int(value.text, value.length, &header->node_count) && header->node_count >= 0) {
            return BERTH_OK;
        }
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: size '%s', a number of nodes is expected", path, (int)line,
                       bi_word_show(value).text);
    }

    if (!bi_parse_double(value.text, value.length, &header->resolution)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: res '%s', metres a cell are expected", path, (int)line,
                       bi_word_show(value).text);
    }

    char place[512];
    (void)snprintf(place, sizeof place, "%.480s:%d", path, (int)line);
    return bi_map_cells_check_resolution(place, header->resolution);
}

static BerthStatus read_header(const char* path, const char* data, size_t size, OctoHeader* header) {
    Scan scan = bi_scan_start(data, size);
    unsigned seen = 0;
    header->binary = starts_with(data, size, binary_line);
    while (bi_scan_next_line(&scan)) {
        Word words[SHOWN_WORDS];
        int count = 0;
        const int32_t line = scan.line;

        if (scan.at != scan.end && *scan.at == '#') {
            continue;
        }

        while (count < SHOWN_WORDS && bi_scan_word_in_line(&scan, '\0', &words[count])) {
            ++count;
        }

        if (count == 1 && bi_word_is(words[0], "data")) {
            if (seen != 7) {
                return bi_fail(BERTH_ERR_PARSE, "%s:%d: 'id', 'size' and 'res' are all needed before 'data'",
                               path, (int)line);
            }
            // The tree begins behind this newline, whatever its first byte is.
            const char* newline = memchr(words[0].text, '\n', (size_t)(data + size - words[0].text));
            header->data_at = newline != NULL ? (size_t)(newline + 1 - data) : size;
            return BERTH_OK;
        }

        const BerthStatus status = count > 0 ? read_key(path, line, words, count, header, &seen) : BERTH_OK;
        if (status != BERTH_OK) {
            return status;
        }
    }

    return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, 'data' is expected", path, (int)scan.line);
}

// ---- trees -------------------------------------------------------------------------------------------------

static BerthStatus fail_cut(const OctoReader* r) {
    return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the file ends inside its tree", r->path, r->at);
}

static BerthStatus fail_too_deep(const OctoReader* r) {
    return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the tree is deeper than %d levels", r->path, r->at,
                   BI_MAP_LEVELS_MAX);
}

// The child of a node at `depth`, with its depth as scale.
static CellNode child_of(const OctoFrame* frame, int child, int depth) {
    const int bit = BI_MAP_LEVELS_MAX - 1 - depth;
    return (CellNode){(uint16_t)(frame->x | (child & 1) << bit),
                      (uint16_t)(frame->y | (child >> 1 & 1) << bit),
                      (uint16_t)(frame->z | (child >> 2 & 1) << bit), (uint8_t)bit, BERTH_CELL_UNKNOWN};
}

static BerthStatus add_leaf(OctoReader* r, CellNode node, float log_odds) {
    BerthStatus status = BERTH_OK;
    if (r->odds == NULL) {
        status = bi_map_cells_add(r->cells, node);
    } else {
        const int32_t low[3] = {node.x, node.y, node.z};
        status = bi_occupancy_set_node(r->odds, low, node.scale, log_odds);
    }

    if (status == BERTH_OK && r->odds != NULL && r->node_count % LEAVES_A_LOOK == 0) {
        status = bi_occupancy_go_on(r->odds);
    }
    return status == BERTH_OK ? BERTH_OK : bi_fail_prefix(status, "%s", r->path);
}

static bool open_binary_node(OctoReader* r, OctoFrame* frame, const CellNode* node) {
    if (r->size - r->at < 2) {
        return false;
    }
    *frame = (OctoFrame){(uint32_t)r->bytes[r->at] | (uint32_t)r->bytes[r->at + 1] << 8, 0, node->x, node->y,
                         node->z};
    r->at += 2;
    r->node_count += 1;
    return true;
}

static BerthStatus walk_binary(OctoReader* r) {
    OctoFrame stack[BI_MAP_LEVELS_MAX];
    int depth = 0;  // of the top frame
    const CellNode root = {.x = 0};

    if (!open_binary_node(r, &stack[0], &root)) {
        return fail_cut(r);
    }
    while (depth >= 0) {
        OctoFrame* frame = &stack[depth];
        if (frame->next == 8) {
            --depth;
            continue;
        }

        const int child = frame->next++;
        const uint32_t kind = frame->children >> (2 * child) & 3;
        CellNode node = child_of(frame, child, depth);

        if (kind == 3) {
            if (depth + 1 == BI_MAP_LEVELS_MAX) {
                return fail_too_deep(r);
            }
            if (!open_binary_node(r, &stack[++depth], &node)) {
                return fail_cut(r);
            }
        } else if (kind != 0) {
            node.state = kind == 1 ? BERTH_CELL_FREE : BERTH_CELL_OCCUPIED;
            r->node_count += 1;
            const bool occupied = kind != 1;
            const float log_odds = occupied ? r->most : r->least;
            const BerthStatus status = add_leaf(r, node, log_odds);
            if (status != BERTH_OK) {
                return status;
            }
        }
    }
    return BERTH_OK;
}

// Reads log-odds, skips colour, gives the mask of children. A node without any is a leaf and goes to the cells.
static BerthStatus open_full_node(OctoReader* r, size_t extra, CellNode node, OctoFrame* frame, bool* leaf) {
    if (r->size - r->at < 5 + extra) {
        return fail_cut(r);
    }

    const uint32_t bits = u32_at(r->bytes + r->at);
    float log_odds;
    memcpy(&log_odds, &bits, sizeof bits);
    const uint32_t mask = r->bytes[r->at + 4 + extra];
    *leaf = mask == 0;

    if (isnan(log_odds)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the log-odds of a node are NaN", r->path, r->at);
    }

    r->at += 5 + extra;
    r->node_count += 1;
    *frame = (OctoFrame){mask, 0, node.x, node.y, node.z};

    node.state = log_odds >= 0.0f ? BERTH_CELL_OCCUPIED : BERTH_CELL_FREE;
    return *leaf ? add_leaf(r, node, log_odds) : BERTH_OK;
}

static BerthStatus walk_full(OctoReader* r, size_t extra) {
    OctoFrame stack[BI_MAP_LEVELS_MAX];
    stack[0] = (OctoFrame){0};  // gcc cannot know that bi_fail never returns BERTH_OK
    int depth = 0;
    bool leaf = false;
    const CellNode root = {.scale = BI_MAP_LEVELS_MAX};

    BerthStatus status = open_full_node(r, extra, root, &stack[0], &leaf);
    depth = leaf ? -1 : 0;
    while (status == BERTH_OK && depth >= 0) {
        OctoFrame* frame = &stack[depth];
        if (frame->next == 8) {
            --depth;
            continue;
        }

        const int child = frame->next++;
        if ((frame->children >> child & 1) == 0) {
            continue;
        }

        OctoFrame below;
        status = open_full_node(r, extra, child_of(frame, child, depth), &below, &leaf);
        if (status == BERTH_OK && !leaf) {
            if (depth + 1 == BI_MAP_LEVELS_MAX) {
                return fail_too_deep(r);
            }
            stack[++depth] = below;
        }
    }
    return status;
}

// Which kind of file it is, and its header.
static BerthStatus open_file(const char* path, const char* data, size_t size, OctoHeader* header) {
    const bool old = !starts_with(data, size, "#") && is_oldest_kind(data, size);
    *header = (OctoHeader){.binary = true};

    if (!bi_io_is_octomap(data, size)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: not a file of OctoMap's: it does not begin with '%s' or '%s'",
                       path, binary_line, full_line);
    }

    const BerthStatus status =
        old ? read_old_header(path, data, header) : read_header(path, data, size, header);
    if (status != BERTH_OK) {
        return status;
    }

    // Two bytes hold a node's eight children at the most, or one node of .ot takes five.
    const uint64_t most =
        header->binary ? 4 * (uint64_t)(size - header->data_at) + 1 : (size - header->data_at) / 5;
    if ((uint64_t)header->node_count > most) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: the header says %lld nodes, %zu bytes cannot hold them", path,
                       header->data_at, (long long)header->node_count, size - header->data_at);
    }
    return BERTH_OK;
}

static BerthStatus read_tree(OctoReader* r, const OctoHeader* header) {
    BerthStatus status = BERTH_OK;
    if (header->node_count > 0) {
        status = header->binary ? walk_binary(r) : walk_full(r, header->node_extra);
    }

    if (status == BERTH_OK && (r->node_count != header->node_count || r->at != r->size)) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: the tree ends here with %lld nodes, the header says %lld%s", r->path,
                       r->at, (long long)r->node_count, (long long)header->node_count,
                       r->at != r->size ? ", and bytes follow it" : "");
    }
    return status;
}

BerthStatus bi_io_parse_octomap(const char* path, const char* data, size_t size, MapCells* out) {
    OctoHeader header;
    const BerthStatus status = open_file(path, data, size, &header);
    if (status != BERTH_OK) {
        return status;
    }

    out->dimensions = 3;
    out->rest = BERTH_CELL_UNKNOWN;
    out->resolution = header.resolution;
    const double half = header.resolution * (BI_MAP_SIDE_MAX / 2);
    out->origin = (BerthVec3){-half, -half, -half};
    out->size[0] = out->size[1] = out->size[2] = BI_MAP_SIDE_MAX;

    OctoReader r = {
        .path = path, .bytes = (const uint8_t*)data, .at = header.data_at, .size = size, .cells = out};
    return read_tree(&r, &header);
}

BerthStatus bi_io_parse_octomap_odds(const char* path, const char* data, size_t size,
                                     const BerthOccupancyDef* def, BerthOccupancy** out) {
    *out = NULL;
    OctoHeader header;
    BerthStatus status = open_file(path, data, size, &header);
    if (status != BERTH_OK) {
        return status;
    }

    BerthOccupancyDef own = *def;
    const BerthOccupancyDef octomap = berth_default_occupancy_def();
    own.dim = 3;
    own.resolution = header.resolution;
    own.origin = octomap.origin;
    memcpy(own.first, octomap.first, sizeof own.first);

    BerthOccupancy* odds = NULL;
    status = berth_occupancy_create(&own, &odds);
    if (status == BERTH_OK) {
        OctoReader r = {.path = path,
                        .bytes = (const uint8_t*)data,
                        .at = header.data_at,
                        .size = size,
                        .odds = odds,
                        .least = bi_occupancy_odds_of(own.least),
                        .most = bi_occupancy_odds_of(own.most)};
        status = read_tree(&r, &header);
    } else {
        status = bi_fail_prefix(status, "%s", path);
    }

    if (status != BERTH_OK) {
        berth_occupancy_destroy(odds);
        return status;
    }
    *out = odds;
    return BERTH_OK;
}
