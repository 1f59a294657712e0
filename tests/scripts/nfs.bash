# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bash - an NFS mount on the node of node.bash: the kernel's tables and the read-ahead
# are files (tests/samples/nfs).

# nfs_make - add it to the node of node.bash
nfs_make() {
	mkdir -p "$NODE/nfs" "$NODE/bdi/0:60"
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	nfs_booted
	# accepts the options that the kernel accepts for a mounted NFS filesystem, and logs them
	# shellcheck disable=SC2016 # the fake expands it
	node_fake nfs-mount 'node=${0%/bin/*}
	echo "$*" >>"$node/mount-calls"
	[[ ,$5, == ,remount,* && $5 != *[rw]size* ]] || exit 32
	words=$(tr , "\n" <<<"$5" | grep -vxE "remount|atime|async|diratime|strictatime" | paste -sd,)
	sed -i "s|nfs [^ ]*|nfs rw,$words,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none|" "$node/nfs/mounts"'
	nfs_conf
}

NFS_AHEAD=128 # read_ahead_kb of the mount after boot

# nfs_booted - mount it with the options of fstab
nfs_booted() {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none
	echo "$NFS_AHEAD" >"$NODE/bdi/0:60/read_ahead_kb"
}

# nfs_rebooted - mount it with the old read-ahead, or one that an administrator has set permanently
nfs_rebooted() {
	NFS_AHEAD=$((RANDOM % 2 ? 128 : 256))
	nfs_booted
}

# nfs_later - counters after 600 s of work: 256 READs and 64 WRITEs of 1 MiB on /mnt/work
nfs_later() {
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1-later.txt" "$NODE/nfs/mountstats"
}

# mounted OPTIONS - set the only mount of the node
mounted() {
	echo "192.0.2.40:/export/work /mnt/work nfs $1 0 0" >"$NODE/nfs/mounts"
}

# nfs_conf - write jobio.conf; NODE_JOBIO has lines for [jobio]
nfs_conf() {
	node_root nfs nfs-mount
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		${NODE_JOBIO:-}
		[client home]
		type=nfs
		mount_table=$NODE/nfs/mounts
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

# expect_nfs_as_before - read-ahead and options of profiles have their old values
expect_nfs_as_before() {
	expect_read_ahead "$NFS_AHEAD" || return
	[[ ! $(<"$NODE/nfs/mounts") =~ ,(sync|noatime), ]] || fail "the mount: $(<"$NODE/nfs/mounts")"
}
