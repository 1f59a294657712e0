/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/subject.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/config.h"
#include "lib/core_map.h"
#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "lib/version.h"
#include "tools/command.h"

#define TIMEOUT_MS 5000

const char subject_usage[] =
	"  --topology=FILE.xml   the machine as lstopo(1) wrote it; without: this one\n"
	"  --node='LINE'         the node line of slurm.conf: 'CPUs=64 Boards=1\n"
	"                        SocketsPerBoard=2 CoresPerSocket=16\n"
	"                        ThreadsPerCore=2 CoreSpecCount=1'; without: what\n"
	"                        slurmctld says of this node or, with --topology,\n"
	"                        what `slurmd -C` would say\n"
	"  --allow-spec-resources-usage=yes|no   default yes, or slurmctld's\n"
	"  --spec-cores-first    SchedulerParameters=spec_cores_first\n"
	"  --slurmd-parameters=LIST   SlurmdParameters: l3cache_as_socket,\n"
	"                        numa_node_as_socket, allow_ecores,\n"
	"                        config_overrides\n"
	"  --task-plugin-param=LIST   TaskPluginParam: SlurmdSpecOverride\n"
	"  --slurm-version=V     22.05 to 26.05; default: the node's, or the one\n"
	"                        jobio was built with\n"
	"  --conf=FILE           jobio.conf, for the run_dir where this node is\n"
	"                        remembered\n";

void subject_init(struct subject *subject)
{
	memset(subject, 0, sizeof(*subject));
	subject->allow = -1;
}

int subject_set_sysfs(void *subject, const char *name, const char *value, struct err *err)
{
	(void)subject, (void)name, (void)err;
	sysfs_set_root(value);
	return 0;
}

int subject_set_version(void *subject, const char *name, const char *value, struct err *err)
{
	unsigned int read;

	if (version_parse(value, &read, err) < 0)
		return err_prefix(err, "--%s", name);
	if (read < VERSION_OF(22, 5, 0) || read > VERSION_OF(26, 5, 0xff))
		return err_set(err, "--%s: '%s': must be from 22.05 to 26.05", name, value);
	((struct subject *)subject)->version = read;
	return 0;
}

/* Slurm passes over what it does not know; a misspelt word is no answer. */
int subject_set_parameters(void *subject, const char *name, const char *value, struct err *err)
{
	static const char *const words[] = {
		"allow_ecores",	       "config_override", "contain_spank",	"l3cache_as_socket",
		"numa_node_as_socket", "conmgr_",	  "shutdown_on_reboot",
	};
	const char *list = value;
	size_t length, i;

	((struct subject *)subject)->slurmd_parameters = value;
	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (!strncasecmp(list, words[i], strlen(words[i])))
				break;
		if (i == sizeof(words) / sizeof(words[0]))
			return err_set(err, "--%s: '%.*s': not a word of SlurmdParameters", name,
				       (int)length, list);
	}
	return 0;
}

int subject_set_allow(void *subject, const char *name, const char *value, struct err *err)
{
	int allow = command_choose(name, value, "yes", "no", err);

	((struct subject *)subject)->allow = allow;
	return allow < 0 ? -1 : 0;
}

static int set_text(char to[NODE_TEXT_MAX], const char *option, const char *value, struct err *err)
{
	if (!value)
		return 0;
	if (strlen(value) >= NODE_TEXT_MAX)
		return err_set(err, "--%s: longer than %d", option, NODE_TEXT_MAX - 1);
	strcpy(to, value);
	return 0;
}

static int apply(struct node *node, const struct subject *subject, struct err *err)
{
	if (subject->allow >= 0)
		node->allow_spec_resources_usage = subject->allow;
	if (subject->first)
		node->spec_cores_first = true;
	if (subject->version)
		node->version = subject->version;
	if (set_text(node->slurmd_parameters, "slurmd-parameters", subject->slurmd_parameters,
		     err) < 0)
		return -1;
	return set_text(node->task_plugin_param, "task-plugin-param", subject->task_plugin_param,
			err);
}

static struct core_map *load_map(const struct node *node, const struct subject *subject,
				 struct err *err)
{
	struct core_map_options options = {
		.xml = subject->topology,
		.slurm_version = node->version,
	};

	core_map_slurmd_parameters(&options, node->slurmd_parameters);
	return core_map_load(&options, err);
}

static void take_shape(struct node *node, const struct core_map *map)
{
	const struct core_map_shape *shape = core_map_shape(map);

	node->cpus = shape->cpus;
	node->boards = shape->boards;
	node->sockets = shape->sockets;
	node->cores = shape->cores;
	node->threads = shape->threads;
}

/* As the prolog keeps it in run_dir; nobody needs to have a jobio.conf. */
static int load_node(const struct subject *subject, struct node_state *state, struct err *err)
{
	const char *conf = subject->conf ? subject->conf : JOBIO_CONF;
	struct config *config = config_load(conf, err);
	const char *run_dir = config ? config->run_dir : RUNDIR_RUN;
	int rc = 0;

	if (!config && subject->conf)
		return -1;
	if (node_cached(run_dir, state, NULL) <= 0)
		rc = node_refresh(access(run_dir, W_OK) == 0 ? run_dir : NULL, NULL, NULL,
				  TIMEOUT_MS, state, err);
	config_free(config);
	return rc;
}

static int ask_slurmctld(const struct subject *subject, struct node_state *state, struct err *err)
{
	if (load_node(subject, state, err) < 0)
		return -1;
	if (apply(&state->node, subject, err) < 0)
		return -1;
	if (!subject->slurmd_parameters && !subject->version)
		return 0;
	core_map_free(state->map);
	state->map = load_map(&state->node, subject, err);
	return state->map ? 0 : -1;
}

int subject_find(const struct subject *subject, struct node_state *state, struct findings *findings,
		 int *status, struct err *err)
{
	*status = COMMAND_FAILED;
	if (!subject->line && !subject->topology)
		return ask_slurmctld(subject, state, err);
	node_init(&state->node);
	state->node.version = JOBIO_SLURM_VERSION;
	*status = COMMAND_USAGE;
	if (apply(&state->node, subject, err) < 0 ||
	    (subject->line && node_line_parse(&state->node, subject->line, findings, err) < 0))
		return -1;
	*status = subject->topology ? COMMAND_USAGE : COMMAND_FAILED;
	state->map = load_map(&state->node, subject, err);
	if (!state->map)
		return -1;
	*status = COMMAND_FAILED;
	if (!subject->line)
		take_shape(&state->node, state->map);
	return 0;
}
