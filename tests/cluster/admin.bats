#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# admin.bats - field = admin beside a jobstats, whose part SQL plays: sacctmgr of
# 22.05 writes small letters only
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

setup_file() { expect_healthy; }

setup() {
	on dbd svc stop jobio-ledgerd
	set_conf dbd '/^\[ledger\]/a field = admin'
}

teardown() {
	site_restore
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
	expect_healthy
}

# 20.11 cannot change AdminComment: everything goes to SystemComment.
knows_admin() { ! on login sinfo --version | grep -q 'slurm.* 20\.11'; }

js1() {
	python3 -c 'import base64, gzip
print("JS1:" + base64.b64encode(gzip.compress(b"{\"nodes\": {\"c1\": {\"cpus\": 1}}, \"total_time\": 61, \"gpus\": 0}")).decode())'
}

# jobstats_writes JOB TEXT - what its epilog does, without asking what is there
jobstats_writes() {
	on db mariadb slurm_acct_db -e \
		"UPDATE jobio_job_table SET admin_comment='$2' WHERE id_job=$1"
	expect_equal "$2" "$(admin_comment "$1")"
}

admin_comment() { on login sacct -n -X -P -j "$1" -o AdminComment; }

# merged JOB - the JSON of jobstats with our key in it, as its readers see it
merged() {
	admin_comment "$1" | python3 -c 'import base64, gzip, json, sys
job = json.loads(gzip.decompress(base64.b64decode(sys.stdin.read().strip()[4:])))
assert job["nodes"]["c1"]["cpus"] == 1 and job["total_time"] == 61, job
print(job["jobio"])'
}

is_merged() { [[ $(merged "$1") == 'jobio/1 '*' nodes=1/1 '* ]]; }
is_written() { grep -q '^jobio/1 .* nodes=1/1 ' <<<"$(summary "$1")"; }

# ended_job - a job that slurmdbd knows to its end; sets $job
ended_job() {
	submit true --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	within 30 accounted "$job" COMPLETED
}

@test "the summary is merged into what jobstats wrote, and other text is left alone" {
	local first second third text
	ended_job; first=$job
	ended_job; second=$job
	ended_job; third=$job
	text=$(js1)
	jobstats_writes "$first" "$text"
	jobstats_writes "$second" JS1:Short
	jobstats_writes "$third" 'see ticket 7'
	on dbd svc start jobio-ledgerd
	within 20 on c1 /usr/libexec/jobio/jobio-send --once # when the ledger listens
	within 60 is_written "$second"
	within 60 is_written "$third"
	expect_equal JS1:Short "$(admin_comment "$second")"
	expect_equal 'see ticket 7' "$(admin_comment "$third")"
	if knows_admin; then
		within 60 is_merged "$first"
		expect_equal '' "$(summary "$first")"
		expect_text 'from sacct' "$(as bob jobio report "$first")"
	else
		within 60 is_written "$first"
		expect_equal "$text" "$(admin_comment "$first")"
		expect_text "field: 'admin': Slurm before 22.05 cannot change AdminComment" \
			"$(on dbd setpriv --reuid slurm --regid slurm --clear-groups jobio-ledgerd --check)"
	fi
}

@test "a jobstats that comes after the summary is looked for again, and the summary merged" {
	on dbd svc start jobio-ledgerd
	ended_job
	within 60 is_written "$job"
	expect_equal '' "$(admin_comment "$job")"
	local text
	text=$(js1)
	jobstats_writes "$job" "$text"
	if knows_admin; then
		within 60 is_merged "$job"	# 30 s after the job's end
	else
		expect_equal "$text" "$(admin_comment "$job")"
	fi
	is_written "$job"
}
