#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Mount, remount, umount: transitions #1 to #8, #15 and #16 of README.md.
# Each test names the documented fact; "assumed" where nothing public says so.
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

load private

@test "1: a first stateless mount creates the container and joins it [docs 4.4, mounting-filesystems]" {
	agent_up
	[ "$(json d local ps)" = "[]" ]
	mount_sim -o core=3,net=eth0 backend0,backend1/default "$mnt"
	[ "$(status)" = READY ]
	[ "$(json 'd["backend_endpoints"][1]["ip"]' local resources)" = backend1 ]
}

@test "1: on the way it is STEM, then CLUSTERIZING, and state says READY all the time [weka-operator]" {
	client_up
	knob faults.stuck_start=true faults.stuck_join=true
	"$weka" local restart &
	seen() { [ "$(json '(d[0]["internalStatus"]["display_status"], d[0]["internalStatus"]["state"])' local ps)" = "('$1', 'READY')" ]; }
	wait_until seen STEM
	knob faults.stuck_start=false
	wait_until seen CLUSTERIZING
	knob faults.stuck_join=false
	wait_until seen READY
	wait
}

@test "1: num_cores=N lets WEKA choose, balanced over NUMA nodes, and resources show automatic cores [docs 4.4; weka/tools 690]" {
	knob boot.options=num_cores=2,net=eth0
	client_up
	[ "$(cores)" = "[4294967295, 4294967295]" ]
	run "$weka" local resources
	[[ ${lines[2]} == *"<auto>" ]]
	run python3 -c "
import json
print(sorted(json.load(open('$SIM/var/lib/weka-sim/state.json'))['containers']['client']['placed'].values()))"
	[ "$output" = "[3, 7]" ]
}

@test "1: a second container gets cores that the first one does not have [docs 4.4: dedicated cores]" {
	knob boot.options=num_cores=1,net=eth0
	client_up
	mount_sim -o num_cores=1,net=eth0,container_name=second other0/default "$SIM/mnt/second"
	run python3 -c "
import json
c = json.load(open('$SIM/var/lib/weka-sim/state.json'))['containers']
print(c['client']['placed']['1'], c['second']['placed']['1'])"
	[ "$output" = "3 2" ]
}

@test "2: options of a second mount touch only that mount, cores are ignored silently [docs: effective on the first mount only]" {
	client_up
	mount_sim -o core=5,net=eth0,readcache backend0/other "$SIM/mnt/other"
	[ "$(cores)" = "[3]" ]
	[[ $(mounted_options) == *writecache* ]]
	mnt=$SIM/mnt/other
	[[ $(mounted_options) == *readcache* ]]
	interface | grep -x 'Active mounts: 2'
}

@test "2: a stateful mount names the filesystem only and needs a container [docs 4.4]" {
	knob boot.source=
	client_up
	fails_with 32 "no client container is running" mount_sim default "$mnt"
	"$weka" local setup client --cores 1 --core-ids 3 --net eth0 --join-ips 192.0.2.11
	mount_sim default "$mnt"
	grep -q "^default $mnt wekafs " "$SIM/run/weka-sim/mounts"
	umount_sim "$mnt"
	[ "$("$weka" local ps --output persistent --format csv --no-header)" = True ]
}

@test "5: up to 4.4 a remount with core= says yes and changes nothing [docs 4.4: remount No; assumed: ignored]" {
	client_up
	mount_sim -o remount,core=3,core=5,net=eth0 backend0/default "$mnt"
	[ "$(cores)" = "[3]" ]
	[ "$(cores --stable)" = "[3]" ]
}

@test "5: or it is an error, by a knob [assumed]" {
	knob rules.remount_cores_4x=error
	client_up
	fails_with 32 "cannot be changed by a remount" \
		mount_sim -o remount,num_cores=2 backend0/default "$mnt"
	[ "$(cores)" = "[3]" ]
}

@test "6: from 5.x on a remount with core= restarts the container with the new frontends [docs 5.x]" {
	knob client.version=5.1.0
	client_up
	pid=$(pid_of_slot 1)
	mount_sim -o remount,core=3,core=5 backend0/default "$mnt"
	[ "$(cores --stable)" = "[3, 5]" ]
	[ "$(pid_of_slot 1)" != "$pid" ]
	[ "$(status)" = READY ]
	interface | grep -q 'FE 1: Connected'
}

@test "6: from 5.x on any remount of a stateless client restarts its container, and I/O stalls [docs 5.x]" {
	knob client.version=5.1.0 rules.remount_waits=false faults.stuck_start=true
	client_up_at_once() { knob faults.stuck_start=false && client_up && knob faults.stuck_start=true; }
	client_up_at_once
	pid=$(pid_of_slot 1)
	mount_sim -o remount,readcache backend0/default "$mnt"
	# shellcheck disable=SC2016 # eval expands it
	wait_until eval '[[ $(status) == STEM ]]'
	refute eval "interface | grep -q 'FE 0: Connected'"
	knob faults.stuck_start=false
	# shellcheck disable=SC2016 # eval expands it
	wait_until eval '[[ $(status) == READY ]]'
	[ "$(pid_of_slot 1)" != "$pid" ]
	[[ $(mounted_options) == *readcache* ]]
}

@test "6: by a knob only other cores do [assumed]" {
	knob client.version=5.1.0 rules.remount_restart_5x=cores
	client_up
	pid=$(pid_of_slot 1)
	mount_sim -o remount,core=3,forcedirect backend0/default "$mnt"
	[ "$(pid_of_slot 1)" = "$pid" ]
	[[ $(mounted_options) == *forcedirect* ]]
}

@test "6: a remount cannot take frontends away [docs newest: not while a mount is active]" {
	knob client.version=5.1.0 boot.options=core=3,core=5,net=eth0
	client_up
	fails_with 32 "Cannot lower frontend count while a mount is active" \
		mount_sim -o remount,core=3 backend0/default "$mnt"
	[ "$(cores)" = "[3, 5]" ]
}

@test "7: a busy target stays mounted, lazy umount takes it away [cli reference; assumed rc 32]" {
	client_up
	knob faults.umount_busy=true
	fails_with 32 "target is busy" umount_sim "$mnt"
	[ -n "$(mounted_options)" ]
	umount_sim -l "$mnt"
	[ -z "$(mounted_options)" ]
}

@test "8: a container with another mount stays [docs 4.4: last umount]" {
	client_up
	mount_sim backend0/other "$SIM/mnt/other"
	umount_sim "$mnt"
	[ "$(status)" = READY ]
	interface | grep -x 'Active mounts: 1'
}

@test "15: limits of the mount options are enforced [docs 4.4, tables; wording assumed]" {
	agent_up
	refused() { fails_with 32 "$1" mount_sim -o "$2" backend0/default "$mnt"; }
	refused "core 0 cannot be used" core=0,net=eth0
	refused "mutually exclusive" core=3,num_cores=1,net=eth0
	refused "only allowed with net=udp" num_cores=0,net=eth0
	refused "at most 19" num_cores=20,net=eth0
	refused "does not exist or is offline" core=99,net=eth0
	refused "minimum is 512" core=3,net=eth0,traces_capacity_mb=100
	refused "minimum is 60" core=3,net=eth0,remove_after_secs=59
	refused "'net' is required" core=3
	refused "unknown mount option 'forcedirekt'" core=3,net=eth0,forcedirekt
	[ "$(json d local ps)" = "[]" ]
}

@test "15: an offline core is refused when staged too [assumed]" {
	knob topology.offline=5
	client_up
	fails_with 1 "core 5 does not exist or is offline" \
		"$weka" local resources cores 2 --core-ids 3,5
}

@test "16: virtual functions need as many devices as cores [docs 5.x]" {
	knob nic.kind=vf
	agent_up
	fails_with 32 "number of network devices (1) must be the number of cores (2)" \
		mount_sim -o core=3,core=5,net=eth0 backend0/default "$mnt"
	mount_sim -o core=3,core=5,net=eth0,net=eth1 backend0/default "$mnt"
}

@test "16: UDP with num_cores=0 dedicates no core [docs 4.4]" {
	agent_up
	mount_sim -o num_cores=0,net=udp backend0/default "$mnt"
	[ "$(json 'd["nodes"]["1"]["dedicate_core"]' local resources)" = False ]
}
