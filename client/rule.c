/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "client/mounts.h"
#include "client/type.h"
#include "record/alloc.h"

void rule_check_all(const struct judge *judge)
{
	const struct rule *rule = judge->client->type->rules;

	for (; rule && rule->code; rule++)
		if (rule->check)
			rule->check(judge, rule);
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

void rule_report(const struct judge *judge, const struct rule *rule, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(judge->findings, rule, rule->cure, NULL, format, args);
	va_end(args);
}

void rule_report_target(const struct judge *judge, const struct rule *rule, const char *target,
			const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(judge->findings, rule, rule->cure, target, format, args);
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

void rule_report_named(const struct judge *judge, const struct rule *rule, const char *name,
		       const char *format, ...)
{
	char *cure = rule_cure_for(rule->cure, name);
	va_list args;

	va_start(args, format);
	add(judge->findings, rule, cure, NULL, format, args);
	va_end(args);
	free(cure);
}

void rule_report_code(const struct client *client, const char *code, const char *cure,
		      struct findings *findings, const char *format, ...)
{
	const struct rule *rule = client->type->rules;
	va_list args;

	while (rule && rule->code && strcmp(rule->code, code) != 0)
		rule++;
	if (!rule || !rule->code)
		return;
	va_start(args, format);
	add(findings, rule, cure ? cure : rule->cure, NULL, format, args);
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

/* Read the next word of 'words'; false: none. */
static bool next_word(const char **words, char word[512])
{
	size_t length;

	*words += strspn(*words, " \t");
	length = strcspn(*words, " \t");
	snprintf(word, 512, "%.*s", (int)length, *words);
	*words += length;
	return length > 0;
}

bool rule_is_idle(const struct client *client)
{
	const char *at = client->section->mounts;
	char target[512];

	if (client->common.mount_count)
		return false;
	if (!*at)
		return mounts_come_later(client, "");
	while (next_word(&at, target))
		if (mounts_come_later(client, target))
			return true;
	return false;
}

void rule_check_no_mount(const struct judge *judge, const struct rule *rule)
{
	const struct client *client = judge->client;

	if (!client->common.mount_count && !rule_is_idle(client))
		rule_report(judge, rule, "no file system of type %.*s is mounted%s%s",
			    (int)strcspn(client->type->fstypes, " "), client->type->fstypes,
			    *client->section->mounts ? " on " : "", client->section->mounts);
}

void rule_check_missing_mount(const struct judge *judge, const struct rule *rule)
{
	const char *at = judge->client->section->mounts;
	char target[512];

	if (!judge->client->common.mount_count && !rule_is_idle(judge->client))
		return;
	while (next_word(&at, target))
		if (!mounts_find(judge->client->mounts, target) &&
		    !mounts_come_later(judge->client, target))
			rule_report(judge, rule, "'%s' is not mounted (mounts= of [client %s])",
				    target, judge->client->section->name);
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

void rule_check_siblings(const struct judge *judge, const struct rule *rule)
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
		rule_report(judge, rule,
			    "CPU %s shares a core with the client, but Slurm gives it to the job",
			    rule_list(&torn, list));
}

void rule_check_other_cores(const struct judge *judge, const struct rule *rule)
{
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	const struct cpuset *cpus = frontends(judge);
	struct rule adapted = *rule;
	struct cpuset whole;

	if (!cpus)
		return;
	if (judge->client->common.fixed_cores)
		adapted.cure =
			"ask for as many io-cores as the client has (io_cores_min in jobio.conf), and reserve its cores in CpuSpecList";
	if (cpuset_is_empty(&judge->desired->io_cpus)) {
		/* a job that reserves nothing need not have those CPUs: the gate checks that for
		 * each task */
		if (!judge->desired->io_cores)
			adapted.severity = FINDING_INFO;
		rule_report(judge, &adapted,
			    "the client uses CPU %s, but Slurm reserves no CPU for this job",
			    rule_list(cpus, is));
		return;
	}
	sysfs_whole_cores(&judge->desired->io_cpus, &whole);
	if (!cpuset_is_subset(cpus, &whole))
		rule_report(judge, &adapted,
			    "the client uses CPU %s, but Slurm reserves CPU %s for this job",
			    rule_list(cpus, is), rule_list(&judge->desired->io_cpus, should));
}

void rule_check_too_few(const struct judge *judge, const struct rule *rule)
{
	char is[RULE_LIST_MAX], should[RULE_LIST_MAX];
	const struct cpuset *cpus = frontends(judge);

	if (!cpus || !judge->client->common.cpus_known ||
	    !cpuset_is_subset(cpus, &judge->desired->io_cpus) ||
	    cpuset_is_subset(&judge->desired->io_cpus, cpus))
		return;
	rule_report(judge, rule, "the client uses CPU %s of the reserved CPU %s: the rest is idle",
		    rule_list(cpus, is), rule_list(&judge->desired->io_cpus, should));
}
