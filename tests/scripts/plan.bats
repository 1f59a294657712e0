#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# plan.bats - jobio plan, on machines of guides and papers

# shellcheck disable=SC2030,SC2031 # each test is a subshell
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup() {
	machines=$(mktemp -d "$BATS_TMPDIR/machines.XXXXXX")
}

teardown() {
	rm -rf "$machines"
}

plan() { run env -i "$BUILDDIR/jobio" plan "$@"; }

# A machine of 2 packages x 2 cores with a network card near the second package.
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

# machine_of CORES - a machine of so many cores with one CPU each
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

@test "a thousand cores are listed" {
	machine_of 1024 >"$machines/large.xml"
	plan --topology="$machines/large.xml" --os-cpus=1-1023
	[[ $status -le 1 && $output == *'-o core=1,core=2,'*',core=1022,core=1023'* ]] || { echo "$status: ${output: -500}"; return 1; }
}

@test "JSON has the cores, the line for slurm.conf, the mount options and the command" {
	plan --topology="$(machine intel-2x16x2-block)" --max=2 --spread --format=json
	[[ $output == '{"abstract_cores":"15,31","os_cpus":"15,31,47,63","client_cpus":"15,31","cpu_spec_list":"30-31,62-63","spec_set_needed":false,"slurm_conf":"CpuSpecList=30-31,62-63","mount_options":"-o core=15,core=31","weka_command":"weka local resources cores 2 --only-frontend-cores --core-ids 15,31 --allow-mix-setting -C client && weka local resources apply -C client","placement":"spread","reason":"spread over 2 package(s): no network card was named, no place is better","findings":[]}' ]] ||
		{ echo "$output"; return 1; }
}

# Machines of guides and papers, and one with a card, ib7, near the first of two packages of two
# cores. A row: machine | options | exit status | jq expression about its JSON
plans() {
	cat <<-'TABLE'
		dell-2x24x2-interleaved | --os-cpus=47 | 0 | .os_cpus == "47,95" and .cpu_spec_list == "94-95"
		dell-2x32x1-interleaved | --os-cpus=56-63 | 0 | .cpu_spec_list == "28-31,60-63"
		dell-2x32x1-interleaved | --max=8 | 0 | .os_cpus == "56-63" and .placement == "spread" and .spec_set_needed == false
		intel-2x16x2-block | --max=3 --nic=ib0 --local-cpus=16-23,48-55 | 0 | .os_cpus == "21-23,53-55" and .cpu_spec_list == "42-47" and .mount_options == "-o net=ib0,core=21,core=22,core=23" and .placement == "packed" and codes == ["P01", "P02"]
		intel-2x16x2-block | --max=3 --nic=ib0 --local-cpus=16-23,48-55 | 0 | .findings[0].text == "without a spec set, and with CoreSpecCount=3, Slurm takes OS CPUs 15,30-31,47,62-63 instead: it goes round the sockets from the last core"
		intel-2x16x2-block | --max=3 --nic=ib0 --local-cpus=16-23,48-55 | 0 | .findings[1] | .severity == "warning" and (.text | startswith("a job that asks for fewer than 3 cores")) and (.cure | contains("io_cores_min"))
		intel-2x16x2-block | --os-cpus=3 | 0 | .os_cpus == "3,35" and .cpu_spec_list == "6-7" and codes == ["P01"]
		intel-2x16x2-block | --os-cpus=3-4 | 0 | codes == ["P01", "P02"]
		card | --nic=ib7 --max=1 | 0 | .os_cpus == "1" and .placement == "packed"
		card | --nic=ib7 --max=2 | 0 | .os_cpus == "1,3" and (codes | contains(["P03"]))
		card | --max=4 | 1 | .os_cpus == "1-3" and any(.findings[]; .code == "P05" and .text == "the machine has 4 cores: 4 for the client beside core 0 cannot be had")
		card | --os-cpus=0 | 1 | any(.findings[]; .code == "P04" and .severity == "error")
		intel-2x48x2-block | --max=20 | 0 | any(.findings[]; .code == "P08" and (.text | startswith("a WEKA client takes at most 19 cores in one container")))
		intel-2x48x2-block | --max=19 | 0 | codes | contains(["P08"]) | not
		intel-2x16x2-block | --max=1 --spec-cores-first | 0 | any(.findings[]; .code == "P07" and .cure == "take spec_cores_first out of SchedulerParameters")
		intel-2x16x2-block | --max=1 | 0 | codes | contains(["P07"]) | not
		intel-2x28x2-snc2-block | --max=4 --packed | 0 | .client_cpus == "52-55" and .placement == "packed"
		intel-2x28x2-snc2-block | --max=4 --spread | 0 | .client_cpus == "13,27,41,55" and .spec_set_needed
		x86-2x8x1-even-numbers-sparse | --max=2 | 1 | any(.findings[]; .code == "P06" and (.text | startswith("no CpuSpecList reserves these cores on this node")))
	TABLE
}

@test "cores are selected near the card or spread, never core 0, with a finding if Slurm would reserve others" {
	local name options want jq wrong=0 args
	machine_with_card >"$machines/card.xml"
	while IFS='|' read -r name options want jq; do
		read -ra args <<<"$options"
		[[ -e $machines/${name% }.xml ]] || machine "${name% }" >/dev/null
		plan --topology="$machines/${name% }.xml" --format=json "${args[@]}"
		[[ $status -eq $want ]] && jq -e "def codes: [.findings[].code]; $jq" <<<"$output" >/dev/null ||
			{ echo "$name|$options: $status $output"; wrong=1; }
	done < <(plans)
	((!wrong))
}

@test "CpuSpecList has core numbers if CPUs= is the number of cores" {
	local line='CPUs=32 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2'
	plan --topology="$(machine intel-2x16x2-block)" --node="$line" --slurm-version=22.05 \
		--os-cpus=31 --format=json
	[[ $output == *'"os_cpus":"31,63"'*'"cpu_spec_list":"31"'* ]]
}

@test "CPUs and cards that the machine does not have are refused with exit 2" {
	local try want
	machine_with_card >"$machines/card.xml"
	machine x86-1x8x1-block >/dev/null
	while IFS='|' read -r try want; do
		# shellcheck disable=SC2086 # several words
		plan ${try//M/$machines}
		[[ $status -eq 2 && $output == "jobio: plan: "*"$want"* ]] || { echo "$try: $status $output"; return 1; }
	done <<-'TABLE'
		--topology=M/x86-1x8x1-block.xml --os-cpus=900|--os-cpus: 900: no such CPU here
		--topology=M/x86-1x8x1-block.xml|
		--topology=M/card.xml --nic=ib8 --max=1|network card 'ib8': not in
	TABLE
	plan --help
	[[ $status -eq 0 && $output == *--local-cpus*--topology*'Exit status'* ]]
}
