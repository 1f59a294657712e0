/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/visit.h"

#include <stdio.h>
#include <unistd.h>

#include "job/log.h"
#include "lib/child.h"

unsigned int visit_time_left_ms(const struct visit *visit)
{
	unsigned long long now = child_now_ms();

	return now >= visit->end_ms ? 0 : (unsigned int)(visit->end_ms - now);
}

void visit_refuse(struct visit *visit, const struct err *why)
{
	if (!*visit->refused)
		snprintf(visit->refused, sizeof(visit->refused), "%s",
			 why->text);
}

void visit_log(const struct visit *visit)
{
	const struct finding *finding;
	enum finding_severity least;
	bool is_cached = true;
	size_t i;

	if (visit->mended || visit->finished)
		log_line("mended what dead jobs had left: %d settings put "
			 "back, %d records",
			 visit->mended, visit->finished);
	if (*visit->refused)
		log_line("refused: %s", visit->refused);
	for (i = 0; i < visit->client_count; i++)
		is_cached &= client_is_cached(visit->clients[i]);
	/* the record has them all; the log need not have them with each job */
	if (visit->client_count && is_cached && !visit->has_request)
		return;
	/* a warning that nobody heeds is not repeated with each job: only when
	 * the client was asked anew */
	least = visit->client_count && !is_cached ? FINDING_WARNING
						  : FINDING_ERROR;
	for (i = 0; i < visit->findings.count; i++) {
		finding = &visit->findings.list[i];
		if (finding->severity >= least)
			log_line("%s %s; cure: %s", finding->code,
				 finding->text, finding->cure);
	}
}

void visit_free(struct visit *visit)
{
	while (visit->client_count)
		client_close(visit->clients[--visit->client_count]);
	record_free(visit->state);
	findings_free(&visit->findings);
	if (visit->lock_fd > 0)
		close(visit->lock_fd);
}
