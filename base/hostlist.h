/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hostlist.h - match a node name against a host list of Slurm
 *
 * Terms   list: names with commas or blanks between them, "n[01-04],m7,r[1-2]c[1-8]".
 *           A number has at least as many digits as the lower end of its range:
 *           "n[1-10]" does not match n01, "n[08-11]" matches n08 and n11. Text
 *           after the last bracket is part of the names ("n[1-2]-ib"), as in Slurm
 *           since 23.11 (src/common/hostlist.c:_hostlist_create_bracketed()).
 *         refused: a bracket that is not of numbers and ascending ranges, a range of
 *           more than 65536 names, as Slurm refuses them; and characters that no
 *           node's name has, such as '*', which Slurm accepts.
 * Owner   nothing.
 * Errors  as below.
 * Runs    everywhere, also in the plugin: libc only. Expands nothing.
 */
#ifndef JOBIO_BASE_HOSTLIST_H
#define JOBIO_BASE_HOSTLIST_H

/* Return 1 if the list contains the name, 0 if not, -1 if the list is refused. */
int hostlist_match(const char *list, const char *name);

#endif
