/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio check looks at, for which role, and what it makes of its command line. What
 * is found is of others, in whose place there is a word here; on whole sites:
 * tests/scripts/check_site.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/version.h"
#include "report/check_cloud.h"
#include "report/check_conf.h"
#include "report/check_ctld.h"
#include "report/check_fold.h"
#include "report/check_ledger.h"
#include "report/check_node.h"
#include "report/check_submit.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/doctor_host.h"
#include "report/doctor_node.h"
#include "report/doctor_slurm.h"
#include "report/doctor_slurmd.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct {
	bool has_no_node; /* in slurm.conf */
	long mem_spec_limit_mb;
	const char *slurmd_name; /* NULL: none runs */
	/* of clients */
	const char *refused, *silent; /* their names */
	const char *cpus[2];	      /* of the first and the second */
	bool knows_no_cpus;
	/* what check_conf() finds */
	const char *found;
	/* what was seen: "conf cloud " */
	char seen[1000];
	char host[100];
	unsigned int version;
	const char *slurmd;
	bool has_cgroup;
	char client_cpus[100];
	size_t cards;
	int opened; /* clients that nobody has closed */
} world;

#define see(...) append(world.seen, sizeof(world.seen), __VA_ARGS__)

/* ---- in the place of others ------------------------------------------------------- */

void check_cloud(const struct doctor *doctor)
{
	(void)doctor;
	see("cloud ");
}

/* Finds what the world says: "eiw", by the first letters of severities. */
void check_conf(const struct doctor *doctor)
{
	const char *at = world.found ? world.found : "";
	char *cpus = cpuset_format(&doctor->client_cpus);

	see("conf ");
	snprintf(world.host, sizeof(world.host), "%s", doctor->host);
	snprintf(world.client_cpus, sizeof(world.client_cpus), "%s%s",
		 doctor->client_known ? "" : "?", cpus);
	free(cpus);
	world.version = doctor->version;
	world.slurmd = doctor->slurmd_path;
	world.has_cgroup = doctor->cgroup != NULL;
	world.cards = doctor->cards_count;
	for (; *at; at++)
		findings_add(doctor->findings, "J99",
			     *at == 'e'	  ? FINDING_ERROR
			     : *at == 'w' ? FINDING_WARNING
					  : FINDING_INFO,
			     "mend it", "broken");
}

void check_ctld(const struct doctor *doctor)
{
	(void)doctor;
	see("ctld ");
}

int check_fold(FILE *in)
{
	ck_assert_ptr_eq(in, stdin);
	see("fold ");
	return 1;
}

void check_ledger(const struct doctor *doctor)
{
	(void)doctor;
	see("ledger ");
}

void check_node_scripts(const struct doctor *doctor)
{
	(void)doctor;
	see("scripts ");
}

void check_node_host(const struct doctor *doctor)
{
	(void)doctor;
	see("helpers ");
}

void check_submit(const struct doctor *doctor, const char *partition, FILE *out)
{
	ck_assert_ptr_nonnull(doctor->config);
	ck_assert(!out || out == stdout);
	see("submit%s%s%s ", partition ? " to " : "",
	    partition ? partition : "", out ? "" : " quietly");
}

void doctor_host(const struct doctor *doctor)
{
	(void)doctor;
	see("kernel ");
}

void doctor_find_node(struct doctor *doctor)
{
	ck_assert_ptr_nonnull(doctor->slurm);
	see("find ");
	doctor->has_node = !world.has_no_node;
	doctor->mem_spec_limit_mb = world.mem_spec_limit_mb;
}

void doctor_node(const struct doctor *doctor)
{
	(void)doctor;
	see("node ");
}

void doctor_slurm(const struct doctor *doctor)
{
	ck_assert_ptr_nonnull(doctor->slurm);
	see("slurm ");
}

bool doctor_slurmd_name(const struct doctor *doctor, char *name, size_t room)
{
	(void)doctor;
	if (world.slurmd_name)
		snprintf(name, room, "%s", world.slurmd_name);
	return world.slurmd_name != NULL;
}

/* ---- clients */

static struct client {
	char name[40];
} the_client;

struct client *__wrap_client_open(const struct config_client *section,
				  const char *run_dir, const char *state_dir,
				  struct err *err)
{
	ck_assert(!run_dir && !state_dir);
	if (world.refused && !strcmp(world.refused, section->name)) {
		err_set(err, "a wrong section");
		return NULL;
	}
	world.opened++;
	strcpy(the_client.name, section->name);
	return &the_client;
}

void __wrap_client_close(struct client *client)
{
	world.opened -= client != NULL;
}

int __wrap_client_inspect(struct client *client, unsigned int budget_ms,
			  struct err *err)
{
	see("%s:%u ", client->name, budget_ms);
	return world.silent && !strcmp(world.silent, client->name)
		       ? err_set(err, "no answer")
		       : 0;
}

const struct client_facts *__wrap_client_facts(const struct client *client)
{
	static struct client_facts facts;
	const char *cpus = world.cpus[*client->name == 'b'];

	facts.cpus_known = !world.knows_no_cpus;
	cpuset_zero(&facts.frontend_cpus);
	if (cpus)
		ck_assert_int_eq(cpuset_parse(&facts.frontend_cpus, cpus, NULL),
				 0);
	return &facts;
}

void __wrap_client_cards(const struct client *client,
			 struct client_cards *cards)
{
	(void)client;
	cards->count = 0;
}

void __wrap_client_judge(struct client *client, const struct client_want *want,
			 struct findings *list)
{
	(void)list;
	ck_assert_str_eq(want->mount_options, "");
	ck_assert_str_eq(want->read_ahead_kb, "");
	ck_assert_str_eq(want->parameters, "");
	see("%s:judge(%ld) ", client->name, (long)want->mem_spec_limit_mb);
}

/* ---- what a test says ------------------------------------------------------------- */

static char *said;

static void begin(void)
{
	memset(&world, 0, sizeof(world));
	tempdir_make();
	unsetenv("SLURMD_NODENAME");
	setenv("SLURM_CONF", tempdir_put("slurm.conf", "ClusterName=c\n"), 1);
	tempdir_put("jobio.conf", "[client a]\ntype = nfs\n");
}

/* Words behind --conf. */
static int run_as(const char *name, const char *line)
{
	char conf[600], *words = strdup(line), *rest = words;
	char *argv[20] = { (char *)name, conf };
	FILE *old_out = stdout, *old_err = stderr;
	size_t size;
	int argc = 2, status;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	while (*line && (argv[argc] = strsep(&rest, " ")))
		argc++;
	argv[argc] = NULL;
	free(said);
	*world.seen = '\0';
	optind = 0;
	stdout = stderr = open_memstream(&said, &size);
	status = check_main(argc, argv);
	fclose(stdout);
	stdout = old_out;
	stderr = old_err;
	free(words);
	ck_assert_int_eq(world.opened, 0);
	return status;
}

static int run(const char *line)
{
	return run_as("check", line);
}

static void expect_seen(const char *line, const char *wanted)
{
	run(line);
	ck_assert_msg(!strcmp(world.seen, wanted), "%s: %s\n%s", line,
		      world.seen, said);
}

static void expect(const char *line, int status, const char *text)
{
	int rc = run(line);

	ck_assert_msg(rc == status && !strcmp(said, text), "%s: %d\n%s", line,
		      rc, said);
}

/* ---- roles --------------------------------------------------------------------------- */

#define A "a:20000 a:judge(-1) "

START_TEST(each_role_has_its_parts)
{
	begin();
	expect_seen("--role=login", "conf cloud ledger slurm ctld ");
	expect_seen("--role=ctld", "conf cloud ledger slurm ctld ");
	expect_seen("--role=ledger", "conf cloud ledger slurm ");
	expect_seen("--role=node",
		    "find " A "conf cloud helpers ledger slurm scripts node ");
	expect_seen("--role=node,ctld",
		    "find " A
		    "conf cloud helpers ledger slurm scripts ctld node ");
	world.has_no_node = true;
	expect_seen("--role=node",
		    "find " A "conf cloud helpers ledger slurm scripts ");
	run_as("doctor", "");
	ck_assert_str_eq(world.seen,
			 "find " A "conf cloud helpers ledger slurm scripts ");
	ck_assert_int_eq(run("--fold"), 1);
	ck_assert_str_eq(world.seen, "fold ");
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_read_keeps_nobody_from_the_rest)
{
	begin();
	ck_assert_int_eq(remove(tempdir_path("slurm.conf")), 0);
	expect_seen("--role=node", A "conf cloud helpers ledger ");
	ck_assert_ptr_nonnull(strstr(said, "S15 error: slurm.conf cannot be "
					   "read: "));
	tempdir_put("slurm.conf", "ClusterName=c\n");
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	expect_seen("--role=node --submit", "find slurm scripts node ");
	ck_assert_ptr_nonnull(strstr(said, "J01 error: "));
	ck_assert_int_eq(remove(tempdir_path("slurm.conf")), 0);
	ck_assert_int_eq(run("--role=node"), COMMAND_UNSOUND);
	ck_assert_ptr_nonnull(strstr(said, "\n2 finding(s)\n"));
	tempdir_remove();
}
END_TEST

START_TEST(cgroup_conf_lies_beside_slurm_conf)
{
	begin();
	expect("--role=node", COMMAND_OK, "0 finding(s)\n");
	ck_assert(!world.has_cgroup);
	tempdir_put("cgroup.conf", "ConstrainCores=yes\n");
	run("--role=node");
	ck_assert(world.has_cgroup);
	run("--role=login"); /* where it need not be */
	ck_assert(!world.has_cgroup);
	tempdir_put("cgroup.conf", "nonsense\n");
	ck_assert_int_eq(run("--role=login"), COMMAND_OK);
	ck_assert_int_eq(run("--role=node"), COMMAND_UNSOUND);
	ck_assert_ptr_nonnull(strstr(said, "S15 error: "));
	ck_assert_ptr_nonnull(strstr(said, "cgroup.conf:1: 'nonsense'"));
	tempdir_remove();
}
END_TEST

/* ---- clients --------------------------------------------------------------------------- */

#define TWO "[client a]\ntype = nfs\n[client b]\ntype = lustre\n"
#define REST "conf cloud helpers ledger slurm scripts node "

START_TEST(clients_share_the_time_and_each_is_asked)
{
	begin();
	tempdir_put("jobio.conf", TWO "[client c]\ntype = nfs\nnodes = x*\n");
	expect_seen("--role=node --host=n1",
		    "find a:10000 a:judge(-1) b:10000 b:judge(-1) " REST);
	ck_assert_uint_eq(world.cards, 2);
	world.mem_spec_limit_mb = 1;
	world.refused = "a";
	expect_seen("--role=node --host=n1", "find b:10000 b:judge(1) " REST);
	ck_assert_ptr_nonnull(strstr(said, "J03 error: client 'a': a wrong "
					   "section\n"));
	ck_assert_uint_eq(world.cards, 1);
	world.refused = NULL;
	world.silent = "a";
	expect_seen("--role=node --host=n1",
		    "find a:10000 b:10000 b:judge(1) " REST);
	ck_assert_ptr_nonnull(strstr(said, "J03 error: client 'a': no "
					   "answer\n"));
	tempdir_put("jobio.conf", "[client c]\ntype = nfs\nnodes = x*\n");
	expect_seen("--role=node --host=n1", "find " REST);
	ck_assert_ptr_nonnull(strstr(said, "J02 warning: jobio.conf: no client "
					   "section is for node n1\n"));
	tempdir_remove();
}
END_TEST

START_TEST(the_kernel_matters_where_a_client_has_cores)
{
	begin();
	tempdir_put("jobio.conf", TWO);
	run("--role=node");
	ck_assert_str_eq(world.client_cpus, "");
	ck_assert_ptr_null(strstr(world.seen, "kernel"));
	world.cpus[0] = "3";
	world.cpus[1] = "5";
	run("--role=node");
	ck_assert_str_eq(world.client_cpus, "3,5");
	ck_assert_ptr_nonnull(strstr(world.seen, "node kernel "));
	/* what is said holds, also that it has none */
	run("--role=node --client-cpus=7");
	ck_assert_str_eq(world.client_cpus, "7");
	ck_assert_ptr_nonnull(strstr(world.seen, "node kernel "));
	run("--role=node --client-cpus=");
	ck_assert_str_eq(world.client_cpus, "");
	ck_assert_ptr_null(strstr(world.seen, "kernel"));
	run("--role=login --client-cpus=7");
	ck_assert_ptr_null(strstr(world.seen, "kernel"));
	world.knows_no_cpus = true;
	run("--role=node");
	ck_assert_str_eq(world.client_cpus, "?");
	tempdir_remove();
}
END_TEST

START_TEST(of_files_that_were_copied_no_client_is_asked)
{
	char line[800];

	begin();
	mkdir(tempdir_path("root"), 0700);
	tempdir_put("root/etc/slurm/slurm.conf", "ClusterName=c\n");
	tempdir_put("machine", "");
	snprintf(line, sizeof(line),
		 "--role=node --conf=/jobio.conf --slurm-conf=/etc/slurm/"
		 "slurm.conf --submit --root=%s/root --topology=%s/machine",
		 tempdir_name, tempdir_name);
	tempdir_put("root/jobio.conf", "[client a]\ntype = nfs\n");
	expect_seen(line, "find " REST);
	expect(line, COMMAND_OK, "0 finding(s)\n");
	/* that there is none for the node is told all the same */
	tempdir_put("root/jobio.conf", "");
	ck_assert_int_eq(run(line), COMMAND_FAILED);
	tempdir_remove();
}
END_TEST

/* ---- what it prints -------------------------------------------------------------------- */

#define BROKEN(severity) "J99 " severity ": broken\n    cure: mend it\n"

START_TEST(the_exit_status_is_that_of_the_worst)
{
	begin();
	world.found = "i";
	expect("--role=ledger", COMMAND_OK, BROKEN("info") "1 finding(s)\n");
	expect("--role=ledger --quiet", COMMAND_OK, "");
	world.found = "iwi";
	ck_assert_int_eq(run("--role=ledger"), COMMAND_FAILED);
	expect("--role=ledger --quiet", COMMAND_FAILED, BROKEN("warning"));
	world.found = "wew";
	ck_assert_int_eq(run("--role=ledger"), COMMAND_UNSOUND);
	expect("--role=ledger --quiet", COMMAND_UNSOUND,
	       BROKEN("warning") BROKEN("error") BROKEN("warning"));
	tempdir_remove();
}
END_TEST

/* The mark of jobio.conf. */
static char *mark_of(void)
{
	const char *at;

	ck_assert_int_eq(run("--role=node,ledger --host=n1 --format=json"), 0);
	at = strstr(said, "\"conf\":\"");
	ck_assert_msg(at != NULL, "%s", said);
	ck_assert_uint_eq(strspn(at + 8, "0123456789abcdef"), 16);
	return strndup(at + 8, 16);
}

START_TEST(as_json_it_is_one_line_with_a_mark_of_jobio_conf)
{
	char *first, *second, wanted[300];

	begin();
	first = mark_of();
	snprintf(wanted, sizeof(wanted),
		 "{\"host\":\"n1\",\"roles\":[\"node\",\"ledger\"],\"jobio\":"
		 "\"jobio 1\",\"conf\":\"%s\",\"findings\":[]}\n",
		 first);
	ck_assert_str_eq(said, wanted);
	tempdir_put("jobio.conf", "[client b]\ntype = nfs\n");
	second = mark_of();
	ck_assert_str_ne(first, second);
	free(first);
	free(second);
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	ck_assert_int_eq(run("--role=ledger --format=json --host=n1"),
			 COMMAND_UNSOUND);
	ck_assert_ptr_nonnull(strstr(said, "\"conf\":null,\"findings\":[{"
					   "\"code\":\"J01\","));
	tempdir_remove();
}
END_TEST

START_TEST(a_job_is_tried_aloud_where_that_is_asked_for)
{
	begin();
	run("--role=ledger");
	ck_assert_ptr_null(strstr(world.seen, "submit"));
	expect_seen("--role=ledger --submit",
		    "conf cloud ledger slurm submit ");
	expect_seen("--role=ledger --submit --partition=p",
		    "conf cloud ledger slurm submit to p ");
	expect_seen("--role=ledger --submit --quiet",
		    "conf cloud ledger slurm submit quietly ");
	expect_seen("--role=ledger --submit --format=json",
		    "conf cloud ledger slurm submit quietly ");
	expect_seen("--role=ledger --submit --format=text",
		    "conf cloud ledger slurm submit ");
	tempdir_remove();
}
END_TEST

/* ---- the command line -------------------------------------------------------------------- */

START_TEST(a_host_is_what_is_said_or_what_its_slurmd_is_called)
{
	begin();
	world.slurmd_name = "cloud-7";
	run("--role=ledger --host=n9");
	ck_assert_str_eq(world.host, "n9");
	run("--role=ledger");
	ck_assert_str_eq(world.host, "cloud-7");
	setenv("SLURMD_NODENAME", "n3", 1);
	run("--role=ledger");
	ck_assert_str_eq(world.host, "n3");
	world.slurmd_name = NULL;
	unsetenv("SLURMD_NODENAME");
	run("--role=ledger");
	ck_assert_str_ne(world.host, "");
	tempdir_remove();
}
END_TEST

START_TEST(what_slurm_is_here_may_be_said)
{
	begin();
	run("--role=ledger");
	ck_assert_uint_eq(world.version, 0x190500);
	ck_assert_ptr_null(world.slurmd);
	run("--role=ledger --slurm-version=24.05");
	ck_assert_uint_eq(world.version >> 8, VERSION_OF(24, 5, 0) >> 8);
	ck_assert_int_eq(run("--role=ledger --slurmd=/opt/slurmd"), 0);
	ck_assert_ptr_nonnull(world.slurmd);
	ck_assert_int_eq(run("--role=ledger --sysfs=/nowhere"), 0);
	expect("--slurmd=slurmd", COMMAND_USAGE,
	       "jobio: check: --slurmd: 'slurmd': must be an absolute "
	       "path\n");
	ck_assert_str_eq(world.seen, "");
	/* a file that is named, in the place of the usual one */
	setenv("SLURM_CONF", "/nowhere/slurm.conf", 1);
	ck_assert_int_eq(run("--role=ledger"), COMMAND_UNSOUND);
	tempdir_remove();
}
END_TEST

START_TEST(bad_usage_is_told_and_nobody_is_looked_at)
{
	begin();
	expect("--root=/tmp", COMMAND_USAGE,
	       "jobio: check: --root: give the machine of these files with "
	       "--topology\n");
	expect("--topology=/nowhere.xml", COMMAND_USAGE,
	       "jobio: check: --topology: '/nowhere.xml': No such file or "
	       "directory\n");
	expect("--root=/nowhere --topology=/dev/null", COMMAND_USAGE,
	       "jobio: check: --root: '/nowhere': No such file or "
	       "directory\n");
	ck_assert_int_eq(run("--client-cpus=x"), COMMAND_USAGE);
	ck_assert_int_eq(strncmp(said, "jobio: check: --client-cpus: ", 29), 0);
	ck_assert_int_eq(run("--role=nod"), COMMAND_USAGE);
	ck_assert_int_eq(run("--format=xml"), COMMAND_USAGE);
	ck_assert_str_eq(world.seen, "");
	ck_assert_int_eq(run("--help"), COMMAND_OK);
	ck_assert_int_eq(strncmp(said, "usage: jobio check ", 19), 0);
	ck_assert_str_eq(world.seen, "");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("check_command", each_role_has_its_parts,
	  what_cannot_be_read_keeps_nobody_from_the_rest,
	  cgroup_conf_lies_beside_slurm_conf,
	  clients_share_the_time_and_each_is_asked,
	  the_kernel_matters_where_a_client_has_cores,
	  of_files_that_were_copied_no_client_is_asked,
	  the_exit_status_is_that_of_the_worst,
	  as_json_it_is_one_line_with_a_mark_of_jobio_conf,
	  a_job_is_tried_aloud_where_that_is_asked_for,
	  a_host_is_what_is_said_or_what_its_slurmd_is_called,
	  what_slurm_is_here_may_be_said,
	  bad_usage_is_told_and_nobody_is_looked_at)
