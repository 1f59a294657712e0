/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/mmpmon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/lock.h"
#include "base/number.h"
#include "base/rundir.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "client/mounts.h"
#include "client/socket.h"
#include "record/alloc.h"

#define ANSWER_MAX (1U << 20)
#define LINE_TEXT_MAX 2048
#define WORD_MAX 256
#define END "_response_ end"
#define CALLS_WRAP (INT64_C(1) << 32)
#define EXIT_BUSY 3
#define MARGIN_MS 300 /* for the message that it is busy, on a busy node */

/* ---- the socket -------------------------------------------------------- */

/* As in its only known client (influxdata/telegraf, spectrum_scale, accdfbb08378): send a line,
 * read "_response_ begin mmpmon gfis", lines, "_response_ end". gfis has the counters of fis, and
 * those of the stat cache. */
static int is_whole(const char *text, size_t size_bytes)
{
	const char *end = memmem(text, size_bytes, END, strlen(END));

	return end != NULL;
}

/* Return false if there is no socket; else the result is in *ask. */
static bool query_socket(const struct client *client, struct query *query, long *pid,
			 unsigned long long end_ms)
{
	struct socket_question question = { .path = client->section->mmpmon_socket,
					    .text = "mmpmon gfis\n",
					    .size_bytes = strlen("mmpmon gfis\n"),
					    .answer_max = ANSWER_MAX - 1,
					    .is_whole = is_whole,
					    .end_ms = end_ms };
	char *text = xcalloc(1, ANSWER_MAX), word[WORD_MAX];
	size_t size_bytes = 0;
	struct err err;
	int rc, saved;

	rc = socket_query(&question, text, &size_bytes, pid, &err);
	saved = errno;
	if (rc == 0 && is_whole(text, size_bytes) && !memchr(text, 0, size_bytes) &&
	    gpfs_mmpmon_word(text, "_rc_", word, sizeof(word))) {
		query_set(query, QUERY_ANSWERED, NULL);
		query->text = text;
		return true;
	}
	free(text);
	if (rc < 0 && saved == ETIMEDOUT)
		query_set(query, QUERY_HUNG, err.text);
	return query->answer == QUERY_HUNG;
}

/* ---- the program --------------------------------------------------------- */

struct program {
	const char *path;
	const char *lock; /* "": none */
	unsigned long long end_ms;
};

static unsigned int left_ms(const struct program *program)
{
	unsigned long long now_ms = child_now_ms() + MARGIN_MS;

	return now_ms < program->end_ms ? (unsigned int)(program->end_ms - now_ms) : 0;
}

/* The file stays open and locked in the program and its children, until the last of them has
 * ended. */
static int lock(const struct program *program)
{
	int fd;

	if (!*program->lock)
		return 0;
	fd = open(program->lock, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	if (fd < 0) {
		dprintf(2, "cannot open '%s': %s\n", program->lock, strerror(errno));
		return 126;
	}
	if (lock_wait(fd, left_ms(program)) == 0)
		return 0;
	dprintf(2, "another mmpmon of jobio does not end\n");
	return EXIT_BUSY;
}

/* Run in the child. The query fits into a pipe. */
static int become(void *arg)
{
	static char *const env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };
	static const char question[] = "once fs_io_s\n";
	const struct program *program = arg;
	char *argv[] = { (char *)program->path, "-p", "-s", NULL };
	int rc = lock(program), ends[2];

	if (rc)
		return rc;
	if (pipe(ends) < 0 ||
	    write(ends[1], question, strlen(question)) != (ssize_t)strlen(question) ||
	    dup2(ends[0], 0) < 0)
		return 126;
	close(ends[0]);
	close(ends[1]);
	execve(argv[0], argv, env);
	dprintf(2, "cannot execute %s: %s\n", argv[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

static void query_program(const struct client *client, struct query *query,
			  unsigned long long end_ms)
{
	struct program program = { client->section->mmpmon, "", end_ms };
	unsigned long long now_ms = child_now_ms();
	struct child_result result = { 0 };
	char path[RUNDIR_PATH_MAX];
	struct err err;

	if (client->run_dir && rundir_node_file(path, client->run_dir, RUNDIR_MMPMON, NULL) == 0)
		program.lock = path;
	if (now_ms >= end_ms) {
		query_set(query, QUERY_NO_TIME, "no time left");
		return;
	}
	if (child_call(program.path, become, &program, (unsigned int)(end_ms - now_ms), &result,
		       &err) < 0) {
		query_set(query, errno == ETIMEDOUT ? QUERY_HUNG : QUERY_FAILED, err.text);
		return;
	}
	query_set_child(query, &result);
	if (query->answer == QUERY_FAILED && result.status == EXIT_BUSY)
		query->answer = QUERY_HUNG;
	child_result_free(&result);
}

void gpfs_mmpmon_query(const struct client *client, struct query *query, long *pid)
{
	unsigned int timeout_ms = client->section->timeout_ms;
	unsigned long long end_ms;

	if (timeout_ms > GPFS_MMPMON_MS_MAX)
		timeout_ms = GPFS_MMPMON_MS_MAX;
	end_ms = child_now_ms() + timeout_ms;
	query_clear(query);
	*pid = 0;
	if (query_socket(client, query, pid, end_ms) && *pid)
		return;
	*pid = process_named(client->section->process_dir, GPFS_MMFSD);
	if (query->answer != QUERY_NOT_MADE)
		return;
	if (*pid > 0)
		query_program(client, query, end_ms);
	else
		query_set(query, QUERY_FAILED, "there is no process mmfsd");
}

/* ---- the reply ---------------------------------------------------------- */

/* Get the word after a name in "_name_ word _name_ word ..". */
static bool word_in(const char *line, const char *key, char *word, size_t size)
{
	const char *at = line;
	size_t length;

	while (*at) {
		at += strspn(at, " ");
		length = strcspn(at, " ");
		if (length == strlen(key) && !strncmp(at, key, length)) {
			at += length;
			at += strspn(at, " ");
			length = strcspn(at, " ");
			if (!length || length >= size)
				return false;
			snprintf(word, size, "%.*s", (int)length, at);
			return true;
		}
		at += length;
	}
	return false;
}

static bool is_ours(const char *line)
{
	return !strncmp(line, "_fs_io_s_ ", 10) || !strncmp(line, "_mmpmon::fis_ ", 14) ||
	       !strncmp(line, "_mmpmon::gfis_ ", 15);
}

bool gpfs_mmpmon_word(const char *text, const char *key, char *word, size_t size)
{
	char line[LINE_TEXT_MAX];

	while (text_next_line(&text, line, sizeof(line)))
		if (is_ours(line) && word_in(line, key, word, size))
			return true;
	return false;
}

static int64_t count_in(const char *line, const char *key)
{
	unsigned long number;
	char word[24];

	if (!word_in(line, key, word, sizeof(word)) ||
	    number_parse(word, 0, INT64_MAX, &number, NULL) < 0)
		return IO_UNKNOWN;
	return (int64_t)number;
}

int64_t gpfs_mmpmon_misses(const char *text, int64_t *lookups)
{
	int64_t hit, missed, most = 0;
	char line[LINE_TEXT_MAX];

	while (text_next_line(&text, line, sizeof(line))) {
		hit = count_in(line, "_sch_");
		missed = count_in(line, "_scm_");
		if (!is_ours(line) || hit < 0 || missed <= most || hit > INT64_MAX - missed)
			continue;
		most = missed;
		*lookups = hit + missed;
	}
	return most;
}

static int read_line(struct client_counters *counters, const char *line, const char *mmfsd,
		     struct err *err)
{
	char cluster[WORD_MAX], fs[WORD_MAX], id[CLIENT_SOURCE_ID_MAX];
	struct source_counters *source;
	size_t known = counters->count;

	if (!word_in(line, "_cl_", cluster, sizeof(cluster)) ||
	    !word_in(line, "_fs_", fs, sizeof(fs)) ||
	    snprintf(id, sizeof(id), "%s:%s %s", cluster, fs, mmfsd) >= (int)sizeof(id))
		return err_set(err, "counters of no filesystem");
	source = client_counters_source(counters, id);
	if (!source)
		return err_set(err, "more than %d filesystems", CLIENT_SOURCES_MAX);
	if (counters->count == known)
		return err_set(err, "'%s:%s' comes twice", cluster, fs);
	source->numbers[IO_READ_BYTES] = count_in(line, "_br_");
	source->numbers[IO_WRITE_BYTES] = count_in(line, "_bw_");
	source->numbers[IO_READ_CALLS] = count_in(line, "_rdc_");
	source->numbers[IO_WRITE_CALLS] = count_in(line, "_wc_");
	return 0;
}

/* Return true for a line of another node; mmpmon can be configured to query several. */
static bool is_another(const char *line, const char *node)
{
	char word[WORD_MAX];

	return word_in(line, "_n_", word, sizeof(word)) && strcmp(word, node) != 0;
}

int gpfs_mmpmon_sources(struct client_counters *counters, const char *text, const char *mmfsd,
			struct err *err)
{
	char line[LINE_TEXT_MAX], fs[WORD_MAX], node[WORD_MAX];
	bool none = false;
	int64_t rc;

	/* a line that is skipped would be missing in the sum */
	if (!text_is_lines(text, sizeof(line)))
		return err_set(err, "mmpmon: the answer is cut off");
	if (!gpfs_mmpmon_word(text, "_n_", node, sizeof(node)))
		*node = '\0';
	while (text_next_line(&text, line, sizeof(line))) {
		if (!is_ours(line))
			continue;
		if (is_another(line, node))
			return err_set(err, "mmpmon: counters of %.64s, and of another node", node);
		rc = count_in(line, "_rc_");
		if (rc == 1 && (!word_in(line, "_fs_", fs, sizeof(fs)) || !strcmp(fs, "-")))
			none = true;
		else if (rc != 0)
			return err_set(err, "mmpmon answers with _rc_ %lld%s", (long long)rc,
				       rc == 16 ? ": another process holds its lock" : "");
		else if (read_line(counters, line, mmfsd, err) < 0)
			return err_prefix(err, "mmpmon");
	}
	if (counters->count)
		return 1;
	return none ? 0 : err_set(err, "mmpmon: no counters in its answer");
}

/* ---- mounts of sources -------------------------------------------------- */

/* A source is the filesystem's device, "scratch" or "/dev/scratch", or "CLUSTER:scratch". */
static bool is_word_of(const char *source, const char *name)
{
	size_t length = strcspn(name, " ");

	if (!strncmp(source, "/dev/", 5))
		source += 5;
	return strlen(source) == length && !strncmp(source, name, length);
}

/* Return true if the source of a mount has this source's cluster and name. */
static bool is_named(const struct mounts *all, const char *id)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (is_word_of(all->mount[i].source, id))
			return true;
	return false;
}

/* Return the number of sources that a mount may belong to, and the last of them. */
static int sources_of(const struct client_counters *counters, const struct mounts *all,
		      const char *device, struct source_counters **source)
{
	const char *id;
	int count = 0;
	size_t i;

	for (i = 0; i < counters->count; i++) {
		id = counters->sources[i].id;
		if (is_word_of(device, id)) {
			*source = (struct source_counters *)&counters->sources[i];
			return 1;
		}
		if (is_word_of(device, strchr(id, ':') + 1) && !is_named(all, id)) {
			*source = (struct source_counters *)&counters->sources[i];
			count++;
		}
	}
	return count;
}

/* Set the filesystem of each source to the first of its mounts. Return -1 if a mount in jobio.conf
 * has no source, or several. */
static int name_sources(const struct config_client *section, struct client_counters *counters,
			const struct mounts *all, struct err *err)
{
	const struct client_mount *mount = all->mount;
	struct source_counters *source = NULL;
	int sources;

	for (; mount < all->mount + all->count; mount++) {
		if (!mounts_word_in(section->mounts, mount->target))
			continue;
		sources = sources_of(counters, all, mount->source, &source);
		if (sources != 1 && *section->mounts)
			return err_set(err, "mmpmon has %s filesystem '%s' of '%s'",
				       sources ? "more than one" : "no", mount->source,
				       mount->target);
		if (sources == 1 && !*source->fs)
			TEXT_SET(source->fs, mount->target);
	}
	return 0;
}

/* Return true if more mounted filesystems have no source than sources have no mount. */
static bool is_cut(const struct client_counters *counters, const struct mounts *all)
{
	struct source_counters *source;
	size_t i, mounts = 0, sources = 0;

	for (i = 0; i < all->count; i++)
		mounts += !sources_of(counters, all, all->mount[i].source, &source) &&
			  (!i || strcmp(all->mount[i].source, all->mount[i - 1].source) != 0);
	for (i = 0; i < counters->count; i++)
		sources += !*counters->sources[i].fs;
	return mounts > sources;
}

/* For the start of a job. No line marks the end of mmpmon's reply: the filesystems of lines that
 * were truncated would count in full at the job's end. Each gets a source without numbers. */
static void mark_cut(struct client_counters *counters, const struct mounts *all)
{
	char id[CLIENT_SOURCE_ID_MAX];
	struct source_counters *source;
	size_t i;

	if (!is_cut(counters, all))
		return;
	for (i = 0; i < all->count; i++) {
		if (sources_of(counters, all, all->mount[i].source, &source))
			continue;
		snprintf(id, sizeof(id), ":%.300s cut", all->mount[i].source);
		source = client_counters_source(counters, id);
		if (source)
			TEXT_SET(source->fs, all->mount[i].target);
	}
}

/* Keep the sources in use: with mounts=, those with a mount. Others without a mount keep mmpmon's
 * name. */
static void drop_unused(const struct config_client *section, struct client_counters *counters)
{
	size_t i, count = 0;

	for (i = 0; i < counters->count; i++) {
		struct source_counters *source = &counters->sources[i];

		if (!*source->fs && *section->mounts)
			continue;
		if (!*source->fs)
			TEXT_SET_PART(source->fs, source->id, strcspn(source->id, " "));
		counters->sources[count++] = *source;
	}
	counters->count = count;
}

static int set_mounts(const struct client *client, struct client_counters *counters,
		      struct err *err)
{
	const struct config_client *section = client->section;
	struct mounts *all = mounts_read(section->mount_table, client->type->fstypes, err);
	int rc = all ? name_sources(section, counters, all, err) : -1;

	if (rc == 0 && client->common.mount_count && !*section->mounts)
		mark_cut(counters, all);
	if (rc == 0)
		drop_unused(section, counters);
	mounts_free(all);
	return rc;
}

/* ---- now ----------------------------------------------------------------- */

static int read_answer(const struct client *client, const struct query *query, long pid,
		       struct client_counters *counters, struct err *err)
{
	unsigned long long ticks = 0;
	char mmfsd[48];
	int rc;

	if (query->answer != QUERY_ANSWERED)
		return err_set(err, "mmpmon: %.300s", query->why);
	if (process_start(pid, NULL, &ticks) < 0)
		return err_set(err, "mmpmon: there is no mmfsd");
	snprintf(mmfsd, sizeof(mmfsd), "%ld.%llu", pid, ticks);
	rc = gpfs_mmpmon_sources(counters, query->text, mmfsd, err);
	if (rc > 0 && set_mounts(client, counters, err) < 0)
		rc = -1;
	return rc > 0 && !counters->count ? 0 : rc;
}

struct client_counters *gpfs_counters(const struct client *client, struct err *err)
{
	struct client_counters *counters = client_counters_new();
	struct query query = { 0 };
	long pid = 0;
	int rc = -1;

	if (counters) {
		counters->calls_wrap = CALLS_WRAP;
		counters->clears_all = true; /* "reset" is for the whole node */
		gpfs_mmpmon_query(client, &query, &pid);
		rc = read_answer(client, &query, pid, counters, err);
	}
	query_clear(&query);
	if (rc > 0)
		return counters;
	client_counters_free(counters);
	errno = rc == 0 ? ENOENT : EIO;
	return NULL;
}
