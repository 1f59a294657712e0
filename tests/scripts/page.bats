#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# page.bats - jobio report --html, with a temporary ledger and fake-sacct. A page loads nothing
# from elsewhere, escapes all texts of records, is small, and is written whole or not at all.
# shellcheck disable=SC2030,SC2031 # each test is a subshell

# shellcheck source=tests/scripts/page.bash
source "$SRCDIR/tests/scripts/page.bash"

# One ledger for all tests; its jobs are removed between tests.
setup_file() {
	export DIR LEDGER MUNGED PORT
	setup_sacct
}
teardown_file() { teardown_ledger; }

setup() {
	rm -rf "$DIR"/spool/* "$DIR"/page.html
	restore_sacct
	forget_jobs
	page_jobs
}

no_ledger() { sed -i 's/^port = .*/port = 1/' "$DIR/jobio.conf"; }

# is_sound - the page loads nothing from elsewhere, and is accessible (page_check.py)
is_sound() {
	run python3 "$SRCDIR/tests/scripts/page_check.py" "$page"
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

# expect_texts TEXT... - fail unless each TEXT is in the page's text
expect_texts() {
	local text
	for text; do expect_text "$text" "$(words)"; done
}

@test "a page of a job has its numbers, nodes, changes, findings and cores, and pictures of them" {
	nodes 2
	run html 7
	expect_equal "0 $page: 1 job" "$status $output"
	is_sound
	[[ ${output%% *} -ge 4 ]] # pictures
	expect_texts 'Job 7' train alice lab gpu COMPLETED 01:00:00 stream /mnt/weka /home c1 c2 'something' 'do this' 46-47 47,94 ib0 'whole node' 'counted by the kernel'
}

@test "without records the page has the data of sacct" {
	run html 12
	expect_equal 0 "$status"
	is_sound
	expect_texts NODE-WIDE 'from sacct' 1.21TiB
}

@test "several jobs and lists give one page: a line for each job" {
	nodes 1
	run html 7 12
	expect_equal 0 "$status"
	is_sound
	for id in 7 12; do expect_text $'\n'"$id|" $'\n'"$(rows)"; done
	html -u alice -S 2026-11-20 -E 2026-11-22T12:30
	is_sound
	expect_texts 2026-11-20T00:00:00 2026-11-22T12:30:00
	for id in 7 9_1 9_2 12; do expect_text $'\n'"$id|" $'\n'"$(rows)"; done
	html -u nobody
	is_sound
	# an unknown job is named, on the terminal and on the page
	run html 7 8
	expect_equal 1 "$status"
	expect_equal "jobio: report: job: '8': ledger: job '8': no record that you may read; sacct: no such job that you may see
$page: 1 job" "$output"
	expect_texts "job: '8': ledger: job '8': no record that you may read"
}

@test "an array gives one page: the sum of its tasks, and a line for each" {
	sed -i '/JobID=9_/s/$/\tSystemComment=jobio\/1 nodes=1\/1 rd=1GiB\/1k wr=2GiB\/2k not=profile/; /JobID=9_2/s/State=COMPLETED/State=FAILED/' "$DIR/bin/jobs"
	for job in 9 '9_[1-2]'; do
		run html "$job"
		expect_equal 0 "$status"
		is_sound
		for id in 9_1 9_2; do expect_text $'\n'"$id|" $'\n'"$(rows)"; done
		expect_texts '2 GiB' '4 GiB' FAILED '1 of 2 COMPLETED'
	done
}

@test "texts of records and sacct are escaped in HTML, for a job, several jobs and a list" {
	local evil='</td><script>alert(1)</script><img src="x" onerror='\''x'\''>&amp;]]>' args
	EVIL=$evil nodes 2
	sed -i 's/JobName=train/JobName=<\/h1><script src=\/\/evil>\&quot;"/; s/Partition=gpu/Partition=<b>/; s/User=alice\(.*from sacct\)/User=<u>"\1/
		s/COMPLETED/<i>DONE/' "$DIR/bin/jobs"
	for args in 7 '7 12' '-A lab'; do
		# shellcheck disable=SC2086 # several words
		run html $args
		expect_equal 0 "$status"
		is_sound
		run grep -ciE '<script|<img|<b>|<i>|<u>' "$page"
		expect_equal "$args 0" "$args $output"
		expect_texts '</h1><script src=//evil>&quot;"'
	done
	html 7
	expect_texts "something$evil"
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
	is_sound
	[[ $(stat -c %s "$page") -lt 200000 ]]
	expect_equal 1000 "$(words | grep -E '^c[0-9]+$' | sort -u | wc -l)"
}

@test "a page of a list has 1000 jobs at most, in less than 250 KB, and the number of further jobs" {
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
	expect_texts '100 more'
	[[ $(stat -c %s "$page") -lt 250000 ]]
}

@test "a page is written into a pipe or to the target of a link, without replacing them" {
	nodes 1
	ln -sf there.html "$DIR/link"
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
	# a link that another user has made in the folder is replaced
	((EUID == 0)) || return 0
	mkdir "$DIR/folder"
	printf 'root\n' >"$DIR/roots"
	ln -s "$DIR/roots" "$DIR/folder/7.html"
	ln -s "$DIR/roots" "$DIR/folder/index.html"
	chown -h 65534 "$DIR/folder"/*.html
	page=$DIR/folder/ run html 7
	expect_equal '0 root' "$status $(<"$DIR/roots")"
	[[ ! -L $DIR/folder/7.html && ! -L $DIR/folder/index.html ]]
}

@test "into a folder a page of each job is written, and one of the list with links to them" {
	local id
	nodes 1
	run html 7 12
	expect_equal '0 0' "$status $(grep -c '<a ' "$page")"
	for args in '7 12' '-u alice'; do
		# shellcheck disable=SC2086 # several words
		page=$DIR/folder/ run html $args
		expect_text "$DIR/folder/: " "$output"
		page=$DIR/folder/index.html is_sound
		expect_equal '7.html' "$(grep -oP 'href="\K[^#"]*' "$DIR/folder/index.html")"
		page=$DIR/folder/7.html is_sound
		page=$DIR/folder/7.html expect_texts 'Job 7' c1
		rm -r "$DIR/folder"
	done
	printf '' >"$DIR/file"
	page=$DIR/file/ run html 7
	expect_equal 1 "$status"
	expect_text "cannot write '$DIR/file/': " "$output"
}

@test "a site's own template in /etc/slurm/jobio replaces jobio's" {
	local jobio=$DIR/jobio
	EVIL='<b>' nodes 2
	sed "s|^paths.SYSCONF = .*|paths.SYSCONF = \"$DIR/etc\"|" "$BUILDDIR/jobio" >"$jobio"
	chmod +x "$jobio"
	mkdir -p "$DIR/etc/slurm/jobio"
	printf '{%% extends "base.html.j2" %%}\n{%% block content %%}<h1>Our cluster, job {{ job.id }} of {{ job.user }}</h1>{%% endblock %%}\n' \
		>"$DIR/etc/slurm/jobio/page.html.j2"
	"$jobio" report --conf="$DIR/jobio.conf" --html="$page" 7
	is_sound
	expect_texts 'Our cluster, job 7 of alice<b>'
	# a template that everybody may write is not used
	chmod 666 "$DIR/etc/slurm/jobio/page.html.j2"
	"$jobio" report --conf="$DIR/jobio.conf" --html="$page" 7
	expect_equal 0 "$(grep -c 'Our cluster' "$page")"
	# a part of jobio's template is replaced in the same way
	rm "$DIR/etc/slurm/jobio/page.html.j2"
	printf 'body{color:#123}{# prefers-color-scheme:dark #}@media print{*{color:#000}}' >"$DIR/etc/slurm/jobio/style.css.j2"
	"$jobio" report --conf="$DIR/jobio.conf" --html="$page" 7
	expect_equal 1 "$(grep -c 'body{color:#123}' "$page")"
	# a template with an error is reported with its line, and the old page stays
	printf 'old\n' >"$page"
	printf '{%% block title %%}\n{{ job.id + }}' >"$DIR/etc/slurm/jobio/page.html.j2"
	run "$jobio" report --conf="$DIR/jobio.conf" --html="$page" 7
	expect_equal '1 old' "$status $(<"$page")"
	expect_text "--html: template $DIR/etc/slurm/jobio/page.html.j2, line 2: " "$output"
	printf 'ok\n{{ job.nosuch.nosuch }}' >"$DIR/etc/slurm/jobio/page.html.j2"
	run "$jobio" report --conf="$DIR/jobio.conf" --html="$page" 7
	expect_equal '1 old' "$status $(<"$page")"
	expect_text "page.html.j2, line 2: " "$output"
}

@test "a page that cannot be written, or without data, does not replace the old one" {
	nodes 1
	printf 'old\n' >"$page"
	run html 8
	expect_equal '1 old' "$status $(<"$page")"
	page=$DIR/nosuch/page.html run html 7
	expect_equal 1 "$status"
	expect_text "nosuch/page.html" "$output"
	for option in --json --csv; do
		run html $option 7
		expect_equal "2 jobio: report: --html: without --json and --csv" "$status $output"
	done
	printf '#!/bin/sh\nexit 1\n' >"$DIR/bin/sacct"
	run html -u alice
	expect_equal '1 old' "$status $(<"$page")"
	umask 077
	rm "$page"
	html 7
	expect_equal 600 "$(stat -c %a "$page")"
}

@test "the pictures of README and docs are small, and load nothing from elsewhere" {
	local picture
	: >"$DIR/pictures"
	for picture in $(cd "$SRCDIR" && grep -ohE '\((docs/)?[a-z-]+\.(png|svg)\)' README.md docs/deploy.md | tr -d '()'); do
		picture=docs/${picture#docs/}
		[[ $(stat -c %s "$SRCDIR/$picture") -lt 150000 ]]
		run grep -cE 'href="[^#]|url\([^#]|<script' "$SRCDIR/$picture"
		expect_equal 0 "$output"
		printf '%s\n' "$picture" >>"$DIR/pictures"
	done
	expect_equal $'docs/report.png\ndocs/calibration.svg' "$(<"$DIR/pictures")"
	# the run on the page is valid by the schema of records
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/record.schema.json" \
		< <("$SRCDIR/tests/samples/report/records" "$EUID")
	expect_equal '' "$output"
}
