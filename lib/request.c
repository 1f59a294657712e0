/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/request.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"

#define REQUEST_VERSION "1"
#define NAME_VERSION "JOBIO_VERSION"
#define NAME_CORES "JOBIO_IO_CORES"
#define NAME_PROFILE "JOBIO_IO_PROFILE"
#define NAME_JUDGED "JOBIO_JUDGED" /* MIN-MAX or MIN-MAX,DIGEST */
#define NODE_PREFIX "SPANK_"
/* longest value that is worth quoting back */
#define VALUE_MAX 40
#define VERSION_MAX 999UL
#define JUDGED_MAX 32
#define DIGEST_DIGITS 16

int request_parse_cores(const char *text, unsigned int *io_cores,
			struct err *err)
{
	unsigned long n;

	if (number_parse(text, 1, IO_CORES_LIMIT, &n, err) < 0)
		return -1;
	*io_cores = (unsigned int)n;
	return 0;
}

int request_parse_profile(const char *text, char *profile, struct err *err)
{
	if (!config_is_name(text))
		return err_set(err,
			       "'%.*s': not a profile name (small letters, "
			       "digits, '_' and '-', at most %d)",
			       VALUE_MAX, text, PROFILE_NAME_MAX);
	snprintf(profile, PROFILE_NAME_MAX + 1, "%s", text);
	return 0;
}

static int check_cores(const struct request *request,
		       const struct config *config, struct err *err)
{
	if (!request->io_cores)
		return 0;
	if (request->io_cores < config->io_cores_min ||
	    request->io_cores > config->io_cores_max)
		return err_set(err, "'%u': this site allows %u to %u io-cores",
			       request->io_cores, config->io_cores_min,
			       config->io_cores_max);
	return 0;
}

static int check_profile(const struct request *request,
			 const struct config *config, struct err *err)
{
	const char *nearest;

	if (!request->profile[0] ||
	    config_profile_find(config, request->profile))
		return 0;
	nearest = config_profile_nearest(config, request->profile);
	if (!nearest)
		return err_set(err,
			       "'%s': this site has no such profile; "
			       "--io-profile=list shows what it has",
			       request->profile);
	return err_set(err,
		       "'%s': this site has no such profile; did you mean "
		       "'%s'? (--io-profile=list shows all)",
		       request->profile, nearest);
}

int request_check(const struct request *request, const struct config *config,
		  struct err *err)
{
	if (check_cores(request, config, err) < 0) {
		err_prefix(err, "--io-cores");
		return -1;
	}
	if (check_profile(request, config, err) < 0) {
		err_prefix(err, "--io-profile");
		return -1;
	}
	return 0;
}

void request_judge(const struct request *request, const struct config *config,
		   struct request_judgement *judgement)
{
	*judgement = (struct request_judgement){
		.io_cores_min = config->io_cores_min,
		.io_cores_max = config->io_cores_max,
		.has_settings = *request->profile != '\0',
	};
	if (judgement->has_settings)
		judgement->settings =
			config_profile_digest(config, request->profile);
}

static void print_judgement(char text[JUDGED_MAX],
			    const struct request_judgement *judgement)
{
	int used = snprintf(text, JUDGED_MAX, "%u-%u", judgement->io_cores_min,
			    judgement->io_cores_max);

	if (judgement->has_settings)
		snprintf(text + used, JUDGED_MAX - (size_t)used, ",%0*" PRIx64,
			 DIGEST_DIGITS, judgement->settings);
}

int request_export(const struct request *request,
		   const struct request_judgement *judgement,
		   int (*set)(void *arg, const char *name, const char *value),
		   void *arg)
{
	char number[16], judged[JUDGED_MAX];

	snprintf(number, sizeof(number), "%u", request->io_cores);
	print_judgement(judged, judgement);
	if (set(arg, NAME_VERSION, REQUEST_VERSION) < 0)
		return -1;
	if (request->io_cores && set(arg, NAME_CORES, number) < 0)
		return -1;
	if (request->profile[0] && set(arg, NAME_PROFILE, request->profile) < 0)
		return -1;
	return set(arg, NAME_JUDGED, judged);
}

/* 0: it is ours; else what request_from_env() returns. */
static int check_version(const char *version, struct err *err)
{
	unsigned long n;

	if (version && !strcmp(version, REQUEST_VERSION))
		return 0;
	if (version && number_parse(version, 2, VERSION_MAX, &n, NULL) == 0)
		return REQUEST_NEWER;
	return err_set(err,
		       NODE_PREFIX NAME_VERSION
		       " '%.*s': not a request that jobio wrote; submit again "
		       "without setting SPANK_ variables",
		       VALUE_MAX, version ? version : "");
}

int request_from_env(struct request *request, struct err *err)
{
	const char *version = getenv(NODE_PREFIX NAME_VERSION);
	const char *cores = getenv(NODE_PREFIX NAME_CORES);
	const char *profile = getenv(NODE_PREFIX NAME_PROFILE);
	struct request new = { 0 };
	int rc;

	if (!version && !cores && !profile)
		return 0;
	rc = check_version(version, err);
	if (rc)
		return rc;
	if (cores && request_parse_cores(cores, &new.io_cores, err) < 0) {
		err_prefix(err, NODE_PREFIX NAME_CORES);
		return -1;
	}
	if (profile && request_parse_profile(profile, new.profile, err) < 0) {
		err_prefix(err, NODE_PREFIX NAME_PROFILE);
		return -1;
	}
	if (!new.io_cores && !new.profile[0])
		return 0;
	*request = new;
	return 1;
}

/* Cut 'text' at the separator; NULL: it has none. */
static char *cut(char *text, char separator)
{
	char *at = strchr(text, separator);

	if (at)
		*at++ = '\0';
	return at;
}

static int parse_digest(const char *text, uint64_t *digest)
{
	if (strspn(text, "0123456789abcdef") != DIGEST_DIGITS ||
	    text[DIGEST_DIGITS])
		return -1;
	*digest = strtoull(text, NULL, 16);
	return 0;
}

static int parse_judgement(const char *value, struct request_judgement *new)
{
	char text[JUDGED_MAX], *max, *digest;
	unsigned long least, most;

	if (snprintf(text, sizeof(text), "%s", value) >= (int)sizeof(text))
		return -1;
	digest = cut(text, ',');
	max = cut(text, '-');
	if (!max || number_parse(text, 1, IO_CORES_LIMIT, &least, NULL) < 0 ||
	    number_parse(max, least, IO_CORES_LIMIT, &most, NULL) < 0)
		return -1;
	new->io_cores_min = (unsigned int)least;
	new->io_cores_max = (unsigned int)most;
	new->has_settings = digest != NULL;
	return digest ? parse_digest(digest, &new->settings) : 0;
}

bool request_was_allowed(const struct request *request,
			 struct request_judgement *judgement)
{
	const char *value = getenv(NODE_PREFIX NAME_JUDGED);
	struct request_judgement new = { .settings = 0 };

	if (!value || parse_judgement(value, &new) < 0 ||
	    new.has_settings != (*request->profile != '\0') ||
	    (request->io_cores && (request->io_cores < new.io_cores_min ||
				   request->io_cores > new.io_cores_max)))
		return false;
	*judgement = new;
	return true;
}
