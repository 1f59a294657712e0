/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config.h - jobio.conf: limits and paths of a site
 *
 * Terms   The file is INI (jobio.conf(5) documents every key). Sections:
 *           [jobio] [option] [count] [client NAME] [profile NAME]
 *           [profile NAME:CLIENT] [ledger] [advice].
 *         A name (of a client or a profile) is [a-z0-9][a-z0-9_-]*, at most
 *           PROFILE_NAME_MAX bytes.
 *         *_ms is milliseconds, *_s seconds, *_days days.
 * Owner   struct config owns everything in it: read-only for callers, freed by
 *           config_free(). Strings are never NULL: an unset one is "".
 * Errors  NULL and "FILE:LINE: [SECTION] KEY: 'VALUE': why" for the first bad
 *           line: an unknown key (in a [client]: one of another type), a wrong
 *           type, or a value out of bounds. errno is ENOENT if there is no file.
 * Runs    everywhere, also in the plugin: libc (and inih, linked in) only.
 */
#ifndef JOBIO_BASE_CONFIG_H
#define JOBIO_BASE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PROFILE_NAME_MAX 32
#define IO_CORES_LIMIT 256U /* limit for every site */
#define CONFIG_CLIENTS_MAX 8
#define CONFIG_PROFILES_MAX 64
#define CONFIG_COUNT_MOUNTS_MAX 16
#define CONFIG_ALL "ALL" /* nodes, as in slurm.conf(5) */

enum gate_policy {
	GATE_OFF,
	GATE_WARN,
	GATE_ENFORCE
};
enum on_error {
	ON_ERROR_CONTINUE,
	ON_ERROR_DRAIN
};
enum client_type {
	CLIENT_WEKA,
	CLIENT_LUSTRE,
	CLIENT_GPFS,
	CLIENT_NFS
};
enum core_change {
	CORE_CHANGE_NEVER,
	CORE_CHANGE_GROW,
	CORE_CHANGE_ANY,
	CORE_CHANGE_AFFINITY
};
enum workqueue_choice {
	WORKQUEUES_NAMED,
	WORKQUEUES_ALL
};
enum core_method {
	CORE_METHOD_RESOURCES,
	CORE_METHOD_REMOUNT,
	CORE_METHOD_MOUNT
};
enum config_switch {
	SWITCH_NO,
	SWITCH_YES
};

/* [client NAME]: filesystem client of some nodes */
struct config_client {
	char *name;
	enum client_type type;
	char *nodes;  /* hostlist.h, or CONFIG_ALL */
	char *mounts; /* mount points, blank-separated; "": all */
	enum core_change core_change;
	enum workqueue_choice unbound_workqueues;
	char *interrupts_of;	 /* NICs, blank-separated; "": none */
	char *process_dir;	 /* "/proc" */
	unsigned int timeout_ms; /* of one command or read */
	char *mount_table;
	char *fstab;
	/* WEKA; keys of each type have their defaults in every section */
	char *container; /* this one only; "": all */
	enum core_method core_method;
	enum config_switch light_only; /* remount=: only those that do not restart the client */
	unsigned int ready_timeout_ms; /* for a client that restarts */
	char *command;		       /* its command line tool */
	char *mount_command;
	char *umount_command;
	char *service_conf;
	char *service_conf_alt;
	char *proc_dir;
	char *cgroup_root;
	char *data_dir;
	char *agent_pidfile;
	char *stats_socket; /* its counters; '*': the container */
	/* NFS */
	char *mountinfo;
	char *mountstats;
	char *bdi_dir;
	enum config_switch ask_servers; /* also if no request waits */
	/* Lustre */
	char *sys_dir;
	char *debug_dir;
	char *procfs_dir;
	char *lnet_dir;
	char *lctl;
	/* Storage Scale */
	char *mmpmon;
	char *mmpmon_socket;
	char *mmdiag;
};

/* [profile NAME]: settings that a user may request by name; [profile NAME:CLIENT]: settings for one
 * client instead */
struct config_profile {
	char *name;
	char *client; /* "": for all */
	char *description;
	unsigned int io_cores; /* if the job requests no number; 0: not set */
	char *mount_options;   /* comma-separated; "": none */
	char *read_ahead_kb;   /* a number; "": unchanged */
	char *nfs_options;     /* those of mount_options that NFS supports */
	char *parameters;      /* of the client, comma-separated */
	char *mmconfig;	       /* comma-separated; "": none */
	char *environment;     /* variables.h; "": none */
};

#define CONFIG_MARIADB "mariadb"
#define CONFIG_WORD_MAX 256

struct config_ledger {
	char *host; /* config_word(); "": records stay in the spool */
	unsigned int port;
	char *listen;
	char *user;
	char *store;	    /* a path, or CONFIG_MARIADB */
	char *storage_host; /* config_word(): names, or a socket's path */
	unsigned int storage_port;
	char *storage_loc; /* the schema: letters, digits and _ */
	char *storage_user;
	char *storage_pass_file; /* a path; "": without a password */
	char *storage_ca;	 /* a path; "": without TLS */
	char *cluster;
	char *munge_socket; /* "": munge's own default */
	char *metrics_file; /* "": none */
	unsigned int grace_s;
	unsigned int retention_days;
	unsigned int send_timeout_ms;
	char *wait_nodes; /* hostlist.h, or CONFIG_ALL; "": none */
};

/* [advice]: thresholds of the rules in jobio-advice(7); jobio.conf(5) has the measurement behind
 * each default */
struct config_advice {
	unsigned int min_seconds, min_mib, min_calls; /* below these no advice */
	unsigned int sync_call_us;		      /* one synchronous call */
	unsigned int small_read_kb, small_write_kb;   /* 1000 bytes */
	unsigned int core_read_mbs, core_write_mbs;   /* 10^6 bytes a second */
	unsigned int core_read_iops, core_write_iops;
	unsigned int io_processes;
	unsigned int stats_per_s, dir_creates_per_s;
	unsigned int nfs_ops_per_s, lustre_write_mbs;
};

struct config {
	char *file;
	/* [jobio] */
	enum config_switch enabled;
	char *nodes;	  /* hostlist.h, or CONFIG_ALL */
	char *partitions; /* with commas or blanks between them; "": all */
	enum gate_policy gate;
	enum on_error on_error;
	char *root; /* before paths that the file does not set: config_set_root() */
	char *run_dir;
	char *spool_dir;
	unsigned int spool_max_records; /* newer ones are refused */
	unsigned int prolog_budget_ms;
	/* [option] */
	bool has_option; /* the file has such a section */
	unsigned int io_cores_min;
	unsigned int io_cores_max;
	unsigned int io_cores_default; /* if no number is requested; 0: none */
	char *profile_default;	       /* "": none */
	/* [count] */
	enum config_switch count_kernel; /* use the kernel's own counters */
	enum config_switch count_latency;
	char *count_mounts; /* blank-separated, added to the client's */
	/* other sections */
	struct config_client clients[CONFIG_CLIENTS_MAX];
	size_t client_count;
	struct config_profile profiles[CONFIG_PROFILES_MAX];
	size_t profile_count;
	struct config_profile client_profiles[CONFIG_PROFILES_MAX];
	size_t client_profile_count;
	struct config_ledger ledger;
	struct config_advice advice;
	char *calibration;     /* a file with more of [advice]; "": none */
	uint64_t advice_given; /* bits of the keys in the file itself */
};

#endif
