/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/payload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "record/alloc.h"

#define LEADER "jobio/1 "
#define DIGITS (PAYLOAD_NONCE_SIZE - 1)

int payload_nonce(char nonce[PAYLOAD_NONCE_SIZE], struct err *err)
{
	unsigned char bytes[DIGITS / 2];
	size_t i;

	/* up to 256 bytes are returned completely, or not at all: getrandom(2) */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_set(err, "random numbers: %s", strerror(errno));
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

char *payload_make(const char *const *nonces, size_t count, const char *json)
{
	size_t size = strlen(json), i;
	char *text = xcalloc(1, sizeof(LEADER) + count * PAYLOAD_NONCE_SIZE + size);
	char *at = text;

	for (i = 0; i < count; i++) {
		at = stpcpy(at, i ? " " : LEADER);
		at = stpcpy(at, nonces[i]);
	}
	*at++ = '\n';
	memcpy(at, json, size + 1);
	return text;
}

/* Return 1 if it is nonces with one blank between them, nothing else. */
static int are_nonces(const char *text)
{
	for (;; text++) {
		if (strspn(text, "0123456789abcdef") != DIGITS)
			return 0;
		text += DIGITS;
		if (*text != ' ')
			return !*text;
	}
}

char *payload_parse(char *text, char **nonces)
{
	char *end = strchr(text, '\n');

	if (!end || strncmp(text, LEADER, strlen(LEADER)) != 0)
		return NULL;
	*end = 0;
	text += strlen(LEADER);
	if (!are_nonces(text))
		return NULL;
	*nonces = text;
	return end + 1;
}

int payload_has_nonce(const char *nonces, const char *nonce)
{
	for (; strlen(nonces) >= DIGITS; nonces += DIGITS) {
		if (!strncmp(nonces, nonce, DIGITS))
			return 1;
		if (!nonces[DIGITS])
			break;
		nonces++;
	}
	return 0;
}
