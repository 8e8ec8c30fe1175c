// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Meshes that a program of its own reads: whatever that program does, the caller gets triangles that are sound or an error that
// says what happened, nobody is left behind and no descriptor is lost. And the program cannot do what it has no business to.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/reader/reader.h"
#include "mesh/mesh.h"
#include "support/program.h"
#include "support/setting.h"

#if defined(BERTH_HAS_READER)

static const char g_ply[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement "
    "face 4\n"
    "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 "
    "3\n3 0 3 "
    "2\n";

static const char* ply_file(void) {
    const char* path = program_temporary("a.ply");
    assert_true(program_write_text(path, g_ply));
    return path;
}

static int count_descriptors(void) {
    DIR* folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    int count = 0;
    while (readdir(folder) != NULL) {
        ++count;
    }
    closedir(folder);
    return count;
}

static void must_be_alone(void) {
    const pid_t child = waitpid(-1, NULL, WNOHANG);
    assert_true(child < 0 && errno == ECHILD);
}

static BerthStatus read_mesh(const char* path, const BerthIoOptions* options) {
    BerthMesh* mesh = NULL;
    const BerthStatus status = berth_io_read_mesh(path, v3(1, 1, 1), options, &mesh);
    if (status == BERTH_OK) {
        assert_int_equal(mesh->info.triangle_count, 4);
        assert_true(mesh->info.watertight);
    } else {
        assert_null(mesh);
    }
    berth_mesh_destroy(mesh);
    return status;
}

// ---- a reader that a file has taken over -----------------------------------------------------------------------

static void odd_readers(void** state) {
    (void)state;
    static const struct {
        const char* what;
        BerthStatus status;
        const char* text;
    } cases[] = {
        {"", BERTH_OK, ""},
        {"stays", BERTH_OK, ""},
        {"files", BERTH_OK, ""},
        {"early", BERTH_ERR_SYSTEM, "its reader ended without an answer"},
        {"half", BERTH_ERR_SYSTEM, "its reader ended without an answer"},
        {"crash", BERTH_ERR_PARSE, "assimp crashed on it (signal 11)"},
        {"abort", BERTH_ERR_PARSE, "assimp crashed on it (signal 6)"},
        {"killed", BERTH_ERR_SYSTEM, "its reader was ended by signal 9"},
        {"closes", BERTH_ERR_SYSTEM, "its reader"},
        {"time", BERTH_ERR_SYSTEM, "of processor time"},
        {"nan", BERTH_ERR_SYSTEM, "a point or a corner"},
        {"far", BERTH_ERR_SYSTEM, "a point or a corner"},
        {"corner", BERTH_ERR_SYSTEM, "a point or a corner"},
        {"negative", BERTH_ERR_SYSTEM, "a point or a corner"},
        {"magic", BERTH_ERR_SYSTEM, "another version"},
        {"kind", BERTH_ERR_SYSTEM, "a reply"},
        {"status", BERTH_ERR_SYSTEM, "a status"},
        {"many", BERTH_ERR_SYSTEM, "counts of triangles"},
        {"vertices", BERTH_ERR_SYSTEM, "counts of triangles"},
        {"none", BERTH_ERR_SYSTEM, "counts of triangles"},
        {"text", BERTH_ERR_SYSTEM, "a long text"},
        {"memory", BERTH_ERR_MEMORY, "more memory than there is"},
    };
    const char* path = ply_file();
    setenv("BERTH_MESH_READER", BERTH_BUILD_DIR "/odd_reader", 1);
    const int before = count_descriptors();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        setenv("ODD_READER", cases[i].what, 1);
        const BerthStatus status = read_mesh(path, NULL);
        if (status != cases[i].status ||
            (status != BERTH_OK && strstr(berth_error_text(), cases[i].text) == NULL) ||
            (status != BERTH_OK && strncmp(berth_error_text(), path, strlen(path)) != 0)) {
            fail_msg("'%s': %s, %s", cases[i].what, berth_status_name(status), berth_error_text());
        }
        assert_int_equal(count_descriptors(), before);
        must_be_alone();
    }
    unsetenv("BERTH_MESH_READER");
}

static void no_reader(void** state) {
    (void)state;
    const char* path = ply_file();
    setenv("BERTH_MESH_READER", "/nowhere/berth-mesh-reader", 1);
    assert_int_equal(read_mesh(path, NULL), BERTH_ERR_UNSUPPORTED);
    assert_non_null(strstr(berth_error_text(), "/nowhere/berth-mesh-reader (BERTH_MESH_READER)"));
    unsetenv("BERTH_MESH_READER");
    assert_int_equal(read_mesh(path, NULL), BERTH_OK);
}

// ---- stopping --------------------------------------------------------------------------------------------------

static bool stop_at_the_third(void* user) {
    return ++*(int*)user > 3;
}

static void stops_when_asked(void** state) {
    (void)state;
    const char* path = ply_file();
    setenv("BERTH_MESH_READER", BERTH_BUILD_DIR "/odd_reader", 1);
    setenv("ODD_READER", "hang", 1);
    int asked = 0;
    BerthIoOptions options = berth_default_io_options();
    options.cancelled = stop_at_the_third;
    options.cancelled_user = &asked;
    assert_int_equal(read_mesh(path, &options), BERTH_ERR_CANCELLED);
    must_be_alone();
    unsetenv("BERTH_MESH_READER");
}

// Our own readers are asked as well, and say how far they are.
static double g_share;
static int g_told;

static void take_share(void* user, const char* path, double share) {
    (void)path;
    assert_ptr_equal(user, &g_told);
    assert_true(share >= g_share || share == 0.0);
    g_share = share;
    ++g_told;
}

static void own_readers_step(void** state) {
    (void)state;
    enum { TRIANGLES = 100000 };
    const char* path = program_temporary("large.stl");
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "solid\n");
    for (int i = 0; i < TRIANGLES; ++i) {
        fprintf(file,
                "facet normal 0 0 0 outer loop vertex %d 0 0 vertex %d 1 0 vertex %d 0 1 endloop endfacet\n",
                i % 1000, i % 1000, i % 1000);
    }
    fprintf(file, "endsolid\n");
    fclose(file);

    BerthIoOptions options = berth_default_io_options();
    options.progress = take_share;
    options.progress_user = &g_told;
    BerthMesh* mesh = NULL;
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh), BERTH_OK);
    berth_mesh_destroy(mesh);
    assert_true(g_told >= 4 && g_share == 1.0);

    int asked = 0;
    options.cancelled = stop_at_the_third;
    options.cancelled_user = &asked;
    assert_int_equal(berth_io_read_mesh(path, v3(1, 1, 1), &options, &mesh), BERTH_ERR_CANCELLED);
    assert_null(mesh);
    assert_int_equal(asked, 4);
}

// ---- many at once, and odd callers -----------------------------------------------------------------------------

static void* read_many(void* user) {
    const char* path = user;
    for (int i = 0; i < test_scaled(10); ++i) {
        BerthMesh* mesh = NULL;
        if (berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh) != BERTH_OK) {
            return user;
        }
        berth_mesh_destroy(mesh);
    }
    return NULL;
}

static void several_threads(void** state) {
    (void)state;
    enum { THREADS = 4 };
    char path[512];
    snprintf(path, sizeof path, "%s", ply_file());
    pthread_t threads[THREADS];
    const int before = count_descriptors();
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_many, path), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        void* failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(count_descriptors(), before);
    must_be_alone();
}

// A program that ignores its children, has no standard files, and one that blocks all signals.
static void odd_callers(void** state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", ply_file());
    for (int kind = 0; kind < 3; ++kind) {
        const pid_t child = fork();
        if (child == 0) {
            sigset_t all;
            sigfillset(&all);
            if (kind == 0) {
                (void)signal(SIGCHLD, SIG_IGN);
            } else if (kind == 1) {
                close(0), close(1), close(2);
            } else {
                (void)sigprocmask(SIG_BLOCK, &all, NULL);
            }
            BerthMesh* mesh = NULL;
            _exit(berth_io_read_mesh(path, v3(1, 1, 1), NULL, &mesh) == BERTH_OK ? 0 : 1);
        }
        int ended = -1;
        assert_int_equal(waitpid(child, &ended, 0), child);
        assert_int_equal(ended, 0);
    }
}

// ---- memory ----------------------------------------------------------------------------------------------------

static bool write_grid_ply(const char* path, int side) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file,
            "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float "
            "z\nelement "
            "face %d\nproperty list uchar int vertex_indices\nend_header\n",
            side * side, (side - 1) * (side - 1));
    for (int i = 0; i < side * side; ++i) {
        fprintf(file, "%d %d 0\n", i % side, i / side);
    }
    for (int i = 0; i < (side - 1) * (side - 1); ++i) {
        const int at = i / (side - 1) * side + i % (side - 1);
        fprintf(file, "4 %d %d %d %d\n", at, at + 1, at + side + 1, at + side);
    }
    return fclose(file) == 0;
}

// Under every limit from nothing to enough: triangles, or an error of the machine. Never a crash.
static void memory_runs_out(void** state) {
    (void)state;
    const char* path = program_temporary("grid.ply");
    const char* script = program_temporary("limited.sh");
    assert_true(write_grid_ply(path, 300));
    int short_of_memory = 0, enough = 0;
    for (int megabytes = 12; megabytes <= 120; megabytes += 4) {
        char text[512];
        snprintf(text, sizeof text, "#!/bin/sh\nulimit -v %d\nexec %s/berth-mesh-reader\n", megabytes * 1024,
                 BERTH_BUILD_DIR);
        assert_true(program_write_text(script, text));
        assert_int_equal(chmod(script, 0755), 0);
        setenv("BERTH_MESH_READER", script, 1);
        BerthMesh* mesh = NULL;
        const BerthStatus status = berth_io_read_mesh(path, v3(1e-3, 1e-3, 1e-3), NULL, &mesh);
        berth_mesh_destroy(mesh);
        // Too little to load its libraries: it ends without a word.
        if (status != BERTH_OK && status != BERTH_ERR_MEMORY && status != BERTH_ERR_SYSTEM) {
            fail_msg("%d MB: %s, %s", megabytes, berth_status_name(status), berth_error_text());
        }
        short_of_memory += status == BERTH_ERR_MEMORY;
        enough += status == BERTH_OK;
    }
    unsetenv("BERTH_MESH_READER");
    assert_true(enough > 0);
    assert_true(short_of_memory > 0);
}

// ---- few rights ------------------------------------------------------------------------------------------------

enum {
    OPENED = 1,
    FORKED = 2,
    CONNECTED = 4,
    RAN = 8,
    TOOK_MEMORY = 16,
    SIGNALLED = 32,
    KEPT_FILE = 64,
};

// What the reader could do after it has given up its rights.
static int try_everything(int kept, pid_t other) {
    int done = 0;
    if (!reader_drop_privileges()) {
        return 255;
    }
    done |= fcntl(kept, F_GETFD) >= 0 ? KEPT_FILE : 0;
    if (!reader_set_limits((uint64_t)256 << 20, 5)) {
        return 255;
    }
    done |= open("/etc/passwd", O_RDONLY) >= 0 || open("/proc/self/maps", O_RDONLY) >= 0 ? OPENED : 0;
    done |= socket(AF_INET, SOCK_STREAM, 0) >= 0 ? CONNECTED : 0;
    done |=
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
            ? RAN
            : 0;
    done |= mmap(NULL, (size_t)512 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED
                ? TOOK_MEMORY
                : 0;
    done |= kill(other, 0) == 0 || tgkill(other, other, 0) == 0 ? SIGNALLED : 0;
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    done |= child > 0 ? FORKED : 0;
    return done;
}

static void few_rights(void** state) {
    (void)state;
    const int first = open("/dev/null", O_RDONLY);
    const int kept =
        fcntl(first, F_DUPFD, READER_SOCKET + 1);  // without O_CLOEXEC, as a careless caller has it
    assert_true(kept > READER_SOCKET);
    const pid_t child = fork();
    if (child == 0) {
        _exit(try_everything(kept, getppid()));
    }
    close(kept);
    close(first);
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended));
    // Where the kernel has no seccomp there is less that is forbidden.
    const int expected = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0 ? 0 : FORKED | CONNECTED | RAN | SIGNALLED;
    assert_int_equal(WEXITSTATUS(ended) & ~expected, 0);
}

int test_io_foreign(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_readers),      cmocka_unit_test(no_reader),
        cmocka_unit_test(stops_when_asked), cmocka_unit_test(own_readers_step),
        cmocka_unit_test(several_threads),  cmocka_unit_test(odd_callers),
    };
    // Sanitizers need more address space than any limit leaves, and what the reader gives up.
    static const struct CMUnitTest plain_tests[] = {
        cmocka_unit_test(memory_runs_out),
        cmocka_unit_test(few_rights),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!READER_SANITIZED) {
        failed += cmocka_run_group_tests(plain_tests, NULL, NULL);
    }
    program_remove_temporary();
    return failed;
}

#else

int test_io_foreign(void) {
    test_say_skip("this build has no assimp");
    return 0;
}

#endif
