#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.bats - jobio compare --json, with a temporary ledger and fake-sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

# One ledger for all: each test uses other job IDs.
setup_file() {
	export DIR LEDGER MUNGED PORT
	setup_sacct
}
teardown_file() { teardown_ledger; }
setup() {
	restore_sacct
	: >"$DIR/bin/jobs"
}

# ran JOB SECONDS READ_MIB PROFILE [NODES [SPREAD_MIB]] - add a job: each node read READ_MIB,
# the first node SPREAD_MIB more
ran() {
	local node
	for ((node = 1; node <= ${5:-1}; node++)); do
		jq -nc --argjson job "$1" --argjson s "$2" --argjson mib "$(($3 + (node == 1 ? ${6:-0} : 0)))" --arg profile "$4" \
			--arg node "c$node" --arg list "c[1-${5:-1}]" --argjson uid "$EUID" '
			{jobio: 1, cluster: "c", job: $job, restart: 0, node: $node, nodelist: $list, uid: $uid, gid: 0, user: "alice",
			 start: 1795222800, end: (1795222800 + $s), request: {io_cores: 1, profile: $profile, applied: true},
			 client: {name: "weka", type: "weka", mounts: [{mount: "/mnt/weka", fstype: "wekafs", source: "d"}]},
			 app: [{scope: "job", source: "bpf", fs: "/mnt/weka", read_bytes: ($mib * 1048576), read_calls: ($mib * 8), read_us: ($mib * 8000),
				write_bytes: 0, write_calls: 0, meta: {open: 10}}], quality: []}' >"$DIR/spool/$1.0.c$node.json"
	done
	printf 'JobID=%s\tCluster=c\tUser=alice\tState=COMPLETED\tExitCode=0:0\tJobName=train\n' "$1" >>"$DIR/bin/jobs"
}

compare() { "$BUILDDIR/jobio" compare --conf="$DIR/jobio.conf" "$@"; }

# is EXPECTED JQ SIDE SIDE - fail unless JQ prints this for its JSON
is() {
	run compare --json "${@:3}"
	expect_equal 0 "$status"
	expect_equal "$1" "$(jq -r "$2" <<<"$output")"
}

@test "two jobs of several nodes are compared; a difference is significant if it exceeds the spread over nodes" {
	ran 100 100 1000 bulk 4 8
	ran 101 60 1000 stream 4 -6
	send
	compare --json 100 101 | sorted_json >"$DIR/kept"
	expect_kept compare.json.golden "$DIR/kept"
	is 'nodes false true -40' '"\(.spread_over) \(.read_bytes.significant) \(.read_Bps.significant) \(.elapsed_s.change_percent | round)"' 100 101
	run compare 100 101
	expect_text 'read: rate             10 MiB/s +- 41 KiB/s (4)     16.6 MiB/s +- 51.2 KiB/s (4)' "$output"
}

@test "several jobs on a side are repeats; a difference is significant if it exceeds their spread" {
	local i
	for i in 0 1 2; do
		ran "21$i" $((100 + i)) 1000 bulk
		ran "22$i" $((80 + 2 * i)) 1000 stream
		ran "23$i" $((70 + 30 * i)) 1000 other
	done
	send
	is 'jobs 3 true -19' '"\(.spread_over) \(.sides[0].jobs | length) \(.elapsed_s.significant) \(.elapsed_s.change_percent | round)"' 210,211,212 220,221,222
	is 'false -1' '.elapsed_s | "\(.significant) \(.change_percent | round)"' 210,211,212 230,231,232
	is 'bulk mixed' '"\(.sides[0].profile) \(.sides[1].profile)"' 210,211,212 220,230,231
}

@test "with one job of one node on each side the significance is unknown" {
	ran 300 100 1000 bulk
	ran 301 60 500 stream
	send
	is '["300"] stream null -50 nodes 1048576000' \
		'"\(.sides[0].jobs) \(.sides[1].profile) \(.read_bytes.significant) \(.read_bytes.change_percent | round) \(.spread_over) \(.read_bytes.first.mean | round)"' 300 301
}

# grow JOB NODES - copy the record of its node to so many nodes
grow() {
	python3 - "$DIR/store.sqlite" "$@" <<-'EOP'
		import sqlite3, sys
		path, job, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
		with sqlite3.connect(path, timeout=10) as db:
		    run, text = db.execute("SELECT run, text FROM records JOIN runs ON id=run WHERE job=?", (job,)).fetchone()
		    db.execute("DELETE FROM records WHERE run=?", (run,))
		    db.executemany("INSERT INTO records VALUES(?, ?, 1, ?)",
		        [(run, f"c{n}", text.replace('"node":"c1"', f'"node":"c{n}"')) for n in range(nodes)])
		    db.execute("UPDATE runs SET nodes_seen=?1, nodes_expected=?1, dirty=0, summary=?2 WHERE id=?3", (nodes,
		        f"jobio/1 rd=1TiB/16.4M wr=0B/0 nodes={nodes / 1000}k/{nodes / 1000}k scope=job src=bpf", run))
	EOP
}

@test "all nodes of a large job are compared" {
	ran 400 100 8 bulk
	ran 401 100 8 bulk
	send
	grow 400 4000
	is '33554432000 0.001 0.001' '"\(.read_bytes.first.mean) \(.read_call_s.first.mean) \(.read_call_s.second.mean)"' 400 401
}

@test "without the ledger two summaries are compared" {
	sed -i 's/^port = .*/port = 1/' "$DIR/jobio.conf"
	printf 'JobID=%s\tCluster=c\tState=COMPLETED\tElapsedRaw=%s\tSystemComment=%s\n' \
		7 100 'jobio/1 nodes=1/1 rd=1GiB/1k wr=2GiB/2k scope=job prof=a' \
		8 50 'jobio/1 nodes=1/1 rd=1GiB/1k wr=2GiB/2k scope=node prof=b' >"$DIR/bin/jobs"
	is '-50 100' '"\(.elapsed_s.change_percent) \(.read_Bps.change_percent)"' 7 8
	run compare 7 8
	expect_text 8:\ node-wide "$output"
}

@test "JSON matches its schema, for two jobs, repeats and summaries" {
	local job
	for job in 507 508 510 511; do ran $job $((90 + job)) 1000 bulk; done
	ran 509 80 1000 stream 2
	send
	compare --json 507 508 >"$DIR/lines"
	compare --json 507,508 510,511 >>"$DIR/lines"
	compare --json 507 509 >>"$DIR/lines"
	sed -i 's/^port = .*/port = 1/' "$DIR/jobio.conf"
	printf 'JobID=%s\tCluster=c\tState=COMPLETED\tElapsedRaw=50\tSystemComment=jobio/1 nodes=1/1 rd=1GiB/1k\n' 12 13 >"$DIR/bin/jobs"
	compare --json 12 13 >>"$DIR/lines"
	expect_equal 'nodes jobs nodes nodes' "$(jq -r .spread_over "$DIR/lines" | xargs)"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/compare.schema.json" <"$DIR/lines"
	expect_equal '0 ' "$status $output"
}

@test "compare: a job without a record is refused" {
	ran 600 100 1000 bulk
	send
	run compare 600 8
	expect_equal "1 jobio: compare: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see" "$status $output"
}
