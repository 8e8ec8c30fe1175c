// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// JSON, written piece by piece, with ", " between members and ": " after keys.

#include "cli/cli.h"

Json json_writer(Text* text) {
    return (Json){.text = text};
}

// What precedes a value: nothing after a key, a comma after another element.
static void put_separator(Json* json) {
    if (json->keyed) {
        json->keyed = false;
    } else if (json->depth > 0) {
        if (json->filled[json->depth - 1]) {
            text_puts(json->text, ", ");
        }
        json->filled[json->depth - 1] = true;
    }
}

void json_open(Json* json, char bracket) {
    put_separator(json);
    text_add(json->text, &bracket, 1);
    if (json->depth < (int)(sizeof json->filled / sizeof json->filled[0])) {
        json->filled[json->depth++] = false;
    } else {
        json->text->failed = true;
    }
}

void json_close(Json* json, char bracket) {
    text_add(json->text, &bracket, 1);
    if (json->depth > 0) {
        --json->depth;
    }
}

void json_key(Json* json, const char* key) {
    put_separator(json);
    text_quoted(json->text, key);
    text_puts(json->text, ": ");
    json->keyed = true;
}

void json_text(Json* json, const char* value) {
    if (value == NULL) {
        json_put_null(json);
        return;
    }
    put_separator(json);
    text_quoted(json->text, value);
}

void json_number(Json* json, double value) {
    put_separator(json);
    text_number(json->text, value);
}

void json_int(Json* json, int64_t value) {
    put_separator(json);
    text_printf(json->text, "%lld", (long long)value);
}

void json_bool(Json* json, bool value) {
    put_separator(json);
    text_puts(json->text, value ? "true" : "false");
}

void json_put_null(Json* json) {
    put_separator(json);
    text_puts(json->text, "null");
}

void json_vec3(Json* json, BerthVec3 v) {
    put_separator(json);
    text_triple(json->text, v);
}

void json_key_open(Json* json, const char* key, char bracket) {
    json_key(json, key);
    json_open(json, bracket);
}

void json_key_text(Json* json, const char* key, const char* value) {
    json_key(json, key);
    json_text(json, value);
}

void json_key_number(Json* json, const char* key, double value) {
    json_key(json, key);
    json_number(json, value);
}

void json_key_int(Json* json, const char* key, int64_t value) {
    json_key(json, key);
    json_int(json, value);
}

void json_key_bool(Json* json, const char* key, bool value) {
    json_key(json, key);
    json_bool(json, value);
}

void json_key_vec3(Json* json, const char* key, BerthVec3 v) {
    json_key(json, key);
    json_vec3(json, v);
}

void json_members(Json* json, const Text* object) {
    size_t begin = 0, end = object->size;
    while (begin < end && object->data[begin] != '{') {
        ++begin;
    }
    while (end > begin && object->data[end - 1] != '}') {
        --end;
    }

    json->text->failed |= object->failed || end < begin + 2;
    if (end > begin + 2) {
        put_separator(json);
        text_add(json->text, object->data + begin + 1, end - begin - 2);
    }
}
