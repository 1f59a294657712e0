/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/asked.h"

#include <stdio.h>

#define SAME_FILE "install the same jobio.conf on submit hosts and nodes"

static void lack_cores(struct visit *visit)
{
	err_set(&visit->no_cores, "jobio.conf of this node allows %u to %u, the job asks for %u",
		visit->config->io_cores_min, visit->config->io_cores_max, visit->asked.io_cores);
	visit->request.io_cores = 0;
	findings_add(&visit->findings, "W58", FINDING_WARNING, SAME_FILE,
		     "the job's io-cores are left out: %s", visit->no_cores.text);
}

static void lack_profile(struct visit *visit)
{
	err_set(&visit->no_profile, "jobio.conf of this node has no such profile");
	*visit->request.profile = '\0';
	findings_add(&visit->findings, "W58", FINDING_WARNING,
		     SAME_FILE "; keep a profile there until no job that waits names it",
		     "profile '%s' is left out: %s", visit->asked.profile, visit->no_profile.text);
}

/* Check io-cores and profile separately: one may be allowed and the other not. */
static void judge(struct visit *visit)
{
	struct request cores = visit->asked, profile = visit->asked;

	*cores.profile = '\0';
	profile.io_cores = 0;
	if (request_check(&cores, visit->config, NULL) < 0)
		lack_cores(visit);
	if (request_check(&profile, visit->config, NULL) < 0)
		lack_profile(visit);
}

/* Drop the whole request. */
static void lack_all(struct visit *visit, const char *why, const char *cure)
{
	snprintf(visit->note, sizeof(visit->note), "the job's I/O options have no effect: %.300s",
		 why);
	findings_add(&visit->findings, "W58", FINDING_WARNING, cure,
		     "the job's I/O options are left out: %s", why);
}

void asked_read(struct visit *visit)
{
	struct err why;
	int rc = request_from_env(&visit->asked, &why);

	if (rc < 0)
		lack_all(
			visit, why.text,
			"submit the job with --io-cores and --io-profile, and leave SPANK_JOBIO_* of its environment alone");
	else if (rc == REQUEST_NEWER)
		lack_all(
			visit, "a newer jobio than this node's wrote the job's request",
			"install the same version of jobio on all hosts: nodes before submit hosts");
	visit->has_request = rc == 1;
	if (rc != 1)
		return;
	visit->request = visit->asked;
	judge(visit);
}
