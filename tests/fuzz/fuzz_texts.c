/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small parsers of lib, each with the whole input: lists of CPUs, numbers,
 * versions, names, comments, MUNGE credentials, variables, texts of the kernel. */
#include "base/config.h"
#include "base/config_names.h"
#include "base/cpuset.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/variables.h"
#include "base/version.h"
#include "ledger/comment.h"
#include "link/payload.h"
#include "spank/stepio.h"
#include "tests/fuzz/fuzz.h"

static const char ours[] = "jobio/1 nodes=1/1";

static void try_cpus(const char *text)
{
	struct cpuset cpus, again;
	struct err err = { "" };
	char *list;

	if (cpuset_parse(&cpus, text, &err) < 0) {
		MUST(*err.text);
		return;
	}
	list = cpuset_format(&cpus);
	MUST(list && cpuset_parse(&again, list, &err) == 0);
	MUST(cpuset_equal(&cpus, &again));
	MUST(cpuset_is_empty(&cpus) == !cpuset_count(&cpus));
	free(list);
}

static void try_mask(const char *text)
{
	struct cpuset cpus;
	struct err err = { "" };

	if (cpuset_parse_mask(&cpus, text, &err) < 0)
		MUST(*err.text);
	else
		MUST(cpuset_count(&cpus) <= 4 * strlen(text));
}

static void try_numbers(const char *text)
{
	char version[VERSION_TEXT_MAX], number[32];
	unsigned int parsed, again;
	unsigned long n;

	if (number_parse(text, 3, 1UL << 40, &n, NULL) == 0) {
		MUST(n >= 3 && n <= 1UL << 40);
		snprintf(number, sizeof(number), "%lu", n);
		MUST(!strcmp(number, text));
	}
	if (version_parse(text, &parsed, NULL) == 0) {
		version_format(parsed, version);
		MUST(version_parse(version, &again, NULL) == 0);
		MUST(again == parsed);
	}
}

static void try_comment(const char *text)
{
	struct err err = { "" };
	char *with = comment_with(text, ours, &err), *again;
	const char *found;
	size_t length;

	MUST(with || *err.text);
	if (!with)
		return;
	found = comment_find(with, &length);
	MUST(found && length >= strlen(ours));
	MUST(!strncmp(found, ours, strlen(ours)));
	again = comment_with(with, ours, &err);
	MUST(again && strlen(again) <= strlen(with));
	free(again);
	free(with);
}

static void try_variables(const char *text)
{
	char word[VARIABLES_MAX], pair[2 * VARIABLES_MAX];
	struct variable variable;
	const char *at = text;
	struct err err = { "" };
	bool is_good = variables_check(text, word, &err) == 0;

	MUST(is_good || *err.text);
	while (variable_next(&at, &variable)) {
		snprintf(pair, sizeof(pair), "%s=%s", variable.name, variable.value);
		MUST(*variable.name && *variable.value);
		MUST(!strncmp(at - strlen(pair), pair, strlen(pair)));
		MUST(!is_good || variables_check(pair, word, &err) == 0);
	}
	MUST(!is_good || !*at);
}

static void try_texts(char *text, size_t size)
{
	char line[128], clean[64];
	const char *at = text;
	unsigned int code;
	size_t n, i;

	while (text_next_line(&at, line, sizeof(line)))
		MUST(strlen(line) < sizeof(line));
	config_is_name(text);
	utf8_clean(clean, sizeof(clean), text, size);
	for (i = 0; clean[i]; i += n) {
		n = utf8_character(clean + i, strlen(clean + i), &code);
		MUST(n && !utf8_is_hidden(code));
	}
	n = strlen(text);
	text_unescape_octal(text);
	MUST(strlen(text) <= n);
}

FUZZ(texts)
{
	char *text = fuzz_text(data, size), *copy = fuzz_text(data, size);
	struct stepio io;
	char *nonces = NULL;

	try_cpus(text);
	try_mask(text);
	try_numbers(text);
	try_comment(text);
	try_variables(text);
	if (payload_parse(copy, &nonces))
		payload_has_nonce(nonces, "0123456789abcdef0123456789abcdef");
	stepio_read(&io, fuzz_file("io", text), NULL);
	try_texts(text, size);
	free(copy);
	free(text);
	return 0;
}
