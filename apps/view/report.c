// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Reports as HTML with inline SVG: nothing is loaded from elsewhere.
// Entries: report_words, report_numbers, report_plot, report_bars, report_view, report_write.

#include "view/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"

static void put_escaped(Text* text, const char* string, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        switch (string[i]) {
        case '&':
            text_puts(text, "&amp;");
            break;
        case '<':
            text_puts(text, "&lt;");
            break;
        case '>':
            text_puts(text, "&gt;");
            break;
        case '"':
            text_puts(text, "&quot;");
            break;
        default:
            text_add(text, string + i, 1);
        }
    }
}

static void put_html(Text* text, const char* string) {
    put_escaped(text, string, strlen(string));
}

// ---- words and numbers ---------------------------------------------------------------------------------------------

void report_words(Report* report, const char* text) {
    const size_t first = strcspn(text, "\n");
    text_puts(&report->words, "<p class=\"answer\">");
    put_escaped(&report->words, text, first);
    text_puts(&report->words, "</p>\n");
    if (text[first] != '\0' && text[first + 1] != '\0') {
        text_puts(&report->words, "<pre>");
        put_html(&report->words, text + first + 1);
        text_puts(&report->words, "</pre>\n");
    }
}

static void put_row(Text* rows, const char* name, const json_t* value) {
    text_puts(rows, "<tr><td>");
    put_html(rows, name);
    text_puts(rows, "</td><td>");
    char* text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    if (json_is_string(value)) {
        put_html(rows, json_string_value(value));
    } else if (text != NULL) {
        put_html(rows, text);
    }
    free(text);
    text_puts(rows, "</td></tr>\n");
}

static bool is_long(const json_t* value, size_t most) {
    char* text = json_dumps(value, JSON_ENCODE_ANY);
    const bool longer = text != NULL && strlen(text) > most;
    free(text);
    return longer;
}

// Objects become rows with names like clearance.lower; long lists are counted.
static void put_rows(Text* rows, const char* prefix, json_t* object, int depth) {
    enum { LIST_MOST = 8, DEPTH_MOST = 3, TEXT_MOST = 300 };
    const char* key = NULL;
    json_t* value = NULL;
    json_object_foreach(object, key, value) {
        char name[256];
        (void)snprintf(name, sizeof name, "%.120s%s%.120s", prefix, prefix[0] != '\0' ? "." : "", key);

        if (json_is_object(value) && depth < DEPTH_MOST) {
            put_rows(rows, name, value, depth + 1);
        } else if (json_is_array(value) &&
                   (json_array_size(value) > LIST_MOST || is_long(value, TEXT_MOST))) {
            json_t* count = json_sprintf("%d entries", (int)json_array_size(value));
            put_row(rows, name, count);
            json_decref(count);
        } else {
            put_row(rows, name, value);
        }
    }
}

void report_numbers(Report* report, const char* text) {
    json_t* object = json_loads(text, JSON_DISABLE_EOF_CHECK, NULL);
    if (json_is_object(object)) {
        put_rows(&report->numbers, "", object, 0);
    }
    json_decref(object);
}

// ---- plots -----------------------------------------------------------------------------------------------------------

enum {
    PLOT_WIDTH = 860,
    PLOT_HEIGHT = 260,
    PLOT_LEFT = 70,
    PLOT_BOTTOM = 40,
    PLOT_TOP = 26,
    PLOT_RIGHT = 16
};

typedef struct PlotFrame {
    double x_low, x_high, y_low, y_high;
} PlotFrame;

static double place_x(const PlotFrame* frame, double x) {
    return PLOT_LEFT +
           (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) * (x - frame->x_low) / (frame->x_high - frame->x_low);
}

static double place_y(const PlotFrame* frame, double y) {
    return PLOT_TOP +
           (PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM) * (frame->y_high - y) / (frame->y_high - frame->y_low);
}

static PlotFrame find_frame(const ReportPlot* plot) {
    PlotFrame frame = {INFINITY, -INFINITY, 0.0, -INFINITY};
    for (int s = 0; s < plot->series_count; ++s) {
        for (int i = 0; i < plot->series[s].count; ++i) {
            const double x = plot->series[s].x[i], y = plot->series[s].y[i];
            if (isfinite(x) && isfinite(y)) {
                frame.x_low = fmin(frame.x_low, x);
                frame.x_high = fmax(frame.x_high, x);
                frame.y_low = fmin(frame.y_low, y);
                frame.y_high = fmax(frame.y_high, y);
            }
        }
    }

    frame.x_high = frame.x_high > frame.x_low ? frame.x_high : frame.x_low + 1.0;
    frame.y_high =
        frame.y_high > frame.y_low ? frame.y_high + 0.05 * (frame.y_high - frame.y_low) : frame.y_low + 1.0;
    return frame;
}

// A round number such that about `count` of them make up the span.
static double tick_step(double span, int count) {
    const double rough = span / count;
    const double power = pow(10.0, floor(log10(rough)));
    static const double factors[] = {1.0, 2.0, 5.0};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; ++i) {
        if (factors[i] * power >= 0.999 * rough) {
            return factors[i] * power;
        }
    }
    return 10.0 * power;
}

static void put_axes(Text* text, const PlotFrame* frame, const ReportPlot* plot) {
    const double step_y = tick_step(frame->y_high - frame->y_low, 5);
    for (double i = ceil(frame->y_low / step_y); i * step_y <= frame->y_high; ++i) {
        const double y = i * step_y + 0.0;  // no -0
        text_printf(text, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", PLOT_LEFT,
                    PLOT_WIDTH - PLOT_RIGHT, place_y(frame, y), place_y(frame, y));
        text_printf(text, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>", PLOT_LEFT - 6,
                    place_y(frame, y) + 4.0, y);
    }
    const double step_x = tick_step(frame->x_high - frame->x_low, 8);
    for (double i = ceil(frame->x_low / step_x); i * step_x <= frame->x_high; ++i) {
        const double x = i * step_x + 0.0;
        text_printf(text, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>\n", place_x(frame, x),
                    PLOT_HEIGHT - PLOT_BOTTOM + 16, x);
    }

    text_printf(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", PLOT_WIDTH - PLOT_RIGHT,
                PLOT_HEIGHT - 6);
    put_html(text, plot->x_name);
    text_printf(text, "</text><text x=\"%d\" y=\"%d\">", PLOT_LEFT - 30, PLOT_TOP - 10);
    put_html(text, plot->y_name);
    text_puts(text, "</text>\n");
}

static void put_series(Text* text, const PlotFrame* frame, const ReportSeries* series, int index) {
    bool is_open = false;
    text_printf(text, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"", series->colour,
                series->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (int i = 0; i < series->count; ++i) {
        const bool is_there = isfinite(series->x[i]) && isfinite(series->y[i]);
        if (is_there) {
            text_printf(text, "%c%.1f %.1f", is_open ? 'L' : 'M', place_x(frame, series->x[i]),
                        place_y(frame, series->y[i]));
        }
        is_open = is_there;
    }
    text_puts(text, "\"/>\n");

    text_printf(text, "<text x=\"%d\" y=\"%d\" style=\"fill:%s;font-weight:600\">",
                PLOT_LEFT + 6 + 170 * index, PLOT_HEIGHT - 6, series->colour);
    put_html(text, series->name);
    text_puts(text, "</text>\n");
}

void report_plot(Report* report, const ReportPlot* plot) {
    Text* text = &report->plots;
    const PlotFrame frame = find_frame(plot);
    if (!isfinite(frame.x_low)) {
        return;
    }

    text_puts(text, "<h2>");
    put_html(text, plot->title);
    text_printf(text, "</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", PLOT_WIDTH, PLOT_HEIGHT);
    put_axes(text, &frame, plot);
    for (int s = 0; s < plot->series_count; ++s) {
        put_series(text, &frame, &plot->series[s], s);
    }

    if (isfinite(plot->mark) && plot->mark_name != NULL) {
        const double x = place_x(&frame, plot->mark);
        const bool at_end = x > 0.7 * PLOT_WIDTH;
        text_printf(text, "<line class=\"mark\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x, x,
                    PLOT_TOP, PLOT_HEIGHT - PLOT_BOTTOM);
        text_printf(text, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">", at_end ? x - 5.0 : x + 5.0,
                    PLOT_TOP + 30, at_end ? "end" : "start");
        put_html(text, plot->mark_name);
        text_puts(text, "</text>\n");
    }
    text_puts(text, "</svg>\n");
}

void report_bars(Report* report, const char* title, const char* unit, const char* const* names,
                 const double* values, int count) {
    Text* text = &report->plots;
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = isfinite(values[i]) ? fmax(most, values[i]) : most;
    }
    if (count == 0 || !(most > 0.0)) {
        return;
    }

    enum { BAR = 20, LEFT = 260 };
    text_puts(text, "<h2>");
    put_html(text, title);
    text_printf(text, "</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", PLOT_WIDTH, BAR * count + 6);
    for (int i = 0; i < count; ++i) {
        const double width = isfinite(values[i]) ? (PLOT_WIDTH - LEFT - 110) * values[i] / most : 0.0;
        text_printf(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", LEFT - 8, BAR * i + 15);
        put_html(text, names[i]);
        text_printf(text, "</text><rect fill=\"#1f6fb2\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                    LEFT, BAR * i + 3, width, BAR - 6);
        text_printf(text, "<text x=\"%.1f\" y=\"%d\">%.4g %s</text>\n", LEFT + width + 6.0, BAR * i + 15,
                    values[i], unit);
    }
    text_puts(text, "</svg>\n");
}

// ---- a motion --------------------------------------------------------------------------------------------------------

// The time to mark: the first contact, or that of the least clearance.
static double find_moment(const json_t* profile, const double* upper, const double* t, const char** name) {
    const size_t count = json_array_size(profile);
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        best = upper[i] < upper[best] - 1e-3 ? i : best;  // a micrometre does not matter
    }
    if (count == 0) {
        return (double)NAN;
    }
    *name = upper[best] > 0.0 ? "nearest" : "first contact";
    return t[best];
}

static void plot_profile(Report* report, Session* session, const json_t* answer) {
    const json_t* profile = json_object_get(answer, "profile");
    const size_t count = json_array_size(profile);
    double* rows = calloc(3 * count + 1, sizeof *rows);
    if (rows == NULL) {
        report->plots.failed = true;
        return;
    }

    double *t = rows, *lower = rows + count, *upper = rows + 2 * count;
    for (size_t i = 0; i < count; ++i) {
        const json_t* point = json_array_get(profile, i);
        t[i] = json_number_value(json_object_get(point, "t"));
        lower[i] = 1e3 * json_number_value(json_object_get(point, "lower"));
        upper[i] = 1e3 * json_number_value(json_object_get(point, "upper"));
    }

    // Each point is proven, but not the lines between them: there only the answer for the whole motion holds.
    const ReportSeries series[] = {{"upper bound, at these times", "#1f6fb2", t, upper, (int)count, false},
                                   {"lower bound, at these times", "#e69f00", t, lower, (int)count, true}};
    ReportPlot plot = {.title = "Clearance at times of the motion",
                       .x_name = session->view->trajectory->times != NULL ? "seconds" : "rows",
                       .y_name = "mm",
                       .series = series,
                       .series_count = 2};
    plot.mark = session->start = find_moment(profile, upper, t, &plot.mark_name);
    report_plot(report, &plot);
    free(rows);
}

static void answer_path_of(Report* report, Session* session) {
    Text text = {0};
    json_t* request = json_pack("{s:i, s:s}", "id", 0, "do", "path");
    session_answer(session, request, &text);
    json_t* answer = json_loadb(text.data, text.size, 0, NULL);
    plot_profile(report, session, answer);
    json_decref(answer);
    json_decref(request);
    text_free(&text);
}

// The note about the visual meshes in the page. They may be larger than everything else, and a report is to be mailed.
static void note_visuals(Report* report, const ViewVisuals* visuals) {
    Text* note = &report->view_note;
    const long long all = visuals->triangle_count, drawn = visuals->drawn_count;
    if (all == 0 && visuals->unread_count == 0) {
        return;
    }

    text_puts(note, "<p>Its layers include the visual meshes");
    if (all > 0 && drawn == 0) {
        text_printf(note, ", but not those from files: %lld triangles are too many for a report", all);
    } else if (visuals->merged > 0.0) {
        text_printf(note,
                    ", with %lld of their %lld triangles: details below %.3g mm are merged, so that this "
                    "file stays small",
                    drawn, all, 1e3 * visuals->merged);
    } else if (all > 0) {
        text_printf(note, ", %lld triangles", drawn);
    }
    if (visuals->unread_count > 0) {
        text_printf(note, "; %d of their files cannot be read or are too large and are left out",
                    (int)visuals->unread_count);
    }
    text_puts(note, ". <code>berth view --html</code> writes all that can be read.</p>\n");
}

void report_view(Report* report, const ReportView* what) {
    enum { VISUAL_BYTES = 2 << 20 };  // one third more when written as text
    View view;
    Session session = {0};
    const bool opened =
        view_open(&view, what->question, what->trajectory, what->interpolation, what->title) &&
        session_open(&session, &view) == EXIT_FREE;
    view.spheres = what->spheres;
    if (opened && what->visuals != NULL) {
        visuals_find_bodies(what->visuals, what->question->scene);
        what->visuals->bytes_most = VISUAL_BYTES;
        view.visuals = what->visuals;
    }
    if (opened && what->trajectory != NULL) {
        session.start = what->profile ? (double)NAN : what->start;
        if (what->profile) {
            answer_path_of(report, &session);
        }
    }

    if (opened && view_has_bundle()) {
        report->page.failed |= view_write_page(&session, &report->page) != EXIT_FREE;
        if (view.visuals != NULL && view.visuals->differ) {
            note_visuals(report, view.visuals);
        }
    } else {
        report->page_note = "This berth was built without its page, so there is no 3-D view here.";
    }
    session_close(&session);
    view_close(&view);
}

// ---- the file --------------------------------------------------------------------------------------------------------

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:920px;margin:2em auto;padding:0 "
    "1em;color:#14202e;background:#fff}"
    ".answer{font-size:1.5em;font-weight:600;margin:.3em 0}pre,code{font:14px/1.4 "
    "ui-monospace,monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere;background:#f0f2f5;padding:.6em;border-radius:6px}code{padding:.1em "
    ".3em}table{border-collapse:"
    "collapse;width:100%}td{border-bottom:1px solid #d6dbe2;padding:.25em "
    ".6em;vertical-align:top;overflow-wrap:anywhere}"
    "td:first-child{white-space:nowrap}svg{width:100%;height:auto}svg text{font-size:12px;fill:#14202e}"
    ".grid{stroke:#d6dbe2}.mark{stroke:#d55e00;stroke-width:2}iframe{width:100%;height:760px;border:1px "
    "solid #d6dbe2;"
    "border-radius:6px}@media(prefers-color-scheme:dark){body{background:#12161c;color:#e6ebf2}pre,code{"
    "background:#1d232c}"
    "svg text{fill:#e6ebf2}td,.grid,iframe{border-color:#39424e;stroke:#39424e}}";

// The command line as it was given, quoted for a shell.
static void put_command_line(Text* text) {
    FILE* file = fopen("/proc/self/cmdline", "rb");
    char line[1 << 14];
    const size_t size = file != NULL ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }

    line[size] = '\0';
    size_t at = strlen(line) + 1;
    text_puts(text, "berth");
    while (at < size) {
        const char* word = line + at;
        const bool plain =
            word[0] != '\0' && strspn(word,
                                      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                      "-_./=,:@+") == strlen(word);
        text_puts(text, plain ? " " : " '");
        for (const char* c = word; *c != '\0'; ++c) {
            if (*c == '\'') {
                text_puts(text, "'\\''");
            } else {
                put_escaped(text, c, 1);
            }
        }
        text_puts(text, plain ? "" : "'");
        at += strlen(word) + 1;
    }
}

static void put_part(Text* out, const Text* part) {
    out->failed |= part->failed;
    if (part->data != NULL) {
        text_add(out, part->data, part->size);
    }
}

int report_write(Report* report, const char* path) {
    Text out = {0};
    text_puts(&out,
              "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>berth ");
    put_html(&out, report->command);
    text_puts(&out, ": ");
    put_html(&out, report->title);
    text_printf(&out, "</title>\n<style>%s</style></head><body>\n<p>berth ", style);
    put_html(&out, report->command);
    text_puts(&out, " &middot; ");
    put_html(&out, report->title);
    text_puts(&out, "</p>\n");
    put_part(&out, &report->words);
    put_part(&out, &report->plots);

    if (report->page.data != NULL) {
        text_puts(&out, "<h2>The view</h2>\n<iframe title=\"3-D view\" srcdoc=\"");
        put_escaped(&out, report->page.data, report->page.size);
        text_puts(&out, "\"></iframe>\n");
        put_part(&out, &report->view_note);
        out.failed |= report->page.failed;
    } else if (report->page_note != NULL) {
        text_printf(&out, "<p>%s</p>\n", report->page_note);
    }

    text_puts(&out, "<h2>Numbers</h2>\n<table>\n");
    put_part(&out, &report->numbers);
    text_puts(&out, "</table>\n<h2>How to get this again</h2>\n<pre>");
    put_command_line(&out);
    text_printf(&out,
                "</pre>\n"
                "<p>berth %s. Units are metre, radian and second unless stated otherwise.</p>\n"
                "</body></html>\n",
                berth_version());

    int status = out.failed ? cli_out_of_memory() : files_write(path, &out, true);
    if (status == EXIT_FREE) {
        status = files_commit();
    }
    text_free(&out);
    return status;
}

void report_free(Report* report) {
    text_free(&report->words);
    text_free(&report->plots);
    text_free(&report->numbers);
    text_free(&report->page);
    text_free(&report->view_note);
}
