/* SPDX-License-Identifier: GPL-2.0-or-later */
/* next_run.h - what the next run of a job should ask for
 *
 * Terms   runs: other jobs of the same name and user, that completed; like it:
 *           of as many nodes, and 10 % more or less bytes read and written.
 *         step: one advice about the job, or what its runs alone say. Taken: an
 *           option says it, and no run that tried it was slower or as fast. The others say
 *           why not, and are for a person.
 *         Two means differ as in samples.h; of single runs, by 5 % and more.
 *         A profile is only proposed where no data are at stake: never one with
 *           writecache. What one sets is what the prolog of a job with it would
 *           set, client by client: of [profile NAME:CLIENT] where there is one.
 * Owner   texts are in the steps.
 * Errors  none.
 * Runs    jobio advise. Names of nodes and profiles become words of a shell:
 *           letters, digits, '.', '_' and '-' only.
 */
#ifndef JOBIO_REPORT_NEXT_RUN_H
#define JOBIO_REPORT_NEXT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "advice/terms.h"
#include "lib/config.h"
#include "report/job_report.h"

#define NEXT_STEPS 66 /* ADVICE_MAX, and one of the runs */
#define NEXT_WORDS 640

struct next_step {
	bool has_advice, is_taken;
	struct advice advice;
	char option[NEXT_WORDS]; /* "--io-cores=2"; "": no option says it */
	char note[256];		 /* what runs say, or why it is not taken */
};

struct next_run {
	bool is_judged;
	size_t like; /* runs like it */
	struct next_step step[NEXT_STEPS];
	size_t count;
	/* of those that are taken, the whole of them */
	char options[NEXT_WORDS];
};

/* 'config' NULL: no profile is known here. */
void next_run_find(struct next_run *next, const struct job_report *job,
		   struct job_report *const *runs, size_t count, const struct config *config);

#endif
