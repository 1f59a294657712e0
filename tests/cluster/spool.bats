#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# spool.bats - a full disk below the spool of a node
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

SPOOL=/var/spool/jobio

setup() {
	expect_healthy
	within 30 is_empty
	on dbd svc stop jobio-ledgerd
	on c3 svc stop jobio-send-timer
	on c3 mount -t tmpfs -o size=40k,mode=700 none "$SPOOL"
}

teardown() {
	on c3 umount "$SPOOL"
	on dbd svc start jobio-ledgerd
	on c3 svc start jobio-send-timer
	expect_healthy
}

is_empty() { [[ -z $(spooled c3) ]]; }
only_spooled() { [[ $(spooled c3) =~ ^$1\.[0-9x]+\.c3\.json$ ]]; }
is_spooled() { [[ $(spooled c3) == "$1."* ]]; }

# epilog JOB - run it as slurmd does
epilog() {
	on c3 env -i SLURMD_NODENAME=c3 SLURM_CLUSTER_NAME=jobio "SLURM_JOB_ID=$1" \
		SLURM_JOB_UID=1000 SLURM_JOB_GID=1000 SLURM_JOB_USER=alice \
		SLURM_JOB_NODELIST=c3 /usr/libexec/jobio/epilog 2>&1
}

@test "on a full disk older records are kept, the newest is not written and logged, the job completes and the node is not drained" {
	local first
	submit true -n1 -w c3 --io-cores=1
	wait_for_job "$job"
	first=$job
	within 20 is_spooled "$first"
	run on c3 dd if=/dev/zero of="$SPOOL/ballast" bs=4k count=100
	expect_text 'No space left on device' "$output"
	submit true -n1 -w c3 --io-cores=1
	wait_for_job "$job"
	expect_equal COMPLETED "$(job_state "$job")"
	expect_healthy
	only_spooled "$first"
	run epilog 999999
	expect_equal 0 "$status"
	expect_text "record: '$SPOOL/999999.x.c3.json': the disk is full: this record is lost, older ones are kept: look why jobio-send does not reach the ledger" "$output"
	only_spooled "$first"
	run on c3 find /run/jobio "$SPOOL" -name '*.tmp.*' -o -name 999999
	expect_equal '' "$output"
	on c3 rm "$SPOOL/ballast"
	on dbd svc start jobio-ledgerd
	within 20 on c3 /usr/libexec/jobio/jobio-send --once # when the ledger listens
	is_empty
	expect_summary "$first" '^jobio/1 .* nodes=1/1 '
	# with free space records are written again
	submit true -n1 -w c3 --io-cores=1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .* nodes=1/1 '
}
