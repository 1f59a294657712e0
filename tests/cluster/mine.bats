#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# mine.bats - arrays, heterogeneous jobs, lists, compare and advise, with the cluster's
# sacct and slurmdbd
#
# All jobs are submitted at the beginning; the tests read their reports. A container has no
# bpffs: on c3 a stand-in of jobio-count prints the kernel's counters.
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

HELPER=/usr/libexec/jobio/jobio-count

# counting - counters of small reads, for which a profile that bypasses the page cache is wrong
counting() {
	on c3 cp $HELPER /tmp/jobio-count
	docker exec -i "$JOBIO_CLUSTER-c3" sh -c "cat >/tmp/stand-in && chmod 755 /tmp/stand-in && mv /tmp/stand-in $HELPER" <<-'END'
		#!/bin/bash
		printf '{"tier":"bpf","groups":["rw"],"reason":null,"app":['
		case $* in *read*) printf '{"scope":"job","shared":null,"source":"bpf","fs":"/mnt/weka","read_bytes":81920000,"write_bytes":0,"read_calls":20000,"write_calls":0,"read_us":1500000}' ;; esac
		printf '],"quality":[]}\n'
	END
}

# bobs SCRIPT [SBATCH OPTION...] - submit as bob
bobs() {
	job=$(as bob sbatch --parsable -o /dev/null --wrap "$@")
	[[ $job =~ ^[0-9]+$ ]]
}

setup_file() {
	local node
	expect_healthy
	# tasks without io-cores may use any CPU
	for node in c1 c2; do set_conf $node 's/^gate = .*/gate = off/'; done
	# only the backfill scheduler starts heterogeneous jobs, by default each 30 s
	slurm_conf SchedulerParameters=sched_interval=5,batch_sched_delay=0,bf_interval=1
	counting
	since=$(on login date +%FT%T)
	submit 'srun --het-group=0 dd if=/dev/zero of=/mnt/weka/het.0 bs=1M count=2 status=none
		srun --het-group=1 dd if=/dev/zero of=/mnt/weka/het.1 bs=1M count=9 status=none; sleep 1' \
		-J both -n1 -w c1 : -n1 -w c2
	het=$job
	submit 'dd if=/dev/zero of=/mnt/weka/array.$SLURM_ARRAY_TASK_ID bs=1M count=$SLURM_ARRAY_TASK_ID status=none; sleep 1
		[[ $SLURM_ARRAY_TASK_ID != 2 ]]' -J 'many |tasks' -n1 --array=1-3 --account=lab -x c3
	array=$job
	submit 'sleep 2' -J advised -n1 -w c3 --exclusive --io-profile=stream
	advised=$job
	bobs true -J his -n1 --account=site -x c3
	his=$job
	for job in "$het" "$array" "$advised" "$his"; do within 60 over "$job"; done
	# one task runs, the others are pending
	submit 'sleep 600' -J waits -n1 --array=5-9%1 -x c3
	waits=$job
	within 20 job_runs "${waits}_5"
	export since het array advised his waits
	within 60 have_summaries 2 "$het"
	within 60 have_summaries 3 "$array"
	within 60 have_summaries 2 "$advised,$his"
	within 60 ledger_has 2 "$het"
	within 60 ledger_has 3 "$array"
}

teardown_file() {
	on c3 mv /tmp/jobio-count $HELPER
	on login scancel -u alice
	within 60 queue_is_empty
	site_restore
	slurm_conf ''
}

# over JOB - all of its tasks and components have ended
over() { [[ -z $(on login squeue -h -j "$1" 2>/dev/null) ]]; }

# have_summaries COUNT JOB - COUNT of its rows in slurmdbd have a summary
have_summaries() { [[ $(summary "$2" | grep -c '^jobio/1 .* nodes=1/1 ') == "$1" ]]; }

# ledger_has COUNT JOB - the report of COUNT tasks or components comes from the ledger; slurmdbd may
# get the array or het ID of a row after its summary was written: the ledger then reads it again
ledger_has() { [[ $(as alice jobio report --json "$2" | jq -r .source | sort | uniq -c) =~ ^\ *$1\ ledger$ ]]; }

# raw_id JOB - its number in Slurm (JobIDRaw)
raw_id() { on login sacct -n -X -P -j "$1" -o JobIDRaw; }

# line REGEX TEXT - fail unless a line of TEXT matches
line() {
	grep -qE "^$1\$" <<<"$2" || { printf "no line '%s' in:\n%s\n" "$1" "$2" >&2; return 1; }
}

# listed USER OPTION... - the job IDs of a list, in order
listed() {
	local user=$1
	shift
	as "$user" jobio report --csv "$@" | tail -n +2 | cut -d, -f1 | tr -d '"'
}

@test "an array is found by its ID, by brackets and by the IDs of its tasks" {
	local report user task first=${array}_1
	for user in alice bob; do # bob gets the data of sacct
		report=$(as "$user" jobio report "$array")
		line "Job $array    3 tasks of an array    alice" "$report"
		line '  read [0-9.]+ MiB in [0-9.k ]+ calls, written [0-9.]+ MiB in [0-9.k ]+ calls' "$report"
		line "${array}_1 +many \|tasks +COMPLETED .*MiB +1\.?[0-9]* MiB .*" "$report"
		line "${array}_2 +many \|tasks +FAILED .*MiB +2\.?[0-9]* MiB .*" "$report"
		line "${array}_3 +many \|tasks +COMPLETED .*MiB +3\.?[0-9]* MiB .*" "$report"
		expect_equal "$(tail -n +2 <<<"$report")" "$(as "$user" jobio report "${array}_[1-3]" | tail -n +2)"
		report=$(as "$user" jobio report "${array}_[1-3:2]")
		line "Job ${array}_\[1-3:2\]    2 tasks of an array    alice" "$report"
		[[ $report != *"${array}_2"* ]]
		report=$(as "$user" jobio report "$first" "${array}_2")
		line "Job $first  many \|tasks    alice  lab  batch    COMPLETED 0:0" "$report"
		line "Job ${array}_2  many \|tasks    alice  lab  batch    FAILED 1:0" "$report"
		line '  1 node  00:00:0[0-9].*' "$report"
	done
	[[ $(raw_id "$first") != "$array" ]]
	expect_text "Job $(raw_id "$first")  many |tasks    task $first of array $array    alice" \
		"$(as alice jobio report "$(raw_id "$first")")"
	report=$(as alice jobio report --json "$array")
	expect_equal "${array}_1 $array 1 ledger COMPLETED, ${array}_2 $array 2 ledger FAILED, ${array}_3 $array 3 ledger COMPLETED" \
		"$(jq -rs '[.[] | "\(.id) \(.array_job) \(.array_task) \(.source) \(.slurm.state)"] | join(", ")' <<<"$report")"
	for task in 1 2 3; do
		expect_equal true "$(jq "select(.array_task == $task) | .totals.write_bytes |
			. >= $((task << 20)) and . < $(((task << 20) + 600000))" <<<"$report")"
	done
}

@test "a heterogeneous job is found by its ID and by its components" {
	local report user
	for user in alice bob; do
		report=$(as "$user" jobio report "$het")
		line "Job $het    2 components of a heterogeneous job    alice" "$report"
		line '  read .*MiB in .* calls, written 11\.?[0-9]* MiB in .*' "$report"
		line "$het\+0 +both +COMPLETED .*MiB +2\.?[0-9]* MiB .*" "$report"
		line "$het\+1 +both +COMPLETED .*MiB +9\.?[0-9]* MiB .*" "$report"
		report=$(as "$user" jobio report "$het+0" "$het+1")
		line "Job $het\+0  both    alice  .*COMPLETED 0:0" "$report"
		line "Job $het\+1  both    alice  .*COMPLETED 0:0" "$report"
		line '  1 node  00:00:[0-9]+.*' "$report"
	done
	expect_text "Job $(raw_id "$het+1")  both    component $het+1 of job $het    alice" \
		"$(as alice jobio report "$(raw_id "$het+1")")"
	expect_equal "$het+0 $het 0 ledger COMPLETED, $het+1 $het 1 ledger COMPLETED" "$(as alice jobio report --json "$het" |
		jq -rs '[.[] | "\(.id) \(.het_job) \(.het_offset) \(.source) \(.slurm.state)"] | join(", ")')"
}

@test "arrays and heterogeneous jobs are in one page, with their sums" {
	local page=/home/alice/jobs.html
	run as alice jobio report --html=jobs.html "$array" "$het" "$his"
	expect_text '0 jobs.html: ' "$status $output"
	expect_equal 8 "$(on login grep -cE '<tr( class="sum")?><th scope="row">' $page)"
	on login grep -qF "<h1>Jobs $array, $het, $his</h1>" $page
	on login grep -qF "<tr class=\"sum\"><th scope=\"row\">$array</th>" $page
	on login grep -qF '<span class="bad">2 of 3 COMPLETED</span>' $page
	on login grep -qF "<tr class=\"sum\"><th scope=\"row\">$het</th>" $page
	on login grep -qF "$his from sacct, three digits and no advice: " $page
}

@test "without a job ID all of the user's jobs in sacct are listed" {
	local list pending
	list=$(as alice jobio report --limit=100000 --all)
	line 'JobID +JobName +State +Elapsed +Nodes .*Profile +Read +Written +Advice' "$list"
	line "${array}_2 +many \|tasks +FAILED +00:00:0[0-9] +1 .* [0-9.]+ MiB +2\.?[0-9]* MiB +-" "$list"
	line "$het\+1 +both +COMPLETED +00:00:[0-9]+ +1 .* [0-9.]+ MiB +9\.?[0-9]* MiB +-" "$list"
	line "${waits}_5 +waits +RUNNING +00:0[0-9]:[0-9]+ +1 .*- +- +- +-" "$list"
	line "$advised +advised +COMPLETED +00:00:[0-9]+ +1 .*stream +78.1 MiB +0 +A[0-9]+ .*" "$list"
	# the jobs that sacct lists, and no others
	expect_equal "$(on login sacct -n -X -P -u alice -S now-1days -E now -o JobID | sort)" \
		"$(grep -oE '^[0-9]+[^ ]*' <<<"$list" | sort)"
	# for a pending job the message is to wait
	pending="${waits}_[6-9%1]"
	run as alice jobio report "$pending"
	expect_equal 1 "$status"
	run as alice jobio report "${waits}_5"
	expect_equal "1 jobio: report: job: '${waits}_5': the job is RUNNING: 'jobio report --live ${waits}_5' shows what it has read and written so far" "$status $output"
}

@test "a list has the requested users, accounts, states and times, in the requested order" {
	local list
	list=$(as alice jobio report -u alice,bob -S "$since")
	line 'JobID +User +JobName .*' "$list"
	line "$his +bob +his +COMPLETED .*" "$list"
	line "${array}_1 +alice +many .*" "$list"
	expect_equal "$his" "$(listed alice -u bob -S "$since")"
	expect_equal "${array}_1 ${array}_2 ${array}_3" "$(listed bob -A lab -S "$since" | sort | xargs)"
	expect_equal "${array}_1 ${array}_2 ${array}_3 $his" "$(listed bob -A lab,site -S "$since" --sort=user | sort | xargs)"
	expect_equal "${array}_2" "$(listed alice -s FAILED -S "$since")"
	expect_equal "${array}_2" "$(listed alice --state=f,pd -S "$since" --sort=name | xargs)"
	expect_equal "no jobs from $since to now" "$(as alice jobio report -s TIMEOUT -S "$since")"
	# sorted by bytes read; by time, newest first; and by name
	expect_equal "$advised $het+1" "$(listed alice --sort=read --limit=2 -S "$since" | xargs)"
	list=$(as alice jobio report --sort=written --limit=2 -S "$since")
	expect_equal "$het+1 ${array}_3" "$(awk 'NR == 2 || NR == 3 { print $1 }' <<<"$list" | xargs)"
	expect_text ' more: --limit=' "$list"
	expect_equal true "$(as alice jobio report --json -S "$since" | jq -s '[.[] | .slurm.end // 1e12] | length >= 7 and . == (sort | reverse)')"
	expect_equal true "$(as alice jobio report --json --sort=name -S "$since" | jq -s '[.[].slurm.name] | . == sort')"
	# a time before all jobs, in sacct's syntax
	list=$(listed alice -S now-1days -E "$since")
	expect_equal "" "$(grep -xE "$array(_.*)?|$het(\+.*)?" <<<"$list" || :)"
	expect_equal '' "$(listed alice -A nosuch)"
	run as alice jobio report -u nosuch
	expect_equal 1 "$status"
	expect_text 'jobio: report: sacct: ' "$output"
	expect_text nosuch "$output"
}

@test "jobio compare shows two tasks, or sets of tasks, side by side" {
	local user said
	for user in alice bob; do
		said=$(as "$user" jobio compare "${array}_1" "${array}_3")
		line "job +${array}_1 +${array}_3" "$said"
		line 'name +many \|tasks +many \|tasks' "$said"
		line 'state +COMPLETED +COMPLETED' "$said"
		line 'written +1\.?[0-9]* MiB +3\.?[0-9]* MiB +\+[0-9.]+ %' "$said"
		line 'not the same work: .*' "$said"
		said=$(as "$user" jobio compare --json "${array}_[1,3]" "$het")
		expect_equal "${array}_1 ${array}_3 $het+0 $het+1 COMPLETED both jobs" "$(jq -r '[.sides[0].jobs[], .sides[1].jobs[], .sides[0].state, .sides[1].name, .spread_over] | join(" ")' <<<"$said")"
	done
	expect_text "beyond chance (95 %" "$(as alice jobio compare "$array" "$het")"
}

# has_other_run JOB - advise has found another run like it
has_other_run() {
	[[ $(as alice jobio advise --json "$1" | jq -r '"\(.id) \(.judged) \(.runs) \(.runs_like_it)"') == "$1 true 1 1" ]]
}

@test "sbatch accepts the options that advise prints, and runs of the same name are found" {
	local options said
	options=$(as alice jobio advise --options "$advised")
	expect_equal --io-profile=cached "$options"
	submit 'sleep 2' "$options" -J advised -n1 -w c3 --exclusive
	wait_for_job "$job"
	expect_summary "$job" ' prof=cached '
	within 20 has_other_run "$advised" # slurmdbd may hear of its end later
	said=$(as alice jobio advise --json "$advised")
	expect_text "run $job had it: " "$(jq -r '.steps[].note' <<<"$said")"
	# advise works for tasks, too; without permission to read records there is no advice
	run as alice jobio advise "${array}_3"
	expect_text "job: '${array}_3': too little to judge" "$output"
	run as bob jobio advise --options "$advised"
	expect_text "job: '$advised': too little to judge: no records of its nodes" "$output"
}
