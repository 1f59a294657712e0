# SPDX-License-Identifier: GPL-2.0-or-later
# bail.bash - tests without the machine that they need: one failure, not many
#
# TAP's "Bail out!" is a failure with its cause. Later tests in the same file are not run, and
# not counted as failed (tests/tools/tally).
# shellcheck shell=bash

# bail WHY - print "Bail out! WHY" and fail the test
bail() {
	: >"$BATS_FILE_TMPDIR/bailed"
	printf 'Bail out! %s\n' "$*" >&3
	return 1
}

setup() { [[ ! -e $BATS_FILE_TMPDIR/bailed ]] || skip 'not run'; }
