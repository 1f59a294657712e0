/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - thresholds of the rules, each with its unit and source
 *
 * Terms   Units: the end of the name: _BYTES, _BPS (bytes a second), _S, _US, _PERCENT; _PER_
 *           and _TIMES: a ratio; _OPS, _FILES, ..: a count. jobio-advice(7) has more about
 *           the sources. A value without a source was chosen so that each of the recorded jobs
 *           in tests/samples/advice gets the advice in its name.
 *         Thresholds that a site can measure are keys of [advice] in jobio.conf(5).
 * Owner   -
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_LIMITS_H
#define JOBIO_ADVICE_LIMITS_H

#include <stdbool.h>

#define KIB 1024.0
#define MIB 1048576.0
#define KB 1e3
#define MB 1e6
#define US_PER_S 1e6

/* Return true if [part] is at least [percent] of [whole]. */
static inline bool reaches(double part, unsigned int percent, double whole)
{
	return part * 100 >= whole * percent;
}

/* ---- what is worth a change --------------------------------------------------- */

/* Of the processes' lifetime, if the kernel measured the time: half of the next one */
#define LIMIT_SIGNIFICANT_PERCENT 5U
/* Of the time or the operations. Source: Drishti (config.py) reports from 10 % on */
#define LIMIT_BUSY_PERCENT 10U
/* A tenth of it, if the time is estimated from the speed of a core, which is the least possible */
#define LIMIT_ESTIMATED_PERCENT 1U
/* Of I/O time of all processes: LIMIT_SIGNIFICANT_PERCENT of the default of min_seconds */
#define LIMIT_WAITED_S 3U
/* Fewest operations, if the kernel, the client, or nothing measured their time. Source: ten times
 * the 1,000 from which Drishti reports; 1,000; a tenth of it */
#define LIMIT_SOME_OPS 100U
#define LIMIT_MORE_OPS 1000U
#define LIMIT_MANY_OPS 10000U

/* ---- shares ---------------------------------------------------------------------- */

/* The greater part of a sum: no other part can be larger */
#define LIMIT_HALF_PERCENT 50U
/* A part that can be neglected. Source: as LIMIT_BUSY_PERCENT */
#define LIMIT_FEW_PERCENT 10U
/* Nearly all: all but LIMIT_FEW_PERCENT */
#define LIMIT_MOST_PERCENT 90U
/* Of opens or stats: names that are new to the node. Fewer: the same names are used repeatedly */
#define LIMIT_NEW_NAMES_PERCENT 25U

/* ---- the client and its cache ----------------------------------------------------- */

/* Calls that the client handled, if the page cache served the others. Source: Lustre 2.15.4 serves
 * 556,629 cached reads a second and 6,742 others */
#define LIMIT_UNCACHED_PERCENT 10U
/* Bytes that the client fetched, of large reads: these wait for the first reading of a file only,
 * small ones for each miss */
#define LIMIT_UNCACHED_LARGE_PERCENT 25U
/* No server replies faster */
#define LIMIT_CACHE_US 20
/* No server sends more to one process. Source: WEKA, 5.73 GB/s for 30 processes of a client */
#define LIMIT_CACHE_BPS 3e9
/* Moving fewer bytes takes no longer than the system call itself */
#define LIMIT_TINY_BYTES 1024
/* Requests of the client in each call: the order of reads, if the kernel does not count it. Random:
 * about one for each call and as large. Sequential: read-ahead makes them larger */
#define LIMIT_RANDOM_TIMES 2
#define LIMIT_SEQUENTIAL_TIMES 8
/* Requested from the client; of fewer bytes the excess is not computed */
#define LIMIT_ASKED_BYTES 10000
/* READs and WRITEs, and the part that was sent again. Source: finding NF08 */
#define LIMIT_RESENT_OPS 1000U
#define LIMIT_RESENT_PERCENT 1U

/* ---- sizes -------------------------------------------------------------------------- */

/* Source: WEKA's guide on forcedirect: small (calls without a page cache) and large */
#define LIMIT_SMALL_BYTES (64 * KIB)
#define LIMIT_LARGE_BYTES (1024 * KIB)
/* Smaller requests are bound by latency, not by bandwidth; for random and asynchronous I/O */
#define LIMIT_RANDOM_BYTES (256 * KIB)
/* Of a file, or between two fsync. Source: Drishti (config.py): smaller requests are small */
#define LIMIT_FILE_BYTES MIB

/* ---- a slow server ------------------------------------------------------------------- */

/* Mean of a call, and bytes moved in the I/O time. Any disk is faster */
#define LIMIT_STALL_S 2
#define LIMIT_STALL_BPS MIB

/* ---- patterns of operations ------------------------------------------------------------ */

/* fsync in a database: SQLite creates a journal for each transaction, with 2 to 4 fsync, and
 * writes to both files */
#define LIMIT_SYNCS_PER_JOURNAL 8
#define LIMIT_WRITES_PER_JOURNAL 2
/* More removals than this are of files from before the job */
#define LIMIT_REMOVED_PER_CREATED 2
/* Misses for each replaced file: its temporary name is one, others are few */
#define LIMIT_MISSES_PER_REPLACED 1.5
/* A copy reads each file in few calls */
#define LIMIT_READS_PER_COPY 10
/* One or two writes for each open, or for each second one */
#define LIMIT_WRITES_PER_OPEN 2
/* Search for a module: along sys.path (Python), or of a library */
#define LIMIT_STATS_PER_OPEN 4
#define LIMIT_ABSENT_PER_OPEN 2
/* Time of metadata beside that of reads, from which on larger reads are no cure */
#define LIMIT_METADATA_PERCENT 25U
/* Stat of absent names, of all; and opens or creates beside them */
#define LIMIT_POLLED_PERCENT 75U
#define LIMIT_POLLING_PERCENT 5U
/* To each reading of a folder: waiting for a change of one file reads none */
#define LIMIT_STATS_PER_LISTING 2000
/* Stat to all other operations */
#define LIMIT_STATS_TIMES 2
/* Processes that write pieces of one file */
#define LIMIT_SHARED_THREADS 2
/* Groups of rows that are bursts */
#define LIMIT_BURSTS 2
/* Files of a sort or of a join on disk */
#define LIMIT_SPILL_FILES 8
/* Bytes read to those written: a sort reads its input, too */
#define LIMIT_SPILL_READ_TIMES 2.5
/* Requests for each operation on a name: to revalidate and to check access, for the folder and for
 * the name. Source: NFS v3 with lookupcache=none and actimeo=0: 3.95 for each absent name of a
 * search path, 2.9 for each stat */
#define LIMIT_REQUESTS_PER_NAME 4
/* If they took LIMIT_HALF_PERCENT of the run. Source: Python on a mount with noac and
 * lookupcache=none: 4.6 for each operation, 61 % of its time */
#define LIMIT_REVALIDATED_TIMES 2
/* Of all writes: fsync that wait for them */
#define LIMIT_SYNCED_PERCENT 10U

/* ---- cores and nodes --------------------------------------------------------------------- */

/* Source: WEKA's sizing guide: 30 % of headroom; a resource counts as full from 80 % on */
#define LIMIT_HEADROOM_PERCENT 30U
#define LIMIT_FULL_PERCENT 80U
/* Of a full core, on average: less was a single burst */
#define LIMIT_SUSTAINED_PERCENT 25U
/* Of one core: the best second, and the mean of calls or metadata, if cores are idle */
#define LIMIT_IDLE_PERCENT 10U
#define LIMIT_IDLE_CALLS_PERCENT 1U
/* A client takes up to 240 s to start and stop, which should be a small part */
#define LIMIT_IDLE_S 600U
/* Source: Drishti: 30 % more bytes than the others; the remaining 10 % on all others are few */
#define LIMIT_IMBALANCE_PERCENT 30U
#define LIMIT_ONE_NODE_PERCENT 90U
/* Source: Lustre routers on the other socket: 28 % of the speed on the NIC's socket */
#define LIMIT_SLOW_PERCENT 40U
/* Fewest calls of a node for its speed. Source: with 7 and 11 calls two nodes on one path differed
 * by a factor of three */
#define LIMIT_SPEED_OPS 100U

/* ---- the end of a run --------------------------------------------------------------------- */

/* Source: the word tail of the summary, jobio-ledgerd(8): in the last of 4 parts of the run */
#define LIMIT_TAIL_PERCENT 75U
#define LIMIT_TAIL_PARTS 4

/* ---- estimates ------------------------------------------------------------------------------ */

/* Calls of sync_call_us: to open and close a file, and that an fsync takes */
#define LIMIT_CALLS_PER_OPEN 3
#define LIMIT_CALLS_PER_SYNC 10
#define LIMIT_PAGE_BYTES 4096
/* Names that an operation looks up */
#define LIMIT_NAMES_PER_RENAME 2

/* Part of the time, or of the class of calls, that a change can save. Source of A17: Lustre 2.15.4,
 * 3,874 MiB/s buffered and 13,053 direct; of A18: LIMIT_FULL_PERCENT */
#define STAKE_CACHED_STREAM 0.25
#define STAKE_LUSTRE_BUFFERED 0.7
#define STAKE_NFS_CEILING 0.8
#define STAKE_CORES_UNMET 0.5
#define STAKE_CORES_IDLE 0.03
#define STAKE_ONE_CORE 0.02
#define STAKE_RESENT 0.3
#define STAKE_ALL 1

/* Order of the list, by share (at most 1) times confidence (1 to 3): less for advice without a
 * cause; more than the largest for failed calls */
#define RANK_NO_CAUSE (1 / 3.0)
#define RANK_FAILED 4

#endif
