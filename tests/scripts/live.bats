#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# live.bats - jobio report --live, with a node made of files: fake-srun starts the
# real jobio-live, which runs a fake jobio-count
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031

load node

setup() {
	node_make
	cp "$BUILDDIR/jobio-live" "$NODE/bin"
	cp "$SRCDIR/tests/scripts/fake-srun" "$NODE/bin/srun"
	cp "$SRCDIR/tests/scripts/fake-sacct" "$NODE/bin/sacct"
	nodes "c1 run $NODE/jobio.conf"
	jobs "$(sacct_job 7 State=RUNNING NNodes=1 JobName=train Partition=gpu)"
	counted 1048576
	starts 7 1 stream
	PATH=$NODE/bin:$PATH
	export TZ=UTC TERM=xterm
}
teardown() { node_remove; }

nodes() { printf '%s\n' "$@" >"$NODE/bin/nodes"; }
jobs() { printf '%s\n' "$@" >"$NODE/bin/jobs"; }
sacct_job() {
	local id=$1 IFS=$'\t'
	shift
	printf 'JobID=%s\tCluster=c\tUser=%s\tStart=1795224862\tExitCode=0:0\t%s\n' "$id" "$(id -un)" "$*"
}

# counted BYTES - set the output of jobio-count
counted() {
	node_count '{"tier":"bpf","groups":["exit","rw"],"reason":null,"app":[
{"scope":"job","shared":null,"source":"bpf","fs":"/mnt/weka","read_bytes":4096,"write_bytes":'"$1"',"read_calls":1,"write_calls":16,"meta":{"open":2}},
{"scope":"job","shared":null,"source":"exit","fs":null,"read_bytes":999,"write_bytes":999,"read_calls":9,"write_calls":19}],"quality":["aio_missing"]}'
}

live() { "$BUILDDIR/jobio" report --conf="$NODE/jobio.conf" "$@"; }

expect_equal() { [[ $2 == "$1" ]] || fail "expected '$1'" "got '$2'"; }

@test "the present counters of a running job are printed, once if into a pipe" {
	run live --live 7
	expect_equal 0 "$status"
	expect_in RUNNING "$output"
	expect_in "1 MiB" "$output"
	counted 3145728
	run live --live=1 7
	expect_in "3 MiB" "$output"
	expect_equal 2 "$(wc -l <"$NODE/bin/ended")"
	[[ $output != *$'\e'* ]]
}

@test "JSON has the records as far as they are known, in the ledger's form" {
	run live --live --json 7
	expect_equal 0 "$status"
	expect_equal 'live 7 1 0 0 1048576 c1 bpf 0 ' "$(jq -r '"\(.source) \(.job) \(.nodes) \(.nodes_blind) \(.nodes_mute)
\(.totals.write_bytes) \(.records[0].node) \(.records[0].app[0].source) \(.timelines | length)"' <<<"$output" | tr -s '\n\t' ' ')"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/report.schema.json" <<<"$output"
	expect_equal '0 ' "$status $output"
}

@test "srun starts one task on each node with --overlap, under the job's own ID" {
	jobs "$(sacct_job 5_1 JobIDRaw=7 State=RUNNING NNodes=1)"
	run live --live 5_1
	expect_equal 0 "$status"
	expect_in '--jobid=7 --overlap --ntasks-per-node=1 --mem=0' "$(<"$NODE/bin/asked")"
	expect_in '--nodes=1 --ntasks=1 --export=JOBIO_LIVE=7 /bin/sh -c' "$(<"$NODE/bin/asked")"
	jobs "$(sacct_job 5+2 JobIDRaw=7 State=RUNNING NNodes=1)"
	run live --live 7
	expect_equal 0 "$status"
	expect_in '--jobid=5 --het-group=2 --overlap' "$(<"$NODE/bin/asked")"
	expect_in '--export=JOBIO_LIVE=7 ' "$(tail -1 "$NODE/bin/asked")"
}

@test "without counting in the kernel no counters are printed before the end" {
	node_count '{"tier":"exit","app":[{"scope":"job","shared":null,"source":"exit","fs":null,"read_bytes":999,"write_bytes":5,"read_calls":9,"write_calls":1}],"quality":[]}'
	run live --live 7
	[[ $status -eq 0 && $output != *999* ]]
	run live --live --json 7
	expect_equal '1 0 null' "$(jq -r '"\(.nodes_blind) \(.records | length) \(.totals)"' <<<"$output")"
}

@test "another user's job is not shown, for any user that starts the step" {
	nodes "c1 run $NODE/jobio.conf 1001"
	run live --live 7
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '7': no numbers from any node: c1: the job is another user's" "$output"
	nodes "c1 run $NODE/jobio.conf 0"
	run live --live 7
	expect_equal 0 "$status"
}

@test "a node with an older jobio is reported in one line, and the others are shown" {
	nodes "c1 run $NODE/jobio.conf" 'c2 old'
	run live --live --json 7
	expect_equal '0 1048576 1' "$status $(jq -r '"\(.totals.write_bytes) \(.nodes_mute)"' <<<"$output")"
	run live --live 7
	expect_in 'c2: jobio on it is older, or switched off' "$output"
	nodes 'c2 old'
	run live --live 7
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '7': no numbers from any node: c2: jobio on it is older, or switched off" "$output"
}

@test "an error of srun is printed to the user" {
	printf 'srun: Job 7 step creation temporarily disabled, retrying\nsrun: error: Unable to confirm allocation for job 7: Invalid job id specified\nsrun: Check SLURM_JOB_ID\n' >"$NODE/bin/refuses"
	run live --live 7
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '7': Unable to confirm allocation for job 7: Invalid job id specified" "$output"
	node_fake srun 'exit 0'
	run live --live 7
	expect_equal "jobio: report: job: '7': the step that queries the nodes has ended" "$output"
	rm "$NODE/bin/srun"
	PATH=$NODE/bin run live --live 7
	expect_equal "jobio: report: there is no srun in PATH" "$output"
}

@test "no step is started for a job that has ended or belongs to another user; for a pending job slurmctld's error is printed" {
	jobs "$(sacct_job 7 State=PENDING)" "$(sacct_job 8 State='CANCELLED by 0')" "$(sacct_job 9 State=RUNNING)" "$(sacct_job 5_1 JobIDRaw=6 State=RUNNING)"
	run live --live 8
	expect_equal "1 jobio: report: job: '8': it is CANCELLED by 0: jobio report 8 has all of it" "$status $output"
	if [[ $EUID != 0 ]]; then
		sed -i "s/User=[^\t]*/User=nobody/" "$NODE/bin/jobs"
		run live --live 9
		expect_equal "1 jobio: report: job: '9': it is nobody's: while a job runs its owner may look at it" "$status $output"
	fi
	[ ! -e "$NODE/bin/asked" ] || [[ $(<"$NODE/bin/asked") != *--jobid* ]]
	printf 'srun: error: Unable to confirm allocation for job 7: Job is pending execution\n' >"$NODE/bin/refuses"
	run live --live 7
	expect_equal "1 jobio: report: job: '7': Unable to confirm allocation for job 7: Job is pending execution" "$status $output"
}

@test "a task that is not in sacct yet is found by squeue" {
	# shellcheck disable=SC2016 # the fake expands it
	node_fake squeue '[[ $* == "-h -j 5_2 -o %A %u" ]] && echo "7 $(id -un)"'
	run live --live 5_2
	expect_equal 0 "$status"
	expect_in '--jobid=7 ' "$(<"$NODE/bin/asked")"
	run live --live 5_3
	expect_equal "1 jobio: report: job: '5_3': it is in the output of neither sacct nor squeue" "$status $output"
}

@test "a malformed reply does not affect the others" {
	nodes "c1 run $NODE/jobio.conf" 'c2 prints hello\n@jobio/1 r 2 1 1 1 c2 {"jobio":1,\n@jobio/1 r 9 1 2 3 c3 x\n@jobio/1 r 2 1 99999 1 c4 x\n@jobio/1 r'
	run live --live 7
	expect_equal 0 "$status"
	expect_in "1 MiB" "$output"
	expect_in 'c2: its reply is invalid' "$output"
}

@test "options that exclude --live are refused" {
	local line why
	while IFS='|' read -r line why; do
		# shellcheck disable=SC2086 # several words
		run live --live $line
		expect_equal "2 jobio: report: --live: $why" "$status $output"
	done <<-'END'
		|of one job: 7, 5_1 or 7+1
		7 8|of one job: 7, 5_1 or 7+1
		5_[1-3]|of one job: 7, 5_1 or 7+1
		7 --csv|without --html, --csv and --restart
		7 --restart=1|without --html, --csv and --restart
	END
	run live --live -u alice
	expect_equal 2 "$status"
	expect_in 'jobio: report: --live: ' "$output"
	run live --live=0 7
	expect_equal "2 jobio: report: --live: '0': not a number from 1 to 3600" "$status $output"
}

@test "jobio-live replies to each request, once to several that arrive together, and exits at the end of its input" {
	local begin=$SECONDS
	run in_env timeout 10 "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 1000 1 < <(printf '\n\n'; sleep 0.3; printf '\n')
	expect_equal 0 "$status"
	expect_in '@jobio/1 r 1 2 1 ' "${lines[0]}"
	expect_in '@jobio/1 r 1 3 1 ' "$output"
	[[ $output != *'@jobio/1 r 1 1 1 '* ]]
	((SECONDS - begin >= 2)) # a second apart
	expect_equal 2 "$(grep -c '^read 7' <(count_calls))"
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 8 1000 1 <<<''
	expect_equal '@jobio/1 e 1 1 1 1 c1 jobio knows nothing of this job' "$output"
	run in_env "$NODE/bin/jobio-live" 7 x 1 <<<''
	expect_equal 64 "$status"
}

@test "jobio-live names a wrong argument" {
	local words message
	while IFS='|' read -r words message; do
		# shellcheck disable=SC2086 # several words
		run in_env "$NODE/bin/jobio-live" $words <<<''
		expect_equal 64 "$status"
		expect_in "$message" "$output"
		[[ $output != *@jobio* ]]
	done <<-'END'
		--nosuch 7 1000 1|'--nosuch': no such option, or its value is missing; see jobio-live --help
		|a word is missing; see jobio-live --help
		7 1000|a word is missing
		7 1000 1 1|'1': one word too many
		0 1000 1|usage: jobio-live [--conf=FILE] JOB UID NODES
		x 1000 1|usage:
		7 4294967296 1|usage:
		7 1000 x|usage:
		7 1000 -1|'-1'
	END
	output=$(in_env "$NODE/bin/jobio-live" --help 2>/dev/null)
	expect_in 'usage: jobio-live [--conf=FILE] JOB UID NODES' "$output"
}

@test "jobio-live replies to root about any job, to users about their own, with the number of nodes" {
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 0 4294967295 <<<''
	expect_equal 0 "$status"
	expect_in '@jobio/1 r 4294967295 1 1 ' "$output"
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 4294967295 3 <<<''
	expect_equal "@jobio/1 e 3 1 1 1 c1 the job is another user's" "$output"
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 4294967295 0 1 <<<''
	expect_equal '@jobio/1 e 1 1 1 1 c1 jobio knows nothing of this job' "$output"
	# its epilog has run, and the next prolog has not
	jq -c '.end = .start + 1' "$NODE/run/7/start.json" >"$NODE/ended"
	cp "$NODE/ended" "$NODE/run/7/start.json"
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 0 1 <<<''
	expect_equal '@jobio/1 e 1 1 1 1 c1 the job has ended here' "$output"
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/none.conf" 7 0 1 <<<''
	expect_in '@jobio/1 e 1 1 1 ' "$output"
	expect_in "$NODE/none.conf" "$output"
}

@test "jobio-live exits if its output fails, and prints nothing without a request" {
	local in
	run in_env "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 0 1 < <(printf 'abc')
	expect_equal '0 ' "$status $output"
	run in_env timeout 10 "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 7 0 1 </
	expect_equal '0 ' "$status $output"
	# its input remains open
	mkfifo "$NODE/in"
	exec {in}<>"$NODE/in"
	echo >&"$in"
	run in_env timeout 10 sh -c 'exec "$@" >/dev/full' - "$NODE/bin/jobio-live" --conf="$NODE/jobio.conf" 8 0 1 <&"$in"
	exec {in}>&-
	expect_equal '0 ' "$status $output"
}

@test "--live does not change the job's record" {
	step 7 batch 5 6
	run live --live 7
	epilog
	expect_equal '["bpf","exit","stepd"] ["aio_missing"]' "$(jq -rc '"\([.app[].source]) \(.quality)"' <<<"$(record 7)")"
	run live --live 7
	expect_in 'c1: jobio knows nothing of this job' "$output"
}

@test "on a terminal counters are updated, with rates, until Ctrl-C; then the step ends" {
	# at each update 1 MiB more is written
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-count 'file=${0%/bin/*}/looks; echo >>"$file"
	printf "{\"tier\":\"bpf\",\"app\":[{\"scope\":\"job\",\"shared\":null,\"source\":\"bpf\",\"fs\":\"/mnt/weka\",\"read_bytes\":0,\"write_bytes\":%d,\"read_calls\":0,\"write_calls\":16}],\"quality\":[]}\n" $(($(wc -l <"$file") << 20))'
	run timeout 30 python3 - "$BUILDDIR/jobio" report --conf="$NODE/jobio.conf" --live=1 7 <<-'EOP'
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		text = b""
		while b"3 MiB  16 x" not in text:
		    text += os.read(fd, 65536)
		os.write(fd, b"\x03")
		try:
		    while chunk := os.read(fd, 65536):
		        text += chunk
		except OSError:
		    pass
		sys.stdout.buffer.write(text)
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	EOP
	expect_equal 0 "$status"
	expect_in "1 MiB" "$output"
	expect_in "/mnt/weka, last 1 s: read 0/s in 0 calls/s, written " "$output"
	wait_for grep -c '' "$NODE/bin/ended"
}
