// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// berth view and a map whose cells are sent while it runs: after every update the cells that the page is told are those that
// were sent, kept here as a plain array. Parts come in any order; what rests on an update that was not sent, or names cells
// that the map does not have, changes nothing.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include <berth/io/wire.h>

#include "support/expect.h"
#include "support/page.h"
#include "support/setting.h"
#include "support/slider.h"

enum { SIDE = 8, CELLS = SIDE * SIDE * SIDE, UPDATES = 15 };

static uint64_t random_state = 20261119;

static uint32_t random_below(uint32_t most) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % most;
}

/// Who sends cells, and what the map has to be.
typedef struct Sender {
    int socket;
    struct sockaddr_in to;
    unsigned char cells[CELLS];
    uint64_t sequence;
} Sender;

// A port that was free a moment ago.
static Sender open_sender(void) {
    Sender sender = {.socket = socket(AF_INET, SOCK_DGRAM, 0)};
    const int probe = socket(AF_INET, SOCK_DGRAM, 0);
    socklen_t size = sizeof sender.to;
    sender.to.sin_family = AF_INET;
    sender.to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(probe, (const struct sockaddr*)&sender.to, size), 0);
    assert_int_equal(getsockname(probe, (struct sockaddr*)&sender.to, &size), 0);
    (void)close(probe);
    return sender;
}

static void send_message(const Sender* sender, const BerthWireMessage* message) {
    unsigned char bytes[BERTH_WIRE_SIZE];
    const size_t size = berth_wire_write(message, bytes, sizeof bytes);
    assert_true(size > 0);
    assert_int_equal(
        sendto(sender->socket, bytes, size, 0, (const struct sockaddr*)&sender->to, sizeof sender->to),
        (ssize_t)size);
}

static BerthWireMessage message_of(uint64_t sequence, bool whole, uint64_t since) {
    BerthWireMessage message;
    memset(&message, 0, sizeof message);
    message.kind = BERTH_WIRE_CELLS;
    message.stream = 5;
    message.sequence = sequence;
    message.stamp = (double)NAN;
    (void)snprintf(message.name, sizeof message.name, "room");
    message.whole = whole;
    message.since = since;
    message.parts = 1;
    message.alive = true;
    return message;
}

// Some cells change; at least one does, and one of the corner's stays an obstacle. In one to three parts, the last one first.
static void send_update(Sender* sender, bool whole) {
    const uint64_t since = sender->sequence;
    const int32_t parts = 1 + (int32_t)random_below(3);
    unsigned char next[CELLS];
    memcpy(next, sender->cells, sizeof next);
    for (uint32_t i = 0, count = 1 + random_below(60); i < count; ++i) {
        next[1 + random_below(CELLS - 1)] = (unsigned char)random_below(3);
    }
    next[1] = sender->cells[1] == BERTH_CELL_OCCUPIED ? BERTH_CELL_FREE : BERTH_CELL_OCCUPIED;
    next[0] = BERTH_CELL_OCCUPIED;

    ++sender->sequence;
    for (int32_t part = parts - 1; part >= 0; --part) {
        BerthWireMessage message = message_of(sender->sequence, whole, whole ? 0 : since);
        message.part = part;
        message.parts = parts;
        message.rest = BERTH_CELL_FREE;
        for (uint32_t i = (uint32_t)part; i < CELLS; i += (uint32_t)parts) {
            if (whole ? next[i] != BERTH_CELL_FREE : next[i] != sender->cells[i]) {
                message.runs[message.run_count++] = (BerthCellRun){i, 1, (BerthCellColour)next[i]};
            }
        }
        send_message(sender, &message);
    }
    memcpy(sender->cells, next, sizeof next);
}

static void await_map(int fd) {
    for (;;) {
        json_t* event = page_receive(fd);
        assert_non_null(event);
        const char* name = json_string_value(json_object_get(event, "event"));
        const bool is_map = name != NULL && strcmp(name, "map") == 0;
        if (is_map) {
            assert_true(json_is_null(json_object_get(event, "error")));
            assert_string_equal(json_string_value(json_object_get(event, "body")), "room");
        }
        json_decref(event);
        if (is_map) {
            return;
        }
    }
}

// Leaves that are told, as cells.
static void expect_cells(int fd, const Sender* sender) {
    json_t* page = page_ask(fd, "cells", json_pack("{s:s}", "map", "room"));
    const json_t* leaves = json_object_get(page, "leaves");
    unsigned char told[CELLS] = {0};
    for (size_t i = 0; i + 5 <= json_array_size(leaves); i += 5) {
        int low[3];
        for (size_t axis = 0; axis < 3; ++axis) {
            low[axis] = (int)lround(json_number_value(json_array_get(leaves, i + axis)) / 0.1);
        }
        const int width = (int)lround(json_number_value(json_array_get(leaves, i + 3)) / 0.1);
        for (int k = 0; k < width * width * width; ++k) {
            const int x = low[0] + k % width, y = low[1] + k / width % width, z = low[2] + k / width / width;
            told[x + SIDE * (y + SIDE * z)] =
                (unsigned char)json_integer_value(json_array_get(leaves, i + 4));
        }
    }
    assert_memory_equal(told, sender->cells, sizeof told);
    json_decref(page);
}

static const char* room_scene(Sender* sender) {
    static double cells[CELLS];
    const char* map = program_temporary("room.npy");
    const char* file = program_temporary("room.yaml");
    cells[0] = 1.0;
    sender->cells[0] = BERTH_CELL_OCCUPIED;
    assert_true(program_write_array(map, "8, 8, 8", cells, CELLS));
    assert_true(program_write_text(program_temporary("slider.urdf"), SLIDER_URDF));
    assert_true(
        program_write_text(file,
                           "berth: 1\nrobots:\n  - {urdf: slider.urdf, base: {xyz: [9, 9, 9]}}\nobjects:\n"
                           "  - {name: room, map: {file: room.npy, resolution: 0.1, outside: free}}\n"));
    return file;
}

static void maps_follow_what_is_sent(void** state) {
    (void)state;
    Sender sender = open_sender();
    char where[64];
    (void)snprintf(where, sizeof where, "127.0.0.1:%d", ntohs(sender.to.sin_port));
    const char* const arguments[] = {room_scene(&sender), "--monitor", where, NULL};
    PageServer server = page_start(arguments);
    const int fd = page_socket(&server, server.token, NULL);
    assert_true(fd >= 0);
    expect_cells(fd, &sender);

    // Changes before a whole came say nothing.
    BerthWireMessage wrong = message_of(1, false, 0);
    wrong.run_count = 1;
    wrong.runs[0] = (BerthCellRun){0, CELLS, BERTH_CELL_OCCUPIED};
    send_message(&sender, &wrong);
    sender.sequence = 1;
    for (int i = 0; i < UPDATES; ++i) {
        send_update(&sender, i == 0 || random_below(4) == 0);
        await_map(fd);
        expect_cells(fd, &sender);

        // What rests on an update that was not sent; cells that there are none of; another map.
        wrong.sequence = sender.sequence + 2;
        wrong.since = sender.sequence + 1;
        send_message(&sender, &wrong);
        wrong.since = sender.sequence;
        wrong.runs[0] = (BerthCellRun){CELLS - 1, 2, BERTH_CELL_OCCUPIED};
        send_message(&sender, &wrong);
        wrong.runs[0] = (BerthCellRun){0, CELLS, BERTH_CELL_OCCUPIED};
        (void)snprintf(wrong.name, sizeof wrong.name, "hall");
        send_message(&sender, &wrong);
        (void)snprintf(wrong.name, sizeof wrong.name, "room");
    }

    (void)close(sender.socket);
    (void)close(fd);
    assert_int_equal(page_stop(&server), 130);
}

int test_cli_view_live(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(maps_follow_what_is_sent)};
    if (!page_is_there()) {
        printf("built without civetweb: berth view is not tested\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, expect_clean_up);
}
