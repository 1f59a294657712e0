/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/doctor_slurm.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/version.h"
#include "report/doctor_plugin.h"

/* A setting that must hold a word, or must not. */
struct rule {
	const char *code;
	enum finding_severity severity;
	const char *key;
	const char *word;
	const char *also; /* another word that Slurm takes for it */
	bool wanted;
	const char *why;
	const char *cure;
};

/* Names of task plugins need no "task/" (task.c:slurmd_task_init), and X11 sets
 * Contain and Alloc (read_config.c:prolog_str2flags, 22.05). */
static const struct rule rules[] = {
	{ "S04", FINDING_ERROR, "TaskPlugin", "task/cgroup", "cgroup", true,
	  "nothing keeps a job's tasks off the cores that Slurm withheld",
	  "TaskPlugin=task/affinity,task/cgroup" },
	{ "S05", FINDING_WARNING, "TaskPlugin", "task/affinity", "affinity", true,
	  "tasks are not bound to CPUs", "TaskPlugin=task/affinity,task/cgroup" },
	{ "S06", FINDING_ERROR, "PrologFlags", "Contain", "X11", true,
	  "no step is there to count what leaves the job's cgroups, and the prolog runs only with the first step",
	  "PrologFlags=Alloc,Contain" },
	{ "S07", FINDING_ERROR, "PrologFlags", "RunInJob", NULL, false,
	  "the prolog then runs inside the job's cpuset and memory limit and cannot prepare the client",
	  "take RunInJob out of PrologFlags" },
	{ "S08", FINDING_WARNING, "SchedulerParameters", "spec_cores_first", NULL, false,
	  "--core-spec then begins with core 0, which is the kernel's and which a client refuses",
	  "take spec_cores_first out of SchedulerParameters" },
	{ "S09", FINDING_WARNING, "ProctrackType", "proctrack/cgroup", NULL, true,
	  "processes can leave the job", "ProctrackType=proctrack/cgroup" },
};

static bool has_word(const struct doctor *doctor, const struct rule *rule)
{
	if (!strcmp(rule->key, "ProctrackType") && !slurm_conf_get(doctor->slurm, rule->key))
		return true; /* the default (read_config.h) */
	return slurm_conf_has(doctor->slurm, rule->key, rule->word) ||
	       (rule->also && slurm_conf_has(doctor->slurm, rule->key, rule->also));
}

static void check_rules(const struct doctor *doctor)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const struct rule *rule = &rules[i];

		if (has_word(doctor, rule) == rule->wanted)
			continue;
		findings_add(doctor->findings, rule->code, rule->severity, rule->cure,
			     "slurm.conf: %s %s %s: %s", rule->key, rule->wanted ? "lacks" : "has",
			     rule->word, rule->why);
	}
}

static void check_select(const struct doctor *doctor)
{
	const char *type = slurm_conf_get(doctor->slurm, "SelectType");

	if (!type) /* the default changed (read_config.h) */
		type = doctor->version >= VERSION_OF(23, 11, 0) ? "select/cons_tres"
								: "select/linear (the default)";
	if (strcasestr(type, "cons_tres") ||
	    (strcasestr(type, "cons_res") && doctor->version < VERSION_OF(23, 11, 0)))
		return;
	findings_add(doctor->findings, "S01", FINDING_ERROR, "SelectType=select/cons_tres",
		     "slurm.conf: SelectType is %s: --core-spec is ignored there", type);
}

static void check_parameters(const struct doctor *doctor)
{
	const char *value = slurm_conf_get(doctor->slurm, "SelectTypeParameters");

	if (value && strcasestr(value, "CR_CPU"))
		findings_add(
			doctor->findings, "S10", FINDING_WARNING,
			"SelectTypeParameters=CR_Core_Memory",
			"slurm.conf: SelectTypeParameters=%s gives single hardware threads to jobs: siblings of the client's CPUs may be among them",
			value);
}

static void check_allowed(const struct doctor *doctor)
{
	if (!slurm_conf_is(doctor->slurm, "AllowSpecResourcesUsage", false))
		findings_add(
			doctor->findings, "S02", FINDING_ERROR, "AllowSpecResourcesUsage=yes",
			"slurm.conf: AllowSpecResourcesUsage is not set: Slurm drops every --core-spec, so no job gets io-cores");
}

static void check_cgroup(const struct doctor *doctor)
{
	if (doctor->cgroup && slurm_conf_is(doctor->cgroup, "ConstrainCores", false))
		return;
	findings_add(
		doctor->findings, "S03", FINDING_ERROR, "ConstrainCores=yes",
		"cgroup.conf: %s: taskset(1), --cpu-bind=map_cpu and --overlap reach the client's cores, and enforce cannot hold",
		doctor->cgroup ? "ConstrainCores is not set" : "there is none beside slurm.conf");
}

static bool has_spec_set(const struct doctor *doctor)
{
	const char *name, *line;

	for (size_t i = 0; (line = slurm_conf_record(doctor->slurm, "NodeName", i, &name)); i++)
		if (strcasestr(line, "CoreSpecCount=") || strcasestr(line, "CpuSpecList="))
			return true;
	return false;
}

/* The client polls on the spec set: slurmd must not live there too. */
static void check_off_spec(const struct doctor *doctor)
{
	bool override = doctor->version >= VERSION_OF(25, 5, 0) &&
			slurm_conf_has(doctor->slurm, "TaskPluginParam",
				       "SlurmdSpecOverride"); /* excludes the other */

	if (!has_spec_set(doctor) || override ||
	    slurm_conf_has(doctor->slurm, "TaskPluginParam", "SlurmdOffSpec"))
		return;
	findings_add(
		doctor->findings, "S11", FINDING_ERROR, "TaskPluginParam=SlurmdOffSpec",
		"slurm.conf: TaskPluginParam lacks SlurmdOffSpec: slurmd and every prolog are confined to the spec set, the client's own cores");
}

static void check_prolog(const struct doctor *doctor)
{
	static const char *const keys[] = { "Prolog", "Epilog" };

	for (size_t i = 0; i < 2; i++) {
		const char *value = slurm_conf_get(doctor->slurm, keys[i]);
		char cure[128];

		snprintf(cure, sizeof(cure), "%s=%s/%s", keys[i], JOBIO_LIBEXECDIR,
			 i ? "epilog" : "prolog");
		if (!value)
			findings_add(doctor->findings, "S12", FINDING_ERROR, cure,
				     "slurm.conf: no %s: the node is never %s for a job", keys[i],
				     i ? "put back" : "prepared");
	}
}

/* "FORCE" or "FORCE:4": how many jobs have a core; FORCE:1 is one. */
static bool is_shared(const char *value)
{
	return value && !strncasecmp(value, "FORCE", 5) &&
	       (value[5] != ':' || strtol(value + 6, NULL, 10) != 1);
}

static void check_partitions(const struct doctor *doctor)
{
	const char *name, *line;

	for (size_t i = 0; (line = slurm_conf_record(doctor->slurm, "PartitionName", i, &name));
	     i++) {
		if (!is_shared(slurm_conf_setting(line, "OverSubscribe")))
			continue;
		findings_add(
			doctor->findings, "S13", FINDING_WARNING, "OverSubscribe=NO or FORCE:1",
			"slurm.conf: partition %s has OverSubscribe=FORCE: a job with io-cores is not alone on its nodes, and the client is not tuned for it",
			name);
	}
}

/* Slurm looks into each folder of the list, and starts without one of them. */
static void check_plugin_dirs(const struct doctor *doctor)
{
	const char *at = slurm_conf_get(doctor->slurm, "PluginDir");
	char path[PATH_MAX];
	struct stat st;
	int length;

	for (; at && *at; at += length + (at[length] == ':')) {
		length = (int)strcspn(at, ":");
		snprintf(path, sizeof(path), "%s%.*s", doctor->root, length, at);
		if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			continue;
		findings_add(doctor->findings, "S19", FINDING_WARNING,
			     "name folders that are there: PluginDir=" JOBIO_PLUGINDIR,
			     "slurm.conf: PluginDir: '%.*s': there is no such folder", length, at);
	}
}

/* ---- plugstack.conf -------------------------------------------------------------- */

struct plugstack {
	char word[PATH_MAX]; /* jobio.so as the line names it */
	char room[PATH_MAX]; /* a file that would be included; "": none */
};

static bool names_jobio(const struct doctor *doctor, const char *path, unsigned int depth,
			struct plugstack *found);

/* "optional PATH/jobio.so conf=..": the second word. */
static bool take_plugin(char *rest, char word[PATH_MAX])
{
	char *save, *path = strtok_r(rest, " \t", &save);

	if (!path || !strstr(path, "jobio.so"))
		return false;
	snprintf(word, PATH_MAX, "%s", path);
	return true;
}

/* Would DIR/jobio.conf be included by this pattern? */
static void find_room(const struct doctor *doctor, const char *pattern, struct plugstack *stack)
{
	const char *slash = strrchr(pattern, '/');
	char room[PATH_MAX];

	if (!slash ||
	    snprintf(room, sizeof(room), "%.*s/jobio.conf", (int)(slash - pattern), pattern) >=
		    (int)sizeof(room) ||
	    fnmatch(pattern, room, FNM_PATHNAME) != 0)
		return;
	room[slash - pattern] = '\0';
	if (access(room, F_OK) < 0)
		return;
	room[slash - pattern] = '/';
	snprintf(stack->room, sizeof(stack->room), "%s", room + strlen(doctor->root));
}

/* A file that is not absolute lies beside 'path', which includes it (plugstack.c,
 * spank.c:_spank_conf_include). */
static bool line_names_jobio(const struct doctor *doctor, const char *path, char *line,
			     unsigned int depth, struct plugstack *stack)
{
	const char *slash = strrchr(path, '/');
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	bool named = false;
	char *first, *save;

	line[strcspn(line, "#")] = '\0';
	first = strtok_r(line, " \t", &save);
	if (!first)
		return false;
	if (strcasecmp(first, "include") != 0)
		return take_plugin(save, stack->word);
	first = strtok_r(NULL, " \t", &save);
	if (!first)
		return false;
	snprintf(pattern, sizeof(pattern), "%s%.*s%s", doctor->root,
		 *first == '/' || !slash ? 0 : (int)(slash - path) + 1, path, first);
	find_room(doctor, pattern, stack);
	if (glob(pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc && !named; i++)
			named = names_jobio(doctor, found.gl_pathv[i] + strlen(doctor->root),
					    depth + 1, stack);
	globfree(&found);
	return named;
}

static bool names_jobio(const struct doctor *doctor, const char *path, unsigned int depth,
			struct plugstack *found)
{
	char *text = depth < 4 ? doctor_read(doctor, path) : NULL;
	char *line, *save;
	bool named = false;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line && !named;
	     line = strtok_r(NULL, "\n", &save))
		named = line_names_jobio(doctor, path, line, depth, found);
	free(text);
	return named;
}

/* The line to write, and the file that it belongs in. A file of plugstack.conf.d that
 * no line includes is never read: only Debian ships that line. */
static void tell_line(const struct doctor *doctor, const char *path, const struct plugstack *stack)
{
	int dir = (int)(strrchr(path, '/') - path);
	const char *file = *stack->room ? stack->room : path;
	char line[PATH_MAX] = "optional jobio.so", cure[2 * PATH_MAX];
	char *text;

	snprintf(cure, sizeof(cure), "%.*s/plugstack.conf.d/jobio.conf", dir, path);
	text = *stack->room ? NULL : doctor_read(doctor, cure);
	if (text)
		snprintf(line, sizeof(line), "include %.*s/plugstack.conf.d/*.conf", dir, path);
	free(text);
	if (strncmp(path, "/run/slurm/conf/", 16) == 0)
		file = "plugstack.conf on slurmctld's host";
	snprintf(cure, sizeof(cure), "%s in %s", line, file);
	text = doctor_read(doctor, path);
	findings_add(doctor->findings, "S14", FINDING_ERROR, cure,
		     "%s: %s: jobs have no --io-cores and tasks no gate on this host", path,
		     text ? "no line names jobio.so" : "there is no such file");
	free(text);
}

static void check_plugstack(const struct doctor *doctor)
{
	const char *path = slurm_conf_get(doctor->slurm, "PlugStackConfig");
	const char *slash = strrchr(doctor->slurm_conf_path, '/');
	struct plugstack stack = { 0 };
	char beside[PATH_MAX];

	if (!path || *path != '/') {
		snprintf(beside, sizeof(beside), "%.*s/plugstack.conf",
			 slash ? (int)(slash - doctor->slurm_conf_path) : 0,
			 doctor->slurm_conf_path);
		path = beside;
	}
	if (names_jobio(doctor, path, 0, &stack))
		doctor_plugin(doctor, stack.word);
	else
		tell_line(doctor, path, &stack);
}

/* What sbatch looks at, too (spank/submit.c) */
static void check_submission(const struct doctor *doctor)
{
	check_select(doctor);
	check_allowed(doctor);
}

void doctor_slurm(const struct doctor *doctor)
{
	if (doctor->roles & (ROLE_LOGIN | ROLE_NODE | ROLE_CTLD))
		check_submission(doctor);
	if (doctor->roles & (ROLE_NODE | ROLE_CTLD)) {
		check_parameters(doctor);
		check_rules(doctor);
		check_off_spec(doctor);
		check_prolog(doctor);
		check_partitions(doctor);
	}
	if (doctor->roles & ROLE_NODE)
		check_cgroup(doctor);
	if (doctor->roles & (ROLE_LOGIN | ROLE_NODE)) {
		check_plugin_dirs(doctor);
		check_plugstack(doctor);
	}
}
