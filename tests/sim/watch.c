/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch - which paths a program goes to, and how many processes it makes
 *
 * A library for LD_PRELOAD: each call below is a line of $WATCH_LOG, its name
 * and its path ("open /proc/self/mounts", "fork"). What libc itself opens on the
 * way (glob(3), getifaddrs(3)) is not seen.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char *what, const char *path)
{
	const char *log = getenv("WATCH_LOG");
	char line[1100];
	int length, fd;

	length = snprintf(line, sizeof(line), "%s %.1024s\n", what, path ? path : "");
	fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)
		 : -1;
	if (fd < 0)
		return;
	syscall(SYS_write, fd, line, (size_t)length);
	syscall(SYS_close, fd);
}

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
		return REAL(name)(at, path, flags, mode);                                          \
	}

/* name, what is noted, how it is declared, how it is called, its path */
#define WATCH(type, name, word, arguments, call, path)                                             \
	type name arguments;                                                                       \
	type name arguments                                                                        \
	{                                                                                          \
		note(word, path);                                                                  \
		return REAL(name) call;                                                            \
	}

/* clang-format off */
WATCH_OPEN(open)
WATCH_OPEN(open64)
WATCH_OPENAT(openat)
WATCH_OPENAT(openat64)
WATCH(int, __open_2, "open", (const char *p, int f), (p, f), p)
WATCH(int, __open64_2, "open", (const char *p, int f), (p, f), p)
WATCH(int, __openat_2, "open", (int d, const char *p, int f), (d, p, f), p)
WATCH(FILE *, fopen, "open", (const char *p, const char *m), (p, m), p)
WATCH(FILE *, fopen64, "open", (const char *p, const char *m), (p, m), p)
WATCH(DIR *, opendir, "open", (const char *p), (p), p)
WATCH(int, access, "access", (const char *p, int m), (p, m), p)
WATCH(ssize_t, readlink, "readlink", (const char *p, char *t, size_t n),
      (p, t, n), p)
WATCH(int, statfs, "statfs", (const char *p, struct statfs *s), (p, s), p)
WATCH(int, chdir, "chdir", (const char *p), (p), p)
WATCH(int, mount, "mount",
      (const char *s, const char *p, const char *t, unsigned long f,
       const void *o), (s, p, t, f, o), p)
WATCH(int, umount2, "umount", (const char *p, int f), (p, f), p)
/* both families of stat(2): symbols of their own only since glibc 2.33 */
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
WATCH(pid_t, fork, "fork", (void), (), NULL)
/* clang-format on */
