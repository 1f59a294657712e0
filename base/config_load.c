/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_load.h"

/* Read the file. */
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config_check.h"
#include "base/config_keys.h"
#include "base/config_names.h"
#include "base/config_query.h"

#define LINES_MAX 10000
#define SECTION_MAX 49
/* inih reads a line into 200 bytes (INI_MAX_LINE), and the name of a section into 50 (MAX_SECTION),
 * and silently cuts the rest; our reader refuses such a line. */

struct seen {
	struct seen *next;
	int line;
	char name[]; /* "section\nkey" */
};

struct parse {
	struct config *config;
	const char *file;
	FILE *in;
	int line;
	bool failed;
	int line_failed;
	struct err *err;
	struct seen *seen;
	char why[160];
};

static int fail(struct parse *p, const char *section, const char *key, const char *value,
		const char *why)
{
	if (!p->failed) {
		p->line_failed = p->line;
		err_set(p->err, "%s:%d: [%s] %s: '%.80s': %s", p->file, p->line, section, key,
			value, why);
	}
	p->failed = true;
	return 0; /* inih: 0 is an error */
}

/* Note that the key was set. Return 1 if it was set before, -1 if out of memory. */
static int note_key(struct parse *p, const char *section, const char *key)
{
	size_t size = strlen(section) + strlen(key) + 2;
	struct seen *seen;

	for (seen = p->seen; seen; seen = seen->next)
		if (!strncmp(seen->name, section, strlen(section)) &&
		    seen->name[strlen(section)] == '\n' &&
		    !strcmp(seen->name + strlen(section) + 1, key))
			return 1;
	seen = malloc(sizeof(*seen) + size);
	if (!seen)
		return -1;
	snprintf(seen->name, size, "%s\n%s", section, key);
	seen->line = p->line;
	seen->next = p->seen;
	p->seen = seen;
	return 0;
}

static struct config_client *client_named(struct config *config, const char *name)
{
	const struct config_client *found = config_client_find(config, name);
	struct config_client *client;
	size_t i;

	if (found)
		return &config->clients[found - config->clients];
	if (config->client_count == CONFIG_CLIENTS_MAX)
		return NULL;
	client = &config->clients[config->client_count++];
	client->name = strdup(name);
	if (!client->name || config_set_initial(client, config_client_keys) < 0)
		return NULL;
	for (i = 0; i < CONFIG_TYPE_COUNT; i++)
		if (config_set_initial(client, config_type_keys[i]) < 0)
			return NULL;
	return client;
}

/* client: "", or that of [profile NAME:CLIENT] */
static struct config_profile *profile_named(struct config *config, const char *name,
					    const char *client)
{
	struct config_profile *list = *client ? config->client_profiles : config->profiles;
	size_t *count = *client ? &config->client_profile_count : &config->profile_count;
	struct config_profile *profile = config_profile_in(list, *count, name, client);

	if (profile)
		return profile;
	if (*count == CONFIG_PROFILES_MAX)
		return NULL;
	profile = &list[(*count)++];
	profile->name = strdup(name);
	profile->client = strdup(client);
	return profile->name && profile->client &&
			       config_set_initial(profile, config_profile_keys) == 0
		       ? profile
		       : NULL;
}

/* "NAME" or "NAME:CLIENT" */
static bool split_profile(const char *text, char name[PROFILE_NAME_MAX + 1],
			  char client[PROFILE_NAME_MAX + 1])
{
	const char *colon = strchr(text, ':');
	size_t length = colon ? (size_t)(colon - text) : strlen(text);

	*client = '\0';
	if (length > PROFILE_NAME_MAX)
		return false;
	snprintf(name, PROFILE_NAME_MAX + 1, "%.*s", (int)length, text);
	if (!config_is_name(name) || (colon && !config_is_name(colon + 1)))
		return false;
	if (colon)
		snprintf(client, PROFILE_NAME_MAX + 1, "%s", colon + 1);
	return true;
}

static const char no_name[] = "its name is not of 1 to 32 small letters, digits, '_' and '-'";
_Static_assert(PROFILE_NAME_MAX == 32, "the number is in no_name");

/* Return the table and the struct of a section; NULL: unknown section. */
static const struct key *find_section(struct config *config, const char *section, void **base,
				      const char **why)
{
	char name[PROFILE_NAME_MAX + 1], client[PROFILE_NAME_MAX + 1];
	bool is_client, is_profile;

	*why = "unknown section";
	*base = config;
	if (!strcmp(section, "jobio"))
		return config_jobio_keys;
	if (!strcmp(section, "option")) {
		config->has_option = true;
		return config_option_keys;
	}
	if (!strcmp(section, "count"))
		return config_count_keys;
	if (!strcmp(section, "ledger"))
		return config_ledger_keys;
	if (!strcmp(section, "advice")) {
		*base = &config->advice;
		return config_advice_keys;
	}
	is_client = !strncmp(section, "client ", 7);
	is_profile = !strncmp(section, "profile ", 8);
	if (is_client || is_profile)
		*why = no_name;
	if (is_client && config_is_name(section + 7)) {
		*base = client_named(config, section + 7);
		*why = "too many clients";
		return *base ? config_client_keys : NULL;
	}
	if (is_profile && split_profile(section + 8, name, client)) {
		*base = profile_named(config, name, client);
		*why = "too many profiles";
		return *base ? config_profile_keys : NULL;
	}
	return NULL;
}

static int set_value(void *user, const char *section, const char *name, const char *value)
{
	struct parse *p = user;
	const struct key *keys, *key;
	const char *why;
	void *base;
	int seen;

	if (p->failed)
		return 0;
	keys = find_section(p->config, section, &base, &why);
	if (!keys)
		return fail(p, section, name, value, why);
	key = config_find_key(keys, name);
	if (!key && keys == config_client_keys)
		key = config_find_type_key(name);
	if (!key && keys == config_advice_keys &&
	    (key = config_find_key(config_calibration_keys, name)))
		base = p->config;
	if (!key)
		return fail(p, section, name, value,
			    config_unknown_key(keys, name, p->why, sizeof(p->why)));
	seen = note_key(p, section, name);
	if (seen)
		return fail(
			p, section, name, value,
			seen < 0
				? "out of memory"
				: "set twice (a line that starts with a blank continues the one before)");
	why = config_set(base, key, value);
	if (keys == config_advice_keys && base == &p->config->advice)
		p->config->advice_given |= UINT64_C(1) << (key - config_advice_keys);
	return why ? fail(p, section, name, value, why) : 1;
}

/* Read a line of a calibration. Keys in jobio.conf itself take precedence. */
static int set_constant(void *user, const char *section, const char *name, const char *value)
{
	struct parse *p = user;
	const struct key *key = config_find_key(config_advice_keys, name);
	const char *why;
	int seen;

	if (p->failed)
		return 0;
	if (strcmp(section, "advice") != 0)
		return fail(p, section, name, value, "expected [advice] only");
	if (!key)
		return fail(p, section, name, value,
			    config_unknown_key(config_advice_keys, name, p->why, sizeof(p->why)));
	seen = note_key(p, section, name);
	if (seen)
		return fail(p, section, name, value, seen < 0 ? "out of memory" : "set twice");
	if (p->config->advice_given >> (key - config_advice_keys) & 1)
		return 1;
	why = config_set(&p->config->advice, key, value);
	return why ? fail(p, section, name, value, why) : 1;
}

/* Refuse the line that was read, and stop. */
static char *no_line(struct parse *p)
{
	p->line_failed = p->line;
	p->failed = true;
	return NULL;
}

static char *next_line(char *text, int room, void *stream)
{
	struct parse *p = stream;
	size_t length;

	if (p->failed || !fgets(text, room, p->in))
		return NULL;
	p->line++;
	length = strlen(text);
	if (p->line > LINES_MAX || (length && text[length - 1] != '\n' && !feof(p->in))) {
		err_set(p->err,
			"%s:%d: line of more than %d characters, or a zero byte, or more than %d lines",
			p->file, p->line, room - 2, LINES_MAX);
		return no_line(p);
	}
	if (*text == '[' && strcspn(text + 1, "]\n") > SECTION_MAX) {
		err_set(p->err,
			"%s:%d: the name of a section, with all of its words, is longer than %d characters",
			p->file, p->line, SECTION_MAX);
		return no_line(p);
	}
	return text;
}

static FILE *open_file(const char *file, struct err *err)
{
	struct stat st;
	FILE *in;
	int fd, saved;

	/* links are allowed: sites keep /etc/slurm elsewhere; a FIFO is not */
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		saved = errno;
		err_set(err, "'%s': cannot read: %s", file, strerror(saved));
		errno = saved;
		return NULL;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		in = fdopen(fd, "re");
		if (in)
			return in;
	}
	close(fd);
	err_set(err, "'%s': cannot read: not a regular file", file);
	errno = EINVAL;
	return NULL;
}

/* Check that each [client] section has keys of its own type only. */
static int check_type_keys(const struct parse *p)
{
	const struct config_client *client;
	const struct seen *seen, *first = NULL;
	const char *key, *type, *nearest;
	size_t i, length;

	for (i = 0; i < p->config->client_count && !first; i++) {
		client = &p->config->clients[i];
		length = strlen("client ") + strlen(client->name);
		for (seen = p->seen; seen; seen = seen->next) {
			if (strncmp(seen->name, "client ", 7) != 0 ||
			    strncmp(seen->name + 7, client->name, strlen(client->name)) != 0 ||
			    seen->name[length] != '\n')
				continue;
			key = seen->name + length + 1;
			if (config_find_key(config_client_keys, key) ||
			    config_find_key(config_type_keys[client->type], key))
				continue;
			if (!first || seen->line < first->line)
				first = seen;
		}
	}
	if (!first)
		return 0;
	client = &p->config->clients[i - 1];
	type = client_type_name(client->type);
	key = strchr(first->name, '\n') + 1;
	nearest = config_nearest_key(config_client_keys, config_type_keys[client->type], key);
	return err_set(p->err, "%s:%d: [client %s] %s: not a key of type=%s%s%s%s", p->config->file,
		       first->line, client->name, key, type, nearest ? "; is it '" : "",
		       nearest ? nearest : "", nearest ? "'?" : "");
}

/* Pass the lines of a file to 'handler', one after the other. */
static int read_lines(struct config *config, const char *file, FILE *in, ini_handler handler,
		      struct err *err)
{
	struct parse p = { .config = config, .file = file, .in = in, .err = err };
	struct seen *next;
	int rc;

	rc = ini_parse_stream(next_line, &p, handler, &p);
	if (rc == 0 && !p.failed && check_type_keys(&p) < 0)
		p.failed = true;
	for (; p.seen; p.seen = next) {
		next = p.seen->next;
		free(p.seen);
	}
	if (p.failed && (rc <= 0 || rc >= p.line_failed))
		return -1;
	if (rc > 0) /* inih continues after a line that it cannot read */
		return err_set(err, "%s:%d: expected [section], key=value or a comment", file, rc);
	return rc < 0 ? err_set(err, "%s: out of memory", file) : 0;
}

int config_calibrate(struct config *config, struct err *err)
{
	FILE *in;
	int rc;

	if (!*config->calibration)
		return 0;
	in = open_file(config->calibration, err);
	if (!in)
		return err_prefix(err, "%s: [advice] calibration", config->file);
	rc = read_lines(config, config->calibration, in, set_constant, err);
	fclose(in);
	return rc;
}

struct config *config_load(const char *file, struct err *err)
{
	struct config *config = NULL;
	FILE *in;

	if (!file)
		file = JOBIO_CONF;
	in = open_file(file, err);
	if (!in)
		return NULL;
	config = calloc(1, sizeof(*config));
	if (!config || !(config->file = strdup(file)) ||
	    config_set_initial(config, config_jobio_keys) < 0 ||
	    config_set_initial(config, config_option_keys) < 0 ||
	    config_set_initial(config, config_count_keys) < 0 ||
	    config_set_initial(config, config_ledger_keys) < 0 ||
	    config_set_initial(config, config_calibration_keys) < 0 ||
	    config_set_initial(&config->advice, config_advice_keys) < 0) {
		err_set(err, "%s: out of memory", file);
		goto fail;
	}
	if (read_lines(config, file, in, set_value, err) < 0 || config_check(config, err) < 0)
		goto fail;
	fclose(in);
	return config;
fail:
	fclose(in);
	config_free(config);
	errno = EINVAL;
	return NULL;
}

static void free_profiles(struct config_profile list[], size_t count)
{
	for (; count--; list++) {
		free(list->name);
		free(list->client);
		free(list->nfs_options);
		config_free_texts(list, config_profile_keys);
	}
}

void config_advice_init(struct config_advice *advice)
{
	config_set_initial(advice, config_advice_keys); /* numbers only: it cannot fail */
}

void config_free(struct config *config)
{
	size_t i, j;

	if (!config)
		return;
	for (i = 0; i < config->client_count; i++) {
		free(config->clients[i].name);
		config_free_texts(&config->clients[i], config_client_keys);
		for (j = 0; j < CONFIG_TYPE_COUNT; j++)
			config_free_texts(&config->clients[i], config_type_keys[j]);
	}
	free_profiles(config->profiles, config->profile_count);
	free_profiles(config->client_profiles, config->client_profile_count);
	config_free_texts(config, config_jobio_keys);
	config_free_texts(config, config_option_keys);
	config_free_texts(config, config_count_keys);
	config_free_texts(config, config_ledger_keys);
	config_free_texts(config, config_calibration_keys);
	free(config->file);
	free(config);
}
