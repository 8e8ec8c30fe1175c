// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Two threads: one waits for messages (dds_receive.c), one writes the permits passed by the loop (dds_send.c).
// Entries: dds_open, dds_counts, dds_close.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dds_internal.h"

// "/joint_states@3": the topic's name in DDS, and the domain. Default: ROS_DOMAIN_ID.
static bool read_topic(const char* text, const char* fallback, char topic[TOPIC_MAX], uint32_t* domain,
                       GuardError* error) {
    const char* at = strrchr(text, '@');
    const char* number = at != NULL ? at + 1 : getenv("ROS_DOMAIN_ID");
    size_t size = at != NULL ? (size_t)(at - text) : strlen(text);
    if (size == 0) {
        text = fallback;
        size = strlen(text);
    }
    if (text[0] != '/' || size < 2 || size > TOPIC_MAX - 16 || memchr(text, '@', size) != NULL) {
        return guard_fail(error, GUARD_WRONG, "dds:%s: expected dds:/TOPIC or dds:/TOPIC@DOMAIN", text);
    }

    memcpy(topic, "rt", 2);
    memcpy(topic + 2, text, size);
    topic[2 + size] = 0;

    *domain = 0;
    if (number != NULL && number[0] != 0) {
        char* end = NULL;
        const unsigned long value = strtoul(number, &end, 10);
        if (number[0] < '0' || number[0] > '9' || *end != 0 || value > 232) {
            return guard_fail(error, GUARD_WRONG, "dds: domain '%s': expected a number from 0 to 232",
                              number);
        }
        *domain = (uint32_t)value;
    }
    return true;
}

bool dds_fail(GuardError* error, const char* what, dds_return_t code) {
    return guard_fail(error, GUARD_MACHINE, "dds: %s: %s", what, dds_strretcode(-code));
}

dds_entity_t dds_open_topic(const Dds* dds, const dds_topic_descriptor_t* type, const char* name) {
    return dds_create_topic(dds->participant, type, name, NULL, NULL);
}

static bool open_parts(Dds* dds, const DdsDef* def, GuardError* error) {
    char input[TOPIC_MAX], output[TOPIC_MAX];
    uint32_t domain = 0, output_domain = 0;
    if ((def->input != NULL && !read_topic(def->input, "/joint_states", input, &domain, error)) ||
        (def->output != NULL && !read_topic(def->output, "/berth/permit", output, &output_domain, error))) {
        return false;
    }

    if (def->input != NULL && def->output != NULL && domain != output_domain) {
        return guard_fail(error, GUARD_WRONG,
                          "dds: input is in domain %u but output in domain %u; expected one domain", domain,
                          output_domain);
    }

    dds->participant = dds_create_participant(def->input != NULL ? domain : output_domain, NULL, NULL);
    if (dds->participant < 0) {
        return dds_fail(error, "cannot join the domain", dds->participant);
    }

    return (def->input == NULL || dds_open_readers(dds, input, error)) &&
           (def->output == NULL || dds_open_writers(dds, output, error));
}

bool dds_open(const DdsDef* def, Dds** out, GuardError* error) {
    *out = NULL;
    Dds* dds = calloc(1, sizeof *dds);
    if (dds == NULL) {
        return guard_fail(error, GUARD_MACHINE, "out of memory");
    }

    dds->def = *def;
    dds->wake = -1;
    if (!open_parts(dds, def, error)) {
        dds_close(dds);
        return false;
    }
    *out = dds;
    return true;
}

void dds_close(Dds* dds) {
    if (dds == NULL) {
        return;
    }

    // Wake the sender so that it sees `done`.
    atomic_store(&dds->done, true);
    if (dds->sender_runs) {
        const uint64_t one = 1;
        (void)!write(dds->wake, &one, sizeof one);
        (void)pthread_join(dds->sender, NULL);
    }
    if (dds->receiver_runs) {
        (void)pthread_join(dds->receiver, NULL);
    }

    if (dds->participant > 0) {
        (void)dds_delete(dds->participant);
    }
    if (dds->wake >= 0) {
        (void)close(dds->wake);
    }

    joint_merger_close(dds->merger);
    free(dds);
}

JointMerger* dds_joint_merger(Dds* dds) {
    return dds->merger;
}

DdsCounts dds_counts(const Dds* dds) {
    return (DdsCounts){
        .messages = atomic_load(&dds->messages),
        .malformed = atomic_load(&dds->malformed),
        .stale = atomic_load(&dds->stale),
        .strangers = atomic_load(&dds->strangers),
        .misfits = atomic_load(&dds->misfits),
        .lost = atomic_load(&dds->lost) + (dds->merger != NULL ? joint_merger_lost(dds->merger) : 0),
        .sent = atomic_load(&dds->sent),
        .unsent = atomic_load(&dds->unsent)};
}
