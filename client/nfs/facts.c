/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/child.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/text.h"
#include "client/nfs/nfs.h"
#include "record/alloc.h"

#define TABLE_BYTES_MAX (16U << 20)
#define NFS_PORT 2049
#define POLLS 5 /* polls of waiting requests during a NULL call */
#define POLL_MS 4
#define ANSWER_MS 1500U

/* ---- servers ------------------------------------------------------------- */

/* Return NULL if the server is not in the cache. */
static struct nfs_server *server_at(const struct nfs_facts *facts, const struct nfs_mount *mount)
{
	size_t i;

	for (i = 0; i < facts->server_count; i++)
		if (!strcmp(facts->servers[i].address, mount->address) &&
		    facts->servers[i].port == mount->port)
			return &facts->servers[i];
	return NULL;
}

/* Return the entry of a server; a new one gets its interface. Valid until the next one is added. */
static struct nfs_server *server_of(struct nfs_facts *facts, const struct nfs_mount *mount)
{
	struct nfs_server *more = server_at(facts, mount);

	if (more)
		return more;
	facts->servers = xrealloc(facts->servers, facts->server_count + 1, sizeof(*more));
	more = facts->servers + facts->server_count++;
	memset(more, 0, sizeof(*more));
	strcpy(more->address, mount->address);
	more->port = mount->port;
	more->has_nic = nfs_nic_find(more->address, &more->nic);
	return more;
}

/* Options of VAST's driver (VAST NFS 4.0, "Mount parameters") for several addresses and interfaces,
 * which allows more than the 16 connections of the kernel (fs/nfs/fs_context.c:
 * NFS_MAX_CONNECTIONS, Linux 6.12); max_connect: session trunking, Linux 5.15. */
static bool has_several_addresses(const struct nfs_mount *mount)
{
	static const char *const words[] = { "remoteports", "localports", "spread_reads",
					     "spread_writes", "max_connect" };
	const char *options = mount->mount->options;
	unsigned long connections = 0;
	char text[16] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (options_get(options, words[i], NULL, 0))
			return true;
	options_get(options, "nconnect", text, sizeof(text));
	return number_parse(text, 17, UINT32_MAX, &connections, NULL) == 0;
}

static void add_server(const struct nfs_server *server, struct nfs_mount *mount)
{
	mount->is_hung = server->is_hung;
	mount->has_nic = server->has_nic && !has_several_addresses(mount);
	mount->nic = server->nic;
}

/* ---- tables -------------------------------------------------------------- */

static void forget_mounts(struct nfs_facts *facts)
{
	free(facts->mounts);
	facts->mounts = NULL;
	facts->count = 0;
}

void nfs_clear(void *what)
{
	struct nfs_facts *facts = what;

	mountinfo_free(facts->mountinfo);
	free(facts->text);
	free(facts->servers);
	forget_mounts(facts);
	memset(facts, 0, sizeof(*facts));
}

int nfs_read_counters(struct client *client)
{
	struct nfs_facts *facts = nfs_of(client);
	struct err why;
	size_t i;

	free(facts->text);
	facts->text = fileio_read_linked(client->section->mountstats, TABLE_BYTES_MAX, &why);
	if (!facts->text) {
		TEXT_SET(facts->why, why.text);
		return -1;
	}
	for (i = 0; i < facts->count; i++)
		facts->mounts[i].has_stats =
			nfs_stats_find(facts->text, facts->mounts[i].mount->target,
				       &facts->mounts[i].stats) == 0;
	return 0;
}

static void set_mount(const struct nfs_facts *facts, struct nfs_mount *mount,
		      const struct client_mount *of)
{
	const struct mountinfo_mount *shown;
	const struct nfs_server *server;
	char proto[16] = "", port[8];
	unsigned long number = 0;

	mount->mount = of;
	shown = mountinfo_on(facts->mountinfo, of->target);
	mount->device = shown ? shown->device : NULL;
	options_get(of->options, "addr", mount->address, sizeof(mount->address));
	options_get(of->options, "proto", proto, sizeof(proto));
	mount->is_tcp = !strncmp(proto, "tcp", 3);
	if (mount->is_tcp && options_get(of->options, "port", port, sizeof(port)))
		number_parse(port, 0, 65535, &number, NULL);
	mount->port = number ? (unsigned int)number : NFS_PORT;
	server = server_at(facts, mount);
	if (server)
		add_server(server, mount);
}

int nfs_read(struct client *client, struct err *err)
{
	struct nfs_facts *facts = nfs_of(client);
	size_t i;

	forget_mounts(facts);
	free(facts->text);
	facts->text = NULL;
	if (mounts_reread(client, err) < 0)
		return -1;
	mountinfo_free(facts->mountinfo);
	facts->mountinfo = mountinfo_read(client->section->mountinfo, err);
	if (!facts->mountinfo)
		return -1;
	facts->mounts = xcalloc(client->common.mount_count + 1, sizeof(*facts->mounts));
	for (i = 0; i < client->common.mount_count; i++)
		set_mount(facts, &facts->mounts[i], &client->common.mounts[i]);
	facts->count = client->common.mount_count;
	return 0;
}

struct nfs_mount *nfs_mount_at(const struct client *client, const char *target)
{
	struct nfs_facts *facts = nfs_of(client);
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!strcmp(facts->mounts[i].mount->target, target))
			return &facts->mounts[i];
	return NULL;
}

static bool has_same(const struct nfs_mount *a, const struct nfs_mount *b, const char *option)
{
	char x[16] = "", y[16] = "";

	options_get(a->mount->options, option, x, sizeof(x));
	options_get(b->mount->options, option, y, sizeof(y));
	return !strcmp(x, y);
}

bool nfs_is_same_server(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return *a->address && !strcmp(a->address, b->address) && a->port == b->port;
}

/* Return true if the kernel uses the same transports: fs/nfs/client.c:nfs_match_client(), Linux
 * 6.12: version, protocol, "the full socket address", "the xprt security policy" (since 6.5). */
bool nfs_shares_transports(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return nfs_is_same_server(a, b) && has_same(a, b, "vers") && has_same(a, b, "proto") &&
	       has_same(a, b, "xprtsec");
}

bool nfs_is_reported(const struct nfs_facts *facts, const struct nfs_mount *mount,
		     bool (*is_same)(const struct nfs_mount *a, const struct nfs_mount *b))
{
	const struct nfs_mount *other = facts->mounts;

	for (; other < mount; other++)
		if (other->has_stats && is_same(other, mount))
			return true;
	return false;
}

/* ---- NULL call --------------------------------------------- */

/* RFC 5531, over TCP: last fragment of 40 bytes; call 1 of RPC 2, program 100003 (NFS), version 3,
 * procedure 0 (NULL), no credentials. Any reply will do, a refusal as well. */
static const unsigned char null_call[] = { 0x80, 0, 0, 40, 0x6a, 0x6f, 0x62, 0x69, 0,	 0, 0,
					   0,	 0, 0, 0,  2,	 0,    1,    0x86, 0xa3, 0, 0,
					   0,	 3, 0, 0,  0,	 0,    0,    0,	   0,	 0, 0,
					   0,	 0, 0, 0,  0,	 0,    0,    0,	   0,	 0, 0 };

/* A NULL call to a server. */
struct talk {
	int fd; /* -1: it could not be sent, or the connection was refused */
	bool is_sent;
};

static void talk_end(struct talk *talk)
{
	if (talk->fd >= 0)
		close(talk->fd);
	talk->fd = -1;
}

/* Return false if it cannot be sent: no usable address, or no socket. */
static bool talk_begin(struct talk *talk, const struct nfs_mount *mount)
{
	struct sockaddr_storage to;
	socklen_t size = nfs_parse_address(mount->address, mount->port, &to);

	if (size)
		talk->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (talk->fd < 0)
		return false;
	if (connect(talk->fd, (struct sockaddr *)&to, size) < 0 && errno != EINPROGRESS)
		talk_end(talk);
	return true;
}

/* Return true if an event came. With fd -1 it only waits. */
static bool talk_wait(const struct talk *talk, short events, unsigned long long end_ms)
{
	struct pollfd one = { .fd = talk->fd, .events = events };
	unsigned long long now = child_now_ms();

	return now < end_ms && poll(&one, 1, (int)(end_ms - now)) == 1;
}

static bool talk_answered(struct talk *talk, unsigned long long end_ms)
{
	char byte;

	if (!talk->is_sent && talk_wait(talk, POLLOUT, end_ms)) {
		talk->is_sent = send(talk->fd, null_call, sizeof(null_call), MSG_NOSIGNAL) ==
				(ssize_t)sizeof(null_call);
		if (!talk->is_sent)
			talk_end(talk);
	}
	if (!talk->is_sent || !talk_wait(talk, POLLIN, end_ms))
		return false;
	if (recv(talk->fd, &byte, 1, 0) == 1)
		return true;
	talk_end(talk);
	return false;
}

/* Return true if the counters move: a busy server answers some requests within milliseconds. */
static bool is_moving(struct client *client, const struct nfs_mount *mount,
		      const struct nfs_stats *before)
{
	return nfs_read_counters(client) < 0 || !mount->has_stats ||
	       nfs_stats_answered(&mount->stats) != nfs_stats_answered(before) ||
	       (nfs_stats_waiting(before) && !nfs_stats_waiting(&mount->stats));
}

static unsigned int answer_ms(const struct client *client)
{
	unsigned long long now = child_now_ms();
	unsigned int ms =
		client->section->timeout_ms < ANSWER_MS ? client->section->timeout_ms : ANSWER_MS;

	if (!client->deadline_ms) /* during a restore */
		return ms;
	if (client->deadline_ms <= now)
		return 0;
	return client->deadline_ms - now < ms ? (unsigned int)(client->deadline_ms - now) : ms;
}

/* Return true if the server is hung. Requests that were lost with a connection look as if they
 * waited for ever, and most servers have lost some: so a reply to the NULL call, or progress of the
 * requests, whichever is first, proves that it is not. */
static bool is_silent(struct client *client, const struct nfs_mount *mount)
{
	unsigned int limit_ms = answer_ms(client);
	unsigned long long end_ms = child_now_ms() + limit_ms;
	struct nfs_stats before = mount->stats;
	struct talk talk = { -1, false };
	bool answers = false, is_queried;
	int i;

	is_queried = limit_ms && talk_begin(&talk, mount);
	for (i = 0; i < POLLS && !answers; i++)
		answers = talk_answered(&talk, child_now_ms() + POLL_MS) ||
			  is_moving(client, mount, &before);
	if (!answers && talk.fd >= 0)
		answers = talk_answered(&talk, end_ms);
	talk_end(&talk);
	return !answers && (is_queried || nfs_stats_waiting(&before));
}

void nfs_remember_hung(struct client *client, const struct nfs_mount *mount)
{
	struct nfs_server *server = server_of(nfs_of(client), mount);

	server->is_queried = server->is_hung = true;
}

static void query_server(struct client *client, struct nfs_mount *mount)
{
	struct nfs_server *server = server_of(nfs_of(client), mount);

	if (!mount->has_stats || !*mount->address)
		return;
	if (!server->is_queried &&
	    (nfs_stats_waiting(&mount->stats) || client->section->ask_servers == SWITCH_YES)) {
		server->is_queried = true;
		server->is_hung = is_silent(client, mount);
	}
	mount->waiting = nfs_stats_waiting(&mount->stats);
}

/* Query each server once, however often its mounts are read again; search for proxies if no job
 * waits for it. */
static void find_servers(struct client *client)
{
	struct nfs_facts *facts = nfs_of(client);
	struct nfs_mount *mount;
	size_t i;

	for (i = 0; i < facts->count; i++)
		query_server(client, &facts->mounts[i]);
	for (i = 0; i < facts->count; i++) {
		mount = &facts->mounts[i];
		add_server(server_at(facts, mount), mount);
		if (mount->is_tcp && !client->run_dir)
			nfs_proxy_find(client->section->process_dir, mount);
	}
}

/* ---- all ----------------------------------------------------------------- */

/* Set the versions of the protocol: "3", "3,4.2". */
static void find_version(struct client *client)
{
	struct nfs_facts *facts = nfs_of(client);
	size_t i, used = 0, length;
	char version[8];

	for (i = 0; i < facts->count; i++) {
		if (!options_get(facts->mounts[i].mount->options, "vers", version,
				 sizeof(version)) ||
		    strstr(facts->version, version))
			continue;
		length = strlen(version);
		if (used + length + 2 > sizeof(facts->version))
			break;
		used += (size_t)snprintf(facts->version + used, sizeof(facts->version) - used,
					 "%s%s", used ? "," : "", version);
	}
	client->common.version = facts->version;
}

void nfs_read_state(struct client *client)
{
	if (nfs_of(client)->text)
		return;
	nfs_read_counters(client);
	find_servers(client);
}

int nfs_inspect(struct client *client, struct err *err)
{
	if (nfs_read(client, err) < 0)
		return -1;
	nfs_read_state(client);
	find_version(client);
	/* kernel threads do its work; it has no CPUs of its own */
	client->common.cpus_known = true;
	return 0;
}
