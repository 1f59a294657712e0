#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# budget.bats - the table of tests/tools/budget, for a small tree
# shellcheck disable=SC2154 # bats sets output and status

setup() {
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree"/{lib,report,contrib,man,tests/samples,tests/unit}
	cd "$tree" || return
	git init -q
}

# expect STATUS ROW... - budget exits so, and each row is in its table
expect() {
	local row
	git add .
	run "$SRCDIR/tests/tools/budget" "$tree"
	[ "$status" -eq "$1" ]
	shift
	for row; do grep -qxE -e "$row" <<<"$output" || { printf 'no row %s:\n%s\n' "$row" "$output"; return 1; }; done
}

@test "only code of rooms and tests counts: no comment, docstring, blank line or recorded data" {
	printf '%s\n' '/* a' ' * comment */' '' 'char *s = "/* none */"; // end' 'int i; /* one */' >lib/a.c
	printf '%s\n' '{ "gate", CHOICE, 0 },' >lib/config_keys.c
	printf '%s\n' '#!/usr/bin/env python3' '"""a' 'docstring"""' 'X = """' '' 'text"""' '# comment' >report/view
	printf 'text\n' >report/report.am
	printf '#!/bin/sh\necho\n' >contrib/tool
	printf '%s\n' '#!/usr/bin/env bats' '  # comment' 'true' >tests/unit/a.bats
	printf 'data\n' >tests/samples/a.txt
	printf 'W01 *\terror\tText\nW02\tinfo\tText\n' >man/a.8
	echo 'two words' >README.md
	expect 0 'lib +3 .*' 'report +3 .*' 'product +6 +[0-9,]+ +bar [0-9,]+' 'tests/unit +2' 'tests +2 +5 +bar [0-9,]+' \
		'lines of man pages +2' 'finding codes +2' 'keys of jobio.conf +1 +bar [0-9,]+' 'words of README.md +2 +bar [0-9,]+'
}

@test "a total beyond its bar fails, a room beyond its budget does not" {
	printf 'int i;\n%.0s' {1..20001} >lib/a.c
	mkdir job
	cp lib/a.c job
	expect 0 'job +20,001 +[0-9,]+  \+[0-9]+ %'
	printf 'word %.0s' {1..20000} >README.md
	expect 1 'words of README.md +20,000 +bar [0-9,]+: EXCEEDED'
}
