/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - Slurm's entry points, in each context, and what they call
 *
 *   context            callback        calls
 *   sbatch salloc srun init            option_register
 *                      init_post_opt   option_settle: a refusal ends the client
 *   slurmstepd         init            option_register (Slurm requires it)
 *                      init_post_opt   rundir_mark_started, plugin_file_open, gate_open,
 *                                      stepio_read
 *                      task_init_privileged
 *                                      private_mount_types
 *                      task_init       gate_check: a refusal ends the task;
 *                                      unmet requests go to the job's output
 *                      task_exit       stepio_read
 *                      exit            plugin_file_was_missing, stepio_write
 *                      in a step of the live view (live.h), instead of the last four:
 *                      init_post_opt   live_open
 *                      task_post_fork  live_forked
 *                      task_init       live_relay, which ends the task
 *                      exit            live_close
 *   slurmd             init            nothing
 *
 * Callbacks return 0 or -1: positive values mean failure only since 25.05
 * (spank.c). This is the only file of the plugin that logs or ends a process.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "base/config_load.h"
#include "base/config_query.h"
#include "base/err.h"
#include "base/host.h"
#include "base/live_view.h"
#include "base/number.h"
#include "base/rundir.h"
#include "base/variables.h"
#include "spank/gate.h"
#include "spank/job_environment.h"
#include "spank/live.h"
#include "spank/option.h"
#include "spank/plugin_file.h"
#include "spank/private_mount.h"
#include "spank/stepio.h"

SPANK_PLUGIN(jobio, 1)

/* Static: Slurm passes the arguments of plugstack.conf to every callback, but not to those of
 * options. */
static const char *conf = JOBIO_CONF;

static void read_arguments(int argc, char *argv[])
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "conf=/", 6))
			conf = argv[i] + strlen("conf=");
		else
			slurm_verbose(
				"jobio: plugstack.conf: '%s': unknown argument, expected conf=/PATH",
				argv[i]);
	}
}

/* Slurm's own exit status for errors (SLURM_EXIT_ERROR in srun(1)) */
static void end_client(void)
{
	const char *text = getenv("SLURM_EXIT_ERROR");
	unsigned long status = EXIT_FAILURE;

	if (text)
		number_parse(text, 1, 255, &status, NULL);
	exit((int)status);
}

/* ---- sbatch, salloc, srun ------------------------------------------------ */

static void print_answer(enum option_query query)
{
	struct err err = { "" };
	struct config *config;

	if (query == OPTION_NOT_HERE) {
		slurm_error(
			"jobio: option: scrontab cannot hand --io-cores and --io-profile on; let the entry call sbatch with them");
		end_client();
	}
	config = config_load(conf, &err);
	if (!config) {
		slurm_error("jobio: option: jobio has no valid configuration on this machine: %s",
			    err.text);
		end_client();
	}
	if (query == OPTION_CORES_HELP)
		option_print_help(stdout, config);
	else
		option_print_profiles(stdout, config);
	config_free(config);
	exit(EXIT_SUCCESS);
}

static int init_client(spank_t sp, spank_context_t context)
{
	enum option_query query;
	struct err err = { "" };

	if (option_register(sp, print_answer, &err) < 0) {
		slurm_error("jobio: option: %s", err.text);
		return -1;
	}
	if (context == S_CTX_ALLOCATOR) {
		query = option_early_query();
		if (query != OPTION_NONE)
			print_answer(query);
	}
	return 0;
}

/* A refusal ends the client here: the return value of a plugin that plugstack.conf calls optional
 * is ignored (spank.c:_do_call_stack), and that of a required one adds two lines without
 * information. Nothing has been submitted yet (sbatch.c, salloc.c, srun/opt.c: before the job
 * description is made). */
static int settle_client(spank_t sp)
{
	struct err err = { "" };

	switch (option_settle(sp, conf, &err)) {
	case OPTION_REFUSED:
		slurm_error("jobio: option: %s", err.text);
		end_client();
		break;
	case OPTION_NOTE:
		slurm_info("jobio: option: %s", err.text);
		break;
	case OPTION_DONE:
		break;
	}
	return 0;
}

/* ---- slurmstepd ---------------------------------------------------------- */

/* slurm.h, the same in 22.05 .. 26.05; not in spank.h */
#define STEP_EXTERN 0xfffffffcU
#define STEP_BATCH 0xfffffffbU
#define STEP_INTERACTIVE 0xfffffffaU
#define NO_VALUE 0xfffffffeU

/* Results of the tasks for slurmstepd, in a shared page, written before they execute the user's
 * programs. */
struct task_results {
	uint32_t refused_tasks, warned_tasks;
	char refused[ERR_MAX]; /* "": not refused */
	char warned[ERR_MAX];  /* "": no warning */
	struct cpuset cpus;    /* that the tasks are bound to */
	char private_mounts[PRIVATE_TYPES_MAX];
	int confined; /* gate_confined() of slurmstepd */
};

static struct {
	bool is_open;
	struct gate gate;
	char run_dir[512];
	bool is_off;	     /* the site does not use jobio on this node */
	bool is_default_dir; /* run_dir is the default */
	uint32_t job_id, step_id;
	struct plugin_file plugin_file; /* this plugin's file */
	pid_t pid;
	struct stepio begin, end;
	bool has_begin, has_end;
	struct task_results *results;	 /* NULL: out of memory */
	int report_fd;			 /* -1: the job has no folder */
	struct live live;		 /* of a step of the live view */
	char environment[VARIABLES_MAX]; /* of the job's profile */
} step;

static void find_name(spank_t sp, char *node, size_t size)
{
	if (spank_getenv(sp, "SLURMD_NODENAME", node, (int)size) != ESPANK_SUCCESS)
		host_name(node, size);
}

/* Return jobio.conf, or NULL. Set run_dir, is_off and is_default_dir. */
static struct config *read_config(spank_t sp)
{
	struct err err = { "" };
	struct config *config = config_load(conf, &err);
	char node[256] = "";

	if (!config)
		slurm_info("jobio: gate: %s: using " RUNDIR_RUN, err.text);
	snprintf(step.run_dir, sizeof(step.run_dir), "%s", config ? config->run_dir : RUNDIR_RUN);
	find_name(sp, node, sizeof(node));
	step.is_off = config && config_is_off(config, node, NULL, &err);
	step.is_default_dir = !config;
	return config;
}

/* Use the environment of the profile in the gate file. */
static void find_environment(const struct config *config)
{
	const struct config_profile *profile = NULL;

	if (config && step.gate.has_file)
		profile = config_profile_find(config, step.gate.file.request.profile);
	snprintf(step.environment, sizeof(step.environment), "%s",
		 profile ? profile->environment : "");
}

static void share_page(void)
{
	struct task_results *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	step.results = page == MAP_FAILED ? NULL : page;
	if (step.results)
		step.results->confined = -1;
}

/* If the site has switched jobio off no gate is opened: tasks pass, whatever an earlier prolog
 * wrote. */
static void open_gate(uint32_t job_id)
{
	struct err err = { "" };
	int rc;

	step.gate.job_id = job_id;
	if (step.is_off)
		return;
	rc = gate_open(&step.gate, step.run_dir, job_id, &err);
	if (rc < 0)
		slurm_error("jobio: gate: tasks are not checked: %s", err.text);
	else if (rc == 0)
		slurm_info(
			"jobio: gate: tasks are not checked: no gate file for job %u in %s (did the prolog run?)",
			job_id, step.run_dir);
}

/* Only a step of the live view has this job's ID in the variable, and it executes no program of the
 * user's. A job that inherits the variable has another ID. */
static bool open_live(spank_t sp, uint32_t job_id)
{
	struct live_step with = { .job_id = job_id, .conf = conf };
	char node[256] = "", value[16];

	if (step.step_id >= STEP_INTERACTIVE ||
	    spank_getenv(sp, LIVE_VIEW_ENV, value, sizeof(value)) != ESPANK_SUCCESS ||
	    !live_is_requested(value, job_id) ||
	    spank_get_item(sp, S_JOB_UID, &with.uid) != ESPANK_SUCCESS)
		return false;
	find_name(sp, node, sizeof(node));
	with.node = node;
	spank_get_item(sp, S_JOB_NNODES, &with.nodes);
	live_open(&step.live, JOBIO_LIBEXECDIR "/jobio-live", &with);
	return true;
}

/* Relay the live view, and end the task. One task on each node is enough. */
static void relay_live(spank_t sp)
{
	char node[256] = "";
	int local_id = 0;

	spank_get_item(sp, S_TASK_ID, &local_id);
	find_name(sp, node, sizeof(node));
	if (local_id == 0)
		live_relay(&step.live, node);
	_exit(EXIT_SUCCESS);
}

/* Return a file that is empty until a task of any step has reported unmet requests. */
static int open_report(uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, step.run_dir, job_id, RUNDIR_REPORTED, NULL) < 0)
		return -1;
	return open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void open_user_step(uint32_t job_id, const struct config *config)
{
	struct err err = { "" };

	open_gate(job_id);
	find_environment(config);
	share_page();
	step.report_fd = open_report(job_id);
	step.pid = getpid();
	step.has_begin = stepio_read(&step.begin, "/proc/self", &err) == 0;
	if (!step.has_begin)
		slurm_error("jobio: stepio: I/O is not counted: %s", err.text);
	step.is_open = true;
}

/* If the first step to load the plugin is not the extern step, which begins before all others
 * (PrologFlags=Contain), and the plugin was installed after the prolog, the extern step has begun
 * without it. */
static void watch_plugin(uint32_t job_id, bool is_first)
{
	char gate[RUNDIR_PATH_MAX];
	Dl_info own;

	step.job_id = job_id;
	if (!dladdr(&step, &own) || !own.dli_fname)
		return;
	plugin_file_open(&step.plugin_file, own.dli_fname);
	plugin_file_note_path(&step.plugin_file, step.run_dir);
	if (is_first && step.step_id != STEP_EXTERN &&
	    rundir_job_file(gate, step.run_dir, job_id, RUNDIR_GATE, NULL) == 0 &&
	    plugin_file_is_newer(&step.plugin_file, gate))
		plugin_file_note_missing(step.run_dir, job_id);
}

static int open_step(spank_t sp)
{
	struct config *config;
	uint32_t job_id;

	if (spank_get_item(sp, S_JOB_ID, &job_id) != ESPANK_SUCCESS ||
	    spank_get_item(sp, S_JOB_STEPID, &step.step_id) != ESPANK_SUCCESS)
		return 0;
	config = read_config(sp);
	watch_plugin(job_id, rundir_mark_started(step.run_dir, job_id));
	if (step.step_id != STEP_EXTERN && (step.is_off || !open_live(sp, job_id)))
		open_user_step(job_id, config);
	config_free(config);
	return 0;
}

/* Set the variables for the user's programs. Values inherited from the job that submitted this one
 * are removed. */
static void set_task_variables(spank_t sp)
{
	const struct gatefile *file = &step.gate.file;
	char number[16], *cpus = NULL;

	if (step.gate.has_file && file->request.io_cores)
		cpus = cpuset_format(&file->io_cpus);
	snprintf(number, sizeof(number), "%u", file->request.io_cores);
	if (cpus) {
		spank_setenv(sp, "SLURM_IO_CORES", number, 1);
		spank_setenv(sp, "SLURM_IO_CPUS", cpus, 1);
	} else {
		spank_unsetenv(sp, "SLURM_IO_CORES");
		spank_unsetenv(sp, "SLURM_IO_CPUS");
	}
	if (step.gate.has_file && file->request.profile[0])
		spank_setenv(sp, "SLURM_IO_PROFILE", file->request.profile, 1);
	else
		spank_unsetenv(sp, "SLURM_IO_PROFILE");
	job_environment_set(sp, step.environment);
	free(cpus);
}

/* Did the first node of the job get all that was requested? The tasks of a batch script, and all
 * that it starts, carry its result to the other nodes. */
#define ALL_MET "JOBIO_GOT_ALL" /* the job's ID: yes */
#define UNMET "no"		/* before it: no, and this was reported */

static void set_all_met(spank_t sp, const char *word)
{
	char text[24];

	snprintf(text, sizeof(text), "%s%u", word, step.gate.job_id);
	spank_setenv(sp, ALL_MET, text, 1);
}

static bool has_all_met(spank_t sp, const char *word)
{
	char text[24] = "", expected[24];

	snprintf(expected, sizeof(expected), "%s%u", word, step.gate.job_id);
	return spank_getenv(sp, ALL_MET, text, sizeof(text)) == ESPANK_SUCCESS &&
	       !strcmp(text, expected);
}

/* Return true if this node may report. After a batch script has reported, what it starts does not,
 * also if the job has no folder to note it in. */
static bool may_report(spank_t sp)
{
	int node_id = 0;

	spank_get_item(sp, S_JOB_NODEID, &node_id);
	if (node_id == 0)
		return !has_all_met(sp, UNMET);
	return has_all_met(sp, "");
}

/* No prolog was completed: what the job got is unknown. */
#define UNPREPARED                                                                                 \
	"the node's prolog did not prepare this job: its I/O options may "                         \
	"have no effect"

static const char *unmet_note(const char *warning)
{
	const struct gatefile *file = &step.gate.file;

	if (!step.gate.is_job_file)
		return option_is_given() && !step.is_off ? UNPREPARED : "";
	if (*file->note || !file->request.io_cores)
		return file->note;
	return warning;
}

/* Return true if no other task of the job has reported. The task is the user's and may not create a
 * file in the job's folder: it locks the one that root has opened. Without that each step
 * reports. */
static bool is_first_report(void)
{
	struct flock whole = { .l_type = F_WRLCK };
	struct stat st;

	if (step.report_fd < 0)
		return true;
	if (fcntl(step.report_fd, F_SETLK, &whole) < 0 ||
	    (fstat(step.report_fd, &st) == 0 && st.st_size))
		return false;
	return ftruncate(step.report_fd, 1) == 0;
}

/* Print one line about unmet requests to the job's output: on its first node, or on one that did
 * not get what the first one has; by the first task there, once a job. Without a request nothing is
 * printed. */
static void report_unmet(spank_t sp, const char *node, const char *warning)
{
	const struct gatefile *file = &step.gate.file;
	const char *note = unmet_note(warning);
	bool is_reporter = may_report(sp);

	if (*note)
		set_all_met(sp, UNMET);
	else if ((step.step_id == STEP_BATCH || step.step_id == STEP_INTERACTIVE) &&
		 (file->request.io_cores || file->request.profile[0]))
		set_all_met(sp, "");
	if (*note && is_reporter && is_first_report())
		dprintf(STDERR_FILENO, "jobio: node %s: %s\n", node, note);
}

static void count_task(uint32_t *tasks)
{
	__atomic_add_fetch(tasks, 1, __ATOMIC_RELAXED);
}

/* Add the CPUs that the task may use: two tasks may write at once. */
static void note_cpus(void)
{
	struct cpuset bound;
	size_t i;

	if (!step.results || gate_bound(&bound) < 0)
		return;
	for (i = 0; i < sizeof(bound.word) / sizeof(bound.word[0]); i++)
		if (bound.word[i])
			__atomic_or_fetch(&step.results->cpus.word[i], bound.word[i],
					  __ATOMIC_RELAXED);
}

static void note_refused(int local_id, const struct err *why)
{
	if (local_id == 0)
		slurm_error("jobio: gate: not started: %s", why->text);
	if (!step.results)
		return;
	count_task(&step.results->refused_tasks);
	if (local_id == 0)
		snprintf(step.results->refused, ERR_MAX, "%s", why->text);
}

static void note_warned(int local_id, const struct err *why)
{
	if (local_id == 0)
		slurm_info("jobio: gate: %s", why->text);
	if (!step.results)
		return;
	count_task(&step.results->warned_tasks);
	if (local_id == 0)
		snprintf(step.results->warned, ERR_MAX, "%s", why->text);
}

/* A refusal ends the task here: as with the option, Slurm ignores the return value of an optional
 * plugin. The parent sees a task that exited with 1 (task.c:exec_task ends it the same way when a
 * required plugin fails): the job fails, the node stays up. All tasks of a step have the same
 * cpuset: the first one on the node reports for all. */
static int check_task(spank_t sp)
{
	struct err err = { "" };
	char node[256] = "";
	int local_id = 0;

	spank_get_item(sp, S_TASK_ID, &local_id);
	find_name(sp, node, sizeof(node));
	switch (gate_check(&step.gate, step.results ? step.results->confined : -1, node, &err)) {
	case GATE_REFUSE:
		note_refused(local_id, &err);
		_exit(EXIT_FAILURE);
	case GATE_REPORT:
		note_warned(local_id, &err);
		break;
	case GATE_PASS:
		*err.text = '\0';
		break;
	}
	note_cpus();
	set_task_variables(sp);
	if (local_id == 0)
		report_unmet(sp, node, err.text);
	return 0;
}

static uint32_t item_or_none(spank_t sp, spank_item_t item)
{
	uint32_t value;

	if (spank_get_item(sp, item, &value) != ESPANK_SUCCESS || value == NO_VALUE)
		return STEPIO_NONE;
	return value;
}

static int close_step(spank_t sp)
{
	struct stepio_label label = {
		.job_id = step.gate.job_id,
		.step_id = step.step_id,
		.uid = item_or_none(sp, S_JOB_UID),
		.array_task_id = item_or_none(sp, S_JOB_ARRAY_TASK_ID),
		.array_job_id = STEPIO_NONE,
		.is_default_dir = step.is_default_dir,
	};
	struct task_results *results = step.results;
	struct err err = { "" };

	if (results) {
		label.refused = *results->refused ? results->refused : NULL;
		label.refused_tasks = results->refused_tasks;
		label.warned = *results->warned ? results->warned : NULL;
		label.warned_tasks = results->warned_tasks;
		label.cpus = &results->cpus;
		label.private_mounts = results->private_mounts;
	}
	/* for other jobs the item is the job's own ID, or 0 */
	if (label.array_task_id != STEPIO_NONE)
		label.array_job_id = item_or_none(sp, S_JOB_ARRAY_ID);
	/* not an error: errors are written to the job's output as well */
	if ((!step.has_end && stepio_read(&step.end, "/proc/self", &err) < 0) ||
	    stepio_write(&step.begin, &step.end, &label, step.run_dir, &err) < 0)
		slurm_info("jobio: stepio: the I/O of this step is lost: %s", err.text);
	return 0;
}

/* ---- Slurm's entry points ------------------------------------------------ */

int slurm_spank_init(spank_t sp, int argc, char *argv[])
{
	spank_context_t context = spank_context();
	struct err err = { "" };

	read_arguments(argc, argv);
	switch (context) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return init_client(sp, context);
	case S_CTX_REMOTE:
		if (option_register(sp, print_answer, &err) < 0)
			slurm_error("jobio: option: %s", err.text);
		return 0;
	default:
		return 0;
	}
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return settle_client(sp);
	case S_CTX_REMOTE:
		return open_step(sp);
	default:
		return 0;
	}
}

/* All tasks of a step are in one namespace: only the first one on the node is examined. */
int slurm_spank_task_init_privileged(spank_t sp, int argc, char *argv[])
{
	char note[RUNDIR_PATH_MAX];
	int local_id = 0;

	(void)argc;
	(void)argv;
	spank_get_item(sp, S_TASK_ID, &local_id);
	if (step.is_open && step.results && local_id == 0 &&
	    rundir_job_file(note, step.run_dir, step.job_id, RUNDIR_MOUNTINFO, NULL) == 0)
		private_mount_types(note, step.results->private_mounts);
	return 0;
}

int slurm_spank_task_init(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	if (step.live.is_on)
		relay_live(sp);
	return step.is_open ? check_task(sp) : 0;
}

int slurm_spank_task_post_fork(spank_t sp, int argc, char *argv[])
{
	int local_id = 0;

	(void)argc;
	(void)argv;
	spank_get_item(sp, S_TASK_ID, &local_id);
	if (step.live.is_on && local_id == 0)
		live_forked(&step.live);
	/* in slurmstepd, which is in the job's cgroup; tasks wait until this hook has run for
	 * each (mgr.c:_fork_all_tasks(), 22.05 to 26.05) */
	if (step.results && local_id == 0 && step.gate.has_file &&
	    step.gate.file.policy != GATE_OFF)
		step.results->confined =
			gate_confined(step.job_id, GATE_PROC_CGROUP, GATE_CGROUP_ROOT);
	return 0;
}

/* slurmstepd has waited for the task, and its forwarding threads still run. Skipped if Slurm calls
 * this in a process of its own (contain_spank, 24.05), which has other counters. */
int slurm_spank_task_exit(spank_t sp, int argc, char *argv[])
{
	(void)sp;
	(void)argc;
	(void)argv;
	if (step.is_open && step.has_begin && getpid() == step.pid)
		step.has_end = stepio_read(&step.end, "/proc/self", NULL) == 0;
	return 0;
}

int slurm_spank_exit(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	if (step.live.is_on)
		live_close(&step.live);
	if (plugin_file_was_missing(&step.plugin_file))
		plugin_file_note_missing(step.run_dir, step.job_id);
	plugin_file_close(&step.plugin_file);
	if (spank_context() != S_CTX_REMOTE || !step.is_open || !step.has_begin)
		return 0;
	return close_step(sp);
}
