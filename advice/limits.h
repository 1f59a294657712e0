/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.h - thresholds of rules that are of programs, and not of a site
 *
 * Terms   jobio-advice(7) says what each stands on. What a site can measure is a
 *           key of [advice] in jobio.conf(5).
 * Owner   -
 * Errors  none.
 * Runs    advice, report.
 */
#ifndef JOBIO_ADVICE_LIMITS_H
#define JOBIO_ADVICE_LIMITS_H

/* Drishti (config.py): 10 % of operations are worth a line */
#define LIMIT_BUSY_PERCENT 10U
/* ten times the 1,000 below which Drishti says nothing */
#define LIMIT_MANY_OPS 10000U
/* Of the processes' life: what is worth a change */
#define LIMIT_WORTH_PERCENT 5U
/* Seconds of all processes: so much of min_seconds is worth a change */
#define LIMIT_WAITED_S 3U
/* Fewer operations say nothing of what a job does */
#define LIMIT_SOME_OPS 100U
#define LIMIT_MORE_OPS 1000U /* where the client tells their time */
/* WEKA's guide on forcedirect: small without a page cache, and in files; large */
#define LIMIT_SMALL_KIB 64U
#define LIMIT_LARGE_KIB 1024U
/* WEKA's sizing guide: 30 % of headroom; and from where on something is full */
#define LIMIT_HEADROOM_PERCENT 30U
#define LIMIT_FULL_PERCENT 80U
/* Drishti: 30 % more bytes than the others; the 10 % of all others are few */
#define LIMIT_IMBALANCE_PERCENT 30U
#define LIMIT_ONE_NODE_PERCENT 90U
/* Lustre routers across sockets: 28 % of the speed beside the card */
#define LIMIT_SLOW_PERCENT 40U
/* finding NF08 */
#define LIMIT_RESENT_PERCENT 1U
/* what a client takes to start and stop, up to 240 s, should be little of it */
#define LIMIT_IDLE_S 600U
/* the summary's word tail, jobio-ledgerd(8) */
#define LIMIT_TAIL_PERCENT 75U

#endif
