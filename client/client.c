/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/child.h"
#include "base/config_query.h"
#include "base/sysfs.h"
#include "client/cache.h"
#include "client/change.h"
#include "client/client_counters.h"
#include "client/command.h"
#include "client/gpfs/gpfs.h"
#include "client/lustre/lustre.h"
#include "client/mounts.h"
#include "client/nfs/nfs.h"
#include "client/rule.h"
#include "client/type.h"
#include "client/weka/weka.h"
#include "record/alloc.h"

/* A new type needs its file, and a line here. */
static const struct client_type_ops *const types[] = {
	[CLIENT_WEKA] = &weka_type,
	[CLIENT_LUSTRE] = &lustre_type,
	[CLIENT_GPFS] = &gpfs_type,
	[CLIENT_NFS] = &nfs_type,
};

static const struct client_type_ops *type_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i]->name, name))
			return types[i];
	return NULL;
}

struct client *client_open(const struct config_client *section, const char *run_dir,
			   const char *state_dir)
{
	const struct client_type_ops *type = types[section->type];
	struct client *client = xcalloc(1, sizeof(*client));

	client->facts = xcalloc(1, type->facts_size);
	client->type = type;
	client->section = section;
	client->run_dir = run_dir;
	client->state_dir = state_dir;
	client->common.name = section->name;
	client->common.type = type->name;
	client->common.version = "";
	client->common.app_to_wire = type->app_to_wire;
	return client;
}

void client_close(struct client *client)
{
	if (!client)
		return;
	client->type->clear(client->facts);
	mounts_free(client->mounts);
	free(client->facts);
	free(client);
}

/* ---- facts and findings ----------------------------------------------------------- */

int client_inspect(struct client *client, unsigned int budget_ms, struct err *err)
{
	client->deadline_ms = child_now_ms() + budget_ms;
	client->type->clear(client->facts);
	if (mounts_reread(client, err) < 0)
		return -1;
	cache_queried(client);
	return client->type->inspect(client, err);
}

const struct client_facts *client_facts(const struct client *client)
{
	return &client->common;
}

bool client_is_cached(const struct client *client)
{
	return client->cached;
}

void client_store(const struct client *client)
{
	cache_store(client);
}

void client_judge(struct client *client, const struct client_desired *desired,
		  struct findings *findings)
{
	struct judge judge = { .client = client, .desired = desired, .findings = findings };

	if (client->type->inspect_more)
		client->type->inspect_more(client);
	if (client->type->inspect_job)
		client->type->inspect_job(client, desired);
	rule_check_all(&judge);
}

void client_judge_profile(const struct config_client *section, const struct config_profile *profile,
			  struct findings *findings)
{
	/* not alone: refused settings are reported, nothing is read or planned */
	const struct client_desired desired = {
		.mount_options = config_profile_options(profile, section),
		.read_ahead_kb = profile->read_ahead_kb,
		.parameters = profile->parameters,
		.mmconfig = profile->mmconfig,
	};
	struct client *client = client_open(section, NULL, NULL);
	struct changes plan = { 0 };
	struct findings all = { 0 };
	size_t i;

	client_plan(client, &desired, &plan, &all);
	for (i = 0; i < all.count; i++)
		if (rule_is(all.list[i].code, RULE_REFUSED))
			findings_append(findings,
					&(struct findings){ .list = &all.list[i], .count = 1 });
	findings_free(&all);
	changes_free(&plan);
	client_close(client);
}

/* ---- changes ----------------------------------------------------------- */

void client_plan(struct client *client, const struct client_desired *desired, struct changes *plan,
		 struct findings *findings)
{
	const struct change_kind *const *kind = client->type->changes;

	client->plan = plan;
	client->findings = findings;
	for (; kind && *kind; kind++)
		(*kind)->plan(*kind, client, desired);
	client->plan = NULL;
}

int client_apply(struct client *client, struct changes *plan, struct journal *journal,
		 struct findings *findings, struct err *err)
{
	if (command_end_running(client->run_dir, err) < 0)
		return -1;
	return change_apply(client, plan, journal, findings, err);
}

bool client_is_as_desired(const struct client *client, const struct client_desired *desired)
{
	const struct change_kind *const *kind = client->type->changes;

	for (; kind && *kind; kind++)
		if ((*kind)->holds && !(*kind)->holds(*kind, client, desired))
			return false;
	return true;
}

bool client_change_outlives_reboot(const char *type_name, const char *kind_name)
{
	const struct client_type_ops *type = type_named(type_name);
	const struct change_kind *kind = type ? change_find(type, kind_name) : NULL;

	return !kind || kind->outlives_reboot;
}

/* ---- restore ------------------------------------------------------ */

/* The clients in a journal, each opened once. */
struct restorers {
	const struct config *config;
	const char *state_dir;
	struct client *client[CONFIG_CLIENTS_MAX];
};

static struct client *restorer(struct restorers *all, const struct change *change, struct err *err)
{
	const struct config *config = all->config;
	const struct config_client *section = config_client_find(config, change->client);
	struct client **client;

	if (!section) {
		err_set(err,
			"jobio.conf has no [client %s] any more, and '%s' still has its setting",
			change->client, change->target);
		return NULL;
	}
	client = &all->client[section - config->clients];
	if (!*client)
		*client = client_open(section, config->run_dir, all->state_dir);
	return *client;
}

int client_restore(const struct config *config, const char *state_dir, struct journal *journal,
		   struct findings *findings, struct err *err)
{
	struct restorers all = { .config = config, .state_dir = state_dir };
	const struct changes *changes = journal_changes(journal);
	const struct change *change;
	struct client *client;
	int count = 0, one, rc = 0;
	size_t i;

	if (command_end_running(config->run_dir, err) < 0)
		return -1;
	for (i = changes->count; i > 0; i--) {
		change = &changes->list[i - 1];
		if (!change_is_pending(change))
			continue;
		client = restorer(&all, change, err);
		one = client ? change_undo(client, change, journal, findings, err) : -1;
		if (one < 0)
			rc = -1;
		else
			count += one;
	}
	for (i = 0; i < CONFIG_CLIENTS_MAX; i++)
		client_close(all.client[i]);
	return rc < 0 ? -1 : count;
}

/* ---- counters --------------------------------------------------------- */

static struct client_counters *counters_now(const struct client *client, struct err *err)
{
	struct client_counters *counters;

	if (!client->type->counters) {
		errno = ENOENT;
		return NULL;
	}
	counters = client->type->counters(client, err);
	if (counters)
		client_counters_clean(counters);
	return counters;
}

char *client_counters_save(struct client *client, struct err *err)
{
	struct client_counters *counters = counters_now(client, err);
	char *text;

	if (!counters)
		return NULL;
	text = client_counters_text(counters);
	client_counters_free(counters);
	return text;
}

/* Clear is_gone of mounted filesystems: the client has ended, not the mount. */
static void clear_mounted(const struct client *client, struct client_io *client_io)
{
	struct mounts *all = mounts_read(client->section->mount_table, client->type->fstypes, NULL);
	size_t i;

	for (i = 0; all && i < client_io->series_count; i++)
		client_io->series[i].is_gone &= !mounts_find(all, client_io->series[i].fs);
	mounts_free(all);
}

int client_io_since(struct client *client, const char *before, struct client_io *client_io,
		    struct err *err)
{
	struct client_counters *was = client_counters_parse(before, err), *is;

	if (!was)
		return -1;
	is = counters_now(client, err);
	if (!is && errno == ENOENT)
		is = client_counters_new(); /* all old rows are gone */
	if (is) {
		client_io->source = client->type->counters_source;
		client_counters_series(was, is, client_io);
		if (!is->count)
			clear_mounted(client, client_io);
	}
	client_counters_free(was);
	if (!is)
		return -1;
	client_counters_free(is);
	return 0;
}

void client_report_event(struct client *client, const struct client_io *client_io, int64_t since_s,
			 struct findings *findings)
{
	client->findings = findings;
	if (*client_io->event.code && client_io->event.at_s >= since_s)
		rule_report_code(client, client_io->event.code, NULL, "%s", client_io->event.text);
}

void client_judge_work(struct client *client, const struct client_work *work,
		       struct findings *findings)
{
	client->findings = findings;
	if (client->type->judge_work)
		client->type->judge_work(client, work);
}

bool client_type_mounts(const char *name, const char *fstype)
{
	const struct client_type_ops *type = type_named(name);

	return type && *fstype && mounts_word_in(type->fstypes, fstype);
}

/* ---- NICs ---------------------------------------------------------------- */

/* Get the NICs. Firmware reports no NUMA node for a NIC if there is only one node. */
void client_nics(const struct client *client, struct client_nics *nics)
{
	int only = sysfs_only_numa_node();
	size_t i;

	memset(nics, 0, sizeof(*nics));
	if (client->type->nics)
		client->type->nics(client, nics);
	for (i = 0; i < nics->count; i++)
		if (nics->nic[i].numa_node < 0)
			nics->nic[i].numa_node = only;
}

/* ---- sizes and commands -------------------------------------------------- */

const char *client_type_with_cores(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i]->sizing && types[i]->sizing->cores_max)
			return types[i]->name;
	return "";
}

const struct client_sizing *client_sizing(const char *name)
{
	static const struct client_sizing none;
	const struct client_type_ops *type = type_named(name);

	return type && type->sizing ? type->sizing : &none;
}

char *client_cores_command(const char *name, const struct client_placement *placement)
{
	const struct client_type_ops *type = type_named(name);

	return type && type->cores_command ? type->cores_command(placement) : NULL;
}
