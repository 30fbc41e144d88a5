#ifndef PROTO_DECODE_CHANGE_SHAPE_H
#define PROTO_DECODE_CHANGE_SHAPE_H

#include "decode/decode.h"
#include "proto/edit.h"

/* The state of one application of a change to a set. */
struct proto_application {
    struct proto_reader *reader;
    proto_change_form form;
    const proto_base *base;
    proto_edit *edits;
    uint32_t count;
    uint64_t shape_count; /* of the set, as it becomes */
};

/*
 * Appends the edit that the patch makes of the shape id to `edits`, which has room for it; a patch
 * that changes nothing appends none. Returns false after having set the problem.
 */
bool proto_change_shape(struct proto_application *application, const proto_node *patch,
                        const char *id);

#endif
