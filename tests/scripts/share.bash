# SPDX-License-Identifier: GPL-2.0-or-later
# share.bash - how much of a long test is run: a part, or with JOBIO_SHARE=1 and
# JOBIO_CRASH_EVERY=1 all

# rounds N - how many of so many tries at random, or of so large a size: one in JOBIO_SHARE
rounds() { echo $((($1 - 1) / ${JOBIO_SHARE:-10} + 1)); }

# steps COUNT - those at which to kill: each JOBIO_CRASH_EVERY-th from JOBIO_CRASH_FIRST on
steps() { seq "${JOBIO_CRASH_FIRST:-1}" "${JOBIO_CRASH_EVERY:-8}" "$1"; }

# seeds N - of so many schedules at random
seeds() { seq "${JOBIO_CRASH_FIRST:-1}" $((${JOBIO_CRASH_FIRST:-1} + $(rounds "$1") - 1)); }
