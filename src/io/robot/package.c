// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Finds files that files name. A package's file stays inside the package: the real path (links resolved) must
// begin with the package's real path.
// Entry: bi_io_resolve_uri.

#include "io/robot/package.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/syntax/file.h"

enum {
    URI_MAX = 2000,
    FOLDER_ENTRY_MAX = 10000,  // of one folder that is looked through for packages
    PACKAGE_XML_MAX = 1 << 20,
    TRIED_MAX = 1600  // bytes of the list of places, so that the message keeps its beginning
};

typedef struct Search {
    const BerthIoOptions* options;
    Arena* arena;
    const char* uri;
    const char* package;  // NAME
    const char* inside;   // path inside it
    const char* found;    // answer
    bool out_of_memory;
    int machine_error;  // errno of a look that the machine could not do; 0: none
    bool left_package;  // a file was there, but outside of its package
    int32_t tried_count, hidden_count;
    size_t tried_length;
    char tried[TRIED_MAX];
} Search;

static char* join_path(Arena* arena, const char* folder, size_t folder_length, const char* separator,
                       const char* name) {
    const size_t middle = strlen(separator);
    const size_t end = strlen(name);
    char* text = bi_arena_take(arena, folder_length + middle + end + 1, 1);
    if (text != NULL) {
        memcpy(text, folder, folder_length);
        memcpy(text + folder_length, separator, middle);
        memcpy(text + folder_length + middle, name, end);
    }
    return text;
}

// The kind of what is at `path`, 0 when nothing can be found there. A disk that fails is noted: it is not the same as a file
// that is not there.
static mode_t kind_of_file(Search* search, const char* path) {
    struct stat info;
    if (stat(path, &info) == 0) {
        return info.st_mode & S_IFMT;
    }

    const bool absent =
        errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG;
    search->machine_error = absent ? search->machine_error : errno;
    return 0;
}

static bool find_regular_file(Search* search, const char* path) {
    return kind_of_file(search, path) == S_IFREG;
}

static bool find_folder(Search* search, const char* path) {
    return kind_of_file(search, path) == S_IFDIR;
}

static BerthStatus fail_machine(const Search* search) {
    char text[128] = "";
    return bi_fail(BERTH_ERR_SYSTEM, "'%s': cannot be looked for: %s", search->uri,
                   strerror_r(search->machine_error, text, sizeof text));
}

static void note_tried(Search* search, const char* place) {
    const size_t length = strlen(place);
    ++search->tried_count;
    if (search->tried_length + length + 3 > sizeof search->tried) {
        ++search->hidden_count;
        return;
    }

    const char* comma = search->tried_length > 0 ? ", " : "";
    const int n = snprintf(search->tried + search->tried_length, sizeof search->tried - search->tried_length,
                           "%s%s", comma, place);
    search->tried_length += n > 0 ? (size_t)n : 0;
}

static bool is_inside(const char* path, const char* root) {
    char real_path[PATH_MAX], real_root[PATH_MAX];
    if (realpath(path, real_path) == NULL || realpath(root, real_root) == NULL) {
        return false;
    }

    const size_t length = strlen(real_root);
    return strncmp(real_path, real_root, length) == 0 &&
           (real_path[length] == '/' || real_root[length - 1] == '/');
}

// Looks for the file in one package folder. True when the search is over.
static bool try_package(Search* search, const char* root, size_t root_length) {
    const char* folder = bi_arena_copy_text(search->arena, root, root_length);
    const char* path = join_path(search->arena, root, root_length, "/", search->inside);
    if (folder == NULL || path == NULL) {
        search->out_of_memory = true;
        return true;
    }

    note_tried(search, path);
    if (!find_regular_file(search, path)) {
        return search->machine_error != 0;
    }

    search->left_package = !is_inside(path, folder);
    search->found = path;
    return true;
}

// True when the text between <name> and </name> of FOLDER/package.xml is NAME.
static bool check_package_name(Search* search, const char* folder, size_t folder_length) {
    const char* path = join_path(search->arena, folder, folder_length, "/", "package.xml");
    if (path == NULL) {
        search->out_of_memory = true;
        return false;
    }

    FileBytes file = {0};
    if (!find_regular_file(search, path)) {
        return false;
    }
    const BerthStatus status = bi_io_read_file(path, PACKAGE_XML_MAX, search->options, &file);
    if (status != BERTH_OK) {
        search->out_of_memory |= status == BERTH_ERR_MEMORY;
        search->machine_error = status == BERTH_ERR_SYSTEM ? EIO : search->machine_error;
        return false;
    }

    bool same = false;
    const char* start = strstr(file.data, "<name>");
    if (start != NULL) {
        start += strlen("<name>");
        start += strspn(start, " \t\r\n");
        const size_t length = strcspn(start, " \t\r\n<");
        same = length == strlen(search->package) && memcmp(start, search->package, length) == 0;
    }

    bi_io_free_file(&file);
    return same;
}

// FOLDER/NAME, or FOLDER itself when its package.xml says so.
static bool try_folder(Search* search, const char* folder, size_t length) {
    const char* inner = join_path(search->arena, folder, length, "/", search->package);
    if (inner == NULL) {
        search->out_of_memory = true;
        return true;
    }
    if (try_package(search, inner, strlen(inner))) {
        return true;
    }
    return check_package_name(search, folder, length) && try_package(search, folder, length);
}

// The packages one level further down: FOLDER/*/NAME. The first in alphabetical order is taken, so that the answer does
// not depend on the file system.
static bool try_subfolders(Search* search, const char* folder, size_t length) {
    const char* path = bi_arena_copy_text(search->arena, folder, length);
    const char* pattern =
        path != NULL ? join_path(search->arena, folder, length, "/*/", search->package) : NULL;
    if (pattern == NULL) {
        search->out_of_memory = true;
        return true;
    }

    note_tried(search, pattern);
    DIR* listing = opendir(path);
    if (listing == NULL) {
        return false;
    }

    char best[PATH_MAX] = "";
    int count = 0;
    for (struct dirent* entry = readdir(listing); entry != NULL && count < FOLDER_ENTRY_MAX;
         entry = readdir(listing), ++count) {
        char root[PATH_MAX];
        const int n = snprintf(root, sizeof root, "%s/%s/%s", path, entry->d_name, search->package);
        const bool has_room = n > 0 && (size_t)n < sizeof root;
        if (entry->d_name[0] == '.' || !has_room || !find_folder(search, root)) {
            continue;
        }

        if (best[0] == '\0' || strcmp(root, best) < 0) {
            memcpy(best, root, (size_t)n + 1);
        }
    }

    closedir(listing);
    return best[0] != '\0' && try_package(search, best, strlen(best));
}

static bool search_options(Search* search) {
    const size_t name_length = strlen(search->package);
    for (int32_t i = 0; i < search->options->package_count; ++i) {
        const char* entry = search->options->packages[i];
        if (strncmp(entry, search->package, name_length) == 0 && entry[name_length] == '=') {
            const char* folder = entry + name_length + 1;
            if (try_package(search, folder, strlen(folder))) {
                return true;
            }
        }
    }
    return false;
}

static bool search_ros_paths(Search* search) {
    const char* list = getenv("ROS_PACKAGE_PATH");
    for (const char* at = list; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        if (length > 0 && (try_folder(search, at, length) || try_subfolders(search, at, length))) {
            return true;
        }
        at += length + (at[length] == ':');
    }

    // ROS 2 installs each package below PREFIX/share.
    list = getenv("AMENT_PREFIX_PATH");
    for (const char* at = list; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        const char* share = join_path(search->arena, at, length, "/share/", search->package);
        if (share == NULL) {
            search->out_of_memory = true;
            return true;
        }

        if (length > 0 && try_package(search, share, strlen(share))) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

static bool search_ancestors(Search* search, const char* folder) {
    char real[PATH_MAX];
    if (realpath(folder, real) == NULL) {
        return false;
    }

    for (size_t length = strlen(real); length > 0;) {
        size_t parent = length;
        while (parent > 0 && real[parent - 1] != '/') {
            --parent;
        }
        const size_t name_length = length - parent;
        const bool named = name_length == strlen(search->package) &&
                           memcmp(real + parent, search->package, name_length) == 0;
        if ((named && try_package(search, real, length)) || try_folder(search, real, length)) {
            return true;
        }

        length = parent > 0 ? parent - 1 : 0;
    }
    return false;
}

static BerthStatus find_in_package(Search* search, const char* folder) {
    const char* slash = strchr(search->package, '/');
    const size_t name_length = slash != NULL ? (size_t)(slash - search->package) : 0;
    if (name_length == 0 || slash[1] == '\0' || search->package[0] == '.') {
        return bi_fail(BERTH_ERR_PARSE, "'%s': must be package://NAME/path", search->uri);
    }

    search->inside = slash + 1;
    search->package = bi_arena_copy_text(search->arena, search->package, name_length);
    if (search->package == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "out of memory");
    }

    const bool over = search_options(search) || search_ros_paths(search) || search_ancestors(search, folder);
    if (search->out_of_memory) {
        return bi_fail(BERTH_ERR_MEMORY, "out of memory");
    }

    if (search->machine_error != 0) {
        return fail_machine(search);
    }

    if (over && search->left_package) {
        return bi_fail(BERTH_ERR_PARSE, "'%s': %s is outside of its package '%s'", search->uri, search->found,
                       search->package);
    }

    if (!over && search->hidden_count > 0) {
        return bi_fail(BERTH_ERR_PARSE, "'%s': no such file; tried %s and %d more", search->uri,
                       search->tried, search->hidden_count);
    }
    if (!over) {
        return bi_fail(BERTH_ERR_PARSE, "'%s': no such file; tried %s", search->uri, search->tried);
    }
    return BERTH_OK;
}

static BerthStatus find_file(Search* search, const char* path) {
    if (path == NULL) {
        return bi_fail(BERTH_ERR_MEMORY, "out of memory");
    }
    const mode_t kind = kind_of_file(search, path);
    if (search->machine_error != 0) {
        return fail_machine(search);
    }
    if (kind != S_IFREG) {
        const char* what = kind != 0 ? "not a regular file" : "no such file";
        return bi_fail(BERTH_ERR_PARSE, "'%s': %s; tried %s", search->uri, what, path);
    }
    search->found = path;
    return BERTH_OK;
}

static bool starts_with(const char* text, const char* start) {
    return strncmp(text, start, strlen(start)) == 0;
}

static BerthStatus check_uri(const char* uri) {
    if (uri[0] == '\0') {
        return bi_fail(BERTH_ERR_PARSE, "a file name is empty");
    }
    if (strlen(uri) > URI_MAX) {
        return bi_fail(BERTH_ERR_PARSE, "a file name is longer than %d bytes", URI_MAX);
    }
    for (const char* at = uri; *at != '\0'; ++at) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            return bi_fail(BERTH_ERR_PARSE, "a file name holds a control character (%d)", *at);
        }
    }
    return BERTH_OK;
}

BerthStatus bi_io_resolve_uri(const char* uri, const char* referring_file, const BerthIoOptions* options,
                              Arena* arena, const char** path) {
    *path = NULL;
    BerthStatus status = check_uri(uri);
    if (status != BERTH_OK) {
        return status;
    }

    const char* slash = strrchr(referring_file, '/');
    const size_t folder_length = slash != NULL ? (size_t)(slash - referring_file) + 1 : 0;
    Search search = {.options = options, .arena = arena, .uri = uri};

    if (starts_with(uri, "package://") || starts_with(uri, "model://")) {
        const char* folder =
            folder_length > 0 ? bi_arena_copy_text(arena, referring_file, folder_length) : ".";
        search.package = strstr(uri, "://") + 3;
        if (search.package[0] == '/' && search.package[1] != '/') {
            ++search.package;  // TALOS has such names, and ROS takes them
            bi_io_warn(options, "%s: '%s': package:///NAME is taken as package://NAME", referring_file, uri);
        }
        if (folder != NULL) {
            status = find_in_package(&search, folder);
        } else {
            status = bi_fail(BERTH_ERR_MEMORY, "out of memory");
        }
    } else if (starts_with(uri, "file://")) {
        const char* plain = uri + strlen("file://");
        if (starts_with(plain, "localhost/")) {
            plain += strlen("localhost");
        }
        if (plain[0] != '/') {
            return bi_fail(BERTH_ERR_PARSE, "'%s': must be file:///path", uri);
        }
        status = find_file(&search, bi_arena_copy_text(arena, plain, strlen(plain)));
    } else if (strstr(uri, "://") != NULL) {
        return bi_fail(BERTH_ERR_PARSE, "'%s': must be package://, model://, file:// or a path", uri);
    } else if (uri[0] == '/') {
        status = find_file(&search, bi_arena_copy_text(arena, uri, strlen(uri)));
    } else {
        status = find_file(&search, join_path(arena, referring_file, folder_length, "", uri));
    }

    *path = status == BERTH_OK ? search.found : NULL;
    return status;
}
