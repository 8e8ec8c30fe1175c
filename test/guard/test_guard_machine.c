// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// What the loop promises about the machine: memory taken at the start, faults that are answered with STOP, a watchdog,
// texts that hold up nothing.
// test-labels: waits

#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/expect.h"
#include "support/guarded.h"
#include "support/setting.h"

static const double PERIOD = 0.01, SILENCE = 0.1;
static const char* const ON_UDP[] = {"--input", "udp:127.0.0.1:0", "--good", "3", NULL};

// Runs it for so many cycles, with messages of all kinds coming in. How many allocations there were in its life.
static long allocations(int cycles) {
    const char* path = program_temporary("totals");
    char count[16];
    (void)snprintf(count, sizeof count, "%d", cycles);
    const char* const arguments[] = {"--input",  "udp:127.0.0.1:0",
                                     "--cycles", count,
                                     "--log",    program_temporary("guard.log"),
                                     "--stats",  program_temporary("guard.prom"),
                                     NULL};
    Guarded g;
    setenv("LD_PRELOAD", BERTH_BUILD_DIR "/libberth_faults.so", 1);
    setenv("BERTH_FAIL_TOTAL", path, 1);
    const bool started = guarded_start(&g, guarded_scene(0.002, SILENCE, ""), false, arguments);
    unsetenv("LD_PRELOAD");
    unsetenv("BERTH_FAIL_TOTAL");
    assert_true(started);
    const double end = guarded_now() + 0.002 * cycles * 0.8;
    for (int i = 0; guarded_now() < end; ++i) {
        guarded_send_state(&g, 0.0, i % 2 == 0);
        if (i % 8 == 0) {
            guarded_send_reset(&g);
            guarded_send(&g, "nonsense", 8);
        }
        if (i % 32 == 0) {
            (void)kill(g.pid, SIGUSR1);
            g.stream += 1;
        }
        guarded_sleep(0.002);
        guarded_take(&g);
    }
    assert_int_equal(guarded_end(&g, 0), 0);
    assert_true(guarded_number(&g, "end", "good") > 0 && guarded_number(&g, "end", "malformed") > 0);
    guarded_close(&g);
    long total = -1, files = 0;
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &files), 2);
    fclose(file);
    return total;
}

// A life of 50 cycles and one of 400 allocate as often: no cycle does, in no thread.
static void memory_is_taken_before_the_first_cycle(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which replace the same functions\n");
        return;
    }
    const long few = allocations(50);
    const long many = allocations(400);
    assert_true(few > 0);
    assert_int_equal(few, many);
}

static void no_page_faults(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which touch memory of their own\n");
        return;
    }
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, ON_UDP));
    json_t* start = guarded_event(&g, "start");
    const bool locked = strstr(json_string_value(json_object_get(start, "machine")), "not locked") == NULL;
    json_decref(start);
    assert_true(guarded_until_go(&g, 15.0));
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    const int faults = (int)guarded_number(&g, "end", "page_faults");
    guarded_close(&g);
    // Memory that could not be locked may be taken away; then there is nothing to promise.
    assert_true(faults == 0 || !locked);
}

static void faults_are_answered(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task1.csv");
    const struct {
        const char *fault, *reason;
    } cases[] = {{"rounding@100", "\"reason\": \"numbers\""},
                 {"flush@100", "\"reason\": \"numbers\""},
                 {"model@100", "\"reason\": \"model\""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
#if !defined(__x86_64__)
        if (i == 1) {
            continue;
        }
#endif
        ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--json", "--test-fault",
                                     cases[i].fault, NULL);
        assert_int_equal(run.status, 3);
        assert_non_null(strstr(run.out, cases[i].reason));
        program_free(&run);
    }
    ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--json", "--test-fault",
                                 "hang@100", "--watchdog", "0.2", NULL);
    assert_int_equal(run.status, 5);
    assert_non_null(strstr(run.err, "has hung"));
    program_free(&run);
}

// A cycle that takes longer than its period is STOP, and that is latched.
static void an_overrun_is_stop(void** state) {
    (void)state;
    static const char* const arguments[] = {"--input",      "udp:127.0.0.1:0", "--good", "3",
                                            "--test-delay", "0.05@80",         NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    bool went = false;
    const double end = guarded_now() + 15.0;
    while (g.last.permit.sequence <= 80 && guarded_now() < end) {
        went = guarded_until_go(&g, 0.05) || went;
    }
    for (int i = 0; i < 20; ++i) {
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    guarded_take(&g);
    assert_false(g.last.permit.go);  // the late one took it away, and nobody gave it back
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    json_t* last = guarded_event(&g, "end");
    const json_t* overruns = json_object_get(json_object_get(last, "stops"), "overrun");
    assert_true(json_integer_value(overruns) > 0);
    json_decref(last);
    guarded_close(&g);
    assert_true(went);
}

// Stopped for a while and going on: the permits after it say so, and none is of before. Row 11.
static void a_process_that_was_stopped(void** state) {
    (void)state;
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, ON_UDP));
    assert_true(guarded_until_go(&g, 15.0));
    (void)kill(g.pid, SIGSTOP);
    guarded_sleep(0.05);
    guarded_take(&g);
    guarded_send_state(&g, 0.0, false);
    const int64_t before = g.go_count;
    (void)kill(g.pid, SIGCONT);
    for (int i = 0; i < 20; ++i) {
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    guarded_take(&g);
    // One that was sealed and not sent may still come: its stamp tells.
    assert_true(g.go_count - before <= 1);
    assert_false(g.last.permit.go);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// A log that takes nothing: a full disk, and a pipe whose reader sleeps.
static void a_log_holds_up_nothing(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task2.csv");
    ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--log", "/dev/full", NULL);
    assert_int_equal(run.status, 4);  // the guard's word is on standard output all the same
    assert_non_null(strstr(run.err, "--log /dev/full: No space left on device; lines are lost"));
    assert_non_null(strstr(run.err, "lines could not be written: No space left on device"));
    assert_non_null(strstr(run.out, "near"));
    program_free(&run);

    const char* pipe_path = program_temporary("log.pipe");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    const int reader = open(pipe_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    (void)fcntl(reader, F_SETPIPE_SZ, 4096);
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good", "3", "--log", pipe_path, NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    for (int i = 0; i < 60; ++i) {
        g.stream += 1;  // a change of the permit with nearly every message
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    assert_true(guarded_until_go(&g, 15.0));
    // Its reader wakes up, and hears how much it missed.
    static char text[1 << 16];
    const double end = guarded_now() + 15.0;
    bool told = false;
    while (!told && guarded_now() < end) {
        const ssize_t got = read(reader, text, sizeof text - 1);
        text[got > 0 ? got : 0] = '\0';
        told = strstr(text, "\"event\": \"lost\"") != NULL;
        g.stream += 1;
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.005);
    }
    assert_true(told);

    // It sleeps again, and is never told what it misses now: the exit status tells.
    for (int i = 0; i < 100; ++i) {
        g.stream += 1;
        guarded_send_state(&g, 0.0, false);
        guarded_sleep(0.01);
        if (i % 20 == 0) {
            (void)guarded_until_go(&g, 15.0);
        }
    }
    const double asked = guarded_now();
    assert_int_equal(guarded_end(&g, SIGTERM), 4);
    print_message("ended %.0f ms after SIGTERM\n", 1000.0 * (guarded_now() - asked));
    guarded_close(&g);
    close(reader);
}

static void statistics_are_written(void** state) {
    (void)state;
    const char* path = program_temporary("stats.prom");
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good", "3", "--stats", path, NULL};
    Guarded g;
    assert_true(guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments));
    assert_true(guarded_until_go(&g, 15.0));
    (void)kill(g.pid, SIGUSR1);
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
    char text[16384] = "";
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_true(size > 0);
    static const char* const parts[] = {
        "only take permission away", "not real-time",
        "\nberth_permit 0\n",        "berth_stops_total{reason=\"end\"} 1\n",
        "berth_real_time 0\n",       "berth_cycle_seconds{quantile=\"0.99\"}"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (strstr(text, parts[i]) == NULL) {
            fail_msg("'%s' is not in the statistics", parts[i]);
        }
    }
}

static bool write_small(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    return file != NULL && fputs(text, file) >= 0 && fclose(file) == 0;
}

static bool file_is(const char* path, const char* text) {
    char got[64] = "";
    FILE* file = fopen(path, "r");
    const size_t size = file != NULL ? fread(got, 1, sizeof got - 1, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return file != NULL && size == strlen(text) && strcmp(got, text) == 0;
}

static int count_files(const char* folder) {
    int count = 0;
    DIR* open = opendir(folder);
    assert_non_null(open);
    for (const struct dirent* entry = readdir(open); entry != NULL; entry = readdir(open)) {
        count += entry->d_name[0] != '.';
    }
    (void)closedir(open);
    return count;
}

// Statistics take the place of their file and of nothing else: neighbours stay, links and rights too, and nothing is left behind.
static void statistics_leave_neighbours_alone(void** state) {
    (void)state;
    const char* folder = program_temporary("beside");
    assert_int_equal(mkdir(folder, 0700), 0);
    char real[300], link[300], beside[4][300];
    static const char* const names[4] = {"real.prom.new", "real.prom.part", "link.prom.new",
                                         "real.prom.1.part"};
    (void)snprintf(real, sizeof real, "%s/real.prom", folder);
    (void)snprintf(link, sizeof link, "%s/link.prom", folder);
    assert_true(write_small(real, "old"));
    assert_int_equal(chmod(real, 0640), 0);
    assert_int_equal(symlink("real.prom", link), 0);
    for (int i = 0; i < 4; ++i) {
        (void)snprintf(beside[i], sizeof beside[i], "%s/%s", folder, names[i]);
        assert_true(write_small(beside[i], "mine"));
    }

    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task2.csv");
    ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--stats", link, NULL);
    assert_int_equal(run.status, 1);
    assert_string_equal(run.err, "");
    program_free(&run);

    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(stat(real, &info) == 0 && (info.st_mode & 07777) == 0640 && info.st_size > 1000);
    for (int i = 0; i < 4; ++i) {
        assert_true(file_is(beside[i], "mine"));
    }
    assert_int_equal(count_files(folder), 6);

    // What is no file is not replaced by one.
    run = program_run("monitor", scene, "--input", task, "--fast", "--stats", "/dev/null", NULL);
    assert_int_equal(run.status, 2);
    program_free(&run);
    assert_true(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
}

// A folder that vanishes while the guard runs: told on standard error, and at the end.
static void statistics_that_cannot_be_written(void** state) {
    (void)state;
    const char* folder = program_temporary("vanishes");
    char path[300], err[300], text[4096] = "";
    assert_int_equal(mkdir(folder, 0700), 0);
    (void)snprintf(path, sizeof path, "%s/stats.prom", folder);
    (void)snprintf(err, sizeof err, "%s", program_temporary("vanishes.err"));
    const char* const arguments[] = {"--input", "udp:127.0.0.1:0", "--good", "3", "--stats", path, NULL};
    Guarded g;

    // The guard's standard error is this process's own.
    (void)fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    const int file = open(err, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    const bool started = guarded_start(&g, guarded_scene(PERIOD, SILENCE, ""), false, arguments);
    (void)dup2(kept, STDERR_FILENO);
    assert_true(started && guarded_until_go(&g, 15.0));
    (void)unlink(path);
    assert_int_equal(rmdir(folder), 0);
    assert_true(guarded_until_go(&g, 15.0));
    guarded_sleep(1.2);
    assert_int_equal(guarded_end(&g, SIGTERM), 4);
    guarded_close(&g);

    assert_true(pread(file, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "--stats"));
    assert_non_null(strstr(text, "No such file or directory; it is not up to date"));
    (void)close(file);
    (void)close(kept);
}

static int count_lines(const char* text) {
    int count = 0;
    for (; *text != '\0'; ++text) {
        count += *text == '\n';
    }
    return count;
}

// Standard files that are closed: nothing that is opened is taken for one of them. The log had the events twice, and statistics and
// permits went where standard error was.
static void closed_standard_files(void** state) {
    (void)state;
    const char* scene = program_model("two_arms/testbed.yaml");
    const char* task = program_model("two_arms/task2.csv");
    const char* whole = program_temporary("whole.log");
    ProgramRun run = program_run("monitor", scene, "--input", task, "--fast", "--json", "--log", whole, NULL);
    program_free(&run);
    static char expected[1 << 20], got[1 << 20];
    FILE* file = fopen(whole, "r");
    assert_non_null(file);
    const size_t size = fread(expected, 1, sizeof expected - 1, file);
    (void)fclose(file);
    expected[size] = '\0';
    assert_true(count_lines(expected) > 5);

    const char* named = getenv("BERTH_PROGRAM");
    const char* program = named != NULL && named[0] != '\0' ? named : BERTH_PROGRAM;
    static const struct {
        const char* closed;
        int status;
    } cases[] = {{">&-", 4}, {"2>&-", 1}, {"<&-", 1}, {">&- 2>&-", 4}, {"<&- >&- 2>&-", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char command[1200];
        const char* log = program_temporary("closed.log");
        (void)unlink(log);
        (void)snprintf(command, sizeof command,
                       "%s monitor %s --input %s --fast --json --log %s --stats %s %s %s", program, scene,
                       task, log, program_temporary("closed.prom"), ">/dev/null", cases[i].closed);
        const int status = system(command);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != cases[i].status) {
            fail_msg("with %s: exit %d, expected %d", cases[i].closed, WEXITSTATUS(status), cases[i].status);
        }
        file = fopen(log, "r");
        assert_non_null(file);
        const size_t there = fread(got, 1, sizeof got - 1, file);
        (void)fclose(file);
        got[there] = '\0';
        assert_int_equal(count_lines(got), count_lines(expected));
    }
}

// Hardly any files may be opened: it needs few, and all at the start. Row 24.
static void few_files_are_enough(void** state) {
    (void)state;
    if (TEST_SANITIZED) {
        printf("not under sanitizers, which open files of their own\n");
        return;
    }
    struct rlimit before, few;
    Guarded g;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const char* scene = guarded_scene(PERIOD, SILENCE, "");
    const char* const arguments[] = {
        "--input", "udp:127.0.0.1:0", "--good", "3", "--stats", program_temporary("few.prom"), NULL};
    assert_true(guarded_start(&g, scene, false, arguments));
    few = (struct rlimit){8, before.rlim_max};
    assert_int_equal(prlimit(g.pid, RLIMIT_NOFILE, &few, NULL), 0);
    (void)kill(g.pid, SIGUSR1);
    assert_true(guarded_until_go(&g, 15.0));
    for (int i = 0; i < 2000; ++i) {
        (void)kill(g.pid, SIGUSR1);  // and a storm of signals, which interrupt its sleep
    }
    assert_true(guarded_until_go(&g, 15.0));
    assert_int_equal(guarded_end(&g, SIGTERM), 0);
    guarded_close(&g);
}

// Somebody without the right to lock memory and to be first (root, too, can give it up) gets a message and exit 2, or says --not-real-time. Row 21.
static int run_without_rights(const char* scene, const char* more, char* text, size_t size) {
    int ends[2], result = 0;
    assert_int_equal(pipe(ends), 0);
    const char* program = getenv("BERTH_PROGRAM");
    program = program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM;
    const pid_t pid = fork();
    if (pid == 0) {
        const struct rlimit none = {0, 0};
        (void)dup2(ends[1], STDERR_FILENO);
        (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        if (setrlimit(RLIMIT_MEMLOCK, &none) != 0 || setrlimit(RLIMIT_RTPRIO, &none) != 0 ||
            (geteuid() == 0 &&
             (prctl(PR_CAPBSET_DROP, CAP_SYS_NICE) != 0 || prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK) != 0))) {
            _exit(99);
        }
        (void)execl(program, program, "monitor", scene, "--input", "udp:127.0.0.1:0", "--seconds", "0.05",
                    more, (char*)NULL);
        _exit(99);
    }
    close(ends[1]);
    const ssize_t got = read(ends[0], text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(pid, &result, 0), pid);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
}

static void without_rights(void** state) {
    (void)state;
    char text[1024];
    const char* scene = program_model("two_arms/testbed.yaml");
    const int status = run_without_rights(scene, NULL, text, sizeof text);
    assert_int_equal(status, 2);
    assert_non_null(strstr(text, "--not-real-time"));
    assert_int_equal(run_without_rights(scene, "--not-real-time", text, sizeof text), 0);
}

int test_guard_machine(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_taken_before_the_first_cycle),
        cmocka_unit_test(no_page_faults),
        cmocka_unit_test(faults_are_answered),
        cmocka_unit_test(an_overrun_is_stop),
        cmocka_unit_test(a_process_that_was_stopped),
        cmocka_unit_test(a_log_holds_up_nothing),
        cmocka_unit_test(statistics_are_written),
        cmocka_unit_test(statistics_leave_neighbours_alone),
        cmocka_unit_test(statistics_that_cannot_be_written),
        cmocka_unit_test(closed_standard_files),
        cmocka_unit_test(few_files_are_enough),
        cmocka_unit_test(without_rights),
    };
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
