/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio doctor - what on this node would spoil io-cores, and the cure. */
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/config.h"
#include "lib/host.h"
#include "lib/sysfs.h"
#include "lib/version.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/doctor_host.h"
#include "report/doctor_node.h"
#include "report/doctor_slurm.h"
#include "report/print.h"
#include "report/subject.h"

#define NAME "doctor"
#define CLIENT_BUDGET_MS 20000

static const char usage[] =
	"usage: jobio doctor [OPTION]...\n"
	"\n"
	"Looks at slurm.conf, cgroup.conf, plugstack.conf, this host's node\n"
	"line, its CPUs, slurmd, its kernel and the filesystem client. Each "
	"finding\n"
	"has a code, a severity, a sentence, and a cure: the line to write.\n"
	"Changes nothing.\n"
	"\n"
	"  --conf=FILE           jobio.conf\n"
	"  --slurm-conf=FILE     slurm.conf; cgroup.conf lies beside it\n"
	"  --host=NODENAME       the node; default: this host\n"
	"  --slurmd=PATH         slurmd's program, asked with -C for what it "
	"sees;\n"
	"                        default: that of the running slurmd\n"
	"  --topology=FILE.xml   the machine as lstopo(1) wrote it\n"
	"  --client-cpus=LIST    the client's OS CPUs, instead of asking it\n"
	"  --slurm-version=V     20.11 to 26.05; default: what jobio was "
	"built\n"
	"                        with\n"
	"  --root=DIR            look at the files of a node that were copied\n"
	"                        below DIR; no client is asked\n"
	"  --format=text|json    default text\n"
	"\n"
	"Exit status: 0 nothing was found; 1 there are findings; 2 bad "
	"usage.\n";

struct options {
	const char *conf;
	const char *slurm_conf;
	const char *host;
	const char *topology;
	const char *root;
	const char *slurmd;
	bool has_client_cpus;
	struct cpuset client_cpus;
	unsigned int version;
	bool json;
	bool help;
};

enum {
	OPT_CONF = 1,
	OPT_SLURM_CONF,
	OPT_HOST,
	OPT_TOPOLOGY,
	OPT_CLIENT_CPUS,
	OPT_VERSION,
	OPT_ROOT,
	OPT_SLURMD,
	OPT_FORMAT,
	OPT_SYSFS,
	OPT_HELP,
};

static const struct option long_options[] = {
	{ "conf", required_argument, NULL, OPT_CONF },
	{ "slurm-conf", required_argument, NULL, OPT_SLURM_CONF },
	{ "host", required_argument, NULL, OPT_HOST },
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "client-cpus", required_argument, NULL, OPT_CLIENT_CPUS },
	{ "slurm-version", required_argument, NULL, OPT_VERSION },
	{ "slurmd", required_argument, NULL, OPT_SLURMD },
	{ "root", required_argument, NULL, OPT_ROOT },
	{ "sysfs", required_argument, NULL, OPT_SYSFS }, /* for tests */
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int set_option(void *what, int option, const char *value,
		      struct err *err)
{
	struct options *options = what;
	int json;

	switch (option) {
	case OPT_CONF:
		options->conf = value;
		return 0;
	case OPT_SLURM_CONF:
		options->slurm_conf = value;
		return 0;
	case OPT_HOST:
		options->host = value;
		return 0;
	case OPT_TOPOLOGY:
		options->topology = value;
		return 0;
	case OPT_ROOT:
		options->root = value;
		return 0;
	case OPT_SYSFS:
		sysfs_set_root(value);
		return 0;
	case OPT_SLURMD:
		options->slurmd = value;
		return *value == '/'
			       ? 0
			       : err_set(err,
					 "--slurmd: '%s': must be an absolute "
					 "path",
					 value);
	case OPT_CLIENT_CPUS:
		options->has_client_cpus = true;
		return cpuset_parse(&options->client_cpus, value, err) < 0
			       ? err_prefix(err, "--client-cpus")
			       : 0;
	case OPT_VERSION:
		return subject_version(value, &options->version, err);
	case OPT_FORMAT:
		json = subject_choose("format", value, "json", "text", err);
		options->json = json > 0;
		return json < 0 ? -1 : 0;
	default:
		options->help = true;
		return 0;
	}
}

static int parse_options(struct options *options, int argc, char *argv[],
			 struct err *err)
{
	/* a client may have no CPUs of its own */
	if (command_options(NAME, long_options, OPT_CLIENT_CPUS, argc, argv,
			    set_option, options, err) < 0)
		return -1;
	if (*options->root && !options->topology)
		return err_set(err, "--root: give the machine of these files "
				    "with --topology");
	if (options->topology && access(options->topology, R_OK) < 0)
		return err_set(err, "--topology: '%s': %s", options->topology,
			       strerror(errno));
	if (*options->root && access(options->root, X_OK) < 0)
		return err_set(err, "--root: '%s': %s", options->root,
			       strerror(errno));
	return 0;
}

/* ---- Slurm's files ----------------------------------------------------------------- */

static const char *find_slurm_conf(const struct options *options)
{
	const char *found = options->slurm_conf;

	if (!found)
		found = host_slurm_conf(options->root);
	return found ? found : HOST_SLURM_CONF;
}

static struct slurm_conf *load_cgroup(const struct doctor *doctor)
{
	const char *slash = strrchr(doctor->slurm_conf_path, '/');
	struct slurm_conf *conf;
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), "%.*scgroup.conf",
		 slash ? (int)(slash - doctor->slurm_conf_path) + 1 : 0,
		 doctor->slurm_conf_path);
	conf = slurm_conf_load(doctor->root, path, &err);
	if (!conf && errno != ENOENT)
		findings_add(doctor->findings, "S15", FINDING_ERROR,
			     "correct the file", "%s", err.text);
	return conf;
}

static void read_slurm(struct doctor *doctor)
{
	struct err err;

	doctor->slurm =
		slurm_conf_load(doctor->root, doctor->slurm_conf_path, &err);
	if (!doctor->slurm) {
		findings_add(doctor->findings, "S15", FINDING_ERROR,
			     "name it with --slurm-conf, or correct it",
			     "slurm.conf cannot be read: %s", err.text);
		return;
	}
	doctor->cgroup = load_cgroup(doctor);
	doctor_find_node(doctor);
}

static void look_at_slurm(const struct doctor *doctor)
{
	if (!doctor->slurm)
		return;
	doctor_slurm(doctor);
	if (doctor->has_node)
		doctor_node(doctor);
}

/* ---- jobio.conf and the client ------------------------------------------------------- */

static void note_cards(struct doctor *doctor, const struct client *client,
		       const char *name)
{
	struct doctor_cards *cards = &doctor->cards[doctor->cards_count++];

	snprintf(cards->client, sizeof(cards->client), "%s", name);
	client_cards(client, &cards->cards);
}

static void judge_client(struct doctor *doctor, struct client *client,
			 unsigned int budget_ms, const char *name)
{
	struct client_want want = { .mem_spec_limit_mb = -1 };
	const struct client_facts *facts;
	struct err err;

	if (client_inspect(client, budget_ms, &err) < 0) {
		findings_add(doctor->findings, "J03", FINDING_ERROR,
			     "correct its section in jobio.conf",
			     "client '%s': %s", name, err.text);
		return;
	}
	facts = client_facts(client);
	note_cards(doctor, client, name);
	/* what was said on the command line holds */
	if (facts->cpus_known && !doctor->client_is_told) {
		doctor->client_known = true;
		cpuset_or(&doctor->client_cpus, &facts->frontend_cpus);
	}
	want.mount_options = want.read_ahead_kb = want.parameters = "";
	/* that there is none at all is said about the node line: N09 */
	if (doctor->mem_spec_limit_mb > 0)
		want.mem_spec_limit_mb = doctor->mem_spec_limit_mb;
	client_judge(client, &want, doctor->findings);
}

static void ask_client(struct doctor *doctor,
		       const struct config_client *section,
		       unsigned int budget_ms)
{
	struct client *client;
	struct err err;

	client = client_open(section, NULL, NULL, &err);
	if (client)
		judge_client(doctor, client, budget_ms, section->name);
	else
		findings_add(doctor->findings, "J03", FINDING_ERROR,
			     "correct its section in jobio.conf",
			     "client '%s': %s", section->name, err.text);
	client_close(client);
}

static void look_at_jobio(struct doctor *doctor, const struct options *options)
{
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	struct config *config;
	char path[PATH_MAX];
	struct err err;
	size_t count, i;

	snprintf(path, sizeof(path), "%s%s", options->root,
		 options->conf ? options->conf : JOBIO_CONF);
	config = config_load(path, &err);
	if (!config) {
		findings_add(doctor->findings, "J01", FINDING_ERROR,
			     "write it: see jobio.conf(5)", "%s", err.text);
		return;
	}
	count = config_clients_for(config, doctor->host, sections);
	if (!count)
		findings_add(doctor->findings, "J02", FINDING_WARNING,
			     "[client NAME] with nodes=PATTERN",
			     "jobio.conf: no client section is for node %s",
			     doctor->host);
	for (i = 0; i < count && !*options->root; i++)
		ask_client(doctor, sections[i],
			   CLIENT_BUDGET_MS / (unsigned int)count);
	config_free(config);
}

/* ---- the whole ------------------------------------------------------------------------ */

static const char *find_host(const struct options *options, char *name,
			     size_t size)
{
	if (options->host)
		return options->host;
	return host_node_name(name, size) < 0 ? "localhost" : name;
}

static void print(const struct findings *findings, bool json)
{
	struct json_object *object;

	if (!json) {
		print_findings(findings);
		printf("%zu finding(s)\n", findings->count);
		return;
	}
	object = json_object_new_object();
	json_object_object_add(object, "findings",
			       print_findings_json(findings));
	print_json(object);
}

int doctor_main(int argc, char *argv[])
{
	struct options options = { .root = "" };
	struct findings findings = { 0 };
	struct doctor doctor = { .findings = &findings };
	char name[256];
	struct err err;
	int status;

	if (parse_options(&options, argc, argv, &err) < 0)
		return command_fail(NAME, COMMAND_USAGE, &err);
	if (options.help) {
		fputs(usage, stdout);
		return COMMAND_OK;
	}
	doctor.root = options.root;
	doctor.host = find_host(&options, name, sizeof(name));
	doctor.topology = options.topology;
	doctor.slurmd_path = options.slurmd;
	doctor.slurm_conf_path = find_slurm_conf(&options);
	doctor.version =
		options.version ? options.version : JOBIO_SLURM_VERSION;
	doctor.client_known = doctor.client_is_told = options.has_client_cpus;
	doctor.client_cpus = options.client_cpus;
	read_slurm(&doctor);
	look_at_jobio(&doctor, &options);
	look_at_slurm(&doctor);
	doctor_host(&doctor);
	print(&findings, options.json);
	status = findings.count ? COMMAND_FAILED : COMMAND_OK;
	findings_free(&findings);
	node_state_free(&doctor.state);
	slurm_conf_free(doctor.slurm);
	slurm_conf_free(doctor.cgroup);
	return status;
}
