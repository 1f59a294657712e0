/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/text.h"
#include "client/mounts.h"
#include "client/type.h"
#include "record/alloc.h"

void rule_check_all(struct judge *judge)
{
	const struct rule *rule = judge->client->type->rules;
	size_t at;

	for (; rule && rule->code; rule++) {
		judge->rule = rule;
		if (rule->check && !rule->each)
			rule->check(judge);
		for (at = 0; rule->each && rule->each(judge, &at);)
			rule->check(judge);
		judge->name = judge->target = NULL;
	}
}

static void add(struct findings *findings, const struct rule *rule, const char *cure,
		const char *target, const char *format, va_list args)
{
	struct finding *finding;
	char text[ERR_MAX];

	vsnprintf(text, sizeof(text), format, args);
	finding = findings_add(findings, rule->code, rule->severity, cure, "%s", text);
	finding->reach = rule->reach;
	finding->target = xstrdup(target);
}

/* Report the rule about a target; NULL: none. */
static void report(const struct judge *judge, const char *target, const char *format, va_list args)
{
	char *cure = judge->name ? rule_cure_for(judge->rule->cure, judge->name) : NULL;

	add(judge->findings, judge->rule, cure ? cure : judge->rule->cure, target, format, args);
	free(cure);
}

void rule_report(const struct judge *judge, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(judge, judge->target, format, args);
	va_end(args);
}

void rule_report_target(const struct judge *judge, const char *target, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(judge, target, format, args);
	va_end(args);
}

char *rule_cure_for(const char *cure, const char *name)
{
	static const char place[] = "NAME";
	char *text = xstrdup(""), *more;
	const char *at;

	for (; (at = strstr(cure, place)); cure = at + strlen(place)) {
		more = xasprintf("%s%.*s%s", text, (int)(at - cure), cure, name);
		free(text);
		text = more;
	}
	more = xasprintf("%s%s", text, cure);
	free(text);
	return more;
}

bool rule_is(const char *code, const char *end)
{
	size_t length = strlen(code), of_end = strlen(end);

	return length >= of_end && !strcmp(code + length - of_end, end);
}

void rule_report_code(const struct client *client, const char *code, const char *cure,
		      const char *format, ...)
{
	const struct rule *rule = client->type->rules;
	va_list args;

	while (rule && rule->code && !rule_is(rule->code, code))
		rule++;
	if (!rule || !rule->code)
		return;
	va_start(args, format);
	add(client->findings, rule, cure ? cure : rule->cure, NULL, format, args);
	va_end(args);
}

/* Only with OverSubscribe=FORCE:n can others run on the node of a job with io-cores. */
const char *rule_shared_cure(const struct client_desired *desired)
{
	return desired->io_cores ? "use a partition without OverSubscribe=FORCE" : NULL;
}

const char *rule_list(const struct cpuset *cpus, char text[RULE_LIST_MAX])
{
	char *list = cpuset_format(cpus);

	snprintf(text, RULE_LIST_MAX, "%s", list && *list ? list : "none");
	free(list);
	return text;
}

/* ---- mounts ------------------------------------------------------------ */

bool rule_is_idle(const struct client *client)
{
	const char *at = client->section->mounts;
	char target[512];

	if (client->common.mount_count)
		return false;
	if (!*at)
		return mounts_come_later(client, "");
	while (text_next_word(&at, target, sizeof(target)))
		if (mounts_come_later(client, target))
			return true;
	return false;
}

void rule_check_no_mount(const struct judge *judge)
{
	const struct client *client = judge->client;

	if (!client->common.mount_count && !rule_is_idle(client))
		rule_report(judge, "no file system of type %.*s is mounted%s%s",
			    (int)strcspn(client->type->fstypes, " "), client->type->fstypes,
			    *client->section->mounts ? " on " : "", client->section->mounts);
}

void rule_check_missing_mount(const struct judge *judge)
{
	const char *at = judge->client->section->mounts;
	char target[512];

	if (!judge->client->common.mount_count && !rule_is_idle(judge->client))
		return;
	while (text_next_word(&at, target, sizeof(target)))
		if (!mounts_find(judge->client->mounts, target) &&
		    !mounts_come_later(judge->client, target))
			rule_report(judge, "'%s' is not mounted (mounts= of [client %s])", target,
				    judge->client->section->name);
}

/* ---- cores ------------------------------------------------------------- */

/* Return NULL if there is nothing to compare. */
static const struct cpuset *frontends(const struct judge *judge)
{
	const struct client_facts *facts = &judge->client->common;

	if (!judge->desired || !judge->desired->has_io_cores ||
	    cpuset_is_empty(&facts->frontend_cpus))
		return NULL;
	return &facts->frontend_cpus;
}

void rule_check_siblings(const struct judge *judge)
{
	const struct cpuset *cpus = frontends(judge);
	char list[RULE_LIST_MAX];
	struct cpuset torn;

	if (!cpus || !cpuset_intersects(cpus, &judge->desired->io_cpus))
		return;
	sysfs_whole_cores(&judge->desired->io_cpus, &torn);
	cpuset_and(&torn, cpus);
	cpuset_andnot(&torn, &judge->desired->io_cpus);
	if (!cpuset_is_empty(&torn))
		rule_report(judge,
			    "CPU %s shares a core with the client, but Slurm gives it to the job",
			    rule_list(&torn, list));
}

void rule_check_other_cores(const struct judge *judge)
{
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	const struct cpuset *cpus = frontends(judge);
	struct rule adapted = *judge->rule;
	struct judge of_job = *judge;
	struct cpuset whole;

	if (!cpus)
		return;
	of_job.rule = &adapted;
	if (judge->client->common.fixed_cores)
		adapted.cure =
			"ask for as many io-cores as the client has (io_cores_min in jobio.conf), and reserve its cores in CpuSpecList";
	if (cpuset_is_empty(&judge->desired->io_cpus)) {
		/* a job that reserves nothing need not have those CPUs: the gate checks that for
		 * each task */
		if (!judge->desired->io_cores)
			adapted.severity = FINDING_INFO;
		rule_report(&of_job,
			    "the client uses CPU %s, but Slurm reserves no CPU for this job",
			    rule_list(cpus, is));
		return;
	}
	sysfs_whole_cores(&judge->desired->io_cpus, &whole);
	if (!cpuset_is_subset(cpus, &whole))
		rule_report(&of_job,
			    "the client uses CPU %s, but Slurm reserves CPU %s for this job",
			    rule_list(cpus, is), rule_list(&judge->desired->io_cpus, should));
}

void rule_check_too_few(const struct judge *judge)
{
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	const struct cpuset *cpus = frontends(judge);

	if (!cpus || !judge->client->common.cpus_known ||
	    !cpuset_is_subset(cpus, &judge->desired->io_cpus) ||
	    cpuset_is_subset(&judge->desired->io_cpus, cpus))
		return;
	rule_report(judge, "the client uses CPU %s of the reserved CPU %s: the rest is idle",
		    rule_list(cpus, is), rule_list(&judge->desired->io_cpus, should));
}
