#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lines.bats - the commands of docs/install.md for packages, as they are printed, on a plain Debian:
# every file that they copy, enable or name is in the packages of that host
# shellcheck disable=SC2034 # words.bash reads install

load words

readme=/text/README.md install=/text/docs/install.md

setup_file() {
	export bin=$BATS_FILE_TMPDIR/bin
	mkdir "$bin"
	printf '%s\n' 'APT::Get::Assume-Yes "true";' 'APT::Install-Recommends "false";' >/etc/apt/apt.conf.d/91test
	# neither systemd nor a slurmctld runs here
	printf '#!/bin/bash\nexit 0\n' >"$bin/scontrol"
	cat >"$bin/systemctl" <<-'EOS'
		#!/bin/bash
		shift
		for unit; do
			[[ $unit != -* ]] || continue
			[[ $unit == *.* ]] || unit+=.service
			[[ -e /lib/systemd/system/$unit || -e /usr/lib/systemd/system/$unit ]] ||
				{ echo "Unit $unit could not be found." >&2; exit 1; }
		done
	EOS
	chmod 755 "$bin"/*
}

# site - a host of a site with Debian's Slurm and without jobio
site() {
	dpkg-query -W -f '${Package}\n' 'jobio*' 'slurm*' | xargs -r apt-get purge
	rm -rf /etc/slurm
	apt-get install slurm-client
	printf '%s\n' ClusterName=test SlurmctldHost=localhost AuthType=auth/munge \
		'NodeName=n1 CPUs=1' 'PartitionName=all Nodes=n1 Default=YES' >/etc/slurm/slurm.conf
} </dev/null >/tmp/said 2>&1

# packages_for HOST - run the line that installs them
packages_for() {
	local line
	line=$(sed -n "s/^\(apt-get install .*[^ ]\) *# $1\$/\1/p" "$install")
	[ "$(wc -l <<<"$line")" -eq 1 ]
	type_in "$line"
	conf_of "$readme" >/etc/slurm/jobio.conf
}

type_in() {
	(cd /debs && PATH=$bin:$PATH bash -ec "$1") </dev/null >/tmp/said 2>&1 3>&- ||
		{ printf '%s:\n' "$1"; cat /tmp/said; return 1; }
}

# table_for HOST - run its row of the table, except make
table_for() {
	local command
	row "$1" >/tmp/row
	[ -s /tmp/row ]
	while read -r command; do
		[[ $command == 'make '* ]] || type_in "$command"
	done </tmp/row
}

has_jobio() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'jobio*' | sed -n 's/^installed //p' | xargs; }

@test "submit host: after its packages and its line of the table sbatch has --io-cores" {
	site
	packages_for 'submit host'
	[ "$(has_jobio)" = 'jobio jobio-plugin' ]
	run sbatch --help
	[[ $output != *--io-cores* ]]
	users=/usr/share/doc/jobio/users.md
	[ "$(dpkg -S $users)" = "jobio: $users" ]
	table_for 'submit host'
	run sbatch --help
	[[ $output == *--io-cores* ]] || { printf '%s\n' "$output"; false; }
}

@test "compute node: after its packages and its line of the table no file of jobio is missing" {
	site
	packages_for 'compute node'
	[ "$(has_jobio)" = 'jobio-node jobio-plugin' ]
	table_for 'compute node'
	table_for 'slurm.conf'
	packages_for "slurmctld's host; jobio check on a compute node"
	[ "$(has_jobio)" = 'jobio jobio-node jobio-plugin' ]
	for name in Prolog Epilog; do
		[ -x "$(sed -n "s/^$name=//p" /etc/slurm/slurm.conf)" ]
	done
	run jobio check --role=node --host=n1
	grep -q '^[A-Z]*[0-9]* ' <<<"$output"
	run grep -E '^(S1[24678]|H01|J0[145]) ' <<<"$output"
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
}

@test "files that README and docs name below /usr/share/jobio are on a compute node" {
	names=$(grep -ohE '/usr/share/jobio/[^` ]+' "$readme" /text/docs/*.md | sort -u)
	[ "$(wc -l <<<"$names")" -ge 2 ]
	for name in $names; do [ -s "$name" ] || { echo "$name"; false; }; done
}

@test "accounting host: its packages contain the unit of its line" {
	site
	packages_for 'accounting host'
	[ "$(has_jobio)" = 'jobio jobio-ledger' ]
	table_for 'accounting host'
}

@test "back: the line of the table restores Slurm's configuration" {
	site
	packages_for 'compute node'
	type_in 'apt-get install ./jobio-ledger_*.deb'
	cp /etc/slurm/slurm.conf /tmp/slurm.conf
	table_for 'compute node'
	table_for 'slurm.conf'
	table_for back
	cmp /etc/slurm/slurm.conf /tmp/slurm.conf
	run grep -rs 'jobio\.so' /etc/slurm
	[ "$output" = '' ]
}
