// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Makes and destroys solids.
//
// Entries: berth_solid_from_shape, berth_solid_from_hull, berth_solid_from_mesh.

#include "tree/solid.h"

#include <float.h>

#include "base/threads.h"
#include "math/math.h"
#include "shape/gap.h"
#include "tree/cells.h"
#include "tree/rss.h"
#include "tree/sphere.h"

static void set_bounds(BerthSolid* solid) {
    if (solid->is_mesh) {
        solid->low = solid->mesh->info.low;
        solid->high = solid->mesh->info.high;
        solid->centre = v3_scale(v3_add(solid->low, solid->high), 0.5);

        double farthest_sq = 0.0;
        double extent_sq = 0.0;
        for (int32_t i = 0; i < solid->mesh->info.vertex_count; ++i) {
            farthest_sq = fmax(farthest_sq, v3_length_sq(v3_sub(solid->mesh->vertices[i], solid->centre)));
            extent_sq = fmax(extent_sq, v3_length_sq(solid->mesh->vertices[i]));
        }

        solid->radius = sqrt(farthest_sq) * (1.0 + 8.0 * BI_ULP);
        solid->extent = sqrt(extent_sq) * (1.0 + 8.0 * BI_ULP);
        return;
    }

    const Pose still = pose_identity();
    bi_shape_bounds(&solid->shape, &still, &solid->low, &solid->high);
    bi_shape_ball(&solid->shape, &solid->centre, &solid->radius);
    solid->extent = solid->shape.kind == BERTH_HALFSPACE ? fabs(solid->shape.as.halfspace.offset)
                                                         : v3_length(solid->centre) + solid->radius;
}

// One point and the box of every connected piece: if surfaces do not cross, a piece is inside or outside as a whole.
static bool find_pieces(BerthSolid* solid) {
    const BerthMesh* mesh = solid->mesh;
    const int32_t count = solid->is_mesh ? mesh->info.component_count : 1;

    solid->pieces = bi_take(&solid->allocator, (size_t)count, sizeof *solid->pieces);
    if (solid->pieces == NULL) {
        return false;
    }

    solid->piece_count = count;

    if (!solid->is_mesh) {
        solid->pieces[0] = (SolidPiece){solid->centre, solid->low, solid->high};
        if (solid->shape.kind == BERTH_TRIANGLE) {
            solid->pieces[0].point = solid->shape.as.triangle.point[0];
        }
        return true;
    }

    for (int32_t i = 0; i < count; ++i) {
        solid->pieces[i].low = v3(DBL_MAX, DBL_MAX, DBL_MAX);
        solid->pieces[i].high = v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    }

    for (int32_t i = 0; i < mesh->info.triangle_count; ++i) {
        SolidPiece* piece = &solid->pieces[mesh->component[i]];
        Vec3 p[3];
        mesh_triangle(mesh, i, p);
        piece->point = p[0];
        for (int k = 0; k < 3; ++k) {
            piece->low = v3_min(piece->low, p[k]);
            piece->high = v3_max(piece->high, p[k]);
        }
    }
    return true;
}

static BerthStatus make_lazy_rss(BerthSolid* solid) {
    LazyRss* lazy = bi_take(&solid->allocator, 1, sizeof *lazy);
    if (lazy == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "solid: out of memory");
    }

    const int failure = pthread_mutex_init(&lazy->mutex, NULL);
    if (failure != 0) {
        bi_give(&solid->allocator, lazy, 1, sizeof *lazy);
        return bi_fail(BERTH_ERR_SYSTEM, "solid: no mutex (error %d)", failure);
    }

    atomic_init(&lazy->tree, NULL);
    solid->rss = lazy;
    return BERTH_OK;
}

static void free_lazy_rss(BerthSolid* solid) {
    if (solid->rss != NULL) {
        bi_rss_destroy(atomic_load(&solid->rss->tree));
        (void)pthread_mutex_destroy(&solid->rss->mutex);
        bi_give(&solid->allocator, solid->rss, 1, sizeof *solid->rss);
    }
}

BerthStatus bi_solid_need_rss(const BerthSolid* solid) {
    if (solid->rss == NULL || solid_rss(solid) != NULL) {
        return BERTH_OK;
    }

    // Whoever comes second waits, and finds it made.
    LazyRss* lazy = solid->rss;
    (void)pthread_mutex_lock(&lazy->mutex);
    BerthStatus status = BERTH_OK;
    if (atomic_load(&lazy->tree) == NULL) {
        RssTree* tree = NULL;
        status = bi_rss_build(solid->mesh, bi_processor_count(), &solid->allocator, &tree);
        atomic_store_explicit(&lazy->tree, tree, memory_order_release);
    }
    (void)pthread_mutex_unlock(&lazy->mutex);
    return status;
}

BerthStatus bi_solid_finish(BerthSolid* solid, BerthSolid** out) {
    set_bounds(solid);
    BerthStatus status = bi_tree_box_build(solid, bi_processor_count());
    if (status == BERTH_OK && !find_pieces(solid)) {
        status = bi_fail(BERTH_ERR_MEMORY, "solid: out of memory");
    }
    if (status == BERTH_OK) {
        status = bi_solid_build_pieces(solid);
    }
    if (status == BERTH_OK && solid->is_mesh) {
        status = make_lazy_rss(solid);
    }

    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }

    *out = solid;
    return BERTH_OK;
}

BerthSolid* bi_solid_new(const BerthAllocator* allocator) {
    const BerthAllocator from = bi_allocator_or_default(allocator);
    BerthSolid* solid = bi_take(&from, 1, sizeof *solid);
    if (solid != NULL) {
        solid->allocator = from;
    } else {
        bi_fail(BERTH_ERR_MEMORY, "solid: out of memory");
    }
    return solid;
}

BerthStatus berth_solid_from_shape(const BerthShape* shape, const BerthAllocator* allocator,
                                   BerthSolid** out) {
    *out = NULL;
    if (shape == NULL || (int)shape->kind < 0 || shape->kind >= BERTH_SHAPE_KIND_COUNT) {
        return bi_fail(BERTH_ERR_ARGUMENT, "solid: the shape has no known kind");
    }
    BerthSolid* solid = bi_solid_new(allocator);
    if (solid == NULL) {
        return BERTH_ERR_MEMORY;
    }

    solid->shape = *shape;
    solid->closed = true;
    return bi_solid_finish(solid, out);
}

BerthStatus berth_solid_from_hull(BerthHull* hull, const BerthAllocator* allocator, BerthSolid** out) {
    *out = NULL;
    BerthSolid* solid = bi_solid_new(allocator);
    if (solid == NULL) {
        berth_hull_destroy(hull);
        return BERTH_ERR_MEMORY;
    }

    solid->hull = hull;
    solid->closed = true;

    const BerthStatus status = berth_shape_hull(hull, &solid->shape);
    if (status != BERTH_OK) {
        berth_solid_destroy(solid);
        return status;
    }
    return bi_solid_finish(solid, out);
}

BerthStatus berth_solid_from_mesh(BerthMesh* mesh, const BerthAllocator* allocator, BerthSolid** out) {
    *out = NULL;
    if (mesh == NULL) {
        return bi_fail(BERTH_ERR_ARGUMENT, "solid: no mesh");
    }
    BerthSolid* solid = bi_solid_new(allocator);
    if (solid == NULL) {
        berth_mesh_destroy(mesh);
        return BERTH_ERR_MEMORY;
    }

    solid->mesh = mesh;
    solid->is_mesh = true;
    solid->closed = mesh->info.watertight;
    return bi_solid_finish(solid, out);
}

void berth_solid_destroy(BerthSolid* solid) {
    if (solid == NULL) {
        return;
    }

    const BerthAllocator from = solid->allocator;
    bi_give(&from, solid->nodes, (size_t)solid->node_count, sizeof *solid->nodes);
    bi_give(&from, solid->links, (size_t)solid->node_count, sizeof *solid->links);
    bi_give(&from, solid->corners, (size_t)solid->bottom_count, sizeof *solid->corners);
    bi_give(&from, solid->triangles, (size_t)solid->triangle_count, sizeof *solid->triangles);
    bi_give(&from, solid->source, (size_t)solid->triangle_count, sizeof *solid->source);
    bi_give(&from, solid->pieces, (size_t)solid->piece_count, sizeof *solid->pieces);
    bi_give(&from, solid->piece_nodes, (size_t)solid->piece_node_count, sizeof *solid->piece_nodes);

    bi_cell_index_destroy(solid->cells);
    free_lazy_rss(solid);
    bi_tree_sphere_destroy(solid->spheres);
    berth_hull_destroy(solid->hull);
    berth_mesh_destroy(solid->mesh);

    bi_give(&from, solid, 1, sizeof *solid);
}

const BerthMesh* berth_solid_mesh(const BerthSolid* solid) {
    return solid->mesh;
}

const BerthShape* berth_solid_shape(const BerthSolid* solid) {
    return solid->is_mesh ? NULL : &solid->shape;
}

size_t berth_solid_bytes(const BerthSolid* solid) {
    size_t bytes = sizeof *solid;

    bytes += (size_t)solid->node_count * (sizeof *solid->nodes + sizeof *solid->links);
    bytes += (size_t)solid->triangle_count * (sizeof *solid->triangles + sizeof *solid->source);
    bytes += (size_t)solid->bottom_count * sizeof *solid->corners;
    bytes += (size_t)solid->piece_count * sizeof *solid->pieces;
    bytes += (size_t)solid->piece_node_count * sizeof *solid->piece_nodes;
    bytes += bi_cell_index_bytes(solid->cells);

    if (solid->is_mesh) {
        bytes += (size_t)solid->mesh->info.vertex_count * sizeof(Vec3);
        bytes += (size_t)solid->mesh->info.triangle_count * 4 * sizeof(int32_t);
        bytes += solid->rss != NULL ? sizeof *solid->rss : 0;
        bytes += solid_rss(solid) != NULL ? bi_rss_bytes(solid_rss(solid)) : 0;
    }

    bytes += bi_tree_sphere_bytes(solid->spheres);
    if (solid->hull != NULL) {
        bytes += (size_t)solid->hull->vertex_count * sizeof(Vec3) +
                 (size_t)solid->hull->face_count * 3 * sizeof(int32_t);
    }

    return bytes;
}

BerthStatus berth_solid_add_spheres(BerthSolid* solid, const BerthSphereTreeDef* def) {
    SphereTree* tree = NULL;
    const BerthStatus status = bi_tree_sphere_build(solid, def, &solid->allocator, &tree);
    if (status == BERTH_OK) {
        bi_tree_sphere_destroy(solid->spheres);
        solid->spheres = tree;
    }
    return status;
}
