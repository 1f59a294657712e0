#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# crash.bats - a prolog with a profile is killed at any step; the next run of prolog, epilog or
# --recover restores the node.

load node
load crash

setup() { crash_node; }

teardown() { node_remove; }

# walk_prolog MENDER - kill the prolog at each of its points, then run MENDER ID
walk_prolog() {
	local at count id
	job 100 1 stream
	count=$(points prepare)
	release
	[ "$count" -ge 20 ]
	for at in $(steps "$count"); do
		id=$((1000 + at))
		job "$id" 1 stream
		killed_at "$at" prepare || fail "survived point $at"
		"$1" "$id" || fail "after point $at"
	done
}

by_epilog() {
	release && expect_clean "$1"
}

by_next_job() {
	next_job $(($1 + 1000)) || return
	job "$1" 1 stream
	release && expect_clean "$1" $(($1 + 1000))
}

by_recover() {
	recover && expect_base && release && expect_clean "$1"
}

by_second_prolog() {
	prepare && expect_options forcedirect && release && expect_clean "$1"
}

@test "a prolog killed at any step is undone by its epilog" {
	walk_prolog by_epilog
}

@test "a prolog killed at any step is undone by the next job" {
	walk_prolog by_next_job
}

@test "a prolog killed at any step is undone by --recover" {
	walk_prolog by_recover
}

@test "a prolog killed at any step can be run again" {
	walk_prolog by_second_prolog
}

# The container restarts with each remount, and refuses a second one meanwhile.
@test "a prolog killed at any step of a remount that restarts WEKA 5 is undone by its epilog" {
	echo 5.1.0 >"$NODE/weka/version"
	echo 1 >"$NODE/weka/restarts"
	third 1 walk_prolog by_epilog
}

request_of() { job "$1" 1 stream; }
is_back() { expect_base; }

@test "the mount has its own options in the end if one call of prolog or epilog fails, or all from there on" {
	fail_walk prepare
	fail_walk release
	fail_walk prepare all
	fail_walk release all
}

@test "a command that a killed prolog or epilog has just started has no effect after the next epilog" {
	late_walk prepare
	late_walk release
}
