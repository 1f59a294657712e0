/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doctor_state.h - what the kernel does now to cores that poll, whoever told it to
 *
 * Terms   state: what files of the kernel say; unknown where they are missing, as
 *           in copied files of a node: the command line is all there is then.
 * Errors  none.
 * Runs    jobio check; adds findings, see doctor_view.h. Flow control and what a
 *           switch does are not in files, and not looked at.
 */
#ifndef JOBIO_REPORT_DOCTOR_STATE_H
#define JOBIO_REPORT_DOCTOR_STATE_H

#include "report/doctor_view.h"

enum doctor_state {
	STATE_UNKNOWN,
	STATE_GOOD,
	STATE_BAD
};

enum doctor_vendor {
	VENDOR_INTEL,
	VENDOR_AMD,
	VENDOR_ARM,
	VENDOR_OTHER
};

/* What the files say; each is read once. */
struct doctor_now {
	enum doctor_vendor vendor;
	char clock[64];	     /* "": unknown */
	long numa_balancing; /* -1: unknown */
	bool has_no_graphics;
	struct doctor_sleep {
		bool is_known;
		struct cpuset cpus; /* of the client, that may sleep deeply */
		long us;	    /* the longest to wake up, in this state */
		char name[32];
	} sleep;
	size_t iommu_groups, iommu_translated;
};

void doctor_read_state(const struct doctor *doctor, struct doctor_now *now);

enum doctor_state doctor_clock(const struct doctor_now *now);
enum doctor_state doctor_idle(const struct doctor_now *now);
enum doctor_state doctor_graphics(const struct doctor_now *now);
enum doctor_state doctor_balancing(const struct doctor_now *now);
enum doctor_state doctor_iommu(const struct doctor_now *now);

/* A finding for each that is bad, and for those that no kernel parameter sets. */
void doctor_say_state(const struct doctor *doctor, const struct doctor_now *now);

#endif
