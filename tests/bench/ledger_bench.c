/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_bench merge N DIR     - N records of one job: stored, merged, summed
 * ledger_bench load N PEERS CONF - the same through a running ledger
 *
 * Prints one line: N, seconds to store, seconds to merge and write, seconds of
 * CPU for both, kB of memory at most; "load": N, seconds from the first byte to
 * the last answer. Records are made and sealed before.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "merge.h"
#include "record.h"
#include "seal.h"
#include "slurmdb.h"
#include "store.h"
#include "summary.h"
#include "writer.h"

#define BATCH 256
#define PEERS_MAX 4000

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "ledger_bench: %s\n", what);
	exit(1);
}

/* A record as a node of today writes it. */
static char *make_text(int node, int nodes)
{
	struct record *r = record_new();
	struct record_io io;
	char text[64], *out;

	strcpy(r->cluster, "bench");
	snprintf(r->node, sizeof(r->node), "node%05d", node);
	snprintf(text, sizeof(text), "node[%05d-%05d]", 1, nodes);
	record_set(&r->nodelist, text);
	strcpy(r->user, "alice");
	strcpy(r->boot_id, "a5e1cbbc-2265-43d4-b56a-ab7d5623d02e");
	r->job = 4711;
	r->restart = 0;
	r->uid = getuid();
	r->start = 1795261196 + node % 5;
	r->end = 1795264796 + node % 7;
	r->has_request = r->has_io_cores = r->has_client = true;
	r->request_io_cores = r->io_cores_count = 2;
	strcpy(r->request_profile, "stream");
	record_set(&r->io_cores_abstract, "23,47");
	record_set(&r->io_cores_os, "23,47");
	strcpy(r->client_name, "weka");
	strcpy(r->client_type, "weka");
	record_add_mount(r, "/mnt/weka", "wekafs", "backend0/default");
	record_add_change(r, "mount-option", "/mnt/weka", "writecache",
			  "forcedirect", 1);
	record_io_init(&io);
	strcpy(io.source, "stepd");
	io.numbers[RECORD_READ_BYTES] = 1000000 + node;
	io.numbers[RECORD_WRITE_BYTES] = 2000000;
	io.numbers[RECORD_READ_CALLS] = 100;
	io.numbers[RECORD_WRITE_CALLS] = 100;
	record_add_app(r, &io);
	r->flags = RECORD_FLAG(ALL_FILES);
	out = record_text(r, NULL);
	record_free(r);
	if (!out)
		die("cannot make a record");
	return out;
}

/* ---- merge --------------------------------------------------------------- */

static char written[SUMMARY_MAX];

static int fake_write(void *acct, struct acct_job *jobs, size_t count,
		      struct err *err)
{
	size_t i;

	(void)acct;
	(void)err;
	for (i = 0; i < count; i++) {
		jobs[i].result = ACCT_WRITTEN;
		snprintf(written, sizeof(written), "%s", jobs[i].text);
	}
	return 0;
}

static void put_all(struct store *store, char **texts, int nodes)
{
	struct record *record;
	struct err err = { "" };
	int64_t due;
	int i, rc;

	for (i = 1; i <= nodes; i++) {
		char *text = texts[i - 1];

		if (i % BATCH == 1 && store_begin(store, &err) < 0)
			die(err.text);
		record = record_parse(text, strlen(text), &err);
		rc = record ? store_put(store, record, text, strlen(text), 1, 0,
					&due, &err)
			    : -1;
		if (rc < 0)
			die(err.text);
		if ((i % BATCH == 0 || i == nodes) &&
		    store_commit(store, &err) < 0)
			die(err.text);
		record_free(record);
	}
}

static double cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static char **make_all(int nodes)
{
	char **texts = calloc((size_t)nodes, sizeof(*texts));
	int i;

	for (i = 0; texts && i < nodes; i++)
		texts[i] = make_text(i + 1, nodes);
	if (!texts)
		die("out of memory");
	return texts;
}

static int merge(int nodes, const char *dir)
{
	static const struct config_ledger config = { .retention_days = 36500 };
	struct writer writer = { .config = &config };
	struct rusage usage;
	struct err err = { "" };
	char path[4096];
	int64_t next;
	double start, stored, cpu_start;
	char **texts = make_all(nodes);

	snprintf(path, sizeof(path), "%s/bench.%d.sqlite", dir, nodes);
	writer.store = store_open(path, &err);
	if (!writer.store)
		die(err.text);
	writer.acct.write = fake_write;
	start = now();
	cpu_start = cpu();
	put_all(writer.store, texts, nodes);
	stored = now();
	if (writer_round(&writer, 1, &next, &err) != 1)
		die(*err.text ? err.text : "nothing was due");
	getrusage(RUSAGE_SELF, &usage);
	printf("%d %.3f %.3f %.3f %ld\n", nodes, stored - start, now() - stored,
	       cpu() - cpu_start, usage.ru_maxrss);
	fprintf(stderr, "%s\n", written);
	store_close(writer.store);
	return 0;
}

/* ---- load ---------------------------------------------------------------- */

struct peer {
	int fd;
	const char *frame;
	size_t frame_size, sent;
	unsigned char prefix[4];
	size_t got, answer_size;
};

static char **seal_all(const struct config_ledger *config, int nodes)
{
	struct seal *seal = seal_new(config->munge_socket, NULL);
	struct passwd *pw = getpwnam(config->user);
	char **frames = calloc((size_t)nodes, sizeof(*frames));
	struct err err = { "" };
	int i;

	if (!seal || !pw || !frames)
		die("cannot seal");
	for (i = 0; i < nodes; i++) {
		char *record = make_text(i + 1, nodes), *credential = NULL;
		size_t size = strlen(record) + 64;
		char *request = malloc(size);

		snprintf(request, size, "{\"op\":\"put\",\"record\":%s}",
			 record);
		if (seal_close(seal, request, strlen(request), pw->pw_uid,
			       &credential, &err) < 0)
			die(err.text);
		size = strlen(credential);
		frames[i] = malloc(size + 5);
		*(uint32_t *)(void *)frames[i] = htonl((uint32_t)size);
		strcpy(frames[i] + 4, credential);
		free(credential);
		free(request);
		free(record);
	}
	seal_free(seal);
	return frames;
}

static void begin(struct peer *peer, char *frame)
{
	peer->frame = frame;
	peer->frame_size = frame ? 4 + strlen(frame + 4) : 0;
	peer->sent = peer->got = peer->answer_size = 0;
}

static int open_peer(const struct config_ledger *config)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_port = htons((uint16_t)config->port);
	inet_pton(AF_INET, config->host, &address.sin_addr);
	if (fd < 0 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		die(strerror(errno));
	return fd;
}

/* 1: the whole answer is here. */
static int step(struct peer *peer, short events)
{
	char buffer[65536];
	ssize_t n;

	if (events & POLLOUT && peer->sent < peer->frame_size) {
		n = send(peer->fd, peer->frame + peer->sent,
			 peer->frame_size - peer->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			die("the ledger hung up");
		peer->sent += n > 0 ? (size_t)n : 0;
	}
	if (!(events & (POLLIN | POLLHUP)))
		return 0;
	if (peer->got < 4)
		n = recv(peer->fd, peer->prefix + peer->got, 4 - peer->got,
			 MSG_DONTWAIT);
	else
		n = recv(peer->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n == 0)
		die("the ledger hung up");
	if (n > 0)
		peer->got += (size_t)n;
	if (peer->got >= 4)
		peer->answer_size =
			4 + ((size_t)peer->prefix[1] << 16 |
			     (size_t)peer->prefix[2] << 8 | peer->prefix[3]);
	return peer->answer_size && peer->got >= peer->answer_size;
}

static void run_load(char **frames, int nodes, struct peer *peers, int count)
{
	static struct pollfd fds[PEERS_MAX];
	int i, next = count, done = 0;

	while (done < nodes) {
		for (i = 0; i < count; i++) {
			fds[i].fd = peers[i].frame ? peers[i].fd : -1;
			fds[i].events = POLLIN;
			if (peers[i].sent < peers[i].frame_size)
				fds[i].events |= POLLOUT;
		}
		if (poll(fds, (nfds_t)count, 60000) <= 0)
			die("the ledger does not answer");
		for (i = 0; i < count; i++)
			if (fds[i].fd >= 0 && fds[i].revents &&
			    step(&peers[i], fds[i].revents)) {
				done++;
				begin(&peers[i],
				      next < nodes ? frames[next++] : NULL);
			}
	}
}

static int load(int nodes, int count, const char *file)
{
	struct err err = { "" };
	struct config *config = config_load(file, &err);
	static struct peer peers[PEERS_MAX];
	char **frames;
	double start;
	int i;

	if (!config)
		die(err.text);
	if (count > nodes)
		count = nodes;
	if (count < 1 || count > PEERS_MAX)
		die("PEERS must be 1 to 4000");
	frames = seal_all(&config->ledger, nodes);
	start = now();
	for (i = 0; i < count; i++) { /* each speaks as soon as it can */
		peers[i].fd = open_peer(&config->ledger);
		begin(&peers[i], frames[i]);
		step(&peers[i], POLLOUT);
	}
	run_load(frames, nodes, peers, count);
	printf("%d %.3f\n", nodes, now() - start);
	for (i = 0; i < count; i++)
		close(peers[i].fd);
	for (i = 0; i < nodes; i++)
		free(frames[i]);
	free(frames);
	config_free(config);
	return 0;
}

int main(int argc, char **argv)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
	if (argc == 4 && !strcmp(argv[1], "merge"))
		return merge(atoi(argv[2]), argv[3]);
	if (argc == 5 && !strcmp(argv[1], "load"))
		return load(atoi(argv[2]), atoi(argv[3]), argv[4]);
	die("usage: ledger_bench merge N DIR | load N PEERS CONF");
	return 2;
}
