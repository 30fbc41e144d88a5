#ifndef PROTO_READER_DOCUMENT_H
#define PROTO_READER_DOCUMENT_H

/* Includes what stood here, for proto/columns. */

#include "json/reader.h"

#endif
