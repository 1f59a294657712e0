#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rollout.bats - nodes with another jobio.conf, or another version of jobio, than the submit
# host of a job
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, forged $out, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }

teardown() {
	on login scancel -u alice
	within 60 queue_is_empty
	site_restore
	expect_healthy
}

mode='grep " /mnt/weka " /run/weka-sim/mounts | grep -owE "forcedirect|readcache|writecache"'

# renamed HOST... - the site renames its profile, first on these hosts
renamed() {
	local host
	for host in "$@"; do set_conf "$host" 's/^\[profile stream\]/[profile streaming]/'; done
}

@test "a job runs without its profile if that was renamed while the job was pending; its output, record and summary show it" {
	submit "$mode" -H --io-cores=1 --io-profile=stream -n1 -w c1
	renamed c1
	on login scontrol release "$job"
	wait_for_job "$job"
	within 20 accounted "$job" COMPLETED
	expect_equal "jobio: node c1: profile 'stream' was not applied: jobio.conf of this node has no such profile
writecache" "$(job_output "$job" | sort)"
	expect_record "$job" c1 '"\(.request.profile) \(.request.applied) \(.request.io_cores) \(.findings[0].code)"' 'stream false 1 W58'
	expect_summary "$job" ' not=profile'
}

@test "with other limits on the node than at submission the job runs without io-cores, with its profile" {
	set_conf c2 's/^io_cores_min.*/io_cores_min = 2/; /^io_cores = 1/d'
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c2
	wait_for_job "$job"
	expect_equal "forcedirect
jobio: node c2: io-cores without use: jobio.conf of this node allows 2 to 4, the job asks for 1" "$(job_output "$job" | sort)"
	expect_summary "$job" ' not=cores'
}

@test "a request for an unknown profile, and one of a newer jobio, fail no job" {
	forger_make
	forged VERSION=1 IO_PROFILE=gone
	expect_equal 0 "$status"
	expect_text ' ran' "$out"
	expect_text "jobio: node c1: profile 'gone' was not applied: jobio.conf of this node has no such profile" "$out"
	forged VERSION=2 IO_PROFILE=stream WISHES=all
	expect_equal 0 "$status"
	expect_text ' ran' "$out"
	expect_text "jobio: node c1: the job's I/O options have no effect: a newer jobio than this node's wrote the job's request" "$out"
}

@test "a node without the profile's client runs the job, and prints the unmet request" {
	local host
	for host in login c1; do
		set_conf "$host" '$a [profile scan]\nread_ahead_kb = 4096'
	done
	submit "$mode" --io-profile=scan --exclusive --core-spec=1 -n1 -w c1
	wait_for_job "$job"
	expect_text "jobio: node c1: profile 'scan' was not applied: it has no setting that this node's client takes" "$(job_output "$job")"
	within 20 accounted "$job" COMPLETED
}
