// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// One page that contains everything: the bundle, the scene, its geometry and a recording of answers. It works from disk
// and by mail, needs no server, and says that it is a recording.
// Entry: view_write_page.

#include <math.h>
#include <string.h>
#include <strings.h>

#include "view/view.h"

enum { RECORDED_MOST = 150 };
enum { GAPS_MOST = 100000 };  // for all states together: more take minutes if there are meshes

void view_put_base64(Text* text, const Text* bytes) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes->size; i += 3) {
        const size_t left = bytes->size - i;
        const unsigned a = (unsigned char)bytes->data[i];
        const unsigned b = left > 1 ? (unsigned char)bytes->data[i + 1] : 0U;
        const unsigned c = left > 2 ? (unsigned char)bytes->data[i + 2] : 0U;

        const char four[4] = {letters[a >> 2], letters[(a & 3U) << 4 | b >> 4],
                              left > 1 ? letters[(b & 15U) << 2 | c >> 6] : '=',
                              left > 2 ? letters[c & 63U] : '='};
        text_add(text, four, sizeof four);
    }
    text_add(text, "", 0);
    text->failed |= bytes->failed;
}

// ---- the recording -----------------------------------------------------------------------------------------------

// The answer to a request, as the checker thread would send it.
static void put_answer(Text* text, Session* session, json_t* request) {
    if (request == NULL) {
        text->failed = true;
        return;
    }
    Text answer = {0};
    session_answer(session, request, &answer);
    text->failed |= answer.failed;
    if (!answer.failed) {
        text_add(text, answer.data, answer.size);
    }
    text_free(&answer);
    json_decref(request);
}

static json_t* values_of(const Session* session) {
    json_t* values = json_array();
    for (int32_t i = 0; i < session->question.value_count; ++i) {
        (void)json_array_append_new(values, json_real(session->values[i]));
    }
    return values;
}

static double moment(const BerthTrajectory* trajectory, double share) {
    if (trajectory->times == NULL) {
        return share * (trajectory->row_count - 1);
    }
    const double first = trajectory->times[0], last = trajectory->times[trajectory->row_count - 1];
    return first + share * (last - first);
}

enum { FACTS_MOST = 255 };
#define PAIR_WORK_MOST 1e9  // bodies times bodies times pairs: more take too long to look up

// The number of the fact in the list, to which it is added if new.
static int find_fact(PairFact* facts, int* count, PairFact fact) {
    const char* reason = fact.reason != NULL ? fact.reason : "";
    for (int i = 0; i < *count; ++i) {
        if (strcmp(facts[i].status, fact.status) == 0 && strcmp(facts[i].reason, reason) == 0) {
            return i;
        }
    }
    if (*count == FACTS_MOST) {
        return -1;
    }
    facts[*count] = (PairFact){fact.status, reason};
    return (*count)++;
}

// The answers of `pairs` for every body: for each pair (0 with 1, 0 with 2, and so on) a number in a list of facts. Left
// out if there are too many.
static void put_pairs(Text* text, const Session* session) {
    const BerthScene* scene = session->question.scene;
    const int32_t bodies = berth_scene_body_count(scene);
    PairFact facts[FACTS_MOST];
    int fact_count = 0;
    if ((double)bodies * bodies * berth_scene_pair_count(scene) > PAIR_WORK_MOST) {
        return;
    }

    Text list = {0};
    Json json = json_writer(&list);
    bool fits = true;
    json_open(&json, '{');
    json_key_open(&json, "of", '[');
    for (int32_t a = 0; a < bodies && fits; ++a) {
        for (int32_t b = a + 1; b < bodies && fits; ++b) {
            const int number = find_fact(facts, &fact_count, view_pair_fact(scene, a, b));
            fits = number >= 0;
            json_int(&json, number);
        }
    }
    json_close(&json, ']');
    json_key_open(&json, "facts", '[');
    for (int i = 0; i < fact_count; ++i) {
        json_open(&json, '{');
        json_key_text(&json, "status", facts[i].status);
        json_key_text(&json, "reason", facts[i].reason);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');

    text->failed |= list.failed;
    if (fits && !list.failed) {
        text_puts(text, ", \"pairs\": ");
        text_add(text, list.data, list.size);
    }
    text_free(&list);
}

static void put_recording(Text* text, Session* session) {
    const BerthTrajectory* trajectory = session->view->trajectory;
    text_puts(text, "{\"states\": [");
    if (trajectory == NULL) {
        put_answer(text, session,
                   json_pack("{s:i, s:s, s:o}", "id", 0, "do", "state", "values", values_of(session)));
        text_puts(text, "], \"path\": null");
        put_pairs(text, session);
        text_puts(text, "}");
        return;
    }

    const int count = trajectory->row_count < RECORDED_MOST ? 4 * trajectory->row_count : RECORDED_MOST;
    const int steps = count < RECORDED_MOST ? count : RECORDED_MOST;
    // For large scenes only the nearest pair is recorded.
    const bool quick = (int64_t)steps * berth_scene_pair_count(session->question.scene) > GAPS_MOST;
    for (int i = 0; i <= steps; ++i) {
        text_puts(text, i > 0 ? ",\n" : "");
        put_answer(text, session,
                   json_pack("{s:i, s:s, s:f, s:b}", "id", i, "do", "at", "t",
                             moment(trajectory, (double)i / steps), "quick", quick));
    }
    text_puts(text, "], \"path\": ");
    put_answer(text, session, json_pack("{s:i, s:s}", "id", 0, "do", "path"));
    if (isfinite(session->start)) {
        text_puts(text, ", \"start\": ");
        text_number(text, session->start);
    }
    put_pairs(text, session);
    text_puts(text, "}");
}

// ---- the page ----------------------------------------------------------------------------------------------------

// The text of a script element must neither end the element nor begin a comment; in strings of a program both can be
// written differently.
static void put_script(Text* text, const char* data, size_t size) {
    static const struct {
        const char *word, *instead;
    } words[] = {{"</script", "<\\/script"}, {"<!--", "<\\x21--"}};
    size_t begin = 0;

    for (size_t i = 0; i < size; ++i) {
        for (size_t k = 0; k < sizeof words / sizeof words[0] && data[i] == '<'; ++k) {
            const size_t length = strlen(words[k].word);
            if (size - i >= length && strncasecmp(data + i, words[k].word, length) == 0) {
                text_add(text, data + begin, i - begin);
                text_puts(text, words[k].instead);
                begin = i + length;
            }
        }
    }
    text_add(text, data + begin, size - begin);
}

static void put_data(Text* page, const char* id, const char* type, const Text* data) {
    text_printf(page, "<script id=\"%s\" type=\"%s\">", id, type);
    page->failed |= data->failed;
    if (data->data != NULL) {
        // JSON: "<" within a string may be written so.
        for (size_t i = 0; i < data->size; ++i) {
            if (data->data[i] == '<') {
                text_puts(page, "\\u003c");
            } else {
                text_add(page, data->data + i, 1);
            }
        }
    }
    text_puts(page, "</script>\n");
}

// index.html with the elements that load a file replaced by the file.
static bool put_page(Text* page, const Text* data) {
    static const char style[] = "<link rel=\"stylesheet\" href=\"app.css\">";
    static const char script[] = "<script src=\"app.js\"></script>";
    ViewFile index, code, looks;
    if (!view_find_file("/", &index) || !view_find_file("/app.js", &code) ||
        !view_find_file("/app.css", &looks)) {
        return false;
    }

    const char* text = (const char*)index.data;
    const char* end = text + index.size;
    const char* at_style = memmem(text, index.size, style, sizeof style - 1);
    const char* at_script = memmem(text, index.size, script, sizeof script - 1);
    if (at_style == NULL || at_script == NULL || at_script < at_style) {
        return false;
    }

    text_add(page, text, (size_t)(at_style - text));
    text_puts(page,
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
              "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n<style>");
    text_add(page, (const char*)looks.data, looks.size);
    text_puts(page, "</style>");
    text_add(page, at_style + sizeof style - 1, (size_t)(at_script - at_style) - (sizeof style - 1));
    text_add(page, data->data, data->size);
    text_puts(page, "<script>");
    put_script(page, (const char*)code.data, code.size);
    text_puts(page, "</script>");
    text_add(page, at_script + sizeof script - 1, (size_t)(end - at_script) - (sizeof script - 1));
    return true;
}

int view_write_page(Session* session, Text* page) {
    if (!view_has_bundle()) {
        return cli_reject("view",
                          "this program was built without its page (no Node.js): ./dev build makes it");
    }

    Text scene = {0}, bytes = {0}, geometry = {0}, recording = {0}, data = {0};
    ViewGeometry parts = {0};
    view_write_scene(session->view, &scene, &parts);
    view_join_geometry(&parts, &bytes);
    view_put_base64(&geometry, &bytes);
    put_recording(&recording, session);
    put_data(&data, "berth-scene", "application/json", &scene);
    put_data(&data, "berth-geometry", "text/plain", &geometry);
    put_data(&data, "berth-recording", "application/json", &recording);

    int status = EXIT_FREE;
    if (data.failed) {
        status = cli_out_of_memory();
    } else if (!put_page(page, &data)) {
        status = cli_reject(
            "view", "the page built into this program cannot be written to a file: build the program again");
    } else if (page->failed) {
        status = cli_out_of_memory();
    }
    text_free(&scene);
    text_free(&bytes);
    text_free(&geometry);
    text_free(&recording);
    text_free(&data);
    return status;
}
