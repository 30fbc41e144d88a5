#ifndef GJKD_UTIL_NOTIFY_H
#define GJKD_UTIL_NOTIFY_H

/*
 * Tells the service manager the daemon's state, if NOTIFY_SOCKET in the environment asks for that,
 * as systemd does for Type=notify. Thread-safe.
 */

typedef enum gjkd_notice {
    GJKD_NOTICE_READY,     /* serving, also after a reload */
    GJKD_NOTICE_RELOADING, /* reloading its files */
    GJKD_NOTICE_STOPPING,  /* draining */
} gjkd_notice;

void gjkd_notify(gjkd_notice notice);

#endif
