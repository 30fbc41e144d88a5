#ifndef GJKD_UTIL_NOTIFY_H
#define GJKD_UTIL_NOTIFY_H

/*
 * Tells a service manager that wants to know (NOTIFY_SOCKET in the environment, as systemd
 * sets it for Type=notify) what the daemon is doing. Without one, nothing happens.
 * Thread-safe.
 */

typedef enum gjkd_notice {
    GJKD_NOTICE_READY,     /* serving; also after a reload */
    GJKD_NOTICE_RELOADING, /* reading its files again */
    GJKD_NOTICE_STOPPING,  /* draining */
} gjkd_notice;

void gjkd_notify(gjkd_notice notice);

#endif
