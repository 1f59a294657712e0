/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"

void print_list(const char *label, const struct cpuset *set)
{
	char *list = cpuset_format(set);

	printf("%-16s %s\n", label, list && *list ? list : "none");
	free(list);
}

void print_findings(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		printf("%s %s: %s\n", finding->code, finding_severity_name(finding->severity),
		       finding->text);
		if (*finding->cure)
			printf("    cure: %s\n", finding->cure);
	}
}

void print_add_text(struct json *json, const char *key, char *text)
{
	json_add_text(json, key, text ? text : "");
	free(text);
}

void print_add_findings(struct json *json, const struct findings *findings, bool has_same)
{
	struct json *list = json_add_list(json, "findings"), *one;

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];

		one = json_append_object(list);
		json_add_text(one, "code", finding->code);
		json_add_text(one, "severity", finding_severity_name(finding->severity));
		json_add_text(one, "text", finding->text);
		if (has_same)
			json_add_number(one, "same_bytes", (int64_t)finding->same_bytes);
		json_add_text(one, "cure", finding->cure);
	}
}

void print_json(struct json *json)
{
	puts(json_line(json));
	json_free(json);
}

/* Half of a list, on a disk that is full, is no success. */
int print_end(int status)
{
	int error = fflush(stdout) ? errno : 0;

	if ((!error && !ferror(stdout)) || error == EPIPE)
		return status;
	fprintf(stderr, "jobio: standard output: %s\n",
		error ? strerror(error) : "not all could be written");
	return status ? status : 1;
}
