/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types.h - types shared by callers and client back ends
 *
 * Terms   frontend CPUs: the OS CPUs that the client's processes poll on, with all
 *           hardware threads of their cores.
 *         desired: the settings for this job. Only names and numbers of jobio.conf: nothing
 *           that a user wrote.
 *         alone: no other job runs on this node; without it nothing is changed.
 *         idle: no other job is here yet; others may come. The client may go back to its
 *           own cores, nothing else.
 * Owner   strings in facts are the client's, those in struct client_desired the caller's.
 * Errors  none: plain values.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_TYPES_H
#define JOBIO_CLIENT_TYPES_H

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

/* Facts of every type. */
struct client_facts {
	const char *name;	     /* of the [client NAME] section */
	const char *type;	     /* type= of jobio.conf */
	const char *version;	     /* "" unknown */
	const char *app_to_wire;     /* record.h */
	bool cpus_known;	     /* frontend_cpus is complete */
	struct cpuset frontend_cpus; /* as far as known; empty and known: none */
	unsigned int fixed_cores;    /* all, of a client that is a server as well; 0: others */
	size_t containers;	     /* with cores of their own; 0: the type has none */
	const struct client_mount *mounts; /* only those of mounts= in jobio.conf */
	size_t mount_count;
};

/* NICs of a client's traffic. */
#define CLIENT_NICS_MAX 64
#define CLIENT_NIC_TEXT_MAX 128
struct client_nic {
	char name[64];			  /* an interface, "ib0", or an RDMA device, "mlx5_0" */
	int numa_node;			  /* -1 unknown */
	char serves[CLIENT_NIC_TEXT_MAX]; /* mounts, an LNet address, .. */
};

struct client_nics {
	size_t count;
	struct client_nic nic[CLIENT_NICS_MAX];
};

/* Cores for a client. */
struct client_placement {
	struct cpuset ids;     /* one OS CPU for each core */
	struct cpuset os_cpus; /* all threads */
	int numa_node;	       /* of its NIC; -1 unknown */
	const char *nic;       /* "": unknown */
};

/* Settings for the job on this node. */
struct client_desired {
	bool alone, idle;
	bool has_io_cores;
	unsigned int io_cores;	   /* requested; 0: none */
	struct cpuset io_cpus;	   /* OS CPUs withheld from it, all threads */
	const char *mount_options; /* of the profile; "": unchanged */
	const char *read_ahead_kb; /* of the profile, a number; "": the same */
	const char *parameters;	   /* of the profile; "": the same */
	const char *mmconfig;	   /* of the profile; "" or NULL: the same */
	unsigned int job_id;	   /* 0: without a job */
	unsigned int uid, gid;	   /* of the job */
	const char *work_dir;	   /* of the job; NULL: unknown */
	long mem_spec_limit_mb;	   /* Slurm's; 0 not set, -1 unknown */
};

/* The numbers of io.h that clients count. */
#define CLIENT_IO_NUMBERS (IO_LOCK_CALLS + 1)
#define CLIENT_IO_FS_MAX 256
#define CLIENT_IO_SERIES_MAX 32

/* Difference of a client's counters on one filesystem, for all users of the node; -1 unknown. */
struct client_io_series {
	char fs[CLIENT_IO_FS_MAX]; /* "": all of its filesystems */
	bool has_restarted;	   /* unknown; numbers are not valid */
	bool is_gone;		   /* the same: it was unmounted */
	bool is_partial;	   /* some were not read: a lower bound */
	int64_t numbers[CLIENT_IO_NUMBERS];
};

/* The last event of the client, and its time: seconds since 1970; code "": none. */
struct client_event {
	int64_t at_s;
	char code[8], text[160];
};

struct client_io {
	const char *source; /* name of the counters in the record */
	struct client_event event;
	struct client_io_series series[CLIENT_IO_SERIES_MAX];
	size_t series_count;
};

/* Mounts at the start of a job, and now: files with lines of the node's mountinfo, and the mount
 * points of the client then. */
struct client_moments {
	const char *then, *now;
	char *const *targets;
	size_t count;
};

/* Work of a job on the client's mounts, counted by the kernel. */
struct client_work {
	int64_t syncs;	 /* calls of fsync and fdatasync; -1 unknown */
	int64_t removed; /* files; -1 unknown */
	const struct client_io *client_io;
};

/* Memory of a type's cores, in MiB; cores_max 0: it has no cores of its own. huge_core_mb: part of
 * a core's memory in hugepages. */
struct client_sizing {
	unsigned int cores_max;
	long memory_fixed_mb, memory_core_mb, huge_core_mb;
};

#endif
