/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built jobio.so in a client and in a slurmstepd as spank.h defines them: this program
 * exports the functions that they export, opens the plugin as Slurm does, and calls it in Slurm's
 * order (sbatch/opt.c, mgr.c, task.c). Each client and slurmstepd is a process of its own. */
#include <dlfcn.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slurm/spank.h>

#include "base/gatefile.h"
#include "spank/gate.h"
#include "spank/stepio.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define PLUGIN BUILDDIR "/.libs/jobio.so"
#define FAILED 98 /* exit status: a callback failed */

static struct err err;

/* Compare 'text' with a pattern, in which "..." matches anything; a final newline is ignored. */
static bool is_like(const char *text, const char *pattern)
{
	const char *gap = strstr(pattern, "..."), *at = text;
	size_t size = gap ? (size_t)(gap - pattern) : strlen(pattern);

	if (!gap)
		return !strncmp(text, pattern, size) && (!text[size] || !strcmp(text + size, "\n"));
	if (strncmp(text, pattern, size) != 0)
		return false;
	for (at = text + size; *at; at++)
		if (is_like(at, gap + 3))
			return true;
	return is_like(at, gap + 3);
}

/* ---- what Slurm exports ---------------------------------------------------------------- */

/* "sbatch core-spec=2 missing=opt": the client, its options, and a symbol that is not exported. */
static char client[400];
static spank_context_t context;

/* Value of a word KEY=VALUE, NULL if there is none; four buffers in turn. */
static const char *word_of(const char *words, const char *key)
{
	static char values[4][200];
	static int turn;
	size_t length = strlen(key);
	const char *at;

	for (at = words; (at = strstr(at, key)); at += length)
		if ((at == words || at[-1] == ' ') && at[length] == '=') {
			turn = (turn + 1) % 4;
			snprintf(values[turn], sizeof(values[0]), "%.*s",
				 (int)strcspn(at + length + 1, " "), at + length + 1);
			return values[turn];
		}
	return NULL;
}

/* Set "NAME=VALUE" in the environment. */
static void set_variable(const char *word)
{
	char name[100];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	setenv(name, word + strlen(name) + 1, 1);
}

static struct spank_option options[2];
static int option_count;
static char core_spec[16]; /* of the client's option record */
static char job_env[4][2][128];
static int job_env_count;

spank_context_t spank_context(void)
{
	return context;
}

spank_err_t spank_option_register(spank_t sp, struct spank_option *option)
{
	const char *not_taken = word_of(client, "not-taken");

	(void)sp;
	if (not_taken && !strcmp(option->name, not_taken))
		return ESPANK_BAD_ARG;
	options[option_count++ % 2] = *option;
	return ESPANK_SUCCESS;
}

static int find_job_env(const char *name)
{
	int i = job_env_count;

	while (i > 0 && strcmp(job_env[i - 1][0], name) != 0)
		i--;
	return i - 1;
}

spank_err_t spank_job_control_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	int i = find_job_env(name);

	(void)sp;
	if (context == S_CTX_REMOTE || word_of(client, "full"))
		return context == S_CTX_REMOTE ? ESPANK_NOT_LOCAL : ESPANK_NOSPACE;
	if (i >= 0 && !overwrite)
		return ESPANK_ENV_EXISTS;
	i = i < 0 ? job_env_count++ : i;
	snprintf(job_env[i][0], sizeof(job_env[i][0]), "%s", name);
	snprintf(job_env[i][1], sizeof(job_env[i][1]), "%s", value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_getenv(spank_t sp, const char *name, char *buf, int len)
{
	int i = find_job_env(name);

	(void)sp;
	if (i < 0)
		return context == S_CTX_REMOTE ? ESPANK_NOT_LOCAL : ESPANK_ENV_NOEXIST;
	snprintf(buf, (size_t)len, "%s", job_env[i][1]);
	return ESPANK_SUCCESS;
}

spank_err_t spank_job_control_unsetenv(spank_t sp, const char *name)
{
	int i = find_job_env(name);

	(void)sp;
	if (i >= 0)
		memmove(job_env[i], job_env[i + 1],
			sizeof(job_env[0]) * (size_t)(--job_env_count - i));
	return ESPANK_SUCCESS;
}

spank_err_t spank_getenv(spank_t sp, const char *name, char *buf, int len)
{
	const char *value = context == S_CTX_REMOTE ? getenv(name) : NULL;

	(void)sp;
	if (!value)
		return context == S_CTX_REMOTE ? ESPANK_ENV_NOEXIST : ESPANK_NOT_REMOTE;
	snprintf(buf, (size_t)len, "%s", value);
	return ESPANK_SUCCESS;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	(void)sp;
	return setenv(name, value, overwrite) == 0 ? ESPANK_SUCCESS : ESPANK_ERROR;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	return unsetenv(name) == 0 ? ESPANK_SUCCESS : ESPANK_ERROR;
}

static uint32_t step_id; /* a step of job 7 */
static int node_id, task_id;

/* "unset=job": spank_get_item() fails for this item. */
static bool is_told(spank_item_t item)
{
	static const struct {
		const char *name;
		spank_item_t item;
	} items[] = { { "job", S_JOB_ID },
		      { "step", S_JOB_STEPID },
		      { "task", S_TASK_ID },
		      { "node", S_JOB_NODEID } };
	const char *lacks = word_of(client, "unset");

	for (size_t i = 0; lacks && i < ROWS(items); i++)
		if (item == items[i].item && !strcmp(lacks, items[i].name))
			return false;
	return context == S_CTX_REMOTE;
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	const char *array = word_of(client, "array"); /* "5:2" */
	const struct {
		spank_item_t item;
		uint32_t value;
	} items[] = {
		{ S_JOB_ID, 7 },
		{ S_JOB_STEPID, step_id },
		{ S_TASK_ID, (uint32_t)task_id },
		{ S_JOB_NODEID, (uint32_t)node_id },
		{ S_JOB_UID, 1000 },
		{ S_JOB_NNODES, 3 },
		{ S_JOB_ARRAY_ID, array ? (uint32_t)strtoul(array, NULL, 0) : 0 },
		{ S_JOB_ARRAY_TASK_ID,
		  array ? (uint32_t)strtoul(strchr(array, ':') + 1, NULL, 0) : 0 },
	};
	va_list args;

	(void)sp;
	for (size_t i = 0; i < ROWS(items) - (array ? 0 : 2); i++)
		if (items[i].item == item && is_told(item)) {
			va_start(args, item);
			*va_arg(args, uint32_t *) = items[i].value;
			va_end(args);
			return ESPANK_SUCCESS;
		}
	return ESPANK_NOT_AVAIL;
}

/* slurm_error() of a slurmstepd goes to the job's output, other levels to slurmd's log. */
static void say(FILE *out, const char *level, const char *format, va_list args)
{
	if (!out)
		return;
	fprintf(out, "%s: ", level);
	vfprintf(out, format, args);
	fputc('\n', out);
	fflush(out);
}

static FILE *slurmd_log;

#define LOG(level, file)                                                                           \
	void slurm_##level(const char *format, ...)                                                \
	{                                                                                          \
		va_list args;                                                                      \
                                                                                                   \
		va_start(args, format);                                                            \
		say(file, #level, format, args);                                                   \
		va_end(args);                                                                      \
	}
LOG(error, context == S_CTX_REMOTE ? stderr : stdout)
LOG(info, context == S_CTX_REMOTE ? slurmd_log : stdout)
LOG(verbose, slurmd_log)

/* ---- other symbols of clients that the plugin looks up -------------------------------------- */

static bool is_set(void *record, const char *name)
{
	(void)record;
	return !strcmp(name, "core-spec") ? *core_spec != '\0' : word_of(client, name) != NULL;
}

static char *get(void *record, const char *name)
{
	(void)record;
	return !strcmp(name, "core-spec") ? core_spec : (char *)word_of(client, name);
}

static int set(void *record, const char *name, const char *value, bool early)
{
	const char *takes = word_of(client, "takes");

	(void)record;
	if (strcmp(name, "core-spec") != 0 || early || (takes && !strcmp(takes, "none")))
		return -1;
	snprintf(core_spec, sizeof(core_spec), "%s", takes ? takes : value);
	return 0;
}

static struct {
	const char *name, *value;
} pairs[2];
static int pair;

static void *pairs_of(void *conf)
{
	const char *allow = word_of(client, "allow"), *select = word_of(client, "select");

	(void)conf;
	pairs[0].name = "AllowSpecResourcesUsage";
	pairs[0].value = !allow ? "Yes" : *allow ? allow : NULL;
	pairs[1].name = "SelectType";
	pairs[1].value = !select ? "select/cons_tres" : *select ? select : NULL;
	return pairs;
}

static void *list_begin(void *list)
{
	pair = 0;
	return list;
}

static void *list_next(void *iterator)
{
	(void)iterator;
	return pair < 2 ? &pairs[pair++] : NULL;
}

static void list_end(void *iterator)
{
	(void)iterator;
}

/* slurm_opt.c: the table of options of this client, with those of the plugin */
static struct option *table_of(void *record, char **letters)
{
	static struct option table[] = {
		{ "io-cores", required_argument, NULL, 1000 },
		{ "job-name", required_argument, NULL, 'J' },
		{ "ntasks", required_argument, NULL, 'n' },
		{ "io-profile", required_argument, NULL, 1001 },
		{ NULL, 0, NULL, 0 },
	};
	static char all[] = "+J:n:";

	(void)record;
	if (word_of(client, "no-table"))
		exit(FAILED);
	*letters = all;
	return table;
}

/* A symbol that only one client exports: dlsym(3) calls the resolver of an indirect function
 * each time, and a resolver that returns NULL stands for a missing symbol. */
typedef void (*function)(void);

static function found(const char *symbol, function address)
{
	const char *missing = word_of(client, "missing");

	return missing && !strcmp(missing, symbol) ? NULL : address;
}

static void record(void)
{
}

#define EXPORT(symbol, address)                                                                    \
	static function find_##symbol(void)                                                        \
	{                                                                                          \
		return found(#symbol, (function)(address));                                        \
	}                                                                                          \
	void symbol(void) __attribute__((ifunc("find_" #symbol), visibility("default")));
#define IS(command) (!strncmp(client, command, strlen(command)) ? record : NULL)
EXPORT(sbopt, IS("sbatch"))
EXPORT(saopt, IS("salloc"))
EXPORT(sropt, IS("srun"))
EXPORT(opt, record)
EXPORT(slurm_conf, record)
EXPORT(slurm_option_isset, is_set)
EXPORT(slurm_option_get, get)
EXPORT(slurm_option_set, set)
EXPORT(slurm_option_table_create, table_of)
EXPORT(slurm_ctl_conf_2_key_pairs, pairs_of)
EXPORT(slurm_list_iterator_create, list_begin)
EXPORT(slurm_list_next, list_next)
EXPORT(slurm_list_iterator_destroy, list_end)

/* ---- the plugin ------------------------------------------------------------------------- */

static char plugin_path[600];
static char arguments[2][600]; /* of plugstack.conf */

static int call(const char *callback)
{
	static void *plugin;
	char name[64], *argv[] = { arguments[0], arguments[1] };
	int (*function)(spank_t sp, int argc, char *argv[]);

	if (!plugin)
		plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	snprintf(name, sizeof(name), "slurm_spank_%s", callback);
	*(void **)&function = dlsym(plugin, name);
	return function ? function(NULL, *arguments[1] ? 2 : 1, argv) : 1;
}

/* ---- sbatch, salloc, srun ----------------------------------------------------------------- */

#define SITE                                                                                       \
	"[option];io_cores_max=3;[profile stream];description=large files;io_cores=2;[profile metadata];description=many small files"
#define CARRIED "SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_"

/* Process the plugin's options, "--io-cores=2"; the last value of each is kept, as in Slurm. */
static void take_words(const char *words, char last[2][200])
{
	char copy[300], *state, *word, *value;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		value = strchr(word, '=');
		*value++ = '\0';
		for (int i = 0; i < 2; i++)
			if (!strcmp(word + 2, options[i].name)) {
				if (options[i].cb(options[i].val, value, 0) != 0)
					exit(FAILED);
				snprintf(last[i], 200, "%s", value);
			}
	}
}

static const char *or_none(const char *value)
{
	return value && *value ? value : "-";
}

static const char *carried(const char *name)
{
	int i = find_job_env(name);

	return i < 0 ? "-" : job_env[i][1];
}

/* One component of a job: #SBATCH lines, environment, command line, init_post_opt. As in Slurm,
 * values of the component before remain. Prints core-spec, the variables of job and steps. */
static void submit_component(const char *sbatch_lines, const char *command_line)
{
	static const char *const names[] = { CARRIED "cores", CARRIED "profile" };
	static char last[2][200];
	const char *value = word_of(client, "core-spec");

	snprintf(core_spec, sizeof(core_spec), "%s", value ? value : "");
	take_words(sbatch_lines, last);
	for (int i = 0; i < 2; i++) {
		value = getenv(names[i]);
		if (value && options[i].cb(options[i].val, value, 0) != 0)
			exit(FAILED);
	}
	take_words(command_line, last);
	for (int i = 0; i < 2; i++)
		if (*last[i])
			setenv(names[i], last[i], 1);
	if (call("init_post_opt") != 0)
		exit(FAILED);
	printf("%s %s %s steps %s %s\n", or_none(core_spec), carried("JOBIO_IO_CORES"),
	       carried("JOBIO_IO_PROFILE"), or_none(getenv(names[0])), or_none(getenv(names[1])));
}

/* Calls in Slurm's order, including those that clients make without effect. */
static void be_client(const char *sbatch_lines, const char *command_line)
{
	static const char *const vain[] = { "task_init_privileged", "task_init", "task_post_fork",
					    "task_exit", "exit" };
	char components[200], *state, *component;

	context = !strncmp(client, "srun", 4) ? S_CTX_LOCAL : S_CTX_ALLOCATOR;
	if (call("init") != 0)
		exit(FAILED);
	snprintf(components, sizeof(components), "%s ", command_line);
	for (component = strtok_r(components, ":", &state); component;
	     component = strtok_r(NULL, ":", &state))
		submit_component(sbatch_lines, component);
	for (size_t i = 0; i < ROWS(vain); i++)
		if (call(vain[i]) != 0)
			exit(FAILED);
	exit(0);
}

/* ';' is a newline of 'conf'; NAME=VALUE in capital letters is set in the environment. */
static void set_up(const char *words, const char *conf)
{
	char copy[400], text[700], *state, *word;

	snprintf(client, sizeof(client), "%s", words);
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state))
		if (*word >= 'A' && *word <= 'Z')
			set_variable(word);
	snprintf(text, sizeof(text), "%s\n", *conf ? conf : SITE);
	for (char *at = text; (at = strchr(at, ';')); at++)
		*at = '\n';
	if (strcmp(conf, "none") != 0)
		tempdir_put("jobio.conf", text);
	snprintf(arguments[0], sizeof(arguments[0]), "conf=%s", tempdir_path("jobio.conf"));
	snprintf(plugin_path, sizeof(plugin_path), "%s", PLUGIN);
}

/* Memory of a client that exits after printing an answer is not freed. */
void __lsan_disable(void) __attribute__((weak));

/* Output of this client, followed by "exit N" unless N is 0. */
static const char *run_client(char part[8][700])
{
	static char said[2000];
	int status, fd = open(tempdir_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	size_t used;
	char *text;

	fflush(NULL);
	if (fork() == 0) {
		if (__lsan_disable)
			__lsan_disable();
		dup2(fd, STDOUT_FILENO);
		unsetenv("SLURM_EXIT_ERROR");
		set_up(part[0], part[1]);
		be_client(part[2], part[3]);
	}
	wait(&status);
	close(fd);
	text = fileio_read(tempdir_path("out"), sizeof(said) - 100, NULL, NULL);
	used = (size_t)snprintf(said, sizeof(said), "%s", text ? text : "");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		snprintf(said + used, sizeof(said) - used, "exit %d\n", WEXITSTATUS(status));
	free(text);
	return said;
}

/* Client and its state | jobio.conf (SITE; none) | #SBATCH lines | command line, ":" between
 * the components of a job | output, and for each component --core-spec, JOBIO_IO_CORES and
 * JOBIO_IO_PROFILE of the job, and the variables of its steps; "...": anything. */
static const char
	*const
		requests[] = {
			"sbatch | | | --io-cores=3 | 3 3 - steps 3 -",
			"sbatch SBATCH_IO_CORES=2 | | --io-cores=1 | --io-cores=3 | 3 3 - steps 3 -",
			"sbatch SBATCH_IO_CORES=2 SBATCH_IO_PROFILE=metadata | | --io-cores=1 --io-profile=stream | | 2 2 metadata steps 2 metadata",
			"sbatch | | --io-cores=1 | --io-profile=stream | 1 1 stream steps 1 stream",
			"sbatch | [option];io_cores_default=1;[profile stream];io_cores=2 | | --io-profile=stream | 2 2 stream steps 2 stream",
			"sbatch | [option];io_cores_default=1;profile_default=p;[profile p];description=d | | | 1 1 p steps 1 p",
			"sbatch | | | | - - - steps - -",
			"sbatch | | --io-cores=3 --io-cores=3 | --io-cores=1 --io-cores=2 | 2 2 - steps 2 -",
			"sbatch SBATCH_IO_CORES=1 SALLOC_IO_CORES=2 SLURM_IO_CORES=3 | | | | 1 1 - steps 1 -",
			"salloc SBATCH_IO_CORES=1 SALLOC_IO_CORES=2 SLURM_IO_CORES=3 | | | | 2 2 - steps 2 -",
			"srun SBATCH_IO_CORES=1 SALLOC_IO_CORES=2 SLURM_IO_CORES=3 | | | | 3 3 - steps 3 -",
			"sbatch SBATCH_IO_CORES= | | | | - - - steps - -",
			"sbatch SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores=3 SLURM_IO_CORES=3 | | --io-cores=1 | | 1 1 - steps 1 -",
			"sbatch | | | --io-cores=3 --io-profile=stream : | 3 3 stream steps 3 stream\n- - - steps 3 stream",
			"sbatch SBATCH_IO_CORES=2 | | | --io-cores=3 : | 3 3 - steps 3 -\n2 2 - steps 2 -",
			"sbatch | | | --io-cores=3 : --io-profile=stream | 3 3 - steps 3 -\n2 2 stream steps 2 stream",
			"sbatch | [option];profile_default=y;[profile x];description=x;[profile y];description=y | | --io-profile=x : | - - x steps - x\n- - y steps - y",
			"srun SLURM_JOB_ID=7 SLURM_IO_CORES=1 | | | --io-cores=3 | info: jobio: option: --io-cores: '3': ignored for a step of job 7: the io-cores of a job are settled when it is submitted\n- - - steps 3 -",
			"srun SLURM_JOB_ID=7 | | | --io-profile=stream | info: jobio: option: --io-profile: 'stream': ignored for a step of job 7: the profile of a job is settled when it is submitted\n- - - steps - stream",
			"srun SLURM_JOB_ID=7 | | | --io-cores=3 --io-profile=stream | info: jobio: option: --io-cores: '3', --io-profile: 'stream': ignored for a step of job 7: the io-cores and profile of a job are settled when it is submitted\n- - - steps 3 stream",
			"srun SLURM_JOB_ID=7 SLURM_IO_CORES=1 SLURM_IO_PROFILE=stream | | | --io-cores=1 --io-profile=stream | - - - steps 1 stream",
			"srun SLURM_JOB_ID=7 SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores=1 | | | --io-cores=1 | - - - steps 1 -",
			"srun SLURM_JOB_ID=7 SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores=1 | | | --io-cores=2 | info: jobio: option: --io-cores: '2': ignored for a step of job 7: the io-cores of a job are settled when it is submitted\n- - - steps 2 -",
			"srun SLURM_JOB_ID=7 SLURM_IO_CORES=1 | none | | | - - - steps 1 -",
			"srun jobid=7 | | | --io-cores=x --io-profile=- | info: jobio: option: --io-cores: 'x', --io-profile: '-': ignored for a step of job that exists already: the io-cores and profile of a job are settled when it is submitted\n- - - steps x -",
			"srun SLURM_JOB_ID= | | | --io-cores=2 | 2 2 - steps 2 -",
			"sbatch | | | --io-cores=4 | error: jobio: option: --io-cores: '4': this site allows a number from 1 to 3 (see --io-cores=help)\nexit 1",
			"srun SLURM_EXIT_ERROR=5 | | | --io-cores=0 | error: jobio: option: --io-cores: '0': this site allows...\nexit 5",
			"sbatch SLURM_EXIT_ERROR=256 | | | --io-cores=99999999999999999999 | error: jobio: option: --io-cores: '99999999999999999999': this site allows...\nexit 1",
			"sbatch SLURM_EXIT_ERROR=x | | | --io-cores=2x | error: jobio: option: --io-cores: '2x': this site allows...\nexit 1",
			"sbatch SLURM_EXIT_ERROR=0 | | | --io-cores= | error: jobio: option: --io-cores: '': this site allows...\nexit 1",
			"sbatch | | | --io-profile=../x | error: jobio: option: --io-profile: '../x': not a profile name (small letters, digits, '_' and '-', at most 32)\nexit 1",
			"sbatch | | | --io-profile=strem | error: jobio: option: --io-profile: 'strem': this site has no such profile; did you mean 'stream'? (--io-profile=list shows all)\nexit 1",
			"sbatch SBATCH_IO_PROFILE=nope | | | | error: jobio: option: SBATCH_IO_PROFILE: 'nope': this site has no such profile; --io-profile=list shows what it has\nexit 1",
			"sbatch SBATCH_IO_PROFILE=stream core-spec=1 | | | | error: jobio: option: SBATCH_IO_PROFILE: 'stream' (brings 2 io-cores): sets...\nexit 1",
			"sbatch | [option];io_cores_max=1 | | --io-cores=2 | error: jobio: option: --io-cores: '2': this site allows only 1 (see --io-cores=help)\nexit 1",
			"sbatch SBATCH_IO_CORES=many | | | | error: jobio: option: SBATCH_IO_CORES: 'many': this site allows a number from 1 to 3 (see --io-cores=help)\nexit 1",
			"sbatch SBATCH_IO_CORES=help | | | | error: jobio: option: SBATCH_IO_CORES: 'help': this site allows...\nexit 1",
			"sbatch core-spec=2 | | | --io-cores=1 | error: jobio: option: --io-cores: '1': sets --core-spec=1, but --core-spec=2 was given too; leave --core-spec out\nexit 1",
			"sbatch core-spec=0 | | | --io-profile=stream | error: jobio: option: --io-profile: 'stream' (brings 2 io-cores): sets --core-spec=2, but --core-spec=0 was given too; leave --core-spec out\nexit 1",
			"sbatch core-spec=2 | [profile one];io_cores=1 | | --io-profile=one | error: jobio: option: --io-profile: 'one' (brings 1 io-core): sets --core-spec=1, but --core-spec=2 was given too; leave --core-spec out\nexit 1",
			"sbatch core-spec=1 | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch core-spec=unset | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch core-spec=32767 | | | --io-cores=1 | error: jobio: option: --io-cores: '1': sets --core-spec=1, but --core-spec=32767 was given too; leave --core-spec out\nexit 1",
			"sbatch core-spec=32768 | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch thread-spec=1 | | | --io-cores=1 | error: jobio: option: --io-cores: '1': cannot go together with --thread-spec; leave one of them out\nexit 1",
			"sbatch allow=No | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this cluster does not let jobs reserve cores (slurm.conf lacks AllowSpecResourcesUsage=yes); ask its administrator\nexit 1",
			"sbatch select=select/linear | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this cluster's scheduler cannot reserve cores (SelectType=select/linear; select/cons_tres can); ask its administrator\nexit 1",
			"sbatch allow=No clusters=other | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch missing=slurm_option_set | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this Slurm client does not export 'slurm_option_set', so --core-spec cannot be set for you; give --core-spec itself (the site can guard it with jobio's contrib/job_submit.lua)\nexit 1",
			"sbatch missing=slurm_option_isset | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this Slurm client does not export 'slurm_option_isset'...\nexit 1",
			"sbatch missing=opt | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this Slurm client does not export 'opt'...\nexit 1",
			"sbatch allow=No missing=slurm_conf | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch allow=No missing=slurm_ctl_conf_2_key_pairs | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch allow=No missing=slurm_list_next | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch allow= select=select/linear | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch select= | | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch takes=none | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this Slurm client does not take --core-spec=1 from a plugin; give it yourself (the site can guard it with jobio's contrib/job_submit.lua)\nexit 1",
			"sbatch takes=2 | | | --io-cores=1 | error: jobio: option: --io-cores: '1': this Slurm client does not take...\nexit 1",
			"sbatch full=yes | | | --io-cores=1 | error: jobio: option: Slurm does not carry the request to the nodes (spank_job_control_setenv failed)\nexit 1",
			"sbatch full=yes | [option];io_cores_default=1 | | | 1 - - steps 1 -",
			"sbatch not-taken=io-profile | | | | error: jobio: option: Slurm does not take the options --io-cores and --io-profile\nexit 98",
			"sbatch | none | | --io-cores=1 | error: jobio: option: --io-cores: jobio has no valid configuration on this machine: '.../jobio.conf': cannot read: No such file or directory\nexit 1",
			"sbatch | none | | | - - - steps - -",
			"sbatch | [option];io_cores_max=many | | --io-profile=stream | error: jobio: option: --io-profile: jobio has no valid configuration on this machine: .../jobio.conf:2: [option] io_cores_max: 'many': expected a number from 1 to 256\nexit 1",
			"sbatch | [option];io_cores_max=many | | | - - - steps - -",
			"sbatch | [profile p];environment=PATH=/tmp | | --io-profile=p | error: jobio: option: --io-profile: jobio has no valid configuration on this machine: .../jobio.conf: [profile p] environment: 'PATH=/tmp': PATH is not for a profile to set: it decides what runs, or is Slurm's\nexit 1",
			"sbatch core-spec=2 | [option];io_cores_default=1 | | | 2 - - steps - -",
			"sbatch thread-spec=1 | [option];io_cores_default=1 | | | - - - steps - -",
			"sbatch allow=No | [option];io_cores_default=1 | | | - - - steps - -",
			"sbatch missing=opt | [option];io_cores_default=1 | | | - - - steps - -",
			"sbatch allow=No | [option];io_cores_default=1;profile_default=plain;[profile plain];description=x | | | - - plain steps - plain",
			"sbatch | [jobio];enabled=no;[option];io_cores_default=1 | | --io-cores=99 --io-profile=nosuch | info: jobio: option: --io-cores and --io-profile: nothing is done: the site has switched jobio off (enabled=no)\n- - - steps 99 nosuch",
			"sbatch | [jobio];enabled=no;[option];io_cores_default=1 | | | - - - steps - -",
			"sbatch partition=io | [jobio];partitions=test,io | | --io-cores=1 | 1 1 - steps 1 -",
			"sbatch partition=io,batch | [jobio];partitions=test,io | | --io-profile=p | info: jobio: option: --io-profile: nothing is done: the site does not use jobio in partition batch yet (partitions=)\n- - - steps - p",
			"sbatch | [jobio];partitions=test,io | | --io-cores=1 | info: jobio: option: --io-cores: nothing is done: the site uses jobio in partition test,io only: name it with --partition\n- - - steps 1 -",
			"scrontab | | | --io-cores=1 | error: jobio: option: scrontab cannot hand --io-cores and --io-profile on; let the entry call sbatch with them\nexit 1",
			"srun | | | --io-cores=help | --io-cores=N gives N whole cores...  allowed here  1 to 3\n  without it    the number of the profile, else none\n  start check   warn: a task on the client's cores is reported\n  state         in use\n...",
			"srun | [jobio];gate=enforce;[option];io_cores_default=1 | | --io-cores=help | ...  start check   enforce: no task starts on the client's cores\n  state         in use\n...",
			"srun | [jobio];enabled=no | | --io-cores=help | ...  state         off: nothing is done\n...",
			"srun | | | --io-profile=list | NAME             IO-CORES DESCRIPTION\nstream           2        large files\nmetadata         -        many small files",
			"srun | [option];profile_default=b;[profile a];description=first;[profile b];description=second;io_cores=1 | | --io-profile=list | NAME             IO-CORES DESCRIPTION\na                -        first\nb                1        second (default)",
			"srun | [jobio] | | --io-profile=list | This site has no profiles.",
			"srun SLURM_EXIT_ERROR=5 | none | | --io-profile=list | error: jobio: option: jobio has no valid configuration on this machine: '.../jobio.conf': cannot read: No such file or directory\nexit 5",
		};

START_TEST(a_request_depends_on_command_line_environment_sbatch_profile_and_site)
{
	char part[8][700];
	const char *said;

	tempdir_make();
	for (size_t i = 0; i < ROWS(requests); i++) {
		if (i % (size_t)rounds_share())
			continue;
		split_row(requests[i], part);
		unlink(tempdir_path("jobio.conf"));
		said = run_client(part);
		ck_assert_msg(is_like(said, part[4]), "%s\ngot: %s", requests[i], said);
	}
	tempdir_remove();
}
END_TEST

/* ---- --io-cores=help, before Slurm parses the command line ------------------------------ */

#define WENT_ON 97 /* 99 is valgrind's */

/* The plugin reads the command line of its process: this program starts itself and exits here. */
__attribute__((constructor)) static void be_asked(void)
{
	const char *words = getenv("JOBIO_TEST_CLIENT");

	if (!words)
		return;
	if (__lsan_disable)
		__lsan_disable();
	snprintf(client, sizeof(client), "%s", words);
	snprintf(arguments[0], sizeof(arguments[0]), "conf=%s", getenv("JOBIO_TEST_CONF"));
	snprintf(plugin_path, sizeof(plugin_path), "%s", PLUGIN);
	context = !strncmp(client, "srun", 4) ? S_CTX_LOCAL : S_CTX_ALLOCATOR;
	opterr = 7; /* set by the client; must not change */
	exit(call("init") == 0 && opterr == 7 && optind <= 1 ? WENT_ON : FAILED);
}

static int run_asked(const char *words, const char *command_line)
{
	char *argv[16] = { (char *)"client" }, copy[200], self[4096] = "", *state;
	int argc = 1, status;

	/* the file itself: under valgrind /proc/self/exe is valgrind */
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	snprintf(copy, sizeof(copy), "%s", command_line);
	for (argv[argc] = strtok_r(copy, " ", &state); argv[argc];
	     argv[argc] = strtok_r(NULL, " ", &state))
		argc++;
	if (fork() == 0) {
		dup2(open(tempdir_path("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
		setenv("JOBIO_TEST_CLIENT", words, 1);
		close(STDIN_FILENO);
		execv(self, argv);
		_exit(FAILED);
	}
	ck_assert(wait(&status) > 0 && WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(io_cores_help_on_the_command_line_needs_no_script)
{
	/* client | arguments | start of the output; empty: the client continues */
	static const char *const rows[] = {
		"sbatch | --io-cores=help | --io-cores=N gives",
		"salloc | --io-profile=list | NAME ",
		"sbatch | --io-cores help job.sh | --io-cores=N gives",
		"sbatch | -n 2 --job-name=x --io-cores=help | --io-cores=N gives",
		"sbatch | --io-cores=1 --io-profile list | NAME ",
		"sbatch | --io-c=help | --io-cores=N gives",
		"sbatch | --nonsense --io-cores=help | --io-cores=N gives",
		"srun | --io-cores=help", /* srun accepts several jobs on one command line */
		"sbatch |",
		"sbatch | --io-cores=1 job.sh",
		"sbatch | -J --io-cores=help job.sh",
		"sbatch | job.sh --io-cores=help",
		"sbatch | -- --io-cores=help",
		"sbatch | --io-cores=list",
		"sbatch | --io-profile=help",
		"sbatch | --job-name=help --io-cores=2",
		"sbatch missing=slurm_option_table_create | --io-cores=help",
		"sbatch missing=opt | --io-cores=help",
		"sbatch no-table=yes | --io-cores=helpless -n 2 help.sh", /* not parsed */
	};
	char part[8][700], *text;

	tempdir_make();
	tempdir_put("jobio.conf", "[profile a]\nio_cores = 1\n");
	setenv("JOBIO_TEST_CONF", tempdir_path("jobio.conf"), 1);
	for (size_t i = 0; i < ROWS(rows); i++) {
		split_row(rows[i], part);
		ck_assert_msg(run_asked(part[0], part[1]) == (*part[2] ? 0 : WENT_ON), "%s",
			      rows[i]);
		text = fileio_read(tempdir_path("out"), 9999, NULL, NULL);
		ck_assert_msg(!strncmp(text, part[2], strlen(part[2])), "%s: %s", rows[i], text);
		free(text);
	}
	tempdir_remove();
}
END_TEST

START_TEST(our_options_fit_into_the_columns_of_slurms_help)
{
	tempdir_make();
	set_up("sbatch", "");
	context = S_CTX_ALLOCATOR;
	ck_assert_int_eq(call("init"), 0);
	/* spank.c:spank_print_options(stdout, 6, 30): 80 columns, 50 of text */
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(options[i].has_arg, 1);
		ck_assert_uint_lt(6 + 2 + strlen(options[i].name) + 1 + strlen(options[i].arginfo),
				  30);
		ck_assert_uint_lt(strlen(options[i].usage), 2 * 49);
	}
	tempdir_remove();
}
END_TEST

/* ---- slurmstepd ----------------------------------------------------------------------------- */

static const char *const shown[] = { "SLURM_IO_CORES",	 "SLURM_IO_CPUS", "SLURM_IO_PROFILE",
				     "JOBIO_GOT_ALL",	 "ROMIO_HINTS",	  "OMPI_MCA_io",
				     "JOBIO_ENVIRONMENT" };

#define BLOCK (8 << 20)

static void read_block(void)
{
	static char block[1 << 16];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < BLOCK; i += (int)sizeof(block))
		if (read(fd, block, sizeof(block)) != sizeof(block))
			_exit(8);
	close(fd);
}

static int open_file(const char *name, int how)
{
	return open(tempdir_path(name), O_WRONLY | O_CREAT | how, 0600);
}

/* Run as the user, if slurmstepd runs as root. */
static int be_task(void)
{
	int out = open_file("out", O_APPEND), env = open_file("env", O_TRUNC);

	dup2(out, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	if (call("task_init_privileged") != 0 ||
	    (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0)) || call("task_init") != 0)
		return 7;
	for (size_t i = 0; i < ROWS(shown); i++)
		if (getenv(shown[i]))
			dprintf(env, "%s=%s ", shown[i], getenv(shown[i]));
	if (word_of(client, "reading"))
		read_block();
	return 0;
}

/* The result of its tasks is written to "ended"; the option callback runs between init and
 * init_post_opt, before 24.05 twice (plugstack.c:spank_stack_post_opt). */
static int be_stepd(int tasks)
{
	const char *requested = word_of(client, "requested");
	int ended = open_file("ended", O_APPEND), status, rc = call("init");

	for (int i = 0; i < 2 && requested; i++)
		rc |= options[1].cb(options[1].val, requested, 1);
	rc |= call("init_post_opt");
	for (task_id = 0; task_id < tasks; task_id++) {
		if (fork() == 0)
			_exit(be_task());
		rc |= call("task_post_fork");
		if (wait(&status) <= 0)
			return 1;
		dprintf(ended, "%d ", WEXITSTATUS(status));
		rc |= call("task_exit");
	}
	if (word_of(client, "reading") && fork() == 0) { /* a child that is not a task */
		read_block();
		_exit(0);
	}
	while (wait(&status) > 0)
		;
	if (word_of(client, "removed"))
		unlink(plugin_path);
	return rc | call("exit");
}

/* "batch:0:1": step, node, tasks. "NAME=VALUE" is set for the following steps. */
static void run_step(const char *word)
{
	static const char *const names[] = { "interactive", "batch", "extern" };
	int status, tasks;
	char name[20];

	if (*word >= 'A' && *word <= 'Z') {
		set_variable(word);
		return;
	}
	ck_assert_int_eq(sscanf(word, "%19[a-z0-9]:%d:%d", name, &node_id, &tasks), 3);
	step_id = (uint32_t)atoi(name);
	for (uint32_t i = 0; i < ROWS(names); i++)
		if (!strcmp(name, names[i]))
			step_id = 0xfffffffaU + i; /* slurm.h */
	fflush(NULL);
	if (fork() == 0) {
		context = S_CTX_REMOTE;
		slurmd_log = fopen(tempdir_path("log"), "a");
		dup2(fileno(slurmd_log), STDERR_FILENO);
		if (word_of(client, "closed"))
			close(STDIN_FILENO);
		_exit(be_stepd(tasks) ? 1 : 0);
	}
	wait(&status);
	ck_assert_msg(status == 0, "%s: %d", word, status);
}

#define MPI_IO "ROMIO_HINTS=/etc/a OMPI_MCA_io=romio341"
#define NOTE "profile 'stream' was not applied: the node is shared"

/* Write the files of the prolog, by the words of a row, and jobio.conf. */
static void prepare(const char *words)
{
	struct gatefile gate = { .policy = strstr(words, "enforce") ? GATE_ENFORCE : GATE_WARN,
				 .is_requested = strstr(words, "asked") != NULL };
	const char *cores = word_of(words, "cores"), *profile = word_of(words, "profile");
	char text[700];

	snprintf(text, sizeof(text),
		 "[jobio]\nrun_dir=%s\n%s[profile mpi-io]\nenvironment=" MPI_IO
		 "\n[profile other]\nenvironment=ROMIO_HINTS=/etc/b\n[profile plain]\nio_cores=1\n",
		 tempdir_path("run"),
		 strstr(words, "off")	      ? "enabled=no\n"
		 : strstr(words, "elsewhere") ? "nodes=d1\n"
					      : "");
	tempdir_put("jobio.conf", text);
	strcpy(gate.note, strstr(words, "note") ? NOTE : "");
	strcpy(gate.request.profile, profile ? profile : "");
	gate.request.io_cores = cores ? (unsigned int)atoi(cores) : 0;
	if (cores)
		cpuset_parse(&gate.io_cpus, "6-7", NULL);
	if (strstr(words, "client"))
		memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	tempdir_put("run/7/x", "");
	unlink(tempdir_path("run/7/x"));
	if (strstr(words, "no-folder"))
		ck_assert_int_eq(rmdir(tempdir_path("run/7")), 0);
	else if (strstr(words, "bad"))
		tempdir_put("run/7/gate", "version=1\npolicy=maybe\n");
	else if (!strstr(words, "none"))
		gatefile_write(tempdir_path(strstr(words, "on-node") ? "run/gate" : "run/7/gate"),
			       &gate, NULL);
	if (strstr(words, "mountinfo")) /* mounts of the node: one disk */
		tempdir_put("run/7/mountinfo", "mnt:[1]\n1 1 8:1 / / rw - ext4 a rw\n");
}

/* Copy the plugin to this folder, and set the time of the gate file. */
static void copy_plugin(const char *gate_s)
{
	const struct timespec at = { .tv_sec = strtol(gate_s, NULL, 10) }, times[2] = { at, at };
	size_t size;
	char *so = fileio_read(PLUGIN, 64 << 20, &size, &err);

	ck_assert_msg(so != NULL, "%s", err.text);
	snprintf(plugin_path, sizeof(plugin_path), "%s", tempdir_path("jobio.so"));
	ck_assert_int_eq(fileio_write_volatile(plugin_path, so, size, 0755, &err), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, tempdir_path("run/7/gate"), times, 0), 0);
	free(so);
}

/* FILE=TEXT, FILE~part of the text, FILE^start of the text, FILE#number of lines, FILE@mode;
 * FILE: it exists; !FILE: it does not. */
static bool holds(const char *expected)
{
	size_t length = strcspn(expected, "=~^#@");
	const char *wanted = expected + length + 1;
	char name[100], *text, *at;
	bool is = false;
	struct stat st;
	long lines = 0;

	if (*expected == '!')
		return access(tempdir_path(expected + 1), F_OK) < 0;
	snprintf(name, sizeof(name), "%.*s", (int)length, expected);
	if (!expected[length])
		return access(tempdir_path(name), F_OK) == 0;
	if (expected[length] == '@')
		return stat(tempdir_path(name), &st) == 0 &&
		       (st.st_mode & 07777) == strtoul(wanted, NULL, 8);
	text = fileio_read(tempdir_path(name), 9999, NULL, NULL);
	text = text ? text : strdup("");
	for (at = text; (at = strchr(at, '\n')); at++)
		lines++;
	if (expected[length] == '=')
		is = strspn(text, " \n") == strlen(text)
			     ? !*wanted
			     : !strncmp(text, wanted, strlen(wanted)) &&
				       strspn(text + strlen(wanted), " \n") ==
					       strlen(text + strlen(wanted));
	else if (expected[length] == '~')
		is = strstr(text, wanted) != NULL;
	else if (expected[length] == '^')
		is = !strncmp(text, wanted, strlen(wanted));
	else
		is = lines == atol(wanted);
	if (!is)
		printf("%s:\n%s\n", name, text);
	free(text);
	return is;
}

#define SAID "jobio: node c1: " NOTE
#define UNPREPARED                                                                                 \
	"jobio: node c1: the node's prolog did not prepare this job: its I/O options may have no effect"
#define STEP0 "run/7/steps/0"
#define NO_LIVE "@jobio/1 e 0 0 1 1 c1 " JOBIO_LIBEXECDIR "/jobio-live: No such file or directory"
#define MPI_IO_GIVEN "JOBIO_ENVIRONMENT=" MPI_IO

/* Files of the prolog | environment of the step, and items that Slurm does not have | steps of
 * job 7 in order | expected files at the end. */
static const char *const steps[] = {
	/* unmet requests are printed once, by the first task on the first node */
	"note | | batch:0:1 0:0:4 1:0:2 | out=" SAID,
	"note | | 0:0:4 1:0:4 | out=" SAID,
	"note | | 0:1:2 JOBIO_GOT_ALL=6 0:1:2 | out=",
	"note | JOBIO_GOT_ALL=7 | 0:1:2 1:1:2 | out=" SAID,
	"note | closed=yes | 0:0:2 1:0:2 1:0:2 | out=" SAID " | run/7/told@600 | " STEP0,
	"note | unset=task | 0:0:1 | out=" SAID,
	"note | unset=node | 0:0:1 | out=" SAID,
	"cores=1 profile=stream | | batch:0:1 0:0:2 | out=",
	/* a job with a request, without a prolog */
	"none | requested=stream | batch:0:1 0:0:4 | out=" UNPREPARED,
	"none | | batch:0:1 0:0:4 | out=",
	"on-node | requested=stream | batch:0:1 | out=" UNPREPARED,
	"no-folder | requested=stream | batch:0:1 JOBIO_GOT_ALL=no7 0:0:4 | out=" UNPREPARED
	" | run/7/steps/batch | " STEP0,
	"no-folder | requested=stream | JOBIO_GOT_ALL=no6 1:0:1 | out=" UNPREPARED,
	/* the gate: refused, warned, off */
	"client enforce asked | | 0:0:3 | out^error: jobio: gate: not started: the job may run on CPU  | out#1 | ended=1 1 1 | " STEP0
	"~,\"refused\":\"the job may run on CPU  | " STEP0 "~,\"refused_tasks\":3}",
	"client | | 0:0:1 1:0:2 | out= | ended=0 0 0 | log^info: jobio: gate: the job may run on | log#2 | run/7/steps/1~,\"warned_tasks\":2}",
	"client | | 0:0:3 | " STEP0 "~,\"warned\":\"the job may run on CPU  | " STEP0
	"~,\"warned_tasks\":3}",
	"client cores=1 | | batch:0:1 0:0:3 | out^jobio: node c1: the job may run on CPU | out#1",
	"client note enforce asked off | requested=stream | 0:0:2 | out= | ended=0 0 | " STEP0
	"~\"own_out\":true,",
	"client note enforce asked elsewhere | requested=stream | 0:0:2 | out= | ended=0 0",
	"| | 0:0:1 | log=",
	"none | | 0:0:1 | log^info: jobio: gate: tasks are not checked: no gate file for job 7 in | log~(did the prolog run?)",
	"bad | | 0:0:1 | out= | log^error: jobio: gate: tasks are not checked: gate file ' | log~': bad policy 'maybe'",
	"| argument=gate=off | 0:0:1 | log=verbose: jobio: plugstack.conf: 'gate=off': unknown argument, expected conf=/PATH | " STEP0,
	"| argument=conf=jobio.conf | 0:0:1 | log=verbose: jobio: plugstack.conf: 'conf=jobio.conf': unknown argument, expected conf=/PATH",
	/* variables in the tasks' environment */
	"cores=2 profile=stream | SLURM_IO_CPUS=9 SLURM_IO_PROFILE=other | 0:0:1 | env=SLURM_IO_CORES=2 SLURM_IO_CPUS=6-7 SLURM_IO_PROFILE=stream",
	"cores=2 | SLURM_IO_PROFILE=other | 0:0:1 | env=SLURM_IO_CORES=2 SLURM_IO_CPUS=6-7",
	"| SLURM_IO_CORES=9 SLURM_IO_CPUS=9 SLURM_IO_PROFILE=other | 0:0:1 | env=",
	"none | SLURM_IO_CORES=9 SLURM_IO_CPUS=9 SLURM_IO_PROFILE=other | 0:0:1 | env=",
	"| | batch:0:1 | env=",
	"profile=s | JOBIO_GOT_ALL=6 | batch:0:1 | env=SLURM_IO_PROFILE=s JOBIO_GOT_ALL=7",
	"profile=s | | interactive:0:1 | env=SLURM_IO_PROFILE=s JOBIO_GOT_ALL=7",
	"profile=s | | 0:0:1 | env=SLURM_IO_PROFILE=s",
	"cores=1 | | batch:0:1 | env=SLURM_IO_CORES=1 SLURM_IO_CPUS=6-7 JOBIO_GOT_ALL=7",
	"note | | batch:0:1 | env=JOBIO_GOT_ALL=no7",
	"profile=mpi-io | | 0:0:1 | out= | env=SLURM_IO_PROFILE=mpi-io " MPI_IO " " MPI_IO_GIVEN,
	"profile=plain | | 0:0:2 | env=SLURM_IO_PROFILE=plain",
	"profile=gone | | 0:0:1 | env=SLURM_IO_PROFILE=gone",
	"profile=mpi-io | ROMIO_HINTS=/home/alice/hints | 0:0:1 | env=SLURM_IO_PROFILE=mpi-io ROMIO_HINTS=/home/alice/hints OMPI_MCA_io=romio341 " MPI_IO_GIVEN,
	"profile=mpi-io | ROMIO_HINTS=/home/alice/hints OMPI_MCA_io= JOBIO_ENVIRONMENT=ROMIO_HINTS=/etc/a+OMPI_MCA_io=romio341 | 0:0:1 | env=SLURM_IO_PROFILE=mpi-io ROMIO_HINTS=/home/alice/hints OMPI_MCA_io= " MPI_IO_GIVEN,
	"profile=other | ROMIO_HINTS=/etc/a OMPI_MCA_io=romio341 JOBIO_ENVIRONMENT=ROMIO_HINTS=/etc/a+OMPI_MCA_io=romio341 | 0:0:1 | env=SLURM_IO_PROFILE=other ROMIO_HINTS=/etc/b JOBIO_ENVIRONMENT=ROMIO_HINTS=/etc/b",
	"| ROMIO_HINTS=/etc/a OMPI_MCA_io=ompio JOBIO_ENVIRONMENT=ROMIO_HINTS=/etc/a+OMPI_MCA_io=romio341 | 0:0:1 | env=OMPI_MCA_io=ompio",
	"profile=mpi-io | JOBIO_ENVIRONMENT=;+rm+-r+~+= | 0:0:1 | env=SLURM_IO_PROFILE=mpi-io " MPI_IO
	" " MPI_IO_GIVEN,
	/* files for the record */
	"note | | extern:0:0 | run/7/begun | !run/7/steps/extern | !run/7/told",
	"note | unset=job | 0:0:1 | out= | ended=0 | !" STEP0 " | !run/7/begun",
	"note | unset=step | 0:0:1 | out= | ended=0 | !" STEP0 " | !run/7/begun",
	"| | 0:0:0 | " STEP0 "@600 | run/7/steps@700",
	"| | 0:0:1 | " STEP0 "^{\"step\":\"0\",\"source\":\"stepd\",\"read_bytes\": | " STEP0
	"~\"own_out\":true,\"uid\":1000,\"array_job_id\":null,\"array_task_id\":null,",
	"| array=5:2 | 0:0:1 | " STEP0 "~\"array_job_id\":5,\"array_task_id\":2,",
	"| array=5:0xfffffffe | 0:0:1 | " STEP0 "~\"array_job_id\":null,\"array_task_id\":null,",
	"mountinfo | | 0:0:1 | " STEP0 "~,\"private_mounts\":\"",
	/* a plugin that was installed after the prolog ran, or removed since */
	"note | plugin=1 | 0:0:1 | run/7/away | run/plugin~/jobio.so",
	"note | plugin=4000000000 | 0:0:1 | !run/7/away | run/plugin~/jobio.so",
	"note | plugin=1 | extern:0:0 0:0:1 | !run/7/away",
	"note | plugin=4000000000 removed=yes | 0:0:1 | run/7/away",
	/* a step of jobio report --live (jobio-live is not installed) is no step of the user */
	"note | JOBIO_LIVE=7 | 0:0:2 | out=" NO_LIVE " | !" STEP0,
	"note | JOBIO_LIVE=7 unset=task | 0:0:1 | out=" NO_LIVE,
	"note | JOBIO_LIVE=7 | batch:0:1 interactive:0:1 | out=" SAID
	" | run/7/steps/batch | run/7/steps/interactive",
	"note | JOBIO_LIVE=6 | 0:0:2 | out=" SAID " | " STEP0,
};

static void set_step_up(const char *words)
{
	const char *argument, *plugin;
	char copy[400], *state, *word;

	for (size_t i = 0; i < ROWS(shown); i++)
		unsetenv(shown[i]);
	unsetenv("JOBIO_LIVE");
	setenv("SLURMD_NODENAME", "c1", 1);
	snprintf(client, sizeof(client), "%s", words);
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		for (char *at = word; (at = strchr(at, '+')); at++)
			*at = ' ';
		if (*word >= 'A' && *word <= 'Z')
			set_variable(word);
	}
	argument = word_of(words, "argument");
	snprintf(arguments[0], sizeof(arguments[0]), "conf=%s", tempdir_path("jobio.conf"));
	snprintf(arguments[1], sizeof(arguments[1]), "%s", argument ? argument : "");
	snprintf(plugin_path, sizeof(plugin_path), "%s", PLUGIN);
	plugin = word_of(words, "plugin");
	if (plugin)
		copy_plugin(plugin);
}

START_TEST(a_step_is_checked_and_leaves_the_output_and_files_of_its_row)
{
	char part[8][700], *state, *word;

	for (size_t i = 0; i < ROWS(steps); i++) {
		if (i % (size_t)rounds_share())
			continue;
		split_row(steps[i], part);
		tempdir_make();
		prepare(part[0]);
		set_step_up(part[1]);
		for (word = strtok_r(part[2], " ", &state); word;
		     word = strtok_r(NULL, " ", &state))
			run_step(word);
		for (int k = 3; k < 8 && *part[k]; k++)
			ck_assert_msg(holds(part[k]), "%s\nnot so: %s", steps[i], part[k]);
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_step_ends_with_its_last_task_and_has_the_cpus_that_its_tasks_were_bound_to)
{
	struct cpuset bound;
	char *text, *list;
	long bytes;

	tempdir_make();
	prepare("");
	set_step_up("reading=yes");
	run_step("0:0:2");
	text = fileio_read(tempdir_path(STEP0), 4096, NULL, &err);
	bytes = atol(strstr(text, "\"read_bytes\":") + 13);
	ck_assert(bytes >= 2 * BLOCK && bytes < 3 * BLOCK);
	ck_assert_int_eq(gate_bound(&bound), 0);
	list = cpuset_format(&bound);
	ck_assert_ptr_nonnull(strstr(strstr(text, ",\"cpus\":\"") + 9, list));
	free(list);
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(in_slurmd_and_in_a_job_script_the_plugin_does_nothing)
{
	static const spank_context_t contexts[] = { S_CTX_SLURMD, S_CTX_JOB_SCRIPT };

	tempdir_make();
	set_step_up("");
	for (size_t i = 0; i < 2; i++) {
		context = contexts[i];
		ck_assert(call("init") == 0 && call("init_post_opt") == 0 && call("exit") == 0);
	}
	tempdir_remove();
}
END_TEST

/* ---- the gate's verdict ------------------------------------------------------------------------ */

START_TEST(the_gate_refuses_a_task_that_may_run_on_the_clients_cpus_or_warns_by_policy)
{
	/* policy, and whether the job requested cores | the client's CPUs | reserved CPUs | CPUs
	 * that the job may use | CPUs bound to, "free": not confined | verdict | message */
	static const char *const rows[] = {
		"enforce | 7,15 | 7,15 | 0-6,8-14 | 0 | 0",
		"enforce | 7,15 | 7,15 | 0-7 | 0 | 2 | the job may run on CPU 7 of node c1, where the filesystem client weka:client works; slurm.conf reserves it (CpuSpecList): submit the job without --core-spec=0, or with --io-cores",
		"enforce | 7,15 | 7,15 | 8-15 | 8 | 2 | the job may run on CPU 15 of node c1",
		"enforce | 7 | | 0-7 | 0 | 1 | ...slurm.conf does not reserve it: run 'jobio check' there...",
		"enforce | 7 | 6 | 0-7 | 0 | 1",
		"enforce asked | 7 | | 0-7 | 0 | 2 | ...the io-cores that Slurm reserved are others: ask your administrator...",
		"enforce asked note | 7 | | 0-7 | 4-7 free | 2 | ...(jobs are not confined to their cores); " NOTE,
		"warn asked | 7 | | 0-7 | 0 | 1",
		"warn | 7 | 7 | 0-7 | 0 | 1",
		"off | 7 | 7 | 0-7 | 0 | 0",
		"enforce | 7 | 7 | 0-7 | 0-3 free | 0",
		"enforce | 7 | 7 | 0-7 | 4-7 free | 1 | ...(jobs are not confined to their cores)...",
		"enforce unknown | 0-7 | 0-7 | 0-7 | 0-7 | 0",
		"enforce | 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62,64,66,68,70,72,74,76 | 0 | 0-99 | 0 | 2 | the job may run on CPU 0,2,4,6,...... of node c1...with --io-cores",
	};
	char part[8][700];

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct gate gate = { .job_id = 7, .file = { .client = "weka:client" } };
		struct gate_view view = { 0 };

		split_row(rows[i], part);
		gate.has_file = !strstr(part[0], "unknown");
		gate.file.is_requested = strstr(part[0], "asked") != NULL;
		gate.file.policy = *part[0] == 'e'   ? GATE_ENFORCE
				   : *part[0] == 'w' ? GATE_WARN
						     : GATE_OFF;
		strcpy(gate.file.note, strstr(part[0], "note") ? NOTE : "");
		view.is_confined = !strstr(part[4], "free");
		part[4][strcspn(part[4], " ")] = '\0';
		ck_assert(cpuset_parse(&gate.file.client_cpus, part[1], &err) == 0 &&
			  cpuset_parse(&gate.file.spec_cpus, part[2], &err) == 0 &&
			  cpuset_parse(&view.allowed, part[3], &err) == 0 &&
			  cpuset_parse(&view.bound, part[4], &err) == 0);
		ck_assert_msg(gate_judge(&gate, &view, "c1", &err) ==
				      (enum gate_verdict)atoi(part[5]),
			      "%s", rows[i]);
		if (*part[6])
			ck_assert_msg(is_like(err.text, part[6]) ||
					      !strncmp(err.text, part[6], strlen(part[6])),
				      "%s", err.text);
	}
}
END_TEST

START_TEST(a_job_is_confined_by_a_cpuset_of_its_own_cgroup)
{
	/* /proc/self/cgroup, ";" for newlines | folder with cpuset.cpus | confined, -1: not known
	 * v1: only task/cgroup creates the folder; v2: it has cpuset.cpus; 26.05: in a scope */
	static const char *const rows[] = {
		"5:freezer:/slurm/uid_1000/job_7/step_0;4:cpu,cpuset:/slurm/uid_1000/job_7/step_0 | | 1",
		"5:freezer:/slurm/uid_1000/job_7/step_0;4:cpuset:/ | | 0",
		"4:cpuset:/slurm/uid_1000/job_77/step_0 | | 0",
		"4:cpuset:/slurm/job_77/job_7/step_0 | | 1",
		"4:cpuset:/slurm/uid_1000/job_7 | | 1",
		"odd;4:odd;4:cpuset,cpu:/slurm/job_7/step_0 | | 1",
		"4:mycpuset:/slurm/job_7/step_0 | | 0",
		"4:cpusets:/slurm/job_7/step_0 | | 0",
		"0::/slurm/job_7/step_0/user/task_0 | slurm/job_7 | 1",
		"0::/slurm/job_7/step_0/user/task_0 | slurm/job_7/step_0 | 1",
		"0::/slurm/job_7/step_0/user/task_0 | slurm | 0",
		"0::/slurm/job_7/step_0/user/task_0 | | 0",
		"0::/user.slice | user.slice | 0",
		"0::/ | | -1",
		"0::/../../step_0/user | | -1",
		"5:freezer:/;4:cpuset:/ | | -1",
		"0::/slurmstepd.scope/sEKN/step_0/user/task_0 | slurmstepd.scope/sEKN | 1",
		"0::/slurmstepd.scope/sEKN/step_0/user/task_0 | slurmstepd.scope/sEKN/step_0/user/task_0 | 1",
		"0::/slurmstepd.scope/sEKN/step_0/user/task_0 | slurmstepd.scope | 0",
		"0::/slurmstepd.scope/sEKN/step_1 | slurmstepd.scope/sEKN/step_0 | 0",
		"0::/slurmstepd.scope | slurmstepd.scope | 0",
		"0::/xslurmstepd.scope/sEKN | xslurmstepd.scope/sEKN | 0",
		"0::/n1_slurmstepd.scope/s7/step_0 | n1_slurmstepd.scope/s7 | 1",
	};
	char part[8][700], path[200];

	for (size_t i = 0; i < ROWS(rows); i++) {
		split_row(rows[i], part);
		for (char *at = part[0]; (at = strchr(at, ';')); at++)
			*at = '\n';
		strcat(part[0], "\n");
		tempdir_make();
		snprintf(path, sizeof(path), "%s/cpuset.cpus", *part[1] ? part[1] : "x");
		tempdir_put(path, "0-3\n");
		tempdir_put("slurm/job_7/empty/cpuset.cpus", "\n");
		ck_assert_msg(gate_confined(7, tempdir_put("cgroup", part[0]), tempdir_path(".")) ==
				      atoi(part[2]),
			      "%s", rows[i]);
		tempdir_remove();
	}
	ck_assert_int_eq(gate_confined(7, "/nonexistent/cgroup", "/nonexistent"), -1);
}
END_TEST

/* ---- counters of a step ------------------------------------------------------------------------- */

#define ALL "rchar: 9000\nwchar: 8000\nsyscr: 700\nsyscw: 600\n"

START_TEST(io_of_slurmstepds_own_threads_is_not_counted_for_its_tasks)
{
	struct stepio io = { 0 };
	char path[64];

	tempdir_make();
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/io': No such file or directory"));
	tempdir_put("io", "rchar: 1\nwchar: 2\nsyscr: 3\n");
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "has not the four counters"));
	tempdir_put("io", ALL);
	ck_assert(stepio_read(&io, tempdir_path("."), &err) == 0 && !io.has_own);
	snprintf(path, sizeof(path), "task/%d/io", gettid());
	tempdir_put(path, "rchar: 1000\nwchar: 50\nsyscr: 10\nsyscw: 5\n");
	tempdir_put("task/999999999/io", "rchar: 30000\nwchar: 7\nsyscr: 200\nsyscw: 8\n");
	ck_assert(stepio_read(&io, tempdir_path("."), &err) == 0 && io.has_own);
	ck_assert_uint_eq(io.all[STEPIO_WRITE_CALLS], 600);
	/* without the read(2) of the process's own counters */
	ck_assert(io.own[STEPIO_READ_BYTES] == 31000 - strlen(ALL) &&
		  io.own[STEPIO_READ_CALLS] == 209);
	ck_assert(io.own[STEPIO_WRITE_BYTES] == 57 && io.own[STEPIO_WRITE_CALLS] == 13);
	tempdir_put("task/999999999/io", "rchar: 1\n");
	ck_assert(stepio_read(&io, tempdir_path("."), &err) == 0 && !io.has_own);
	tempdir_remove();
}
END_TEST

START_TEST(a_step_file_has_the_difference_and_is_never_longer_than_the_epilog_reads)
{
	const struct stepio start = { { 1000, 2000, 30, 40 }, { 900, 1900, 20, 30 }, 1000, true };
	struct stepio end = { { 9000, 9000, 90, 90 }, { 5900, 6900, 50, 60 }, 1060, true };
	char quotes[3 * ERR_MAX], *text;
	struct cpuset cpus = { 0 };
	struct stepio_label label = { .job_id = 7, .cpus = &cpus, .private_mounts = "nfs4" };

	tempdir_make();
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("no"), &err), 0);
	ck_assert_int_eq(access(tempdir_path("no"), F_OK), -1); /* a node without jobio's folder */
	memset(quotes, '"', sizeof(quotes) - 1);
	quotes[sizeof(quotes) - 1] = '\0';
	for (unsigned int cpu = 0; cpu < 510; cpu += 2)
		cpuset_add(&cpus, 100 + cpu);
	ck_assert_int_eq(mkdir(tempdir_path("run"), 0700), 0);
	label.refused = label.warned = quotes;
	label.refused_tasks = label.warned_tasks = 2;
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("run"), &err), 0);
	text = fileio_read(tempdir_path(STEP0), 4096, NULL, &err); /* as node/steps.c does */
	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(
		text,
		"\"read_bytes\":3000,\"write_bytes\":2000,\"read_calls\":30,\"write_calls\":20,\"own_out\":true,"));
	ck_assert_str_eq(strstr(text, "\\\"\",\"warned_tasks\""), "\\\"\",\"warned_tasks\":2}\n");
	free(text);
	end.has_own = false;
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("run"), &err), 0);
	ck_assert(holds(
		STEP0
		"~\"read_bytes\":8000,\"write_bytes\":7000,\"read_calls\":60,\"write_calls\":50,\"own_out\":false,"));
	tempdir_remove();
	tempdir_make();
	ck_assert_int_eq(mkdir(tempdir_path("run"), 0700), 0);
	ck_assert_int_eq(symlink("/tmp", tempdir_path("run/7")), 0);
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("run"), &err), -1);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("plugin", a_request_depends_on_command_line_environment_sbatch_profile_and_site,
	  io_cores_help_on_the_command_line_needs_no_script,
	  our_options_fit_into_the_columns_of_slurms_help,
	  a_step_is_checked_and_leaves_the_output_and_files_of_its_row,
	  a_step_ends_with_its_last_task_and_has_the_cpus_that_its_tasks_were_bound_to,
	  in_slurmd_and_in_a_job_script_the_plugin_does_nothing,
	  the_gate_refuses_a_task_that_may_run_on_the_clients_cpus_or_warns_by_policy,
	  a_job_is_confined_by_a_cpuset_of_its_own_cgroup,
	  io_of_slurmstepds_own_threads_is_not_counted_for_its_tasks,
	  a_step_file_has_the_difference_and_is_never_longer_than_the_epilog_reads)
