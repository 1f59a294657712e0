/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_ctld.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "report/program.h"

#define ASK_MS 5000U

/* "Key                     = value", as scontrol prints it; caller frees. */
static char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line = text, *value;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncasecmp(line, key, length) != 0 ||
		    (line[length] != ' ' && line[length] != '['))
			continue;
		value = strstr(line, " = ");
		if (value)
			return xneed(strndup(value + 3, strcspn(value + 3, "\n")));
	}
	return NULL;
}

/* Is each word of the file in what slurmctld says, which adds words and sorts
 * them? */
static bool has_all(const char *loaded, const char *words)
{
	size_t length;

	for (; *words; words += length + (words[length] == ',')) {
		char word[256];

		length = strcspn(words, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (!strcasestr(loaded, word))
			return false;
	}
	return true;
}

/* scontrol prints a switch as Yes or No, until 22.05 as 1 or 0. */
static bool is_same(const struct doctor *doctor, const char *key, const char *file,
		    const char *loaded)
{
	if (!strcmp(key, "AllowSpecResourcesUsage"))
		return slurm_conf_is(doctor->slurm, key, false) ==
		       (!strcasecmp(loaded, "yes") || !strcmp(loaded, "1"));
	return has_all(loaded, file);
}

static void compare(const struct doctor *doctor, const char *text, const char *key)
{
	const char *file = slurm_conf_nth(doctor->slurm, key, 0);
	char *loaded = value_of(text, key);

	if (loaded && file && !is_same(doctor, key, file, loaded))
		findings_add(
			doctor->findings, "S20", FINDING_ERROR,
			"scontrol reconfigure; where that does not help, start slurmctld and slurmd again",
			"slurm.conf: %s=%s, and slurmctld runs with %s: the change was not taken over",
			key, file, loaded);
	free(loaded);
}

/* What slurmctld runs with, as text; NULL, and a sentence; caller frees. */
static char *ask(const struct doctor *doctor, char *scontrol, struct err *err)
{
	char conf[PATH_MAX + 16];
	char *argv[] = { scontrol, (char *)"show", (char *)"config", NULL };
	char *env[] = { conf, NULL };
	struct child_result result = { 0 };
	char *text = NULL;

	snprintf(conf, sizeof(conf), "SLURM_CONF=%s", doctor->slurm_conf_path);
	if (child_run(argv, env, ASK_MS, &result, err) < 0)
		return NULL;
	if (result.status)
		err_set(err, "%s show config: exit status %d: %.*s", scontrol, result.status,
			(int)strcspn(result.errtext, "\n"), result.errtext);
	else
		text = xstrdup(result.out);
	child_result_free(&result);
	return text;
}

void check_ctld(const struct doctor *doctor)
{
	static const char *const keys[] = {
		"SelectType", "AllowSpecResourcesUsage", "PrologFlags", "Prolog", "Epilog",
		"TaskPlugin",
	};
	char scontrol[PROGRAM_PATH], *text;
	struct err err;

	if (*doctor->root || !doctor->slurm || program_find("scontrol", scontrol, NULL) < 0)
		return;
	text = ask(doctor, scontrol, &err);
	if (!text)
		findings_add(doctor->findings, "S21", FINDING_ERROR,
			     "start slurmctld, or open its port (6817) for this host",
			     "slurmctld does not answer: %s", err.text);
	for (size_t i = 0; text && i < sizeof(keys) / sizeof(keys[0]); i++)
		compare(doctor, text, keys[i]);
	free(text);
}
