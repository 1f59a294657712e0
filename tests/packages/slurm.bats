#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm.bats - jobio with a Slurm that the site has compiled, on one host with all roles
# Each test continues where the one before it ended.
# shellcheck disable=SC2016,SC2030,SC2031 # the job expands it; submit sets $job, in each
# test anew

load words

version=${JOBIO_SLURM:?names the version}
prefix=/opt/slurm-$version

# as_alice COMMAND...
as_alice() { setpriv --reuid=alice --regid=alice --init-groups env HOME=/home/alice "$@"; }

# submit SCRIPT [SBATCH OPTION...] - submit as alice; sets job
submit() {
	local script=$1
	shift
	job=$(as_alice sbatch --parsable -D /home/alice -o '/home/alice/%j.out' "$@" <<<$'#!/bin/bash\n'"$script")
	[[ $job =~ ^[0-9]+$ ]]
}

state_is() { [[ $(squeue -h -j "$1" -t all -o %T) == "$2" ]]; }
output_of() { cat "/home/alice/$1.out"; }
field() { scontrol -o show job "$1" | sed -n "s/.* $2=\([^ ]*\).*/\1/p"; }
reason() { scontrol -o show node n1 | sed -n 's/.* Reason=\(.*\) \[[^]]*\].*/\1/p'; }
reason_starts() { [[ $(reason) == "$1"* ]]; }

# the cache mode of the client's mount
mount_mode='grep " /mnt/weka " /run/weka-sim/mounts | grep -owE "forcedirect|readcache|writecache"'

# has_cpu LIST CPU - true if a list such as "0-2,5" contains the CPU
has_cpu() {
	local part
	for part in ${1//,/ }; do
		(($2 < ${part%-*} || $2 > ${part#*-})) || return 0
	done
	return 1
}

# client_cpu - the OS CPU of the stand-in's frontend
client_cpu() { weka local resources | awk '$1 == "FRONTEND" { print $3 }'; }

# loaded PID - true if the process has loaded jobio.so of this PluginDir
loaded() { grep -qF "$prefix/lib/slurm/jobio.so" "/proc/$1/maps"; }
step_loaded() { loaded "$(pgrep -f "^slurmstepd: \\[$1\\.batch\\]")"; }

@test "only this Slurm is installed, and it runs" {
	within 60 is_idle
	[ "$(slurmctld -V)" = "slurm $version" ]
	[ "$(scontrol -o show node n1 | grep -o ' Version=[^ ]*')" = " Version=$version" ]
	[ ! -e /usr/include/slurm ]
	run find /usr -xdev -name 'libslurm*'
	[ "$output" = '' ]
	run srun -n1 hostname
	[ "$output" = n1 ]
}

@test "configure --with-slurm=PREFIX uses its headers, its library and its PluginDir" {
	cd /jobio/obj
	../src/configure -C --enable-werror --with-slurm="$prefix" --prefix=/usr --sysconfdir=/etc \
		--localstatedir=/var >/tmp/said 2>&1 || { tail -n 20 /tmp/said; false; }
	grep -qxF "checking for Slurm's library... -L$prefix/lib -Wl,-rpath,$prefix/lib -lslurm" /tmp/said
	grep -qxF "checking for Slurm's PluginDir... $prefix/lib/slurm (says scontrol)" /tmp/said
	grep -qxF "checking for Slurm's version... $version, and scontrol says $version" /tmp/said
}

@test "jobio compiles without warnings" {
	cd /jobio/obj
	make -s -j"$(nproc)" >/tmp/said 2>&1 || { tail -n 40 /tmp/said; false; }
	run grep ': warning: ' /tmp/said
	[ "$output" = '' ] || { printf '%s\n' "$output"; false; }
}

@test "make install installs jobio.so in its PluginDir, and programs find its libslurm" {
	follow 'each host'
	[ -e "$prefix/lib/slurm/jobio.so" ]
	for program in /usr/sbin/jobio-ledgerd /usr/libexec/jobio/jobio-slurm; do
		run ldd "$program"
		[[ $output == *"$prefix/lib/libslurm.so."* ]] || { printf '%s\n' "$output"; false; }
	done
	next_conf
}

@test "accounting host: jobio check has no findings" {
	follow 'accounting host'
	within 20 green ledger
}

@test "compute node: jobio check --role=node has no findings" {
	follow 'compute node'
	follow 'slurm.conf'
	within 20 is_idle
	within 20 green node
}

@test "submit host: this sbatch lists --io-cores and --io-profile, prints help and refuses a bad value" {
	follow 'submit host'
	green login
	run sbatch --help
	[[ $output == *'--io-cores='* && $output == *'--io-profile='* ]]
	run sbatch --io-cores=help
	[[ $status -eq 0 && $output == *'allowed here  1 to 1'* ]]
	run sbatch --io-cores=2 --wrap true
	[ "$status" -eq 1 ]
	[[ $output == 'sbatch: error: jobio: option: '* ]] || { printf '%s\n' "$output"; false; }
	[ "${#lines[@]}" -eq 1 ]
}

@test "jobio reads the slurm.conf below PREFIX" {
	mkdir -p "$prefix/etc"
	sed '$a PluginDir=/nowhere' /etc/slurm/slurm.conf >"$prefix/etc/slurm.conf"
	run jobio check --role=login
	rm "$prefix/etc/slurm.conf"
	[[ $output == *'S16 error: jobio.so: there is no such file in /nowhere'* ]] || { printf '%s\n' "$output"; false; }
}

@test "this slurmd and its slurmstepd load the plugin" {
	svc kill slurmd
	within 20 is_idle
	within 10 loaded "$(svc pid slurmd)"
	submit 'sleep 60' -n1
	within 30 step_loaded "$job"
	scancel "$job"
	within 30 is_idle
}

@test "a job with --io-cores=1 gets the other cores, and its tasks have SLURM_IO_CPUS" {
	submit 'echo "$SLURM_IO_CORES $SLURM_IO_CPUS $(awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status)"' --io-cores=1 -n1
	within 30 state_is "$job" COMPLETED
	[ "$(field "$job" CoreSpec)" = 1 ]
	read -r cores io_cpus allowed < <(output_of "$job")
	[ "$cores" = 1 ]
	has_cpu "$io_cpus" "$(client_cpu)" || { output_of "$job"; false; }
	run has_cpu "$allowed" "$(client_cpu)"
	[ "$status" -eq 1 ] || { output_of "$job"; false; }
}

@test "a profile is set while the job runs, and undone afterwards" {
	submit "$mount_mode" --io-profile=stream -n1
	within 30 state_is "$job" COMPLETED
	[ "$(output_of "$job")" = forcedirect ] || { output_of "$job"; false; }
	run bash -c "$mount_mode"
	[ "$output" = writecache ]
}

@test "salloc and srun accept --io-cores, too" {
	run as_alice salloc -Q --io-cores=1 -n1 srun -n1 sh -c 'echo "$SLURM_IO_CORES"'
	[[ $status -eq 0 && ${lines[-1]} == 1 ]] || { printf '%s\n' "$output"; false; }
	run as_alice srun -Q --io-cores=1 -n1 sh -c 'echo "$SLURM_IO_CORES"'
	[[ $status -eq 0 && ${lines[-1]} == 1 ]] || { printf '%s\n' "$output"; false; }
}

@test "a job runs with prolog, gate, epilog and ledger, and its line is in sacct" {
	# as with sudo: this Slurm's folder is not in PATH
	run as_alice PATH=/usr/bin:/bin jobio check --submit --role=login
	[[ $status -eq 0 && $output == *'report   sacct has the same'* ]] || { printf '%s\n' "$output"; false; }
	job=$(sed -n 's/.*srun took --io-cores=1: job \([0-9]*\).*/\1/p' <<<"$output")
	[[ $(sacct -XPn -j "$job" -o SystemComment) == 'jobio/1 '*' nodes=1/1 cores=1 '* ]]
	[ "$(sacct -XPn -j "$job" -o State)" = COMPLETED ]
}

@test "a task that could use the client's CPU does not start" {
	sed -i 's/^gate = warn/gate = enforce/' /etc/slurm/jobio.conf
	submit 'echo started' --core-spec=0
	within 30 state_is "$job" FAILED
	run output_of "$job"
	[[ $output == *'jobio: gate: not started: the job may run on CPU '* ]] || { printf '%s\n' "$output"; false; }
	[ "${#lines[@]}" -eq 1 ]
}

@test "a node with a broken client is drained, and sinfo -R shows the finding" {
	sed -i '/^\[jobio\]/a on_error = drain' /etc/slurm/jobio.conf
	weka-sim set faults.disconnected=0
	submit true --io-cores=1
	within 40 reason_starts 'jobio:W09 '
	scancel "$job"
	weka-sim unset faults.disconnected
	within 30 state_is "$job" CANCELLED
	scontrol update nodename=n1 state=resume
	within 20 is_idle
}

@test "on made-up machines its slurmd reserves the CPUs that jobio computes" {
	cd /jobio/obj
	make -s diff-programs >/tmp/said 2>&1 || { tail -n 40 /tmp/said; false; }
	svc stop slurmd
	tests/diff/slurmd_diff --count=50 --slurmd="$prefix/sbin/slurmd" >/tmp/said ||
		{ grep -A5 '^not ok' /tmp/said | head -n 40; false; }
	[ "$(grep -c '^ok ' /tmp/said)" -eq 50 ]
}
