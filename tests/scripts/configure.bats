#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# configure.bats - the Slurm (m4/slurm.m4) and the inih that configure selects
# shellcheck disable=SC2016,SC2030,SC2031 # pkg-config expands it; each test is a subshell

setup_file() {
	folder=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-configure.XXXXXX")
	export folder
	mkdir -p "$folder/obj" "$folder/slurm/lib64/slurm"
	: >"$folder/slurm/lib64/slurm/select_cons_tres.so"
}

teardown_file() { rm -rf "$folder"; }

# configure ARGUMENT... - run it; sets status, output and lines; without the cache if
# PKG_CONFIG_PATH differs
configure() {
	cd "$folder/obj" || return
	run timeout 120 "$SRCDIR/configure" --cache-file="$folder/cache${PKG_CONFIG_PATH:+-pc}" "$@"
}

is_last() {
	[ "$status" -ne 0 ]
	[ "${lines[-1]}" = "configure: error: $1" ] || { printf '%s\n' "${lines[-1]}"; false; }
}

# folders of this machine's Slurm
slurm_headers() { dirname "$(gcc -xc -M - <<<'#include <slurm/spank.h>' | grep -o '/[^ ]*/spank.h')"; }
slurm_library() { readlink -f "$(gcc -print-file-name=libslurm.so)"; }

@test "--with-slurm: a PREFIX without Slurm is an error that names the missing file" {
	configure --with-slurm="$folder/slurm"
	is_last "--with-slurm=$folder/slurm: no $folder/slurm/include/slurm/spank.h"
	mkdir -p "$folder/slurm/include"
	ln -s "$(slurm_headers)" "$folder/slurm/include/slurm"
	configure --with-slurm="$folder/slurm"
	is_last "--with-slurm=$folder/slurm: no libslurm.so in $folder/slurm/lib64 or $folder/slurm/lib"
}

@test "--with-slurm: PREFIX must be an absolute path" {
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

@test "--with-slurm: without plugins in PREFIX jobio.so is installed beside the library, with a warning" {
	local prefix=$folder/slurm
	rm "$prefix/lib64/slurm/select_cons_tres.so"
	configure --with-slurm="$prefix"
	[ "$status" -eq 0 ]
	[[ $output == *"WARNING: jobio.so will go to $prefix/lib64/slurm; if Slurm looks elsewhere,"* ]]
}

# ---- the Slurm of this machine -----------------------------------------------------

# here VERSION - make a scontrol that prints this version and a PluginDir of two folders
here() {
	mkdir -p "$folder/bin"
	cat >"$folder/bin/scontrol" <<-EOS
		#!/bin/bash
		case \$* in
			--version) echo 'slurm-wlm $1' ;;
			'show config') printf '%s\n' 'Configuration data as of today' 'PluginDir               = /opt/x/lib/slurm:/opt/y' ;;
			*) exit 9 ;;
		esac
	EOS
	chmod 755 "$folder/bin/scontrol"
	PATH=$folder/bin:$PATH
}

# version - of this machine's headers
version() {
	local number
	number=$(gcc -xc -E -P - <<<$'#include <slurm/slurm_version.h>\nSLURM_VERSION_NUMBER')
	printf '%02d.%02d.%d\n' $((number >> 16)) $((number >> 8 & 255)) $((number & 255))
}

is_plugindir() { grep -qxF "plugindir = $1" "$folder/obj/Makefile"; }

@test "the PluginDir is the first folder that scontrol prints, the version that of headers and scontrol" {
	local version
	version=$(version)
	here "$version"
	configure
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[[ $output == *"checking for Slurm's version... $version, and scontrol says $version"* ]] || { printf '%s\n' "$output"; false; }
	[[ $output == *"checking for Slurm's PluginDir... /opt/x/lib/slurm (says scontrol)"* ]]
	[[ $output != *'will not load jobio.so'* ]]
	is_plugindir /opt/x/lib/slurm
}

@test "--with-slurm-plugindir and plugindir= override the PluginDir that scontrol prints" {
	here "$(version)"
	configure --with-slurm-plugindir=/opt/a/b
	[[ $status -eq 0 && $output == *"checking for Slurm's PluginDir... /opt/a/b (as given)"* ]] || { printf '%s\n' "$output"; false; }
	is_plugindir /opt/a/b
	configure plugindir=/opt/c
	[[ $status -eq 0 && $output == *"checking for Slurm's PluginDir... /opt/c (as given)"* ]]
	is_plugindir /opt/c
}

@test "headers of another version than scontrol's are a warning" {
	here 99.05.1
	configure
	[ "$status" -eq 0 ]
	[[ $output == *"WARNING: the headers are those of Slurm $(version | cut -d. -f1,2), and Slurm 99.05.1"* ]] || { printf '%s\n' "$output"; false; }
}

@test "with a slurm.pc headers, library and plugins are taken from pkg-config" {
	local prefix=$folder/slurm
	mkdir -p "$folder/pc"
	: >"$prefix/lib64/slurm/select_cons_tres.so"
	printf '%s\n' "includedir=$prefix/include" "libdir=$prefix/lib64" 'Cflags: -I${includedir}' \
		'Libs: -L${libdir} -lslurm' 'Description: Slurm API' 'Name: slurm' 'Version: 25.11.7' >"$folder/pc/slurm.pc"
	PKG_CONFIG_PATH=$folder/pc configure
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[[ $output == *"checking whether pkg-config knows Slurm... 25.11.7, in $prefix/lib64"* ]]
	run grep -E '^(SLURM_CPPFLAGS|SLURM_LIBS) =' Makefile
	[ "$output" = "SLURM_CPPFLAGS = -I$prefix/include
SLURM_LIBS = -L$prefix/lib64 -lslurm -Wl,-rpath,$prefix/lib64" ]
}

# ---- inih ------------------------------------------------------------------------

@test "an inih without a static library is an error with the commands to make one, which then is used" {
	local so=$folder/so
	mkdir -p "$so" "$folder/sources" "$folder/pc"
	: >"$so/libinih.so"
	printf '%s\n' "libdir=$so" 'Name: inih' 'Description: as on Enterprise Linux' 'Version: 58' >"$folder/pc/inih.pc"
	PKG_CONFIG_PATH=$folder/pc configure
	[ "$status" -ne 0 ]
	[[ $output == *"configure: error: no libinih.a in $so. jobio.so holds inih, "* ]] || { printf '%s\n' "$output"; false; }
	[ "${lines[-1]}" = '  and name it: ./configure --with-inih=/opt/inih' ]
	# run the printed commands, with the shortest possible sources
	cd "$folder/sources"
	printf 'int ini_parse(void);\n' >ini.h
	printf '#include "ini.h"\nint ini_parse(void)\n{\n\treturn 0;\n}\n' >ini.c
	grep -E '^    (cc|install) ' <<<"$output" | sed "s:/opt/inih:$folder/inih:" >commands
	[ "$(wc -l <commands)" -eq 3 ]
	bash -e commands
	PKG_CONFIG_PATH=$folder/pc configure --with-inih="$folder/inih"
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	run grep -E '^INIH_(A|CPPFLAGS) =' Makefile
	[ "$output" = "INIH_A = $folder/inih/lib/libinih.a
INIH_CPPFLAGS = -I$folder/inih/include" ]
}

@test "--with-inih: PREFIX must be an absolute path with header and library" {
	configure --with-inih=inih
	is_last '--with-inih=inih: PREFIX is an absolute path'
	configure --with-inih="$folder/nowhere"
	[ "$status" -ne 0 ]
	[[ $output == *"--with-inih=$folder/nowhere: no $folder/nowhere/include/ini.h. jobio.so holds inih"* ]]
}

# ---- Python ----------------------------------------------------------------------

# configure_python ARGUMENT... - run it without PYTHON in the cache: another value is refused
configure_python() {
	grep -v env_PYTHON "$folder/cache" >"$folder/cache-python"
	configure "$@" --cache-file="$folder/cache-python"
}

@test "the jobio command uses the system's Python, whatever is first in PATH" {
	mkdir -p "$folder/pyenv"
	ln -sf "$(type -P false)" "$folder/pyenv/python3"
	PATH=$folder/pyenv:$PATH configure
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[[ $output == *'checking for Python 3.9 or later... /usr/bin/python3'* ]]
}

@test "PYTHON= that does not run, is too old, or is below a folder of mode 0700 is an error" {
	local end='name a Python 3.9 or later, ./configure PYTHON=/usr/bin/python3.11, or build without the jobio command, --without-python'
	configure_python PYTHON="$folder/none"
	is_last "$folder/none does not run: $end"
	printf '%s\n' '#!/bin/sh' 'exec /usr/bin/python3 -I -c "import sys; sys.version_info = (3, 6); $3"' >"$folder/old"
	chmod 755 "$folder/old"
	configure_python PYTHON="$folder/old"
	is_last "/usr/bin/python3 is Python 3.6: $end"
	/usr/bin/python3 -m venv --without-pip "$folder/home"
	chmod 700 "$folder/home"
	configure_python PYTHON="$folder/home/bin/python3"
	is_last "$folder/home/bin/python3 cannot be run by other users, because $folder/home has mode 0700: $end"
}

@test "a Python without jinja2 is accepted, and the last line names the package" {
	chmod 755 "$folder" # mktemp's is 0700
	/usr/bin/python3 -m venv --without-pip "$folder/venv"
	configure_python PYTHON="$folder/venv/bin/python3"
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[ "${lines[-1]}" = "configure: WARNING: $folder/venv/bin/python3 has no jinja2, which jobio report --html needs: install python3-jinja2" ]
}
