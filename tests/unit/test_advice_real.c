/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of jobs that ran on real NFS (tests/vm/advice-node): a name begins with
 * the advice that comes first, "A01-small-reads", or with "none". What else may
 * be said of one stands in 'also'. JOBIO_ADVICE_JOBS: another folder of such
 * records, whose advice is printed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "lib/config.h"
#include "lib/fileio.h"
#include "lib/record.h"
#include "tests/unit/runner.h"

#define JOBS SRCDIR "/tests/samples/advice"

static const struct {
	const char *job, *codes;
} also[] = {
	{ "A08-write-and-sync", "A02" },
	{ "A12-tiny-files", "A14" },
	{ "A12-unpack", "A14" },
};

static const char *folder(void)
{
	const char *other = getenv("JOBIO_ADVICE_JOBS");

	return other ? other : JOBS;
}

static struct record *read_record(const char *name)
{
	char path[512];
	struct record *record;
	struct err err;
	char *text;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", folder(), name);
	text = fileio_read(path, RECORD_TEXT_MAX, &size, &err);
	ck_assert_msg(text, "%s", err.text);
	record = record_parse(text, size, &err);
	ck_assert_msg(record, "%s: %s", name, err.text);
	free(text);
	return record;
}

static bool is_allowed(const char *name, const char *code)
{
	size_t i;

	for (i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (!strncmp(name, also[i].job, strlen(also[i].job)) &&
		    strstr(also[i].codes, code))
			return true;
	return !strncmp(name, code, 3);
}

/* "": as it should be */
static void judge(const char *name, const struct config_advice *limits,
		  char *wrong, size_t room)
{
	struct record *record = read_record(name);
	struct advice_list *list = advice_new(&record, 1, true, limits);
	const char *first = list->count ? list->list[0].code : "none";
	size_t i;

	*wrong = '\0';
	if (strncmp(name, first, strlen(first)) != 0)
		snprintf(wrong, room, "%s: %s comes first: %s", name, first,
			 list->count ? list->list[0].what : "");
	for (i = 0; i < list->count; i++) {
		if (getenv("JOBIO_ADVICE_JOBS"))
			printf("%s: %s %u: %s\n", name, list->list[i].code,
			       list->list[i].value, list->list[i].what);
		if (!*wrong && !is_allowed(name, list->list[i].code))
			snprintf(wrong, room, "%s: also %s: %s", name,
				 list->list[i].code, list->list[i].what);
	}
	advice_free(list);
	record_free(record);
}

START_TEST(jobs_that_ran_get_the_advice_that_they_need_first_and_no_wrong_one)
{
	char wrong[1024], all[16384] = "";
	struct config_advice limits;
	struct dirent *entry;
	size_t jobs = 0;
	DIR *dir = opendir(folder());

	ck_assert_msg(dir, "%s", folder());
	config_advice_init(&limits);
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".json"))
			continue;
		jobs++;
		judge(entry->d_name, &limits, wrong, sizeof(wrong));
		if (*wrong)
			snprintf(all + strlen(all), sizeof(all) - strlen(all),
				 "\n%s", wrong);
	}
	closedir(dir);
	ck_assert_msg(!*all, "%s", all);
	ck_assert_uint_ge(jobs, getenv("JOBIO_ADVICE_JOBS") ? 1 : 14);
}
END_TEST

UNIT_MAIN("advice_real",
	  jobs_that_ran_get_the_advice_that_they_need_first_and_no_wrong_one)
