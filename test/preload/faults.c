// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Loaded before the program (LD_PRELOAD) by test_cli_faults.c: from `main` on, the n-th call of a kind fails, and all
// later ones of it when the number is followed by "+". BERTH_FAIL_MEMORY counts allocations, BERTH_FAIL_FILE calls that
// open, read, write, sync or rename. With BERTH_FAIL_TOTAL=FILE the numbers of both are written there at the end.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// glibc's own names for what is replaced here: dlsym may itself allocate.
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* old, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

typedef struct Fault {
    atomic_long calls;
    long at;  // 0: never
    bool on;  // and every later one
} Fault;

static Fault memory_fault, file_fault;
static atomic_bool armed;

static bool fails(Fault* fault) {
    if (!atomic_load(&armed)) {
        return false;
    }
    const long call = atomic_fetch_add(&fault->calls, 1) + 1;
    return fault->at > 0 && (call == fault->at || (fault->on && call > fault->at));
}

static void read_fault(Fault* fault, const char* name) {
    const char* text = getenv(name);
    if (text != NULL) {
        fault->at = strtol(text, NULL, 10);
        fault->on = strchr(text, '+') != NULL;
    }
}

void* malloc(size_t size) {
    if (fails(&memory_fault)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
    if (fails(&memory_fault)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
    if (fails(&memory_fault)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
    if (fails(&memory_fault)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** out, size_t alignment, size_t size) {
    if (fails(&memory_fault)) {
        return ENOMEM;
    }
    *out = __libc_memalign(alignment, size);
    return *out == NULL ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
    static int (*real)(const char*, int, ...);
    if (real == NULL) {
        *(void**)&real = dlsym(RTLD_NEXT, "open");
    }
    va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (fails(&file_fault)) {
        errno = EMFILE;
        return -1;
    }
    return real(path, flags, mode);
}

ssize_t read(int file, void* bytes, size_t size) {
    static ssize_t (*real)(int, void*, size_t);
    if (real == NULL) {
        *(void**)&real = dlsym(RTLD_NEXT, "read");
    }
    if (fails(&file_fault)) {
        errno = EIO;
        return -1;
    }
    return real(file, bytes, size);
}

// Half of it is written, as on a disk that is full.
ssize_t write(int file, const void* bytes, size_t size) {
    static ssize_t (*real)(int, const void*, size_t);
    if (real == NULL) {
        *(void**)&real = dlsym(RTLD_NEXT, "write");
    }
    if (fails(&file_fault)) {
        (void)real(file, bytes, size / 2);
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, size);
}

int fsync(int file) {
    static int (*real)(int);
    if (real == NULL) {
        *(void**)&real = dlsym(RTLD_NEXT, "fsync");
    }
    if (fails(&file_fault)) {
        errno = EIO;
        return -1;
    }
    return real(file);
}

int rename(const char* from, const char* to) {
    static int (*real)(const char*, const char*);
    if (real == NULL) {
        *(void**)&real = dlsym(RTLD_NEXT, "rename");
    }
    if (fails(&file_fault)) {
        errno = EIO;
        return -1;
    }
    return real(from, to);
}

static int (*program_main)(int, char**, char**);

static void write_total(void) {
    atomic_store(&armed, false);
    const char* path = getenv("BERTH_FAIL_TOTAL");
    FILE* file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%ld %ld\n", atomic_load(&memory_fault.calls), atomic_load(&file_fault.calls));
        (void)fclose(file);
    }
}

static int watched_main(int argc, char** argv, char** environment) {
    read_fault(&memory_fault, "BERTH_FAIL_MEMORY");
    read_fault(&file_fault, "BERTH_FAIL_FILE");
    (void)atexit(write_total);
    atomic_store(&armed, true);
    return program_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end);
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
    int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void),
                void*);
    *(void**)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return real(watched_main, argc, argv, init, fini, rtld_fini, stack_end);
}
