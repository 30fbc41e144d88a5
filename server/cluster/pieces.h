#ifndef GJKD_CLUSTER_PIECES_H
#define GJKD_CLUSTER_PIECES_H

/* What is too long for a message, in pieces that are named by their SHA-256. For threads that may
 * wait for the servers. */

#include "cluster/engine.h"
#include "cluster/record.h"

/* A text that is cut while it is made. */
typedef struct gjkd_cutter {
    struct gjkd_engine *engine;
    gjkd_digest *names;
    uint32_t count, capacity;
    uint64_t bytes; /* in all */
    char *rest;     /* of the piece that is not full yet */
    size_t rest_bytes;
    bool failed;
} gjkd_cutter;

void gjkd_cutter_init(gjkd_cutter *cutter, struct gjkd_engine *engine);
void gjkd_cutter_fini(gjkd_cutter *cutter);
void gjkd_cutter_add(gjkd_cutter *cutter, const char *data, size_t length);
/* Publishes the rest. False: not everything is published. */
bool gjkd_cutter_end(gjkd_cutter *cutter) GJK_MUST_USE;

/* All of the message's changes, one piece behind the other, each as its name says; to be freed.
 * NULL: they cannot be read, or there is no memory. */
char *gjkd_pieces_get(struct gjkd_engine *engine, const gjkd_message *message);

#endif
