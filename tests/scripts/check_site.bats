#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# check_site.bats - jobio check: the rows of tests/cases/check.cases, on a site with a real munged
# and a real ledger, and on the copied files of a node; jobs, roles and commands that hang

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"
# shellcheck source=tests/scripts/ledger.bash
. "$SRCDIR/tests/scripts/ledger.bash"

# The machine, munged, the ledger and the site are made once; each test uses a copy of the
# site.
setup_file() {
	export DIR MUNGED LEDGER PORT machines
	machines=$(mktemp -d "$BATS_FILE_TMPDIR/machines.XXXXXX")
	setup_ledger
	mkdir "$DIR/site" "$DIR/copied" "$DIR/lib"
	machine intel-2x16x2-block >"$DIR/topology"
	site_make "$DIR/site"
	copied_make "$DIR/copied"
	cp "$BUILDDIR/.libs/jobio.so" "$DIR/lib"
}

teardown_file() { teardown_ledger; }

setup() {
	site=$DIR/work
	rm -rf "$site"
	cp -a "$DIR/site" "$site"
	grep -rl "$DIR/site" "$site" | xargs -r sed -i "s:$DIR/site:$site:g"
	root=$DIR/node
	rm -rf "$root"
	cp -a "$DIR/copied" "$root"
	cd "$root" || return 1
	role=node environment=()
	asan=$(ldd "$BUILDDIR/.libs/jobio.so" | awk '/libasan/ { print $3 }')
}

# answers DIR - replies of slurmctld 24.11 for a correct site; their form is the same in 22.05
answers() {
	cat >"$1/config" <<-CONFIG
		Configuration data as of 2026-11-22T09:00:00
		AccountingStorageHost   = dbd
		AccountingStorageType   = accounting_storage/slurmdbd
		AllowSpecResourcesUsage = Yes
		ClusterName             = test
		Epilog[0]               = $2/epilog
		HASH_VAL                = Match
		PlugStackConfig         = $3/plugstack.conf
		Prolog[0]               = $2/prolog
		PrologEpilogTimeout     = 60
		PrologFlags             = Alloc,Contain
		ProctrackType           = proctrack/cgroup
		SchedulerParameters     = (null)
		SelectType              = select/cons_tres
		SelectTypeParameters    = CR_CORE_MEMORY
		SlurmUser               = $(id -un)(0)
		SlurmctldHost[0]        = ctld
		SLURM_VERSION           = 24.11.5
		TaskPlugin              = task/affinity,task/cgroup
		TaskPluginParam         = SlurmdOffSpec

		Cgroup Support Configuration:
		ConstrainCores          = yes

		Slurmctld(primary) at ctld is UP
	CONFIG
	echo 'NodeName=n02 CoresPerSocket=16 CPUTot=64 NodeHostName=n02 Version=24.11.5 Sockets=2 Boards=1 CoreSpecCount=1 CPUSpecList=62-63 MemSpecLimit=5100 State=IDLE ThreadsPerCore=2 Partitions=batch' >"$1/node"
	printf 'PartitionName=%s Nodes=%s OverSubscribe=NO State=UP\n' batch 'm7,n[01-04]' test n01 >"$1/partition"
	printf 'test\nother\n' >"$1/clusters"
	printf 'None\n' >"$1/level"
}

# site_make DIR - files of a site: Slurm's, jobio's, helpers, Slurm's commands. Linux connects
# 0.0.0.0 to this host, and jobio does not take it for localhost.
site_make() {
	cd "$1" || return 1
	mkdir -p bin etc/plugstack.conf.d libexec run spool
	answers etc "$1/libexec" "$1/etc"
	cat >etc/slurm.conf <<-CONF
		ClusterName=test
		SlurmctldHost=ctld
		TaskPluginParam=SlurmdOffSpec
		Prolog=$1/libexec/prolog
		Epilog=$1/libexec/epilog
		PlugStackConfig=$1/etc/plugstack.conf
	CONF
	echo ConstrainCores=yes >etc/cgroup.conf
	echo "include $1/etc/plugstack.conf.d/*.conf" >etc/plugstack.conf
	echo "optional $DIR/lib/jobio.so" >etc/plugstack.conf.d/jobio.conf
	cat >etc/jobio.conf <<-CONF
		[jobio]
		root = $1
		run_dir = $1/run
		spool_dir = $1/spool
		[client home]
		type = nfs
		mount_table = $1/etc/mounts
		[profile scan]
		read_ahead_kb = 4096
		[ledger]
		host = 0.0.0.0
		port = $PORT
		user = $(id -un)
		store = $DIR/store.sqlite
		munge_socket = $DIR/munge/socket
		send_timeout_ms = 2000
	CONF
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" etc/mountinfo
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" etc/mountstats
	echo '192.0.2.40:/export/work /mnt/work nfs rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none 0 0' >etc/mounts
	mkdir -p sys/class/bdi/0:60
	echo 128 >sys/class/bdi/0:60/read_ahead_kb
	local name
	for name in prolog epilog jobio-{prepare,release,send,slurm,node}; do
		printf '#!/bin/true\n' >libexec/"$name"
	done
	printf '#!/bin/bash\necho %q\n' '{"tier":"bpf","reason":null}' >libexec/jobio-count
	cat >bin/scontrol <<-FAKE
		#!/bin/bash
		[[ \$SLURM_CONF == */etc/slurm.conf ]] || exit 9
		echo "\$*" >>"$1/asked"
		case \$* in
			'-ao show config') cat "$1/etc/config" ;;
			'-ao show node n0'[1-4]) sed "s/n02/\${!#}/g" "$1/etc/node" ;;
			'-ao show node') cat "$1/etc/node" ;;
			'-ao show node '*) echo "Node \${!#} not found"; exit 1 ;;
			'-ao show partition') cat "$1/etc/partition" ;;
			'show daemons') cat "$1/etc/daemons" ;;
			'show aliases '*) cat "$1/etc/aliases" >&2; exit "\$(wc -l <"$1/etc/aliases")" ;;
			*) exit 9 ;;
		esac
	FAKE
	: >etc/aliases
	echo slurmd >etc/daemons # as scontrol of 22.05 to 26.05 prints it; "(null)" where there is none
	cat >bin/sacctmgr <<-FAKE
		#!/bin/bash
		case \$* in
			'-nP list cluster format=Cluster') cat "$1/etc/clusters" ;;
			'-nP list user '*) cat "$1/etc/level" ;;
			*) exit 9 ;;
		esac
	FAKE
	chmod 755 bin/* libexec/*
	chmod 700 run spool
	chmod 644 etc/jobio.conf
}

# copied_make DIR - files of a correct node, and the output of commands there
copied_make() {
	cd "$1" || return 1
	mkdir -p answers etc/slurm/plugstack.conf.d etc/modprobe.d proc \
		sys/devices/system/cpu sys/module/i2c_i801
	answers answers /usr/libexec/jobio /etc/slurm
	mv answers/config answers/scontrol_-ao_show_config
	mv answers/node answers/scontrol_-ao_show_node_n02
	mv answers/partition answers/scontrol_-ao_show_partition
	cat >etc/slurm/slurm.conf <<-'CONF'
		ClusterName = test
		SlurmctldHost=ctld(192.0.2.1)
		TaskPluginParam=SlurmdOffSpec
		Prolog=/usr/libexec/jobio/prolog \
		  # continued with nothing
		Epilog=/usr/libexec/jobio/epilog
		include nodes.conf
	CONF
	sed -i 's/\\$/&  /' etc/slurm/slurm.conf # Slurm takes blanks behind a backslash (22.05 was tried)
	echo 'NodeName=n[01-04] CPUs=64 Reason="it'\''s new"' >etc/slurm/nodes.conf
	echo 'ConstrainCores=yes' >etc/slurm/cgroup.conf
	echo 'include /etc/slurm/plugstack.conf.d/*.conf' >etc/slurm/plugstack.conf
	echo 'optional /usr/lib/slurm/jobio.so' >etc/slurm/plugstack.conf.d/jobio.conf
	printf '[ledger]\nhost=dbd\n[client weka]\ntype=weka\n' >etc/slurm/jobio.conf
	mkdir -p usr/libexec/jobio
	for name in prolog epilog jobio-{prepare,release,send,slurm,node,count}; do
		printf '#!/bin/true\n' >usr/libexec/jobio/"$name"
		chmod 755 usr/libexec/jobio/"$name"
	done
	echo 'options i2c_i801 disable_features=0x10' >etc/modprobe.d/i2c.conf
	echo 'vendor_id : GenuineIntel' >proc/cpuinfo
	echo 0-63 >sys/devices/system/cpu/online
	mkdir -p var/run proc/812
	echo 812 >var/run/slurmd.pid
	printf 'Name:\tslurmd\nNSpid:\t812\nCpus_allowed_list:\t0-30,32-62\nMems_allowed_list:\t0-1\n' >proc/812/status
	printf 'NodeName=n02 CPUs=64 Boards=1 SocketsPerBoard=2\n' >answers/slurmd_-C
}

# site OPTION... - run jobio check on it, for the role $role; sets $lines
site() {
	run env -i PATH="$site/bin:$PATH" "${environment[@]}" "$BUILDDIR/jobio" check --role="$role" --host=n02 \
		--conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" --topology="$(<"$DIR/topology")" "$@"
}

# expect_status STATUS PATTERN - fail unless site() has set these
expect_status() {
	# shellcheck disable=SC2053 # a pattern
	[[ $status -eq $1 && $output == $2 ]] || { echo "$status: $output"; return 1; }
}

fake() { printf '#!/bin/bash\n%s\n' "$2" >"$site/$1"; chmod 755 "$site/$1"; }
old() { mkdir -p "${1%/*}"; touch -d '1 hour ago' "$1"; }

# preload NAME SOURCE - compile a library for LD_PRELOAD, as $DIR/NAME
preload() { "${CC:-cc}" -x c -shared -fPIC -o "$DIR/$1" - <<<"$2"; }

@test "each row of check.cases gets its findings, cures and exit status" {
	run python3 "$SRCDIR/tests/cases/check.py" "$SRCDIR/tests/cases/check.cases" "$DIR/site" "$DIR/copied"
	[[ ${lines[-1]} =~ ^([0-9]+)' rows, 0 wrong'$ && ${BASH_REMATCH[1]} -ge 210 ]] || { echo "$output"; return 1; }
}

@test "each message of scontrol, srun, slurmctld, slurmdbd and sacctmgr that was recorded has its cure" {
	run python3 "$SRCDIR/tests/cases/messages.py" "$SRCDIR/tests/cases/messages.cases" "$SRCDIR/tests/samples/slurm_messages" "$DIR/site"
	[[ ${lines[-1]} =~ ^([0-9]+)' messages, 0 wrong'$ && ${BASH_REMATCH[1]} -ge 100 ]] || { echo "$output"; return 1; }
}

@test "check.words and its manual page have the same codes" {
	diff <(grep -oE '^[A-Z]+[0-9]+' "$SRCDIR/report/check.words" | sort -u) \
		<(grep -oE '^[A-Z][0-9]{2}' "$SRCDIR/man/jobio-check.8" | sort -u)
}

@test "a node sends slurmctld two requests, other hosts three at most, and nodes at different times" {
	for role in login node ctld ledger node,ctld,ledger; do
		: >"$site/asked"
		site
		expect_status 0 "role $role: no findings; counting: ready; io-cores: ready"
		[[ $(grep -c ^-ao "$site/asked") -le $(if [[ $role == *,* ]]; then echo 3; else echo 2; fi) ]] || { cat "$site/asked"; return 1; }
	done
	run env PYTHONPATH="$SRCDIR" python3 -c 'import time
from report import check_slurm
time.sleep = lambda s: print(int(s * 10))
for i in range(100): check_slurm.pace(type("Node", (), {"name": f"n{i:03}"}))'
	[ "$(sort -u <<<"$output" | wc -l)" -eq 10 ] # tenths of a second
}

@test "hanging commands end at their timeouts" {
	fake bin/scontrol 'exec sleep 60'
	fake libexec/jobio-count 'exec sleep 60'
	SECONDS=0
	role=node,ctld site
	expect_status 3 "*S21 error: slurmctld does not answer: $site/bin/scontrol did not answer in 5 s*role node,ctld: 1 error, 1 warning; counting: not ready (S21); io-cores: not ready (S21)"
	[[ $SECONDS -lt 25 && $output == *"H02 warning: "*"jobio-count"*"5000 ms"* ]] || { echo "$output"; return 1; }
}

@test "a clock that differs from the ledger's is a finding, in seconds" {
	preload clock.so '#include <time.h>
	time_t time(time_t *t) { struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_sec -= 100; if (t) *t = ts.tv_sec; return ts.tv_sec; }'
	environment=("LD_PRELOAD=$asan $DIR/clock.so" ASAN_OPTIONS=detect_leaks=0) role=login
	site
	expect_status 1 "L06 warning: this host's clock is behind the ledger's: records have wrong times, and from 300 s on MUNGE refuses them"$'\n*'
	site -v
	[[ $output =~ "MUNGE refuses them ("(99|100|101)" s)"$'\n'.*"n02: role login: 1 warning; counting: ready; io-cores: ready"$ ]] || { echo "$output"; return 1; }
}

# in_mount COMMANDS - run jobio check with mounts that COMMANDS make in $site
in_mount() {
	# shellcheck disable=SC2016 # the inner shell expands it
	run unshare -m bash -ec 'cd "$1"; eval "$2"; shift 2; "$@"' - "$site" "$1" env -i PATH="$site/bin:$PATH" \
		"${environment[@]}" "$BUILDDIR/jobio" check --role=node --host=n02 --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" \
		--topology="$(<"$DIR/topology")"
}

@test "a spool on a full or read-only filesystem is a finding" {
	in_mount 'mount -t tmpfs -o mode=700,size=1m x spool; head -c 2M /dev/zero >spool/x 2>/dev/null || :'
	expect_status 3 "H07 error: spool_dir=$site/spool: its filesystem is full: records of jobs are lost"$'\n'"    cure: make room on $site/spool: df -h $site/spool; df -i $site/spool*"
	in_mount 'mount -t tmpfs -o mode=700,ro x spool'
	expect_status 3 "H07 error: spool_dir=$site/spool: its filesystem is mounted read-only*cure: mount -o remount,rw $site/spool; *"
	in_mount 'mount -t tmpfs -o mode=700,size=8m x spool'
	expect_status 1 "H07 warning: spool_dir=$site/spool: its filesystem has 8 MiB left*"
}

@test "a prolog on a noexec filesystem is a finding" {
	in_mount 'cp -a libexec copy; mount -t tmpfs -o mode=755,noexec x libexec; cp -a copy/. libexec'
	expect_status 3 "S17 error: slurm.conf: Prolog=$site/libexec/prolog: its filesystem is mounted noexec: slurmd drains this node*cure: mount -o remount,exec $site/libexec"$'\n'"*H01 error: $site/libexec: missing, or not executable for slurmd: prolog epilog jobio-prepare *"
}

# is NAME ROLES [WORD...] - jobio check finds this name and these roles for the host of $root
is() {
	run env -i "$BUILDDIR/jobio" check --json --root="$root" --topology="$(<"$DIR/topology")" "${@:3}"
	[[ $output == '{"host":"'"$1"'","roles":['"$2"']'* ]] || { echo "$output"; return 1; }
}

# answer COMMAND TEXT - set the recorded output of this command there
answer() { printf '%s\n' "$2" >"answers/${1// /_}"; }

@test "a node has the name that slurmd finds: -N, the short host name, the full one, the resolver's" {
	rm answers/scontrol_-ao_show_node_n02
	echo n09.example.com >etc/hostname
	is n09 '"node"'
	# NodeName=n01 NodeHostname=alias7
	answer 'getent hosts n09.example.com' '192.0.2.9       n09.example.com alias7'
	answer 'scontrol show aliases alias7' n01
	is n01 '"node"'
	# NodeName=n09.example.com
	answer 'scontrol show aliases n09.example.com' n09.example.com
	is n09.example.com '"node"'
	# NodeName=n02 NodeHostname=n09
	answer 'scontrol show aliases n09' n02
	is n02 '"node"'
	printf '%s\0' /usr/sbin/slurmd -D -N n03 -Nn04 -b >proc/812/cmdline
	is n04 '"node"'
	printf '%s\0' /usr/sbin/slurmd -DvN n05 --conf 'NodeName=n06' >proc/812/cmdline
	is n05 '"node"'
	printf '%s\0' slurmd -D -N >proc/812/cmdline
	is n02 '"node"'
	rm answers/scontrol_show_aliases*
	printf '%s\0' slurmd -DZ --conf 'Feature=x' >proc/812/cmdline
	is n09.example.com '"node"'
}

@test "slurm.conf is the file of slurmd's -f, otherwise of its SLURM_CONF" {
	mkdir opt
	mv etc/slurm/slurm.conf opt/slurm.conf
	printf '%s\0' PATH=/bin SLURM_CONF=/opt/slurm.conf >proc/812/environ
	echo 'ClusterName = other' >etc/slurm/slurm.conf
	run env -i "$BUILDDIR/jobio" check --root="$root" --host=n02 --topology="$(<"$DIR/topology")"
	[[ $output != *S23* ]] || { echo "$output"; return 1; }
	rm proc/812/environ
	run env -i "$BUILDDIR/jobio" check --root="$root" --host=n02 --topology="$(<"$DIR/topology")"
	[[ $output == *"S23 error: /etc/slurm/slurm.conf has ClusterName=other"* ]] || { echo "$output"; return 1; }
	printf '%s\0' slurmd -f /opt/slurm.conf >proc/812/cmdline
	run env -i "$BUILDDIR/jobio" check --root="$root" --host=n02 --topology="$(<"$DIR/topology")"
	[[ $output != *S23* ]] || { echo "$output"; return 1; }
}

@test "the roles of a host are those in Slurm's configuration and jobio.conf, whether daemons run or not" {
	echo n02 >etc/hostname
	rm -r proc/812
	answer 'scontrol show aliases n02' n02
	answer 'scontrol show daemons' slurmd
	is n02 '"node"'
	answer 'scontrol show daemons' '(null)'
	is n02 '"login"'
	answer 'scontrol show daemons' 'slurmctld slurmd'
	is n02 '"node","ctld"'
	# a controller that is NodeName=n02 State=FUTURE (recorded on 22.05 and 24.11)
	answer 'scontrol -ao show node n02' 'Node n02 not found'
	echo 1 >answers/scontrol_-ao_show_node_n02.rc
	is n02 '"ctld"'
	rm answers/scontrol_show_*
	is n02 '"login"'
	# an old bundle, or no reply: slurm.conf is read
	printf 'slurmctldhost = "n02(192.0.2.1)"\n' >>etc/slurm/slurm.conf
	is n02 '"ctld"'
	is ctld '"ctld"' --host=ctld
	mkdir proc/{7,8,9}
	printf 'Name:\tslurmctld-wlm\n' >proc/8/status
	printf 'Name:\tslurmd\nNSpid:\t9\t1\n' >proc/9/status
	is x '"ctld"' --host=x
	printf 'Name:\tjobio-ledgerd\nNSpid:\t7\n' >proc/7/status
	is x '"ctld","ledger"' --host=x
	rm -r proc/7
	sed -i 's/^host=.*/host=n02/' etc/slurm/jobio.conf
	is x '"ctld","ledger"' --host=x
	sed -i 's/^host=.*/host=dbd/' etc/slurm/jobio.conf
	mkdir -p etc/systemd/system/multi-user.target.wants
	: >etc/systemd/system/multi-user.target.wants/jobio-ledgerd.service
	is x '"ctld","ledger"' --host=x
}

@test "a ledger's host is checked as one also if its ledger does not run" {
	sed -i "s/^host .*/host = 192.0.2.7/; s/^port .*/port = 1/; s:^store .*:store = /nowhere/store:" "$site/etc/jobio.conf"
	echo '(null)' >"$site/etc/daemons"
	# add this address to lo, and bring lo up
	run unshare -n python3 -c 'import fcntl, os, socket, struct, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(one, 0x8916, struct.pack("16sHH4s8x", b"lo", 2, 0, socket.inet_aton("192.0.2.7")))
fcntl.ioctl(one, 0x8914, struct.pack("16sh14x", b"lo", 0x49))
os.execvp(sys.argv[1], sys.argv[1:])' env -i PATH="$site/bin:/usr/bin:/bin" \
		"$BUILDDIR/jobio" check --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf"
	expect_status 3 "*L04 error: the ledger cannot be reached: *L11 error: [[]ledger] store=/nowhere/store: *role ledger: 2 errors; *"
}

@test "info findings are printed, except with --quiet" {
	cp "$(<"$DIR/topology")" "$site/topology"
	chmod 755 "$site"
	as_nobody() {
		run setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH="$site/bin:$PATH" \
			"${environment[@]}" "$BUILDDIR/jobio" check --role=node --host=n02 --conf="$site/etc/jobio.conf" \
			--slurm-conf="$site/etc/slurm.conf" --topology="$site/topology" "$@"
	}
	as_nobody
	expect_status "$status" '*H05 info: not run as root*role node: *1 info; counting: not checked as a whole (H05); *'
	as_nobody --quiet
	[[ $output != *info* && $output != *'role node'* ]] || { echo "$output"; return 1; }
}

@test "equal nodes print equal lines" {
	local first
	sed -i 's/^type = nfs/&\nnodes = m1/' "$site/etc/jobio.conf"
	printf '[option]\nio_cores_max=32\n' >>"$site/etc/jobio.conf"
	old "$site/spool/7.0.n02.json"
	site
	first=$output
	expect_status 1 '*J02*J08*L07*role node: 3 warnings; counting: ready; io-cores: ready'
	old "$site/spool/8.0.n03.json"
	site --host=n03
	[[ $output == "$first" ]] || { diff <(echo "$first") <(echo "$output"); return 1; }
	site --host=n03 -v
	expect_status 1 '*records wait in * (2 of at most *n03: role node: *'
}

# srun_says OUTPUT [STATUS] - set the output of the job, whatever its options; a record of
# the job on n02 is sent to the ledger as by its epilog
srun_says() {
	local words job
	read -ra words <<<"$1"
	job=${words[1]:-7}
	fake bin/srun "printf '%s\\n' \"\$*\" >\"$site/srun-called\"
	echo '$1'
	[[ -z \"$1\" ]] || \"$BUILDDIR/jobio-send\" --once --conf='$site/etc/jobio.conf' 2>\"$site/sent\" || :
	${3:+echo \"$3\" >&2}
	exit ${2:-0}"
	record "$job" n02 >"$site/spool/$job.0.n02.json"
	cp "$SRCDIR/tests/scripts/fake-sacct" "$site/bin/sacct"
	printf 'JobID=%s\tCluster=c\tUser=u\tState=COMPLETED\tStart=1795222800\tEnd=1795222809\tExitCode=0:0\tSystemComment=jobio/1 rd=1MiB/3 nodes=1/1\n' "$job" >"$site/bin/jobs"
	role=login
}

@test "--submit prints the result of each part for its job" {
	srun_says 'JOBIO-CHECK 7 n02 1 31,63'
	site --submit --partition=test
	expect_status 0 'option   srun took --io-cores=1: job 7 on node n02
prolog   Slurm keeps CPUs 31,63 for the client
gate     the task may start, and has their list
epilog   node n02 has left its record
ledger   jobio/1 * nodes=1/1 *
report   sacct has the same
role login: no findings; counting: ready; io-cores: ready'
	[[ $(<"$site/srun-called") == '--job-name=jobio-check --nodes=1 --ntasks=1 --time=1 --immediate=60 --io-cores=1 --partition=test /bin/sh -c '* ]]
	site --submit --quiet
	expect_status 0 ''
}

# counting - set README's first jobio.conf: gate = off, no [option], no [profile]
counting() {
	sed -i -e 's/^\[jobio\]$/&\ngate = off/' -e '/^\[profile/,/^\[ledger/{/^\[ledger/!d}' "$site/etc/jobio.conf"
}

@test "at a site that only counts the last line shows it, and --submit runs a job without io-cores" {
	counting
	for role in login node ctld ledger; do
		site
		expect_status 0 "role $role: no findings; counting: ready; io-cores: not on offer"
	done
	srun_says 'JOBIO-CHECK 7 n02 - -'
	site --submit
	expect_status 0 'job      job 7 ran on node n02
epilog   node n02 has left its record
ledger   jobio/1 * nodes=1/1 *
report   sacct has the same
role login: no findings; counting: ready; io-cores: not on offer'
	[[ $(<"$site/srun-called") != *--io-cores* ]]
	rm "$site/bin/srun"
	site --submit
	expect_status 3 '*T01 error: a job did not run: there is no srun in PATH*; counting: not ready (T01); io-cores: not on offer'
}

@test "with --submit a job that fails is a finding" {
	srun_says '' 1 "srun: unrecognized option '--io-cores=1'"
	site --submit
	expect_status 3 "T01 error: a job with --io-cores=1 did not run: srun: exit status 1: srun: unrecognized option '--io-cores=1'*(S14, S16)*: 1 error; counting: ready; io-cores: not ready (T01)"
	srun_says 'JOBIO-CHECK 7 n02 - -'
	site --submit
	expect_status 3 '*T02 error: job 7 ran on node n02 and does not know of its io-cores*cure: jobio check, on n02*: 1 error; *'
	rm "$site/bin/srun"
	site --submit
	expect_status 3 '*T01 error: a job with --io-cores=1 did not run: there is no srun in PATH*'
}

# hurry - the minute for which check waits for the ledger and for sacct, in steps of half a second,
# is over at once
hurry() {
	preload hurry.so '#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	static long slept_s;
	int clock_gettime(clockid_t id, struct timespec *t) { long rc = syscall(SYS_clock_gettime, id, t);
		if (!rc && id == CLOCK_MONOTONIC) t->tv_sec += slept_s; return rc; }
	int clock_nanosleep(clockid_t id, int flags, const struct timespec *t, struct timespec *rest) {
		struct timespec now; double s = t->tv_sec + t->tv_nsec / 1e9;
		if (flags) { clock_gettime(id, &now); s -= now.tv_sec + now.tv_nsec / 1e9; }
		if (s > 0.4) { slept_s += 10; return 0; }
		now.tv_sec = 0; now.tv_nsec = s > 0 ? (long)(s * 1e9) : 0;
		return (int)syscall(SYS_nanosleep, &now, rest); }'
	environment=("LD_PRELOAD=$asan $DIR/hurry.so" ASAN_OPTIONS=detect_leaks=0)
}

@test "with --submit a job without a record is a finding, and so is one without a summary" {
	hurry
	srun_says 'JOBIO-CHECK 8 n02 1 31,63'
	rm "$site/spool/8.0.n02.json"
	site --submit
	expect_status 3 $'*T03 error: the ledger has no record of job 8 after 60 s: *\n    cure: jobio check and jobio-send --once, on n02*: 1 error; counting: not ready (T03); *'
	srun_says 'JOBIO-CHECK 9 n02 1 31,63'
	sed -i 's/SystemComment=.*/SystemComment=/' "$site/bin/jobs"
	site --submit
	expect_status 3 $'*epilog   node n02 has left its record*T04 error: sacct has no summary of job 9 after 60 s\n    cure: jobio-ledgerd --check, as its user on its host*: 1 error; *'
}

@test "with --submit findings of the job's record are printed" {
	srun_says 'JOBIO-CHECK 10 n02 1 31,63'
	sed -i 's/"quality"/"findings":[{"code":"W46","severity":"info","text":"left out","cure":"ask for io-cores"},{"code":"W10","severity":"warning","text":"the client is slow","cure":"restart it"}],&/' "$site/spool/10.0.n02.json"
	site --submit
	expect_status 1 $'*W10 warning: job 10 on node n02: the client is slow\n    cure: restart it\nW46 info: job 10 on node n02: left out\n    cure: ask for io-cores\nrole login: 1 warning, 1 info; counting: ready; io-cores: ready'
}

# replayed FOLDER - make commands that print the output recorded in the bundle there
replayed() {
	local commands=("$1"/usr/{bin/weka,sbin/lctl,lpp/mmfs/bin/{mmdiag,mmpmon}})
	mkdir -p "${commands[@]%/*}"
	tee "${commands[@]}" >/dev/null <<-FAKE
		#!/bin/bash
		name=\$(printf '%s ' "\${0##*/}" "\$@")
		name=\$(sed -E 's/ \$//; s/[^A-Za-z0-9=.,+-]+/_/g' <<<"\$name")
		cat "$1/answers/\$name"
	FAKE
	chmod 755 "${commands[@]}"
}

# bundle_codes FOLDER - codes of the findings for an unpacked bundle
bundle_codes() {
	replayed "$1"
	env -i PATH="$PATH" "$BUILDDIR/jobio" check --role=node --host="$2" --root="$1" --json | jq -r '[.findings[].code | select(test("^(W|NF|LU|GP|N0)"))] | join(" ")'
}

# captured_node - a node with WEKA, Lustre and NFS, with names that must not be in a bundle
captured_node() {
	local samples=$SRCDIR/tests/samples
	mkdir -p proc/self proc/wekafs etc/wekaio
	cp "$samples/weka/service.conf" etc/wekaio
	cp "$(<"$DIR/topology")" topology.xml
	printf '%s\n' '/dev/sda1 / xfs rw 0 0' \
		'backend7.hpc.example.edu,10.9.8.7/projects /gpfs9/proj wekafs rw,relatime,writecache,container_name=c0ffee12client 0 0' \
		'10.9.8.9@o2ib:/work /lus/work lustre rw,flock 0 0' \
		'filer3.hpc.example.edu:/export/alice /home/alice nfs rw,vers=3,addr=10.9.8.8 0 0' >proc/self/mounts
	"$SRCDIR/tests/tools/lustre-tree" "$samples/lustre/get_param-2.17.txt" tree
	mkdir -p sys/fs sys/kernel/debug
	mv tree/sys sys/fs/lustre
	mv tree/debug sys/kernel/debug/lustre
	sed 's/"client"/"c0ffee12client"/' "$samples/weka/ps-4.4-ready.json" >answers/weka_local_ps_-J
	cp "$samples/weka/resources-4.4-two-frontends.json" answers/weka_local_resources_-C_c0ffee12client_-J
	cp answers/weka_local_resources_-C_c0ffee12client{_-J,_--stable_-J}
	sed 's/9f1b2c3d4e5fclient/c0ffee12client/' "$samples/weka/interface.txt" >proc/wekafs/interface
	echo 'AuthInfo = cred=sesame' >>answers/scontrol_-ao_show_config
	sed -i 's/= test/= ares/; s/= ctld/= athena.hpc.example.edu/' answers/scontrol_-ao_show_config
	sed -i 's/=batch/=longqueue/' answers/scontrol_-ao_show_partition
	printf '[ledger]\nhost=dbd.hpc.example.edu\nstorage_pass_file=/etc/sesame\n[client weka]\ntype=weka\n[client lus]\ntype=lustre\n' >etc/slurm/jobio.conf
	cp "$samples/gpfs/mmpmon-fs_io_s.txt" answers/mmpmon_-p_-s
	echo 'NodeName=n02 AutoDetect=nvml Name=gpu File=/dev/sesame' >etc/slurm/gres.conf
}

@test "a bundle of --capture has the data read on a node, without names, and gives the same findings" {
	local samples=$SRCDIR/tests/samples list codes sockets
	captured_node
	sockets=$root/opt/weka/external-mounts/local-sockets/c0ffee12client
	mkdir -p "$sockets"
	echo '{"jsonrpc":"2.0","id":1,"result":{"filesystems_summary":[{"name":"projects","uid":7}]}}' >"$sockets/get_local_config_summary"
	python3 "$SRCDIR/tests/sim/weka-socket" "$sockets" 3>&- &
	until [[ -S $sockets/container.sock ]]; do sleep 0.1; done
	run env -i "$BUILDDIR/jobio" check --role=node --host=n02 --root="$root" --capture "$root/b.tar.gz"
	kill %1
	expect_status 0 "$root/b.tar.gz: * files; * words were replaced."$'\n'"Look at it (tar -xzf *"
	mkdir bundle && tar -C bundle -xzf b.tar.gz
	list=$(find bundle -printf '%P\n'; find bundle -type f -exec cat {} +)
	run grep -noiE 'backend7|filer3|example|10\.9\.8|projects|alice|gpfs9|c0ffee|ares|athena|longqueue|sesame|\bdbd|n02|sda1|\bwork\b' <<<"$list"
	expect_status 1 ''
	grep -q '^198.18.0.1 ' bundle/replaced.txt
	grep -q '"name": "fs[0-9]*"' bundle/answers/weka_name*_get_local_config_summary
	grep -q '^_fs_io_s_ _n_ 198.18.0.[0-9]* _nn_ name[0-9]* _rc_ 0 .* _br_ 9007199254740992 ' bundle/answers/mmpmon_-p_-s
	[ "$(cat bundle/etc/slurm/{cgroup,gres}.conf)" = $'ConstrainCores=yes\nAutoDetect=nvml' ]
	grep -q "^198.18.[0-9.]*@o2ib:/fs[0-9] /name[0-9]*/fs[0-9] lustre" bundle/proc/self/mounts

	codes=$(bundle_codes "$root" n02)
	[[ -n $codes && $(bundle_codes "$PWD/bundle" host1) == "$codes" ]] || { bundle_codes "$PWD/bundle" host1; echo "$codes"; return 1; }
	[[ -z ${JOBIO_UPDATE:-} ]] || { cp b.tar.gz "$samples/bundles/stand-ins.tar.gz"; echo "$codes" >"$samples/bundles/stand-ins.codes"; }
}

@test "a bundle has none of a hundred secrets and names written anywhere on a node" {
	local seed found
	for seed in 1 $((EPOCHSECONDS / 86400)); do
		rm -rf "${root:?}" && cp -a "$DIR/copied" "$root" && cd "$root" && captured_node
		python3 "$SRCDIR/tests/scripts/plant.py" "$root" "$seed" 100 >"$site/planted"
		env -i "$BUILDDIR/jobio" check --role=node --host=n02 --root="$root" --capture "$site/b.tar.gz"
		rm -rf "$site/bundle" && mkdir "$site/bundle" && tar -C "$site/bundle" -xzf "$site/b.tar.gz"
		found=$( (find "$site/bundle" -printf '%P\n'; find "$site/bundle" -type f -exec cat {} +) | grep -oiFf "$site/planted" | sort -u)
		expect_equal '' "${found:+seed $seed: $found}"
	done
}

@test "each bundle in tests/samples/bundles has its recorded findings" {
	local bundle name
	for bundle in "$SRCDIR"/tests/samples/bundles/*.tar.gz; do
		name=${bundle##*/}
		mkdir "$root/$name" && tar -C "$root/$name" -xzf "$bundle"
		[[ -z ${JOBIO_UPDATE:-} ]] || bundle_codes "$root/$name" host1 >"${bundle%.tar.gz}.codes"
		diff "${bundle%.tar.gz}.codes" <(bundle_codes "$root/$name" host1)
	done
}

@test "JSON matches its schema, with and without findings" {
	site --json
	printf '%s\n' "$output" >"$site/lines"
	rm "$site/etc/jobio.conf"
	site --format=json
	printf '%s\n' "$output" >>"$site/lines"
	expect_status 3 '{"host":"n02","roles":\["node"\],"jobio":"jobio *","conf":null,"states":{"counting":"not ready (J01)","io-cores":"not ready (J01)"},"findings":\[{"code":"J01",*'
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/check.schema.json" <"$site/lines"
	expect_status 0 ''
}

