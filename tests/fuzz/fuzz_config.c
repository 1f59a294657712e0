/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio.conf, and a request for what it allows. */
#include "lib/config.h"
#include "lib/request.h"
#include "tests/fuzz/fuzz.h"

static void check_profiles(const struct config *config)
{
	struct request request = { .io_cores = config->io_cores_max };
	struct err err;
	size_t i;

	for (i = 0; i < config->profile_count; i++) {
		const char *name = config->profiles[i].name;

		MUST(config_is_name(name));
		MUST(config_profile_find(config, name));
		MUST(config_profile_nearest(config, name));
		MUST(request_parse_profile(name, request.profile, &err) == 0);
		MUST(request_check(&request, config, &err) == 0);
	}
}

/* The same text as what a site has measured. */
static void check_calibration(struct config *config, const char *text)
{
	struct err err = { "" };

	free(config->calibration);
	config->calibration = strdup(fuzz_file("advice.conf", text));
	config->advice_given = 0;
	MUST(config->calibration);
	MUST(config_calibrate(config, &err) == 0 || *err.text);
	MUST(config->advice.core_read_mbs && config->advice.io_processes);
}

FUZZ(config)
{
	char *text = fuzz_text(data, size);
	struct err err = { "" };
	const struct config_client *clients[CONFIG_CLIENTS_MAX];
	struct config *config;

	config = config_load(fuzz_file("jobio.conf", text), &err);
	if (config) {
		MUST(config->io_cores_min <= config->io_cores_max);
		MUST(config->io_cores_max <= IO_CORES_LIMIT);
		MUST(config->client_count <= CONFIG_CLIENTS_MAX);
		MUST(config->profile_count <= CONFIG_PROFILES_MAX);
		check_profiles(config);
		config_profile_nearest(config, "stream");
		config_clients_for(config, "c1", clients);
		check_calibration(config, text);
	} else {
		MUST(*err.text);
	}
	config_free(config);
	free(text);
	return 0;
}
