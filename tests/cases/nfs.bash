# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bash - commands of nfs.cases: an NFS client without a mount; add mounts and their counters
#
# shellcheck disable=SC2034 # tests/cases/run reads CODES, ENDS and WORDS
CODES=NF

# shellcheck source=tests/scripts/nfs.bash
. "$SRCDIR/tests/scripts/nfs.bash"

case_begin() {
	nfs_make
	: >"$NODE/nfs/mounts"
	: >"$NODE/nfs/mountstats"
}

# case_conf KEY=VALUE - set it in the client's section of jobio.conf
case_conf() { sed -i "/^${1%%=*}=/d; s|^type=nfs\$|&\n$*|" "$NODE/jobio.conf"; }

# case_table LINE, case_fstab LINE - add a line to the mount table; to fstab(5)
case_table() { echo "$* rw 0 0" >>"$NODE/nfs/mounts"; }
case_fstab() { echo "$* 0 0" >>"$NODE/nfs/fstab"; }

# case_without FILE - remove it
case_without() { rm "$NODE/nfs/$1"; }

# case_mount [SOURCE TARGET] OPTIONS - mount it. PORT in OPTIONS is that of the last server, ADDRESS
# that of `own`. Commands after it set its counters: first transports, then operations.
case_mount() {
	(($# > 1)) || set -- s:/w /mnt/work "$1"
	set -- "$1" "$2" "${3/=ADDRESS/=${ADDRESS:-}}"
	echo "$1 $2 nfs ${3/=PORT/=${PORT:-}} 0 0" >>"$NODE/nfs/mounts"
	echo "device $1 mounted on $2 with fstype nfs statvers=1.1" >>"$NODE/nfs/mountstats"
}

# case_transport sent=N [answered=N] [backlog=N] - by default all requests are answered
case_transport() {
	local -A n=([backlog]=0)
	local word
	for word; do n[${word%=*}]=${word#*=}; done
	printf '\txprt:\ttcp 802 1 1 0 0 %s %s 0 9100 %s 65 4100 1\n' "${n[sent]}" \
		"${n[answered]:-${n[sent]}}" "${n[backlog]}" >>"$NODE/nfs/mountstats"
}

# case_ops [read=N [sent=N] [queue=MS] [rtt=MS] [total=MS]] [write=N ..] - default: sent once, 0 ms
case_ops() {
	local -A n=()
	local word op=''
	for word; do
		[[ $word != @(read|write)=* ]] || op=${word%=*}
		n[$op.${word%=*}]=${word#*=}
	done
	printf '\tper-op statistics\n'
	for op in read write; do
		n[$op]=${n[$op.$op]:-0}
		printf '\t%s: %s %s 0 1 1 %s %s %s 0\n' "${op^^}" "${n[$op]}" "${n[$op.sent]:-${n[$op]}}" \
			"${n[$op.queue]:-0}" "${n[$op.rtt]:-0}" "${n[$op.total]:-1}"
	done
	printf '\tCOMMIT: 0 0 0 0 0 0 0 0 0\n\n' # so that nothing is missing
} >>"$NODE/nfs/mountstats"

# case_then WORD... - counters of the last mount at the end of the job: as `ops`
case_then() {
	sed -i '/per-op/,$d' "$NODE/nfs/mountstats"
	case_ops "$@"
}

# case_shown TARGET - add it to mountinfo, with a superblock and a read-ahead of its own
case_shown() {
	echo "91 21 0:91 / $1 rw - nfs s:/ rw" >>"$NODE/nfs/mountinfo"
	mkdir "$NODE/bdi/0:91"
	echo 128 >"$NODE/bdi/0:91/read_ahead_kb"
}

# case_read_ahead KB - set the read-ahead of /mnt/work
case_read_ahead() { echo "$1" >"$NODE/bdi/0:60/read_ahead_kb"; }

# case_refuse - mount(8) fails from now on
case_refuse() { node_fake nfs-mount 'echo no >&2; exit 32'; }

# case_card NAME SPEED - add a network interface with RDMA
case_card() {
	mkdir -p "$NODE/sysfs/class/net/$1/device/infiniband"
	echo "$2" >"$NODE/sysfs/class/net/$1/speed"
	echo 0 >"$NODE/sysfs/class/net/$1/device/numa_node"
}

# case_own SPEED NODE [rdma|rxe] - the card on the route to a server at ADDRESS, which is this
# machine's: its first interface except lo
case_own() {
	local card
	read -r card ADDRESS < <(python3 -c '
import fcntl, socket, struct
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _, name in socket.if_nameindex():
    try:
        at = fcntl.ioctl(sock, 0x8915, struct.pack("256s", name.encode()))[20:24]
    except OSError:
        continue
    if name != "lo":
        print(name, socket.inet_ntoa(at))
        break')
	[[ -n ${ADDRESS:-} ]] || fail 'no network interface but lo has an address' || return
	WORDS+=("$card=CARD")
	mkdir -p "$NODE/sysfs/class/net/$card/device"
	echo "$1" >"$NODE/sysfs/class/net/$card/speed"
	echo "$2" >"$NODE/sysfs/class/net/$card/device/numa_node"
	case ${3:-} in
		rdma) mkdir "$NODE/sysfs/class/net/$card/device/infiniband" ;;
		rxe)
			mkdir -p "$NODE/sysfs/class/infiniband/rxe0"
			echo "$card" >"$NODE/sysfs/class/infiniband/rxe0/parent" ;;
	esac
}

# case_profile LINE - add it to the profile p
case_profile() { printf '[profile p]\n%s\n' "$*" >>"$NODE/jobio.conf"; }

# case_remount LINE - replace mount(8) by this bash code from now on
case_remount() { node_fake nfs-mount "$*"; }

# case_called ARGUMENT... - arguments of the last call of mount(8)
case_called() {
	local have
	have=$(tail -n 1 "$NODE/mount-calls")
	[[ $have == "$*" ]] || fail "mount $have"
}

# case_end - run the job's epilog
case_end() { epilog 2>/dev/null; }

# case_server NAME [mute] - start a process NAME (proc_pid_comm(5)) on this node that listens at
# PORT of 127.0.0.1 and replies to each call, or to none
case_server() {
	python3 -c '
import socket, sys
open("/proc/self/comm", "w").write(sys.argv[1])
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    call = server.accept()[0]
    call.recv(44)
    held = call
    if sys.argv[2:] != ["mute"]:
        call.send(b"\x80\0\0\x18")' "$@" >"$NODE/port" 2>/dev/null &
	ENDS+=($!) WORDS+=("$!=PID")
	wait_for test -s "$NODE/port" || return
	PORT=$(<"$NODE/port") WORDS+=("$PORT=PORT")
}
