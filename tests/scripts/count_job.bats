#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count_job.bats - calls of jobio-count by prolog and epilog; jobio-count is a fake here. Counting
# by the real one: tests/vm/count.bats; with a real Slurm: tests/vm/count_job.bats.
#
# each test is a subshell, in which shellcheck takes variables for lost
# shellcheck disable=SC2030,SC2031,SC2034 # node.bash uses NODE_MORE

load node

setup() {
	node_make
}

teardown() {
	node_remove
}

# Output of jobio-count for a job that wrote 1 MiB to the client.
COUNTED='{"tier":"bpf","groups":["exit","rw"],"reason":null,"app":[
{"scope":"job","shared":null,"source":"bpf","fs":"/mnt/weka","read_bytes":0,"write_bytes":1048576,"read_calls":0,"write_calls":16,"meta":{"open":2,"create":1},"write_sizes":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,16]},
{"scope":"job","shared":null,"source":"exit","fs":null,"read_bytes":999,"write_bytes":1048999,"read_calls":9,"write_calls":19}],"quality":["aio_missing"]}'

# of ID FILTER - jq on a record in the spool
of() {
	jq -rc "$2" <<<"$(record "$1")"
}

# expect_of ID FILTER VALUE - fail unless jq prints VALUE
expect_of() {
	local have
	have=$(of "$1" "$2")
	[[ $have == "$3" ]] || fail "$2: '$have' instead of '$3'"
}

@test "counting starts at the end of the prolog, is read first in the epilog, and stops when the record is written" {
	job 7 1 stream
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-count 'node=${0%/bin/*}
	printf "%s, gate %s, mount %s, record %s\n" "${*: -2}" \
		"$(ls "$node/run/7" | grep -cx gate)" \
		"$(grep -cw forcedirect "$node/weka/mounts")" \
		"$(ls "$node/spool" | grep -c "^7[.]")" >>"$node/count-calls"
	echo "{\"tier\":\"exit\"}"'
	prolog
	epilog
	run count_calls
	expect_in "7 /mnt/weka, gate 1, mount 1, record 0
read 7, gate 0, mount 1, record 0
stop 7, gate 0, mount 0, record 1" "$output"
	[ "${#lines[@]}" -eq 3 ]
}

@test "the client's filesystems and those of mounts= are counted, with times and the run's name" {
	NODE_MORE=$'[count]\nmounts = /scratch  /tmp'
	node_conf
	job 7
	JOB_ENV+=(SLURM_JOB_SLUID=sEKNKTV3WPV500)
	prolog
	run count_calls
	[ "$output" = '--latency --sluid=sEKNKTV3WPV500 start 7 /mnt/weka /scratch /tmp' ]
}

@test "latency = no switches times off" {
	NODE_MORE=$'[count]\nlatency = no'
	node_conf
	job 7
	prolog
	run count_calls
	[ "$output" = 'start 7 /mnt/weka' ]
}

@test "before slurmd starts the programs of the prolog's options are loaded; none if jobio or counting is off" {
	local line
	for line in '' 'latency = no' 'latency = yes'; do
		NODE_MORE=$'[count]\n'$line
		node_conf
		rm -f "$NODE/count-calls"
		load_programs
		"$SRCDIR/tests/vm/preload" "$NODE/bin/jobio-count" "$NODE/jobio.conf"
		job 9999
		prolog
		epilog
		run count_calls
		[ "${lines[0]}" = "${lines[1]}" ]
		[ "${lines[0]/load/start 9999 /mnt/weka}" = "${lines[2]}" ]
	done
	rm "$NODE/count-calls"
	NODE_MORE=$'[count]\nkernel = no' node_conf
	load_programs
	NODE_JOBIO='enabled = no' node_conf
	load_programs
	NODE_JOBIO='nodes = c[2-9]' node_conf
	load_programs
	[ ! -e "$NODE/count-calls" ]
	node_conf
	node_fake jobio-count 'echo "jobio: count: load: no lock" >&2; exit 1'
	run load_programs
	[ "$status" -eq 0 ]
	expect_in 'jobio-count: exit status 1: jobio: count: load: no lock' "$output"
}

@test "a job has finding W62 if programs are not loaded within the prolog's budget" {
	NODE_JOBIO=prolog_budget_ms=3000 node_conf
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-count 'printf "%s\n" "$*" >>"${0%/bin/*}/count-calls"
	echo "{\"tier\":\"none\",\"loading\":true,\"reason\":\"counters: loading goes on\",\"app\":[],\"quality\":[]}"'
	job 7
	expect_run 0 prolog 'jobio-count: counters: loading goes on'
	[[ $(<"$NODE/count-calls") =~ --wait=([0-9]+)' start 7' ]]
	((BASH_REMATCH[1] > 500 && BASH_REMATCH[1] <= 3000)) || fail "waits ${BASH_REMATCH[1]} ms of 3000"
	step 7 batch 5 6
	epilog
	expect_of 7 '[.app[] | .source]' '["stepd"]'
	expect_of 7 '.findings[0].cure' 'systemctl enable jobio-recover.service: it loads them before slurmd starts'
	expect_of 7 '[.findings[] | [.code, .severity, .text]]' \
		'[["W62","warning","the job was not counted by filesystem: counters: loading goes on"]]'
}

@test "a job counted by another version of jobio has a finding" {
	node_count "$COUNTED"
	starts 7
	node_count '{"tier":"none","reason":"counters: job 7: another version of jobio began to count it","app":[],"quality":[]}'
	step 7 batch 5 6
	expect_run 0 epilog 'another version of jobio began to count it'
	expect_of 7 '[.findings[] | [.code, .text]]' \
		'[["W62","the job was not counted by filesystem: jobio-count: counters: job 7: another version of jobio began to count it"]]'
}

@test "the record has each filesystem, then all files, then the steps; its quality is that of the best source" {
	node_count "$COUNTED"
	starts 7
	step 7 batch 5 6
	printf 'damaged' >"$NODE/run/7/steps/0"
	epilog
	expect_of 7 '[.app[] | [.source, .fs, .write_bytes]]' \
		'[["bpf","/mnt/weka",1048576],["exit",null,1048999],["stepd",null,6]]'
	expect_of 7 '.app[0].meta.create' 1
	expect_of 7 '.app[0].write_sizes[16]' 16
	expect_of 7 .quality '["aio_missing"]'
	expect_of 7 .steps 2
}

@test "steps without slurmstepd's own I/O have no flag; the gate's warnings of their tasks are added up" {
	local step
	starts 7
	for step in batch 0; do
		printf '{"step":"%s","read_bytes":5,"write_bytes":6,"read_calls":1,"write_calls":1,"own_out":true,"start":1795224862,"end":1795224890,"warned":"the job may run on CPU 7","warned_tasks":2}\n' \
			"$step" >"$NODE/run/7/steps/$step"
	done
	epilog
	expect_of 7 .quality '["all_files","orphans_missing","mmap_missing","aio_missing","copies_twice"]'
	expect_of 7 .gate '{"warned":4,"refused":0,"text":"the job may run on CPU 7"}'
	expect_of 7 .refused null
}

@test "without BPF the steps are counted, with flags for missing I/O" {
	starts 7
	step 7 batch 5 6
	expect_run 0 epilog ''
	expect_of 7 '[.app[] | [.source, .read_bytes]]' '[["stepd",5]]'
	expect_of 7 .quality \
		'["all_files","includes_stepd","orphans_missing","mmap_missing","aio_missing","copies_twice"]'
}

@test "a node without jobio-count runs jobs as before, with one line in the log for each" {
	rm "$NODE/bin/jobio-count"
	job 7
	expect_run 0 prolog "$NODE/bin/jobio-count"
	[ "${#lines[@]}" -eq 1 ]
	step 7 batch 5 6
	expect_run 0 epilog ''
	expect_of 7 '[.app[] | [.source, .read_bytes]]' '[["stepd",5]]'
}

@test "malformed counters cause a line in the log and nothing else" {
	node_count "$COUNTED"
	starts 7
	step 7 batch 5 6
	node_count '{"app":[{"scope":"everybody"}]}'
	expect_run 0 epilog 'everybody'
	expect_of 7 '[.app[] | [.source, .read_bytes]]' '[["stepd",5]]'
}

@test "a jobio-count that fails causes a line in the log and nothing else" {
	node_fake jobio-count 'echo "jobio: count: start: no lock" >&2; exit 1'
	job 7
	expect_run 0 prolog 'jobio-count: exit status 1: jobio: count: start: no lock'
	step 7 batch 5 6
	expect_run 0 epilog ''
	expect_of 7 '[.app[] | [.source, .read_bytes]]' '[["stepd",5]]'
}

@test "a hanging jobio-count delays a prolog by its budget and two seconds, and the job runs" {
	NODE_JOBIO=prolog_budget_ms=3000 node_conf
	node_fake jobio-count 'exec sleep 60'
	job 7 1 stream
	local start=$SECONDS
	expect_run 0 prolog 'jobio-count' \
		' ms'
	expect_options forcedirect
	[ $((SECONDS - start)) -lt 7 ]
	epilog
	expect_of 7 '[.findings[].code]' '["W62"]'
}

@test "a hanging jobio-count delays an epilog by five seconds and by two, and the record is written" {
	node_count "$COUNTED"
	starts 7 1 stream
	node_fake jobio-count 'exec sleep 60'
	step 7 batch 5 6
	local start=$SECONDS
	expect_run 0 epilog '5000 ms' \
		'2000 ms'
	[ $((SECONDS - start)) -lt 11 ]
	expect_base
	expect_of 7 '[.app[] | [.source, .read_bytes]]' '[["stepd",5]]'
}

@test "a filesystem that cannot be counted is logged" {
	node_count '{"tier":"bpf","groups":[],"reason":"counters: mount: '"'/scratch'"': not a mount point"}'
	job 7
	expect_run 0 prolog "jobio-count: counters: mount: '/scratch': not a mount point"
}

@test "kernel = no switches counting in the kernel off" {
	NODE_MORE=$'[count]\nkernel = no'
	node_conf
	starts 7
	step 7 batch 5 6
	epilog
	recover
	[ ! -e "$NODE/count-calls" ]
	expect_of 7 '[.app[] | .source]' '["stepd"]'
}

@test "counters of a job without an epilog are read and stopped by the next prolog" {
	node_count "$COUNTED"
	starts 7 1 stream
	step 7 batch 5 6
	rm "$NODE/count-calls"
	starts 8 1 stream
	expect_of 7 '.app[0].write_bytes' 1048576
	run count_calls
	[ "${lines[0]}" = 'read 7' ]
	[ "${lines[1]}" = 'stop 7' ]
	[ "${lines[2]}" = '--latency start 8 /mnt/weka' ]
}

@test "an epilog that runs a second time keeps the record and stops the counters again" {
	node_count "$COUNTED"
	one_job 7
	local first
	first=$(record 7)
	rm "$NODE/count-calls"
	node_count '{"tier":"none","app":[],"quality":[]}'
	epilog
	[ "$(record 7)" = "$first" ]
	run count_calls
	[ "$output" = 'stop 7' ]
}

@test "if the client cannot be restored counters are kept for the record that is written again" {
	node_count "$COUNTED"
	starts 7 1 stream
	rm "$NODE/count-calls"
	mv "$NODE/bin/mount" "$NODE/bin/mount-away"
	epilog
	expect_of 7 '.app[0].write_bytes' 1048576
	run count_calls
	[ "$output" = 'read 7' ]
	mv "$NODE/bin/mount-away" "$NODE/bin/mount"
	starts 8 1 stream
	expect_of 7 '.app[0].write_bytes' 1048576
	expect_of 7 '.changes[0].restored' true
}

@test "--recover stops the counters of ended jobs, and no others" {
	node_count '{"tier":"bpf","jobs":[{"job":7,"fs":null},{"job":7,"fs":"/mnt/weka"},{"job":8,"fs":null},{"job":9,"fs":null}]}'
	job 8
	prolog # has a folder: its record is not written yet
	node_stepd 9
	rm "$NODE/count-calls"
	recover
	run count_calls
	[ "$output" = $'status\nstop 7' ]
}
