#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# weights.bats - the packages that the lines of docs/install.md add to a host with Debian's
# Slurm, if apt installs recommended packages, as it does by default

# The site has jobio's packages in an archive: packages that they recommend can be installed.
setup_file() {
	local deb
	mkdir /tmp/archive
	for deb in /debs/*.deb; do
		dpkg-deb -f "$deb"
		printf 'Filename: %s\nSize: %s\nSHA256: %s\n\n' "${deb#/debs/}" "$(stat -c %s "$deb")" "$(sha256sum <"$deb" | cut -d' ' -f1)"
	done >/tmp/archive/Packages
	echo 'deb [trusted=yes] file:/tmp/archive ./' >/etc/apt/sources.list.d/site.list
	apt-get update -o Dir::Etc::sourcelist=/etc/apt/sources.list.d/site.list -o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0
}

setup() { cd /debs || return; }

# would_install WORD... - names that apt would install on this plain Debian
would_install() {
	apt-get -s -o APT::Install-Recommends=true "$@" >/tmp/apt 2>&1 || { cat /tmp/apt >&2; return 1; }
	sed -n 's/^Inst \([^ ]*\).*/\1/p' /tmp/apt | sort
}

# adds ROLE PACKAGE... - sets $added: packages that its line installs in addition to these
adds() {
	local line
	line=$(sed -n "s/^apt-get \(install .*[^ ]\) *# $1\(;.*\)*$/\1/p" /text/docs/install.md)
	[[ $line == 'install '*./jobio* && $line != *$'\n'* ]]
	shift
	# shellcheck disable=SC2086 # names that the shell expands
	added_by "$@" -- ${line#install} "$@"
}

# added_by PACKAGE... -- WORD... - sets $added: packages that apt installs for the words in
# addition to these
added_by() {
	local beside=()
	while [[ $1 != -- ]]; do beside+=("$1"); shift; done
	would_install install "${beside[@]}" >/tmp/beside
	would_install install "${@:2}" >/tmp/all
	added=$(comm -13 /tmp/beside /tmp/all)
}

# is_light ROLE PACKAGE... - is_few() for the line of this role
is_light() {
	adds "$@"
	is_few
}

# is_few - at most eight packages, none of them a compiler or for plots
is_few() {
	printf '%s\n' "${added//$'\n'/ }"
	[[ $added == *jobio* && $(wc -l <<<"$added") -le 8 ]]
	run grep -E '^(gcc|cpp|g\+\+|clang|make|binutils|perl|python3-matplotlib|.*-dev)' <<<"$added"
	[ "$output" = '' ]
}

@test "a compute node with slurmd gets at most eight further packages, and no Python" {
	is_light 'compute node' slurmd
	[[ $added != *python* ]]
	added_by slurmd -- slurmd jobio-node # as from an archive of the site
	[[ $added == *jobio-node* && $added != *python* ]]
	is_few
}

@test "a host with slurmd or slurmctld and Python gets at most eight further packages for jobio check, and none for pages" {
	is_light "slurmctld's host" slurmd python3 ./jobio-node_*.deb ./jobio-plugin_*.deb
	[[ $added != *jinja2* ]]
	is_light "slurmctld's host" slurmctld python3
}

@test "a submit host with slurm-client and Python gets at most eight further packages, jinja2 among them" {
	is_light 'submit host' slurm-client python3
	[[ $added == *python3-jinja2* ]]
}

@test "an accounting host with slurmdbd and Python gets at most eight further packages" {
	is_light 'accounting host' slurmdbd python3
}
