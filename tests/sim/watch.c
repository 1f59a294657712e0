/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch - log the paths that a program uses and the processes that it starts; or make a
 * call fail
 *
 * A library for LD_PRELOAD: each call below is a line of $WATCH_LOG, its name
 * and its path ("open /proc/self/mounts", "fork"). Files that libc itself opens
 * (glob(3), getifaddrs(3)) are not logged.
 *
 * With $WATCH_FAIL "N ERRNO" the N-th call other than fork(2) fails with ERRNO, with
 * "N ERRNO all" each call from the N-th on. read(2) is then counted as well. A child process
 * continues the count. Each process writes its count to a line of $WATCH_COUNT.
 *
 * With $WATCH_HOLD "N PATH" the child of the N-th fork(2) waits until PATH exists, when it
 * calls prctl(2) or uses RUN/command.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *late; /* a child of the fork that has to wait */

/* While it waits, PATH.at has its pid and that of its parent. */
static void hold(void)
{
	char text[64], at[512];
	int fd, length;

	if (!late)
		return;
	length = snprintf(text, sizeof(text), "%d %d\n", getpid(), getppid());
	snprintf(at, sizeof(at), "%s.at", late);
	fd = (int)syscall(SYS_openat, AT_FDCWD, at, O_WRONLY | O_CREAT, 0644);
	syscall(SYS_write, fd, text, (size_t)length);
	syscall(SYS_close, fd);
	while (syscall(SYS_faccessat, AT_FDCWD, late, F_OK) < 0)
		usleep(10000);
	late = NULL;
}

static void note(const char *what, const char *path)
{
	const char *log = getenv("WATCH_LOG");
	char line[1100];
	int length, fd;

	if (late && path && strstr(path, "/run/command"))
		hold();
	length = snprintf(line, sizeof(line), "%s %.1024s\n", what, path ? path : "");
	fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
		 : -1;
	if (fd < 0)
		return;
	syscall(SYS_write, fd, line, (size_t)length);
	syscall(SYS_close, fd);
}

static long calls;

static void tell_count(const char *path)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%ld\n", calls);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	syscall(SYS_write, fd, text, (size_t)length);
}

__attribute__((destructor)) static void at_end(void)
{
	if (getenv("WATCH_COUNT") && calls)
		tell_count(getenv("WATCH_COUNT"));
}

/* Calls of other programs, and of libraries that replace the kernel, do not fail. */
static bool fails_for(const void *caller)
{
	const char *order = getenv("WATCH_FAIL");
	Dl_info caller_in;
	int error, length = 0;
	long at;

	if (!order || !dladdr(caller, &caller_in) || !strstr(caller_in.dli_fname, "/bin/jobio-") ||
	    sscanf(order, "%ld %d%n", &at, &error, &length) != 2)
		return false;
	calls++;
	if (calls != at && !(calls > at && order[length]))
		return false;
	errno = error;
	return true;
}

#define fails() fails_for(__builtin_return_address(0))
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WATCH_OPEN(name)                                                                           \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
		va_start(more, flags);                                                             \
		mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                 \
		va_end(more);                                                                      \
		note("open", path);                                                                \
		if (fails())                                                                       \
			return -1;                                                                 \
		return REAL(name)(path, flags, mode);                                              \
	}

#define WATCH_OPENAT(name)                                                                         \
	int name(int at, const char *path, int flags, ...)                                         \
	{                                                                                          \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
		va_start(more, flags);                                                             \
		mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;                                 \
		va_end(more);                                                                      \
		note("open", path);                                                                \
		if (fails())                                                                       \
			return -1;                                                                 \
		return REAL(name)(at, path, flags, mode);                                          \
	}

/* its return value on failure, its name, its name in the log, how it is declared and
 * called, its path */
#define WATCH_OR(type, failed, name, word, arguments, call, path)                                  \
	type name arguments;                                                                       \
	type name arguments                                                                        \
	{                                                                                          \
		note(word, path);                                                                  \
		if (fails())                                                                       \
			return failed;                                                             \
		return REAL(name) call;                                                            \
	}
#define WATCH(type, name, word, arguments, call, path)                                             \
	WATCH_OR(type, -1, name, word, arguments, call, path)

/* read(2) is called often: it is counted only if a call is to fail. */
ssize_t read(int fd, void *data, size_t size)
{
	if (fails())
		return -1;
	return REAL(read)(fd, data, size);
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (fails())
		return -1;
	return REAL(sched_getaffinity)(pid, size, set);
}

pid_t fork(void)
{
	const char *order = getenv("WATCH_HOLD"), *blank = order ? strchr(order, ' ') : NULL;
	static long forks;
	pid_t pid;

	note("fork", NULL);
	forks++;
	pid = REAL(fork)();
	if (pid == 0 && blank && strtol(order, NULL, 10) == forks)
		late = blank + 1;
	return pid;
}

int prctl(int option, ...)
{
	va_list more;
	unsigned long argument;

	va_start(more, option);
	argument = va_arg(more, unsigned long);
	va_end(more);
	hold();
	return (int)syscall(SYS_prctl, option, argument, 0, 0, 0);
}

/* clang-format off */
WATCH_OPEN(open)
WATCH_OPEN(open64)
WATCH_OPENAT(openat)
WATCH_OPENAT(openat64)
WATCH(int, __open_2, "open", (const char *p, int f), (p, f), p)
WATCH(int, __open64_2, "open", (const char *p, int f), (p, f), p)
WATCH(int, __openat_2, "open", (int d, const char *p, int f), (d, p, f), p)
WATCH_OR(FILE *, NULL, fopen, "open", (const char *p, const char *m), (p, m), p)
WATCH_OR(FILE *, NULL, fopen64, "open", (const char *p, const char *m), (p, m), p)
WATCH_OR(DIR *, NULL, opendir, "open", (const char *p), (p), p)
WATCH(int, access, "access", (const char *p, int m), (p, m), p)
WATCH(ssize_t, readlink, "readlink", (const char *p, char *t, size_t n),
      (p, t, n), p)
WATCH(int, statfs, "statfs", (const char *p, struct statfs *s), (p, s), p)
WATCH(int, chdir, "chdir", (const char *p), (p), p)
WATCH(int, mount, "mount",
      (const char *s, const char *p, const char *t, unsigned long f,
       const void *o), (s, p, t, f, o), p)
WATCH(int, umount2, "umount", (const char *p, int f), (p, f), p)
/* both families of stat(2): they have symbols of their own since glibc 2.33 */
#if __GLIBC_PREREQ(2, 33)
WATCH(int, stat, "stat", (const char *p, struct stat *s), (p, s), p)
WATCH(int, lstat, "stat", (const char *p, struct stat *s), (p, s), p)
WATCH(int, fstatat, "stat", (int d, const char *p, struct stat *s, int f),
      (d, p, s, f), p)
#else
WATCH(int, __xstat, "stat", (int v, const char *p, struct stat *s), (v, p, s),
      p)
WATCH(int, __lxstat, "stat", (int v, const char *p, struct stat *s),
      (v, p, s), p)
WATCH(int, __fxstatat, "stat",
      (int v, int d, const char *p, struct stat *s, int f), (v, d, p, s, f), p)
#endif
/* clang-format on */
