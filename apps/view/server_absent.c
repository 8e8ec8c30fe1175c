// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Without civetweb there is no server: berth view --html still works, everything else says what is missing.

#include "view/view.h"

void view_client_send(ViewClient* client, const char* text, size_t size) {
    (void)client;
    (void)text;
    (void)size;
}

void view_client_hold(ViewClient* client) {
    (void)client;
}

void view_client_release(ViewClient* client) {
    (void)client;
}

int view_server_open(const ViewServerDef* def, ViewServer** out) {
    (void)def;
    *out = NULL;
    fputs(
        "berth view: this program was built without civetweb and cannot serve a page (--html FILE "
        "writes one); install libcivetweb-dev and build it again\n",
        stderr);
    return EXIT_WRONG;
}

const char* view_server_address(const ViewServer* server) {
    (void)server;
    return "";
}

bool view_server_await_visuals(ViewServer* server, double seconds) {
    (void)server;
    (void)seconds;
    return false;
}

void view_server_give_visuals(ViewServer* server, Text* json, Text* geometry) {
    (void)server;
    text_free(json);
    text_free(geometry);
}

void view_server_send_all(ViewServer* server, const char* text, size_t size) {
    (void)server;
    (void)text;
    (void)size;
}

void view_server_send_others(ViewServer* server, const ViewClient* but, const char* text, size_t size) {
    (void)server;
    (void)but;
    (void)text;
    (void)size;
}

void view_server_close(ViewServer* server) {
    (void)server;
}
