/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies of a container's socket, and RUN/JOB/wire. */
#include "client/client_counters.h"
#include "client/weka/counters.h"
#include "tests/fuzz/fuzz.h"

static void check_again(struct client_counters *counters)
{
	int64_t moved[CLIENT_IO_NUMBERS];
	struct err err = { "" };
	char *text, *second;
	struct client_counters *again;

	client_counters_clean(counters);
	text = client_counters_text(counters);
	MUST(text);
	again = client_counters_parse(text, &err);
	MUST(again);
	second = client_counters_text(again);
	MUST(second && !strcmp(text, second));
	if (client_counters_since(counters, again, "", moved) == 1)
		MUST(moved[IO_READ_BYTES] <= 0);
	free(second);
	free(text);
	client_counters_free(again);
}

FUZZ(weka_counters)
{
	char *text = fuzz_text(data, size);
	struct client_counters *counters = client_counters_new(), *parsed;
	struct err err = { "" };

	MUST(counters);
	weka_counters_is_whole(text, size);
	if (weka_counters_add(counters, "/sock", text, size, &err) == 0)
		check_again(counters);
	else
		MUST(*err.text);
	client_counters_free(counters);
	parsed = client_counters_parse(text, &err);
	if (parsed)
		check_again(parsed);
	client_counters_free(parsed);
	free(text);
	return 0;
}
