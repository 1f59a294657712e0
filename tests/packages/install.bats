#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# install.bats - the packages on a plain Debian, from installation to removal
# One host: each test continues where the one before it ended.

packages=(jobio jobio-doc jobio-ledger jobio-node jobio-plugin)
units=(jobio-ledgerd.service jobio-recover.service jobio-send.path jobio-send.service
	jobio-send.timer)

# installs PACKAGE... - ./NAME.deb from /debs, the rest from Debian
installs() { apt-get install -y --no-install-recommends "$@" </dev/null; }

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# slurm_conf - write a slurm.conf that commands can read, for a site without running hosts
slurm_conf() {
	mkdir -p /etc/slurm
	printf '%s\n' ClusterName=test SlurmctldHost=localhost AuthType=auth/munge \
		"PlugStackConfig=/etc/slurm/plugstack.conf" \
		'NodeName=n1 CPUs=1' 'PartitionName=all Nodes=n1 Default=YES' >/etc/slurm/slurm.conf
}

# active - files and links by which jobio would run by itself
active() {
	grep -rs jobio /etc/slurm/plugstack.conf /etc/slurm/plugstack.conf.d /etc/slurm/slurm.conf || :
	find /etc/systemd /etc/cron* /etc/profile.d -name '*jobio*' 2>/dev/null
	grep -sl jobio /proc/[0-9]*/comm || :
}

# left - files of jobio on this host, without data of the site
left() {
	find / -xdev \( -path /proc -o -path /sys -o -path /debs -o -path /packages -o -path /tmp \
		-o -path /etc/slurm/jobio.conf -o -path /var/lib/jobio -o -path /var/spool/jobio \
		-o -path /run/jobio -o -path /var/cache -o -path /var/log \) -prune -o -iname '*jobio*' -print
}

setup() { cd /debs || return; }

@test "on a submit host the plugin brings Slurm of its major version, and no other package of jobio" {
	run installs ./jobio-plugin_*.deb
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	is_installed slurm-wlm-basic-plugins
	[ "$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'jobio*' | sed -n 's/^installed //p')" = jobio-plugin ]
	run dpkg-query -W -f '${Version} ${Depends}' jobio-plugin
	version=$(dpkg-query -W -f '${Version}' slurm-wlm-basic-plugins | cut -d. -f1,2)
	[[ $output == *"+slurm$version "* ]]
	[[ $output == *"slurm-wlm-basic-plugins (>= $version), slurm-wlm-basic-plugins (<< "* ]]
}

@test "the plugin is in Slurm's PluginDir, and links libc only" {
	plugin=$(dpkg -L jobio-plugin | grep '/jobio\.so$')
	[ "${plugin%/*}" = "$(dpkg -L slurm-wlm-basic-plugins | sed -n 's,/auth_munge\.so$,,p')" ]
	run bash -c "ldd '$plugin' | grep -vE 'linux-vdso|libc\.so|/ld-linux|libdl\.so|statically'"
	[ "$output" = '' ]
}

@test "all packages can be installed from Debian's archive" {
	run installs ./jobio{,-node,-ledger,-doc}_*.deb slurm-client
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	for package in "${packages[@]}"; do is_installed "$package"; done
}

@test "all programs find their libraries" {
	run bash -c 'dpkg -L jobio jobio-ledger jobio-node jobio-plugin |
		grep -E "bin/jobio|/libexec/jobio/jobio-|\.so$" | xargs ldd 2>&1 | grep "not found"'
	[ "$output" = '' ]
	[ "$(dpkg -L jobio-node | grep -c '/libexec/jobio/jobio-')" -eq 7 ]
}

@test "the installation activates nothing" {
	run active
	[ "$output" = '' ]
	for unit in "${units[@]}"; do
		[[ -e /usr/lib/systemd/system/$unit || -e /lib/systemd/system/$unit ]]
	done
}

@test "jobio --version prints its version, and jobio check reports the missing jobio.conf" {
	run jobio --version
	[ "$status" -eq 0 ]
	[[ $output == jobio\ * ]]
	slurm_conf
	run jobio check
	[ "$status" -eq 3 ]
	[[ $output == *"'/etc/slurm/jobio.conf': cannot read"* ]]
}

@test "without matplotlib jobio calibrate names its package, once" {
	printf '[client home]\ntype = nfs\n' >/etc/slurm/jobio.conf
	run jobio calibrate --dir=/nowhere --output=/tmp/plots --io-cores=0
	rm /etc/slurm/jobio.conf
	[ "$(grep -c 'no plots will be drawn; install python3-matplotlib$' <<<"$output")" -eq 1 ]
	[ "$(wc -l <<<"$output")" -eq 2 ]
}

@test "every man page is in the package of its program" {
	run bash -c 'for page in man1/jobio.1 man1/jobio-calibrate.1 man5/jobio.conf.5 man7/jobio.7 man8/jobio-{check,count,ledgerd,prepare,send,slurm}.8 man8/spank_jobio.8; do
		dpkg -S "/usr/share/man/$page.gz" | cut -d: -f1; done | xargs'
	[ "$output" = 'jobio jobio jobio-doc jobio-doc jobio jobio-node jobio-ledger jobio-node jobio-node jobio-node jobio-plugin' ]
}

@test "a line in plugstack.conf makes sbatch load the plugin" {
	run sbatch --help
	[[ $output != *--io-cores* ]]
	printf '[jobio]\ngate = off\n' >/etc/slurm/jobio.conf
	echo 'required jobio.so' >/etc/slurm/plugstack.conf
	run sbatch --help
	[[ $output == *--io-cores* ]] || { printf '%s\n' "$output"; false; }
}

@test "an upgrade keeps the site's settings" {
	wants=/etc/systemd/system/timers.target.wants
	mkdir -p "$wants"
	ln -s /lib/systemd/system/jobio-send.timer "$wants"
	before=$(find /etc/systemd /etc/slurm -exec ls -ld --time-style=full-iso {} +)
	run dpkg -i ./*.deb
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[ "$(find /etc/systemd /etc/slurm -exec ls -ld --time-style=full-iso {} +)" = "$before" ]
	rm "$wants/jobio-send.timer"
}

@test "jobio-node is not removed while a job needs its epilog" {
	mkdir -p /run/jobio/4711
	run apt-get remove -y jobio-node
	[ "$status" -ne 0 ]
	[[ $output == *"jobs that need its epilog run here: 4711"* ]]
	is_installed jobio-node
	[ -x /usr/libexec/jobio/epilog ]
	rmdir /run/jobio/4711
}

@test "removing jobio-node prints that slurm.conf still names it" {
	echo 'Epilog=/usr/libexec/jobio/epilog' >>/etc/slurm/slurm.conf
	run apt-get remove -y jobio-node
	[ "$status" -eq 0 ]
	[[ $output == *"slurm.conf still names /usr/libexec/jobio"* ]]
	[ ! -e /usr/libexec/jobio/prolog ]
	slurm_conf
}

@test "without the plugin Slurm's commands work on" {
	echo 'optional jobio.so' >/etc/slurm/plugstack.conf
	run apt-get remove -y jobio-plugin
	[ "$status" -eq 0 ]
	run sbatch --help
	[ "$status" -eq 0 ]
	[[ $output != *--io-cores* ]]
}

@test "after purge only the site's data and configuration are left" {
	install -D /dev/null /var/lib/jobio/ledger.db
	install -D /dev/null /var/spool/jobio/4711.0.n1.json
	run apt-get purge -y "${packages[@]}"
	[ "$status" -eq 0 ] || { printf '%s\n' "$output"; false; }
	[ -e /var/lib/jobio/ledger.db ]
	[ -e /var/spool/jobio/4711.0.n1.json ]
	[ -s /etc/slurm/jobio.conf ]
	getent passwd slurm
	run left
	[ "$output" = '' ]
}
