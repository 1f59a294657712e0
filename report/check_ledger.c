/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_ledger.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/child.h"
#include "lib/json.h"
#include "lib/ledger_link.h"
#include "lib/rundir.h"
#include "lib/seal.h"

#define HELLO_EXTRA_MS 10000U /* munged and names have no deadline of ours */
#define CLOCK_S 5
#define WAITS_S (15 * 60) /* three rounds of jobio-send.timer */

/* ---- the hello, in a child ---------------------------------------------------- */

/* What the child prints first; then its sentence, or the ledger's clock less
 * ours. */
enum stage {
	STAGE_USER = 'u',
	STAGE_MUNGE = 'm',
	STAGE_CONNECT = 'c',
	STAGE_HELLO = 'h',
	STAGE_DONE = 'd'
};

static int end_at(enum stage stage, const char *text)
{
	printf("%c%s", stage, text);
	return 0;
}

static int hello(void *arg)
{
	const struct config_ledger *ledger = arg;
	struct ledger_link *link;
	struct json *top;
	char *answer, text[32];
	struct err err;
	int64_t there;

	if (!getpwnam(ledger->user))
		return end_at(STAGE_USER, ledger->user);
	if (seal_check(ledger->munge_socket, &err) < 0)
		return end_at(STAGE_MUNGE, err.text);
	link = ledger_link_open(ledger, &err);
	if (!link)
		return end_at(STAGE_CONNECT, err.text);
	if (ledger_link_call(link, "{\"op\":\"ping\"}", &answer, &err) < 0)
		return end_at(STAGE_HELLO, err.text);
	top = json_parse(answer);
	there = json_number(top, "time");
	if (!json_is_true(top, "ok"))
		return end_at(STAGE_HELLO, "the ledger refuses a ping");
	snprintf(text, sizeof(text), "%lld", there > 0 ? (long long)(there - time(NULL)) : 0LL);
	return end_at(STAGE_DONE, text);
}

/* ---- findings ----------------------------------------------------------------- */

static void judge_clock(const struct doctor *doctor, long ahead_s)
{
	if (labs(ahead_s) < CLOCK_S)
		return;
	findings_add(
		doctor->findings, "L06", FINDING_WARNING, "chronyd or ntpd on both hosts",
		"this host's clock is %s the ledger's: records have wrong times, and from 300 s on MUNGE refuses them",
		ahead_s > 0 ? "behind" : "ahead of");
	findings_measured(doctor->findings, "%ld s", labs(ahead_s));
}

static void judge_hello(const struct doctor *doctor, const struct config_ledger *ledger,
			const char *out)
{
	char cure[ERR_MAX];

	snprintf(cure, sizeof(cure),
		 "start jobio-ledgerd on %s, and open its TCP port %u for this host", ledger->host,
		 ledger->port);
	switch (*out ? (enum stage) * out : STAGE_HELLO) {
	case STAGE_USER:
		findings_add(
			doctor->findings, "L09", FINDING_ERROR,
			"make the user known here, with the same uid, or name SlurmUser in [ledger] user",
			"jobio.conf: [ledger] user: '%s': no such user on this host: records cannot be sealed for it",
			out + 1);
		break;
	case STAGE_MUNGE:
		findings_add(doctor->findings, "L03", FINDING_ERROR,
			     "start munged, with the site's key; see munge -n | unmunge",
			     "MUNGE does not work here: %s", out + 1);
		break;
	case STAGE_CONNECT:
		findings_add(doctor->findings, "L04", FINDING_ERROR, cure,
			     "the ledger cannot be reached: %s", out + 1);
		break;
	case STAGE_HELLO:
		findings_add(
			doctor->findings, "L05", FINDING_ERROR,
			"the same munge.key and the same time on both hosts, and the same [ledger] user in jobio.conf",
			"the ledger does not answer a signed hello: %s",
			*out ? out + 1 : "it gave up");
		break;
	case STAGE_DONE:
		judge_clock(doctor, strtol(out + 1, NULL, 10));
		break;
	}
}

static void ask_one(const struct doctor *doctor, struct config_ledger *ledger)
{
	struct child_result result = { 0 };
	struct err err;

	if (child_call("the ledger", hello, ledger, 2 * ledger->send_timeout_ms + HELLO_EXTRA_MS,
		       &result, &err) < 0)
		findings_add(doctor->findings, "L05", FINDING_ERROR,
			     "look whether munged and the name service answer here",
			     "asking the ledger took too long: %s", err.text);
	else
		judge_hello(doctor, ledger, result.out);
	child_result_free(&result);
}

/* Each of them: that the next one answers hides that one is down. */
static void ask_ledger(const struct doctor *doctor)
{
	struct config_ledger one = doctor->config->ledger;
	char host[CONFIG_WORD_MAX];
	size_t i;

	one.host = host;
	for (i = 0; config_word(doctor->config->ledger.host, i, host); i++)
		ask_one(doctor, &one);
}

static bool is_loopback(const char *host)
{
	return !strcasecmp(host, "localhost") || !strncmp(host, "127.", 4) ||
	       !strcmp(host, "::1") || !strncasecmp(host, "localhost.", 10);
}

static bool has_loopback(const char *hosts)
{
	char host[CONFIG_WORD_MAX];

	for (size_t i = 0; config_word(hosts, i, host); i++)
		if (is_loopback(host))
			return true;
	return false;
}

/* The same jobio.conf is on all hosts. */
static bool has_ledger(const struct doctor *doctor)
{
	const char *host = doctor->config->ledger.host;

	if (!*host)
		findings_add(
			doctor->findings, "L01", FINDING_WARNING,
			"host= in [ledger], the host that runs jobio-ledgerd",
			"jobio.conf: [ledger] host is not set: records stay on the nodes, and sacct shows nothing");
	else if (has_loopback(host) && !(doctor->roles & ROLE_LEDGER))
		findings_add(
			doctor->findings, "L02", FINDING_ERROR,
			"the name of the host that runs jobio-ledgerd",
			"jobio.conf: [ledger] host=%s: no ledger runs on this host, so its records go nowhere",
			host);
	else
		return true;
	return false;
}

/* slurmdbd lets SlurmUser, and administrators, change a job. */
static void check_user(const struct doctor *doctor)
{
	const char *user = doctor->slurm ? slurm_conf_get(doctor->slurm, "SlurmUser") : NULL;

	if (!doctor->slurm)
		return;
	user = user ? user : "root"; /* slurm.conf(5) */
	if (strcmp(user, doctor->config->ledger.user) != 0)
		findings_add(
			doctor->findings, "L10", FINDING_WARNING,
			"[ledger] user= as SlurmUser, and User= of jobio-ledgerd.service; or give the user AdminLevel=Operator in sacctmgr",
			"jobio.conf: [ledger] user=%s, and SlurmUser is %s: slurmdbd may refuse the summaries",
			doctor->config->ledger.user, user);
}

/* ---- what waits ----------------------------------------------------------------- */

static void check_waiting(const struct doctor *doctor)
{
	char path[PATH_MAX];
	size_t count = 0;
	time_t oldest = time(NULL), now = oldest;
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", doctor->root, doctor->config->spool_dir);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!rundir_is_record(entry->d_name) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		count++;
		if (st.st_mtime < oldest)
			oldest = st.st_mtime;
	}
	if (dir)
		closedir(dir);
	if (now - oldest < WAITS_S)
		return;
	findings_add(doctor->findings, "L07", FINDING_WARNING,
		     "run jobio-send --once there and read what it says",
		     "records wait in %s for more than %d minutes", doctor->config->spool_dir,
		     WAITS_S / 60);
	findings_measured(doctor->findings, "%zu of at most %u, the oldest for %lld minutes", count,
			  doctor->config->spool_max_records, (long long)(now - oldest) / 60);
}

static void check_refused(const struct doctor *doctor)
{
	char path[PATH_MAX];
	size_t count = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s/bad", doctor->root, doctor->config->spool_dir);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		count += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	if (!count)
		return;
	findings_add(doctor->findings, "L08", FINDING_WARNING,
		     "read and remove them; the ledger's log says why",
		     "records in %s/bad: the ledger can never accept them",
		     doctor->config->spool_dir);
	findings_measured(doctor->findings, "%zu", count);
}

/* ---- the ledger's own host --------------------------------------------------------- */

/* As jobio-ledgerd does, which refuses to start (ledger/mariadb.c). */
static void check_password(const struct doctor *doctor)
{
	const struct config_ledger *ledger = &doctor->config->ledger;
	const struct passwd *pw = getpwnam(ledger->user);
	char path[PATH_MAX];
	struct stat st;

	if (!*ledger->storage_pass_file)
		return;
	snprintf(path, sizeof(path), "%s%s", doctor->root, ledger->storage_pass_file);
	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && pw && st.st_uid == pw->pw_uid &&
	    !(st.st_mode & 077))
		return;
	findings_add(
		doctor->findings, "L13", FINDING_ERROR,
		"write the password into it, chown USER, chmod 600",
		"jobio.conf: [ledger] storage_pass_file=%s: it is not there, not %s's, or others may read it: jobio-ledgerd does not start",
		ledger->storage_pass_file, ledger->user);
}

static void check_store(const struct doctor *doctor)
{
	const struct config_ledger *ledger = &doctor->config->ledger;
	const struct passwd *pw = getpwnam(ledger->user);
	const char *slash = strrchr(ledger->store, '/');
	char path[PATH_MAX];
	struct stat st;

	if (!slash) {
		check_password(doctor);
		return;
	}
	snprintf(path, sizeof(path), "%s%.*s", doctor->root, (int)(slash - ledger->store),
		 ledger->store);
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode) && pw && st.st_uid == pw->pw_uid)
		return;
	findings_add(
		doctor->findings, "L11", FINDING_ERROR,
		"install -d -m 700 -o USER the folder; systemd's StateDirectory= does",
		"jobio.conf: [ledger] store=%s: its folder is not there, or not %s's: jobio-ledgerd does not start",
		ledger->store, ledger->user);
}

static void check_accounting(const struct doctor *doctor)
{
	const char *type =
		doctor->slurm ? slurm_conf_get(doctor->slurm, "AccountingStorageType") : NULL;

	if (!doctor->slurm || (type && strcasestr(type, "slurmdbd")))
		return;
	findings_add(
		doctor->findings, "L12", FINDING_ERROR,
		"AccountingStorageType=accounting_storage/slurmdbd",
		"slurm.conf: AccountingStorageType=%s: without slurmdbd no job has a summary in sacct",
		type ? type : "(not set)");
}

void check_ledger(const struct doctor *doctor)
{
	if (doctor->roles & ROLE_NODE) {
		check_waiting(doctor);
		check_refused(doctor);
	}
	if (doctor->roles & ROLE_LEDGER)
		check_store(doctor);
	if (doctor->roles & (ROLE_LEDGER | ROLE_CTLD)) {
		check_accounting(doctor);
		check_user(doctor);
	}
	if (has_ledger(doctor) && !*doctor->root)
		ask_ledger(doctor);
}
