#ifndef PROTO_ENCODE_ENCODE_H
#define PROTO_ENCODE_ENCODE_H

/* Parts that several replies share. All write members into an object that is open. */

#include "proto/reply.h"
#include "json/writer.h"

void proto_put_summary(struct proto_buffer *out, const proto_summary *summary);
void proto_put_stamp(struct proto_buffer *out, const proto_stamp *stamp);

#endif
