/* A doubly linked list, so that a reader that goes away leaves it in constant time. */

#include "watch/turns.h"

#include "sets/feed.h"

#include <stddef.h>
#include <stdlib.h>

void gjkd_turns_add(struct gjkd_turns *turns, struct gjkd_turn *turn) {
    if (turn->link == NULL) {
        turn->next = NULL;
        turn->link = turns->first != NULL ? turns->end : &turns->first;
        *turn->link = turn;
        turns->end = &turn->next;
    }
}

bool gjkd_turns_remove(struct gjkd_turns *turns, struct gjkd_turn *turn) {
    if (turn->link == NULL) {
        return false;
    }
    *turn->link = turn->next;
    if (turn->next != NULL) {
        turn->next->link = turn->link;
    } else {
        turns->end = turn->link;
    }
    turn->link = NULL;
    return true;
}

bool gjkd_turns_give(struct gjkd_turns *turns) {
    struct gjkd_turn *turn = turns->first;
    if (turn != NULL) {
        (void)gjkd_turns_remove(turns, turn);
        turn->take(turn);
    }
    return turn != NULL;
}

static gjkd_task_result make_event(struct gjkd_task *task) {
    struct gjkd_catching_up *self = (struct gjkd_catching_up *)(void *)task;
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

static void on_made(struct gjkd_task *task) {
    struct gjkd_catching_up *self = (struct gjkd_catching_up *)(void *)task;
    if (self->owner != NULL) {
        self->done(self->owner, self);
    }
    gjkd_event_release(self->event);
    gjkd_version_release(self->version);
    (*self->out)--;
    free(self);
}

struct gjkd_catching_up *gjkd_catching_up_start(struct gjkd_pool *pool,
                                                struct gjkd_completion_queue *completions,
                                                unsigned *out, const gjkd_since *since,
                                                uint64_t client, struct gjkd_version *version) {
    struct gjkd_catching_up *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return NULL;
    }
    self->task.completions = completions;
    self->task.run = make_event;
    self->task.done = on_made;
    self->out = out;
    self->is_whole = since == NULL;
    if (since != NULL) {
        self->since = *since;
    }
    self->client = client;
    self->task.client = gjkd_task_client(client);
    self->version = gjkd_version_retain(version);
    (*out)++;
    gjkd_pool_resume(pool, &self->task);
    return self;
}
