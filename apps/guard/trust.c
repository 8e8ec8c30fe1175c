// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Which senders are trusted. With a key every message must be signed under the guard's nonce, which changes at each
// fault: messages recorded before it are worthless after it. Without a key only loopback is accepted, unless the network
// is trusted.
// Entries: trust_open, trust_check_address, trust_admit, trust_renew_nonce, trust_sign.

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "guard_internal.h"

uint64_t trust_draw(bool* good) {
    uint64_t number = 0;
    *good = getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number;
    return number >> 11;  // 53 bits, which every JSON reader keeps exactly
}

bool trust_open(Guard* guard, GuardError* error) {
    Trust* trust = &guard->trust;
    if (guard->settings->key == NULL) {
        return true;
    }
    if (berth_wire_read_key(guard->settings->key, &trust->key) != BERTH_OK) {
        return guard_fail(error, GUARD_WRONG, "--key %s", berth_error_text());
    }

    bool good = false;
    trust->nonce = trust_draw(&good);
    trust->has_key = true;
    trust->was_faulty = true;  // until the first reset: the nonce is new
    return good || guard_fail(error, GUARD_MACHINE, "no random numbers: %s", strerror(errno));
}

bool trust_check_address(const Guard* guard, const char* option, const char* text, const Address* address,
                         GuardError* error) {
    if (address_is_loopback(address) || guard->trust.has_key || guard->settings->trust_network) {
        return true;
    }
    return guard_fail(
        error, GUARD_WRONG,
        "%s %s is not on loopback, and messages are not signed: sign them with --key FILE, or trust "
        "everyone on the network with --trust-network",
        option, text);
}

bool trust_check_dds(const Guard* guard, GuardError* error) {
    return guard->settings->trust_network ||
           guard_fail(
               error, GUARD_WRONG,
               "dds: anyone in the domain can send messages for a robot, and DDS messages cannot be signed: "
               "--trust-network says that you trust everyone there");
}

// A receiver that sends from the address to which its permits go finds its own stream in them, so they are not from an
// earlier run.
static void note_receiver(Guard* guard, uint64_t stream) {
    Output* out = &guard->output;
    for (int i = 0; guard->sender != NULL && i < out->count; ++i) {
        if (address_matches(&out->to[i], guard->sender)) {
            out->answers[i] = stream;
        }
    }
}

// The nonce is checked first: that costs nothing, unlike a checksum over nine kilobytes.
bool trust_admit(Guard* guard, const void* bytes) {
    const BerthWireMessage* m = &guard->message;
    const Trust* trust = &guard->trust;
    if (!trust->has_key || guard->sender == NULL) {
        return true;  // the system decides who may write to a pipe
    }

    if (m->signed_size > 0 && m->nonce != trust->nonce) {
        guard->message_counts.replayed += 1;
        return false;
    }
    if (!berth_wire_is_signed_by(m, bytes, &trust->key)) {
        guard->message_counts.forged += 1;
        return false;
    }
    note_receiver(guard, m->stream);
    return true;
}

void trust_renew_nonce(Guard* guard, bool fault) {
    Trust* trust = &guard->trust;
    if (trust->has_key && fault && !trust->was_faulty) {
        bool good = false;
        const uint64_t next = trust_draw(&good);
        trust->nonce = good && next != trust->nonce ? next : trust->nonce + 1;
    }
    trust->was_faulty = fault;
}

size_t trust_sign(const Guard* guard, void* bytes, size_t size, size_t room, uint64_t answer) {
    const Trust* trust = &guard->trust;
    return trust->has_key ? berth_wire_sign(bytes, size, room, trust->nonce, answer, &trust->key) : size;
}
