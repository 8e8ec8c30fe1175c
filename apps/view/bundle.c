// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The files of the page, which are embedded in the program: nothing is read from disk, and no address is ever appended to
// a path. CMake defines VIEW_HAS_BUNDLE and writes view_bundle.c, which holds what ./dev build made in apps/viewer/dist,
// if it did.

#include <string.h>

#include "view/view.h"

#if VIEW_HAS_BUNDLE
// In view_bundle.c: where each file begins and ends.
extern const unsigned char view_index_html[], view_index_html_end[];
extern const unsigned char view_app_js[], view_app_js_end[];
extern const unsigned char view_app_css[], view_app_css_end[];
#else

// The page that is served if the real one was not built.
static const char plain_page[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>berth view</title></head><body>\n"
    "<h1>berth view</h1>\n"
    "<p>This program was built without its page: Node.js was not there. Install nodejs and npm, run\n"
    "<code>./dev build</code> again, and start <code>berth view</code> anew.</p>\n"
    "<p>The checker behind it runs: docs/reference/view.md has its protocol.</p></body></html>\n";
#endif

bool view_has_bundle(void) {
    return VIEW_HAS_BUNDLE != 0;
}

static ViewFile file_between(const char* name, const char* type, const unsigned char* begin,
                             const unsigned char* end) {
    return (ViewFile){name, type, begin, (size_t)(end - begin)};
}

bool view_find_file(const char* name, ViewFile* out) {
    const ViewFile files[] = {
#if VIEW_HAS_BUNDLE
        file_between("/", "text/html; charset=utf-8", view_index_html, view_index_html_end),
        file_between("/app.js", "text/javascript; charset=utf-8", view_app_js, view_app_js_end),
        file_between("/app.css", "text/css; charset=utf-8", view_app_css, view_app_css_end),
#else
        file_between("/", "text/html; charset=utf-8", (const unsigned char*)plain_page,
                     (const unsigned char*)plain_page + sizeof plain_page - 1),
#endif
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        if (strcmp(files[i].name, name) == 0) {
            *out = files[i];
            return true;
        }
    }
    return false;
}
