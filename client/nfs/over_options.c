/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a new mount: which it shall get, and has. To stand: the kernel
 * shows it. It has no word for what is a default, and several for actimeo;
 * mountstats shows more than the mount table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/nfs/nfs.h"
#include "client/rule.h"

#define LIST_TEXT_MAX 8192
#define WORD_MAX 256

/* What the table and mountstats, which shows defaults as well, say of a mount. */
static char *shown_of(const struct client *client, const char *target)
{
	const struct nfs_mount *mount = nfs_mount_at(client, target);
	const struct nfs_facts *facts = nfs_of(client);
	char more[LIST_TEXT_MAX] = "", *list = NULL;

	if (!mount)
		return NULL;
	if (facts->text)
		nfs_stats_options(facts->text, target, more, sizeof(more));
	if (asprintf(&list, "%s,%s", mount->mount->options, more) < 0)
		return NULL;
	return list;
}

static bool shows(const char *shown, const char *key, const char *value)
{
	char have[LIST_TEXT_MAX];

	return options_get(shown, key, have, sizeof(have)) &&
	       !strcmp(have, value);
}

/* fs/nfs/super.c:nfs_show_mount_options(): no actimeo, but what it sets; what is
 * a default has no word. */
static bool stands(const char *shown, const char *key, const char *value)
{
	if (!strcmp(key, "actimeo"))
		return shows(shown, "acregmin", value) &&
		       shows(shown, "acregmax", value) &&
		       shows(shown, "acdirmin", value) &&
		       shows(shown, "acdirmax", value);
	if ((!strcmp(key, "lookupcache") && !strcmp(value, "all")) ||
	    (!strcmp(key, "port") && !strcmp(value, "2049")))
		return !options_get(shown, key, NULL, 0);
	return shows(shown, key, value);
}

struct comparison {
	char *shown;
	const char *wanted;
	char word[WORD_MAX]; /* that does not stand */
	char *olds;	     /* what stands instead */
};

static int is_missing(void *arg, const char *word, const char *key,
		      const char *value)
{
	struct comparison *c = arg;

	if (stands(c->shown, key, value))
		return 0;
	snprintf(c->word, sizeof(c->word), "%s", word);
	return 1;
}

bool nfs_over_stand(const struct client *client, const char *target,
		    const char *wanted)
{
	struct comparison c = { .shown = shown_of(client, target) };
	bool yes = c.shown && options_each(wanted, is_missing, &c) == 0;

	free(c.shown);
	return yes;
}

/* Does the wanted list set it, be it by another word? */
static bool is_replaced(const char *wanted, const char *key)
{
	if (options_get(wanted, key, NULL, 0))
		return true;
	if (!strncmp(key, "acreg", 5) || !strncmp(key, "acdir", 5))
		return options_get(wanted, "actimeo", NULL, 0);
	if (!strcmp(key, "port") || !strcmp(key, "nconnect"))
		return options_get(wanted, "proto", NULL, 0);
	return false;
}

struct composer {
	const char *wanted;
	char *list;
	bool has_atime;
};

static int keep(void *arg, const char *word, const char *key, const char *value)
{
	struct composer *composer = arg;

	(void)value;
	composer->has_atime |=
		!strcmp(key, "noatime") || !strcmp(key, "relatime");
	/* SELinux shows that it labels; mount(2) does not take the word */
	if (!strcmp(key, "seclabel") || is_replaced(composer->wanted, key))
		return 0;
	composer->list = options_append(composer->list, word);
	return composer->list ? 0 : -1;
}

char *nfs_over_list(const char *shown, const char *wanted)
{
	struct composer composer = { .wanted = wanted };

	if (options_each(shown, keep, &composer))
		return NULL;
	/* the table has no word for it, and mount(2) another default */
	if (!composer.has_atime)
		composer.list = options_append(composer.list, "strictatime");
	return composer.list ? options_append(composer.list, wanted) : NULL;
}

static int note_old(void *arg, const char *word, const char *key,
		    const char *value)
{
	struct comparison *c = arg;
	char have[WORD_MAX - 64], old[WORD_MAX];

	(void)word;
	(void)value;
	if (!options_get(c->shown, key, have, sizeof(have)))
		snprintf(old, sizeof(old), "!%.60s", key);
	else
		snprintf(old, sizeof(old), "%.60s%s%s", key, *have ? "=" : "",
			 have);
	c->olds = options_append(c->olds, old);
	return c->olds ? 0 : -1;
}

char *nfs_over_old(const struct client *client, const char *target,
		   unsigned long id, const char *wanted)
{
	struct comparison c = { .shown = shown_of(client, target) };
	char text[32];
	int rc;

	snprintf(text, sizeof(text), "id=%lu", id);
	c.olds = c.shown ? options_append(NULL, text) : NULL;
	rc = c.olds ? options_each(wanted, note_old, &c) : -1;
	free(c.shown);
	return rc ? NULL : c.olds;
}

static int is_lost(void *arg, const char *word, const char *key,
		   const char *value)
{
	struct comparison *c = arg;

	if (is_replaced(c->wanted, key) || shows(c->shown, key, value))
		return 0;
	snprintf(c->word, sizeof(c->word), "%s", word);
	return 1;
}

int nfs_over_verify(const struct client *client, const char *target,
		    const char *before, const char *wanted, struct err *err)
{
	struct comparison c = { .shown = shown_of(client, target),
				.wanted = wanted };
	int rc = 0;

	if (!c.shown)
		rc = err_set(err, "it is gone");
	else if (options_each(wanted, is_missing, &c))
		rc = err_set(err, "the kernel did not give it %s", c.word);
	else if (options_each(before, is_lost, &c))
		rc = err_set(err, "it has lost '%s' on the way", c.word);
	free(c.shown);
	return rc;
}

/* fs/nfs/nfs4client.c:nfs4_init_client() (Linux 5.10 to 6.12): a server that turns
 * out to be known is the one that was known, with its transport. */
static bool keeps_transport(const char *shown, const char *wanted)
{
	char version[16], has[16], proto[16];

	return options_get(wanted, "proto", proto, sizeof(proto)) &&
	       options_get(shown, "vers", version, sizeof(version)) &&
	       *version == '4' &&
	       options_get(shown, "proto", has, sizeof(has)) &&
	       strcmp(has, proto) != 0;
}

void nfs_over_tell(const struct client *client,
		   const struct journal_change *change, bool is_made,
		   const char *why, struct findings *findings)
{
	const struct nfs_mount *seen = nfs_mount_at(client, change->target);
	/* EBUSY of fs/namespace.c:do_add_mount(): it would be the old
	 * superblock once more */
	bool is_old = is_made || strstr(why, "already mounted") != NULL;
	bool is_kept = is_old && seen &&
		       keeps_transport(seen->mount->options, change->new_value);

	rule_tell(client, is_old ? "NF36" : "NF35",
		  is_kept ? "have this server's first NFS 4 mount made with "
			    "this proto= (fstab), or take proto= out of mount= "
			    "of the profile"
			  : NULL,
		  findings, "'%s' %s mounted anew with %s%s: %.300s%s",
		  change->target, is_made ? "was" : "could not be",
		  change->new_value, is_made ? ", and taken back" : "", why,
		  is_kept ? "; by NFS 4 a server's mounts have the transport "
			    "of its first one"
			  : "");
}
