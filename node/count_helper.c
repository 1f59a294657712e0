/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/count_helper.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "node/helper.h"
#include "node/job_dir.h"
#include "record/alloc.h"
#include "record/finding.h"
#include "record/json.h"

#define ARGS_MAX 1024 /* more mounts are not counted, with a flag */
/* Unread counters are lost, and a node that swaps takes seconds to start a program. */
#define READ_MS 5000U
#define QUERY_MS 2000U
#define REASON_MAX 1024
#define LOAD_CURE "systemctl enable jobio-recover.service: it loads them before slurmd starts"
#define CHECK_CURE "jobio check, as root on the node"
#define HELPER "jobio-count"

struct call {
	char path[PATH_MAX], run_dir[RUNDIR_PATH_MAX + 16], id[16], sluid[64], wait[32];
	char *argv[ARGS_MAX];
	size_t argc;
};

/* One place stays free for the final NULL. */
static void add_word(struct call *call, const char *word)
{
	if (call->argc < ARGS_MAX - 1)
		call->argv[call->argc++] = (char *)word;
}

static int call_init(struct call *call, struct err *err)
{
	memset(call, 0, sizeof(*call));
	if (job_helper_path(HELPER, call->path, sizeof(call->path)) < 0)
		return err_set(err, HELPER ": its path is unknown");
	snprintf(call->run_dir, sizeof(call->run_dir), "--run-dir=%s", dirs.run);
	add_word(call, call->path);
	add_word(call, call->run_dir);
	return 0;
}

/* Add the option that selects the programs to load. */
static void add_latency(struct call *call, enum config_switch latency)
{
	if (latency == SWITCH_YES)
		add_word(call, "--latency");
}

static void add_command(struct call *call, const char *command, uint32_t job_id)
{
	add_word(call, command);
	snprintf(call->id, sizeof(call->id), "%u", job_id);
	add_word(call, call->id);
}

static int call_run(struct call *call, unsigned int timeout_ms, struct child_result *result,
		    struct err *err)
{
	if (child_run(call->argv, NULL, timeout_ms, result, err) < 0)
		return -1;
	if (result->status == 0)
		return 0;
	result->errtext[strcspn(result->errtext, "\n")] = '\0';
	err_set(err, HELPER ": exit status %d: %.300s", result->status, result->errtext);
	child_result_free(result);
	return -1;
}

/* Create RUN/JOB/counted: the kernel counts for this job. Without it the epilog does not run
 * jobio-count. */
static int mark_counted(uint32_t job_id, struct err *err)
{
	return job_dir_write(job_id, RUNDIR_COUNTED, "", err);
}

bool job_is_counted(uint32_t job_id)
{
	return job_has_file(job_id, RUNDIR_COUNTED);
}

/* Write RUN/JOB/uncounted: the cure and, in a second line, the reason, for the job's record. */
static void write_uncounted(uint32_t job_id, const char *cure, const char *why)
{
	char text[REASON_MAX];

	snprintf(text, sizeof(text), "%s\n%s", cure, why);
	job_dir_write(job_id, RUNDIR_UNCOUNTED, text, NULL);
}

static void add_uncounted(struct record *state, const char *cure, const char *why)
{
	findings_add(&state->findings, "W62", FINDING_WARNING, cure,
		     "the job was not counted by filesystem: %s", why);
}

/* Set *err to the reason for incomplete counting: once after a load, or for a path that is no
 * mount point. On nodes that cannot count, the record's source and flags show it. */
static int check_start(uint32_t job_id, const char *text, struct err *err)
{
	struct json *top = json_parse(text);
	const char *tier = json_text(top, "tier");
	const char *reason = json_text(top, "reason");
	bool is_loading = json_is_true(top, "loading");
	int rc = 0;

	if (tier && strcmp(tier, "none") != 0)
		rc = mark_counted(job_id, err);
	else
		reason = is_loading ? reason : NULL;
	if (rc == 0 && reason)
		rc = err_set(err, HELPER ": %.400s", reason);
	if (is_loading)
		write_uncounted(job_id, LOAD_CURE, reason ? reason : "they are being loaded");
	json_free(top);
	return rc;
}

int job_count_load(const struct config *config, struct err *err)
{
	struct child_result result = { 0 };
	struct call call;

	if (config->count_kernel == SWITCH_NO)
		return 0;
	if (call_init(&call, err) < 0)
		return -1;
	add_latency(&call, config->count_latency);
	add_word(&call, "load");
	if (call_run(&call, JOB_COUNT_LOAD_MS, &result, err) < 0)
		return -1;
	child_result_free(&result);
	return 0;
}

int job_count_start(const struct config *config, const struct record *state, unsigned int wait_ms,
		    struct err *err)
{
	const char *sluid = getenv("SLURM_JOB_SLUID");
	struct child_result result = { 0 };
	char *mounts = NULL, *word, *rest = NULL;
	struct call call;
	int rc = -1;
	size_t i;

	if (config->count_kernel == SWITCH_NO)
		return 0;
	if (call_init(&call, err) < 0)
		return -1;
	mounts = xstrdup(config->count_mounts);
	add_latency(&call, config->count_latency);
	snprintf(call.wait, sizeof(call.wait), "--wait=%u", wait_ms);
	add_word(&call, call.wait);
	if (sluid && *sluid) {
		snprintf(call.sluid, sizeof(call.sluid), "--sluid=%s", sluid);
		add_word(&call, call.sluid);
	}
	add_command(&call, "start", state->job);
	/* the client's first: a filesystem has the name that comes first */
	for (i = 0; i < state->mount_count; i++)
		add_word(&call, state->mounts[i].mount);
	for (word = strtok_r(mounts, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		add_word(&call, word);
	FAULT_POINT("count start before");
	if (call_run(&call, wait_ms + JOB_COUNT_START_MS, &result, err) < 0) {
		write_uncounted(state->job, CHECK_CURE, err->text);
		goto out;
	}
	FAULT_POINT("count start after");
	rc = check_start(state->job, result.out, err);
	child_result_free(&result);
out:
	free(mounts);
	return rc;
}

static int read_counted(struct record *state, struct err *err)
{
	struct child_result result = { 0 };
	struct json *top;
	struct call call;
	int rc;

	if (call_init(&call, err) < 0)
		return -1;
	add_command(&call, "read", state->job);
	if (call_run(&call, READ_MS, &result, err) < 0)
		return -1;
	rc = record_counters_add(state, result.out, result.out_bytes, err);
	top = rc < 0 ? NULL : json_parse(result.out);
	if (top && !json_first(json_list(top, "app")) && json_text(top, "reason"))
		rc = err_set(err, HELPER ": %.400s", json_text(top, "reason"));
	json_free(top);
	child_result_free(&result);
	return rc;
}

int job_count_read(struct record *state, struct err *err)
{
	char *text, *why;

	if (job_is_counted(state->job)) {
		if (read_counted(state, err) == 0)
			return 0;
		add_uncounted(state, CHECK_CURE, err->text);
		return -1;
	}
	text = job_dir_read(state->job, RUNDIR_UNCOUNTED, REASON_MAX);
	why = text ? strchr(text, '\n') : NULL;
	if (why) {
		*why++ = '\0';
		add_uncounted(state, text, why);
	}
	free(text);
	return 0;
}

int job_count_stop(uint32_t job_id, struct err *err)
{
	struct child_result result = { 0 };
	struct call call;

	if (call_init(&call, err) < 0)
		return -1;
	add_command(&call, "stop", job_id);
	FAULT_POINT("count stop before");
	if (call_run(&call, QUERY_MS, &result, err) < 0)
		return -1;
	FAULT_POINT("count stop after");
	child_result_free(&result);
	return 0;
}

static int each_job(struct json *jobs, int (*fn)(void *arg, uint32_t job_id), void *arg)
{
	const struct json *job;
	int64_t id, last = 0;
	int rc = 0;

	/* a job has an entry for each filesystem, not always side by side */
	for (job = json_first(jobs); rc == 0 && job; job = job->next) {
		id = json_number(job, "job");
		if (id > 0 && id < UINT32_MAX && id != last)
			rc = fn(arg, (uint32_t)id);
		last = id;
	}
	return rc;
}

int job_count_each(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg,
		   struct err *err)
{
	struct child_result result = { 0 };
	struct json *top;
	struct call call;
	int rc = 0;

	if (config->count_kernel == SWITCH_NO)
		return 0;
	if (call_init(&call, err) < 0)
		return -1;
	add_word(&call, "status");
	if (call_run(&call, QUERY_MS, &result, err) < 0)
		return -1;
	top = json_parse(result.out);
	rc = each_job(json_list(top, "jobs"), fn, arg);
	json_free(top);
	child_result_free(&result);
	return rc;
}
