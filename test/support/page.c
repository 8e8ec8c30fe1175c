// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A browser's side of `berth view`, as small as it can be.

#include "support/page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Benches share this folder and know of no server.
#ifndef BERTH_TEST_CIVETWEB
#define BERTH_TEST_CIVETWEB 0
#endif

static const char* program(void) {
    const char* given = getenv("BERTH_PROGRAM");
    return given != NULL ? given : BERTH_PROGRAM;
}

// ---- the server ----------------------------------------------------------------------------------------------------

static pid_t start(const char* const* arguments, int* output) {
    enum { ARGUMENTS_MOST = 40 };
    const char* all[ARGUMENTS_MOST] = {program(), "view"};
    int count = 2;
    bool port_is_given = false;
    for (int i = 0; arguments[i] != NULL && count < ARGUMENTS_MOST - 6; ++i) {
        port_is_given |= strcmp(arguments[i], "--port") == 0;
        all[count++] = arguments[i];
    }
    if (!port_is_given) {
        all[count++] = "--port";
        all[count++] = "0";
    }
    all[count++] = "--json";
    all[count++] = "--no-open";

    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        execv(all[0], (char* const*)(uintptr_t)all);
        _exit(127);
    }
    (void)close(ends[1]);
    *output = ends[0];
    return child;
}

static size_t read_line(int fd, char* line, size_t size) {
    size_t used = 0;
    while (used + 1 < size && read(fd, line + used, 1) == 1 && line[used] != '\n') {
        ++used;
    }
    line[used] = '\0';
    return used;
}

bool page_is_there(void) {
    return BERTH_TEST_CIVETWEB != 0;
}

PageServer page_start(const char* const* arguments) {
    PageServer server = {0};
    char line[512];
    int output = -1;
    server.pid = start(arguments, &output);
    const size_t size = read_line(output, line, sizeof line);
    (void)close(output);

    const int found =
        sscanf(line, "{\"address\": \"http://127.0.0.1:%d/?token=%40[0-9a-f]\"}", &server.port, server.token);
    if (size == 0 || found != 2) {
        fail_msg("berth view did not come up: '%s'", line);
    }
    return server;
}

int page_stop(PageServer* server) {
    int state = 0;
    (void)kill(server->pid, SIGINT);
    while (waitpid(server->pid, &state, 0) < 0 && errno == EINTR) {
    }
    server->pid = 0;
    return WIFSIGNALED(state) ? 1000 + WTERMSIG(state) : WEXITSTATUS(state);
}

// ---- HTTP ----------------------------------------------------------------------------------------------------------

int page_connect(const PageServer* server) {
    const struct timeval most = {20, 0};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
    if (connect(fd, (const struct sockaddr*)&address, sizeof address) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static bool send_all(int fd, const void* data, size_t size) {
    const char* bytes = data;
    while (size > 0) {
        const ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

char* page_exchange(const PageServer* server, const char* request, size_t* size) {
    size_t capacity = 1 << 16, used = 0;
    char* answer = malloc(capacity);
    assert_non_null(answer);
    const int fd = page_connect(server);
    if (fd >= 0) {
        (void)send_all(fd, request, strlen(request));  // a request that is refused early may be cut
        for (;;) {
            const ssize_t got = recv(fd, answer + used, capacity - used - 1, 0);
            if (got <= 0) {
                break;
            }
            used += (size_t)got;
            if (capacity - used < 2) {
                capacity *= 2;
                answer = realloc(answer, capacity);
                assert_non_null(answer);
            }
        }
        (void)close(fd);
    }
    answer[used] = '\0';
    if (size != NULL) {
        *size = used;
    }
    return answer;
}

static char* get(const PageServer* server, const char* path, const char* host, const char* headers,
                 size_t* size) {
    char own[64];
    (void)snprintf(own, sizeof own, "127.0.0.1:%d", server->port);
    const size_t most = strlen(path) + strlen(headers) + 512;
    char* request = malloc(most);
    assert_non_null(request);
    (void)snprintf(request, most, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", path, host != NULL ? host : own,
                   headers);
    char* answer = page_exchange(server, request, size);
    free(request);
    return answer;
}

static int status_of(const char* answer) {
    int status = 0;
    return sscanf(answer, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

int page_get(const PageServer* server, const char* path, const char* host, const char* headers) {
    char* answer = get(server, path, host, headers, NULL);
    const int status = status_of(answer);
    free(answer);
    return status;
}

char* page_body(const PageServer* server, const char* path, size_t* size) {
    char whole[256];
    size_t all = 0;
    (void)snprintf(whole, sizeof whole, "%s?token=%s", path, server->token);
    char* answer = get(server, whole, NULL, "", &all);
    char* body = status_of(answer) == 200 ? strstr(answer, "\r\n\r\n") : NULL;
    if (body == NULL) {
        free(answer);
        return NULL;
    }
    const size_t left = all - (size_t)(body + 4 - answer);
    memmove(answer, body + 4, left + 1);
    if (size != NULL) {
        *size = left;
    }
    return answer;
}

// ---- WebSocket -----------------------------------------------------------------------------------------------------

int page_socket(const PageServer* server, const char* token, const char* origin) {
    char request[1024], answer[1024] = "";
    (void)snprintf(
        request, sizeof request,
        "GET /ws?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s%s\r\n",
        token, server->port, origin != NULL ? "Origin: " : "", origin != NULL ? origin : "",
        origin != NULL ? "\r\n" : "");
    const int fd = page_connect(server);
    if (fd < 0) {
        return -1;
    }

    // To the end of the head and no further: frames may follow at once.
    size_t used = 0;
    bool whole = send_all(fd, request, strlen(request));
    while (whole && used + 1 < sizeof answer && strstr(answer, "\r\n\r\n") == NULL) {
        whole = recv(fd, answer + used, 1, 0) == 1;
        used += whole ? 1U : 0U;
        answer[used] = '\0';
    }
    if (whole && status_of(answer) == 101) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

bool page_send(int fd, const char* text) {
    const size_t size = strlen(text);
    unsigned char* frame = malloc(size + 14);
    assert_non_null(frame);
    size_t head = 2;
    frame[0] = 0x81;
    if (size < 126) {
        frame[1] = (unsigned char)(0x80U | size);
    } else if (size < 65536) {
        frame[1] = 0x80U | 126U;
        frame[2] = (unsigned char)(size >> 8);
        frame[3] = (unsigned char)size;
        head = 4;
    } else {
        frame[1] = 0x80U | 127U;
        for (int i = 0; i < 8; ++i) {
            frame[2 + i] = (unsigned char)(size >> (56 - 8 * i));
        }
        head = 10;
    }

    memset(frame + head, 0, 4);  // a mask of zeros
    memcpy(frame + head + 4, text, size);
    const bool sent = send_all(fd, frame, head + 4 + size);
    free(frame);
    return sent;
}

static bool receive_all(int fd, void* data, size_t size) {
    char* bytes = data;
    while (size > 0) {
        const ssize_t got = recv(fd, bytes, size, 0);
        if (got <= 0) {
            return false;
        }
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

// The next frame's payload, zero-terminated, to be freed; null when there is none.
static char* receive_frame(int fd, int* opcode, size_t* size) {
    unsigned char head[2], more[8];
    if (!receive_all(fd, head, 2)) {
        return NULL;
    }
    uint64_t length = head[1] & 127U;
    const int extra = length == 126 ? 2 : (length == 127 ? 8 : 0);
    if (extra > 0) {
        length = 0;
        if (!receive_all(fd, more, (size_t)extra)) {
            return NULL;
        }
        for (int i = 0; i < extra; ++i) {
            length = length << 8 | more[i];
        }
    }

    assert_true(length < 1U << 28);
    char* payload = malloc((size_t)length + 1);
    assert_non_null(payload);
    if (!receive_all(fd, payload, (size_t)length)) {
        free(payload);
        return NULL;
    }
    payload[length] = '\0';
    *opcode = head[0] & 15;
    *size = (size_t)length;
    return payload;
}

json_t* page_receive(int fd) {
    for (;;) {
        int opcode = 0;
        size_t size = 0;
        char* payload = receive_frame(fd, &opcode, &size);
        if (payload == NULL) {
            return NULL;
        }
        json_t* answer = opcode == 1 ? json_loadb(payload, size, 0, NULL) : NULL;
        free(payload);
        if (opcode == 8) {
            return NULL;
        }
        if (opcode == 9) {
            const unsigned char pong[6] = {0x8a, 0x80};
            (void)send_all(fd, pong, sizeof pong);
        }
        if (opcode == 1) {
            assert_non_null(answer);  // whatever the server says is JSON
            return answer;
        }
    }
}

bool page_is_closed(int fd) {
    json_t* answer = page_receive(fd);
    const bool closed = answer == NULL;
    json_decref(answer);
    return closed;
}

// The answer with a number of its own; progress is passed over.
static json_t* exchange(int fd, const char* what, json_t* fields) {
    static int last_id = 0;
    const int id = ++last_id;
    json_t* request = fields != NULL ? fields : json_object();
    (void)json_object_set_new(request, "id", json_integer(id));
    (void)json_object_set_new(request, "do", json_string(what));
    char* text = json_dumps(request, JSON_REAL_PRECISION(17));
    json_decref(request);
    assert_non_null(text);
    assert_true(page_send(fd, text));
    free(text);

    for (;;) {
        json_t* answer = page_receive(fd);
        assert_non_null(answer);
        if (json_integer_value(json_object_get(answer, "id")) == id &&
            json_object_get(answer, "ok") != NULL) {
            return answer;
        }
        json_decref(answer);
    }
}

json_t* page_ask(int fd, const char* what, json_t* fields) {
    json_t* answer = exchange(fd, what, fields);
    if (!json_is_true(json_object_get(answer, "ok"))) {
        fail_msg("%s: %s", what, json_string_value(json_object_get(answer, "error")));
    }
    return answer;
}

const char* page_refused(int fd, const char* what, json_t* fields) {
    static char text[1024];
    json_t* answer = exchange(fd, what, fields);
    const char* error = json_string_value(json_object_get(answer, "error"));
    (void)snprintf(text, sizeof text, "%s", error != NULL ? error : "");
    assert_int_equal(json_is_true(json_object_get(answer, "ok")), error == NULL);
    json_decref(answer);
    return text;
}
