#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# crash_epilog.bats - an epilog, and a prolog that sets the drain reason of its node, are
# killed at any step; the next run of prolog, epilog or --recover finishes their work.

load node
load crash

setup() { crash_node; }

teardown() { node_remove; }

# said_at STATUS ID - run the prolog of a job with the client in this status; prints its exit status
said_at() {
	echo "$1" >"$NODE/weka/status"
	rm -f "$NODE/run/client.weka.json"
	job "$2"
	local rc=0
	prepare 2>/dev/null || rc=$?
	echo "$rc"
}

@test "a prolog killed at any step of setting the drain reason sets it in its next run, and removes it later" {
	local at count
	NODE_JOBIO=on_error=drain node_conf
	echo STEM >"$NODE/weka/status"
	job 100
	count=$(points prepare || :)
	grep -q 'reason after' "$NODE/points"
	release
	for at in $(steps "$count"); do
		rm -f "$NODE/run/reason" "$NODE/asked"
		echo STEM >"$NODE/weka/status"
		job $((1000 + at))
		killed_at "$at" prepare || fail "survived point $at"
		[ "$(said_at STEM $((1000 + at)))" -eq 69 ]
		grep -q ' drain c1 jobio:W08 ' "$NODE/asked" || fail "not told after point $at"
		grep -q '^jobio:W08 ' "$NODE/run/reason"
		echo READY >"$NODE/weka/status"
		killed_at "$at" prepare || : # it may have a point less
		[ "$(said_at READY $((1000 + at)))" -eq 0 ]
		[ ! -e "$NODE/run/reason" ]
		release
	done
}

@test "an epilog killed at any step is finished by its second run" {
	job 100 1 stream
	prepare
	count=$(points release)
	[ "$count" -ge 10 ]
	for at in $(steps "$count"); do
		job $((1000 + at)) 1 stream
		prepare
		step $((1000 + at)) batch 4711 1
		killed_at "$at" release || fail "survived point $at"
		release
		expect_clean $((1000 + at)) || fail "after point $at"
		expect_in '"read_bytes":4711' "$(record $((1000 + at)))"
		expect_in '"restored":true' "$(record $((1000 + at)))"
	done
}

@test "an epilog killed at any step is finished by the next job" {
	job 100 1 stream
	prepare
	count=$(points release)
	for at in $(steps "$count"); do
		job $((1000 + at)) 1 stream
		prepare
		step $((1000 + at)) batch 4711 1
		killed_at "$at" release || fail "survived point $at"
		next_job $((3000 + at))
		expect_clean $((1000 + at)) || fail "after point $at"
		expect_in '"read_bytes":4711' "$(record $((1000 + at)))"
	done
}
