/*
 * Start-time fair queueing: a time slice starts, in virtual time, at the end of the client's
 * previous one or now, whichever is later; the slice with the earliest start runs next, and virtual
 * time advances to its start. The cost of a slice need not be known before it ends. P. Goyal, H. M.
 * Vin, H. Cheng, Start-time fair queueing: a scheduling algorithm for integrated services packet
 * switching networks, SIGCOMM 1996; for processors: P. Goyal, X. Guo, H. M. Vin, A hierarchical CPU
 * scheduler for multimedia operating systems, OSDI 1996. Here several slices of one client may run
 * at once, so each is charged GJKD_TURN_NS until it ends.
 */

#include "work/fair_queue.h"

#include <stddef.h>

static void append(struct gjkd_task_list *list, struct gjkd_task *task) {
    task->next = NULL;
    *(list->first == NULL ? &list->first : &list->last->next) = task;
    list->last = task;
}

static struct gjkd_task *remove_first(struct gjkd_task_list *list) {
    struct gjkd_task *task = list->first;
    list->first = task->next;
    return task;
}

static void activate(struct gjkd_fair_queue *queue, struct gjkd_client_queue *client) {
    if (client->is_active) {
        return;
    }
    if (client->start_ns < queue->virtual_ns) {
        client->start_ns = queue->virtual_ns; /* an idle client saves up no time */
    }
    client->is_active = true;
    queue->active[queue->active_count++] = (uint16_t)(client - queue->clients);
}

void gjkd_fair_queue_put(struct gjkd_fair_queue *queue, struct gjkd_task *task) {
    struct gjkd_client_queue *client = &queue->clients[task->client];
    task->order = ++queue->order;
    append(task->paused != NULL ? &client->paused : &client->fresh, task);
    activate(queue, client);
}

/* Returns the line of the client whose task is next, or NULL if no task may run. */
static struct gjkd_task_list *next_line(struct gjkd_client_queue *client, int begun_max) {
    struct gjkd_task_list *fresh = &client->fresh, *paused = &client->paused;
    if (fresh->first == NULL || (int)client->begun > begun_max) {
        return paused->first != NULL ? paused : NULL;
    }
    return paused->first != NULL && paused->first->order < fresh->first->order ? paused : fresh;
}

/* Returns the index in `active` of the client whose turn is next; active_count: none. */
static unsigned find_next(struct gjkd_fair_queue *queue, int begun_max) {
    unsigned found = queue->active_count;
    for (unsigned i = 0; i < queue->active_count; i++) {
        struct gjkd_client_queue *client = &queue->clients[queue->active[i]];
        if (next_line(client, begun_max) != NULL &&
            (found == queue->active_count ||
             client->start_ns < queue->clients[queue->active[found]].start_ns)) {
            found = i;
        }
    }
    return found;
}

/* Takes the next task of the client at that index. */
static struct gjkd_task *take_at(struct gjkd_fair_queue *queue, unsigned at, int begun_max) {
    struct gjkd_client_queue *client = &queue->clients[queue->active[at]];
    struct gjkd_task *task = remove_first(next_line(client, begun_max));
    if (client->fresh.first == NULL && client->paused.first == NULL) {
        /* Keeps the order of the others. */
        queue->clients[queue->active[at]].is_active = false;
        queue->active_count--;
        for (; at < queue->active_count; at++) {
            queue->active[at] = queue->active[at + 1];
        }
    }
    return task;
}

/* Moves a writer to its line if another one is running. Returns true if so. */
static bool join_writer_line(struct gjkd_fair_queue *queue, struct gjkd_task *task) {
    if (task->writer == 0 || task->paused != NULL) {
        return false;
    }
    bool waits = queue->writers[task->writer - 1].is_busy;
    if (waits) {
        append(&queue->writers[task->writer - 1].waiting, task);
    }
    queue->writers[task->writer - 1].is_busy = true;
    return waits;
}

struct gjkd_task *gjkd_fair_queue_take(struct gjkd_fair_queue *queue, int begun_max,
                                       unsigned *lined_up) {
    for (;;) {
        unsigned at = find_next(queue, begun_max);
        if (at == queue->active_count) {
            return NULL;
        }
        struct gjkd_client_queue *client = &queue->clients[queue->active[at]];
        struct gjkd_task *task = take_at(queue, at, begun_max);
        if (join_writer_line(queue, task)) {
            ++*lined_up;
            continue;
        }
        queue->virtual_ns = client->start_ns;
        client->start_ns += GJKD_TURN_NS;
        client->begun += task->paused == NULL ? 1 : 0;
        return task;
    }
}

void gjkd_fair_queue_charge(struct gjkd_fair_queue *queue, uint16_t client, int64_t used_ns) {
    queue->clients[client].start_ns += used_ns - GJKD_TURN_NS;
}

void gjkd_fair_queue_end(struct gjkd_fair_queue *queue, uint16_t client) {
    queue->clients[client].begun--;
}

bool gjkd_fair_queue_next_writer(struct gjkd_fair_queue *queue, uint16_t writer) {
    struct gjkd_task_list *waiting = &queue->writers[writer - 1].waiting;
    queue->writers[writer - 1].is_busy = false;
    if (waiting->first == NULL) {
        return false;
    }
    gjkd_fair_queue_put(queue, remove_first(waiting));
    return true;
}
