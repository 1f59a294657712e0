#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report.bats - jobio report for programs, with a temporary ledger and fake-sacct: JSON, CSV,
# exit statuses, and refusals. The layout of its text is not tested.
# shellcheck disable=SC2030,SC2031 # each test is a subshell

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

# One ledger for all tests; its jobs are removed between tests.
setup_file() {
	export DIR LEDGER MUNGED PORT
	setup_sacct
}
teardown_file() { teardown_ledger; }

setup() {
	rm -f "$DIR"/spool/* "$DIR/slurm.conf"
	restore_sacct
	forget_jobs
	: >"$DIR/bin/asked"
	jobs "$(job 4 State=RUNNING)" "$(job 6 State='CANCELLED by 0' SystemComment=a AdminComment=b)" \
		"$(job 9_1 JobIDRaw=18 User=root State=FAILED ExitCode=1:0 End=1795222801 SystemComment='jobio/1 nodes=1/1')" \
		"$(job 9_2 JobIDRaw=9 JobName=train Partition=gpu ElapsedRaw=28 NNodes=4 State=COMPLETED End=1795222828 SystemComment='jobio/1 nodes=3/4 cores=2 cpus=1,3 prof=stream fs=/mnt/weka:wekafs rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka q=node_rebooted meta=12 rsz=8KiB/2MiB miss=c4')"
}

# job ID KEY=VALUE... - print a line for fake-sacct
job() {
	local id=$1 IFS=$'\t'
	shift
	printf 'JobID=%s\tCluster=c\tUser=bob\tStart=1795222800\tEnd=1795222809\tExitCode=0:0\t%s\n' "$id" "$*"
}

# jobs LINE... - set the jobs of sacct
jobs() { printf '%s\n' "$@" >"$DIR/bin/jobs"; }

report() { "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" "$@"; }
no_ledger() { sed -i 's/^port = .*/port = 1/' "$DIR/jobio.conf"; }

# json ARG... - run it; JSON in $output, standard error in $messages
json() {
	status=0
	output=$(report --json "$@" 2>"$DIR/messages") || status=$?
	messages=$(<"$DIR/messages")
}

# has JQ - fail unless JQ is true for each line of JSON
has() {
	jq -se "all(.[]; $1)" <<<"$output" >/dev/null || { printf 'not so: %s\n' "$1"; jq -c . <<<"$output"; return 1; }
}

# are VALUES JQ - fail unless JQ prints VALUES for the lines, in order
are() { expect_equal "$1" "$(jq -r "$2" <<<"$output" | paste -sd' ')"; }

# node_of NODE [JQ] - put a record with all keys into the spool, of one of two nodes
node_of() {
	jq -nc --arg node "$1" --argjson uid "$EUID" '{jobio: 1, cluster: "c", job: 7, restart: 0, node: $node, nodelist: "c[1-2]", uid: $uid, gid: 0, user: "alice",
		start: 1795224862.060, end: 1795224890.110, request: {io_cores: 2, profile: "stream"},
		io_cores: {count: 2, abstract: "0-1", os_cpus: "0-1"},
		client: {name: "weka", type: "weka", version: "4.4.4", cpus: "0-1", card: {names: "ib0", numa_nodes: "1", beside: true},
			mounts: [{mount: "/mnt/weka", fstype: "wekafs", source: "d"}]},
		changes: [{what: "mount-option", target: "/mnt/weka", old: "writecache", new: "forcedirect", restored: true, made: true}],
		findings: [{code: "W01", severity: "warning", text: "something", cure: "do this"}],
		app: [{scope: "job", source: "vfs", fs: "/mnt/weka", read_bytes: 1048576, write_bytes: 2097152, read_calls: 4, write_calls: 8,
			read_us: 1500, peak: {read_Bps: 262144, write_Bps: null, window_s: 1}, meta: {open: 3, stat: 2},
			read_sizes: [0, 0, 1, 4, 2], read_ns: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]}],
		wire: [{scope: "node", source: "container.sock", fs: null, read_bytes: 999000, read_calls: 6, write_bytes: null}],
		quality: ["step_missing"]} | '"${2:-.}" >"$DIR/spool/7.0.$1.json"
}

# line START WIDTH_S READ WRITTEN CALLS - print a timeline, for node_of
line() { printf '.app[0].timeline = {start: %s, width_s: %s, read_bytes: %s, write_bytes: %s, calls: %s}' "$@"; }

# task_of RAW TASK BYTES [JQ] - put a record of one task of array 25 into the spool
task_of() {
	jq -nc --argjson raw "$1" --argjson task "$2" --argjson bytes "$3" --argjson uid "$EUID" '
		{jobio: 1, cluster: "c", job: $raw, restart: 0, node: "c1", nodelist: "c1", uid: $uid, gid: 0, user: "alice", array: {job: 25, task: $task},
		start: 1795224862, end: 1795224890, app: [{scope: "job", source: "stepd", read_bytes: $bytes, write_bytes: 0, read_calls: 1, write_calls: 0}],
		quality: ["all_files"]} | '"${4:-.}" >"$DIR/spool/$1.0.c1.json"
}

# ---- one job -------------------------------------------------------------------------

@test "JSON has the records of all nodes, totals, timelines, advice, and Slurm's data" {
	node_of c1 "$(line 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[4,0,4,4]')"
	node_of c2 "$(line 1795224864 2 '[0,1048576]' '[2097152]' '[12]')"
	send
	jobs "$(job 7 User=alice State=FAILED ExitCode=3:9 JobName='my job' Partition=gpu Account=lab ElapsedRaw=29 NNodes=2)"
	json 7
	expect_equal 0 "$status"
	sorted_json <<<"$output" >"$DIR/kept"
	expect_kept report.json.golden "$DIR/kept"
}

@test "CSV has exact numbers from the ledger, and the columns of its manual page" {
	spool 7 c1 'c[1-2]'
	spool 7 c2 'c[1-2]'
	send
	jobs "$(job 7 State=COMPLETED JobName='train, "x"' Partition=gpu ElapsedRaw=9 NNodes=2)"
	run report 7 --csv
	expect_equal 0 "$status"
	expect_equal '"7","c",0,"ledger",2,2,"","","",2097152,6,20,2,"job","stepd","all_files",,,"train, ""x""","u","","gpu","COMPLETED",0,1795222800,1795222809,9,2,"",7,,,,,0,,"","",0,0,,,""' "${lines[1]}"
	expect_equal "$(tr , '\n' <<<"${lines[0]}")" \
		"$(sed -n '/^Column/,/^.TE/p' "$SRCDIR/man/jobio-report.5" | grep -oE '^[a-zA-Z_]+'$'\t' | tail -n +2 | tr -d '\t')"
}

@test "CSV has advice, peaks, filesystems, findings and counts of the gate" {
	node_of c1 '.nodelist = "c1" | .changes = [] | .gate = {warned: 3, refused: 1, text: "x"} | .app[0] |= (.read_us = null | .read_calls = 10000000 | .read_bytes = 40960000000)'
	send
	jobs "$(job 7 State=COMPLETED)"
	run report 7 --csv
	expect_text '"2","0-1","stream",40960000000,10000000,2097152,8,"job","vfs","step_missing",262144,,' "${lines[1]}"
	expect_text ',"A01",7,,,,,0,5,"/mnt/weka:wekafs","W01",3,1' "${lines[1]}"
}

@test "JSON matches its schema, from the ledger, from sacct and of a list, without undocumented keys" {
	node_of c1 "$(line 1795224862 2 '[1048576]' '[2097152]' '[12]')"
	node_of c2
	task_of 26 1 1024
	send
	jobs "$(job 7 State=COMPLETED JobName=x ElapsedRaw=9 NNodes=2)" \
		"$(job 8 State=FAILED SystemComment='jobio/1 nodes=1/1 rd=1KiB/3')" "$(job 10 State=RUNNING)"
	report --json 7 25_1 8 >"$DIR/lines"
	report --json -u bob >>"$DIR/lines"
	expect_equal 6 "$(wc -l <"$DIR/lines")"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/report.schema.json" <"$DIR/lines"
	expect_equal '0 ' "$status $output"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/report.schema.json" < <(
		head -n1 "$DIR/lines" | jq -c '.source = "x" | .new = 1 | .records[0].job = -1 | del(.id)')
	expect_equal ".records[0].job: -1 is out of bounds
.source: 'x' is not one of those
: new is not in the schema
: no id" "$output"
}

@test "every schema is installed, and named in a manual page" {
	local schema count=0
	for schema in "$SRCDIR"/etc/*.schema.json; do
		schema=${schema##*/}
		grep -qF -e "etc/$schema" "$SRCDIR/packaging.am"
		grep -qF -e "$schema" "$SRCDIR/man/jobio-report.5"
		count=$((count + 1))
	done
	expect_equal 6 "$count"
}

@test "timelines of nodes are added up, row by row; there is none if a node has none" {
	node_of c1 "$(line 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[4,0,4,4]')"
	send
	json 7
	has '.timelines == [{fs: "/mnt/weka", source: "vfs", scope: "job", nodes: 1, start: 1795224862, width_s: 1, read_bytes: [1048576,0,0,0], write_bytes: [0,0,1048576,1048576], calls: [4,0,4,4]}] and (.summary | contains(" shape=head "))'
	# 10 s ahead, with wider rows
	node_of c2 "$(line 1795224872 2 '[0,0,524288,524288]' '[2097152]' '[12]')"
	send
	json 7
	has '.timelines[0] | .width_s == 2 and (.read_bytes | add) == 2097152 and (.calls | length) == 9'
	has '.summary | contains(" shape=bursts:3 ")'
	node_of c2 '.job = 8'
	node_of c1 ".job = 8 | $(line 1795224862 1 '[1048576]' '[2097152]' '[12]')"
	for node in c1 c2; do mv "$DIR/spool/7.0.$node.json" "$DIR/spool/8.0.$node.json"; done
	send
	json 8
	has '.timelines == [] and (.summary | contains("shape=") | not)'
}

@test "with different clocks of nodes the summary has no shape" {
	local zeros
	zeros=$(printf '0,%.0s' {1..27})
	node_of c1 "$(line 1795224862 1 "[${zeros}1048576]" '[2097152]' "[6,${zeros#0,}6]")"
	node_of c2 "$(line 1795224902 1 "[${zeros}1048576]" '[2097152]' "[6,${zeros#0,}6]") | .start += 40 | .end += 40"
	send
	json 7
	has '(.summary | contains("clocks_apart") and (contains("shape=") | not)) and (.timelines[0] | [.start, .width_s, (.read_bytes | add), (.calls | add)]) == [1795224862, 2, 2097152, 24]'
}

@test "a job with more nodes than fit into one reply of the ledger has all of them in its totals" {
	node_of c1 '.nodelist = "c[1-1000]"'
	python3 -c 'import sys
text = sys.stdin.read()
for i in range(1, 1001):
    with open("%s/7.0.c%d.json" % (sys.argv[1], i), "w") as out:
        out.write(text.replace("\"node\":\"c1\"", "\"node\":\"c%d\"" % i))' "$DIR/spool" <"$DIR/spool/7.0.c1.json"
	send
	json 7
	has '.totals.read_calls == 4000 and (.records | length) + .records_left_out == 1000'
	run report -v 7
	expect_text 1000 "$output"
}

@test "a change that was not made, and a profile that was not applied, are not in the summary" {
	node_of c1 '.changes[0] += {restored: null, made: false} | .request.applied = false'
	send
	json 7
	has '.summary | contains(" prof=stream/not-applied ") and (contains("chg=") | not)'
	run report -v 7
	[[ $output != *'put back'* ]]
}

@test "node-wide numbers are always marked NODE-WIDE" {
	node_of c1 '.app[0].scope = "node"'
	send
	json 7
	has '.summary | contains(" scope=node ")'
	for option in -v --advice=all; do
		run report $option 7
		expect_text NODE-WIDE "$output"
	done
	no_ledger
	run report 9_2
	expect_text NODE-WIDE "$output"
}

@test "sources are never added: a node's numbers are those of the best source" {
	local io='{scope: "job", write_bytes: 0, read_calls: 1, write_calls: 0}'
	node_of c1 ".app = [$io + {source: \"bpf\", fs: \"/mnt/weka\", read_bytes: 1024}, $io + {source: \"bpf\", fs: \"/scratch\", read_bytes: 1048576},
		$io + {source: \"exit\", fs: null, read_bytes: 1073741824}]"
	node_of c2 ".app = [$io + {source: \"stepd\", fs: null, read_bytes: 1024}]"
	send
	json 7
	has '.totals.read_bytes == 2048 or (.totals | .read_bytes == 1050624)'
	has '.summary | contains(" src=bpf,stepd ")'
}

@test "numbers of all files are not shown for the client's filesystems" {
	node_of c1 '.app[0] |= (.source = "stepd" | .fs = null) | .quality = ["all_files"]'
	send
	json 7
	has '.summary | contains(" of=all_files ")'
}

@test "flags of skipped programs have their share in percent, over all nodes" {
	node_of c1 '.app[0] += {read_skipped: 1, meta_skipped: 5, times_skipped: 10} | .quality = ["lower_bound_read", "lower_bound_ops", "times_skipped"]'
	node_of c2 '.app[0] += {read_calls: 195, read_us: 1500, meta_skipped: 5} | .quality = ["lower_bound_ops", "lower_bound_write"]'
	send
	run report 7
	for text in 'read numbers are a lower bound (up to 0.5 %)' 'operations are a lower bound (up to 50 %)' 'write numbers are a lower bound' \
		'times are unknown, or too low: the kernel skipped programs (up to 4.3 %)'; do
		[[ $output == *"  $text"$'\n'* || $output == *"  the $text"$'\n'* || $output == *"  the numbers of $text"$'\n'* ]] || { echo "$text"; echo "$output"; return 1; }
	done
}

@test "a flag for loop devices and overlays is a sentence below the filesystems, and a word of the summary" {
	node_of c1 '.quality = ["image_mounted"]'
	send
	run report 7
	expect_text 'loop devices or overlays have files on a counted filesystem: their I/O there is not counted' "$output"
	json 7
	has '.summary | contains(" q=image_mounted")'
}

@test "unmet requests are in the summary, with reasons in the nodes' records" {
	node_of c1 '.request += {applied: false, cores_met: false} | .gate = {warned: 3, refused: 0, text: "the job may run on CPU 7 of node c1"}'
	send
	json 7
	has '(.summary | contains(" not=profile,cores,gate ") and contains(" gate=warn:3")) and .records[0].gate.text == "the job may run on CPU 7 of node c1"'
}

@test "a failed write of the output is an error with exit status 1" {
	spool 7 c1
	send
	run bash -c '"$0" "$@" >/dev/full' "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --csv 7
	expect_equal '1 jobio: standard output: No space left on device' "$status $output"
	run bash -c '"$0" "$@" | head -c1' "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --json 7
	expect_equal '{' "$output"
}

@test "output into a pipe has no colours" {
	node_of c1
	send
	TERM=xterm run report -v 7
	[[ $status -eq 0 && $output != *$'\e'* ]]
}

# ---- sacct ------------------------------------------------------------------------------

@test "a run that is not in sacct yet has no data of Slurm" {
	spool 7 c1
	send
	json 7
	has '.slurm == null and .source == "ledger"'
}

@test "sacct is called once for all jobs, and no part of a job's name is taken for another field" {
	spool 7 c1
	spool 8 c1
	send
	jobs "$(job 7 State=COMPLETED JobName='a|b|c\n8|8|evil jobio/1 rd=9EiB/1')" "$(job 8 State=TIMEOUT)" "$(job 25_1 JobIDRaw=26)"
	: >"$DIR/bin/asked"
	json 7 8
	are '7 COMPLETED 8 TIMEOUT' '.id, .slurm.state'
	expect_equal 'a|b|c?8|8|evil jobio/1 rd=9EiB/1' "$(jq -r 'select(.id == "7").slurm.name' <<<"$output")"
	run report '25_[1-3]' 7+1 7
	expect_equal 2 "$(wc -l <"$DIR/bin/asked")"
	expect_text ' -j 7,8 ' "$(head -n1 "$DIR/bin/asked")"
	expect_text ' -j 25,7+1,7 ' "$(tail -n1 "$DIR/bin/asked")"
}

@test "without the ledger the summary in sacct is shown, with the reason" {
	no_ledger
	json 9_2
	expect_equal 0 "$status"
	has '.source == "sacct" and .cluster == "c" and (.why_not_ledger | endswith("Connection refused")) and .totals.read_calls == 3400000
		and .slurm == {name: "train", user: "bob", account: null, partition: "gpu", state: "COMPLETED", exit_code: 0, signal: 0, start: 1795222800, end: 1795222828, elapsed_s: 28, nodes: 4}'
	run report -v 9_2
	expect_equal 0 "$status"
	json 9_1
	has '.totals | .read_bytes == null and .write_bytes == null'
}

@test "a summary is found in a comment with other text, in several lines" {
	no_ledger
	jobs "$(job 8 State=COMPLETED SystemComment='11/21/26 lua: it|failed\nagain')" \
		"$(job 9 State=COMPLETED SystemComment='11/21/26 lua: failed\nagain jobio/1 nodes=2/2 rd=1.21TiB/3.4M scope=job was looked at\nand again')"
	json 9
	has '.totals.read_calls == 3400000'
}

@test "for an unknown job both sources are named and the status is 1; other jobs are shown" {
	spool 7 c1
	send
	json 7 8
	expect_equal 1 "$status"
	are 7 'select(.records).id'
	expect_text "jobio: report: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see" "$messages"
}

@test "running jobs, and jobs without a summary, have messages of their own" {
	run report 4
	expect_equal "1 jobio: report: job: '4': the job is RUNNING: 'jobio report --live 4' shows what it has read and written so far" "$status $output"
	json 6
	expect_equal "1 jobio: report: job: '6': ledger: job '6': no record that you may read; sacct: the job is CANCELLED by 0 and has no summary: jobio did not count it, or its nodes have not reported yet" "$status $messages"
	run report 6
	expect_equal 0 "$status"
	expect_text "I/O is not known: jobio did not count it, or its nodes have not reported yet (ledger:" "$output"
}

@test "a host without jobio.conf uses sacct; a wrong --conf is a usage error" {
	run "$BUILDDIR/jobio" report --json 9
	expect_equal 0 "$status"
	are '9_1 sacct 9_2 sacct' '.id, .source'
	run "$BUILDDIR/jobio" report --conf="$DIR/nosuch" 9
	expect_equal 2 "$status"
	expect_text "jobio: report: '$DIR/nosuch': cannot read: No such file" "$output"
}

# ---- clusters, arrays, components, runs ------------------------------------------------

# two_clusters - job 7 and a task of array 25 on cluster c, and others with the same IDs on other
two_clusters() {
	spool 7 c1
	send
	record 7 c1 | sed 's/"cluster":"c"/"cluster":"other"/; s/"read_bytes":1048576/"read_bytes":2048/; s/17952248/17953248/g' >"$DIR/spool/7.0.c1.json"
	task_of 26 1 1024
	task_of 28 1 4096 '.cluster = "other"'
	send
}

@test "with a ledger for two clusters the jobs of this host's cluster are shown" {
	two_clusters
	jobs "$(job 7 User=alice State=COMPLETED)" "$(job 25_1 JobIDRaw=26 User=alice State=COMPLETED)"
	json 7 25_1 25
	are 'c 1048576 c 1024 c 1024' '.cluster, .totals.read_bytes'
	json -u alice
	are '7 1048576 25_1 1024' '.id, .totals.read_bytes'
	# there, the jobs of the other cluster
	sed -i 's/Cluster=c/Cluster=other/' "$DIR/bin/jobs"
	json 7
	are 'other 2048' '.cluster, .totals.read_bytes'
}

@test "if sacct lists no jobs those of this host's cluster are shown, and not those of another" {
	two_clusters
	jobs ''
	export SLURM_CONF=$DIR/slurm.conf
	printf 'ClusterName=C\n' >"$SLURM_CONF"
	json 7 25
	are 'c 1 c 1' '.cluster, (.runs | length)'
	printf 'ClusterName=other\n' >"$SLURM_CONF"
	json 7
	are other .cluster
	# the name of its jobs' cluster in slurmdbd, and in records
	sed -i '/^.ledger.$/a cluster = c' "$DIR/jobio.conf"
	json 7
	are c .cluster
	sed -i 's/^cluster = c$/cluster = third/' "$DIR/jobio.conf"
	run report 7
	expect_equal 1 "$status"
	expect_text "job: '7': ledger: job '7': no record that you may read" "$output"
}

@test "an array's ID selects all of its tasks, and a list of tasks selects these" {
	task_of 26 1 1024
	task_of 27 2 2048 '.request = {profile: "stream", applied: false}'
	task_of 25 3 4096
	send
	json 25
	are '25_1 1024 25_2 2048 25_3 4096' '.id, .totals.read_bytes'
	run report 25
	expect_text 'read 7 KiB in 3 calls' "$output"
	run report 25 --csv
	expect_equal '"25_1" "25_2" "25_3"' "$(tail -n +2 <<<"$output" | cut -d, -f1 | xargs -d '\n')"
	json '25_[1,3]' 25_2
	are '25_1 25_3 25_2' .id
	json '25_[2-4%1]'
	are '25_2 25_3' 'select(.records).id'
	json '25_[8-9]'
	expect_equal 1 "$status"
	run report 25_9
	expect_equal 1 "$status"
}

@test "tasks that only sacct has are listed with those of the ledger" {
	task_of 26 1 1024
	send
	jobs "$(job 25_1 JobIDRaw=26 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=9MiB/1 nodes=1/1')" \
		"$(job 25_10 JobIDRaw=50 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=3KiB/1 nodes=1/1')"
	json '25_[1,10]'
	are '25_1 ledger 1024 25_10 sacct 3072' '.id, .source, .totals.read_bytes'
}

@test "the components of a heterogeneous job are found, in the ledger and in sacct" {
	task_of 26 0 1024 'del(.array) | .het = {job: 26, offset: 0}'
	send
	jobs "$(job 26+0 JobIDRaw=26 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 nodes=1/1 rd=1KiB/1')" \
		"$(job 26+1 JobIDRaw=27 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=2KiB/1 nodes=1/1')"
	json 26
	are '26+0 ledger 1024 26+1 sacct 2048' '.id, .source, .totals.read_bytes'
	no_ledger
	json 26
	are '26+0 sacct 1024 26+1 sacct 2048' '.id, .source, .totals.read_bytes'
}

@test "Slurm's data of the newest run is not shown for an older one, nor numbers of an older run for the newest" {
	spool 7 c1
	record 7 c1 | sed -E 's/"restart":0/"restart":1/; s/17952248/17952258/g' >"$DIR/spool/7.1.c1.json"
	send
	jobs "$(job 7 State=FAILED ElapsedRaw=9 NNodes=1)"
	json --restart=1 7
	are '1 FAILED' '.restart, .slurm.state'
	json 7
	are '1 2' '.restart, (.runs | length)'
	json --restart=0 7
	are 0 .restart
	# it has run again, and that run has no record
	jobs "$(job 7 Start=1795229000 End=1795229100 ElapsedRaw=100 NNodes=1 State=FAILED)"
	run report -u bob --csv
	[[ $output == *'"FAILED"'* && $output != *1048576* ]]
	jobs "$(job 7 Start=Unknown State=PENDING)"
	run report -u bob --csv
	[[ $output == *'"PENDING"'* && $output != *1048576* ]]
}

# ---- permissions --------------------------------------------------------------------------

as_user() { setpriv --reuid="$1" --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" "${@:2}"; }

@test "users other than the owner and root see no record, and not whether there is one" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	OWNER=65534 record 7 c1 >"$DIR/spool/7.0.c1.json"
	OWNER=65533 record 8 c1 >"$DIR/spool/8.0.c1.json"
	send
	run as_user 65534 --json 7
	are 1048576 .totals.read_bytes
	for id in 8 10; do
		run as_user 65534 "$id"
		expect_equal "1 jobio: report: job: '$id': ledger: job '$id': no record that you may read; sacct: no such job that you may see" "$status $output"
	done
	# nor in a list, although sacct shows the jobs
	jobs "$(job 7 User=alice State=COMPLETED Start=1795224862)" "$(job 8 User=carol State=COMPLETED Start=1795224862)"
	run as_user 65533 -u alice,carol --csv
	expect_equal '"8"' "$(grep '"ledger"' <<<"$output" | cut -d, -f1)"
}

@test "a long list of a plain user is answered by the ledger, too" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	OWNER=65534 record 4000000000 c1 >"$DIR/spool/4000000000.0.c1.json"
	OWNER=65534 record 4000000499 c1 >"$DIR/spool/4000000499.0.c1.json"
	send
	cat >"$DIR/bin/sacct" <<-'EOP'
		#!/usr/bin/env python3
		import sys
		mark = [a[12:] for a in sys.argv if a.startswith("--delimiter=")][0]
		row = {"JobName": "x", "User": "alice", "Cluster": "c", "State": "COMPLETED", "Start": "1795224862", "End": "1795224890"}
		for job in map(str, range(4000000000, 4000000500)):
		    print(mark.join({**row, "JobID": job, "JobIDRaw": job}.get(field, "") for field in sys.argv[-1].split(",")))
	EOP
	run as_user 65534 -u alice --csv
	expect_equal '"4000000000" "4000000499"' "$(grep '"ledger"' <<<"$output" | cut -d, -f1 | xargs -d '\n' echo)"
}

# is_clean TEXT - it has no bytes that affect a terminal: control characters, C1, bidirectional
# marks, invalid UTF-8
is_clean() {
	python3 -c 'import sys
try:
    text = sys.stdin.buffer.read().decode()
except UnicodeDecodeError:
    sys.exit(1)
bad = set(range(0x20)) - {10} | set(range(0x7f, 0xa0)) | {0x61c, 0x200e, 0x200f}
bad |= set(range(0x2028, 0x202f)) | set(range(0x2066, 0x206a))
sys.exit(any(ord(c) in bad for c in text))' <<<"$1"
}

@test "control characters of records and sacct are not printed, in any format" {
	local evil=$'\302\23331m\342\200\256\342\201\246\342\200\217\330\234' raw option
	printf -v raw '\302\23331m\342\200\256'
	node_of c1 | cat
	sed -i -e "s/something/some${evil}thing $raw/" -e "s/do this/do $evil/" \
		-e "s/alice/al${evil}ice/" -e 's/"writecache"/"write\\u0085cache"/' "$DIR/spool/7.0.c1.json"
	send
	sed -i "s/^JobID=6\tCluster=c\tUser=bob/JobID=6\tCluster=c\tUser=b$raw/
		s/^JobID=9_2\tCluster=c\tUser=bob/JobID=9_2\tCluster=c$raw\tUser=b$raw\tJobName=n$raw\tPartition=$raw/
		s/State=COMPLETED/State=COMP$raw/" "$DIR/bin/jobs"
	for option in -v --csv --json; do
		run report "$option" 7 9_2
		is_clean "$output" || { echo "$option"; return 1; }
		expect_text 31m "$output"
	done
	run report 6
	is_clean "$output"
}

@test "for recorded jobs of real Slurms lists and reports have the figures of seff" {
	local version id cpu mem count=0 name messages
	for version in $(cd "$SRCDIR/tests/samples/slurm" && ls -- *-seff.txt); do
		version=${version%-seff.txt}
		cp "$SRCDIR/tests/samples/slurm/$version-jobs.txt" "$DIR/bin/jobs"
		# the columns that the real sacct prints with -X, fake-sacct prints as well
		for name in $(head -n1 "$DIR/bin/jobs" | tr '\t' '\n' | cut -d= -f1); do
			"$DIR/bin/sacct" -nXP -o "JobID,$name"
		done >"$DIR/false"
		cp "$SRCDIR/tests/samples/slurm/$version-jobs-X.txt" "$DIR/bin/jobs"
		for name in $(head -n1 "$SRCDIR/tests/samples/slurm/$version-jobs.txt" | tr '\t' '\n' | cut -d= -f1); do
			"$DIR/bin/sacct" -nXP -o "JobID,$name"
		done | diff - "$DIR/false"
		cp "$SRCDIR/tests/samples/slurm/$version-jobs.txt" "$DIR/bin/jobs"
		report -u alice --all -o jobid,cpu%,mem% | sed 's/ %//g; s/< //g' >"$DIR/list"
		while read -r name id cpu mem; do
			messages=$(awk -v id="$id" '$1 == id { print $2, $3 }' "$DIR/list")
			if [[ $messages == '- -' ]]; then
				expect_text 'never started' "$(report "$id" 2>&1)"
				[[ $name == pending || $name == impossible ]]
				continue
			fi
			# seff rounds CPU time to seconds
			awk -v id="$id" -v messages="$messages" -v cpu="$cpu" -v mem="$mem" -v s="$(sed -nE "s/^JobID=${id/+/[+]}\t.*ElapsedRaw=([0-9]+).*/\1/p" "$DIR/bin/jobs")" \
				'BEGIN { split(messages, a, " "); exit !(s > 0 && (a[1] - cpu) ^ 2 <= (60 / s + 1) ^ 2 && (a[2] - mem) ^ 2 <= 0.6 ^ 2) }' ||
				{ echo "$version: $name $id: $messages here, $cpu $mem of seff"; return 1; }
			run report "$id"
			expect_text " CPU $(awk -v id="$id" '$1 == id' < <(report -u alice --all -o jobid,cpu%) | sed 's/^[^ ]* *//') of 1 CPU" "$output"
			count=$((count + 1))
		done <"$SRCDIR/tests/samples/slurm/$version-seff.txt"
	done
	((count >= 20))
}

@test "the fake commands print messages that real ones have printed" {
	local line count=0
	while read -r line; do
		grep -rhqF -- "$line" "$SRCDIR"/tests/samples/slurm/*-commands.txt || { echo "not recorded: $line"; return 1; }
		count=$((count + 1))
	done < <(grep -ohE "(srun|sbatch): error: [^\\\\'\"]+|allocation failure: [^\\\\'\"]+" \
		"$SRCDIR"/tests/scripts/{fake-slurm,fake-srun,live.bats,calibrate.bats} | sed -E 's/\b(job|Slurm job) [0-9]+/\1 N/')
	((count >= 5))
}

@test "a job that never started is not listed, and its report has Slurm's state and reason" {
	cp "$SRCDIR/tests/samples/slurm/24.11-jobs.txt" "$DIR/bin/jobs"
	printf '#!/bin/sh\necho BadConstraints\n' >"$DIR/bin/squeue"
	chmod +x "$DIR/bin/squeue"
	local id
	id=$(grep JobName=impossible "$DIR/bin/jobs" | cut -f1)
	run report "${id#*=}"
	expect_equal "1 jobio: report: job: '${id#*=}': it never started: FAILED, BadConstraints: no node has what it asked for; --io-cores leaves fewer cores for tasks" "$status $output"
	# slurmctld does not know it any more
	sed -n '/Invalid job id/p' "$SRCDIR/tests/samples/slurm/24.11-commands.txt" | head -n1 >"$DIR/forgotten"
	printf '#!/bin/sh\ncat %s >&2\nexit 1\n' "$DIR/forgotten" >"$DIR/bin/squeue"
	run report "${id#*=}"
	expect_equal "1 jobio: report: job: '${id#*=}': it never started: FAILED" "$status $output"
	rm "$DIR/bin/squeue"
	run report -u alice
	[[ $output != *impossible* && $output != *pending* ]]
	expect_text '2 jobs that never ran: --all shows them' "$output"
}

# ---- the report of one job ------------------------------------------------------------------

# waited NODE - put a record of a job with processes that waited for filesystems into the spool
waited() {
	node_of "$1" '.job = 4711 | .nodelist = "c[1-2]" | .quality = [] | .findings = [] | .changes = [] | .end = 1795228422 | .client.mounts += [{mount: "/home", fstype: "nfs4", source: "s"}]
		| .app = [{scope: "job", source: "bpf", fs: "/mnt/weka", read_bytes: 184320000000, read_calls: 11250000, write_bytes: 687194767360, write_calls: 655360, read_us: 9000000000,
			write_us: 3000000000, thread_us: 72000000000, slowest_us: 1500000000, slowest_life_us: 3600000000, peak: {read_Bps: 4294967296, write_Bps: 1073741824, window_s: 1},
			meta: {open: 4000, stat: 3500}, errors: {EDQUOT: {write: 3}},
			timeline: {start: 1795224832, width_s: 64, read_bytes: [184320000000], write_bytes: ([range(0; 55) | 0] + [687194767360]), calls: ([11250000] + [range(1; 55) | 0] + [655360])}},
			{scope: "job", source: "bpf", fs: "/home", read_bytes: 0, read_calls: 0, write_bytes: 0, write_calls: 0, meta: {open: 285000}}]'
	mv "$DIR/spool/7.0.$1.json" "$DIR/spool/4711.0.$1.json"
}

@test "the report of a job has its CPU and memory efficiency, filesystems, timeline and advice" {
	waited c1
	waited c2
	send
	jobs "$(job 4711 User=alice Account=physics Partition=compute JobName=turbulence State=FAILED ExitCode=1:0 Start=1795224862 End=1795228422 ElapsedRaw=3560 NNodes=2 AllocCPUS=128 \
		TotalCPU=4-14:05:30 TimelimitRaw=120 AllocTRES=billing=1,cpu=128,mem=384G,node=2)" "$(job 4711.0 TRESUsageInTot=cpu=1,mem=82G NTasks=2)"
	report --advice=none 4711 >"$DIR/kept"
	expect_kept job.txt.golden "$DIR/kept"
	expect_text "of its life in I/O (measured by the kernel). Copy" "$(report 4711 | tr -s '\n ' ' ')"
	# bars of ASCII with LC_ALL=C
	expect_equal '' "$(LC_ALL=C report 4711 | tr -d '\n -~')"
	expect_equal 1 "$(LC_ALL=en_US.UTF-8 report 4711 | grep -c '^  read     █ \+  peak 4 GiB/s on c2$')"
}

@test "memory and CPUs are those of the steps; unknown values are not printed" {
	spool 7 c1
	send
	jobs "$(job 7 State=COMPLETED ElapsedRaw=100 AllocCPUS=4 TotalCPU=05:00.000 ReqMem=8G NNodes=1)" \
		"$(job 7.batch JobIDRaw=7.batch State=COMPLETED MaxRSS=2097152K NTasks=1)" "$(job 7.0 JobIDRaw=7.0 State=COMPLETED MaxRSS=1024M NTasks=4)"
	run report 7
	expect_text 'CPU 75 % of 4 CPUs   memory 4 of 8 GiB (50 %)' "$output"
	[[ $(tail -n1 "$DIR/bin/asked") != *-nXP* ]]
	run report 7 --format=jobid,cpu,mem%,state%5,read
	expect_equal 'JobID  CPU%  Mem%  State   Read|7      75 %  50 %  COMP+  1 MiB' "${lines[0]}|${lines[1]}"
	# GPUs: jobstats' values over time; sacct has the last sample only
	jobs "$(job 7 State=COMPLETED AllocTRES=gres/gpu=2 TRESUsageInAve=gres/gpuutil=3 "AdminComment=JS1:$(printf '{"nodes":{"c1":{"gpu_utilization":{"0":40,"1":20}}}}' | gzip -c | base64 -w0)")"
	run report 7
	expect_text 'GPU 30 % of 2 GPUs' "$output"
	jobs "$(job 7 State=COMPLETED)"
	run report 7
	[[ $output != *CPU* && $output != *memory* && $output != *GPU* ]]
}

@test "malformed accounting data of one job does not affect the list of others" {
	local many deep big
	many=$(printf '9%.0s' {1..400})
	deep=$(python3 -c 'print("{\"nodes\":" + "[" * 100000 + "]" * 100000 + "}")' | gzip -c | base64 -w0)
	big=$(head -c 8M /dev/zero | gzip -c | base64 -w0)
	jobs "$(job 7 State=COMPLETED "ElapsedRaw=$many" "AllocCPUS=$many" "TotalCPU=$many-$many:$many" "ReqMem=${many}T" "NNodes=$many" "SystemComment=jobio/1 rd=${many}EiB/1 nodes=1/1" AllocTRES=gres/gpu=2 "AdminComment=JS1:$deep")" "$(job 7.0 JobIDRaw=7.0 "MaxRSS=${many}T" "NTasks=$many")" \
		"$(job 8 State=COMPLETED ElapsedRaw=nan TotalCPU=nan ReqMem=inf "SystemComment=jobio/1 rd=1EiB/1 io=nan%/1s nodes=1/1" AllocTRES=gres/gpu=2 "AdminComment=JS1:$big")" "$(job 8.0 JobIDRaw=8.0 MaxRSS=inf TRESUsageInTot=mem=nan)" \
		"$(job 9 State=COMPLETED ElapsedRaw=100 AllocCPUS=4 "SystemComment=jobio/1 rd=1MiB/1 nodes=1/1")"
	run report 7 8 9 --format=jobid,state,cpu%,mem%,read,elapsed
	expect_equal '0 7 8 9' "$status $(awk 'NR > 1 { print $1 }' <<<"$output" | paste -sd' ')"
	expect_text '1 MiB' "$output"
	for job in 7 8 9; do
		run report $job
		expect_equal 0 "$status"
	done
}

@test "without advice on I/O a report advises on CPUs, memory and time" {
	local fields step wanted count=0
	no_ledger
	while IFS='|' read -r fields step wanted; do
		# shellcheck disable=SC2086 # several fields
		jobs "$(job 7 ElapsedRaw=3600 NNodes=1 AllocCPUS=16 TimelimitRaw=1440 ReqMem=64G $fields SystemComment='jobio/1 rd=1KiB/1 nodes=1/1 scope=job q=all_files')" \
			"$(job 7.0 JobIDRaw=7.0 NTasks=1 $step)"
		run report 7
		if [[ -z $wanted ]]; then
			[[ $output != *'next time'* ]] || { echo "$fields: $output"; return 1; }
		else
			expect_text "  $wanted" "$output"
		fi
		count=$((count + 1))
	done <<-'END'
		State=COMPLETED TotalCPU=01:00:00|MaxRSS=3G|CPU     6 % of 16 CPUs; next time: 1 CPU (--ntasks, --cpus-per-task): 1 of 16 were busy in the mean
		State=COMPLETED TotalCPU=07:30:00|MaxRSS=3G|memory  5 % of 64 GiB; next time: --mem=3700M
		State=COMPLETED TotalCPU=07:30:00|MaxRSS=3G|time    01:00:00 of 1-00:00:00; next time: --time=01:15:00
		State=COMPLETED TotalCPU=15:00:00|MaxRSS=50G|CPU     94 % of 16 CPUs; next time: as many
		State=COMPLETED TotalCPU=15:00:00|MaxRSS=50G|memory  78 % of 64 GiB; next time: as much
		State=COMPLETED TotalCPU=15:00:00 TimelimitRaw=90|MaxRSS=50G|time    01:00:00 of 01:30:00; next time: as much
		State=COMPLETED NNodes=2 TotalCPU=15:00:00|MaxRSS=20G|memory  31 % of 64 GiB; next time: less: --mem=12G, if the nodes use the same
		State=COMPLETED AllocTRES=cpu=16,gres/gpu:a100=2 TotalCPU=01:00:00|MaxRSS=3G|CPU     6 % of 16 CPUs; next time: as many
		State=TIMEOUT TotalCPU=15:00:00|MaxRSS=50G|time    01:00:00 of 1-00:00:00; next time: more: --time; it ran into its limit
		State=OUT_OF_MEMORY TotalCPU=15:00:00|MaxRSS=50G|memory  78 % of 64 GiB; next time: more: --mem; it ran out of memory
		State=COMPLETED ElapsedRaw=200 TotalCPU=00:01:00|MaxRSS=1G|
	END
	expect_equal 11 "$count"
	# no step of the job itself was sampled
	jobs "$(job 7 State=COMPLETED ElapsedRaw=3600 NNodes=1 AllocCPUS=1 ReqMem=64G SystemComment='jobio/1 rd=1KiB/1 nodes=1/1')" "$(job 7.extern JobIDRaw=7.extern MaxRSS=1M NTasks=1)"
	run report 7
	[[ $output != *'memory  '* ]]
}

@test "a typed GPU, a run of a requeued job, a file for a page, a job of another cluster, a slow ledger" {
	no_ledger
	jobs "$(job 7 State=COMPLETED AllocTRES=billing=9,gres/gpu:a100=2 "AdminComment=JS1:$(printf '{"nodes":{"c1":{"gpu_utilization":{"0":40,"1":10}}}}' | gzip -c | base64 -w0)" SystemComment='jobio/1 nodes=1/1 rd=1KiB/1' NodeList=c1 NNodes=1)"
	run report 7
	expect_text 'GPU 25 % of 2 GPUs' "$output"
	expect_text '  started 2026-11-21 01:00:00 on c1' "$output"
	run report --html 1
	expect_equal "2 jobio: report: --html: '1': a job ID, not a file: --html=job.html 1" "$status $output"
	cd "$DIR"
	run report --html=job.html 7
	expect_equal '0 job.html: 1 job' "$status $output"
	run report --html=list.html -u bob
	expect_equal '0 list.html: the list of 1 job' "$status $output"
	for words in '7;c1' '-M c1 7' '--cluster=c1 7'; do
		# shellcheck disable=SC2086 # options
		run report $words
		expect_equal 0 "$status"
		expect_text ' -j 7 -M c1 -o ' "$(tail -n1 "$DIR/bin/asked")"
	done
	run report '7;c1' '8;c2'
	expect_equal '2 jobio: report: jobs of one cluster at a time: c1, c2' "$status $output"
	run report '7;'
	expect_equal "2 jobio: report: job: '7;': not a job and its cluster like 101;c1" "$status $output"
	run report --live '7;c1'
	expect_equal '2 jobio: report: --live: run it on cluster c1' "$status $output"
	printf '#!/bin/sh\nsleep 1.3\n' >"$DIR/bin/sacct"
	run report 7
	expect_equal 'jobio: waiting for sacct, at most 20 s' "${lines[0]}"
	restore_sacct
	# a server that accepts the connection and sends nothing
	python3 -c 'import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(60)' >"$DIR/port" 3>&- &
	local server=$!
	until [[ -s $DIR/port ]]; do sleep 0.05; done
	sed -i "s/^port = .*/port = $(<"$DIR/port")/; s/^send_timeout_ms = .*/send_timeout_ms = 1600/" "$DIR/jobio.conf"
	run report 7
	kill "$server"
	expect_equal "jobio: waiting for the ledger on 127.0.0.1, at most 1.6 s" "${lines[0]}"
	expect_text 'from sacct alone' "$output"
}

@test "a requeued job is shown as run 1 of 2 and run 2 of 2" {
	spool 7 c1
	record 7 c1 | sed -E 's/"restart":0/"restart":1/; s/17952248/17952258/g' >"$DIR/spool/7.1.c1.json"
	send
	jobs "$(job 7 State=COMPLETED Start=1795225862 End=1795225890)"
	run report 7
	expect_text '    run 2 of 2    ' "$output"
	run report --restart=0 7
	expect_text '    run 1 of 2    ' "$output"
}

@test "the report of a refused job has the refusal and its cure only; the list marks it" {
	node_of c1 '.nodelist = "c1" | .app = [] | .wire = null | .quality = [] | .changes = [] | .refused = "io-cores 9: this node has 4" | .findings = [{code: "W01", severity: "error", text: "x", cure: "sbatch --io-cores=4"}]'
	send
	jobs "$(job 7 User=alice State=FAILED)"
	run report 7
	expect_equal '  refused on c1: io-cores 9: this node has 4|  sbatch --io-cores=4' "${lines[-2]}|${lines[-1]}"
	[[ $output != *advice* ]]
	run report -u alice
	expect_text 'FAILED, refused' "$output"
}

@test "without advice the reason is printed" {
	local why
	node_of c1 '.job = 8'
	mv "$DIR/spool/7.0.c1.json" "$DIR/spool/8.0.c1.json"
	node_of c2 '.job = 13 | .nodelist = "c2" | .client = null | .wire = null | .quality = [] | .app = [.app[0] | .fs = "/mnt/a" | .source = "bpf"]'
	mv "$DIR/spool/7.0.c2.json" "$DIR/spool/13.0.c2.json"
	spool 7 c1
	send
	for why in '13 no I/O of this job was counted on the filesystem of a [client] of jobio.conf' '7 this cluster counts all files together, pipes and /dev/zero included, not each filesystem; ask your administrators about jobio-count(8), which needs BPF' '8 less than 60 s'; do
		run report "${why%% *}"
		expect_text "no advice: ${why#* }" "$(tr -s '\n ' ' ' <<<"$output")"
	done
}

@test "the list omits jobs that never ran, and prints their number" {
	some_jobs
	run report -u alice
	[[ $output != *25_\[* ]]
	expect_text '1 job that never ran: --all shows it' "$output"
	run report -u alice --all
	expect_text '25_[2-9]' "$output"
	expect_equal 'JobID|25_[2-9]|8|7|25_1' "$(cut -d' ' -f1 <<<"$output" | head -n5 | paste -sd'|')"
}

@test "it runs with environment modules and conda" {
	local dir=$DIR/conda
	spool 7 c1
	send
	mkdir -p "$dir"
	printf 'raise SystemExit("not this json")\n' >"$dir/json.py"
	printf '#!/bin/sh\necho "not this python3" >&2; exit 1\n' >"$dir/python3"
	chmod +x "$dir/python3"
	cd "$dir"
	PYTHONHOME=/nonexistent PYTHONPATH=$dir PYTHONSTARTUP=$dir/json.py PATH=$dir:$PATH run report 7 --json
	expect_equal 1048576 "$(jq .totals.read_bytes <<<"$output")"
	PYTHONHOME=/nonexistent PYTHONPATH=$dir PATH=$dir:$PATH run report -u u
	expect_equal 0 "$status"
	head -n1 "$BUILDDIR/jobio" | grep -qE '^#!/.*python3[^ ]* -IS$'
}

# ---- advice -----------------------------------------------------------------------------

@test "advice can be omitted, and is null if there is too little I/O" {
	node_of c1 '.nodelist = "c1" | .changes = [] | .app[0] |= (.read_us = null | .read_bytes = 40960000000 | .read_calls = 10000000 | .write_bytes = 0 | .write_calls = 0)'
	node_of c2 '.job = 8'
	mv "$DIR/spool/7.0.c2.json" "$DIR/spool/8.0.c2.json"
	send
	json 7
	are 'A01 /mnt/weka likely 100' '.advice[0] | .code, .fs, .confidence, .value'
	json --advice=none 7
	has 'has("advice") | not'
	json 8
	has 'has("advice") and .advice == null'
}

# ---- lists ------------------------------------------------------------------------------

# some_jobs - three ended jobs, a running one, pending tasks, one job of carol
some_jobs() {
	node_of c1 '.nodelist = "c1" | .changes = [] | .app[0] |= (.read_us = null | .read_bytes = 40960000000 | .read_calls = 10000000)'
	record 12 c1 >"$DIR/spool/12.0.c1.json"
	send
	jobs "$(job 7 User=alice Start=1795224862 End=1795224890 ElapsedRaw=28 NNodes=1 State=COMPLETED JobName=train SystemComment='jobio/1 rd=38.1GiB/10M wr=2MiB/8 nodes=1/1 scope=job')" \
		"$(job 8 User=alice Start=1795224863 End=Unknown ElapsedRaw=93784 NNodes=2 State=RUNNING JobName='a name that is too long for a table')" \
		"$(job 25_1 JobIDRaw=26 User=alice Start=1795224800 ElapsedRaw=5 NNodes=1 State='CANCELLED by 0' JobName=many SystemComment='jobio/1 rd=1KiB/1 wr=4TiB/9 prof=stream scope=node nodes=1/1')" \
		"$(job '25_[2-9]' JobIDRaw=25 User=alice Start=Unknown End=Unknown ElapsedRaw=0 NNodes=1 State=PENDING JobName=many)" \
		"$(job 12 User=carol Start=1795224862 End=1795224890 ElapsedRaw=28 NNodes=1 State=COMPLETED JobName=other Account=lab SystemComment='jobio/1 rd=1MiB/3 wr=10B/1 nodes=1/1 scope=job')"
}

@test "without a job ID each job of the user in the last day has a line, the newest first" {
	some_jobs
	sed -i "s/User=alice/User=$(id -un)/" "$DIR/bin/jobs"
	: >"$DIR/bin/asked"
	json
	expect_equal 0 "$status"
	are 'null 25_[2-9] PENDING null null 8 RUNNING null A01 7 COMPLETED 40960000000 null 25_1 CANCELLED by 0 1024' '"\(.advice[0].code) \(.id) \(.slurm.state) \(.totals.read_bytes)"'
	expect_equal 1 "$(wc -l <"$DIR/bin/asked")"
	expect_text " -u $(id -un) -S now-1days -E now -o " "$(<"$DIR/bin/asked")"
	# for the ledger's jobs the same JSON as for one job, without other runs
	expect_equal true "$(jq -s --slurpfile one <(report 7 --json) '(.[] | select(.id == "7")) == ($one[0] | del(.runs))' <<<"$output")"
	no_ledger
	json
	are 'sacct sacct sacct sacct' .source
	run report
	expect_text 'from sacct alone, without advice: ledger' "$output"
}

@test "a list is selected, sorted and limited by options" {
	some_jobs
	json -u alice,carol --sort=written --limit=2
	are '25_1 7' .id
	json -u alice --state=ca,RUNNING --sort=name
	are '8 25_1' .id
	json -u alice,carol --sort=elapsed
	are '8 7 12 25_1 25_[2-9]' .id
	json -A lab -S 2026-11-01 -E now-2hours
	are 12 .id
	expect_text ' -a -A lab -S 2026-11-01 -E now-2hours ' "$(tail -n1 "$DIR/bin/asked")"
	run report -u nobody
	expect_equal 0 "$status"
	run report -u nobody --csv
	expect_equal 1 "${#lines[@]}"
}

@test "a list in CSV has the same lines as its jobs" {
	some_jobs
	run report -u alice --csv
	expect_equal 5 "${#lines[@]}"
	expect_equal "$(report 7 --csv | tail -n1)" "$(grep '^"7"' <<<"$output")"
	expect_text '"8","c",,"sacct",0,,"","","",,,,,"","","",,,' "$output"
}
