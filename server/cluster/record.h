#ifndef GJKD_CLUSTER_RECORD_H
#define GJKD_CLUSTER_RECORD_H

/*
 * Changes of sets as bytes, of which the log of a cluster consists. What is told of a shape is what
 * the store on disk keeps of it (store/row.h), so that it means the same on every node. Numbers are
 * in the byte order of the machine: the nodes of a cluster have the same.
 *
 *   message   version, id, id of the message before it, epoch, where the changes are, then these:
 *             as bytes, or as the SHA-256 of the pieces that they were cut into
 *   changes   their number, then each: kind, name and, unless the set is gone, all that a version
 *             has but its shapes, the newest tick that its writer had, poses of ticks that the writer
 *             had and the log had not (poses.h), and the shapes that differ from those before it
 *
 * So the log tells of each set a state of its own, whatever ticks a node has or lacks beside it. Who
 * lacks ticks that the writer had gets the state of the newest one, and marks the others as lost; who
 * has newer ones keeps their poses, unless the change is a tick itself.
 *
 * A snapshot is a message beside the log, whose changes, without a number, make all sets there are,
 * with their ticks: `previous` is its place, and behind the pieces stands a number for who keeps
 * the pieces.
 */

#include "proto/reply.h"
#include "sets/change.h"

/* A piece of what is too long for a message. */
#define GJKD_PIECE_BYTES ((size_t)512 << 10)

/* What is longer is cut into pieces. */
#define GJKD_INLINE_BYTES ((size_t)256 << 10)

/* Changes in one message. */
#define GJKD_RECORD_CHANGES_MAX 64

/* Pieces of one message: its bytes are bounded by what requests may hold. */
#define GJKD_PIECES_MAX 16384

typedef struct gjkd_message_head {
    uint64_t id;       /* random */
    uint64_t previous; /* id of the message before it */
    uint64_t epoch;
} gjkd_message_head;

/* Begins a message, and says how many changes follow. */
void gjkd_record_put_head(struct proto_buffer *out, const gjkd_message_head *head,
                          const gjkd_digest *pieces, uint32_t piece_count, uint64_t bytes);

/* The changes. */
void gjkd_record_begin(struct proto_buffer *out, uint32_t count);
void gjkd_record_put(struct proto_buffer *out, const gjkd_proposal *proposal);

/* A message as it came. */
typedef struct gjkd_message {
    gjkd_message_head head;
    uint64_t bytes;       /* of the changes, if they are in pieces */
    uint32_t piece_count; /* 0: they are in `changes` */
    const char *pieces;   /* piece_count digests */
    proto_text changes;
} gjkd_message;

/* A view. False: it is none of this version. */
bool gjkd_message_read(proto_text text, gjkd_message *out) GJK_MUST_USE;

/* The number of changes, which is taken off the text. */
bool gjkd_record_count(proto_text *text, uint32_t *out) GJK_MUST_USE;

/* What a change comes to. */
typedef struct gjkd_applied {
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    struct gjkd_version *from, *to; /* one reference each; NULL: there is no set */
    bool lacks_ticks;               /* that the writer had; they may be on their way */
} gjkd_applied;

/* The changes that make a set with its ticks. */
void gjkd_record_put_set(struct proto_buffer *out, const struct gjkd_version *version);

/*
 * Takes the next change off the text and makes what it makes of `before`, if that is of its name, or
 * else of the set in the registry, which it leaves as it is. False: the problem says why not;
 * OUT_OF_MEMORY may pass.
 */
bool gjkd_record_apply(proto_text *text, struct gjkd_version *before,
                       struct gjkd_registry *registry, const proto_limits *limits,
                       gjkd_applied *out, struct proto_problem *problem) GJK_MUST_USE;

#endif
