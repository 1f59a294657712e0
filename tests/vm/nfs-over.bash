# SPDX-License-Identifier: GPL-2.0-or-later
# nfs-over.bash - jobs that get new mounts on top of the node's: part of nfs-node
# shellcheck shell=bash disable=SC2154,SC2034 # nfs-node sets what is used here, and uses asks

# over_ask PROFILE - of the jobs that follow
over_ask() {
	asks=(SPANK_JOBIO_VERSION=1 SPANK_JOBIO_IO_PROFILE="$1" SLURM_JOB_CORE_SPEC_COUNT=1
		SLURM_JOB_CORE_SPEC_TYPE=cores SLURM_JOB_OVERSUBSCRIBE=NO SPANK_JOBIO_IO_CORES=1)
}

# over_tables LABEL - what is mounted on /m, whole, and the read-ahead of /m/t3
over_tables() {
	local device
	device=$(mountpoint -d /m/t3)
	say "$1"
	{ grep ' /m/' /proc/self/mountinfo; echo "$device $(<"/sys/class/bdi/$device/read_ahead_kb")"; } |
		sed 's/^0:[0-9]* /t3 reads ahead /' | jq -R . | jq -cs .
}

# over_seen LABEL - the options of the mounts that are seen, and what mountstats has
over_seen() {
	local name
	say "$1"
	for name in t3 t4 r3 s3 bind; do
		awk -v at="/m/$name" -v name="$name" '$5 == at { n++; device = $3; options = $6 }
			END { printf "%s %d %s %s ", name, n, device, options }' /proc/self/mountinfo
		awk -v at="/m/$name" '/^device / { is = $5 == at } is && /^\topts:/ { options = $2 } END { print options }' \
			/proc/self/mountstats
	done | jq -R 'split(" ") | {(.[0]): {count: .[1], device: .[2], vfs: .[3], nfs: .[4]}}' | jq -cs add
}

# over_timed LABEL COMMAND... - its status, and how long it took
over_timed() {
	local label=$1 start=$EPOCHREALTIME status=0
	shift
	"$@" || status=$?
	say "$label"
	jq -cn --argjson s "$status" --argjson a "$start" --argjson b "$EPOCHREALTIME" --rawfile said /run/said \
		'{status: $s, seconds: ($b - $a), said: $said}'
}

over_cut() { # -A | -D; see cut
	iptables "$1" INPUT -i lo -s 192.168.77.1 -d 192.168.77.1 -j DROP
	iptables "$1" OUTPUT -o lo -s 192.168.77.1 -d 192.168.77.1 -j DROP
}

over_work() {
	local name
	for name in t3 t4; do
		act 20 dd if=/dev/zero of="/m/$name/own" bs=1M count=4 conv=fsync status=none
		echo 3 >/proc/sys/vm/drop_caches
		act 20 dd if="/m/$name/own" of=/dev/null bs=1M status=none
	done
}

# Mounts that are bound to each other, one with protections, read-ahead of its own
over_begin() {
	sed -i -e '/^type = nfs/a mount_change = over' -e 's/^\(timeout_ms\) =.*/\1 = 3000/' \
		-e 's/^\(prolog_budget_ms\) =.*/\1 = 10000/' /run/jobio.conf
	cat >>/run/jobio.conf <<-'END'
		[profile own]
		mount = rsize=65536,wsize=32768,actimeo=60,nocto
		[profile rdma]
		mount = proto=rdma
	END
	mount --make-shared /m/t3
	mount --bind /m/t3 /m/bind
	mount -o remount,bind,nosuid,nodev /m/t4
	echo 512 >"/sys/class/bdi/$(mountpoint -d /m/t3)/read_ahead_kb"
}

over_end() {
	mount -o remount,bind,suid,dev /m/t4
	echo 128 >"/sys/class/bdi/$(mountpoint -d /m/t3)/read_ahead_kb"
	umount /m/bind
	mount --make-private /m/t3
	conf yes
	asks=()
}

over_job() {
	over_ask own
	over_tables 'mounts before the new ones'
	over_timed 'prolog of the new mounts' prolog 20
	over_seen 'mounts in the job'
	over_work
	over_timed 'epilog of the new mounts' epilog 20
	over_tables 'mounts after the new ones'
	say 'record of the new mounts'
	record 20
}

# A process of the job outlives it, and has a file open.
over_busy() {
	local holder
	prolog 21
	tail -f /m/t4/own >/dev/null &
	holder=$!
	epilog 21
	over_tables 'mounts after a busy one'
	say 'record of a busy mount'
	record 21
	kill "$holder"
	wait "$holder" 2>/dev/null || :
}

# v4.2 keeps its transport, v3 does not.
over_rdma() {
	over_ask rdma
	prolog 22
	over_seen 'mounts over RDMA'
	epilog 22
	over_tables 'mounts after RDMA'
	say 'record of RDMA'
	record 22
	over_ask own
}

# The server is away when it is to be mounted anew, and when that is to go.
over_hung() {
	over_cut -A
	over_timed 'prolog of a new mount without its server' prolog 23
	over_cut -D
	epilog 23
	over_tables 'mounts after the server was away'
	say 'record of a new mount without its server'
	record 23
	prolog 24
	over_cut -A
	dd if=/dev/zero of=/m/t3/cut3 bs=1M count=1 conv=fsync status=none &
	sleep 2
	over_timed 'epilog of a new mount without its server' epilog 24
	over_cut -D
	wait
	prolog 25
	epilog 25
	over_tables 'mounts after the server came back'
}

over() {
	over_begin
	over_job
	over_busy
	over_rdma
	over_hung
	over_end
}
