#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Prolog and epilog with the stand-in of tests/sim, which behaves as WEKA's
# documents say, in all its versions.
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

# standin KNOB... - a client on core 7 of 8, mounted, and a jobio.conf for it
standin() {
	sim_fresh topology.sockets=1 topology.cores_per_socket=8 \
		boot.options="core=7,net=eth0" "$@"
	sed -i s/cgroups_mode=auto/cgroups_mode=none/ \
		"$SIM/etc/wekaio/service.conf"
	client_up
	conf
}

# conf [KEY=VALUE...] - more keys for the client
conf() {
	NODE_CLIENT=$(printf '%s\n' timeout_ms=60000 "$@") node_conf
	sed -i "s|^command=.*|command=$SIM/usr/bin/weka|
		s|^mount_command=.*|mount_command=$SIM/bin/mount|
		s|^mount_table=.*|mount_table=$SIM/run/weka-sim/mounts|
		s|^proc_dir=.*|proc_dir=$SIM/run/weka-sim/proc|
		s|^service_conf=.*|service_conf=$SIM/etc/wekaio/service.conf|
		s|^data_dir=.*|data_dir=$SIM/opt/weka/data|
		s|^cgroup_root=.*|cgroup_root=$SIM/sys/fs/cgroup|
		s|^agent_pidfile=.*|agent_pidfile=$SIM/var/run/weka-agent.pid|" \
		"$NODE/jobio.conf"
}

sorted_options() {
	mounted_options | tr , '\n' | sort
}

for_profile() {
	standin client.version="$1"
	local before
	before=$(sorted_options)
	job 7 1 stream
	prolog
	[[ $(mounted_options) == *forcedirect* ]]
	expect_gate 7 client_cpus=7,15
	[ "$(cores --stable)" = "[7]" ]
	epilog
	[ "$(sorted_options)" = "$before" ]
	expect_in '"restored":true' "$(record 7)"
	expect_in "\"version\":\"$1" "$(record 7)"
	# a machine without CPU 7 cannot pin the frontend there, and W28 says so
	codes=$(record 7 | grep -o '"code":"[^"]*"' | grep -v W28 || :)
	[ -z "$codes" ]
}

@test "a profile comes and goes on a 4.2 client" {
	for_profile 4.2.12
}

@test "a profile comes and goes on a 4.4 client" {
	for_profile 4.4.4
}

@test "a profile comes and goes on a 5.x client" {
	for_profile 5.0.1
}

@test "a profile comes and goes with the 6.x command line" {
	for_profile 6.0.0
}

@test "a client grows for a job by resources and apply" {
	standin
	conf core_change=grow
	job 7 2
	run prolog
	[ "$status" -eq 0 ]
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_gate 7 client_cpus=6-7,14-15
	epilog
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_in '"old":"7","new":"6-7"' "$(record 7)"
}

@test "a 5.x client grows for a job by a remount" {
	standin client.version=5.0.1
	conf core_change=grow core_method=remount
	job 7 2
	run prolog
	[ "$status" -eq 0 ]
	[ "$(cores --stable)" = "[6, 7]" ]
	expect_gate 7 client_cpus=6-7,14-15
	epilog
}

@test "a 4.4 client is not remounted for its cores" {
	standin
	conf core_change=grow core_method=remount
	job 7 2
	prolog
	[ "$(cores --stable)" = "[7]" ]
	epilog
	expect_in 'WEKA changes cores on a remount from version 5 on only' "$(record 7)"
}

@test "a 4.4 client that wants to be deactivated first keeps its cores and has nothing staged" {
	standin rules.strict_deactivate=true
	conf core_change=grow
	job 7 2
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W44 container 'client' could not change from core 7 to 6-7" "$output"
	[ "$(cores --stable)" = "[7]" ]
	[ "$(cores)" = "[7]" ]
	epilog
}

@test "a lying remount is found out" {
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

@test "a client that is down is a finding, and the job runs" {
	standin
	agent_stop
	job 7 1
	run prolog
	[ "$status" -eq 0 ]
	expect_in "W17 the WEKA agent does not run" "$output"
}

@test "isolate_cpusets=true is a finding" {
	standin
	sed -i s/isolate_cpusets=false/isolate_cpusets=true/ \
		"$SIM/etc/wekaio/service.conf"
	job 7 1
	run prolog
	expect_in "W01" "$output"
}
