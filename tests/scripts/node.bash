# SPDX-License-Identifier: GPL-2.0-or-later
# node.bash - a compute node in a temporary folder, for tests of prolog and
# epilog: helpers, a jobio.conf, and a WEKA client made of two small commands.
#
#   $NODE/bin        prolog, epilog, the helpers, fake jobio-slurm, jobio-send,
#                    jobio-count
#   $NODE/run spool  run_dir and spool_dir
#   $NODE/weka       fake client: files that `weka` and `mount` read and write
#   $NODE/sysfs      16 OS CPUs, 8 cores: CPU k and k+8 are one core
#   $NODE/machine.xml  the same machine for hwloc
#
# The client has the commands and files that these tests need; the stand-in of the
# cluster tests behaves like a real one.

export LC_ALL=C
# shellcheck source=tests/scripts/share.bash
. "$SRCDIR/tests/scripts/share.bash"
NODE_ENV=()

fail() {
	printf '%s\n' "$@" >&2
	return 1
}

# node_make - make a node for this test: a copy of one that is made once for a test file
node_make() {
	local made=${BATS_FILE_TMPDIR:-}/node${HELPER_DIR:+.${HELPER_DIR//\//.}}
	NODE=$(mktemp -d "${BATS_TMPDIR:-/tmp}/jobio-node-XXXXXX")
	if [[ -z ${BATS_FILE_TMPDIR:-} ]]; then
		node_files
	else
		[[ -d $made ]] || node_first "$made"
		cp -a "$made/." "$NODE"
		ln "$made".programs/* "$NODE/bin" # large with sanitizers: one file for all nodes
	fi
	node_weka
	node_conf
}

# node_first FOLDER - make the node that is copied
node_first() {
	local NODE=$1.begun
	mkdir "$NODE"
	node_files
	mkdir "$1.programs"
	mv "$NODE"/bin/jobio-{prepare,release,node} "$1.programs"
	mv -T "$NODE" "$1"
}

# node_files - files that all nodes have
node_files() {
	mkdir "$NODE"/{bin,weka,proc,cgroup,data}
	local helper
	for helper in jobio-prepare jobio-release; do
		cp "$BUILDDIR/${HELPER_DIR:-.}/$helper${HELPER_SUFFIX:-}" \
			"$NODE/bin/$helper"
	done
	cp "$BUILDDIR/jobio-node" "$NODE/bin"
	cp "$SRCDIR/node/prolog" "$SRCDIR/node/epilog" "$NODE/bin"
	cp "$SRCDIR/tests/scripts/fake-weka" "$NODE/bin/weka"
	cp "$SRCDIR/tests/scripts/fake-mount" "$NODE/bin/mount"
	cp "$SRCDIR/tests/scripts/fake-umount" "$NODE/bin/umount"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-send 'printf "%s\n" "$*" >>"${0%/bin/*}/sent"'
	node_count '{"tier":"none","reason":"no BPF here","app":[],"quality":[]}'
	node_slurm 1
	"$BUILDDIR/tests/tools/machine" xml intel-1x8x2-block >"$NODE/machine.xml"
	node_sysfs
}

# node_fault_helpers - replace the helpers by those with fault points; bin has links to files
# that other nodes use, and may still run
node_fault_helpers() {
	cp --remove-destination "$BUILDDIR"/tests/faults/jobio-{prepare,release} "$NODE/bin"
}

node_remove() {
	wait_for rm -rf "$NODE" # jobio-send may still be writing
}

# node_fake NAME TEXT - make a command from bash code
node_fake() {
	printf '#!/bin/bash\n%s\n' "$2" >"$NODE/bin/$1"
	chmod +x "$NODE/bin/$1"
}

# node_count TEXT - make a jobio-count that prints TEXT and logs its calls. The
# real one would load programs into the kernel of the machine that runs the tests.
node_count() {
	printf '%s\n' "$1" >"$NODE/counted"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-count 'printf "%s\n" "$*" >>"${0%/bin/*}/count-calls"
	cat "${0%/bin/*}/counted"'
}

# count_calls - arguments of the calls of jobio-count, without --run-dir and --wait
count_calls() {
	sed "s|^--run-dir=$NODE/run ||; s|--wait=[0-9]* ||" "$NODE/count-calls"
}

# watch_library FILE - compile watch.so, which logs the paths and forks of a program
watch_library() {
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$1" "$SRCDIR/tests/sim/watch.c" -ldl
}

# watched WORD [PATTERN] - number of logged calls WORD with a path that matches
watched() { grep -cE -- "^$1 .*${2:-}" "$NODE/watched" || :; }

# node_slurm N [ALONE] - set slurmctld's replies: a node of 8 cores with 2 threads
node_slurm() {
	cat >"$NODE/node-record" <<-'END'
	{"name":"c1","cpus":16,"boards":1,"sockets":1,"cores_per_socket":8,
	 "threads_per_core":2,"core_spec_count":0,"cpu_spec_list":null,
	 "select_type":"select/cons_tres","version":"24.11.5",
	 "controller_version":"24.11.5","allow_spec_resources_usage":true,
	 "conf_read_at":1795224862}
	END
	# shellcheck disable=SC2016 # the fake expands it
	node_fake jobio-slurm 'printf "%s\n" "$*" >>"${0%/bin/*}/asked"
	case $* in
		*" drain"*) ;;
		*" name") echo c1 ;;
		*node*) cat "${0%/bin/*}/node-record" ;;
		*) echo "{\"job\":7,\"core_spec\":'"$1"',\"alone\":'"${2:-true}"'}" ;;
	esac'
}

# node_stepd ID - a slurmstepd of the job runs, as shown by ps; its pid is the
# job ID
node_stepd() {
	mkdir -p "$NODE/sysfs/proc/$1"
	printf 'slurmstepd: [%s.extern]\0' "$1" >"$NODE/sysfs/proc/$1/cmdline"
	echo slurmstepd >"$NODE/sysfs/proc/$1/comm"
	[[ ! -d $NODE/run/$1 ]] || (umask 077 && printf '%s' "$1" >"$NODE/run/$1/begun")
}

# node_stepd_was ID - a slurmstepd of the job has run and ended
node_stepd_was() {
	node_stepd "$1"
	node_stepd_ends "$1"
}

# node_stepd_ends ID
node_stepd_ends() { rm -r "$NODE/sysfs/proc/$1"; }

# node_scontrol WORDS - set scontrol's output for c1, for jobio check with $NODE/bin in PATH
node_scontrol() {
	printf 'NodeName=c1 Boards=1 %s\n' "$*" >"$NODE/scontrol"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake scontrol 'case $* in
		*" config") printf "%s = %s\n" SelectType select/cons_tres AllowSpecResourcesUsage Yes SLURM_VERSION 24.11.5 ;;
		*" node c1") cat "${0%/bin/*}/scontrol" ;;
	esac'
}

node_sysfs() {
	local cpu pair
	for cpu in {0..15}; do
		pair=$NODE/sysfs/devices/system/cpu/cpu$cpu/topology
		mkdir -p "$pair" "${pair%/topology}/node0"
		printf '%d,%d\n' $((cpu % 8)) $((cpu % 8 + 8)) \
			>"$pair/thread_siblings_list"
	done
}

# A healthy client: one mount, frontend on core 7 (the one that Slurm reserves first).
node_weka() {
	echo 'be0/default /mnt/weka wekafs rw,relatime,writecache,inode_bits=auto,readahead_kb=32768,dentry_max_age_positive=1000,dentry_max_age_negative=0,container_name=client 0 0' \
		>"$NODE/weka/mounts"
	echo 'be0,be1/default /mnt/weka wekafs num_cores=1,net=ib0,memory_mb=1400,readcache,_netdev,x-systemd.after=weka-agent.service 0 0' \
		>"$NODE/weka/fstab"
	rm -f "$NODE/weka/gone"
	echo 7 >"$NODE/weka/stable"
	echo 7 >"$NODE/weka/staged"
	echo READY >"$NODE/weka/status"
	echo $$ >"$NODE/weka/agent.pid"
	echo 4.4.4 >"$NODE/weka/version"
	printf '[agent]\nisolate_cpusets=false\ncgroups_mode=none\n' \
		>"$NODE/weka/service.conf"
	touch -d '2020-01-01' "$NODE/weka/service.conf"
	node_interface
}

# The driver's file for the stable cores.
node_interface() {
	local i=0 core
	{
		echo 'IO node version 2e694b326b50d08a'
		echo 'GW driver_state: DRIVER_ACCEPTING'
		[[ ! -e $NODE/weka/idle ]] || echo 'Active mounts: 0'
		[[ -e $NODE/weka/idle ]] || echo 'Active mounts: 1'
		for core in $(tr , ' ' <"$NODE/weka/stable"); do
			echo "Container=client FE $i: Connected frontend pid 0"
			i=$((i + 1))
		done
	} >"$NODE/proc/interface"
	: "$core"
}

# node_root TYPE [MOUNT] - make $NODE/root, in which the paths of a client of this type lead to the
# files of this node; MOUNT: its mount command. Servers of NFS are processes of this machine.
node_root() {
	local root=$NODE/root command path target
	mkdir -p "$root"/{bin,opt/weka,sys/{fs,class,kernel/debug},var/mmfs} "$NODE"/{"$1",processes/fs}
	for command in mount umount; do
		printf '#!/bin/bash\nexec "%s/bin/%s" "$@"\n' "$NODE" "${2:-$command}" >"$root/bin/$command"
		chmod +x "$root/bin/$command"
	done
	while read -r path target; do
		ln -sfn "$target" "$root/$path"
	done <<-END
		proc $([[ $1 == nfs ]] && echo /proc || echo "$NODE/processes")
		etc $NODE/$1
		etc/wekaio $NODE/weka
		sys/fs/cgroup $NODE/cgroup
		sys/fs/lustre $NODE/lustre/sys
		sys/class/bdi $NODE/bdi
		sys/kernel/debug/lustre $NODE/lustre/debug
		sys/kernel/debug/lnet $NODE/lustre
		opt/weka/data $NODE/data
		var/mmfs/mmpmon $NODE/gpfs
	END
	ln -sfn "$NODE/lustre/proc" "$NODE/processes/fs/lustre"
}

# node_conf - write jobio.conf; NODE_JOBIO has lines for [jobio], NODE_CLIENT for [client weka],
# NODE_MORE other sections.
node_conf() {
	node_root weka
	{
		printf '[jobio]\nroot=%s/root\nrun_dir=%s/run\nspool_dir=%s/spool\n' \
			"$NODE" "$NODE" "$NODE"
		printf '%s\n' "${NODE_JOBIO:-}"
		printf '[option]\nio_cores_max=4\n[client weka]\n'
		printf 'command=%s/bin/weka\n' "$NODE"
		printf 'mount_table=%s/weka/mounts\nproc_dir=%s/proc\n' \
			"$NODE" "$NODE"
		printf 'service_conf=%s/weka/service.conf\n' "$NODE"
		printf 'agent_pidfile=%s/weka/agent.pid\n' "$NODE"
		printf 'stats_socket=%s/sockets/*/container.sock\n' "$NODE"
		printf '%s\n' "${NODE_CLIENT:-}"
		printf '[profile stream]\nmount_options=forcedirect\n'
		printf '[profile metadata]\nmount_options=readcache,'
		printf 'dentry_max_age_positive=10000\n'
		[[ -z ${NODE_MORE:-} ]] || printf '%s\n' "$NODE_MORE"
	} >"$NODE/jobio.conf"
}

# conf_client COMMAND... - the [client] section of the jobio.conf that COMMAND writes
conf_client() {
	"$@"
	sed -n '/^\[client/,/^\[profile/{/^\[profile/!p}' "$NODE/jobio.conf"
}

# allow VALUE [LINE...] - set core_change, and more lines for the client
allow() {
	local line
	NODE_CLIENT=core_change=$1$'\n'timeout_ms=20000
	for line in "${@:2}"; do
		NODE_CLIENT+=$'\n'$line
	done
	node_conf
}

# The variables that slurmd 24.11 sets for a prolog (recorded on a cluster).
slurmd_env() {
	JOB_ENV=(PWD=/ SHLVL=1 SLURMD_NODENAME=c1 SLURM_CLUSTER_NAME=dslurm
		SLURM_CONF=/etc/slurm/slurm.conf SLURM_JOBID="$1"
		SLURM_JOB_ID="$1" SLURM_JOB_GID=1000 SLURM_JOB_UID=1000
		SLURM_JOB_USER=alice SLURM_UID=1000 SLURM_JOB_RESTART_COUNT=0
		SLURM_JOB_CORE_SPEC_COUNT=0 SLURM_JOB_CORE_SPEC_TYPE=cores
		SLURM_JOB_START_TIME=1795224862 SLURM_JOB_OVERSUBSCRIBE=OK "SLURM_NODELIST=c[1-2]"
		"SLURM_JOB_NODELIST=c[1-2]" SLURM_JOB_NUM_NODES=2
		SLURM_SCRIPT_CONTEXT=prolog_slurmd
		HWLOC_XMLFILE="$NODE/machine.xml")
}

# job ID [CORES [PROFILE]] - set the environment of a job; CORES "-": no io-cores
job() {
	slurmd_env "$1"
	[[ $# -gt 1 ]] || return 0
	JOB_ENV+=(SPANK_JOBIO_VERSION=1)
	[[ $2 == - ]] || JOB_ENV+=(SPANK_JOBIO_IO_CORES="$2"
		SLURM_JOB_CORE_SPEC_COUNT="$2" SLURM_JOB_CORE_SPEC_TYPE=cores
		SLURM_JOB_OVERSUBSCRIBE=NO)
	[[ -z ${3:-} ]] || JOB_ENV+=(SPANK_JOBIO_IO_PROFILE="$3")
}

in_env() {
	env -i "${JOB_ENV[@]}" "JOBIO_FAULT_CLOCK=${JOBIO_CLOCK:-0}" \
		"${NODE_ENV[@]}" "$@"
}

prolog() {
	in_env "$NODE/bin/prolog" --conf="$NODE/jobio.conf" \
		--sysfs="$NODE/sysfs"
}

epilog() {
	in_env "$NODE/bin/epilog" --conf="$NODE/jobio.conf" \
		--sysfs="$NODE/sysfs"
}

recover() {
	in_env "$NODE/bin/jobio-prepare" --recover --conf="$NODE/jobio.conf" \
		--sysfs="$NODE/sysfs"
}

# load_programs - load the BPF programs, as before slurmd starts
load_programs() { in_env "$NODE/bin/jobio-prepare" --load --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs"; }

# list - list the folders of running and of ended jobs
list() {
	in_env "$NODE/bin/jobio-prepare" --list --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs"
}

# starts ID [CORES [PROFILE]] - run the job's prolog, without a check of its output
starts() {
	job "$@"
	prolog
}

# one_job ID [CORES [PROFILE]] - run its prolog and its epilog
one_job() {
	starts "$@"
	epilog
}

# step ID STEP READ WRITE - write the step file of slurmstepd
step() {
	printf '{"step":"%s","source":"stepd","read_bytes":%d,"write_bytes":%d,"read_calls":10,"write_calls":20,"array_job_id":null,"array_task_id":null,"restart":0,"start":1795224862,"end":1795224890}\n' \
		"$2" "$3" "$4" >"$NODE/run/$1/steps/$2"
}

options() {
	cut -d' ' -f4 "$NODE/weka/mounts"
}

expect_options() {
	local have
	have=$(options)
	[[ ,$have, == *,$1,* ]] || fail "no '$1' in the options: $have"
}

BASE_OPTIONS=rw,relatime,writecache,inode_bits=auto,readahead_kb=32768,dentry_max_age_positive=1000,dentry_max_age_negative=0,container_name=client

# expect_base - mount options are restored, in any order
expect_base() {
	local have want
	have=$(options | tr , '\n' | sort | paste -sd,)
	want=$(tr , '\n' <<<"$BASE_OPTIONS" | sort | paste -sd,)
	[[ $have == "$want" ]] || fail "not at its baseline: $have"
}

# expect_cores LIST - the container exists, runs on them, and will after a restart
expect_cores() {
	local have
	[[ ! -e $NODE/weka/gone ]] || fail "the container is gone" || return
	have=$(<"$NODE/weka/stable")/$(<"$NODE/weka/staged")
	[[ $have == "$1/$1" ]] || fail "cores/staged: $have"
}

# record ID [RESTART] - print a record of the spool
record() {
	cat "$NODE/spool/$1.${2:-0}.c1.json"
}

expect_in() {
	[[ $2 == *"$1"* ]] || fail "expected: $1" "in: $2"
}

# expect_run STATUS COMMAND [TEXT...] - it exits with STATUS and prints each TEXT; "": no output
# shellcheck disable=SC2154 # bats sets output and status
expect_run() {
	local text
	run "$2"
	[[ $status -eq $1 ]] || fail "$2: exit status $status, not $1" "$output" || return
	for text in "${@:3}"; do
		[[ -n $text || -z $output ]] || fail "not silent: $output" || return
		expect_in "$text" "$output" || return
	done
}

expect_gate() {
	grep -qxF -- "$2" "$NODE/run/$1/gate" ||
		fail "no line '$2' in the gate file:" \
			"$(cat "$NODE/run/$1/gate" 2>&1)"
}

# wait_for COMMAND... - repeat it until it succeeds, ten seconds at most
wait_for() {
	local try
	for try in {1..500}; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.02
	done
	fail "in vain, $try times: $*"
}

# old_slurm - change the job's environment to that of slurmd 22.05
old_slurm() {
	local var kept=()
	for var in "${JOB_ENV[@]}"; do
		[[ $var == SLURM_JOB_CORE_SPEC_* || $var == SLURM_JOB_START_TIME=* ||
			$var == SLURM_JOB_OVERSUBSCRIBE=* ]] || kept+=("$var")
	done
	JOB_ENV=("${kept[@]}")
}

# node_slow_mount SECONDS - make `mount` take so long
node_slow_mount() {
	mv "$NODE/bin/mount" "$NODE/bin/mount-itself"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake mount 'state=${0%/bin/*}/weka
	touch "$state/mount-begun"
	sleep '"$1"'
	touch "$state/mount-ended"
	"$0-itself" "$@"'
}

# reboot - empty /run, mount as in fstab, set another boot ID
reboot() {
	rm -rf "$NODE/run"
	node_weka
	find "$NODE/spool/open" -name '*.json' -exec sed -i \
		's/"boot_id":"[^"]*"/"boot_id":"00000000-0000-4000-8000-000000000000"/' {} +
	find "$NODE/spool/state" -type f -exec sed -i -E \
		's/^(boot|# [a-z]+) .*/\1 00000000-0000-4000-8000-000000000000/' {} +
}
