// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Checks a COLLADA document before assimp reads it: assimp gives no line numbers, follows nesting by
// recursion and accepts broken units. Here XML is checked by expat, DOCTYPE and deep nesting are refused, and
// <unit> is read strictly.
// Entry: bi_io_scan_collada.

#include <expat.h>
#include <string.h>

#include "io/mesh/collada_graph.h"
#include "io/mesh/soup.h"
#include "io/syntax/number.h"

// Real files nest below 30; assimp's stack holds thousands.
enum { DEPTH_MAX = 200 };
// expat takes ints: larger documents come in pieces.
enum { PIECE_SIZE = 1 << 24 };
// Most bytes of <geometry>, counted as often as it is shown.
#define GEOMETRY_MAX ((uint64_t)1 << 30)
// A unit beyond these is no length that a modeller works in.
#define UNIT_MIN 1e-9
#define UNIT_MAX 1e6

typedef struct Check {
    XML_Parser parser;
    const char* name;
    MeshUnits* units;
    BerthStatus status;
    int32_t depth;
    const char* allowed;  // characters in the element's text, or null for all
    size_t size;          // of the document
    Graph graph;
    int32_t open[DEPTH_MAX + 1];  // the node at each depth that is one
    int32_t node;                 // the innermost node, or -1
    int32_t geometry;             // the geometry that is open, or -1
    uint64_t geometry_start;      // where it began
    int32_t asset_depth;          // of COLLADA/asset while in it, else 0
    bool unit_seen;
} Check;

static int32_t current_line(const Check* check) {
    return (int32_t)XML_GetCurrentLineNumber(check->parser);
}

static void stop_parsing(Check* check, BerthStatus status) {
    check->status = status;
    XML_StopParser(check->parser, XML_FALSE);
}

// Without the prefix of a namespace.
static const char* local_name(const char* name) {
    const char* colon = strrchr(name, ':');
    return colon != NULL ? colon + 1 : name;
}

static void read_unit(Check* check, const char** attributes) {
    check->units->line = current_line(check);
    check->unit_seen = true;

    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], "meter") != 0) {
            continue;
        }

        const char* text = attributes[i + 1];
        const size_t length = strlen(text);
        double metres = 0.0;

        if (!bi_parse_double(text, length, &metres)) {
            stop_parsing(check, bi_fail(BERTH_ERR_PARSE, "%s:%d: <unit>: meter=\"%.48s\": %s", check->name,
                                        check->units->line, text, bi_number_fault(text, length)));
        } else if (!(metres >= UNIT_MIN && metres <= UNIT_MAX)) {
            stop_parsing(check, bi_fail(BERTH_ERR_PARSE,
                                        "%s:%d: <unit>: meter=\"%.48s\", a length from %g to %g is expected",
                                        check->name, check->units->line, text, UNIT_MIN, UNIT_MAX));
        } else {
            check->units->metres = metres;
        }
    }
}

static const char* attribute_value(const char** attributes, const char* name) {
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return attributes[i + 1];
        }
    }
    return NULL;
}

static uint64_t byte_index(const Check* check) {
    const XML_Index index = XML_GetCurrentByteIndex(check->parser);
    return index > 0 ? (uint64_t)index : 0;
}

// assimp makes room for as many items as `count` says; each takes a byte of the document at least.
static void check_count(Check* check, const char* name, const char** attributes) {
    const char* text = attribute_value(attributes, "count");
    int64_t count = 0;
    if (text != NULL &&
        (!bi_parse_int(text, strlen(text), &count) || count < 0 || (uint64_t)count > check->size)) {
        stop_parsing(check, bi_fail(BERTH_ERR_PARSE,
                                    "%s:%d: <%.48s>: count=\"%.48s\" is more than the document can hold",
                                    check->name, current_line(check), name, text));
    }
}

// Notes in the graph who uses what.
static void add_to_graph(Check* check, const char* local, const char** attributes) {
    const bool is_node = strcmp(local, "node") == 0 || strcmp(local, "controller") == 0;
    const bool is_skin = strcmp(local, "skin") == 0 || strcmp(local, "morph") == 0;
    const bool is_geometry = strcmp(local, "geometry") == 0;
    bool good = true;

    check->open[check->depth] = check->node;

    if (is_node || is_geometry) {
        const int32_t index = bi_graph_add_node(&check->graph, attribute_value(attributes, "id"),
                                                attribute_value(attributes, "name"),
                                                is_node ? check->node : -1, current_line(check));
        good = index >= 0;
        if (good && is_geometry) {
            check->graph.nodes[index].is_geometry = true;
            check->geometry = index;
            check->geometry_start = byte_index(check);
        } else if (good) {
            check->node = index;
        }
    } else if ((is_skin || strncmp(local, "instance_", 9) == 0) && check->node >= 0) {
        const char* url = attribute_value(attributes, is_skin ? "source" : "url");
        const bool to_geometry = is_skin || strcmp(local, "instance_geometry") == 0;
        good = url == NULL || bi_graph_add_link(&check->graph, check->node, url, to_geometry);
    }

    if (!good) {
        stop_parsing(check, bi_fail(BERTH_ERR_MEMORY, "%s:%d: no memory for the document's nodes",
                                    check->name, current_line(check)));
    }
}

// assimp never ends on letters among whole numbers, and takes a comma for a point among others.
static const char* allowed_characters(const char* local) {
    static const char* const whole[] = {"p", "h", "v", "vcount"};
    static const char* const real[] = {"float_array", "matrix", "translate", "rotate",
                                       "scale",       "lookat", "skew"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (strcmp(local, whole[i]) == 0) {
            return "0123456789- \t\r\n";
        }
    }
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++) {
        if (strcmp(local, real[i]) == 0) {
            return "0123456789+-.eE \t\r\n";
        }
    }
    return NULL;
}

static void XMLCALL on_text(void* user, const char* text, int length) {
    Check* check = user;

    for (int i = 0; i < length && check->allowed != NULL && check->status == BERTH_OK; i++) {
        if (text[i] == '\0' || strchr(check->allowed, text[i]) == NULL) {
            const bool printable = text[i] > ' ' && text[i] <= '~';
            stop_parsing(check, bi_fail(BERTH_ERR_PARSE, "%s:%d: '%c' among numbers", check->name,
                                        current_line(check), printable ? text[i] : '?'));
        }
    }
}

static void XMLCALL on_start(void* user, const char* name, const char** attributes) {
    Check* check = user;
    const char* local = local_name(name);
    check->depth++;
    check->allowed = allowed_characters(local);

    if (check->depth > DEPTH_MAX) {
        stop_parsing(check, bi_fail(BERTH_ERR_PARSE, "%s:%d: elements are nested deeper than %d", check->name,
                                    current_line(check), DEPTH_MAX));
    } else if (check->depth == 1 && strcmp(local, "COLLADA") != 0) {
        stop_parsing(check, bi_fail(BERTH_ERR_PARSE, "%s:%d: the document is <%.48s>, <COLLADA> is expected",
                                    check->name, current_line(check), name));
    } else if (check->depth == 2 && strcmp(local, "asset") == 0) {
        check->asset_depth = 2;
    } else if (check->depth == 3 && check->asset_depth == 2 && strcmp(local, "unit") == 0 &&
               !check->unit_seen) {
        read_unit(check, attributes);
    }

    if (check->status == BERTH_OK) {
        check_count(check, name, attributes);
    }
    if (check->status == BERTH_OK) {
        add_to_graph(check, local, attributes);
    }
}

static void XMLCALL on_end(void* user, const char* name) {
    Check* check = user;
    check->allowed = NULL;

    if (check->geometry >= 0 && strcmp(local_name(name), "geometry") == 0) {
        check->graph.nodes[check->geometry].bytes = byte_index(check) - check->geometry_start;
        check->geometry = -1;
    }

    check->node = check->open[check->depth];
    if (check->depth == check->asset_depth) {
        check->asset_depth = 0;
    }
    check->depth--;
}

static void XMLCALL on_doctype(void* user, const char* name, const char* system, const char* public,
                               int internal) {
    Check* check = user;
    (void)name, (void)system, (void)public, (void)internal;
    stop_parsing(
        check, bi_fail(BERTH_ERR_PARSE, "%s:%d: DOCTYPE is not accepted", check->name, current_line(check)));
}

static void parse_in_pieces(Check* check, const char* data, size_t size) {
    size_t done = 0;
    bool going = true;
    while (going) {
        const size_t left = size - done;
        const int piece = left < PIECE_SIZE ? (int)left : PIECE_SIZE;
        const bool last = left <= PIECE_SIZE;
        const enum XML_Status result = XML_Parse(check->parser, data + done, piece, last);

        if (result != XML_STATUS_OK && check->status == BERTH_OK) {
            const enum XML_Error code = XML_GetErrorCode(check->parser);
            check->status = bi_fail(code == XML_ERROR_NO_MEMORY ? BERTH_ERR_MEMORY : BERTH_ERR_PARSE,
                                    "%s:%d: %s", check->name, current_line(check), XML_ErrorString(code));
        }

        done += (size_t)piece;
        going = result == XML_STATUS_OK && !last;
    }
}

BerthStatus bi_io_scan_collada(const char* name, const char* data, size_t size,
                               const BerthAllocator* allocator, MeshUnits* units) {
    *units = (MeshUnits){.metres = 1.0};
    Check check = {
        .name = name, .units = units, .status = BERTH_OK, .size = size, .node = -1, .geometry = -1};
    check.parser = XML_ParserCreate(NULL);
    if (check.parser == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for an XML parser", name);
    }

    bi_graph_init(&check.graph, allocator);
    XML_SetUserData(check.parser, &check);
    XML_SetElementHandler(check.parser, on_start, on_end);
    XML_SetCharacterDataHandler(check.parser, on_text);
    XML_SetStartDoctypeDeclHandler(check.parser, on_doctype);

    parse_in_pieces(&check, data, size);
    XML_ParserFree(check.parser);

    if (check.status == BERTH_OK) {
        check.status = bi_graph_check(&check.graph, name, DEPTH_MAX, GEOMETRY_MAX);
    }
    bi_graph_free(&check.graph);
    return check.status;
}
