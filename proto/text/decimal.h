#ifndef PROTO_TEXT_DECIMAL_H
#define PROTO_TEXT_DECIMAL_H

#include <stddef.h>

#include "text/number.h"

/*
 * Writes a double that is no whole number as "%.17g" does, or as "%.15g" or "%.16g" if one of
 * these (in this order) reads back as the same double. Returns the text's length, or 0 and
 * writes nothing when the value is too small for the method: below 2^-36 (1.5e-11). Exact; about
 * 40 ns; no memory of its own, any thread.
 */
size_t proto_decimal_text(double value, char text[PROTO_NUMBER_MAX]);

#endif
