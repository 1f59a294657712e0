/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include <json-c/json.h>

#include "lib/json.h"
#include "lib/use.h"
#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"
#include "ledger/service.h"
#include "ledger/site.h"
#include "ledger/store_ops.h"

#define LEDGER_UID 500
#define ALICE 1000
#define BOB 1001

static const struct config_ledger config = { .grace_s = GRACE_S };

static struct service made_service(struct store *store)
{
	static struct metrics metrics;

	return (struct service){
		.store = store, .config = &config, .metrics = &metrics, .ledger_uid = LEDGER_UID
	};
}

/* Ask and commit; the answer is the caller's until the next one. */
static const char *ask(struct service *service, uid_t uid, const char *request)
{
	static char *answer;
	struct err err;

	free(answer);
	answer = NULL;
	service_handle(service, request, strlen(request), uid, NOW, &answer);
	ck_assert_int_eq(service_commit(service, &err), 0);
	ck_assert_ptr_nonnull(answer);
	return answer;
}

static const char *ask_put(struct service *service, uid_t uid, struct record *r)
{
	char *text = record_text(r, NULL), *request;
	const char *answer;

	ck_assert_int_gt(asprintf(&request, "{\"op\":\"put\",\"record\":%s}", text), 0);
	answer = ask(service, uid, request);
	free(request);
	free(text);
	record_free(r);
	return answer;
}

START_TEST(root_and_the_ledgers_user_may_put_and_nobody_else)
{
	struct store *store = opened();
	struct service service = made_service(store);

	ck_assert_str_eq(ask_put(&service, 0, made("n1")), "{\"ok\":true}");
	ck_assert_str_eq(ask_put(&service, LEDGER_UID, made("n2")), "{\"ok\":true}");
	ck_assert_str_eq(ask_put(&service, ALICE, made("n1")),
			 "{\"ok\":false,\"error\":\"put: only root may put records\"}");
	closed(store);
}
END_TEST

#define PUT                                                                                        \
	"{\"op\":\"put\",\"record\":{\"jobio\":1,\"cluster\":\"c\",\"job\":7,"                     \
	"\"node\":\"n\",\"uid\":1,\"start\":1}}"

/* 1 when the answer waits for the commit. */
static int handled_of(struct service *service, uid_t uid, const char *request)
{
	char *answer = NULL;
	int rc = service_handle(service, request, strlen(request), uid, NOW, &answer);

	free(answer);
	return rc;
}

static int handled(struct service *service, const char *request)
{
	return handled_of(service, 0, request);
}

START_TEST(what_is_refused_is_answered_at_once_and_breaks_no_batch)
{
	static const char *const refused[] = {
		"{\"op\":\"put\",\"record\":{}}",
		"{\"op\":\"put\",\"record\":7}",
		"{\"op\":\"put\",\"record\":{\"jobio\":1,\"cluster\":\"c\",\"job\":0,\"node\":\"n\",\"uid\":1,\"start\":1}}",
		"{\"op\":\"get\",\"job\":\"8\"}",
		"{}",
		"7",
	};
	struct store *store = opened();
	struct service service = made_service(store);
	struct err err;
	size_t i;

	ck_assert_int_eq(handled(&service, PUT), 1);
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ck_assert_msg(handled(&service, refused[i]) == 0, "%s", refused[i]);
	ck_assert_int_eq(handled_of(&service, ALICE, refused[0]), 0);
	ck_assert_int_eq(service_commit(&service, &err), 0);
	ck_assert_int_eq(run_count(store), 1);
	closed(store);
}
END_TEST

START_TEST(a_run_that_is_written_is_listed_with_the_summary_that_was)
{
	static const char list[] = "{\"op\":\"list\",\"jobs\":[7]}";
	struct store *store = opened();
	struct service service = made_service(store);
	const char *answer;

	ask_put(&service, 0, made("n1"));
	in_store("UPDATE runs SET dirty=0, summary='jobio/1 a=1'");
	answer = ask(&service, ALICE, list);
	ck_assert_ptr_nonnull(strstr(answer, "\"summary\":\"jobio/1 a=1\""));
	ck_assert_ptr_null(strstr(answer, "\"totals\""));
	closed(store);
}
END_TEST

START_TEST(a_record_that_can_never_be_kept_is_called_bad)
{
	struct store *store = opened();
	struct service service = made_service(store);

	ck_assert_str_eq(
		ask(&service, 0, "{\"op\":\"put\",\"record\":{}}"),
		"{\"ok\":false,\"error\":\"record: jobio: '0': this program reads version 1\",\"bad_record\":true}");
	ck_assert_str_eq(
		ask(&service, 0, "{\"op\":\"put\",\"record\":7}"),
		"{\"ok\":false,\"error\":\"put: record: must be an object\",\"bad_record\":true}");
	closed(store);
}
END_TEST

START_TEST(an_answer_to_a_put_waits_for_the_commit)
{
	struct store *store = opened();
	struct service service = made_service(store);
	static const char request[] =
		"{\"op\":\"put\",\"record\":{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"n\",\"uid\":1,\"start\":1}}";
	struct err err;

	ck_assert_int_eq(handled(&service, request), 1);
	ck_assert_int_eq(service.in_batch, 1);
	service_abort(&service);
	ck_assert_int_eq(run_count(store), 0);
	ck_assert_int_eq(handled(&service, request), 1);
	ck_assert_int_eq(service_commit(&service, &err), 0);
	ck_assert_int_eq(run_count(store), 1);
	closed(store);
}
END_TEST

START_TEST(a_job_is_shown_to_its_owner_root_and_the_ledgers_user_only)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	struct store *store = opened();
	struct service service = made_service(store);

	ask_put(&service, 0, made("n1"));
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, get), "\"ok\":true"));
	ck_assert_ptr_nonnull(strstr(ask(&service, 0, get), "\"records\":[{"));
	ck_assert_ptr_nonnull(strstr(ask(&service, LEDGER_UID, get), "\"ok\":true"));
	/* the same answer as for a job that there is not */
	ck_assert_str_eq(ask(&service, BOB, get),
			 "{\"ok\":false,\"error\":\"job '7': no record that you may read\"}");
	ck_assert_str_eq(ask(&service, BOB, "{\"op\":\"get\",\"job\":\"8\"}"),
			 "{\"ok\":false,\"error\":\"job '8': no record that you may read\"}");
	closed(store);
}
END_TEST

START_TEST(a_newer_run_of_another_user_hides_no_run_of_ones_own)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	struct store *store = opened();
	struct service service = made_service(store);
	struct record *bobs = made("n1");
	const char *answer;

	bobs->uid = BOB;
	bobs->start = 5000;
	bobs->end = 6000;
	ask_put(&service, 0, made("n1"));
	ask_put(&service, 0, bobs);
	answer = ask(&service, ALICE, get);
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":1000.000"));
	ck_assert_ptr_null(strstr(answer, "\"start\":5000.000"));
	ck_assert_ptr_nonnull(strstr(ask(&service, BOB, get), "\"start\":5000.000"));
	closed(store);
}
END_TEST

START_TEST(a_job_that_waits_has_its_summary_and_exact_totals)
{
	struct store *store = opened();
	struct service service = made_service(store);
	const char *answer;

	ask_put(&service, 0, made("n1"));
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\"}");
	ck_assert_ptr_nonnull(strstr(answer, "\"state\":\"waiting\""));
	ck_assert_ptr_nonnull(strstr(answer, "\"summary\":\"jobio/1 rd=1KiB/- wr="));
	ck_assert_ptr_nonnull(strstr(answer, " nodes=1/2 "));
	ck_assert_ptr_nonnull(
		strstr(answer, "\"totals\":{\"read_bytes\":1024,\"read_calls\":null"));
	closed(store);
}
END_TEST

START_TEST(the_newest_run_is_shown_unless_another_is_asked_for)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct record *second = made("n1");
	const char *answer;

	second->restart = 1;
	second->start = 3000;
	second->end = 4000;
	ask_put(&service, 0, second);
	ask_put(&service, 0, made("n1"));
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\"}");
	ck_assert_ptr_nonnull(strstr(answer, "{\"ok\":true,\"totals\""));
	ck_assert_ptr_nonnull(strstr(answer, "\"job\":7,\"restart\":1,"));
	answer = strstr(answer, "\"restart\":");
	ck_assert_int_eq(strncmp(answer, "\"restart\":1,", 12), 0);
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"restart\":0}");
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":1000.000"));
	ck_assert_ptr_null(strstr(answer, "\"start\":3000.000"));
	closed(store);
}
END_TEST

static struct record *task(unsigned int job, int number)
{
	struct record *r = made("n1");

	r->job = job;
	r->array_job = 25;
	r->array_task = number;
	return r;
}

START_TEST(the_tasks_of_an_array_are_listed_for_their_owner)
{
	static const char question[] = "{\"op\":\"family\",\"job\":\"25\"}";
	struct store *store = opened();
	struct service service = made_service(store);

	ask_put(&service, 0, task(27, 10));
	ask_put(&service, 0, task(25, 11));
	ask_put(&service, 0, task(26, 2));
	ck_assert_str_eq(ask(&service, ALICE, question),
			 "{\"ok\":true,\"family\":[\"25_2\",\"25_10\",\"25_11\"]}");
	ck_assert_str_eq(ask(&service, ALICE + 1, question), "{\"ok\":true,\"family\":[]}");
	ck_assert_str_eq(ask(&service, ALICE, "{\"op\":\"family\",\"job\":\"26\"}"),
			 "{\"ok\":true,\"family\":[]}");
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, "{\"op\":\"family\",\"job\":\"2_1\"}"),
				     "family: job: must be a job id"));
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"25_10\"}"), "\"job\":27,"));
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"25_3\"}"),
				     "job '25_3': no record that you may read"));
	closed(store);
}
END_TEST

/* Job 7 of the other cluster, later, and its own task of array 25. */
static struct record *elsewhere(unsigned int job)
{
	struct record *r = task(job, 11);

	strcpy(r->cluster, "d");
	r->start = 5000;
	r->end = 6000;
	return r;
}

START_TEST(a_cluster_that_is_named_keeps_the_others_jobs_out)
{
	struct store *store = opened();
	struct service service = made_service(store);
	const char *answer;

	ask_put(&service, 0, made("n1"));
	ask_put(&service, 0, elsewhere(7));
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"c\"}");
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":1000.000"));
	ck_assert_ptr_null(strstr(answer, "\"cluster\":\"d\""));
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"D\"}");
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":5000.000"));
	answer = ask(&service, ALICE, "{\"op\":\"list\",\"cluster\":\"c\",\"jobs\":[7]}");
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":1000.000"));
	ck_assert_ptr_null(strstr(answer, "\"start\":5000.000"));
	/* and without one it is the newest of all */
	answer = ask(&service, ALICE, "{\"op\":\"list\",\"jobs\":[7]}");
	ck_assert_ptr_nonnull(strstr(answer, "\"start\":5000.000"));
	ck_assert_str_eq(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"e\"}"),
			 "{\"ok\":false,\"error\":\"job '7': no record that you may read\"}");
	closed(store);
}
END_TEST

START_TEST(a_task_is_not_hidden_by_that_of_another_cluster_or_user)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct record *bobs = elsewhere(8);

	bobs->uid = BOB;
	ask_put(&service, 0, task(26, 11));
	ask_put(&service, 0, elsewhere(7));
	ask_put(&service, 0, bobs);
	ck_assert_str_eq(
		ask(&service, ALICE, "{\"op\":\"family\",\"job\":\"25\",\"cluster\":\"c\"}"),
		"{\"ok\":true,\"family\":[\"25_11\"]}");
	/* once, of whichever cluster it is */
	ck_assert_str_eq(ask(&service, 0, "{\"op\":\"family\",\"job\":\"25\"}"),
			 "{\"ok\":true,\"family\":[\"25_11\"]}");
	closed(store);
}
END_TEST

/* Task 'number' of array 25 of a cluster, in a transaction. */
static void keep_task(struct store *store, const char *cluster, int number)
{
	struct record *r = task((unsigned int)(1000 + number), number);
	char *text = record_text(r, NULL);
	struct err err;
	int64_t due;

	strcpy(r->cluster, cluster);
	ck_assert_int_eq(store_put(store, r, text, strlen(text), NOW, GRACE_S, &due, &err), 1);
	free(text);
	record_free(r);
}

/* As many as one answer has, of each of two clusters. */
START_TEST(an_array_is_not_cut_short_by_that_of_another_cluster)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct json_object *top;
	struct err err;
	int i;

	ck_assert_int_eq(store_begin(store, &err), 0);
	for (i = 0; i < 1000; i++) {
		keep_task(store, "c", i);
		keep_task(store, "d", i);
	}
	ck_assert_int_ge(store_commit(store, &err), 0);
	top = json_tokener_parse(
		ask(&service, ALICE, "{\"op\":\"family\",\"job\":\"25\",\"cluster\":\"C\"}"));
	ck_assert_int_eq(json_object_array_length(json_object_object_get(top, "family")), 1000);
	json_object_put(top);
	closed(store);
}
END_TEST

START_TEST(a_job_is_not_hidden_by_many_runs_of_another_clusters)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct record *r;
	int i;

	ask_put(&service, 0, made("n1"));
	for (i = 0; i < 70; i++) {
		r = elsewhere(7);
		r->restart = i;
		r->start += 10000 * i;
		r->end += 10000 * i;
		ask_put(&service, 0, r);
	}
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"c\"}"),
		       "\"start\":1000.000"));
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"list\",\"cluster\":\"c\",\"jobs\":[7]}"),
		       "\"start\":1000.000"));
	closed(store);
}
END_TEST

START_TEST(many_jobs_are_listed_in_one_answer_each_to_its_owner)
{
	static const char question[] = "{\"op\":\"list\",\"jobs\":[7,9,8,\"x\",-1]}";
	struct store *store = opened();
	struct service service = made_service(store);
	struct record *other = made("n1");
	const char *answer;

	other->job = 8;
	other->uid = BOB;
	ask_put(&service, 0, made("n1"));
	ask_put(&service, 0, made("n2"));
	ask_put(&service, 0, other);
	answer = ask(&service, ALICE, question);
	ck_assert_ptr_nonnull(
		strstr(answer, "{\"ok\":true,\"runs\":[{\"totals\":{\"read_bytes\":2048,"));
	ck_assert_ptr_nonnull(strstr(answer, "\"node\":\"n2\""));
	ck_assert_ptr_null(strstr(answer, "\"job\":8,"));
	ck_assert_ptr_nonnull(strstr(answer, "]}],\"done\":5}"));
	answer = ask(&service, BOB, question);
	ck_assert_ptr_nonnull(strstr(answer, "\"job\":8,"));
	ck_assert_ptr_null(strstr(answer, "\"job\":7,"));
	ck_assert_str_eq(ask(&service, BOB + 1, question), "{\"ok\":true,\"runs\":[],\"done\":5}");
	ck_assert_str_eq(
		ask(&service, ALICE, "{\"op\":\"list\",\"jobs\":7}"),
		"{\"ok\":false,\"error\":\"list: jobs: must be a list of at most 1000 job ids\"}");
	closed(store);
}
END_TEST

static void put_use(struct store *store, int64_t id, const char *user)
{
	struct err err = { "" };
	struct use use;
	char *text;

	use_init(&use);
	use.cluster = "c";
	use.user = user;
	use.job = id;
	use.ended = 2000 + id;
	use.fs[0] = (struct use_fs){ "/a", "", 1, 2, 3, 4 };
	use.fs_count = 1;
	text = use_text(&use);
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_use_put(store, id, use.ended, text, &err), 0);
	ck_assert_int_eq(store_commit(store, &err), 0);
	free(text);
}

START_TEST(what_a_site_did_is_told_to_root_slurm_and_operators)
{
	static const char question[] = "{\"op\":\"site\",\"since\":0,\"until\":5000}";
	static const char no[] =
		"{\"ok\":false,\"error\":\"site: for root, SlurmUser and operators of Slurm only\"}";
	struct store *store = opened();
	struct service service = made_service(store);
	const char *answer;

	put_use(store, 1, "alice");
	put_use(store, 2, "bob");
	service.metrics->operator_count = 0;
	ck_assert_str_eq(ask(&service, ALICE, question), no);
	answer = ask(&service, 0, question);
	ck_assert_ptr_nonnull(strstr(answer, "{\"ok\":true,\"rows\":2,\"tally\":{\"jobs\":2,"));
	ck_assert_ptr_nonnull(strstr(answer, "{\"name\":\"/a\",\"cluster\":\"c\",\"jobs\":2,"));
	ck_assert_ptr_null(strstr(answer, "\"next\""));
	ck_assert_ptr_nonnull(strstr(ask(&service, LEDGER_UID, question), "\"rows\":2"));
	service.metrics->operators[0] = ALICE;
	service.metrics->operator_count = 1;
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, question), "\"rows\":2"));
	ck_assert_str_eq(ask(&service, BOB, question), no);
	service.metrics->operator_count = 0;
	closed(store);
}
END_TEST

START_TEST(what_a_site_did_is_told_page_by_page)
{
	struct store *store = opened();
	struct service service = made_service(store);
	char question[200] = "{\"op\":\"site\",\"since\":2001,\"until\":9000}";
	struct json_object *top, *next;
	int64_t rows = 0;
	char user[16];
	int i, pages;

	for (i = 1; i <= 2000; i++) {
		snprintf(user, sizeof(user), "u%d", i);
		put_use(store, i, user);
	}
	for (pages = 1; pages < 9; pages++) {
		top = json_parse(ask(&service, 0, question));
		rows += json_number(top, "rows");
		next = json_list(top, "next");
		if (!next)
			break;
		snprintf(question, sizeof(question),
			 "{\"op\":\"site\",\"since\":2001,\"until\":9000,\"after\":%s}",
			 json_line(next));
		json_object_put(top);
	}
	json_object_put(top);
	ck_assert_int_eq(rows, 2000);
	ck_assert_int_eq(pages, 2);
	closed(store);
}
END_TEST

/* The rows of a page of all runs from that second on, behind a place or "". */
static int64_t rows_of(struct service *service, int since, const char *after, char next[64])
{
	char question[200];
	struct json_object *top, *list;
	int64_t rows;

	snprintf(question, sizeof(question), "{\"op\":\"site\",\"since\":%d,\"until\":99000%s%s}",
		 since, *after ? ",\"after\":" : "", after);
	top = json_parse(ask(service, 0, question));
	rows = json_number(top, "rows");
	list = json_list(top, "next");
	snprintf(next, 64, "%s", list ? json_line(list) : "");
	json_object_put(top);
	return rows;
}

/* A store of so many uses, one a second from 2001 on: more than one wants to write. */
static int64_t many_uses;

static int uses_of_many(struct store *store, const struct store_place *after, int64_t until_s,
			int max, store_use_fn fn, void *arg, struct err *err)
{
	struct use use;
	int64_t id;
	char *text;
	int rc = 0;

	(void)store;
	ck_assert_int_eq(until_s, 99000);
	use_init(&use);
	use.cluster = "c";
	use.user = "alice";
	text = use_text(&use);
	for (id = 1; id <= many_uses && max && !rc; id++) {
		struct store_place place = { 2000 + id, id };

		if (place.ended_s < after->ended_s ||
		    (place.ended_s == after->ended_s && id <= after->id))
			continue;
		rc = fn(&place, text, arg, err);
		max--;
	}
	free(text);
	return rc < 0 ? -1 : 0;
}

static int commits(struct store *store, struct err *err)
{
	(void)store;
	(void)err;
	return 0;
}

START_TEST(a_page_has_so_many_runs_and_no_more)
{
	static const struct store_ops ops = { .uses = uses_of_many,
					      .begin = commits,
					      .commit = commits };
	struct store store = { &ops };
	struct service service = made_service(&store);
	char next[64], after[64];

	many_uses = SITE_ROWS;
	ck_assert_int_eq(rows_of(&service, 0, "", next), SITE_ROWS);
	ck_assert_str_eq(next, "");
	many_uses = SITE_ROWS + 1;
	ck_assert_int_eq(rows_of(&service, 0, "", after), SITE_ROWS);
	ck_assert_str_eq(after, "[22000,20000]");
	ck_assert_int_eq(rows_of(&service, 0, after, next), 1);
	ck_assert_str_eq(next, "");
	/* from a second on, whatever came before */
	ck_assert_int_eq(rows_of(&service, 2000 + SITE_ROWS, "", next), 2);
	ck_assert_int_eq(rows_of(&service, 2001 + SITE_ROWS, "", next), 1);
	ck_assert_int_eq(rows_of(&service, 2002 + SITE_ROWS, "", next), 0);
}
END_TEST

START_TEST(a_use_of_another_version_is_a_row_without_numbers)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct err err = { "" };
	const char *answer;

	put_use(store, 1, "alice");
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_use_put(store, 2, 2002, "use/9 of to-morrow", &err), 0);
	ck_assert_int_eq(store_commit(store, &err), 0);
	put_use(store, 3, "a user whose name is longer than all before it");
	answer = ask(&service, 0, "{\"op\":\"site\",\"since\":0,\"until\":5000}");
	ck_assert_ptr_nonnull(strstr(answer, "{\"ok\":true,\"rows\":3,"));
	ck_assert_ptr_nonnull(strstr(answer, "\"tally\":{\"jobs\":2,"));
	closed(store);
}
END_TEST

START_TEST(a_time_that_is_none_is_told)
{
	static const char *const questions[] = {
		"{\"op\":\"site\"}",
		"{\"op\":\"site\",\"since\":0}",
		"{\"op\":\"site\",\"since\":-1,\"until\":5}",
		"{\"op\":\"site\",\"since\":0,\"until\":5,\"after\":[1]}",
		"{\"op\":\"site\",\"since\":0,\"until\":-1}",
		"{\"op\":\"site\",\"since\":0,\"until\":5,\"after\":[-1,2]}",
		"{\"op\":\"site\",\"since\":0,\"until\":5,\"after\":[1,-2]}",
		"{\"op\":\"site\",\"since\":0,\"until\":5,\"after\":[\"x\",2]}",
	};
	struct store *store = opened();
	struct service service = made_service(store);
	size_t i;

	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		ck_assert_str_eq(
			ask(&service, 0, questions[i]),
			"{\"ok\":false,\"error\":\"site: since and until: must be seconds\"}");
	closed(store);
}
END_TEST

START_TEST(a_brief_list_has_records_without_timelines_and_histograms)
{
	struct store *store = opened();
	struct service service = made_service(store);
	const int64_t amounts[TIMELINE_LANES] = { 1024, 0, 0 };
	struct record *r = made("n1");
	const char *answer;

	timeline_put(&r->app[0].timeline, 1024, 1, amounts);
	r->app[0].has_hist[RECORD_READ_SIZES] = true;
	ask_put(&service, 0, r);
	answer = ask(&service, ALICE, "{\"op\":\"list\",\"jobs\":[7]}");
	ck_assert_ptr_nonnull(strstr(answer, "\"timeline\":"));
	ck_assert_ptr_nonnull(strstr(answer, "\"read_sizes\":"));
	answer = ask(&service, ALICE, "{\"op\":\"list\",\"jobs\":[7],\"brief\":true}");
	ck_assert_ptr_nonnull(strstr(answer, "\"node\":\"n1\""));
	ck_assert_ptr_nonnull(strstr(answer, "\"read_bytes\":1024"));
	ck_assert_ptr_null(strstr(answer, "\"timeline\":"));
	ck_assert_ptr_null(strstr(answer, "\"read_sizes\":"));
	closed(store);
}
END_TEST

START_TEST(a_list_ends_where_the_next_job_would_not_fit)
{
	struct store *store = opened();
	struct service service = made_service(store);
	char big[4000], name[16], request[600] = "{\"op\":\"list\",\"jobs\":[100";
	const char *answer;
	struct record *r;
	int i, k;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	for (i = 0; i < 60; i++) {
		r = made("n1");
		r->job = (uint32_t)(100 + i);
		for (k = 0; k < 5; k++)
			record_add_finding(r, "X", "info", big, NULL);
		ask_put(&service, 0, r);
		sprintf(request + strlen(request), ",%d", 101 + i);
	}
	strcat(request, "]}");
	answer = ask(&service, ALICE, request);
	ck_assert_uint_lt(strlen(answer), 700 * 1024);
	ck_assert_ptr_nonnull(strstr(answer, "],\"done\":31}"));
	/* too much of one run: its summary alone */
	for (i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		r = made(name);
		for (k = 0; k < 5; k++)
			record_add_finding(r, "X", "info", big, NULL);
		ask_put(&service, 0, r);
	}
	answer = ask(&service, ALICE, "{\"op\":\"list\",\"jobs\":[7]}");
	ck_assert_ptr_nonnull(strstr(answer, "\"records_left_out\":4,\"records\":[]}]"));
	closed(store);
}
END_TEST

START_TEST(requests_without_sense_get_a_sentence)
{
	static const char *const bad[][2] = {
		{ "", "the request is not a JSON object" },
		{ "[]", "the request is not a JSON object" },
		{ "{\"op\":7}", "op: must be put, get, list, family, site or ping" },
		{ "{\"op\":\"drop\"}", "op: must be put, get, list, family, site or ping" },
		{ "{\"op\":\"get\"}", "get: job: must be a text" },
		{ "{\"op\":\"get\",\"job\":\"7;\"}", "job: '7;': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"5_x\"}", "job: '5_x': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"0\"}", "job: '0': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"7+\"}", "job: '7+': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"4294967296\"}", "job: '4294967296': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"7_4294967296\"}",
		  "job: '7_4294967296': not a job id" },
		{ "{\"op\":\"get\",\"job\":\"00000000000000000000000000000007\"}",
		  "job: '00000000000000000000000000000007': not a job id" },
	};
	struct store *store = opened();
	struct service service = made_service(store);
	char wanted[200];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(wanted, sizeof(wanted), "{\"ok\":false,\"error\":\"%s\"}", bad[i][1]);
		ck_assert_str_eq(ask(&service, ALICE, bad[i][0]), wanted);
	}
	ck_assert_ptr_nonnull(
		strstr(ask(&service, BOB, "{\"op\":\"ping\"}"), "{\"ok\":true,\"version\":\""));
	ck_assert_ptr_nonnull(strstr(ask(&service, BOB, "{\"op\":\"ping\"}"), "\",\"time\":"));
	closed(store);
}
END_TEST

START_TEST(records_that_do_not_fit_into_an_answer_are_counted)
{
	struct store *store = opened();
	struct service service = made_service(store);
	const char *answer;
	char big[4000], name[16];
	int i;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	for (i = 0; i < 60; i++) {
		struct record *r;
		int k;

		snprintf(name, sizeof(name), "n%d", i);
		r = made(name);
		for (k = 0; k < 5; k++)
			record_add_finding(r, "X", "info", big, NULL);
		ask_put(&service, 0, r);
	}
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\"}");
	ck_assert_uint_lt(strlen(answer), 700 * 1024);
	ck_assert_ptr_nonnull(strstr(answer, "\"nodes_seen\":60,"));
	ck_assert_ptr_nonnull(strstr(answer, "\"records_left_out\":36,"));
	ck_assert_ptr_nonnull(strstr(answer, "\"node\":\"n3\""));
	ck_assert_ptr_null(strstr(answer, "\"node\":\"n30\""));
	/* by node: n0, n1, n10, .., n3 were the first 24 */
	answer = ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"7\",\"after\":\"n3\"}");
	ck_assert_ptr_null(strstr(answer, "\"node\":\"n3\""));
	ck_assert_ptr_nonnull(strstr(answer, "{\"ok\":true,\"records\":[{"));
	ck_assert_ptr_nonnull(strstr(answer, "\"node\":\"n30\""));
	ck_assert_ptr_nonnull(strstr(answer, "\"records_left_out\":12}"));
	closed(store);
}
END_TEST

/* Stands where the store's own function did, for as long as it is broken. */
static int no_records(struct store *store, int64_t id, const char *node, store_fn fn, void *arg,
		      struct err *err)
{
	(void)store, (void)id, (void)node, (void)fn, (void)arg;
	return err_set(err, "store: the disk is gone");
}

static int no_run(struct store *store, int64_t id, struct store_run *run, struct err *err)
{
	(void)store, (void)id, (void)run;
	return err_set(err, "store: the disk is gone");
}

static int no_ids(struct store *store, const struct store_wanted *wanted, int64_t *ids, int max,
		  struct err *err)
{
	(void)store, (void)wanted, (void)ids, (void)max;
	return err_set(err, "store: the disk is gone");
}

#define GONE "{\"ok\":false,\"error\":\"store: the disk is gone\"}"

START_TEST(an_answer_that_the_store_did_not_finish_is_an_error)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	static const char rest[] = "{\"op\":\"get\",\"job\":\"7\",\"after\":\"n0\"}";
	struct store *store = opened();
	struct service service = made_service(store);
	const struct store_ops *sound = store->ops;
	struct store_ops broken = *sound;

	ask_put(&service, 0, made("n1"));
	broken.records_after = no_records;
	store->ops = &broken;
	ck_assert_str_eq(ask(&service, ALICE, get), GONE);
	ck_assert_str_eq(ask(&service, ALICE, rest), GONE);
	store->ops = sound;
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, get), "\"node\":\"n1\""));
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, rest), "\"node\":\"n1\""));
	closed(store);
}
END_TEST

START_TEST(a_store_that_fails_does_not_look_like_a_job_that_nobody_knows)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	static const char list[] = "{\"op\":\"list\",\"jobs\":[7,8]}";
	struct store *store = opened();
	struct service service = made_service(store);
	const struct store_ops *sound = store->ops;
	struct store_ops broken = *sound;

	ask_put(&service, 0, made("n1"));
	store->ops = &broken;
	broken.run_load = no_run;
	ck_assert_str_eq(ask(&service, ALICE, get), GONE);
	ck_assert_str_eq(ask(&service, ALICE, list), GONE);
	broken = *sound;
	broken.records_after = no_records;
	ck_assert_str_eq(ask(&service, ALICE, list), GONE);
	broken = *sound;
	broken.find = no_ids;
	ck_assert_str_eq(ask(&service, ALICE, get), GONE);
	ck_assert_str_eq(ask(&service, ALICE, list), GONE);
	store->ops = sound;
	closed(store);
}
END_TEST

/* ---- a store that is away, or half of it ------------------------------------------- */

static const struct store_ops *sound_ops;
static int failures_left;     /* of run_load */
static struct store_run told; /* what run_load says instead, where it is not 0 */

static int no_begin(struct store *store, struct err *err)
{
	(void)store;
	return err_set(err, "store: the disk is gone");
}

static int no_put(struct store *store, const struct record *record, const char *text, size_t size,
		  int64_t now_s, unsigned int grace_s, int64_t *due, struct err *err)
{
	(void)store, (void)record, (void)text, (void)size, (void)now_s;
	(void)grace_s, (void)due;
	return err_set(err, "store: the disk is gone");
}

static int made_again(struct store *store, struct err *err)
{
	return sound_ops->commit(store, err) < 0 ? -1 : 1;
}

static int other_run(struct store *store, int64_t id, struct store_run *run, struct err *err)
{
	if (failures_left-- > 0)
		return err_set(err, "store: the disk is gone");
	if (sound_ops->run_load(store, id, run, err) < 0)
		return -1;
	if (told.nodes_seen)
		run->nodes_seen = told.nodes_seen;
	if (told.tries)
		run->tries = told.tries;
	if (told.written)
		run->written = told.written;
	return 0;
}

/* What service_handle() returns; the answer is put into 'said'. */
static int handle(struct service *service, const char *request, char said[512])
{
	char *answer = NULL;
	int rc = service_handle(service, request, strlen(request), 0, NOW, &answer);

	snprintf(said, 512, "%s", answer ? answer : "");
	free(answer);
	return rc;
}

START_TEST(a_store_that_is_away_is_remarked_once_and_when_it_is_back)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct store_ops ops = *store->ops;
	uint64_t before = service.metrics->store_failures;
	char said[512];
	struct err err;

	sound_ops = store->ops;
	ops.begin = no_begin;
	store->ops = &ops;
	ck_assert_int_eq(handle(&service, PUT, said), 0);
	ck_assert_str_eq(said, GONE);
	ck_assert_str_eq(service.remark, "store: the disk is gone");
	ck_assert(service.is_store_away && !service.in_batch);
	*service.remark = '\0';
	ck_assert_int_eq(handle(&service, PUT, said), 0);
	ck_assert_str_eq(service.remark, "");
	ck_assert_uint_eq(service.metrics->store_failures, before + 2);
	store->ops = sound_ops;
	ck_assert_int_eq(handle(&service, PUT, said), 1);
	ck_assert_str_eq(said, "{\"ok\":true}");
	ck_assert_str_eq(service.remark, "store: works again");
	ck_assert(!service.is_store_away && service.in_batch);
	*service.remark = '\0';
	ck_assert_int_eq(handle(&service, PUT, said), 1);
	ck_assert_str_eq(service.remark, "");
	ck_assert_int_eq(service_commit(&service, &err), 0);
	closed(store);
}
END_TEST

START_TEST(a_store_that_fails_takes_the_batch_with_it)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct store_ops ops = *store->ops;
	uint64_t before;
	char said[512];
	struct err err;

	sound_ops = store->ops;
	store->ops = &ops;
	ops.put = no_put;
	ck_assert_int_eq(handle(&service, PUT, said), -1);
	ck_assert_str_eq(said, GONE);
	before = service.metrics->store_failures;
	service_abort(&service);
	ck_assert(!service.in_batch);
	ck_assert_uint_eq(service.metrics->store_failures, before + 1);
	ops = *sound_ops;
	ops.commit = no_begin;
	ck_assert_int_eq(handle(&service, PUT, said), 1);
	ck_assert_int_eq(service_commit(&service, &err), -1);
	ck_assert_str_eq(err.text, "store: the disk is gone");
	ck_assert(!service.in_batch);
	ck_assert_uint_eq(service.metrics->store_failures, before + 2);
	ck_assert_int_eq(service_commit(&service, &err), 0);
	ck_assert_int_eq(run_count(store), 0);
	/* the store had to make it again: what is due is not known */
	ops.commit = made_again;
	ck_assert_int_eq(handle(&service, PUT, said), 1);
	service.has_news = false;
	ck_assert_int_eq(service_commit(&service, &err), 0);
	ck_assert(service.has_news);
	ck_assert_int_eq(run_count(store), 1);
	store->ops = sound_ops;
	closed(store);
}
END_TEST

START_TEST(the_writer_is_woken_when_a_run_is_whole)
{
	struct store *store = opened();
	struct service service = made_service(store);
	uint64_t received = service.metrics->received;
	uint64_t duplicates = service.metrics->duplicates;
	uint64_t warned = service.metrics->gate_warned;
	uint64_t refused = service.metrics->gate_refused;
	struct record *r = made("n1");

	r->has_gate = true;
	r->gate_warned = 2;
	r->gate_refused = 3;
	ask_put(&service, 0, r);
	ck_assert(!service.has_news);
	ck_assert_uint_eq(service.metrics->received, received + 1);
	ck_assert_uint_eq(service.metrics->duplicates, duplicates);
	ask_put(&service, 0, made("n2"));
	ck_assert(service.has_news);
	service.has_news = false;
	ask_put(&service, 0, made("n2"));
	ck_assert(!service.has_news);
	ck_assert_uint_eq(service.metrics->received, received + 2);
	ck_assert_uint_eq(service.metrics->duplicates, duplicates + 1);
	ck_assert_uint_eq(service.metrics->gate_warned, warned + 2);
	ck_assert_uint_eq(service.metrics->gate_refused, refused + 3);
	closed(store);
}
END_TEST

START_TEST(what_is_refused_is_counted_by_its_cause)
{
	struct store *store = opened();
	struct service service = made_service(store);
	uint64_t *refused = service.metrics->refused;

	memset(refused, 0, sizeof(service.metrics->refused));
	ask_put(&service, ALICE, made("n1"));
	ask(&service, ALICE, "{\"op\":\"site\",\"since\":0,\"until\":1}");
	ck_assert_uint_eq(refused[METRICS_REFUSED_USER], 2);
	ask(&service, 0, "{\"op\":\"put\",\"record\":7}");
	ask(&service, 0, "{\"op\":\"put\",\"record\":{}}");
	ck_assert_uint_eq(refused[METRICS_REFUSED_RECORD], 2);
	ask(&service, 0, "x");
	ask(&service, 0, "{\"op\":\"x\"}");
	ck_assert_uint_eq(refused[METRICS_REFUSED_REQUEST], 2);
	closed(store);
}
END_TEST

START_TEST(what_became_of_a_summary_is_in_one_word)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	struct store *store = opened();
	struct service service = made_service(store);
	struct store_ops ops = *store->ops;

	sound_ops = store->ops;
	ask_put(&service, 0, made("n1"));
	ops.run_load = other_run;
	store->ops = &ops;
	told = (struct store_run){ .tries = 1 };
	ck_assert_ptr_nonnull(strstr(ask(&service, 0, get), "\"state\":\"retrying\""));
	told = (struct store_run){ .tries = 1, .written = 5 };
	ck_assert_ptr_nonnull(strstr(ask(&service, 0, get), "\"state\":\"changed\""));
	store->ops = sound_ops;
	closed(store);
}
END_TEST

START_TEST(a_job_of_very_many_nodes_holds_up_nobody)
{
	static const char get[] = "{\"op\":\"get\",\"job\":\"7\"}";
	static const char list[] = "{\"op\":\"list\",\"jobs\":[7]}";
	struct store *store = opened();
	struct service service = made_service(store);
	struct store_ops ops = *store->ops;

	sound_ops = store->ops;
	ask_put(&service, 0, made("n1"));
	ops.run_load = other_run;
	store->ops = &ops;
	told = (struct store_run){ .nodes_seen = 2048 };
	ck_assert_ptr_nonnull(strstr(ask(&service, 0, get), "\"totals\":{"));
	told = (struct store_run){ .nodes_seen = 2049 };
	ck_assert_ptr_null(strstr(ask(&service, 0, get), "\"totals\""));
	ck_assert_ptr_nonnull(strstr(ask(&service, 0, get), "\"records\":[{"));
	/* in a list the records of 64 are shown */
	told = (struct store_run){ .nodes_seen = 64 };
	ck_assert_ptr_nonnull(
		strstr(ask(&service, 0, list), "\"records_left_out\":0,\"records\":[{"));
	told = (struct store_run){ .nodes_seen = 65 };
	ck_assert_ptr_nonnull(
		strstr(ask(&service, 0, list), "\"records_left_out\":65,\"records\":[]"));
	store->ops = sound_ops;
	closed(store);
}
END_TEST

START_TEST(a_run_that_cannot_be_read_hides_no_other)
{
	struct store *store = opened();
	struct service service = made_service(store);
	struct store_ops ops = *store->ops;
	struct record *second = made("n1");

	second->restart = 1;
	second->start = 3000;
	second->end = 4000;
	ask_put(&service, 0, made("n1"));
	ask_put(&service, 0, second);
	ask_put(&service, 0, task(26, 2));
	ask_put(&service, 0, task(27, 3));
	sound_ops = store->ops;
	ops.run_load = other_run;
	store->ops = &ops;
	failures_left = 1;
	ck_assert_ptr_nonnull(
		strstr(ask(&service, 0, "{\"op\":\"get\",\"job\":\"7\"}"), "\"start\":1000.000"));
	failures_left = 1;
	ck_assert_ptr_nonnull(
		strstr(ask(&service, 0, "{\"op\":\"list\",\"jobs\":[7]}"), "\"start\":1000.000"));
	failures_left = 1;
	ck_assert_str_eq(ask(&service, 0, "{\"op\":\"family\",\"job\":\"25\"}"),
			 "{\"ok\":true,\"family\":[\"25_3\"]}");
	ops = *sound_ops;
	ops.find = no_ids;
	ck_assert_str_eq(ask(&service, 0, "{\"op\":\"family\",\"job\":\"25\"}"), GONE);
	store->ops = sound_ops;
	closed(store);
}
END_TEST

static struct record *component(unsigned int job, int offset)
{
	struct record *r = made("n1");

	r->job = job;
	r->het_job = 30;
	r->het_offset = offset;
	return r;
}

START_TEST(components_and_the_first_task_are_found_by_their_number)
{
	struct store *store = opened();
	struct service service = made_service(store);

	ask_put(&service, 0, component(30, 0));
	ask_put(&service, 0, component(31, 1));
	ask_put(&service, 0, task(26, 0));
	ck_assert_str_eq(ask(&service, ALICE, "{\"op\":\"family\",\"job\":\"30\"}"),
			 "{\"ok\":true,\"family\":[\"30+0\",\"30+1\"]}");
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"30+1\"}"), "\"job\":31,"));
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"30+0\"}"), "\"job\":30,"));
	ck_assert_ptr_nonnull(
		strstr(ask(&service, ALICE, "{\"op\":\"get\",\"job\":\"25_0\"}"), "\"job\":26,"));
	closed(store);
}
END_TEST

static char *list_of(int count)
{
	char *text = malloc(16 * (size_t)count + 100);
	size_t used = (size_t)sprintf(text, "{\"op\":\"list\",\"jobs\":[0");
	int i;

	for (i = 1; i < count; i++)
		used += (size_t)sprintf(text + used, ",%d", 100000 + i);
	strcpy(text + used, "]}");
	return text;
}

START_TEST(a_list_is_of_a_thousand_jobs_at_most)
{
	struct store *store = opened();
	struct service service = made_service(store);
	char *request = list_of(1000);
	struct record *first = made("n1"), *last = made("n1");
	const char *answer;

	first->job = 1;
	ask_put(&service, 0, first);
	last->job = UINT32_MAX;
	ask_put(&service, 0, last);
	ck_assert_str_eq(ask(&service, 0, request), "{\"ok\":true,\"runs\":[],\"done\":1000}");
	free(request);
	request = list_of(1001);
	ck_assert_ptr_nonnull(
		strstr(ask(&service, 0, request), "list: jobs: must be a list of at most"));
	free(request);
	/* numbers that no job has stand in nobody's way */
	answer = ask(&service, 0, "{\"op\":\"list\",\"jobs\":[0,4294967297,1,4294967295]}");
	ck_assert_ptr_nonnull(strstr(answer, "\"job\":1,"));
	ck_assert_ptr_nonnull(strstr(answer, "\"job\":4294967295,"));
	closed(store);
}
END_TEST

START_TEST(operators_are_those_that_slurmdbd_names)
{
	static const char question[] = "{\"op\":\"site\",\"since\":0,\"until\":5000}";
	struct store *store = opened();
	struct service service = made_service(store);
	struct metrics *metrics = service.metrics;

	metrics->operators[0] = BOB;
	metrics->operators[1] = ALICE;
	metrics->operator_count = 1;
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, question), "for root"));
	metrics->operator_count = 2;
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, question), "\"rows\""));
	metrics->operators[1] = BOB;
	ck_assert_ptr_nonnull(strstr(ask(&service, ALICE, question), "for root"));
	metrics->operator_count = 0;
	closed(store);
}
END_TEST

UNIT_MAIN("service", what_is_refused_is_answered_at_once_and_breaks_no_batch,
	  a_run_that_is_written_is_listed_with_the_summary_that_was,
	  a_newer_run_of_another_user_hides_no_run_of_ones_own,
	  a_store_that_is_away_is_remarked_once_and_when_it_is_back,
	  a_store_that_fails_takes_the_batch_with_it, the_writer_is_woken_when_a_run_is_whole,
	  what_is_refused_is_counted_by_its_cause, what_became_of_a_summary_is_in_one_word,
	  a_job_of_very_many_nodes_holds_up_nobody, a_run_that_cannot_be_read_hides_no_other,
	  components_and_the_first_task_are_found_by_their_number,
	  a_list_is_of_a_thousand_jobs_at_most, operators_are_those_that_slurmdbd_names,
	  root_and_the_ledgers_user_may_put_and_nobody_else,
	  a_record_that_can_never_be_kept_is_called_bad, an_answer_to_a_put_waits_for_the_commit,
	  a_job_is_shown_to_its_owner_root_and_the_ledgers_user_only,
	  a_job_that_waits_has_its_summary_and_exact_totals,
	  the_newest_run_is_shown_unless_another_is_asked_for,
	  the_tasks_of_an_array_are_listed_for_their_owner,
	  a_cluster_that_is_named_keeps_the_others_jobs_out,
	  a_task_is_not_hidden_by_that_of_another_cluster_or_user,
	  an_array_is_not_cut_short_by_that_of_another_cluster,
	  a_job_is_not_hidden_by_many_runs_of_another_clusters,
	  many_jobs_are_listed_in_one_answer_each_to_its_owner,
	  what_a_site_did_is_told_to_root_slurm_and_operators, what_a_site_did_is_told_page_by_page,
	  a_page_has_so_many_runs_and_no_more, a_use_of_another_version_is_a_row_without_numbers,
	  a_time_that_is_none_is_told, a_brief_list_has_records_without_timelines_and_histograms,
	  a_list_ends_where_the_next_job_would_not_fit, requests_without_sense_get_a_sentence,
	  records_that_do_not_fit_into_an_answer_are_counted,
	  an_answer_that_the_store_did_not_finish_is_an_error,
	  a_store_that_fails_does_not_look_like_a_job_that_nobody_knows)
