/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio check says of a site's files and daemons, by the limits of each
 * finding. On whole sites: check_site.bats. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "lib/child.h"
#include "lib/ledger_link.h"
#include "lib/seal.h"
#include "report/check_conf.h"
#include "report/check_ctld.h"
#include "report/check_ledger.h"
#include "report/check_role.h"
#include "report/program.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

static uid_t slurm_uid; /* of user slurm; 0: who runs this */
static struct doctor doctor;
static struct findings findings;

/* What a part of jobio check finds with these files. */
static const char *said(void (*check)(const struct doctor *), const char *slurm_conf,
			const char *jobio_conf)
{
	const char *text;
	struct err err = { "" };

	if (jobio_conf)
		doctor.config = conf_load(jobio_conf);
	if (slurm_conf) {
		tempdir_make();
		tempdir_put("slurm.conf", slurm_conf);
		doctor.slurm = slurm_conf_load(tempdir_name, "/slurm.conf", &err);
		ck_assert_msg(doctor.slurm != NULL, "%s", err.text);
		tempdir_remove();
	}
	doctor.findings = &findings;
	check(&doctor);
	text = said_findings(&findings);
	config_free(doctor.config);
	slurm_conf_free(doctor.slurm);
	doctor.config = NULL;
	doctor.slurm = NULL;
	return text;
}

static void begin(unsigned int roles)
{
	doctor = (struct doctor){ .roles = roles,
				  .root = "/nowhere",
				  .host = "n1",
				  .slurm_conf_path = "/slurm.conf",
				  .conf = "/jobio.conf" };
}

/* ---- roles -------------------------------------------------------------------------- */

static unsigned int parsed(const char *list)
{
	unsigned int roles = 99;
	struct err err = { "" };

	if (check_role_parse(list, &roles, &err) < 0) {
		ck_assert_uint_eq(roles, 99);
		said_expect(err.text, "': expected login, node, ctld or ledger");
	}
	return roles;
}

START_TEST(roles_are_words_with_commas)
{
	struct err err;
	unsigned int roles;

	ck_assert_uint_eq(parsed("login"), ROLE_LOGIN);
	ck_assert_uint_eq(parsed("node"), ROLE_NODE);
	ck_assert_uint_eq(parsed("ctld,node"), ROLE_CTLD | ROLE_NODE);
	ck_assert_uint_eq(parsed("ledger,ledger"), ROLE_LEDGER);
	ck_assert_uint_eq(parsed(""), 0);
	ck_assert_uint_eq(parsed("node,"), ROLE_NODE);
	ck_assert_uint_eq(parsed("nod"), 99);
	ck_assert_uint_eq(parsed("nodes"), 99);
	ck_assert_uint_eq(parsed("node,,ctld"), 99);
	ck_assert_int_eq(check_role_parse("node,x,y", &roles, &err), -1);
	said_expect(err.text, "--role: 'x': expected ");
	ck_assert_str_eq(check_role_name(ROLE_NODE | ROLE_LEDGER, 0), "node");
	ck_assert_str_eq(check_role_name(ROLE_NODE | ROLE_LEDGER, 1), "ledger");
	ck_assert_ptr_null(check_role_name(ROLE_NODE | ROLE_LEDGER, 2));
	ck_assert_ptr_null(check_role_name(0, 0));
}
END_TEST

static unsigned int found;

static void find_roles(const struct doctor *of)
{
	found = check_role_find(of);
}

static unsigned int roles_of(const char *slurm_conf)
{
	said(find_roles, slurm_conf, NULL);
	return found;
}

START_TEST(a_hosts_roles_follow_from_slurm_conf)
{
	begin(0);
	ck_assert_uint_eq(roles_of(NULL), ROLE_LOGIN);
	ck_assert_uint_eq(roles_of("ClusterName=c"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_of("NodeName=n[2-3]\nNodeName=n[1-2]"), ROLE_NODE);
	ck_assert_uint_eq(roles_of("NodeName=n[2-3]"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_of("SlurmctldHost=n1\nNodeName=n1"), ROLE_CTLD | ROLE_NODE);
	ck_assert_uint_eq(roles_of("SlurmctldHost=a\nSlurmctldHost=n1(10.1.1.1)"), ROLE_CTLD);
	ck_assert_uint_eq(roles_of("ControlMachine=n1,n2"), ROLE_CTLD);
	ck_assert_uint_eq(roles_of("SlurmctldHost=n10"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_of("SlurmctldHost=n"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_of("BackupController=n1"), ROLE_LOGIN);
}
END_TEST

static unsigned int roles_where_runs(const char *status)
{
	char root[300];

	snprintf(root, sizeof(root), "%s", tempdir_make());
	tempdir_put("proc/7/status", status);
	tempdir_put("proc/self/status", "Name:\tslurmctld\nNSpid:\t7\n");
	doctor.root = root;
	found = check_role_find(&doctor);
	tempdir_remove();
	return found;
}

START_TEST(a_hosts_roles_follow_from_what_runs_outside_of_containers)
{
	begin(0);
	ck_assert_uint_eq(roles_where_runs("Name:\tslurmd\nNSpid:\t7\n"), ROLE_NODE);
	ck_assert_uint_eq(roles_where_runs("Name:\tslurmd-wlm\n"), ROLE_NODE);
	ck_assert_uint_eq(roles_where_runs("Name:\tslurmd\nNSpid:\t7\t1\n"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_where_runs("Name:\tslurmctld\nNSpid:\t7\n"), ROLE_CTLD);
	ck_assert_uint_eq(roles_where_runs("Name:\tjobio-ledgerd\n"), ROLE_LEDGER);
	doctor.host = "a";
	tempdir_make();
	tempdir_put("slurm.conf", "NodeName=a\nSlurmctldHost=a\n");
	doctor.slurm = slurm_conf_load(tempdir_name, "/slurm.conf", NULL);
	tempdir_remove();
	ck_assert_uint_eq(roles_where_runs("Name:\tjobio-ledgerd\n"),
			  ROLE_NODE | ROLE_CTLD | ROLE_LEDGER);
	slurm_conf_free(doctor.slurm);
	doctor.slurm = NULL;
	ck_assert_uint_eq(roles_where_runs("Name:\tbash\n"), ROLE_LOGIN);
	ck_assert_uint_eq(roles_where_runs("Umask:\t1\nName:\tslurmd\n"), ROLE_LOGIN);
}
END_TEST

/* ---- jobio.conf --------------------------------------------------------------------- */

static const char *conf(const char *slurm_conf, const char *jobio_conf)
{
	return said(check_conf, slurm_conf, jobio_conf);
}

/* What is said of a jobio.conf with this mode. */
static const char *file_of(mode_t mode)
{
	static char root[300], slurm_conf[200];
	const struct passwd *me = getpwuid(geteuid());
	const char *text;

	snprintf(root, sizeof(root), "%s", tempdir_make());
	ck_assert_int_eq(chmod(tempdir_put("jobio.conf", ""), mode), 0);
	doctor.root = root;
	/* whose it is, unless it is root's */
	snprintf(slurm_conf, sizeof(slurm_conf), "SlurmUser=%s", me ? me->pw_name : "root");
	text = conf(slurm_conf, "");
	ck_assert_int_eq(fileio_rmtree(root, NULL), 0);
	return text;
}

START_TEST(others_than_root_write_no_jobio_conf_and_users_read_it)
{
	begin(ROLE_LOGIN);
	ck_assert_str_eq(file_of(0644), "");
	ck_assert_str_eq(file_of(0604), "");
	said_expect(file_of(0664), "J04 error /jobio.conf: uid ");
	said_expect(file_of(0664), ", mode 664: others than root may write it");
	said_expect(file_of(0646), "mode 646: others than root may write it");
	said_expect(file_of(0640),
		    "J05 error /jobio.conf: mode 640: sbatch of a user cannot read it");
	said_expect(file_of(0641), "J05 error /jobio.conf: mode 641: ");
	ck_assert_ptr_null(strstr(file_of(0640), "J04"));
	ck_assert_ptr_null(strstr(file_of(0664), "J05"));
}
END_TEST

/* What is said where this user is SlurmUser. */
static const char *trusting(const char *slurm_user)
{
	char slurm_conf[100];

	snprintf(slurm_conf, sizeof(slurm_conf), "SlurmUser=%s", slurm_user);
	return conf(slurm_conf, "");
}

START_TEST(a_jobio_conf_is_roots_or_slurm_users)
{
	uid_t uid = geteuid() ? geteuid() : 1;
	char root[300], path[512], wanted[100];

	begin(ROLE_LOGIN);
	snprintf(root, sizeof(root), "%s", tempdir_make());
	snprintf(path, sizeof(path), "%s", tempdir_put("jobio.conf", ""));
	ck_assert_int_eq(chmod(path, 0644), 0);
	doctor.root = root;
	if (geteuid() == 0) {
		ck_assert_str_eq(trusting("nobody-knows"), "");
		ck_assert_int_eq(chown(path, uid, 0), 0);
	}
	snprintf(wanted, sizeof(wanted), "J04 error /jobio.conf: uid %u owns it, mode 644: ", uid);
	said_expect(trusting("nobody-knows"), wanted);
	said_expect(conf(NULL, ""), wanted);
	slurm_uid = uid;
	ck_assert_str_eq(trusting("slurm"), "");
	slurm_uid = uid + 1;
	said_expect(trusting("slurm"), wanted);
	ck_assert_int_eq(fileio_rmtree(root, NULL), 0);
}
END_TEST

START_TEST(an_io_cores_max_that_takes_all_cores_is_told)
{
	begin(ROLE_NODE);
	doctor.has_node = true;
	doctor.state.node.sockets = 2;
	doctor.state.node.cores = 4;
	doctor.state.node.threads = 2;
	doctor.state.node.cpus = 16;
	said_expect(
		conf(NULL, "[option]\nio_cores_max=8"),
		"J08 warning jobio.conf: io_cores_max=8, and this node has 8 cores: a job that asks for all of them can never start there; a smaller io_cores_max in [option]\n");
	ck_assert_str_eq(conf(NULL, "[option]\nio_cores_max=7"), "");
	doctor.has_node = false;
	ck_assert_str_eq(conf(NULL, "[option]\nio_cores_max=8"), "");
	doctor.has_node = true;
	doctor.roles = ROLE_LOGIN;
	ck_assert_str_eq(conf(NULL, "[option]\nio_cores_max=8"), "");
}
END_TEST

static const char *with_spec(unsigned int count, const char *list)
{
	struct node *node = &doctor.state.node;

	node->core_spec_count = count;
	node->has_spec_list = list != NULL;
	cpuset_zero(&node->spec_list);
	if (list)
		ck_assert_int_eq(cpuset_parse(&node->spec_list, list, NULL), 0);
	return conf(NULL, "[option]\nio_cores_min=2\nio_cores_max=3");
}

START_TEST(a_spec_set_larger_than_io_cores_min_is_told)
{
	begin(ROLE_NODE);
	doctor.has_node = true;
	doctor.state.node.sockets = 2;
	doctor.state.node.cores = 4;
	doctor.state.node.threads = 2;
	doctor.state.node.cpus = 16;
	ck_assert_str_eq(with_spec(0, NULL), "");
	ck_assert_str_eq(with_spec(2, NULL), "");
	said_expect(with_spec(3, NULL),
		    "J09 warning jobio.conf: io_cores_min=2, and this node reserves 3 cores: ");
	ck_assert_str_eq(with_spec(0, "12-15"), "");
	said_expect(with_spec(0, "10-15"), "J09 warning");
	/* where Slurm counts a CPU for each core, so does the list */
	doctor.state.node.cpus = 8;
	said_expect(with_spec(0, "5-7"), "reserves 3 cores");
	doctor.state.node.cpus = 9;
	ck_assert_str_eq(with_spec(0, "5-7"), "");
	doctor.state.node.threads = 0;
	said_expect(with_spec(0, "5-7"), "reserves 3 cores");
}
END_TEST

START_TEST(a_prolog_has_half_of_the_time_that_slurm_gives_it)
{
	static const char jobio[] = "[jobio]\nprolog_budget_ms=30000";

	begin(ROLE_NODE);
	ck_assert_str_eq(conf("PrologEpilogTimeout=60", jobio), "");
	said_expect(
		conf("PrologEpilogTimeout=59", jobio),
		"J13 warning slurm.conf: PrologEpilogTimeout=59, and jobio.conf: prolog_budget_ms=30000: ");
	said_expect(conf("PrologEpilogTimeout=60", "[jobio]\nprolog_budget_ms=30001"),
		    "J13 warning");
	ck_assert_str_eq(conf("PrologEpilogTimeout=x", jobio), "");
	ck_assert_str_eq(conf("ClusterName=c", jobio), "");
	ck_assert_str_eq(conf(NULL, jobio), "");
	doctor.roles = ROLE_CTLD;
	said_expect(conf("PrologEpilogTimeout=59", jobio), "J13 warning");
	said_expect(conf("PrologEpilogTimeout=1", jobio), "J13 warning");
	doctor.roles = ROLE_LOGIN | ROLE_LEDGER;
	ck_assert_str_eq(conf("PrologEpilogTimeout=59", jobio), "");
}
END_TEST

START_TEST(so_has_an_epilog_that_waits_for_the_ledger)
{
	static const char waits[] = "[ledger]\nhost = a\nwait_nodes = n1\n"
				    "send_timeout_ms = 30000";

	begin(ROLE_NODE);
	ck_assert_str_eq(conf("PrologEpilogTimeout=60", waits), "");
	said_expect(
		conf("PrologEpilogTimeout=59", waits),
		"J13 warning slurm.conf: PrologEpilogTimeout=59, and jobio.conf: send_timeout_ms=30000 with wait_nodes: ");
	said_expect(conf("PrologEpilogTimeout=59", "[ledger]\nhost = a\nwait_nodes = n1\n"
						   "send_timeout_ms = 29501"),
		    "J13 warning");
	doctor.host = "n2";
	ck_assert_str_eq(conf("PrologEpilogTimeout=59", waits), "");
}
END_TEST

START_TEST(partitions_of_jobio_conf_are_slurms)
{
	begin(ROLE_LOGIN);
	ck_assert_str_eq(
		conf("PartitionName=a Nodes=x\nPartitionName=b Nodes=y",
		     "[jobio]\npartitions = b, a"),
		"J12 info jobio is in use in partition b, a only; partitions= in [jobio], empty for all\n");
	said_expect(
		conf("PartitionName=a Nodes=x", "[jobio]\npartitions=a,b"),
		"J11 error jobio.conf: partitions: 'b': slurm.conf has no such partition; names of slurm.conf's partitions\n");
	ck_assert_ptr_null(strstr(conf(NULL, "[jobio]\npartitions = b"), "J11"));
	/* a host where it is off says that, and not where it would be on */
	doctor.roles = ROLE_NODE;
	ck_assert_str_eq(
		conf("PartitionName=a Nodes=x", "[jobio]\npartitions=a\nnodes=m*"),
		"J10 info jobio does nothing on this host: nodes= leaves it out; enabled=yes, and nodes= with this node, in [jobio]\n");
	doctor.roles = ROLE_LOGIN;
	ck_assert_str_eq(conf(NULL, "[jobio]\nnodes=m*"), "");
}
END_TEST

START_TEST(a_calibration_is_read_where_advice_is_given)
{
	static const char jobio[] = "[advice]\ncalibration=/nowhere/advice.conf";

	begin(ROLE_LOGIN);
	said_expect(conf(NULL, jobio), "J14 warning ");
	doctor.roles = ROLE_LEDGER;
	said_expect(conf(NULL, jobio), "J14 warning ");
	doctor.roles = ROLE_NODE | ROLE_CTLD;
	ck_assert_str_eq(conf(NULL, jobio), "");
}
END_TEST

START_TEST(a_profile_that_no_client_takes_is_told_once)
{
	static const char weka[] = "[client w]\ntype=weka\n", nfs[] = "[client n]\ntype=nfs\n",
			  profile[] = "[profile p]\nmount_options=forcedirect\n";
	char text[300];

	begin(ROLE_LOGIN);
	snprintf(text, sizeof(text), "%s%s%s", weka, nfs, profile);
	ck_assert_str_eq(conf(NULL, text), "");
	snprintf(text, sizeof(text), "%s%s%s", nfs, weka, profile);
	ck_assert_str_eq(conf(NULL, text), "");
	snprintf(text, sizeof(text), "%s[profile p]\nmmconfig=maxMBpS=2000", weka);
	said_expect(
		conf(NULL, text),
		"J07 warning [profile p]: no [client] here is of a type that takes its settings: jobs run without it; ");
	snprintf(text, sizeof(text), "%s[profile p]\nio_cores=2", weka);
	ck_assert_str_eq(conf(NULL, text), "");
	snprintf(text, sizeof(text), "%s[profile p]\nmount_options=forcedirct", weka);
	said_expect(conf(NULL, text),
		    "J06 error [profile p] on [client w]: mount option 'forcedirct'");
	ck_assert_ptr_null(strstr(conf(NULL, text), "was not applied"));
	snprintf(text, sizeof(text), "%s%s[profile q]\nmmconfig=maxMBpS=2000", weka, profile);
	said_expect(conf(NULL, text), "J07 warning [profile q]: ");
}
END_TEST

/* ---- what slurmctld runs with --------------------------------------------------------- */

static struct {
	const char *out, *errtext;
	int status, calls;
	bool is_missing, hangs;
} scontrol;

int __wrap_program_find(const char *name, char path[PROGRAM_PATH], struct err *err)
{
	ck_assert_str_eq(name, "scontrol");
	strcpy(path, "/bin/scontrol");
	return scontrol.is_missing ? err_set(err, "there is none") : 0;
}

int __wrap_child_run(char *const argv[], char *const env[], unsigned int timeout_ms,
		     struct child_result *result, struct err *err)
{
	scontrol.calls++;
	ck_assert_str_eq(argv[0], "/bin/scontrol");
	ck_assert_str_eq(argv[1], "show");
	ck_assert_str_eq(argv[2], "config");
	ck_assert_ptr_null(argv[3]);
	ck_assert_str_eq(env[0], "SLURM_CONF=/slurm.conf");
	ck_assert_uint_eq(timeout_ms, 5000);
	if (scontrol.hangs)
		return err_set(err, "it hangs");
	result->status = scontrol.status;
	result->out = strdup(scontrol.out);
	result->out_bytes = strlen(scontrol.out);
	result->errtext = strdup(scontrol.errtext);
	return 0;
}

/* What is said where slurmctld has this, and the file that. */
static const char *ctld(const char *loaded, const char *slurm_conf)
{
	scontrol.out = loaded;
	scontrol.errtext = scontrol.errtext ? scontrol.errtext : "";
	return said(check_ctld, slurm_conf, NULL);
}

START_TEST(what_slurmctld_has_not_taken_over_is_told)
{
	begin(ROLE_CTLD);
	doctor.root = "";
	said_expect(
		ctld("SelectType              = select/linear\n", "SelectType=select/cons_tres"),
		"S20 error slurm.conf: SelectType=select/cons_tres, and slurmctld runs with select/linear: the change was not taken over; scontrol reconfigure; where that does not help, start slurmctld and slurmd again\n");
	ck_assert_str_eq(
		ctld("x = y\nSelectType = select/cons_tres\nz = 1", "SelectType=select/cons_tres"),
		"");
	/* it adds words and sorts them */
	ck_assert_str_eq(ctld("PrologFlags = Alloc,Contain,Serial\n", "PrologFlags=contain,alloc"),
			 "");
	said_expect(ctld("PrologFlags = Alloc,Serial\n", "PrologFlags=Alloc,Contain,Serial"),
		    "PrologFlags=Alloc,Contain,Serial, and slurmctld runs with Alloc,Serial: ");
	/* of several, the first; a key that begins like it is another one */
	ck_assert_str_eq(ctld("PrologEpilogTimeout = 5\nPrologFlags = x\n"
			      "Prolog[0] = /a\nProlog[1] = /b\n",
			      "Prolog=/a\nProlog=/b"),
			 "");
	said_expect(ctld("PrologEpilogTimeout = 5\nPrologFlags = x\n"
			 "Prolog[0] = /b\n",
			 "Prolog=/a"),
		    "Prolog=/a, and slurmctld runs with /b: ");
	said_expect(ctld("Prolog = (null)\n", "Prolog=/a"),
		    "Prolog=/a, and slurmctld runs with (null)");
	/* what either does not say is no difference */
	ck_assert_str_eq(ctld("Epilog = /e\n", "Prolog=/a"), "");
	ck_assert_str_eq(ctld("Epilog\n = /e\n", "Epilog=/a"), "");
	ck_assert_str_eq(ctld("", "Epilog=/a\nTaskPlugin=a"), "");
}
END_TEST

START_TEST(a_switch_of_slurmctld_has_two_spellings)
{
	static const char *const on[] = { "Yes", "1", "yes" };
	static const char *const off[] = { "No", "0" };
	char text[100];
	size_t i;

	begin(ROLE_CTLD);
	doctor.root = "";
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "AllowSpecResourcesUsage = %s\n", on[i]);
		ck_assert_str_eq(ctld(text, "AllowSpecResourcesUsage=YES"), "");
		said_expect(ctld(text, "AllowSpecResourcesUsage=no"), "S20 error");
	}
	for (i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "AllowSpecResourcesUsage = %s\n", off[i]);
		ck_assert_str_eq(ctld(text, "AllowSpecResourcesUsage=0"), "");
		said_expect(ctld(text, "AllowSpecResourcesUsage=1"), "S20 error");
	}
}
END_TEST

START_TEST(a_slurmctld_that_does_not_answer_is_told)
{
	begin(ROLE_CTLD);
	doctor.root = "";
	scontrol.status = 1;
	scontrol.errtext = "Unable to contact\nand more";
	ck_assert_str_eq(
		ctld("Prolog = /b\n", "Prolog=/a"),
		"S21 error slurmctld does not answer: /bin/scontrol show config: exit status 1: Unable to contact; start slurmctld, or open its port (6817) for this host\n");
	scontrol.hangs = true;
	said_expect(ctld("", "Prolog=/a"), "S21 error slurmctld does not answer: it hangs");
	/* nobody is asked about another host, or where there is no Slurm */
	scontrol.calls = 0;
	ck_assert_str_eq(ctld("", NULL), "");
	scontrol.is_missing = true;
	ck_assert_str_eq(ctld("", "Prolog=/a"), "");
	scontrol.is_missing = false;
	doctor.root = "/nowhere";
	ck_assert_str_eq(ctld("", "Prolog=/a"), "");
	ck_assert_int_eq(scontrol.calls, 0);
}
END_TEST

/* ---- the ledger ------------------------------------------------------------------------ */

static struct {
	bool is_munge_away, is_away, is_mute, has_no_user, is_stuck;
	const char *answer; /* NULL: its clock is ours */
	long ahead_s;
} ledger;

static time_t now_s; /* 0: the real time */

time_t __real_time(time_t *at);
time_t __wrap_time(time_t *at);
time_t __wrap_time(time_t *at)
{
	return now_s ? now_s : __real_time(at);
}

static struct passwd its_user = { .pw_uid = 1 };

struct passwd *__real_getpwnam(const char *name);
struct passwd *__wrap_getpwnam(const char *name)
{
	if (strcmp(name, "slurm") != 0)
		return __real_getpwnam(name);
	its_user.pw_uid = slurm_uid ? slurm_uid : geteuid();
	return ledger.has_no_user ? NULL : &its_user;
}

int __wrap_seal_check(const char *munge_socket, struct err *err)
{
	ck_assert_str_eq(munge_socket, "/m");
	return ledger.is_munge_away ? err_set(err, "no munged") : 0;
}

struct ledger_link *__wrap_ledger_link_open(const struct config_ledger *config, struct err *err)
{
	if (!ledger.is_away)
		return (struct ledger_link *)&ledger;
	err_set(err, "ledger '%s': refused", config->host);
	return NULL;
}

int __wrap_ledger_link_call(struct ledger_link *link, const char *request, char **answer,
			    struct err *err)
{
	static char text[100];

	ck_assert_ptr_eq(link, (struct ledger_link *)&ledger);
	ck_assert_str_eq(request, "{\"op\":\"ping\"}");
	if (ledger.is_stuck)
		abort();
	if (ledger.is_mute)
		return err_set(err, "another key");
	snprintf(text, sizeof(text), "{\"ok\":true,\"time\":%lld}",
		 (long long)time(NULL) + ledger.ahead_s);
	*answer = strdup(ledger.answer ? ledger.answer : text);
	return 0;
}

#define LEDGER "[ledger]\nhost = a,b\nport = 7\nuser = slurm\nmunge_socket = /m\n"

static const char *asked(void)
{
	return said(check_ledger, NULL, LEDGER);
}

START_TEST(each_ledger_that_does_not_answer_is_told)
{
	begin(ROLE_LOGIN);
	doctor.root = "";
	ck_assert_str_eq(asked(), "");
	ledger.is_away = true;
	/* nobody is asked where none is named, or one that nobody can reach */
	ck_assert_str_eq(
		said(check_ledger, NULL, "[ledger]\nhost = ::1"),
		"L02 error jobio.conf: [ledger] host=::1: no ledger runs on this host, so its records go nowhere; the name of the host that runs jobio-ledgerd\n");
	ck_assert_str_eq(
		asked(),
		"L04 error the ledger cannot be reached: ledger 'a': refused; start jobio-ledgerd on a, and open its TCP port 7 for this host\n"
		"L04 error the ledger cannot be reached: ledger 'b': refused; start jobio-ledgerd on b, and open its TCP port 7 for this host\n");
	ledger.is_away = false;
	ledger.is_mute = true;
	said_expect(asked(), "L05 error the ledger does not answer a signed hello: another key; ");
	ledger.is_mute = false;
	ledger.answer = "{\"ok\":false,\"error\":\"x\"}";
	said_expect(asked(), "hello: the ledger refuses a ping; ");
	ledger.answer = "nonsense";
	said_expect(asked(), "hello: the ledger refuses a ping; ");
	ledger.answer = "{\"ok\":true}"; /* without a time */
	ck_assert_str_eq(asked(), "");
	ledger.answer = "{\"ok\":true,\"time\":0}";
	ck_assert_str_eq(asked(), "");
	ledger.is_stuck = true;
	said_expect(asked(), "L05 error the ledger does not answer a signed hello: it gave up; ");
	ledger.is_munge_away = true;
	said_expect(asked(), "L03 error MUNGE does not work here: no munged; ");
	ledger.has_no_user = true;
	said_expect(asked(),
		    "L09 error jobio.conf: [ledger] user: 'slurm': no such user on this host: ");
	/* of another host's files nobody is asked */
	doctor.root = "/nowhere";
	ck_assert_str_eq(asked(), "");
}
END_TEST

START_TEST(a_clock_may_differ_by_less_than_five_seconds)
{
	begin(ROLE_LOGIN);
	doctor.root = "";
	now_s = 1700000000;
	ledger.ahead_s = 4;
	ck_assert_str_eq(asked(), "");
	ledger.ahead_s = -4;
	ck_assert_str_eq(asked(), "");
	ledger.ahead_s = 5;
	said_expect(
		asked(),
		" is behind the ledger's: records have wrong times, and from 300 s on MUNGE refuses them (5 s); ");
	ledger.ahead_s = 5000;
	said_expect(asked(), " refuses them (5000 s); ");
	ledger.ahead_s = -5;
	said_expect(asked(), " is ahead of the ledger's: ");
}
END_TEST

START_TEST(a_ledger_has_a_name_that_other_hosts_understand)
{
	static const char *const loopback[] = { "localhost", "127.1.2.3", "::1",
						"LOCALHOST.localdomain", "a, localhost" };
	static const char *const others[] = { "a", "128.0.0.1", "127", "localhosts", "::2", "a b" };
	char text[100];
	size_t i;

	begin(ROLE_NODE);
	said_expect(said(check_ledger, NULL, ""),
		    "L01 warning jobio.conf: [ledger] host is not set: ");
	for (i = 0; i < sizeof(loopback) / sizeof(loopback[0]); i++) {
		snprintf(text, sizeof(text), "[ledger]\nhost = %s", loopback[i]);
		said_expect(said(check_ledger, NULL, text), "so its records go nowhere; ");
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(text, sizeof(text), "[ledger]\nhost = %s", others[i]);
		ck_assert_str_eq(said(check_ledger, NULL, text), "");
	}
	doctor.roles = ROLE_LEDGER | ROLE_NODE;
	ck_assert_ptr_null(strstr(said(check_ledger, NULL, "[ledger]\nhost = localhost"), "L02"));
}
END_TEST

static void make_old(const char *name, int minutes)
{
	struct utimbuf when = { time(NULL) - minutes * 60, time(NULL) - minutes * 60 };

	ck_assert_int_eq(utime(tempdir_put(name, ""), &when), 0);
}

START_TEST(records_that_wait_for_three_rounds_are_told)
{
	char root[300];
	const char *text;

	begin(ROLE_NODE);
	snprintf(root, sizeof(root), "%s", tempdir_make());
	doctor.root = root;
	doctor.config = conf_load(LEDGER "[jobio]\nspool_dir = /s\n");
	strcpy(tempdir_name, root);
	doctor.findings = &findings;
	check_ledger(&doctor);
	make_old("s/1.json", 14);
	make_old("s/2.tmp", 60);
	make_old("s/.3.json", 60);
	check_ledger(&doctor);
	ck_assert_str_eq(said_findings(&findings), "");
	make_old("s/4.json", 15);
	make_old("s/5.json", 0);
	check_ledger(&doctor);
	said_expect(said_findings(&findings),
		    "L07 warning records wait in /s for more than 15 minutes (3 of at most ");
	make_old("s/6.json", 17);
	check_ledger(&doctor);
	text = said_findings(&findings);
	said_expect(text, "(4 of at most ");
	said_expect(text, ", the oldest for 17 minutes); ");
	make_old("s/7.json", 90);
	check_ledger(&doctor);
	text = said_findings(&findings);
	said_expect(text, "(5 of at most ");
	said_expect(text, ", the oldest for 90 minutes); ");
	/* on a node alone */
	doctor.roles = ROLE_LOGIN;
	check_ledger(&doctor);
	ck_assert_str_eq(said_findings(&findings), "");
	config_free(doctor.config);
	tempdir_remove();
}
END_TEST

START_TEST(records_that_the_ledger_refused_are_told)
{
	char root[300];

	begin(ROLE_NODE);
	snprintf(root, sizeof(root), "%s", tempdir_make());
	doctor.root = root;
	doctor.config = conf_load(LEDGER "[jobio]\nspool_dir = /s\n");
	strcpy(tempdir_name, root);
	doctor.findings = &findings;
	tempdir_put("s/bad/.x", "");
	check_ledger(&doctor);
	ck_assert_str_eq(said_findings(&findings), "");
	tempdir_put("s/bad/1", "");
	tempdir_put("s/bad/2", "");
	check_ledger(&doctor);
	said_expect(said_findings(&findings),
		    "L08 warning records in /s/bad: the ledger can never accept them (2); ");
	config_free(doctor.config);
	tempdir_remove();
}
END_TEST

/* On the ledger's own host, with its files below a root. */
static const char *own(const char *conf_lines)
{
	static char root[300];
	char text[400];
	const char *found_there;

	snprintf(text, sizeof(text), LEDGER "%s", conf_lines);
	doctor.root = strcpy(root, tempdir_name);
	doctor.config = conf_load(text);
	strcpy(tempdir_name, root);
	doctor.findings = &findings;
	check_ledger(&doctor);
	found_there = said_findings(&findings);
	config_free(doctor.config);
	doctor.config = NULL;
	return found_there;
}

START_TEST(the_folder_of_the_store_is_the_ledgers)
{
	begin(ROLE_LEDGER);
	tempdir_make();
	tempdir_put("var/x", "");
	ck_assert_str_eq(own("store = /var/store\n"), "");
	said_expect(
		own("store = /srv/store\n"),
		"L11 error jobio.conf: [ledger] store=/srv/store: its folder is not there, or not slurm's: jobio-ledgerd does not start; ");
	said_expect(own("store = /var/x/store\n"), "L11 error");
	ledger.has_no_user = true;
	said_expect(own("store = /var/store\n"), "L11 error");
	doctor.roles = ROLE_CTLD | ROLE_NODE | ROLE_LOGIN;
	ck_assert_str_eq(own("store = /srv/store\n"), "");
	tempdir_remove();
}
END_TEST

START_TEST(the_password_of_a_database_is_the_ledgers_alone)
{
	static const char with[] = "store = mariadb\nstorage_pass_file = /p\n";

	begin(ROLE_LEDGER);
	tempdir_make();
	said_expect(
		own(with),
		"L13 error jobio.conf: [ledger] storage_pass_file=/p: it is not there, not slurm's, or others may read it: ");
	chmod(tempdir_put("p", ""), 0600);
	ck_assert_str_eq(own(with), "");
	chmod(tempdir_path("p"), 0640);
	said_expect(own(with), "L13 error");
	chmod(tempdir_path("p"), 0601);
	said_expect(own(with), "L13 error");
	chmod(tempdir_path("p"), 0600);
	ledger.has_no_user = true;
	said_expect(own(with), "L13 error");
	ledger.has_no_user = false;
	ck_assert_int_eq(rename(tempdir_path("p"), tempdir_path("q")), 0);
	ck_assert_int_eq(symlink("q", tempdir_path("p")), 0);
	said_expect(own(with), "L13 error");
	ck_assert_str_eq(own("store = mariadb\n"), "");
	tempdir_remove();
}
END_TEST

START_TEST(summaries_need_slurmdbd_and_slurms_user)
{
	static const char db[] = "AccountingStorageType=accounting_storage/slurmdbd\n";
	char text[200];

	begin(ROLE_CTLD);
	snprintf(text, sizeof(text), "%sSlurmUser=slurm", db);
	ck_assert_str_eq(said(check_ledger, text, LEDGER), "");
	said_expect(said(check_ledger, db, LEDGER),
		    "L10 warning jobio.conf: [ledger] user=slurm, and SlurmUser is root: ");
	said_expect(said(check_ledger, "SlurmUser=slurm", LEDGER),
		    "L12 error slurm.conf: AccountingStorageType=(not set): ");
	said_expect(said(check_ledger, "SlurmUser=slurm\nAccountingStorageType=x", LEDGER),
		    "L12 error slurm.conf: AccountingStorageType=x: ");
	ck_assert_str_eq(said(check_ledger, NULL, LEDGER), "");
	doctor.roles = ROLE_LOGIN | ROLE_NODE;
	ck_assert_str_eq(said(check_ledger, "ClusterName=c", LEDGER), "");
}
END_TEST

UNIT_MAIN("check", roles_are_words_with_commas, a_hosts_roles_follow_from_slurm_conf,
	  a_hosts_roles_follow_from_what_runs_outside_of_containers,
	  others_than_root_write_no_jobio_conf_and_users_read_it,
	  a_jobio_conf_is_roots_or_slurm_users, an_io_cores_max_that_takes_all_cores_is_told,
	  a_spec_set_larger_than_io_cores_min_is_told,
	  a_prolog_has_half_of_the_time_that_slurm_gives_it,
	  so_has_an_epilog_that_waits_for_the_ledger, partitions_of_jobio_conf_are_slurms,
	  a_calibration_is_read_where_advice_is_given, a_profile_that_no_client_takes_is_told_once,
	  what_slurmctld_has_not_taken_over_is_told, a_switch_of_slurmctld_has_two_spellings,
	  a_slurmctld_that_does_not_answer_is_told, each_ledger_that_does_not_answer_is_told,
	  a_clock_may_differ_by_less_than_five_seconds,
	  a_ledger_has_a_name_that_other_hosts_understand,
	  records_that_wait_for_three_rounds_are_told, records_that_the_ledger_refused_are_told,
	  the_folder_of_the_store_is_the_ledgers, the_password_of_a_database_is_the_ledgers_alone,
	  summaries_need_slurmdbd_and_slurms_user)
