/*
 * A watch that begins in the past first catches up: a worker creates one event of all changes since
 * then, and events posted meanwhile wait behind it. Those that it covers are skipped by their
 * revision. An event that it covers in part is sent whole, because events contain whole shapes, not
 * differences.
 *
 * Changes and overlaps are published independently, so either may come first. A reader of both gets
 * overlaps after the changes that led to them, so that a reader that continues from the id of any
 * event has seen every change up to it.
 */

#include "watch/watch.h"

#include "sets/feed.h"
#include "util/hash.h"
#include "watch/turns.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { TOPICS = 2 };

/* A few seconds early, because silence is checked only now and then. */
#define COMMENT_AFTER_NS ((GJKD_WATCH_SILENCE_MAX_S - 5) * UINT64_C(1000000000))

/* Catch-up: a worker creates one event of all changes of a set since a version. */
struct catching_up {
    struct gjkd_task task; /* first: a pointer to it is cast back */
    struct gjkd_hub *hub;
    struct gjkd_watch *watch; /* NULL if the watch no longer waits for it */
    struct gjkd_version *version;
    gjkd_since since;
    bool is_whole;            /* the reader has no version */
    uint64_t client;          /* hash of the client that is charged */
    struct gjkd_event *event; /* the result; NULL if memory was exhausted */
    bool has_ended;           /* the set was deleted, which its topic reports */
};

/* Entry of a watch in the list of a subscription. */
struct gjkd_member {
    struct gjkd_watch *watch;
    struct gjkd_subscription *subscription; /* NULL if not subscribed */
    LIST_ENTRY(gjkd_member) link;           /* in subscription->members */
};

struct gjkd_watch {
    struct gjkd_turn turn; /* first: a pointer to it is cast back */
    struct gjkd_turn by_reading, by_check, by_waiting;
    struct gjkd_hub *hub;
    struct gjkd_waiting_list *list; /* the list of its set's name */
    struct gjkd_watch *next;        /* next closed watch */
    struct gjkd_account account;
    uint64_t client;
    uint64_t checked; /* value of hub->checks when its token was last checked */
    uint64_t looked;  /* value of list->looks when its set was last looked for */
    bool has_token;
    gjkd_digest token;
    struct proto_problem *refusal; /* reason of its end; NULL if none */
    void (*ready)(void *owner);
    void *owner;
    struct gjkd_member members[TOPICS];
    struct gjkd_deliveries queue;
    struct gjkd_deliveries held; /* overlaps of revisions whose changes have not come yet */
    uint64_t held_bytes;
    uint64_t waiting; /* bytes of the queue without its first event */
    size_t offset;    /* number of bytes of the first event that were read */
    uint64_t at;      /* version at the end of the queue (gjkd_version_seq) */
    uint64_t read_ns;
    struct catching_up *catch_up; /* running catch-up; NULL if none */
    bool has_all;                 /* a list of all overlaps is in the queue or was read */
    bool is_last;                 /* nothing more is queued */
    bool has_comment;             /* a comment is to be sent */
    bool waits;                   /* the watch outlives the set */
    bool is_waiting;              /* the set does not exist: nothing is queued */
    bool has_old;                 /* the reader has a version of an earlier life of the set */
    bool changes, overlaps;       /* wanted kinds of events */
    const char *filter;           /* stored after the name */
    char set[];                   /* name of the set */
};

/* --- The queue --- */

static void note_ready(struct gjkd_watch *watch) {
    gjkd_turns_add(&watch->hub->turns, &watch->turn);
}

static void on_turn(struct gjkd_turn *turn) {
    const struct gjkd_watch *watch = (const struct gjkd_watch *)(void *)turn;
    watch->ready(watch->owner);
}

/* Moves the watch to the end of the list by silence. */
static void note_read(struct gjkd_watch *watch, uint64_t now_ns) {
    watch->read_ns = now_ns;
    (void)gjkd_turns_remove(&watch->hub->by_reading, &watch->by_reading);
    gjkd_turns_add(&watch->hub->by_reading, &watch->by_reading);
}

static void end_queue(struct gjkd_watch *watch) {
    watch->is_last = true;
    note_ready(watch);
}

/* Ends the watch with a reason, which the reader gets if there is memory. */
static void refuse_watch(struct gjkd_watch *watch, const struct proto_problem *problem) {
    if (watch->is_last) {
        return;
    }
    watch->refusal = malloc(sizeof *watch->refusal);
    if (watch->refusal != NULL) {
        *watch->refusal = *problem;
    }
    gjkd_watch_end(watch);
}

static void refuse_for_memory(struct gjkd_watch *watch) {
    struct proto_problem problem;
    proto_problem_set(&problem, PROTO_OUT_OF_MEMORY, "no memory for an event of the set");
    refuse_watch(watch, &problem);
}

/* Queues an event. Ends the watch if memory is exhausted even for a `reset`. */
static void push(struct gjkd_watch *watch, struct gjkd_event *event) {
    if (event == NULL || !gjkd_deliveries_push(&watch->queue, event)) {
        end_queue(watch);
        return;
    }
    watch->waiting += watch->queue.first->next != NULL ? event->bytes : 0;
    note_ready(watch);
}

static void drop_held(struct gjkd_watch *watch) {
    gjkd_deliveries_clear(&watch->held);
    watch->held_bytes = 0;
}

/* Removes all events except one that is partly read. */
static void drop_waiting(struct gjkd_watch *watch) {
    drop_held(watch);
    struct gjkd_event *begun = watch->offset > 0 ? gjkd_deliveries_pop(&watch->queue) : NULL;
    gjkd_deliveries_clear(&watch->queue);
    watch->waiting = 0;
    if (begun != NULL && !gjkd_deliveries_push(&watch->queue, begun)) {
        watch->offset = 0;
        watch->is_last = true; /* half an event has been read */
    }
    gjkd_event_release(begun);
}

static void forget_catch_up(struct gjkd_watch *watch);

/* Replaces all waiting events by one. */
static void reset(struct gjkd_watch *watch, struct gjkd_event *instead) {
    forget_catch_up(watch);
    drop_waiting(watch);
    if (instead != NULL) {
        watch->at = instead->order;
    }
    watch->has_all = false;
    push(watch, instead);
}

/* Returns true if the watch needs the event: a change newer than the queue, a list of overlaps if
 * it has none, or an update of the list if it has one. */
static bool wants(const struct gjkd_watch *watch, const struct gjkd_event *event) {
    switch (event->kind) {
    case GJKD_EVENT_CHANGE:
        return watch->catch_up != NULL || event->order > watch->at;
    case GJKD_EVENT_OVERLAP:
        return event->is_all != watch->has_all;
    default:
        return true;
    }
}

/* Queues the held events whose changes are now in the queue. */
static void push_held(struct gjkd_watch *watch) {
    while (watch->held.first != NULL && watch->held.first->event->order <= watch->at) {
        struct gjkd_event *event = gjkd_deliveries_pop(&watch->held);
        watch->held_bytes -= event->bytes;
        push(watch, event);
        gjkd_event_release(event);
    }
}

static void push_or_hold(struct gjkd_watch *watch, struct gjkd_event *event) {
    /* An overlap waits for the changes of its revision. */
    const bool is_early = event->kind == GJKD_EVENT_OVERLAP &&
                          watch->members[0].subscription != NULL &&
                          (watch->catch_up != NULL || event->order > watch->at);
    if (is_early) {
        if (gjkd_deliveries_push(&watch->held, event)) {
            watch->held_bytes += event->bytes;
        } else {
            end_queue(watch);
        }
        return;
    }
    push(watch, event);
    if (event->kind == GJKD_EVENT_CHANGE && watch->catch_up == NULL) {
        watch->at = event->order;
        push_held(watch);
    }
}

static struct gjkd_waiting_list *list_of(struct gjkd_hub *hub, const char *name) {
    return &hub->waiting[gjkd_checksum(name, strlen(name), hub->hash_seed) % GJKD_WATCH_LISTS];
}

/* Ends the watch because the set does not exist, or makes it wait for the set. */
static void miss_set(struct gjkd_watch *watch) {
    if (!watch->waits) {
        end_queue(watch);
        return;
    }
    drop_held(watch);
    watch->has_all = false;
    watch->looked = watch->list->looks;
    if (!watch->is_waiting) { /* from now on on_registry reports new sets */
        watch->is_waiting = true;
        atomic_fetch_add(&watch->list->count, 1);
    }
    gjkd_turns_add(&watch->list->watches, &watch->by_waiting);
}

static void end_waiting(struct gjkd_watch *watch) {
    (void)gjkd_turns_remove(&watch->list->watches, &watch->by_waiting);
    if (watch->is_waiting) {
        watch->is_waiting = false;
        atomic_fetch_sub(&watch->list->count, 1);
    }
}

static void deliver(struct gjkd_watch *watch, struct gjkd_event *event) {
    if (watch->is_last || watch->is_waiting || !wants(watch, event)) {
        return;
    }
    if (event->kind == GJKD_EVENT_DELETED) {
        push(watch, event);
        miss_set(watch);
    } else if (event->kind == GJKD_EVENT_RESET) {
        reset(watch, event);
    } else if (watch->waiting + watch->held_bytes > GJKD_WATCH_WAITING_MAX) {
        struct gjkd_event *instead = gjkd_event_note_beside(GJKD_EVENT_RESET, event, watch->client);
        reset(watch, instead);
        gjkd_event_release(instead);
    } else {
        watch->has_all = watch->has_all || event->kind == GJKD_EVENT_OVERLAP;
        push_or_hold(watch, event);
    }
}

/* --- Subscriptions --- */

/* Takes all posted events. Returns false if one was lost because memory was exhausted. */
static bool empty_inbox(struct gjkd_subscription *subscription, struct gjkd_deliveries *out) {
    struct gjkd_feed *feed = gjkd_topic_feed(subscription->topic);
    gjkd_deliveries_init(out);
    pthread_mutex_lock(&feed->lock);
    gjkd_deliveries_move(&subscription->inbox, out);
    const bool has_lost = subscription->has_lost;
    subscription->is_posted = subscription->has_lost = false;
    pthread_mutex_unlock(&feed->lock);
    return !has_lost;
}

static void on_posted(struct gjkd_task *task) {
    struct gjkd_subscription *subscription = (struct gjkd_subscription *)(void *)task;
    struct gjkd_hub *hub = subscription->hub;
    if (subscription->topic == NULL) {
        free(subscription);
        hub->out--;
        return;
    }
    subscription->is_cut_off = !empty_inbox(subscription, &subscription->posted);
    subscription->reader = LIST_FIRST(&subscription->members);
    gjkd_turns_add(&hub->turns, &subscription->turn);
}

/* Gives one reader the posted events and its turn; other work is served before the next reader.
 * Readers that join meanwhile begin with a later version. */
static void on_reader(struct gjkd_turn *turn) {
    struct gjkd_subscription *subscription =
        gjkd_owner(turn, offsetof(struct gjkd_subscription, turn));
    struct gjkd_hub *hub = subscription->hub;
    struct gjkd_watch *watch = subscription->reader != NULL ? subscription->reader->watch : NULL;
    if (watch != NULL) {
        for (const struct gjkd_delivery *at = subscription->posted.first; at != NULL;
             at = at->next) {
            deliver(watch, at->event);
        }
        if (subscription->is_cut_off) {
            refuse_for_memory(watch); /* the reader comes again and catches up */
        }
        subscription->reader = LIST_NEXT(subscription->reader, link);
    }
    if (subscription->reader != NULL) {
        gjkd_turns_add(&hub->turns, &subscription->turn);
    } else {
        gjkd_deliveries_clear(&subscription->posted);
        gjkd_topic_readers_are_done(subscription);
    }
    if (watch != NULL && gjkd_turns_remove(&hub->turns, &watch->turn)) {
        watch->ready(watch->owner); /* may close the watch, and so free the subscription */
    }
}

static bool join(struct gjkd_watch *watch, int topic, const gjkd_topic_spec *spec) {
    struct gjkd_hub *hub = watch->hub;
    struct gjkd_member *member = &watch->members[topic];
    struct gjkd_feed *feed = spec->version->feed;
    bool is_new = false;
    pthread_mutex_lock(&feed->lock);
    struct gjkd_subscription *subscription = gjkd_topic_join(spec, hub->completions, &is_new);
    if (is_new) {
        subscription->task.done = on_posted;
        subscription->turn.take = on_reader;
        gjkd_deliveries_init(&subscription->posted);
        subscription->hub = hub;
        hub->out++;
    }
    pthread_mutex_unlock(&feed->lock);
    if (subscription == NULL) {
        return false;
    }
    *member = (struct gjkd_member){.watch = watch, .subscription = subscription};
    LIST_INSERT_HEAD(&subscription->members, member, link);
    return true;
}

static void leave(struct gjkd_member *member) {
    struct gjkd_subscription *subscription = member->subscription;
    if (subscription == NULL) {
        return;
    }
    if (subscription->reader == member) {
        subscription->reader = LIST_NEXT(member, link);
    }
    LIST_REMOVE(member, link);
    member->subscription = NULL;
    const bool is_last = LIST_EMPTY(&subscription->members);
    if (is_last) {
        (void)gjkd_turns_remove(&subscription->hub->turns, &subscription->turn);
        gjkd_deliveries_clear(&subscription->posted);
    }
    if (gjkd_topic_leave(subscription, member->watch->client, is_last)) {
        member->watch->hub->out--;
        free(subscription);
    }
}

/* Requests a list of all pairs, for a reader of overlaps that has lost the list or has none yet. */
static void want_all(const struct gjkd_watch *watch) {
    const struct gjkd_subscription *subscription = watch->members[1].subscription;
    if (subscription != NULL && !watch->has_all && !watch->is_last) {
        gjkd_topic_list_all(subscription->topic);
    }
}

/* --- Catching up --- */

static void forget_catch_up(struct gjkd_watch *watch) {
    if (watch->catch_up != NULL) {
        watch->catch_up->watch = NULL;
        watch->catch_up = NULL;
    }
}

/* Queues the event of the catch-up before those posted meanwhile, and removes those that it covers.
 * If the set was deleted, only the deletion is left. */
static void insert_first(struct gjkd_watch *watch, const struct catching_up *caught_up) {
    struct gjkd_event *event = caught_up->event;
    struct gjkd_deliveries later;
    gjkd_deliveries_init(&later);
    gjkd_deliveries_move(&watch->queue, &later);
    watch->waiting = 0;
    if (caught_up->has_ended) {
        watch->at = UINT64_MAX;
    } else {
        push(watch, event);
        watch->at = event != NULL ? event->order : watch->at;
    }
    for (struct gjkd_event *next; (next = gjkd_deliveries_pop(&later)) != NULL;) {
        if (next->kind != GJKD_EVENT_CHANGE || next->order > watch->at) {
            push(watch, next);
            watch->at = next->kind == GJKD_EVENT_CHANGE ? next->order : watch->at;
        }
        gjkd_event_release(next);
    }
    push_held(watch);
}

static gjkd_task_result make_event(struct gjkd_task *task) {
    struct catching_up *self = (struct catching_up *)(void *)task;
    if (self->is_whole) {
        self->event = gjkd_event_whole(self->version, self->client);
        return GJKD_TASK_COMPLETE;
    }
    switch (gjkd_event_since(&self->since, self->version, self->client, &self->event)) {
    case GJKD_CATCH_UP_LATER:
        return GJKD_TASK_REQUEUE;
    case GJKD_CATCH_UP_RESET:
        self->event = gjkd_event_note(GJKD_EVENT_RESET, self->version, self->client);
        break;
    case GJKD_CATCH_UP_ENDED:
        self->has_ended = true;
        break;
    case GJKD_CAUGHT_UP:
        break;
    }
    return GJKD_TASK_COMPLETE;
}

static void on_caught_up(struct gjkd_task *task) {
    struct catching_up *self = (struct catching_up *)(void *)task;
    struct gjkd_watch *watch = self->watch;
    if (watch != NULL) {
        watch->catch_up = NULL;
        insert_first(watch, self);
        note_ready(watch);
    }
    gjkd_event_release(self->event);
    gjkd_version_release(self->version);
    self->hub->out--;
    free(self);
}

/* Starts to create an event of the changes from a version (NULL: the reader has none) up to
 * `version`, in the client's processor time. */
static void start_catch_up(struct gjkd_watch *watch, const gjkd_since *since,
                           struct gjkd_version *version) {
    struct gjkd_hub *hub = watch->hub;
    struct catching_up *self = calloc(1, sizeof *self);
    watch->catch_up = self;
    if (self == NULL) {
        end_queue(watch);
        return;
    }
    self->task.completions = hub->completions;
    self->task.client = gjkd_task_client(watch->client);
    self->task.run = make_event;
    self->task.done = on_caught_up;
    self->hub = hub;
    self->watch = watch;
    self->version = gjkd_version_retain(version);
    self->is_whole = since == NULL;
    self->since = since != NULL ? *since : (gjkd_since){.order = 0};
    self->client = watch->client;
    hub->out++;
    gjkd_pool_resume(hub->pool, &self->task);
}

/* --- Life --- */

static void push_note(struct gjkd_watch *watch, gjkd_event_kind kind,
                      const struct gjkd_version *version) {
    struct gjkd_event *event = gjkd_event_note(kind, version, watch->client);
    push(watch, event);
    gjkd_event_release(event);
}

/* Returns the sequence number (gjkd_version_seq) of the version that the reader has; UINT64_MAX if
 * there cannot be such a version. */
static uint64_t seq_of(const gjkd_watch_spec *spec, const struct gjkd_version *version) {
    const bool is_seq = !version->is_shared || (spec->since <= UINT64_MAX >> GJKD_UNLOGGED_BITS &&
                                                spec->since_ticks <= GJKD_UNLOGGED_MAX);
    if (!is_seq || (!version->is_shared && spec->since_ticks > 0)) {
        return UINT64_MAX;
    }
    return version->is_shared ? spec->since << GJKD_UNLOGGED_BITS | spec->since_ticks : spec->since;
}

static void start(struct gjkd_watch *watch, const gjkd_watch_spec *spec,
                  struct gjkd_version *version) {
    /* True if the reader's version is of another life of the set, or of a write that was lost and
     * whose revision another write has now. The feed checks revisions before the newest. */
    const bool is_stranger = spec->has_incarnation &&
                             (spec->incarnation != version->incarnation ||
                              (spec->since >= version->revision && spec->nonce != version->nonce));
    const uint64_t since = seq_of(spec, version);
    watch->at = gjkd_version_seq(version);
    if (spec->has_since && (is_stranger || since > watch->at)) {
        push_note(watch, GJKD_EVENT_RESET, version);
    } else if (spec->has_since && since < watch->at && spec->changes) {
        const gjkd_since from = {since, spec->has_incarnation, spec->nonce};
        start_catch_up(watch, &from, version);
    } else {
        push_note(watch, GJKD_EVENT_START, version);
    }
}

static bool join_topics(struct gjkd_watch *watch, const struct gjkd_version *version) {
    gjkd_topic_spec topic = {
        .registry = watch->hub->registry,
        .pool = watch->hub->pool,
        .version = version,
        .kind = GJKD_EVENT_CHANGE,
        .filter = "",
        .client = watch->client,
    };
    if (watch->changes && !join(watch, 0, &topic)) {
        return false;
    }
    topic.kind = GJKD_EVENT_OVERLAP;
    topic.filter = watch->filter;
    return !watch->overlaps || join(watch, 1, &topic);
}

static void find_made(struct gjkd_watch *watch);

/* Joins before it looks at the version, so that no change between the two is missed. */
static void begin_watch(struct gjkd_watch *watch, const gjkd_watch_spec *spec) {
    if (spec->version == NULL) {
        watch->has_old = spec->has_since && spec->since > 0;
        miss_set(watch);
        find_made(watch); /* the set may exist by now */
        return;
    }
    const bool has_joined = join_topics(watch, spec->version);
    struct gjkd_version *version = gjkd_registry_get(watch->hub->registry, watch->set);
    if (version == NULL || version->feed != spec->version->feed) {
        push_note(watch, GJKD_EVENT_DELETED, spec->version);
        miss_set(watch);
    } else if (!has_joined) {
        end_queue(watch);
    } else {
        start(watch, spec, version);
    }
    gjkd_version_release(version);
    want_all(watch);
}

static void leave_topics(struct gjkd_watch *watch) {
    for (int i = 0; i < TOPICS; i++) {
        leave(&watch->members[i]);
    }
}

/* Begins with a set that was waited for: with all of it, or with a reset if the reader has a
 * version of an earlier set of that name. */
static void begin_made(struct gjkd_watch *watch, const struct gjkd_version *made) {
    leave_topics(watch);
    const bool has_joined = join_topics(watch, made);
    struct gjkd_version *version = gjkd_registry_get(watch->hub->registry, watch->set);
    if (version == NULL || version->feed != made->feed) {
        miss_set(watch); /* the set was deleted again */
    } else if (!has_joined) {
        refuse_for_memory(watch);
    } else {
        end_waiting(watch);
        watch->at = gjkd_version_seq(version);
        if (watch->has_old) {
            push_note(watch, GJKD_EVENT_RESET, version);
        } else if (watch->changes) {
            start_catch_up(watch, NULL, version);
        } else {
            push_note(watch, GJKD_EVENT_START, version);
        }
        watch->has_old = false;
        want_all(watch);
    }
    gjkd_version_release(version);
}

/* Begins to watch the set that was waited for, if it exists and the reader has read all events of
 * the deleted one. Otherwise goes on waiting. */
static void find_made(struct gjkd_watch *watch) {
    const bool has_read = watch->queue.first == NULL && watch->catch_up == NULL;
    struct gjkd_version *made =
        has_read && !watch->is_last ? gjkd_registry_get(watch->hub->registry, watch->set) : NULL;
    (void)gjkd_turns_remove(&watch->list->watches, &watch->by_waiting);
    if (made != NULL) {
        begin_made(watch, made);
        gjkd_version_release(made);
    } else if (!watch->is_last) {
        miss_set(watch);
    }
}

/* Returns true if the token still allows the watch. */
static bool is_allowed(const struct gjkd_hub *hub, const gjkd_digest *token, const char *set,
                       struct proto_problem *problem) {
    return hub->keyring == NULL ||
           gjkd_keyring_allows(hub->keyring, token, GJKD_SCOPE_READ, set, problem);
}

/* Counts one more watch of the client. Returns false if it has too many, or memory is exhausted. */
static bool take_quota(const struct gjkd_hub *hub, uint64_t client, struct proto_problem *problem) {
    switch (gjkd_quota_take(hub->quota, &client)) {
    case GJKD_QUOTA_TAKEN:
        return true;
    case GJKD_QUOTA_FULL:
        proto_problem_set(problem, PROTO_TOO_MANY, "a client has at most %llu watches",
                          (unsigned long long)hub->quota->most_each);
        return proto_problem_limit(problem, hub->quota->most_each);
    case GJKD_QUOTA_NO_MEMORY:
        break;
    }
    return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
}

static struct gjkd_watch *allocate_watch(const gjkd_watch_spec *spec) {
    const size_t name_bytes = strlen(spec->name) + 1, filter_bytes = strlen(spec->filter) + 1;
    const size_t bytes = sizeof(struct gjkd_watch) + name_bytes + filter_bytes;
    struct gjkd_watch *watch = calloc(1, bytes);
    if (watch != NULL && !gjkd_account_open(&watch->account, spec->client, bytes)) {
        free(watch);
        return NULL;
    }
    if (watch != NULL) {
        memcpy(watch->set, spec->name, name_bytes);
        memcpy(watch->set + name_bytes, spec->filter, filter_bytes);
        watch->filter = watch->set + name_bytes;
        watch->changes = spec->changes;
        watch->overlaps = spec->overlaps;
        watch->waits = spec->waits;
        watch->client = spec->client;
        watch->has_token = spec->has_token;
        watch->token = spec->token;
    }
    return watch;
}

struct gjkd_watch *gjkd_watch_open(struct gjkd_hub *hub, const gjkd_watch_spec *spec,
                                   void (*ready)(void *owner), void *owner,
                                   struct proto_problem *problem) {
    if ((spec->has_token && !is_allowed(hub, &spec->token, spec->name, problem)) ||
        !take_quota(hub, spec->client, problem)) {
        return NULL;
    }
    struct gjkd_watch *watch = allocate_watch(spec);
    if (watch == NULL) {
        gjkd_quota_give(hub->quota, &spec->client);
        proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
        return NULL;
    }
    watch->turn.take = on_turn;
    watch->hub = hub;
    watch->list = list_of(hub, watch->set);
    watch->ready = ready;
    watch->owner = owner;
    gjkd_deliveries_init(&watch->queue);
    gjkd_deliveries_init(&watch->held);
    note_read(watch, uv_hrtime());
    gjkd_turns_add(&hub->by_check, &watch->by_check);
    watch->checked = hub->checks;
    hub->watches++;
    begin_watch(watch, spec);
    /* Over without an event of a deletion: memory was exhausted. */
    if (gjkd_watch_is_over(watch)) {
        gjkd_watch_close(watch);
        proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory to watch the set");
        return NULL;
    }
    (void)gjkd_turns_remove(&hub->turns, &watch->turn); /* the owner reads by itself */
    return watch;
}

void gjkd_watch_close(struct gjkd_watch *watch) {
    if (watch == NULL) {
        return;
    }
    struct gjkd_hub *hub = watch->hub;
    (void)gjkd_turns_remove(&hub->turns, &watch->turn);
    (void)gjkd_turns_remove(&hub->by_reading, &watch->by_reading);
    (void)gjkd_turns_remove(&hub->by_check, &watch->by_check);
    end_waiting(watch);
    forget_catch_up(watch);
    watch->is_last = true; /* nothing is delivered any more */
    watch->next = hub->closed;
    hub->closed = watch;
    hub->watches--;
    gjkd_quota_give(hub->quota, &watch->client);
}

void gjkd_watch_end(struct gjkd_watch *watch) {
    if (!watch->is_last) {
        forget_catch_up(watch);
        drop_waiting(watch);
        end_queue(watch);
    }
}

void gjkd_watch_check_token(struct gjkd_watch *watch) {
    struct proto_problem problem;
    if (watch->has_token && !is_allowed(watch->hub, &watch->token, watch->set, &problem)) {
        refuse_watch(watch, &problem);
    }
}

const struct proto_problem *gjkd_watch_refusal(const struct gjkd_watch *watch) {
    return watch->refusal;
}

/* --- The hub --- */

/* Returns the next watch whose token has not been checked since tokens changed; NULL if none. */
static struct gjkd_watch *next_unchecked(const struct gjkd_hub *hub) {
    struct gjkd_watch *watch =
        gjkd_owner(hub->by_check.first, offsetof(struct gjkd_watch, by_check));
    return watch != NULL && watch->checked != hub->checks ? watch : NULL;
}

static void check_tokens(struct gjkd_hub *hub, unsigned most) {
    struct gjkd_watch *watch;
    for (; most > 0 && (watch = next_unchecked(hub)) != NULL; most--) {
        watch->checked = hub->checks;
        (void)gjkd_turns_remove(&hub->by_check, &watch->by_check);
        gjkd_turns_add(&hub->by_check, &watch->by_check);
        gjkd_watch_check_token(watch);
    }
}

void gjkd_hub_check_tokens(struct gjkd_hub *hub) {
    hub->checks++;
}

/* Returns the next watch whose set has not been looked for since one of its list was created; NULL
 * if none. The lists take turns. */
static struct gjkd_watch *next_waiting(struct gjkd_hub *hub) {
    struct gjkd_waiting_list *list;
    while ((list = gjkd_owner(hub->made.first, offsetof(struct gjkd_waiting_list, turn))) != NULL) {
        (void)gjkd_turns_remove(&hub->made, &list->turn);
        struct gjkd_watch *watch =
            gjkd_owner(list->watches.first, offsetof(struct gjkd_watch, by_waiting));
        if (watch != NULL && watch->looked != list->looks) {
            gjkd_turns_add(&hub->made, &list->turn);
            return watch;
        }
    }
    return NULL;
}

/* Tells the loop that a set of the list was created, if watches wait for one. */
static void tell_made(struct gjkd_waiting_list *list) {
    if (atomic_load(&list->count) > 0 && !atomic_exchange(&list->is_told, true)) {
        gjkd_completion_queue_put(list->hub->completions, &list->made);
    }
}

/* Called by the writer of a set. */
static void on_registry(struct gjkd_registry_listener *listener, const char *name) {
    struct gjkd_hub *hub = (struct gjkd_hub *)(void *)listener;
    if (name != NULL) {
        tell_made(list_of(hub, name));
        return;
    }
    for (int i = 0; i < GJKD_WATCH_LISTS; i++) {
        tell_made(&hub->waiting[i]);
    }
}

static void on_made(struct gjkd_task *task) {
    struct gjkd_waiting_list *list = gjkd_owner(task, offsetof(struct gjkd_waiting_list, made));
    atomic_store(&list->is_told, false);
    list->looks++;
    gjkd_turns_add(&list->hub->made, &list->turn);
}

void gjkd_hub_start(struct gjkd_hub *hub) {
    hub->listener.notify = on_registry;
    for (int i = 0; i < GJKD_WATCH_LISTS; i++) {
        hub->waiting[i].hub = hub;
        hub->waiting[i].made.done = on_made;
    }
    gjkd_registry_listen(hub->registry, &hub->listener);
}

void gjkd_hub_stop(struct gjkd_hub *hub) {
    gjkd_registry_unlisten(hub->registry, &hub->listener);
}

bool gjkd_hub_has_news(const struct gjkd_hub *hub) {
    return hub->turns.first != NULL || hub->closed != NULL || next_unchecked(hub) != NULL ||
           hub->made.first != NULL;
}

bool gjkd_hub_is_busy(const struct gjkd_hub *hub) {
    return hub->out > 0 || hub->closed != NULL;
}

void gjkd_hub_serve(struct gjkd_hub *hub, unsigned turns_max) {
    for (unsigned i = 0; hub->closed != NULL && i < turns_max; i++) {
        struct gjkd_watch *watch = hub->closed;
        hub->closed = watch->next;
        leave_topics(watch);
        drop_held(watch);
        gjkd_deliveries_clear(&watch->queue);
        free(watch->refusal);
        gjkd_account_close(&watch->account);
        free(watch);
    }
    check_tokens(hub, turns_max);
    struct gjkd_watch *watch;
    for (unsigned i = 0; i < turns_max && (watch = next_waiting(hub)) != NULL; i++) {
        find_made(watch);
    }
    while (turns_max > 0 && gjkd_turns_give(&hub->turns)) {
        turns_max--;
    }
}

void gjkd_hub_send_comments(struct gjkd_hub *hub, uint64_t now_ns) {
    struct gjkd_watch *watch;
    while ((watch = gjkd_owner(hub->by_reading.first, offsetof(struct gjkd_watch, by_reading))) !=
           NULL) {
        if (now_ns < watch->read_ns + COMMENT_AFTER_NS) {
            return;
        }
        note_read(watch, now_ns);
        if (watch->queue.first == NULL && !watch->has_comment) {
            watch->has_comment = true;
            note_ready(watch);
        }
    }
}

/* --- Reading --- */

bool gjkd_watch_is_over(const struct gjkd_watch *watch) {
    return watch->is_last && watch->queue.first == NULL;
}

struct gjkd_event *gjkd_watch_take(struct gjkd_watch *watch) {
    struct gjkd_event *event = watch->catch_up == NULL ? gjkd_deliveries_pop(&watch->queue) : NULL;
    if (event == NULL) {
        return NULL;
    }
    watch->offset = 0;
    watch->waiting -= watch->queue.first != NULL ? watch->queue.first->event->bytes : 0;
    note_read(watch, uv_hrtime());
    if (event->kind == GJKD_EVENT_RESET) {
        want_all(watch);
    }
    if (watch->is_waiting && watch->queue.first == NULL) {
        find_made(watch); /* the deleted set may exist again */
    }
    if (event->kind < GJKD_EVENT_KINDS) {
        watch->hub->count(watch->hub->owner, event->kind);
    }
    return event;
}

bool gjkd_watch_take_ping(struct gjkd_watch *watch) {
    const bool is_due = watch->has_comment;
    if (is_due) {
        watch->has_comment = false;
        note_read(watch, uv_hrtime());
    }
    return is_due;
}

/* Copies as much of the first event as there is room for. */
static size_t read_first(struct gjkd_watch *watch, char *to, size_t length) {
    const struct gjkd_event *event = watch->queue.first->event;
    const size_t left = event->bytes - watch->offset;
    const size_t count = left < length ? left : length;
    memcpy(to, event->text + watch->offset, count);
    watch->offset += count;
    note_read(watch, uv_hrtime());
    if (watch->offset == event->bytes) {
        gjkd_event_release(gjkd_watch_take(watch));
    }
    return count;
}

size_t gjkd_watch_read(struct gjkd_watch *watch, char *to, size_t length) {
    static const char comment[] = ":\n\n";
    size_t done = 0;
    while (done < length && watch->catch_up == NULL && watch->queue.first != NULL) {
        done += read_first(watch, to + done, length - done);
    }
    if (watch->has_comment && watch->offset == 0 && length - done >= sizeof comment - 1) {
        watch->has_comment = false;
        if (done == 0) {
            memcpy(to, comment, sizeof comment - 1);
            done = sizeof comment - 1;
            note_read(watch, uv_hrtime());
        }
    }
    return done;
}
