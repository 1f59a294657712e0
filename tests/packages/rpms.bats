#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# rpms.bats - the effects of the rpms' scripts when packages are installed and erased
#
# Runs inside the image jobio-SUITE:judge, after judge: with Debian's rpm and an empty
# database, so that dependencies are not checked. Each test continues where the one before
# it ended.

rpms() { rpm --nodeps --force-debian "$@"; }
is_installed() { rpm -q "$1" >/dev/null; }

# calls - calls of systemctl since the last call of this function
calls() { cat /tmp/calls; : >/tmp/calls; }

setup_file() {
	# a host with systemd
	mkdir -p /run/systemd/system /etc/slurm
	printf '#!/bin/sh\necho "$*" >>/tmp/calls\n' >/usr/sbin/systemctl
	chmod 755 /usr/sbin/systemctl
	: >/tmp/calls
	: >/etc/slurm/slurm.conf
	echo '[jobio]' >/etc/slurm/jobio.conf	# a node without it is none of jobio's
	! getent passwd slurm >/dev/null || userdel slurm
}

# asks WORD... - Slurm packages that the spec requires, for build and installation
asks() {
	local spec=${SPEC:-/jobio/src/jobio.spec}
	rpmspec -q --buildrequires "$@" "$spec" | grep slurm
	rpmspec -q --requires "$@" "$spec" | sed -n 's/^\(slurm[^ ]*\) [<>].*/\1/p' | sort -u
}

@test "the spec requires Slurm's packages by their names at the site" {
	[ "$(asks | xargs)" = 'slurm-devel slurm' ]
	[ "$(asks -D 'slurm_package slurm-ohpc' | xargs)" = 'slurm-devel-ohpc slurm-ohpc' ]
	[ "$(asks -D 'slurm_package slurm-x' -D 'slurm_devel libslurm-x' | xargs)" = 'libslurm-x slurm-x' ]
}

@test "installation creates the ledger's user and starts nothing" {
	run rpms -i /jobio/rpms/*.rpm
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	for package in jobio jobio-doc jobio-ledger jobio-node jobio-plugin; do is_installed "$package"; done
	run getent passwd slurm
	[[ $output == *:/nonexistent:/sbin/nologin ]]
	[ -x /usr/libexec/jobio/epilog ]
	[ -s /usr/share/jobio/plugstack.conf.d/jobio.conf ]
	run calls
	[ "$output" = '' ]
}

@test "jobio-node is not erased while a job needs its epilog, in every run_dir of jobio.conf" {
	for dir in /run/jobio /run/other; do
		mkdir -p "$dir/4711"
		run rpms -e jobio-node
		[ "$status" -ne 0 ]
		[[ $output == *"jobs that need its epilog run here: 4711"* ]] || { printf '%s\n' "$output"; false; }
		is_installed jobio-node
		[ -x /usr/libexec/jobio/epilog ]
		rmdir "$dir/4711"
		printf '[jobio]\nrun_dir = /run/other ; why not\n' >/etc/slurm/jobio.conf
	done
	run calls
	[ "$output" = '' ]
}

@test "erasing jobio-node prints that slurm.conf still names it" {
	printf 'Epilog=/usr/libexec/jobio/epilog\n' >/etc/slurm/slurm.conf
	run rpms -e jobio-node
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[[ $output == *"/etc/slurm/slurm.conf still names /usr/libexec/jobio: take Prolog= and Epilog= out"* ]] ||
		{ printf '%s\n' "$output"; false; }
	[ ! -e /usr/libexec/jobio/prolog ]
	run calls
	[ "$output" = '--no-reload disable --now jobio-recover.service jobio-send.path jobio-send.timer' ]
	# and prints nothing if slurm.conf does not name it
	rpms -i /jobio/rpms/jobio-node-[0-9]*.rpm
	printf '#Epilog=/usr/libexec/jobio/epilog\n' >/etc/slurm/slurm.conf
	run rpms -e jobio-node
	[ "$status" -eq 0 ]
	[[ $output != *'still names'* ]]
}

@test "an upgrade disables nothing, and restarts a running ledger" {
	: >/tmp/calls
	for package in node ledger; do
		for script in PREIN PREUN POSTUN; do
			rpm -qp --qf "%{$script}" "/jobio/rpms/jobio-$package"-[0-9]*.rpm | sed '1{/^(none)$/d}' >/tmp/script
			sh /tmp/script 1
		done
	done
	run calls
	[ "$output" = 'try-restart jobio-ledgerd.service' ]
}

@test "after erasing the site's data, its configuration and the user are left" {
	install -D /dev/null /var/lib/jobio/ledger.sqlite
	run rpms -e jobio jobio-doc jobio-ledger jobio-plugin
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	run calls
	[ "$output" = '--no-reload disable --now jobio-ledgerd.service' ]
	[ -e /var/lib/jobio/ledger.sqlite ]
	[ -s /etc/slurm/jobio.conf ]
	getent passwd slurm
	run find /usr -xdev -iname '*jobio*'
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
}
