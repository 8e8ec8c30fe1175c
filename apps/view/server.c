// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// HTTP and WebSocket through civetweb, for browsers on this machine alone: 127.0.0.1, Host and Origin checked, a token of
// this run for everything but the page itself, a fixed table of addresses. Each page has a bounded outbox and a thread
// that writes it: a page that does not read is dropped, and the checker never waits.
// Entries: view_server_open, view_server_close, view_client_send.

#include <arpa/inet.h>
#include <civetweb.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "view/view.h"

enum {
    TOKEN_BYTES = 16,
    HOST_FORMS = 3,
    PORT_DEFAULT = 8420,
    PORTS_TRIED = 50,
};

/// A text waiting for a client.
typedef struct Message {
    char* data;
    size_t size;
} Message;

struct ViewClient {
    ViewServer* server;
    struct mg_connection* connection;
    atomic_int holders;
    pthread_t writer;
    pthread_mutex_t lock;  // protects all members below
    pthread_cond_t wake;
    Message outbox[VIEW_OUTBOX_COUNT];  // a ring
    int first, count;
    size_t bytes;
    bool dropped;  // it did not read, or sent an invalid request
    Text partial;  // a message in several frames; used only by the reading thread
};

/// Files that are made when the first page requests them.
typedef enum Later { LATER_UNASKED = 0, LATER_ASKED, LATER_IN_WORK, LATER_THERE, LATER_NEVER } Later;

struct ViewServer {
    ViewServerDef def;
    struct mg_context* context;
    int port;
    char token[2 * TOKEN_BYTES + 1];
    char hosts[HOST_FORMS][64];  // the accepted values of the Host header
    char address[160];
    char policy[512];      // the content security policy
    pthread_mutex_t lock;  // of the clients
    ViewClient* clients[VIEW_CLIENTS];
    atomic_bool stopped;
    int client_count;  // including those that are connecting
    Later later;       // for visual.json and visual.bin; under the lock
    pthread_cond_t later_wake;
    Text visual, visual_geometry;  // constant once they exist
};

// ---- clients -----------------------------------------------------------------------------------------------------

void view_client_hold(ViewClient* client) {
    atomic_fetch_add(&client->holders, 1);
}

void view_client_release(ViewClient* client) {
    if (atomic_fetch_sub(&client->holders, 1) != 1) {
        return;
    }
    for (int i = 0; i < client->count; ++i) {
        free(client->outbox[(client->first + i) % VIEW_OUTBOX_COUNT].data);
    }
    text_free(&client->partial);
    (void)pthread_mutex_destroy(&client->lock);
    (void)pthread_cond_destroy(&client->wake);
    free(client);
}

void view_client_send(ViewClient* client, const char* text, size_t size) {
    char* copy = malloc(size + 1);
    pthread_mutex_lock(&client->lock);
    const bool has_room = client->count < VIEW_OUTBOX_COUNT && size <= VIEW_OUTBOX_BYTES - client->bytes;
    if (copy == NULL || !has_room) {
        client->dropped = true;
    }

    if (!client->dropped && copy != NULL) {
        memcpy(copy, text, size);
        client->outbox[(client->first + client->count) % VIEW_OUTBOX_COUNT] = (Message){copy, size};
        ++client->count;
        client->bytes += size;
        copy = NULL;
    }
    pthread_cond_signal(&client->wake);
    pthread_mutex_unlock(&client->lock);
    free(copy);
}

// The next text; false if the client is gone.
static bool take_message(ViewClient* client, Message* out) {
    pthread_mutex_lock(&client->lock);
    while (client->count == 0 && !client->dropped) {
        pthread_cond_wait(&client->wake, &client->lock);
    }
    const bool there_is_one = !client->dropped;
    if (there_is_one) {
        *out = client->outbox[client->first];
        client->first = (client->first + 1) % VIEW_OUTBOX_COUNT;
        --client->count;
        client->bytes -= out->size;
    }
    pthread_mutex_unlock(&client->lock);
    return there_is_one;
}

static void drop_client(ViewClient* client) {
    pthread_mutex_lock(&client->lock);
    client->dropped = true;
    pthread_cond_signal(&client->wake);
    pthread_mutex_unlock(&client->lock);
}

static bool is_dropped(ViewClient* client) {
    pthread_mutex_lock(&client->lock);
    const bool dropped = client->dropped;
    pthread_mutex_unlock(&client->lock);
    return dropped;
}

// Writes the waiting texts. Ends if a write makes no progress for REQUEST_TIMEOUT.
static void* write_messages(void* user) {
    ViewClient* client = user;
    Message message;
    while (take_message(client, &message)) {
        const int wrote =
            mg_websocket_write(client->connection, MG_WEBSOCKET_OPCODE_TEXT, message.data, message.size);
        free(message.data);
        if (wrote <= 0) {
            drop_client(client);
        }
    }

    (void)mg_websocket_write(client->connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, "", 0);
    return NULL;
}

static ViewClient* make_client(ViewServer* server, struct mg_connection* connection) {
    ViewClient* client = calloc(1, sizeof *client);
    if (client == NULL) {
        return NULL;
    }
    client->server = server;
    client->connection = connection;
    atomic_store(&client->holders, 1);
    (void)pthread_mutex_init(&client->lock, NULL);
    (void)pthread_cond_init(&client->wake, NULL);
    if (pthread_create(&client->writer, NULL, write_messages, client) != 0) {
        view_client_release(client);
        return NULL;
    }
    return client;
}

// ---- who may ask ---------------------------------------------------------------------------------------------------

// The only header of that name; null if there is none or several; `*many` is then set.
static const char* find_header(const struct mg_request_info* request, const char* name, bool* many) {
    const char* value = NULL;
    for (int i = 0; i < request->num_headers; ++i) {
        if (strcasecmp(request->http_headers[i].name, name) == 0) {
            *many |= value != NULL;
            value = request->http_headers[i].value;
        }
    }
    return value;
}

static bool is_own_host(const ViewServer* server, const char* host) {
    for (int i = 0; i < HOST_FORMS; ++i) {
        if (strcasecmp(server->hosts[i], host) == 0) {
            return true;
        }
    }
    return false;
}

// Refuses other host names that resolve to this machine (DNS rebinding), and pages of another origin.
static bool is_from_here(const ViewServer* server, const struct mg_request_info* request) {
    bool many = false;
    const char* host = find_header(request, "Host", &many);
    const char* origin = find_header(request, "Origin", &many);
    // civetweb ignores headers beyond this number: requests with unseen headers cannot be trusted.
    many |= request->num_headers >= MG_MAX_HEADERS;
    if (many || host == NULL || !is_own_host(server, host)) {
        return false;
    }
    return origin == NULL || (strncmp(origin, "http://", 7) == 0 && strcasecmp(origin + 7, host) == 0);
}

// Takes the same time for every wrong token.
static bool has_token(const ViewServer* server, const struct mg_request_info* request) {
    char given[2 * TOKEN_BYTES + 2] = "";
    const char* query = request->query_string != NULL ? request->query_string : "";
    const int length = mg_get_var(query, strlen(query), "token", given, sizeof given);
    unsigned differs = length == 2 * TOKEN_BYTES ? 0U : 1U;
    for (int i = 0; i < 2 * TOKEN_BYTES; ++i) {
        differs |= (unsigned)(given[i] ^ server->token[i]);
    }
    return differs == 0;
}

// ---- HTTP --------------------------------------------------------------------------------------------------------

static int send_bytes(const ViewServer* server, struct mg_connection* connection, int status,
                      const char* words, const char* type, const void* data, size_t size) {
    (void)mg_printf(connection,
                    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
                    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                    "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
                    "Cross-Origin-Opener-Policy: same-origin\r\nContent-Security-Policy: %s\r\n\r\n",
                    status, words, type, size, server->policy);
    const bool is_head = strcmp(mg_get_request_info(connection)->request_method, "HEAD") == 0;
    if (!is_head && size > 0) {
        (void)mg_write(connection, data, size);
    }
    return status;
}

static int send_refusal(const ViewServer* server, struct mg_connection* connection, int status,
                        const char* words, const char* sentence) {
    return send_bytes(server, connection, status, words, "text/plain; charset=utf-8", sentence,
                      strlen(sentence));
}

static bool is_upgrade(const struct mg_request_info* request) {
    bool many = false;
    const char* upgrade = find_header(request, "Upgrade", &many);
    return !many && upgrade != NULL && strcasecmp(upgrade, "websocket") == 0;
}

static bool is_full(ViewServer* server) {
    pthread_mutex_lock(&server->lock);
    const bool full = server->client_count >= VIEW_CLIENTS;
    pthread_mutex_unlock(&server->lock);
    return full;
}

// Visual meshes are read when the first page requests them: a page waits here until they are ready.
static bool wait_for_visuals(ViewServer* server) {
    pthread_mutex_lock(&server->lock);
    if (server->later == LATER_UNASKED) {
        server->later = LATER_ASKED;
        pthread_cond_broadcast(&server->later_wake);
    }
    while (server->later != LATER_THERE && server->later != LATER_NEVER) {
        pthread_cond_wait(&server->later_wake, &server->lock);
    }
    const bool there = server->later == LATER_THERE;
    pthread_mutex_unlock(&server->lock);
    return there;
}

static int send_visuals(ViewServer* server, struct mg_connection* connection, bool is_geometry) {
    if (!wait_for_visuals(server)) {
        return send_refusal(
            server, connection, 503, "Service Unavailable",
            "The visual meshes cannot be sent: the program is ending, or has too little memory.\n");
    }
    const Text* text = is_geometry ? &server->visual_geometry : &server->visual;
    return send_bytes(server, connection, 200, "OK",
                      is_geometry ? "application/octet-stream" : "application/json", text->data, text->size);
}

bool view_server_await_visuals(ViewServer* server, double seconds) {
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    const double end = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - floor(end)) * 1e9);

    pthread_mutex_lock(&server->lock);
    int code = 0;
    while (server->later != LATER_ASKED && code == 0) {
        code = pthread_cond_timedwait(&server->later_wake, &server->lock, &until);
    }
    const bool asked = server->later == LATER_ASKED;
    if (asked) {
        server->later = LATER_IN_WORK;
    }
    pthread_mutex_unlock(&server->lock);
    return asked;
}

void view_server_give_visuals(ViewServer* server, Text* json, Text* geometry) {
    pthread_mutex_lock(&server->lock);
    server->visual = *json;
    server->visual_geometry = *geometry;
    server->later = json->failed || geometry->failed ? LATER_NEVER : LATER_THERE;
    pthread_cond_broadcast(&server->later_wake);
    pthread_mutex_unlock(&server->lock);
    *json = *geometry = (Text){0};
}

// Every request comes here first. Returning 0 lets civetweb continue, for the WebSocket only.
static int begin_request(struct mg_connection* connection) {
    const struct mg_request_info* request = mg_get_request_info(connection);
    ViewServer* server = request->user_data;
    const char* path = request->local_uri_raw != NULL ? request->local_uri_raw : "";

    if (!is_from_here(server, request)) {
        return send_refusal(server, connection, 403, "Forbidden",
                            "This address answers only the page that berth view opened.\n");
    }
    if (strcmp(request->request_method, "GET") != 0 && strcmp(request->request_method, "HEAD") != 0) {
        return send_refusal(server, connection, 405, "Method Not Allowed", "Only GET is answered.\n");
    }

    ViewFile file;
    if (view_find_file(path, &file)) {
        return send_bytes(server, connection, 200, "OK", file.type, file.data, file.size);
    }

    const bool is_scene = strcmp(path, "/scene.json") == 0, is_geometry = strcmp(path, "/geometry.bin") == 0;
    const bool is_visual = strcmp(path, "/visual.json") == 0;
    const bool is_visual_geometry = strcmp(path, "/visual.bin") == 0;
    const bool is_socket = strcmp(path, "/ws") == 0;
    if (!is_scene && !is_geometry && !is_visual && !is_visual_geometry && !is_socket) {
        return send_refusal(server, connection, 404, "Not Found", "There is no such page.\n");
    }
    if (!has_token(server, request)) {
        return send_refusal(
            server, connection, 403, "Forbidden",
            "The token of this run is missing or wrong: open the address that berth view printed.\n");
    }

    if (is_scene) {
        return send_bytes(server, connection, 200, "OK", "application/json", server->def.scene->data,
                          server->def.scene->size);
    }
    if (is_geometry) {
        return send_bytes(server, connection, 200, "OK", "application/octet-stream",
                          server->def.geometry->data, server->def.geometry->size);
    }
    if (is_visual || is_visual_geometry) {
        return send_visuals(server, connection, is_visual_geometry);
    }
    if (!is_upgrade(request)) {
        return send_refusal(server, connection, 426, "Upgrade Required",
                            "Only WebSocket connections are accepted here.\n");
    }
    if (is_full(server)) {
        return send_refusal(server, connection, 503, "Service Unavailable",
                            "Too many pages are open: close one of them.\n");
    }
    return 0;
}

// ---- WebSocket ---------------------------------------------------------------------------------------------------

static int on_connect(const struct mg_connection* connection, void* user) {
    const ViewServer* server = user;
    const struct mg_request_info* request = mg_get_request_info(connection);
    return is_from_here(server, request) && has_token(server, request) ? 0 : 1;
}

static void on_ready(struct mg_connection* connection, void* user) {
    ViewServer* server = user;
    mg_set_user_connection_data(connection, NULL);

    pthread_mutex_lock(&server->lock);
    if (server->client_count < VIEW_CLIENTS) {
        ViewClient* client = make_client(server, connection);
        if (client != NULL) {
            server->clients[server->client_count++] = client;
            mg_set_user_connection_data(connection, client);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

// Takes one frame; false: drop the client.
static bool take_frame(ViewClient* client, int bits, const char* data, size_t size) {
    const int opcode = bits & 0xf;
    const bool is_last = (bits & 0x80) != 0;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) {
        return true;
    }
    const bool is_first = opcode == MG_WEBSOCKET_OPCODE_TEXT;
    if ((!is_first && opcode != MG_WEBSOCKET_OPCODE_CONTINUATION) || (bits & 0x70) != 0 ||
        is_first != (client->partial.data == NULL) || size > VIEW_FRAME_BYTES - client->partial.size) {
        return false;
    }

    text_add(&client->partial, data, size);
    if (!is_last) {
        return !client->partial.failed;
    }
    const bool taken = !client->partial.failed && session_receive(client->server->def.session, client,
                                                                  client->partial.data, client->partial.size);
    text_free(&client->partial);
    return taken;
}

static int on_data(struct mg_connection* connection, int bits, char* data, size_t size, void* user) {
    (void)user;
    ViewClient* client = mg_get_user_connection_data(connection);
    if (client == NULL || is_dropped(client) || !take_frame(client, bits, data, size)) {
        return 0;
    }
    return 1;
}

static void on_close(const struct mg_connection* connection, void* user) {
    ViewServer* server = user;
    ViewClient* client = mg_get_user_connection_data(connection);
    if (client == NULL) {
        return;
    }

    drop_client(client);
    session_forget(server->def.session, client);
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < server->client_count; ++i) {
        if (server->clients[i] == client) {
            server->clients[i] = server->clients[--server->client_count];
            break;
        }
    }
    pthread_mutex_unlock(&server->lock);

    (void)pthread_join(client->writer, NULL);
    view_client_release(client);
}

void view_server_send_others(ViewServer* server, const ViewClient* but, const char* text, size_t size) {
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < server->client_count; ++i) {
        if (server->clients[i] != but) {
            view_client_send(server->clients[i], text, size);
        }
    }
    pthread_mutex_unlock(&server->lock);
}

void view_server_send_all(ViewServer* server, const char* text, size_t size) {
    view_server_send_others(server, NULL, text, size);
}

// ---- listening -----------------------------------------------------------------------------------------------------

static bool is_port_free(int port) {
    const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket_fd < 0) {
        return true;  // civetweb will report what is wrong
    }
    (void)setsockopt(socket_fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool is_free = bind(socket_fd, (const struct sockaddr*)&address, sizeof address) == 0;
    (void)close(socket_fd);
    return is_free;
}

static int silence(const struct mg_connection* connection, const char* message) {
    (void)connection;
    (void)message;
    return 1;
}

static bool listen_at(ViewServer* server, int port, char* error, size_t size) {
    char where[64];
    (void)snprintf(where, sizeof where, "127.0.0.1:%d", port);
    // No document_root: nothing is ever read from disk. Stalled requests are ended soon, so that many half-open ones do
    // not keep a page waiting; for the same reason there are more threads than pages.
    const char* options[] = {"listening_ports",
                             where,
                             "num_threads",
                             "64",
                             "connection_queue",
                             "512",
                             "listen_backlog",
                             "512",
                             "request_timeout_ms",
                             "400",
                             "websocket_timeout_ms",
                             "5000",
                             "enable_websocket_ping_pong",
                             "yes",
                             "max_request_size",
                             "8192",
                             "tcp_nodelay",
                             "1",
                             "decode_url",
                             "no",
                             "enable_directory_listing",
                             "no",
                             "enable_keep_alive",
                             "no",
                             "additional_header",
                             "X-Content-Type-Options: nosniff",
                             NULL};
    const struct mg_callbacks callbacks = {.begin_request = begin_request, .log_message = silence};
    struct mg_init_data init = {&callbacks, server, options};
    unsigned code = 0;
    struct mg_error_data problem = {&code, error, size};
    server->context = mg_start2(&init, &problem);
    if (server->context == NULL) {
        return false;
    }

    struct mg_server_port ports[1];
    server->port = mg_get_server_ports(server->context, 1, ports) > 0 ? ports[0].port : port;
    return true;
}

static bool make_token(ViewServer* server) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (int i = 0; i < TOKEN_BYTES; ++i) {
        (void)snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

static void make_texts(ViewServer* server) {
    static const char* const names[HOST_FORMS] = {"127.0.0.1", "localhost", "[::1]"};
    for (int i = 0; i < HOST_FORMS; ++i) {
        (void)snprintf(server->hosts[i], sizeof server->hosts[i], "%s:%d", names[i], server->port);
    }
    (void)snprintf(server->address, sizeof server->address, "http://127.0.0.1:%d/?token=%s", server->port,
                   server->token);
    (void)snprintf(server->policy, sizeof server->policy,
                   "default-src 'self'; connect-src 'self' ws://127.0.0.1:%d ws://localhost:%d; "
                   "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'",
                   server->port, server->port);
}

// The requested port, or the next free one.
static int listen_somewhere(ViewServer* server) {
    const int wanted = server->def.port >= 0 ? server->def.port : PORT_DEFAULT;
    char error[256] = "";
    for (int i = 0; i < PORTS_TRIED; ++i) {
        const int port = wanted == 0 ? 0 : wanted + i;
        if (port > 65535) {
            break;
        }
        if ((port == 0 || is_port_free(port)) && listen_at(server, port, error, sizeof error)) {
            if (i > 0) {
                fprintf(stderr, "berth view: port %d is in use; taking %d\n", wanted, server->port);
            }
            return EXIT_FREE;
        }
    }

    fprintf(stderr, "berth view: no free port from %d on at 127.0.0.1%s%s\n", wanted,
            error[0] != '\0' ? ": " : "", error);
    return EXIT_MACHINE;
}

int view_server_open(const ViewServerDef* def, ViewServer** out) {
    ViewServer* server = calloc(1, sizeof *server);
    *out = server;
    if (server == NULL) {
        return cli_out_of_memory();
    }
    server->def = *def;
    (void)pthread_mutex_init(&server->lock, NULL);
    (void)pthread_cond_init(&server->later_wake, NULL);
    (void)mg_init_library(0);
    if (!make_token(server)) {
        fprintf(stderr, "berth view: no random numbers: %s\n", strerror(errno));
        return EXIT_MACHINE;
    }

    // The token exists before the port is open; texts that need the port are made before anybody can know the token.
    const int status = listen_somewhere(server);
    if (status == EXIT_FREE) {
        make_texts(server);
        mg_set_websocket_handler(server->context, "/ws", on_connect, on_ready, on_data, on_close, server);
    }
    return status;
}

const char* view_server_address(const ViewServer* server) {
    return server->address;
}

// civetweb checks whether it should stop every 2 s, or when somebody connects: so connect.
static void* knock(void* user) {
    ViewServer* server = user;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    while (!atomic_load(&server->stopped)) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(fd, (const struct sockaddr*)&address, sizeof address);
        const struct timespec moment = {0, 20000000};
        (void)nanosleep(&moment, NULL);
        (void)close(fd);
    }
    return NULL;
}

// Inform the pages first: a browser answers, and its thread ends at once.
static void stop_listening(ViewServer* server) {
    pthread_t knocking;
    pthread_mutex_lock(&server->lock);
    for (int i = 0; i < server->client_count; ++i) {
        drop_client(server->clients[i]);
    }
    server->later = LATER_NEVER;
    pthread_cond_broadcast(&server->later_wake);
    pthread_mutex_unlock(&server->lock);

    const bool knocks = pthread_create(&knocking, NULL, knock, server) == 0;
    mg_stop(server->context);
    atomic_store(&server->stopped, true);
    if (knocks) {
        (void)pthread_join(knocking, NULL);
    }
}

void view_server_close(ViewServer* server) {
    if (server == NULL) {
        return;
    }
    if (server->context != NULL) {
        stop_listening(server);
    }
    (void)mg_exit_library();
    (void)pthread_mutex_destroy(&server->lock);
    (void)pthread_cond_destroy(&server->later_wake);
    text_free(&server->visual);
    text_free(&server->visual_geometry);
    free(server);
}
