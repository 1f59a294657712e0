#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# jobio check: the rows of tests/cases/check.cases, on a site with a real munged and a real ledger and on
# the copied files of a node; and what is no row: plugins that are loaded, jobs, roles, who hangs

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"
# shellcheck source=tests/scripts/ledger.bash
. "$SRCDIR/tests/scripts/ledger.bash"

# The machine, munged, the ledger and the site are made once; each test works on
# a copy of the site.
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
	# the folder of Slurm's own plugins, and of its library
	for plugins in /usr/lib/*/slurm-wlm /usr/lib64/slurm; do
		[[ ! -e $plugins/libslurmfull.so ]] || break
	done
}

# answers DIR - what slurmctld 24.11 says of a site in order; slurmctld 22.05 was asked for their form
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

# site_make DIR - its files: Slurm's, jobio's, helpers, Slurm's commands. Linux takes
# 0.0.0.0 for this host, and nobody takes it for localhost.
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
		run_dir = $1/run
		spool_dir = $1/spool
		[client home]
		type = nfs
		mount_table = $1/etc/mounts
		mountinfo = $1/etc/mountinfo
		mountstats = $1/etc/mountstats
		bdi_dir = $1/etc/bdi
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
	mkdir -p etc/bdi/0:60
	echo 128 >etc/bdi/0:60/read_ahead_kb
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
			'-ao show node n0'[1-4]) sed "s/n02/\${*##* }/g" "$1/etc/node" ;;
			'-ao show node '*) echo "Node \${*##* } not found"; exit 1 ;;
			'-ao show partition') cat "$1/etc/partition" ;;
			'show aliases '*) ;;
			*) exit 9 ;;
		esac
	FAKE
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

# copied_make DIR - the files of a node that is in order, and what commands said there
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
		TaskPluginParam=SlurmdOffSpec
		Prolog=/usr/libexec/jobio/prolog \
		  # continued with nothing
		Epilog=/usr/libexec/jobio/epilog
		include nodes.conf
	CONF
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
	echo 'BOOT_IMAGE=/vmlinuz clocksource=tsc tsc=reliable nomodeset intel_iommu=off intel_idle.max_cstate=0 processor.max_cstate=0 numa_balancing=disable' >proc/cmdline
	echo 'vendor_id : GenuineIntel' >proc/cpuinfo
	echo 0-63 >sys/devices/system/cpu/online
	mkdir -p var/run proc/812
	echo 812 >var/run/slurmd.pid
	printf 'Name:\tslurmd\nNSpid:\t812\nCpus_allowed_list:\t0-30,32-62\nMems_allowed_list:\t0-1\n' >proc/812/status
	printf 'NodeName=n02 CPUs=64 Boards=1 SocketsPerBoard=2\n' >answers/slurmd_-C
}

# site OPTION... - what jobio check says of it, as this role; sets $lines
site() {
	run env -i PATH="$site/bin:/usr/bin:/bin" "${environment[@]}" "$BUILDDIR/jobio" check --role="$role" --host=n02 \
		--conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" \
		--topology="$(<"$DIR/topology")" --slurm-version=24.11 "$@"
}

# edit FILE SED
edit() { sed -i "$2" "$site/etc/$1"; }
# conf SED, conf_has LINE - of jobio.conf
conf() { edit jobio.conf "$1"; }
conf_has() { printf '%b\n' "$1" >>"$site/etc/jobio.conf"; }
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$site/$1"; chmod 755 "$site/$1"; }
old() { mkdir -p "${1%/*}"; touch -d '1 hour ago' "$1"; }

# preload NAME SOURCE - a library for LD_PRELOAD, as $DIR/NAME
preload() { "${CC:-cc}" -x c -shared -fPIC -o "$DIR/$1" - <<<"$2"; }

@test "each row of check.cases has the findings that it says, with their cures, and their exit status" {
	export PLUGINS=$plugins
	run python3 "$SRCDIR/tests/cases/check.py" "$SRCDIR/tests/cases/check.cases" "$DIR/site" "$DIR/copied"
	[[ ${lines[-1]} =~ ^([0-9]+)' rows, 0 wrong'$ && ${BASH_REMATCH[1]} -ge 190 ]] || { echo "$output"; return 1; }
}

@test "nobody who hangs holds it up" {
	fake bin/scontrol 'exec sleep 60'
	fake libexec/jobio-count 'exec sleep 60'
	role=node,ctld
	SECONDS=0
	site
	[[ $status -eq 3 && $output == *'2 finding(s)' && $SECONDS -lt 25 ]] || { echo "$SECONDS: $output"; return 1; }
	[[ $output == *"S21 error: slurmctld does not answer: "*"$site/bin/scontrol"*"5000 ms"* ]] || { echo "$output"; return 1; }
	[[ $output == *"H02 warning: "*"jobio-count"*"5000 ms"* ]] || { echo "$output"; return 1; }
}

@test "a clock that differs from the ledger's is told in seconds" {
	preload clock.so '#include <time.h>
	time_t time(time_t *t) { struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_sec -= 100; if (t) *t = ts.tv_sec; return ts.tv_sec; }'
	slow() {
		run env -i PATH="$site/bin:/usr/bin:/bin" LD_PRELOAD="$DIR/clock.so" \
			ASAN_OPTIONS=verify_asan_link_order=0 "$BUILDDIR/jobio" check \
			--role=login --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf" "$@"
	}
	slow
	[[ $status -eq 1 && $output == "L06 warning: this host's clock is behind the ledger's: records have wrong times, and from 300 s on MUNGE refuses them"$'\n'* ]] ||
		{ echo "$output"; return 1; }
	slow -v
	[[ $status -eq 1 && $output =~ "MUNGE refuses them ("(99|100|101)" s)"$'\n' ]] ||
		{ echo "$output"; return 1; }
}

@test "roles are found by what runs on the host and by slurm.conf" {
	mkdir -p "$site/root/proc/"{7,8,9} "$site/root/etc/slurm" "$site/root$site"
	cp "$site/etc/slurm.conf" "$site/root/etc/slurm"
	roles() {
		run env -i "$BUILDDIR/jobio" check --format=json --root="$site/root" --host="$1" --topology="$(<"$DIR/topology")"
		[[ $output == *"\"roles\":[$2]"* ]] || { echo "$output"; return 1; }
	}
	roles n02 '"node"'
	roles login1 '"login"'
	roles ctld '"ctld"'
	printf 'Name:\tjobio-ledgerd\nNSpid:\t7\n' >"$site/root/proc/7/status"
	roles n02 '"node","ledger"'
	roles x '"ledger"'
	printf 'Name:\tslurmctld-wlm\n' >"$site/root/proc/8/status"
	printf 'Name:\tslurmd\nNSpid:\t9\t1\n' >"$site/root/proc/9/status"
	roles x '"ctld","ledger"'
	run "$BUILDDIR/jobio" check --role=nod
	[[ $status -eq 2 && $output == "jobio: check: --role: 'nod': expected login, node, ctld or ledger" ]]
}

@test "what is no fault is shown, but not with --quiet" {
	cp "$(<"$DIR/topology")" "$site/topology"
	chmod 755 "$site"
	as_nobody() {
		run setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH="$site/bin:/usr/bin:/bin" \
			"$BUILDDIR/jobio" check --role=node --host=n02 --conf="$site/etc/jobio.conf" \
			--slurm-conf="$site/etc/slurm.conf" --topology="$site/topology" --slurm-version=24.11 "$@"
	}
	as_nobody
	[[ $output == *'H05 info: not run as root'* ]] || { echo "$output"; return 1; }
	as_nobody --quiet
	[[ $output != *info* && $output != *'finding(s)'* ]] || { echo "$output"; return 1; }
}

@test "equal nodes print equal lines" {
	local first
	conf 's/^type = nfs/&\nnodes = m1/'
	conf_has '[option]\nio_cores_max=32'
	old "$site/spool/7.0.n02.json"
	site
	first=$output
	[[ $status -eq 1 && $output == *J02*J08*L07* ]] || { echo "$output"; return 1; }
	old "$site/spool/8.0.n03.json"
	site --host=n03
	[[ $output == "$first" ]] || { diff <(echo "$first") <(echo "$output"); return 1; }
	site --host=n03 -v
	[[ $output == *'records wait in '*' (2 of at most '*'n03: '*' finding(s)' ]] || { echo "$output"; return 1; }
}

# srun_says OUTPUT [STATUS] - of the job, whatever it was asked for; a record of
# the job on n02 goes to the ledger as its epilog would do it
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
	cp "$BUILDDIR/jobio-send" "$site/bin"
	role=login
}

@test "with --submit a job says what each part did for it" {
	srun_says 'JOBIO-CHECK 7 n02 1 31,63'
	site --submit --partition=test
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
	[[ $output == 'option   srun took --io-cores=1: job 7 on node n02
prolog   Slurm keeps CPUs 31,63 for the client
gate     the task may start, and knows of them
epilog   node n02 has left its record
ledger   jobio/1 '*' nodes=1/1 '*'
report   sacct shows the same
0 finding(s)' ]] || { echo "$output"; return 1; }
	[[ $(<"$site/srun-called") == '--job-name=jobio-check --nodes=1 --ntasks=1 --time=1 --immediate=60 --io-cores=1 --partition=test /bin/sh -c '* ]]
	site --submit --quiet
	[[ $status -eq 0 && -z $output ]]
}

@test "with --submit what did not work is a finding" {
	srun_says '' 1 "srun: unrecognized option '--io-cores=1'"
	site --submit
	[[ $status -eq 3 && $output == *"T01 error: a job with --io-cores=1 did not run: srun ended with 1: srun: unrecognized option '--io-cores=1'"*'1 finding(s)' ]] || { echo "$output"; return 1; }
	srun_says 'JOBIO-CHECK 7 n02 - -'
	site --submit
	[[ $status -eq 3 && $output == *'T02 error: job 7 ran on node n02 and does not know of its io-cores'*'1 finding(s)' ]] || { echo "$output"; return 1; }
	rm "$site/bin/srun"
	run env -i PATH="$site/bin" "$BUILDDIR/jobio" check --submit --role=login --conf="$site/etc/jobio.conf" --slurm-conf="$site/etc/slurm.conf"
	[[ $output == *'T01 error: a job did not run: there is no srun in PATH'* ]] || { echo "$output"; return 1; }
}

# hurry - the minute that check waits for the ledger and for sacct, half a second and
# half a second, is over at once
hurry() {
	preload hurry.so '#define _GNU_SOURCE
	#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	static long slept_s;
	int nanosleep(const struct timespec *t, struct timespec *rest) {
		if (t->tv_nsec != 500000000) return (int)syscall(SYS_nanosleep, t, rest);
		slept_s += 10; return 0; }
	int clock_gettime(clockid_t id, struct timespec *t) { long rc = syscall(SYS_clock_gettime, id, t);
		if (!rc && id == CLOCK_MONOTONIC) t->tv_sec += slept_s; return rc; }'
	environment=("LD_PRELOAD=$DIR/hurry.so" ASAN_OPTIONS=verify_asan_link_order=0)
}

@test "with --submit a job whose record does not come is a finding, and so is one without a summary" {
	hurry
	srun_says 'JOBIO-CHECK 8 n02 1 31,63'
	rm "$site/spool/8.0.n02.json"
	site --submit
	[[ $status -eq 3 && $output == *'T03 error: the ledger has no record of job 8 after 60 s: '*$'\n'"    cure: on that node: epilog (S12, S17), ledger (L02 to L05), and jobio-send --once"* &&
		$output == *'1 finding(s)' ]] || { echo "$output"; return 1; }
	srun_says 'JOBIO-CHECK 9 n02 1 31,63'
	sed -i 's/SystemComment=.*/SystemComment=/' "$site/bin/jobs"
	site --submit
	[[ $status -eq 3 && $output == *'epilog   node n02 has left its record'* &&
		$output == *'T04 error: sacct has no summary of job 9 after 60 s: its row has none'$'\n'"    cure: jobio-ledgerd --check as its user, on its host"* &&
		$output == *'1 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "with --submit the findings in the job's record are findings" {
	srun_says 'JOBIO-CHECK 10 n02 1 31,63'
	sed -i 's/"quality"/"findings":[{"code":"W46","severity":"info","text":"left out","cure":"ask for io-cores"},{"code":"W10","severity":"warning","text":"the client is slow","cure":"restart it"}],&/' "$site/spool/10.0.n02.json"
	site --submit
	[[ $status -eq 1 && $output == *'W46 info: job 10 on node n02: left out'$'\n''    cure: ask for io-cores'* &&
		$output == *'W10 warning: job 10 on node n02: the client is slow'$'\n''    cure: restart it'*'2 finding(s)' ]] || { echo "$output"; return 1; }
}

# plugin_of LINE - what check says of jobio.so on this very machine, with this
# line in plugstack.conf and Slurm's plugins in $root/plugins
plugin_of() {
	printf '%s\n' "$1" >etc/slurm/plugstack.conf.d/jobio.conf
	sed -i "s:\([= ]\)/etc/slurm/plugstack:\1$root/etc/slurm/plugstack:" etc/slurm/slurm.conf etc/slurm/plugstack.conf
	grep -q ^PluginDir etc/slurm/slurm.conf || echo "PluginDir=/nowhere:$root/plugins" >>etc/slurm/slurm.conf
	run env -i "$BUILDDIR/jobio" check --host=n02 \
		--conf="$root/etc/slurm/jobio.conf" --slurm-conf="$root/etc/slurm/slurm.conf" --client-cpus=31,63 --slurm-version=24.11
	# shellcheck disable=SC2031
	said=$(grep -A1 '^S1[46]' <<<"$output" || :)
}

# plugin_c NAME TEXT - a plugin of this text in $root/plugins
plugin_c() {
	mkdir -p plugins
	printf '#include <stdint.h>\nconst char plugin_type[] = "spank";\n%s\n' "$2" |
		"${CC:-cc}" -x c -shared -fPIC -o "plugins/$1" -
}

@test "check: jobio.so is not where Slurm looks" {
	mkdir plugins
	plugin_of 'optional jobio.so'
	[[ $said == *"S16 error: jobio.so: it is not there, in /nowhere:$root/plugins: jobs have no --io-cores"* ]]
	[[ $said == *'--with-slurm-plugindir=/nowhere'* ]]
	plugin_of "required /no/such/jobio.so conf=/x"
	[[ $said == *'S16 error: /no/such/jobio.so: it is not there: jobs'* ]]
}

@test "check: jobio.so is there, and Slurm would not take it" {
	local wrong='const uint32_t plugin_version = 0x160508;'
	plugin_c libslurmfull.so 'int slurm_error(void) { return 0; }'
	plugin_c auth_munge.so 'const uint32_t plugin_version = 0x180b05;'
	plugin_c jobio.so "const uint32_t plugin_version = 0x180b01; int slurm_error(void); int f(void) { return slurm_error(); }"
	plugin_of 'optional jobio.so'
	[[ -z $said ]] || { echo "$said"; return 1; }
	plugin_c jobio.so "$wrong"
	plugin_of 'optional jobio.so'
	[[ $said == *"S16 error: $root/plugins/jobio.so: it was built for Slurm 22.05, and Slurm here is 24.11, which refuses it: "* ]]
	# any plugin of Slurm's own says which it is
	mv plugins/auth_munge.so plugins/task_affinity.so
	plugin_of 'optional jobio.so'
	[[ $said == *'built for Slurm 22.05, and Slurm here is 24.11'* ]]
	plugin_c jobio.so 'int spank_nosuch(void); int f(void) { return spank_nosuch(); }'
	plugin_of "optional $root/plugins/jobio.so"
	[[ $said == *'it cannot be loaded: '*'undefined symbol: spank_nosuch'* ]]
	# an ELF file of 32 bits
	plugin_c jobio.so "$wrong"
	printf '\001' | dd of=plugins/jobio.so bs=1 seek=4 conv=notrunc status=none
	plugin_of 'optional jobio.so'
	[[ $said == *'it cannot be loaded: '*'wrong ELF class'* ]]
	echo text >plugins/jobio.so
	plugin_of 'optional jobio.so'
	[[ $said == *'it cannot be loaded: '* ]]
	plugin_c jobio.so '__attribute__((constructor)) static void f(void) { __builtin_trap(); }'
	plugin_of 'optional jobio.so'
	[[ $said == *'to load it ends a program'* ]]
}

@test "check: the jobio.so that was built here is one that Slurm takes" {
	local dir
	for dir in /usr/lib/*/slurm-wlm /usr/lib64/slurm; do
		[[ ! -e $dir/libslurmfull.so ]] || break
	done
	cp "$BUILDDIR/.libs/jobio.so" .
	echo "PluginDir=$dir" >>etc/slurm/slurm.conf
	plugin_of "optional $root/jobio.so"
	[[ -z $said ]] || { echo "$said"; return 1; }
}

# called NAME - what a node is called where nobody says it
# shellcheck disable=SC2031 # bats sets output
called() {
	run env -i "$BUILDDIR/jobio" check --root="$root" --slurm-conf=/etc/slurm/slurm.conf \
		--topology="$(machine intel-2x16x2-block)" --format=json
	[[ $output == '{"host":"'"$1"'"'* ]] || { echo "$output"; return 1; }
}

@test "check goes by the name that slurmd was given, which need not be its host's" {
	called "$(hostname -s)"
	printf '%s\0' /usr/sbin/slurmd -D -b -N n02 >proc/812/cmdline
	called n02
	printf '%s\0' slurmd -Nn02 >proc/812/cmdline
	called n02
	printf '%s\0' slurmd -N n01 -Nn02 -D >proc/812/cmdline
	called n02
	printf '%s\0' slurmd -D -N >proc/812/cmdline
	called "$(hostname -s)"
}

@test "JSON holds to its schema, with findings and without" {
	site --format=json
	printf '%s\n' "$output" >"$site/lines"
	rm "$site/etc/jobio.conf"
	site --format=json
	printf '%s\n' "$output" >>"$site/lines"
	[[ $output == '{"host":"n02","roles":["node"],"jobio":"jobio '*'","conf":null,"findings":[{"code":"J01",'* ]] || { echo "$output"; return 1; }
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/check.schema.json" <"$site/lines"
	[[ $status -eq 0 && -z $output ]] || { echo "$output"; return 1; }
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/check.schema.json" < <(sed 's/"J01"/"2"/; s/"host"/"new"/' "$site/lines")
	[[ $status -eq 1 && $output == *': no host'* && $output == *": '2' does not match"* ]] || { echo "$output"; return 1; }
}

@test "check refuses bad usage with exit 2 and one sentence" {
	local try
	for try in --nosuch word --format=xml --client-cpus=x --slurm-version=x --root=/tmp --slurmd=slurmd \
		--slurm-version=26.11 --conf= --host= --topology=/nosuch.xml; do
		run env -i "$BUILDDIR/jobio" check "$try"
		[[ $status -eq 2 ]] || { echo "$try: $status $output"; return 1; }
		[[ ${#lines[@]} -eq 1 && $output == 'jobio: check: '* ]] || { echo "$try: $output"; return 1; }
	done
	run env -i "$BUILDDIR/jobio" check --root=/tmp
	[[ $output == 'jobio: check: --root: give the machine of these files with --topology' ]]
	run env -i "$BUILDDIR/jobio" check --slurmd=slurmd
	[[ $output == "jobio: check: --slurmd: 'slurmd': must be an absolute path" ]]
	run "$BUILDDIR/jobio" check --help
	[[ $status -eq 0 && $output == *'Exit status'* ]]
}
