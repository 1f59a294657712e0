#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# jobio check on the copied files of a node that is in order, and then is not

# shellcheck disable=SC2030 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup() {
	root=$(mktemp -d "$BATS_TMPDIR/doctor.XXXXXX")
	machines=$(mktemp -d "$BATS_TMPDIR/machines.XXXXXX")
	cd "$root" || return 1
	mkdir -p etc/slurm/plugstack.conf.d etc/modprobe.d proc \
		sys/devices/system/cpu sys/module/i2c_i801
	cat >etc/slurm/slurm.conf <<-'CONF'
		ClusterName = test
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		AllowSpecResourcesUsage=YES
		TaskPlugin=task/affinity,task/cgroup
		TaskPluginParam=SlurmdOffSpec
		ProctrackType=proctrack/cgroup
		PrologFlags=Alloc,Contain
		Prolog=/usr/libexec/jobio/prolog
		Epilog=/usr/libexec/jobio/epilog
		PlugStackConfig=/etc/slurm/plugstack.conf
		include nodes.conf
		PartitionName=all Nodes=ALL OverSubscribe=FORCE:1 # comment
	CONF
	cat >etc/slurm/nodes.conf <<-'CONF'
		NodeName=DEFAULT RealMemory=256000 Reason="not yet"
		NodeName=n[01-04],m7 Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 \
		  CPUs=64 CpuSpecList=62-63 MemSpecLimit=5100
	CONF
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
	slurmd_may 812 0-30,32-62 812
	cat >slurmd <<-'SLURMD'
		#!/bin/bash
		[[ $1 == -C && $SLURM_CONF == */etc/slurm/slurm.conf ]] || exit 9
		printf 'NodeName=n02 CPUs=64 Boards=1 SocketsPerBoard=2\n'
	SLURMD
	chmod +x slurmd
}

# slurmd_may PID OS-CPUS PIDS-IN-NAMESPACES - a slurmd bound to these
slurmd_may() {
	mkdir -p "proc/$1"
	printf 'Name:\tslurmd\nNSpid:\t%s\nCpus_allowed_list:\t%s\nMems_allowed_list:\t0-1\n' \
		"$3" "$2" >"proc/$1/status"
}

teardown() {
	rm -rf "$root" "$machines"
}

doctor() {
	run env -i "$BUILDDIR/jobio" check --root="$root" --host=n02 \
		--topology="$(machine intel-2x16x2-block)" \
		--conf=/etc/slurm/jobio.conf --slurm-conf=/etc/slurm/slurm.conf \
		--client-cpus=31,63 --slurm-version=24.11 --slurmd="$root/slurmd" "$@"
}

# only CODE TEXT CURE - exactly this finding, and the exit status of its severity
only() {
	doctor
	[[ $output == *' error: '* && $status -eq 3 || $status -eq 1 ]] || { echo "$status: $output"; return 1; }
	[[ ${lines[${#lines[@]} - 1]} == '1 finding(s)' ]] || { echo "$output"; return 1; }
	[[ ${lines[0]} == "$1 "* && ${lines[0]} == *"$2"* ]] || { echo "$output"; return 1; }
	[[ ${lines[1]} == "    cure: "*"$3"* ]] || { echo "$output"; return 1; }
}

# change FILE SED-COMMAND
change() {
	sed -i "$2" "$1"
}

@test "check finds nothing on a node that is in order" {
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	doctor --format=json
	[[ $status -eq 0 && $output == '{"host":"n02","roles":["node"],"jobio":"jobio '*'","conf":"'*'","findings":[]}' ]]
}

@test "check: select/linear, also as the default of old versions" {
	change etc/slurm/slurm.conf 's/cons_tres/linear/'
	only S01 'SelectType is select/linear: --core-spec is ignored' SelectType=select/cons_tres
	change etc/slurm/slurm.conf '/^SelectType=/d'
	doctor --slurm-version=22.05
	[[ $status -eq 3 && $output == S01* ]]
	doctor --slurm-version=24.11
	[[ $status -eq 0 ]]
}

@test "check: AllowSpecResourcesUsage is missing" {
	change etc/slurm/slurm.conf /AllowSpec/d
	only S02 'Slurm drops every --core-spec' AllowSpecResourcesUsage=yes
}

@test "check: ConstrainCores is missing, or cgroup.conf" {
	echo '#' >etc/slurm/cgroup.conf
	only S03 'ConstrainCores is not set: taskset(1)' ConstrainCores=yes
	rm etc/slurm/cgroup.conf
	only S03 'there is none beside slurm.conf' ConstrainCores=yes
}

@test "check: plugins and flags that jobs and prolog need" {
	change etc/slurm/slurm.conf 's/,task.cgroup//'
	only S04 'TaskPlugin lacks task/cgroup' TaskPlugin=task/affinity,task/cgroup
	change etc/slurm/slurm.conf 's/^TaskPlugin=.*/TaskPlugin=task\/cgroup/'
	only S05 'tasks are not bound' task/affinity
}

@test "check: other words that Slurm takes for the same, and its defaults" {
	change etc/slurm/slurm.conf 's/^TaskPlugin=.*/TaskPlugin=affinity,cgroup/;s/Alloc,Contain/X11/;/^ProctrackType/d'
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "check: PrologFlags without Contain, or with RunInJob" {
	change etc/slurm/slurm.conf 's/Alloc,Contain/Alloc/'
	only S06 'PrologFlags lacks Contain' PrologFlags=Alloc,Contain
	change etc/slurm/slurm.conf 's/=Alloc/=Alloc,Contain,RunInJob/'
	only S07 'PrologFlags has RunInJob' 'take RunInJob out'
}

@test "check: spec_cores_first, no cgroups to track by, single threads" {
	echo 'SchedulerParameters=defer,spec_cores_first' >>etc/slurm/slurm.conf
	only S08 'begins with core 0' 'take spec_cores_first out'
	change etc/slurm/slurm.conf /spec_cores_first/d
	change etc/slurm/slurm.conf 's/proctrack.cgroup/proctrack\/linuxproc/'
	only S09 'processes can leave the job' proctrack/cgroup
	change etc/slurm/slurm.conf 's/linuxproc/cgroup/;s/CR_Core/CR_CPU/'
	only S10 'gives single hardware threads' CR_Core_Memory
}

@test "check: a spec set without SlurmdOffSpec" {
	change etc/slurm/slurm.conf /SlurmdOffSpec/d
	only S11 'slurmd and every prolog are confined to the spec set' TaskPluginParam=SlurmdOffSpec
}

@test "check: with SlurmdSpecOverride the spec set is not on the node line" {
	change etc/slurm/slurm.conf s/SlurmdOffSpec/SlurmdSpecOverride/
	slurmd_may 812 0-15 812
	doctor --slurm-version=25.05
	[[ $status -eq 1 && ${lines[0]} == 'C26 warning: TaskPluginParam=SlurmdSpecOverride: '* ]]
	[[ ${lines[2]} == '1 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "check: no prolog, no plugin, oversubscribed partitions" {
	change etc/slurm/slurm.conf /^Prolog=/d
	only S12 'no Prolog' Prolog=
	echo 'Prolog=/usr/libexec/jobio/prolog' >>etc/slurm/slurm.conf
	rm etc/slurm/plugstack.conf.d/jobio.conf
	only S14 'no line names jobio.so' 'optional jobio.so in /etc/slurm/plugstack.conf.d/jobio.conf'
	# Slurm's own packages: neither the file nor the folder
	rm -r etc/slurm/plugstack.conf*
	only S14 'plugstack.conf: there is no such file' 'optional jobio.so in /etc/slurm/plugstack.conf'
	# a copy of it that no line includes
	mkdir etc/slurm/plugstack.conf.d
	echo 'optional jobio.so' >etc/slurm/plugstack.conf.d/jobio.conf
	only S14 'there is no such file' 'include /etc/slurm/plugstack.conf.d/*.conf in /etc/slurm/plugstack.conf'
	: >etc/slurm/plugstack.conf
	only S14 'no line names jobio.so' 'include /etc/slurm/plugstack.conf.d/*.conf in /etc/slurm/plugstack.conf'
	rm -r etc/slurm/plugstack.conf.d
	only S14 'no line names jobio.so' 'optional jobio.so in /etc/slurm/plugstack.conf'
	echo 'optional jobio.so' >etc/slurm/plugstack.conf
	change etc/slurm/slurm.conf 's/FORCE:1/FORCE:4/'
	only S13 'partition all has OverSubscribe=FORCE' FORCE:1
}

@test "check: what a line says itself counts more than its DEFAULT" {
	change etc/slurm/slurm.conf 's/^PartitionName=all/PartitionName=DEFAULT OverSubscribe=FORCE\n&/'
	change etc/slurm/nodes.conf 's/^NodeName=DEFAULT/& MemSpecLimit=0/'
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	change etc/slurm/slurm.conf 's/FORCE:1/FORCE:12/'
	only S13 'partition all has OverSubscribe=FORCE' FORCE:1
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

@test "check: what plugstack.conf includes may lie beside it" {
	echo 'include plugstack.conf.d/*.conf' >etc/slurm/plugstack.conf
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
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

@test "check: a file of Slurm's that cannot be read" {
	echo nonsense >>etc/slurm/nodes.conf
	doctor
	[[ $output == *"S15 error: slurm.conf cannot be read: "*"nodes.conf:4: 'nonsense': must be KEY=VALUE"* ]]
	echo nonsense >etc/slurm/cgroup.conf
	rm etc/slurm/nodes.conf
	doctor
	[[ $output == *"S15 error: "*"cgroup.conf:1: 'nonsense'"* ]]
}

@test "check: CpuSpecList in Linux's numbers, known from the client" {
	change etc/slurm/nodes.conf 's/CpuSpecList=62-63/CpuSpecList=31,63/'
	doctor
	[[ $status -eq 3 ]]
	[[ $output == *"N05 error: CpuSpecList=31,63 is written in Linux's numbers; Slurm reads its own and reserves OS CPUs 15,31,47,63"*'cure: CpuSpecList=62-63'* ]]
	change etc/slurm/nodes.conf 's/CpuSpecList=31,63/CpuSpecList=20,52/'
	doctor --client-cpus=20,52
	[[ $output == *"N05 error: CpuSpecList=20,52 is written in Linux's numbers; Slurm reads its own and reserves OS CPUs 10,26,42,58"* ]]
	[[ $output == *'cure: CpuSpecList=40-41'* ]]
}

@test "check: CpuSpecList in Linux's numbers, seen by its shape" {
	change etc/slurm/nodes.conf 's/CpuSpecList=62-63/CpuSpecList=20,52/'
	doctor --client-cpus=
	[[ $output == *'N05 error: CpuSpecList=20,52'*'cure: CpuSpecList=40-41'* ]]
}

@test "check: the client is outside the spec set, or there is none" {
	doctor --client-cpus=30,62
	[[ $status -eq 3 && $output == *'N06 error: the client has OS CPUs 30,62 that are not in the spec set (31,63)'*'cure: CpuSpecList=60-61'* ]]
	change etc/slurm/nodes.conf 's/CpuSpecList=[^ ]*//;s/MemSpecLimit=[0-9]*//'
	slurmd_may 812 0-63 812
	only N07 'the client has OS CPUs 31,63 and the node has no spec set' CpuSpecList=62-63
	printf '[jobio]\ngate=enforce\n' >>etc/slurm/jobio.conf
	doctor
	[[ $output == 'N07 error: the client has OS CPUs 31,63 '* ]] || { echo "$output"; return 1; }
}

@test "check: core 0 in the spec set, no memory for the client" {
	change etc/slurm/nodes.conf 's/62-63/0-1,62-63/'
	printf '[option]\nio_cores_min=2\n' >>etc/slurm/jobio.conf
	only N08 'the spec set holds core 0' 'jobio plan'
	change etc/slurm/nodes.conf 's/0-1,62-63/62-63/;s/MemSpecLimit=[0-9]*//'
	only N09 'no MemSpecLimit' MemSpecLimit=
}

@test "check: the node line gives Slurm a part of the machine" {
	change etc/slurm/nodes.conf 's/CoresPerSocket=16/CoresPerSocket=12/; s/CPUs=64/CPUs=48/; s/62-63/46-47/'
	doctor --client-cpus=
	[[ $output == *"N04 warning: the node line gives Slurm 48 of the machine's 64 CPUs"*'cure: write the line that '*'slurmd -C'* ]] ||
		{ echo "$output"; return 1; }
}

@test "check: slurmd may not run on all CPUs that its jobs are given" {
	slurmd_may 812 0-29,32-61 812
	only N10 'slurmd may run on OS CPUs 0-29,32-61 only; 30,62 were taken from it' isolate_cpusets=false
	slurmd_may 812 0-63 812
	doctor
	[[ $status -eq 0 ]]
	# without SlurmdOffSpec it lives on the spec set: nothing follows from that
	change etc/slurm/slurm.conf /SlurmdOffSpec/d
	slurmd_may 812 31,63 812
	only S11 'confined to the spec set' SlurmdOffSpec
	# without a spec set it has all
	change etc/slurm/nodes.conf 's/CpuSpecList=[^ ]*//;s/MemSpecLimit=[0-9]*//'
	doctor --client-cpus=
	[[ $status -eq 3 && $output == 'N10 error: '*'may run on OS CPUs 31,63 only; 0-30,32-62 were taken from it'* ]] ||
		{ echo "$output"; return 1; }
}

@test "check finds slurmd by its pidfile, or by its name outside containers" {
	slurmd_may 700 0-29,32-62 '700 1'
	slurmd_may 900 0-28,32-62 900
	rm var/run/slurmd.pid
	slurmd_may 812 0-29,32-62 812
	doctor -v
	[[ $output == 'N10 error: slurmd may run on OS CPUs '*' (process 812)'* && $output == *'n02: 1 finding(s)' ]] || { echo "$output"; return 1; }
	echo 900 >var/run/slurmd-n02.pid
	echo 'SlurmdPidFile=/var/run/slurmd-%n.pid' >>etc/slurm/slurm.conf
	doctor --verbose
	[[ $output == *' (process 900)'* ]] || { echo "$output"; return 1; }
	sed -i s/slurmd/sshd/ proc/900/status proc/812/status
	only N11 'no slurmd runs here: whether it may use all CPUs is not known' 'start slurmd'
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

@test "check: slurmd counts fewer CPUs than the kernel has" {
	sed -i s/CPUs=64/CPUs=62/ slurmd
	only N03 "slurmd sees 62 CPUs ($root/slurmd -C); the kernel has 64 online" isolate_cpusets=false
	printf '#!/bin/bash\necho slurmd: fatal: no >&2\nexit 1\n' >slurmd
	only N12 "slurmd cannot say what it sees: $root/slurmd -C: exit status 1: slurmd: fatal: no" 'by hand'
}

@test "check: slurmd was started when CPUs were hidden" {
	mkdir -p var/spool/slurmd
	cp "$(machine x86-1x8x2-adjacent)" var/spool/slurmd/hwloc_topo_whole.xml
	only N03 'slurmd did not see, when it was started, OS CPUs 16-63 that the kernel has online: it counts and numbers only 0-15' 'then start slurmd again'
	doctor --slurm-version=25.05
	[[ $status -eq 0 ]]
}

@test "check: the copied topology lacks CPUs that the kernel had online" {
	echo 0-71 >sys/devices/system/cpu/online
	sed -i s/CPUs=64/CPUs=72/ slurmd
	slurmd_may 812 0-30,32-62,64-71 812
	only N03 'the file of --topology does not have OS CPUs 64-71 that the kernel has online' isolate_cpusets=false
}

@test "check: a node line that contradicts the machine" {
	change etc/slurm/nodes.conf 's/Sockets=2/Sockets=1/;s/CPUs=64/CPUs=32/;s/62-63/30-31/'
	doctor --client-cpus=
	[[ $output == *'C10 warning: the node record says CPUs=32 Boards=1 Sockets=1 '*', slurmd finds CPUs=64 '* ]]
	change etc/slurm/nodes.conf 's/CPUs=32/CPUs=1000000/'
	doctor
	[[ $output == *"N01 error: slurm.conf: node line: CPUs: '1000000'"* ]]
}

@test "check: a node line that gives Slurm some of the machine's CPUs" {
	change etc/slurm/nodes.conf 's/CoresPerSocket=16/CoresPerSocket=12/;s/CPUs=64/CPUs=48/;s/62-63/46-47/'
	doctor
	[[ $output == *"N04 warning: the node line gives Slurm 48 of the machine's 64 CPUs"$'\n'"    cure: write the line that \`slurmd -C\` prints"* ]] || { echo "$output"; return 1; }
	# a CPU for each core is a choice
	change etc/slurm/nodes.conf 's/CoresPerSocket=12/CoresPerSocket=16/;s/CPUs=48/CPUs=32/;s/46-47/31/'
	doctor
	[[ $output != *N04* ]] || { echo "$output"; return 1; }
}

@test "check: the host is not in slurm.conf" {
	doctor --host=n05
	[[ $status -eq 1 && $output == *'N02 warning: slurm.conf: no NodeName line for this host'* ]]
	doctor --host=m7
	[[ $status -eq 0 ]]
	doctor --host=n1
	[[ $output == *N02* ]]
}

@test "check: kernel parameters and the SMBus driver" {
	echo 'tsc=reliable nomodeset clocksource=tscx' >proc/cmdline
	only K01 'started without clocksource=tsc intel_iommu=off intel_idle.max_cstate=0 processor.max_cstate=0 numa_balancing=disable' clocksource=tsc
	echo 'vendor_id : AuthenticAMD' >proc/cpuinfo
	only K01 'started without clocksource=tsc processor.max_cstate=0 numa_balancing=disable' numa_balancing=disable
	echo 'clocksource=tsc tsc=reliable nomodeset processor.max_cstate=0 numa_balancing=disable' >proc/cmdline
	rm etc/modprobe.d/i2c.conf
	only K02 'i2c_i801 is loaded with its interrupt' 'options i2c_i801 disable_features=0x10'
}

@test "check: what the kernel does counts more than its command line" {
	local cpu=sys/devices/system/cpu clock=sys/devices/system/clocksource/clocksource0
	echo 'tsc=reliable nomodeset' >proc/cmdline
	mkdir -p $clock proc/sys/kernel sys/kernel/iommu_groups/{0,1}
	echo tsc >$clock/current_clocksource
	echo 0 >proc/sys/kernel/numa_balancing
	echo identity | tee sys/kernel/iommu_groups/{0,1}/type
	for n in 31 63; do
		mkdir -p $cpu/cpu$n/cpuidle/state{0,1,2}
		echo 0 | tee $cpu/cpu$n/cpuidle/state{0,1,2}/disable $cpu/cpu$n/cpuidle/state0/latency
		echo 2 >$cpu/cpu$n/cpuidle/state1/latency
		echo 133 >$cpu/cpu$n/cpuidle/state2/latency
		echo C6 >$cpu/cpu$n/cpuidle/state2/name
	done
	only K04 'CPUs 31,63 of the client may sleep in C6, from which it takes 133 us' 'cpupower -c 31,63 idle-set -D 10, at each boot; or for all CPUs intel_idle.max_cstate=0'
	echo 'vendor_id : AuthenticAMD' >proc/cpuinfo
	echo 1 >$cpu/cpu31/cpuidle/state2/disable
	only K04 'CPUs 63 of the client' 'for all CPUs processor.max_cstate=1'
	echo 1 >$cpu/cpu63/cpuidle/state2/disable
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	echo hpet >$clock/current_clocksource
	only K03 "the clock of the kernel is 'hpet'" 'clocksource=tsc tsc=reliable'
	echo tsc >$clock/current_clocksource
	echo 1 >proc/sys/kernel/numa_balancing
	only K05 'moves pages between NUMA nodes' 'sysctl kernel.numa_balancing=0'
	echo 0 >proc/sys/kernel/numa_balancing
	echo DMA-FQ >sys/kernel/iommu_groups/1/type
	only K06 'each access of 1 of 2 groups' 'iommu=pt'
}

@test "check: hyper-threading is said, and is no fault" {
	mkdir -p sys/devices/system/cpu/smt
	echo 1 >sys/devices/system/cpu/smt/active
	doctor
	[[ $status -eq 0 && ${lines[0]} == 'K07 info: hyper-threading is on: '* ]] || { echo "$output"; return 1; }
}

@test "check: hugepages that no client could take" {
	local huge=sys/kernel/mm/hugepages
	mkdir -p $huge/hugepages-{2048,1048576}kB
	echo 4 | tee $huge/hugepages-1048576kB/{nr,free}_hugepages
	echo 0 >$huge/hugepages-1048576kB/resv_hugepages
	echo 1000 >$huge/hugepages-2048kB/resv_hugepages
	echo 1752 >$huge/hugepages-2048kB/free_hugepages
	doctor
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	echo 1753 >$huge/hugepages-2048kB/free_hugepages
	doctor
	[[ $status -eq 0 && ${lines[0]} == 'K10 info: 5602 MiB of hugepages are set aside, and nobody has taken them'* ]] ||
		{ echo "$output"; return 1; }
	[[ ${lines[1]} == *'fewer vm.nr_hugepages: 1400 MiB a core, for at most 4 cores' ]]
}

@test "check: irqbalance is told of the client's CPUs" {
	mkdir -p proc/900 etc/default etc/sysconfig
	printf 'Name:\tirqbalance\nNSpid:\t900\n' >proc/900/status
	only K08 'irqbalance may put interrupts on CPUs 31,63' 'IRQBALANCE_BANNED_CPULIST=31,63 in'
	echo 'IRQBALANCE_BANNED_CPUS="80000000"' >etc/sysconfig/irqbalance
	only K08 'on CPUs 63,' 'IRQBALANCE_BANNED_CPULIST=31,63 in'
	echo 'IRQBALANCE_BANNED_CPUS=80000000,80000000' >etc/sysconfig/irqbalance
	doctor
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
	echo '#IRQBALANCE_BANNED_CPULIST=31,63' >etc/sysconfig/irqbalance
	only K08 'on CPUs 31,63' IRQBALANCE_BANNED_CPULIST
	echo ' IRQBALANCE_BANNED_CPULIST=63' >etc/default/irqbalance
	echo 31 >sys/devices/system/cpu/isolated
	doctor
	[[ $status -eq 0 ]] || { echo "$output"; return 1; }
}

@test "check: kernel parameters matter only where a client polls" {
	echo nothing >proc/cmdline
	rm etc/modprobe.d/i2c.conf
	doctor --client-cpus=
	[[ $status -eq 0 && $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
}

@test "check: the units of a node with systemd are not enabled" {
	mkdir -p run/systemd/system usr/lib/systemd/system
	doctor
	[[ $output == '0 finding(s)' ]] || { echo "$output"; return 1; }
	touch usr/lib/systemd/system/jobio-{recover.service,send.path,send.timer}
	mkdir -p etc/systemd/system/{timers,slurmd.service}.wants
	ln -s /nowhere etc/systemd/system/timers.wants/jobio-send.timer
	ln -s /nowhere etc/systemd/system/slurmd.service.wants/jobio-send.path
	only H04 'jobio-recover.service is not enabled: what a crash left changed' 'systemctl enable --now jobio-recover.service'
	ln -s /nowhere etc/systemd/system/slurmd.service.wants/jobio-recover.service
	rm etc/systemd/system/slurmd.service.wants/jobio-send.path
	only H04 'jobio-send.path is not enabled: records wait for the timer' 'systemctl enable --now jobio-send.path'
	ln -s /nowhere etc/systemd/system/slurmd.service.wants/jobio-send.path
	rm etc/systemd/system/timers.wants/jobio-send.timer
	only H04 'jobio-send.timer is not enabled: records' 'systemctl enable --now jobio-send.timer'
}

@test "check: jobio.conf is missing, wrong, or has no client for the node" {
	printf '[ledger]\nhost=dbd\n[jobio]\n' >etc/slurm/jobio.conf
	only J02 'jobio.conf: no client section is for this node' '[client NAME]'
	echo 'gate=sometimes' >>etc/slurm/jobio.conf
	only J01 "jobio.conf:4: [jobio] gate: 'sometimes'" 'jobio.conf(5)'
	rm etc/slurm/jobio.conf
	only J01 'cannot read: No such file' 'jobio.conf(5)'
}

@test "check prints findings as JSON too" {
	change etc/slurm/slurm.conf /AllowSpec/d
	doctor --format=json
	[[ $status -eq 3 && $output == *'"findings":[{"code":"S02","severity":"error","text":"slurm.conf: AllowSpec'*'"cure":"AllowSpecResourcesUsage=yes"}]}' ]]
}

@test "check's JSON holds to its schema, with findings and without" {
	doctor --format=json
	printf '%s\n' "$output" >lines
	change etc/slurm/slurm.conf /AllowSpec/d
	rm etc/slurm/jobio.conf
	doctor --format=json
	printf '%s\n' "$output" >>lines
	[[ $(wc -l <lines) -eq 2 && $output == *'"conf":null'* && $output == *'"code":"S02"'* ]]
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/check.schema.json" <lines
	[[ $status -eq 0 && -z $output ]] || { echo "$output"; return 1; }
	run python3 "$SRCDIR/tests/scripts/schema_check.py" "$SRCDIR/etc/check.schema.json" < <(sed 's/"S02"/"2"/; s/"host"/"new"/' lines)
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
