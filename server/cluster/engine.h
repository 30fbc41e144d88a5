#ifndef GJKD_CLUSTER_ENGINE_H
#define GJKD_CLUSTER_ENGINE_H

/*
 * The part of NATS JetStream that the cluster needs: one stream, the log, with a subject for each
 * set, and broadcasts between nodes on core NATS. Only this module and connection.h know NATS.
 * Every function except new, free, close, is_connected and trouble may wait for the servers, for as
 * long as its timeout says, so call them only on threads that serve no requests. send, broadcast
 * and broadcast_bytes_max wait only for buffer space in the connection.
 */

#include "gjk/base.h"
#include "proto/limits.h"
#include "proto/reply.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_ENGINE_ERROR_MAX 512

struct gjkd_engine;

/* Kind of subject of a message: a set, by its name; barriers of a node, by the node's name; or
 * parts of a set's message that is too long, published before that message. */
typedef enum gjkd_log_kind { GJKD_LOG_SET, GJKD_LOG_SYNC, GJKD_LOG_PART } gjkd_log_kind;

/* Version of the format of messages. */
#define GJKD_LOG_FORMAT 4u

/* Flags of a message. HAS_PARTS: its text is the list of positions of its parts. IS_SAME: a rollup,
 * which changes nothing and replaces all earlier messages of the set. IS_WHOLE: it can be applied
 * without the earlier messages. */
enum { GJKD_HAS_PARTS = 1, GJKD_IS_SAME = 2, GJKD_IS_WHOLE = 4 };

/* Maximum length of a message that is not split, and length of each part but the last. */
#define GJKD_INLINE_BYTES ((size_t)256 << 10)
#define GJKD_PART_BYTES ((size_t)512 << 10)

/* Identity of a write, and of the message that it was made from. */
typedef struct gjkd_log_head {
    uint64_t id; /* random */
    uint64_t after_seq, after_id;
    unsigned flags;
} gjkd_log_head;

typedef enum gjkd_published {
    GJKD_PUBLISHED,
    GJKD_PUBLISHED_NOT, /* not taken: the newest message of the subject is not the expected one, or
                         * another one is on its way into the log, which may still fail */
    GJKD_PUBLISHED_UNCLEAR, /* no answer, or one that does not tell the outcome */
} gjkd_published;

/* Message of the log, or broadcast of another node; valid until its release. */
typedef struct gjkd_engine_message {
    uint64_t place; /* sequence number in the stream */
    uint64_t delivery;
    int64_t sent_ns;
    const char *data;
    size_t length;
    gjkd_log_kind kind;
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    bool is_ours; /* written by gjkd; else format, head and node are not set */
    unsigned format;
    gjkd_log_head head;
    const char *node;
    void *handle;
} gjkd_engine_message;

typedef struct gjkd_publication {
    gjkd_log_kind kind;
    const char *name;
    gjkd_log_head head;
    bool is_expected; /* publish only if the newest message of the subject is at `expected` */
    uint64_t expected;
    bool rolls_up; /* removes the earlier messages of the subject */
    proto_text text;
} gjkd_publication;

typedef struct gjkd_engine_setup {
    const char *urls;       /* separated by commas */
    const char *cluster;    /* only letters, digits, - and _ */
    const char *node;       /* name that the servers show to their operator */
    const char *creds, *ca; /* files; "": none */
    uint64_t replicas;      /* copies of the log; 0: 3 if there are at least 3 servers, else 1 */
    void (*on_change)(void *user); /* called when the connection is made or lost; on any thread */
    /* Called on a thread of the engine with another node's broadcast, which it takes over. */
    void (*on_tick)(void *user, gjkd_engine_message *message);
    /* Called with the outcome of gjkd_engine_send, and the message's position if it is PUBLISHED,
     * on another thread of the engine. */
    void (*on_answer)(void *user, uint64_t token, gjkd_published answer, uint64_t seq);
    void *user;
} gjkd_engine_setup;

/* Creates an engine without connecting. The texts of the setup must outlive it. Returns NULL if the
 * setup is wrong: error says why. */
struct gjkd_engine *gjkd_engine_new(const gjkd_engine_setup *setup,
                                    char error[GJKD_ENGINE_ERROR_MAX]);

/* Interrupts calls that wait; later calls fail. */
void gjkd_engine_close(struct gjkd_engine *engine);
void gjkd_engine_free(struct gjkd_engine *engine); /* NULL is allowed */

/* Connects, also after the credentials were refused. To be called repeatedly, by one thread. */
void gjkd_engine_mend(struct gjkd_engine *engine);

bool gjkd_engine_is_connected(const struct gjkd_engine *engine);

/* Explains why the engine is not connected. Returns a constant text for clients, NULL if nothing
 * has failed so far; detail receives the text for the log, with the remedy. Never waits. */
const char *gjkd_engine_trouble(struct gjkd_engine *engine, char detail[GJKD_ENGINE_ERROR_MAX]);

/*
 * Broadcasts to all other nodes of the cluster without acknowledgement: messages arrive in order,
 * or are lost. May wait for space in the connection's buffer. Returns false if the message was not
 * sent.
 */
bool gjkd_engine_broadcast(struct gjkd_engine *engine, const char *data,
                           size_t length) GJK_MUST_USE;

/* Returns the maximum length of a broadcast; 0 if not connected. */
size_t gjkd_engine_broadcast_bytes_max(const struct gjkd_engine *engine);

/* State of the log as its leader reports it. */
typedef struct gjkd_engine_state {
    uint64_t epoch; /* random id of the stream, drawn at its creation */
    uint64_t last;  /* position of its newest message */
    uint64_t bytes;
    uint64_t replicas;
    char leader[128]; /* name of the leading server; "" if there is none, or a single server */
} gjkd_engine_state;

typedef enum gjkd_opened {
    GJKD_OPENED,
    GJKD_OPENED_NOT,  /* error says why */
    GJKD_OPENED_NONE, /* there is no log; error is set, too */
    GJKD_OPENED_OLD,  /* the servers are too old; error is set, too */
} gjkd_opened;

/* Asks for the state of the log. Creates the log if it does not exist and may_make is set. */
gjkd_opened gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                             char error[GJKD_ENGINE_ERROR_MAX]) GJK_MUST_USE;

/* Only asks for the state of the log. Returns false if the leader does not answer. */
bool gjkd_engine_look(struct gjkd_engine *engine, uint64_t wait_ms,
                      gjkd_engine_state *out) GJK_MUST_USE;

/* Appends a message to the log and waits for the acknowledgement. *seq: position of the message. */
gjkd_published gjkd_engine_publish(struct gjkd_engine *engine, const gjkd_publication *what,
                                   uint64_t wait_ms, uint64_t *seq) GJK_MUST_USE;

/* Does the same without waiting: on_answer receives the outcome with this token, if one arrives.
 * Returns false if the message was not sent. */
bool gjkd_engine_send(struct gjkd_engine *engine, const gjkd_publication *what,
                      uint64_t token) GJK_MUST_USE;

/* Removes the subject's messages below a position. */
bool gjkd_engine_purge(struct gjkd_engine *engine, gjkd_log_kind kind, const char *name,
                       uint64_t below);

/* Asks the servers to elect another leader of the log. */
bool gjkd_engine_change_leader(struct gjkd_engine *engine);

typedef enum gjkd_engine_next {
    GJKD_ENGINE_NEXT,
    GJKD_ENGINE_ALIVE,  /* the server has no message now; it says so four times a second */
    GJKD_ENGINE_IDLE,   /* nothing arrived within the time */
    GJKD_ENGINE_BROKEN, /* the subscription is lost: follow again */
} gjkd_engine_next;

/* Starts the delivery of messages from a position on; gjkd_engine_next_message returns them. This
 * and the next three functions are for one thread. */
bool gjkd_engine_follow(struct gjkd_engine *engine, uint64_t from) GJK_MUST_USE;
gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) GJK_MUST_USE;
void gjkd_engine_release(struct gjkd_engine *engine, gjkd_engine_message *message);
void gjkd_engine_unfollow(struct gjkd_engine *engine);

/* Fetches the message at a position from the log's leader. Returns false if the leader does not
 * answer. If there is no such message, out->handle is NULL. */
bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place,
                     gjkd_engine_message *out) GJK_MUST_USE;

/* Question for the head of a message, answered by the log's leader. */
typedef struct gjkd_probe {
    const char *name; /* set whose newest message is asked for; NULL: the message at `place` */
    uint64_t place;   /* answer: position of the message; 0 if there is none */
    uint64_t id;      /* answer: its id; 0 if gjkd has not written it */
} gjkd_probe;

/* Asks for all of them at once. Returns false if some are not answered. */
bool gjkd_engine_probe(struct gjkd_engine *engine, gjkd_probe *probes, size_t count) GJK_MUST_USE;

#endif
