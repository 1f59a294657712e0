#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A WEKA cluster on Slurm's nodes: drives0, compute0 and frontend0 with 8, 16 and 12
# cores of 96, as "NeuralMesh Axon deployment" sets them up without Kubernetes.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031

load node

drives=(24 30 36 42 23 29 35 41)
compute=(48 54 60 66 72 78 84 90 47 53 59 65 71 77 83 89)
frontend=(26 32 38 44 50 56 25 31 37 43 49 55)
all=23-26,29-32,35-38,41-44,47-50,53-56,59-60,65-66,71-72,77-78,83-84,89-90
# the same cores in Slurm's numbers: even CPUs are cores of the first socket, odd ones of the second
spec=12-13,15-16,18-19,21-22,24-25,27-28,30,33,36,39,42,45,59-60,62-63,65-66,68-69,71-72,74-75,77,80,83,86,89,92

setup() {
	node_make
	local cpu
	for cpu in {0..95}; do
		mkdir -p "$NODE/sysfs/devices/system/cpu/cpu$cpu"/{topology,node$((cpu % 2))}
		echo "$cpu" >"$NODE/sysfs/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
	done
	"$BUILDDIR/tests/tools/machine" xml dell-2x48x1-interleaved >"$NODE/machine.xml"
	sed -i "s/\"cpus\":16/\"cpus\":96/; s/\"sockets\":1/\"sockets\":2/
		s/\"cores_per_socket\":8/\"cores_per_socket\":48/; s/\"threads_per_core\":2/\"threads_per_core\":1/
		s/\"cpu_spec_list\":null/\"cpu_spec_list\":\"$spec\"/" "$NODE/node-record"
	containers drives0 DRIVES "${drives[*]}" compute0 COMPUTE "${compute[*]}" frontend0 FRONTEND "${frontend[*]}"
	sed -i s/cgroups_mode=none/cgroups_mode=force_v2/ "$NODE/weka/service.conf"
	touch -d 2020-01-01 "$NODE/weka/service.conf"
	minimum 36
}

teardown() { node_remove; }

# containers [NAME ROLE CORES]... - weka lists them, with the keys that WEKA's tools read
containers() {
	local core slot=0 text ps=''
	rm -f "$NODE/proc/interface"
	while (($#)); do
		ps+=${ps:+,}'{"name":"'$1'","type":"weka","versionName":"5.1.0","runStatus":"Running","isRunning":true,"isDisabled":false,"lastFailure":"","internalStatus":{"display_status":"READY"}}'
		text='{"memory":1,"net_devices":['${CARDS:-}'],"nodes":{"0":{"core_id":4294967295,"dedicate_core":false,"roles":["MANAGEMENT"]}'
		slot=0
		for core in $3; do
			slot=$((slot + 1))
			text+=',"'$slot'":{"core_id":'$core',"dedicate_core":true,"dedicated_mode":"'${MODE:-FULL}'","roles":["'$2'"]}'
			[[ $2 != FRONTEND ]] || echo "Container=$1 FE $((slot - 1)): Connected frontend pid 0" >>"$NODE/proc/interface"
		done
		echo "$text}}" >"$NODE/weka/$1.json"
		shift 3
	done
	echo "[$ps]" >"$NODE/weka/ps.json"
	# shellcheck disable=SC2016 # the fake expands it
	node_fake weka 'weka=${0%/bin/*}/weka
	case $* in
		"local ps -J") cat "$weka/ps.json" ;;
		"local resources -C "*) cat "$weka/$4.json" ;;
		*) echo "$*" >>"$weka/orders"; exit 2 ;;
	esac'
}

# minimum N [LINE...] - set io_cores_min in jobio.conf, and lines for its client
minimum() {
	NODE_CLIENT=$(printf '%s\n' timeout_ms=20000 "${@:2}") node_conf
	sed -i "s/^io_cores_max=4/io_cores_min=$1\nio_cores_max=40/" "$NODE/jobio.conf"
}

# found ID - "CODE,SEVERITY" of the record's findings, one a line
found() { record "$1" | grep -o '"code":"[^"]*","severity":"[^"]*"' | sed 's/"code"://; s/"severity"://; s/"//g'; }

# expect_finding ID CODE SEVERITY TEXT CURE - fail unless the record has this finding
expect_finding() { [[ $(record "$1") == *"{\"code\":\"$2\",\"severity\":\"$3\",\"text\":\"$4"*"\"cure\":\"$5"* ]] || fail "no $2 $3: $4" "$(record "$1")"; }

@test "the gate file has the cores of all roles as the client's" {
	job 7 36
	expect_run 0 prolog
	expect_gate 7 "client_cpus=$all"
	expect_gate 7 "io_cpus=$all"
	[ ! -e "$NODE/weka/orders" ]
	epilog
	[ "$(found 7)" = W03,warning ]
	expect_in "\"cpus\":\"$all\"" "$(record 7)"
	expect_in '"cores_met":true' "$(record 7)"
}

@test "a job with fewer io-cores than that is refused, or gets a finding if the site allows it" {
	minimum 1 core_change=any core_method=resources
	job 7 12
	expect_run 0 prolog
	expect_gate 7 "client_cpus=$all"
	[ ! -e "$NODE/weka/orders" ]
	epilog
	expect_finding 7 W52 warning 'the client of this node has 36 cores, and io_cores_min=1: a job that asks for fewer is given cores on which it polls' \
		'set io_cores_min=36 in [option] of jobio.conf on submit hosts and nodes'
	expect_finding 7 W07 error "the client uses CPU $all, but Slurm reserves CPU 24,26,30,32,36,38,42,44,48,50,54,56 for this job" \
		'ask for as many io-cores as the client has'
	[ "$(found 7 | sort | paste -sd' ')" = 'C23,warning W03,warning W07,error W52,warning' ]
}

@test "W47: a container gets 19 cores at most" {
	containers client FRONTEND 24
	minimum 1 core_change=any
	job 7 36
	prolog 2>/dev/null
	[ ! -e "$NODE/weka/orders" ]
	epilog
	expect_in "container 'client' keeps core 24, although this job should find $all: WEKA allows at most 19 cores a container" "$(record 7)"
}

@test "container= does not exclude other containers that poll" {
	minimum 36 container=frontend0 core_change=any
	starts 7 36
	[ ! -e "$NODE/weka/orders" ]
	epilog
	[ "$(found 7 | sort | paste -sd' ')" = 'W03,warning W35,info' ]
	expect_finding 7 W35 info "2 containers run beside 'frontend0', and container= of [client weka] leaves them out" 'take container= out'
}

@test "each frontend is compared with the network card of its slot" {
	local card
	for card in 0 1; do
		mkdir -p "$NODE/sysfs/class/net/ib$card/device"
		echo "$card" >"$NODE/sysfs/class/net/ib$card/device/numa_node"
	done
	CARDS='{"device":"ib0","slots":[1,2]},{"device":"ib1","slots":[3,4]}' \
		containers c88742862af5client FRONTEND '24 26 23 25'
	minimum 4
	starts 7 4
	expect_gate 7 client_cpus=23-26
	epilog
	[[ $(found 7) != *W11* && $(found 7) != *W52* ]]
	CARDS='{"device":"ib0","slots":[3,4]},{"device":"ib1","slots":[1,2]}' \
		containers c88742862af5client FRONTEND '24 26 23 25'
	rm -r "$NODE/run"
	one_job 8 4
	expect_finding 8 W11 warning "network card 'ib0' is on NUMA node 0, the frontend on CPU 23 on NUMA node 1" 'reserve cores'
	expect_finding 8 W11 warning "network card 'ib1' is on NUMA node 1, the frontend on CPU 24 on NUMA node 0" 'reserve cores'
}

@test "frontends that do not poll are reported, and are not in the gate file" {
	MODE=NONE containers client FRONTEND '24 26'
	minimum 1
	starts 7
	expect_gate 7 client_cpus=
	epilog
	expect_finding 7 W35 info "2 of 2 frontends of container 'client' do not poll" 'none, if intended'
}

@test "a client without a container is a warning" {
	containers
	job 7
	expect_run 0 prolog
	epilog
	[ "$(found 7 | sort | paste -sd' ')" = 'W03,warning W26,info W32,warning' ]
}

slurm() { node_scontrol Sockets=2 CoresPerSocket=48 ThreadsPerCore=1 CPUTot=96 MemSpecLimit=200000 "$@"; }

@test "jobio check: io_cores_min below the sum of all roles is an error, and the spec set must contain them" {
	slurm CPUSpecList=13,16
	minimum 2
	check=(env PATH="$NODE/bin:$PATH" "$BUILDDIR/jobio" check --role=node --host=c1 --conf="$NODE/jobio.conf" --topology="$NODE/machine.xml")
	run "${check[@]}"
	expect_in 'J09 error: io_cores_min=2, and the client of this node has 36 cores: a job that asks for fewer is given cores on which it polls' "$output"
	expect_in "that are not in the spec set (26,32): jobs run there"$'\n'"    cure: CpuSpecList=$spec on the line" "$output"
	slurm "CPUSpecList=$spec"
	minimum 36
	run "${check[@]}"
	[[ $output != *J09* && $output != *N06* ]]
}

@test "jobio plan: the spec set of all roles, without a command that would move them" {
	run "$BUILDDIR/jobio" plan --client=weka --conf="$NODE/jobio.conf" --topology="$NODE/machine.xml" \
		--node='CPUs=96 Boards=1 SocketsPerBoard=2 CoresPerSocket=48 ThreadsPerCore=1'
	expect_in "placement        where the client's containers poll" "$output"
	expect_in "slurm.conf       CpuSpecList=$spec" "$output"
	[[ $output != *'weka local'* && $output != *core=* && $output != *P08* ]]
}

@test "jobio plan: with several containers of a client the plan is the cores that they have" {
	containers a FRONTEND 26 b FRONTEND 32
	run "$BUILDDIR/jobio" plan --client=weka --conf="$NODE/jobio.conf" --topology="$NODE/machine.xml" \
		--node='CPUs=96 Boards=1 SocketsPerBoard=2 CoresPerSocket=48 ThreadsPerCore=1'
	expect_in "placement        where the client's containers poll" "$output"
	expect_in 'slurm.conf       CpuSpecList=13,16' "$output"
	[[ $output != *'weka local'* && $output != *core=* ]]
}

# machine THREADS - the node has so many threads a core
machine() {
	local cpu pair
	"$BUILDDIR/tests/tools/machine" xml "dell-2x48x$1-interleaved" >"$NODE/machine.xml"
	sed -i "s/\"cpus\":[0-9]*/\"cpus\":$((96 * $1))/; s/\"threads_per_core\":[0-9]*/\"threads_per_core\":$1/" "$NODE/node-record"
	for ((cpu = 0; cpu < 96 * $1; cpu++)); do
		mkdir -p "$NODE/sysfs/devices/system/cpu/cpu$cpu"/{topology,node$((cpu % 2))}
		pair=$((cpu % 96))
		(($1 == 1)) || pair+=,$((pair + 96))
		echo "$pair" >"$NODE/sysfs/devices/system/cpu/cpu$cpu/topology/thread_siblings_list"
	done
}

@test "on random nodes of 96 and 192 CPUs the gate has the CPUs of up to 16 containers, or W60 names the missing ones" {
	local seed shape words every=${JOBIO_CRASH_EVERY:-4}
	minimum 1
	for ((seed = 1; seed <= 24; seed += every)); do
		mapfile -t shape < <(python3 "$SRCDIR/tests/scripts/weka_node.py" "$seed")
		words=("${shape[@]:1:${#shape[@]}-5}")
		machine "${shape[0]}"
		containers "${words[@]}"
		rm -rf "$NODE/run"
		job "$seed" 1
		prolog 2>/dev/null
		expect_gate "$seed" "client_cpus=${shape[-3]}" || fail "seed $seed"
		epilog 2>/dev/null
		if ((shape[-1])); then
			expect_finding "$seed" W60 warning "not all CPUs on which the client polls are known: the gate guards CPU ${shape[-3]} and those found earlier" ''
			[[ $(record "$seed") != *'the rest is idle'* ]] || fail "seed $seed: the rest is idle"
		else
			[[ $(found "$seed") != *W60* ]] || fail "seed $seed: W60"
			# where no container serves, the cores of the client may be chosen
			[[ " ${words[*]} " == *\ @(COMPUTE|DRIVES)\ * ]] || continue
			run "$BUILDDIR/jobio" plan --client=weka --conf="$NODE/jobio.conf" --topology="$NODE/machine.xml" \
				--node="CPUs=$((96 * shape[0])) Boards=1 SocketsPerBoard=2 CoresPerSocket=48 ThreadsPerCore=${shape[0]}"
			expect_in "slurm.conf       CpuSpecList=${shape[-2]}" "$output" || fail "seed $seed"
		fi
	done
}
