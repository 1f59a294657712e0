/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When memory runs out, whoever asks for some is told: each allocation fails once,
 * the others do not, and at last none does. */
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/affinity.h"
#include "client/change.h"
#include "client/client.h"
#include "client/lustre/facts.h"
#include "client/lustre/lustre.h"
#include "client/lustre/param.h"
#include "client/mount_option.h"
#include "client/mounts.h"
#include "client/nfs/nfs.h"
#include "client/setting.h"
#include "client/type.h"
#include "client/weka/options.h"
#include "client/wire.h"
#include "lib/child.h"
#include "lib/comment.h"
#include "lib/core_map.h"
#include "lib/envelope.h"
#include "lib/fileio.h"
#include "lib/finding.h"
#include "lib/gatefile.h"
#include "lib/journal.h"
#include "lib/js1.h"
#include "lib/json.h"
#include "lib/json_tree.h"
#include "lib/look.h"
#include "lib/node.h"
#include "lib/record.h"
#include "lib/run.h"
#include "lib/sysfs.h"
#include "lib/tally.h"
#include "lib/use.h"
#include "lib/version.h"
#include "tests/machines/machines.h"
#include "tests/unit/allocations.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct err err;

/* It fails exactly when an allocation does, and keeps nothing; there are so many at least. Check needs
 * some, too: nothing is asserted meanwhile. */
static void expect_told(int (*fn)(void), int least)
{
	int failures, rc = -1;
	long before, kept;

	for (failures = 0; rc < 0; failures++) {
		has_failed = false;
		before = allocations_kept;
		allocations_left = failures + 1;
		rc = fn();
		allocations_left = 0;
		kept = allocations_kept - before;
		ck_assert_msg(kept <= 0, "allocation %d: %ld kept",
			      failures + 1, kept);
		ck_assert_msg((rc < 0) == has_failed, "allocation %d: %s",
			      failures + 1,
			      has_failed ? "nobody is told" : err.text);
	}
	ck_assert_int_ge(failures - 1, least);
}

/* ---- lib ------------------------------------------------------------------------ */

static int put_into_envelope(void)
{
	static const char *const nonces[] = { "0123" };
	char *text = envelope_make(nonces, 1, "{}");
	int rc = text ? 0 : -1;

	free(text);
	return rc;
}

static int read_file(void)
{
	char *text = fileio_read(tempdir_path("large"), 20000, NULL, &err);
	int rc = text ? 0 : -1;

	free(text);
	return rc;
}

static int add_findings(void)
{
	struct findings findings = { 0 }, all = { 0 };
	int rc = findings_add(&findings, "A", FINDING_INFO, NULL, "a");

	if (rc == 0)
		rc = findings_append(&all, &findings);
	findings_free(&findings);
	findings_free(&all);
	return rc;
}

static int plan_in_journal(void)
{
	static const struct journal_change change = {
		.client = (char *)"c",
		.what = (char *)"w",
		.target = (char *)"t",
		.old_value = (char *)"a",
		.new_value = (char *)"b",
	};
	struct journal *journal = journal_open(tempdir_path("journal"), &err);
	int rc = journal && !journal_is_damaged(journal) ? 0 : -1;

	if (rc == 0)
		rc = journal_plan(journal, &change, &err);
	if (rc > 0)
		rc = journal_mark(journal, (unsigned int)rc, JOURNAL_DONE,
				  &err);
	journal_close(journal);
	remove(tempdir_path("journal"));
	return rc;
}

static int read_journal(void)
{
	struct journal *journal = journal_scratch(tempdir_path("kept"), &err);
	int rc = journal && !journal_is_damaged(journal) ? 0 : -1;

	if (rc == 0 && journal_count(journal) != 2)
		abort();
	journal_close(journal);
	return rc;
}

/* gzip of {"nodes":{},"total_time":61,"gpus":0}, by python's gzip, mtime 0 */
#define JS1                                                                    \
	"JS1:H4sIAAAAAAACA6tWystPSS1Wsqqu1VEqyS9JzIkvycxNVbIyM9RRSi8oBc"       \
	"oY1AIAVjpCiyUAAAA="

static int merge_js1(void)
{
	char *merged = NULL;
	int rc = js1_merge(JS1, "jobio/1 nodes=1/1", &merged, &err);

	free(merged);
	return rc;
}

static int read_json(void)
{
	static const char text[] = "{\"a\":[1,2,{\"b\":\"\303\244\"}]}";
	struct json_tree *tree =
		json_tree_new_slow(text, strlen(text), 8, &err);
	int rc = tree ? 0 : -1;

	json_tree_free(tree);
	return rc;
}

/* More numbers than are kept at one place. */
static int read_long_list(void)
{
	char text[700] = "{\"a\":[0";
	struct json_tree *tree;
	int i, rc;

	for (i = 0; i < 300; i++)
		strcat(text, ",1");
	strcat(text, "]}");
	tree = json_tree_new_slow(text, strlen(text), 8, &err);
	rc = tree ? 0 : -1;
	if (tree &&
	    json_node_member(json_tree_top(tree), "a")->list.count != 301)
		abort();
	json_tree_free(tree);
	return rc;
}

/* Of a machine with two kinds of cores. */
static int load_map(void)
{
	struct core_map_options options = { .xml = tempdir_path("m.xml"),
					    .slurm_version =
						    VERSION_OF(24, 11, 0) };
	struct core_map *map = core_map_load(&options, &err);
	int rc = map ? 0 : -1;

	if (map && core_map_core_count(map) != 2)
		abort();
	core_map_free(map);
	return rc;
}

static int read_map(void)
{
	struct core_map *map = core_map_parse(
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3", &err);
	char *text = map ? core_map_format(map) : NULL;
	int rc = text ? 0 : -1;

	free(text);
	core_map_free(map);
	return rc;
}

static int read_node_line(void)
{
	struct findings findings = { 0 };
	struct node node;
	int rc;

	node_init(&node);
	rc = node_line_parse(&node, "CPUs=4", &findings, &err);
	findings_free(&findings);
	return rc;
}

static int fill_record(void)
{
	struct record *r = record_new();
	struct cpuset cpus = { { 1 } };
	struct record_io io;
	int rc = -1;

	if (!r)
		return -1;
	record_io_init(&io);
	io.fs = (char *)"/a";
	if (record_add_client(r, "c", "nfs", "4", "1") == 0 &&
	    record_set_cards(r, "ib0", &cpus) == 0 &&
	    record_add_mount(r, "/a", "nfs", "s") == 0 &&
	    record_add_change(r, "c", "w", "t", "a", "b", 1, 1) == 0 &&
	    record_add_finding(r, "A", "info", "a", "b") == 0 &&
	    record_add_part(r, 0, 0, &cpus) == 0 &&
	    record_set_job_cpus(r, &cpus) == 0 &&
	    record_set_io_cores(r, &cpus, &cpus) == 0 &&
	    record_set(&r->refused, "no") == 0 && record_add_app(r, &io) == 0 &&
	    record_add_wire(r, &io) == 0)
		rc = 0;
	record_free(r);
	return rc;
}

static struct record *kept_record;

static int add_lines(void)
{
	struct run_lines *lines = run_lines_new(&kept_record, 1);
	int rc = lines ? 0 : -1;

	run_lines_free(lines);
	return rc;
}

static int add_tally(void)
{
	struct tally *tally = tally_new();
	struct use use;
	int rc;

	use_init(&use);
	use.cluster = "c";
	use.user = "u";
	use.warned = 1;
	strcpy(use.advice, "A01");
	use.fs[0] = (struct use_fs){ "/a", "nfs", 1, 2, 3, 4 };
	use.fs_count = 1;
	rc = tally ? tally_add(tally, &use) : -1;
	tally_free(tally);
	return rc;
}

static struct json_object *kept_tally;

static int join_tally(void)
{
	struct tally *tally = tally_new();
	int rc = tally ? tally_join(tally, kept_tally) : -1;

	tally_free(tally);
	return rc;
}

static int load_config(void)
{
	struct config *config = config_load(tempdir_path("conf"), &err);
	int rc = config ? 0 : -1;

	config_free(config);
	return rc;
}

static int write_gate(void)
{
	struct gatefile gate = { .policy = GATE_WARN };

	return gatefile_write(tempdir_path("gate"), &gate, &err);
}

static int put_comment(void)
{
	char *text = comment_with("a", "jobio/1 a=1", &err);
	int rc = text ? 0 : -1;

	free(text);
	return rc;
}

static int take_look(void)
{
	struct looks looks = { 0 };
	int rc = looks_take(&looks, "@jobio/1 r 1 2 1 1 n1 text");

	if (rc > 0)
		rc = looks_take(&looks, "@jobio/1 r 1 2 1 1 n2 text");
	looks_free(&looks);
	return rc;
}

static int run_child(void)
{
	char *argv[] = { "/bin/sh", "-c", "head -c 9000 /dev/zero", NULL };
	struct child_result result;
	int rc = child_run(argv, NULL, 20000, &result, &err);

	if (rc == 0)
		child_result_free(&result);
	return rc;
}

/* Its end is waited for, and not that of its pipes. */
static int run_daemon(void)
{
	char *argv[] = { "/bin/sh", "-c", "sleep 0.5 &", NULL };
	struct child_result result;
	int rc = child_run(argv, NULL, 20000, &result, &err);

	if (rc == 0)
		child_result_free(&result);
	return rc;
}

START_TEST(whoever_reads_or_keeps_something_is_told)
{
	char large[9001];

	tempdir_make();
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	tempdir_put("large", large);
	tempdir_put("conf", "[jobio]\ngate = warn\n"
			    "[client w]\ntype = weka\nmounts = /w\n"
			    "[client n]\ntype = nfs\nmounts = /n\n"
			    "[profile p]\nmount_options = noatime\n");
	tempdir_put("kept", "{\"seq\":1,\"client\":\"w\",\"what\":\"x\","
			    "\"target\":\"y\",\"old\":\"1\",\"new\":\"z\","
			    "\"state\":\"planned\"}\n"
			    "{\"seq\":2,\"client\":\"w\",\"what\":\"x\","
			    "\"target\":\"z\",\"old\":\"1\",\"new\":\"z\","
			    "\"state\":\"planned\"}\n");
	expect_told(put_into_envelope, 1);
	expect_told(read_file, 3);
	expect_told(add_findings, 2);
	expect_told(plan_in_journal, 9);
	expect_told(read_journal, 8);
	expect_told(merge_js1, 5);
	expect_told(read_json, 3);
	expect_told(read_long_list, 4);
	expect_told(read_map, 5);
	ck_assert_int_eq(
		machines_write(tempdir_put("table",
					   "machine m\n"
					   "\tkind 0-1 CoreType=IntelCore\n"
					   "\tkind 2 CoreType=IntelAtom\n"
					   "\tnuma 0\n\tpackage 0\n"
					   "\t\tcore 0-2 pu 0-2\n"),
			       "m", tempdir_path("m.xml"), &err),
		0);
	if (HWLOC_API_VERSION > 0x00020401)
		expect_told(load_map, 8);
	expect_told(read_node_line, 1);
	expect_told(load_config, 30);
	expect_told(put_comment, 1);
	expect_told(write_gate, 2);
	expect_told(take_look, 4);
	tempdir_remove();
}
END_TEST

/* Alone: where gcov counts, the child needs memory, too. */
START_TEST(whoever_runs_a_program_is_told)
{
	expect_told(run_child, 3);
	expect_told(run_daemon, 2);
}
END_TEST

START_TEST(whoever_fills_a_record_or_adds_some_up_is_told)
{
	struct record_io io;
	struct tally *tally;
	struct use use;

	expect_told(fill_record, 25);
	record_io_init(&io);
	kept_record = record_new();
	record_add_app(kept_record, &io);
	record_add_wire(kept_record, &io);
	expect_told(add_lines, 3);
	record_free(kept_record);
	expect_told(add_tally, 20);
	tally = tally_new();
	use_init(&use);
	use.refused = 1;
	ck_assert_int_eq(tally_add(tally, &use), 0);
	kept_tally = json_parse("{}");
	tally_json(tally, kept_tally);
	expect_told(join_tally, 15);
	free(json_line_put(kept_tally));
	tally_free(tally);
}
END_TEST

/* ---- client ---------------------------------------------------------------------- */

static int read_mounts(void)
{
	struct mounts *mounts = mounts_parse("s:/a /a nfs rw 0 0\n"
					     "s:/b /b nfs rw 0 0\n",
					     "nfs", &err);
	int rc = mounts ? 0 : -1;

	mounts_free(mounts);
	return rc;
}

static int carry_wire(void)
{
	struct wire *wire = wire_new(&err), *again = NULL;
	char *text = NULL;
	int rc;

	if (wire && wire_row(wire, "x"))
		text = wire_text(wire, &err);
	if (text)
		again = wire_parse(text, &err);
	rc = again ? 0 : -1;
	free(text);
	wire_free(wire);
	wire_free(again);
	return rc;
}

static char mount_table[512], then[512], now[512];
static struct config_client section = { .name = (char *)"c",
					.type = CLIENT_NFS,
					.mounts = (char *)"",
					.mount_table = mount_table };

static int open_client(void)
{
	struct client *client = client_open(&section, NULL, NULL, &err);
	int rc = client ? 0 : -1;

	client_close(client);
	return rc;
}

/* Of a step of 60 s, which has a mount of its own. */
static int add_own(void)
{
#define OWN(age)                                                               \
	"40 1 0:60 / /m rw - nfs4 s:/m rw\n"                                   \
	"device s:/m mounted on /m with fstype nfs4 statvers=1.1\n"            \
	"\tage:\t" age "\n\tbytes:\t0 0 0 0 1 1 0 0\n"
	char *step =
		(char *)"own 1\nbegin 100\n" OWN("7") "end 160\n" OWN("67");
	struct config_client nfs = section;
	struct client *client;
	struct client_wire wire;
	int rc = -1;

	nfs.mount_table = then; /* none that is NFS, in this form */
	nfs.mountinfo = now;
	nfs.mountstats = now;
	nfs.timeout_ms = 1000;
	client = client_open(&nfs, NULL, NULL, &err);
	if (client)
		rc = client_wire_own(client, NULL, &step, 1, &wire, &err);
	if (rc == 0 && wire.line_count != 1)
		abort();
	client_close(client);
	return rc;
}

static int look_for_late_mounts(void)
{
	struct client_moments moments = { .then = then, .now = now };
	struct client *client = client_open(&section, NULL, NULL, &err);
	int rc = client ? client_mounted_since(client, &moments, &err) : -1;

	client_close(client);
	if (!rc) /* it is late */
		abort();
	return rc;
}

static int plan_change(void)
{
	static const struct change_kind kind = { .name = "k" };
	struct client_plan *plan = NULL;
	struct client client = { .section = &section };
	int rc = -1;

	plan = calloc(1, sizeof(*plan));
	if (plan)
		rc = change_add(plan, &client, &kind, "t", "a", "b", &err);
	if (plan)
		change_clear(plan);
	free(plan);
	return rc;
}

/* It is planned, or there was no memory: nobody takes it for a profile that asks for
 * nothing. */
static int plan_profile(void)
{
	struct config_client weka = section;
	struct client_want want = { .mount_options = "forcedirect,noatime",
				    .alone = true };
	struct client_plan *plan = calloc(1, sizeof(*plan));
	struct findings findings = { 0 };
	struct client *client;
	int rc = -1;

	weka.type = CLIENT_WEKA;
	client = client_open(&weka, NULL, NULL, &err);
	if (plan && client && mounts_reread(client, &err) == 0)
		rc = setting_plan(&weka_mount_option, client, &want, plan,
				  &findings, &err);
	if (rc == 0 &&
	    (findings.count || plan->count != 1 ||
	     strcmp(plan->change[0].old_value, "writecache,relatime") != 0))
		abort();
	if (plan)
		change_clear(plan);
	free(plan);
	client_close(client);
	return rc;
}

/* It moves, or is said to stay. */
static int plan_affinity(void)
{
	struct config_client nfs = section;
	struct client client = { .type = &nfs_type, .section = &nfs };
	struct client_want want = { .alone = true,
				    .has_io_cores = true,
				    .io_cores = 1,
				    .io_cpus = { { 2 } } };
	struct client_plan *plan = calloc(1, sizeof(*plan));
	struct findings findings = { 0 };
	int rc = -1;

	nfs.core_change = CORE_CHANGE_AFFINITY;
	nfs.unbound_workqueues = WORKQUEUES_ALL;
	if (plan)
		rc = affinity_workqueue.plan(&affinity_workqueue, &client,
					     &want, plan, &findings, &err);
	if (rc == 0 && !plan->count)
		rc = findings.count && has_failed ? -1 : 0;
	else if (rc == 0 && strcmp(plan->change[0].new_value, "*=1") != 0)
		abort();
	if (plan)
		change_clear(plan);
	free(plan);
	findings_free(&findings);
	return rc;
}

static int compose_remount(void)
{
	char *list = mount_option_remount(
		&weka_options, "rw,writecache,relatime", "forcedirect");
	int rc = list ? 0 : -1;

	if (list && strcmp(list, "remount,rw,relatime,forcedirect") != 0)
		abort();
	free(list);
	return rc;
}

static int compose_mount(void)
{
	char *list = weka_mount_options("rw,writecache", "nosuid,core=1");
	int rc = list ? 0 : -1;

	if (list && strcmp(list, "rw,writecache,nosuid") != 0)
		abort();
	free(list);
	return rc;
}

static int take_lustre(void)
{
	static struct lustre_facts facts;
	int rc = lustre_facts_take(&facts, "instance work-1 64 64 0 1\n"
					   "instance work-2 64 64 0 1\n"
					   "target 1 0 work-1 FULL 1 8 256 1 "
					   "4194304 8\n"
					   "target 1 1 work-1 FULL 1 8 256 1 "
					   "4194304 8\n");

	if (rc == 0 && (facts.instance_count != 2 || facts.target_count != 2))
		abort();
	lustre_facts_clear(&facts);
	return rc;
}

static int compose_parameters(void)
{
	static struct config_client lustre;
	static struct lustre_facts facts;
	static const struct client client = { .type = &lustre_type,
					      .section = &lustre,
					      .facts = &facts };
	static const struct tree_device device = { .name = "a-1",
						   .kind = TREE_LLITE };
	char *was, *becomes, lacking[SETTING_WORD_MAX];
	int rc;

	lustre.sys_dir = tempdir_name;
	lustre.debug_dir = lustre.procfs_dir = mount_table; /* no folder */
	rc = param_compose(&client, &device, "llite.hybrid_io=0", &was,
			   &becomes, lacking);
	if (rc < 0)
		return rc;
	if (strcmp(was, "hybrid_io=1") || strcmp(becomes, "hybrid_io=0"))
		abort();
	free(was);
	free(becomes);
	return 0;
}

static int type_command(void)
{
	struct client_place place = { .card = "" };
	char *text;
	int rc;

	cpuset_add(&place.ids, 3);
	text = client_cores_command("weka", &place);
	rc = text ? 0 : -1;
	free(text);
	return rc;
}

START_TEST(whoever_looks_at_a_client_is_told)
{
	tempdir_make();
	snprintf(mount_table, sizeof(mount_table), "%s",
		 tempdir_put("mounts",
			     "s:/a /a nfs rw 0 0\n"
			     "w/a /w wekafs rw,writecache,relatime 0 0\n"));
	snprintf(then, sizeof(then), "%s",
		 tempdir_put("then", "20 1 8:1 / / rw - ext4 /dev/sda rw\n"
				     "30 1 0:50 / /b rw - nfs s:/b rw\n"));
	snprintf(now, sizeof(now), "%s",
		 tempdir_put("now", "20 1 8:1 / / rw - ext4 /dev/sda rw\n"
				    "30 1 0:51 / /a rw - nfs s:/a rw\n"));
	sysfs_set_root(tempdir_name);
	tempdir_put("devices/virtual/workqueue/cpumask", "ff\n");
	tempdir_put("llite/a-1/hybrid_io", "1\n");
	expect_told(read_mounts, 10);
	expect_told(carry_wire, 3);
	expect_told(open_client, 2);
	expect_told(look_for_late_mounts, 12);
	expect_told(plan_change, 6);
	expect_told(plan_profile, 12);
	expect_told(plan_affinity, 6);
	expect_told(compose_remount, 4);
	expect_told(compose_mount, 3);
	expect_told(add_own, 10);
	expect_told(take_lustre, 4);
	expect_told(compose_parameters, 2);
	expect_told(type_command, 1);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("memory", whoever_reads_or_keeps_something_is_told,
	  whoever_runs_a_program_is_told,
	  whoever_fills_a_record_or_adds_some_up_is_told,
	  whoever_looks_at_a_client_is_told)
