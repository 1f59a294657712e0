/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every key of [advice] has a job whose advice it decides, and an entry in the
 * manual. */
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"
#include "tests/unit/advice_jobs.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"

/* Too little to judge, by one second, byte and call each */
static struct job little(bool is)
{
	struct job j = job_on("nfs");

	(void)is;
	j.seconds = 59;
	reads(&j, 9999, GIB - 1);
	return j;
}

static struct job core_writes(bool is)
{
	struct job j = a22(is);

	reads(&j, 0, 0);
	writes(&j, 2000000, 2000000000000);
	peak(&j, 0, 5543999999);
	return j;
}

static struct job core_write_calls(bool is)
{
	struct job j = a23(is);

	reads(&j, 0, 0);
	writes(&j, 79123199, 79123199 * 4096L);
	return j;
}

/* A job that is told of 'code', or is not, and a value with which it is the other
 * way round; code NULL: which is judged, or is not. */
static const struct {
	const char *key, *value, *code;
	struct job (*make)(bool is);
	bool is; /* of 'make' */
} keys[] = {
	{ "min_seconds", "59", NULL, little, false },
	{ "min_mib", "1023", NULL, little, false },
	{ "min_calls", "9999", NULL, little, false },
	{ "sync_call_us", "99", "A01", a01, true },
	{ "small_read_kb", "41", "A01", a01, false },
	{ "small_write_kb", "71", "A02", a02, false },
	{ "core_read_mbs", "5729", "A22", a22, false },
	{ "core_write_mbs", "6929", "A22", core_writes, false },
	{ "core_read_iops", "144532", "A23", a23, false },
	{ "core_write_iops", "98903", "A23", core_write_calls, false },
	{ "io_processes", "15", "A07", a07, false },
	{ "stats_per_s", "19998", "A09", a09, false },
	{ "dir_creates_per_s", "29998", "A14", a14, false },
	{ "nfs_ops_per_s", "249998", "A18", a18, false },
	{ "lustre_write_mbs", "104", "A17", a17, true },
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool is_so(const struct config_advice *limits, size_t i)
{
	struct job j = keys[i].make(keys[i].is);
	struct advice_list *list = judge_with(&j, limits);
	bool is = keys[i].code ? find(list, keys[i].code) != NULL : list->is_judged;

	advice_free(list);
	return is;
}

START_TEST(a_key_decides_whether_a_job_is_told)
{
	struct config_advice initial;
	struct config *config;
	char text[100];
	size_t i;

	config_advice_init(&initial);
	for (i = 0; i < KEYS; i++) {
		snprintf(text, sizeof(text), "[advice]\n%s = %s\n", keys[i].key, keys[i].value);
		config = conf_load(text);
		ck_assert_msg(is_so(&initial, i) == keys[i].is, "%s is not what decides",
			      keys[i].key);
		ck_assert_msg(is_so(&config->advice, i) != keys[i].is, "%s changes nothing",
			      keys[i].key);
		config_free(config);
	}
}
END_TEST

/* The struct has numbers only, one for each. */
START_TEST(each_key_is_tried)
{
	size_t i, k;

	ck_assert_uint_eq(KEYS * sizeof(unsigned int), sizeof(struct config_advice));
	for (i = 0; i < KEYS; i++)
		for (k = 0; k < i; k++)
			ck_assert_str_ne(keys[i].key, keys[k].key);
}
END_TEST

START_TEST(each_key_is_in_the_manual)
{
	FILE *page = fopen(SRCDIR "/man/jobio.conf.5", "r");
	static char text[200000];
	char entry[100];
	size_t i;

	ck_assert_ptr_nonnull(page);
	text[fread(text, 1, sizeof(text) - 1, page)] = '\0';
	fclose(page);
	for (i = 0; i < KEYS; i++) {
		snprintf(entry, sizeof(entry), "\n.BR %s \" = ", keys[i].key);
		ck_assert_msg(strstr(text, entry), "the page has no %s", keys[i].key);
	}
}
END_TEST

UNIT_MAIN("advice_keys", a_key_decides_whether_a_job_is_told, each_key_is_tried,
	  each_key_is_in_the_manual)
