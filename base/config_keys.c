/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_keys.h"

/* Keys of jobio.conf, and their possible values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config_names.h"
#include "base/hostlist.h"
#include "base/number.h"
#include "base/rundir.h"

static const char *const on_errors[] = { "continue", "drain", NULL };
static const char *const changes[] = { "never", "grow", "any", "affinity", NULL };
static const char *const queues[] = { "named", "all", NULL };
static const char *const methods[] = { "resources", "remount", "mount", NULL };
static const char *const remounts[] = { "any", "light_only", NULL };
static const char *const switches[] = { "no", "yes", NULL };

#define AT(member) offsetof(struct config, member)
const struct key config_jobio_keys[] = {
	{ "enabled", CHOICE, AT(enabled), "yes", 0, 0, switches },
	{ "nodes", HOSTS, AT(nodes), CONFIG_ALL, 0, 0, NULL },
	{ "partitions", TEXT, AT(partitions), "", 0, 0, NULL },
	{ "gate", CHOICE, AT(gate), "warn", 0, 0, config_gates },
	{ "on_error", CHOICE, AT(on_error), "continue", 0, 0, on_errors },
	{ "run_dir", PATH, AT(run_dir), RUNDIR_RUN, 0, 0, NULL },
	{ "root", TEXT, AT(root), "", 0, 0, NULL },
	{ "spool_dir", PATH, AT(spool_dir), RUNDIR_SPOOL, 0, 0, NULL },
	{ "spool_max_records", NUMBER, AT(spool_max_records), "10000", 1, 1000000, NULL },
	{ "prolog_budget_ms", NUMBER, AT(prolog_budget_ms), "10000", 100, 600000, NULL },
	{ 0 }
};

const struct key config_option_keys[] = {
	{ "io_cores_min", NUMBER, AT(io_cores_min), "1", 1, IO_CORES_LIMIT, NULL },
	{ "io_cores_max", NUMBER, AT(io_cores_max), "4", 1, IO_CORES_LIMIT, NULL },
	{ "io_cores_default", NUMBER, AT(io_cores_default), "0", 0, IO_CORES_LIMIT, NULL },
	{ "profile_default", NAME, AT(profile_default), "", 0, 0, NULL },
	{ 0 }
};

const struct key config_count_keys[] = {
	{ "kernel", CHOICE, AT(count_kernel), "yes", 0, 0, switches },
	{ "latency", CHOICE, AT(count_latency), "yes", 0, 0, switches },
	{ "mounts", TEXT, AT(count_mounts), "", 0, 0, NULL },
	{ 0 }
};

const struct key config_ledger_keys[] = {
	{ "host", TEXT, AT(ledger.host), "", 0, 0, NULL },
	{ "port", NUMBER, AT(ledger.port), "8632", 1, 65535, NULL },
	{ "listen", TEXT, AT(ledger.listen), "0.0.0.0", 0, 0, NULL },
	{ "user", TEXT, AT(ledger.user), "slurm", 0, 0, NULL },
	{ "store", TEXT, AT(ledger.store), CONFIG_SQLITE, 0, 0, NULL },
	{ "storage_host", TEXT, AT(ledger.storage_host), "localhost", 0, 0, NULL },
	{ "storage_port", NUMBER, AT(ledger.storage_port), "3306", 1, 65535, NULL },
	{ "storage_loc", TEXT, AT(ledger.storage_loc), "jobio_ledger", 0, 0, NULL },
	{ "storage_user", TEXT, AT(ledger.storage_user), "slurm", 0, 0, NULL },
	{ "storage_pass_file", TEXT, AT(ledger.storage_pass_file), "", 0, 0, NULL },
	{ "storage_ca", TEXT, AT(ledger.storage_ca), "", 0, 0, NULL },
	{ "cluster", TEXT, AT(ledger.cluster), "", 0, 0, NULL },
	{ "munge_socket", TEXT, AT(ledger.munge_socket), "", 0, 0, NULL },
	{ "metrics_file", TEXT, AT(ledger.metrics_file), "", 0, 0, NULL },
	{ "grace_s", NUMBER, AT(ledger.grace_s), "300", 0, 86400, NULL },
	{ "retention_days", NUMBER, AT(ledger.retention_days), "400", 1, 36500, NULL },
	{ "send_timeout_ms", NUMBER, AT(ledger.send_timeout_ms), "10000", 100, 600000, NULL },
	{ "wait_nodes", HOSTS, AT(ledger.wait_nodes), "", 0, 0, NULL },
	{ 0 }
};
#undef AT

/* The measurements behind these are in jobio.conf(5). */
#define AT(member) offsetof(struct config_advice, member)
const struct key config_advice_keys[] = {
	{ "min_seconds", NUMBER, AT(min_seconds), "60", 0, 86400, NULL },
	{ "min_mib", NUMBER, AT(min_mib), "1024", 1, 1048576, NULL },
	{ "min_calls", NUMBER, AT(min_calls), "10000", 1, 100000000, NULL },
	{ "sync_call_us", NUMBER, AT(sync_call_us), "150", 1, 1000000, NULL },
	{ "small_read_kb", NUMBER, AT(small_read_kb), "40", 1, 1000000, NULL },
	{ "small_write_kb", NUMBER, AT(small_write_kb), "70", 1, 1000000, NULL },
	{ "core_read_mbs", NUMBER, AT(core_read_mbs), "5730", 1, 1000000, NULL },
	{ "core_write_mbs", NUMBER, AT(core_write_mbs), "6930", 1, 1000000, NULL },
	{ "core_read_iops", NUMBER, AT(core_read_iops), "144533", 1, 100000000, NULL },
	{ "core_write_iops", NUMBER, AT(core_write_iops), "98904", 1, 100000000, NULL },
	{ "io_processes", NUMBER, AT(io_processes), "16", 1, 4096, NULL },
	{ "stats_per_s", NUMBER, AT(stats_per_s), "20000", 1, 100000000, NULL },
	{ "dir_creates_per_s", NUMBER, AT(dir_creates_per_s), "30000", 1, 100000000, NULL },
	{ "nfs_ops_per_s", NUMBER, AT(nfs_ops_per_s), "250000", 1, 100000000, NULL },
	{ "lustre_write_mbs", NUMBER, AT(lustre_write_mbs), "5000", 1, 1000000, NULL },
	{ 0 }
};
#undef AT

/* in [advice], but not a number of it */
#define AT(member) offsetof(struct config, member)
const struct key config_calibration_keys[] = {
	{ "calibration", TEXT, AT(calibration), "", 0, 0, NULL }, { 0 }
};
#undef AT

#define AT(member) offsetof(struct config_client, member)
/* of every type */
const struct key config_client_keys[] = {
	{ "type", CHOICE, AT(type), "weka", 0, 0, config_types },
	{ "nodes", HOSTS, AT(nodes), CONFIG_ALL, 0, 0, NULL },
	{ "mounts", TEXT, AT(mounts), "", 0, 0, NULL },
	{ "core_change", CHOICE, AT(core_change), "never", 0, 0, changes },
	{ "unbound_workqueues", CHOICE, AT(unbound_workqueues), "named", 0, 0, queues },
	{ "interrupts_of", TEXT, AT(interrupts_of), "", 0, 0, NULL },
	{ "process_dir", FIXED_PATH, AT(process_dir), "/proc", 0, 0, NULL },
	{ "timeout_ms", NUMBER, AT(timeout_ms), "5000", 100, 120000, NULL },
	{ "mount_table", PATH, AT(mount_table), "/proc/self/mounts", 0, 0, NULL },
	{ "fstab", FIXED_PATH, AT(fstab), "/etc/fstab", 0, 0, NULL },
	{ 0 }
};

static const struct key weka_keys[] = {
	{ "container", TEXT, AT(container), "", 0, 0, NULL },
	{ "core_method", CHOICE, AT(core_method), "resources", 0, 0, methods },
	{ "remount", CHOICE, AT(light_only), "any", 0, 0, remounts },
	{ "ready_timeout_ms", NUMBER, AT(ready_timeout_ms), "60000", 100, 600000, NULL },
	{ "command", PATH, AT(command), "/usr/bin/weka", 0, 0, NULL },
	{ "mount_command", FIXED_PATH, AT(mount_command), "/bin/mount", 0, 0, NULL },
	{ "umount_command", FIXED_PATH, AT(umount_command), "/bin/umount", 0, 0, NULL },
	{ "service_conf", PATH, AT(service_conf), "/etc/wekaio/service.conf", 0, 0, NULL },
	{ "service_conf_alt", FIXED_PATH, AT(service_conf_alt), "/etc/wekaio/weka.conf", 0, 0,
	  NULL },
	{ "proc_dir", PATH, AT(proc_dir), "/proc/wekafs", 0, 0, NULL },
	{ "cgroup_root", FIXED_PATH, AT(cgroup_root), "/sys/fs/cgroup", 0, 0, NULL },
	{ "data_dir", FIXED_PATH, AT(data_dir), "/opt/weka/data", 0, 0, NULL },
	{ "agent_pidfile", PATH, AT(agent_pidfile), "/var/run/weka-agent.pid", 0, 0, NULL },
	{ "stats_socket", PATH, AT(stats_socket),
	  "/opt/weka/external-mounts/local-sockets/*/container.sock", 0, 0, NULL },
	{ 0 }
};

static const struct key nfs_keys[] = {
	{ "mount_command", FIXED_PATH, AT(mount_command), "/bin/mount", 0, 0, NULL },
	{ "mountinfo", FIXED_PATH, AT(mountinfo), "/proc/self/mountinfo", 0, 0, NULL },
	{ "mountstats", FIXED_PATH, AT(mountstats), "/proc/self/mountstats", 0, 0, NULL },
	{ "bdi_dir", FIXED_PATH, AT(bdi_dir), "/sys/class/bdi", 0, 0, NULL },
	{ "ask_servers", CHOICE, AT(ask_servers), "no", 0, 0, switches },
	{ 0 },
};

static const struct key gpfs_keys[] = {
	{ "mmpmon", PATH, AT(mmpmon), "/usr/lpp/mmfs/bin/mmpmon", 0, 0, NULL },
	{ "mmpmon_socket", FIXED_PATH, AT(mmpmon_socket), "/var/mmfs/mmpmon/mmpmonSocket", 0, 0,
	  NULL },
	{ "mmdiag", PATH, AT(mmdiag), "/usr/lpp/mmfs/bin/mmdiag", 0, 0, NULL },
	{ 0 },
};

static const struct key lustre_keys[] = {
	{ "sys_dir", FIXED_PATH, AT(sys_dir), "/sys/fs/lustre", 0, 0, NULL },
	{ "debug_dir", FIXED_PATH, AT(debug_dir), "/sys/kernel/debug/lustre", 0, 0, NULL },
	{ "procfs_dir", FIXED_PATH, AT(procfs_dir), "/proc/fs/lustre", 0, 0, NULL },
	{ "lnet_dir", FIXED_PATH, AT(lnet_dir), "/sys/kernel/debug/lnet", 0, 0, NULL },
	{ "lctl", PATH, AT(lctl), "/usr/sbin/lctl", 0, 0, NULL },
	{ 0 },
};

/* Further keys of a [client] section, by its type. */
const struct key *const config_type_keys[CONFIG_TYPE_COUNT] = {
	[CLIENT_WEKA] = weka_keys,
	[CLIENT_LUSTRE] = lustre_keys,
	[CLIENT_GPFS] = gpfs_keys,
	[CLIENT_NFS] = nfs_keys,
};
#undef AT

#define AT(member) offsetof(struct config_profile, member)
const struct key config_profile_keys[] = {
	{ "description", TEXT, AT(description), "", 0, 0, NULL },
	{ "io_cores", NUMBER, AT(io_cores), "0", 0, IO_CORES_LIMIT, NULL },
	{ "mount_options", TEXT, AT(mount_options), "", 0, 0, NULL },
	{ "read_ahead_kb", TEXT, AT(read_ahead_kb), "", 0, 0, NULL },
	{ "parameters", TEXT, AT(parameters), "", 0, 0, NULL },
	{ "mmconfig", TEXT, AT(mmconfig), "", 0, 0, NULL },
	{ "environment", TEXT, AT(environment), "", 0, 0, NULL },
	{ 0 }
};
#undef AT

/* ---- values -------------------------------------------------------------- */

bool config_is_path(const char *text)
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

static void list_choices(const char *const *choices, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "expected one of");

	for (; *choices && used < room; choices++)
		used += (size_t)snprintf(text + used, room - used, " %s", *choices);
}

const char *config_replace_text(char **text, const char *value)
{
	char *new = strdup(value);

	if (!new)
		return "out of memory";
	free(*text);
	*text = new;
	return NULL;
}

/* Return NULL if it fits, else the reason */
const char *config_set(void *base, const struct key *key, const char *value)
{
	static _Thread_local struct err why;
	char *at = (char *)base + key->offset;
	unsigned long number;
	int choice;

	switch (key->kind) {
	case NUMBER:
		if (number_parse(value, key->min, key->max, &number, NULL) < 0) {
			err_set(&why, "expected a number from %lu to %lu", key->min, key->max);
			return why.text;
		}
		*(unsigned int *)at = (unsigned int)number;
		return NULL;
	case CHOICE:
		choice = config_find_choice(key->choices, value);
		if (choice < 0) {
			list_choices(key->choices, why.text, sizeof(why.text));
			return why.text;
		}
		/* every enum here is an unsigned int to gcc and clang */
		*(unsigned int *)at = (unsigned int)choice;
		return NULL;
	case PATH:
	case FIXED_PATH:
		if (!config_is_path(value))
			return "expected an absolute path";
		break;
	case NAME:
		if (*value && !config_is_name(value))
			return "expected a name of small letters, digits, '_' and '-'";
		break;
	case HOSTS:
		if (hostlist_match(value, "") < 0)
			return "expected nodes as Slurm writes them: ALL, or n[01-04],m7";
		break;
	case TEXT:
		break;
	}
	if (strlen(value) > CONFIG_TEXT_MAX || !is_printable(value))
		return "too long, or has control characters";
	return config_replace_text((char **)at, value);
}

int config_set_initial(void *base, const struct key *keys)
{
	for (; keys->name; keys++)
		if (config_set(base, keys, keys->initial))
			return -1;
	return 0;
}

/* Two types may have the same key: free it once. */
void config_free_texts(void *base, const struct key *keys)
{
	char **text;

	for (; keys->name; keys++) {
		if (keys->kind == NUMBER || keys->kind == CHOICE)
			continue;
		text = (char **)((char *)base + keys->offset);
		free(*text);
		*text = NULL;
	}
}

const struct key *config_find_key(const struct key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (keys->kind != FIXED_PATH && !strcmp(keys->name, name))
			return keys;
	return NULL;
}

const struct key *config_find_type_key(const char *name)
{
	const struct key *key = NULL;
	size_t i;

	for (i = 0; i < CONFIG_TYPE_COUNT && !key; i++)
		key = config_find_key(config_type_keys[i], name);
	return key;
}

/* ---- similar names --------------------------------------------------------- */

static size_t min3(size_t a, size_t b, size_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

size_t config_distance(const char *a, const char *b)
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
			row[j] = min3(above + 1, row[j - 1] + 1, diagonal + (a[i] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[width];
}

static void nearest_of(const struct key *keys, const char *name, const char **nearest, size_t *best)
{
	size_t d;

	for (; keys->name; keys++) {
		d = config_distance(name, keys->name);
		if (d < *best && keys->kind != FIXED_PATH) {
			*best = d;
			*nearest = keys->name;
		}
	}
}

const char *config_nearest_key(const struct key *keys, const struct key *more, const char *name)
{
	const char *nearest = NULL;
	size_t best = strlen(name) / 2 + 1;

	nearest_of(keys, name, &nearest, &best);
	nearest_of(more, name, &nearest, &best);
	return nearest;
}

const char *config_unknown_key(const struct key *keys, const char *name, char *text, size_t size)
{
	size_t i, best = strlen(name) / 2 + 1;
	const char *nearest = NULL;

	nearest_of(keys, name, &nearest, &best);
	for (i = 0; keys == config_client_keys && i < CONFIG_TYPE_COUNT; i++)
		nearest_of(config_type_keys[i], name, &nearest, &best);
	snprintf(text, size, "unknown key%s%s%s", nearest ? "; is it '" : "",
		 nearest ? nearest : "", nearest ? "'?" : "");
	return text;
}
