/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#include "count/mounts.h"

static const char *const table = "25 30 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw\n"
				 "30 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
				 "41 30 0:36 / /mnt/weka rw,relatime - wekafs default rw\n"
				 "42 30 0:37 / /mnt/with\\040blank\\134 rw - tmpfs t rw\n"
				 "43 30 0:38 / /mnt/covered rw - tmpfs below rw\n"
				 "44 43 0:39 / /mnt/covered rw - tmpfs above rw\n"
				 "45 30 4095:1048575 / /mnt/big rw - ext4 big rw\n"
				 "46 30 4096:1 / /mnt/bigger rw - ext4 bigger rw\n"
				 "47 30 x:1 / /mnt/no-number rw - ext4 x rw\n"
				 "48 30\n";

static const char *path;

static void setup(void)
{
	tempdir_make();
	path = tempdir_put("mountinfo", table);
}

static void expect_dev(const char *mount, uint32_t major, uint32_t minor)
{
	struct err err = { "" };
	uint32_t dev = 0;

	ck_assert_msg(mounts_dev(path, mount, &dev, &err) == 1, "%s: %s", mount, err.text);
	ck_assert_uint_eq(dev >> 20, major);
	ck_assert_uint_eq(dev & 0xfffff, minor);
}

static void expect_none(const char *mount)
{
	uint32_t dev = 42;

	ck_assert_int_eq(mounts_dev(path, mount, &dev, NULL), 0);
	ck_assert_uint_eq(dev, 42);
}

START_TEST(a_mount_point_leads_to_the_number_of_its_superblock)
{
	setup();
	expect_dev("/", 254, 1);
	expect_dev("/mnt/weka", 0, 36);
	expect_dev("/mnt/big", 4095, 1048575);
	tempdir_remove();
}
END_TEST

/* As the kernel makes a number of a Lustre's name. */
START_TEST(two_mounts_of_one_lustre_have_one_number)
{
	path = SRCDIR "/tests/samples/lustre/mountinfo.txt";
	expect_dev("/mnt/work", 1273, 181606);
	expect_dev("/mnt/my projects", 1273, 181606);
	expect_dev("/mnt/old", 980, 44012);
	expect_dev("/mnt/ost0", 0, 29);
}
END_TEST

START_TEST(blanks_and_backslashes_in_a_mount_point_are_read)
{
	setup();
	expect_dev("/mnt/with blank\\", 0, 37);
	tempdir_remove();
}
END_TEST

START_TEST(of_two_mounts_on_one_point_the_upper_counts)
{
	setup();
	expect_dev("/mnt/covered", 0, 39);
	tempdir_remove();
}
END_TEST

START_TEST(what_is_no_mount_point_is_not_found)
{
	setup();
	expect_none("/mnt");
	expect_none("/mnt/weka/");
	expect_none("/mnt/bigger");
	expect_none("/mnt/no-number");
	expect_none("");
	tempdir_remove();
}
END_TEST

START_TEST(a_table_that_is_not_there_is_an_error)
{
	struct err err = { "" };
	uint32_t dev = 42;

	ck_assert_int_eq(mounts_dev("/nowhere/mountinfo", "/", &dev, &err), -1);
	ck_assert_str_eq(err.text, "mounts: '/nowhere/mountinfo': No such file or directory");
	ck_assert_uint_eq(dev, 42);
}
END_TEST

UNIT_MAIN("mounts", a_mount_point_leads_to_the_number_of_its_superblock,
	  two_mounts_of_one_lustre_have_one_number,
	  blanks_and_backslashes_in_a_mount_point_are_read,
	  of_two_mounts_on_one_point_the_upper_counts, what_is_no_mount_point_is_not_found,
	  a_table_that_is_not_there_is_an_error)
