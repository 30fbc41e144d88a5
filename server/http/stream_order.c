/*
 * Calls run side by side, but one on a set begins after all writes to that set that came before it.
 * A call whose body may name other sets, too, waits for all writes before it: its body is looked
 * through for the members that name sets, and not decoded. Waiting in vain does no harm, so sets
 * are told apart by a hash. WATCH and UNWATCH of one id are answered in the order of coming.
 *
 * The writes to a set run one after the other, so a call needs to wait only for the last one before it:
 * it stands in the line of that write, and each answer releases one line. Nothing is ever looked
 * through, however many calls are under way.
 */

#define _GNU_SOURCE /* memmem */

#include "http/stream.h"

#include "request/context.h"
#include "util/hash.h"

#include <stddef.h>
#include <string.h>

/* FNV-1a, never 0. */
static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return hash != 0 ? hash : 1;
}

static bool has_text(const struct gjkd_request *request, const char *text) {
    return memmem(request->body, request->body_bytes, text, strlen(text)) != NULL;
}

/* Does the body, of a question to a set, name others? `against` and `obstacles` do, also where a
 * letter of them is escaped; columns of hits have no names, and what is packed cannot be seen. */
static bool may_name_sets(const struct gjkd_request *request) {
    if (request->body == NULL) {
        return false;
    }
    return request->head.gzipped ||
           (request->columns_in && request->match.operation->op == PROTO_OP_HIT) ||
           has_text(request, "against") || has_text(request, "obstacles") ||
           has_text(request, "\\u");
}

/* Notes which set the call is on, and whether it writes. */
static void judge(const struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    const struct gjkd_request *request = &call->exchange->request;
    const struct gjkd_operation *operation = request->match.operation;
    if (request->reply.status != 0 || operation == NULL ||
        strncmp(operation->path, "/v1/sets", 8) != 0) {
        return;
    }
    const gjkd_method method = operation->method;
    const bool is_list = operation->path[8] == '\0';
    call->set = is_list ? 0 : hash_of(request->match.variable.text);
    call->is_write = method == GJKD_PUT || method == GJKD_PATCH || method == GJKD_DELETE ||
                     (operation->flags & GJKD_WRITES) != 0;
    call->reads_others = stream->order.first_write != NULL &&
                         (is_list || (method == GJKD_POST && may_name_sets(request)));
}

/* --- Lines --- */

static void append(struct gjkd_stream_line *line, struct gjkd_stream_place *place,
                   struct gjkd_stream_call *call) {
    *place = (struct gjkd_stream_place){call, NULL};
    *(line->first == NULL ? &line->first : &line->last->next) = place;
    line->last = place;
}

/* NULL: the line is empty. */
static struct gjkd_stream_call *take_first(struct gjkd_stream_line *line) {
    struct gjkd_stream_place *place = line->first;
    if (place == NULL) {
        return NULL;
    }
    line->first = place->next;
    return place->call;
}

/* One of the things that the call waits for has come to pass. */
static void release(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    if (--call->waits == 0) {
        append(&stream->order.to_begin, &call->to_begin, call);
    }
}

static uint64_t key_of(const struct gjkd_stream *stream, uint64_t word) {
    return gjkd_hash2((const uint64_t[2]){word, 0}, stream->http->context->hash_seed);
}

static struct gjkd_stream_call *call_of_set(struct gjkd_entry *entry) {
    return (struct gjkd_stream_call *)(void *)((char *)entry -
                                               offsetof(struct gjkd_stream_call, by_set));
}

static struct gjkd_stream_call *call_of_id(struct gjkd_entry *entry) {
    return (struct gjkd_stream_call *)(void *)((char *)entry -
                                               offsetof(struct gjkd_stream_call, by_id));
}

/* Waits for the last write to the call's set, and takes its place if the call is one. */
static bool line_up_by_set(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_stream_order *order = &stream->order;
    const uint64_t key = key_of(stream, call->set);
    struct gjkd_entry *entry = gjkd_table_find(&order->by_set, key);
    if (entry != NULL) {
        append(&call_of_set(entry)->followers, &call->after_set, call);
        call->waits++;
    }
    if (!call->is_write) {
        return true;
    }
    if (entry != NULL) {
        gjkd_table_remove(&order->by_set, entry);
        call_of_set(entry)->is_last_of_set = false;
    }
    call->write_link = order->first_write != NULL ? order->last_write : &order->first_write;
    *call->write_link = call;
    order->last_write = &call->next_write;
    call->is_last_of_set = gjkd_table_add(&order->by_set, &call->by_set, key);
    return call->is_last_of_set;
}

/* Waits for the last call of this id that begins or ends a watch, and takes its place. */
static bool line_up_by_id(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_stream_order *order = &stream->order;
    const uint64_t key = key_of(stream, call->id);
    struct gjkd_entry *entry = gjkd_table_find(&order->by_id, key);
    if (entry != NULL) {
        append(&call_of_id(entry)->followers, &call->after_id, call);
        call->waits++;
        gjkd_table_remove(&order->by_id, entry);
        call_of_id(entry)->is_last_of_id = false;
    }
    call->is_last_of_id = gjkd_table_add(&order->by_id, &call->by_id, key);
    return call->is_last_of_id;
}

bool gjkd_stream_line_up(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_stream_order *order = &stream->order;
    judge(stream, call);
    call->number = order->calls++;
    call->waits = 1; /* for the end of this function */
    if (call->reads_others) {
        append(&order->after_all, &call->after_all, call);
        call->waits++;
    }
    if ((call->set != 0 && !line_up_by_set(stream, call)) ||
        ((call->is_watch || call->is_unwatch) && !line_up_by_id(stream, call))) {
        return false;
    }
    release(stream, call);
    return true;
}

static void leave_writes(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_stream_order *order = &stream->order;
    *call->write_link = call->next_write;
    if (call->next_write != NULL) {
        call->next_write->write_link = call->write_link;
    } else {
        order->last_write = call->write_link;
    }
    while (order->after_all.first != NULL &&
           (order->first_write == NULL ||
            order->first_write->number >= order->after_all.first->call->number)) {
        release(stream, take_first(&order->after_all));
    }
}

void gjkd_stream_leave_line(struct gjkd_stream *stream, struct gjkd_stream_call *call) {
    struct gjkd_stream_order *order = &stream->order;
    for (struct gjkd_stream_call *next; (next = take_first(&call->followers)) != NULL;) {
        release(stream, next);
    }
    if (call->is_last_of_set) {
        gjkd_table_remove(&order->by_set, &call->by_set);
    }
    if (call->is_last_of_id) {
        gjkd_table_remove(&order->by_id, &call->by_id);
    }
    if (call->write_link != NULL) {
        leave_writes(stream, call);
    }
}

void gjkd_stream_begin_calls(struct gjkd_stream *stream) {
    struct gjkd_stream_call *call;
    while (stream->begun < GJKD_STREAM_CALLS_MAX &&
           (call = take_first(&stream->order.to_begin)) != NULL) {
        gjkd_stream_run_call(stream, call);
    }
}

void gjkd_stream_forget_order(struct gjkd_stream *stream) {
    gjkd_table_fini(&stream->order.by_set);
    gjkd_table_fini(&stream->order.by_id);
    stream->order = (struct gjkd_stream_order){.calls = 0};
}
