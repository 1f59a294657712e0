#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# node.bats - prolog and epilog of jobs on a node, and faults
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }
teardown() {
	site_restore
	on login scancel -u alice
	within 60 queue_is_empty
	expect_healthy
}

mode='grep " /mnt/weka " /run/weka-sim/mounts | grep -owE "forcedirect|readcache|writecache"'

# ---- 3 prolog, 5 epilog ------------------------------------------------------

@test "a profile is set while the job runs, on every node, and undone afterwards" {
	submit "srun sh -c '$mode'" --io-cores=1 --io-profile=stream -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	expect_equal $'forcedirect\nforcedirect' "$(job_output "$job")"
	expect_record "$job" c1 '.changes[0] | "\(.old) \(.new) \(.restored)"' 'writecache forcedirect true'
	expect_record "$job" c2 '.changes[0].restored' true
	expect_equal writecache "$(mount_mode c1)"
	expect_equal writecache "$(mount_mode c2)"
	expect_equal '' "$(on c1 find /run/jobio -name journal)"
}

@test "a job without a profile changes nothing" {
	submit "$mode" --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_equal writecache "$(job_output "$job")"
	expect_record "$job" c1 '.changes | length' 0
}

@test "a change that a crashed epilog has left is undone by the next job's prolog" {
	on c1 chmod 000 /usr/libexec/jobio/jobio-release
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	local crashed=$job
	expect_equal forcedirect "$(mount_mode c1)"
	on c1 test -s "/run/jobio/$crashed/journal"
	on c1 chmod 755 /usr/libexec/jobio/jobio-release
	submit "$mode" --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_equal writecache "$(job_output "$job")"
	expect_record "$crashed" c1 '.changes[0].restored' true
	expect_record "$job" c1 '.job' "$job"
}

@test "a job that is cancelled during its prolog leaves node and client unchanged" {
	on c1 weka-sim set faults.hang=remount
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c1
	within 20 on c1 test -s "/run/jobio/$job/journal"
	on login scancel "$job"
	wait_for_job "$job"
	on c1 weka-sim unset faults.hang
	expect_healthy
	expect_equal writecache "$(mount_mode c1)"
	expect_record "$job" c1 '.job' "$job"
	submit "$mode" --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_equal forcedirect "$(job_output "$job")"
}

@test "a node that reboots under a job loses no record, and its client has its old settings" {
	submit 'sleep 300' --no-requeue --io-cores=1 --io-profile=stream -n1 -w c1
	within 20 job_runs "$job"
	within 20 mode_is c1 forcedirect
	docker stop -t 1 "$JOBIO_CLUSTER-c1" >/dev/null
	within 60 job_is_older "$job" 15	# BatchStartTimeout + MessageTimeout
	docker start "$JOBIO_CLUSTER-c1" >/dev/null
	wait_for_job "$job"
	expect_healthy
	expect_equal writecache "$(mount_mode c1)"
	expect_record "$job" c1 '.quality | contains(["node_rebooted"])' true
}

job_is_older() { (($(on login squeue -h -j "$1" -o %M | awk -F: '{ print $1 * 60 + $2 }') > $2)); }
mode_is() { [[ $(mount_mode "$1") == "$2" ]]; }

# ---- faults that do not drain the node ----------------------------------------

# ran_without WHY - the job ran, and its output has the reason why its profile was not applied
ran_without() {
	expect_equal "jobio: node c1: profile 'stream' was not applied: $1
ran" "$(job_output "$job")"
}

@test "no WEKA mounted: the job runs, and its record has a finding" {
	on c1 umount /mnt/weka
	submit 'echo ran' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	on c1 sh -c 'mount -t wekafs -o "$(weka-sim get boot.options)" "$(weka-sim get boot.source)" /mnt/weka'
	ran_without 'no filesystem of [client weka] is mounted'
	expect_record "$job" c1 '.findings | length > 0' true
}

@test "a client of another type than the mounts: the job runs, and its record has a finding" {
	set_conf c1 's/^type = weka/type = lustre/;/^proc_dir/d'
	submit 'echo ran' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	ran_without "mount option 'forcedirect' of the profile: options of a Lustre mount are not changed; the profile was not applied"
	expect_record "$job" c1 '[.findings[].code] | index("LU01") != null' true
}

@test "a node that jobio.conf does not name: the job runs, and its record has a finding" {
	set_conf c1 's/^nodes = .*/nodes = other1/'
	submit 'echo ran' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	ran_without "jobio.conf has no client for node c1: the job's I/O options have no effect here; io-cores without use: jobio.conf has no client for node c1: the job's I/O options have no effect here"
	expect_record "$job" c1 '.findings[0].code' W51
}

@test "a node with a mistake in jobio.conf runs all jobs" {
	set_conf c1 's/^type = weka/type = nosuch/'
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_equal "$UNPREPARED"$'\nran' "$(job_output "$job")"
}

@test "a hanging command of the client delays the job by a bounded time, and the node is not drained" {
	on c1 weka-sim set 'faults.hang=*'
	set_conf c1 's/^type = weka/type = weka\ntimeout_ms = 500/'
	submit 'echo ran' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	on c1 weka-sim unset faults.hang
	ran_without "'/mnt/weka' could not get forcedirect: '/bin/mount': no answer within 500 ms"
	expect_record "$job" c1 '.findings | length > 0' true
}

# ---- what a user can forge ---------------------------------------------------

# forged_is_told WHY NAME=VALUE... - the task starts, and its output has the reason
forged_is_told() {
	local why=$1
	shift
	forged "$@"
	[[ $status == 0 && $out == *' ran'* ]] || { printf 'it did not run: %s\n%s\n' "$*" "$out" >&2; return 1; }
	expect_text "jobio: node c1: $why" "$out"
}

@test "forged requests of any value are ignored, and run no command" {
	local value
	forger_make
	for value in 999 0 -1 1x '' '$(touch /tmp/forged)' '1;touch /tmp/forged' \
		4294967297 "$(printf '%0300d' 1)" $'1\nX=2' ' 1' 1.0; do
		forged_is_told "the job's I/O options have no effect: " VERSION=1 "IO_CORES=$value"
	done
	for value in ../../etc/passwd '`touch /tmp/forged`' 'stream forcedirect' STREAM; do
		forged_is_told "the job's I/O options have no effect: " VERSION=1 IO_CORES=1 "IO_PROFILE=$value"
	done
	forged_is_told "the job's I/O options have no effect: " VERSION=0 IO_CORES=1
	forged_is_told "the job's I/O options have no effect: " IO_CORES=1
	forged_is_told "profile 'nosuch' was not applied" VERSION=1 IO_CORES=1 IO_PROFILE=nosuch
	on c1 test ! -e /tmp/forged
	expect_equal writecache "$(mount_mode c1)"
	expect_healthy
}

@test "a forged request for cores that Slurm does not reserve changes nothing on the node" {
	forger_make
	forged VERSION=1 IO_CORES=1 IO_PROFILE=stream
	expect_equal writecache "$(mount_mode c1)"
	job=$(on login sacct -n -X -u alice -S now-1minutes -P -o JobID | tail -n 1)
	expect_record "$job" c1 '.changes | length' 0
}

@test "a forged request with the matching --core-spec works like the option" {
	forger_make
	forged --core-spec=1 VERSION=1 IO_CORES=1 IO_PROFILE=stream
	expect_equal 0 "$status"
	job=${out//[^0-9]/}
	expect_record "$job" c1 '.changes[0].restored' true
	expect_equal writecache "$(mount_mode c1)"
}

@test "nodes without jobio.conf run all jobs" {
	on c1 rm /etc/slurm/jobio.conf
	submit 'echo ran' -n1 -w c1
	wait_for_job "$job"
	expect_equal ran "$(job_output "$job")"
	submit 'echo ran' --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_equal "$UNPREPARED"$'\nran' "$(job_output "$job")"
	no_traces c1
}

@test "a het job runs with its cores reserved in every component" {
	submit 'srun --het-group=0,1 -l grep Cpus_allowed_list /proc/self/status' \
		--io-cores=1 -n1 : --io-cores=1 -n1
	wait_for_job "$job"
	expect_equal $'0: Cpus_allowed_list:\t0\n1: Cpus_allowed_list:\t0' "$(job_output "$job" | sort)"
}
