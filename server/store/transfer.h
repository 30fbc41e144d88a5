#ifndef GJKD_STORE_TRANSFER_H
#define GJKD_STORE_TRANSFER_H

/* Sets as bodies: those that a daemon begins with, and those of a directory that no daemon uses. */

#include "sets/commit.h"
#include "store/tables.h"

#include <stdio.h>

/*
 * Makes sets of the bodies of --load, but of names that are there already. path: a file, or a
 * folder whose files are read in the order of names; NAME.json holds the set NAME, any other file
 * one set a line, with its `name`, as --export prints them. where: a write's registry and store;
 * NULL: the bodies are only checked. Returns false if one cannot be taken: error says where, why
 * and what to do; those before it are there.
 */
bool gjkd_load_bodies(const gjkd_write *where, const char *path, const proto_limits *limits,
                      char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Makes the demo sets, arena2d and range3d, which are embedded as demo/<name>.json, likewise. */
bool gjkd_seed_demo(const gjkd_write *where, const proto_limits *limits,
                    char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Writes every set of the directory as a line, in the form of GET. */
bool gjkd_export(const char *directory, FILE *out, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Stores the set of every line in the directory: all of them, or, if one cannot be or is there
 * already, none. */
bool gjkd_import(const char *directory, FILE *in, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

#endif
