#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare.bats - jobio compare, from a ledger of our own and from a false sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

setup() { setup_sacct; }
teardown() { teardown_ledger; }

# ran JOB SECONDS READ_MIB PROFILE [NODES [SPREAD_MIB]] - each node read so much,
# the first SPREAD_MIB more
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

compare() {
	"$BUILDDIR/jobio" compare --conf="$DIR/jobio.conf" "$@"
}

@test "two jobs of several nodes are compared, and the spread over the nodes says what is chance" {
	ran 7 100 1000 bulk 4 8
	ran 8 60 1000 stream 4 -6
	send
	run compare 7 8
	expect_equal 0 "$status"
	expect_equal "job            7                 8
name           train             train
state          COMPLETED         COMPLETED
profile        bulk              stream            differs
io-cores       -                 -
filesystems    /mnt/weka:wekafs  /mnt/weka:wekafs
nodes          4                 4
elapsed        00:01:40          00:01:00            -40.0 %
read           3.91GiB           3.9GiB               -0.3 %  within the spread
  rate         40.1MiB/s         66.6MiB/s           +66.1 %  significant
  a call       128KiB            128KiB                 same
  time of it   1ms               1ms                    same
written        0B                0B                     same
metadata       40                40                     same
advice         -                 -

significant: less than 5 of 100 by chance, over the nodes of the two jobs" "$output"
}

@test "several jobs on a side are repeats, and their spread says what is chance" {
	local i
	for i in 0 1 2; do
		ran "1$i" $((100 + i)) 1000 bulk
		ran "2$i" $((80 + 2 * i)) 1000 stream
		ran "3$i" $((70 + 30 * i)) 1000 other
	done
	send
	run compare 10,11,12 20,21,22
	expect_equal 0 "$status"
	expect_text 'job            10,11,12          20,21,22' "$output"
	expect_text 'elapsed        00:01:41          00:01:22            -18.8 %  significant' "$output"
	expect_text 'significant: less than 5 of 100 by chance, over the jobs' "$output"
	run compare 10,11,12 30,31,32
	expect_text 'elapsed        00:01:41          00:01:40             -1.0 %  within the spread' "$output"
	run compare 10,11,12 20,30,31
	expect_text 'profile        bulk              mixed             differs' "$output"
}

@test "of one job with one node a side nobody can say what is chance, and other work is told" {
	ran 7 100 1000 bulk
	ran 8 60 500 stream
	send
	run compare 7 8
	expect_equal 0 "$status"
	expect_text 'one job and one node a side: what is chance cannot be told' "$output"
	expect_text 'not the same work: read differs by more than 10 %' "$output"
	run compare 7 8 --json
	expect_equal '["7"] stream null -50 nodes 1048576000' \
		"$(jq -r '"\(.sides[0].jobs) \(.sides[1].profile) \(.read_bytes.significant) \(.read_bytes.change_percent | round) \(.spread_over) \(.read_bytes.first.mean | round)"' <<<"$output")"
}

# grow JOB NODES - as if so many nodes had said what its one node did
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

@test "numbers of some nodes alone are not compared with those of all" {
	ran 7 100 8 bulk
	ran 8 100 8 bulk
	send
	grow 7 4000
	run compare --json 7 8
	expect_equal 0 "$status"
	expect_equal 1099511627776 "$(jq .read_bytes.first.mean <<<"$output")"
	expect_equal 'null 0.001' "$(jq -r '"\(.read_call_s.first) \(.read_call_s.second.mean)"' <<<"$output")"
}

@test "JSON holds to its schema, of two jobs, of repeats and of summaries" {
	local job
	for job in 7 8 10 11; do ran $job $((90 + job)) 1000 bulk; done
	ran 9 80 1000 stream 2
	send
	compare --json 7 8 >"$DIR/lines"
	compare --json 7,8 10,11 >>"$DIR/lines"
	compare --json 7 9 >>"$DIR/lines"
	stop "$LEDGER"
	printf 'JobID=%s\tCluster=c\tState=COMPLETED\tElapsedRaw=50\tSystemComment=jobio/1 nodes=1/1 rd=1GiB/1k\n' 12 13 >"$DIR/bin/jobs"
	compare --json 12 13 >>"$DIR/lines"
	expect_equal 'nodes jobs nodes nodes' "$(jq -r .spread_over "$DIR/lines" | xargs)"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/compare.schema.json" <"$DIR/lines"
	expect_equal '0 ' "$status $output"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/compare.schema.json" < <(
		head -n1 "$DIR/lines" | jq -c '.sides[0].jobs = [] | .meta.first = 1 | .new = 1')
	expect_equal ".meta.first: 1 is no object or null
.sides[0].jobs: too short
: new is not in the schema" "$output"
}

@test "without the ledger two summaries are compared" {
	stop "$LEDGER"
	printf 'JobID=%s\tCluster=c\tState=COMPLETED\tElapsedRaw=%s\tSystemComment=%s\n' \
		7 100 'jobio/1 nodes=1/1 rd=1GiB/1k wr=2GiB/2k scope=job prof=a' \
		8 50 'jobio/1 nodes=1/1 rd=1GiB/1k wr=2GiB/2k scope=node prof=b' >"$DIR/bin/jobs"
	run compare 7 8
	expect_equal 0 "$status"
	expect_text 'elapsed        00:01:40          00:00:50            -50.0 %' "$output"
	expect_text '  rate         10.2MiB/s         20.5MiB/s          +100.0 %' "$output"
	expect_text '8: NODE-WIDE, with whatever else ran there' "$output"
}

@test "a side that nobody knows, or that is no job, is refused with a sentence" {
	ran 7 100 1000 bulk
	send
	run compare 7 8
	expect_equal 1 "$status"
	expect_equal "jobio: compare: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see" "$output"
	run compare 7
	expect_equal 2 "$status"
	expect_equal 'jobio: compare: two jobs, or two lists of them; see jobio compare --help' "$output"
	run compare 7 x
	expect_equal 2 "$status"
	expect_equal "jobio: compare: job: 'x': not a job id like 7, 5_1 or 7+1" "$output"
	run compare 7 ,
	expect_equal 'jobio: compare: which job?' "$output"
	run compare --nosuch 7 8
	expect_equal 2 "$status"
}
