/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h - I/O of one job on one node: one JSON object
 *
 * Terms   record: the object below; jobio-release writes it, jobio-send sends
 *           it, the ledger stores it, jobio report prints it.
 *         run: one execution of a job; a requeued job has several, with
 *           different 'restart' (null: unknown).
 *         scope: "job" (the number is of this job only) or "node" (everything
 *           on the node while the job ran). It is part of every number.
 *         unknown: a number that was not measured is RECORD_UNKNOWN here and
 *           null in the text, never 0. Times are seconds since 1970; up: the
 *           seconds since the node's boot at the start.
 *         quality flag: a word of the closed list RECORD_FLAGS. clocks_apart is of
 *           records together (run.h), and in none by itself.
 *
 * {"jobio":1,"cluster":"c","job":7,"restart":0|null,"node":"c1",
 *  "nodelist":"c[1-2]"|null,"uid":1000,"gid":1000,"user":"alice"|null,
 *  "boot_id":".."|null,"up":3600.2|null,"start":1795224862.06,"end":1795224890.11|null,
 *  "array":{"job":5,"task":1}|null,"het":{"job":7,"offset":0}|null,
 *  "request":{"io_cores":1|null,"profile":"stream"|null,"applied":true
 *    |false|null,"cores_met":..?}|null,
 *  "refused":"why"|null,
 *  "gate":{"warned":2,"refused":0,"text":".."|null}?,
 *  "io_cores":{"count":1,"abstract":"1","os_cpus":"1,3"}|null,
 *  "machine":{"job_cpus":"0,2"|null,"parts":[{"socket":0|null,
 *    "numa_node":0|null,"cpus":"0-3"}]}?,
 *  "client":{"name":"work","type":"nfs","version":"4.2"|null,
 *    "cpus":"1,3"|null,"app_to_wire":"cache=out read-ahead=in"?,
 *    "card":{"names":"ib0,ib1","numa_nodes":"0-1"|null,
 *      "beside":true|false|null}?,
 *    "mounts":[{"mount":"/work","fstype":"nfs4","source":"srv:/work"}]}
 *    |null,
 *  "more_clients":[like client,..],
 *  "changes":[{"client":"work"|null,"what":"mount-option","target":"/work",
 *    "old":"!noatime","new":"noatime","restored":true|false|null,"made":..}],
 *  "findings":[{"code":"NF01","severity":"error|warning|info","text":"..",
 *    "cure":".."|null,"users":true?}],
 *  "app":[IO,..],"wire":[IO,..]|null,"steps":2,"quality":["all_files",..]}
 * IO {"scope":"job"|"node","shared":3|null,"source":"stepd",
 *   "client":"work"|null,"fs":"/work"|null,"read_bytes":N|null,
 *   "write_bytes":..,"read_calls":..,"write_calls":..,"meta":{"open":N|null,..}|null,
 *   and each other quantity of io.h that is known,
 *   "peak":{"read_Bps":N|null,"write_Bps":..,"window_s":1}|null,
 *   "timeline":{"start":1795224862,"width_s":2,"read_bytes":[N,..],
 *     "write_bytes":[..],"calls":[..],"io_us":[..]?}?,
 *   "read_sizes":[N,..]|null,"write_sizes":..,"read_ns":..,"write_ns":..,
 *   "errors":{"EDQUOT":{"write":3,"close":1},..}?}
 *   ?: only if it applies; cores_met: the client runs on the io-cores, and nowhere
 *   else; gate: numbers of tasks that could have run on its CPUs, and were warned
 *   about or not started;
 *   app_to_wire: how this client's lines of wire relate to app, a constant of its
 *   type: words WHAT=HOW: replies of a cache, read-ahead and direct I/O are "in" them
 *   or "out", and their bytes are counted "before" or "after" compression, which may
 *   be "none"; or "unknown";
 *   card: NICs of the client; beside: were tasks of the job allowed on a core of one
 *   of these NUMA nodes;
 *   machine: its topology; a part: the CPUs that share a socket and a NUMA node, in
 *   the order of their lowest; sockets are counted in that order, as in Slurm;
 *   job_cpus: CPUs that tasks of the job could run on;
 *   made: false: the client rejected the change, or accepted it without effect; the
 *   text of a finding has which of both, and its message; null: unknown, because the
 *   process that made it was killed;
 *   users: the cure is for the job's owner, not for an administrator;
 *   shared: number of other jobs in a number of scope node; fs null: all files.
 *   Sources of app are other views of the same I/O, the best one first, which the
 *   quality flags refer to; sizes and ns: log2 histograms, bin i counts
 *   2^i .. 2^(i+1)-1 bytes or nanoseconds (bin 0: 0 and 1); peak: the most that was
 *   moved in one of the windows of window_s seconds, per second; timeline: what was
 *   moved in each width_s seconds (a power of two) from start on, which is a multiple
 *   of them, at most 64, without empty ones at the end: the lists of bytes add up to
 *   the number of their name, calls to those of both; errors: failed calls, if there
 *   are any. app: I/O of processes; wire: I/O of the client; never added together.
 *
 * The format grows by new keys only; a reader ignores unknown keys and reads an
 * unknown quality flag as "other". JSON Schema: etc/record.schema.json.
 *
 * Owner   a record and everything in it: record_free(). Lists are read through
 *           the struct, written through record_add_*(), which copy.
 * Errors  NULL or -1, the reason in *err; outputs change on success only. Text
 *           that is too long is cut; a full list drops later elements and sets
 *           the flag "truncated". A whole text that is too long is written
 *           without timelines and histograms, then without the later half of
 *           each list: a record is never lost because of its size. Bytes that
 *           are not UTF-8 and hidden characters (utf8.h) become '?'.
 * Runs    epilog (root), ledger (its input is checked as if hostile), report.
 */
#ifndef JOBIO_RECORD_RECORD_H
#define JOBIO_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "base/request.h"
#include "record/change.h"
#include "record/finding.h"
#include "record/io.h"

struct json;

#define RECORD_VERSION 1
#define RECORD_UNKNOWN IO_UNKNOWN
#define RECORD_TEXT_MAX (256 * 1024) /* bytes of one record as text */
#define RECORD_NODELIST_MAX (64 * 1024)
#define RECORD_NAME_MAX 256 /* cluster, node, user, with the final 0 */
#define RECORD_WORD_MAX 64  /* codes, types, sources */
#define RECORD_STRING_MAX 4096
#define RECORD_LIST_MAX 64 /* mounts, changes, findings, app, wire: each */

/* flag, and its description (jobio report prints it) */
#define RECORD_FLAGS(X)                                                                                             \
	X(ALL_FILES, "all_files",                                                                                   \
	  "counts every file, pipe and socket, not only the client's files")                                        \
	X(INCLUDES_STEPD, "includes_stepd",                                                                         \
	  "includes what slurmstepd itself read, wrote and forwarded")                                              \
	X(ORPHANS_MISSING, "orphans_missing", "processes that left the step are not counted")                       \
	X(MMAP_MISSING, "mmap_missing", "I/O through mmap is not counted")                                          \
	X(AIO_MISSING, "aio_missing", "asynchronous I/O (aio, io_uring) is not counted")                            \
	X(BASELINE_MISSING, "baseline_missing",                                                                     \
	  "no counters from the start of the job: the numbers are unknown")                                         \
	X(NODE_REBOOTED, "node_rebooted",                                                                           \
	  "the node rebooted while the job ran: counters are lost")                                                 \
	X(NO_STEP, "no_step", "no step of the job ran on this node")                                                \
	X(STEP_MISSING, "step_missing", "a step left no counters: the numbers are a lower bound")                   \
	X(JOURNAL_DAMAGED, "journal_damaged",                                                                       \
	  "the journal of changes was damaged: restored as far as readable")                                        \
	X(START_UNKNOWN, "start_unknown", "the prolog left no state: the start is an estimate")                     \
	X(COUNTER_RESET, "counter_reset",                                                                           \
	  "a counter went backwards: the numbers are a lower bound")                                                \
	X(REMOUNTED, "remounted",                                                                                   \
	  "the filesystem was mounted again while the job ran: later I/O is not counted")                           \
	X(UNMOUNTED, "unmounted", "the filesystem was not mounted at the end")                                      \
	X(MOUNT_BELOW, "mount_below",                                                                               \
	  "a filesystem was mounted below a counted one: it is not counted")                                        \
	X(IMAGE_MOUNTED, "image_mounted",                                                                           \
	  "loop devices or overlays have files on a counted filesystem: their I/O there is not counted")            \
	X(MOUNTED_LATE, "mounted_late",                                                                             \
	  "a filesystem of a client was mounted while the job ran: I/O there is in no number of a filesystem")      \
	X(LOWER_BOUND_READ, "lower_bound_read", "the read numbers are a lower bound")                               \
	X(LOWER_BOUND_WRITE, "lower_bound_write", "the write numbers are a lower bound")                            \
	X(LOWER_BOUND_OPS, "lower_bound_ops", "the numbers of operations are a lower bound")                        \
	X(TIMES_SKIPPED, "times_skipped",                                                                           \
	  "times are unknown, or too low: the kernel skipped programs")                                             \
	X(MOUNTS_UNSEEN, "mounts_unseen",                                                                           \
	  "mounts below a filesystem or of its files are not seen")                                                 \
	X(SHARED_NODE, "shared_node", "node-wide numbers include other jobs")                                       \
	X(CLIENT_UNREADABLE, "client_unreadable", "the filesystem client did not answer")                           \
	X(CLOCK_SET, "clock_set",                                                                                   \
	  "the node's clock was set while the job ran: start and end are by different clocks")                      \
	X(CLOCKS_APART, "clocks_apart",                                                                             \
	  "nodes began and ended seconds apart, as with clocks that differ: a timeline uses each node's own clock") \
	X(WIRE_RESET, "wire_reset",                                                                                 \
	  "the filesystem client restarted while the job ran: its I/O is unknown")                                  \
	X(OSC_PARTIAL, "osc_partial",                                                                               \
	  "not every target of a filesystem was read in time: I/O of the client is a lower bound")                  \
	X(PRIVATE_MOUNT, "private_mount",                                                                           \
	  "a filesystem of a client was mounted for the job only: I/O there is in no number of a filesystem")       \
	X(COPIES_TWICE, "copies_twice",                                                                             \
	  "the kernel counts copy_file_range within overlayfs twice")                                               \
	X(PLUGIN_AWAY, "plugin_away",                                                                               \
	  "jobio's plugin was removed or replaced while the job ran: a step without it left no counters")           \
	X(TRUNCATED, "truncated", "parts were left out: they exceed the limits of a record")                        \
	X(OTHER, "other", "a flag that this version does not recognize")

#define RECORD_FLAG_ENUM(id, name, words) RECORD_BIT_##id,
enum record_flag_bit {
	RECORD_FLAGS(RECORD_FLAG_ENUM) RECORD_FLAG_COUNT
};
#define RECORD_FLAG(id) (UINT64_C(1) << RECORD_BIT_##id)

struct record_client {
	char name[RECORD_WORD_MAX], type[RECORD_WORD_MAX];
	char version[RECORD_WORD_MAX];	   /* "" unknown */
	char app_to_wire[RECORD_WORD_MAX]; /* "" unknown */
	char *cpus;			   /* NULL unknown */
	char *nics;			   /* "ib0,ib1"; NULL unknown */
	char *nic_numa_nodes;		   /* "0-1", a cpuset; NULL unknown */
	int is_numa_local;		   /* 1, 0, -1 unknown */
};

/* CPUs of the node that share a socket and a NUMA node. */
struct record_part {
	int64_t socket, numa_node; /* RECORD_UNKNOWN */
	char *cpus;
};

struct record_mount {
	char *mount, *fstype, *source;
	size_t client; /* index of its client */
};

struct record {
	char cluster[RECORD_NAME_MAX], node[RECORD_NAME_MAX];
	char user[RECORD_NAME_MAX]; /* "" unknown */
	char boot_id[RECORD_WORD_MAX];
	char *nodelist; /* NULL unknown */
	uint32_t job;
	int64_t restart; /* RECORD_UNKNOWN */
	uint32_t uid, gid;
	double up, start, end;				    /* up, end < 0: unknown */
	int64_t array_job, array_task, het_job, het_offset; /* UNKNOWN: none */
	bool has_request;
	struct request request;
	int profile_applied;		   /* 1, 0, -1 unknown */
	int cores_met;			   /* the same */
	char *refused;			   /* reason of prolog or gate; NULL: it was not */
	bool has_gate;			   /* the gate has warned or refused */
	int64_t gate_warned, gate_refused; /* tasks */
	char *gate_text;
	bool has_io_cores;
	int64_t io_cores_count;
	char *io_cores_abstract, *io_cores_os;
	char *job_cpus; /* NULL unknown */
	struct record_part *parts;
	struct record_client *clients;
	struct record_mount *mounts;
	struct changes changes;
	struct findings findings;
	struct io *app, *client_io;
	size_t client_count, mount_count;
	size_t app_count, client_io_count, part_count;
	int64_t steps;
	uint64_t flags; /* RECORD_FLAG(..) | .. */
};

/* Return a record with all numbers unknown, all texts missing. */
struct record *record_new(void);
void record_free(struct record *record);

/* Mark every request as not applied until proven otherwise. */
void record_set_unmet(struct record *record);

/* Return which counters it has: 2 app, 1 wire, 3 both, 0 none. Of two records of one run and node
 * the larger is better. */
int record_weight(const struct record *record);

/* Return true if the first of two records of one run and node (an epilog that ran twice, a node
 * that came back after a reboot) is better: the one with more counters, then the one with a known
 * start, then the one without node_rebooted, then the later end, then the larger digest of its
 * text. A record without counters never replaces one that has them. */
bool record_is_better(const struct record *a, uint64_t digest_a, const struct record *b,
		      uint64_t digest_b);

/* Set a text that is a pointer: record_set(&record->refused, ".."). NULL removes it. */
void record_set(char **field, const char *text);

/* Set the cores that Slurm withholds for the request, in its own and in Linux's numbers. */
void record_set_io_cores(struct record *record, const struct cpuset *abs_cores,
			 const struct cpuset *os_cpus);

/* Set the CPUs that tasks of the job could run on; an empty set is unknown. */
void record_set_job_cpus(struct record *record, const struct cpuset *os_cpus);
void record_add_part(struct record *record, int64_t socket, int64_t numa_node,
		     const struct cpuset *os_cpus);

void record_add_client(struct record *record, const char *name, const char *type,
		       const char *version, const char *cpus);
/* Of the client that was added last. */
void record_set_app_to_wire(struct record *record, const char *words);
/* Return the client of this name; NULL: there is none. [name] NULL or "": the first. */
const struct record_client *record_client_named(const struct record *record, const char *name);
/* Set the NICs of the client that was added last, and their NUMA nodes; an empty set is unknown. */
void record_set_nics(struct record *record, const char *names, const struct cpuset *numa_nodes);
/* Of the client that was added last. */
void record_add_mount(struct record *record, const char *mount, const char *fstype,
		      const char *source);
void record_add_app(struct record *record, const struct io *io);
void record_add_client_io(struct record *record, const struct io *io);

/* Return the lines of app that are the record's numbers in one scope, as bits: those of the first
 * source with counters of all files or of the client's filesystems (only its line of all files, if
 * it has one); on a node without a client, of any. Two sources are never added. */
uint64_t record_best_app(const struct record *record, int scope);

/* Return the name of a flag bit, and its description; NULL after the last. */
const char *record_flag_name(unsigned int bit);
const char *record_flag_words(unsigned int bit);
/* Return the flag of a name; RECORD_FLAG(OTHER) for a name that is not in the list. */
uint64_t record_flag(const char *name);

/* Return one line without the newline; the caller frees it. Timelines and histograms are left out,
 * with the flag "truncated", if it would be too long for readers. */
char *record_text(const struct record *record, struct err *err);

/* Read a text of 'size' bytes, and validate all of it. */
struct record *record_parse(const char *text, size_t size, struct err *err);
/* Read a value of a longer JSON text, with the same checks of its part of the text. */
struct record *record_read(const struct json *json, const char *text, struct err *err);

/* Return the counters only, {"app":[IO,..],"quality":[..]}: from a helper that counts to the one
 * that writes the record. */
char *record_counters_text(const struct record *record);

/* Add such counters to a record. The text may have other keys. */
int record_counters_add(struct record *record, const char *text, size_t size, struct err *err);

#endif
