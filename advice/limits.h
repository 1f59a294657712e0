/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - thresholds of rules that depend on programs, not on the site
 *
 * Terms   jobio-advice(7) has the source of each. Those that a site can measure are keys
 *           of [advice] in jobio.conf(5).
 * Owner   -
 * Errors  none.
 * Runs    advice, report.
 */
#ifndef JOBIO_ADVICE_LIMITS_H
#define JOBIO_ADVICE_LIMITS_H

/* Drishti (config.py) reports from 10 % of operations on */
#define LIMIT_BUSY_PERCENT 10U
/* Ten times the 1,000 operations from which Drishti reports */
#define LIMIT_MANY_OPS 10000U
/* Of the processes' lifetime: the least share worth a change */
#define LIMIT_SIGNIFICANT_PERCENT 5U
/* Seconds of I/O of all processes: LIMIT_SIGNIFICANT_PERCENT of the default of min_seconds */
#define LIMIT_WAITED_S 3U
/* Fewer operations do not show what a job does */
#define LIMIT_SOME_OPS 100U
#define LIMIT_MORE_OPS 1000U /* if the client measures their time */
/* WEKA's guide on forcedirect: small (calls without a page cache, and files) and large */
#define LIMIT_SMALL_KIB 64U
#define LIMIT_LARGE_KIB 1024U
/* WEKA's sizing guide: 30 % of headroom; a resource counts as full from 80 % on */
#define LIMIT_HEADROOM_PERCENT 30U
#define LIMIT_FULL_PERCENT 80U
/* Drishti: 30 % more bytes than the others; the remaining 10 % on all other nodes are few */
#define LIMIT_IMBALANCE_PERCENT 30U
#define LIMIT_ONE_NODE_PERCENT 90U
/* Lustre routers on the other socket: 28 % of the speed on the NIC's socket */
#define LIMIT_SLOW_PERCENT 40U
/* as finding NF08 */
#define LIMIT_RESENT_PERCENT 1U
/* A client takes up to 240 s to start and stop, which should be a small part */
#define LIMIT_IDLE_S 600U
/* as the word tail of the summary, jobio-ledgerd(8) */
#define LIMIT_TAIL_PERCENT 75U

#endif
