#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report.bats - jobio report, from a ledger of our own and from a false sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/sacct.bash
source "$SRCDIR/tests/scripts/sacct.bash"

setup() {
	setup_sacct
	{ # array 9 and job 4, which runs
		job 4 State=RUNNING
		job 6 State='CANCELLED by 0' SystemComment=a AdminComment=b
		job 9_1 JobIDRaw=18 User=root State=FAILED ExitCode=1:0 End=1795222801 SystemComment='jobio/1 nodes=1/1'
		job 9_2 JobIDRaw=9 JobName=train Partition=gpu ElapsedRaw=28 NNodes=4 State=COMPLETED End=1795222828 SystemComment='jobio/1 nodes=3/4 cores=2 cpus=1,3 prof=stream fs=/mnt/weka:wekafs rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka q=node_rebooted meta=12 rsz=8KiB/2MiB rlat=1.02us/65.5us shape=bursts:3 chg=4/4 miss=c4'
	} >"$DIR/bin/jobs"
}
teardown() { teardown_ledger; }

# job ID KEY=VALUE... - a line for fake-sacct
job() {
	local id=$1 IFS=$'\t'
	shift
	printf 'JobID=%s\tCluster=c\tUser=bob\tStart=1795222800\tEnd=1795222809\tExitCode=0:0\t%s\n' "$id" "$*"
}

# jobs LINES - sacct knows these and no others
jobs() { printf '%s\n' "$@" >"$DIR/bin/jobs"; }

report() {
	"$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" "$@"
}

# full_record NODE - everything that a record can say
full_record() {
	cat <<-EOR
		{"jobio":1,"cluster":"c","job":7,"restart":0,"node":"$1","nodelist":"c[1-2]","uid":$EUID,"gid":0,"user":"alice",
		"start":1795224862.060,"end":1795224890.110,"request":{"io_cores":2,"profile":"stream"},
		"io_cores":{"count":2,"abstract":"0-1","os_cpus":"0-1"},
		"client":{"name":"weka","type":"weka","version":"4.4.4","cpus":"0-1","mounts":[{"mount":"/mnt/weka","fstype":"wekafs","source":"d"}]},
		"changes":[{"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect","restored":true,"made":true}],
		"findings":[{"code":"W01","severity":"warning","text":"something","cure":"do this"}],
		"app":[{"scope":"job","source":"vfs","fs":"/mnt/weka","read_bytes":1048576,"write_bytes":2097152,"read_calls":4,"write_calls":8,
		"read_us":1500,"peak":{"read_Bps":262144,"write_Bps":null,"window_s":1},"meta":{"open":3,"stat":2},"read_sizes":[0,0,1,4,2],"read_ns":[0,0,0,0,0,0,0,0,0,0,9]}],
		"wire":[{"scope":"node","source":"container.sock","fs":null,"read_bytes":999000,"read_calls":6,"write_bytes":null}],
		"quality":["step_missing"]}
	EOR
}

@test "the owner sees what every node did, with scope and quality in words" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	full_record c2 >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text 'job 7 on cluster c, user alice' "$output"
	expect_text '2026-11-21 01:34:22 to 2026-11-21 01:34:50 (28.0 s)' "$output"
	expect_text 'nodes         2 of 2 reported' "$output"
	expect_text 'request       2 io-cores on each node, profile stream' "$output"
	expect_text "changed       mount-option /mnt/weka: 'writecache' became 'forcedirect', put back (2 nodes)" "$output"
	expect_text "I/O           /mnt/weka, from vfs: the job's alone" "$output"
	expect_text 'read         2MiB in 8 calls, 256KiB a call, 73KiB/s' "$output"
	expect_text 'written      4MiB in 16 calls' "$output"
	expect_text 'peak         256KiB read, unknown written: the most that one node moved in a second' "$output"
	expect_text 'time         3ms reading, unknown writing: all processes together' "$output"
	expect_text 'slowest       c1: its processes spent 1.5ms in read and write calls' "$output"
	expect_text 'metadata     open 6, stat 4; 0/s' "$output"
	expect_text 'read sizes   ' "$output"
	expect_text 'read times   #  1.02us to 2.05us' "$output"
	expect_text 'on the wire   whole node, from container.sock: NODE-WIDE, with whatever else ran there: read 1.91MiB in 12 calls, written unknown in unknown' "$output"
	expect_text 'quality       a step left no counters: the numbers are a lower bound' "$output"
	expect_text 'finding       warning W01 on c1, c2: something; do this' "$output"
}

@test "a report is short: who, what became of it, two lines of numbers, advice" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	full_record c2 >"$DIR/spool/7.0.c2.json"
	send
	jobs "$(job 7 User=alice State=FAILED ExitCode=3:9 JobName='my job' Partition=gpu Account=lab ElapsedRaw=29)"
	run report 7
	expect_equal 0 "$status"
	expect_equal "job 7 on cluster c, user alice
  name          my job, partition gpu, account lab
  state         FAILED, exit code 3, signal 9, 00:00:28 on 2 nodes
  read          2MiB in 8 calls of 256KiB; at most 256KiB/s on a node
  written       4MiB in 16 calls of 256KiB
  findings      2 warnings: --verbose shows them
  note          not in sacct yet: waiting
  advice        too little to judge: not 60 s, 1024 MiB or 10000 calls of this job alone on a client's filesystem" "$output"
	stop "$LEDGER"
	jobs "$(job 9_2 State=COMPLETED JobName=train Partition=gpu ElapsedRaw=28 NNodes=4 SystemComment='jobio/1 nodes=3/4 rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka q=node_rebooted miss=c4')"
	run report 9_2
	expect_equal "job 9_2 on cluster c, user bob
  name          train, partition gpu
  state         COMPLETED, exit code 0, 00:00:28 on 4 nodes
  nodes         3 of 4 reported; missing: c4
  read          NODE-WIDE 1.21TiB in 3.4M calls of 382KiB
  written       NODE-WIDE 310GiB in 120k calls of 2.65MiB
  note          from sacct, three digits and no details: ledger '127.0.0.1:$PORT': Connection refused" "$output"
}

# on_terminal COMMAND... - what it prints where stdout is a terminal
on_terminal() {
	python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' "$@" </dev/null | tr -d '\r'
}

@test "a terminal gets colours and bars, a pipe and NO_COLOR get none" {
	local plain coloured
	full_record c1 >"$DIR/spool/7.0.c1.json"
	full_record c2 >"$DIR/spool/7.0.c2.json"
	send
	jobs "$(job 7 State=FAILED)"
	plain=$(report -v 7)
	[[ $plain != *$'\e'* && $plain != *'||'* ]]
	export TERM=xterm
	coloured=$(on_terminal "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" 7)
	expect_text $'state         \e[31mFAILED\e[0m' "$coloured"
	expect_text $'read          [\e[32m||||||||||                    \e[0m  33%] ' "$coloured"
	expect_text $'written       [\e[32m||||||||||||||||||||          \e[0m  67%] ' "$coloured"
	expect_equal "$plain" "$(NO_COLOR=1 on_terminal "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" -v 7)"
	expect_equal "$plain" "$(TERM=dumb on_terminal "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" -v 7)"
}

@test "sacct is asked once for all jobs, and nothing in a job's name is taken for another field" {
	spool 7 c1
	spool 8 c1
	send
	jobs "$(job 7 State=COMPLETED JobName='a|b|c\n8|8|evil jobio/1 rd=9EiB/1')" "$(job 8 State=TIMEOUT)" "$(job 25_1 JobIDRaw=26)"
	: >"$DIR/bin/asked"
	run report 7 8
	expect_equal 0 "$status"
	expect_text 'name          a|b|c?8|8|evil jobio/1 rd=9EiB/1' "$output"
	expect_text 'state         TIMEOUT, exit code 0, 00:00:28 on 1 node' "$output"
	run report '25_[1-3]' 7+1 7
	expect_equal 2 "$(wc -l <"$DIR/bin/asked")"
	expect_text ' -j 7,8 ' "$(head -n1 "$DIR/bin/asked")"
	expect_text ' -j 25,7+1,7 ' "$(tail -n1 "$DIR/bin/asked")"
}

# timed_record NODE START WIDTH_S READ WRITTEN CALLS - a full one that says when; the
# three are lists of rows
timed_record() {
	full_record "$1" | jq -c --argjson t "{\"start\":$2,\"width_s\":$3,\"read_bytes\":$4,\"write_bytes\":$5,\"calls\":$6}" \
		'.app[0].timeline = $t'
}

@test "when a job moved its bytes is one line, over all of its time and all nodes" {
	timed_record c1 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[4,0,4,4]' >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	# the job ran from second 62 to 90
	expect_text 'timeline     |# ##                         | 1 s each, at most 1MiB; most of it at the start
' "$output"
	expect_text ' peak=256KiB/- shape=head ' "$output"
	# one that is 10 s ahead, and wider
	timed_record c2 1795224872 2 '[0,0,524288,524288]' '[2097152]' '[12]' >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text 'timeline     |=#   # ::      | 2 s each, at most 2MiB; 3 bursts
' "$output"
	expect_text ' shape=bursts:3 ' "$output"
	LC_ALL=C.UTF-8 run report -v 7
	expect_text 'timeline     |▄█   █ ▂▂      |' "$output"
}

# apart_record NODE AHEAD_S - 28 s of a node whose clock is ahead, 1 MiB in the first and last
apart_record() {
	timed_record "$1" "$((1795224862 + $2))" 1 "[$(printf '0,%.0s' {1..27})1048576]" '[2097152]' "[6,$(printf '0,%.0s' {1..26})6]" |
		jq -c --argjson by "$2" '.start += $by | .end += $by'
}

@test "clocks of nodes that are apart are told, and nothing is said of the shape that they make" {
	apart_record c1 0 >"$DIR/spool/7.0.c1.json"
	apart_record c2 40 >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text 'nodes         2 of 2 reported' "$output"
	expect_text '(28.0 s)' "$output"
	expect_text '| 2 s each, at most 2MiB; clocks are 40 s apart
' "$output"
	expect_text ' q=step_missing,clocks_apart' "$output"
	expect_text 'nodes began and ended seconds apart, as those do whose clocks differ' "$output"
	[[ $output != *shape=* && $output != *burst* ]]
	run report 7 --json
	expect_equal '[1795224862,2,2097152,4194304,24]' \
		"$(jq -c '.timelines[0] | [.start, .width_s, (.read_bytes | add), (.write_bytes | add), (.calls | add)]' <<<"$output")"
}

@test "a rate is of the time in which something was moved, and says so" {
	timed_record c1 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[4,0,4,4]' >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_text 'read          1MiB in 4 calls of 256KiB, 1MiB/s over the 1.0 s in which it did; at most 256KiB/s on a node' "$output"
	expect_text 'written       2MiB in 8 calls of 256KiB, 1MiB/s over the 2.0 s in which it did
' "$output"
	run report -v 7
	expect_text 'written      2MiB in 8 calls, 256KiB a call, 1MiB/s over the 2.0 s in which it did' "$output"
}

@test "a node that does not say when takes the timeline away, and the shape" {
	timed_record c1 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[12]' >"$DIR/spool/7.0.c1.json"
	full_record c2 >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	[[ $output != *timeline* && $output != *shape=* ]]
	run report 7 --json
	expect_equal '[]' "$(jq -c .timelines <<<"$output")"
}

@test "json has the rows of all nodes, each filesystem by itself" {
	timed_record c1 1795224862 1 '[1048576]' '[0,0,1048576,1048576]' '[4,0,4,4]' >"$DIR/spool/7.0.c1.json"
	timed_record c2 1795224864 2 '[0,1048576]' '[2097152]' '[12]' >"$DIR/spool/7.0.c2.json"
	send
	run report 7 --json
	expect_equal 0 "$status"
	expect_equal '[{"fs":"/mnt/weka","source":"vfs","scope":"job","nodes":2,"start":1795224862,"width_s":2,"read_bytes":[1048576,0,1048576],"write_bytes":[0,4194304,0],"calls":[4,20,0]}]' \
		"$(jq -c .timelines <<<"$output")"
}

@test "a job of more nodes than one answer of the ledger holds is shown whole" {
	full_record c1 | python3 -c 'import sys
text = sys.stdin.read().replace("c[1-2]", "c[1-1000]")
for i in range(1, 1001):
    with open("%s/7.0.c%d.json" % (sys.argv[1], i), "w") as out:
        out.write(text.replace("\"node\":\"c1\"", "\"node\":\"c%d\"" % i))' "$DIR/spool"
	send
	run report -v 7
	expect_text 'nodes         1k of 1k reported' "$output"
	expect_text 'put back (1000 nodes)' "$output"
	expect_text 'read         0.977GiB in 4k calls' "$output"
	[[ $output != *'left out'* ]]
	# of JSON, which is one answer, the rest is counted
	expect_equal 1000 "$(report --json 7 | jq '(.records | length) + .records_left_out')"
}

@test "a change that the client did not take is not shown as made" {
	full_record c1 | sed -e 's/"restored":true,"made":true/"restored":null,"made":false/' \
		-e 's/"profile":"stream"/"profile":"stream","applied":false/' >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text "not changed   mount-option /mnt/weka: 'writecache' stayed, 'forcedirect' was not taken (1 node)" "$output"
	expect_text 'profile       stream/not-applied' "$output"
	[[ $output != *'put back'* && $output != *became* ]]
	[[ $output != *chg=* ]]
}

@test "node-wide numbers never appear without the word NODE-WIDE" {
	sed 's/"scope":"job"/"scope":"node"/' <(full_record c1) >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	[[ $output != *"the job's alone"* ]]
	expect_equal 2 "$(grep -c NODE-WIDE <<<"$output")"
	expect_text 'scope=node' "$output"
}

# counted_record NODE SOURCES - one that has these sources, best first; each of
# them saw another number
counted_record() {
	local node=$1 source io=() bytes=1
	shift
	for source; do
		bytes=$((bytes * 1024))
		io+=("{\"scope\":\"job\",\"source\":\"${source%:*}\",\"fs\":${source#*:},\"read_bytes\":$bytes,\"write_bytes\":0,\"read_calls\":1,\"write_calls\":0}")
	done
	full_record "$node" | tr -d '\n' | jq -c --argjson app "[$(IFS=,; printf '%s' "${io[*]}")]" '.app = $app | .wire = null'
}

@test "sources are shown side by side and never added; a node's numbers are the best one's" {
	counted_record c1 'bpf:"/mnt/weka"' 'bpf:"/scratch"' exit:null stepd:null >"$DIR/spool/7.0.c1.json"
	counted_record c2 stepd:null >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text "I/O           /mnt/weka, from bpf: the job's alone, on 1 nodes of 2
                read         1KiB in 1 calls" "$output"
	expect_text "I/O           /scratch, from bpf: the job's alone, on 1 nodes of 2
                read         1MiB in 1 calls" "$output"
	expect_text "I/O           all files, from stepd: the job's alone, on 1 nodes of 2
                read         1KiB in 1 calls" "$output"
	expect_text "also seen as  all files, from exit: the job's alone, on 1 nodes of 2: read 1GiB in 1 calls, written 0B in 0" "$output"
	expect_text "also seen as  all files, from stepd: the job's alone, on 1 nodes of 2: read 1TiB in 1 calls, written 0B in 0" "$output"
	expect_text 'by node       c1           read 1KiB, written 0B' "$output"
	expect_text ' rd=2KiB/2 wr=0B/0 nodes=2/2 ' "$output"
	expect_text ' scope=job src=bpf,stepd ' "$output"
}

@test "what cannot be printed is told, and is no success" {
	spool 7 c1
	send
	run bash -c '"$0" "$@" >/dev/full' "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --csv 7
	expect_equal 1 "$status"
	expect_equal 'jobio: standard output: No space left on device' "$output"
	run bash -c '"$0" --version >/dev/full' "$BUILDDIR/jobio"
	expect_equal 1 "$status"
	# who has read enough has gone
	run bash -c '"$0" "$@" | head -c1' "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --json 7
	expect_equal '{' "$output"
}

@test "a run that is not in sacct yet says so" {
	spool 7 c1
	send
	run report 7
	expect_equal 0 "$status"
	expect_text 'note          not in sacct yet: ' "$output"
}

@test "json is what the ledger knows, one object a line" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	spool 8 c1
	send
	report -j 7,8 --json >"$DIR/out"
	expect_equal '7 ledger 1 4 /mnt/weka
8 ledger 1 3 None' "$(python3 -c 'import json, sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    io = o["records"][0]["app"][0]
    print(o["id"], o["source"], len(o["records"]), io["read_calls"], io["fs"])' "$DIR/out")"
}

@test "csv has exact numbers from the ledger" {
	spool 7 c1 'c[1-2]'
	spool 7 c2 'c[1-2]'
	send
	jobs "$(job 7 State=COMPLETED JobName='train, "x"' Partition=gpu ElapsedRaw=9 NNodes=2)"
	run report 7 --csv
	expect_equal 0 "$status"
	expect_equal 'job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps,name,user,account,partition,state,exit_code,start,end,elapsed_s,nodes,advice,job_id,array_job,array_task,het_job,het_offset,signal,metadata_calls,filesystems,findings,gate_warned_tasks,gate_refused_tasks' "${lines[0]}"
	expect_equal '"7","c",0,"ledger",2,2,"","","",2097152,6,20,2,"job","stepd","all_files",,,"train, ""x""","u","","gpu","COMPLETED",0,1795222800,1795222809,9,2,"",7,,,,,0,,"","",0,0' "${lines[1]}"
}

@test "json holds to its schema, from the ledger, from sacct and of a list, and says nothing beside it" {
	full_record c1 | sed 's/"read_us":1500,/"timeline":{"start":1795224862,"width_s":2,"read_bytes":[1048576],"write_bytes":[2097152],"calls":[12]},&/' \
		>"$DIR/spool/7.0.c1.json"
	full_record c2 >"$DIR/spool/7.0.c2.json"
	task_record 26 1 1024
	send
	jobs "$(job 7 State=COMPLETED JobName=x ElapsedRaw=9 NNodes=2)" \
		"$(job 8 State=FAILED SystemComment='jobio/1 nodes=1/1 rd=1KiB/3')" "$(job 10 State=RUNNING)"
	report --json 7 25_1 8 >"$DIR/lines"
	report --json -u bob >>"$DIR/lines"
	expect_equal 6 "$(wc -l <"$DIR/lines")"
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/report.schema.json" <"$DIR/lines"
	expect_equal '' "$output"
	expect_equal 0 "$status"
	# what does not hold is told
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/report.schema.json" < <(
		head -n1 "$DIR/lines" | jq -c '.source = "x" | .new = 1 | .records[0].job = -1 | del(.id)')
	expect_equal ".records[0].job: -1 is out of bounds
.source: 'x' is not one of those
: new is not in the schema
: no id" "$output"
}

@test "every column of csv is explained in its manual page, in the same order" {
	expect_equal "$(report --csv -u nobody | tr , '\n')" \
		"$(sed -n '/^Column/,/^.TE/p' "$SRCDIR/man/jobio-report.5" | grep -oE '^[a-zA-Z_]+'$'\t' | tail -n +2 | tr -d '\t')"
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

@test "without the ledger the summary in sacct is shown, and why" {
	stop "$LEDGER"
	run report -v 9_2
	expect_equal 0 "$status"
	expect_text 'nodes         3 of 4 reported; missing: c4' "$output"
	expect_text 'I/O           all nodes, from weka: NODE-WIDE, with whatever else ran there' "$output"
	expect_text 'read         1.21TiB in 3.4M calls' "$output"
	expect_text 'metadata     12 operations' "$output"
	expect_text 'read sizes   half up to 8KiB, 99 % up to 2MiB' "$output"
	expect_text 'read times   half up to 1.02us, 99 % up to 65.5us' "$output"
	expect_text 'timeline     3 bursts
' "$output"
	expect_text 'the node rebooted while the job ran' "$output"
	expect_text "note          from sacct, three digits and no details: ledger '127.0.0.1:$PORT': Connection refused" "$output"
}

@test "a summary is found beside what others wrote, over several lines" {
	stop "$LEDGER"
	jobs "$(job 8 State=COMPLETED SystemComment='11/21/26 lua: it|failed\nagain')" \
		"$(job 9 State=COMPLETED SystemComment='11/21/26 lua: failed\nagain jobio/1 nodes=2/2 rd=1.21TiB/3.4M scope=job was looked at\nand again')"
	run report -v 9
	expect_equal 0 "$status"
	expect_text 'nodes         2 of 2 reported' "$output"
	expect_text 'read         1.21TiB in 3.4M calls' "$output"
}

@test "a job that nobody knows names both sources and exits 1, the others are shown" {
	spool 7 c1
	send
	run report 7 8
	expect_equal 1 "$status"
	expect_text 'job 7 on cluster c' "$output"
	expect_text "jobio: report: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see" "$output"
}

@test "a job that has not ended, or left no summary, is told apart from none" {
	run report 4
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '4': the job is RUNNING; what it read and wrote is known when it has ended" "$output"
	run report 6
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '6': ledger: job '6': no record that you may read; sacct: the job is CANCELLED by 0 and has no summary: jobio was not at work, or its nodes have not reported yet" "$output"
}

@test "a host without jobio.conf still has sacct; a wrong --conf is bad usage" {
	stop "$LEDGER"
	run "$BUILDDIR/jobio" report 9
	expect_equal 0 "$status"
	expect_text 'job 9: 2 tasks of an array on cluster c' "$output"
	run "$BUILDDIR/jobio" report 9_2
	expect_text 'from sacct, three digits and no details: ' "$output"
	run "$BUILDDIR/jobio" report --conf="$DIR/nosuch" 9
	expect_equal 2 "$status"
	expect_text "jobio: report: '$DIR/nosuch': cannot read: No such file" "$output"
}

@test "a task of an array is shown as sacct has it" {
	run report -v 9_2
	expect_equal 0 "$status"
	expect_text 'job 9_2 on cluster c, user bob' "$output"
	expect_text 'time          2026-11-21 01:00:00 to 2026-11-21 01:00:28 (28.0 s)' "$output"
	expect_text 'state         COMPLETED, exit code 0, 00:00:28 on 4 nodes' "$output"
	expect_text "no record that you may read (its owner, root and SlurmUser may)" "$output"
	run report 9_1
	expect_equal 'job 9_1 on cluster c' "${lines[0]}" # root: not known yet
	expect_text 'I/O           not counted' "$output"
	run report 9_2 --json
	expect_text '"id":"9_2","source":"sacct","cluster":"c","summary":"jobio/1 nodes=3/4 ' "$output"
	expect_equal '{"name":"train","user":"bob","account":null,"partition":"gpu","state":"COMPLETED","exit_code":0,"signal":0,"start":1795222800,"end":1795222828,"elapsed_s":28,"nodes":4}' \
		"$(jq -c .slurm <<<"$output")"
}

# task_record RAW TASK BYTES [MORE] - one task of array 25
task_record() {
	printf '{"jobio":1,"cluster":"c","job":%d,"restart":0,"node":"c1","nodelist":"c1","uid":%d,"gid":0,"user":"alice","array":{"job":25,"task":%d},"start":1795224862,"end":1795224890,"app":[{"scope":"job","source":"stepd","read_bytes":%d,"write_bytes":0,"read_calls":1,"write_calls":0}],"quality":["all_files"]%s}' \
		"$1" "$EUID" "$2" "$3" "${4:-}" >"$DIR/spool/$1.0.c1.json"
}

@test "of a ledger that serves two clusters the jobs of this one are shown" {
	spool 7 c1
	send
	record 7 c1 | sed 's/"cluster":"c"/"cluster":"other"/; s/"read_bytes":1048576/"read_bytes":2048/; s/17952248/17953248/g' >"$DIR/spool/7.0.c1.json"
	send
	task_record 26 1 1024
	send
	task_record 28 1 4096
	sed -i 's/"cluster":"c"/"cluster":"other"/' "$DIR/spool/28.0.c1.json"
	send
	jobs "$(job 7 User=alice State=COMPLETED)" "$(job 25_1 JobIDRaw=26 User=alice State=COMPLETED)"
	run report 7
	expect_equal 0 "$status"
	expect_equal 'job 7 on cluster c, user u' "${lines[0]}"
	expect_text 'read          1MiB in 3 calls' "$output"
	run report 25_1
	expect_text 'read          1KiB in 1 calls' "$output"
	run report 25
	expect_text 'read          1KiB in 1 calls' "$output"
	run report -u alice --csv
	expect_equal '"7","c",0,"ledger",1048576 "25_1","c",0,"ledger",1024' "$(tail -n +2 <<<"$output" | cut -d, -f1-4,10 | xargs -d '\n')"
	# there, the other one's
	sed -i 's/Cluster=c/Cluster=other/' "$DIR/bin/jobs"
	run report 7
	expect_equal 'job 7 on cluster other, user u' "${lines[0]}"
	expect_text 'read          2KiB in 3 calls' "$output"
}

@test "while sacct lists nothing the jobs of this host's cluster are shown, and not those of another" {
	spool 7 c1
	send
	record 7 c1 | sed 's/"cluster":"c"/"cluster":"other"/; s/17952248/17953248/g' >"$DIR/spool/7.0.c1.json"
	send
	task_record 26 1 1024
	send
	task_record 28 1 4096
	sed -i 's/"cluster":"c"/"cluster":"other"/' "$DIR/spool/28.0.c1.json"
	send
	: >"$DIR/bin/jobs"
	printf 'ClusterName=C\n' >"$DIR/slurm.conf"
	export SLURM_CONF=$DIR/slurm.conf
	run report --json 7
	expect_equal 'c 1' "$(jq -r '"\(.cluster) \(.runs | length)"' <<<"$output")"
	run report 25
	expect_text 'read          1KiB in 1 calls' "$output"
	printf 'ClusterName=other\n' >"$DIR/slurm.conf"
	run report 7
	expect_equal 'job 7 on cluster other, user u' "${lines[0]}"
	# its jobs have that name in slurmdbd, and in records
	sed -i '/^.ledger.$/a cluster = c' "$DIR/jobio.conf"
	run report 7
	expect_equal 'job 7 on cluster c, user u' "${lines[0]}"
	sed -i 's/^cluster = c$/cluster = third/' "$DIR/jobio.conf"
	run report 7
	expect_equal 1 "$status"
	expect_text "job: '7': ledger: job '7': no record that you may read" "$output"
}

@test "the number of an array shows the sum and a line for each task" {
	task_record 26 1 1024
	task_record 27 2 2048 ',"request":{"profile":"stream","applied":false}'
	task_record 25 3 4096
	send
	run report 25
	expect_equal 0 "$status"
	expect_equal 'job 25: 3 tasks of an array on cluster c, user alice; not given: profile
  total         read 7KiB in 3 calls, written 0B in 0
  25_1          read 1KiB in 1 calls, written 0B in 0
  25_2          read 2KiB in 1 calls, written 0B in 0; not given: profile
  25_3          read 4KiB in 1 calls, written 0B in 0
  quality       counts every file, pipe and socket, not only the client'"'"'s files
  note          one in full: jobio report 25_1' "$output"
	run report 25 --csv
	expect_equal 4 "${#lines[@]}"
	expect_text '"25_3","c",0' "${lines[3]}"
	run report '25_[1,3]' 25_2
	expect_text 'job 25_[1,3]: 2 tasks of an array' "$output"
	expect_text 'total         read 5KiB in 2 calls' "$output"
	expect_text 'job 25_2 on cluster c, user alice; not given: profile' "$output"
	run report '25_[2-4%1]'
	expect_text 'nothing is known of 1 more' "$output"
	run report --json '25_[8-9]'
	expect_equal '1 2' "$status ${#lines[@]}"
	run report 25_9
	expect_equal 1 "$status"
}

# counted COMMAND... - with a relay between it and the ledger, which counts the questions
# in $DIR/questions
counted() {
	local own=$PORT relay
	relay=$(free_port)
	python3 - "$relay" "$PORT" "$DIR/questions" <<-'EOP' 3>&- &
		import socket, sys, threading
		def serve(peer, ledger, is_answer):
		    global questions, of
		    while data := peer.recv(65536):
		        with lock:
		            if not is_answer and of != "question":
		                questions += 1
		                with open(sys.argv[3], "w") as out: out.write(f"{questions}\n")
		            of = "answer" if is_answer else "question"
		        ledger.sendall(data)
		lock, questions, of = threading.Lock(), 0, ""
		server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
		while True:
		    peer, ledger = server.accept()[0], socket.create_connection(("127.0.0.1", int(sys.argv[2])))
		    threading.Thread(target=serve, args=(peer, ledger, False), daemon=True).start()
		    threading.Thread(target=serve, args=(ledger, peer, True), daemon=True).start()
	EOP
	RELAY=$!
	PORT=$relay within 10 port_answers
	sed -i "s/^port = .*/port = $relay/" "$DIR/jobio.conf"
	run "$@"
	sed -i "s/^port = .*/port = $own/" "$DIR/jobio.conf"
	stop "$RELAY" KILL
}

@test "the tasks of an array are asked for together, and one by one where that tells less" {
	local i text tasks=()
	for i in {1..9}; do
		task_record $((30 + i)) "$i" 1024
		tasks+=("$(job "25_$i" JobIDRaw=$((30 + i)) User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=9MiB/1 nodes=1/1')")
	done
	send
	run report 25
	text=$output
	jobs "${tasks[@]}"
	counted report 25
	expect_equal 0 "$status"
	expect_equal "$text" "${output//; COMPLETED/}"
	[[ $(<"$DIR/questions") -le 3 ]] || { echo "$(<"$DIR/questions") questions"; return 1; }
	# the ledger has no record of these two: sacct has
	jobs "${tasks[@]}" "$(job 25_10 JobIDRaw=50 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=3KiB/1 nodes=1/1')" \
		"$(job 25_11 JobIDRaw=51 User=alice Start=1795224862 State=COMPLETED)"
	counted report '25_[8-11]'
	expect_text '  25_8          read 1KiB in 1 calls, written 0B in 0; COMPLETED' "$output"
	expect_text '  25_10         read 3KiB in 1 calls, written unknown in unknown; COMPLETED' "$output"
	expect_text 'nothing is known of 1 more' "$output"
	[[ $(<"$DIR/questions") -le 4 ]]
	# what a table has of each is the same, and JSON has its runs
	expect_equal "$(for i in {1..9}; do report "25_$i" --csv | tail -n1; done)" "$(report 25 --csv | tail -n +2 | head -n 9)"
	expect_equal 9 "$(report 25 --json 2>/dev/null | jq -c 'select(.runs | length == 1)' | wc -l)"
}

@test "a part that the ledger has alone is shown beside those that sacct has" {
	printf '{"jobio":1,"cluster":"c","job":26,"restart":0,"node":"c1","nodelist":"c1","uid":%d,"gid":0,"user":"alice","het":{"job":26,"offset":0},"start":1795224862,"end":1795224890,"app":[{"scope":"job","source":"stepd","read_bytes":1024,"write_bytes":0,"read_calls":1,"write_calls":0}],"quality":["all_files"]}' \
		"$EUID" >"$DIR/spool/26.0.c1.json"
	send
	jobs "$(job 26+0 JobIDRaw=26 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 nodes=1/1 rd=1KiB/1')" \
		"$(job 26+1 JobIDRaw=27 User=alice Start=1795224862 State=COMPLETED SystemComment='jobio/1 rd=2KiB/1 nodes=1/1')"
	run report 26
	expect_equal 0 "$status"
	expect_text 'job 26: 2 components on cluster c, user alice
  total         read 3KiB in 2 calls' "$output"
	run "$BUILDDIR/jobio" compare --conf="$DIR/jobio.conf" 26 26+1
	expect_text 'read           1.5KiB            2KiB ' "$output" # the mean of both
}

@test "without the ledger an array is what sacct lists of it" {
	stop "$LEDGER"
	run report 9
	expect_equal 0 "$status"
	expect_text 'job 9: 2 tasks of an array on cluster c
  total         read 1.21TiB in 3.4M calls, written 310GiB in 120k
  9_1           read unknown in unknown calls, written unknown in unknown; FAILED
  9_2           read 1.21TiB in 3.4M calls, written 310GiB in 120k; 3 of 4 nodes; NODE-WIDE; COMPLETED' "$output"
}

@test "the components of a heterogeneous job are found by sacct's words for them" {
	stop "$LEDGER"
	jobs "$(job 26+0 JobIDRaw=26 State=COMPLETED SystemComment='jobio/1 nodes=1/1 rd=1KiB/1')" \
		"$(job 26+1 JobIDRaw=27 State=COMPLETED SystemComment='jobio/1 rd=2KiB/1 nodes=1/1')"
	run report 26+0
	expect_equal 0 "$status"
	expect_text 'job 26+0 on cluster c, user bob' "$output"
	run report 26
	expect_text 'job 26: 2 components on cluster c, user bob
  total         read 3KiB in 2 calls' "$output"
}

@test "a requeued job that waits again says that an old run is shown" {
	spool 7 c1
	send
	jobs "$(job 7 State=PENDING)"
	run report 7
	expect_equal 0 "$status"
	expect_text 'note          the job has been requeued and is PENDING: this is its last run that ended' "$output"
	run report --restart=0 7
	[[ $output != *requeued* ]]
	jobs "$(job 7 State=COMPLETED)"
	run report 7
	[[ $output != *requeued* ]]
}

@test "beside a run that has no record there are no numbers of the one before it" {
	spool 7 c1
	send
	jobs "$(job 7 Start=1795226000 End=1795226100 ElapsedRaw=100 NNodes=1 State=FAILED)"
	run report 7
	expect_equal 0 "$status"
	expect_text 'note          the job has run again and is FAILED, and there is no record of that: this is a run before it' "$output"
	expect_text 'state         unknown, 00:00:28 on 1 node' "$output"
	run report -u bob
	[[ $output == *' FAILED '* && $output != *1MiB* ]]
	jobs "$(job 7 Start=Unknown State=PENDING)"
	run report -u bob
	[[ $output == *' PENDING '* && $output != *1MiB* ]]
	# slurmdbd is behind
	jobs "$(job 7 Start=1795224863 State=RUNNING)"
	run report -u bob
	[[ $output == *' RUNNING '*' 1MiB '* ]]
}

@test "what Slurm says of the newest run is shown when it is asked for by its number, and of no older one" {
	local newest='state         FAILED, exit code 0, 00:00:28 on 1 node'
	spool 7 c1
	record 7 c1 | sed -E 's/"restart":0/"restart":1/; s/17952248/17952258/g' >"$DIR/spool/7.1.c1.json"
	send
	jobs "$(job 7 State=FAILED ElapsedRaw=9 NNodes=1)"
	run report --restart=1 7
	expect_text "$newest" "$output"
	run report 7
	expect_text "$newest" "$output"
	run report --restart=0 7
	expect_equal 0 "$status"
	[[ $output != *FAILED* ]]
}

@test "what the job did not get comes first, with the nodes; a finding that its user can do nothing about is for --verbose" {
	local as
	full_record c1 | sed -e 's/"profile":"stream"/"profile":"stream","applied":false,"cores_met":false/' \
		-e 's/"findings":\[/"gate":{"warned":3,"refused":0,"text":"the job may run on CPU 7 of node c1"},"findings":[{"code":"W46","severity":"info","text":"left out","cure":"ask for io-cores","users":true},/' \
		-e 's/"uid":[0-9]*/"uid":65534/' >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_equal "job 7 on cluster c, user alice; not given: profile, io-cores, cores apart from the client's" "${lines[0]}"
	expect_equal '  not given     on c1: profile stream was not applied' "${lines[1]}"
	expect_equal '  not given     on c1: the io-cores were without use' "${lines[2]}"
	expect_equal '  not given     on c1: the job may run on CPU 7 of node c1' "${lines[3]}"
	expect_text 'summary       jobio/1 not=profile,cores,gate rd=' "$output"
	expect_text ' gate=warn:3 ' "$output "
	[[ $EUID == 0 ]] || skip 'needs a user who is not root'
	expect_text 'finding       warning W01 on c1: something; do this' "$output"
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf")
	run "${as[@]}" 7
	expect_equal 0 "$status"
	expect_text 'finding       info W46 on c1: left out; ask for io-cores' "$output"
	expect_text 'findings      1 warning: --verbose shows them' "$output"
	[[ $output != *W01* ]]
	run "${as[@]}" -v 7
	expect_text 'warning W01 on c1: something; do this' "$output"
}

@test "numbers of all files are not those of the client's filesystems, and a rate says over what" {
	full_record c1 | sed -e 's/"source":"vfs","fs":"\/mnt\/weka"/"source":"stepd","fs":null/' -e 's/step_missing/all_files/' >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_text "                /mnt/weka:wekafs unknown, of this: pipes, sockets and other files are in it" "$output"
	expect_text "KiB/s over the job's 28 s" "$output"
	expect_text 'jobio/1 rd=1MiB/4 wr=2MiB/8 of=all_files nodes=' "$output"
	full_record c2 >"$DIR/spool/8.0.c2.json"
	sed -i 's/"job":7/"job":8/' "$DIR/spool/8.0.c2.json"
	send
	run report -v 8
	[[ $output != *'unknown, of this'* && $output != *' of='* ]]
}

@test "client and cores are told with the nodes that have them" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	full_record c2 | sed 's/4\.4\.4/4.4.5/;s/"os_cpus":"0-1"/"os_cpus":"2-3"/' >"$DIR/spool/7.0.c2.json"
	send
	run report -v 7
	expect_text $'io-cores      2, CPUs 0-1, on c1\n                2, CPUs 2-3, on c2' "$output"
	expect_text 'client        weka 4.4.4 on c1' "$output"
	expect_text '              weka 4.4.5 on c2' "$output"
}

@test "the report says on which nodes the job had a core beside the client's card" {
	local node card
	for node in c1:true c2:false c3:true c4:null; do
		card="\"card\":{\"names\":\"ib0\",\"numa_nodes\":\"1\",\"beside\":${node#*:}}"
		full_record "${node%:*}" | sed "s/\"cpus\":\"0-1\",\"mounts\"/\"cpus\":\"0-1\",$card,\"mounts\"/" \
			>"$DIR/spool/7.0.${node%:*}.json"
	done
	send
	run report -v 7
	expect_text $'card          ib0 (weka, NUMA node 1): the job had cores beside it on c1, c3\n' "$output"
	expect_text $'              ib0 (weka, NUMA node 1): the job had no core beside it on c2\n' "$output"
	expect_text $'              ib0 (weka, NUMA node 1): unknown whether the job had cores beside it, on c4\n' "$output"
	expect_text ' far=1' "$output"
	run report --json 7
	expect_text '"card":{"names":"ib0","numa_nodes":"1","beside":false}' "$output"
}

@test "what is no job id is refused before anybody is asked" {
	local id
	for id in x 7x 0 -1 7_ 7_x '7;ls' 99999999999 7+; do
		run report -- "$id"
		expect_equal 2 "$status"
		expect_text "job: '$id': not a job id like 7, 5_1 or 7+1" "$output"
	done
	run report -j ''
	expect_equal 2 "$status"
	expect_equal "jobio: report: --jobs: '': must not be empty" "$output"
	run report 5_1.batch
	expect_equal 2 "$status"
	expect_equal "jobio: report: job: '5_1.batch': a step; what is counted is the whole job: 5_1" "$output"
	for id in '5_[1-3' '5_[3-1]' '5_[]' '5_[x]' '5_[1-2000]' '5_[1]x' '_[1]' '5_[4294967294-4294967296]'; do
		run report -- "$id"
		expect_equal 2 "$status"
		expect_equal "jobio: report: job: '$id': not tasks of an array like 5_[1-3,7], or more than 1000" "$output"
	done
	run report --json --csv 5
	expect_equal 2 "$status"
	expect_equal 'jobio: report: --json and --csv exclude each other' "$output"
	run report --nosuch
	expect_equal 2 "$status"
	expect_text "jobio: report: '--nosuch': no such option" "$output"
	run report --help
	expect_equal 0 "$status"
	expect_text 'usage: jobio report' "$output"
}

# is_clean TEXT - are there no bytes that turn a terminal: controls, C1, bidi
# marks, bytes that are not UTF-8?
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

@test "no character of a record or of sacct moves the cursor or turns the words" {
	local evil=$'\302\23331m\342\200\256\342\201\246\342\200\217\330\234' raw
	printf -v raw '\302\23331m\342\200\256'
	full_record c1 | sed -e "s/something/some${evil}thing $raw/" -e "s/do this/do $evil/" \
		-e "s/alice/al${evil}ice/" -e 's/"writecache"/"write\\u0085cache"/' >"$DIR/spool/7.0.c1.json"
	send
	run report -v 7
	expect_equal 0 "$status"
	expect_text 'some?31m????thing ?31m?' "$output"
	is_clean "$output"
	run report --csv 7
	is_clean "$output"
	run report --json 7
	is_clean "$output"
	expect_text 'some\u009b31m\u202e\u2066\u200f\u061cthing \u009b31m\u202e' "$output"
	jq -e . <<<"$output" >/dev/null
	sed -i "s/^JobID=6\tCluster=c\tUser=bob/JobID=6\tCluster=c\tUser=b$raw/
		s/^JobID=9_2\tCluster=c\tUser=bob/JobID=9_2\tCluster=c$raw\tUser=b$raw\tJobName=n$raw\tPartition=$raw/
		s/State=COMPLETED/State=COMP$raw/" "$DIR/bin/jobs"
	run report 6
	is_clean "$output"
	run report 9_2
	expect_text 'user b?31m?' "$output"
	is_clean "$output"
	run report --json 9_2
	is_clean "$output"
	run report --csv 9_2
	is_clean "$output"
}

@test "who is neither owner nor root sees no record, and not whether there is one" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	local as
	OWNER=65534 record 7 c1 >"$DIR/spool/7.0.c1.json"
	OWNER=65533 record 8 c1 >"$DIR/spool/8.0.c1.json"
	send
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf")
	run "${as[@]}" 7
	expect_equal 0 "$status"
	expect_text 'read          1MiB in 3 calls' "$output"
	for id in 8 10; do
		run "${as[@]}" "$id"
		expect_equal 1 "$status"
		expect_text "jobio: report: job: '$id': ledger: job '$id': no record that you may read; sacct: no such job that you may see" "$output"
	done
	run report 8
	expect_equal 0 "$status"
}

# small_reads NODE BYTES - a job that read 10 million times on /mnt/weka
small_reads() {
	full_record "$1" | tr -d '\n' | jq -c --argjson bytes "$2" \
		'.app[0] |= . + {read_us: null, read_bytes: $bytes, read_calls: 10000000, write_bytes: 0, write_calls: 0}'
}

@test "a report ends with advice: what was seen, why it matters, what to do, and how sure that is" {
	small_reads c1 40960000000 | jq -c '.changes = []' >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_equal 0 "$status"
	expect_text 'advice        A01 on /mnt/weka: 10000000 reads of 4.0 KiB on average, 356506 a second on a node; below 40 kB a call costs more than its bytes: they may have taken ' "$output"
	expect_text '; do: read 1 MiB at a time: ' "${lines[-1]}"
	expect_text '(likely)' "${lines[-1]}"
	run report --json 7
	expect_equal 'A01 /mnt/weka likely 100' "$(jq -r '.advice[0] | "\(.code) \(.fs) \(.confidence) \(.value)"' <<<"$output")"
	run report --advice=none 7
	[[ $output != *advice* ]]
	run report --advice=none --json 7
	expect_equal false "$(jq 'has("advice")' <<<"$output")"
}

@test "a threshold of jobio.conf counts, and there is no advice about what is above it" {
	small_reads c1 40960000000 | jq -c '.changes = []' >"$DIR/spool/7.0.c1.json"
	send
	printf '[advice]\nsmall_read_kb = 4\n' >>"$DIR/jobio.conf"
	run report 7
	expect_equal 0 "$status"
	[[ $output != *A01* && $output != *'too little to judge'* ]]
}

@test "of a small and short job the report says that there is too little to judge" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_text "advice        too little to judge: not 60 s, 1024 MiB or 10000 calls of this job alone on a client's filesystem" "${lines[-1]}"
	run report --json 7
	expect_equal null "$(jq -c .advice <<<"$output")"
}

@test "advice is at most five lines; --advice=all shows the rest" {
	small_reads c1 40960000000 | jq -c '.changes[0].new = "forcedirect" | .end = .start + 1000
		| .request.profile = "stream" | .request.applied = false | .request.cores_met = false
		| .app[0] |= . + {write_bytes: 4096000000, write_calls: 10000000, mmap_read_bytes: 900000000000,
			meta: {open: 9000000, create: 3000000, unlink: 3000000, stat: 900000000, lookup_miss: 90000000, fsync: 9000000}}' \
		>"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_text 'more: --advice=all' "${lines[-1]}"
	expect_text 'advice  ' "${lines[-5]}"
	run report --advice=all 7
	[[ $output != *--advice=all* ]]
	run grep -cE '^  (advice)? +A[0-9]{2}( on /mnt/weka)?: ' <<<"$output"
	[[ $output -gt 5 ]]
	run report --advice=some 7
	expect_equal 2 "$status"
	expect_equal "jobio: report: --advice: 'some': expected all or none" "$output"
}

# some_jobs - three jobs that ended, one that runs, tasks that wait, one of bob
some_jobs() {
	small_reads c1 40960000000 | jq -c '.changes = [] | .nodelist = "c1"' >"$DIR/spool/7.0.c1.json"
	OWNER=65533 record 12 c1 >"$DIR/spool/12.0.c1.json"
	send
	jobs "$(job 7 User=alice Start=1795224862 End=1795224890 ElapsedRaw=28 NNodes=1 State=COMPLETED JobName=train SystemComment='jobio/1 rd=38.1GiB/10M nodes=1/1 scope=job')" \
		"$(job 8 User=alice Start=1795224863 ElapsedRaw=93784 NNodes=2 State=RUNNING JobName='a name that is too long for a table')" \
		"$(job 25_1 JobIDRaw=26 User=alice Start=1795224800 ElapsedRaw=5 NNodes=1 State='CANCELLED by 0' JobName=many SystemComment='jobio/1 rd=1KiB/1 wr=4TiB/9 prof=stream scope=node nodes=1/1')" \
		"$(job '25_[2-9]' JobIDRaw=25 User=alice Start=Unknown ElapsedRaw=0 NNodes=1 State=PENDING JobName=many)" \
		"$(job 12 User=carol Start=1795224862 End=1795224890 ElapsedRaw=28 NNodes=1 State=COMPLETED JobName=other Account=lab SystemComment='jobio/1 rd=1MiB/3 wr=10B/1 nodes=1/1 prof=x scope=job src=stepd q=all_files')"
}

@test "without a job there is a line for each of one's own of the last day, the newest first, with the first advice" {
	some_jobs
	sed -i "s/User=alice/User=$(id -un)/" "$DIR/bin/jobs"
	: >"$DIR/bin/asked"
	run report
	expect_equal 0 "$status"
	expect_equal "JobID     JobName               State         Elapsed  Nodes  Profile     Read  Written  Advice
25_[2-9]  many                  PENDING      00:00:00      1  -              -        -  -
8         a name that is too +  RUNNING    1-02:03:04      2  -              -        -  -
7         train                 COMPLETED    00:00:28      1  stream   38.1GiB       0B  A01 10000000 reads of 4.0 KiB on average, 356506 a second on a node
25_1      many                  CANCELLED    00:00:05      1  stream     1KiB*    4TiB*  -
* NODE-WIDE, with whatever else ran there" "$output"
	expect_equal 1 "$(wc -l <"$DIR/bin/asked")"
	expect_text " -u $(id -un) -S now-1days -E now -o " "$(<"$DIR/bin/asked")"
	stop "$LEDGER"
	run report
	expect_equal 0 "$status"
	expect_text "from sacct alone, without advice: ledger '127.0.0.1:$PORT': Connection refused" "${lines[-1]}"
	expect_text '7         train                 COMPLETED    00:00:28      1  -        38.1GiB        -  -' "$output"
}

@test "a name is cut between two characters, of however many bytes they are" {
	stop "$LEDGER"
	jobs "$(job 7 User=alice JobName="a$(printf '😀%.0s' {1..16})" State=COMPLETED)" \
		"$(job 8 User=alice JobName="b$(printf '😀%.0s' {1..40})" State=COMPLETED)"
	run report -u alice
	expect_equal 0 "$status"
	expect_text " a$(printf '😀%.0s' {1..16}) " "$output"
	expect_text " b$(printf '😀%.0s' {1..18})+ " "$output"
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
}

@test "a list is chosen, sorted and cut as asked for" {
	some_jobs
	run report -u alice,carol --sort=written --limit=2
	expect_equal 0 "$status"
	expect_equal 'JobID User JobName State Elapsed Nodes Profile Read Written Advice
25_1 alice many CANCELLED 00:00:05 1 stream 1KiB* 4TiB* -
12 carol other COMPLETED 00:00:28 1 - 1MiB 10B -
* NODE-WIDE, with whatever else ran there
3 more: --limit=5 shows them' "$(sed -E 's/ +/ /g' <<<"$output")"
	run report -u alice --state=ca,RUNNING --sort=name
	expect_equal '8 25_1' "$(tail -n +2 <<<"$output" | grep -v NODE | awk '{ printf "%s%s", sep, $1; sep = " " }')"
	run report -A lab -S 2026-11-01 -E now-2hours
	expect_text 'other' "$output"
	expect_text ' -A lab -a -S 2026-11-01 -E now-2hours ' "$(tail -n1 "$DIR/bin/asked")"
	run report -u nobody
	expect_equal 0 "$status"
	expect_equal 'no jobs from now-1days to now' "$output"
}

@test "a word without a job is no wish for a list" {
	local word
	some_jobs
	for word in '' ',' '--jobs=,'; do
		run report "$word"
		expect_equal 2 "$status"
		expect_equal "jobio: report: job: '': not a job id like 7, 5_1 or 7+1" "$output"
	done
}

@test "a list has all formats" {
	some_jobs
	run report -u alice --csv
	expect_equal 5 "${#lines[@]}"
	expect_text '"7","c",0,"ledger",1,1,"2","0-1","stream",40960000000,10000000,0,0,"job","vfs","step_missing",262144,,"train","alice","","","COMPLETED",0,1795224862,1795224890,28,1,"A01' "$output"
	expect_text '"8","c",,"sacct",0,,"","","",,,,,"","","",,,' "$output"
	report -u alice --json >"$DIR/out"
	expect_equal 'null 25_[2-9] PENDING null
null 8 RUNNING null
A01 7 COMPLETED 40960000000
null 25_1 CANCELLED by 0 1024' "$(jq -r '"\(.advice[0].code) \(.id) \(.slurm.state) \(.totals.read_bytes)"' "$DIR/out")"
	# of the ledger's jobs all that it tells of one, but for other runs
	expect_equal '7 0 1 true' "$(jq -r 'select(.id == "7") | "\(.job) \(.restart) \(.records | length) \(. == ($one[0] | del(.runs)))"' \
		--slurpfile one <(report 7 --json) "$DIR/out")"
	run report -u nobody --csv
	expect_equal 1 "${#lines[@]}"
}

@test "a long list is answered by the ledger to a plain user, too" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	local as
	OWNER=65534 record 4000000000 c1 >"$DIR/spool/4000000000.0.c1.json"
	OWNER=65534 record 4000000499 c1 >"$DIR/spool/4000000499.0.c1.json"
	send
	cat >"$DIR/bin/sacct" <<-'EOP'
		#!/usr/bin/env python3
		import sys
		mark = [a[12:] for a in sys.argv if a.startswith("--delimiter=")][0]
		for job in range(4000000000, 4000000500):
		    print(mark.join(["x", "", "alice", "", "p", "c", "COMPLETED", "0:0",
		        "1795224862", "1795224890", "28", "1", str(job), str(job)]))
	EOP
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf")
	run "${as[@]}" -u alice
	expect_equal 0 "$status"
	[[ $output != *'from sacct alone'* ]] || { tail -n1 <<<"$output"; return 1; }
	run "${as[@]}" -u alice --csv
	expect_equal '"4000000000" "4000000499"' "$(grep '"ledger"' <<<"$output" | cut -d, -f1 | xargs -d '\n' echo)"
}

@test "in a list, too, nobody sees another's records, only what sacct shows of them" {
	[[ $EUID == 0 ]] || skip 'needs a user who is not trusted'
	local as
	some_jobs
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf")
	run "${as[@]}" -u alice,carol --csv
	expect_equal 0 "$status"
	run grep -c '"ledger"' <<<"$output"
	expect_equal 0 "$output"
	as[1]=--reuid=65533
	run "${as[@]}" -u alice,carol --csv
	expect_equal '"12"' "$(grep '"ledger"' <<<"$output" | cut -d, -f1)"
}

@test "words that sacct would take for something else are refused" {
	local word
	for word in --user=-x '--user=a b' --account='x;y' -S--help '-Enow now' '--starttime=a&b'; do
		run report "$word"
		expect_equal 2 "$status"
		expect_text 'not a word that sacct takes' "$output"
	done
	run report --state=DONE
	expect_equal "jobio: report: --state: 'DONE': not a state like COMPLETED, FAILED or TO" "$output"
	run report --sort=size
	expect_equal "jobio: report: --sort: 'size': must be start, end, name, user, state, elapsed, nodes, profile, read or written" "$output"
	run report --limit=0
	expect_equal "jobio: report: --limit: '0': not a number from 1 to 100000" "$output"
	run report -u alice 7
	expect_equal 2 "$status"
	expect_equal 'jobio: report: --user, --account, --starttime, --endtime, --state, --sort and --limit are for lists: name no job' "$output"
	run report --restart=1
	expect_equal 'jobio: report: --restart: of which job?' "$output"
	run "$BUILDDIR/jobio" report -u
	expect_equal 2 "$status"
}
