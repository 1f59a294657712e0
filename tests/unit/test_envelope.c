/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/envelope.h"
#include "tests/unit/runner.h"

#define A "000102030405060708090a0b0c0d0e0f"
#define B "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"
#define C "f0f1f2f3f4f5f6f7f8f9fafbfcfdfe00"

START_TEST(an_answer_names_the_requests_that_it_is_for)
{
	static const char *const both[] = { A, B };
	char *text = envelope_make(both, 2, "{\"ok\":true}"), *nonces = NULL;

	ck_assert_str_eq(text, "jobio/1 " A " " B "\n{\"ok\":true}");
	ck_assert_str_eq(envelope_open(text, &nonces), "{\"ok\":true}");
	ck_assert_str_eq(nonces, A " " B);
	ck_assert_int_eq(envelope_is_for(nonces, A), 1);
	ck_assert_int_eq(envelope_is_for(nonces, B), 1);
	ck_assert_int_eq(envelope_is_for(nonces, C), 0);
	ck_assert_int_eq(envelope_is_for("", A), 0);
	free(text);
}
END_TEST

START_TEST(an_envelope_that_is_not_understood_is_refused)
{
	static const char *const bad[] = {
		"jobio/",
		"{\"ok\":true}",
		"jobio/1",
		"jobio/1 " A,
		"jobio/2 " A "\n",
		"jobio/1 \n{}",
		"jobio/1  " A "\n{}",
		"jobio/1 " A "0\n",
		"jobio/1 " A " \n{}",
		"jobio/1 " A ",\n",
		"jobio/1 X\n{}",
		"jobio/1 " A "  " B "\n",
	};
	char copy[100], *nonces;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		strcpy(copy, bad[i]);
		ck_assert_msg(!envelope_open(copy, &nonces), "%s", bad[i]);
	}
}
END_TEST

START_TEST(no_nonce_comes_twice)
{
	char first[ENVELOPE_NONCE], second[ENVELOPE_NONCE];
	struct err err;

	ck_assert_int_eq(envelope_nonce(first, &err), 0);
	ck_assert_int_eq(envelope_nonce(second, &err), 0);
	ck_assert_uint_eq(strspn(first, "0123456789abcdef"), 32);
	ck_assert_uint_eq(strlen(first), 32);
	ck_assert_str_ne(first, second);
}
END_TEST

UNIT_MAIN("envelope", an_answer_names_the_requests_that_it_is_for,
	  an_envelope_that_is_not_understood_is_refused, no_nonce_comes_twice)
