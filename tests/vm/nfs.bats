#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bats - real NFS: the kernel's server and client, over TCP and RDMA; see nfs-node
#
# Requirements: see nfs_machines.bash.
#
# shellcheck disable=SC2154 # nfs_machines.bash sets kernels and work

load nfs_machines

setup_file() { machines nfs-node; }
teardown() { [[ -z ${DIR:-} ]] || teardown_ledger; }

# wire CASE MOUNT READ WRITTEN ASKED_READ ASKED_WRITTEN - client counters, in bytes
wire() {
	expect "$1" "[.wire[] | select(.fs == \"/m/$2\") |
		.read_bytes, .write_bytes, .asked_read_bytes, .asked_write_bytes]" "[$3,$4,$5,$6]"
}

# app CASE MOUNT READ WRITTEN - counters of processes, in bytes
app() {
	expect "$1" "[.app[] | select(.fs == \"/m/$2\") | .read_bytes, .write_bytes]" "[$3,$4]"
}

# moved CASE MOUNT READ WRITTEN - the same bytes requested, over the network, and by processes
moved() {
	wire "$1" "$2" "$3" "$4" "$3" "$4"
	app "$1" "$2" "$3" "$4"
}

@test "the machines run their scripts to the end" { expect_done; }

@test "the mounts are found: versions, and one superblock for two mounts of one export" {
	expect facts '.client | [.type, .version, (.mounts | length)]' '["nfs","3,4.2",4]'
	expect mountinfo '[.[] | select(test("/m/[ts]3 ")) | split(" ")[2]] | unique | length' 1
}

@test "TCP although the card supports RDMA, and local locks, are findings" {
	expect facts '[.findings[].code] | unique' '["NF07","NF10"]'
	expect facts '[.findings[] | select(.code == "NF10") | .text]' \
		"[\"'/m/t3' goes over TCP, and the card ve0 that leads to its server can do RDMA\",\"'/m/t4' goes over TCP, and the card ve0 that leads to its server can do RDMA\"]"
}

@test "settings of a profile are set on mounts and restored, over TCP and RDMA" {
	expect 'before the settings' . '["t3 128 ,relatime","t4 128 ,relatime","r3 128 ,relatime"]'
	expect 'with the settings' . '["t3 1024 ,sync,noatime","t4 1024 ,sync,noatime","r3 1024 ,sync,noatime"]'
	expect 'after the settings' . '["t3 128 ,relatime","t4 128 ,relatime","r3 128 ,relatime"]'
	expect 'record of the settings' '.request.applied' true
	expect 'record of the settings' '[.changes[] | .made, .restored] | unique' '[true]'
	expect 'record of the settings' '[.changes[].what] | group_by(.) | map([.[0], length])' '[["mount-option",4],["read-ahead",4]]'
}

# within_s CASE LIKE SECONDS - it exited 0, and took at most so many seconds longer than LIKE: a
# quiet machine needs two; a hanging one is killed after 90
within_s() {
	local kernel took
	for kernel in "${kernels[@]}"; do
		took=$(jq -n --slurpfile a "$work/$kernel/${1// /_}" --slurpfile b "$work/$kernel/${2// /_}" \
			'[$a[0].status == 0, $a[0].seconds, $b[0].seconds, $a[0].seconds < $b[0].seconds + '"$3]")
		[[ $(jq -c '[.[0], .[3]]' <<<"$took") == '[true,true]' ]] || {
			printf '%s, %s: %s: succeeded, seconds, those of %s, and few enough\n' "$kernel" "$1" "$(jq -c . <<<"$took")" "$2"
			return 1
		}
	done
}

# cut_off NAME SERVER CHANGED WRITTEN - check findings about the server, the mounts with changed
# options, and the written files with the exit status of the writer
cut_off() {
	within_s "prolog with $1 cut off" 'prolog of the settings' 20
	within_s "epilog with $1 cut off" 'epilog of the settings' 20
	expect "record with $1 cut off" '[.findings[] | select(.severity == "error") | [.code, .target]]' "[[\"NF09\",\"$2\"]]"
	expect "record with $1 cut off" '[.changes[] | select(.what == "mount-option") | .target] | sort' "$3"
	expect "written to $1" . "$4"
}

@test "a disconnected server is one finding, and delays neither prolog nor epilog, and writers complete: v3 over TCP" {
	cut_off t3 192.168.77.1: '["/m/c3","/m/r3","/m/t4"]' \
		'["t3/before-t3 0","t3/task-t3 0"]'
}

@test "a disconnected server is one finding, and delays neither prolog nor epilog, and writers complete: v4.2 over TCP" {
	cut_off t4 192.168.77.2: '["/m/c3","/m/r3","/m/s3","/m/t3"]' \
		'["t4/before-t4 0","t4/task-t4 0"]'
}

@test "a disconnected server is one finding, and delays neither prolog nor epilog, and writers complete: v3 over RDMA" {
	cut_off c3 192.168.78.1: '["/m/r3","/m/s3","/m/t3","/m/t4"]' \
		'["c3/before-c3 0","c3/task-c3 0","c3/unplugged 0"]'
}

@test "servers that disconnect while a job runs delay neither prolog nor epilog; after they reconnect its tasks continue and settings are restored" {
	within_s 'epilog when all went' 'epilog of the settings' 20
	within_s 'prolog while all are away' 'prolog of the settings' 20
	within_s 'epilog while all are away' 'epilog of the settings' 20
	expect 'record while all are away' '[.findings[] | select(.severity == "error") | [.code, .target]] | sort' \
		'[["NF09","192.168.77.1:"],["NF09","192.168.77.2:"],["NF09","192.168.78.1:"]]'
	expect 'written to all' . '["c3/during-c3 0","c3/unplugged 0","t3/during-t3 0","t4/during-t4 0"]'
	expect 'after the servers came back' . '["t3 128 ,relatime","t4 128 ,relatime","r3 128 ,relatime"]'
}

@test "a mount that is made during the job counts whole, has no counters of processes, and sets mounted_late" {
	wire 'mounted during the job' late 0 4194304 0 4194304
	expect 'mounted during the job' '[.app[].fs] | index("/m/late")' null
	expect 'mounted during the job' '.quality | index("mounted_late") != null' true
}

@test "a bind mount that is made during the job counts for its filesystem, and sets no flag" {
	wire 'bound during the job' t3 0 2097152 0 2097152
	app 'bound during the job' t3 0 2097152
	expect 'bound during the job' '[.wire[].fs] | index("/m/bind")' null
	expect 'bound during the job' '.quality | index("mounted_late")' null
}

@test "hooks do not trigger autofs, and a filesystem that the job triggers counts whole" {
	expect 'mounts when nobody uses autofs' . '["autofs /auto"]'
	expect 'autofs that nobody uses' '[.client.mounts[].mount, .wire[].fs, .app[].fs] | map(select(. != null and startswith("/auto")))' '[]'
	expect 'autofs that nobody uses' '.findings | map(select(.severity == "error"))' '[]'
	expect 'autofs that the job uses' '[.wire[] | select(.fs == "/auto/b") | .read_bytes, .write_bytes, .asked_read_bytes, .asked_write_bytes]' '[0,4194304,0,4194304]'
	expect 'autofs that the job uses' '.quality | index("mounted_late") != null' true
	expect 'autofs that nobody uses' '.quality | index("mounted_late")' null
}

@test "requests that wait for a free slot are counted once for each connection" {
	expect backlog '[.wire[] | select(.fs == "/m/n3") | .write_calls, .backlog > 0]' '[0,true]'
	expect backlog '[.wire[] | select(.fs == "/m/n3b") | .write_bytes, .backlog]' '[4194304,null]'
	expect 't3 dd write' '[.wire[] | .backlog | type] | unique' '["number"]'
}

@test "a mount that is gone at the end has no line, and sets unmounted" {
	expect 'gone during the job' '[.wire[].fs] | index("/m/late")' null
	expect 'gone during the job' '.quality | index("unmounted") != null' true
}

@test "NFS in a job's own namespace sets private_mount, and a mount that shows the node's counts for it" {
	wire 'in a namespace of its own' t3 0 2097152 0 2097152
	expect 'in a namespace of its own' '[.wire[].fs | select(test("own|shown"))]' '[]'
	expect 'in a namespace of its own' '.steps' 2
	expect 'in a namespace of its own' '[.quality[] | select(test("private_mount|client_unreadable"))]' '["private_mount"]'
	expect 'mounts of the node after the namespace' . '[]'
}

@test "dd writes and reads: client and processes have the same bytes" {
	local name
	for name in t3 t4 r3; do
		moved "$name dd write" $name 0 4194304
		moved "$name dd read" $name 4194304 0
		moved "$name dd direct" $name 0 4194304
	done
}

@test "reads past the end of a file are requested, and return no bytes" {
	local name
	for name in t3 t4 r3; do
		wire "$name dd direct read" $name 4194304 0 5242880 0
		app "$name dd direct read" $name 4194304 0
	done
}

@test "small synchronous writes: client and processes have the same bytes" {
	local name
	for name in t3 t4 r3; do
		moved "$name small" $name 0 5000
	done
}

@test "copies of files: those by a v4.2 server are counted for processes and as copies, without bytes over the network" {
	local name
	for name in t3 r3; do
		moved "$name cp" $name 4194304 4194304
	done
	wire 't4 cp' t4 0 0 0 0
	app 't4 cp' t4 4194304 4194304
	expect 't4 cp' '[.wire[] | [.fs, .copies]]' '[["/m/t3",0],["/m/t4",1],["/m/r3",0]]'
	for name in t3 t4 r3; do
		expect "$name dd write" '[.wire[].copies] | unique' '[0]'
	done
	expect 't3 cp' '[.wire[].copies] | unique' '[0]'
}

@test "fio with sync, libaio and io_uring: client and processes have the same bytes" {
	local name engine
	for name in t3 t4 r3; do
		moved "$name sync" $name 4194304 0
		for engine in libaio io_uring; do
			moved "$name $engine" $name 0 4194304
		done
	done
}

# known KIND - on every mount the job's counters equal truth(.c)
known() {
	local kernel name field='.read_bytes, .write_bytes, .read_calls, .write_calls' did got
	for kernel in "${kernels[@]}"; do
		for name in t3 t4 r3; do
			did=$(of "$kernel" "$name $1 did" "[.[\"/m/$name\"] | $field]")
			got=$(of "$kernel" "$name $1" "[.app[] | select(.fs == \"/m/$name\") | $field]")
			[[ $did != '[0,0,0,0]' && $got == "$did" ]] || {
				printf '%s, %s %s: did %s, counted %s\n' "$kernel" "$name" "$1" "$did" "$got"
				return 1
			}
		done
	done
}

@test "io_uring with a full completion queue is counted: 64 reads, 16 entries" {
	local name kind
	for kind in uring_few_answers uring_few_direct; do
		known $kind
		for name in t3 t4 r3; do
			expect "$name $kind" "[.app[] | select(.fs == \"/m/$name\") | .read_bytes, .read_calls]" '[262144,64]'
		done
	done
}

@test "a core dump counts as a write of its bytes, for processes and client" {
	local name
	known core
	for name in t3 t4 r3; do
		expect "$name core" "[.app, .wire | map(select(.fs == \"/m/$name\"))[0]]
			| .[0].write_bytes == .[1].asked_write_bytes and .[0].write_bytes > 1048576" true
	done
}

# mapped CASE MOUNT READ WRITTEN - counted by pages; no call has read or written a byte
mapped() {
	app "$1" "$2" 0 0
	expect "$1" "[.app[] | select(.fs == \"/m/$2\") | .mmap_read_bytes, .mmap_write_bytes]" "[$3,$4]"
}

@test "fio reads and writes mapped files: bytes over the network, none requested by calls, and pages of processes" {
	local name
	for name in t3 t4 r3; do
		wire "$name mmap" $name 4194304 0 0 0
		mapped "$name mmap" $name 4194304 0
		# a page is read before it is written, and written again if it changes while it is sent
		expect "$name mmap write" "[.wire[] | select(.fs == \"/m/$name\") | .read_bytes,
			(.write_bytes - 4194304 | . >= 0 and . % 4096 == 0 and . <= 65536), .asked_read_bytes,
			.asked_write_bytes]" '[4194304,true,0,0]'
		mapped "$name mmap write" $name 4194304 4194304
	done
}

@test "none of these numbers is a lower bound: no record has a flag other than no_step" {
	local name how
	for name in t3 t4 r3; do
		for how in 'dd write' 'dd read' 'dd direct' 'dd direct read' sync libaio io_uring mmap 'mmap write' small cp \
			uring_few_answers uring_few_direct core; do
			expect "$name $how" .quality '["no_step"]'
		done
	done
}

# away PROCESSES - time by class is the time that processes waited for a server that was unreachable
# for two seconds in each class of calls, within 5 % and 50 ms
away() {
	local kernel found
	for kernel in "${kernels[@]}"; do
		found=$(jq -rs --argjson n "$1" '.[:-1] as $did | .[-1].app[0] as $got
			| if ($did | length) != $n then "\($did | length) processes" else
			("read", "write", "meta", "sync", "close", "mapped", "async" | . + "_us") as $key
			| ([$did[].times[$key]] | add) as $us
			| select($us < $n * 1900000 or ($us - $got[$key] | fabs) > $us * 0.05 + 50000)
			| "\($key): measured \($us), counted \($got[$key])" end' "$work/$kernel/t4_away_from_$1")
		[[ -z $found ]] || { printf '%s: %s\n' "$kernel" "$found"; return 1; }
	done
}

@test "time by class is the time that one, four and sixteen processes waited for an unreachable server" {
	away 1
	away 4
	away 16
}

# met MOUNT CASE ERRNO [CLASS] - exactly one call on the mount failed, with ERRNO
met() {
	expect "$2" "[.app[] | select(.fs == \"/m/$1\").errors | keys, (.$3 | ${4:-add})]" "[[\"$3\"],1]"
}

@test "failed calls are in the job's record, by class and errno" {
	met errs quota EDQUOT .write
	met e3 'quota at fsync' EDQUOT .sync
	met e4 'quota at close' EDQUOT .close
	met e4 full ENOSPC .sync
	met soft 'cut off' EIO
	met soft 'cut off from a name' EIO .meta
	met e3 stale ESTALE
	met e3 'stale name' ESTALE .meta
	met e3 'read-only server' EROFS .meta
	met e4 'read-only' EROFS .meta
}

# first_line CASE TEXT - the first line of the report of a failed job with these counters ends with TEXT
first_line() {
	local kernel line
	for kernel in "${kernels[@]}"; do
		of "$kernel" "$1" '{jobio: 1, cluster: "vm", job: 61, restart: 0, node: "vm1", nodelist: "vm1", uid: 0, gid: 0,
			user: "root", start: 1795224862, end: 1795224962, app, quality}' >"$DIR/spool/61.0.vm1.json"
		send
		read -r line < <("$BUILDDIR/jobio" report --conf="$DIR/jobio.conf" 61)
		# shellcheck disable=SC2053 # a pattern
		[[ $line == *"    FAILED 1:0: "$2 ]] || { printf '%s, %s: %s\n' "$kernel" "$1" "$line"; return 1; }
		forget_jobs
	done
}

@test "the first line of the report of a failed job names the failed calls" {
	# shellcheck source=tests/scripts/sacct.bash
	source "$SRCDIR/tests/scripts/sacct.bash"
	setup_sacct
	printf 'JobID=61\tCluster=vm\tUser=root\tState=FAILED\tExitCode=1:0\n' >"$DIR/bin/jobs"
	first_line quota 'disk quota exceeded on /m/errs (EDQUOT, 1 call)'
	first_line 'quota at fsync' 'disk quota exceeded on /m/e3 (EDQUOT, * call*)'
	first_line 'quota at close' 'disk quota exceeded on /m/e4 (EDQUOT, 1 call)'
	first_line full 'no space left on /m/e4 (ENOSPC, * call*)'
	first_line 'cut off' 'I/O error on /m/soft (EIO, 1 call)'
	first_line stale 'stale file handle on /m/e3 (ESTALE, 1 call)'
	first_line read-only 'read-only filesystem on /m/e4 (EROFS, 1 call)'
}

@test "operations have times, and no request was sent again" {
	local name
	for name in t3 t4 r3; do
		expect "$name dd write" "[.wire[] | select(.fs == \"/m/$name\") | .write_us > 0, .resent]" '[true,0]'
	done
}
