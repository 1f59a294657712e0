#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# hardening.bats - what was built resists a bug that is exploited, as far as the
# compiler can see to it (m4/hardening.m4), and the plugin needs libc alone

programs=(jobio-count jobio-ledgerd jobio-live jobio-node jobio-prepare jobio-release jobio-send jobio-slurm)

setup() { cd "$BUILDDIR" || return; }

# each COMMAND... - for every program and the plugin
each() {
	local file
	for file in "${programs[@]}" .libs/jobio.so; do
		"$@" "$file" || return
	done
}

# has WHAT PATTERN FILE - readelf WHAT prints a line like this
has() {
	readelf -W "$1" "$3" | grep -qE -e "$2" || { echo "$3: readelf $1 has no '$2'" >&2; return 1; }
}

# has_not WHAT PATTERN FILE
has_not() {
	local found
	found=$(readelf -W "$1" "$3" | grep -E -e "$2") || return 0
	printf '%s: %s\n' "$3" "$found" >&2
	return 1
}

@test "addresses are taken at random: every program is position-independent" {
	each has -h 'Type: +DYN'
}

@test "tables of the linker are read-only once they are filled" {
	each has -l GNU_RELRO
}

@test "they are filled before anything runs" {
	each has -d '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW'
}

@test "no stack can be executed" {
	each has -l 'GNU_STACK.* RW '
	each has_not -l 'GNU_STACK.* RWE '
}

@test "functions notice that their stack was overrun" {
	each has -s ' __stack_chk_fail'
}

@test "functions of libc are told the size of what they write to" {
	each has -s ' __(v?snprintf|memcpy|strcpy|read)_chk'
}

@test "libraries are looked for where the system has them" {
	each has_not -d '\((RPATH|RUNPATH)\)'
}

# libdl is a part of libc before glibc 2.34, and so is the loader.
@test "the plugin needs libc and nothing else" {
	local needed
	needed=$(readelf -dW .libs/jobio.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	grep -qx 'libc\.so\.6' <<<"$needed"
	run grep -vxE 'libc\.so\.6|libdl\.so\.2|ld-linux.*' <<<"$needed"
	[ "$output" = "" ]
}
