/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-file - leave a job's report in a directory, as the job's user
 *
 *   jobio-file [--conf=FILE] JOB RUN UID GID USER DIR   as jobio-release starts it
 *
 * Nothing waits for it. Before it looks at anything of the user's it is the user:
 * groups, group and user id, for ever. As that user it asks the ledger, which
 * shows records to their owner, until all nodes have sent theirs, and lets jobio
 * report write DIR/jobio-JOB.html: in a child with a deadline, because DIR may be
 * on a filesystem that hangs. A name there that is not a file of the user's own
 * stays as it is.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "job/job.h"
#include "job/log.h"
#include "lib/child.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/sysfs.h"

#define GROUPS_LIMIT_S 30 /* for who knows the user's groups */
#define REPORT_MS 60000U  /* one question, or writing the page */
#define LOOK_MS 10000U	  /* at what is there already */
#define AFTER_GRACE_S 5U  /* nodes that are late are not waited for */
#define WAIT_MAX_S 3600U
#define SLURM_WAIT_S 60U /* for sacct to know how the job ended */
#define FIRST_NAP_S 2U
#define NAP_MAX_S 60U
#define AT_ONCE                                                                \
	64 /* of one user on one node: those of a directory that hangs stay */

struct filing {
	const char *conf, *job, *user, *dir;
	char run_option[32]; /* "": Slurm does not number runs (20.11) */
	uid_t uid;
	gid_t gid;
	uint32_t id;
	char jobio[PATH_MAX], conf_option[PATH_MAX + 8];
	char file[PATH_MAX];
};

static int usage(FILE *to, int rc)
{
	fprintf(to, "usage: jobio-file [--conf=FILE] JOB RUN UID GID USER DIR\n"
		    "Leaves a job's report in DIR, as the job's user; "
		    "jobio-release starts it.\n"
		    "  --conf=FILE  instead of " JOBIO_CONF "\n");
	return rc;
}

static int read_id(const char *text, uint32_t *out)
{
	unsigned long number;

	/* 0: root's jobs have no report there */
	if (number_parse(text, 1, UINT32_MAX - 1, &number, NULL) < 0)
		return -1;
	*out = (uint32_t)number;
	return 0;
}

/* With its run's number a job is no array, either, whose number its last task has. */
static int read_run(struct filing *f, const char *text)
{
	unsigned long number;

	if (!strcmp(text, "-"))
		return 0;
	if (number_parse(text, 0, UINT32_MAX, &number, NULL) < 0)
		return -1;
	snprintf(f->run_option, sizeof(f->run_option), "--restart=%lu", number);
	return 0;
}

static int read_arguments(struct filing *f, int argc, char **argv)
{
	static const struct option options[] = {
		{ "conf", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	uint32_t uid, gid;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'c')
			f->conf = optarg;
		else if (option == 'h')
			exit(usage(stdout, 0));
		else
			return -1;
	}
	argv += optind;
	if (argc - optind != 6 || read_id(argv[0], &f->id) < 0 ||
	    read_run(f, argv[1]) < 0 || read_id(argv[2], &uid) < 0 ||
	    read_id(argv[3], &gid) < 0)
		return -1;
	f->job = argv[0];
	f->uid = uid;
	f->gid = gid;
	f->user = argv[4];
	f->dir = argv[5];
	return *f->dir == '/' ? 0 : -1;
}

/* ---- the user ---------------------------------------------------------------- */

/* Not back again: all three ids, and nothing that is executed gains any. */
static int become_user(const struct filing *f, struct err *err)
{
	if (geteuid() == 0) {
		alarm(GROUPS_LIMIT_S); /* a directory service may hang */
		if ((*f->user ? initgroups(f->user, f->gid)
			      : setgroups(1, &f->gid)) < 0)
			return err_set(err, "user '%s': groups: %s", f->user,
				       strerror(errno));
		alarm(0);
		if (setresgid(f->gid, f->gid, f->gid) < 0 ||
		    setresuid(f->uid, f->uid, f->uid) < 0)
			return err_set(err, "user '%s': %s", f->user,
				       strerror(errno));
	}
	if (geteuid() != f->uid || getuid() != f->uid || setuid(0) == 0)
		return err_set(err, "user '%s': this process is not his",
			       f->user);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	umask(077);
	return 0;
}

/* Processes of the user that file, or write a page into a directory that hangs. */
static int count_filing(uid_t uid)
{
	char path[64], name[64];
	struct dirent *entry;
	unsigned long pid;
	struct stat st;
	int count = 0;
	DIR *dir = opendir("/proc");

	while (dir && (entry = readdir(dir))) {
		if (number_parse(entry->d_name, 1, INT_MAX, &pid, NULL) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%lu", pid);
		if (stat(path, &st) < 0 || st.st_uid != uid)
			continue;
		snprintf(path, sizeof(path), "/proc/%lu/comm", pid);
		count +=
			sysfs_line(path, name, sizeof(name)) == 0 &&
			(!strcmp(name, "jobio-file") || !strcmp(name, "jobio"));
	}
	if (dir)
		closedir(dir);
	return count;
}

/* ---- the report ---------------------------------------------------------------- */

enum answer {
	ANSWER_NONE,  /* the ledger shows nothing yet */
	ANSWER_PART,  /* some nodes */
	ANSWER_NODES, /* all nodes, and Slurm does not say how it ended */
	ANSWER_WHOLE
};

/* Does Slurm not say yet how it ended? */
static bool is_going(const char *state)
{
	static const char *const going[] = { "RUNNING", "COMPLETING", "PENDING",
					     "SUSPENDED", "REQUEUED" };
	size_t i;

	for (i = 0; state && i < sizeof(going) / sizeof(going[0]); i++)
		if (!strcmp(state, going[i]))
			return true;
	return false;
}

static enum answer judge(struct json_object *report)
{
	const char *source = json_text(report, "source");
	int64_t seen = json_number(report, "nodes_seen");

	if (!source || strcmp(source, "ledger") != 0)
		return ANSWER_NONE;
	if (seen < 0 || seen != json_number(report, "nodes_expected"))
		return ANSWER_PART;
	return is_going(json_text(json_map(report, "slurm"), "state"))
		       ? ANSWER_NODES
		       : ANSWER_WHOLE;
}

/* Of JSON each line is a job; of an error the first one says what. */
static void cut_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
}

/* The last word, or the end of the words. */
static char *run_option_of(struct filing *f)
{
	return *f->run_option ? f->run_option : NULL;
}

static enum answer ask(struct filing *f)
{
	char *argv[] = { f->jobio,	   "report",
			 f->conf_option,   "--json",
			 "--advice=none",  (char *)f->job,
			 run_option_of(f), NULL };
	struct json_object *report = NULL;
	struct child_result result;
	enum answer answer;

	if (child_run(argv, NULL, REPORT_MS, &result, NULL) < 0)
		return ANSWER_NONE;
	cut_line(result.out);
	if (result.status == 0)
		report = json_parse(result.out);
	answer = judge(report);
	json_object_put(report);
	child_result_free(&result);
	return answer;
}

static unsigned int wait_of(const struct config *config)
{
	unsigned int wait_s = config->ledger.grace_s;

	return (wait_s > WAIT_MAX_S ? WAIT_MAX_S : wait_s) + AFTER_GRACE_S;
}

static enum answer wait_for_nodes(struct filing *f, unsigned int wait_s)
{
	unsigned long long begin_ms = child_now_ms(), gone_s;
	struct timespec nap = { .tv_sec = FIRST_NAP_S };
	enum answer answer;

	do {
		nanosleep(&nap, NULL);
		nap.tv_sec =
			2 * nap.tv_sec > NAP_MAX_S ? NAP_MAX_S : 2 * nap.tv_sec;
		answer = ask(f);
		gone_s = (child_now_ms() - begin_ms) / 1000;
	} while (answer != ANSWER_WHOLE &&
		 gone_s < (answer == ANSWER_NODES ? SLURM_WAIT_S : wait_s));
	return answer;
}

/* In a child: what has the name of the file, and is not to be replaced? */
static int look_at_name(void *arg)
{
	const struct filing *f = arg;
	struct stat st;

	if (lstat(f->file, &st) < 0)
		return 0;
	if (S_ISREG(st.st_mode) && st.st_uid == geteuid())
		return 0;
	printf("'%s': there is something else of that name: it stays", f->file);
	return 1;
}

static int leave(struct filing *f, struct err *err)
{
	char option[PATH_MAX + 8];
	char *argv[] = { f->jobio, "report",	   f->conf_option,
			 option,   (char *)f->job, run_option_of(f),
			 NULL };
	struct child_result result;
	int rc;

	if (child_call("look at the report's place", look_at_name, f, LOOK_MS,
		       &result, err) < 0)
		return -1;
	rc = result.status ? err_set(err, "%s", result.out) : 0;
	child_result_free(&result);
	if (rc < 0)
		return -1;
	snprintf(option, sizeof(option), "--html=%s", f->file);
	if (child_run(argv, NULL, REPORT_MS, &result, err) < 0)
		return -1;
	if (result.status) {
		cut_line(result.errtext);
		rc = *result.errtext ? err_set(err, "%s", result.errtext)
				     : err_set(err, "'%s' ended with %d",
					       f->jobio, result.status);
	}
	child_result_free(&result);
	return rc;
}

/* ---- all of it ------------------------------------------------------------------- */

/* Beside this program, as in a build, or where it is installed. */
static int find_jobio(struct filing *f, struct err *err)
{
	if (job_helper_path("jobio", f->jobio, sizeof(f->jobio)) == 0 &&
	    access(f->jobio, X_OK) == 0)
		return 0;
	snprintf(f->jobio, sizeof(f->jobio), "%s/jobio", JOBIO_BINDIR);
	if (access(f->jobio, X_OK) == 0)
		return 0;
	return err_set(err,
		       "report_dir: '%s': not on this node: install it, "
		       "or take report_dir out of jobio.conf",
		       f->jobio);
}

static int run(struct filing *f, struct err *err)
{
	struct config *config;
	unsigned int wait_s;

	if (become_user(f, err) < 0 || find_jobio(f, err) < 0)
		return -1;
	config = config_load(f->conf, err);
	if (!config)
		return -1;
	wait_s = wait_of(config);
	config_free(config);
	if (count_filing(f->uid) > AT_ONCE)
		return err_set(err,
			       "'%s': %d reports of this user wait or "
			       "hang: none for this job",
			       f->dir, AT_ONCE);
	snprintf(f->conf_option, sizeof(f->conf_option), "--conf=%s",
		 f->conf ? f->conf : JOBIO_CONF);
	if (snprintf(f->file, sizeof(f->file), "%s/jobio-%s.html", f->dir,
		     f->job) >= (int)sizeof(f->file))
		return err_set(err, "'%.200s..': too long", f->dir);
	if (wait_for_nodes(f, wait_s) == ANSWER_NONE)
		return err_set(err,
			       "the ledger shows no record of it after "
			       "%u s: no report in '%s'",
			       wait_s, f->dir);
	return leave(f, err);
}

int main(int argc, char **argv)
{
	struct filing filing = { .conf = NULL };
	struct err err = { "" };

	if (read_arguments(&filing, argc, argv) < 0)
		return usage(stderr, EX_USAGE);
	log_open("file", filing.id);
	if (run(&filing, &err) < 0) {
		log_line("%s", err.text);
		return EX_SOFTWARE;
	}
	return 0;
}
