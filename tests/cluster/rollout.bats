#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rollout.bats - nodes with another jobio.conf, or another jobio, than the host where
# a job was submitted
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

# renamed HOST... - the site renames its profile, here first
renamed() {
	local host
	for host in "$@"; do set_conf "$host" 's/^\[profile stream\]/[profile streaming]/'; done
}

# held HOST... - on_mismatch = hold there
held() {
	local host
	for host in "$@"; do set_conf "$host" '/^\[jobio\]/a on_mismatch = hold'; done
}

is_held() { [[ $(on login scontrol -o show job "$1") == *JobState=PENDING\ *Priority=0\ * || $(on login squeue -h -j "$1" -o '%T %r') =~ ^PENDING\ .*[Hh]eld ]]; }

admin_comment() { on login scontrol -o show job "$1" | sed -n 's/.* AdminComment=\(jobio: .*\)/\1/p'; }

@test "a job that waited while its profile was renamed runs without it, and says so in its output, record and summary" {
	submit "$mode" -H --io-cores=1 --io-profile=stream -n1 -w c1
	renamed c1
	on login scontrol release "$job"
	wait_for_job "$job"
	within 20 accounted "$job" COMPLETED
	expect_equal "jobio: node c1: profile 'stream' was not applied: jobio.conf of this node has no such profile; where the job was submitted there was one
writecache" "$(job_output "$job" | sort)"
	expect_record "$job" c1 '"\(.request.profile) \(.request.applied) \(.request.io_cores) \(.findings[0].code)"' 'stream false 1 W58'
	expect_summary "$job" ' not=profile'
}

@test "other bounds on the node than at submission: the job runs without them, with its profile" {
	set_conf c2 's/^io_cores_min.*/io_cores_min = 2/; /^io_cores = 1/d'
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c2
	wait_for_job "$job"
	expect_equal "forcedirect
jobio: node c2: io-cores without use: jobio.conf of this node allows 2 to 4, the job asks for 1; where it was submitted 1 to 4 were allowed" "$(job_output "$job" | sort)"
	expect_summary "$job" ' not=cores'
}

@test "a profile that was changed meanwhile is applied as the node has it, and the record says so" {
	set_conf c1 's/^mount_options = forcedirect/mount_options = readcache/'
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_equal readcache "$(job_output "$job")"
	expect_record "$job" c1 '"\(.request.applied) \(.findings[0].code)"' 'true W59'
}

@test "on_mismatch = hold: the job waits, held, for its profile, says why in AdminComment, and no node is drained" {
	held c1 c2
	renamed c1 c2
	submit "$mode" --io-cores=1 --io-profile=stream -N2 --ntasks-per-node=1 -w c1,c2
	within 30 is_held "$job"
	expect_text "held: profile 'stream': jobio.conf of this node has no such profile" "$(admin_comment "$job")"
	expect_record "$job" c1 '.refused | startswith("put back into the queue and held: profile")' true
	expect_healthy
	run on login cat "/home/alice/$job.out"
	[[ $output != *forcedirect* && $output != *writecache* ]]
	# the profile is there again
	site_restore
	on login scontrol release "$job"
	start_again "$job"
	wait_for_job "$job"
	within 20 accounted "$job" COMPLETED
	expect_text forcedirect "$(job_output "$job")"
	expect_record "$job" c2 .request.applied true
}

@test "on_mismatch = hold: a job of srun cannot be held, and runs without" {
	held c1
	renamed c1
	run as alice srun -Q -n1 -w c1 --io-cores=1 --io-profile=stream sh -c "echo \$SLURM_JOB_ID; $mode"
	expect_equal 0 "$status"
	expect_text writecache "$output"
	expect_text "jobio: node c1: profile 'stream' was not applied: jobio.conf of this node has no such profile" "$output"
	job=$(grep -x '[0-9]*' <<<"$output")
	expect_record "$job" c1 '[.findings[].code] | index("W60") != null' true
}

@test "on_mismatch = refuse: the job fails with the reason, as a forged one" {
	set_conf c1 '/^\[jobio\]/a on_mismatch = refuse'
	renamed c1
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	within 20 accounted "$job" FAILED
	expect_text "not started: --io-profile: 'stream': this site has no such profile; did you mean 'streaming'?" "$(job_output "$job")"
}

@test "requests of an older jobio and of a newer one fail no job" {
	forger_make
	forged VERSION=1 IO_PROFILE=gone
	expect_equal 0 "$status"
	expect_text ' ran' "$out"
	expect_text "jobio: node c1: profile 'gone' was not applied: jobio.conf of this node has no such profile" "$out"
	[[ $out != *'where the job was submitted'* ]]
	forged VERSION=2 IO_PROFILE=stream WISHES=all
	expect_equal 0 "$status"
	expect_text ' ran' "$out"
	expect_text "jobio: node c1: the job's I/O options have no effect: a newer jobio than this node's wrote the job's request" "$out"
}

@test "a node that does not know the client of the profile runs the job, and says what it has not got" {
	local host
	for host in login c1; do
		set_conf "$host" '$a [profile scan]\nread_ahead_kb = 4096'
	done
	submit "$mode" --io-profile=scan --exclusive --core-spec=1 -n1 -w c1
	wait_for_job "$job"
	expect_text "jobio: node c1: profile 'scan' was not applied: it has no setting that this node's client takes" "$(job_output "$job")"
	within 20 accounted "$job" COMPLETED
}
