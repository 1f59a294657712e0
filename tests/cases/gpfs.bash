# SPDX-License-Identifier: GPL-2.0-or-later
# gpfs.bash - commands of gpfs.cases: a correct Storage Scale client with two file systems
# (tests/sim/gpfs)
#
# shellcheck disable=SC2034 # tests/cases/run reads CODES, ENDS and WORDS
CODES=GP

# shellcheck source=tests/scripts/gpfs.bash
. "$SRCDIR/tests/scripts/gpfs.bash"

case_begin() {
	gpfs_make ""
	ENDS+=("$MMFSD")
}

# case_table LINE, case_fstab LINE - add a line to the mount table; to fstab(5)
case_table() { echo "$* rw 0 0" >>"$NODE/gpfs/mounts"; }
case_fstab() { echo "$* 0 0" >>"$NODE/gpfs/fstab"; }

# case_conf KEY=VALUE - set it in the client's section of jobio.conf; case_main in [jobio]
case_conf() { sed -i "/^${1%%=*}=/d; s|^type=gpfs\$|&\n$*|" "$NODE/jobio.conf"; }
case_main() { sed -i "s|^\[jobio\]\$|&\n$*|" "$NODE/jobio.conf"; }

# case_profile LINE - add it to the profile p
case_profile() { printf '[profile p]\n%s\n' "$*" >>"$NODE/jobio.conf"; }

# case_config NAME [VALUE] - set an attribute in mmdiag --config, or remove it
case_config() {
	sed -i "/^$1 /d" "$NODE/gpfs/config"
	[[ $# == 1 ]] || echo "$1 $2 -" >>"$NODE/gpfs/config"
}

# case_pagepool PART [LESS] - set it to the memory divided by PART, less so many bytes
case_pagepool() {
	local kib
	kib=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)
	case_config pagepool $((kib * 1024 / $1 - ${2:-0}))
}

# case_waiter NAME SECONDS [REASON..] - a waiting thread of mmfsd; "aux: REASON" has another column
case_waiter() {
	local why="${*:3}" aux=''
	[[ $why != aux:* ]] || aux=${why#aux: } why=''
	echo "mmdiag:waiters:0:1:::1:0:$1:now:$2:monitored:::$why:::$aux:::" >>"$NODE/gpfs/waiters"
}

case_mount() { echo "$1 $2 gpfs rw 0 0" >>"$NODE/gpfs/mounts"; }
case_unmount() { sed -i "\| $1 |d" "$NODE/gpfs/mounts"; }

# case_counters CLUSTER FILESYSTEM - add it to mmpmon, without reads
case_counters() { echo "$1 $2 4 0 0 0 0 0 0 0 0" >>"$NODE/gpfs/counters"; }

# case_socket - mmfsd answers on its socket; case_ended - mmfsd has ended
case_socket() {
	gpfs_stop
	gpfs_start --socket
	ENDS=("$MMFSD")
}
case_ended() {
	gpfs_stop
	ENDS=()
}

# case_hang [mmdiag] - requests to mmfsd hang
case_hang() { : >"$NODE/gpfs/hang${1:+-$1}"; }

# case_command NAME TEXT - replace mmpmon or mmdiag by this bash code
case_command() {
	printf '#!/bin/bash\n%s\n' "${*:2}" >"$NODE/gpfs/bin/$1"
}
case_missing() { rm "$NODE/gpfs/bin/$1"; }

# case_cut - mmpmon prints its first line only; case_whole - all lines again
case_cut() {
	mv "$NODE/gpfs/bin/mmpmon" "$NODE/gpfs/bin/mmpmon.whole"
	case_command mmpmon "\"$NODE/gpfs/bin/mmpmon.whole\" \"\$@\" | head -n 1"
	chmod +x "$NODE/gpfs/bin/mmpmon"
}
case_whole() { mv "$NODE/gpfs/bin/mmpmon.whole" "$NODE/gpfs/bin/mmpmon"; }

# case_stat_cache HITS MISSES - set the counters that the socket has
case_stat_cache() { echo "$*" >"$NODE/gpfs/stat-cache"; }

# case_rdma NAME NODE STATE - an RDMA card on this NUMA node, with a port in this state
case_rdma() {
	local card=$NODE/sysfs/class/infiniband/$1
	mkdir -p "$card/device" "$card/ports/1"
	echo "$2" >"$card/device/numa_node"
	echo "$3" >"$card/ports/1/state"
}

# case_fsyncs COUNT - number of fsync calls of the job on /scratch
case_fsyncs() {
	node_count '{"tier":"bpf","groups":["rw","meta"],"reason":null,"app":[{"scope":"job","shared":null,"source":"bpf","fs":"/scratch","read_bytes":0,"write_bytes":4096,"read_calls":0,"write_calls":2000,"meta":{"fsync":'"$1"'}}],"quality":[]}'
}

# case_removed COUNT - number of files that the job removes on /scratch
case_removed() {
	node_count '{"tier":"bpf","groups":["rw","meta"],"reason":null,"app":[{"scope":"job","shared":null,"source":"bpf","fs":"/scratch","read_bytes":0,"write_bytes":4096,"read_calls":0,"write_calls":1,"meta":{"unlink":'"$1"'}}],"quality":[]}'
}

# case_wire TEXT - filesystems and bytes read in the record; the job reads so many bytes on scratch
case_wire() {
	local have
	gpfs_work 4096 0 1 0
	epilog 2>/dev/null
	have=$(record "$JOB" | jq -r '[.wire[]? | "\(.fs) \(.read_bytes)"] | join(" ")')
	[[ $have == "$*" ]] || fail "wire: $have"
}
