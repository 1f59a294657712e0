/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SPANK_JOBIO_* as set by a user. Parts: version, cores, profile; "unset": the
 * variable is not set. */
#include "base/config_names.h"
#include "base/request.h"
#include "tests/fuzz/fuzz.h"

static const char *const names[] = { "SPANK_JOBIO_VERSION", "SPANK_JOBIO_IO_CORES",
				     "SPANK_JOBIO_IO_PROFILE" };
#define NAMES (sizeof(names) / sizeof(names[0]))

static int set(void *arg, const char *name, const char *value)
{
	char whole[64];

	(void)arg;
	snprintf(whole, sizeof(whole), "SPANK_%s", name);
	return setenv(whole, value, 1);
}

static void forget(void)
{
	size_t i;

	for (i = 0; i < NAMES; i++)
		unsetenv(names[i]);
}

static void check_again(const struct request *request)
{
	struct request again;

	MUST(request->io_cores || *request->profile);
	MUST(request->io_cores <= IO_CORES_LIMIT);
	MUST(!*request->profile || config_is_name(request->profile));
	forget();
	MUST(request_export(request, set, NULL) == 0);
	MUST(request_from_env(&again, NULL) == 1);
	MUST(again.io_cores == request->io_cores);
	MUST(!strcmp(again.profile, request->profile));
}

FUZZ(request)
{
	struct request request = { 0 };
	struct err err = { "" };
	size_t i;
	int rc;

	forget();
	for (i = 0; i < NAMES; i++) {
		char *text = fuzz_part(&data, &size);

		text[strcspn(text, "\n")] = 0;
		if (strcmp(text, "unset") != 0)
			MUST(setenv(names[i], text, 1) == 0);
		free(text);
	}
	rc = request_from_env(&request, &err);
	MUST((rc < 0) == (*err.text != 0));
	if (rc == 1)
		check_again(&request);
	return 0;
}
