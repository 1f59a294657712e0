/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/lack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/sysfs.h"
#include "node/clients.h"

#define WHY_MAX 300 /* bytes of a finding in the note */
#define NOT_APPLIED "profile '%s' was not applied"
#define WITHOUT_USE "io-cores without use"

/* Return the first finding of the highest severity in the range; NULL: none. */
static const struct finding *worst(const struct visit *visit, size_t from, size_t to)
{
	const struct finding *worst = NULL, *finding;
	size_t i;

	for (i = from; i < to && i < visit->findings.count; i++) {
		finding = &visit->findings.list[i];
		if (!worst || finding->severity > worst->severity)
			worst = finding;
	}
	return worst;
}

/* Append "WHAT: WHY; CURE" to the note. A cure for administrators is left out: it is in the record
 * and in the node's log. */
static void add_note(struct visit *visit, const char *what, const struct finding *why,
		     const char *otherwise)
{
	size_t used = strlen(visit->note);
	bool has_cure = why && why->is_users;

	snprintf(visit->note + used, sizeof(visit->note) - used, "%s%s: %.*s%s%s", used ? "; " : "",
		 what, WHY_MAX, why ? why->text : otherwise, has_cure ? "; " : "",
		 has_cure ? why->cure : "");
}

/* Return the finding that explains why a client's settings differ from the profile, by its rules;
 * NULL: the reason is in [otherwise]. */
static const struct finding *why_other(const struct visit *visit, char otherwise[WHY_MAX])
{
	const struct finding *why;
	size_t i = clients_without_profile(visit);

	snprintf(otherwise, WHY_MAX, "the client's settings are others");
	if (i == visit->client_count)
		return NULL;
	if (!client_facts(visit->clients[i])->mount_count) {
		snprintf(otherwise, WHY_MAX, "no filesystem of [client %s] is mounted",
			 visit->sections[i]->name);
		return NULL;
	}
	why = worst(visit, visit->judged_from[i], visit->judged_to[i]);
	return why && why->severity == FINDING_ERROR ? why : NULL;
}

static void describe_profile(struct visit *visit)
{
	const struct finding *why;
	char what[PROFILE_NAME_MAX + 40], otherwise[WHY_MAX];

	if (*visit->no_profile.text) {
		snprintf(what, sizeof(what), NOT_APPLIED, visit->asked.profile);
		add_note(visit, what, NULL, visit->no_profile.text);
	}
	if (!*visit->request.profile)
		return;
	visit->state->profile_applied = clients_have_profile(visit);
	if (visit->state->profile_applied)
		return;
	snprintf(what, sizeof(what), NOT_APPLIED, visit->request.profile);
	why = worst(visit, visit->findings_client, visit->findings_judge);
	if (visit->client_count && !clients_take_profile(visit)) {
		why = NULL;
		snprintf(otherwise, sizeof(otherwise),
			 "it has no setting that this node's client takes");
	} else if (!why) {
		why = why_other(visit, otherwise);
	}
	add_note(visit, what, why, otherwise);
}

static void add_other_cpus(struct visit *visit, const struct cpuset *is)
{
	char *has = cpuset_format(is);
	char *should = cpuset_format(&visit->want.io_cpus);
	char text[WHY_MAX];

	snprintf(text, sizeof(text),
		 "the filesystem client works on CPU %.100s, Slurm reserved CPU %.100s for it",
		 has ? has : "?", should ? should : "?");
	add_note(visit, WITHOUT_USE, NULL, text);
	free(has);
	free(should);
}

/* Get the CPUs of the owner of the io-cores, or of all clients if there is no owner. Return 1, 0 if
 * there are none, -1 if unknown. */
static int find_cpus(const struct visit *visit, struct cpuset *cpus)
{
	const struct client_facts *facts;
	size_t i;

	cpuset_zero(cpus);
	for (i = 0; i < visit->client_count; i++) {
		if (visit->owner < visit->client_count && i != visit->owner)
			continue;
		facts = client_facts(visit->clients[i]);
		if (!facts->cpus_known)
			return -1;
		cpuset_or(cpus, &facts->frontend_cpus);
	}
	return !cpuset_is_empty(cpus);
}

static void describe_cores(struct visit *visit)
{
	struct cpuset is, whole;

	if (*visit->no_cores.text)
		add_note(visit, WITHOUT_USE, NULL, visit->no_cores.text);
	if (!visit->request.io_cores)
		return;
	if (!visit->client_count) {
		add_note(visit, WITHOUT_USE,
			 worst(visit, visit->findings_client, visit->findings_judge),
			 "the node has no filesystem client");
		return;
	}
	visit->state->cores_met = -1;
	if (!visit->want.has_io_cores || find_cpus(visit, &is) <= 0)
		return;
	sysfs_whole_cores(&visit->want.io_cpus, &whole);
	visit->state->cores_met = cpuset_is_subset(&is, &whole);
	if (!visit->state->cores_met)
		add_other_cpus(visit, &is);
}

void lack_describe(struct visit *visit)
{
	describe_profile(visit);
	describe_cores(visit);
}
