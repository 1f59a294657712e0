#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# debs.bats - the commands for packages and the table of docs/install.md, on one host with all
# roles, while jobs run, from installation to removal
# Each test continues where the one before it ended.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # the job expands it; submit sets $job, in each
# test anew; words.bash reads tree

load words

tree=/	# nothing is made here
packages=(jobio jobio-doc jobio-ledger jobio-node jobio-plugin)

# apt WORD... - apt-get without questions; the programs that it starts find the
# stand-in of systemctl
apt() { DEBIAN_FRONTEND=noninteractive apt-get -y -o "DPkg::Path=$PATH" "$@" </dev/null 3>&-; }

# installs ROLE - run the line of docs/install.md for a host with this role
installs() {
	local line
	# shellcheck disable=SC2154 # words.bash sets install
	line=$(sed -n "s/^apt-get \(install .*[^ ]\)  *# $1.*/\1/p" "$install")
	[[ $line == 'install '*' ./jobio'* && $line != *$'\n'* ]]
	cd /jobio/debs || return
	# shellcheck disable=SC2086 # names that the shell expands
	apt $line >/tmp/said 2>&1 || { cat /tmp/said; return 1; }
}

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# asked - the calls of systemctl since the last call of this function
asked() {
	sed -nE 's/--[a-z]+ //g; /^(start|stop|restart) /p' /run/systemctl.asked
	: >/run/systemctl.asked
}

as_alice() { setpriv --reuid=alice --regid=alice --init-groups env HOME=/home/alice "$@"; }

# submit SCRIPT [SBATCH OPTION...] - submit as alice; sets job
submit() {
	local script=$1
	shift
	job=$(as_alice sbatch --parsable -D /home/alice -o '/home/alice/%j.out' "$@" <<<$'#!/bin/bash\n'"$script")
	[[ $job =~ ^[0-9]+$ ]]
}

state_is() { [[ $(squeue -h -j "$1" -t all -o %T) == "$2" ]]; }
has_summary() { [[ $(sacct -XPn -j "$1" -o SystemComment) =~ $2 ]]; }
mount_mode() { grep ' /mnt/weka ' /run/weka-sim/mounts | grep -owE 'forcedirect|readcache|writecache'; }
has_profile() { [[ $(mount_mode) == forcedirect ]]; }

# long_job SCRIPT - submit a job with a profile that runs until alice creates "go"; sets job
long_job() {
	rm -f /home/alice/*
	submit "$1 until [ -e go ]; do sleep 0.2; done" --io-cores=1 --io-profile=stream -n1
	within 30 has_profile
	within 10 state_is "$job" RUNNING
}

# ends_well JOB - end it; then no node is drained, it has a record, the profile is undone
ends_well() {
	as_alice touch /home/alice/go
	within 30 state_is "$1" COMPLETED || { scontrol show job "$1"; return 1; }
	within 20 is_idle
	run sinfo -h -R
	[ "$output" = '' ]
	within 30 has_summary "$1" '^jobio/1 .* nodes=1/1 cores=1 .* prof=stream '
	[ "$(mount_mode)" = writecache ]
	[ ! -e "/run/jobio/$1" ]
}

# files - all files of this host, except those that Slurm, its database, dpkg and the tests write
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /jobio \
		-o -path /var/lib/mysql -o -path /var/lib/mariadb -o -path /var/lib/slurm -o -path /var/spool/slurmd -o -path /var/log \
		-o -path /var/lib/munge -o -path /home -o -path /srv -o -path /mnt \
		-o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

@test "Slurm runs, and no file of jobio is on this host" {
	within 120 is_idle
	mkdir -p /run/systemd/system	# as on a host with systemd: the packages' scripts test for it
	sed -i '/^path-exclude/d' /etc/dpkg/dpkg.cfg.d/*	# small images leave documentation out
	files >/tmp/before
	run grep jobio /tmp/before
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
}

@test "the lines of docs/install.md install the packages beside this host's Slurm, and activate nothing" {
	local role package
	: >/run/systemctl.asked
	for role in 'submit host' 'compute node' 'accounting host'; do installs "$role"; done
	apt install ./jobio-doc_*.deb
	for package in "${packages[@]}"; do is_installed "$package"; done
	plugin=$(dpkg -L jobio-plugin | grep '/jobio\.so$')
	[ "${plugin%/*}" = "$(scontrol show config | sed -n 's/^PluginDir *= //p')" ]
	run asked
	[ "$output" = '' ]
	run find /etc/systemd -name '*jobio*'
	[ "$output" = '' ]
	run srun -n1 hostname
	[ "$output" = n1 ]
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
	next_conf
}

@test "the lines of the table activate jobio, and jobio check has no findings for any role" {
	follow 'accounting host'
	within 20 green ledger
	follow 'compute node'
	follow 'slurm.conf'
	within 20 is_idle
	within 20 green node
	follow 'submit host'
	green login
}

@test "a job gets a record, and its line is in sacct" {
	run as_alice jobio check --submit --role=login
	[[ $status -eq 0 ]] || { printf '%s\n' "$output"; false; }
	[[ $output == *'report   sacct has the same'* ]]
	job=$(sed -n 's/.*srun took --io-cores=1: job \([0-9]*\).*/\1/p' <<<"$output")
	has_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
}

@test "dpkg -i under a running job: the job keeps its profile and gets its record, and only the ledger is restarted" {
	local ledger
	long_job ''
	ledger=$(</run/jobio-ledgerd.service.pid)
	asked
	run dpkg -i /jobio/debs/*.deb 3>&-
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	run asked
	[ "$output" = 'restart jobio-ledgerd.service' ] || { printf '%s\n' "$output"; false; }
	[ "$(</run/jobio-ledgerd.service.pid)" != "$ledger" ]
	state_is "$job" RUNNING
	[ "$(mount_mode)" = forcedirect ]
	ends_well "$job"
	green node
}

@test "apt refuses to remove jobio-node and its plugin while a job runs" {
	local package
	long_job ''
	for package in jobio-node jobio-plugin; do
		run apt remove "$package"
		[ "$status" -ne 0 ]
		[[ $output == *"jobs that need its epilog run here: $job"* ]] || { printf '%s\n' "$output"; false; }
	done
	for package in "${packages[@]}"; do is_installed "$package"; done
	ends_well "$job"
}

@test "a job gets its record if both are removed by force and installed again before it ends" {
	long_job 'until [ -e step ]; do sleep 0.2; done; srun hostname;'
	rm /var/lib/dpkg/info/jobio-node.prerm
	run apt remove jobio-plugin
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[ ! -e /usr/libexec/jobio/prolog ]
	run find /usr/lib -name jobio.so
	[ "$output" = '' ]
	as_alice touch /home/alice/step
	within 20 grep -qx n1 "/home/alice/$job.out"	# its step, without a gate
	installs 'compute node'
	ends_well "$job"
	green node
}

@test "back: after the last line of the table and purge Slurm is unchanged, and only data of the site is left" {
	follow back make
	within 20 is_idle
	asked
	run apt purge "${packages[@]}"
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	run asked
	[[ ! $output =~ start && $output =~ jobio-ledgerd.service && $output =~ jobio-send.path && $output =~ jobio-send.timer ]] ||
		{ printf '%s\n' "$output"; false; }
	run srun -n1 hostname
	[ "$output" = n1 ]
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
	files >/tmp/after
	run diff /tmp/before /tmp/after
	left=$(sed -n 's/^[<>] //p' <<<"$output" |
		grep -vE '^(/etc/slurm/jobio\.conf|/var/(lib|spool)/jobio(/.*)?)$' || :)
	[ "$left" = '' ] || { printf '%s\n' "$left"; false; }
	[ -s /var/lib/jobio/ledger.sqlite ]
	run grep -rsE 'libexec/jobio|jobio\.so' /etc/slurm
	[ "$output" = '' ]
}
