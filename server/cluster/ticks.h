#ifndef GJKD_CLUSTER_TICKS_H
#define GJKD_CLUSTER_TICKS_H

/*
 * Ticks that only move shapes, told to the other nodes without a word back and beside the log: at
 * many of them a second the log would be the limit.
 *
 * Who may tell them is decided by the log. The first tick that a node makes of a set, and the first
 * after any other write to it, goes through the log; whoever has written what the log has of a set, as a
 * tick, leads it, and tells the ticks that follow. A tick is good upon that state of the log alone. So two
 * nodes that are sent ticks of one set each take it over in the log: what the other has told
 * since then is late, and everybody drops it.
 */

#include "cluster/state.h"

/*
 * Tells the tick, if this node leads the set and it is no time to put what is shown into the log, and
 * shows it. False: it is to go through the log. For workers; does not wait for the servers.
 */
bool gjkd_cluster_tell(struct gjkd_cluster *cluster, const gjkd_proposal *proposal,
                       gjkd_log_verdict *verdict) GJK_MUST_USE;

/* Takes over what came from another node; closure is the cluster. On a thread of the engine. */
void gjkd_cluster_hear(void *closure, gjkd_engine_message *message);

/* Forgets the messages of other nodes and the ticks to be told that wait in the queue. */
void gjkd_ticker_drop(gjkd_ticker *ticker);

/* The thread that tells and takes; closure is the cluster. */
void *gjkd_cluster_tick(void *closure);

#endif
