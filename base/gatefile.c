/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/gatefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_names.h"
#include "base/fileio.h"
#include "base/number.h"

#define GATE_BYTES_MAX 65536

int gatefile_write(const char *path, const struct gatefile *gate, struct err *err)
{
	char *client_cpus = cpuset_format(&gate->client_cpus);
	char *spec_cpus = cpuset_format(&gate->spec_cpus);
	char *io_cpus = cpuset_format(&gate->io_cpus);
	char *text = NULL;
	int size = -1, rc = -1;

	if (client_cpus && spec_cpus && io_cpus)
		size = asprintf(&text,
				"version=1\npolicy=%s\nclient=%s\n"
				"client_cpus=%s\nspec_cpus=%s\nasked=%d\n"
				"io_cores=%u\nio_cpus=%s\nio_profile=%s\n"
				"note=%s\n",
				gate_policy_name(gate->policy), gate->client, client_cpus,
				spec_cpus, gate->is_requested, gate->request.io_cores, io_cpus,
				gate->request.profile, gate->note);
	if (size < 0) {
		text = NULL;
		err_set(err, "gate file '%s': out of memory", path);
	} else {
		rc = fileio_write_volatile(path, text, (size_t)size, 0600, err);
	}
	free(text);
	free(io_cpus);
	free(spec_cpus);
	free(client_cpus);
	return rc;
}

static int copy(char *to, size_t room, const char *value)
{
	return snprintf(to, room, "%s", value) < (int)room ? 0 : -1;
}

static int set_io_cores(struct gatefile *gate, const char *value)
{
	unsigned long n;

	if (number_parse(value, 0, IO_CORES_LIMIT, &n, NULL) < 0)
		return -1;
	gate->request.io_cores = (unsigned int)n;
	return 0;
}

static int set(struct gatefile *gate, const char *key, const char *value)
{
	if (!strcmp(key, "version"))
		return !strcmp(value, "1") ? 0 : -1;
	if (!strcmp(key, "policy"))
		return gate_policy_parse(value, &gate->policy);
	if (!strcmp(key, "note"))
		return copy(gate->note, sizeof(gate->note), value);
	if (!strcmp(key, "client"))
		return copy(gate->client, sizeof(gate->client), value);
	if (!strcmp(key, "client_cpus"))
		return cpuset_parse(&gate->client_cpus, value, NULL);
	if (!strcmp(key, "spec_cpus"))
		return cpuset_parse(&gate->spec_cpus, value, NULL);
	if (!strcmp(key, "asked"))
		gate->is_requested = !strcmp(value, "1");
	if (!strcmp(key, "io_cores"))
		return set_io_cores(gate, value);
	if (!strcmp(key, "io_cpus"))
		return cpuset_parse(&gate->io_cpus, value, NULL);
	if (!strcmp(key, "io_profile"))
		return copy(gate->request.profile, sizeof(gate->request.profile), value);
	return 0;
}

static int parse(char *text, const char *path, struct gatefile *gate, struct err *err)
{
	char *line, *value, *state = NULL;
	bool has_version = false;

	for (line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		value = strchr(line, '=');
		if (!value)
			return err_set(err, "gate file '%s': '%.40s': no '='", path, line);
		*value++ = '\0';
		if (set(gate, line, value) < 0)
			return err_set(err, "gate file '%s': bad %s '%.40s'", path, line, value);
		has_version |= !strcmp(line, "version");
	}
	if (!has_version)
		return err_set(err, "gate file '%s': not whole", path);
	return 0;
}

int gatefile_read(const char *path, struct gatefile *gate, struct err *err)
{
	struct gatefile new = { .policy = GATE_WARN };
	char *text = fileio_read(path, GATE_BYTES_MAX, NULL, err);
	int rc;

	if (!text)
		return errno == ENOENT ? 0 : -1;
	rc = parse(text, path, &new, err);
	free(text);
	if (rc < 0)
		return -1;
	*gate = new;
	return 1;
}
