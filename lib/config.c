/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/digest.h"
#include "lib/number.h"
#include "lib/rundir.h"

#define LINES_MAX 10000
#define TEXT_MAX 500
#define READ_AHEAD_KB_MAX 1048576
#define SQLITE_PATH "/var/lib/jobio/ledger.sqlite"
#define SCHEMA_MAX 64 /* bytes of a schema's name, as MariaDB has it */
/* inih reads a line into 200 bytes (INI_MAX_LINE) and cuts the rest off
 * without a word; our reader refuses such a line instead. */

enum kind {
	TEXT,
	PATH,
	NUMBER,
	CHOICE,
	NAME
};

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	const char *initial;
	unsigned long min, max;
	const char *const *choices; /* index is the enum's value */
};

static const char *const gates[] = { "off", "warn", "enforce", NULL };
static const char *const on_errors[] = { "continue", "drain", NULL };
static const char *const mismatches[] = { "continue", "hold", "refuse", NULL };
static const char *const types[] = { "weka", "lustre", "gpfs", "nfs", NULL };
static const char *const changes[] = { "never", "grow", "any", "affinity",
				       NULL };
static const char *const queues[] = { "named", "all", NULL };
static const char *const methods[] = { "resources", "remount", "mount", NULL };
static const char *const fields[] = { "system", "admin", NULL };
static const char *const switches[] = { "no", "yes", NULL };

#define AT(member) offsetof(struct config, member)
static const struct key jobio_keys[] = {
	{ "enabled", CHOICE, AT(enabled), "yes", 0, 0, switches },
	{ "nodes", TEXT, AT(nodes), "*", 0, 0, NULL },
	{ "partitions", TEXT, AT(partitions), "", 0, 0, NULL },
	{ "gate", CHOICE, AT(gate), "warn", 0, 0, gates },
	{ "on_error", CHOICE, AT(on_error), "continue", 0, 0, on_errors },
	{ "on_mismatch", CHOICE, AT(on_mismatch), "continue", 0, 0,
	  mismatches },
	{ "run_dir", PATH, AT(run_dir), RUNDIR_RUN, 0, 0, NULL },
	{ "spool_dir", PATH, AT(spool_dir), RUNDIR_SPOOL, 0, 0, NULL },
	{ "spool_max_records", NUMBER, AT(spool_max_records), "10000", 1,
	  1000000, NULL },
	{ "report_dir", TEXT, AT(report_dir), "", 0, 0, NULL },
	{ "prolog_budget_ms", NUMBER, AT(prolog_budget_ms), "10000", 100,
	  600000, NULL },
	{ 0 }
};

static const struct key option_keys[] = {
	{ "io_cores_min", NUMBER, AT(io_cores_min), "1", 1, IO_CORES_LIMIT,
	  NULL },
	{ "io_cores_max", NUMBER, AT(io_cores_max), "4", 1, IO_CORES_LIMIT,
	  NULL },
	{ "io_cores_default", NUMBER, AT(io_cores_default), "0", 0,
	  IO_CORES_LIMIT, NULL },
	{ "profile_default", NAME, AT(profile_default), "", 0, 0, NULL },
	{ 0 }
};

static const struct key count_keys[] = {
	{ "kernel", CHOICE, AT(count_kernel), "yes", 0, 0, switches },
	{ "latency", CHOICE, AT(count_latency), "no", 0, 0, switches },
	{ "mounts", TEXT, AT(count_mounts), "", 0, 0, NULL },
	{ 0 }
};

static const struct key ledger_keys[] = {
	{ "host", TEXT, AT(ledger.host), "", 0, 0, NULL },
	{ "port", NUMBER, AT(ledger.port), "8632", 1, 65535, NULL },
	{ "listen", TEXT, AT(ledger.listen), "0.0.0.0", 0, 0, NULL },
	{ "user", TEXT, AT(ledger.user), "slurm", 0, 0, NULL },
	{ "store", TEXT, AT(ledger.store), SQLITE_PATH, 0, 0, NULL },
	{ "storage_host", TEXT, AT(ledger.storage_host), "localhost", 0, 0,
	  NULL },
	{ "storage_port", NUMBER, AT(ledger.storage_port), "3306", 1, 65535,
	  NULL },
	{ "storage_loc", TEXT, AT(ledger.storage_loc), "jobio_ledger", 0, 0,
	  NULL },
	{ "storage_user", TEXT, AT(ledger.storage_user), "slurm", 0, 0, NULL },
	{ "storage_pass_file", TEXT, AT(ledger.storage_pass_file), "", 0, 0,
	  NULL },
	{ "storage_ca", TEXT, AT(ledger.storage_ca), "", 0, 0, NULL },
	{ "cluster", TEXT, AT(ledger.cluster), "", 0, 0, NULL },
	{ "munge_socket", TEXT, AT(ledger.munge_socket), "", 0, 0, NULL },
	{ "metrics_listen", TEXT, AT(ledger.metrics_listen), "", 0, 0, NULL },
	{ "metrics_file", TEXT, AT(ledger.metrics_file), "", 0, 0, NULL },
	{ "field", CHOICE, AT(ledger.field), "system", 0, 0, fields },
	{ "grace_s", NUMBER, AT(ledger.grace_s), "300", 0, 86400, NULL },
	{ "retention_days", NUMBER, AT(ledger.retention_days), "400", 1, 36500,
	  NULL },
	{ "send_timeout_ms", NUMBER, AT(ledger.send_timeout_ms), "10000", 100,
	  600000, NULL },
	{ 0 }
};
#undef AT

/* The measurements behind these are in jobio.conf(5). */
#define AT(member) offsetof(struct config_advice, member)
static const struct key advice_keys[] = {
	{ "min_seconds", NUMBER, AT(min_seconds), "60", 0, 86400, NULL },
	{ "min_mib", NUMBER, AT(min_mib), "1024", 1, 1048576, NULL },
	{ "min_calls", NUMBER, AT(min_calls), "10000", 1, 100000000, NULL },
	{ "busy_percent", NUMBER, AT(busy_percent), "10", 1, 100, NULL },
	{ "sync_call_us", NUMBER, AT(sync_call_us), "150", 1, 1000000, NULL },
	{ "small_read_kb", NUMBER, AT(small_read_kb), "40", 1, 1000000, NULL },
	{ "small_write_kb", NUMBER, AT(small_write_kb), "70", 1, 1000000,
	  NULL },
	{ "direct_small_kib", NUMBER, AT(direct_small_kib), "64", 1, 1048576,
	  NULL },
	{ "large_kib", NUMBER, AT(large_kib), "1024", 1, 1048576, NULL },
	{ "core_read_mbs", NUMBER, AT(core_read_mbs), "5730", 1, 1000000,
	  NULL },
	{ "core_write_mbs", NUMBER, AT(core_write_mbs), "6930", 1, 1000000,
	  NULL },
	{ "core_read_iops", NUMBER, AT(core_read_iops), "144533", 1, 100000000,
	  NULL },
	{ "core_write_iops", NUMBER, AT(core_write_iops), "98904", 1, 100000000,
	  NULL },
	{ "at_limit_percent", NUMBER, AT(at_limit_percent), "80", 1, 100,
	  NULL },
	{ "headroom_percent", NUMBER, AT(headroom_percent), "30", 0, 90, NULL },
	{ "io_processes", NUMBER, AT(io_processes), "16", 1, 4096, NULL },
	{ "stats_per_s", NUMBER, AT(stats_per_s), "20000", 1, 100000000, NULL },
	{ "dir_creates_per_s", NUMBER, AT(dir_creates_per_s), "30000", 1,
	  100000000, NULL },
	{ "imbalance_percent", NUMBER, AT(imbalance_percent), "30", 1, 10000,
	  NULL },
	{ "slow_percent", NUMBER, AT(slow_percent), "40", 1, 99, NULL },
	{ "nfs_ops_per_s", NUMBER, AT(nfs_ops_per_s), "250000", 1, 100000000,
	  NULL },
	{ "lustre_write_mbs", NUMBER, AT(lustre_write_mbs), "5000", 1, 1000000,
	  NULL },
	{ "resent_percent", NUMBER, AT(resent_percent), "1", 1, 100, NULL },
	{ 0 }
};
#undef AT

/* of [advice], and not a number of it */
#define AT(member) offsetof(struct config, member)
static const struct key calibration_keys[] = {
	{ "calibration", TEXT, AT(calibration), "", 0, 0, NULL }, { 0 }
};
#undef AT

#define AT(member) offsetof(struct config_client, member)
/* of every type */
static const struct key client_keys[] = {
	{ "type", CHOICE, AT(type), "weka", 0, 0, types },
	{ "nodes", TEXT, AT(nodes), "*", 0, 0, NULL },
	{ "mounts", TEXT, AT(mounts), "", 0, 0, NULL },
	{ "core_change", CHOICE, AT(core_change), "never", 0, 0, changes },
	{ "unbound_workqueues", CHOICE, AT(unbound_workqueues), "named", 0, 0,
	  queues },
	{ "interrupts_of", TEXT, AT(interrupts_of), "", 0, 0, NULL },
	{ "process_dir", PATH, AT(process_dir), "/proc", 0, 0, NULL },
	{ "timeout_ms", NUMBER, AT(timeout_ms), "5000", 100, 120000, NULL },
	{ "mount_table", PATH, AT(mount_table), "/proc/self/mounts", 0, 0,
	  NULL },
	{ 0 }
};

static const struct key weka_keys[] = {
	{ "container", TEXT, AT(container), "", 0, 0, NULL },
	{ "core_method", CHOICE, AT(core_method), "resources", 0, 0, methods },
	{ "ready_timeout_ms", NUMBER, AT(ready_timeout_ms), "60000", 100,
	  600000, NULL },
	{ "command", PATH, AT(command), "/usr/bin/weka", 0, 0, NULL },
	{ "mount_command", PATH, AT(mount_command), "/bin/mount", 0, 0, NULL },
	{ "umount_command", PATH, AT(umount_command), "/bin/umount", 0, 0,
	  NULL },
	{ "fstab", PATH, AT(fstab), "/etc/fstab", 0, 0, NULL },
	{ "service_conf", PATH, AT(service_conf), "/etc/wekaio/service.conf", 0,
	  0, NULL },
	{ "service_conf_alt", PATH, AT(service_conf_alt),
	  "/etc/wekaio/weka.conf", 0, 0, NULL },
	{ "proc_dir", PATH, AT(proc_dir), "/proc/wekafs", 0, 0, NULL },
	{ "cgroup_root", PATH, AT(cgroup_root), "/sys/fs/cgroup", 0, 0, NULL },
	{ "data_dir", PATH, AT(data_dir), "/opt/weka/data", 0, 0, NULL },
	{ "agent_pidfile", PATH, AT(agent_pidfile), "/var/run/weka-agent.pid",
	  0, 0, NULL },
	{ "stats_socket", PATH, AT(stats_socket),
	  "/opt/weka/external-mounts/local-sockets/*/container.sock", 0, 0,
	  NULL },
	{ 0 }
};

static const struct key nfs_keys[] = {
	{ "mount_command", PATH, AT(mount_command), "/bin/mount", 0, 0, NULL },
	{ "mountinfo", PATH, AT(mountinfo), "/proc/self/mountinfo", 0, 0,
	  NULL },
	{ "mountstats", PATH, AT(mountstats), "/proc/self/mountstats", 0, 0,
	  NULL },
	{ "bdi_dir", PATH, AT(bdi_dir), "/sys/class/bdi", 0, 0, NULL },
	{ 0 },
};

static const struct key gpfs_keys[] = {
	{ "mmpmon", PATH, AT(mmpmon), "/usr/lpp/mmfs/bin/mmpmon", 0, 0, NULL },
	{ "mmpmon_socket", PATH, AT(mmpmon_socket),
	  "/var/mmfs/mmpmon/mmpmonSocket", 0, 0, NULL },
	{ "mmdiag", PATH, AT(mmdiag), "/usr/lpp/mmfs/bin/mmdiag", 0, 0, NULL },
	{ "mmchconfig", PATH, AT(mmchconfig), "/usr/lpp/mmfs/bin/mmchconfig", 0,
	  0, NULL },
	{ "allow_mmchconfig", CHOICE, AT(allow_mmchconfig), "no", 0, 0,
	  switches },
	{ "mmchconfig_lock", TEXT, AT(mmchconfig_lock), "", 0, 0, NULL },
	{ "mmchconfig_at_once", NUMBER, AT(mmchconfig_at_once), "4", 1, 64,
	  NULL },
	{ 0 },
};

static const struct key lustre_keys[] = {
	{ "jobid", CHOICE, AT(jobid), "no", 0, 0, switches },
	{ "sys_dir", PATH, AT(sys_dir), "/sys/fs/lustre", 0, 0, NULL },
	{ "debug_dir", PATH, AT(debug_dir), "/sys/kernel/debug/lustre", 0, 0,
	  NULL },
	{ "procfs_dir", PATH, AT(procfs_dir), "/proc/fs/lustre", 0, 0, NULL },
	{ "lnet_dir", PATH, AT(lnet_dir), "/sys/kernel/debug/lnet", 0, 0,
	  NULL },
	{ "lctl", PATH, AT(lctl), "/usr/sbin/lctl", 0, 0, NULL },
	{ 0 },
};

/* What a [client] section may say besides, by its type. */
static const struct key *const type_keys[] = {
	[CLIENT_WEKA] = weka_keys,
	[CLIENT_LUSTRE] = lustre_keys,
	[CLIENT_GPFS] = gpfs_keys,
	[CLIENT_NFS] = nfs_keys,
};
#define TYPE_COUNT (sizeof(type_keys) / sizeof(type_keys[0]))
#undef AT

#define AT(member) offsetof(struct config_profile, member)
static const struct key profile_keys[] = {
	{ "description", TEXT, AT(description), "", 0, 0, NULL },
	{ "io_cores", NUMBER, AT(io_cores), "0", 0, IO_CORES_LIMIT, NULL },
	{ "mount_options", TEXT, AT(mount_options), "", 0, 0, NULL },
	{ "read_ahead_kb", TEXT, AT(read_ahead_kb), "", 0, 0, NULL },
	{ "parameters", TEXT, AT(parameters), "", 0, 0, NULL },
	{ "mmconfig", TEXT, AT(mmconfig), "", 0, 0, NULL },
	{ 0 }
};

/* The types that look at a setting of a profile, be it to refuse it; the others
 * leave it alone. */
#define IS(type) (1U << (type))
static const struct setting {
	size_t offset;
	unsigned int types;
} settings[] = {
	{ AT(mount_options),
	  IS(CLIENT_WEKA) | IS(CLIENT_LUSTRE) | IS(CLIENT_GPFS) },
	{ AT(nfs_options), IS(CLIENT_NFS) },
	{ AT(read_ahead_kb), IS(CLIENT_NFS) | IS(CLIENT_LUSTRE) },
	{ AT(parameters), IS(CLIENT_LUSTRE) },
	{ AT(mmconfig), IS(CLIENT_GPFS) },
};
#define SETTING_COUNT (sizeof(settings) / sizeof(settings[0]))
#undef AT

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

static int fail(struct parse *p, const char *section, const char *key,
		const char *value, const char *why)
{
	if (!p->failed) {
		p->line_failed = p->line;
		err_set(p->err, "%s:%d: [%s] %s: '%.80s': %s", p->file, p->line,
			section, key, value, why);
	}
	p->failed = true;
	return 0; /* inih: 0 is an error */
}

bool config_is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return length > 0 && length <= PROFILE_NAME_MAX && !text[length] &&
	       text[0] != '-' && text[0] != '_';
}

static bool is_path(const char *text)
{
	return text[0] == '/' && !strstr(text, "/../") && strlen(text) < 400;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			return false;
	return true;
}

static int find_choice(const char *const *choices, const char *value)
{
	int i;

	for (i = 0; choices[i]; i++)
		if (!strcmp(choices[i], value))
			return i;
	return -1;
}

static void list_choices(const char *const *choices, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "expected one of");

	for (; *choices && used < room; choices++)
		used += (size_t)snprintf(text + used, room - used, " %s",
					 *choices);
}

static const char *replace_text(char **text, const char *value)
{
	char *new = strdup(value);

	if (!new)
		return "out of memory";
	free(*text);
	*text = new;
	return NULL;
}

/* NULL when it fits, else why not */
static const char *set(void *base, const struct key *key, const char *value)
{
	static _Thread_local struct err why;
	char *at = (char *)base + key->offset;
	unsigned long number;
	int choice;

	switch (key->kind) {
	case NUMBER:
		if (number_parse(value, key->min, key->max, &number, NULL) <
		    0) {
			err_set(&why, "expected a number from %lu to %lu",
				key->min, key->max);
			return why.text;
		}
		*(unsigned int *)at = (unsigned int)number;
		return NULL;
	case CHOICE:
		choice = find_choice(key->choices, value);
		if (choice < 0) {
			list_choices(key->choices, why.text, sizeof(why.text));
			return why.text;
		}
		/* every enum here is an unsigned int to gcc and clang */
		*(unsigned int *)at = (unsigned int)choice;
		return NULL;
	case PATH:
		if (!is_path(value))
			return "expected an absolute path";
		break;
	case NAME:
		if (*value && !config_is_name(value))
			return "expected a name of small letters, digits, "
			       "'_' and '-'";
		break;
	case TEXT:
		break;
	}
	if (strlen(value) > TEXT_MAX || !is_printable(value))
		return "too long, or has control characters";
	return replace_text((char **)at, value);
}

static int set_initial(void *base, const struct key *keys)
{
	for (; keys->name; keys++)
		if (set(base, keys, keys->initial))
			return -1;
	return 0;
}

/* Two types may have the same key: it is freed once. */
static void free_texts(void *base, const struct key *keys)
{
	char **text;

	for (; keys->name; keys++) {
		if (keys->kind != TEXT && keys->kind != PATH &&
		    keys->kind != NAME)
			continue;
		text = (char **)((char *)base + keys->offset);
		free(*text);
		*text = NULL;
	}
}

static const struct key *find_key(const struct key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (!strcmp(keys->name, name))
			return keys;
	return NULL;
}

static size_t min3(size_t a, size_t b, size_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/* Levenshtein's distance; 'b' of at most PROFILE_NAME_MAX bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[PROFILE_NAME_MAX + 1], i, j, diagonal, above;
	size_t width = strlen(b);

	for (j = 0; j <= width; j++)
		row[j] = j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (j = 1; j <= width; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (a[i] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[width];
}

static void nearest_of(const struct key *keys, const char *name,
		       const char **nearest, size_t *best)
{
	size_t d;

	for (; keys->name; keys++) {
		d = distance(name, keys->name);
		if (d < *best) {
			*best = d;
			*nearest = keys->name;
		}
	}
}

/* A key that a section of this type may have, nearest to a mistyped one. */
static const char *nearest_key(const struct key *keys, const struct key *more,
			       const char *name)
{
	const char *nearest = NULL;
	size_t best = strlen(name) / 2 + 1;

	nearest_of(keys, name, &nearest, &best);
	nearest_of(more, name, &nearest, &best);
	return nearest;
}

/* Of any type: which one the section has may be said further below. */
static const struct key *find_type_key(const char *name)
{
	const struct key *key = NULL;
	size_t i;

	for (i = 0; i < TYPE_COUNT && !key; i++)
		key = find_key(type_keys[i], name);
	return key;
}

static const char *unknown_key(const struct key *keys, const char *name,
			       char *text, size_t size)
{
	size_t i, best = strlen(name) / 2 + 1;
	const char *nearest = NULL;

	nearest_of(keys, name, &nearest, &best);
	for (i = 0; keys == client_keys && i < TYPE_COUNT; i++)
		nearest_of(type_keys[i], name, &nearest, &best);
	snprintf(text, size, "unknown key%s%s%s", nearest ? "; is it '" : "",
		 nearest ? nearest : "", nearest ? "'?" : "");
	return text;
}

static bool is_repeat(struct parse *p, const char *section, const char *key)
{
	size_t size = strlen(section) + strlen(key) + 2;
	struct seen *seen;

	for (seen = p->seen; seen; seen = seen->next)
		if (!strncmp(seen->name, section, strlen(section)) &&
		    seen->name[strlen(section)] == '\n' &&
		    !strcmp(seen->name + strlen(section) + 1, key))
			return true;
	seen = malloc(sizeof(*seen) + size);
	if (!seen)
		return false;
	snprintf(seen->name, size, "%s\n%s", section, key);
	seen->line = p->line;
	seen->next = p->seen;
	p->seen = seen;
	return false;
}

const struct config_client *config_client_find(const struct config *config,
					       const char *name)
{
	size_t i;

	for (i = 0; i < config->client_count; i++)
		if (!strcmp(config->clients[i].name, name))
			return &config->clients[i];
	return NULL;
}

static struct config_client *client_named(struct config *config,
					  const char *name)
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
	if (!client->name || set_initial(client, client_keys) < 0)
		return NULL;
	for (i = 0; i < TYPE_COUNT; i++)
		if (set_initial(client, type_keys[i]) < 0)
			return NULL;
	return client;
}

static struct config_profile *profile_in(struct config_profile list[],
					 size_t count, const char *name,
					 const char *client)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].name, name) &&
		    !strcmp(list[i].client, client))
			return &list[i];
	return NULL;
}

/* client: "" or of [profile NAME:CLIENT] */
static struct config_profile *
profile_named(struct config *config, const char *name, const char *client)
{
	struct config_profile *list =
		*client ? config->client_profiles : config->profiles;
	size_t *count = *client ? &config->client_profile_count
				: &config->profile_count;
	struct config_profile *profile = profile_in(list, *count, name, client);

	if (profile)
		return profile;
	if (*count == CONFIG_PROFILES_MAX)
		return NULL;
	profile = &list[(*count)++];
	profile->name = strdup(name);
	profile->client = strdup(client);
	return profile->name && profile->client &&
			       set_initial(profile, profile_keys) == 0
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

/* The table and the struct of a section; NULL when there is no such one. */
static const struct key *find_section(struct config *config,
				      const char *section, void **base,
				      const char **why)
{
	char name[PROFILE_NAME_MAX + 1], client[PROFILE_NAME_MAX + 1];

	*why = "unknown section";
	*base = config;
	if (!strcmp(section, "jobio"))
		return jobio_keys;
	if (!strcmp(section, "option"))
		return option_keys;
	if (!strcmp(section, "count"))
		return count_keys;
	if (!strcmp(section, "ledger"))
		return ledger_keys;
	if (!strcmp(section, "advice")) {
		*base = &config->advice;
		return advice_keys;
	}
	if (!strncmp(section, "client ", 7) && config_is_name(section + 7)) {
		*base = client_named(config, section + 7);
		*why = "too many clients";
		return *base ? client_keys : NULL;
	}
	if (!strncmp(section, "profile ", 8) &&
	    split_profile(section + 8, name, client)) {
		*base = profile_named(config, name, client);
		*why = "too many profiles";
		return *base ? profile_keys : NULL;
	}
	return NULL;
}

static int take(void *user, const char *section, const char *name,
		const char *value)
{
	struct parse *p = user;
	const struct key *keys, *key;
	const char *why;
	void *base;

	if (p->failed)
		return 0;
	keys = find_section(p->config, section, &base, &why);
	if (!keys)
		return fail(p, section, name, value, why);
	key = find_key(keys, name);
	if (!key && keys == client_keys)
		key = find_type_key(name);
	if (!key && keys == advice_keys &&
	    (key = find_key(calibration_keys, name)))
		base = p->config;
	if (!key)
		return fail(p, section, name, value,
			    unknown_key(keys, name, p->why, sizeof(p->why)));
	if (is_repeat(p, section, name))
		return fail(p, section, name, value,
			    "set twice (a line that starts with a blank "
			    "continues the one before)");
	why = set(base, key, value);
	if (keys == advice_keys && base == &p->config->advice)
		p->config->advice_given |= UINT64_C(1) << (key - advice_keys);
	return why ? fail(p, section, name, value, why) : 1;
}

/* A line of a calibration: what jobio.conf says itself, wins. */
static int take_constant(void *user, const char *section, const char *name,
			 const char *value)
{
	struct parse *p = user;
	const struct key *key = find_key(advice_keys, name);
	const char *why;

	if (p->failed)
		return 0;
	if (strcmp(section, "advice") != 0)
		return fail(p, section, name, value, "expected [advice] only");
	if (!key)
		return fail(
			p, section, name, value,
			unknown_key(advice_keys, name, p->why, sizeof(p->why)));
	if (is_repeat(p, section, name))
		return fail(p, section, name, value, "set twice");
	if (p->config->advice_given >> (key - advice_keys) & 1)
		return 1;
	why = set(&p->config->advice, key, value);
	return why ? fail(p, section, name, value, why) : 1;
}

static char *next_line(char *text, int room, void *stream)
{
	struct parse *p = stream;
	size_t length;

	if (p->failed || !fgets(text, room, p->in))
		return NULL;
	p->line++;
	length = strlen(text);
	if (p->line > LINES_MAX ||
	    (length && text[length - 1] != '\n' && !feof(p->in))) {
		if (!p->failed) {
			p->line_failed = p->line;
			err_set(p->err,
				"%s:%d: line of more than %d characters, or a "
				"zero byte, or more than %d lines",
				p->file, p->line, room - 2, LINES_MAX);
		}
		p->failed = true;
		return NULL;
	}
	return text;
}

static int wrong(struct config *config, struct err *err, const char *key,
		 const char *value, const char *why)
{
	return err_set(err, "%s: %s: '%s': %s", config->file, key, value, why);
}

#define PROFILE_KEY_MAX 128

static void profile_key(const struct config_profile *profile, const char *key,
			char text[PROFILE_KEY_MAX])
{
	snprintf(text, PROFILE_KEY_MAX, "[profile %s%s%s] %s", profile->name,
		 *profile->client ? ":" : "", profile->client, key);
}

static int check_read_ahead(struct config *config,
			    const struct config_profile *profile,
			    struct err *err)
{
	unsigned long number;
	char key[PROFILE_KEY_MAX];

	profile_key(profile, "read_ahead_kb", key);
	if (*profile->read_ahead_kb &&
	    number_parse(profile->read_ahead_kb, 0, READ_AHEAD_KB_MAX, &number,
			 NULL) < 0)
		return wrong(config, err, key, profile->read_ahead_kb,
			     "expected a number from 0 to 1048576");
	return 0;
}

/* A client that has cores of its own takes others; one that has none can be
 * told where to run. */
static int check_core_change(struct config *config, struct err *err)
{
	const struct config_client *client;
	char key[80];
	size_t i;

	for (i = 0; i < config->client_count; i++) {
		client = &config->clients[i];
		snprintf(key, sizeof(key), "[client %s] core_change",
			 client->name);
		if (client->type == CLIENT_WEKA &&
		    client->core_change == CORE_CHANGE_AFFINITY)
			return wrong(config, err, key, "affinity",
				     "a WEKA client has cores of its own: "
				     "expected never, grow or any");
	}
	return 0;
}

/* What a live NFS mount takes (client/nfs/settings.c); all else the kernel
 * refuses or ignores. */
static const char *const nfs_words[] = { "sync",	"async",
					 "noatime",	"relatime",
					 "strictatime", "nodiratime",
					 "diratime",	NULL };

/* Is NFS the only type here that mount options can be for? */
static bool is_nfs_only(const struct config *config)
{
	bool found = false;
	size_t i;

	for (i = 0; i < config->client_count; i++) {
		if (config->clients[i].type == CLIENT_WEKA)
			return false;
		found |= config->clients[i].type == CLIENT_NFS;
	}
	return found;
}

/* Sets nfs_options; with 'strict' nothing else may be there. */
static int check_nfs_options(struct config *config,
			     struct config_profile *profile, bool strict,
			     struct err *err)
{
	char copy[TEXT_MAX + 1], kept[TEXT_MAX + 2] = "";
	char key[PROFILE_KEY_MAX], *word, *rest = NULL;

	profile_key(profile, "mount_options", key);
	snprintf(copy, sizeof(copy), "%s", profile->mount_options);
	for (word = strtok_r(copy, ",", &rest); word;
	     word = strtok_r(NULL, ",", &rest)) {
		if (find_choice(nfs_words, word) >= 0) {
			strcat(kept, *kept ? "," : "");
			strcat(kept, word);
		} else if (strict) {
			return wrong(config, err, key, word,
				     "a live NFS mount takes sync, async, "
				     "noatime, relatime, strictatime, "
				     "nodiratime and diratime only");
		}
	}
	profile->nfs_options = strdup(kept);
	return profile->nfs_options ? 0 : err_set(err, "out of memory");
}

/* [profile NAME:CLIENT]: both are there, and what it says is for a client. */
static int check_client_profiles(struct config *config, struct err *err)
{
	struct config_profile *profile;
	char key[PROFILE_KEY_MAX];
	size_t i, k;

	for (i = 0; i < config->client_profile_count; i++) {
		profile = &config->client_profiles[i];
		profile_key(profile, "", key);
		key[strlen(key) - 1] = '\0';
		for (k = 0; k < config->client_count; k++)
			if (!strcmp(config->clients[k].name, profile->client))
				break;
		if (k == config->client_count)
			return wrong(config, err, key, profile->client,
				     "no such [client]");
		if (!config_profile_find(config, profile->name))
			return wrong(config, err, key, profile->name,
				     "no such [profile]");
		if (profile->io_cores || *profile->description)
			return wrong(config, err, key,
				     profile->io_cores ? "io_cores"
						       : "description",
				     "belongs into the [profile] for all "
				     "clients");
		if (check_read_ahead(config, profile, err) < 0 ||
		    check_nfs_options(config, profile,
				      config->clients[k].type == CLIENT_NFS,
				      err) < 0)
			return -1;
	}
	return 0;
}

static int check_profiles(struct config *config, struct err *err)
{
	struct config_profile *profile;
	char key[PROFILE_KEY_MAX], value[16];
	size_t i;

	for (i = 0; i < config->profile_count; i++) {
		profile = &config->profiles[i];
		if (check_read_ahead(config, profile, err) < 0 ||
		    check_nfs_options(config, profile, is_nfs_only(config),
				      err) < 0)
			return -1;
		profile_key(profile, "io_cores", key);
		snprintf(value, sizeof(value), "%u", profile->io_cores);
		if (profile->io_cores &&
		    (profile->io_cores < config->io_cores_min ||
		     profile->io_cores > config->io_cores_max))
			return wrong(config, err, key, value,
				     "outside [option] io_cores_min and "
				     "io_cores_max");
	}
	if (*config->profile_default &&
	    !config_profile_find(config, config->profile_default))
		return wrong(config, err, "[option] profile_default",
			     config->profile_default, "no such [profile]");
	return check_client_profiles(config, err);
}

/* Words that are mount points, and not too many for one command line. */
static int check_mounts(struct config *config, struct err *err)
{
	char copy[TEXT_MAX + 1], *word, *rest = NULL;
	int count = 0;

	snprintf(copy, sizeof(copy), "%s", config->count_mounts);
	for (word = strtok_r(copy, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest)) {
		if (!is_path(word))
			return wrong(config, err, "[count] mounts", word,
				     "expected an absolute path");
		if (++count > CONFIG_COUNT_MOUNTS_MAX)
			return wrong(config, err, "[count] mounts", word,
				     "more mount points than 16");
	}
	return 0;
}

int config_listen_parse(const char *text, char address[CONFIG_ADDRESS_MAX],
			unsigned int *port)
{
	const char *colon = strrchr(text, ':'), *from = text;
	size_t size = colon ? (size_t)(colon - text) : 0;
	unsigned char bytes[sizeof(struct in6_addr)];
	char host[CONFIG_ADDRESS_MAX] = "127.0.0.1";
	unsigned long number;
	int family = AF_INET;

	if (size && *text == '[' && text[size - 1] == ']') {
		family = AF_INET6;
		from++;
		size -= 2;
	}
	if (colon && (!size || size >= CONFIG_ADDRESS_MAX))
		return -1;
	if (colon)
		snprintf(host, sizeof(host), "%.*s", (int)size, from);
	if (inet_pton(family, host, bytes) != 1 ||
	    number_parse(colon ? colon + 1 : text, 1, 65535, &number, NULL) < 0)
		return -1;
	strcpy(address, host);
	*port = (unsigned int)number;
	return 0;
}

static int check_files(struct config *config, struct err *err)
{
	const char *where = config->ledger.metrics_listen;
	char address[CONFIG_ADDRESS_MAX];
	unsigned int port;

	if (*where && config_listen_parse(where, address, &port) < 0)
		return wrong(config, err, "[ledger] metrics_listen", where,
			     "expected PORT, ADDRESS:PORT or [ADDRESS]:PORT");
	if (*config->calibration && !is_path(config->calibration))
		return wrong(config, err, "[advice] calibration",
			     config->calibration, "expected an absolute path");
	if (*config->ledger.metrics_file &&
	    !is_path(config->ledger.metrics_file))
		return wrong(config, err, "[ledger] metrics_file",
			     config->ledger.metrics_file,
			     "expected an absolute path");
	return 0;
}

bool config_word(const char *list, size_t at, char word[CONFIG_WORD_MAX])
{
	static const char between[] = " \t,";
	size_t size;

	for (list += strspn(list, between); at && *list; at--) {
		list += strcspn(list, between);
		list += strspn(list, between);
	}
	size = strcspn(list, between);
	if (!size || size >= CONFIG_WORD_MAX)
		return false;
	memcpy(word, list, size);
	word[size] = 0;
	return true;
}

static int check_storage(struct config *config, struct err *err)
{
	struct config_ledger *ledger = &config->ledger;
	size_t size = strlen(ledger->storage_loc);
	const struct {
		const char *key, *path;
	} paths[] = {
		{ "[ledger] storage_pass_file", ledger->storage_pass_file },
		{ "[ledger] storage_ca", ledger->storage_ca },
	};
	size_t i;

	if (!strcmp(ledger->store, "sqlite") &&
	    replace_text(&ledger->store, SQLITE_PATH))
		return err_set(err, "%s: out of memory", config->file);
	if (strcmp(ledger->store, CONFIG_MARIADB) != 0 &&
	    !is_path(ledger->store))
		return wrong(config, err, "[ledger] store", ledger->store,
			     "expected sqlite, mariadb or an absolute path");
	if (!size || size > SCHEMA_MAX ||
	    strspn(ledger->storage_loc, "abcdefghijklmnopqrstuvwxyz"
					"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_") != size)
		return wrong(config, err, "[ledger] storage_loc",
			     ledger->storage_loc,
			     "expected at most 64 letters, digits and '_'");
	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (*paths[i].path && !is_path(paths[i].path))
			return wrong(config, err, paths[i].key, paths[i].path,
				     "expected an absolute path");
	return 0;
}

/* A path, of which parts may stand for something of the job. */
static int check_report_dir(struct config *config, struct err *err)
{
	const char *dir = config->report_dir, *at;

	if (!*dir)
		return 0;
	if (*dir != '/' && strncmp(dir, "%w", 2) != 0)
		return wrong(config, err, "[jobio] report_dir", dir,
			     "expected an absolute path, or %w at the start");
	for (at = dir; (at = strchr(at, '%')); at += 2)
		if (!at[1] || !strchr("wuj%", at[1]))
			return wrong(config, err, "[jobio] report_dir", dir,
				     "% is for %w (working directory), %u "
				     "(user), %j (job) and %%");
	return 0;
}

static int check_whole(struct config *config, struct err *err)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", config->io_cores_min);
	if (config->io_cores_min > config->io_cores_max)
		return wrong(config, err, "[option] io_cores_min", value,
			     "more than io_cores_max");
	snprintf(value, sizeof(value), "%u", config->io_cores_default);
	if (config->io_cores_default &&
	    (config->io_cores_default < config->io_cores_min ||
	     config->io_cores_default > config->io_cores_max))
		return wrong(config, err, "[option] io_cores_default", value,
			     "outside io_cores_min and io_cores_max");
	if (check_mounts(config, err) < 0 || check_files(config, err) < 0 ||
	    check_storage(config, err) < 0 ||
	    check_report_dir(config, err) < 0 ||
	    check_core_change(config, err) < 0)
		return -1;
	return check_profiles(config, err);
}

static FILE *open_file(const char *file, struct err *err)
{
	struct stat st;
	FILE *in;
	int fd, saved;

	/* a link is fine here: sites keep /etc/slurm elsewhere; a FIFO is not */
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

/* Has each [client] section keys of its own type only? */
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
			    strncmp(seen->name + 7, client->name,
				    strlen(client->name)) != 0 ||
			    seen->name[length] != '\n')
				continue;
			key = seen->name + length + 1;
			if (find_key(client_keys, key) ||
			    find_key(type_keys[client->type], key))
				continue;
			if (!first || seen->line < first->line)
				first = seen;
		}
	}
	if (!first)
		return 0;
	client = &p->config->clients[i - 1];
	type = types[client->type];
	key = strchr(first->name, '\n') + 1;
	nearest = nearest_key(client_keys, type_keys[client->type], key);
	return err_set(p->err,
		       "%s:%d: [client %s] %s: not a key of type=%s%s%s%s",
		       p->config->file, first->line, client->name, key, type,
		       nearest ? "; is it '" : "", nearest ? nearest : "",
		       nearest ? "'?" : "");
}

/* The lines of a file, one after the other, for 'handler'. */
static int read_lines(struct config *config, const char *file, FILE *in,
		      ini_handler handler, struct err *err)
{
	struct parse p = {
		.config = config, .file = file, .in = in, .err = err
	};
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
	if (rc > 0) /* inih goes on after a line that it cannot read */
		return err_set(err,
			       "%s:%d: expected [section], key=value or a "
			       "comment",
			       file, rc);
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
		return err_prefix(err, "%s: [advice] calibration",
				  config->file);
	rc = read_lines(config, config->calibration, in, take_constant, err);
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
	    set_initial(config, jobio_keys) < 0 ||
	    set_initial(config, option_keys) < 0 ||
	    set_initial(config, count_keys) < 0 ||
	    set_initial(config, ledger_keys) < 0 ||
	    set_initial(config, calibration_keys) < 0 ||
	    set_initial(&config->advice, advice_keys) < 0) {
		err_set(err, "%s: out of memory", file);
		goto fail;
	}
	if (read_lines(config, file, in, take, err) < 0 ||
	    check_whole(config, err) < 0)
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
		free_texts(list, profile_keys);
	}
}

void config_advice_init(struct config_advice *advice)
{
	set_initial(advice, advice_keys); /* numbers only: it cannot fail */
}

void config_free(struct config *config)
{
	size_t i, j;

	if (!config)
		return;
	for (i = 0; i < config->client_count; i++) {
		free(config->clients[i].name);
		free_texts(&config->clients[i], client_keys);
		for (j = 0; j < TYPE_COUNT; j++)
			free_texts(&config->clients[i], type_keys[j]);
	}
	free_profiles(config->profiles, config->profile_count);
	free_profiles(config->client_profiles, config->client_profile_count);
	free_texts(config, jobio_keys);
	free_texts(config, option_keys);
	free_texts(config, count_keys);
	free_texts(config, ledger_keys);
	free_texts(config, calibration_keys);
	free(config->file);
	free(config);
}

const struct config_profile *config_profile_find(const struct config *config,
						 const char *name)
{
	size_t i;

	for (i = 0; i < config->profile_count; i++)
		if (!strcmp(config->profiles[i].name, name))
			return &config->profiles[i];
	return NULL;
}

const char *config_profile_nearest(const struct config *config,
				   const char *name)
{
	const char *nearest = NULL;
	size_t i, d, best = strlen(name) / 2 + 1;

	if (!config_is_name(name))
		return NULL;
	for (i = 0; i < config->profile_count; i++) {
		d = distance(name, config->profiles[i].name);
		if (d < best) {
			best = d;
			nearest = config->profiles[i].name;
		}
	}
	return nearest;
}

const struct config_profile *
config_profile_for(const struct config *config, const char *name,
		   const struct config_client *client)
{
	const struct config_profile *own =
		profile_in((struct config_profile *)config->client_profiles,
			   config->client_profile_count, name, client->name);

	return own ? own : config_profile_find(config, name);
}

const char *config_profile_options(const struct config_profile *profile,
				   const struct config_client *client)
{
	return client->type == CLIENT_NFS ? profile->nfs_options
					  : profile->mount_options;
}

/* The types that the profile sets something of. */
static unsigned int types_of(const struct config_profile *profile)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < SETTING_COUNT; i++)
		if (**(char *const *)((const char *)profile +
				      settings[i].offset))
			found |= settings[i].types;
	return found;
}

bool config_profile_is_for(const struct config *config, const char *name,
			   const struct config_client *client)
{
	const struct config_profile *profile =
		config_profile_for(config, name, client);

	return profile && types_of(profile) & IS(client->type);
}

bool config_profile_is_empty(const struct config *config, const char *name)
{
	const struct config_profile *profile =
		config_profile_find(config, name);
	bool found = profile && types_of(profile);
	size_t i;

	for (i = 0; i < config->client_profile_count && !found; i++) {
		profile = &config->client_profiles[i];
		found = !strcmp(profile->name, name) && types_of(profile);
	}
	return !found;
}

static bool is_of_nodes(const char *nodes, const char *node)
{
	char patterns[TEXT_MAX + 1];
	char *pattern, *state;

	snprintf(patterns, sizeof(patterns), "%s", nodes);
	for (pattern = strtok_r(patterns, " \t", &state); pattern;
	     pattern = strtok_r(NULL, " \t", &state))
		if (fnmatch(pattern, node, 0) == 0)
			return true;
	return false;
}

/* Of one type, and one mount is claimed by both? Without mounts= it is all. */
static bool claims_same(const struct config_client *a,
			const struct config_client *b)
{
	char ours[TEXT_MAX + 3], theirs[TEXT_MAX + 3], key[TEXT_MAX + 3];
	char *word, *state;

	if (a->type != b->type)
		return false;
	snprintf(ours, sizeof(ours), "%s", a->mounts);
	snprintf(theirs, sizeof(theirs), " %s ", b->mounts);
	if (!*a->mounts || !*b->mounts)
		return true;
	for (word = strtok_r(ours, " ", &state); word;
	     word = strtok_r(NULL, " ", &state)) {
		snprintf(key, sizeof(key), " %.*s ", TEXT_MAX, word);
		if (strstr(theirs, key))
			return true;
	}
	return false;
}

size_t config_clients_for(const struct config *config, const char *node,
			  const struct config_client *list[CONFIG_CLIENTS_MAX])
{
	const struct config_client *client = config->clients;
	const struct config_client *end = client + config->client_count;
	size_t count = 0, i;

	for (; client < end; client++) {
		if (!is_of_nodes(client->nodes, node))
			continue;
		for (i = 0; i < count; i++)
			if (claims_same(list[i], client))
				break;
		if (i == count)
			list[count++] = client;
	}
	return count;
}

/* The final 0 is part of it: "a", "bc" is not "ab", "c". */
static uint64_t digest_text(uint64_t digest, const char *text)
{
	return digest_add(digest, text, strlen(text) + 1);
}

static uint64_t digest_section(const struct config_profile *profile)
{
	uint64_t digest = digest_text(DIGEST_BEGIN, profile->client);
	const struct key *key;
	const char *value;

	for (key = profile_keys; key->name; key++) {
		if (key->kind != TEXT || !strcmp(key->name, "description"))
			continue;
		value = *(char *const *)((const char *)profile + key->offset);
		if (*value)
			digest = digest_text(digest_text(digest, key->name),
					     value);
	}
	return digest;
}

/* A sum: the order of sections does not matter. */
uint64_t config_profile_digest(const struct config *config, const char *name)
{
	const struct config_profile *profile =
		config_profile_find(config, name);
	uint64_t digest = profile ? digest_section(profile) : 0;
	size_t i;

	for (i = 0; i < config->client_profile_count; i++)
		if (!strcmp(config->client_profiles[i].name, name))
			digest += digest_section(&config->client_profiles[i]);
	return digest;
}

bool config_has_partition(const struct config *config, const char *name)
{
	char list[TEXT_MAX + 1];
	char *word, *state;

	if (!*config->partitions)
		return true;
	snprintf(list, sizeof(list), "%s", config->partitions);
	for (word = strtok_r(list, ", \t", &state); word;
	     word = strtok_r(NULL, ", \t", &state))
		if (!strcmp(word, name))
			return true;
	return false;
}

/* The first of the job's partitions that is not the site's; NULL: there is none. */
static const char *foreign_partition(const struct config *config,
				     const char *partitions, char *name,
				     size_t size)
{
	size_t length;

	if (!*config->partitions)
		return NULL;
	do {
		length = strcspn(partitions, ",");
		snprintf(name, size, "%.*s", (int)length, partitions);
		if (!config_has_partition(config, name))
			return name;
		partitions += length + (partitions[length] == ',');
	} while (*partitions);
	return NULL;
}

bool config_is_off(const struct config *config, const char *node,
		   const char *partitions, struct err *why)
{
	char name[TEXT_MAX + 1];
	const char *foreign;

	if (config->enabled == SWITCH_NO) {
		err_set(why, "the site has switched jobio off (enabled=no)");
		return true;
	}
	if (node && !is_of_nodes(config->nodes, node)) {
		err_set(why,
			"the site does not use jobio on node %s yet "
			"(nodes=)",
			node);
		return true;
	}
	foreign = partitions ? foreign_partition(config, partitions, name,
						 sizeof(name))
			     : NULL;
	if (!foreign)
		return false;
	if (*foreign)
		err_set(why,
			"the site does not use jobio in partition %s yet "
			"(partitions=)",
			foreign);
	else
		err_set(why,
			"the site uses jobio in partition %s only: name "
			"it with --partition",
			config->partitions);
	return true;
}

const char *gate_policy_name(enum gate_policy policy)
{
	return gates[policy];
}

int gate_policy_parse(const char *text, enum gate_policy *policy)
{
	int choice = find_choice(gates, text);

	if (choice < 0)
		return -1;
	*policy = (enum gate_policy)choice;
	return 0;
}

const char *client_type_name(enum client_type type)
{
	return types[type];
}
