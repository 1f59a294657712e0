#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# jobio cores, as an administrator calls it

# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup() {
	machines=$(mktemp -d "$BATS_TMPDIR/machines.XXXXXX")
	cd "$BATS_TMPDIR" || return 1
}

teardown() {
	rm -rf "$machines"
}

cores() {
	run env -i "$BUILDDIR/jobio" cores "$@"
}

smt='CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2'

@test "cores prints Slurm's and Linux's numbers as one JSON object" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt" --core-spec=1 --format=json
	[[ $status -eq 0 ]]
	[[ $output == '{"abstract_cores":"31","abstract_cpus":"62-63","os_cpus":"31,63","class":"regular","findings":[]}' ]]
}

@test "cores counts a spec set, thread-spec and spec_cores_first in" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt CoreSpecCount=2" --format=json
	[[ $output == *'"os_cpus":"15,31,47,63"'* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt" --core-spec=2 --spec-cores-first --format=json
	[[ $output == *'"os_cpus":"0,16,32,48"'* ]]
	cores --topology="$(machine x86-1x8x1-block)" --node='CPUs=8 CoresPerSocket=8' --thread-spec=1 --format=json
	[[ $output == *'"os_cpus":"7"'* ]]
}

@test "cores says that Slurm drops the request without AllowSpecResourcesUsage" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt" --core-spec=1 --allow-spec-resources-usage=no
	[[ $status -eq 0 ]]
	[[ ${lines[2]} == 'OS CPUs          none' ]]
	[[ $output == *'C21 warning: Slurm drops the request'* ]]
	[[ $output == *'cure: AllowSpecResourcesUsage=yes'* ]]
}

@test "cores without a node line takes the one slurmd -C would print" {
	cores --topology="$(machine ibm-power9-2x22x4-adjacent)" --core-spec=1 --format=json
	[[ $status -eq 0 && $output == *'"os_cpus":"172-175","class":"regular"'* ]]
}

@test "cores exits 3 where slurmd itself names wrong CPUs, and says why" {
	cores --topology="$(machine x86-2x8x1-even-numbers-sparse)" --core-spec=1 --format=json
	[[ $status -eq 3 ]]
	[[ $output == *'"class":"sparse"'*'"code":"C01"'* ]]
	cores --topology="$(machine intel-2x8x2-block-last-two-offline)" --core-spec=1
	[[ $status -eq 3 && $output == *irregular*'C02 error'* ]]
}

@test "cores exits 3 for a job that no node like this ever runs" {
	cores --topology="$(machine x86-1x4x1-block)" --core-spec=4
	[[ $status -eq 3 ]]
	[[ $output == *'C20 error: a job that asks for 4 cores never runs on this node: it has 4'* ]]
}

@test "cores follows the version: ThreadsPerCore=1 on SMT hardware" {
	local line='CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=1 CoreSpecCount=1'
	cores --topology="$(machine intel-2x16x2-block)" --node="$line" --slurm-version=22.05 --format=json
	[[ $status -eq 3 && $output == *'"os_cpus":"47"'* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$line" --slurm-version=23.11 --format=json
	[[ $status -eq 3 && $output == *'"os_cpus":"31"'* ]]
}

@test "cores says that a spec set may come from slurmd's own cgroup, and exits 3" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt CoreSpecCount=2" --slurm-version=25.05 \
		--task-plugin-param=SlurmdSpecOverride
	[[ $status -eq 3 ]] || { echo "$status $output"; return 1; }
	[[ $output == *'C26 warning: TaskPluginParam=SlurmdSpecOverride: when slurmd is started in a cgroup that lacks CPUs'* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt CoreSpecCount=2" --slurm-version=24.11 \
		--task-plugin-param=SlurmdSpecOverride
	[[ $status -eq 0 && $output != *C26* ]]
}

@test "cores says whose cores RestrictedCoresPerGPU keeps, which --core-spec takes nevertheless" {
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt RestrictedCoresPerGPU=2" --slurm-version=24.05
	[[ $status -eq 0 ]]
	[[ $output == *'C27 info: RestrictedCoresPerGPU=2: a job that asks for neither a GPU nor the whole node does not get the cores beside the GPUs either; they are not among the numbers here'* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt RestrictedCoresPerGPU=2" --slurm-version=24.05 --core-spec=1
	[[ $status -eq 0 && $output == *'C27 info: RestrictedCoresPerGPU=2: Slurm pays no heed to it when it withholds cores from this job; they may be those beside the GPUs'*'cure: give the node a CpuSpecList of other cores (jobio plan --os-cpus=LIST writes it)'* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt RestrictedCoresPerGPU=2" --slurm-version=23.11
	[[ $output != *C27* ]]
	cores --topology="$(machine intel-2x16x2-block)" --node="$smt RestrictedCoresPerGPU=x"
	[[ $status -eq 2 && $output == *"RestrictedCoresPerGPU: 'x'"* ]]
}

@test "cores takes Parameters= of the node line as SlurmdParameters, since 25.11" {
	local line='CPUs=384 Sockets=8 CoresPerSocket=24 ThreadsPerCore=2 Parameters=numa_node_as_socket'
	cores --topology="$(machine amd-2x96x2-nps4-block)" --node="$line" --slurm-version=25.11 --core-spec=1
	[[ $status -eq 0 && $output == *'class            regular'* ]]
	cores --topology="$(machine amd-2x96x2-nps4-block)" --node="$line" --slurm-version=25.05 --core-spec=1
	[[ $output == *'class            conf_mismatch'* ]]
}

@test "cores reads this machine when no topology is given" {
	cores --node="CPUs=$(getconf _NPROCESSORS_ONLN) CoresPerSocket=1" --format=json
	[[ $status -eq 0 || $status -eq 3 ]]
	[[ $output == '{"abstract_cores":""'* ]]
}

@test "cores refuses bad usage with exit 2 and one sentence" {
	local try
	for try in --core-spec=x --core-spec=-1 --thread-spec= --format=xml \
		--slurm-version=22 --allow-spec-resources-usage=maybe --nosuch word \
		--topology= --node= --slurm-version=19.05 --slurm-version=26.11 \
		--slurmd-parameters=l3_cache_as_socket --task-plugin-param= \
		'--node=CPUs=x' '--node=Cores=4'; do
		cores "$try"
		[[ $status -eq 2 ]] || { echo "$try: $status $output"; return 1; }
		[[ ${#lines[@]} -eq 1 && $output == 'jobio: cores: '* ]] || { echo "$try: $output"; return 1; }
	done
	cores --core-spec=1 --thread-spec=1
	[[ $status -eq 2 && $output == 'jobio: cores: --core-spec and --thread-spec exclude each other' ]]
	cores --core-spec=1 --core-spec=2
	[[ $status -eq 2 && $output == 'jobio: cores: --core-spec: given twice' ]]
	cores --slurmd-parameters=config_overrides,l3_cache
	[[ $output == "jobio: cores: --slurmd-parameters: 'l3_cache': not a word of SlurmdParameters" ]]
	cores --slurm-version=26.11
	[[ $output == "jobio: cores: --slurm-version: '26.11': must be from 22.05 to 26.05" ]]
	cores --node=
	[[ $output == "jobio: cores: --node: '': must not be empty" ]]
}

@test "cores refuses a topology that is none" {
	echo nothing >"$BATS_TMPDIR/none.xml"
	cores --topology="$BATS_TMPDIR/none.xml"
	# hwloc 2.12 notices earlier than 2.9
	[[ $status -eq 2 && $output =~ ^"jobio: cores: topology: '".*"none.xml': "("hwloc cannot load it: "|"not a readable hwloc XML file") ]]
	cores --topology="$BATS_TMPDIR/nosuch.xml"
	[[ $status -eq 2 && $output == *"nosuch.xml': not a readable hwloc XML file" ]]
}

@test "cores --help shows every option and the exit status" {
	cores --help
	[[ $status -eq 0 && $output == *--spec-cores-first*'Exit status'* ]]
	if grep '.\{81\}' <<<"$output"; then return 1; fi
}

@test "jobio lists its commands and refuses others" {
	run "$BUILDDIR/jobio"
	[[ $status -eq 2 && $output == 'jobio: which command? see jobio --help' ]]
	run "$BUILDDIR/jobio" nosuch
	[[ $status -eq 2 && $output == "jobio: 'nosuch': no such command; see jobio --help" ]]
	run "$BUILDDIR/jobio" --help
	[[ $status -eq 0 && $output == 'usage: jobio COMMAND [OPTION]...

  cores     which cores and CPUs Slurm withholds
  plan      which cores to give to the client
  check     what is wrong on this host, and the cure
  report    what jobs read and wrote
  compare   two jobs side by side
  advise    what to ask for the next time
  calibrate what cores and profiles are worth

jobio COMMAND --help explains a command; see jobio(1).' ]]
}
