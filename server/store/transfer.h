#ifndef GJKD_STORE_TRANSFER_H
#define GJKD_STORE_TRANSFER_H

/* Import and export of sets as JSON bodies: at a daemon's start, and for an unused directory. */

#include "sets/commit.h"
#include "store/tables.h"

#include <stdio.h>

/*
 * Creates the sets of --load, except those whose names exist already. path: a file, or a folder
 * whose files are read in order of names. NAME.json contains the set NAME; any other file contains
 * one set in each line, with its `name`, as --export prints them. where: registry and storage;
 * NULL: the bodies are only checked. Returns false at the first body that is refused: error gives
 * place, reason and remedy; sets before it stay.
 */
bool gjkd_load_bodies(const gjkd_write *where, const char *path, const proto_limits *limits,
                      char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Creates the demo sets from the embedded files demo/<name>.json. Fails like gjkd_load_bodies. */
bool gjkd_seed_demo(const gjkd_write *where, const proto_limits *limits,
                    char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Prints each set of the directory as one line, in the format of GET. */
bool gjkd_export(const char *directory, FILE *out, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Stores the set of each line in the directory: all, or none if one fails or exists already. */
bool gjkd_import(const char *directory, FILE *in, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

#endif
