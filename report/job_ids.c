/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of jobs, as users and Slurm write them. */
#include "report/job_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/number.h"

bool job_report_is_id(const char *id)
{
	unsigned long number;
	char copy[32], *mark;

	if (strlen(id) >= sizeof(copy))
		return false;
	strcpy(copy, id);
	mark = strpbrk(copy, "_+");
	if (mark) {
		*mark++ = 0;
		if (number_parse(mark, 0, UINT32_MAX, &number, NULL) < 0)
			return false;
	}
	return number_parse(copy, 1, UINT32_MAX, &number, NULL) == 0;
}

static int check_id(const char *id, struct err *err)
{
	size_t length = strcspn(id, ".");
	char job[32];

	if (job_report_is_id(id))
		return 0;
	if (id[length] && length < sizeof(job)) {
		snprintf(job, sizeof(job), "%.*s", (int)length, id);
		if (job_report_is_id(job))
			return err_set(err,
				       "job: '%s': a step; what is counted is the whole job: %s",
				       id, job);
	}
	return err_set(err, "job: '%s': not a job id like 7, 5_1 or 7+1", id);
}

/* "3", "1-3", "0-8:2" */
static int parse_range(char *text, unsigned long *first, unsigned long *last, unsigned long *step)
{
	char *by = strchr(text, ':'), *to = strchr(text, '-');

	*step = 1;
	if (by)
		*by++ = 0;
	if (to)
		*to++ = 0;
	if (number_parse(text, 0, UINT32_MAX, first, NULL) < 0 ||
	    (by && number_parse(by, 1, UINT32_MAX, step, NULL) < 0))
		return -1;
	*last = *first;
	return to ? number_parse(to, *first, UINT32_MAX, last, NULL) : 0;
}

/* The text between the brackets, which is cut to pieces. */
static int add_tasks(const char *job, char *list, char (*ids)[JOB_ID_SIZE], size_t max)
{
	unsigned long first, last, step, number;
	char *range, *rest = NULL;
	size_t count = 0;

	for (range = strtok_r(list, ",", &rest); range; range = strtok_r(NULL, ",", &rest)) {
		if (parse_range(range, &first, &last, &step) < 0)
			return -1;
		for (number = first; number <= last; number += step) {
			if (count == max)
				return -1;
			snprintf(ids[count], JOB_ID_SIZE, "%s_%lu", job, number);
			if (!job_report_is_id(ids[count++]))
				return -1;
		}
	}
	return count ? (int)count : -1;
}

int job_report_expand(const char *id, char (*ids)[JOB_ID_SIZE], size_t max, struct err *err)
{
	char job[12], *list = NULL, *end;
	const char *mark = strstr(id, "_[");
	int count = -1;

	if (mark && (size_t)(mark - id) < sizeof(job))
		list = xstrdup(mark + 2);
	end = list ? strpbrk(list, "]%") : NULL;
	if (end && (*end == ']' ? !end[1] : end[strlen(end) - 1] == ']')) {
		*end = 0;
		snprintf(job, sizeof(job), "%.*s", (int)(mark - id), id);
		count = add_tasks(job, list, ids, max);
	}
	free(list);
	return count < 0
		       ? err_set(err,
				 "job: '%s': not tasks of an array like 5_[1-3,7], or more than %zu",
				 id, max)
		       : count;
}

static int check_tasks(const char *id, struct err *err)
{
	char(*ids)[JOB_ID_SIZE] = xcalloc(JOB_FAMILY_MAX, JOB_ID_SIZE);
	int rc = job_report_expand(id, ids, JOB_FAMILY_MAX, err);

	free(ids);
	return rc < 0 ? -1 : 0;
}

int job_report_check(const char *id, struct err *err)
{
	return strchr(id, '[') ? check_tasks(id, err) : check_id(id, err);
}

char *job_report_next(char **list)
{
	char *id = *list + strspn(*list, ","), *end = id;
	bool is_inside = false;

	for (; *end && (is_inside || *end != ','); end++)
		is_inside = *end == '[' || (is_inside && *end != ']');
	*list = *end ? end + 1 : end;
	*end = 0;
	return *id ? id : NULL;
}
