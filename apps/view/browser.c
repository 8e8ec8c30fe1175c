// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Other programs: the user's browser, which is started and left alone, and a headless one that makes a picture of a page.
// Entries: view_open_browser, view_take_picture.

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/files.h"
#include "view/view.h"

extern char** environ;

// Starts a program found in PATH, without output; -1 if that fails.
static pid_t start_program(const char* const* arguments) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    // In its own process group: Ctrl-C is for berth only, and ending the program ends its children, too.
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);

    pid_t child = -1;
    if (posix_spawnp(&child, arguments[0], &actions, &attributes, (char* const*)(uintptr_t)arguments,
                     environ) != 0) {
        child = -1;
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    return child;
}

bool view_open_browser(const char* address) {
    const char* display = getenv("DISPLAY");
    const char* wayland = getenv("WAYLAND_DISPLAY");
    if ((display == NULL || display[0] == '\0') && (wayland == NULL || wayland[0] == '\0')) {
        return false;
    }
    const char* const arguments[] = {"xdg-open", address, NULL};
    return start_program(arguments) > 0;
}

// ---- pictures ----------------------------------------------------------------------------------------------------

static const double PICTURE_SECONDS = 120.0;

// True if it ended successfully and in time.
static bool wait_for(pid_t child) {
    const double deadline = cli_seconds() + PICTURE_SECONDS;
    int state = 0;
    while (cli_seconds() < deadline && !cli_interrupted()) {
        const pid_t ended = waitpid(child, &state, WNOHANG);
        if (ended == child) {
            return WIFEXITED(state) && WEXITSTATUS(state) == 0;
        }
        if (ended < 0 && errno != EINTR) {
            return false;
        }
        const struct timespec moment = {0, 50000000};
        (void)nanosleep(&moment, NULL);
    }

    (void)kill(-child, SIGKILL);
    (void)waitpid(child, &state, 0);
    return false;
}

static bool run_headless(const char* program, const char* folder, const char* page, const char* picture) {
    char profile[PATH_MAX + 64], address[PATH_MAX + 64], output[PATH_MAX + 64];
    (void)snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", folder);
    (void)snprintf(address, sizeof address, "file://%s#still=1", page);
    (void)snprintf(output, sizeof output, "--screenshot=%s", picture);

    // The page is our own and from disk: no network is needed, and the sandbox needs rights that containers lack.
    const char* const arguments[] = {program,
                                     "--headless=new",
                                     "--no-sandbox",
                                     "--disable-gpu-sandbox",
                                     "--enable-unsafe-swiftshader",
                                     "--hide-scrollbars",
                                     "--no-first-run",
                                     "--disable-background-networking",
                                     "--disable-component-update",
                                     "--disable-sync",
                                     "--disable-quic",
                                     "--disable-dev-shm-usage",
                                     "--window-size=1280,720",
                                     "--virtual-time-budget=8000",
                                     profile,
                                     output,
                                     address,
                                     NULL};
    const pid_t child = start_program(arguments);
    return child > 0 && wait_for(child);
}

static bool read_whole(const char* path, Text* out) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char block[65536];
    size_t size = 0;
    while ((size = fread(block, 1, sizeof block, file)) > 0) {
        text_add(out, block, size);
    }
    const bool is_well = !ferror(file) && !out->failed && out->size > 0;
    (void)fclose(file);
    return is_well;
}

static bool write_whole(const char* path, const Text* text) {
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    const bool wrote = fwrite(text->data, 1, text->size, file) == text->size;
    return fclose(file) == 0 && wrote;
}

static void remove_folder(const char* folder) {
    const char* const arguments[] = {"rm", "-rf", "--", folder, NULL};
    const pid_t child = start_program(arguments);
    if (child > 0) {
        (void)waitpid(child, NULL, 0);
    }
}

static bool is_in_path(const char* program) {
    const char* path = getenv("PATH");
    for (const char* at = path; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ":");
        char whole[PATH_MAX];
        (void)snprintf(whole, sizeof whole, "%.*s/%s", (int)length, at, program);
        if (access(whole, X_OK) == 0) {
            return true;
        }
        at += length + (at[length] == ':' ? 1 : 0);
    }
    return false;
}

static const char* find_browser(void) {
    static const char* const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (is_in_path(names[i])) {
            return names[i];
        }
    }
    return NULL;
}

int view_check_picture(void) {
    return find_browser() != NULL ? EXIT_FREE
                                  : cli_reject("view",
                                               "--png needs chromium, which is not installed (Debian: apt "
                                               "install chromium); --html FILE does "
                                               "not need it");
}

int view_take_picture(const Text* page, Text* out) {
    const char* base = getenv("TMPDIR");
    char folder[PATH_MAX], html[PATH_MAX + 32], png[PATH_MAX + 32];
    (void)snprintf(folder, sizeof folder, "%s/berth-view-XXXXXX",
                   base != NULL && base[0] == '/' ? base : "/tmp");
    if (mkdtemp(folder) == NULL) {
        return files_report_error(folder, "cannot be made");
    }

    (void)snprintf(html, sizeof html, "%s/page.html", folder);
    (void)snprintf(png, sizeof png, "%s/page.png", folder);
    int status = EXIT_FREE;
    if (!write_whole(html, page)) {
        status = files_report_error(html, "cannot be written");
    } else if (!run_headless(find_browser(), folder, html, png) || !read_whole(png, out)) {
        fputs("berth view: chromium made no picture of the page\n", stderr);
        status = cli_interrupted() ? EXIT_INTERRUPTED : EXIT_MACHINE;
    }
    remove_folder(folder);
    return status;
}
