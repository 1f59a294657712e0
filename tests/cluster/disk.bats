#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# disk.bats - a full or damaged /run on a node: node and client are restored after the job
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }

# A syslog for the test: output of prolog and epilog can be read nowhere else.
setup() {
	docker exec -d "$JOBIO_CLUSTER-c1" python3 -c '
import os, socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("/dev/log")
open("/run/syslog.pid", "w").write(str(os.getpid()))
with open("/run/syslog", "wb", buffering=0) as out:
    while True:
        out.write(s.recv(8192).rstrip(b"\0\n") + b"\n")'
	within 10 on c1 test -s /run/syslog.pid
}

teardown() {
	on c1 sh -c 'kill "$(cat /run/syslog.pid)"; rm -f /dev/log /run/syslog /run/syslog.pid
		! mountpoint -q /run/jobio || umount /run/jobio'
	on login scancel -u alice
	within 60 queue_is_empty
	expect_healthy
	expect_equal writecache "$(mount_mode c1)"
}

# small_run OPTIONS - mount an empty run_dir on c1, as after a boot
small_run() { on c1 mount -t tmpfs -o "mode=755,$1" tmpfs /run/jobio; }
fill_run() { on c1 sh -c '! cat /dev/zero >/run/jobio/fill 2>&1'; }

# logged TEXT - number of lines in c1's log that contain it
logged() { on c1 grep -c -- "$1" /run/syslog; }

mode='grep " /mnt/weka " /run/weka-sim/mounts | grep -owE "forcedirect|readcache|writecache"'

# runs_without_jobio WHY - a job on c1 runs, its output has the message about unmet requests,
# it has a record, and the log has one line with the reason
runs_without_jobio() {
	submit "echo ran; $mode" --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_equal "$UNPREPARED"$'\nran\nwritecache' "$(job_output "$job")"
	expect_equal 1 "$(logged "prolog: job $job: .*$1")" || { on c1 cat /run/syslog >&2; return 1; }
	expect_record "$job" c1 '.request | "\(.profile) \(.applied) \(.cores_met)"' 'stream false false'
	# its start is not known: if its row in slurmdbd ends in an earlier second than the
	# epilog, the ledger takes it for another run's record for two minutes
	within 180 summary_matches "$job" '^jobio/1 not=profile,cores .* prof=stream/not-applied '
	expect_equal 0 "$(on c1 find /var/spool/jobio/open -type f | wc -l)"
}

@test "no space in /run: the job runs with the client unchanged, and one line has the reason" {
	small_run size=16k
	fill_run
	runs_without_jobio "cannot write '.*/start.json': No space left on device"
}

@test "no file can be made in /run: the job runs with the client unchanged, and one line has the reason" {
	small_run nr_inodes=1
	runs_without_jobio 'No space left on device'
}

@test "a read-only /run: the job runs with the client unchanged, and one line has the reason" {
	small_run ro
	runs_without_jobio 'Read-only file system'
}

# while_running COMMAND... - run it while a job with a profile runs on c1
while_running() {
	submit "touch begun; $mode; while [ ! -e go ]; do sleep 0.1; done" \
		--io-cores=1 --io-profile=stream -n1 -w c1
	within 30 on login test -e /home/alice/begun
	"$@"
	as alice touch go
	wait_for_job "$job"
	as alice rm begun go
	expect_equal forcedirect "$(job_output "$job")"
	expect_record "$job" c1 '.changes[0].restored' true
	expect_equal writecache "$(mount_mode c1)"
	on c1 test ! -e "/run/jobio/$job"
}

@test "/run fills while a job runs: its change is undone, and its record is sent" {
	small_run size=256k
	while_running fill_run
}

@test "an unreadable journal: the change is undone, and the record has journal_damaged" {
	while_running damage_journal
	expect_record "$job" c1 '.quality | contains(["journal_damaged"])' true
}

damage_journal() { on c1 sh -c 'head -c 300 /dev/urandom >"$0"; echo >>"$0"' "/run/jobio/$job/journal"; }

@test "the job completes and the node stays up if /run/jobio is emptied while the job runs" {
	while_running on c1 sh -c 'rm -r /run/jobio/*'
}
