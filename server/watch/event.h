#ifndef GJKD_WATCH_EVENT_H
#define GJKD_WATCH_EVENT_H

/*
 * Event of a set as text, created once for all its watches: one JSON object in one line, inside the
 * fields of an event stream (HTML, section 9.2, server-sent events). Immutable, with a reference
 * count. Its memory, and that for creating it, is charged to the client whose hash is given.
 */

#include "sets/feed.h"
#include "sets/version.h"
#include "work/memory.h"

#include <stdatomic.h>

typedef enum gjkd_event_kind {
    GJKD_EVENT_CHANGE,
    GJKD_EVENT_OVERLAP,
    GJKD_EVENT_RESET,   /* events were left out: the reader has to GET the set again */
    GJKD_EVENT_DELETED, /* the set was deleted */
    GJKD_EVENT_KINDS,   /* number of kinds that readers get */
    GJKD_EVENT_START = GJKD_EVENT_KINDS, /* no event, only the id to continue from */
} gjkd_event_kind;

const char *gjkd_event_name(gjkd_event_kind kind);

struct gjkd_event {
    gjkd_references references;
    struct gjkd_account account;
    gjkd_event_kind kind;
    bool is_all; /* OVERLAP: starts a list of all pairs, instead of updating it */
    uint64_t incarnation, revision;
    uint32_t nonce; /* nonce of the version */
    bool is_shared; /* the nodes of a cluster share the set */
    uint64_t order; /* gjkd_version_seq of the version */
    proto_ticks ticks;
    size_t head;   /* bytes before the JSON */
    size_t length; /* bytes of the JSON */
    size_t bytes;  /* bytes of the whole text */
    char text[];
};

/* Creates a change event with all that a version contains. Functions that create events return NULL
 * if memory is exhausted. */
struct gjkd_event *gjkd_event_whole(const struct gjkd_version *version, uint64_t client);

typedef enum gjkd_catch_up {
    GJKD_CAUGHT_UP,
    GJKD_CATCH_UP_LATER, /* a commit has not added its change to the feed yet: try again */
    GJKD_CATCH_UP_RESET, /* the changes since then are not known, or memory is exhausted */
    GJKD_CATCH_UP_ENDED, /* the set was deleted */
} gjkd_catch_up;

/*
 * Creates an event of all changes since a version that the feed knows: each shape that any commit
 * has changed, in its present state. So the event also suits a reader whose copy has a later
 * revision, and tells of shapes that were added and removed again.
 */
gjkd_catch_up gjkd_event_since(const gjkd_since *since, const struct gjkd_version *to,
                               uint64_t client, struct gjkd_event **out);

/* Creates an event of pairs that begin or end to overlap. */
struct gjkd_event *gjkd_event_overlap(const struct gjkd_version *version,
                                      const proto_overlap *overlap, uint64_t client);

/* Create a RESET, DELETED or START event for a version, or for the version of another event. */
struct gjkd_event *gjkd_event_note(gjkd_event_kind kind, const struct gjkd_version *version,
                                   uint64_t client);
struct gjkd_event *gjkd_event_note_beside(gjkd_event_kind kind, const struct gjkd_event *other,
                                          uint64_t client);

/* Returns the id of the event, from which a reader can continue: INCARNATION-REVISION. A view. */
proto_text gjkd_event_id(const struct gjkd_event *event);

struct gjkd_event *gjkd_event_retain(struct gjkd_event *event);
void gjkd_event_release(struct gjkd_event *event); /* NULL is allowed */

#endif
