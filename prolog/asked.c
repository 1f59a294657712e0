/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/asked.h"

#include <stdio.h>
#include <string.h>

#include "lib/child.h"
#include "prolog/ask_slurm.h"

#define SAME_FILE "install the same jobio.conf on submit hosts and nodes"

/* ---- what is not allowed here --------------------------------------------- */

static void lack_cores(struct visit *visit,
		       const struct request_judgement *judgement)
{
	char where[80] = "";

	if (judgement)
		snprintf(where, sizeof(where),
			 "; where it was submitted %u to %u were allowed",
			 judgement->io_cores_min, judgement->io_cores_max);
	err_set(&visit->no_cores,
		"jobio.conf of this node allows %u to %u, the job asks for "
		"%u%s",
		visit->config->io_cores_min, visit->config->io_cores_max,
		visit->asked.io_cores, where);
	visit->request.io_cores = 0;
	findings_add(&visit->findings, "W58", FINDING_WARNING, SAME_FILE,
		     "the job's io-cores are left out: %s",
		     visit->no_cores.text);
}

static void lack_profile(struct visit *visit,
			 const struct request_judgement *judgement)
{
	err_set(&visit->no_profile,
		"jobio.conf of this node has no such "
		"profile%s",
		judgement ? "; where the job was submitted there was one" : "");
	*visit->request.profile = '\0';
	findings_add(&visit->findings, "W58", FINDING_WARNING,
		     SAME_FILE
		     "; keep a profile there until no job that waits names it",
		     "profile '%s' is left out: %s", visit->asked.profile,
		     visit->no_profile.text);
}

/* Is it the profile that the job was submitted with? */
static void compare_profile(struct visit *visit,
			    const struct request_judgement *judgement)
{
	if (*visit->request.profile && judgement &&
	    config_profile_digest(visit->config, visit->request.profile) !=
		    judgement->settings)
		findings_add(&visit->findings, "W59", FINDING_INFO, SAME_FILE,
			     "profile '%s' sets something else here than where "
			     "the job was submitted: it is as this node has it",
			     visit->request.profile);
}

/* Each half for itself: a job may have the one and not the other. */
static void judge(struct visit *visit)
{
	struct request cores = visit->asked, profile = visit->asked;
	struct request_judgement told;
	const struct request_judgement *judgement =
		request_was_allowed(&visit->asked, &told) ? &told : NULL;
	struct err why;

	*cores.profile = '\0';
	profile.io_cores = 0;
	if (request_check(&visit->asked, visit->config, &why) < 0) {
		if (visit->config->on_mismatch == MISMATCH_REFUSE) {
			visit_refuse(visit, &why);
			return;
		}
		visit->is_to_hold = visit->config->on_mismatch == MISMATCH_HOLD;
	}
	if (request_check(&cores, visit->config, NULL) < 0)
		lack_cores(visit, judgement);
	if (request_check(&profile, visit->config, NULL) < 0)
		lack_profile(visit, judgement);
	compare_profile(visit, judgement);
}

/* Nothing of it is known, so nothing is met. */
static void judge_newer(struct visit *visit)
{
	static const char text[] = "a newer jobio than this node's wrote the "
				   "job's request";
	struct err why = { "" };

	if (visit->config->on_mismatch == MISMATCH_REFUSE) {
		err_set(&why, "%s", text);
		visit_refuse(visit, &why);
		return;
	}
	visit->is_to_hold = visit->config->on_mismatch == MISMATCH_HOLD;
	snprintf(visit->note, sizeof(visit->note),
		 "the job's I/O options have no effect: %s", text);
	findings_add(&visit->findings, "W58", FINDING_WARNING,
		     "install the same version of jobio on all hosts: nodes "
		     "before submit hosts",
		     "the job's I/O options are left out: %s", text);
}

void asked_read(struct visit *visit)
{
	struct err why;
	int rc = request_from_env(&visit->asked, &why);

	if (rc < 0)
		visit_refuse(visit, &why);
	else if (rc == REQUEST_NEWER)
		judge_newer(visit);
	visit->has_request = rc == 1;
	if (rc != 1)
		return;
	visit->request = visit->asked;
	judge(visit);
}

/* ---- held ------------------------------------------------------------------ */

/* What squeue and scontrol cannot say of a held job: in AdminComment, where it is
 * not the ledger's field. */
static void comment_of(const struct visit *visit, struct err *comment)
{
	const char *why = *visit->no_profile.text ? visit->no_profile.text
			  : *visit->no_cores.text ? visit->no_cores.text
						  : visit->note;

	err_set(comment, "jobio: node %.60s: held: %s%s%s%.300s",
		visit->job.node, *visit->no_profile.text ? "profile '" : "",
		*visit->no_profile.text ? visit->asked.profile : "",
		*visit->no_profile.text ? "': " : "", why);
}

static int hold(struct visit *visit, const char *comment, struct err *err)
{
	bool is_free = visit->config->ledger.field != LEDGER_FIELD_ADMIN;
	struct child_result result = { 0 };
	char id[16];
	int rc;

	snprintf(id, sizeof(id), "%u", visit->job.id);
	if (ask_slurm(visit_time_left_ms(visit) / 2, "hold", id,
		      is_free ? comment : NULL, &result, err) < 0)
		return -1;
	rc = result.status == 0
		     ? 0
		     : err_set(err, "%.*s", (int)strcspn(result.errtext, "\n"),
			       result.errtext);
	child_result_free(&result);
	return rc;
}

void asked_hold(struct visit *visit)
{
	struct err comment = { "" }, why = { "" };

	if (!visit->is_to_hold || *visit->refused)
		return;
	comment_of(visit, &comment);
	if (hold(visit, comment.text, &why) == 0) {
		err_set(&why, "put back into the queue and held%s",
			strstr(comment.text, ": held") + strlen(": held"));
		visit_refuse(visit, &why);
		return;
	}
	findings_add(&visit->findings, "W60", FINDING_WARNING,
		     "submit such jobs with sbatch, and without --no-requeue",
		     "the job could not be held, and runs without what it "
		     "asked for: %.300s",
		     why.text);
}
