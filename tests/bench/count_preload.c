/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count_preload - another way to count: a library between program and libc
 *
 * For comparison in tests/bench/count: calls, bytes and sizes of pread(2), at minimum
 * cost. It does not determine file and job, and does not work for statically linked
 * programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/types.h>

static _Atomic unsigned long calls, bytes, sizes[64];

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	static ssize_t (*next)(int, void *, size_t, off_t);
	ssize_t got;

	if (!next)
		next = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");
	got = next(fd, buffer, size, offset);
	if (got >= 0) {
		calls++;
		bytes += (unsigned long)got;
		sizes[got ? 63 - __builtin_clzl((unsigned long)got) : 0]++;
	}
	return got;
}
