/* SPDX-License-Identifier: GPL-2.0-or-later */
/* summary.h - one line about all records of a job's run
 *
 * Terms   "jobio/1" and then key=value tokens, separated by one blank, in this
 *           order: those that sacct prints in a narrow column come first. Readers
 *           search for keys, not for positions. At most SUMMARY_MAX - 1 bytes for
 *           any number of nodes, all of them of [A-Za-z0-9+/=._:;,@%-] and the
 *           blank. A value that is unknown or does not apply is "-". Readers
 *           ignore unknown keys.
 *
 *   not=WORD[,WORD]    what the job did not get, if anything: "started"
 *                      (a node refused it), "profile" (not applied), "cores"
 *                      (its io-cores were of no use), "gate" (tasks could run
 *                      on the client's CPUs), on any of its nodes
 *   rd=BYTES/CALLS     read, summed over nodes: 1.21TiB/3.4M (three digits)
 *   wr=BYTES/CALLS     written
 *   of=all_files       only if rd and wr are not those of fs=, but of all
 *                      files, pipes and sockets: more than what went to fs=
 *   nodes=3/4          nodes that reported / nodes of the job
 *   cores=N            io-cores on every node; "mixed" if they differ
 *   cpus=LIST          their OS CPUs; "mixed", or "many" for a long list
 *   prof=NAME          the profile; "mixed"
 *   fs=M:T[,M:T][,+N]  mount point and type of the client's filesystems, N
 *                      more; bytes that a token cannot have as %XX
 *   scope=job          rd and wr are of the job only; "node": node-wide, other
 *                      jobs and the system included
 *   src=NAME[,NAME]    source of rd and wr (bpf, exit, stepd)
 *   q=FLAG[,FLAG]      quality flags of any record (record.h)
 *  only if they apply:
 *   io=SHARE/TIME      time in I/O: as a share of the lifetime of the job's processes,
 *                      and in seconds of all of them: 16.9%/52100s
 *   err=NAME:N[,..]    failed calls of the job by errno: EDQUOT:3,ENOSPC:12 (io.h; not
 *                      ENOENT), "+N" for more names
 *   wire=RD/WR         bytes that the client moved, always node-wide
 *   meta=N             metadata operations of the job
 *   rsz= wsz=P50/P99   size of reads and writes: half of them, 99 % of them are
 *                      no larger (upper end of a power of two)
 *   rlat= wlat=P50/P99 their latency: 64us/1.05ms
 *   peak=RD/WR         the most that one node read and wrote in one second, on
 *                      one filesystem
 *   shape=WORD         shape of reads and writes over the time of the job
 *                      (timeline.h): steady, bursts:3 (their number), tail, head
 *   imb=1.52@NODE      the busiest node moved 1.52 times the mean
 *   slow=4.1s@NODE     the node with the most time of its processes in read and
 *                      write calls, and that time: of several nodes, if latency
 *                      is counted
 *   chg=2/2            settings restored / changed for the job
 *   find=1/0           findings that are errors / warnings
 *   refused=N          nodes that refused the job's request
 *   gate=warn:3        tasks that could run on the client's CPUs, and ran;
 *                      refuse:2 were not started; "warn:3,refuse:2"
 *   far=N              nodes where no task could run near the NIC of a client
 *   miss=A,B[,+N]      nodes that did not report
 *
 * As one regular expression: ^jobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+$
 *
 * Owner   nothing to free.
 * Errors  summary_encode(): -1.
 *
 * As one regular expression: ^jobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+$
 *
 * Owner   nothing to free.
 * Errors  none.
 * Runs    ledger. report/summary.py reads it.
 */
#ifndef JOBIO_RECORD_SUMMARY_H
#define JOBIO_RECORD_SUMMARY_H

#include "record/run.h"

#define SUMMARY_MAX 1001 /* with the final 0 */

/* Write the line into out[SUMMARY_MAX]. */
void summary_text(const struct run *run, char *out);

#endif
