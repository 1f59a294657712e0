/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_paths - what ways to the pages of a file cost that are no read(2)
 *
 *   count_paths FILE
 *
 * Prints four numbers, of nanoseconds of the clock (instructions, under QEMU's
 * -icount shift=0): the fault of an anonymous page; that of a cached page of FILE,
 * which is mapped; an io_uring request that does nothing; one that reads 64 bytes
 * of FILE. The least of eight rounds counts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8
#define CALLS 2000
#define PAGE 4096
#define BYTES 64

struct ring {
	int fd;
	unsigned int *sq_tail, *sq_mask, *cq_head, *cq_tail;
	struct io_uring_sqe *sqe;
};

static struct ring ring;
static volatile char *anonymous, *mapped;
static int file;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *map(size_t size, int prot, int flags, int fd, off_t offset)
{
	void *at = mmap(NULL, size, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

static void forget(volatile char *page)
{
	if (madvise((void *)page, PAGE, MADV_DONTNEED) < 0)
		fail("madvise");
}

static void fault_anonymous(void)
{
	forget(anonymous);
	*anonymous = 1;
}

static void fault_file(void)
{
	forget(mapped);
	(void)*mapped;
}

static void ring_make(void)
{
	struct io_uring_params p = { 0 };
	unsigned int *array;
	char *sq, *cq;

	ring.fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (ring.fd < 0)
		fail("io_uring_setup");
	sq = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		 IORING_OFF_SQ_RING);
	cq = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		 IORING_OFF_CQ_RING);
	ring.sqe = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		       IORING_OFF_SQES);
	ring.sq_tail = (unsigned int *)(sq + p.sq_off.tail);
	ring.sq_mask = (unsigned int *)(sq + p.sq_off.ring_mask);
	ring.cq_head = (unsigned int *)(cq + p.cq_off.head);
	ring.cq_tail = (unsigned int *)(cq + p.cq_off.tail);
	array = (unsigned int *)(sq + p.sq_off.array);
	for (unsigned int i = 0; i <= *ring.sq_mask; i++)
		array[i] = i;
}

static void submit(unsigned char opcode)
{
	static char buffer[BYTES];
	unsigned int tail = *ring.sq_tail;
	struct io_uring_sqe *sqe = &ring.sqe[tail & *ring.sq_mask];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->fd = opcode == IORING_OP_NOP ? -1 : file;
	if (opcode != IORING_OP_NOP) {
		sqe->addr = (uintptr_t)buffer;
		sqe->len = BYTES;
	}
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS,
		    NULL, 0) != 1)
		fail("io_uring_enter");
	if (*ring.cq_head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE)) {
		fprintf(stderr, "io_uring: no completion\n");
		exit(1);
	}
	__atomic_store_n(ring.cq_head, *ring.cq_head + 1, __ATOMIC_RELEASE);
}

static void uring_nop(void)
{
	submit(IORING_OP_NOP);
}

static void uring_read(void)
{
	submit(IORING_OP_READ);
}

static long measure(void (*call)(void))
{
	long best = -1, start, each;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < CALLS; i++)
			call();
		each = (now_ns() - start) / CALLS;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: count_paths FILE\n");
		return 64;
	}
	file = open(argv[1], O_RDONLY);
	if (file < 0)
		fail(argv[1]);
	anonymous = map(PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped = map(PAGE, PROT_READ, MAP_SHARED, file, 0);
	(void)*mapped;
	ring_make();
	printf("%ld", measure(fault_anonymous));
	printf(" %ld", measure(fault_file));
	printf(" %ld", measure(uring_nop));
	printf(" %ld\n", measure(uring_read));
	return 0;
}
