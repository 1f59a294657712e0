# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bash - an NFS mount on the node of node.bash: its tables and its read-ahead
# are files, as the kernel writes them (tests/samples/nfs).

# nfs_make - on the node of node.bash
nfs_make() {
	mkdir -p "$NODE/nfs" "$NODE/bdi/0:60"
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	nfs_booted
	# a kernel that takes what a live NFS mount takes, and notes it
	# shellcheck disable=SC2016 # the fake expands it
	node_fake nfs-mount 'node=${0%/bin/*}
	echo "$*" >>"$node/mount-calls"
	[[ ,$5, == ,remount,* && $5 != *[rw]size* ]] || exit 32
	words=$(tr , "\n" <<<"$5" | grep -vxE "remount|atime|async|diratime|strictatime" | paste -sd,)
	sed -i "s|nfs [^ ]*|nfs rw,$words,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none|" "$node/nfs/mounts"'
	nfs_conf
}

NFS_AHEAD=128 # that of the mount as it is booted

# nfs_booted - mounted as fstab says
nfs_booted() {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none
	echo "$NFS_AHEAD" >"$NODE/bdi/0:60/read_ahead_kb"
}

# nfs_rebooted - what it had before, or what somebody has changed for good
nfs_rebooted() {
	NFS_AHEAD=$((RANDOM % 2 ? 128 : 256))
	nfs_booted
}

# nfs_later - 600 s of work: 256 READs of 1 MiB, 64 WRITEs of 1 MiB on /mnt/work
nfs_later() {
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1-later.txt" "$NODE/nfs/mountstats"
}

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

expect_read_ahead() {
	local have
	have=$(<"$NODE/bdi/0:60/read_ahead_kb")
	[[ $have == "$1" ]] || fail "read-ahead is $have"
}

# expect_nfs_as_before - the read-ahead and the options that profiles change
expect_nfs_as_before() {
	expect_read_ahead "$NFS_AHEAD" || return
	[[ ! $(<"$NODE/nfs/mounts") =~ ,(sync|noatime), ]] || fail "the mount: $(<"$NODE/nfs/mounts")"
}
