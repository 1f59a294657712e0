#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# switched_off.bats - prolog and epilog with jobio switched off: nothing is done, and the
# record has the reason.
#
# shellcheck disable=SC2154,SC2034 # bats sets output and status; node.bash reads NODE_*

load node

setup() { node_make; }
teardown() { node_remove; }

# off LINE... - write these lines to [jobio] of jobio.conf
off() {
	NODE_JOBIO=$(printf '%s\n' "$@")
	node_conf
}

# expect_nothing ID WHY - the job ran, the client was not called, nothing was changed
expect_nothing() {
	[[ $status -eq 0 && -z $output ]] || fail "$status: $output"
	expect_base
	expect_gate "$1" 'policy=off'
	[ ! -e "$NODE/run/client.weka.json" ]
	[ ! -e "$NODE/count-calls" ]
	epilog
	[ "$(record "$1" | jq -c '[.request.profile, .request.applied, .io_cores, .changes, .client]')" = '["stream",false,null,[],null]' ]
	[ "$(record "$1" | jq -c '[.findings[] | [.code, .severity, .text]]')" = "[[\"W57\",\"info\",\"jobio did nothing for this job: $2\"]]" ]
}

@test "enabled = no: a job's options have no effect, and its record has the reason" {
	off 'enabled = no' 'gate = enforce'
	job 7 1 stream
	run prolog
	expect_nothing 7 'the site has switched jobio off (enabled=no)'
}

@test "enabled = no: no request is refused, and a broken client drains no node" {
	off 'enabled = no' 'on_error = drain'
	echo STEM >"$NODE/weka/status"
	job 7 9 stream
	run prolog
	expect_nothing 7 'the site has switched jobio off (enabled=no)'
	# nor does a fault of jobio: the state cannot be written
	rm -r "$NODE/run" && touch "$NODE/run"
	job 8
	expect_run 0 prolog 'going on: jobio is off here'
}

@test "nodes= and partitions= select where jobio is used" {
	off 'nodes = d1'
	job 7 1 stream
	run prolog
	expect_nothing 7 'the site does not use jobio on node c1 yet (nodes=)'
	rm -f "$NODE/sent"
	off 'partitions = test,io'
	job 8 1 stream
	JOB_ENV+=(SLURM_JOB_PARTITION=batch)
	run prolog
	expect_nothing 8 'the site does not use jobio in partition batch yet (partitions=)'
	job 9 1 stream
	JOB_ENV+=(SLURM_JOB_PARTITION=io)
	prolog
	expect_options forcedirect
	expect_gate 9 'policy=warn'
	epilog
	expect_base
}

@test "changes made before jobio was switched off are undone" {
	starts 7 1 stream
	expect_options forcedirect
	off 'enabled = no'
	epilog
	expect_base
	[ "$(record 7 | jq -c '[.changes[].restored]')" = '[true]' ]
	# by the next prolog, for a job without an epilog
	off
	starts 8 1 stream
	expect_options forcedirect
	off 'enabled = no'
	node_stepd_was 8
	job 9
	expect_run 0 prolog
	expect_base
}
