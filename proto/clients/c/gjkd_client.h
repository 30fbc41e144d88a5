#ifndef GJKD_CLIENT_H
#define GJKD_CLIENT_H

/*
 * A client of gjkd, the collision-query daemon, on libcurl, jansson and protobuf-c, for C and C++.
 *
 * A call returns its answer, which the caller releases (json_decref, or the message's
 * free_unpacked), or NULL; then gjkd_last_problem() has the reason. A client and its watches must
 * not be used by two threads at once; threads can have clients of their own. The README in this
 * folder has examples.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gjkd.pb-c.h" /* generated from gjkd.proto by protoc-c */

#ifdef __cplusplus
extern "C" {
#endif

#define GJKD_NO_HANDLE UINT32_MAX /* no shape, no hit, no piece */

struct gjkd_client;
struct gjkd_watch;

/* Reason of a failed call: a refusal by the daemon (RFC 9457), or no valid answer. A refused write
 * has changed nothing, unless the status is 504. */
struct gjkd_problem {
    long status; /* HTTP status; 0: no answer came */
    /* A code of the HTTP API, or unreachable, deadline-exceeded, answer-too-large, bad-answer,
     * bad-call. */
    char code[64];
    char pointer[256]; /* JSON pointer to the first mistake in the body; "": none */
    char detail[512];
    char hint[256];
    char etag[160]; /* with status 412: current ETag of the set */
};

/* Settings of a client; zeros are the defaults. */
struct gjkd_settings {
    const char *token;       /* bearer token, sent with every call; NULL: none */
    long timeout_ms;         /* of a call including its retries; 0: 30,000 */
    int retries;             /* maximum number of retries; 0: 2; negative: none */
    size_t answer_bytes_max; /* 0: 256 MiB */
};

/* Options of one call; NULL and zeros mean none. */
struct gjkd_options {
    const char *if_match;      /* an ETag */
    const char *if_none_match; /* "*": only create; or the ETag of the caller's copy */
    const char *query;         /* query part of the URL, escaped: "fields=handles" */
    uint64_t min_revision;     /* in a cluster: wait until the node has this revision */
    bool linearizable;         /* in a cluster: the answer is not older than the call */
    long timeout_ms;           /* 0: the client's */
};

/* Returns a new client of the daemon at `url`, such as http://127.0.0.1:8080. `settings` may be
 * NULL. Returns NULL if memory is exhausted. */
struct gjkd_client *gjkd_client_new(const char *url, const struct gjkd_settings *settings);
void gjkd_client_free(struct gjkd_client *client);

/* Return, of the last call, its problem (code "" if it succeeded), its HTTP status (304: not
 * changed), its ETag ("" if none), and the answer's body. They are valid until the next call. */
const struct gjkd_problem *gjkd_last_problem(const struct gjkd_client *client);
long gjkd_status(const struct gjkd_client *client);
const char *gjkd_etag(const struct gjkd_client *client);
const void *gjkd_body(const struct gjkd_client *client, size_t *length);

/* JSON calls. They take the reference to `body`, even if they fail, so that it can be json_pack().
 * Answers without a body (HEAD, 204, 304) are returned as an empty object. `options` may be
 * NULL. */
#define GJKD_OPTIONS const struct gjkd_options *options
json_t *gjkd_put_set(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_patch_set(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_get_set(struct gjkd_client *client, const char *set, GJKD_OPTIONS);
json_t *gjkd_head_set(struct gjkd_client *client, const char *set, GJKD_OPTIONS);
json_t *gjkd_delete_set(struct gjkd_client *client, const char *set, GJKD_OPTIONS);
json_t *gjkd_get_ticks(struct gjkd_client *client, const char *set, GJKD_OPTIONS);
json_t *gjkd_list_sets(struct gjkd_client *client, GJKD_OPTIONS);

json_t *gjkd_put_shape(struct gjkd_client *client, const char *set, const char *id, json_t *body,
                       GJKD_OPTIONS);
json_t *gjkd_patch_shape(struct gjkd_client *client, const char *set, const char *id, json_t *body,
                         GJKD_OPTIONS);
json_t *gjkd_get_shape(struct gjkd_client *client, const char *set, const char *id, GJKD_OPTIONS);
json_t *gjkd_delete_shape(struct gjkd_client *client, const char *set, const char *id,
                          GJKD_OPTIONS);

/* Queries. For a query without a set, about inline shapes, `set` is NULL. */
json_t *gjkd_detect(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_distance(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_raycast(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_cast(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_move(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_hit(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);
json_t *gjkd_configurations(struct gjkd_client *client, const char *set, json_t *body,
                            GJKD_OPTIONS);
json_t *gjkd_batch(struct gjkd_client *client, const char *set, json_t *body, GJKD_OPTIONS);

/* Write or read a tick. gjkd_tick also answers the queries in its body. */
json_t *gjkd_tick(struct gjkd_client *client, const char *set, uint64_t tick, json_t *body,
                  GJKD_OPTIONS);
json_t *gjkd_put_tick(struct gjkd_client *client, const char *set, uint64_t tick, json_t *body,
                      GJKD_OPTIONS);
json_t *gjkd_get_tick(struct gjkd_client *client, const char *set, double tick, GJKD_OPTIONS);

/* Sends any other call, such as /v1/export or /metrics. Returns true for a status of 2xx or 304;
 * gjkd_body() has the answer. */
struct gjkd_request {
    const char *method, *content_type; /* content_type NULL: no body */
    const void *body;
    size_t length;
    bool safe; /* the request may be resent if no answer came */
};
bool gjkd_call(struct gjkd_client *client, const char *path, const struct gjkd_request *request,
               GJKD_OPTIONS);

/* Queries in columns: row i of each column belongs to query i; shapes are given by handle. */
#define GJKD_COLUMNS(name, Question, Answer)                                               \
    Gjkd__V1__##Answer *gjkd_##name##_columns(struct gjkd_client *client, const char *set, \
                                              const Gjkd__V1__##Question *rows, GJKD_OPTIONS)
GJKD_COLUMNS(raycast, RaycastColumns, RaycastAnswers);
GJKD_COLUMNS(cast, CastColumns, CastAnswers);
GJKD_COLUMNS(detect, PairColumns, PairAnswers);
GJKD_COLUMNS(distance, PairColumns, PairAnswers);
GJKD_COLUMNS(nearest, NearestColumns, NearestAnswers);
GJKD_COLUMNS(overlap, OverlapColumns, OverlapAnswers);
GJKD_COLUMNS(move, MoveColumns, MoveAnswers);
GJKD_COLUMNS(hit, HitColumns, HitAnswers);
GJKD_COLUMNS(configuration, ConfigurationColumns, ConfigurationAnswers);
GJKD_COLUMNS(batch, BatchColumns, BatchAnswers);
Gjkd__V1__TickAnswers *gjkd_tick_columns(struct gjkd_client *client, const char *set, uint64_t tick,
                                         const Gjkd__V1__TickColumns *rows, GJKD_OPTIONS);
/* Write a tick or a shape given in columns. They return JSON. */
json_t *gjkd_put_tick_columns(struct gjkd_client *client, const char *set, uint64_t tick,
                              const Gjkd__V1__PoseColumns *poses, GJKD_OPTIONS);
json_t *gjkd_put_shape_columns(struct gjkd_client *client, const char *set, const char *id,
                               const Gjkd__V1__BodyColumns *body, GJKD_OPTIONS);

enum gjkd_watched {
    GJKD_WATCH_EVENT,   /* *event is the next event, with its "id"; the caller releases it */
    GJKD_WATCH_NOTHING, /* no event came in time */
    GJKD_WATCH_ENDED,   /* the set was deleted */
    GJKD_WATCH_FAILED   /* gjkd_last_problem() has the reason */
};

/* Returns a new watch, which receives the events of a set. `query`: parameters such as
 * "kinds=change,overlap" or "wait=true", or NULL. `since`: a revision, an event's id or an ETag;
 * NULL: only new events. After a lost connection the watch resumes behind the last event. The
 * client must outlive the watch. Returns NULL with the problem set if `set` is "", "." or "..", or
 * memory is exhausted. */
struct gjkd_watch *gjkd_watch_new(struct gjkd_client *client, const char *set, const char *query,
                                  const char *since);
void gjkd_watch_free(struct gjkd_watch *watch);
/* Waits for the next event, at most `timeout_ms`; 0 does not wait. */
enum gjkd_watched gjkd_watch_next(struct gjkd_watch *watch, long timeout_ms, json_t **event);

#ifdef __cplusplus
}
#endif

#endif
