#ifndef GJKD_CLIENT_REMOTE_H
#define GJKD_CLIENT_REMOTE_H

/* The sets of a running daemon. */

#include <stdbool.h>
#include <stdio.h>

#define GJKD_REMOTE_ERROR_MAX 512

/*
 * Writes every set of the daemon at url, http://HOST:PORT or https://HOST[:PORT], as a line, in the
 * form of GET: each as it is at some moment while the call lasts; one that is deleted meanwhile may be
 * left out. token: to be allowed to, or NULL. False: error says why not.
 */
bool gjkd_remote_export(const char *url, const char *token, FILE *out,
                        char error[GJKD_REMOTE_ERROR_MAX]);

#endif
