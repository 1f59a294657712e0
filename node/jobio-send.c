/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-send - send the records in the spool to the ledger
 *
 * Sends every record of SPOOL, oldest first, and removes it only after the ledger's
 * sealed {"ok":true}. After a failure the records stay and the next run tries again:
 * if it is killed, no record is lost; at worst the ledger gets one twice. A record
 * that the ledger can never accept is moved to SPOOL/bad, so that it does not block
 * others; there, too, spool_max_records are kept, the oldest.
 *
 * One instance works, by a lock on SPOOL/.lock. Without --once a run that
 * failed is repeated after 5, 15, 45 and 135 s, or up to twice as long; then the
 * timer takes over.
 *
 * With --flush=S, before the node is removed, it repeats until the spool is empty,
 * also if another instance sends, for at most S seconds, even if a call hangs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/config_load.h"
#include "base/err.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "link/ledger_link.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/record.h"

#define BATCH_MAX 1000
#define TRIES_MAX 5
#define CALL_LIMIT_S 120 /* for a whole call */
#define FLUSH_MAX_S 3600
#define FLUSH_AGAIN_NS 200000000L

static bool is_flushing; /* one alarm() for the whole run */

struct entry {
	char name[256];
	struct timespec when;
};

struct sender {
	const struct config *config;
	struct ledger_link *link;
	size_t ledger; /* its index, not reduced modulo the count */
	struct entry *list;
	unsigned int sent, bad, left;
	unsigned int aside; /* records in SPOOL/bad */
};

static void print_line(const char *text)
{
	fprintf(stderr, "jobio: send: %s\n", text);
}

/* ---- the spool ----------------------------------------------------------- */

static int by_age(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? -1 : 1;
	if (x->when.tv_nsec != y->when.tv_nsec)
		return x->when.tv_nsec < y->when.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Return true for a complete record, a regular file of this user; writers use another name until
 * they are done. */
static bool is_record(int dir, const char *name, struct stat *st)
{
	return rundir_is_record(name) && fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

/* Keep the BATCH_MAX oldest of the list. Return their number. */
static int keep_oldest(struct entry *list, int count)
{
	qsort(list, (size_t)count, sizeof(*list), by_age);
	return count < BATCH_MAX ? count : BATCH_MAX;
}

/* List the records, oldest first. Return their number, or -1. */
static int list_spool(struct sender *s, struct err *err)
{
	const char *path = s->config->spool_dir;
	struct dirent *de;
	struct stat st;
	int count = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return err_set(err, "spool '%s': %s", path, strerror(errno));

	while ((de = readdir(dir))) {
		if (!is_record(dirfd(dir), de->d_name, &st))
			continue;
		snprintf(s->list[count].name, sizeof(s->list[count].name), "%s", de->d_name);
		s->list[count].when = st.st_mtim;
		if (++count == 2 * BATCH_MAX)
			count = keep_oldest(s->list, count);
	}
	closedir(dir);
	return keep_oldest(s->list, count);
}

/* Return the lock's file descriptor, or -1; errno EWOULDBLOCK: another process has it. */
static int open_lock(const char *spool, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_sender_lock(path, spool, err) < 0) {
		errno = EIO;
		return -1;
	}
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		err_set(err, "spool '%s': %s", path, strerror(errno));
		errno = EIO;
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		errno = EWOULDBLOCK;
		return -1;
	}
	return fd;
}

/* ---- one record ---------------------------------------------------------- */

static unsigned int count_files(const char *path)
{
	unsigned int count = 0;
	struct dirent *de;
	DIR *dir = opendir(path);

	while (dir && (de = readdir(dir)))
		count += de->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

/* Move a record to SPOOL/bad, or remove it if that is full; if this fails it counts as left. */
static void set_aside(struct sender *s, const char *name, const char *why)
{
	const char *spool = s->config->spool_dir;
	char from[RUNDIR_PATH_MAX], to[RUNDIR_PATH_MAX], text[ERR_MAX + 500];
	bool is_kept = s->aside < s->config->spool_max_records;
	struct err err;

	if (rundir_bad_file(to, spool, NULL, &err) < 0 || fileio_mkdir(to, 0700, &err) < 0 ||
	    rundir_spool_file(from, spool, name, &err) < 0 ||
	    rundir_bad_file(to, spool, name, &err) < 0) {
		print_line(err.text);
		s->left++;
		return;
	}
	if ((is_kept ? rename(from, to) : unlink(from)) < 0) {
		snprintf(text, sizeof(text), "record: '%s': cannot set aside: %s", name,
			 strerror(errno));
		s->left++;
	} else {
		snprintf(text, sizeof(text),
			 is_kept ? "record: '%s': moved to bad: %s"
				 : "record: '%s': removed, for bad is full (spool_max_records): %s",
			 name, why);
		s->bad++;
		s->aside += is_kept;
	}
	print_line(text);
}

/* Return true if it is the file that was sent. The inode number alone may have been reused. */
static bool is_same(const struct stat *now, const struct stat *sent)
{
	return now->st_ino == sent->st_ino && now->st_dev == sent->st_dev &&
	       now->st_size == sent->st_size && now->st_mtim.tv_sec == sent->st_mtim.tv_sec &&
	       now->st_mtim.tv_nsec == sent->st_mtim.tv_nsec;
}

/* Remove a record, unless a new one got its name meanwhile. */
static void forget(struct sender *s, const char *path, const struct stat *sent)
{
	char text[RUNDIR_PATH_MAX + 100];
	struct stat now;

	s->sent++;
	if (lstat(path, &now) < 0 || !is_same(&now, sent) || unlink(path) == 0)
		return;
	snprintf(text, sizeof(text), "record: '%s': sent, but not removed: %s", path,
		 strerror(errno));
	print_line(text);
	s->left++;
}

/* Evaluate the reply. Return 1 if the record is stored, 0 if refused for ever, -1 if not now. */
static int judge(const char *answer, struct err *err)
{
	struct json *top = json_parse(answer);
	const char *why = json_text(top, "error");
	int rc = json_is_true(top, "ok") ? 1 : json_is_true(top, "bad_record") ? 0 : -1;

	if (rc < 1)
		err_set(err, "ledger: %s", why ? why : "the answer has no meaning");
	json_free(top);
	return rc;
}

static void hang_up(struct sender *s)
{
	ledger_link_close(s->link);
	s->link = NULL;
}

/* Return judge()'s result; -1 also without a reply. */
static int query_one(struct sender *s, const char *request, struct err *err)
{
	char *answer = NULL;
	int rc = -1;

	if (!is_flushing)
		alarm(CALL_LIMIT_S);
	if (!s->link)
		s->link = ledger_link_open_from(&s->config->ledger, &s->ledger, err);
	if (s->link && ledger_link_call(s->link, request, &answer, err) == 0)
		rc = judge(answer, err);
	if (!is_flushing)
		alarm(0);
	free(answer);
	return rc;
}

/* The same; if one ledger does not accept it now, try the next. */
static int ask(struct sender *s, const char *request, struct err *err)
{
	size_t others = ledger_link_count(&s->config->ledger);
	int rc = query_one(s, request, err);

	while (rc < 0 && s->link && others && --others) {
		print_line(err->text);
		hang_up(s);
		s->ledger++;
		rc = query_one(s, request, err);
	}
	return rc;
}

static int send_record(struct sender *s, const char *record, struct err *err)
{
	char *request = xasprintf("{\"op\":\"put\",\"record\":%s}", record);
	int rc = ask(s, request, err);

	free(request);
	return rc;
}

/* Return 0 if done with this one, -1 to stop: the ledger does not accept records now. */
static int send_one(struct sender *s, const char *name, struct err *err)
{
	char path[RUNDIR_PATH_MAX], *text = NULL;
	struct record *record = NULL;
	struct err why;
	struct stat st;
	size_t size;
	int rc = 0;

	if (rundir_spool_file(path, s->config->spool_dir, name, err) < 0)
		return -1;
	if (lstat(path, &st) < 0)
		return 0;
	if (st.st_size > RECORD_TEXT_MAX) {
		set_aside(s, name, "it is too large");
		return 0;
	}
	text = fileio_read(path, RECORD_TEXT_MAX, &size, &why);
	if (!text) {
		print_line(why.text); /* a bad disk block: send the others */
		s->left++;
		return 0;
	}
	record = record_parse(text, size, &why);
	if (!record) {
		set_aside(s, name, why.text);
		goto out;
	}
	rc = send_record(s, text, err);
	if (rc > 0)
		forget(s, path, &st);
	else if (rc == 0)
		set_aside(s, name, err->text);
	rc = rc < 0 ? -1 : 0;
out:
	record_free(record);
	free(text);
	return rc;
}

/* ---- one run ------------------------------------------------------------- */

/* Send all records. Return -1 if one had to stay. */
static int empty_spool(struct sender *s, struct err *err)
{
	int i, count, rc = 0;
	char bad[RUNDIR_PATH_MAX];

	if (rundir_bad_file(bad, s->config->spool_dir, NULL, err) < 0)
		return -1;
	s->aside = count_files(bad);
	do {
		count = rc == 0 ? list_spool(s, err) : -1;
		if (count < 0)
			rc = -1;
		for (i = 0; i < count && rc == 0; i++)
			rc = send_one(s, s->list[i].name, err);
		if (rc == 0 && s->left)
			rc = err_set(err, "%u records could not be handled", s->left);
	} while (rc == 0 && count == BATCH_MAX);
	hang_up(s);
	return rc;
}

/* Send all records, then list them again after the lock is released: the jobio-send of a record
 * that came just before found the lock taken and exited. */
static int run_once(const struct config *config, struct err *err)
{
	struct sender s = { .config = config };
	int lock, count, rc;

	if (access(config->spool_dir, F_OK) < 0 && errno == ENOENT)
		return 0; /* no job has ended here yet */
	s.list = xcalloc(2 * BATCH_MAX, sizeof(*s.list));
	do {
		lock = open_lock(config->spool_dir, err);
		if (lock < 0) {
			rc = errno == EWOULDBLOCK ? 0 : -1;
			break;
		}
		rc = empty_spool(&s, err);
		close(lock);
		count = rc == 0 ? list_spool(&s, err) : 0;
	} while (count > 0);
	if (s.sent || s.bad)
		fprintf(stderr, "jobio: send: %u records sent, %u bad\n", s.sent, s.bad);
	free(s.list);
	return rc;
}

/* ---- before the node is removed ------------------------------------------ */

static void on_end_of_flush(int signal)
{
	static const char text[] = "jobio: send: time is up, and records wait still\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

/* Repeat until the spool is empty. Each error is printed once. */
static int flush(const struct config *config, unsigned int limit_s)
{
	struct sigaction end = { .sa_handler = on_end_of_flush };
	struct err err = { "" }, printed = { "" };

	is_flushing = true;
	sigaction(SIGALRM, &end, NULL);
	alarm(limit_s);
	while (run_once(config, &err) < 0 || rundir_count_records(config->spool_dir, 0, 1)) {
		if (strcmp(err.text, printed.text) != 0)
			print_line(err.text);
		printed = err;
		nanosleep(&(struct timespec){ .tv_nsec = FLUSH_AGAIN_NS }, NULL);
	}
	return 0;
}

/* Sleep for [seconds] to twice that, at random: jobs end on many nodes at once. */
static void sleep_from(unsigned int seconds)
{
	unsigned int ms = seconds * 1000, share;

	if (getrandom(&share, sizeof(share), GRND_NONBLOCK) != sizeof(share))
		share = (unsigned int)getpid() * 7919;
	ms += share % ms;
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L }, NULL);
}

static int run(const struct config *config, int once)
{
	unsigned int tries = 1, wait_s = 5;
	struct err err = { "" };

	while (run_once(config, &err) < 0) {
		print_line(err.text);
		if (once || tries++ == TRIES_MAX)
			return 1;
		sleep_from(wait_s);
		wait_s *= 3;
	}
	return 0;
}

struct arguments {
	const char *file;
	unsigned long flush_s; /* 0: no */
	bool once;
};

static int check(void *what, struct err *err)
{
	const struct arguments *arguments = what;

	return arguments->once && arguments->flush_s
		       ? err_set(err, "--once and --flush exclude each other")
		       : 0;
}

static const struct command_line line = {
	.program = "jobio-send",
	.usage = "usage: jobio-send [--once | --flush=SECONDS] [--conf=FILE]\n"
		 "Sends the records in the spool to the ledger.\n"
		 "  --once       do not try again after a failure\n"
		 "  --flush=S    try again until the spool is empty, for S seconds\n"
		 "  --conf=FILE  instead of " JOBIO_CONF "\n",
	.usage_status = COMMAND_USAGE,
	.check = check,
	.table = (const struct command_option[]){ COMMAND_FLAG("once", struct arguments, once),
						  COMMAND_NUMBER("flush", struct arguments, flush_s,
								 1, FLUSH_MAX_S),
						  COMMAND_TEXT("conf", struct arguments, file),
						  { 0 } },
};

int main(int argc, char **argv)
{
	struct arguments arguments = { .file = NULL };
	struct config *config;
	struct err err = { "" };
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	config = config_load(arguments.file, &err);
	if (!config) {
		print_line(err.text);
		return 1;
	}
	rc = arguments.flush_s ? flush(config, (unsigned int)arguments.flush_s)
			       : run(config, arguments.once);
	config_free(config);
	return rc;
}
