#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lustre.bats - a real Lustre, servers and client on one virtual machine: jobs from prolog to
# epilog, their findings, settings and counters for known I/O
#
# Needs SRCDIR, BUILDDIR with the helpers, jq, tests/vm/packages and LUSTRE_KIT, a
# folder (see tests/vm/lustre). One machine runs all of it, in lustre-truth: two
# to three minutes, several times as long on a busy host.
#
# shellcheck disable=SC2016 # variables of jq

load payload

readonly mib64=67108864

payload_make() {
	local dir=$1
	payload_add "$dir" "$BUILDDIR"/{jobio-facts,jobio-prepare,jobio-release,jobio-count,jobio-node}
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -pthread \
		-o "$dir/truth" "$SRCDIR/tests/vm/truth.c"
	cp "$SRCDIR"/tests/vm/{lustre-truth,preload} "$dir"
}

setup_file() {
	export work=$BATS_FILE_TMPDIR
	mkdir "$work/case"
	payload_make "$work/payload"
	"$SRCDIR/tests/vm/boot" -t "${JOBIO_VM_LIMIT:-1500}" -p maxcpus=2 -l "$LUSTRE_KIT" lustre \
		lustre-truth "$work/payload" >"$work/out" 2>"$work/err" || :
	awk -v dir="$work/case/" '
		/^@ / { file = dir substr($0, 3); gsub(" ", "_", file); next }
		file != "" { gsub(/\033\[[0-9;]*m/, ""); print >file }' "$work/out"
}

# of LABEL - output of this case
of() { cat "$work/case/${1// /_}"; }

# job LABEL FILTER - jq on the record of its job
job() { of "$1" | grep '^{' | jq -rc "$2"; }

expect() {
	local have
	have=$(job "$1" "$2")
	[[ $have == "$3" ]] || { printf "%s: %s: expected '%s', got '%s'\n" "$@" "$have" >&2; return 1; }
}

# during PROFILE FOLDER.NAME=VALUE... - each device had these parameters during the job
during() {
	local profile=$1 line name
	shift
	for line; do
		name="^${line%%.*}\\..*\\.$(sed 's/^[^.]*\.//; s/=.*//' <<<"$line")="
		of "during $profile" | grep -q "$name" || { printf '%s: no %s\n' "$profile" "$line" >&2; return 1; }
		if of "during $profile" | grep "$name" | grep -qv "=${line#*=}\$"; then
			printf '%s: not %s\n' "$profile" "$line" >&2
			return 1
		fi
	done
}

# as_before LABEL - all parameters have their old values
as_before() { diff <(of before) <(of "$1"); }

# moved LABEL NET_READ NET_WRITE ASKED_READ ASKED_WRITE - client counters in the record
moved() {
	expect "$1" '.wire[0] | [.read_bytes, .write_bytes, .asked_read_bytes, .asked_write_bytes]' \
		"[$2,$3,$4,$5]"
}

# app LABEL READ WRITE - I/O of processes, by the kernel's counters
app() {
	expect "$1" '[.app[] | select(.fs == "/mnt/lustre")] | .[0] | [.read_bytes, .write_bytes]' "[$2,$3]"
}

# of_truth KIND FILTER - jq on truth's output ($t), the counters of processes ($a) and the
# client counters ($w)
of_truth() {
	of "truth $1" | grep '^{' | jq -rcs "(.[0] | to_entries[0].value) as \$t |
		(.[1].app[] | select(.fs == \"/mnt/lustre\") | . + (.meta // {})) as \$a | .[1].wire[0] as \$w | $2"
}

# app_exact KIND... - every counter equals truth
app_exact() {
	local kind wrong bad=0
	for kind; do
		wrong=$(of_truth "$kind" '$t | to_entries[] | select($a[.key] != .value) |
			"\(.key): did \(.value), counted \($a[.key])"') || bad=1
		[[ -z $wrong ]] || { printf '%s: %s\n' "$kind" "$wrong" >&2; bad=1; }
	done
	return "$bad"
}

# wire_exact READ WRITE KIND... - so many bytes were sent over the network
wire_exact() {
	local kind have bad=0
	for kind in "${@:3}"; do
		have=$(of_truth "$kind" '[$w.read_bytes, $w.write_bytes]') || bad=1
		[[ $have == "[$1,$2]" ]] || { printf '%s: %s\n' "$kind" "$have" >&2; bad=1; }
	done
	return "$bad"
}

# took LABEL - milliseconds; it must have exited 0
took() {
	of took | awk -F, -v label="$1" '$1 == label && $2 == 0 { print $3; found = 1 } END { exit !found }'
}

# soon LABEL - it takes little longer than the usual prolog or epilog: less than a wait for
# a server, or half of timeout_ms
soon() {
	local ms usual
	ms=$(took "$1") usual=$(took "usual ${1#* }")
	((ms < 10000 && ms < 2 * usual + 2000)) || { printf '%s: %d ms, usually %d\n' "$1" "$ms" "$usual" >&2; return 1; }
}

@test "the machine runs its script to the end" {
	cat "$work/err" >&2
	grep -qx '@ end' "$work/out"
}

@test "real Lustre: jobio check has no finding for a healthy client" {
	of doctor | grep -q '^LU12 info'
	[[ $(of doctor | grep -oE '^LU[0-9]+' | paste -sd' ') == LU12 ]]
}

@test "real Lustre: the record has the version and the client's mount" {
	expect 'record targets' '[.client.type, .client.version]' '["lustre","2.17.0"]'
	expect 'record targets' '[.client.mounts[].mount]' '["/mnt/lustre"]'
}

@test "real Lustre: parameters of OSTs are set and restored" {
	during targets osc.max_pages_per_rpc=256 osc.max_rpcs_in_flight=24 \
		osc.checksums=0 osc.short_io_bytes=4096 ldlm.lru_max_age=60000
	expect 'record targets' '[.request.applied, ([.changes[].restored] | all)]' '[true,true]'
	as_before 'after targets'
}

@test "real Lustre: RPC parameters of the MDT, and max_dirty_mb that follows them, are set and restored" {
	during mdt mdc.max_rpcs_in_flight=16 mdc.max_mod_rpcs_in_flight=8 mdc.max_pages_per_rpc=64 mdc.max_dirty_mb=48 \
		mdc.checksums=0 osc.max_dirty_mb=64 osc.max_rpcs_in_flight=256
	expect 'record mdt' '[.request.applied, ([.changes[].restored] | all)]' '[true,true]'
	as_before 'after mdt'
}

@test "real Lustre: parameters of the mount are set and restored" {
	during mount llite.max_read_ahead_mb=32 llite.max_read_ahead_per_file_mb=32 \
		llite.statahead_max=1024 llite.hybrid_io=0 llite.parallel_dio=0 llite.unaligned_dio=0
	of 'during mount' | grep -qx 'max_cached_mb: 512'
	as_before 'after mount'
	during thresholds llite.hybrid_io_read_threshold_bytes=65536 \
		llite.hybrid_io_write_threshold_bytes=65536 llite.max_read_ahead_per_file_mb=128 \
		llite.max_read_ahead_whole_mb=16
	as_before 'after thresholds'
}

@test "real Lustre: a parameter that jobio does not set is refused, and nothing is changed" {
	diff <(of before) <(of 'during wrong' | grep -v '^jobio:')
	of 'during wrong' | grep -q "LU49 parameter 'llite.checksums=0' of the profile"
	expect 'record wrong' .request.applied false
}

@test "real Lustre: the layout of new files in the directory of a job that streams is checked" {
	local said='[.findings[] | select(.code == "LU15") | .text]'
	expect 'layout plain' "$said" '["a new file of '"'lustre'"' is on one OST unless its directory has another layout (stripecount=1)"]'
	expect 'layout one' "$said" '["a new file in the job'"'s directory '/mnt/lustre/one'"' is on one OST (stripe count 1)"]'
	expect 'layout two' "$said" '[]'
	expect 'layout grows' "$said" '[]'
}

@test "real Lustre: client counters have bytes over the network, and bytes that llite has counted" {
	moved 'work write' 0 $mib64 0 $mib64
	moved 'work read hot' 0 0 $mib64 0
	moved 'work read cold' $mib64 0 $mib64 0
	moved 'work write direct' 0 $mib64 0 $mib64
	moved 'work read direct' $mib64 0 $mib64 0
	# asynchronous direct I/O, which llite does not count, and mapped files
	moved 'work write libaio' 0 $mib64 0 0
	moved 'work read io_uring' $mib64 0 0 0
	expect 'work read mmap' '.wire[0].asked_read_bytes' 0
}

@test "real Lustre: the kernel counts the bytes requested by the job's processes" {
	app 'work write' 0 $mib64
	app 'work read hot' $mib64 0
	app 'work read cold' $mib64 0
	app 'work write direct' 0 $mib64
	app 'work read direct' $mib64 0
	app 'work write libaio' 0 $mib64
	app 'work read io_uring' $mib64 0
}

@test "real Lustre: the kernel counts each way to read and write exactly, splice included" {
	app_exact read write readv writev direct sizes aio uring \
		mmap_read sendfile copy_file_range splice vmsplice
	# a page that is written is read first: its read lock is not sufficient
	[[ $(of_truth mmap_write '[$t.mmap_write_bytes, $a.mmap_write_bytes, $a.mmap_read_bytes]') == '[262144,262144,262144]' ]]
}

@test "real Lustre: the kernel counts operations on names and inodes exactly" {
	app_exact open create names folders stat readdir fsync inodes
}

@test "real Lustre: client counters are exact for small, vectored, asynchronous and mapped I/O" {
	wire_exact 262144 0 read mmap_read
	wire_exact 0 262144 write vmsplice
	wire_exact 0 196608 writev # 16 of its 64 blocks are overwritten before they are sent
	wire_exact 262144 0 readv
	wire_exact 262144 262144 direct aio uring sendfile copy_file_range splice mmap_write
}

@test "real Lustre: client counters have at least one request for each change of a name or inode" {
	local kind
	for kind in create names folders inodes; do
		[[ $(of_truth "$kind" '$w.meta_calls >= ([$t.create, $t.unlink, $t.rename, $t.mkdir, $t.rmdir,
			$t.link, $t.symlink, $t.mknod, $t.chmod, $t.chown] | add)') == true ]]
	done
}

@test "real Lustre: three mounts of one filesystem are one line of counters, and the record names them" {
	expect 'three mounts' '[.client.mounts[].mount]' '["/mnt/lustre","/mnt/second","/mnt/sub"]'
	expect 'three mounts' '[.wire[] | [.fs, .write_bytes, .asked_write_bytes]]' '[["/mnt/lustre",14680064,14680064]]'
	expect 'three mounts' '[.app[] | select(.fs) | [.fs, .write_bytes]]' '[["/mnt/lustre",14680064]]'
}

@test "real Lustre: parameters of a new mount are not changed" {
	[[ $(of 'after remount' | sed -n 's/^osc.*max_rpcs_in_flight=//p' | paste -sd' ') == '16 16' ]]
	expect 'record remount' '[.findings[] | select(.code | test("LU4"))] | length' 0
	expect 'record remount' '[.wire, (.quality | index("wire_reset") != null)]' '[null,true]'
}

@test "real Lustre: with core_change=affinity its threads run on the reserved core while the job does" {
	of 'threads before' | grep -q ^ptlrpcd_
	of 'threads before' | grep -q ^socknal_
	diff <(of 'threads before' | sed 's/ .*/ 6-7/') <(of 'threads in the job')
	diff <(of 'threads before') <(of 'threads after')
	expect 'record affinity' '[.changes[] | select(.what == "thread") | .made, .restored]' '[true,true]'
	expect 'record affinity' '[.findings[] | select(.code | test("LU4")) | .code]' '[]'
	expect 'record affinity' '[.io_cores.os_cpus, .client.cpus]' '["6-7","6-7"]'
	[[ $(took 'affinity prolog') && $(took 'affinity epilog') ]]
}

@test "real Lustre: a deactivated OST is a finding" {
	of deactivated | grep -q "^LU05 warning: 1 of the 2 OSTs of 'lustre' are deactivated on this node: OST0001"
}

@test "real Lustre: an eviction while the job ran is in its record, once, and delays nothing" {
	expect evicted '[.findings[] | select(.code != "LU12") | [.code, .text]]' \
		"[[\"LU06\",\"OST0000 of 'lustre' has evicted this node\"]]"
	soon 'evicted prolog'
	soon 'evicted epilog'
}

@test "real Lustre: a disconnected OST is a finding, and delays neither prolog nor epilog" {
	of gone | grep -q "^LU04 error: 1 of the 2 OSTs of 'lustre' are not connected: OST0001"
	expect 'record gone' '[.findings[] | select(.code != "LU12") | .code]' '["LU04"]'
	soon 'gone prolog'
	soon 'gone epilog'
	(($(took 'gone doctor') < 20000))
}
