#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# mixed.bats - a node with NFS for homes, Lustre for work, and Storage Scale:
# while one of them hangs, the others are examined, tuned and counted as usual.
#
# shellcheck disable=SC2154,SC2034 # bats sets output and status; the .bash files read NODE_*

load node
load crash
load nfs
load lustre
load gpfs

setup_file() { lustre_library "$BATS_FILE_TMPDIR/lustre.so"; }

setup() {
	node_make
	nfs_make
	lustre_node "$BATS_FILE_TMPDIR/lustre.so"
	gpfs_make
	mixed_conf
	before=$(all_params)
}

teardown() { gpfs_remove; }

# mixed_conf - write jobio.conf with all three, and a profile that sets something of each
mixed_conf() {
	local home work fast
	home=$(conf_client nfs_conf)
	work=$(conf_client lustre_conf)
	fast=$(conf_client gpfs_conf)
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		$home
		$work
		$fast
		[profile all]
		description=something of each
		[profile all:home]
		read_ahead_kb=512
		[profile all:scratch]
		parameters=osc.max_rpcs_in_flight=24
		[profile all:fast]
		mmconfig=maxMBpS=2048
	END
}

# nfs_hangs - the server of /mnt/work does not answer, and requests wait for it
nfs_hangs() {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none,proto=tcp,port=1,addr=127.0.0.1
}

# within SECONDS COMMAND... - fail if it takes longer; sets $output
within() {
	local began=$SECONDS limit=$1
	shift
	run "$@"
	[[ $status -eq 0 ]] || fail "status $status: $output" || return
	[[ $((SECONDS - began)) -le $limit ]] || fail "took $((SECONDS - began)) s"
}

# works - I/O of the job on each of them
works() {
	nfs_later
	lustre_later
	gpfs_work 1000 2000 3 4
}

# findings_of ID - the errors in its record, each once
findings_of() { record "$1" | jq -r '[.findings[] | select(.severity == "error") | .code] | join(" ")'; }

# moved ID - counters of its clients, by name
moved() { record "$1" | jq -c '[.wire[]? | [.client, .fs, .read_bytes]]'; }

HOME_MOVED='["home","/mnt/work",268435456]'
WORK_MOVED='["scratch","/mnt/work",503320576]'
FAST_MOVED='["fast","/scratch",1000],["fast","/home",0]'

# settings - present settings of NFS and Lustre: read-ahead, RPCs
settings() {
	echo "$(<"$NODE/bdi/0:60/read_ahead_kb") $(osc 0 max_rpcs_in_flight)"
}

expect_settings() {
	local have
	have=$(settings)
	[[ $have == "$1" ]] || fail "settings: $have"
}

expect_all_as_before() {
	expect_nfs_as_before || return
	[[ $(all_params) == "$before" ]] || fail "$(diff <(echo "$before") <(all_params))"
}

# one_mixed_job ID - run a job; the settings of each client are set, and restored afterwards
one_mixed_job() {
	job "$1" 1 all
	within 15 prolog
	expect_settings '512 max_rpcs_in_flight=24'
	expect_gate "$1" io_profile=all
	works
	within 15 epilog
	expect_all_as_before
	[ "$(record "$1" | jq -c '[.client, .more_clients[] | [.name, .type, .mounts[].mount]]')" = \
		'[["home","nfs","/mnt/work"],["scratch","lustre","/mnt/work"],["fast","gpfs","/scratch","/home"]]' ]
	[ "$(record "$1" | jq -c '[.request.applied, (.changes[] | [.client, .made, .restored])]')" = \
		'[true,["home",true,true],["scratch",true,true],["scratch",true,true]]' ]
}

@test "three clients of one node get the settings of a job's profile, and have their own afterwards" {
	one_mixed_job 7
	[ "$(findings_of 7)" = '' ]
	[ "$(moved 7)" = "[$HOME_MOVED,$WORK_MOVED,$FAST_MOVED]" ]
}

@test "the record has the relation of each client's counters to the processes' I/O" {
	starts 7
	works
	epilog
	[ "$(record 7 | jq -r '.client, .more_clients[] | "\(.type): \(.app_to_wire)"')" = 'nfs: cache=out read-ahead=in direct=in compression=none
lustre: cache=out read-ahead=in direct=in compression=unknown
gpfs: cache=in read-ahead=out direct=in compression=before' ]
}

@test "while an NFS server does not answer Lustre and Storage Scale are examined, tuned and counted" {
	nfs_hangs
	sed -i 's/state: FULL/state: DISCONN/' "$NODE/lustre/debug/osc/work-OST0000-osc-ffff9a2c41d08000/import"
	one_mixed_job 7
	[ "$(findings_of 7)" = 'NF09 LU04' ]
	[ "$(moved 7)" = "[$HOME_MOVED,$WORK_MOVED,$FAST_MOVED]" ]
}

@test "while mmpmon hangs NFS and Lustre are examined, tuned and counted" {
	touch "$NODE/gpfs/hang"
	mounted rw,vers=3,rsize=1048576,wsize=1048576,soft,local_lock=none
	job 7 1 all
	within 15 prolog
	expect_in 'GP04 mmfsd does not answer' "$output"
	[ "$(grep -c 'GP0[46]' <<<"$output")" -eq 1 ]
	expect_settings '512 max_rpcs_in_flight=24'
	works
	within 15 epilog
	expect_all_as_before
	[ "$(record 7 | jq -c '[.findings[].code] | index("NF04") != null, index("LU12") != null, index("GP04") != null')" = $'true\ntrue\ntrue' ]
	[ "$(moved 7)" = "[$HOME_MOVED,$WORK_MOVED]" ]
}

@test "while an NFS server and mmpmon hang Lustre is examined, tuned and counted" {
	nfs_hangs
	touch "$NODE/gpfs/hang"
	job 7 1 all
	within 15 prolog
	expect_settings '512 max_rpcs_in_flight=24'
	works
	within 15 epilog
	expect_all_as_before
	[[ " $(findings_of 7) " == *' NF09 '* && " $(findings_of 7) " == *' GP04 '* ]]
	[ "$(moved 7)" = "[$HOME_MOVED,$WORK_MOVED]" ]
}

@test "jobio check reports the same findings of each client as on a node with that client only" {
	nfs_hangs
	touch "$NODE/gpfs/hang"
	slurmd_env 0
	SECONDS=0
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	[ "$SECONDS" -lt 30 ]
	expect_in 'NF09 error: ' "$output"
	expect_in 'LU12 info: ' "$output"
	expect_in 'GP04 error: ' "$output"
}
