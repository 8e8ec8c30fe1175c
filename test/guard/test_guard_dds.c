// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// ROS 2 joint states over DDS between two real processes, on loopback: `berth monitor` hears two writers and tells permits.
// The machine may be slow, so what is asserted is: permits come when all is well, and none on bad or missing input, in some time
// after the two have found each other.
// test-labels: waits

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// cmocka wants these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/guarded.h"
#include "support/program.h"

static const char loopback[] =
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\" "
    "multicast=\"false\"/></Interfaces>"
    "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
    "<MaxAutoParticipantIndex>100</MaxAutoParticipantIndex><Peers><Peer Address=\"127.0.0.1\"/></Peers>"
    "</Discovery></Domain></CycloneDDS>";

static void wait_a_little(void) {
    const struct timespec moment = {0, 20000000};
    (void)nanosleep(&moment, NULL);
}

static const char* berth_program(void) {
    const char* set = getenv("BERTH_PROGRAM");
    return set != NULL ? set : BERTH_PROGRAM;
}

// The two arms with a cart and a trolley that move.
static const char* sensed_scene(void) {
    return guarded_scene(
        0.03, 0.3,
        "objects:\n"
        "  - {name: cart, sphere: {radius: 0.1}, pose: {xyz: [9, 3, 0]}, moving: {speed: 0.5}}\n"
        "  - {name: trolley, box: {size: [0.2, 0.2, 0.2]}, pose: {xyz: [9, -3, 0]}, moving: "
        "{speed: 0.5}}\n");
}

// With clouds and poses where `keys` of the cloud's topic are given.
static pid_t start_monitor(const char* out, const char* input, const char* output, const char* keys) {
    char topic[128] = "";
    const char* scene = keys != NULL ? sensed_scene() : program_model("two_arms/testbed.yaml");
    (void)snprintf(topic, sizeof topic, "camera=/camera/points%s", keys != NULL ? keys : "");
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    const int file = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)dup2(file, 1);
    (void)dup2(file, 2);
    (void)execl(berth_program(), "berth", "monitor", scene, "--input", input, "--output", output,
                "--trust-network", "--not-real-time", "--json", "--seconds", "60",
                keys != NULL ? "--topic" : (char*)NULL, topic, "--topic", "cart=/cart/pose", "--topic", "/tf",
                "--cloud", "camera=points:8,radius:0.01,speed:0.1", (char*)NULL);
    _exit(127);
}

static bool file_has(const char* path, const char* words) {
    char text[4096] = "";
    FILE* file = fopen(path, "r");
    const size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return strstr(text, words) != NULL;
}

typedef struct Heard {
    long published, permits, go, stop;
    double silence;
    long bools, trues, scales;  // by readers of stock types
    double largest;             // of the scales
    long told, well;            // diagnostics, and those that say OK
    int status;                 // of the monitor
    long counts[5];             // at its end: messages, malformed, stale, strangers, misfits
} Heard;

static void read_end(const char* log, Heard* heard) {
    static const char* const names[] = {"good", "malformed", "stale", "strangers", "misfits"};
    static char text[1 << 16];
    FILE* file = fopen(log, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char* end = strstr(text, "\"event\": \"end\"");
    for (size_t i = 0; end != NULL && i < sizeof names / sizeof names[0]; ++i) {
        char key[32];
        (void)snprintf(key, sizeof key, "\"%s\": ", names[i]);
        const char* at = strstr(end, key);
        heard->counts[i] = at != NULL ? strtol(at + strlen(key), NULL, 10) : -1;
    }
}

// The rest of a child's life, at most 40 seconds; meanwhile the monitor is asked to begin again, as after any fault.
static int wait_for(pid_t child, pid_t monitor) {
    int status = 0;
    for (int i = 0; i < 2000; ++i) {
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1000;
        }
        if (monitor > 0 && i % 10 == 9) {
            (void)kill(monitor, SIGUSR2);
        }
        wait_a_little();
    }
    (void)kill(child, SIGKILL);
    (void)waitpid(child, &status, 0);
    return 2000;
}

static Heard run_sensing_peer(const char* how, const char* until, const char* keys) {
    char domain[16], input[64], output[64];
    snprintf(domain, sizeof domain, "%d", 100 + (int)(getpid() % 100));
    snprintf(input, sizeof input, "dds:/joint_states@%s", domain);
    snprintf(output, sizeof output, "dds:@%s", domain);
    const char* log = program_temporary("monitor.jsonl");
    const char* counts = program_temporary("peer.txt");
    (void)unlink(log);
    const pid_t monitor = start_monitor(log, input, output, keys);
    assert_true(monitor > 0);
    for (int i = 0; i < 1000 && !file_has(log, "\"start\""); ++i) {
        wait_a_little();
    }
    const pid_t peer = fork();
    if (peer == 0) {
        const int file = open(counts, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)dup2(file, 1);
        (void)execl(BERTH_BUILD_DIR "/dds_peer", "dds_peer", domain, until, how, "left/joint1=0",
                    "left/joint2=-0.9", "left/joint3=0", "left/joint4=1.6", "left/joint5=0",
                    "left/joint6=0.8", "left/joint7=0", "right/joint1=0", "right/joint2=-0.9",
                    "right/joint3=0", "right/joint4=1.6", "right/joint5=0", "right/joint6=0.8",
                    "right/joint7=0", (char*)NULL);
        _exit(127);
    }
    assert_int_equal(wait_for(peer, monitor), 0);
    (void)kill(monitor, SIGTERM);
    Heard heard = {.status = wait_for(monitor, -1)};
    FILE* file = fopen(counts, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld %ld %ld %lf %ld %ld %ld %lf %ld %ld", &heard.published,
                            &heard.permits, &heard.go, &heard.stop, &heard.silence, &heard.bools,
                            &heard.trues, &heard.scales, &heard.largest, &heard.told, &heard.well),
                     11);
    fclose(file);
    read_end(log, &heard);
    printf("%s: %ld published, %ld permits, %ld go, last %.3f s after the last state\n", how, heard.published,
           heard.permits, heard.go, heard.silence);
    return heard;
}

static Heard run_peer(const char* how, const char* until) {
    return run_sensing_peer(how, until, NULL);
}

static void permits_come_and_end_with_silence(void** state) {
    (void)state;
    const Heard heard = run_peer("good", "go");
    assert_true(heard.go > 0);
    assert_true(heard.stop > 0);       // before the reset, and after the silence
    assert_true(heard.silence < 1.0);  // 45 ms of silence, 30 ms of a cycle, and a slow machine
    assert_int_equal(heard.status, 0);
}

static void another_writer_of_the_same_joints_is_not_heard(void** state) {
    (void)state;
    const Heard heard = run_peer("second", "go");
    assert_true(heard.go > 0);
}

static void no_permit_on_bad_states(void** state) {
    (void)state;
    static const char* const bad[] = {"repeat", "short", "twice", "half"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        const Heard heard = run_peer(bad[i], "1");
        assert_int_equal(heard.go, 0);
        assert_true(heard.permits > 0);
        assert_int_equal(heard.status, 0);
    }
}

// Clouds, poses and transforms come in, and readers that know nothing of berth hear it.
static void sensors_are_heard_and_stock_readers_hear(void** state) {
    (void)state;
    Heard heard = run_sensing_peer("sensed", "go", "");
    assert_true(heard.go > 0 && heard.trues > 0 && heard.bools > heard.trues);
    assert_true(heard.scales > 0 && heard.largest > 0.0 && heard.largest <= 1.0);
    assert_true(heard.told > heard.well && heard.well > 0);
    assert_int_equal(heard.status, 0);

    // The cloud ceases: the last permit is no later than its silence, and a cycle, after it.
    heard = run_sensing_peer("sensed-still", "go", "");
    assert_true(heard.go > 0 && heard.silence < 1.0);
    assert_int_equal(heard.status, 0);
}

// One thing is wrong, all else is right: no permit, and whose fault it is is counted.
static void wrong_sensors_give_no_permit(void** state) {
    (void)state;
    enum { MALFORMED = 1, STALE = 2, MISFITS = 4 };
    static const struct {
        const char *how, *keys;
        int counted;  // 0: the monitor stops at it
    } wrong[] = {{"sensed-sizes", "", MALFORMED},
                 {"sensed-fields", "", MALFORMED},
                 {"sensed-turned", "", MALFORMED},
                 {"sensed-unstamped", "", MALFORMED},
                 {"sensed-frame", "", MISFITS},
                 {"sensed-nan", "", 0},
                 {"sensed-large", "", 0},
                 {"sensed-empty", ",invalid:free", 0},
                 {"sensed-noise", ",invalid:free,empty:free", MALFORMED}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const Heard heard = run_sensing_peer(wrong[i].how, "1", wrong[i].keys);
        assert_int_equal(heard.status, 0);
        if (strcmp(wrong[i].how, "sensed-noise") != 0) {
            assert_int_equal(heard.go, 0);
            assert_int_equal(heard.trues, 0);
        }
        assert_true(heard.bools > 0);
        if (wrong[i].counted != 0 && heard.counts[wrong[i].counted] <= 0) {
            fail_msg("%s is not counted", wrong[i].how);
        }
    }
}

static void what_is_free_by_declaration(void** state) {
    (void)state;
    static const char* const cases[][2] = {{"sensed-nan", ",invalid:free"}, {"sensed-empty", ",empty:free"}};
    for (int i = 0; i < 2; ++i) {
        const Heard heard = run_sensing_peer(cases[i][0], "go", cases[i][1]);
        assert_true(heard.go > 0);
    }
}

static void wrong_topics_are_told(void** state) {
    (void)state;
    static const struct {
        const char *option, *value, *words;
    } wrong[] = {{"--topic", "camera=points", "expected NAME=/TOPIC"},
                 {"--topic", "nobody=/points", "neither a --cloud nor"},
                 {"--topic", "camera=/points,invalid:yes", "invalid:free"},
                 {"--topic", "/tf,empty:free", "empty:free"},
                 {"--topic", "cart", "expected NAME=/TOPIC"},
                 {"--frame", "camera=1/2", "expected NAME"},
                 {"--frame", "camera=1/2/x", "expected NAME"},
                 {"--frame", "world=0/0/0/0/0/0/0", "expected NAME"},
                 {"--frame", "=1/2/3", "expected NAME"}};
    const char* scene = sensed_scene();
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        ProgramRun run = program_run("monitor", scene, "--input", "dds:", "--not-real-time",
                                     "--trust-network", "--cloud", "camera=points:8,radius:0.01,speed:0.1",
                                     "--topic", "/tf", wrong[i].option, wrong[i].value, NULL);
        if (run.status != 2 || strstr(run.err, wrong[i].words) == NULL) {
            fail_msg("%s %s: %d, %s", wrong[i].option, wrong[i].value, run.status, run.err);
        }
        program_free(&run);
    }
    ProgramRun run = program_run("monitor", scene, "--input", "udp:127.0.0.1:0", "--not-real-time", "--topic",
                                 "/tf", NULL);
    assert_int_equal(run.status, 2);
    assert_non_null(strstr(run.err, "--topic and --frame are only for --input dds"));
    program_free(&run);
}

static void wrong_addresses_are_told(void** state) {
    (void)state;
    static const struct {
        const char *input, *words;
    } wrong[] = {{"dds:joint_states", "expected dds:/TOPIC"},
                 {"dds:/joint_states@x", "domain 'x'"},
                 {"dds:/joint_states@233", "from 0 to 232"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        ProgramRun run = program_run("monitor", program_model("two_arms/testbed.yaml"), "--input",
                                     wrong[i].input, "--not-real-time", "--trust-network", NULL);
        assert_int_equal(run.status, 2);
        assert_non_null(strstr(run.err, wrong[i].words));
        program_free(&run);
    }
}

int test_guard_dds(void) {
    struct stat there;
    if (stat(BERTH_BUILD_DIR "/dds_peer", &there) != 0) {
        printf("built without DDS: nothing to test\n");
        return 0;
    }
    (void)setenv("CYCLONEDDS_URI", loopback, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permits_come_and_end_with_silence),
        cmocka_unit_test(another_writer_of_the_same_joints_is_not_heard),
        cmocka_unit_test(no_permit_on_bad_states),
        cmocka_unit_test(sensors_are_heard_and_stock_readers_hear),
        cmocka_unit_test(wrong_sensors_give_no_permit),
        cmocka_unit_test(what_is_free_by_declaration),
        cmocka_unit_test(wrong_topics_are_told),
        cmocka_unit_test(wrong_addresses_are_told),
    };
    const int failures = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove_temporary();
    (void)unsetenv("CYCLONEDDS_URI");
    return failures;
}
