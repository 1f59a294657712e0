/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for people. */
#include "report/job_print.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/run.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_view.h"
#include "report/tone.h"

#define NODES_SHOWN 16
#define NAMES_SHOWN 8

/* ---- which nodes say the same --------------------------------------------- */

typedef bool is_same_fn(const struct record *record, const void *what);

/* Does a node before 'at' say it too? Then it is told. */
static bool is_told(const struct job_report *r, size_t at, is_same_fn *is_same, const void *what)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (is_same(r->records[i], what))
			return true;
	return false;
}

/* "c1", "c1, c2", "c1, c2, .. and 7 more nodes" */
static void print_names(FILE *out, const struct job_report *r, is_same_fn *is_same,
			const void *what)
{
	size_t i, count = 0;

	for (i = 0; i < r->record_count; i++) {
		if (!is_same(r->records[i], what))
			continue;
		if (count < NAMES_SHOWN)
			fprintf(out, "%s%s", count ? ", " : "", r->records[i]->node);
		count++;
	}
	if (count > NAMES_SHOWN)
		fprintf(out, " and %zu more nodes", count - NAMES_SHOWN);
}

/* ---- what the job did not get -------------------------------------------- */

static bool has_no_profile(const struct record *record, const void *what)
{
	return record->has_request && !record->refused && !record->profile_applied &&
	       !strcmp(record->request.profile, what);
}

static bool has_no_cores(const struct record *record, const void *what)
{
	(void)what;
	return record->has_request && !record->refused && !record->cores_met;
}

static bool is_same_warning(const struct record *record, const void *what)
{
	return record->gate_warned > 0 && record->gate_text && !strcmp(record->gate_text, what);
}

static void print_lack(FILE *out, const struct job_report *r, size_t at, is_same_fn *is_same,
		       const void *what)
{
	const struct record *record = r->records[at];

	if (!is_same(record, what) || is_told(r, at, is_same, what))
		return;
	fprintf(out, "  %s%-13s%s on ", tone(TONE_WARN), "not given", tone(TONE_END));
	print_names(out, r, is_same, what);
	if (is_same == has_no_profile)
		fprintf(out, ": profile %s was not applied\n", record->request.profile);
	else if (is_same == has_no_cores)
		fputs(": the io-cores were without use\n", out);
	else
		fprintf(out, ": %s\n", record->gate_text);
}

/* A refusal is told among the findings, as ever. */
static void print_lacks(FILE *out, const struct job_report *r)
{
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		print_lack(out, r, i, has_no_profile, record->request.profile);
		print_lack(out, r, i, has_no_cores, NULL);
		if (record->gate_text)
			print_lack(out, r, i, is_same_warning, record->gate_text);
	}
}

/* ---- the head ------------------------------------------------------------ */

static void print_nodes_line(FILE *out, const struct summary *s)
{
	char seen[16], all[16];

	job_count(s->nodes_seen, seen);
	fprintf(out, "  %-13s %s", "nodes", seen);
	if (s->nodes_expected >= 0) {
		job_count(s->nodes_expected, all);
		fprintf(out, " of %s reported", all);
	}
	if (*s->miss)
		fprintf(out, "; missing: %s", s->miss);
	fputc('\n', out);
}

/* "2" may be one task of array 2, and "3" the first component of job 3. */
static void print_family(FILE *out, const struct job_report *r)
{
	if (r->array_job > 0)
		fprintf(out, " (task %lld_%lld of array %lld)", (long long)r->array_job,
			(long long)r->array_task, (long long)r->array_job);
	else if (r->het_job > 0)
		fprintf(out, " (component %lld+%lld of job %lld)", (long long)r->het_job,
			(long long)r->het_offset, (long long)r->het_job);
}

/* "time  FIRST to LAST (28.0 s)", by the nodes' clocks or by Slurm's. */
static void print_times(FILE *out, const struct job_report *r)
{
	struct job_time time = job_time_of(r);
	char first[JOB_ELAPSED], last[JOB_ELAPSED];

	if (time.first < 0)
		return;
	fprintf(out, "  %-13s %s to %s (%.1f s)\n", "time", job_clock(time.first, first),
		time.last >= 0 ? job_clock(time.last, last) : "unknown", time.seconds);
}

static void print_name(FILE *out, const struct sacct_row *job)
{
	if (!job || (!*job->name && !*job->partition))
		return;
	fprintf(out, "  %-13s %s%s%s", "name", tone(TONE_STRONG), *job->name ? job->name : "-",
		tone(TONE_END));
	if (*job->partition)
		fprintf(out, ", partition %s", job->partition);
	if (*job->account)
		fprintf(out, ", account %s", job->account);
	fputc('\n', out);
}

static void print_state(FILE *out, const struct job_report *r)
{
	const struct sacct_row *job = job_is_of_slurm(r) ? r->slurm : NULL;
	struct job_time time = job_time_of(r);
	int64_t nodes = job_nodes_of(r);
	char text[32];

	fprintf(out, "  %-13s ", "state");
	if (r->look && (!job || strcmp(job->state, "SUSPENDED") != 0))
		fputs("RUNNING", out); /* slurmdbd may be behind */
	else if (job)
		fprintf(out, "%s%s%s", tone(job_state_tone(job->state)), job->state,
			tone(TONE_END));
	else
		fputs("unknown", out);
	if (job && !r->look && job->exit_code >= 0)
		fprintf(out, ", exit code %lld", (long long)job->exit_code);
	if (job && !r->look && job->signal > 0)
		fprintf(out, ", signal %lld", (long long)job->signal);
	if (time.seconds > 0)
		fprintf(out, ", %s", job_elapsed(time.seconds, text));
	if (nodes > 0)
		fprintf(out, " on %lld node%s", (long long)nodes, nodes == 1 ? "" : "s");
	fputc('\n', out);
}

static void print_first_line(FILE *out, const struct job_report *r)
{
	const char *user = job_user_of(r);

	fprintf(out, "%sjob %s%s", tone(TONE_STRONG), r->id, tone(TONE_END));
	if (!strpbrk(r->id, "_+"))
		print_family(out, r);
	if (r->cluster)
		fprintf(out, " on cluster %s", r->cluster);
	if (*user)
		fprintf(out, ", user %s", user);
	if (r->restart > 0 || r->runs > 1)
		fprintf(out, ", run %lld of %lld known",
			(long long)(r->restart < 0 ? 0 : r->restart), (long long)r->runs);
	job_print_lacks(out, "; not given: ", r->summary.lacks);
	fputc('\n', out);
}

/* Slurm speaks of a newer run. */
static void print_newer(FILE *out, const char *state)
{
	if (sacct_is_early(state))
		fprintf(out,
			"  %-13s the job has been requeued and is %s: this is its last run that ended\n",
			"note", state);
	else
		fprintf(out,
			"  %-13s the job has run again and is %s, and there is no record of that: this is a run before it\n",
			"note", state);
}

static void print_head(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;

	print_first_line(out, r);
	print_lacks(out, r);
	if (r->slurm && !r->is_old_run && !job_is_of_slurm(r))
		print_newer(out, r->slurm->state);
	print_name(out, r->slurm);
	print_state(out, r);
	if (r->is_verbose)
		print_times(out, r);
	if (r->is_verbose || *s->miss || s->nodes_seen < s->nodes_expected)
		print_nodes_line(out, s);
}

/* ---- cores, client, changes, findings ------------------------------------ */

static bool is_same_client(const struct record *record, const void *what)
{
	const struct record_client *other = what;
	size_t i;

	for (i = 0; i < record->client_count; i++)
		if (!strcmp(record->clients[i].type, other->type) &&
		    !strcmp(record->clients[i].version, other->version))
			return true;
	return false;
}

/* Two of one node are one line when they are the same. */
static bool is_new_client(const struct job_report *r, size_t at, size_t index)
{
	const struct record_client *clients = r->records[at]->clients;
	size_t i;

	for (i = 0; i < index; i++)
		if (!strcmp(clients[i].type, clients[index].type) &&
		    !strcmp(clients[i].version, clients[index].version))
			return false;
	return !is_told(r, at, is_same_client, &clients[index]);
}

static void print_clients(FILE *out, const struct job_report *r)
{
	const struct record_client *client;
	const char *name = "client";
	size_t i, k;

	for (i = 0; i < r->record_count; i++) {
		for (k = 0; k < r->records[i]->client_count; k++) {
			if (!is_new_client(r, i, k))
				continue;
			client = &r->records[i]->clients[k];
			fprintf(out, "  %-13s %s %s on ", name, client->type,
				*client->version ? client->version : "of unknown version");
			print_names(out, r, is_same_client, client);
			fputc('\n', out);
			name = "";
		}
	}
}

static bool is_same_card(const struct record *record, const void *what)
{
	const struct record_client *other = what, *client = record->clients;
	size_t i;

	for (i = 0; i < record->client_count; i++, client++)
		if (client->cards && !strcmp(client->name, other->name) &&
		    !strcmp(client->cards, other->cards) &&
		    job_is_same_text(client->card_nodes, other->card_nodes) &&
		    client->is_beside == other->is_beside)
			return true;
	return false;
}

static void print_card(FILE *out, const struct job_report *r, const struct record_client *client,
		       const char *name)
{
	static const char *const answers[] = {
		"unknown whether the job had cores beside it, on ",
		"the job had no core beside it on ",
		"the job had cores beside it on ",
	};

	fprintf(out, "  %-13s %s (%s", name, client->cards, client->name);
	if (client->card_nodes)
		fprintf(out, ", NUMA node %s", client->card_nodes);
	fprintf(out, "): %s", answers[client->is_beside + 1]);
	print_names(out, r, is_same_card, client);
	fputc('\n', out);
}

/* The cards of the clients, and on which nodes tasks ran beside them. */
static void print_cards(FILE *out, const struct job_report *r)
{
	const struct record_client *client;
	const char *name = "card";
	size_t i, k;

	for (i = 0; i < r->record_count; i++) {
		client = r->records[i]->clients;
		for (k = 0; k < r->records[i]->client_count; k++, client++) {
			if (!client->cards || is_told(r, i, is_same_card, client))
				continue;
			print_card(out, r, client, name);
			name = "";
		}
	}
}

static bool is_same_cores(const struct record *record, const void *what)
{
	const struct record *other = what;

	return record->has_io_cores && record->io_cores_count == other->io_cores_count &&
	       job_is_same_text(record->io_cores_os, other->io_cores_os);
}

/* Nodes that differ, each with its own. */
static void print_mixed_cores(FILE *out, const struct job_report *r)
{
	const char *name = "io-cores";
	char text[16];
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		if (!record->has_io_cores || is_told(r, i, is_same_cores, record))
			continue;
		fprintf(out, "  %-13s %s, CPUs %s, on ", name,
			job_count(record->io_cores_count, text),
			record->io_cores_os ? record->io_cores_os : "unknown");
		print_names(out, r, is_same_cores, record);
		fputc('\n', out);
		name = "";
	}
}

static void print_cores(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	bool is_mixed = !strcmp(s->cores, "mixed") || !strcmp(s->cpus, "mixed");

	if (is_mixed && r->record_count)
		print_mixed_cores(out, r);
	else if (!*s->cores)
		fprintf(out, "  %-13s none\n", "io-cores");
	else if (is_mixed)
		fprintf(out, "  %-13s not the same on all nodes\n", "io-cores");
	else
		fprintf(out, "  %-13s %s on each node, CPUs %s\n", "io-cores", s->cores,
			*s->cpus ? s->cpus : "unknown");
}

static void print_request(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	const struct record *any = r->record_count ? r->records[0] : NULL;
	char text[16];

	if (any && any->has_request) {
		fprintf(out, "  %-13s ", "request");
		if (any->request.io_cores)
			fprintf(out, "%s io-core%s on each node",
				job_count(any->request.io_cores, text),
				any->request.io_cores == 1 ? "" : "s");
		if (*any->request.profile)
			fprintf(out, "%sprofile %s", any->request.io_cores ? ", " : "",
				any->request.profile);
		fputc('\n', out);
	}
	print_cores(out, r);
	fprintf(out, "  %-13s %s\n", "profile", *s->prof ? s->prof : "none");
	fprintf(out, "  %-13s %s\n", "filesystems", *s->fs ? s->fs : "none");
	print_clients(out, r);
	print_cards(out, r);
}

/* How many nodes say the same; 0 when an earlier node has said it. */
static int change_nodes(const struct job_report *r, size_t at, const struct record_change *change)
{
	int nodes = 0;
	size_t i, k;

	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->change_count; k++)
			if (job_is_same_change(&r->records[i]->changes[k], change)) {
				if (i < at)
					return 0;
				nodes++;
				break;
			}
	return nodes;
}

static void print_change(FILE *out, const struct record_change *c, int nodes)
{
	const char *back = c->restored > 0    ? "put back"
			   : c->restored == 0 ? "NOT put back"
					      : "unknown whether put back";

	fprintf(out, "  %-13s %s %s: ",
		c->made > 0    ? "changed"
		: c->made == 0 ? "not changed"
			       : "unknown",
		c->what ? c->what : "?", c->target ? c->target : "");
	if (c->made)
		fprintf(out, "%s'%s' became '%s'%s %s", c->made > 0 ? "" : "whether ",
			c->old_value ? c->old_value : "", c->new_value ? c->new_value : "",
			c->made > 0 ? "," : ";", back);
	else
		fprintf(out, "'%s' stayed, '%s' was not taken", c->old_value ? c->old_value : "",
			c->new_value ? c->new_value : "");
	fprintf(out, " (%d node%s)\n", nodes, nodes == 1 ? "" : "s");
}

static void print_changes(FILE *out, const struct job_report *r)
{
	const struct record_change *change;
	size_t i, k;
	int nodes;

	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->change_count; k++) {
			change = &r->records[i]->changes[k];
			nodes = change_nodes(r, i, change);
			if (nodes)
				print_change(out, change, nodes);
		}
	if (!r->record_count && r->summary.changed > 0)
		fprintf(out, "  %-13s %lld settings, %lld put back\n", "changed",
			(long long)r->summary.changed, (long long)r->summary.restored);
}

static bool is_same_refusal(const struct record *record, const void *what)
{
	return record->refused && !strcmp(record->refused, what);
}

static bool has_finding(const struct record *record, const void *what)
{
	const struct record_finding *f = what;
	size_t k;

	for (k = 0; k < record->finding_count; k++)
		if (!strcmp(record->findings[k].code, f->code) &&
		    job_is_same_text(record->findings[k].text, f->text))
			return true;
	return false;
}

/* Once, with all nodes that say it. */
static void print_finding(FILE *out, const struct job_report *r, size_t at,
			  const struct record_finding *f)
{
	if (is_told(r, at, has_finding, f))
		return;
	fprintf(out, "  %-13s %s %s on ", "finding", f->severity, f->code);
	print_names(out, r, has_finding, f);
	fprintf(out, ": %s%s%s\n", f->text ? f->text : "", f->cure && *f->cure ? "; " : "",
		f->cure ? f->cure : "");
}

static void print_refusals(FILE *out, const struct job_report *r)
{
	const struct record *record;
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		record = r->records[i];
		if (!record->refused || is_told(r, i, is_same_refusal, record->refused))
			continue;
		fprintf(out, "  %s%-13s%s on ", tone(TONE_BAD), "refused", tone(TONE_END));
		print_names(out, r, is_same_refusal, record->refused);
		fprintf(out, ": %s\n", record->refused);
	}
}

/* Without --verbose, those that the job's owner can do something about. */
static void print_findings(FILE *out, const struct job_report *r)
{
	const struct record_finding *f;
	size_t i, k;

	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->finding_count; k++) {
			f = &r->records[i]->findings[k];
			if (r->is_verbose || f->is_users > 0)
				print_finding(out, r, i, f);
		}
}

static void print_finding_count(FILE *out, const struct job_report *r)
{
	long long errors = r->summary.errors, warnings = r->summary.warnings;

	if (errors <= 0 && warnings <= 0)
		return;
	fprintf(out, "  %-13s ", "findings");
	if (errors > 0)
		fprintf(out, "%s%lld error%s%s", tone(TONE_BAD), errors, errors == 1 ? "" : "s",
			tone(TONE_END));
	if (warnings > 0)
		fprintf(out, "%s%lld warning%s", errors > 0 ? ", " : "", warnings,
			warnings == 1 ? "" : "s");
	fputs(r->record_count ? ": --verbose shows them\n" : "\n", out);
}

static void print_quality(FILE *out, uint32_t flags)
{
	const char *name = "quality";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++) {
		if (!(flags & (UINT32_C(1) << bit)))
			continue;
		fprintf(out, "  %-13s %s\n", name, record_flag_words(bit));
		name = "";
	}
}

/* ---- nodes --------------------------------------------------------------- */

static void print_balance(FILE *out, const struct summary *s)
{
	char text[16];

	if (s->imbalance >= 1.1)
		fprintf(out, "  %-13s %s%s moved %.2f times as much as the mean node\n", "balance",
			s->scope == SUMMARY_SCOPE_JOB ? "" : "NODE-WIDE, ", s->busiest,
			s->imbalance);
	if (s->slowest_ns >= 0) {
		summary_time(s->slowest_ns, text, sizeof(text));
		fprintf(out, "  %-13s %s: its processes spent %s in read and write calls\n",
			"slowest", s->slowest, text);
	}
}

static int64_t moved(const struct io *io)
{
	int64_t sum = RECORD_UNKNOWN;

	io_add_number(&sum, io->numbers[IO_READ_BYTES]);
	io_add_number(&sum, io->numbers[IO_WRITE_BYTES]);
	return sum;
}

static int64_t most_moved(const struct job_report *r)
{
	struct io best;
	int64_t most = 0;
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		run_best(r->records[i], IO_SCOPE_JOB, &best);
		most = moved(&best) > most ? moved(&best) : most;
	}
	return most;
}

/* What each node moved, for the job; '-' is unknown. */
static void print_nodes(FILE *out, const struct job_report *r)
{
	size_t i, shown = r->record_count < NODES_SHOWN ? r->record_count : NODES_SHOWN;
	int64_t most = most_moved(r);
	struct io best;
	char a[16], b[16];

	if (r->record_count < 2)
		return;
	for (i = 0; i < shown; i++) {
		run_best(r->records[i], IO_SCOPE_JOB, &best);
		fprintf(out, "  %-13s %-12s ", i ? "" : "by node", r->records[i]->node);
		if (most > 0)
			tone_bar(out, TONE_GOOD, (double)moved(&best) / (double)most);
		fprintf(out, "read %s, written %s\n", job_bytes(best.numbers[IO_READ_BYTES], a),
			job_bytes(best.numbers[IO_WRITE_BYTES], b));
	}
	if (shown < r->record_count)
		fprintf(out, "  %-13s and %zu more nodes (--json has them)\n", "",
			r->record_count - shown);
}

/* ---- all ----------------------------------------------------------------- */

static void print_now(FILE *out, const struct job_look *look)
{
	char a[16], b[16];

	if (look->since_s <= 0)
		return;
	fprintf(out, "  %-13s read %s/s, written %s/s, in the last %.0f s\n", "now",
		job_bytes((int64_t)((double)look->rd_bytes / look->since_s), a),
		job_bytes((int64_t)((double)look->wr_bytes / look->since_s), b), look->since_s);
}

static void print_look(FILE *out, const struct job_report *r)
{
	const struct job_look *look = r->look;

	print_now(out, look);
	if (look->blind && r->record_count)
		fprintf(out,
			"  %-13s %zu of %zu nodes count nothing before the job's processes end\n",
			"note", look->blind, look->nodes);
	if (look->mute)
		fprintf(out, "  %-13s no numbers from %zu of %zu nodes%s%s\n", "note", look->mute,
			look->nodes, *look->who ? ": " : "", look->who);
	if (r->record_count)
		fprintf(out,
			"  %-13s so far: the job runs, and what its clients moved is read when it ends\n",
			"note");
}

static void print_notes(FILE *out, const struct job_report *r)
{
	if (r->left_out)
		fprintf(out,
			"  %-13s %lld records are not shown: they do not fit into one answer\n",
			"note", (long long)r->left_out);
	if (r->look)
		print_look(out, r);
	else if (!strcmp(r->source, "sacct"))
		fprintf(out, "  %-13s from sacct, three digits and no details: %s%s\n", "note",
			r->why_not_ledger,
			strstr(r->why_not_ledger, "you may read")
				? " (its owner, root and SlurmUser may)"
				: "");
	else if (r->state && strcmp(r->state, "written") != 0)
		fprintf(out, "  %-13s not in sacct yet: %s\n", "note",
			r->error ? r->error : r->state);
}

static void print_details(FILE *out, const struct job_report *r)
{
	print_request(out, r);
	print_changes(out, r);
	if (r->record_count && !r->left_out)
		job_print_io(out, r, job_time_of(r).seconds);
	else
		job_print_totals(out, &r->summary);
	print_balance(out, &r->summary);
	print_nodes(out, r);
	print_quality(out, r->summary.flags);
}

void job_print_text(const struct job_report *r, FILE *out)
{
	print_head(out, r);
	print_refusals(out, r);
	if (r->is_verbose)
		print_details(out, r);
	else
		job_print_short(out, r);
	print_findings(out, r);
	if (!r->is_verbose || !r->record_count)
		print_finding_count(out, r);
	print_notes(out, r);
	if (r->is_verbose && r->summary_text)
		fprintf(out, "  %-13s %s\n", "summary", r->summary_text);
	job_print_advice(out, r);
}
