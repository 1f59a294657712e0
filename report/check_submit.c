/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_submit.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/child.h"
#include "report/job_report.h"
#include "report/program.h"
#include "report/sacct.h"

#define JOB_MS 120000U
#define WAIT_MS 60000U
#define WORD_MAX 256
#define MARK "JOBIO-CHECK"

/* what the task prints */
static const char task[] =
	"echo " MARK
	" \"$SLURM_JOB_ID\" \"$SLURMD_NODENAME\" \"${SLURM_IO_CORES:--}\" \"${SLURM_IO_CPUS:--}\"; sleep 1";

struct trial {
	const struct doctor *doctor;
	FILE *out;
	char job[WORD_MAX], node[WORD_MAX], cores[WORD_MAX], cpus[WORD_MAX];
};

static void say(const struct trial *trial, const char *room, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(const struct trial *trial, const char *room, const char *format, ...)
{
	va_list args;

	if (!trial->out)
		return;
	fprintf(trial->out, "%-8s ", room);
	va_start(args, format);
	vfprintf(trial->out, format, args);
	va_end(args);
	fputc('\n', trial->out);
	fflush(trial->out);
}

/* ---- option, prolog, gate ------------------------------------------------------ */

/* "JOBIO-CHECK 7 n02 1 31,63" among what srun has printed */
static int read_task(struct trial *trial, const char *out)
{
	char *const words[] = { NULL, trial->job, trial->node, trial->cores, trial->cpus };
	const char *at = strstr(out, MARK " ");
	struct err clean;
	char *word, *rest = NULL;
	size_t i;

	if (!at)
		return -1;
	err_set(&clean, "%.*s", (int)strcspn(at, "\n"), at);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		word = strtok_r(i ? NULL : clean.text, " ", &rest);
		if (!word)
			return -1;
		if (words[i])
			snprintf(words[i], WORD_MAX, "%s", word);
	}
	return 0;
}

/* The first line that is an error, else the first. */
static void worst_line(const char *text, char *line, size_t size)
{
	const char *at = strstr(text, "error: ");

	at = at ? at : text;
	snprintf(line, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void judge_task(struct trial *trial, const struct child_result *result)
{
	char line[300];

	if (result->status || read_task(trial, result->out) < 0) {
		worst_line(result->errtext, line, sizeof(line));
		findings_add(trial->doctor->findings, "T01", FINDING_ERROR,
			     "what the line says; jobio check on the login host and on the node",
			     "a job with --io-cores=%u did not run: srun ended with %d: %s",
			     trial->doctor->config->io_cores_min, result->status, line);
		*trial->job = '\0';
		return;
	}
	say(trial, "option", "srun took --io-cores=%u: job %s on node %s",
	    trial->doctor->config->io_cores_min, trial->job, trial->node);
	if (strcmp(trial->cores, "-") != 0) {
		say(trial, "prolog", "Slurm keeps CPUs %s for the client", trial->cpus);
		say(trial, "gate", "the task may start, and knows of them");
		return;
	}
	findings_add(
		trial->doctor->findings, "T02", FINDING_ERROR,
		"jobio check on that node: prolog (S12, S17, S18), plugin (S14, S16), jobio.conf",
		"job %s ran on node %s and does not know of its io-cores: no prolog of jobio's ran there, or slurmstepd has no plugin",
		trial->job, trial->node);
}

static void run_job(struct trial *trial, char *srun, const char *partition)
{
	char cores[32], name[300], conf[PATH_MAX + 16];
	char *argv[] = { srun,
			 (char *)"--job-name=jobio-check",
			 (char *)"--nodes=1",
			 (char *)"--ntasks=1",
			 (char *)"--time=1",
			 (char *)"--immediate=60",
			 cores,
			 partition ? name : (char *)"--quiet",
			 (char *)"/bin/sh",
			 (char *)"-c",
			 (char *)task,
			 NULL };
	char *env[] = { conf, NULL };
	struct child_result result = { 0 };
	struct err err;

	snprintf(cores, sizeof(cores), "--io-cores=%u", trial->doctor->config->io_cores_min);
	snprintf(name, sizeof(name), "--partition=%s", partition ? partition : "");
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s", trial->doctor->slurm_conf_path);
	if (child_run(argv, env, JOB_MS, &result, &err) < 0)
		findings_add(trial->doctor->findings, "T01", FINDING_ERROR,
			     "name a partition with free nodes: --partition",
			     "a job with --io-cores did not run: %s", err.text);
	else
		judge_task(trial, &result);
	child_result_free(&result);
}

/* ---- epilog, ledger, accounting --------------------------------------------------- */

static void pause_a_moment(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
}

/* Ask the ledger every half second until it has a record. */
static struct job_report *await_record(const struct trial *trial, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + WAIT_MS;
	struct job_report *report;

	do {
		struct job_source source = { .config = trial->doctor->config };

		report = job_report_get(&source, trial->job, RECORD_UNKNOWN, err);
		ledger_link_close(source.link);
		if (report && report->record_count)
			return report;
		if (report)
			err_set(err, "%s", report->why_not_ledger);
		job_report_free(report);
		pause_a_moment();
	} while (child_now_ms() < end_ms);
	return NULL;
}

/* The same of sacct, until it has a summary. */
static bool await_summary(const struct trial *trial, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + WAIT_MS;
	const struct sacct_query query = { .jobs = trial->job };
	const struct sacct_row *row;
	struct sacct_rows *rows;
	bool found;

	do {
		rows = sacct_ask(&query, err);
		row = rows ? sacct_find(rows, trial->job) : NULL;
		found = row && row->summary;
		sacct_free(rows);
		if (!found)
			pause_a_moment();
	} while (!found && child_now_ms() < end_ms);
	return found;
}

static void add_findings(const struct trial *trial, const struct record *record)
{
	for (size_t i = 0; i < record->finding_count; i++) {
		const struct record_finding *finding = &record->findings[i];

		findings_add(trial->doctor->findings, finding->code,
			     finding_severity_named(finding->severity), finding->cure,
			     "job %s on node %s: %s", trial->job, record->node, finding->text);
	}
}

static void check_record(const struct trial *trial)
{
	struct err err = { "no answer" };
	struct job_report *report = await_record(trial, &err);

	if (!report) {
		findings_add(
			trial->doctor->findings, "T03", FINDING_ERROR,
			"on that node: epilog (S12, S17), ledger (L02 to L05), and jobio-send --once",
			"the ledger has no record of job %s after %u s: %s", trial->job,
			WAIT_MS / 1000, err.text);
		return;
	}
	say(trial, "epilog", "node %s has left its record", report->records[0]->node);
	say(trial, "ledger", "%s", report->summary_text);
	add_findings(trial, report->records[0]);
	job_report_free(report);
}

static void check_accounting(const struct trial *trial)
{
	struct err err = { "its row has none" };

	if (await_summary(trial, &err))
		say(trial, "report", "sacct shows the same");
	else
		findings_add(trial->doctor->findings, "T04", FINDING_ERROR,
			     "jobio-ledgerd --check as its user, on its host",
			     "sacct has no summary of job %s after %u s: %s", trial->job,
			     WAIT_MS / 1000, err.text);
}

void check_submit(const struct doctor *doctor, const char *partition, FILE *out)
{
	struct trial trial = { .doctor = doctor, .out = out };
	char srun[PROGRAM_PATH];

	if (program_find("srun", srun, NULL) < 0) {
		findings_add(doctor->findings, "T01", FINDING_ERROR, "run it on a login host",
			     "a job did not run: there is no srun in PATH");
		return;
	}
	run_job(&trial, srun, partition);
	if (!*trial.job)
		return;
	check_record(&trial);
	check_accounting(&trial);
}
