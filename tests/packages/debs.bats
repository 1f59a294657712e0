#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# debs.bats - the lines for packages and the table of docs/install.md, on one host with all roles, under
# jobs, from the first to the last day
# Each test begins where the one before it has ended.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # the job expands it; submit sets $job, in each
# test anew; words.bash reads tree

load words

tree=/	# nothing is made here
packages=(jobio jobio-doc jobio-ledger jobio-node jobio-plugin)

# apt WORD... - apt-get, as an administrator has it who is not asked anything; what it
# starts finds the stand-in of systemctl
apt() { DEBIAN_FRONTEND=noninteractive apt-get -y -o "DPkg::Path=$PATH" "$@" </dev/null 3>&-; }

# installs ROLE - docs/install.md's line for such a host
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

# asked - what systemd was asked to do, since this was called last
asked() {
	sed -nE 's/--[a-z]+ //g; /^(start|stop|restart) /p' /run/systemctl.asked
	: >/run/systemctl.asked
}

as_alice() { setpriv --reuid=alice --regid=alice --init-groups env HOME=/home/alice "$@"; }

# submit SCRIPT [SBATCH OPTION...] - as alice; sets job
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

# long_job SCRIPT - one with a profile that runs until alice has made "go"; sets job
long_job() {
	rm -f /home/alice/*
	submit "$1 until [ -e go ]; do sleep 0.2; done" --io-cores=1 --io-profile=stream -n1
	within 30 has_profile
	within 10 state_is "$job" RUNNING
}

# ends_well JOB - let it, and look what it leaves: no drained node, its record, no profile
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

# files - all on this host, but for what Slurm, its database, dpkg and the tests write
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /jobio \
		-o -path /var/lib/mysql -o -path /var/lib/mariadb -o -path /var/lib/slurm -o -path /var/spool/slurmd -o -path /var/log \
		-o -path /var/lib/munge -o -path /home -o -path /srv -o -path /mnt \
		-o -path /var/cache -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

@test "Slurm runs here, and has never heard of jobio" {
	within 120 is_idle
	mkdir -p /run/systemd/system	# as where systemd runs: the packages' scripts look
	sed -i '/^path-exclude/d' /etc/dpkg/dpkg.cfg.d/*	# small images leave documentation out
	files >/tmp/before
	run grep jobio /tmp/before
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
}

@test "the lines of docs/install.md install the packages with what this Slurm's host has, and nothing is active" {
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

@test "the lines of the table activate it, and jobio check finds nothing to do on any role" {
	follow 'accounting host'
	within 20 green ledger
	follow 'compute node'
	follow 'slurm.conf'
	within 20 is_idle
	within 20 green node
	follow 'submit host'
	green login
}

@test "a job goes through all rooms, and its line is in sacct" {
	run as_alice jobio check --submit --role=login
	[[ $status -eq 0 ]] || { printf '%s\n' "$output"; false; }
	[[ $output == *'report   sacct has the same'* ]]
	job=$(sed -n 's/.*srun took --io-cores=1: job \([0-9]*\).*/\1/p' <<<"$output")
	has_summary "$job" '^jobio/1 .* nodes=1/1 cores=1 '
}

@test "dpkg -i over a running job: it keeps its profile, its record is there, and the ledger alone is restarted" {
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

@test "under a running job neither jobio-node nor the plugin that it needs is removed" {
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

@test "who removes both by force, and puts them back before the job's end, has its record all the same" {
	long_job 'until [ -e step ]; do sleep 0.2; done; srun hostname;'
	rm /var/lib/dpkg/info/jobio-node.prerm
	run apt remove jobio-plugin
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[ ! -e /usr/libexec/jobio/prolog ]
	run find /usr/lib -name jobio.so
	[ "$output" = '' ]
	as_alice touch /home/alice/step
	within 20 grep -qx n1 "/home/alice/$job.out"	# its step, which no gate looks at
	installs 'compute node'
	ends_well "$job"
	green node
}

@test "back: the last line of the table, then purge: Slurm is as it was, and nothing is left but data" {
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
