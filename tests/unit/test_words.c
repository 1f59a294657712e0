/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsers of text from users, the kernel and Slurm: numbers, lists of CPUs, versions, variables,
 * mount tables, the request in the environment, the gate file, SystemComment, replies of nodes. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_load.h"
#include "base/cpuset.h"
#include "base/gatefile.h"
#include "base/host.h"
#include "base/hostlist.h"
#include "base/live_view.h"
#include "base/number.h"
#include "base/request.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/variables.h"
#include "base/version.h"
#include "client/mounts.h"
#include "ledger/comment.h"
#include "ledger/nodes.h"
#include "record/record.h"
#include "tests/unit/conf.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"

static struct err err;

/* The next part of a list that is separated by '|'; false at its end. */
static bool cut(const char **list, char part[200])
{
	size_t size = *list ? strcspn(*list, "|") : 0;

	if (!*list)
		return false;
	snprintf(part, 200, "%.*s", (int)size, *list);
	*list = (*list)[size] ? *list + size + 1 : NULL;
	return true;
}

/* Text of a set, for one comparison. */
static const char *list_of(const struct cpuset *set)
{
	static char kept[9000];
	char *text = cpuset_format(set);

	snprintf(kept, sizeof(kept), "%s", text);
	free(text);
	return kept;
}

START_TEST(a_number_is_decimal_digits_within_its_bounds)
{
	const char *good = "0|64|2|90",
		   *bad = "100||-1|+1| 1|1 |01|0x2|1e1|9:|9/|1.0|18446744073709551617";
	unsigned long n = 7;
	char part[200];

	while (cut(&bad, part))
		ck_assert_msg(number_parse(part, 0, 99, &n, NULL) < 0 && n == 7, "'%s'", part);
	while (cut(&good, part))
		ck_assert_msg(number_parse(part, 0, 90, &n, NULL) == 0 &&
				      n == strtoul(part, NULL, 10),
			      "'%s'", part);
	ck_assert_int_eq(number_parse("18446744073709551615", 0, ULONG_MAX, &n, NULL), 0);
	ck_assert(n == ULONG_MAX);
	ck_assert_int_eq(number_parse("18446744073709551616", 0, ULONG_MAX, &n, NULL), -1);
	ck_assert_int_eq(number_parse("12x", 1, 64, &n, &err), -1);
	ck_assert_str_eq(err.text, "'12x': not a number from 1 to 64");
	ck_assert_int_eq(number_parse("0", 1, 64, &n, &err), -1);
}
END_TEST

/* ---- lists of CPUs ----------------------------------------------------------- */

/* Each part of 'list' is IN=OUT; or each is refused, and *why is in the message. */
static void expect_sets(bool mask, const char *list, const char *why)
{
	char part[200], *out;
	struct cpuset set;
	int rc;

	while (cut(&list, part)) {
		out = why ? part : strchr(part, '=');
		if (!why)
			*out++ = '\0';
		cpuset_parse(&set, "0-2", NULL);
		rc = mask ? cpuset_parse_mask(&set, part, &err) : cpuset_parse(&set, part, &err);
		ck_assert_msg((rc < 0) == (why != NULL), "'%s': %s", part, err.text);
		ck_assert_str_eq(list_of(&set), why ? "0-2" : out);
		ck_assert_msg(!why || strstr(err.text, why), "'%s': %s", part, err.text);
	}
}

START_TEST(a_list_of_cpus_is_strict_and_comes_back_as_the_kernel_prints_it)
{
	expect_sets(
		false,
		"=|0=0|0-3,8,10-11=0-3,8,10-11|8,0,1,2,3=0-3,8|0-3,2-5=0-5|3-3=3|63,64,8191=63-64,8191|0-7\n=0-7|\n=",
		NULL);
	expect_sets(false, "-1|1,,2|1,|,1| 1|all", "expected a number");
	expect_sets(false, "1-2-3|0x1|1\n\n", "expected a comma");
	expect_sets(false, "3-1|1-", "bad range");
	expect_sets(false, "8192|99999999999999999999", "below 8192");
}
END_TEST

START_TEST(the_last_digit_of_a_cpu_mask_is_cpus_0_to_3)
{
	char text[2200] = "8";
	struct cpuset set;

	expect_sets(
		true,
		"0=|1=0|80000001\n=0,31|ff000000,00000001=0,56-63|Ff,00000000=32-39|1,1=0,32|1,000000000000000f=0-3,64",
		NULL);
	expect_sets(true, "|,", "it is empty");
	expect_sets(true, "0x1|g1|1 |-1", "expected hexadecimal digits");
	memset(text + 1, '0', CPUSET_MAX / 4 - 1);
	ck_assert_int_eq(cpuset_parse_mask(&set, text, &err), 0);
	ck_assert_str_eq(list_of(&set), "8191");
	text[0] = '1';
	text[CPUSET_MAX / 4] = '0';
	ck_assert_int_eq(cpuset_parse_mask(&set, text, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "expected CPUs below 8192"));
}
END_TEST

#define MEMBERS 200

/* A random set as a cpuset and as a table of bools. */
static void random_set(struct cpuset *set, bool has[MEMBERS], unsigned int density)
{
	cpuset_zero(set);
	for (unsigned int i = 0; i < MEMBERS; i++) {
		has[i] = (unsigned int)random() % 8 < density;
		if (has[i])
			cpuset_add(set, i);
	}
}

static void expect_members(const struct cpuset *set, const bool has[MEMBERS])
{
	unsigned int count = 0;
	int member = cpuset_next(set, 0);

	for (int i = 0; i < MEMBERS; i++) {
		ck_assert(cpuset_has(set, (unsigned int)i) == has[i]);
		if (!has[i])
			continue;
		ck_assert_int_eq(member, i);
		member = cpuset_next(set, (unsigned int)i + 1);
		count++;
	}
	ck_assert_int_eq(member, -1);
	ck_assert_uint_eq(cpuset_count(set), count);
	ck_assert(cpuset_is_empty(set) == !count);
}

/* Property: a cpuset and a table of bools give the same results. */
START_TEST(sets_of_cpus_follow_the_algebra_of_sets)
{
	bool a_has[MEMBERS], b_has[MEMBERS], want[3][MEMBERS], part, touch;
	struct cpuset a, b, got[3], again;

	srandom(20261126);
	for (unsigned int round = 0; round < 200; round++) {
		random_set(&a, a_has, round % 9);
		random_set(&b, b_has, (unsigned int)random() % 9);
		got[0] = got[1] = got[2] = a;
		cpuset_and(&got[0], &b);
		cpuset_or(&got[1], &b);
		cpuset_andnot(&got[2], &b);
		part = true;
		touch = false;
		for (int i = 0; i < MEMBERS; i++) {
			want[0][i] = a_has[i] && b_has[i];
			want[1][i] = a_has[i] || b_has[i];
			want[2][i] = a_has[i] && !b_has[i];
			part = part && (!a_has[i] || b_has[i]);
			touch = touch || want[0][i];
		}
		for (int i = 0; i < 3; i++)
			expect_members(&got[i], want[i]);
		ck_assert(cpuset_is_subset(&a, &b) == part);
		ck_assert(cpuset_intersects(&a, &b) == touch);
		ck_assert_int_eq(cpuset_parse(&again, list_of(&a), NULL), 0);
		ck_assert(cpuset_equal(&again, &a));
	}
	cpuset_zero(&a);
	cpuset_add(&a, CPUSET_MAX); /* out of range: ignored */
	ck_assert(cpuset_is_empty(&a) && !cpuset_has(&a, CPUSET_MAX));
}
END_TEST

/* ---- text -------------------------------------------------------------------- */

START_TEST(octal_escapes_of_a_mount_table_are_read_and_other_backslashes_stay)
{
	const char *same = "\\04|\\48\\|\\777|\\400|\\080|\\008|\\/00|\\00/|";
	char text[200] = "/mnt/a\\040b\\011c\\134040\\043\\012\\377\\077\\070", part[200];

	text_unescape_octal(text);
	ck_assert_str_eq(text, "/mnt/a b\tc\\040#\n\377?8");
	while (cut(&same, part)) {
		strcpy(text, part);
		text_unescape_octal(text);
		ck_assert_str_eq(text, part);
	}
}
END_TEST

START_TEST(a_line_that_does_not_fit_is_skipped)
{
	const char *text = "four\n\nlonger\nabc";
	char line[5];

	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "four");
	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "");
	ck_assert(text_next_line(&text, line, sizeof(line)));
	ck_assert_str_eq(line, "abc");
	ck_assert(!text_next_line(&text, line, sizeof(line)));
	ck_assert(text_is_lines("a\nbc\n", 3) && text_is_lines("\n", 1));
	ck_assert(!text_is_lines("a\nbc\n", 2) && !text_is_lines("a\nbc", 3) &&
		  !text_is_lines("", 3));
}
END_TEST

START_TEST(control_and_direction_characters_and_broken_utf8_are_printed_as_question_marks)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "/mnt/weka ~", "/mnt/weka ~" },
		{ "\303\244\342\202\254\360\237\230\200", "\303\244\342\202\254\360\237\230\200" },
		{ "\302\240\342\200\247\342\200\257", "\302\240\342\200\247\342\200\257" },
		{ "a\033[31m\r\n\tb\177", "a?[31m???b?" },
		{ "a\302\23331m\302\200\302\237b", "a?31m??b" },
		{ "\330\234", "?" },
		{ "\342\200\216\342\200\217", "??" },
		{ "\342\200\250\342\200\251\342\200\252\342\200\256", "????" },
		{ "\342\201\246\342\201\247\342\201\250\342\201\251", "????" },
		{ "a\233b\377", "a?b?" },
		{ "\300\200\355\240\200\364\220\200\200", "?????????" },
		{ "\342\202", "??" },
	};
	char out[100];

	for (size_t i = 0; i < ROWS(rows); i++) {
		utf8_clean(out, sizeof(out), rows[i][0], strlen(rows[i][0]));
		ck_assert_str_eq(out, rows[i][1]);
	}
	utf8_clean(out, 4, "ab\303\244", 4); /* characters are not cut */
	ck_assert_str_eq(out, "ab");
	utf8_clean(out, 4, "a\303\244", 3);
	ck_assert_str_eq(out, "a\303\244");
	utf8_clean(out, 4, "a\0b", 3);
	ck_assert_str_eq(out, "a?b");
}
END_TEST

/* Encode as UTF-8, RFC 3629, section 3. */
static size_t encode(unsigned int code, char *bytes)
{
	const size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned int first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = size - 1; i > 0; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(first[size] | code);
	return size;
}

/* No ck_assert() for each of a million characters: it would take seconds. */
START_TEST(each_unicode_character_is_read_and_a_part_of_one_is_invalid)
{
	unsigned int code, got, half;
	char bytes[4];
	bool is;

	for (code = 1; code < 0x120000; code++) {
		size_t size = encode(code, bytes);

		if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
			is = utf8_character(bytes, size, &got) == 0;
		else
			is = utf8_character(bytes, size, &got) == size && got == code &&
			     (size == 1 || utf8_character(bytes, size - 1, &half) == 0);
		if (!is)
			ck_abort_msg("U+%04X is not", code);
	}
	ck_assert(!utf8_character("\xe0\x9f\xbf", 3, &got)); /* overlong encoding */
	ck_assert(!utf8_character("\xf0\x8f\xbf\xbf", 4, &got));
	ck_assert(!utf8_character("\xe2\x28\xa1", 3, &got));
}
END_TEST

START_TEST(a_version_of_slurm_is_two_or_three_numbers_and_a_suffix_of_the_package)
{
	const char *good =
		"22.05=22.05|22.05.8-4=22.05.8|23.11.0-0rc1=23.11.0|99.99.99=99.99.99|2.1=02.01";
	const char *bad = "|22|22.|x|22.05.|22.05.8x|222.1|22.100|22.05.100|22.05.8.1|.05|22./5";
	char text[VERSION_TEXT_MAX], part[200];
	unsigned int version, older, newer;

	while (cut(&good, part)) {
		*strchr(part, '=') = '\0';
		ck_assert_msg(version_parse(part, &version, &err) == 0, "%s", err.text);
		version_format(version, text);
		ck_assert_str_eq(text, part + strlen(part) + 1);
	}
	while (cut(&bad, part)) {
		ck_assert_msg(version_parse(part, &version, &err) < 0, "'%s'", part);
		ck_assert_ptr_nonnull(strstr(err.text, "must look like 22.05"));
	}
	version_parse("22.05.8", &older, NULL);
	version_parse("22.05", &newer, NULL); /* means the newest 22.05 */
	ck_assert(older == VERSION_OF(22, 5, 8) && older < newer && newer < VERSION_OF(23, 2, 0));
}
END_TEST

START_TEST(environment_of_a_profile_cannot_set_path_loader_shell_or_slurm_variables)
{
	const char *shapes =
		"A|A=|=1|1A=1|A-B=1|A=$B|A=`b`|A=\"b\"|A='b'|A=b;c|A=b&c|A=~|A=*|A=\\|A=b\nc|A=\xc3\xa4|A=%h|A=b#c|A=!b|A=(b)";
	const char *bad =
		"PATH|IFS|ENV|BASH_ENV|LD_PRELOAD|LD_LIBRARY_PATH|HOME|SHELL|USER|GLIBC_TUNABLES|SLURM_JOB_ID|SLURMD_X|SBATCH_X|SALLOC_X|SRUN_X|_SLURM_X|SPANK_JOBIO_X|PMI_RANK|PMIX_RANK|JOBIO_GOT_ALL|PS4";
	const char *good =
		"| \t |A=1 b=2 _=3|A=1 AA=2 a=3|PATHS=1|HOMER=1|slurm_x=1|LDX=1|ROMIO_HINTS=/etc/a-b.c\t_X9=1,2:3@4+5=6_  y=- |OMPI_MCA_io=1";
	char part[200], text[220], at[VARIABLES_MAX], why[300];

	while (cut(&shapes, part)) {
		snprintf(text, sizeof(text), "OK=1 %s", part);
		ck_assert_msg(variables_check(text, at, &err) < 0, "%s", text);
		ck_assert_str_eq(at, part);
		ck_assert_str_eq(err.text, "expected NAME=VALUE, of letters, digits and _./:,@+=-");
	}
	while (cut(&bad, part)) {
		snprintf(text, sizeof(text), "%s=1", part);
		snprintf(why, sizeof(why),
			 "%s is not for a profile to set: it decides what runs, or is Slurm's",
			 part);
		ck_assert_int_eq(variables_check(text, at, &err), -1);
		ck_assert_str_eq(err.text, why);
	}
	while (cut(&good, part))
		ck_assert_msg(variables_check(part, at, &err) == 0, "%s: %s", part, err.text);
	ck_assert_int_eq(variables_check("A=1 B=2 A=3", at, &err), -1);
	ck_assert_str_eq(err.text, "A is set twice");
}
END_TEST

/* ---- SystemComment ------------------------------------------------------------- */

#define OLD "jobio/1 nodes=1/2 cores=-"
#define NEW "jobio/1 nodes=2/2 cores=2"

START_TEST(the_summary_in_systemcomment_replaces_our_older_one_and_other_text_stays)
{
	static const char *const rows[][2] = {
		{ NULL, NEW },
		{ "", NEW },
		{ OLD, NEW },
		{ NEW, NEW },
		{ "see ticket 7", "see ticket 7 " NEW },
		{ "see ticket 7 " OLD, "see ticket 7 " NEW },
		{ "a: it's\nb: \\n|", "a: it's\nb: \\n| " NEW },
		{ OLD "\n11/21/26 burst_buffer/lua: teardown: failed",
		  NEW "\n11/21/26 burst_buffer/lua: teardown: failed" },
		{ OLD " was looked at", NEW " was looked at" },
		{ "JOBIO/1 a=1 xjobio/1 a=1 jobio/1 jobio/12 a=1",
		  "JOBIO/1 a=1 xjobio/1 a=1 jobio/1 jobio/12 a=1 " NEW },
	};
	char *text = malloc(COMMENT_MAX + 1), *got;
	size_t most = COMMENT_MAX - strlen(NEW) - 2;

	for (size_t i = 0; i < ROWS(rows); i++) {
		got = comment_with(rows[i][0], NEW, &err);
		ck_assert_str_eq(got, rows[i][1]);
		free(got);
	}
	memset(text, 'x', COMMENT_MAX);
	text[most] = '\0';
	got = comment_with(text, NEW, &err); /* the maximum length that slurmdbd stores */
	ck_assert_uint_eq(strlen(got), COMMENT_MAX - 1);
	text[most] = 'x';
	text[most + 1] = '\0';
	ck_assert_ptr_null(comment_with(text, NEW, &err));
	ck_assert_str_eq(err.text, "SystemComment: other text takes all of its 60000 bytes");
	free(got);
	free(text);
}
END_TEST

START_TEST(a_summary_is_found_anywhere_in_systemcomment)
{
	const char *none = "see jobio/1|jobio/1 a|jobio/1  a=1|";
	static const char *const rows[][2] = {
		{ OLD, OLD },
		{ "see ticket 7 " OLD "\nmore=1", OLD },
		{ OLD "\n" NEW " it's", NEW },
		{ "xjobio/1 a=1 " OLD, OLD },
		{ "jobio/1 " OLD, OLD },
		{ "jobio/1 a=1 B=2", "jobio/1 a=1" },
		{ "jobio/1 a=1 b", "jobio/1 a=1" },
		{ "jobio/1 a=1  b=2", "jobio/1 a=1" },
		{ "jobio/1 a=1 b=2|3", "jobio/1 a=1" },
		{ "jobio/1 a=1 b=\nc=3", "jobio/1 a=1 b=" },
	};
	const char *found;
	char part[200];
	size_t size;

	for (size_t i = 0; i < ROWS(rows); i++) {
		found = comment_find(rows[i][0], &size);
		ck_assert_msg(found && size == strlen(rows[i][1]) &&
				      !strncmp(found, rows[i][1], size),
			      "'%s'", rows[i][0]);
	}
	while (cut(&none, part))
		ck_assert_ptr_null(comment_find(part, &size));
	ck_assert_ptr_null(comment_find(NULL, &size));
}
END_TEST

/* ---- the host -------------------------------------------------------------------- */

START_TEST(slurm_conf_is_found_by_the_environment_or_in_the_usual_places)
{
	const char *root = tempdir_make();
	char name[256];

	tempdir_put("etc/x", "");
	setenv("SLURM_CONF", "/elsewhere/slurm.conf", 1);
	ck_assert_str_eq(host_slurm_conf(""), "/elsewhere/slurm.conf");
	ck_assert_ptr_null(host_slurm_conf(root));
	tempdir_put("usr/local/etc/slurm.conf", "");
	ck_assert_str_eq(host_slurm_conf(root), "/usr/local/etc/slurm.conf");
	tempdir_put("run/slurm/conf/slurm.conf", "");
	ck_assert_str_eq(host_slurm_conf(root), "/run/slurm/conf/slurm.conf");
	tempdir_put("etc/slurm/slurm.conf", "");
	ck_assert_str_eq(host_slurm_conf(root), "/etc/slurm/slurm.conf");
	setenv("SLURMD_NODENAME", "c1.x", 1);
	ck_assert_int_eq(host_node_name(name, sizeof(name)), 0);
	ck_assert_str_eq(name, "c1.x");
	tempdir_remove();
}
END_TEST

START_TEST(slurmd_wlm_of_debian_is_slurmd)
{
	ck_assert(host_is_daemon("slurmd", "slurmd") && host_is_daemon("slurmd-wlm", "slurmd"));
	ck_assert(host_is_daemon("slurmctld-wlm", "slurmctld"));
	ck_assert(!host_is_daemon("slurmdbd", "slurmd") && !host_is_daemon("slurm", "slurmd"));
	ck_assert(!host_is_daemon("slurmd-wl", "slurmd") &&
		  !host_is_daemon("slurmd-wlm2", "slurmd"));
}
END_TEST

/* ---- the request ------------------------------------------------------------------- */

static void set_env(const char *version, const char *cores, const char *profile)
{
	clearenv();
	if (version)
		setenv("SPANK_JOBIO_VERSION", version, 1);
	if (cores)
		setenv("SPANK_JOBIO_IO_CORES", cores, 1);
	if (profile)
		setenv("SPANK_JOBIO_IO_PROFILE", profile, 1);
}

START_TEST(a_request_in_the_environment_is_strict_since_users_can_forge_it)
{
	static const struct {
		const char *version, *cores, *profile;
		int rc;
		const char *why;
	} rows[] = {
		{ NULL, NULL, NULL, 0, "" },
		{ "1", NULL, NULL, 0, "" },
		{ "1", "256", NULL, 1, "" },
		{ "1", NULL, "p", 1, "" },
		{ "1", "3", "a_name-of-32-bytes-of-a-profile_", 1, "" },
		{ "2", "1", "stream", REQUEST_NEWER, "" },
		{ "999", "1 to 4", NULL, REQUEST_NEWER, "" },
		{ "0", "1", NULL, -1, "SPANK_JOBIO_VERSION '0'" },
		{ "1000", "1", NULL, -1, "SPANK_JOBIO_VERSION '1000'" },
		{ "2 ", "1", NULL, -1, "SPANK_JOBIO_VERSION '2 ': not a request that jobio wrote" },
		{ NULL, "1", NULL, -1, "SPANK_JOBIO_VERSION ''" },
		{ NULL, NULL, "p", -1, "SPANK_JOBIO_VERSION ''" },
		{ "1", "", NULL, -1, "SPANK_JOBIO_IO_CORES: ''" },
		{ "1", "0", NULL, -1, "SPANK_JOBIO_IO_CORES: '0'" },
		{ "1", "257", NULL, -1, "SPANK_JOBIO_IO_CORES: '257'" },
		{ "1", "-1", NULL, -1, "SPANK_JOBIO_IO_CORES: '-1'" },
		{ "1", "1", "", -1, "SPANK_JOBIO_IO_PROFILE: ''" },
		{ "1", "1", "../../etc/passwd", -1,
		  "SPANK_JOBIO_IO_PROFILE: '../../etc/passwd': not a profile name" },
		{ "1", "1", "stream\nverdict=admit", -1,
		  "SPANK_JOBIO_IO_PROFILE: 'stream?verdict=admit'" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct request request = { .io_cores = 9 };

		set_env(rows[i].version, rows[i].cores, rows[i].profile);
		err.text[0] = '\0';
		ck_assert_int_eq(request_from_env(&request, &err), rows[i].rc);
		ck_assert_msg(!strncmp(err.text, rows[i].why, strlen(rows[i].why)), "%s", err.text);
		if (rows[i].rc != 1)
			ck_assert(request.io_cores == 9 && !*request.profile);
		else
			ck_assert(request.io_cores ==
					  (rows[i].cores ? strtoul(rows[i].cores, NULL, 10) : 0) &&
				  !strcmp(request.profile, rows[i].profile ? rows[i].profile : ""));
	}
}
END_TEST

START_TEST(a_request_that_the_site_does_not_allow_is_refused_with_the_allowed_values)
{
	static const struct {
		unsigned int cores;
		const char *profile, *why;
	} rows[] = {
		{ 0, "", NULL },
		{ 2, "", NULL },
		{ 3, "stream", NULL },
		{ 1, "", "'1': this site allows 2 to 3 io-cores" },
		{ 4, "", "'4': this site allows 2 to 3 io-cores" },
		{ 2, "straem",
		  "'straem': this site has no such profile; did you mean 'stream'? (--io-profile=list shows all)" },
		{ 0, "zzz",
		  "'zzz': this site has no such profile; --io-profile=list shows what it has" },
	};
	struct config *config = conf_load(
		"[option]\nio_cores_min=2\nio_cores_max=3\n[profile stream]\nio_cores=2\n");
	struct request request;

	for (size_t i = 0; i < ROWS(rows); i++) {
		request.io_cores = rows[i].cores;
		strcpy(request.profile, rows[i].profile);
		ck_assert_int_eq(request_check(&request, config, &err), rows[i].why ? -1 : 0);
		ck_assert(!rows[i].why || !strcmp(err.text, rows[i].why));
	}
	config_free(config);
}
END_TEST

static int put_in_env(void *left, const char *name, const char *value)
{
	char prefixed[80];

	snprintf(prefixed, sizeof(prefixed), "SPANK_%s", name);
	return --*(int *)left < 0 ? -1 : setenv(prefixed, value, 1);
}

START_TEST(a_request_reaches_the_prolog_and_the_gate_file_as_it_was_made)
{
	const struct request sent = { 3, "stream" };
	struct gatefile in = { .policy = GATE_ENFORCE,
			       .is_requested = true,
			       .note = "core 3 = yours? no",
			       .client = "weka:client" };
	struct gatefile out;
	struct stat st;

	clearenv();
	for (int left = 0; left < 3; left++) /* all variables are set, or none */
		ck_assert_int_eq(request_export(&sent, put_in_env, &(int){ left }), -1);
	clearenv();
	ck_assert_int_eq(request_export(&sent, put_in_env, &(int){ 3 }), 0);
	ck_assert_int_eq(request_from_env(&in.request, &err), 1);
	cpuset_parse(&in.client_cpus, "1,33", NULL);
	cpuset_parse(&in.io_cpus, "1", NULL);
	cpuset_parse(&in.spec_cpus, "2", NULL);
	tempdir_make();
	ck_assert_int_eq(gatefile_read(tempdir_path("gate"), &out, &err), 0);
	ck_assert_int_eq(gatefile_write(tempdir_path("gate"), &in, &err), 0);
	ck_assert(stat(tempdir_path("gate"), &st) == 0 && (st.st_mode & 0777) == 0600);
	ck_assert_int_eq(gatefile_read(tempdir_path("gate"), &out, &err), 1);
	ck_assert(out.policy == GATE_ENFORCE && out.is_requested && out.request.io_cores == 3);
	ck_assert_str_eq(out.request.profile, "stream");
	ck_assert_str_eq(out.note, in.note);
	ck_assert_str_eq(out.client, in.client);
	ck_assert(cpuset_equal(&out.client_cpus, &in.client_cpus) &&
		  cpuset_equal(&out.io_cpus, &in.io_cpus) &&
		  cpuset_equal(&out.spec_cpus, &in.spec_cpus));
	tempdir_remove();
}
END_TEST

START_TEST(a_damaged_gate_file_is_an_error_and_unknown_keys_are_ignored)
{
	static const char *const rows[][2] = {
		{ "version=1\npolicy=off\ncolour=blue\n", NULL },
		{ "", "not whole" },
		{ "version=2\npolicy=off\n", "bad version '2'" },
		{ "version=1\npolicy=off\nclient_cpus=1,,2\n", "bad client_cpus '1,,2'" },
		{ "version=1\npolicy=off\nio_cores=-1\n", "bad io_cores" },
		{ "version=1\npolicy", "no '='" },
	};
	struct gatefile gate = { .request.io_cores = 7 };

	tempdir_make();
	for (size_t i = ROWS(rows); i-- > 0;) {
		ck_assert_int_eq(gatefile_read(tempdir_put("gate", rows[i][0]), &gate, &err),
				 rows[i][1] ? -1 : 1);
		ck_assert_msg(!rows[i][1] || strstr(err.text, rows[i][1]), "%s", err.text);
		ck_assert_uint_eq(gate.request.io_cores, rows[i][1] ? 7 : 0);
	}
	ck_assert_int_eq(gatefile_read(tempdir_path("gate/x"), &gate, &err), -1);
	ck_assert_int_eq(gatefile_write(tempdir_path("gate/x"), &gate, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "Not a directory"));
	tempdir_remove();
}
END_TEST

/* ---- replies of nodes, which srun interleaves -------------------------------------------- */

/* Lines of a reply; the caller frees them. */
static char *answer(const char *node, unsigned int ask, enum live_view_kind kind, const char *text)
{
	struct live_view_sender from = { .node = node, .nodes = 2, .request = ask };
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	live_view_write(file, &from, kind, text);
	fclose(file);
	return out;
}

START_TEST(a_live_reply_has_lines_that_slurmstepd_does_not_truncate)
{
	char text[LIVE_VIEW_PART_BYTES + 2], *lines, *second;

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	lines = answer("n2", 7, LIVE_VIEW_RECORD, text);
	second = lines + strcspn(lines, "\n") + 1;
	ck_assert(second - lines < 1024);
	ck_assert_int_eq(strncmp(lines, "@jobio/1 r 2 7 1 2 n2 aaa", 25), 0);
	ck_assert_str_eq(second, "@jobio/1 r 2 7 2 2 n2 a\n");
	free(lines);
}
END_TEST

/* ---- mount tables --------------------------------------------------------------------- */

START_TEST(mounts_of_a_type_are_read_and_the_upper_of_two_on_one_directory_counts)
{
	char *table = sample_read("weka/mounts.txt");
	struct mounts *mounts = mounts_parse(table, "wekafs");
	char value[64];

	ck_assert_uint_eq(mounts->count, 5); /* the first line occurs twice */
	ck_assert_str_eq(mounts_find(mounts, "/mnt/weka")->source,
			 "198.51.100.1,198.51.100.2/home");
	ck_assert_str_eq(mounts->mount[1].target, "/mnt/my scratch");
	mounts_free(mounts);
	free(table);
	mounts = mounts_parse("proc /proc proc rw 0 0\n#c /c wekafs rw 0 0\nhalf /h wekafs\n"
			      "\\043a\\040b /m wekafs rw,writecache 0 0\nb /b wekafs2 rw 0 0\n"
			      "c /m wekafs rw,x=1,context=\"s0:c1,c2\",net=ib0 0 0\n",
			      "wekafs");
	ck_assert_uint_eq(mounts->count, 1);
	ck_assert_str_eq(mounts->mount[0].source, "c");
	ck_assert(options_get(mounts->mount[0].options, "context", value, sizeof(value)));
	ck_assert_str_eq(value, "\"s0:c1,c2\"");
	ck_assert(!options_get(mounts->mount[0].options, "c2\"", NULL, 0));
	ck_assert(!options_get(mounts->mount[0].options, "et", NULL, 0));
	ck_assert(options_get("x=1,y,x=2", "x", value, sizeof(value)) && !strcmp(value, "2"));
	mounts_free(mounts);
}
END_TEST

/* ---- base/hostlist.h ------------------------------------------------------------ */

static unsigned int seed = 36;

static unsigned int dice(unsigned int sides)
{
	seed = seed * 1103515245U + 12345U;
	return seed / 65536U % sides;
}

/* "n[01-04,7]x[8-11],m7": one to three elements with up to three brackets each. */
static void make_list(char *list)
{
	static const char *const prefixes[] = { "n", "m0", "r1x", "", "gpu-", "a.b_1" };
	unsigned int elements = 1 + dice(3), brackets, ranges, low;
	char *at = list;

	for (unsigned int i = 0; i < elements; i++) {
		at += sprintf(at, "%s%s", i ? "," : "", prefixes[dice(6)]);
		brackets = dice(4);
		if (!brackets)
			at += sprintf(at, "%0*u", (int)dice(3), dice(20));
		for (unsigned int b = 0; b < brackets; b++) {
			at += sprintf(at, "%s", b && dice(2) ? "x" : "");
			ranges = 1 + dice(3);
			for (unsigned int r = 0; r < ranges; r++) {
				low = dice(2) ? dice(12) : 90 + dice(12);
				at += sprintf(at, "%c%0*u", r ? ',' : '[', (int)dice(4), low);
				if (dice(2))
					at += sprintf(at, "-%0*u", (int)dice(4), low + dice(14));
			}
			*at++ = ']';
		}
	}
	*at = '\0';
}

static bool has_name(const struct nodes *nodes, const char *name)
{
	for (size_t i = 0; i < nodes->count; i++)
		if (!strcmp(nodes->names[i], name))
			return true;
	return false;
}

/* Search for the name itself and for similar names: a digit more, a digit less, another digit. */
static size_t compare_names(const char *list, const struct nodes *nodes, const char *name)
{
	char like[RECORD_NAME_MAX + 2];
	size_t length = strlen(name), at = dice((unsigned int)length), tries = 0;

	for (int way = 0; way < 4; way++, tries++) {
		strcpy(like, name);
		if (way == 1)
			memmove(like + at, name + at + 1, length - at);
		else if (way == 2)
			sprintf(like + at, "%u%s", dice(2), name + at);
		else if (way == 3)
			like[at] = (char)('0' + dice(10));
		ck_assert_msg(hostlist_match(list, like) == has_name(nodes, like), "'%s' of '%s'",
			      like, list);
	}
	return tries;
}

START_TEST(a_host_list_is_expanded_as_by_slurm)
{
	size_t tries = 0, i;
	struct nodes *nodes;
	char list[400];

	for (int round = 0; round < 500; round++) {
		make_list(list);
		nodes = nodes_expand(list, &err);
		ck_assert_msg(nodes != NULL, "%s", list);
		/* about 100 of thousands of names */
		for (i = 0; i < nodes->count; i += 1 + nodes->count / 100)
			tries += compare_names(list, nodes, nodes->names[i]);
		nodes_free(nodes);
	}
	ck_assert_uint_gt(tries, 10000);
}
END_TEST

START_TEST(host_lists_are_read_as_strictly_as_slurm_reads_them)
{
	static const struct {
		const char *list, *name;
		int is;
	} rows[] = {
		{ "n[01-04],m7", "n04", 1 },
		{ "n[01-04],m7", "m7", 1 },
		{ "n[01-04],m7", "n4", 0 },
		{ "n[1-10]", "n01", 0 },
		{ "n[08-11]", "n11", 1 },
		{ "n[1-2]x[3-4]", "n2x3", 1 },
		{ "n1 n2\tn[7]", "n7", 1 },
		{ ",a,,b,", "b", 1 },
		{ "", "n1", 0 },
		{ "[1-3]", "2", 1 },
		{ "n[0-65535]", "n65535", 1 },
		/* Slurm 23.11 and later: suffix after brackets */
		{ "c[1-3]-ib", "c2-ib", 1 },
		{ "c[1-3]-ib", "c2", 0 },
		{ "c[1-30]5", "c205", 1 },
		{ "c[1-3]5", "c55", 0 },
		{ "c[100000000000000]", "c100000000000000", 1 },
		{ "c[1-3]", "c100000000000000000000000001", 0 },
		/* refused, wherever the bad part is */
		{ "a,n*", "a", -1 },
		{ "n?", "n1", -1 },
		{ "n[a-b]", "", -1 },
		{ "n[1-2", "", -1 },
		{ "n1]", "", -1 },
		{ "n[]", "", -1 },
		{ "n[1,,2]", "", -1 },
		{ "n[1-2,]", "", -1 },
		{ "n[-2]", "", -1 },
		{ "n[1--2]", "", -1 },
		{ "n[1-]", "", -1 },
		{ "n[5-1]", "", -1 },
		{ "n[ 1-2]", "", -1 },
		{ "n[1[2]]", "", -1 },
		{ "n[1-2]x[a]", "", -1 },
		{ "n[0-65536]", "n1", -1 },
		{ "n[1-2]x[5-1]", "m", -1 },
	};

	for (size_t i = 0; i < ROWS(rows); i++)
		ck_assert_msg(hostlist_match(rows[i].list, rows[i].name) == rows[i].is,
			      "'%s' of '%s'", rows[i].name, rows[i].list);
}
END_TEST

UNIT_MAIN("words", a_number_is_decimal_digits_within_its_bounds,
	  a_list_of_cpus_is_strict_and_comes_back_as_the_kernel_prints_it,
	  the_last_digit_of_a_cpu_mask_is_cpus_0_to_3, sets_of_cpus_follow_the_algebra_of_sets,
	  octal_escapes_of_a_mount_table_are_read_and_other_backslashes_stay,
	  a_line_that_does_not_fit_is_skipped,
	  control_and_direction_characters_and_broken_utf8_are_printed_as_question_marks,
	  each_unicode_character_is_read_and_a_part_of_one_is_invalid,
	  a_version_of_slurm_is_two_or_three_numbers_and_a_suffix_of_the_package,
	  environment_of_a_profile_cannot_set_path_loader_shell_or_slurm_variables,
	  the_summary_in_systemcomment_replaces_our_older_one_and_other_text_stays,
	  a_summary_is_found_anywhere_in_systemcomment,
	  slurm_conf_is_found_by_the_environment_or_in_the_usual_places,
	  slurmd_wlm_of_debian_is_slurmd,
	  a_request_in_the_environment_is_strict_since_users_can_forge_it,
	  a_request_that_the_site_does_not_allow_is_refused_with_the_allowed_values,
	  a_request_reaches_the_prolog_and_the_gate_file_as_it_was_made,
	  a_damaged_gate_file_is_an_error_and_unknown_keys_are_ignored,
	  a_live_reply_has_lines_that_slurmstepd_does_not_truncate,
	  mounts_of_a_type_are_read_and_the_upper_of_two_on_one_directory_counts,
	  a_host_list_is_expanded_as_by_slurm, host_lists_are_read_as_strictly_as_slurm_reads_them)
