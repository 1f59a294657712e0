#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# client.bats - jobs of a real Slurm whose client gets other cores: the stand-in
# of tests/sim on a machine that has some to give
#
# Two sites. One reserves nothing by itself, CPUs are numbered in blocks: Slurm
# withholds core 3 (CPU 6,7) for one io-core, 1 and 3 (2,3,6,7) for two. The
# other's nodes have a spec set of one core, the client's own, CPUs are numbered
# interleaved: core 3 (3,7) is never a job's, the second io-core is 1 (1,5).

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a process; lib sets $job
# shellcheck disable=SC2016 # quoted code runs in the job or on the node

load lib

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }
teardown() { controller scancel -u alice; }

# client_new CORES [KNOB...] - a mounted client with a frontend on each of these
# CPUs, known to jobio by nothing yet
client_new() {
	local options=core=${1//,/,core=},net=eth0
	shift
	on_node "rm -rf /run/jobio/* /var/spool/jobio/state/*; /payload/client new boot.options=$options $*"
}

# client_moved CORE - somebody gives the client this one core
client_moved() {
	on_node "weka local resources cores 1 --only-frontend-cores --core-ids $1; weka local resources apply -f"
	expect_client "$1"
}

# knob KEY=VALUE - a fault of the client from now on
knob() { on_node "weka-sim set $*"; }

# allow LINE... - what jobio.conf says of the client
allow() { on_node "/payload/client conf $(printf "'%s' " "$@")"; }

# What a job sees: the CPUs that its batch script and a step can get, those that
# it is told, and where the frontends run meanwhile.
readonly look="$vm_grab"'; srun -n1 --cpu-bind=none bash -c '\''taskset -p -c 0-7 $$ >/dev/null 2>&1
	awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status'\''
	echo "$SLURM_IO_CPUS"; /payload/client cpus'

# look OPTION... - have such a job come and go; sets $job
look() {
	submit "$look" "$@"
	finish "$job"
}

# expect_apart RESERVED FRONTENDS - the job could get at all CPUs but RESERVED,
# as Slurm and jobio say alike, and the client ran on FRONTENDS, one a core
expect_apart() {
	local seen reserved=$1
	mapfile -t seen <"$work/$job.out"
	expect_equal 4 "${#seen[@]}" "lines of the job: ${seen[*]}"
	expect_equal "$(cpus "$reserved")" "$(others "${seen[0]}")" "kept from the batch script"
	expect_equal "$(cpus "$reserved")" "$(others "${seen[1]}")" "kept from the step"
	expect_equal "$reserved" "${seen[2]}" 'SLURM_IO_CPUS'
	expect_equal "$2" "${seen[3]}" 'frontends'
}

# expect_client IDS - it runs with these core ids, and no others are staged
expect_client() {
	expect_equal "$1" "$(on_node '/payload/client cpus')" 'frontends'
	expect_equal "$1" "$(core_ids --stable)" 'cores'
	expect_equal "$1" "$(core_ids)" 'staged cores'
}
core_ids() {
	on_node "weka local resources $* -J" |
		jq -r '[.nodes[] | select(.roles[] == "FRONTEND") | .core_id] | sort | join(" ")'
}

# expect_findings CODE... - the record's warnings and errors, but for MemSpecLimit
expect_findings() {
	expect_of "$job" '[.findings[] | select(.severity != "info" and .code != "W13") | .code] | sort | join(" ")' "$*"
}

# expect_says CODE TEXT - the sentence of this finding
expect_says() {
	expect_equal "$2" "$(of "$job" ".findings[] | select(.code == \"$1\") | .text")" "$1"
}

expect_summary() {
	local word
	for word; do
		words "$job" | grep -qxF -- "$word" ||
			{ printf "no '%s' in: %s\n" "$word" "$(jq -r .summary "$work/$job")" >&2; return 1; }
	done
}

# expect_refused CPUS - the gate did not start the job, which could use them
expect_refused() {
	[[ $(<"$work/$job.out") == *"jobio: gate: not started: the job may run on CPU $1 of node vm1, where the filesystem client weka:weka works"* ]] ||
		{ printf 'not refused because of CPU %s: %s\n' "$1" "$(<"$work/$job.out")" >&2; return 1; }
	expect_equal FAILED "$(controller squeue -h -j "$job" -t all -o %T)" 'state'
}

expect_idle() { within 20 node_is_idle; }
node_is_idle() { [[ $(controller sinfo -h -o %T) == idle ]]; }

frontend_pids() { on_node "pgrep -f '^/weka/wekanode --slot [1-9]' | paste -sd' '"; }

@test "under cgroup v2 a client moves to the cores that Slurm reserves for a job, which runs elsewhere" {
	node_is v2 block
	allow core_change=any
	client_new 4
	expect_equal 2-3,6-7 "$(told os_cpus --core-spec=2)" 'jobio cores --core-spec=2'
	look --exclusive --io-cores=2 --io-profile=stream
	expect_apart 2-3,6-7 '2 6'
	expect_client '2 6'
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new, .restored]]' \
		'[["cores","4","2,6",false],["mount-option","writecache","forcedirect",true]]'
	expect_of "$job" '[.io_cores.os_cpus, .io_cores.abstract, .client.cpus]' '["2-3,6-7","1,3","2-3,6-7"]'
	expect_summary cores=2 cpus=2-3,6-7 prof=stream
	expect_idle
}

@test "it stays there: the next job that wants these cores restarts nothing" {
	local before
	node_is v2 block
	before=$(frontend_pids)
	look --io-cores=2
	expect_equal "$before" "$(frontend_pids)" 'processes of the frontends'
	expect_apart 2-3,6-7 '2 6'
	expect_of "$job" .changes '[]'
	on_node 'SLURMD_NODENAME=vm1 /usr/libexec/jobio/jobio-prepare --recover'
	expect_client '2 6'
}

@test "jobs that may run on its cores then are told so and do not start" {
	node_is v2 block
	look --exclusive
	expect_refused 2-3,6-7
	look --io-cores=1
	expect_refused 2-3
	expect_says W47 "container 'client' keeps core 2,6, although this job should find 6: WEKA does not lower the number of cores while a file system is mounted"
	expect_client '2 6'
	expect_idle
}

@test "core_method=mount takes a core away: mounts are made again, with what fstab says" {
	node_is v2 block
	allow core_change=any core_method=mount
	look --io-cores=1
	expect_apart 6-7 6
	expect_client 6
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new]]' '[["cores","2,6","6"]]'
	expect_summary cores=1 cpus=6-7
}

@test "a change that fails leaves the old cores, nothing staged, and a job that runs" {
	node_is v2 block
	allow core_change=any
	knob faults.apply_fails=yes
	look --io-cores=2
	expect_apart 2-3,6-7 6
	expect_client 6
	expect_findings W36 W44
	expect_says W44 "container 'client' could not change from core 6 to 2,6: weka local resources: exit status 1: error: Applying resources on container 'client' failed: failed to apply the new resources. Reverted to the last stable resources; it is back at core 6"
	expect_of "$job" '[.changes[] | [.what, .old, .new, .restored]]' '[["cores","6","2,6",true]]'
	expect_summary cores=2 cpus=2-3,6-7
	expect_idle
}

@test "a frontend that stays disconnected is given up again" {
	node_is v2 block
	allow core_change=any ready_timeout_ms=8000
	knob faults.apply_fails=no faults.disconnected=1
	look --io-cores=2
	expect_apart 2-3,6-7 6
	expect_client 6
	expect_findings W36 W44
	expect_says W44 "container 'client' could not change from core 6 to 2,6: it was not READY with all frontends connected after 8000 ms; it is back at core 6"
	expect_idle
}

@test "core_change=grow takes no core away, core_change=never changes nothing" {
	node_is v2 block
	allow core_change=grow
	client_moved 4
	look --io-cores=1
	expect_refused 4-5
	expect_says W47 "container 'client' keeps core 4, although this job should find 6: core_change=grow, and that would take a core away"
	allow core_change=never
	look --io-cores=2
	expect_refused 4-5
	expect_says W47 "container 'client' keeps core 4, although this job should find 2,6: core_change=never"
	expect_client 4
	expect_of "$job" .changes '[]'
	expect_idle
}

@test "WEKA 5 changes its cores on a remount" {
	node_is v2 block
	allow core_change=any core_method=remount
	client_new 4 client.version=5.1.0
	look --io-cores=2 --io-profile=stream
	expect_apart 2-3,6-7 '2 6'
	expect_client '2 6'
	expect_findings
	expect_summary cores=2 cpus=2-3,6-7
}

@test "under cgroup v1 a client grows beside the core that is always its own" {
	node_is v1 interleaved CoreSpecCount=1
	allow core_change=grow
	client_new 3
	expect_equal 1,3,5,7 "$(told os_cpus --core-spec=2)" 'jobio cores --core-spec=2'
	look --io-cores=2 --io-profile=stream
	expect_apart 1,3,5,7 '1 3'
	expect_client '1 3'
	expect_equal 1,3,5,7 "$(on_node 'cat /sys/fs/cgroup/cpuset/weka-client/cpuset.cpus')" 'cpuset of the client'
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new]]' '[["cores","3","1,3"],["mount-option","writecache","forcedirect"]]'
	expect_summary cores=2 cpus=1,3,5,7 prof=stream
	expect_idle
}

@test "it goes back when a job wants its own core alone; until then others do not start" {
	node_is v1 interleaved CoreSpecCount=1
	allow core_change=any core_method=mount
	look --exclusive
	expect_refused 1,5
	look --io-cores=1
	expect_apart 3,7 3
	expect_client 3
	expect_findings
	look --exclusive
	expect_equal '3 7' "$(others "$(head -n 1 "$work/$job.out")")" 'kept from a job without io-cores'
	expect_idle
}
