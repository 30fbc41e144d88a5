#ifndef GJKD_CLUSTER_RECORD_FORM_H
#define GJKD_CLUSTER_RECORD_FORM_H

/* Kinds and flags as numbers in records, for record_write.c and record_read.c alone. */

#include "cluster/record.h"

/* Fate of a set. WHOLE: all of its shapes follow. EDITED: those that differ follow. */
enum { SET_IS_GONE, SET_IS_WHOLE, SET_IS_EDITED };

/* Fate of a shape. MOVED: its place follows. DEFINED: its place and definition follow. */
enum { SHAPE_IS_GONE, SHAPE_IS_MOVED, SHAPE_IS_DEFINED };

/* Flags of a version. NONCE: its nonce follows. STAMP: the change is a tick. POSES: the poses of
 * ticks that the log had not follow. DOUBTS: another node may have sent ticks that no other has
 * received of. */
enum {
    HAS_HISTORY = 1,
    HAS_META = 2,
    HAS_STAMP = 4,
    HAS_POSES = 8,
    HAS_DOUBTS = 16,
    HAS_NONCE = 32,
};

/* Flags of a tick. AFTER_GAP: ticks right before it are lost. IS_MISSING: it is lost itself. */
enum { STAMP_AFTER_GAP = 1, STAMP_IS_MISSING = 2 };

#endif
