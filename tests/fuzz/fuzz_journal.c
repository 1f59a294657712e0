/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/JOB/journal: whatever the file contains, a new change can be written and
 * read again. */
#include "client/journal.h"
#include "tests/fuzz/fuzz.h"

static const struct journal_change change = {
	.client = (char *)"weka",
	.what = (char *)"mount-option",
	.target = (char *)"/mnt/weka",
	.old_value = (char *)"writecache",
	.new_value = (char *)"forcedirect",
};

static bool look(const struct journal *journal)
{
	const struct journal_change *at;
	size_t i;

	for (i = 0; i < journal_count(journal); i++) {
		at = journal_at(journal, i);
		MUST(at->seq && at->client && at->what && at->target);
		MUST(at->old_value && at->new_value);
	}
	return journal_is_pending(journal);
}

static void check_again(const char *path, size_t before, unsigned int seq)
{
	struct err err;
	struct journal *journal = journal_open(path, &err);
	const struct journal_change *last;

	MUST(journal && journal_count(journal) == before + 1);
	last = journal_at(journal, before);
	MUST(last->seq == seq && last->state == JOURNAL_DONE);
	MUST(!strcmp(last->new_value, change.new_value));
	journal_close(journal);
}

FUZZ(journal)
{
	char *text = fuzz_text(data, size);
	const char *path = fuzz_file("journal", text);
	struct err err = { "" };
	struct journal *journal = journal_scratch(path);
	size_t before;
	int seq;

	MUST(journal);
	look(journal);
	journal_close(journal);
	journal = journal_open(path, &err);
	if (journal) {
		look(journal);
		before = journal_count(journal);
		seq = journal_plan(journal, &change, &err);
		if (seq > 0) {
			MUST(look(journal));
			MUST(journal_mark(journal, (unsigned int)seq, JOURNAL_DONE, &err) == 0);
			check_again(path, before, (unsigned int)seq);
		}
	}
	MUST(journal || *err.text);
	journal_close(journal);
	free(text);
	return 0;
}
