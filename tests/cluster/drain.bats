#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# drain.bats - which node is drained, why, and the reason that Slurm shows
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

setup_file() { expect_healthy; }
teardown() {
	on c1 weka-sim unset faults.disconnected
	on c1 sh -c '[ ! -d /var/spool/jobio-away ] || { rm -f /var/spool/jobio; mv /var/spool/jobio-away /var/spool/jobio; }
		[ ! -e /usr/libexec/jobio/jobio-slurm.away ] || mv /usr/libexec/jobio/jobio-slurm.away /usr/libexec/jobio/jobio-slurm'
	site_restore
	on login scancel -u alice
	within 60 queue_is_empty
	resume c1
	expect_healthy
}

# The site drains nodes with a broken client, and c1's client is broken.
break_client() {
	set_conf c1 's/^on_error = .*/on_error = drain/'
	on c1 weka-sim set faults.disconnected=0
}

# c1 has no folder for records: its epilogs fail
break_spool() {
	set_conf c1 's/^on_error = .*/on_error = drain/'
	on c1 sh -c 'mv /var/spool/jobio /var/spool/jobio-away; : >/var/spool/jobio'
}

job_waits() { [[ $(on login squeue -h -j "$1" -t all -o %T) == PENDING ]]; }
node_is() { [[ $(node_state "$1") == "$2" ]]; }

@test "a broken client drains its node, and sinfo -R shows the finding" {
	break_client
	submit 'echo ran' --io-cores=1 -n1 -w c1
	within 30 reason_starts c1 'jobio:W09 '
	expect_text 'frontend 0 of container client is not connected to the driver; cure: ' "$(reason c1)"
	expect_equal "$(reason c1)" "$(on login sinfo -R -h -o %E)"
	# the job is requeued; Slurm's own reason for the failed prolog came later and is not set
	within 30 job_waits "$job"
	within 30 node_is c1 drained
	sleep 2
	within 5 reason_starts c1 'jobio:W09 '
	expect_equal 'idle idle' "$(node_state c2) $(node_state c3)"
	# repaired and resumed by an administrator: the reason is removed
	on c1 weka-sim unset faults.disconnected
	resume c1
	expect_equal '' "$(reason c1)"
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_equal ran "$(job_output "$job")"
	expect_equal '' "$(reason c1)"
}

@test "a slurmctld that does not answer within 2 s keeps Slurm's own reason" {
	break_client
	on c1 mv /usr/libexec/jobio/jobio-slurm /usr/libexec/jobio/jobio-slurm.away
	on c1 sh -c 'printf "#!/bin/sh\nexec sleep 60\n" >/usr/libexec/jobio/jobio-slurm; chmod 755 /usr/libexec/jobio/jobio-slurm'
	submit 'echo ran' -n1 -w c1
	within 30 is_slurms_reason c1
}

@test "an epilog that fails drains its node with its reason" {
	submit 'sleep 60' -n1 -w c1
	within 20 job_runs "$job"
	break_spool
	on login scancel "$job"
	within 30 reason_starts c1 'jobio:epilog '
	sleep 2
	within 5 reason_starts c1 'jobio:epilog '
}

@test "an administrator's reason is kept" {
	submit 'sleep 60' -n1 -w c1
	within 20 job_runs "$job"
	on ctld scontrol update nodename=c1 state=drain reason='ticket 4711'
	break_spool
	on login scancel "$job"
	within 60 queue_is_empty
	within 30 node_is c1 drained
	expect_equal 'ticket 4711' "$(reason c1)"
}

@test "a broken client drains no node without on_error = drain" {
	on c1 weka-sim set faults.disconnected=0
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	expect_equal ran "$(job_output "$job")"
	expect_text 'jobio:W09 ' "$(on c1 cat /run/jobio/reason)"
	expect_healthy
}

# ---- jobio's own faults ------------------------------------------------------

# own_fault - c1 runs jobs without jobio, whatever the policy; the output of a job with a request
# has the message about it, that of a job without a request has none
own_fault() {
	local policy
	for policy in continue drain; do
		set_conf c1 "s/^on_error = .*/on_error = $policy/" || return
		submit 'echo ran' --io-cores=1 -n1 -w c1 || return
		wait_for_job "$job" || return
		expect_equal "$UNPREPARED"$'\nran' "$(job_output "$job")" || return
		submit 'echo ran' -n1 -w c1 || return
		wait_for_job "$job" || return
		expect_equal ran "$(job_output "$job")" || return
		expect_healthy || return
	done
}

@test "a node without jobio-prepare runs all jobs" {
	on c1 mv /usr/libexec/jobio/jobio-prepare /usr/libexec/jobio/away
	own_fault || { on c1 mv /usr/libexec/jobio/away /usr/libexec/jobio/jobio-prepare; return 1; }
	on c1 mv /usr/libexec/jobio/away /usr/libexec/jobio/jobio-prepare
}

@test "a node where all helpers crash runs all jobs, and a later job removes their folders" {
	local helper
	for helper in jobio-prepare jobio-release; do
		on c1 mv "/usr/libexec/jobio/$helper" "/usr/libexec/jobio/$helper.away"
		# shellcheck disable=SC2016 # the helper expands it
		on c1 sh -c 'printf "#!/bin/sh\nkill -SEGV \$\$\n" >"$0"; chmod 755 "$0"' "/usr/libexec/jobio/$helper"
	done
	local failed=0
	own_fault || failed=1
	for helper in jobio-prepare jobio-release; do
		on c1 mv "/usr/libexec/jobio/$helper.away" "/usr/libexec/jobio/$helper"
	done
	((failed == 0))
	# Slurm does not know these jobs any more: their folders are removed when they are old
	on c1 find /run/jobio -mindepth 1 -type d -exec touch -d '11 minutes ago' {} +
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	within 20 no_traces c1
}
