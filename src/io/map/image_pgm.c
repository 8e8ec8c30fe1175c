// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// PGM images: P2 (text) and P5 (8 or 16 bits), with comments in the header. Memory for images of any kind.
// Entries: bi_io_parse_pgm, bi_image_allocate, bi_image_free.

#include <string.h>

#include "io/map/map_cells.h"
#include "io/syntax/number.h"
#include "io/syntax/scan.h"

#define MIB 1048576.0
enum { PIXELS_A_LOOK = 1 << 20 };

void bi_image_free(GreyImage* image) {
    const size_t count = (size_t)image->width * (size_t)image->height;
    if (image->grey != NULL) {
        bi_give(&image->allocator, image->grey, count, sizeof *image->grey);
    }
    if (image->opaque != NULL) {
        bi_give(&image->allocator, image->opaque, count, 1);
    }
    image->grey = NULL;
    image->opaque = NULL;
}

BerthStatus bi_image_allocate(const char* path, int64_t width, int64_t height, bool opaque,
                              size_t memory_limit, GreyImage* image) {
    if (width < 1 || height < 1 || width > BI_MAP_SIDE_MAX || height > BI_MAP_SIDE_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: an image of %lld x %lld pixels, 1 to %d each way are expected",
                       path, (long long)width, (long long)height, BI_MAP_SIDE_MAX);
    }

    const uint64_t count = (uint64_t)width * (uint64_t)height;
    const uint64_t needed = count * (opaque ? 3 : 2);
    const size_t limit = memory_limit > 0 ? memory_limit : BI_MAP_MEMORY;

    if (needed > limit) {
        return bi_fail(BERTH_ERR_CAPACITY,
                       "%s: an image of %lld x %lld pixels needs %.0f MiB, the limit is %.0f MiB", path,
                       (long long)width, (long long)height, (double)needed / MIB, (double)limit / MIB);
    }

    image->width = (int32_t)width;
    image->height = (int32_t)height;
    image->grey = bi_take_raw(&image->allocator, (size_t)count, sizeof *image->grey);
    image->opaque = opaque ? bi_take_raw(&image->allocator, (size_t)count, 1) : NULL;
    if (image->grey == NULL || (opaque && image->opaque == NULL)) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %.0f MiB of pixels", path, (double)needed / MIB);
    }
    return BERTH_OK;
}

// The next whole number of a text, behind spaces and comments.
static BerthStatus next_number(const char* path, Scan* scan, const char* what, int64_t most, int64_t* out) {
    Word word;
    while (bi_scan_word(scan, &word)) {
        const char* comment = memchr(word.text, '#', word.length);
        if (comment == word.text) {
            scan->at = word.text;
            (void)bi_scan_next_line(scan);
            continue;
        }

        if (comment != NULL) {
            word.length = (size_t)(comment - word.text);
            scan->at = comment;
        }

        if (bi_parse_int(word.text, word.length, out) && *out >= 0 && *out <= most) {
            return BERTH_OK;
        }
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s '%s', a whole number from 0 to %lld is expected", path,
                       (int)scan->line, what, bi_word_show(word).text, (long long)most);
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, the %s is expected", path, (int)scan->line, what);
}

static BerthStatus read_text(const char* path, Scan* scan, GreyImage* image) {
    const size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; ++i) {
        int64_t value = 0;
        if (i % PIXELS_A_LOOK == 0 && bi_io_step(image->options, path, 1.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        const BerthStatus status = next_number(path, scan, "grey level", image->white, &value);
        if (status != BERTH_OK) {
            return status;
        }
        image->grey[i] = (uint16_t)value;
    }
    return BERTH_OK;
}

static BerthStatus read_binary(const char* path, const char* data, size_t at, GreyImage* image) {
    const size_t count = (size_t)image->width * (size_t)image->height;
    const uint8_t* bytes = (const uint8_t*)data + at;
    for (size_t i = 0; i < count; ++i) {
        if (i % PIXELS_A_LOOK == 0 && bi_io_step(image->options, path, 1.0) != BERTH_OK) {
            return BERTH_ERR_CANCELLED;
        }
        image->grey[i] = image->white < 256 ? bytes[i] : (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
        if (image->grey[i] > image->white) {
            return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: grey level %d, the header says at most %d", path,
                           at + (image->white < 256 ? i : 2 * i), image->grey[i], (int)image->white);
        }
    }
    return BERTH_OK;
}

BerthStatus bi_io_parse_pgm(const char* path, const char* data, size_t size, size_t memory_limit,
                            GreyImage* image) {
    if (size < 2 || data[0] != 'P' || (data[1] != '2' && data[1] != '5')) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: not a PGM image: 'P2' or 'P5' is expected", path);
    }

    const bool text = data[1] == '2';
    Scan scan = bi_scan_start(data, size);
    scan.at += 2;

    int64_t width = 0, height = 0, white = 0;
    BerthStatus status = next_number(path, &scan, "width", INT32_MAX, &width);
    if (status == BERTH_OK) {
        status = next_number(path, &scan, "height", INT32_MAX, &height);
    }
    if (status == BERTH_OK) {
        status = next_number(path, &scan, "largest grey level", 65535, &white);
    }
    if (status != BERTH_OK) {
        return status;
    }

    if (white == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: the largest grey level is 0", path, (int)scan.line);
    }

    // One white byte stands between the header and the pixels.
    const size_t at = (size_t)(scan.at - data) + (text ? 0 : 1);
    const uint64_t count = (uint64_t)width * (uint64_t)height;
    const uint64_t pixel = text || white < 256 ? 1 : 2;
    const uint64_t there = at <= size ? size - at : 0;

    if (count * pixel > there || (!text && count * pixel < there)) {
        return bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: %lld x %lld pixels take %s%llu bytes, %llu are there",
                       path, at <= size ? at : size, (long long)width, (long long)height,
                       text ? "at least " : "", (unsigned long long)(count * pixel),
                       (unsigned long long)there);
    }

    status = bi_image_allocate(path, width, height, false, memory_limit, image);
    image->white = (int32_t)white;
    if (status != BERTH_OK) {
        return status;
    }
    return text ? read_text(path, &scan, image) : read_binary(path, data, at, image);
}
