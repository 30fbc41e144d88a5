#ifndef GJKD_SECURITY_SANDBOX_H
#define GJKD_SECURITY_SANDBOX_H

/*
 * Restricts the process, so that an attacker who has taken the daemon over cannot gain privileges,
 * trace or dump it, read files that the daemon was not given, write files outside of --data-dir,
 * execute a program, or (without --cluster) open a connection.
 */

#include "config/config.h"

/*
 * Enters the sandbox, unless the configuration turns it off. Called before the first thread starts,
 * after files that only the start needs were read. Mechanisms that the kernel lacks are logged as
 * warnings and skipped.
 */
void gjkd_sandbox_enter(const struct gjkd_config *config);

#endif
