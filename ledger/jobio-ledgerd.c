/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-ledgerd - store the records of all jobs, write their summaries
 *
 * Two processes: the server receives and stores records and replies to queries;
 * its child, the writer, merges complete runs and writes them to slurmdbd. They
 * share the store; a pipe wakes the writer, and is closed when the server ends.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "base/err.h"
#include "base/fileio.h"
#include "ledger/acct.h"
#include "ledger/metrics.h"
#include "ledger/nodelay.h"
#include "ledger/merge.h"
#include "ledger/server.h"
#include "ledger/service.h"
#include "ledger/store.h"
#include "ledger/writer.h"
#include "link/credential.h"
#include "record/alloc.h"

#define FILES_MAX 4096
#define RESTART_MAX_S 60
#define STABLE_S 300 /* a writer that ran this long resets the delay */
#define WRITER_FD 3
#define METRICS_FD 4
#define METRICS_FILE_S 15
#define CHECK_LIMIT_MS 20000
#define CALIBRATION_LIMIT_MS 5000

struct ledger {
	const struct config *config;
	struct event *child, *restart, *metrics_timer;
	struct metrics *metrics;
	bool metrics_file_fails; /* and this was logged */
	struct store *store;
	int metrics_fd;
	pid_t writer;
	int wake_fd; /* pipe to the writer; -1: it does not run */
	time_t started;
	unsigned int restart_s;
};

static void log_line(const char *text)
{
	fprintf(stderr, "jobio: ledger: %s\n", text);
}

/* ---- calibration ------------------------------------------------------------ */

/* Values measured by jobio calibrate apply to --site as they do to a report. */
static int read_calibration(void *arg)
{
	struct config *config = arg;
	struct err err = { "" };

	if (config_calibrate(config, &err) < 0) {
		fputs(err.text, stderr);
		return 1;
	}
	return fwrite(&config->advice, sizeof(config->advice), 1, stdout) != 1 || fflush(stdout);
}

/* The file may be on a filesystem that hangs: it is read in a child with a timeout. */
static int calibrate(struct config *config, struct err *err)
{
	struct child_result child;
	int rc = 0;

	if (!*config->calibration)
		return 0;
	if (child_call(config->calibration, read_calibration, config, CALIBRATION_LIMIT_MS, &child,
		       err) < 0)
		return -1;
	if (child.status || child.out_bytes != sizeof(config->advice))
		rc = err_set(err, "%s", child.errtext);
	else
		memcpy(&config->advice, child.out, sizeof(config->advice));
	child_result_free(&child);
	return rc;
}

/* ---- the writer ---------------------------------------------------------- */

static int writer_main(struct config *all, int wake_fd)
{
	const struct config_ledger *config = &all->ledger;
	struct writer writer = { .config = config, .advice = &all->advice };
	struct acct *acct = NULL;
	struct err err = { "" };
	int rc = 1;

	nodelay_set(true);
	if (calibrate(all, &err) < 0) {
		log_line(err.text);
		log_line("[advice] calibration is not used");
	}
	writer.metrics = metrics_attach(METRICS_FD, &err);
	/* the server creates the file, the writer never does */
	if (strcmp(config->store, CONFIG_MARIADB) != 0 && access(config->store, F_OK) < 0)
		err_set(&err, "store: '%s': %s", config->store, strerror(errno));
	else if (writer.metrics)
		writer.store = store_open(config, &err);
	if (!writer.store)
		goto out;
	acct = acct_new();
	writer.acct.write = acct_write;
	writer.acct.operators = acct_operators;
	writer.acct.acct = acct;
	if (writer_run(&writer, wake_fd, &err) == 0)
		rc = 0;
out:
	if (rc)
		log_line(err.text);
	acct_free(acct);
	store_close(writer.store);
	metrics_free(writer.metrics);
	return rc;
}

/* Execute a new program: the writer must not inherit the peers' sockets or the server's connection
 * to the store. */
static void writer_exec(const char *file, int wake_fd, int metrics_fd)
{
	char option[300];
	char *argv[] = { (char *)"jobio-ledgerd", (char *)"--writer", option, NULL };

	snprintf(option, sizeof(option), "--conf=%s", file);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* move both above the descriptors to be set */
	wake_fd = fcntl(wake_fd, F_DUPFD_CLOEXEC, METRICS_FD + 1);
	metrics_fd = fcntl(metrics_fd, F_DUPFD_CLOEXEC, METRICS_FD + 1);
	if (dup2(wake_fd, WRITER_FD) >= 0 && dup2(metrics_fd, METRICS_FD) >= 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

static int writer_start(struct ledger *ledger, struct err *err)
{
	int wake[2];
	pid_t pid;

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(err, "writer: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		writer_exec(ledger->config->file, wake[0], ledger->metrics_fd);
	close(wake[0]);
	if (pid < 0) {
		close(wake[1]);
		return err_set(err, "writer: %s", strerror(errno));
	}
	ledger->writer = pid;
	ledger->wake_fd = wake[1];
	ledger->started = time(NULL);
	metrics_count(&ledger->metrics->writer_starts);
	return 0;
}

/* ---- the server ---------------------------------------------------------- */

static void writer_wake(void *arg)
{
	struct ledger *ledger = arg;
	ssize_t n;

	if (ledger->wake_fd >= 0) {
		n = write(ledger->wake_fd, "", 1);
		(void)n; /* full: a wake-up is pending */
	}
}

static void writer_stop(struct ledger *ledger)
{
	if (ledger->wake_fd >= 0)
		close(ledger->wake_fd);
	if (ledger->writer > 0) {
		kill(ledger->writer, SIGKILL); /* safe for the store */
		waitpid(ledger->writer, NULL, 0);
	}
}

static void on_restart(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *ledger = arg;
	struct timeval later = { RESTART_MAX_S, 0 };
	struct err err;

	(void)fd;
	(void)what;
	if (writer_start(ledger, &err) == 0)
		return;
	log_line(err.text);
	event_add(ledger->restart, &later);
}

static void on_child(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *ledger = arg;
	struct timeval later = { 0, 0 };
	int status;

	(void)fd;
	(void)what;
	if (ledger->writer <= 0 || waitpid(ledger->writer, &status, WNOHANG) != ledger->writer)
		return;
	close(ledger->wake_fd);
	ledger->wake_fd = -1;
	ledger->writer = 0;
	if (time(NULL) - ledger->started > STABLE_S)
		ledger->restart_s = 0;
	ledger->restart_s = ledger->restart_s ? 2 * ledger->restart_s : 1;
	if (ledger->restart_s > RESTART_MAX_S)
		ledger->restart_s = RESTART_MAX_S;
	fprintf(stderr, "jobio: ledger: writer: ended (%s %d): starting it again in %u s\n",
		WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), ledger->restart_s);
	later.tv_sec = ledger->restart_s;
	event_add(ledger->restart, &later);
}

static int find_uid(const char *name, uid_t *uid, struct err *err)
{
	struct passwd *pw = getpwnam(name);

	if (!pw)
		return err_set(err, "[ledger] user: '%s': no such user", name);
	*uid = pw->pw_uid;
	return 0;
}

static int check_user(const struct config_ledger *config, struct err *err)
{
	uid_t uid = 0;

	if (find_uid(config->user, &uid, err) < 0)
		return -1;
	if (geteuid() != uid)
		return err_set(
			err, "[ledger] user: '%s': the ledger must run as this user, not as uid %u",
			config->user, (unsigned int)geteuid());
	return 0;
}

static void raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES_MAX) {
		limit.rlim_cur = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int watch_writer(struct ledger *ledger, struct event_base *base, struct err *err)
{
	ledger->child = xneed(evsignal_new(base, SIGCHLD, on_child, ledger));
	ledger->restart = xneed(evtimer_new(base, on_restart, ledger));
	event_add(ledger->child, NULL);
	return writer_start(ledger, err);
}

/* ---- metrics_file ---------------------------------------------------------- */

static void on_metrics(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *ledger = arg;
	const struct config_ledger *config = &ledger->config->ledger;
	struct err err = { "" };
	char *text = metrics_text(ledger->metrics, ledger->store, config->store, time(NULL), &err);
	bool fails = !text || fileio_write_volatile(config->metrics_file, text, strlen(text), 0644,
						    &err) < 0;

	(void)fd;
	(void)what;
	free(text);
	if (fails && !ledger->metrics_file_fails)
		fprintf(stderr, "jobio: ledger: metrics_file: %s\n", err.text);
	if (!fails && ledger->metrics_file_fails)
		fprintf(stderr, "jobio: ledger: metrics_file: '%s': works again\n",
			config->metrics_file);
	ledger->metrics_file_fails = fails;
}

static void start_metrics(struct ledger *ledger, struct event_base *base)
{
	struct timeval often = { METRICS_FILE_S, 0 };

	if (!*ledger->config->ledger.metrics_file)
		return;
	ledger->metrics_timer = xneed(event_new(base, -1, EV_PERSIST, on_metrics, ledger));
	event_add(ledger->metrics_timer, &often);
	on_metrics(-1, 0, ledger);
}

/* ---- server process ---------------------------------------------------------- */

/* Objects that exist as long as the server. */
struct parts {
	struct service service;
	struct server *server;
	struct credential_ctx *munge;
};

static int open_store(struct ledger *ledger, struct service *service, struct err *err)
{
	ledger->metrics = metrics_new(&ledger->metrics_fd, err);
	if (!ledger->metrics)
		return -1;
	ledger->metrics->started_s = time(NULL);
	*err->text = 0;
	ledger->store = store_open(&ledger->config->ledger, err);
	if (ledger->store && *err->text)
		log_line(err->text); /* not reachable: records stay on the nodes */
	service->metrics = ledger->metrics;
	service->store = ledger->store;
	return ledger->store ? 0 : -1;
}

static int open_server(struct ledger *ledger, struct parts *parts, struct err *err)
{
	const struct config_ledger *config = &ledger->config->ledger;

	parts->munge = credential_ctx_new(config->munge_socket, err);
	if (!parts->munge)
		return -1;
	parts->server = server_new(config, &parts->service, parts->munge, writer_wake, ledger, err);
	if (!parts->server)
		return -1;
	start_metrics(ledger, server_base(parts->server));
	return 0;
}

static void close_all(struct ledger *ledger, struct parts *parts)
{
	writer_stop(ledger);
	if (ledger->child)
		event_free(ledger->child);
	if (ledger->restart)
		event_free(ledger->restart);
	if (ledger->metrics_timer)
		event_free(ledger->metrics_timer);
	server_free(parts->server);
	credential_ctx_free(parts->munge);
	store_close(ledger->store);
	metrics_free(ledger->metrics);
	if (ledger->metrics_fd >= 0)
		close(ledger->metrics_fd);
}

static int serve(struct config *config, struct err *err)
{
	struct ledger ledger = { .config = config, .wake_fd = -1, .metrics_fd = -1 };
	struct parts parts = { .service = { .config = &config->ledger,
					    .advice = &config->advice,
					    .ledger_uid = geteuid() } };
	int rc = -1;

	signal(SIGPIPE, SIG_IGN);
	raise_limits();
	(void)calibrate(config, err); /* the writer logs the error */
	if (open_store(&ledger, &parts.service, err) < 0 || open_server(&ledger, &parts, err) < 0 ||
	    watch_writer(&ledger, server_base(parts.server), err) < 0)
		goto out;
	log_line("ready");
	rc = server_run(parts.server, err);
	log_line("stopped");
out:
	close_all(&ledger, &parts);
	return rc;
}

/* ---- jobio-ledgerd --check ----------------------------------------------- */

static int check_munge(const struct config_ledger *config, struct err *err)
{
	return credential_check(config->munge_socket, err);
}

static int check_store(const struct config_ledger *config, struct err *err)
{
	struct store *store = store_open(config, err);

	store_close(store);
	return store && !*err->text ? 0 : -1;
}

static int check_metrics(const struct config_ledger *config, struct err *err)
{
	char folder[PATH_MAX];

	if (!*config->metrics_file)
		return 0;
	snprintf(folder, sizeof(folder), "%s", config->metrics_file);
	*(strrchr(folder, '/') + 1) = 0;
	if (access(folder, W_OK | X_OK) == 0)
		return 0;
	return err_set(err, "[ledger] metrics_file: '%s': its folder: %s", config->metrics_file,
		       strerror(errno));
}

/* In a child: libslurm exits if slurm.conf cannot be read. */
static int test_slurmdbd(void *arg)
{
	struct err err = { "" };
	struct acct *acct = acct_new();
	int rc = acct_write(acct, NULL, 0, &err);

	(void)arg;
	if (rc < 0)
		puts(err.text);
	acct_free(acct);
	return fflush(stdout) || rc < 0 ? 1 : 0;
}

static int check_slurmdbd(const struct config_ledger *config, struct err *err)
{
	struct child_result result = { 0 };
	int rc = 0;

	(void)config;
	if (child_call("slurmdbd", test_slurmdbd, NULL, CHECK_LIMIT_MS, &result, err) < 0)
		return -1;
	if (result.status) {
		result.out[strcspn(result.out, "\n")] = 0;
		rc = err_set(err, "%s",
			     *result.out ? result.out
					 : "slurmdbd: libslurm gave up: is slurm.conf readable?");
	}
	child_result_free(&result);
	return rc;
}

static int check_all(struct config *config)
{
	static const struct {
		const char *name;
		int (*check)(const struct config_ledger *config, struct err *err);
	} checks[] = {
		{ "user", check_user },		{ "munge", check_munge },
		{ "store", check_store },	{ "metrics", check_metrics },
		{ "slurmdbd", check_slurmdbd },
	};
	struct err err;
	size_t i;
	int failed = 0;

	printf("configuration: ok: %s\n", config->file);
	for (i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
		*err.text = 0;
		if (checks[i].check(&config->ledger, &err) == 0) {
			printf("%s: ok%s%s\n", checks[i].name, *err.text ? ": " : "", err.text);
			continue;
		}
		printf("%s: FAILED: %s\n", checks[i].name, err.text);
		failed = 1;
	}
	if (calibrate(config, &err) < 0) {
		printf("calibration: FAILED: %s\n", err.text);
		failed = 1;
	} else if (*config->calibration) {
		printf("calibration: ok: %s\n", config->calibration);
	}
	return failed;
}

/* ---- main ---------------------------------------------------------------- */

struct arguments {
	const char *conf;
	bool check, judge, writer, version;
};

static const struct command_line line = {
	.program = "jobio-ledgerd",
	.usage = "usage: jobio-ledgerd [--check|--judge] [--conf=FILE]\n"
		 "Stores the records of all jobs and writes their summaries into slurmdbd.\n"
		 "  --check      try everything that it needs, then exit\n"
		 "  --judge      print summary and advice of the records on stdin, then exit\n"
		 "  --conf=FILE  instead of " JOBIO_CONF "\n",
	.usage_status = COMMAND_USAGE,
	.table =
		(const struct command_option[]){
			COMMAND_TEXT("conf", struct arguments, conf),
			COMMAND_FLAG("check", struct arguments, check),
			COMMAND_FLAG("judge", struct arguments, judge),
			COMMAND_FLAG("version", struct arguments, version),
			COMMAND_FLAG("writer", struct arguments, writer), /* internal */
			{ 0 } },
};

static int run(const struct arguments *arguments)
{
	struct err err = { "" };
	struct config *config = config_load(arguments->conf, &err);
	int rc = 1;

	if (!config)
		goto out;
	if (arguments->check)
		rc = check_all(config);
	else if (arguments->judge)
		rc = calibrate(config, &err) < 0 ||
		     merge_stream(stdin, stdout, &config->advice, &err) < 0;
	else if (arguments->writer)
		rc = writer_main(config, WRITER_FD);
	else if (check_user(&config->ledger, &err) == 0 && serve(config, &err) == 0)
		rc = 0;
out:
	if (rc && *err.text)
		log_line(err.text);
	config_free(config);
	return rc;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	if (!arguments.version)
		return run(&arguments);
	puts("jobio-ledgerd " JOBIO_PACKAGE_VERSION);
	return 0;
}
