/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodelay.h - avoid delays of TCP in libslurm's requests to slurmdbd
 *
 * libslurm and slurmdbd write each message in two parts, its length and its
 * body (slurm_persist_conn.c:slurm_persist_send_msg, 22.05 .. 23.11), with
 * Nagle's algorithm on: the body is not sent until the length has been
 * acknowledged, which the peer's kernel delays by 40 ms. In both directions that
 * is 80 ms for each job: 12 jobs a second on any hardware.
 *
 * A program that links nodelay.c has its own poll(2), which libslurm's calls
 * resolve to before libc's. If libslurm polls for writing, it sets TCP_NODELAY on
 * the socket; if it polls for reading, TCP_QUICKACK, which is valid for the next
 * acknowledgement only. Sockets that are not TCP are not affected.
 *
 * Runs    ledger: on in the writer process, off (the default) in the server.
 */
#ifndef JOBIO_LEDGER_NODELAY_H
#define JOBIO_LEDGER_NODELAY_H

#include <stdbool.h>

void nodelay_set(bool on);

#endif
