#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cores.bats - jobio cores, as an administrator calls it

# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup_file() {
	machines=$BATS_FILE_TMPDIR
	export machines
}

cores() {
	run env -i "$BUILDDIR/jobio" cores "$@"
}

# table - rows on stdin: machine | node line | other options | exit status | parts of the output,
# separated by "..."; "!" before a part that must not occur
table() {
	local machine node options status_wanted parts part rest before
	while IFS='|' read -r machine node options status_wanted parts; do
		read -r machine <<<"$machine"
		read -ra options <<<"$options"
		read -r node <<<"$node"
		[[ -e $machines/$machine.xml ]] || machine "$machine" >/dev/null || return
		cores --topology="$machines/$machine.xml" ${node:+"--node=$node"} "${options[@]}"
		rest=$output before=$machine\ $node\ ${options[*]}
		[[ $status -eq $status_wanted ]] || { printf '%s: %s\n%s\n' "$before" "$status" "$output"; return 1; }
		while [[ $parts == *[![:space:]]* ]]; do
			part=${parts%%...*}
			[[ $parts == *...* ]] && parts=${parts#*...} || parts=''
			part=${part# } part=${part% }
			if [[ $part == '!'* ]]; then
				[[ $output != *"${part#!}"* ]]
			else
				[[ $rest == *"$part"* ]]
			fi || { printf '%s: %s\n%s\n' "$before" "$part" "$output"; return 1; }
			rest=${rest#*"$part"}
		done
	done
}

smt='CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2'

@test "cores prints Slurm's and Linux's numbers as one JSON object" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt" --core-spec=1 --format=json
	[[ $status -eq 0 ]]
	[[ $output == '{"abstract_cores":"31","abstract_cpus":"62-63","os_cpus":"31,63","class":"regular","findings":[]}' ]]
}

@test "cores uses spec set, thread-spec, spec_cores_first, version and parameters" {
	table <<-END
		intel-2x16x2-block | $smt CoreSpecCount=2 | --format=json | 0 | "os_cpus":"15,31,47,63"
		intel-2x16x2-block | $smt | --core-spec=2 --spec-cores-first --format=json | 0 | "os_cpus":"0,16,32,48"
		x86-1x8x1-block | CPUs=8 CoresPerSocket=8 | --thread-spec=1 --format=json | 0 | "os_cpus":"7"
		ibm-power9-2x22x4-adjacent | | --core-spec=1 --format=json | 0 | "os_cpus":"172-175","class":"regular"
		intel-2x16x2-block | CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=1 CoreSpecCount=1 | --slurm-version=22.05 --format=json | 3 | "os_cpus":"47"
		intel-2x16x2-block | CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=1 CoreSpecCount=1 | --slurm-version=23.11 --format=json | 3 | "os_cpus":"31"
		amd-2x96x2-nps4-block | CPUs=384 Sockets=8 CoresPerSocket=24 ThreadsPerCore=2 Parameters=numa_node_as_socket | --slurm-version=25.11 --core-spec=1 | 0 | class            regular
		amd-2x96x2-nps4-block | CPUs=384 Sockets=8 CoresPerSocket=24 ThreadsPerCore=2 Parameters=numa_node_as_socket | --slurm-version=25.05 --core-spec=1 | 0 | class            conf_mismatch
	END
}

@test "cores reports findings about how Slurm reads a node line, a request and a machine" {
	table <<-END
		x86-2x8x1-even-numbers-sparse | | --core-spec=1 --format=json | 3 | "class":"sparse"..."code":"C01"
		intel-2x8x2-block-last-two-offline | | --core-spec=1 | 3 | irregular...C02 error
		intel-2x8x2-block-last-two-offline | CPUs=30 Sockets=2 CoresPerSocket=8 ThreadsPerCore=1 | --core-spec=1 | 3 | C10 warning...cure: bring all CPUs of every core online...C12...cure: remove CPUs= from the node line
		intel-2x16x2-block | CPUs=32 Sockets=2 CoresPerSocket=16 | --core-spec=1 | 3 | C10 error: the node record has CPUs=32
		x86-1x8x1-block | CPUs=9 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 | --core-spec=1 | 3 | C12
		x86-1x4x1-block | CPUs=4 CoresPerSocket=4 CoreSpecCount=4 | | 0 | C13 error: Slurm reads CoreSpecCount=4 as 1: the node has 4 cores
		x86-1x1x1 | CPUs=1 CoreSpecCount=1 | --slurm-version=22.05 | 3 | C16...C13 error: CoreSpecCount=1 reserves the only core of the node
		x86-1x4x1-block | CPUs=4 CoresPerSocket=4 CpuSpecList=2,4 | | 0 | C14 error: Slurm ignores CpuSpecList=2,4: the node has CPUs 0-3 only
		x86-1x4x1-block | CPUs=4 CoresPerSocket=4 CpuSpecList=1 CoreSpecCount=2 | | 0 | C15
		x86-1x4x1-block | | --core-spec=4 | 3 | C20 error: a job that asks for 4 cores never runs on this node: it has 4
		intel-2x16x2-block | $smt | --core-spec=1 --allow-spec-resources-usage=no | 0 | OS CPUs          none...C21 warning: Slurm drops the request...cure: AllowSpecResourcesUsage=yes
		intel-2x16x2-block | $smt CoreSpecCount=2 | --core-spec=1 | 0 | C23 warning: the node's spec set has 2 cores and the job asks for 1
		intel-2x16x2-block | $smt | --thread-spec=1 | 0 | C24
		intel-2x16x2-block | $smt CoreSpecCount=2 | --slurm-version=25.05 --task-plugin-param=SlurmdSpecOverride | 3 | C26 warning: TaskPluginParam=SlurmdSpecOverride: when slurmd is started in a cgroup without all CPUs
		intel-2x16x2-block | $smt CoreSpecCount=2 | --slurm-version=24.11 --task-plugin-param=SlurmdSpecOverride | 0 | !C26
		intel-2x16x2-block | $smt RestrictedCoresPerGPU=2 | --slurm-version=24.05 | 0 | C27 info: RestrictedCoresPerGPU=2: a job that asks for neither a GPU nor the whole node does not get the cores beside the GPUs either; they are not among the numbers here
		intel-2x16x2-block | $smt RestrictedCoresPerGPU=2 | --slurm-version=24.05 --core-spec=1 | 0 | C27 info: RestrictedCoresPerGPU=2: Slurm pays no heed to it when it withholds cores from this job...cure: give the node a CpuSpecList of other cores (jobio plan --os-cpus=LIST writes it)
		intel-2x16x2-block | $smt RestrictedCoresPerGPU=2 | --slurm-version=23.11 | 0 | !C27
	END
}

@test "cores reads this machine without --topology" {
	cores --node="CPUs=$(getconf _NPROCESSORS_ONLN) CoresPerSocket=1" --format=json
	[[ $status -eq 0 || $status -eq 3 ]]
	[[ $output == '{"abstract_cores":""'* ]]
}

@test "cores refuses a topology that hwloc cannot read with exit 2 and one line" {
	echo nothing >"$BATS_TEST_TMPDIR/none.xml"
	cores --topology="$BATS_TEST_TMPDIR/none.xml"
	# hwloc 2.12 detects it earlier than 2.9
	[[ $status -eq 2 && $output =~ ^"jobio: cores: topology: '".*"none.xml': "("hwloc cannot load it: "|"not a readable hwloc XML file") ]]
	cores --topology="$BATS_TEST_TMPDIR/nosuch.xml"
	[[ $status -eq 2 && $output == *"nosuch.xml': not a readable hwloc XML file" ]]
}

@test "cores --help shows every option and the exit status" {
	cores --help
	[[ $status -eq 0 && $output == *--spec-cores-first*'Exit status'* ]]
	if grep '.\{81\}' <<<"$output"; then return 1; fi
}
