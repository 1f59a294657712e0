/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - the subcommands of jobio(1), each in a file of its name
 *
 * Errors  the exit status of jobio, see command.h; what was wrong is said.
 * Runs    jobio.c calls one of them.
 */
#ifndef JOBIO_REPORT_COMMANDS_H
#define JOBIO_REPORT_COMMANDS_H

int report_main(int argc, char *argv[]);

#endif
