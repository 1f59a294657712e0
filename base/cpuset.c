/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpuset.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS (CPUSET_MAX / 64)

static int bad_list(const char *list, const char *why, struct err *err)
{
	return err_set(err, "CPU list '%.80s': %s", list, why);
}

/* Read one number at *at and step over it. Return -1 if there is none or it is CPUSET_MAX or
 * more. */
static long parse_number(const char **at)
{
	long n = 0;

	if (**at < '0' || **at > '9')
		return -1;
	for (; **at >= '0' && **at <= '9'; (*at)++) {
		n = n * 10 + (**at - '0');
		if (n >= CPUSET_MAX)
			return -1;
	}
	return n;
}

static bool at_end(const char *at)
{
	return !*at || (at[0] == '\n' && !at[1]);
}

int cpuset_parse(struct cpuset *set, const char *list, struct err *err)
{
	struct cpuset new = { { 0 } };
	const char *at = list;
	long low, high, n;

	while (!at_end(at) || at != list) {
		low = high = parse_number(&at);
		if (low < 0)
			return bad_list(list, "expected a number below 8192", err);
		if (*at == '-') {
			at++;
			high = parse_number(&at);
			if (high < low)
				return bad_list(list, "bad range", err);
		}
		for (n = low; n <= high; n++)
			cpuset_add(&new, (unsigned int)n);
		if (at_end(at))
			break;
		if (*at++ != ',')
			return bad_list(list, "expected a comma", err);
	}
	*set = new;
	return 0;
}

static int bad_mask(const char *mask, const char *why, struct err *err)
{
	return err_set(err, "CPU mask '%.80s': %s", mask, why);
}

static int hex_value(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = memchr(digits, tolower((unsigned char)digit), 16);

	return at ? (int)(at - digits) : -1;
}

int cpuset_parse_mask(struct cpuset *set, const char *mask, struct err *err)
{
	struct cpuset new = { { 0 } };
	size_t left = strlen(mask);
	unsigned int cpu = 0, bit;
	int value;

	if (left && mask[left - 1] == '\n')
		left--;
	while (left) {
		if (mask[--left] == ',') {
			cpu = (cpu + 31) / 32 * 32;
			continue;
		}
		value = hex_value(mask[left]);
		if (value < 0)
			return bad_mask(mask, "expected hexadecimal digits", err);
		if (value && cpu >= CPUSET_MAX)
			return bad_mask(mask, "expected CPUs below 8192", err);
		for (bit = 0; bit < 4; bit++)
			if (value & 1 << bit)
				cpuset_add(&new, cpu + bit);
		cpu += 4;
	}
	if (!cpu)
		return bad_mask(mask, "it is empty", err);
	*set = new;
	return 0;
}

char *cpuset_format(const struct cpuset *set)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int low, high;

	if (!out)
		return NULL;
	for (low = cpuset_next(set, 0); low >= 0; low = cpuset_next(set, (unsigned int)high + 1)) {
		high = low;
		while (cpuset_has(set, (unsigned int)high + 1))
			high++;
		fprintf(out, ftell(out) > 0 ? ",%d" : "%d", low);
		if (high > low)
			fprintf(out, "-%d", high);
	}
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

void cpuset_zero(struct cpuset *set)
{
	memset(set, 0, sizeof(*set));
}

void cpuset_add(struct cpuset *set, unsigned int member)
{
	if (member < CPUSET_MAX)
		set->word[member / 64] |= UINT64_C(1) << (member % 64);
}

void cpuset_del(struct cpuset *set, unsigned int member)
{
	if (member < CPUSET_MAX)
		set->word[member / 64] &= ~(UINT64_C(1) << (member % 64));
}

bool cpuset_has(const struct cpuset *set, unsigned int member)
{
	return member < CPUSET_MAX && (set->word[member / 64] >> (member % 64) & 1);
}

bool cpuset_is_empty(const struct cpuset *set)
{
	return cpuset_next(set, 0) < 0;
}

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool cpuset_intersects(const struct cpuset *a, const struct cpuset *b)
{
	int i;

	for (i = 0; i < WORDS; i++)
		if (a->word[i] & b->word[i])
			return true;
	return false;
}

bool cpuset_is_subset(const struct cpuset *part, const struct cpuset *whole)
{
	int i;

	for (i = 0; i < WORDS; i++)
		if (part->word[i] & ~whole->word[i])
			return false;
	return true;
}

unsigned int cpuset_count(const struct cpuset *set)
{
	unsigned int count = 0;
	int i;

	for (i = 0; i < WORDS; i++)
		count += (unsigned int)__builtin_popcountll(set->word[i]);
	return count;
}

int cpuset_next(const struct cpuset *set, unsigned int from)
{
	uint64_t word;
	unsigned int i;

	if (from >= CPUSET_MAX)
		return -1;
	i = from / 64;
	word = set->word[i] & (~UINT64_C(0) << (from % 64));
	while (!word) {
		if (++i == WORDS)
			return -1;
		word = set->word[i];
	}
	return (int)(i * 64) + __builtin_ctzll(word);
}

void cpuset_and(struct cpuset *a, const struct cpuset *b)
{
	int i;

	for (i = 0; i < WORDS; i++)
		a->word[i] &= b->word[i];
}

void cpuset_or(struct cpuset *a, const struct cpuset *b)
{
	int i;

	for (i = 0; i < WORDS; i++)
		a->word[i] |= b->word[i];
}

void cpuset_andnot(struct cpuset *a, const struct cpuset *b)
{
	int i;

	for (i = 0; i < WORDS; i++)
		a->word[i] &= ~b->word[i];
}
