#ifndef GJKD_CLUSTER_RECORD_H
#define GJKD_CLUSTER_RECORD_H

/*
 * Changes of sets as bytes: the messages of a cluster's log consist of them. A shape is written as
 * the store on disk writes it (store/row.h), so that every node reads the same shape from it.
 * Numbers are in the byte order of the machine: all nodes of a cluster have the same one.
 *
 *   message   the version of this form, the id of the message, the id of the message before it, the
 *             epoch of the log, and the changes. Long changes are cut into pieces, which are
 *             published before: then the message has the SHA-256 of each piece instead.
 *   changes   their number, and then each of them.
 *   change    what becomes of the set (it is gone, made whole, or edited) and its name. Unless it
 *             is gone, the following comes next:
 *               - the numbers of the new version (incarnation, revision, place of the log, next
 *                 handle, dimension, length of the history, mark), and its meta;
 *               - the number of the newest tick that the writer had before;
 *               - if the change is a tick, its number and the digest of its request;
 *               - the poses of ticks that the writer had and the log had not, if any (poses.h);
 *               - the shapes: all of them if the set is made whole, else those that are new, differ,
 *                 have moved or are gone. They stand in the order of their ids.
 *
 * Every node reads the same state of a set from the log, whatever it has heard of ticks beside it:
 *
 *   - A node that lacks ticks that the writer had gets the poses of the newest one with the change.
 *     In its history it marks the ticks before that as lost.
 *   - A node that has newer ticks than the writer keeps their poses, and remembers beside them what
 *     the log has. But if the change is a tick, it lets go of its newer ticks: from now on, the
 *     writer of that tick makes the ticks of the set.
 *
 * A snapshot is a message beside the log. Its changes make all sets there are, with their ticks, and
 * their number does not stand before them. Its `previous` is the place of the log up to which it
 * tells. Behind its digests stands one more number, for whoever keeps the pieces (snapshot.c).
 */

#include "proto/reply.h"
#include "sets/storage.h"

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

/* Returns true if the text begins as a message of a later version of gjkd does. Of `out` the message that it
 * is, the one before it and the epoch are what it says. */
bool gjkd_message_is_of_later(proto_text text, gjkd_message_head *out) GJK_MUST_USE;

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
