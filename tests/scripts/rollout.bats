#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rollout.bats - a node with another jobio.conf, or another version of jobio, than the submit host,
# where the request was checked.
#
# shellcheck disable=SC2154,SC2034,SC2030,SC2031 # bats sets output and status;
# node.bash reads NODE_*; each test is a process of its own

load node

setup() { node_make; }
teardown() { node_remove; }

# limit MAX - set io_cores_max in this node's jobio.conf
limit() { sed -i "s/^io_cores_max=.*/io_cores_max=$1/" "$NODE/jobio.conf"; }

# got ID - request and reservation in its record
got() {
	record "$1" | jq -c '[.request.io_cores, .request.profile, .request.applied, .request.cores_met, .io_cores.count, .refused]'
}

findings() { record "$1" | jq -c '[.findings[] | [.code, .severity, .text]]'; }

@test "a profile that this node does not have is not applied: the job runs, and its output and record have the reason" {
	job 7 1 strem
	expect_run 0 prolog "W58 profile 'strem' is left out: jobio.conf of this node has no such profile; cure: install the same jobio.conf on submit hosts and nodes"
	expect_gate 7 "note=profile 'strem' was not applied: jobio.conf of this node has no such profile"
	expect_gate 7 io_profile=
	expect_gate 7 io_cpus=7,15
	expect_base
	epilog
	[ "$(got 7)" = '[1,"strem",false,true,1,null]' ] || fail "$(got 7)"
	[ "$(findings 7)" = "[[\"W58\",\"warning\",\"profile 'strem' is left out: jobio.conf of this node has no such profile\"]]" ]
}

@test "more io-cores than this node allows are left out, and the profile is applied" {
	allow any
	limit 2
	starts 7 3 stream
	expect_gate 7 "note=io-cores without use: jobio.conf of this node allows 1 to 2, the job asks for 3"
	expect_gate 7 io_cores=0
	expect_gate 7 io_profile=stream
	expect_options forcedirect
	[ "$(<"$NODE/weka/stable")" = 7 ]
	epilog
	expect_base
	[ "$(got 7)" = '[3,"stream",true,false,null,null]' ] || fail "$(got 7)"
}

@test "a profile for clients of another type is left out, with the reason" {
	NODE_MORE=$'[profile scan]\nread_ahead_kb=4096' node_conf
	starts 7 1 scan
	expect_gate 7 "note=profile 'scan' was not applied: it has no setting that this node's client takes"
	expect_base
}

@test "a request in the form of a newer jobio is ignored" {
	job 7 1 stream
	JOB_ENV+=(SPANK_JOBIO_VERSION=2 SPANK_JOBIO_IO_CORES=1+1)
	expect_run 0 prolog
	expect_gate 7 "note=the job's I/O options have no effect: a newer jobio than this node's wrote the job's request"
	expect_base
	epilog
	[ "$(record 7 | jq -c .request)" = null ]
	expect_in '"W58","warning","the job'"'"'s I/O options are left out: a newer jobio' "$(findings 7)"
}
