/* SPDX-License-Identifier: GPL-2.0-or-later */
/* launcher - the stand-in's /usr/bin/weka: a command line and the agent
 *
 * Terms   root: the part of our own path before /usr/bin/weka; empty on a
 *           node, a directory in the unit tests.
 *         library: ROOT/usr/lib/weka-sim, with the Python part.
 * Runs    as /usr/bin/weka, /sbin/mount.wekafs, /sbin/umount.wekafs (one file,
 *           selected by argv[0]) and as the agent, `/usr/bin/weka --agent`.
 * Errors  127 if the Python part cannot be started.
 *
 * The agent is found by `pgrep -x -f '/usr/bin/weka --agent'` (weka/tools,
 * ta script 480): an interpreter would show up as `python3 /usr/bin/weka ...`,
 * so this process keeps the name and the Python part is its child.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGS_MAX 256

static pid_t child = -1;

static void forward(int sig)
{
	if (child > 0)
		kill(child, sig);
}

static void die(const char *what, const char *value)
{
	fprintf(stderr, "weka-sim: %s: '%s': %s\n", what, value, strerror(errno));
	exit(127);
}

/* ROOT of ROOT/usr/bin/weka; an environment variable overrides it. */
static void find_root(char *root, size_t size)
{
	const char *tail = "/usr/bin/weka";
	const char *env = getenv("WEKA_SIM_ROOT");
	ssize_t n;

	if (env) {
		snprintf(root, size, "%s", env);
		return;
	}
	n = readlink("/proc/self/exe", root, size - 1);
	if (n < 0)
		die("readlink", "/proc/self/exe");
	root[n] = 0;
	if ((size_t)n >= strlen(tail) && !strcmp(root + n - strlen(tail), tail))
		root[n - strlen(tail)] = 0;
	else
		root[0] = 0;
}

static void run_python(const char *script, char **args, int count)
{
	char *argv[ARGS_MAX + 8];
	int i, n = 0;

	argv[n++] = "python3";
	argv[n++] = "-I"; /* no user site, no PYTHON* environment */
	argv[n++] = "-S"; /* no site packages: starts faster */
	argv[n++] = (char *)script;
	for (i = 0; i < count && i < ARGS_MAX; i++)
		argv[n++] = args[i];
	argv[n] = NULL;
	execv("/usr/bin/python3", argv);
	execvp("python3", argv);
	die("exec", "python3");
}

/* Run as the agent's process: it ends with the Python part, and the Python part with it. */
static int run_agent(const char *script, char *root)
{
	struct sigaction sa = { .sa_handler = forward };
	pid_t pid, self = getpid();
	int status = 0;

	/* Containers' processes may run longer than this one, which reaps them until then. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	child = fork();
	if (child < 0)
		die("fork", "agent");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		run_python(script, &root, 1);
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	do
		pid = waitpid(-1, &status, 0);
	while (pid != child && (pid > 0 || errno == EINTR));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	char root[PATH_MAX], script[PATH_MAX + 64];
	char *args[ARGS_MAX];
	int i, n = 0;
	int agent = argc == 2 && !strcmp(argv[1], "--agent");

	if (argc > ARGS_MAX - 2) {
		fputs("weka-sim: too many arguments\n", stderr);
		return 127;
	}
	find_root(root, sizeof(root));
	snprintf(script, sizeof(script), "%s/usr/lib/weka-sim/%s", root,
		 agent ? "agent.py" : "cli.py");
	if (agent)
		return run_agent(script, root);
	args[n++] = root;
	args[n++] = basename(argv[0]);
	for (i = 1; i < argc; i++)
		args[n++] = argv[i];
	run_python(script, args, n);
}
