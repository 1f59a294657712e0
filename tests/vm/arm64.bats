#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# arm64.bats - counting on arm64: Debian's 6.12 with ftrace's direct calls, and its 6.1 without
#
# Needs SRCDIR, BUILDDIR with a jobio-count for arm64, docker, jq, tests/vm/packages and QEMU for
# arm64. Boots two machines.

load bail
load truth

all=(6.12-arm64 6.1-arm64)

machine() {
	local status=0
	"$SRCDIR/tests/vm/boot" -t 500 -r jobio-bookworm:arm64 "$1" arm64-truth "$work/payload" \
		>"$work/$1.out" 2>"$work/$1.err" || status=$?
	printf '%d\n' "$status" >"$work/$1.status"
	cases_split "$1"
}

setup_file() {
	local kernel
	export work=$BATS_FILE_TMPDIR
	mkdir "$work/payload"
	cp "$BUILDDIR/jobio-count" "$SRCDIR"/tests/vm/{arm64-truth,count-truth} "$work/payload"
	aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -O2 -static -pthread \
		-o "$work/payload/truth" "$SRCDIR/tests/vm/truth.c"
	for kernel in "${all[@]}"; do machine "$kernel" & done
	wait
}

labels() { sed -n 's/^@ \(v2 .*\)/\1/p' "$work/$1.out" | grep -v probe; }

@test "both machines run their scripts to the end" {
	local kernel
	for kernel in "${all[@]}"; do
		[[ $(<"$work/$kernel.status") == 0 && -e $work/$kernel/end ]] ||
			{ echo "$kernel"; tail -n 20 "$work/$kernel.out" "$work/$kernel.err"; return 1; }
	done
}

@test "on 6.12 every kind of I/O is counted exactly" {
	local list label found
	mapfile -t list < <(labels 6.12-arm64)
	((${#list[@]} > 50))
	expect 6.12-arm64 'v2 probe' '[.tier, .missing] | tojson' '["bpf",[]]'
	expect 6.12-arm64 'v2 probe of files' '[.tier, .missing] | tojson' '["bpf",[]]'
	for label in "${list[@]}"; do
		case $label in
			# truth does not count pages written by msync
			*' msync') found=$(differences 6.12-arm64 "$label" '^mmap_') ;;
			*) found=$(differences 6.12-arm64 "$label") ;;
		esac
		[[ -z $found ]] || { printf '%s: %s\n' "$label" "$found"; return 1; }
	done
}

@test "on 6.1 only totals of processes are counted, with the reason in probe of the kernel and of its files" {
	local label reason='BPF programs: this arm64 kernel has no trampolines (no register_ftrace_direct): only totals of processes are counted'
	for label in 'v2 probe' 'v2 probe of files'; do
		expect 6.1-arm64 "$label" '.tier' exit
		expect 6.1-arm64 "$label" '.groups | tojson' '["exit"]'
		expect 6.1-arm64 "$label" '.reason' "$reason"
	done
	expect 6.1-arm64 'v2 probe of files' '[.hooks[].at] | tojson' '["sched_process_exit"]'
	expect 6.1-arm64 'v2 read' '[.app[].source] | tojson' '["exit"]'
	expect 6.1-arm64 'v2 read' '.app[0].read_bytes >= 262144' true
}
