#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tested.bats - the table of docs/tested.md has what the last run of each part showed
# shellcheck disable=SC2154 # bats sets output and status

setup() {
	parts=$BATS_TEST_TMPDIR/parts
	mkdir -p "$BATS_TEST_TMPDIR"/{tests/tools,docs} "$parts"
	page=$BATS_TEST_TMPDIR/docs/tested.md
	cp "$SRCDIR"/tests/tools/{tested,fill} "$BATS_TEST_TMPDIR/tests/tools"
	cgroup=v1
	[[ $(stat -fc %T /sys/fs/cgroup) != cgroup2fs ]] || cgroup=v2
	bookworm='| 22.05.1 (bookworm) | v1 | containers | 1 of 1 |'
	machine_v1='| 22.05.1 (bookworm) | v1 | virtual machine, 2 sockets | 1 of 1 |'
	machine_v2='| 22.05.1 (bookworm) | v2 | virtual machine, 2 sockets | 1 of 1 |'
	trixie='| 24.11.1 (trixie) | v1 | containers | 1 of 1 |'
	source_23='| 23.02.7 (from source) | v1 | container | 1 of 1 |'
	source_25='| 25.11.6 (from source) | v1 | container | 1 of 1 |'
}

# had ROW... - what it has before
had() {
	printf '%s\n' '# Tested' "$trixie" '<!-- begin tested -->' '| Slurm (Debian) | cgroup | where |' '|---|---|---|' \
		"$@" '<!-- end tested -->' 'more' >"$page"
}

# ran PART RESULT... - lines of what it has tested
ran() {
	mkdir -p "$parts/$1"
	: >"$parts/$1/result"
	(($# == 1)) || printf '%s\n' "${@:2}" >"$parts/$1/result"
}

# cluster_ran SUITE VERSION
cluster_ran() {
	ran "cluster-$1" "3 0 $1, make check" "2 0 $1, make check" "4 0 $1, made-up machines" \
		"9 0 $1, odd machines" "5 1 $1, cluster"
	printf 'slurm %s\n' "$2" >"$parts/cluster-$1/version"
}

cluster_row() {
	printf '| %s (%s) | %s | containers | %s |' "$2" "$1" "$cgroup" \
		"5 of 6 cluster tests, from sbatch to sacct; 4 of 4 made-up machines as its slurmd sees them; 5 of 5 unit and script tests"
}

vm_row() {
	printf '| %s (%s) | %s | virtual machine, 2 sockets x 2 cores x 2 threads | %s |' "$2" "$1" "$3" \
		"$4 tests of jobs' cpusets, block and interleaved numbering"
}

source_row() {
	printf '| %s (from source) | %s | container | %s |' "$1" "$cgroup" \
		"$2 tests of one host, from configure to sacct"
}

# has ROW... - these, in this order, and around them what was there
has() {
	"$BATS_TEST_TMPDIR/tests/tools/tested" "$parts"
	cp "$page" "$BATS_TEST_TMPDIR/got"
	had "$@"
	diff "$page" "$BATS_TEST_TMPDIR/got"
}

@test "a cluster's row has its version and what passed of all, and takes its suite's place" {
	had "$bookworm" "$machine_v1" "$trixie"
	cluster_ran bookworm 22.05.8
	has "$(cluster_row bookworm 22.05.8)" "$machine_v1" "$trixie"
}

@test "a virtual machine's rows take the place of its own, one of each cgroup version" {
	had "$bookworm" "$machine_v1" "$machine_v2" "$trixie" "$source_25"
	ran vm-bookworm '9 0 bookworm, virtual machine'
	printf 'slurm 22.05.8\n' >"$parts/vm-bookworm/version"
	printf '%s\n' 'ok 1 cgroup v1, block: a job' 'ok 2 cgroup v1, interleaved: a job' \
		'not ok 3 cgroup v2, block: a job' 'ok 4 cgroup v2, interleaved: a job' 'ok 5 boots' \
		>"$parts/vm-bookworm/vm.log"
	has "$bookworm" "$(vm_row bookworm 22.05.8 v1 '2 of 2')" "$(vm_row bookworm 22.05.8 v2 '1 of 2')" \
		"$trixie" "$source_25"
}

@test "a virtual machine whose tests know no cgroup version has no row" {
	had "$bookworm" "$machine_v1"
	ran vm-sid '1 0 sid, virtual machine'
	printf 'slurm 26.05.5\n' >"$parts/vm-sid/version"
	echo 'ok 1 a job is counted' >"$parts/vm-sid/vm.log"
	has "$bookworm" "$machine_v1"
}

@test "a Slurm from source takes the place of its release, and leaves other releases" {
	had "$bookworm" "$machine_v1" "$source_23" "$source_25"
	ran slurms-25.11.10 '15 2 Slurm 25.11.10, from source'
	has "$bookworm" "$machine_v1" "$source_23" "$(source_row 25.11.10 '15 of 17')"
}

@test "releases from source stand behind all suites, by version" {
	had "$source_25" "$bookworm"
	ran slurms-24.05.8 '17 0 Slurm 24.05.8, from source'
	ran slurms-23.11.11 '17 0 Slurm 23.11.11, from source'
	ran slurms-23.02.8 '17 0 Slurm 23.02.8, from source'
	cluster_ran trixie 24.11.5
	has "$bookworm" "$(cluster_row trixie 24.11.5)" "$(source_row 23.02.8 '17 of 17')" \
		"$(source_row 23.11.11 '17 of 17')" "$(source_row 24.05.8 '17 of 17')" "$source_25"
}

@test "a whole run without a kit leaves the rows of a kit" {
	had "$bookworm" "$trixie" "$source_23" "$source_25"
	ran slurms
	ran lint '12 0 lint'
	cluster_ran bookworm 22.05.8
	cluster_ran trixie 24.11.5
	has "$(cluster_row bookworm 22.05.8)" "$(cluster_row trixie 24.11.5)" "$source_23" "$source_25"
}

@test "what did not run, or not all of it, keeps its row" {
	had "$bookworm" "$machine_v1" "$trixie" "$source_25"
	ran cluster-trixie '5 0 trixie, cluster'
	printf 'slurm 24.11.5\n' >"$parts/cluster-trixie/version"
	ran vm-bookworm
	ran slurms-25.11.7
	has "$bookworm" "$machine_v1" "$trixie" "$source_25"
}

@test "a run that showed nothing of the table leaves the page as it is" {
	echo 'no marks' >"$page"
	ran lint '12 0 lint'
	run "$BATS_TEST_TMPDIR/tests/tools/tested" "$parts"
	[[ $status -eq 0 && $output == '' ]]
	[ "$(<"$page")" = 'no marks' ]
}
