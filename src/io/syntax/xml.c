// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Expat's events to a bounded document; numbers and names from attributes. Expat itself takes its memory from
// the C library (its allocation hooks carry no context), a small multiple of the longest element.
// Entries: bi_xml_parse, then bi_xml_next and what reads attributes; bi_xml_fail and bi_xml_warn name the
// line.

#include "io/syntax/xml.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/syntax/file.h"
#include "io/syntax/number.h"

typedef struct Parse {
    XmlFile* file;
    XML_Parser parser;
    XmlNode* open;  // element whose end has not been seen
    int32_t depth, node_count;
    BerthStatus status;
} Parse;

static int32_t current_line(const Parse* parse) {
    const unsigned long line = (unsigned long)XML_GetCurrentLineNumber(parse->parser);
    return line < INT32_MAX ? (int32_t)line : INT32_MAX;
}

static void stop_parsing(Parse* parse, BerthStatus status) {
    parse->status = status;
    XML_StopParser(parse->parser, XML_FALSE);
}

static BerthStatus fail_at_line(const Parse* parse, const char* text) {
    return bi_fail(BERTH_ERR_PARSE, "%s:%d: %s", parse->file->path, current_line(parse), text);
}

static void XMLCALL on_doctype(void* user, const XML_Char* name, const XML_Char* system_id,
                               const XML_Char* public_id, int has_subset) {
    Parse* parse = user;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_subset;
    if (parse->status == BERTH_OK) {
        stop_parsing(parse, fail_at_line(parse, "<!DOCTYPE is refused: robot files need no document type"));
    }
}

// Fails when an attribute is too long or memory runs out.
static BerthStatus copy_attributes(Parse* parse, XmlNode* node, const XML_Char** attributes) {
    Arena* arena = parse->file->arena;
    int32_t count = 0;
    while (attributes[2 * count] != NULL) {
        if (strlen(attributes[2 * count]) > BI_XML_NAME_MAX ||
            strlen(attributes[2 * count + 1]) > BI_XML_VALUE_MAX) {
            return fail_at_line(parse, "an attribute is too long (64 KiB are the most)");
        }
        ++count;
    }

    parse->node_count += count;
    XmlAttribute* copy = bi_arena_take(arena, (size_t)count, sizeof *copy);
    if (copy == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", parse->file->path);
    }

    for (int32_t i = 0; i < count; ++i) {
        copy[i].name = bi_arena_copy_text(arena, attributes[2 * i], strlen(attributes[2 * i]));
        copy[i].value = bi_arena_copy_text(arena, attributes[2 * i + 1], strlen(attributes[2 * i + 1]));
        if (copy[i].name == NULL || copy[i].value == NULL) {
            return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", parse->file->path);
        }
    }

    node->attributes = copy;
    node->attribute_count = count;
    return BERTH_OK;
}

static BerthStatus add_node(Parse* parse, const XML_Char* name, const XML_Char** attributes) {
    if (++parse->depth > BI_XML_DEPTH_MAX) {
        return fail_at_line(parse, "elements are nested deeper than 100");
    }
    if (++parse->node_count > BI_XML_NODE_MAX) {
        return fail_at_line(parse, "more than 4000000 elements and attributes");
    }
    if (strlen(name) > BI_XML_NAME_MAX) {
        return fail_at_line(parse, "an element's name is longer than 500 bytes");
    }

    XmlNode* node = bi_arena_take(parse->file->arena, 1, sizeof *node);
    char* copy = bi_arena_copy_text(parse->file->arena, name, strlen(name));
    if (node == NULL || copy == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", parse->file->path);
    }
    *node = (XmlNode){.name = copy, .line = current_line(parse), .parent = parse->open};

    // The last child of the element that is open, or the root.
    if (parse->open == NULL) {
        parse->file->root = node;
    } else if (parse->open->last == NULL) {
        parse->open->first = parse->open->last = node;
    } else {
        parse->open->last->next = node;
        parse->open->last = node;
    }

    parse->open = node;
    return copy_attributes(parse, node, attributes);
}

static void XMLCALL on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
    Parse* parse = user;
    if (parse->status == BERTH_OK) {
        const BerthStatus status = add_node(parse, name, attributes);
        if (status != BERTH_OK) {
            stop_parsing(parse, status);
        }
    }
}

static void XMLCALL on_end(void* user, const XML_Char* name) {
    Parse* parse = user;
    (void)name;
    if (parse->status == BERTH_OK) {
        parse->open = parse->open->parent;
        --parse->depth;
    }
}

BerthStatus bi_xml_parse(XmlFile* file, const char* data, size_t size) {
    file->root = NULL;
    if (size > BI_XML_FILE_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "%s:1: has %zu bytes, at most %d are read", file->path, size,
                       BI_XML_FILE_MAX);
    }
    Parse parse = {.file = file, .parser = XML_ParserCreate(NULL), .status = BERTH_OK};
    if (parse.parser == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", file->path);
    }

    // No entities: nothing can expand.
    XML_SetUserData(parse.parser, &parse);
    XML_SetParamEntityParsing(parse.parser, XML_PARAM_ENTITY_PARSING_NEVER);
    XML_SetStartDoctypeDeclHandler(parse.parser, on_doctype);
    XML_SetElementHandler(parse.parser, on_start, on_end);

    const enum XML_Status result = XML_Parse(parse.parser, data, (int)size, 1);
    if (parse.status == BERTH_OK && result != XML_STATUS_OK) {
        const enum XML_Error error = XML_GetErrorCode(parse.parser);
        if (error == XML_ERROR_NO_MEMORY) {
            parse.status = bi_fail(BERTH_ERR_MEMORY, "%s: out of memory", file->path);
        } else {
            parse.status =
                bi_fail(BERTH_ERR_PARSE, "%s:%d: XML: %s (column %d)", file->path, current_line(&parse),
                        XML_ErrorString(error), (int)XML_GetCurrentColumnNumber(parse.parser) + 1);
        }
    }

    XML_ParserFree(parse.parser);
    return parse.status;
}

const XmlNode* bi_xml_next(const XmlNode* node, const char* name) {
    while (node != NULL && name != NULL && strcmp(node->name, name) != 0) {
        node = node->next;
    }
    return node;
}

const char* bi_xml_value(const XmlNode* node, const char* attribute) {
    for (int32_t i = 0; i < node->attribute_count; ++i) {
        if (strcmp(node->attributes[i].name, attribute) == 0) {
            return node->attributes[i].value;
        }
    }
    return NULL;
}

const XmlNode* bi_xml_after(const XmlNode* node, const XmlNode* top) {
    if (node->first != NULL) {
        return node->first;
    }
    while (node != top && node->next == NULL) {
        node = node->parent;
    }
    return node != top ? node->next : NULL;
}

// ---- messages ---------------------------------------------------------------------------------------------

enum { LABEL_MAX = 400, FAULT_MAX = 1500, WARNING_MAX = 2100 };

// Text from a file goes into one line of a message: controls become '?', and it is cut where it is long.
static void put_clean(char* out, size_t size, const char* text) {
    size_t i = 0;
    for (; i + 1 < size && text[i] != '\0'; ++i) {
        out[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7f ? '?' : text[i];
    }
    out[i] = '\0';
}

static void put_label(char* out, size_t size, const XmlNode* node) {
    char name[64], value[120];
    put_clean(name, sizeof name, node->name);
    const char* given = bi_xml_value(node, "name");
    if (given != NULL) {
        put_clean(value, sizeof value, given);
        snprintf(out, size, "<%s name=\"%s\">: ", name, value);
    } else {
        snprintf(out, size, "<%s>: ", name);
    }
}

// The element itself and, when that is an inner one, the link, joint or group that it is in.
static void put_place(char* out, size_t size, const XmlNode* node) {
    const XmlNode* outer = node;
    while (outer->parent != NULL && outer->parent->parent != NULL) {
        outer = outer->parent;
    }
    put_label(out, size, outer);
    if (outer != node) {
        const size_t length = strlen(out);
        put_label(out + length, size - length, node);
    }
}

// The place of an element, and behind it at most `most` bytes of text.
BI_PRINTF(4, 0)
static void put_text_at(char* out, size_t most, const XmlNode* node, const char* format, va_list args) {
    put_place(out, LABEL_MAX, node);
    vsnprintf(out + strlen(out), most, format, args);
}

BerthStatus bi_xml_fail(const XmlFile* file, const XmlNode* node, BerthStatus status, const char* format,
                        ...) {
    char text[LABEL_MAX + FAULT_MAX];
    va_list args;
    va_start(args, format);
    put_text_at(text, FAULT_MAX, node, format, args);
    va_end(args);
    return bi_fail(status, "%s:%d: %s", file->path, node->line, text);
}

BerthStatus bi_xml_fail_prefix(const XmlFile* file, const XmlNode* node, BerthStatus status) {
    char place[LABEL_MAX];
    put_place(place, sizeof place, node);
    const size_t length = strlen(place);
    place[length - 2] = '\0';  // the prefix brings its own ": "
    return bi_fail_prefix(status == BERTH_ERR_ARGUMENT ? BERTH_ERR_PARSE : status, "%s:%d: %s", file->path,
                          node->line, place);
}

void bi_xml_warn(XmlFile* file, const XmlNode* node, const char* format, ...) {
    if (++file->warning_count > BI_XML_WARNING_MAX) {
        if (file->warning_count == BI_XML_WARNING_MAX + 1) {
            bi_io_warn(file->options, "%s:%d: further warnings about this file are left out", file->path,
                       node->line);
        }
        return;
    }

    char text[LABEL_MAX + WARNING_MAX];
    va_list args;
    va_start(args, format);
    put_text_at(text, WARNING_MAX, node, format, args);
    va_end(args);
    bi_io_warn(file->options, "%s:%d: %s", file->path, node->line, text);
}

// ---- attributes -------------------------------------------------------------------------------------------

BerthStatus bi_xml_only_child(const XmlFile* file, const XmlNode* node, const char* name, bool required,
                              const XmlNode** out) {
    *out = bi_xml_next(node->first, name);
    if (*out == NULL) {
        return required ? bi_xml_fail(file, node, BERTH_ERR_PARSE, "has no <%s>", name) : BERTH_OK;
    }
    const XmlNode* second = bi_xml_next((*out)->next, name);
    if (second != NULL) {
        return bi_xml_fail(file, second, BERTH_ERR_PARSE, "appears twice (first in line %d)", (*out)->line);
    }
    return BERTH_OK;
}

BerthStatus bi_xml_text(const XmlFile* file, const XmlNode* node, const char* attribute, const char** out) {
    *out = bi_xml_value(node, attribute);
    if (*out == NULL) {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "has no attribute %s", attribute);
    }
    if ((*out)[0] == '\0') {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "attribute %s is empty", attribute);
    }
    for (const char* at = *out; *at != '\0'; ++at) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            return bi_xml_fail(file, node, BERTH_ERR_PARSE, "attribute %s holds a control character",
                               attribute);
        }
    }
    return BERTH_OK;
}

static size_t skip_space(const char* text) {
    return strspn(text, " \t\r\n");
}

BerthStatus bi_xml_number_list(const XmlFile* file, const XmlNode* node, const char* attribute, double most,
                               int32_t capacity, double* out, int32_t* count) {
    const char* value = bi_xml_value(node, attribute);
    *count = 0;
    if (value == NULL) {
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "has no attribute %s", attribute);
    }

    char shown[100];
    put_clean(shown, sizeof shown, value);

    for (const char* at = value + skip_space(value); *at != '\0'; at += skip_space(at)) {
        const size_t length = strcspn(at, " \t\r\n");
        double number = 0.0;
        if (!bi_parse_double(at, length, &number)) {
            char token[60];
            put_clean(token, length < sizeof token ? length + 1 : sizeof token, at);
            return bi_xml_fail(file, node, BERTH_ERR_PARSE, "%s=\"%s\": '%s': %s", attribute, shown, token,
                               bi_number_fault(at, length));
        }

        if (!(fabs(number) <= most)) {
            return bi_xml_fail(file, node, BERTH_ERR_PARSE,
                               "%s=\"%s\": %g is too large, at most %g is allowed", attribute, shown, number,
                               most);
        }

        if (*count < capacity) {
            out[*count] = number;
        }
        ++*count;
        at += length;
    }
    return BERTH_OK;
}

BerthStatus bi_xml_numbers(const XmlFile* file, const XmlNode* node, const char* attribute, bool required,
                           int32_t count, double most, double* out) {
    const char* value = bi_xml_value(node, attribute);
    if (value == NULL && !required) {
        return BERTH_OK;
    }

    double numbers[16] = {0};
    int32_t found = 0;
    const BerthStatus status = bi_xml_number_list(file, node, attribute, most, 16, numbers, &found);
    if (status != BERTH_OK) {
        return status;
    }

    if (found != count) {
        char shown[100];
        put_clean(shown, sizeof shown, value);
        return bi_xml_fail(file, node, BERTH_ERR_PARSE, "%s=\"%s\": %d number%s, %d %s needed", attribute,
                           shown, found, found == 1 ? "" : "s", count, count == 1 ? "is" : "are");
    }

    memcpy(out, numbers, (size_t)count * sizeof *out);
    return BERTH_OK;
}
