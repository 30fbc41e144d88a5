#ifndef PROTO_READER_COMPACT_H
#define PROTO_READER_COMPACT_H

#include <jansson.h>

#include "text/buffer.h"

/* Writes a JSON value in compact form, members in the order given. Depth: PROTO_DEPTH_MAX. */
void proto_put_json(struct proto_buffer *out, json_t *json);

#endif
