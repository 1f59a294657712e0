/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/affinity.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/faultpoint.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "client/rule.h"
#include "client/type.h"
#include "record/alloc.h"

/* Limit of a value in the journal; the record would truncate it at RECORD_STRING_MAX bytes, and
 * half a list is another one. */
#define LIST_MAX 4096

/* ---- plan -------------------------------------------------------- */

struct planner {
	const struct change_kind *kind;
	const struct client *client;
	const struct affinity_backend *backend;
	const struct cpuset *cpus;
	const char *list; /* cpus as text */
	const char *target;
	char olds[LIST_MAX], news[LIST_MAX];
	size_t count, left_out; /* in the two lists; skipped */
	char missing[256];
};

static bool add_word(char list[LIST_MAX], const char *item, const char *cpus)
{
	size_t used = strlen(list), size = LIST_MAX - used;

	if ((size_t)snprintf(list + used, size, "%s%s=%s", used ? " " : "", item, cpus) < size)
		return true;
	list[used] = '\0';
	return false;
}

/* Add to both lists, or to none. */
static bool add_item(struct planner *p, const char *item, const char *old)
{
	size_t used = strlen(p->olds);

	if (!add_word(p->olds, item, old))
		return false;
	if (!add_word(p->news, item, p->list)) {
		p->olds[used] = '\0';
		return false;
	}
	p->count++;
	return true;
}

/* Add a change with the lists, and empty them. */
static void end_change(struct planner *p)
{
	if (*p->olds && change_add(p->client, p->kind, p->target, p->olds, p->news) > 0)
		p->left_out += p->count;
	p->count = 0;
	*p->olds = *p->news = '\0';
}

static void plan_item(void *arg, const char *item)
{
	struct planner *p = arg;
	struct cpuset now;
	char *old;

	if (p->backend->get(p->client, item, &now) < 0) {
		snprintf(p->missing + strlen(p->missing), sizeof(p->missing) - strlen(p->missing),
			 " %s", item);
		return;
	}
	if (cpuset_equal(&now, p->cpus))
		return;
	old = xneed(cpuset_format(&now));
	if (!add_item(p, item, old)) {
		end_change(p);
		p->left_out += !add_item(p, item, old);
	}
	free(old);
}

static const struct affinity_backend *backend_of(const struct change_kind *kind)
{
	return kind->how;
}

static bool is_wanted(const struct client *client, const struct client_desired *desired)
{
	return client->type->affinity && client->section->core_change == CORE_CHANGE_AFFINITY &&
	       desired->alone && desired->io_cores && desired->has_io_cores &&
	       !cpuset_is_empty(&desired->io_cpus);
}

static void plan(const struct change_kind *kind, struct client *client,
		 const struct client_desired *desired)
{
	const struct affinity_backend *backend = backend_of(kind);
	const char *words;
	char word[AFFINITY_ITEM_MAX], target[512];
	struct planner *p;

	if (!is_wanted(client, desired))
		return;
	p = xcalloc(1, sizeof(*p));
	snprintf(target, sizeof(target), "%s %.400s", backend->words, backend->words_of(client));
	*p = (struct planner){ .kind = kind,
			       .client = client,
			       .backend = backend,
			       .cpus = &desired->io_cpus,
			       .list = xneed(cpuset_format(&desired->io_cpus)),
			       .target = target };
	for (words = backend->words_of(client); text_next_word(&words, word, sizeof(word));)
		backend->each(client, word, plan_item, p);
	end_change(p);
	if (p->left_out)
		rule_report_code(client, RULE_LEFT, NULL,
				 "%zu above the limit of changes are not moved: %s %.200s",
				 p->left_out, backend->words, backend->words_of(client));
	if (backend == &affinity_workqueues && *p->missing)
		rule_report_code(client, RULE_LEFT, "unbound_workqueues=all in jobio.conf",
				 "this kernel cannot move workqueues by name:%s: not moved",
				 p->missing);
	free((char *)p->list);
	free(p);
}

/* Plan interrupts, unless irqbalance runs, which moves them again within ten seconds. */
static void plan_interrupts(const struct change_kind *kind, struct client *client,
			    const struct client_desired *desired)
{
	if (!is_wanted(client, desired) || !*client->section->interrupts_of)
		return;
	if (process_named(client->section->process_dir, "irqbalance") > 0) {
		rule_report_code(
			client, RULE_LEFT,
			"stop irqbalance on these nodes, or clear interrupts_of= in jobio.conf",
			"irqbalance runs and would move the interrupts of %s again: not moved",
			client->section->interrupts_of);
		return;
	}
	plan(kind, client, desired);
}

/* ---- make and undo ------------------------------------------------------------ */

struct item {
	char name[AFFINITY_ITEM_MAX];
	struct cpuset was, is; /* before and after the change */
};

/* Read the next item of both lists; a truncated word ends them. */
static bool next_item(const char **olds, const char **news, struct item *item)
{
	char old[4096], new[4096], *was, *is;

	if (!text_next_word(olds, old, sizeof(old)) || !text_next_word(news, new, sizeof(new)))
		return false;
	was = strchr(old, '=');
	is = strchr(new, '=');
	if (!was || !is)
		return false;
	*was++ = *is++ = '\0';
	TEXT_SET(item->name, old);
	return !strcmp(old, new) && cpuset_parse(&item->was, was, NULL) == 0 &&
	       cpuset_parse(&item->is, is, NULL) == 0 && !cpuset_is_empty(&item->was) &&
	       !cpuset_is_empty(&item->is);
}

/* Set the CPUs of an item. Return 0 if it has them, regardless of the write's result. */
static int move(const struct affinity_backend *backend, const struct client *client,
		const char *name, const struct cpuset *cpus, struct err *err)
{
	struct err failure = { "" };
	struct cpuset now;

	FAULT_POINT("affinity before");
	backend->set(client, name, cpus, &failure);
	FAULT_POINT("affinity after");
	if (backend->get(client, name, &now) == 0 && cpuset_equal(&now, cpus))
		return 0;
	return err_set(err, "%s", *failure.text ? failure.text : "the kernel keeps others");
}

static void report_failed(const struct client *client, const char *code, const char *target,
			  const struct cpuset *cpus, size_t failed, size_t count,
			  const struct err *why)
{
	char list[RULE_LIST_MAX];

	if (failed)
		rule_report_code(client, code, NULL, "%s: %zu of %zu could not get CPU %s: %.300s",
				 target, failed, count, rule_list(cpus, list), why->text);
}

/* Add to the CPUs of the client, for the gate. */
static void report_gate(struct client *client, const struct cpuset *cpus)
{
	cpuset_or(&client->common.frontend_cpus, cpus);
	client->common.cpus_known = true;
}

/* Restore an item. Return 1 if it has its old CPUs, AFFINITY_GONE, 0 if it has third ones, -1 on an
 * error. */
static int restore(const struct affinity_backend *backend, const struct client *client,
		   const struct item *item, struct err *why)
{
	struct cpuset now;
	int rc;

	if (backend->back) {
		FAULT_POINT("affinity back before");
		rc = backend->back(client, item->name, &item->was, &item->is, why);
		FAULT_POINT("affinity back after");
		return rc;
	}
	if (backend->get(client, item->name, &now) < 0)
		return affinity_is_gone(errno) ? AFFINITY_GONE
					       : err_set(why, "%s", strerror(errno));
	if (cpuset_equal(&now, &item->was))
		return 1;
	if (!cpuset_equal(&now, &item->is))
		return 0;
	return move(backend, client, item->name, &item->was, why) < 0 ? -1 : 1;
}

static enum change_state make(const struct change_kind *kind, struct client *client,
			      const struct change *change)
{
	const char *olds = change->old_value, *news = change->new_value;
	size_t failed = 0, stuck = 0, count = 0;
	struct err why = { "" };
	struct item item;

	while (next_item(&olds, &news, &item)) {
		count++;
		if (move(backend_of(kind), client, item.name, &item.is, &why) == 0)
			continue;
		stuck += restore(backend_of(kind), client, &item, &why) < 0;
		failed++;
	}
	if (!count)
		return CHANGE_FAILED;
	report_failed(client, RULE_NOT_MOVED, change->target, &item.is, failed, count, &why);
	if (failed == count && !stuck)
		return CHANGE_FAILED;
	if (failed == count)
		return change->state;
	report_gate(client, &item.is);
	return CHANGE_DONE;
}

static enum change_state undo(const struct change_kind *kind, struct client *client,
			      const struct change *change)
{
	const char *olds = change->old_value, *news = change->new_value;
	size_t failed = 0, strange = 0, back = 0, count = 0;
	struct err why = { "" };
	struct item item;
	int rc;

	while (next_item(&olds, &news, &item)) {
		count++;
		rc = restore(backend_of(kind), client, &item, &why);
		failed += rc < 0;
		strange += rc == 0;
		back += rc == 1;
	}
	if (count)
		report_failed(client, RULE_NOT_MOVED_BACK, change->target, &item.was, failed, count,
			      &why);
	if (strange)
		rule_report_code(
			client, RULE_MOVED_SINCE, NULL,
			"%s: %zu of %zu are on CPUs that neither jobio nor the node had set: left there",
			change->target, strange, count);
	if (failed)
		return change->state;
	if (strange)
		return CHANGE_REPLACED;
	return back ? CHANGE_RESTORED : CHANGE_GONE;
}

/* ---- kinds ------------------------------------------------------------- */

const struct change_kind affinity_workqueue = {
	.name = "workqueue", .how = &affinity_workqueues, .plan = plan, .make = make, .undo = undo
};
const struct change_kind affinity_thread = {
	.name = "thread", .how = &affinity_threads, .plan = plan, .make = make, .undo = undo
};
const struct change_kind affinity_process = {
	.name = "process", .how = &affinity_processes, .plan = plan, .make = make, .undo = undo
};
const struct change_kind affinity_interrupt = { .name = "interrupt",
						.how = &affinity_interrupts,
						.plan = plan_interrupts,
						.make = make,
						.undo = undo };
