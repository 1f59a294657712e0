#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# fleet.bats - many jobs at once, some cancelled, some requeued, and one node with a
# client that fails meanwhile
#
# Requests and fates of the jobs are random; the seed is printed when the test
# fails. JOBIO_FLEET_SEED=N repeats a plan (not Slurm's timing).
# shellcheck disable=SC2016,SC2154,SC2030,SC2031 # alice's shell expands

load lib

readonly JOBS=100 LIMIT_S=240

# slurmd of c1 is busy when a job that has just started there is cancelled: it runs the epilog
# some seconds after the job's end in slurmdbd, with or without the prolog before it.
setup_file() {
	local job
	expect_healthy
	on c1 svc pid slurmd >"$BATS_FILE_TMPDIR/slurmd"
	on c1 kill -STOP "$(<"$BATS_FILE_TMPDIR/slurmd")"
	submit 'sleep 60' -w c1 --io-cores=1
	within 20 job_runs "$job"
	on login scancel "$job"
	sleep 8	# more than clocks may differ by
	go_on
	echo "$job" >"$BATS_FILE_TMPDIR/late"
}
go_on() { on c1 kill -CONT "$(<"$BATS_FILE_TMPDIR/slurmd")"; }
teardown_file() { go_on; }
teardown() {
	local victim=$BATS_TEST_TMPDIR/victim
	[[ ! -e $victim ]] || on "$(<"$victim")" weka-sim unset faults.proc_hang
	site_restore
	on login scancel -u alice
	within 60 queue_is_empty
	for node in c1 c2 c3; do resume "$node"; done
	expect_healthy
}

one_of() { local words=("$@"); printf '%s\n' "${words[RANDOM % $#]}"; }

# plan - print a job a line: its fate, and the options of sbatch
plan() {
	local i fate options profile
	for ((i = 0; i < JOBS; i++)); do
		fate=$(one_of run run run run run run run run cancel requeue early)
		options='--requeue --ntasks-per-node=1 '
		options+=$(one_of -N1 -N1 -N1 -N2)
		case $((RANDOM % 4)) in
			0) ;;
			1) options+=" --io-cores=1" ;;
			*)
				profile=$(one_of stream metadata cached)
				options+=" --io-cores=1 --io-profile=$profile"
				;;
		esac
		printf '%s %s %s\n' "$fate" "$((RANDOM % 2))" "$options"
	done
}

# submit_all - submit the plan on stdin; print "JOB FATE" for each, in order
submit_all() {
	enter_as alice "$JOBIO_CLUSTER-login" bash -c '
		while read -r fate nap options; do
			[[ $fate == run ]] || nap=60
			job=$(printf "#!/bin/bash\n%s\n%s\n" \
				"[ \${SLURM_RESTART_COUNT:-0} != 0 ] || sleep $nap" \
				"srun dd if=/dev/zero of=/mnt/weka/\$SLURM_JOB_ID bs=4k count=4 status=none" |
				sbatch --parsable -o /dev/null $options) || exit 1
			[[ $fate != early ]] || { scancel "$job"; }
			echo "$job $fate"
		done'
}

# A job is cancelled or requeued once only.
declare -A fates done_once due
# drive - cancel and requeue running jobs by the plan, let requeued ones run again
drive() {
	local id state why commands=''
	while read -r id state why; do
		case "${fates[$id]:-} $state" in
			'cancel RUNNING') commands+="scancel $id;" ;;
			'requeue RUNNING')
				[[ -n ${done_once[$id]:-} ]] || commands+="scontrol requeue $id;"
				done_once[$id]=1
				;;
			*' PENDING')
				case $why in
					BeginTime)	# not again and again: it would never be due
						((SECONDS < ${due[$id]:-0})) || commands+="scontrol update jobid=$id StartTime=now+2;"
						((SECONDS < ${due[$id]:-0})) || due[$id]=$((SECONDS + 10))
						;;
					*[Hh]eld*) commands+="scontrol release $id;" ;;
				esac
				;;
		esac
	done <<<"$queue"
	[[ -z $commands ]] || on login bash -c "$commands" >/dev/null 2>&1 || :	# it may be over
}

queue_now() { on login squeue -h -o '%i %T %r' -u alice; }

# baseline NODE - the client's settings without a job
baseline() {
	on "$1" sh -c 'grep " wekafs " /run/weka-sim/mounts | tr " ," "\n\n" | sort
		weka local resources -J | grep core_id'
}

# runs - all runs that had nodes, with their summary in sacct
runs() {
	on login sacct -D -X -n -P -u alice -S "$began" -o JobID,State,NodeList,SystemComment |
		grep -v '|None assigned|'
}
all_runs_have_summaries() { ! runs | awk -F'|' '$4 !~ /^jobio\/1 / { print; bad = 1 } END { exit !bad }'; }

spools_are_empty() {
	local node
	for node in c1 c2 c3; do
		[[ -z $(spooled "$node") && -z $(on "$node" find /var/spool/jobio/open -type f) ]] || return 1
	done
}

@test "after a hundred random jobs, with a node that fails, settings, drains and records are right" {
	local seed=${JOBIO_FLEET_SEED:-$RANDOM} node victim left queue limit is_broken=''
	printf 'again: JOBIO_FLEET_SEED=%s\n' "$seed" >&2
	RANDOM=$seed
	victim=$(one_of c1 c2 c3)
	echo "$victim" >"$BATS_TEST_TMPDIR/victim"
	for node in c1 c2 c3; do
		set_conf "$node" 's/^on_error = .*/on_error = drain/'
		baseline "$node" >"$BATS_TEST_TMPDIR/$node"
	done
	began=$(on login date +%Y-%m-%dT%H:%M:%S)
	plan >"$BATS_TEST_TMPDIR/plan"
	while read -r id fate; do fates[$id]=$fate; done \
		< <(submit_all <"$BATS_TEST_TMPDIR/plan")
	expect_equal "$JOBS" "${#fates[@]}"

	limit=$((SECONDS + LIMIT_S))
	until queue=$(queue_now); [[ -z $queue ]]; do
		((SECONDS < limit)) || { printf 'not done:\n%s\n' "$queue" >&2; on login sinfo -R >&2; return 1; }
		left=$(wc -l <<<"$queue")
		if [[ -z $is_broken ]] && ((left <= JOBS / 2)); then
			on "$victim" weka-sim set faults.proc_hang=yes
			is_broken=yes
		fi
		drive
		sleep 0.2 # squeue is not asked more often than that
	done

	# only the broken node is drained, with its reason
	within 60 reason_starts "$victim" 'jobio:W24 '
	expect_equal "$victim" "$(on login sinfo -h -t drain,down,fail -N -o %N | sort -u)"
	# every run has its summary
	within 60 spools_are_empty
	within 150 all_runs_have_summaries # one without a prolog is waited for 120 s
	# repaired: the next job finds the old settings
	on "$victim" weka-sim unset faults.proc_hang
	resume "$victim"
	submit true -n1 -w "$victim" --io-cores=1
	wait_for_job "$job"
	for node in c1 c2 c3; do
		within 20 no_traces "$node"
		expect_equal "$(<"$BATS_TEST_TMPDIR/$node")" "$(baseline "$node")"
	done
	(($(runs | wc -l) >= JOBS * 3 / 4))
}

@test "a job that was cancelled on a busy node gets its summary, too" {
	within 130 summary_matches "$(<"$BATS_FILE_TMPDIR/late")" \
		'^jobio/1 .*nodes=1/1 (cores=- .*start_unknown|cores=1 .*q=no_step)'
}
