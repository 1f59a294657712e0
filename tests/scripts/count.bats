#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count.bats - jobio-count without counting in the kernel, and its shipped BPF object.
# Counting is tested on virtual machines: tests/vm/count.bats.

setup() {
	dir=$(mktemp -d "$BATS_TMPDIR/count.XXXXXX")
}

teardown() {
	rm -rf "$dir"
}

count() {
	run env -i "$BUILDDIR/jobio-count" --bpffs="$dir" --run-dir="$dir" "$@"
}

@test "the shipped BPF object was made from the shipped source" {
	cd "$SRCDIR/count"
	run sha256sum --strict --check jobio.bpf.sum
	[ "$status" -eq 0 ]
	[[ $output == *'jobio.bpf.c: OK'* ]]
	[[ $output == *'layout.h: OK'* ]]
	[[ $output == *'series.h: OK'* ]]
	[[ $output == *'jobio.bpf.elf: OK'* ]]
}

@test "on a node that cannot count commands print tier none, and exit 0" {
	for command in probe 'start 7 / /nowhere' 'read 7' status; do
		# shellcheck disable=SC2086 # command and arguments
		count $command
		[ "$status" -eq 0 ]
		[[ $output == *'"tier":"none"'* ]]
		[[ $output == *"\"groups\":[]"* ]]
	done
	count read 7
	[[ $output == *'"app":[],"quality":[]'* ]]
	for command in 'stop 7' unload; do
		# shellcheck disable=SC2086
		count $command
		[ "$status" -eq 0 ]
		[ "$output" = '{}' ]
	done
}

@test "probe --btf reports what can be counted on another kernel" {
	count probe --btf="$SRCDIR/count/jobio.bpf.elf"	# not a kernel's
	[ "$status" -eq 0 ]
	[[ $output == *'"tier":"none"'*'"core dumps","device numbers that are used again"'* ]]
	[[ $output == *'"hooks":[]'* ]]
	count probe --btf=/etc/passwd
	[ "$status" -eq 1 ]
	[[ $output == *"jobio: count: probe: BTF: '/etc/passwd': no type information" ]]
	count probe --btf=/nowhere
	[ "$status" -eq 1 ]
	[[ $output == *"BTF: '/nowhere': No such file or directory" ]]
}

@test "a build without BPF reports that, and exits 0" {
	for command in probe 'start 7 /' 'read 7' status; do
		# shellcheck disable=SC2086
		run "$BUILDDIR/tests/jobio-count-none" $command
		[ "$status" -eq 0 ]
		[[ $output == *'"tier":"none","reason":"counters: this jobio was built without BPF"'* ]]
	done
	run "$BUILDDIR/tests/jobio-count-none" stop 7
	[ "$status" -eq 0 ]
}

@test "a usage error has another exit status than a failure" {
	count
	[ "$status" -eq 64 ]
	[[ $output == *"no such command: ''"* ]]
	count begin
	[ "$status" -eq 64 ]
	[[ $output == *"no such command: 'begin'"* ]]
	count start
	[ "$status" -eq 64 ]
	[[ $output == *"wrong number of arguments: 'start'"* ]]
	for job in 0 07 7x 4294967296 ''; do
		count read "$job"
		[ "$status" -eq 64 ]
		[[ $output == *"no job id: '$job'"* ]]
	done
	count --cgroup=v3 probe
	[ "$status" -eq 64 ]
	[[ $output == *"--cgroup: 'v3': must be v1 or v2"* ]]
}
