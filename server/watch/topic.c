/*
 * The publisher is a task that runs when the feed reports a newer version. It merges all commits
 * since the last published version into one event, and runs again if there is a newer one by then.
 * Overlaps are compared version by version instead, so that short ones are not missed. Each topic
 * has at most one publisher running, and none while a loop is behind: instead of a hundred
 * revisions, a thousand readers get one event with all changes.
 */

#include "watch/topic.h"

#include "sets/registry.h"
#include "util/hash.h"
#include "util/table.h"
#include "watch/overlaps.h"
#include "watch/trail.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* Maximum numbers of topics that a commit calls itself, and that are called under one lock. */
#define CALLED_BY_COMMIT 16
#define CALLED_AT_ONCE 256

/* Maximum number of clients of a topic among which a payer is chosen. */
#define PAYERS_MAX 64

/* Maximum number of versions that one run of a publisher compares, and its maximum time. */
#define STEPS_AT_ONCE 64
#define STEPS_NS UINT64_C(5000000)

/* Topics of a set; exists while there is at least one. Guarded by the feed's lock. */
struct set_topics {
    struct gjkd_listener listener; /* first: a pointer to it is cast back */
    struct gjkd_task task;         /* calls the topics that a commit has not called */
    struct gjkd_feed *feed;
    struct gjkd_pool *pool;
    struct gjkd_table by_key;
    struct gjkd_turns order; /* topics, least recently called first */
    uint64_t calls;          /* number of versions so far */
    gjkd_trail trail;        /* versions that topics of overlaps have yet to compare */
    bool is_calling;         /* the task is running or queued */
};

/* Client with watches of a topic. */
struct payer {
    uint64_t client;
    uint32_t watches;
};

struct gjkd_topic {
    struct gjkd_entry by_key; /* first: a pointer to it is cast back */
    struct gjkd_turn turn;    /* entry in the order of the set's topics */
    struct set_topics *topics;
    struct gjkd_task task;
    struct gjkd_registry *registry;
    gjkd_event_kind kind;
    struct gjkd_account account; /* memory of the topic, charged to the client that created it */
    /* Guarded by the feed's lock: */
    struct gjkd_subscription *subscriptions;
    unsigned behind; /* number of subscriptions with is_behind */
    bool is_scheduled, wants_all;
    uint64_t next_step; /* for OVERLAP: the next step of the trail */
    uint64_t called;    /* value of topics->calls when it was last called */
    struct payer *payers;
    uint32_t payer_count, payer_capacity;
    /* Only for the publisher: */
    uint64_t client;                /* client that pays for time and memory */
    struct gjkd_version *published; /* last version published */
    bool has_published_end;
    char filter[]; /* checked JSON, or "" */
};

/* --- Queues --- */

void gjkd_deliveries_init(struct gjkd_deliveries *queue) {
    *queue = (struct gjkd_deliveries){NULL, &queue->first};
}

bool gjkd_deliveries_push(struct gjkd_deliveries *queue, struct gjkd_event *event) {
    struct gjkd_delivery *delivery = malloc(sizeof *delivery);
    if (delivery != NULL) {
        *delivery = (struct gjkd_delivery){NULL, gjkd_event_retain(event)};
        *queue->end = delivery;
        queue->end = &delivery->next;
    }
    return delivery != NULL;
}

struct gjkd_event *gjkd_deliveries_pop(struct gjkd_deliveries *queue) {
    struct gjkd_delivery *delivery = queue->first;
    if (delivery == NULL) {
        return NULL;
    }
    struct gjkd_event *event = delivery->event;
    queue->first = delivery->next;
    if (queue->first == NULL) {
        queue->end = &queue->first;
    }
    free(delivery);
    return event;
}

void gjkd_deliveries_move(struct gjkd_deliveries *from, struct gjkd_deliveries *to) {
    if (from->first != NULL) {
        *to = (struct gjkd_deliveries){from->first, from->end};
        gjkd_deliveries_init(from);
    }
}

void gjkd_deliveries_clear(struct gjkd_deliveries *queue) {
    while (queue->first != NULL) {
        gjkd_event_release(gjkd_deliveries_pop(queue));
    }
}

/* Number of topics being published, by client. Clients are hashed as in the pool's queue. */
static atomic_uint publishing[GJKD_QUEUE_CLIENTS];

/* --- Payers --- */

static struct payer *find_payer(const struct gjkd_topic *topic, uint64_t client) {
    for (uint32_t i = 0; i < topic->payer_count; i++) {
        if (topic->payers[i].client == client) {
            return &topic->payers[i];
        }
    }
    return NULL;
}

static bool grow_payers(struct gjkd_topic *topic) {
    if (topic->payer_count < topic->payer_capacity) {
        return true;
    }
    const uint32_t capacity = topic->payer_capacity > 0 ? topic->payer_capacity * 4 : 1;
    struct payer *grown =
        capacity <= PAYERS_MAX ? realloc(topic->payers, capacity * sizeof *grown) : NULL;
    if (grown != NULL) {
        topic->payers = grown;
        topic->payer_capacity = capacity;
    }
    return grown != NULL;
}

static void remove_payer(struct gjkd_topic *topic, uint64_t client) {
    struct payer *payer = find_payer(topic, client);
    if (payer != NULL && --payer->watches == 0) {
        *payer = topic->payers[--topic->payer_count];
    }
}

static unsigned published_for(uint64_t client) {
    return atomic_load_explicit(&publishing[gjkd_task_client(client)], memory_order_relaxed);
}

/* Returns true if client a should pay rather than b. A client whose share is nearly full should
 * not: the event might be lost for all. */
static bool pays_rather(uint64_t a, uint64_t b) {
    const bool is_a_crowded = gjkd_client_is_crowded(a), is_b_crowded = gjkd_client_is_crowded(b);
    return is_a_crowded != is_b_crowded ? is_b_crowded : published_for(a) < published_for(b);
}

/* Chooses the client with room in its share for which the fewest topics are being published. Keeps
 * the previous one if there is no client. */
static void choose_payer(struct gjkd_topic *topic) {
    for (uint32_t i = 0; i < topic->payer_count; i++) {
        const uint64_t client = topic->payers[i].client;
        if (i == 0 || pays_rather(client, topic->client)) {
            topic->client = client;
        }
    }
    topic->task.client = gjkd_task_client(topic->client);
    atomic_fetch_add_explicit(&publishing[topic->task.client], 1, memory_order_relaxed);
}

/* --- Publishing --- */

static void schedule(struct gjkd_topic *topic) {
    if (!topic->is_scheduled && topic->behind == 0) {
        topic->is_scheduled = true;
        choose_payer(topic);
        gjkd_pool_resume(topic->topics->pool, &topic->task);
    }
}

/* Calls up to `most` topics that do not know the newest version. Returns false if some are left. */
static bool call_topics(struct set_topics *topics, unsigned most) {
    for (;; most--) {
        struct gjkd_turn *first = topics->order.first;
        struct gjkd_topic *topic = gjkd_owner(first, offsetof(struct gjkd_topic, turn));
        if (topic == NULL || topic->called == topics->calls) {
            return true;
        }
        if (most == 0) {
            return false;
        }
        topic->called = topics->calls;
        (void)gjkd_turns_remove(&topics->order, first);
        gjkd_turns_add(&topics->order, first);
        schedule(topic);
    }
}

static void notify(struct gjkd_listener *listener, const struct gjkd_version *from,
                   struct gjkd_version *to) {
    struct set_topics *topics = (struct set_topics *)(void *)listener;
    topics->calls++;
    if (to != NULL) {
        gjkd_trail_add(&topics->trail, gjkd_version_seq(from), to);
    }
    if (!call_topics(topics, CALLED_BY_COMMIT) && !topics->is_calling) {
        topics->is_calling = true;
        topics->task.is_short = true;
        gjkd_pool_resume(topics->pool, &topics->task);
    }
}

/* Detaches the record of topics from the feed if no topic is left. Returns it for the caller to
 * free after the lock; else NULL. */
static struct set_topics *give_up_topics(struct set_topics *topics) {
    if (topics->by_key.count > 0 || topics->is_calling) {
        return NULL;
    }
    topics->feed->listener = NULL;
    return topics;
}

static void free_topics(struct set_topics *topics) {
    if (topics != NULL) {
        gjkd_table_fini(&topics->by_key);
        gjkd_trail_fini(&topics->trail);
        gjkd_feed_release(topics->feed);
        free(topics);
    }
}

static gjkd_task_result call_rest(struct gjkd_task *task) {
    struct set_topics *topics = gjkd_owner(task, offsetof(struct set_topics, task));
    struct gjkd_feed *feed = topics->feed;
    struct set_topics *unused = NULL;
    bool is_over = false;
    while (!is_over) {
        pthread_mutex_lock(&feed->lock);
        is_over = call_topics(topics, CALLED_AT_ONCE);
        topics->is_calling = !is_over;
        unused = is_over ? give_up_topics(topics) : NULL;
        pthread_mutex_unlock(&feed->lock);
    }
    free_topics(unused);
    return GJKD_TASK_DETACHED;
}

/* Posts the event, or NULL if memory for it was exhausted, to every loop. */
static void post(struct gjkd_topic *topic, struct gjkd_event *event) {
    for (struct gjkd_subscription *at = topic->subscriptions; at != NULL; at = at->next) {
        at->has_lost = event == NULL || !gjkd_deliveries_push(&at->inbox, event) || at->has_lost;
        topic->behind += at->is_behind ? 0 : 1;
        at->is_behind = true;
        if (!at->is_posted) {
            at->is_posted = true;
            gjkd_completion_queue_put(at->completions, &at->task);
        }
    }
}

/* Removes a topic without watches and publisher. The caller frees it, and the record that is
 * returned, after the lock. */
static struct set_topics *remove_topic(struct gjkd_topic *topic) {
    struct set_topics *topics = topic->topics;
    gjkd_table_remove(&topics->by_key, &topic->by_key);
    if (topic->kind == GJKD_EVENT_OVERLAP) {
        gjkd_trail_leave(&topics->trail, topic->next_step);
    }
    (void)gjkd_turns_remove(&topics->order, &topic->turn);
    return give_up_topics(topics);
}

static void free_topic(struct gjkd_topic *topic) {
    gjkd_version_release(topic->published);
    free(topic->payers);
    gjkd_account_close(&topic->account);
    free(topic);
}

/* Returns the set's newest version, retained; NULL if the set is deleted. */
static struct gjkd_version *newest_of(const struct gjkd_topic *topic) {
    struct gjkd_version *version = gjkd_registry_get(topic->registry, topic->published->name);
    if (version != NULL && version->feed != topic->topics->feed) {
        gjkd_version_release(version); /* another set has the name now */
        return NULL;
    }
    return version;
}

/* Events that one run of the publisher creates. */
struct news {
    /* For overlaps: steps, and in addition a list of all pairs, a reset and an end. */
    struct gjkd_event *events[STEPS_AT_ONCE + 3];
    int count;
    bool has_lost;
    bool is_early; /* a commit has not added its version to the feed yet: run again */
};

static void add_event(struct news *news, struct gjkd_event *event) {
    if (event != NULL) {
        news->events[news->count++] = event;
    } else {
        news->has_lost = true;
    }
}

static void add_end(struct gjkd_topic *topic, struct news *news) {
    if (!topic->has_published_end) {
        topic->has_published_end = true;
        add_event(news, gjkd_event_note(GJKD_EVENT_DELETED, topic->published, topic->client));
    }
}

/* Takes the next step of the trail. Returns false if there is none; *has_ended: for good. */
static bool take_step(struct gjkd_topic *topic, gjkd_trail_step *out, bool *has_lost,
                      bool *has_ended) {
    struct gjkd_feed *feed = topic->topics->feed;
    pthread_mutex_lock(&feed->lock);
    const bool is_there = gjkd_trail_take(&topic->topics->trail, &topic->next_step, out, has_lost);
    *has_ended = !is_there && feed->has_ended;
    pthread_mutex_unlock(&feed->lock);
    return is_there;
}

/* Adds the differences in overlaps between two versions; from NULL: all pairs of `to`. */
static void compare(struct gjkd_topic *topic, const struct gjkd_version *from,
                    const struct gjkd_version *to, struct news *news) {
    struct gjkd_event *event = NULL;
    if (news->has_lost || !gjkd_overlaps_compare(topic->filter, from, to, topic->client, &event)) {
        news->has_lost = true;
    } else if (event != NULL) {
        add_event(news, event);
    }
}

/* Advances `published` to the version of a step, unless it is there already. Returns false if a
 * step between them was lost. */
static bool make_step(struct gjkd_topic *topic, const gjkd_trail_step *step, struct news *news) {
    const uint64_t published = gjkd_version_seq(topic->published);
    if (gjkd_version_seq(step->version) <= published) {
        return true;
    }
    if (step->from == published) {
        compare(topic, topic->published, step->version, news);
        gjkd_version_release(topic->published);
        topic->published = gjkd_version_retain(step->version);
    }
    return step->from == published;
}

/* Adds, for new readers, a list of all pairs, then the differences that each version has made. */
static void make_overlaps(struct gjkd_topic *topic, bool wants_all, struct news *news) {
    const uint64_t end_ns = uv_hrtime() + STEPS_NS;
    gjkd_trail_step step;
    bool has_lost = false, has_ended = false;
    if (wants_all) {
        compare(topic, NULL, topic->published, news);
    }
    for (int i = 0; i < STEPS_AT_ONCE && !has_lost && (i == 0 || uv_hrtime() < end_ns) &&
                    take_step(topic, &step, &has_lost, &has_ended);
         i++) {
        has_lost = has_lost || !make_step(topic, &step, news);
        gjkd_version_release(step.version);
    }
    struct gjkd_version *newest = has_lost ? newest_of(topic) : NULL;
    if (newest != NULL) { /* steps were lost: continue from the newest version */
        add_event(news, gjkd_event_note(GJKD_EVENT_RESET, newest, topic->client));
        gjkd_version_release(topic->published);
        topic->published = newest;
    }
    if (has_ended) {
        add_end(topic, news);
    }
}

/* Adds one event for all commits since the last event. */
static void make_change(struct gjkd_topic *topic, const struct gjkd_version *version,
                        struct news *news) {
    const struct gjkd_version *published = topic->published;
    const gjkd_since since = {gjkd_version_seq(published), true, published->nonce};
    struct gjkd_event *event = NULL;
    /* In a cluster the position in the log can change without the set. */
    const bool is_same_state = published->is_shared && published->revision == version->revision &&
                               gjkd_version_ticks_end(published) == gjkd_version_ticks_end(version);
    if (gjkd_version_seq(version) == since.order || is_same_state) {
        return;
    }
    switch (gjkd_event_since(&since, version, topic->client, &event)) {
    case GJKD_CATCH_UP_LATER:
        news->is_early = true;
        return;
    case GJKD_CATCH_UP_ENDED:
        add_end(topic, news);
        return;
    case GJKD_CATCH_UP_RESET:
        event = gjkd_event_note(GJKD_EVENT_RESET, version, topic->client);
        break;
    case GJKD_CAUGHT_UP:
        break;
    }
    add_event(news, event);
}

static void make_news(struct gjkd_topic *topic, bool wants_all, struct news *news) {
    if (topic->kind == GJKD_EVENT_OVERLAP) {
        make_overlaps(topic, wants_all, news);
        return;
    }
    struct gjkd_version *version = newest_of(topic);
    if (version == NULL) {
        add_end(topic, news);
        return;
    }
    make_change(topic, version, news);
    gjkd_version_release(news->is_early ? version : topic->published);
    topic->published = news->is_early ? topic->published : version;
}

/* Returns true if there is more to publish. The lock is held, and no other publisher runs. */
static bool has_more(const struct gjkd_topic *topic) {
    const struct gjkd_feed *feed = topic->topics->feed;
    const bool has_newer = topic->kind == GJKD_EVENT_OVERLAP
                               ? topic->next_step < topic->topics->trail.end
                               : feed->newest > gjkd_version_seq(topic->published);
    return topic->subscriptions != NULL && !topic->has_published_end &&
           (feed->has_ended || has_newer || topic->wants_all);
}

static gjkd_task_result publish(struct gjkd_task *task) {
    struct gjkd_topic *topic = gjkd_owner(task, offsetof(struct gjkd_topic, task));
    struct gjkd_feed *feed = topic->topics->feed;
    struct news news;
    struct set_topics *unused = NULL;
    news.count = 0;
    news.has_lost = news.is_early = false;
    pthread_mutex_lock(&feed->lock);
    const bool wants_all = topic->wants_all, is_watched = topic->subscriptions != NULL;
    topic->wants_all = false;
    pthread_mutex_unlock(&feed->lock);
    if (is_watched) { /* else its last watch has left since it was scheduled */
        make_news(topic, wants_all, &news);
    }
    pthread_mutex_lock(&feed->lock);
    for (int i = 0; i < news.count; i++) {
        post(topic, news.events[i]);
    }
    if (news.has_lost) {
        post(topic, NULL);
    }
    const bool again = topic->is_scheduled =
        topic->behind == 0 && (has_more(topic) || (news.is_early && topic->subscriptions != NULL));
    const bool is_over = topic->subscriptions == NULL;
    atomic_fetch_sub_explicit(&publishing[task->client], 1, memory_order_relaxed);
    if (is_over) {
        unused = remove_topic(topic);
    } else if (again) {
        choose_payer(topic);
    }
    pthread_mutex_unlock(&feed->lock);
    for (int i = 0; i < news.count; i++) {
        gjkd_event_release(news.events[i]);
    }
    if (is_over) {
        free_topic(topic);
        free_topics(unused);
    }
    return again ? GJKD_TASK_REQUEUE : GJKD_TASK_DETACHED;
}

void gjkd_topic_list_all(struct gjkd_topic *topic) {
    struct gjkd_feed *feed = topic->topics->feed;
    pthread_mutex_lock(&feed->lock);
    topic->wants_all = true;
    schedule(topic);
    pthread_mutex_unlock(&feed->lock);
}

/* Notes that the loop is no longer behind; if it was the last one, schedules the next publication.
 * The lock is held. */
static void catch_up(struct gjkd_topic *topic, struct gjkd_subscription *subscription) {
    if (!subscription->is_behind) {
        return;
    }
    subscription->is_behind = false;
    topic->behind--;
    if (!topic->is_scheduled && has_more(topic)) {
        schedule(topic);
    }
}

void gjkd_topic_readers_are_done(struct gjkd_subscription *subscription) {
    struct gjkd_topic *topic = subscription->topic;
    struct gjkd_feed *feed = topic->topics->feed;
    pthread_mutex_lock(&feed->lock);
    catch_up(topic, subscription);
    pthread_mutex_unlock(&feed->lock);
}

/* --- Joining and leaving --- */

struct gjkd_feed *gjkd_topic_feed(const struct gjkd_topic *topic) {
    return topic->topics->feed;
}

/* Returns a hash of kind and filter. The seed is an address, so that clients cannot choose filters
 * that collide. */
static uint64_t key_of(const struct set_topics *topics, const gjkd_topic_spec *spec) {
    return gjkd_checksum(spec->filter, strlen(spec->filter), (uintptr_t)topics + spec->kind);
}

static struct gjkd_topic *find_topic(const struct set_topics *topics, const gjkd_topic_spec *spec,
                                     uint64_t key) {
    struct gjkd_entry *entry = gjkd_table_find(&topics->by_key, key);
    for (; entry != NULL; entry = gjkd_table_find_next(entry)) {
        struct gjkd_topic *topic = (struct gjkd_topic *)(void *)entry;
        if (topic->kind == spec->kind && strcmp(topic->filter, spec->filter) == 0) {
            return topic;
        }
    }
    return NULL;
}

static struct gjkd_topic *allocate_topic(const gjkd_topic_spec *spec) {
    const size_t filter_size = strlen(spec->filter) + 1;
    struct gjkd_topic *topic = calloc(1, sizeof *topic + filter_size);
    if (topic != NULL &&
        !gjkd_account_open(&topic->account, spec->client, sizeof *topic + filter_size)) {
        free(topic);
        return NULL;
    }
    if (topic != NULL) {
        memcpy(topic->filter, spec->filter, filter_size);
    }
    return topic;
}

static struct gjkd_topic *make(struct set_topics *topics, const gjkd_topic_spec *spec,
                               uint64_t key) {
    struct gjkd_topic *topic = allocate_topic(spec);
    if (topic == NULL) {
        return NULL;
    }
    topic->published = gjkd_registry_get(spec->registry, spec->version->name);
    if (topic->published == NULL || topic->published->feed != topics->feed ||
        !gjkd_table_add(&topics->by_key, &topic->by_key, key)) {
        free_topic(topic);
        return NULL;
    }
    topic->task.run = publish;
    topic->topics = topics;
    topic->registry = spec->registry;
    topic->kind = spec->kind;
    topic->next_step = spec->kind == GJKD_EVENT_OVERLAP ? gjkd_trail_join(&topics->trail) : 0;
    topic->called = topics->calls;
    topic->client = spec->client;
    gjkd_turns_add(&topics->order, &topic->turn);
    return topic;
}

/* Returns the record of the feed's topics, or creates it; NULL if memory is exhausted. */
static struct set_topics *topics_of(const gjkd_topic_spec *spec) {
    struct gjkd_feed *feed = spec->version->feed;
    if (feed->listener != NULL) {
        return (struct set_topics *)(void *)feed->listener;
    }
    struct set_topics *topics = calloc(1, sizeof *topics);
    if (topics != NULL) {
        topics->listener.notify = notify;
        topics->task.run = call_rest;
        topics->feed = gjkd_feed_retain(feed);
        topics->pool = spec->pool;
        feed->listener = &topics->listener;
    }
    return topics;
}

struct gjkd_subscription *gjkd_topic_join(const gjkd_topic_spec *spec,
                                          struct gjkd_completion_queue *completions, bool *is_new) {
    *is_new = false;
    struct set_topics *topics = spec->version->feed->has_ended ? NULL : topics_of(spec);
    if (topics == NULL) {
        return NULL;
    }
    const uint64_t key = key_of(topics, spec);
    struct gjkd_topic *topic = find_topic(topics, spec, key);
    topic = topic != NULL ? topic : make(topics, spec, key);
    if (topic == NULL) {
        free_topics(give_up_topics(topics)); /* the caller's version keeps the feed alive */
        return NULL;
    }
    /* If there is no room for another payer, the others pay. */
    struct payer *payer = find_payer(topic, spec->client);
    if (payer != NULL) {
        payer->watches++;
    } else if (grow_payers(topic)) {
        topic->payers[topic->payer_count++] = (struct payer){spec->client, 1};
    }
    struct gjkd_subscription *at = topic->subscriptions;
    while (at != NULL && at->completions != completions) {
        at = at->next;
    }
    if (at != NULL) {
        return at;
    }
    at = calloc(1, sizeof *at);
    if (at == NULL) {
        remove_payer(topic, spec->client);
        schedule(topic); /* frees a topic without watches */
        return NULL;
    }
    at->topic = topic;
    at->completions = completions;
    gjkd_deliveries_init(&at->inbox);
    at->next = topic->subscriptions;
    topic->subscriptions = at;
    *is_new = true;
    return at;
}

/* Removes a subscription without watches from its topic. The lock is held. */
static void unsubscribe(struct gjkd_subscription *subscription) {
    struct gjkd_topic *topic = subscription->topic;
    struct gjkd_subscription **at = &topic->subscriptions; /* one for each loop */
    while (*at != subscription) {
        at = &(*at)->next;
    }
    *at = subscription->next;
    catch_up(topic, subscription);
    gjkd_deliveries_clear(&subscription->inbox);
    subscription->topic = NULL;
}

bool gjkd_topic_leave(struct gjkd_subscription *subscription, uint64_t client, bool is_last) {
    struct gjkd_topic *topic = subscription->topic;
    struct gjkd_feed *feed = topic->topics->feed;
    struct set_topics *unused = NULL;
    pthread_mutex_lock(&feed->lock);
    remove_payer(topic, client);
    if (is_last) {
        unsubscribe(subscription);
    }
    const bool is_free = is_last && !subscription->is_posted;
    const bool is_over = topic->subscriptions == NULL && !topic->is_scheduled;
    if (is_over) {
        unused = remove_topic(topic);
    }
    pthread_mutex_unlock(&feed->lock);
    if (is_over) {
        free_topic(topic);
        free_topics(unused);
    }
    return is_free;
}
