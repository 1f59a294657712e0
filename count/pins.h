/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pins.h - maps and links of the BPF programs, pinned below BPFFS/jobio
 *
 * Terms   folder: the pins of one set of programs. Its name has the layout, the hash of the
 *           object, the cgroup version and the options: "9-HASH-v2-latency". "NAME-new" is
 *           being filled, "NAME-old" emptied: the kernel takes seconds to unload a set.
 *         readable: of COUNT_LAYOUT. Of another layout only the job of an entry can be read,
 *           which is the beginning of the key in all layouts.
 *         entry: a job on one filesystem, or on all files (dev 0).
 * Owner   pins_close() what pins_open() filled; pins_each() does it itself.
 * Errors  -1, the reason in *err.
 * Runs    jobio-count, as root; all but pins_have_bpffs() under the lock of the home folder.
 */
#ifndef JOBIO_COUNT_PINS_H
#define JOBIO_COUNT_PINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/counters.h"
#include "count/layout.h"
#include "count/programs.h"

#define PINS_PATH_MAX 528
#define PINS_KEY_BYTES 64

struct pins_entry {
	union {
		struct count_key key;
		char bytes[PINS_KEY_BYTES];
	};
	struct count_entry value; /* zero if not readable */
};

struct pins {
	char folder[PINS_PATH_MAX];
	bool is_readable;
	int map[MAPS]; /* file descriptors; -1 */
	struct count_info info;
	struct pins_entry *entries;
	size_t entry_count;
};

/* Return true if bpffs is mounted. */
bool pins_have_bpffs(const struct counters_options *options, struct err *err);

/* Create and lock the home folder, or the folder 'below' it. Return a file descriptor that holds
 * the lock, or -1. */
int pins_lock(const struct counters_options *options, const char *below, struct err *err);

/* Set *state and lock the home folder. Return 1; 0 without bpffs; -1. */
int pins_begin(const struct counters_options *options, struct counters_state *state, int *lock,
	       struct err *err);

/* Get the path of the folder of these options. */
void pins_folder(const struct counters_options *options, char path[PINS_PATH_MAX]);

int pins_open(struct pins *p, const char *folder, struct err *err);
void pins_close(struct pins *p);

/* Open the folder of these options and set *state. Return false if it is not there or not readable:
 * state->reason is set unless it was. */
bool pins_get(const struct counters_options *options, struct pins *p, struct counters_state *state);
void pins_fill_state(const struct pins *p, struct counters_state *state);

/* Call fn for each complete folder, until it returns not 0; return that. */
int pins_each(const struct counters_options *options,
	      int (*fn)(struct pins *p, void *arg, struct err *err), void *arg, struct err *err);

/* Make cached results of the programs invalid, after a job was added or removed. */
int pins_invalidate(struct pins *p);

/* Delete the entries of a job (0: none) in each folder. Rename folders without entries to NAME-old,
 * but those of these options, or with 'any_options' of this object. Return the number of renamed
 * folders, or -1. */
int pins_forget(const struct counters_options *options, uint32_t job, bool any_options,
		struct err *err);

/* Remove the folders with names that match 'pattern' (fnmatch(3)): their programs are unloaded. */
int pins_remove(const struct counters_options *options, const char *pattern, struct err *err);

/* Get how many calls the kernel has skipped since the programs were loaded, by kind. */
void pins_skipped(const struct pins *p, __u64 skipped[COUNT_KINDS]);

#endif
