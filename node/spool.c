/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/spool.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/rundir.h"
#include "node/job_dir.h"

/* Return true if the record is of user [uid]. A search for the key is enough: record_json.c wrote
 * the file, and quotes in texts are escaped. */
static bool is_of(const char *spool, const char *name, uint32_t uid)
{
	static const char key[] = ",\"uid\":";
	char path[RUNDIR_PATH_MAX + 256], *text;
	const char *at;
	bool yes;

	snprintf(path, sizeof(path), "%s/%s", spool, name);
	text = fileio_read(path, RECORD_TEXT_MAX, NULL, NULL);
	at = text ? strstr(text, key) : NULL;
	yes = at && strtoul(at + sizeof(key) - 1, NULL, 10) == uid;
	free(text);
	return yes;
}

static bool has_records(const char *spool, uint32_t uid, unsigned int limit)
{
	unsigned int count = 0;
	struct dirent *entry;
	DIR *dir = opendir(spool);

	while (dir && count < limit && (entry = readdir(dir)))
		count += rundir_is_record(entry->d_name) && is_of(spool, entry->d_name, uid);
	if (dir)
		closedir(dir);
	return count >= limit;
}

int spool_set_lost(const char *path, const char *why, struct err *err)
{
	err_set(err,
		"record: '%s': %s: this record is lost, older ones are kept: look why jobio-send does not reach the ledger",
		path, why);
	return 1;
}

int spool_check_room(const struct record *record, const char *path, struct err *err)
{
	const char *spool = dirs.spool;
	unsigned int most = dirs.spool_max_records, half = (most + 1) / 2;
	unsigned int count = rundir_count_records(spool, 0, most);
	struct stat st;

	if (count < half || lstat(path, &st) == 0)
		return 0;
	if (count >= most)
		return spool_set_lost(path, "the spool has spool_max_records", err);
	if (has_records(spool, record->uid, half))
		return spool_set_lost(path, "this user's jobs have half of spool_max_records", err);
	return 0;
}
