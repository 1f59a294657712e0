# SPDX-License-Identifier: GPL-2.0-or-later
# affinity.bash - a node of two CPUs with a client with CPUs that can be set: workqueues
# and interrupts are files, the threads of mmfsd and of Lustre are real processes. Uses
# node.bash and gpfs.bash.
#
# nfs, lustre or gpfs makes a node; TYPE is its type.

QUEUES=devices/virtual/workqueue

# affinity_make - give the node of node.bash two CPUs
affinity_make() {
	"$BUILDDIR/tests/tools/machine" xml arm-1x2x1-block >"$NODE/machine.xml"
	sed -i 's/"cpus":16/"cpus":2/; s/"cores_per_socket":8/"cores_per_socket":2/; s/"threads_per_core":2/"threads_per_core":1/' "$NODE/node-record"
	echo 0 >"$NODE/sysfs/devices/system/cpu/cpu0/topology/thread_siblings_list"
	echo 1 >"$NODE/sysfs/devices/system/cpu/cpu1/topology/thread_siblings_list"
}

# nfs - a node with NFS: the CPUs of two of its workqueues can be set
nfs() {
	TYPE=nfs
	mkdir -p "$NODE/nfs" "$NODE/sysfs/$QUEUES"/{nfsiod,rpciod,xprtiod,writeback}
	cp "$SRCDIR/tests/samples/nfs/mountinfo-6.1.txt" "$NODE/nfs/mountinfo"
	cp "$SRCDIR/tests/samples/nfs/mountstats-6.1.txt" "$NODE/nfs/mountstats"
	echo '192.0.2.40:/export/work /mnt/work nfs rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none 0 0' >"$NODE/nfs/mounts"
	queues_as_booted
	node_root nfs
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		[client home]
		type=nfs
		core_change=affinity
		${NODE_CLIENT:-}
		mount_table=$NODE/nfs/mounts
	END
}

QUEUES_BOOTED=3 # where the boot has the workqueues

queues_as_booted() {
	local queue
	for queue in nfsiod rpciod xprtiod writeback .; do
		echo "$QUEUES_BOOTED" >"$NODE/sysfs/$QUEUES/$queue/cpumask"
	done
}

expect_queues() {
	local have
	have=$(cat "$NODE/sysfs/$QUEUES"/*/cpumask | sed 's/^0*//' | paste -sd' ')
	[[ $have == "$1" ]] || fail "workqueues: $have"
}

# thread_starts - start a process that stands for a kernel thread
thread_starts() {
	sleep 36000 3>&- &
	THREAD=$!
	mkdir -p "$NODE/processes/$THREAD"
	echo ptlrpcd_00_00 >"$NODE/processes/$THREAD/comm"
	echo "$THREAD (ptlrpcd_00_00) S 2 0 0 0 -1 2129984 0 0 0 0" >"$NODE/processes/$THREAD/stat"
	BEFORE=$(taskset -cp "$THREAD")
}

thread_ends() {
	kill "$THREAD"
	wait "$THREAD" 2>/dev/null || :
	rm -r "$NODE/processes/${THREAD:?}"
}

expect_thread_as_before() {
	local have
	have=$(taskset -cp "$THREAD")
	[[ $have == "$BEFORE" ]] || fail "the thread: $have"
}

# lustre - a node with Lustre
lustre() {
	TYPE=lustre
	mkdir -p "$NODE/lustre"
	thread_starts
	echo '192.0.2.60@tcp:/work /mnt/work lustre rw,flock 0 0' >"$NODE/lustre/mounts"
	node_root lustre
	cat >"$NODE/jobio.conf" <<-END
		[jobio]
		root=$NODE/root
		run_dir=$NODE/run
		spool_dir=$NODE/spool
		[client scratch]
		type=lustre
		core_change=affinity
		mount_table=$NODE/lustre/mounts
	END
}

# gpfs - a node with Storage Scale and the network card ib0
gpfs() {
	TYPE=gpfs
	gpfs_make
	mkdir -p "$NODE/sysfs/class/net/ib0/device/msi_irqs" "$NODE/sysfs/proc/irq/45" "$NODE/sysfs/proc/irq/46"
	touch "$NODE/sysfs/class/net/ib0/device/msi_irqs/"{45,46}
	interrupts_as_booted
	NODE_CLIENT=$'core_change=affinity\ninterrupts_of=ib0' gpfs_conf
	BEFORE=$(taskset -cp "$MMFSD")
}

BOOTED='0 0-1' # where the boot has the interrupts 45 and 46

interrupts_as_booted() {
	echo "${BOOTED% *}" >"$NODE/sysfs/proc/irq/45/smp_affinity_list"
	echo "${BOOTED#* }" >"$NODE/sysfs/proc/irq/46/smp_affinity_list"
}

# affinity_rebooted - daemons and threads are new, mmfsd has its old CPUs; card and
# workqueues may have other CPUs
affinity_rebooted() {
	local places=('0 0-1' '0-1 0')
	case $TYPE in
		gpfs)
			gpfs_rebooted
			BOOTED=${places[RANDOM % 2]}
			interrupts_as_booted ;;
		nfs)
			QUEUES_BOOTED=$((RANDOM % 2 ? 3 : 1))
			queues_as_booted ;;
		lustre)
			thread_ends
			thread_starts ;;
	esac
}

# affinity_is_back - all have the CPUs that they had after boot
affinity_is_back() {
	local it=$QUEUES_BOOTED
	case $TYPE in
		gpfs) expect_mmfsd_as_before && expect_interrupts "$BOOTED" ;;
		nfs) expect_queues "$it $it $it $it" ;;
		lustre) expect_thread_as_before ;;
	esac
}

affinity_remove() {
	[[ -z ${THREAD:-} ]] || thread_ends
	if [[ -n ${MMFSD:-} ]]; then gpfs_remove; else node_remove; fi
	THREAD='' MMFSD=''
}

expect_interrupts() {
	local have
	have=$(cat "$NODE/sysfs/proc/irq"/*/smp_affinity_list | paste -sd' ')
	[[ $have == "$1" ]] || fail "interrupts: $have"
}

expect_mmfsd() {
	local have
	have=$(taskset -acp "$MMFSD" | sed 's/.*: //' | sort -u | paste -sd' ')
	[[ $have == "$1" ]] || fail "mmfsd: $have"
}

expect_mmfsd_as_before() { expect_mmfsd "${BEFORE##*: }"; }
