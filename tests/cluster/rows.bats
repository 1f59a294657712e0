#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rows.bats - each row of slurmdbd gets the numbers of its own job
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }

teardown() {
	on dbd svc start jobio-ledgerd
	expect_healthy
}

# summary_of JOB [SACCT OPTION...] - SystemComment in sacct, a line for each row
summary_of() {
	local id=$1
	shift
	on login sacct -n -X -P -j "$id" -o SystemComment "$@"
}

has_summary() { [[ $(summary_of "$1") == "jobio/1 "*" nodes=$2 "* ]]; }

@test "every task of an array has a summary in its own row, also the leader" {
	# the raw ID of one of the tasks is that of the array
	submit 'dd if=/dev/zero of=/dev/null bs=1M count=$((SLURM_ARRAY_TASK_ID * 100)) 2>/dev/null' \
		--array=1-3 -n1 --io-cores=1
	local array=${job%%_*}
	wait_for_job "$array"
	local task
	for task in 1 2 3; do
		within 60 has_summary "${array}_$task" 1/1
		# 100 MiB times the task's ID, read from /dev/zero and written, and a little more
		expect_text " rd=${task}0" "$(summary_of "${array}_$task")"
	done
	expect_equal 3 "$(summary_of "$array" | grep -c '^jobio/1 .* nodes=1/1 ')"
	expect_text " rd=20" "$(as alice jobio report -v "${array}_2" | grep summary)"
}

@test "a requeued job has a summary in the row of each run" {
	submit 'dd if=/dev/zero of=/dev/null bs=1M count=$(((SLURM_RESTART_COUNT + 1) * 100)) 2>/dev/null
		: >"read.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}"
		[[ ${SLURM_RESTART_COUNT:-0} != 0 ]] || scontrol requeue $SLURM_JOB_ID; sleep 30' \
		-n1 --requeue --io-cores=1
	within 30 requeued "$job"
	start_again "$job"
	within 60 on login test -e "/home/alice/read.$job.1"
	within 60 first_row_is_written "$job"
	on login scancel "$job"
	wait_for_job "$job"
	within 60 both_rows "$job"
	summary_of "$job" --duplicates >"$BATS_TEST_TMPDIR/rows"
	expect_text ' rd=10' "$(sed -n 1p "$BATS_TEST_TMPDIR/rows")"
	expect_text ' rd=20' "$(sed -n 2p "$BATS_TEST_TMPDIR/rows")"
}

requeued() { [[ $(on login scontrol show job "$1" -o) == *Restarts=1* ]]; }

first_row_is_written() { summary_of "$1" --duplicates | sed -n 1p | grep -q '^jobio/1 .* nodes=1/1 '; }
both_rows() { [[ $(summary_of "$1" --duplicates | grep -c '^jobio/1 .* nodes=1/1 ') == 2 ]]; }

@test "components of a heterogeneous job have a row each" {
	submit 'srun --het-group=0 dd if=/dev/zero of=/dev/null bs=1M count=100 2>/dev/null &
		srun --het-group=1 dd if=/dev/zero of=/dev/null bs=1M count=300 2>/dev/null
		wait' -n1 -w c1 --io-cores=1 : -n1 -w c2 --io-cores=1
	wait_for_job "$job"
	within 60 has_summary "$job+0" 1/1
	within 60 has_summary "$job+1" 1/1
	expect_text ' rd=10' "$(summary_of "$job+0")"
	expect_text ' rd=30' "$(summary_of "$job+1")"
}

@test "a node that never reports is missing from the summary after the grace period" {
	on dbd svc stop jobio-ledgerd
	submit 'srun true' -N2 -w c1,c2
	wait_for_job "$job"
	expect_healthy
	on c2 find /var/spool/jobio -maxdepth 1 -name "$job.*.json" -exec mv {} /var/spool/jobio/kept \;
	on dbd svc start jobio-ledgerd
	within 20 on c1 /usr/libexec/jobio/jobio-send --once # when the ledger listens
	within 60 has_summary "$job" 1/2
	expect_text ' miss=c2' "$(summary_of "$job")"
	# a late record is added
	on c2 mv /var/spool/jobio/kept "/var/spool/jobio/$job.0.c2.json"
	on c2 /usr/libexec/jobio/jobio-send --once
	within 30 has_summary "$job" 2/2
	[[ $(summary_of "$job") != *miss=* ]]
}

@test "a user cannot send a record" {
	run as alice python3 -c 'import socket, struct, subprocess, sys
text = b"jobio/1 " + b"0" * 32 + b"\n{\"op\":\"put\",\"record\":{\"jobio\":1,\"cluster\":\"jobio\",\"job\":1,\"node\":\"c1\",\"uid\":0,\"start\":1}}"
cred = subprocess.run(["munge", "-u", "slurm"], input=text, capture_output=True, check=True).stdout.strip()
s = socket.create_connection(("dbd", 8632), 5)
s.sendall(struct.pack(">I", len(cred)) + cred)
size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
answer = s.recv(size, socket.MSG_WAITALL)
sys.stdout.buffer.write(subprocess.run(["unmunge"], input=answer, capture_output=True).stdout)'
	expect_equal 0 "$status"
	expect_text '{"ok":false,"error":"put: only root may put records"}' "$output"
}

@test "jobio-ledgerd --check prints ok for everything" {
	run on dbd setpriv --reuid slurm --regid slurm --clear-groups jobio-ledgerd --check
	expect_equal 0 "$status"
	expect_text 'slurmdbd: ok' "$output"
}
