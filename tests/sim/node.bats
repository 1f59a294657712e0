#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The stand-in on a node: a mounted file system, and CPUs in use by frontends.
# Needs root, /dev/fuse, CAP_SYS_ADMIN, CAP_SYS_NICE, writable cpusets of
# cgroup v1, and two CPUs; it installs the stand-in under / and resets its
# state, so run it in a container (see README.md).
# shellcheck source=/dev/null disable=SC2154,SC2317,SC2030,SC2031,SC2034
# (helpers.bash sets variables, functions are called by name, tests are subshells)

setup_file() {
	local here
	here=$(dirname "$BATS_TEST_FILENAME")
	awk '$5 ~ "^/sys/fs/cgroup" {print $5}' /proc/self/mountinfo |
		while read -r m; do mount -o remount,bind,rw "$m"; done
	"$here/install"
}

setup() {
	load helpers
	SIM=
	mnt=/mnt/weka
	weka=/usr/bin/weka
	printf '%s\n' '[agent]' isolate_cpusets=false cgroups_mode=auto \
		>/etc/wekaio/service.conf
	weka-sim reset time.compression=200 boot.options=core=1,net=eth0
}

teardown_file() {
	weka-sim reset
}

start() { weka-sim-start; }
options() { awk '$2 == "/mnt/weka" && $3 == "wekafs" {print $4}' /run/weka-sim/mounts; }
as_user() { runuser -u nobody -- sh -c "$1"; }

@test "mount -t wekafs gives a file system that does real I/O for a user" {
	start
	as_user 'cd /mnt/weka && mkdir d && echo one >d/a && cat d/a >>d/b &&
		echo two >>d/b && mv d/a d/c && ln -s c d/l && ln d/c d/h'
	[ "$(cat /mnt/weka/d/b)" = $'one\ntwo' ]
	[ "$(cat /mnt/weka/d/l)" = one ]
	[ "$(stat -c '%U %h' /mnt/weka/d/c)" = "nobody 2" ]
	[ "$(ls /mnt/weka/d)" = $'b\nc\nh\nl' ]
	as_user 'cd /mnt/weka && dd if=/dev/zero of=d/z bs=64k count=16 conv=fsync 2>/dev/null'
	truncate -s 100 /mnt/weka/d/z
	[ "$(stat -c %s /mnt/weka/d/z)" = 100 ]
	as_user 'rm -r /mnt/weka/d'
	[ ! -e /mnt/weka/d ]
}

@test "the stand-in's table shows wekafs where the kernel's shows FUSE" {
	start
	grep -q '^backend0/default /mnt/weka fuse.wekafs ' /proc/mounts
	grep -q '^backend0/default /mnt/weka wekafs rw,relatime,writecache,' /run/weka-sim/mounts
	diff <(awk '$2 != "/mnt/weka"' /proc/mounts) <(awk '$2 != "/mnt/weka"' /run/weka-sim/mounts)
}

@test "mount -o remount reaches the helper with source and target, and with the target only [mount(8)]" {
	start
	mount -t wekafs -o remount,noatime backend0/default /mnt/weka
	[[ $(options) == rw,noatime,writecache,* ]]
	mount -o remount,forcedirect /mnt/weka
	[[ $(options) == rw,noatime,forcedirect,* ]]
	mount -t wekafs -o remount,ro backend0/default /mnt/weka
	refute touch /mnt/weka/x
	mount -t wekafs -o remount,rw backend0/default /mnt/weka
	touch /mnt/weka/x
}

@test "forcedirect applies to files opened after the remount" {
	start
	mount -t wekafs -o remount,forcedirect backend0/default /mnt/weka
	reads() { od -An -t u8 -j 16 -N 8 /run/weka-sim/control/0 | tr -d ' '; }
	echo data >/mnt/weka/x
	cat /mnt/weka/x >/dev/null
	before=$(reads)
	cat /mnt/weka/x >/dev/null
	[ "$(reads)" -gt "$before" ]
}

@test "the last umount removes client, cpuset and processes" {
	start
	pid=$(pgrep -x -f '/weka/wekanode --slot 1')
	umount /mnt/weka
	[ "$(weka local ps -J)" = "[]" ]
	[ ! -d /sys/fs/cgroup/cpuset/weka-client ]
	refute kill -0 "$pid"
}

@test "the last umount removes the client when no helper was called, too" {
	start
	umount -i /mnt/weka
	none() { [ "$(weka local ps -J)" = "[]" ]; }
	wait_until none
	[ -z "$(options)" ]
}

@test "a frontend is pinned to its CPU and is in the container's cpuset, slot 0 is free" {
	start
	pid=$(pgrep -x -f '/weka/wekanode --slot 1')
	[ "$(awk '/^Cpus_allowed_list/ {print $2}' "/proc/$pid/status")" = 1 ]
	grep -q '/weka-client$' "/proc/$pid/cpuset"
	pid=$(pgrep -x -f '/weka/wekanode --slot 0')
	[ "$(awk '/^Cpus_allowed_list/ {print $2}' "/proc/$pid/status")" != 1 ]
}

@test "mounts stay when the agent is killed, and a new agent finds them" {
	start
	echo data >/mnt/weka/x
	kill -9 "$(cat /var/run/weka-agent.pid)"
	wait_until refute pgrep -x -f '/usr/bin/weka --agent'
	[ "$(cat /mnt/weka/x)" = data ]
	weka-sim-start --agent-only
	[[ $(options) == rw,relatime,writecache* ]]
	[ "$(json 'd[0]["internalStatus"]["display_status"]' local ps)" = READY ]
}
