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
