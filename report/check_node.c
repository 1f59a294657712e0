/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_node.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/json.h"

#define PROBE_MS 5000U
#define DIR_MAX_BYTES (PATH_MAX - 64)

/* ---- prolog and epilog -------------------------------------------------------- */

/* One of the two, as slurm.conf names it. */
struct hook {
	const char *key, *helper;
	bool runs_jobio;
	size_t wrong; /* scripts that slurmd cannot run */
};

/* Without the root. A relative name is beside slurm.conf (since 23.11). */
static void script_path(const struct doctor *doctor, const char *value, char path[PATH_MAX])
{
	const char *slash = strrchr(doctor->slurm_conf_path, '/');
	int length = *value == '/' || !slash ? 0 : (int)(slash - doctor->slurm_conf_path) + 1;

	snprintf(path, PATH_MAX, "%.*s%s", length, doctor->slurm_conf_path, value);
}

static bool is_ours(const struct doctor *doctor, const char *path, const char *helper)
{
	char whole[PATH_MAX], *real, *text;
	bool ours = false;

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	real = realpath(whole, NULL);
	if (real) {
		snprintf(whole, sizeof(whole), "%.*s/%s", (int)(strrchr(real, '/') - real), real,
			 helper);
		ours = access(whole, F_OK) == 0;
	}
	free(real);
	text = ours ? NULL : doctor_read(doctor, path);
	ours |= text && strstr(text, "jobio");
	free(text);
	return ours;
}

static void tell_missing(const struct doctor *doctor, struct hook *hook, const char *path,
			 const char *why)
{
	hook->wrong++;
	findings_add(doctor->findings, "S17", FINDING_ERROR,
		     "install it on every node before slurm.conf names it; chmod 755",
		     "slurm.conf: %s=%s: %s: slurmd fails it and drains the node at its next job",
		     hook->key, path, why);
}

/* slurmd: access(2) with R_OK and X_OK (run_script.c, run_command.c) */
static void look_at_script(const struct doctor *doctor, struct hook *hook, const char *path)
{
	char whole[PATH_MAX];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	if (stat(whole, &st) < 0) {
		tell_missing(doctor, hook, path, "there is no such file");
	} else if (!S_ISREG(st.st_mode) || !(st.st_mode & 0111)) {
		tell_missing(doctor, hook, path, "it is not executable");
	} else {
		hook->runs_jobio |= is_ours(doctor, path, hook->helper);
	}
}

static void look_at_value(const struct doctor *doctor, struct hook *hook, const char *value)
{
	char path[PATH_MAX];
	size_t skip = strlen(doctor->root);
	glob_t found;

	script_path(doctor, value, path);
	if (!strpbrk(path, "*?[")) {
		look_at_script(doctor, hook, path);
		return;
	}
	if (!doctor_glob(doctor, path, &found))
		tell_missing(doctor, hook, path, "no file matches");
	for (size_t i = 0; i < found.gl_pathc; i++)
		look_at_script(doctor, hook, found.gl_pathv[i] + skip);
	globfree(&found);
}

static void look_at_hook(const struct doctor *doctor, struct hook *hook)
{
	const char *value = NULL, *one;
	size_t i;

	for (i = 0; (one = slurm_conf_nth(doctor->slurm, hook->key, i)); i++) {
		value = one;
		look_at_value(doctor, hook, value);
	}
	if (!value || hook->wrong || hook->runs_jobio)
		return;
	findings_add(doctor->findings, "S18", FINDING_ERROR,
		     "let one of them run " JOBIO_LIBEXECDIR
		     "/prolog or /epilog, or name that as well",
		     "slurm.conf: %s=%s: none of its scripts runs jobio's: nothing is %s for a job",
		     hook->key, value, *hook->key == 'P' ? "prepared" : "put back or recorded");
}

void check_node_scripts(const struct doctor *doctor)
{
	struct hook hooks[] = {
		{ .key = "Prolog", .helper = "jobio-prepare" },
		{ .key = "Epilog", .helper = "jobio-release" },
	};

	for (size_t i = 0; i < 2; i++)
		look_at_hook(doctor, &hooks[i]);
}

/* ---- helpers ------------------------------------------------------------------ */

/* The folder of a prolog, links followed, if helpers are there: one of two. */
static bool take_folder(const char *prolog, char dir[PATH_MAX])
{
	char *real = realpath(prolog, NULL), helper[PATH_MAX];
	int length = real ? (int)(strrchr(real, '/') - real) : 0;
	bool found = false;

	if (real && length < DIR_MAX_BYTES) {
		snprintf(helper, sizeof(helper), "%.*s/jobio-prepare", length, real);
		found = access(helper, F_OK) == 0;
		snprintf(helper, sizeof(helper), "%.*s/jobio-release", length, real);
		found |= access(helper, F_OK) == 0;
	}
	if (found)
		snprintf(dir, PATH_MAX, "%.*s", length, real);
	free(real);
	return found;
}

/* Beside a prolog that is ours; else where they were installed. */
static void find_helpers(const struct doctor *doctor, char dir[PATH_MAX])
{
	char path[PATH_MAX];
	const char *value;
	bool found = false;
	glob_t names;
	size_t count;

	for (size_t i = 0; !found && (value = slurm_conf_nth(doctor->slurm, "Prolog", i)); i++) {
		script_path(doctor, value, path);
		count = doctor_glob(doctor, path, &names);
		for (size_t k = 0; k < count && !found; k++)
			found = take_folder(names.gl_pathv[k], dir);
		globfree(&names);
	}
	if (!found)
		snprintf(dir, PATH_MAX, "%s%s", doctor->root, JOBIO_LIBEXECDIR);
}

static bool is_program(const char *dir, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.*s/%s", DIR_MAX_BYTES, dir, name);
	return access(path, X_OK) == 0;
}

static void check_helpers(const struct doctor *doctor, const char *dir)
{
	static const char *const helpers[] = { "jobio-prepare", "jobio-release", "jobio-send",
					       "jobio-slurm",	"jobio-node",	 "jobio-count" };
	char missing[ERR_MAX] = "";
	size_t used;

	for (size_t i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		used = strlen(missing);
		if (!is_program(dir, helpers[i]))
			snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? " " : "",
				 helpers[i]);
	}
	if (*missing)
		findings_add(doctor->findings, "H01", FINDING_ERROR,
			     "install jobio-node (or libexec/jobio of make install) here again",
			     "%s: not there, or not executable: %s: jobs run without what it does",
			     dir, missing);
}

/* ---- counters ----------------------------------------------------------------- */

static void judge_tier(const struct doctor *doctor, const char *out)
{
	struct json *answer = json_parse(out);
	const char *tier = json_text(answer, "tier");
	const char *why = json_text(answer, "reason");

	if (!tier)
		findings_add(doctor->findings, "H02", FINDING_WARNING,
			     "run jobio-count probe by hand",
			     "jobio-count probe: no answer that can be read");
	else if (strcmp(tier, "bpf") != 0)
		findings_add(
			doctor->findings, "H02", FINDING_WARNING,
			"Linux 5.10 or newer with BTF, a bpffs at /sys/fs/bpf, no lockdown=confidentiality, and a jobio that was built with libbpf; or kernel=no in [count]",
			"I/O is counted by %s, on all files together: %s",
			strcmp(tier, "none") != 0 ? "process exits" : "steps",
			why ? why : "the kernel does not say why");
	else if (why)
		findings_add(
			doctor->findings, "H02", FINDING_WARNING,
			"jobio-count(8) has a table of kernels; a newer jobio may know this one",
			"not all I/O is counted: %s", why);
	json_free(answer);
}

static void check_counters(const struct doctor *doctor, const char *dir)
{
	char program[PATH_MAX], run_dir[PATH_MAX];
	char *argv[] = { program, run_dir, (char *)"probe", NULL };
	struct child_result result = { 0 };
	struct err err;

	snprintf(program, sizeof(program), "%.*s/jobio-count", DIR_MAX_BYTES, dir);
	snprintf(run_dir, sizeof(run_dir), "--run-dir=%s", doctor->config->run_dir);
	if (*doctor->root || geteuid() != 0 || access(program, X_OK) < 0 ||
	    doctor->config->count_kernel == SWITCH_NO)
		return;
	if (child_run(argv, NULL, PROBE_MS, &result, &err) < 0)
		findings_add(doctor->findings, "H02", FINDING_WARNING,
			     "run jobio-count probe by hand", "%s", err.text);
	else
		judge_tier(doctor, result.out);
	child_result_free(&result);
}

/* ---- jobs that are over -------------------------------------------------------- */

#define LEFT " left\n"

/* The ids in lines of `jobio-prepare --list`: "16 17" */
static void read_left(const char *out, char *ids, size_t room)
{
	const char *line, *end;
	size_t used;

	*ids = '\0';
	for (line = out; (end = strchr(line, '\n')); line = end + 1) {
		used = strlen(ids);
		if (end - line > (long)strlen(LEFT) &&
		    !strncmp(end + 1 - strlen(LEFT), LEFT, strlen(LEFT)))
			snprintf(ids + used, room - used, "%s%.*s", used ? " " : "",
				 (int)strcspn(line, " "), line);
	}
}

static void check_left(const struct doctor *doctor, const char *dir)
{
	char program[PATH_MAX], conf[PATH_MAX + 8], cure[PATH_MAX];
	char ids[ERR_MAX / 2];
	char *argv[] = { program, (char *)"--list", conf, NULL };
	struct child_result result = { 0 };

	snprintf(program, sizeof(program), "%.*s/jobio-prepare", DIR_MAX_BYTES, dir);
	snprintf(conf, sizeof(conf), "--conf=%s", doctor->conf);
	if (*doctor->root || geteuid() != 0 || access(program, X_OK) < 0 ||
	    child_run(argv, NULL, PROBE_MS, &result, NULL) < 0)
		return;
	read_left(result.out, ids, sizeof(ids));
	child_result_free(&result);
	snprintf(cure, sizeof(cure), "%.*s/jobio-prepare --recover", DIR_MAX_BYTES, dir);
	if (*ids)
		findings_add(doctor->findings, "H06", FINDING_WARNING, cure,
			     "%s: folders of jobs that have ended, whose epilog did not run: %s",
			     doctor->config->run_dir, ids);
}

/* ---- folders and units -------------------------------------------------------- */

static void check_folder(const struct doctor *doctor, const char *key, const char *path)
{
	char whole[PATH_MAX];
	struct stat st;

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	if (lstat(whole, &st) < 0)
		return; /* the first prolog makes it */
	if (S_ISDIR(st.st_mode) && st.st_uid == 0 && !(st.st_mode & 022))
		return;
	findings_add(doctor->findings, "H03", FINDING_ERROR,
		     "a folder of root's with mode 700, or none: the first prolog makes it",
		     "jobio.conf: %s=%s: %s: jobio does not write there, and jobs have no record",
		     key, path,
		     S_ISDIR(st.st_mode) ? "others than root may write there" : "it is no folder");
}

/* Is there a file FOLDER/UNIT in a directory of units? */
static bool has_unit(const struct doctor *doctor, const char *folder, const char *unit)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	bool has;

	snprintf(pattern, sizeof(pattern), "%s/{etc,lib,usr/lib,run}/systemd/system%s/%s",
		 doctor->root, folder, unit);
	has = glob(pattern, GLOB_BRACE, NULL, &found) == 0;
	globfree(&found);
	return has;
}

static void check_units(const struct doctor *doctor)
{
	static const struct {
		const char *name, *what;
	} units[] = {
		{ "jobio-recover.service",
		  "what a crash left changed stays so until the next job" },
		{ "jobio-send.path", "records wait for the timer" },
		{ "jobio-send.timer",
		  "records that the ledger did not take wait for the next job" },
	};
	char path[PATH_MAX], cure[80];

	snprintf(path, sizeof(path), "%s/run/systemd/system", doctor->root);
	if (access(path, F_OK) < 0)
		return; /* no systemd */
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!has_unit(doctor, "", units[i].name) ||
		    has_unit(doctor, "/*.wants", units[i].name))
			continue;
		snprintf(cure, sizeof(cure), "systemctl enable --now %s", units[i].name);
		findings_add(doctor->findings, "H04", FINDING_WARNING, cure,
			     "%s is not enabled: %s", units[i].name, units[i].what);
	}
}

void check_node_host(const struct doctor *doctor)
{
	char dir[PATH_MAX];

	if (doctor->slurm && slurm_conf_get(doctor->slurm, "Prolog")) {
		find_helpers(doctor, dir);
		check_helpers(doctor, dir);
		check_counters(doctor, dir);
		check_left(doctor, dir);
	}
	check_folder(doctor, "run_dir", doctor->config->run_dir);
	check_folder(doctor, "spool_dir", doctor->config->spool_dir);
	check_units(doctor);
	if (!*doctor->root && geteuid() != 0)
		findings_add(
			doctor->findings, "H05", FINDING_INFO, "run it as root",
			"not run as root: counters, spool and parts of the client were not looked at");
}
