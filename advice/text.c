/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Advice as the JSON object that the ledger stores and sends. */
#include "advice/advice.h"

#include <stdio.h>

#include "advice/limits.h"
#include "record/json.h"

static const char *confidence_name(enum advice_confidence confidence)
{
	return confidence == ADVICE_SURE     ? "sure"
	       : confidence == ADVICE_LIKELY ? "likely"
					     : "perhaps";
}

static void add_real(struct json *o, const char *key, double value)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.6g", value);
	json_add_real(o, key, value < 0 ? NULL : digits);
}

static const char *const by[] = { "calls", "client", "kernel" };

static void usage_json(struct json *o, const struct advice_usage *usage)
{
	static const char *const classes[ADVICE_CLASSES] = { "read",  "write",	"meta", "sync",
							     "close", "mapped", "async" };
	struct json *shares;
	int i;

	json_add_text(o, "fs", usage->fs);
	json_add_text(o, "type", usage->type);
	json_add_text(o, "by", by[usage->by]);
	add_real(o, "share", usage->share);
	add_real(o, "slowest_share", usage->slowest);
	shares = json_add_object(o, "classes");
	for (i = 0; i < ADVICE_CLASSES; i++)
		if (usage->classes[i] > 0)
			add_real(shares, classes[i], usage->classes[i]);
}

/* The option of sbatch to change; null: none. */
static void option_json(struct json *o, const struct advice *a)
{
	struct json *option;

	if (a->option == ADVICE_NO_OPTION) {
		json_add_null(o, "option");
		return;
	}
	option = json_add_object(o, "option");
	if (a->option == ADVICE_CORES || a->option == ADVICE_NO_CORES)
		json_add_number(option, "io_cores", a->cores);
	else if (a->option == ADVICE_CACHED || a->option == ADVICE_DIRECT)
		json_add_text(option, "mount_option",
			      a->option == ADVICE_CACHED ? "readcache" : "forcedirect");
	else if (a->option == ADVICE_EXCLUDE)
		json_add_text(option, "exclude", a->node);
	else
		json_add_bool(option, "exclusive", true);
}

static void one_json(struct json *o, const struct advice *a)
{
	struct json *numbers;
	size_t i;

	json_add_text(o, "code", a->code);
	json_add_text(o, "kind", *a->kind ? a->kind : NULL);
	json_add_text(o, "fs", *a->fs ? a->fs : NULL);
	json_add_text(o, "class", *a->class ? a->class : NULL);
	add_real(o, "share", a->share);
	json_add_text(o, "confidence", confidence_name(a->confidence));
	json_add_text(o, "by", by[a->by]);
	option_json(o, a);
	if (*a->node)
		json_add_text(o, "node", a->node);
	if (*a->profile)
		json_add_text(o, "profile", a->profile);
	numbers = json_add_object(o, "numbers");
	for (i = 0; i < a->number_count; i++)
		add_real(numbers, a->numbers[i].key, a->numbers[i].value);
}

char *advice_text(const struct advice_list *list, const struct config_advice *limits)
{
	static const char *const why[] = { NULL,    "nothing",	 "little",    "cached",
					   "short", "all_files", "node_wide", "no_numbers" };
	struct json *top = json_new_object(), *usages, *advice, *least;
	size_t i;

	json_add_bool(top, "judged", list->is_judged);
	json_add_text(top, "silence", why[list->reason]);
	add_real(top, "share", list->share);
	add_real(top, "slowest_share", list->slowest);
	least = json_add_object(top, "least");
	json_add_number(least, "seconds", limits->min_seconds);
	json_add_number(least, "mib", limits->min_mib);
	json_add_number(least, "calls", limits->min_calls);
	json_add_number(least, "waited", LIMIT_WAITED_S);
	usages = json_add_list(top, "filesystems");
	for (i = 0; i < list->usage_count; i++)
		usage_json(json_append_object(usages), &list->usages[i]);
	advice = json_add_list(top, "advice");
	for (i = 0; i < list->count; i++)
		one_json(json_append_object(advice), &list->list[i]);
	return json_line_free(top);
}
