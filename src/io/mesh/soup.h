// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Triangles as in a mesh file, before they are welded; and the in-memory readers, which fuzzing calls.

#ifndef BI_MESH_SOUP_H
#define BI_MESH_SOUP_H

#include <berth/io/syntax.h>

#include "base/base.h"
#include "math/vec3.h"

typedef struct TriangleSoup {
    BerthAllocator allocator;
    Vec3 scale;  // already applied to `vertices`
    bool turn;   // the scale mirrors: windings are turned as triangles are added
    Vec3* vertices;
    size_t vertex_count, vertex_capacity;
    int32_t* corners;  // 3 * triangle_count
    size_t triangle_count, triangle_capacity;
} TriangleSoup;

/// Refuses scales that are zero, NaN or infinite. The text names no file: the caller puts its place before
/// it.
BerthStatus bi_soup_init(TriangleSoup* soup, Vec3 scale, const BerthAllocator* allocator);
void bi_soup_free(TriangleSoup* soup);
/// Memory for exactly that many more; false when there is none.
bool bi_soup_reserve(TriangleSoup* soup, size_t vertex_count, size_t triangle_count);
/// Adds one; the arrays grow by doubling. False when there is no memory.
bool bi_soup_add_vertex(TriangleSoup* soup, Vec3 scaled);
bool bi_soup_add_triangle(TriangleSoup* soup, int32_t a, int32_t b, int32_t c);
/// A polygon whose corners come one by one: a fan of triangles from its first corner. All zero: no corner yet.
typedef struct SoupFan {
    int64_t count;  // corners so far
    int32_t first, before;
    Vec3 area;  // sum of the triangles' area vectors
    bool
        folded;  // a triangle turns against those before it: the polygon is concave, and the fan covers more than it
} SoupFan;
/// The next corner, a vertex that is there already or one that follows (then nothing is said about folding). False when there
/// is no memory.
bool bi_soup_add_corner(TriangleSoup* soup, SoupFan* fan, int32_t corner);
/// The scaled point; false when a coordinate is not finite or further than BI_COORDINATE_MAX.
bool bi_soup_scale(const TriangleSoup* soup, Vec3 raw, Vec3* out);

/// Readers of bytes. `name` stands at the front of error texts. `data` has a zero byte behind it.
BerthStatus bi_io_parse_stl(const char* name, const char* data, size_t size, const BerthIoOptions* options,
                            TriangleSoup* soup);
BerthStatus bi_io_parse_obj(const char* name, const char* data, size_t size, const BerthIoOptions* options,
                            TriangleSoup* soup);
/// What the file said about its units, for warnings.
typedef struct MeshUnits {
    double metres;  // of one unit; 1 when it said nothing
    int32_t line;   // where, 0: nowhere
} MeshUnits;
/// DAE, PLY and glTF, by a program of its own that has assimp. `path` is also where files beside it are looked for.
BerthStatus bi_io_parse_foreign(const char* path, const char* data, size_t size,
                                const BerthIoOptions* options, TriangleSoup* soup, MeshUnits* units);

/// Looks through a COLLADA document before assimp sees it: well-formed XML with line numbers, no DOCTYPE,
/// depth bounded, root COLLADA, nodes that do not use themselves, sizes that fit; and its units.
BerthStatus bi_io_scan_collada(const char* name, const char* data, size_t size,
                               const BerthAllocator* allocator, MeshUnits* units);
/// The same for a .gltf, or a .glb (`binary`): JSON, nodes that are trees, sizes that fit.
BerthStatus bi_io_scan_gltf(const char* name, const char* data, size_t size, bool binary,
                            const BerthAllocator* allocator);
/// The same for the header of a PLY file.
BerthStatus bi_io_scan_ply(const char* name, const char* data, size_t size);

#endif
