/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the answers of nodes travel through srun, which mixes their lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/look.h"
#include "tests/unit/runner.h"

static char *put(const char *node, unsigned int ask, enum look_kind kind, const char *text)
{
	struct look_from from = { .node = node, .nodes = 2, .ask = ask };
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	look_put(file, &from, kind, text);
	fclose(file);
	return out;
}

/* All lines of the first with all of the second between them. */
static void take_mixed(struct looks *looks, char *first, char *second)
{
	char *a, *b, *rest_a = NULL, *rest_b = NULL;

	a = strtok_r(first, "\n", &rest_a);
	b = second ? strtok_r(second, "\n", &rest_b) : NULL;
	while (a || b) {
		if (a) {
			ck_assert_int_eq(looks_take(looks, a), 1);
			a = strtok_r(NULL, "\n", &rest_a);
		}
		if (b) {
			ck_assert_int_eq(looks_take(looks, b), 1);
			b = strtok_r(NULL, "\n", &rest_b);
		}
	}
	free(first);
	free(second);
}

static char *long_text(char letter, size_t size)
{
	char *text = malloc(size + 1);

	memset(text, letter, size);
	text[size] = '\0';
	return text;
}

START_TEST(long_answers_of_two_nodes_arrive_whole)
{
	char *a = long_text('a', 5000), *b = long_text('b', 1200);
	struct looks looks = { 0 };

	take_mixed(&looks, put("n2", 1, LOOK_RECORD, a), put("n1", 1, LOOK_RECORD, b));
	ck_assert_uint_eq(looks.count, 2);
	ck_assert_uint_eq(looks.nodes, 2);
	ck_assert_str_eq(looks.node[0]->name, "n1");
	ck_assert_str_eq(looks.node[0]->text, b);
	ck_assert_str_eq(looks.node[1]->text, a);
	looks_free(&looks);
	free(a);
	free(b);
}
END_TEST

START_TEST(no_line_is_as_long_as_slurmstepd_cuts)
{
	char *text = long_text('x', 3000), *out, *line;

	out = put("a-node-with-a-name-that-is-rather-long.example.org", 4294967295U, LOOK_RECORD,
		  text);
	for (line = strtok(out, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_uint_lt(strlen(line), 1024);
	free(out);
	free(text);
}
END_TEST

START_TEST(the_newest_answer_counts_and_half_of_one_does_not)
{
	struct looks looks = { 0 };

	take_mixed(&looks, put("n1", 1, LOOK_RECORD, "old"), NULL);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 2 1 2 n1 ne"), 1);
	ck_assert_str_eq(looks.node[0]->text, "old");
	ck_assert_uint_eq(looks.node[0]->ask, 1);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 2 2 2 n1 w"), 1);
	ck_assert_str_eq(looks.node[0]->text, "new");
	ck_assert_uint_eq(looks.node[0]->ask, 2);
	/* a part is lost, or of another answer */
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 3 2 2 n1 w"), 0);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 3 1 2 n1 x"), 1);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 4 2 2 n1 y"), 0);
	ck_assert_str_eq(looks.node[0]->text, "new");
	looks_free(&looks);
}
END_TEST

START_TEST(a_node_that_will_never_answer_says_why)
{
	struct looks looks = { 0 };

	take_mixed(&looks, put("n1", 0, LOOK_ERROR, "it is older"), NULL);
	ck_assert(looks.node[0]->is_mute);
	ck_assert_str_eq(looks.node[0]->text, "it is older");
	take_mixed(&looks, put("n1", 2, LOOK_ERROR, ""), NULL);
	ck_assert(!looks.node[0]->is_mute);
	ck_assert_str_eq(looks.node[0]->text, "");
	looks_free(&looks);
}
END_TEST

START_TEST(what_is_no_line_of_an_answer_is_left_alone)
{
	static const char *const lines[] = {
		"",
		"hello",
		"@jobio/1",
		"@jobio/1 r 1 1 1 1 n1",
		"@jobio/2 r 1 1 1 1 n1 x",
		"@jobio/1 x 1 1 1 1 n1 x",
		"@jobio/1 rr 1 1 1 1 n1 x",
		"@jobio/1 r 65537 1 1 1 n1 x",
		"@jobio/1 r 1 0 1 1 n1 x",
		"@jobio/1 r 1 1 0 1 n1 x",
		"@jobio/1 r 1 1 2 1 n1 x",
		"@jobio/1 r 1 1 1 438 n1 x",
		"@jobio/1 r 1 -1 1 1 n1 x",
		"@jobio/1 r 1 1 1 1  x",
	};
	struct looks looks = { 0 };
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(looks_take(&looks, lines[i]) == 0, "'%s'", lines[i]);
	ck_assert_uint_eq(looks.count, 0);
	looks_free(&looks);
}
END_TEST

START_TEST(an_answer_as_long_as_a_record_arrives_and_no_longer_one)
{
	char *text = long_text('x', LOOK_TEXT_MAX + 1), *lines, *line;
	char *rest = NULL;
	struct looks looks = { 0 };
	int last = -1;

	text[LOOK_TEXT_MAX] = '\0';
	take_mixed(&looks, put("n1", 1, LOOK_RECORD, text), NULL);
	ck_assert_str_eq(looks.node[0]->text, text);
	text[LOOK_TEXT_MAX] = 'x';
	lines = put("n1", 2, LOOK_RECORD, text);
	for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		last = looks_take(&looks, line);
	ck_assert_int_eq(last, 0);
	ck_assert_uint_eq(looks.node[0]->ask, 1);
	looks_free(&looks);
	free(lines);
	free(text);
}
END_TEST

static unsigned int lines_of(size_t size)
{
	char *text = long_text('x', size);
	char *out = put("n1", 1, LOOK_RECORD, text), *at;
	unsigned int lines = 0;

	for (at = out; (at = strchr(at, '\n')); at++)
		lines++;
	free(out);
	free(text);
	return lines;
}

START_TEST(an_answer_is_cut_to_lines_of_six_hundred_bytes)
{
	char *out = put("n1", 7, LOOK_ERROR, "no");

	ck_assert_str_eq(out, "@jobio/1 e 2 7 1 1 n1 no\n");
	free(out);
	ck_assert_uint_eq(lines_of(0), 1);
	ck_assert_uint_eq(lines_of(1), 1);
	ck_assert_uint_eq(lines_of(599), 1);
	ck_assert_uint_eq(lines_of(600), 1);
	ck_assert_uint_eq(lines_of(601), 2);
	ck_assert_uint_eq(lines_of(1200), 2);
	ck_assert_uint_eq(lines_of(1201), 3);
}
END_TEST

START_TEST(nodes_are_in_the_order_of_their_names_whoever_answers_first)
{
	struct looks looks = { 0 };
	char line[80], name[8];
	unsigned int i;

	/* twice, each time all of them in an order of its own */
	for (i = 0; i < 200; i++) {
		snprintf(line, sizeof(line), "@jobio/1 r 100 %u 1 1 n%02u %u", i / 100 + 1,
			 i * (i < 100 ? 37 : 73) % 100, i);
		ck_assert_int_eq(looks_take(&looks, line), 1);
	}
	ck_assert_uint_eq(looks.count, 100);
	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "n%02u", i);
		ck_assert_str_eq(looks.node[i]->name, name);
		ck_assert_uint_eq(looks.node[i]->ask, 2);
	}
	looks_free(&looks);
	ck_assert_uint_eq(looks.count, 0);
	looks_free(NULL);
}
END_TEST

START_TEST(the_last_of_each_number_of_a_line_is_taken)
{
	static const char *const lines[] = {
		"@jobio/1 r 65536 1 1 1 n1 x", "@jobio/1 r 1 4294967295 1 1 n1 x",
		"@jobio/1 r 1 1 1 437 n1 x",   "@jobio/1 e 1 0 1 1 n1 x",
		"@jobio/1 r 0 1 1 1 n1 x",
	};
	struct looks looks = { 0 };
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(looks_take(&looks, lines[i]) == 1, "%s", lines[i]);
	ck_assert_uint_eq(looks.count, 1);
	ck_assert_uint_eq(looks.nodes, 1); /* 0: not known, by that node */
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 0 1 1 n1 x"), 0);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 1 1 438 n1 x"), 0);
	ck_assert_int_eq(looks_take(&looks, "@jobio/1 r 1 4294967296 1 1 n1 x"), 0);
	looks_free(&looks);
}
END_TEST

UNIT_MAIN("look", long_answers_of_two_nodes_arrive_whole, no_line_is_as_long_as_slurmstepd_cuts,
	  the_newest_answer_counts_and_half_of_one_does_not, a_node_that_will_never_answer_says_why,
	  what_is_no_line_of_an_answer_is_left_alone,
	  an_answer_as_long_as_a_record_arrives_and_no_longer_one,
	  an_answer_is_cut_to_lines_of_six_hundred_bytes,
	  nodes_are_in_the_order_of_their_names_whoever_answers_first,
	  the_last_of_each_number_of_a_line_is_taken)
