// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// DAE, PLY and glTF through assimp. It reads the bytes that were sent, through our callbacks, and no other
// file than the buffers beside a .gltf, which are requested. None of its post-processing is used: its steps
// assert on broken files, merge nearby vertices, drop small triangles, and free the scene twice when they
// fail. Triangles, transforms and checks are here.
// Entry: reader_import.

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader/reader.h"
#include "math/tolerance.h"
#include "mesh/mesh.h"

// ---- files as assimp sees them ----------------------------------------------------------------------------

typedef struct OpenFile {
    struct aiFile handle;
    const char* data;
    size_t size, at;
    char* own;  // null when `data` is the main file's
} OpenFile;

static size_t on_read(struct aiFile* file, char* out, size_t size, size_t count) {
    OpenFile* open = (OpenFile*)(void*)file->UserData;
    if (size == 0) {
        return 0;
    }

    const size_t items = (open->size - open->at) / size;
    const size_t taken = count < items ? count : items;
    memcpy(out, open->data + open->at, taken * size);
    open->at += taken * size;
    return taken;
}

static size_t on_write(struct aiFile* file, const char* data, size_t size, size_t count) {
    (void)file, (void)data, (void)size, (void)count;
    return 0;
}

static size_t on_tell(struct aiFile* file) {
    return ((OpenFile*)(void*)file->UserData)->at;
}

static size_t on_size(struct aiFile* file) {
    return ((OpenFile*)(void*)file->UserData)->size;
}

static void on_flush(struct aiFile* file) {
    (void)file;
}

static enum aiReturn on_seek(struct aiFile* file, size_t offset, enum aiOrigin origin) {
    OpenFile* open = (OpenFile*)(void*)file->UserData;
    size_t base = open->size;
    if (origin == aiOrigin_SET) {
        base = 0;
    } else if (origin == aiOrigin_CUR) {
        base = open->at;
    }

    const size_t to = base + offset;  // may wrap: offsets from the end are negative numbers in a size_t
    if (to > open->size) {
        return aiReturn_FAILURE;
    }
    open->at = to;
    return aiReturn_SUCCESS;
}

static struct aiFile* on_open(struct aiFileIO* io, const char* name, const char* mode) {
    const ReaderFile* mesh = (const ReaderFile*)(const void*)io->UserData;
    if (mode[0] != 'r') {
        return NULL;
    }
    OpenFile* open = calloc(1, sizeof *open);
    if (open == NULL) {
        return NULL;
    }

    open->data = mesh->data;
    open->size = mesh->size;
    if (strcmp(name, mesh->path) != 0) {
        open->own = reader_want_file(name, &open->size);
        open->data = open->own;
        if (open->own == NULL) {
            free(open);
            return NULL;
        }
    }

    open->handle =
        (struct aiFile){on_read, on_write, on_tell, on_size, on_seek, on_flush, (aiUserData)(void*)open};
    return &open->handle;
}

static void on_close(struct aiFileIO* io, struct aiFile* file) {
    (void)io;
    OpenFile* open = (OpenFile*)(void*)file->UserData;
    free(open->own);
    free(open);
}

// ---- what comes back --------------------------------------------------------------------------------------

static const struct aiScene* import_scene(const ReaderFile* file) {
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    if (properties == NULL) {
        return NULL;
    }

    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);

    struct aiFileIO io = {on_open, on_close, (aiUserData)(uintptr_t)file};
    const struct aiScene* scene = aiImportFileExWithProperties(file->path, 0, &io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

static BerthStatus fail_import(void) {
    const char* text = aiGetErrorString();
    return bi_fail(BERTH_ERR_PARSE, "%s", text[0] != '\0' ? text : "assimp cannot read it");
}

// Faces have corners, which exist: assimp does not promise it.
static BerthStatus check_faces(const struct aiMesh* mesh) {
    if (mesh->mNumFaces == 0 || mesh->mNumVertices == 0 || mesh->mVertices == NULL || mesh->mFaces == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "a mesh has %u vertices and %u faces, at least one triangle is expected",
                       mesh->mNumVertices, mesh->mNumFaces);
    }

    for (unsigned int i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace* face = &mesh->mFaces[i];
        if (face->mNumIndices == 0 || face->mIndices == NULL) {
            return bi_fail(BERTH_ERR_PARSE, "face %u has no corners: is the file complete?", i);
        }

        for (unsigned int k = 0; k < face->mNumIndices; k++) {
            if (face->mIndices[k] >= mesh->mNumVertices) {
                return bi_fail(BERTH_ERR_PARSE, "face %u names vertex %u, there are %u (counted from 0)", i,
                               face->mIndices[k], mesh->mNumVertices);
            }
        }
    }
    return BERTH_OK;
}

// Incomplete scenes have skeletons in place of what assimp could not read.
static BerthStatus check_scene(const struct aiScene* scene) {
    if ((scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE) != 0 || scene->mNumMeshes == 0 ||
        scene->mMeshes == NULL || scene->mRootNode == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "the file has no triangles that can be read (in COLLADA <convex_mesh> and "
                       "<spline> have none)");
    }

    for (unsigned int i = 0; i < scene->mNumMeshes; i++) {
        const BerthStatus status = check_faces(scene->mMeshes[i]);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

// Row-major affine map, in double; what a node does to its meshes.
typedef struct Affine {
    double at[3][4];
} Affine;

static Affine affine_from(const struct aiMatrix4x4* m) {
    return (Affine){{{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                     {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                     {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}}};
}

static Affine affine_mul(const Affine* outer, const Affine* inner) {
    Affine out;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            double sum = k == 3 ? outer->at[i][3] : 0.0;
            for (int j = 0; j < 3; j++) {
                sum += outer->at[i][j] * inner->at[j][k];
            }
            out.at[i][k] = sum;
        }
    }
    return out;
}

// Rounded to float like the file's own numbers, so that corners which meet in two nodes still do.
static Vec3 affine_apply(const Affine* map, const struct aiVector3D* p) {
    double out[3];
    for (int i = 0; i < 3; i++) {
        const double* row = map->at[i];
        out[i] =
            (double)(float)(row[0] * (double)p->x + row[1] * (double)p->y + row[2] * (double)p->z + row[3]);
    }
    return v3(out[0], out[1], out[2]);
}

static bool affine_mirrors(const Affine* map) {
    const double(*m)[4] = map->at;
    return v3_dot(v3(m[0][0], m[0][1], m[0][2]),
                  v3_cross(v3(m[1][0], m[1][1], m[1][2]), v3(m[2][0], m[2][1], m[2][2]))) < 0.0;
}

typedef struct Import {
    const struct aiScene* scene;
    TriangleSoup* soup;
    double factor;         // on top of what the file says
    int32_t folded_count;  // polygons whose fan folds over from every corner
} Import;

// Does the fan from corner `start` stay in one orientation? Then it covers the polygon and nothing else.
static bool fan_is_flat(const struct aiMesh* mesh, const struct aiFace* face, unsigned int start) {
    const unsigned int count = face->mNumIndices;
    Vec3 corner[3], sum = v3(0, 0, 0);

    for (unsigned int i = 0; i < count; i++) {
        const struct aiVector3D* p = &mesh->mVertices[face->mIndices[(start + i) % count]];
        corner[i < 2 ? i : 2] = v3((double)p->x, (double)p->y, (double)p->z);

        if (i >= 2) {
            const Vec3 area = v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0]));
            if (v3_dot(area, sum) < 0.0) {
                return false;
            }
            sum = v3_add(sum, area);
            corner[1] = corner[2];
        }
    }
    return true;
}

// Corners that are tried as the middle of a fan: large polygons would cost their square.
enum { FAN_STARTS_MAX = 16 };

static BerthStatus add_face(Import* import, const struct aiMesh* mesh, const struct aiFace* face,
                            int32_t base, bool mirrored) {
    // The first corner whose fan covers the polygon and nothing else.
    const unsigned int count = face->mNumIndices;
    unsigned int start = 0;
    while (count > 3 && start < count && start < FAN_STARTS_MAX && !fan_is_flat(mesh, face, start)) {
        start++;
    }
    if (count > 3 && (start == count || start == FAN_STARTS_MAX)) {
        import->folded_count++;
        start = 0;
    }

    for (unsigned int i = 2; i < count; i++) {
        const int32_t a = base + (int32_t)face->mIndices[start];
        const int32_t b = base + (int32_t)face->mIndices[(start + i - 1) % count];
        const int32_t c = base + (int32_t)face->mIndices[(start + i) % count];

        if (import->soup->triangle_count >= BI_MESH_TRIANGLES_MAX) {
            return bi_fail(BERTH_ERR_PARSE, "more than %d triangles", BI_MESH_TRIANGLES_MAX);
        }
        if (!bi_soup_add_triangle(import->soup, a, mirrored ? c : b, mirrored ? b : c)) {
            return bi_fail(BERTH_ERR_MEMORY, "no memory for its triangles");
        }
    }
    return BERTH_OK;
}

static BerthStatus add_mesh(Import* import, const struct aiMesh* mesh, const Affine* map) {
    TriangleSoup* soup = import->soup;
    const size_t first = soup->vertex_count;
    if (mesh->mNumVertices > 3 * (size_t)BI_MESH_TRIANGLES_MAX - first) {
        return bi_fail(BERTH_ERR_PARSE, "more than %d vertices", 3 * BI_MESH_TRIANGLES_MAX);
    }

    for (unsigned int i = 0; i < mesh->mNumVertices; i++) {
        const Vec3 p = v3_scale(affine_apply(map, &mesh->mVertices[i]), import->factor);
        Vec3 scaled;
        if (!bi_soup_scale(soup, p, &scaled)) {
            return bi_fail(BERTH_ERR_PARSE,
                           "vertex %u is (%g, %g, %g), finite numbers within %g m are expected", i, p.x, p.y,
                           p.z, BI_COORDINATE_MAX);
        }
        if (!bi_soup_add_vertex(soup, scaled)) {
            return bi_fail(BERTH_ERR_MEMORY, "no memory for its vertices");
        }
    }

    const bool mirrored = affine_mirrors(map);
    BerthStatus status = BERTH_OK;
    for (unsigned int i = 0; i < mesh->mNumFaces && status == BERTH_OK; i++) {
        // Points and lines add nothing.
        status = add_face(import, mesh, &mesh->mFaces[i], (int32_t)first, mirrored);
    }
    return status;
}

// Deeper than any document that passes the checks before.
enum { NODE_DEPTH_MAX = 512 };

typedef struct NodeVisit {
    const struct aiNode* node;
    unsigned int next;  // child
    Affine map;
} NodeVisit;

static BerthStatus add_node(Import* import, const NodeVisit* visit) {
    const struct aiNode* node = visit->node;
    BerthStatus status = BERTH_OK;
    for (unsigned int i = 0; i < node->mNumMeshes && status == BERTH_OK; i++) {
        if (node->mMeshes[i] < import->scene->mNumMeshes) {
            status = add_mesh(import, import->scene->mMeshes[node->mMeshes[i]], &visit->map);
        } else {
            status = bi_fail(BERTH_ERR_PARSE, "a node names a mesh that is not there");
        }
    }
    return status;
}

static BerthStatus walk_nodes(Import* import, NodeVisit* stack) {
    int32_t depth = 1;
    const struct aiNode* root = import->scene->mRootNode;
    stack[0] = (NodeVisit){root, 0, affine_from(&root->mTransformation)};

    BerthStatus status = add_node(import, &stack[0]);
    while (depth > 0 && status == BERTH_OK) {
        NodeVisit* visit = &stack[depth - 1];
        if (visit->next == visit->node->mNumChildren) {
            depth--;
            continue;
        }

        const struct aiNode* child = visit->node->mChildren[visit->next++];
        if (depth == NODE_DEPTH_MAX) {
            return bi_fail(BERTH_ERR_PARSE, "nodes are nested deeper than %d", NODE_DEPTH_MAX);
        }

        const Affine inner = affine_from(&child->mTransformation);
        stack[depth] = (NodeVisit){child, 0, affine_mul(&visit->map, &inner)};
        status = add_node(import, &stack[depth++]);
    }
    return status;
}

static BerthStatus add_scene(Import* import) {
    NodeVisit* stack = bi_take(&import->soup->allocator, NODE_DEPTH_MAX, sizeof *stack);
    if (stack == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "no memory for its nodes");
    }
    const BerthStatus status = walk_nodes(import, stack);
    bi_give(&import->soup->allocator, stack, NODE_DEPTH_MAX, sizeof *stack);

    if (status == BERTH_OK && import->soup->triangle_count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "the file has no triangles");
    }
    return status;
}

BerthStatus reader_import(const ReaderFile* file, double factor, TriangleSoup* soup, int32_t* folded_count) {
    const struct aiScene* scene = import_scene(file);
    if (scene == NULL) {
        return fail_import();
    }

    Import import = {.scene = scene, .soup = soup, .factor = factor};
    BerthStatus status = check_scene(scene);
    if (status == BERTH_OK) {
        status = add_scene(&import);
    }
    *folded_count = import.folded_count;
    return status;  // the scene ends with the program
}
