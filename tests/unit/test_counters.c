/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of counting that needs no kernel that allows it; tests/vm/count.bats
 * has the rest. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#include "count/counters.h"
#include "count/folder.h"
#include "count/hooks.h"
#include "count/layout.h"
#include "lib/child.h"

/* ---- folders ---------------------------------------------------------- */

static const char *filled(const char *name)
{
	char pin[64];
	int i;

	ck_assert(mkdir(tempdir_path(name), 0700) == 0);
	for (i = 0; i < 3; i++) {
		snprintf(pin, sizeof(pin), "%s/link_%d", name, i);
		tempdir_put(pin, "");
	}
	return tempdir_path(name);
}

static int pins_in(const char *name)
{
	char pin[64];
	int i, found = 0;

	for (i = 0; i < 3; i++) {
		snprintf(pin, sizeof(pin), "%s/link_%d", name, i);
		found += access(tempdir_path(pin), F_OK) == 0;
	}
	return found;
}

static bool is_there(const char *name)
{
	return access(tempdir_path(name), F_OK) == 0;
}

START_TEST(a_folder_that_is_made_or_taken_away_is_not_whole)
{
	ck_assert(folder_is_whole("3-0123456789abcdef-v2"));
	ck_assert(folder_is_whole("3-0123456789abcdef-v1-latency"));
	ck_assert(folder_is_whole("plain"));
	ck_assert(!folder_is_whole("3-0123456789abcdef-v2-new"));
	ck_assert(!folder_is_whole("3-0123456789abcdef-v2-old"));
	ck_assert(!folder_is_whole("."));
	ck_assert(!folder_is_whole(".."));
}
END_TEST

START_TEST(a_folder_goes_with_its_pins)
{
	struct err err = { "" };

	tempdir_make();
	ck_assert_int_eq(folder_remove(filled("a"), FOLDER_NO_END, &err), 0);
	ck_assert(!is_there("a"));
	ck_assert_int_eq(folder_remove(tempdir_path("a"), 0, &err), 0);
	ck_assert_str_eq(err.text, "");
	tempdir_remove();
}
END_TEST

START_TEST(when_the_time_is_over_one_pin_goes_and_the_rest_waits)
{
	tempdir_make();
	filled("a");
	ck_assert_int_eq(folder_remove(tempdir_path("a"), 0, NULL), 1);
	ck_assert_int_eq(pins_in("a"), 2);
	ck_assert_int_eq(folder_remove(tempdir_path("a"), child_now_ms(), NULL), 1);
	ck_assert_int_eq(pins_in("a"), 1);
	ck_assert_int_eq(folder_remove(tempdir_path("a"), child_now_ms() + 60000, NULL), 0);
	ck_assert(!is_there("a"));
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_taken_away_is_said)
{
	struct err err = { "" };
	char wanted[600];

	tempdir_make();
	filled("a");
	ck_assert(mkdir(tempdir_path("a/folder"), 0700) == 0);
	ck_assert_int_eq(folder_remove(tempdir_path("a"), FOLDER_NO_END, &err), -1);
	snprintf(wanted, sizeof(wanted), "BPF programs: '%s': ", tempdir_path("a"));
	ck_assert_int_eq(strncmp(err.text, wanted, strlen(wanted)), 0);
	ck_assert_int_eq(pins_in("a"), 0);
	ck_assert_int_eq(folder_remove(tempdir_put("file", ""), FOLDER_NO_END, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/file': Not a directory"));
	tempdir_remove();
}
END_TEST

START_TEST(a_retired_folder_is_emptied_as_far_as_there_is_time)
{
	struct err err = { "" };
	int i;

	tempdir_make();
	ck_assert_int_eq(folder_retire(filled("3-a-v2"), &err), 0);
	ck_assert(!is_there("3-a-v2"));
	filled("3-b-v2");
	filled("3-c-v2-new");
	for (i = 3; i > 0; i--) {
		ck_assert_int_eq(pins_in("3-a-v2-old"), i);
		folder_sweep(tempdir_path("."), 0);
	}
	folder_sweep(tempdir_path("."), FOLDER_NO_END);
	ck_assert(!is_there("3-a-v2-old"));
	ck_assert_int_eq(pins_in("3-b-v2"), 3);
	ck_assert_int_eq(pins_in("3-c-v2-new"), 3);
	folder_sweep(tempdir_path("nowhere"), FOLDER_NO_END);
	tempdir_remove();
}
END_TEST

START_TEST(two_retired_folders_share_the_time)
{
	tempdir_make();
	filled("3-a-v2-old");
	filled("3-b-v2-old");
	folder_sweep(tempdir_path("."), 0);
	ck_assert_int_eq(pins_in("3-a-v2-old") + pins_in("3-b-v2-old"), 5);
	folder_sweep(tempdir_path("."), FOLDER_NO_END);
	ck_assert(!is_there("3-a-v2-old") && !is_there("3-b-v2-old"));
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_waits_for_the_one_that_was_retired_before_it)
{
	struct err err = { "" };

	tempdir_make();
	filled("a-old");
	ck_assert_int_eq(folder_retire(filled("a"), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/a': Directory not empty"));
	ck_assert_int_eq(pins_in("a"), 3);
	ck_assert_int_eq(pins_in("a-old"), 3);
	tempdir_remove();
}
END_TEST

/* ---- flags -------------------------------------------------------------- */

static uint32_t flags_of(uint64_t lost, uint32_t v1, bool has_mount)
{
	struct count_info info = { .lost = lost, .cgroup_v1 = v1 };

	return counters_flags(&info, has_mount);
}

START_TEST(totals_at_exit_say_what_they_miss_and_what_they_hold_twice)
{
	const uint32_t missing = RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING) |
				 RECORD_FLAG(MMAP_MISSING) | RECORD_FLAG(COPIES_TWICE);

	ck_assert_uint_eq(flags_of(~UINT64_C(0), 0, false), missing);
	ck_assert_uint_eq(flags_of(0, 0, false), missing);
	ck_assert_uint_eq(flags_of(0, 1, false), missing | RECORD_FLAG(INCLUDES_STEPD));
}
END_TEST

START_TEST(counters_of_a_filesystem_say_what_the_kernel_refused)
{
	static const struct {
		enum hook_loss loss;
		uint32_t flags;
	} rows[] = {
		{ LOSS_READ, RECORD_FLAG(LOWER_BOUND_READ) },
		{ LOSS_WRITEV, RECORD_FLAG(LOWER_BOUND_WRITE) },
		{ LOSS_CORE, RECORD_FLAG(LOWER_BOUND_WRITE) },
		{ LOSS_STAT, RECORD_FLAG(LOWER_BOUND_OPS) },
		{ LOSS_MOUNT, RECORD_FLAG(MOUNTS_UNSEEN) },
		{ LOSS_AIO, RECORD_FLAG(AIO_MISSING) },
		{ LOSS_URING_DONE, RECORD_FLAG(AIO_MISSING) },
		{ LOSS_MMAP_READ, RECORD_FLAG(MMAP_MISSING) },
		{ LOSS_LATENCY, 0 },
		{ LOSS_EXIT, 0 },
	};
	size_t i;

	ck_assert_uint_eq(flags_of(0, 0, true), 0);
	ck_assert_uint_eq(flags_of(0, 1, true), 0);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_uint_eq(flags_of(UINT64_C(1) << rows[i].loss, 0, true), rows[i].flags);
}
END_TEST

START_TEST(each_tier_has_its_name)
{
	ck_assert_str_eq(counters_tier_name(COUNTERS_NONE), "none");
	ck_assert_str_eq(counters_tier_name(COUNTERS_EXIT), "exit");
	ck_assert_str_eq(counters_tier_name(COUNTERS_BPF), "bpf");
}
END_TEST

UNIT_MAIN("counters", a_folder_that_is_made_or_taken_away_is_not_whole, a_folder_goes_with_its_pins,
	  when_the_time_is_over_one_pin_goes_and_the_rest_waits, what_cannot_be_taken_away_is_said,
	  a_retired_folder_is_emptied_as_far_as_there_is_time, two_retired_folders_share_the_time,
	  a_folder_waits_for_the_one_that_was_retired_before_it,
	  totals_at_exit_say_what_they_miss_and_what_they_hold_twice,
	  counters_of_a_filesystem_say_what_the_kernel_refused, each_tier_has_its_name)
