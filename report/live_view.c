/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "lib/run.h"
#include "lib/utf8.h"
#include "report/job_print.h"

#define DEPTH_MAX 16

/* ---- nodes ------------------------------------------------------------------- */

/* Of what is counted while processes run. */
static bool is_counted(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->app_count; i++)
		if (record->app[i].scope == IO_SCOPE_JOB &&
		    strcmp(record->app[i].source, "exit") != 0 &&
		    strcmp(record->app[i].source, "stepd") != 0)
			return true;
	return false;
}

static void note_mute(struct job_look *look, const char *node, const char *why)
{
	size_t used = strlen(look->who);
	char clean[ERR_MAX];

	look->mute++;
	utf8_clean(clean, sizeof(clean), why, strlen(why));
	snprintf(look->who + used, sizeof(look->who) - used, "%s%.60s: %.150s", used ? ", " : "",
		 node, clean);
}

/* Is the node of those that are shown? Else why not is noted. */
static struct record *take_node(const struct look_node *node, uint32_t job, unsigned int ask,
				struct job_look *look)
{
	struct record *record = NULL;

	if (!node->text) {
		note_mute(look, node->name, "it did not answer");
		return NULL;
	}
	if (node->kind == LOOK_ERROR) {
		note_mute(look, node->name, node->text);
		return NULL;
	}
	record = record_parse(node->text, strlen(node->text), NULL);
	if (!record || record->job != job) {
		note_mute(look, node->name, "its answer has no meaning");
		record_free(record);
		return NULL;
	}
	if (!is_counted(record)) {
		look->blind++;
		record_free(record);
		return NULL;
	}
	if (node->ask < ask)
		note_mute(look, node->name, "it did not answer this time");
	return record;
}

static void take_nodes(struct job_report *r, struct json *texts, const struct looks *looks,
		       uint32_t job, unsigned int ask, struct job_look *look)
{
	struct json *value;
	const char *text;
	size_t i;

	r->records = xcalloc(looks->count + 1, sizeof(struct record *));
	for (i = 0; i < looks->count; i++) {
		struct record *record = take_node(looks->node[i], job, ask, look);

		if (!record)
			continue;
		r->records[r->record_count++] = record;
		text = looks->node[i]->text;
		value = json_read(text, strlen(text), DEPTH_MAX, NULL);
		if (value)
			json_add_copy(texts, NULL, value);
		json_free(value);
	}
	look->nodes = looks->nodes;
	if (looks->nodes > looks->count)
		look->mute += looks->nodes - looks->count;
}

/* ---- sums -------------------------------------------------------------------- */

/* All nodes say the same, or "mixed". */
static void say(char *out, size_t room, bool is_first, const char *text)
{
	if (is_first)
		snprintf(out, room, "%s", text);
	else if (strcmp(out, text) != 0)
		snprintf(out, room, "mixed");
}

static void add_setup(struct summary *s, const struct record *r, bool is_first)
{
	char text[24] = "";

	if (r->has_io_cores && r->io_cores_count > 0)
		snprintf(text, sizeof(text), "%lld", (long long)r->io_cores_count);
	say(s->cores, sizeof(s->cores), is_first, text);
	say(s->cpus, sizeof(s->cpus), is_first,
	    r->has_io_cores && r->io_cores_os ? r->io_cores_os : "");
	say(s->prof, sizeof(s->prof), is_first, r->has_request ? r->request.profile : "");
	if (is_first && r->mount_count)
		snprintf(s->fs, sizeof(s->fs), "%s:%s%s", r->mounts[0].mount, r->mounts[0].fstype,
			 r->mount_count > 1 ? ",.." : "");
	s->flags |= r->flags;
	if (r->has_request && !r->refused && *r->request.profile && r->profile_applied == 0)
		s->lacks |= SUMMARY_LACK(PROFILE);
	if (r->has_request && !r->refused && r->request.io_cores && r->cores_met == 0)
		s->lacks |= SUMMARY_LACK(CORES);
}

static void sum_up(struct job_report *r, const struct job_look *look)
{
	struct summary *s = &r->summary;
	struct io sum, best;
	size_t i;

	summary_init(s);
	io_init(&sum);
	s->nodes_seen = (int64_t)(r->record_count + look->blind);
	s->nodes_expected = look->nodes ? (int64_t)look->nodes : SUMMARY_UNKNOWN;
	for (i = 0; i < r->record_count; i++) {
		add_setup(s, r->records[i], i == 0);
		run_best(r->records[i], IO_SCOPE_JOB, &best);
		io_add(&sum, &best);
		snprintf(s->src, sizeof(s->src), "%.20s", best.source);
	}
	if (!r->record_count)
		return;
	s->scope = SUMMARY_SCOPE_JOB;
	s->rd_bytes = sum.numbers[IO_READ_BYTES];
	s->rd_calls = sum.numbers[IO_READ_CALLS];
	s->wr_bytes = sum.numbers[IO_WRITE_BYTES];
	s->wr_calls = sum.numbers[IO_WRITE_CALLS];
	s->peak_rd = sum.numbers[IO_PEAK_READ];
	s->peak_wr = sum.numbers[IO_PEAK_WRITE];
}

/* ---- the report -------------------------------------------------------------- */

/* As the ledger would answer, as far as there is something yet. */
static char *make_json(const struct job_report *r, const struct job_look *look, struct json *texts)
{
	struct json *top = json_new_object();

	json_add_text(top, "cluster", r->cluster);
	json_add_number(top, "job", r->job);
	json_add_known(top, "restart", r->restart);
	json_add_known(top, "nodes", look->nodes ? (int64_t)look->nodes : RECORD_UNKNOWN);
	json_add_number(top, "nodes_blind", (int64_t)look->blind);
	json_add_number(top, "nodes_mute", (int64_t)look->mute);
	json_add_text(top, "mute", *look->who ? look->who : NULL);
	if (r->record_count)
		job_totals_json(top, &r->summary);
	else
		json_add_null(top, "totals");
	json_add_copy(top, "records", texts);
	return json_line_free(top);
}

static void name(struct job_report *r, const struct sacct_row *slurm)
{
	const struct record *first = r->record_count ? r->records[0] : NULL;
	const char *cluster = first && *first->cluster ? first->cluster
			      : slurm		       ? slurm->cluster
						       : "";

	r->slurm = slurm;
	r->restart = first ? first->restart : RECORD_UNKNOWN;
	r->array_job = first ? first->array_job : RECORD_UNKNOWN;
	r->array_task = first ? first->array_task : RECORD_UNKNOWN;
	r->het_job = first ? first->het_job : RECORD_UNKNOWN;
	r->het_offset = first ? first->het_offset : RECORD_UNKNOWN;
	r->cluster = *cluster ? xstrdup(cluster) : NULL;
}

struct job_report *live_view_new(const char *id, uint32_t job, const struct sacct_row *slurm,
				 const struct looks *looks, unsigned int ask, struct job_look *look)
{
	struct json *top = json_new_object(), *texts = json_add_list(top, "records");
	struct job_report *r = xcalloc(1, sizeof(*r));

	memset(look, 0, sizeof(*look));
	r->source = "live";
	r->job = job;
	r->look = look;
	r->id = xstrdup(id);
	take_nodes(r, texts, looks, job, ask, look);
	name(r, slurm);
	sum_up(r, look);
	r->json = make_json(r, look, texts);
	json_free(top);
	return r;
}
