/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of mountinfo: their parts, and which of them is meant. */
#include <stdio.h>
#include <string.h>

#include "client/place.h"
#include "tests/unit/runner.h"

static struct place place;

static bool parse(const char *line)
{
	snprintf(place.text, sizeof(place.text), "%s", line);
	return place_parse(&place);
}

START_TEST(a_line_of_mountinfo_has_its_parts)
{
	ck_assert(parse("36 35 98:0 /mnt1 /my\\040mnt rw,noatime master:1 "
			"shared:2 - ext3 /dev/my\\040root rw,errors=continue"));
	ck_assert_uint_eq(place.id, 36);
	ck_assert_uint_eq(place.parent, 35);
	ck_assert_str_eq(place.device, "98:0");
	ck_assert_str_eq(place.root, "/mnt1");
	ck_assert_str_eq(place.target, "/my mnt");
	ck_assert_str_eq(place.fstype, "ext3");
	ck_assert_str_eq(place.source, "/dev/my root");
	/* it is the first of all, and has no tags */
	ck_assert(parse("0 0 0:2 / / rw - rootfs none rw"));
	ck_assert_uint_eq(place.id, 0);
	ck_assert_uint_eq(place.parent, 0);
	ck_assert(parse("1 1 0:2 / /a rw - x y"));
	ck_assert_str_eq(place.fstype, "x");
	ck_assert_str_eq(place.source, "y");
}
END_TEST

START_TEST(half_a_line_is_no_place)
{
	static const char *const halves[] = {
		"",
		"36 35 98:0 /mnt1 /mnt rw,noatime",
		"36 35 98:0 /mnt1 - ext3 /dev/root rw",
		"36 - ext3 /dev/root rw",
		" - ext3 /dev/root rw",
		"36 35 98:0 /mnt1 /mnt rw - ext3",
		"36 35 98:0 /mnt1 /mnt rw - ",
		"x 35 98:0 /mnt1 /mnt rw - ext3 /dev/root rw",
		"36 x 98:0 /mnt1 /mnt rw - ext3 /dev/root rw",
		"36 -1 98:0 /mnt1 /mnt rw - ext3 /dev/root rw",
	};
	size_t i;

	for (i = 0; i < sizeof(halves) / sizeof(halves[0]); i++)
		ck_assert_msg(!parse(halves[i]), "%s", halves[i]);
}
END_TEST

/* ---- which of them is meant ------------------------------------------------- */

static const char table[] = "1 0 8:2 / / rw - xfs /dev/sda2 rw\n"
			    "20 1 0:60 / /work rw - nfs4 srv:/work rw\n"
			    "21 20 0:61 / /work/a rw - nfs4 srv:/a rw\n"
			    "22 20 0:62 / /work/b rw - nfs4 srv:/b rw\n"
			    "half a line\n"
			    "23 1 0:63 / /workshop rw - nfs4 srv:/shop rw\n"
			    "24 1 0:64 / /work rw - nfs4 srv:/upper rw\n"
			    "25 1 0:65 / /last rw - nfs4 srv:/a rw\n";

/* The number of what is found; 0: nothing. */
static unsigned long found(const struct place_search search)
{
	return place_find(table, &search, &place) ? place.id : 0;
}

START_TEST(the_last_place_that_fits_is_found)
{
	ck_assert_uint_eq(found((struct place_search){ .target = NULL }), 25);
	ck_assert_uint_eq(found((struct place_search){ .target = "/work" }),
			  24);
	ck_assert_str_eq(place.source, "srv:/upper");
	ck_assert_uint_eq(found((struct place_search){ .target = "/work/a" }),
			  21);
	ck_assert_uint_eq(found((struct place_search){ .target = "/" }), 1);
	ck_assert_uint_eq(found((struct place_search){ .target = "/wor" }), 0);
	ck_assert_uint_eq(found((struct place_search){ .source = "srv:/b" }),
			  22);
	ck_assert_uint_eq(found((struct place_search){ .source = "srv:/a" }),
			  25);
	ck_assert_uint_eq(found((struct place_search){ .source = "srv:" }), 0);
	ck_assert_uint_eq(found((struct place_search){ .id = 22 }), 22);
	ck_assert_uint_eq(found((struct place_search){ .id = 26 }), 0);
	ck_assert_uint_eq(found((struct place_search){ .parent = 20 }), 22);
	ck_assert_uint_eq(found((struct place_search){ .parent = 2 }), 0);
	ck_assert(!place_find("", &(struct place_search){ .id = 1 }, &place));
}
END_TEST

START_TEST(a_place_fits_when_all_that_is_asked_for_fits)
{
	ck_assert_uint_eq(found((struct place_search){ .target = "/work",
						       .source = "srv:/work" }),
			  20);
	ck_assert_uint_eq(found((struct place_search){ .target = "/work",
						       .source = "srv:/a" }),
			  0);
	ck_assert_uint_eq(
		found((struct place_search){ .source = "srv:/a", .id = 21 }),
		21);
	ck_assert_uint_eq(
		found((struct place_search){ .source = "srv:/b", .id = 21 }),
		0);
	ck_assert_uint_eq(
		found((struct place_search){ .id = 21, .parent = 20 }), 21);
	ck_assert_uint_eq(found((struct place_search){ .id = 21, .parent = 1 }),
			  0);
}
END_TEST

START_TEST(what_is_below_a_folder_is_not_the_folder)
{
	ck_assert_uint_eq(found((struct place_search){ .target = "/work",
						       .below = true }),
			  22);
	ck_assert_uint_eq(found((struct place_search){ .target = "/work/a",
						       .below = true }),
			  0);
	ck_assert_uint_eq(
		found((struct place_search){ .target = "/", .below = true }),
		25);
	ck_assert(!place_find(
		"1 0 8:2 / / rw - xfs /dev/sda2 rw\n",
		&(struct place_search){ .target = "/", .below = true },
		&place));
	ck_assert(place_find(
		"1 0 8:2 / /a rw - xfs /dev/sda2 rw\n",
		&(struct place_search){ .target = "/", .below = true },
		&place));
	/* without a target there is nothing to be below of */
	ck_assert_uint_eq(found((struct place_search){ .below = true }), 25);
}
END_TEST

START_TEST(the_superblock_that_is_seen_at_a_place_is_told)
{
	char device[PLACE_DEVICE_MAX] = "";

	ck_assert(place_device(table, "/work", device));
	ck_assert_str_eq(device, "0:64");
	ck_assert(!place_device(table, "/nowhere", device));
	ck_assert_str_eq(device, "0:64");
	ck_assert(place_device("1 0 12345678901:12345678901 / /a rw - x y\n",
			       "/a", device));
	ck_assert_str_eq(device, "12345678901:12345678901");
	ck_assert(!place_device("1 0 123456789012:12345678901 / /a rw - x y\n",
				"/a", device));
	ck_assert_str_eq(device, "12345678901:12345678901");
}
END_TEST

UNIT_MAIN("place", a_line_of_mountinfo_has_its_parts, half_a_line_is_no_place,
	  the_last_place_that_fits_is_found,
	  a_place_fits_when_all_that_is_asked_for_fits,
	  what_is_below_a_folder_is_not_the_folder,
	  the_superblock_that_is_seen_at_a_place_is_told)
