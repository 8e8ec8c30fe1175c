// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Help texts in readable lines: as wide as the terminal, at most 100 columns, and 100 if there is no terminal.
// Entry: cli_print_help_text.

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

enum {
    WIDEST = 100,
    NARROWEST = 60,
    OPTION_COLUMN = 32,   // where the description of an option begins
    FULL_COLUMNS = 108,   // the texts in the sources are wrapped by hand near 120
    DEEPEST_INDENT = 40,  // of continuation lines below a two-column line
};

static int line_width(FILE* stream) {
    struct winsize size;
    const int file = fileno(stream);
    if (file < 0 || isatty(file) == 0 || ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return WIDEST;
    }
    if (size.ws_col < NARROWEST) {
        return NARROWEST;
    }
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

// Prints the words of `text`, the first at `column`; words that do not fit continue on a new line at `indent`. Spaces
// between words on the same line are kept. Returns the column after the last word.
static int print_words(FILE* stream, const char* text, size_t length, int column, int indent, int width) {
    bool is_first = true;
    for (size_t at = 0; at < length;) {
        const size_t gap = strspn(text + at, " ");
        const size_t word = strcspn(text + at + gap, " \n");
        if (at + gap >= length) {
            break;
        }

        if (!is_first && column + (int)(gap + word) > width) {
            fprintf(stream, "\n%*s%.*s", indent, "", (int)word, text + at + gap);
            column = indent + (int)word;
        } else {
            fprintf(stream, "%.*s", (int)(gap + word), text + at);
            column += (int)(gap + word);
        }
        is_first = false;
        at += gap + word;
    }
    return column;
}

// A continuation of an indented line begins under its second column, if it has two; else four columns further in.
static int indent_below(const char* line, size_t length) {
    const size_t begin = strspn(line, " ");
    if (begin == 0) {
        return line[0] == '{' ? 4 : 0;
    }
    for (size_t at = begin; at + 2 < length && at < DEEPEST_INDENT - 2; ++at) {
        if (line[at] == ' ' && line[at + 1] == ' ') {
            const size_t second = at + strspn(line + at, " ");
            return second <= DEEPEST_INDENT ? (int)second : (int)begin + 4;
        }
    }
    return (int)begin + 4;
}

// A full line and the next line belong to one paragraph; indented lines and examples of JSON do not.
static bool goes_on(const char* line, size_t length, const char* next) {
    const bool alone =
        line[0] == ' ' || line[0] == '{' || next[0] == ' ' || next[0] == '{' || next[0] == '\n';
    return !alone && next[0] != '\0' && length + 1 + strcspn(next, " \n") > FULL_COLUMNS;
}

void cli_print_help_text(FILE* stream, const char* text) {
    const int width = line_width(stream);
    while (*text != '\0') {
        const char* line = text;
        size_t length = strcspn(line, "\n");
        const int indent = indent_below(line, length);
        int column = print_words(stream, line, length, 0, indent, width);
        text = line + length + (line[length] == '\n');

        // The rest of the paragraph.
        while (goes_on(line, length, text)) {
            line = text;
            length = strcspn(line, "\n");
            const size_t word = strcspn(line, " \n");
            if (column + 1 + (int)word <= width) {
                fputc(' ', stream);
                ++column;
            } else {
                fprintf(stream, "\n%*s", indent, "");
                column = indent;
            }
            column = print_words(stream, line, length, column, indent, width);
            text = line + length + (line[length] == '\n');
        }
        fputc('\n', stream);
    }
}

void cli_print_help_option(FILE* stream, const char* left, const char* words) {
    const int width = line_width(stream);
    int column = fprintf(stream, "  %-29s", left) + 1;

    // The description of a long name is printed below it, unless it fits beside it.
    if (column > OPTION_COLUMN && column + (int)strlen(words) > width) {
        fprintf(stream, "\n%*s", OPTION_COLUMN, "");
        column = OPTION_COLUMN;
    } else {
        fputc(' ', stream);
    }
    (void)print_words(stream, words, strlen(words), column, OPTION_COLUMN, width);
    fputc('\n', stream);
}
