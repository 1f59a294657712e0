/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodelay.h - let libslurm's questions to slurmdbd not wait for TCP
 *
 * libslurm and slurmdbd write each message in two parts, its length and its
 * body (slurm_persist_conn.c:slurm_persist_send_msg, 22.05 .. 23.11), and leave
 * Nagle's algorithm on: the body stays until the length has been acknowledged,
 * and the other side's kernel puts that off for 40 ms. Both ways, that is 80 ms
 * for each job: 12 jobs a second, whatever the machines are.
 *
 * The program that has nodelay.c linked in has a poll(2) of its own, which
 * libslurm's calls find before libc's. Asked by libslurm whether it may write,
 * it sets TCP_NODELAY on the socket; asked whether an answer is there, it sets
 * TCP_QUICKACK, which lasts for this answer's acknowledgement only. Sockets that
 * are not TCP's are not changed by that.
 *
 * Runs    ledger: on in the writer process, off (the default) in the server.
 */
#ifndef JOBIO_LEDGER_NODELAY_H
#define JOBIO_LEDGER_NODELAY_H

#include <stdbool.h>

void nodelay_set(bool on);

#endif
