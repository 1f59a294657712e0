# SPDX-License-Identifier: GPL-2.0-or-later
# page.bash - jobs for tests of pages, with a temporary ledger
# shellcheck shell=bash disable=SC2030,SC2031 # bats runs each test in a subshell

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

setup_page() {
	setup_sacct
	page_jobs
}

# page_jobs - set the jobs in sacct, and the path of the page
page_jobs() {
	printf 'JobID=%s\tCluster=c\tUser=alice\tStart=1795222800\tEnd=1795226400\tExitCode=0:0\tState=COMPLETED\tJobName=%s\tPartition=gpu\tAccount=lab\tElapsedRaw=3600\t%s\n' \
		7 'train' '' 9_1 'a task' 'JobIDRaw=10' 9_2 'a task' 'JobIDRaw=11' \
		12 'from sacct' 'SystemComment=jobio/1 nodes=1/1 rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka' >"$DIR/bin/jobs"
	page=$DIR/page.html
}
# node_record - a node's record of a job of so many nodes, with the text $EVIL in each of its
# texts
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
		 io_cores: {count: 2, abstract: "23", os_cpus: "46-47"}} + (if $i % 2 == 1 then {} else
		{machine: {job_cpus: "0-45,48-93", parts: [{socket: 0, numa_node: 0, cpus: "0-23,48-71"}, {socket: 1, numa_node: 1, cpus: "24-47,72-95"}]}} end) + {
		 client: {name: "weka", type: "weka", version: "4.4.4", cpus: (if $i % 2 == 0 then "46-47" else "47,94" end),
			card: {names: ("ib0" + $evil), numa_nodes: "1", beside: true},
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

rows() {
	python3 "$SRCDIR/tests/scripts/page_check.py" "$page" --rows
}
