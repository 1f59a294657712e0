/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "spank/gate.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct err err;

static struct cpuset cpus(const char *list)
{
	struct cpuset set;

	ck_assert_int_eq(cpuset_parse(&set, list, NULL), 0);
	return set;
}

static struct gate a_gate(enum gate_policy policy, const char *client_cpus)
{
	struct gate gate = {
		.job_id = 7,
		.is_known = true,
		.file = { .policy = policy, .client = "weka:client" },
	};

	gate.file.client_cpus = gate.file.spec_cpus = cpus(client_cpus);
	return gate;
}

static enum gate_verdict judge(const struct gate *gate, const char *allowed, const char *bound,
			       bool is_confined)
{
	struct gate_view view = { .allowed = cpus(allowed),
				  .bound = cpus(bound),
				  .is_confined = is_confined };

	err.text[0] = '\0';
	return gate_judge(gate, &view, "c1", &err);
}

START_TEST(a_task_without_the_clients_cpus_passes)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7,15");

	ck_assert_int_eq(judge(&gate, "0-6,8-14", "0", true), GATE_PASS);
	ck_assert_str_eq(err.text, "");
}
END_TEST

START_TEST(a_task_that_could_bind_itself_to_the_clients_cpu_is_refused)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7,15");

	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REFUSE);
	ck_assert_str_eq(
		err.text,
		"the job may run on CPU 7 of node c1, where the filesystem client weka:client works; slurm.conf reserves it (CpuSpecList): submit the job without --core-spec=0, or with --io-cores");
}
END_TEST

START_TEST(the_other_thread_of_the_clients_core_counts)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7,15");

	ck_assert_int_eq(judge(&gate, "8-15", "8", true), GATE_REFUSE);
	ck_assert_ptr_nonnull(strstr(err.text, "on CPU 15 of"));
}
END_TEST

START_TEST(a_plain_job_is_not_refused_for_what_the_site_gives_to_all_jobs)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7");

	cpuset_zero(&gate.file.spec_cpus);
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REPORT);
	ck_assert_ptr_nonnull(
		strstr(err.text, "slurm.conf does not reserve it: run 'jobio check' there"));
	gate.file.spec_cpus = cpus("6");
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REPORT);
}
END_TEST

START_TEST(a_job_that_asked_for_io_cores_is_refused_with_what_it_did_not_get)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7");

	cpuset_zero(&gate.file.spec_cpus);
	gate.file.asked = true;
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REFUSE);
	ck_assert_ptr_nonnull(strstr(err.text, "ask your administrator"));
	strcpy(gate.file.note, "io-cores without use: because");
	ck_assert_int_eq(judge(&gate, "0-7", "4-7", false), GATE_REFUSE);
	ck_assert_ptr_nonnull(strstr(err.text, "io-cores without use: because"));
	gate.file.policy = GATE_WARN;
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REPORT);
}
END_TEST

START_TEST(a_client_without_a_name_leaves_no_gap)
{
	struct gate gate = a_gate(GATE_WARN, "7");

	gate.file.client[0] = '\0';
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REPORT);
	ck_assert_ptr_nonnull(strstr(err.text, "where the filesystem client works; "));
}
END_TEST

START_TEST(where_nothing_confines_the_binding_decides)
{
	struct gate gate = a_gate(GATE_ENFORCE, "7");

	ck_assert_int_eq(judge(&gate, "0-7", "0-3", false), GATE_PASS);
	ck_assert_int_eq(judge(&gate, "0-7", "4-7", false), GATE_REPORT);
	ck_assert_ptr_nonnull(strstr(err.text, "(jobs are not confined to their cores)"));
}
END_TEST

START_TEST(the_policy_decides_what_an_overlap_does)
{
	struct gate gate = a_gate(GATE_WARN, "7");

	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_REPORT);
	gate.file.policy = GATE_OFF;
	ck_assert_int_eq(judge(&gate, "0-7", "0", true), GATE_PASS);
}
END_TEST

START_TEST(without_a_gate_file_every_task_passes)
{
	struct gate gate = a_gate(GATE_ENFORCE, "0-7");

	gate.is_known = false;
	ck_assert_int_eq(judge(&gate, "0-7", "0-7", true), GATE_PASS);
	ck_assert_int_eq(gate_check(&gate, "c1", &err), GATE_PASS);
}
END_TEST

START_TEST(a_long_list_of_cpus_leaves_room_for_the_cure)
{
	struct gate gate = a_gate(GATE_ENFORCE, "0");
	struct gate_view view = { .is_confined = true };
	unsigned int i;

	for (i = 0; i < 4096; i += 2)
		cpuset_add(&gate.file.client_cpus, i);
	view.allowed = gate.file.spec_cpus = gate.file.client_cpus;
	ck_assert_int_eq(gate_judge(&gate, &view, "c1", &err), GATE_REFUSE);
	ck_assert_ptr_nonnull(strstr(err.text, "... of node c1"));
	ck_assert_ptr_nonnull(strstr(err.text, "with --io-cores"));
}
END_TEST

/* Even CPUs behind these, this many, each of three digits. */
static const char *sentence_of(const char *first, unsigned int count)
{
	struct gate gate = a_gate(GATE_ENFORCE, first);
	struct gate_view view = { .is_confined = true };
	unsigned int i;

	for (i = 0; i < count; i++)
		cpuset_add(&gate.file.client_cpus, 100 + 2 * i);
	view.allowed = gate.file.spec_cpus = gate.file.client_cpus;
	ck_assert_int_eq(gate_judge(&gate, &view, "c1", &err), GATE_REFUSE);
	return err.text;
}

START_TEST(a_hundred_characters_of_cpus_are_shown_whole)
{
	ck_assert_ptr_nonnull(strstr(sentence_of("2,10", 24), ",146 of node"));
	ck_assert_ptr_nonnull(strstr(sentence_of("0", 25), ",14... of node"));
}
END_TEST

START_TEST(a_folder_that_no_path_can_name_has_no_gate)
{
	struct gate gate;
	char run_dir[5000];

	memset(run_dir, 'x', sizeof(run_dir) - 1);
	run_dir[0] = '/';
	run_dir[sizeof(run_dir) - 1] = '\0';
	ck_assert_int_eq(gate_open(&gate, run_dir, 7, &err), -1);
	ck_assert(!gate.is_known && !gate.is_own);
	ck_assert_str_ne(err.text, "");
}
END_TEST

START_TEST(the_gate_file_of_the_job_goes_before_that_of_the_node)
{
	struct gate gate;
	struct gatefile file = { .policy = GATE_ENFORCE };

	tempdir_make();
	ck_assert_int_eq(gate_open(&gate, tempdir_path("."), 7, &err), 0);
	ck_assert(!gate.is_known && !gate.is_own);
	strcpy(file.client, "node");
	ck_assert_int_eq(gatefile_write(tempdir_path("gate"), &file, &err), 0);
	ck_assert_int_eq(gate_open(&gate, tempdir_path("."), 7, &err), 1);
	ck_assert_str_eq(gate.file.client, "node");
	ck_assert(gate.is_known && !gate.is_own);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("7"), 0755, &err), 0);
	strcpy(file.client, "job");
	ck_assert_int_eq(gatefile_write(tempdir_path("7/gate"), &file, &err), 0);
	ck_assert_int_eq(gate_open(&gate, tempdir_path("."), 7, &err), 1);
	ck_assert_str_eq(gate.file.client, "job");
	ck_assert(gate.is_known && gate.is_own);
	ck_assert_uint_eq(gate.job_id, 7);
	tempdir_remove();
}
END_TEST

START_TEST(a_damaged_gate_file_is_told_and_judges_nobody)
{
	struct gate gate;

	tempdir_make();
	tempdir_put("gate", "version=1\npolicy=maybe\n");
	ck_assert_int_eq(gate_open(&gate, tempdir_path("."), 7, &err), -1);
	ck_assert(!gate.is_known);
	ck_assert_ptr_nonnull(strstr(err.text, "bad policy 'maybe'"));
	tempdir_remove();
}
END_TEST

START_TEST(looking_finds_what_the_kernel_allows_and_leaves_the_binding)
{
	struct gate_view before, view;
	cpu_set_t one, after;
	int first;

	ck_assert_int_eq(gate_look(&before, &err), 0);
	ck_assert(!cpuset_is_empty(&before.allowed));
	first = cpuset_next(&before.allowed, 0);
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	ck_assert_int_eq(gate_look(&view, &err), 0);
	ck_assert(cpuset_equal(&view.allowed, &before.allowed));
	ck_assert_uint_eq(cpuset_count(&view.bound), 1);
	ck_assert(cpuset_has(&view.bound, (unsigned int)first));
	ck_assert_int_eq(sched_getaffinity(0, sizeof(after), &after), 0);
	ck_assert(CPU_EQUAL(&one, &after));
}
END_TEST

static bool confined(const char *proc_cgroup, const char *cpuset_cpus)
{
	bool result;

	tempdir_make();
	ck_assert_int_eq(fileio_mkdir(tempdir_path("slurm"), 0755, &err), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("slurm/job_7"), 0755, &err), 0);
	if (cpuset_cpus)
		tempdir_put("slurm/job_7/cpuset.cpus", cpuset_cpus);
	result = gate_is_confined(7, tempdir_put("cgroup", proc_cgroup), tempdir_path("."));
	tempdir_remove();
	return result;
}

START_TEST(a_cpuset_of_the_job_confines_it)
{
	/* cgroup v1: the folder exists only when task/cgroup made it */
	ck_assert(confined("5:freezer:/slurm/uid_1000/job_7/step_0\n"
			   "4:cpu,cpuset:/slurm/uid_1000/job_7/step_0\n",
			   NULL));
	ck_assert(!confined("5:freezer:/slurm/uid_1000/job_7/step_0\n"
			    "4:cpuset:/\n",
			    NULL));
	ck_assert(!confined("4:cpuset:/slurm/uid_1000/job_77/step_0\n", NULL));
	ck_assert(confined("4:cpuset:/slurm/job_77/job_7/step_0\n", NULL));
	ck_assert(confined("4:cpuset:/slurm/uid_1000/job_7\n", NULL));
	/* a controller is a whole word, a line has two colons */
	ck_assert(confined("4:cpuset,cpu:/slurm/job_7/step_0\n", NULL));
	ck_assert(confined("4:cpu,cpuset,io:/slurm/job_7/step_0\n", NULL));
	ck_assert(!confined("4:mycpuset:/slurm/job_7/step_0\n", NULL));
	ck_assert(!confined("4:cpusets:/slurm/job_7/step_0\n", NULL));
	ck_assert(confined("odd\n4:odd\n4:cpuset:/slurm/job_7/step_0\n", NULL));
	/* cgroup v2: the folder always exists, its CPUs say whether it counts */
	ck_assert(confined("0::/slurm/job_7/step_0/user/task_0\n", "0-3\n"));
	ck_assert(!confined("0::/slurm/job_7/step_0/user/task_0\n", "\n"));
	ck_assert(!confined("0::/slurm/job_7/step_0/user/task_0\n", ""));
	ck_assert(!confined("0::/slurm/job_7/step_0/user/task_0\n", NULL));
	ck_assert(!confined("0::/user.slice\n", "0-3\n"));
	ck_assert(confined("0::/slurm/job_7/step_0/user/task_0\n", "3\n"));
	ck_assert(confined("0::/slurm/job_7/step_0/user/task_0\n", "3"));
	/* those of all jobs confine none */
	tempdir_make();
	tempdir_put("cpuset.cpus", "0-3\n");
	tempdir_put("slurm/cpuset.cpus", "0-3\n");
	tempdir_put("slurm/job_7/cpuset.cpus", "\n");
	tempdir_put("cgroup", "0::/slurm/job_7/step_0\n");
	ck_assert(!gate_is_confined(7, tempdir_path("cgroup"), tempdir_path(".")));
	tempdir_put("slurm/job_7/cpuset.cpus", "0-3\n");
	ck_assert(gate_is_confined(7, tempdir_path("cgroup"), tempdir_path(".")));
	tempdir_remove();
}
END_TEST

/* Slurm 26.05 on cgroup v2: 'with_cpus' is the folder with CPUs, of this path */
static bool confined_in_scope(const char *path, const char *with_cpus)
{
	static const char *const folders[] = {
		"slurmstepd.scope",
		"slurmstepd.scope/sEKNKTV3WPV500",
		"slurmstepd.scope/sEKNKTV3WPV500/step_0",
		"slurmstepd.scope/sEKNKTV3WPV500/step_0/user",
		"slurmstepd.scope/sEKNKTV3WPV500/step_0/user/task_0",
	};
	char name[160], line[160];
	bool result;
	size_t i;

	tempdir_make();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		ck_assert_int_eq(fileio_mkdir(tempdir_path(folders[i]), 0755, &err), 0);
		snprintf(name, sizeof(name), "%s/cpuset.cpus", folders[i]);
		tempdir_put(name, !strcmp(folders[i], with_cpus) ? "0-3\n" : "\n");
	}
	snprintf(line, sizeof(line), "0::/%s\n", path);
	result = gate_is_confined(7, tempdir_put("cgroup", line), tempdir_path("."));
	tempdir_remove();
	return result;
}

START_TEST(a_cpuset_below_slurmstepds_scope_confines_whatever_it_is_called)
{
#define SCOPE "slurmstepd.scope"
#define RUN SCOPE "/sEKNKTV3WPV500"
#define TASK RUN "/step_0/user/task_0"
	ck_assert(confined_in_scope(TASK, RUN));
	ck_assert(confined_in_scope(TASK, RUN "/step_0"));
	ck_assert(confined_in_scope(TASK, RUN "/step_0/user"));
	ck_assert(confined_in_scope(TASK, TASK));
	ck_assert(!confined_in_scope(TASK, ""));
	/* the scope's own CPUs are all that slurmd has */
	ck_assert(!confined_in_scope(TASK, SCOPE));
	/* one's own folder, not one beside it */
	ck_assert(!confined_in_scope(RUN "/step_1", TASK));
	ck_assert(!confined_in_scope("x" SCOPE "/sEKNKTV3WPV500", RUN));
	ck_assert(!confined_in_scope(SCOPE, RUN));
}
END_TEST

START_TEST(several_slurmd_of_a_machine_have_scopes_of_their_own)
{
	tempdir_make();
	ck_assert_int_eq(fileio_mkdir(tempdir_path("n1_slurmstepd.scope"), 0755, &err), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("n1_slurmstepd.scope/s7"), 0755, &err), 0);
	tempdir_put("n1_slurmstepd.scope/s7/cpuset.cpus", "0-3\n");
	tempdir_put("n1_slurmstepd.scope/s/cpuset.cpus", "0-3\n");
	ck_assert(gate_is_confined(7, tempdir_put("cgroup", "0::/n1_slurmstepd.scope/s/step_0\n"),
				   tempdir_path(".")));
	ck_assert(gate_is_confined(7, tempdir_put("cgroup", "0::/n1_slurmstepd.scope/s7/step_0\n"),
				   tempdir_path(".")));
	tempdir_remove();
}
END_TEST

START_TEST(a_job_whose_cgroup_cannot_be_read_counts_as_confined)
{
	char root[5000];

	ck_assert(gate_is_confined(7, "/nonexistent/cgroup", "/nonexistent"));
	memset(root, 'x', sizeof(root) - 1);
	root[0] = '/';
	root[sizeof(root) - 1] = '\0';
	tempdir_make();
	ck_assert(gate_is_confined(7, tempdir_put("cgroup", "0::/slurm/job_7/step_0\n"), root));
	tempdir_remove();
}
END_TEST

START_TEST(a_task_that_nothing_confines_is_judged_by_what_it_is_bound_to)
{
	struct gate gate = a_gate(GATE_ENFORCE, "");
	struct gate_view view;
	cpu_set_t one;
	int first;

	ck_assert_int_eq(gate_look(&view, &err), 0);
	if (cpuset_count(&view.allowed) < 2 ||
	    gate_is_confined(7, "/proc/self/cgroup", "/sys/fs/cgroup"))
		return;
	first = cpuset_next(&view.allowed, 0);
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	cpuset_add(&gate.file.client_cpus,
		   (unsigned int)cpuset_next(&view.allowed, (unsigned int)first + 1));
	ck_assert_int_eq(gate_check(&gate, "c1", &err), GATE_PASS);
	cpuset_add(&gate.file.client_cpus, (unsigned int)first);
	ck_assert_int_eq(gate_check(&gate, "c1", &err), GATE_REPORT);
	ck_assert_ptr_nonnull(strstr(err.text, "(jobs are not confined to"));
}
END_TEST

UNIT_MAIN("gate", a_task_without_the_clients_cpus_passes,
	  a_task_that_could_bind_itself_to_the_clients_cpu_is_refused,
	  the_other_thread_of_the_clients_core_counts,
	  a_plain_job_is_not_refused_for_what_the_site_gives_to_all_jobs,
	  a_job_that_asked_for_io_cores_is_refused_with_what_it_did_not_get,
	  a_client_without_a_name_leaves_no_gap, where_nothing_confines_the_binding_decides,
	  the_policy_decides_what_an_overlap_does, without_a_gate_file_every_task_passes,
	  a_long_list_of_cpus_leaves_room_for_the_cure,
	  a_hundred_characters_of_cpus_are_shown_whole, a_folder_that_no_path_can_name_has_no_gate,
	  the_gate_file_of_the_job_goes_before_that_of_the_node,
	  a_damaged_gate_file_is_told_and_judges_nobody,
	  looking_finds_what_the_kernel_allows_and_leaves_the_binding,
	  a_cpuset_of_the_job_confines_it,
	  a_cpuset_below_slurmstepds_scope_confines_whatever_it_is_called,
	  several_slurmd_of_a_machine_have_scopes_of_their_own,
	  a_job_whose_cgroup_cannot_be_read_counts_as_confined,
	  a_task_that_nothing_confines_is_judged_by_what_it_is_bound_to)
