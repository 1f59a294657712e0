/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobio-slurm - the only program of the node that queries slurmctld.
 *
 *   jobio-slurm [--timeout-ms=N] node [NAME]   the record of a node and the
 *       controller's settings that decide what it means (cores/node.h reads it)
 *   jobio-slurm [--timeout-ms=N] job ID        slurmctld's record of a job
 *   jobio-slurm [--timeout-ms=N] drain NAME REASON      drain a node
 *   jobio-slurm [--timeout-ms=N] drain-new NAME REASON  .. unless it is drained
 *
 * One JSON object on stdout (of drain none) and exit 0, or one sentence on stderr and exit 1
 * (2: bad usage). A SIGALRM ends it at the deadline, whatever libslurm does.
 */
#include <errno.h>
#include <signal.h>
#define SLURM_BACKWARD_COMPAT /* 26.05: slurm_load_job() takes a job id too */
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/host.h"
#include "base/number.h"
#include "record/json.h"

#define TIMEOUT_MS 5000UL
#define CORE_SPEC_IS_THREADS 0x8000U /* slurm.h:CORE_SPEC_THREAD */

/* CTL_CONF_ASRU until 23.11; the bit is the same. */
#ifdef CONF_FLAG_ASRU
#define ASRU CONF_FLAG_ASRU
#else
#define ASRU CTL_CONF_ASRU
#endif

/* SLURM_VERSION_NUM() cannot stand in an #if: slurm_version.h does not define it */
#define SLURM_24_05 0x180500
#define SLURM_25_11 0x190b00
#define SLURM_26_05 0x1a0500
#if SLURM_VERSION_NUMBER >= SLURM_26_05
#define free_conf slurm_free_conf
#else
#define free_conf slurm_free_ctl_conf
#endif

struct flag {
	unsigned long bit;
	const char *name;
};

static const struct flag prolog_flags[] = {
	{ PROLOG_FLAG_ALLOC, "Alloc" },
	{ PROLOG_FLAG_NOHOLD, "NoHold" },
	{ PROLOG_FLAG_CONTAIN, "Contain" },
	{ PROLOG_FLAG_SERIAL, "Serial" },
	{ PROLOG_FLAG_X11, "X11" },
#ifdef PROLOG_FLAG_DEFER_BATCH
	{ PROLOG_FLAG_DEFER_BATCH, "DeferBatch" },
#endif
#ifdef PROLOG_FLAG_FORCE_REQUEUE_ON_FAIL
	{ PROLOG_FLAG_FORCE_REQUEUE_ON_FAIL, "ForceRequeueOnFail" },
#endif
#ifdef PROLOG_FLAG_RUN_IN_JOB
	{ PROLOG_FLAG_RUN_IN_JOB, "RunInJob" },
#endif
	{ 0, NULL },
};

/* SLURMD_SPEC_OVERRIDE (25.05) is an enumerator: #ifdef cannot test for it */
static const struct flag task_flags[] = {
	{ SLURMD_OFF_SPEC, "SlurmdOffSpec" },
	{ 0x200000, "SlurmdSpecOverride" },
	{ 0, NULL },
};

struct arguments {
	unsigned long timeout_ms;
};

static const struct command_line line = {
	.program = "jobio-slurm",
	.usage = "usage: jobio-slurm [--timeout-ms=N] node [NAME] | job ID | name |\n"
		 "                   drain NAME REASON | drain-new NAME REASON\n"
		 "Queries slurmctld once and prints one JSON object; drain: drains a node;\n"
		 "drain-new: unless it is drained already; name: prints this node's name.\n"
		 "  --timeout-ms=N  no reply by then: one line and exit 1 (5000)\n",
	.usage_status = COMMAND_USAGE,
	.words_most = COMMAND_ANY_WORDS,
	.table = (const struct command_option[]){ COMMAND_NUMBER("timeout-ms", struct arguments,
								 timeout_ms, 100, 600000),
						  { 0 } },
};

static void on_alarm(int signal)
{
	static const char text[] = "slurmctld: no answer before the deadline\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(1);
	_exit(1);
}

static void set_deadline(unsigned long timeout_ms)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = {
		.it_value = { (time_t)(timeout_ms / 1000),
			      (suseconds_t)(timeout_ms % 1000 * 1000) },
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, slurm_strerror(errno));
	return EXIT_FAILURE;
}

/* Slurm returns NULL for empty texts. */
static void add_text(struct json *json, const char *key, const char *text)
{
	json_add_text(json, key, text ? text : "");
}

static void add_flags(struct json *json, const char *key, const struct flag *flags,
		      unsigned long value)
{
	char text[256] = "";
	size_t used = 0;

	for (; flags->name; flags++)
		if (value & flags->bit)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "," : "", flags->name);
	add_text(json, key, text);
}

static int print(struct json *json)
{
	int rc = puts(json_line(json)) < 0;

	json_free(json);
	return rc || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* ---- node --------------------------------------------------------------------- */

/* SlurmdParameters of the cluster and, since 25.11, of the node line. */
static void add_slurmd_parameters(struct json *json, const slurm_conf_t *conf,
				  const node_info_t *node)
{
	const char *common = conf->slurmd_params, *own = NULL;
	char text[1024];

#if SLURM_VERSION_NUMBER >= SLURM_25_11
	own = node->parameters;
#else
	(void)node;
#endif
	snprintf(text, sizeof(text), "%s%s%s", common ? common : "", common && own ? "," : "",
		 own ? own : "");
	add_text(json, "slurmd_parameters", text);
}

static void add_record(struct json *json, const node_info_t *node)
{
	add_text(json, "name", node->name);
	json_add_number(json, "cpus", node->cpus);
	json_add_number(json, "boards", node->boards);
	json_add_number(json, "sockets", node->sockets);
	json_add_number(json, "cores_per_socket", node->cores);
	json_add_number(json, "threads_per_core", node->threads);
	json_add_number(json, "core_spec_count", node->core_spec_cnt);
	add_text(json, "cpu_spec_list", node->cpu_spec_list);
	add_text(json, "version", node->version);
	json_add_number(json, "mem_spec_limit", (long)node->mem_spec_limit);
	add_text(json, "reason", node->reason);
#if SLURM_VERSION_NUMBER >= SLURM_24_05
	json_add_number(json, "restricted_cores_per_gpu", node->res_cores_per_gpu);
	add_text(json, "gpu_spec", node->gpu_spec);
#endif
}

static void add_settings(struct json *json, const slurm_conf_t *conf)
{
	add_text(json, "controller_version", conf->version);
	json_add_number(json, "conf_read_at", (long)conf->last_update);
	json_add_bool(json, "allow_spec_resources_usage", (conf->conf_flags & ASRU) != 0);
	add_text(json, "select_type", conf->select_type);
	add_text(json, "scheduler_parameters", conf->sched_params);
	add_text(json, "task_plugin", conf->task_plugin);
	add_flags(json, "task_plugin_param", task_flags, conf->task_plugin_param);
	add_flags(json, "prolog_flags", prolog_flags, conf->prolog_flags);
	add_text(json, "proctrack_type", conf->proctrack_type);
	add_text(json, "cluster", conf->cluster_name);
}

/* Exported by libslurm of 22.05 to 26.05, but in no header that is installed (read_config.h). */
__attribute__((weak)) char *slurm_conf_get_nodename(const char *host);
__attribute__((weak)) char *slurm_conf_get_aliased_nodename(void);

/*
 * This node's name as slurmd passes it; else as slurmd finds it without -N (slurmd.c of 22.05
 * and 24.11: _read_config(), of 26.05: _log_setup()): the NodeName of the short host name, of
 * the whole one, of a name that the resolver has, of localhost.
 */
static void own_name(char *name, size_t size)
{
	const char *given = getenv("SLURMD_NODENAME");
	char *found = NULL;

	host_node_name(name, size);
	if ((given && *given) || !slurm_conf_get_nodename || !slurm_conf_get_aliased_nodename)
		return;
	found = slurm_conf_get_nodename(name);
	if (!found)
		found = slurm_conf_get_aliased_nodename();
	if (!found)
		found = slurm_conf_get_nodename("localhost");
	if (found)
		snprintf(name, size, "%s", found); /* xmalloc()'s, and this program ends soon */
}

static int print_name(void)
{
	char name[256];

	own_name(name, sizeof(name));
	return puts(name) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int print_node(const char *name)
{
	node_info_msg_t *nodes = NULL;
	slurm_conf_t *conf = NULL;
	struct json *json;
	char host[256];
	int rc = EXIT_FAILURE;

	if (!name) {
		own_name(host, sizeof(host));
		name = host;
	}
	if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS)
		return fail("slurmctld: settings");
	if (slurm_load_node_single(&nodes, (char *)name, SHOW_DETAIL) != SLURM_SUCCESS ||
	    nodes->record_count < 1) {
		fprintf(stderr, "slurmctld: node '%s': %s\n", name,
			nodes ? "no such node" : slurm_strerror(errno));
		goto out;
	}
	json = json_new_object();
	add_record(json, &nodes->node_array[0]);
	add_slurmd_parameters(json, conf, &nodes->node_array[0]);
	add_settings(json, conf);
	rc = print(json);
out:
	slurm_free_node_info_msg(nodes);
	free_conf(conf);
	return rc;
}

/* ---- job ---------------------------------------------------------------------- */

/*
 * The value that prologs get since 23.02 (slurm_protocol_defs.c:
 * get_job_share_value): --exclusive, --core-spec, --thread-spec and partitions
 * with OverSubscribe=EXCLUSIVE keep all others off, except in partitions with
 * OverSubscribe=FORCE:n.
 */
static bool is_alone(const job_info_t *job)
{
	return job->shared == JOB_SHARED_NONE;
}

static void add_spec(struct json *json, const job_info_t *job)
{
	bool asked = job->core_spec != NO_VAL16;
	bool threads = asked && (job->core_spec & CORE_SPEC_IS_THREADS);

	json_add_known(json, "core_spec", asked && !threads ? job->core_spec : JSON_UNKNOWN);
	json_add_known(json, "thread_spec",
		       threads ? job->core_spec & ~CORE_SPEC_IS_THREADS : JSON_UNKNOWN);
	json_add_bool(json, "alone", is_alone(job));
}

static int parse_id(const char *text, uint32_t *id)
{
	unsigned long number;
	struct err err;

	if (number_parse(text, 1, 0xffffffffUL, &number, &err) < 0) {
		fprintf(stderr, "job: %s\n", err.text);
		return -1;
	}
	*id = (uint32_t)number;
	return 0;
}

/* Return true if the job holds this node: running, suspended or completing. A requeued job that is
 * pending, or runs on other nodes, does not. */
static bool is_here(const job_info_t *job)
{
	uint32_t base = job->job_state & JOB_STATE_BASE;
	char host[256];
	bool here;

	if (base != JOB_RUNNING && base != JOB_SUSPENDED && !(job->job_state & JOB_COMPLETING))
		return false;
	own_name(host, sizeof(host));
	/* hostlist_t is a pointer up to 22.05 and a struct from 23.02 on */
	__auto_type nodes = slurm_hostlist_create(job->nodes);
	here = nodes && slurm_hostlist_find(nodes, host) >= 0;
	slurm_hostlist_destroy(nodes);
	return here;
}

static int print_job(const char *text)
{
	job_info_msg_t *jobs = NULL;
	struct json *json;
	bool here = false;
	uint32_t id, i;

	if (parse_id(text, &id) < 0)
		return 2;
	if (slurm_load_job(&jobs, id, 0) != SLURM_SUCCESS)
		return fail("slurmctld: job");
	if (jobs->record_count < 1) {
		fprintf(stderr, "slurmctld: job %u: no such job\n", id);
		slurm_free_job_info_msg(jobs);
		return EXIT_FAILURE;
	}
	json = json_new_object();
	json_add_number(json, "job", (long)id);
	add_spec(json, &jobs->job_array[0]);
	/* for an array's first ID slurmctld returns all tasks */
	for (i = 0; i < jobs->record_count; i++)
		here |= jobs->job_array[i].job_id == id && is_here(&jobs->job_array[i]);
	json_add_bool(json, "here", here);
	slurm_free_job_info_msg(jobs);
	return print(json);
}

/* ---- drain -------------------------------------------------------------------- */

static int drain(const char *node, const char *reason)
{
	update_node_msg_t update;

	slurm_init_update_node_msg(&update);
	update.node_names = (char *)node;
	update.node_state = NODE_STATE_DRAIN;
	update.reason = (char *)reason;
#ifdef HAVE_UPDATE_NODE_MSG_T_REASON_UID
	update.reason_uid = geteuid();
#endif
	return slurm_update_node(&update) == SLURM_SUCCESS ? EXIT_SUCCESS
							   : fail("slurmctld: drain");
}

/* Drain the node unless it is drained: an administrator's reason is kept. */
static int drain_new(const char *node, const char *reason)
{
	node_info_msg_t *nodes = NULL;
	bool is_drained;

	if (slurm_load_node_single(&nodes, (char *)node, SHOW_DETAIL) != SLURM_SUCCESS)
		return fail("slurmctld: node");
	is_drained = nodes->record_count && nodes->node_array[0].node_state & NODE_STATE_DRAIN;
	slurm_free_node_info_msg(nodes);
	return is_drained ? EXIT_SUCCESS : drain(node, reason);
}

static int run(int argc, char *argv[])
{
	if (argc == 1 && !strcmp(argv[0], "name"))
		return print_name();
	if (argc >= 1 && argc <= 2 && !strcmp(argv[0], "node"))
		return print_node(argv[1]);
	if (argc == 2 && !strcmp(argv[0], "job"))
		return print_job(argv[1]);
	if (argc == 3 && !strcmp(argv[0], "drain"))
		return drain(argv[1], argv[2]);
	if (argc == 3 && !strcmp(argv[0], "drain-new"))
		return drain_new(argv[1], argv[2]);
	fputs(line.usage, stderr);
	return COMMAND_USAGE;
}

int main(int argc, char *argv[])
{
	struct arguments arguments = { .timeout_ms = TIMEOUT_MS };
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	set_deadline(arguments.timeout_ms);
	slurm_init(NULL);
	return run(argc - optind, argv + optind);
}
