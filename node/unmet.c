/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/unmet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/sysfs.h"
#include "node/clients.h"

#define WHY_MAX 300 /* bytes of a finding in the note */
#define NOT_APPLIED "profile '%s' was not applied"
#define WITHOUT_EFFECT "io-cores without use"

/* Return the first finding of the highest severity of a phase, and of this client; NULL: there is
 * none. [client] NULL: of any. */
static const struct finding *find_worst(const struct findings *findings, enum finding_phase phase,
					const char *client)
{
	const struct finding *worst = NULL, *one = findings->list;
	size_t i;

	for (i = 0; i < findings->count; i++, one++)
		if (one->phase == phase && (!client || one->client == client) &&
		    (!worst || one->severity > worst->severity))
			worst = one;
	return worst;
}

/* Append "WHAT: WHY; CURE" to the note. A cure for administrators is left out: it is in the record
 * and in the node's log. */
static void add_note(char note[GATE_TEXT_MAX], const char *what, const struct finding *why,
		     const char *otherwise)
{
	size_t used = strlen(note);
	bool has_cure = why && why->reach == FINDING_OF_JOB && why->cure;

	snprintf(note + used, GATE_TEXT_MAX - used, "%s%s: %.*s%s%s", used ? "; " : "", what,
		 WHY_MAX, why ? why->text : otherwise, has_cure ? "; " : "",
		 has_cure ? why->cure : "");
}

/* Return the finding that explains why a client's settings differ from the profile, by its rules;
 * NULL: the reason is in [otherwise]. */
static const struct finding *find_other_reason(const struct prepare_context *ctx,
					       char otherwise[WHY_MAX])
{
	const struct finding *why;
	size_t i = clients_without_profile(ctx);

	snprintf(otherwise, WHY_MAX, "the client's settings are others");
	if (i == ctx->client_count)
		return NULL;
	if (!client_facts(ctx->clients[i])->mount_count) {
		snprintf(otherwise, WHY_MAX, "no filesystem of [client %s] is mounted",
			 ctx->sections[i]->name);
		return NULL;
	}
	why = find_worst(&ctx->findings, FINDING_PHASE_CHECK, ctx->sections[i]->name);
	return why && why->severity == FINDING_ERROR ? why : NULL;
}

static void describe_profile(struct prepare_context *ctx)
{
	const struct finding *why;
	char what[PROFILE_NAME_MAX + 40], otherwise[WHY_MAX];

	if (*ctx->no_profile.text) {
		snprintf(what, sizeof(what), NOT_APPLIED, ctx->requested.profile);
		add_note(ctx->note, what, NULL, ctx->no_profile.text);
	}
	if (!*ctx->request.profile)
		return;
	ctx->state->profile_applied = clients_have_profile(ctx);
	if (ctx->state->profile_applied)
		return;
	snprintf(what, sizeof(what), NOT_APPLIED, ctx->request.profile);
	why = find_worst(&ctx->findings, FINDING_PHASE_CHANGE, NULL);
	if (ctx->client_count && !clients_use_profile(ctx)) {
		why = NULL;
		snprintf(otherwise, sizeof(otherwise),
			 "it has no setting that this node's client takes");
	} else if (!why) {
		why = find_other_reason(ctx, otherwise);
	}
	add_note(ctx->note, what, why, otherwise);
}

static void add_other_cpus(char note[GATE_TEXT_MAX], const struct cpuset *is,
			   const struct cpuset *io_cpus)
{
	char *has = cpuset_format(is);
	char *should = cpuset_format(io_cpus);
	char text[WHY_MAX];

	snprintf(text, sizeof(text),
		 "the filesystem client works on CPU %.100s, Slurm reserved CPU %.100s for it",
		 has ? has : "?", should ? should : "?");
	add_note(note, WITHOUT_EFFECT, NULL, text);
	free(has);
	free(should);
}

/* Get the CPUs of the owner of the io-cores, or of all clients if there is no owner. Return 1, 0 if
 * there are none, -1 if unknown. */
static int find_cpus(const struct prepare_context *ctx, struct cpuset *cpus)
{
	const struct client_facts *facts;
	size_t i;

	cpuset_zero(cpus);
	for (i = 0; i < ctx->client_count; i++) {
		if (ctx->owner < ctx->client_count && i != ctx->owner)
			continue;
		facts = client_facts(ctx->clients[i]);
		if (!facts->cpus_known)
			return -1;
		cpuset_or(cpus, &facts->frontend_cpus);
	}
	return !cpuset_is_empty(cpus);
}

static void describe_cores(struct prepare_context *ctx)
{
	struct cpuset is, whole;

	if (*ctx->no_cores.text)
		add_note(ctx->note, WITHOUT_EFFECT, NULL, ctx->no_cores.text);
	if (!ctx->request.io_cores)
		return;
	if (!ctx->client_count) {
		add_note(ctx->note, WITHOUT_EFFECT,
			 find_worst(&ctx->findings, FINDING_PHASE_CHANGE, NULL),
			 "the node has no filesystem client");
		return;
	}
	ctx->state->cores_met = -1;
	if (!ctx->desired.has_io_cores || find_cpus(ctx, &is) <= 0)
		return;
	sysfs_whole_cores(&ctx->desired.io_cpus, &whole);
	ctx->state->cores_met = cpuset_is_subset(&is, &whole);
	if (!ctx->state->cores_met)
		add_other_cpus(ctx->note, &is, &ctx->desired.io_cpus);
}

void unmet_describe(struct prepare_context *ctx)
{
	describe_profile(ctx);
	describe_cores(ctx);
}
