/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/node.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/number.h"
#include "base/rundir.h"
#include "base/version.h"
#include "record/alloc.h"
#include "record/json.h"

#define CACHE_FORMAT 1
#define CACHE_BYTES_MAX (1U << 20)
#define SMALL_FILE_MAX 8192U
#define ANCESTORS_MAX 16
#define SETTLED_S 3600 /* a slurm.conf older than this has been read */

/* Version assumed for a node line if none is given. */
#define NODE_VERSION_DEFAULT VERSION_OF(22, 5, 0xff)

void node_init(struct node *node)
{
	memset(node, 0, sizeof(*node));
	node->cpus = node->boards = node->sockets = 1;
	node->cores = node->threads = 1;
	node->version = NODE_VERSION_DEFAULT;
	node->mem_spec_limit_mb = -1;
	node->allow_spec_resources_usage = true;
	node->cons_tres = true;
}

/* ---- the node line: read_config.c:_parse_nodename -------------------------- */

struct line {
	unsigned int cpus, boards, sockets, sockets_per_board, cores, threads;
	unsigned int core_spec_count;
	unsigned int restricted_cores_per_gpu;
	const char *parameters;
	bool has_cpus, has_sockets, has_sockets_per_board;
	char *spec_list;
};

static const char *const other_keys[] = {
	"NodeName", "NodeAddr",	  "NodeHostName", "BcastAddr", "CpuBind",
	"Feature",  "Features",	  "Gres",	  "GresConf",  "MemSpecLimit",
	"Port",	    "RealMemory", "Reason",	  "State",     "SuspendTime",
	"TmpDisk",  "Topology",	  "TRESWeights",  "Weight",    "UpTime",
};

static int line_number(unsigned int *to, const char *key, const char *value, struct err *err)
{
	unsigned long number;

	if (number_parse(value, 0, 0xffff, &number, err) < 0)
		return err_prefix(err, "node line: %s", key);
	*to = (unsigned int)number;
	return 0;
}

static bool is_other_key(const char *key)
{
	for (size_t i = 0; i < sizeof(other_keys) / sizeof(other_keys[0]); i++)
		if (!strcasecmp(key, other_keys[i]))
			return true;
	return false;
}

static int line_key(struct line *line, const char *key, char *value, struct err *err)
{
	const struct {
		const char *key;
		unsigned int *number;
		bool *has;
	} numbers[] = {
		{ "CPUs", &line->cpus, &line->has_cpus },
		{ "Procs", &line->cpus, &line->has_cpus },
		{ "Sockets", &line->sockets, &line->has_sockets },
		{ "SocketsPerBoard", &line->sockets_per_board, &line->has_sockets_per_board },
		{ "Boards", &line->boards, NULL },
		{ "CoresPerSocket", &line->cores, NULL },
		{ "ThreadsPerCore", &line->threads, NULL },
		{ "CoreSpecCount", &line->core_spec_count, NULL },
		{ "RestrictedCoresPerGPU", &line->restricted_cores_per_gpu, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcasecmp(key, numbers[i].key) != 0)
			continue;
		if (numbers[i].has)
			*numbers[i].has = true;
		return line_number(numbers[i].number, key, value, err);
	}
	if (!strcasecmp(key, "CpuSpecList"))
		line->spec_list = value;
	else if (!strcasecmp(key, "Parameters"))
		line->parameters = value;
	else if (!is_other_key(key))
		return err_set(err, "node line: '%s': not a key of a node line", key);
	return 0;
}

static int line_split(struct line *line, char *text, char name[NODE_NAME_MAX], struct err *err)
{
	char *save, *word;

	for (word = strtok_r(text, " \t\n", &save); word; word = strtok_r(NULL, " \t\n", &save)) {
		char *value = strchr(word, '=');

		if (!value)
			return err_set(err, "node line: '%s': must be KEY=VALUE", word);
		*value++ = '\0';
		if (!strcasecmp(word, "NodeName"))
			snprintf(name, NODE_NAME_MAX, "%s", value);
		if (line_key(line, word, value, err) < 0)
			return -1;
	}
	return 0;
}

static void not_zero(unsigned int *number, const char *key, struct findings *findings)
{
	if (*number)
		return;
	*number = 1;
	findings_add(findings, "C12", FINDING_WARNING, "write the line that `slurmd -C` prints",
		     "Slurm reads %s=0 as 1", key);
}

static void line_sockets(struct line *line, struct findings *findings)
{
	unsigned int per_socket;

	not_zero(&line->cores, "CoresPerSocket", findings);
	not_zero(&line->cpus, "CPUs", findings);
	not_zero(&line->threads, "ThreadsPerCore", findings);
	not_zero(&line->sockets_per_board, "SocketsPerBoard", findings);
	not_zero(&line->sockets, "Sockets", findings);
	not_zero(&line->boards, "Boards", findings);
	per_socket = line->cores * line->threads;
	if (line->has_sockets_per_board)
		line->sockets = line->boards * line->sockets_per_board;
	else if (line->has_sockets)
		return;
	else if (line->has_cpus && line->cpus / per_socket && line->cpus % per_socket == 0)
		line->sockets = line->cpus / per_socket;
	else
		line->sockets = line->boards;
}

static void line_cpus(struct line *line, struct findings *findings)
{
	unsigned int cores = line->sockets * line->cores;

	if (!line->has_cpus)
		line->cpus = cores * line->threads;
	if (line->sockets < line->boards) {
		findings_add(findings, "C12", FINDING_WARNING,
			     "write the line that `slurmd -C` prints",
			     "Slurm reads Boards=%u as 1: there are only %u sockets", line->boards,
			     line->sockets);
		line->boards = 1;
	}
	if (line->cpus != line->sockets && line->cpus != cores &&
	    line->cpus != cores * line->threads) {
		findings_add(
			findings, "C12", FINDING_WARNING,
			"remove CPUs= from the node line: Slurm then takes Sockets * CoresPerSocket * ThreadsPerCore",
			"Slurm reads CPUs=%u as %u: it matches no Sockets, Cores or Threads",
			line->cpus, cores * line->threads);
		line->cpus = cores * line->threads;
	}
	if (line->core_spec_count >= cores) {
		if (line->core_spec_count == 1)
			findings_add(findings, "C13", FINDING_ERROR, "remove CoreSpecCount",
				     "CoreSpecCount=1 reserves the only core of the node");
		else
			findings_add(findings, "C13", FINDING_ERROR,
				     "give a CoreSpecCount below the number of cores",
				     "Slurm reads CoreSpecCount=%u as 1: the node has %u cores",
				     line->core_spec_count, cores);
		line->core_spec_count = 1;
	}
}

static int line_spec_list(struct node *node, const struct line *line, struct findings *findings,
			  struct err *err)
{
	struct cpuset list;
	int member;
	unsigned int last = 0;

	if (!line->spec_list)
		return 0;
	if (!*line->spec_list || cpuset_parse(&list, line->spec_list, err) < 0)
		return *line->spec_list ? err_prefix(err, "node line: CpuSpecList")
					: err_set(err, "node line: CpuSpecList: empty list");
	cpuset_for_each (member, &list)
		last = (unsigned int)member;
	if (last >= line->cpus) {
		findings_add(findings, "C14", FINDING_ERROR,
			     "write Slurm's own CPU numbers (jobio cores --format=text shows them)",
			     "Slurm ignores CpuSpecList=%s: the node has CPUs 0-%u only",
			     line->spec_list, line->cpus - 1);
		return 0;
	}
	if (line->core_spec_count)
		findings_add(findings, "C15", FINDING_WARNING, "write only one of the two",
			     "Slurm ignores CoreSpecCount=%u beside CpuSpecList",
			     line->core_spec_count);
	node->core_spec_count = 0;
	node->has_spec_list = true;
	node->spec_list = list;
	return 0;
}

/* The node line's own SlurmdParameters (25.11: parse_slurmd_params() twice). */
static int line_parameters(struct node *node, const char *own, struct err *err)
{
	size_t used = strlen(node->slurmd_parameters);
	size_t room = sizeof(node->slurmd_parameters) - used;

	if (!own || node->version < VERSION_OF(25, 11, 0))
		return 0;
	if (snprintf(node->slurmd_parameters + used, room, "%s%s", used ? "," : "", own) >=
	    (int)room)
		return err_set(err, "node line: Parameters: longer than %zu",
			       sizeof(node->slurmd_parameters) - 1);
	return 0;
}

int node_line_parse(struct node *node, const char *text, struct findings *findings, struct err *err)
{
	struct line line = { .cpus = 1,
			     .boards = 1,
			     .sockets = 1,
			     .sockets_per_board = 1,
			     .cores = 1,
			     .threads = 1 };
	struct node read = *node;
	char *copy = xstrdup(text);
	int rc = -1;

	if (line_split(&line, copy, read.name, err) < 0)
		goto out;
	line_sockets(&line, findings);
	if ((unsigned long)line.sockets * line.cores > CPUSET_MAX ||
	    (unsigned long)line.sockets * line.cores * line.threads > CPUSET_MAX) {
		err_set(err, "node line: '%s': more than %d CPUs", text, CPUSET_MAX);
		goto out;
	}
	line_cpus(&line, findings);
	read.cpus = line.cpus;
	read.boards = line.boards;
	read.sockets = line.sockets;
	read.cores = line.cores;
	read.threads = line.threads;
	read.core_spec_count = line.core_spec_count;
	read.restricted_cores_per_gpu = line.restricted_cores_per_gpu;
	read.has_spec_list = false;
	read.from_controller = false;
	if (line_parameters(&read, line.parameters, err) < 0 ||
	    line_spec_list(&read, &line, findings, err) < 0)
		goto out;
	*node = read;
	rc = 0;
out:
	free(copy);
	return rc;
}

/* ---- JSON ------------------------------------------------------------------ */

struct text_field {
	const char *key;
	size_t offset, size;
};

struct number_field {
	const char *key;
	size_t offset;
};

#define TEXT_FIELD(name)                                                                           \
	{                                                                                          \
#name, offsetof(struct node, name), sizeof(((struct node *)0)->name)               \
	}

static const struct text_field text_fields[] = {
	TEXT_FIELD(name),
	TEXT_FIELD(select_type),
	TEXT_FIELD(scheduler_parameters),
	TEXT_FIELD(slurmd_parameters),
	TEXT_FIELD(task_plugin),
	TEXT_FIELD(task_plugin_param),
	TEXT_FIELD(prolog_flags),
	TEXT_FIELD(gpu_spec),
};

static const struct number_field number_fields[] = {
	{ "cpus", offsetof(struct node, cpus) },
	{ "boards", offsetof(struct node, boards) },
	{ "sockets", offsetof(struct node, sockets) },
	{ "cores_per_socket", offsetof(struct node, cores) },
	{ "threads_per_core", offsetof(struct node, threads) },
	{ "core_spec_count", offsetof(struct node, core_spec_count) },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int read_number(struct json *json, const char *key, int64_t min, int64_t max,
		       int64_t *number, struct err *err)
{
	if (!json_value_number(json_member(json, key), number))
		return err_set(err, "node record: '%s': no number", key);
	if (*number < min || *number > max)
		return err_set(err, "node record: '%s': out of bounds", key);
	return 0;
}

static int read_version(struct json *json, const char *key, unsigned int *version, struct err *err)
{
	const char *text = json_text(json, key);

	if (!text || !*text)
		return 1;
	return version_parse(text, version, err);
}

static int read_texts(struct node *node, struct json *json, struct err *err)
{
	for (size_t i = 0; i < COUNT(text_fields); i++) {
		const struct text_field *field = &text_fields[i];
		const char *text = json_text(json, field->key);

		if (!text)
			text = "";
		if (strlen(text) >= field->size)
			return err_set(err, "node record: '%s': longer than %zu", field->key,
				       field->size - 1);
		strcpy((char *)node + field->offset, text);
	}
	return 0;
}

static int read_numbers(struct node *node, struct json *json, struct err *err)
{
	int64_t number;

	for (size_t i = 0; i < COUNT(number_fields); i++) {
		if (read_number(json, number_fields[i].key, 0, 0xffff, &number, err) < 0)
			return -1;
		*(unsigned int *)((char *)node + number_fields[i].offset) = (unsigned int)number;
	}
	if (read_number(json, "conf_read_at", 0, INT64_MAX, &node->conf_read_at, err) < 0)
		return -1;
	if (json_member(json, "mem_spec_limit") &&
	    read_number(json, "mem_spec_limit", -1, INT64_MAX >> 20, &node->mem_spec_limit_mb,
			err) < 0)
		return -1;
	node->allow_spec_resources_usage = json_is_true(json, "allow_spec_resources_usage");
	number = 0; /* records from before 24.05 have none */
	if (json_member(json, "restricted_cores_per_gpu") &&
	    read_number(json, "restricted_cores_per_gpu", 0, 0xffff, &number, err) < 0)
		return -1;
	node->restricted_cores_per_gpu = (unsigned int)number;
	return 0;
}

static int read_json(struct node *node, struct json *json, struct err *err)
{
	const char *list = json_text(json, "cpu_spec_list");
	struct node read;

	node_init(&read);
	if (read_texts(&read, json, err) < 0 || read_numbers(&read, json, err) < 0 ||
	    read_version(json, "version", &read.version, err) < 0 ||
	    read_version(json, "controller_version", &read.controller_version, err) < 0)
		return -1;
	read.has_spec_list = list && *list;
	if (read.has_spec_list && cpuset_parse(&read.spec_list, list, err) < 0)
		return err_prefix(err, "node record: cpu_spec_list");
	read.from_controller = true;
	read.cons_tres = !*read.select_type || strstr(read.select_type, "/cons_") != NULL;
	/* substring, as xstrcasestr() in all versions */
	read.spec_cores_first = strcasestr(read.scheduler_parameters, "spec_cores_first") != NULL;
	*node = read;
	return 0;
}

int node_parse_json(struct node *node, const char *text, struct err *err)
{
	struct json *json = json_parse(text);
	int rc;

	if (!json)
		return err_set(err, "node record: '%.60s': not JSON", text);
	rc = read_json(node, json, err);
	json_free(json);
	return rc;
}

static void put_node(const struct node *node, struct json *json)
{
	char version[VERSION_TEXT_MAX];
	char *list = xneed(cpuset_format(&node->spec_list));

	for (size_t i = 0; i < COUNT(text_fields); i++)
		json_add_text(json, text_fields[i].key, (const char *)node + text_fields[i].offset);
	for (size_t i = 0; i < COUNT(number_fields); i++)
		json_add_number(
			json, number_fields[i].key,
			*(const unsigned int *)((const char *)node + number_fields[i].offset));
	json_add_text(json, "cpu_spec_list", node->has_spec_list ? list : NULL);
	version_format(node->version, version);
	json_add_text(json, "version", version);
	version_format(node->controller_version, version);
	json_add_text(json, "controller_version", node->controller_version ? version : NULL);
	json_add_bool(json, "allow_spec_resources_usage", node->allow_spec_resources_usage);
	json_add_number(json, "conf_read_at", node->conf_read_at);
	json_add_number(json, "mem_spec_limit", node->mem_spec_limit_mb);
	json_add_number(json, "restricted_cores_per_gpu", node->restricted_cores_per_gpu);
	free(list);
}

/* ---- validity of the cache ------------------------------------------------------ */

/* Read name, parent and start time of a process; the name may have blanks. */
static int read_stat(int64_t pid, char comm[32], int64_t *parent, int64_t *start)
{
	char path[64], *text, *open, *close;
	long long ppid;
	unsigned long long ticks;
	int rc = -1;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	text = fileio_read(path, SMALL_FILE_MAX, NULL, NULL);
	if (!text)
		return -1;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	/* the kernel's own text: state, ppid, then 17 fields, start time */
	if (open && close && open < close &&
	    sscanf(close + 1,
		   " %*c %lld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ppid, &ticks) == 2) {
		*close = '\0';
		snprintf(comm, 32, "%s", open + 1);
		*parent = ppid;
		*start = (int64_t)ticks;
		rc = 0;
	}
	free(text);
	return rc;
}

/* slurmd is an ancestor of every prolog. */
static bool find_ancestor(struct node_epoch *epoch)
{
	int64_t pid = getpid(), parent, start;
	bool found = false;
	char comm[32];

	for (int i = 0; i < ANCESTORS_MAX && pid > 0; i++, pid = parent) {
		if (read_stat(pid, comm, &parent, &start) < 0)
			break;
		if (host_is_daemon(comm, "slurmd")) {
			epoch->slurmd_pid = pid;
			epoch->slurmd_start = start;
			found = true;
		}
	}
	return found;
}

/* Return true if the process is in a container of this host, as another node's slurmd is. One that
 * cannot be examined counts as ours. */
static bool is_elsewhere(int64_t pid)
{
	char path[48], theirs[32], ours[32];
	ssize_t length, own;

	snprintf(path, sizeof(path), "/proc/%lld/ns/pid", (long long)pid);
	length = readlink(path, theirs, sizeof(theirs));
	own = readlink("/proc/self/ns/pid", ours, sizeof(ours));
	return length > 0 && own > 0 && (length != own || memcmp(theirs, ours, (size_t)own) != 0);
}

/* Outside a prolog: find the oldest slurmd of this host. */
static void find_slurmd(struct node_epoch *epoch)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int64_t parent, start;
	char comm[32];

	while (proc && (entry = readdir(proc))) {
		unsigned long pid;

		if (number_parse(entry->d_name, 1, 1UL << 30, &pid, NULL) < 0 ||
		    read_stat((int64_t)pid, comm, &parent, &start) < 0 ||
		    !host_is_daemon(comm, "slurmd") || is_elsewhere((int64_t)pid))
			continue;
		if (!epoch->slurmd_pid || start < epoch->slurmd_start) {
			epoch->slurmd_pid = (int64_t)pid;
			epoch->slurmd_start = start;
		}
	}
	if (proc)
		closedir(proc);
}

static void find_conf(struct node_epoch *epoch)
{
	const char *found = host_slurm_conf("");

	if (found && strlen(found) < sizeof(epoch->conf))
		strcpy(epoch->conf, found);
}

/* slurm.conf may include its neighbours: the newest of them counts. */
static void stat_conf(struct node_epoch *epoch)
{
	char folder[NODE_TEXT_MAX], *slash;
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	strcpy(folder, epoch->conf);
	slash = strrchr(folder, '/');
	if (!slash)
		return;
	*slash = '\0';
	dir = opendir(*folder ? folder : "/");
	while (dir && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		int64_t ns;

		if (length < 5 || strcmp(entry->d_name + length - 5, ".conf") != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, 0) < 0)
			continue;
		ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		epoch->conf_files++;
		if (ns > epoch->conf_ns)
			epoch->conf_ns = ns;
	}
	if (dir)
		closedir(dir);
	epoch->conf_s = epoch->conf_ns / 1000000000;
}

void node_epoch_read(struct node_epoch *epoch)
{
	memset(epoch, 0, sizeof(*epoch));
	if (!find_ancestor(epoch))
		find_slurmd(epoch);
	find_conf(epoch);
	stat_conf(epoch);
}

/* As node_epoch_read(), but with the slurmd in the cache only: a search through /proc costs more
 * than everything else. */
static void check_epoch(struct node_epoch *epoch, struct json *json)
{
	int64_t pid = json_number(json, "slurmd_pid"), parent, start;
	char comm[32];

	memset(epoch, 0, sizeof(*epoch));
	if (!find_ancestor(epoch) && pid > 0 && read_stat(pid, comm, &parent, &start) == 0 &&
	    host_is_daemon(comm, "slurmd")) {
		epoch->slurmd_pid = pid;
		epoch->slurmd_start = start;
	}
	find_conf(epoch);
	stat_conf(epoch);
}

/* Return true if slurmd has fetched slurm.conf, as the site has none on the node. */
static bool is_fetched(const char *conf)
{
	return strstr(conf, "/conf-cache/") || !strncmp(conf, "/run/slurm/conf/", 16);
}

static bool same_epoch(struct json *json, const struct node_epoch *epoch)
{
	const char *conf = json_text(json, "conf");

	return conf && !strcmp(conf, epoch->conf) &&
	       json_number(json, "slurmd_pid") == epoch->slurmd_pid &&
	       json_number(json, "slurmd_start") == epoch->slurmd_start &&
	       json_number(json, "conf_ns") == epoch->conf_ns &&
	       json_number(json, "conf_files") == epoch->conf_files;
}

static int64_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

/* Return false if slurmctld made the record from an older slurm.conf: it is soon outdated. */
static bool is_settled(const struct node *node, const struct node_epoch *epoch, int64_t written_at)
{
	int64_t now = now_s();

	if (node->conf_read_at >= epoch->conf_s || is_fetched(epoch->conf) ||
	    now - epoch->conf_s > SETTLED_S)
		return true;
	return written_at <= now && now - written_at < NODE_YOUNG_S;
}

/* ---- the cache ----------------------------------------------------------------- */

static int read_cache(struct json *json, const struct node_epoch *epoch, struct node_state *state)
{
	struct node_state read = { 0 };
	const char *map = json_text(json, "core_map");
	int64_t written_at = json_number(json, "written_at");

	if (json_number(json, "format") != CACHE_FORMAT || written_at < 0 || !map ||
	    !same_epoch(json, epoch) ||
	    read_json(&read.node, json_member(json, "node"), NULL) < 0 ||
	    !is_settled(&read.node, epoch, written_at))
		return 0;
	read.map = core_map_parse(map, NULL);
	if (!read.map)
		return 0;
	*state = read;
	return 1;
}

int node_cached(const char *run_dir, struct node_state *state, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct json *json;
	struct node_epoch epoch;
	char *text;
	int rc;

	if (rundir_node_file(path, run_dir, RUNDIR_NODE, err) < 0)
		return -1;
	text = fileio_read(path, CACHE_BYTES_MAX, NULL, err);
	if (!text)
		return errno == ENOENT ? 0 : -1;
	json = json_parse(text);
	free(text);
	if (!json)
		return 0; /* damaged: write it again */
	check_epoch(&epoch, json);
	rc = read_cache(json, &epoch, state);
	json_free(json);
	return rc;
}

int node_cache_write(const char *run_dir, const struct node_epoch *epoch,
		     const struct node_state *state, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct json *json;
	const char *text;
	char *map;
	int rc;

	if (rundir_node_file(path, run_dir, RUNDIR_NODE, err) < 0)
		return -1;
	json = json_new_object();
	map = core_map_format(state->map);
	json_add_number(json, "format", CACHE_FORMAT);
	json_add_number(json, "written_at", now_s());
	json_add_number(json, "slurmd_pid", epoch->slurmd_pid);
	json_add_number(json, "slurmd_start", epoch->slurmd_start);
	json_add_text(json, "conf", epoch->conf);
	json_add_number(json, "conf_ns", epoch->conf_ns);
	json_add_number(json, "conf_files", epoch->conf_files);
	put_node(&state->node, json_add_object(json, "node"));
	json_add_text(json, "core_map", map);
	text = json_line(json);
	rc = fileio_write_volatile(path, text, strlen(text), 0600, err);
	free(map);
	json_free(json);
	return rc;
}

void node_state_free(struct node_state *state)
{
	core_map_free(state->map);
	state->map = NULL;
}
