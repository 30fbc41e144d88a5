#ifndef GJKD_STORE_BODIES_H
#define GJKD_STORE_BODIES_H

/* Files of sets, in the form of PUT: NAME.json holds the set NAME; any other file holds one set a
 * line, with its `name`, as --export prints them. */

#include "proto/buffer.h"

#include <stdio.h>

#define GJKD_BODIES_ERROR_MAX 512

/* Takes a body; name NULL: it tells its own. False: error has the reason, to which is added where it
 * stands. */
typedef bool gjkd_take_body(void *user, const char *name, proto_text body, char *error);

/*
 * Calls take for the bodies of a file, or of each file of a folder whose name ends with .json or
 * .ndjson, in the order of names; hidden files are left out. Stops at the first that is not taken.
 * False: error says where, why and what to do.
 */
bool gjkd_bodies_read(const char *path, gjkd_take_body *take, void *user,
                      char error[GJKD_BODIES_ERROR_MAX]) GJK_MUST_USE;

/* The same of one set a line; shown_name stands in errors. */
bool gjkd_bodies_read_lines(FILE *file, const char *shown_name, gjkd_take_body *take, void *user,
                            char error[GJKD_BODIES_ERROR_MAX]) GJK_MUST_USE;

#endif
