# SPDX-License-Identifier: GPL-2.0-or-later
# retry.bash - try commands that need the network three times
#
# Downloads and bootstraps sometimes fail because of the network and work a minute
# later. Nothing else may be repeated: a failed test is a failure.
# shellcheck shell=bash

# retry COMMAND... - run it up to three times, with pauses of 10 and 60 seconds
# (JOBIO_RETRY_PAUSES) between; returns the status of the last try
retry() {
	local try=1 status pauses
	read -ra pauses <<<"${JOBIO_RETRY_PAUSES-10 60}"
	while :; do
		status=0
		"$@" || status=$?
		((status != 0)) || return 0
		((try <= ${#pauses[@]})) || break
		printf 'try %d failed (status %d), the next one in %s s: %s\n' \
			"$try" "$status" "${pauses[try - 1]}" "$*" >&2
		sleep "${pauses[try - 1]}"
		try=$((try + 1))
	done
	printf 'failed %d times (status %d): %s\n' "$try" "$status" "$*" >&2
	return "$status"
}

# cause LOG - the line with the cause of a failed download: apt's first error, else
# the last line that is not of this file
cause() {
	grep -m1 '^E: ' "$1" || grep -vE '^(try [0-9]+ failed|failed [0-9]+ times) ' "$1" | tail -n 1
}
