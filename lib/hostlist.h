/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.h - is a node named by a list of hosts, as Slurm writes them?
 *
 * Terms   list: names with commas or blanks between them, "n[01-04],m7,r[1-2]c[1-8]".
 *           A number has as many digits as the lower end of its range at least:
 *           "n[1-10]" does not name n01, "n[08-11]" names n08 and n11. What stands
 *           behind the last bracket is part of the names ("n[1-2]-ib"), as in Slurm
 *           since 23.11 (src/common/hostlist.c:_hostlist_create_bracketed()).
 *         refused: a bracket that is not of numbers and rising ranges, a range of
 *           more than 65536 names, as Slurm refuses them; and characters that no
 *           node's name has, such as '*', which Slurm takes as they are.
 * Owner   nothing.
 * Errors  as below.
 * Runs    everywhere, also in the plugin: libc only. Expands nothing.
 */
#ifndef JOBIO_HOSTLIST_H
#define JOBIO_HOSTLIST_H

/* 1: it is; 0: it is not; -1: the list is refused. */
int hostlist_match(const char *list, const char *name);

#endif
