/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices of a Lustre client in the three folders that may show them, their files,
 * and what a profile's parameters change on one. Writing: test_lustre.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/lustre/facts.h"
#include "client/lustre/lustre.h"
#include "client/lustre/param.h"
#include "client/lustre/tree.h"
#include "tests/unit/lustre_dirs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define INSTANCE "work-ffff9a2c41d08000"
#define OST(n) "work-OST000" #n "-osc-ffff9a2c41d08000"
#define MDT0 "work-MDT0000-mdc-ffff9a2c41d08000"

static struct lustre_facts facts;
static struct config_client section;
static struct client_mount mounts[] = {
	{ .source = (char *)"a@tcp:/work/sub", .target = (char *)"/mnt/work" },
	{ .source = (char *)"/dev/sdc", .target = (char *)"/mnt/ost" },
	{ .source = (char *)"b@tcp:/my-home", .target = (char *)"/home" },
};
static struct client client = { .type = &lustre_type,
				.section = &section,
				.facts = &facts,
				.common = { .mounts = mounts, .mount_count = 3 } };
static struct err err;

static void begin(void)
{
	lustre_dirs(&section);
}

/* ---- names --------------------------------------------------------------------- */

START_TEST(targets_and_filesystems_have_names)
{
	struct tree_device device = { .kind = TREE_OSC, .index = 26 };
	char text[16], name[TREE_NAME_MAX];

	ck_assert_str_eq(tree_target(&device, text), "OST001a");
	device.kind = TREE_MDC;
	device.index = 0;
	ck_assert_str_eq(tree_target(&device, text), "MDT0000");
	device.kind = TREE_LLITE;
	ck_assert_str_eq(tree_target(&device, text), "");
	ck_assert_str_eq(tree_folder(TREE_LLITE), "llite");
	ck_assert_str_eq(tree_folder(TREE_MDC), "mdc");
	ck_assert_str_eq(tree_folder(TREE_OSC), "osc");
	ck_assert_str_eq(tree_filesystem("my-home-ffff9a2c41d08000", name), "my-home");
	ck_assert_str_eq(tree_filesystem("work", name), "work");
}
END_TEST

START_TEST(a_clients_mount_has_a_filesystem_behind_its_servers)
{
	char source[200] = "a@tcp:/";

	ck_assert(tree_is_client("a@tcp:/w"));
	ck_assert(tree_is_client("a@tcp:b@o2ib:/work/sub"));
	ck_assert(!tree_is_client("/dev/sdc"));
	ck_assert(!tree_is_client("a@tcp:/"));
	ck_assert(!tree_is_client("a@tcp://work"));
	/* names have as much room as half of a device's */
	memset(source + 7, 'x', TREE_NAME_MAX / 2);
	ck_assert(!tree_is_client(source));
	source[7 + TREE_NAME_MAX / 2 - 1] = '\0';
	ck_assert(tree_is_client(source));
}
END_TEST

START_TEST(a_number_is_what_a_text_begins_with)
{
	ck_assert_int_eq(tree_digits("64.00"), 64);
	ck_assert_int_eq(tree_digits("0 (all)"), 0);
	ck_assert_int_eq(tree_digits("09"), 9);
	ck_assert_int_eq(tree_digits("off"), -1);
	ck_assert_int_eq(tree_digits(""), -1);
	ck_assert_int_eq(tree_digits("-1"), -1);
	ck_assert_int_eq(tree_digits("-7"), -1);
	ck_assert_int_eq(tree_digits("99999999999999999999"), -1);
}
END_TEST

/* ---- devices ------------------------------------------------------------------- */

/* "NAME of INSTANCE;" of each. */
static const char *devices(void)
{
	static char text[2000];
	struct tree *tree = tree_read(&client, &err);
	const struct tree_device *device;
	size_t i;

	*text = '\0';
	for (i = 0; tree && i < tree->count; i++) {
		device = &tree->device[i];
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s of %s;",
			 device->name, device->instance);
		ck_assert_int_eq(device->tracked, TREE_UNREAD);
		if (device->kind == TREE_LLITE)
			ck_assert_uint_eq(device->index, 0);
	}
	tree_free(tree);
	return text;
}

START_TEST(devices_are_read_by_kind_and_name)
{
	begin();
	tempdir_put("sys/osc/" OST(3) "/x", "");
	tempdir_put("sys/osc/" OST(1) "/x", "");
	tempdir_put("sys/osc/" OST(2) "/x", "");
	tempdir_put("sys/osc/my-home-OST000b-osc-ffff9a2c41d09000/x", "");
	tempdir_put("sys/osc/other-OST0000-osc-ffff9a2c41d08000/x", "");
	tempdir_put("sys/mdc/" MDT0 "/x", "");
	tempdir_put("sys/mdc/" OST(0) "/x", "");
	tempdir_put("sys/llite/" INSTANCE "/x", "");
	tempdir_put("sys/llite/my-home-ffff9a2c41d09000/x", "");
	tempdir_put("sys/llite/other-ffff9a2c41d09000/x", "");
	ck_assert_str_eq(devices(),
			 "my-home-ffff9a2c41d09000 of my-home-ffff9a2c41d09000;" INSTANCE
			 " of " INSTANCE ";" MDT0 " of " INSTANCE
			 ";my-home-OST000b-osc-ffff9a2c41d09000 of my-home-ffff9a2c41d09000;" OST(
				 1) " of " INSTANCE ";" OST(2) " of " INSTANCE
							       ";" OST(3) " of " INSTANCE ";");
	tempdir_remove();
}
END_TEST

START_TEST(each_kind_of_device_may_be_below_procfs)
{
	begin();
	tempdir_put("proc/llite/" INSTANCE "/x", "");
	tempdir_put("proc/osc/" OST(1) "/x", "");
	tempdir_put("sys/mdc/" MDT0 "/x", "");
	ck_assert_int_eq(mkdir(tempdir_path("sys/llite"), 0700), 0);
	/* what sysfs has is not looked for in procfs */
	tempdir_put("proc/mdc/work-MDT0001-mdc-ffff9a2c41d08000/x", "");
	ck_assert_str_eq(devices(), INSTANCE " of " INSTANCE ";" MDT0 " of " INSTANCE
					     ";" OST(1) " of " INSTANCE ";");
	tempdir_remove();
}
END_TEST

START_TEST(without_an_instance_there_is_no_mount)
{
	char why[1200];

	begin();
	snprintf(why, sizeof(why), "neither %s nor %s shows a mount of this filesystem",
		 section.sys_dir, section.procfs_dir);
	tempdir_put("sys/osc/" OST(1) "/x", "");
	ck_assert_ptr_null(tree_read(&client, &err));
	ck_assert_str_eq(err.text, why);
	*err.text = '\0';
	tempdir_put("sys/llite/other-ffff9a2c41d09000/x", "");
	unlink(tempdir_path("sys/osc/" OST(1) "/x"));
	rmdir(tempdir_path("sys/osc/" OST(1)));
	ck_assert_ptr_null(tree_read(&client, &err));
	ck_assert_str_eq(err.text, why);
	*err.text = '\0';
	ck_assert_int_eq(mkdir(tempdir_path("proc"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("proc/llite"), 0700), 0);
	ck_assert_ptr_null(tree_read(&client, &err));
	ck_assert_str_eq(err.text, why);
	tree_free(NULL);
	tempdir_remove();
}
END_TEST

START_TEST(names_that_end_in_an_address_are_devices)
{
	begin();
	tempdir_put("sys/llite/work-1234567/x", "");
	tempdir_put("sys/llite/work-12345678/x", "");
	tempdir_put("sys/llite/work-0123456789abcdef/x", "");
	tempdir_put("sys/llite/work-0123456789abcdef0/x", "");
	tempdir_put("sys/llite/work-1234567g/x", "");
	tempdir_put("sys/llite/work/x", "");
	ck_assert_str_eq(
		devices(),
		"work-0123456789abcdef of work-0123456789abcdef;work-12345678 of work-12345678;");
	tempdir_remove();
}
END_TEST

/* ---- files --------------------------------------------------------------------- */

static void put(const char *folder, const char *device, const char *key, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/%s/%s/%s", folder, device, key);
	tempdir_put(path, value);
}

/* The parameter's first line; "": it is not there. */
static const char *line_of(const char *folder, const char *param)
{
	static char line[100];

	if (tree_line(&section, folder, OST(0), param, line, sizeof(line)) < 0)
		*line = '\0';
	return line;
}

START_TEST(a_file_is_found_in_each_of_the_folders)
{
	char path[TREE_PATH_MAX];

	begin();
	ck_assert_int_eq(tree_path(&section, "osc", OST(0), "p", path), -1);
	ck_assert_int_eq(errno, ENOENT);
	tempdir_put("proc/osc/" OST(0) "/p", "in procfs\n");
	ck_assert_int_eq(tree_path(&section, "osc", OST(0), "p", path), 0);
	ck_assert_str_eq(path, tempdir_path("proc/osc/" OST(0) "/p"));
	ck_assert_str_eq(line_of("osc", "p"), "in procfs");
	tempdir_put("debug/osc/" OST(0) "/q", "in debugfs\nmore\n");
	ck_assert_int_eq(tree_path(&section, "osc", OST(0), "q", path), 0);
	ck_assert_str_eq(path, tempdir_path("debug/osc/" OST(0) "/q"));
	ck_assert_str_eq(line_of("osc", "q"), "in debugfs");
	tempdir_put("sys/osc/" OST(0) "/r", "in sysfs");
	ck_assert_int_eq(tree_path(&section, "osc", OST(0), "r", path), 0);
	ck_assert_str_eq(path, tempdir_path("sys/osc/" OST(0) "/r"));
	ck_assert_str_eq(line_of("osc", "r"), "in sysfs");
	/* a file where a folder should be is no folder */
	tempdir_put("sys/mdc", "");
	tempdir_put("proc/mdc/" OST(0) "/s", "7 and more\n");
	ck_assert_int_eq(tree_path(&section, "mdc", OST(0), "s", path), 0);
	ck_assert_str_eq(line_of("mdc", "s"), "7 and more");
	ck_assert_int_eq(tree_number(&section, "mdc", OST(0), "s"), 7);
	ck_assert_int_eq(tree_number(&section, "mdc", OST(0), "t"), -1);
	tempdir_remove();
}
END_TEST

START_TEST(what_has_many_lines_is_looked_for_in_debugfs_first)
{
	static const char *const of_lines[] = { "stats", "import", "state" };
	static const char *const of_one[] = { "active", "checksums" };
	char path[200];
	size_t i;

	begin();
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "sys/osc/" OST(0) "/%s", of_lines[i]);
		tempdir_put(path, "in sysfs\n");
		snprintf(path, sizeof(path), "debug/osc/" OST(0) "/%s", of_lines[i]);
		tempdir_put(path, "in debugfs\n");
		ck_assert_str_eq(line_of("osc", of_lines[i]), "in debugfs");
	}
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "sys/osc/" OST(0) "/%s", of_one[i]);
		tempdir_put(path, "in sysfs\n");
		snprintf(path, sizeof(path), "debug/osc/" OST(0) "/%s", of_one[i]);
		tempdir_put(path, "in debugfs\n");
		ck_assert_str_eq(line_of("osc", of_one[i]), "in sysfs");
	}
	tempdir_remove();
}
END_TEST

START_TEST(a_parameter_is_looked_for_where_another_device_has_it)
{
	char line[100];

	begin();
	tempdir_put("debug/osc/" OST(0) "/active", "in debugfs\n");
	ck_assert_str_eq(line_of("osc", "active"), "in debugfs");
	tempdir_put("sys/osc/" OST(1) "/active", "in sysfs\n");
	tempdir_put("debug/osc/" OST(1) "/active", "in debugfs\n");
	ck_assert_int_eq(tree_line(&section, "osc", OST(1), "active", line, sizeof(line)), 0);
	ck_assert_str_eq(line, "in debugfs");
	/* and elsewhere where that one alone has it there */
	unlink(tempdir_path("debug/osc/" OST(1) "/active"));
	ck_assert_int_eq(tree_line(&section, "osc", OST(1), "active", line, sizeof(line)), 0);
	ck_assert_str_eq(line, "in sysfs");
	tempdir_remove();
}
END_TEST

START_TEST(what_does_not_fit_or_cannot_be_read_is_an_error)
{
	char text[8];

	begin();
	tempdir_put("sys/osc/" OST(0) "/seven", "123456\n");
	tempdir_put("sys/osc/" OST(0) "/eight", "1234567\n");
	tempdir_put("sys/osc/" OST(0) "/lines", "1\n23456789\n");
	tempdir_put("sys/osc/" OST(0) "/folder/x", "");
	ck_assert_int_eq(tree_line(&section, "osc", OST(0), "seven", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "123456");
	ck_assert_int_eq(tree_line(&section, "osc", OST(0), "lines", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "1");
	ck_assert_int_eq(tree_line(&section, "osc", OST(0), "eight", text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(tree_text(&section, "osc", OST(0), "lines", text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EFBIG);
	tempdir_put("sys/osc/" OST(0) "/lines", "1\n2\n3\n");
	ck_assert_int_eq(tree_text(&section, "osc", OST(0), "lines", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "1\n2\n3\n");
	ck_assert_int_eq(tree_text(&section, "osc", OST(0), "folder", text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_int_eq(tree_text(&section, "osc", OST(0), "none", text, sizeof(text)), -1);
	ck_assert_int_eq(errno, ENOENT);
	tempdir_remove();
}
END_TEST

/* A link to itself leads nowhere, and is there. */
START_TEST(a_file_that_is_there_and_cannot_be_opened_is_told)
{
	char path[TREE_PATH_MAX];

	begin();
	tempdir_put("sys/osc/" OST(0) "/x", "");
	ck_assert_int_eq(symlink("p", tempdir_path("sys/osc/" OST(0) "/p")), 0);
	ck_assert_int_eq(tree_path(&section, "osc", OST(0), "p", path), -1);
	ck_assert_int_eq(errno, ELOOP);
	ck_assert_str_eq(line_of("osc", "p"), "");
	ck_assert_int_eq(errno, ELOOP);
	tempdir_remove();
}
END_TEST

START_TEST(what_is_of_the_node_is_in_sysfs_or_procfs)
{
	char line[100], path[TREE_PATH_MAX];

	begin();
	ck_assert_int_eq(tree_global_line(&section, "version", line, sizeof(line)), -1);
	ck_assert_int_eq(tree_global(&section, "version", path), -1);
	tempdir_put("proc/version", "lustre: 2.10\n");
	ck_assert_int_eq(tree_global_line(&section, "version", line, sizeof(line)), 0);
	ck_assert_str_eq(line, "lustre: 2.10");
	ck_assert_int_eq(tree_global(&section, "version", path), 0);
	ck_assert_str_eq(path, tempdir_path("proc/version"));
	tempdir_put("sys/version", "2.17\n");
	ck_assert_int_eq(tree_global_line(&section, "version", line, sizeof(line)), 0);
	ck_assert_str_eq(line, "2.17");
	ck_assert_int_eq(tree_global(&section, "version", path), 0);
	ck_assert_str_eq(path, tempdir_path("sys/version"));
	/* one that is there and cannot be read is not another's */
	tempdir_put("proc/folder", "of procfs\n");
	ck_assert_int_eq(mkdir(tempdir_path("sys/folder"), 0700), 0);
	ck_assert_int_eq(tree_global_line(&section, "folder", line, sizeof(line)), -1);
	tempdir_remove();
}
END_TEST

/* ---- parameters ---------------------------------------------------------------- */

START_TEST(values_have_bounds)
{
	static const struct {
		const char *key;
		unsigned long min, max;
	} row[] = {
		{ "llite.max_read_ahead_mb", 0, 1048576 },
		{ "llite.max_read_ahead_per_file_mb", 0, 1048576 },
		{ "llite.max_read_ahead_whole_mb", 0, 1048576 },
		{ "llite.max_cached_mb", 64, 16777216 },
		{ "llite.statahead_max", 0, 2048 },
		{ "llite.hybrid_io", 0, 1 },
		{ "llite.hybrid_io_read_threshold_bytes", 4096, 1073741824 },
		{ "llite.hybrid_io_write_threshold_bytes", 4096, 1073741824 },
		{ "llite.parallel_dio", 0, 1 },
		{ "llite.unaligned_dio", 0, 1 },
		{ "mdc.max_pages_per_rpc", 1, 16384 },
		{ "mdc.max_rpcs_in_flight", 2, 256 },
		{ "mdc.max_mod_rpcs_in_flight", 1, 255 },
		{ "mdc.max_dirty_mb", 1, 2047 },
		{ "mdc.checksums", 0, 1 },
		{ "mdc.lru_max_age", 1000, 86400000 },
		{ "osc.max_pages_per_rpc", 1, 16384 },
		{ "osc.max_rpcs_in_flight", 1, 256 },
		{ "osc.max_dirty_mb", 1, 2047 },
		{ "osc.checksums", 0, 1 },
		{ "osc.short_io_bytes", 0, 65536 },
		{ "osc.lru_max_age", 1000, 86400000 },
	};
	char value[32], why[120];
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(value, sizeof(value), "%lu", row[i].min);
		ck_assert_msg(!param_refusal(row[i].key, value), "%s", row[i].key);
		snprintf(value, sizeof(value), "%lu", row[i].max);
		ck_assert_msg(!param_refusal(row[i].key, value), "%s", row[i].key);
		snprintf(why, sizeof(why), "expected a number from %lu to %lu%s", row[i].min,
			 row[i].max, strstr(row[i].key, "pages") ? ", or mebibytes: 4M" : "");
		snprintf(value, sizeof(value), "%lu", row[i].max + 1);
		ck_assert_str_eq(param_refusal(row[i].key, value), why);
		snprintf(value, sizeof(value), "%ld", (long)row[i].min - 1);
		ck_assert_str_eq(param_refusal(row[i].key, value), why);
		ck_assert_str_eq(param_refusal(row[i].key, ""), why);
	}
}
END_TEST

START_TEST(pages_may_be_told_in_mebibytes)
{
	static const char why[] = "expected a number from 1 to 16384, or mebibytes: 4M";
	static const char *const wrong[] = { "M", "0M", "65M", "4m", "4K", "4MM", "-1M", "M4" };
	size_t i;

	ck_assert_ptr_null(param_refusal("osc.max_pages_per_rpc", "1M"));
	ck_assert_ptr_null(param_refusal("mdc.max_pages_per_rpc", "64M"));
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_str_eq(param_refusal("osc.max_pages_per_rpc", wrong[i]), why);
	ck_assert_ptr_nonnull(param_refusal("osc.max_dirty_mb", "4M"));
}
END_TEST

START_TEST(what_is_no_parameter_of_the_table_is_refused)
{
	static const char *const wrong[] = {
		"osc",
		"osc.",
		"os.checksums",
		"oscs.checksums",
		"lov.stripecount",
		"osc.checksum",
		"llite.checksums",
		"mdc.short_io_bytes",
		"",
		"osc.max_mod_rpcs_in_flight",
	};
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_str_eq(param_refusal(wrong[i], "1"), "not a parameter that jobio sets");
	ck_assert_ptr_null(param_refusal("jobid", ""));
	ck_assert_str_eq(param_refusal("jobid", "1"), "takes no value");
}
END_TEST

START_TEST(words_concern_their_kind_of_device)
{
	static const char words[] = "jobid,llite.hybrid_io=0,osc.checksums=0";

	ck_assert(param_concerns(words, TREE_LLITE));
	ck_assert(param_concerns(words, TREE_OSC));
	ck_assert(!param_concerns(words, TREE_MDC));
	ck_assert(!param_concerns("", TREE_OSC));
	ck_assert(!param_concerns("osc.none=0", TREE_OSC));
}
END_TEST

START_TEST(a_device_shows_what_it_has_of_the_table)
{
	char list[PARAM_LIST_MAX];

	begin();
	ck_assert_int_eq(param_now(&section, TREE_OSC, OST(0), list), -1);
	put("osc", OST(0), "checksums", "1\n");
	put("osc", OST(0), "max_dirty_mb", "2000 MB\n");
	put("osc", OST(0), "idle_timeout", "20\n");
	put("osc", OST(0), "short_io_bytes", "none\n");
	put("ldlm/namespaces", OST(0), "lru_max_age", "3900000\n");
	ck_assert_int_eq(param_now(&section, TREE_OSC, OST(0), list), 0);
	ck_assert_str_eq(list, "max_dirty_mb=2000,checksums=1,lru_max_age=3900000");
	ck_assert_int_eq(param_now(&section, TREE_MDC, MDT0, list), -1);
	put("llite", INSTANCE, "max_cached_mb", "users: 5\nmax_cached_mb: 64012\nused_mb: 900\n");
	put("llite", INSTANCE, "max_read_ahead_mb", "64\n");
	ck_assert_int_eq(param_now(&section, TREE_LLITE, INSTANCE, list), 0);
	ck_assert_str_eq(list, "max_read_ahead_mb=64,max_cached_mb=64012");
	tempdir_remove();
}
END_TEST

START_TEST(what_is_not_in_the_table_is_never_written)
{
	begin();
	put("osc", OST(0), "idle_timeout", "20\n");
	put("osc", OST(0), "checksums", "1\n");
	put("ldlm/namespaces", OST(0), "lru_max_age", "9\n");
	ck_assert_int_eq(param_write(&section, TREE_OSC, OST(0), "idle_timeout", "0"), -1);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_int_eq(param_write(&section, TREE_OSC, OST(1), "checksums", "0"), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(param_write(&section, TREE_OSC, OST(0), "checksums", "0"), 0);
	tempdir_expect("sys/osc/" OST(0) "/checksums", "0\n");
	ck_assert_int_eq(param_write(&section, TREE_OSC, OST(0), "lru_max_age", "5"), 0);
	tempdir_expect("sys/ldlm/namespaces/" OST(0) "/lru_max_age", "5\n");
	tempdir_expect("sys/osc/" OST(0) "/idle_timeout", "20\n");
	ck_assert_int_eq(param_put("/dev/full", "1"), -1);
	ck_assert_int_eq(errno, ENOSPC);
	ck_assert_int_eq(param_put("/nowhere/at/all", "1"), -1);
	ck_assert_int_eq(errno, ENOENT);
	tempdir_remove();
}
END_TEST

/* ---- what moves with what ----------------------------------------------------------- */

/* What these words change on a device: "old -> new", "" nothing, "lacks WORD". */
static const char *composed(enum tree_kind kind, const char *name, const char *words)
{
	struct tree_device device = { .kind = kind };
	char *old_list, *new_list, lacking[SETTING_WORD_MAX];
	static char text[1000];

	strcpy(device.name, name);
	strcpy(device.instance, INSTANCE);
	param_compose(&client, &device, words, &old_list, &new_list, lacking);
	*text = '\0';
	if (old_list)
		snprintf(text, sizeof(text), "%s -> %s", old_list, new_list);
	if (*lacking)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "lacks %s", lacking);
	free(old_list);
	free(new_list);
	return text;
}

static const char *of_llite(const char *words)
{
	return composed(TREE_LLITE, INSTANCE, words);
}

START_TEST(bounds_of_read_ahead_keep_their_order)
{
	begin();
	put("llite", INSTANCE, "max_read_ahead_mb", "64\n");
	put("llite", INSTANCE, "max_read_ahead_per_file_mb", "32\n");
	put("llite", INSTANCE, "max_read_ahead_whole_mb", "8\n");
	put("llite", INSTANCE, "statahead_max", "32\n");
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_mb=4"),
		"max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=4,max_read_ahead_per_file_mb=4,max_read_ahead_whole_mb=4");
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_mb=128"),
		"max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=128,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8");
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_whole_mb=7"),
		"max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=7");
	/* what is named has what it was named */
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_mb=4,llite.max_read_ahead_whole_mb=6"),
		"max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=4,max_read_ahead_per_file_mb=4,max_read_ahead_whole_mb=6");
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_mb=4,llite.max_read_ahead_per_file_mb=5"),
		"max_read_ahead_mb=64,max_read_ahead_per_file_mb=32,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=4,max_read_ahead_per_file_mb=5,max_read_ahead_whole_mb=5");
	/* what stands alone moves alone */
	ck_assert_str_eq(of_llite("llite.statahead_max=64"),
			 "statahead_max=32 -> statahead_max=64");
	ck_assert_str_eq(of_llite("llite.statahead_max=32"), "");
	ck_assert_str_eq(of_llite("osc.checksums=0"), "");
	tempdir_remove();
}
END_TEST

START_TEST(a_client_may_lack_a_parameter_or_some)
{
	begin();
	put("llite", INSTANCE, "max_read_ahead_mb", "64\n");
	put("llite", INSTANCE, "max_read_ahead_whole_mb", "8\n");
	ck_assert_str_eq(
		of_llite("llite.max_read_ahead_mb=4"),
		"max_read_ahead_mb=64,max_read_ahead_whole_mb=8 -> max_read_ahead_mb=4,max_read_ahead_whole_mb=8");
	ck_assert_str_eq(of_llite("llite.hybrid_io=0"), "lacks llite.hybrid_io");
	ck_assert_str_eq(of_llite("llite.parallel_dio=0,llite.hybrid_io=0"),
			 "lacks llite.parallel_dio");
	tempdir_remove();
}
END_TEST

static const char *of_mdt(const char *words)
{
	return composed(TREE_MDC, MDT0, words);
}

START_TEST(changes_in_flight_are_fewer_than_requests)
{
	begin();
	put("mdc", MDT0, "max_rpcs_in_flight", "8\n");
	put("mdc", MDT0, "max_mod_rpcs_in_flight", "7\n");
	put("mdc", MDT0, "checksums", "1\n");
	ck_assert_str_eq(
		of_mdt("mdc.max_rpcs_in_flight=4"),
		"max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=4,max_mod_rpcs_in_flight=3");
	ck_assert_str_eq(
		of_mdt("mdc.max_rpcs_in_flight=16"),
		"max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=16,max_mod_rpcs_in_flight=7");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=9"),
		"max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=10,max_mod_rpcs_in_flight=9");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=3"),
		"max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=8,max_mod_rpcs_in_flight=3");
	ck_assert_str_eq(
		of_mdt("mdc.max_rpcs_in_flight=4,mdc.max_mod_rpcs_in_flight=9"),
		"max_rpcs_in_flight=8,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=4,max_mod_rpcs_in_flight=9");
	tempdir_remove();
}
END_TEST

static void take(const char *lines)
{
	lustre_facts_clear(&facts);
	lustre_facts_take(&facts, lines);
}

START_TEST(nothing_is_gained_by_more_than_a_server_takes)
{
	const unsigned long page = (unsigned long)getpagesize();
	char lines[600], wanted[100];

	begin();
	put("mdc", MDT0, "max_rpcs_in_flight", "16\n");
	put("mdc", MDT0, "max_mod_rpcs_in_flight", "7\n");
	put("osc", OST(0), "max_pages_per_rpc", "16\n");
	/* of another instance, another kind and another index */
	take("target 1 0 home-ffff9a2c41d08000 FULL 1 -1 -1 -1 -1 1\n"
	     "target 2 0 " INSTANCE " FULL 1 8 1024 0 -1 2\n"
	     "target 1 1 " INSTANCE " FULL 1 -1 -1 -1 -1 3\n"
	     "target 1 0 " INSTANCE " FULL 1 -1 -1 -1 -1 8\n"
	     "target 1 2 " INSTANCE " FULL 1 -1 -1 -1 -1 4\n");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=9"),
		"max_rpcs_in_flight=16,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=16,max_mod_rpcs_in_flight=8");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=6"),
		"max_rpcs_in_flight=16,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=16,max_mod_rpcs_in_flight=6");
	take("target 1 0 " INSTANCE " FULL 1 -1 -1 -1 0 0\n");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=9"),
		"max_rpcs_in_flight=16,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=16,max_mod_rpcs_in_flight=9");
	take("target 1 0 " INSTANCE " FULL 1 -1 -1 -1 1 1\n");
	ck_assert_str_eq(
		of_mdt("mdc.max_mod_rpcs_in_flight=9"),
		"max_rpcs_in_flight=16,max_mod_rpcs_in_flight=7 -> max_rpcs_in_flight=16,max_mod_rpcs_in_flight=1");
	/* what is not named is left as it is */
	put("mdc", MDT0, "max_mod_rpcs_in_flight", "12\n");
	ck_assert_str_eq(
		of_mdt("mdc.max_rpcs_in_flight=15"),
		"max_rpcs_in_flight=16,max_mod_rpcs_in_flight=12 -> max_rpcs_in_flight=15,max_mod_rpcs_in_flight=12");
	snprintf(lines, sizeof(lines),
		 "target 1 0 " INSTANCE " FULL 1 -1 -1 -1 %lu -1\n"
		 "target 2 0 " INSTANCE " FULL 1 8 1024 0 %lu -1\n",
		 8 * page, 64 * page + 1);
	take(lines);
	snprintf(wanted, sizeof(wanted), "max_pages_per_rpc=16 -> max_pages_per_rpc=64");
	ck_assert_str_eq(composed(TREE_OSC, OST(0), "osc.max_pages_per_rpc=65"), wanted);
	ck_assert_str_eq(composed(TREE_OSC, OST(0), "osc.max_pages_per_rpc=64"), wanted);
	take("target 2 0 " INSTANCE " FULL 1 8 1024 0 -1 -1\n");
	snprintf(wanted, sizeof(wanted), "max_pages_per_rpc=16 -> max_pages_per_rpc=%lu",
		 (4UL << 20) / page);
	ck_assert_str_eq(composed(TREE_OSC, OST(0), "osc.max_pages_per_rpc=4M"), wanted);
	take("target 2 0 " INSTANCE " FULL 1 8 1024 0 0 0\n");
	ck_assert_str_eq(composed(TREE_OSC, OST(0), "osc.max_pages_per_rpc=4M"), wanted);
	lustre_facts_clear(&facts);
	tempdir_remove();
}
END_TEST

/* Of 8 RPCs of a MiB in flight: what may be dirty, and with these words. */
static const char *dirty(const char *now, const char *words)
{
	static char is[32];
	char pages[32];
	const char *text;

	snprintf(pages, sizeof(pages), "%lu\n", (1UL << 20) / (unsigned long)getpagesize());
	put("osc", OST(0), "max_pages_per_rpc", pages);
	put("osc", OST(0), "max_rpcs_in_flight", "8\n");
	put("osc", OST(0), "max_dirty_mb", now);
	text = composed(TREE_OSC, OST(0), words);
	text = strstr(strstr(text, " -> "), "max_dirty_mb=");
	snprintf(is, sizeof(is), "%s", text + strlen("max_dirty_mb="));
	return is;
}

START_TEST(as_much_may_be_dirty_as_is_in_flight)
{
	begin();
	ck_assert_str_eq(dirty("2\n", "osc.max_rpcs_in_flight=9"), "9");
	ck_assert_str_eq(dirty("9\n", "osc.max_rpcs_in_flight=10"), "10");
	ck_assert_str_eq(dirty("2\n", "osc.max_pages_per_rpc=2M"), "16");
	ck_assert_str_eq(dirty("500\n", "osc.max_rpcs_in_flight=9"), "500");
	/* a mebibyte that has begun is one */
	ck_assert_str_eq(dirty("0\n", "osc.max_pages_per_rpc=1,osc.max_rpcs_in_flight=1"), "1");
	/* what is named has what it was named */
	ck_assert_str_eq(dirty("2\n", "osc.max_rpcs_in_flight=9,osc.max_dirty_mb=3"), "3");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("lustre_tree", targets_and_filesystems_have_names,
	  a_clients_mount_has_a_filesystem_behind_its_servers, a_number_is_what_a_text_begins_with,
	  devices_are_read_by_kind_and_name, each_kind_of_device_may_be_below_procfs,
	  without_an_instance_there_is_no_mount, names_that_end_in_an_address_are_devices,
	  a_file_is_found_in_each_of_the_folders,
	  what_has_many_lines_is_looked_for_in_debugfs_first,
	  a_parameter_is_looked_for_where_another_device_has_it,
	  what_does_not_fit_or_cannot_be_read_is_an_error,
	  a_file_that_is_there_and_cannot_be_opened_is_told,
	  what_is_of_the_node_is_in_sysfs_or_procfs, values_have_bounds,
	  pages_may_be_told_in_mebibytes, what_is_no_parameter_of_the_table_is_refused,
	  words_concern_their_kind_of_device, a_device_shows_what_it_has_of_the_table,
	  what_is_not_in_the_table_is_never_written, bounds_of_read_ahead_keep_their_order,
	  a_client_may_lack_a_parameter_or_some, changes_in_flight_are_fewer_than_requests,
	  nothing_is_gained_by_more_than_a_server_takes, as_much_may_be_dirty_as_is_in_flight)
