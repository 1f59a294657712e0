#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Behaviour of the stand-in that jobio's tests rely on: each test names the documented fact
# (number in README.md, page or program in brackets; "assumed" if no public source has it).
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

setup_file() {
	load helpers
	sim_install
}

setup() {
	load helpers
	sim_fresh
}

teardown_file() {
	load helpers
	sim_remove
}

@test "local resources list frontends and their cores, as JSON and as text [openapi 4.2; weka-and-slurm-integration]" {
	client_up
	[ "$(cores)" = "[3]" ]
	[ "$(json 'd["nodes"]["0"]["core_id"]' local resources)" = 4294967295 ]
	run "$weka" local resources -C client
	[[ ${lines[1]} == "MANAGEMENT  0        <auto>" ]]
	[[ ${lines[2]} == "FRONTEND    1        3" ]]
}

@test "the mount table shows type wekafs and one cache word, never cores [captures of csi-wekafs]" {
	client_up
	grep -F "backend0/default $mnt wekafs rw,relatime,writecache,inode_bits=auto,readahead_kb=32768,dentry_max_age_positive=1000,dentry_max_age_negative=0,container_name=client 0 0" "$SIM/run/weka-sim/mounts"
	[[ $(mounted_options) != *core* ]]
	grep -q ' /proc proc ' "$SIM/run/weka-sim/mounts"
}

@test "3: remount: general options left out fall back to their defaults [docs 4.4, remount of general options]" {
	client_up
	mount_sim -o remount,noatime,dentry_max_age_positive=2000 backend0/default "$mnt"
	[[ $(mounted_options) == rw,noatime,writecache,*dentry_max_age_positive=2000,* ]]
	mount_sim -o remount,forcedirect backend0/default "$mnt"
	[[ $(mounted_options) == rw,relatime,forcedirect,*dentry_max_age_positive=1000,* ]]
}

@test "4: remount: stateless options left out keep their value, =default resets [docs 4.4, remount of stateless clients options]" {
	client_up
	mount_sim -o remount,readahead_kb=64 backend0/default "$mnt"
	mount_sim -o remount,readcache backend0/default "$mnt"
	[[ $(mounted_options) == *readcache*readahead_kb=64,* ]]
	mount_sim -o remount,readahead_kb=default backend0/default "$mnt"
	[[ $(mounted_options) == *writecache*readahead_kb=32768,* ]]
}

@test "a misspelt knob is an error" {
	agent_up
	printf '[faults]\nhangs = ps\n' >"$SIM/etc/weka-sim.conf"
	fails_with 70 "unknown key 'faults.hangs'" "$weka" local ps
}

@test "1: a first stateless mount creates the container and joins it [docs 4.4, mounting-filesystems]" {
	agent_up
	[ "$(json d local ps)" = "[]" ]
	mount_sim -o core=3,net=eth0 backend0,backend1/default "$mnt"
	[ "$(status)" = READY ]
	[ "$(json 'd["backend_endpoints"][1]["ip"]' local resources)" = backend1 ]
}

@test "1: num_cores=N takes cores that WEKA chooses, balanced over NUMA nodes, and resources show automatic cores [docs 4.4; weka/tools 690]" {
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

@test "2: options of a second mount touch only that mount, cores are ignored silently [docs: effective on the first mount only]" {
	client_up
	mount_sim -o core=5,net=eth0,readcache backend0/other "$SIM/mnt/other"
	[ "$(cores)" = "[3]" ]
	[[ $(mounted_options) == *writecache* ]]
	mnt=$SIM/mnt/other
	[[ $(mounted_options) == *readcache* ]]
	interface | grep -x 'Active mounts: 2'
}

@test "5: up to 4.4 a remount with core= exits 0 and changes nothing [docs 4.4: remount No; assumed: ignored]" {
	client_up
	mount_sim -o remount,core=3,core=5,net=eth0 backend0/default "$mnt"
	[ "$(cores)" = "[3]" ]
	[ "$(cores --stable)" = "[3]" ]
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

@test "6: a remount cannot take frontends away [docs newest: not while a mount is active]" {
	knob client.version=5.1.0 boot.options=core=3,core=5,net=eth0
	client_up
	fails_with 32 "Cannot lower frontend count while a mount is active" \
		mount_sim -o remount,core=3 backend0/default "$mnt"
	[ "$(cores)" = "[3, 5]" ]
}

@test "7: a busy target stays mounted, lazy umount detaches it [cli reference; assumed rc 32]" {
	client_up
	knob faults.umount_busy=true
	fails_with 32 "target is busy" umount_sim "$mnt"
	[ -n "$(mounted_options)" ]
	umount_sim -l "$mnt"
	[ -z "$(mounted_options)" ]
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

@test "9: cores are staged, stable resources are unchanged [cli reference]" {
	client_up
	"$weka" local resources -C client cores 2 --core-ids 3,5 --only-frontend-cores
	[ "$(cores)" = "[3, 5]" ]
	[ "$(cores --stable)" = "[3]" ]
	data=$SIM/opt/weka/data/client/container
	grep -q '"core_id": 5' "$data/resources.json.staging"
	refute grep -q '"core_id": 5' "$data/resources.json.stable"
	"$weka" local resources restore
	[ "$(cores)" = "[3]" ]
}

@test "10: apply without --force asks for confirmation, and fails without a terminal [cli reference; assumed: no terminal is an error]" {
	client_up
	fails_with 1 "use --force" "$weka" local resources apply -C client
	[ "$(status)" = READY ]
}

@test "13: shrinking is refused while mounted on 5.x, and nothing is applied [docs newest]" {
	knob client.version=5.1.0 boot.options=core=3,core=5,net=eth0
	client_up
	"$weka" local resources cores 1 --core-ids 3
	fails_with 1 "Cannot lower frontend count while a mount is active" \
		"$weka" local resources apply -f
	[ "$(cores --stable)" = "[3, 5]" ]
	[ "$(status)" = READY ]
}

@test "18: with the agent down I/O goes on and umount works, the rest is done when it runs again [weka-operator; assumed]" {
	client_up
	pid=$(pid_of_slot 1)
	agent_stop
	kill -0 "$pid"
	[ "$(head -c 2 "$SIM/run/weka-sim/control/0")" = w0 ]
	umount_sim "$mnt"
	[ -z "$(mounted_options)" ]
	agent_up
	[ "$(json d local ps)" = "[]" ]
}

v2_host() {
	mkdir -p "$SIM/sys/fs/cgroup/system.slice"
	echo cpuset >"$SIM/sys/fs/cgroup/cgroup.controllers"
	echo 0-15 >"$SIM/sys/fs/cgroup/cpuset.cpus.effective"
}

@test "21: force_v2 removes the cores from the root's effective CPUs although isolate_cpusets is false [ansible-slurm-appliance; mechanism assumed]" {
	v2_host
	sed -i s/cgroups_mode=auto/cgroups_mode=force_v2/ "$SIM/etc/wekaio/service.conf"
	client_up
	[ "$(cat "$SIM/sys/fs/cgroup/weka-client/cpuset.cpus.effective")" = 3,11 ]
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset.cpus.effective")" = 0-2,4-10,12-15 ]
	umount_sim "$mnt"
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset.cpus.effective")" = 0-15 ]
}

@test "22: force without cgroups V1: the container does not start [docs 4.4, addcli]" {
	v2_host
	sed -i s/cgroups_mode=auto/cgroups_mode=force/ "$SIM/etc/wekaio/service.conf"
	agent_up
	fails_with 32 "no cgroups V1" \
		mount_sim -o core=3,net=eth0 backend0/default "$mnt"
	[ "$(json d local ps)" = "[]" ]
}

@test "23: a hanging command hangs until it is killed; other commands work [check-slurm-weka-cpus.sh: local resources]" {
	client_up
	knob faults.hang=resources
	run timeout 0.3 "$weka" local resources -J
	[ "$status" -eq 124 ]
	[ "$(status)" = READY ]
}

@test "23: open of the interface file blocks when the driver is stuck [csi-wekafs cluster.go]" {
	client_up
	knob faults.proc_hang=true
	run timeout 0.3 cat "$SIM/run/weka-sim/proc/interface"
	[ "$status" -eq 124 ]
	knob faults.proc_hang=false
	interface | grep -q 'Active mounts: 1'
}

@test "after a reboot a stateless client is gone; mounting with fstab's options creates it again [docs 4.4]" {
	client_up
	"$weka" local resources cores 2 --core-ids 3,5
	"$SIM/usr/sbin/weka-sim" reboot
	[ ! -e "$SIM/run/weka-sim/mounts" ]
	client_up
	[ "$(cores --stable)" = "[3]" ]
}
