/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/mariadb.h"

#include <errmsg.h>
#include <errno.h>
#include <fcntl.h>
#include <mysql.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/config_query.h"
#include "record/alloc.h"
#include "record/record.h"

#define PASSWORD_MAX 256
#define PACKET_MIN (4U << 20)
#define NUMBER_ROOM 32
#define IDLE_S 1	  /* after this, ping the server first */
#define ER_NOT_READY 1047 /* Galera node without its cluster: ER_UNKNOWN_COM_ERROR */

struct mariadb {
	const struct config_ledger *config;
	MYSQL *mysql; /* NULL: not connected */
	MYSQL_RES *rows;
	MYSQL_ROW row;
	unsigned long *sizes;
	unsigned int number; /* of the last failure; 0: not from MariaDB */
	bool is_unavailable;
	struct err why; /* reason, returned to all callers until not_before */
	unsigned int failures;
	time_t not_before, used;
	size_t host; /* index in storage_host to try first */
};

static time_t now_mono(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/* ---- failures ------------------------------------------------------------ */

void mariadb_end(struct mariadb *db)
{
	if (db->rows)
		mysql_free_result(db->rows);
	db->rows = NULL;
	db->row = NULL;
}

static void disconnect(struct mariadb *db)
{
	mariadb_end(db);
	if (db->mysql)
		mysql_close(db->mysql);
	db->mysql = NULL;
}

/* Return true if the server is the cause, not the statement: it may work elsewhere, or later. */
static bool is_about_server(unsigned int number)
{
	switch (number) {
	case ER_CON_COUNT_ERROR:
	case ER_NOT_READY:
	case ER_SERVER_SHUTDOWN:
	case ER_NORMAL_SHUTDOWN:
	case ER_TOO_MANY_USER_CONNECTIONS:
	case ER_HOST_IS_BLOCKED:
	case ER_OPTION_PREVENTS_STATEMENT: /* read_only */
	case ER_CONNECTION_KILLED:
		return true;
	default: /* errors of the client library: 2000 to 2999, 5000 .. */
		return (number >= CR_MIN_ERROR && number < 3000) || number >= 5000;
	}
}

static const char *host_at(const struct mariadb *db, size_t at, char host[CONFIG_WORD_MAX])
{
	return config_word(db->config->storage_host, at, host) ? host : NULL;
}

static int fail(struct mariadb *db, MYSQL *mysql, struct err *err)
{
	char host[CONFIG_WORD_MAX];
	struct err why;

	db->number = mysql_errno(mysql);
	db->is_unavailable = is_about_server(db->number);
	err_set(&why, "store: MariaDB '%s': %.200s%s",
		host_at(db, db->host, host) ? host : "localhost", mysql_error(mysql),
		db->is_unavailable ? ": try again later" : "");
	if (db->is_unavailable) {
		disconnect(db);
		db->why = why;
	}
	return err_set(err, "%s", why.text);
}

bool mariadb_is_unavailable(const struct mariadb *db)
{
	return db->is_unavailable;
}

bool mariadb_is_clash(const struct mariadb *db)
{
	return db->number == ER_LOCK_DEADLOCK || db->number == ER_LOCK_WAIT_TIMEOUT ||
	       db->number == ER_DUP_ENTRY || db->number == ER_CHECKREAD;
}

bool mariadb_is_missing(const struct mariadb *db)
{
	return db->number == ER_NO_SUCH_TABLE;
}

/* ---- the password -------------------------------------------------------- */

static int check_password_file(const char *path, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, "'%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, "'%s': not a regular file", path);
	if (st.st_uid != geteuid())
		return err_set(
			err, "'%s': belongs to uid %u: it must belong to the ledger's user, uid %u",
			path, (unsigned int)st.st_uid, (unsigned int)geteuid());
	if (st.st_mode & 077)
		return err_set(err, "'%s': mode %04o: others may read it: chmod 600", path,
			       (unsigned int)(st.st_mode & 07777));
	return 0;
}

/* Read the first line of the file. */
static int read_password(const char *path, char password[PASSWORD_MAX], struct err *err)
{
	int fd, rc = -1;
	ssize_t size;

	*password = 0;
	if (!*path)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		err_set(err, "'%s': %s", path, strerror(errno));
		goto out;
	}
	if (check_password_file(path, fd, err) < 0)
		goto out;
	size = read(fd, password, PASSWORD_MAX - 1);
	password[size > 0 ? size : 0] = 0;
	password[strcspn(password, "\n")] = 0;
	rc = *password ? 0 : err_set(err, "'%s': no password in it", path);
out:
	if (fd >= 0)
		close(fd);
	return rc < 0 ? err_prefix(err, "store: [ledger] storage_pass_file") : 0;
}

/* ---- connect ------------------------------------------------------------- */

static MYSQL *prepare(const struct config_ledger *config)
{
	static const unsigned int connect_s = MARIADB_CONNECT_S, limit_s = MARIADB_LIMIT_S, no = 0;
	static const my_bool yes = 1;
	MYSQL *mysql = xneed(mysql_init(NULL));

	mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s);
	mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &limit_s);
	mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &limit_s);
	mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "binary");
	/* a server must not request files of this host */
	mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &no);
	if (*config->storage_ca) {
		mysql_ssl_set(mysql, NULL, NULL, config->storage_ca, NULL, NULL);
		mysql_options(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
		mysql_options(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
	}
	return mysql;
}

static int run_all(MYSQL *mysql, const char *const *texts)
{
	for (; *texts; texts++)
		if (mysql_query(mysql, *texts))
			return -1;
	return 0;
}

/* Select the schema; create it if the server has none of that name. mysql_real_connect() could
 * select it, but would then need a new handle: one that failed to connect has lost its timeouts
 * (libmariadb 3.3). */
static int log_in(struct mariadb *db, MYSQL *mysql, const char *host, const char *password)
{
	const struct config_ledger *config = db->config;
	const char *socket = *host == '/' ? host : NULL;
	char create[160];

	if (!mysql_real_connect(mysql, socket ? NULL : host, config->storage_user, password, NULL,
				config->storage_port, socket, 0))
		return -1;
	if (mysql_select_db(mysql, config->storage_loc) == 0)
		return 0;
	if (mysql_errno(mysql) != ER_BAD_DB_ERROR)
		return -1;
	snprintf(create, sizeof(create), "CREATE DATABASE IF NOT EXISTS `%s` CHARACTER SET binary",
		 config->storage_loc);
	return mysql_query(mysql, create) || mysql_select_db(mysql, config->storage_loc) ? -1 : 0;
}

/* Refuse settings of the server that the ledger cannot work with. */
static int check_server(struct mariadb *db, struct err *err)
{
	static const char sql[] =
		"SELECT @@max_allowed_packet, @@log_bin AND @@binlog_format='STATEMENT'";
	int64_t packet;
	bool by_statement;

	if (mariadb_query(db, sql, NULL, err) < 0 || mariadb_row(db, err) < 0)
		return -1;
	packet = mariadb_number(db, 0);
	by_statement = mariadb_number(db, 1);
	mariadb_end(db);
	if (packet < PACKET_MIN)
		return err_set(err,
			       "store: MariaDB: max_allowed_packet is %lld: at least %u is needed",
			       (long long)packet, PACKET_MIN);
	if (by_statement)
		return err_set(
			err, "store: MariaDB: binlog_format is STATEMENT: MIXED or ROW is needed");
	return 0;
}

static int set_up(struct mariadb *db, mariadb_on_connect on_connect, void *arg, struct err *err)
{
	static const char *const session[] = {
		"SET SESSION sql_mode='STRICT_ALL_TABLES', autocommit=1",
		"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", NULL
	};
	char wait[80];

	if (run_all(db->mysql, session))
		return fail(db, db->mysql, err);
	snprintf(wait, sizeof(wait), "SET SESSION innodb_lock_wait_timeout=%d", MARIADB_LOCK_S);
	if (mysql_query(db->mysql, wait))
		return fail(db, db->mysql, err);
	if (check_server(db, err) < 0)
		return -1;
	return on_connect(arg, err);
}

static int connect_one(struct mariadb *db, const char *host, mariadb_on_connect on_connect,
		       void *arg, struct err *err)
{
	char password[PASSWORD_MAX];
	MYSQL *mysql;
	int rc;

	if (read_password(db->config->storage_pass_file, password, err) < 0) {
		db->number = 0;
		db->is_unavailable = false;
		return -1;
	}
	mysql = prepare(db->config);
	rc = log_in(db, mysql, host, password);
	explicit_bzero(password, sizeof(password));
	if (rc < 0) {
		fail(db, mysql, err);
		mysql_close(mysql);
		return -1;
	}
	db->mysql = mysql;
	if (set_up(db, on_connect, arg, err) == 0)
		return 0;
	disconnect(db);
	return -1;
}

static int delay_retry(struct mariadb *db, const struct err *why)
{
	unsigned int wait_s = db->failures > 4 ? MARIADB_RETRY_MAX_S : 1U << db->failures;

	db->failures++;
	db->not_before = now_mono() + wait_s;
	db->why = *why;
	return -1;
}

/* Try each server once, the last that worked first, within the time limit. */
static int connect_any(struct mariadb *db, mariadb_on_connect on_connect, void *arg,
		       struct err *err)
{
	time_t until = now_mono() + MARIADB_LIMIT_S;
	struct err why = { "" };
	char host[CONFIG_WORD_MAX];
	size_t tried, count = 0;

	while (host_at(db, count, host))
		count++;
	for (tried = 0; tried < count; tried++) {
		if (!host_at(db, db->host, host))
			break;
		if (connect_one(db, host, on_connect, arg, &why) == 0) {
			db->failures = 0;
			return 0;
		}
		db->host = (db->host + 1) % count;
		if (now_mono() >= until)
			break;
	}
	if (!count)
		err_set(&why, "store: [ledger] storage_host: is empty");
	err_set(err, "%s", why.text);
	return delay_retry(db, &why);
}

int mariadb_ready(struct mariadb *db, mariadb_on_connect on_connect, void *arg, struct err *err)
{
	time_t now = now_mono();

	if (db->mysql && now - db->used > IDLE_S) {
		mariadb_end(db);
		if (mysql_ping(db->mysql))
			disconnect(db);
	}
	db->used = now;
	if (db->mysql)
		return 0;
	if (now < db->not_before)
		return err_set(err, "%s", db->why.text);
	return connect_any(db, on_connect, arg, err);
}

struct mariadb *mariadb_new(const struct config_ledger *config)
{
	struct mariadb *db = xcalloc(1, sizeof(*db));

	db->config = config;
	return db;
}

void mariadb_free(struct mariadb *db)
{
	if (!db)
		return;
	disconnect(db);
	free(db);
}

/* ---- statements ---------------------------------------------------------- */

static size_t put_value(struct mariadb *db, const struct value *value, char *to)
{
	size_t size;

	switch (value->kind) {
	case VALUE_NUMBER:
		return (size_t)sprintf(to, "%lld", (long long)value->number);
	case VALUE_REAL:
		return (size_t)sprintf(to, "%.17g", value->real);
	case VALUE_BYTES:
		*to++ = '\'';
		size = mysql_real_escape_string(db->mysql, to, value->bytes, value->size);
		to[size] = '\'';
		return size + 2;
	case VALUE_NULL:
		break;
	}
	strcpy(to, "NULL");
	return 4;
}

/* Return the value of the placeholder at 'from', "?12", and set *end behind it; NULL: not a
 * placeholder. */
static const struct value *value_at(const struct value *values, const char *from, const char **end)
{
	char *after;
	unsigned long number;

	if (*from != '?')
		return NULL;
	number = strtoul(from + 1, &after, 10);
	*end = after;
	return &values[number - 1];
}

char *mariadb_text(struct mariadb *db, const char *sql, const struct value *values, size_t *size,
		   struct err *err)
{
	const struct value *value;
	const char *from, *next;
	size_t room = strlen(sql) + 1;
	char *text, *to;

	for (from = sql; *from; from = next) {
		next = from + 1;
		value = value_at(values, from, &next);
		if (value)
			room += value->kind == VALUE_BYTES ? 2 * value->size + 3 : NUMBER_ROOM;
	}
	if (!db->mysql) {
		err_set(err, "%s", db->why.text);
		return NULL;
	}
	text = xneed(malloc(room));
	for (from = sql, to = text; *from; from = next) {
		next = from + 1;
		value = value_at(values, from, &next);
		if (value)
			to += put_value(db, value, to);
		else
			*to++ = *from;
	}
	*to = 0;
	*size = (size_t)(to - text);
	return text;
}

static int send_text(struct mariadb *db, const char *text, size_t size, struct err *err)
{
	mariadb_end(db);
	if (!db->mysql)
		return err_set(err, "%s", db->why.text);
	db->number = 0;
	db->is_unavailable = false;
	if (mysql_real_query(db->mysql, text, size))
		return fail(db, db->mysql, err);
	return 0;
}

int64_t mariadb_run(struct mariadb *db, const char *text, size_t size, int64_t *id, struct err *err)
{
	if (send_text(db, text, size, err) < 0)
		return -1;
	if (id)
		*id = (int64_t)mysql_insert_id(db->mysql);
	return (int64_t)mysql_affected_rows(db->mysql);
}

int mariadb_query(struct mariadb *db, const char *sql, const struct value *values, struct err *err)
{
	size_t size;
	char *text = mariadb_text(db, sql, values, &size, err);
	int rc;

	if (!text)
		return -1;
	rc = send_text(db, text, size, err);
	free(text);
	if (rc < 0)
		return -1;
	db->rows = mysql_use_result(db->mysql);
	return db->rows ? 0 : fail(db, db->mysql, err);
}

int mariadb_row(struct mariadb *db, struct err *err)
{
	if (!db->rows)
		return err_set(err, "store: MariaDB: no rows");
	db->row = mysql_fetch_row(db->rows);
	if (db->row) {
		db->sizes = mysql_fetch_lengths(db->rows);
		return 1;
	}
	if (mysql_errno(db->mysql))
		return fail(db, db->mysql, err);
	mariadb_end(db);
	return 0;
}

/* ---- columns ------------------------------------------------------------- */

const char *mariadb_column(const struct mariadb *db, int column, size_t *size)
{
	if (size)
		*size = db->sizes[column];
	return db->row[column];
}

int64_t mariadb_number(const struct mariadb *db, int column)
{
	return db->row[column] ? strtoll(db->row[column], NULL, 10) : RECORD_UNKNOWN;
}

double mariadb_real(const struct mariadb *db, int column)
{
	return db->row[column] ? strtod(db->row[column], NULL) : 0;
}
