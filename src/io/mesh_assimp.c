// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// DAE, PLY and glTF through assimp. What it is asked for: triangles in one frame, nothing else; what it
// answers is checked. It reads the bytes that we read, through our callbacks, and no other file than the
// buffers beside a .gltf.
//
// Left out on purpose: JoinIdenticalVertices, which merges what is near, and FindDegenerates, which turns
// small triangles into lines: the shape room welds equal vertices only and drops nothing that has an area.

#include "io/file.h"
#include "io/mesh_soup.h"

static const char* const g_extensions[] = {".dae", ".ply", ".gltf", ".glb"};

bool bi_io_assimp_knows(const char* path) {
    for (size_t i = 0; i < sizeof g_extensions / sizeof g_extensions[0]; i++) {
        if (bi_io_has_extension(path, g_extensions[i])) {
            return true;
        }
    }
    return false;
}

#if !defined(BI_WITH_ASSIMP) || !BI_WITH_ASSIMP

BerthStatus bi_io_parse_assimp(const char* path, const char* data, size_t size, const BerthIoOptions* options,
                               TriangleSoup* soup, MeshUnits* units) {
    (void)data, (void)size, (void)options, (void)soup, (void)units;
    return bi_fail(
        BERTH_ERR_UNSUPPORTED,
        "%s: this build reads .stl and .obj only; others need a build with assimp (BERTH_WITH_ASSIMP=ON)",
        path);
}

#else

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdio.h>
#include <string.h>

#include "io/number.h"
#include "io/scan.h"
#include "math/tolerance.h"
#include "shape/mesh.h"

// ---- files as assimp sees them ----------------------------------------------------------------------------

// Most bytes of one buffer beside a .gltf.
#define BUFFER_LIMIT ((size_t)256 << 20)
typedef struct OpenFile {
    struct aiFile handle;
    const char* data;
    size_t size, at;
    FileBytes own;  // cleared when `data` is the main file's
} OpenFile;

typedef struct Folder {
    const char* path;  // the main file, as assimp was given it
    const char* data;
    size_t size;
    const BerthIoOptions* options;
} Folder;

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
    const size_t base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? open->at : open->size;
    const size_t to = base + offset;  // may wrap: offsets from the end are negative numbers in a size_t
    if (to > open->size) {
        return aiReturn_FAILURE;
    }
    open->at = to;
    return aiReturn_SUCCESS;
}

// A .bin in the same folder as a .gltf: "DIR/NAME" with the main file's own DIR, and no way out of it.
static bool is_buffer_beside(const Folder* folder, const char* name) {
    const char* slash = strrchr(folder->path, '/');
    const size_t length = slash != NULL ? (size_t)(slash - folder->path) + 1 : 0;
    return bi_io_has_extension(folder->path, ".gltf") && bi_io_has_extension(name, ".bin") &&
           strncmp(name, folder->path, length) == 0 && strpbrk(name + length, "/\\") == NULL;
}

static struct aiFile* on_open(struct aiFileIO* io, const char* name, const char* mode) {
    const Folder* folder = (const Folder*)(const void*)io->UserData;
    const bool is_main = strcmp(name, folder->path) == 0;
    if (mode[0] != 'r' || (!is_main && !is_buffer_beside(folder, name))) {
        return NULL;
    }
    OpenFile* open = bi_take(&folder->options->allocator, 1, sizeof *open);
    if (open == NULL) {
        return NULL;
    }
    open->data = folder->data;
    open->size = folder->size;
    if (!is_main) {
        if (bi_io_read_file(name, BUFFER_LIMIT, &folder->options->allocator, &open->own) != BERTH_OK) {
            bi_give(&folder->options->allocator, open, 1, sizeof *open);
            return NULL;
        }
        open->data = open->own.data;
        open->size = open->own.size;
    }
    open->handle =
        (struct aiFile){on_read, on_write, on_tell, on_size, on_seek, on_flush, (aiUserData)(void*)open};
    return &open->handle;
}

static void on_close(struct aiFileIO* io, struct aiFile* file) {
    const Folder* folder = (const Folder*)(const void*)io->UserData;
    OpenFile* open = (OpenFile*)(void*)file->UserData;
    bi_io_free_file(&open->own);
    bi_give(&folder->options->allocator, open, 1, sizeof *open);
}

// ---- a look before ----------------------------------------------------------------------------------------

static bool begins_with(const char* data, size_t size, const char* text) {
    const size_t length = strlen(text);
    return size >= length && memcmp(data, text, length) == 0;
}

// assimp makes room for as many items as the header says; each takes a byte of the file at least.
static BerthStatus check_ply(const char* path, const char* data, size_t size) {
    Scan scan = bi_scan_start(data, size);
    bool going = begins_with(data, size, "ply");
    if (!going) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: 'ply' is expected", path);
    }
    while (going) {
        Word word = {"", 0}, name, text;
        if (bi_scan_word_in_line(&scan, '\0', &word) && bi_word_is(word, "end_header")) {
            return BERTH_OK;
        }
        int64_t count = 0;
        if (bi_word_is(word, "element") && bi_scan_word_in_line(&scan, '\0', &name) &&
            bi_scan_word_in_line(&scan, '\0', &text) &&
            (!bi_parse_int(text.text, text.length, &count) || count < 0 || (uint64_t)count > size)) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: element %s: '%s' is not a count that the file can hold",
                           path, scan.line, bi_word_show(name).text, bi_word_show(text).text);
        }
        going = bi_scan_next_line(&scan);
    }
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: the file ends, 'end_header' is expected", path, scan.line);
}

static BerthStatus check_start(const char* path, const char* data, size_t size, const BerthIoOptions* options,
                               MeshUnits* units) {
    if (bi_io_has_extension(path, ".dae")) {
        return bi_io_scan_collada(path, data, size, &options->allocator, units);
    }
    if (bi_io_has_extension(path, ".ply")) {
        return check_ply(path, data, size);
    }
    return bi_io_scan_gltf(path, data, size, bi_io_has_extension(path, ".glb"), &options->allocator);
}

// ---- what comes back --------------------------------------------------------------------------------------

#define PROCESS_STEPS                                                            \
    (aiProcess_RemoveComponent | aiProcess_Triangulate | aiProcess_SortByPType | \
     aiProcess_PreTransformVertices)

static const struct aiScene* import(const Folder* folder) {
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    if (properties == NULL) {
        return NULL;
    }
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_RVC_FLAGS,
                               aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                   aiComponent_COLORS | aiComponent_TEXCOORDS | aiComponent_BONEWEIGHTS |
                                   aiComponent_ANIMATIONS | aiComponent_TEXTURES | aiComponent_LIGHTS |
                                   aiComponent_CAMERAS | aiComponent_MATERIALS);
    aiSetImportPropertyInteger(properties, AI_CONFIG_PP_SBP_REMOVE,
                               aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    struct aiFileIO io = {on_open, on_close, (aiUserData)(uintptr_t)folder};
    const struct aiScene* scene = aiImportFileExWithProperties(folder->path, 0, &io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

// What assimp says may have several lines.
static BerthStatus fail_import(const char* path) {
    char text[512];
    snprintf(text, sizeof text, "%s", aiGetErrorString());
    for (char* c = text; *c != '\0'; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : ' ';
    }
    return bi_fail(BERTH_ERR_PARSE, "%s: %s", path, text[0] != '\0' ? text : "assimp cannot read it");
}

// What assimp's later steps take for granted, by assertions that end the program: faces have corners, which exist.
static BerthStatus check_faces(const char* path, const struct aiMesh* mesh) {
    if (mesh->mNumFaces == 0 || mesh->mNumVertices == 0 || mesh->mVertices == NULL || mesh->mFaces == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: a mesh has %u vertices and %u faces, at least one triangle is expected", path,
                       mesh->mNumVertices, mesh->mNumFaces);
    }
    for (unsigned int i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace* face = &mesh->mFaces[i];
        if (face->mNumIndices == 0 || face->mIndices == NULL) {
            return bi_fail(BERTH_ERR_PARSE, "%s: face %u has no corners: is the file complete?", path, i);
        }
        for (unsigned int k = 0; k < face->mNumIndices; k++) {
            if (face->mIndices[k] >= mesh->mNumVertices) {
                return bi_fail(BERTH_ERR_PARSE, "%s: face %u names vertex %u, there are %u (counted from 0)",
                               path, i, face->mIndices[k], mesh->mNumVertices);
            }
        }
    }
    return BERTH_OK;
}

// Incomplete scenes have skeletons in place of what assimp could not read.
static BerthStatus check_scene(const char* path, const struct aiScene* scene) {
    if ((scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE) != 0 || scene->mNumMeshes == 0 ||
        scene->mMeshes == NULL || scene->mRootNode == NULL) {
        return bi_fail(BERTH_ERR_PARSE,
                       "%s: the file has no triangles that can be read (in COLLADA <convex_mesh> and "
                       "<spline> have none)",
                       path);
    }
    for (unsigned int i = 0; i < scene->mNumMeshes; i++) {
        const BerthStatus status = check_faces(path, scene->mMeshes[i]);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}

static BerthStatus add_mesh(const char* path, const struct aiMesh* mesh, double factor, TriangleSoup* soup) {
    const size_t first = soup->vertex_count;
    const size_t limit = 3 * (size_t)BI_MESH_TRIANGLES_MAX;
    if (mesh->mNumVertices > limit - first ||
        mesh->mNumFaces > BI_MESH_TRIANGLES_MAX - soup->triangle_count) {
        return bi_fail(BERTH_ERR_PARSE, "%s: more than %d triangles", path, BI_MESH_TRIANGLES_MAX);
    }
    if (!bi_soup_reserve(soup, mesh->mNumVertices, mesh->mNumFaces)) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for %u triangles", path, mesh->mNumFaces);
    }
    for (unsigned int i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D p = mesh->mVertices[i];
        Vec3 scaled;
        if (!bi_soup_scale(soup, v3(factor * (double)p.x, factor * (double)p.y, factor * (double)p.z),
                           &scaled)) {
            return bi_fail(BERTH_ERR_PARSE,
                           "%s: vertex %u is (%g, %g, %g), finite numbers within %g m are expected", path, i,
                           (double)p.x, (double)p.y, (double)p.z, BI_COORDINATE_MAX);
        }
        (void)bi_soup_add_vertex(soup, scaled);  // reserved
    }
    for (unsigned int i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace* face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) {
            continue;  // lines and points; SortByPType leaves none
        }
        const unsigned int* index = face->mIndices;
        if (index[0] >= mesh->mNumVertices || index[1] >= mesh->mNumVertices ||
            index[2] >= mesh->mNumVertices) {
            return bi_fail(BERTH_ERR_PARSE, "%s: triangle %u names a vertex that is not there", path, i);
        }
        const int32_t base = (int32_t)first;
        (void)bi_soup_add_triangle(soup, base + (int32_t)index[0], base + (int32_t)index[1],
                                   base + (int32_t)index[2]);
    }
    return BERTH_OK;
}

static BerthStatus add_scene(const char* path, const struct aiScene* scene, double factor,
                             TriangleSoup* soup) {
    for (unsigned int i = 0; i < scene->mNumMeshes; i++) {
        const BerthStatus status = add_mesh(path, scene->mMeshes[i], factor, soup);
        if (status != BERTH_OK) {
            return status;
        }
    }
    if (soup->triangle_count == 0) {
        return bi_fail(BERTH_ERR_PARSE, "%s: the file has no triangles", path);
    }
    return BERTH_OK;
}

BerthStatus bi_io_parse_assimp(const char* path, const char* data, size_t size, const BerthIoOptions* options,
                               TriangleSoup* soup, MeshUnits* units) {
    BerthStatus status = check_start(path, data, size, options, units);
    if (status != BERTH_OK) {
        return status;
    }
    const Folder folder = {.path = path, .data = data, .size = size, .options = options};
    const struct aiScene* scene = import(&folder);
    if (scene == NULL) {
        return fail_import(path);
    }
    status = check_scene(path, scene);
    if (status != BERTH_OK) {
        aiReleaseImport(scene);
        return status;
    }
    scene = aiApplyPostProcessing(scene, PROCESS_STEPS);
    if (scene == NULL) {  // freed by assimp
        return fail_import(path);
    }
    // assimp has put the unit into the vertices.
    const double factor = options->ignore_dae_units ? 1.0 / units->metres : 1.0;
    status = add_scene(path, scene, factor, soup);
    aiReleaseImport(scene);
    return status;
}

#endif
