# SPDX-License-Identifier: GPL-2.0-or-later
# bail.bash - tests that lack the machine they run on: one failure, not many
#
# TAP's "Bail out!" is a failure that names its cause. The tests behind it in the
# same file are not run, and not counted as failed (tests/tools/tally).
# shellcheck shell=bash

# bail WHY - in a test
bail() {
	: >"$BATS_FILE_TMPDIR/bailed"
	printf 'Bail out! %s\n' "$*" >&3
	return 1
}

setup() { [[ ! -e $BATS_FILE_TMPDIR/bailed ]] || skip 'not run'; }
