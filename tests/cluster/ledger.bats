#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# ledger.bats - every job's I/O reaches accounting, whichever daemons are down meanwhile
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }
teardown() {
	site_restore
	on login scancel -u alice
	on dbd svc start slurmdbd
	restore_slurmdbd
	on dbd svc start jobio-ledgerd
	within 60 queue_is_empty
	expect_healthy
}

@test "the summary of a job on two nodes reaches sacct" {
	submit 'srun dd if=/dev/zero of=/mnt/weka/$SLURM_JOB_ID bs=1M count=3 status=none' \
		--io-cores=1 --io-profile=stream -N2 --ntasks-per-node=1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 rd=[^ ]+ wr=[^ ]+ of=all_files nodes=2/2 cores=1 cpus=[0-9,-]+ prof=stream fs=/mnt/weka:wekafs scope='
	local text
	text=$(summary "$job")
	[[ $text =~ ^jobio/1(\ [a-z]+=[A-Za-z0-9+/=._:\;,@%-]+)+$ ]]
	((${#text} <= 1000))
}

@test "a job without a request has a summary, too" {
	submit true -n1
	wait_for_job "$job"
	expect_summary "$job" '^jobio/1 rd=[^ ]+ wr=[^ ]+ (of=all_files )?nodes=1/1 cores=- cpus=- prof=- '
}

@test "bytes that a job reads and writes are counted, with their scope and source" {
	# 5 MiB from /dev/zero to a file, 5 MiB from the file to /dev/null: 10 MiB both ways
	submit 'dd if=/dev/zero of=/mnt/weka/$SLURM_JOB_ID bs=1M count=5 status=none
		dd if=/mnt/weka/$SLURM_JOB_ID of=/dev/null bs=1M status=none' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_record "$job" c1 '[.app[] | select(.scope == "job" and .source == "stepd")][0] |
		[.read_bytes, .write_bytes] | all(. >= 10485760 and . < 11000000)' true
	expect_record "$job" c1 '.quality | contains(["all_files"])' true
}

# between LOW HIGH NUMBER
between() {
	(($3 >= $1 && $3 <= $2)) || { printf '%s is not from %s to %s\n' "$3" "$1" "$2" >&2; return 1; }
}

@test "dd on two nodes: records, report and sacct have its bytes, with their source" {
	local node mib report text key
	# reads /dev/zero and the file, writes the file and /dev/null: twice 8 MiB on the
	# first node, twice 24 MiB on the second, in calls of 64 KiB
	submit 'srun sh -c "f=/mnt/weka/\$SLURM_JOB_ID.\$SLURM_PROCID n=\$((128 + 256 * SLURM_PROCID))
		dd if=/dev/zero of=\$f bs=64k count=\$n status=none
		dd if=\$f of=/dev/null bs=64k status=none"' -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	expect_summary "$job" 'nodes=2/2'
	text=$(summary "$job")
	report=$(on login jobio report --json "$job")
	# no bpffs in a container: counted by slurmstepd, with srun in the batch script
	for node in c1:16 c2:48; do
		mib=${node#*:} node=${node%:*}
		expect_equal '1 stepd job null' "$(jq -r --arg n "$node" '.records[] | select(.node == $n)
			| "\(.app | length) \(.app[0] | "\(.source) \(.scope) \(.fs)")"' <<<"$report")"
		for key in read_bytes write_bytes; do
			between $((mib << 20)) $(((mib << 20) + 600000)) "$(jq --arg n "$node" --arg k "$key" \
				'.records[] | select(.node == $n) | .app[0][$k]' <<<"$report")"
		done
		for key in read_calls write_calls; do
			between $((mib * 16)) $((mib * 16 + 3000)) "$(jq --arg n "$node" --arg k "$key" \
				'.records[] | select(.node == $n) | .app[0][$k]' <<<"$report")"
		done
	done
	for key in read_bytes write_bytes read_calls write_calls; do
		expect_equal "$(jq "[.records[].app[0].$key] | add" <<<"$report")" "$(jq ".totals.$key" <<<"$report")"
	done
	[[ $text =~ \ rd=64\.?[0-9]*MiB/[0-9.]+k?\ wr=64\.?[0-9]*MiB/[0-9.]+k?\ of=all_files\ .*\ scope=job\ src=stepd\ q=all_files,orphans_missing,mmap_missing,aio_missing,copies_twice\ imb=1\.(4[89]|50)@c2 ]]
	report=$(on login jobio report -v "$job")
	expect_text "counters      all files, slurmstepd's totals: the job's alone" "$report"
	expect_text 'processes that left the step are not counted' "$report"
	expect_text 'asynchronous I/O (aio, io_uring) is not counted' "$report"
}

@test "fio on two nodes: the record has fio's bytes, and those of slurmstepd" {
	local node report
	# 256 writes of 64 KiB, then 512 reads of 32 KiB
	submit 'srun sh -c "f() { fio --name=f --filename=/mnt/weka/\$SLURM_JOB_ID.\$SLURM_PROCID \\
			--size=16m --ioengine=psync --fallocate=none --output-format=json \\
			--output=/home/alice/fio.\$SLURM_JOB_ID.\$SLURMD_NODENAME.\$1 --rw=\$1 --bs=\$2; }
		f write 64k && f read 32k"' -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	expect_summary "$job" 'nodes=2/2'
	report=$(on login jobio report --json "$job")
	for node in c1 c2; do
		expect_fio "$node" write 16777216 256 "$report"
		expect_fio "$node" read 16777216 512 "$report"
	done
}

# expect_fio NODE read|write BYTES CALLS REPORT - fio reports exactly this; the node's
# record has slightly more, by slurmstepd and fio's own files
expect_fio() {
	# before its JSON fio 3.25 prints that it cannot use each CPU of the machine
	expect_equal "[$3,$4]" "$(on login sed -n '/^{/,$p' "/home/alice/fio.$job.$1.$2" |
		jq -c ".jobs[0].$2 | [.io_bytes, .total_ios]")"
	between "$3" $(($3 + 600000)) \
		"$(jq ".records[] | select(.node == \"$1\") | .app[0].$2_bytes" <<<"$5")"
	between "$4" $(($4 + 3000)) \
		"$(jq ".records[] | select(.node == \"$1\") | .app[0].$2_calls" <<<"$5")"
}

@test "while the ledger is down records stay on the nodes, and are sent later" {
	on dbd svc stop jobio-ledgerd
	submit true --io-cores=1 -N2 --ntasks-per-node=1 -w c1,c2
	wait_for_job "$job"
	within 20 is_spooled c1
	within 20 is_spooled c2
	expect_equal '' "$(summary "$job")"
	on dbd svc start jobio-ledgerd
	expect_summary "$job" 'nodes=2/2'
	within 30 is_unspooled c1
}

is_spooled() { [[ $(spooled "$1") == "$job."* ]]; }
is_unspooled() { [[ -z $(spooled "$1") ]]; }

@test "while slurmdbd is down summaries wait in the ledger, and are written later" {
	on dbd svc stop slurmdbd
	submit true --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_record "$job" c1 .job "$job"
	on dbd svc start slurmdbd
	within 120 summary_matches "$job" 'nodes=1/1'
}

@test "no summary is lost if slurmdbd is killed repeatedly while summaries are written" {
	on dbd svc stop jobio-ledgerd
	submit true -N1 -n1 -w c1
	wait_for_job "$job"
	within 30 accounted "$job" COMPLETED
	within 30 is_spooled c1
	copies "$job" 600
	on dbd svc start jobio-ledgerd
	within 20 on c1 /usr/libexec/jobio/jobio-send --once &
	local sender=$! count
	for count in 1 200 400; do
		within 60 are_written "$count"
		on dbd svc kill slurmdbd
	done
	wait "$sender"
	within 120 are_written 600
	sql 'DELETE FROM jobio_job_table WHERE id_job >= 1000000'
}

sql() { on db mariadb -N slurm_acct_db -e "$1"; }
are_written() {
	(($(sql "SELECT count(*) FROM jobio_job_table
		WHERE id_job >= 1000000 AND system_comment LIKE 'jobio/1 % nodes=1/1 %'") >= $1))
}

# copies JOB COUNT - add COUNT jobs, with IDs from 1000000 on, with the row and the
# record of this one
copies() {
	local columns
	columns=$(sql "SET SESSION group_concat_max_len = 65536;
		SELECT group_concat('\`', column_name, '\`') FROM information_schema.columns
		WHERE table_schema = 'slurm_acct_db' AND table_name = 'jobio_job_table'
		AND column_name NOT IN ('job_db_inx', 'id_job', 'sluid', 'system_comment')")
	sql "INSERT INTO jobio_job_table (id_job, $columns)
		SELECT seq, $columns FROM jobio_job_table, seq_1000000_to_$((1000000 + $2 - 1)) WHERE id_job = $1"
	on c1 bash -c 'record=$(cat /var/spool/jobio/$1.*.json)
		for ((id = 1000000; id < 1000000 + $2; id++)); do
			sed "s/\"job\":$1\>/\"job\":$id/" <<<"$record" >"/var/spool/jobio/$id.0.c1.json"
		done' copies "$1" "$2"
}

@test "no record is lost if the ledger is killed" {
	submit true --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_record "$job" c1 .job "$job"
	on dbd svc kill jobio-ledgerd
	expect_record "$job" c1 .job "$job"
	submit true --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_summary "$job" 'nodes=1/1'
}

# metric SERIES - its value in the ledger's metrics file
metric() {
	on dbd awk -v series="jobio_ledger_$1" '$1 == series { print $2 }' /var/lib/jobio/jobio.prom
}
metric_is() { [[ $(metric "$2") == "$1" ]]; }
metric_reaches() { (($(metric "$2") >= $1)); }
slurmdbd_fails() { (($(metric slurmdbd_failing) > 0)); }

@test "the metrics count summaries in slurmdbd, and show that slurmdbd is down" {
	local written
	set_conf dbd '/^\[ledger\]/a metrics_file = /var/lib/jobio/jobio.prom'
	on dbd svc stop jobio-ledgerd
	on dbd svc start jobio-ledgerd
	# runs of earlier tests may still wait for their row in slurmdbd
	within 40 metric_is 0 slurmdbd_failing
	written=$(metric summaries_written_total)
	submit true -n1 -w c1
	wait_for_job "$job"
	expect_summary "$job" 'nodes=1/1'
	within 30 metric_reaches $((written + 1)) summaries_written_total
	within 30 metric_is 0 'runs_waiting{for="writer"}'
	on dbd svc stop slurmdbd
	submit true -n1 -w c1
	wait_for_job "$job"
	within 80 slurmdbd_fails
	within 45 metric_reaches 1 'runs_waiting{for="retry"}'
	on dbd svc start slurmdbd
	within 105 metric_reaches $((written + 2)) summaries_written_total
	within 45 metric_is 0 slurmdbd_failing
}

admin_comment() { on login sacct -n -X -P -j "$1" -o AdminComment; }

@test "text of others in SystemComment and AdminComment is kept, and the summary is appended to SystemComment" {
	local text="it's ticket 7 \\o/ \"burst\"" jobstats=JS1:H4sIAAAAAAACA6tWystPSS1Wsqqu1VEqyS9JzIkvycxNVbIyM9RRSi8oBcoY1AIAVjpCiyUAAAA=
	on dbd svc stop jobio-ledgerd
	submit true -N1 -n1 -w c1 --io-cores=1
	wait_for_job "$job"
	within 30 accounted "$job" COMPLETED
	on db mariadb slurm_acct_db -e \
		"UPDATE jobio_job_table SET system_comment='it''s ticket 7 \\\\o/ \"burst\"', admin_comment='$jobstats' WHERE id_job=$job"
	expect_equal "$text" "$(summary "$job")"
	on dbd svc start jobio-ledgerd
	within 20 on c1 /usr/libexec/jobio/jobio-send --once # when the ledger listens
	within 60 stands_behind "$job" "$text"
	expect_equal "$jobstats" "$(admin_comment "$job")"
	expect_text 'nodes         1 of 1 have reported' "$(as bob jobio report -v "$job")"
}

stands_behind() { [[ $(summary "$1") == "$2 jobio/1 rd="*" nodes=1/1 "* && $(summary "$1") != *jobio/1*jobio/1* ]]; }

@test "a job that is cancelled has a summary" {
	submit 'sleep 100' --io-cores=1 -n1 -w c1
	within 20 job_runs "$job"
	on login scancel "$job"
	wait_for_job "$job"
	expect_summary "$job" 'nodes=1/1'
}

@test "jobio report shows a job's records to its owner, and to others what sacct shows" {
	local report
	submit true --io-cores=1 --io-profile=stream -N2 --ntasks-per-node=1
	wait_for_job "$job"
	expect_summary "$job" 'nodes=2/2'
	report=$(as alice jobio report -v "$job")
	[[ $report == "Job $job  "*alice* ]]
	expect_text "'writecache' became 'forcedirect', put back: c1, c2" "$report"
	report=$(as bob jobio report -v "$job")
	expect_text 'no record that you may read (its owner, root and SlurmUser may)' "$report"
	[[ $report == "Job $job  "* && $(head -n1 <<<"$report") != *root* ]]
	[[ $report != *forcedirect* ]]
}

@test "with PrivateData=jobs only the owner of a job can read it" {
	local dbd=/etc/slurm/slurmdbd.conf
	submit true --io-cores=1 --io-profile=stream -n1 -w c1
	wait_for_job "$job"
	expect_summary "$job" 'nodes=1/1'
	on dbd sh -c "cp -p $dbd /tmp/slurmdbd.conf && echo PrivateData=jobs >>$dbd"
	on dbd svc kill slurmdbd
	within 30 is_hidden "$job"
	run as bob jobio report "$job"
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '$job': ledger: job '$job': no record that you may read; sacct: no such job that you may see" "$output"
	run as alice jobio report -v "$job"
	expect_equal 0 "$status"
	expect_text 'profile stream' "$output"
	run on login jobio report "$job"
	expect_equal 0 "$status"
	restore_slurmdbd
	within 30 is_shown "$job"
}

# is_shown JOB - slurmdbd answers, and shows the job to bob
is_shown() { [[ -n $(as bob sacct -n -X -P -j "$1" -o JobID) ]]; }
is_hidden() { [[ -n $(on login sacct -n -X -P -j "$1" -o JobID) ]] && ! is_shown "$1"; }

# restore_slurmdbd - restore the site's slurmdbd.conf after a test
restore_slurmdbd() {
	on dbd sh -c '[ ! -e /tmp/slurmdbd.conf ] || { mv /tmp/slurmdbd.conf /etc/slurm/slurmdbd.conf && svc kill slurmdbd; }'
}

# site_says USER TEXT - true if TEXT is in jobio report --site of USER for today
site_says() {
	[[ $(as "$1" jobio report --site -S now-1hour 2>&1) == *"$2"* ]]
}

site_knows() { [[ $(on login jobio report --site -S now-1hour --csv) == *"$1"* ]]; }

@test "the I/O of all jobs is added up for root and for operators of Slurm, by the accounts of slurmdbd" {
	local said
	submit 'dd if=/dev/zero of=/mnt/weka/$SLURM_JOB_ID bs=1M count=3 status=none' --io-cores=1 --io-profile=stream -n1 -w c1 --account=lab
	wait_for_job "$job"
	expect_summary "$job" 'nodes=1/1'
	within 20 site_knows '"accounts","lab",' # the ledger notes it after the summary
	said=$(on login jobio report --site -S now-1hour --csv)
	expect_text '"users","alice",' "$said"
	expect_text '"accounts","lab",' "$said"
	expect_text '"profiles","stream",' "$said"
	[[ $said != *sacct* ]]
	run as bob jobio report --site
	expect_equal 1 "$status"
	expect_text 'site: for root, SlurmUser and operators of Slurm only' "$output"
	on login sacctmgr -i add account site cluster=jobio >/dev/null || :
	on login sacctmgr -i add user bob account=site adminlevel=Operator >/dev/null ||
		on login sacctmgr -i modify user bob set adminlevel=Operator >/dev/null
	on dbd svc stop jobio-ledgerd # it asks who they are when it starts
	on dbd svc start jobio-ledgerd
	within 60 site_says bob 'Node hours'
	on login sacctmgr -i modify user bob set adminlevel=None >/dev/null
	on dbd svc stop jobio-ledgerd
	# without the ledger sacctmgr decides on permission, and the figures come from sacct
	run as bob jobio report --site
	expect_equal 1 "$status"
	expect_text '--site: for root, SlurmUser and operators of Slurm only' "$output"
	said=$(on login jobio report --site -S now-1hour)
	expect_text 'note   from the summaries in sacct, without advice: ledger ' "$said"
	expect_text '(all files)' "$said" # slurmstepd counts no filesystems
}
