/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/prepare_context.h"

#include <unistd.h>

#include "base/child.h"
#include "node/log.h"

unsigned int prepare_time_left_ms(const struct prepare_context *ctx)
{
	unsigned long long now = child_now_ms();

	return now >= ctx->end_ms ? 0 : (unsigned int)(ctx->end_ms - now);
}

/* Return true if the client of this finding was inspected again; for other findings, any client. */
static bool is_new(const struct prepare_context *ctx, size_t index)
{
	bool any = !ctx->client_count;
	size_t i;

	for (i = 0; i < ctx->client_count; i++) {
		if (index >= ctx->judged_from[i] && index < ctx->judged_to[i])
			return !client_is_cached(ctx->clients[i]);
		any |= !client_is_cached(ctx->clients[i]);
	}
	return any;
}

/* Return true if the finding is to be logged. The record has all; in the log a warning is not
 * repeated until the client is inspected again. */
static bool is_to_log(const struct prepare_context *ctx, size_t index)
{
	const struct finding *finding = &ctx->findings.list[index];

	if (finding->severity == FINDING_ERROR)
		return ctx->has_request || is_new(ctx, index);
	return finding->severity == FINDING_WARNING && ctx->client_count && is_new(ctx, index);
}

void prepare_log(const struct prepare_context *ctx)
{
	const struct finding *finding;
	size_t i;

	if (ctx->restored || ctx->finished)
		log_line("mended what dead jobs had left: %d settings put back, %d records",
			 ctx->restored, ctx->finished);
	for (i = 0; i < ctx->findings.count; i++) {
		finding = &ctx->findings.list[i];
		if (is_to_log(ctx, i))
			log_line("%s %s; cure: %s", finding->code, finding->text, finding->cure);
	}
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
