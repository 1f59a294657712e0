#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count_job.bats - I/O of jobs of a real Slurm that print their own counts, compared with
# their records, jobio report and the summary
#
# Mounts of the node: /mnt/a is ext4, /mnt/b tmpfs; jobio.conf names both. truth
# (truth.c) does known I/O and prints it.

# shellcheck disable=SC2030,SC2031 # each test is a process of its own

load lib

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }

# node_counts CGROUP - start a node with these mounts, which are counted
node_counts() {
	node_is "$1" block
	tidy
	preloaded
}

preloaded() { on_node '/payload/preload /usr/libexec/jobio/jobio-count /etc/slurm/jobio.conf'; }

# tidy - mount them again, empty
tidy() { on_node /payload/mounts; }

# expect_exact ID TRUTH - counters of BPF on both mounts equal truth
expect_exact() {
	local wrong
	wrong=$(jq -r -n --slurpfile truth "$2" --slurpfile report "$work/$1" '
		($report[0].records[0].app | map(select(.source == "bpf"))
			| map({ (.fs): (. + .meta) }) | add) as $got
		| $truth[0] | to_entries[] | select(.key != "exit") | .key as $fs
		| .value | to_entries[] | select($got[$fs][.key] != .value)
		| "\($fs): \(.key): did \(.value), counted \($got[$fs][.key])"')
	[[ -z $wrong ]] || { printf 'job %s: %s\n' "$1" "$wrong" >&2; return 1; }
}

# expect_totals ID TRUTH - totals of the report equal truth
expect_totals() {
	local key
	for key in read_bytes write_bytes read_calls write_calls; do
		expect_equal "$(jq "[to_entries[] | select(.key != \"exit\") | .value.$key] | add" "$2")" \
			"$(jq ".totals.$key" "$work/$1")" "job $1, total of $key"
	done
}

# Slurm kills remaining processes of a job; wait for those that still have I/O to do.
readonly stay='; while pgrep -x truth >/dev/null; do sleep 0.1; done'

# one KIND - run a job with this kind of I/O: all counters are exact, without flags
one() {
	tidy
	submit "/payload/truth - $1 /mnt/a /mnt/b$stay"
	finish "$job"
	expect_exact "$job" "$work/$job.out"
	expect_totals "$job" "$work/$job.out"
	expect_of "$job" '[.app[] | [.source, .scope, .fs]]' \
		'[["bpf","job","/mnt/a"],["bpf","job","/mnt/b"],["exit","job",null],["stepd","job",null]]'
	expect_of "$job" .quality '[]'
}

# bats test_tags=each_suite
@test "a job's reads and writes are in the report exactly, by filesystem" {
	node_counts v2
	one read
	one write
	one direct
}

@test "asynchronous I/O and that of mapped files as well" {
	node_counts v2
	one aio
	one uring
	one mmap_read
}

@test "operations on names as well" {
	node_counts v2
	one names
	one readdir
}

@test "I/O of children, orphans and killed processes as well" {
	node_counts v2
	one fork
	one orphan
	one killed
}

@test "two jobs at the same time on one node have their own counters" {
	local first
	node_counts v2
	submit '/payload/truth - three /mnt/a /mnt/b; sleep 3'
	first=$job
	submit '/payload/truth - five /mnt/a /mnt/b; sleep 3'
	finish "$first"
	finish "$job"
	for job in "$first" "$job"; do
		expect_exact "$job" "$work/$job.out"
		expect_totals "$job" "$work/$job.out"
	done
	# they ran at the same time
	(( $(of "$first" '.end * 1000 | floor') > $(of "$job" '.start * 1000 | floor') ))
}

@test "--live of a running job has its exact counters so far" {
	local look
	node_counts v2
	on_node 'rm -f /tmp/half /tmp/go'
	submit 'dd if=/dev/zero of=/mnt/a/half bs=64k count=48 status=none; touch /tmp/half
		while [ ! -e /tmp/go ]; do sleep 0.2; done; dd if=/dev/zero of=/mnt/a/rest bs=64k count=16 status=none'
	within 60 on_node 'test -e /tmp/half'
	look=$(alice jobio report --live --json "$job")
	on_node 'touch /tmp/go'
	expect_equal '3145728 48 0' "$(jq -r '.records[0].app[] | select(.fs == "/mnt/a") | "\(.write_bytes) \(.write_calls) \(.read_bytes)"' <<<"$look")" 'so far'
	expect_equal '1 0 0' "$(jq -r '"\(.nodes) \(.nodes_blind) \(.nodes_mute)"' <<<"$look")" 'who has answered'
	finish "$job"
	expect_of "$job" '.app[0] | [.fs, .write_bytes, .write_calls]' '["/mnt/a",4194304,64]'
	# the step of --live is not counted as a step of the job
	expect_of "$job" .steps 1
}

# bats test_tags=each_suite
@test "dd in two steps: record, report and summary have the same bytes, calls and sizes" {
	node_counts v2
	submit 'srun -n1 dd if=/dev/zero of=/mnt/a/dd bs=64k count=48 status=none
		srun -n1 dd if=/mnt/a/dd of=/dev/null bs=16k count=100 status=none
		dd if=/mnt/a/dd of=/mnt/b/dd bs=32k count=10 status=none'
	finish "$job"
	# written: 48 of 64 KiB; read: 100 of 16 KiB and 10 of 32 KiB
	expect_of "$job" '.app[0] | [.fs, .write_bytes, .write_calls, .read_bytes, .read_calls]' \
		'["/mnt/a",3145728,48,1966080,110]'
	expect_of "$job" '.app[0] | [.write_sizes[16], .read_sizes[14], .read_sizes[15]]' '[48,100,10]'
	expect_of "$job" '.app[1] | [.fs, .write_bytes, .write_calls, .read_calls]' '["/mnt/b",327680,10,0]'
	expect_of "$job" .steps 3
	run words "$job"
	[[ " ${lines[*]} " == *'jobio/1 rd=1.88MiB/110 wr=3.31MiB/58 '* ]]
	[[ " ${lines[*]} " == *' scope=job src=bpf q=- '* ]]
	[[ " ${lines[*]} " == *' meta='* ]]
	[[ " ${lines[*]} " == *' rsz=32KiB/64KiB wsz=128KiB/128KiB'* ]]
	[[ " ${lines[*]} " =~ \ peak=[0-9.]+[KM]iB/[0-9.]+[KM]iB\  ]]
	(($(of "$job" '.app[0].peak.write_Bps') <= 3145728))
	(($(of "$job" '.app[0].peak.write_Bps') >= 65536))
	run controller jobio report -v "$job"
	[[ $output == *'1.88 MiB  110 x 17.5 KiB   3 MiB  '*'48 x 64 KiB'* ]]
	[[ $output == *"counters      /mnt/a, counted by the kernel: the job's alone"* ]]
	[[ $output =~ metadata\ +open\ 3,\ create\ 1 ]]
	[[ $output == *"other counters all files, counted as processes end: the job's alone"* ]]
	[[ $output == *"other counters all files, slurmstepd's totals: the job's alone"* ]]
}

@test "slurmstepd's counters include a job's I/O, except what their flags name" {
	local did saw
	node_counts v2
	submit '/payload/truth - write /mnt/a /mnt/b'
	finish "$job"
	did=$(jq .exit.write_bytes "$work/$job.out")
	saw=$(of "$job" '.app[] | select(.source == "stepd") | .write_bytes')
	((saw >= did && saw < did + 65536))
	tidy
	submit "/payload/truth - orphan /mnt/a /mnt/b$stay"
	finish "$job"
	did=$(jq '[.["/mnt/a"].write_bytes, .["/mnt/a"].read_bytes] | max' "$work/$job.out")
	saw=$(of "$job" '.app[] | select(.source == "stepd") | [.write_bytes, .read_bytes] | max')
	((saw < did))
	saw=$(of "$job" '.app[] | select(.source == "exit") | [.write_bytes, .read_bytes] | max')
	((saw >= did))
}

@test "latency is counted unless latency = no: one measurement for each call" {
	node_counts v2
	on_node "printf 'latency = no\n' >>/etc/slurm/jobio.conf"
	preloaded
	submit '/payload/truth - read /mnt/a /mnt/b'
	finish "$job"
	expect_of "$job" '.app[0].read_us' null
	on_node "sed -i '/^latency/d' /etc/slurm/jobio.conf"
	preloaded
	submit '/payload/truth - read /mnt/a /mnt/b'
	finish "$job"
	expect_exact "$job" "$work/$job.out"
	expect_of "$job" '.app[0].read_ns | add' "$(jq '.["/mnt/a"].read_calls' "$work/$job.out")"
	run words "$job"
	[[ " ${lines[*]} " =~ \ rlat=[0-9.]+(ns|us|ms|s)/[0-9.]+(ns|us|ms|s) ]]
	run controller jobio report -v "$job"
	[[ $output =~ read\ latency\ +[^0-9]+[0-9.]+\ (ns|us|ms|s)\ to\  ]]
	[[ $output =~ time\ in\ reads\ +[0-9.]+\ (us|ms|s) ]]
}

@test "no counters are left when the jobs have ended, also of a job without an epilog" {
	node_counts v2
	expect_equal 0 "$(on_node '/usr/libexec/jobio/jobio-count status' | jq '.jobs | length')" 'counted jobs'
	on_node '/usr/libexec/jobio/jobio-count --latency start 9999 /mnt/a' >/dev/null
	expect_equal 2 "$(on_node '/usr/libexec/jobio/jobio-count status' | jq '.jobs | length')" 'counted filesystems'
	on_node 'SLURMD_NODENAME=vm1 /usr/libexec/jobio/jobio-prepare --recover'
	expect_equal 0 "$(on_node '/usr/libexec/jobio/jobio-count status' | jq '.jobs | length')" 'counted jobs'
}

@test "without BPF a node runs the job and counts its steps, with flags" {
	node_counts v2
	on_node 'umount /sys/fs/bpf'
	submit '/payload/truth - write /mnt/a /mnt/b'
	finish "$job"
	on_node 'mount -t bpf bpf /sys/fs/bpf'
	expect_of "$job" '[.app[] | .source]' '["stepd"]'
	expect_of "$job" .quality \
		'["all_files","orphans_missing","mmap_missing","aio_missing","copies_twice"]'
	run words "$job"
	[[ " ${lines[*]} " == *' scope=job src=stepd q=all_files,orphans_missing,mmap_missing,aio_missing,copies_twice'* ]]
}

# private - restart slurmd so that jobs have a /tmp and a /dev/shm of their own (see
# node/namespaces)
private() {
	export vm_out=/var/tmp
	node_is v2 block
	! on_node 'test -e /etc/slurm/own-mount' || return 0
	node_counts v2
	on_node /payload/namespaces
}

# bats test_tags=each_suite
@test "a job with a /tmp of its own has its cores, is counted exactly on the filesystem below, and leaves no files" {
	private
	# shellcheck disable=SC2016 # for the job's shell
	submit 'ls -A /tmp; echo "$SLURM_IO_CPUS"
		dd if=/dev/zero of=/tmp/x bs=64k count=48 status=none
		dd if=/tmp/x of=/dev/null bs=16k count=100 status=none
		dd if=/dev/zero of=/dev/shm/x bs=64k count=16 status=none
		srun -n1 dd if=/dev/zero of=/tmp/y bs=32k count=10 status=none' -D /tmp --io-cores=1
	finish "$job"
	expect_equal COMPLETED "$(controller squeue -h -t all -j "$job" -o %T)" 'state'
	expect_equal 6-7 "$(grep -v '^jobio: ' "$work/$job.out")" 'an empty /tmp, and SLURM_IO_CPUS'
	expect_of "$job" '.app[0] | [.fs, .write_bytes, .write_calls, .read_bytes, .read_calls]' \
		'["/mnt/a",3473408,58,1638400,100]'
	# its /dev/shm is a filesystem that the node does not have
	(($(of "$job" '.app[] | select(.source == "exit") | .write_bytes') >= 3473408 + 1048576))
	expect_of "$job" '[.quality, .steps]' '[[],2]'
	expect_of "$job" '[.findings[].code]' '["W51"]' # cores, and no client
	expect_equal 'gate lock node.json plugin' "$(on_node 'ls /run/jobio' | xargs)" '/run/jobio'
	expect_equal idle "$(controller sinfo -h -o %T)" 'the node'
}

# bats test_tags=each_suite
@test "a mount in a job's own namespace over a counted one sets a flag" {
	local other own=(0 '["mount_below"]')
	private
	# Slurm 22.05 has no script that could mount it. Root has mounted it here: all
	# running jobs get the flag.
	[[ $JOBIO_SUITE != bookworm ]] || own=(1048576 '[]')
	# shellcheck disable=SC2016 # for the job's shell
	submit 'touch begun; for i in $(seq 90); do [ ! -e over ] || exit 0; sleep 1; done; exit 1' \
		-D /var/tmp
	other=$job
	within 120 on_node 'test -e /var/tmp/begun'
	submit 'dd if=/dev/zero of=z bs=64k count=16 status=none' -D /mnt/b
	finish "$job"
	on_node 'touch /var/tmp/over'
	finish "$other"
	expect_equal COMPLETED "$(controller squeue -h -t all -j "$other" -o %T)" 'the job beside it'
	expect_of "$job" '.app[1] | [.fs, .write_bytes]' "[\"/mnt/b\",${own[0]}]"
	expect_of "$job" .quality "${own[1]}"
	expect_of "$other" .quality "${own[1]}"
}

# bats test_tags=each_suite
@test "jobs are counted in the same way with cgroup v1" {
	node_counts v1
	one write
	one names
	one orphan
}
