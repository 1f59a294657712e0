/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_names.h"
#include "base/config_query.h"
#include "base/number.h"

#define REQUEST_VERSION "1"
#define NAME_VERSION "JOBIO_VERSION"
#define NAME_CORES "JOBIO_IO_CORES"
#define NAME_PROFILE "JOBIO_IO_PROFILE"
#define NODE_PREFIX "SPANK_"
/* longest value that is quoted in a message */
#define VALUE_MAX 40
#define VERSION_MAX 999UL

static int parse_cores(const char *text, unsigned int *io_cores, struct err *err)
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
		return err_set(
			err,
			"'%.*s': not a profile name (small letters, digits, '_' and '-', at most %d)",
			VALUE_MAX, text, PROFILE_NAME_MAX);
	snprintf(profile, PROFILE_NAME_MAX + 1, "%s", text);
	return 0;
}

static int check_cores(const struct request *request, const struct config *config, struct err *err)
{
	if (!request->io_cores)
		return 0;
	if (request->io_cores >= config->io_cores_min && request->io_cores <= config->io_cores_max)
		return 0;
	if (config->io_cores_min == config->io_cores_max)
		return err_set(err, "'%u': this site allows only %u io-core%s", request->io_cores,
			       config->io_cores_max, config->io_cores_max == 1 ? "" : "s");
	return err_set(err, "'%u': this site allows %u to %u io-cores", request->io_cores,
		       config->io_cores_min, config->io_cores_max);
}

static int check_profile(const struct request *request, const struct config *config,
			 struct err *err)
{
	const char *nearest;

	if (!request->profile[0] || config_profile_find(config, request->profile))
		return 0;
	nearest = config_profile_nearest(config, request->profile);
	if (!nearest)
		return err_set(
			err,
			"'%s': this site has no such profile; --io-profile=list shows what it has",
			request->profile);
	return err_set(
		err,
		"'%s': this site has no such profile; did you mean '%s'? (--io-profile=list shows all)",
		request->profile, nearest);
}

int request_check(const struct request *request, const struct config *config, struct err *err)
{
	if (check_cores(request, config, err) < 0)
		return -1;
	return check_profile(request, config, err);
}

int request_export(const struct request *request,
		   int (*set)(void *arg, const char *name, const char *value), void *arg)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", request->io_cores);
	if (set(arg, NAME_VERSION, REQUEST_VERSION) < 0)
		return -1;
	if (request->io_cores && set(arg, NAME_CORES, number) < 0)
		return -1;
	if (!request->profile[0])
		return 0;
	return set(arg, NAME_PROFILE, request->profile);
}

/* Return 0 if it is ours, else the result of request_from_env(). */
static int check_version(const char *version, struct err *err)
{
	unsigned long n;

	if (version && !strcmp(version, REQUEST_VERSION))
		return 0;
	if (version && number_parse(version, 2, VERSION_MAX, &n, NULL) == 0)
		return REQUEST_NEWER;
	return err_set(
		err,
		NODE_PREFIX NAME_VERSION
		" '%.*s': not a request that jobio wrote; submit again without setting SPANK_ variables",
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
	if (cores && parse_cores(cores, &new.io_cores, err) < 0) {
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
