/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/comment.h"

#include <string.h>

#include "record/alloc.h"

static const char head[] = "jobio/1";

/* Return the size of "key=value" at 'text'; 0: something else. */
static size_t token_size(const char *text)
{
	size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	size_t size = strcspn(text, " \n");
	size_t valid =
		key +
		strspn(text + key,
		       "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=._:;,@%-");

	return key && text[key] == '=' && valid == size ? size : 0;
}

const char *comment_find(const char *text, size_t *size)
{
	const char *at, *end, *found = NULL;
	size_t token;

	for (at = text; at && (at = strstr(at, head)); at++) {
		if (at > text && at[-1] != ' ' && at[-1] != '\n')
			continue;
		end = at + strlen(head);
		while (*end == ' ' && (token = token_size(end + 1)))
			end += 1 + token;
		if (end == at + strlen(head))
			continue;
		found = at;
		*size = (size_t)(end - at);
	}
	return found;
}

char *comment_with(const char *text, const char *summary, struct err *err)
{
	const char *before = text ? text : "", *after = "", *blank = "";
	size_t size = 0, room;
	const char *old = comment_find(before, &size);
	int length = (int)strlen(before);

	if (old) {
		length = (int)(old - before);
		after = old + size;
	} else if (length) {
		blank = " ";
	}
	room = (size_t)length + strlen(summary) + strlen(after) + 2;
	if (room > COMMENT_MAX) {
		err_set(err, "SystemComment: other text takes all of its %d bytes", COMMENT_MAX);
		return NULL;
	}
	return xasprintf("%.*s%s%s%s", length, before, blank, summary, after);
}
