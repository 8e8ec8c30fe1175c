// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Strict access to a YAML tree: the result is what was requested, or an error text that says what is there
// instead.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/syntax/number.h"
#include "io/syntax/yaml.h"

BerthStatus bi_yaml_fail(const YamlFile* file, const YamlNode* node, const char* format, ...) {
    char text[1536];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", file->path, node != NULL ? (int)node->line : 1, text);
}

BerthStatus bi_yaml_fail_prefix(const YamlFile* file, const YamlNode* node, BerthStatus status) {
    if (status == BERTH_OK) {
        return BERTH_OK;
    }

    const bool keeps = status == BERTH_ERR_MEMORY || status == BERTH_ERR_SYSTEM ||
                       status == BERTH_ERR_UNSUPPORTED || status == BERTH_ERR_CANCELLED;
    return bi_fail_prefix(keeps ? status : BERTH_ERR_PARSE, "%s:%d", file->path,
                          node != NULL ? (int)node->line : 1);
}

const YamlNode* bi_yaml_find(const YamlNode* map, const char* key) {
    for (const YamlNode* child = map->kind == YAML_MAP ? map->first : NULL; child != NULL;
         child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

// A plain value that is one of YAML's three ways to write a word.
static bool is_word(const YamlNode* node, const char* small, const char* title, const char* capital) {
    return node->kind == YAML_VALUE && node->plain &&
           (strcmp(node->text, small) == 0 || strcmp(node->text, title) == 0 ||
            strcmp(node->text, capital) == 0);
}

bool bi_yaml_is_null(const YamlNode* node) {
    return is_word(node, "null", "Null", "NULL") || is_word(node, "~", "", "");
}

const char* bi_yaml_describe(const YamlNode* node, char* room, size_t size) {
    if (node->kind != YAML_VALUE) {
        return node->kind == YAML_LIST ? "a list" : "a map";
    }
    if (bi_yaml_is_null(node)) {
        return "nothing";
    }
    snprintf(room, size, node->plain ? "'%.40s'%s" : "the text '%.40s'%s", node->text,
             node->length > 40 ? "..." : "");
    return room;
}

BerthStatus bi_yaml_expect_kind(const YamlFile* file, const YamlNode* node, const char* what, YamlKind kind) {
    static const char* const names[] = {"a value", "a list", "a map"};
    if (node->kind == kind) {
        return BERTH_OK;
    }
    char room[64];
    return bi_yaml_fail(file, node, "%s: %s was expected, here is %s", what, names[kind],
                        bi_yaml_describe(node, room, sizeof room));
}

static BerthStatus fail_unknown_key(const YamlFile* file, const YamlNode* node, const char* what,
                                    const char* const* allowed) {
    const YamlNode place = {.line = node->key_line};

    enum { LIMIT = 2 };
    char list[512] = "";
    size_t used = 0;
    const char* near = NULL;
    int32_t nearest = LIMIT + 1;
    // All names for the text, and the nearest one if it is near enough for a slip of the keyboard.
    for (const char* const* name = allowed; *name != NULL; ++name) {
        const int32_t away = berth_word_distance(node->key, *name, LIMIT);
        if (away < nearest && away < (int32_t)strlen(*name)) {
            nearest = away;
            near = *name;
        }
        const int written = snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", *name);
        used += written > 0 && (size_t)written < sizeof list - used ? (size_t)written : 0;
    }

    if (near != NULL) {
        return bi_yaml_fail(file, &place, "%s: unknown key '%.100s'; did you mean '%s'? (known: %s)", what,
                            node->key, near, list);
    }
    return bi_yaml_fail(file, &place, "%s: unknown key '%.100s' (known: %s)", what, node->key, list);
}

BerthStatus bi_yaml_check_keys(const YamlFile* file, const YamlNode* map, const char* what,
                               const char* const* allowed) {
    const BerthStatus status = bi_yaml_expect_kind(file, map, what, YAML_MAP);
    if (status != BERTH_OK) {
        return status;
    }

    for (const YamlNode* child = map->first; child != NULL; child = child->next) {
        const char* const* name = allowed;
        while (*name != NULL && strcmp(*name, child->key) != 0) {
            ++name;
        }
        if (*name == NULL) {
            return fail_unknown_key(file, child, what, allowed);
        }
    }
    return BERTH_OK;
}

// YAML writes these with a point in front.
static bool is_not_finite_word(const char* text) {
    static const char* const words[] = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                        "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(words[i], text) == 0) {
            return true;
        }
    }
    return false;
}

BerthStatus bi_yaml_number(const YamlFile* file, const YamlNode* node, const char* what, double low,
                           double high, double* out) {
    char room[64];
    if (node->kind != YAML_VALUE || !node->plain || bi_yaml_is_null(node)) {
        return bi_yaml_fail(file, node, "%s: a number was expected, here is %s", what,
                            bi_yaml_describe(node, room, sizeof room));
    }

    double value = 0.0;
    if (!bi_parse_double(node->text, (size_t)node->length, &value)) {
        const char* fault =
            is_not_finite_word(node->text) ? "not finite" : bi_number_fault(node->text, (size_t)node->length);
        return bi_yaml_fail(file, node, "%s: '%.60s': %s", what, node->text,
                            fault != NULL ? fault : "not a number");
    }

    if (!(value >= low && value <= high)) {
        if (low == 0.0) {
            return bi_yaml_fail(file, node, "%s: %.60s is not a number from 0 to %g", what, node->text, high);
        }
        return bi_yaml_fail(file, node, "%s: %.60s is not within %g and %g", what, node->text, low, high);
    }

    *out = value;
    return BERTH_OK;
}

BerthStatus bi_yaml_bool(const YamlFile* file, const YamlNode* node, const char* what, bool* out) {
    const bool is_true = is_word(node, "true", "True", "TRUE");
    const bool is_false = is_word(node, "false", "False", "FALSE");
    if (!is_true && !is_false) {
        char room[64];
        return bi_yaml_fail(file, node, "%s: true or false was expected, here is %s", what,
                            bi_yaml_describe(node, room, sizeof room));
    }
    *out = is_true;
    return BERTH_OK;
}

BerthStatus bi_yaml_text(const YamlFile* file, const YamlNode* node, const char* what, const char** out) {
    char room[64];
    if (node->kind != YAML_VALUE || node->length == 0 || bi_yaml_is_null(node)) {
        return bi_yaml_fail(file, node, "%s: a text was expected, here is %s", what,
                            node->kind == YAML_VALUE && node->length == 0
                                ? "nothing"
                                : bi_yaml_describe(node, room, sizeof room));
    }
    *out = node->text;
    return BERTH_OK;
}

BerthStatus bi_yaml_numbers(const YamlFile* file, const YamlNode* node, const char* what, int32_t count,
                            double limit, double* out) {
    char room[64];
    if (node->kind != YAML_LIST) {
        return bi_yaml_fail(file, node, "%s: a list of %d numbers was expected, here is %s", what, (int)count,
                            bi_yaml_describe(node, room, sizeof room));
    }

    if (node->count != count) {
        return bi_yaml_fail(file, node, "%s: a list of %d numbers was expected, here are %d", what,
                            (int)count, (int)node->count);
    }

    int32_t i = 0;
    for (const YamlNode* child = node->first; child != NULL; child = child->next, ++i) {
        const BerthStatus status = bi_yaml_number(file, child, what, -limit, limit, &out[i]);
        if (status != BERTH_OK) {
            return status;
        }
    }
    return BERTH_OK;
}
