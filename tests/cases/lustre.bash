# SPDX-License-Identifier: GPL-2.0-or-later
# lustre.bash - commands of lustre.cases: a correct Lustre 2.17 client with one mount, an MDT and
# two OSTs (tests/samples/lustre)
#
# shellcheck disable=SC2034 # tests/cases/run reads CODES
CODES=LU

# shellcheck source=tests/scripts/lustre.bash
. "$SRCDIR/tests/scripts/lustre.bash"
lustre_library "$BATS_FILE_TMPDIR/lustre.so"

case_begin() {
	lustre_node "$BATS_FILE_TMPDIR/lustre.so"
	echo procname_uid >"$NODE/lustre/sys/jobid_var"
}

# path_of DEVICE - path of osc.0, mdc.0, llite, lov or global, relative to its root
path_of() {
	case $1 in
		osc.*) printf 'osc/work-OST%04x-osc-%s' "${1#*.}" "${INSTANCE#*-}" ;;
		mdc.*) printf 'mdc/work-MDT%04x-mdc-%s' "${1#*.}" "${INSTANCE#*-}" ;;
		llite) echo "llite/$INSTANCE" ;;
		lov) echo "lov/work-clilov-${INSTANCE#*-}" ;;
		global) echo . ;;
		*) echo "$1" ;;
	esac
}

# case_table LINE, case_fstab LINE - add a line to the mount table; to fstab(5)
case_table() { echo "$* rw 0 0" >>"$NODE/lustre/mounts"; }
case_fstab() { echo "$* 0 0" >>"$NODE/lustre/fstab"; }

# case_conf KEY=VALUE - set it in the client's section of jobio.conf
case_conf() { sed -i "/^${1%%=*}=/d; s|^type=lustre\$|&\n$*|" "$NODE/jobio.conf"; }

# case_profile WORD... - add lines to the profile p
case_profile() {
	printf '[profile p]\n' >>"$NODE/jobio.conf"
	printf '%s\n' "$@" >>"$NODE/jobio.conf"
}

# case_set DEVICE KEY=VALUE - set a parameter with one line
case_set() {
	mkdir -p "$NODE/lustre/sys/$(path_of "$1")"
	echo "${2#*=}" >"$NODE/lustre/sys/$(path_of "$1")/${2%%=*}"
}

# case_import DEVICE KEY=VALUE - set it in the connection's import
case_import() {
	sed -i "s/ ${2%%=*}: .*/ ${2%%=*}: ${2#*=}/" "$NODE/lustre/debug/$(path_of "$1")/import"
}

# case_is DEVICE KEY=VALUE - the parameter has this value
case_is() {
	local have
	have=$(cat "$NODE"/lustre/{sys,proc}/"$(path_of "$1")/${2%%=*}" 2>/dev/null)
	[[ $have == "${2#*=}" ]] || fail "$1 ${2%%=*} is '$have'"
}

case_mount() { echo "$1 $2 lustre rw,flock 0 0" >>"$NODE/lustre/mounts"; }
case_unmount() { sed -i '/ lustre rw,flock/d' "$NODE/lustre/mounts"; }
case_twice() { lustre_twice "$1"; }
case_osts() { lustre_osts "$1"; }
case_gone() { rm -r "$NODE/lustre/$1"; }

# case_2.10 [later] - the sample of 2.10: everything in procfs, with another mount
case_2.10() {
	"$SRCDIR/tests/tools/lustre-tree" "$SRCDIR/tests/samples/lustre/get_param-2.10${1:+-$1}.txt" "$NODE/lustre" proc
	[[ $# == 0 ]] || return 0
	rm -r "$NODE"/lustre/{sys,debug}
	printf 'lustre: 2.10.8\nkernel: patchless_client\n' >"$NODE/lustre/proc/version"
	echo disable >"$NODE/lustre/proc/jobid_var"
	echo %e.%u >"$NODE/lustre/proc/jobid_name"
	echo '198.51.100.70@o2ib1:/old /mnt/old lustre rw 0 0' >"$NODE/lustre/mounts"
}

# case_deny KEY - writing this parameter fails
case_deny() { LUSTRE_DENY=$1; }

# case_unreadable DEVICE - its statistics cannot be read; lctl prints those of SAMPLE, or else
# the other words
case_unreadable() {
	ln -sf /proc/sys/vm/drop_caches "$NODE/lustre/debug/$(path_of "$1")/stats"
	shift
	if [[ $1 == get_param-* ]]; then
		# shellcheck disable=SC2016 # the fake expands it
		node_fake lctl '[[ $* == "get_param llite.*.stats mdc.*.stats osc.*.stats" ]] && cat '"$SRCDIR/tests/samples/lustre/$1"
	else
		node_fake lctl "echo '$*'"
	fi
}

case_later() { lustre_later; }

# case_stats DEVICE LINE - its statistics are the first lines and this line
case_stats() {
	printf 'snapshot_time 1772000600.1 secs.nsecs\nstart_time 1771990000.900000001 secs.nsecs\n%s\n' \
		"${*:2}" >"$NODE/lustre/debug/$(path_of "$1")/stats"
}

# case_wire VALUE... - bytes and calls of READs, of WRITEs, requests for metadata, requested bytes
# in the record; or "null QUALITY"
case_wire() {
	local have
	epilog 2>/dev/null
	have=$(record "$JOB" | jq -r 'if .wire then .wire[0] | [.read_bytes, .read_calls, .write_bytes, .write_calls, .meta_calls, .asked_read_bytes, .asked_write_bytes | tostring] | join(" ") else "null " + .quality[-1] end')
	[[ $have == "$*" ]] || fail "wire: $have"
}

# case_says TEXT - the prolog of another job prints this
case_says() {
	local said
	epilog 2>/dev/null
	job 4711 1 p
	said=$(prolog 2>&1)
	expect_in "$*" "$said"
}

# case_card NODE [CPU...] - LNet's interface lo and these CPUs are on this NUMA node; all other
# CPUs are on node 0
case_card() {
	local cpu
	echo "$1" >"$NODE/sysfs/class/net/lo/device/numa_node"
	for cpu in "${@:2}"; do
		mv "$NODE/sysfs/devices/system/cpu/cpu$cpu/node0" "$NODE/sysfs/devices/system/cpu/cpu$cpu/node$1"
	done
}

# case_partition CPU... - the only CPU partition has these CPUs
case_partition() { printf '0\t: %s\n' "$*" >"$NODE/lustre/cpu_partition_table"; }

# case_nid ADDRESS STATUS - add an interface of LNet
case_nid() { echo "$1 $2 -1 1 8 0 256 256 256" >>"$NODE/lustre/nis"; }
