/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/param.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"
#include "client/mounts.h"

#define PARAMS_MAX 16 /* for one kind of device */
#define MIB (1UL << 20)

enum role { /* groups of parameters that change together */
	ALONE,
	AHEAD,
	AHEAD_FILE,
	AHEAD_WHOLE,
	PAGES,
	RPCS,
	MODS,
	DIRTY
};

struct param {
	enum tree_kind kind;
	const char *key;
	unsigned long min, max; /* upper limit in 2.17 */
	enum role role;
};

/* In the order of writing. lru_size is not in the table: while it is dynamic it reads as the number
 * of locks, and cannot be distinguished from a fixed size. Nor are llite's checksums, which switch
 * those of all targets. */
static const struct param params[] = {
	{ TREE_LLITE, "max_read_ahead_mb", 0, 1048576, AHEAD },
	{ TREE_LLITE, "max_read_ahead_per_file_mb", 0, 1048576, AHEAD_FILE },
	{ TREE_LLITE, "max_read_ahead_whole_mb", 0, 1048576, AHEAD_WHOLE },
	{ TREE_LLITE, "max_cached_mb", 64, 16777216, ALONE },
	{ TREE_LLITE, "statahead_max", 0, 2048, ALONE },
	{ TREE_LLITE, "hybrid_io", 0, 1, ALONE },
	{ TREE_LLITE, "hybrid_io_read_threshold_bytes", 4096, 1073741824, ALONE },
	{ TREE_LLITE, "hybrid_io_write_threshold_bytes", 4096, 1073741824, ALONE },
	{ TREE_LLITE, "parallel_dio", 0, 1, ALONE },
	{ TREE_LLITE, "unaligned_dio", 0, 1, ALONE },
	{ TREE_MDC, "max_pages_per_rpc", 1, 16384, PAGES },
	{ TREE_MDC, "max_rpcs_in_flight", 2, 256, RPCS },
	{ TREE_MDC, "max_mod_rpcs_in_flight", 1, 255, MODS },
	{ TREE_MDC, "max_dirty_mb", 1, 2047, DIRTY },
	{ TREE_MDC, "checksums", 0, 1, ALONE },
	{ TREE_MDC, "lru_max_age", 1000, 86400000, ALONE },
	{ TREE_OSC, "max_pages_per_rpc", 1, 16384, PAGES },
	{ TREE_OSC, "max_rpcs_in_flight", 1, 256, RPCS },
	{ TREE_OSC, "max_dirty_mb", 1, 2047, DIRTY },
	{ TREE_OSC, "checksums", 0, 1, ALONE },
	{ TREE_OSC, "short_io_bytes", 0, 65536, ALONE },
	{ TREE_OSC, "lru_max_age", 1000, 86400000, ALONE },
};
#define PARAM_COUNT ARRAY_SIZE(params)

/* Empty: no key excludes another. */
const struct setting_key param_keys[] = { { 0 } };

static const struct param *find(enum tree_kind kind, const char *key)
{
	size_t i;

	for (i = 0; i < PARAM_COUNT; i++)
		if (params[i].kind == kind && !strcmp(params[i].key, key))
			return &params[i];
	return NULL;
}

/* "osc.max_rpcs_in_flight" */
static const struct param *find_dotted(const char *word)
{
	size_t length = strcspn(word, ".");
	int kind;

	for (kind = 0; kind < TREE_KINDS; kind++)
		if (strlen(tree_folder(kind)) == length &&
		    !strncmp(tree_folder(kind), word, length) && word[length])
			return find(kind, word + length + 1);
	return NULL;
}

/* Parse "16", or for pages also "4M", as the kernel does
 * (obdclass/lprocfs_status.c:sysfs_memparse()). */
static int parse_value(const struct param *param, const char *value, unsigned long *number)
{
	size_t length = strlen(value);
	unsigned long mib;
	char digits[16];

	if (param->role != PAGES || !length || value[length - 1] != 'M')
		return number_parse(value, param->min, param->max, number, NULL);
	TEXT_SET_PART(digits, value, length - 1);
	if (number_parse(digits, 1, 64, &mib, NULL) < 0)
		return -1;
	*number = mib * MIB / (unsigned long)getpagesize();
	return 0;
}

const char *param_refusal(const char *key, const char *value)
{
	const struct param *param = find_dotted(key);
	static char why[80];
	unsigned long number;

	if (!param)
		return "not a parameter that jobio sets";
	if (parse_value(param, value, &number) == 0)
		return NULL;
	snprintf(why, sizeof(why), "expected a number from %lu to %lu%s", param->min, param->max,
		 param->role == PAGES ? ", or mebibytes: 4M" : "");
	return why;
}

/* Get the last value of a parameter of this kind in the list; key NULL: of any. */
static bool find_wanted(const char *list, enum tree_kind kind, const char *key, char value[32])
{
	const struct param *param;
	struct options_word w;
	bool found = false;

	while (options_next(&list, &w)) {
		param = find_dotted(w.key);
		if (!param || param->kind != kind || (key && strcmp(param->key, key) != 0))
			continue;
		text_copy(value, 32, w.value);
		found = true;
	}
	return found;
}

bool param_concerns(const char *wanted, enum tree_kind kind)
{
	char value[32];

	return find_wanted(wanted, kind, NULL, value);
}

/* ---- files --------------------------------------------------------------- */

/* Return the folder of a parameter: those of a device's locks are in another one. */
static const char *folder_of(enum tree_kind kind, const char *key)
{
	return !strcmp(key, "lru_max_age") ? "ldlm/namespaces" : tree_folder(kind);
}

/* Read one value. max_cached_mb has several lines, one of them with its name; other files have one
 * value. */
static int read_value(const struct config_client *section, const struct param *param,
		      const char *device, unsigned long *number)
{
	const char *folder = folder_of(param->kind, param->key), *at;
	char text[1024], digits[24];

	if (tree_text(section, folder, device, param->key, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, "max_cached_mb: ");
	at = at ? at + strlen("max_cached_mb: ") : text;
	TEXT_SET_PART(digits, at, strcspn(at, " \n"));
	if (number_parse(digits, 0, ~0UL, number, NULL) == 0)
		return 0;
	errno = ENOENT; /* not the parameter in the table */
	return -1;
}

int param_now(const struct config_client *section, enum tree_kind kind, const char *device,
	      char list[PARAM_LIST_MAX])
{
	unsigned long number;
	size_t used = 0, i;

	for (i = 0; i < PARAM_COUNT; i++) {
		if (params[i].kind != kind)
			continue;
		if (read_value(section, &params[i], device, &number) < 0) {
			if (errno != ENOENT)
				return -1;
			continue;
		}
		used += (size_t)snprintf(list + used, PARAM_LIST_MAX - used, "%s%s=%lu",
					 used ? "," : "", params[i].key, number);
	}
	errno = ENOENT;
	return used ? 0 : -1;
}

int param_write(const struct config_client *section, enum tree_kind kind, const char *device,
		const char *key, const char *value)
{
	int fd = -1, saved;
	ssize_t n;

	errno = EPERM;
	if (find(kind, key))
		fd = tree_open(section, folder_of(kind, key), device, key, O_WRONLY | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	n = write(fd, value, strlen(value));
	saved = errno;
	close(fd);
	errno = saved;
	return n < 0 ? -1 : 0;
}

/* ---- coupled parameters --------------------------------------------------- */

struct value {
	const struct param *param;
	unsigned long now, to;
	bool known, named;
};

struct device_values {
	const struct client *client;
	const struct tree_device *device;
	size_t count;
	struct value value[PARAMS_MAX];
};

static struct value *in_role(struct device_values *all, enum role role)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->value[i].param->role == role && all->value[i].known)
			return &all->value[i];
	return NULL;
}

static unsigned long least(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

static unsigned long most(unsigned long a, unsigned long b)
{
	return a > b ? a : b;
}

/* Lower the values to the limits of the server. */
static void respect_server(struct device_values *all)
{
	const struct lustre_facts *facts = lustre_facts_of(all->client);
	struct value *pages = in_role(all, PAGES), *mods = in_role(all, MODS);
	const struct lustre_target *target;
	size_t i;

	for (i = 0; i < facts->target_count; i++) {
		target = &facts->target[i];
		if (target->kind != all->device->kind || target->index != all->device->index ||
		    strcmp(target->instance, all->device->instance) != 0)
			continue;
		if (pages && pages->named && target->server_bytes > 0)
			pages->to = least(pages->to, (unsigned long)target->server_bytes /
							     (unsigned long)getpagesize());
		if (mods && mods->named && target->server_mods > 0)
			mods->to = least(mods->to, (unsigned long)target->server_mods);
	}
}

/* As client_adjust_max_dirty(): enough for all RPCs in flight, at most an eighth of the memory. */
static void move_dirty(struct device_values *all)
{
	struct value *pages = in_role(all, PAGES), *rpcs = in_role(all, RPCS);
	struct value *dirty = in_role(all, DIRTY);
	unsigned long page = (unsigned long)getpagesize(), need, eighth;

	if (!pages || !rpcs || !dirty || dirty->named)
		return;
	need = (pages->to * rpcs->to * page + MIB - 1) / MIB;
	eighth = (unsigned long)sysconf(_SC_PHYS_PAGES) / 8 * page / MIB;
	need = least(need, least(eighth, dirty->param->max));
	dirty->to = most(dirty->now, need);
}

static void move_others(struct device_values *all)
{
	struct value *ahead = in_role(all, AHEAD);
	struct value *file = in_role(all, AHEAD_FILE);
	struct value *whole = in_role(all, AHEAD_WHOLE);
	struct value *rpcs = in_role(all, RPCS), *mods = in_role(all, MODS);

	if (ahead && file && !file->named)
		file->to = least(file->now, ahead->to);
	if (file && whole && !whole->named)
		whole->to = least(whole->now, file->to);
	if (rpcs && mods && !rpcs->named)
		rpcs->to = most(rpcs->now, mods->to + 1);
	if (rpcs && mods && !mods->named)
		mods->to = least(mods->now, rpcs->to - 1);
	move_dirty(all);
}

/* Return true if a change of one role may change the other. */
static bool is_coupled(enum role a, enum role b)
{
	if (a == ALONE || b == ALONE)
		return false;
	return (a <= AHEAD_WHOLE) == (b <= AHEAD_WHOLE);
}

/* Return true if the value is named, or coupled to one that is. */
static bool is_concerned(const struct device_values *all, const struct value *value)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->value[i].named &&
		    (value == &all->value[i] ||
		     is_coupled(value->param->role, all->value[i].param->role)))
			return value->known;
	return false;
}

/* Read all values. Unknown ones could not be restored. */
static int read_values(struct device_values *all, const char *wanted, struct err *err)
{
	struct value *value;
	char to[32];
	size_t i;

	for (i = 0; i < PARAM_COUNT && all->count < PARAMS_MAX; i++) {
		if (params[i].kind != all->device->kind)
			continue;
		value = &all->value[all->count++];
		value->param = &params[i];
		value->known = read_value(all->client->section, &params[i], all->device->name,
					  &value->now) == 0;
		if (!value->known && errno != ENOENT)
			return err_set(err, "%s of %s: %s", params[i].key, all->device->name,
				       strerror(errno));
		value->to = value->now;
		if (!find_wanted(wanted, params[i].kind, params[i].key, to))
			continue;
		value->named = value->known && parse_value(&params[i], to, &value->to) == 0;
		if (!value->named)
			return err_set(err, "this client does not have '%s.%s'",
				       tree_folder(params[i].kind), params[i].key);
	}
	return 0;
}

static bool is_different(const struct device_values *all)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->value[i].named && all->value[i].now != all->value[i].to)
			return true;
	return false;
}

int param_compose(const struct client *client, const struct tree_device *device, const char *wanted,
		  char **old_list, char **new_list, struct err *err)
{
	struct device_values all = { .client = client, .device = device };
	char word[SETTING_WORD_MAX];
	size_t i;

	*old_list = *new_list = NULL;
	if (read_values(&all, wanted, err) < 0)
		return -1;
	respect_server(&all);
	move_others(&all);
	if (!is_different(&all))
		return 0;
	for (i = 0; i < all.count; i++) {
		if (!is_concerned(&all, &all.value[i]))
			continue;
		snprintf(word, sizeof(word), "%s=%lu", all.value[i].param->key, all.value[i].now);
		*old_list = options_append(*old_list, word);
		snprintf(word, sizeof(word), "%s=%lu", all.value[i].param->key, all.value[i].to);
		*new_list = options_append(*new_list, word);
	}
	return 0;
}
