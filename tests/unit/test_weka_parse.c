/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "client/weka/parse.h"
#include "lib/cpuset.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"

static struct weka_service service_of(const char *text)
{
	struct weka_service service;

	weka_parse_service(text, &service);
	return service;
}

static void expect_isolate(const char *text, enum weka_switch value)
{
	struct weka_service service = service_of(text);

	ck_assert_msg(service.isolate_cpusets == value, "'%s' gave %d", text,
		      service.isolate_cpusets);
}

START_TEST(isolate_cpusets_is_read_in_every_spelling)
{
	expect_isolate("isolate_cpusets=false", WEKA_FALSE);
	expect_isolate("isolate_cpusets = false\n", WEKA_FALSE);
	expect_isolate("[agent]\n\tisolate_cpusets\t=\tFALSE\r\n", WEKA_FALSE);
	expect_isolate("isolate_cpusets: no", WEKA_FALSE);
	expect_isolate("Isolate-Cpusets=0", WEKA_FALSE);
	expect_isolate("isolate_cpusets=\"false\" ; as Slurm wants it", WEKA_FALSE);
	expect_isolate("isolate_cpusets = false # x", WEKA_FALSE);
	expect_isolate("\xef\xbb\xbfisolate_cpusets='off'", WEKA_FALSE);
	expect_isolate("isolate_cpusets=true", WEKA_TRUE);
	expect_isolate("isolate_cpusets=Yes", WEKA_TRUE);
	expect_isolate("isolate_cpusets=1", WEKA_TRUE);
	expect_isolate("isolate_cpusets=", WEKA_UNCLEAR);
	expect_isolate("isolate_cpusets=maybe", WEKA_UNCLEAR);
	expect_isolate("#isolate_cpusets=false", WEKA_UNSET);
	expect_isolate("; isolate_cpusets=false", WEKA_UNSET);
	expect_isolate("isolate_cpuset=false", WEKA_UNSET);
	expect_isolate("", WEKA_UNSET);
}
END_TEST

START_TEST(the_last_line_wins_in_whatever_section)
{
	struct weka_service service = service_of("[agent]\nisolate_cpusets=false\n[os]\n"
						 "isolate_cpusets=true\n");

	ck_assert_int_eq(service.isolate_cpusets, WEKA_TRUE);
	ck_assert(service.isolate_differs);
	ck_assert_str_eq(service.isolate_text, "true");
	service = service_of("isolate_cpusets=no\nisolate_cpusets=false\n");
	ck_assert(!service.isolate_differs);
}
END_TEST

START_TEST(the_mode_of_cgroups_is_read_in_small_letters)
{
	ck_assert_str_eq(service_of("cgroups_mode = Force_V2").cgroups_mode, "force_v2");
	ck_assert_str_eq(service_of("Cgroups-Mode: 'force-v2'").cgroups_mode, "force_v2");
	ck_assert_str_eq(service_of("cgroup_mode=none").cgroups_mode, "none");
	ck_assert_str_eq(service_of("cgroup_mode=none").odd_key, "cgroup_mode");
	ck_assert(service_of("cgroups_mode=none\ncgroups_mode=auto").cgroups_differs);
}
END_TEST

START_TEST(a_service_conf_like_the_shipped_one_isolates)
{
	char *text = sample_read("weka/service.conf");
	struct weka_service service = service_of(text);

	ck_assert_int_eq(service.isolate_cpusets, WEKA_TRUE);
	ck_assert_str_eq(service.cgroups_mode, "auto");
	free(text);
}
END_TEST

static struct weka_containers ps(const char *sample)
{
	struct weka_containers containers;
	char *text = sample_read(sample);
	struct err err;

	ck_assert_msg(weka_parse_ps(text, &containers, &err) == 0, "%s", err.text);
	free(text);
	return containers;
}

START_TEST(a_ready_container_is_ready)
{
	struct weka_containers containers = ps("weka/ps-4.4-ready.json");

	ck_assert_uint_eq(containers.count, 1);
	ck_assert_str_eq(containers.item[0].name, "client");
	ck_assert(containers.item[0].running);
	ck_assert(containers.item[0].monitored_known && containers.item[0].monitored);
	ck_assert_str_eq(containers.item[0].display_status, "READY");
	ck_assert_str_eq(containers.item[0].version, "4.4.2");
}
END_TEST

START_TEST(a_joining_container_is_not_ready_although_its_state_says_so)
{
	struct weka_containers containers = ps("weka/ps-4.4-joining.json");

	ck_assert_str_eq(containers.item[0].display_status, "CLUSTERIZING");
	ck_assert_str_eq(containers.item[0].message, "Joining cluster");
}
END_TEST

START_TEST(a_stopped_container_says_why)
{
	struct weka_containers containers = ps("weka/ps-4.4-stopped.json");

	ck_assert(!containers.item[0].running);
	ck_assert_str_eq(containers.item[0].last_failure, "Stopped on request of the user");
}
END_TEST

START_TEST(the_columns_of_the_6x_command_line_are_understood)
{
	struct weka_containers containers;

	ck_assert_int_eq(
		weka_parse_ps(
			"[{\"name\":\"client\",\"state\":\"Running\",\"disabled\":true,\"monitoring\":false,\"persistent\":true,\"pid\":\"4711\",\"version\":\"6.0.1\",\"status\":{\"internalStatus\":{\"display_status\":\"READY\"}}},{\"name\":\"envoy\",\"type\":\"envoy\"}]",
			&containers, NULL),
		0);
	ck_assert_uint_eq(containers.count, 1);
	ck_assert(containers.item[0].running);
	ck_assert(containers.item[0].disabled);
	ck_assert(!containers.item[0].monitored);
	ck_assert(containers.item[0].persistent);
	ck_assert_str_eq(containers.item[0].version, "6.0.1");
	ck_assert_str_eq(containers.item[0].display_status, "READY");
}
END_TEST

START_TEST(a_status_in_one_word_is_the_health)
{
	struct weka_containers containers;

	ck_assert_int_eq(
		weka_parse_ps(
			"[{\"name\":\"a\",\"running\":true,\"state\":\"READY\",\"status\":\"Ready\"},{\"name\":\"b\",\"running\":\"False\",\"status\":\"Joining\"},{\"name\":\"c\",\"state\":\"READY\"}]",
			&containers, NULL),
		0);
	ck_assert_uint_eq(containers.count, 3);
	ck_assert(containers.item[0].running);
	ck_assert_str_eq(containers.item[0].display_status, "READY");
	ck_assert(!containers.item[1].running);
	ck_assert_str_eq(containers.item[1].display_status, "JOINING");
	ck_assert_str_eq(containers.item[2].display_status, "");
}
END_TEST

START_TEST(an_answer_that_is_no_list_is_an_error)
{
	struct weka_containers containers = { .count = 77 };
	struct err err;

	ck_assert_int_eq(weka_parse_ps("error: no agent", &containers, &err), -1);
	ck_assert_str_eq(err.text, "weka local ps: expected a JSON list");
	ck_assert_int_eq(weka_parse_ps("[{}]", &containers, &err), -1);
	ck_assert_str_eq(err.text, "weka local ps: a container has no name");
	ck_assert_uint_eq(containers.count, 77);
}
END_TEST

static struct weka_resources resources(const char *sample)
{
	struct weka_resources found;
	char *text = sample_read(sample);
	struct err err;

	ck_assert_msg(weka_parse_resources(text, "client", &found, &err) == 0, "%s", err.text);
	free(text);
	return found;
}

START_TEST(two_frontends_have_two_cores)
{
	struct weka_resources found = resources("weka/resources-4.4-two-frontends.json");

	ck_assert_uint_eq(found.frontend_count, 2);
	ck_assert_uint_eq(found.frontend[0].slot, 1);
	ck_assert_uint_eq(found.frontend[0].core_id, 30);
	ck_assert_uint_eq(found.frontend[1].slot, 2);
	ck_assert_uint_eq(found.frontend[1].core_id, 31);
	ck_assert(!found.frontend[0].shared);
	ck_assert_uint_eq(found.nic_count, 1);
	ck_assert_str_eq(found.nic[0].name, "ib1");
	ck_assert_str_eq(found.nic[0].identifier, "0000:a1:00.0");
	ck_assert_int_eq(found.memory_bytes, 2936012800LL);
}
END_TEST

START_TEST(an_automatic_core_has_no_number)
{
	struct weka_resources found = resources("weka/resources-4.4-automatic.json");

	ck_assert_uint_eq(found.frontend_count, 1);
	ck_assert(found.frontend[0].automatic);
}
END_TEST

START_TEST(resources_are_found_by_container_and_with_typed_ids)
{
	struct weka_resources found;

	ck_assert_int_eq(
		weka_parse_resources(
			"{\"other\":{},\"client\":{\"nodes\":[{\"slot\":2,\"roles\":[\"frontend\"],\"core_id\":\"CoreId<9>\"},{\"slot\":1,\"roles\":[\"FRONTEND\"],\"core_id\":8}]}}",
			"client", &found, NULL),
		0);
	ck_assert_uint_eq(found.frontend_count, 2);
	ck_assert_uint_eq(found.frontend[0].core_id, 8);
	ck_assert_uint_eq(found.frontend[1].core_id, 9);
}
END_TEST

START_TEST(resources_as_the_api_shows_them_are_understood)
{
	struct weka_resources found = resources("weka/resources-4.2-api.json");

	ck_assert_uint_eq(found.frontend_count, 1);
	ck_assert(found.frontend[0].automatic);
	ck_assert_uint_eq(found.nic_count, 1);
	ck_assert_str_eq(found.nic[0].name, "ens5");
}
END_TEST

START_TEST(a_role_may_stand_alone)
{
	struct weka_resources found;

	ck_assert_int_eq(
		weka_parse_resources(
			"{\"nodes\":{\"0\":{\"roles\":\"MANAGEMENT\"},\"1\":{\"roles\":\"FRONTEND\",\"core_id\":8}}}",
			"client", &found, NULL),
		0);
	ck_assert_uint_eq(found.frontend_count, 1);
	ck_assert_uint_eq(found.frontend[0].core_id, 8);
}
END_TEST

static const struct role_row {
	const char *nodes;
	size_t frontends, servers;
	const char *server_cpus;
	bool is_shared, is_automatic;
} roles[] = {
	{ "'1':{'roles':['DRIVES'],'core_id':4},'2':{'roles':['DRIVES'],'core_id':9}", 0, 2, "4,9",
	  false, false },
	{ "'1':{'roles':['COMPUTE'],'core_id':4294967295,'dedicate_core':true}", 0, 1, "", false,
	  true },
	{ "'1':{'roles':['COMPUTE','FRONTEND'],'core_id':4}", 1, 0, "", false, false },
	{ "'1':{'roles':['MANAGEMENT','DRIVES'],'core_id':4}", 0, 1, "4", false, false },
	{ "'1':{'roles':['DATASERV'],'core_id':4}", 0, 1, "4", false, false },
	{ "'1':{'roles':['DRIVES'],'core_id':4,'dedicated_mode':'NONE'}", 0, 1, "", false, false },
	{ "'1':{'roles':['FRONTEND'],'core_id':4,'dedicate_core':true,'dedicated_mode':'FULL'}", 1,
	  0, "", false, false },
	{ "'1':{'roles':['FRONTEND'],'core_id':4,'dedicate_core':true,'dedicated_mode':'none'}", 1,
	  0, "", true, false },
	{ "'1':{'roles':['FRONTEND'],'core_id':4294967295,'dedicate_core':false}", 1, 0, "", true,
	  false },
};

static struct weka_resources quoted(const char *format, const char *text)
{
	struct weka_resources found;
	char json[512];

	snprintf(json, sizeof(json), format, text);
	for (char *at = json; *at; at++)
		if (*at == '\'')
			*at = '"';
	ck_assert_msg(weka_parse_resources(json, "client", &found, NULL) == 0, "%s", json);
	return found;
}

START_TEST(processes_of_every_role_are_known_by_their_cores)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		const struct role_row *row = &roles[i];
		struct weka_resources found = quoted("{'nodes':{%s}}", row->nodes);
		char *list = cpuset_format(&found.server_cpus);

		ck_assert_msg(found.frontend_count == row->frontends &&
				      found.server_count == row->servers &&
				      !strcmp(list, row->server_cpus) &&
				      found.frontend[0].shared == row->is_shared &&
				      found.server_is_automatic == row->is_automatic,
			      "%s: %zu frontends, %zu servers on %s", row->nodes,
			      found.frontend_count, found.server_count, list);
		free(list);
	}
}
END_TEST

START_TEST(cards_have_slots_and_management_has_cores)
{
	static const struct {
		const char *slots;
		uint64_t mask;
	} rows[] = { { "[1,2,3]", 0xe },  { "['1','2']", 0x6 }, { "'1-4'", 0x1e },
		     { "'s5-8'", 0x1e0 }, { "[]", 0 },		{ "null", 0 },
		     { "'ha'", 0 },	  { "[64,-1,1]", 0x2 } };
	struct weka_resources found;
	char *list;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		found = quoted("{'nodes':{},'net_devices':[{'device':'ib0','slots':%s}]}",
			       rows[i].slots);
		ck_assert_msg(found.nic_count == 1 && found.nic[0].slots == rows[i].mask, "%s",
			      rows[i].slots);
	}
	found = quoted("{'nodes':{},'non_datapath_cores':%s}", "[2,3]");
	list = cpuset_format(&found.management);
	ck_assert_str_eq(list, "2-3");
	free(list);
}
END_TEST

START_TEST(resources_without_nodes_are_an_error)
{
	struct weka_resources found;
	struct err err;

	ck_assert_int_eq(weka_parse_resources("{}", "client", &found, &err), -1);
	ck_assert_str_eq(err.text, "weka local resources of 'client': no \"nodes\" in it");
	ck_assert_int_eq(weka_parse_resources("{\"nodes\":{\"x\":{\"roles\":[\"FRONTEND\"]}}}",
					      "client", &found, &err),
			 -1);
	ck_assert_int_eq(weka_parse_resources("{\"nodes\":7}", "client", &found, &err), -1);
}
END_TEST

START_TEST(staged_resources_differ_by_cores_and_memory)
{
	struct weka_resources two = resources("weka/resources-4.4-two-frontends.json");
	struct weka_resources four = resources("weka/resources-4.4-four-frontends.json");
	struct weka_resources other = two;

	ck_assert_uint_eq(four.frontend_count, 4);
	ck_assert_str_eq(four.nic[1].name, "ib2");
	ck_assert(weka_resources_equal(&two, &other));
	ck_assert(!weka_resources_equal(&two, &four));
	other.frontend[1].core_id = 29;
	ck_assert(!weka_resources_equal(&two, &other));
	other = two;
	other.memory_bytes++;
	ck_assert(!weka_resources_equal(&two, &other));
	other.memory_bytes = -1; /* it does not say */
	ck_assert(weka_resources_equal(&two, &other));
}
END_TEST

START_TEST(the_drivers_file_names_the_frontends)
{
	char *text = sample_read("weka/interface.txt");
	struct weka_interface interface;

	weka_parse_interface(text, &interface);
	ck_assert_str_eq(interface.driver_state, "DRIVER_ACCEPTING");
	ck_assert_int_eq(interface.active_mounts, 3);
	ck_assert_uint_eq(interface.link_count, 3);
	ck_assert_str_eq(interface.link[0].container, "9f1b2c3d4e5fclient");
	ck_assert(interface.link[0].connected);
	ck_assert_int_eq(interface.link[0].pid, 20430);
	ck_assert_uint_eq(interface.link[1].index, 1);
	ck_assert_str_eq(interface.link[2].container, "0a1b2c3d4e5fclient");
	ck_assert(!interface.link[2].connected);
	free(text);
}
END_TEST

START_TEST(a_frontend_can_be_not_connected)
{
	struct weka_interface interface;

	weka_parse_interface(
		"Container=client FE 0: Frontend is not connected\nContainer=bad\nActive mounts: x\n",
		&interface);
	ck_assert_uint_eq(interface.link_count, 1);
	ck_assert(!interface.link[0].connected);
	ck_assert_int_eq(interface.active_mounts, -1);
}
END_TEST

/* A deterministic stream, so that a failure can be repeated. */
static unsigned int dice(void)
{
	static unsigned int state = 4711;

	state = state * 1103515245U + 12345U;
	return state >> 16;
}

START_TEST(no_text_breaks_a_parser)
{
	char *good = sample_read("weka/resources-4.4-two-frontends.json");
	struct weka_containers containers;
	struct weka_interface interface;
	struct weka_resources found;
	struct weka_service service;
	size_t length = strlen(good);
	char *bad = malloc(length + 1);
	int i;

	for (i = 0; i < 2000; i++) {
		memcpy(bad, good, length + 1);
		bad[dice() % length] = (char)(dice() % 255 + 1);
		bad[dice() % length] = (char)(dice() % 255 + 1);
		if (i % 3 == 0)
			bad[dice() % length] = '\0';
		weka_parse_resources(bad, "client", &found, NULL);
		weka_parse_ps(bad, &containers, NULL);
		weka_parse_service(bad, &service);
		weka_parse_interface(bad, &interface);
	}
	free(bad);
	free(good);
}
END_TEST

START_TEST(each_word_for_yes_and_no_is_one)
{
	static const char *const no[] = { "false", "no", "0", "off", "F", "N" };
	static const char *const yes[] = { "true", "YES", "1", "On", "t", "y" };
	size_t i;

	for (i = 0; i < 6; i++) {
		ck_assert_int_eq(weka_switch_of(no[i]), WEKA_FALSE);
		ck_assert_int_eq(weka_switch_of(yes[i]), WEKA_TRUE);
	}
	ck_assert_int_eq(weka_switch_of("2"), WEKA_UNCLEAR);
	ck_assert_int_eq(weka_switch_of(""), WEKA_UNCLEAR);
}
END_TEST

START_TEST(quotes_and_comments_belong_to_no_value)
{
	expect_isolate("isolate_cpusets=false;x", WEKA_UNCLEAR);
	expect_isolate("isolate_cpusets=;false", WEKA_UNCLEAR);
	expect_isolate("isolate_cpusets=false\t;x", WEKA_FALSE);
	expect_isolate("isolate_cpusets=\"", WEKA_UNCLEAR);
	expect_isolate("isolate_cpusets=\"no'", WEKA_UNCLEAR);
	expect_isolate("isolate_cpusets=''", WEKA_UNCLEAR);
	ck_assert_str_eq(service_of("isolate_cpusets='a' ").isolate_text, "a");
	ck_assert_str_eq(service_of("isolate_cpusets=a'").isolate_text, "a'");
	ck_assert_str_eq(service_of("isolate_cpusets= a b # c").isolate_text, "a b");
	ck_assert_str_eq(service_of("isolate_cpusets=#").isolate_text, "");
	expect_isolate("[isolate_cpusets=false", WEKA_UNSET);
	expect_isolate("isolate_cpusets", WEKA_UNSET);
}
END_TEST

START_TEST(quotes_are_two_and_may_hold_nothing)
{
	ck_assert_str_eq(service_of("isolate_cpusets=\"\"").isolate_text, "");
	ck_assert_str_eq(service_of("isolate_cpusets=\"").isolate_text, "\"");
	ck_assert_str_eq(service_of("isolate_cpusets='x'").isolate_text, "x");
}
END_TEST

START_TEST(a_key_of_an_odd_spelling_is_told)
{
	struct weka_service service = service_of("cgroup_mode=none\nisolate_cpuset=no\n");

	ck_assert_str_eq(service.odd_key, "isolate_cpuset");
	ck_assert_int_eq(service.odd_isolate, WEKA_FALSE);
	ck_assert_str_eq(service.cgroups_mode, "none");
	service = service_of("isolate_cpuset=no\ncgroup-mode=x\n");
	ck_assert_str_eq(service.odd_key, "isolate_cpuset");
	service = service_of("cgroups_mode=auto\ncgroup_mode=none\n");
	ck_assert_str_eq(service.cgroups_mode, "auto");
	ck_assert(!service.cgroups_differs);
	service = service_of("cgroups_mode=auto\ncgroups_mode=AUTO\n");
	ck_assert(!service.cgroups_differs);
	ck_assert(!service.isolate_differs);
	ck_assert(service.present);
}
END_TEST

static struct weka_interface interface_of(const char *text)
{
	struct weka_interface interface;

	weka_parse_interface(text, &interface);
	return interface;
}

START_TEST(mounts_of_several_containers_are_added)
{
	ck_assert_int_eq(interface_of("").active_mounts, -1);
	ck_assert_int_eq(interface_of("Active mounts: 0\n").active_mounts, 0);
	ck_assert_int_eq(interface_of("Active mounts: 1\nActive mounts: 2\n").active_mounts, 3);
	ck_assert_int_eq(interface_of("Active mounts: 0\nActive mounts: 2\n"
				      "Active mounts: x\n")
				 .active_mounts,
			 2);
	ck_assert_str_eq(interface_of("GW driver_state: A \n").driver_state, "A");
}
END_TEST

START_TEST(lines_of_the_drivers_file_are_known_by_all_of_their_name)
{
	struct weka_interface interface =
		interface_of("GW driver_state:B\nActive mounts:7\n"
			     "Container=a FE 0:Connected frontend pid 1\n");

	ck_assert_str_eq(interface.driver_state, "B");
	ck_assert_int_eq(interface.active_mounts, 7);
	ck_assert_uint_eq(interface.link_count, 1);
	ck_assert(interface.link[0].connected);
	ck_assert_int_eq(interface.link[0].pid, 1);
	interface = interface_of("GW driver_states A\nActive mounts 7\n"
				 "Container a FE 0: Connected pid 7\n"
				 "Container=a FE 0: Connection pid 7\n");
	ck_assert_str_eq(interface.driver_state, "");
	ck_assert_int_eq(interface.active_mounts, -1);
	ck_assert_uint_eq(interface.link_count, 1);
	ck_assert(!interface.link[0].connected);
}
END_TEST

START_TEST(half_a_line_of_a_frontend_is_none)
{
	static const char *const bad[] = {
		"Container=a",	      "Container=a FE",	   "Container=a FE 0",
		"Container=a FX 0:",  "Container=a FE x:", "Container=a FE 65536:",
		"Container= a FE 0:", "Container=a FEx0:",
	};
	struct weka_interface interface;
	char text[80 * WEKA_FRONTENDS_MAX] = "";
	int i;

	for (i = 0; i < (int)(sizeof(bad) / sizeof(bad[0])); i++)
		ck_assert_msg(interface_of(bad[i]).link_count == 0, "%s", bad[i]);
	interface = interface_of("Container=a FE 65535: connected pid 7\n"
				 "Container=b FE 0: Connected\n"
				 "Container=c FE 0: Connected x 0\n");
	ck_assert_uint_eq(interface.link_count, 3);
	ck_assert_uint_eq(interface.link[0].index, 65535);
	ck_assert(interface.link[0].connected);
	ck_assert_int_eq(interface.link[0].pid, 7);
	ck_assert(interface.link[1].connected);
	ck_assert_int_eq(interface.link[1].pid, 0);
	ck_assert_int_eq(interface.link[2].pid, 0);
	for (i = 0; i <= WEKA_FRONTENDS_MAX; i++)
		sprintf(text + strlen(text), "Container=a FE %d: Connected\n", i);
	ck_assert_uint_eq(interface_of(text).link_count, WEKA_FRONTENDS_MAX);
}
END_TEST

static int parse_nodes(const char *nodes, struct weka_resources *resources)
{
	char text[1000];
	struct err err;

	snprintf(text, sizeof(text), "{\"nodes\":%s}", nodes);
	return weka_parse_resources(text, "c", resources, &err);
}

START_TEST(ids_of_cores_and_slots_are_read_in_each_form)
{
	struct weka_resources r;

	ck_assert_int_eq(
		parse_nodes(
			"[{\"roles\":\"FRONTEND\",\"slot\":3,\"core_id\":\"CoreId<7>\"},{\"roles\":[\"X\",\"frontend\"],\"slot\":\"1\",\"core_id\":8191,\"dedicate_core\":false},{\"roles\":[\"DRIVES\"],\"core_id\":1},{\"roles\":\"FRONTEND\",\"core_id\":8192},{\"roles\":\"FRONTEND\",\"slot\":9,\"core_id\":\"7x\"}]",
			&r),
		0);
	ck_assert(r.known);
	ck_assert_uint_eq(r.frontend_count, 4);
	ck_assert_uint_eq(r.frontend[0].slot, 1);
	ck_assert_uint_eq(r.frontend[0].core_id, 8191);
	ck_assert(!r.frontend[0].automatic && r.frontend[0].shared);
	ck_assert_uint_eq(r.frontend[1].slot, 3);
	ck_assert_uint_eq(r.frontend[1].core_id, 7);
	ck_assert(!r.frontend[1].automatic && !r.frontend[1].shared);
	ck_assert_uint_eq(r.frontend[2].slot, 3); /* its place in the list */
	ck_assert(r.frontend[2].automatic);
	ck_assert(r.frontend[3].automatic);
	ck_assert_int_eq(r.memory_bytes, -1);
	ck_assert_int_eq(
		parse_nodes("{\"65535\":{\"roles\":\"FRONTEND\",\"core_id\":\"4294967295\"}}", &r),
		0);
	ck_assert_uint_eq(r.frontend[0].slot, 65535);
	ck_assert(r.frontend[0].automatic);
	/* an id that is none is its place; 0 is one */
	ck_assert_int_eq(
		parse_nodes(
			"[{\"roles\":\"FRONTEND\",\"slot\":\"7\",\"core_id\":\"CoreId<0>\"},{\"roles\":\"FRONTEND\",\"slot\":\"1x\"},{\"roles\":\"FRONTEND\",\"slot\":\"99999999999\"},{\"roles\":\"FRONTEND\",\"slot\":\"0\"}]",
			&r),
		0);
	ck_assert_uint_eq(r.frontend_count, 4);
	ck_assert_uint_eq(r.frontend[0].slot, 0);
	ck_assert_uint_eq(r.frontend[1].slot, 1);
	ck_assert_uint_eq(r.frontend[2].slot, 2);
	ck_assert_uint_eq(r.frontend[3].slot, 7);
	ck_assert(!r.frontend[3].automatic);
	ck_assert_uint_eq(r.frontend[3].core_id, 0);
	ck_assert_int_eq(parse_nodes("[{\"roles\":\"FRONTEND\",\"core_id\":-1}]", &r), 0);
	ck_assert(r.frontend[0].automatic);
}
END_TEST

START_TEST(nodes_that_are_not_understood_are_an_error)
{
	static const char *const bad[] = {
		"7",
		"{\"65536\":{\"roles\":\"FRONTEND\"}}",
		"{\"x\":{\"roles\":\"FRONTEND\"}}",
		"[{\"roles\":\"FRONTEND\",\"slot\":-1}]",
	};
	char text[100 * (WEKA_FRONTENDS_MAX + 1)] = "{\"nodes\":[";
	struct weka_resources r = { .memory_bytes = 7 };
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(parse_nodes(bad[i], &r) < 0, "%s", bad[i]);
	ck_assert_int_eq(r.memory_bytes, 7);
	for (i = 0; i < WEKA_FRONTENDS_MAX; i++)
		sprintf(text + strlen(text), "%s{\"roles\":\"FRONTEND\"}", i ? "," : "");
	strcat(text, "]}");
	ck_assert_int_eq(weka_parse_resources(text, "c", &r, &err), 0);
	ck_assert_uint_eq(r.frontend_count, WEKA_FRONTENDS_MAX);
	/* what is at the top wins; cards that are no list are none */
	ck_assert_int_eq(
		weka_parse_resources(
			"{\"nodes\":[],\"net_devices\":7,\"c\":{\"nodes\":[{\"roles\":\"FRONTEND\"}]}}",
			"c", &r, &err),
		0);
	ck_assert_uint_eq(r.frontend_count, 0);
	ck_assert_uint_eq(r.nic_count, 0);
	strcpy(text + strlen(text) - 2, ",{\"roles\":\"FRONTEND\"}]}");
	ck_assert_int_eq(weka_parse_resources(text, "c", &r, &err), -1);
}
END_TEST

START_TEST(resources_are_the_same_when_all_that_they_say_is)
{
	struct weka_resources a, b;

	ck_assert_int_eq(
		parse_nodes(
			"[{\"roles\":\"FRONTEND\",\"core_id\":7},{\"roles\":\"FRONTEND\",\"core_id\":8}]",
			&a),
		0);
	b = a;
	b.frontend[0].slot = 9;
	ck_assert(!weka_resources_equal(&a, &b));
	b = a;
	b.frontend[1].automatic = true;
	ck_assert(!weka_resources_equal(&a, &b));
	b = a;
	b.frontend[0].core_id = 9;
	ck_assert(!weka_resources_equal(&a, &b));
	b = a;
	b.frontend_count = 1;
	ck_assert(!weka_resources_equal(&a, &b));
	b = a;
	b.memory_bytes = 0;
	ck_assert(weka_resources_equal(&a, &b)); /* a does not say */
	a.memory_bytes = 1;
	ck_assert(!weka_resources_equal(&a, &b));
	b.memory_bytes = 1;
	ck_assert(weka_resources_equal(&a, &b));
	a.memory_bytes = 0;
	ck_assert(!weka_resources_equal(&a, &b));
	ck_assert(!weka_resources_equal(&b, &a));
}
END_TEST

static struct weka_container container_of(const char *members)
{
	struct weka_containers containers;
	char text[1000];
	struct err err;

	snprintf(text, sizeof(text), "[{\"name\":\"c\"%s}]", members);
	ck_assert_msg(weka_parse_ps(text, &containers, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(containers.count, 1);
	return containers.item[0];
}

START_TEST(a_switch_of_a_container_has_two_names)
{
	ck_assert(container_of(",\"isRunning\":true").running);
	ck_assert(container_of(",\"running\":\"yes\"").running);
	ck_assert(!container_of(",\"isRunning\":false,\"running\":true").running);
	ck_assert(container_of(",\"runStatus\":\"running\"").running);
	ck_assert(container_of(",\"state\":\"RUNNING\"").running);
	ck_assert(!container_of(",\"state\":\"STOPPED\"").running);
	ck_assert(container_of(",\"isDisabled\":true").disabled);
	ck_assert(container_of(",\"disabled\":true").disabled);
	ck_assert(!container_of(",\"isDisabled\":false,\"disabled\":true").disabled);
	ck_assert(container_of(",\"isPersistent\":true").persistent);
	ck_assert(container_of(",\"persistent\":1,\"x\":2").persistent == false);
	ck_assert(container_of(",\"persistent\":true").persistent);
	ck_assert(!container_of(",\"isPersistent\":false,\"persistent\":true").persistent);
	ck_assert(!container_of("").monitored_known);
	ck_assert(container_of(",\"isMonitoring\":false").monitored_known);
	ck_assert(!container_of(",\"isMonitoring\":false").monitored);
	ck_assert(container_of(",\"monitoring\":true").monitored_known);
	ck_assert(container_of(",\"monitoring\":true").monitored);
	ck_assert_str_eq(container_of(",\"version\":\"6\"").version, "6");
	ck_assert_str_eq(container_of(",\"versionName\":\"5\",\"version\":\"6\"").version, "5");
}
END_TEST

UNIT_MAIN("weka_parse", isolate_cpusets_is_read_in_every_spelling,
	  the_last_line_wins_in_whatever_section, the_mode_of_cgroups_is_read_in_small_letters,
	  a_service_conf_like_the_shipped_one_isolates, a_ready_container_is_ready,
	  a_joining_container_is_not_ready_although_its_state_says_so, a_stopped_container_says_why,
	  the_columns_of_the_6x_command_line_are_understood, a_status_in_one_word_is_the_health,
	  an_answer_that_is_no_list_is_an_error, two_frontends_have_two_cores,
	  an_automatic_core_has_no_number, resources_are_found_by_container_and_with_typed_ids,
	  resources_as_the_api_shows_them_are_understood, a_role_may_stand_alone,
	  processes_of_every_role_are_known_by_their_cores,
	  cards_have_slots_and_management_has_cores, resources_without_nodes_are_an_error,
	  staged_resources_differ_by_cores_and_memory, the_drivers_file_names_the_frontends,
	  a_frontend_can_be_not_connected, no_text_breaks_a_parser, each_word_for_yes_and_no_is_one,
	  quotes_and_comments_belong_to_no_value, a_key_of_an_odd_spelling_is_told,
	  quotes_are_two_and_may_hold_nothing,
	  lines_of_the_drivers_file_are_known_by_all_of_their_name,
	  mounts_of_several_containers_are_added, half_a_line_of_a_frontend_is_none,
	  ids_of_cores_and_slots_are_read_in_each_form, nodes_that_are_not_understood_are_an_error,
	  resources_are_the_same_when_all_that_they_say_is, a_switch_of_a_container_has_two_names)
