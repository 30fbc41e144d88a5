#ifndef GJKD_CLUSTER_RECORD_H
#define GJKD_CLUSTER_RECORD_H

/*
 * Changes of sets as bytes: the text of a set's message in the log. A shape is written as the store
 * on disk writes it (store/row.h), so that every node reads the same shape from it. Numbers are in
 * the byte order of the machine: all nodes of a cluster have the same one.
 *
 *   text      one change after the other, all of one set
 *   change    what becomes of the set (it is gone, made whole, or edited) and its name. Unless it
 *             is gone, the following comes next:
 *               - the numbers of the new version (incarnation, revision, place of the log, next
 *                 handle, dimension, length of the history, nonce), and its meta. A revision or place
 *                 of 0 is that of the message, which its writer could not know;
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
 */

#include "proto/reply.h"
#include "sets/storage.h"

/* Puts the change that the proposal makes. */
void gjkd_record_put(struct proto_buffer *out, const gjkd_proposal *proposal);

/* Outcome of a change. */
typedef struct gjkd_applied {
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    struct gjkd_version *from, *to; /* one reference each; NULL: there is no set */
    bool lacks_ticks;               /* that the writer had; they may be on their way */
} gjkd_applied;

/* Puts the changes that make a set with the ticks of it that the log has. */
void gjkd_record_put_set(struct proto_buffer *out, const struct gjkd_version *version);

/*
 * Takes the next change off the text and makes what it makes of `before`, or where that is NULL of
 * the set in the registry, which stays as it is. place: of the message. False: the problem says why
 * not; OUT_OF_MEMORY may pass.
 */
bool gjkd_record_apply(proto_text *text, uint64_t place, struct gjkd_version *before,
                       struct gjkd_registry *registry, const proto_limits *limits,
                       gjkd_applied *out, struct proto_problem *problem) GJK_MUST_USE;

/* The same with all changes of the text, which are of one set. */
bool gjkd_record_read(proto_text text, uint64_t place, struct gjkd_registry *registry,
                      const proto_limits *limits, gjkd_applied *out,
                      struct proto_problem *problem) GJK_MUST_USE;

#endif
