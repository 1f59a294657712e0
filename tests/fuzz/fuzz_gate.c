/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/JOB/gate: a gate file that can be read is the same after writing and reading. */
#include "base/gatefile.h"
#include "tests/fuzz/fuzz.h"

static void check_same(const struct gatefile *a, const struct gatefile *b)
{
	MUST(a->policy == b->policy && a->is_requested == b->is_requested);
	MUST(!strcmp(a->note, b->note) && !strcmp(a->client, b->client));
	MUST(!strcmp(a->request.profile, b->request.profile));
	MUST(a->request.io_cores == b->request.io_cores);
	MUST(cpuset_equal(&a->client_cpus, &b->client_cpus));
	MUST(cpuset_equal(&a->spec_cpus, &b->spec_cpus));
	MUST(cpuset_equal(&a->io_cpus, &b->io_cpus));
}

FUZZ(gate)
{
	char *text = fuzz_text(data, size);
	struct gatefile gate, again;
	struct err err = { "" };
	int rc = gatefile_read(fuzz_file("gate", text), &gate, &err);

	MUST(rc != 0);
	if (rc > 0) {
		const char *path = fuzz_file("gate-again", "");

		MUST(gate.request.io_cores <= IO_CORES_LIMIT);
		MUST(gatefile_write(path, &gate, &err) == 0);
		MUST(gatefile_read(path, &again, &err) == 1);
		check_same(&gate, &again);
	} else {
		MUST(*err.text);
	}
	free(text);
	return 0;
}
