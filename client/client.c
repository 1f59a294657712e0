/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/command.h"
#include "client/plan.h"
#include "lib/sysfs.h"
#include "client/weka.h"
#include "client/weka_wire.h"

struct client *client_open(const struct config_client *section,
			   const char *run_dir, const char *state_dir,
			   struct err *err)
{
	struct client *client;

	if (section->type != CLIENT_WEKA) {
		err_set(err,
			"[client %s] type: '%s': this jobio knows only weka; "
			"remove the section or set type=weka",
			section->name, client_type_name(section->type));
		return NULL;
	}
	client = calloc(1, sizeof(*client));
	if (!client) {
		err_set(err, "client: out of memory");
		return NULL;
	}
	client->section = section;
	client->run_dir = run_dir;
	client->state_dir = state_dir;
	client->common.name = section->name;
	client->common.type = client_type_name(section->type);
	client->common.version = "";
	return client;
}

void client_close(struct client *client)
{
	if (!client)
		return;
	weka_facts_clear(&client->facts);
	free(client);
}

int client_inspect(struct client *client, const char *cached,
		   unsigned int budget_ms, struct err *err)
{
	return weka_inspect(client, cached, budget_ms, err);
}

const struct client_facts *client_facts(const struct client *client)
{
	return &client->common;
}

bool client_is_cached(const struct client *client)
{
	return client->cached;
}

char *client_save(const struct client *client)
{
	return weka_save(client);
}

void client_judge(struct client *client, const struct client_want *want,
		  struct findings *findings)
{
	weka_judge(client, want, findings);
}

/* ---- plans ------------------------------------------------------------- */

static void change_clear(struct journal_change *change)
{
	free(change->client);
	free(change->what);
	free(change->target);
	free(change->old_value);
	free(change->new_value);
}

int plan_add(struct client_plan *plan, const char *client, const char *what,
	     const char *target, const char *old_value, const char *new_value,
	     struct err *err)
{
	struct journal_change *change;

	if (plan->count == CLIENT_CHANGES_MAX)
		return err_set(err, "client '%s': more than %d changes", client,
			       CLIENT_CHANGES_MAX);
	change = &plan->change[plan->count];
	change->client = strdup(client);
	change->what = strdup(what);
	change->target = strdup(target);
	change->old_value = strdup(old_value);
	change->new_value = strdup(new_value);
	if (!change->client || !change->what || !change->target ||
	    !change->old_value || !change->new_value) {
		change_clear(change);
		memset(change, 0, sizeof(*change));
		return err_set(err, "client: out of memory");
	}
	plan->count++;
	return 0;
}

void client_plan_free(struct client_plan *plan)
{
	size_t i;

	if (!plan)
		return;
	for (i = 0; i < plan->count; i++)
		change_clear(&plan->change[i]);
	free(plan);
}

size_t client_plan_count(const struct client_plan *plan)
{
	return plan ? plan->count : 0;
}

const struct journal_change *client_plan_at(const struct client_plan *plan,
					    size_t index)
{
	return plan && index < plan->count ? &plan->change[index] : NULL;
}

int client_plan(struct client *client, const struct client_want *want,
		struct client_plan **plan, struct findings *findings,
		struct err *err)
{
	struct client_plan *made = calloc(1, sizeof(*made));

	if (!made)
		return err_set(err, "client: out of memory");
	if (weka_plan(client, want, made, findings, err) < 0) {
		client_plan_free(made);
		return -1;
	}
	if (!made->count) {
		client_plan_free(made);
		made = NULL;
	}
	*plan = made;
	return 0;
}

/* ---- changes ----------------------------------------------------------- */

/* Journal, change, journal. The second line may fail to be written: the change
 * then stays "planned", and restoring looks at the value itself. */
static int apply_one(struct client *client, const struct journal_change *change,
		     struct journal *journal, struct findings *findings,
		     struct err *err)
{
	enum journal_state state;
	int seq, made;

	seq = journal_plan(journal, change, err);
	if (seq < 0)
		return -1;
	made = weka_make(client, change, findings);
	if (made == WEKA_NOT_MADE_NOT_UNDONE)
		return 1;
	state = made == WEKA_MADE ? JOURNAL_DONE : JOURNAL_RESTORED;
	journal_mark(journal, (unsigned int)seq, state, NULL);
	return made == WEKA_MADE ? 0 : 1;
}

int client_apply(struct client *client, const struct client_plan *plan,
		 struct journal *journal, struct findings *findings,
		 struct err *err)
{
	int rc = 0, one;
	size_t i;

	if (command_end_leftover(client->run_dir, err) < 0)
		return -1;
	for (i = 0; i < client_plan_count(plan); i++) {
		one = apply_one(client, &plan->change[i], journal, findings,
				err);
		if (one < 0)
			return -1;
		if (one > 0)
			rc = 1;
	}
	return rc;
}

static enum journal_state state_after(enum weka_undone undone)
{
	switch (undone) {
	case WEKA_UNDONE:
		return JOURNAL_RESTORED;
	case WEKA_NOT_OURS:
		return JOURNAL_LOST;
	case WEKA_KEPT:
		return JOURNAL_KEPT;
	case WEKA_NOT_UNDONE:
		break;
	}
	return JOURNAL_PLANNED;
}

int client_restore(struct client *client, struct journal *journal,
		   struct findings *findings, struct err *err)
{
	const struct journal_change *change;
	enum weka_undone undone;
	int count = 0, rc = 0;
	size_t i;

	if (command_end_leftover(client->run_dir, err) < 0)
		return -1;
	for (i = journal_count(journal); i > 0; i--) {
		change = journal_at(journal, i - 1);
		if ((change->state != JOURNAL_PLANNED &&
		     change->state != JOURNAL_DONE) ||
		    strcmp(change->client, client->section->name) != 0)
			continue;
		undone = weka_undo(client, change, findings);
		if (undone == WEKA_NOT_UNDONE) {
			err_set(err, "%s '%s': could not be put back",
				change->what, change->target);
			rc = -1;
			continue;
		}
		count += undone == WEKA_UNDONE;
		journal_mark(journal, change->seq, state_after(undone), NULL);
	}
	return rc < 0 ? -1 : count;
}

/* ---- wire -------------------------------------------------------------- */

char *client_wire_save(struct client *client, struct err *err)
{
	struct weka_wire *wire = weka_wire_read(client->section, err);
	char *text;

	if (!wire)
		return NULL;
	text = weka_wire_text(wire, err);
	weka_wire_free(wire);
	if (!text)
		errno = ENOMEM;
	return text;
}

int client_wire_since(struct client *client, const char *before,
		      struct client_wire *wire, struct err *err)
{
	struct weka_wire *was = weka_wire_parse(before, err), *is;
	int rc = -1;

	if (!was)
		return -1;
	is = weka_wire_read(client->section, err);
	if (is)
		rc = weka_wire_since(was, is, wire);
	else if (errno == ENOENT)
		rc = 0;
	weka_wire_free(is);
	weka_wire_free(was);
	return rc;
}

/* ---- CPUs -------------------------------------------------------------- */

void client_set_sysfs_root(const char *folder)
{
	sysfs_set_root(folder);
}

void client_whole_cores(const struct cpuset *os_cpus, struct cpuset *whole)
{
	struct cpuset result, core;
	int os_cpu;

	cpuset_zero(&result);
	cpuset_for_each (os_cpu, os_cpus) {
		if (cpuset_has(&result, (unsigned int)os_cpu))
			continue;
		sysfs_siblings((unsigned int)os_cpu, &core);
		cpuset_or(&result, &core);
	}
	*whole = result;
}
