#ifndef PROTO_TEXT_TEXT_H
#define PROTO_TEXT_TEXT_H

/* Includes what stood here, for proto/columns. */

#include "json/number.h"
#include "json/text.h"
#include "json/writer.h"

#endif
