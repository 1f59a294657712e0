/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/slurm_conf.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/alloc.h"
#include "lib/fileio.h"

#define FILE_MAX (4U << 20)
#define DEPTH_MAX 8
#define KINDS 2

/* A name and its line, too. */
struct pairs {
	struct pair {
		char *key, *value;
	} * list;
	size_t count;
};

struct kind {
	const char *name;
	char *defaults;
	struct pairs records;
};

struct slurm_conf {
	struct pairs pairs;
	struct kind kinds[KINDS];
};

struct source {
	struct slurm_conf *conf;
	const char *root;
	const char *path; /* as Slurm names it */
	unsigned int line;
	unsigned int depth;
};

static int read_file(struct slurm_conf *conf, const char *root, const char *path,
		     unsigned int depth, struct err *err);

/* ---- words: KEY=VALUE, the value perhaps in quotes ------------------------------ */

/* Cuts the next word off *at; NULL at the end of the line. */
static char *next_word(char **at)
{
	char *word, *to;
	char quote = 0;

	while (isspace((unsigned char)**at))
		(*at)++;
	if (!**at)
		return NULL;
	for (word = to = *at; **at && (quote || !isspace((unsigned char)**at)); (*at)++) {
		if (quote ? **at == quote : **at == '"' || **at == '\'')
			quote = quote ? 0 : **at;
		else
			*to++ = **at;
	}
	if (**at)
		(*at)++;
	*to = '\0';
	return word;
}

/* Takes the value. */
static void add_pair(struct pairs *pairs, const char *key, char *value)
{
	pairs->list = xrealloc(pairs->list, pairs->count + 1, sizeof(struct pair));
	pairs->list[pairs->count].key = xstrdup(key);
	pairs->list[pairs->count++].value = value;
}

static void free_pairs(struct pairs *pairs)
{
	while (pairs->count) {
		free(pairs->list[--pairs->count].key);
		free(pairs->list[pairs->count].value);
	}
	free(pairs->list);
}

/* ---- records ---------------------------------------------------------------------- */

static void add_default(struct kind *kind, const char *rest)
{
	char *all = xasprintf("%s %s", kind->defaults ? kind->defaults : "", rest);

	free(kind->defaults);
	kind->defaults = all;
}

/* Quotes off, blanks that were inside them to '_': one word stays one. */
static void flatten(char *rest)
{
	char *at = rest, *to = rest, *word;

	while ((word = next_word(&at))) {
		if (to > rest)
			*to++ = ' ';
		for (; *word; word++)
			*to++ = (char)(isspace((unsigned char)*word) ? '_' : *word);
	}
	*to = '\0';
}

static void take_record(struct kind *kind, const char *name, char *rest)
{
	flatten(rest);
	if (!strcasecmp(name, "DEFAULT"))
		add_default(kind, rest);
	else
		add_pair(&kind->records, name,
			 xasprintf("%s=%s %s %s", kind->name, name,
				   kind->defaults ? kind->defaults : "", rest));
}

/* ---- lines and files --------------------------------------------------------------- */

/* The include's path: absolute, or beside the file that names it. */
static int include(const struct source *source, const char *pattern, struct err *err)
{
	char path[PATH_MAX];
	const char *slash = strrchr(source->path, '/');
	glob_t found = { 0 };
	int rc = 0;

	snprintf(path, sizeof(path), "%s%.*s%s", *pattern == '/' ? source->root : "",
		 *pattern == '/' || !slash ? 0 : (int)(slash - source->path) + 1, source->path,
		 pattern);
	if (glob(path, 0, NULL, &found) == GLOB_NOSPACE)
		xneed(NULL);
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
		rc = read_file(source->conf, source->root, found.gl_pathv[i], source->depth + 1,
			       err);
	globfree(&found);
	return rc;
}

static int take_words(const struct source *source, char *line, struct err *err)
{
	char *word, *equals;

	while ((word = next_word(&line))) {
		equals = strchr(word, '=');
		if (!equals)
			return err_set(err, "%s:%u: '%s': must be KEY=VALUE", source->path,
				       source->line, word);
		*equals = '\0';
		for (size_t i = 0; i < KINDS; i++)
			if (!strcasecmp(word, source->conf->kinds[i].name)) {
				take_record(&source->conf->kinds[i], equals + 1, line);
				return 0;
			}
		add_pair(&source->conf->pairs, word, xstrdup(equals + 1));
	}
	return 0;
}

/* Blanks around '=' are allowed in Slurm's files. */
static void close_up(char *line)
{
	char *to = line;

	for (char *at = line; *at; at++) {
		if (isspace((unsigned char)*at)) {
			char *next = at + strspn(at, " \t");

			if (*next == '=' || (to > line && to[-1] == '='))
				continue;
		}
		*to++ = *at;
	}
	*to = '\0';
}

static int take_line(const struct source *source, char *line, struct err *err)
{
	char *hash = line;
	char *word;

	/* "\#" is no comment */
	while ((hash = strchr(hash, '#')) && hash > line && hash[-1] == '\\')
		hash++;
	if (hash)
		*hash = '\0';
	line += strspn(line, " \t");
	if (!strncasecmp(line, "include", 7) && isspace((unsigned char)line[7])) {
		line += 7;
		word = next_word(&line);
		return word ? include(source, word, err) : 0;
	}
	close_up(line);
	return take_words(source, line, err);
}

static int take_text(struct source *source, char *text, struct err *err)
{
	while (*text) {
		char *line = text, *end = strchrnul(text, '\n');

		source->line++;
		/* a backslash at the end joins the next line */
		while (*end && end > line && end[-1] == '\\') {
			end[-1] = end[0] = ' ';
			end = strchrnul(end, '\n');
			source->line++;
		}
		text = *end ? end + 1 : end;
		*end = '\0';
		if (take_line(source, line, err) < 0)
			return -1;
	}
	return 0;
}

static int read_file(struct slurm_conf *conf, const char *root, const char *path,
		     unsigned int depth, struct err *err)
{
	struct source source = { conf, root, path, 0, depth };
	char *real, *text;
	int rc;

	if (depth > DEPTH_MAX)
		return err_set(err, "%s: includes within includes: more than %d", path, DEPTH_MAX);
	real = realpath(path, NULL); /* sites link to a shared file */
	if (!real)
		return err_set(err, "%s: %s", path, strerror(errno));
	text = fileio_read(real, FILE_MAX, NULL, err);
	free(real);
	if (!text)
		return -1;
	rc = take_text(&source, text, err);
	free(text);
	if (rc < 0)
		errno = EINVAL;
	return rc;
}

struct slurm_conf *slurm_conf_load(const char *root, const char *path, struct err *err)
{
	static const char *const kinds[KINDS] = { "NodeName", "PartitionName" };
	struct slurm_conf *conf = xcalloc(1, sizeof(*conf));
	char whole[PATH_MAX];
	int saved;

	for (size_t i = 0; i < KINDS; i++)
		conf->kinds[i].name = kinds[i];
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (read_file(conf, root, whole, 0, err) < 0) {
		saved = errno;
		slurm_conf_free(conf);
		errno = saved;
		return NULL;
	}
	return conf;
}

void slurm_conf_free(struct slurm_conf *conf)
{
	if (!conf)
		return;
	free_pairs(&conf->pairs);
	for (size_t k = 0; k < KINDS; k++) {
		free_pairs(&conf->kinds[k].records);
		free(conf->kinds[k].defaults);
	}
	free(conf);
}

/* ---- answers ------------------------------------------------------------------------ */

const char *slurm_conf_get(const struct slurm_conf *conf, const char *key)
{
	for (size_t i = conf->pairs.count; i-- > 0;)
		if (!strcasecmp(conf->pairs.list[i].key, key))
			return conf->pairs.list[i].value;
	return NULL;
}

const char *slurm_conf_nth(const struct slurm_conf *conf, const char *key, size_t index)
{
	for (size_t i = 0; i < conf->pairs.count; i++)
		if (!strcasecmp(conf->pairs.list[i].key, key) && !index--)
			return conf->pairs.list[i].value;
	return NULL;
}

static bool is_yes(const char *value)
{
	static const char *const yes[] = { "yes", "true", "1", "up" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!strcasecmp(value, yes[i]))
			return true;
	return false;
}

bool slurm_conf_is(const struct slurm_conf *conf, const char *key, bool missing)
{
	const char *value = slurm_conf_get(conf, key);

	return value ? is_yes(value) : missing;
}

bool slurm_conf_has(const struct slurm_conf *conf, const char *key, const char *word)
{
	const char *at = slurm_conf_get(conf, key);
	size_t length = strlen(word);

	while (at && *at) {
		size_t part = strcspn(at, ",");

		if (part == length && !strncasecmp(at, word, length))
			return true;
		at += part + (at[part] == ',');
	}
	return false;
}

static const struct kind *find_kind(const struct slurm_conf *conf, const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcasecmp(conf->kinds[i].name, name))
			return &conf->kinds[i];
	return NULL;
}

const char *slurm_conf_record(const struct slurm_conf *conf, const char *kind, size_t index,
			      const char **name)
{
	const struct kind *found = find_kind(conf, kind);

	if (!found || index >= found->records.count)
		return NULL;
	*name = found->records.list[index].key;
	return found->records.list[index].value;
}

const char *slurm_conf_setting(const char *line, const char *key)
{
	const char *at = line, *found = NULL;
	size_t length = strlen(key);

	while (*(at += strspn(at, " "))) {
		if (!strncasecmp(at, key, length) && at[length] == '=')
			found = at + length + 1;
		at += strcspn(at, " ");
	}
	return found;
}
