// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Writes certificates: lines of text, the last of which is a hash of all before it. Written to a temporary
// file and renamed, so that nobody ever sees an incomplete one.
// Entries: berth_io_write_certificate, bi_io_certificate_to_bytes.

#include "certificate/certificate.h"
#include "io/motion/certificate.h"
#include "io/syntax/files.h"
#include "io/syntax/text_out.h"
#include "scene/scene.h"
#include "tree/rss.h"

static const char* const kind_names[PROOF_KIND_COUNT] = {"balls",      "plane", "distance",
                                                         "half-space", "table", "gap"};

// A name is the rest of its line: what would end it becomes a question mark, here and where it is read.
static void add_name(TextOut* writer, const char* name) {
    for (const char* c = name; *c != '\0'; ++c) {
        const char plain = (unsigned char)*c < ' ' ? '?' : *c;
        bi_text_out_bytes(writer, &plain, 1);
    }
    bi_text_out_bytes(writer, "\n", 1);
}

static void add_vector(TextOut* writer, Vec3 v) {
    char text[TEXT_OUT_NUMBER];
    bi_text_out_add(writer, " %s", bi_number_text(v.x, text));
    bi_text_out_add(writer, " %s", bi_number_text(v.y, text));
    bi_text_out_add(writer, " %s", bi_number_text(v.z, text));
}

// What was read to make it, where somebody kept the sums.
static void add_files(TextOut* writer, const BerthFiles* files) {
    FileSum sum;
    for (size_t i = 0; bi_io_files_sum(files, i, &sum); ++i) {
        char hash[SHA256_TEXT];
        bi_sha256_text(sum.hash, hash);
        bi_text_out_add(writer, "file %s ", hash);
        add_name(writer, sum.path);
    }
}

static void add_leaves(TextOut* writer, const CertificateRecord* record) {
    if (record->count_a > 0) {
        bi_text_out_add(writer, " leaves %d %d %d %d", (int)record->first_a, (int)record->count_a,
                        (int)record->first_b, (int)record->count_b);
    }
    bi_text_out_bytes(writer, "\n", 1);
}

static void add_header(TextOut* writer, const BerthCertificate* c, const BerthScene* scene,
                       const BerthFiles* files) {
    char hash[SHA256_TEXT];
    char text[TEXT_OUT_NUMBER];

    bi_sha256_text(c->scene_hash, hash);
    bi_text_out_add(writer, "berth certificate 3\nmoving %s %d\n", berth_moving_name(c->moving),
                    (int)berth_scene_moving_count(scene));
    add_files(writer, files);
    bi_text_out_add(writer, "scene %s\n", hash);
    bi_text_out_add(writer, "margin %s\n", bi_number_text(c->margin, text));
    bi_text_out_add(writer, "self-margin %s\n", bi_number_text(c->self_margin, text));
    bi_text_out_add(writer, "delta %s\n", bi_number_text(c->delta, text));
    if (c->interpolation[0] != '\0') {
        bi_text_out_add(writer, "interpolation ");
        add_name(writer, c->interpolation);
    }

    for (int32_t i = 0; i < scene->assumed_count; ++i) {
        bi_text_out_add(writer, "assumed %d ", (int)scene->assumed[i].count);
        add_name(writer, scene->assumed[i].what);
    }
    for (int32_t i = 0; i < c->value_count; ++i) {
        char name[2 * BI_SCENE_NAME_MAX];
        berth_scene_value_name(scene, i, name, sizeof name);
        bi_text_out_add(writer, "value %s ", bi_number_text(c->tracking_error[i], text));
        add_name(writer, name);
    }

    for (int32_t i = 0; i < scene->body_count; ++i) {
        bi_text_out_add(writer, "body %d ", (int)i);
        add_name(writer, scene->bodies[i].name);
    }

    for (int32_t i = 0; i < scene->body_count; ++i) {
        Vec3 centre;
        double radius = 0.0;
        if (bi_certificate_ball(scene, i, &centre, &radius)) {
            bi_text_out_add(writer, "ball %d", (int)i);
            add_vector(writer, centre);
            bi_text_out_add(writer, " %s\n", bi_number_text(radius, text));
        }
    }

    for (int64_t i = 0; i < c->constant_count; ++i) {
        const CertificateConstant* constant = &c->constants[i];
        const ScenePair* pair = &scene->pairs[constant->pair];
        bi_text_out_add(writer, "constant %d %d %s %s", (int)pair->body_a, (int)pair->body_b,
                        kind_names[constant->kind], bi_number_text(constant->bound, text));
        if (constant->kind == PROOF_GAP) {
            add_vector(writer, constant->direction);
        }
        add_leaves(writer, constant);
    }
}

static void add_record(TextOut* writer, const CertificateRecord* record, const BerthScene* scene) {
    const ScenePair* pair = &scene->pairs[record->pair];
    char text[TEXT_OUT_NUMBER];
    bi_text_out_add(writer, "%d %d %d %llu %s %s", (int)pair->body_a, (int)pair->body_b, (int)record->level,
                    (unsigned long long)record->index, kind_names[record->kind],
                    bi_number_text(record->bound, text));

    if (record->kind == PROOF_PLANE || record->kind == PROOF_GAP) {
        add_vector(writer, record->direction);
    }
    add_leaves(writer, record);
}

// The triangles of one part, in the order that leaves are counted in.
static void add_mesh(TextOut* writer, int32_t body, int32_t part, const BerthSolid* solid) {
    const RssTree* tree = solid_rss(solid);
    const BerthMesh* mesh = solid->mesh;
    bi_text_out_add(writer, "mesh %d %d %d %d\n", (int)body, (int)part, (int)mesh->info.vertex_count,
                    (int)tree->triangle_count);
    for (int32_t i = 0; i < mesh->info.vertex_count; ++i) {
        bi_text_out_add(writer, "point");
        add_vector(writer, mesh->vertices[i]);
        bi_text_out_bytes(writer, "\n", 1);
    }
    for (int32_t i = 0; i < tree->triangle_count; ++i) {
        const int32_t* corner = mesh->triangles + 3 * (size_t)tree->source[i];
        bi_text_out_add(writer, "%d %d %d\n", (int)corner[0], (int)corner[1], (int)corner[2]);
    }
}

static bool body_has_leaves(const CertificateRecord* records, int64_t count, const BerthScene* scene,
                            int32_t body) {
    for (int64_t i = 0; i < count; ++i) {
        const ScenePair* pair = &scene->pairs[records[i].pair];
        if (records[i].count_a > 0 && (pair->body_a == body || pair->body_b == body)) {
            return true;
        }
    }
    return false;
}

BerthStatus bi_io_certificate_meshes(const BerthCertificate* c, const BerthScene* scene, TextOut* writer) {
    BerthStatus status = BERTH_OK;
    for (int32_t i = 0; i < scene->body_count && status == BERTH_OK; ++i) {
        const SceneBody* body = &scene->bodies[i];
        if (!body_has_leaves(c->records, c->record_count, scene, i) &&
            !body_has_leaves(c->constants, c->constant_count, scene, i)) {
            continue;
        }

        for (int32_t k = 0; k < body->part_count && status == BERTH_OK; ++k) {
            const BerthSolid* solid = scene->parts[body->first_part + k].solid;
            status = bi_solid_need_rss(solid);
            if (status == BERTH_OK && solid_rss(solid) != NULL) {
                add_mesh(writer, i, k, solid);
            }
        }
    }
    return status;
}

static void add_segment(TextOut* writer, const BerthCertificate* c, int64_t index) {
    const CertificateSegment* segment = &c->segments[index];
    char text[TEXT_OUT_NUMBER];
    char hash[SHA256_TEXT];
    bi_sha256_text(segment->hash, hash);
    bi_text_out_add(writer, "segment %lld %lld %s", (long long)index, (long long)segment->count, hash);

    if (c->moving == BERTH_MOVING_REACH) {
        bi_text_out_add(writer, " %s", bi_number_text(segment->start, text));
        bi_text_out_add(writer, " %s", bi_number_text(segment->duration, text));
    }
    bi_text_out_bytes(writer, "\n", 1);
}

static BerthStatus write_bytes(const char* path, const BerthCertificate* c, const BerthScene* scene,
                               const BerthFiles* files, const BerthAllocator* allocator, FileBytes* out) {
    *out = (FileBytes){.allocator = bi_allocator_or_default(allocator)};

    int64_t proven = 0;
    if (berth_certificate_segment_count(c, &proven) != proven) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: a certificate is about free segments: %lld of %lld are not",
                       path, (long long)(c->segment_count - proven), (long long)c->segment_count);
    }
    if (!scene->committed || c->pair_count != scene->pair_count || c->value_count != scene->value_count) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: the certificate is about another scene", path);
    }

    TextOut writer = {.bytes = *out};
    char hash[SHA256_TEXT];
    add_header(&writer, c, scene, files);

    for (int64_t i = 0; i < c->segment_count; ++i) {
        const CertificateSegment* segment = &c->segments[i];
        add_segment(&writer, c, i);
        for (int64_t k = segment->first; k < segment->first + segment->count; ++k) {
            add_record(&writer, &c->records[k], scene);
        }
    }

    const BerthStatus listed = bi_io_certificate_meshes(c, scene, &writer);
    if (listed != BERTH_OK) {
        bi_io_free_file(&writer.bytes);
        return listed;
    }

    Sha256 sha;
    uint8_t digest[SHA256_SIZE];
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, writer.bytes.data, writer.bytes.size);
    bi_sha256_end(&sha, digest);
    bi_sha256_text(digest, hash);
    bi_text_out_add(&writer, "end %s\n", hash);

    if (writer.failed) {
        bi_io_free_file(&writer.bytes);
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    *out = writer.bytes;
    return BERTH_OK;
}

BerthStatus bi_io_certificate_to_bytes(const char* path, const BerthCertificate* c, const BerthScene* scene,
                                       const BerthAllocator* allocator, FileBytes* out) {
    return write_bytes(path, c, scene, NULL, allocator, out);
}

BerthStatus berth_io_write_certificate(const char* path, const BerthCertificate* certificate,
                                       const BerthScene* scene, const BerthIoOptions* options) {
    if (path == NULL || path[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "a file's name is missing");
    }
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    FileBytes bytes;
    status = write_bytes(path, certificate, scene, options->files, &options->allocator, &bytes);
    if (status == BERTH_OK) {
        status = bi_io_write_file(path, &bytes, options);
    }
    bi_io_free_file(&bytes);
    return status;
}
