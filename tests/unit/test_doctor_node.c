/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node line against its machine, its client and its slurmd, and what else jobio needs
 * on a node, file by file. On whole nodes: check_node.bats, check_site.bats. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "lib/core_map.h"
#include "lib/version.h"
#include "report/check_node.h"
#include "report/doctor_node.h"
#include "report/doctor_slurmd.h"
#include "tests/machines/machines.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

/* Core 7 has OS CPUs 7 and 15, and Slurm's numbers 14 and 15. */
#define TABLE                                                                                      \
	"machine m\n"                                                                              \
	"\tpackage 0 numa 0\n\t\tcore 0-3 pu 0-3 8-11\n"                                           \
	"\tpackage 1 numa 1\n\t\tcore 4-7 pu 4-7 12-15\n"                                          \
	"machine small\n"                                                                          \
	"\tpackage 0 numa 0\n\t\tcore 0-3 pu 0-3 8-11\n"
#define SHAPE "Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=16"
#define ONLINE "sys/devices/system/cpu/online"

static struct doctor doctor;
static struct findings findings;
static char settings[400]; /* of slurm.conf, beside the node line */

static void make_slurmd(const char *folder, const char *name, const char *inside, const char *cpus)
{
	char path[64], text[400];

	snprintf(path, sizeof(path), "proc/%s/status", folder);
	snprintf(text, sizeof(text),
		 "Name:\t%s\nState:\tS (sleeping)\nNSpid:\t%s\n"
		 "Cpus_allowed:\tff\n"
		 "Cpus_allowed_list:\t%s\nMems_allowed_list:\t0-1\n",
		 name, inside, cpus);
	tempdir_put(path, text);
}

static void make_machine(const char *name, const char *file)
{
	struct err err;
	char path[512];

	snprintf(path, sizeof(path), "%s", tempdir_put(file, ""));
	ck_assert_msg(machines_write(tempdir_put("table", TABLE), name, path, &err) == 0, "%s",
		      err.text);
}

/* A node where all is well: the client has core 7, and slurmd the others. */
static void begin(void)
{
	static char topology[512];

	tempdir_make();
	make_machine("m", "machine.xml");
	snprintf(topology, sizeof(topology), "%s", tempdir_path("machine.xml"));
	tempdir_put(ONLINE, "0-15\n");
	tempdir_put("var/run/slurmd.pid", "812\n");
	make_slurmd("812", "slurmd", "812", "0-6,8-14");
	strcpy(settings, "TaskPluginParam=SlurmdOffSpec\n");
	doctor = (struct doctor){ .root = tempdir_name,
				  .host = "n1",
				  .topology = topology,
				  .slurm_conf_path = "/etc/slurm.conf",
				  .version = VERSION_OF(24, 11, 0),
				  .client_known = true };
	ck_assert_int_eq(cpuset_parse(&doctor.client_cpus, "7,15", NULL), 0);
}

/* What is found about this node line. */
static const char *said(const char *line)
{
	char conf[2000];
	const char *text;
	struct err err = { "" };

	snprintf(conf, sizeof(conf), "%s\nNodeName=other CPUs=1\n%s\n", settings, line);
	tempdir_put("etc/slurm.conf", conf);
	doctor.slurm = slurm_conf_load(tempdir_name, "/etc/slurm.conf", &err);
	ck_assert_msg(doctor.slurm != NULL, "%s", err.text);
	doctor.findings = &findings;
	doctor.has_node = false;
	doctor_find_node(&doctor);
	if (doctor.has_node)
		doctor_node(&doctor);
	text = said_findings(&findings);
	node_state_free(&doctor.state);
	memset(&doctor.state, 0, sizeof(doctor.state));
	slurm_conf_free(doctor.slurm);
	return text;
}

/* The same of a node of the machine's shape. */
static const char *said_of(const char *spec)
{
	char line[400];

	snprintf(line, sizeof(line), "NodeName=n[1-3] " SHAPE " %s", spec);
	return said(line);
}

static void expect(const char *spec, const char *wanted)
{
	ck_assert_str_eq(said_of(spec), wanted);
}

static void client_has(const char *cpus)
{
	cpuset_zero(&doctor.client_cpus);
	ck_assert_int_eq(cpuset_parse(&doctor.client_cpus, cpus, NULL), 0);
}

#define SPEC "CpuSpecList=14-15 "
#define LIMIT "MemSpecLimit=5100"

START_TEST(a_node_where_all_is_well_has_no_finding)
{
	begin();
	expect(SPEC LIMIT, "");
	expect("CoreSpecCount=1 " LIMIT, "");
	/* its line may be the first */
	strcat(settings, "NodeName=n1 " SHAPE " " SPEC LIMIT "\n");
	ck_assert_str_eq(said("NodeName=x CPUs=1"), "");
	tempdir_remove();
}
END_TEST

/* ---- the node line ----------------------------------------------------------------- */

START_TEST(a_host_without_a_node_line_and_one_with_a_wrong_one_are_told)
{
	begin();
	said_expect(
		said("NodeName=n[2-3] CPUs=4"),
		"N02 warning slurm.conf: no NodeName line for this host: nothing is known of its cores; name the node with --host=NODENAME, or run this on a compute node\n");
	ck_assert(!doctor.has_node);
	said_expect(said("NodeName=n1 CPUs=x"), "N01 error slurm.conf: node line: CPUs: 'x'");
	ck_assert(!doctor.has_node);
	doctor.topology = "/dev/null";
	said_expect(said_of(SPEC LIMIT), "N01 error slurm.conf: topology: '/dev/null'");
	tempdir_remove();
}
END_TEST

START_TEST(a_line_gives_all_cpus_or_one_for_each_core)
{
	static const char told[] =
		"N04 warning the node line gives Slurm %u of the machine's 16 CPUs; write the line that `slurmd -C` prints\n";
	static const char shape[] =
		"NodeName=n1 Sockets=2 CoresPerSocket=%u ThreadsPerCore=2 CPUs=%u";
	char line[200], text[200];

	begin();
	client_has("");
	doctor.client_known = false;
	snprintf(line, sizeof(line), shape, 3, 12);
	snprintf(text, sizeof(text), told, 12);
	said_expect(said(line), text);
	snprintf(line, sizeof(line), shape, 4, 8);
	ck_assert_ptr_null(strstr(said(line), "N04"));
	snprintf(line, sizeof(line), shape, 4, 15);
	snprintf(text, sizeof(text), told, 15);
	ck_assert_ptr_null(strstr(said_of(""), "N04"));
	tempdir_remove();
}
END_TEST

#define N05(list, really, cure)                                                                    \
	"N05 error CpuSpecList=" list " is written in Linux's numbers; "                           \
	"Slurm reads its own and reserves OS CPUs " really "; CpuSpecList=" cure "\n"
#define NO_N05(spec) ck_assert_ptr_null(strstr(said_of(spec LIMIT), "N05"))

START_TEST(a_list_in_linuxs_numbers_is_told_by_the_clients_cpus)
{
	begin();
	said_expect(said_of("CpuSpecList=7,15 " LIMIT), N05("7,15", "3,7,11,15", "14-15"));
	/* some of the client's CPUs are in it, and Slurm withholds others */
	said_expect(said_of("CpuSpecList=7,9 " LIMIT), N05("7,9", "3-4,11-12", "14-15"));
	/* what Slurm withholds holds the client, whatever the list says */
	NO_N05("CpuSpecList=11,15 ");
	/* it names none of the client's CPUs: another mistake, if any */
	NO_N05("CpuSpecList=8-9 ");
	/* whole cores in Slurm's numbers, and torn ones in Linux's */
	client_has("6,14");
	NO_N05("CpuSpecList=14-15 ");
	client_has("7,9,15");
	said_expect(said_of("CpuSpecList=7,9 " LIMIT), "N05 error ");
	tempdir_remove();
}
END_TEST

START_TEST(a_list_in_linuxs_numbers_is_told_by_its_shape)
{
	begin();
	client_has("");
	said_expect(said_of("CpuSpecList=7,15 " LIMIT), N05("7,15", "3,7,11,15", "14-15"));
	doctor.client_known = false;
	said_expect(said_of("CpuSpecList=7,15 " LIMIT), N05("7,15", "3,7,11,15", "14-15"));
	said_expect(said_of("CpuSpecList=6,14 " LIMIT), N05("6,14", "3,7,11,15", "12-13"));
	NO_N05("CpuSpecList=6-7 ");	/* torn in Linux's numbers */
	NO_N05("CpuSpecList=0-1,8-9 "); /* whole in both */
	NO_N05("CpuSpecList=7,14 ");
	/* of one CPU for each core nothing can be told */
	ck_assert_ptr_null(strstr(
		said("NodeName=n1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8 CpuSpecList=7 " LIMIT),
		"N05"));
	ck_assert_ptr_null(strstr(
		said("NodeName=n1 Sockets=2 CoresPerSocket=8 CPUs=16 CpuSpecList=7,15 " LIMIT),
		"N05"));
	tempdir_remove();
}
END_TEST

START_TEST(a_client_outside_the_spec_set_is_told_with_the_line_to_write)
{
	begin();
	client_has("6,14");
	expect(SPEC LIMIT,
	       "N06 error the client has OS CPUs 6,14 that are not in the spec set (7,15): jobs run there; CpuSpecList=12-13\n");
	expect("CoreSpecCount=1 " LIMIT,
	       "N06 error the client has OS CPUs 6,14 that are not in the spec set (7,15): jobs run there; CpuSpecList=12-13\n");
	client_has("6-7,14-15");
	said_expect(said_of(SPEC LIMIT), "has OS CPUs 6,14 that are not");
	make_slurmd("812", "slurmd", "812", "0-15");
	expect("",
	       "N07 warning the client has OS CPUs 6-7,14-15 and the node has no spec set: a job that asks for no io-cores runs there; CpuSpecList=12-15\n");
	/* core 0 in the line, and not a CPU that the machine does not have */
	client_has("0,8");
	said_expect(said_of(""), "there; CpuSpecList=0-1\n");
	client_has("7,15,99");
	said_expect(said_of(""), "there; CpuSpecList=14-15\n");
	/* one number for each core */
	client_has("0,8");
	said_expect(said("NodeName=n1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8"),
		    "; CpuSpecList=0\n");
	client_has("7,15");
	said_expect(said("NodeName=n1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 CPUs=8"),
		    "; CpuSpecList=7\n");
	client_has("");
	expect("", "");
	client_has("7,15");
	doctor.client_known = false;
	expect("", "");
	tempdir_remove();
}
END_TEST

START_TEST(core_zero_is_the_kernels)
{
	begin();
	doctor.client_known = false;
	make_slurmd("812", "slurmd", "812", "1-7,9-15");
	expect("CpuSpecList=0-1 " LIMIT,
	       "N08 warning the spec set holds core 0, which is the kernel's: a client refuses it; reserve other cores: jobio plan\n");
	make_slurmd("812", "slurmd", "812", "0,2-8,10-15");
	expect("CpuSpecList=2-3 " LIMIT, "");
	tempdir_remove();
}
END_TEST

START_TEST(a_spec_set_needs_a_limit_of_memory)
{
	static const char told[] =
		"N09 warning the node line has a spec set and no MemSpecLimit: jobs may take the memory of the client (2.8 GB and 2.3 GB a core); MemSpecLimit=5100, and 2300 more for each further core\n";

	begin();
	expect(SPEC, told);
	expect("CoreSpecCount=1", told);
	expect(SPEC "MemSpecLimit=0", told);
	expect(SPEC "MemSpecLimit=1", "");
	ck_assert_int_eq(doctor.mem_spec_limit_mb, 1);
	expect(SPEC LIMIT, "");
	ck_assert_int_eq(doctor.mem_spec_limit_mb, 5100);
	tempdir_remove();
}
END_TEST

static void add_card(const char *name, int numa_node)
{
	struct doctor_cards *its = &doctor.cards[0];
	struct client_card *card = &its->cards.card[its->cards.count++];

	doctor.cards_count = 1;
	strcpy(its->client, "home");
	strcpy(card->name, name);
	card->numa_node = numa_node;
}

START_TEST(cores_far_from_the_clients_card_are_told)
{
	static const char cure[] = "; CpuSpecList of cores beside it: jobio plan --client=home\n";
	char wanted[400];

	begin();
	add_card("ib0", 0);
	snprintf(
		wanted, sizeof(wanted),
		"N13 warning the spec set has OS CPUs 7,15, and none of them is beside the card of client 'home': ib0 (NUMA node 0)%s",
		cure);
	expect(SPEC LIMIT, wanted);
	/* a card of which nobody knows where it is, and one where no CPU is */
	add_card("ib1", -1);
	add_card("ib2", 5);
	expect(SPEC LIMIT, wanted);
	/* Slurm would take the highest core of the highest socket */
	make_slurmd("812", "slurmd", "812", "0-15");
	client_has("");
	snprintf(
		wanted, sizeof(wanted),
		"N13 info there is no spec set, --io-cores=1 gets OS CPUs 7,15, and none of them is beside the card of client 'home': ib0 (NUMA node 0)%s",
		cure);
	expect("", wanted);
	make_slurmd("812", "slurmd", "812", "0-6,8-14");
	add_card("ib3", 1);
	expect(SPEC LIMIT, "");
	doctor.cards[0].cards.card[0].numa_node = 1;
	doctor.cards[0].cards.count = 1;
	expect(SPEC LIMIT, "");
	doctor.cards[0].cards.card[0].numa_node = -1;
	expect(SPEC LIMIT, "");
	tempdir_remove();
}
END_TEST

START_TEST(cards_of_each_client_are_looked_at)
{
	begin();
	add_card("ib1", 1);
	doctor.cards[1] = doctor.cards[0];
	strcpy(doctor.cards[1].client, "work");
	doctor.cards[1].cards.card[0].numa_node = 0;
	doctor.cards_count = 2;
	said_expect(said_of(SPEC LIMIT), "beside the card of client 'work': ib1 (NUMA node 0); ");
	tempdir_remove();
}
END_TEST

START_TEST(all_cards_that_none_is_beside_are_named)
{
	begin();
	add_card("ib0", 0);
	add_card("ib1", 0);
	said_expect(said_of(SPEC LIMIT), "client 'home': ib0 (NUMA node 0), ib1 (NUMA node 0); ");
	tempdir_remove();
}
END_TEST

/* ---- slurmd ------------------------------------------------------------------------ */

#define N10(pid, has, lacks)                                                                       \
	"N10 error slurmd may run on OS CPUs " has " only; " lacks                                 \
	" were taken from it: its jobs cannot have them, though Slurm gives "                      \
	"them away (process " pid "); let nothing hide CPUs from slurmd"
#define N11                                                                                        \
	"N11 warning no slurmd runs here: whether it may use all CPUs is "                         \
	"not known; start slurmd, or run this on the node\n"

START_TEST(a_slurmd_that_lacks_cpus_is_told)
{
	begin();
	make_slurmd("812", "slurmd", "812", "0-5,8-14");
	said_expect(said_of(SPEC LIMIT), N10("812", "0-5,8-14", "6"));
	/* where it is bound to the spec set, or to what it was started in,
	 * nothing follows */
	*settings = '\0';
	expect(SPEC LIMIT, "");
	client_has("");
	said_expect(said_of(""), N10("812", "0-5,8-14", "6-7,15"));
	strcpy(settings, "TaskPluginParam=SlurmdSpecOverride\n");
	doctor.version = VERSION_OF(25, 4, 9);
	said_expect(said_of(""), N10("812", "0-5,8-14", "6-7,15"));
	doctor.version = VERSION_OF(25, 5, 0);
	ck_assert_ptr_null(strstr(said_of(""), "N10"));
	*settings = '\0';
	said_expect(said_of(""), N10("812", "0-5,8-14", "6-7,15"));
	tempdir_remove();
}
END_TEST

START_TEST(slurmd_is_found_by_its_pidfile)
{
	begin();
	make_slurmd("700", "slurmd", "700", "0-1");
	expect(SPEC LIMIT, "");
	strcat(settings, "SlurmdPidFile=/run/%h/slurmd-%n.pid\n");
	tempdir_put("run/n1/slurmd-n1.pid", "700\n");
	said_expect(said_of(SPEC LIMIT), N10("700", "0-1", "2-6,8-14"));
	/* what is no number of a process, or of another one, says nothing */
	make_slurmd("600", "slurmd", "600", "0-2");
	tempdir_put("run/n1/slurmd-n1.pid", "0\n");
	said_expect(said_of(SPEC LIMIT), N10("600", "0-2", "3-6,8-14"));
	tempdir_put("run/n1/slurmd-n1.pid", "7x\n");
	said_expect(said_of(SPEC LIMIT), N10("600", "0-2", "3-6,8-14"));
	make_slurmd("700", "sshd", "700", "0-1");
	tempdir_put("run/n1/slurmd-n1.pid", "700\n");
	said_expect(said_of(SPEC LIMIT), N10("600", "0-2", "3-6,8-14"));
	tempdir_remove();
}
END_TEST

START_TEST(slurmd_is_the_oldest_of_its_name_outside_of_containers)
{
	begin();
	remove(tempdir_path("var/run/slurmd.pid"));
	make_slurmd("700", "slurmd", "700 1", "0-1");
	make_slurmd("701", "slurmd", "701\t1", "0-1");
	make_slurmd("702", "slurmstepd", "702", "0-1");
	make_slurmd("703", "slurmd", "703", "nonsense");
	make_slurmd("slurmd", "slurmd", "1", "0-1");
	make_slurmd("1x", "slurmd", "1", "0-1");
	tempdir_put("proc/704/status", "Name:\tslurmd\nNSpid:\t704\n");
	tempdir_put("proc/705/status", "State:\tS\nCpus_allowed_list:\t0-1\n");
	expect(SPEC LIMIT, "");
	make_slurmd("900", "slurmd", "900", "0-1");
	make_slurmd("1000", "slurmd", "1000", "0-1");
	make_slurmd("811", "slurmd-wlm", "811", "0-3,8-14");
	said_expect(said_of(SPEC LIMIT), N10("811", "0-3,8-14", "4-6"));
	/* of a kernel that tells of no namespaces */
	tempdir_put("proc/5/status", "Name:\tslurmd\nCpus_allowed_list: \t0-4,8-14\n");
	said_expect(said_of(SPEC LIMIT), N10("5", "0-4,8-14", "5-6"));
	tempdir_remove();
}
END_TEST

START_TEST(where_no_slurmd_runs_it_is_said)
{
	begin();
	make_slurmd("812", "sshd", "812", "0-1");
	expect(SPEC LIMIT, N11);
	/* of another machine than this one nothing here tells */
	doctor.root = "";
	ck_assert_int_eq(cpuset_parse(&doctor.state.node.spec_list, "0", NULL), 0);
	doctor.findings = &findings;
	doctor_slurmd(&doctor, &doctor.client_cpus);
	ck_assert_uint_eq(findings.count, 0);
	/* and without what the kernel has online nothing can be told */
	doctor.root = tempdir_name;
	remove(tempdir_path(ONLINE));
	doctor_slurmd(&doctor, &doctor.client_cpus);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_remove();
}
END_TEST

static void slurmd_prints(const char *text)
{
	static char path[600];
	char script[400];

	snprintf(script, sizeof(script),
		 "#!/bin/sh\n"
		 "[ \"$*\" = -C ] || exit 9\n"
		 "[ \"$SLURM_CONF\" = %%s/etc/slurm.conf ] || exit 8\n"
		 "%s\n",
		 text);
	doctor.slurmd_path = tempdir_command("slurmd", script, path);
}

START_TEST(slurmd_counts_what_the_kernel_has)
{
	char wanted[800];

	begin();
	slurmd_prints("echo NodeName=n1 CPUs=16 Boards=1");
	expect(SPEC LIMIT, "");
	slurmd_prints("echo NodeName=n1 CPUs=17");
	expect(SPEC LIMIT, "");
	slurmd_prints("echo NodeName=n1 CPUs=1");
	said_expect(said_of(SPEC LIMIT), "N03 error slurmd sees 1 CPUs (");
	slurmd_prints("echo NodeName=n1 CPUs=15 Boards=1");
	snprintf(
		wanted, sizeof(wanted),
		"N03 error slurmd sees 15 CPUs (%s/slurmd -C); the kernel has 16 online: slurmd counts and numbers only those; let nothing hide CPUs",
		tempdir_name);
	said_expect(said_of(SPEC LIMIT), wanted);
	tempdir_remove();
}
END_TEST

static pid_t running;
static int its_input[2], its_output[2];

/* A process of this name that has these variables, and its number in a file. */
static void start_slurmd(char *const env[])
{
	char path[600], number[24];
	char *argv[] = { path, NULL };

	tempdir_command("bin/slurmd", "#!/bin/sh\necho up\nread -r end\n", path);
	ck_assert_int_eq(pipe2(its_input, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(its_output, O_CLOEXEC), 0);
	running = fork();
	if (running == 0) {
		dup2(its_input[0], STDIN_FILENO);
		dup2(its_output[1], STDOUT_FILENO);
		execve(path, argv, env);
		_exit(1);
	}
	ck_assert_int_eq(read(its_output[0], number, 1), 1);
	snprintf(number, sizeof(number), "%d\n", (int)running);
	tempdir_put("slurmd.pid", number);
}

static void end_slurmd(void)
{
	close(its_input[1]);
	ck_assert_int_eq(waitpid(running, NULL, 0), running);
	close(its_input[0]);
	close(its_output[0]);
	close(its_output[1]);
}

START_TEST(a_slurmd_that_is_asked_has_the_hwloc_variables_of_the_one_that_runs)
{
	static char *const env[] = { (char *)"OTHER=1", (char *)"HWLOC_A=2", (char *)"HWLOCK=3",
				     (char *)"HWLOC_B=4", NULL };
	struct core_map_options options = { .slurm_version = VERSION_OF(24, 11, 0) };
	struct cpuset spec = { 0 };
	char conf[512], path[600], wanted[600];

	begin();
	start_slurmd(env);
	snprintf(path, sizeof(path), "SlurmdPidFile=%s\nSlurmdSpoolDir=/nowhere\n",
		 tempdir_path("slurmd.pid"));
	snprintf(conf, sizeof(conf), "%s", tempdir_put("x.conf", path));
	options.xml = doctor.topology;
	doctor.state.map = core_map_load(&options, NULL);
	doctor.slurm = slurm_conf_load("", conf, NULL);
	doctor.slurm_conf_path = conf;
	doctor.findings = &findings;
	doctor.slurmd_path = tempdir_command(
		"slurmd",
		"#!/bin/sh\nenv | grep -e OTHER -e HWLOC -e SLURM | sort >%s/env\necho NodeName=n1 CPUs=8192\n",
		path);
	doctor.root = "";
	doctor.topology = NULL;
	doctor_slurmd(&doctor, &spec);
	snprintf(wanted, sizeof(wanted), "HWLOC_A=2\nHWLOC_B=4\nSLURM_CONF=%s\n", conf);
	tempdir_expect("env", wanted);
	end_slurmd();
	findings_free(&findings);
	slurm_conf_free(doctor.slurm);
	core_map_free(doctor.state.map);
	tempdir_remove();
}
END_TEST

START_TEST(a_slurmd_that_cannot_count_is_told)
{
	char wanted[800];

	begin();
	slurmd_prints("echo fatal: no conf >&2; echo and more >&2; exit 3");
	snprintf(
		wanted, sizeof(wanted),
		"N12 warning slurmd cannot say what it sees: %s/slurmd -C: exit status 3: fatal: no conf; start it by hand and see\n",
		tempdir_name);
	expect(SPEC LIMIT, wanted);
	slurmd_prints("echo NodeName=n1 CPUs=16; exit 3");
	said_expect(said_of(SPEC LIMIT), "exit status 3: it names no CPUs; ");
	slurmd_prints("echo NodeName=n1");
	said_expect(said_of(SPEC LIMIT), "exit status 0: it names no CPUs; ");
	slurmd_prints("echo NodeName=n1 CPUs=0");
	said_expect(said_of(SPEC LIMIT), "exit status 0: it names no CPUs; ");
	tempdir_remove();
}
END_TEST

START_TEST(what_was_hidden_when_slurmd_was_started_is_told)
{
	static const char told[] =
		"N03 error slurmd did not see, when it was started, OS CPUs 4-7,12-15 that the kernel has online: it counts and numbers only 0-3,8-11; ";

	begin();
	make_machine("small", "var/spool/slurmd/hwloc_topo_whole.xml");
	said_expect(said_of(SPEC LIMIT), told);
	doctor.version = VERSION_OF(25, 5, 0);
	expect(SPEC LIMIT, "");
	doctor.version = VERSION_OF(25, 4, 0);
	said_expect(said_of(SPEC LIMIT), told);
	strcat(settings, "SlurmdSpoolDir=/spool/%n/d\n");
	expect(SPEC LIMIT, "");
	make_machine("small", "spool/n1/d/hwloc_topo_whole.xml");
	said_expect(said_of(SPEC LIMIT), told);
	tempdir_put("spool/n1/d/hwloc_topo_whole.xml", "nonsense");
	expect(SPEC LIMIT, "");
	tempdir_remove();
}
END_TEST

START_TEST(a_topology_that_lacks_cpus_is_told)
{
	begin();
	tempdir_put(ONLINE, "0-17\n");
	make_slurmd("812", "slurmd", "812", "0-6,8-14,16-17");
	said_expect(
		said_of(SPEC LIMIT),
		"N03 error the file of --topology does not have OS CPUs 16-17 that the kernel has online: it counts and numbers only 0-15; ");
	tempdir_remove();
}
END_TEST

/* What a slurmd with these arguments is called; "": as its host. */
static const char *called(const char *words, size_t size)
{
	static char name[8];
	FILE *out = fopen(tempdir_path("proc/812/cmdline"), "w");

	ck_assert(out && fwrite(words, 1, size, out) == size && fclose(out) == 0);
	return doctor_slurmd_name(&doctor, name, sizeof(name)) ? name : "";
}

#define CALLED(words) called(words, sizeof(words)) /* the last NUL as well */

START_TEST(slurmd_is_called_what_its_arguments_say)
{
	char name[8];

	begin();
	ck_assert(!doctor_slurmd_name(&doctor, name, sizeof(name)));
	ck_assert_str_eq(CALLED("slurmd\0-D"), "");
	ck_assert_str_eq(CALLED("slurmd\0-N\0n02\0-D"), "n02");
	ck_assert_str_eq(CALLED("slurmd\0-Nn3"), "n3");
	ck_assert_str_eq(CALLED("slurmd\0-f/etc/x\0-D"), "");
	ck_assert_str_eq(CALLED("slurmd\0-N\0a\0-Nb\0-N\0c"), "c");
	ck_assert_str_eq(CALLED("slurmd\0-N"), "");
	ck_assert_str_eq(CALLED("slurmd\0-N\0n234567"), "n234567");
	ck_assert_str_eq(CALLED("slurmd\0-N\0n2345678"), ""); /* no room */
	make_slurmd("812", "sshd", "812", "0-1");
	ck_assert_str_eq(CALLED("slurmd\0-N\0n02"), "");
	tempdir_remove();
}
END_TEST

/* ---- prolog and epilog --------------------------------------------------------------- */

static uid_t uid;

uid_t __wrap_geteuid(void)
{
	return uid;
}

static void put_program(const char *name, const char *text)
{
	ck_assert_int_eq(chmod(tempdir_put(name, text), 0755), 0);
}

/* What a part of jobio check finds with this slurm.conf. */
static const char *checked(void (*check)(const struct doctor *), const char *slurm_conf)
{
	const char *text;
	struct err err = { "" };

	tempdir_put("etc/slurm.conf", slurm_conf);
	doctor.slurm = slurm_conf_load(tempdir_name, "/etc/slurm.conf", &err);
	ck_assert_msg(doctor.slurm != NULL, "%s", err.text);
	doctor.findings = &findings;
	check(&doctor);
	text = said_findings(&findings);
	slurm_conf_free(doctor.slurm);
	return text;
}

static const char *hooked(const char *slurm_conf)
{
	return checked(check_node_scripts, slurm_conf);
}

#define DRAINS                                                                                     \
	": slurmd fails it and drains the node at its next job; install it "                       \
	"on every node before slurm.conf names it; chmod 755\n"
#define S18(key, value, what)                                                                      \
	"S18 error slurm.conf: " key "=" value                                                     \
	": none of its scripts runs jobio's: nothing is " what " for a job; "

START_TEST(a_script_that_slurmd_cannot_run_is_told)
{
	begin();
	put_program("p", "exec /x/jobio/prolog");
	ck_assert_str_eq(hooked("Prolog=/p"), "");
	ck_assert_str_eq(hooked("Prolog=/no"),
			 "S17 error slurm.conf: Prolog=/no: there is no such file" DRAINS);
	ck_assert_int_eq(chmod(tempdir_path("p"), 0644), 0);
	ck_assert_str_eq(hooked("Epilog=/p"),
			 "S17 error slurm.conf: Epilog=/p: it is not executable" DRAINS);
	ck_assert_int_eq(chmod(tempdir_path("p"), 0645), 0);
	ck_assert_str_eq(hooked("Epilog=/p"), "");
	ck_assert_str_eq(hooked("Epilog=/etc"),
			 "S17 error slurm.conf: Epilog=/etc: it is not executable" DRAINS);
	ck_assert_str_eq(hooked("Epilog=/d/*"),
			 "S17 error slurm.conf: Epilog=/d/*: no file matches" DRAINS);
	ck_assert_str_eq(hooked("ClusterName=c"), "");
	tempdir_remove();
}
END_TEST

START_TEST(one_of_the_scripts_runs_jobios)
{
	begin();
	put_program("d/a", "true");
	said_expect(hooked("Prolog=/d/a"), S18("Prolog", "/d/a", "prepared"));
	said_expect(hooked("Epilog=/d/*"), S18("Epilog", "/d/*", "put back or recorded"));
	put_program("d/b", "exec /x/jobio/epilog");
	ck_assert_str_eq(hooked("Epilog=/d/*"), "");
	ck_assert_str_eq(hooked("Epilog=/d/[ab]"), "");
	ck_assert_str_eq(hooked("Epilog=/d/a\nEpilog=/d/b"), "");
	ck_assert_str_eq(hooked("Epilog=/d/b\nEpilog=/d/a"), "");
	said_expect(hooked("Epilog=/d/?\nEpilog=/d/no"), "S17 error");
	put_program("w/b", "exec /x/jobio/epilog");
	tempdir_put("w/a", "");
	said_expect(hooked("Epilog=/w/*"), "Epilog=/w/a: it is not executable");
	/* one that lies beside its helper is ours, whatever it says */
	put_program("d/jobio-release", "");
	ck_assert_str_eq(hooked("Epilog=/d/a"), "");
	said_expect(hooked("Prolog=/d/a"), S18("Prolog", "/d/a", "prepared"));
	/* beside slurm.conf */
	put_program("etc/own", "jobio");
	ck_assert_str_eq(hooked("Prolog=own"), "");
	doctor.slurm_conf_path = "slurm.conf";
	said_expect(hooked("Prolog=own"), "Prolog=own: there is no such file");
	tempdir_remove();
}
END_TEST

/* ---- a node's helpers, folders and units ------------------------------------------------ */

static struct config config;
static char prolog[600]; /* as a line of slurm.conf */

#define FOLDER "usr/libexec/"

/* All of them, beside a prolog, on this host: there is no root before the paths. */
static void begin_host(void)
{
	static const char *const helpers[] = { "prepare", "release", "send", "slurm", "node" };
	char name[100];
	size_t i;

	begin();
	uid = 0;
	doctor.root = "";
	config = (struct config){ .run_dir = (char *)"/",
				  .spool_dir = (char *)"/",
				  .ledger.host = (char *)"a",
				  .count_kernel = SWITCH_YES };
	doctor.config = &config;
	for (i = 0; i < sizeof(helpers) / sizeof(helpers[0]); i++) {
		snprintf(name, sizeof(name), FOLDER "jobio-%s", helpers[i]);
		put_program(name, "");
	}
	put_program(FOLDER "jobio-count", "#!/bin/sh\n[ \"$*\" = '--run-dir=/ probe' ] || exit 9\n"
					  "echo '{\"tier\":\"bpf\"}'\n");
	put_program(FOLDER "prolog", "");
	snprintf(prolog, sizeof(prolog), "Prolog=%s", tempdir_path(FOLDER "prolog"));
}

/* Those of units are another host's: whether systemd runs here is no matter. */
static const char *hosted(void)
{
	static char text[8192];
	const char *all = checked(check_node_host, prolog), *line;

	*text = '\0';
	for (line = all; *line; line = strchr(line, '\n') + 1)
		if (strncmp(line, "H04", 3) != 0)
			strncat(text, line, strcspn(line, "\n") + 1);
	return text;
}

/* The same as a copy, below a root. */
static void below_root(void)
{
	doctor.root = tempdir_name;
	config.run_dir = config.spool_dir = (char *)"/nowhere";
	strcpy(prolog, "Prolog=/" FOLDER "prolog");
}

START_TEST(helpers_that_are_missing_are_named)
{
	char wanted[700];

	begin_host();
	ck_assert_str_eq(hosted(), "");
	remove(tempdir_path(FOLDER "jobio-send"));
	ck_assert_int_eq(chmod(tempdir_path(FOLDER "jobio-node"), 0644), 0);
	snprintf(
		wanted, sizeof(wanted),
		"H01 error %s: not there, or not executable: jobio-send jobio-node: jobs run without what it does; ",
		tempdir_path("usr/libexec"));
	said_expect(hosted(), wanted);
	/* one of the two tells the folder; without them it is where jobio was
	 * installed */
	remove(tempdir_path(FOLDER "jobio-prepare"));
	said_expect(hosted(), "not executable: jobio-prepare jobio-send jobio-node: jobs");
	put_program(FOLDER "jobio-prepare", "");
	remove(tempdir_path(FOLDER "jobio-release"));
	said_expect(hosted(), "not executable: jobio-release jobio-send jobio-node: jobs");
	remove(tempdir_path(FOLDER "jobio-prepare"));
	below_root();
	snprintf(wanted, sizeof(wanted), "H01 error %s%s: not there", tempdir_name,
		 JOBIO_LIBEXECDIR);
	said_expect(hosted(), wanted);
	/* beside the first of several prologs that has them */
	put_program(FOLDER "jobio-release", "");
	put_program("usr/a/prolog", "");
	strcpy(prolog, "Prolog=/usr/a/prolog\nProlog=/" FOLDER "prolog");
	snprintf(wanted, sizeof(wanted), "H01 error %s: not there", tempdir_path("usr/libexec"));
	said_expect(hosted(), wanted);
	strcpy(prolog, "Prolog=/usr/*/prolog");
	said_expect(hosted(), wanted);
	/* a site without a prolog has no helpers yet */
	strcpy(prolog, "ClusterName=c");
	ck_assert_str_eq(hosted(), "");
	tempdir_remove();
}
END_TEST

static const char *counted(const char *script)
{
	put_program(FOLDER "jobio-count", script);
	return hosted();
}

START_TEST(how_io_is_counted_is_told_where_it_is_not_by_file)
{
	begin_host();
	said_expect(counted("#!/bin/sh\necho '{\"tier\":\"exit\",\"reason\":\"no BTF\"}'\n"),
		    "H02 warning I/O is counted by process exits, on all files together: no BTF; ");
	said_expect(
		counted("#!/bin/sh\necho '{\"tier\":\"none\"}'\n"),
		"H02 warning I/O is counted by steps, on all files together: the kernel does not say why; ");
	said_expect(counted("#!/bin/sh\necho '{\"tier\":\"bpf\",\"reason\":\"no core dumps\"}'\n"),
		    "H02 warning not all I/O is counted: no core dumps; ");
	said_expect(
		counted("#!/bin/sh\necho nonsense\n"),
		"H02 warning jobio-count probe: no answer that can be read; run jobio-count probe by hand\n");
	said_expect(counted("#!/nowhere/sh\n"), "H02 warning ");
	config.count_kernel = SWITCH_NO;
	ck_assert_str_eq(hosted(), "");
	config.count_kernel = SWITCH_YES;
	uid = 1000;
	ck_assert_str_eq(
		hosted(),
		"H05 info not run as root: counters, spool and parts of the client were not looked at; run it as root\n");
	tempdir_remove();
}
END_TEST

START_TEST(folders_are_roots_alone)
{
	char own[600], file[600], wanted[900];

	begin_host();
	snprintf(own, sizeof(own), "%s", tempdir_path("own"));
	snprintf(file, sizeof(file), "%s", tempdir_put("file", ""));
	config.count_kernel = SWITCH_NO;
	config.run_dir = own; /* the first prolog makes it */
	ck_assert_str_eq(hosted(), "");
	ck_assert_int_eq(mkdir(own, 0700), 0);
	ck_assert_int_eq(chmod(own, 0720), 0);
	snprintf(
		wanted, sizeof(wanted),
		"H03 error jobio.conf: run_dir=%s: others than root may write there: jobio does not write there, and jobs have no record; ",
		own);
	said_expect(hosted(), wanted);
	ck_assert_int_eq(chmod(own, 0702), 0);
	said_expect(hosted(), wanted);
	config.run_dir = (char *)"/";
	config.spool_dir = file;
	snprintf(wanted, sizeof(wanted),
		 "H03 error jobio.conf: spool_dir=%s: it is no folder: ", file);
	said_expect(hosted(), wanted);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("doctor_node", a_node_where_all_is_well_has_no_finding,
	  a_host_without_a_node_line_and_one_with_a_wrong_one_are_told,
	  a_line_gives_all_cpus_or_one_for_each_core,
	  a_list_in_linuxs_numbers_is_told_by_the_clients_cpus,
	  a_list_in_linuxs_numbers_is_told_by_its_shape,
	  a_client_outside_the_spec_set_is_told_with_the_line_to_write, core_zero_is_the_kernels,
	  a_spec_set_needs_a_limit_of_memory, cores_far_from_the_clients_card_are_told,
	  cards_of_each_client_are_looked_at, all_cards_that_none_is_beside_are_named,
	  a_slurmd_that_lacks_cpus_is_told, slurmd_is_found_by_its_pidfile,
	  slurmd_is_the_oldest_of_its_name_outside_of_containers, where_no_slurmd_runs_it_is_said,
	  slurmd_counts_what_the_kernel_has,
	  a_slurmd_that_is_asked_has_the_hwloc_variables_of_the_one_that_runs,
	  a_slurmd_that_cannot_count_is_told, what_was_hidden_when_slurmd_was_started_is_told,
	  a_topology_that_lacks_cpus_is_told, slurmd_is_called_what_its_arguments_say,
	  a_script_that_slurmd_cannot_run_is_told, one_of_the_scripts_runs_jobios,
	  helpers_that_are_missing_are_named, how_io_is_counted_is_told_where_it_is_not_by_file,
	  folders_are_roots_alone)
