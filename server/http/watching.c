#include "http/watching.h"

#include "request/auth.h"
#include "request/context.h"
#include "request/telemetry.h"

static struct gjkd_watch *open_watch(struct gjkd_http *http, struct gjkd_request *request,
                                     void (*ready)(void *owner), void *owner) {
    if (gjkd_is_draining(http->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
        return NULL;
    }
    struct gjkd_watch *watch =
        gjkd_watch_open(&http->hub, request->reply.watch, ready, owner, &request->problem);
    if (watch == NULL) {
        gjkd_request_refuse(request);
        request->reply.challenge = gjkd_auth_challenge(request->problem.code);
        return NULL;
    }
    gjkd_count_watch(http->counters, true);
    return watch;
}

struct gjkd_watch *gjkd_watching_begin(struct gjkd_http *http, struct gjkd_request *request,
                                       void (*ready)(void *owner), void *owner) {
    struct gjkd_watch *watch =
        request->head.method != GJKD_HEAD ? open_watch(http, request, ready, owner) : NULL;
    gjkd_version_release(request->version);
    request->version = NULL;
    if (request->problem.code != PROTO_OK) {
        request->reply.watch = NULL;
    }
    return watch;
}

void gjkd_watching_end(struct gjkd_http *http, struct gjkd_watch *watch) {
    if (watch != NULL) {
        gjkd_watch_close(watch);
        gjkd_count_watch(http->counters, false);
    }
}
