/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/nfs_words.h"

#include <stdio.h>
#include <string.h>

#include "lib/number.h"

/* fs/nfs/super.c:nfs_reconfigure() and what the VFS keeps itself; seen on 5.10,
 * 6.1 and 6.12. */
bool nfs_words_is_live(const char *word)
{
	static const char *const words[] = { "sync",	    "async",
					     "noatime",	    "relatime",
					     "strictatime", "nodiratime",
					     "diratime",    NULL };
	size_t i;

	for (i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* ---- of a new mount -------------------------------------------------------- */

#define SECONDS_MAX 86400
#define IO_BYTES_MAX 4194304 /* of Linux 6.16; before it, and over UDP, less */
#define PAGE 4096

/* step: the number is a multiple of it; 0: there is no number. needs: a word
 * without which the kernel ignores this one, as fs/nfs/client.c:
 * nfs_match_client() finds the first mount's connections. */
static const struct kind {
	const char *key;
	unsigned long min, max, step;
	const char *values; /* blank-separated; NULL: none but the number */
	const char *needs;
} kinds[] = {
	{ "rsize", PAGE, IO_BYTES_MAX, PAGE, NULL, NULL },
	{ "wsize", PAGE, IO_BYTES_MAX, PAGE, NULL, NULL },
	{ "actimeo", 0, SECONDS_MAX, 1, NULL, NULL },
	{ "acregmin", 0, SECONDS_MAX, 1, NULL, NULL },
	{ "acregmax", 0, SECONDS_MAX, 1, NULL, NULL },
	{ "acdirmin", 0, SECONDS_MAX, 1, NULL, NULL },
	{ "acdirmax", 0, SECONDS_MAX, 1, NULL, NULL },
	{ "noac", 0, 0, 0, NULL, NULL },
	{ "lookupcache", 0, 0, 0, " all none pos ", NULL },
	{ "nocto", 0, 0, 0, NULL, NULL },
	{ "nordirplus", 0, 0, 0, NULL, NULL },
	{ "proto", 0, 0, 0, " tcp rdma ", NULL },
	{ "port", 1, 65535, 1, NULL, "proto" },
	{ "nconnect", 2, 16, 1, NULL, "proto" },
};

/* Why not another word that is wanted often, and would do nothing or harm. */
static const struct {
	const char *keys, *why;
} others[] = {
	{ " timeo retrans noresvport bg fg fsc max_connect retry ",
	  "a new mount shares it in silence with the old one: set it where the "
	  "server is mounted first" },
	{ " soft softerr hard softreval ",
	  "whether errors may reach programs is the site's matter: set it in "
	  "fstab(5)" },
	{ " ro rw suid nosuid dev nodev exec noexec sec xprtsec vers nfsvers "
	  "minorversion lock nolock local_lock addr clientaddr mountaddr "
	  "context ",
	  "it stays as the old mount has it" },
};

static bool is_among(const char *words, const char *word)
{
	char padded[NFS_WORD_MAX + 2];

	snprintf(padded, sizeof(padded), " %s ", word);
	return strstr(words, padded) != NULL;
}

static const struct kind *find(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].key, key))
			return &kinds[i];
	return NULL;
}

static const char *unknown(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (is_among(others[i].keys, key))
			return others[i].why;
	if (nfs_words_is_live(key))
		return "a live mount takes it: write it into mount_options";
	return "a new NFS mount takes rsize, wsize, actimeo, acregmin, "
	       "acregmax, acdirmin, acdirmax, noac, lookupcache, nocto, "
	       "nordirplus, proto, port and nconnect only";
}

static const char *check_value(const struct kind *kind, const char *value)
{
	unsigned long number;

	if (kind->values)
		return value && is_among(kind->values, value)
			       ? NULL
			       : "expected another value: jobio.conf(5)";
	if (!kind->step)
		return value ? "it takes no value" : NULL;
	if (!value ||
	    number_parse(value, kind->min, kind->max, &number, NULL) < 0 ||
	    number % kind->step)
		return "expected a number within bounds: jobio.conf(5)";
	return NULL;
}

/* ---- lists ----------------------------------------------------------------- */

/* The next word of the list, cut to fit; false: there is none. */
static bool next(const char **list, char word[NFS_WORD_MAX])
{
	size_t length;

	*list += strspn(*list, ",");
	length = strcspn(*list, ",");
	snprintf(word, NFS_WORD_MAX, "%.*s", (int)length, *list);
	*list += length;
	return length > 0;
}

static size_t count(const char *list, const char *key)
{
	char word[NFS_WORD_MAX];
	size_t found = 0;

	while (next(&list, word)) {
		word[strcspn(word, "=")] = '\0';
		found += !strcmp(word, key);
	}
	return found;
}

/* actimeo is all four of the others, and noac none of them. */
static const char *check_rivals(const char *list, const char *key)
{
	bool is_part = !strncmp(key, "acreg", 5) || !strncmp(key, "acdir", 5);

	if (count(list, key) > 1)
		return "it is there twice";
	if (is_part && count(list, "actimeo"))
		return "actimeo is there, too, which sets it";
	if ((is_part || !strcmp(key, "actimeo")) && count(list, "noac"))
		return "noac is there, too";
	return NULL;
}

const char *nfs_words_refusal(const char *list, char word[NFS_WORD_MAX])
{
	const char *rest = list, *why;
	const struct kind *kind;
	char key[NFS_WORD_MAX];
	char *value;

	while (next(&rest, word)) {
		strcpy(key, word);
		value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		kind = find(key);
		why = kind ? check_value(kind, value) : unknown(key);
		if (!why)
			why = check_rivals(list, key);
		if (!why && kind->needs && !count(list, kind->needs))
			why = "only with another proto= has a new mount "
			      "connections of its own";
		if (why)
			return why;
	}
	return NULL;
}
