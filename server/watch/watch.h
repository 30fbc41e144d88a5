#ifndef GJKD_WATCH_WATCH_H
#define GJKD_WATCH_WATCH_H

/*
 * A watch is one reader of a set's events, on the thread of its loop: the events that it has yet to
 * read, and the position to continue from. Its owner sends the bytes. A reader that falls behind
 * gets one reset instead of all waiting events, which bounds its memory.
 */

#include "security/limiter.h"
#include "security/token.h"
#include "sets/registry.h"
#include "watch/topic.h"

/* Maximum size of the events that wait behind the one being read. */
#define GJKD_WATCH_WAITING_MAX ((uint64_t)1 << 20)

/* Maximum time without a byte for a reader. */
#define GJKD_WATCH_SILENCE_MAX_S 15

/* Watches whose sets do not exist are kept in so many lists, by the hash of the set's name. */
#define GJKD_WATCH_LISTS 256

/* One of the lists, with what the writer of a set reads and posts. */
struct gjkd_waiting_list {
    struct gjkd_hub *hub;
    struct gjkd_turns watches; /* longest not looked for first */
    atomic_uint count;         /* number of watches whose sets do not exist */
    struct gjkd_task made;     /* posted to the loop when a set is created */
    atomic_bool is_told;       /* `made` has been posted */
    uint64_t looks;            /* number of times that sets have been created */
    struct gjkd_turn turn;     /* entry of the hub's `made` */
};

/* Watches of one loop. The creator sets the members up to `hash_seed`; the others are zero. */
struct gjkd_hub {
    struct gjkd_registry_listener listener; /* first: a pointer to it is cast back */
    struct gjkd_registry *registry;
    struct gjkd_pool *pool;
    struct gjkd_completion_queue *completions;
    struct gjkd_quota *quota;     /* counts each client's watches on all loops */
    struct gjkd_keyring *keyring; /* NULL if no tokens are needed */
    /* Called for each event that a reader takes. */
    void (*count)(void *owner, gjkd_event_kind kind);
    void *owner;
    uint64_t hash_seed;           /* secret seed for hashes of names */
    struct gjkd_turns turns;      /* watches with something to read */
    struct gjkd_turns by_reading; /* all watches, longest silent first */
    struct gjkd_waiting_list waiting[GJKD_WATCH_LISTS];
    struct gjkd_turns made;     /* waiting lists with watches whose sets may exist */
    struct gjkd_turns by_check; /* all watches, least recently checked token first */
    uint64_t checks;            /* number of changes of tokens */
    struct gjkd_watch *closed;  /* watches to be freed */
    unsigned watches;
    unsigned out; /* subscriptions and catch-ups whose tasks may still arrive */
};

typedef struct gjkd_watch_spec {
    const char *name;                   /* name of the set */
    const struct gjkd_version *version; /* present version of the set; NULL if it does not exist */
    bool waits;                         /* waits until the set is created, or created again */
    bool changes, overlaps;             /* wanted kinds of events, at least one */
    const char *filter;                 /* for overlaps: checked JSON, or "" */
    bool has_since, has_incarnation;
    uint64_t since, incarnation;
    uint32_t nonce;       /* nonce of the version `since`, if has_incarnation */
    uint64_t since_ticks; /* in a cluster: number of ticks after position `since` */
    uint64_t client;      /* hash of the client, which is charged */
    bool has_token;       /* the request had the token `token` */
    gjkd_digest token;
} gjkd_watch_spec;

/* Start and stop listening for created sets. Call them on the loop's thread, or before it runs. */
void gjkd_hub_start(struct gjkd_hub *hub);
void gjkd_hub_stop(struct gjkd_hub *hub);

/* Returns true if gjkd_hub_serve has work to do. */
bool gjkd_hub_has_news(const struct gjkd_hub *hub);

/* Returns true if a task of a watch may still arrive, or a watch is still to be freed. */
bool gjkd_hub_is_busy(const struct gjkd_hub *hub);

/*
 * Does up to turns_max steps of each kind: frees closed watches, checks tokens after a change,
 * looks for sets that watches wait for, and calls `ready` of watches with something to read,
 * longest waiting first. To be called in every round of the loop, so that readers and requests take
 * turns.
 */
void gjkd_hub_serve(struct gjkd_hub *hub, unsigned turns_max);

/* Makes gjkd_hub_serve check all tokens, and end watches that theirs no longer allows. O(1). */
void gjkd_hub_check_tokens(struct gjkd_hub *hub);

/* Opens a watch. gjkd_hub_serve calls ready when there is something to read; the owner reads the
 * first events by itself. Returns NULL on failure: the problem says that the token no longer allows
 * it, that the client has too many watches, or that memory is exhausted. */
struct gjkd_watch *gjkd_watch_open(struct gjkd_hub *hub, const gjkd_watch_spec *spec,
                                   void (*ready)(void *owner), void *owner,
                                   struct proto_problem *problem);

/* Detaches the watch from its owner; gjkd_hub_serve frees it. O(1). */
void gjkd_watch_close(struct gjkd_watch *watch); /* NULL is allowed */

/* Ends the watch after the event that is being read. */
void gjkd_watch_end(struct gjkd_watch *watch);

/* Ends the watch if its token no longer allows it. */
void gjkd_watch_check_token(struct gjkd_watch *watch);

/* Returns why the watch has ended before its set; NULL if it goes on, or if its events tell why. */
const struct proto_problem *gjkd_watch_refusal(const struct gjkd_watch *watch);

/* Sends a comment to readers that have been silent for long. To be called about once a second. */
void gjkd_hub_send_comments(struct gjkd_hub *hub, uint64_t now_ns);

/* Reads at most `length` bytes of the event stream. Returns 0 if there are none now. */
size_t gjkd_watch_read(struct gjkd_watch *watch, char *to, size_t length);

/* Takes the next event, which the caller releases, as an alternative to gjkd_watch_read. Returns
 * NULL if there is none now. */
struct gjkd_event *gjkd_watch_take(struct gjkd_watch *watch);

/* Returns true, once, if the reader has been silent for long and should get a sign of life, as an
 * alternative to the comment of gjkd_watch_read. */
bool gjkd_watch_take_ping(struct gjkd_watch *watch);

/* Returns true if nothing is left to read and nothing will follow. */
bool gjkd_watch_is_over(const struct gjkd_watch *watch);

#endif
