// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A look through a COLLADA document before assimp reads it: assimp gives no line numbers, follows nesting by
// recursion and reads broken units as something. Here XML is checked by expat, DOCTYPE and deep nesting are
// refused, and <unit> is read strictly.

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

typedef struct Look {
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
} Look;

static int32_t line_of(const Look* look) {
    return (int32_t)XML_GetCurrentLineNumber(look->parser);
}

static void stop(Look* look, BerthStatus status) {
    look->status = status;
    XML_StopParser(look->parser, XML_FALSE);
}

// Without the prefix of a namespace.
static const char* local_name(const char* name) {
    const char* colon = strrchr(name, ':');
    return colon != NULL ? colon + 1 : name;
}

static void read_unit(Look* look, const char** attributes) {
    look->units->line = line_of(look);
    look->unit_seen = true;
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], "meter") != 0) {
            continue;
        }
        const char* text = attributes[i + 1];
        const size_t length = strlen(text);
        double metres = 0.0;
        if (!bi_parse_double(text, length, &metres)) {
            stop(look, bi_fail(BERTH_ERR_PARSE, "%s:%d: <unit>: meter=\"%.48s\": %s", look->name,
                               look->units->line, text, bi_number_fault(text, length)));
        } else if (!(metres >= UNIT_MIN && metres <= UNIT_MAX)) {
            stop(look, bi_fail(BERTH_ERR_PARSE,
                               "%s:%d: <unit>: meter=\"%.48s\", a length from %g to %g is expected",
                               look->name, look->units->line, text, UNIT_MIN, UNIT_MAX));
        } else {
            look->units->metres = metres;
        }
    }
}

static const char* value_of(const char** attributes, const char* name) {
    for (size_t i = 0; attributes[i] != NULL; i += 2) {
        if (strcmp(attributes[i], name) == 0) {
            return attributes[i + 1];
        }
    }
    return NULL;
}

static uint64_t place_of(const Look* look) {
    const XML_Index index = XML_GetCurrentByteIndex(look->parser);
    return index > 0 ? (uint64_t)index : 0;
}

// assimp makes room for as many items as `count` says; each takes a byte of the document at least.
static void check_count(Look* look, const char* name, const char** attributes) {
    const char* text = value_of(attributes, "count");
    int64_t count = 0;
    if (text != NULL &&
        (!bi_parse_int(text, strlen(text), &count) || count < 0 || (uint64_t)count > look->size)) {
        stop(look,
             bi_fail(BERTH_ERR_PARSE, "%s:%d: <%.48s>: count=\"%.48s\" is more than the document can hold",
                     look->name, line_of(look), name, text));
    }
}

// Remembers who uses what.
static void note_use(Look* look, const char* local, const char** attributes) {
    const bool is_node = strcmp(local, "node") == 0 || strcmp(local, "controller") == 0;
    const bool is_skin = strcmp(local, "skin") == 0 || strcmp(local, "morph") == 0;
    const bool is_geometry = strcmp(local, "geometry") == 0;
    bool good = true;
    look->open[look->depth] = look->node;
    if (is_node || is_geometry) {
        const int32_t index =
            bi_graph_add_node(&look->graph, value_of(attributes, "id"), value_of(attributes, "name"),
                              is_node ? look->node : -1, line_of(look));
        good = index >= 0;
        if (good && is_geometry) {
            look->graph.nodes[index].is_geometry = true;
            look->geometry = index;
            look->geometry_start = place_of(look);
        } else if (good) {
            look->node = index;
        }
    } else if ((is_skin || strncmp(local, "instance_", 9) == 0) && look->node >= 0) {
        const char* url = value_of(attributes, is_skin ? "source" : "url");
        const bool to_geometry = is_skin || strcmp(local, "instance_geometry") == 0;
        good = url == NULL || bi_graph_add_link(&look->graph, look->node, url, to_geometry);
    }
    if (!good) {
        stop(look, bi_fail(BERTH_ERR_MEMORY, "%s:%d: no memory for the document's nodes", look->name,
                           line_of(look)));
    }
}

// assimp never ends on letters among whole numbers, and takes a comma for a point among others.
static const char* allowed_text(const char* local) {
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
    Look* look = user;
    for (int i = 0; i < length && look->allowed != NULL && look->status == BERTH_OK; i++) {
        if (text[i] == '\0' || strchr(look->allowed, text[i]) == NULL) {
            const bool printable = text[i] > ' ' && text[i] <= '~';
            stop(look, bi_fail(BERTH_ERR_PARSE, "%s:%d: '%c' among numbers", look->name, line_of(look),
                               printable ? text[i] : '?'));
        }
    }
}

static void XMLCALL on_start(void* user, const char* name, const char** attributes) {
    Look* look = user;
    const char* local = local_name(name);
    look->depth++;
    look->allowed = allowed_text(local);
    if (look->depth > DEPTH_MAX) {
        stop(look, bi_fail(BERTH_ERR_PARSE, "%s:%d: elements are nested deeper than %d", look->name,
                           line_of(look), DEPTH_MAX));
    } else if (look->depth == 1 && strcmp(local, "COLLADA") != 0) {
        stop(look, bi_fail(BERTH_ERR_PARSE, "%s:%d: the document is <%.48s>, <COLLADA> is expected",
                           look->name, line_of(look), name));
    } else if (look->depth == 2 && strcmp(local, "asset") == 0) {
        look->asset_depth = 2;
    } else if (look->depth == 3 && look->asset_depth == 2 && strcmp(local, "unit") == 0 && !look->unit_seen) {
        read_unit(look, attributes);
    }
    if (look->status == BERTH_OK) {
        check_count(look, name, attributes);
    }
    if (look->status == BERTH_OK) {
        note_use(look, local, attributes);
    }
}

static void XMLCALL on_end(void* user, const char* name) {
    Look* look = user;
    look->allowed = NULL;
    if (look->geometry >= 0 && strcmp(local_name(name), "geometry") == 0) {
        look->graph.nodes[look->geometry].bytes = place_of(look) - look->geometry_start;
        look->geometry = -1;
    }
    look->node = look->open[look->depth];
    if (look->depth == look->asset_depth) {
        look->asset_depth = 0;
    }
    look->depth--;
}

static void XMLCALL on_doctype(void* user, const char* name, const char* system, const char* public,
                               int internal) {
    Look* look = user;
    (void)name, (void)system, (void)public, (void)internal;
    stop(look, bi_fail(BERTH_ERR_PARSE, "%s:%d: DOCTYPE is not accepted", look->name, line_of(look)));
}

static void feed(Look* look, const char* data, size_t size) {
    size_t done = 0;
    bool going = true;
    while (going) {
        const size_t left = size - done;
        const int piece = left < PIECE_SIZE ? (int)left : PIECE_SIZE;
        const bool last = left <= PIECE_SIZE;
        const enum XML_Status result = XML_Parse(look->parser, data + done, piece, last);
        if (result != XML_STATUS_OK && look->status == BERTH_OK) {
            const enum XML_Error code = XML_GetErrorCode(look->parser);
            look->status = bi_fail(code == XML_ERROR_NO_MEMORY ? BERTH_ERR_MEMORY : BERTH_ERR_PARSE,
                                   "%s:%d: %s", look->name, line_of(look), XML_ErrorString(code));
        }
        done += (size_t)piece;
        going = result == XML_STATUS_OK && !last;
    }
}

BerthStatus bi_io_scan_collada(const char* name, const char* data, size_t size,
                               const BerthAllocator* allocator, MeshUnits* units) {
    *units = (MeshUnits){.metres = 1.0};
    Look look = {.name = name, .units = units, .status = BERTH_OK, .size = size, .node = -1, .geometry = -1};
    look.parser = XML_ParserCreate(NULL);
    if (look.parser == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "%s: no memory for an XML parser", name);
    }
    bi_graph_init(&look.graph, allocator);
    XML_SetUserData(look.parser, &look);
    XML_SetElementHandler(look.parser, on_start, on_end);
    XML_SetCharacterDataHandler(look.parser, on_text);
    XML_SetStartDoctypeDeclHandler(look.parser, on_doctype);
    feed(&look, data, size);
    XML_ParserFree(look.parser);
    if (look.status == BERTH_OK) {
        look.status = bi_graph_check(&look.graph, name, DEPTH_MAX, GEOMETRY_MAX);
    }
    bi_graph_free(&look.graph);
    return look.status;
}
