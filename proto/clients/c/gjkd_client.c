/* A client of gjkd on libcurl: one easy handle for all calls, which keeps its connections, and one
 * for each watch. */
#include "gjkd_client.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROTOBUF "application/x-protobuf"

enum {
    TIMEOUT_MS = 30000,
    GRACE_MS = 500, /* wait after the deadline, in which the daemon's own refusal can arrive */
    RETRIES = 2,
    PAUSE_MS = 100,
    PAUSE_MAX_MS = 5000,
    RETRY_AFTER_MAX_MS = 60000, /* calls with a longer Retry-After fail at once */
    SILENCE_MS = 45000, /* silence after which a watch reconnects; the daemon sends every 15 s */
};

struct bytes {
    char *data; /* NUL-terminated */
    size_t length, capacity, max;
    bool no_memory; /* it could not grow for lack of memory, not because of max */
};

struct gjkd_client {
    CURL *curl;
    char *url;
    long timeout_ms;
    int retries;
    struct bytes authorization, path, out, in;
    struct curl_slist *headers;
    bool headers_wrong;
    long status;
    char etag[160];
    struct gjkd_problem problem;
    uint64_t random;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool reserve(struct bytes *to, size_t more) {
    to->no_memory = false;
    if (more > to->max - to->length)
        return false;
    if (to->length + more < to->capacity)
        return true;
    size_t capacity = 2 * (to->length + more) + 256;
    char *grown = (char *)realloc(to->data, capacity);
    to->no_memory = !grown;
    if (!grown)
        return false;
    to->data = grown;
    to->capacity = capacity;
    return true;
}

static bool append(struct bytes *to, const void *data, size_t length) {
    if (!reserve(to, length))
        return false;
    if (length)
        memcpy(to->data + to->length, data, length);
    to->length += length;
    to->data[to->length] = 0;
    return true;
}

static bool append_text(struct bytes *to, const char *text) {
    return append(to, text, strlen(text));
}

/* Appends a segment of a path. Returns false for "", "." and "..", which a proxy might remove, or
 * if memory is exhausted. */
static bool append_segment(struct bytes *to, const char *name) {
    if (!name || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    char *escaped = curl_easy_escape(NULL, name, 0);
    to->no_memory = !escaped;
    bool fits = escaped && append_text(to, escaped);
    curl_free(escaped);
    return fits;
}

static size_t on_body(char *data, size_t size, size_t count, void *user) {
    return append((struct bytes *)user, data, size * count) ? size * count : 0;
}

static void fail(struct gjkd_client *client, long status, const char *code, const char *detail) {
    memset(&client->problem, 0, sizeof client->problem);
    client->problem.status = status;
    snprintf(client->problem.code, sizeof client->problem.code, "%s", code);
    snprintf(client->problem.detail, sizeof client->problem.detail, "%s", detail);
}

/* Refuses a call that `bytes` had no room for: because memory is exhausted, or for the reason in
 * `detail`. Returns false. */
static bool refuse(struct gjkd_client *client, const struct bytes *bytes, const char *detail) {
    fail(client, 0, "bad-call", bytes->no_memory ? "memory is exhausted" : detail);
    return false;
}

static void take_text(const json_t *object, const char *name, char *to, size_t size) {
    const char *text = json_string_value(json_object_get(object, name));
    if (text)
        snprintf(to, size, "%s", text);
}

/* Sets the problem from the body of a refusal. */
static void fail_as(struct gjkd_client *client, const struct bytes *body) {
    struct gjkd_problem *problem = &client->problem;
    fail(client, client->status, "bad-answer", "the answer is no problem of gjkd's");
    snprintf(problem->etag, sizeof problem->etag, "%s", client->etag);
    json_t *told = body->length ? json_loadb(body->data, body->length, 0, NULL) : NULL;
    take_text(told, "code", problem->code, sizeof problem->code);
    take_text(told, "detail", problem->detail, sizeof problem->detail);
    take_text(told, "hint", problem->hint, sizeof problem->hint);
    take_text(json_array_get(json_object_get(told, "errors"), 0), "pointer", problem->pointer,
              sizeof problem->pointer);
    json_decref(told);
}

/* Adds a header to the next request. A line break in it, which would begin another header, sets
 * headers_wrong. */
static void add_header(struct gjkd_client *client, const char *name, const char *value) {
    if (!value)
        return;
    struct bytes line = {.max = 65536};
    struct curl_slist *longer = NULL;
    if (!strpbrk(value, "\r\n") && append_text(&line, name) && append_text(&line, ": ") &&
        append_text(&line, value))
        longer = curl_slist_append(client->headers, line.data);
    free(line.data);
    client->headers_wrong |= !longer;
    if (longer)
        client->headers = longer;
}

/* Prepares the next request of `curl`, with the options and headers of all requests. */
static void prepare(struct gjkd_client *client, CURL *curl, const char *url) {
    curl_slist_free_all(client->headers);
    client->headers = NULL;
    client->headers_wrong = false;
    add_header(client, "Authorization", client->authorization.data);
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
}

static void take_etag(struct gjkd_client *client, CURL *curl) {
    struct curl_header *etag = NULL;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &client->status);
    client->etag[0] = 0;
    if (curl_easy_header(curl, "ETag", 0, CURLH_HEADER, -1, &etag) == CURLHE_OK)
        snprintf(client->etag, sizeof client->etag, "%s", etag->value);
}

/* Returns `ms` minus up to half of it at random, so that clients do not all reconnect at once after
 * an outage. */
static int64_t jittered(struct gjkd_client *client, int64_t ms) {
    client->random = client->random * 6364136223846793005U + 1442695040888963407U;
    return ms - (int64_t)((client->random >> 33) % (uint64_t)(ms / 2 + 1));
}

static void prepare_call(struct gjkd_client *client, const struct gjkd_request *asked,
                         const struct gjkd_options *options, int64_t left_ms) {
    CURL *curl = client->curl;
    char number[32];
    prepare(client, curl, client->path.data);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &client->in);
    snprintf(number, sizeof number, "%" PRId64, left_ms);
    add_header(client, "Gjkd-Timeout-Ms", number);
    add_header(client, "If-Match", options->if_match);
    add_header(client, "If-None-Match", options->if_none_match);
    snprintf(number, sizeof number, "%" PRIu64, options->min_revision);
    add_header(client, "Gjkd-Min-Revision", options->min_revision ? number : NULL);
    add_header(client, "Gjkd-Consistency", options->linearizable ? "linearizable" : NULL);
    add_header(client, "Content-Type", asked->content_type);
    add_header(client, "Expect", asked->content_type ? "" : NULL);
    if (strcmp(asked->method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, asked->method);
    if (asked->content_type) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)asked->length);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, asked->body);
    }
    /* On a reused connection libcurl itself resends a request if the connection closes before the
     * answer. */
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, asked->safe ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)left_ms + GRACE_MS);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, client->headers);
}

/* Sends a request once. Returns true for a status of 2xx or 304. Else sets the problem, and
 * *wait_ms to the time before a retry, or to -1 if the request must not be retried. */
static bool send_once(struct gjkd_client *client, const struct gjkd_request *asked,
                      int64_t *wait_ms) {
    client->in.length = 0;
    client->status = 0;
    CURLcode ended = curl_easy_perform(client->curl);
    if (ended != CURLE_OK) {
        bool unsent = ended == CURLE_COULDNT_CONNECT || ended == CURLE_COULDNT_RESOLVE_HOST;
        bool late = ended == CURLE_OPERATION_TIMEDOUT;
        fail(client, 0,
             late                         ? "deadline-exceeded"
             : ended == CURLE_WRITE_ERROR ? "answer-too-large"
                                          : "unreachable",
             curl_easy_strerror(ended));
        if (late || ended == CURLE_WRITE_ERROR || !(asked->safe || unsent))
            *wait_ms = -1;
        return false;
    }
    take_etag(client, client->curl);
    if ((client->status >= 200 && client->status < 300) || client->status == 304)
        return true;
    fail_as(client, &client->in);
    curl_off_t after_s = 0;
    curl_easy_getinfo(client->curl, CURLINFO_RETRY_AFTER, &after_s);
    if (after_s > RETRY_AFTER_MAX_MS / 1000 || (client->status != 429 && client->status != 503))
        *wait_ms = -1;
    else if (after_s * 1000 > *wait_ms)
        *wait_ms = after_s * 1000;
    return false;
}

/* Sends a request to client->path, with retries where they are safe, until the deadline. */
static bool send_call(struct gjkd_client *client, const struct gjkd_request *asked,
                      const struct gjkd_options *options) {
    static const struct gjkd_options none;
    if (!options)
        options = &none;
    int64_t end = now_ms() + (options->timeout_ms > 0 ? options->timeout_ms : client->timeout_ms);
    if (options->query &&
        !(append_text(&client->path, "?") && append_text(&client->path, options->query)))
        return refuse(client, &client->path, "the query of the URL is too long");
    for (int attempt = 0;; attempt++) {
        int64_t left = end - now_ms(),
                wait = jittered(client, (int64_t)PAUSE_MS << (attempt < 6 ? attempt : 6));
        prepare_call(client, asked, options, left > 1 ? left : 1);
        if (client->headers_wrong) {
            fail(client, 0, "bad-call", "a header has a line break, or memory is exhausted");
            return false;
        }
        if (send_once(client, asked, &wait)) {
            client->problem.code[0] = 0;
            return true;
        }
        if (wait < 0 || attempt >= client->retries || now_ms() + wait >= end)
            return false;
        nanosleep(&(struct timespec){wait / 1000, wait % 1000 * 1000000}, NULL);
    }
}

/* Sets client->path by a form in which each % is replaced by an escaped segment, and # by a
 * tick. */
static bool set_path(struct gjkd_client *client, const char *form, va_list segments) {
    client->path.length = 0;
    bool fits = append_text(&client->path, client->url);
    for (char tick[32]; *form && fits; form++) {
        if (*form == '#')
            snprintf(tick, sizeof tick, "%" PRIu64, va_arg(segments, uint64_t));
        fits = *form == '%'   ? append_segment(&client->path, va_arg(segments, const char *))
               : *form == '#' ? append_text(&client->path, tick)
                              : append(&client->path, form, 1);
    }
    return fits || refuse(client, &client->path, "a set's name or a shape's id is none");
}

static bool set_path_to(struct gjkd_client *client, const char *form, ...) {
    va_list segments;
    va_start(segments, form);
    bool fits = set_path(client, form, segments);
    va_end(segments);
    return fits;
}

/* Returns true if a call may be resent when no answer came. A tick with a condition may not: if the
 * first succeeded, the condition would refuse the second. */
static bool is_safe(const char *method, const char *form, const struct gjkd_options *options) {
    if (strstr(form, "/ticks/"))
        return !options || !(options->if_match || options->if_none_match);
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || strcmp(method, "POST") == 0;
}

static json_t *document(struct gjkd_client *client) {
    if (client->in.length == 0)
        return json_object();
    json_t *answer = json_loadb(client->in.data, client->in.length, JSON_ALLOW_NUL, NULL);
    if (!answer)
        fail(client, client->status, "bad-answer", "the answer is no JSON");
    return answer;
}

/* Sends a call, with a JSON body for PUT, POST and PATCH, and returns the answer as JSON. Takes the
 * reference to `body`. Returns NULL with the problem set. */
static json_t *ask(struct gjkd_client *client, const char *method, json_t *body,
                   const struct gjkd_options *options, const char *form, ...) {
    va_list segments;
    va_start(segments, form);
    bool fits = set_path(client, form, segments), answered = false;
    va_end(segments);
    struct gjkd_request asked = {.method = method, .safe = is_safe(method, form, options)};
    char *text = NULL;
    if (*method == 'P') {
        text = body ? json_dumps(body, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
        if (!text)
            fail(client, 0, "bad-call", "the body is none: did json_pack fail?");
        asked.content_type = "application/json";
        asked.body = text;
        asked.length = text ? strlen(text) : 0;
    }
    if (fits && (text || !asked.content_type))
        answered = send_call(client, &asked, options);
    free(text);
    json_decref(body);
    return answered ? document(client) : NULL;
}

/* Sends a call with a protobuf message as its body. Returns false with the problem set. */
static bool ask_rows(struct gjkd_client *client, const char *method, const char *content_type,
                     const ProtobufCMessage *rows, const struct gjkd_options *options,
                     const char *form, ...) {
    va_list segments;
    va_start(segments, form);
    bool fits = set_path(client, form, segments);
    va_end(segments);
    if (!fits)
        return false;
    size_t length = protobuf_c_message_get_packed_size(rows);
    client->out.length = 0;
    if (!reserve(&client->out, length))
        return refuse(client, &client->out, "the message is too long");
    protobuf_c_message_pack(rows, (uint8_t *)client->out.data);
    struct gjkd_request asked = {method, content_type, client->out.data, length,
                                 is_safe(method, form, options)};
    return send_call(client, &asked, options);
}

static ProtobufCMessage *unpack(struct gjkd_client *client, bool answered,
                                const ProtobufCMessageDescriptor *kind) {
    if (!answered)
        return NULL;
    ProtobufCMessage *answer =
        protobuf_c_message_unpack(kind, NULL, client->in.length, (const uint8_t *)client->in.data);
    if (!answer)
        fail(client, client->status, "bad-answer", "the answer is no such message");
    return answer;
}

/* Returns true if a tick's body has queries or asks for overlaps. */
static bool is_asked(const json_t *body) {
    return json_object_get(body, "queries") || json_object_get(body, "overlaps");
}

#define CLIENT struct gjkd_client *client
#define SET "/v1/sets/%"
#define SHAPE SET "/shapes/%"
#define TICK SET "/ticks/#"
#define OF_SET(name, method, form)                               \
    json_t *gjkd_##name(CLIENT, const char *set, GJKD_OPTIONS) { \
        return ask(client, method, NULL, options, form, set);    \
    }
#define TO_SET(name, method)                                                   \
    json_t *gjkd_##name(CLIENT, const char *set, json_t *body, GJKD_OPTIONS) { \
        return ask(client, method, body, options, SET, set);                   \
    }
#define OF_SHAPE(name, method)                                                   \
    json_t *gjkd_##name(CLIENT, const char *set, const char *id, GJKD_OPTIONS) { \
        return ask(client, method, NULL, options, SHAPE, set, id);               \
    }
#define TO_SHAPE(name, method)                                                                 \
    json_t *gjkd_##name(CLIENT, const char *set, const char *id, json_t *body, GJKD_OPTIONS) { \
        return ask(client, method, body, options, SHAPE, set, id);                             \
    }
#define QUESTION(name)                                                                      \
    json_t *gjkd_##name(CLIENT, const char *set, json_t *body, GJKD_OPTIONS) {              \
        return ask(client, "POST", body, options, set ? SET "/" #name : "/v1/" #name, set); \
    }
#define TO_TICK(name, method)                                                                 \
    json_t *gjkd_##name(CLIENT, const char *set, uint64_t tick, json_t *body, GJKD_OPTIONS) { \
        return ask(client, method, body, options, TICK, set, tick);                           \
    }
#define COLUMNS(name, route, Question, Answer, answer)                                            \
    GJKD_COLUMNS(name, Question, Answer) {                                                        \
        bool answered = ask_rows(client, "POST", PROTOBUF "; message=" #Question, &rows->base,    \
                                 options, SET route, set);                                        \
        return (Gjkd__V1__##Answer *)unpack(client, answered, &gjkd__v1__##answer##__descriptor); \
    }

TO_SET(put_set, "PUT")
TO_SET(patch_set, "PATCH")
OF_SET(get_set, "GET", SET)
OF_SET(head_set, "HEAD", SET)
OF_SET(delete_set, "DELETE", SET)
OF_SET(get_ticks, "GET", SET "/ticks")
TO_SHAPE(put_shape, "PUT")
TO_SHAPE(patch_shape, "PATCH")
OF_SHAPE(get_shape, "GET")
OF_SHAPE(delete_shape, "DELETE")
QUESTION(detect)
QUESTION(distance)
QUESTION(raycast)
QUESTION(cast)
QUESTION(move)
QUESTION(hit)
QUESTION(configurations)
QUESTION(batch)
TO_TICK(tick, is_asked(body) ? "POST" : "PUT")
TO_TICK(put_tick, "PUT")
COLUMNS(raycast, "/raycast", RaycastColumns, RaycastAnswers, raycast_answers)
COLUMNS(cast, "/cast", CastColumns, CastAnswers, cast_answers)
COLUMNS(detect, "/detect", PairColumns, PairAnswers, pair_answers)
COLUMNS(distance, "/distance", PairColumns, PairAnswers, pair_answers)
COLUMNS(nearest, "/distance", NearestColumns, NearestAnswers, nearest_answers)
COLUMNS(overlap, "/detect", OverlapColumns, OverlapAnswers, overlap_answers)
COLUMNS(move, "/move", MoveColumns, MoveAnswers, move_answers)
COLUMNS(hit, "/hit", HitColumns, HitAnswers, hit_answers)
COLUMNS(configuration, "/configurations", ConfigurationColumns, ConfigurationAnswers,
        configuration_answers)
COLUMNS(batch, "/batch", BatchColumns, BatchAnswers, batch_answers)

json_t *gjkd_list_sets(CLIENT, GJKD_OPTIONS) {
    return ask(client, "GET", NULL, options, "/v1/sets");
}

json_t *gjkd_get_tick(CLIENT, const char *set, double tick, GJKD_OPTIONS) {
    char text[400];
    snprintf(text, sizeof text, "%.17f", tick);
    text[strspn(text, "0123456789.")] = 0;
    return ask(client, "GET", NULL, options, SET "/ticks/%", set, text);
}

Gjkd__V1__TickAnswers *gjkd_tick_columns(CLIENT, const char *set, uint64_t tick,
                                         const Gjkd__V1__TickColumns *rows, GJKD_OPTIONS) {
    bool answered = ask_rows(client, "POST", PROTOBUF, &rows->base, options, TICK, set, tick);
    return (Gjkd__V1__TickAnswers *)unpack(client, answered, &gjkd__v1__tick_answers__descriptor);
}

json_t *gjkd_put_tick_columns(CLIENT, const char *set, uint64_t tick,
                              const Gjkd__V1__PoseColumns *poses, GJKD_OPTIONS) {
    bool answered = ask_rows(client, "PUT", PROTOBUF, &poses->base, options, TICK, set, tick);
    return answered ? document(client) : NULL;
}

json_t *gjkd_put_shape_columns(CLIENT, const char *set, const char *id,
                               const Gjkd__V1__BodyColumns *body, GJKD_OPTIONS) {
    bool answered = ask_rows(client, "PUT", PROTOBUF, &body->base, options, SHAPE, set, id);
    return answered ? document(client) : NULL;
}

bool gjkd_call(CLIENT, const char *path, const struct gjkd_request *request, GJKD_OPTIONS) {
    if (!set_path_to(client, ""))
        return false;
    if (!append_text(&client->path, path))
        return refuse(client, &client->path, "the path is too long");
    return send_call(client, request, options);
}

struct gjkd_client *gjkd_client_new(const char *url, const struct gjkd_settings *settings) {
    static const struct gjkd_settings none;
    if (!settings)
        settings = &none;
    struct gjkd_client *client = (struct gjkd_client *)calloc(1, sizeof *client);
    if (!client)
        return NULL;
    client->in.max = settings->answer_bytes_max ? settings->answer_bytes_max : (size_t)256 << 20;
    client->path.max = 65536;
    client->out.max = SIZE_MAX / 4;
    client->timeout_ms = settings->timeout_ms > 0 ? settings->timeout_ms : TIMEOUT_MS;
    client->retries = settings->retries ? settings->retries : RETRIES;
    client->random = (uint64_t)now_ms() ^ (uint64_t)(uintptr_t)client;
    client->url = strdup(url);
    struct bytes *line = &client->authorization;
    line->max = 65536;
    bool fits =
        !settings->token || (append_text(line, "Bearer ") && append_text(line, settings->token));
    client->curl = curl_easy_init();
    if (!client->url || !client->curl || !fits) {
        gjkd_client_free(client);
        return NULL;
    }
    for (size_t n = strlen(client->url); n > 0 && client->url[n - 1] == '/'; n--)
        client->url[n - 1] = 0;
    return client;
}

void gjkd_client_free(struct gjkd_client *client) {
    if (!client)
        return;
    curl_easy_cleanup(client->curl);
    curl_slist_free_all(client->headers);
    free(client->url);
    free(client->authorization.data);
    free(client->path.data);
    free(client->out.data);
    free(client->in.data);
    free(client);
}

const struct gjkd_problem *gjkd_last_problem(const struct gjkd_client *client) {
    return &client->problem;
}

long gjkd_status(const struct gjkd_client *client) {
    return client->status;
}

const char *gjkd_etag(const struct gjkd_client *client) {
    return client->etag;
}

const void *gjkd_body(const struct gjkd_client *client, size_t *length) {
    *length = client->in.length;
    return client->in.data;
}

struct gjkd_watch {
    struct gjkd_client *client;
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    char *url;
    struct bytes in;
    size_t searched; /* bytes of `in` without the end of an event */
    char last[160];  /* id of the last event; "": none */
    bool running, opened, waits, done;
    int64_t heard_ms, next_try_ms, pause_ms;
};

static size_t on_events(char *data, size_t size, size_t count, void *user) {
    struct gjkd_watch *watch = (struct gjkd_watch *)user;
    watch->heard_ms = now_ms();
    return on_body(data, size, count, &watch->in);
}

static void stop(struct gjkd_watch *watch) {
    if (watch->running)
        curl_multi_remove_handle(watch->multi, watch->curl);
    watch->running = false;
}

struct gjkd_watch *gjkd_watch_new(CLIENT, const char *set, const char *query, const char *since) {
    if (!set_path_to(client, SET "/events?", set))
        return NULL;
    if (query && !append_text(&client->path, query)) {
        refuse(client, &client->path, "the query of the URL is too long");
        return NULL;
    }
    struct gjkd_watch *watch = (struct gjkd_watch *)calloc(1, sizeof *watch);
    if (watch) {
        watch->url = strdup(client->path.data);
        watch->curl = curl_easy_init();
        watch->multi = curl_multi_init();
    }
    if (!watch || !watch->url || !watch->curl || !watch->multi) {
        fail(client, 0, "bad-call", "memory is exhausted");
        gjkd_watch_free(watch);
        return NULL;
    }
    watch->client = client;
    watch->in.max = client->in.max;
    watch->pause_ms = PAUSE_MS;
    watch->waits = query && strstr(query, "wait=true");
    if (since)
        snprintf(watch->last, sizeof watch->last, "%.*s",
                 (int)strcspn(since + (*since == '"'), "\""), since + (*since == '"'));
    return watch;
}

void gjkd_watch_free(struct gjkd_watch *watch) {
    if (!watch)
        return;
    stop(watch);
    curl_easy_cleanup(watch->curl);
    curl_multi_cleanup(watch->multi);
    curl_slist_free_all(watch->headers);
    free(watch->url);
    free(watch->in.data);
    free(watch);
}

/* Opens a connection. Returns false if a header has a line break, or memory is exhausted. */
static bool start(struct gjkd_watch *watch) {
    struct gjkd_client *client = watch->client;
    prepare(client, watch->curl, watch->url);
    add_header(client, "Accept", "text/event-stream");
    add_header(client, "Last-Event-ID", watch->last[0] ? watch->last : NULL);
    if (client->headers_wrong)
        return false;
    curl_slist_free_all(watch->headers);
    watch->headers = client->headers;
    client->headers = NULL;
    watch->in.length = watch->searched = 0;
    watch->heard_ms = now_ms();
    curl_easy_setopt(watch->curl, CURLOPT_HTTPHEADER, watch->headers);
    curl_easy_setopt(watch->curl, CURLOPT_WRITEFUNCTION, on_events);
    curl_easy_setopt(watch->curl, CURLOPT_WRITEDATA, watch);
    watch->running = curl_multi_add_handle(watch->multi, watch->curl) == CURLM_OK;
    return watch->running;
}

/* Returns the next event that has arrived completely, or NULL. Skips comments. */
static json_t *take_event(struct gjkd_watch *watch) {
    struct bytes *in = &watch->in;
    long status = 0;
    curl_easy_getinfo(watch->curl, CURLINFO_RESPONSE_CODE, &status);
    json_t *event = NULL;
    char *end;
    while (!event && status == 200 && in->length > watch->searched &&
           (end = strstr(in->data + watch->searched, "\n\n"))) {
        *end = 0;
        for (char *line = in->data, *next; line; line = next) {
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            if (strncmp(line, "id: ", 4) == 0)
                snprintf(watch->last, sizeof watch->last, "%s", line + 4);
            if (strncmp(line, "data: ", 6) == 0 && !event)
                event = json_loads(line + 6, 0, NULL);
        }
        in->length -= (size_t)(end + 2 - in->data);
        memmove(in->data, end + 2, in->length + 1);
        watch->searched = 0;
    }
    if (!event) {
        watch->searched = in->length > 0 ? in->length - 1 : 0;
        return NULL;
    }
    const char *kind = json_string_value(json_object_get(event, "kind"));
    watch->pause_ms = PAUSE_MS;
    watch->done = !watch->waits && kind && strcmp(kind, "deleted") == 0;
    json_object_set_new(event, "id", json_string(watch->last));
    return event;
}

/* Handles the end of a connection. Returns true if the watch goes on: it reconnects, or the set was
 * deleted. Returns false with the problem set. */
static bool try_again(struct gjkd_watch *watch, CURLcode ended) {
    struct gjkd_client *client = watch->client;
    take_etag(client, watch->curl);
    stop(watch);
    watch->next_try_ms = now_ms() + jittered(client, watch->pause_ms);
    watch->pause_ms = 2 * watch->pause_ms < PAUSE_MAX_MS ? 2 * watch->pause_ms : PAUSE_MAX_MS;
    if (client->status == 200 && ended != CURLE_WRITE_ERROR)
        return watch->opened = true;
    if (client->status == 200)
        fail(client, 0, "answer-too-large", "an event is longer than answer_bytes_max");
    else if (client->status)
        fail_as(client, &watch->in);
    else
        fail(client, 0, "unreachable", curl_easy_strerror(ended));
    if (watch->opened && strcmp(client->problem.code, "set-not-found") == 0)
        return watch->done = true; /* it was deleted meanwhile */
    return client->status ? client->status == 429 || client->status == 503 : watch->opened;
}

/* Receives data, or opens a connection when the next attempt is due. Returns false if the watch has
 * failed. */
static bool advance(struct gjkd_watch *watch) {
    int running, left;
    if (!watch->running && now_ms() < watch->next_try_ms)
        return true;
    if (!watch->running && !start(watch)) {
        fail(watch->client, 0, "bad-call", "a header has a line break, or memory is exhausted");
        return false;
    }
    curl_multi_perform(watch->multi, &running);
    const CURLMsg *message = curl_multi_info_read(watch->multi, &left);
    if (message)
        return try_again(watch, message->data.result);
    return now_ms() - watch->heard_ms < SILENCE_MS || try_again(watch, CURLE_OPERATION_TIMEDOUT);
}

enum gjkd_watched gjkd_watch_next(struct gjkd_watch *watch, long timeout_ms, json_t **event) {
    int64_t end = now_ms() + timeout_ms;
    while (!watch->done) {
        *event = take_event(watch);
        if (*event)
            return GJKD_WATCH_EVENT;
        if (!advance(watch))
            return GJKD_WATCH_FAILED;
        *event = take_event(watch);
        if (*event)
            return GJKD_WATCH_EVENT;
        int64_t now = now_ms(),
                until = watch->running ? watch->heard_ms + SILENCE_MS : watch->next_try_ms;
        if (now >= end)
            return GJKD_WATCH_NOTHING;
        int64_t wait = (until < end ? until : end) - now;
        if (wait > 0)
            curl_multi_poll(watch->multi, NULL, 0, (int)(wait < PAUSE_MAX_MS ? wait : PAUSE_MAX_MS),
                            NULL);
    }
    stop(watch);
    return GJKD_WATCH_ENDED;
}
