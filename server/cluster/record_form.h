#ifndef GJKD_CLUSTER_RECORD_FORM_H
#define GJKD_CLUSTER_RECORD_FORM_H

/* The numbers in records: for record_write.c and record_read.c alone. */

#include "cluster/record.h"

#define GJKD_RECORD_FORMAT UINT32_C(0x324c4a47) /* "GJL2" */

enum { SET_IS_GONE, SET_IS_WHOLE, SET_IS_EDITED };
enum { SHAPE_IS_GONE, SHAPE_IS_MOVED, SHAPE_IS_DEFINED };
enum { HAS_HISTORY = 1, HAS_META = 2, HAS_STAMP = 4, HAS_POSES = 8, HAS_DOUBTS = 16 };
enum { STAMP_AFTER_GAP = 1, STAMP_IS_MISSING = 2 };

#endif
