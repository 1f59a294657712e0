#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# When the client gets other cores for a job, and when it gives them back.
# Slurm withholds core 7 (CPU 7,15) for one io-core, 6 and 7 for two.
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

@test "a job with more io-cores gets a client that has grown" {
	job 7 2
	expect_run 0 prolog ''
	expect_cores 6,7
	expect_gate 7 client_cpus=6-7,14-15
	epilog
	expect_in '"what":"cores","target":"client","old":"7","new":"6-7","restored":false' "$(record 7)"
	expect_in '"cpus":"6-7,14-15"' "$(record 7)"
}

@test "the client keeps the cores for the next job that wants them" {
	one_job 7 2
	: >"$NODE/weka/calls"
	one_job 8 2
	expect_cores 6,7
	[ "$(grep -c apply "$NODE/weka/calls")" -eq 0 ]
	expect_in '"changes":[]' "$(record 8)"
}

@test "a client that has the right cores is never touched" {
	one_job 7 1
	one_job 8 1
	[ "$(grep -c cores "$NODE/weka/calls")" -eq 0 ]
}

@test "core_change=never leaves the client alone and says what is missing" {
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

@test "a change that fails leaves nothing staged, and the job runs with the old cores" {
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

@test "a client that does not come back READY is a finding within its own deadline" {
	allow any ready_timeout_ms=600
	NODE_JOBIO=on_error=drain allow any ready_timeout_ms=600
	# shellcheck disable=SC2016 # the fake expands it
	sed -i '/local resources apply/a\		echo STEM >"$state/status"' "$NODE/bin/weka"
	job 7 2
	expect_run 1 prolog "W44 container 'client' could not change from core 7 to 6-7: it was not READY"
	expect_in "jobio:W" "$(cat "$NODE/run/reason")"
}

@test "a client that does not work with its new cores gets the old ones again" {
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

@test "a client that does not work with the old ones either breaks the node" {
	NODE_JOBIO=on_error=drain allow any ready_timeout_ms=1000
	job 7 2
	# shellcheck disable=SC2016 # the fake expands it
	sed -i '/local resources apply/a\		echo STEM >"$state/status"' "$NODE/bin/weka"
	expect_run 1 prolog "W45 container 'client' is not back at core 7: it was not READY"
	expect_cores 7
}

@test "what was staged by hand is a finding" {
	echo 5,7 >"$NODE/weka/staged"
	one_job 7 1
	expect_in "W12" "$(record 7)"
	expect_in "container 'client' runs with cores 7, and cores 5,7 are staged: its next restart takes them" "$(record 7)"
}

@test "a job that may run on the client's cores gets the baseline back first" {
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

@test "a job that cannot get the baseline back finds the client's real CPUs in its gate file" {
	one_job 7 2
	starts 8
	expect_cores 6,7
	expect_gate 8 client_cpus=6-7,14-15
}

# Tests beside this one may have processes that look like a job's.
first_on_node() {
	prolog && expect_cores "$1" 2>/dev/null
}

@test "a job that shares its node gets the baseline back while it is the first there" {
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

@test "once another job is on the node, the client is left as it is" {
	one_job 7 2
	starts 8
	expect_cores 6,7 # it is mounted
	touch "$NODE/weka/idle"
	starts 9
	expect_cores 6,7
	expect_gate 9 client_cpus=6-7,14-15
	epilog
	[[ $(record 9) != *W47* ]]
}

@test "a slurmstepd of a job that came before jobio counts as a job" {
	touch "$NODE/weka/idle"
	one_job 7 2
	node_stepd 4
	starts 8
	expect_cores 6,7
}

@test "a job waits while the client is restarted for another, beyond its own budget" {
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

@test "a folder of a dead job, or of nobody, keeps no job from being the first" {
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

@test "a job that is starting keeps others from being the first" {
	touch "$NODE/weka/idle"
	one_job 7 2
	starts 5 2
	starts 8
	expect_cores 6,7
}

@test "the baseline is remembered across a reboot" {
	touch "$NODE/weka/idle"
	one_job 7 2
	rm -rf "$NODE/run"
	job 8
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1 SLURM_JOB_OVERSUBSCRIBE=NO)
	prolog
	expect_cores 7
}

# site_gives CORES - somebody else gives the client these cores for good
site_gives() {
	echo "$1" | tee "$NODE/weka/stable" >"$NODE/weka/staged"
	rm -f "$NODE/run/client.weka.json"
	node_interface
}

# plain_job ID - it reserves what the site reserves, alone on its node
plain_job() {
	job "$1"
	JOB_ENV+=(SLURM_JOB_CORE_SPEC_COUNT=1)
	prolog
}

@test "cores that the site gives the client are its own, whatever a job left behind" {
	touch "$NODE/weka/idle"
	one_job 7 2
	[ -s "$NODE/spool/state/weka.baseline" ]
	site_gives 5
	plain_job 8
	expect_cores 5
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "so they are after a reboot that brought the client's old cores back" {
	touch "$NODE/weka/idle"
	one_job 7 2
	reboot
	touch "$NODE/weka/idle"
	site_gives 5
	plain_job 8
	expect_cores 5
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a reboot that brings the client's old cores back ends what was left" {
	one_job 7 2
	reboot
	starts 8
	[ ! -e "$NODE/spool/state/weka.baseline" ]
	expect_cores 7
	# what the site gives it now is what a job wanted then
	touch "$NODE/weka/idle"
	site_gives 6,7
	plain_job 9
	expect_cores 6,7
}

@test "cores of a job that outlive a reboot are given back after it" {
	one_job 7 2
	reboot
	touch "$NODE/weka/idle"
	site_gives 6,7
	plain_job 8
	expect_cores 7
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}

@test "a client that went from job to job goes back to what it had before the first" {
	touch "$NODE/weka/idle"
	one_job 7 2
	one_job 8 3
	expect_cores 5,6,7
	one_job 9 2
	plain_job 10
	expect_cores 7
	[ ! -e "$NODE/spool/state/weka.baseline" ]
}
