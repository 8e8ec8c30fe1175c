// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the reader may not do. Limits of time and memory hold everywhere. With seccomp it can only use its
// socket and request memory; with Landlock no file can be opened. Either may be missing in a kernel or
// forbidden in a container; the other limits then hold. Under sanitizers memory and system calls are not
// limited, since sanitizers need both themselves.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // close_range
#endif

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/reader/reader.h"

#if !defined(READER_SANITIZED)
#define READER_SANITIZED 0
#endif

#if defined(__x86_64__)
#define READER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define READER_ARCH AUDIT_ARCH_AARCH64
#endif

bool reader_drop_privileges(void) {
    // Descriptors that the caller's program left open for its children.
    (void)close_range(READER_SOCKET + 1, ~0U, 0);

    // Ends with the thread that waits for us; no core, no debugger, no rights by set-user-ID programs.
    return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

// Never more than was allowed already.
static bool set_limit(int what, uint64_t most) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)what, &limit) != 0) {
        return false;
    }
    const rlim_t wanted = (rlim_t)most;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max ? wanted : limit.rlim_max;
    // Processor time: a signal that is told at the lower limit, the end without one a second later.
    const rlim_t hard = what == RLIMIT_CPU ? limit.rlim_cur + 1 : limit.rlim_cur;
    limit.rlim_max = limit.rlim_max == RLIM_INFINITY || hard < limit.rlim_max ? hard : limit.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

// Every access to files is handled, and no rule allows any.
static void forbid_files(void) {
#if defined(__NR_landlock_create_ruleset) && defined(__NR_landlock_restrict_self)
    const struct landlock_ruleset_attr rules = {.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    const long set = syscall(__NR_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set >= 0) {
        (void)syscall(__NR_landlock_restrict_self, (int)set, 0);
        (void)close((int)set);
    }
#endif
}

#if defined(READER_ARCH) && !READER_SANITIZED

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define ALLOW_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), ALLOW

// With this first argument only.
#define ALLOW_WITH(number, value)                                       \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 4), LOAD(args[0]), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 1, 0), REFUSE, ALLOW

// Memory that can be run is refused; the third argument says so, its lower half on these machines first.
#define ALLOW_UNLESS_RUN(number)                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 4), LOAD(args[2]), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), REFUSE, ALLOW

static void forbid_calls(void) {
    struct sock_filter filter[] = {
        // Another machine's calls have other numbers.
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, READER_ARCH, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),

        // What is open already, and memory.
        LOAD(nr),
        ALLOW_CALL(__NR_read),
        ALLOW_CALL(__NR_write),
        ALLOW_CALL(__NR_close),
        ALLOW_CALL(__NR_brk),
        ALLOW_CALL(__NR_munmap),
        ALLOW_CALL(__NR_mremap),
        ALLOW_CALL(__NR_madvise),
        ALLOW_UNLESS_RUN(__NR_mmap),
        ALLOW_UNLESS_RUN(__NR_mprotect),

        // What the C library does on its own: locks, times, the end, also by a signal to itself.
        ALLOW_CALL(__NR_futex),
        ALLOW_CALL(__NR_exit),
        ALLOW_CALL(__NR_exit_group),
        ALLOW_CALL(__NR_rt_sigreturn),
        ALLOW_CALL(__NR_rt_sigprocmask),
        ALLOW_CALL(__NR_rt_sigaction),
        ALLOW_CALL(__NR_getpid),
        ALLOW_CALL(__NR_gettid),
        ALLOW_WITH(__NR_tgkill, (uint32_t)getpid()),  // abort, and nobody else
        ALLOW_CALL(__NR_clock_gettime),
        ALLOW_CALL(__NR_getrandom),
        ALLOW_CALL(__NR_sched_yield),
        REFUSE,
    };

    const struct sock_fprog program = {.len = (unsigned short)(sizeof filter / sizeof filter[0]),
                                       .filter = filter};
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

static void forbid_calls(void) {}

#endif

bool reader_set_limits(uint64_t memory, uint32_t seconds) {
    const bool limited = (READER_SANITIZED || set_limit(RLIMIT_AS, memory)) &&
                         set_limit(RLIMIT_CPU, seconds) && set_limit(RLIMIT_FSIZE, 0) &&
                         set_limit(RLIMIT_CORE, 0) && (READER_SANITIZED || set_limit(RLIMIT_NPROC, 0));
    forbid_files();
    forbid_calls();
    return limited;
}
