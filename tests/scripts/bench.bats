#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bench.bats - the benches run and print their measurements; no figure is compared
#
# Benches that need a cluster or a virtual machine run in make bench only.
# shellcheck disable=SC2154 # bats sets output and status

setup() {
	work=$(mktemp -d "${BATS_TMPDIR:-/tmp}/bench.XXXXXX")
	export JOBIO_BENCH_RESULTS=$work/results JOBIO_BENCH_ROUNDS=1
}

teardown() { rm -rf "$work"; }

expect_line() {
	[[ $'\n'$output =~ $'\n'$1 ]] || { printf 'no line "%s" in:\n%s\n' "$1" "$output" >&2; return 1; }
}

expect_result() {
	grep -q "^$1" "$work/results" || { cat "$work/results" >&2; return 1; }
}

@test "the bench of the reservation measures jobio, hwloc-calc and the lscpu recipe" {
	run "$BUILDDIR/tests/bench/bench_cores" 2
	expect_line 'prolog: cached record and map, 384 CPUs +[0-9]+ us'
	expect_line 'hwloc-calc core:1, this machine +([0-9]+ us|not installed)'
	expect_line 'lscpu recipe, this machine +[0-9]+ us'
	expect_result 'prolog: reservation on a node of 384 CPUs	[0-9.]* ms	2 ms	'
}

@test "the bench of the gate measures a task, a step, and a program's start" {
	run "$BUILDDIR/tests/bench/bench_gate" 20
	expect_line 'gate: look at a task +[0-9.]+ us'
	expect_line 'fork, exec and wait for /bin/true +[0-9.]+ us'
	expect_result 'gate: a look at a task	[0-9]* us	200 us	'
}

@test "the bench of prolog and epilog runs whole jobs and counts the calls of weka" {
	run "$SRCDIR/tests/bench/hooks" 2
	[ "$status" -eq 0 ]
	expect_line 'nothing to change, --io-cores=1( +[0-9.]+){4} +0'
	expect_line '--io-profile: remounted and put back( +[0-9.]+){4} +0'
	expect_line 'Lustre of 400 OSTs, nothing to change( +[0-9.]+){4} +0'
	expect_line 'more than without a client \([0-9.]+ ms\) '
	expect_line 'NFS +[-+][0-9.]+ +[0-9.]+( +[-+][0-9.]+){2}'
	expect_line 'Lustre +[-+][0-9.]+ +[0-9.]+( +[-+][0-9.]+){2}'
	expect_line 'Storage Scale +[-+][0-9.]+ +[0-9.]+( +[-+][0-9.]+){2}'
	expect_result 'prolog and epilog with NFS, more than with no client: CPU	[-0-9.]* ms	1 ms	without a client '
	expect_result 'epilog, Lustre of 400 OSTs: by the clock	[0-9.]* ms	50 ms	least: '
	expect_line 'stand-in, weka takes 50 ms: first job( +[0-9.]+){4} +3'
	expect_result 'calls of weka by prolog and epilog	3 for the first job		0 for the next '
	expect_result 'prolog, nothing to change, verdict kept: by the clock	[0-9.]* ms		least: '
	expect_line "the client's verdict: asked of the client( +[0-9.]+){2}"
	expect_line "the client's verdict: kept from an earlier job( +[0-9.]+){2}"
	expect_result "prolog: the client's verdict, kept from an earlier job	[0-9.]* ms	5 ms	"
}

@test "the bench of the ledger keeps, merges and sends the records of one job" {
	run "$SRCDIR/tests/bench/ledger" 50
	[ "$status" -eq 0 ]
	expect_line ' +50( +[0-9.]+){9}'
	expect_line 'one job, nodes: +50( +[0-9.]+){4}'
	expect_line 'jobs of one node: +50( +[0-9.]+){3}'
}

@test "the bench of a restart counts the senders that connect again" {
	run "$SRCDIR/tests/bench/restart" 20
	[ "$status" -eq 0 ]
	expect_line '20 senders: [0-9]+ records before the ledger was killed, all [0-9.]+ s after it was back; [0-9]+ senders .*'
}

@test "the load generator sends a record for each of many jobs" {
	# shellcheck source=tests/scripts/ledger.bash
	source "$SRCDIR/tests/scripts/ledger.bash"
	setup_ledger
	run "$BUILDDIR/tests/bench/ledger_bench" jobs 700 20 100 c 1795261196 1795264796 "$DIR/jobio.conf"
	jobs=$(in_store 'SELECT min(job), max(job), count(*), max(nodes_seen) FROM runs')
	teardown_ledger
	expect_line '20 [0-9.]+'
	expect_equal '700|719|20|1' "$jobs"
}

@test "results become one table, a page and plots" {
	printf 'a\t1 s\t2 s\tb 3 s\nc\t300 jobs/s\t200 jobs/s\t\nd\t+9 instructions\t+8\t\ne\t1 s, 101 MiB\t2 s, 100 MiB\t\nf\t199 jobs/s\t200 jobs/s\t\n' >"$work/ledger.tsv"
	printf '%s\n' 'nodes ...' '100 1 1 1 4.0 1 1 1 1 5.0' '1000 2 1 1 6.0 9 1 1 1 5.0' >"$work/ledger.txt"
	echo 'some CPU' >"$work/ledger.machine"
	run "$SRCDIR/tests/bench/render" "$work" "$work/docs"
	[ "$status" -eq 0 ]
	expect_line 'a +1 s +< 2 s +b 3 s'
	expect_line 'c +300 jobs/s +> 200 jobs/s'
	expect_line 'f +199 jobs/s +> 200 jobs/s: \*\*not kept\*\*'
	grep -qxF '| d | +9 instructions | < +8: **not kept** |  |' "$work/docs/benchmarks.md"
	grep -qxF '| e | 1 s, 101 MiB | < 2 s, 100 MiB: **not kept** |  |' "$work/docs/benchmarks.md"
	grep -qxF '| c | 300 jobs/s | > 200 jobs/s |  |' "$work/docs/benchmarks.md"
	grep -qxF 'On: some CPU' "$work/docs/benchmarks.md"
	python3 -c 'import sys, xml.dom.minidom as x; [x.parse(f) for f in sys.argv[1:]]' \
		"$work/docs/ledger-time.svg" "$work/docs/ledger-memory.svg"
}

@test "the page has a row for each measured version of Slurm" {
	local suite
	for suite in bookworm:22.05.8:500.5 trixie:24.11.5:600.6; do
		IFS=: read -r suite version rate <<<"$suite"
		printf '%s\n' "Slurm $version, slurmdbd, MariaDB     behind" '   jobs s' \
			'sacctmgr modify job, one after one      100      3.3     30.7        -       4.88     0.20      1.70     2.10' \
			"jobio, all at once                     4000     16.4    $rate     12.3       0.22     0.09      0.26     0.65" \
			'jobio, 200 jobs/s for 20 s             4000     20.2    198.3      0.2       0.52     0.15      0.29     0.70' \
			>"$work/cluster-$suite.txt"
		printf 'summaries (%s)\t%s jobs/s\t200 jobs/s\t\n' "$version" "$rate" >"$work/cluster-$suite.tsv"
		echo 'some CPU' >"$work/cluster-$suite.machine"
	done
	run "$SRCDIR/tests/bench/render" "$work" "$work/docs"
	[ "$status" -eq 0 ]
	expect_line 'summaries \(22.05.8\) +500.5 jobs/s +> 200 jobs/s'
	grep -qxF '| 22.05.8 | 500.5 jobs/s | 0.2 s | 30.7 jobs/s | 0.22, 0.09, 0.26, 0.65 | some CPU |' \
		"$work/docs/benchmarks.md"
	grep -qxF '| 24.11.5 | 600.6 jobs/s | 0.2 s | 30.7 jobs/s | 0.22, 0.09, 0.26, 0.65 | some CPU |' \
		"$work/docs/benchmarks.md"
	grep -qxF '$ make bench-cluster SUITE=trixie' "$work/docs/benchmarks.md"
}
