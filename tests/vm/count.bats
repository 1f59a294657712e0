#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# count.bats - counting on real kernels: counters of jobio-count and known I/O of truth(.c)
#
# Needs SRCDIR, BUILDDIR with jobio-count, docker, jq and tests/vm/packages.
# Boots Debian's 5.10, 6.12 and newest kernel, and those that support it with preempt=full
# ("6.12-preempt"), with some kinds of I/O, four at the same time: 8 to 15 minutes.
# JOBIO_KERNELS selects some of them, without the checks of the others;
# JOBIO_VM_IMAGE selects the image with the machine's files.

load bail
load payload
load truth

read -ra all <<<"${JOBIO_KERNELS:-5.10 6.12 newest 6.1-preempt 6.12-preempt 6.18-preempt newest-preempt}"
kernels=() modern=() preempted=()
for kernel in "${all[@]}"; do
	case $kernel in
		*-preempt) preempted+=("$kernel") ;;
		5.10) kernels+=("$kernel") ;;
		*) kernels+=("$kernel") modern+=("$kernel") ;;
	esac
done
# times are measured on these
read -ra timed <<<"${JOBIO_TIMED:-${kernels[*]}}"

readonly image=${JOBIO_VM_IMAGE:-jobio-bookworm:site}

# payload_make - files for the machines: the helper with its libraries, truth, the scripts, and the
# stand-in's filesystem, which uses the libfuse of the machines' image
payload_make() {
	local dir=$1
	payload_add "$dir" "$BUILDDIR/jobio-count"
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -pthread \
		-o "$dir/truth" "$SRCDIR/tests/vm/truth.c"
	cp "$SRCDIR"/tests/vm/count-{truth,times,lockdown} "$dir"
	mkdir "$work"/{image,image/{0,1,2,3}}
	head -c 262144 /dev/urandom | tee "$work"/image/{0,1,2,3}/in >/dev/null
	mksquashfs "$work/image" "$dir/image.squashfs" -quiet -no-progress -no-duplicates -noD -b 4096
	# shellcheck disable=SC2016 # the container's shell expands it
	docker run --rm --network=none -v "$SRCDIR/tests/sim:/sim:ro" -v "$dir:/out" "$image" \
		sh -c 'gcc -std=gnu11 -D_GNU_SOURCE -O2 -o /out/wekafs /sim/wekafs.c $(pkg-config --cflags --libs fuse3)'
}

# machine NAME [OPTION...] KERNEL SCRIPT - boot it; writes output and status to $work
machine() {
	local name=$1 status=0
	shift
	"$SRCDIR/tests/vm/boot" -t 1700 -r "$image" \
		-p maxcpus=2 "$@" "$work/payload" \
		>"$work/$name.out" 2>"$work/$name.err" || status=$?
	printf '%d\n' "$status" >"$work/$name.status"
}

setup_file() {
	local kernel
	export work=$BATS_FILE_TMPDIR
	payload_make "$work/payload"
	for kernel in "${all[@]}"; do
		while (($(jobs -pr | wc -l) >= 4)); do wait -n; done
		case $kernel in
			*-preempt) machine "$kernel" -c v2 -p 'maxcpus=2 preempt=full' "${kernel%-preempt}" count-truth & ;;
			*) machine "$kernel" -c v2 "$kernel" count-truth & ;;
		esac
	done
	for kernel in "${timed[@]}"; do
		while (($(jobs -pr | wc -l) >= 4)); do wait -n; done
		machine "$kernel-times" -c v2 "$kernel" count-times &
	done
	[[ -z ${kernels[*]} ]] || machine lockdown -p 'maxcpus=2 lockdown=confidentiality' "${kernels[-1]}" count-lockdown &
	wait
	for kernel in "${all[@]}" "${timed[@]/%/-times}"; do
		cases_split "$kernel"
	done
}

# each FUNCTION LABEL.. - run it for each kernel; each_modern: for all but 5.10
each() {
	local kernel
	for kernel in "${kernels[@]}"; do "$1" "$kernel" "${@:2}" || return; done
}

each_modern() {
	local kernel
	for kernel in "${modern[@]}"; do "$1" "$kernel" "${@:2}" || return; done
}

everywhere() { each exact "$@"; }
newer() { each_modern exact "$@"; }

# flags KERNEL LABEL WORDS - the record has these quality flags, without those for I/O that 5.10
# never counts
flags() {
	expect "$1" "$2" '.quality - ["aio_missing", "mmap_missing"] | sort | join(" ")' "$3"
}

# totals KERNEL LABEL... - counters of source "exit" are truth's, plus the I/O of each run of
# truth itself
totals() {
	local kernel=$1 label found
	shift
	for label in "$@"; do
		found=$(jq -r -s '
			(.[1].app[] | select(.source == "exit")) as $base
			| (.[3].app[] | select(.source == "exit")) as $got
			| .[2].exit | to_entries[]
			| select($got[.key] - $base[.key] != .value)
			| "\(.key): did \(.value), counted \($got[.key] - $base[.key])"' \
			"$(case_file "$kernel" "v2 nothing")" "$(case_file "$kernel" "$label")")
		[[ -z $found ]] || { printf '%s, %s: %s\n' "$kernel" "$label" "$found"; return 1; }
	done
}

# none KERNEL LABEL - no I/O is counted for job 1
none() {
	expect "$1" "$2" '[.app[] | .read_calls + .write_calls + ((.meta // {}) | add // 0)] | add' 0
}

@test "the machines run their scripts to the end" {
	local name status
	for name in "${all[@]}" "${timed[@]/%/-times}" ${kernels:+lockdown}; do
		status=$(<"$work/$name.status")
		((status != 0)) || continue
		printf '%s: status %s after\n' "$name" "$status"
		tail -n 5 "$work/$name.out" | sed -E 's/^(.{200}).*(.{300})$/\1 .. \2/'
		tail -n 40 "$work/$name.err"
		((status < 124)) || bail "no machine $name: $(tail -n 1 "$work/$name.err")"
		return 1
	done
	for name in "${all[@]}"; do
		[[ -e $(case_file "$name" 'v1 end') || -e $(case_file "$name" end) ]]
	done
}

@test "6.1 and newer count everything, 5.10 everything except io_uring and mapped files" {
	each_modern expect 'v2 probe' .tier bpf
	each_modern expect 'v2 probe' '.groups | join(" ")' 'exit rw meta aio uring mmap'
	each_modern expect 'v2 probe' '.missing | length' 0
	each_modern expect 'v2 probe' .reason null
	expect 5.10 'v2 probe' .tier bpf
	expect 5.10 'v2 probe' '.groups | join(" ")' 'exit rw meta aio'
	expect 5.10 'v2 probe' .reason "BPF programs: this kernel does not count: io_uring, mapped files"
}

@test "probe of a kernel's files gives the same result, for any user" {
	local kernel what
	for kernel in "${all[@]}"; do
		for what in .tier '.groups | join(" ")' .reason '.missing | join(" ")'; do
			expect "$kernel" 'v2 probe of files' "$what" "$(of "$kernel" 'v2 probe' "$what")"
		done
		expect "$kernel" 'v2 probe of files' '.hooks | length > 40' true
	done
}

@test "read and write, vectored, positioned and direct, are counted exactly" {
	everywhere 'v2 nothing' 'v2 read' 'v2 write' 'v2 pread' 'v2 pwrite' \
		'v2 readv' 'v2 writev' 'v2 direct'
}

@test "sizes are counted in their bins, at the end of the file and after a failure" {
	everywhere 'v2 sizes'
}

@test "sendfile and copy_file_range are counted once, at both ends" {
	everywhere 'v2 sendfile' 'v2 sendfile_other' 'v2 sendfile_socket' 'v2 copy_file_range'
}

@test "splice is counted if one end is a file, and so is sendfile to a pipe" {
	local moved='.app[0] | [.read_bytes, .read_calls, .write_bytes, .write_calls] | join(" ")'
	everywhere 'v2 splice' 'v2 vmsplice' 'v2 sendfile_pipe'
	each expect 'v2 fio splice read' "$moved" '262144 64 0 0'
	each expect 'v2 fio splice write' "$moved" '0 0 262144 64'
}

@test "a core dump is a write of its bytes, on ext4, overlayfs and FUSE" {
	everywhere 'v2 core' 'v2 overlay core' 'v2 fuse core'
}

@test "libaio is counted by its results" {
	everywhere 'v2 aio' 'v2 aio_direct' 'v2 aio_short'
}

@test "each of 40,000 concurrent libaio requests is counted" {
	everywhere 'v2 aio_many'
	each flags 'v2 aio_many' ''
}

@test "io_uring is counted by its results" {
	newer 'v2 uring' 'v2 uring_v' 'v2 uring_direct' 'v2 uring_short' 'v2 uring_async' 'v2 uring_sqpoll'
}

@test "io_uring is counted with vectors in registered buffers" {
	local kernel
	for kernel in "${modern[@]}"; do
		[[ ! -e $(case_file "$kernel" 'v2 uring_fixed') ]] || exact "$kernel" 'v2 uring_fixed'
	done
}

@test "io_uring is counted with a full completion queue and without completions" {
	newer 'v2 uring_few_answers' 'v2 uring_few_direct' 'v2 uring_skip'
}

@test "splice through io_uring is counted" {
	everywhere 'v2 uring_splice'
}

@test "mapped files are counted separately: pages read and dirtied by faults" {
	newer 'v2 mmap_read' 'v2 mmap_hot' 'v2 mmap_write'
}

@test "mapped files are counted if the kernel faults for the process" {
	newer 'v2 mmap_populate' 'v2 mmap_willneed' 'v2 mmap_populate_read' \
		'v2 mmap_write_from' 'v2 mmap_read_into'
}

@test "mapped files of overlayfs are counted on overlayfs and not below" {
	local kind
	for kind in mmap_read mmap_populate mmap_willneed mmap_write; do
		newer "v2 overlay $kind"
		each_modern expect "v2 overlay $kind" '.app[] | select(.fs == "/mnt/a")
			| .mmap_read_bytes + .mmap_write_bytes' 0
	done
}

@test "without counting of io_uring and mapped files the record has flags" {
	local label
	for label in 'v2 uring' 'v2 mmap_read'; do
		expect 5.10 "$label" '.quality | sort | join(" ")' 'aio_missing mmap_missing'
		expect 5.10 "$label" '.app[0] | .mmap_read_bytes' null
		expect 5.10 "$label" '.app[0] | .read_bytes' 0
	done
	for label in "${modern[@]}"; do
		expect "$label" 'v2 uring' '.quality | length' 0
	done
}

@test "operations on names and inodes are counted exactly" {
	everywhere 'v2 open' 'v2 handle' 'v2 create' 'v2 names' 'v2 folders' 'v2 stat' 'v2 space' \
		'v2 lookup' 'v2 readdir' 'v2 fsync'
}

@test "links, nodes, modes, owners, times, sizes, attributes and space are counted exactly" {
	everywhere 'v2 inodes'
}

@test "a file without a name is created, too" {
	everywhere 'v2 tmpfile'
}

@test "fsync counts explicit calls of any kind, and not O_SYNC" {
	everywhere 'v2 aio_fsync' 'v2 osync'
	newer 'v2 uring_fsync'
	each expect 'v2 msync' '.app[0].meta.fsync' 5
}

@test "children, threads, daemons, orphans and killed processes are counted" {
	everywhere 'v2 fork' 'v2 threads' 'v2 daemon' 'v2 orphan' 'v2 killed'
}

# is_bound KERNEL LABEL - no counter exceeds truth, and a counter that is lower has a flag in the
# record
is_bound() {
	jq -r -s '([.[1].app[] | select(.fs) | . + (.meta // {})] | map({key: .fs, value: .}) | from_entries) as $got
		| .[1].quality as $q
		| .[0] | to_entries[] | .key as $fs | select($got[$fs]) | .value | to_entries[]
		| select((.value | type) == "number" and $got[$fs][.key] != .value)
		| select(($got[$fs][.key] > .value) or
			([if (.key | startswith("read_")) then "lower_bound_read"
			  elif (.key | startswith("write_")) then "lower_bound_write"
			  elif (.key | startswith("mmap_")) then "mmap_missing"
			  else "lower_bound_ops" end] - $q != []))
		| "\($fs): \(.key): did \(.value), counted \($got[$fs][.key]), \($q)"' "$(case_file "$1" "$2")"
}

readonly kinds='nothing read write pread pwrite readv writev direct sendfile copy_file_range
	aio uring mmap_read mmap_write open stat names inodes threads crowd crowd_of_calls core'

@test "on preemptible kernels numbers are exact or flagged as a lower bound" {
	local kernel kind found
	for kernel in "${kernels[@]}"; do
		found=$(is_bound "$kernel" 'v2 crowd')
		[[ -z $found ]] || { printf '%s: %s\n' "$kernel" "$found"; return 1; }
	done
	for kernel in "${preempted[@]}"; do
		for kind in $kinds; do
			found=$(is_bound "$kernel" "v2 $kind")
			[[ -z $found ]] || { printf '%s, %s: %s\n' "$kernel" "$kind" "$found"; return 1; }
		done
	done
}

@test "times are null if programs of more than 1 % of the calls of their class were skipped" {
	local kernel kind found
	for kernel in "${preempted[@]}"; do
		for kind in read crowd crowd_of_calls; do
			found=$(jq -r -s '.[1].app[] | select(.fs) | (.times_skipped // 0) as $skipped
				| [[.read_calls, .read_us], [.write_calls, .write_us],
				   [(.meta | del(.fsync, .lookup_miss) | add), .meta_us]][]
				| select((.[1] == null) != ($skipped > (.[0] / 100 | floor)))
				| "\(.[0]) calls, \($skipped) skipped, \(.[1]) us"' "$(case_file "$kernel" "v2 latency $kind")")
			[[ -z $found ]] || { printf '%s, %s: %s\n' "$kernel" "$kind" "$found"; return 1; }
		done
		expect "$kernel" 'v2 latency read' '.app[] | select(.fs == "/mnt/a") | .read_us > 0' true
	done
}

@test "preemptible kernels since 6.14 count everything; since 7.1 all kernels are preemptible" {
	local kernel kind
	exact newest 'v2 crowd' 'v2 crowd_of_calls'
	for kernel in 6.18-preempt newest-preempt; do
		for kind in $kinds; do
			exact "$kernel" "v2 $kind"
			expect "$kernel" "v2 $kind" '.quality | map(select(test("^lower_bound|^times_skipped"))) | length' 0
		done
	done
}

@test "since 7.1 at most 24 programs are attached" {
	expect newest 'v2 links' '.links <= 24' true
}

@test "totals at exit are exact, except aio, io_uring and mapped files" {
	local kernel kind labels=()
	for kind in read write pread pwrite readv writev direct sizes sendfile \
		sendfile_other sendfile_socket copy_file_range aio aio_direct uring \
		mmap_read mmap_write names fsync fork threads daemon orphan killed; do
		labels+=("v2 $kind")
	done
	for kernel in "${kernels[@]}"; do
		totals "$kernel" "${labels[@]}" 'v2 first of two jobs' 'v2 second of two jobs'
	done
}

@test "two jobs at the same time are counted separately, in v2 and in v1 cgroups" {
	everywhere 'v2 first of two jobs' 'v2 second of two jobs' \
		'v1 first of two jobs' 'v1 second of two jobs'
	everywhere 'v1 nothing' 'v1 read' 'v1 names'
}

@test "other jobs, slurmstepd and the rest of the node are not counted for a job" {
	each none 'v2 a job with a longer number'
	each none 'v2 a name that only begins like a job'
	each none 'v2 slurmstepd itself'
	each none 'v2 no job at all'
	each none 'v2 a scope that a user made'
	each none 'v2 a job outside of the scope'
	each none 'v2 a scope of another name'
	each none 'v1 a job of another controller'
	each none "v1 a job outside of slurm"
}

@test "a user's cgroup cannot add I/O to another job" {
	everywhere 'v2 a cgroup of the user with the name of another job'
}

@test "a process counts for its job, however deep its cgroup is" {
	everywhere 'v2 many levels below' 'v1 many levels below'
}

@test "a job is also found if its slurmd is the machine's only one" {
	everywhere 'v2 the only slurmd' 'v1 the only slurmd'
}

@test "a filesystem that is mounted below a counted one sets mount_below, in any namespace" {
	each flags 'v2 mounted below' mount_below
	each flags 'v2 mounted below before' ''
	each flags 'v2 mounted below in a namespace' mount_below
	each flags 'v2 a bind mount' ''
	each flags 'v2 a namespace kept below' '' # as job_container/tmpfs does
}

@test "a device number that is used again counts for no filesystem, and sets a flag" {
	each expect 'v2 the number' '.is == .was' true
	each expect 'v2 number used again' '[.app[] | select(.fs) | .write_calls] | add' 0
	each flags 'v2 number used again' unmounted
	each flags 'v2 mounted anew' remounted
}

@test "of more filesystems than a record can have the first ones are counted, with flags" {
	local kernel
	for kernel in "${kernels[@]}"; do
		expect "$kernel" 'v2 many mounts' '[.app[] | select(.fs)] | length' 60
		expect "$kernel" 'v2 many mounts' '.app[] | select(.fs == "/mnt/many/0") | .write_bytes' 262144
		flags "$kernel" 'v2 many mounts' 'lower_bound_read lower_bound_write'
		grep -q 'more than 60 filesystems' "$(case_file "$kernel" 'v2 too many')"
	done
}

@test "a folder that a user has made in place of the pins is moved away" {
	each expect 'v2 folder of a user' .tier bpf
	each expect 'v2 owner of the folder' '[.uid, .mode] | join(" ")' '0 700'
}

@test "a job is found by the SLUID of Slurm 26.05" {
	everywhere 'v2 a cgroup named by its SLUID'
}

@test "read does not change counters, a second run starts at zero, stop removes them" {
	local kernel first again
	everywhere 'v2 first run' 'v2 second run'
	for kernel in "${kernels[@]}"; do
		first=$(of "$kernel" 'v2 first run' '.app | tostring')
		again=$(of "$kernel" 'v2 read again' '.app | tostring')
		[[ $first == "$again" ]]
		expect "$kernel" 'v2 after the job' .tier none
		expect "$kernel" 'v2 after the job' '.app | length' 0
		expect "$kernel" 'v2 nothing is left' '.jobs | length' 0
	done
}

@test "mounts in a user's container count for their filesystem, and hidden ones set mount_below" {
	each expect 'v2 a container of the user' '[.app[] | select(.fs) | .fs, .write_bytes] | join(" ")' \
		'/mnt/a 262144 /mnt/b 0'
	each flags 'v2 a container of the user' mount_below
}

@test "a bind mount counts for its filesystem, once" {
	each expect 'v2 a bind mount' '[.app[] | select(.fs)] | length' 1
	each expect 'v2 a bind mount' '.app[0] | .fs' /mnt/a
	each expect 'v2 a bind mount' '.app[0] | .write_bytes' 262144
}

@test "a loop device or an overlay of files on a counted filesystem is flagged, before and during the job" {
	local label
	for label in 'an image of the job' 'a file for a loop device' 'an overlay of the job' \
		'an image of root' 'an image before the job' 'an overlay before the job'; do
		each flags "v2 $label" image_mounted
	done
	for label in 'an image elsewhere' 'an overlay elsewhere' 'no image any more'; do
		each flags "v2 $label" ''
	done
}

@test "overlayfs is counted on overlayfs and not below" {
	local kind
	each expect 'v2 overlay msync' '[.app[] | select(.fs) | .meta.fsync] | join(" ")' '0 5'
	for kind in read write readv sendfile copy_file_range aio names stat space fsync open core; do
		everywhere "v2 overlay $kind"
		each expect "v2 overlay $kind" '.app[] | select(.fs == "/mnt/a")
			| .read_calls + .write_calls + (.meta | del(.lookup_miss) | add)' 0
	done
}

@test "with totals only copies in overlayfs count twice, with copies_twice" {
	local kernel label='v2 totals of a copy in overlayfs' found
	for kernel in "${kernels[@]}"; do
		found=$(jq -r -s '.[2].exit.read_bytes as $did
			| [.[1, 3].app[] | select(.source == "exit").read_bytes] | .[1] - .[0]
			| select(. != 2 * $did) | "did \($did), counted \(.)"' \
			"$(case_file "$kernel" 'v2 nothing')" "$(case_file "$kernel" "$label")")
		[[ -z $found ]] || { printf '%s: %s\n' "$kernel" "$found"; return 1; }
		expect "$kernel" "$label" '.quality | index("copies_twice") != null' true
		expect "$kernel" 'v2 overlay copy_file_range' '.quality | index("copies_twice")' null
	done
}

@test "FUSE is counted for the job, and the I/O of its server process is not" {
	local kind
	newer 'v2 fuse mmap_read'
	for kind in read write sendfile names fsync core; do
		everywhere "v2 fuse $kind"
		each expect "v2 fuse $kind" '.app[] | select(.fs == "/mnt/a")
			| .read_calls + .write_calls + (.meta | add)' 0
	done
}

@test "the peak is the maximum of one second, whenever it is read" {
	local kernel
	everywhere 'v2 bursts'
	for kernel in "${kernels[@]}"; do
		expect "$kernel" 'v2 bursts' '.app[0].peak' '{
  "read_Bps": 262144,
  "write_Bps": 1048576,
  "window_s": 1
}'
		# 64 calls of 4 KiB: it is not certain that all of them are in one second
		expect "$kernel" 'v2 write' '.app[0].peak | .write_Bps <= 262144 and .read_Bps == 0' true
		expect "$kernel" 'v2 nothing' '.app[0].peak.write_Bps' 0
		expect "$kernel" 'v2 after the job' '.app | length' 0
	done
}

# expect_rows KERNEL LABEL FS WIDTH_S - rows of this width have the MiB of their seconds, and some
# of the MiB for which truth does not know the second
expect_rows() {
	is_booted "$1" || return 0
	jq -r -s --arg fs "$3" --argjson width "$4" '
		(.[1].app[] | select(.fs == $fs).timeline) as $t
		| .[0][$fs].seconds as $seconds
		| [range($t.calls | length) | . as $row | ($t.start + . * $t.width_s) as $from
			| [$seconds[] | select(.[0] >= $from and .[0] < $from + $t.width_s)] as $in
			| range(2) | . as $rw | ([$t.read_bytes, $t.write_bytes][$rw][$row] // 0) / 1048576
			| select(. < ([$in[][1 + $rw]] | add // 0) or
				. > ([$in[] | .[1 + $rw] + .[3 + $rw]] | add // 0))] as $wrong
		| if $t.width_s == $width and ($seconds | length) > 4 and $wrong == [] then empty
		  else error("did \($seconds), counted \($t)") end' "$(case_file "$1" "$2")"
}

@test "a timeline has the second of each transfer, on any CPU" {
	local kernel
	for kernel in "${kernels[@]}"; do
		expect_rows "$kernel" 'v2 timed' /mnt/b 1
		expect "$kernel" 'v2 timed' '.app[] | select(.fs == "/mnt/b").timeline.calls | add' 50
		expect "$kernel" 'v2 nothing' '.app[0].timeline' null
		expect "$kernel" 'v2 timed' '.app[] | select(.source == "exit").timeline' null
	done
}

@test "after a minute neighbouring seconds are one row" {
	local kernel
	for kernel in "${kernels[@]}"; do
		expect_rows "$kernel" 'v2 timed_long' /mnt/long 2
		expect "$kernel" 'v2 timed_long' '.app[] | select(.fs == "/mnt/long").timeline.calls | add' 70
	done
}

@test "rows add up to the counters, for each kind of I/O" {
	local kernel file found
	for kernel in "${kernels[@]}"; do
		for file in "$work/$kernel"/*; do
			found=$(jq -r 'select(.app?).app[] | select(.fs) | . as $io
				| [(.timeline // {}) | .read_bytes, .write_bytes, .calls | . // [] | add // 0] as $sum
				| [$io.read_bytes, $io.write_bytes, $io.read_calls + $io.write_calls] as $all
				| select($sum != $all) | "\($io.fs): \($sum) of \($all)"' "$file") || continue
			[[ -z $found ]] || { printf '%s: %s\n' "$file" "$found"; return 1; }
		done
	done
}

@test "latency is counted on request: one measurement for each call" {
	local kernel
	everywhere 'v2 latency read' 'v2 latency writev'
	for kernel in "${kernels[@]}"; do
		expect "$kernel" 'v2 latency read' '.app[0] | .read_ns | add' 64
		expect "$kernel" 'v2 latency writev' '.app[0] | .write_ns | add' 64
		expect "$kernel" 'v2 latency writev' '.app[0] | .read_ns | length' 0
		# the sum of the times is between the limits of the bins
		expect "$kernel" 'v2 latency read' '.app[0]
			| .read_us * 1000 / ([.read_ns | to_entries[] | .value * pow(2; .key)] | add)
			| . > 0.9 and . <= 2' true
		expect "$kernel" 'v2 latency read' '.app[0] | .write_us' 0
		expect "$kernel" 'v2 read' '.app[0] | .read_us' null
		expect "$kernel" 'v2 read' '.app[0] | .read_ns' null
	done
}

# times KERNEL LABEL FS - each class has the time that the processes measured, and at least that of
# the slow filesystem's operations. The filesystem's part of a call is counted: the time of
# the process, less 5 % and 50 ms, for each of many processes that wait for a CPU in turn.
times() {
	jq -r -s --arg kernel "$1" --arg fs "$3" '
		.[0] as $ops | [.[1:-1][] | .times // {}] as $did
		| (.[-1].app[] | select(.fs == $fs)) as $got
		| ["read_us", "write_us", "meta_us", "sync_us", "close_us", "mapped_us", "async_us"][] as $key
		| ([$did[][$key] // 0] | add // 0) as $us
		| select(($kernel == "5.10" and $key == "mapped_us") | not)
		| select(($got[$key] // -1) < $us * 0.95 - 50000 or $got[$key] > $us * 1.05 + 50000)
		| "\($key): measured \($us), counted \($got[$key])"' "$(case_file "$1-times" "$2")"
}

@test "time by class is the waiting time of one, four or sixteen processes" {
	local kernel fs label found
	while read -r fs label; do
		for kernel in "${timed[@]}"; do
			found=$(times "$kernel" "$label" "$fs")
			[[ -z $found ]] || { printf '%s, %s: %s\n' "$kernel" "$label" "$found"; return 1; }
		done
	done <<-END
		/mnt/slow nothing
		/mnt/slow one process
		/mnt/slow four processes
		/mnt/slow sixteen processes
		/mnt/slow more calls
		/mnt/slow libaio
		/mnt/slow mapped
		/mnt/slow mapped by four
		/mnt/slow user namespace
		/mnt/over overlay
		/mnt/image image
		/mnt/disk throttled
	END
}

@test "waiting for io_uring is timed, also if a thread of the kernel does the requests" {
	local kernel found
	for kernel in "${timed[@]}"; do
		[[ $kernel != 5.10 ]] || continue
		found=$(times "$kernel" io_uring /mnt/slow)
		[[ -z $found ]] || { printf '%s: %s\n' "$kernel" "$found"; return 1; }
		slow "$kernel" io_uring '.async_us > 500000' true
	done
}

@test "a write over the limit of dirty pages has its waiting time" {
	each_slow throttled '.write_us > 300000' true /mnt/disk
}

@test "overlays and images are counted by their own mount, and otherwise not at all" {
	local label fs
	for label in overlay image; do
		fs=/mnt/${label/overlay/over}
		each_slow "$label" '[.read_calls, .meta.open, .read_us > 800000] | join(" ")' '8 4 true' "$fs"
		each_slow "$label" '[.read_calls, .meta.open, .read_us, .mapped_us // 0] | join(" ")' '0 0 0 0'
		each_slow "$label that is not counted" '[.read_calls, .meta.open, .read_us, .mapped_us // 0] | join(" ")' '0 0 0 0'
	done
}

# slow KERNEL LABEL FILTER VALUE - jq on the counters of the slow filesystem, with "did", its
# operations, and "all", the time of calls without mapped and async ones
slow() {
	local got
	got=$(jq -r -s ".[0] as \$ops | .[-1].app[] | select(.fs == \"${5:-/mnt/slow}\")
		| . + {did: \$ops, all: (.read_us + .write_us + .meta_us + .sync_us + .close_us)} | $3" "$(case_file "$1-times" "$2")")
	[[ $got == "$4" ]] || { printf '%s, %s: %s: %s instead of %s\n' "$1" "$2" "$3" "$got" "$4"; return 1; }
}

each_slow() {
	local kernel
	for kernel in "${timed[@]}"; do slow "$kernel" "$@" || return; done
}

@test "no class has less time than its operations" {
	each_slow 'four processes' '[.read_us >= .did.read * .did.delay_ms * 1000,
		.write_us >= .did.write * .did.delay_ms * 1000, .sync_us >= .did.sync * .did.delay_ms * 1000,
		.close_us >= .did.close * .did.delay_ms * 1000,
		.meta_us >= (.did | .ops - .read - .write - .sync - .close) * .did.delay_ms * 1000] | all' true
	each_slow 'closed at the end' '.close_us / 1000 - .did.close * .did.delay_ms
		| . >= 0 and . < 150' true
	each_slow 'closed at the end' '[.did.close, .threads] | join(" ")' '3 3'
}

@test "number of threads with I/O, their lifetime, and the slowest of them" {
	each_slow 'nothing' '[.threads, .thread_us, .slowest_us] | join(" ")' '0 0 0'
	each_slow 'one process' '[.threads, .slowest_us <= .slowest_life_us, .slowest_life_us <= .thread_us] | join(" ")' \
		'1 true true'
	each_slow 'sixteen processes' '.threads' 16
	# with one thread all time is the slowest's; with 16 the slowest has at least the mean
	each_slow 'one process' '(.slowest_us - .all) | fabs < 1000' true
	each_slow 'sixteen processes' '.slowest_us * 16 >= .all' true
}

@test "a timeline has the time of calls, spread over their seconds" {
	each_slow 'sixteen processes' '(.timeline.io_us | add) / .all | . > 0.98 and . <= 1' true
	# no thread has more than one second in a second
	each_slow 'one process' '[.timeline.io_us[] | select(. > 1010000)] | length' 0
}

@test "asynchronous I/O has its latency, and blocking time for one of 16 requests at a time" {
	each_slow libaio '.read_ns | add' 16
	each_slow libaio '.async_us < 16 * 1000 * .did.delay_ms / 2' true
}

@test "failed calls are counted by filesystem, class and errno" {
	each_slow errors '.errors | tojson' '{"EROFS":{"meta":1},"ENOENT":{"meta":2}}'
	each_slow errors '.errors | tojson' '{"ENOSPC":{"write":1}}' /mnt/b
	each_slow 'shut out' '.errors | tojson' '{"EACCES":{"meta":7}}' /mnt/b
	each_slow 'one process' '.errors | tojson' null
}

@test "random reads and writes are distinguished from sequential ones" {
	each_slow 'one after another' '[.read_random, .read_first] | join(" ")' '0 1'
	each_slow 'backwards' '[.read_random, .read_first] | join(" ")' '63 1'
	each_slow 'written backwards' '[.write_random, .write_first] | join(" ")' '63 1'
}

@test "two loaders at the same time load one set, also after a killed one" {
	each expect 'v2 two loaders' '[.jobs[].job] | sort | unique | join(" ")' '1 2'
	each expect 'v2 pins' .pins 1
	each expect 'v2 unloaded' .pins 0
}

@test "a kernel that refuses BPF is not a failure, and is not tried again" {
	local kernel
	for kernel in "${kernels[@]}"; do
		expect "$kernel" 'v2 without privileges' .tier none
		of "$kernel" 'v2 without privileges' .reason | grep -q 'the kernel refuses them: Operation not permitted$'
		expect "$kernel" 'v2 without type information' .tier none
		expect "$kernel" 'v2 without type information' .reason \
			'BPF programs: the kernel has no type information (/sys/kernel/btf/vmlinux)'
		expect "$kernel" 'v2 a refusal is remembered' .reason \
			'BPF programs: the kernel has no type information (/sys/kernel/btf/vmlinux)'
	done
}

@test "under lockdown=confidentiality nothing is counted and nothing fails" {
	[[ -n ${kernels[*]} ]] || return 0
	run cat "$work/lockdown.out"
	[[ ${lines[0]} == 'none integrity [confidentiality]' ]]
	[[ ${lines[1]} == '{"tier":"none","reason":"BPF programs: '* ]]
	[[ ${lines[2]} == *'"app":[],"quality":[]'* ]]
	[[ ${lines[3]} == '{}' ]]
}

@test "probe works on this machine's kernel, too" {
	run "$BUILDDIR/jobio-count" --run-dir="$BATS_TEST_TMPDIR" probe
	[ "$status" -eq 0 ]
	[[ $(jq -r .tier <<<"$output") =~ ^(none|exit|bpf)$ ]]
	[[ $(jq -r '.tier == "bpf" or .reason != null' <<<"$output") == true ]]
}
