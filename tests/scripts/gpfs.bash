# SPDX-License-Identifier: GPL-2.0-or-later
# gpfs.bash - a Storage Scale client on the node of node.bash: tests/sim/gpfs
# below $NODE/gpfs, two filesystems, scratch and home.

# gpfs_make [--socket] - make the node
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
	head -n 2 "$SRCDIR/tests/samples/gpfs/mmdiag-waiters.txt" >"$NODE/gpfs/waiters"
	gpfs_start "$@"
	gpfs_conf
}

# gpfs_start [--socket] - start mmfsd
gpfs_start() {
	rm -f "$NODE/gpfs/pid" "$NODE/gpfs/mmpmonSocket"
	"$NODE/gpfs/bin/mmfsd" "$@" 3>&- &
	MMFSD=$!
	wait_for test -s "$NODE/gpfs/pid"
	mkdir "$NODE/processes/$MMFSD"
	echo mmfsd >"$NODE/processes/$MMFSD/comm"
}

# gpfs_stop - end mmfsd; its mounts stay, as after a crash
gpfs_stop() {
	kill -KILL "$MMFSD" 2>/dev/null || :
	wait "$MMFSD" 2>/dev/null || :
	rm -rf "$NODE/processes/${MMFSD:?}" "$NODE/gpfs/pid"
}

gpfs_rebooted() {
	gpfs_stop
	gpfs_start
}

gpfs_remove() {
	gpfs_stop
	node_remove
}

# gpfs_conf - write jobio.conf; NODE_JOBIO has lines for [jobio], NODE_CLIENT for [client fast]
gpfs_conf() {
	node_root gpfs
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		${NODE_JOBIO:-}
		[client fast]
		type=gpfs
		mount_table=$NODE/gpfs/mounts
		mmpmon=$NODE/gpfs/bin/mmpmon
		mmdiag=$NODE/gpfs/bin/mmdiag
		${NODE_CLIENT:-}
		[profile stream]
		mmconfig=maxMBpS=24000,fsyncIsGlobal=0
		[profile metadata]
		mmconfig=maxStatCache=131072,nBucketGroups=1024
		[profile wrong]
		mmconfig=maxMBpS=24000,autoload=1
	END
}

# gpfs_work READ-BYTES WRITE-BYTES READS WRITES - add I/O on scratch, by any process
gpfs_work() {
	local cl fs d br bw oc cc rdc wc rest
	{
		read -r cl fs d br bw oc cc rdc wc rest
		echo "$cl $fs $d $((br + $1)) $((bw + $2)) $oc $cc $(((rdc + $3) % 4294967296)) $(((wc + $4) % 4294967296)) $rest"
		cat
	} <"$NODE/gpfs/counters" >"$NODE/gpfs/counters.new"
	mv "$NODE/gpfs/counters.new" "$NODE/gpfs/counters"
}

# gpfs_calls WORD - number of calls of a command
gpfs_calls() { grep -c "^$1 " "$NODE/gpfs/calls" || :; }
