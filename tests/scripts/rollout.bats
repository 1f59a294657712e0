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

# judged TEXT - how the submit host allowed the request of `job`
judged() { JOB_ENV+=("SPANK_JOBIO_JUDGED=$1"); }

# limit MAX - this node's jobio.conf allows so many io-cores
limit() { sed -i "s/^io_cores_max=.*/io_cores_max=$1/" "$NODE/jobio.conf"; }

# got ID - what the record says of request and reservation
got() {
	record "$1" | jq -c '[.request.io_cores, .request.profile, .request.applied, .request.cores_met, .io_cores.count, .refused]'
}

findings() { record "$1" | jq -c '[.findings[] | [.code, .severity, .text]]'; }

STREAM=1-4,0123456789abcdef

@test "a profile that this node does not have is left out: the job runs, and its output and record say so" {
	job 7 1 strem
	judged "$STREAM"
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W58 profile 'strem' is left out: jobio.conf of this node has no such profile; where the job was submitted there was one; cure: install the same jobio.conf on submit hosts and nodes" "$output"
	expect_gate 7 verdict=admit
	expect_gate 7 "note=profile 'strem' was not applied: jobio.conf of this node has no such profile; where the job was submitted there was one"
	expect_gate 7 io_profile=
	expect_gate 7 io_cpus=7,15
	expect_base
	epilog
	[ "$(got 7)" = '[1,"strem",false,true,1,null]' ] || fail "$(got 7)"
	[ "$(findings 7)" = "[[\"W58\",\"warning\",\"profile 'strem' is left out: jobio.conf of this node has no such profile; where the job was submitted there was one\"]]" ]
}

@test "a job that an older jobio submitted, without a judgement, is served the same way" {
	job 7 1 strem
	prolog
	expect_gate 7 verdict=admit
	expect_gate 7 "note=profile 'strem' was not applied: jobio.conf of this node has no such profile"
	epilog
	job 8 1 stream
	prolog
	expect_gate 8 note=
	expect_options forcedirect
	epilog
	[ "$(findings 8)" = '[]' ]
}

@test "more io-cores than this node allows are left out, and the profile is not" {
	allow any
	limit 2
	job 7 3 stream
	judged "$STREAM"
	prolog
	expect_gate 7 verdict=admit
	expect_gate 7 "note=io-cores without use: jobio.conf of this node allows 1 to 2, the job asks for 3; where it was submitted 1 to 4 were allowed"
	expect_gate 7 io_cores=0
	expect_gate 7 io_profile=stream
	expect_options forcedirect
	[ "$(<"$NODE/weka/stable")" = 7 ]
	epilog
	expect_base
	[ "$(got 7)" = '[3,"stream",true,false,null,null]' ] || fail "$(got 7)"
}

@test "a profile that sets something else here is applied as this node has it, and the record says so" {
	job 7 1 stream
	judged "$STREAM"
	prolog
	expect_gate 7 note=
	expect_options forcedirect
	epilog
	[ "$(findings 7)" = "[[\"W59\",\"info\",\"profile 'stream' sets something else here than where the job was submitted: it is as this node has it\"]]" ]
}

@test "a profile for clients of another type is left out, with the reason" {
	NODE_MORE=$'[profile scan]\nread_ahead_kb=4096' node_conf
	job 7 1 scan
	judged "$STREAM"
	prolog
	expect_gate 7 verdict=admit
	expect_gate 7 "note=profile 'scan' was not applied: it has no setting that this node's client takes"
	expect_base
}

@test "a request in the form of a newer jobio is left out: nothing of it is guessed" {
	job 7 1 stream
	JOB_ENV+=(SPANK_JOBIO_VERSION=2 SPANK_JOBIO_IO_CORES=1+1)
	run prolog
	[ "$status" -eq 0 ]
	expect_gate 7 verdict=admit
	expect_gate 7 "note=the job's I/O options have no effect: a newer jobio than this node's wrote the job's request"
	expect_base
	epilog
	[ "$(record 7 | jq -c .request)" = null ]
	expect_in '"W58","warning","the job'"'"'s I/O options are left out: a newer jobio' "$(findings 7)"
}

@test "a judgement that the user has set allows nothing, and is not repeated" {
	for value in 1-64 1-64,0123456789abcdef '1-4; reboot' '' "$(printf '%0300d' 1)"; do
		rm -rf "$NODE/spool"
		job 7 9 strem
		judged "$value"
		run prolog
		[ "$status" -eq 0 ]
		[[ $output != *reboot* ]] || fail "$output"
		expect_gate 7 verdict=admit
		expect_gate 7 io_cores=0
		expect_gate 7 io_profile=
		grep -q "^note=profile 'strem' was not applied: .*; io-cores without use: jobio.conf of this node allows 1 to 4, the job asks for 9" "$NODE/run/7/gate"
		expect_base
		epilog
	done
}

@test "on_mismatch = refuse: the job fails with the reason" {
	NODE_JOBIO=on_mismatch=refuse node_conf
	job 7 1 strem
	judged "$STREAM"
	run prolog
	[ "$status" -eq 0 ]
	grep -q "^reason=--io-profile: 'strem': this site has no such profile; did you mean 'stream'?" "$NODE/run/7/gate"
	expect_base
	job 8
	JOB_ENV+=(SPANK_JOBIO_VERSION=2)
	prolog
	expect_gate 8 "reason=a newer jobio than this node's wrote the job's request"
}

@test "on_mismatch = hold: the job goes back into the queue, held, with the reason in its AdminComment" {
	NODE_JOBIO=on_mismatch=hold node_conf
	job 7 1 strem
	judged "$STREAM"
	run prolog
	[ "$status" -eq 0 ]
	grep -qE "^--timeout-ms=[0-9]+ hold 7 jobio: node c1: held: profile 'strem': jobio.conf of this node has no such profile; where" "$NODE/asked" || fail "$(cat "$NODE/asked")"
	expect_gate 7 verdict=refuse
	grep -q "^reason=put back into the queue and held: profile 'strem': jobio.conf of this node has no such profile" "$NODE/run/7/gate"
	expect_base
	epilog
	expect_in "put back into the queue and held: profile 'strem'" "$(got 7)"
}

@test "on_mismatch = hold: who is allowed what he asks for is not held, and AdminComment is left to a ledger that writes it" {
	NODE_JOBIO=on_mismatch=hold NODE_MORE=$'[ledger]\nfield=admin' node_conf
	job 7 1 stream
	prolog
	expect_gate 7 verdict=admit
	run grep hold "$NODE/asked"
	[ "$output" = '' ]
	epilog
	limit 2
	job 8 3
	prolog
	grep -qE '^--timeout-ms=[0-9]+ hold 8$' "$NODE/asked" || fail "$(cat "$NODE/asked")"
	grep -q '^reason=put back into the queue and held: jobio.conf of this node allows 1 to 2' "$NODE/run/8/gate"
}

@test "on_mismatch = hold: a job that cannot be held runs without, and its record says why" {
	NODE_JOBIO=on_mismatch=hold node_conf
	node_fake jobio-slurm 'echo "slurmctld: requeue: Requested operation is presently disabled" >&2; exit 1'
	job 7 - strem
	run prolog
	[ "$status" -eq 0 ]
	expect_gate 7 verdict=admit
	expect_gate 7 "note=profile 'strem' was not applied: jobio.conf of this node has no such profile"
	epilog
	expect_in 'W60","warning","the job could not be held, and runs without what it asked for: slurmctld: requeue: Requested operation' "$(findings 7)"
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
