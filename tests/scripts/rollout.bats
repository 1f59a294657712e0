#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A node whose jobio.conf, or jobio, is another than that of the host where the job
# was submitted: the request was judged there.
#
# shellcheck disable=SC2154,SC2034,SC2030,SC2031 # bats sets output and status;
# node.bash reads NODE_*; each test is a process of its own

load node

setup() { node_make; }
teardown() { node_remove; }

# limit MAX - this node's jobio.conf allows so many io-cores
limit() { sed -i "s/^io_cores_max=.*/io_cores_max=$1/" "$NODE/jobio.conf"; }

# got ID - what the record says of request and reservation
got() {
	record "$1" | jq -c '[.request.io_cores, .request.profile, .request.applied, .request.cores_met, .io_cores.count, .refused]'
}

findings() { record "$1" | jq -c '[.findings[] | [.code, .severity, .text]]'; }

@test "a profile that this node does not have is left out: the job runs, and its output and record say so" {
	job 7 1 strem
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W58 profile 'strem' is left out: jobio.conf of this node has no such profile; cure: install the same jobio.conf on submit hosts and nodes" "$output"
	expect_gate 7 "note=profile 'strem' was not applied: jobio.conf of this node has no such profile"
	expect_gate 7 io_profile=
	expect_gate 7 io_cpus=7,15
	expect_base
	epilog
	[ "$(got 7)" = '[1,"strem",false,true,1,null]' ] || fail "$(got 7)"
	[ "$(findings 7)" = "[[\"W58\",\"warning\",\"profile 'strem' is left out: jobio.conf of this node has no such profile\"]]" ]
}

@test "more io-cores than this node allows are left out, and the profile is not" {
	allow any
	limit 2
	job 7 3 stream
	prolog
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
	job 7 1 scan
	prolog
	expect_gate 7 "note=profile 'scan' was not applied: it has no setting that this node's client takes"
	expect_base
}

@test "a request in the form of a newer jobio is left out: nothing of it is guessed" {
	job 7 1 stream
	JOB_ENV+=(SPANK_JOBIO_VERSION=2 SPANK_JOBIO_IO_CORES=1+1)
	run prolog
	[ "$status" -eq 0 ]
	expect_gate 7 "note=the job's I/O options have no effect: a newer jobio than this node's wrote the job's request"
	expect_base
	epilog
	[ "$(record 7 | jq -c .request)" = null ]
	expect_in '"W58","warning","the job'"'"'s I/O options are left out: a newer jobio' "$(findings 7)"
}

# ---- another jobio ----------------------------------------------------------

OLDER=$SRCDIR/tests/samples/older

# older_begun - an older jobio's prolog has begun job 7 here, with profile stream
older_begun() {
	local boot file
	job 7 1 stream
	boot=$(</proc/sys/kernel/random/boot_id)
	install -d -m 700 "$NODE"/run/7/steps "$NODE"/spool/open
	for file in "$NODE/run/7/start.json" "$NODE/spool/open/7.c1.json"; do
		jq -c --arg boot "$boot" '.boot_id = $boot' "$OLDER/start.json" >"$file"
	done
	cp "$OLDER/journal.txt" "$NODE/run/7/journal"
	cp "$OLDER/gate.txt" "$NODE/run/7/gate"
	sed -i 's/writecache/forcedirect/' "$NODE/weka/mounts"
}

@test "a job that an older jobio began is ended by this one: settings, record, counters" {
	older_begun
	step 7 batch 1000 2000
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	[ ! -e "$NODE/run/7" ]
	[ "$(record 7 | jq -c '[.request.profile, .changes[0].restored, .io_cores.os_cpus, .app[0].read_bytes]')" = '["stream",true,"7,15",1000]' ]
	expect_in '"all_files"' "$(record 7 | jq -c .quality)"
}

@test "a job that an older jobio began is mended by the next prolog of this one" {
	older_begun
	node_stepd_was 7
	job 8 1
	prolog
	expect_base
	[ "$(record 7 | jq -c '[.job, .changes[0].restored]')" = '[7,true]' ]
}

# keys FILE - of a record, those of lists' elements included
keys() { jq -r '[paths | map(if type == "number" then 0 else . end) | map(tostring) | join(".")] | unique[]' "$1"; }

@test "all that an older jobio reads in a state, a journal, a gate file and a record is still there" {
	local missing
	job 7 1 stream
	prolog
	missing=$(comm -23 <(keys "$OLDER/start.json") <(keys "$NODE/run/7/start.json"))
	[ "$missing" = '' ] || fail "start.json lacks: $missing"
	[ "$(jq .jobio "$NODE/run/7/start.json")" = 1 ]
	missing=$(comm -23 <(keys "$OLDER/journal.txt" | sort -u) <(keys "$NODE/run/7/journal" | sort -u))
	[ "$missing" = '' ] || fail "the journal lacks: $missing"
	missing=$(comm -23 <(cut -d= -f1 "$OLDER/gate.txt" | sort) <(cut -d= -f1 "$NODE/run/7/gate" | sort))
	[ "$missing" = '' ] || fail "the gate file lacks: $missing"
	step 7 batch 1000 2000
	epilog
	missing=$(comm -23 <(keys "$OLDER/record.json") <(keys "$NODE/spool/7.0.c1.json"))
	[ "$missing" = '' ] || fail "the record lacks: $missing"
}
