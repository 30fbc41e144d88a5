#ifndef PROTO_READER_MERGE_H
#define PROTO_READER_MERGE_H

#include "reader/document.h"

/*
 * MergePatch(target, patch) of RFC 7396: the value that the target becomes. target may be NULL
 * (there is none) and is used up; what the result shares with the patch stays the patch's. To be
 * called with the document entered whose memory the result takes. NULL: out of memory.
 */
json_t *proto_merge(json_t *target, json_t *patch);

#endif
