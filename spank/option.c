/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/option.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_load.h"
#include "base/config_query.h"
#include "base/number.h"
#include "base/request.h"
#include "spank/submit.h"

/* spank.c:_opt_env_name: prefix, plugin name, option name */
#define SPANK_ENV "SLURM_SPANK__SLURM_SPANK_OPTION_jobio_"
#define WORD_MAX 128 /* longer than any valid value */

enum {
	CORES,
	PROFILE,
	VALUES
};

enum source {
	UNSET,
	ENVIRONMENT,
	OPTION /* command line or #SBATCH: Slurm does not distinguish them */
};

struct value {
	enum source source;
	char text[WORD_MAX];
};

static const struct {
	const char *option;    /* as the user writes it */
	const char *spank_env; /* variable in which Slurm passes it on */
	const char *suffix;    /* of the documented variables */
	const char *query;
	enum option_query answer;
} options[VALUES] = {
	{ "io-cores", SPANK_ENV "io_cores", "IO_CORES", "help", OPTION_CORES_HELP },
	{ "io-profile", SPANK_ENV "io_profile", "IO_PROFILE", "list", OPTION_PROFILE_LIST },
};

/* SPANK passes no argument to option callbacks: their values are stored here for option_settle().
 * One thread (sbatch/opt.c, salloc/opt.c, srun/opt.c). */
static struct value values[VALUES];
static char env_words[VALUES][WORD_MAX];
static char job_words[VALUES][WORD_MAX]; /* of the outer job; "": none */
static bool has_env[VALUES];
static void (*answer_query)(enum option_query query);
static bool is_given;

static const char *env_name(int which, char *name, size_t room)
{
	static const char *const prefix[] = {
		[SUBMIT_SBATCH] = "SBATCH",
		[SUBMIT_SALLOC] = "SALLOC",
		[SUBMIT_SRUN] = "SLURM",
		[SUBMIT_OTHER] = "SBATCH",
	};

	snprintf(name, room, "%s_%s", prefix[submit_command()], options[which].suffix);
	return name;
}

static int on_option(int which, const char *word, int remote)
{
	/* the node uses the request that the prolog checked, not the option */
	is_given |= remote && word;
	if (remote || which < 0 || which >= VALUES || !word)
		return 0;
	if (submit_command() == SUBMIT_OTHER)
		answer_query(OPTION_NOT_HERE);
	/* spank_process_env_options passes getenv()'s pointer: this call is for the environment.
	 * The value may be that of an earlier component of a het job (sbatch.c:_set_spank_env): use
	 * that of the documented variable, or none. */
	if (word == getenv(options[which].spank_env)) {
		if (!has_env[which])
			return 0;
		word = env_words[which];
		values[which].source = ENVIRONMENT;
	} else {
		values[which].source = OPTION;
		if (!strcmp(word, options[which].query))
			answer_query(options[which].answer);
	}
	snprintf(values[which].text, sizeof(values[which].text), "%s", word);
	return 0;
}

/* Let Slurm read SBATCH_IO_CORES in its own order, after #SBATCH and before the command line.
 * Without such a variable, remove the outer job's request: a job that a job submits does not
 * inherit it, as it does not inherit --core-spec. */
static void read_environment(void)
{
	const char *word, *outer;
	char name[32];
	int i;

	for (i = 0; i < VALUES; i++) {
		word = getenv(env_name(i, name, sizeof(name)));
		has_env[i] = word && *word;
		outer = getenv(options[i].spank_env);
		snprintf(job_words[i], WORD_MAX, "%s", outer ? outer : "");
		if (has_env[i]) {
			snprintf(env_words[i], WORD_MAX, "%s", word);
			setenv(options[i].spank_env, env_words[i], 1);
		} else {
			unsetenv(options[i].spank_env);
		}
	}
}

int option_register(spank_t sp, void (*answer)(enum option_query query), struct err *err)
{
	struct spank_option cores = {
		.name = "io-cores",
		.arginfo = "N|help",
		.usage = "cores per node for the filesystem client",
		.has_arg = 1,
		.val = CORES,
		.cb = on_option,
	};
	struct spank_option profile = {
		.name = "io-profile",
		.arginfo = "NAME|list",
		.usage = "settings of the filesystem client for the job",
		.has_arg = 1,
		.val = PROFILE,
		.cb = on_option,
	};

	answer_query = answer;
	memset(values, 0, sizeof(values));
	if (spank_context() == S_CTX_LOCAL || spank_context() == S_CTX_ALLOCATOR)
		read_environment();
	if (spank_option_register(sp, &cores) != ESPANK_SUCCESS ||
	    spank_option_register(sp, &profile) != ESPANK_SUCCESS)
		return err_set(err, "Slurm does not take the options --io-cores and --io-profile");
	return 0;
}

bool option_is_given(void)
{
	return is_given;
}

enum option_query option_early_query(void)
{
	int i;

	for (i = 0; i < VALUES; i++)
		if (submit_has_early(options[i].option, options[i].query))
			return options[i].answer;
	return OPTION_NONE;
}

/* ---- settling ------------------------------------------------------------ */

struct settle {
	struct request request;
	bool is_requested; /* by this user, for this component */
	bool has_cores;	   /* by number, not by a profile */
};

/* Return what the user wrote: SBATCH_IO_CORES or --io-cores */
static const char *source_name(int which, char *name, size_t room)
{
	if (values[which].source == ENVIRONMENT)
		return env_name(which, name, room);
	snprintf(name, room, "--%s", options[which].option);
	return name;
}

static int prefix_source(int which, struct err *err)
{
	char name[32];

	return err_prefix(err, "%s", source_name(which, name, sizeof(name)));
}

static int parse_cores(struct settle *s, const struct config *config, struct err *err)
{
	unsigned long n;

	if (values[CORES].source == UNSET)
		return 0;
	if (number_parse(values[CORES].text, config->io_cores_min, config->io_cores_max, &n, NULL) <
	    0) {
		if (config->io_cores_min == config->io_cores_max)
			err_set(err, "'%s': this site allows only %u (see --io-cores=help)",
				values[CORES].text, config->io_cores_max);
		else
			err_set(err,
				"'%s': this site allows a number from %u to %u (see --io-cores=help)",
				values[CORES].text, config->io_cores_min, config->io_cores_max);
		return prefix_source(CORES, err);
	}
	s->request.io_cores = (unsigned int)n;
	return 0;
}

static int parse_profile(struct settle *s, struct err *err)
{
	if (values[PROFILE].source == UNSET)
		return 0;
	if (request_parse_profile(values[PROFILE].text, s->request.profile, err) < 0)
		return prefix_source(PROFILE, err);
	return 0;
}

static void fill_defaults(struct settle *s, const struct config *config)
{
	const struct config_profile *profile;

	if (!s->request.profile[0])
		snprintf(s->request.profile, sizeof(s->request.profile), "%s",
			 config->profile_default);
	if (s->request.io_cores)
		return;
	profile = config_profile_find(config, s->request.profile);
	s->request.io_cores =
		profile && profile->io_cores ? profile->io_cores : config->io_cores_default;
}

/* Return 1 if the user reserves the same number, 0 if none, -1 if another number, or if this cannot
 * be determined. */
static int find_conflict(const struct settle *s, struct err *err)
{
	unsigned int core_spec = 0;
	int rc = submit_is_set("thread-spec", err);

	if (rc == 1)
		return err_set(err, "cannot go together with --thread-spec; leave one of them out");
	if (rc == 0)
		rc = submit_core_spec(&core_spec, err);
	if (rc == 1 && core_spec != s->request.io_cores)
		return err_set(
			err,
			"sets --core-spec=%u, but --core-spec=%u was given too; leave --core-spec out",
			s->request.io_cores, core_spec);
	return rc;
}

static int reserve(const struct settle *s, struct err *err)
{
	int conflict = find_conflict(s, err);

	if (conflict < 0 || submit_site_reserves(err) == 0)
		return -1;
	return conflict ? 0 : submit_set_core_spec(s->request.io_cores, err);
}

static int reserve_cores(struct settle *s, struct err *err)
{
	if (!s->request.io_cores || reserve(s, err) == 0)
		return 0;
	if (!s->is_requested) {
		s->request.io_cores = 0; /* the site's default is no request */
		return 0;
	}
	if (s->has_cores)
		err_prefix(err, "'%u'", s->request.io_cores);
	else
		err_prefix(err, "'%s' (brings %u io-core%s)", s->request.profile,
			   s->request.io_cores, s->request.io_cores == 1 ? "" : "s");
	return prefix_source(s->has_cores ? CORES : PROFILE, err);
}

static int set_job_env(void *sp, const char *name, const char *value)
{
	return spank_job_control_setenv(sp, name, value, 1) == ESPANK_SUCCESS ? 0 : -1;
}

static int unset_job_env(void *sp, const char *name, const char *value)
{
	char old[WORD_MAX];

	(void)value;
	if (spank_job_control_getenv(sp, name, old, sizeof(old)) != ESPANK_ENV_NOEXIST)
		spank_job_control_unsetenv(sp, name);
	return 0;
}

/* Remove the request of an earlier component, or of the outer job. */
static void clear_request(spank_t sp)
{
	static const struct request all = { 1, "x" };

	request_export(&all, unset_job_env, sp);
}

static bool is_empty(const struct request *request)
{
	return !request->io_cores && !request->profile[0];
}

static int export_request(spank_t sp, const struct settle *s, struct err *err)
{
	const struct request *request = &s->request;

	clear_request(sp);
	if (is_empty(request) || request_export(request, set_job_env, sp) == 0 || !s->is_requested)
		return 0;
	return err_set(
		err,
		"Slurm does not carry the request to the nodes (spank_job_control_setenv failed)");
}

/* Set the job's request in the environment, for its steps: under Slurm's own name, as an option or
 * a variable would, with the io-cores of a profile. */
static void export_to_steps(const struct request *request)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", request->io_cores);
	if (request->io_cores)
		setenv(options[CORES].spank_env, number, 1);
	if (request->profile[0])
		setenv(options[PROFILE].spank_env, request->profile, 1);
}

/* Return true if the step requests what its job does not have. The gate (SLURM_IO_CORES) and the
 * submission have set what it has. */
static bool is_new(int which)
{
	static const char *const granted[VALUES] = { "SLURM_IO_CORES", "SLURM_IO_PROFILE" };
	const char *has = getenv(granted[which]);

	return values[which].source == OPTION && !(has && !strcmp(has, values[which].text)) &&
	       strcmp(job_words[which], values[which].text) != 0;
}

/* A step cannot change the request of its job: set a note, if it tries to. */
static enum option_outcome settle_step(struct err *err)
{
	bool cores = is_new(CORES), profile = is_new(PROFILE);
	const char *job = getenv("SLURM_JOB_ID");
	int first = cores ? CORES : PROFILE;

	if (!cores && !profile)
		return OPTION_DONE;
	err_set(err,
		"--%s: '%s'%s%s%s: ignored for a step of job %s: the %s of a job %s settled when it is submitted",
		options[first].option, values[first].text,
		cores && profile ? ", --io-profile: '" : "",
		cores && profile ? values[PROFILE].text : "", cores && profile ? "'" : "",
		job ? job : "that exists already",
		cores && profile ? "io-cores and profile"
		: cores		 ? "io-cores"
				 : "profile",
		profile && !cores ? "is" : "are");
	return OPTION_NOTE;
}

static int settle_with(struct settle *s, const struct config *config, struct err *err)
{
	struct request cores = { 0 };

	if (parse_cores(s, config, err) < 0 || parse_profile(s, err) < 0)
		return -1;
	fill_defaults(s, config);
	cores.io_cores = s->request.io_cores;
	if (request_check(&cores, config, err) < 0)
		return prefix_source(CORES, err);
	if (request_check(&s->request, config, err) < 0)
		return prefix_source(PROFILE, err);
	return reserve_cores(s, err);
}

/* If the site does not use jobio, a request is neither checked nor passed on: a node that uses it
 * would take the request for forged, because nothing is reserved for it. */
static enum option_outcome settle_off(spank_t sp, bool is_requested, struct err *err)
{
	struct err why = *err;
	char cores[32], profile[32];

	clear_request(sp);
	if (!is_requested)
		return OPTION_DONE;
	err_set(err, "%s%s%s: nothing is done: %s",
		values[CORES].source != UNSET ? source_name(CORES, cores, sizeof(cores)) : "",
		values[CORES].source != UNSET && values[PROFILE].source != UNSET ? " and " : "",
		values[PROFILE].source != UNSET ? source_name(PROFILE, profile, sizeof(profile))
						: "",
		why.text);
	return OPTION_NOTE;
}

static int refuse_config(const struct settle *s, struct err *err)
{
	err_prefix(err, "jobio has no valid configuration on this machine");
	return prefix_source(s->has_cores ? CORES : PROFILE, err);
}

static enum option_outcome settle_job(spank_t sp, const char *conf, struct err *err)
{
	struct settle s = {
		.has_cores = values[CORES].source != UNSET,
		.is_requested = values[CORES].source != UNSET || values[PROFILE].source != UNSET,
	};
	struct config *config = config_load(conf, err);
	int rc;

	if (config && config_is_off(config, NULL, submit_partitions(), err)) {
		config_free(config);
		return settle_off(sp, s.is_requested, err);
	}
	if (config)
		rc = settle_with(&s, config, err);
	else
		rc = refuse_config(&s, err);
	config_free(config);
	if (rc < 0 && s.is_requested)
		return OPTION_REFUSED;
	if (rc < 0) /* a job without a request is not refused */
		memset(&s.request, 0, sizeof(s.request));
	export_to_steps(&s.request);
	return export_request(sp, &s, err) < 0 ? OPTION_REFUSED : OPTION_DONE;
}

enum option_outcome option_settle(spank_t sp, const char *conf, struct err *err)
{
	enum option_outcome outcome;

	if (submit_in_allocation())
		outcome = settle_step(err);
	else
		outcome = settle_job(sp, conf, err);
	memset(values, 0, sizeof(values)); /* the next component has its own */
	return outcome;
}

/* ---- answers ------------------------------------------------------------- */

static const char *start_check(enum gate_policy gate)
{
	switch (gate) {
	case GATE_ENFORCE:
		return "enforce: no task starts on the client's cores";
	case GATE_WARN:
		return "warn: a task on the client's cores is reported";
	default:
		return "off";
	}
}

void option_print_help(FILE *out, const struct config *config)
{
	char otherwise[16] = "none", where[600];
	struct err off;

	snprintf(where, sizeof(where), "in use in partition %s only", config->partitions);

	if (config->io_cores_default)
		snprintf(otherwise, sizeof(otherwise), "%u", config->io_cores_default);
	fputs("--io-cores=N gives N whole cores of every node of the job to the filesystem\n"
	      "client while the job runs. It sets --core-spec=N: the job has its nodes alone.\n\n",
	      out);
	fprintf(out,
		"  allowed here  %u to %u\n"
		"  without it    the number of the profile, else %s\n"
		"  start check   %s\n"
		"  state         %s\n"
		"  order         1. the command line\n"
		"                2. SBATCH_IO_CORES (salloc: SALLOC_IO_CORES, srun: SLURM_IO_CORES)\n"
		"                3. #SBATCH lines\n"
		"                4. the profile\n"
		"                5. the default of this site\n"
		"  profiles      --io-profile=list\n",
		config->io_cores_min, config->io_cores_max, otherwise, start_check(config->gate),
		config_is_off(config, NULL, NULL, &off) ? "off: nothing is done"
		: *config->partitions			? where
							: "in use");
}

void option_print_profiles(FILE *out, const struct config *config)
{
	const struct config_profile *profile;
	char cores[16];
	size_t i;

	if (config->profile_count == 0) {
		fputs("This site has no profiles.\n", out);
		return;
	}
	fprintf(out, "%-16s %-8s %s\n", "NAME", "IO-CORES", "DESCRIPTION");
	for (i = 0; i < config->profile_count; i++) {
		profile = &config->profiles[i];
		snprintf(cores, sizeof(cores), "%u", profile->io_cores);
		fprintf(out, "%-16s %-8s %s%s\n", profile->name, profile->io_cores ? cores : "-",
			profile->description,
			!strcmp(profile->name, config->profile_default) ? " (default)" : "");
	}
}
