#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# js1.bats - our summary as programs of others read it, in jobstats' AdminComment too

readers() {
	run timeout 300 python3 "$SRCDIR/tests/scripts/js1_readers.py" "$BUILDDIR/tests/tools/js1_merge" "$1"
	[[ $status == 0 ]] || { printf '%s\n' "$output" >&2; return 1; }
}

@test "each row of the matrix of readers and comments is as published, and none is made worse" {
	readers matrix
	[[ ${#lines[@]} == 19 ]]
}

@test "ten thousand payloads are merged, merged again and changed, and every reader reads them" {
	readers generated
}

@test "programs that read sacct make the same of a job with a summary as of one without" {
	cp "$SRCDIR/tests/scripts/fake-sacct" "$BATS_TEST_TMPDIR/sacct"
	run timeout 120 python3 "$SRCDIR/tests/scripts/sacct_readers.py" "$BATS_TEST_TMPDIR"
	[[ $status == 0 ]] || { printf '%s\n' "$output" >&2; return 1; }
	[[ $output == '35 readings are the same with and without a summary' ]]
}

@test "a field that would get too long for slurmdbd is left alone" {
	readers large
}

@test "damaged payloads are left alone" {
	readers damaged
}
