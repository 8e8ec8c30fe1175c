// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Chooses and opens the kind of input.
// Entries: input_open, input_drain, input_close.

#include <stdlib.h>
#include <string.h>

#include "guard_internal.h"

static bool ends_with(const char* text, const char* end) {
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static InputKind input_kind(const char* text) {
    if (text == NULL) {
        return INPUT_MOTION;
    }
    if (strcmp(text, "-") == 0) {
        return INPUT_STREAM;
    }
    if (strncmp(text, "udp:", 4) == 0) {
        return INPUT_UDP;
    }
    if (strncmp(text, "dds:", 4) == 0) {
        return INPUT_DDS;
    }
    return ends_with(text, ".jsonl") ? INPUT_RECORD : INPUT_FILE;
}

bool input_open(Guard* guard, GuardError* error) {
    const GuardSettings* settings = guard->settings;
    Input* input = &guard->input;
    input->file = -1;
    input->kind = input_kind(settings->input);
    guard->replay = input->kind == INPUT_FILE || input->kind == INPUT_RECORD;
    const bool simulated = guard->replay || input->kind == INPUT_MOTION;

    // Options that do not fit the kind of input.
    if (!simulated &&
        (settings->fast || settings->speed != 1.0 || settings->auto_start || settings->objects_stand ||
         settings->differences || settings->interpolate || settings->rate > 0.0)) {
        return guard_fail(
            error, GUARD_WRONG,
            "--fast, --speed, --rate, --auto-start, --objects-stand, --differences and --interpolate are "
            "only for a recorded file, not for live input '%s'",
            settings->input);
    }
    if (input->kind == INPUT_RECORD &&
        (settings->objects_stand || settings->differences || settings->interpolate || settings->rate > 0.0)) {
        return guard_fail(
            error, GUARD_WRONG,
            "--rate, --objects-stand, --differences and --interpolate are only for rows, not for messages");
    }
    if (settings->from_count > 0 && input->kind != INPUT_UDP && input->kind != INPUT_DDS) {
        return guard_fail(error, GUARD_WRONG, "--from is only for --input udp:HOST:PORT");
    }

    if ((settings->topic_count > 0 || settings->frame_count > 0) && input->kind != INPUT_DDS) {
        return guard_fail(error, GUARD_WRONG, "--topic and --frame are only for --input dds:/TOPIC");
    }

    switch (input->kind) {
    case INPUT_FILE:
        return input_open_rows(guard, error);
    case INPUT_RECORD:
        return input_open_record(guard, error);
    case INPUT_STREAM:
        return input_open_stream(guard, error);
    case INPUT_UDP:
        return input_open_udp(guard, settings->input + strlen("udp:"), error);
    case INPUT_DDS:
        return ros_open(guard, error);
    case INPUT_MOTION:
        return input_open_motion(guard, error);
    }
    return true;
}

void input_close(Guard* guard) {
    Input* input = &guard->input;
    if (input->kind == INPUT_FILE) {
        berth_io_free_trajectory(&input->rows);
    }
    ros_close(guard);
    if (input->datagrams != NULL) {
        input_close_udp(guard);
    }

    free(input->differences);
    free(input->curves);
    free(input->speeds);
    free(input->seen);
    free(input->text);
    free(input->columns);
}

void input_drain(Guard* guard, double now) {
    switch (guard->input.kind) {
    case INPUT_FILE:
        input_drain_rows(guard, now);
        break;
    case INPUT_RECORD:
        input_drain_record(guard, now);
        break;
    case INPUT_STREAM:
        input_drain_stream(guard, now);
        break;
    case INPUT_UDP:
        input_drain_udp(guard, now);
        break;
    case INPUT_DDS:
        ros_drain(guard, now);
        break;
    case INPUT_MOTION:
        input_drain_motion(guard, now);
        break;
    }
}
