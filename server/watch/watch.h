#ifndef GJKD_WATCH_WATCH_H
#define GJKD_WATCH_WATCH_H

/*
 * A watch is one reader of a set's events, on the thread of its loop: what it still has to read,
 * and from where it goes on. How its bytes travel is its owner's matter. A reader that falls behind
 * gets one reset in the place of all that waits, so that it never costs more memory than that.
 */

#include "security/limiter.h"
#include "security/token.h"
#include "sets/registry.h"
#include "watch/topic.h"

/* Bytes that may wait behind the event that is being read. */
#define GJKD_WATCH_WAITING_MAX ((uint64_t)1 << 20)

/* A reader hears something at least that often. */
#define GJKD_WATCH_SILENCE_MAX_S 15

/* The watches of one loop. The members up to `owner` are set by whoever makes it; the rest is
 * zero. */
struct gjkd_hub {
    struct gjkd_registry_listener listener; /* first: listeners are cast back */
    struct gjkd_registry *registry;
    struct gjkd_pool *pool;
    struct gjkd_completion_queue *completions;
    struct gjkd_quota *quota;     /* of each client's watches, on all loops */
    struct gjkd_keyring *keyring; /* NULL: nobody needs a token */
    /* Called for each event that a reader takes. */
    void (*count)(void *owner, gjkd_event_kind kind);
    void *owner;
    struct gjkd_turns turns;      /* of watches with news */
    struct gjkd_turns by_reading; /* all watches, those first that have been silent for longest */
    struct gjkd_turns waiting;    /* watches whose sets are not there, those first that have not
                                     been looked for for longest */
    atomic_uint waiting_count;    /* of these */
    struct gjkd_task made;        /* tells the loop of sets that are made */
    atomic_bool is_told;          /* it is on its way */
    uint64_t looks;               /* for sets that are waited for, so far */
    struct gjkd_turns by_check;   /* all watches, those first whose token was looked at first */
    uint64_t checks;              /* of all tokens, so far */
    struct gjkd_watch *closed;    /* watches that are to be freed */
    unsigned watches;
    unsigned out; /* subscriptions, and catching up that is under way: what a task may bring back */
};

typedef struct gjkd_watch_spec {
    const char *name;                   /* of the set */
    const struct gjkd_version *version; /* of the set, as of now; NULL: it is not there */
    bool waits;                         /* until the set is made, and made again */
    bool changes, overlaps;             /* kinds of events, at least one */
    const char *filter;                 /* of overlaps: checked JSON, or "" */
    bool has_since, has_incarnation;
    uint64_t since, incarnation;
    uint32_t nonce;       /* of the write that made the version `since`, if has_incarnation */
    uint64_t since_ticks; /* in a cluster: ticks after the change `since` of its log */
    uint64_t client;      /* hash of the client, which pays */
    bool has_token;       /* `token` is what it was asked with */
    gjkd_digest token;
} gjkd_watch_spec;

/* Begins and ends to hear of sets that are made. On the thread of the loop, or before it runs. */
void gjkd_hub_start(struct gjkd_hub *hub);
void gjkd_hub_stop(struct gjkd_hub *hub);

/* Returns true if gjkd_hub_serve has something to do. */
bool gjkd_hub_has_news(const struct gjkd_hub *hub);

/* Returns true if something of a watch is still to come back or to be freed. */
bool gjkd_hub_is_busy(const struct gjkd_hub *hub);

/*
 * Calls `ready` of up to so many watches that have something to read, those first that have waited
 * longest; looks at the tokens of as many that were asked with another one, and for the sets of as
 * many that wait for one to be made, and frees as many that were closed. To be called in every round of the loop, between whose requests the readers take
 * turns.
 */
void gjkd_hub_serve(struct gjkd_hub *hub, unsigned turns_max);

/* Tokens have changed: has gjkd_hub_serve end each watch whose token does not allow it any more.
 * O(1). */
void gjkd_hub_check_tokens(struct gjkd_hub *hub);

/* ready is called by gjkd_hub_serve when there is something to read; what there is in the beginning
 * the owner reads by itself. NULL, and the problem says why: the token does not allow it any more,
 * the client has too many, or there is no memory. */
struct gjkd_watch *gjkd_watch_open(struct gjkd_hub *hub, const gjkd_watch_spec *spec,
                                   void (*ready)(void *owner), void *owner,
                                   struct proto_problem *problem);

/* The watch is its client's no more; it is freed by gjkd_hub_serve. O(1). */
void gjkd_watch_close(struct gjkd_watch *watch); /* NULL is allowed */

/* Ends the watch behind what is being read. */
void gjkd_watch_end(struct gjkd_watch *watch);

/* Ends the watch if its token, as it is now, does not allow it any more. */
void gjkd_watch_check_token(struct gjkd_watch *watch);

/* Returns why the watch has ended before its set; NULL: it has not, or its reader knows. */
const struct proto_problem *gjkd_watch_refusal(const struct gjkd_watch *watch);

/* Sends a sign of life to readers of watches that were silent for long. To be called about once a
 * second. */
void gjkd_hub_break_silence(struct gjkd_hub *hub, uint64_t now_ns);

/* The next bytes of the event stream, at most `length`; 0: there are none now. */
size_t gjkd_watch_read(struct gjkd_watch *watch, char *to, size_t length);

/* The next event, which the caller releases; NULL: there is none now. In the place of read. */
struct gjkd_event *gjkd_watch_take(struct gjkd_watch *watch);

/* Returns true if the reader, silent for long, is to be told that it is still there. True once; in
 * the place of the comment that read gives. */
bool gjkd_watch_takes_sign(struct gjkd_watch *watch);

/* Returns true if nothing is left to read, and nothing will come. */
bool gjkd_watch_is_over(const struct gjkd_watch *watch);

#endif
