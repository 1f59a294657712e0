#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# readers.bats - other programs that read sacct work with jobio's summaries

@test "programs that read sacct get the same result for jobs with and without a summary" {
	cp "$SRCDIR/tests/scripts/fake-sacct" "$BATS_TEST_TMPDIR/sacct"
	run timeout 120 python3 "$SRCDIR/tests/scripts/sacct_readers.py" "$BATS_TEST_TMPDIR"
	[[ $status == 0 ]] || { printf '%s\n' "$output" >&2; return 1; }
	[[ $output == '48 readings are the same with and without a summary' ]]
}
