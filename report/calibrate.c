/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio calibrate - what io-cores, profiles and ways of I/O are worth here. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/number.h"
#include "lib/summary.h"
#include "report/calib_watch.h"
#include "report/calib_write.h"
#include "report/command.h"
#include "report/commands.h"

#define NAME "calibrate"
#define SCRIPT JOBIO_PKGDATADIR "/calibrate-job"

static const char usage[] =
	"usage: jobio calibrate --dir=DIR [OPTION]... [-- SBATCH-OPTION...]\n"
	"\n"
	"Measures with fio, in jobs of its own, what one node reads and writes below\n"
	"DIR with each number of io-cores and each profile, compares jobio's records of\n"
	"these jobs with fio, and writes calibration.json, three plots and the constants\n"
	"for advice.\n"
	"\n"
	"  --dir=DIR            a folder of yours on the filesystem\n"
	"  --output=FOLDER      where the results go; default calibration\n"
	"  --io-cores=LIST      0,1,2; default 0 and all that the site allows\n"
	"  --profiles=LIST      none,stream; default none and all of jobio.conf\n"
	"  --processes=LIST     of fio; default 1,2,4,8,16,32\n"
	"  --repeats=N          of each; default 3\n"
	"  --seconds=N          that each run lasts at most; default 3\n"
	"  --max-time=TIME      for all, waiting included; default 8:00:00\n"
	"  --max-bytes=SIZE     to read and write in all; default 16T\n"
	"  --space=SIZE         of the files; default 8G\n"
	"  --fio=PATH           of fio on the nodes; default fio\n"
	"  --dry-run            say what would be done\n"
	"  --conf=FILE          instead of " JOBIO_CONF "\n"
	"\n"
	"Exit status: 0; 1 when a job failed, or its record and fio disagree; 2 bad\n"
	"usage; 130 after Ctrl-C.\n";

struct options {
	const char *dir, *output, *fio, *conf;
	struct calib_wish wish;
	bool is_dry;
	char *const *extra;
};

#define COMMAND_STOPPED 130

static volatile sig_atomic_t is_stopped;

static void stop(int signal)
{
	(void)signal;
	is_stopped = 1;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = stop };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* ---- the command line -------------------------------------------------------------- */

/* --max-bytes, --space: "8G", bytes, or so many of 1024^n */
static int set_size(void *o, const char *name, const char *text, struct err *err)
{
	struct calib_wish *wish = &((struct options *)o)->wish;
	static const char units[] = "KMGT";
	size_t length = strlen(text);
	const char *unit = length ? strchr(units, text[length - 1]) : NULL;
	char digits[24];
	unsigned long number;

	if (unit)
		length--;
	if (length < sizeof(digits)) {
		snprintf(digits, sizeof(digits), "%.*s", (int)length, text);
		if (number_parse(digits, 1, 1000000000000UL, &number, NULL) == 0 &&
		    (!unit || number <= 1000000)) {
			*(*name == 'm' ? &wish->max_bytes : &wish->space_bytes) =
				(uint64_t)number << (unit ? 10 * (unit - units + 1) : 0);
			return 0;
		}
	}
	return err_set(err, "--%s: '%s': expected a size like 800M, 8G or 16T", name, text);
}

/* "480", "480:00" and "8:00:00" are the same, as in sbatch --time. */
static int set_time(void *o, const char *name, const char *text, struct err *err)
{
	unsigned long part, sum = 0;
	char copy[32], *word, *rest = NULL;
	int parts = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ":", &rest); word && parts < 4;
	     word = strtok_r(NULL, ":", &rest), parts++) {
		/* "05" is a number here */
		word += strlen(word) == 2 && *word == '0';
		if (number_parse(word, 0, parts ? 59 : 100000, &part, NULL) < 0)
			parts = 4;
		sum = sum * 60 + part;
	}
	if (parts < 1 || parts > 3 || !sum)
		return err_set(
			err,
			"--%s: '%s': expected minutes, minutes:seconds or hours:minutes:seconds",
			name, text);
	((struct options *)o)->wish.max_s = (unsigned int)(parts == 1 ? sum * 60 : sum);
	return 0;
}

static int check(void *options, int argc, char *argv[], struct err *err)
{
	struct options *o = options;

	if (argc && strcmp(argv[-1], "--") != 0)
		return err_set(err, "'%s': one word too many; what is for sbatch stands behind --",
			       argv[0]);
	o->extra = argv;
	return o->dir ? 0 : err_set(err, "--dir: which folder?");
}

static const struct command_line line = {
	.name = NAME,
	.usage = { usage },
	.words = COMMAND_WORDS_LAST,
	.check = check,
	.table =
		(const struct command_option[]){
			COMMAND_TEXT("dir", struct options, dir),
			COMMAND_TEXT("output", struct options, output),
			COMMAND_TEXT("io-cores", struct options, wish.cores),
			COMMAND_TEXT("profiles", struct options, wish.profiles),
			COMMAND_TEXT("processes", struct options, wish.processes),
			COMMAND_NUMBER("repeats", struct options, wish.repeats, 1,
				       CALIB_REPEATS_MAX),
			COMMAND_NUMBER("seconds", struct options, wish.seconds, 1, 3600),
			COMMAND_CALL("max-time", set_time),
			COMMAND_CALL("max-bytes", set_size),
			COMMAND_CALL("space", set_size),
			COMMAND_TEXT("fio", struct options, fio),
			COMMAND_FLAG("dry-run", struct options, is_dry),
			COMMAND_TEXT("conf", struct options, conf),
			{ 0 } },
};

/* ---- what it says -------------------------------------------------------------------- */

static void say_plan(const struct calib_plan *plan, const char *dir)
{
	char space[16], bytes[16];

	summary_bytes((int64_t)(plan->file_bytes * plan->processes[plan->processes_count - 1]),
		      space, sizeof(space));
	summary_bytes((int64_t)plan->max_bytes, bytes, sizeof(bytes));
	fprintf(stderr,
		"%zu job%s of %zu runs (%zu setting%s, repeats: %u), about %llu min when none waits; files of %s below %s, at most %s read and written\n",
		plan->turn_count, plan->turn_count > 1 ? "s" : "", plan->shape_count,
		plan->setting_count, plan->setting_count > 1 ? "s" : "", plan->repeats,
		(plan->turn_count * (calib_plan_job_s(plan) + 10ULL) + 59) / 60, space, dir, bytes);
}

/* Returns how many jobs have something wrong. */
static size_t say_problems(const struct calib_data *data)
{
	const struct calib_plan *plan = data->plan;
	size_t i, count = 0;
	char text[96];

	for (i = 0; i < plan->turn_count; i++) {
		const struct calib_job *job = &data->jobs[i];

		if (!*job->why)
			continue;
		count++;
		calib_setting_text(&plan->settings[plan->turns[i].setting], text, sizeof(text));
		fprintf(stderr, "jobio: calibrate: job %s%s%s (%s): %s\n", *job->id ? job->id : "-",
			*job->node ? " on " : "", job->node, text, job->why);
	}
	return count;
}

static void say_constants(const struct calib_data *data, const char *output)
{
	struct calib_constant list[CALIB_CONSTANTS];
	size_t count, i;

	count = calib_constants(data, calib_fstype(data), list);
	for (i = 0; i < count; i++)
		printf("%-16s %10u  %s\n", list[i].key, list[i].value, list[i].from);
	printf("written: %s/{calibration.json,advice.conf,scaling.svg,engines.svg,direct.svg}\n",
	       output);
}

/* ---- the work ------------------------------------------------------------------------ */

/* A folder of our own, or one that is there. */
static int make_output(const char *path, struct err *err)
{
	struct stat st;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	    access(path, W_OK) == 0)
		return 0;
	return err_set(err, "--output: '%s': cannot write there: %s", path,
		       strerror(errno == EEXIST ? ENOTDIR : errno));
}

static int name_jobs(struct calib_slurm *slurm, struct err *err)
{
	unsigned long long random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set(err, "no random number");
	snprintf(slurm->name, sizeof(slurm->name), "jobio-calibrate-%012llx",
		 random & 0xffffffffffffULL);
	return 0;
}

/* Results, as far as there are any; the exit status. */
static int finish(struct calib_watch *w, const struct options *o, struct calib_about *about)
{
	char cluster[RECORD_NAME_MAX] = "";
	struct err err = { "" };
	size_t wrong;

	calib_watch_judge(w, cluster);
	if (is_stopped)
		return COMMAND_STOPPED;
	wrong = say_problems(w->data);
	about->cluster = cluster;
	about->end = time(NULL);
	if (!calib_data_count(w->data)) {
		err_set(&err, "no job has measured anything");
		return command_fail(NAME, COMMAND_FAILED, &err);
	}
	if (calib_write(o->output, w->data, about, &err) < 0)
		return command_fail(NAME, COMMAND_FAILED, &err);
	say_constants(w->data, o->output);
	return wrong ? COMMAND_FAILED : COMMAND_OK;
}

static int work(struct calib_watch *w, const struct options *o)
{
	struct calib_about about = { .start = time(NULL) };
	char dir[CALIB_PATH];
	struct err err = { "" };
	int status;

	if (calib_folder_make(w->folder, o->dir, w->plan->space_bytes, &err) < 0)
		return command_fail(NAME, COMMAND_FAILED, &err);
	w->slurm->folder = w->folder->path;
	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(w->folder->path, '/') - w->folder->path),
		 w->folder->path);
	about.dir = *dir ? dir : "/";
	if (w->folder->others)
		fprintf(stderr,
			"jobio: calibrate: '%s': others run there, or were killed (" CALIB_FOLDER
			"*: %d): if they run, all measure less\n",
			o->dir, w->folder->others);
	if (calib_watch_submit(w, &err) < 0 || calib_watch_run(w, &err) < 0)
		status = command_fail(NAME, COMMAND_FAILED, &err);
	else
		status = is_stopped ? COMMAND_STOPPED : finish(w, o, &about);
	if (is_stopped) {
		fprintf(stderr,
			"jobio: calibrate: stopped; cancelling its jobs, removing its files\n");
		status = COMMAND_STOPPED;
	}
	if (calib_watch_end(w) < 0 && status == COMMAND_OK)
		status = COMMAND_FAILED;
	return status;
}

static int calibrate(const struct options *o, const struct config *config, struct calib_plan *plan)
{
	struct calib_slurm slurm = { .script = SCRIPT, .fio = o->fio, .extra = o->extra };
	struct calib_folder folder = { .path = "" };
	struct calib_data data;
	struct calib_watch watch = { .plan = plan,
				     .data = &data,
				     .folder = &folder,
				     .slurm = &slurm,
				     .config = config,
				     .is_stopped = &is_stopped,
				     .start_ms = child_now_ms() };
	struct err err = { "" };
	int status = COMMAND_FAILED;

	say_plan(plan, o->dir);
	if (o->is_dry)
		return COMMAND_OK;
	calib_data_init(&data, plan);
	if (name_jobs(&slurm, &err) < 0 || make_output(o->output, &err) < 0) {
		command_fail(NAME, COMMAND_FAILED, &err);
	} else {
		catch_signals();
		status = work(&watch, o);
	}
	calib_data_free(&data);
	return status;
}

int calibrate_main(int argc, char *argv[])
{
	struct options o = { .output = "calibration", .fio = "fio" };
	struct calib_plan plan = { .turn_count = 0 };
	struct config *config;
	struct err err = { "" };
	int rc = command_parse(&line, &o, argc, argv);

	if (rc >= 0)
		return rc;
	config = config_load(o.conf, &err);
	if (!config)
		return command_fail(NAME, o.conf ? COMMAND_USAGE : COMMAND_FAILED, &err);
	if (calib_plan_make(&plan, &o.wish, config, &err) < 0) {
		rc = command_fail(NAME, COMMAND_USAGE, &err);
	} else {
		rc = calibrate(&o, config, &plan);
		calib_plan_free(&plan);
	}
	config_free(config);
	return rc;
}
