/*
 * The publisher is a task that runs when the feed has told of a newer version: whatever was committed
 * since the version it told last becomes one event, and it runs again if there is a newer one by then.
 * At most one runs at a time for each topic, and none while a loop is behind: a thousand readers would
 * be sent each of a hundred revisions, where one event can tell them all.
 */

#include "watch/topic.h"

#include "sets/registry.h"
#include "watch/overlaps.h"

#include <stdlib.h>
#include <string.h>

struct gjkd_topic {
    struct gjkd_listener listener; /* first: listeners are cast back */
    struct gjkd_task task;
    struct gjkd_feed *feed;
    struct gjkd_registry *registry;
    struct gjkd_pool *pool;
    gjkd_event_kind kind;
    /* Under the feed's lock: */
    struct gjkd_subscription *subscriptions;
    unsigned behind; /* subscriptions that are */
    bool is_scheduled, wants_all;
    /* The publisher's: */
    struct gjkd_version *told;      /* what was told last */
    struct gjkd_overlaps *overlaps; /* of it; NULL: not looked for yet */
    bool has_told_end;
    char filter[]; /* then the set's name is that of `told` */
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

/* --- Publishing --- */

static void schedule(struct gjkd_topic *topic) {
    if (!topic->is_scheduled && topic->behind == 0) {
        topic->is_scheduled = true;
        gjkd_pool_resume(topic->pool, &topic->task);
    }
}

static void notify(struct gjkd_listener *listener) {
    schedule((struct gjkd_topic *)(void *)listener);
}

/* Posts the event (NULL: there was no memory for it) to every loop. */
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

static void free_topic(struct gjkd_topic *topic) {
    gjkd_overlaps_free(topic->overlaps);
    gjkd_version_release(topic->told);
    gjkd_feed_release(topic->feed);
    free(topic);
}

/* The newest version of the set, retained; NULL: it is deleted. */
static struct gjkd_version *newest_of(const struct gjkd_topic *topic) {
    struct gjkd_version *version = gjkd_registry_get(topic->registry, topic->told->name);
    if (version != NULL && version->feed != topic->feed) {
        gjkd_version_release(version); /* of another set by that name */
        return NULL;
    }
    return version;
}

/* What one run of the publisher has to tell. */
struct news {
    struct gjkd_event *events[2];
    int count;
    bool has_lost;
    bool is_early; /* a commit is about to tell of its version: to be asked again */
};

static void tell(struct news *news, struct gjkd_event *event) {
    if (event != NULL) {
        news->events[news->count++] = event;
    } else {
        news->has_lost = true;
    }
}

static void tell_end(struct gjkd_topic *topic, struct news *news) {
    if (!topic->has_told_end) {
        topic->has_told_end = true;
        tell(news, gjkd_event_note(GJKD_EVENT_DELETED, topic->told));
    }
}

static void make_overlaps(struct gjkd_topic *topic, struct gjkd_version *version, bool wants_all,
                          struct news *news) {
    struct gjkd_event *event = NULL;
    if (!gjkd_overlaps_step(&topic->overlaps, topic->filter, topic->told, version, &event)) {
        tell(news, NULL);
        return;
    }
    if (event != NULL) {
        tell(news, event);
    }
    if (wants_all) {
        tell(news, gjkd_overlaps_all(topic->overlaps, version));
    }
}

/* A set of a cluster may come to another place of the log as it is. */
static bool is_same_state(const struct gjkd_version *a, const struct gjkd_version *b) {
    return a->is_shared && a->revision == b->revision &&
           gjkd_version_ticks_end(a) == gjkd_version_ticks_end(b);
}

/* Joins all commits since the last event. Where the feed has not kept what they were, the difference tells
 * it only of a single one. */
static void make_change(struct gjkd_topic *topic, const struct gjkd_version *version,
                        struct news *news) {
    const struct gjkd_version *told = topic->told;
    const gjkd_since since = {gjkd_version_moment(told), true, told->mark};
    struct gjkd_event *event = NULL;
    if (gjkd_version_moment(version) == since.order || is_same_state(told, version)) {
        return;
    }
    switch (gjkd_event_since(&since, version, &event)) {
    case GJKD_CATCH_UP_LATER:
        news->is_early = true;
        return;
    case GJKD_CATCH_UP_ENDED:
        tell_end(topic, news);
        return;
    case GJKD_CATCH_UP_RESET:
        event = gjkd_version_moment(version) == since.order + 1
                    ? gjkd_event_change(told, version)
                    : gjkd_event_note(GJKD_EVENT_RESET, version);
        break;
    case GJKD_CAUGHT_UP:
        break;
    }
    tell(news, event);
}

static void make_news(struct gjkd_topic *topic, struct gjkd_version *version, bool wants_all,
                      struct news *news) {
    if (version == NULL) {
        tell_end(topic, news);
        return;
    }
    if (topic->kind == GJKD_EVENT_OVERLAP) {
        make_overlaps(topic, version, wants_all, news);
    } else {
        make_change(topic, version, news);
    }
    gjkd_version_release(news->is_early ? version : topic->told);
    topic->told = news->is_early ? topic->told : version;
}

/* Is there more to tell? The lock is held, and no publisher runs but the one that asks. */
static bool has_more(const struct gjkd_topic *topic) {
    const struct gjkd_feed *feed = topic->feed;
    return topic->subscriptions != NULL && !topic->has_told_end &&
           (feed->has_ended || feed->newest > gjkd_version_moment(topic->told) || topic->wants_all);
}

static gjkd_task_result publish(struct gjkd_task *task) {
    struct gjkd_topic *topic =
        (struct gjkd_topic *)(void *)((char *)task - offsetof(struct gjkd_topic, task));
    struct gjkd_feed *feed = topic->feed;
    struct news news = {.count = 0};
    pthread_mutex_lock(&feed->lock);
    const bool wants_all = topic->wants_all;
    topic->wants_all = false;
    pthread_mutex_unlock(&feed->lock);
    make_news(topic, newest_of(topic), wants_all, &news);
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
    if (is_over) {
        gjkd_feed_unlisten(feed, &topic->listener);
    }
    pthread_mutex_unlock(&feed->lock);
    for (int i = 0; i < news.count; i++) {
        gjkd_event_release(news.events[i]);
    }
    if (is_over) {
        free_topic(topic);
    }
    return again ? GJKD_TASK_REQUEUE : GJKD_TASK_DETACHED;
}

void gjkd_topic_want_all(struct gjkd_topic *topic) {
    struct gjkd_feed *feed = topic->feed;
    pthread_mutex_lock(&feed->lock);
    topic->wants_all = true;
    schedule(topic);
    pthread_mutex_unlock(&feed->lock);
}

/* Has another publisher run when the last loop is no longer behind. The lock is held. */
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

void gjkd_topic_go_on(struct gjkd_subscription *subscription) {
    struct gjkd_topic *topic = subscription->topic;
    struct gjkd_feed *feed = topic->feed;
    pthread_mutex_lock(&feed->lock);
    catch_up(topic, subscription);
    pthread_mutex_unlock(&feed->lock);
}

/* --- Joining and leaving --- */

struct gjkd_feed *gjkd_topic_feed(const struct gjkd_topic *topic) {
    return topic->feed;
}

static struct gjkd_topic *find(const gjkd_topic_spec *spec) {
    struct gjkd_listener *at = spec->version->feed->listeners;
    for (; at != NULL; at = at->next) {
        struct gjkd_topic *topic = (struct gjkd_topic *)(void *)at;
        if (at->notify == notify && topic->kind == spec->kind &&
            strcmp(topic->filter, spec->filter) == 0) {
            return topic;
        }
    }
    return NULL;
}

static struct gjkd_topic *make(const gjkd_topic_spec *spec) {
    const size_t filter_size = strlen(spec->filter) + 1;
    struct gjkd_topic *topic = calloc(1, sizeof *topic + filter_size);
    struct gjkd_version *version =
        topic != NULL ? gjkd_registry_get(spec->registry, spec->version->name) : NULL;
    if (version == NULL || version->feed != spec->version->feed) {
        gjkd_version_release(version);
        free(topic);
        return NULL;
    }
    topic->listener.notify = notify;
    topic->task.run = publish;
    topic->feed = gjkd_feed_retain(version->feed);
    topic->registry = spec->registry;
    topic->pool = spec->pool;
    topic->kind = spec->kind;
    topic->told = version;
    memcpy(topic->filter, spec->filter, filter_size);
    gjkd_feed_listen(topic->feed, &topic->listener);
    return topic;
}

struct gjkd_subscription *gjkd_topic_join(const gjkd_topic_spec *spec,
                                          struct gjkd_completion_queue *completions, bool *is_new) {
    *is_new = false;
    struct gjkd_topic *topic = find(spec);
    if (topic == NULL) {
        topic = spec->version->feed->has_ended ? NULL : make(spec);
    }
    if (topic == NULL) {
        return NULL;
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
        schedule(topic); /* which frees one that nobody watches */
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

bool gjkd_topic_leave(struct gjkd_subscription *subscription) {
    struct gjkd_topic *topic = subscription->topic;
    struct gjkd_feed *feed = topic->feed;
    pthread_mutex_lock(&feed->lock);
    struct gjkd_subscription **at = &topic->subscriptions;
    while (*at != subscription) {
        at = &(*at)->next;
    }
    *at = subscription->next;
    catch_up(topic, subscription);
    gjkd_deliveries_clear(&subscription->inbox);
    const bool is_free = !subscription->is_posted;
    const bool is_over = topic->subscriptions == NULL && !topic->is_scheduled;
    if (is_over) {
        gjkd_feed_unlisten(feed, &topic->listener);
    }
    subscription->topic = NULL;
    pthread_mutex_unlock(&feed->lock);
    if (is_over) {
        free_topic(topic);
    }
    return is_free;
}
