/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where reports ask, in the place of a ledger and of sacct. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host.h"
#include "lib/ledger_link.h"
#include "report/job_source.h"
#include "report/sacct.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct config config;
static struct job_source source;
static struct sacct_rows rows;
static struct err err;
/* What happened: "open call:{..} close ", and what shall. */
static char happened[1000];
static bool is_away, is_mute;
static const char *slurm_conf_path;

static void note(const char *word, const char *more)
{
	size_t used = strlen(happened);

	snprintf(happened + used, sizeof(happened) - used, "%s%s ", word, more);
}

static void expect_happened(const char *words)
{
	ck_assert_str_eq(happened, words);
	*happened = '\0';
}

struct ledger_link *__wrap_ledger_link_open(const struct config_ledger *ledger,
					    struct err *why)
{
	ck_assert_ptr_eq(ledger, &config.ledger);
	note("open", "");
	if (is_away) {
		err_set(why, "nobody there");
		return NULL;
	}
	return (struct ledger_link *)happened;
}

int __wrap_ledger_link_call(struct ledger_link *link, const char *request,
			    char **answer, struct err *why)
{
	ck_assert_ptr_eq(link, happened);
	note("call:", request);
	if (is_mute)
		return err_set(why, "no answer");
	*answer = strdup("yes");
	return 0;
}

void __wrap_ledger_link_close(struct ledger_link *link)
{
	note(link ? "close" : "no-link", "");
}

struct sacct_rows *__wrap_sacct_ask(const struct sacct_query *query,
				    struct err *why)
{
	ck_assert_ptr_null(query->users);
	note("sacct:", query->jobs);
	if (is_away) {
		err_set(why, "no sacct");
		return NULL;
	}
	return &rows;
}

void __wrap_sacct_free(struct sacct_rows *some)
{
	note(some ? "free" : "no-rows", "");
}

const char *__wrap_host_slurm_conf(const char *root)
{
	ck_assert_str_eq(root, "");
	note("slurm.conf", "");
	return slurm_conf_path;
}

static void begin(void)
{
	memset(&source, 0, sizeof(source));
	memset(&config, 0, sizeof(config));
	source.config = &config;
	config.ledger.cluster = (char *)"";
	*happened = '\0';
}

/* ---- the ledger ------------------------------------------------------------------ */

START_TEST(the_ledger_has_one_link_for_all_questions)
{
	char *answer;
	int i;

	begin();
	for (i = 0; i < 2; i++) {
		answer = job_source_call(&source, "{}", &err);
		ck_assert_str_eq(answer, "yes");
		free(answer);
	}
	expect_happened("open call:{} call:{} ");
	job_source_close(&source);
	expect_happened("close no-rows ");
	job_source_close(&source);
	expect_happened("no-link no-rows ");
}
END_TEST

static void expect_down(const char *why)
{
	*err.text = '\0';
	ck_assert_ptr_null(job_source_call(&source, "{}", &err));
	ck_assert_str_eq(err.text, why);
}

START_TEST(a_ledger_that_failed_is_not_asked_again)
{
	begin();
	is_mute = true;
	expect_down("no answer");
	expect_happened("open call:{} ");
	is_mute = false;
	expect_down("no answer");
	expect_happened("");
	begin();
	is_away = true;
	expect_down("nobody there");
	expect_happened("open ");
	is_away = false;
	expect_down("nobody there");
	expect_happened("");
}
END_TEST

/* ---- the cluster ----------------------------------------------------------------- */

START_TEST(the_cluster_is_that_of_the_jobs_that_sacct_lists)
{
	struct sacct_row row[2] = { { .cluster = "c1" }, { .cluster = "c2" } };

	begin();
	rows.row = row;
	rows.count = 2;
	source.slurm = &rows;
	config.ledger.cluster = (char *)"mine";
	ck_assert_str_eq(job_source_cluster(&source), "c1");
	/* of an sacct that says none, or that lists none */
	row[0].cluster = "";
	ck_assert_str_eq(job_source_cluster(&source), "mine");
	row[0].cluster = "c1";
	rows.count = 0;
	ck_assert_str_eq(job_source_cluster(&source), "mine");
	rows.count = 2;
	ck_assert_str_eq(job_source_cluster(&source), "c1");
	source.slurm = NULL;
	expect_happened("slurm.conf ");
	job_source_close(&source);
}
END_TEST

START_TEST(the_cluster_of_the_host_is_looked_up_once)
{
	tempdir_make();
	begin();
	slurm_conf_path = tempdir_put("slurm.conf", "ClusterName=here\n");
	ck_assert_str_eq(job_source_cluster(&source), "here");
	ck_assert_str_eq(job_source_cluster(&source), "here");
	expect_happened("slurm.conf ");
	job_source_close(&source);
	ck_assert_ptr_null(source.cluster);
	ck_assert(!source.knows_cluster);
	/* without a jobio.conf, too */
	begin();
	source.config = NULL;
	ck_assert_str_eq(job_source_cluster(&source), "here");
	job_source_close(&source);
	tempdir_remove();
}
END_TEST

static void expect_no_cluster(const char *path)
{
	begin();
	slurm_conf_path = path;
	ck_assert_ptr_null(job_source_cluster(&source));
	ck_assert_ptr_null(job_source_cluster(&source));
	expect_happened("slurm.conf ");
}

START_TEST(a_host_without_slurm_conf_has_no_cluster)
{
	tempdir_make();
	expect_no_cluster(NULL);
	expect_no_cluster(tempdir_path("none"));
	expect_no_cluster(tempdir_put("slurm.conf", "SlurmUser=slurm\n"));
	expect_no_cluster(tempdir_put("slurm.conf", "ClusterName=\n"));
	tempdir_remove();
}
END_TEST

/* ---- sacct ------------------------------------------------------------------------ */

static void ask(const char *one, const char *other, const char *words)
{
	char *const ids[] = { (char *)one, (char *)other };

	begin();
	ck_assert_int_eq(
		job_source_ask_sacct(&source, ids, other ? 2 : 1, &err), 0);
	expect_happened(words);
	ck_assert_ptr_eq(source.slurm, &rows);
}

START_TEST(sacct_is_asked_about_arrays_without_their_brackets)
{
	ask("7", NULL, "sacct:7 ");
	ask("7+1", "5_1", "sacct:7+1,5_1 ");
	ask("5_[1-3]", "8", "sacct:5,8 ");
	ask("5_[1-3],7", NULL, "sacct:5,7 ");
	ask("5_[1", "8", "sacct:5,8 ");
	ask("[5]", NULL, "sacct:[5] ");
	job_source_close(&source);
	expect_happened("no-link free ");
}
END_TEST

START_TEST(that_sacct_says_nothing_is_no_error)
{
	char *const ids[] = { (char *)"7" };

	begin();
	is_away = true;
	ck_assert_int_eq(job_source_ask_sacct(&source, ids, 1, &err), 0);
	ck_assert_ptr_null(source.slurm);
	ck_assert_str_eq(source.why_no_slurm.text, "no sacct");
	is_away = false;
}
END_TEST

UNIT_MAIN("job_source", the_ledger_has_one_link_for_all_questions,
	  a_ledger_that_failed_is_not_asked_again,
	  the_cluster_is_that_of_the_jobs_that_sacct_lists,
	  the_cluster_of_the_host_is_looked_up_once,
	  a_host_without_slurm_conf_has_no_cluster,
	  sacct_is_asked_about_arrays_without_their_brackets,
	  that_sacct_says_nothing_is_no_error)
