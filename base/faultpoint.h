/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faultpoint.h - points where a test may kill the process
 *
 * Terms   A fault point precedes and follows every write and command that
 *           changes something outside the process. In installed programs it
 *           compiles to nothing; the test builds of the same sources
 *           (-DJOBIO_FAULTPOINTS) count the points and, at number
 *           $JOBIO_FAULT_AT, end the process and its parent helper by
 *           SIGKILL. $JOBIO_FAULT_LOG is a file that gets one line a point.
 *         FAULT_HANG waits until the process is ended, in the test builds and
 *           while $JOBIO_FAULT_HANG is its name.
 *         FAULT_CLOCK is the error of the clock, $JOBIO_FAULT_CLOCK seconds, in
 *           the test builds.
 * Owner   nothing.
 * Errors  none.
 * Runs    prolog and epilog helpers of the tests.
 */
#ifndef JOBIO_BASE_FAULTPOINT_H
#define JOBIO_BASE_FAULTPOINT_H

#ifdef JOBIO_FAULTPOINTS
void fault_point(const char *name);
void fault_hang(const char *name);
#define FAULT_POINT(name) fault_point(name)
double fault_clock(void);
#define FAULT_HANG(name) fault_hang(name)
#define FAULT_CLOCK() fault_clock()
#else
#define FAULT_POINT(name) ((void)0)
#define FAULT_HANG(name) ((void)0)
#define FAULT_CLOCK() 0
#endif

#endif
