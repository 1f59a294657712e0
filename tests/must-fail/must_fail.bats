#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# must_fail.bats - fails on purpose: ./check runs it to show that failures are counted

@test "a test that passes" {
	true
}

@test "a test that fails on purpose" {
	false
}

@test "a test that skips on purpose counts as failed" {
	skip 'on purpose'
}
