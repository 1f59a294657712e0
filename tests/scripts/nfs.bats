#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# nfs.bats - prolog and epilog on a node with NFS: the kernel's tables and the read-ahead are
# files (tests/samples/nfs).
#
# shellcheck disable=SC2154,SC2034 # bats sets output and status; nfs.bash reads NODE_*

load node
load crash
load nfs

READ_AHEAD='"what":"read-ahead","target":"/mnt/work","old":"read_ahead_kb=128","new":"read_ahead_kb=512"'

setup_file() { watch_library "$BATS_FILE_TMPDIR/watch.so"; }

setup() {
	node_make
	nfs_make
}

teardown() { node_remove; }

# findings_of ID - the codes of the findings in its record
findings_of() { record "$1" | jq -r '[.findings[].code] | join(" ")'; }

@test "the read-ahead of a profile is set while a job with io-cores runs, and the mount has its own afterwards" {
	job 7 1 scan
	expect_run 0 prolog ''
	expect_read_ahead 512
	expect_gate 7 io_profile=scan
	expect_run 0 epilog
	expect_read_ahead 128
	expect_in "$READ_AHEAD,\"restored\":true" "$(record 7)"
	[ "$(findings_of 7)" = '' ]
}

# ahead - "MOUNTS READ_AHEAD_KB" for each value
ahead() { cat "$NODE"/bdi/*/read_ahead_kb | sort | uniq -c | xargs; }

@test "a profile is applied to each of many mounts, and each has its own settings afterwards" {
	local i
	for i in {101..170}; do
		echo "files:/$i /mnt/$i nfs rw,vers=3,hard,local_lock=none 0 0" >>"$NODE/nfs/mounts"
		echo "$i 25 0:$i / /mnt/$i rw - nfs files:/$i rw" >>"$NODE/nfs/mountinfo"
		mkdir "$NODE/bdi/0:$i"
		echo 128 >"$NODE/bdi/0:$i/read_ahead_kb"
	done
	NODE_JOBIO=on_error=drain nfs_conf
	job 7 1 scan
	expect_run 0 prolog
	[ "$(ahead)" = '71 512' ]
	expect_gate 7 io_profile=scan
	expect_run 0 epilog
	[ "$(ahead)" = '71 128' ]
	# the record has some of them, and the flag truncated
	[ "$(record 7 | jq -c '[(.changes | length), (.changes | map(.restored) | unique), (.quality | index("truncated") != null)]')" = \
		'[64,[true],true]' ]
}

@test "the record has the client and its mounts" {
	one_job 7
	[ "$(record 7 | jq -c '.client | [.name, .type, .version]')" = '["home","nfs","3"]' ]
	[ "$(record 7 | jq -c '.client.mounts')" = \
		'[{"mount":"/mnt/work","fstype":"nfs","source":"192.0.2.40:/export/work"}]' ]
}

# shared ID - number of other jobs that share its client counters; null: unknown
shared() { record "$1" | jq -c '[.wire[].shared] | unique'; }

@test "client counters are the job's if no other job was on the node, otherwise unknown" {
	one_job 7
	[ "$(shared 7)" = '[0]' ]
	starts 8
	one_job 9
	[ "$(shared 9)" = '[null]' ]
	one_job 10
	job 8
	epilog
	[ "$(shared 8)" = '[null]' ]
	[ "$(shared 10)" = '[null]' ]
	one_job 11
	[ "$(shared 11)" = '[0]' ]
}

@test "client counters are unknown if Slurm does not pass to the prolog whether other jobs are on the node" {
	job 7
	old_slurm
	prolog
	echo 512 >"$NODE/bdi/0:60/read_ahead_kb"
	job 8 - scan # already set: slurmctld is not asked
	old_slurm
	prolog
	[ ! -e "$NODE/run/8/journal" ]
	epilog
	[ "$(record 8 | jq -c '[.wire[].shared] | unique')" = '[null]' ]
	job 7
	old_slurm
	epilog
	job 9 - scan
	old_slurm
	prolog
	epilog
	[ "$(record 9 | jq -c '[.wire[].shared] | unique')" = '[0]' ]
}

@test "client counters are unknown if a job started for which jobio is switched off" {
	NODE_JOBIO='partitions = io'
	nfs_conf
	job 7
	JOB_ENV+=(SLURM_JOB_PARTITION=io)
	prolog
	job 8
	JOB_ENV+=(SLURM_JOB_PARTITION=batch)
	prolog
	epilog
	job 7
	JOB_ENV+=(SLURM_JOB_PARTITION=io)
	epilog
	[ "$(shared 7)" = '[null]' ]
}

@test "restored is null for a mount that is gone, false if only its read-ahead cannot be read" {
	cp "$NODE/nfs/mounts" "$NODE/mounts"
	starts 7 1 stream
	: >"$NODE/nfs/mounts"
	expect_run 0 epilog
	[ "$(record 7 | jq -c '[.changes[] | .made, .restored]')" = '[true,null,true,null]' ]
	mv "$NODE/mounts" "$NODE/nfs/mounts"
	echo 128 >"$NODE/bdi/0:60/read_ahead_kb"
	starts 8 1 stream
	mv "$NODE/bdi/0:60" "$NODE/kept"
	expect_run 0 epilog "NF42 '/mnt/work' could not get read_ahead_kb=128 back: cannot read what it has: No such device"
	[ "$(record 8 | jq -c '[.changes[] | select(.what == "read-ahead") | .restored]')" = '[false]' ]
	mv "$NODE/kept" "$NODE/bdi/0:60"
	starts 9
	[ "$(record 8 | jq -c '[.changes[] | select(.what == "read-ahead") | .restored]')" = '[true]' ]
}

@test "a job keeps its end time and counters if its mount is restored later" {
	starts 7 1 stream
	mv "$NODE/bin/nfs-mount" "$NODE/bin/nfs-mount-itself"
	node_fake nfs-mount 'exit 32'
	epilog
	expect_in '"restored":false' "$(record 7)"
	local end
	end=$(record 7 | jq .end)
	mv "$NODE/bin/nfs-mount-itself" "$NODE/bin/nfs-mount"
	nfs_later
	starts 8 1
	[ ! -e "$NODE/run/7" ]
	[ "$(record 7 | jq -c '[.changes[].restored, .wire[].read_bytes]')" = '[true,true,0]' ]
	# the later of two records of a node is used
	[[ $(record 7 | jq "(.end - $end) * 1000 | round") == [12] ]]
}

@test "a profile may have mount options and read-ahead, and both are restored" {
	mounted rw,nosuid,relatime,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none
	job 7 1 stream
	expect_run 0 prolog
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

@test "an option that a remount does not accept is refused when jobio.conf is read" {
	NODE_OPTIONS=noatime,rsize=1048576 nfs_conf
	job 7 1 stream
	expect_run 0 prolog "[profile stream] mount_options: 'rsize=1048576': a remount of NFS changes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; in /etc/fstab: SERVER:/EXPORT MOUNT_POINT nfs defaults,rsize=1048576 0 0; the job runs without jobio"
	run in_env "$BUILDDIR/jobio" check --role=node --conf="$NODE/jobio.conf" --host=c1
	expect_in "J01" "$output"
	expect_in "'rsize=1048576': a remount of NFS changes" "$output"
}

@test "if the kernel refuses an option the others are not changed" {
	# shellcheck disable=SC2016 # the fake expands it
	node_fake nfs-mount 'echo "mount: an incorrect mount option was specified" >&2
	exit 32'
	job 7 1 stream
	expect_run 0 prolog "NF40 '/mnt/work' could not get sync,noatime: mount -o remount" \
		"an incorrect mount option was specified"
	epilog
	[ "$(record 7 | jq -c '[.changes[] | [.what, .made]]')" = '[["mount-option",false],["read-ahead",true]]' ]
	expect_read_ahead 128
}

@test "client counters of the mounts are in the job's record, with scope node" {
	starts 7
	nfs_later
	epilog
	[ "$(record 7 | jq -c '.wire[0] | del(.meta) | with_entries(select(.value != null))')" = \
		'{"scope":"node","shared":0,"source":"mountstats","client":"home","fs":"/mnt/work","read_bytes":268435456,"write_bytes":67108864,"read_calls":256,"write_calls":64,"read_us":3000000,"write_us":2500000,"meta_calls":155,"meta_us":76000,"asked_read_bytes":314572800,"asked_write_bytes":62914560,"resent":3,"copies":0,"name_calls":150}' ]
	[ "$(record 7 | jq -c '.wire | length')" -eq 1 ]
}

# an action between prolog and epilog | flags of the record
@test "with counters that cannot be compared there are no client counters, and a flag has the reason" {
	local what wanted had
	while IFS='|' read -r what wanted; do
		nfs_make
		nfs_later
		starts 7
		eval "$what"
		epilog 2>/dev/null
		had=$(record 7 | jq -r '"\(.wire) \(.quality - ["no_step"] | join(" "))"')
		[ "$had" = "null $wanted" ] || fail "$what: $had"
		rm "$NODE"/spool/{7.*.json,released}
	done <<-'END'
		cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"|wire_reset
		rm "$NODE/nfs/mountstats"|wire_reset
		: >"$NODE/nfs/mountstats"; : >"$NODE/nfs/mounts"|unmounted
		sed -i "s/.\"home\":\".*/{\"home\":\"x\"}}/" "$NODE/run/7/wire"|client_unreadable
		echo "{" >"$NODE/run/7/wire"|
		rm "$NODE/run/7/wire"|
		sed -i "s/boot_id\":\"./&0/" "$NODE/run/7/wire"|
		sed -i "s/client home/client other/" "$NODE/jobio.conf"|
	END
}

# automounted - autofs at /mnt/work, not used yet, and at /mnt/direct
automounted() {
	printf '%s\n' '/etc/auto.mnt /mnt autofs rw,fd=6,timeout=300,indirect 0 0' \
		'/etc/auto.direct /mnt/work autofs rw,fd=7,timeout=300,direct 0 0' \
		'/etc/auto.direct /mnt/direct autofs rw,fd=7,timeout=300,direct 0 0' >"$NODE/nfs/mounts"
	printf '%s\n' '40 25 0:70 / /mnt rw,relatime shared:30 - autofs /etc/auto.mnt rw,indirect' \
		'41 40 0:71 / /mnt/work rw,relatime shared:31 - autofs /etc/auto.direct rw,direct' \
		'42 40 0:71 / /mnt/direct rw,relatime shared:31 - autofs /etc/auto.direct rw,direct' >"$NODE/nfs/mountinfo"
}

@test "prolog, epilog and --recover do not trigger an automount point, used or not" {
	automounted
	sed -i "/^\[client/a mounts=/mnt/work /mnt/direct" "$NODE/jobio.conf"
	watch_helpers
	job 7 1 stream
	prepare 2>/dev/null
	release 2>/dev/null
	[ "$(record 7 | jq -c '[.client.mounts, .wire]')" = '[[],null]' ]
	[[ $(findings_of 7) != *NF01* ]] # it is mounted when it is used
	# the server's file system is now mounted, and the other one is not
	echo '192.0.2.40:/export/work /mnt/work nfs rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none 0 0' >>"$NODE/nfs/mounts"
	echo '60 41 0:60 / /mnt/work rw,relatime shared:40 - nfs 192.0.2.40:/export/work rw,vers=3,hard' >>"$NODE/nfs/mountinfo"
	job 8 1 scan
	prepare 2>/dev/null
	expect_read_ahead 512
	nfs_later
	recover 2>/dev/null
	release 2>/dev/null
	expect_read_ahead 128
	[ "$(record 8 | jq -c '[.client.mounts[].mount, .wire[0].read_bytes]')" = '["/mnt/work",268435456]' ]
	[[ $(findings_of 8) != *NF02* ]]
	[ "$(watched open "$NODE/nfs/mounts")" -gt 3 ]
	run grep -E '^[a-z]+ /mnt(/|$)' "$NODE/watched"
	[ "$output" = '' ] || fail "$output"
}

# quality_with FIELD - flags in the record of a job with this field in its step file
quality_with() {
	starts 7
	step 7 0 10 20
	sed -i "s/}\$/$1}/" "$NODE/run/7/steps/0"
	epilog
	record 7 | jq -r '.quality | join(" ")'
	rm -f "$NODE/spool"/7.*.json "$NODE/spool/released"
}

@test "a mount of the client's type in the job's own namespace sets private_mount: its I/O is in no number of a filesystem" {
	[[ " $(quality_with ',"private_mounts":"tmpfs nfs4"') " == *' private_mount '* ]]
	[[ " $(quality_with ',"private_mounts":"tmpfs overlay lustre nfsd nfs40"') " != *private_mount* ]]
	[[ " $(quality_with '') " != *private_mount* ]]
}

# mount_files - mount another filesystem
mount_files() {
	printf '%s\n' 'files.example.org:/ /mnt/my\040files nfs4 rw,vers=4.2,soft 0 0' >>"$NODE/nfs/mounts"
}

@test "a filesystem that is mounted while a job runs sets mounted_late: I/O there is in no number of a filesystem" {
	starts 7
	mount_files
	nfs_later
	epilog
	[ "$(record 7 | jq -c '[.client.mounts[].mount]')" = '["/mnt/work"]' ]
	[ "$(record 7 | jq -c '[[.wire[].fs], .quality]')" = '[["/mnt/work"],["no_step","mounted_late","wire_reset"]]' ]
	# it is mounted before this one starts
	one_job 8
	[ "$(record 8 | jq -c .quality)" = '["no_step"]' ]
	# the first filesystem of a node sets it as well
	: >"$NODE/nfs/mounts"
	job 9
	prolog 2>/dev/null
	mounted rw,vers=3,hard
	epilog
	[ "$(record 9 | jq -c .quality)" = '["no_step","mounted_late"]' ]
}

@test "a filesystem that mounts= does not name does not set mounted_late" {
	sed -i "/^\[client/a mounts=/mnt/work" "$NODE/jobio.conf"
	starts 7
	mount_files
	epilog
	[ "$(record 7 | jq -c .quality)" = '["no_step"]' ]
}

@test "without the prolog's mount table mounted_late is not set" {
	starts 7
	rm "$NODE/run/7/mountinfo"
	mount_files
	epilog
	[ "$(record 7 | jq -c .quality)" = '["no_step","wire_reset"]' ]
}

@test "a server that does not answer is a finding, and settings are made" {
	mounted rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none,proto=tcp,port=1,addr=127.0.0.1
	printf '%s\n' 'device 192.0.2.40:/export/work mounted on /mnt/work with fstype nfs statvers=1.1' \
		$'\txprt:\ttcp 802 1 1 0 0 17 12 0 9100 0 65 4 1' >"$NODE/nfs/mountstats"
	job 7 1 scan
	expect_run 0 prolog
	expect_read_ahead 512
	run epilog
	expect_read_ahead 128
	[ "$(findings_of 7)" = NF09 ]
}

@test "a node without its NFS mount is drained with on_error=drain" {
	NODE_JOBIO=on_error=drain nfs_conf
	: >"$NODE/nfs/mounts"
	job 7
	expect_run 1 prolog
	[ "$(<"$NODE/run/reason")" = 'jobio:NF01 no file system of type nfs is mounted; cure: mount it, or leave this node out of nodes= of [client] in jobio.conf' ]
	grep -q ' drain c1 jobio:NF01 no file system' "$NODE/asked"
}

# ---- killed ------------------------------------------------------------------

request_of() { job "$1" 1 "${PROFILE:-scan}"; }

is_back() { expect_nfs_as_before; }
rebooted() { nfs_rebooted; }

@test "after random schedules of crashes the mount has its old read-ahead" {
	crash_schedules scan stream ""
}

@test "the mount has its own settings in the end if one call of prolog or epilog fails, or all from there on" {
	fail_walk prepare
	fail_walk release
	fail_walk prepare all
	fail_walk release all
}

# killed COMMAND MENDER - kill COMMAND at each step that changes the read-ahead
killed() { crash_walk "$@" 'read-ahead before' 'read-ahead after'; }

@test "a prolog killed at any step of the read-ahead is undone by its epilog" {
	killed prepare release
}

@test "a prolog killed at any step of the read-ahead is undone by --recover" {
	killed prepare recover
}

@test "a prolog killed at any step of the read-ahead is undone by the next job" {
	killed prepare crash_next_job
}

@test "an epilog killed at any step of the read-ahead is finished by its second run" {
	killed release release
}

# remount_killed COMMAND MENDER - the same with mount options in the profile
remount_killed() {
	PROFILE=stream
	crash_walk "$@" 'remount before' 'remount after' 'read-ahead before' 'read-ahead after'
}

@test "a command that a killed prolog or epilog has just started has no effect after the next epilog" {
	PROFILE=stream
	late_walk prepare
	late_walk release
}

@test "a prolog killed at any step of a remount is undone by its epilog" {
	third 1 remount_killed prepare release
}

@test "a prolog killed at any step of a remount is undone by --recover" {
	third 2 remount_killed prepare recover
}

@test "a prolog killed at any step of a remount is undone by the next job" {
	third 3 remount_killed prepare crash_next_job
}

@test "an epilog killed at any step of a remount is finished by its second run" {
	remount_killed release release
}
