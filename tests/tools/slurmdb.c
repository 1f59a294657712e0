/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurmdb - a slurmdbd of one file, for jobio-ledgerd
 *
 * A library for LD_PRELOAD: it replaces the functions of slurmdb.h that the ledger calls.
 * $SLURMDB/rows has a row of the job table a line, "-" for a missing value:
 *   CLUSTER JOB SUBMIT START END STATE ARRAY TASK HET OFFSET ACCOUNT|COMMENT
 * A condition finds the rows that slurmdbd finds (as_mysql_job.c,
 * as_mysql_jobacct_process.c, 22.05 to 26.05). $SLURMDB/users: "LEVEL NAME" a line.
 * A file fail-connect, fail-look, fail-change, fail-commit or fail-users contains the
 * errno with which that call fails; with a file "lose" a change is acknowledged and
 * not made. $SLURMDB/log: the calls. */
#include <errno.h>
#include <pthread.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/slurmdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef __typeof__(slurm_list_create(NULL)) list_of_slurm;

#define ROWS_MAX 8192
#define TEXT_MAX 65536

struct row {
	char cluster[64], account[64], *comment;
	long long n[9]; /* job submit start end state array task het offset */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row rows[ROWS_MAX];
static int row_count;

static FILE *file(const char *name, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", getenv("SLURMDB"), name);
	return fopen(path, mode);
}

/* Log the call; true with errno set if a file makes it fail. */
static bool fails(const char *call)
{
	char name[32];
	FILE *in, *out = file("log", "a");
	int error = 0;

	fprintf(out, "%s\n", call);
	fclose(out);
	snprintf(name, sizeof(name), "fail-%s", call);
	in = file(name, "r");
	if (!in)
		return false;
	if (fscanf(in, "%d", &error) != 1)
		error = ESLURM_ACCESS_DENIED;
	fclose(in);
	errno = error;
	return true;
}

static long long number_of(const char *text)
{
	return *text == '-' ? NO_VAL : atoll(text);
}

static void load(void)
{
	static char line[TEXT_MAX], words[9][24];
	FILE *in = file("rows", "r");
	struct row *row;
	int i, at;

	for (i = 0; i < row_count; i++)
		free(rows[i].comment);
	row_count = 0;
	while (in && row_count < ROWS_MAX && fgets(line, sizeof(line), in)) {
		row = &rows[row_count++];
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%63s %23s %23s %23s %23s %23s %23s %23s %23s %23s %63[^|]|%n",
			   row->cluster, words[0], words[1], words[2], words[3], words[4], words[5],
			   words[6], words[7], words[8], row->account, &at) != 11)
			abort();
		for (i = 0; i < 9; i++)
			row->n[i] = number_of(words[i]);
		row->comment = strdup(line + at);
	}
	if (in)
		fclose(in);
}

static void save(void)
{
	FILE *out = file("rows", "w");
	int i, k;

	for (i = 0; i < row_count; i++) {
		fprintf(out, "%s", rows[i].cluster);
		for (k = 0; k < 9; k++)
			if (rows[i].n[k] == NO_VAL)
				fprintf(out, " -");
			else
				fprintf(out, " %lld", rows[i].n[k]);
		fprintf(out, " %s|%s\n", rows[i].account, rows[i].comment);
	}
	fclose(out);
}

static bool names(const slurm_selected_step_t *step, const struct row *row)
{
	if (step->array_task_id != NO_VAL)
		return row->n[5] == step->step_id.job_id && row->n[6] == step->array_task_id;
	if (step->het_job_offset != NO_VAL)
		return row->n[7] == step->step_id.job_id && row->n[8] == step->het_job_offset;
	return row->n[0] == step->step_id.job_id;
}

/* The text is in the list; an empty list contains every text. */
static bool is_listed(list_of_slurm list, const char *text)
{
	bool found = !list;
	const char *one;

	if (list) {
		__auto_type it = slurm_list_iterator_create(list);

		while (!found && (one = slurm_list_next(it)))
			found = !strcmp(one, text);
		slurm_list_iterator_destroy(it);
	}
	return found;
}

static bool is_named(list_of_slurm list, const struct row *row)
{
	__auto_type it = slurm_list_iterator_create(list);
	const slurm_selected_step_t *step;
	bool found = false;

	while (!found && (step = slurm_list_next(it)))
		found = names(step, row);
	slurm_list_iterator_destroy(it);
	return found;
}

static bool is_meant(const slurmdb_job_cond_t *cond, struct row *row)
{
	char state[24];
	int i;

	snprintf(state, sizeof(state), "%lld", row->n[4]);
	if (!is_listed(cond->cluster_list, row->cluster) || !is_named(cond->step_list, row) ||
	    !is_listed(cond->state_list, state))
		return false;
	if (cond->usage_start && (row->n[3] < cond->usage_start || row->n[3] > cond->usage_end))
		return false;
	for (i = 0; !(cond->flags & JOBCOND_FLAG_DUP) && i < row_count; i++)
		if (rows[i].n[0] == row->n[0] && rows[i].n[1] > row->n[1])
			return false;
	return true;
}

static void free_rec(void *data)
{
	slurmdb_job_rec_t *rec = data;

	free(rec->system_comment);
	free(rec->account);
	free(rec);
}

static slurmdb_job_rec_t *rec_of(const struct row *row)
{
	slurmdb_job_rec_t *rec = calloc(1, sizeof(*rec));

	rec->jobid = (uint32_t)row->n[0];
	rec->submit = row->n[1];
	rec->start = row->n[2];
	rec->end = row->n[3];
	rec->state = (uint32_t)row->n[4];
	rec->array_job_id = row->n[5] == NO_VAL ? 0 : (uint32_t)row->n[5];
	rec->array_task_id = (uint32_t)row->n[6];
	rec->het_job_id = row->n[7] == NO_VAL ? 0 : (uint32_t)row->n[7];
	rec->het_job_offset = (uint32_t)row->n[8];
	rec->account = strcmp(row->account, "-") ? strdup(row->account) : NULL;
	rec->system_comment = *row->comment ? strdup(row->comment) : NULL;
	return rec;
}

/* ---- slurm.h, slurmdb.h ---------------------------------------------------- */

void slurm_init(const char *conf)
{
	(void)conf;
}

void *slurmdb_connection_get(uint16_t *flags)
{
	(void)flags;
	return fails("connect") ? NULL : strdup("");
}

int slurmdb_connection_close(void **connection)
{
	free(*connection);
	return 0;
}

int slurmdb_connection_commit(void *connection, bool commit)
{
	(void)connection, (void)commit;
	return fails("commit") ? SLURM_ERROR : SLURM_SUCCESS;
}

list_of_slurm slurmdb_jobs_get(void *connection, slurmdb_job_cond_t *cond)
{
	list_of_slurm list = NULL;
	int i;

	(void)connection;
	pthread_mutex_lock(&lock);
	if (!fails("look")) {
		load();
		list = slurm_list_create(free_rec);
		for (i = 0; i < row_count; i++)
			if (is_meant(cond, &rows[i]))
				slurm_list_append(list, rec_of(&rows[i]));
	}
	pthread_mutex_unlock(&lock);
	return list;
}

list_of_slurm slurmdb_job_modify(void *connection, slurmdb_job_cond_t *cond, slurmdb_job_rec_t *job)
{
	list_of_slurm list = NULL;
	FILE *lose = file("lose", "r");
	int i, found = 0;

	(void)connection;
	pthread_mutex_lock(&lock);
	if (!fails("change")) {
		load();
		list = slurm_list_create(free);
		for (i = 0; i < row_count; i++) {
			if (!is_meant(cond, &rows[i]))
				continue;
			slurm_list_append(list, strdup("row"));
			free(rows[i].comment);
			rows[i].comment = strdup(job->system_comment);
			found++;
		}
		if (found && !lose)
			save();
		errno = found ? 0 : SLURM_NO_CHANGE_IN_DATA;
	}
	pthread_mutex_unlock(&lock);
	if (lose)
		fclose(lose);
	return list;
}

static void free_user(void *data)
{
	free(((slurmdb_user_rec_t *)data)->name);
	free(data);
}

list_of_slurm slurmdb_users_get(void *connection, slurmdb_user_cond_t *cond)
{
	list_of_slurm list;
	slurmdb_user_rec_t *user;
	FILE *in;
	char name[64];
	int level;

	(void)connection;
	if (fails("users"))
		return NULL;
	list = slurm_list_create(free_user);
	in = file("users", "r");
	while (in && fscanf(in, "%d %63s", &level, name) == 2) {
		if (level != cond->admin_level)
			continue;
		user = calloc(1, sizeof(*user));
		user->name = strdup(name);
		slurm_list_append(list, user);
	}
	if (in)
		fclose(in);
	return list;
}
