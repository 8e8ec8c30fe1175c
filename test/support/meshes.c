// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes, poses and allocators for tests.

#include "support/meshes.h"

#include <stdlib.h>
#include <string.h>

typedef struct Maker {
    BerthVec3* vertices;
    int32_t* triangles;
    int32_t vertex_count, triangle_count;
} Maker;

static void add_vertex(Maker* m, double x, double y, double z) {
    m->vertices[m->vertex_count++] = (BerthVec3){x, y, z};
}

static void add_triangle(Maker* m, int a, int b, int c) {
    int32_t* t = m->triangles + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// Rings of latitude between two poles; `inward` turns the surface inside out.
static void add_ball(Maker* m, int rings, double radius, double bump, Random* random, int inward) {
    const int sides = 2 * rings;
    const int base = m->vertex_count;
    for (int i = 0; i <= rings; ++i) {
        for (int k = 0; k < sides; ++k) {
            const double theta = 3.14159265358979 * i / rings;
            const double phi = 6.28318530717959 * k / sides;
            const double r =
                radius * (1.0 + (i > 0 && i < rings ? bi_random_between(random, -bump, bump) : 0.0));
            if ((i == 0 || i == rings) && k > 0) {
                m->vertices[m->vertex_count++] = m->vertices[base + i * sides];
                continue;
            }
            add_vertex(m, r * sin(theta) * cos(phi), r * sin(theta) * sin(phi), r * cos(theta));
        }
    }
    for (int i = 0; i < rings; ++i) {
        for (int k = 0; k < sides; ++k) {
            const int a = base + i * sides + k;
            const int b = base + i * sides + (k + 1) % sides;
            const int c = a + sides;
            const int d = b + sides;
            const int flip = inward;
            if (i > 0) {
                add_triangle(m, a, flip ? b : c, flip ? c : b);
            }
            if (i < rings - 1) {
                add_triangle(m, b, flip ? d : c, flip ? c : d);
            }
        }
    }
}

static void add_torus(Maker* m, int around, double size) {
    const int tube = around / 2 < 3 ? 3 : around / 2;
    for (int i = 0; i < around; ++i) {
        for (int k = 0; k < tube; ++k) {
            const double u = 6.28318530717959 * i / around;
            const double v = 6.28318530717959 * k / tube;
            const double r = size * (0.7 + 0.3 * cos(v));
            add_vertex(m, r * cos(u), r * sin(u), size * 0.3 * sin(v));
        }
    }
    for (int i = 0; i < around; ++i) {
        for (int k = 0; k < tube; ++k) {
            const int a = i * tube + k;
            const int b = (i + 1) % around * tube + k;
            const int c = i * tube + (k + 1) % tube;
            const int d = (i + 1) % around * tube + (k + 1) % tube;
            add_triangle(m, a, b, c);
            add_triangle(m, b, d, c);
        }
    }
}

static void add_box(Maker* m, double size, Random* random) {
    const double x = size * bi_random_between(random, 0.2, 1), y = size * bi_random_between(random, 0.2, 1),
                 z = size * bi_random_between(random, 0.2, 1);
    for (int k = 0; k < 8; ++k) {
        add_vertex(m, k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    }
    static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int k = 0; k < 12; ++k) {
        add_triangle(m, face[k][0], face[k][1], face[k][2]);
    }
}

static void add_sheet(Maker* m, int side, double size, Random* random) {
    for (int i = 0; i <= side; ++i) {
        for (int k = 0; k <= side; ++k) {
            add_vertex(m, size * (2.0 * i / side - 1), size * (2.0 * k / side - 1),
                       size * bi_random_between(random, -0.1, 0.1));
        }
    }
    for (int i = 0; i < side; ++i) {
        for (int k = 0; k < side; ++k) {
            const int a = i * (side + 1) + k;
            add_triangle(m, a, a + side + 1, a + 1);
            add_triangle(m, a + 1, a + side + 1, a + side + 2);
        }
    }
}

static void add_soup(Maker* m, int triangles, double size, Random* random) {
    for (int i = 0; i < triangles; ++i) {
        const double spread = size * (i % 7 == 0 ? 1.0 : 0.2);
        const double flat = i % 5 == 0 ? 1e-6 : 1.0;
        const BerthVec3 c = {bi_random_between(random, -size, size), bi_random_between(random, -size, size),
                             bi_random_between(random, -size, size)};
        for (int k = 0; k < 3; ++k) {
            add_vertex(m, c.x + spread * bi_random_between(random, -1, 1),
                       c.y + spread * flat * bi_random_between(random, -1, 1),
                       c.z + spread * flat * bi_random_between(random, -1, 1));
        }
        add_triangle(m, 3 * i, 3 * i + 1, 3 * i + 2);
    }
}

BerthMesh* test_mesh(TestMeshKind kind, int triangles, double size, Random* random) {
    const size_t most = (size_t)triangles * 8 + 256;
    Maker m = {malloc(most * sizeof(BerthVec3)), malloc(most * 3 * sizeof(int32_t)), 0, 0};
    const int rings = (int)sqrt(triangles / 4.0) < 2 ? 2 : (int)sqrt(triangles / 4.0);
    switch (kind) {
    case TEST_MESH_BALL:
        add_ball(&m, rings, size * 0.8, 0.2, random, 0);
        break;
    case TEST_MESH_TORUS:
        add_torus(&m, (int)sqrt((double)triangles) < 4 ? 4 : (int)sqrt((double)triangles), size);
        break;
    case TEST_MESH_BOX:
        add_box(&m, size, random);
        break;
    case TEST_MESH_HOLLOW:
        add_ball(&m, rings, size, 0.0, random, 0);
        add_ball(&m, rings, size * 0.5, 0.0, random, 1);
        break;
    case TEST_MESH_SHEET:
        add_sheet(&m, (int)sqrt(triangles / 2.0) < 1 ? 1 : (int)sqrt(triangles / 2.0), size, random);
        break;
    default:
        add_soup(&m, triangles, size, random);
        break;
    }
    BerthMesh* mesh = NULL;
    berth_mesh_create(m.vertices, m.vertex_count, m.triangles, m.triangle_count, NULL, &mesh);
    free(m.vertices);
    free(m.triangles);
    return mesh;
}

BerthSolid* test_solid(TestMeshKind kind, int triangles, double size, Random* random) {
    BerthMesh* mesh = test_mesh(kind, triangles, size, random);
    BerthSolid* solid = NULL;
    if (mesh != NULL) {
        berth_solid_from_mesh(mesh, NULL, &solid);
    }
    return solid;
}

BerthPose test_pose(Random* random, double range) {
    return bi_pose_from_unit_quat(bi_random_quat(random), v3(bi_random_between(random, -range, range),
                                                             bi_random_between(random, -range, range),
                                                             bi_random_between(random, -range, range)));
}

BerthShape test_shape(BerthShapeKind kind, double size, Random* random) {
    BerthShape shape = {0};
    const double a = size * bi_random_between(random, 0.2, 1);
    const double b = size * bi_random_between(random, 0.2, 2);
    const double c = size * bi_random_between(random, 0.2, 2);
    const BerthVec3 points[3] = {{a, b, -c}, {-a, c, 0}, {b, -c, a}};
    switch (kind) {
    case BERTH_SPHERE:
        berth_shape_sphere(a, &shape);
        break;
    case BERTH_CAPSULE:
        berth_shape_capsule(a * 0.5, b, &shape);
        break;
    case BERTH_BOX:
        berth_shape_box((BerthVec3){a, b, c}, &shape);
        break;
    case BERTH_CYLINDER:
        berth_shape_cylinder(a * 0.5, b, &shape);
        break;
    case BERTH_CONE:
        berth_shape_cone(a * 0.5, b, &shape);
        break;
    default:
        berth_shape_triangle(points, &shape);
        break;
    }
    return shape;
}

void test_rotation(const BerthPose* pose, double out[9]) {
    const double rows[9] = {pose->x.x, pose->y.x, pose->z.x, pose->x.y, pose->y.y,
                            pose->z.y, pose->x.z, pose->y.z, pose->z.z};
    memcpy(out, rows, sizeof rows);
}

static void* counting_take(void* user, size_t size, size_t align) {
    TestAllocator* counts = user;
    const int64_t now = counts->taken++;
    if (counts->fail_at >= 0 && (now == counts->fail_at || (counts->forever && now > counts->fail_at))) {
        return NULL;
    }
    void* block = aligned_alloc(align, (size + align - 1) / align * align);
    counts->live += block != NULL;
    counts->live_bytes += block != NULL ? (int64_t)size : 0;
    return block;
}

static void counting_give(void* user, void* block, size_t size) {
    TestAllocator* counts = user;
    counts->given += 1;
    counts->live -= 1;
    counts->live_bytes -= (int64_t)size;
    free(block);
}

BerthAllocator test_allocator(TestAllocator* counts) {
    return (BerthAllocator){counting_take, counting_give, counts};
}
