// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// NumPy's .npy: little-endian float64 in C order, of one to three dimensions; for volumes also other types of
// numbers and Fortran order. Anything else is an error that names the byte and what was expected.

#ifndef BI_IO_NPY_H
#define BI_IO_NPY_H

#include "io/syntax/text_out.h"

enum { BI_NPY_DIMENSION_MAX = 3 };

typedef enum NpyKind {
    NPY_FLOAT64 = 0,
    NPY_FLOAT32,
    NPY_BOOL,
    NPY_UINT8,
    NPY_INT8,
    NPY_UINT16,
    NPY_INT16,
    NPY_UINT32,
    NPY_INT32,
    NPY_UINT64,
    NPY_INT64,
    NPY_KIND_COUNT
} NpyKind;

typedef struct NpyArray {
    NpyKind kind;
    bool fortran_order;  ///< the first index runs fastest
    int32_t dimension_count;
    int64_t shape[BI_NPY_DIMENSION_MAX];
    int64_t count;  ///< of numbers
    size_t offset;  ///< of the first number in the file
} NpyArray;

bool bi_npy_has_magic(const char* data, size_t size);
/// Checks the header, and that the file is exactly as long as it says. Float64 in C order only.
BerthStatus bi_npy_parse(const char* data, size_t size, const char* path, NpyArray* out);
/// The same for every kind and order above.
BerthStatus bi_npy_parse_any(const char* data, size_t size, const char* path, NpyArray* out);
/// Bytes of one number.
size_t bi_npy_size(NpyKind kind);
/// The number at `index`, of a float64 array; the same on every machine.
double bi_npy_value(const char* data, const NpyArray* array, int64_t index);
/// What stands before the numbers of a file; `dictionary` is as Python writes it: "{'descr': ...}", at most 65000 bytes.
void bi_npy_put_header(TextOut* out, const char* dictionary);

#endif
