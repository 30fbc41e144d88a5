#ifndef PROTO_JSON_NUMBER_H
#define PROTO_JSON_NUMBER_H

/* Numbers of JSON: from text to double and back, without a loss. No memory, any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the number that begins at *at and moves *at behind it: the double next to it, ties to even.
 * Returns false if it is no number (then *at is NULL) or too large for a double. Takes 2 to 15 ns
 * for up to 19 digits and exponents up to 27, some 100 ns for others.
 */
bool proto_parse_number(const char **at, const char *end, double *out);

/* Room for the text of any number and its NUL. */
#define PROTO_NUMBER_MAX 32

/*
 * Writes a finite double as a JSON number that reads back as exactly the same double, negative zero
 * included, and returns its length. Integers below 2^53 look like integers; others look as "%.17g"
 * writes them, or "%.15g" or "%.16g" if one of these (in this order) reads back as the same double.
 * Whole numbers take about 20 ns, others from 1.5e-11 up 40 ns, what is smaller or above 2^53 300
 * ns and more.
 */
size_t proto_number_text(double value, char text[PROTO_NUMBER_MAX]);

/* Writes the decimal digits of value and a NUL, at most 21 bytes, and returns their number. */
size_t proto_integer_text(uint64_t value, char *text);

#endif
