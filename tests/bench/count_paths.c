/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_paths - cost of access to a file without read(2)
 *
 *   count_paths FILE
 *
 * Prints four numbers (count_least.h): the fault of an anonymous page; that of a
 * cached page of FILE, which is mapped; an io_uring request without data; an io_uring
 * request that reads 64 bytes of FILE.
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
#include <unistd.h>

#include "tests/bench/count_least.h"

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

static void fault_anonymous(int fd)
{
	(void)fd;
	forget(anonymous);
	*anonymous = 1;
}

static void fault_file(int fd)
{
	(void)fd;
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
	sq = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	cq = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
	ring.sqe = map(PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_SQES);
	ring.sq_tail = (unsigned int *)(sq + p.sq_off.tail);
	ring.sq_mask = (unsigned int *)(sq + p.sq_off.ring_mask);
	ring.cq_head = (unsigned int *)(cq + p.cq_off.head);
	ring.cq_tail = (unsigned int *)(cq + p.cq_off.tail);
	array = (unsigned int *)(sq + p.sq_off.array);
	for (unsigned int i = 0; i <= *ring.sq_mask; i++)
		array[i] = i;
}

static void submit(unsigned char opcode, int fd)
{
	static char buffer[BYTES];
	unsigned int tail = *ring.sq_tail;
	struct io_uring_sqe *sqe = &ring.sqe[tail & *ring.sq_mask];

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = opcode;
	sqe->fd = fd;
	if (opcode != IORING_OP_NOP) {
		sqe->addr = (uintptr_t)buffer;
		sqe->len = BYTES;
	}
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		fail("io_uring_enter");
	if (*ring.cq_head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE)) {
		fprintf(stderr, "io_uring: no completion\n");
		exit(1);
	}
	__atomic_store_n(ring.cq_head, *ring.cq_head + 1, __ATOMIC_RELEASE);
}

static void uring_nop(int fd)
{
	(void)fd;
	submit(IORING_OP_NOP, -1);
}

static void uring_read(int fd)
{
	submit(IORING_OP_READ, fd);
}

int main(int argc, char **argv)
{
	int file;

	if (argc != 2) {
		fprintf(stderr, "usage: count_paths FILE\n");
		return 64;
	}
	file = open(argv[1], O_RDONLY);
	if (file < 0)
		fail(argv[1]);
	anonymous = map(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mapped = map(PAGE, PROT_READ, MAP_SHARED, file, 0);
	(void)*mapped;
	ring_make();
	printf("%ld", least(fault_anonymous, file, CALLS));
	printf(" %ld", least(fault_file, file, CALLS));
	printf(" %ld", least(uring_nop, file, CALLS));
	printf(" %ld\n", least(uring_read, file, CALLS));
	return 0;
}
