/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_slurm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/number.h"
#include "lib/text.h"
#include "report/program.h"

#define TIMEOUT_MS 30000U
#define WORDS_MAX 64
#define LINE_SIZE 512

/* ---- sbatch --------------------------------------------------------------------- */

struct words {
	const char *list[WORDS_MAX + 1];
	size_t count;
};

static void add(struct words *words, const char *word)
{
	if (words->count < WORDS_MAX)
		words->list[words->count++] = word;
	words->list[words->count] = NULL;
}

/* "4711" or "4711;cluster" */
static int take_id(const char *out, char id[CALIB_ID], struct err *err)
{
	size_t length = strcspn(out, ";\n");
	unsigned long number;
	char text[CALIB_ID];

	if (length < sizeof(text)) {
		snprintf(text, sizeof(text), "%.*s", (int)length, out);
		if (number_parse(text, 1, UINT32_MAX, &number, NULL) == 0) {
			strcpy(id, text);
			return 0;
		}
	}
	return err_set(err, "sbatch: '%.*s': not a job id", (int)strcspn(out, "\n"), out);
}

/* The texts that the words of one sbatch point to. */
struct texts {
	char name[96], time[32], chdir[PROGRAM_PATH], log[32], number[16];
	char cores[32], profile[PROFILE_NAME_MAX + 16];
};

static void make_texts(struct texts *t, const struct calib_slurm *slurm,
		       const struct calib_setting *setting, size_t number, unsigned int limit_s)
{
	snprintf(t->name, sizeof(t->name), "--job-name=%s", slurm->name);
	snprintf(t->time, sizeof(t->time), "--time=%u", (limit_s + 59) / 60);
	snprintf(t->chdir, sizeof(t->chdir), "--chdir=%s", slurm->folder);
	snprintf(t->log, sizeof(t->log), "--output=%zu.out", number);
	snprintf(t->number, sizeof(t->number), "%zu", number);
	snprintf(t->cores, sizeof(t->cores), "--io-cores=%u", setting->io_cores);
	snprintf(t->profile, sizeof(t->profile), "--io-profile=%s",
		 setting->profile ? setting->profile->name : "");
}

static int make_words(struct words *w, const struct texts *t, const struct calib_slurm *slurm,
		      const struct calib_setting *setting, struct err *err)
{
	const char *fixed[] = { "--parsable", t->name,	     "--dependency=singleton", "--nodes=1",
				"--ntasks=1", "--exclusive", "--no-requeue",	       t->time,
				t->chdir,     t->log };
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		add(w, fixed[i]);
	if (setting->io_cores)
		add(w, t->cores);
	if (setting->profile)
		add(w, t->profile);
	for (i = 0; slurm->extra[i]; i++)
		add(w, slurm->extra[i]);
	if (w->count + 4 > WORDS_MAX)
		return err_set(err, "sbatch: more than %d words behind --", WORDS_MAX - 16);
	add(w, slurm->script);
	add(w, slurm->folder);
	add(w, t->number);
	add(w, slurm->fio);
	return 0;
}

int calib_slurm_submit(const struct calib_slurm *slurm, const struct calib_setting *setting,
		       size_t number, unsigned int limit_s, char id[CALIB_ID], struct err *err)
{
	struct words w = { .count = 0 };
	struct texts t;
	char *out = NULL;
	int rc;

	make_texts(&t, slurm, setting, number, limit_s);
	if (make_words(&w, &t, slurm, setting, err) < 0)
		return -1;
	rc = program_run("sbatch", w.list, TIMEOUT_MS, &out, err);
	if (rc == 0) {
		rc = take_id(out, id, err);
		errno = EPROTO;
	}
	free(out);
	return rc;
}

/* ---- squeue and scancel -------------------------------------------------------------- */

/* Cut the next of "7|PENDING|Resources|c1" off. */
static void take_field(const char **at, char *out, size_t room)
{
	size_t length = strcspn(*at, "|");

	snprintf(out, room, "%.*s", (int)length, *at);
	*at += length + ((*at)[length] == '|');
}

int calib_slurm_queue(const struct calib_slurm *slurm, struct calib_queued **list, struct err *err)
{
	char name[96], line[LINE_SIZE], *out = NULL;
	const char *words[] = { "-h", name, "-o", "%i|%T|%r|%N", NULL };
	struct calib_queued *jobs = NULL;
	const char *at, *text;
	size_t count = 0;

	snprintf(name, sizeof(name), "--name=%s", slurm->name);
	if (program_run("squeue", words, TIMEOUT_MS, &out, err) < 0)
		return -1;
	for (text = out; text_next_line(&text, line, sizeof(line));) {
		jobs = xrealloc(jobs, count + 1, sizeof(*jobs));
		at = line;
		take_field(&at, jobs[count].id, sizeof(jobs[count].id));
		take_field(&at, jobs[count].state, sizeof(jobs[count].state));
		take_field(&at, jobs[count].reason, sizeof(jobs[count].reason));
		take_field(&at, jobs[count].node, sizeof(jobs[count].node));
		count += *jobs[count].id != 0;
	}
	free(out);
	*list = jobs;
	return (int)count;
}

/* slurm_protocol_defs.c:job_state_reason_string(): those that wait for a
 * person. */
bool calib_slurm_is_hopeless(const struct calib_queued *job)
{
	static const char *const reasons[] = {
		"BadConstraints",	    "JobHeldAdmin",	  "JobHeldUser",
		"PartitionNodeLimit",	    "PartitionTimeLimit", "PartitionInactive",
		"DependencyNeverSatisfied", "AccountNotAllowed",  "QOSNotAllowed",
		"InvalidAccount",	    "InvalidQOS",
	};
	size_t i;

	if (strcmp(job->state, "PENDING") != 0)
		return false;
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strcmp(job->reason, reasons[i]))
			return true;
	return !strncmp(job->reason, "launch failed", 13) ||
	       !strncmp(job->reason, "launch_failed", 13);
}

int calib_slurm_cancel(const struct calib_slurm *slurm, const char *id, struct err *err)
{
	char name[96], *out = NULL;
	const char *words[] = { name, id, NULL };
	int rc;

	snprintf(name, sizeof(name), "--name=%s", slurm->name);
	rc = program_run("scancel", words, TIMEOUT_MS, &out, err);
	free(out);
	return rc;
}
