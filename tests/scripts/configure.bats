#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# configure.bats - for which Slurm jobio is built (m4/slurm.m4)

setup_file() {
	folder=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-configure.XXXXXX")
	export folder
	mkdir -p "$folder/obj" "$folder/slurm/lib64/slurm"
	: >"$folder/slurm/lib64/slurm/auth_munge.so"
}

teardown_file() { rm -rf "$folder"; }

# configure ARGUMENT... - sets status, output and lines
configure() {
	cd "$folder/obj" || return
	run timeout 120 "$SRCDIR/configure" --cache-file="$folder/cache" "$@"
}

is_last() {
	[ "$status" -ne 0 ]
	[ "${lines[-1]}" = "configure: error: $1" ] || { printf '%s\n' "${lines[-1]}"; false; }
}

# the place of this machine's Slurm
slurm_headers() { dirname "$(gcc -xc -M - <<<'#include <slurm/spank.h>' | grep -o '/[^ ]*/spank.h')"; }
slurm_library() { readlink -f "$(gcc -print-file-name=libslurm.so)"; }

@test "--with-slurm: a PREFIX that has no Slurm is an error that names what is not there" {
	configure --with-slurm="$folder/slurm"
	is_last "--with-slurm=$folder/slurm: no $folder/slurm/include/slurm/spank.h"
	mkdir -p "$folder/slurm/include"
	ln -s "$(slurm_headers)" "$folder/slurm/include/slurm"
	configure --with-slurm="$folder/slurm"
	is_last "--with-slurm=$folder/slurm: no libslurm.so in $folder/slurm/lib64 or $folder/slurm/lib"
}

@test "--with-slurm: PREFIX is an absolute path" {
	configure --with-slurm=slurm
	is_last '--with-slurm=slurm: PREFIX is an absolute path'
}

@test "--with-slurm: headers, library and plugins are those of PREFIX" {
	local prefix=$folder/slurm
	ln -s "$(slurm_library)" "$prefix/lib64/libslurm.so"
	configure --with-slurm="$prefix"
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[[ $output == *"checking for Slurm's PluginDir... $prefix/lib64/slurm (its plugins are there)"* ]]
	run grep -E '^(SLURM_CPPFLAGS|SLURM_LIBS|plugindir) =' Makefile
	[ "$output" = "SLURM_CPPFLAGS = -I$prefix/include
SLURM_LIBS = -L$prefix/lib64 -Wl,-rpath,$prefix/lib64 -lslurm
plugindir = $prefix/lib64/slurm" ]
}

@test "--with-slurm: where no plugins are, jobio.so goes beside its library, and configure warns" {
	local prefix=$folder/slurm
	rm "$prefix/lib64/slurm/auth_munge.so"
	configure --with-slurm="$prefix"
	[ "$status" -eq 0 ]
	[[ $output == *"WARNING: jobio.so will go to $prefix/lib64/slurm; if Slurm looks elsewhere,"* ]]
}
