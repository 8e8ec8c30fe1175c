// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// `.lin`, the thesis' list of black nodes (paper 004, appendix C; errata 5.10): number of levels n; sizes x y
// z, z = 0 in the plane; then one locational code and level per line. A code has as many digits as its level,
// the most significant first, base 4 or 8, each 4 z + 2 y + x. Cells are 1 wide.
// Entries: bi_io_parse_lin, bi_io_lin_add_outside, bi_io_lin_text.

#include <string.h>

#include "base/sort.h"
#include "io/map/map_cells.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"
#include "io/syntax/text_out.h"

typedef struct LinReader {
    const char* path;
    Scan scan;
    MapCells* cells;
    int32_t levels;
    int32_t* lines;  // of the nodes
    size_t line_capacity;
} LinReader;

static BerthStatus fail_line(const LinReader* r, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", r->path, (int)r->scan.line, text);
}

// The words of the next line that has any; false at the end of the file. More than `most` words count as most + 1.
static bool next_line_words(LinReader* r, Word* words, int most, int* count) {
    for (;;) {
        *count = 0;
        Word word;
        while (bi_scan_word_in_line(&r->scan, '#', &word)) {
            if (*count < most) {
                words[*count] = word;
            }
            if (*count <= most) {
                *count += 1;
            }
        }

        if (*count > 0) {
            return true;
        }
        if (!bi_scan_next_line(&r->scan)) {
            return false;
        }
    }
}

static BerthStatus skip_line_end(LinReader* r) {
    (void)bi_scan_next_line(&r->scan);
    return BERTH_OK;
}

static bool is_power_of_two(int64_t value) {
    return value > 0 && (value & (value - 1)) == 0;
}

static BerthStatus read_levels(LinReader* r) {
    Word word = {"", 0};
    int count = 0;
    int64_t levels = -1;
    if (!next_line_words(r, &word, 1, &count) || count != 1 ||
        !bi_parse_int(word.text, word.length, &levels)) {
        return fail_line(r, "the number of levels is expected, alone on its line");
    }

    if (levels < 0 || levels > BI_MAP_LEVELS_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %lld levels, 0 to %d are expected", r->path,
                       (int)r->scan.line, (long long)levels, BI_MAP_LEVELS_MAX);
    }
    r->levels = (int32_t)levels;
    return skip_line_end(r);
}

static BerthStatus read_sizes(LinReader* r) {
    Word words[3];
    int count = 0;
    int64_t size[3] = {0, 0, 0};
    if (!next_line_words(r, words, 3, &count) || count != 3) {
        return fail_line(r, "three sizes are expected: x y z, with z = 0 in the plane");
    }

    int64_t largest = 0;
    for (int i = 0; i < 3; ++i) {
        if (!bi_parse_int(words[i].text, words[i].length, &size[i]) ||
            !(is_power_of_two(size[i]) || (i == 2 && size[i] == 0)) || size[i] > BI_MAP_SIDE_MAX) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: size '%s', a power of two up to %d is expected%s",
                           r->path, (int)r->scan.line, bi_word_show(words[i]).text, BI_MAP_SIDE_MAX,
                           i == 2 ? ", or 0 in the plane" : "");
        }
        if (size[i] > largest) {
            largest = size[i];
        }
    }

    if (largest != (int64_t)1 << r->levels) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: the largest size is %lld, %d levels make %d", r->path,
                       (int)r->scan.line, (long long)largest, (int)r->levels, 1 << r->levels);
    }

    r->cells->dimensions = size[2] == 0 ? 2 : 3;
    for (int i = 0; i < 3; ++i) {
        r->cells->size[i] = size[i] > 0 ? (int32_t)size[i] : 1;
    }
    return skip_line_end(r);
}

// The corner that the digits lead to, in cells.
static BerthStatus read_code(const LinReader* r, Word code, int32_t level, CellNode* node) {
    const char base = r->cells->dimensions == 2 ? '4' : '8';

    // The root has no digits; "0" stands for them.
    const bool root = level == 0 && code.length == 1 && code.text[0] == '0';
    if (!root && code.length != (size_t)level) {
        return bi_fail(
            BERTH_ERR_PARSE,
            "%s:%d: code '%s' has %zu digits, its level is %d: they must be equal (leading zeros count)",
            r->path, (int)r->scan.line, bi_word_show(code).text, code.length, (int)level);
    }

    uint32_t at[3] = {0, 0, 0};
    for (size_t i = 0; i < (size_t)level; ++i) {
        const char digit = code.text[i];
        if (digit < '0' || digit >= base) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: code '%s': digits from 0 to %c are expected", r->path,
                           (int)r->scan.line, bi_word_show(code).text, base - 1);
        }

        for (int axis = 0; axis < 3; ++axis) {
            at[axis] = at[axis] << 1 | (uint32_t)((digit - '0') >> axis & 1);
        }
    }

    const int scale = r->levels - level;
    for (int axis = 0; axis < 3; ++axis) {
        at[axis] <<= scale;
        if ((axis < 2 || r->cells->dimensions == 3) &&
            at[axis] + (1u << scale) > (uint32_t)r->cells->size[axis]) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: code '%s' reaches to %c = %u, the size is %d", r->path,
                           (int)r->scan.line, bi_word_show(code).text, "xyz"[axis], at[axis] + (1u << scale),
                           (int)r->cells->size[axis]);
        }
    }

    *node =
        (CellNode){(uint16_t)at[0], (uint16_t)at[1], (uint16_t)at[2], (uint8_t)scale, BERTH_CELL_OCCUPIED};
    return BERTH_OK;
}

static BerthStatus note_line(LinReader* r) {
    const size_t index = r->cells->count - 1;
    // Room for as many lines as for nodes.
    if (index == r->line_capacity) {
        const size_t larger = r->cells->capacity;
        int32_t* moved = bi_take(&r->cells->allocator, larger, sizeof *moved);
        if (moved == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu nodes", r->path, larger);
        }
        if (index > 0) {
            memcpy(moved, r->lines, index * sizeof *moved);
            bi_give(&r->cells->allocator, r->lines, r->line_capacity, sizeof *moved);
        }
        r->lines = moved;
        r->line_capacity = larger;
    }

    r->lines[index] = r->scan.line;
    return BERTH_OK;
}

static BerthStatus read_nodes(LinReader* r) {
    Word words[2];
    int count = 0;
    while (next_line_words(r, words, 2, &count)) {
        int64_t level = -1;
        if (count != 2 || !bi_parse_int(words[1].text, words[1].length, &level)) {
            return fail_line(r, "a locational code and its level are expected, and nothing else on the line");
        }

        if (level < 0 || level > r->levels) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: level %lld, 0 to %d are expected: the tree has %d levels",
                           r->path, (int)r->scan.line, (long long)level, (int)r->levels, (int)r->levels);
        }

        CellNode node;
        BerthStatus status = read_code(r, words[0], (int32_t)level, &node);
        if (status == BERTH_OK) {
            status = bi_map_cells_add(r->cells, node);
            if (status != BERTH_OK) {
                return bi_fail_prefix(status, "%s", r->path);
            }
            status = note_line(r);
        }
        if (status != BERTH_OK) {
            return status;
        }

        (void)skip_line_end(r);
    }
    return BERTH_OK;
}

// Sorted along the tree, a node that overlaps another overlaps its neighbour or one that does.
static BerthStatus check_overlap(const LinReader* r) {
    const MapCells* cells = r->cells;
    if (cells->count < 2) {
        return BERTH_OK;
    }

    SortItem* items = bi_take(&cells->allocator, 2 * cells->count, sizeof *items);
    if (items == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory to sort %zu nodes", r->path, cells->count);
    }

    for (size_t i = 0; i < cells->count; ++i) {
        items[i] = (SortItem){bi_map_cells_tree_order(&cells->nodes[i]), (uint32_t)i};
    }
    bi_sort_items(items, items + cells->count, cells->count);

    BerthStatus status = BERTH_OK;
    for (size_t i = 1; i < cells->count && status == BERTH_OK; ++i) {
        // Equal corners overlap whichever is larger; else the smaller corner's node reaches over the larger one.
        const CellNode* before = &cells->nodes[items[i - 1].index];
        const uint64_t end = items[i - 1].key + ((uint64_t)1 << (3 * before->scale));
        if (items[i].key < end) {
            const int32_t a = r->lines[items[i - 1].index];
            const int32_t b = r->lines[items[i].index];
            status = bi_fail(BERTH_ERR_PARSE, "%s:%d: this node overlaps that of line %d", r->path,
                             (int)(a > b ? a : b), (int)(a > b ? b : a));
        }
    }

    bi_give(&cells->allocator, items, 2 * cells->count, sizeof *items);
    return status;
}

BerthStatus bi_io_parse_lin(const char* path, const char* data, size_t size, MapCells* out) {
    LinReader r = {.path = path, .scan = bi_scan_start(data, size), .cells = out};
    out->resolution = 1.0;
    out->rest = BERTH_CELL_FREE;

    BerthStatus status = read_levels(&r);
    if (status == BERTH_OK) {
        status = read_sizes(&r);
    }
    if (status == BERTH_OK) {
        status = read_nodes(&r);
    }
    if (status == BERTH_OK) {
        status = check_overlap(&r);
    }

    if (r.lines != NULL) {
        bi_give(&out->allocator, r.lines, r.line_capacity, sizeof *r.lines);
    }
    return status;
}

// ---- back ----------------------------------------------------------------------------------------------------

typedef struct LinCube {
    int32_t low[3];
    int32_t scale;
} LinCube;

typedef enum LinPlace { PLACE_APART = 0, PLACE_OUTSIDE, PLACE_CUT } LinPlace;

// Outside of the map, and in the sizes that it has as .lin; not so; or in part.
static LinPlace classify_cube(const MapCells* cells, const int32_t size[3], const LinCube* cube) {
    const int32_t side = (int32_t)1 << cube->scale;
    bool in_map = true, in_file = true, outside = false;

    for (int axis = 0; axis < cells->dimensions; ++axis) {
        const int32_t low = cube->low[axis];
        if (low >= size[axis]) {
            return PLACE_APART;
        }
        in_file = in_file && low + side <= size[axis];
        in_map = in_map && low + side <= cells->size[axis];
        outside = outside || low >= cells->size[axis];
    }
    if (in_map) {
        return PLACE_APART;
    }
    return outside && in_file ? PLACE_OUTSIDE : PLACE_CUT;
}

static BerthStatus add_outside(MapCells* cells, const int32_t size[3], int32_t levels) {
    enum { STACK_MAX = 8 * (BI_MAP_LEVELS_MAX + 1), NODES_MAX = 1 << 26 };
    LinCube stack[STACK_MAX];
    int count = 0;
    BerthStatus status = BERTH_OK;
    stack[count++] = (LinCube){.scale = levels};

    while (count > 0 && status == BERTH_OK) {
        const LinCube cube = stack[--count];
        const LinPlace place = classify_cube(cells, size, &cube);
        if (place == PLACE_OUTSIDE) {
            if (cells->count >= NODES_MAX) {
                return bi_fail(BERTH_ERR_CAPACITY,
                               "with what is outside of its size it has more than %d nodes as .lin: "
                               "sizes that are powers of two need none",
                               NODES_MAX);
            }
            status = bi_map_cells_add(
                cells, (CellNode){(uint16_t)cube.low[0], (uint16_t)cube.low[1], (uint16_t)cube.low[2],
                                  (uint8_t)cube.scale, BERTH_CELL_OCCUPIED});
        }

        for (int k = 0; place == PLACE_CUT && k < 1 << cells->dimensions; ++k) {
            const int32_t b = cube.scale - 1;
            stack[count++] = (LinCube){{cube.low[0] + ((k & 1) << b), cube.low[1] + ((k >> 1 & 1) << b),
                                        cube.low[2] + ((k >> 2) << b)},
                                       b};
        }
    }
    return status;
}

BerthStatus bi_io_lin_add_outside(MapCells* cells, bool occupied, uint64_t* count) {
    int32_t size[3] = {1, 1, 1};
    int32_t levels = 0;
    uint64_t in_file = 1, in_map = 1;
    for (int axis = 0; axis < cells->dimensions; ++axis) {
        int32_t level = 0;
        while ((1 << level) < cells->size[axis]) {
            ++level;
        }
        size[axis] = 1 << level;
        levels = level > levels ? level : levels;
        in_file *= (uint64_t)size[axis];
        in_map *= (uint64_t)cells->size[axis];
    }

    *count = in_file - in_map;
    return occupied && *count > 0 ? add_outside(cells, size, levels) : BERTH_OK;
}

BerthStatus bi_io_lin_text(const MapCells* cells, bool unknown_too, TextOut* out) {
    int32_t levels = 0;
    int32_t low[3], high[3], size[3];

    // Sizes and levels that hold every node.
    (void)bi_map_cells_bounds(
        cells, 1u << BERTH_CELL_OCCUPIED | (unknown_too ? 1u << BERTH_CELL_UNKNOWN : 0u), low, high);
    for (int i = 0; i < 3; ++i) {
        size[i] = 1;
        while (size[i] < cells->size[i] || size[i] < high[i]) {
            size[i] *= 2;
        }
        while ((1 << levels) < size[i]) {
            ++levels;
        }
    }

    bi_text_out_add(out, "%d\n%d %d %d\n", (int)levels, (int)size[0], (int)size[1],
                    cells->dimensions == 2 ? 0 : (int)size[2]);
    for (size_t i = 0; i < cells->count; ++i) {
        const CellNode* node = &cells->nodes[i];
        if (node->state != BERTH_CELL_OCCUPIED && !(unknown_too && node->state == BERTH_CELL_UNKNOWN)) {
            continue;
        }

        char code[BI_MAP_LEVELS_MAX + 2] = "0";
        int length = 0;
        for (int bit = levels - 1; bit >= node->scale; --bit) {
            code[length++] =
                (char)('0' + 4 * (node->z >> bit & 1) + 2 * (node->y >> bit & 1) + (node->x >> bit & 1));
        }
        code[length > 0 ? length : 1] = '\0';
        bi_text_out_add(out, "%s %d\n", code, length);
    }

    if (out->failed) {
        return bi_fail(BERTH_ERR_MEMORY, "no memory for the text of %zu nodes", cells->count);
    }
    return BERTH_OK;
}
