#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# jobio plan, on machines that are known from guides and papers

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup() {
	machines=$(mktemp -d "$BATS_TMPDIR/machines.XXXXXX")
}

teardown() {
	rm -rf "$machines"
}

plan() {
	run env -i "$BUILDDIR/jobio" plan "$@"
}

# A machine of 2 packages x 2 cores with a network card beside the second one.
machine_with_card() {
	cat <<-'XML'
		<?xml version="1.0" encoding="UTF-8"?>
		<!DOCTYPE topology SYSTEM "hwloc2.dtd">
		<topology version="2.0">
		  <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" allowed_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
		    <object type="NUMANode" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000000f" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2" local_memory="1073741824"/>
		    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3">
		      <object type="Core" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4">
		        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5"/>
		      </object>
		      <object type="Core" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6">
		        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/>
		      </object>
		      <object type="Bridge" gp_index="14" bridge_type="0-1" depth="0" bridge_pci="0000:[00-03]">
		        <object type="PCIDev" gp_index="15" pci_busid="0000:01:00.0" pci_type="0200 [15b3:101b] [15b3:0001] 00" pci_link_speed="0.0">
		          <object type="OSDev" gp_index="16" name="ib7" osdev_type="2"/>
		        </object>
		      </object>
		    </object>
		    <object type="Package" os_index="1" cpuset="0x0000000c" complete_cpuset="0x0000000c" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8">
		      <object type="Core" os_index="0" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9">
		        <object type="PU" os_index="2" cpuset="0x00000004" complete_cpuset="0x00000004" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="10"/>
		      </object>
		      <object type="Core" os_index="1" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="11">
		        <object type="PU" os_index="3" cpuset="0x00000008" complete_cpuset="0x00000008" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="12"/>
		      </object>
		    </object>
		  </object>
		</topology>
	XML
}

# A machine of so many cores, of one CPU each.
machine_of() {
	python3 - "$1" <<-'EOP'
		import sys
		count = int(sys.argv[1])
		def bits(value):
		    words = [value >> 32 * i & 0xffffffff for i in reversed(range((count + 31) // 32))]
		    return ",".join("0x%08x" % word for word in words)
		def sets(value):
		    return 'cpuset="%s" complete_cpuset="%s" nodeset="0x1" complete_nodeset="0x1"' % (bits(value), bits(value))
		everything = (1 << count) - 1
		print('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n<topology version="2.0">')
		print('<object type="Machine" os_index="0" %s allowed_cpuset="%s" allowed_nodeset="0x1" gp_index="1">' % (sets(everything), bits(everything)))
		print('<object type="NUMANode" os_index="0" %s gp_index="2" local_memory="1073741824"/>' % sets(everything))
		print('<object type="Package" os_index="0" %s gp_index="3">' % sets(everything))
		for i in range(count):
		    print('<object type="Core" os_index="%d" %s gp_index="%d"><object type="PU" os_index="%d" %s gp_index="%d"/></object>' %
		          (i, sets(1 << i), 2 * i + 4, i, sets(1 << i), 2 * i + 5))
		print('</object></object></topology>')
	EOP
}

@test "plan: a thousand cores are written out" {
	machine_of 1024 >"$BATS_TMPDIR/large.xml"
	plan --topology="$BATS_TMPDIR/large.xml" --os-cpus=1-1023
	[[ $status -le 1 && $output == *'-o core=1,core=2,'*',core=1022,core=1023'* ]] || { echo "$status: ${output: -500}"; return 1; }
}

@test "plan: WEKA's 2x24x2 example needs CpuSpecList=94-95 for core 47" {
	plan --topology="$(machine dell-2x24x2-interleaved)" --os-cpus=47 --format=json
	[[ $status -eq 0 && $output == *'"os_cpus":"47,95"'*'"cpu_spec_list":"94-95"'* ]]
}

@test "plan: WEKA's interleaved 2x32 example needs CpuSpecList=28-31,60-63, not 56-63" {
	plan --topology="$(machine dell-2x32x1-interleaved)" --os-cpus=56-63
	[[ $status -eq 0 && $output == *'slurm.conf       CpuSpecList=28-31,60-63'* ]]
	plan --topology="$(machine dell-2x32x1-interleaved)" --max=8
	[[ $output == *'OS CPUs          56-63'*'spread over 2 package(s)'*'no spec set needed'* ]]
}

@test "plan: StackHPC's 2x16x2 nodes need CpuSpecList=42-47 for cores 21-23" {
	plan --topology="$(machine intel-2x16x2-block)" --max=3 --nic=ib0 --local-cpus=16-23,48-55
	[[ $status -eq 0 ]]
	[[ $output == *'OS CPUs          21-23,53-55'*'CpuSpecList=42-47'* ]]
	[[ $output == *'-o net=ib0,core=21,core=22,core=23'* ]]
	[[ $output == *'weka local resources cores 3 --only-frontend-cores --core-ids 21,22,23'* ]]
	[[ $output == *'P01 info: without a spec set, and with CoreSpecCount=3, Slurm takes OS CPUs 15,30-31,47,62-63 instead'* ]]
	[[ $output == *'P02 warning: a job that asks for fewer than 3 cores'* ]]
}

# is_said SAID TEXT - no more and no less
is_said() { [[ $1 == "$2" ]] || { diff <(printf '%s\n' "$2") - <<<"$1"; return 1; }; }

@test "plan: all that it says, to people and to programs" {
	plan --topology="$(machine intel-2x16x2-block)" --max=3 --nic=ib0 --local-cpus=16-23,48-55
	is_said "$output" 'abstract cores   21-23
OS CPUs          21-23,53-55
placement        packed beside the network card: its queues are polled from there
slurm.conf       CpuSpecList=42-47
                 on the node line, in Slurm'"'"'s numbers of threads; no CoreSpecCount beside it
mount            -o net=ib0,core=21,core=22,core=23
or               weka local resources cores 3 --only-frontend-cores --core-ids 21,22,23
P01 info: without a spec set, and with CoreSpecCount=3, Slurm takes OS CPUs 15,30-31,47,62-63 instead: it goes round the sockets from the last core
P02 warning: a job that asks for fewer than 3 cores gets the rest of the spec set for itself
    cure: let jobs ask for none or for all of them (io_cores_min in jobio.conf)'
	plan --topology="$(machine intel-2x16x2-block)" --max=2 --spread
	is_said "$output" 'abstract cores   15,31
OS CPUs          15,31,47,63
placement        spread over 2 package(s): no network card was named, no place is better
slurm.conf       CpuSpecList=30-31,62-63
                 on the node line, in Slurm'"'"'s numbers of threads; no CoreSpecCount beside it
                 no spec set needed where every job that finds the client
                 working asks with --io-cores=2: Slurm takes the same cores
mount            -o core=15,core=31
or               weka local resources cores 2 --only-frontend-cores --core-ids 15,31'
	plan --topology="$(machine intel-2x16x2-block)" --max=2 --spread --format=json
	is_said "$output" '{"abstract_cores":"15,31","os_cpus":"15,31,47,63","client_cpus":"15,31","cpu_spec_list":"30-31,62-63","spec_set_needed":false,"slurm_conf":"CpuSpecList=30-31,62-63","mount_options":"-o core=15,core=31","weka_command":"weka local resources cores 2 --only-frontend-cores --core-ids 15,31","placement":"spread","reason":"spread over 2 package(s): no network card was named, no place is better","findings":[]}'
}

@test "plan: of one core no job can ask for a part" {
	plan --topology="$(machine intel-2x16x2-block)" --os-cpus=3
	is_said "$output" 'abstract cores   3
OS CPUs          3,35
placement        as given with --os-cpus
slurm.conf       CpuSpecList=6-7
                 on the node line, in Slurm'"'"'s numbers of threads; no CoreSpecCount beside it
mount            -o core=3
or               weka local resources cores 1 --only-frontend-cores --core-ids 3
P01 info: without a spec set, and with CoreSpecCount=1, Slurm takes OS CPUs 31,63 instead: it goes round the sockets from the last core'
	plan --topology="$(machine intel-2x16x2-block)" --os-cpus=3-4
	[[ $output == *'P02 warning: a job that asks for fewer than 2 cores'* ]]
}

@test "plan: the card's place is read from a recorded machine" {
	machine_with_card >"$BATS_TMPDIR/card.xml"
	plan --topology="$BATS_TMPDIR/card.xml" --nic=ib7 --max=1 --format=json
	[[ $status -eq 0 && $output == *'"os_cpus":"1"'*'"placement":"packed"'* ]]
	plan --topology="$BATS_TMPDIR/card.xml" --nic=ib8 --max=1
	[[ $status -eq 2 && $output == "jobio: plan: network card 'ib8': not in '"*'give its local CPUs with --local-cpus' ]]
}

@test "plan: core 0 is never taken, and what cannot be had is said" {
	machine_with_card >"$BATS_TMPDIR/card.xml"
	plan --topology="$BATS_TMPDIR/card.xml" --nic=ib7 --max=2 --format=json
	[[ $status -eq 0 && $output == *'"os_cpus":"1,3"'*'"code":"P03"'* ]]
	plan --topology="$BATS_TMPDIR/card.xml" --max=4 --format=json
	[[ $status -eq 1 && $output == *'"os_cpus":"1-3"'*'"code":"P05"'*'the machine has 4 cores: 4 for the client beside core 0 cannot be had'* ]]
	plan --topology="$BATS_TMPDIR/card.xml" --os-cpus=0
	[[ $status -eq 1 && $output == *'P04 error: core 0'* ]]
}

@test "plan: more cores than a WEKA container takes are warned of" {
	plan --topology="$(machine intel-2x48x2-block)" --max=20
	[[ $status -eq 0 && $output == *'P08 warning: a WEKA client takes at most 19 cores in one container'* ]]
	plan --topology="$(machine intel-2x48x2-block)" --max=19
	[[ $output != *P08* ]]
}

@test "plan: a Slurm that begins with core 0 is warned of" {
	plan --topology="$(machine intel-2x16x2-block)" --max=1 --spec-cores-first
	[[ $output == *'P07 warning: spec_cores_first makes --core-spec begin with core 0, which is the kernel'"'"'s'*'cure: take spec_cores_first out of SchedulerParameters'* ]]
	plan --topology="$(machine intel-2x16x2-block)" --max=1
	[[ $output != *P07* ]]
}

@test "plan: spread and packed can be asked for" {
	plan --topology="$(machine intel-2x28x2-snc2-block)" --max=4 --packed --format=json
	[[ $output == *'"client_cpus":"52-55"'*'"placement":"packed"'* ]]
	plan --topology="$(machine intel-2x28x2-snc2-block)" --max=4 --spread --format=json
	[[ $output == *'"client_cpus":"13,27,41,55"'*'"spec_set_needed":true'* ]]
}

@test "plan: CpuSpecList counts cores where CPUs=cores" {
	local line='CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2'
	plan --topology="$(machine intel-2x16x2-block)" --node="$line" --slurm-version=22.05 \
		--os-cpus=31 --format=json
	[[ $output == *'"os_cpus":"31,63"'*'"cpu_spec_list":"31"'* ]]
	plan --topology="$(machine intel-2x16x2-block)" --node="$line" --slurm-version=22.05 --os-cpus=31
	[[ $output == *'on the node line, in cores, since CPUs=cores there; no CoreSpecCount beside it'* ]]
}

@test "plan: a machine that Slurm misnumbers cannot be planned for" {
	plan --topology="$(machine x86-2x8x1-even-numbers-sparse)" --max=2
	[[ $status -eq 1 && $output == *'P06 error: no CpuSpecList reserves these cores on this node: Slurm'"'"'s numbers do not fit the machine'* ]]
}

@test "plan refuses bad usage with exit 2 and one sentence" {
	local try
	for try in --max=0 --max=x --os-cpus= --os-cpus=3-1 --nosuch --format=yaml; do
		plan "$try"
		[[ $status -eq 2 ]] || { echo "$try: $status $output"; return 1; }
		[[ ${#lines[@]} -eq 1 && $output == 'jobio: plan: '* ]] || { echo "$try: $output"; return 1; }
	done
	plan --topology="$(machine x86-1x8x1-block)" --os-cpus=900
	[[ $status -eq 2 && $output == 'jobio: plan: --os-cpus: 900: no such CPU here' ]]
	plan --packed --spread
	[[ $status -eq 2 && $output == 'jobio: plan: --packed and --spread exclude each other' ]]
	plan --max=1 --os-cpus=1
	[[ $status -eq 2 && $output == 'jobio: plan: give one of --max=N and --os-cpus=LIST' ]]
	plan --topology="$(machine x86-1x8x1-block)"
	[[ $status -eq 2 ]]
}

@test "plan --help shows every option" {
	plan --help
	[[ $status -eq 0 && $output == *--local-cpus*--topology*'Exit status'* ]]
}
