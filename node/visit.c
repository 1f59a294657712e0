/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/visit.h"

#include <unistd.h>

#include "base/child.h"
#include "node/log.h"

unsigned int visit_time_left_ms(const struct visit *visit)
{
	unsigned long long now = child_now_ms();

	return now >= visit->end_ms ? 0 : (unsigned int)(visit->end_ms - now);
}

/* Return true if the client of this finding was inspected again; for other findings, any client. */
static bool is_new(const struct visit *visit, size_t index)
{
	bool any = !visit->client_count;
	size_t i;

	for (i = 0; i < visit->client_count; i++) {
		if (index >= visit->judged_from[i] && index < visit->judged_to[i])
			return !client_is_cached(visit->clients[i]);
		any |= !client_is_cached(visit->clients[i]);
	}
	return any;
}

/* Return true if the finding is to be logged. The record has all; in the log a warning is not
 * repeated until the client is inspected again. */
static bool is_to_tell(const struct visit *visit, size_t index)
{
	const struct finding *finding = &visit->findings.list[index];

	if (finding->severity == FINDING_ERROR)
		return visit->has_request || is_new(visit, index);
	return finding->severity == FINDING_WARNING && visit->client_count && is_new(visit, index);
}

void visit_log(const struct visit *visit)
{
	const struct finding *finding;
	size_t i;

	if (visit->mended || visit->finished)
		log_line("mended what dead jobs had left: %d settings put back, %d records",
			 visit->mended, visit->finished);
	for (i = 0; i < visit->findings.count; i++) {
		finding = &visit->findings.list[i];
		if (is_to_tell(visit, i))
			log_line("%s %s; cure: %s", finding->code, finding->text, finding->cure);
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
