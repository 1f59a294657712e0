#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tally.bats - ./check counts every failed and every missing test

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

@test "a test of the plan that did not run is a failed test" {
	counts '1 2' <<<$'1..3\nok 1 a'
}

@test "an empty log is a failed test" {
	counts '0 1' </dev/null
}

@test "a suite with no tests in it is a failed test" {
	counts '0 1' <<<'1..0'
}

@test "a log without test results is a failed test" {
	counts '0 1' <<<'bats: command not found'
}

@test "a missing log is a failed test" {
	run "$tally" "$log.gone"
	[[ $status == 0 && $output == '0 1' ]]
}

@test "Bail out! is one failure, and tests after it are not counted" {
	counts '1 1' <<<$'1..4\nok 1 a\nBail out! no machine\nnot ok 2 b\nok 3 c # skip not run\nok 4 d # skip not run'
	counts '1 1' <<<$'1..4\nok 1 a\nBail out! no machine'
	counts '2 2' <<<$'1..3\nBail out! no machine\nnot ok 1 a\n1..3\nok 1 a\nnot ok 2 b\nok 3 c'
}

# without FILE - run its tests with machines that do not boot, and count them as ./check does
without() {
	TEST_VM=$BATS_TEST_TMPDIR/tests/vm
	mkdir -p "$TEST_VM"
	cp "$SRCDIR"/tests/vm/* "$TEST_VM" 2>/dev/null || : # without folders
	for machine in boot machine; do
		# shellcheck disable=SC2016 # the fake expands it
		printf '%s\n' '#!/bin/bash' '[[ $1 != down ]] || exit 0' \
			'echo "no kernel today" >&2' 'exit 125' >"$TEST_VM/$machine"
	done
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	ln -sf "$(type -P true)" "$BATS_TEST_TMPDIR/bin/docker"
	ln -sf "$(type -P true)" "$BATS_TEST_TMPDIR/bin/mksquashfs"
	env PATH="$BATS_TEST_TMPDIR/bin:$PATH" SRCDIR="$BATS_TEST_TMPDIR" BUILDDIR="$BUILDDIR" CC=true VM_DIR="$BATS_TEST_TMPDIR/vm" \
		JOBIO_SUITE=x JOBIO_TAG=x bats --tap "$TEST_VM/$1" >"$log" || :
}

@test "a machine that does not boot is one failure with the reason, not one for each test" {
	without count.bats
	grep -qx 'Bail out! no machine 5.10: no kernel today' "$log"
	[ "$("$tally" "$log")" = '0 1' ]
	without cgroup_v2.bats
	grep -qx 'Bail out! no node v2 block: no kernel today' "$log"
	[ "$("$tally" "$log")" = '0 1' ]
}
