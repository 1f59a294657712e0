/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_cost - cost of calls
 *
 *   count_cost [--few | --tracepoints | --counting | --ptrace] FILE
 *
 * Prints nine numbers (count_least.h): getppid(2); lseek(2) in FILE; 64 bytes through a
 * pipe and through a pair of sockets, a write(2) and a read(2) each; pread(2) of 64 bytes of
 * FILE; open(2) and close(2); stat(2); fsync(2); flock(2), locked and unlocked.
 * --few: only a hundred calls, for a tracer that stops at each. --tracepoints: with empty
 * BPF programs on entry and exit of all system calls; --counting: the one on exit
 * adds to a counter, the minimum of counting; --ptrace: under a tracer that counts
 * calls, the minimum of strace -c.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/count_least.h"

#define BYTES 64

static void call_getppid(int fd)
{
	(void)fd;
	syscall(SYS_getppid);
}

static void call_pread(int fd)
{
	char buffer[BYTES];

	if (pread(fd, buffer, BYTES, 0) != BYTES)
		fail("pread");
}

static void call_lseek(int fd)
{
	if (lseek(fd, 0, SEEK_SET) != 0)
		fail("lseek");
}

static const char *path;

static void call_open(int fd)
{
	int other = open(path, O_RDONLY);

	(void)fd;
	if (other < 0)
		fail(path);
	close(other);
}

static void call_stat(int fd)
{
	struct stat st;

	(void)fd;
	if (stat(path, &st) < 0)
		fail(path);
}

static void call_fsync(int fd)
{
	if (fsync(fd) < 0)
		fail("fsync");
}

static void call_flock(int fd)
{
	if (flock(fd, LOCK_EX) < 0 || flock(fd, LOCK_UN) < 0)
		fail("flock");
}

static int pipe_ends[2], socket_ends[2];

static void through(const int ends[2])
{
	char buffer[BYTES] = { 0 };

	if (write(ends[1], buffer, BYTES) != BYTES || read(ends[0], buffer, BYTES) != BYTES)
		fail("pipe or socket");
}

static void call_pipe(int fd)
{
	(void)fd;
	through(pipe_ends);
}

static void call_socket(int fd)
{
	(void)fd;
	through(socket_ends);
}

static void report(int calls)
{
	void (*const call[])(int fd) = { call_getppid, call_lseek, call_pipe,
					 call_socket,  call_pread, call_open,
					 call_stat,    call_fsync, call_flock };
	int fd = open(path, O_RDONLY);
	size_t i;

	if (fd < 0 || pipe(pipe_ends) < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) < 0)
		fail(path);
	for (i = 0; i < sizeof(call) / sizeof(call[0]); i++)
		printf(" %ld", least(call[i], fd, calls));
	printf("\n");
	fflush(stdout);
}

static int bpf(int command, union bpf_attr *attr)
{
	int rc = (int)syscall(SYS_bpf, command, attr, sizeof(*attr));

	if (rc < 0)
		fail("bpf");
	return rc;
}

static int make_counter(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 8;
	attr.max_entries = 1;
	return bpf(BPF_MAP_CREATE, &attr);
}

/* Attach a program to a raw tracepoint; it stays until this process exits. */
static void attach(const char *tracepoint, const struct bpf_insn *program, unsigned int length)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (unsigned long)program;
	attr.insn_cnt = length;
	attr.license = (unsigned long)"GPL";
	fd = bpf(BPF_PROG_LOAD, &attr);
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (unsigned long)tracepoint;
	attr.raw_tracepoint.prog_fd = (unsigned int)fd;
	bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static const struct bpf_insn nothing[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
	{ .code = BPF_JMP | BPF_EXIT },
};

static void attach_counting(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = 10, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = 1,
		  .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = make_counter() },
		{ .code = 0 }, /* second half of the instruction */
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW,
		  .src_reg = 1,
		  .imm = BPF_ADD },			 /* *r0 += 1 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};

	attach("sys_exit", program, sizeof(program) / sizeof(*program));
}

/* Stop the child at both ends of every call, and read its number. */
static void trace(pid_t child)
{
	unsigned long counts[512] = { 0 };
	struct __ptrace_syscall_info info;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) > 0 &&
		    info.op == PTRACE_SYSCALL_INFO_ENTRY)
			counts[info.entry.nr & 511]++;
		if (ptrace(PTRACE_SYSCALL, child, 0, 0) < 0)
			fail("ptrace");
	}
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int argc, char **argv)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	int calls = 2000;
	pid_t child;

	if (argc == 3 && !strcmp(argv[1], "--tracepoints")) {
		setrlimit(RLIMIT_MEMLOCK, &all);
		attach("sys_enter", nothing, 2);
		attach("sys_exit", nothing, 2);
	} else if (argc == 3 && !strcmp(argv[1], "--counting")) {
		setrlimit(RLIMIT_MEMLOCK, &all);
		attach("sys_enter", nothing, 2);
		attach_counting();
	} else if (argc == 3 && !strcmp(argv[1], "--few")) {
		calls = 100;
	} else if (argc == 3 && !strcmp(argv[1], "--ptrace")) {
		calls = 100;
		child = fork();
		if (child)
			trace(child);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			fail("PTRACE_TRACEME");
		raise(SIGSTOP);
	} else if (argc != 2) {
		fprintf(stderr,
			"usage: count_cost [--few|--tracepoints|--counting|--ptrace] FILE\n");
		return 64;
	}
	path = argv[argc - 1];
	report(calls);
	return 0;
}
