#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# retry.bats - a download that breaks off is tried again, three times in all

# shellcheck source=tests/tools/retry.bash
source "$SRCDIR/tests/tools/retry.bash"

setup() {
	dir=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-retry.XXXXXX")
	calls=$dir/calls
	export JOBIO_RETRY_PAUSES='0 0'
}

teardown() { rm -rf "$dir"; }

# works_at N - a download that works when it is called for the Nth time
works_at() {
	echo call >>"$calls"
	[[ $(wc -l <"$calls") -ge $1 ]] && { echo "arrived"; return 0; }
	echo 'Connection timed out' >&2
	return 100
}

called() { wc -l <"$calls"; }

@test "what works is done once, and nothing is said" {
	run retry works_at 1
	[[ $status == 0 && $output == arrived && $(called) == 1 ]]
}

@test "what works the third time is done, and the two tries before are told" {
	run retry works_at 3
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = 'try 1 failed (status 100), the next one in 0 s: works_at 3' ]
	[ "${lines[3]}" = 'try 2 failed (status 100), the next one in 0 s: works_at 3' ]
	[ "${lines[4]}" = arrived ]
	[ "$(called)" -eq 3 ]
}

@test "what never works is tried three times; it fails with its own status" {
	run retry works_at 9
	[ "$status" -eq 100 ]
	[ "${lines[5]}" = 'failed 3 times (status 100): works_at 9' ]
	[ "$(called)" -eq 3 ]
}

@test "between the tries it waits, longer the second time" {
	unset JOBIO_RETRY_PAUSES
	sleep() { echo "waits $1"; }
	run retry works_at 9
	[[ $output == *'waits 10'*'waits 60'* && $(called) == 3 ]]
}

@test "the cause of a failure is apt's first error, or the last word of what was tried" {
	printf '%s\n' 'Err:1 x' 'E: Failed to fetch x  Connection timed out' 'E: Unable to fetch' \
		'failed 3 times (status 100): apt-get install x' >"$dir/log"
	[ "$(cause "$dir/log")" = 'E: Failed to fetch x  Connection timed out' ]
	printf '%s\n' 'unpacked' 'no space left' 'try 1 failed (status 1), the next one in 10 s: fetch 6.1' \
		'no space left on device' 'failed 2 times (status 1): fetch 6.1' >"$dir/log"
	[ "$(cause "$dir/log")" = 'no space left on device' ]
}
