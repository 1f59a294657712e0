#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A node with two clients: WEKA, by fake commands, and NFS, by files.
#
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets output and status; each test is a subshell

load node
load crash

setup() {
	node_make
	mkdir -p "$NODE/nfs" "$NODE/bdi/0:60"
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	echo '192.0.2.40:/export/work /mnt/work nfs rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none 0 0' \
		>"$NODE/nfs/mounts"
	echo 128 >"$NODE/bdi/0:60/read_ahead_kb"
	NODE_MORE="[client home]
type=nfs
mount_table=$NODE/nfs/mounts
[profile both]
mount_options=forcedirect
[profile both:home]
read_ahead_kb=512"
	node_conf
}

teardown() { node_remove; }

read_ahead() { cat "$NODE/bdi/0:60/read_ahead_kb"; }

@test "each client has the settings of the job's profile while it runs, and its own afterwards" {
	job 7 1 both
	expect_run 0 prolog
	expect_options forcedirect
	[ "$(read_ahead)" = 512 ]
	expect_gate 7 io_profile=both
	epilog
	expect_base
	[ "$(read_ahead)" = 128 ]
	[ "$(record 7 | jq -c '[.request.applied, (.changes[] | [.client, .what, .made, .restored])]')" = \
		'[true,["weka","mount-option",true,true],["home","read-ahead",true,true]]' ]
}

@test "a profile with settings of the second client only is applied, one without settings of either is not" {
	sed -i '/^\[profile both\]/,$d' "$NODE/jobio.conf"
	printf '[profile ahead]\nread_ahead_kb=512\n[profile none]\nmmconfig=maxMBpS=1000\n' >>"$NODE/jobio.conf"
	one_job 7 1 ahead
	[ "$(record 7 | jq -c '[.request.applied, (.changes[] | .client)]')" = '[true,"home"]' ]
	starts 8 1 none
	expect_gate 8 "note=profile 'none' was not applied: it has no setting that this node's client takes"
	epilog
	[ "$(record 8 | jq -c '[.request.applied, .changes]')" = '[false,[]]' ]
}

@test "the profile is not applied to a client that cannot be examined, and the job gets the reason" {
	rm "$NODE/nfs/mounts"
	starts 7 1 both
	expect_options forcedirect
	grep -q "^note=profile 'both' was not applied: .*$NODE/nfs/mounts" "$NODE/run/7/gate"
	epilog
	expect_base
	expect_in '"applied":false' "$(record 7)"
}

@test "the record has both clients with their mounts, and the counters of the second under its name" {
	starts 7
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1-later.txt" "$NODE/nfs/mountstats"
	epilog
	[ "$(record 7 | jq -c '[.client, .more_clients[] | [.name, .type, .cpus, .mounts[].mount]]')" = \
		'[["weka","weka","7,15","/mnt/weka"],["home","nfs","","/mnt/work"]]' ]
	[ "$(record 7 | jq -c '.wire[] | [.client, .fs, .read_bytes]')" = '["home","/mnt/work",268435456]' ]
	[ "$(record 7 | jq -r .client.app_to_wire)" = 'cache=out read-ahead=in direct=in compression=before' ]
}

@test "the kernel counts on the mounts of both clients" {
	one_job 7
	expect_in '/mnt/weka /mnt/work' "$(count_calls)"
}

@test "a hanging client uses its share of the prolog's time, and the other gets its settings" {
	# shellcheck disable=SC2016
	node_fake weka 'sleep 60'
	NODE_JOBIO=prolog_budget_ms=4000 NODE_CLIENT=timeout_ms=2000 node_conf
	SECONDS=0
	job 7 1 both
	expect_run 0 prolog
	[ "$SECONDS" -lt 15 ]
	expect_in "W14 'weka local ps' hangs" "$output"
	[ "$(read_ahead)" = 512 ]
	expect_run 0 epilog
	[ "$(read_ahead)" = 128 ]
	[ "$(record 7 | jq -c '[.changes[] | select(.what == "read-ahead") | .restored]')" = '[true]' ]
}

@test "with a missing mount table only its client is left out" {
	rm "$NODE/nfs/mounts"
	job 7 1 both
	expect_run 0 prolog 'W53 ' \
		'; cure: correct mount_table= in jobio.conf'
	expect_options forcedirect
	epilog
	expect_base
	[ "$(record 7 | jq -c '[.client.name, .more_clients]')" = '["weka",null]' ]
}

@test "of two clients that would get the io-cores the second keeps its own, and a finding reports it" {
	NODE_MORE+="
[client home]
core_change=any"
	NODE_CLIENT=core_change=any node_conf
	job 7 1
	run prolog
	expect_in 'W55 [client weka] and [client home] would both have the job'\''s io-cores: the first gets them; cure: leave core_change out of one of them' "$output"
}

# cpumasks - the CPU masks of NFS's workqueues
cpumasks() { cat "$NODE/sysfs/devices/virtual/workqueue"/*/cpumask | sort -u; }

@test "the client with core_change gets the io-cores, also if a client before it cannot be examined" {
	local queue
	for queue in nfsiod rpciod xprtiod writeback; do
		mkdir -p "$NODE/sysfs/devices/virtual/workqueue/$queue"
		echo 0000ffff >"$NODE/sysfs/devices/virtual/workqueue/$queue/cpumask"
	done
	NODE_MORE+="
[client home]
core_change=affinity"
	node_conf
	rm "$NODE/weka/mounts"
	job 7 1
	expect_run 0 prolog 'W53'
	[ "$(cpumasks)" = 00008080 ]
	expect_gate 7 client_cpus=7,15
	epilog
	[ "$(cpumasks)" = 0000ffff ]
	[ "$(record 7 | jq -c '[.request.cores_met, (.changes[] | [.client, .what, .restored])]')" = \
		'[true,["home","workqueue",true]]' ]
}

@test "jobio check examines every client of the node" {
	sed -i 's/,hard/,soft/' "$NODE/nfs/mounts"
	echo 'isolate_cpusets=true' >"$NODE/weka/service.conf"
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in 'NF04' "$output"
	expect_in 'W01' "$output"
}

request_of() { job "$1" 1 both; }

is_back() { [ "$(read_ahead)" = 128 ] && expect_base; }

@test "a prolog killed at any step leaves neither client changed" { crash_walk prepare release; }

@test "an epilog killed at any step leaves neither client changed" { crash_walk release release; }
