#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# When the client gets other cores for a job, and when it returns to its own.
# Slurm withholds core 7 (CPUs 7,15) for one io-core, 6 and 7 for two.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031

load node

setup() {
	node_make
	allow any
}

teardown() {
	node_remove
}

@test "a job with more io-cores gets a client with more cores" {
	job 7 2
	expect_run 0 prolog ''
	expect_cores 6,7
	expect_gate 7 client_cpus=6-7,14-15
	epilog
	expect_in '"what":"cores","target":"client","old":"7","new":"6-7","restored":false' "$(record 7)"
	expect_in '"cpus":"6-7,14-15"' "$(record 7)"
}

@test "the client keeps the cores for the next job with the same request" {
	one_job 7 2
	: >"$NODE/weka/calls"
	one_job 8 2
	expect_cores 6,7
	[ "$(grep -c apply "$NODE/weka/calls")" -eq 0 ]
	expect_in '"changes":[]' "$(record 8)"
}

@test "a client that has the right cores is not changed" {
	one_job 7 1
	one_job 8 1
	[ "$(grep -c cores "$NODE/weka/calls")" -eq 0 ]
}

@test "core_change=never does not change the client, and findings name the difference" {
	allow never
	job 7 2
	expect_run 0 prolog
	expect_cores 7
	epilog
	expect_in "W47" "$(record 7)"
	expect_in "container 'client' keeps core 7, although this job should find 6-7: core_change=never" "$(record 7)"
	expect_in "W36" "$(record 7)"
}

@test "core_change=grow takes no core away" {
	allow grow
	echo 5 | tee "$NODE/weka/stable" >"$NODE/weka/staged"
	node_interface
	starts 7 1
	expect_cores 5
	epilog
	expect_in "core_change=grow, and that would take a core away" "$(record 7)"
	expect_in "W07" "$(record 7)"
}

@test "core_change=any moves a frontend to the core that Slurm reserves" {
	echo 5 | tee "$NODE/weka/stable" >"$NODE/weka/staged"
	node_interface
	starts 7 1
	expect_cores 7
	expect_gate 7 client_cpus=7,15
	epilog
}

@test "the number of cores is not lowered while a file system is mounted" {
	echo 6,7 | tee "$NODE/weka/stable" >"$NODE/weka/staged"
	node_interface
	starts 7 1
	expect_cores 6,7
	epilog
	expect_in "WEKA does not lower the number of cores while a file system is mounted" "$(record 7)"
}

@test "after a failed change nothing is staged, and the job runs with the old cores" {
	touch "$NODE/weka/apply-fails"
	allow any ready_timeout_ms=20000
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: weka local resources: exit status 1: error: not enough hugepages"
	expect_cores 7
	expect_gate 7 client_cpus=7,15
	epilog
	expect_in '"old":"7","new":"6-7","restored":null,"made":false' "$(record 7)"
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a client that does not become READY is a finding within ready_timeout_ms" {
	allow any ready_timeout_ms=600
	NODE_JOBIO=on_error=drain allow any ready_timeout_ms=600
	# shellcheck disable=SC2016 # the fake expands it
	sed -i '/local resources apply/a\		echo STEM >"$state/status"' "$NODE/bin/weka"
	job 7 2
	expect_run 1 prolog "W44 container 'client' could not change from core 7 to 6-7: it was not READY"
	expect_in "jobio:W" "$(cat "$NODE/run/reason")"
}

@test "a client that does not work with its new cores gets its old ones again" {
	allow any ready_timeout_ms=1000
	echo 1 >"$NODE/weka/disconnected"
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: it was not READY with all frontends connected after 1000 ms; it is back at core 7;"
	[[ $output != *W45* ]]
	expect_cores 7
	expect_gate 7 client_cpus=7,15
	epilog
	expect_in '"old":"7","new":"6-7","restored":null,"made":false' "$(record 7)"
	[[ $(record 7) != *W09* ]]
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a client that does not work with its old cores either drains the node" {
	NODE_JOBIO=on_error=drain allow any ready_timeout_ms=1000
	job 7 2
	# shellcheck disable=SC2016 # the fake expands it
	sed -i '/local resources apply/a\		echo STEM >"$state/status"' "$NODE/bin/weka"
	expect_run 1 prolog "W45 container 'client' is not back at core 7: it was not READY"
	expect_cores 7
}

@test "cores that were staged by hand are a finding" {
	echo 5,7 >"$NODE/weka/staged"
	one_job 7 1
	expect_in "W12" "$(record 7)"
	expect_in "container 'client' runs with cores 7, and cores 5,7 are staged: its next restart takes them" "$(record 7)"
}

@test "before a job that may run on the client's cores the baseline is restored" {
	touch "$NODE/weka/idle"
	one_job 7 2
	expect_cores 6,7
	[ -s "$NODE/spool/state/weka.baseline" ]
	job 8
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1 SLURM_JOB_OVERSUBSCRIBE=NO)
	prolog
	expect_cores 7
	expect_gate 8 client_cpus=7,15
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "if the baseline cannot be restored the job's gate file has the client's real CPUs" {
	one_job 7 2
	starts 8
	expect_cores 6,7
	expect_gate 8 client_cpus=6-7,14-15
}

# Other tests that run now may have processes with the title of a job's.
first_on_node() {
	prolog && expect_cores "$1" 2>/dev/null
}

@test "the baseline is restored before the first job on a shared node" {
	touch "$NODE/weka/idle"
	one_job 7 2
	expect_cores 6,7
	job 8
	wait_for first_on_node 7
	expect_gate 8 client_cpus=7,15
	[ ! -e "$NODE/spool/state/weka.baseline" ]
	epilog
	expect_in '"what":"cores","target":"client","old":"6-7","new":"7"' "$(record 8)"
	[[ $(record 8) != *W47* ]]
}

@test "the client is not changed while another job is on the node" {
	one_job 7 2
	starts 8
	expect_cores 6,7 # not restored: it is mounted
	touch "$NODE/weka/idle"
	starts 9
	expect_cores 6,7
	expect_gate 9 client_cpus=6-7,14-15
	epilog
	[[ $(record 9) != *W47* ]]
}

@test "a slurmstepd of a job that started before jobio was installed counts as a job" {
	touch "$NODE/weka/idle"
	one_job 7 2
	node_stepd 4
	starts 8
	expect_cores 6,7
}

@test "a job waits while the client is restarted for another job, longer than prolog_budget_ms" {
	touch "$NODE/weka/idle"
	NODE_JOBIO=prolog_budget_ms=1000 allow any ready_timeout_ms=20000
	one_job 7 2
	mkdir -p "$NODE/run"
	exec 7>>"$NODE/run/lock"
	flock 7
	job 8
	prolog 2>"$NODE/log" 7>&- &
	local prolog=$!
	sleep 2
	kill -0 "$prolog"
	exec 7>&-
	wait "$prolog"
	[[ $(<"$NODE/log") != *"has held it"* ]]
	expect_gate 8 client_cpus=7,15
}

@test "a folder of an ended or unknown job does not count as a job on the node" {
	touch "$NODE/weka/idle"
	one_job 7 2
	expect_cores 6,7
	starts 5
	node_stepd_was 5
	mkdir "$NODE/run/6"
	starts 8
	expect_cores 7
	expect_gate 8 client_cpus=7,15
}

@test "a job that is starting counts as a job on the node" {
	touch "$NODE/weka/idle"
	one_job 7 2
	starts 5 2
	starts 8
	expect_cores 6,7
}

@test "the baseline is kept across a reboot" {
	touch "$NODE/weka/idle"
	one_job 7 2
	rm -rf "$NODE/run"
	job 8
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1 SLURM_JOB_OVERSUBSCRIBE=NO)
	prolog
	expect_cores 7
}

# site_gives CORES - the administrator gives the client these cores permanently
site_gives() {
	echo "$1" | tee "$NODE/weka/stable" >"$NODE/weka/staged"
	rm -f "$NODE/run/client.weka.json"
	node_interface
}

# plain_job ID - a job with the site's spec set only, alone on its node
plain_job() {
	job "$1"
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1)
	prolog
}

@test "cores that the administrator gives the client become its baseline, whatever a job has left" {
	touch "$NODE/weka/idle"
	one_job 7 2
	[ -s "$NODE/spool/state/weka.baseline" ]
	site_gives 5
	plain_job 8
	expect_cores 5
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "they are the baseline also after a reboot that restored the client's old cores" {
	touch "$NODE/weka/idle"
	one_job 7 2
	reboot
	touch "$NODE/weka/idle"
	site_gives 5
	plain_job 8
	expect_cores 5
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a reboot that restores the client's old cores ends the need for the baseline" {
	one_job 7 2
	reboot
	starts 8
	[ ! -e "$NODE/spool/state/weka.baseline" ]
	expect_cores 7
	# the site now gives it the cores that the job had
	touch "$NODE/weka/idle"
	site_gives 6,7
	plain_job 9
	expect_cores 6,7
}

@test "a job's cores that are still set after a reboot are restored" {
	one_job 7 2
	reboot
	touch "$NODE/weka/idle"
	site_gives 6,7
	plain_job 8
	expect_cores 7
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a client that was changed for several jobs returns to its cores before the first" {
	touch "$NODE/weka/idle"
	one_job 7 2
	one_job 8 3
	expect_cores 5,6,7
	one_job 9 2
	plain_job 10
	expect_cores 7
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}
