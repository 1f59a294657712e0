#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What prolog and epilog do on a node whose file system is NFS: its tables and
# its read-ahead are files, as the kernel writes them (tests/samples/nfs).
#
# shellcheck disable=SC2154 # bats sets output and status

load node
load crash

READ_AHEAD='"what":"read-ahead","target":"/mnt/work","old":"read_ahead_kb=128","new":"read_ahead_kb=512"'

setup() {
	node_make
	mkdir -p "$NODE/nfs" "$NODE/bdi/0:60"
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none
	echo 128 >"$NODE/bdi/0:60/read_ahead_kb"
	# a kernel that takes what a live NFS mount takes, and notes it
	# shellcheck disable=SC2016 # the fake expands it
	node_fake nfs-mount 'node=${0%/bin/*}
	echo "$*" >>"$node/mount-calls"
	[[ ,$5, == ,remount,* && $5 != *[rw]size* ]] || exit 32
	words=$(tr , "\n" <<<"$5" | grep -vxE "remount|atime|async|diratime|strictatime" | paste -sd,)
	sed -i "s|nfs [^ ]*|nfs rw,$words,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none|" "$node/nfs/mounts"'
	nfs_conf
}

teardown() { node_remove; }

# mounted OPTIONS - the only mount of the node
mounted() {
	echo "192.0.2.40:/export/work /mnt/work nfs $1 0 0" >"$NODE/nfs/mounts"
}

# nfs_conf - jobio.conf; NODE_JOBIO has lines for [jobio]
nfs_conf() {
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		${NODE_JOBIO:-}
		[client home]
		type=nfs
		mount_table=$NODE/nfs/mounts
		mountinfo=$NODE/nfs/mountinfo
		mountstats=$NODE/nfs/mountstats
		bdi_dir=$NODE/bdi
		mount_command=$NODE/bin/nfs-mount
		[profile scan]
		read_ahead_kb=512
		[profile stream]
		mount_options=${NODE_OPTIONS:-sync,noatime}
		read_ahead_kb=512
	END
}

# later - 600 s of work: 256 READs of 1 MiB, 64 WRITEs of 1 MiB on /mnt/work
later() {
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1-later.txt" "$NODE/nfs/mountstats"
}

expect_read_ahead() {
	local have
	have=$(<"$NODE/bdi/0:60/read_ahead_kb")
	[[ $have == "$1" ]] || fail "read-ahead is $have"
}

# told ID - the codes of the findings in its record
told() { record "$1" | jq -r '[.findings[].code] | join(" ")'; }

@test "a job with io-cores has the read-ahead of its profile while it runs, and the mount its own afterwards" {
	job 7 1 scan
	run prolog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	expect_read_ahead 512
	expect_gate 7 verdict=admit
	expect_gate 7 io_profile=scan
	run epilog
	[ "$status" -eq 0 ]
	expect_read_ahead 128
	expect_in "$READ_AHEAD,\"restored\":true" "$(record 7)"
	[ "$(told 7)" = '' ]
}

@test "the record names the client and its mounts" {
	one_job 7
	[ "$(record 7 | jq -c '.client | [.name, .type, .version]')" = '["home","nfs","3"]' ]
	[ "$(record 7 | jq -c '.client.mounts')" = \
		'[{"mount":"/mnt/work","fstype":"nfs","source":"192.0.2.40:/export/work"}]' ]
}

@test "the read-ahead stays as it is on a node that the job shares" {
	job 7 - scan
	run prolog
	[ "$status" -eq 0 ]
	expect_read_ahead 128
	[ ! -e "$NODE/run/7/journal" ]
	epilog
	expect_in "\"code\":\"NF46\",\"severity\":\"info\",\"text\":\"the profile's settings were left out: the job shares this node with others\"" "$(record 7)"
}

@test "a read-ahead that somebody else has set meanwhile stays, and the record says so" {
	job 7 1 scan
	prolog
	echo 2048 >"$NODE/bdi/0:60/read_ahead_kb"
	epilog
	expect_read_ahead 2048
	expect_in "$READ_AHEAD,\"restored\":false" "$(record 7)"
	[ "$(told 7)" = NF43 ]
	expect_in "'/mnt/work' has read_ahead_kb=2048: neither what the node had (read_ahead_kb=128) nor what jobio set (read_ahead_kb=512); left as it is" "$(record 7)"
}

@test "a profile may have mount options and read-ahead, and both are put back" {
	mounted rw,nosuid,relatime,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_read_ahead 512
	[ "$(cut -d' ' -f4 "$NODE/nfs/mounts")" = rw,nosuid,sync,noatime,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none ]
	expect_gate 7 io_profile=stream
	epilog
	expect_read_ahead 128
	[ "$(cut -d' ' -f4 "$NODE/nfs/mounts")" = rw,nosuid,relatime,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none ]
	[ "$(record 7 | jq -c '[.request.applied, (.changes[] | [.what, .old, .new, .restored])]')" = \
		'[true,["mount-option","async,relatime","sync,noatime",true],["read-ahead","read_ahead_kb=128","read_ahead_kb=512",true]]' ]
	[ "$(cat "$NODE/mount-calls")" = "-i -t nfs -o remount,nosuid,diratime,sync,noatime 192.0.2.40:/export/work /mnt/work
-i -t nfs -o remount,nosuid,diratime,async,atime,relatime 192.0.2.40:/export/work /mnt/work" ]
}

@test "an option that a live mount does not take is refused when jobio.conf is read" {
	NODE_OPTIONS=noatime,rsize=1048576 nfs_conf
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "[profile stream] mount_options: 'rsize=1048576': a live NFS mount takes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; the job runs without jobio" "$output"
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in "J01" "$output"
	expect_in "'rsize=1048576': a live NFS mount takes" "$output"
}

@test "an option that the kernel refuses leaves the others as they were" {
	# shellcheck disable=SC2016 # the fake expands it
	node_fake nfs-mount 'echo "mount: an incorrect mount option was specified" >&2
	exit 32'
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF40 '/mnt/work' could not get sync,noatime: mount -o remount" "$output"
	expect_in "an incorrect mount option was specified" "$output"
	epilog
	[ "$(record 7 | jq -c '[.changes[] | [.what, .made]]')" = '[["mount-option",false],["read-ahead",true]]' ]
	expect_read_ahead 128
}

@test "a read-ahead that cannot be set is a finding, and the job runs" {
	local file="$NODE/bdi/0:60/read_ahead_kb"
	ln -sf /proc/sys/kernel/ngroups_max "$file" # a number that nobody can set
	job 7 1 scan
	run prolog
	[ "$status" -eq 0 ]
	[[ $output =~ "NF40 '/mnt/work' could not get read_ahead_kb=512: $file: "(Permission denied|Read-only file system)"; cure: see dmesg" ]]
	expect_gate 7 verdict=admit
	run epilog
	[ "$status" -eq 0 ]
	[ "$(told 7)" = NF40 ]
}

@test "what the mounts moved while a job ran is in its record, as the whole node's" {
	job 7
	prolog
	later
	epilog
	[ "$(record 7 | jq -c '.wire[0] | del(.meta) | with_entries(select(.value != null))')" = \
		'{"scope":"node","source":"mountstats","client":"home","fs":"/mnt/work","read_bytes":268435456,"write_bytes":67108864,"read_calls":256,"write_calls":64,"read_us":3000000,"write_us":2500000,"meta_calls":155,"meta_us":93000,"asked_read_bytes":314572800,"asked_write_bytes":62914560,"resent":3}' ]
	[ "$(record 7 | jq -c '.wire | length')" -eq 1 ]
}

@test "counters that went back leave no wire numbers and say why" {
	later
	job 7
	prolog
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	epilog
	[ "$(record 7 | jq -c '[.wire, .quality]')" = '[null,["no_step","wire_reset"]]' ]
}

@test "a mountstats that is missing does not stop a job" {
	NODE_JOBIO=on_error=drain nfs_conf
	rm "$NODE/nfs/mountstats"
	job 7 1 scan
	run prolog
	[ "$status" -eq 0 ]
	[ "$(grep -c mountstats <<<"$output")" -eq 1 ]
	expect_in "NF03 its counters cannot be read: cannot open '$NODE/nfs/mountstats': No such file or directory; cure: correct mountstats= in jobio.conf" "$output"
	expect_gate 7 verdict=admit
	expect_read_ahead 512
	run epilog
	[ "$status" -eq 0 ]
	expect_read_ahead 128
	[ "$(record 7 | jq -c .wire)" = null ]
	[ "$(told 7)" = NF03 ]
}

@test "a server that does not answer is said beside a setting that was made" {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none,proto=tcp,port=1,addr=127.0.0.1
	printf '%s\n' 'device 192.0.2.40:/export/work mounted on /mnt/work with fstype nfs statvers=1.1' \
		$'\txprt:\ttcp 802 1 1 0 0 17 12 0 9100 0 65 4 1' >"$NODE/nfs/mountstats"
	job 7 1 scan
	run prolog
	[ "$status" -eq 0 ]
	expect_read_ahead 512
	run epilog
	expect_read_ahead 128
	[ "$(told 7)" = NF09 ]
}

@test "a node without its NFS mount is drained where the site wants it" {
	NODE_JOBIO=on_error=drain nfs_conf
	: >"$NODE/nfs/mounts"
	job 7
	run prolog
	[ "$status" -eq 1 ]
	[ "$(<"$NODE/run/reason")" = 'jobio:NF01 no file system of type nfs is mounted; cure: mount it, or leave this node out of nodes= of [client] in jobio.conf' ]
	grep -q '"reason":"jobio:NF01 no file system' "$NODE/spool/reason"
}

@test "check says what is wrong with an NFS mount" {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,soft,local_lock=none
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in "NF04 warning: '/mnt/work' is mounted soft: a slow server becomes an I/O error, and data that was written may be lost
    cure: mount it hard; a job that must not wait has a time limit" "$output"
	[[ $output != *J0* ]]
}

# ---- killed ------------------------------------------------------------------

wish() { job "$1" 1 scan; }

is_back() { expect_read_ahead 128; }

# killed COMMAND MENDER
killed() { crash_walk "$@" 'read-ahead before' 'read-ahead after'; }

@test "a prolog killed at any step of the read-ahead is mended by its epilog" {
	killed prepare release
}

@test "a prolog killed at any step of the read-ahead is mended by --recover" {
	killed prepare recover
}

@test "a prolog killed at any step of the read-ahead is mended by the next job" {
	killed prepare crash_next_job
}

@test "an epilog killed at any step of the read-ahead is mended by its second run" {
	killed release release
}
