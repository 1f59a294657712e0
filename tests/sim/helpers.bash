# SPDX-License-Identifier: GPL-2.0-or-later
# helpers for the stand-in's own tests: one stand-in under a private root

sim_install() {
	SIM=$(mktemp -d)
	export SIM
	"$SRCDIR/tests/sim/install" --no-fuse "$SIM"
	weka=$SIM/usr/bin/weka
	mnt=$SIM/mnt/weka
	export weka mnt
}

# Documented seconds pass a thousand times as fast.
sim_fresh() {
	rm -f "$SIM/etc/wekaio/weka.conf"
	printf '%s\n' '[agent]' 'isolate_cpusets=false' 'cgroups_mode=auto' \
		>"$SIM/etc/wekaio/service.conf"
	rm -rf "$SIM/sys"
	"$SIM/usr/sbin/weka-sim" reset time.compression=1000 topology.sockets=2 \
		topology.cores_per_socket=4 topology.threads=2 frontend.duty=0 \
		boot.options="core=3,net=eth0" "$@"
}

sim_remove() {
	"$SIM/usr/sbin/weka-sim" reset
	rm -rf "$SIM"
}

knob() { "$SIM/usr/sbin/weka-sim" set "$@"; }
agent_up() { "$SIM/usr/sbin/weka-sim-start" --agent-only; }
agent_stop() { "$SIM/usr/sbin/weka-sim" stop-agent; }
client_up() { "$SIM/usr/sbin/weka-sim-start"; }
mount_sim() { "$SIM/bin/mount" -t wekafs "$@"; }
umount_sim() { "$SIM/bin/umount" "$@"; }

# The option field of the mount in the mount table.
mounted_options() {
	awk -v t="$mnt" '$2 == t && $3 == "wekafs" {print $4}' \
		"$SIM/run/weka-sim/mounts"
}

interface() { cat "$SIM/run/weka-sim/proc/interface"; }

# json EXPRESSION - evaluate it with d = output of `weka ARGS -J`: json 'd[0]["x"]' local ps
json() {
	local expression=$1
	shift
	"$weka" "$@" -J | python3 -c "
import json, sys
d = json.load(sys.stdin)
print($expression)"
}

cores() {
	json 'sorted(n["core_id"] for n in d["nodes"].values()
		if "FRONTEND" in n["roles"])' local resources "$@"
}

status() { json 'd[0]["internalStatus"]["display_status"]' local ps; }
pid_of_slot() {
	"$SIM/usr/sbin/weka-sim" state | python3 -c "
import json, sys
print(json.load(sys.stdin)['containers']['client']['procs']['$1'][0])"
}

# wait_until COMMAND... - poll, at most five seconds
wait_until() {
	local end=$((SECONDS + 5))
	until "$@" >/dev/null 2>&1; do
		if ((SECONDS >= end)); then
			echo "did not happen in 5 s: $*" >&2
			return 1
		fi
		sleep 0.02
	done
}

# fails_with STATUS TEXT COMMAND... - it exits with STATUS and prints TEXT
fails_with() {
	local want=$1 text=$2
	shift 2
	run "$@"
	# shellcheck disable=SC2154 # bats sets status and output
	if [[ $status != "$want" || $output != *"$text"* ]]; then
		printf 'wanted %s and "%s", got %s: %s\n' \
			"$want" "$text" "$status" "$output" >&2
		return 1
	fi
}

# refute COMMAND... - it must fail
refute() {
	if "$@" >/dev/null 2>&1; then
		echo "should have failed: $*" >&2
		return 1
	fi
}
