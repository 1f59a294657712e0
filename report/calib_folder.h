/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_folder.h - the folder of one calibration, on the filesystem it measures
 *
 * Terms   folder: DIR/jobio-calibrate.XXXXXX; nobody else may look into it. What
 *           is in it: the files that fio reads and writes, N.plan, what N's
 *           job writes (N.RUN.json, N.out).
 *         All that touches it is done by a child with a deadline: the
 *           filesystem may hang.
 * Owner   plain values.
 * Errors  -1 and a sentence with the path.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_FOLDER_H
#define JOBIO_REPORT_CALIB_FOLDER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define CALIB_PATH 3072
#define CALIB_FOLDER "jobio-calibrate."
#define CALIB_PATIENCE_MS 20000U

struct calib_folder {
	char path[CALIB_PATH];	  /* "": there is none */
	int others;		  /* like it, in the same place */
	unsigned int patience_ms; /* with one that is not there for a moment */
};

/* Make it in 'dir', where so much must be free. */
int calib_folder_make(struct calib_folder *folder, const char *dir, uint64_t space_bytes,
		      struct err *err);

/* With all that is in it; without one nothing is done. */
int calib_folder_remove(struct calib_folder *folder, struct err *err);

int calib_folder_put(const struct calib_folder *folder, const char *name, const char *text,
		     struct err *err);

/* Call 'take' for each file of the name N.*; its texts are good for the call. */
int calib_folder_read(const struct calib_folder *folder, size_t number,
		      void (*take)(void *arg, const char *name, const char *text), void *arg,
		      struct err *err);

#endif
