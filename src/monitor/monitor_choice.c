// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// Switching between declared options: a message requests it, the next cycle begins with it.
// Entries: berth_monitor_switch, berth_monitor_active; bi_monitor_apply_choices.

#include "monitor/monitor.h"

void berth_monitor_switch(BerthMonitor* monitor, const BerthMonitorSwitch* message) {
    monitor->counters.messages += 1;
    if (!isfinite(message->received)) {
        monitor->counters.malformed += 1;
        return;
    }

    if (message->choice < 0 || message->choice >= monitor->choice_count || message->option < 0 ||
        message->option >= monitor->choices[message->choice].option_count) {
        // What the sender believes to be in force is nothing that is known here: it must tell of what is.
        if (message->choice >= 0 && message->choice < monitor->choice_count) {
            Track* wrong = &monitor->choice_tracks[message->choice];
            if (!wrong->known) {
                bi_track_restart(wrong, message->stream, message->sequence);
            }
            wrong->heard = false;
        }
        bi_monitor_fault(monitor, BERTH_STOP_MODEL, FAULT_ANYWHERE);
        return;
    }

    Track* track = &monitor->choice_tracks[message->choice];
    const FaultAt here = fault_at_choice(message->choice);
    if (!bi_track_admit(monitor, track, message->stream, message->sequence, message->received, here)) {
        return;
    }

    TrackClock clock = track_clock(monitor, message->stamp, message->received);
    clock.silence = fmax(clock.silence, monitor->choices[message->choice].silence);
    if (!bi_track_admit_clock(monitor, track, &clock, here)) {
        return;
    }

    ChoiceNow* now = &monitor->choices_now[message->choice];
    now->wanted = message->option;
    monitor->switching = monitor->switching || now->wanted != now->active;
    bi_track_accept(monitor, track, message->stream, message->sequence, &clock);
}

int32_t berth_monitor_active(const BerthMonitor* monitor, int32_t choice) {
    return choice >= 0 && choice < monitor->choice_count ? monitor->choices_now[choice].active : -1;
}

// docs/theory/monitor.md: brakes that slow down an arm of this mass slow down more mass less.
static void weigh_loads(BerthMonitor* monitor) {
    const BerthScene* scene = monitor->scene;
    for (int32_t r = 0; r < scene->robot_count; ++r) {
        monitor->load_scale[r] = 1.0;
    }

    for (int32_t r = 0; r < scene->robot_count; ++r) {
        double mass = 0.0;
        int32_t last = -1;

        for (int32_t i = 0; i < monitor->simple_count; ++i) {
            const int32_t body =
                monitor->simple_bodies[i].body;  // the simple bodies of a body follow each other
            if (monitor->simple_shown[i] && body != last && scene->bodies[body].robot == r) {
                mass += monitor->masses[body];
            }
            last = monitor->simple_shown[i] ? body : last;
        }

        monitor->load_scale[r] = monitor->def.load_mass / (monitor->def.load_mass + mass);
    }
}

static void hash_active_options(BerthMonitor* monitor) {
    Sha256 sha;
    bi_sha256_init(&sha);
    bi_sha256_add(&sha, monitor->base_model, sizeof monitor->base_model);
    for (int32_t i = 0; i < monitor->choice_count; ++i) {
        const int32_t active = monitor->choices_now[i].active;
        const uint8_t bytes[4] = {(uint8_t)active, (uint8_t)(active >> 8), (uint8_t)(active >> 16),
                                  (uint8_t)(active >> 24)};
        bi_sha256_add(&sha, bytes, sizeof bytes);
    }
    bi_sha256_end(&sha, monitor->model);
}

void bi_monitor_apply_choices(BerthMonitor* monitor) {
    if (!monitor->switching) {
        return;
    }
    monitor->switching = false;

    for (int32_t i = 0; i < monitor->choice_count; ++i) {
        ChoiceNow* now = &monitor->choices_now[i];
        monitor->counters.switches += now->active != now->wanted;
        now->active = now->wanted;
    }

    for (int32_t i = 0; i < monitor->simple_count; ++i) {
        const SimpleBody* simple = &monitor->simple_bodies[i];
        const bool shown =
            simple->choice < 0 || monitor->choices_now[simple->choice].active == simple->option;
        if (shown != monitor->simple_shown[i]) {
            monitor->simple_shown[i] = shown;
            (void)berth_index_switch(monitor->index, simple->indexed, shown ? &simple->shape : NULL);
        }
    }

    weigh_loads(monitor);
    hash_active_options(monitor);
}
