// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// PCL's PCD files: a header of text, then points as text, as rows of bytes, or as columns of bytes compressed by LZF.
// Entry: bi_io_parse_pcd.

#include <lzf.h>
#include <string.h>

#include "io/cloud/cloud.h"
#include "io/syntax/bytes.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"

enum { FIELDS_MAX = 128, COUNT_MAX = 65536, LZF_GAIN_MAX = 264, COMPRESSED_HEADER = 8 };

typedef enum PcdData { PCD_ASCII = 0, PCD_BINARY, PCD_COMPRESSED } PcdData;

typedef struct PcdField {
    int64_t size, count;
    char kind;
    int64_t offset;       // in a row of bytes
    int64_t first_value;  // in a row of text
} PcdField;

typedef struct PcdHeader {
    const char* path;
    Scan scan;
    int field_count;
    int axis[3];  // field of x, y, z, or -1
    PcdField fields[FIELDS_MAX];
    int64_t width, height, points;  // -1: not given
    int64_t row_size, row_values;
    unsigned seen;
    bool has_viewpoint;
    PcdData data;
} PcdHeader;

enum {
    SEEN_FIELDS = 1,
    SEEN_SIZE = 2,
    SEEN_TYPE = 4,
    SEEN_COUNT = 8,
    SEEN_VERSION = 16,
    SEEN_VIEWPOINT = 32
};

static BerthStatus fail_word(const PcdHeader* h, Word word, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: '%s': %s", h->path, (int)h->scan.line, bi_word_show(word).text,
                   text);
}

// ---- header --------------------------------------------------------------------------------------------------

static BerthStatus read_field_names(PcdHeader* h) {
    Word word;
    h->axis[0] = h->axis[1] = h->axis[2] = -1;

    while (bi_scan_word_in_line(&h->scan, '\0', &word)) {
        if (h->field_count == FIELDS_MAX) {
            return fail_word(h, word, "more than 128 fields");
        }

        for (int axis = 0; axis < 3; ++axis) {
            if (word.length == 1 && word.text[0] == "xyz"[axis]) {
                if (h->axis[axis] >= 0) {
                    return fail_word(h, word, "the field appears twice");
                }
                h->axis[axis] = h->field_count;
            }
        }

        h->fields[h->field_count++] = (PcdField){.count = 1};
    }

    if (h->axis[0] < 0 || h->axis[1] < 0 || h->axis[2] < 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: FIELDS: x, y and z are expected among them", h->path,
                       (int)h->scan.line);
    }
    return BERTH_OK;
}

// SIZE, TYPE or COUNT: as many values as there are fields.
static BerthStatus read_per_field(PcdHeader* h, Word key) {
    Word word;
    int index = 0;

    for (; bi_scan_word_in_line(&h->scan, '\0', &word); ++index) {
        if (index >= h->field_count) {
            return fail_word(h, word, "more values than FIELDS has names");
        }

        PcdField* field = &h->fields[index];
        int64_t value = 0;

        if (bi_word_is(key, "type")) {
            field->kind = word.length == 1 ? word.text[0] : '\0';
            if (field->kind != 'F' && field->kind != 'I' && field->kind != 'U') {
                return fail_word(h, word, "TYPE: F, I or U is expected");
            }
        } else if (!bi_parse_int(word.text, word.length, &value) || value < 1 || value > COUNT_MAX) {
            return fail_word(h, word, "a whole number from 1 to 65536 is expected");
        } else if (bi_word_is(key, "size")) {
            field->size = value;
        } else {
            field->count = value;
        }
    }

    return index == h->field_count ? BERTH_OK : fail_word(h, key, "fewer values than FIELDS has names");
}

static BerthStatus read_point_count(PcdHeader* h, Word key, int64_t* out) {
    Word word = {"", 0};
    if (*out >= 0) {
        return fail_word(h, key, "it appears twice");
    }
    if (!bi_scan_word_in_line(&h->scan, '\0', &word) || !bi_parse_int(word.text, word.length, out) ||
        *out < 0) {
        return fail_word(h, word, "a number of points is expected");
    }
    return BERTH_OK;
}

static BerthStatus read_viewpoint(PcdHeader* h) {
    static const double identity[7] = {0, 0, 0, 1, 0, 0, 0};
    Word word;
    int count = 0;

    for (; bi_scan_word_in_line(&h->scan, '\0', &word); ++count) {
        double value = 0.0;
        if (count == 7 || !bi_parse_double(word.text, word.length, &value)) {
            return fail_word(h, word, "VIEWPOINT: seven numbers are expected");
        }
        h->has_viewpoint = h->has_viewpoint || value != identity[count];
    }
    if (count != 7) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: VIEWPOINT: seven numbers are expected", h->path,
                       (int)h->scan.line);
    }
    return BERTH_OK;
}

static BerthStatus read_data_kind(PcdHeader* h) {
    static const char* const kinds[] = {"ascii", "binary", "binary_compressed"};
    Word word = {"", 0};
    (void)bi_scan_word_in_line(&h->scan, '\0', &word);
    for (int i = 0; i < 3; ++i) {
        if (bi_word_is(word, kinds[i])) {
            h->data = (PcdData)i;
            return BERTH_OK;
        }
    }
    return fail_word(h, word, "DATA: ascii, binary or binary_compressed is expected");
}

// Notes a line of the header as seen; false when it was there before.
static bool note_first(PcdHeader* h, unsigned bit) {
    const bool first = (h->seen & bit) == 0;
    h->seen |= bit;
    return first;
}

static BerthStatus read_entry(PcdHeader* h, Word key, bool* last) {
    if (bi_word_is(key, "version")) {
        return note_first(h, SEEN_VERSION) ? BERTH_OK : fail_word(h, key, "it appears twice");
    }
    if (bi_word_is(key, "fields") || bi_word_is(key, "columns")) {
        return note_first(h, SEEN_FIELDS) ? read_field_names(h) : fail_word(h, key, "it appears twice");
    }

    // Lines with one value for each field.
    static const char* const per_field[] = {"size", "type", "count"};
    for (unsigned i = 0; i < 3; ++i) {
        if (bi_word_is(key, per_field[i])) {
            if ((h->seen & SEEN_FIELDS) == 0) {
                return fail_word(h, key, "FIELDS is expected before it");
            }
            return note_first(h, 2u << i) ? read_per_field(h, key) : fail_word(h, key, "it appears twice");
        }
    }

    if (bi_word_is(key, "width")) {
        return read_point_count(h, key, &h->width);
    }
    if (bi_word_is(key, "height")) {
        return read_point_count(h, key, &h->height);
    }
    if (bi_word_is(key, "points")) {
        return read_point_count(h, key, &h->points);
    }

    if (bi_word_is(key, "viewpoint")) {
        return note_first(h, SEEN_VIEWPOINT) ? read_viewpoint(h) : fail_word(h, key, "it appears twice");
    }

    *last = bi_word_is(key, "data");
    if (*last) {
        return read_data_kind(h);
    }
    return fail_word(
        h, key, "VERSION, FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, VIEWPOINT, POINTS or DATA is expected");
}

// What the lines say together.
static BerthStatus check_header(PcdHeader* h) {
    const unsigned needed = SEEN_FIELDS | SEEN_SIZE | SEEN_TYPE;
    if ((h->seen & needed) != needed || (h->points < 0 && (h->width < 0 || h->height < 0))) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s:%d: FIELDS, SIZE, TYPE and POINTS (or WIDTH and HEIGHT) are needed before DATA",
                       h->path, (int)h->scan.line);
    }

    // Where each field lies in a row.
    for (int i = 0; i < h->field_count; ++i) {
        PcdField* field = &h->fields[i];
        if (!bi_cloud_is_number_kind(field->kind, field->size)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: field %d: %c of %lld bytes is no number", h->path,
                           (int)h->scan.line, i + 1, field->kind, (long long)field->size);
        }
        field->offset = h->row_size;
        field->first_value = h->row_values;
        h->row_size += field->size * field->count;
        h->row_values += field->count;
    }

    for (int axis = 0; axis < 3; ++axis) {
        const int64_t count = h->fields[h->axis[axis]].count;
        if (count != 1) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: field %c has %lld values, 1 is expected", h->path,
                           (int)h->scan.line, "xyz"[axis], (long long)count);
        }
    }

    if (h->width >= 0 && h->height >= 0) {
        const bool is_in_range = h->height == 0 || h->width <= INT64_MAX / h->height;
        if (!is_in_range || (h->points >= 0 && h->points != h->width * h->height)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: WIDTH %lld times HEIGHT %lld is not POINTS %lld", h->path,
                           (int)h->scan.line, (long long)h->width, (long long)h->height,
                           (long long)h->points);
        }
        h->points = h->width * h->height;
    }
    return BERTH_OK;
}

static BerthStatus read_header(PcdHeader* h) {
    for (;;) {
        Word key;
        if (bi_scan_word_in_line(&h->scan, '#', &key)) {
            bool last = false;
            const BerthStatus status = read_entry(h, key, &last);
            if (status != BERTH_OK || last) {
                return status == BERTH_OK ? check_header(h) : status;
            }
        }
        if (!bi_scan_next_line(&h->scan)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, 'DATA' is expected", h->path,
                           (int)h->scan.line);
        }
    }
}

// ---- points --------------------------------------------------------------------------------------------------

static BerthStatus read_text_row(PcdHeader* h, PointCloud* out, bool* empty) {
    Word word;
    double xyz[3] = {0, 0, 0};
    int64_t value = 0;

    for (; bi_scan_word_in_line(&h->scan, '#', &word); ++value) {
        for (int axis = 0; axis < 3; ++axis) {
            if (h->fields[h->axis[axis]].first_value == value &&
                !bi_cloud_parse_number(word.text, word.length, &xyz[axis])) {
                return fail_word(h, word, "a number is expected");
            }
        }
    }

    *empty = value == 0;
    if (value != 0 && value != h->row_values) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %lld values, %lld are expected", h->path, (int)h->scan.line,
                       (long long)value, (long long)h->row_values);
    }
    if (*empty) {
        return BERTH_OK;
    }
    return bi_cloud_add(out, h->path, false, (size_t)h->scan.line, (BerthVec3){xyz[0], xyz[1], xyz[2]});
}

static BerthStatus read_text(PcdHeader* h, PointCloud* out) {
    int64_t rows = 0;

    while (bi_scan_next_line(&h->scan)) {
        bool empty = false;
        const BerthStatus status = read_text_row(h, out, &empty);
        if (status != BERTH_OK) {
            return status;
        }

        rows += !empty;
        if (rows > h->points) {
            break;
        }
    }

    if (rows != h->points) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s points than the header says, which is %lld", h->path,
                       (int)h->scan.line, rows < h->points ? "fewer" : "more", (long long)h->points);
    }
    return BERTH_OK;
}

// Points out of rows, or out of columns one after the other. `bytes` holds row_size * points.
static BerthStatus read_bytes(const PcdHeader* h, const uint8_t* bytes, size_t where, bool columns,
                              PointCloud* out) {
    BerthStatus status = BERTH_OK;
    for (int64_t i = 0; i < h->points && status == BERTH_OK; ++i) {
        double xyz[3];
        for (int axis = 0; axis < 3; ++axis) {
            const PcdField* field = &h->fields[h->axis[axis]];
            const int64_t at =
                columns ? field->offset * h->points + i * field->size : i * h->row_size + field->offset;
            xyz[axis] = bi_cloud_read_number(bytes + at, field->kind, (size_t)field->size, false);
        }

        const size_t place = columns ? where : where + (size_t)(i * h->row_size);
        status = bi_cloud_add(out, h->path, true, place, (BerthVec3){xyz[0], xyz[1], xyz[2]});
    }
    return status;
}

static BerthStatus read_compressed(const PcdHeader* h, const char* data, size_t at, size_t size,
                                   PointCloud* out) {
    const uint8_t* bytes = (const uint8_t*)data + at;
    if (size - at < COMPRESSED_HEADER) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: the file ends, sizes of the compressed points are expected", h->path,
                       size);
    }

    const uint64_t packed = u32_at(bytes), plain = u32_at(bytes + 4);
    const uint64_t needed = (uint64_t)(h->row_size * h->points);
    // LZF makes at most 264 bytes out of 3: a size beyond that is a lie, and no memory is taken for it.
    if (packed > size - at - COMPRESSED_HEADER || plain != needed || plain > packed * LZF_GAIN_MAX) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: byte %zu: %llu bytes that become %llu: %llu are there and the points take %llu",
                       h->path, at, (unsigned long long)packed, (unsigned long long)plain,
                       (unsigned long long)(size - at - COMPRESSED_HEADER), (unsigned long long)needed);
    }

    if (plain == 0) {
        return BERTH_OK;
    }

    uint8_t* room = bi_take(&out->allocator, (size_t)plain, 1);
    if (room == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %llu bytes of points", h->path,
                       (unsigned long long)plain);
    }

    BerthStatus status = BERTH_OK;
    if (lzf_decompress(bytes + COMPRESSED_HEADER, (unsigned)packed, room, (unsigned)plain) != plain) {
        status = bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the compressed points are damaged", h->path,
                         at + COMPRESSED_HEADER);
    } else {
        status = read_bytes(h, room, at + COMPRESSED_HEADER, true, out);
    }

    bi_give(&out->allocator, room, (size_t)plain, 1);
    return status;
}

BerthStatus bi_io_parse_pcd(const char* path, const char* data, size_t size, PointCloud* out) {
    PcdHeader h = {.path = path, .scan = bi_scan_start(data, size), .width = -1, .height = -1, .points = -1};
    BerthStatus status = read_header(&h);
    if (status != BERTH_OK) {
        return status;
    }

    out->has_viewpoint = h.has_viewpoint;
    // Every point takes a byte at least, packed or not; none is made room for that cannot be there.
    const uint64_t room = (uint64_t)size * (h.data == PCD_COMPRESSED ? LZF_GAIN_MAX : 1);
    if ((uint64_t)h.points > room / (uint64_t)(h.data == PCD_ASCII ? 1 : h.row_size)) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %lld points, the file of %zu bytes cannot hold them", path,
                       (int)h.scan.line, (long long)h.points, size);
    }

    if (h.data == PCD_ASCII) {
        return read_text(&h, out);
    }

    // Bytes begin on the line after DATA.
    const char* newline = memchr(h.scan.at, '\n', (size_t)(data + size - h.scan.at));
    const size_t at = newline != NULL ? (size_t)(newline + 1 - data) : size;
    if (h.data == PCD_COMPRESSED) {
        return read_compressed(&h, data, at, size, out);
    }

    if ((uint64_t)(h.row_size * h.points) > size - at) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the file ends, %lld points of %lld bytes are expected",
                       path, size, (long long)h.points, (long long)h.row_size);
    }
    return read_bytes(&h, (const uint8_t*)data + at, at, false, out);
}
