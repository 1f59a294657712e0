#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# alone.bats - jobs that share a node, in all ways that Slurm allows
#
# Nothing is changed on a node that a job does not have alone; a job that is still on the
# node, suspended or with a slurmstepd that does not end, keeps its settings when another
# job starts. The gate is off: without the client's CPU there is room for one job only.
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

setup_file() { expect_healthy; }
teardown_file() { slurm_conf ''; }

setup() {
	local host
	for host in login c1; do # a profile that brings no cores of its own
		set_conf "$host" 's/^gate = .*/gate = off/; s/^io_cores = 1$//'
	done
	on login find /home/alice -name 'go.*' -delete
}

teardown() {
	on c1 pkill -CONT slurmstepd || : # a test that failed left one stopped
	on login scancel -u alice
	within 60 queue_is_empty
	site_restore
	expect_healthy
}

force='PartitionName=force Nodes=c[1-3] OverSubscribe=FORCE:2'

# Time slices of 5 s; jobs of the partition high suspend jobs of the partition low.
turns=('PreemptType=preempt/partition_prio' 'PreemptMode=SUSPEND,GANG' 'SchedulerTimeSlice=5'
	'PartitionName=force Nodes=c[1-3] OverSubscribe=FORCE:2'
	'PartitionName=low Nodes=c[1-3] PriorityTier=1 PreemptMode=SUSPEND'
	'PartitionName=high Nodes=c[1-3] PriorityTier=10 PreemptMode=OFF')

# The job prints the cache mode, waits for the file go.JOBID, and prints it again.
# shellcheck disable=SC2016 # the job expands it
look='mode() { grep " /mnt/weka " /run/weka-sim/mounts | grep -owE "forcedirect|readcache|writecache"; }
mode; until [ -e "/home/alice/go.$SLURM_JOB_ID" ]; do sleep 0.2; done; mode'
go() { on login touch "/home/alice/go.$1"; }

# printed ID - output of the job itself, without jobio's lines about unmet requests, which
# gate.bats tests
printed() { job_output "$1" | sed '/^jobio: /d'; }

has_said() { [[ $(printed "$1") == "$2" ]]; }
has_begun() { [[ -n $(printed "$1") ]]; }
is_mode() { [[ $(mount_mode c1) == "$1" ]]; }

# begin OPTION... - submit a job on c1, and wait until it has printed the mode
begin() {
	submit "$look" -w c1 -n1 "$@"
	within 60 has_begun "$job"
}

# finish ID
finish() {
	go "$1"
	wait_for_job "$1"
}

# expect_untouched ID - its profile was not applied, and it has a record
expect_untouched() {
	expect_record "$1" c1 '.findings[] | select(.code == "W46").code' W46
	expect_record "$1" c1 '.changes | length' 0
	expect_record "$1" c1 '.quality | contains(["no_step"])' false
}

# expect_profile ID - its profile was applied and undone, and the record is complete
expect_profile() {
	expect_record "$1" c1 '.changes[0] | "\(.new) \(.made) \(.restored)"' 'forcedirect true true'
	expect_record "$1" c1 '.quality | contains(["no_step"])' false
}

@test "a job with --exclusive has its node alone, and its profile without io-cores" {
	begin --exclusive --io-profile=stream
	expect_equal forcedirect "$(printed "$job")"
	finish "$job"
	expect_profile "$job"
	expect_equal writecache "$(mount_mode c1)"
}

@test "--exclusive=user: a job that others of its user may join gets no profile" {
	begin --exclusive=user --io-profile=stream
	local first=$job
	begin --exclusive=user
	expect_equal "$first $job" "$(on login squeue -h -t R -w c1 -S i -o %i | paste -sd' ')"
	finish "$job"
	finish "$first"
	expect_equal $'writecache\nwritecache' "$(printed "$job")"
	expect_equal $'writecache\nwritecache' "$(printed "$first")"
	expect_untouched "$first"
}

@test "a plain job that came first keeps its mount unchanged" {
	begin
	local first=$job
	begin --exclusive=user --io-profile=metadata
	finish "$job"
	finish "$first"
	expect_equal $'writecache\nwritecache' "$(printed "$first")"
	expect_untouched "$job"
}

@test "a job with a slurmstepd that does not end keeps its profile, although Slurm gives the node to another job" {
	begin --exclusive --no-requeue --io-profile=stream
	local first=$job pid
	pid=$(on c1 pgrep -f "^slurmstepd: .$first.batch")
	on c1 kill -STOP "$pid"
	on login scancel "$first"
	within 20 job_is "$first" COMPLETING
	on ctld scontrol update nodename=c1 state=down reason=stuck
	# unless ReturnToService has resumed it already
	on ctld scontrol update nodename=c1 state=resume || [[ $(node_state c1) != down* ]]
	begin --exclusive --io-profile=metadata
	expect_equal forcedirect "$(printed "$job")"
	finish "$job"
	expect_untouched "$job"
	expect_equal forcedirect "$(mount_mode c1)"
	on c1 kill -CONT "$pid"
	within 30 is_mode writecache
	expect_profile "$first"
	within 30 no_traces c1
}

@test "OverSubscribe=FORCE: no job has its node alone, with io-cores or without" {
	slurm_conf "$force"
	begin -p force --io-cores=1 --io-profile=stream
	local first=$job
	begin -p force --io-cores=1 --io-profile=metadata
	expect_equal "$first $job" "$(on login squeue -h -t R -w c1 -S i -o %i | paste -sd' ')"
	expect_equal writecache "$(mount_mode c1)"
	finish "$first"
	finish "$job"
	expect_equal $'writecache\nwritecache' "$(printed "$first")"
	expect_equal $'writecache\nwritecache' "$(printed "$job")"
	expect_untouched "$first"
	expect_untouched "$job"
}

@test "gang scheduling: jobs in time slices keep their settings" {
	slurm_conf "${turns[@]}"
	begin -p force --io-cores=1 --io-profile=stream
	local first=$job
	submit "$look" -w c1 -n1 -p force --io-cores=1 --io-profile=metadata
	within 30 job_is "$first" SUSPENDED
	within 30 has_said "$job" writecache
	within 30 job_is "$job" SUSPENDED
	finish "$first"
	finish "$job"
	expect_equal $'writecache\nwritecache' "$(printed "$first")"
	expect_equal $'writecache\nwritecache' "$(printed "$job")"
	expect_untouched "$first"
	expect_untouched "$job"
}

@test "a job that is suspended for another has its profile when it is resumed" {
	begin -p low --io-cores=1 --io-profile=stream
	local first=$job
	begin -p high --io-cores=1 --io-profile=metadata
	expect_equal SUSPENDED "$(on login squeue -h -j "$first" -o %T)"
	expect_equal forcedirect "$(printed "$job")"
	finish "$job"
	within 30 job_is "$first" RUNNING
	finish "$first"
	expect_equal $'forcedirect\nforcedirect' "$(printed "$first")"
	expect_untouched "$job"
	expect_profile "$first"
	expect_equal writecache "$(mount_mode c1)"
}

@test "a suspended job keeps its profile after its slurmstepds were killed, as long as it has processes" {
	slurm_conf "${turns[@]}"
	begin -p low --io-cores=1 --io-profile=stream
	local first=$job
	# not those of the user's programs, which keep running
	on c1 pkill -KILL -f "^slurmstepd: .${first}[.]"
	within 10 no_stepd "$first"
	begin -p high --io-cores=1 --io-profile=metadata
	expect_equal forcedirect "$(printed "$job")"
	finish "$job"
	expect_untouched "$job"
	expect_equal forcedirect "$(mount_mode c1)"
	go "$first"
	on login scancel "$first"
	within 60 is_mode writecache
	expect_record "$first" c1 '.changes[0] | "\(.new) \(.made) \(.restored)"' 'forcedirect true true'
}

no_stepd() { ! on c1 pgrep -f "^slurmstepd: .$1[.]"; }

@test "a suspended job that is cancelled has its profile undone while the other job runs" {
	begin -p low --io-cores=1 --io-profile=stream
	local first=$job
	begin -p high
	expect_equal SUSPENDED "$(on login squeue -h -j "$first" -o %T)"
	on login scancel "$first"
	within 30 is_mode writecache
	finish "$job"
	expect_equal $'forcedirect\nwritecache' "$(printed "$job")"
	expect_profile "$first"
	expect_record "$job" c1 '.changes | length' 0
}
