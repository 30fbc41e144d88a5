#ifndef GJKD_WATCH_EVENT_H
#define GJKD_WATCH_EVENT_H

/*
 * An event of a set as text, made once for all its watches: one JSON object on one line, and around
 * it what an event stream adds (HTML, section 9.2, server-sent events). Immutable, with a reference
 * count. Its memory, and what is needed to make it, is charged to the client whose hash is given.
 */

#include "sets/feed.h"
#include "sets/version.h"
#include "work/memory.h"

#include <stdatomic.h>

typedef enum gjkd_event_kind {
    GJKD_EVENT_CHANGE,
    GJKD_EVENT_OVERLAP,
    GJKD_EVENT_RESET,   /* events were left out: the set is to be read again */
    GJKD_EVENT_DELETED, /* the set is gone */
    GJKD_EVENT_START,   /* no event, only the id from which the stream goes on */
} gjkd_event_kind;
#define GJKD_EVENT_KINDS (GJKD_EVENT_DELETED + 1)

const char *gjkd_event_name(gjkd_event_kind kind);

struct gjkd_event {
    gjkd_references references;
    struct gjkd_account account;
    gjkd_event_kind kind;
    bool is_all; /* of overlaps: begins a list, instead of going on with one */
    uint64_t incarnation, revision;
    uint32_t nonce; /* of the version */
    bool is_shared; /* the set, by the nodes of a cluster */
    uint64_t order; /* gjkd_version_seq of the version */
    proto_ticks ticks;
    size_t head;   /* bytes before the JSON */
    size_t length; /* of the JSON */
    size_t bytes;  /* of all the text */
    char text[];
};

/* A change of everything: all that a version has. NULL, here and below: out of memory. */
struct gjkd_event *gjkd_event_whole(const struct gjkd_version *version, uint64_t client);

typedef enum gjkd_catch_up {
    GJKD_CAUGHT_UP,
    GJKD_CATCH_UP_LATER, /* a commit is about to tell the last change */
    GJKD_CATCH_UP_RESET, /* what has changed since then is not known, or there is no memory */
    GJKD_CATCH_UP_ENDED, /* the set is deleted */
} gjkd_catch_up;

/*
 * Makes an event of all changes since that version, as the feed knows them: everything that any
 * commit has touched, as it is now. So it is right for a reader, too, whose copy is of a revision
 * in between, and has what came and went again.
 */
gjkd_catch_up gjkd_event_since(const gjkd_since *since, const struct gjkd_version *to,
                               uint64_t client, struct gjkd_event **out);

/* Pairs that begin and end to overlap. */
struct gjkd_event *gjkd_event_overlap(const struct gjkd_version *version,
                                      const proto_overlap *overlap, uint64_t client);

/* RESET, DELETED or START at a version, or where `other` stands. */
struct gjkd_event *gjkd_event_note(gjkd_event_kind kind, const struct gjkd_version *version,
                                   uint64_t client);
struct gjkd_event *gjkd_event_note_beside(gjkd_event_kind kind, const struct gjkd_event *other,
                                          uint64_t client);

/* The id of the event, from which a reader can go on: INCARNATION-REVISION. */
proto_text gjkd_event_id(const struct gjkd_event *event);

struct gjkd_event *gjkd_event_retain(struct gjkd_event *event);
void gjkd_event_release(struct gjkd_event *event); /* NULL is allowed */

#endif
