// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Memory from the caller: a counting allocator shows what a scene and a checker hold, that queries take nothing,
// and that everything comes back.
//     own_allocator [SCENE]

#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Count {
    size_t bytes, most, calls;
} Count;

static void* count_take(void* user, size_t size, size_t align) {
    Count* count = user;
    const size_t rounded = (size + align - 1) / align * align;
    void* block = aligned_alloc(align < sizeof(void*) ? sizeof(void*) : align, rounded > 0 ? rounded : align);
    if (block != NULL) {
        count->bytes += size;
        count->calls += 1;
        count->most = count->bytes > count->most ? count->bytes : count->most;
    }
    return block;
}

static void count_give(void* user, void* block, size_t size) {
    Count* count = user;
    if (block != NULL) {
        count->bytes -= size;
        free(block);
    }
}

int main(int argc, char** argv) {
    const char* path = argc > 1 ? argv[1] : "build/models/two_arms/cell.yaml";
    Count count = {0};
    BerthIoOptions options = berth_default_io_options();
    options.allocator = (BerthAllocator){.take = count_take, .give = count_give, .user = &count};
    BerthCheckerDef def = berth_default_checker_def();
    def.allocator = options.allocator;

    BerthScene* scene = NULL;
    BerthChecker* checker = NULL;
    BerthStatus status = berth_io_read_scene(path, &options, &scene);
    if (status == BERTH_OK) {
        printf("scene:   %zu bytes (%zu at most while it was read, %zu calls)\n", count.bytes, count.most,
               count.calls);
        const size_t before = count.bytes;
        status = berth_checker_create(scene, &def, &checker);
        printf("checker: %zu bytes\n", count.bytes - before);
    }
    const size_t calls = count.calls;
    for (int i = 0; status == BERTH_OK && i < 1000; ++i) {
        const BerthCheckRequest request = {.distance = true};
        BerthCheckResult result;
        status = berth_check_state(checker, berth_scene_values(scene), &request, &result);
    }
    const size_t in_queries = count.calls - calls;
    printf("1000 queries: %zu calls\n", in_queries);
    if (status != BERTH_OK) {
        fprintf(stderr, "%s\n", berth_error_text());
    }
    berth_checker_destroy(checker);
    berth_scene_destroy(scene);
    printf("left behind: %zu bytes\n", count.bytes);
    return status != BERTH_OK ? 2 : count.bytes == 0 && in_queries == 0 ? 0 : 1;
}
