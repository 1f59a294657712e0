#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# standin.bats - prolog and epilog with the stand-in of tests/sim, which behaves as in WEKA's
# documents, for all versions.
#
# helpers.bash sets variables; every test is a process of its own
# shellcheck source=/dev/null disable=SC2154,SC2030,SC2031

setup_file() {
	load ../sim/helpers
	sim_install
}

teardown_file() {
	load ../sim/helpers
	sim_remove
}

setup() {
	load ../sim/helpers
	load node
	node_make
}

teardown() {
	node_remove
}

# standin KNOB... - start a client on core 7 of 8, mounted, and write a jobio.conf for it
standin() {
	sim_fresh topology.sockets=1 topology.cores_per_socket=8 \
		boot.options="core=7,net=eth0" "$@"
	sed -i s/cgroups_mode=auto/cgroups_mode=none/ \
		"$SIM/etc/wekaio/service.conf"
	client_up
	conf
}

# conf [KEY=VALUE...] - add keys for the client
conf() {
	NODE_CLIENT=$(printf '%s\n' timeout_ms=60000 "$@") node_conf
	sed -i "s|^root=.*|root=$SIM|
		s|^mount_table=.*|mount_table=$SIM/run/weka-sim/mounts|
		s|^proc_dir=.*|proc_dir=$SIM/run/weka-sim/proc|
		s|^stats_socket=.*|stats_socket=$SIM/opt/weka/external-mounts/local-sockets/*/container.sock|
		/^\(command\|service_conf\|agent_pidfile\)=/d" \
		"$NODE/jobio.conf"
}

sorted_options() {
	mounted_options | tr , '\n' | sort
}

for_profile() {
	standin client.version="$1"
	local before
	before=$(sorted_options)
	starts 7 1 stream
	[[ $(mounted_options) == *forcedirect* ]]
	expect_gate 7 client_cpus=7,15
	[ "$(cores --stable)" = "[7]" ]
	epilog
	[ "$(sorted_options)" = "$before" ]
	expect_in '"restored":true' "$(record 7)"
	expect_in "\"version\":\"$1" "$(record 7)"
	# on a machine without CPU 7 the frontend cannot be pinned there, which W28 reports
	codes=$(record 7 | grep -o '"code":"[^"]*"' | grep -v W28 || :)
	[ -z "$codes" ]
}

@test "a profile is set and undone on a 4.2 client" {
	for_profile 4.2.12
}

@test "a profile is set and undone on a 4.4 client" {
	for_profile 4.4.4
}

@test "a profile is set and undone on a 5.x client" {
	for_profile 5.0.1
}

@test "a profile is set and undone with the 6.x command line" {
	for_profile 6.0.0
}

@test "prolog and epilog wait for a 5.x client if its remount returns at once" {
	standin client.version=5.0.1 rules.remount_waits=false time.compression=20
	job 7 1 stream
	prolog
	[ "$(status)" = READY ]
	[[ $(mounted_options) == *forcedirect* ]]
	epilog
	[ "$(status)" = READY ]
	[[ $(mounted_options) == *writecache* ]]
}

@test "a client gets more cores for a job by resources and apply" {
	standin
	conf core_change=grow
	job 7 2
	expect_run 0 prolog
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_gate 7 client_cpus=6-7,14-15
	epilog
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_in '"old":"7","new":"6-7"' "$(record 7)"
}

@test "apply of the 6.x command line gets a timeout" {
	standin client.version=6.0.0
	conf core_change=grow
	job 7 2
	prolog
	[ "$(cores --stable)" = "[6, 7]" ]
	epilog
}

@test "a 5.x client gets more cores for a job by a remount" {
	standin client.version=5.0.1
	conf core_change=grow core_method=remount
	job 7 2
	expect_run 0 prolog
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_gate 7 client_cpus=6-7,14-15
	epilog
}

# Nothing was logged, except that on a machine without CPU 7 a frontend cannot be
# pinned there.
expect_quiet() {
	local said
	said=$(grep -v W28 <<<"$output" || :)
	[[ -z $said ]] || fail "$said"
}

# by_mount [KNOB...] - cores change by a new mount; fstab has the line of this mount
by_mount() {
	standin "$@"
	conf core_change=any core_method=mount
	echo "backend0/default $mnt wekafs core=7,net=eth0,qos_max_ops=1000,_netdev 0 0" \
		>"$SIM/etc/fstab"
}

# mounted_again VERSION - more cores for a job, fewer for the next one.
mounted_again() {
	by_mount client.version="$1"
	local before
	before=$(sorted_options)
	job 7 2
	expect_run 0 prolog
	expect_quiet
	[ "$(cores --stable)" = "[6, 7]" ]
	[ "$(sorted_options)" = "$before" ]
	expect_gate 7 client_cpus=6-7,14-15
	[ "$(json 'd[0]["internalStatus"]["display_status"]' local ps)" = READY ]
	interface | grep -q 'FE 1: Connected'
	epilog
	expect_in '"old":"7","new":"6-7"' "$(record 7)"
	job 8 1
	run prolog
	expect_quiet
	[ "$(cores --stable)" = "[7]" ]
	[ "$(sorted_options)" = "$before" ]
	expect_gate 8 client_cpus=7,15
	epilog
	[ -z "$(ls "$NODE/spool/state")" ]
}

@test "a 4.4 client gets more and fewer cores by a new mount" {
	mounted_again 4.4.4
}

@test "a 5.x client gets more and fewer cores by a new mount" {
	mounted_again 5.0.1
}

@test "a client with the 6.x command line gets more and fewer cores by a new mount" {
	mounted_again 6.0.0
}

# in_cpuset METHOD - the client has a cpuset (cgroup v1), which must contain its cores
in_cpuset() {
	sim_fresh topology.sockets=1 topology.cores_per_socket=8 \
		boot.options="core=7,net=eth0"
	mkdir -p "$SIM/sys/fs/cgroup/cpuset"
	echo 0-15 >"$SIM/sys/fs/cgroup/cpuset/cpuset.cpus"
	client_up
	conf core_change=any core_method="$1"
	echo "backend0/default $mnt wekafs net=eth0 0 0" >"$SIM/etc/fstab"
	job 7 2
	run prolog
	expect_quiet
	[ "$(cores --stable)" = "[6, 7]" ]
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset/weka-client/cpuset.cpus")" = 6-7,14-15 ]
	epilog
}

@test "cores that change by resources are verified in the container's present cpuset" {
	in_cpuset resources
}

@test "cores that change by a new mount are verified in the cpuset of the new container" {
	in_cpuset mount
}

@test "an umount that exits 0 without effect keeps the mount and its cores" {
	by_mount
	knob faults.umount_lies=true
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: umount $mnt exited with 0, but it is still mounted"
	[ "$(cores --stable)" = "[7]" ]
	[ -n "$(mounted_options)" ]
	epilog
	[ -z "$(ls "$NODE/spool/state")" ]
}

@test "a busy mount keeps its cores" {
	by_mount
	knob faults.umount_busy=true
	pid=$(pid_of_slot 1)
	job 7 2
	expect_run 0 prolog "W48 container 'client' keeps core 7, although this job should find 6-7: umount $mnt: exit status 32: umount.wekafs: $mnt: target is busy."
	[ "$(pid_of_slot 1)" = "$pid" ]
	[ "$(cores --stable)" = "[7]" ]
	epilog
}

@test "if the cluster refuses the new mount the old one is made again" {
	by_mount memory.hugepages_mb=1500
	job 7 2
	run prolog
	expect_in "W44 container 'client' could not change from core 7 to 6-7: mount -o" "$output"
	[ "$(cores --stable)" = "[7]" ]
	[ "$(status)" = READY ]
	expect_gate 7 client_cpus=7,15
	epilog
	[ -z "$(ls "$NODE/spool/state")" ]
}

@test "a client that was made by weka local setup is not unmounted for its cores" {
	by_mount boot.setup="--cores 1 --core-ids 7 --net eth0 --join-ips 192.0.2.11" \
		boot.source=default boot.options=
	starts 7 2
	[ "$(cores --stable)" = "[7]" ]
	epilog
	expect_in "it is a stateful client: mount options do not set its cores" "$(record 7)"
}

@test "a 4.4 client is not remounted for its cores" {
	standin
	conf core_change=grow core_method=remount
	starts 7 2
	[ "$(cores --stable)" = "[7]" ]
	epilog
	expect_in 'WEKA changes cores on a remount from version 5 on only' "$(record 7)"
}

@test "a 4.4 client that must be deactivated first keeps its cores, and nothing is staged" {
	standin rules.strict_deactivate=true
	conf core_change=grow
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7"
	[ "$(cores --stable)" = "[7]" ]
	[ "$(cores)" = "[7]" ]
	epilog
}

@test "a remount that exits 0 without effect is detected" {
	standin
	knob faults.remount_lies=true
	before=$(sorted_options)
	job 7 1 stream
	run prolog
	expect_in "W40" "$output"
	knob faults.remount_lies=false
	epilog
	[ "$(sorted_options)" = "$before" ]
}

@test "a frontend that is not connected is a finding" {
	standin
	knob faults.disconnected=0
	job 7 1
	run prolog
	expect_in "W09 frontend 0 of container 'client' is not connected to the driver" "$output"
}

@test "all files of a 5.x driver with a file for each container are read" {
	standin client.version=5.0.1
	mount_sim -o core=6,net=eth0,container_name=second other0/default "$SIM/mnt/second"
	knob faults.disconnected=0
	cp -r "$SIM/run/weka-sim/proc" "$NODE/driver"
	rm "$NODE/driver/interface"
	knob faults.disconnected=
	cp "$SIM/run/weka-sim/proc/client/interface" "$NODE/driver/client/interface"
	sed -i "s|^proc_dir=.*|proc_dir=$NODE/driver|" "$NODE/jobio.conf"
	job 7
	run prolog
	expect_in "W09 frontend 0 of container 'second' is not connected to the driver" "$output"
	[[ $output != *"W09 frontend 0 of container 'client'"* ]]
}

@test "a client that is down is a finding, and the job runs" {
	standin
	agent_stop
	job 7 1
	expect_run 0 prolog "W17 the WEKA agent does not run"
}

@test "an agent without its pid file is a warning, and drains no node" {
	standin
	mv "$SIM/var/run/weka-agent.pid" "$SIM/agent.pid"
	NODE_JOBIO=on_error=drain conf
	job 7 1
	run prolog
	mv "$SIM/agent.pid" "$SIM/var/run/weka-agent.pid" # or nobody can end it
	[ "$status" -eq 0 ]
	expect_in "W39 an agent runs, and $SIM/var/run/weka-agent.pid does not name it" "$output"
}

@test "isolate_cpusets=true is a finding" {
	standin
	sed -i s/isolate_cpusets=false/isolate_cpusets=true/ \
		"$SIM/etc/wekaio/service.conf"
	job 7 1
	run prolog
	expect_in "W01" "$output"
}

# wire_standin [KNOB...] - a client with a socket that has READS WRITES READ_BYTES
# WRITE_BYTES starting at 10 20 1000 2000
wire_standin() {
	standin client.local_socket=true \
		client.counters="10 20 1000 2000" "$@"
	wait_until test -S "$SIM/opt/weka/external-mounts/local-sockets/client/container.sock"
}

@test "client counters while a job ran are in its record, with scope node" {
	wire_standin
	starts 7
	knob client.counters="13 24 6000 9000"
	epilog
	[ "$(record 7 | jq -c '.wire[0] | del(.meta)|with_entries(select(.value != null))')" = \
		'{"scope":"node","shared":0,"source":"container.sock","client":"weka","fs":"'"$mnt"'","read_bytes":5000,"write_bytes":7000,"read_calls":3,"write_calls":4}' ]
	[ "$(record 7 | jq -c '[(.wire | length), .app, .quality]')" = '[1,[],["no_step"]]' ]
	# for a job with the node alone the number is shared with no other job
	one_job 8 1
	[ "$(record 8 | jq -c '.wire[0] | [.scope, .shared, .read_bytes]')" = '["node",0,0]' ]
}

@test "if the client restarts while a job runs there are no client counters, and wire_reset is the reason" {
	wire_standin
	starts 7
	knob client.counters="9 9 9000 9000"
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
	starts 8
	knob client.local_socket=false
	wait_until test ! -e "$SIM/opt/weka/external-mounts/local-sockets/client/container.sock"
	epilog
	[ "$(record 8 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
}

@test "without the socket, or after it closes, there are no client counters and no finding" {
	standin
	starts 7
	[ ! -e "$NODE/run/7/wire" ]
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step"]]' ]
	wire_standin
	for fault in hang garbage; do
		knob faults.socket=no
		starts 8
		[ -s "$NODE/run/8/wire" ]
		knob faults.socket="$fault"
		epilog
		[ "$(record 8 | jq -c '[.wire, .quality]')" = '[null,["no_step","client_unreadable"]]' ]
	done
}

@test "a hanging socket costs a second and one line when the client is called again" {
	wire_standin faults.socket=hang
	job 7
	expect_run 0 prolog "jobio: prolog: job 7: wire: '$SIM/opt/weka/external-mounts/local-sockets/client/container.sock': no answer in time"
	[ ! -e "$NODE/run/7/wire" ]
	epilog
	[ "$(record 7 | jq -c .wire)" = null ]
	job 8
	before=${EPOCHREALTIME/./}
	run prolog
	took_ms=$(((${EPOCHREALTIME/./} - before) / 1000))
	[ -z "$output" ]
	((took_ms >= 1000 && took_ms < 5000)) || fail "took $took_ms ms"
}

@test "client counters are read from a socket only" {
	standin
	mkdir -p "$NODE/sockets/client"
	touch "$NODE/sockets/client/container.sock"
	sed -i "s|^stats_socket=.*|stats_socket=$NODE/sockets/client/container.sock|" "$NODE/jobio.conf"
	job 7
	expect_run 0 prolog "wire: '$NODE/sockets/client/container.sock': not a socket of root"
	epilog
	[ "$(record 7 | jq -c .wire)" = null ]
}

@test "on a node with drives, compute and frontend containers all their cores are the client's" {
	standin client.version=5.1.0 boot.options=container_name=frontend0 boot.source=default \
		boot.setup="container --name drives0 --only-drives-cores --cores 2 --core-ids 2,3;container --name compute0 --only-compute-cores --cores 2 --core-ids 4,5;container --name frontend0 --client --only-frontend-cores --cores 2 --core-ids 6,7 --net ib0"
	job 7
	expect_run 0 prolog
	expect_gate 7 client_cpus=2-7,10-15
	epilog
	expect_in '"code":"W52"' "$(record 7)"
	[[ $(record 7) != *W35* ]]
}

@test "net:s1-2=ib0, dedicated_mode=none and non-datapath-cores are in the resources" {
	standin client.version=6.0.0 boot.options="core=4,core=5,net:s1=ib0,net:s2=ib1,dedicated_mode=none,container_name=c88742862af5client"
	"$weka" local resources non-datapath-cores 6 --container c88742862af5client
	"$weka" local resources apply --force --container c88742862af5client
	job 7
	expect_run 0 prolog
	expect_gate 7 client_cpus=
	epilog
	expect_in "2 of 2 frontends of container 'c88742862af5client' do not poll" "$(record 7)"
	expect_in "has its management on CPU 6 (non-datapath-cores)" "$(record 7)"
	knob client.containerless=true
	rm -r "$NODE/run"
	one_job 8
	expect_in '"code":"W32","severity":"warning"' "$(record 8)"
}
