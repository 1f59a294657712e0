/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/sacct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/comment.h"
#include "lib/number.h"
#include "lib/record.h"
#include "lib/summary.h"
#include "lib/utf8.h"
#include "report/program.h"

#define TIMEOUT_MS 20000U
#define OUTPUT_MAX (64U << 20) /* a year of a user's jobs */
#define MARK_SIZE 24
#define ARGS_MAX 24

/* Name and comments may hold anything, newlines too: what ends a row is an id. */
enum sacct_field {
	NAME,
	SYSTEM_COMMENT,
	USER,
	ACCOUNT,
	PARTITION,
	CLUSTER,
	STATE,
	EXIT_CODE,
	START,
	END,
	ELAPSED,
	NODES,
	RAW_ID,
	ID,
	FIELDS
};

static const char format[] =
	"JobName,SystemComment,User,Account,Partition,Cluster,State,ExitCode,Start,End,ElapsedRaw,NNodes,JobIDRaw,JobID";

/* ---- rows ---------------------------------------------------------------- */

/* Cut the next row off *at: its fields, or false. */
static bool next_row(char **at, const char *mark, char *field[FIELDS])
{
	size_t length = strlen(mark);
	char *end;
	int i;

	for (i = 0; i < FIELDS; i++) {
		field[i] = *at;
		end = i == ID ? strchr(*at, '\n') : strstr(*at, mark);
		if (!end)
			return i == ID && **at && (*at = strchr(*at, 0), true);
		*end = 0;
		*at = end + (i == ID ? 1 : length);
	}
	return true;
}

static int64_t number_of(const char *text)
{
	unsigned long number;

	if (number_parse(text, 0, INT64_MAX, &number, NULL) < 0)
		return RECORD_UNKNOWN;
	return (int64_t)number;
}

/* "0:9": exit code and signal */
static void take_exit(struct sacct_row *row, char *text)
{
	char *colon = strchr(text, ':');

	row->exit_code = row->signal = RECORD_UNKNOWN;
	if (!colon)
		return;
	*colon = 0;
	row->exit_code = number_of(text);
	row->signal = number_of(colon + 1);
}

static char *find_summary(const char *comment)
{
	const char *ours;
	size_t size;

	ours = comment_find(comment, &size);
	return ours && size < SUMMARY_MAX ? xneed(strndup(ours, size)) : NULL;
}

static const char *clean(char *text)
{
	utf8_clean(text, strlen(text) + 1, text, strlen(text));
	return text;
}

static void take_row(struct sacct_row *row, char *field[FIELDS])
{
	row->summary = find_summary(field[SYSTEM_COMMENT]);
	row->name = clean(field[NAME]);
	row->account = clean(field[ACCOUNT]);
	row->partition = clean(field[PARTITION]);
	row->cluster = clean(field[CLUSTER]);
	row->state = clean(field[STATE]);
	row->raw_id = clean(field[RAW_ID]);
	row->id = clean(field[ID]);
	/* Of a job that ended at once slurmdbd has the end first, and says
	 * "root" until it has the start. */
	row->user = strcmp(field[USER], "root") ? clean(field[USER]) : "";
	row->start = number_of(field[START]);
	row->end = number_of(field[END]);
	row->elapsed_s = number_of(field[ELAPSED]);
	row->nodes = number_of(field[NODES]);
	take_exit(row, field[EXIT_CODE]);
}

static int take_rows(struct sacct_rows *rows, const char *mark, struct err *err)
{
	char *at = rows->text, *field[FIELDS];
	size_t room = 0;

	while (*at && next_row(&at, mark, field)) {
		if (rows->count == room) {
			room = room ? room * 2 : 64;
			rows->row = xrealloc(rows->row, room, sizeof(*rows->row));
		}
		take_row(&rows->row[rows->count++], field);
	}
	return *at ? err_set(err, "sacct: its answer has no meaning") : 0;
}

/* ---- the call ------------------------------------------------------------ */

/* Nobody can have it in a job's name. */
static int make_mark(char mark[MARK_SIZE], struct err *err)
{
	unsigned long long random;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set(err, "sacct: no random number");
	snprintf(mark, MARK_SIZE, "|%016llx|", random);
	return 0;
}

struct command {
	char *argv[ARGS_MAX];
	size_t args;
	char path[PROGRAM_PATH], delimiter[MARK_SIZE + 16];
	struct program_env env;
};

static void add(struct command *c, const char *option, const char *value)
{
	if (!value)
		return;
	c->argv[c->args++] = (char *)option;
	if (*value)
		c->argv[c->args++] = (char *)value;
}

/* sacct takes a list, and options. */
static bool is_word(const char *name)
{
	return name && *name && *name != '-' && !strpbrk(name, ", \t\n");
}

static void make_command(struct command *c, const struct sacct_query *query, const char *mark)
{
	memset(c->argv, 0, sizeof(c->argv));
	c->args = 0;
	snprintf(c->delimiter, sizeof(c->delimiter), "--delimiter=%s", mark);
	add(c, c->path, "-nXP");
	add(c, c->delimiter, "");
	add(c, "-j", query->jobs);
	add(c, "-u", query->users);
	add(c, "-A", query->accounts);
	add(c, "--name", is_word(query->name) ? query->name : NULL);
	add(c, "-a", query->is_everybody ? "" : NULL);
	add(c, "-S", query->since);
	add(c, "-E", query->until);
	add(c, "-o", format);
	program_env(&c->env, "SLURM_TIME_FORMAT=%s");
}

static char *run(const struct sacct_query *query, const char *mark, struct err *err)
{
	struct child_result result = { 0 };
	struct command c;
	char *out = NULL;

	if (program_find("sacct", c.path, err) < 0)
		return NULL;
	make_command(&c, query, mark);
	if (child_run_big(c.argv, c.env.list, TIMEOUT_MS, OUTPUT_MAX, &result, err) < 0)
		return NULL;
	if (result.status) {
		result.errtext[strcspn(result.errtext, "\n")] = 0;
		err_set(err, "sacct: exit status %d: %s", result.status, result.errtext);
	} else {
		out = result.out;
		result.out = NULL;
	}
	child_result_free(&result);
	return out;
}

struct sacct_rows *sacct_parse(char *text, const char *mark, struct err *err)
{
	struct sacct_rows *rows = xcalloc(1, sizeof(*rows));

	rows->text = text;
	if (take_rows(rows, mark, err) == 0)
		return rows;
	sacct_free(rows);
	return NULL;
}

struct sacct_rows *sacct_ask(const struct sacct_query *query, struct err *err)
{
	char mark[MARK_SIZE], *text;

	if (make_mark(mark, err) < 0)
		return NULL;
	text = run(query, mark, err);
	return text ? sacct_parse(text, mark, err) : NULL;
}

void sacct_free(struct sacct_rows *rows)
{
	if (!rows)
		return;
	while (rows->count)
		free(rows->row[--rows->count].summary);
	free(rows->row);
	free(rows->text);
	free(rows);
}

/* sacct -j 2 lists every task of array 2 and every component of job 2. The one
 * that is meant has this id, or this number: the ledger takes it so, too. */
const struct sacct_row *sacct_find(const struct sacct_rows *rows, const char *id)
{
	size_t i;

	for (i = 0; rows && i < rows->count; i++)
		if (!strcmp(rows->row[i].id, id) || !strcmp(rows->row[i].raw_id, id))
			return &rows->row[i];
	return NULL;
}

/* ---- states -------------------------------------------------------------- */

/* slurm_protocol_defs.c:job_state_string(), job_state_string_compact() */
static const struct {
	const char *name, *brief;
	bool is_early;
} states[] = {
	{ "PENDING", "PD", true },     { "RUNNING", "R", true },
	{ "SUSPENDED", "S", true },    { "COMPLETED", "CD", false },
	{ "CANCELLED", "CA", false },  { "FAILED", "F", false },
	{ "TIMEOUT", "TO", false },    { "NODE_FAIL", "NF", false },
	{ "PREEMPTED", "PR", false },  { "BOOT_FAIL", "BF", false },
	{ "DEADLINE", "DL", false },   { "OUT_OF_MEMORY", "OOM", false },
	{ "CONFIGURING", "CF", true }, { "COMPLETING", "CG", true },
	{ "RESIZING", "RS", true },    { "REQUEUED", "RQ", true },
	{ "REVOKED", "RV", false },    { "SPECIAL_EXIT", "SE", false },
	{ "STOPPED", "ST", true },     { "REQUEUE_HOLD", "RH", true },
	{ "REQUEUE_FED", "RF", true }, { "RESV_DEL_HOLD", "RD", true },
	{ "SIGNALING", "SI", true },   { "STAGE_OUT", "SO", true },
};

#define STATES (sizeof(states) / sizeof(states[0]))

static bool is_word_of(const char *word, size_t i)
{
	return !strcasecmp(word, states[i].name) || !strcasecmp(word, states[i].brief);
}

bool sacct_is_early(const char *state)
{
	size_t i;

	for (i = 0; i < STATES; i++)
		if (!strcmp(state, states[i].name))
			return states[i].is_early;
	return false;
}

bool sacct_knows_state(const char *word)
{
	size_t i = 0;

	while (i < STATES && !is_word_of(word, i))
		i++;
	return i < STATES;
}

bool sacct_is_state(const char *state, const char *word)
{
	size_t i = 0, length;

	while (i < STATES && !is_word_of(word, i))
		i++;
	length = i < STATES ? strlen(states[i].name) : 0;
	return length && !strncmp(state, states[i].name, length) &&
	       (!state[length] || state[length] == ' ');
}
