// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Running the real program, and files of states for it.

#include "support/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "math/math.h"

extern char** environ;

static char* read_back(int file, size_t* size) {
    const off_t end = lseek(file, 0, SEEK_END);
    char* text = calloc((size_t)(end > 0 ? end : 0) + 1, 1);
    size_t done = 0;
    while (text != NULL && end > 0 && done < (size_t)end) {
        const ssize_t got = pread(file, text + done, (size_t)end - done, (off_t)done);
        if (got <= 0) {
            break;
        }
        done += (size_t)got;
    }
    if (size != NULL) {
        *size = done;
    }
    return text;
}

static int wait_for(pid_t child, int interrupt_after_ms) {
    if (interrupt_after_ms > 0) {
        const struct timespec pause = {interrupt_after_ms / 1000, interrupt_after_ms % 1000 * 1000000L};
        (void)nanosleep(&pause, NULL);
        (void)kill(child, SIGINT);
    }
    int result = 0;
    while (waitpid(child, &result, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(result) ? WEXITSTATUS(result) : 1000 + WTERMSIG(result);
}

// Starts the program with these as standard output and error. False after a message.
static bool start(int out, int err, const char* const* arguments, pid_t* child) {
    const char* program = getenv("BERTH_PROGRAM");
    program = program != NULL && program[0] != '\0' ? program : BERTH_PROGRAM;
    const char* argv[PROGRAM_ARGUMENTS_MAX + 2] = {program};
    for (int i = 0; i < PROGRAM_ARGUMENTS_MAX && arguments[i] != NULL; ++i) {
        argv[i + 1] = arguments[i];
    }
    posix_spawn_file_actions_t actions;
    if (out < 0 || err < 0 || posix_spawn_file_actions_init(&actions) != 0) {
        perror("program_run");
        return false;
    }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    const int spawned = posix_spawn(child, program, &actions, NULL, (char* const*)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0) {
        fprintf(stderr, "%s: %s\n", program, strerror(spawned));
    }
    return spawned == 0;
}

// All that is written on a terminal until whoever has its other end is gone.
static char* read_terminal(int terminal) {
    size_t size = 0, room = 4096;
    char* text = malloc(room);
    while (text != NULL) {
        const ssize_t got = read(terminal, text + size, room - size - 1);
        if (got <= 0) {
            break;
        }
        size += (size_t)got;
        if (room - size < 1024) {
            room *= 2;
            text = realloc(text, room);
        }
    }
    if (text != NULL) {
        text[size] = '\0';
    }
    return text;
}

ProgramRun program_run_terminal(const char* const* arguments) {
    ProgramRun run = {.status = -1};
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        perror("a terminal");
        return run;
    }
    const int err = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const int out = memfd_create("out", MFD_CLOEXEC);

    pid_t child = 0;
    const bool started = start(out, err, arguments, &child);
    close(err);
    if (started) {
        run.err = read_terminal(terminal);
        run.status = wait_for(child, 0);
        run.out = read_back(out, &run.out_size);
    }
    close(terminal);
    close(out);
    return run;
}

ProgramRun program_run_into(const char* path, int interrupt_after_ms, const char* const* arguments) {
    ProgramRun run = {.status = -1};
    const int out = path != NULL ? open(path, O_WRONLY | O_CLOEXEC) : memfd_create("out", MFD_CLOEXEC);
    const int err = memfd_create("err", MFD_CLOEXEC);
    pid_t child = 0;
    if (start(out, err, arguments, &child)) {
        run.status = wait_for(child, interrupt_after_ms);
    }
    run.out = path == NULL ? read_back(out, &run.out_size) : calloc(1, 1);
    run.err = read_back(err, NULL);
    close(out);
    close(err);
    return run;
}

ProgramRun program_run_list(const char* const* arguments) {
    return program_run_into(NULL, 0, arguments);
}

ProgramRun program_run(const char* first, ...) {
    const char* arguments[PROGRAM_ARGUMENTS_MAX + 1] = {first};
    va_list args;
    va_start(args, first);
    for (int i = 1; first != NULL && i < PROGRAM_ARGUMENTS_MAX; ++i) {
        arguments[i] = va_arg(args, const char*);
        if (arguments[i] == NULL) {
            break;
        }
    }
    va_end(args);
    return program_run_list(arguments);
}

void program_free(ProgramRun* run) {
    free(run->out);
    free(run->err);
    *run = (ProgramRun){0};
}

int program_line_count(const ProgramRun* run) {
    int count = 0;
    for (size_t i = 0; i < run->out_size; ++i) {
        count += run->out[i] == '\n';
    }
    return count;
}

json_t* program_json_line(const ProgramRun* run, int line) {
    const char* at = run->out;
    for (; line > 0 && at != NULL; --line) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL || *at == '\0') {
        return NULL;
    }
    json_error_t error;
    json_t* value = json_loadb(at, strcspn(at, "\n"), JSON_REJECT_DUPLICATES, &error);
    if (value == NULL) {
        fprintf(stderr, "not JSON: %s at %d: %.200s\n", error.text, error.position, at);
    }
    return value;
}

bool program_says_its_conditions(const json_t* answer) {
    return json_is_array(json_object_get(answer, "assumed")) &&
           json_is_array(json_object_get(answer, "declared")) &&
           json_is_integer(json_object_get(answer, "proven"));
}

static char* next_buffer(void) {
    static char buffers[64][1024];
    static int used;
    return buffers[used++ % 64];
}

const char* program_model(const char* model_and_file) {
    char* text = next_buffer();
    (void)snprintf(text, 1024, "%s/models/%s", BERTH_BUILD_DIR, model_and_file);
    return text;
}

static char temporary[64];

const char* program_temporary(const char* name) {
    if (temporary[0] == '\0') {
        (void)snprintf(temporary, sizeof temporary, "/tmp/berth-test-XXXXXX");
        if (mkdtemp(temporary) == NULL) {
            perror(temporary);
        }
    }
    char* text = next_buffer();
    (void)snprintf(text, 1024, "%s/%s", temporary, name);
    return text;
}

int program_count_entries(const char* folder) {
    DIR* listing = opendir(folder);
    int count = 0;
    while (listing != NULL && readdir(listing) != NULL) {
        ++count;
    }
    if (listing != NULL) {
        closedir(listing);
    }
    return count;
}

void program_remove_temporary(void) {
    DIR* folder = temporary[0] != '\0' ? opendir(temporary) : NULL;
    if (folder == NULL) {
        return;
    }
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char path[400];
        (void)snprintf(path, sizeof path, "%s/%s", temporary, entry->d_name);
        (void)unlink(path);
    }
    closedir(folder);
    (void)rmdir(temporary);
    temporary[0] = '\0';
}

void program_random_states(const BerthScene* scene, uint64_t seed, int rows, double* values) {
    Random random = {seed * 2654435761u + 1};
    for (int row = 0; row < rows; ++row) {
        for (int32_t r = 0; r < berth_scene_robot_count(scene); ++r) {
            const BerthRobot* robot = berth_scene_robot(scene, r, NULL, NULL);
            for (int32_t i = 0; i < berth_robot_joint_count(robot); ++i) {
                const BerthJointInfo joint =
                    berth_robot_joint(robot, i);  // a free base comes last, its values first
                for (int32_t k = 0; joint.first_value >= 0 && k < joint.value_count; ++k) {
                    values[joint.first_value + k] = joint.has_limits
                                                        ? bi_random_between(&random, joint.lower, joint.upper)
                                                        : bi_random_between(&random, -3.0, 3.0);
                }
            }
            values += berth_robot_value_count(robot);
        }
    }
}

bool program_write_csv(const char* path, const BerthScene* scene, const double* values, int rows) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    const int32_t count = berth_scene_value_count(scene);
    for (int32_t i = 0; i < count; ++i) {
        char name[512];
        berth_scene_value_name(scene, i, name, sizeof name);
        fprintf(file, "%s%s", i > 0 ? "," : "", name);
    }
    for (int row = 0; row < rows; ++row) {
        for (int32_t i = 0; i < count; ++i) {
            fprintf(file, "%s%.17g", i > 0 ? "," : "\n", values[(size_t)row * (size_t)count + (size_t)i]);
        }
    }
    fputs("\n", file);
    return fclose(file) == 0;
}

bool program_write_array(const char* path, const char* shape, const double* values, size_t count) {
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int length = snprintf(header + 10, sizeof header - 10,
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }", shape);
    header[10 + length] = ' ';
    header[127] = '\n';
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    const bool good = fwrite(header, 1, sizeof header, file) == sizeof header &&
                      (count == 0 || fwrite(values, sizeof *values, count, file) == count);
    return fclose(file) == 0 && good;
}

bool program_write_npy(const char* path, const BerthScene* scene, const double* values, int rows) {
    const int32_t count = berth_scene_value_count(scene);
    char shape[64];
    snprintf(shape, sizeof shape, "%d, %d", rows, (int)count);
    return program_write_array(path, shape, values, (size_t)rows * (size_t)count);
}

bool program_write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    const bool good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}
