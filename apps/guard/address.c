// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Numeric addresses: no names are looked up.
// Entries: address_read, address_is_loopback, address_matches.

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard_internal.h"

// Splits "HOST:PORT", "[HOST]:PORT" or "HOST".
static bool split_host_and_port(const char* text, char* host, size_t size, char* port, size_t port_size) {
    const bool bracket = text[0] == '[';
    const char* end = bracket ? strchr(text, ']') : strrchr(text, ':');
    const char* begin = bracket ? text + 1 : text;

    if (bracket && end == NULL) {
        return false;
    }

    const size_t length = end != NULL ? (size_t)(end - begin) : strlen(begin);
    const char* behind = "";
    if (end != NULL) {
        behind = bracket && end[1] == ':' ? end + 2 : end + 1;
    }

    if (length == 0 || length >= size || strlen(behind) >= port_size) {
        return false;
    }

    memcpy(host, begin, length);
    host[length] = '\0';
    (void)snprintf(port, port_size, "%s", behind);
    return true;
}

// Digits that fit a port. getaddrinfo accepts signs, and takes larger numbers modulo 65536.
static bool is_port(const char* text) {
    const size_t length = strspn(text, "0123456789");
    return text[length] == '\0' && strtoul(text, NULL, 10) <= 65535;
}

bool address_read(const char* text, bool needs_port, Address* out, GuardError* error) {
    char host[80], port[64];
    *out = (Address){0};

    if (!split_host_and_port(text, host, sizeof host, port, sizeof port) || (needs_port && port[0] == '\0')) {
        return guard_fail(error, GUARD_WRONG, "address '%s': expected HOST:PORT", text);
    }
    if (!is_port(port)) {
        return guard_fail(error, GUARD_WRONG, "address '%s': port '%s': expected 0 to 65535", text, port);
    }

    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_DGRAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo* found = NULL;
    const char* number = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;
    if (getaddrinfo(number, port[0] != '\0' ? port : "0", &hints, &found) != 0 || found == NULL) {
        return guard_fail(error, GUARD_WRONG,
                          "address '%s': expected numbers, as in 127.0.0.1:7400 or [::1]:7400, or localhost",
                          text);
    }

    memcpy(&out->at, found->ai_addr, found->ai_addrlen);
    out->size = found->ai_addrlen;
    out->any_port = port[0] == '\0';
    freeaddrinfo(found);
    return true;
}

static const struct sockaddr_in* ip4(const struct sockaddr_storage* at) {
    return (const struct sockaddr_in*)at;
}

static const struct sockaddr_in6* ip6(const struct sockaddr_storage* at) {
    return (const struct sockaddr_in6*)at;
}

bool address_is_loopback(const Address* address) {
    if (address->at.ss_family == AF_INET) {
        return (ntohl(ip4(&address->at)->sin_addr.s_addr) >> 24) == 127;
    }
    return address->at.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&ip6(&address->at)->sin6_addr) != 0;
}

bool address_matches(const Address* declared, const struct sockaddr_storage* sender) {
    if (declared->at.ss_family != sender->ss_family) {
        return false;
    }
    if (sender->ss_family == AF_INET) {
        return ip4(&declared->at)->sin_addr.s_addr == ip4(sender)->sin_addr.s_addr &&
               (declared->any_port || ip4(&declared->at)->sin_port == ip4(sender)->sin_port);
    }
    return sender->ss_family == AF_INET6 &&
           memcmp(&ip6(&declared->at)->sin6_addr, &ip6(sender)->sin6_addr, sizeof(struct in6_addr)) == 0 &&
           (declared->any_port || ip6(&declared->at)->sin6_port == ip6(sender)->sin6_port);
}
