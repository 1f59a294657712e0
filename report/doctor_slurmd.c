/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmd itself sees of this node: the CPUs that its process may run on,
 * what it found when it started (SlurmdSpoolDir/hwloc_topo_whole.xml, until
 * 24.11; xcpuinfo.c:xcpuinfo_hwloc_topo_load), and what `slurmd -C` finds now.
 */
#include "report/doctor_slurmd.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/core_map.h"
#include "lib/fileio.h"
#include "lib/number.h"
#include "lib/version.h"

#define SLURMD_TIMEOUT_MS 10000U
#define ENV_MAX 16
#define PID_LIMIT 0x7fffffffUL

struct slurmd {
	unsigned long pid; /* 0: none runs here */
	struct cpuset allowed;
	char path[PATH_MAX]; /* its program */
};

static const char hidden_cure[] =
	"let nothing hide CPUs from slurmd (isolate_cpusets=false and cgroups_mode=none in the client's service.conf, restart it; no AllowedCPUs= or CPUAffinity= for slurmd.service), then start slurmd again";

/* ---- the running slurmd --------------------------------------------------------- */

/* The value of "KEY:\t..." up to the end of its line, in place; or NULL. */
static char *status_value(char *status, const char *key)
{
	size_t length = strlen(key);
	char *line;

	for (line = status; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) != 0 || line[length] != ':')
			continue;
		line += length + 1;
		return line + strspn(line, " \t");
	}
	return NULL;
}

/* 1: this process is a slurmd of this host, and *slurmd is set. */
static int take_process(const struct doctor *doctor, unsigned long pid, struct slurmd *slurmd)
{
	char path[64], list[8192], *status, *value;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%lu/status", pid);
	status = doctor_read(doctor, path);
	if (!status || !doctor_is_named(status, "slurmd"))
		goto out;
	value = status_value(status, "Cpus_allowed_list");
	if (!value)
		goto out;
	snprintf(list, sizeof(list), "%.*s", (int)strcspn(value, "\n"), value);
	if (cpuset_parse(&slurmd->allowed, list, NULL) < 0)
		goto out;
	slurmd->pid = pid;
	rc = 1;
out:
	free(status);
	return rc;
}

/* %n and %h are the node's name and the host's (slurm.conf(5)). */
static void expand(const struct doctor *doctor, const char *pattern, char *path, size_t room)
{
	size_t used = 0;

	for (; *pattern && used + 1 < room; pattern++) {
		if (*pattern == '%' && strchr("nh", pattern[1]) && pattern[1]) {
			int length = snprintf(path + used, room - used, "%s", doctor->host);

			used += (size_t)length;
			pattern++;
		} else {
			path[used++] = *pattern;
		}
	}
	path[used < room ? used : room - 1] = '\0';
}

static int from_pidfile(const struct doctor *doctor, struct slurmd *slurmd)
{
	const char *named = slurm_conf_get(doctor->slurm, "SlurmdPidFile");
	char path[PATH_MAX], *text;
	unsigned long pid;
	int rc = 0;

	expand(doctor, named ? named : "/var/run/slurmd.pid", path, sizeof(path));
	text = doctor_read(doctor, path);
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		rc = number_parse(text, 1, PID_LIMIT, &pid, NULL) == 0 &&
		     take_process(doctor, pid, slurmd);
	}
	free(text);
	return rc;
}

/* The oldest: a slurmd that is about to run a command has its own name. */
static void from_scan(const struct doctor *doctor, struct slurmd *slurmd)
{
	char path[PATH_MAX];
	struct slurmd found;
	struct dirent *entry;
	unsigned long pid;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", doctor->root);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name) ||
		    number_parse(entry->d_name, 1, PID_LIMIT, &pid, NULL) < 0 ||
		    (slurmd->pid && pid > slurmd->pid) || !take_process(doctor, pid, &found))
			continue;
		slurmd->pid = found.pid;
		slurmd->allowed = found.allowed;
	}
	if (dir)
		closedir(dir);
}

/* ---- its name ------------------------------------------------------------------- */

#define ARGUMENTS_MAX 65536
#define NAME_TIMEOUT_MS 1000U

/* Prints what stands behind -N, as a word of its own or not. */
static int print_name(void *path)
{
	size_t size, at;
	char *words = fileio_read(path, ARGUMENTS_MAX, &size, NULL);
	const char *name = "";

	for (at = 0; words && at < size; at += strlen(words + at) + 1) {
		if (strncmp(words + at, "-N", 2) != 0)
			continue;
		at += words[at + 2] ? 2 : 3;
		if (at >= size)
			break;
		name = words + at; /* the last one counts, as for getopt(3) */
	}
	printf("%s", name);
	free(words);
	return 0;
}

/* In a child: a process that is stuck does not show its arguments. */
bool doctor_slurmd_name(const struct doctor *doctor, char *name, size_t room)
{
	struct child_result result = { 0 };
	struct slurmd slurmd = { 0 };
	char path[PATH_MAX];
	bool found = false;

	from_scan(doctor, &slurmd);
	if (!slurmd.pid ||
	    snprintf(path, sizeof(path), "%s/proc/%lu/cmdline", doctor->root, slurmd.pid) >=
		    (int)sizeof(path) ||
	    child_call("slurmd's arguments", print_name, path, NAME_TIMEOUT_MS, &result, NULL) < 0)
		return false;
	found = result.out_bytes && result.out_bytes < room;
	if (found)
		snprintf(name, room, "%s", result.out);
	child_result_free(&result);
	return found;
}

static void find_program(const struct doctor *doctor, struct slurmd *slurmd)
{
	static const char *const usual[] = {
		"/usr/sbin/slurmd",
		"/usr/local/sbin/slurmd",
		"/opt/slurm/sbin/slurmd",
	};
	char link[64];
	ssize_t length;

	if (doctor->slurmd_path) {
		snprintf(slurmd->path, sizeof(slurmd->path), "%s", doctor->slurmd_path);
		return;
	}
	if (*doctor->root)
		return; /* files only */
	snprintf(link, sizeof(link), "/proc/%lu/exe", slurmd->pid);
	length = slurmd->pid ? readlink(link, slurmd->path, sizeof(slurmd->path) - 1) : -1;
	slurmd->path[length > 0 ? length : 0] = '\0';
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (access(slurmd->path, X_OK) < 0)
			snprintf(slurmd->path, sizeof(slurmd->path), "%s", usual[i]);
	if (access(slurmd->path, X_OK) < 0)
		*slurmd->path = '\0';
}

/* ---- what it should see, and what it sees ------------------------------------------ */

/* The kernel's CPUs, without those that slurmd leaves out on purpose. */
static int online_cpus(const struct doctor *doctor, struct cpuset *online)
{
	char *text = doctor_read(doctor, "/sys/devices/system/cpu/online");
	int rc = text ? cpuset_parse(online, text, NULL) : -1;

	if (rc == 0 && core_map_flaws(doctor->state.map) & CORE_MAP_ECORES_DROPPED)
		cpuset_and(online, core_map_cpus(doctor->state.map));
	free(text);
	return rc;
}

static void add_hidden(const struct doctor *doctor, const char *what, const struct cpuset *online,
		       const struct cpuset *seen)
{
	struct cpuset hidden = *online;
	char *hidden_list, *seen_list;

	cpuset_andnot(&hidden, seen);
	if (cpuset_is_empty(&hidden))
		return;
	hidden_list = cpuset_format(&hidden);
	seen_list = cpuset_format(seen);
	findings_add(doctor->findings, "N03", FINDING_ERROR, hidden_cure,
		     "%s OS CPUs %s that the kernel has online: it counts and numbers only %s",
		     what, hidden_list ? hidden_list : "?", seen_list ? seen_list : "?");
	free(hidden_list);
	free(seen_list);
}

/* The running slurmd's own file; 25.05 and later keep none. */
static void check_start(const struct doctor *doctor, const struct cpuset *online)
{
	const char *named = slurm_conf_get(doctor->slurm, "SlurmdSpoolDir");
	struct core_map_options options = {
		.slurm_version = doctor->version,
		.allow_ecores = true,
	};
	char spool[PATH_MAX], path[PATH_MAX];
	struct core_map *map;

	if (doctor->version >= VERSION_OF(25, 5, 0))
		return;
	expand(doctor, named ? named : "/var/spool/slurmd", spool, sizeof(spool));
	if (snprintf(path, sizeof(path), "%s%s/hwloc_topo_whole.xml", doctor->root, spool) >=
		    (int)sizeof(path) ||
	    access(path, R_OK) < 0)
		return;
	options.xml = path;
	map = core_map_load(&options, NULL);
	if (map)
		add_hidden(doctor, "slurmd did not see, when it was started,", online,
			   core_map_cpus(map));
	core_map_free(map);
}

/* slurmd's HWLOC_* variables make hwloc read something else than the kernel. */
static size_t copy_environment(const struct slurmd *slurmd, char *text, size_t size,
			       char *env[ENV_MAX])
{
	size_t used = 0;

	for (char *at = text; at && at < text + size && used < ENV_MAX - 2; at += strlen(at) + 1)
		if (slurmd->pid && !strncmp(at, "HWLOC_", 6))
			env[used++] = at;
	env[used] = NULL;
	return used;
}

static int count_cpus(const char *out, unsigned long *cpus)
{
	const char *at = strstr(out, " CPUs=");
	char digits[16];

	if (!at)
		return -1;
	at += strlen(" CPUs=");
	snprintf(digits, sizeof(digits), "%.*s", (int)strspn(at, "0123456789"), at);
	return number_parse(digits, 1, CPUSET_MAX, cpus, NULL);
}

static char *read_environment(const struct slurmd *slurmd, size_t *size)
{
	char path[64], *text = NULL;
	FILE *file;

	*size = 0;
	snprintf(path, sizeof(path), "/proc/%lu/environ", slurmd->pid);
	file = slurmd->pid ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	text = xcalloc(1, 65537);
	*size = fread(text, 1, 65536, file);
	fclose(file);
	return text;
}

/* The hardware as slurmd's own program and library count it now. */
static int ask_slurmd(const struct doctor *doctor, const struct slurmd *slurmd, unsigned long *cpus,
		      struct err *err)
{
	char conf[PATH_MAX + 16], *argv[] = { (char *)slurmd->path, (char *)"-C", NULL };
	struct child_result result = { 0 };
	char *env[ENV_MAX], *text = NULL;
	size_t size = 0, used;
	int rc = -1;

	if (!*doctor->root)
		text = read_environment(slurmd, &size);
	used = copy_environment(slurmd, text, size, env);
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s%s", doctor->root, doctor->slurm_conf_path);
	env[used] = conf;
	env[used + 1] = NULL;
	if (child_run(argv, env, SLURMD_TIMEOUT_MS, &result, err) < 0)
		goto out;
	if (result.status || count_cpus(result.out, cpus) < 0) {
		result.errtext[strcspn(result.errtext, "\n")] = '\0';
		err_set(err, "%s -C: exit status %d: %s", slurmd->path, result.status,
			*result.errtext ? result.errtext : "it names no CPUs");
		goto out;
	}
	rc = 0;
out:
	child_result_free(&result);
	free(text);
	return rc;
}

static void check_count(const struct doctor *doctor, const struct slurmd *slurmd,
			const struct cpuset *online)
{
	unsigned long cpus;
	struct err err;

	if (!*slurmd->path)
		return;
	if (ask_slurmd(doctor, slurmd, &cpus, &err) < 0)
		findings_add(doctor->findings, "N12", FINDING_WARNING, "start it by hand and see",
			     "slurmd cannot say what it sees: %s", err.text);
	else if (cpus < cpuset_count(online))
		findings_add(
			doctor->findings, "N03", FINDING_ERROR, hidden_cure,
			"slurmd sees %lu CPUs (%s -C); the kernel has %u online: slurmd counts and numbers only those",
			cpus, slurmd->path, cpuset_count(online));
}

/* ---- where its process may run ----------------------------------------------------- */

/*
 * With a spec set slurmd binds itself to it, which tells nothing of the rest,
 * or off it with SlurmdOffSpec (slurmd.c:_core_spec_init). With
 * SlurmdSpecOverride (25.05) the cpuset that it is started in makes the spec
 * set: less than all is then meant.
 */
static int expected_cpus(const struct doctor *doctor, const struct cpuset *online,
			 const struct cpuset *spec, struct cpuset *expected)
{
	if (doctor->version >= VERSION_OF(25, 5, 0) &&
	    slurm_conf_has(doctor->slurm, "TaskPluginParam", "SlurmdSpecOverride"))
		return 0;
	*expected = *online;
	cpuset_andnot(expected, spec);
	return cpuset_is_empty(spec) ||
	       slurm_conf_has(doctor->slurm, "TaskPluginParam", "SlurmdOffSpec");
}

static void check_allowed(const struct doctor *doctor, const struct slurmd *slurmd,
			  const struct cpuset *online, const struct cpuset *spec)
{
	struct cpuset missing;
	char *missing_list, *allowed_list;

	if (!expected_cpus(doctor, online, spec, &missing))
		return;
	cpuset_andnot(&missing, &slurmd->allowed);
	if (cpuset_is_empty(&missing))
		return;
	missing_list = cpuset_format(&missing);
	allowed_list = cpuset_format(&slurmd->allowed);
	findings_add(
		doctor->findings, "N10", FINDING_ERROR, hidden_cure,
		"slurmd may run on OS CPUs %s only; %s were taken from it: its jobs cannot have them, though Slurm gives them away",
		allowed_list ? allowed_list : "?", missing_list ? missing_list : "?");
	findings_measured(doctor->findings, "process %lu", slurmd->pid);
	free(missing_list);
	free(allowed_list);
}

void doctor_slurmd(const struct doctor *doctor, const struct cpuset *spec)
{
	struct slurmd slurmd = { 0 };
	struct cpuset online;

	if (doctor->topology && !*doctor->root)
		return; /* another machine's: nothing here is about it */
	if (online_cpus(doctor, &online) < 0)
		return;
	if (*doctor->root)
		add_hidden(doctor, "the file of --topology does not have", &online,
			   core_map_cpus(doctor->state.map));
	if (!from_pidfile(doctor, &slurmd))
		from_scan(doctor, &slurmd);
	find_program(doctor, &slurmd);
	check_count(doctor, &slurmd, &online);
	if (slurmd.pid) {
		check_start(doctor, &online);
		check_allowed(doctor, &slurmd, &online, spec);
		return;
	}
	findings_add(doctor->findings, "N11", FINDING_WARNING,
		     "start slurmd, or run this on the node",
		     "no slurmd runs here: whether it may use all CPUs is not known");
}
