// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Names: what users write for a link, an object or a value, and suggestions for a wrong one. A whole name is
// matched first, then it is split at the first '/': robot and link, or robot and joint.
// Entries: bi_scene_check_name, bi_scene_resolve_name, berth_scene_find_value, bi_scene_suggest_name.

#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

// How many bytes a UTF-8 character has that starts with this one; 0: no character starts so.
static int length_from_first_byte(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xC2 || first >= 0xF5) {
        return 0;
    }
    if (first < 0xE0) {
        return 2;
    }
    return first < 0xF0 ? 3 : 4;
}

// Length of the UTF-8 character at `c`, or 0 when there is none. Overlong forms and surrogates are none.
static int utf8_length(const unsigned char* c) {
    const int length = length_from_first_byte(c[0]);

    for (int i = 1; i < length; ++i) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
    }

    const bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    const bool outside = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
    return overlong || outside ? 0 : length;
}

BerthStatus bi_scene_check_name(const char* what, const char* name) {
    if (name == NULL || name[0] == '\0') {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s: it has no name", what);
    }
    if (strlen(name) > BI_SCENE_NAME_MAX) {
        return bi_fail(BERTH_ERR_ARGUMENT, "%s '%.40s...': the name is longer than %d bytes", what, name,
                       BI_SCENE_NAME_MAX);
    }

    int step = 1;
    for (const char* c = name; *c != '\0'; c += step) {
        step = utf8_length((const unsigned char*)c);
        if (step == 0) {
            return bi_fail(BERTH_ERR_ARGUMENT, "%s '%.*s...': the name is not UTF-8", what, (int)(c - name),
                           name);
        }
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return bi_fail(BERTH_ERR_ARGUMENT, "%s '%.*s...': the name has a control character (%d) in it",
                           what, (int)(c - name), name, (int)*c);
        }
    }
    return BERTH_OK;
}

// The robot whose name is before the first '/', and what is behind it.
static int32_t split_name(const BerthScene* scene, const char* name, const char** rest) {
    const char* slash = strchr(name, '/');
    if (slash == NULL) {
        return -1;
    }

    const size_t length = (size_t)(slash - name);
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        if (length > 0 && strlen(scene->robots[i].name) == length &&
            memcmp(scene->robots[i].name, name, length) == 0) {
            *rest = slash + 1;
            return i;
        }
    }
    return -1;
}

bool bi_scene_resolve_name(const BerthScene* scene, const char* name, bool links_only, SceneBodyRef* out) {
    *out = (SceneBodyRef){-1, -1, -1};
    if (!links_only) {
        out->object = bi_scene_find_slot(scene, name);
        if (out->object >= 0) {
            return true;
        }
    }

    if (scene->robot_count == 1) {
        out->link = berth_robot_find_link(scene->robots[0].robot, name);
        if (out->link >= 0) {
            out->robot = 0;
            return true;
        }
    }

    const char* rest = NULL;
    const int32_t robot = split_name(scene, name, &rest);
    const int32_t link = robot >= 0 ? berth_robot_find_link(scene->robots[robot].robot, rest) : -1;
    if (link >= 0) {
        *out = (SceneBodyRef){robot, link, -1};
    }
    return link >= 0;
}

void bi_scene_link_name(const BerthScene* scene, int32_t robot, int32_t link, char* text, size_t size) {
    const char* name = berth_robot_link(scene->robots[robot].robot, link).name;
    if (scene->robot_count > 1) {
        snprintf(text, size, "%s/%s", scene->robots[robot].name, name);
    } else {
        snprintf(text, size, "%s", name);
    }
}

// ---- values ------------------------------------------------------------------------------------------------

void berth_scene_value_name(const BerthScene* scene, int32_t value, char* text, size_t size) {
    if (text == NULL || size == 0) {
        return;
    }

    text[0] = '\0';
    for (int32_t i = 0; scene != NULL && i < scene->robot_count; ++i) {
        const SceneRobot* robot = &scene->robots[i];
        if (value < robot->first_value || value >= robot->first_value + robot->value_count) {
            continue;
        }

        size_t used = 0;
        if (scene->robot_count > 1) {
            const int written = snprintf(text, size, "%s/", robot->name);
            used = written > 0 && (size_t)written < size ? (size_t)written : size - 1;
        }

        berth_robot_value_name(robot->robot, value - robot->first_value, text + used, size - used);
        return;
    }
}

static int32_t find_robot_value(const SceneRobot* robot, const char* name) {
    char text[2 * BI_SCENE_NAME_MAX];
    for (int32_t i = 0; i < robot->value_count; ++i) {
        berth_robot_value_name(robot->robot, i, text, sizeof text);
        if (strcmp(text, name) == 0) {
            return robot->first_value + i;
        }
    }
    return -1;
}

int32_t berth_scene_find_value(const BerthScene* scene, const char* name) {
    if (scene == NULL || name == NULL) {
        return -1;
    }
    if (scene->robot_count == 1) {
        const int32_t value = find_robot_value(&scene->robots[0], name);
        if (value >= 0) {
            return value;
        }
    }

    const char* rest = NULL;
    const int32_t robot = split_name(scene, name, &rest);
    return robot >= 0 ? find_robot_value(&scene->robots[robot], rest) : -1;
}

// ---- what was meant ----------------------------------------------------------------------------------------

enum { WORD_MAX = 63 };

typedef struct Nearest {
    const char* wanted;
    char best[WORD_MAX + 1];
    int32_t away;
} Nearest;

enum { SUGGEST_LIMIT = 3 };

static void offer_name(Nearest* nearest, const char* name, int32_t away) {
    const bool alike = 2 * away <= (int32_t)strlen(nearest->wanted);  // "a" is no misspelt "b"
    if (alike && away < nearest->away && strlen(name) <= WORD_MAX) {
        nearest->away = away;
        memcpy(nearest->best, name, strlen(name) + 1);
    }
}

// A link by its name as people see it; the link of a robot that was not named, "hand" where "left/hand" is right; and
// robot/link where there is one robot.
static void offer_link(Nearest* nearest, const BerthScene* scene, int32_t robot, int32_t link) {
    char shown[2 * BI_SCENE_NAME_MAX + 2];
    const char* bare = berth_robot_link(scene->robots[robot].robot, link).name;

    bi_scene_link_name(scene, robot, link, shown, sizeof shown);
    offer_name(
        nearest, shown,
        strcmp(bare, nearest->wanted) == 0 ? 0 : berth_word_distance(nearest->wanted, shown, SUGGEST_LIMIT));

    if (scene->robot_count == 1 && scene->robots[0].name[0] != '\0') {
        snprintf(shown, sizeof shown, "%s/%s", scene->robots[0].name, bare);
        offer_name(nearest, shown, berth_word_distance(nearest->wanted, shown, SUGGEST_LIMIT));
    }
}

void bi_scene_suggest_name(const BerthScene* scene, const char* name, bool links_only, char* text,
                           size_t size) {
    Nearest nearest = {.wanted = name, .away = SUGGEST_LIMIT + 1};
    for (int32_t i = 0; i < scene->robot_count; ++i) {
        const int32_t link_count = berth_robot_link_count(scene->robots[i].robot);
        for (int32_t k = 0; k < link_count; ++k) {
            offer_link(&nearest, scene, i, k);
        }
    }

    for (int32_t i = 0; !links_only && i < scene->object_count; ++i) {
        if (scene->objects[i].used) {
            offer_name(&nearest, scene->objects[i].name,
                       berth_word_distance(name, scene->objects[i].name, SUGGEST_LIMIT));
        }
    }

    text[0] = '\0';
    if (nearest.away <= SUGGEST_LIMIT) {
        snprintf(text, size, "; did you mean '%s'?", nearest.best);
    }
}
