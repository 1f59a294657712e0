/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_fold.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "lib/finding.h"
#include "lib/json.h"
#include "report/command.h"

#define LINE_MAX_BYTES (1U << 20)
#define DEPTH_MAX 8
#define HOST_MAX 64
#define LIST_MAX 60 /* of host names, before ".." */

struct hosts {
	char (*name)[HOST_MAX];
	size_t count;
};

/* What some hosts have in common: a finding, a version, a jobio.conf. */
struct group {
	char key[ERR_MAX]; /* a code; "jobio 0.1.0" */
	struct finding finding;
	struct hosts hosts;
};

struct groups {
	struct group *list;
	size_t count;
};

/* What came of a task's line, which srun --label cuts after 1 KiB. */
struct piece {
	unsigned long task;
	char *text;
};

struct pieces {
	struct piece *list;
	size_t count;
};

struct fold {
	struct hosts all;
	struct pieces pieces;
	size_t right; /* hosts without a warning or error */
	size_t strange;
	char first_strange[80];
	enum finding_severity worst;
	struct groups findings, versions, confs;
};

/* ---- taking up ------------------------------------------------------------------ */

static void *more(void *list, size_t count, size_t size)
{
	void *grown = realloc(list, (count + 1) * size);

	if (!grown) {
		fputs("jobio: check: out of memory\n", stderr);
		exit(COMMAND_USAGE);
	}
	memset((char *)grown + count * size, 0, size);
	return grown;
}

static void add_host(struct hosts *hosts, const char *name)
{
	if (hosts->count && !strcmp(hosts->name[hosts->count - 1], name))
		return; /* the same finding twice on one host */
	hosts->name = more(hosts->name, hosts->count, sizeof(*hosts->name));
	snprintf(hosts->name[hosts->count++], HOST_MAX, "%s", name);
}

static struct group *group_of(struct groups *groups, const char *key)
{
	struct group *group;

	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(groups->list[i].key, key))
			return &groups->list[i];
	groups->list = more(groups->list, groups->count, sizeof(*group));
	group = &groups->list[groups->count++];
	snprintf(group->key, sizeof(group->key), "%s", key);
	return group;
}

static void copy_text(char *to, struct json_object *from, const char *key)
{
	const char *text = json_text(from, key);
	struct err clean = { "" };

	err_set(&clean, "%s", text ? text : ""); /* makes it printable */
	memcpy(to, clean.text, ERR_MAX);
}

static enum finding_severity
take_finding(struct fold *fold, struct json_object *json, const char *host)
{
	struct err code = { "" };
	struct group *group;
	enum finding_severity severity;

	copy_text(code.text, json, "code");
	code.text[FINDING_CODE_MAX - 1] = '\0';
	severity = finding_severity_named(json_text(json, "severity"));
	group = group_of(&fold->findings, code.text);
	if (!group->hosts.count) {
		copy_text(group->finding.text, json, "text");
		copy_text(group->finding.cure, json, "cure");
	}
	if (severity > group->finding.severity)
		group->finding.severity = severity;
	add_host(&group->hosts, host);
	return severity;
}

static void take_mark(struct groups *groups, struct json_object *answer,
		      const char *key, const char *host)
{
	struct err text = { "" };

	copy_text(text.text, answer, key);
	add_host(&group_of(groups, *text.text ? text.text : "none")->hosts,
		 host);
}

static bool take_answer(struct fold *fold, struct json_object *answer)
{
	struct json_object *list = json_list(answer, "findings");
	enum finding_severity worst = FINDING_INFO, one;
	struct err host = { "" };

	copy_text(host.text, answer, "host");
	host.text[HOST_MAX - 1] = '\0';
	if (!list || !*host.text)
		return false;
	add_host(&fold->all, host.text);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		one = take_finding(fold, json_object_array_get_idx(list, i),
				   host.text);
		worst = one > worst ? one : worst;
	}
	take_mark(&fold->versions, answer, "jobio", host.text);
	take_mark(&fold->confs, answer, "conf", host.text);
	fold->right += worst == FINDING_INFO;
	fold->worst = worst > fold->worst ? worst : fold->worst;
	return true;
}

static bool take_text(struct fold *fold, const char *text)
{
	const char *brace = strchr(text, '{');
	struct json_object *answer = NULL;
	bool taken;

	if (brace)
		answer = json_parse_bounded(brace, strlen(brace),
					    LINE_MAX_BYTES, DEPTH_MAX);
	taken = json_object_is_type(answer, json_type_object) &&
		take_answer(fold, answer);
	json_object_put(answer);
	return taken;
}

static void take_strange(struct fold *fold, const char *line)
{
	struct err text;

	if (fold->strange++)
		return;
	err_set(&text, "%s", line);
	snprintf(fold->first_strange, sizeof(fold->first_strange), "%.79s",
		 text.text);
}

/* ---- lines that srun --label has cut ---------------------------------------------- */

/* "12: text": what is behind the number of a task, or NULL. */
static const char *after_label(const char *line, unsigned long *task)
{
	const char *digits = line + strspn(line, " ");
	char *end;

	if (!isdigit((unsigned char)*digits))
		return NULL;
	*task = strtoul(digits, &end, 10);
	return !strncmp(end, ": ", 2) ? end + 2 : NULL;
}

static struct piece *piece_of(struct pieces *pieces, unsigned long task)
{
	for (size_t i = 0; i < pieces->count; i++)
		if (pieces->list[i].task == task)
			return &pieces->list[i];
	pieces->list = more(pieces->list, pieces->count, sizeof(struct piece));
	pieces->list[pieces->count].task = task;
	return &pieces->list[pieces->count++];
}

/* The next piece of what a task has begun to say; true: the line is done with. */
static bool add_piece(struct fold *fold, struct piece *piece, const char *text)
{
	size_t had = piece->text ? strlen(piece->text) : 0;
	size_t size = had + strlen(text) + 1;
	char *whole =
		size <= LINE_MAX_BYTES ? realloc(piece->text, size) : NULL;

	if (!whole)
		return false;
	memcpy(whole + had, text, size - had);
	piece->text = whole;
	if (take_text(fold, whole)) {
		free(whole);
		piece->text = NULL;
	}
	return true;
}

static bool take_labelled(struct fold *fold, const char *line)
{
	unsigned long task;
	const char *text = after_label(line, &task);
	struct piece *piece;

	if (!text)
		return false;
	piece = piece_of(&fold->pieces, task);
	return (piece->text || *text == '{') && add_piece(fold, piece, text);
}

/* What never became an answer. */
static void end_pieces(struct fold *fold)
{
	for (size_t i = 0; i < fold->pieces.count; i++) {
		if (fold->pieces.list[i].text)
			take_strange(fold, fold->pieces.list[i].text);
		free(fold->pieces.list[i].text);
	}
	free(fold->pieces.list);
}

static void take_line(struct fold *fold, const char *line)
{
	if (line[strspn(line, " \t")] && !take_labelled(fold, line) &&
	    !take_text(fold, line))
		take_strange(fold, line);
}

/* ---- host lists ------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strverscmp(a, b);
}

/* Where the digits at the end begin. */
static size_t stem_of(const char *name)
{
	size_t at = strlen(name);

	while (at && isdigit((unsigned char)name[at - 1]))
		at--;
	return at;
}

/* Is it the next number of the same stem, written as wide? */
static bool follows(const char *name, const char *next)
{
	size_t stem = stem_of(name), width = strlen(name);
	unsigned long number = strtoul(name + stem, NULL, 10);

	return name[stem] && stem == stem_of(next) && stem &&
	       !strncmp(name, next, stem) &&
	       strtoul(next + stem, NULL, 10) == number + 1 &&
	       (width == strlen(next) || name[stem] != '0');
}

/* "c1-c8,c11", sorted; cut after LIST_MAX. */
static void list_hosts(struct hosts *hosts, char text[LIST_MAX + 2 * HOST_MAX])
{
	size_t used = 0, last;

	qsort(hosts->name, hosts->count, sizeof(*hosts->name), by_name);
	for (size_t i = 0; i < hosts->count; i = last + 1) {
		for (last = i;
		     last + 1 < hosts->count &&
		     follows(hosts->name[last], hosts->name[last + 1]);)
			last++;
		if (used > LIST_MAX - 20) {
			snprintf(text + used, 4, ",..");
			return;
		}
		used += (size_t)sprintf(text + used, "%s%s", used ? "," : "",
					hosts->name[i]);
		if (last > i)
			used += (size_t)sprintf(
				text + used, "-%s",
				hosts->name[last] + stem_of(hosts->name[last]));
	}
}

/* ---- the table -------------------------------------------------------------------- */

static int by_weight(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->finding.severity != y->finding.severity)
		return x->finding.severity < y->finding.severity ? 1 : -1;
	if (x->hosts.count != y->hosts.count)
		return x->hosts.count < y->hosts.count ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void print_findings_of(struct fold *fold)
{
	char list[LIST_MAX + 2 * HOST_MAX];

	if (!fold->findings.count)
		return;
	qsort(fold->findings.list, fold->findings.count,
	      sizeof(*fold->findings.list), by_weight);
	printf("%-5s %-8s %5s  %s\n", "CODE", "SEVERITY", "HOSTS", "WHERE");
	for (size_t i = 0; i < fold->findings.count; i++) {
		struct group *group = &fold->findings.list[i];

		list_hosts(&group->hosts, list);
		printf("%-5s %-8s %5zu  %s\n", group->key,
		       finding_severity_name(group->finding.severity),
		       group->hosts.count, list);
		printf("    %s\n", group->finding.text);
		if (*group->finding.cure)
			printf("    cure: %s\n", group->finding.cure);
	}
}

/* Only where hosts differ. */
static void print_marks(struct groups *groups, const char *what)
{
	char list[LIST_MAX + 2 * HOST_MAX];

	if (groups->count < 2)
		return;
	qsort(groups->list, groups->count, sizeof(*groups->list), by_weight);
	printf("%s is not the same everywhere:\n", what);
	for (size_t i = 0; i < groups->count; i++) {
		list_hosts(&groups->list[i].hosts, list);
		printf("    %-16.32s %5zu  %s\n", groups->list[i].key,
		       groups->list[i].hosts.count, list);
	}
}

static int print_fold(struct fold *fold)
{
	printf("%zu hosts answered, %zu with nothing wrong\n", fold->all.count,
	       fold->right);
	print_findings_of(fold);
	print_marks(&fold->confs, "jobio.conf");
	print_marks(&fold->versions, "jobio's version");
	if (fold->strange)
		printf("%zu lines are no answer; the first: %s\n",
		       fold->strange, fold->first_strange);
	if (fold->worst == FINDING_ERROR)
		return COMMAND_UNSOUND;
	return fold->worst == FINDING_WARNING || fold->strange ||
			       fold->confs.count > 1 || !fold->all.count
		       ? COMMAND_FAILED
		       : COMMAND_OK;
}

static void free_groups(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->list[i].hosts.name);
	free(groups->list);
}

int check_fold(FILE *in)
{
	struct fold fold = { .worst = FINDING_INFO };
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int status;

	while ((length = getline(&line, &room, in)) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		take_line(&fold, line);
	}
	end_pieces(&fold);
	status = print_fold(&fold);
	free(line);
	free(fold.all.name);
	free_groups(&fold.findings);
	free_groups(&fold.versions);
	free_groups(&fold.confs);
	return status;
}
