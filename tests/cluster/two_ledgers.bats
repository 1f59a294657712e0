#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# two_ledgers.bats - two ledgers on the site's MariaDB write one summary for each job,
# whichever process is killed
#
# One ledger runs beside slurmdbd, the other beside slurmctld; c1 and c3 send to the
# first by preference, c2 to the second, so that a job's records meet in the database.
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

# in_db SQL - run it in the ledgers' schema
in_db() {
	on db mariadb --batch --skip-column-names -e "$1" jobio_ledger 2>/dev/null | tr '\t' '|'
}

# second_ledger - start the ledger on ctld
second_ledger() {
	docker exec -d "$JOBIO_CLUSTER-ctld" setpriv --reuid=slurm --regid=slurm --init-groups \
		bash -c 'echo $$ >/tmp/ledger.pid; exec /usr/sbin/jobio-ledgerd 2>>/tmp/ledger.log'
	within 20 on ctld bash -c 'exec 3<>/dev/tcp/localhost/8632'
}

# kill_second - kill it and its writer with kill -9
kill_second() { on ctld bash -c 'kill -9 "$(</tmp/ledger.pid)"'; }

# written HOST - summaries that its ledger has written since it started
written() { on "$1" sed -n 's/^jobio_ledger_summaries_written_total //p' /tmp/jobio.prom; }
one_is_written() { (($(written dbd) + $(written ctld) == 1)); }

setup_file() {
	expect_healthy
	on db mariadb -e "DROP DATABASE IF EXISTS jobio_ledger; GRANT ALL ON jobio_ledger.* TO slurm@'%'"
	# commits survive a crash of MariaDB: the cluster's default does not flush them
	on db mariadb -e 'SET GLOBAL innodb_flush_log_at_trx_commit = 1'
	local host
	for host in login dbd ctld c1 c2 c3; do
		set_conf "$host" 's/^host = .*/host = dbd, ctld/
			/^.ledger.$/a store = mariadb\nstorage_host = db\nmetrics_file = /tmp/jobio.prom
			/^.ledger.$/a storage_pass_file = /etc/slurm/storage.pass'
	done
	set_conf c2 's/^host = .*/host = ctld, dbd/'
	for host in dbd ctld; do
		on "$host" bash -c 'umask 077; echo slurm >/etc/slurm/storage.pass
			chown slurm: /etc/slurm/storage.pass'
	done
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
	second_ledger
}

teardown_file() {
	on ctld bash -c 'kill "$(</tmp/ledger.pid)"' || :
	site_restore
	on ctld cp /conf/jobio.conf /etc/slurm/jobio.conf
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
	on db mariadb -e 'DROP DATABASE jobio_ledger; SET GLOBAL innodb_flush_log_at_trx_commit = 0'
	on login scancel -u alice
	within 60 queue_is_empty
}

# all_written COUNT - there are COUNT runs, each with its summary
all_written() { expect_equal "$1|$1" "$(in_db 'SELECT count(*), sum(dirty=0 AND written>0) FROM runs')"; }

runs_at_least() { (($(in_db 'SELECT count(*) FROM runs') >= $1)); }

# run_array COUNT - submit an array; sets $job
run_array() { submit 'dd if=/dev/zero of=/dev/null bs=64k count=16 status=none' --array="1-$1" -n1; }

# expect_one_each COUNT - each task of $job has one summary in sacct
expect_one_each() {
	local texts
	texts=$(on login sacct -n -X -P -j "$job" -o SystemComment)
	expect_equal "$1" "$(grep -c '^jobio/1 .*nodes=1/1' <<<"$texts")"
	expect_equal 0 "$(grep -c 'jobio/1.*jobio/1' <<<"$texts")"
}

@test "records of one job that are sent to two ledgers make one summary" {
	submit 'srun dd if=/dev/zero of=/dev/null bs=1M count=3 status=none' -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 .*nodes=2/2'
	expect_equal 'c1|c2' "$(in_db "SELECT node FROM records JOIN runs ON run=id WHERE job=$job ORDER BY node" | paste -sd '|')"
	within 60 one_is_written # the file is written every 15 s
	[[ $(on login jobio report --json "$job" | jq '.records | length') == 2 ]]
}

@test "no record and no summary is lost if a ledger is killed with kill -9 while jobs end" {
	local before
	before=$(in_db 'SELECT count(*) FROM runs')
	run_array 40
	within 120 runs_at_least $((before + 8))
	kill_second
	within 180 queue_is_empty
	# runs that the killed ledger had claimed are taken over after 150 s
	within 240 all_written $((before + 40))
	expect_one_each 40
	expect_equal 0 "$(on c2 find /var/spool/jobio -maxdepth 1 -name '*.json' | wc -l)"
	second_ledger
}

# known - the records in the database, with the checksums of their text
known() { in_db 'SELECT job, node, md5(text) FROM records JOIN runs ON run=id' | sort; }
source_of() { on login jobio report --json "$1" | jq -r .source; }

@test "after a restore of a MariaDB dump that was made while jobs end, old reports are back, and new jobs are recorded" {
	local before old later wait='until [ -e go.$SLURM_JOB_ID ]; do sleep 0.1; done'
	submit "$wait" -n1 -w c1
	later=$job
	submit "$wait" -n1 -w c2
	within 60 job_runs "$job"
	within 60 job_runs "$later"
	old=$(in_db 'SELECT min(job) FROM runs')
	before=$(in_db 'SELECT count(*) FROM runs')
	known >"$BATS_TEST_TMPDIR/before"
	as alice touch "go.$job"
	on db sh -c 'mariadb-dump --single-transaction jobio_ledger >/tmp/ledger.sql'
	as alice touch "go.$later"
	within 60 queue_is_empty
	within 120 all_written $((before + 2))
	as alice rm "go.$job" "go.$later"
	expect_summary "$later" 'nodes=1/1'
	# the database is dropped
	on dbd svc stop jobio-ledgerd
	kill_second
	on db mariadb -e 'DROP DATABASE jobio_ledger; CREATE DATABASE jobio_ledger'
	on db sh -c 'mariadb jobio_ledger </tmp/ledger.sql'
	on dbd svc start jobio-ledgerd
	second_ledger
	known >"$BATS_TEST_TMPDIR/after"
	expect_equal '' "$(comm -23 "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after")"
	expect_equal ledger "$(source_of "$old")"
	# of a job after the dump there is only the summary
	expect_equal sacct "$(source_of "$later")"
	expect_summary "$later" 'nodes=1/1'
	submit 'srun true' -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	expect_summary "$job" 'nodes=2/2'
	expect_equal ledger "$(source_of "$job")"
}

@test "no record and no summary is lost if MariaDB is killed with kill -9 while jobs end" {
	local before
	before=$(in_db 'SELECT count(*) FROM runs')
	run_array 20
	within 120 runs_at_least $((before + 4))
	on db svc kill mariadbd
	within 180 queue_is_empty
	within 240 all_written $((before + 20))
	expect_one_each 20
}
