/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/JOB/journal: whatever the file contains, a new change can be written and
 * read again. */
#include "client/journal.h"
#include "tests/fuzz/fuzz.h"

static struct change change = {
	.client = (char *)"weka",
	.kind = (char *)"mount-option",
	.target = (char *)"/mnt/weka",
	.old_value = (char *)"writecache",
	.new_value = (char *)"forcedirect",
};

static bool look(const struct journal *journal)
{
	const struct changes *changes = journal_changes(journal);
	size_t i;

	for (i = 0; i < changes->count; i++)
		MUST(changes->list[i].seq && change_is_complete(&changes->list[i]));
	return journal_is_pending(journal);
}

static void check_again(const char *path, size_t before, unsigned int seq)
{
	struct err err;
	struct journal *journal = journal_open(path, &err);
	const struct change *last;

	MUST(journal && journal_changes(journal)->count == before + 1);
	last = &journal_changes(journal)->list[before];
	MUST(last->seq == seq && last->state == CHANGE_DONE);
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

	MUST(journal);
	look(journal);
	journal_close(journal);
	journal = journal_open(path, &err);
	if (journal) {
		look(journal);
		before = journal_changes(journal)->count;
		if (journal_plan(journal, &change, &err) == 0) {
			MUST(look(journal));
			MUST(journal_mark(journal, change.seq, CHANGE_DONE, &err) == 0);
			check_again(path, before, change.seq);
		}
	}
	MUST(journal || *err.text);
	journal_close(journal);
	free(text);
	return 0;
}
