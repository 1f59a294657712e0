# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034 # node.bash uses NODE_JOBIO
#
# lustre.bash - a node with Lustre: its parameters are files made from a sample, and a write
# to them has the effect that it has in the kernel (tests/sim/lustre_params.c). Uses
# node.bash, and crash.bash if helpers are killed.

INSTANCE=work-ffff9a2c41d08000
BASE_OSC0=max_pages_per_rpc=1024,max_rpcs_in_flight=8,max_dirty_mb=2000
BASE_OSC1=max_pages_per_rpc=1024,max_rpcs_in_flight=16,max_dirty_mb=512

# lustre_library FILE - compile the kernel's part, for LD_PRELOAD
lustre_library() {
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 -shared -fPIC -o "$1" \
		"$SRCDIR/tests/sim/lustre_params.c"
}

# lustre_node LIBRARY - make the node; see tests/samples/lustre
lustre_node() {
	LUSTRE_LIBRARY=$1
	# LD_PRELOAD has no effect on some installed helpers: they are static
	node_fault_helpers
	mkdir -p "$NODE/sysfs/class/net/lo/device"
	if [[ -z ${BATS_FILE_TMPDIR:-} ]]; then
		lustre_files "$NODE/lustre"
	else
		[[ -d $BATS_FILE_TMPDIR/lustre ]] || lustre_files "$BATS_FILE_TMPDIR/lustre"
		mkdir -p "$NODE/lustre"
		cp -a "$BATS_FILE_TMPDIR/lustre/." "$NODE/lustre"
	fi
	lustre_conf
}

# lustre_files FOLDER - make the files that all nodes have
lustre_files() {
	mkdir -p "$1"
	"$SRCDIR/tests/tools/lustre-tree" "$SRCDIR/tests/samples/lustre/get_param-2.17.txt" "$1"
	echo 2.17.0 >"$1/sys/version"
	printf 'nid status alive refs peer rtr max tx min\n0@lo up 0 2 0 0 0 0 0\n127.0.0.1@tcp up -1 1 8 0 256 256 256\n' \
		>"$1/nis"
	printf '0\t: 0 1 2 3\n1\t: 4 5 6 7\n' >"$1/cpu_partition_table"
	echo "192.0.2.60@tcp:192.0.2.61@tcp:/work /mnt/work lustre rw,flock 0 0" \
		>"$1/mounts"
	echo '/dev/sdc /mnt/ost0 lustre rw,svname=work-OST0000,osd=osd-ldiskfs 0 0' \
		>>"$1/mounts"
}

lustre_sample() {
	"$SRCDIR/tests/tools/lustre-tree" "$SRCDIR/tests/samples/lustre/$1" "$NODE/lustre"
}

# lustre_twice MOUNT - mount the same filesystem there as well: each target gets a second
# device, with the values of the first
lustre_twice() {
	local from to
	while IFS= read -r from; do
		to=${from%"${INSTANCE#*-}"}ffff9a2c55e0c000
		rm -rf "$to"
		cp -r "$from" "$to"
	done < <(find "$NODE/lustre" -mindepth 3 -maxdepth 3 -name "*-${INSTANCE#*-}")
	echo "192.0.2.60@tcp:192.0.2.61@tcp:/work/projects $1 lustre rw,flock 0 0" >>"$NODE/lustre/mounts"
}

# lustre_later - counters after 600 s of work
lustre_later() {
	local values=$NODE/values
	cp -r "$NODE/lustre/sys" "$values"
	lustre_sample get_param-2.17-later.txt
	cp -r "$values"/. "$NODE/lustre/sys"
	rm -r "$values"
}

# lustre_osts COUNT - make COUNT OSTs, equal to the first one
lustre_osts() {
	local i name root
	for ((i = 2; i < $1; i++)); do
		printf -v name 'work-OST%04x-osc-%s' "$i" "${INSTANCE#*-}"
		for root in sys debug; do
			cp -r "$NODE/lustre/$root/osc/work-OST0000-osc-${INSTANCE#*-}" "$NODE/lustre/$root/osc/$name"
		done
	done
}

# lustre_layout UID COUNT... - set lustre.lov of all folders for this user: a plain layout of
# COUNT stripes, or one with several components
lustre_layout() {
	mkdir -p "$NODE/lustre/layout"
	chmod 711 "$NODE" "$NODE/lustre" "$NODE/lustre/layout"
	python3 -c '
import struct, sys
plain = [struct.pack("=IIQQIHH", 0x0BD10BD0, 1, 0, 0, 1 << 20, int(n), 0) for n in sys.argv[1:]]
head = struct.pack("=IIIHHH14x", 0x0BD60BD0, 32 + 80 * len(plain), 1, 0, len(plain), 0)
entries = [struct.pack("=IIQQIIIQI", i + 1, 0, 0, 0, 32 + 48 * len(plain) + 32 * i, 32, 0, 0, 0) for i in range(len(plain))]
sys.stdout.buffer.write(plain[0] if len(plain) == 1 else b"".join([head] + entries + plain))' \
		"${@:2}" >"$NODE/lustre/layout/$1"
}

# shellcheck disable=SC2119,SC2120 # files that load this one pass arguments
# lustre_conf [LINE...] - write jobio.conf, with lines for the client
lustre_conf() {
	node_root lustre
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		${NODE_JOBIO:-}
		[client scratch]
		type=lustre
		mount_table=$NODE/lustre/mounts
		lctl=$NODE/bin/lctl
		$(printf '%s\n' "$@")
		[profile small]
		parameters=osc.max_rpcs_in_flight=24,osc.checksums=0
		[profile stream]
		parameters=osc.max_pages_per_rpc=16M,osc.max_rpcs_in_flight=256,llite.max_read_ahead_mb=64
		[profile metadata]
		parameters=mdc.max_rpcs_in_flight=32,mdc.max_mod_rpcs_in_flight=31,llite.statahead_max=1024
		[profile cached]
		parameters=llite.max_cached_mb=32000
		[profile mount]
		mount_options=noatime
		[profile unknown]
		parameters=llite.parallel_dio=0,osc.short_io_bytes=0,llite.unaligned_dio=0
	END
}

# Preload the kernel's part before libc; sanitizers must not require to be first.
in_env() {
	env -i "${JOB_ENV[@]}" "JOBIO_FAULT_CLOCK=${JOBIO_CLOCK:-0}" \
		"${NODE_ENV[@]}" LD_PRELOAD="$LUSTRE_LIBRARY" \
		ASAN_OPTIONS=verify_asan_link_order=0 LUSTRE_TREE="$NODE/lustre" \
		${LUSTRE_DENY:+LUSTRE_DENY="$LUSTRE_DENY"} "$@"
}

# slowly FILE SECONDS - open(2) of the file blocks for so long, once
slowly() {
	mv "$1" "$1.text"
	mkfifo "$1"
	# shellcheck disable=SC2016 # the shell that waits expands it
	timeout 120 bash -c 'exec 3>"$1"; sleep "$2"; cat "$1.text" >&3' - "$1" "$2" >/dev/null 2>&1 3>&- &
}

# set_param FOLDER.DEVICE.NAME VALUE - set it as an administrator does
set_param() {
	local path=${1//.//}
	[[ -e $NODE/lustre/sys/$path ]] || path=../debug/$path
	LUSTRE_TREE=$NODE/lustre LD_PRELOAD=$LUSTRE_LIBRARY python3 -c '
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
os.write(fd, sys.argv[2].encode())' "$NODE/lustre/sys/$path" "$2"
}

# osc N KEY... - print "KEY=VALUE,.." of OST N; llite and mdc likewise
params_of() {
	local folder=$1 list='' key
	shift
	for key; do list+=,$key=$(<"$folder/$key"); done
	printf '%s' "${list#,}"
}
osc() { params_of "$NODE/lustre/sys/osc/work-OST000$1-osc-ffff9a2c41d08000" "${@:2}"; }
mdc() { params_of "$NODE/lustre/sys/mdc/work-MDT0000-mdc-ffff9a2c41d08000" "$@"; }
llite() { params_of "$NODE/lustre/sys/llite/$INSTANCE" "$@"; }

rpcs=(max_pages_per_rpc max_rpcs_in_flight max_dirty_mb)
ahead=(max_read_ahead_mb max_read_ahead_per_file_mb max_read_ahead_whole_mb)

# all_params - every parameter that a profile could change
all_params() {
	osc 0 "${rpcs[@]}" checksums short_io_bytes
	osc 1 "${rpcs[@]}" checksums short_io_bytes
	mdc max_pages_per_rpc max_rpcs_in_flight max_mod_rpcs_in_flight max_dirty_mb checksums
	llite "${ahead[@]}" statahead_max hybrid_io parallel_dio unaligned_dio
	grep max_cached_mb "$NODE/lustre/debug/llite/$INSTANCE/max_cached_mb"
}

# findings_of ID - the codes of the findings in its record
findings_of() { record "$1" | jq -r '[.findings[].code] | join(" ")'; }

# lustre_rebooted - restore every parameter as at the start of the schedule, except one that an
# administrator may have changed permanently; sets $before
lustre_rebooted() {
	rm -r "$NODE/lustre"
	cp -r "$NODE/lustre.booted" "$NODE/lustre"
	echo $((RANDOM % 2 ? 8 : 12)) >"$NODE/lustre/sys/osc/work-OST0000-osc-${INSTANCE#*-}/max_rpcs_in_flight"
	before=$(all_params)
}

# lustre_schedule SEED - some jobs with helpers killed at random points, then one without
# crashes; see crash.bash
lustre_schedule() {
	local id ids=() round profile before
	RANDOM=$1
	crash_begin
	before=$(all_params)
	rm -rf "$NODE/lustre.booted"
	cp -r "$NODE/lustre" "$NODE/lustre.booted"
	lustre_conf
	for round in {1..3}; do
		id=$(($1 % 10000000 * 10 + round))
		ids+=("$id")
		profile=(small stream metadata cached "")
		job "$id" 1 "${profile[RANDOM % 5]}"
		crash_round "$id"
	done
	lustre_conf
	crash_end "${ids[@]}" || return
	[[ $(all_params) == "$before" ]] || fail 'parameters are not as they were:' \
		"$(diff <(echo "$before") <(all_params))"
}
