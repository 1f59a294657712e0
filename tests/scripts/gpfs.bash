# SPDX-License-Identifier: GPL-2.0-or-later
# gpfs.bash - a Storage Scale client on the node of node.bash: tests/sim/gpfs
# below $NODE/gpfs, two filesystems, scratch and home.

# gpfs_make [--socket]
gpfs_make() {
	mkdir -p "$NODE/gpfs/bin" "$NODE/processes"
	cp "$SRCDIR"/tests/sim/gpfs/mm* "$NODE/gpfs/bin"
	printf '%s\n' 'scratch /scratch gpfs rw,relatime 0 0' \
		'home /home gpfs rw,nosuid,relatime 0 0' >"$NODE/gpfs/mounts"
	printf '%s\n' 'hpc.example.org scratch 48 1000 2000 70 60 30 40 5 6' \
		'hpc.example.org home 12 0 0 0 0 0 0 0 0' >"$NODE/gpfs/counters"
	printf '%s\n' 'fsyncIsGlobal 1 -' 'maxMBpS 2048 -' 'maxStatCache 1000 -' \
		'nBucketGroups 128 -' 'pagepool 17179869184 static' \
		'verbsRdma disable -' 'verbsPorts - -' >"$NODE/gpfs/config"
	cp "$NODE/gpfs/config" "$NODE/gpfs/config.kept"
	head -n 2 "$SRCDIR/tests/samples/gpfs/mmdiag-waiters.txt" >"$NODE/gpfs/waiters"
	gpfs_start "$@"
	gpfs_conf
}

# gpfs_start [--socket] - mmfsd runs
gpfs_start() {
	rm -f "$NODE/gpfs/pid" "$NODE/gpfs/socket"
	"$NODE/gpfs/bin/mmfsd" "$@" 3>&- &
	MMFSD=$!
	wait_for test -s "$NODE/gpfs/pid"
	mkdir "$NODE/processes/$MMFSD"
	echo mmfsd >"$NODE/processes/$MMFSD/comm"
}

# gpfs_stop - mmfsd has ended; its mounts stay, as they do when it crashed
gpfs_stop() {
	kill -KILL "$MMFSD" 2>/dev/null || :
	wait "$MMFSD" 2>/dev/null || :
	rm -rf "$NODE/processes/${MMFSD:?}" "$NODE/gpfs/pid"
}

# gpfs_rebooted - mmfsd starts with its configuration: what -I set is gone, and
# somebody may have changed it for good
gpfs_rebooted() {
	gpfs_stop
	sed -i "s/^maxMBpS .*/maxMBpS $((RANDOM % 2 ? 2048 : 4096)) -/" "$NODE/gpfs/config.kept"
	cp "$NODE/gpfs/config.kept" "$NODE/gpfs/config"
	gpfs_start
}

gpfs_remove() {
	gpfs_stop
	node_remove
}

# jobio.conf; NODE_JOBIO has lines for [jobio], NODE_CLIENT for [client fast]
gpfs_conf() {
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		${NODE_JOBIO:-}
		[client fast]
		type=gpfs
		mount_table=$NODE/gpfs/mounts
		mmpmon=$NODE/gpfs/bin/mmpmon
		mmpmon_socket=$NODE/gpfs/socket
		mmdiag=$NODE/gpfs/bin/mmdiag
		mmchconfig=$NODE/gpfs/bin/mmchconfig
		process_dir=$NODE/processes
		${NODE_CLIENT:-}
		[profile stream]
		mmconfig=maxMBpS=24000,fsyncIsGlobal=0
		[profile metadata]
		mmconfig=maxStatCache=131072,nBucketGroups=1024
		[profile wrong]
		mmconfig=maxMBpS=24000,autoload=1
	END
}

# gpfs_allow [LINE...] - settings of mmfsd may be changed
gpfs_allow() {
	NODE_CLIENT=$(printf '%s\n' allow_mmchconfig=yes \
		"mmchconfig_lock=$NODE/gpfs/lock" "$@") gpfs_conf
}

# gpfs_work READ-BYTES WRITE-BYTES READS WRITES - on scratch, by anybody
gpfs_work() {
	local cl fs d br bw oc cc rdc wc rest
	{
		read -r cl fs d br bw oc cc rdc wc rest
		echo "$cl $fs $d $((br + $1)) $((bw + $2)) $oc $cc $(((rdc + $3) % 4294967296)) $(((wc + $4) % 4294967296)) $rest"
		cat
	} <"$NODE/gpfs/counters" >"$NODE/gpfs/counters.new"
	mv "$NODE/gpfs/counters.new" "$NODE/gpfs/counters"
}

# gpfs_calls WORD - how often a command was called
gpfs_calls() { grep -c "^$1 " "$NODE/gpfs/calls" || :; }

# expect_config NAME VALUE
expect_config() {
	grep -q "^$1 $2 " "$NODE/gpfs/config" ||
		fail "$1 is not $2: $(grep "^$1 " "$NODE/gpfs/config")"
}

# expect_gpfs_as_before - its configuration
expect_gpfs_as_before() {
	local difference
	difference=$(diff <(cut -d' ' -f1,2 "$NODE/gpfs/config.kept") <(cut -d' ' -f1,2 "$NODE/gpfs/config")) ||
		fail "mmfsd's configuration: $difference"
}
