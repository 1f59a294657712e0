#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report.bats - jobio report, from a ledger of our own and from a false sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

setup() {
	setup_ledger
	# a sacct that knows array 9 and job 4, which runs
	mkdir "$DIR/bin"
	cat >"$DIR/bin/sacct" <<-'EOS'
		#!/bin/bash
		[[ " $* " != *" -j 4 "* ]] || echo '4|4|c|bob|RUNNING|2026-11-21T01:00:00|Unknown||'
		[[ " $* " != *" -j 6 "* ]] || echo '6|6|c|bob|CANCELLED by 0|2026-11-21T01:00:00|2026-11-21T01:00:09|a|b'
		[[ " $* " == *" -j 9"* ]] || exit 0
		echo '9_1|8|c|root|FAILED|2026-11-21T01:00:00|2026-11-21T01:00:01|jobio/1 nodes=1/1|'
		echo '9_2|9|c|bob|COMPLETED|2026-11-21T01:00:00|2026-11-21T01:00:28|jobio/1 nodes=3/4 cores=2 cpus=1,3 prof=stream fs=/mnt/weka:wekafs rd=1.21TiB/3.4M wr=310GiB/120k scope=node src=weka q=node_rebooted meta=12 rsz=8KiB/2MiB rlat=1.02us/65.5us chg=4/4 miss=c4|'
	EOS
	chmod +x "$DIR/bin/sacct"
	PATH=$DIR/bin:$PATH
	export TZ=UTC LC_ALL=C
}
teardown() { teardown_ledger; }

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
		"changes":[{"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect","restored":true}],
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
	run report 7
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

@test "a change that the client did not take is not shown as made" {
	full_record c1 | sed -e 's/"restored":true/"restored":null,"made":false/' \
		-e 's/"profile":"stream"/"profile":"stream","applied":false/' >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_equal 0 "$status"
	expect_text "not changed   mount-option /mnt/weka: 'writecache' stayed, 'forcedirect' was not taken (1 node)" "$output"
	expect_text 'profile       stream/not-applied' "$output"
	[[ $output != *'put back'* && $output != *became* ]]
	[[ $output != *chg=* ]]
}

@test "node-wide numbers never appear without the word NODE-WIDE" {
	sed 's/"scope":"job"/"scope":"node"/' <(full_record c1) >"$DIR/spool/7.0.c1.json"
	send
	run report 7
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
	run report 7
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
	run report 7 --csv
	expect_equal 0 "$status"
	expect_equal 'job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps' "${lines[0]}"
	expect_equal '"7","c",0,"ledger",2,2,"","","",2097152,6,20,2,"job","stepd","all_files",,' "${lines[1]}"
}

@test "without the ledger the summary in sacct is shown, and why" {
	stop "$LEDGER"
	run report 9_2
	expect_equal 0 "$status"
	expect_text 'nodes         3 of 4 reported; missing: c4' "$output"
	expect_text 'I/O           all nodes, from weka: NODE-WIDE, with whatever else ran there' "$output"
	expect_text 'read         1.21TiB in 3.4M calls' "$output"
	expect_text 'metadata     12 operations' "$output"
	expect_text 'read sizes   half up to 8KiB, 99 % up to 2MiB' "$output"
	expect_text 'read times   half up to 1.02us, 99 % up to 65.5us' "$output"
	expect_text 'the node rebooted while the job ran' "$output"
	expect_text "note          from sacct, three digits and no details: ledger '127.0.0.1:$PORT': Connection refused" "$output"
}

@test "a summary that was merged into jobstats' AdminComment is found there" {
	local comment
	stop "$LEDGER"
	comment=$(python3 -c 'import base64, gzip
print("JS1:" + base64.b64encode(gzip.compress(b"{\"nodes\":{},\"gpus\":0}")).decode())' |
		"$BUILDDIR/tests/tools/js1_merge" 'jobio/1 nodes=2/2 rd=1.21TiB/3.4M scope=job')
	printf '#!/bin/bash\nprintf "%%s\\n" "9|9|c|bob|COMPLETED|a|b|a note, of a burst buffer|%s"\n' "${comment#merged }" >"$DIR/bin/sacct"
	run report 9
	expect_equal 0 "$status"
	expect_text 'nodes         2 of 2 reported' "$output"
	expect_text 'read         1.21TiB in 3.4M calls' "$output"
}

@test "a summary is found beside what others wrote, over several lines" {
	stop "$LEDGER"
	cat >"$DIR/bin/sacct" <<-'EOS'
		#!/bin/bash
		echo '8|8|c|bob|COMPLETED|a|b|11/21/26 lua: it|failed'
		echo 'again|'
		echo '9|9|c|bob|COMPLETED|a|b|11/21/26 lua: failed'
		echo 'again jobio/1 nodes=2/2 rd=1.21TiB/3.4M scope=job was looked at'
		echo 'and again|'
	EOS
	run report 9
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
	run report 9_2
	expect_equal 0 "$status"
	expect_text 'job 9_2 on cluster c, user bob' "$output"
	expect_text 'time          2026-11-21T01:00:00 to 2026-11-21T01:00:28, COMPLETED' "$output"
	expect_text "no record that you may read (its owner, root and SlurmUser may)" "$output"
	run report 9_1
	expect_equal 'job 9_1 on cluster c' "${lines[0]}" # root: not known yet
	expect_text 'I/O           not counted' "$output"
	run report 9_2 --json
	expect_text '"id":"9_2","source":"sacct","cluster":"c","user":"bob","job_state":"COMPLETED"' "$output"
}

# task_record RAW TASK BYTES [MORE] - one task of array 25
task_record() {
	printf '{"jobio":1,"cluster":"c","job":%d,"restart":0,"node":"c1","nodelist":"c1","uid":%d,"gid":0,"user":"alice","array":{"job":25,"task":%d},"start":1795224862,"end":1795224890,"app":[{"scope":"job","source":"stepd","read_bytes":%d,"write_bytes":0,"read_calls":1,"write_calls":0}],"quality":["all_files"]%s}' \
		"$1" "$EUID" "$2" "$3" "${4:-}" >"$DIR/spool/$1.0.c1.json"
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
	run report 25_9
	expect_equal 1 "$status"
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
	cat >"$DIR/bin/sacct" <<-'EOS'
		#!/bin/bash
		echo '26+0|26|c|bob|COMPLETED|a|b|jobio/1 nodes=1/1 rd=1KiB/1|'
		echo '26+1|27|c|bob|COMPLETED|a|b|jobio/1 rd=2KiB/1 nodes=1/1|'
	EOS
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
	printf "#!/bin/bash\nprintf '%%s\\n' '7|7|c|bob|PENDING|a|b||'\n" >"$DIR/bin/sacct"
	run report 7
	expect_equal 0 "$status"
	expect_text 'note          the job has been requeued and is PENDING: this is its last run that ended' "$output"
	run report --restart=0 7
	[[ $output != *requeued* ]]
	printf "#!/bin/bash\nprintf '%%s\\n' '7|7|c|bob|COMPLETED|a|b||'\n" >"$DIR/bin/sacct"
	run report 7
	[[ $output != *requeued* ]]
}

@test "what the job did not get comes first, with the nodes; a cure that is not the user's is the administrator's" {
	local as
	full_record c1 | sed -e 's/"profile":"stream"/"profile":"stream","applied":false,"cores_met":false/' \
		-e 's/"findings":\[/"gate":{"warned":3,"refused":0,"text":"the job may run on CPU 7 of node c1"},"findings":[{"code":"W46","severity":"info","text":"left out","cure":"ask for io-cores","users":true},/' \
		-e 's/"uid":[0-9]*/"uid":65534/' >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_equal "job 7 on cluster c, user alice; not given: profile, io-cores, cores apart from the client's" "${lines[0]}"
	expect_equal '  not given     on c1: profile stream was not applied' "${lines[1]}"
	expect_equal '  not given     on c1: the io-cores were without use' "${lines[2]}"
	expect_equal '  not given     on c1: the job may run on CPU 7 of node c1' "${lines[3]}"
	expect_text 'summary       jobio/1 not=profile,cores,gate rd=' "$output"
	expect_text ' gate=warn:3 ' "$output "
	[[ $EUID == 0 ]] || skip 'needs a user who is not root'
	expect_text 'warning W01 on c1: something; do this' "$output"
	as=(setpriv --reuid=65534 --clear-groups env "PATH=$PATH" "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf")
	run "${as[@]}" 7
	expect_equal 0 "$status"
	expect_text 'info W46 on c1: left out; ask for io-cores' "$output"
	expect_text 'warning W01 on c1: something
' "$output"
	expect_text "note          findings are for the site's administrators, who see cures with --verbose" "$output"
	run "${as[@]}" -v 7
	expect_text 'warning W01 on c1: something; do this' "$output"
}

@test "numbers of all files are not those of the client's filesystems, and a rate says over what" {
	full_record c1 | sed -e 's/"source":"vfs","fs":"\/mnt\/weka"/"source":"stepd","fs":null/' -e 's/step_missing/all_files/' >"$DIR/spool/7.0.c1.json"
	send
	run report 7
	expect_text "                /mnt/weka:wekafs unknown, of this: pipes, sockets and other files are in it" "$output"
	expect_text "KiB/s over the job's 28 s" "$output"
	expect_text 'jobio/1 rd=1MiB/4 wr=2MiB/8 of=all_files nodes=' "$output"
	full_record c2 >"$DIR/spool/8.0.c2.json"
	sed -i 's/"job":7/"job":8/' "$DIR/spool/8.0.c2.json"
	send
	run report 8
	[[ $output != *'unknown, of this'* && $output != *' of='* ]]
}

@test "client and cores are told with the nodes that have them" {
	full_record c1 >"$DIR/spool/7.0.c1.json"
	full_record c2 | sed 's/4\.4\.4/4.4.5/;s/"os_cpus":"0-1"/"os_cpus":"2-3"/' >"$DIR/spool/7.0.c2.json"
	send
	run report 7
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
	run report 7
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
	run report
	expect_equal 2 "$status"
	expect_text 'jobio: report: which job? see jobio report --help' "$output"
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
	run report 7
	expect_equal 0 "$status"
	expect_text 'some?31m????thing ?31m?' "$output"
	is_clean "$output"
	run report --csv 7
	is_clean "$output"
	run report --json 7
	is_clean "$output"
	expect_text 'some\u009b31m\u202e\u2066\u200f\u061cthing \u009b31m\u202e' "$output"
	jq -e . <<<"$output" >/dev/null
	sed -i "s/'6|6|c|bob|/'6|6|c|b$raw|/; s/'9_2|9|c|bob|COMP/'9_2|9|c$raw|b$raw|COMP$raw/" "$DIR/bin/sacct"
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
	expect_text 'read         1MiB in 3 calls' "$output"
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
