# SPDX-License-Identifier: GPL-2.0-or-later
# site.bash - configuration of the controller and of the virtual machine
# shellcheck shell=bash

# site_files CONTROLLER - write /etc/slurm; jobio's files are installed already
site_files() {
	mkdir -p /etc/slurm/plugstack.conf.d
	sed "s/%CONTROLLER%/$1/" /payload/slurm.conf >/etc/slurm/slurm.conf
	cp /payload/cgroup.conf /payload/jobio.conf /etc/slurm/
	printf 'include /etc/slurm/plugstack.conf.d/*.conf\n' >/etc/slurm/plugstack.conf
	[[ ! -x /usr/libexec/jobio/prolog ]] ||
		printf '%s=/usr/libexec/jobio/%s\n' Prolog prolog Epilog epilog \
			>>/etc/slurm/slurm.conf
}

munge_start() {
	local tries=200
	install -d -o munge -g munge -m 755 /run/munge
	install -d -o munge -g munge -m 700 /var/log/munge /var/lib/munge
	setpriv --reuid=munge --regid=munge --init-groups munged
	until [[ -S /run/munge/munge.socket.2 ]]; do
		((tries-- > 0)) || { echo 'munged does not start' >&2; return 1; }
		sleep 0.1
	done
}
