/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "record/alloc.h"
#include "record/json.h"

#define JOURNAL_BYTES_MAX (1U << 20)
#define JOURNAL_CHANGES_MAX 256

struct journal {
	char *path;
	int fd; /* -1: in memory only */
	struct journal_change change[JOURNAL_CHANGES_MAX];
	size_t count;
	bool damaged;
	int unread; /* errno of the failed read */
	bool torn;
	off_t whole_bytes; /* of the file, without a torn line */
	bool scratch;
};

static const char *const state_names[] = {
	[JOURNAL_PLANNED] = "planned",	 [JOURNAL_DONE] = "done", [JOURNAL_KEPT] = "kept",
	[JOURNAL_RESTORED] = "restored", [JOURNAL_LOST] = "lost", [JOURNAL_FAILED] = "failed",
	[JOURNAL_GONE] = "gone",
};

static int state_by_name(const char *name, enum journal_state *state)
{
	size_t i;

	for (i = 0; i < sizeof(state_names) / sizeof(state_names[0]); i++) {
		if (!strcmp(name, state_names[i])) {
			*state = (enum journal_state)i;
			return 0;
		}
	}
	return -1;
}

static struct journal_change *find(struct journal *journal, unsigned int seq)
{
	size_t i;

	for (i = 0; i < journal->count; i++)
		if (journal->change[i].seq == seq)
			return &journal->change[i];
	return NULL;
}

static void set_state(struct journal_change *change, enum journal_state state)
{
	change->state = state;
	change->was_done |= state == JOURNAL_DONE || state == JOURNAL_KEPT;
}

void journal_change_clear(struct journal_change *change)
{
	free(change->client);
	free(change->what);
	free(change->target);
	free(change->old_value);
	free(change->new_value);
	memset(change, 0, sizeof(*change));
}

static int remember(struct journal *journal, const struct journal_change *from)
{
	struct journal_change *to;

	if (journal->count == JOURNAL_CHANGES_MAX)
		return -1;
	to = &journal->change[journal->count];
	to->seq = from->seq;
	set_state(to, from->state);
	to->client = xstrdup(from->client);
	to->what = xstrdup(from->what);
	to->target = xstrdup(from->target);
	to->old_value = xstrdup(from->old_value);
	to->new_value = xstrdup(from->new_value);
	journal->count++;
	return 0;
}

/* Apply one line of the file. Return -1 if it cannot be used. */
static int fold_object(struct journal *journal, struct json *line)
{
	struct journal_change change = { 0 }, *known;
	int64_t seq = json_number(line, "seq");
	const char *state = json_text(line, "state");

	if (seq < 1 || seq > JOURNAL_CHANGES_MAX || !state ||
	    state_by_name(state, &change.state) < 0)
		return -1;
	change.seq = (unsigned int)seq;
	known = find(journal, change.seq);
	if (known) {
		set_state(known, change.state);
		return 0;
	}
	change.client = (char *)json_text(line, "client");
	change.what = (char *)json_text(line, "what");
	change.target = (char *)json_text(line, "target");
	change.old_value = (char *)json_text(line, "old");
	change.new_value = (char *)json_text(line, "new");
	if (!change.client || !change.what || !change.target || !change.old_value ||
	    !change.new_value)
		return -1;
	return remember(journal, &change);
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
	size_t i;

	if (!journal)
		return;
	for (i = 0; i < journal->count; i++)
		journal_change_clear(&journal->change[i]);
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

static int append_object(struct journal *journal, struct json *object, struct err *err)
{
	/* do not append to an incomplete line of a killed writer */
	char *line = xasprintf("%s%s\n", journal->torn ? "\n" : "", json_line(object));
	int rc = append(journal, line, err);

	free(line);
	return rc;
}

static unsigned int next_seq(const struct journal *journal)
{
	unsigned int seq = 0;
	size_t i;

	for (i = 0; i < journal->count; i++)
		if (journal->change[i].seq > seq)
			seq = journal->change[i].seq;
	return seq + 1;
}

int journal_plan(struct journal *journal, const struct journal_change *change, struct err *err)
{
	struct journal_change planned = *change;
	struct json *object;
	int rc;

	planned.seq = next_seq(journal);
	planned.state = JOURNAL_PLANNED;
	if (journal->count == JOURNAL_CHANGES_MAX || planned.seq > JOURNAL_CHANGES_MAX)
		return err_set(err, "journal '%s': more than %d changes", journal->path,
			       JOURNAL_CHANGES_MAX);
	object = json_new_object();
	json_add_number(object, "seq", planned.seq);
	json_add_text(object, "client", change->client);
	json_add_text(object, "what", change->what);
	json_add_text(object, "target", change->target);
	json_add_text(object, "old", change->old_value);
	json_add_text(object, "new", change->new_value);
	json_add_text(object, "state", state_names[JOURNAL_PLANNED]);
	rc = append_object(journal, object, err);
	json_free(object);
	if (rc < 0)
		return -1;
	remember(journal, &planned);
	return (int)planned.seq;
}

int journal_mark(struct journal *journal, unsigned int seq, enum journal_state state,
		 struct err *err)
{
	struct journal_change *change = find(journal, seq);
	struct json *object;
	int rc;

	if (!change)
		return err_set(err, "journal '%s': no change %u", journal->path, seq);
	object = json_new_object();
	json_add_number(object, "seq", seq);
	json_add_text(object, "state", state_names[state]);
	rc = append_object(journal, object, err);
	json_free(object);
	set_state(change, state);
	return rc;
}

size_t journal_count(const struct journal *journal)
{
	return journal->count;
}

const struct journal_change *journal_at(const struct journal *journal, size_t index)
{
	return index < journal->count ? &journal->change[index] : NULL;
}

bool journal_is_pending(const struct journal *journal)
{
	size_t i;

	for (i = 0; i < journal->count; i++)
		if (journal->change[i].state == JOURNAL_PLANNED ||
		    journal->change[i].state == JOURNAL_DONE)
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
