#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A new NFS mount on top of the old one while a job runs: prolog and epilog on a node
# made of files, with a mount and an umount that do to its tables what the kernel does
#
# shellcheck disable=SC2154,SC2034 # bats sets output and status; nfs.bash reads NODE_*

load node
load crash
load nfs
load nfs_over

setup() {
	node_make
	over_make
}

teardown() { node_remove; }

told() { record "$1" | jq -r '[.findings[].code] | join(" ")'; }
changes() { record "$1" | jq -c '[.changes[] | [.what, .made, .restored]]'; }

@test "a job has a mount with the options of its profile while it runs, and afterwards the node's own is seen" {
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(count)" -eq 2 ]
	[ "$(seen)" = "$OTHERS,rsize=524288,wsize=524288,acregmin=60,acdirmin=60" ]
	[ "$(<"$NODE/mount-calls")" = "-i -t nfs -o $OTHERS,$WANTED $SOURCE /mnt/work" ]
	expect_gate 7 io_profile=own
	run epilog
	[ "$status" -eq 0 ]
	expect_old
	[ "$(<"$NODE/umount-calls")" = '-i /mnt/work' ]
	[ "$(record 7 | jq -c '[.request.applied, (.changes[] | .what, .target, .old, .new, .made, .restored)]')" = \
		'[true,"mount","/mnt/work","id=80,rsize=1048576,wsize=1048576,!actimeo","rsize=524288,wsize=524288,actimeo=60",true,true]' ]
	[ "$(told 7)" = '' ]
}

@test "a new mount reads ahead as far as the old one did, and a profile may set it and what a live mount takes" {
	job 7 1 own
	prolog
	[ "$(<"$NODE/bdi/0:90/read_ahead_kb")" = 256 ]
	epilog
	conf "mount=$WANTED" read_ahead_kb=512 mount_options=sync
	job 8 1 own
	run prolog
	[ "$status" -eq 0 ]
	[ "$(<"$NODE/bdi/0:90/read_ahead_kb")" = 512 ]
	expect_read_ahead 256
	[ "$(seen)" = rw,nosuid,nodev,relatime,sync,"${OTHERS#*relatime,},rsize=524288,wsize=524288,acregmin=60,acdirmin=60" ]
	epilog
	[ "$(changes 8)" = '[["mount",true,true],["mount-option",true,true],["read-ahead",true,true]]' ]
	expect_old
}

@test "a mount that has the options of the profile already gets no other" {
	conf mount=rsize=1048576,acregmax=60,lookupcache=all
	one_job 7 1 own
	[ ! -e "$NODE/mount-calls" ]
	[ "$(record 7 | jq -c '[.request.applied, .changes]')" = '[true,[]]' ]
}

@test "without mount_change=over a profile with a mount is refused as a whole, and check says so" {
	CHANGE=never conf "mount=$WANTED" read_ahead_kb=512 mount_options=sync
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF49 mount '$WANTED' of the profile: mount_change=never in [client home]; the profile was not applied; cure: mount_change=over in its section of jobio.conf" "$output"
	expect_old
	epilog
	[ "$(record 7 | jq -c '[.request.applied, .changes]')" = '[false,[]]' ]
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in "[profile own] on [client home]: mount '$WANTED' of the profile: mount_change=never" "$output"
}

@test "an option that a new mount cannot take is refused when jobio.conf is read" {
	conf mount=rsize=65536,nconnect=8
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "[profile own] mount: 'nconnect=8': only with another proto= has a new mount connections of its own; the job runs without jobio" "$output"
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in "J01" "$output"
	expect_in "mount: 'nconnect=8'" "$output"
}

@test "a job that shares its node gets no new mount" {
	job 7 - own
	run prolog
	[ "$status" -eq 0 ]
	expect_old
	epilog
	expect_in "\"code\":\"NF46\",\"severity\":\"info\",\"text\":\"the profile's new mount was left out: the job shares this node with others\"" "$(record 7)"
}

@test "a mount that fails is a finding, and the job runs on the old one" {
	echo 'mount: /mnt/work: Connection refused' >"$NODE/mount-fails"
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF35 '/mnt/work' could not be mounted anew with $WANTED: mount: exit status 32: mount: /mnt/work: Connection refused; cure: see dmesg" "$output"
	epilog
	expect_old
	[ "$(changes 7)" = '[["mount",false,null]]' ]
	[ "$(record 7 | jq -c .request.applied)" = false ]
}

@test "a mount that would be the old one once more is a finding about the profile" {
	echo "mount: /mnt/work: $SOURCE already mounted on /mnt/work." >"$NODE/mount-fails"
	one_job 7 1 own 2>/dev/null
	[ "$(told 7)" = NF36 ]
	expect_old
}

# of_v4 - the mount is one of NFS 4.2 over TCP, and the profile wants RDMA
of_v4() {
	OPTIONS=${OPTIONS/vers=3/vers=4.2,proto=tcp}
	mounted "$OPTIONS"
	sed -i 's/proto=rdma,/proto=tcp,/; s/,port=20049//' "$NODE/nfs/mountstats"
	conf "mount=proto=rdma,port=20049${1:-}"
}

@test "by NFS 4 a server's mounts keep its first one's transport: what was wanted is said, why it is not there, and what to do" {
	local cure="cure: have this server's first NFS 4 mount made with this proto= (fstab), or take proto= out of mount= of the profile"
	local kept="; by NFS 4 a server's mounts have the transport of its first one"
	of_v4
	echo "mount: /mnt/work: $SOURCE already mounted on /mnt/work." >"$NODE/mount-fails"
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF36 '/mnt/work' could not be mounted anew with proto=rdma,port=20049: mount: exit status 32: mount: /mnt/work: $SOURCE already mounted on /mnt/work.$kept; $cure" "$output"
	epilog
	expect_old
	[ "$(told 7)" = NF36 ]
	# with a superblock of its own, for another reason
	rm "$NODE/mount-fails"
	of_v4 ,rsize=65536
	# shellcheck disable=SC2016 # the fake expands it
	sed -i 's/^options=$5 source/options=${5\/proto=rdma\/proto=tcp} source/' "$NODE/bin/nfs-mount"
	job 8 1 own
	run prolog
	expect_in "NF36 '/mnt/work' was mounted anew with proto=rdma,port=20049,rsize=65536, and taken back: the kernel did not give it proto=rdma$kept; $cure" "$output"
	epilog
	expect_old
}

@test "a mount that hangs is ended at its deadline, and looked for once more after the job" {
	TIMEOUT=300 conf "mount=$WANTED"
	echo 60 >"$NODE/mount-hangs"
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF35 '/mnt/work' could not be mounted anew with $WANTED:" "$output"
	expect_in 'within 300 ms' "$output"
	rm "$NODE/mount-hangs"
	# what the kernel may do after all
	"$NODE/bin/nfs-mount" -i -t nfs -o "$OTHERS,$WANTED" "$SOURCE" /mnt/work
	[ "$(count)" -eq 2 ]
	epilog
	expect_old
}

@test "a mount that got other options than it was to have is taken back" {
	conf mount=rsize=4194304,nocto
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF36 '/mnt/work' was mounted anew with rsize=4194304,nocto, and taken back: the kernel did not give it rsize=4194304; cure: take what the server or the kernel does not give out of mount= of the profile" "$output"
	expect_old
	epilog
	[ "$(changes 7)" = '[["mount",false,null]]' ]
}

@test "a mount that lost a protection of the old one is taken back" {
	# shellcheck disable=SC2016 # the fake expands it
	sed -i 's/^options=$5 source/options=${5\/,nosuid\/} source/' "$NODE/bin/nfs-mount"
	job 7 1 own
	run prolog
	[ "$status" -eq 0 ]
	expect_in "NF36 '/mnt/work' was mounted anew with $WANTED, and taken back: it has lost 'nosuid' on the way" "$output"
	expect_old
}

@test "a new mount that is in use after the job is put out of sight, and the record says so" {
	job 7 1 own
	prolog
	touch "$NODE/busy"
	run epilog
	[ "$status" -eq 0 ]
	expect_in "NF37 the new mount of '/mnt/work' was in use after the job: it is out of sight, and goes when its last file is closed; cure: end what has files open there" "$output"
	expect_old
	[ "$(tail -n 1 "$NODE/umount-calls")" = '-il /mnt/work' ]
	[ "$(sort -u "$NODE/umount-calls")" = $'-i /mnt/work\n-il /mnt/work' ]
	[ "$(changes 7)" = '[["mount",true,true]]' ]
}

@test "what somebody has mounted over the new mount meanwhile stays, and what lies below, too" {
	job 7 1 own
	prolog
	echo '97 90 0:97 / /mnt/work rw - nfs 192.0.2.40:/other rw' >>"$NODE/nfs/mountinfo"
	echo "192.0.2.40:/other /mnt/work nfs rw,vers=3 0 0" >>"$NODE/nfs/mounts"
	run epilog
	[ "$status" -eq 0 ]
	expect_in "NF43 '/mnt/work' is not as jobio mounted it ($WANTED): left as it is" "$output"
	[ ! -e "$NODE/umount-calls" ]
	[ "$(changes 7)" = '[["mount",true,false]]' ]
}

@test "a mount of the same source that somebody else has made in place of ours stays" {
	job 7 1 own
	prolog
	"$NODE/bin/nfs-umount" -i /mnt/work
	"$NODE/bin/nfs-mount" -i -t nfs -o "$OTHERS,rsize=8192" "$SOURCE" /mnt/work
	epilog
	[ "$(count)" -eq 2 ]
	[ "$(told 7)" = NF43 ]
}

@test "a new mount that somebody has taken away is nothing to be put back" {
	job 7 1 own
	prolog
	"$NODE/bin/nfs-umount" -i /mnt/work
	run epilog
	[ "$status" -eq 0 ]
	expect_old
	[ "$(changes 7)" = '[["mount",true,true]]' ]
	[ "$(told 7)" = '' ]
}

# left_out WHY - the old mount stays, and the record says why
left_out() {
	one_job 7 1 own 2>/dev/null
	[[ ! -e $NODE/mount-calls ]] || fail 'it was mounted' || return
	expect_in "'/mnt/work' did not get the profile's new mount: $1" "$(record 7)" || return
	[[ " $(told 7) " == *' NF38 '* ]]
}

@test "a mount with another one below it, of autofs, bound, or with jobio's files gets none on top" {
	echo '85 80 0:70 / /mnt/work/data rw - xfs /dev/sdb rw' >>"$NODE/nfs/mountinfo"
	left_out "'/mnt/work/data' is mounted below it and would be hidden"
	rm "$NODE/spool"/7.*.json "$NODE/spool/released"
	booted
	sed -i 's/^80 21 /80 84 /' "$NODE/nfs/mountinfo"
	left_out 'autofs has mounted it, and takes away what it finds there'
	rm "$NODE/spool"/7.*.json "$NODE/spool/released"
	booted
	sed -i 's,^80 21 0:60 / ,80 21 0:60 /projects ,' "$NODE/nfs/mountinfo"
	left_out 'it shows a part of another mount'
	rm "$NODE/spool"/7.*.json "$NODE/spool/released"
	booted
	sed -i "s, /mnt/work , $NODE ," "$NODE/nfs/mounts" "$NODE/nfs/mountinfo"
	one_job 7 1 own 2>/dev/null
	expect_in "'$NODE' did not get the profile's new mount: jobio's own files are there" "$(record 7)"
}

@test "what a new mount moves is the client's in the record, the kernel counts it, and the old one's is not added" {
	node_count '{"tier":"bpf","app":[],"quality":[]}'
	# shellcheck disable=SC2016 # the fake expands it
	sed -i '2i grep -c " /mnt/work " "${0%/bin/*}/nfs/mounts" >>"${0%/bin/*}/mounts-counted"' "$NODE/bin/jobio-count"
	job 7 1 own
	prolog
	expect_in 'start 7 /mnt/work' "$(count_calls)"
	[ "$(head -n 1 "$NODE/mounts-counted")" = 2 ]
	# 5 MiB written on the new one, whose part is the last, and much on the old one
	head -n -10 "$NODE/nfs/mountstats" | sed -E 's/^\tbytes:.*/\tbytes:\t9 9 0 0 99999999999 99999999999 9 9/' >"$NODE/stats"
	tail -n 10 "$NODE/nfs/mountstats" | sed -E 's/bytes:.*/bytes:\t0 5242880 0 0 0 5242880 0 0/
		s/WRITE: .*/WRITE: 80 80 0 0 0 1 2 3/' >>"$NODE/stats"
	mv "$NODE/stats" "$NODE/nfs/mountstats"
	epilog
	[ "$(record 7 | jq -c '[.wire[] | [.fs, .read_bytes, .write_bytes, .write_calls]]')" = '[["/mnt/work",0,5242880,80]]' ]
	[ "$(record 7 | jq -c '[.quality[] | select(test("wire_reset|unmounted"))]')" = '[]' ]
}

# ---- killed ------------------------------------------------------------------

wish() { job "$1" 1 own; }
is_back() { expect_old; }
rebooted() { booted; }

@test "random schedules of crashes end with the mount that the node had" {
	conf "mount=$WANTED" read_ahead_kb=512 mount_options=sync
	crash_schedules own scan ""
}

# killed COMMAND MENDER POINT...
killed() {
	conf "mount=$WANTED" read_ahead_kb=512
	crash_walk "$@"
}

@test "a prolog killed at any step of a new mount is mended by its epilog" {
	third 1 killed prepare release 'mount before' 'mount after'
}

@test "a prolog killed at any step of a new mount is mended by --recover" {
	third 2 killed prepare recover 'mount before' 'mount after'
}

@test "a prolog killed at any step of a new mount is mended by the next job" {
	third 3 killed prepare crash_next_job 'mount before' 'mount after'
}

@test "an epilog killed at any step of a new mount is mended by its second run" {
	killed release release 'umount before' 'umount after'
}
