#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# js1.bats - our summary in jobstats' AdminComment, as other programs read it

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

@test "a field that would get too long for slurmdbd is left alone" {
	readers large
}

@test "damaged payloads are left alone" {
	readers damaged
}
