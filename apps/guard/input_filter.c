// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// The kernel drops datagrams from undeclared senders, so that a flood of them does not fill the queue of the declared ones.
// It counts the datagrams that it drops for this reason or because the queue is full.
// Entries: filter_attach, filter_count.

#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <string.h>

#include "guard_internal.h"

enum { STEPS_PER_SENDER = 5 };

static struct sock_filter filter_step(int code, uint32_t k, uint8_t if_true, uint8_t if_false) {
    return (struct sock_filter){(uint16_t)code, if_true, if_false, k};
}

// A filter program that accepts datagrams of the declared senders. Offsets are those of the UDP header, and of the IP
// header before it.
bool filter_attach(const Input* input) {
    enum { IP_SENDER = 12, WHOLE = 0x40000 };
    struct sock_filter code[STEPS_PER_SENDER * GUARD_LIST_MAX + 1];
    size_t count = 0;

    for (int i = 0; i < input->from_count; ++i) {
        const struct sockaddr_in* from = (const struct sockaddr_in*)&input->from[i].at;
        const bool any_port = input->from[i].any_port;
        if (from->sin_family != AF_INET) {
            return false;  // input_drain_udp checks every sender again
        }

        // Compares the sender's address, then its port; a match accepts the whole datagram.
        code[count++] = filter_step(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + IP_SENDER, 0, 0);
        code[count++] = filter_step(BPF_JMP | BPF_JEQ | BPF_K, ntohl(from->sin_addr.s_addr), 0,
                                    any_port ? 1 : STEPS_PER_SENDER - 2);
        if (!any_port) {
            code[count++] = filter_step(BPF_LD | BPF_H | BPF_ABS, 0, 0, 0);
            code[count++] = filter_step(BPF_JMP | BPF_JEQ | BPF_K, ntohs(from->sin_port), 0, 1);
        }
        code[count++] = filter_step(BPF_RET | BPF_K, WHOLE, 0, 0);
    }

    code[count++] = filter_step(BPF_RET | BPF_K, 0, 0, 0);
    const struct sock_fprog program = {(unsigned short)count, code};
    return setsockopt(input->file, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0;
}

void filter_count(Guard* guard) {
    uint32_t numbers[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof numbers;
    if (guard->input.file >= 0 &&
        getsockopt(guard->input.file, SOL_SOCKET, SO_MEMINFO, numbers, &size) == 0) {
        guard->message_counts.unqueued = numbers[SK_MEMINFO_DROPS];
    }
}
