/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "record/alloc.h"
#include "record/json.h"

#define JOURNAL_BYTES_MAX (1U << 20)

struct journal {
	char *path;
	int fd; /* -1: in memory only */
	struct changes changes;
	bool damaged;
	int unread; /* errno of the failed read */
	bool torn;
	off_t whole_bytes; /* of the file, without a torn line */
	bool scratch;
};

static enum change_state state_by_name(const char *name)
{
	enum change_state state = CHANGE_PLANNED;

	while (state < CHANGE_STATES && strcmp(name, change_state_names[state]) != 0)
		state++;
	return state;
}

static struct change *find(const struct journal *journal, unsigned int seq)
{
	size_t i;

	for (i = 0; i < journal->changes.count; i++)
		if (journal->changes.list[i].seq == seq)
			return &journal->changes.list[i];
	return NULL;
}

static void set_state(struct change *change, enum change_state state)
{
	change->state = state;
	change->was_done |= state == CHANGE_DONE || state == CHANGE_KEPT;
}

/* Apply one line of the file. Return -1 if it cannot be used. */
static int fold_object(struct journal *journal, struct json *line)
{
	int64_t seq = json_number(line, "seq");
	const char *name = json_text(line, "state");
	enum change_state state = name ? state_by_name(name) : CHANGE_STATES;
	struct change change = { .seq = (unsigned int)seq }, *known;

	if (seq < 1 || seq > CHANGES_MAX || state == CHANGE_STATES)
		return -1;
	known = find(journal, change.seq);
	if (known) {
		set_state(known, state);
		return 0;
	}
	change.client = (char *)json_text(line, "client");
	change.kind = (char *)json_text(line, "what");
	change.target = (char *)json_text(line, "target");
	change.old_value = (char *)json_text(line, "old");
	change.new_value = (char *)json_text(line, "new");
	if (!change_is_complete(&change))
		return -1;
	set_state(changes_add(&journal->changes, &change), state);
	return 0;
}

static void fold_line(struct journal *journal, const char *text)
{
	struct json *line = json_parse(text);

	if (!line || fold_object(journal, line) < 0)
		journal->damaged = true;
	json_free(line);
}

static void fold_text(struct journal *journal, char *text, size_t size_bytes)
{
	char *line = text, *end;

	while ((end = memchr(line, '\n', size_bytes - (size_t)(line - text)))) {
		*end = '\0';
		if (strlen(line) != (size_t)(end - line))
			journal->damaged = true; /* a NUL inside */
		else if (*line)
			fold_line(journal, line);
		line = end + 1;
	}
	journal->whole_bytes = line - text;
	journal->torn = (size_t)(line - text) < size_bytes;
}

static struct journal *load(const char *path)
{
	struct journal *journal = xcalloc(1, sizeof(*journal));
	size_t size_bytes = 0;
	char *text;

	journal->path = xstrdup(path);
	journal->fd = -1;
	text = fileio_read(path, JOURNAL_BYTES_MAX, &size_bytes, NULL);
	if (text)
		fold_text(journal, text, size_bytes);
	else if (fileio_may_be_there(errno))
		journal->unread = errno;
	else if (errno != ENOENT)
		journal->damaged = true;
	free(text);
	return journal;
}

struct journal *journal_scratch(const char *path)
{
	struct journal *journal = load(path);

	journal->scratch = true;
	return journal;
}

struct journal *journal_open(const char *path, struct err *err)
{
	struct journal *journal = load(path);

	if (journal->unread)
		errno = journal->unread;
	else
		journal->fd =
			open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->fd < 0) {
		err_set(err, "journal '%s': %s", path, strerror(errno));
		journal_close(journal);
		return NULL;
	}
	/* a newline would make it a change */
	if (journal->torn && ftruncate(journal->fd, journal->whole_bytes) == 0)
		journal->torn = false;
	return journal;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	changes_free(&journal->changes);
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal->path);
	free(journal);
}

/* Append the whole line or nothing: an incomplete one is cut off again. */
static int append(struct journal *journal, const char *line, struct err *err)
{
	size_t length = strlen(line);
	struct stat before;
	ssize_t wrote;
	int saved;

	if (journal->scratch)
		return 0;
	if (fstat(journal->fd, &before) < 0)
		return err_set(err, "journal '%s': %s", journal->path, strerror(errno));
	FAULT_POINT("journal before");
	wrote = write(journal->fd, line, length);
	if (wrote == (ssize_t)length) {
		FAULT_POINT("journal after");
		journal->torn = false;
		return 0;
	}
	saved = wrote < 0 ? errno : ENOSPC;
	if (wrote > 0 && ftruncate(journal->fd, before.st_size) < 0)
		journal->torn = true;
	return err_set(err, "journal '%s': %s", journal->path, strerror(saved));
}

/* Append a line with a change, or only with a new state. */
static int append_change(struct journal *journal, const struct change *change, bool is_new,
			 enum change_state state, struct err *err)
{
	struct json *object = json_new_object();
	char *line;
	int rc;

	json_add_number(object, "seq", change->seq);
	if (is_new) {
		json_add_text(object, "client", change->client);
		json_add_text(object, "what", change->kind);
		json_add_text(object, "target", change->target);
		json_add_text(object, "old", change->old_value);
		json_add_text(object, "new", change->new_value);
	}
	json_add_text(object, "state", change_state_names[state]);
	/* do not append to an incomplete line of a killed writer */
	line = xasprintf("%s%s\n", journal->torn ? "\n" : "", json_line(object));
	rc = append(journal, line, err);
	free(line);
	json_free(object);
	return rc;
}

static unsigned int next_seq(const struct journal *journal)
{
	unsigned int seq = 0;
	size_t i;

	for (i = 0; i < journal->changes.count; i++)
		if (journal->changes.list[i].seq > seq)
			seq = journal->changes.list[i].seq;
	return seq + 1;
}

int journal_plan(struct journal *journal, struct change *change, struct err *err)
{
	change->seq = next_seq(journal);
	change->state = CHANGE_PLANNED;
	if (change->seq > CHANGES_MAX)
		return err_set(err, "journal '%s': more than %d changes", journal->path,
			       CHANGES_MAX);
	if (append_change(journal, change, true, CHANGE_PLANNED, err) < 0)
		return -1;
	changes_add(&journal->changes, change);
	return 0;
}

int journal_mark(struct journal *journal, unsigned int seq, enum change_state state,
		 struct err *err)
{
	struct change *change = find(journal, seq);
	int rc;

	if (!change)
		return err_set(err, "journal '%s': no change %u", journal->path, seq);
	rc = append_change(journal, change, false, state, err);
	set_state(change, state);
	return rc;
}

const struct changes *journal_changes(const struct journal *journal)
{
	return &journal->changes;
}

bool journal_is_pending(const struct journal *journal)
{
	size_t i;

	for (i = 0; i < journal->changes.count; i++)
		if (change_is_pending(&journal->changes.list[i]))
			return true;
	return false;
}

bool journal_is_damaged(const struct journal *journal)
{
	return journal->damaged;
}

int journal_is_unread(const struct journal *journal)
{
	return journal->unread;
}
