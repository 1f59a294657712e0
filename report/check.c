/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio check - what is wrong with jobio's part of this host, and the cure. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/config.h"
#include "lib/digest.h"
#include "lib/host.h"
#include "lib/json.h"
#include "report/check_conf.h"
#include "report/check_ctld.h"
#include "report/check_ledger.h"
#include "report/check_node.h"
#include "report/check_role.h"
#include "report/check_submit.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/doctor_host.h"
#include "report/doctor_node.h"
#include "report/doctor_slurm.h"
#include "report/doctor_slurmd.h"
#include "report/print.h"
#include "report/subject.h"

#define NAME "check"
#define CLIENT_BUDGET_MS 20000

static const char usage[] =
	"usage: jobio check [OPTION]...\n"
	"\n"
	"Looks at this host as jobio and Slurm use it. Each finding has a code, a\n"
	"severity, a sentence, and a cure: the line to write, the command to type.\n"
	"Changes nothing.\n"
	"\n"
	"  --role=ROLE,...       login, node, ctld, ledger; default: what runs here\n"
	"  --quiet               no line where nothing is wrong\n"
	"  -v, --verbose         the name of the host, and what was measured\n"
	"  --format=text|json    json: one line; default text\n"
	"  --submit              run a job of a second, and say what each part did\n"
	"  --partition=NAME      of that job; default: Slurm's\n"
	"  --conf=FILE           jobio.conf\n"
	"  --slurm-conf=FILE     slurm.conf; cgroup.conf lies beside it\n"
	"  --host=NODENAME       the node; default: this host\n"
	"  --slurmd=PATH         slurmd's program, asked with -C for what it sees;\n"
	"                        default: that of the running slurmd\n"
	"  --topology=FILE.xml   the machine as lstopo(1) wrote it\n"
	"  --client-cpus=LIST    the client's OS CPUs, instead of asking it\n"
	"  --slurm-version=V     22.05 to 26.05; default: what jobio was built\n"
	"                        with\n"
	"  --root=DIR            look at the files of a node that were copied\n"
	"                        below DIR; nobody is asked\n"
	"\n"
	"Exit status: 0 nothing is wrong; 1 the worst is a warning; 3 there are\n"
	"errors; 2 bad usage.\n";

struct options {
	struct subject subject; /* its version alone */
	struct doctor doctor;
	bool json;
	bool quiet;
	bool verbose;
	bool submit;
	const char *partition; /* NULL: the default */
};

static int set_slurmd(void *what, const char *name, const char *value, struct err *err)
{
	((struct options *)what)->doctor.slurmd_path = value;
	if (*value == '/')
		return 0;
	return err_set(err, "--%s: '%s': must be an absolute path", name, value);
}

static int set_client_cpus(void *what, const char *name, const char *value, struct err *err)
{
	struct doctor *doctor = &((struct options *)what)->doctor;

	doctor->client_known = doctor->client_is_told = true;
	if (cpuset_parse(&doctor->client_cpus, value, err) == 0)
		return 0;
	return err_prefix(err, "--%s", name);
}

static int set_roles(void *what, const char *name, const char *value, struct err *err)
{
	(void)name;
	return check_role_parse(value, &((struct options *)what)->doctor.roles, err);
}

static int check_options(void *what, int argc, char *argv[], struct err *err)
{
	const struct doctor *doctor = &((struct options *)what)->doctor;

	(void)argc, (void)argv;
	if (*doctor->root && !doctor->topology)
		return err_set(err, "--root: give the machine of these files with --topology");
	if (doctor->topology && access(doctor->topology, R_OK) < 0)
		return err_set(err, "--topology: '%s': %s", doctor->topology, strerror(errno));
	if (*doctor->root && access(doctor->root, X_OK) < 0)
		return err_set(err, "--root: '%s': %s", doctor->root, strerror(errno));
	return 0;
}

static const struct command_line line = {
	.name = NAME,
	.usage = { usage },
	.check = check_options,
	.table =
		(const struct command_option[]){
			COMMAND_TEXT("conf", struct options, doctor.conf),
			COMMAND_TEXT("slurm-conf", struct options, doctor.slurm_conf_path),
			COMMAND_TEXT("host", struct options, doctor.host),
			COMMAND_TEXT("topology", struct options, doctor.topology),
			/* a client may have no CPUs of its own */
			{ "client-cpus", .argument = required_argument, .set = set_client_cpus,
			  .may_be_empty = true },
			COMMAND_CALL("slurm-version", subject_set_version),
			COMMAND_CALL("slurmd", set_slurmd),
			COMMAND_TEXT("root", struct options, doctor.root),
			COMMAND_CALL("sysfs", subject_set_sysfs), /* for tests */
			COMMAND_CHOICE("format", struct options, json, "json", "text"),
			COMMAND_CALL("role", set_roles),
			COMMAND_FLAG("quiet", struct options, quiet),
			{ "verbose", 'v', .at = offsetof(struct options, verbose) },
			COMMAND_FLAG("submit", struct options, submit),
			COMMAND_TEXT("partition", struct options, partition),
			{ 0 } },
};

/* ---- Slurm's files ----------------------------------------------------------------- */

static struct slurm_conf *load_cgroup(const struct doctor *doctor)
{
	const char *slash = strrchr(doctor->slurm_conf_path, '/');
	struct slurm_conf *conf;
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), "%.*scgroup.conf",
		 slash ? (int)(slash - doctor->slurm_conf_path) + 1 : 0, doctor->slurm_conf_path);
	conf = slurm_conf_load(doctor->root, path, &err);
	if (!conf && errno != ENOENT)
		findings_add(doctor->findings, "S15", FINDING_ERROR, "correct the file", "%s",
			     err.text);
	return conf;
}

static void read_slurm(struct doctor *doctor)
{
	struct err err;

	doctor->slurm = slurm_conf_load(doctor->root, doctor->slurm_conf_path, &err);
	if (!doctor->slurm)
		findings_add(doctor->findings, "S15", FINDING_ERROR,
			     "name it with --slurm-conf, or correct it",
			     "slurm.conf cannot be read: %s", err.text);
}

static bool is_node(const struct doctor *doctor)
{
	return doctor->roles & ROLE_NODE;
}

static void look_at_slurm(const struct doctor *doctor)
{
	if (!doctor->slurm)
		return;
	doctor_slurm(doctor);
	if (is_node(doctor))
		check_node_scripts(doctor);
	if (doctor->roles & (ROLE_LOGIN | ROLE_CTLD))
		check_ctld(doctor);
	if (doctor->has_node)
		doctor_node(doctor);
}

/* ---- jobio.conf and the client ------------------------------------------------------- */

static void note_cards(struct doctor *doctor, const struct client *client, const char *name)
{
	struct doctor_cards *cards = &doctor->cards[doctor->cards_count++];

	snprintf(cards->client, sizeof(cards->client), "%s", name);
	client_cards(client, &cards->cards);
}

static void judge_client(struct doctor *doctor, struct client *client, unsigned int budget_ms,
			 const char *name)
{
	struct client_want want = { .mem_spec_limit_mb = -1 };
	const struct client_facts *facts;
	struct err err;

	if (client_inspect(client, budget_ms, &err) < 0) {
		findings_add(doctor->findings, "J03", FINDING_ERROR,
			     "correct its section in jobio.conf", "client '%s': %s", name,
			     err.text);
		return;
	}
	facts = client_facts(client);
	note_cards(doctor, client, name);
	/* what was said on the command line holds */
	if (facts->cpus_known && !doctor->client_is_told) {
		doctor->client_known = true;
		cpuset_or(&doctor->client_cpus, &facts->frontend_cpus);
		doctor->fixed_cores += facts->fixed_cores;
	}
	want.mount_options = want.read_ahead_kb = want.parameters = "";
	/* that there is none at all is said about the node line: N09 */
	if (doctor->mem_spec_limit_mb > 0)
		want.mem_spec_limit_mb = doctor->mem_spec_limit_mb;
	client_judge(client, &want, doctor->findings);
}

static void ask_client(struct doctor *doctor, const struct config_client *section,
		       unsigned int budget_ms)
{
	struct client *client = client_open(section, NULL, NULL);

	judge_client(doctor, client, budget_ms, section->name);
	client_close(client);
}

static void read_jobio(struct doctor *doctor)
{
	char path[PATH_MAX];
	struct err err;

	snprintf(path, sizeof(path), "%s%s", doctor->root, doctor->conf);
	doctor->config = config_load(path, &err);
	if (!doctor->config)
		findings_add(doctor->findings, "J01", FINDING_ERROR, "write it: see jobio.conf(5)",
			     "%s", err.text);
}

static void look_at_clients(struct doctor *doctor)
{
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	size_t count, i;

	count = config_clients_for(doctor->config, doctor->host, sections);
	if (!count)
		findings_add(doctor->findings, "J02", FINDING_WARNING,
			     "[client NAME] with nodes=LIST",
			     "jobio.conf: no client section is for this node");
	for (i = 0; i < count && !*doctor->root; i++)
		ask_client(doctor, sections[i], CLIENT_BUDGET_MS / (unsigned int)count);
}

static void look_at_jobio(struct doctor *doctor)
{
	if (!doctor->config)
		return;
	if (is_node(doctor))
		look_at_clients(doctor);
	check_conf(doctor);
	if (is_node(doctor))
		check_node_host(doctor);
	check_ledger(doctor);
}

/* ---- the whole ------------------------------------------------------------------------ */

/* A machine of a cloud, or with several nodes, need not be called like its node. */
static const char *find_host(const struct doctor *doctor, char *name, size_t size)
{
	if (!getenv("SLURMD_NODENAME") && doctor_slurmd_name(doctor, name, size))
		return name;
	return host_node_name(name, size) < 0 ? "localhost" : name;
}

/* "it must be the same everywhere" (jobio.conf(5)): a mark to compare. */
static void mark_conf(const struct doctor *doctor, char mark[20])
{
	char *text = doctor_read(doctor, doctor->conf);

	*mark = '\0';
	if (text)
		snprintf(mark, 20, "%016" PRIx64, digest_add(DIGEST_BEGIN, text, strlen(text)));
	free(text);
}

static void print_host(const struct doctor *doctor)
{
	struct json *object = json_new_object();
	struct json *roles;
	const char *role;
	char mark[20];

	json_add_text(object, "host", doctor->host);
	roles = json_add_list(object, "roles");
	for (unsigned int i = 0; (role = check_role_name(doctor->roles, i)); i++)
		json_append_text(roles, role);
	json_add_text(object, "jobio", JOBIO_PACKAGE);
	mark_conf(doctor, mark);
	json_add_text(object, "conf", *mark ? mark : NULL);
	print_add_findings(object, doctor->findings);
	print_json(object);
}

/* Without what is no fault. */
static void print_quietly(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].severity != FINDING_INFO)
			print_findings(&(struct findings){ &findings->list[i], 1 });
}

static void print(const struct options *options)
{
	const struct doctor *doctor = &options->doctor;
	struct findings *findings = doctor->findings;

	if (options->json) {
		print_host(doctor);
		return;
	}
	if (!options->verbose)
		findings_forget_measured(findings);
	if (options->quiet) {
		print_quietly(findings);
	} else {
		print_findings(findings);
		if (options->verbose)
			printf("%s: ", doctor->host);
		printf("%zu finding(s)\n", findings->count);
	}
}

static int status_of(const struct findings *findings)
{
	switch (findings_worst(findings)) {
	case FINDING_ERROR:
		return COMMAND_UNSOUND;
	case FINDING_WARNING:
		return COMMAND_FAILED;
	case FINDING_INFO:
		break;
	}
	return COMMAND_OK;
}

static void look(struct doctor *doctor)
{
	read_slurm(doctor);
	if (!doctor->roles)
		doctor->roles = check_role_find(doctor);
	if (doctor->slurm && is_node(doctor)) {
		doctor->cgroup = load_cgroup(doctor);
		doctor_find_node(doctor);
	}
	read_jobio(doctor);
	look_at_jobio(doctor);
	look_at_slurm(doctor);
	/* what disturbs cores that poll, where there are such */
	if (is_node(doctor) && doctor->client_known && !cpuset_is_empty(&doctor->client_cpus))
		doctor_host(doctor);
}

static int check_host(struct options *options)
{
	struct doctor *doctor = &options->doctor;
	struct findings findings = { 0 };
	char name[256];
	int status;

	doctor->findings = &findings;
	doctor->version = options->subject.version ? options->subject.version : JOBIO_SLURM_VERSION;
	if (!doctor->slurm_conf_path)
		doctor->slurm_conf_path = host_slurm_conf(doctor->root);
	if (!doctor->slurm_conf_path)
		doctor->slurm_conf_path = HOST_SLURM_CONF;
	if (!doctor->host)
		doctor->host = find_host(doctor, name, sizeof(name));
	look(doctor);
	if (options->submit && doctor->config && !*doctor->root)
		check_submit(doctor, options->partition,
			     options->json || options->quiet ? NULL : stdout);
	print(options);
	status = status_of(&findings);
	findings_free(&findings);
	node_state_free(&doctor->state);
	slurm_conf_free(doctor->slurm);
	slurm_conf_free(doctor->cgroup);
	config_free(doctor->config);
	return status;
}

int check_main(int argc, char *argv[])
{
	struct options options = { .doctor = { .root = "", .conf = JOBIO_CONF } };
	int rc = command_parse(&line, &options, argc, argv);

	return rc < 0 ? check_host(&options) : rc;
}
