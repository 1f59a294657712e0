/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "client/weka/parse.h"
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
	expect_isolate("isolate_cpusets=\"false\" ; as Slurm wants it",
		       WEKA_FALSE);
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
	struct weka_service service =
		service_of("[agent]\nisolate_cpusets=false\n[os]\n"
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
	ck_assert_str_eq(service_of("cgroups_mode = Force_V2").cgroups_mode,
			 "force_v2");
	ck_assert_str_eq(service_of("Cgroups-Mode: 'force-v2'").cgroups_mode,
			 "force_v2");
	ck_assert_str_eq(service_of("cgroup_mode=none").cgroups_mode, "none");
	ck_assert_str_eq(service_of("cgroup_mode=none").odd_key, "cgroup_mode");
	ck_assert(service_of("cgroups_mode=none\ncgroups_mode=auto")
			  .cgroups_differs);
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

	ck_assert_msg(weka_parse_ps(text, &containers, &err) == 0, "%s",
		      err.text);
	free(text);
	return containers;
}

START_TEST(a_ready_container_is_ready)
{
	struct weka_containers containers = ps("weka/ps-4.4-ready.json");

	ck_assert_uint_eq(containers.count, 1);
	ck_assert_str_eq(containers.item[0].name, "client");
	ck_assert(containers.item[0].running);
	ck_assert(containers.item[0].monitored_known &&
		  containers.item[0].monitored);
	ck_assert_str_eq(containers.item[0].display_status, "READY");
	ck_assert_str_eq(containers.item[0].version, "4.4.2");
	ck_assert_int_eq(containers.item[0].pid, 20417);
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
	ck_assert_int_eq(containers.item[0].pid, 0);
	ck_assert_str_eq(containers.item[0].last_failure,
			 "Stopped on request of the user");
}
END_TEST

START_TEST(the_columns_of_the_6x_command_line_are_understood)
{
	struct weka_containers containers;

	ck_assert_int_eq(
		weka_parse_ps("[{\"name\":\"client\",\"state\":\"Running\","
			      "\"disabled\":true,\"monitoring\":false,"
			      "\"persistent\":true,"
			      "\"pid\":\"4711\",\"version\":\"6.0.1\","
			      "\"status\":{\"internalStatus\":"
			      "{\"display_status\":\"READY\"}}},"
			      "{\"name\":\"envoy\",\"type\":\"envoy\"}]",
			      &containers, NULL),
		0);
	ck_assert_uint_eq(containers.count, 1);
	ck_assert(containers.item[0].running);
	ck_assert(containers.item[0].disabled);
	ck_assert(!containers.item[0].monitored);
	ck_assert(containers.item[0].persistent);
	ck_assert_int_eq(containers.item[0].pid, 4711);
	ck_assert_str_eq(containers.item[0].version, "6.0.1");
	ck_assert_str_eq(containers.item[0].display_status, "READY");
}
END_TEST

START_TEST(a_status_in_one_word_is_the_health)
{
	struct weka_containers containers;

	ck_assert_int_eq(
		weka_parse_ps("[{\"name\":\"a\",\"running\":true,"
			      "\"state\":\"READY\",\"status\":\"Ready\"},"
			      "{\"name\":\"b\",\"running\":\"False\","
			      "\"status\":\"Joining\"},"
			      "{\"name\":\"c\",\"state\":\"READY\"}]",
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

	ck_assert_int_eq(weka_parse_ps("error: no agent", &containers, &err),
			 -1);
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

	ck_assert_msg(weka_parse_resources(text, "client", &found, &err) == 0,
		      "%s", err.text);
	free(text);
	return found;
}

START_TEST(two_frontends_have_two_cores)
{
	struct weka_resources found =
		resources("weka/resources-4.4-two-frontends.json");

	ck_assert_uint_eq(found.frontend_count, 2);
	ck_assert_uint_eq(found.frontend[0].slot, 1);
	ck_assert_uint_eq(found.frontend[0].core_id, 30);
	ck_assert_uint_eq(found.frontend[1].slot, 2);
	ck_assert_uint_eq(found.frontend[1].core_id, 31);
	ck_assert(found.frontend[0].dedicated);
	ck_assert_uint_eq(found.nic_count, 1);
	ck_assert_str_eq(found.nic[0].name, "ib1");
	ck_assert_str_eq(found.nic[0].identifier, "0000:a1:00.0");
	ck_assert_int_eq(found.memory_bytes, 2936012800LL);
}
END_TEST

START_TEST(an_automatic_core_has_no_number)
{
	struct weka_resources found =
		resources("weka/resources-4.4-automatic.json");

	ck_assert_uint_eq(found.frontend_count, 1);
	ck_assert(found.frontend[0].automatic);
}
END_TEST

START_TEST(resources_are_found_by_container_and_with_typed_ids)
{
	struct weka_resources found;

	ck_assert_int_eq(
		weka_parse_resources(
			"{\"other\":{},\"client\":{\"nodes\":[{\"slot\":2,"
			"\"roles\":[\"frontend\"],\"core_id\":\"CoreId<9>\"},"
			"{\"slot\":1,\"roles\":[\"FRONTEND\"],\"core_id\":8}"
			"]}}",
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
			"{\"nodes\":{\"0\":{\"roles\":\"MANAGEMENT\"},"
			"\"1\":{\"roles\":\"FRONTEND\",\"core_id\":8}}}",
			"client", &found, NULL),
		0);
	ck_assert_uint_eq(found.frontend_count, 1);
	ck_assert_uint_eq(found.frontend[0].core_id, 8);
}
END_TEST

START_TEST(resources_without_nodes_are_an_error)
{
	struct weka_resources found;
	struct err err;

	ck_assert_int_eq(weka_parse_resources("{}", "client", &found, &err),
			 -1);
	ck_assert_str_eq(
		err.text,
		"weka local resources of 'client': no \"nodes\" in it");
	ck_assert_int_eq(weka_parse_resources("{\"nodes\":{\"x\":{\"roles\":"
					      "[\"FRONTEND\"]}}}",
					      "client", &found, &err),
			 -1);
	ck_assert_int_eq(
		weka_parse_resources("{\"nodes\":7}", "client", &found, &err),
		-1);
}
END_TEST

START_TEST(staged_resources_differ_by_cores_and_memory)
{
	struct weka_resources two =
		resources("weka/resources-4.4-two-frontends.json");
	struct weka_resources four =
		resources("weka/resources-4.4-four-frontends.json");
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

	weka_parse_interface("Container=client FE 0: Frontend is not "
			     "connected\nContainer=bad\nActive mounts: x\n",
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

UNIT_MAIN("weka_parse", isolate_cpusets_is_read_in_every_spelling,
	  the_last_line_wins_in_whatever_section,
	  the_mode_of_cgroups_is_read_in_small_letters,
	  a_service_conf_like_the_shipped_one_isolates,
	  a_ready_container_is_ready,
	  a_joining_container_is_not_ready_although_its_state_says_so,
	  a_stopped_container_says_why,
	  the_columns_of_the_6x_command_line_are_understood,
	  a_status_in_one_word_is_the_health,
	  an_answer_that_is_no_list_is_an_error, two_frontends_have_two_cores,
	  an_automatic_core_has_no_number,
	  resources_are_found_by_container_and_with_typed_ids,
	  resources_as_the_api_shows_them_are_understood,
	  a_role_may_stand_alone, resources_without_nodes_are_an_error,
	  staged_resources_differ_by_cores_and_memory,
	  the_drivers_file_names_the_frontends, a_frontend_can_be_not_connected,
	  no_text_breaks_a_parser)
