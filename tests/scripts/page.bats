#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# page.bats - jobio report --html, from a ledger of our own and from a false sacct
# shellcheck disable=SC2030,SC2031 # each test is a subshell, teardown included

# shellcheck source=tests/scripts/page.bash
source "$SRCDIR/tests/scripts/page.bash"

setup() { setup_page; }
teardown() { teardown_ledger; }

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

@test "a page looks as it did when somebody looked at it last" {
	nodes 3
	run html 7
	expect_equal 0 "$status"
	expect_kept page.html.golden "$page"
	html -u alice -S 2026-11-20 -E 2026-11-22T12:30
	expect_kept list.html.golden "$page"
	html 12
	expect_kept summary.html.golden "$page"
}

@test "the cores of a node are drawn socket by socket: reserved, the client's, the job's, the card" {
	nodes 2
	run html 7
	expect_equal 0 "$status"
	words >"$DIR/words"
	grep -qF "Socket 0: CPUs 0-23,48-71; reserved for the client by Slurm: none; the client works on: none; the job's tasks could run on: 0-23,48-71. Socket 1: CPUs 24-47,72-95; reserved for the client by Slurm: 46-47; the client works on: 46-47; the job's tasks could run on: 24-45,72-93; card: ib0 of weka." "$DIR/words"
	# what it looks like: a label and a frame each, one card, and the job's CPUs
	for word in 'Socket 0' 'Socket 1' 'card ib0 of weka' "the job's tasks could run there" 'card of the client'; do
		grep -qF "$word" "$DIR/words"
	done
	expect_equal 2 "$(grep -c '<path class="cs"' "$page")"
	expect_equal 1 "$(grep -c '<path class="cn"' "$page")"
	# 24 CPUs and 24 more, in rows of 32: the bars of neighbours are one
	run grep -oE '<path class="cj" d="[^"]+' "$page"
	expect_equal '<path class="cj" d="M6 33h698v3h-698zM6 55h346v3h-346z' "${lines[0]}"
	# the same in a table, a socket a row
	run python3 - "$page" <<-'END'
		import sys, xml.etree.ElementTree as tree
		page = tree.fromstring(open(sys.argv[1]).read().replace("<!DOCTYPE html>", "", 1))
		for table in page.iter("table"):
		    if table.find("caption").text == "CPUs by kind of node":
		        for row in table.find("tbody"):
		            print("|".join("".join(cell.itertext()) for cell in row))
	END
	expect_equal "1|c1|CPUs 0 to 94|0-94|46-47|47,94||
1|c2|Socket 0|0-23,48-71|||0-23,48-71|
1|c2|Socket 1|24-47,72-95|46-47|46-47|24-45,72-93|ib0 of weka" "$output"
}

# drawn JQ - what is said of the cores of a node whose record is changed so
drawn() {
	node_record 2 1 | jq -c ".node = \"c1\" | $1" >"$DIR/spool/7.0.c1.json"
	send 2>/dev/null
	html 7
	words | grep -E -A1 '^CPUs of the job' | tail -n 1
}

@test "NUMA nodes are named where they are not sockets, and cards where they may be" {
	run drawn '.machine.parts = [{socket: 0, numa_node: 0, cpus: "0-1"}, {socket: 0, numa_node: 1, cpus: "46-47"}, {socket: 1, numa_node: null, cpus: "48"}] |
		.client.card |= {names: "ib0,ib1", numa_nodes: "0-1"} | .machine.job_cpus = null'
	expect_equal "Socket 0, NUMA node 0: CPUs 0-1; reserved for the client by Slurm: none; the client works on: none; card: one of ib0,ib1 of weka. Socket 0, NUMA node 1: CPUs 46-47; reserved for the client by Slurm: 46-47; the client works on: 46-47; card: one of ib0,ib1 of weka. Socket 1: CPUs 48; reserved for the client by Slurm: none; the client works on: none." "$output"
}

@test "a job that could run on the client's CPUs is seen on them" {
	run drawn '.machine.parts = [{socket: 0, numa_node: 0, cpus: "46-47"}] | .machine.job_cpus = "47"'
	expect_text "the client works on: 46-47; the job's tasks could run on: 47." "$output"
	expect_equal '<path class="cj" d="M28 33h16v3h-16z"/>' "$(grep 'class="cj"' "$page")"
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

@test "a page is written into a pipe, and to where a link leads, and replaces neither" {
	nodes 1
	ln -s there.html "$DIR/link"
	page=$DIR/link run html 7
	expect_equal 0 "$status"
	[[ -L $DIR/link && $(<"$DIR/there.html") == *'</html>' ]]
	mkfifo "$DIR/pipe"
	timeout 20 cat "$DIR/pipe" >"$DIR/read" &
	run timeout 20 "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" --html="$DIR/pipe" 7
	expect_equal 0 "$status"
	wait $!
	[[ -p $DIR/pipe && $(<"$DIR/read") == *'</html>' ]]
	ln -s /proc/self/fd/1 "$DIR/stdout"
	page=$DIR/stdout run html 7
	expect_equal 0 "$status"
	[[ -L $DIR/stdout && $output == *'</html>' ]]
	mkdir "$DIR/folder"
	page=$DIR/folder run html 7
	expect_equal 1 "$status"
	expect_text "cannot write '$DIR/folder': Is a directory" "$output"
}

@test "a page that cannot be written leaves the old one" {
	nodes 1
	printf 'old\n' >"$page"
	run html 8
	expect_equal 1 "$status"
	expect_equal old "$(<"$page")"
	page=$DIR/nosuch/page.html run html 7
	expect_equal 1 "$status"
	expect_text "nosuch/page.html" "$output"
	run html --json 7
	expect_equal "2 jobio: report: --html: without --json and --csv" "$status $output"
	run html --csv 7 8
	expect_equal 2 "$status"
	stop "$LEDGER"
	umask 077
	rm "$page"
	run html 12
	expect_equal 600 "$(stat -c %a "$page")"
}

# task TASK RAW MIB [JQ] - the record of a task of array 9, which read so much
task() {
	node_record 1 1 | jq -c --argjson task "$1" --argjson raw "$2" --argjson mib "$3" \
		'.job = $raw | .array = {job: 9, task: $task} | .nodelist = "c1" |
		.app = [{scope: "job", source: "bpf", client: "weka", fs: "/mnt/weka", read_bytes: ($mib * 1048576), read_calls: 4, write_bytes: 0, write_calls: 0}] |
		'"${4:-.}" >"$DIR/spool/$2.0.c1.json"
}

# is_page TABLES - one that needs nothing from anywhere, without a picture
is_page() {
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal "0 0 $1" "$status $output"
}

@test "an array is a page: what all its tasks did, and a line for each" {
	task 1 10 1
	task 2 11 2
	send
	run html 9
	expect_equal '0 ' "$status $output"
	is_page 1
	expect_equal 'JobID|JobName|State|Elapsed|Nodes|Profile|Read|Written|Advice' "$(rows | head -n 1)"
	expect_equal "2 tasks of 9|a task|COMPLETED|-|-|stream|3MiB|0B
9_1|a task|COMPLETED|01:00:00|1|stream|1MiB|0B
9_2|a task|COMPLETED|01:00:00|1|stream|2MiB|0B" "$(rows | tail -n +2 | cut -d'|' -f1-8)"
	expect_equal "Job 9: 2 tasks of an array
User
alice
Cluster
c
From
2026-11-21T01:00:00
To
2026-11-21T02:00:00
Read
3MiB in 8 calls
Written
0B in 0 calls" "$(words | head -n 13)"
	expect_equal 'One in full:
jobio report --html=FILE 9_1' "$(words | tail -n 2)"
	expect_equal 1 "$(grep -c '<title>Job 9: 2 tasks of an array</title>' "$page")"
	[[ $(<"$page") == *'<th scope="row">2 tasks of 9</th><td class="sum">a task</td><td class="good sum">COMPLETED</td>'* ]]
	# some of its tasks, of which one is not known
	run html '9_[2,5%1]'
	expect_equal '0 ' "$status $output"
	expect_text 'Job 9_[2,5%1]: 1 task of an array' "$(words)"
	expect_text $'\n1 task of 9|a task|COMPLETED|-|-|stream|2MiB|0B|\n9_2|' "$(rows)"
	expect_text 'Nothing is known of 1 more of 9_[2,5%1].' "$(words)"
}

@test "a page of an array says what went wrong, with which task" {
	task 1 10 1 '.request.applied = false'
	task 2 11 2 '.nodelist = "c[1-2]"'
	send
	sed -i '/JobID=9_2/s/State=COMPLETED/State=FAILED/' "$DIR/bin/jobs"
	html 9
	is_page 1
	expect_text 'JobID|JobName|State|Elapsed|Nodes|Profile|Read|Written|Remarks|Advice
2 tasks of 9|a task|1 of 2 COMPLETED|-|-|mixed|3MiB|0B||
9_1|a task|COMPLETED|01:00:00|1|stream/not-applied|1MiB|0B|not given: profile|' "$(rows)"
	expect_text $'\n9_2|a task|FAILED|01:00:00|2|stream|2MiB|0B|1 of 2 nodes reported' "$(rows)"
	[[ $(<"$page") == *'<td class="bad sum">1 of 2 COMPLETED</td>'* ]]
}

@test "jobs that are named are one page: a line for each, and what nobody knows" {
	nodes 1
	task 1 10 1
	task 2 11 2
	send
	run html 7 9 12
	expect_equal '0 ' "$status $output"
	is_page 1
	expect_equal '7|train|COMPLETED|01:00:00|1|stream
2 tasks of 9|a task|COMPLETED|-|-|stream
9_1|a task|COMPLETED|01:00:00|1|stream
9_2|a task|COMPLETED|01:00:00|1|stream
12|from sacct|COMPLETED|01:00:00|1|-' "$(rows | tail -n +2 | cut -d'|' -f1-6)"
	expect_text $'\n12|from sacct|COMPLETED|01:00:00|1|-|1.21TiB*|310GiB*|-' "$(rows)"
	expect_equal 'Jobs 7, 9, 12' "$(words | head -n 1)"
	[[ $(words | head -n 12) != *Read* ]] # of several jobs there is no sum
	expect_text '* NODE-WIDE, with whatever else ran there.' "$(words)"
	expect_text "From sacct, three digits and no advice: 12: ledger: job '12': no record that you may read." "$(words | tr -d '\n')"
	# where there are several users, whose job each is; and more than a heading holds
	sed -i 's/User=alice\(.*from sacct\)/User=bob\1/' "$DIR/bin/jobs"
	html 7 12
	expect_text $'\n7|alice|train|' "$(rows)"
	expect_text $'\n12|bob|from sacct|' "$(rows)"
	html 7 12 7 12 7 12 7 12 7
	expect_equal '9 jobs' "$(words | head -n 1)"
	# one that nobody knows is told, here and on the page
	run html 7 8
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see" "$output"
	expect_text "Missing: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see." "$(words)"
	printf 'old\n' >"$page"
	run html 8 88
	expect_equal '1 2' "$status ${#lines[@]}"
	expect_equal old "$(<"$page")"
	sed -i 's/^JobID=7\t.*/JobID=7\tCluster=c\tUser=alice\tStart=Unknown\tState=PENDING\tJobName=train/' "$DIR/bin/jobs"
	html 7 12
	expect_text '|the run before the one that is PENDING|' "$(rows)"
}

@test "a heterogeneous job is a page without the ledger, too" {
	stop "$LEDGER"
	printf 'JobID=26+%d\tJobIDRaw=%d\tCluster=c\tUser=bob\tState=COMPLETED\tElapsedRaw=60\tJobName=<both>\tSystemComment=jobio/1 nodes=1/1 rd=1KiB/1\n' \
		0 26 1 27 >"$DIR/bin/jobs"
	run html 26
	expect_equal '0 ' "$status $output"
	is_page 1
	expect_text 'Job 26: 2 components' "$(words)"
	expect_text $'\n2 components of 26|<both>|COMPLETED|-|-|-|2KiB|-|\n26+0|<both>|COMPLETED|00:01:00|1|-|1KiB|-|-\n26+1|' "$(rows)"
	expect_text "From sacct, three digits and no advice: 26+0, 26+1: ledger '127.0.0.1:$PORT': Connection refused." "$(words | tr -d '\n')"
}

@test "a page of arrays has 1000 tasks at most, and the sums of all" {
	stop "$LEDGER"
	cat >"$DIR/bin/sacct" <<-'END'
		#!/usr/bin/env python3
		import sys
		names = sys.argv[sys.argv.index("-o") + 1].split(",")
		mark = next(a[12:] for a in sys.argv if a.startswith("--delimiter="))
		for i in range(1200):
		    job = {"JobID": f"{1 + i // 600}_{i % 600}", "JobIDRaw": 1000 + i, "Cluster": "c", "User": "alice", "State": "COMPLETED", "JobName": f"simulation-{i}",
		           "Start": 1795222800, "End": 1795226400, "ElapsedRaw": 3600, "NNodes": 4,
		           "SystemComment": "jobio/1 nodes=4/4 prof=stream rd=1GiB/1k wr=2GiB/2k scope=job src=bpf"}
		    print(mark.join(str(job.get(name, "")) for name in names))
	END
	html 1 2
	expect_equal 1003 "$(rows | wc -l)"
	expect_text $'\n600 tasks of 1|mixed|COMPLETED|-|-|stream|600GiB|1.17TiB|\n1_0|' "$(rows)"
	expect_text $'\n600 tasks of 2|mixed|COMPLETED|-|-|stream|600GiB|1.17TiB|\n2_0|' "$(rows)"
	expect_text '200 more: a page has 1000 jobs at most, --csv has all of them.' "$(words)"
	expect_text 'From sacct, three digits and no advice: 1_0, 1_1, 1_2, 1_3, 1_4, 1_5, 1_6, 1_7 and 1192 more: ' "$(words | tr -d '\n')"
	[[ $(stat -c %s "$page") -lt 250000 ]]
}

# listed OPTION... - the list as text, its cells apart as rows() has them
listed() {
	"$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" "$@" | sed -E '/^\*/d; s/ {2,}/|/g'
}

@test "a list is a page that needs nothing from anywhere, with the lines that its text has" {
	nodes 1
	run html -u alice -S 2026-11-20 -E 2026-11-22T12:30 --sort=name
	expect_equal '0 ' "$status $output"
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal '0 0 1' "$status $output"
	expect_equal "$(listed -u alice --sort=name)" "$(rows)"
	expect_text $'\n12|from sacct|COMPLETED|01:00:00|1|-|1.21TiB*|310GiB*|-' "$(rows)"
	expect_text $'\n7|train|COMPLETED|01:00:00|1|stream|' "$(rows)"
	expect_equal "Jobs of alice
Users
alice
From
2026-11-20T00:00:00
To
2026-11-22T12:30:00
Sorted by
name
Jobs
4
A line for each job" "$(words | head -n 12)"
	expect_equal '* NODE-WIDE, with whatever else ran there.' "$(words | tail -n 1)"
	[[ $(<"$page") == *'<th scope="row">12</th><td>from sacct</td><td class="good">COMPLETED</td>'* ]]
	# where there are several users, whose job each is
	sed -i '/JobID=9_1/s/User=alice/User=bob/; /JobID=9_2/s/COMPLETED/FAILED/' "$DIR/bin/jobs"
	html -u alice,bob
	expect_equal "$(listed -u alice,bob)" "$(rows)"
	expect_text $'\n9_1|bob|a task|' "$(rows)"
	expect_equal Jobs "$(words | head -n 1)"
	[[ $(<"$page") == *'<td class="bad">FAILED</td>'* ]]
	html -A lab --limit=1
	expect_text $'\n3 more: --limit=4 shows them.' "$(words)"
}

@test "a page of a list says the first advice to each job, as the text does" {
	node_record 1 1 | jq -c '.app[0] |= . + {read_bytes: 40960000000, read_calls: 10000000, read_us: 3000000000} | del(.app[0].timeline)' >"$DIR/spool/7.0.c1.json"
	send
	html -u alice
	expect_text '|A01 10000000 reads of 4.0 KiB on average, ' "$(rows)"
	expect_equal "$(listed -u alice)" "$(rows)"
	html -u alice --advice=none
	[[ $(rows) != *A01* ]]
}

@test "nothing that sacct says of a list is taken for HTML, and names are not endless" {
	local long
	printf -v long 'y%.0s' {1..300}
	sed -i "s/JobName=train/JobName=<script>$long/; s/JobName=a task/JobName=<\/td><b>\&quot;/; s/COMPLETED/<i>DONE/" "$DIR/bin/jobs"
	sed -i 's/User=alice\(.*from sacct\)/User=<u>"\1/' "$DIR/bin/jobs"
	html -A lab
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal '0 0 1' "$status $output"
	run grep -ciE '<script|<b>|<i>|<u>' "$page"
	expect_equal 0 "$output"
	expect_text "<script>${long:0:51}+|<i>DONE|" "$(rows)"
	expect_text '</td><b>&quot;|' "$(rows)"
	expect_text '|<u>"|from sacct|' "$(rows)"
	EVIL='</td><script>' nodes 1
	html 7 12
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal '0 0 1' "$status $output"
	run grep -ciE '<script|<b>|<i>|<u>' "$page"
	expect_equal 0 "$output"
	expect_text "<script>${long:0:51}+|<i>DONE|" "$(rows)"
}

@test "a page of a list has 1000 jobs at most, in less than 250 KB, and says how many more there are" {
	cat >"$DIR/bin/sacct" <<-'END'
		#!/usr/bin/env python3
		import sys
		names = sys.argv[sys.argv.index("-o") + 1].split(",")
		mark = next((a[12:] for a in sys.argv if a.startswith("--delimiter=")), "|")
		for i in range(1, 1101):
		    job = {"JobID": i, "JobIDRaw": i, "Cluster": "c", "User": "alice", "State": "COMPLETED", "JobName": f"simulation-{i}",
		           "Start": 1795222800, "End": 1795226400, "ElapsedRaw": 3600, "NNodes": 4,
		           "SystemComment": "jobio/1 nodes=4/4 prof=stream rd=1.21TiB/3.4M wr=310GiB/120k scope=job src=bpf"}
		    print(mark.join(str(job.get(name, "")) for name in names))
	END
	html -u alice --limit=1050
	expect_equal 1001 "$(rows | wc -l)"
	expect_text '100 more: a page has 1000 jobs at most, --csv has all of them.' "$(words)"
	[[ $(stat -c %s "$page") -lt 250000 ]]
}

@test "a list without a job, and one that only sacct knows, is a page, too" {
	stop "$LEDGER"
	html -u nobody
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	expect_equal '0 0 0' "$status $output"
	expect_text $'\nNo jobs.' "$(words)"
	html -u alice
	expect_text "From sacct alone, without advice: ledger '127.0.0.1:$PORT': Connection refused" "$(words | tr '\n' ' ')"
	printf 'old\n' >"$page"
	# sacct fails
	printf '#!/bin/sh\nexit 1\n' >"$DIR/bin/sacct"
	run html -u alice
	expect_equal 1 "$status"
	expect_equal old "$(<"$page")"
	run html -u alice --csv
	expect_equal "2 jobio: report: --html: without --json and --csv" "$status $output"
}

@test "the pictures of README and docs are small, and need nothing from anywhere" {
	local picture
	for picture in $(cd "$SRCDIR" && grep -ohE '\((docs/)?[a-z-]+\.(png|svg)\)' README.md docs/deploy.md | tr -d '()'); do
		picture=docs/${picture#docs/}
		[[ $(stat -c %s "$SRCDIR/$picture") -lt 150000 ]]
		run grep -cE 'href|url\(|<script' "$SRCDIR/$picture"
		expect_equal 0 "$output"
		printf '%s\n' "$picture" >>"$DIR/pictures"
	done
	expect_equal $'docs/report.png\ndocs/calibration.svg' "$(<"$DIR/pictures")"
	# the run behind the page is one that nodes could have sent
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/record.schema.json" \
		< <("$SRCDIR/tests/samples/report/records" "$EUID")
	expect_equal '' "$output"
}
