// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Our geometry as FCL's.

#include "support/fcl.h"

#include <string.h>

#if BERTH_HAVE_ORACLES
PeerFcl* fcl_shape(const BerthShape* shape) {
    switch (shape->kind) {
    case BERTH_SPHERE:
        return peer_fcl_sphere(shape->as.sphere.radius);
    case BERTH_CAPSULE:
        return peer_fcl_capsule(shape->as.capsule.radius, shape->as.capsule.length);
    case BERTH_BOX:
        return peer_fcl_box(2 * shape->as.box.half.x, 2 * shape->as.box.half.y, 2 * shape->as.box.half.z);
    case BERTH_CYLINDER:
        return peer_fcl_cylinder(shape->as.cylinder.radius, shape->as.cylinder.length);
    case BERTH_CONE:
        return peer_fcl_cone(shape->as.cone.radius, shape->as.cone.length);
    default:
        return NULL;
    }
}

PeerFcl* fcl_solid(const BerthSolid* solid) {
    const BerthMesh* mesh = berth_solid_mesh(solid);
    if (mesh != NULL) {
        const BerthMeshInfo info = berth_mesh_info(mesh);
        return peer_fcl_mesh((const double*)berth_mesh_vertices(mesh), info.vertex_count,
                             berth_mesh_triangles(mesh), info.triangle_count);
    }

    const BerthShape* shape = berth_solid_shape(solid);
    return shape != NULL ? fcl_shape(shape) : NULL;
}
#endif

void fcl_rows(const BerthPose* p, double out[12]) {
    const double rows[12] = {p->x.x, p->y.x, p->z.x, p->x.y, p->y.y, p->z.y,
                             p->x.z, p->y.z, p->z.z, p->t.x, p->t.y, p->t.z};
    memcpy(out, rows, sizeof rows);
}
