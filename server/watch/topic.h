#ifndef GJKD_WATCH_TOPIC_H
#define GJKD_WATCH_TOPIC_H

/*
 * A topic is one kind of event of one set, for all its watches. A worker makes each event once,
 * after the commit and outside of any lock of the set, and posts it to the loops whose connections
 * watch. The next one is made when all of them have had their turn to read it (gjkd_topic_go_on),
 * so that commits that come faster are joined, but those of overlaps, which are compared one by one
 * (trail.h). It exists while somebody watches.
 *
 * The worker's time is that of a client that watches, and so is the memory of what it makes: of
 * several clients, that of the one for which the fewest topics are being published. So no client's
 * topics, however many, hold up an event for another.
 */

#include "sets/feed.h"
#include "watch/event.h"
#include "watch/turns.h"
#include "work/pool.h"

struct gjkd_registry;
struct gjkd_topic;

/* An event in a queue. */
struct gjkd_delivery {
    struct gjkd_delivery *next;
    struct gjkd_event *event;
};

struct gjkd_deliveries {
    struct gjkd_delivery *first, **end;
};

void gjkd_deliveries_init(struct gjkd_deliveries *queue);
/* Adds a reference of its own. False: out of memory. */
bool gjkd_deliveries_push(struct gjkd_deliveries *queue, struct gjkd_event *event) GJK_MUST_USE;
/* Takes the first, which the caller releases; NULL: it is empty. */
struct gjkd_event *gjkd_deliveries_pop(struct gjkd_deliveries *queue);
/* Moves all from one queue to another, which is empty. */
void gjkd_deliveries_move(struct gjkd_deliveries *from, struct gjkd_deliveries *to);
void gjkd_deliveries_clear(struct gjkd_deliveries *queue);

/* Specification of a watch; watches with equal ones share a topic. */
typedef struct gjkd_topic_spec {
    struct gjkd_registry *registry;
    struct gjkd_pool *pool;
    const struct gjkd_version *version; /* of the set */
    gjkd_event_kind kind;               /* CHANGE or OVERLAP */
    const char *filter;                 /* of OVERLAP: checked JSON, or "" */
    uint64_t client;                    /* hash of the one that watches; not shared */
} gjkd_topic_spec;

/* A loop's share in a topic. */
struct gjkd_subscription {
    struct gjkd_task task; /* on its way to the loop; first: tasks are cast back */
    struct gjkd_topic *topic;
    struct gjkd_completion_queue *completions;
    /* Under the feed's lock: */
    struct gjkd_subscription *next;
    struct gjkd_deliveries inbox;
    bool is_posted; /* its task is on its way */
    bool has_lost;  /* there was no memory for an event */
    bool is_behind; /* its readers have not all had their turn with what was posted last */
    /* The loop's: */
    struct gjkd_member *members;
    struct gjkd_hub *hub;
    struct gjkd_turn turn;         /* of the next reader */
    struct gjkd_member *reader;    /* which one; NULL: all have had theirs */
    struct gjkd_deliveries posted; /* what they are given */
    bool is_cut_off;               /* something was lost: they are to come again */
};

/*
 * The loop's subscription, for one more watch; it is made if there is none (*is_new: task.done and
 * the loop's members are to be set before the lock is released). The caller holds the feed's lock.
 * O(1). NULL: out of memory, or the set is deleted.
 */
struct gjkd_subscription *gjkd_topic_join(const gjkd_topic_spec *spec,
                                          struct gjkd_completion_queue *completions, bool *is_new);

/* The loop's readers have had their turn: another event may be posted. */
void gjkd_topic_go_on(struct gjkd_subscription *subscription);

/* A watch of that client ends. is_last: it is the loop's last one. True: the subscription is to be
 * freed now; false: not yet, or when its task, which is on its way, has come. */
bool gjkd_topic_leave(struct gjkd_subscription *subscription, uint64_t client, bool is_last);

/* Posts a list of all overlaps, as soon as a worker is free. */
void gjkd_topic_want_all(struct gjkd_topic *topic);

struct gjkd_feed *gjkd_topic_feed(const struct gjkd_topic *topic);

#endif
