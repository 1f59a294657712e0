/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of jobs that ran on real NFS and Lustre (tests/vm/advice-node), and on a
 * stand-in for WEKA (advice-weka), by name:
 * "A01-small-reads" needs this advice first, "A01-and-A07-.." the other one, too,
 * "none-.." none; "none-not-A01-.." is a job that A01 just is not about. Of each
 * there is enough to judge: that of which there is not gets no advice either. What else
 * may be said of one stands in 'also'. Those in 'site' and 'sim' are judged with the jobio.conf there. JOBIO_ADVICE_JOBS: another folder of such records, whose advice is
 * printed. */
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
#define NODES_MAX 4

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

/* ---- names ------------------------------------------------------------------- */

/* Does the name of a job have this word before this code? */
static bool has_word(const char *name, const char *word, const char *code)
{
	char text[32];

	snprintf(text, sizeof(text), "-%s-%s-", word, code);
	return strstr(name, text);
}

static bool is_about(const char *name, const char *code)
{
	return !strncmp(name, code, strlen(code)) || has_word(name, "and", code);
}

static bool is_allowed(const char *name, const char *code)
{
	size_t i;

	for (i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (!strncmp(name, also[i].job, strlen(also[i].job)) && strstr(also[i].codes, code))
			return true;
	return is_about(name, code);
}

/* ---- records ------------------------------------------------------------------- */

struct job {
	struct record *nodes[NODES_MAX];
	size_t count;
};

/* A line of the file is the record of a node. */
static struct job read_job(const char *path)
{
	struct job job = { .count = 0 };
	char *text, *line, *rest = NULL;
	struct err err = { "" };
	size_t size;

	text = fileio_read(path, RECORD_TEXT_MAX, &size, &err);
	ck_assert_msg(text, "%s", err.text);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_uint_lt(job.count, NODES_MAX);
		job.nodes[job.count] = record_parse(line, strlen(line), &err);
		ck_assert_msg(job.nodes[job.count], "%s: %s", path, err.text);
		job.count++;
	}
	free(text);
	return job;
}

static const struct advice *find(const struct advice_list *list, const char *code)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->list[i].code, code))
			return &list->list[i];
	return NULL;
}

/* What is wrong with the advice to it; "": nothing. */
static void look(const char *name, const struct advice_list *list, char *wrong, size_t room)
{
	const char *first = list->count ? list->list[0].code : "none";
	const char *code;
	size_t i;

	*wrong = '\0';
	if (!list->is_judged)
		snprintf(wrong, room, "%s: too little to judge", name);
	else if (strncmp(name, first, strlen(first)) != 0)
		snprintf(wrong, room, "%s: %s comes first: %s", name, first,
			 list->count ? list->list[0].what : "");
	for (i = 0; i < list->count && !*wrong; i++)
		if (!is_allowed(name, list->list[i].code))
			snprintf(wrong, room, "%s: also %s: %s", name, list->list[i].code,
				 list->list[i].what);
	for (i = 0; (code = advice_code(i)) && !*wrong; i++)
		if (is_about(name, code) && !find(list, code))
			snprintf(wrong, room, "%s: %s is not told", name, code);
}

static void judge(const char *path, const char *name, const struct config_advice *limits,
		  char *wrong, size_t room)
{
	struct job job = read_job(path);
	struct advice_list *list = advice_new(job.nodes, job.count, true, limits);
	size_t i;

	ck_assert_ptr_nonnull(list);
	look(name, list, wrong, room);
	for (i = 0; getenv("JOBIO_ADVICE_JOBS") && i < list->count; i++)
		printf("%s: %s %u %s: %s\n", name, list->list[i].code, list->list[i].value,
		       advice_trust_name(list->list[i].trust), list->list[i].what);
	advice_free(list);
	for (i = 0; i < job.count; i++)
		record_free(job.nodes[i]);
}

/* ---- all of them ----------------------------------------------------------------- */

typedef void (*job_visit)(const char *path, const char *name, void *arg);

/* Returns how many there are in this folder. */
static size_t each_job(const char *dir, job_visit visit, void *arg)
{
	struct dirent *entry;
	char path[1024];
	size_t jobs = 0;
	DIR *all = opendir(dir);

	while (all && (entry = readdir(all))) {
		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		visit(path, entry->d_name, arg);
		jobs++;
	}
	if (all)
		closedir(all);
	return jobs;
}

struct judging {
	const struct config_advice *limits;
	char all[16384];
};

static void visit_judge(const char *path, const char *name, void *arg)
{
	struct judging *judging = arg;
	size_t used = strlen(judging->all);
	char wrong[1024];

	judge(path, name, judging->limits, wrong, sizeof(wrong));
	if (*wrong)
		snprintf(judging->all + used, sizeof(judging->all) - used, "\n%s", wrong);
}

START_TEST(jobs_that_ran_get_the_advice_that_they_need_first_and_no_wrong_one)
{
	struct judging judging = { .all = "" };
	struct config_advice limits;

	config_advice_init(&limits);
	judging.limits = &limits;
	ck_assert_uint_ge(each_job(folder(), visit_judge, &judging),
			  getenv("JOBIO_ADVICE_JOBS") ? 0 : 14);
	ck_assert_msg(!*judging.all, "%s", judging.all);
}
END_TEST

static void judge_site(const char *name, size_t least)
{
	struct judging judging = { .all = "" };
	struct config *config;
	struct err err = { "" };
	char dir[512], path[512];

	snprintf(path, sizeof(path), JOBS "/%s/jobio.conf", name);
	config = config_load(path, &err);
	ck_assert_msg(config, "%s", err.text);
	judging.limits = &config->advice;
	snprintf(dir, sizeof(dir), "%s/%s", folder(), name);
	ck_assert_uint_ge(each_job(dir, visit_judge, &judging),
			  getenv("JOBIO_ADVICE_JOBS") ? 0 : least);
	ck_assert_msg(!*judging.all, "%s", judging.all);
	config_free(config);
}

START_TEST(so_do_those_of_a_site_that_has_thresholds_of_its_own)
{
	judge_site("site", 25);
}
END_TEST

START_TEST(so_do_those_with_a_stand_in_for_the_client)
{
	judge_site("sim", 14);
}
END_TEST

/* ---- which rules have been measured ------------------------------------------------ */

struct measured {
	const char *code;
	bool is, is_not;
};

static void visit_name(const char *path, const char *name, void *arg)
{
	struct measured *m = arg;

	(void)path;
	m->is |= is_about(name, m->code);
	m->is_not |= has_word(name, "not", m->code);
}

START_TEST(each_rule_has_a_job_that_is_told_it_and_one_that_just_is_not)
{
	struct measured m = { .is = false };
	size_t i;

	for (i = 0; advice_code(i); i++) {
		m = (struct measured){ .code = advice_code(i) };
		each_job(JOBS, visit_name, &m);
		each_job(JOBS "/site", visit_name, &m);
		each_job(JOBS "/sim", visit_name, &m);
		ck_assert_msg(m.is && m.is_not, "%s: %s%s", m.code, m.is ? "has one" : "has none",
			      m.is_not ? ", and one that it just is not" : "");
	}
}
END_TEST

UNIT_MAIN("advice_real", jobs_that_ran_get_the_advice_that_they_need_first_and_no_wrong_one,
	  so_do_those_of_a_site_that_has_thresholds_of_its_own,
	  so_do_those_with_a_stand_in_for_the_client,
	  each_rule_has_a_job_that_is_told_it_and_one_that_just_is_not)
