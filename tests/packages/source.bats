#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# source.bats - the table of docs/install.md, line by line, on one host with all roles
# Each test continues where the one before it ended.
# shellcheck disable=SC2016 # backticks of the table

load words

# files - all files of this host, except those that Slurm, its database and the tests write
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /jobio \
		-o -path /var/lib/mysql -o -path /var/lib/mariadb -o -path /var/lib/slurm -o -path /var/spool/slurmd -o -path /var/log \
		-o -path /var/lib/munge -o -path /home -o -path /srv -o -path /mnt \
		-o -path "/usr/share/man/man[0-9]" \) -prune -o -print | sort
}

@test "Slurm runs, and no file of jobio is on this host" {
	within 60 is_idle
	mkdir -p /run/systemd/system # as on a host with systemd: jobio check then checks its units
	files >/tmp/before
	run grep jobio /tmp/before
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
	run srun -n1 hostname
	[ "$output" = n1 ]
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
}

@test "the tree is configured as in docs/install.md, and make install activates nothing" {
	# shellcheck disable=SC2154 # words.bash sets install and readme
	configure=$(sed -n 's,^\./configure \(--prefix.*\),\1,p' "$install")
	[ "$configure" = '--prefix=/usr --sysconfdir=/etc --localstatedir=/var' ]
	grep -qF -- "$configure" /jobio/obj/config.log
	follow 'each host'
	run jobio --version
	[ "$status" -eq 0 ]
	plugins=$(scontrol show config | sed -n 's/^PluginDir *= //p')
	[ -e "$plugins/jobio.so" ]
	[ ! -e "$plugins/jobio.la" ]
	run srun -n1 hostname
	[ "$output" = n1 ]
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
	next_conf
}

@test "accounting host" {
	follow 'accounting host'
	within 20 green ledger
}

@test "compute node" {
	follow 'compute node'
	follow 'slurm.conf'
	within 20 is_idle
	within 20 green node
}

@test "submit host" {
	follow 'submit host'
	green login
	run sbatch --io-cores=help
	[ "$status" -eq 0 ]
	[[ $output == *'allowed here  1 to 1'* ]]
}

@test "a job gets a record, and its line is in sacct" {
	run setpriv --reuid=alice --regid=alice --init-groups env HOME=/home/alice jobio check --submit --role=login
	[[ $status -eq 0 ]] || { printf '%s\n' "$output"; false; }
	[[ $output == *'report   sacct has the same'* ]]
	job=$(sed -n 's/.*srun took --io-cores=1: job \([0-9]*\).*/\1/p' <<<"$output")
	[[ $(sacct -XPn -j "$job" -o SystemComment) == 'jobio/1 '*' nodes=1/1 cores=1 '* ]]
}

@test "back: Slurm is unchanged, and only data of the site is left" {
	follow 'back'
	within 20 is_idle
	run srun -n1 hostname
	[ "$output" = n1 ]
	run srun --io-cores=1 hostname
	[ "$status" -ne 0 ]
	files >/tmp/after
	run diff /tmp/before /tmp/after
	left=$(sed -n 's/^[<>] //p' <<<"$output" |
		grep -vE '^(/etc/slurm/jobio\.conf|/var/(lib|spool)/jobio(/.*)?)$' | # folders that are not jobio's alone:
		grep -vxE '/usr/lib/systemd(/system)?' || :)
	[ "$left" = '' ] || { printf '%s\n' "$left"; false; }
	[ -s /var/lib/jobio/ledger.sqlite ]
	run grep -rsE 'libexec/jobio|jobio\.so' /etc/slurm
	[ "$output" = '' ]
}
