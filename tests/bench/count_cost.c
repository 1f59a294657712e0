/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_cost - what a call costs, in nanoseconds of the clock
 *
 *   count_cost [--tracepoints | --ptrace] FILE
 *
 * Prints two numbers: getppid(2), and pread(2) of 64 bytes of FILE. Where the
 * clock advances one nanosecond with each instruction (QEMU's -icount shift=0),
 * these are instructions. --tracepoints: with empty BPF programs on entry and
 * exit of all system calls; --ptrace: under a tracer that counts them, which is
 * what strace -c does. The least of eight rounds counts: interrupts come and go.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8
#define BYTES 64

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

static long measure(void (*call)(int fd), int fd, int calls)
{
	long best = -1, start, each;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		for (i = 0; i < calls; i++)
			call(fd);
		each = (now_ns() - start) / calls;
		if (best < 0 || each < best)
			best = each;
	}
	return best;
}

static void report(const char *path, int calls)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail(path);
	printf("%ld %ld\n", measure(call_getppid, fd, calls),
	       measure(call_pread, fd, calls));
	fflush(stdout);
}

/* "return 0", on a raw tracepoint; stays until we end. */
static void attach(const char *tracepoint)
{
	static const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (unsigned long)program;
	attr.insn_cnt = 2;
	attr.license = (unsigned long)"GPL";
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		fail("BPF_PROG_LOAD");
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (unsigned long)tracepoint;
	attr.raw_tracepoint.prog_fd = (unsigned int)fd;
	if (syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr)) < 0)
		fail(tracepoint);
}

/* Stop the child at both ends of every call, and look which one it is. */
static void trace(pid_t child)
{
	unsigned long counts[512] = { 0 };
	struct __ptrace_syscall_info info;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info),
			   &info) > 0 &&
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
		attach("sys_enter");
		attach("sys_exit");
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
			"usage: count_cost [--tracepoints|--ptrace] FILE\n");
		return 64;
	}
	report(argv[argc - 1], calls);
	return 0;
}
