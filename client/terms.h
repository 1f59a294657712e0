/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terms.h - what a room and a type of client say to each other
 *
 * Terms   frontend CPUs: the OS CPUs that the client's processes poll on, with
 *           all hardware threads of their cores.
 *         want: what this job shall find. Only names and numbers that
 *           jobio.conf knows: nothing that a user wrote gets here.
 *         alone: no other job runs on this node; without it nothing is changed.
 *         idle: no other job is here yet; others may come. The client may go
 *           back to its own cores, and no more.
 * Owner   strings in facts are the client's, those in a want the caller's.
 * Errors  none: plain values.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_TERMS_H
#define JOBIO_CLIENT_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "record/io.h"

/* One line of the mount table. */
struct client_mount {
	char *source;
	char *target;
	char *fstype;
	char *options;
};

/* What every type can say about itself. */
struct client_facts {
	const char *name;		   /* of the [client NAME] section */
	const char *type;		   /* type= of jobio.conf */
	const char *version;		   /* "" unknown */
	const char *app_to_wire;	   /* record.h */
	bool cpus_known;		   /* frontend_cpus are all of them */
	struct cpuset frontend_cpus;	   /* as far as known; empty and known: none */
	unsigned int fixed_cores;	   /* of a client that serves as well, all of them: a
					    * job cannot change them; 0: of another */
	const struct client_mount *mounts; /* only those jobio may touch */
	size_t mount_count;
};

/* Network cards that a client's work goes over. */
#define CLIENT_CARDS_MAX 64
#define CLIENT_CARD_TEXT_MAX 128
struct client_card {
	char name[64];			   /* an interface, "ib0", or an RDMA device, "mlx5_0" */
	int numa_node;			   /* -1 unknown */
	char serves[CLIENT_CARD_TEXT_MAX]; /* mounts, an LNet address, .. */
};

struct client_cards {
	size_t count;
	struct client_card card[CLIENT_CARDS_MAX];
};

/* Cores that a client shall work on. */
struct client_place {
	struct cpuset ids;     /* one OS CPU for each core */
	struct cpuset os_cpus; /* all threads */
	int numa_node;	       /* of its card; -1 unknown */
	const char *card;      /* "": unknown */
};

/* What the job shall find on this node. */
struct client_want {
	bool alone, idle;
	bool has_io_cores;
	unsigned int io_cores;	   /* asked for; 0: none */
	struct cpuset io_cpus;	   /* OS CPUs withheld for it, all threads */
	const char *mount_options; /* of the profile; "": leave them alone */
	const char *read_ahead_kb; /* of the profile, a number; "": the same */
	const char *parameters;	   /* of the profile; "": the same */
	const char *mmconfig;	   /* of the profile; "" or NULL: the same */
	unsigned int job_id;	   /* 0: not of a job */
	unsigned int uid, gid;	   /* of the job */
	const char *work_dir;	   /* of the job; NULL: not told */
	long mem_spec_limit_mb;	   /* Slurm's; 0 not set, -1 unknown */
};

/* Of the quantities of io.h those that clients count. */
#define WIRE_NUMBERS (IO_NAME_CALLS + 1)
#define WIRE_FS_MAX 256
#define CLIENT_WIRE_LINES_MAX 32

/* What a client has moved since some moment on one filesystem; -1 unknown.
 * Nobody can tell whose it was. */
struct client_wire_line {
	char fs[WIRE_FS_MAX]; /* "": on all of its filesystems */
	bool has_restarted;   /* nobody knows; numbers mean nothing */
	bool is_gone;	      /* the same: it is not mounted any more */
	bool is_partial;      /* not all was read: a lower bound */
	int64_t numbers[WIRE_NUMBERS];
};

/* What happened to the client, and when: seconds since 1970; code "": nothing. */
struct client_wire_event {
	int64_t at_s;
	char code[8], text[160];
};

struct client_wire {
	const char *source; /* of the record: which counters */
	struct client_wire_event event;
	struct client_wire_line line[CLIENT_WIRE_LINES_MAX];
	size_t line_count;
};

/* What was mounted when a job began, and what is: files that hold the lines of the
 * node's mountinfo, and mount points that were the client's. */
struct client_moments {
	const char *then, *now;
	char *const *targets;
	size_t count;
};

/* What a job did on the client's mounts, as the kernel counted it. */
struct client_work {
	int64_t syncs;	 /* calls of fsync and fdatasync; -1 unknown */
	int64_t removed; /* files; -1 unknown */
	const struct client_wire *wire;
};

/* What a type's cores take, in MiB; cores_max 0: it has no cores of its own.
 * huge_core_mb: of a core's memory, what are hugepages. */
struct client_sizing {
	unsigned int cores_max;
	long memory_fixed_mb, memory_core_mb, huge_core_mb;
};

#endif
