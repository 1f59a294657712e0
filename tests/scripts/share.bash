# SPDX-License-Identifier: GPL-2.0-or-later
# share.bash - which part of a long test is run; JOBIO_SHARE=1 and JOBIO_CRASH_EVERY=1 run
# all

# rounds N - number of random tries, or size, out of N: one in JOBIO_SHARE
rounds() { echo $((($1 - 1) / ${JOBIO_SHARE:-10} + 1)); }

# steps COUNT - the steps to kill at: each JOBIO_CRASH_EVERY-th from JOBIO_CRASH_FIRST on
steps() { seq "${JOBIO_CRASH_FIRST:-1}" "${JOBIO_CRASH_EVERY:-8}" "$1"; }

# seeds N - seeds of random schedules, out of N
seeds() { seq "${JOBIO_CRASH_FIRST:-1}" $((${JOBIO_CRASH_FIRST:-1} + $(rounds "$1") - 1)); }
