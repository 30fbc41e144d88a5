#ifndef GJKD_CLUSTER_ENGINE_H
#define GJKD_CLUSTER_ENGINE_H

/*
 * NATS JetStream, as far as the cluster needs it, and the only file that knows of it: one stream,
 * the log, with a subject for each set, and what nodes tell each other on core NATS.
 *
 * Every function but new, free, close, is_connected and trouble may wait for the servers, at most as long
 * as its time says, so it is for threads that serve nobody. send, broadcast and broadcast_bytes_max wait
 * for room in the connection alone.
 */

#include "gjk/base.h"
#include "proto/limits.h"
#include "proto/reply.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_ENGINE_ERROR_MAX 512

struct gjkd_engine;

/* Subject of a message of the log: a set, of that name; the place that a node has come to, of the
 * node's name; or a part of a set's message that is too long, before that message. */
typedef enum gjkd_log_kind { GJKD_LOG_SET, GJKD_LOG_SYNC, GJKD_LOG_PART } gjkd_log_kind;

/* Version of the messages of the log. */
#define GJKD_LOG_FORMAT 4u

/* Flags of a message. HAS_PARTS: its text is a list of the places of its parts. IS_SAME: it changes
 * nothing, and stands for all messages of the set before it. IS_WHOLE: it can be read without
 * those. */
enum { GJKD_HAS_PARTS = 1, GJKD_IS_SAME = 2, GJKD_IS_WHOLE = 4 };

/* Longest message that is not cut into parts, and length of all parts but the last. */
#define GJKD_INLINE_BYTES ((size_t)256 << 10)
#define GJKD_PART_BYTES ((size_t)512 << 10)

/* The write, and the one that it was judged by. */
typedef struct gjkd_log_head {
    uint64_t id; /* random */
    uint64_t after_seq, after_id;
    unsigned flags;
} gjkd_log_head;

typedef enum gjkd_published {
    GJKD_PUBLISHED,
    GJKD_PUBLISHED_NOT,     /* the subject has another newest message than expected */
    GJKD_PUBLISHED_UNCLEAR, /* no answer, or none that says what became of it */
} gjkd_published;

/* A message of the log, or a broadcast of another node; valid until its release. */
typedef struct gjkd_engine_message {
    uint64_t place; /* its sequence */
    uint64_t delivery;
    int64_t sent_ns;
    const char *data;
    size_t length;
    gjkd_log_kind kind;
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    bool is_ours; /* what follows is valid */
    unsigned format;
    gjkd_log_head head;
    const char *node;
    void *handle;
} gjkd_engine_message;

typedef struct gjkd_publication {
    gjkd_log_kind kind;
    const char *name;
    gjkd_log_head head;
    bool is_expected; /* only if the newest message of the subject is at `expected` */
    uint64_t expected;
    bool rolls_up; /* the messages of the subject before it go */
    proto_text text;
} gjkd_publication;

typedef struct gjkd_engine_setup {
    const char *urls;              /* separated by commas */
    const char *cluster;           /* of letters, digits, - and _ */
    const char *node;              /* as the servers show it to their operator */
    const char *creds, *ca;        /* files; "": none */
    uint64_t replicas;             /* 0: 3 where there are so many servers, else 1 */
    void (*on_change)(void *user); /* the connection has come or gone; on any thread */
    /* Called with a broadcast of another node, which it takes over, on a thread of the engine. */
    void (*on_tick)(void *user, gjkd_engine_message *message);
    /* Called with the answer to a publication that was sent, and its place if it is PUBLISHED, on another
     * thread of the engine. */
    void (*on_answer)(void *user, uint64_t token, gjkd_published answer, uint64_t seq);
    void *user;
} gjkd_engine_setup;

/* Makes an engine, not yet connected. The texts of the setup have to outlive it. Returns NULL if
 * the setup is wrong: error says why. */
struct gjkd_engine *gjkd_engine_new(const gjkd_engine_setup *setup,
                                    char error[GJKD_ENGINE_ERROR_MAX]);

/* Ends calls that wait; later calls fail. */
void gjkd_engine_close(struct gjkd_engine *engine);
void gjkd_engine_free(struct gjkd_engine *engine); /* NULL is allowed */

/* Connects, or connects again where the servers have refused it. To be called over and over by one
 * thread. */
void gjkd_engine_mend(struct gjkd_engine *engine);

bool gjkd_engine_is_connected(const struct gjkd_engine *engine);

/* Tells why the engine is not connected. Returns a constant text for clients, NULL if it has not
 * been tried yet; detail gets the text for the log, with the remedy. Never waits. */
const char *gjkd_engine_trouble(struct gjkd_engine *engine, char detail[GJKD_ENGINE_ERROR_MAX]);

/*
 * Broadcasts to all other nodes of the cluster, without acknowledgement: messages arrive in order
 * or not at all. May wait for room in the connection. Returns false if the message was not sent.
 */
bool gjkd_engine_broadcast(struct gjkd_engine *engine, const char *data,
                           size_t length) GJK_MUST_USE;

/* Most bytes of a broadcast now; 0: none is possible. */
size_t gjkd_engine_broadcast_bytes_max(const struct gjkd_engine *engine);

/* The log as its leader knows it. */
typedef struct gjkd_engine_state {
    uint64_t epoch; /* random, of the stream as it was made */
    uint64_t last;  /* place of its newest message */
    uint64_t bytes;
    uint64_t replicas;
    char leader[128]; /* name of its server; "": it has none, or is alone */
} gjkd_engine_state;

typedef enum gjkd_opened {
    GJKD_OPENED,
    GJKD_OPENED_NOT,  /* error says why */
    GJKD_OPENED_NONE, /* the same: there is no log */
    GJKD_OPENED_OLD,  /* the same: the servers are too old */
} gjkd_opened;

/* Looks at the log; where there is none and may_make, makes it. */
gjkd_opened gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                             char error[GJKD_ENGINE_ERROR_MAX]) GJK_MUST_USE;

/* Looks at the log alone. */
bool gjkd_engine_look(struct gjkd_engine *engine, uint64_t wait_ms,
                      gjkd_engine_state *out) GJK_MUST_USE;

/* Adds a message to the log. *seq: its place. */
gjkd_published gjkd_engine_publish(struct gjkd_engine *engine, const gjkd_publication *what,
                                   uint64_t wait_ms, uint64_t *seq) GJK_MUST_USE;

/* The same without waiting: on_answer gets the answer, with this token, if one comes. Returns false if it
 * was not sent. */
bool gjkd_engine_send(struct gjkd_engine *engine, const gjkd_publication *what,
                      uint64_t token) GJK_MUST_USE;

/* Removes the subject's messages below a place. */
bool gjkd_engine_purge(struct gjkd_engine *engine, gjkd_log_kind kind, const char *name,
                       uint64_t below);

/* Asks for another leader of the log. */
bool gjkd_engine_change_leader(struct gjkd_engine *engine);

typedef enum gjkd_engine_next {
    GJKD_ENGINE_NEXT,
    GJKD_ENGINE_ALIVE,  /* the server has none now: it says so four times a second */
    GJKD_ENGINE_IDLE,   /* nothing has come in that time */
    GJKD_ENGINE_BROKEN, /* follow again */
} gjkd_engine_next;

/* Begins to deliver the messages from that place on, by gjkd_engine_next_message. For one thread,
 * as the next three. */
bool gjkd_engine_follow(struct gjkd_engine *engine, uint64_t from) GJK_MUST_USE;
gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) GJK_MUST_USE;
void gjkd_engine_release(struct gjkd_engine *engine, gjkd_engine_message *message);
void gjkd_engine_unfollow(struct gjkd_engine *engine);

/* The message at that place of the log, as its leader knows it. False: it cannot be asked for.
 * There is none: *out has no handle. */
bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place,
                     gjkd_engine_message *out) GJK_MUST_USE;

/* Head of a message, as the log's leader has it. */
typedef struct gjkd_probe {
    const char *name; /* of a set, whose newest message is wanted; NULL: the one at `place` */
    uint64_t place;   /* then that of the message; 0: there is none */
    uint64_t id;      /* of it; 0: it is none of gjkd's */
} gjkd_probe;

/* Asks for all of them at once. False: not all are answered. */
bool gjkd_engine_probe(struct gjkd_engine *engine, gjkd_probe *probes, size_t count) GJK_MUST_USE;

#endif
