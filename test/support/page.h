// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The real `berth view` and what a browser does with it, byte by byte: HTTP and WebSocket over plain sockets.

#ifndef TEST_SUPPORT_PAGE_H
#define TEST_SUPPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// A server that runs.
typedef struct PageServer {
    pid_t pid;
    int port;
    char token[64];
} PageServer;

/// Can this build serve at all? It was made with civetweb.
bool page_is_there(void);
/// Starts `berth view` with these arguments (the last is NULL) on a free port. Fails the test when it does not come up.
PageServer page_start(const char* const* arguments);
/// Ctrl-C; returns the exit status, or 1000 + signal.
int page_stop(PageServer* server);

/// A connection; -1 when it was refused. Reads time out after 20 s.
int page_connect(const PageServer* server);
/// Sends bytes, reads until the other side closes. Returns the answer, zero-terminated, to be freed.
char* page_exchange(const PageServer* server, const char* request, size_t* size);
/// The status of GET `path` with this Host (null: the right one) and these further header lines; 0 when there was no answer.
int page_get(const PageServer* server, const char* path, const char* host, const char* headers);
/// The body of GET `path`, with the token; null when its status is not 200. To be freed.
char* page_body(const PageServer* server, const char* path, size_t* size);

/// A WebSocket; -1 when the handshake was refused. `origin` may be null.
int page_socket(const PageServer* server, const char* token, const char* origin);
/// One masked text frame.
bool page_send(int socket, const char* text);
/// The next text frame as JSON; null when the other side closed.
json_t* page_receive(int socket);
/// True when the other side closes before anything else but control frames comes.
bool page_is_closed(int socket);
/// Sends {"id", "do", ...fields} and waits for its answer, which must be ok. `fields` is taken and may be null.
json_t* page_ask(int socket, const char* what, json_t* fields);
/// The same; returns the error's text in a static buffer, "" when it was ok.
const char* page_refused(int socket, const char* what, json_t* fields);

#endif
