/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/child.h"

static char *env_of(const char *name, char *text, size_t room)
{
	const char *value = getenv(name);

	return value && snprintf(text, room, "%s=%s", name, value) < (int)room ? text : NULL;
}

void program_env(struct program_env *env, const char *more)
{
	char *found[] = { (char *)more, env_of("SLURM_CONF", env->conf, sizeof(env->conf)),
			  env_of("TZ", env->zone, sizeof(env->zone)) };
	size_t i, count = 0;

	for (i = 0; i < sizeof(found) / sizeof(found[0]); i++)
		if (found[i])
			env->list[count++] = found[i];
	env->list[count] = NULL;
}

static bool is_in(const char *folders, const char *name, char path[PROGRAM_PATH])
{
	const char *at, *end;

	for (at = folders; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		if (*at == '/' &&
		    snprintf(path, PROGRAM_PATH, "%.*s/%s", (int)(end - at), at, name) <
			    PROGRAM_PATH &&
		    access(path, X_OK) == 0)
			return true;
	}
	return false;
}

int program_find(const char *name, char path[PROGRAM_PATH], struct err *err)
{
	const char *folders = getenv("PATH");

	if (!folders || !*folders)
		folders = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
	if (is_in(folders, name, path))
		return 0;
#ifdef JOBIO_SLURM_BIN
	if (is_in(JOBIO_SLURM_BIN, name, path))
		return 0;
	return err_set(err, "%s: there is no %s in PATH, nor in %s", name, name, JOBIO_SLURM_BIN);
#else
	return err_set(err, "%s: there is no %s in PATH", name, name);
#endif
}

int program_run(const char *name, const char *const *words, unsigned int timeout_ms, char **out,
		struct err *err)
{
	struct child_result result = { 0 };
	char path[PROGRAM_PATH], **argv;
	struct program_env env;
	size_t count = 0;
	int rc, saved;

	while (words[count])
		count++;
	argv = xcalloc(count + 2, sizeof(*argv));
	argv[0] = path;
	memcpy(argv + 1, words, count * sizeof(*argv));
	program_env(&env, NULL);
	rc = program_find(name, path, err);
	if (rc == 0)
		rc = child_run(argv, env.list, timeout_ms, &result, err);
	if (rc == 0 && result.status)
		rc = err_set(err, "%s: exit status %d%s%.*s", name, result.status,
			     strcspn(result.errtext, "\n") ? ": " : "",
			     (int)strcspn(result.errtext, "\n"), result.errtext);
	if (rc == 0) {
		*out = result.out;
		result.out = NULL;
	}
	saved = errno;
	child_result_free(&result);
	free(argv);
	errno = saved;
	return rc;
}
