// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// PNG images through libpng: bytes from memory, its memory from the caller's allocator, its errors as a
// status. Colours become their mean, palettes and 16 bits become 8, pixels that are not opaque are marked.
// Entries: bi_io_parse_image, bi_io_parse_png, bi_io_png_bytes.

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "io/map/map_cells.h"

enum { ROWS_A_LOOK = 64 };

/// libpng works on this; everything that its long jumps leave behind is here.
typedef struct PngReader {
    const char* path;
    const char* data;
    size_t at, size, memory_limit;
    GreyImage* image;
    png_structp png;
    png_infop info;
    uint8_t* pixels;  // all rows, as libpng gives them
    size_t pixel_bytes;
    BerthStatus status;
} PngReader;

// What libpng takes is remembered with its size in front, because our allocators want it back.
typedef struct PngBlock {
    _Alignas(16) size_t size;
} PngBlock;

static png_voidp take_block(png_structp png, png_alloc_size_t size) {
    const BerthAllocator* allocator = png_get_mem_ptr(png);
    PngBlock* block = size <= SIZE_MAX / 2 ? bi_take(allocator, sizeof *block + size, 1) : NULL;
    if (block == NULL) {
        return NULL;
    }
    block->size = size;
    return block + 1;
}

static void give_block(png_structp png, png_voidp pointer) {
    if (pointer != NULL) {
        PngBlock* block = (PngBlock*)pointer - 1;
        bi_give(png_get_mem_ptr(png), block, sizeof *block + block->size, 1);
    }
}

static _Noreturn void on_error(png_structp png, png_const_charp text) {
    PngReader* r = png_get_error_ptr(png);
    if (r->status == BERTH_OK) {
        const bool memory = strstr(text, "emory") != NULL;
        r->status = bi_fail(memory ? BERTH_ERR_MEMORY : BERTH_ERR_PARSE, "%s: byte %zu: PNG: %s", r->path,
                            r->at, text);
    }
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_read(png_structp png, png_bytep out, size_t count) {
    PngReader* r = png_get_io_ptr(png);
    if (count > r->size - r->at) {
        r->status =
            bi_fail(BERTH_ERR_PARSE, "%s: byte %zu: the file ends inside the image", r->path, r->size);
        png_error(png, "cut");
    }
    memcpy(out, r->data + r->at, count);
    r->at += count;
}

static void fail_and_jump(PngReader* r, BerthStatus status) {
    r->status = status;
    png_error(r->png, "given up");
}

// 8 bits a channel: grey, or red, green, blue; perhaps alpha behind.
static void request_8_bits(PngReader* r) {
    png_set_scale_16(r->png);
    png_set_expand(r->png);
    (void)png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
}

static void read_rows(PngReader* r) {
    const png_uint_32 width = png_get_image_width(r->png, r->info);
    const png_uint_32 height = png_get_image_height(r->png, r->info);
    request_8_bits(r);

    const int channels = png_get_channels(r->png, r->info);
    const bool alpha = channels == 2 || channels == 4;
    const size_t row = png_get_rowbytes(r->png, r->info);
    const size_t limit = r->memory_limit > 0 ? r->memory_limit : BI_MAP_MEMORY;

    if (row * height > limit / 2) {
        fail_and_jump(r, bi_fail(BERTH_ERR_CAPACITY,
                                 "%s: an image of %u x %u pixels needs %.0f MiB, the limit is %.0f MiB",
                                 r->path, (unsigned)width, (unsigned)height,
                                 (double)(2 * row * height) / 1048576.0, (double)limit / 1048576.0));
    }

    const BerthStatus status = bi_image_allocate(r->path, width, height, alpha, limit / 2, r->image);
    if (status != BERTH_OK) {
        fail_and_jump(r, status);
    }

    r->image->white = 255;
    r->pixel_bytes = row * height;
    r->pixels = bi_take_raw(&r->image->allocator, r->pixel_bytes, 1);
    if (r->pixels == NULL) {
        fail_and_jump(
            r, bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %zu bytes of pixels", r->path, r->pixel_bytes));
    }

    // Interlaced images come in several passes over the same rows.
    const int passes = png_set_interlace_handling(r->png);
    for (int pass = 0; pass < passes; ++pass) {
        for (png_uint_32 y = 0; y < height; ++y) {
            if (y % ROWS_A_LOOK == 0 && bi_io_step(r->image->options, r->path, 1.0) != BERTH_OK) {
                fail_and_jump(r, BERTH_ERR_CANCELLED);
            }
            png_read_row(r->png, r->pixels + y * row, NULL);
        }
    }
    png_read_end(r->png, NULL);

    // Colours become their mean, rounded.
    const size_t count = (size_t)width * height;
    const int colours = channels < 3 ? 1 : 3;
    for (size_t i = 0; i < count; ++i) {
        const uint8_t* pixel = r->pixels + i * (size_t)channels;
        const int sum = colours == 1 ? pixel[0] : pixel[0] + pixel[1] + pixel[2];
        r->image->grey[i] = (uint16_t)((2 * sum + colours) / (2 * colours));
        if (alpha) {
            r->image->opaque[i] = pixel[channels - 1] == 255;
        }
    }
}

static void decode(PngReader* r) {
    if (setjmp(png_jmpbuf(r->png)) != 0) {
        return;  // on_error left the status
    }
    png_set_user_limits(r->png, BI_MAP_SIDE_MAX, BI_MAP_SIDE_MAX);
    png_set_chunk_malloc_max(r->png, 8u << 20);
    png_set_crc_action(r->png, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
    png_set_read_fn(r->png, r, on_read);
    png_read_info(r->png, r->info);
    read_rows(r);
}

BerthStatus bi_io_parse_png(const char* path, const char* data, size_t size, size_t memory_limit,
                            GreyImage* image) {
    PngReader r = {.path = path, .data = data, .size = size, .memory_limit = memory_limit, .image = image};
    r.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, &image->allocator,
                                     take_block, give_block);
    r.info = r.png != NULL ? png_create_info_struct(r.png) : NULL;

    if (r.info == NULL) {
        png_destroy_read_struct(&r.png, NULL, NULL);
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory to read a PNG image", path);
    }

    decode(&r);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    if (r.pixels != NULL) {
        bi_give(&image->allocator, r.pixels, r.pixel_bytes, 1);
    }
    return r.status;
}

BerthStatus bi_io_parse_image(const char* path, const char* data, size_t size, size_t memory_limit,
                              GreyImage* image) {
    if (size >= 8 && png_sig_cmp((png_const_bytep)data, 0, 8) == 0) {
        return bi_io_parse_png(path, data, size, memory_limit, image);
    }
    if (size >= 2 && data[0] == 'P' && (data[1] == '2' || data[1] == '5')) {
        return bi_io_parse_pgm(path, data, size, memory_limit, image);
    }
    return bi_fail(BERTH_ERR_PARSE, "%s: byte 0: not a PNG or PGM (P2, P5) image", path);
}

// ---- writing -----------------------------------------------------------------------------------------------------

static void on_write(png_structp png, png_bytep bytes, size_t count) {
    TextOut* out = png_get_io_ptr(png);
    bi_text_out_bytes(out, (const char*)bytes, count);
    if (out->failed) {
        png_error(png, "out of memory");
    }
}

static void on_flush(png_structp png) {
    (void)png;
}

static void encode(PngReader* r, int32_t width, int32_t height, const uint8_t* pixels, TextOut* out) {
    if (setjmp(png_jmpbuf(r->png)) != 0) {
        return;
    }
    png_set_write_fn(r->png, out, on_write, on_flush);
    png_set_IHDR(r->png, r->info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(r->png, r->info);
    for (int32_t y = 0; y < height; ++y) {
        png_write_row(r->png, pixels + 3 * (size_t)y * (size_t)width);
    }
    png_write_end(r->png, NULL);
}

BerthStatus bi_io_png_bytes(const char* path, int32_t width, int32_t height, const uint8_t* pixels,
                            TextOut* out) {
    PngReader r = {.path = path};
    r.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &r, on_error, on_warning, &out->bytes.allocator,
                                      take_block, give_block);
    r.info = r.png != NULL ? png_create_info_struct(r.png) : NULL;
    if (r.info == NULL) {
        png_destroy_write_struct(&r.png, NULL);
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory to write a PNG", path);
    }

    encode(&r, width, height, pixels, out);
    png_destroy_write_struct(&r.png, &r.info);
    return r.status;
}
