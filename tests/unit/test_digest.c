/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lib/digest.h"
#include "tests/unit/runner.h"

static uint64_t digest_of(const char *text)
{
	return digest_add(DIGEST_BEGIN, text, strlen(text));
}

/* From the table of those who made FNV (test_fnv.c). */
START_TEST(the_digest_is_fnv_1a_of_64_bits)
{
	ck_assert_uint_eq(digest_of(""), UINT64_C(0xcbf29ce484222325));
	ck_assert_uint_eq(digest_of("a"), UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert_uint_eq(digest_of("foobar"), UINT64_C(0x85944171f73967e8));
}
END_TEST

START_TEST(a_text_in_parts_has_the_digest_of_the_whole)
{
	const char text[] = "one\0\xff two";
	size_t size = sizeof(text), part;

	for (part = 0; part <= size; part++)
		ck_assert_uint_eq(
			digest_add(digest_add(DIGEST_BEGIN, text, part),
				   text + part, size - part),
			digest_add(DIGEST_BEGIN, text, size));
}
END_TEST

UNIT_MAIN("digest", the_digest_is_fnv_1a_of_64_bits,
	  a_text_in_parts_has_the_digest_of_the_whole)
