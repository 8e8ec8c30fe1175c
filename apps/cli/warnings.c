// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Warnings: those of one kind become one line on standard error, with their number. Texts are of one kind if they differ
// only in file and line, names and numbers. They are kept back until something else is printed: an error, an answer,
// before long work.
// Entries: warnings_open, warnings_add, warnings_close, warnings_show.

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// The warnings of this run; null before and after it.
static Warnings* open_warnings;

void warnings_open(Warnings* warnings, const Options* options) {
    *warnings = (Warnings){.quiet = options->quiet, .verbose = options->verbose};
    open_warnings = warnings;
}

// ---- kinds -----------------------------------------------------------------------------------------------------

static bool is_space(char c) {
    return c == ' ' || c == ',';
}

// A path, or "FILE:LINE:": a word that contains a slash.
static bool is_path(const char* word) {
    const size_t length = strcspn(word, " ,");
    return memchr(word, '/', length) != NULL;
}

// The text without the parts in which warnings of one kind may differ: the file at its beginning, paths, quoted names,
// numbers.
static void add_kind(Text* out, const char* text) {
    const char* colon = strstr(text, ": ");
    for (const char* at = colon != NULL ? colon + 2 : text; *at != '\0';) {
        const bool begins = at == text || is_space(at[-1]);

        if ((*at == '\'' && begins) || *at == '"') {
            const char* end = strchr(at + 1, *at);
            text_puts(out, "''");
            at = end != NULL ? end + 1 : at + 1;
        } else if (begins && is_path(at)) {
            text_puts(out, "/");
            at += strcspn(at, " ,");
        } else if (isdigit((unsigned char)*at)) {
            text_puts(out, "0");
            at += strspn(at, "0123456789.e+-");
        } else {
            text_add(out, at, 1);
            ++at;
        }
    }

    text_add(out, "", 1);
}

static WarningKind* find_kind(Warnings* warnings, const char* kind) {
    for (int i = 0; i < warnings->kind_count; ++i) {
        if (strcmp(warnings->kinds[i].kind.data, kind) == 0) {
            return &warnings->kinds[i];
        }
    }
    return NULL;
}

// A new kind with its first text; null if memory runs out.
static WarningKind* add_new_kind(Warnings* warnings, Text* kind, const char* text, const char* advice) {
    WarningKind* more = realloc(warnings->kinds, ((size_t)warnings->kind_count + 1) * sizeof *more);
    if (more == NULL) {
        return NULL;
    }
    warnings->kinds = more;

    WarningKind* added = &more[warnings->kind_count];
    *added = (WarningKind){.kind = *kind};
    *kind = (Text){0};
    text_printf(&added->first, "%s%s", text, advice);
    ++warnings->kind_count;
    return added;
}

// ---- what is said ----------------------------------------------------------------------------------------------

void warnings_add(void* user, const char* text) {
    Warnings* warnings = user;
    const char* advice = cli_find_advice(text);
    ++warnings->count;
    text_add(&warnings->kept, text, strlen(text));
    text_add(&warnings->kept, advice, strlen(advice) + 1);

    if (warnings->quiet) {
        return;
    }
    if (warnings->verbose) {
        cli_clear_loading();
        fprintf(stderr, "warning: %s%s\n", text, advice);
        return;
    }

    Text kind = {0};
    add_kind(&kind, text);
    WarningKind* same = kind.failed ? NULL : find_kind(warnings, kind.data);
    if (same == NULL && !kind.failed) {
        same = add_new_kind(warnings, &kind, text, advice);
    }
    if (same != NULL) {
        ++same->count;
    } else {
        cli_clear_loading();
        fprintf(stderr, "warning: %s%s\n", text, advice);
    }
    text_free(&kind);
}

void warnings_show(void) {
    for (int i = 0; open_warnings != NULL && i < open_warnings->kind_count; ++i) {
        WarningKind* kind = &open_warnings->kinds[i];
        const int more = kind->count - kind->shown;
        if (more > 0 && !kind->first.failed) {
            const bool again = kind->shown > 0;
            cli_clear_loading();
            fprintf(stderr, "warning: %.*s", (int)kind->first.size, kind->first.data);
            if (again || more > 1) {
                fprintf(stderr, " (and %d more%s of this kind; --verbose lists them)",
                        again ? more : more - 1, again ? " since" : "");
            }
            fputc('\n', stderr);
        }
        kind->shown = kind->count;
    }
}

void warnings_close(Warnings* warnings) {
    warnings_show();
    open_warnings = NULL;
    for (int i = 0; i < warnings->kind_count; ++i) {
        text_free(&warnings->kinds[i].kind);
        text_free(&warnings->kinds[i].first);
    }
    free(warnings->kinds);
    text_free(&warnings->kept);
}
