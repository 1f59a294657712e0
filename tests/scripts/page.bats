#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# page.bats - jobio report --html, from a ledger of our own and from a false sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

setup() {
	setup_ledger
	mkdir "$DIR/bin"
	cp "$SRCDIR/tests/scripts/fake-sacct" "$DIR/bin/sacct"
	printf 'JobID=%s\tCluster=c\tUser=alice\tStart=1795222800\tEnd=1795226400\tExitCode=0:0\tState=COMPLETED\tJobName=%s\tPartition=gpu\tAccount=lab\tElapsedRaw=3600\t%s\n' \
		7 'train' '' 9_1 'a task' 'JobIDRaw=10' 9_2 'a task' 'JobIDRaw=11' \
		12 'from sacct' 'SystemComment=jobio/1 nodes=1/1 rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka' >"$DIR/bin/jobs"
	PATH=$DIR/bin:$PATH
	page=$DIR/page.html
	export TZ=UTC LC_ALL=C
}
teardown() { teardown_ledger; }

# a node's record of a job of so many nodes, with the hostile words of $EVIL in
# each of its texts
node_record() {
	jq -nc --argjson i "$1" --argjson n "$2" --argjson uid "$EUID" --arg evil "${EVIL:-}" '
		def rows($m): [range(57) | if . % $m == 0 or . > 40 then (. * 7919 * ($i + 1)) % 4000000 else 0 end];
		def io($fs): rows(7) as $r | rows(5) as $w | {scope: "job", source: "bpf", client: "weka", fs: $fs,
			read_bytes: ($r | add), write_bytes: ($w | add), read_calls: 570, write_calls: 57,
			read_us: 9000000, write_us: 1000, meta: {open: 30000, stat: 700000},
			timeline: {start: 1795222784, width_s: 64, read_bytes: $r, write_bytes: $w, calls: [range(57) | 11]},
			read_sizes: [range(12) | 0, 300000, 20, 5], write_sizes: [0, 0, 0, 9], read_ns: [0, 0, 1, 2, 3], write_ns: [1, 2]};
		{jobio: 1, cluster: "c", job: 7, restart: 0, node: "c\($i)", nodelist: "c[1-\($n)]", uid: $uid, gid: 0,
		 user: ("alice" + $evil), start: 1795222800, end: 1795226400,
		 request: {io_cores: 2, profile: "stream", applied: true, cores_met: true},
		 io_cores: {count: 2, abstract: "23", os_cpus: "46-47"},
		 client: {name: "weka", type: "weka", version: "4.4.4", cpus: (if $i % 2 == 0 then "46-47" else "47,94" end),
			mounts: [{mount: ("/mnt/weka" + $evil), fstype: "wekafs", source: "d"}]},
		 changes: [{client: "weka", what: "mount-option", target: ("/mnt/weka" + $evil), old: "writecache", new: ("forcedirect" + $evil), restored: true, made: true}],
		 findings: [{code: "W01", severity: "warning", text: ("something" + $evil), cure: ("do this" + $evil)}],
		 app: [io("/mnt/weka" + $evil), io("/home"), {scope: "job", source: "stepd", fs: null, read_bytes: 1, write_bytes: 2, read_calls: 1, write_calls: 1}],
		 wire: [{scope: "node", source: "container.sock", fs: null, read_bytes: 999000, read_calls: 6, write_bytes: null}],
		 quality: ["mmap_missing"]}'
}

nodes() {
	local i
	for ((i = 1; i <= $1; i++)); do
		node_record "$i" "$1" >"$DIR/spool/7.0.c$i.json"
	done
	send
}

html() {
	"$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --html="$page" "$@"
}

words() {
	python3 "$SRCDIR/tests/scripts/page_check.py" "$page" --text
}

@test "a page says what the report says, with pictures, and needs nothing from anywhere" {
	nodes 2
	run html 7
	expect_equal 0 "$status"
	expect_equal '' "$output"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal 0 "$status"
	# two timelines, sizes and times of two filesystems, two heat bars, two kinds of CPUs
	expect_equal '14 17' "$output"
	words >"$DIR/words"
	for word in 'Job 7: train' alice lab gpu COMPLETED 01:00:00 '2026-11-21 01:00:00' stream \
		'When it read and wrote' '/mnt/weka, from bpf' '/home, from bpf' 'Sizes of reads: /home, from bpf' \
		'put back' 'do this' 'I/O through mmap is not counted' 'Advice'; do
		grep -qF -e "$word" "$DIR/words"
	done
	grep -qF "CPUs 0 to 94: reserved for the client by Slurm: 46-47; the client works on: 47,94." "$DIR/words"
	grep -q '^all files, from container.sock, NODE-WIDE$' "$DIR/words"
	grep -qF 'The busiest node, c' "$DIR/words"
}

@test "nothing in a record or in sacct is taken for HTML" {
	EVIL='</td><script>alert(1)</script><img src="x" onerror='\''x'\''>&amp;]]>' nodes 2
	sed -i 's/JobName=train/JobName=<\/h1><script src=\/\/evil>\&quot;"/; s/Partition=gpu/Partition=<b>/' "$DIR/bin/jobs"
	run html 7
	expect_equal 0 "$status"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal 0 "$status"
	expect_equal '14 17' "$output"
	run grep -ciE '<script|<img|<b>' "$page"
	expect_equal 0 "$output"
	expect_text 'Job 7: </h1><script src=//evil>&quot;"' "$(words)"
	expect_text 'something</td><script>alert(1)</script><img src="x" onerror='\''x'\''>&amp;]]>' "$(words)"
}

@test "a page of 1000 nodes has them all in less than 200 KB" {
	python3 -c 'import json, sys
record, folder = json.loads(sys.stdin.read()), sys.argv[1]
for i in range(1, 1001):
    record["node"] = f"c{i}"
    with open(f"{folder}/7.0.c{i}.json", "w") as file:
        json.dump(record, file)' "$DIR/spool" <<<"$(node_record 1 1000)"
	send
	run html 7
	expect_equal 0 "$status"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal 0 "$status"
	[[ $(stat -c %s "$page") -lt 200000 ]]
	expect_equal 1000 "$(words | grep -E '^c[0-9]+$' | sort -u | wc -l)"
	# the same in the other forms: the ledger's answers are of a few hundred each
	run "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" -v 7
	expect_text "and 984 more nodes" "$output"
	[[ $output != *'do not fit'* ]]
}

@test "without records the page has what sacct knows" {
	run html 12
	expect_equal 0 "$status"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal '0 0' "$output"
	expect_text 'NODE-WIDE: with whatever else ran on the nodes.' "$(words)"
	expect_text 'from sacct, three digits and no details: ' "$(words)"
	expect_text 1.21TiB "$(words)"
}

@test "a page that cannot be written leaves the old one, and is of one job" {
	nodes 1
	printf 'old\n' >"$page"
	run html 8
	expect_equal 1 "$status"
	expect_equal old "$(<"$page")"
	page=$DIR/nosuch/page.html run html 7
	expect_equal 1 "$status"
	expect_text "nosuch/page.html" "$output"
	run html 7 8
	expect_equal 2 "$status"
	expect_equal 'jobio: report: --html: of one job, without --json and --csv' "$output"
	run html --json 7
	expect_equal 2 "$status"
	run html
	expect_equal 2 "$status"
	stop "$LEDGER"
	run html 9
	expect_equal 1 "$status"
	expect_equal "jobio: report: --html: '9' is several jobs: name one, like 9_1" "$output"
	umask 077
	rm "$page"
	run html 12
	expect_equal 600 "$(stat -c %a "$page")"
}
