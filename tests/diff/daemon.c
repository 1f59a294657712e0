/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/diff/daemon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

#define LOG_MAX (1U << 20)

static int write_conf(const struct daemon_start *start, const char *path, struct err *err)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return err_set(err, "%s: %s", path, strerror(errno));
	fprintf(out,
		"ClusterName=diff\nSlurmctldHost=localhost\n"
		"AuthType=auth/none\nCredType=cred/none\n"
		"SlurmUser=root\nSlurmdUser=root\n"
		"SlurmdSpoolDir=%s/spool\nSlurmdPidFile=%s/slurmd.pid\n"
		"StateSaveLocation=%s\nSlurmctldPort=1\nSlurmdPort=0\n"
		"TaskPlugin=task/none\nProctrackType=proctrack/linuxproc\n"
		"JobAcctGatherType=jobacct_gather/none\n"
		"SelectType=select/cons_tres\nMpiDefault=none\n"
		"SchedulerParameters=%s\n",
		start->folder, start->folder, start->folder,
		start->spec_cores_first ? "spec_cores_first" : "defer");
	if (*start->slurmd_parameters)
		fprintf(out, "SlurmdParameters=%s\n", start->slurmd_parameters);
	fprintf(out, "NodeName=vm %s\n", start->node_line);
	return fclose(out) == 0 ? 0 : err_set(err, "%s: cannot write", path);
}

static void become_slurmd(const struct daemon_start *start, const char *conf, int to)
{
	char xml[1200], preload[1200];
	char *env[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", xml, preload, NULL };

	snprintf(xml, sizeof(xml), "HWLOC_XMLFILE=%s", start->xml);
	snprintf(preload, sizeof(preload), "LD_PRELOAD=%s", start->preload);
	setpgid(0, 0);
	if (dup2(to, 1) < 0 || dup2(to, 2) < 0)
		_exit(127);
	execle(start->slurmd, "slurmd", "-D", "-vvvvv", "-N", "vm", "-f", conf, (char *)NULL, env);
	_exit(127);
}

/* The log has a final line about specialized cores, or a fatal error. */
static bool is_done(const char *log)
{
	return strstr(log, "Reserved machine CPU IDs: ") ||
	       strstr(log, "core specialization disabled") ||
	       strstr(log, "No specialized cores configured") || strstr(log, "fatal: ");
}

static int collect(int from, unsigned int timeout_ms, char *log, struct err *err)
{
	unsigned long long end = child_now_ms() + timeout_ms;
	size_t used = 0;

	for (;;) {
		struct pollfd poll_fd = { .fd = from, .events = POLLIN };
		unsigned long long now = child_now_ms();
		ssize_t got;

		if (now >= end)
			return err_set(err, "slurmd: nothing in %u ms: %.200s", timeout_ms, log);
		if (poll(&poll_fd, 1, (int)(end - now)) <= 0)
			continue;
		got = read(from, log + used, LOG_MAX - 1 - used);
		if (got <= 0)
			return is_done(log) ? 0 : err_set(err, "slurmd ended: %.300s", log);
		used += (size_t)got;
		log[used] = '\0';
		/* complete lines only */
		if (log[used - 1] == '\n' && is_done(log))
			return 0;
	}
}

static char *after(const char *log, const char *label)
{
	const char *at = strstr(log, label);

	if (!at)
		return strdup("");
	at += strlen(label);
	return strndup(at, strcspn(at, "\n"));
}

static void read_log(struct daemon_said *said)
{
	struct core_map_shape *shape = &said->shape;
	const char *at = strstr(said->log, "CPUs:");
	/*
	 * slurmd logs this twice; the second time it uses the cache in its
	 * spool, without the CPUs that it may not use. Reservations use the
	 * first (conf->block_map).
	 */
	const char *again = at ? strstr(at + 1, "CPUs:") : NULL;

	said->has_shape =
		at && sscanf(at, "CPUs:%u Boards:%u Sockets:%u CoresPerSocket:%u ThreadsPerCore:%u",
			     &shape->cpus, &shape->boards, &shape->sockets, &shape->cores,
			     &shape->threads) == 5;
	for (size_t i = 0; i < sizeof(said->block) / sizeof(int); i++)
		said->block[i] = -1;
	for (at = said->log; (at = strstr(at, "CPU map[")) && (!again || at < again); at++) {
		int abs_cpu, os_cpu;

		if (sscanf(at, "CPU map[%d]=>%d", &abs_cpu, &os_cpu) == 2 && abs_cpu >= 0 &&
		    abs_cpu < 8192)
			said->block[abs_cpu] = os_cpu;
	}
	said->abs_cpus = after(said->log, "Reserved abstract CPU IDs: ");
	said->os_cpus = after(said->log, "Reserved machine CPU IDs: ");
	said->disabled = strstr(said->log, "core specialization disabled");
	said->fatal = strstr(said->log, "fatal: ");
}

static int run(const struct daemon_start *start, const char *conf, struct daemon_said *said,
	       struct err *err)
{
	int pipe_fd[2], rc;
	pid_t pid;

	said->log = calloc(1, LOG_MAX);
	if (!said->log || pipe(pipe_fd) < 0)
		return err_set(err, "slurmd: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		become_slurmd(start, conf, pipe_fd[1]);
	close(pipe_fd[1]);
	if (pid < 0) {
		close(pipe_fd[0]);
		return err_set(err, "slurmd: cannot fork");
	}
	rc = collect(pipe_fd[0], start->timeout_ms, said->log, err);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pipe_fd[0]);
	return rc;
}

int daemon_run(const struct daemon_start *start, struct daemon_said *said, struct err *err)
{
	char conf[1024], spool[1024], cache[1100];

	memset(said, 0, sizeof(*said));
	snprintf(conf, sizeof(conf), "%s/slurm.conf", start->folder);
	snprintf(spool, sizeof(spool), "%s/spool", start->folder);
	snprintf(cache, sizeof(cache), "%s/hwloc_topo_whole.xml", spool);
	unlink(cache); /* slurmd up to 24.11 may use this cache */
	if (mkdir(spool, 0755) < 0 && errno != EEXIST)
		return err_set(err, "%s: %s", spool, strerror(errno));
	if (write_conf(start, conf, err) < 0 || run(start, conf, said, err) < 0)
		return -1;
	read_log(said);
	return 0;
}

void daemon_said_free(struct daemon_said *said)
{
	free(said->abs_cpus);
	free(said->os_cpus);
	free(said->log);
	memset(said, 0, sizeof(*said));
}
