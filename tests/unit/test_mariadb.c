/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection to MariaDB, with servers and a clock made up. With a real one:
 * mariadb.bats. */
#include <errmsg.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/record.h"
#include "ledger/mariadb.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define LATER ": try again later"

static char did[2000]; /* what was asked of the servers, in its order */
static struct {
	const char *up;		/* "a b": those that are there */
	unsigned int takes_s;	/* to find that one is not */
	unsigned int number;	/* of the last failure */
	unsigned int fails;	/* the next statement, with this number */
	const char *refused;	/* a beginning of statements that fail */
	unsigned int row_fails; /* the row behind the last one, likewise */
	unsigned int schema;	/* why it cannot be used; 0: it can */
	unsigned int still;	/* the same once it has been made */
	const char *packet, *is_statement;
	bool is_ping_bad, is_greet_bad;
	int open, results, at;
	time_t now;
	const char *password;
} world;

static MYSQL handles[20];
static unsigned int limits[3]; /* connect, read, write */
static struct mariadb *db;
static struct config_ledger config;
static struct err err;

static void note(const char *what, const char *of)
{
	size_t used = strlen(did);

	snprintf(did + used, sizeof(did) - used, "%s %s;", what, of);
}

static void expect_did(const char *wanted)
{
	ck_assert_str_eq(did, wanted);
	*did = 0;
}

int fake_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = world.now };
	return 0;
}

/* ---- the client library ---------------------------------------------------- */

MYSQL *mysql_init(MYSQL *mysql)
{
	static int count;

	ck_assert_ptr_null(mysql);
	world.open++;
	return &handles[count++ % 20];
}

void mysql_close(MYSQL *mysql)
{
	ck_assert_ptr_nonnull(mysql);
	ck_assert_int_eq(world.results, 0);
	world.open--;
}

int mysql_options(MYSQL *mysql, enum mysql_option option, const void *value)
{
	(void)mysql;
	if (option == MYSQL_OPT_CONNECT_TIMEOUT)
		limits[0] = *(const unsigned int *)value;
	else if (option == MYSQL_OPT_READ_TIMEOUT)
		limits[1] = *(const unsigned int *)value;
	else if (option == MYSQL_OPT_WRITE_TIMEOUT)
		limits[2] = *(const unsigned int *)value;
	else if (option == MYSQL_OPT_LOCAL_INFILE)
		ck_assert_uint_eq(*(const unsigned int *)value, 0);
	else if (option == MYSQL_OPT_SSL_ENFORCE ||
		 option == MYSQL_OPT_SSL_VERIFY_SERVER_CERT)
		note("tls", *(const my_bool *)value ? "yes" : "no");
	return 0;
}

/* An int in some versions of the library, a char in others. */
__typeof__(mysql_ssl_set(NULL, NULL, NULL, NULL, NULL, NULL))
mysql_ssl_set(MYSQL *mysql, const char *key, const char *cert, const char *ca,
	      const char *folder, const char *cipher)
{
	(void)mysql;
	ck_assert(!key && !cert && !folder && !cipher);
	note("ca", ca);
	return 0;
}

MYSQL *mysql_real_connect(MYSQL *mysql, const char *host, const char *user,
			  const char *password, const char *schema,
			  unsigned int port, const char *socket,
			  unsigned long flags)
{
	ck_assert(!schema && !flags && !host == !!socket);
	ck_assert((host ? *host != '/' : *socket == '/'));
	ck_assert_str_eq(user, "jobio");
	ck_assert_str_eq(password, world.password ? world.password : "");
	ck_assert_uint_eq(port, 3306);
	note("to", host ? host : socket);
	if (strstr(world.up, host ? host : socket))
		return mysql;
	world.now += world.takes_s;
	world.number = CR_CONN_HOST_ERROR;
	return NULL;
}

unsigned int mysql_errno(MYSQL *mysql)
{
	ck_assert_ptr_nonnull(mysql);
	return world.number;
}

const char *mysql_error(MYSQL *mysql)
{
	ck_assert_ptr_nonnull(mysql);
	return "it said no";
}

int mysql_select_db(MYSQL *mysql, const char *schema)
{
	(void)mysql;
	ck_assert_str_eq(schema, "jobio_db");
	world.number = world.schema;
	return world.schema != 0;
}

int mysql_query(MYSQL *mysql, const char *text)
{
	return mysql_real_query(mysql, text, strlen(text));
}

int mysql_real_query(MYSQL *mysql, const char *text, unsigned long size)
{
	(void)mysql;
	ck_assert_uint_eq(strlen(text), size);
	ck_assert_int_eq(world.results, 0); /* or they would be out of step */
	if (!strncmp(text, "CREATE DATABASE", 15)) {
		note("create", strchr(text, '`'));
		world.schema = world.still;
	} else if (strncmp(text, "SET SESSION", 11) != 0 &&
		   strncmp(text, "SELECT @@", 9) != 0) {
		note("do", text);
	}
	if (world.refused &&
	    !strncmp(text, world.refused, strlen(world.refused)))
		world.fails = ER_PARSE_ERROR;
	world.number = world.fails;
	world.fails = 0;
	world.at = strncmp(text, "SELECT @@", 9) ? 0 : -1;
	return world.number != 0;
}

int mysql_ping(MYSQL *mysql)
{
	(void)mysql;
	note("ping", world.is_ping_bad ? "bad" : "good");
	return world.is_ping_bad;
}

MYSQL_RES *mysql_use_result(MYSQL *mysql)
{
	(void)mysql;
	world.results++;
	return (MYSQL_RES *)&world;
}

void mysql_free_result(MYSQL_RES *result)
{
	ck_assert_ptr_eq(result, &world);
	world.results--;
}

MYSQL_ROW mysql_fetch_row(MYSQL_RES *result)
{
	static char *rows[][4] = {
		{ (char *)"7", NULL, (char *)"0.5", (char *)"abc" },
		{ (char *)"-1", (char *)"98", NULL, NULL },
	};
	static char *settings[2];

	ck_assert_ptr_eq(result, &world);
	if (world.at < 0) {
		settings[0] = (char *)world.packet;
		settings[1] = (char *)world.is_statement;
		return settings;
	}
	if (world.at < 2)
		return rows[world.at++];
	world.number = world.row_fails;
	return NULL;
}

unsigned long *mysql_fetch_lengths(MYSQL_RES *result)
{
	static unsigned long sizes[4] = { 1, 0, 3, 3 };

	ck_assert_ptr_eq(result, &world);
	return sizes;
}

unsigned long mysql_real_escape_string(MYSQL *mysql, char *to, const char *from,
				       unsigned long size)
{
	unsigned long i, put = 0;

	(void)mysql;
	for (i = 0; i < size; i++) {
		to[put++] = '\\'; /* the most that it may become */
		to[put++] = from[i];
	}
	to[put] = 0;
	return put;
}

my_ulonglong mysql_insert_id(MYSQL *mysql)
{
	(void)mysql;
	return 42;
}

my_ulonglong mysql_affected_rows(MYSQL *mysql)
{
	(void)mysql;
	return 3;
}

/* ---- words of the tests ---------------------------------------------------- */

static int greet(void *arg, struct err *why)
{
	ck_assert_ptr_eq(arg, &world);
	note("greet", world.is_greet_bad ? "bad" : "good");
	return world.is_greet_bad ? err_set(why, "it is of a later version")
				  : 0;
}

static int ready(void)
{
	*err.text = 0;
	return mariadb_ready(db, greet, &world, &err);
}

static void begin(const char *hosts)
{
	config = (struct config_ledger){ .storage_host = (char *)hosts,
					 .storage_port = 3306,
					 .storage_loc = (char *)"jobio_db",
					 .storage_user = (char *)"jobio",
					 .storage_pass_file = (char *)"",
					 .storage_ca = (char *)"" };
	memset(&world, 0, sizeof(world));
	*did = 0;
	world.now = 1000;
	world.up = hosts;
	world.packet = "16777216";
	world.is_statement = "0";
	db = mariadb_new(&config, &err);
	ck_assert_ptr_nonnull(db);
}

static void begin_connected(void)
{
	begin("a");
	ck_assert_int_eq(ready(), 0);
	expect_did("to a;greet good;");
}

static void end(void)
{
	mariadb_free(db);
	ck_assert_int_eq(world.open, 0);
}

static int64_t run(const char *text)
{
	return mariadb_run(db, text, strlen(text), NULL, &err);
}

/* ---- to connect ------------------------------------------------------------ */

START_TEST(each_server_is_asked_with_limits_and_the_schema_is_made_once)
{
	begin("a");
	ck_assert_int_eq(ready(), 0);
	expect_did("to a;greet good;");
	ck_assert_uint_eq(limits[0], MARIADB_CONNECT_S);
	ck_assert_uint_eq(limits[1], MARIADB_LIMIT_S);
	ck_assert_uint_eq(limits[2], MARIADB_LIMIT_S);
	ck_assert_int_eq(ready(), 0);
	expect_did("");
	end();
	begin("/run/mysqld.sock");
	world.schema = ER_BAD_DB_ERROR;
	ck_assert_int_eq(ready(), 0);
	expect_did("to /run/mysqld.sock;create `jobio_db` CHARACTER SET "
		   "binary;greet good;");
	end();
	/* there, and not for this user; or made, and not for him */
	begin("a");
	world.schema = ER_DBACCESS_DENIED_ERROR;
	ck_assert_int_eq(ready(), -1);
	expect_did("to a;");
	ck_assert_str_eq(err.text, "store: MariaDB 'a': it said no");
	end();
	begin("a");
	world.schema = ER_BAD_DB_ERROR;
	world.still = ER_DBACCESS_DENIED_ERROR;
	ck_assert_int_eq(ready(), -1);
	expect_did("to a;create `jobio_db` CHARACTER SET binary;");
	end();
	begin("");
	ck_assert_int_eq(ready(), -1);
	ck_assert_str_eq(err.text, "store: [ledger] storage_host: is empty");
	end();
}
END_TEST

START_TEST(with_a_ca_only_its_servers_are_spoken_to)
{
	begin("a");
	config.storage_ca = (char *)"/etc/ca.pem";
	ck_assert_int_eq(ready(), 0);
	expect_did("ca /etc/ca.pem;tls yes;tls yes;to a;greet good;");
	end();
}
END_TEST

START_TEST(the_password_is_the_first_line_of_a_file_that_nobody_else_reads)
{
	static char longest[300];
	const char *path;

	tempdir_make();
	path = tempdir_put("p", "it's secret\nand more\n");
	chmod(path, 0600);
	begin("a");
	config.storage_pass_file = (char *)path;
	world.password = "it's secret";
	ck_assert_int_eq(ready(), 0);
	end();
	begin("a");
	config.storage_pass_file = (char *)path;
	chmod(path, 0640);
	ck_assert_int_eq(ready(), -1);
	said_expect(err.text, "store: [ledger] storage_pass_file: '");
	said_expect(err.text, "mode 0640: others may read it: chmod 600");
	expect_did("");
	ck_assert(!mariadb_is_away(db));
	end();
	memset(longest, 'p', 255);
	path = tempdir_put("long", longest);
	chmod(path, 0600);
	begin("a");
	config.storage_pass_file = (char *)path;
	world.password = longest;
	ck_assert_int_eq(ready(), 0);
	end();
	begin("a");
	path = tempdir_put("empty", "\n");
	chmod(path, 0600);
	config.storage_pass_file = (char *)path;
	ck_assert_int_eq(ready(), -1);
	said_expect(err.text, "': no password in it");
	end();
	begin("a");
	config.storage_pass_file = (char *)tempdir_name;
	ck_assert_int_eq(ready(), -1);
	said_expect(err.text, "': not a regular file");
	end();
	tempdir_remove();
}
END_TEST

START_TEST(servers_that_cannot_hold_records_are_told_what_they_lack)
{
	begin("a");
	world.packet = "4194303";
	ck_assert_int_eq(ready(), -1);
	ck_assert_str_eq(err.text,
			 "store: MariaDB: max_allowed_packet is 4194303: at "
			 "least 4194304 is needed");
	end();
	begin("a");
	world.packet = "4194304";
	world.is_statement = NULL; /* it has no log */
	ck_assert_int_eq(ready(), 0);
	end();
	begin("a");
	world.is_statement = "1";
	ck_assert_int_eq(ready(), -1);
	said_expect(err.text, "binlog_format is STATEMENT");
	ck_assert_int_eq(world.open, 0);
	end();
	begin("a");
	world.is_greet_bad = true;
	ck_assert_int_eq(ready(), -1);
	ck_assert_str_eq(err.text, "it is of a later version");
	ck_assert_int_eq(world.open, 0);
	end();
}
END_TEST

START_TEST(a_session_that_cannot_be_set_up_is_not_used)
{
	static const char *const needs[] = {
		"SET SESSION sql_mode=",
		"SET SESSION TRANSACTION",
		"SET SESSION innodb_lock_wait_timeout=",
		"SELECT @@max_allowed_packet",
	};
	size_t i;

	for (i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		begin("a");
		world.refused = needs[i];
		ck_assert_int_eq(ready(), -1);
		expect_did("to a;");
		ck_assert_str_eq(err.text, "store: MariaDB 'a': it said no");
		ck_assert_int_eq(world.open, 0);
		end();
	}
}
END_TEST

START_TEST(who_is_away_is_asked_less_and_less_often_and_all_are_told_why)
{
	static const unsigned int waits[] = { 1, 2, 4, 8, 16, 30, 30 };
	size_t i;

	begin("a");
	world.up = "";
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		ck_assert_int_eq(ready(), -1);
		expect_did("to a;");
		ck_assert(mariadb_is_away(db));
		ck_assert_str_eq(err.text,
				 "store: MariaDB 'a': it said no" LATER);
		world.now += waits[i] - 1;
		ck_assert_int_eq(ready(), -1);
		expect_did("");
		ck_assert_str_eq(err.text,
				 "store: MariaDB 'a': it said no" LATER);
		ck_assert_int_eq(run("x"), -1);
		ck_assert_str_eq(err.text,
				 "store: MariaDB 'a': it said no" LATER);
		ck_assert_int_eq(mariadb_ask(db, "x", NULL, &err), -1);
		ck_assert_str_eq(err.text,
				 "store: MariaDB 'a': it said no" LATER);
		world.now++;
	}
	world.up = "a";
	ck_assert_int_eq(ready(), 0);
	expect_did("to a;greet good;");
	/* and then it begins anew */
	world.up = "";
	world.fails = CR_SERVER_GONE_ERROR;
	ck_assert_int_eq(run("x"), -1);
	ck_assert_int_eq(ready(), -1);
	expect_did("do x;to a;");
	world.now++;
	ck_assert_int_eq(ready(), -1);
	expect_did("to a;");
	end();
}
END_TEST

START_TEST(the_next_server_takes_over_and_stays_as_long_as_it_works)
{
	begin("a, b c");
	world.up = "b c";
	ck_assert_int_eq(ready(), 0);
	expect_did("to a;to b;greet good;");
	world.up = "a c";
	world.fails = ER_SERVER_SHUTDOWN;
	ck_assert_int_eq(run("x"), -1);
	said_expect(err.text, "MariaDB 'b': ");
	ck_assert_int_eq(ready(), 0);
	expect_did("do x;to b;to c;greet good;");
	world.up = "a";
	world.fails = ER_SERVER_SHUTDOWN;
	ck_assert_int_eq(run("x"), -1);
	ck_assert_int_eq(ready(), 0);
	expect_did("do x;to c;to a;greet good;");
	/* each once, and as long as there is time */
	world.up = "";
	world.fails = ER_SERVER_SHUTDOWN;
	ck_assert_int_eq(run("x"), -1);
	world.takes_s = 1;
	ck_assert_int_eq(ready(), -1);
	expect_did("do x;to a;to b;to c;");
	world.now += 10;
	world.takes_s = MARIADB_LIMIT_S - 2;
	ck_assert_int_eq(ready(), -1);
	expect_did("to a;to b;");
	world.now += 10;
	world.takes_s = MARIADB_LIMIT_S;
	ck_assert_int_eq(ready(), -1);
	expect_did("to c;");
	end();
}
END_TEST

START_TEST(a_connection_that_was_idle_is_tried_before_it_is_used)
{
	begin_connected();
	world.now++;
	ck_assert_int_eq(ready(), 0);
	expect_did("");
	world.now += 2;
	ck_assert_int_eq(ready(), 0);
	expect_did("ping good;");
	world.now += 2;
	world.is_ping_bad = true;
	ck_assert_int_eq(mariadb_ask(db, "SELECT 1", NULL, &err), 0);
	ck_assert_int_eq(ready(), 0);
	expect_did("do SELECT 1;ping bad;to a;greet good;");
	ck_assert_int_eq(world.open, 1);
	end();
}
END_TEST

/* ---- failures -------------------------------------------------------------- */

START_TEST(what_is_about_the_server_can_be_tried_again_and_ends_the_connection)
{
	static const struct {
		unsigned int number;
		bool is_away, is_clash, is_missing;
	} table[] = {
		{ ER_CON_COUNT_ERROR, true, false, false },
		{ 1047, true, false, false }, /* of Galera */
		{ ER_SERVER_SHUTDOWN, true, false, false },
		{ ER_NORMAL_SHUTDOWN, true, false, false },
		{ ER_TOO_MANY_USER_CONNECTIONS, true, false, false },
		{ ER_HOST_IS_BLOCKED, true, false, false },
		{ ER_OPTION_PREVENTS_STATEMENT, true, false, false },
		{ ER_CONNECTION_KILLED, true, false, false },
		{ CR_MIN_ERROR, true, false, false },
		{ 2999, true, false, false },
		{ 5000, true, false, false },
		{ 1999, false, false, false },
		{ 3000, false, false, false },
		{ 4999, false, false, false },
		{ ER_PARSE_ERROR, false, false, false },
		{ ER_LOCK_DEADLOCK, false, true, false },
		{ ER_LOCK_WAIT_TIMEOUT, false, true, false },
		{ ER_DUP_ENTRY, false, true, false },
		{ ER_CHECKREAD, false, true, false },
		{ ER_NO_SUCH_TABLE, false, false, true },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		begin_connected();
		world.fails = table[i].number;
		ck_assert_int_eq(run("x"), -1);
		ck_assert_str_eq(err.text,
				 table[i].is_away
					 ? "store: MariaDB 'a': it said "
					   "no" LATER
					 : "store: MariaDB 'a': it said no");
		ck_assert_int_eq(mariadb_is_away(db), table[i].is_away);
		ck_assert_int_eq(mariadb_is_clash(db), table[i].is_clash);
		ck_assert_int_eq(mariadb_is_missing(db), table[i].is_missing);
		ck_assert_int_eq(world.open, !table[i].is_away);
		if (!table[i].is_away) {
			ck_assert_int_eq(run("x"), 3);
			ck_assert(!mariadb_is_clash(db));
		}
		end();
	}
}
END_TEST

/* ---- statements ------------------------------------------------------------ */

START_TEST(values_stand_where_their_numbers_are)
{
	const struct value values[] = {
		value_number(-5),	 value_known(-1),  value_known(0),
		value_real(0.1),	 value_text(NULL), value_text("a'"),
		value_bytes("b\0c", 3),	 value_text(""),   value_number(9),
		value_number(INT64_MIN),
	};
	size_t size;
	char *text;

	begin_connected();
	text = mariadb_text(db, "?10,?1,?2,?3,?4,?5,?6,?8 ?9?1", values, &size);
	ck_assert_str_eq(text, "-9223372036854775808,-5,NULL,0,"
			       "0.10000000000000001,NULL,'\\a\\'','' 9-5");
	ck_assert_uint_eq(size, strlen(text));
	free(text);
	text = mariadb_text(db, "?7", values, &size);
	ck_assert_uint_eq(size, 8);
	ck_assert_int_eq(memcmp(text, "'\\b\\\0\\c'", 9), 0);
	free(text);
	end();
}
END_TEST

START_TEST(rows_come_one_after_the_other_and_the_rest_is_dropped)
{
	int64_t id = 0;
	size_t size;

	begin_connected();
	ck_assert_int_eq(mariadb_row(db, &err), -1);
	ck_assert_str_eq(err.text, "store: MariaDB: no rows");
	ck_assert_int_eq(mariadb_ask(db, "SELECT 1", NULL, &err), 0);
	ck_assert_int_eq(mariadb_row(db, &err), 1);
	ck_assert_int_eq(mariadb_number(db, 0), 7);
	ck_assert_int_eq(mariadb_number(db, 1), 0);
	ck_assert_int_eq(mariadb_known(db, 0), 7);
	ck_assert_int_eq(mariadb_known(db, 1), RECORD_UNKNOWN);
	ck_assert_double_eq(mariadb_real(db, 2), 0.5);
	ck_assert_double_eq(mariadb_real(db, 1), 0);
	ck_assert_str_eq(mariadb_column(db, 3, &size), "abc");
	ck_assert_uint_eq(size, 3);
	ck_assert_ptr_null(mariadb_column(db, 1, NULL));
	ck_assert_int_eq(mariadb_row(db, &err), 1);
	ck_assert_int_eq(mariadb_number(db, 0), -1);
	ck_assert_int_eq(mariadb_number(db, 1), 98);
	ck_assert_int_eq(mariadb_known(db, 1), 98);
	ck_assert_int_eq(mariadb_row(db, &err), 0);
	ck_assert_int_eq(world.results, 0);
	/* the rest is dropped before the next statement */
	ck_assert_int_eq(mariadb_ask(db, "SELECT 1", NULL, &err), 0);
	ck_assert_int_eq(mariadb_row(db, &err), 1);
	ck_assert_int_eq(mariadb_run(db, "x", 1, &id, &err), 3);
	ck_assert_int_eq(id, 42);
	/* or it broke off */
	world.row_fails = ER_QUERY_INTERRUPTED;
	ck_assert_int_eq(mariadb_ask(db, "SELECT 1", NULL, &err), 0);
	ck_assert_int_eq(mariadb_row(db, &err), 1);
	ck_assert_int_eq(mariadb_row(db, &err), 1);
	ck_assert_int_eq(mariadb_row(db, &err), -1);
	ck_assert_str_eq(err.text, "store: MariaDB 'a': it said no");
	end();
}
END_TEST

UNIT_MAIN("mariadb",
	  each_server_is_asked_with_limits_and_the_schema_is_made_once,
	  with_a_ca_only_its_servers_are_spoken_to,
	  the_password_is_the_first_line_of_a_file_that_nobody_else_reads,
	  servers_that_cannot_hold_records_are_told_what_they_lack,
	  a_session_that_cannot_be_set_up_is_not_used,
	  who_is_away_is_asked_less_and_less_often_and_all_are_told_why,
	  the_next_server_takes_over_and_stays_as_long_as_it_works,
	  a_connection_that_was_idle_is_tried_before_it_is_used,
	  what_is_about_the_server_can_be_tried_again_and_ends_the_connection,
	  values_stand_where_their_numbers_are,
	  rows_come_one_after_the_other_and_the_rest_is_dropped)
