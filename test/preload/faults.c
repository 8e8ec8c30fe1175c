// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Loaded before the program (LD_PRELOAD) by test_cli_faults.c: from `main` on, the n-th call of a kind fails, and all
// later ones of it when the number is followed by "+". BERTH_FAIL_MEMORY counts allocations, BERTH_FAIL_FILE calls that
// open, read, write, sync, close, look at, link or rename. With BERTH_FAIL_TOTAL=FILE the numbers of both are written
// there at the end.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// ---- files -----------------------------------------------------------------------------------------------------

static void* next_function(const char* name) {
    return dlsym(RTLD_NEXT, name);
}
#define NEXT(result, name, ...)                \
    static result (*real)(__VA_ARGS__);        \
    if (real == NULL) {                        \
        *(void**)&real = next_function(#name); \
    }

// What happens to the n-th call, by BERTH_FAIL_HOW: an errno that suits it, "EINTR" (calls that know it), "short" (half of
// what was asked for is read or written, without an error), "EIO" (every call), or "kill": the program ends here.
static const char* how = "";

static bool is_how(const char* name) {
    return strcmp(how, name) == 0;
}

// Does this call fail? Then errno is set. `waits`: it can be interrupted by a signal.
static bool file_call_fails(int code, bool waits) {
    if (!fails(&file_fault)) {
        return false;
    }
    if (is_how("kill")) {
        (void)kill(getpid(), SIGKILL);
    }

    if (is_how("short") || (is_how("EINTR") && !waits)) {
        return false;
    }
    errno = is_how("EIO") ? EIO : code;
    errno = is_how("EINTR") ? EINTR : errno;
    return true;
}

// What this file system cannot do, of "tmpfile", "exchange", "noreplace" and "link".
static bool lacks(const char* what) {
    const char* list = getenv("BERTH_LACKS");
    return list != NULL && strstr(list, what) != NULL;
}

int open(const char* path, int flags, ...) {
    NEXT(int, open, const char*, int, ...)
    va_list more;
    va_start(more, flags);
    const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    const mode_t mode = makes ? va_arg(more, mode_t) : 0;
    va_end(more);

    if ((flags & O_TMPFILE) == O_TMPFILE && lacks("tmpfile")) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return file_call_fails(EMFILE, true) ? -1 : real(path, flags, mode);
}

static size_t shorter(size_t size) {
    const long call = atomic_load(&file_fault.calls);
    const bool now = is_how("short") && atomic_load(&armed) && file_fault.at > 0 &&
                     (call + 1 == file_fault.at || (file_fault.on && call + 1 > file_fault.at));
    return now && size > 1 ? size / 2 : size;
}

ssize_t read(int file, void* bytes, size_t size) {
    NEXT(ssize_t, read, int, void*, size_t)
    const size_t wanted = shorter(size);
    return file_call_fails(EIO, true) ? -1 : real(file, bytes, wanted);
}

// Half of it is written, as on a disk that is full.
ssize_t write(int file, const void* bytes, size_t size) {
    NEXT(ssize_t, write, int, const void*, size_t)
    const size_t wanted = shorter(size);
    if (file_call_fails(ENOSPC, true)) {
        if (!is_how("EINTR")) {
            const int code = errno;
            (void)!real(file, bytes, size / 2);
            errno = code;
        }
        return -1;
    }
    return real(file, bytes, wanted);
}

ssize_t pread(int file, void* bytes, size_t size, off_t at) {
    NEXT(ssize_t, pread, int, void*, size_t, off_t)
    const size_t wanted = shorter(size);
    return file_call_fails(EIO, true) ? -1 : real(file, bytes, wanted, at);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t at) {
    NEXT(ssize_t, pwrite, int, const void*, size_t, off_t)
    const size_t wanted = shorter(size);
    if (file_call_fails(ENOSPC, true)) {
        if (!is_how("EINTR")) {
            const int code = errno;
            (void)!real(file, bytes, size / 2, at);
            errno = code;
        }
        return -1;
    }
    return real(file, bytes, wanted, at);
}

int ftruncate(int file, off_t size) {
    NEXT(int, ftruncate, int, off_t)
    return file_call_fails(EIO, true) ? -1 : real(file, size);
}

int fsync(int file) {
    NEXT(int, fsync, int)
    return file_call_fails(EIO, true) ? -1 : real(file);
}

int fchmod(int file, mode_t mode) {
    NEXT(int, fchmod, int, mode_t)
    return file_call_fails(EIO, false) ? -1 : real(file, mode);
}

// Closed in any case, as Linux does.
int close(int file) {
    NEXT(int, close, int)
    const int status = real(file);
    return file_call_fails(EIO, true) ? -1 : status;
}

int link(const char* from, const char* to) {
    NEXT(int, link, const char*, const char*)
    if (lacks("link")) {
        errno = EPERM;
        return -1;
    }
    return file_call_fails(EIO, false) ? -1 : real(from, to);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
    NEXT(int, linkat, int, const char*, int, const char*, int)
    if (lacks("link")) {
        errno = EPERM;
        return -1;
    }
    return file_call_fails(ENOSPC, false) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) {
    NEXT(int, rename, const char*, const char*)
    return file_call_fails(EIO, false) ? -1 : real(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
    NEXT(int, renameat2, int, const char*, int, const char*, unsigned)
    if ((flags == RENAME_EXCHANGE && lacks("exchange")) ||
        (flags == RENAME_NOREPLACE && lacks("noreplace"))) {
        errno = EINVAL;
        return -1;
    }
    return file_call_fails(EIO, false) ? -1 : real(from_folder, from, to_folder, to, flags);
}

// Only counts where the program is killed: what cannot be removed is left, and that is no fault of anybody.
int unlink(const char* path) {
    NEXT(int, unlink, const char*)
    return is_how("kill") && file_call_fails(EIO, false) ? -1 : real(path);
}

int stat(const char* path, struct stat* out) {
    NEXT(int, stat, const char*, struct stat*)
    return file_call_fails(EIO, false) ? -1 : real(path, out);
}

int lstat(const char* path, struct stat* out) {
    NEXT(int, lstat, const char*, struct stat*)
    return file_call_fails(EIO, false) ? -1 : real(path, out);
}

int fstat(int file, struct stat* out) {
    NEXT(int, fstat, int, struct stat*)
    return file_call_fails(EIO, false) ? -1 : real(file, out);
}

// ---- the program -----------------------------------------------------------------------------------------------

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
    how = getenv("BERTH_FAIL_HOW") != NULL ? getenv("BERTH_FAIL_HOW") : "";
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
