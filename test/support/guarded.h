// SPDX-FileCopyrightText: 2026 berth authors
// SPDX-License-Identifier: MIT
//
// A real `berth monitor` beside the test: messages to it over loopback, permits and events back.

#ifndef TEST_SUPPORT_GUARDED_H
#define TEST_SUPPORT_GUARDED_H

#include <berth/io.h>
#include <jansson.h>
#include <sys/types.h>

enum { GUARDED_TEXT = 1 << 20 };

typedef struct Guarded {
    pid_t pid;
    int out;             ///< its standard output, read without waiting
    int in;              ///< its standard input; -1: /dev/null
    int port;            ///< where it listens, 0: nowhere
    int permits;         ///< socket that permits come to
    int sender;          ///< socket that messages go from
    uint16_t from_port;  ///< that what it sends comes from, as the network writes it; 0: nothing came yet
    char* text;          ///< what it wrote so far
    size_t size;
    BerthScene* scene;
    uint64_t stream, sequence;
    double sent_at;  ///< CLOCK_MONOTONIC just after the last state was sent
    int64_t go_count, stop_count;
    BerthWireMessage last;  ///< permit
    double last_go_stamp;   ///< CLOCK_MONOTONIC when the cycle of the last permit that was `go` began
} Guarded;

double guarded_now(void);
void guarded_sleep(double seconds);

/// A scene file of the two arms with this period and silence, in the test's folder.
const char* guarded_scene(double period, double silence, const char* more);

/// Starts `berth monitor SCENE --json --not-real-time --output udp:...` with these arguments as well, the last one NULL, and
/// waits for its start event. `piped`: its standard input is a pipe.
bool guarded_start(Guarded* guarded, const char* scene, bool piped, const char* const* arguments);
/// The same for another command that serves datagrams.
bool guarded_start_as(Guarded* guarded, const char* command, const char* scene, bool piped,
                      const char* const* arguments);
/// The scene's state, moved by `shift` in every value. Binary, or JSON.
void guarded_send_state(Guarded* guarded, double shift, bool json);
void guarded_send_reset(Guarded* guarded);
void guarded_send(Guarded* guarded, const void* bytes, size_t size);
/// The next datagram of the program; 0: none is there. What others send is passed over: ports are used again, and tests beside this
/// one may send to ours what was meant for a guard that is gone. Ours is who sent the first that `is_its` says yes to.
size_t guarded_receive(Guarded* guarded, char* bytes, size_t room,
                       bool (*is_its)(const char* bytes, size_t size));
/// For guarded_receive.
bool guarded_is_permit(const char* bytes, size_t size);
/// Takes all permits that are there. Returns how many.
int guarded_take(Guarded* guarded);
/// Sends states, and resets where it stands, until there is a permit; at most so many seconds.
bool guarded_until_go(Guarded* guarded, double seconds);
/// Reads its standard output.
void guarded_read(Guarded* guarded);
/// Sends the signal (0: none), waits for it to end, reads all. The exit status; 1000 + signal when it was killed; -1: it hung.
int guarded_end(Guarded* guarded, int signal);
void guarded_close(Guarded* guarded);
/// The last event of that name in its output; null: none.
json_t* guarded_event(const Guarded* guarded, const char* name);
int guarded_event_count(const Guarded* guarded, const char* name);
/// A number of the last event of that name; -1: none.
double guarded_number(const Guarded* guarded, const char* event, const char* key);

#endif
