#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Cores, stop and start: transitions #9 to #14, #17, #25 and #26 of README.md.
# Each test names the documented fact; "assumed" where nothing public says so.
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

load private

@test "9: cores are staged, stable resources stay [cli reference]" {
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

@test "10: apply without --force asks, and nobody answers [cli reference; assumed: no terminal is an error]" {
	client_up
	fails_with 1 "use --force" "$weka" local resources apply -C client
	[ "$(status)" = READY ]
}

@test "11: apply -f restarts the container with the staged cores while it is mounted [weka/tools update_core_config.py; weka-operator]" {
	client_up
	"$weka" local resources cores 2 --core-ids 3,5 --only-frontend-cores -C client
	"$weka" local resources apply -f -C client
	[ "$(cores --stable)" = "[3, 5]" ]
	[ "$(status)" = READY ]
	interface | grep -q 'FE 1: Connected'
	[[ $(mounted_options) == *writecache* ]]
}

@test "11: meanwhile no frontend is connected and I/O stalls [docs newest: I/O resumes automatically]" {
	client_up
	knob faults.stuck_join=true
	"$weka" local resources apply -f &
	gone() { interface | grep -x 'Container=client FE 0: Frontend is not connected'; }
	wait_until gone
	[ "$(head -c 2 "$SIM/run/weka-sim/control/0")" = w1 ]
	knob faults.stuck_join=false
	wait
	[ "$(head -c 2 "$SIM/run/weka-sim/control/0")" = w0 ]
}

@test "11: an apply that fails goes back to the last stable resources [docs 4.4, expansion; event RevertToStableResources]" {
	client_up
	knob faults.apply_fails=true
	"$weka" local resources cores 2 --core-ids 3,5
	fails_with 1 "Reverted to the last stable resources" \
		"$weka" local resources apply -f
	[ "$(cores)" = "[3]" ]
	[ "$(status)" = READY ]
	"$weka" local events | grep RevertToStableResources
}

@test "11: an apply goes on when its command is killed [assumed: the agent does it]" {
	client_up
	knob faults.stuck_join=true
	"$weka" local resources cores 2 --core-ids 3,5
	"$weka" local resources apply -f &
	joining() { [ "$(status)" = CLUSTERIZING ]; }
	wait_until joining
	kill -9 $!
	knob faults.stuck_join=false
	ready() { [ "$(status)" = READY ]; }
	wait_until ready
	[ "$(cores --stable)" = "[3, 5]" ]
}

@test "11: an agent killed during an apply brings the container up when it is back [docs: monitoring]" {
	client_up
	knob faults.stuck_join=true
	"$weka" local resources cores 2 --core-ids 3,5
	"$weka" local resources apply -f 3>&- &
	joining() { [ "$(status)" = CLUSTERIZING ]; }
	wait_until joining
	kill -9 "$(cat "$SIM/var/run/weka-agent.pid")"
	wait
	knob faults.stuck_join=false
	agent_up
	ready() { [ "$(status)" = READY ]; }
	wait_until ready
	[ "$(cores --stable)" = "[3, 5]" ]
}

@test "a process that the agent's state does not know is ended when the agent is back" {
	client_up
	pid=$(pid_of_slot 1)
	agent_stop
	sed -i "s/^ *$pid,/999999999,/" "$SIM/var/lib/weka-sim/state.json"
	agent_up
	wait_until refute kill -0 "$pid"
}

@test "12: stop refuses while something is mounted, unless forced [cli reference: skip the check for active mounts]" {
	client_up
	fails_with 1 "active mounts" "$weka" local stop client
	"$weka" local stop -f client
	[ "$(json '(d[0]["runStatus"], d[0]["internalStatus"]["display_status"])' local ps)" = "('Stopped', '')" ]
	"$weka" local start client
	[ "$(status)" = READY ]
}

@test "12: a restart applies what was staged [docs 3.x, expansion: the trap of staging]" {
	client_up
	"$weka" local resources cores 1 --core-ids 5
	"$weka" local restart
	[ "$(cores --stable)" = "[5]" ]
}

@test "12: restart has no --force in 4.4 and has it in 6.x [cli references]" {
	client_up
	fails_with 2 "unrecognized option" "$weka" local restart -f
	knob client.version=6.0.1
	"$weka" local restart -f
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

@test "13: without a mount an active client may shrink [docs newest]" {
	knob client.version=5.1.0 boot.source= \
		boot.setup="--core-ids 3,5 --net eth0 --join-ips 192.0.2.11"
	client_up
	[ "$(cores --stable)" = "[3, 5]" ]
	"$weka" local resources cores 1 --core-ids 3
	"$weka" local resources apply -f
	[ "$(cores --stable)" = "[3]" ]
}

@test "14: a strict 4.x wants the container deactivated [docs 4.4, expansion; wording assumed]" {
	knob rules.strict_deactivate=true
	client_up
	fails_with 1 "must be deactivated" "$weka" local resources cores 2
}

@test "17: without hugepages for more frontends the old ones come back [assumed]" {
	knob memory.hugepages_mb=1500
	client_up
	"$weka" local resources cores 2 --core-ids 3,5
	fails_with 1 "hugepages" "$weka" local resources apply -f
	[ "$(cores --stable)" = "[3]" ]
	[ "$(status)" = READY ]
}

@test "25: a killed frontend is started again, unless monitoring is off [cli reference: local monitoring]" {
	client_up
	pid=$(pid_of_slot 1)
	kill -9 "$pid"
	again() { [ "$(pid_of_slot 1)" != "$pid" ] && kill -0 "$(pid_of_slot 1)"; }
	wait_until again
	[ "$(json 'd[0]["lastFailure"]' local ps)" = "Process of slot 1 died" ]
	"$weka" local monitoring stop client
	kill -9 "$(pid_of_slot 1)"
	gone() { interface | grep -q 'FE 0: Frontend is not connected'; }
	wait_until gone
}

@test "25: a frontend that died comes back after a while, which a knob sets [cli reference: local monitoring; time assumed]" {
	knob time.respawn_s=1000000 # documented seconds, a thousand times quicker
	client_up
	pid=$(pid_of_slot 1)
	kill -9 "$pid"
	noticed() { [ "$(json 'd[0]["lastFailure"]' local ps)" = "Process of slot 1 died" ]; }
	wait_until noticed
	gone() { interface | grep -q 'FE 0: Frontend is not connected'; }
	wait_until gone
	[ "$(pid_of_slot 1)" = "$pid" ]
	knob time.respawn_s=0
	again() { [ "$(pid_of_slot 1)" != "$pid" ] && interface | grep -q 'FE 0: Connected'; }
	wait_until again
}

@test "26: process ids stay over a restart and change when the container is made anew [assumed]" {
	knob cluster.logged_in=true
	client_up
	ids() { json '[r["node_id"] for r in d]' cluster process; }
	first=$(ids)
	"$weka" local restart
	[ "$(ids)" = "$first" ]
	umount_sim "$mnt"
	mount_sim -o core=3,net=eth0 backend0/default "$mnt"
	[ "$(ids)" != "$first" ]
}

@test "resources can be exported, edited and imported [weka/tools update_core_config.py]" {
	client_up
	"$weka" local resources export "$SIM/shape.json"
	sed -i 's/"core_id": 3/"core_id": 5/' "$SIM/shape.json"
	"$weka" local resources import -f "$SIM/shape.json"
	[ "$(cores)" = "[5]" ]
	"$weka" local resources apply -f
	[ "$(cores --stable)" = "[5]" ]
}

@test "after a reboot a persistent client starts with what was staged [docs 3.x, expansion]" {
	knob boot.setup="--cores 1 --core-ids 3 --net eth0" boot.source=default boot.options=
	client_up
	"$weka" local resources cores 2 --core-ids 3,5
	"$SIM/usr/sbin/weka-sim" reboot
	client_up
	[ "$(cores --stable)" = "[3, 5]" ]
}
