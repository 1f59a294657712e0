/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/samples.h"

#include <math.h>

/* Welford's way: no difference of large numbers. */
void samples_add(struct samples *s, double value)
{
	double before = value - s->mean;

	s->count++;
	s->mean += before / (double)s->count;
	s->squares += before * (value - s->mean);
}

double samples_spread(const struct samples *s)
{
	return s->count < 2 ? -1 : sqrt(s->squares / (double)(s->count - 1));
}

/* Student's t for 95 %, both sides. */
static double critical(double freedom)
{
	static const double table[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201,	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080,	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};
	size_t rows = sizeof(table) / sizeof(table[0]);

	if (freedom < 1)
		return table[0];
	return freedom > (double)rows ? 1.96 + 2.5 / freedom : table[(size_t)freedom - 1];
}

int samples_differ(const struct samples *a, const struct samples *b)
{
	double va, vb, all, freedom;

	if (a->count < 2 || b->count < 2)
		return -1;
	va = a->squares / (double)(a->count - 1) / (double)a->count;
	vb = b->squares / (double)(b->count - 1) / (double)b->count;
	all = va + vb;
	if (all <= 0)
		return a->mean != b->mean;
	freedom = all * all / (va * va / (double)(a->count - 1) + vb * vb / (double)(b->count - 1));
	return fabs(a->mean - b->mean) / sqrt(all) > critical(freedom);
}
