#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tally.bats - ./check counts every test that failed, and every one that is missing

setup() {
	tally=$SRCDIR/tests/tools/tally
	log=$(mktemp)
}

teardown() { rm -f "$log"; }

counts() {
	cat >"$log"
	local got
	got=$("$tally" "$log")
	[[ $got == "$1" ]] || { echo "expected '$1', got '$got'" >&2; return 1; }
}

@test "passed and failed tests of Check are counted" {
	counts '8 3' <<<$'Running suite(s): x\n72%: Checks: 11, Failures: 2, Errors: 1\nx.c:1:F: no'
}

@test "several Check programs in one log add up" {
	counts '3 1' <<<$'100%: Checks: 2, Failures: 0, Errors: 0\n50%: Checks: 2, Failures: 1, Errors: 0'
}

@test "passed and failed tests of bats are counted" {
	counts '2 1' <<<$'1..3\nok 1 a\nnot ok 2 b\n# (in test file)\nok 3 c'
}

@test "a skipped test is a failed test" {
	counts '1 1' <<<$'1..2\nok 1 a\nok 2 b # skip no tool'
}

@test "a test that was promised and did not run is a failed test" {
	counts '1 2' <<<$'1..3\nok 1 a'
}

@test "an empty log is a failed test" {
	counts '0 1' </dev/null
}

@test "a suite with no tests in it is a failed test" {
	counts '0 1' <<<'1..0'
}

@test "a log that says something else is a failed test" {
	counts '0 1' <<<'bats: command not found'
}

@test "a missing log is a failed test" {
	run "$tally" "$log.gone"
	[[ $status == 0 && $output == '0 1' ]]
}
