// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// From libyaml's events to a tree of nodes. Depth is bounded by a stack of fixed size, memory by counts; nothing is
// recursive.
// Entries: bi_yaml_parse, bi_yaml_free.

#include "io/syntax/yaml.h"

#include <string.h>
#include <yaml.h>

enum { BUCKET_COUNT = 1 << 14 };

typedef struct Builder {
    YamlFile* file;
    yaml_parser_t parser;
    int32_t first_line;
    size_t line_count;  // of the text; libyaml counts one more at its end
    YamlNode* stack[BI_YAML_DEPTH_MAX];
    // Number of the map, so that its keys hash apart from other maps' keys.
    uint32_t owners[BI_YAML_DEPTH_MAX];
    int32_t depth;
    uint32_t map_count;
    int32_t node_count;
    const char* key;  // of the value that comes next in the map on top, or null
    int32_t key_line;
    YamlNode** buckets;
} Builder;

static BerthStatus fail_memory(const Builder* b) {
    return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", b->file->path);
}

static int32_t line_of(const Builder* b, size_t mark_line) {
    return b->first_line + (int32_t)(mark_line < b->line_count ? mark_line : b->line_count - 1);
}

static BerthStatus fail_at(const Builder* b, const yaml_mark_t* mark, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", b->file->path, (int)line_of(b, mark->line), text);
}

// ---- what libyaml says -------------------------------------------------------------------------------------

static BerthStatus fail_scanner(const Builder* b, const char* data, size_t size) {
    const yaml_parser_t* p = &b->parser;
    if (p->error == YAML_MEMORY_ERROR) {
        return fail_memory(b);
    }

    const char* problem = p->problem != NULL ? p->problem : "not YAML";
    if (p->error == YAML_READER_ERROR) {
        size_t line = 0;
        const size_t end = p->problem_offset < size ? p->problem_offset : size;
        for (size_t i = 0; i < end; ++i) {
            line += data[i] == '\n';
        }
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s (byte %zu): a text in UTF-8 was expected", b->file->path,
                       (int)line_of(b, line), problem, p->problem_offset);
    }

    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s%s%s", b->file->path, (int)line_of(b, p->problem_mark.line),
                   p->context != NULL ? p->context : "", p->context != NULL ? ": " : "", problem);
}

// Only the tags that say what a plain value would be anyway.
static bool is_known_tag(const yaml_char_t* tag) {
    static const char prefix[] = "tag:yaml.org,2002:";
    static const char* const names[] = {"str", "int", "float", "bool", "null", "seq", "map"};
    if (tag == NULL) {
        return true;
    }
    const char* text = (const char*)tag;
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return strcmp(text, "!") == 0;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(text + sizeof prefix - 1, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// ---- nodes -------------------------------------------------------------------------------------------------

static uint32_t hash_key(uint32_t owner, const char* key) {
    uint32_t hash = 2166136261u ^ (owner * 2654435761u);
    for (; *key != '\0'; ++key) {
        hash = (hash ^ (uint8_t)*key) * 16777619u;
    }
    return hash ^ (hash >> 15);
}

// Puts a map's child into the table of keys; refuses a key that is there already.
static BerthStatus add_key(Builder* b, YamlNode* node, uint32_t owner) {
    node->owner = owner;
    node->hash = hash_key(owner, node->key);
    YamlNode** head = &b->buckets[node->hash & (BUCKET_COUNT - 1)];

    int32_t length = 0;
    for (const YamlNode* other = *head; other != NULL; other = other->same_hash, ++length) {
        if (other->hash == node->hash && other->owner == owner && strcmp(other->key, node->key) == 0) {
            return bi_fail(BERTH_ERR_PARSE, "%s:%d: key '%.100s' appears twice (first on line %d)",
                           b->file->path, (int)b->key_line, node->key, (int)other->key_line);
        }
    }

    if (length > BI_YAML_CHAIN_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s:%d: too many keys", b->file->path, (int)b->key_line);
    }

    node->same_hash = *head;
    *head = node;
    return BERTH_OK;
}

// A new node becomes the root, an item of the list or the value of the key in the map on top.
static BerthStatus add_node(Builder* b, YamlKind kind, const yaml_event_t* event, YamlNode** out) {
    if (++b->node_count > BI_YAML_NODE_MAX) {
        return fail_at(b, &event->start_mark, "the file has too many values");
    }

    YamlNode* node = bi_arena_take(&b->file->arena, 1, sizeof *node);
    if (node == NULL) {
        return fail_memory(b);
    }
    node->kind = kind;
    node->line = line_of(b, event->start_mark.line);
    node->key_line = node->line;
    *out = node;

    if (b->depth == 0) {
        b->file->root = node;
        return BERTH_OK;
    }

    YamlNode* parent = b->stack[b->depth - 1];
    if (parent->kind == YAML_MAP) {
        node->key = b->key;
        node->key_line = b->key_line;
        const BerthStatus status = add_key(b, node, b->owners[b->depth - 1]);
        if (status != BERTH_OK) {
            return status;
        }
        b->key = NULL;
    }

    if (parent->last != NULL) {
        parent->last->next = node;
    } else {
        parent->first = node;
    }
    parent->last = node;
    parent->count += 1;
    return BERTH_OK;
}

static bool wants_key(const Builder* b) {
    return b->depth > 0 && b->stack[b->depth - 1]->kind == YAML_MAP && b->key == NULL;
}

static BerthStatus on_scalar(Builder* b, const yaml_event_t* event) {
    const char* text = (const char*)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (!is_known_tag(event->data.scalar.tag)) {
        return fail_at(b, &event->start_mark, "a tag of one's own: tags are not used here");
    }
    if (memchr(text, '\0', length) != NULL) {
        return fail_at(b, &event->start_mark, "a zero byte in a text");
    }

    char* copy = bi_arena_copy_text(&b->file->arena, text, length);
    if (copy == NULL) {
        return fail_memory(b);
    }

    if (wants_key(b)) {
        if (length == 0) {
            return fail_at(b, &event->start_mark, "a key is missing before ':'");
        }
        b->key = copy;
        b->key_line = line_of(b, event->start_mark.line);
        return BERTH_OK;
    }

    YamlNode* node = NULL;
    const BerthStatus status = add_node(b, YAML_VALUE, event, &node);
    if (status == BERTH_OK) {
        node->text = copy;
        node->length = (int32_t)length;  // a file is far below 2 GB
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    }
    return status;
}

static BerthStatus on_start(Builder* b, const yaml_event_t* event, YamlKind kind) {
    const yaml_char_t* tag =
        kind == YAML_MAP ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (!is_known_tag(tag)) {
        return fail_at(b, &event->start_mark, "a tag of one's own: tags are not used here");
    }

    if (wants_key(b)) {
        return fail_at(b, &event->start_mark, "a key must be text, not a list or a map");
    }
    if (b->depth == BI_YAML_DEPTH_MAX) {
        return fail_at(b, &event->start_mark, "nested too deeply (more than 64 levels)");
    }

    YamlNode* node = NULL;
    const BerthStatus status = add_node(b, kind, event, &node);
    if (status == BERTH_OK) {
        b->owners[b->depth] = 0;
        if (kind == YAML_MAP) {
            b->owners[b->depth] = ++b->map_count;
        }
        b->stack[b->depth++] = node;
    }
    return status;
}

// Sets `done` at the end of the stream.
static BerthStatus on_event(Builder* b, const yaml_event_t* event, bool* done) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(b, event, YAML_LIST);
    case YAML_MAPPING_START_EVENT:
        return on_start(b, event, YAML_MAP);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth -= 1;
        return BERTH_OK;
    case YAML_ALIAS_EVENT:
        return fail_at(b, &event->start_mark, "an alias (*name): aliases are not used here, write it out");
    case YAML_DOCUMENT_START_EVENT:
        if (b->file->root != NULL) {
            return fail_at(b, &event->start_mark, "a second YAML document; a file holds one");
        }
        return BERTH_OK;
    case YAML_STREAM_END_EVENT:
        *done = true;
        return BERTH_OK;
    default:
        return BERTH_OK;
    }
}

BerthStatus bi_yaml_parse(const char* data, size_t size, const char* path, int32_t first_line,
                          const BerthAllocator* allocator, YamlFile* out) {
    *out = (YamlFile){.path = path};
    bi_arena_init(&out->arena, allocator, 0);
    if (size > BI_YAML_SIZE_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s: %zu bytes, more than the %d that are read", path, size,
                       BI_YAML_SIZE_MAX);
    }

    // Lines are counted first, since libyaml's marks go one past the last.
    Builder b = {.file = out, .first_line = first_line, .line_count = 1};
    for (size_t i = 0; i + 1 < size; ++i) {
        b.line_count += data[i] == '\n';
    }

    b.buckets = bi_arena_take(&out->arena, BUCKET_COUNT, sizeof *b.buckets);
    if (b.buckets == NULL || yaml_parser_initialize(&b.parser) == 0) {
        return fail_memory(&b);
    }
    yaml_parser_set_input_string(&b.parser, (const unsigned char*)data, size);

    BerthStatus status = BERTH_OK;
    bool done = false;
    while (status == BERTH_OK && !done) {
        yaml_event_t event;
        if (yaml_parser_parse(&b.parser, &event) == 0) {
            status = fail_scanner(&b, data, size);
            break;
        }
        status = on_event(&b, &event, &done);
        yaml_event_delete(&event);
    }

    yaml_parser_delete(&b.parser);
    if (status == BERTH_OK && out->root == NULL) {
        status = bi_fail(BERTH_ERR_PARSE, "%s:%d: the file is empty", path, (int)first_line);
    }
    return status;
}

void bi_yaml_free(YamlFile* file) {
    bi_arena_free(&file->arena);
    file->root = NULL;
}
