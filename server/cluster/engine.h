#ifndef GJKD_CLUSTER_ENGINE_H
#define GJKD_CLUSTER_ENGINE_H

/*
 * NATS JetStream, as far as the cluster needs it, and nobody else knows of it: a stream of messages
 * in one order (the log), another of pieces that are too large for it, what nodes tell each other beside
 * them, and who hears when the connection comes and goes.
 *
 * Every function but new, free, close, is_connected, trouble and told_bytes_max waits for the servers, at most as long as
 * its time says, and so is for threads that serve nobody.
 */

#include "gjk/base.h"
#include "util/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_ENGINE_ERROR_MAX 512

struct gjkd_engine;

/* A message of the log, a piece, or what another node has told; until its release. */
typedef struct gjkd_engine_message {
    uint64_t place; /* of the log's, or among the pieces */
    const char *data;
    size_t length;
    void *handle;
} gjkd_engine_message;

/* Returns true if the message is what is asked for, and none of somebody else's. */
typedef bool gjkd_engine_fits(void *user, const gjkd_engine_message *message);

typedef struct gjkd_engine_setup {
    const char *urls;              /* separated by commas */
    const char *cluster;           /* of letters, digits, - and _ */
    const char *node;              /* as the servers show it to their operator */
    const char *creds, *ca;        /* files; "": none */
    uint64_t replicas;             /* 0: 3 where there are so many servers, else 1 */
    void (*on_change)(void *user); /* the connection has come or gone; on any thread */
    /* Another node has told something: takes the message over, on a thread of the engine. */
    void (*on_told)(void *user, gjkd_engine_message *message);
    void *user;
} gjkd_engine_setup;

/* Connects to nobody yet. NULL: error says what is wrong with the setup, whose texts live as long as
 * the engine. */
struct gjkd_engine *gjkd_engine_new(const gjkd_engine_setup *setup,
                                    char error[GJKD_ENGINE_ERROR_MAX]);

/* Ends what waits; what is called after that fails. */
void gjkd_engine_close(struct gjkd_engine *engine);
void gjkd_engine_free(struct gjkd_engine *engine); /* NULL is allowed */

/* Makes the connection, and once more where the servers have refused it. For one thread, over and over. */
void gjkd_engine_mend(struct gjkd_engine *engine);

bool gjkd_engine_is_connected(const struct gjkd_engine *engine);

/* Why not. Returns that for everybody, a constant, or NULL where it has not been tried yet; detail: for
 * the log, with the remedy. Never waits. */
const char *gjkd_engine_trouble(struct gjkd_engine *engine, char detail[GJKD_ENGINE_ERROR_MAX]);

/*
 * Tells all other nodes of the cluster, as far as they listen, and waits for no word back: what is
 * told comes in its order, or not at all. May wait for room in the connection. False: it is not told.
 */
bool gjkd_engine_tell(struct gjkd_engine *engine, const char *data, size_t length) GJK_MUST_USE;

/* How long that may be now; 0: nothing can be told. Never waits. */
size_t gjkd_engine_told_bytes_max(const struct gjkd_engine *engine);

/* The log as its leader knows it. */
typedef struct gjkd_engine_state {
    uint64_t epoch;       /* random, of the stream as it was made */
    uint64_t first, last; /* places; nothing is there: first > last */
    uint64_t bytes;
    uint64_t replicas;
} gjkd_engine_state;

/* Looks at the streams; where there are none and may_make, makes them. False: error says why. */
bool gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                      char error[GJKD_ENGINE_ERROR_MAX]) GJK_MUST_USE;

/* Looks at the log alone. */
bool gjkd_engine_look(struct gjkd_engine *engine, uint64_t wait_ms,
                      gjkd_engine_state *out) GJK_MUST_USE;

typedef enum gjkd_published {
    GJKD_PUBLISHED,
    GJKD_PUBLISHED_NOT,     /* the log has another end than expected */
    GJKD_PUBLISHED_UNCLEAR, /* no answer, or none that says what became of it */
} gjkd_published;

/*
 * Adds a message to the end of the log if that is at the place `expected` (0: wherever it is). The
 * same id is taken once in two minutes. *place: where it is.
 */
gjkd_published gjkd_engine_publish(struct gjkd_engine *engine, uint64_t id, uint64_t expected,
                                   const char *data, size_t length, uint64_t wait_ms,
                                   uint64_t *place) GJK_MUST_USE;

typedef enum gjkd_engine_next {
    GJKD_ENGINE_NEXT,
    GJKD_ENGINE_IDLE,   /* nothing has come in that time */
    GJKD_ENGINE_BROKEN, /* follow again */
} gjkd_engine_next;

/* From now on `next` tells the messages from that place on. For one thread, as the next three. */
bool gjkd_engine_follow(struct gjkd_engine *engine, uint64_t from) GJK_MUST_USE;
gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) GJK_MUST_USE;
void gjkd_engine_release(gjkd_engine_message *message);
void gjkd_engine_unfollow(struct gjkd_engine *engine);

/* The message at that place of the log, as its leader knows it. False: it cannot be asked for. There is
 * none: *out has no handle. */
bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place,
                     gjkd_engine_message *out) GJK_MUST_USE;

/* Pieces, by their SHA-256. */
bool gjkd_engine_put_piece(struct gjkd_engine *engine, const gjkd_digest *name, const char *data,
                           size_t length, uint64_t wait_ms) GJK_MUST_USE;
bool gjkd_engine_get_piece(struct gjkd_engine *engine, const gjkd_digest *name,
                           gjkd_engine_fits *fits, void *user,
                           gjkd_engine_message *out) GJK_MUST_USE;

/* A text that is kept beside them; the newest one counts. */
bool gjkd_engine_put_note(struct gjkd_engine *engine, const char *data, size_t length,
                          uint64_t wait_ms) GJK_MUST_USE;
/* False: it cannot be read. There is none: *out has no handle. */
bool gjkd_engine_get_note(struct gjkd_engine *engine, gjkd_engine_fits *fits, void *user,
                          gjkd_engine_message *out) GJK_MUST_USE;

/* The place of the newest of all pieces and notes. */
bool gjkd_engine_look_at_pieces(struct gjkd_engine *engine, uint64_t *last) GJK_MUST_USE;

/* Removes what stands before these places. */
bool gjkd_engine_trim(struct gjkd_engine *engine, uint64_t log_place,
                      uint64_t piece_place) GJK_MUST_USE;

#endif
