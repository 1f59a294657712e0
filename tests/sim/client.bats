#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-in's client as a whole: each test names the documented fact (page
# or program in brackets; "assumed" where nothing public says so).
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

load private

@test "the agent is found by pgrep under its documented name and in its pidfile [weka/tools 480]" {
	agent_up
	run pgrep -x -f "$weka --agent"
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat "$SIM/var/run/weka-agent.pid")" ]
}

@test "18: without the agent every local command fails and a mount fails too [weka-operator; assumed text]" {
	fails_with 1 "Failed to connect to the WEKA agent" "$weka" local ps -J
	fails_with 1 "Failed to connect to the WEKA agent" \
		"$weka" local resources -J
	fails_with 32 "cannot connect to the WEKA agent" \
		mount_sim -o core=3,net=eth0 backend0/default "$mnt"
}

@test "frontends and mounts survive a restart of the agent [assumed: separate processes]" {
	client_up
	pid=$(pid_of_slot 1)
	agent_restart
	[ "$(pid_of_slot 1)" = "$pid" ]
	kill -0 "$pid"
	[ "$(status)" = READY ]
	[[ $(mounted_options) == *writecache* ]]
}

@test "local ps says READY in display_status [weka-operator internal/services/weka.go]" {
	client_up
	[ "$(json '(d[0]["name"], d[0]["isRunning"], sorted(d[0]))' local ps)" = "('client', True, ['internalStatus', 'isDisabled', 'isRunning', 'lastFailure', 'lastFailureTime', 'name', 'runStatus', 'type', 'versionName'])" ]
	[ "$(status)" = READY ]
}

@test "local ps as text and CSV has the columns of the 4.4 reference [docs cli reference; ansible-slurm-appliance]" {
	client_up
	run "$weka" local ps
	[[ ${lines[0]} == CONTAINER*STATE*DISABLED*UPTIME*MONITORING*PERSISTENT*PORT*PID*STATUS*VERSION ]]
	[[ ${lines[1]} == client*Running*False*True*False*14000*Ready*4.4.4 ]]
	run "$weka" local ps --format csv --no-header --output name,state
	[ "$output" = "client,Running" ]
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

@test "the driver's interface file counts mounts and names connected frontends [capture of csi-wekafs]" {
	client_up
	interface | grep -F 'mount:[wc-client:sbid-0x31a8] default -o,writecache,'
	interface | grep -x 'Active mounts: 1'
	interface | grep -x "Container=client FE 0: Connected frontend pid $(pid_of_slot 1)"
}

@test "a frontend is called wekanode --slot N [weka-operator weka_runtime.py]" {
	client_up
	tr '\0' ' ' <"/proc/$(pid_of_slot 1)/cmdline" | grep -x '/weka/wekanode --slot 1 '
}

@test "a frontend burns what its knob says" {
	knob frontend.duty=50
	client_up
	pid=$(pid_of_slot 1)
	used() { awk '{print $14 + $15}' "/proc/$pid/stat"; }
	burned() { [ "$(used)" -ge 20 ]; }
	wait_until burned
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

@test "mount -o remount with the target only keeps the table's words, as mount(8) puts them in front [mount(8)]" {
	client_up
	mount_sim -o remount,noatime,forcedirect backend0/default "$mnt"
	"$SIM/bin/mount" -o remount,dentry_max_age_negative=5 "$mnt"
	[[ $(mounted_options) == rw,noatime,forcedirect,*dentry_max_age_negative=5,* ]]
}

@test "8: the last umount of a stateless client removes it [docs 4.4, mounting-filesystems]" {
	client_up
	pid=$(pid_of_slot 1)
	umount_sim "$mnt"
	[ "$(json 'd' local ps)" = "[]" ]
	wait_until refute grep -q wekanode "/proc/$pid/comm"
	[ -z "$(mounted_options)" ]
	[ ! -e "$SIM/opt/weka/data/client/container/resources.json" ]
}

@test "24: cluster commands end with 41 when nobody is logged in [weka/tools ta scripts]" {
	client_up
	fails_with 41 "not logged in" "$weka" status -J
	fails_with 41 "not logged in" "$weka" cluster process -J
	"$weka" user login admin admin
	[ "$(json 'd[1]["node_id"]' cluster process)" = "NodeId<42>" ]
}

@test "a misspelt knob is an error, not a silent test" {
	agent_up
	printf '[faults]\nhangs = ps\n' >"$SIM/etc/weka-sim.conf"
	fails_with 70 "unknown key 'faults.hangs'" "$weka" local ps
}
