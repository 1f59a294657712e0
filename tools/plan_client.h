/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_client.h - where the cards of this node's filesystem client are
 *
 * Terms   domain: the CPUs of a NUMA node that has one of the client's cards.
 * Owner   struct plan_client is a plain value.
 * Errors  -1, sentence in *err.
 * Runs    jobio plan: inspects the client, as jobio check does; changes nothing.
 */
#ifndef JOBIO_TOOLS_PLAN_CLIENT_H
#define JOBIO_TOOLS_PLAN_CLIENT_H

#include "client/terms.h"
#include "lib/config.h"
#include "lib/err.h"
#include "lib/locality.h"

struct plan_client {
	char name[PROFILE_NAME_MAX + 1];
	const char *type; /* "lustre"; constant */
	struct client_cards cards;
	struct cpuset domain[CLIENT_CARDS_MAX]; /* the first: of the first */
	size_t domain_count;			/* 0: no card's place is known */
	int numa_node;				/* of the first; -1 unknown */
	struct cpuset fixed;			/* OS CPUs of a client that serves as well */
};

struct json;

/* Look at [client NAME] of jobio.conf ('conf' NULL: the usual one), on this
 * node; 'xml' as for locality_load(). */
int plan_client_find(struct plan_client *client, const char *name, const char *conf,
		     const char *xml, struct err *err);

/* The names of all cards, "ib0,ib1". */
#define PLAN_CLIENT_TEXT_MAX 1200
const char *plan_client_cards(const struct plan_client *client, char text[PLAN_CLIENT_TEXT_MAX]);

/* Its cards, each with its place and with what it serves; nothing of none. */
void plan_client_print(const struct plan_client *client);
void plan_client_json(const struct plan_client *client, struct json *json);

#endif
