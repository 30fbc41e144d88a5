#ifndef PROTO_DECODE_CHANGE_SHAPE_H
#define PROTO_DECODE_CHANGE_SHAPE_H

#include "decode/decode.h"
#include "proto/edit.h"

/* One application of a change. */
struct proto_application {
    struct proto_reader *reader;
    struct proto_document *document;
    proto_change_form form;
    const proto_base *base;
    proto_edit *edits;
    uint32_t count;
    uint64_t shape_count; /* of the set, as it becomes */
};

/*
 * The edit that the patch of the shape id comes to, if it comes to any: pushed to edits, which has
 * room for it. The patch loses `teleport` where the form takes it. False: refused.
 */
bool proto_change_shape(struct proto_application *application, const proto_node *patch,
                        const char *id);

#endif
