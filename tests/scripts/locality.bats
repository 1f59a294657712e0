#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# locality.bats - the network card of a client, of each type, its NUMA node and the cores near it;
# and whether a job had one of them. The machine is one of tests/machines, sysfs is made of
# files, the card is the loopback interface.
#
# shellcheck disable=SC2154,SC2030,SC2031 # bats sets output; tests are subshells

load node
load lustre
load gpfs
# shellcheck source=tests/scripts/machine.bash
. "$SRCDIR/tests/scripts/machine.bash"

setup() {
	node_make
	machines=$NODE
	MACHINE=$(machine intel-2x28x2-snc2-block) # two sockets, four NUMA nodes
	mkdir -p "$NODE"/sysfs/devices/system/node/node{0..3} \
		"$NODE"/sysfs/class/{net/lo,net/ib0,infiniband/mlx5_0,infiniband/mlx5_1}/device
	echo 0-3 >"$NODE/sysfs/devices/system/node/online"
	local numa
	for numa in {0..3}; do
		echo $((14 * numa))-$((14 * numa + 13)),$((14 * numa + 56))-$((14 * numa + 69)) \
			>"$NODE/sysfs/devices/system/node/node$numa/cpulist"
	done
	place 1
}

teardown() {
	[[ ! -v MMFSD ]] || gpfs_stop
	node_remove
}

# place NUMA-NODE - set it for all cards but mlx5_1, which is on the last one
place() {
	local card
	for card in net/lo net/ib0 infiniband/mlx5_0; do
		echo "$1" >"$NODE/sysfs/class/$card/device/numa_node"
	done
	echo 3 >"$NODE/sysfs/class/infiniband/mlx5_1/device/numa_node"
}

# nfs_home - mount a file system of a server at the loopback interface
nfs_home() {
	mkdir -p "$NODE/nfs"
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	sed 's/192\.0\.2\.40/127.0.0.1/g' "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" \
		>"$NODE/nfs/mountstats"
	echo '127.0.0.1:/export/work /mnt/work nfs rw,vers=3,addr=127.0.0.1 0 0' >"$NODE/nfs/mounts"
	node_root nfs
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		[client home]
		type=nfs
		mount_table=$NODE/nfs/mounts
	END
}

# scratch - mount Lustre over the loopback interface
scratch() {
	mkdir -p "$NODE/lustre"
	lustre_sample get_param-2.17.txt
	printf 'nid status alive refs peer rtr max tx min\n127.0.0.1@tcp up -1 1 8 0 256 256 256\n' \
		>"$NODE/lustre/nis"
	printf '0\t: 0 1 2 3\n' >"$NODE/lustre/cpu_partition_table"
	echo '192.0.2.60@tcp:/work /mnt/work lustre rw,flock 0 0' >"$NODE/lustre/mounts"
	lustre_conf
}

# weka_on CARD - let WEKA's container use it
weka_on() {
	sed -i "s/\"net_devices\":\[\]/\"net_devices\":[{\"name\":\"$1\",\"identifier\":\"\"}]/" \
		"$NODE/bin/weka"
}

plan() {
	run "$BUILDDIR/jobio" plan --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" \
		--topology="$MACHINE" "$@"
}

line() { expect_in $'\n'"$1"$'\n' $'\n'"$output"$'\n'; }

@test "plan names no card for an NFS server at the loopback interface, since it may be a proxy" {
	nfs_home
	plan --client=home
	[ "$status" -eq 0 ]
	expect_in "P09 warning: unknown network card or NUMA node of client 'home'" "$output"
	[[ $output != *'card  '* && $output != *'core='* && $output != *weka* ]]
	line 'client           core_change=affinity in its section of jobio.conf'
}

@test "plan: a bond or a VLAN has the NUMA node of its cards, if they have the same" {
	scratch
	rm -r "$NODE/sysfs/class/net/lo/device"
	mkdir -p "$NODE"/sysfs/class/net/{lo/lower_bond0,bond0/lower_ib0,bond0/lower_ib1,ib1/device}
	echo 1 >"$NODE/sysfs/class/net/ib1/device/numa_node"
	plan --client=scratch
	line "card             lo, NUMA node 1, of client 'scratch' (lustre): 127.0.0.1@tcp"
	local elsewhere
	for elsewhere in 2 -1; do
		echo $elsewhere >"$NODE/sysfs/class/net/ib1/device/numa_node"
		plan --client=scratch
		expect_in "P09 warning: unknown network card or NUMA node of client 'scratch'" "$output"
	done
}

@test "plan finds Lustre's card by its LNet address, and prints its CPU partition" {
	scratch
	plan --client=scratch
	line 'beside it        14-27,70-83'
	line 'OS CPUs          27,83'
	line "placement        beside the card of client 'scratch': lo"
	line 'slurm.conf       CpuSpecList=54-55'
	plan --client=scratch --max=2
	[ "$status" -eq 0 ]
	line "card             lo, NUMA node 1, of client 'scratch' (lustre): 127.0.0.1@tcp"
	line 'client           options libcfs cpu_pattern="0[26-27,82-83]" in /etc/modprobe.d, and load Lustre'"'"'s modules anew'
}

@test "plan finds mmfsd's cards by verbsPorts, selects a core near each, and prints numactl's options" {
	gpfs_make
	sed -i 's|verbsRdma disable|verbsRdma enable|;s|verbsPorts -|verbsPorts mlx5_0/1|' "$NODE/gpfs/config"
	plan --client=fast
	[ "$status" -eq 0 ]
	line "card             mlx5_0, NUMA node 1, of client 'fast' (gpfs): verbsPorts"
	line 'OS CPUs          27,83'
	line 'client           mmchconfig numactlOptionN=1,numactlOptioni=1 for this class of nodes, and restart mmfsd'
	sed -i 's|mlx5_0/1|mlx5_0/1,mlx5_1/1/2|' "$NODE/gpfs/config"
	plan --client=fast --max=3
	line "placement        beside the cards of client 'fast': mlx5_0,mlx5_1"
	line 'OS CPUs          26-27,55,82-83,111'
	sed -i 's|verbsRdma enable|verbsRdma disable|' "$NODE/gpfs/config"
	plan --client=fast
	expect_in "P09 warning: unknown network card or NUMA node of client 'fast'" "$output"
	expect_in 'cure: name it with --nic=IFACE, or give the CPUs beside it with --local-cpus' "$output"
}

@test "plan finds WEKA's card, and prints it in the mount options" {
	weka_on ib0
	plan --client=weka
	[ "$status" -eq 0 ]
	line "card             ib0, NUMA node 1, of client 'weka' (weka): client"
	line 'mount            -o net=ib0,core=27'
	line 'or               weka local resources cores 1 --only-frontend-cores --core-ids 27 --allow-mix-setting -C client && weka local resources apply -C client'
}

@test "plan --client in JSON has each card with its NUMA node, null if unknown" {
	scratch
	plan --client=scratch --format=json
	[ "$(jq -c '[.client.name, .client.type, (.client.cards[0] | .card, .numa_node, .serves), .os_cpus, has("mount_options")]' <<<"$output")" = \
		'["scratch","lustre","lo",1,"127.0.0.1@tcp","27,83",false]' ]
	place -1
	plan --client=scratch --format=json
	[ "$(jq -c '[.client.cards[0].numa_node, .placement, .findings[0].code]' <<<"$output")" = '[null,"spread","P09"]' ]
	echo 2 >"$NODE/sysfs/devices/system/node/online" # a machine with one NUMA node
	plan --client=scratch --format=json
	[ "$(jq -c '[.client.cards[0].numa_node, .placement]' <<<"$output")" = '[2,"packed"]' ]
}

@test "options of the command line override the client's card" {
	scratch
	plan --client=scratch --local-cpus=28-41,84-97
	line 'OS CPUs          41,97'
	line 'placement        packed beside the network card: its queues are polled from there'
}

@test "an unknown client, and a card on a NUMA node without CPUs, are errors of one line" {
	scratch
	plan --client=work
	[ "$status" -eq 2 ]
	[ "$output" = "jobio: plan: --client: 'work': jobio.conf has no [client work]" ]
	place 7
	plan --client=scratch
	[ "$status" -eq 2 ]
	[ "$output" = "jobio: plan: card lo: NUMA node 7: $MACHINE has no CPUs there" ]
}

# check SPEC [CODE] - findings of jobio check about cards; SPEC is added to the node line
check() {
	node_scontrol Sockets=2 CoresPerSocket=28 ThreadsPerCore=2 CPUTot=112 "$1"
	run env PATH="$NODE/bin:$PATH" "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --sysfs="$NODE/sysfs" --host=c1 \
		--topology="$MACHINE"
	output=$(grep -A1 "^${2:-N13}" <<<"$output" || :)
}

@test "jobio check reports a small MTU of a polling client's card" {
	weka_on ib0
	echo 2044 >"$NODE/sysfs/class/net/ib0/mtu"
	check 'CPUSpecList=110-111 MemSpecLimit=5100' K09
	[ "$output" = "K09 info: card ib0, over which client 'weka' works, has an MTU of 2044 bytes
    cure: the largest MTU that the switches take: 9000 on Ethernet, 4092 on InfiniBand" ]
	echo 4092 >"$NODE/sysfs/class/net/ib0/mtu"
	check 'CPUSpecList=110-111 MemSpecLimit=5100' K09
	[ -z "$output" ]
}

@test "jobio check reports a spec set without a core near the client's card, for any type" {
	scratch
	check 'CPUSpecList=110-111 MemSpecLimit=5100'
	[ "$output" = "N13 warning: the spec set has OS CPUs 55,111, and none of them is beside the card of client 'scratch': lo (NUMA node 1)
    cure: CpuSpecList of cores beside it; this prints the line: jobio plan --client=scratch" ]
	check 'CPUSpecList=54-55 MemSpecLimit=5100'
	[ -z "$output" ]
	node_conf
	weka_on ib0
	check 'CPUSpecList=110-111 MemSpecLimit=5100'
	expect_in "card of client 'weka': ib0 (NUMA node 1)" "$output"
	gpfs_make
	sed -i 's|verbsRdma disable|verbsRdma enable|;s|verbsPorts -|verbsPorts mlx5_0/1|' "$NODE/gpfs/config"
	check 'CPUSpecList=110-111 MemSpecLimit=5100'
	expect_in "card of client 'fast': mlx5_0 (NUMA node 1)" "$output"
	sed -i 's|mlx5_0/1|mlx5_0/1,mlx5_1/1|' "$NODE/gpfs/config"
	check 'CPUSpecList=110-111 MemSpecLimit=5100' # one of two is enough
	[ -z "$output" ]
}

@test "without a spec set jobio check uses the core that --io-cores=1 gets" {
	scratch
	check ''
	[ "$output" = "N13 info: there is no spec set, --io-cores=1 gets OS CPUs 55,111, and none of them is beside the card of client 'scratch': lo (NUMA node 1)
    cure: CpuSpecList of cores beside it; this prints the line: jobio plan --client=scratch" ]
	place 3
	check ''
	[ -z "$output" ]
	place -1
	check ''
	[ -z "$output" ]
}

# ran CPUS - run a job with a step on these CPUs; prints the card in its record
ran() {
	starts 7
	step 7 0 10 20
	[[ -z $1 ]] || sed -i "s/}\$/,\"cpus\":\"$1\"}/" "$NODE/run/7/steps/0"
	epilog
	record 7 | jq -c .client.card
	rm -f "$NODE/spool"/7.*.json "$NODE/spool/released"
}

@test "the record shows whether the job had a core near the card" {
	scratch
	[ "$(ran 14-17)" = '{"names":"lo","numa_nodes":"1","beside":true}' ]
	[ "$(ran 0-13,56-69)" = '{"names":"lo","numa_nodes":"1","beside":false}' ]
	[ "$(ran 13-14)" = '{"names":"lo","numa_nodes":"1","beside":true}' ]
	[ "$(ran '')" = '{"names":"lo","numa_nodes":"1","beside":null}' ]
	[ "$(ran 7-4)" = '{"names":"lo","numa_nodes":"1","beside":null}' ]
	rm "$NODE/sysfs/devices/system/node/node1/cpulist"
	[ "$(ran 14-17)" = '{"names":"lo","numa_nodes":"1","beside":null}' ]
	place -1
	[ "$(ran 14-17)" = '{"names":"lo","numa_nodes":null,"beside":null}' ]
}

@test "the record has the CPUs of each socket, and those of the job's tasks" {
	scratch
	local cpus=$NODE/sysfs/devices/system/cpu cpu numa
	# two NUMA nodes in each socket
	for numa in {0..3}; do
		cpu=cpu$((14 * numa))
		mkdir -p "$cpus/$cpu/topology"
		rm -rf "$cpus/$cpu"/node*
		ln -s "../../node/node$numa" "$cpus/$cpu/node$numa"
		((numa < 2)) && echo 0-27,56-83 >"$cpus/$cpu/topology/core_siblings_list" ||
			echo 28-55,84-111 >"$cpus/$cpu/topology/core_siblings_list"
	done
	echo 0-111 >"$cpus/online"
	starts 7
	step 7 0 10 20
	sed -i 's/}$/,"cpus":"0-26"}/' "$NODE/run/7/steps/0"
	epilog
	[ "$(record 7 | jq -c .machine)" = '{"job_cpus":"0-26","parts":[{"socket":0,"numa_node":0,"cpus":"0-13,56-69"},{"socket":0,"numa_node":1,"cpus":"14-27,70-83"},{"socket":1,"numa_node":2,"cpus":"28-41,84-97"},{"socket":1,"numa_node":3,"cpus":"42-55,98-111"}]}' ]
}

@test "a client with an unknown card has none in the record" {
	[ "$(ran 14-17)" = null ]
}

@test "the record has WEKA's card, also from cached replies" {
	weka_on ib0
	[ "$(ran 14-17)" = '{"names":"ib0","numa_nodes":"1","beside":true}' ]
	[ "$(ran 14-17)" = '{"names":"ib0","numa_nodes":"1","beside":true}' ]
}
