/*
 * Calls block the calling thread, except gjkd_engine_send, whose answers arrive on one subject on a
 * thread of cnats. The stream's description holds the epoch, so that every node finds the one drawn
 * by the node that created the stream.
 */

#define _GNU_SOURCE /* for memmem */
#include "cluster/engine.h"

#include "cluster/connection.h"
#include "config/config.h"
#include "util/log.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define NAME_MAX_BYTES 128

#define WAIT_MS 2000
#define HEARTBEAT_NS INT64_C(250000000)
#define DESCRIPTION "gjkd, epoch "

/* Error of NATS 2.11 and later, which cnats 3.4 does not name. */
#define LAST_SEQUENCE_IN_FLIGHT 10164

/* Time that an ended subscription is kept before it is freed, and maximum number of them. */
#define ENDED_NS UINT64_C(10000000000)
#define ENDED_MAX 64

/* Maximum number and total size of released messages that wait to be freed in one batch. */
#define SPENT_MAX 64
#define SPENT_BYTES_MAX ((size_t)1 << 20)

/* Maximum number and size of received ticks that wait to be handled; further ones are lost. */
#define TICKS_WAITING_MAX 1024
#define TICKS_WAITING_BYTES_MAX (64 << 20)

/* Number of copies of a log, if there are at least as many servers. */
#define SERVERS_FOR_REPLICAS 3

struct gjkd_engine {
    gjkd_engine_setup setup;
    struct gjkd_connection *connection;
    natsSubscription *ticks, *answers;
    natsSubscription *log;
    uint64_t follows;           /* number of the newest subscription of the log */
    pthread_mutex_t ended_lock; /* guards the next four fields */
    struct {
        natsSubscription *subscription;
        uint64_t ended_ns;
    } ended[ENDED_MAX];
    natsMsg *spent[SPENT_MAX];
    unsigned spent_count;
    size_t spent_bytes;
    atomic_bool was_up, is_closed;
    char tick_subject[NAME_MAX_BYTES];
    char log_name[NAME_MAX_BYTES], log_subjects[NAME_MAX_BYTES];
    char inbox[NAME_MAX_BYTES]; /* prefix of reply subjects: a token or "log" follows */
};

static_assert(GJKD_ENGINE_ERROR_MAX == GJKD_CONNECTION_ERROR_MAX, "one is handed on as the other");

/* Headers of gjkd's messages: format, random id, position and id of the set's message that the
 * write was made from, flags, and node that wrote it. */
#define H_FORMAT "Gjkd-Format"
#define H_ID "Gjkd-Id"
#define H_AFTER "Gjkd-After"
#define H_FLAGS "Gjkd-Flags"
#define H_NODE "Gjkd-Node"

#define SUBJECT_BYTES (NAME_MAX_BYTES + 160)

/* Formats a subject. Dots separate its tokens, so dots of the name become slashes. */
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

/* Frees the released messages in one batch. cnats passes each one to a thread of its own and wakes
 * that thread, which cost a write 1.5 of its 6 thread switches. The lock is held. */
static void free_spent(struct gjkd_engine *engine) {
    while (engine->spent_count > 0) {
        natsMsg_Destroy(engine->spent[--engine->spent_count]);
    }
    engine->spent_bytes = 0;
}

/* Releases a message, which is freed with the next batch; NULL is allowed. */
static void free_message(struct gjkd_engine *engine, natsMsg *message) {
    if (message == NULL) {
        return;
    }
    pthread_mutex_lock(&engine->ended_lock);
    engine->spent[engine->spent_count++] = message;
    engine->spent_bytes += (size_t)natsMsg_GetDataLength(message);
    if (engine->spent_count == SPENT_MAX || engine->spent_bytes > SPENT_BYTES_MAX) {
        free_spent(engine);
    }
    pthread_mutex_unlock(&engine->ended_lock);
}

/* --- Connections --- */

/* Logs and forwards a change of the connection. Called on any thread. */
static void on_change(void *user, bool is_up) {
    struct gjkd_engine *engine = user;
    if (atomic_exchange(&engine->was_up, is_up) != is_up && !atomic_load(&engine->is_closed)) {
        gjkd_log(is_up ? GJKD_LOG_INFO : GJKD_LOG_WARNING, "cluster %s: NATS is %s",
                 engine->setup.cluster, is_up ? "connected" : "away, writes are refused");
    }
    engine->setup.on_change(engine->setup.user);
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

/* Returns true if a server did not take a publication because the newest message of its subject is
 * not the expected one, or may soon not be: another one is on its way into the log (10164). */
static bool is_refusal(long code) {
    return code == (long)JSStreamWrongLastSequenceErr || code == LAST_SEQUENCE_IN_FLIGHT;
}

/* Parses the answer to a publication (JSON) and forwards it. */
static void on_answer(natsConnection *connection, natsSubscription *subscription, natsMsg *message,
                      void *closure) {
    static const char place[] = "\"seq\":", error[] = "\"err_code\":";
    struct gjkd_engine *engine = closure;
    gjkd_published answer = GJKD_PUBLISHED_UNCLEAR;
    char text[512];
    (void)connection;
    (void)subscription;
    snprintf(text, sizeof text, "%.*s", natsMsg_GetDataLength(message), natsMsg_GetData(message));
    const char *seq = strstr(text, place), *code = strstr(text, error);
    if (code != NULL && is_refusal(strtol(code + sizeof error - 1, NULL, 10))) {
        answer = GJKD_PUBLISHED_NOT;
    } else if (code == NULL && seq != NULL) {
        answer = GJKD_PUBLISHED;
    }
    engine->setup.on_answer(engine->setup.user,
                            strtoull(natsMsg_GetSubject(message) + strlen(engine->inbox) + 1, NULL,
                                     10),
                            answer, seq != NULL ? strtoull(seq + sizeof place - 1, NULL, 10) : 0);
    free_message(engine, message);
}

/* Subscribes to the ticks of other nodes and to answers. Returns false on failure. */
static bool subscribe(void *user, natsConnection *made) {
    struct gjkd_engine *engine = user;
    char answers[SUBJECT_BYTES];
    natsSubscription_Destroy(engine->ticks);
    natsSubscription_Destroy(engine->answers);
    engine->ticks = engine->answers = NULL;
    snprintf(answers, sizeof answers, "%s.*", engine->inbox);
    return natsConnection_Subscribe(&engine->ticks, made, engine->tick_subject, on_tick, engine) ==
               NATS_OK &&
           natsSubscription_SetPendingLimits(engine->ticks, TICKS_WAITING_MAX,
                                             TICKS_WAITING_BYTES_MAX) == NATS_OK &&
           natsConnection_Subscribe(&engine->answers, made, answers, on_answer, engine) == NATS_OK;
}

bool gjkd_engine_broadcast(struct gjkd_engine *engine, const char *data, size_t length) {
    return gjkd_engine_is_connected(engine) &&
           natsConnection_Publish(gjkd_connection_nats(engine->connection), engine->tick_subject,
                                  data, (int)length) == NATS_OK;
}

/* Ends a subscription to which messages may still arrive; NULL is allowed. It is freed later,
 * because before cnats 3.6 the delivering thread holds no reference to it. */
static void end_subscription(struct gjkd_engine *engine, natsSubscription *subscription) {
    const uint64_t now_ns = uv_hrtime();
    int oldest = 0;
    if (subscription == NULL) {
        return;
    }
    (void)natsSubscription_Unsubscribe(subscription);
    pthread_mutex_lock(&engine->ended_lock);
    for (int i = 0; i < ENDED_MAX; i++) {
        if (now_ns - engine->ended[i].ended_ns > ENDED_NS) {
            natsSubscription_Destroy(engine->ended[i].subscription);
            engine->ended[i].subscription = NULL;
            engine->ended[i].ended_ns = 0;
        }
        oldest = engine->ended[i].ended_ns < engine->ended[oldest].ended_ns ? i : oldest;
    }
    natsSubscription_Destroy(engine->ended[oldest].subscription);
    engine->ended[oldest].subscription = subscription;
    engine->ended[oldest].ended_ns = now_ns;
    pthread_mutex_unlock(&engine->ended_lock);
}

size_t gjkd_engine_broadcast_bytes_max(const struct gjkd_engine *engine) {
    const int64_t most =
        gjkd_engine_is_connected(engine)
            ? natsConnection_GetMaxPayload(gjkd_connection_nats(engine->connection))
            : 0;
    return most > 0 ? (size_t)most : 0;
}

void gjkd_engine_mend(struct gjkd_engine *engine) {
    gjkd_connection_mend(engine->connection);
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
    pthread_mutex_init(&engine->ended_lock, NULL);
    (void)nats_Open(0); /* locks sleep: spinning took a sixth of a write's processor time */
    engine->setup = *setup;
    snprintf(engine->log_name, NAME_MAX_BYTES, "gjkd_%s", setup->cluster);
    snprintf(engine->log_subjects, NAME_MAX_BYTES, "gjkd.%s.log.>", setup->cluster);
    snprintf(engine->tick_subject, NAME_MAX_BYTES, "gjkd.%s.tick", setup->cluster);
    natsInbox *inbox = NULL;
    if (natsInbox_Create(&inbox) == NATS_OK) {
        snprintf(engine->inbox, NAME_MAX_BYTES, "%s", inbox);
        natsInbox_Destroy(inbox);
    }
    const gjkd_connection_setup connection = {setup->urls, setup->node, setup->creds, setup->ca,
                                              subscribe,   on_change,   engine};
    engine->connection = gjkd_connection_new(&connection, error);
    if (engine->connection == NULL) {
        gjkd_engine_free(engine);
        return NULL;
    }
    return engine;
}

void gjkd_engine_close(struct gjkd_engine *engine) {
    atomic_store(&engine->is_closed, true);
    gjkd_connection_close(engine->connection);
}

void gjkd_engine_free(struct gjkd_engine *engine) {
    if (engine == NULL) {
        return;
    }
    natsSubscription_Destroy(engine->ticks);
    natsSubscription_Destroy(engine->answers);
    natsSubscription_Destroy(engine->log);
    for (int i = 0; i < ENDED_MAX; i++) {
        natsSubscription_Destroy(engine->ended[i].subscription);
    }
    free_spent(engine);
    gjkd_connection_end(engine->connection);
    (void)nats_CloseAndWait(WAIT_MS);
    gjkd_connection_free(engine->connection);
    pthread_mutex_destroy(&engine->ended_lock);
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
        natsConnection_GetServers(gjkd_connection_nats(engine->connection), &servers, &count);
    if (status != NATS_OK) {
        return 1;
    }
    for (int i = 0; i < count; i++) {
        free(servers[i]);
    }
    free(servers);
    return count >= SERVERS_FOR_REPLICAS ? SERVERS_FOR_REPLICAS : 1;
}

/* Returns the epoch from the stream's description, or else a hash of the stream's creation time. */
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

static natsStatus add_stream(struct gjkd_engine *engine, int64_t replicas, jsErrCode *code) {
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
        js_AddStream(NULL, gjkd_connection_streams(engine->connection), &config, NULL, code);
    return status;
}

/* Creates the stream, with one copy if a single server refuses three and --replicas is not set.
 * Also succeeds if another node has just created it. */
static natsStatus create_stream(struct gjkd_engine *engine, jsErrCode *code) {
    const int64_t replicas = wanted_replicas(engine);
    natsStatus status = add_stream(engine, replicas, code);
    if (*code == JSStreamReplicasNotSupportedErr && engine->setup.replicas == 0) {
        status = add_stream(engine, 1, code);
    }
    return *code == JSStreamNameExistErr ? NATS_OK : status;
}

/* Explains why the servers refuse the stream, with the remedy. */
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

/* Raises the number of copies if there are more servers now than when the stream was created. */
static void add_replicas(struct gjkd_engine *engine, jsStreamInfo *info) {
    const int64_t wanted = wanted_replicas(engine);
    jsErrCode code = 0;
    if (info->Cluster == NULL || info->Config->Replicas >= wanted) {
        return;
    }
    info->Config->Replicas = wanted;
    const natsStatus status = js_UpdateStream(NULL, gjkd_connection_streams(engine->connection),
                                              info->Config, NULL, &code);
    gjkd_log(status == NATS_OK ? GJKD_LOG_INFO : GJKD_LOG_WARNING,
             "cluster %s: %" PRId64 " copies of the stream %s: %s", engine->setup.cluster, wanted,
             info->Config->Name, explain(status, code));
}

static natsStatus get_stream_info(struct gjkd_engine *engine, uint64_t wait_ms, jsStreamInfo **info,
                                  jsErrCode *code) {
    jsOptions options;
    jsOptions_Init(&options);
    options.Wait = (int64_t)wait_ms;
    const natsStatus status = js_GetStreamInfo(info, gjkd_connection_streams(engine->connection),
                                               engine->log_name, &options, code);
    return status;
}

static void fill_state(const jsStreamInfo *info, gjkd_engine_state *out) {
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

/* Sends a request to the servers' API. out: the answer, truncated to size. */
static bool request_api(struct gjkd_engine *engine, const char *subject, char *out, size_t size) {
    natsMsg *reply = NULL;
    const natsStatus status =
        natsConnection_RequestString(&reply, gjkd_connection_nats(engine->connection), subject, "",
                                     WAIT_MS);
    if (status == NATS_OK) {
        snprintf(out, size, "%.*s", natsMsg_GetDataLength(reply), natsMsg_GetData(reply));
    }
    natsMsg_Destroy(reply);
    return status == NATS_OK;
}

/* Returns false if the server is older than 2.10: its answer lacks the stream's compression. */
static bool is_new_enough(struct gjkd_engine *engine) {
    static const char key[] = "\"compression\"";
    char subject[NAME_MAX_BYTES + 64], answer[4096];
    snprintf(subject, sizeof subject, "$JS.API.STREAM.INFO.%s", engine->log_name);
    return !request_api(engine, subject, answer, sizeof answer) ||
           strstr(answer, "\"config\"") == NULL || strstr(answer, key) != NULL;
}

gjkd_opened gjkd_engine_open(struct gjkd_engine *engine, bool may_make, gjkd_engine_state *out,
                             char error[GJKD_ENGINE_ERROR_MAX]) {
    jsStreamInfo *info = NULL;
    jsErrCode code = 0;
    natsStatus status = get_stream_info(engine, WAIT_MS, &info, &code);
    if (status != NATS_OK && code == JSStreamNotFoundErr && may_make) {
        status = create_stream(engine, &code);
        status = status == NATS_OK ? get_stream_info(engine, WAIT_MS, &info, &code) : status;
    }
    if (status != NATS_OK) {
        (void)refuse(error, engine->log_name, explain(status, code));
        return code == JSStreamNotFoundErr ? GJKD_OPENED_NONE : GJKD_OPENED_NOT;
    }
    fill_state(info, out);
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
    if (!gjkd_engine_is_connected(engine) ||
        get_stream_info(engine, wait_ms, &info, NULL) != NATS_OK) {
        return false;
    }
    fill_state(info, out);
    jsStreamInfo_Destroy(info);
    return true;
}

/* --- Writing --- */

/* Sets a header, unless an earlier step failed. */
static void set_header(natsStatus *status, natsMsg *message, const char *name, const char *form,
                       ...) {
    char text[GJKD_NODE_NAME_BYTES_MAX + 64];
    va_list values;
    va_start(values, form);
    vsnprintf(text, sizeof text, form, values);
    va_end(values);
    *status = *status == NATS_OK ? natsMsgHeader_Set(message, name, text) : *status;
}

/* Builds a message. reply: subject for the answer, or NULL. */
static natsStatus make_message(const struct gjkd_engine *engine, const gjkd_publication *what,
                               const char *reply, natsMsg **out) {
    char subject[SUBJECT_BYTES];
    make_subject(engine, what->kind, what->name, subject);
    natsStatus status =
        natsMsg_Create(out, subject, reply, what->text.data, (int)what->text.length);
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

bool gjkd_engine_send(struct gjkd_engine *engine, const gjkd_publication *what, uint64_t token) {
    natsMsg *message = NULL;
    char reply[SUBJECT_BYTES];
    snprintf(reply, sizeof reply, "%s.%" PRIu64, engine->inbox, token);
    natsStatus status = make_message(engine, what, reply, &message);
    if (status == NATS_OK) {
        status = gjkd_engine_is_connected(engine)
                     ? natsConnection_PublishMsg(gjkd_connection_nats(engine->connection), message)
                     : NATS_NOT_YET_CONNECTED;
    }
    free_message(engine, message);
    return status == NATS_OK;
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
    natsStatus status = make_message(engine, what, NULL, &message);
    if (status == NATS_OK) {
        jsPubOptions_Init(&options);
        options.MaxWait = (int64_t)wait_ms;
        options.ExpectStream = engine->log_name;
        status = js_PublishMsg(&ack, gjkd_connection_streams(engine->connection), message, &options,
                               &code);
    }
    natsMsg_Destroy(message);
    if (status == NATS_OK) {
        *seq = ack->Sequence;
        jsPubAck_Destroy(ack);
        return GJKD_PUBLISHED;
    }
    return is_refusal((long)code) ? GJKD_PUBLISHED_NOT : GJKD_PUBLISHED_UNCLEAR;
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
    const natsStatus status = js_PurgeStream(gjkd_connection_streams(engine->connection),
                                             engine->log_name, &options, NULL);
    return status == NATS_OK;
}

bool gjkd_engine_change_leader(struct gjkd_engine *engine) {
    char subject[NAME_MAX_BYTES + 64], answer[256];
    snprintf(subject, sizeof subject, "$JS.API.STREAM.LEADER.STEPDOWN.%s", engine->log_name);
    return request_api(engine, subject, answer, sizeof answer) &&
           strstr(answer, "\"success\"") != NULL;
}

/* --- Reading --- */

/* Subscribes without the JetStream subscription of cnats, which would copy each message's reply
 * subject and hide messages of other programs that look like the servers' control messages. */
bool gjkd_engine_follow(struct gjkd_engine *engine, uint64_t from) {
    char inbox[SUBJECT_BYTES];
    jsConsumerInfo *info = NULL;
    jsConsumerConfig config;
    gjkd_engine_unfollow(engine);
    snprintf(inbox, sizeof inbox, "%s.log.%" PRIu64, engine->inbox, ++engine->follows);
    natsStatus status =
        natsConnection_SubscribeSync(&engine->log, gjkd_connection_nats(engine->connection), inbox);
    if (status != NATS_OK) {
        return false;
    }
    (void)natsSubscription_SetPendingLimits(engine->log, -1, -1); /* flow control is the limit */
    jsConsumerConfig_Init(&config);
    config.DeliverSubject = inbox;
    config.DeliverPolicy = js_DeliverByStartSequence;
    config.OptStartSeq = from;
    config.AckPolicy = js_AckNone;
    config.FlowControl = true;
    config.Heartbeat = HEARTBEAT_NS;
    config.MemoryStorage = true;
    status = js_AddConsumer(&info, gjkd_connection_streams(engine->connection), engine->log_name,
                            &config, NULL, NULL);
    jsConsumerInfo_Destroy(info);
    return status == NATS_OK;
}

void gjkd_engine_unfollow(struct gjkd_engine *engine) {
    end_subscription(engine, engine->log);
    engine->log = NULL;
}

/* Parses a number and the next character; moves *at behind both, or to NULL if one is missing. */
static uint64_t parse_number(const char **at, int base, char end) {
    char *behind = NULL;
    const uint64_t number = *at != NULL ? strtoull(*at, &behind, base) : 0;
    *at = behind != NULL && behind != *at && *behind == end ? behind + 1 : NULL;
    return number;
}

/* Parses subject and headers. Returns false if gjkd has not written the message; then the head is
 * not valid, and the name may be missing. */
static bool parse_head(const struct gjkd_engine *engine, gjkd_engine_message *out) {
    natsMsg *message = out->handle;
    const size_t before = strlen(engine->log_subjects) - 1;
    const char *format = NULL, *id = NULL, *after = NULL, *flags = NULL;
    const char *subject = natsMsg_GetSubject(message);
    const char kind = strlen(subject) > before + 2 ? subject[before] : '\0';
    out->kind = GJKD_LOG_SYNC;
    out->data = natsMsg_GetData(message);
    out->length = (size_t)natsMsg_GetDataLength(message);
    if (kind == '\0' || subject[before + 1] != '.' ||
        strlen(subject + before + 2) > PROTO_SET_NAME_BYTES_MAX ||
        strchr(subject + before + 2, '.') != NULL) {
        return false;
    }
    out->kind = kind == 's' ? GJKD_LOG_SET : kind == 'p' ? GJKD_LOG_PART : GJKD_LOG_SYNC;
    snprintf(out->name, sizeof out->name, "%s", subject + before + 2);
    for (char *at = out->name; *at != '\0'; at++) {
        *at = *at == '/' ? '.' : *at;
    }
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

/*
 * Parses the positions in a message's reply subject:
 * $JS.ACK[.domain.account].stream.consumer.deliveries.place.delivery.time.pending[.random]
 */
static bool parse_position(const char *reply, gjkd_engine_message *out) {
    static const char prefix[] = "$JS.ACK.";
    unsigned dots = 0;
    if (reply == NULL || strncmp(reply, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    for (const char *each = reply; *each != '\0'; each++) {
        dots += *each == '.';
    }
    const char *at = reply;
    for (unsigned skip = dots == 8 ? 5 : 7; skip > 0 && at != NULL; skip--) {
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    out->place = parse_number(&at, 10, '.');
    out->delivery = parse_number(&at, 10, '.');
    out->sent_ns = (int64_t)parse_number(&at, 10, '.');
    return at != NULL;
}

/* Answers a flow-control request, or a heartbeat that reports a stall: the server delivers more
 * only after the answer. */
static void answer_server(struct gjkd_engine *engine, natsMsg *message) {
    const char *reply = natsMsg_GetReply(message);
    if ((reply == NULL || reply[0] == '\0') &&
        natsMsgHeader_Get(message, "Nats-Consumer-Stalled", &reply) != NATS_OK) {
        return;
    }
    (void)natsConnection_PublishString(gjkd_connection_nats(engine->connection), reply, "");
}

gjkd_engine_next gjkd_engine_next_message(struct gjkd_engine *engine, uint64_t wait_ms,
                                          gjkd_engine_message *out) {
    natsMsg *message = NULL;
    const natsStatus status = natsSubscription_NextMsg(&message, engine->log, (int64_t)wait_ms);
    if (status == NATS_TIMEOUT || status == NATS_NO_RESPONDERS) { /* a message has status 503 */
        return GJKD_ENGINE_IDLE;
    }
    if (status != NATS_OK) {
        return GJKD_ENGINE_BROKEN;
    }
    *out = (gjkd_engine_message){.handle = message};
    if (parse_position(natsMsg_GetReply(message), out)) {
        out->is_ours = parse_head(engine, out);
        return GJKD_ENGINE_NEXT;
    }
    answer_server(engine, message);
    gjkd_engine_release(engine, out);
    return GJKD_ENGINE_ALIVE;
}

void gjkd_engine_release(struct gjkd_engine *engine, gjkd_engine_message *message) {
    free_message(engine, message->handle);
    message->handle = NULL;
}

bool gjkd_engine_get(struct gjkd_engine *engine, uint64_t place, gjkd_engine_message *out) {
    natsMsg *message = NULL;
    jsErrCode code = 0;
    *out = (gjkd_engine_message){.handle = NULL};
    if (!gjkd_engine_is_connected(engine)) {
        return false;
    }
    const natsStatus status = js_GetMsg(&message, gjkd_connection_streams(engine->connection),
                                        engine->log_name, place, NULL, &code);
    if (status != NATS_OK) {
        return code == JSNoMessageFoundErr;
    }
    *out = (gjkd_engine_message){.place = natsMsg_GetSequence(message), .handle = message};
    out->is_ours = parse_head(engine, out);
    return true;
}

/* --- Probes --- */

/* Returns the text after a key in an answer, or NULL if the key is absent. The answer's texts are
 * base64, so the key occurs nowhere else. */
static const char *find_member(natsMsg *answer, const char *key) {
    const char *data = natsMsg_GetData(answer);
    const char *at = memmem(data, (size_t)natsMsg_GetDataLength(answer), key, strlen(key));
    return at != NULL ? at + strlen(key) : NULL;
}

/* Decodes base64 up to the first other character, or until out is full. */
static void decode_base64(const char *text, char *out, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *digit;
    unsigned bits = 0, count = 0;
    size_t length = 0;
    while (length + 1 < size && *text != '\0' && (digit = strchr(digits, *text++)) != NULL) {
        bits = bits << 6 | (unsigned)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out[length++] = (char)(bits >> count);
        }
    }
    out[length] = '\0';
}

/* Parses an answer of the servers' API (JSON). Returns false if it is neither a message nor the
 * error that there is none. */
static bool parse_probe(natsMsg *answer, gjkd_probe *out) {
    char head[1024];
    const char *code = find_member(answer, "\"err_code\":");
    const char *seq = find_member(answer, "\"seq\":"), *text = find_member(answer, "\"hdrs\":\"");
    out->place = seq != NULL ? strtoull(seq, NULL, 10) : 0;
    out->id = 0;
    if (text != NULL) {
        decode_base64(text, head, sizeof head);
        const char *own = strstr(head, "\r\n" H_ID ": ");
        if (own != NULL && sscanf(own, "\r\n" H_ID ": %" SCNx64, &out->id) != 1) {
            out->id = 0;
        }
    }
    return seq != NULL || (code != NULL && strtol(code, NULL, 10) == (long)JSNoMessageFoundErr);
}

static natsStatus send_probe(struct gjkd_engine *engine, const gjkd_probe *probe, const char *inbox,
                             size_t number) {
    char subject[SUBJECT_BYTES], reply[SUBJECT_BYTES], wanted[SUBJECT_BYTES];
    char question[SUBJECT_BYTES + 32];
    snprintf(subject, sizeof subject, "$JS.API.STREAM.MSG.GET.%s", engine->log_name);
    snprintf(reply, sizeof reply, "%s.%zu", inbox, number);
    if (probe->name != NULL) {
        make_subject(engine, GJKD_LOG_SET, probe->name, wanted);
        snprintf(question, sizeof question, "{\"last_by_subj\":\"%s\"}", wanted);
    } else {
        snprintf(question, sizeof question, "{\"seq\":%" PRIu64 "}", probe->place);
    }
    return natsConnection_PublishRequestString(gjkd_connection_nats(engine->connection), subject,
                                               reply, question);
}

bool gjkd_engine_probe(struct gjkd_engine *engine, gjkd_probe *probes, size_t count) {
    char subject[SUBJECT_BYTES];
    natsInbox *inbox = NULL;
    natsSubscription *answers = NULL;
    natsStatus status = gjkd_engine_is_connected(engine) ? natsInbox_Create(&inbox) : NATS_ERR;
    if (status == NATS_OK) {
        snprintf(subject, sizeof subject, "%s.*", inbox);
        status = natsConnection_SubscribeSync(&answers, gjkd_connection_nats(engine->connection),
                                              subject);
    }
    for (size_t i = 0; i < count && status == NATS_OK; i++) {
        status = send_probe(engine, &probes[i], inbox, i);
    }
    for (size_t i = 0; i < count && status == NATS_OK; i++) {
        natsMsg *answer = NULL;
        status = natsSubscription_NextMsg(&answer, answers, WAIT_MS);
        if (status == NATS_OK) {
            const size_t number =
                strtoull(natsMsg_GetSubject(answer) + strlen(inbox) + 1, NULL, 10);
            status = number < count && parse_probe(answer, &probes[number]) ? NATS_OK : NATS_ERR;
        }
        natsMsg_Destroy(answer);
    }
    if (status == NATS_OK) {
        natsSubscription_Destroy(answers); /* no further answers arrive */
    } else {
        end_subscription(engine, answers);
    }
    natsInbox_Destroy(inbox);
    return status == NATS_OK;
}
