/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - what texts of the kernel need before they can be read
 *
 * Owner   the caller; texts are changed in place and only become shorter.
 * Errors  none.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_TEXT_H
#define JOBIO_TEXT_H

/* "\040" becomes " ": fields of mount tables, as fs/proc_namespace.c:mangle()
 * writes them and getmntent(3) reads them. Other backslashes stay. */
void text_unescape_octal(char *text);

#endif
