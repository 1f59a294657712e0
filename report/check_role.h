/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_role.h - what this host is: login, node, ctld, ledger
 *
 * Terms   found: node where slurmd runs or slurm.conf has a node line for the
 *           host; ctld where slurmctld runs, or for a SlurmctldHost; ledger
 *           where jobio-ledgerd runs; login where none of these is.
 * Errors  -1, sentence in *err: a word that is no role.
 * Runs    jobio check.
 */
#ifndef JOBIO_REPORT_CHECK_ROLE_H
#define JOBIO_REPORT_CHECK_ROLE_H

#include "lib/err.h"
#include "report/doctor_view.h"

#define CHECK_ROLES_MAX 32

/* "node,ledger" */
int check_role_parse(const char *list, unsigned int *roles, struct err *err);
/* Needs doctor->slurm, which may be NULL. */
unsigned int check_role_find(const struct doctor *doctor);

/* The index-th role's name of 'roles'; NULL: there are no more. */
const char *check_role_name(unsigned int roles, unsigned int index);

#endif
