/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger_bench merge N DIR     - N records of one job: stored, merged, summed; in a
 *                              file in DIR, or in MariaDB if DIR is its socket
 * ledger_bench singles N DIR   - the same of N jobs of one node each
 * ledger_bench load N PEERS CONF - the same through a running ledger
 * ledger_bench jobs FIRST N RATE CLUSTER START END CONF
 *                              - N jobs of one node each, IDs from FIRST on,
 *                                RATE a second (0: as fast as the ledger accepts
 *                                them), that ran from START to END
 *
 * Prints one line. "merge": N, seconds to store, seconds to merge and write,
 * CPU seconds for both, maximum kB of memory. "load" and "jobs": N, seconds
 * from the first byte to the last reply, seconds to make the records and their
 * credentials, which is done before, the time of the first byte, in microseconds since
 * 1970, and CPU seconds meanwhile: of this program, then of each process in
 * JOBIO_BENCH_PIDS. In "jobs" each record has a connection of its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/config_load.h"
#include "ledger/acct.h"
#include "ledger/store.h"
#include "ledger/writer.h"
#include "link/credential.h"
#include "link/payload.h"
#include "record/record.h"
#include "record/summary.h"

#define BATCH 256
#define PEERS_MAX 4000
#define PIDS_MAX 4

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double wall(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "ledger_bench: %s\n", what);
	exit(1);
}

/* Contents of the records: of one job on 'nodes' nodes, or of jobs on one node. */
struct made {
	const char *cluster;
	uint32_t job; /* ID of the first job */
	int nodes;    /* of each job */
	double start, end;
};

/* Counters of the job's processes on one filesystem: sizes, times, timeline. */
static void add_counted(struct record *r, const char *fs, int at)
{
	struct io io;
	unsigned int i, row;

	io_init(&io);
	strcpy(io.source, "bpf");
	io.fs = (char *)fs;
	io.timeline =
		(struct timeline){ .start = (int64_t)r->start & ~63, .width = 64, .count = 57 };
	for (row = 0; row < io.timeline.count; row++) {
		io.timeline.rows[TIMELINE_READ][row] = 67108864 + 4096 * (int)row + at;
		io.timeline.rows[TIMELINE_WRITE][row] = 33554432 + 1048576 * (int)(row % 7);
		io.timeline.rows[TIMELINE_CALLS][row] = 1536 + 64 * (int)(row % 11);
	}
	io.numbers[IO_MMAP_READ_BYTES] = io.numbers[IO_MMAP_WRITE_BYTES] = 0;
	io.numbers[IO_READ_BYTES] = timeline_sum(&io.timeline, TIMELINE_READ);
	io.numbers[IO_WRITE_BYTES] = timeline_sum(&io.timeline, TIMELINE_WRITE);
	io.numbers[IO_READ_CALLS] = timeline_sum(&io.timeline, TIMELINE_CALLS) - 20000;
	io.numbers[IO_WRITE_CALLS] = 20000;
	io.numbers[IO_READ_US] = 81234567;
	io.numbers[IO_WRITE_US] = 41234567;
	io.numbers[IO_PEAK_READ] = 134217728;
	io.numbers[IO_PEAK_WRITE] = 67108864;
	io.numbers[IO_PEAK_WINDOW_S] = 1;
	for (i = 0; i < IO_OPS; i++)
		io.numbers[IO_OP_OPEN + i] = 1000 / (i + 1);
	for (i = 0; i < IO_HISTS; i++) {
		io.has_hist[i] = true;
		for (row = 0; row < 30; row++)
			io.hist[i][row] = row < 8 ? 0 : 90210 / row;
	}
	record_add_app(r, &io);
}

/* A record of 6.5 KB as a node writes it; 'at' counts from 1. */
static char *make_text(const struct made *made, int at)
{
	struct record *r = record_new();
	struct io io;
	int node = made->nodes > 1 ? at : 1;
	char text[64], *out;

	snprintf(r->cluster, sizeof(r->cluster), "%s", made->cluster);
	snprintf(r->node, sizeof(r->node), "node%05d", node);
	snprintf(text, sizeof(text), "node[%05d-%05d]", 1, made->nodes);
	record_set(&r->nodelist, made->nodes > 1 ? text : r->node);
	strcpy(r->user, "alice");
	strcpy(r->boot_id, "a5e1cbbc-2265-43d4-b56a-ab7d5623d02e");
	r->job = made->job + (made->nodes > 1 ? 0 : (uint32_t)(at - 1));
	r->restart = 0;
	r->uid = getuid();
	/* start and end differ between nodes; a job of one node has the times of its row */
	r->start = made->start + (made->nodes > 1 ? node % 5 : 0);
	r->end = made->end + (made->nodes > 1 ? node % 7 : 0);
	r->has_request = r->has_io_cores = true;
	r->request.io_cores = 2;
	r->io_cores_count = 2;
	strcpy(r->request.profile, "stream");
	record_set(&r->io_cores_abstract, "23,47");
	record_set(&r->io_cores_os, "23,47");
	record_add_client(r, "weka", "weka", NULL, NULL);
	record_add_mount(r, "/mnt/weka", "wekafs", "backend0/default");
	changes_add(&r->changes, &(struct change){ .client = "weka",
						   .kind = "mount-option",
						   .target = "/mnt/weka",
						   .old_value = "writecache",
						   .new_value = "forcedirect",
						   .state = CHANGE_RESTORED,
						   .was_done = true });
	add_counted(r, "/mnt/weka", at);
	add_counted(r, "/home", at);
	io_init(&io);
	strcpy(io.source, "stepd");
	io.numbers[IO_READ_BYTES] = 1000000 + at;
	io.numbers[IO_WRITE_BYTES] = 2000000;
	io.numbers[IO_READ_CALLS] = 100;
	io.numbers[IO_WRITE_CALLS] = 100;
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

static int fake_write(void *acct, struct acct_job *jobs, size_t count, struct err *err)
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

static void put_all(struct store *store, FILE *texts, int nodes)
{
	struct record *record;
	struct err err = { "" };
	char *text = NULL;
	size_t room = 0;
	int64_t due;
	int i, rc;

	for (i = 1; i <= nodes; i++) {
		if (getline(&text, &room, texts) < 0 ||
		    (i % BATCH == 1 && store_begin(store, &err) < 0))
			die(err.text);
		text[strlen(text) - 1] = 0;
		record = record_parse(text, strlen(text), &err);
		rc = record ? store_put(store, record, text, strlen(text), 1, 0, &due, &err) : -1;
		if (rc < 0)
			die(err.text);
		if ((i % BATCH == 0 || i == nodes) && store_commit(store, &err) < 0)
			die(err.text);
		record_free(record);
	}
	free(text);
}

static double cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* N jobs of one node, or one job of N nodes. */
static bool are_singles;

static struct made one_job(int nodes)
{
	struct made made = { "bench", 4711, are_singles ? 1 : nodes, 1795261196, 1795264796 };

	return made;
}

/* A line for each record, in a file: the memory of this process must not contain them. */
static FILE *make_all(int nodes)
{
	struct made made = one_job(nodes);
	FILE *texts = tmpfile();
	char *text;
	int i;

	for (i = 0; texts && i < nodes; i++) {
		text = make_text(&made, i + 1);
		fprintf(texts, "%s\n", text);
		free(text);
	}
	if (!texts)
		die("no temporary file");
	rewind(texts);
	return texts;
}

/* A store in a file in 'dir', or in a schema of MariaDB if 'dir' is its socket. */
static struct store *open_store(int nodes, const char *dir, struct err *err)
{
	static struct config_ledger config;
	static char path[4096], schema[32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/bench.%d.sqlite", dir, nodes);
	snprintf(schema, sizeof(schema), "bench_%d_%d", nodes, (int)getpid());
	config.store = path;
	if (stat(dir, &st) == 0 && S_ISSOCK(st.st_mode)) {
		config.store = (char *)CONFIG_MARIADB;
		config.storage_host = (char *)dir;
		config.storage_user = (char *)"root";
		config.storage_loc = schema;
		config.storage_pass_file = config.storage_ca = (char *)"";
	}
	return store_open(&config, err);
}

static int merge(int nodes, const char *dir)
{
	static const struct config_ledger config = { .retention_days = 36500 };
	struct metrics metrics = { 0 };
	struct config_advice advice;
	struct writer writer = { .config = &config, .advice = &advice, .metrics = &metrics };
	struct rusage usage;
	struct err err = { "" };
	int64_t next;
	int i, rc;
	double start, stored, cpu_start;
	FILE *texts = make_all(nodes);

	config_advice_init(&advice);
	writer.store = open_store(nodes, dir, &err);
	if (!writer.store || *err.text)
		die(err.text);
	writer.acct.write = fake_write;
	start = now();
	cpu_start = cpu();
	put_all(writer.store, texts, nodes);
	stored = now();
	for (i = 0; i < (are_singles ? nodes : 1); i += rc) {
		rc = writer_round(&writer, 1, &next, &err);
		if (rc < 1)
			die(*err.text ? err.text : "nothing was due");
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%d %.3f %.3f %.3f %ld\n", nodes, stored - start, now() - stored, cpu() - cpu_start,
	       usage.ru_maxrss);
	fprintf(stderr, "%s\n", written);
	store_close(writer.store);
	fclose(texts);
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

struct load {
	const struct config_ledger *config;
	char **frames;
	int count;	    /* number of frames */
	int next, done;	    /* frames that are started, frames with a reply */
	double rate, start; /* rate: frames a second, 0: no limit */
	int each_its_own;   /* each frame has its own connection */
};

static void encode_all(struct load *load, const struct made *made)
{
	struct credential_ctx *munge = credential_ctx_new(load->config->munge_socket, NULL);
	struct passwd *pw = getpwnam(load->config->user);
	char nonce[PAYLOAD_NONCE_SIZE];
	struct err err = { "" };
	int i;

	load->frames = calloc((size_t)load->count, sizeof(*load->frames));
	if (!munge || !pw || !load->frames)
		die("cannot encode");
	for (i = 0; i < load->count; i++) {
		char *record = make_text(made, i + 1), *credential = NULL;
		size_t size = strlen(record) + 64 + sizeof(nonce) + 16;
		char *request = malloc(size), *frame;

		if (payload_nonce(nonce, &err) < 0)
			die(err.text);
		snprintf(request, size, "jobio/1 %s\n{\"op\":\"put\",\"record\":%s}", nonce,
			 record);
		if (credential_encode(munge, request, strlen(request), pw->pw_uid, &credential,
				      &err) < 0)
			die(err.text);
		size = strlen(credential);
		frame = malloc(size + 5);
		*(uint32_t *)(void *)frame = htonl((uint32_t)size);
		strcpy(frame + 4, credential);
		load->frames[i] = frame;
		free(credential);
		free(request);
		free(record);
	}
	credential_ctx_free(munge);
}

static void begin(struct peer *peer, char *frame)
{
	peer->frame = frame;
	peer->frame_size = frame ? 4 + strlen(frame + 4) : 0;
	peer->sent = peer->got = peer->answer_size = 0;
}

static int open_peer(const struct config_ledger *config)
{
	static struct addrinfo *found; /* looked up once */
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	char port[16];
	int fd;

	snprintf(port, sizeof(port), "%u", config->port);
	if (!found && getaddrinfo(config->host, port, &hints, &found))
		die("[ledger] host: no such host");
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, found->ai_addr, found->ai_addrlen) < 0)
		die(strerror(errno));
	return fd;
}

/* 1: the reply is complete. */
static int step(struct peer *peer, short events)
{
	char buffer[65536];
	ssize_t n;

	if (events & POLLOUT && peer->sent < peer->frame_size) {
		n = send(peer->fd, peer->frame + peer->sent, peer->frame_size - peer->sent,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			die("the ledger hung up");
		peer->sent += n > 0 ? (size_t)n : 0;
	}
	if (!(events & (POLLIN | POLLHUP)))
		return 0;
	if (peer->got < 4)
		n = recv(peer->fd, peer->prefix + peer->got, 4 - peer->got, MSG_DONTWAIT);
	else
		n = recv(peer->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	if (n == 0)
		die("the ledger hung up");
	if (n > 0)
		peer->got += (size_t)n;
	if (peer->got >= 4)
		peer->answer_size = 4 + ((size_t)peer->prefix[1] << 16 |
					 (size_t)peer->prefix[2] << 8 | peer->prefix[3]);
	return peer->answer_size && peer->got >= peer->answer_size;
}

/* The rate allows the next frame. */
static int is_time(const struct load *load)
{
	return load->next < load->count &&
	       (load->rate <= 0 || now() >= load->start + load->next / load->rate);
}

/* Give an idle peer the next frame, if there is one and the rate allows it. */
static void feed(struct load *load, struct peer *peer)
{
	if (peer->frame || !is_time(load))
		return;
	if (peer->fd < 0)
		peer->fd = open_peer(load->config);
	begin(peer, load->frames[load->next++]);
	step(peer, POLLOUT);
}

static void answered(struct load *load, struct peer *peer)
{
	load->done++;
	begin(peer, NULL);
	if (load->each_its_own) {
		close(peer->fd);
		peer->fd = -1;
	}
}

static void run_load(struct load *load, struct peer *peers, int count)
{
	static struct pollfd fds[PEERS_MAX];
	double heard = load->start;
	int i;

	while (load->done < load->count) {
		for (i = 0; i < count; i++) {
			feed(load, &peers[i]);
			fds[i].fd = peers[i].frame ? peers[i].fd : -1;
			fds[i].events = POLLIN;
			if (peers[i].sent < peers[i].frame_size)
				fds[i].events |= POLLOUT;
		}
		if (poll(fds, (nfds_t)count, load->rate > 0 ? 1 : 1000) > 0)
			heard = now();
		else if (load->done < load->next && now() > heard + 60)
			die("the ledger does not answer");
		for (i = 0; i < count; i++)
			if (fds[i].fd >= 0 && fds[i].revents && step(&peers[i], fds[i].revents))
				answered(load, &peers[i]);
	}
}

/* CPU seconds of a process. */
static double cpu_of(long pid)
{
	unsigned long user = 0, system = 0;
	char path[64], line[1024], *at;
	FILE *from;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	from = fopen(path, "r");
	if (!from || !fgets(line, sizeof(line), from) || !(at = strrchr(line, ')')) ||
	    sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) !=
		    2)
		die(path);
	fclose(from);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int find_pids(long *pids)
{
	char *at = getenv("JOBIO_BENCH_PIDS");
	int count = 0;

	while (at && *at && count < PIDS_MAX)
		pids[count++] = strtol(at, &at, 10);
	return count;
}

static int run(struct load *load, const struct made *made, int count)
{
	static struct peer peers[PEERS_MAX];
	double start = now(), sealed, began, cpu_before;
	double cpu_others[PIDS_MAX];
	long pids[PIDS_MAX];
	int i, others;

	if (count > load->count)
		count = load->count;
	if (count < 1 || count > PEERS_MAX)
		die("PEERS must be 1 to 4000");
	encode_all(load, made);
	others = find_pids(pids);
	for (i = 0; i < others; i++)
		cpu_others[i] = cpu_of(pids[i]);
	cpu_before = cpu();
	sealed = load->start = now();
	began = wall();
	for (i = 0; i < count; i++)
		peers[i].fd = -1;
	run_load(load, peers, count);
	printf("%d %.3f %.3f %.0f %.3f", load->count, now() - sealed, sealed - start, began * 1e6,
	       cpu() - cpu_before);
	for (i = 0; i < others; i++)
		printf(" %.2f", cpu_of(pids[i]) - cpu_others[i]);
	putchar('\n');
	for (i = 0; i < count; i++)
		if (peers[i].fd >= 0)
			close(peers[i].fd);
	for (i = 0; i < load->count; i++)
		free(load->frames[i]);
	free(load->frames);
	return 0;
}

static struct config *load_config(const char *file)
{
	struct err err = { "" };
	struct config *config = config_load(file, &err);

	if (!config)
		die(err.text);
	return config;
}

static int load(int nodes, int peers, const char *file)
{
	struct config *config = load_config(file);
	struct load load = { .config = &config->ledger, .count = nodes };
	struct made made = one_job(nodes);

	run(&load, &made, peers);
	config_free(config);
	return 0;
}

/* FIRST N RATE CLUSTER START END CONF */
static int jobs(char **args)
{
	struct config *config = load_config(args[6]);
	struct load load = { .config = &config->ledger,
			     .count = atoi(args[1]),
			     .rate = atof(args[2]),
			     .each_its_own = 1 };
	struct made made = { args[3], (uint32_t)atoi(args[0]), 1, atof(args[4]), atof(args[5]) };

	run(&load, &made, 100);
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
	if (argc == 4 && !strcmp(argv[1], "singles")) {
		are_singles = true;
		return merge(atoi(argv[2]), argv[3]);
	}
	if (argc == 5 && !strcmp(argv[1], "load"))
		return load(atoi(argv[2]), atoi(argv[3]), argv[4]);
	if (argc == 9 && !strcmp(argv[1], "jobs"))
		return jobs(argv + 2);
	die("usage: ledger_bench merge|singles N DIR | load N PEERS CONF | jobs FIRST N RATE CLUSTER START END CONF");
	return 2;
}
