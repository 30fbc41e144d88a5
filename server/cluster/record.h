#ifndef GJKD_CLUSTER_RECORD_H
#define GJKD_CLUSTER_RECORD_H

/*
 * Encoding of changes of sets: the text of a set's message in the log. A shape is encoded as in the
 * store on disk (store/row.h), so that every node decodes the same shape. Numbers are in the
 * machine's byte order, which is the same on all nodes of a cluster.
 *
 *   text      one or more changes of the same set
 *   change    kind (the set is deleted, replaced or edited) and name of the set. Unless it is
 *             deleted, these follow:
 *               - numbers of the new version (incarnation, revision, position in the log, next
 *                 handle, dimension, length of the history, nonce), and its meta. A revision or
 *                 position of 0 means the position of the message, which its writer could not know;
 *               - number of the newest tick that the writer had before;
 *               - if the change is a tick, its number and the digest of its request;
 *               - poses of ticks that the writer had and the log had not, if any (poses.h);
 *               - shapes, sorted by id: all of them if the set is replaced, else those that are
 *                 new, changed, moved or removed.
 *
 * Every node decodes the same state of a set from the log, whatever ticks it has received by
 * broadcast:
 *
 *   - A node without some ticks of the writer gets the poses of the newest one with the change. In
 *     its history it marks the earlier ones as lost.
 *   - A node with ticks that the writer lacked keeps their poses, and stores beside them the state
 *     in the log. But if the change is a tick, the node drops its newer ticks: from now on the
 *     writer of that tick makes the ticks of the set.
 */

#include "proto/reply.h"
#include "sets/storage.h"

/* Encodes the change that the proposal makes. */
void gjkd_record_put(struct proto_buffer *out, const gjkd_proposal *proposal);

/* Result of applying changes. */
typedef struct gjkd_applied {
    char name[PROTO_SET_NAME_BYTES_MAX + 1];
    struct gjkd_version *from, *to; /* one reference each; NULL: no set */
    bool lacks_ticks; /* the writer had ticks that this node lacks; they may still arrive */
} gjkd_applied;

/* Encodes a set as changes that build it, with those of its ticks that the log has. */
void gjkd_record_put_set(struct proto_buffer *out, const struct gjkd_version *version);

/*
 * Decodes the next change of the text and applies it to `before` or, if that is NULL or another
 * set, to the set in the registry, which stays unchanged. place: position of the message. Returns
 * false on failure: the problem says why; after OUT_OF_MEMORY a retry may succeed.
 */
bool gjkd_record_apply(proto_text *text, uint64_t place, struct gjkd_version *before,
                       struct gjkd_registry *registry, const proto_limits *limits,
                       gjkd_applied *out, struct proto_problem *problem) GJK_MUST_USE;

/* Does the same with all changes of the text, which must be of one set. */
bool gjkd_record_read(proto_text text, uint64_t place, struct gjkd_registry *registry,
                      const proto_limits *limits, gjkd_applied *out,
                      struct proto_problem *problem) GJK_MUST_USE;

#endif
