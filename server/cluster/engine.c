/*
 * All calls are those that block; the threads are the caller's. The epoch stands in the stream's
 * description, so that every node finds the one that the first of them has drawn.
 */

#include "cluster/engine.h"

#include "cluster/connection.h"
#include "config/config.h"
#include "util/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define NAME_MAX_BYTES 128

#define WAIT_MS 2000
#define HEARTBEAT_NS INT64_C(500000000)
#define DESCRIPTION "gjkd, epoch "

/* Subscriptions that are over are kept so long before they are freed, and so many of them. */
#define ENDED_NS UINT64_C(10000000000)
#define ENDED_MAX 64

/* Messages that were received and wait to be taken; those beyond that are lost. */
#define TICKS_WAITING_MAX 1024
#define TICKS_WAITING_BYTES_MAX (64 << 20)

/* Servers from which on a log has three copies. */
#define SERVERS_FOR_REPLICAS 3

struct gjkd_engine {
    gjkd_engine_setup setup;
    struct gjkd_connection *connection;
    struct gjkd_connection
        *tick_connection;                /* of its own, so that broadcasts do not delay the log */
    natsSubscription *tick_subscription; /* of the tick_connection */
    natsSubscription *log;
    struct {
        natsSubscription *log;
        uint64_t ended_ns;
    } ended[ENDED_MAX]; /* a thread of cnats may still be in them */
    atomic_bool was_up, is_closed;
    _Atomic size_t broadcast_bytes_max; /* 0: no broadcast is possible */
    char tick_subject[NAME_MAX_BYTES];
    char log_name[NAME_MAX_BYTES], log_subjects[NAME_MAX_BYTES];
};

static_assert(GJKD_ENGINE_ERROR_MAX == GJKD_CONNECTION_ERROR_MAX, "one is handed on as the other");

/* Headers of gjkd's messages: the form, a random id, the message of the same set that it was judged
 * by, flags, and the node that wrote it. */
#define H_FORMAT "Gjkd-Format"
#define H_ID "Gjkd-Id"
#define H_AFTER "Gjkd-After"
#define H_FLAGS "Gjkd-Flags"
#define H_NODE "Gjkd-Node"

#define SUBJECT_BYTES (NAME_MAX_BYTES + 160)

/* Dots part the tokens of a subject, so those of names become slashes, which names do not have. */
static void make_subject(const struct gjkd_engine *engine, gjkd_log_kind kind, const char *name,
                         char out[SUBJECT_BYTES]) {
    static const char letters[] =
        {[GJKD_LOG_SET] = 's', [GJKD_LOG_SYNC] = 'n', [GJKD_LOG_PART] = 'p'};
    const int prefix = (int)strlen(engine->log_subjects) - 1;
    const int length =
        snprintf(out, SUBJECT_BYTES, "%.*s%c.", prefix, engine->log_subjects, letters[kind]);
    for (char *at = out + length; at < out + SUBJECT_BYTES - 1; at++, name++) {
        *at = *name == '.' ? '/' : *name;
        if (*name == '\0') {
            return;
        }
    }
    out[SUBJECT_BYTES - 1] = '\0';
}

static bool refuse(char *error, const char *what, const char *why) {
    snprintf(error, GJKD_ENGINE_ERROR_MAX, "%.64s: %.180s", what, why);
    return false;
}

/* --- Connections --- */

/* Notes a change of the log's connection; on any thread. */
static void on_change(void *user, bool is_up) {
    struct gjkd_engine *engine = user;
    if (atomic_exchange(&engine->was_up, is_up) != is_up && !atomic_load(&engine->is_closed)) {
        gjkd_log(is_up ? GJKD_LOG_INFO : GJKD_LOG_WARNING, "cluster %s: NATS is %s",
                 engine->setup.cluster, is_up ? "connected" : "away, writes are refused");
    }
    engine->setup.on_change(engine->setup.user);
}

static void on_tick_connection_change(void *user, bool is_up) {
    struct gjkd_engine *engine = user;
    natsConnection *tick_connection = gjkd_connection_hold(engine->tick_connection);
    const int64_t most = is_up ? natsConnection_GetMaxPayload(tick_connection) : 0;
    atomic_store(&engine->broadcast_bytes_max, most > 0 ? (size_t)most : 0);
    gjkd_connection_let_go(engine->tick_connection);
}

static void on_tick(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                    void *closure) {
    struct gjkd_engine *engine = closure;
    gjkd_engine_message tick = {.data = natsMsg_GetData(message),
                                .length = (size_t)natsMsg_GetDataLength(message),
                                .handle = message};
    (void)connection;
    (void)subscription;
    engine->setup.on_tick(engine->setup.user, &tick);
}

/* Subscribes to the ticks of other nodes. */
static bool listen_to_others(void *user, natsConnection *made) {
    struct gjkd_engine *engine = user;
    natsSubscription_Destroy(engine->tick_subscription);
    engine->tick_subscription = NULL;
    return natsConnection_Subscribe(&engine->tick_subscription, made, engine->tick_subject, on_tick,
                                    engine) == NATS_OK &&
           natsSubscription_SetPendingLimits(engine->tick_subscription, TICKS_WAITING_MAX,
                                             TICKS_WAITING_BYTES_MAX) == NATS_OK;
}

bool gjkd_engine_broadcast(struct gjkd_engine *engine, const char *data, size_t length) {
    natsConnection *tick_connection = gjkd_connection_hold(engine->tick_connection);
    const bool is_sent =
        gjkd_connection_is_up(engine->tick_connection) &&
        natsConnection_Publish(tick_connection, engine->tick_subject, data, (int)length) == NATS_OK;
    gjkd_connection_let_go(engine->tick_connection);
    return is_sent;
}

size_t gjkd_engine_broadcast_bytes_max(const struct gjkd_engine *engine) {
    return atomic_load(&engine->broadcast_bytes_max);
}

void gjkd_engine_mend(struct gjkd_engine *engine) {
    gjkd_connection_mend(engine->connection);
    if (gjkd_connection_is_up(engine->connection)) {
        gjkd_connection_mend(engine->tick_connection);
    }
}

bool gjkd_engine_is_connected(const struct gjkd_engine *engine) {
    return gjkd_connection_is_up(engine->connection);
}

const char *gjkd_engine_trouble(struct gjkd_engine *engine, char detail[GJKD_ENGINE_ERROR_MAX]) {
    return gjkd_connection_trouble(engine->connection, detail);
}

/* --- Life --- */

struct gjkd_engine *gjkd_engine_new(const gjkd_engine_setup *setup,
                                    char error[GJKD_ENGINE_ERROR_MAX]) {
    struct gjkd_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        (void)refuse(error, "--nats", "out of memory");
        return NULL;
    }
    (void)nats_Open(0); /* its locks sleep: spinning took a sixth of a write's processor time */
    engine->setup = *setup;
    snprintf(engine->log_name, NAME_MAX_BYTES, "gjkd_%s", setup->cluster);
    snprintf(engine->log_subjects, NAME_MAX_BYTES, "gjkd.%s.log.>", setup->cluster);
    snprintf(engine->tick_subject, NAME_MAX_BYTES, "gjkd.%s.tick", setup->cluster);
    const gjkd_connection_setup log = {setup->urls, setup->node, setup->creds, setup->ca,
                                       false,       NULL,        on_change,    engine};
    const gjkd_connection_setup tick_connection = {setup->urls,
                                                   setup->node,
                                                   setup->creds,
                                                   setup->ca,
                                                   true,
                                                   listen_to_others,
                                                   on_tick_connection_change,
                                                   engine};
    engine->connection = gjkd_connection_new(&log, error);
    engine->tick_connection =
        engine->connection != NULL ? gjkd_connection_new(&tick_connection, error) : NULL;
    if (engine->tick_connection == NULL) {
        gjkd_engine_free(engine);
        return NULL;
    }
    return engine;
}

void gjkd_engine_close(struct gjkd_engine *engine) {
    atomic_store(&engine->is_closed, true);
    gjkd_connection_close(engine->tick_connection);
    gjkd_connection_close(engine->connection);
}

void gjkd_engine_free(struct gjkd_engine *engine) {
    if (engine == NULL) {
        return;
    }
    natsSubscription_Destroy(engine->tick_subscription);
    natsSubscription_Destroy(engine->log);
    for (int i = 0; i < ENDED_MAX; i++) {
        natsSubscription_Destroy(engine->ended[i].log);
    }
    gjkd_connection_end(engine->tick_connection);
    gjkd_connection_end(engine->connection);
    (void)nats_CloseAndWait(WAIT_MS);
    gjkd_connection_free(engine->tick_connection);
    gjkd_connection_free(engine->connection);
    free(engine);
}

/* --- Streams --- */

static int64_t wanted_replicas(struct gjkd_engine *engine) {
    char **servers = NULL;
    int count = 0;
    if (engine->setup.replicas > 0) {
        return (int64_t)engine->setup.replicas;
    }
    const natsStatus status =
        natsConnection_GetServers(gjkd_connection_hold(engine->connection), &servers, &count);
    gjkd_connection_let_go(engine->connection);
    if (status != NATS_OK) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        free(servers[i]);
    }
    free(servers);
    return count >= SERVERS_FOR_REPLICAS ? SERVERS_FOR_REPLICAS : 1;
}

/* The epoch of the description; of a stream that somebody else has made, the time at which. */
static uint64_t epoch_of(const jsStreamInfo *info) {
    const char *text = info->Config->Description;
    const size_t length = sizeof DESCRIPTION - 1;
    uint64_t epoch = 0;
    if (text == NULL || strncmp(text, DESCRIPTION, length) != 0 ||
        sscanf(text + length, "%" SCNx64, &epoch) != 1) {
        epoch = (uint64_t)info->Created * UINT64_C(0x9e3779b97f4a7c15);
    }
    return epoch;
}

static natsStatus make_stream(struct gjkd_engine *engine, int64_t replicas, jsErrCode *code) {
    uint64_t epoch = 0;
    char description[NAME_MAX_BYTES];
    const char *subjects[] = {engine->log_subjects};
    jsStreamConfig config;
    if (getrandom(&epoch, sizeof epoch, 0) != (ssize_t)sizeof epoch) {
        return NATS_ERR;
    }
    snprintf(description, sizeof description, DESCRIPTION "%016" PRIx64, epoch);
    (void)jsStreamConfig_Init(&config);
    config.Name = engine->log_name;
    config.AllowRollup = true;
    config.Description = description;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.Replicas = replicas;
    const natsStatus status =
        js_AddStream(NULL, gjkd_connection_hold_streams(engine->connection), &config, NULL, code);
    gjkd_connection_let_go(engine->connection);
    return status;
}

/* Makes the stream, with one copy where a single server refuses three and no --replicas asks for
 * them. Another node may be first, which is as good. */
static natsStatus make(struct gjkd_engine *engine, jsErrCode *code) {
    const int64_t replicas = wanted_replicas(engine);
    natsStatus status = make_stream(engine, replicas, code);
    if (*code == JSStreamReplicasNotSupportedErr && engine->setup.replicas == 0) {
        status = make_stream(engine, 1, code);
    }
    return *code == JSStreamNameExistErr ? NATS_OK : status;
}

/* Explains why the servers refuse the stream, and what to do. */
static const char *explain(natsStatus status, jsErrCode code) {
    switch (code) {
    case JSStreamNotFoundErr:
        return "there is no such stream";
    case JSClusterNoPeersErr:
    case JSInsufficientResourcesErr:
        return "NATS has fewer servers with JetStream than --replicas asks for copies, or no room "
               "on "
               "them: ask for fewer, or add servers";
    case JSStreamReplicasNotSupportedErr:
        return "--replicas asks for copies on several servers, and this one is alone: set it to 1, "
               "or "
               "run NATS as a cluster";
    case JSNotEnabledErr:
    case JSNotEnabledForAccountErr:
        return "NATS keeps no streams for this account: turn its JetStream on";
    default:
        return natsStatus_GetText(status);
    }
}

/* More copies where there are more servers than when the stream was made. */
static void add_replicas(struct gjkd_engine *engine, jsStreamInfo *info) {
    const int64_t wanted = wanted_replicas(engine);
    jsErrCode code = 0;
    if (info->Cluster == NULL || info->Config->Replicas >= wanted) {
        return;
    }
    info->Config->Replicas = wanted;
    const natsStatus status =
        js_UpdateStream(NULL, gjkd_connection_hold_streams(engine->connection), info->Config, NULL,
                        &code);
    gjkd_connection_let_go(engine->connection);
    gjkd_log(status == NATS_OK ? GJKD_LOG_INFO : GJKD_LOG_WARNING,
             "cluster %s: %" PRId64 " copies of the stream %s: %s", engine->setup.cluster, wanted,
             info->Config->Name, explain(status, code));
}

static natsStatus look(struct gjkd_engine *engine, uint64_t wait_ms, jsStreamInfo **info,
                       jsErrCode *code) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = (int64_t)wait_ms;
    const natsStatus status =
        js_GetStreamInfo(info, gjkd_connection_hold_streams(engine->connection), engine->log_name,
                         &options, code);
    gjkd_connection_let_go(engine->connection);
    return status;
}

static void tell(const jsStreamInfo *info, gjkd_engine_state *out) {
    *out = (gjkd_engine_state){
        .epoch = epoch_of(info),
        .last = info->State.LastSeq,
        .bytes = info->State.Bytes,
        .replicas = (uint64_t)info->Config->Replicas,
    };
    if (info->Cluster != NULL && info->Cluster->Leader != NULL) {
        snprintf(out->leader, sizeof out->leader, "%s", info->Cluster->Leader);
    }
}

/* Asks the servers' interface for something; out: what it answers. */
static bool ask(struct gjkd_engine *engine, const char *subject, char *out, size_t size) {
    natsMsg *reply = NULL;
    natsConnection *nats = gjkd_connection_hold(engine->connection);
    const natsStatus status =
        nats == NULL ? NATS_ERR : natsConnection_RequestString(&reply, nats, subject, "", WAIT_MS);
    gjkd_connection_let_go(engine->connection);
    if (status == NATS_OK) {
        snprintf(out, size, "%.*s", natsMsg_GetDataLength(reply), natsMsg_GetData(reply));
    }
    natsMsg_Destroy(reply);
    return status == NATS_OK;
}

/* Returns true if the server is 2.10 or later: only those tell how a stream is compressed. */
static bool is_new_enough(struct gjkd_engine *engine) {
    static const char key[] = "\"compression\"";
    char subject[NAME_MAX_BYTES + 64], answer[4096];
    snprintf(subject, sizeof subject, "$JS.API.STREAM.INFO.%s", engine->log_name);
    return !ask(engine, subject, answer, sizeof answer) || strstr(answer, "\"config\"") == NULL ||
           strstr(answer, key) != NULL;
}

gjkd_opened gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                             char error[GJKD_ENGINE_ERROR_MAX]) {
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus status = look(engine, WAIT_MS, &info, &code);
    if (status != NATS_OK && code == JSStreamNotFoundErr && may_make) {
        status = make(engine, &code);
        status = status == NATS_OK ? look(engine, WAIT_MS, &info, &code) : status;
    }
    if (status != NATS_OK) {
        (void)refuse(error, engine->log_name, explain(status, code));
        return code == JSStreamNotFoundErr ? GJKD_OPENED_NONE : GJKD_OPENED_NOT;
    }
    tell(info, out);
    add_replicas(engine, info);
    jsStreamInfo_Destroy(info);
    if (!is_new_enough(engine)) {
        (void)refuse(error, "NATS", "its servers are older than 2.10: update nats-server");
        return GJKD_OPENED_OLD;
    }
    return GJKD_OPENED;
}

bool gjkd_engine_look(struct gjkd_engine *engine, uint64_t wait_ms, gjkd_engine_state *out) {
    jsStreamInfo *info = NULL;
    if (!gjkd_engine_is_connected(engine) || look(engine, wait_ms, &info, NULL) != NATS_OK) {
        return false;
    }
    tell(info, out);
    jsStreamInfo_Destroy(info);
    return true;
}

/* --- Writing --- */

/* Sets a header, unless one before it could not be set. */
static void set_header(natsStatus *status, natsMsg *message, const char *name, const char *form,
                       ...) {
    char text[GJKD_NODE_NAME_BYTES_MAX + 64];
    va_list values;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    *status = *status == NATS_OK ? natsMsgHeader_Set(message, name, text) : *status;
}

static natsStatus make_message(const struct gjkd_engine *engine, const gjkd_publication *what,
                               natsMsg **out) {
    char subject[SUBJECT_BYTES];
    make_subject(engine, what->kind, what->name, subject);
    natsStatus status = natsMsg_Create(out, subject, NULL, what->text.data, (int)what->text.length);
    set_header(&status, *out, H_FORMAT, "%u", GJKD_LOG_FORMAT);
    set_header(&status, *out, H_ID, "%016" PRIx64, what->head.id);
    set_header(&status, *out, H_AFTER, "%" PRIu64 "-%016" PRIx64, what->head.after_seq,
               what->head.after_id);
    set_header(&status, *out, H_FLAGS, "%x", what->head.flags);
    set_header(&status, *out, H_NODE, "%s", engine->setup.node);
    if (what->is_expected) {
        set_header(&status, *out, "Nats-Expected-Last-Subject-Sequence", "%" PRIu64,
                   what->expected);
    }
    if (what->rolls_up) {
        set_header(&status, *out, "Nats-Rollup", "sub");
    }
    return status;
}

gjkd_published gjkd_engine_publish(struct gjkd_engine *engine, const gjkd_publication *what,
                                   uint64_t wait_ms, uint64_t *seq) {
    natsMsg *message = NULL;
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions options;
    if (!gjkd_engine_is_connected(engine)) {
        return GJKD_PUBLISHED_UNCLEAR;
    }
    natsStatus status = make_message(engine, what, &message);
    if (status == NATS_OK) {
        jsPubOptions_Init(&options);
        options.MaxWait = (int64_t)wait_ms;
        options.ExpectStream = engine->log_name;
        status = js_PublishMsg(&ack, gjkd_connection_hold_streams(engine->connection), message,
                               &options, &code);
        gjkd_connection_let_go(engine->connection);
    }
    natsMsg_Destroy(message);
    if (status == NATS_OK) {
        *seq = ack->Sequence;
        jsPubAck_Destroy(ack);
        return GJKD_PUBLISHED;
    }
    return code == JSStreamWrongLastSequenceErr ? GJKD_PUBLISHED_NOT : GJKD_PUBLISHED_UNCLEAR;
}

bool gjkd_engine_purge(struct gjkd_engine *engine, gjkd_log_kind kind, const char *name,
                       uint64_t below) {
    char subject[SUBJECT_BYTES];
    jsOptions options;
    make_subject(engine, kind, name, subject);
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    options.Stream.Purge.Subject = subject;
    options.Stream.Purge.Sequence = below;
    const natsStatus status = js_PurgeStream(gjkd_connection_hold_streams(engine->connection),
                                             engine->log_name, &options, NULL);
    gjkd_connection_let_go(engine->connection);
    return status == NATS_OK;
}

bool gjkd_engine_change_leader(struct gjkd_engine *engine) {
    char subject[NAME_MAX_BYTES + 64], answer[256];
    snprintf(subject, sizeof subject, "$JS.API.STREAM.LEADER.STEPDOWN.%s", engine->log_name);
    return ask(engine, subject, answer, sizeof answer) && strstr(answer, "\"success\"") != NULL;
}

/* --- Reading --- */

bool gjkd_engine_follow(struct gjkd_engine *engine, uint64_t from) {
    jsErrCode code = 0;
    jsSubOptions options;
    gjkd_engine_unfollow(engine);
    jsSubOptions_Init(&options);
    options.Stream = engine->log_name;
    options.Config.DeliverPolicy = js_DeliverByStartSequence;
    options.Config.OptStartSeq = from;
    options.Config.AckPolicy = js_AckNone;
    options.Config.FlowControl = true;
    options.Config.Heartbeat = HEARTBEAT_NS;
    options.Config.MemoryStorage = true;
    const natsStatus status =
        js_SubscribeSync(&engine->log, gjkd_connection_hold_streams(engine->connection),
                         engine->log_subjects, NULL, &options, &code);
    gjkd_connection_let_go(engine->connection);
    if (status == NATS_OK) {
        (void)natsSubscription_SetPendingLimits(engine->log, -1, -1); /* flow control bounds it */
    }
    return status == NATS_OK;
}

/* cnats delivers in a thread of its own, which may hold a subscription for a moment after its
 * end. */
void gjkd_engine_unfollow(struct gjkd_engine *engine) {
    const uint64_t now_ns = uv_hrtime();
    int oldest = 0;
    for (int i = 0; i < ENDED_MAX; i++) {
        if (engine->ended[i].log != NULL && now_ns - engine->ended[i].ended_ns > ENDED_NS) {
            natsSubscription_Destroy(engine->ended[i].log);
            engine->ended[i].log = NULL;
        }
        oldest = engine->ended[i].ended_ns < engine->ended[oldest].ended_ns ? i : oldest;
        oldest = engine->ended[oldest].log != NULL && engine->ended[i].log == NULL ? i : oldest;
    }
    if (engine->log != NULL) {
        (void)natsSubscription_Unsubscribe(engine->log);
        natsSubscription_Destroy(engine->ended[oldest].log);
        engine->ended[oldest].log = engine->log;
        engine->ended[oldest].ended_ns = now_ns;
        engine->log = NULL;
    }
}

/* Takes a message apart. False: it is none of gjkd's, and only its place and subject are set. */
static bool read_head(const struct gjkd_engine *engine, gjkd_engine_message *out) {
    natsMsg *message = out->handle;
    const char *format = NULL, *id = NULL, *after = NULL, *flags = NULL;
    const size_t before = strlen(engine->log_subjects) - 1;
    const char *subject = natsMsg_GetSubject(message);
    char kind = '\0';
    out->kind = GJKD_LOG_SYNC;
    if (strlen(subject) < before + 2 ||
        sscanf(subject + before, "%c.%128[^.]", &kind, out->name) != 2) {
        return false;
    }
    for (char *at = out->name; *at != '\0'; at++) {
        *at = *at == '/' ? '.' : *at;
    }
    out->kind = kind == 's' ? GJKD_LOG_SET : kind == 'p' ? GJKD_LOG_PART : GJKD_LOG_SYNC;
    out->data = natsMsg_GetData(message);
    out->length = (size_t)natsMsg_GetDataLength(message);
    if (natsMsgHeader_Get(message, H_FORMAT, &format) != NATS_OK ||
        natsMsgHeader_Get(message, H_ID, &id) != NATS_OK ||
        natsMsgHeader_Get(message, H_AFTER, &after) != NATS_OK ||
        natsMsgHeader_Get(message, H_FLAGS, &flags) != NATS_OK ||
        natsMsgHeader_Get(message, H_NODE, &out->node) != NATS_OK ||
        sscanf(format, "%u", &out->format) != 1 || sscanf(id, "%" SCNx64, &out->head.id) != 1 ||
        sscanf(after, "%" SCNu64 "-%" SCNx64, &out->head.after_seq, &out->head.after_id) != 2 ||
        sscanf(flags, "%x", &out->head.flags) != 1) {
        return false;
    }
    return kind == 's' || kind == 'p' || kind == 'n';
}

static bool take(const struct gjkd_engine *engine, natsMsg *message, gjkd_engine_message *out) {
    jsMsgMetaData *meta = NULL;
    if (natsMsg_GetMetaData(&meta, message) != NATS_OK) {
        return false;
    }
    *out = (gjkd_engine_message){.place = meta->Sequence.Stream,
                                 .delivery = meta->Sequence.Consumer,
                                 .sent_ns = meta->Timestamp,
                                 .handle = message};
    jsMsgMetaData_Destroy(meta);
    out->is_ours = read_head(engine, out);
    return true;
}

gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) {
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, engine->log, (int64_t)wait_ms);
    if (status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS) { /* so says a message's own head */
        return GJKD_ENGINE_IDLE;
    }
    if (status != NATS_OK) {
        return GJKD_ENGINE_BROKEN;
    }
    if (!take(engine, message, out)) {
        natsMsg_Destroy(message);
        return GJKD_ENGINE_BROKEN;
    }
    return GJKD_ENGINE_NEXT;
}

void gjkd_engine_release(gjkd_engine_message *message) {
    natsMsg_Destroy(message->handle);
    message->handle = NULL;
}

/* The message at that place or, where subject is not NULL, the newest one of that. */
static bool get(struct gjkd_engine *engine, uint64_t place, const char *subject,
                gjkd_engine_message *out) {
    natsMsg *message = NULL;
    jsErrCode code = 0;
    *out = (gjkd_engine_message){.handle = NULL};
    if (!gjkd_engine_is_connected(engine)) {
        return false;
    }
    jsCtx *streams = gjkd_connection_hold_streams(engine->connection);
    const natsStatus status =
        subject != NULL ? js_GetLastMsg(&message, streams, engine->log_name, subject, NULL, &code)
                        : js_GetMsg(&message, streams, engine->log_name, place, NULL, &code);
    gjkd_connection_let_go(engine->connection);
    if (status != NATS_OK) {
        return code == JSNoMessageFoundErr;
    }
    *out = (gjkd_engine_message){.place = natsMsg_GetSequence(message), .handle = message};
    out->is_ours = read_head(engine, out);
    return true;
}

bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place, gjkd_engine_message *out) {
    return get(engine, place, NULL, out);
}

bool gjkd_engine_get_last(struct gjkd_engine *engine, const char *name, gjkd_engine_message *out) {
    char subject[SUBJECT_BYTES];
    make_subject(engine, GJKD_LOG_SET, name, subject);
    return get(engine, 0, subject, out);
}
