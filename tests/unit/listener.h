/* SPDX-License-Identifier: GPL-2.0-or-later */
/* listener.h - the listener that a server has made, and what it calls when nothing
 * can be accepted
 *
 * Compile the server and its test with
 * -Devconnlistener_set_error_cb=fake_set_error_cb. */
#ifndef JOBIO_TESTS_UNIT_LISTENER_H
#define JOBIO_TESTS_UNIT_LISTENER_H

#include <event2/listener.h>

#undef evconnlistener_set_error_cb
void evconnlistener_set_error_cb(struct evconnlistener *of, evconnlistener_errorcb call);
void fake_set_error_cb(struct evconnlistener *of, evconnlistener_errorcb call);

static struct evconnlistener *listener;
static evconnlistener_errorcb accept_error;

void fake_set_error_cb(struct evconnlistener *of, evconnlistener_errorcb call)
{
	listener = of;
	accept_error = call;
	evconnlistener_set_error_cb(of, call);
}

#endif
