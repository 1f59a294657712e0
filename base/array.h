/* SPDX-License-Identifier: GPL-2.0-or-later */
/* array.h - number of elements of an array */
#ifndef JOBIO_BASE_ARRAY_H
#define JOBIO_BASE_ARRAY_H

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
