#ifndef PROTO_JSON_NUMBER_H
#define PROTO_JSON_NUMBER_H

/* Lossless conversion of JSON numbers from text to double and back. Allocates nothing.
 * Thread-safe. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parses the number at *at to the nearest double, ties to even, and advances *at past it. Returns
 * false if there is no number (then *at is NULL) or it is too large for a double. Takes 2 to 15 ns
 * for up to 19 digits and exponents up to 27, about 100 ns for others.
 */
bool proto_parse_number(const char **at, const char *end, double *out);

/* Size of a buffer for the text of any number, its NUL, and what is written behind it. */
#define PROTO_NUMBER_MAX 40

/*
 * Writes a finite double as a JSON number that parses back to the same double, negative zero
 * included. Returns the text's length. Integers below 2^53 have no fraction or exponent. Others are
 * the first of "%.15g", "%.16g" and "%.17g" that parses back to the same double; but subnormals
 * and some of the least normal numbers are usually written by "%.17g". Integers below 2^53 take about 20 ns, other numbers between
 * 1.5e-11 and 2^53 40 ns, all others 300 ns or more.
 */
size_t proto_number_text(double value, char text[PROTO_NUMBER_MAX]);

/* Writes value in decimal and a NUL, at most 21 bytes. Returns the number of digits. */
size_t proto_integer_text(uint64_t value, char *text);

#endif
