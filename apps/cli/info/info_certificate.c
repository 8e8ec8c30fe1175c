// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth info for a certificate: what it claims. `berth path --verify` checks whether that is true.
// Entry: info_describe_certificate.

#include <stdlib.h>
#include <string.h>

#include "cli/info/info.h"

/// A line of what the certificate was made from, or assumes.
typedef struct KeptLine {
    bool is_file;
    const char* first;  // the sum, or the count
    int first_length;
    const char* rest;  // the name, or the word
    int rest_length;
} KeptLine;

// The next line; false after the last one.
static bool next_kept(const char** at, KeptLine* out) {
    const char* end = *at != NULL ? strchr(*at, '\n') : NULL;
    if (end == NULL) {
        return false;
    }

    const char* space = memchr(*at, ' ', (size_t)(end - *at));
    const char* first = space != NULL ? space + 1 : end;
    const char* second = memchr(first, ' ', (size_t)(end - first));
    const char* rest = second != NULL ? second + 1 : end;
    *out = (KeptLine){.is_file = strncmp(*at, "file ", 5) == 0,
                      .first = first,
                      .first_length = (int)((second != NULL ? second : end) - first),
                      .rest = rest,
                      .rest_length = (int)(end - rest)};
    *at = end + 1;
    return true;
}

static void put_piece(Json* json, const char* key, const char* text, int length) {
    char copy[4200];
    (void)snprintf(copy, sizeof copy, "%.*s", length, text);
    json_key_text(json, key, copy);
}

static void write_kept_json(Json* json, const BerthCertificateFacts* facts, bool files) {
    KeptLine line;
    json_key_open(json, files ? "files" : "assumed", '[');
    for (const char* at = facts->lines; next_kept(&at, &line);) {
        if (line.is_file != files) {
            continue;
        }

        json_open(json, '{');
        put_piece(json, files ? "file" : "what", line.rest, line.rest_length);
        if (files) {
            put_piece(json, "sha256", line.first, line.first_length);
        } else {
            json_key_int(json, "count", strtoll(line.first, NULL, 10));
        }
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json(Text* text, const char* path, const BerthCertificateFacts* facts,
                       const Warnings* warnings) {
    Json json = json_writer(text);
    json_open(&json, '{');
    json_key_text(&json, "file", path);
    json_key_text(&json, "kind", "certificate");
    json_key_int(&json, "version", 3);

    json_key_int(&json, "segments", facts->segment_count);
    json_key_int(&json, "records", facts->record_count);
    json_key_int(&json, "constants", facts->constant_count);
    json_key_number(&json, "margin", facts->margin);
    json_key_number(&json, "self_margin", facts->self_margin);
    json_key_number(&json, "delta", facts->delta);
    json_key_text(&json, "interpolation", facts->interpolation);
    json_key_text(&json, "moving", berth_moving_name(facts->moving));
    json_key_int(&json, "moving_objects", facts->moving_count);
    json_key_int(&json, "values", facts->value_count);
    json_key_int(&json, "bodies", facts->body_count);

    write_kept_json(&json, facts, true);
    write_kept_json(&json, facts, false);
    cli_json_no_pairs(&json);
    info_json_warnings(&json, warnings);
    json_close(&json, '}');
    text_puts(text, "\n");
}

static void write_text(Text* text, const char* path, const BerthCertificateFacts* facts) {
    text_printf(text, "%s: a certificate, version 3; its checksum is correct\n", path);
    text_printf(text, "  %lld segment%s%s%s, %lld records to prove again, %d constant pairs\n",
                (long long)facts->segment_count, facts->segment_count == 1 ? "" : "s",
                facts->interpolation[0] != '\0' ? " with interpolation " : "", facts->interpolation,
                (long long)facts->record_count, (int)facts->constant_count);
    text_printf(text,
                "  claims gaps of more than %.9g m, between links of one robot %.9g m; delta was %g m\n",
                facts->margin, facts->self_margin, facts->delta);
    text_printf(text, "  about %d values and %d bodies\n", (int)facts->value_count, (int)facts->body_count);
    if (facts->moving_count > 0) {
        text_printf(text, "  %d objects that may move %s\n", (int)facts->moving_count,
                    facts->moving == BERTH_MOVING_REACH ? "are wherever they can have got to"
                                                        : "are assumed to stand still");
    }

    KeptLine line;
    for (const char* at = facts->lines; next_kept(&at, &line);) {
        if (line.is_file) {
            text_printf(text, "  from %.*s (SHA-256 %.12s...)\n", line.rest_length, line.rest, line.first);
        } else {
            text_printf(text, "  assumes %.*s: %.*s\n", line.rest_length, line.rest, line.first_length,
                        line.first);
        }
    }
    text_puts(text, "  to verify it: berth path SCENE TRAJECTORY --verify, or tools/verify_certificate.py\n");
}

int info_describe_certificate(const Options* options, const BerthIoOptions* io, const Warnings* warnings,
                              const char* path, Text* text, bool* assumed) {
    BerthCertificateFacts facts;
    const BerthStatus status = berth_io_read_certificate_facts(path, io, &facts);
    if (status != BERTH_OK) {
        return cli_report_failure(status);
    }

    *assumed = *assumed || (facts.lines != NULL && (strncmp(facts.lines, "assumed ", 8) == 0 ||
                                                    strstr(facts.lines, "\nassumed ") != NULL));
    if (options->json) {
        write_json(text, path, &facts, warnings);
    } else {
        write_text(text, path, &facts);
    }
    berth_io_free_certificate_facts(&facts);
    return EXIT_FREE;
}
