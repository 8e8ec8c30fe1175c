// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Point clouds as in files, and the readers of bytes, which fuzzing calls. Points with a NaN or an infinite
// coordinate are how sensors say "nothing seen": they are dropped and counted.

#ifndef BI_IO_CLOUD_H
#define BI_IO_CLOUD_H

#include <berth/math.h>

#include "io/syntax/file.h"

typedef struct PointCloud {
    BerthAllocator allocator;
    BerthVec3* points;
    size_t count, capacity;
    size_t dropped;
    const BerthIoOptions* options;  ///< polled whether to stop; may be null
    int32_t dim;         ///< 2: x and y are enough, z is 0; 3: three numbers; 0: three, and two of .npy
    bool has_viewpoint;  ///< a PCD says that it was seen from elsewhere; its points are taken as they are
} PointCloud;

void bi_cloud_init(PointCloud* cloud, const BerthAllocator* allocator);
void bi_cloud_free(PointCloud* cloud);
/// Memory for that many points at once. `path` stands before the text.
BerthStatus bi_cloud_reserve(PointCloud* cloud, const char* path, size_t count);
/// Adds a point, or drops it. `path` and `where` (a line, or a byte of a binary file) are for the error text.
BerthStatus bi_cloud_add(PointCloud* cloud, const char* path, bool binary, size_t where, BerthVec3 point);
/// A decimal number, or nan or inf in any spelling of theirs.
bool bi_cloud_parse_number(const char* text, size_t length, double* out);

/// A number in a binary file: `kind` is 'F', 'I' or 'U', `size` its bytes. False when there is no such number.
bool bi_cloud_is_number_kind(char kind, int64_t size);
double bi_cloud_read_number(const uint8_t* bytes, char kind, size_t size, bool big_endian);

/// PCL's PCD: ascii, binary, binary_compressed.
BerthStatus bi_io_parse_pcd(const char* path, const char* data, size_t size, PointCloud* out);
/// The vertices of a PLY file: ascii or binary of both kinds.
BerthStatus bi_io_parse_ply_points(const char* path, const char* data, size_t size, PointCloud* out);
/// x y z in each line, by spaces or commas, with anything behind; `#` begins a comment; a first line may be a header
/// x,y,z. In the plane x y with anything behind, and a header x,y.
BerthStatus bi_io_parse_xyz(const char* path, const char* data, size_t size, PointCloud* out);
/// One of these, by extension, else by the first bytes.
BerthStatus bi_io_parse_points(const char* path, const char* data, size_t size, PointCloud* out);
/// Is it one of the extensions of clouds?
bool bi_io_has_cloud_extension(const char* path);
/// Whether a PLY is a mesh; false when its header cannot be read.
bool bi_io_ply_has_faces(const char* path, const char* data, size_t size);

#endif
