#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# crash_again.bats - prolog and epilog are killed at any step, and the run that restores the node
# is killed as well; the run after it restores the node.

load node
load crash

setup() { crash_node; }

teardown() { node_remove; }

@test "a new mount killed at any step is undone, also if the run that undoes it is killed at any step" {
	local at again count
	cores_by mount
	job 100 2
	count=$(points prepare)
	release
	next_job 101
	for at in $(JOBIO_CRASH_FIRST=${JOBIO_CRASH_FIRST:-3} steps "$count"); do
		for ((again = 1 + at % 8; again < 25; again += 8)); do
			job $((1000 + at)) 2
			killed_at "$at" prepare || fail "survived point $at"
			killed_at "$again" recover || :
			job $((1000 + at)) 2
			release
			expect_mounted || fail "after point $at, $again"
			next_job $((3000 + at))
			expect_clean $((1000 + at)) $((3000 + at)) || fail "after point $at, $again"
		done
	done
}

@test "after random schedules of crashes the baseline is restored" {
	for seed in $(seeds 20); do
		random_schedule "$seed" || fail "seed $seed"
	done
}
