/*
 * All calls are those that block; the threads are the caller's. The epoch stands in the stream's
 * description, so that every node finds the one that the first of them has drawn.
 */

#include "cluster/engine.h"

#include "util/log.h"

#include <inttypes.h>
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NAME_MAX_BYTES 128
#define SERVERS_MAX 16
#define HEX_DIGEST (2 * GJKD_DIGEST_BYTES)

#define WAIT_MS 2000
#define RECONNECT_MS 100
#define PING_MS 1000
#define PINGS_OUT 2
#define HEARTBEAT_NS INT64_C(500000000)
#define DESCRIPTION "gjkd, epoch "

/* Subscriptions that are over are kept so long before they are freed, and so many of them. */
#define ENDED_MS 10000
#define ENDED_MAX 64

/* What was told and waits to be taken; beyond that it is lost. */
#define TOLD_MAX 1024
#define TOLD_BYTES_MAX (64 << 20)

/* Servers from which on a log has three copies. */
#define SERVERS_FOR_REPLICAS 3

struct gjkd_engine {
    gjkd_engine_setup setup;
    natsOptions *options;
    natsConnection *connection;
    natsConnection *teller; /* another one, so that nothing told delays the log */
    natsSubscription *told;
    jsCtx *js;
    natsSubscription *log;
    struct {
        natsSubscription *log;
        int64_t ended_ms;
    } ended[ENDED_MAX]; /* a thread of cnats may still be in them */
    atomic_bool is_connected, is_closed, can_tell;
    _Atomic size_t told_bytes_max;
    char told_subject[NAME_MAX_BYTES];
    char log_name[NAME_MAX_BYTES], log_subject[NAME_MAX_BYTES];
    char piece_name[NAME_MAX_BYTES], piece_subjects[NAME_MAX_BYTES];
};

static bool refuse(char *error, const char *what, const char *why) {
    snprintf(error, GJKD_ENGINE_ERROR_MAX, "%.120s: %.120s", what, why);
    return false;
}

/* --- The connection --- */

static void note_connection(struct gjkd_engine *engine, bool is_connected) {
    if (atomic_exchange(&engine->is_connected, is_connected) != is_connected &&
        !atomic_load(&engine->is_closed)) {
        gjkd_log(is_connected ? GJKD_LOG_INFO : GJKD_LOG_WARNING, "cluster %s: NATS is %s",
                 engine->setup.cluster, is_connected ? "connected" : "away, writes are refused");
    }
    engine->setup.on_change(engine->setup.user);
}

static void on_connected(natsConnection *connection, void *closure) {
    (void)connection;
    note_connection(closure, true);
}

static void on_disconnected(natsConnection *connection, void *closure) {
    (void)connection;
    note_connection(closure, false);
}

/* Errors are told by the calls that they belong to. */
static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus error,
                     void *closure) {
    (void)connection;
    (void)subscription;
    (void)closure;
    gjkd_log(GJKD_LOG_DEBUG, "NATS: %s", natsStatus_GetText(error));
}

/* The URLs one by one, in a copy of their text. */
static natsStatus set_servers(natsOptions *options, const char *urls) {
    const char *servers[SERVERS_MAX];
    int count = 0;
    char *copy = strdup(urls), *rest = NULL;
    if (copy == NULL) {
        return NATS_NO_MEMORY;
    }
    for (char *at = strtok_r(copy, ", ", &rest); at != NULL && count < SERVERS_MAX;
         at = strtok_r(NULL, ", ", &rest)) {
        servers[count++] = at;
    }
    const natsStatus status =
        count > 0 ? natsOptions_SetServers(options, servers, count) : NATS_INVALID_ARG;
    free(copy);
    return status;
}

static natsStatus set_security(natsOptions *options, const gjkd_engine_setup *setup) {
    natsStatus status = NATS_OK;
    if (setup->ca[0] != '\0') {
        status = natsOptions_SetSecure(options, true);
        status =
            status == NATS_OK ? natsOptions_LoadCATrustedCertificates(options, setup->ca) : status;
    }
    if (status == NATS_OK && setup->creds[0] != '\0') {
        status = natsOptions_SetUserCredentialsFromFiles(options, setup->creds, NULL);
    }
    return status;
}

static natsStatus set_options(struct gjkd_engine *engine) {
    natsOptions *o = engine->options;
    const natsStatus all[] = {
        set_servers(o, engine->setup.urls),
        set_security(o, &engine->setup),
        natsOptions_SetName(o, engine->setup.node),
        natsOptions_SetTimeout(o, WAIT_MS),
        natsOptions_SetMaxReconnect(o, -1),
        natsOptions_SetReconnectWait(o, RECONNECT_MS),
        natsOptions_SetReconnectJitter(o, RECONNECT_MS, RECONNECT_MS),
        natsOptions_SetPingInterval(o, PING_MS),
        natsOptions_SetMaxPingsOut(o, PINGS_OUT),
        natsOptions_SetSendAsap(o, true),
        natsOptions_SetFailRequestsOnDisconnect(o, true),
        natsOptions_SetErrorHandler(o, on_error, NULL),
        natsOptions_SetDisconnectedCB(o, on_disconnected, engine),
        natsOptions_SetClosedCB(o, on_disconnected, engine),
        natsOptions_SetReconnectedCB(o, on_connected, engine),
        natsOptions_SetRetryOnFailedConnect(o, true, on_connected, engine),
    };
    natsStatus status = NATS_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == NATS_OK; i++) {
        status = all[i];
    }
    return status;
}

/* --- What nodes tell each other --- */

static void on_teller(natsConnection *connection, void *closure) {
    struct gjkd_engine *engine = closure;
    const int64_t most = natsConnection_GetMaxPayload(connection);
    atomic_store(&engine->told_bytes_max, most > 0 ? (size_t)most : 0);
    atomic_store(&engine->can_tell, true);
}

static void on_no_teller(natsConnection *connection, void *closure) {
    struct gjkd_engine *engine = closure;
    (void)connection;
    atomic_store(&engine->can_tell, false);
}

static void on_told(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                    void *closure) {
    struct gjkd_engine *engine = closure;
    gjkd_engine_message told = {0, natsMsg_GetData(message), (size_t)natsMsg_GetDataLength(message),
                                message};
    (void)connection;
    (void)subscription;
    engine->setup.on_told(engine->setup.user, &told);
}

/* The options of the log's connection, but that what this node tells does not come back to it. */
static natsStatus connect_teller(struct gjkd_engine *engine) {
    natsOptions *o = engine->options;
    const natsStatus all[] = {
        natsOptions_SetNoEcho(o, true),
        natsOptions_SetWriteDeadline(o, WAIT_MS),
        natsOptions_SetDisconnectedCB(o, on_no_teller, engine),
        natsOptions_SetClosedCB(o, on_no_teller, engine),
        natsOptions_SetReconnectedCB(o, on_teller, engine),
        natsOptions_SetRetryOnFailedConnect(o, true, on_teller, engine),
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] != NATS_OK) {
            return all[i];
        }
    }
    natsStatus status = natsConnection_Connect(&engine->teller, o);
    if (status == NATS_OK) {
        on_teller(engine->teller, engine);
    } else if (status != NATS_NOT_YET_CONNECTED) {
        return status;
    }
    status = natsConnection_Subscribe(&engine->told, engine->teller, engine->told_subject, on_told,
                                      engine);
    return status == NATS_OK
               ? natsSubscription_SetPendingLimits(engine->told, TOLD_MAX, TOLD_BYTES_MAX)
               : status;
}

bool gjkd_engine_tell(struct gjkd_engine *engine, const char *data, size_t length) {
    return atomic_load(&engine->can_tell) &&
           natsConnection_Publish(engine->teller, engine->told_subject, data, (int)length) ==
               NATS_OK;
}

size_t gjkd_engine_told_bytes_max(const struct gjkd_engine *engine) {
    return atomic_load(&engine->can_tell) ? atomic_load(&engine->told_bytes_max) : 0;
}

/* --- Life --- */

static natsStatus connect_to(struct gjkd_engine *engine) {
    natsStatus status = natsOptions_Create(&engine->options);
    status = status == NATS_OK ? set_options(engine) : status;
    if (status != NATS_OK) {
        return status;
    }
    status = natsConnection_Connect(&engine->connection, engine->options);
    if (status == NATS_OK) {
        note_connection(engine, true);
    } else if (status != NATS_NOT_YET_CONNECTED) {
        return status;
    }
    status = connect_teller(engine);
    if (status != NATS_OK) {
        return status;
    }
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    return natsConnection_JetStream(&engine->js, engine->connection, &options);
}

struct gjkd_engine *gjkd_engine_new(const gjkd_engine_setup *setup,
                                    char error[GJKD_ENGINE_ERROR_MAX]) {
    struct gjkd_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) {
        (void)refuse(error, "--nats", "out of memory");
        return NULL;
    }
    engine->setup = *setup;
    snprintf(engine->log_name, NAME_MAX_BYTES, "gjkd_%s", setup->cluster);
    snprintf(engine->log_subject, NAME_MAX_BYTES, "gjkd.%s.log", setup->cluster);
    snprintf(engine->told_subject, NAME_MAX_BYTES, "gjkd.%s.tick", setup->cluster);
    snprintf(engine->piece_name, NAME_MAX_BYTES, "gjkd_%s_chunks", setup->cluster);
    snprintf(engine->piece_subjects, NAME_MAX_BYTES, "gjkd.%s.chunk.*", setup->cluster);
    const natsStatus status = connect_to(engine);
    if (status != NATS_OK) {
        (void)refuse(error, "--nats", natsStatus_GetText(status));
        gjkd_engine_free(engine);
        return NULL;
    }
    return engine;
}

void gjkd_engine_close(struct gjkd_engine *engine) {
    atomic_store(&engine->is_closed, true);
    natsConnection_Close(engine->teller);
    natsConnection_Close(engine->connection);
}

void gjkd_engine_free(struct gjkd_engine *engine) {
    if (engine == NULL) {
        return;
    }
    natsSubscription_Destroy(engine->told);
    natsSubscription_Destroy(engine->log);
    for (int i = 0; i < ENDED_MAX; i++) {
        natsSubscription_Destroy(engine->ended[i].log);
    }
    jsCtx_Destroy(engine->js);
    natsConnection_Destroy(engine->teller);
    natsConnection_Destroy(engine->connection);
    natsOptions_Destroy(engine->options);
    nats_Close();
    free(engine);
}

bool gjkd_engine_is_connected(const struct gjkd_engine *engine) {
    return atomic_load(&engine->is_connected);
}

/* --- Streams --- */

static int64_t wanted_replicas(struct gjkd_engine *engine) {
    char **servers = NULL;
    int count = 0;
    if (engine->setup.replicas > 0) {
        return (int64_t)engine->setup.replicas;
    }
    if (natsConnection_GetServers(engine->connection, &servers, &count) != NATS_OK) {
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

static natsStatus make_stream(struct gjkd_engine *engine, const char *name, const char *subject,
                              int64_t replicas, jsErrCode *code) {
    uint64_t epoch = 0;
    char description[NAME_MAX_BYTES];
    const char *subjects[] = {subject};
    jsStreamConfig config;
    if (getrandom(&epoch, sizeof epoch, 0) != (ssize_t)sizeof epoch) {
        return NATS_ERR;
    }
    snprintf(description, sizeof description, DESCRIPTION "%016" PRIx64, epoch);
    (void)jsStreamConfig_Init(&config);
    config.Name = name;
    config.Description = description;
    config.Subjects = subjects;
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.Replicas = replicas;
    return js_AddStream(NULL, engine->js, &config, NULL, code);
}

/* Where one server keeps no copies for others, and nobody has asked for any, it keeps the only one.
 * Another node may be first, which is as good. */
static natsStatus make(struct gjkd_engine *engine, const char *name, const char *subject) {
    jsErrCode code = 0;
    const int64_t replicas = wanted_replicas(engine);
    natsStatus status = make_stream(engine, name, subject, replicas, &code);
    if (code == JSStreamReplicasNotSupportedErr && engine->setup.replicas == 0) {
        status = make_stream(engine, name, subject, 1, &code);
    }
    return code == JSStreamNameExistErr ? NATS_OK : status;
}

/* More copies where there are more servers than when the stream was made. */
static void add_replicas(struct gjkd_engine *engine, jsStreamInfo *info) {
    const int64_t wanted = wanted_replicas(engine);
    jsErrCode code = 0;
    if (info->Cluster == NULL || info->Config->Replicas >= wanted) {
        return;
    }
    info->Config->Replicas = wanted;
    const natsStatus status = js_UpdateStream(NULL, engine->js, info->Config, NULL, &code);
    gjkd_log(status == NATS_OK ? GJKD_LOG_INFO : GJKD_LOG_WARNING,
             "cluster %s: %" PRId64 " copies of the stream %s: %s", engine->setup.cluster, wanted,
             info->Config->Name, natsStatus_GetText(status));
}

static natsStatus look(struct gjkd_engine *engine, const char *name, uint64_t wait_ms,
                       jsStreamInfo **info, jsErrCode *code) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = (int64_t)wait_ms;
    return js_GetStreamInfo(info, engine->js, name, &options, code);
}

static void tell(const jsStreamInfo *info, gjkd_engine_state *out) {
    *out = (gjkd_engine_state){
        .epoch = epoch_of(info),
        .first = info->State.FirstSeq,
        .last = info->State.LastSeq,
        .bytes = info->State.Bytes,
        .replicas = (uint64_t)info->Config->Replicas,
    };
}

/* Looks at a stream, and makes it where it is missing. */
static bool open_stream(struct gjkd_engine *engine, const char *name, const char *subject,
                        bool may_make, gjkd_engine_state *out, char *error) {
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus status = look(engine, name, WAIT_MS, &info, &code);
    if (status != NATS_OK && code == JSStreamNotFoundErr && may_make) {
        status = make(engine, name, subject);
        status = status == NATS_OK ? look(engine, name, WAIT_MS, &info, &code) : status;
    }
    if (status != NATS_OK) {
        return refuse(error, name,
                      code == JSStreamNotFoundErr ? "there is no such stream"
                                                  : natsStatus_GetText(status));
    }
    tell(info, out);
    add_replicas(engine, info);
    jsStreamInfo_Destroy(info);
    return true;
}

bool gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                      char error[GJKD_ENGINE_ERROR_MAX]) {
    gjkd_engine_state pieces;
    return open_stream(engine, engine->log_name, engine->log_subject, may_make, out, error) &&
           open_stream(engine, engine->piece_name, engine->piece_subjects, true, &pieces, error);
}

bool gjkd_engine_look(struct gjkd_engine *engine, uint64_t wait_ms, gjkd_engine_state *out) {
    jsStreamInfo *info = NULL;
    if (!gjkd_engine_is_connected(engine) ||
        look(engine, engine->log_name, wait_ms, &info, NULL) != NATS_OK) {
        return false;
    }
    tell(info, out);
    jsStreamInfo_Destroy(info);
    return true;
}

/* --- Writing --- */

gjkd_published gjkd_engine_publish(struct gjkd_engine *engine, uint64_t id, uint64_t expected,
                                   const char *data, size_t length, uint64_t wait_ms,
                                   uint64_t *place) {
    char text[24];
    jsPubAck *ack = NULL;
    jsErrCode code = 0;
    jsPubOptions options;
    if (!gjkd_engine_is_connected(engine)) {
        return GJKD_PUBLISHED_UNCLEAR;
    }
    snprintf(text, sizeof text, "%016" PRIx64, id);
    jsPubOptions_Init(&options);
    options.MaxWait = (int64_t)wait_ms;
    options.MsgId = text;
    options.ExpectStream = engine->log_name;
    options.ExpectLastSeq = expected;
    const natsStatus status =
        js_Publish(&ack, engine->js, engine->log_subject, data, (int)length, &options, &code);
    if (status == NATS_OK) {
        *place = ack->Sequence;
        jsPubAck_Destroy(ack);
        return GJKD_PUBLISHED;
    }
    return code == JSStreamWrongLastSequenceErr ? GJKD_PUBLISHED_NOT : GJKD_PUBLISHED_UNCLEAR;
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
        js_SubscribeSync(&engine->log, engine->js, engine->log_subject, NULL, &options, &code);
    if (status == NATS_OK) {
        (void)natsSubscription_SetPendingLimits(engine->log, -1, -1); /* flow control bounds it */
    }
    return status == NATS_OK;
}

/* cnats delivers in a thread of its own, which may hold a subscription for a moment after its end. */
void gjkd_engine_unfollow(struct gjkd_engine *engine) {
    const int64_t now_ms = nats_Now();
    int oldest = 0;
    for (int i = 0; i < ENDED_MAX; i++) {
        if (engine->ended[i].log != NULL && now_ms - engine->ended[i].ended_ms > ENDED_MS) {
            natsSubscription_Destroy(engine->ended[i].log);
            engine->ended[i].log = NULL;
        }
        oldest = engine->ended[i].ended_ms < engine->ended[oldest].ended_ms ? i : oldest;
        oldest = engine->ended[oldest].log != NULL && engine->ended[i].log == NULL ? i : oldest;
    }
    if (engine->log != NULL) {
        (void)natsSubscription_Unsubscribe(engine->log);
        natsSubscription_Destroy(engine->ended[oldest].log);
        engine->ended[oldest].log = engine->log;
        engine->ended[oldest].ended_ms = now_ms;
        engine->log = NULL;
    }
}

static bool take(natsMsg *message, gjkd_engine_message *out) {
    jsMsgMetaData *meta = NULL;
    if (natsMsg_GetMetaData(&meta, message) != NATS_OK) {
        return false;
    }
    *out = (gjkd_engine_message){meta->Sequence.Stream, natsMsg_GetData(message),
                                 (size_t)natsMsg_GetDataLength(message), message};
    jsMsgMetaData_Destroy(meta);
    return true;
}

gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) {
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, engine->log, (int64_t)wait_ms);
    if (status == NATS_TIMEOUT) {
        return GJKD_ENGINE_IDLE;
    }
    if (status != NATS_OK) {
        return GJKD_ENGINE_BROKEN;
    }
    if (!take(message, out)) {
        natsMsg_Destroy(message);
        return GJKD_ENGINE_BROKEN;
    }
    return GJKD_ENGINE_NEXT;
}

void gjkd_engine_release(gjkd_engine_message *message) {
    natsMsg_Destroy(message->handle);
    message->handle = NULL;
}

bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place, gjkd_engine_message *out) {
    natsMsg *message = NULL;
    jsErrCode code = 0;
    *out = (gjkd_engine_message){.handle = NULL};
    if (!gjkd_engine_is_connected(engine)) {
        return false;
    }
    if (js_GetMsg(&message, engine->js, engine->log_name, place, NULL, &code) != NATS_OK) {
        return code == JSNoMessageFoundErr;
    }
    *out = (gjkd_engine_message){place, natsMsg_GetData(message),
                                 (size_t)natsMsg_GetDataLength(message), message};
    return true;
}

/* --- Pieces and notes --- */

#define SUBJECT_BYTES (NAME_MAX_BYTES + HEX_DIGEST)

static void name_piece(const struct gjkd_engine *engine, const gjkd_digest *name,
                       char subject[SUBJECT_BYTES]) {
    size_t length =
        (size_t)snprintf(subject, NAME_MAX_BYTES, "gjkd.%s.chunk.", engine->setup.cluster);
    for (int i = 0; i < GJKD_DIGEST_BYTES; i++) {
        length += (size_t)snprintf(subject + length, 3, "%02x", name->bytes[i]);
    }
}

static void name_note(const struct gjkd_engine *engine, char subject[SUBJECT_BYTES]) {
    snprintf(subject, SUBJECT_BYTES, "gjkd.%s.chunk.snapshot", engine->setup.cluster);
}

static bool put(struct gjkd_engine *engine, const char *subject, const char *data, size_t length,
                uint64_t wait_ms) {
    jsPubOptions options;
    jsPubOptions_Init(&options);
    options.MaxWait = (int64_t)wait_ms;
    options.ExpectStream = engine->piece_name;
    return gjkd_engine_is_connected(engine) &&
           js_Publish(NULL, engine->js, subject, data, (int)length, &options, NULL) == NATS_OK;
}

/* Whether it could be asked for; there may be none. */
static bool get(struct gjkd_engine *engine, const char *subject, gjkd_engine_message *out) {
    natsMsg *message = NULL;
    jsErrCode code = 0;
    *out = (gjkd_engine_message){.handle = NULL};
    if (!gjkd_engine_is_connected(engine)) {
        return false;
    }
    if (js_GetLastMsg(&message, engine->js, engine->piece_name, subject, NULL, &code) != NATS_OK) {
        return code == JSNoMessageFoundErr;
    }
    *out = (gjkd_engine_message){0, natsMsg_GetData(message),
                                 (size_t)natsMsg_GetDataLength(message), message};
    return true;
}

bool gjkd_engine_put_piece(struct gjkd_engine *engine, const gjkd_digest *name, const char *data,
                           size_t length, uint64_t wait_ms) {
    char subject[SUBJECT_BYTES];
    name_piece(engine, name, subject);
    return put(engine, subject, data, length, wait_ms);
}

bool gjkd_engine_get_piece(struct gjkd_engine *engine, const gjkd_digest *name,
                           gjkd_engine_message *out) {
    char subject[SUBJECT_BYTES];
    name_piece(engine, name, subject);
    return get(engine, subject, out) && out->handle != NULL;
}

bool gjkd_engine_put_note(struct gjkd_engine *engine, const char *data, size_t length,
                          uint64_t wait_ms) {
    char subject[SUBJECT_BYTES];
    name_note(engine, subject);
    return put(engine, subject, data, length, wait_ms);
}

bool gjkd_engine_get_note(struct gjkd_engine *engine, gjkd_engine_message *out) {
    char subject[SUBJECT_BYTES];
    name_note(engine, subject);
    return get(engine, subject, out);
}

bool gjkd_engine_look_at_pieces(struct gjkd_engine *engine, uint64_t *last) {
    jsStreamInfo *info = NULL;
    if (!gjkd_engine_is_connected(engine) ||
        look(engine, engine->piece_name, WAIT_MS, &info, NULL) != NATS_OK) {
        return false;
    }
    *last = info->State.LastSeq;
    jsStreamInfo_Destroy(info);
    return true;
}

static bool trim(struct gjkd_engine *engine, const char *name, uint64_t place) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    options.Stream.Purge.Sequence = place;
    return place <= 1 || js_PurgeStream(engine->js, name, &options, NULL) == NATS_OK;
}

bool gjkd_engine_trim(struct gjkd_engine *engine, uint64_t log_place, uint64_t piece_place) {
    return gjkd_engine_is_connected(engine) && trim(engine, engine->log_name, log_place) &&
           trim(engine, engine->piece_name, piece_place);
}
