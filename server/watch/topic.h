#ifndef GJKD_WATCH_TOPIC_H
#define GJKD_WATCH_TOPIC_H

/*
 * A topic is one kind of event of one set, for all watches of it. A worker creates each event once,
 * after the commit and outside any lock of the set, and posts it to the loops that have watches.
 * The next event follows only when all their readers have had a turn to read it
 * (gjkd_topic_readers_are_done), so fast commits are merged into one event, except for overlaps,
 * whose versions are compared one by one (trail.h). A topic exists while it has watches.
 *
 * The worker's time and memory are charged to a client with a watch: if there are several, to the
 * one for which the fewest topics are being published. So no client, however many topics it has,
 * delays an event for another one.
 */

#include "sets/feed.h"
#include "watch/event.h"
#include "watch/turns.h"
#include "work/pool.h"

#include <sys/queue.h>

struct gjkd_registry;
struct gjkd_topic;

/* Entry of a queue of events. */
struct gjkd_delivery {
    struct gjkd_delivery *next;
    struct gjkd_event *event;
};

struct gjkd_deliveries {
    struct gjkd_delivery *first, **end;
};

void gjkd_deliveries_init(struct gjkd_deliveries *queue);
/* Appends the event with a reference of its own. Returns false if memory is exhausted. */
bool gjkd_deliveries_push(struct gjkd_deliveries *queue, struct gjkd_event *event) GJK_MUST_USE;
/* Removes the first event, which the caller releases. Returns NULL if the queue is empty. */
struct gjkd_event *gjkd_deliveries_pop(struct gjkd_deliveries *queue);
/* Moves all events to another queue, which is empty. */
void gjkd_deliveries_move(struct gjkd_deliveries *from, struct gjkd_deliveries *to);
void gjkd_deliveries_clear(struct gjkd_deliveries *queue);

/* Specification of a watch. Watches with equal ones share a topic; `client` does not count. */
typedef struct gjkd_topic_spec {
    struct gjkd_registry *registry;
    struct gjkd_pool *pool;
    const struct gjkd_version *version; /* a version of the set */
    gjkd_event_kind kind;               /* CHANGE or OVERLAP */
    const char *filter;                 /* for OVERLAP: checked JSON, or "" */
    uint64_t client;                    /* hash of the watching client */
} gjkd_topic_spec;

/* Subscription of a loop to a topic. */
struct gjkd_subscription {
    struct gjkd_task task; /* posted to the loop; first: a pointer to it is cast back */
    struct gjkd_topic *topic;
    struct gjkd_completion_queue *completions;
    /* Guarded by the feed's lock: */
    struct gjkd_subscription *next;
    struct gjkd_deliveries inbox;
    bool is_posted; /* the task has been posted */
    bool has_lost;  /* memory was exhausted for an event */
    bool is_behind; /* some readers have not had a turn since the last post */
    /* Only for the loop: */
    LIST_HEAD(, gjkd_member) members;
    struct gjkd_hub *hub;
    struct gjkd_turn turn;         /* turn of the next reader */
    struct gjkd_member *reader;    /* the next reader; NULL if all have had a turn */
    struct gjkd_deliveries posted; /* events that the readers get */
    bool is_cut_off;               /* an event was lost: the readers have to come again */
};

/*
 * Returns the loop's subscription, for one more watch. If it is new (*is_new), the caller sets
 * task.done and the loop's members before it releases the feed's lock, which it holds. O(1).
 * Returns NULL if memory is exhausted or the set is deleted.
 */
struct gjkd_subscription *gjkd_topic_join(const gjkd_topic_spec *spec,
                                          struct gjkd_completion_queue *completions, bool *is_new);

/* Tells the topic that the loop's readers have had their turn: another event may be posted. */
void gjkd_topic_readers_are_done(struct gjkd_subscription *subscription);

/* Ends a watch of that client. is_last: it is the loop's last one. Returns true if the caller has
 * to free the subscription now. Otherwise it stays or, if is_last, is freed by its task. */
bool gjkd_topic_leave(struct gjkd_subscription *subscription, uint64_t client, bool is_last);

/* Makes the topic post a list of all overlaps as soon as a worker is free. */
void gjkd_topic_list_all(struct gjkd_topic *topic);

struct gjkd_feed *gjkd_topic_feed(const struct gjkd_topic *topic);

#endif
