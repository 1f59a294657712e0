#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# service.conf, cgroups, faults, formats: transitions #18 to #24 of README.md.
# Each test names the documented fact; "assumed" where nothing public says so.
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

load private

@test "18: with the agent down I/O goes on and umount works, the rest is done when it is back [weka-operator; assumed]" {
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

@test "19: service.conf is read when the agent starts, cgroups_mode also needs a container restart [docs 4.4, addcli]" {
	mkdir -p "$SIM/sys/fs/cgroup/cpuset"
	client_up
	"$weka" local status | grep -x 'Cgroups: mode=auto, version=V1, enabled=true'
	sed -i s/cgroups_mode=auto/cgroups_mode=none/ "$SIM/etc/wekaio/service.conf"
	"$weka" local restart
	"$weka" local status | grep -q 'mode=auto'
	agent_restart
	"$weka" local status | grep -q 'mode=auto'
	"$weka" local restart
	"$weka" local status | grep -x 'Cgroups: mode=none, version=V1, enabled=false'
	[ ! -d "$SIM/sys/fs/cgroup/cpuset/weka-client" ]
}

# others_cpus - a cpuset of Slurm's, made of files
others_cpus() {
	other=$SIM/sys/fs/cgroup/cpuset/slurm/system
	mkdir -p "$other"
	echo 0-15 >"${other%/system}/cpuset.cpus"
	echo 0-15 >"$other/cpuset.cpus"
}

@test "20: isolate_cpusets=true takes cores and siblings from every other cpuset, and a removal gives them back [docs, slurm integration; how is assumed]" {
	others_cpus
	sed -i s/isolate_cpusets=false/isolate_cpusets=true/ "$SIM/etc/wekaio/service.conf"
	client_up
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset/weka-client/cpuset.cpus")" = 3,11 ]
	[ "$(cat "$other/cpuset.cpus")" = 0-2,4-10,12-15 ]
	echo 0-15 >"$other/cpuset.cpus"
	"$weka" local restart
	[ "$(cat "$other/cpuset.cpus")" = 0-2,4-10,12-15 ]
	umount_sim "$mnt"
	[ "$(cat "$other/cpuset.cpus")" = 0-15 ]
}

@test "20: isolate_cpusets=false leaves the others alone, in every spelling that an INI reader takes [docs; deployment scripts]" {
	others_cpus
	for line in 'isolate_cpusets=false' 'isolate_cpusets = false' \
		'isolate_cpusets=FALSE' 'isolate_cpusets=no' 'isolate_cpusets=0' \
		$'isolate_cpusets=true\n[os]\nisolate_cpusets=false'; do
		printf '[agent]\n%s\n' "$line" >"$SIM/etc/wekaio/service.conf"
		agent_stop
		client_up
		[ "$(cat "$other/cpuset.cpus")" = 0-15 ]
		umount_sim "$mnt"
	done
}

@test "20: a misspelt, commented or missing key means true, the default [docs: true by default]" {
	others_cpus
	for line in 'isolate_cpuset=false' '#isolate_cpusets=false' ''; do
		printf '[agent]\n%s\n' "$line" >"$SIM/etc/wekaio/service.conf"
		agent_stop
		client_up
		[ "$(cat "$other/cpuset.cpus")" = 0-2,4-10,12-15 ]
		umount_sim "$mnt"
	done
}

@test "20: weka.conf counts only when there is no service.conf [assumed]" {
	others_cpus
	echo isolate_cpusets=false >"$SIM/etc/wekaio/weka.conf"
	echo isolate_cpusets=true >"$SIM/etc/wekaio/service.conf"
	client_up
	[ "$(cat "$other/cpuset.cpus")" != 0-15 ]
	umount_sim "$mnt"
	rm "$SIM/etc/wekaio/service.conf"
	agent_stop
	client_up
	[ "$(cat "$other/cpuset.cpus")" = 0-15 ]
}

v2_host() {
	mkdir -p "$SIM/sys/fs/cgroup/system.slice"
	echo cpuset >"$SIM/sys/fs/cgroup/cgroup.controllers"
	echo 0-15 >"$SIM/sys/fs/cgroup/cpuset.cpus.effective"
}

@test "21: force_v2 makes the cores vanish from the root although isolate_cpusets is false [ansible-slurm-appliance; mechanism assumed]" {
	v2_host
	sed -i s/cgroups_mode=auto/cgroups_mode=force_v2/ "$SIM/etc/wekaio/service.conf"
	client_up
	[ "$(cat "$SIM/sys/fs/cgroup/weka-client/cpuset.cpus.effective")" = 3,11 ]
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset.cpus.effective")" = 0-2,4-10,12-15 ]
	"$weka" local status | grep -x 'Cgroups: mode=force_v2, version=V2, enabled=true'
	umount_sim "$mnt"
	[ "$(cat "$SIM/sys/fs/cgroup/cpuset.cpus.effective")" = 0-15 ]
}

@test "21: the directory may be weka.slice [docs newest: path may vary]" {
	v2_host
	knob cgroup.v2_directory=weka.slice
	sed -i s/cgroups_mode=auto/cgroups_mode=force_v2/ "$SIM/etc/wekaio/service.conf"
	client_up
	[ "$(cat "$SIM/sys/fs/cgroup/weka.slice/cpuset.cpus.effective")" = 3,11 ]
}

@test "22: auto on a v2 host means no cgroup at all [weka/tools 875]" {
	v2_host
	client_up
	"$weka" local status | grep -x 'Cgroups: mode=auto, version=V2, enabled=false'
	[ ! -d "$SIM/sys/fs/cgroup/weka-client" ]
}

@test "22: force without cgroups V1 is a container that does not start [docs 4.4, addcli]" {
	v2_host
	sed -i s/cgroups_mode=auto/cgroups_mode=force/ "$SIM/etc/wekaio/service.conf"
	agent_up
	fails_with 32 "no cgroups V1" \
		mount_sim -o core=3,net=eth0 backend0/default "$mnt"
	[ "$(json d local ps)" = "[]" ]
}

@test "22: 4.2 prints no version, the newest release prints cgroups in lower case [docs 4.2; docs newest]" {
	knob client.version=4.2.0
	client_up
	"$weka" local status | grep -x 'Cgroups: mode=auto, enabled=false'
	knob client.version=5.1.0
	"$weka" local status | grep -x 'cgroups: mode=auto, version=V1, enabled=false'
}

@test "23: a command that hangs does so until it is killed, and only that one [check-slurm-weka-cpus.sh: local resources]" {
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

@test "23: umount says it worked and the mount is still there [csi-wekafs wekafsmount.go]" {
	client_up
	knob faults.umount_lies=true
	umount_sim "$mnt"
	[ -n "$(mounted_options)" ]
	[ "$(status)" = READY ]
}

@test "23: a remount may say yes and change nothing [assumed]" {
	client_up
	knob faults.remount_lies=true
	mount_sim -o remount,forcedirect backend0/default "$mnt"
	[[ $(mounted_options) == *writecache* ]]
}

@test "23: a frontend may be disconnected while the container says READY [csi-wekafs captures]" {
	knob boot.options=core=3,core=5,net=eth0 faults.disconnected=1
	client_up
	[ "$(status)" = READY ]
	interface | grep -q 'FE 0: Connected frontend pid'
	interface | grep -x 'Container=client FE 1: Frontend is not connected'
}

@test "23: a container may stay in CLUSTERIZING [weka-operator: Joining cluster]" {
	client_up
	knob faults.stuck_join=true
	"$weka" local restart &
	joining() { [ "$(status)" = CLUSTERIZING ]; }
	wait_until joining
	knob faults.stuck_join=false
	wait
	[ "$(status)" = READY ]
}

@test "23: commands may fail or be cut in the middle [assumed]" {
	client_up
	knob faults.fail=status faults.garbage=ps
	fails_with 1 "Internal error" "$weka" local status -J
	run "$weka" local ps -J
	refute python3 -m json.tool <<<"$output"
}

@test "23: a second agent may run [weka/tools 480]" {
	client_up
	knob faults.two_agents=true
	[ "$(pgrep -c -x -f "$weka --agent")" -eq 2 ]
	knob faults.two_agents=false
	[ "$(pgrep -c -x -f "$weka --agent")" -eq 1 ]
}

@test "24: exit status 127 is a missing command line, 41 nobody logged in [weka/tools]" {
	agent_up
	fails_with 41 "not logged in" "$weka" stats --category ops_driver -J
	fails_with 1 "Authentication failed" "$weka" user login admin wrong
}

@test "two clusters: two containers, named in the mount table [docs 4.4, multiple clusters]" {
	client_up
	mount_sim -o core=5,net=eth0,container_name=second other0/default "$SIM/mnt/second"
	[ "$(json '[c["name"] for c in d]' local ps)" = "['client', 'second']" ]
	fails_with 1 "More than one container" "$weka" local resources -J
	[ "$(cores -C second)" = "[5]" ]
	interface | grep -q 'Container=second FE 0: Connected'
}

@test "6.x: plain numbers, renamed columns, short options gone, WEKA_CLI_LEGACY brings them back [docs 6.0 command line]" {
	knob client.version=6.0.1 cluster.logged_in=true
	client_up
	[ "$(json 'd[1]["node_id"]' cluster process)" = 42 ]
	[ "$(json 'd[0]["version"]' local ps)" = 6.0.1 ]
	fails_with 2 "unrecognized option '-o'" "$weka" local ps -o name
	run env WEKA_CLI_LEGACY=1 "$weka" local ps --no-header -o name
	[ "$output" = client ]
}

@test "4.2: local status has internalStatus in the container itself, later below status [weka/tools reads both]" {
	knob client.version=4.2.0
	client_up
	[ "$(json 'd["client"]["internalStatus"]["display_status"]' local status)" = READY ]
	knob client.version=4.4.4
	[ "$(json '(d["client"]["status"]["internalStatus"]["display_status"], d["client"]["mount_points"])' local status)" = "('READY', ['$mnt'])" ]
}

@test "5.x: the driver has files per container too, with the age of waiting requests [docs 5.x; weka-operator]" {
	knob client.version=5.1.0
	client_up
	grep -q 'Active mounts: 1' "$SIM/run/weka-sim/proc/client/interface"
	"$weka" local stop -f
	grep -E ' [0-9]+ ms$' "$SIM/run/weka-sim/proc/client/queue"
}

@test "the container's socket answers JSON-RPC with cumulative counters [weka-operator node_agent.go]" {
	knob client.local_socket=true
	client_up
	socket=$SIM/opt/weka/external-mounts/local-sockets/client/container.sock
	wait_until test -S "$socket"
	run python3 - "$socket" <<-'PYTHON'
		import http.client, json, os, socket, sys
		c = http.client.HTTPConnection("localhost")
		c.sock = socket.socket(socket.AF_UNIX)
		os.chdir(os.path.dirname(sys.argv[1]))
		c.sock.connect("container.sock")
		c.request("POST", "/api/v1", json.dumps({"jsonrpc": "2.0", "id": 1,
		          "method": "fetch_local_stats"}))
		for row in json.loads(c.getresponse().read())["result"]:
		    print(row["category"], row["stat"], row["value"])
	PYTHON
	[[ $output == *"fs_stats READ_BYTES 0"* ]]
}

@test "after a reboot a stateless client is gone and comes back from fstab's options [docs 4.4]" {
	client_up
	"$weka" local resources cores 2 --core-ids 3,5
	"$SIM/usr/sbin/weka-sim" reboot
	[ ! -e "$SIM/run/weka-sim/mounts" ]
	client_up
	[ "$(cores --stable)" = "[3]" ]
}
