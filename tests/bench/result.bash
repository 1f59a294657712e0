# SPDX-License-Identifier: GPL-2.0-or-later
# result.bash - add a line to the table that tests/bench/all makes of all benches
# shellcheck shell=bash

# result WHAT MEASURED ALLOWED BESIDE - ALLOWED and BESIDE may be empty
result() {
	[[ -n ${JOBIO_BENCH_RESULTS:-} ]] || return 0
	printf '%s\t%s\t%s\t%s\n' "$@" >>"$JOBIO_BENCH_RESULTS"
}
