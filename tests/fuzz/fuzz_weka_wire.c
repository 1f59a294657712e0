/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies of a container's socket, and RUN/JOB/wire. */
#include "client/weka/wire.h"
#include "client/wire.h"
#include "tests/fuzz/fuzz.h"

static void check_again(struct wire *wire)
{
	int64_t moved[WIRE_NUMBERS];
	struct err err = { "" };
	char *text, *second;
	struct wire *again;

	wire_clean(wire);
	text = wire_text(wire);
	MUST(text);
	again = wire_parse(text, &err);
	MUST(again);
	second = wire_text(again);
	MUST(second && !strcmp(text, second));
	if (wire_since(wire, again, "", moved) == 1)
		MUST(moved[IO_READ_BYTES] <= 0);
	free(second);
	free(text);
	wire_free(again);
}

FUZZ(weka_wire)
{
	char *text = fuzz_text(data, size);
	struct wire *wire = wire_new(), *parsed;
	struct err err = { "" };

	MUST(wire);
	weka_wire_is_whole(text, size);
	if (weka_wire_add(wire, "/sock", text, size, &err) == 0)
		check_again(wire);
	else
		MUST(*err.text);
	wire_free(wire);
	parsed = wire_parse(text, &err);
	if (parsed)
		check_again(parsed);
	wire_free(parsed);
	free(text);
	return 0;
}
