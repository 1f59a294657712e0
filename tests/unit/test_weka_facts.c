/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of a WEKA client: a machine made of files, and a command line that
 * prints what a test has written. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cache.h"
#include "client/weka/facts.h"
#include "client/weka/weka.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define CONTAINER(name, running, pid, status)                                                      \
	"{\"name\":\"" name "\",\"type\":\"weka\",\"isRunning\":" running ",\"pid\":" pid          \
	",\"versionName\":\"4.4\",\"internalStatus\":"                                             \
	"{\"display_status\":\"" status "\"}}"
#define NODE(slot, core) "\"" slot "\":{\"roles\":[\"FRONTEND\"],\"core_id\":" core "}"
#define RESOURCES(nodes) "{\"nodes\":{" nodes "}}"
#define TWO "[" CONTAINER("a", "true", "1", "READY") "," CONTAINER("b", "true", "1", "READY") "]"

static struct config_client section;
static struct weka_facts facts;
static struct client client;
static struct err err;

/* Called with "local ps", it prints the file "ps"; of a container's resources
 * "staged.NAME" or "stable.NAME". */
#define COMMAND                                                                                    \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"[ \"$1\" = --agent ] && kill -STOP $$\n"                                                  \
	"echo \"$*\" >>calls\n"                                                                    \
	"case \"$*\" in\n"                                                                         \
	"'local ps -J') name=ps ;;\n"                                                              \
	"*--stable*) name=stable.$4 ;;\n"                                                          \
	"'local stop '*) if [ -e refuses ]; then echo no >&2; exit 3; fi; "                        \
	"exit 0 ;;\n"                                                                              \
	"*) name=staged.$4 ;;\n"                                                                   \
	"esac\n"                                                                                   \
	"[ -e \"$name.hangs\" ] && exec sleep 60\n"                                                \
	"exec cat \"$name\"\n"

static void folder(const char *name)
{
	char text[600];

	snprintf(text, sizeof(text), "mkdir -p '%s'", tempdir_path(name));
	ck_assert_int_eq(system(text), 0);
}

#define PATHS 7

/* Until so many others were asked for. */
static char *path_of(const char *name)
{
	static char kept[PATHS][600];
	static size_t next;
	char *path = kept[next++ % PATHS];

	snprintf(path, sizeof(kept[0]), "%s", tempdir_path(name));
	return path;
}

static void begin(void)
{
	char text[2000];

	tempdir_make();
	sysfs_set_root(tempdir_name);
	snprintf(text, sizeof(text), COMMAND, tempdir_name);
	ck_assert_int_eq(chmod(tempdir_put("weka", text), 0755), 0);
	section = (struct config_client){ .name = (char *)"c",
					  .type = CLIENT_WEKA,
					  .mounts = (char *)"",
					  .container = (char *)"",
					  .timeout_ms = 20000 };
	section.command = path_of("weka");
	section.service_conf = path_of("service.conf");
	section.service_conf_alt = path_of("weka.conf");
	section.agent_pidfile = path_of("pid");
	section.proc_dir = path_of("driver");
	section.cgroup_root = path_of("cgroup");
	section.data_dir = path_of("data");
	client = (struct client){ .type = &weka_type,
				  .section = &section,
				  .run_dir = tempdir_name,
				  .state_dir = tempdir_name,
				  .facts = &facts,
				  .deadline_ms = child_now_ms() + 60000 };
	weka_facts_clear(&facts);
	*err.text = '\0';
}

static void end(void)
{
	weka_facts_clear(&facts);
	tempdir_remove();
}

/* A client of two containers with a frontend each. */
static void begin_two(void)
{
	begin();
	tempdir_put("ps", TWO);
	tempdir_put("staged.a", RESOURCES(NODE("1", "3")));
	tempdir_put("stable.a", RESOURCES(NODE("1", "4")));
	tempdir_put("staged.b", RESOURCES(NODE("1", "5")));
	tempdir_put("stable.b", RESOURCES(NODE("1", "6") "," NODE("2", "7")));
}

static void expect_calls(const char *calls)
{
	char *text = fileio_read(tempdir_path("calls"), 10000, NULL, NULL);

	ck_assert_str_eq(text ? text : "", calls);
	free(text);
	unlink(tempdir_path("calls"));
}

static void expect_cpus(const struct cpuset *cpus, const char *list)
{
	char *text = cpuset_format(cpus);

	ck_assert_str_eq(text, list);
	free(text);
}

/* ---- its command line --------------------------------------------------------- */

#define ASK_A "local resources -C a -J\nlocal resources -C a --stable -J\n"
#define ASK_B "local resources -C b -J\nlocal resources -C b --stable -J\n"

START_TEST(all_containers_are_read_or_that_of_jobio_conf)
{
	begin_two();
	weka_read_containers(&client);
	expect_calls("local ps -J\n" ASK_A ASK_B);
	ck_assert(facts.containers_known);
	ck_assert_uint_eq(facts.containers.count, 2);
	ck_assert_uint_eq(facts.staged[0].frontend[0].core_id, 3);
	ck_assert_uint_eq(facts.stable[0].frontend[0].core_id, 4);
	ck_assert_uint_eq(facts.staged[1].frontend[0].core_id, 5);
	ck_assert_uint_eq(facts.stable[1].frontend_count, 2);
	section.container = (char *)"b";
	weka_read_containers(&client);
	expect_calls("local ps -J\n" ASK_B);
	ck_assert_uint_eq(facts.containers.count, 1);
	ck_assert_str_eq(facts.containers.item[0].name, "b");
	ck_assert_uint_eq(facts.staged[0].frontend[0].core_id, 5);
	section.container = (char *)"x";
	weka_read_containers(&client);
	expect_calls("local ps -J\n");
	ck_assert(facts.containers_known);
	ck_assert_uint_eq(facts.containers.count, 0);
	end();
}
END_TEST

START_TEST(an_answer_that_cannot_be_read_has_failed)
{
	begin_two();
	tempdir_put("staged.a", "{}");
	unlink(tempdir_path("stable.b"));
	weka_read_containers(&client);
	ck_assert_int_eq(facts.staged_source[0].answer, ASK_FAILED);
	ck_assert_str_eq(facts.staged_source[0].why,
			 "weka local resources of 'a': no \"nodes\" in it");
	ck_assert(!facts.staged[0].known && facts.stable[0].known);
	ck_assert_int_eq(facts.stable_source[1].answer, ASK_FAILED);
	ck_assert(facts.staged[1].known && !facts.stable[1].known);
	unlink(tempdir_path("calls"));
	tempdir_put("ps", "{\"a\":1}");
	weka_read_containers(&client);
	expect_calls("local ps -J\n");
	ck_assert_int_eq(facts.ps.answer, ASK_FAILED);
	ck_assert_str_eq(facts.ps.why, "weka local ps: expected a JSON list");
	ck_assert(!facts.containers_known);
	ck_assert_uint_eq(facts.containers.count, 0);
	end();
}
END_TEST

START_TEST(what_hangs_once_is_not_asked_again)
{
	begin_two();
	section.timeout_ms = 3000;
	tempdir_put("staged.a.hangs", "");
	weka_read_containers(&client);
	expect_calls("local ps -J\nlocal resources -C a -J\n");
	ck_assert_int_eq(facts.staged_source[0].answer, ASK_HUNG);
	ck_assert_int_eq(facts.staged_source[1].answer, ASK_NOT_ASKED);
	ck_assert(facts.containers_known);
	end();
}
END_TEST

START_TEST(an_order_that_is_refused_says_why)
{
	static const char *const stop[] = { "local", "stop", "a", NULL };

	begin();
	ck_assert_int_eq(weka_order(&client, 20000, stop, &err), 0);
	expect_calls("local stop a\n");
	tempdir_put("refuses", "");
	ck_assert_int_eq(weka_order(&client, 20000, stop, &err), -1);
	ck_assert_str_eq(err.text, "weka local stop: exit status 3: no");
	end();
}
END_TEST

/* ---- what is kept ------------------------------------------------------------- */

static bool is_kept(void)
{
	client.cached = false;
	unlink(tempdir_path("client.c.json"));
	cache_keep(&client);
	return access(tempdir_path("client.c.json"), F_OK) == 0;
}

START_TEST(answers_of_a_client_in_order_are_kept)
{
	begin_two();
	weka_read_containers(&client);
	ck_assert_int_eq(facts.staged_source[0].answer, ASK_ANSWERED);
	ck_assert_int_eq(facts.stable_source[1].answer, ASK_ANSWERED);
	ck_assert(is_kept());
	facts.agents.answer = ASK_FAILED;
	ck_assert(!is_kept());
	facts.agents.answer = ASK_ANSWERED;
	ck_assert(is_kept());
	strcpy(facts.containers.item[1].display_status, "JOINING");
	ck_assert(!is_kept());
	strcpy(facts.containers.item[1].display_status, "READY");
	facts.staged[1].known = false;
	ck_assert(!is_kept());
	facts.staged[1].known = true;
	facts.stable[1].known = false;
	ck_assert(!is_kept());
	facts.stable[1].known = true;
	facts.containers_known = false;
	ck_assert(!is_kept());
	facts.containers_known = true;
	facts.containers.count = 0;
	ck_assert(!is_kept());
	end();
}
END_TEST

START_TEST(what_was_kept_is_what_was_answered)
{
	begin_two();
	weka_read_containers(&client);
	facts.agent_count = 3;
	ck_assert(is_kept());
	weka_facts_clear(&facts);
	ck_assert(cache_use(&client));
	ck_assert(facts.containers_known);
	ck_assert_uint_eq(facts.containers.count, 2);
	ck_assert_uint_eq(facts.staged[0].frontend[0].core_id, 3);
	ck_assert_uint_eq(facts.stable[1].frontend[1].core_id, 7);
	ck_assert_uint_eq(facts.agent_count, 3);
	facts.agent_count = 0;
	ck_assert(is_kept());
	facts.agent_count = 9;
	ck_assert(cache_use(&client));
	ck_assert_uint_eq(facts.agent_count, 0);
	end();
}
END_TEST

static void expect_missed(const char *word)
{
	char text[700];

	ck_assert(is_kept());
	snprintf(text, sizeof(text), "sed -i 's/\"%s\"/\"x\"/' '%s'", word,
		 tempdir_path("client.c.json"));
	ck_assert_int_eq(system(text), 0);
	ck_assert_msg(!cache_use(&client), "%s", word);
}

START_TEST(half_of_what_was_kept_is_nothing)
{
	begin_two();
	weka_read_containers(&client);
	expect_missed("ps");
	weka_read_containers(&client);
	expect_missed("staged0");
	weka_read_containers(&client);
	expect_missed("stable0");
	weka_read_containers(&client);
	expect_missed("staged1");
	weka_read_containers(&client);
	expect_missed("stable1");
	end();
}
END_TEST

/* Nobody has changed any of them: the answer is what it was. */
START_TEST(answers_hold_until_one_of_the_files_changes)
{
	static const char *const files[] = {
		"service.conf",
		"weka.conf",
		"service.json",
		"data/a/container/resources.json",
		"data/b/container/resources.json",
		"data/a/container/resources.json.stable",
		"data/b/container/resources.json.staging",
	};
	size_t i;

	begin_two();
	folder("data/a/container");
	folder("data/b/container");
	weka_read_containers(&client);
	ck_assert(is_kept());
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		ck_assert(cache_use(&client));
		tempdir_put(files[i], "");
		ck_assert_msg(!cache_use(&client), "%s", files[i]);
		ck_assert_int_eq(unlink(tempdir_path(files[i])), 0);
	}
	ck_assert(cache_use(&client));
	section.command = (char *)"/other";
	ck_assert(!cache_use(&client));
	section.command = path_of("weka");
	ck_assert(cache_use(&client));
	facts.agent_pid = getpid();
	ck_assert(!cache_use(&client));
	facts.agent_pid = 0;
	ck_assert(cache_use(&client));
	section.container = (char *)"a";
	ck_assert(!cache_use(&client));
	end();
}
END_TEST

/* ---- files -------------------------------------------------------------------- */

/* Containers "a" and "b", of which nobody was asked. */
static void begin_named(void)
{
	begin();
	folder("driver/a");
	folder("driver/b");
	folder("driver/client");
	facts.containers_known = true;
	facts.containers.count = 2;
	strcpy(facts.containers.item[0].name, "a");
	strcpy(facts.containers.item[1].name, "b");
}

static void expect_interface(enum ask_answer answer, long mounts)
{
	weka_read_interface(&client);
	ck_assert_int_eq(facts.interface_source.answer, answer);
	ck_assert_int_eq(facts.interface.active_mounts, mounts);
}

START_TEST(the_driver_tells_in_one_file_or_in_one_of_each_container)
{
	begin_named();
	expect_interface(ASK_MISSING, -1);
	tempdir_put("driver/client/interface", "Active mounts: 8\n");
	expect_interface(ASK_MISSING, -1);
	tempdir_put("driver/b/interface", "Active mounts: 2\n");
	expect_interface(ASK_ANSWERED, 2);
	tempdir_put("driver/a/interface", "Active mounts: 1\n");
	expect_interface(ASK_ANSWERED, 3);
	tempdir_put("driver/interface", "Active mounts: 5\n");
	expect_interface(ASK_ANSWERED, 5);
	unlink(tempdir_path("driver/interface"));
	facts.containers.count = 0;
	/* of each that is there: nobody knows their names */
	expect_interface(ASK_ANSWERED, 11);
	section.proc_dir = (char *)tempdir_put("plain", "");
	expect_interface(ASK_MISSING, -1);
	end();
}
END_TEST

static void expect_cgroup(size_t i, const char *cpus, bool is_v2, bool is_exclusive)
{
	weka_read_cgroups(&client);
	ck_assert_int_eq(facts.cgroup_v2, is_v2);
	ck_assert_int_eq(facts.cgroup[i].known, cpus != NULL);
	ck_assert_int_eq(facts.cgroup[i].exclusive, is_exclusive);
	if (cpus)
		expect_cpus(&facts.cgroup[i].cpus, cpus);
}

START_TEST(the_cpus_of_a_containers_cgroup_are_read)
{
	begin_named();
	folder("cgroup/cpuset/weka-b");
	expect_cgroup(1, NULL, false, false);
	tempdir_put("cgroup/cpuset/weka-b/cpuset.cpus", "1-2\n");
	expect_cgroup(1, "1-2", false, false);
	tempdir_put("cgroup/cpuset/weka-b/cpuset.effective_cpus", "2\n");
	expect_cgroup(1, "2", false, false);
	expect_cgroup(0, NULL, false, false);
	tempdir_put("cgroup/cpuset/weka-b/cpuset.effective_cpus", "x\n");
	expect_cgroup(1, "1-2", false, false);
	end();
}
END_TEST

START_TEST(a_cgroup_of_its_own_may_have_its_cpus_alone)
{
	begin_named();
	folder("cgroup/weka-b");
	folder("cgroup/weka.slice");
	tempdir_put("cgroup/cgroup.controllers", "cpuset\n");
	expect_cgroup(1, NULL, true, false);
	tempdir_put("cgroup/weka.slice/cpuset.cpus.effective", "5\n");
	expect_cgroup(1, "5", true, false);
	tempdir_put("cgroup/weka-b/cpuset.cpus.effective", "3,4\n");
	expect_cgroup(1, "3-4", true, false);
	expect_cgroup(0, "5", true, false);
	tempdir_put("cgroup/weka-b/cpuset.cpus.partition", "member\n");
	expect_cgroup(1, "3-4", true, false);
	tempdir_put("cgroup/weka-b/cpuset.cpus.partition", "root\n");
	expect_cgroup(1, "3-4", true, true);
	tempdir_put("cgroup/weka-b/cpuset.cpus.partition", "isolated\n");
	expect_cgroup(1, "3-4", true, true);
	/* that of all containers, too */
	expect_cgroup(0, "5", true, false);
	tempdir_put("cgroup/weka.slice/cpuset.cpus.partition", "root\n");
	expect_cgroup(0, "5", true, true);
	end();
}
END_TEST

static void inspect(void)
{
	ck_assert_int_eq(weka_inspect(&client, &err), 0);
}

static void expect_agent(bool is_known, bool is_running, long pid)
{
	inspect();
	ck_assert_int_eq(facts.agent_known, is_known);
	ck_assert_int_eq(facts.agent_running, is_running);
	ck_assert_int_eq(facts.agent_pid, pid);
}

START_TEST(an_agent_is_known_by_its_file)
{
	char text[32];
	pid_t pid;

	begin();
	tempdir_put("ps", "[]");
	expect_agent(true, false, 0);
	tempdir_put("pid", "what\n");
	expect_agent(true, false, 0);
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	tempdir_put("pid", text);
	expect_agent(true, true, getpid());
	ck_assert_int_gt(facts.agent_start_s, 0);
	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(text, sizeof(text), "%d\n", (int)pid);
	tempdir_put("pid", text);
	expect_agent(true, false, pid);
	ck_assert_int_eq(unlink(tempdir_path("pid")), 0);
	folder("pid");
	expect_agent(false, false, 0);
	end();
}
END_TEST

START_TEST(either_file_of_settings_is_read)
{
	begin();
	tempdir_put("ps", "[]");
	inspect();
	ck_assert(!facts.service.present && !facts.service_alt.present);
	ck_assert_int_eq(facts.service.mtime_s, 0);
	tempdir_put("weka.conf", "isolate_cpusets=false\n");
	inspect();
	ck_assert(!facts.service.present && facts.service_alt.present);
	ck_assert_int_gt(facts.service_alt.mtime_s, 0);
	ck_assert_int_eq(facts.service_alt.isolate_cpusets, WEKA_FALSE);
	tempdir_put("service.conf", "isolate_cpusets=true\n");
	inspect();
	ck_assert(facts.service.present && facts.service_alt.present);
	ck_assert_int_eq(facts.service.isolate_cpusets, WEKA_TRUE);
	end();
}
END_TEST

START_TEST(agents_that_run_are_counted)
{
	pid_t pid;
	int tries;

	begin();
	tempdir_put("ps", "[]");
	inspect();
	ck_assert_int_eq(facts.agents.answer, ASK_ANSWERED);
	ck_assert_uint_eq(facts.agent_count, 0);
	pid = fork();
	if (!pid) {
		execl(section.command, section.command, "--agent", (char *)NULL);
		_exit(1);
	}
	for (tries = 0; tries < 200 && !facts.agent_count; tries++) {
		usleep(20000);
		inspect();
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_uint_eq(facts.agent_count, 1);
	end();
}
END_TEST

/* ---- where its frontends poll -------------------------------------------------- */

static void put_frontend(struct weka_resources *resources, unsigned int core, bool is_automatic)
{
	struct weka_frontend *frontend = &resources->frontend[resources->frontend_count++];

	resources->known = true;
	frontend->core_id = core;
	frontend->automatic = is_automatic;
}

static void put_link(const char *container, long pid)
{
	struct weka_link *link = &facts.interface.link[facts.interface.link_count++];

	strcpy(link->container, container);
	link->pid = pid;
}

/* NULL: nobody knows. */
static void expect_frontends(const char *cpus)
{
	weka_digest(&client);
	ck_assert_int_eq(client.common.cpus_known, cpus != NULL);
	expect_cpus(&client.common.frontend_cpus, cpus ? cpus : "");
}

START_TEST(frontends_poll_on_the_cores_of_all_that_run)
{
	begin_named();
	expect_frontends("");
	ck_assert_str_eq(client.common.version, "");
	put_frontend(&facts.stable[0], 3, false);
	put_frontend(&facts.stable[0], 5, false);
	put_frontend(&facts.stable[1], 7, false);
	strcpy(facts.containers.item[0].version, "4.4");
	expect_frontends(""); /* none of them runs */
	facts.containers.item[0].running = true;
	expect_frontends("3,5");
	ck_assert_str_eq(client.common.version, "4.4");
	facts.containers.item[1].running = true;
	strcpy(facts.containers.item[1].version, "5.0");
	expect_frontends("3,5,7");
	ck_assert_str_eq(client.common.version, "5.0");
	facts.stable[1].known = false;
	expect_frontends(NULL);
	facts.containers.item[1].running = false;
	expect_frontends("3,5");
	end();
}
END_TEST

START_TEST(frontends_without_a_core_are_where_their_processes_are)
{
	struct cpuset ours;
	char *list;

	begin_named();
	ck_assert_int_eq(process_cpus(getpid(), &ours), 0);
	list = cpuset_format(&ours);
	facts.containers.item[0].running = true;
	put_frontend(&facts.stable[0], 3, false);
	put_frontend(&facts.stable[0], 0, true);
	expect_frontends(NULL);
	put_link("b", getpid());
	expect_frontends(NULL);
	put_link("a", getpid());
	expect_frontends(list);
	put_link("a", 0);
	expect_frontends(NULL);
	facts.interface.link[2].pid = getpid();
	expect_frontends(list);
	/* and so they are where nobody knows the containers */
	facts.containers_known = false;
	facts.containers.count = 0;
	expect_frontends(list);
	facts.interface.link_count = 0;
	expect_frontends(NULL);
	free(list);
	end();
}
END_TEST

START_TEST(a_client_that_serves_has_all_its_cores_fixed)
{
	begin_named();
	facts.containers.item[0].running = facts.containers.item[1].running = true;
	put_frontend(&facts.stable[0], 3, false);
	facts.stable[1].known = true;
	facts.stable[1].server_count = 2;
	cpuset_parse(&facts.stable[1].server_cpus, "5-6", NULL);
	expect_frontends("3,5-6");
	ck_assert_uint_eq(client.common.fixed_cores, 3);
	facts.stable[0].frontend[0].shared = true; /* does not poll */
	expect_frontends("5-6");
	ck_assert_uint_eq(client.common.fixed_cores, 2);
	facts.stable[1].server_is_automatic = true;
	put_link("b", getpid()); /* a frontend's, and of no use */
	expect_frontends(NULL);
	end();
}
END_TEST

START_TEST(a_client_without_a_container_is_where_the_driver_says)
{
	struct cpuset ours;
	char *list;

	begin_named();
	ck_assert_int_eq(process_cpus(getpid(), &ours), 0);
	list = cpuset_format(&ours);
	facts.containers.count = 0;
	expect_frontends("");
	put_link("c88742862af5client", getpid());
	expect_frontends(list);
	facts.others_running = 1; /* container= leaves out those that the driver names */
	expect_frontends("");
	free(list);
	end();
}
END_TEST

START_TEST(a_container_is_found_by_its_name)
{
	struct weka_resources resources = { 0 };
	struct cpuset cpus;
	size_t at = 9;

	begin_named();
	ck_assert_ptr_eq(weka_container(&facts, "b", &at), &facts.containers.item[1]);
	ck_assert_uint_eq(at, 1);
	ck_assert_ptr_eq(weka_container(&facts, "a", NULL), &facts.containers.item[0]);
	ck_assert_ptr_null(weka_container(&facts, "c", &at));
	ck_assert(!weka_is_automatic(&resources));
	put_frontend(&resources, 3, false);
	ck_assert(!weka_is_automatic(&resources));
	put_frontend(&resources, 4, true);
	put_frontend(&resources, 5, false);
	ck_assert(weka_is_automatic(&resources));
	weka_named_cpus(&resources, &cpus);
	expect_cpus(&cpus, "3,5");
	end();
}
END_TEST

/* ---- what was kept, and the driver ---------------------------------------------- */

#define LINK(name) "Container=" name " FE 0: Connected frontend pid 1\n"

static void expect_asked(bool is_asked)
{
	char *text;

	unlink(tempdir_path("calls"));
	inspect();
	text = fileio_read(tempdir_path("calls"), 10000, NULL, NULL);
	ck_assert_int_eq(text != NULL, is_asked);
	free(text);
	if (!client.cached)
		cache_keep(&client);
}

START_TEST(the_driver_may_know_better_than_what_was_kept)
{
	char text[200];

	begin_two();
	folder("driver");
	expect_asked(true);
	expect_asked(false);
	tempdir_put("driver/interface", "Active mounts: 1\n");
	expect_asked(false);
	tempdir_put("driver/interface", LINK("a") LINK("b") LINK("b"));
	expect_asked(true);
	expect_asked(false);
	tempdir_put("driver/interface", LINK("a") LINK("b"));
	expect_asked(true);
	/* restarted: other processes; then one that is not connected */
	snprintf(text, sizeof(text), "%sContainer=b FE 0: Connected frontend pid %d\n", LINK("a"),
		 getpid());
	tempdir_put("driver/interface", text);
	expect_asked(true);
	expect_asked(false);
	tempdir_put("driver/interface", LINK("a") "Container=b FE 0: Frontend is not connected\n");
	expect_asked(true);
	expect_asked(false);
	end();
}
END_TEST

UNIT_MAIN("weka_facts", all_containers_are_read_or_that_of_jobio_conf,
	  an_answer_that_cannot_be_read_has_failed, what_hangs_once_is_not_asked_again,
	  an_order_that_is_refused_says_why, answers_of_a_client_in_order_are_kept,
	  what_was_kept_is_what_was_answered, half_of_what_was_kept_is_nothing,
	  answers_hold_until_one_of_the_files_changes,
	  the_driver_tells_in_one_file_or_in_one_of_each_container,
	  the_cpus_of_a_containers_cgroup_are_read, a_cgroup_of_its_own_may_have_its_cpus_alone,
	  an_agent_is_known_by_its_file, either_file_of_settings_is_read,
	  agents_that_run_are_counted, frontends_poll_on_the_cores_of_all_that_run,
	  frontends_without_a_core_are_where_their_processes_are,
	  a_client_that_serves_has_all_its_cores_fixed,
	  a_client_without_a_container_is_where_the_driver_says, a_container_is_found_by_its_name,
	  the_driver_may_know_better_than_what_was_kept)
