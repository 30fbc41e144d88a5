#ifndef GJKD_HTTP_DIRECT_REPLY_H
#define GJKD_HTTP_DIRECT_REPLY_H

/*
 * Refusals that libmicrohttpd cannot send: it waits for something else, or has no memory left for
 * their head. The connection closes behind them.
 */

#include "http/state.h"

/*
 * Sends the request's reply, whose body stands in reply.data, in one piece past libmicrohttpd, which
 * must have nothing to send at that time. False: the socket did not take all of it at once, or there is
 * no memory; the client may have seen a part.
 */
bool gjkd_direct_reply_send(struct gjkd_exchange *exchange);

#endif
