#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Killed at any step, prolog and epilog leave nothing that the next one of them
# does not mend.

load node
load crash

# Every step, unless several runs share them: then this one takes some of them.
every=${JOBIO_CRASH_EVERY:-1} first=${JOBIO_CRASH_FIRST:-1}

setup() {
	export HELPER_DIR=tests/faults
	node_make
	touch "$NODE/weka/idle" # or the client would not give cores back
	node_interface
}

teardown() {
	node_remove
}

# walk MENDER - kill the prolog at each of its points, then run MENDER ID
walk_prolog() {
	local at count id
	job 100 1 stream
	count=$(points prepare)
	release
	[ "$count" -ge 20 ]
	for ((at = first; at <= count; at += every)); do
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

by_another_job() {
	next_job $(($1 + 1000))
}

by_second_run() {
	prepare && release
}

by_recover() {
	recover && expect_base && release && expect_clean "$1"
}

by_second_prolog() {
	prepare && expect_options forcedirect && release && expect_clean "$1"
}

@test "a prolog killed at any step is mended by its epilog" {
	walk_prolog by_epilog
}

@test "a prolog killed at any step is mended by the next job" {
	walk_prolog by_next_job
}

@test "a prolog killed at any step is mended by --recover" {
	walk_prolog by_recover
}

@test "a prolog killed at any step can be run again" {
	walk_prolog by_second_prolog
}

# said_at STATUS ID - a job finds the client so; how its prolog ends
said_at() {
	echo "$1" >"$NODE/weka/status"
	rm -f "$NODE/run/client.json"
	job "$2"
	local rc=0
	prepare 2>/dev/null || rc=$?
	echo "$rc"
}

@test "a prolog killed at any step of saying why its node is drained says it in its next run, and takes it back" {
	local at count
	NODE_JOBIO=on_error=drain node_conf
	echo STEM >"$NODE/weka/status"
	job 100
	count=$(points prepare || :)
	grep -q 'reason told' "$NODE/points"
	release
	for ((at = first; at <= count; at += every)); do
		rm -f "$NODE/run/reason" "$NODE/spool/reason"
		echo STEM >"$NODE/weka/status"
		job $((1000 + at))
		killed_at "$at" prepare || fail "survived point $at"
		[ "$(said_at STEM $((1000 + at)))" -eq 69 ]
		grep -q '"reason":"jobio:W08 ' "$NODE/spool/reason" || fail "not told after point $at"
		grep -q '^jobio:W08 ' "$NODE/run/reason"
		echo READY >"$NODE/weka/status"
		killed_at "$at" prepare || : # it may have a point less
		[ "$(said_at READY $((1000 + at)))" -eq 0 ]
		grep -q '"reason":null' "$NODE/spool/reason" || fail "not taken back after point $at"
		[ ! -e "$NODE/run/reason" ]
		release
	done
}

@test "an epilog killed at any step is finished by its second run" {
	job 100 1 stream
	prepare
	count=$(points release)
	[ "$count" -ge 10 ]
	for ((at = first; at <= count; at += every)); do
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
	for ((at = first; at <= count; at += every)); do
		job $((1000 + at)) 1 stream
		prepare
		step $((1000 + at)) batch 4711 1
		killed_at "$at" release || fail "survived point $at"
		next_job $((3000 + at))
		expect_clean $((1000 + at)) || fail "after point $at"
		expect_in '"read_bytes":4711' "$(record $((1000 + at)))"
	done
}

@test "a change of cores killed at any step ends at the baseline when the next job has no use for it" {
	NODE_CLIENT=$'core_change=any\ntimeout_ms=60000' node_conf
	job 100 2
	count=$(points prepare)
	release
	next_job 101
	expect_clean 100 101
	for ((at = first; at <= count; at += every)); do
		job $((1000 + at)) 2
		killed_at "$at" prepare || fail "survived point $at"
		job $((1000 + at)) 2
		release
		next_job $((3000 + at))
		expect_clean $((1000 + at)) $((3000 + at)) || fail "after point $at"
	done
}

# walk_mount MENDER - kill the prolog at each step of a change of cores by a new
# mount, then run MENDER ID; the client is mounted then, and at its old cores
# when a job without wishes has begun
walk_mount() {
	local at count id
	cores_by mount
	job 100 2 stream
	count=$(points prepare)
	release
	next_job 101
	expect_clean 100 101
	[ "$(grep -c . "$NODE/weka/umount-calls")" -eq 2 ]
	for ((at = first; at <= count; at += every)); do
		id=$((1000 + at))
		job "$id" 2 stream
		killed_at "$at" prepare || fail "survived point $at"
		"$1" "$id" || fail "after point $at"
		expect_mounted || fail "after point $at"
		job "$id" 2 stream
		release
		next_job $((3000 + at))
		expect_clean "$id" $((3000 + at)) || fail "after point $at"
	done
}

@test "a new mount killed at any step is mended by the epilog" {
	walk_mount release
}

@test "a new mount killed at any step is mended by --recover" {
	walk_mount recover
}

@test "a new mount killed at any step is mended by the next job" {
	walk_mount by_another_job
}

@test "a prolog that was killed in a new mount can be run again" {
	walk_mount by_second_run
}

@test "a prolog that was killed while the mount is away can be run again" {
	cut_off
	job 7 2
	prepare
	[ "$(<"$NODE/weka/stable")" = 6,7 ]
	expect_mounted
}

# cut_off - kill the prolog of job 7 when the mount is away
cut_off() {
	local at
	cores_by mount
	job 100 2
	points prepare >/dev/null
	at=$(grep -n 'umount after' "$NODE/points" | cut -d: -f1)
	release
	next_job 101
	job 7 2
	killed_at "$at" prepare || fail "survived point $at"
	[[ ! -s $NODE/weka/mounts ]] || fail "still mounted"
}

@test "mounts that are away come back although the journal cannot be read" {
	cut_off
	printf 'nonsense\n{"half' >"$NODE/run/7/journal"
	recover
	expect_mounted
}

@test "mounts that are away come back although the journal is gone" {
	cut_off
	rm "$NODE/run/7/journal" "$NODE/run/7/start.json"
	recover
	expect_mounted
}

@test "after a reboot the mounts are fstab's, and nothing is mounted by us" {
	cut_off
	sed -i '1s/[^ ]*$/00000000-0000-4000-8000-000000000000/' "$NODE/spool/state/weka.mounts"
	reboot
	touch "$NODE/weka/idle"
	node_interface
	: >"$NODE/weka/mount-calls"
	recover
	[ ! -s "$NODE/weka/mount-calls" ]
	expect_base
	[ -s "$NODE/spool/7.0.c1.json" ]
	next_job 8
}

@test "a new mount killed at any step, whose mending is killed at any step, is mended" {
	local at again count
	cores_by mount
	job 100 2
	count=$(points prepare)
	release
	next_job 101
	for ((at = 3; at <= count; at += 2)); do
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

@test "random schedules of crashes end at the baseline" {
	for ((seed = 1; seed <= ${JOBIO_CRASHES:-20}; seed++)); do
		random_schedule "$seed" || fail "seed $seed"
	done
}
