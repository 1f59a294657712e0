#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# core_method=mount: the client gets other cores by unmounting all its file systems and mounting
# them again. Slurm withholds core 7 for one io-core, 6 and 7 for two.
#
# every test is a process of its own, which shellcheck calls a loss
# shellcheck disable=SC2030,SC2031

load node
load crash

setup() {
	node_make
	allow any core_method=mount
}

teardown() {
	node_remove
}

# No umount and no mount was called.
expect_untouched() {
	[[ ! -e $NODE/weka/umount-calls && ! -e $NODE/weka/mount-calls ]] ||
		fail "touched: $(cat "$NODE"/weka/*mount-calls)"
}

expect_no_rest() {
	[[ -z $(ls "$NODE/spool/state") ]] || fail "left: $(ls "$NODE/spool/state")"
}

# Add a second file system of the same container.
second_mount() {
	sed 's|be0/default /mnt/weka|be0/scratch /mnt/scratch|' "$NODE/weka/mounts" >"$NODE/weka/more"
	cat "$NODE/weka/more" >>"$NODE/weka/mounts"
	echo 'be0,be1/scratch /mnt/scratch/ wekafs num_cores=1,net=ib0 0 0' >>"$NODE/weka/fstab"
}

@test "the client gets more cores by a new mount with the options of the old mount and of fstab" {
	job 7 2
	expect_run 0 prolog ''
	expect_cores 6,7
	expect_base
	expect_gate 7 client_cpus=6-7,14-15
	[ "$(cat "$NODE/weka/umount-calls")" = /mnt/weka ]
	[ "$(cat "$NODE/weka/mount-calls")" = "-t wekafs -o rw,relatime,writecache,inode_bits=auto,readahead_kb=32768,dentry_max_age_positive=1000,dentry_max_age_negative=0,container_name=client,net=ib0,memory_mb=1400,core=6,core=7 be0,be1/default /mnt/weka" ]
	[ ! -e "$NODE/spool/state/weka.mounts" ]
	epilog
	expect_in '"what":"cores","target":"client","old":"7","new":"6-7","restored":false' "$(record 7)"
}

@test "an option that the administrator changed by hand is kept, too" {
	sed -i 's/relatime/noatime/; s/negative=0/negative=50/' "$NODE/weka/mounts"
	starts 7 2
	expect_cores 6,7
	expect_options noatime
	expect_options dentry_max_age_negative=50
	epilog
}

@test "an option that is missing after the new mount is a finding, for each file system" {
	second_mount
	sed -i 's/relatime/noatime/' "$NODE/weka/mounts"
	touch "$NODE/weka/forgets"
	job 7 2
	run prolog
	expect_in "W40 '/mnt/weka' was mounted again: it has lost 'noatime'" "$output"
	expect_in "W40 '/mnt/scratch' was mounted again: it has lost 'noatime'" "$output"
	epilog
}

@test "a profile is applied after the new mount, and undone" {
	starts 7 2 stream
	expect_cores 6,7
	expect_options forcedirect
	epilog
	expect_base
	expect_in '"restored":true' "$(record 7)"
}

@test "the client gets fewer cores by a new mount, although it was mounted" {
	one_job 7 2
	expect_cores 6,7
	job 8 1
	run prolog
	[ -z "$output" ]
	expect_cores 7
	expect_gate 8 client_cpus=7,15
	epilog
	expect_no_rest
}

@test "for the next job with the same request nothing is mounted" {
	one_job 7 2
	: >"$NODE/weka/umount-calls"
	one_job 8 2
	[ ! -s "$NODE/weka/umount-calls" ]
	expect_cores 6,7
}

@test "two file systems are unmounted together, and mounted in reverse order" {
	second_mount
	job 7 2
	run prolog
	[ -z "$output" ]
	expect_cores 6,7
	[ "$(cat "$NODE/weka/umount-calls")" = $'/mnt/scratch\n/mnt/weka' ]
	[ "$(cut -d' ' -f1-3 "$NODE/weka/mounts")" = $'be0/default /mnt/weka wekafs\nbe0/scratch /mnt/scratch wekafs' ]
	epilog
}

@test "a busy mount is a finding, and nothing is changed" {
	echo /mnt/weka >"$NODE/weka/umount-busy"
	job 7 2
	expect_run 0 prolog "W48 container 'client' keeps core 7, although this job should find 6-7: umount /mnt/weka: exit status 32: umount.wekafs: /mnt/weka: target is busy."
	expect_cores 7
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
	[ "$(cat "$NODE/weka/umount-calls")" = /mnt/weka ]
	expect_gate 7 client_cpus=7,15
	epilog
	expect_in '"old":"7","new":"6-7","restored":null,"made":false' "$(record 7)"
	expect_no_rest
}

@test "a busy mount is reported for each job that needs it unmounted" {
	one_job 7 1
	echo /mnt/weka >"$NODE/weka/umount-busy"
	job 8 2
	run prolog
	expect_in "W48" "$output"
	epilog
	job 9 2
	run prolog
	expect_in "W48" "$output"
}

@test "nothing is unmounted if the list of mounts cannot be written" {
	mkdir -p "$NODE/spool/state/weka.mounts/full"
	chmod 700 "$NODE/spool" "$NODE/spool/state"
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: "
	expect_untouched
	expect_cores 7
	epilog
}

@test "if the second of two mounts is busy the first is mounted again" {
	second_mount
	echo /mnt/weka >"$NODE/weka/umount-busy"
	job 7 2
	run prolog
	expect_in "W48" "$output"
	expect_cores 7
	[ "$(sort "$NODE/weka/mounts" | cut -d' ' -f1-3)" = $'be0/default /mnt/weka wekafs\nbe0/scratch /mnt/scratch wekafs' ]
	epilog
	expect_no_rest
}

@test "an umount that exits 0 without effect is detected in the mount table" {
	touch "$NODE/weka/umount-lies"
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: umount /mnt/weka exited with 0, but it is still mounted"
	expect_cores 7
	expect_base
	[ ! -e "$NODE/weka/mount-calls" ]
	epilog
	expect_no_rest
}

@test "a container that still runs after its last umount keeps its cores" {
	touch "$NODE/weka/lingers"
	allow any core_method=mount ready_timeout_ms=600
	job 7 2
	run prolog
	expect_in "W44 container 'client' could not change from core 7 to 6-7: it still ran 600 ms after its last umount: is it mounted in another mount namespace?" "$output"
	expect_cores 7
	expect_base
	epilog
	expect_no_rest
}

@test "if the new mount is refused the old one is made again" {
	echo '6 7' >"$NODE/weka/refused"
	job 7 2
	expect_run 0 prolog "W44 container 'client' could not change from core 7 to 6-7: mount -o rw,relatime," \
		"exit status 32: mount.wekafs: not enough hugepages"
	expect_cores 7
	expect_base
	expect_gate 7 client_cpus=7,15
	epilog
	expect_in '"old":"7","new":"6-7","restored":null,"made":false' "$(record 7)"
	expect_no_rest
}

@test "if the old mount fails as well the node is drained, and the next job mounts it" {
	NODE_JOBIO=on_error=drain allow any core_method=mount ready_timeout_ms=600
	touch "$NODE/weka/mount-fails"
	job 7 2
	expect_run 1 prolog "W44 container 'client' could not change from core 7 to 6-7" \
		"W45 container 'client' is not back at core 7: mount -o"
	expect_in "jobio:W" "$(cat "$NODE/run/reason")"
	epilog
	rm "$NODE/weka/mount-fails"
	allow any core_method=mount
	run recover
	expect_cores 7
	expect_base
	expect_no_rest
}

@test "a mount that exits 0 without effect is detected" {
	allow any core_method=mount ready_timeout_ms=600
	touch "$NODE/weka/mount-lies"
	job 7 2
	run prolog
	expect_in "mount /mnt/weka exited with 0, but it is not mounted" "$output"
	rm "$NODE/weka/mount-lies"
	epilog
	expect_cores 7
	expect_base
	expect_no_rest
}

@test "without a line in fstab nothing is unmounted" {
	echo '#be0,be1/default /mnt/weka wekafs net=ib0 0 0' >"$NODE/weka/fstab"
	job 7 2
	expect_run 0 prolog
	expect_untouched
	expect_cores 7
	epilog
	expect_in "container 'client' keeps core 7, although this job should find 6-7: $NODE/root/etc/fstab has no line of type wekafs that mounts 'be0/default' on '/mnt/weka'" "$(record 7)"
}

@test "a line of fstab for another file system is not used" {
	sed -i s/default/scratch/ "$NODE/weka/fstab"
	one_job 7 2
	expect_untouched
	expect_in "has no line of type wekafs that mounts 'be0/default'" "$(record 7)"
}

@test "the client is not changed if mounts= leaves out one of its mounts" {
	second_mount
	allow any core_method=mount mounts=/mnt/weka
	one_job 7 2
	expect_untouched
	expect_in "it also serves '/mnt/scratch', which mounts= leaves out" "$(record 7)"
}

@test "the client is not changed if it has a bind mount" {
	sed 's|/mnt/weka|/home|' "$NODE/weka/mounts" >"$NODE/weka/more"
	cat "$NODE/weka/more" >>"$NODE/weka/mounts"
	one_job 7 2
	expect_untouched
	expect_in "'/mnt/weka' and '/home' show one file system: a bind mount would not come back" "$(record 7)"
}

@test "a stateful client is not unmounted for its cores" {
	sed -i 's|^be0[^ ]*/||' "$NODE/weka/mounts" "$NODE/weka/fstab"
	one_job 7 2
	expect_untouched
	expect_in "it is a stateful client: mount options do not set its cores" "$(record 7)"
}

@test "a job that shares its node changes no mount" {
	job 7 2
	old_slurm
	node_slurm 2 false
	prolog
	expect_untouched
	epilog
}

@test "mounts that were noted in an earlier boot are not made" {
	mkdir -p "$NODE/spool/state"
	chmod 700 "$NODE/spool" "$NODE/spool/state"
	printf '# client 00000000-0000-4000-8000-000000000000\nbe0/old /mnt/old wekafs net=ib0 0 0\n' \
		>"$NODE/spool/state/weka.mounts"
	echo '6 7' >"$NODE/weka/refused"
	one_job 7 2
	run grep -c /mnt/old "$NODE/weka/mount-calls"
	[ "$output" = 0 ]
	expect_cores 7
	expect_no_rest
}

@test "after a reboot during a change the noted mounts are removed, and those of fstab stay" {
	one_job 7
	printf '# client x\nbe0/default /mnt/weka wekafs rw 0 0\n' >"$NODE/spool/state/weka.mounts"
	reboot
	job 8
	expect_run 0 prolog
	expect_no_rest
	expect_untouched
}

@test "after a reboot the cores of a job that mounted again are replaced by the site's" {
	one_job 7 2
	reboot
	starts 8
	expect_no_rest
	expect_cores 7
}
