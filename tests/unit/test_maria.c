/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store on MariaDB, with a server made up: what it is asked, how often, and
 * what becomes of it when it fails. What a real one answers: mariadb.bats. */
#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/allocations.h"
#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

#define EVER 1000
#define SAID_NO "store: MariaDB 'a': it said no"

/* A statement begins with this; the test's word for it. */
static const struct {
	const char *text, *word;
} words[] = {
	{ "START TRANSACTION", "begin" },
	{ "COMMIT", "commit" },
	{ "ROLLBACK", "rollback" },
	{ "SET SESSION wsrep_sync_wait=1", "wait" },
	{ "SET SESSION wsrep_sync_wait=DEFAULT", "no wait" },
	{ "SET SESSION ", "" },
	{ "SELECT @@", "settings" },
	{ "SELECT version", "version" },
	{ "SELECT id, restart", "runs" },
	{ "CREATE TABLE", "create" },
	{ "INSERT IGNORE INTO unused", "fill" },
	{ "INSERT INTO schema_version", "mark" },
	{ "INSERT INTO runs", "new" },
	{ "UPDATE runs SET restart", "update" },
	{ "SELECT text FROM records", "record" }, /* of one node */
	{ "SELECT node FROM records", "nodes" },
	{ "INSERT INTO records", "put" },
	{ "UPDATE runs SET claimed", "claim" },
	{ "SELECT id FROM runs WHERE due", "due" },
	{ "SELECT (SELECT min(due)", "next" },
	{ "SELECT id, version", "load" },
	{ "(behind a node)", "records" },
	{ "UPDATE runs SET next_try=CASE", "done" },
	{ "UPDATE runs SET next_try=", "later" },
	{ "SELECT id FROM runs WHERE", "find" },
	{ "SELECT max(id)", "find all" },
	{ "SELECT id, nodes_seen", "old" },
	{ "DELETE FROM uses", "delete uses" },
	{ "DELETE FROM unused WHERE run IN", "delete unused" },
	{ "DELETE FROM records", "delete records" },
	{ "DELETE FROM runs", "delete runs" },
	{ "SELECT count(*), sum", "backlog" },
	{ "SELECT (SELECT count(*)", "counts" },
	{ "INSERT INTO reasons", "reason" },
	{ "DELETE FROM reasons", "forget" },
	{ "UPDATE reasons SET tries", "put off" },
	{ "UPDATE reasons SET claimed", "claim reasons" },
	{ "SELECT cluster, node", "reasons" },
	{ "SELECT min(IF(", "next reason" },
	{ "INSERT INTO uses", "use" },
	{ "SELECT run FROM unused", "unused" },
	{ "DELETE FROM unused WHERE run=", "is used" },
	{ "SELECT count(*) FROM unused", "unused count" },
	{ "SELECT ended", "uses" },
};

/* What the server answers: rows "1 - abc;2 ..", as often as 'left' says; or fails,
 * or breaks off behind its rows, with 'number'. */
static struct answer {
	const char *word, *rows;
	int left;
	unsigned int number;
	bool is_in_rows;
} answers[20];

static char did[8000]; /* what the server was told, in its order */
static char last[sizeof(words) / sizeof(words[0])]
		[3000];	      /* the text of each word, the last time */
static int records_put;	      /* with the last "put" */
static char buffer[20000];    /* the rows that are being read, cut up */
static char *cell[24], *rest; /* of the row; and the rows behind it */
static unsigned long sizes[24];
static unsigned int number; /* of the last failure */
static unsigned int number_in_rows;
static bool is_down;
static int64_t changed;
static int64_t last_id;
static time_t now;
static unsigned int nap_takes_s, naps;
static struct store *store;
static struct err err;

static void note(const char *what)
{
	size_t used = strlen(did);

	snprintf(did + used, sizeof(did) - used, "%s;", what);
}

static void expect_did(const char *wanted)
{
	ck_assert_str_eq(did, wanted);
	*did = 0;
}

int fake_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = now };
	return 0;
}

long fake_random(void)
{
	return 127999;
}

int fake_usleep(useconds_t us)
{
	char text[40];

	snprintf(text, sizeof(text), "nap %u", (unsigned int)us);
	note(text);
	now += nap_takes_s;
	naps++;
	return 0;
}

/* ---- the client library ---------------------------------------------------- */

MYSQL *mysql_init(MYSQL *mysql)
{
	static MYSQL handle;

	ck_assert_ptr_null(mysql);
	return &handle;
}

void mysql_close(MYSQL *mysql)
{
	(void)mysql;
}

int mysql_options(MYSQL *mysql, enum mysql_option option, const void *value)
{
	(void)mysql, (void)option, (void)value;
	return 0;
}

MYSQL *mysql_real_connect(MYSQL *mysql, const char *host, const char *user,
			  const char *password, const char *schema,
			  unsigned int port, const char *socket,
			  unsigned long flags)
{
	(void)host, (void)user, (void)password, (void)schema, (void)port;
	(void)socket, (void)flags;
	number = CR_CONN_HOST_ERROR;
	return is_down ? NULL : mysql;
}

unsigned int mysql_errno(MYSQL *mysql)
{
	(void)mysql;
	return number;
}

const char *mysql_error(MYSQL *mysql)
{
	(void)mysql;
	return "it said no";
}

int mysql_select_db(MYSQL *mysql, const char *schema)
{
	(void)mysql, (void)schema;
	return 0;
}

int mysql_ping(MYSQL *mysql)
{
	(void)mysql;
	return 0;
}

int mysql_query(MYSQL *mysql, const char *text)
{
	return mysql_real_query(mysql, text, strlen(text));
}

static struct answer *answer_of(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (answers[i].word && answers[i].left > 0 &&
		    !strcmp(answers[i].word, word))
			return &answers[i];
	return NULL;
}

static size_t word_of(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strncmp(text, words[i].text, strlen(words[i].text)) &&
		    (strcmp(words[i].word, "record") != 0 ||
		     !strstr(text, "node>")))
			return i;
	for (i = 0; strstr(text, "node>"); i++)
		if (!strcmp(words[i].word, "records"))
			return i;
	ck_abort_msg("unknown: %s", text);
	return 0;
}

static int count_in(const char *text, const char *part)
{
	int times = 0;

	for (; (text = strstr(text, part)); text++)
		times++;
	return times;
}

int mysql_real_query(MYSQL *mysql, const char *text, unsigned long size)
{
	size_t at = word_of(text);
	struct answer *answer = answer_of(words[at].word);
	int left = allocations_left;

	(void)mysql;
	allocations_left = 0;
	ck_assert_uint_eq(strlen(text), size);
	allocations_left = left;
	snprintf(last[at], sizeof(last[at]), "%s", text);
	if (!strcmp(words[at].word, "put"))
		records_put = count_in(text, "),(") + 1;
	if (*words[at].word)
		note(words[at].word);
	rest = NULL;
	number = number_in_rows = 0;
	if (!answer)
		return 0;
	answer->left--;
	if (answer->number && !answer->is_in_rows)
		number = answer->number;
	number_in_rows = answer->number;
	snprintf(buffer, sizeof(buffer), "%s", answer->rows);
	rest = *buffer ? buffer : NULL;
	return number != 0;
}

MYSQL_RES *mysql_use_result(MYSQL *mysql)
{
	(void)mysql;
	return (MYSQL_RES *)&answers;
}

void mysql_free_result(MYSQL_RES *result)
{
	(void)result;
}

MYSQL_ROW mysql_fetch_row(MYSQL_RES *result)
{
	char *row = rest, *next;
	size_t i;

	(void)result;
	if (!row) {
		number = number_in_rows;
		return NULL;
	}
	next = strchr(row, ';');
	rest = next ? next + 1 : NULL;
	row[strcspn(row, ";")] = 0;
	memset(cell, 0, sizeof(cell));
	for (i = 0; row; i++) {
		next = strchr(row, ' ');
		row[strcspn(row, " ")] = 0;
		cell[i] = strcmp(row, "-") != 0 ? row : NULL;
		sizes[i] = strlen(row);
		row = next ? next + 1 : NULL;
	}
	return cell;
}

unsigned long *mysql_fetch_lengths(MYSQL_RES *result)
{
	(void)result;
	return sizes;
}

unsigned long mysql_real_escape_string(MYSQL *mysql, char *to, const char *from,
				       unsigned long size)
{
	(void)mysql;
	memcpy(to, from, size);
	to[size] = 0;
	return size;
}

my_ulonglong mysql_insert_id(MYSQL *mysql)
{
	(void)mysql;
	return (my_ulonglong)++last_id;
}

my_ulonglong mysql_affected_rows(MYSQL *mysql)
{
	(void)mysql;
	return (my_ulonglong)changed;
}

/* ---- words of the tests ---------------------------------------------------- */

static struct answer *answer_free(void)
{
	size_t i;

	for (i = 0; answers[i].word && answers[i].left > 0; i++)
		ck_assert_uint_lt(i + 1, sizeof(answers) / sizeof(answers[0]));
	return &answers[i];
}

/* Answered so this often, and before that what was said earlier. */
static void says(const char *word, const char *rows, int times)
{
	*answer_free() =
		(struct answer){ .word = word, .rows = rows, .left = times };
}

static void fails(const char *word, unsigned int why, int times)
{
	*answer_free() = (struct answer){
		.word = word, .rows = "", .left = times, .number = why
	};
}

/* Behind its rows. */
static void breaks(const char *word, const char *rows)
{
	*answer_free() = (struct answer){ .word = word,
					  .rows = rows,
					  .left = 1,
					  .number = ER_QUERY_INTERRUPTED,
					  .is_in_rows = true };
}

static void says_no_more(void)
{
	memset(answers, 0, sizeof(answers));
}

static const char *text_of(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].word, word))
			return last[i];
	ck_abort_msg("no word: %s", word);
	return NULL;
}

/* How often 'part' is in the last text of a word. */
static int times_in(const char *word, const char *part)
{
	return count_in(text_of(word), part);
}

static struct config_ledger config;

static struct store *connect_store(void)
{
	config = (struct config_ledger){ .port = 4711,
					 .store = (char *)CONFIG_MARIADB,
					 .storage_host = (char *)"a",
					 .storage_user = (char *)"jobio",
					 .storage_loc = (char *)"jobio_db",
					 .storage_pass_file = (char *)"",
					 .storage_ca = (char *)"" };
	*err.text = 0;
	*did = 0;
	return store_open(&config, &err);
}

static void connected(void)
{
	says_no_more();
	is_down = false;
	nap_takes_s = naps = 0;
	changed = 1;
	last_id = 41;
	now = 1000;
	says("settings", "16777216 0", EVER);
	says("version", "2", EVER);
	store = connect_store();
	ck_assert_msg(store != NULL && !*err.text, "%s", err.text);
	expect_did("settings;version;");
}

static void begin(void)
{
	ck_assert_int_eq(store_begin(store, &err), 0);
}

static int64_t due;

/* In the transaction, and freed. */
static int put_it(struct record *r)
{
	char *text = record_text(r, NULL);
	int rc;

	due = -1;
	rc = store_put(store, r, text, strlen(text), NOW, GRACE_S, &due, &err);
	free(text);
	record_free(r);
	return rc;
}

static int put_node(const char *node)
{
	return put_it(made(node));
}

static struct record *of_job(uint32_t job, const char *node)
{
	struct record *r = made(node);

	r->job = job;
	return r;
}

static void commit_did(const char *wanted)
{
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did(wanted);
}

/* A job's only run, 9, at this version; as the tables have it. */
#define RUN_9(version) "9 0 1000 2000 n[1-2] 1 2 " version " - - - - 1000300 4"

/* ---- records --------------------------------------------------------------- */

START_TEST(records_of_a_transaction_are_written_together_before_its_commit)
{
	connected();
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(due, NOW + GRACE_S);
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(due, NOW);
	expect_did("begin;runs;");
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("new;put;commit;");
	said_expect(text_of("new"),
		    " VALUES(0, 1000, 2000, 'n[1-2]', 2, 2, 2, NULL, NULL, "
		    "NULL, NULL, 1, 1000000, 'c', 7, 1000, 1)");
	said_expect(text_of("put"), " VALUES(42,'n1',1000000,'");
	said_expect(text_of("put"), "),(42,'n2',1000000,'");
	said_expect(text_of("put"), ") ON DUPLICATE KEY");
	/* and it is the next one's no more */
	begin();
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;commit;");
	store_close(store);
	expect_did("");
}
END_TEST

START_TEST(a_record_of_a_run_that_is_there_changes_what_it_knows_more)
{
	struct record *r = made("n2");

	connected();
	says("runs",
	     "9 - 1100 1900 - 1 - 5 50 3 60 2 1000100 4;"
	     "8 3 90000 91000 - 1 - 5 - - - - - 3",
	     EVER);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(due, NOW);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;runs;record;update;put;commit;");
	said_expect(text_of("update"),
		    " restart=0, first=1000, last=2000, nodelist='n[1-2]', "
		    "nodes_seen=2, nodes_expected=2, version=6, array_job=50, "
		    "array_task=3, het_job=60, het_offset=2, dirty=1, "
		    "next_try=1000000");
	said_expect(text_of("update"), " WHERE id=9");
	said_expect(text_of("record"), " WHERE run=9 AND node='n2'");
	/* another run of this job has the next number */
	r->start = 500000;
	r->end = 500100;
	begin();
	ck_assert_int_eq(put_it(r), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;runs;new;put;commit;");
	said_expect(text_of("new"), " 'c', 7, 1000, 5)");
	store_close(store);
}
END_TEST

START_TEST(what_a_run_is_known_to_wait_for_stays)
{
	connected();
	says("runs", "9 0 1000 2000 n[1-9] 1 9 5 - - - - 1000100 4", 1);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(due, 1000100);
	commit_did("begin;runs;record;update;put;commit;");
	said_expect(text_of("update"),
		    " nodelist='n[1-9]', nodes_seen=2, nodes_expected=9, ");
	said_expect(text_of("update"), " next_try=1000100");
	store_close(store);
}
END_TEST

START_TEST(a_statement_that_changes_no_row_is_no_failure)
{
	connected();
	changed = 0; /* what stands there is the same */
	says("runs", RUN_9("5"), 1);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	commit_did("begin;runs;record;update;put;commit;");
	store_close(store);
}
END_TEST

START_TEST(of_runs_that_are_as_near_the_first_takes_the_record)
{
	struct record *r = made("n2");

	connected();
	says("runs",
	     "9 - 1000 2000 - 1 - 5 - - - - 1000100 4;"
	     "8 - 1000 2000 - 1 - 5 - - - - 1000100 3",
	     1);
	says("runs",
	     "9 - 2005 2100 - 1 - 5 - - - - 1000100 4;"
	     "8 - 2005 2100 - 1 - 5 - - - - 1000100 3",
	     1);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;runs;record;update;put;commit;");
	said_expect(text_of("update"), " WHERE id=9");
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;runs;record;record;update;put;commit;");
	said_expect(text_of("update"), " WHERE id=9");
	/* and nothing is made up of what a record does not know */
	free(r->nodelist);
	r->nodelist = NULL;
	r->restart = RECORD_UNKNOWN;
	begin();
	ck_assert_int_eq(put_it(r), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	said_expect(text_of("new"),
		    " VALUES(NULL, 1000, 2000, NULL, 1, NULL, 1, NULL, NULL, "
		    "NULL, NULL, 1, 1000300, 'c', 7, 1000, 1)");
	store_close(store);
}
END_TEST

START_TEST(a_record_is_of_the_run_that_it_is_near_and_that_wants_its_node)
{
	connected();
	says("runs",
	     "8 - 90000 91000 - 1 - 5 - - - - - 3;"
	     "9 - 2005 2100 - 1 - 5 - - - - 1000100 4",
	     1);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	commit_did("begin;runs;record;record;update;put;commit;");
	said_expect(text_of("update"), " WHERE id=9");
	/* the nearest has a record of this node: it is another run's */
	says("runs",
	     "8 - 2005 2100 - 1 - 5 - - - - 1000100 3;"
	     "9 - 2007 2100 - 1 - 5 - - - - 1000100 4",
	     1);
	says("record", "{}", 1);
	begin();
	ck_assert_int_eq(put_node("n2"), 1);
	commit_did("begin;runs;record;record;record;update;put;commit;");
	said_expect(text_of("update"), " WHERE id=9");
	store_close(store);
}
END_TEST

START_TEST(each_job_is_locked_once_and_its_runs_are_its_own)
{
	struct record *of_user = made("n1"), *of_cluster = made("n1");

	connected();
	of_user->uid = 1001;
	strcpy(of_cluster->cluster, "d");
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(put_it(of_job(8, "n1")), 1);
	ck_assert_int_eq(put_it(of_user), 1);
	ck_assert_int_eq(put_it(of_cluster), 1);
	expect_did("begin;runs;runs;runs;runs;");
	said_expect(text_of("runs"),
		    " job=7 AND cluster='d' AND uid=1000 FOR UPDATE");
	ck_assert_int_eq(put_it(of_job(8, "n2")), 1);
	ck_assert_int_eq(put_node("n2"), 1);
	expect_did("");
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("new;new;new;new;put;commit;");
	ck_assert_int_eq(times_in("put", "),(4"), 5);
	said_expect(text_of("new"), " 'd', 7, 1000, 1)");
	store_close(store);
}
END_TEST

START_TEST(what_a_node_says_again_takes_the_place_of_what_it_said)
{
	struct record *better = made("n1");

	connected();
	better->end = 2001;
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(put_node("n1"), 0); /* no news */
	ck_assert_int_eq(due, -1);
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(put_node("n2"), 0);
	ck_assert_int_eq(put_it(better), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("begin;runs;new;put;commit;");
	ck_assert_int_eq(times_in("put", "(42,'n1',"), 1);
	ck_assert_int_eq(times_in("put", "(42,'n2',"), 1);
	said_expect(text_of("new"), "1000, 2001, 'n[1-2]', 2, 2, 3, NULL");
	store_close(store);
}
END_TEST

/* That many bytes, of job 'job'; the store looks into them at a clash only. */
static void put_bytes(uint32_t job, size_t size)
{
	struct record *r = of_job(job, "n1");
	char *text = malloc(size);

	memset(text, 'x', size);
	ck_assert_int_eq(
		store_put(store, r, text, size, NOW, GRACE_S, &due, &err), 1);
	free(text);
	record_free(r);
}

START_TEST(a_mebibyte_of_records_is_not_held_back)
{
	connected();
	begin();
	put_bytes(1, 1U << 19);
	put_bytes(2, (1U << 19) - 1);
	expect_did("begin;runs;runs;");
	put_bytes(3, 1);
	expect_did("runs;new;new;new;put;");
	/* and it is counted anew: after that, and in the next transaction */
	put_bytes(4, (1U << 20) - 1);
	expect_did("runs;");
	store_rollback(store);
	expect_did("rollback;");
	begin();
	put_bytes(1, (1U << 20) - 1);
	expect_did("begin;runs;");
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("new;put;commit;");
	store_close(store);
}
END_TEST

/* ---- which nodes have reported --------------------------------------------- */

static void put_nodes(const char *letter, int from, int until)
{
	char node[20];

	for (; from <= until; from++) {
		snprintf(node, sizeof(node), "%s%02d", letter, from);
		ck_assert_int_eq(put_node(node), 1);
	}
}

#define EIGHT_ASKED "record;record;record;record;record;record;record;record;"

START_TEST(of_a_run_of_many_nodes_it_asks_for_all_and_remembers_them)
{
	connected();
	says("runs", RUN_9("5"), 1);
	says("nodes",
	     "b01;b02;b03;b04;b05;b06;b07;b08;b09;b10;b11;b12;b13;b14;b15;b16;"
	     "b17;b18",
	     1);
	begin();
	put_nodes("c", 1, 9);
	expect_did("begin;runs;" EIGHT_ASKED "nodes;");
	put_nodes("a", 1, 3);
	expect_did("");
	put_nodes("b", 17, 18); /* known: what did it say? */
	expect_did("record;record;");
	ck_assert_int_eq(put_it(of_job(8, "z01")), 1);
	put_nodes("e", 1, 1);
	says_no_more();
	commit_did("runs;update;new;put;commit;");
	/* its next records: known are those, and nobody else */
	says("runs", RUN_9("20"), 1);
	begin();
	put_nodes("a", 4, 4);
	put_nodes("z", 1, 1);
	put_nodes("d", 1, 1);
	expect_did("begin;runs;");
	put_nodes("a", 1, 3);
	put_nodes("b", 1, 3);
	put_nodes("b", 16, 18);
	put_nodes("c", 1, 1);
	put_nodes("e", 1, 1);
	expect_did(EIGHT_ASKED "record;record;record;");
	commit_did("update;put;commit;");
	store_close(store);
}
END_TEST

START_TEST(a_run_beside_one_of_few_nodes_is_remembered_too)
{
	connected();
	says("runs", "", 1);
	says("runs", RUN_9("5"), 1);
	begin();
	ck_assert_int_eq(put_it(of_job(8, "z01")), 1);
	put_nodes("c", 1, 9);
	expect_did("begin;runs;runs;" EIGHT_ASKED "nodes;");
	commit_did("new;update;put;commit;");
	says("runs", RUN_9("14"), 1);
	begin();
	put_nodes("d", 1, 1);
	put_nodes("c", 9, 9);
	expect_did("begin;runs;record;");
	commit_did("update;put;commit;");
	store_close(store);
}
END_TEST

START_TEST(what_it_remembers_is_of_that_run_at_that_version)
{
	connected();
	says("runs", RUN_9("5"), 1);
	begin();
	put_nodes("c", 1, 9);
	expect_did("begin;runs;" EIGHT_ASKED "nodes;");
	commit_did("update;put;commit;");
	/* another run leaves it alone */
	says("runs", "8 0 1000 2000 n[1-2] 1 2 14 - - - - 1000300 4", 1);
	begin();
	put_nodes("c", 1, 1);
	commit_did("begin;runs;record;update;put;commit;");
	says("runs", RUN_9("14"), 1);
	begin();
	put_nodes("d", 1, 1);
	commit_did("begin;runs;update;put;commit;");
	/* the other ledger has put a record meanwhile */
	says("runs", RUN_9("16"), 1);
	begin();
	put_nodes("d", 2, 2);
	commit_did("begin;runs;record;update;put;commit;");
	says("runs", RUN_9("17"), 1);
	begin();
	put_nodes("d", 3, 3);
	commit_did("begin;runs;record;update;put;commit;");
	store_close(store);
}
END_TEST

/* ---- clashes, and other failures ------------------------------------------- */

START_TEST(a_transaction_that_clashed_is_made_again_from_what_was_asked)
{
	static const char *const at[] = { "new", "put", "commit" };
	static const char *const before[] = { "new;", "new;put;",
					      "new;put;commit;" };
	char wanted[300];
	size_t i;

	for (i = 0; i < 3; i++) {
		connected();
		begin();
		ck_assert_int_eq(put_node("n1"), 1);
		ck_assert_int_eq(put_node("n2"), 1);
		expect_did("begin;runs;");
		fails(at[i], ER_LOCK_DEADLOCK, 1);
		/* the other ledger's run */
		says("runs", RUN_9("5"), 1);
		ck_assert_int_eq(store_commit(store, &err), 1);
		snprintf(wanted, sizeof(wanted),
			 "%snap 999;rollback;wait;begin;runs;record;record;"
			 "update;put;commit;no wait;",
			 before[i]);
		expect_did(wanted);
		said_expect(text_of("update"), "nodes_seen=3");
		/* the next one is not made again */
		begin();
		ck_assert_int_eq(store_commit(store, &err), 0);
		expect_did("begin;commit;");
		store_close(store);
	}
}
END_TEST

START_TEST(a_record_that_clashed_tells_when_it_is_due_after_all)
{
	connected();
	begin();
	fails("runs", ER_LOCK_WAIT_TIMEOUT, 2);
	says("runs", RUN_9("5"), 1);
	ck_assert_int_eq(put_node("n2"), 1);
	ck_assert_int_eq(due, NOW);
	expect_did("begin;runs;nap 999;rollback;wait;begin;runs;nap 1999;"
		   "rollback;wait;begin;runs;record;");
	ck_assert_int_eq(store_commit(store, &err), 1);
	store_close(store);
}
END_TEST

START_TEST(a_record_that_cannot_be_made_again_is_not_taken_for_written)
{
	connected();
	begin();
	put_bytes(7, 10);
	fails("commit", ER_LOCK_DEADLOCK, 1);
	ck_assert_int_eq(store_commit(store, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "record: ", 8), 0);
	store_rollback(store);
	store_close(store);
}
END_TEST

START_TEST(what_was_rolled_back_is_not_made_again)
{
	connected();
	store_rollback(store); /* there is none */
	expect_did("");
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	store_rollback(store);
	store_rollback(store);
	expect_did("begin;runs;rollback;");
	begin();
	ck_assert_int_eq(put_it(of_job(8, "n1")), 1);
	*did = 0;
	fails("commit", ER_DUP_ENTRY, 1);
	ck_assert_int_eq(store_commit(store, &err), 1);
	expect_did("new;put;commit;nap 999;rollback;wait;begin;runs;new;put;"
		   "commit;no wait;");
	said_expect(text_of("new"), " 'c', 8, 1000, 1)");
	store_close(store);
}
END_TEST

START_TEST(clashes_without_end_are_given_up_with_a_reason)
{
	static const char late[] =
		"store: MariaDB: others are at the same runs: try again later";

	connected();
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	*did = 0;
	fails("new", ER_LOCK_DEADLOCK, EVER);
	ck_assert_int_eq(store_commit(store, &err), -1);
	ck_assert_str_eq(err.text, late);
	ck_assert_uint_eq(naps, 40);
	said_expect(did, "new;nap 999;rollback;");
	said_expect(did, ";nap 31999;rollback;wait;begin;runs;new;nap 63999;");
	said_expect(did, ";new;nap 63999;rollback;wait;begin;runs;new;nap "
			 "63999;");
	store_rollback(store);
	/* a transaction's time is its own, and 5 s */
	now += 100;
	naps = 0;
	nap_takes_s = 1;
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(store_commit(store, &err), -1);
	ck_assert_str_eq(err.text, late);
	ck_assert_uint_eq(naps, 5);
	store_rollback(store);
	store_close(store);
}
END_TEST

START_TEST(what_is_no_clash_ends_the_transaction_at_once)
{
	static const char *const at[] = { "runs",   "record", "nodes",
					  "update", "put",    "commit" };
	size_t i, node;
	int rc;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		connected();
		fails(at[i], ER_PARSE_ERROR, 1);
		says("runs", RUN_9("5"), EVER);
		begin();
		for (node = 0, rc = 1; node < 9 && rc >= 0; node++)
			rc = put_it(made((char[]){ (char)('a' + node), 0 }));
		if (rc >= 0)
			rc = store_commit(store, &err);
		ck_assert_int_eq(rc, -1);
		ck_assert_str_eq(err.text, SAID_NO);
		ck_assert_uint_eq(naps, 0);
		*did = 0;
		store_rollback(store);
		expect_did("rollback;");
		store_close(store);
	}
	/* nor does one begin */
	connected();
	fails("begin", ER_PARSE_ERROR, 1);
	ck_assert_int_eq(store_begin(store, &err), -1);
	store_rollback(store);
	expect_did("begin;");
	store_close(store);
	/* nor is it begun again */
	connected();
	begin();
	fails("runs", ER_LOCK_DEADLOCK, 1);
	fails("rollback", ER_PARSE_ERROR, 1);
	ck_assert_int_eq(put_node("n1"), -1);
	ck_assert_str_eq(err.text, SAID_NO);
	expect_did("begin;runs;nap 999;rollback;");
	store_close(store);
}
END_TEST

START_TEST(rows_that_break_off_are_not_taken_for_all_there_are)
{
	connected();
	breaks("runs", RUN_9("5"));
	begin();
	ck_assert_int_eq(put_node("n2"), -1);
	ck_assert_str_eq(err.text, SAID_NO);
	store_rollback(store);
	says("runs", RUN_9("5"), 1);
	breaks("record", "");
	begin();
	ck_assert_int_eq(put_node("n2"), -1);
	store_rollback(store);
	says("runs", RUN_9("5"), 1);
	breaks("nodes", "n1");
	begin();
	put_nodes("c", 1, 8);
	ck_assert_int_eq(put_node("n2"), -1);
	store_rollback(store);
	/* a run that is near: has this node reported for it? */
	says("runs", "9 - 100 995 - 1 - 5 - - - - 1000300 4", 1);
	breaks("record", "");
	begin();
	ck_assert_int_eq(put_node("n2"), -1);
	store_rollback(store);
	store_close(store);
}
END_TEST

static struct record *ninth;
static char *ninth_text;
static struct store_reason due_reasons[2];
static struct store_run loaded;

static int put_ninth(void)
{
	return store_put(store, ninth, ninth_text, strlen(ninth_text), NOW,
			 GRACE_S, &due, &err);
}

static int find_reasons(void)
{
	int64_t next;

	return store_reasons_due(store, NOW, due_reasons, 2, &next, &err);
}

static int load_it(void)
{
	return store_run_load(store, 9, &loaded, &err);
}

static void after_eight(void)
{
	says("runs", RUN_9("5"), 1);
	says("nodes", "n1;n2;n3;n4;n5;n6;n7;n8;n9", 1);
	begin();
	put_nodes("c", 1, 8);
}

static void with_reasons(void)
{
	says("next reason", "1000000 -", 1);
	says("reasons", "c n t 1 2 3;d m u 4 5 6", 1);
}

static void with_run(void)
{
	says("load",
	     "9 5 c summary error 7 1000 0 - - - - 1000 2000 1 2 0 0 0 1", 1);
}

/* The call fails and says why when an allocation does, whichever of them; there are
 * so many at least. */
static void expect_told(void (*prepare)(void), int (*call)(void), int wanted,
			int least)
{
	int n, rc;

	for (n = 1;; n++) {
		connected();
		prepare();
		*err.text = 0;
		has_failed = false;
		allocations_left = n;
		rc = call();
		allocations_left = 0;
		if (!has_failed)
			break;
		ck_assert_msg(rc == -1, "allocation %d: nobody is told", n);
		said_expect(err.text, "out of memory");
		store_rollback(store);
		store_close(store);
	}
	ck_assert_int_eq(rc, wanted);
	ck_assert_int_gt(n, least);
	store_rollback(store);
}

START_TEST(when_memory_runs_out_nothing_is_half_known_or_half_told)
{
	ninth = made("n2");
	ninth_text = record_text(ninth, NULL);
	expect_told(after_eight, put_ninth, 1, 12);
	store_close(store);
	free(ninth_text);
	record_free(ninth);
	expect_told(with_reasons, find_reasons, 2, 6);
	store_reason_free(&due_reasons[0]);
	store_reason_free(&due_reasons[1]);
	store_close(store);
	expect_told(with_run, load_it, 0, 3);
	store_run_free(&loaded);
	store_close(store);
}
END_TEST

START_TEST(names_that_there_was_no_memory_for_are_asked_for_again)
{
	int n = 0, forgot = 0, rc;

	ninth = made("n2");
	ninth_text = record_text(ninth, NULL);
	do {
		connected();
		after_eight();
		ck_assert_int_eq(put_ninth(), 1);
		has_failed = false;
		allocations_left = ++n;
		rc = store_commit(store, &err);
		allocations_left = 0;
		ck_assert(rc == 0 || has_failed);
		if (rc == 0) /* all nine are written */
			ck_assert_int_eq(records_put, 9);
		forgot += rc == 0 && has_failed;
		store_rollback(store);
		*did = 0;
		says("runs", RUN_9("14"), 1);
		says("record", "{}", 1);
		begin();
		put_nodes("c", 1, 1);
		expect_did("begin;runs;record;");
		store_rollback(store);
		store_close(store);
	} while (has_failed);
	ck_assert_int_ge(forgot, 8); /* a name each */
	free(ninth_text);
	record_free(ninth);
}
END_TEST

START_TEST(a_connection_that_is_lost_takes_its_transaction_with_it)
{
	struct store_run run = { .id = 9 };

	connected();
	begin();
	fails("runs", CR_SERVER_LOST, 1);
	ck_assert_int_eq(put_node("n1"), -1);
	ck_assert_str_eq(err.text, SAID_NO ": try again later");
	ck_assert_int_eq(store_done(store, &run, "s", NOW, 0, &err), -1);
	ck_assert_str_eq(err.text, SAID_NO ": try again later");
	expect_did("begin;runs;");
	store_rollback(store);
	expect_did("");
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_did("settings;version;begin;runs;new;put;commit;");
	store_close(store);
}
END_TEST

/* ---- changes and questions ------------------------------------------------- */

static const struct store_place first_place = { 4, 3 };
static struct store_reason reason = { (char *)"c", (char *)"n", (char *)"t",
				      5,	   6,		7 };
static char told[200];
static int answer_with;

static int tell(const char *text, size_t size, void *arg, struct err *why)
{
	size_t used = strlen(told);

	(void)why;
	ck_assert_ptr_eq(arg, &answer_with);
	snprintf(told + used, sizeof(told) - used, "%.*s %zu;", (int)size, text,
		 size);
	return answer_with;
}

static int tell_place(const struct store_place *place, const char *text,
		      void *arg, struct err *why)
{
	size_t used = strlen(told);

	(void)why;
	ck_assert_ptr_eq(arg, &answer_with);
	snprintf(told + used, sizeof(told) - used, "%lld %lld %s;",
		 (long long)place->ended_s, (long long)place->id, text);
	return answer_with;
}

static int do_change(size_t which)
{
	struct store_run run = { .id = 9, .version = 2, .array_job = -1 };

	switch (which) {
	case 0:
		return store_done(store, &run, "s", NOW, 0, &err);
	case 1:
		return store_later(store, 9, NULL, NOW, "why", &err);
	case 2:
		return store_reason_put(store, &reason, NOW, &err);
	case 3:
		return store_reason_forget(store, "c", "n", 5, &err);
	case 4:
		return store_reason_later(store, &reason, NOW, &err);
	case 5:
		return store_use_put(store, 9, 8, "t", &err);
	default:
		return store_unused_forget(store, 9, &err);
	}
}

static const char *const changes[] = { "done",	  "later", "reason", "forget",
				       "put off", "use",   "is used" };

START_TEST(a_change_is_a_transaction_of_its_own_and_made_again_likewise)
{
	char wanted[300];
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const char *more = i == 5 ? "begin;is used;commit;" : "";

		connected();
		changed = 0;
		ck_assert_int_eq(do_change(i), 0);
		snprintf(wanted, sizeof(wanted), "begin;%s;commit;%s",
			 changes[i], more);
		expect_did(wanted);
		changed = 2;
		fails(changes[i], ER_LOCK_DEADLOCK, 1);
		ck_assert_int_eq(do_change(i), i == 2);
		snprintf(wanted, sizeof(wanted),
			 "begin;%s;nap 999;rollback;wait;begin;%s;commit;no "
			 "wait;%s",
			 changes[i], changes[i], more);
		expect_did(wanted);
		fails(changes[i], ER_PARSE_ERROR, 1);
		ck_assert_int_eq(do_change(i), -1);
		ck_assert_str_eq(err.text, SAID_NO);
		snprintf(wanted, sizeof(wanted), "begin;%s;rollback;",
			 changes[i]);
		expect_did(wanted);
		fails("commit", ER_PARSE_ERROR, 1);
		ck_assert_int_eq(do_change(i), -1);
		fails("begin", ER_PARSE_ERROR, 1);
		*did = 0;
		ck_assert_int_eq(do_change(i), -1);
		expect_did("begin;");
		store_close(store);
	}
}
END_TEST

START_TEST(a_change_among_records_is_made_behind_them)
{
	int64_t ids[2];

	connected();
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	ck_assert_int_eq(do_change(3), 0);
	expect_did("begin;runs;new;put;forget;");
	ck_assert_int_eq(put_node("n2"), 1);
	expect_did("runs;");
	/* and a question is asked behind them */
	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, -1, ids, 2, &err), 0);
	expect_did("new;put;find;");
	fails("commit", ER_LOCK_DEADLOCK, 1);
	ck_assert_int_eq(store_commit(store, &err), 1);
	expect_did("commit;nap 999;rollback;wait;begin;runs;new;put;forget;"
		   "runs;new;put;commit;no wait;");
	/* which may clash as well, and is asked when that is over */
	begin();
	ck_assert_int_eq(put_node("n1"), 1);
	*did = 0;
	fails("new", ER_DUP_ENTRY, 1);
	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, -1, ids, 2, &err), 0);
	expect_did("new;nap 999;rollback;wait;begin;runs;new;put;find;");
	ck_assert_int_eq(put_it(of_job(8, "n1")), 1);
	fails("new", ER_PARSE_ERROR, 2);
	ck_assert_int_eq(do_change(3), -1);
	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, -1, ids, 2, &err), -1);
	store_rollback(store);
	store_close(store);
}
END_TEST

/* Of each kind; its rows are of no matter. */
static int ask(size_t which)
{
	struct store_reason reasons[2];
	struct store_backlog backlog;
	struct store_counts counts;
	struct store_run run;
	int64_t ids[2], next;

	switch (which) {
	case 0:
		return store_due(store, NOW, ids, 2, &next, &err);
	case 1:
		return find_runs(store, STORE_JOB, 7, -1, ids, 2, &err);
	case 2:
		return store_run_load(store, 9, &run, &err);
	case 3:
		return store_records(store, 9, tell, &answer_with, &err);
	case 4:
		return store_reasons_due(store, NOW, reasons, 2, &next, &err);
	case 5:
		return store_unused(store, ids, 2, &err);
	case 6:
		return (int)store_unused_count(store, &err);
	case 7:
		return store_uses(store, &first_place, 9, 2, tell_place,
				  &answer_with, &err);
	case 8:
		return store_backlog(store, NOW, &backlog, &err);
	default:
		return store_count(store, &counts, &err);
	}
}

START_TEST(a_question_that_fails_or_breaks_off_is_no_empty_answer)
{
	static const char *const questions[] = {
		"next",	  "find",	  "load", "records", "next reason",
		"unused", "unused count", "uses", "backlog", "counts"
	};
	size_t i;

	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		connected();
		fails(questions[i], ER_PARSE_ERROR, 1);
		ck_assert_int_eq(ask(i), -1);
		ck_assert_str_eq(err.text, SAID_NO);
		*err.text = 0;
		breaks(questions[i], "");
		ck_assert_int_eq(ask(i), -1);
		ck_assert_str_eq(err.text, SAID_NO);
		store_close(store);
	}
	/* what was claimed, and cannot be read */
	for (i = 0; i <= 4; i += 4) {
		const char *claim = i ? "claim reasons" : "claim";
		const char *list = i ? "reasons" : "due";

		connected();
		says(questions[i], "1 -", EVER);
		fails(claim, ER_PARSE_ERROR, 1);
		ck_assert_int_eq(ask(i), -1);
		fails(list, ER_PARSE_ERROR, 1);
		ck_assert_int_eq(ask(i), -1);
		breaks(list, i ? "c n t 1 2 3" : "7");
		*err.text = 0;
		ck_assert_int_eq(ask(i), -1);
		ck_assert_str_eq(err.text, SAID_NO);
		store_close(store);
	}
}
END_TEST

START_TEST(the_earlier_of_two_times_is_when_something_is_due)
{
	static const struct {
		const char *row;
		int64_t next;
	} table[] = {
		{ "1000001 -", NOW + 1 },
		{ "- 1000001", NOW + 1 },
		{ "1000002 1000001", NOW + 1 },
		{ "1000001 1000002", NOW + 1 },
		{ "- -", -1 },
	};
	int64_t ids[2], next;
	size_t i;

	connected();
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		says("next", table[i].row, 1);
		ck_assert_int_eq(store_due(store, NOW, ids, 2, &next, &err), 0);
		ck_assert_int_eq(next, table[i].next);
		expect_did("next;");
	}
	says("next", "1000002 0", 1);
	says("due", "5;4;3", 1);
	ck_assert_int_eq(store_due(store, NOW, ids, 2, &next, &err), 2);
	ck_assert_int_eq(next, 0);
	expect_did("next;begin;claim;commit;due;");
	ck_assert(ids[0] == 5 && ids[1] == 4);
	said_expect(text_of("claim"), ":4711', claimed_until=1000150 WHERE ");
	says("next", "1000000 -", 1);
	ck_assert_int_eq(store_due(store, NOW, ids, 2, &next, &err), 0);
	expect_did("next;begin;claim;commit;due;");
	store_close(store);
}
END_TEST

static void find(enum store_part kind, int64_t part)
{
	int64_t ids[2];

	*did = 0;
	ck_assert_int_eq(find_runs(store, kind, 7, part, ids, 2, &err), 0);
}

START_TEST(runs_are_found_by_job_task_or_component_or_all_of_them)
{
	connected();
	find(STORE_JOB, RECORD_UNKNOWN);
	expect_did("find;");
	said_expect(text_of("find"), " WHERE job=7 AND ");
	find(STORE_ARRAY_TASK, 0);
	expect_did("find;");
	said_expect(text_of("find"), " WHERE array_job=7 AND array_task=0 ");
	find(STORE_HET_COMPONENT, 3);
	expect_did("find;");
	said_expect(text_of("find"), " WHERE het_job=7 AND het_offset=3 ");
	find(STORE_ARRAY_TASK, RECORD_UNKNOWN);
	expect_did("find all;");
	said_expect(text_of("find all"), " WHERE array_job=7 AND ");
	find(STORE_HET_COMPONENT, RECORD_UNKNOWN);
	expect_did("find all;");
	said_expect(text_of("find all"), " WHERE het_job=7 AND ");
	store_close(store);
}
END_TEST

START_TEST(reasons_that_are_due_are_claimed_and_told)
{
	struct store_reason list[2];
	int64_t next;

	connected();
	ck_assert_int_eq(store_reason_put(store, &reason, NOW, &err), 1);
	expect_did("begin;reason;commit;");
	says("next reason", "1000001 -", 1);
	ck_assert_int_eq(store_reasons_due(store, NOW, list, 2, &next, &err),
			 0);
	expect_did("next reason;");
	says("next reason", "1000000 -", EVER);
	says("reasons", "c n t 1 2 3;d m - 4 5 6", 1);
	ck_assert_int_eq(store_reasons_due(store, NOW, list, 2, &next, &err),
			 2);
	expect_did("next reason;begin;claim reasons;commit;reasons;");
	said_expect(text_of("claim reasons"), " claimed_until=1000150 ");
	said_expect(text_of("reasons"), " AND claimed_until=1000150 ");
	ck_assert_int_eq(next, NOW);
	ck_assert_str_eq(list[0].cluster, "c");
	ck_assert_str_eq(list[0].node, "n");
	ck_assert_str_eq(list[0].text, "t");
	ck_assert(list[0].time == 1 && list[0].received == 2 &&
		  list[0].tries == 3);
	ck_assert_str_eq(list[1].node, "m");
	ck_assert_ptr_null(list[1].text);
	store_reason_free(&list[0]);
	store_reason_free(&list[1]);
	says("reasons", "c n t 1 2 3;d m - 4 5 6;e l t 7 8 9", 1);
	ck_assert_int_eq(store_reasons_due(store, NOW, list, 2, &next, &err),
			 -1);
	store_close(store);
}
END_TEST

START_TEST(each_column_is_what_it_is_called)
{
	struct store_backlog waits;
	struct store_counts counts;
	struct store_run run;

	connected();
	says("load", "3 4 c s e 5 6 7 8 9 10 11 12.5 13.5 14 15 16 17 18 2", 1);
	ck_assert_int_eq(store_run_load(store, 3, &run, &err), 0);
	ck_assert(run.id == 3 && run.version == 4 && run.job == 5 &&
		  run.uid == 6 && run.restart == 7 && run.array_job == 8 &&
		  run.array_task == 9 && run.het_job == 10 &&
		  run.het_offset == 11 && run.nodes_seen == 14 &&
		  run.nodes_expected == 15 && run.tries == 16 &&
		  run.next_try == 17 && run.written == 18 &&
		  run.dirty == STORE_AGAIN);
	ck_assert(run.first == 12.5 && run.last == 13.5);
	ck_assert_str_eq(run.cluster, "c");
	ck_assert_str_eq(run.summary, "s");
	ck_assert_str_eq(run.error, "e");
	store_run_free(&run);
	ck_assert_int_eq(store_run_load(store, 3, &run, &err), -1);
	ck_assert_str_eq(err.text, "store: run 3 is gone");
	says("backlog", "10 3 2 55.5", 1);
	ck_assert_int_eq(store_backlog(store, NOW, &waits, &err), 0);
	ck_assert(waits.for_nodes == 3 && waits.for_retry == 2 &&
		  waits.for_writer == 5 && waits.oldest == 55.5);
	says("counts", "1 2 3 4", 1);
	ck_assert_int_eq(store_count(store, &counts, &err), 0);
	ck_assert(counts.runs == 1 && counts.records == 2 &&
		  counts.waiting == 3 && counts.failed == 4);
	store_close(store);
}
END_TEST

START_TEST(records_and_uses_are_told_until_somebody_has_enough)
{
	connected();
	says("records", "abc;de", EVER);
	says("uses", "1 2 -;3 4 t", EVER);
	ck_assert_int_eq(ask(3), 0);
	ck_assert_int_eq(ask(7), 0);
	ck_assert_str_eq(told, "abc 3;de 2;1 2 ;3 4 t;");
	*told = 0;
	answer_with = 5;
	ck_assert_int_eq(ask(3), 5);
	answer_with = -1;
	ck_assert_int_eq(ask(7), -1);
	ck_assert_str_eq(told, "abc 3;1 2 ;");
	store_close(store);
}
END_TEST

START_TEST(when_no_run_is_without_a_use_it_is_not_asked_again)
{
	int64_t ids[2];

	connected();
	says("unused", "7;6;5", 1);
	says("unused count", "8", 1);
	ck_assert_int_eq(store_unused(store, ids, 2, &err), 2);
	ck_assert_int_eq(store_unused_count(store, &err), 8);
	ck_assert_int_eq(store_use_put(store, 9, 8, "t", &err), 0);
	expect_did("unused;unused count;begin;use;commit;begin;is used;"
		   "commit;");
	ck_assert_int_eq(store_unused(store, ids, 2, &err), 0);
	expect_did("unused;");
	ck_assert_int_eq(store_unused(store, ids, 2, &err), 0);
	ck_assert_int_eq(store_unused_count(store, &err), 0);
	ck_assert_int_eq(store_use_put(store, 9, 8, "t", &err), 0);
	expect_did("begin;use;commit;");
	store_close(store);
}
END_TEST

/* ---- housekeeping ---------------------------------------------------------- */

#define DELETED "delete uses;delete unused;delete records;delete runs;commit;"

static int purge(int max)
{
	*did = 0;
	return store_purge(store, 100, NOW, max, &err);
}

START_TEST(old_runs_go_some_at_a_time_and_no_more_than_was_said)
{
	connected();
	says("old", "1 19999;2 1;3 1", 1);
	ck_assert_int_eq(purge(9), 2);
	expect_did("begin;old;" DELETED "begin;old;commit;");
	ck_assert_str_eq(text_of("delete records"),
			 "DELETE FROM records WHERE run IN (1,2)");
	ck_assert_str_eq(text_of("delete runs"),
			 "DELETE FROM runs WHERE id IN (1,2)");
	said_expect(text_of("old"), " LIMIT 7 ");
	says("old", "1 20000;2 1", EVER);
	ck_assert_int_eq(purge(2), 2);
	expect_did("begin;old;" DELETED "begin;old;" DELETED);
	said_expect(text_of("old"), " LIMIT 1 ");
	said_expect(text_of("old"), "(last<100 OR (last>1000000+86400 ");
	ck_assert_str_eq(text_of("delete uses"),
			 "DELETE FROM uses WHERE run IN (1)");
	/* and it has no transaction left */
	*did = 0;
	store_rollback(store);
	expect_did("");
	store_close(store);
}
END_TEST

START_TEST(old_runs_that_cannot_go_stay_whole)
{
	static const char *const at[] = { "old",	   "delete uses",
					  "delete unused", "delete records",
					  "delete runs",   "commit" };
	size_t i;

	connected();
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		says_no_more();
		says("old", "1 5", 1);
		if (i == 0)
			says_no_more();
		fails(at[i], ER_PARSE_ERROR, 1);
		ck_assert_int_eq(purge(9), -1);
		ck_assert_str_eq(err.text, SAID_NO);
		said_expect(did, ";rollback;");
		*did = 0;
		store_rollback(store);
		expect_did("");
	}
	says_no_more();
	breaks("old", "1 5");
	ck_assert_int_eq(purge(9), -1);
	expect_did("begin;old;rollback;");
	fails("begin", ER_PARSE_ERROR, 1);
	ck_assert_int_eq(purge(9), -1);
	expect_did("begin;");
	/* the other ledger is at it */
	says("old", "1 5", 1);
	fails("old", ER_LOCK_WAIT_TIMEOUT, 1);
	ck_assert_int_eq(purge(9), 1);
	expect_did("begin;old;" DELETED "begin;old;rollback;");
	store_close(store);
}
END_TEST

/* ---- to open it ------------------------------------------------------------ */

START_TEST(a_server_that_is_away_opens_and_one_that_refuses_does_not)
{
	int64_t ids[2];

	connected();
	store_close(store);
	is_down = true;
	store = connect_store();
	ck_assert_ptr_nonnull(store);
	ck_assert_str_eq(err.text, SAID_NO ": try again later");
	ck_assert_int_eq(store_begin(store, &err), -1);
	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, -1, ids, 2, &err), -1);
	ck_assert_int_eq(do_change(0), -1);
	ck_assert_int_eq(purge(9), -1);
	ck_assert_str_eq(err.text, SAID_NO ": try again later");
	is_down = false;
	now++;
	ck_assert_int_eq(find_runs(store, STORE_JOB, 7, -1, ids, 2, &err), 0);
	expect_did("settings;version;find;");
	store_close(store);
	says_no_more();
	says("settings", "16777216 0", EVER);
	says("version", "3", EVER);
	ck_assert_ptr_null(connect_store());
	said_expect(err.text, "was made by a later version");
}
END_TEST

START_TEST(tables_are_made_once_and_without_them_no_store_is_opened)
{
	static const char *const parts[] = { "create", "fill", "mark" };
	size_t i;

	connected();
	store_close(store);
	says_no_more();
	says("settings", "16777216 0", EVER);
	fails("version", ER_NO_SUCH_TABLE, 1);
	store = connect_store();
	ck_assert_ptr_nonnull(store);
	expect_did("settings;version;create;create;create;create;create;"
		   "create;fill;mark;");
	store_close(store);
	says("version", "", 1); /* there was no time to fill it */
	store = connect_store();
	ck_assert_ptr_nonnull(store);
	expect_did("settings;version;create;create;create;create;create;"
		   "create;fill;mark;");
	store_close(store);
	for (i = 0; i < 3; i++) {
		fails(parts[i], ER_DBACCESS_DENIED_ERROR, 1);
		says("version", "1", 1);
		ck_assert_ptr_null(connect_store());
		ck_assert_str_eq(err.text, SAID_NO);
	}
	/* what is there and cannot be asked is not made */
	fails("version", ER_DBACCESS_DENIED_ERROR, 1);
	ck_assert_ptr_null(connect_store());
	ck_assert_str_eq(err.text, SAID_NO);
	expect_did("settings;version;");
}
END_TEST

UNIT_MAIN("maria",
	  records_of_a_transaction_are_written_together_before_its_commit,
	  a_record_of_a_run_that_is_there_changes_what_it_knows_more,
	  a_record_is_of_the_run_that_it_is_near_and_that_wants_its_node,
	  what_a_run_is_known_to_wait_for_stays,
	  a_statement_that_changes_no_row_is_no_failure,
	  of_runs_that_are_as_near_the_first_takes_the_record,
	  each_job_is_locked_once_and_its_runs_are_its_own,
	  what_a_node_says_again_takes_the_place_of_what_it_said,
	  a_mebibyte_of_records_is_not_held_back,
	  of_a_run_of_many_nodes_it_asks_for_all_and_remembers_them,
	  a_run_beside_one_of_few_nodes_is_remembered_too,
	  what_it_remembers_is_of_that_run_at_that_version,
	  a_transaction_that_clashed_is_made_again_from_what_was_asked,
	  a_record_that_clashed_tells_when_it_is_due_after_all,
	  a_record_that_cannot_be_made_again_is_not_taken_for_written,
	  what_was_rolled_back_is_not_made_again,
	  clashes_without_end_are_given_up_with_a_reason,
	  what_is_no_clash_ends_the_transaction_at_once,
	  rows_that_break_off_are_not_taken_for_all_there_are,
	  when_memory_runs_out_nothing_is_half_known_or_half_told,
	  names_that_there_was_no_memory_for_are_asked_for_again,
	  a_connection_that_is_lost_takes_its_transaction_with_it,
	  a_change_is_a_transaction_of_its_own_and_made_again_likewise,
	  a_change_among_records_is_made_behind_them,
	  a_question_that_fails_or_breaks_off_is_no_empty_answer,
	  the_earlier_of_two_times_is_when_something_is_due,
	  runs_are_found_by_job_task_or_component_or_all_of_them,
	  reasons_that_are_due_are_claimed_and_told,
	  each_column_is_what_it_is_called,
	  records_and_uses_are_told_until_somebody_has_enough,
	  when_no_run_is_without_a_use_it_is_not_asked_again,
	  old_runs_go_some_at_a_time_and_no_more_than_was_said,
	  old_runs_that_cannot_go_stay_whole,
	  tables_are_made_once_and_without_them_no_store_is_opened,
	  a_server_that_is_away_opens_and_one_that_refuses_does_not)
