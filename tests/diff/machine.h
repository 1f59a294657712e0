/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - made-up machines for the differential test
 *
 * Terms   a machine is drawn from a seed: the same seed gives the same
 *           machine on every host.
 * Owner   machine_draw() writes an hwloc XML file; the caller removes it.
 * Errors  -1, sentence in *err.
 */
#ifndef JOBIO_TESTS_DIFF_MACHINE_H
#define JOBIO_TESTS_DIFF_MACHINE_H

#include <stdint.h>

#include "base/err.h"

#define MACHINE_TEXT_MAX 256

struct machine {
	char text[MACHINE_TEXT_MAX];   /* description for the report */
	const char *slurmd_parameters; /* socket kind; "" for packages */
};

struct dice {
	uint64_t state;
};

void dice_seed(struct dice *dice, uint64_t seed);
/* 0 .. sides - 1 */
unsigned int dice_roll(struct dice *dice, unsigned int sides);

/* A machine that no vendor builds: levels in any order or missing, memory nodes beside
 * the cores or alone, unequal sockets, OS numbers with gaps. */
int machine_draw_odd(struct machine *machine, struct dice *dice, const char *xml, struct err *err);

int machine_draw(struct machine *machine, struct dice *dice, const char *xml, struct err *err);

#endif
