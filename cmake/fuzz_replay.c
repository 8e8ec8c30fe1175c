// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Feeds every file of a corpus folder to a fuzz target once, with any compiler and no fuzzing engine.
// usage: replay_NAME FOLDER_OR_FILE...

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static size_t file_count;

// The input is an exact-size heap block, so that a sanitizer sees a read of one byte too many.
static int feed_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot open\n", path);
        return 1;
    }
    struct stat info;
    const size_t size = fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0;
    uint8_t* data = malloc(size > 0 ? size : 1);
    if (data == NULL || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot read\n", path);
        free(data);
        fclose(file);
        return 1;
    }
    fclose(file);
    fprintf(stderr, "replay %s\n", path);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    ++file_count;
    return 0;
}

static int feed(const char* path) {
    DIR* folder = opendir(path);
    if (folder == NULL) {
        struct stat info;
        return stat(path, &info) == 0 ? feed_file(path) : 0;  // a corpus that does not exist yet is empty
    }
    int failed = 0;
    for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inner[4096];
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.' && length > 0 && (size_t)length < sizeof inner) {
            failed |= feed(inner);
        }
    }
    closedir(folder);
    return failed;
}

int main(int argc, char** argv) {
    uint8_t* nothing = calloc(1, 1);
    if (nothing == NULL) {
        return 1;
    }
    LLVMFuzzerTestOneInput(nothing, 0);
    free(nothing);
    int failed = 0;
    for (int i = 1; i < argc; ++i) {
        failed |= feed(argv[i]);
    }
    printf("%zu files replayed\n", file_count);
    printf("%d passed, %d failed\n", failed == 0, failed != 0);
    return failed;
}
