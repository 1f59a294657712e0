/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "lib/rundir.h"

struct share {
	uint32_t uid;
	unsigned int count;
	struct timespec when; /* of the newest */
	char newest[256];
};

struct shares {
	struct share *list;
	size_t count;
};

/* Whose record it is, -1: nobody can tell. We wrote it (record_build.c): the
 * first such key outside of a text is it, and quotes within texts are escaped. */
static int64_t owner_of(const char *path)
{
	static const char key[] = ",\"uid\":";
	char *text = fileio_read(path, RECORD_TEXT_MAX, NULL, NULL);
	const char *at = text ? strstr(text, key) : NULL;
	int64_t uid =
		at ? (int64_t)strtoul(at + sizeof(key) - 1, NULL, 10) : -1;

	free(text);
	return uid;
}

static struct share *share_of(struct shares *shares, uint32_t uid)
{
	struct share *bigger;
	size_t i;

	for (i = 0; i < shares->count; i++)
		if (shares->list[i].uid == uid)
			return &shares->list[i];
	bigger = realloc(shares->list, (i + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	shares->list = bigger;
	shares->count++;
	memset(&bigger[i], 0, sizeof(*bigger));
	bigger[i].uid = uid;
	return &bigger[i];
}

static bool is_newer(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec
				      : a->tv_nsec > b->tv_nsec;
}

static void add_record(struct shares *shares, const char *spool,
		       const char *name)
{
	char path[RUNDIR_PATH_MAX + 256];
	struct share *share;
	struct stat st;
	int64_t uid;

	snprintf(path, sizeof(path), "%s/%s", spool, name);
	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	uid = owner_of(path);
	share = uid < 0 ? NULL : share_of(shares, (uint32_t)uid);
	if (!share)
		return;
	if (!share->count++ || is_newer(&st.st_mtim, &share->when)) {
		share->when = st.st_mtim;
		strcpy(share->newest, name);
	}
}

static void read_shares(struct shares *shares, const char *spool)
{
	struct dirent *entry;
	DIR *dir = opendir(spool);

	while (dir && (entry = readdir(dir)))
		if (rundir_is_record(entry->d_name))
			add_record(shares, spool, entry->d_name);
	if (dir)
		closedir(dir);
}

/* The one with most, when he has more than this user would have. */
static const struct share *find_most(struct shares *shares, uint32_t uid)
{
	const struct share *most = NULL, *own = share_of(shares, uid);
	size_t i;

	for (i = 0; own && i < shares->count; i++)
		if (!most || shares->list[i].count > most->count)
			most = &shares->list[i];
	return most && most != own && most->count > own->count + 1 ? most
								   : NULL;
}

int spool_say_lost(const char *path, const char *why, struct err *err)
{
	err_set(err,
		"record: '%s': %s: this record is lost, older ones are kept: "
		"look why jobio-send does not reach the ledger",
		path, why);
	return 1;
}

int spool_make_room(const struct config *config, const struct record *record,
		    const char *path, struct err *err)
{
	const char *spool = config->spool_dir;
	struct shares shares = { NULL, 0 };
	char victim[RUNDIR_PATH_MAX + 256];
	const struct share *most;
	struct stat st;
	int rc = -1;

	if (lstat(path, &st) == 0 ||
	    rundir_count_records(spool, 0, config->spool_max_records) <
		    config->spool_max_records)
		return 0;
	read_shares(&shares, spool);
	most = find_most(&shares, record->uid);
	if (most) {
		snprintf(victim, sizeof(victim), "%s/%s", spool, most->newest);
		if (unlink(victim) == 0)
			rc = spool_say_lost(victim,
					    "the spool has spool_max_records, "
					    "most of them this user's",
					    err);
	}
	if (rc < 0)
		spool_say_lost(path, "the spool has spool_max_records", err);
	free(shares.list);
	return rc;
}
