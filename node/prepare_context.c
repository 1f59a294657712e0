/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/prepare_context.h"

#include <unistd.h>

#include "base/child.h"
#include "node/log.h"

/* Return true if a client was inspected again, or there is none. */
static bool is_any_new(const struct prepare_context *ctx)
{
	size_t i;

	for (i = 0; i < ctx->client_count; i++)
		if (!client_is_cached(ctx->clients[i]))
			return true;
	return !ctx->client_count;
}

/* Return true if the finding is to be logged. The record has all; in the log a warning is not
 * repeated until the client is inspected again. */
static bool is_to_log(const struct prepare_context *ctx, const struct finding *finding)
{
	bool is_new = finding->client ? !finding->is_cached : is_any_new(ctx);

	if (finding->severity == FINDING_ERROR)
		return ctx->has_request || is_new;
	return finding->severity == FINDING_WARNING && ctx->client_count && is_new;
}

void prepare_log(const struct prepare_context *ctx)
{
	size_t i;

	if (ctx->restored || ctx->finished)
		log_line(
			"finished jobs without an epilog: %d settings restored, %d records written",
			ctx->restored, ctx->finished);
	for (i = 0; i < ctx->findings.count; i++)
		if (is_to_log(ctx, &ctx->findings.list[i]))
			log_finding(&ctx->findings.list[i]);
}

void prepare_context_free(struct prepare_context *ctx)
{
	while (ctx->client_count)
		client_close(ctx->clients[--ctx->client_count]);
	record_free(ctx->state);
	findings_free(&ctx->findings);
	if (ctx->lock_fd > 0)
		close(ctx->lock_fd);
}
