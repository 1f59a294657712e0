#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# hardening.bats - programs are compiled with the hardening options of m4/hardening.m4, and the
# plugin links libc only

programs=(jobio-count jobio-ledgerd jobio-live jobio-node jobio-prepare jobio-release jobio-send jobio-slurm)

setup() { cd "$BUILDDIR" || return; }

# each COMMAND... - run it for every program and the plugin
each() {
	local file
	for file in "${programs[@]}" .libs/jobio.so; do
		"$@" "$file" || return
	done
}

# has WHAT PATTERN FILE - a line of readelf WHAT matches
has() {
	readelf -W "$1" "$3" | grep -qE -e "$2" || { echo "$3: readelf $1 has no '$2'" >&2; return 1; }
}

# has_not WHAT PATTERN FILE - no line matches
has_not() {
	local found
	found=$(readelf -W "$1" "$3" | grep -E -e "$2") || return 0
	printf '%s: %s\n' "$3" "$found" >&2
	return 1
}

@test "every program is position-independent" {
	each has -h 'Type: +DYN'
}

@test "the linker's tables are read-only after relocation (RELRO)" {
	each has -l GNU_RELRO
}

@test "relocation is complete before the program runs (BIND_NOW)" {
	each has -d '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW'
}

@test "no stack is executable" {
	each has -l 'GNU_STACK.* RW '
	each has_not -l 'GNU_STACK.* RWE '
}

@test "functions check their stack for overruns" {
	each has -s ' __stack_chk_fail'
}

@test "functions of libc get the size of their destination (FORTIFY_SOURCE)" {
	each has -s ' __(v?snprintf|memcpy|strcpy|read)_chk'
}

@test "libraries are searched in the system's folders only (no RPATH)" {
	each has_not -d '\((RPATH|RUNPATH)\)'
}

# libdl and the loader are part of libc in glibc before 2.34 as well.
@test "the plugin links libc only" {
	local needed
	needed=$(readelf -dW .libs/jobio.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	grep -qx 'libc\.so\.6' <<<"$needed"
	run grep -vxE 'libc\.so\.6|libdl\.so\.2|ld-linux.*' <<<"$needed"
	[ "$output" = "" ]
}
