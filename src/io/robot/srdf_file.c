// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// An SRDF as a document: its pairs with their line numbers, and the text of a new one that keeps everything
// else of an old one. Comments of the old file are not kept: the document in memory has none.
// Entries: berth_io_read_srdf, berth_default_srdf_def, berth_io_srdf_text, berth_io_free_srdf,
// berth_io_free_srdf_text.

#include <berth/io/robot.h>
#include <string.h>

#include "io/robot/srdf_proven.h"

struct BerthSrdf {
    BerthAllocator allocator;
    Arena arena;
    BerthIoOptions options;
    XmlFile file;
    BerthSrdfPair* pairs;
    size_t pair_count, pair_capacity;
};

static bool is_pair(const XmlNode* node) {
    return strcmp(node->name, "disable_collisions") == 0 || strcmp(node->name, "enable_collisions") == 0;
}

static BerthStatus read_pair(BerthSrdf* srdf, const XmlNode* node) {
    BerthSrdfPair pair = {.enable = node->name[0] == 'e', .line = node->line};
    BerthStatus status = bi_xml_text(&srdf->file, node, "link1", &pair.link_a);
    if (status == BERTH_OK) {
        status = bi_xml_text(&srdf->file, node, "link2", &pair.link_b);
    }
    if (status != BERTH_OK) {
        return status;
    }

    pair.reason = bi_xml_value(node, "reason");
    BerthSrdfPair* grown = bi_arena_grow(&srdf->arena, srdf->pairs, srdf->pair_count, srdf->pair_count + 1,
                                         &srdf->pair_capacity, sizeof *grown);
    if (grown == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", srdf->file.path);
    }

    srdf->pairs = grown;
    srdf->pairs[srdf->pair_count++] = pair;
    return BERTH_OK;
}

static BerthStatus read_document(BerthSrdf* srdf, const char* path) {
    FileBytes bytes = {0};
    srdf->file.path = bi_arena_copy_text(&srdf->arena, path, strlen(path));
    if (srdf->file.path == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    BerthStatus status = bi_io_read_file(path, BI_XML_FILE_MAX, &srdf->options, &bytes);
    if (status == BERTH_OK) {
        status = bi_xml_parse(&srdf->file, bytes.data, bytes.size);
    }
    bi_io_free_file(&bytes);

    if (status == BERTH_OK && strcmp(srdf->file.root->name, "robot") != 0) {
        status = bi_xml_fail(&srdf->file, srdf->file.root, BERTH_ERR_PARSE, "an SRDF begins with <robot>");
    }

    for (const XmlNode* node = status == BERTH_OK ? srdf->file.root->first : NULL;
         node != NULL && status == BERTH_OK; node = node->next) {
        if (is_pair(node)) {
            status = read_pair(srdf, node);
        }
    }
    return status;
}

BerthStatus berth_io_read_srdf(const char* path, const BerthIoOptions* options, BerthSrdf** out) {
    *out = NULL;
    BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    const BerthAllocator from = bi_allocator_or_default(&options->allocator);
    BerthSrdf* srdf = bi_take(&from, 1, sizeof *srdf);
    if (srdf == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", path);
    }

    srdf->allocator = from;
    srdf->options = *options;
    bi_arena_init(&srdf->arena, &from, 0);
    srdf->file.options = &srdf->options;
    srdf->file.arena = &srdf->arena;

    status = read_document(srdf, path);
    if (status != BERTH_OK) {
        berth_io_free_srdf(srdf);
        return status;
    }

    *out = srdf;
    return BERTH_OK;
}

void berth_io_free_srdf(BerthSrdf* srdf) {
    if (srdf == NULL) {
        return;
    }
    const BerthAllocator memory = srdf->allocator;
    bi_arena_free(&srdf->arena);
    bi_give(&memory, srdf, 1, sizeof *srdf);
}

int32_t berth_srdf_pair_count(const BerthSrdf* srdf) {
    return (int32_t)srdf->pair_count;
}

BerthSrdfPair berth_srdf_pair(const BerthSrdf* srdf, int32_t index) {
    BI_ASSERT(index >= 0 && (size_t)index < srdf->pair_count);
    return srdf->pairs[index];
}

// ---- writing ------------------------------------------------------------------------------------------------

static void put_text(TextOut* out, const char* text) {
    bi_text_out_bytes(out, text, strlen(text));
}

static void put_attribute(TextOut* out, const char* name, const char* value) {
    put_text(out, " ");
    put_text(out, name);
    put_text(out, "=\"");
    bi_text_out_quoted(out, value);
    put_text(out, "\"");
}

// A comment must not hold two dashes, nor end with one: a space is put between and behind.
static void put_comment(TextOut* out, const char* text) {
    put_text(out, "<!-- ");
    for (const char* c = text; *c != '\0'; ++c) {
        bi_text_out_bytes(out, c, 1);
        if (*c == '-' && (c[1] == '-' || c[1] == '\0')) {
            put_text(out, " ");
        }
    }
    put_text(out, " -->");
}

static void put_indent(TextOut* out, const XmlNode* node, const XmlNode* top) {
    for (const XmlNode* n = node; n != top; n = n->parent) {
        put_text(out, "  ");
    }
}

static void put_start(TextOut* out, const XmlNode* node, const XmlNode* root) {
    put_indent(out, node, root);
    put_text(out, "<");
    put_text(out, node->name);
    for (int32_t i = 0; i < node->attribute_count; ++i) {
        put_attribute(out, node->attributes[i].name, node->attributes[i].value);
    }
    put_text(out, node->first != NULL ? ">\n" : "/>\n");
}

static void put_end(TextOut* out, const XmlNode* node, const XmlNode* root) {
    put_indent(out, node, root);
    put_text(out, "</");
    put_text(out, node->name);
    put_text(out, ">\n");
}

// An element of the root with all that is in it. Nothing recurses: ends are written on the way up.
static void put_element(TextOut* out, const XmlNode* top, const XmlNode* root) {
    const XmlNode* node = top;
    for (;;) {
        put_start(out, node, root);
        if (node->first != NULL) {
            node = node->first;
            continue;
        }

        while (node != top && node->next == NULL) {
            node = node->parent;
            put_end(out, node, root);
        }

        if (node == top) {
            return;
        }
        node = node->next;
    }
}

static void put_other_elements(TextOut* out, const BerthSrdf* srdf) {
    const XmlNode* root = srdf->file.root;
    for (const XmlNode* node = root->first; node != NULL; node = node->next) {
        if (!is_pair(node) && strcmp(node->name, "disable_default_collisions") != 0 &&
            strcmp(node->name, BI_SRDF_TABLE) != 0) {
            put_element(out, node, root);
        }
    }
}

static void put_pairs(TextOut* out, const BerthSrdfPair* pairs, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        put_text(out, pairs[i].enable ? "  <enable_collisions" : "  <disable_collisions");
        put_attribute(out, "link1", pairs[i].link_a);
        put_attribute(out, "link2", pairs[i].link_b);
        if (pairs[i].reason != NULL) {
            put_attribute(out, "reason", pairs[i].reason);
        }
        put_text(out, "/>");
        if (pairs[i].comment != NULL) {
            put_text(out, " ");
            put_comment(out, pairs[i].comment);
        }
        put_text(out, "\n");
    }
}

BerthSrdfDef berth_default_srdf_def(void) {
    return (BerthSrdfDef){.name = "", .stamp = BI_DEF_STAMP};
}

BerthStatus berth_io_srdf_text(const BerthSrdfDef* def, const BerthIoOptions* options, char** text,
                               size_t* size) {
    *text = NULL;
    *size = 0;
    if (def == NULL || def->stamp != BI_DEF_STAMP) {
        return bi_fail(BERTH_ERR_ARGUMENT, "SRDF def: start from berth_default_srdf_def()");
    }
    const BerthStatus status = bi_io_settle_options(&options);
    if (status != BERTH_OK) {
        return status;
    }

    TextOut out = {.bytes.allocator = bi_allocator_or_default(&options->allocator)};
    put_text(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    if (def->comment != NULL) {
        put_comment(&out, def->comment);
        put_text(&out, "\n");
    }

    put_text(&out, "<robot");
    put_attribute(&out, "name", def->name);
    put_text(&out, ">\n");

    if (def->rest != NULL) {
        put_other_elements(&out, def->rest);
    }
    put_pairs(&out, def->pairs, def->pair_count);
    if (def->table != NULL) {
        bi_srdf_put_table(&out, def->table);
    }
    put_text(&out, "</robot>\n");

    char* whole = out.failed ? NULL : bi_take(&out.bytes.allocator, out.bytes.size + 1, 1);
    if (whole != NULL) {
        memcpy(whole, out.bytes.data, out.bytes.size);
        *text = whole;
        *size = out.bytes.size;
    }

    bi_io_free_file(&out.bytes);
    return whole != NULL ? BERTH_OK : bi_fail(BERTH_ERR_MEMORY, "SRDF: out of memory");
}

void berth_io_free_srdf_text(const BerthIoOptions* options, char* text, size_t size) {
    if (text != NULL && bi_io_settle_options(&options) == BERTH_OK) {
        const BerthAllocator from = bi_allocator_or_default(&options->allocator);
        bi_give(&from, text, size + 1, 1);
    }
}
