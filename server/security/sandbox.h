#ifndef GJKD_SECURITY_SANDBOX_H
#define GJKD_SECURITY_SANDBOX_H

/*
 * Denies an attacker who has taken the daemon over: to gain privileges, be traced or dumped, read
 * files but those that the daemon was given, write any but below --data-dir, execute a program,
 * connect to anything.
 */

#include "config/config.h"

/*
 * Enters the sandbox, unless the configuration leaves it out. To be called before the first thread
 * starts, after what only start needs was read. What the kernel does not have is logged as a
 * warning, and the daemon does without it.
 */
void gjkd_sandbox_enter(const struct gjkd_config *config);

#endif
