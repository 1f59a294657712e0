/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each rule of weka_judge.c: a healthy client has no finding; one fact that is
 * wrong has the one finding with its words. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/sysfs.h"
#include "client/client.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/weka/facts.h"
#include "client/weka/weka.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct config_client section = {
	.name = (char *)"weka",
	.nodes = (char *)"*",
	.mounts = (char *)"",
	.container = (char *)"",
	.timeout_ms = 5000,
	.ready_timeout_ms = 60000,
	.command = (char *)"/usr/bin/weka",
	.service_conf = (char *)"/etc/wekaio/service.conf",
	.service_conf_alt = (char *)"/etc/wekaio/weka.conf",
	.proc_dir = (char *)"/proc/wekafs",
	.agent_pidfile = (char *)"/var/run/weka-agent.pid",
};
static struct weka_facts known;
static struct client client = { .type = &weka_type, .facts = &known };
static struct weka_facts *const facts = &known;
static struct client_want want;
static struct findings findings;

/* Core k is CPU k and k + 8, all on NUMA node 0, as are the frontend's card and
 * its core, 7. */
static void make_sysfs(void)
{
	char path[1024], text[32];
	int cpu;

	snprintf(
		path, sizeof(path),
		"cd '%s' && mkdir -p class/net/ib0/device $(seq -f devices/system/cpu/cpu%%g/topology 0 15) $(seq -f devices/system/cpu/cpu%%g/node0 0 15)",
		tempdir_name);
	ck_assert_int_eq(system(path), 0);
	for (cpu = 0; cpu < 16; cpu++) {
		snprintf(path, sizeof(path),
			 "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		snprintf(text, sizeof(text), "%d,%d\n", cpu % 8, cpu % 8 + 8);
		tempdir_put(path, text);
	}
	tempdir_put("class/net/ib0/device/numa_node", "0\n");
	sysfs_set_root(tempdir_name);
}

static void one_frontend(struct weka_resources *resources, unsigned int core)
{
	memset(resources, 0, sizeof(*resources));
	resources->known = true;
	resources->frontend_count = 1;
	resources->frontend[0].slot = 1;
	resources->frontend[0].core_id = core;
	resources->nic_count = 1;
	strcpy(resources->nic[0].name, "ib0");
	resources->memory_bytes = 1468006400;
}

static void mount_table(const char *table)
{
	mounts_free(client.mounts);
	client.mounts = mounts_parse(table, "wekafs");
	client.common.mounts = client.mounts->mount;
	client.common.mount_count = client.mounts->count;
}

static void healthy(void)
{
	struct weka_container *container = &facts->containers.item[0];

	tempdir_make();
	make_sysfs();
	client.section = &section;
	client.common.name = "weka";
	mount_table("be/fs /mnt/weka wekafs rw,writecache 0 0\n");
	weka_parse_service("isolate_cpusets=false\ncgroups_mode=none\n", &facts->service);
	facts->service.mtime_s = 1000;
	facts->agent_known = facts->agent_running = true;
	facts->agent_pid = 1;
	facts->agent_start_s = 2000;
	facts->agent_count = 1;
	facts->ps.answer = ASK_ANSWERED;
	facts->containers_known = true;
	facts->containers.count = 1;
	strcpy(container->name, "client");
	strcpy(container->display_status, "READY");
	strcpy(container->version, "4.4.4");
	container->running = container->monitored = true;
	container->monitored_known = true;
	facts->staged_source[0].answer = ASK_ANSWERED;
	facts->stable_source[0].answer = ASK_ANSWERED;
	one_frontend(&facts->staged[0], 7);
	one_frontend(&facts->stable[0], 7);
	facts->interface_source.answer = ASK_ANSWERED;
	weka_parse_interface("GW driver_state: DRIVER_ACCEPTING\n"
			     "Active mounts: 1\n"
			     "Container=client FE 0: Connected frontend pid 0\n",
			     &facts->interface);
	want.alone = want.has_io_cores = true;
	want.io_cores = 1;
	cpuset_parse(&want.io_cpus, "7,15", NULL);
	want.mount_options = "";
	want.mem_spec_limit_mb = 20480;
}

static void judge(void)
{
	weka_digest(&client);
	client_judge(&client, &want, &findings);
}

static void clean_up(void)
{
	findings_free(&findings);
	weka_facts_clear(facts);
	mounts_free(client.mounts);
	client.mounts = NULL;
	tempdir_remove();
}

static enum finding_severity severity_of(const char *code)
{
	const struct rule *rule = weka_type.rules;

	while (rule->code && strcmp(rule->code, code) != 0)
		rule++;
	return rule->severity;
}

/* This finding, and no other. */
static void expect_as(enum finding_severity severity, const char *code, const char *text)
{
	const struct finding *finding;

	judge();
	ck_assert_msg(findings.count == 1, "%zu findings, first: %s %s", findings.count,
		      findings.count ? findings.list[0].code : "",
		      findings.count ? findings.list[0].text : "");
	finding = &findings.list[0];
	ck_assert_str_eq(finding->code, code);
	ck_assert_str_eq(finding->text, text);
	ck_assert_int_eq(finding->severity, severity);
	ck_assert_msg(*finding->cure, "%s has no cure", code);
	clean_up();
}

/* As severe as the rule is. */
static void expect(const char *code, const char *text)
{
	expect_as(severity_of(code), code, text);
}

/* This finding, whatever else there is. */
static void expect_among(const char *code, const char *text)
{
	size_t i;

	judge();
	for (i = 0; i < findings.count; i++)
		if (strcmp(findings.list[i].code, code) == 0)
			break;
	ck_assert_msg(i < findings.count, "no %s", code);
	ck_assert_str_eq(findings.list[i].text, text);
	clean_up();
}

static void expect_none(const char *code)
{
	judge();
	ck_assert_msg(!findings_has(&findings, code), "%s", code);
	clean_up();
}

static void service(const char *text)
{
	weka_parse_service(text, &facts->service);
}

START_TEST(a_healthy_client_has_no_finding)
{
	healthy();
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	clean_up();
}
END_TEST

START_TEST(w01_isolate_cpusets_is_true)
{
	healthy();
	service("isolate_cpusets=true\ncgroups_mode=none");
	expect("W01",
	       "/etc/wekaio/service.conf says isolate_cpusets='true': the client takes CPUs out of Slurm's cpusets");
}
END_TEST

START_TEST(w01_isolate_cpusets_is_not_set)
{
	healthy();
	service("cgroups_mode=none");
	expect("W01",
	       "/etc/wekaio/service.conf does not set isolate_cpusets, and WEKA's default is true: the client takes CPUs out of Slurm's cpusets");
}
END_TEST

START_TEST(weka_conf_counts_when_it_is_the_only_file)
{
	healthy();
	facts->service_alt = facts->service;
	facts->service_alt.isolate_cpusets = WEKA_TRUE;
	strcpy(facts->service_alt.isolate_text, "true");
	memset(&facts->service, 0, sizeof(facts->service));
	expect("W01",
	       "/etc/wekaio/weka.conf says isolate_cpusets='true': the client takes CPUs out of Slurm's cpusets");
}
END_TEST

START_TEST(w02_service_conf_was_changed_after_the_agent_started)
{
	healthy();
	facts->service.mtime_s = 2060;
	expect("W02",
	       "/etc/wekaio/service.conf was changed after the agent started: the agent still works by the old text (60 s after, pid 1)");
}
END_TEST

START_TEST(w02_is_about_the_file_that_counts)
{
	healthy();
	facts->service_alt = facts->service;
	facts->service_alt.mtime_s = 2060; /* nobody reads it */
	judge();
	ck_assert(!findings_has(&findings, "W02"));
	clean_up();
	healthy();
	facts->service_alt = facts->service;
	facts->service_alt.mtime_s = 2060;
	memset(&facts->service, 0, sizeof(facts->service));
	expect("W02",
	       "/etc/wekaio/weka.conf was changed after the agent started: the agent still works by the old text (60 s after, pid 1)");
}
END_TEST

START_TEST(w03_force_v2_hides_cpus)
{
	healthy();
	service("isolate_cpusets=false\ncgroups_mode=force_v2");
	expect("W03",
	       "/etc/wekaio/service.conf says cgroups_mode=force_v2: WEKA's cgroup validation recommends it, and sites report that the client's CPUs vanish from hwloc and from a slurmd that starts later");
}
END_TEST

START_TEST(w04_a_sibling_of_cpu_0_is_core_0)
{
	healthy();
	one_frontend(&facts->stable[0], 8);
	one_frontend(&facts->staged[0], 8);
	cpuset_parse(&want.io_cpus, "0,8", NULL);
	expect("W04", "the client polls on the core of CPU 0, which serves the system");
}
END_TEST

START_TEST(w05_slurm_reserves_one_thread_of_a_frontends_core)
{
	healthy();
	cpuset_parse(&want.io_cpus, "7", NULL);
	expect("W05", "CPU 15 shares a core with the client, but Slurm gives it to the job");
}
END_TEST

START_TEST(w06_the_client_picks_cores_by_itself)
{
	healthy();
	facts->stable[0].frontend[0].automatic = true;
	facts->staged[0].frontend[0].automatic = true;
	expect("W06",
	       "container 'client' picks cores by itself (automatic core ids): they can differ after each start");
}
END_TEST

START_TEST(w07_the_frontends_are_not_on_the_reserved_cores)
{
	healthy();
	cpuset_parse(&want.io_cpus, "6,14", NULL);
	expect("W07", "the client uses CPU 7,15, but Slurm reserves CPU 6,14 for this job");
}
END_TEST

START_TEST(w07_nothing_is_reserved_for_the_frontends)
{
	healthy();
	cpuset_zero(&want.io_cpus);
	expect("W07", "the client uses CPU 7,15, but Slurm reserves no CPU for this job");
}
END_TEST

START_TEST(w07_is_no_mistake_for_a_job_that_reserves_nothing)
{
	healthy();
	cpuset_zero(&want.io_cpus);
	want.io_cores = 0;
	expect_as(FINDING_INFO, "W07",
		  "the client uses CPU 7,15, but Slurm reserves no CPU for this job");
}
END_TEST

START_TEST(w08_a_container_is_not_ready)
{
	healthy();
	strcpy(facts->containers.item[0].display_status, "STEM");
	expect("W08", "container 'client' is STEM, not READY");
}
END_TEST

START_TEST(w08_a_container_does_not_run)
{
	healthy();
	facts->containers.item[0].running = false;
	strcpy(facts->containers.item[0].last_failure, "killed");
	expect("W08", "container 'client' does not run: killed");
}
END_TEST

START_TEST(w09_a_frontend_is_not_connected)
{
	healthy();
	facts->interface.link[0].connected = false;
	expect("W09", "frontend 0 of container 'client' is not connected to the driver");
}
END_TEST

START_TEST(w10_two_agents_run)
{
	healthy();
	facts->agent_count = 2;
	expect("W10", "2 agents run ('/usr/bin/weka --agent')");
}
END_TEST

START_TEST(w11_the_card_is_on_another_numa_node)
{
	healthy();
	tempdir_put("class/net/ib0/device/numa_node", "1\n");
	expect("W11", "network card 'ib0' is on NUMA node 1, the frontend on CPU 7 on NUMA node 0");
}
END_TEST

START_TEST(w12_other_resources_are_staged)
{
	healthy();
	facts->staged[0].frontend[0].core_id = 5;
	expect("W12",
	       "container 'client' runs with cores 7, and cores 5 are staged: its next restart takes them");
}
END_TEST

START_TEST(w12_staged_memory_and_staged_automatic_cores_are_said_as_such)
{
	healthy();
	facts->staged[0].memory_bytes *= 2;
	expect("W12",
	       "container 'client' runs with 1400 MiB of huge pages, and 2800 MiB are staged: its next restart takes them");
	healthy();
	facts->staged[0].frontend[0].automatic = true;
	expect("W12",
	       "container 'client' runs with cores 7, and cores of its own choice are staged: its next restart takes them");
}
END_TEST

START_TEST(w13_too_little_memory_is_set_aside)
{
	healthy();
	want.mem_spec_limit_mb = 5000;
	expect("W13", "MemSpecLimit is 5000 MiB, and 1 frontends need about 5100 MiB");
	healthy();
	want.mem_spec_limit_mb = 0;
	expect("W13", "MemSpecLimit is not set, and 1 frontends need about 5100 MiB");
}
END_TEST

START_TEST(w38_no_time_is_not_a_hang)
{
	healthy();
	facts->ps.answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before 'weka local ps' could answer: the client was not judged");
	healthy();
	facts->stable_source[0].answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before 'weka local resources' could answer: the client was not judged");
	healthy();
	facts->interface_source.answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before the driver could answer: the client was not judged");
}
END_TEST

START_TEST(w14_the_command_line_hangs)
{
	healthy();
	facts->ps.answer = ASK_HUNG;
	strcpy(facts->ps.why, "no answer within 5000 ms");
	expect("W14", "'weka local ps' hangs: no answer within 5000 ms");
}
END_TEST

START_TEST(w41_looking_for_agents_hangs)
{
	healthy();
	facts->agents.answer = ASK_HUNG;
	facts->agent_count = 0;
	expect("W41", "looking for agents among root's processes hangs: some process is stuck");
}
END_TEST

START_TEST(w15_there_is_no_weka_command)
{
	healthy();
	facts->ps.answer = ASK_MISSING;
	expect("W15", "the command '/usr/bin/weka' cannot be run");
}
END_TEST

START_TEST(w16_the_command_line_fails)
{
	healthy();
	facts->stable_source[0].answer = ASK_FAILED;
	strcpy(facts->stable_source[0].why, "exit status 1: no agent");
	expect("W16",
	       "'weka local resources --stable' of container 'client' failed: exit status 1: no agent");
}
END_TEST

START_TEST(w17_the_agent_does_not_run)
{
	healthy();
	facts->agent_running = false;
	facts->agent_count = 0;
	facts->agent_pid = 4711;
	expect("W17",
	       "the WEKA agent does not run: the process that /var/run/weka-agent.pid names is gone (pid 4711)");
}
END_TEST

START_TEST(w17_is_not_said_of_an_agent_that_nobody_could_look_for)
{
	static const enum ask_answer answers[] = { ASK_HUNG, ASK_NO_TIME, ASK_FAILED };
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		healthy();
		facts->agent_running = false;
		facts->agent_pid = 0;
		facts->agent_count = 0;
		facts->agents.answer = answers[i];
		judge();
		ck_assert(!findings_has(&findings, "W17"));
		clean_up();
	}
}
END_TEST

START_TEST(w39_the_pid_file_does_not_name_the_agent)
{
	healthy();
	facts->agent_running = false;
	facts->agent_pid = 4711;
	expect("W39",
	       "an agent runs, and /var/run/weka-agent.pid does not name it: whether it is older than service.conf is unknown");
}
END_TEST

START_TEST(w18_nothing_is_mounted)
{
	healthy();
	mount_table("");
	expect("W18", "no file system of type wekafs is mounted");
}
END_TEST

START_TEST(w19_a_mount_of_the_configuration_is_missing)
{
	healthy();
	section.mounts = (char *)"/mnt/weka /scratch";
	expect("W19", "'/scratch' is not mounted (mounts= of [client weka])");
}
END_TEST

START_TEST(w20_two_files_contradict_each_other)
{
	healthy();
	weka_parse_service("isolate_cpusets=true", &facts->service_alt);
	expect("W20",
	       "/etc/wekaio/service.conf and /etc/wekaio/weka.conf do not say the same about isolate_cpusets and cgroups_mode");
}
END_TEST

START_TEST(w21_one_file_contradicts_itself)
{
	healthy();
	service("isolate_cpusets=true\nisolate_cpusets=false\n"
		"cgroups_mode=none");
	expect("W21",
	       "/etc/wekaio/service.conf sets isolate_cpusets twice with different values; the last, 'false', is taken to count");
}
END_TEST

START_TEST(w22_a_key_is_not_the_documented_one)
{
	healthy();
	service("isolate_cpuset=false\ncgroups_mode=none");
	expect("W22",
	       "/etc/wekaio/service.conf has the key 'isolate_cpuset', which is not documented; the agent may not read it");
}
END_TEST

START_TEST(w23_there_is_no_service_conf)
{
	healthy();
	memset(&facts->service, 0, sizeof(facts->service));
	expect("W23",
	       "neither /etc/wekaio/service.conf nor /etc/wekaio/weka.conf can be read: whether the client takes CPUs from Slurm is unknown");
}
END_TEST

START_TEST(w24_the_driver_hangs)
{
	healthy();
	facts->interface_source.answer = ASK_HUNG;
	expect("W24", "reading /proc/wekafs/interface hangs: the driver is stuck");
}
END_TEST

START_TEST(w25_the_driver_does_not_accept)
{
	healthy();
	strcpy(facts->interface.driver_state, "DRIVER_DRAINING");
	expect("W25", "the driver is in state DRIVER_DRAINING");
}
END_TEST

START_TEST(w26_the_drivers_file_is_missing)
{
	healthy();
	facts->interface_source.answer = ASK_MISSING;
	expect("W26",
	       "/proc/wekafs/interface cannot be read: whether the frontends are connected is unknown");
}
END_TEST

START_TEST(w27_the_driver_knows_fewer_frontends)
{
	healthy();
	facts->stable[0].frontend_count = 2;
	facts->stable[0].frontend[1] = facts->stable[0].frontend[0];
	facts->staged[0] = facts->stable[0];
	expect("W27", "container 'client' has 2 frontends, and the driver knows 1");
}
END_TEST

START_TEST(w28_a_frontend_process_is_elsewhere)
{
	char text[256], *list;
	struct cpuset ours;

	healthy();
	ck_assert_int_eq(process_cpus(getpid(), &ours), 0);
	list = cpuset_format(&ours);
	one_frontend(&facts->stable[0], 4000);
	one_frontend(&facts->staged[0], 4000);
	cpuset_parse(&want.io_cpus, "4000", NULL);
	facts->interface.link[0].pid = getpid();
	snprintf(text, sizeof(text),
		 "frontend 0 of container 'client' may run on CPU %s, its resources name core 4000",
		 list);
	free(list);
	expect("W28", text);
}
END_TEST

START_TEST(w29_the_cpuset_does_not_hold_the_cores)
{
	healthy();
	facts->cgroup[0].known = true;
	cpuset_parse(&facts->cgroup[0].cpus, "1-3", NULL);
	expect("W29", "the cpuset of container 'client' is 1-3 and does not hold its cores 7");
}
END_TEST

START_TEST(w30_the_cgroup_is_an_exclusive_partition)
{
	healthy();
	facts->cgroup[0].exclusive = true;
	expect("W30",
	       "the cgroup of container 'client' is an exclusive partition: its CPUs are gone from the rest of the node");
}
END_TEST

START_TEST(w31_auto_protects_nothing_on_cgroup_v2)
{
	healthy();
	facts->cgroup_v2 = true;
	service("isolate_cpusets=false\ncgroups_mode=auto");
	expect("W31",
	       "cgroups_mode=auto means no cgroup for the client on this cgroup v2 node: only Slurm's reservation protects its cores");
}
END_TEST

START_TEST(w32_there_is_no_container)
{
	healthy();
	facts->containers.count = 0;
	section.container = (char *)"client7";
	expect("W32", "there is no WEKA container 'client7'");
}
END_TEST

START_TEST(w33_nobody_restarts_the_container)
{
	healthy();
	facts->containers.item[0].monitored = false;
	expect("W33", "container 'client' is not monitored: nobody restarts it when it dies");
}
END_TEST

START_TEST(w33_the_container_will_not_start_with_the_node)
{
	healthy();
	facts->containers.item[0].disabled = true;
	expect("W33", "container 'client' is disabled: it will not start with the node");
}
END_TEST

START_TEST(w34_several_containers_share_the_io_cores)
{
	healthy();
	facts->containers.count = 2;
	facts->containers.item[1] = facts->containers.item[0];
	strcpy(facts->containers.item[1].name, "second");
	facts->stable[1] = facts->stable[0];
	facts->staged[1] = facts->staged[0];
	expect("W34", "2 containers share the io-cores of this job, and [client weka] names none");
}
END_TEST

START_TEST(w35_there_is_no_frontend_with_a_core)
{
	healthy();
	facts->stable[0].frontend_count = facts->staged[0].frontend_count = 0;
	facts->interface.link_count = 0;
	expect("W35",
	       "container 'client' has no frontend with a core of its own (net=udp): it uses the job's CPUs");
}
END_TEST

START_TEST(w36_reserved_cores_are_idle)
{
	healthy();
	want.io_cores = 2;
	cpuset_parse(&want.io_cpus, "6-7,14-15", NULL);
	expect("W36", "the client uses CPU 7,15 of the reserved CPU 6-7,14-15: the rest is idle");
}
END_TEST

START_TEST(w37_the_cache_mode_is_not_what_is_known)
{
	healthy();
	mount_table("be/fs /mnt/weka wekafs rw,coherent 0 0\n");
	expect("W37", "the mount table shows 0 cache modes for '/mnt/weka' where one is expected");
}
END_TEST

START_TEST(without_a_job_the_client_is_judged_alone)
{
	healthy();
	facts->agent_count = 3;
	weka_digest(&client);
	client_judge(&client, NULL, &findings);
	ck_assert_uint_eq(findings.count, 1);
	clean_up();
}
END_TEST

START_TEST(a_stopped_container_polls_on_no_cpu)
{
	healthy();
	facts->containers.item[0].running = false;
	weka_digest(&client);
	ck_assert(client.common.cpus_known);
	ck_assert(cpuset_is_empty(&client.common.frontend_cpus));
	clean_up();
}
END_TEST

START_TEST(automatic_cores_are_looked_up_at_the_processes)
{
	struct cpuset ours, whole;

	healthy();
	facts->stable[0].frontend[0].automatic = true;
	facts->interface.link[0].pid = getpid();
	weka_digest(&client);
	ck_assert(client.common.cpus_known);
	process_cpus(getpid(), &ours);
	sysfs_whole_cores(&ours, &whole);
	ck_assert(cpuset_equal(&client.common.frontend_cpus, &whole));
	clean_up();
}
END_TEST

START_TEST(unknown_cpus_are_not_taken_for_none)
{
	healthy();
	facts->stable[0].known = false;
	facts->stable_source[0].answer = ASK_HUNG;
	facts->interface.link_count = 0;
	expect_among("W14", "'weka local resources' of container 'client' hangs");
	ck_assert(!client.common.cpus_known);
}
END_TEST

/* ---- what is wrong with the second is not hidden by the first --------------- */

static void two_containers(void)
{
	healthy();
	facts->containers.count = 2;
	facts->containers.item[1] = facts->containers.item[0];
	strcpy(facts->containers.item[1].name, "second");
	facts->staged_source[1].answer = ASK_ANSWERED;
	facts->stable_source[1].answer = ASK_ANSWERED;
	one_frontend(&facts->stable[1], 6);
	one_frontend(&facts->staged[1], 6);
	weka_parse_interface("GW driver_state: DRIVER_ACCEPTING\n"
			     "Active mounts: 1\n"
			     "Container=client FE 0: Connected frontend pid 0\n"
			     "Container=second FE 0: Connected frontend pid 0\n",
			     &facts->interface);
	want.io_cores = 0;
	cpuset_parse(&want.io_cpus, "6-7,14-15", NULL);
}

START_TEST(a_second_container_in_order_has_no_finding)
{
	two_containers();
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	ck_assert_uint_eq(cpuset_count(&client.common.frontend_cpus), 4);
	clean_up();
}
END_TEST

START_TEST(the_second_container_is_looked_at_as_the_first)
{
	two_containers();
	facts->containers.item[1].running = false;
	expect_among("W08", "container 'second' does not run");
	two_containers();
	strcpy(facts->containers.item[1].display_status, "");
	strcpy(facts->containers.item[1].message, "no answer");
	expect("W08", "container 'second' is in an unknown state, not READY: no answer");
	two_containers();
	facts->containers.item[1].disabled = true;
	expect("W33", "container 'second' is disabled: it will not start with the node");
	two_containers();
	facts->containers.item[1].monitored = false;
	expect("W33", "container 'second' is not monitored: nobody restarts it when it dies");
	two_containers();
	facts->interface.link[1].connected = false;
	expect("W09", "frontend 0 of container 'second' is not connected to the driver");
	two_containers();
	facts->cgroup[1].exclusive = true;
	expect("W30",
	       "the cgroup of container 'second' is an exclusive partition: its CPUs are gone from the rest of the node");
}
END_TEST

START_TEST(the_second_containers_cores_are_looked_at_as_the_firsts)
{
	two_containers();
	facts->stable[1].frontend[0].automatic = true;
	facts->staged[1].frontend[0].automatic = true;
	expect_among(
		"W06",
		"container 'second' picks cores by itself (automatic core ids): they can differ after each start");
	two_containers();
	facts->staged[1].frontend[0].core_id = 5;
	expect("W12",
	       "container 'second' runs with cores 6, and cores 5 are staged: its next restart takes them");
	two_containers();
	facts->stable[0].known = false; /* nothing to compare with */
	facts->staged[1].frontend[0].core_id = 5;
	expect_among(
		"W12",
		"container 'second' runs with cores 6, and cores 5 are staged: its next restart takes them");
	two_containers();
	facts->cgroup[1].known = true;
	cpuset_parse(&facts->cgroup[1].cpus, "7", NULL);
	expect("W29", "the cpuset of container 'second' is 7 and does not hold its cores 6");
	two_containers();
	facts->interface.link[facts->interface.link_count++] = facts->interface.link[1];
	expect("W27", "container 'second' has 1 frontends, and the driver knows 2");
	two_containers();
	facts->stable[1].frontend_count = facts->staged[1].frontend_count = 0;
	facts->interface.link_count = 1;
	expect_among(
		"W35",
		"container 'second' has no frontend with a core of its own (net=udp): it uses the job's CPUs");
	two_containers();
	want.mem_spec_limit_mb = 7399;
	expect("W13", "MemSpecLimit is 7399 MiB, and 2 frontends need about 7400 MiB");
	two_containers();
	want.mem_spec_limit_mb = 7400;
	judge();
	ck_assert_uint_eq(findings.count, 0);
	clean_up();
}
END_TEST

START_TEST(the_second_containers_card_is_looked_at_as_the_firsts)
{
	two_containers();
	tempdir_put("class/net/ib1/device/numa_node", "1\n");
	strcpy(facts->stable[1].nic[0].name, "ib1");
	facts->staged[1] = facts->stable[1];
	expect("W11", "network card 'ib1' is on NUMA node 1, the frontend on CPU 6 on NUMA node 0");
}
END_TEST

/* CPU 5 is on another node than the card. */
static void move_cpu_5(void)
{
	char command[1200];

	snprintf(command, sizeof(command),
		 "mv '%s/devices/system/cpu/cpu5/node0' '%s/devices/system/cpu/cpu5/node1'",
		 tempdir_name, tempdir_name);
	ck_assert_int_eq(system(command), 0);
}

/* Whatever is wrong with it. */
START_TEST(what_has_gone_has_no_finding)
{
	struct weka_container *gone = &facts->containers.item[1];
	struct weka_resources *was = &facts->stable[1];

	two_containers();
	move_cpu_5();
	tempdir_put("class/net/ib1/device/numa_node", "1\n");
	facts->containers.count = 1;
	facts->interface.link_count = 1;
	facts->interface.link[1].connected = false;
	want.mem_spec_limit_mb = 5100; /* of one frontend */
	gone->disabled = true;
	gone->monitored = false;
	strcpy(gone->display_status, "STEM");
	was->frontend[0].core_id = 5;
	facts->cgroup[1].known = facts->cgroup[1].exclusive = true;
	facts->staged_source[1].answer = ASK_FAILED;
	facts->stable_source[1].answer = ASK_HUNG;
	/* a frontend and a card of the first */
	facts->stable[0].frontend[1].core_id = 5;
	strcpy(facts->stable[0].nic[1].name, "ib1");
	cpuset_parse(&want.io_cpus, "7,15", NULL);
	want.io_cores = 1;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	ck_assert_uint_eq(cpuset_count(&client.common.frontend_cpus), 2);
	/* links of a container that has gone, and one that has gone itself */
	facts->interface.link[1].connected = true;
	facts->interface.link[2] = facts->interface.link[1];
	facts->interface.link[3] = facts->interface.link[0];
	facts->interface.link[3].pid = getpid();
	facts->interface.link_count = 3;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	ck_assert_ptr_null(weka_container(facts, "second", NULL));
	facts->staged_source[1].answer = ASK_NO_TIME;
	facts->stable_source[1].answer = ASK_NO_TIME;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	facts->stable[0].frontend[1].automatic = true;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	/* or does not run, or has cores of any kind, or none */
	was->frontend[0].automatic = true;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	was->frontend_count = 0;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	gone->running = false;
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	clean_up();
}
END_TEST

START_TEST(a_frontend_whose_process_is_unknown_hides_no_other)
{
	char text[256], *list;
	struct cpuset ours;

	two_containers();
	ck_assert_int_eq(process_cpus(getpid(), &ours), 0);
	list = cpuset_format(&ours);
	one_frontend(&facts->stable[1], 4000);
	one_frontend(&facts->staged[1], 4000);
	cpuset_parse(&want.io_cpus, "7,15,4000", NULL);
	facts->interface.link[1].pid = getpid();
	snprintf(text, sizeof(text),
		 "frontend 0 of container 'second' may run on CPU %s, its resources name core 4000",
		 list);
	free(list);
	expect("W28", text);
}
END_TEST

START_TEST(what_the_command_line_does_not_say_of_the_second_is_told)
{
	two_containers();
	facts->staged_source[1].answer = ASK_HUNG;
	expect("W14", "'weka local resources' of container 'second' hangs");
	two_containers();
	facts->stable_source[1].answer = ASK_HUNG;
	expect("W14", "'weka local resources' of container 'second' hangs");
	two_containers();
	facts->staged_source[1].answer = ASK_FAILED;
	strcpy(facts->staged_source[1].why, "exit 1");
	expect("W16", "'weka local resources' of container 'second' failed: exit 1");
	two_containers();
	facts->stable_source[1].answer = ASK_FAILED;
	strcpy(facts->stable_source[1].why, "exit 2");
	expect("W16", "'weka local resources --stable' of container 'second' failed: exit 2");
	two_containers();
	facts->staged_source[0].answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before 'weka local resources' could answer: the client was not judged");
}
END_TEST

START_TEST(w11_each_card_and_each_frontend_is_looked_at)
{
	healthy();
	facts->stable[0].frontend_count = 3;
	facts->stable[0].frontend[1] = facts->stable[0].frontend[0];
	facts->stable[0].frontend[2] = facts->stable[0].frontend[0];
	facts->stable[0].frontend[0].automatic = true;
	facts->stable[0].frontend[2].core_id = 5;
	facts->staged[0] = facts->stable[0];
	facts->interface.link_count = 0;
	move_cpu_5();
	expect_among("W11",
		     "network card 'ib0' is on NUMA node 0, the frontend on CPU 5 on NUMA node 1");
	healthy();
	facts->stable[0].nic[1] = facts->stable[0].nic[0];
	facts->stable[0].nic_count = 2;
	strcpy(facts->stable[0].nic[0].name, "none");
	facts->staged[0] = facts->stable[0];
	tempdir_put("class/net/ib0/device/numa_node", "1\n");
	expect("W11", "network card 'ib0' is on NUMA node 1, the frontend on CPU 7 on NUMA node 0");
}
END_TEST

/* NUMA node of CPU 5 is 1, of CPU 7 is 0; ib0 is on node 0, ib1 on node 1. */
static void two_cards(unsigned int core1, unsigned int core2, uint64_t slots0, uint64_t slots1)
{
	struct weka_resources *stable = &facts->stable[0];

	healthy();
	move_cpu_5();
	tempdir_put("class/net/ib0/device/numa_node", "0\n");
	ck_assert_int_eq(mkdir(tempdir_path("class/net/ib1"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("class/net/ib1/device"), 0700), 0);
	tempdir_put("class/net/ib1/device/numa_node", "1\n");
	stable->frontend_count = 2;
	stable->frontend[0].core_id = core1;
	stable->frontend[1].core_id = core2;
	stable->frontend[1].slot = 2;
	strcpy(stable->nic[1].name, "ib1");
	stable->nic_count = 2;
	stable->nic[0].slots = slots0;
	stable->nic[1].slots = slots1;
	facts->staged[0] = *stable;
	facts->interface.link_count = 0;
}

START_TEST(w11_each_slot_is_compared_with_its_own_card)
{
	two_cards(7, 5, 1 << 1, 1 << 2); /* net:s1=ib0,net:s2=ib1 */
	expect_none("W11");
	two_cards(7, 5, 0, 0); /* net:ha=ib0,net:ha=ib1 */
	expect_none("W11");
	two_cards(7, 5, 1 << 2, 1 << 1);
	expect_among("W11",
		     "network card 'ib0' is on NUMA node 0, the frontend on CPU 5 on NUMA node 1");
	two_cards(7, 7, 1 << 1, 1 << 2);
	expect_among("W11",
		     "network card 'ib1' is on NUMA node 1, the frontend on CPU 7 on NUMA node 0");
}
END_TEST

START_TEST(w35_says_what_does_not_poll)
{
	healthy();
	facts->stable[0].frontend[0].shared = facts->staged[0].frontend[0].shared = true;
	expect("W35",
	       "1 of 1 frontends of container 'client' do not poll (dedicated_mode=none, or net=udp): they use the job's CPUs, and the gate does not guard them");
	healthy();
	facts->stable[0].frontend[0].shared = true;
	facts->interface.link[0].pid = getpid(); /* may run anywhere */
	expect_none("W28");
	healthy();
	cpuset_add(&facts->stable[0].management, 3);
	expect("W35",
	       "container 'client' has its management on CPU 3 (non-datapath-cores): it does not poll there, and the gate does not guard it");
	healthy();
	memset(&facts->stable[0], 0, sizeof(facts->stable[0]));
	facts->stable[0].known = true;
	facts->stable[0].server_count = 1;
	expect_none("W35");
}
END_TEST

START_TEST(w34_containers_that_serve_share_no_io_cores)
{
	two_containers();
	want.io_cores = 2;
	facts->stable[1].server_count = 1;
	expect_none("W34");
	healthy();
	facts->others_running = 2;
	section.container = (char *)"client";
	expect_as(
		FINDING_INFO, "W35",
		"2 containers run beside 'client', and container= of [client weka] leaves them out: the gate does not know their cores from this section");
	section.container = (char *)"";
}
END_TEST

START_TEST(w37_the_second_mount_shows_two_modes)
{
	healthy();
	mount_table("be/fs /mnt/weka wekafs rw,writecache 0 0\n"
		    "be/a /mnt/a wekafs rw,readcache,forcedirect 0 0\n");
	expect("W37", "the mount table shows 2 cache modes for '/mnt/a' where one is expected");
}
END_TEST

START_TEST(w20_either_key_is_a_contradiction)
{
	healthy();
	service("isolate_cpusets=false\ncgroups_mode=none\n");
	weka_parse_service("cgroups_mode=auto\n", &facts->service_alt);
	expect("W20",
	       "/etc/wekaio/service.conf and /etc/wekaio/weka.conf do not say the same about isolate_cpusets and cgroups_mode");
	healthy();
	weka_parse_service("isolate_cpusets=false\n", &facts->service_alt);
	judge();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	clean_up();
}
END_TEST

START_TEST(agents_that_nobody_had_time_to_look_for_are_no_finding)
{
	healthy();
	facts->agents.answer = ASK_NO_TIME;
	facts->agent_count = 0;
	expect_none("W41");
	healthy();
	facts->agents.answer = ASK_NO_TIME;
	facts->agent_running = false;
	facts->agent_count = 0;
	expect_none("W17");
}
END_TEST

START_TEST(w01_is_not_said_beside_a_misspelt_key_that_says_false)
{
	healthy();
	service("isolate_cpuset=false\ncgroups_mode=none");
	facts->service.odd_isolate = WEKA_TRUE;
	expect_among(
		"W01",
		"/etc/wekaio/service.conf does not set isolate_cpusets, and WEKA's default is true: the client takes CPUs out of Slurm's cpusets");
	healthy();
	service("isolate_cpuset=false\ncgroups_mode=none");
	expect_none("W01");
}
END_TEST

START_TEST(w02_gives_the_agent_a_second)
{
	healthy();
	facts->service.mtime_s = 2001;
	expect_none("W02");
	healthy();
	facts->service.mtime_s = 2002;
	expect("W02",
	       "/etc/wekaio/service.conf was changed after the agent started: the agent still works by the old text (2 s after, pid 1)");
	healthy();
	facts->service.mtime_s = 2060;
	facts->agent_running = false;
	expect_none("W02");
	healthy();
	facts->service.mtime_s = 0; /* unknown */
	facts->agent_start_s = -5;
	expect_none("W02");
}
END_TEST

START_TEST(w13_counts_the_cores_that_the_job_asks_for)
{
	healthy();
	want.io_cores = 2;
	want.mem_spec_limit_mb = 7399;
	expect_among("W13", "MemSpecLimit is 7399 MiB, and 2 frontends need about 7400 MiB");
	healthy();
	want.mem_spec_limit_mb = -1; /* unknown */
	expect_none("W13");
	healthy();
	want.mem_spec_limit_mb = 5100;
	expect_none("W13");
	healthy();
	want.mem_spec_limit_mb = 1;
	want.io_cores = 0;
	facts->stable[0].frontend_count = 0;
	expect_none("W13");
}
END_TEST

START_TEST(w14_and_w16_are_said_of_each_command)
{
	healthy();
	facts->staged_source[0].answer = ASK_HUNG;
	expect("W14", "'weka local resources' of container 'client' hangs");
	healthy();
	facts->ps.answer = ASK_FAILED;
	strcpy(facts->ps.why, "exit status 1: no agent");
	expect("W16", "'weka local ps' failed: exit status 1: no agent");
}
END_TEST

START_TEST(w17_is_said_only_when_it_is_known)
{
	healthy();
	facts->agent_running = false;
	facts->agent_count = 0;
	facts->agent_pid = 0;
	expect("W17", "the WEKA agent does not run: no pid in /var/run/weka-agent.pid");
	healthy();
	facts->agent_known = facts->agent_running = false;
	facts->agent_count = 0;
	judge();
	ck_assert(!findings_has(&findings, "W17"));
	ck_assert(!findings_has(&findings, "W39"));
	clean_up();
	healthy();
	facts->agent_known = facts->agent_running = false;
	judge();
	ck_assert(!findings_has(&findings, "W17"));
	ck_assert(!findings_has(&findings, "W39"));
	clean_up();
	healthy();
	facts->agent_count = 0; /* runs, under another title */
	expect_none("W17");
}
END_TEST

START_TEST(w20_is_about_what_the_second_file_says)
{
	healthy();
	weka_parse_service("isolate_cpusets=true\ncgroups_mode=auto", &facts->service_alt);
	facts->service_alt.present = false;
	expect_none("W20");
	healthy();
	weka_parse_service("isolate_cpusets=false\ncgroups_mode=none", &facts->service_alt);
	expect_none("W20");
}
END_TEST

START_TEST(w21_either_key_can_be_there_twice)
{
	healthy();
	service("isolate_cpusets=false\ncgroups_mode=auto\n"
		"cgroups_mode=none");
	expect("W21",
	       "/etc/wekaio/service.conf sets cgroups_mode twice with different values; the last, 'none', is taken to count");
}
END_TEST

START_TEST(w26_is_about_a_mounted_client)
{
	healthy();
	facts->interface_source.answer = ASK_FAILED;
	expect("W26",
	       "/proc/wekafs/interface cannot be read: whether the frontends are connected is unknown");
	healthy();
	facts->interface_source.answer = ASK_MISSING;
	mount_table("");
	expect_none("W26");
}
END_TEST

START_TEST(w27_needs_an_answer_of_the_driver)
{
	healthy();
	facts->stable[0].frontend_count = 2;
	facts->stable[0].frontend[1] = facts->stable[0].frontend[0];
	facts->staged[0] = facts->stable[0];
	facts->interface_source.answer = ASK_FAILED;
	expect_none("W27");
	healthy();
	facts->interface.link_count = 0;
	expect_none("W27");
	two_containers(); /* the driver does not name the second */
	facts->interface.link_count = 1;
	expect_none("W27");
}
END_TEST

START_TEST(w28_waits_for_a_container_that_runs)
{
	healthy();
	one_frontend(&facts->stable[0], 4000);
	facts->interface.link[0].pid = getpid();
	facts->containers.item[0].running = false;
	expect_none("W28");
	healthy();
	one_frontend(&facts->stable[0], 4000);
	facts->stable[0].frontend[0].automatic = true;
	facts->interface.link[0].pid = getpid();
	expect_none("W28");
	healthy();
	one_frontend(&facts->stable[0], 4000);
	facts->interface.link[0].pid = getpid();
	strcpy(facts->interface.link[0].container, "stranger");
	expect_none("W28");
}
END_TEST

START_TEST(w29_needs_a_cpuset_and_a_container_that_runs)
{
	healthy();
	cpuset_parse(&facts->cgroup[0].cpus, "1-3", NULL);
	expect_none("W29");
	healthy();
	facts->cgroup[0].known = true;
	cpuset_parse(&facts->cgroup[0].cpus, "1-3", NULL);
	facts->containers.item[0].running = false;
	expect_none("W29");
	healthy();
	facts->cgroup[0].known = true;
	cpuset_parse(&facts->cgroup[0].cpus, "7", NULL);
	expect_none("W29");
}
END_TEST

START_TEST(w31_is_about_cgroup_v2_and_a_mode_of_its_own_choice)
{
	healthy();
	facts->cgroup_v2 = true;
	service("isolate_cpusets=false");
	expect("W31",
	       "cgroups_mode=auto means no cgroup for the client on this cgroup v2 node: only Slurm's reservation protects its cores");
	healthy();
	service("isolate_cpusets=false\ncgroups_mode=auto");
	expect_none("W31");
	healthy();
	facts->cgroup_v2 = true;
	expect_none("W31");
	healthy();
	facts->cgroup_v2 = true;
	memset(&facts->service, 0, sizeof(facts->service));
	expect_none("W31");
}
END_TEST

START_TEST(w32_is_said_without_a_name_and_only_when_known)
{
	healthy();
	facts->containers.count = 0;
	expect("W32", "there is no WEKA container");
	healthy();
	facts->containers.count = 0;
	facts->containers_known = false;
	expect_none("W32");
}
END_TEST

START_TEST(w33_is_not_said_of_what_is_not_known)
{
	healthy();
	facts->containers.item[0].monitored = false;
	facts->containers.item[0].monitored_known = false;
	expect_none("W33");
}
END_TEST

START_TEST(w34_is_about_a_job_with_io_cores)
{
	two_containers();
	want.io_cores = 2;
	expect("W34", "2 containers share the io-cores of this job, and [client weka] names none");
	two_containers();
	weka_digest(&client);
	client_judge(&client, NULL, &findings);
	ck_assert(!findings_has(&findings, "W34"));
	clean_up();
}
END_TEST

START_TEST(w38_names_what_had_no_time_first)
{
	healthy();
	facts->ps.answer = ASK_NO_TIME;
	facts->staged_source[0].answer = ASK_NO_TIME;
	facts->interface_source.answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before 'weka local ps' could answer: the client was not judged");
	two_containers();
	facts->stable_source[1].answer = ASK_NO_TIME;
	facts->interface_source.answer = ASK_NO_TIME;
	expect("W38",
	       "the budget was used up before 'weka local resources' could answer: the client was not judged");
}
END_TEST

UNIT_MAIN("weka_judge", a_healthy_client_has_no_finding, w01_isolate_cpusets_is_true,
	  w01_isolate_cpusets_is_not_set, weka_conf_counts_when_it_is_the_only_file,
	  w02_service_conf_was_changed_after_the_agent_started, w02_is_about_the_file_that_counts,
	  w03_force_v2_hides_cpus, w04_a_sibling_of_cpu_0_is_core_0,
	  w05_slurm_reserves_one_thread_of_a_frontends_core, w06_the_client_picks_cores_by_itself,
	  w07_the_frontends_are_not_on_the_reserved_cores,
	  w07_nothing_is_reserved_for_the_frontends,
	  w07_is_no_mistake_for_a_job_that_reserves_nothing, w08_a_container_is_not_ready,
	  w08_a_container_does_not_run, w09_a_frontend_is_not_connected, w10_two_agents_run,
	  w11_the_card_is_on_another_numa_node, w12_other_resources_are_staged,
	  w12_staged_memory_and_staged_automatic_cores_are_said_as_such,
	  w13_too_little_memory_is_set_aside, w14_the_command_line_hangs,
	  w41_looking_for_agents_hangs, agents_that_nobody_had_time_to_look_for_are_no_finding,
	  w15_there_is_no_weka_command, w16_the_command_line_fails, w17_the_agent_does_not_run,
	  w18_nothing_is_mounted, w19_a_mount_of_the_configuration_is_missing,
	  w20_two_files_contradict_each_other, w21_one_file_contradicts_itself,
	  w22_a_key_is_not_the_documented_one, w23_there_is_no_service_conf, w24_the_driver_hangs,
	  w25_the_driver_does_not_accept, w26_the_drivers_file_is_missing,
	  w27_the_driver_knows_fewer_frontends, w28_a_frontend_process_is_elsewhere,
	  w29_the_cpuset_does_not_hold_the_cores, w30_the_cgroup_is_an_exclusive_partition,
	  w31_auto_protects_nothing_on_cgroup_v2, w32_there_is_no_container,
	  w33_nobody_restarts_the_container, w33_the_container_will_not_start_with_the_node,
	  w34_several_containers_share_the_io_cores, w35_there_is_no_frontend_with_a_core,
	  w36_reserved_cores_are_idle, w37_the_cache_mode_is_not_what_is_known,
	  w38_no_time_is_not_a_hang, w17_is_not_said_of_an_agent_that_nobody_could_look_for,
	  w39_the_pid_file_does_not_name_the_agent, without_a_job_the_client_is_judged_alone,
	  a_stopped_container_polls_on_no_cpu, automatic_cores_are_looked_up_at_the_processes,
	  unknown_cpus_are_not_taken_for_none, a_second_container_in_order_has_no_finding,
	  the_second_container_is_looked_at_as_the_first,
	  the_second_containers_cores_are_looked_at_as_the_firsts,
	  the_second_containers_card_is_looked_at_as_the_firsts, what_has_gone_has_no_finding,
	  a_frontend_whose_process_is_unknown_hides_no_other,
	  what_the_command_line_does_not_say_of_the_second_is_told,
	  w11_each_slot_is_compared_with_its_own_card, w35_says_what_does_not_poll,
	  w34_containers_that_serve_share_no_io_cores, w11_each_card_and_each_frontend_is_looked_at,
	  w37_the_second_mount_shows_two_modes, w20_either_key_is_a_contradiction,
	  w01_is_not_said_beside_a_misspelt_key_that_says_false, w02_gives_the_agent_a_second,
	  w13_counts_the_cores_that_the_job_asks_for, w14_and_w16_are_said_of_each_command,
	  w17_is_said_only_when_it_is_known, w20_is_about_what_the_second_file_says,
	  w21_either_key_can_be_there_twice, w26_is_about_a_mounted_client,
	  w27_needs_an_answer_of_the_driver, w28_waits_for_a_container_that_runs,
	  w29_needs_a_cpuset_and_a_container_that_runs,
	  w31_is_about_cgroup_v2_and_a_mode_of_its_own_choice,
	  w32_is_said_without_a_name_and_only_when_known, w33_is_not_said_of_what_is_not_known,
	  w34_is_about_a_job_with_io_cores, w38_names_what_had_no_time_first)
