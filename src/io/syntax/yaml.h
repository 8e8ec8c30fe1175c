// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// YAML (and with it JSON) as a tree of nodes with line numbers, and strict access to it. libyaml scans; the
// tree is built here from its events, without recursion and within fixed limits.
//
// Refused, each with FILE:LINE: aliases (they make small files large), keys that occur twice or are not text,
// a second document, more than BI_YAML_DEPTH_MAX levels, custom tags, zero bytes in text.

#ifndef BI_IO_YAML_H
#define BI_IO_YAML_H

#include "base/arena.h"
#include "math/vec3.h"

enum {
    BI_YAML_DEPTH_MAX = 64,       ///< levels of lists and maps
    BI_YAML_NODE_MAX = 4000000,   ///< values in one file
    BI_YAML_SIZE_MAX = 64 << 20,  ///< bytes of one file
    BI_YAML_CHAIN_MAX = 4096      ///< keys whose hashes fall together
};

typedef enum YamlKind { YAML_VALUE = 0, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlNode YamlNode;
struct YamlNode {
    YamlKind kind;
    bool plain;        ///< a value without quotes: only such can be a number, true or false
    int32_t line;      ///< from 1
    int32_t key_line;  ///< of a map's child; else that of the node
    int32_t length;    ///< of text
    int32_t count;     ///< of children
    const char* text;  ///< a value's, ends in zero; else null
    const char* key;   ///< of a map's child; else null
    YamlNode* first;
    YamlNode* last;
    YamlNode* next;       ///< sibling
    YamlNode* same_hash;  ///< used while parsing
    uint32_t hash, owner;
};

typedef struct YamlFile {
    Arena arena;
    const char* path;  ///< for texts; borrowed
    YamlNode* root;
} YamlFile;

/// Parses `size` bytes whose first line is line `first_line` of `path`. To be freed also after a failure.
BerthStatus bi_yaml_parse(const char* data, size_t size, const char* path, int32_t first_line,
                          const BerthAllocator* allocator, YamlFile* out);
void bi_yaml_free(YamlFile* file);

/// "PATH:LINE: text", BERTH_ERR_PARSE.
BerthStatus bi_yaml_fail(const YamlFile* file, const YamlNode* node, const char* format, ...) BI_PRINTF(3, 4);
/// Puts PATH:LINE before the text of a failure that another room had with what stands here. The machine's failures
/// keep their status, and so does what is not supported; all others are BERTH_ERR_PARSE.
BerthStatus bi_yaml_fail_prefix(const YamlFile* file, const YamlNode* node, BerthStatus status);

/// The child of that key, or null.
const YamlNode* bi_yaml_find(const YamlNode* map, const char* key);
/// "a list", "a map", "nothing", "'0.5x'": for texts. Uses `room`, at least 64 bytes.
const char* bi_yaml_describe(const YamlNode* node, char* room, size_t size);
/// Nothing stands there: `key:`, `key: null` or `key: ~`.
bool bi_yaml_is_null(const YamlNode* node);

/// Each of these fails with a text that names `what` when the node is something else.
BerthStatus bi_yaml_expect_kind(const YamlFile* file, const YamlNode* node, const char* what, YamlKind kind);
/// A map with keys among `allowed` (ends in null); names the wrong one and the nearest right one.
BerthStatus bi_yaml_check_keys(const YamlFile* file, const YamlNode* map, const char* what,
                               const char* const* allowed);
/// A finite number in [low, high].
BerthStatus bi_yaml_number(const YamlFile* file, const YamlNode* node, const char* what, double low,
                           double high, double* out);
BerthStatus bi_yaml_bool(const YamlFile* file, const YamlNode* node, const char* what, bool* out);
/// A text that is not empty; borrowed from the file.
BerthStatus bi_yaml_text(const YamlFile* file, const YamlNode* node, const char* what, const char** out);
/// A list of `count` numbers, each in [-limit, limit].
BerthStatus bi_yaml_numbers(const YamlFile* file, const YamlNode* node, const char* what, int32_t count,
                            double limit, double* out);

#endif
