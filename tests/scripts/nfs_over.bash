# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034 # nfs.bash and the tests read some of these
#
# nfs_over.bash - the node of nfs.bash, where a job may have a new mount on top of the
# node's own: with a mount and an umount that do to its tables what the kernel does

OPTIONS=rw,nosuid,nodev,relatime,vers=3,rsize=1048576,wsize=1048576,hard,sec=krb5,local_lock=none,addr=192.0.2.40
OTHERS=rw,nosuid,nodev,relatime,vers=3,hard,sec=krb5,local_lock=none,addr=192.0.2.40
WANTED=rsize=524288,wsize=524288,actimeo=60
SOURCE=192.0.2.40:/export/work

# over_make - on the node of node.bash
over_make() {
	nfs_make
	cp "$SRCDIR/tests/scripts/nfs-mount" "$SRCDIR/tests/scripts/nfs-umount" "$NODE/bin"
	booted
	conf "mount=$WANTED"
}

# booted - the mount as fstab has it, and no other
booted() {
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	# nobody waits for the server
	grep -v xprt: "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" >"$NODE/nfs/mountstats"
	nfs_booted
	mounted "$OPTIONS"
	echo 256 >"$NODE/bdi/0:60/read_ahead_kb"
	rm -rf "$NODE/bdi"/0:9*
}

# conf LINE... - of the profile "own"; CHANGE: of mount_change
conf() {
	nfs_conf
	sed -i "/^type=nfs/a mount_change=${CHANGE:-over}\numount_command=$NODE/bin/nfs-umount\ntimeout_ms=${TIMEOUT:-5000}" \
		"$NODE/jobio.conf"
	printf '%s\n' '[profile own]' "$@" >>"$NODE/jobio.conf"
}

# seen - the options of the mount that is seen; count - how many are on the place
seen() { awk '$2 == "/mnt/work" { options = $4 } END { print options }' "$NODE/nfs/mounts"; }
count() { grep -c ' /mnt/work ' "$NODE/nfs/mounts"; }

expect_old() {
	[[ $(count) == 1 && $(seen) == "$OPTIONS" ]] || fail "$(<"$NODE/nfs/mounts")" || return
	! grep '^9' "$NODE/nfs/mountinfo" || fail 'mountinfo has a new mount' || return
	expect_read_ahead 256
}
