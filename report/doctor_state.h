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
enum doctor_vendor doctor_vendor(const struct doctor *doctor);

enum doctor_state doctor_clock(const struct doctor *doctor);
enum doctor_state doctor_idle(const struct doctor *doctor);
enum doctor_state doctor_balancing(const struct doctor *doctor);
enum doctor_state doctor_iommu(const struct doctor *doctor);

/* A finding for each that is bad, and for those that no kernel parameter sets. */
void doctor_say_state(const struct doctor *doctor);

#endif
