// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A small XML document in memory, with line numbers: elements and attributes, no text. Bounded in depth, size
// and all counts. DOCTYPE is refused, so there are no entities to expand.

#ifndef BI_IO_XML_H
#define BI_IO_XML_H

#include <berth/io/syntax.h>

#include "base/arena.h"
#include "math/vec3.h"

enum {
    BI_XML_DEPTH_MAX = 100,
    BI_XML_NAME_MAX = 500,      ///< bytes of an element's or attribute's name
    BI_XML_VALUE_MAX = 65536,   ///< bytes of an attribute's value
    BI_XML_NODE_MAX = 4000000,  ///< elements and attributes together
    BI_XML_FILE_MAX = 64 << 20  ///< bytes
};

typedef struct XmlAttribute {
    const char* name;
    const char* value;
} XmlAttribute;

typedef struct XmlNode XmlNode;
struct XmlNode {
    const char* name;
    const XmlAttribute* attributes;
    int32_t attribute_count;
    int32_t line;
    XmlNode* parent;
    XmlNode* first;  ///< child
    XmlNode* last;   ///< child
    XmlNode* next;   ///< with the same parent
};

/// What readers of one file carry around.
typedef struct XmlFile {
    const char* path;  ///< for messages and relative names
    const BerthIoOptions* options;
    Arena* arena;
    XmlNode* root;
    int32_t warning_count;
} XmlFile;

/// Parses `size` bytes into file->root. file->path, options and arena are set by the caller.
BerthStatus bi_xml_parse(XmlFile* file, const char* data, size_t size);

/// The next element of this name among `node` and its later siblings (null name: any), or null.
const XmlNode* bi_xml_next(const XmlNode* node, const char* name);
/// The value of an attribute, or null.
const char* bi_xml_value(const XmlNode* node, const char* attribute);
/// The element after `node` in document order within `top`, children first; null at the end.
const XmlNode* bi_xml_after(const XmlNode* node, const XmlNode* top);

/// "FILE:LINE: <joint name="j2">: <limit>: text"; elements from the one with a name downward. Returns the status.
BerthStatus bi_xml_fail(const XmlFile* file, const XmlNode* node, BerthStatus status, const char* format, ...)
    BI_PRINTF(4, 5);
/// Puts the same before the text that is there; memory and system failures keep their status.
BerthStatus bi_xml_fail_prefix(const XmlFile* file, const XmlNode* node, BerthStatus status);
/// A warning of the same form. After BI_XML_WARNING_MAX of one file the rest is dropped, and that is said.
void bi_xml_warn(XmlFile* file, const XmlNode* node, const char* format, ...) BI_PRINTF(3, 4);
enum { BI_XML_WARNING_MAX = 1000 };

/// The one child of this name: null when there is none and it is not required.
BerthStatus bi_xml_only_child(const XmlFile* file, const XmlNode* node, const char* name, bool required,
                              const XmlNode** out);
/// An attribute that must be there, not empty, without control characters.
BerthStatus bi_xml_text(const XmlFile* file, const XmlNode* node, const char* attribute, const char** out);
/// Exactly `count` numbers, each at most `most` in size. Absent: `out` is left alone, an error if `required`.
BerthStatus bi_xml_numbers(const XmlFile* file, const XmlNode* node, const char* attribute, bool required,
                           int32_t count, double most, double* out);
/// As many numbers as there are, at most `capacity`.
BerthStatus bi_xml_number_list(const XmlFile* file, const XmlNode* node, const char* attribute, double most,
                               int32_t capacity, double* out, int32_t* count);

#endif
