/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters_parts.h - what the files behind counters.h share
 *
 * Terms   counters.c knows where the pins are, and loads, stops and lists;
 *           counters_start.c begins to count for a job, counters_read.c makes
 *           lines of a record of what was counted. The words are counters.h's
 *           and layout.h's.
 *           load.c loads and takes out, probe.c looks, others.c
 *           is about folders of any version.
 *         folder: one set of pins, of one version and its options.
 *         entry: one job on one filesystem, or on all of them.
 * Owner   pins_close() what pins_get() opened; those that a function called by
 *           pins_each_folder() gets are closed behind it.
 * Errors  -1, the reason in *err where there is one; else errno.
 * Runs    where counters.h does, under counters_lock_home(). Nobody but these
 *           files includes this.
 */
#ifndef JOBIO_COUNT_COUNTERS_PARTS_H
#define JOBIO_COUNT_COUNTERS_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "count/counters.h"
#include "count/layout.h"

/* One folder of pins, open. */
struct pins {
	char folder[256];
	int slots, jobs, names, devs, paths, info_map, data;
	struct count_info info;
};

void counters_home_path(const struct counters_options *options, char *path, size_t room);
/* Is there a bpffs? Else the reason is in *err. */
bool counters_has_bpffs(const struct counters_options *options, struct err *err);
/* The home folder, locked: a file descriptor, or -1. */
int counters_lock_home(const struct counters_options *options, struct err *err);

/* To look at what is counted: 1 with the home locked; 0: there is nothing, and
 * the state says why; -1. */
int counters_look(const struct counters_options *options, struct counters_state *state, int *lock,
		  struct err *err);
void counters_state_init(const struct counters_options *options, struct counters_state *state);
void counters_fill_state(struct counters_state *state, const struct pins *p);
uint64_t counters_boottime_s(void);
uint64_t counters_now_ns(void); /* CLOCK_MONOTONIC */

/* Open what these options have loaded. False: it is not there, and *state has why. */
bool pins_get(const struct counters_options *options, struct pins *p, struct counters_state *state);
int pins_open(struct pins *p, const char *folder, struct err *err);
void pins_close(struct pins *p);

/* Tell the programs that a job came or went: what they remember is old. */
int pins_changed(struct pins *p);

/* Call fn for every entry; it may delete that one. Stops at what is not 0, and
 * returns that. */
int pins_each_entry(struct pins *p,
		    int (*fn)(struct pins *p, const struct count_key *key,
			      const struct count_entry *entry, void *arg),
		    void *arg);
/* Such a function: adds 1 to an unsigned int. */
int pins_count_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		     void *arg);
/* Another: forgets it; arg: of this job alone (uint32_t), or NULL. */
int pins_drop_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		    void *arg);
int pins_drop_job(struct pins *p, uint32_t job);
/* The names of those jobs that are to go. */
void pins_drop_names(struct pins *p, bool (*is_to_go)(struct pins *p, uint32_t job, void *arg),
		     void *arg);

/* How often programs were skipped since they were loaded, by the kind of calls that
 * they count. */
void pins_skipped(struct pins *p, __u64 skipped[COUNT_KINDS]);

/* Set the counters of a slot to zero; owner NULL: of nobody. */
int pins_write_slot(struct pins *p, uint32_t slot, const struct count_key *owner);

/* Call fn for the folders of our layout; stops at -1. */
int pins_each_folder(const struct counters_options *options,
		     int (*fn)(struct pins *p, void *arg, struct err *err), void *arg,
		     struct err *err);
/* Such a function: forgets a job (uint32_t). */
int pins_stop_folder(struct pins *p, void *arg, struct err *err);

/* Folders of this layout. */
#define COUNTERS_STRING_(x) #x
#define COUNTERS_STRING(x) COUNTERS_STRING_(x)
#define COUNTERS_LAYOUT COUNTERS_STRING(COUNT_LAYOUT) "-*"

/* Folders but those whose names match 'but' (fnmatch(3)), whatever their layout. */
struct others {
	const char *but;
	const uint32_t *stop; /* forget this job; NULL: none */
	bool retire;	      /* those that no job uses (any more) */
	void (*each)(uint32_t job, const char *mount, void *arg); /* of those that stay */
	void *arg;
};
void others_visit(const struct counters_options *options, const struct others *others);
/* Take out what was retired, under counters_lock_loading(): seconds. */
void others_sweep(const struct counters_options *options);

/* Who loads or takes out has this lock, and nobody waits for it but these: a file
 * descriptor, or -1. */
int counters_lock_loading(const struct counters_options *options, struct err *err);
/* Are the programs of these options neither there nor refused? */
bool counters_is_to_load(const struct counters_options *options, struct counters_state *state);
/* counters_load() in a process of its own: 1 it is done; 0 it goes on, for options->wait_ms
 * are over; -1 it cannot be started. */
int counters_load_away(const struct counters_options *options);
/* others_sweep() in a process of its own, where there is something to take out. */
void counters_sweep_away(const struct counters_options *options);

int counters_cgroup(const struct counters_options *options);
enum counters_tier counters_tier(uint32_t groups);
/* Programs of functions (fentry, fexit, kprobes) are attached and not run then. */
bool counters_is_ftrace_off(void);
extern const char counters_ftrace_off[];
uint32_t counters_wanted_groups(const struct counters_options *options);
/* Put what is not counted into the reason. */
void counters_say_lost(struct counters_state *state);

/* The folder of what these options load, its name, and a pattern for all that this program
 * loads (fnmatch(3)). */
void counters_folder(const struct counters_options *options, char *path, size_t room);
void counters_folder_name(const struct counters_options *options, char *name, size_t room);
void counters_folder_names(char *pattern, size_t room);

#endif
