#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# live.bats - jobio report --live, through a step that Slurm allows
#
# A container has no bpffs: a stand-in of jobio-count prints the kernel's counters, which
# grow with each call.
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

HELPER=/usr/libexec/jobio/jobio-count

setup_file() {
	local node
	expect_healthy
	for node in c1 c2 c3; do on "$node" cp $HELPER /tmp/jobio-count; done
}

teardown_file() {
	local node
	for node in c1 c2 c3; do on "$node" mv /tmp/jobio-count $HELPER; done
}

teardown() {
	on login scancel -u alice
	within 60 queue_is_empty
	expect_healthy
}

# counting NODE... - the stand-in counts there: 1 MiB, and 1 MiB more at each call
counting() {
	local node
	for node in "$@"; do
		docker exec -i "$JOBIO_CLUSTER-$node" sh -c "cat >/tmp/stand-in && chmod 755 /tmp/stand-in && mv /tmp/stand-in $HELPER && rm -f /tmp/asked" <<-'END'
			#!/bin/bash
			case $* in *read*) echo >>/tmp/asked ;; esac
			printf '{"tier":"bpf","groups":["rw"],"reason":null,"app":['
			case $* in *read*) printf '{"scope":"job","shared":null,"source":"bpf","fs":"/mnt/weka","read_bytes":4096,"write_bytes":%d,"read_calls":1,"write_calls":16}' $(($(wc -l </tmp/asked) << 20)) ;; esac
			printf '],"quality":[]}\n'
		END
	done
}

not_counting() {
	local node
	for node in "$@"; do on "$node" cp /tmp/jobio-count $HELPER; done
}

live() { as alice timeout 60 jobio report --live "$@"; }

# runs ID - its tasks are running
runs() { [[ $(on login squeue -h -s -j "$1" -o %i) =~ (^|[^0-9])"$1"(\+0)?\.0 ]]; }

# on_terminal SECONDS JOB - alice runs --live for so long, with an update each second, then types
# Ctrl-C; prints her screen without colours
on_terminal() { on_colours "$@" | sed $'s/\e\\[[0-9;]*[mHJK]//g'; }
on_colours() {
	enter_as alice "$JOBIO_CLUSTER-login" env TERM=xterm timeout 90 python3 - "$@" <<-'END'
		import os, pty, select, signal, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("jobio", ["jobio", "report", "--live=1", sys.argv[2]])
		end, text = time.time() + float(sys.argv[1]), b""
		while True:
		    if end and time.time() > end:
		        os.write(fd, b"\x03")
		        end = None
		    if select.select([fd], [], [], 0.2)[0]:
		        try:
		            chunk = os.read(fd, 65536)
		        except OSError:
		            break
		        if not chunk:
		            break
		        text += chunk
		sys.stdout.write(text.decode().replace("\r", "\n"))
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
}

@test "counters of two nodes are shown while the job runs, also if a step uses the whole allocation" {
	local report node
	counting c1 c2
	# all cores and memory are in use by a step
	submit 'srun --exact -n"$SLURM_NTASKS" --mem=0 sleep 100' -N2 --ntasks-per-node=1 --exclusive --io-cores=1 -w c1,c2
	within 30 runs "$job"
	report=$(live "$job")
	expect_text "Job $job  " "$report"
	expect_text '    RUNNING' "$report"
	expect_text '  2 nodes  ' "$report"
	expect_text '2 MiB  32 x 64 KiB' "$report"
	report=$(live --json "$job")
	expect_equal '2 0 0 4194304 c1,c2' "$(jq -r '"\(.nodes) \(.nodes_blind) \(.nodes_mute) \(.totals.write_bytes) \([.records[].node] | join(","))"' <<<"$report")"
	on login scancel "$job"
	wait_for_job "$job"
	# the record has the job's steps, and none of --live
	for node in c1 c2; do expect_record "$job" "$node" .app[0].source bpf; done
	expect_record "$job" c2 .steps 1
}

@test "without counting in the kernel the report prints that no counters are available before the job ends" {
	local report
	not_counting c1
	submit 'sleep 100' -n1 -w c1
	within 30 job_runs "$job"
	within 30 on c1 test -e "/run/jobio/$job/begun"
	report=$(live "$job")
	expect_text 'nothing is counted there before the job ends; ask your administrators about jobio-count(8)' "$report"
}

@test "the owner and root can run --live for a job; Slurm refuses the step of other users" {
	local said
	counting c1
	submit 'srun sleep 100' -n1 -w c1
	within 30 runs "$job"
	expect_text '1 MiB  16 x 64 KiB' "$(on login jobio report --live "$job")"
	said=$(as bob jobio report --live "$job" 2>&1) && return 1
	expect_text "jobio: report: job: '$job': " "$said"
	[[ $said != *written* ]]
	# with a step that bob starts himself
	said=$(as bob srun --overlap --jobid="$job" --export=JOBIO_LIVE="$job" true 2>&1 <<<$'\n') && return 1
	[[ $said != *@jobio* ]]
	# output of the helper for another user with access to the job
	said=$(docker exec -i "$JOBIO_CLUSTER-c1" /usr/libexec/jobio/jobio-live "$job" 65534 1 <<<'')
	expect_text "the job is another user's" "$said"
}

@test "an array's task, and a component of a heterogeneous job, are shown under their own IDs" {
	local report
	counting c1 c2
	submit 'srun sleep 100' -n1 --array=4 -w c1
	within 30 runs "${job%%_*}_4"
	report=$(live "${job%%_*}_4")
	expect_text "Job ${job%%_*}_4  " "$report"
	expect_text '1 MiB  16 x 64 KiB' "$report"
	on login scancel -u alice
	within 60 queue_is_empty
	submit 'srun --het-group=0,1 sleep 100' -n1 -w c1 : -n1 -w c2
	within 120 runs "$job" # slurmctld looks at such jobs once a minute
	within 20 accounted "$job" RUNNING
	report=$(live --json "$job+1")
	expect_equal 'c2' "$(jq -r '[.records[].node] | join(",")' <<<"$report")"
}

# rpcs TYPE - number of these RPCs in slurmctld
rpcs() { on ctld sdiag | sed -n '/by message type/,/by user/p' | sed -nE "s/^[ \t]*$1 .*count:([0-9]+).*/\1/p"; }

@test "--live for many seconds creates one step in slurmctld, and ends it" {
	local text looks
	counting c1
	submit 'srun sleep 100' -n1 -w c1
	within 30 runs "$job"
	on ctld sdiag -r >/dev/null
	text=$(on_terminal 8 "$job")
	expect_text '1 MiB  16 x 64 KiB' "$text"
	expect_text '3 MiB  16 x 192 KiB' "$text"
	expect_text 'read 0/s in 0 calls/s, written ' "$text"
	expect_text 'again in 1 s; Ctrl-C ends this' "$text"
	looks=$(on c1 sh -c 'wc -l </tmp/asked')
	((looks >= 3))
	within 10 runs_alone "$job"
	expect_equal 1 "$(rpcs REQUEST_JOB_STEP_CREATE)"
	expect_equal 1 "$(rpcs REQUEST_STEP_COMPLETE)"
	# and no process reads counters any more
	looks=$(on c1 sh -c 'wc -l </tmp/asked')
	sleep 3
	expect_equal "$looks" "$(on c1 sh -c 'wc -l </tmp/asked')"
	[[ -z $(on c1 pgrep -f jobio-live) ]]
}

# runs_alone JOB - only the job's own step runs
runs_alone() { [[ $(on login squeue -h -s -j "$1" -o %i | grep -c "$1\.[0-9]") == 1 ]]; }

@test "when the job ends --live ends without an error" {
	local text
	counting c1
	submit 'srun sleep 12' -n1 -w c1
	within 30 runs "$job"
	text=$(on_terminal 60 "$job")
	expect_text "the job has ended; soon jobio report $job has all of it" "$text"
	wait_for_job "$job"
}

@test "SIGSTOP to the step of --live does not stop other jobs' counters" {
	local step other
	counting c1
	submit 'srun sleep 100' -n1 -w c1
	within 30 runs "$job"
	on_terminal 9 "$job" >/dev/null &
	within 10 on c1 pgrep -f jobio-live
	step=$(on login squeue -h -s -j "$job" -o '%i %j' | awk '/jobio-live/ { print $1 }')
	as alice scancel -s STOP "$step"
	other=$job
	submit 'sleep 1' -n1 -w c2
	wait_for_job "$job"
	# the helper is not a process of the user, and Slurm does not stop it with the step
	[[ $(on ctld scontrol show config) != *proctrack/cgroup* ]] ||
		[[ $(on c1 sh -c 'ps -o stat= -p $(pgrep -f libexec/jobio/jobio-live)') != *T* ]]
	[[ -z $(on c1 pgrep -u alice -f libexec/jobio/jobio-live) ]]
	on c1 flock -w 3 "/run/jobio/$other" true
	as alice scancel -s CONT "$step" || :
	wait
}

@test "a batch script that inherits JOBIO_LIVE runs normally" {
	submit 'echo here; srun echo there' -n1 -w c1 --export=ALL,JOBIO_LIVE=1
	wait_for_job "$job"
	expect_equal $'here\nthere' "$(job_output "$job")"
}
