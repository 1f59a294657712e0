/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutants.h - which of the changes that are compiled in is the one that runs
 *
 * tests/tools/mutants has every file begin with this one, and each function begin
 * with mutant_is_in(): is the change one of its own? The number is read once, as a
 * program starts, from /run/mutants/id: an environment may be cleared. Where that
 * file is empty nothing is changed, and each function that runs leaves a byte in
 * /run/mutants/ran, whoever runs it and however it ends.
 *
 * No header of the system is included, as a file may yet say which it wants, and no
 * function of libc is called, as a test may have one of its own in the place of it. */
#ifndef JOBIO_TESTS_TOOLS_MUTANTS_H
#define JOBIO_TESTS_TOOLS_MUTANTS_H

#define MUTANTS_MOST 65536

__attribute__((weak)) int mutant_number;
__attribute__((weak)) int mutant_is_read;
__attribute__((weak)) volatile unsigned char *mutant_ran;

static inline long mutant_call(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* of x86_64: read 0, open 2, close 3, mmap 9 */
__attribute__((weak, constructor(101), noinline)) void mutant_read(void)
{
	long fd, got, i;
	char text[16];

	if (mutant_is_read)
		return;
	mutant_is_read = 1;
	fd = mutant_call(2, (long)"/run/mutants/id", 0, 0, 0, 0);
	if (fd < 0)
		return;
	got = mutant_call(0, fd, (long)text, sizeof(text), 0, 0);
	mutant_call(3, fd, 0, 0, 0, 0);
	for (i = 0; i < got && text[i] >= '0' && text[i] <= '9'; i++)
		mutant_number = mutant_number * 10 + text[i] - '0';
	if (got != 0)
		return;
	fd = mutant_call(2, (long)"/run/mutants/ran", 2, 0, 0, 0);
	if (fd < 0)
		return;
	got = mutant_call(9, 0, MUTANTS_MOST, 3, 1, fd);
	mutant_call(3, fd, 0, 0, 0, 0);
	if (got > 0)
		mutant_ran = (volatile unsigned char *)got;
}

static inline int mutant_is_in(int first, int end)
{
	if (__builtin_expect(mutant_ran != 0, 0))
		mutant_ran[first] = 1;
	return mutant_number >= first && mutant_number < end;
}

#endif
