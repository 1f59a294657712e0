#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# clocks.bats - the ledger's result for a job on two nodes with different clocks
#
# Needs SRCDIR, BUILDDIR with jobio's programs, docker, jq, munge and tests/vm/packages.
# Two machines with Debian's 6.1 at a time, in clocks-node: the clock of vm2 is 40 s
# ahead in job 7, an hour more in job 8. Half a minute.

load bail
load payload
# shellcheck source=tests/scripts/ledger.bash
source "$SRCDIR/tests/scripts/ledger.bash"

readonly ahead=40 hour=3600

payload_make() { # NODE KIND AHEAD
	local dir=$work/$1
	payload_add "$dir" "$BUILDDIR"/jobio-{prepare,release,count,node}
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -pthread \
		-o "$dir/truth" "$SRCDIR/tests/vm/truth.c"
	cp "$SRCDIR"/tests/vm/{clocks-node,preload,nfs.bash} "$dir"
	printf '%s\n' "$*" >"$dir/half"
}

# The fourth serial lines of the machines are connected.
lines_make() {
	mkfifo "$work"/line.{one,other}
	ln -s line.one "$work/line.vm1.in"
	ln -s line.other "$work/line.vm1.out"
	ln -s line.other "$work/line.vm2.in"
	ln -s line.one "$work/line.vm2.out"
}

machine() { # NODE AHEAD
	local status=0
	"$SRCDIR/tests/vm/boot" -t 300 -p maxcpus=2 -a "$2" -m "$work/line.$1" 6.1 clocks-node "$work/$1" \
		>"$work/$1.out" 2>"$work/$1.err" || status=$?
	printf '%d\n' "$status" >"$work/$1.status"
	awk -v dir="$work/" '
		/^@ / { file = dir substr($0, 3); gsub(" ", ".", file); next }
		file != "" { print >file }' "$work/$1.out"
}

setup_file() {
	export work=$BATS_FILE_TMPDIR
	payload_make vm1 timed 0
	payload_make vm2 timed_beside $hour
	lines_make
	machine vm1 0 &
	machine vm2 $ahead &
	wait
	setup_ledger
	export DIR LEDGER MUNGED PORT
	for record in "$work"/vm[12].[78]; do
		[[ -e $record ]] || continue # the first test fails then
		sed -n 2p "$record" >"$DIR/spool/${record##*.}.0.$(basename -- "${record%.*}").json"
	done
	send || :	# the first test fails then as well
}

teardown_file() { teardown_ledger; }

# report OPTION... - jobio report as root, with the ledger
report() { TZ=UTC "$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" "$@" 2>/dev/null; }

# of NODE JOB FILTER - jq on truth's output ($did) and the record
of() { jq -rc --slurp ".[0] as \$did | .[1] | $3" "$work/$1.$2"; }

# rows_wrong TIMELINES JOB NODE... - rows of the timeline without the MiB of their seconds, by the
# clock of the node that moved them; for calls with an uncertain second, rows without any of
# them
rows_wrong() {
	local timelines=$1 job=$2
	shift 2
	jq -c --slurpfile did <(for node; do head -n 1 "$work/$node.$job"; done) '
		.[] | select(.fs == "/mnt/b") | . as $t | [$did[]["/mnt/b"].seconds[]] as $seconds
		| range($t.calls | length) | . as $row | ($t.start + . * $t.width_s) as $from
		| [$seconds[] | select(.[0] >= $from and .[0] < $from + $t.width_s)] as $in
		| range(2) | . as $rw | ([$t.read_bytes, $t.write_bytes][$rw][$row] // 0) / 1048576
		| select(. < ([$in[][1 + $rw]] | add // 0) or . > ([$in[] | .[1 + $rw] + .[3 + $rw]] | add // 0))
		| {row: $row, is: ., did: $in}' <<<"$timelines"
}

# did JOB NODE... - bytes read, written and calls on /mnt/b, by truth
did() {
	local job=$1
	shift
	for node; do head -n 1 "$work/$node.$job"; done | jq -rs '[.[]["/mnt/b"]]
		| [([.[].read_bytes] | add), ([.[].write_bytes] | add), ([.[] | .read_calls + .write_calls] | add)] | join(" ")'
}

# reported TIMELINES - the same, as sums of rows
reported() {
	jq -r '.[] | select(.fs == "/mnt/b")
		| [(.read_bytes | add), (.write_bytes | add), (.calls | add)] | join(" ")' <<<"$1"
}

@test "both machines run their scripts to the end" {
	local node
	for node in vm1 vm2; do
		[[ $(<"$work/$node.status") == 0 && -e $work/$node.end ]] || {
			tail -n 5 "$work/$node.out" | cut -c1-300
			tail -n 40 "$work/$node.err"
			bail "no machine $node: $(tail -n 1 "$work/$node.err")"
			return 1
		}
	done
	expect_equal 0 "$(spool_count)"
}

@test "a job on two nodes with different clocks is one run, exact in bytes and in each node's seconds" {
	local json timelines wrong
	json=$(report --json 7)
	timelines=$(jq -c .timelines <<<"$json")
	expect_equal '1|2|2' "$(in_store 'SELECT count(*), max(nodes_seen), max(nodes_expected) FROM runs WHERE job=7')"
	expect_equal "$(did 7 vm1 vm2)" "$(reported "$timelines")"
	expect_equal '31457280 52428800 80' "$(reported "$timelines")"
	wrong=$(rows_wrong "$timelines" 7 vm1 vm2)
	expect_equal '' "$wrong"
	expect_equal true "$(jq '.[] | select(.fs == "/mnt/b").width_s <= 2' <<<"$timelines")"
	# by their clocks the one started after the other had ended
	expect_equal true "$(jq -n --argjson a "$(of vm1 7 .end)" --argjson b "$(of vm2 7 .start)" '$b > $a')"
}

@test "the report has the difference of the clocks, and no shape that comes from it" {
	local text between
	text=$(report -v 7)
	between=$(jq -n --argjson a "$(of vm1 7 '[.start, .end]')" --argjson b "$(of vm2 7 '[.start, .end]')" \
		'[$b[0] - $a[0], $b[1] - $a[1]] | min | round')
	expect_text "clocks of nodes are $between s apart" "$text"
	expect_text 'nodes began and ended seconds apart, as with clocks that differ' "$text"
	expect_text 'clocks_apart' "$(report --json 7 | jq -r .summary)"
	[[ $text != *shape=* ]]
	# its time is that of one node
	expect_equal true "$(jq -n --argjson a "$(of vm1 7 '.end - .start')" --argjson b "$(of vm2 7 '.end - .start')" \
		--argjson told "$(sed -n 's/^  time .*(\([0-9.]*\) s).*/\1/p' <<<"$text")" '([$a, $b] | max) - $told | fabs < 0.1')"
}

@test "records with clocks that differ by more than MUNGE allows are two runs, each of them exact" {
	local node
	expect_equal '2|1|2' "$(in_store 'SELECT count(*), max(nodes_seen), max(nodes_expected) FROM runs WHERE job=8')"
	for node in vm1 vm2; do
		expect_equal "$(did 8 $node)" "$(of $node 8 '.app[] | select(.fs == "/mnt/b") | [.read_bytes, .write_bytes, .read_calls + .write_calls] | join(" ")')"
		expect_equal '' "$(rows_wrong "$(of $node 8 '[.app[] | select(.fs == "/mnt/b") | .timeline + {fs}]')" 8 $node)"
	done
	expect_text 'nodes=1/2' "$(report --json 8 | jq -r .summary)"
	[[ $(report -v 8) != *clocks* ]]
}
