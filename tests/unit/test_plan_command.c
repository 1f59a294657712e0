/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio plan and jobio cores make of their command lines, and say of machines that
 * are known. With the whole jobio: plan.bats, cores.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/node.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/plan_client.h"
#include "tests/machines/machines.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define INTEL "intel-2x16x2-block"

static struct {
	bool is_away;	  /* slurmctld */
	bool is_silent;	  /* the client */
	size_t cards;	  /* that it has */
	const char *type; /* of the client */
} world;

static char *said;
static const char *node_line; /* NULL: none is given */

int __wrap_node_cached(const char *run_dir, struct node_state *state,
		       struct err *why)
{
	(void)run_dir, (void)why;
	node_init(&state->node);
	return 0;
}

int __wrap_node_refresh(const char *run_dir, const char *helper,
			const char *node_name, unsigned int timeout_ms,
			struct node_state *state, struct err *why)
{
	(void)run_dir, (void)helper, (void)node_name, (void)timeout_ms;
	(void)state;
	return world.is_away ? err_set(why, "slurmctld is away") : 0;
}

/* A client with its cards beside the first package, all but its first core. */
int __wrap_plan_client_find(struct plan_client *client, const char *name,
			    const char *conf, const char *xml, struct err *why)
{
	size_t i;

	ck_assert(!conf && xml);
	if (world.is_silent)
		return err_set(why, "client '%s' does not answer", name);
	strcpy(client->name, name);
	client->type = world.type;
	client->numa_node = world.cards ? 0 : -1;
	client->cards.count = world.cards;
	for (i = 0; i < world.cards; i++) {
		snprintf(client->cards.card[i].name,
			 sizeof(client->cards.card[i].name), "ib%zu", i);
		strcpy(client->cards.card[i].serves, "/work");
	}
	client->domain_count = world.cards > 0;
	return cpuset_parse(&client->domain[0], "0-15,32-47", why);
}

int __real_locality_of_nic(const char *xml, const char *nic,
			   struct cpuset *cpus, struct err *why);

/* The machines of the tests have no cards; ib7 is beside the second package. */
int __wrap_locality_of_nic(const char *xml, const char *nic,
			   struct cpuset *cpus, struct err *why)
{
	return strcmp(nic, "ib7") != 0
		       ? __real_locality_of_nic(xml, nic, cpus, why)
		       : cpuset_parse(cpus, "16-23,48-55", why);
}

/* Words of a command line about this machine; the exit status. */
static int run(int (*command)(int, char *[]), const char *machine,
	       const char *line)
{
	char topology[600], node[400], *words = strdup(line), *rest = words;
	char *argv[20] = { (char *)"x" }, *word;
	FILE *old_out = stdout, *old_err = stderr;
	int argc = 1, status;
	struct err err;
	size_t size;

	tempdir_make();
	if (machine) {
		snprintf(topology, sizeof(topology), "--topology=%s",
			 tempdir_path("machine.xml"));
		ck_assert_msg(machines_write(SRCDIR
					     "/tests/machines/machines.txt",
					     machine, strchr(topology, '/'),
					     &err) == 0,
			      "%s", err.text);
		argv[argc++] = topology;
	}
	if (node_line) {
		snprintf(node, sizeof(node), "--node=%s", node_line);
		argv[argc++] = node;
	}
	while ((word = strsep(&rest, " ")))
		if (*word)
			argv[argc++] = word;
	argv[argc] = NULL;
	free(said);
	optind = 0;
	stdout = stderr = open_memstream(&said, &size);
	status = command(argc, argv);
	fclose(stdout);
	stdout = old_out;
	stderr = old_err;
	free(words);
	tempdir_remove();
	return status;
}

static void plan(const char *machine, const char *line, int status)
{
	int rc = run(plan_main, machine, line);

	ck_assert_msg(rc == status, "%s: %d: %s", line, rc, said);
}

static void cores(const char *machine, const char *line, int status)
{
	int rc = run(cores_main, machine, line);

	ck_assert_msg(rc == status, "%s: %d: %s", line, rc, said);
}

static void expect(const char *text)
{
	ck_assert_msg(strstr(said, text) != NULL, "no '%s' in:\n%s", text,
		      said);
}

static void expect_no(const char *text)
{
	ck_assert_msg(!strstr(said, text), "'%s' in:\n%s", text, said);
}

/* ---- jobio plan --------------------------------------------------------------------- */

START_TEST(a_plan_says_which_cores_and_how_to_write_them)
{
	plan(INTEL, "--max=3 --nic=ib0 --local-cpus=16-23,48-55", COMMAND_OK);
	ck_assert_str_eq(
		said,
		"abstract cores   21-23\n"
		"OS CPUs          21-23,53-55\n"
		"placement        packed beside the network card: its queues "
		"are polled from there\n"
		"slurm.conf       CpuSpecList=42-47\n"
		"                 on the node line, in Slurm's numbers of "
		"threads; no CoreSpecCount beside it\n"
		"mount            -o net=ib0,core=21,core=22,core=23\n"
		"or               weka local resources cores 3 "
		"--only-frontend-cores --core-ids 21,22,23\n"
		"P01 info: without a spec set, and with CoreSpecCount=3, Slurm "
		"takes OS CPUs 15,30-31,47,62-63 instead: it goes round the "
		"sockets from the last core\n"
		"P02 warning: a job that asks for fewer than 3 cores gets the "
		"rest of the spec set for itself\n"
		"    cure: let jobs ask for none or for all of them "
		"(io_cores_min in jobio.conf)\n");
	/* the card's place is looked for where nobody tells it */
	plan(INTEL, "--max=1 --nic=ib7 --sysfs=/nowhere", COMMAND_OK);
	expect("OS CPUs          23,55\n");
	expect("placement        packed beside the network card: ");
	/* of one core no job can ask for a part, and of two one can */
	plan(INTEL, "--os-cpus=3", COMMAND_OK);
	expect("CpuSpecList=6-7\n");
	expect("P01 info: without a spec set, and with CoreSpecCount=1, ");
	expect_no("P02");
	plan(INTEL, "--os-cpus=3-4", COMMAND_OK);
	expect("P02 warning: a job that asks for fewer than 2 cores");
}
END_TEST

START_TEST(where_slurm_takes_the_same_cores_no_spec_set_is_needed)
{
	plan(INTEL, "--max=2 --spread", COMMAND_OK);
	ck_assert_str_eq(
		said,
		"abstract cores   15,31\n"
		"OS CPUs          15,31,47,63\n"
		"placement        spread over 2 package(s): no network card "
		"was named, no place is better\n"
		"slurm.conf       CpuSpecList=30-31,62-63\n"
		"                 on the node line, in Slurm's numbers of "
		"threads; no CoreSpecCount beside it\n"
		"                 no spec set needed where every job that "
		"finds "
		"the client\n"
		"                 working asks with --io-cores=2: Slurm takes "
		"the same cores\n"
		"mount            -o core=15,core=31\n"
		"or               weka local resources cores 2 "
		"--only-frontend-cores --core-ids 15,31\n");
	plan(INTEL, "--max=2 --format=json", COMMAND_OK);
	ck_assert_str_eq(
		said,
		"{\"abstract_cores\":\"15,31\",\"os_cpus\":\"15,31,47,63\","
		"\"client_cpus\":\"15,31\",\"cpu_spec_list\":\"30-31,62-63\","
		"\"spec_set_needed\":false,\"slurm_conf\":\"CpuSpecList=30-31,"
		"62-63\",\"mount_options\":\"-o core=15,core=31\","
		"\"weka_command\":\"weka local resources cores 2 "
		"--only-frontend-cores --core-ids 15,31\",\"placement\":"
		"\"spread\",\"reason\":\"spread over 2 package(s): no network "
		"card was named, no place is better\",\"findings\":[]}\n");
	/* whether a job may have them without a spec set does not depend on
	 * what the node's Slurm allows */
	plan(INTEL, "--max=2 --allow-spec-resources-usage=no", COMMAND_OK);
	expect("no spec set needed");
	plan(INTEL, "--max=2 --packed --format=json", COMMAND_OK);
	expect("\"spec_set_needed\":true,");
	expect("\"placement\":\"packed\"");
	plan(INTEL, "--os-cpus=31 --format=json", COMMAND_OK);
	expect("\"placement\":\"given\"");
}
END_TEST

START_TEST(cores_that_cannot_be_had_are_a_failure)
{
	static const char p05[] =
		"P05 error: the machine has 4 cores: 4 for the client beside "
		"core 0 cannot be had\n    cure: ask for fewer cores\n";

	plan("x86-1x4x1-block", "--max=4", COMMAND_FAILED);
	expect("OS CPUs          1-3\n");
	expect(p05);
	plan("x86-1x4x1-block", "--max=4 --format=json", COMMAND_FAILED);
	expect("\"code\":\"P05\"");
	plan("x86-1x4x1-block", "--max=3", COMMAND_OK);
	expect_no("P05");
	/* nobody has asked for a number of them */
	plan("x86-1x4x1-block", "--os-cpus=3", COMMAND_OK);
	expect_no("P05");
	plan("x86-1x4x1-block", "--os-cpus=0", COMMAND_FAILED);
	expect("P04 error: core 0");
	expect("CpuSpecList=0\n");
	expect("mount            -o core=0\n");
	/* a machine that Slurm numbers wrongly */
	plan("x86-2x8x1-even-numbers-sparse", "--max=2", COMMAND_FAILED);
	expect("P06 error: no CpuSpecList reserves these cores on this node: "
	       "Slurm's numbers do not fit the machine\n");
}
END_TEST

START_TEST(what_is_doubtful_is_a_warning)
{
	plan("intel-2x48x2-block", "--max=20", COMMAND_OK);
	expect("P08 warning: a WEKA client takes at most 19 cores in one "
	       "container\n    cure: ask for fewer cores\n");
	plan("intel-2x48x2-block", "--max=19", COMMAND_OK);
	expect_no("P08");
	plan(INTEL, "--max=1 --spec-cores-first", COMMAND_OK);
	expect("from the first core\n");
	expect("P07 warning: spec_cores_first makes --core-spec begin with "
	       "core 0, which is the kernel's\n"
	       "    cure: take spec_cores_first out of SchedulerParameters\n");
	plan(INTEL, "--max=1", COMMAND_OK);
	expect_no("P07");
}
END_TEST

START_TEST(a_list_counts_cores_where_the_node_line_does_since_21_08)
{
	node_line = "CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 "
		    "ThreadsPerCore=2";
	plan(INTEL, "--slurm-version=21.08.0 --os-cpus=31", COMMAND_OK);
	expect("OS CPUs          31,63\n");
	expect("CpuSpecList=31\n");
	expect("on the node line, in cores, since CPUs=cores there; no ");
	plan(INTEL, "--slurm-version=20.11 --os-cpus=15", COMMAND_OK);
	expect("OS CPUs          15,47\n");
	expect("CpuSpecList=30-31\n");
	expect("in Slurm's numbers of threads; no ");
	node_line = "CPUs=33 SocketsPerBoard=2 CoresPerSocket=16 "
		    "ThreadsPerCore=2";
	plan(INTEL, "--slurm-version=24.11 --os-cpus=31", COMMAND_OK);
	expect("in Slurm's numbers of threads; no ");
	/* a spec set that the line has is no matter */
	node_line = "CPUs=64 SocketsPerBoard=2 CoresPerSocket=16 "
		    "ThreadsPerCore=2 CoreSpecCount=4";
	plan(INTEL, "--max=2", COMMAND_OK);
	expect("CpuSpecList=30-31,62-63\n");
	expect("no spec set needed");
	node_line = NULL;
}
END_TEST

START_TEST(the_cores_of_a_client_lie_beside_its_card)
{
	world.type = "weka";
	world.cards = 1;
	plan(INTEL, "--client=home", COMMAND_OK); /* one core */
	expect("card             ib0, ");
	expect("OS CPUs          15,47\n");
	expect("placement        beside the card of client 'home': ib0\n");
	expect("mount            -o net=ib0,core=15\n");
	plan(INTEL, "--client=home --max=2 --format=json", COMMAND_OK);
	expect("\"client_cpus\":\"14-15\"");
	expect("\"client\":{\"name\":\"home\",\"type\":\"weka\",");
	/* what is said on the command line holds */
	plan(INTEL, "--client=home --local-cpus=16-31,48-63", COMMAND_OK);
	expect("OS CPUs          31,63\n");
	plan(INTEL, "--client=home --nic=eth1 --local-cpus=16-31,48-63",
	     COMMAND_OK);
	expect("mount            -o net=eth1,core=31\n");
	plan(INTEL, "--client=home --os-cpus=5", COMMAND_OK);
	expect("OS CPUs          5,37\n");
	/* of two cards none is named for the mount */
	world.cards = 2;
	plan(INTEL, "--client=home", COMMAND_OK);
	expect("mount            -o core=15\n");
}
END_TEST

START_TEST(a_client_whose_cards_nobody_knows_is_told)
{
	static const char p09[] =
		"P09 warning: nobody tells which card serves client 'home', or "
		"where it is\n    cure: name it with --nic=IFACE, or give the "
		"CPUs beside it with --local-cpus\n";

	world.type = "weka";
	plan(INTEL, "--client=home", COMMAND_OK);
	expect(p09);
	expect("OS CPUs          31,63\n");
	plan(INTEL, "--client=home --local-cpus=0-15,32-47", COMMAND_OK);
	expect_no("P09");
	world.is_silent = true;
	plan(INTEL, "--client=home", COMMAND_USAGE);
	ck_assert_str_eq(said, "jobio: plan: client 'home' does not answer\n");
}
END_TEST

START_TEST(a_client_without_cores_of_its_own_is_told_nothing_of_a_mount)
{
	world.type = "nfs";
	world.cards = 1;
	plan(INTEL, "--client=home --max=20", COMMAND_OK);
	expect_no("mount ");
	expect_no("P08");
	expect_no("\nor ");
	plan(INTEL, "--client=home --format=json", COMMAND_OK);
	expect_no("mount_options");
	expect_no("weka_command");
}
END_TEST

/* One line, of this command and with this reason. */
static void expect_refusal(const char *command, const char *why)
{
	ck_assert_int_eq(strncmp(said, command, strlen(command)), 0);
	ck_assert_ptr_eq(strchr(said, '\n'), said + strlen(said) - 1);
	expect(why);
}

static void refuse(const char *line, const char *why)
{
	plan(INTEL, line, COMMAND_USAGE);
	expect_refusal("jobio: plan: ", why);
}

START_TEST(a_plan_refuses_what_makes_no_sense)
{
	plan(INTEL, "--max=64", COMMAND_FAILED);
	expect("P05 error: the machine has 32 cores: 64 for the client");
	refuse("--max=65", "--max: '65': not a number from 1 to 64\n");
	refuse("--max=0", "--max: '0': not a number from 1 to 64\n");
	refuse("--os-cpus=3-1", "--os-cpus: ");
	refuse("--local-cpus=x --max=1", "--local-cpus: ");
	refuse("--os-cpus=", "--os-cpus: '': must not be empty\n");
	refuse("--os-cpus=,", "--os-cpus: ");
	refuse("--format=yaml", "--format: 'yaml': must be json or text\n");
	refuse("--nosuch", "'--nosuch': no such option");
	refuse("--packed --spread",
	       "plan: --packed and --spread exclude each other\n");
	refuse("--spread --packed", "exclude each other\n");
	refuse("--max=1 --os-cpus=1",
	       "plan: give one of --max=N and --os-cpus=LIST\n");
	refuse("", "plan: give one of --max=N and --os-cpus=LIST\n");
	refuse("--os-cpus=900", "plan: --os-cpus: 900: no such CPU here\n");
	refuse("--max=1 --nic=ib8", "plan: network card 'ib8': not in '");
	plan(INTEL, "--max=1 --packed --packed", COMMAND_OK);
	plan(INTEL, "--max=1 --format=json --format=text", COMMAND_OK);
	expect("slurm.conf       ");
	plan(INTEL, "--help", COMMAND_OK);
	expect("usage: jobio plan --max=N");
	expect("  --topology=");
	expect("Exit status: 0 the plan can be had");
	world.is_away = true;
	plan(NULL, "--max=1", COMMAND_FAILED);
	ck_assert_str_eq(said, "jobio: plan: slurmctld is away\n");
}
END_TEST

/* ---- jobio cores -------------------------------------------------------------------- */

#define LINE                                                                   \
	"CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 "                \
	"ThreadsPerCore=2"

START_TEST(cores_says_what_slurm_withholds_in_both_kinds_of_numbers)
{
	cores("intel-1x4x2-block", "--core-spec=1", COMMAND_OK);
	ck_assert_str_eq(said, "abstract cores   3\n"
			       "abstract CPUs    6-7\n"
			       "OS CPUs          3,7\n"
			       "class            regular\n"
			       "\n"
			       "  core socket  abstract CPUs     OS CPUs\n"
			       "     0      0  0-1               0,4\n"
			       "     1      0  2-3               1,5\n"
			       "     2      0  4-5               2,6\n"
			       "*    3      0  6-7               3,7\n"
			       "  (* withheld)\n");
	cores("intel-2x4x2-block", "", COMMAND_OK);
	expect("OS CPUs          none\n");
	expect("\n     3      0  6-7               3,11\n"
	       "     4      1  8-9               4,12\n");
	cores("x86-1x4x1-block", "--thread-spec=1 --format=json", COMMAND_OK);
	expect("\"os_cpus\":\"3\"");
	node_line = LINE;
	cores(INTEL, "--core-spec=1 --format=json", COMMAND_OK);
	ck_assert_str_eq(
		said, "{\"abstract_cores\":\"31\",\"abstract_cpus\":\"62-63\","
		      "\"os_cpus\":\"31,63\",\"class\":\"regular\","
		      "\"findings\":[]}\n");
	cores(INTEL, "--core-spec=2 --spec-cores-first --format=json",
	      COMMAND_OK);
	expect("\"os_cpus\":\"0,16,32,48\"");
	cores(INTEL, "--core-spec=1 --allow-spec-resources-usage=no",
	      COMMAND_OK);
	expect("OS CPUs          none\n");
	expect("C21 warning: Slurm drops the request");
	node_line = NULL;
}
END_TEST

START_TEST(cores_that_slurm_itself_gets_wrong_have_a_status_of_their_own)
{
	cores("x86-2x8x1-even-numbers-sparse", "--core-spec=1 --format=json",
	      COMMAND_UNSOUND);
	expect("\"class\":\"sparse\"");
	expect("\"code\":\"C01\"");
	cores("x86-1x4x1-block", "--core-spec=4", COMMAND_UNSOUND);
	expect("C20 error: a job that asks for 4 cores never runs on this "
	       "node: it has 4");
	cores("x86-1x4x1-block", "--core-spec=3", COMMAND_OK);
	node_line = LINE " CoreSpecCount=2";
	cores(INTEL,
	      "--slurm-version=25.05 --task-plugin-param=SlurmdSpecOverride",
	      COMMAND_UNSOUND);
	expect("C26 warning: ");
	cores(INTEL,
	      "--slurm-version=24.11 --task-plugin-param=SlurmdSpecOverride",
	      COMMAND_OK);
	expect_no("C26");
	/* a line that does not fit the machine, with numbers that do */
	node_line = "CPUs=384 Sockets=8 CoresPerSocket=24 ThreadsPerCore=2";
	cores("amd-2x96x2-nps4-block", "--slurm-version=25.05", COMMAND_OK);
	expect("class            conf_mismatch\n");
	node_line = NULL;
}
END_TEST

START_TEST(cores_beside_a_gpu_are_told_where_the_line_keeps_them)
{
	node_line = LINE " RestrictedCoresPerGPU=2";
	cores(INTEL, "--slurm-version=24.05.0", COMMAND_OK);
	expect("C27 info: RestrictedCoresPerGPU=2: a job that asks for neither "
	       "a GPU nor the whole node does not get the cores beside the "
	       "GPUs either; they are not among the numbers here\n");
	cores(INTEL, "--slurm-version=24.05.0 --core-spec=1", COMMAND_OK);
	expect("C27 info: RestrictedCoresPerGPU=2: Slurm pays no heed to it "
	       "when it withholds cores from this job; they may be those "
	       "beside the GPUs\n    cure: give the node a CpuSpecList of "
	       "other cores (jobio plan --os-cpus=LIST writes it)\n");
	cores(INTEL, "--slurm-version=24.04.9", COMMAND_OK);
	expect_no("C27");
	node_line = LINE " RestrictedCoresPerGPU=0";
	cores(INTEL, "--slurm-version=24.05", COMMAND_OK);
	expect_no("C27");
	node_line = NULL;
}
END_TEST

static void refuse_cores(const char *line, const char *why)
{
	cores(INTEL, line, COMMAND_USAGE);
	expect_refusal("jobio: cores: ", why);
}

START_TEST(cores_refuses_what_makes_no_sense)
{
	cores(INTEL, "--core-spec=32767", COMMAND_UNSOUND);
	expect("C20 error: a job that asks for 32767 cores never runs");
	refuse_cores("--core-spec=32768",
		     "--core-spec: '32768': not a number from 0 to 32767\n");
	cores(INTEL, "--core-spec=0 --format=json", COMMAND_OK);
	expect("\"os_cpus\":\"\"");
	refuse_cores("--thread-spec=x", "--thread-spec: 'x': not a number");
	refuse_cores("--core-spec=1 --thread-spec=1",
		     "--core-spec and --thread-spec exclude each other\n");
	refuse_cores("--thread-spec=1 --core-spec=1",
		     "--core-spec and --thread-spec exclude each other\n");
	refuse_cores("--core-spec=1 --core-spec=2",
		     "cores: --core-spec: given twice\n");
	refuse_cores("--thread-spec=0 --thread-spec=0",
		     "cores: --thread-spec: given twice\n");
	refuse_cores("--format=xml", "--format: 'xml': must be json or text");
	refuse_cores("word", "'word': one word too many\n");
	cores(INTEL, "--format=json --format=text", COMMAND_OK);
	expect("class            regular\n");
	cores(INTEL, "--help", COMMAND_OK);
	expect("usage: jobio cores [OPTION]...");
	expect("  --topology=");
	expect("Exit status: 0 Slurm's numbers are sound");
	world.is_away = true;
	cores(NULL, "", COMMAND_FAILED);
	ck_assert_str_eq(said, "jobio: cores: slurmctld is away\n");
}
END_TEST

UNIT_MAIN("plan_command", a_plan_says_which_cores_and_how_to_write_them,
	  where_slurm_takes_the_same_cores_no_spec_set_is_needed,
	  cores_that_cannot_be_had_are_a_failure, what_is_doubtful_is_a_warning,
	  a_list_counts_cores_where_the_node_line_does_since_21_08,
	  the_cores_of_a_client_lie_beside_its_card,
	  a_client_whose_cards_nobody_knows_is_told,
	  a_client_without_cores_of_its_own_is_told_nothing_of_a_mount,
	  a_plan_refuses_what_makes_no_sense,
	  cores_says_what_slurm_withholds_in_both_kinds_of_numbers,
	  cores_that_slurm_itself_gets_wrong_have_a_status_of_their_own,
	  cores_beside_a_gpu_are_told_where_the_line_keeps_them,
	  cores_refuses_what_makes_no_sense)
