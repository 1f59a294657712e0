# SPDX-License-Identifier: GPL-2.0-or-later
# affinity.bash - commands of affinity.cases: a node of two CPUs with a client that has
# core_change=affinity; a job with io-cores reserves CPU 1
#
# shellcheck disable=SC2034,SC2317 # tests/cases/run reads CODES, ENDS and WORDS, and calls these
CODES='(NF|LU|GP)'

# shellcheck source=tests/scripts/gpfs.bash
. "$SRCDIR/tests/scripts/gpfs.bash"
# shellcheck source=tests/scripts/affinity.bash
. "$SRCDIR/tests/scripts/affinity.bash"

case_begin() {
	affinity_make
}

# the client of the node
case_nfs() { nfs; }
case_lustre() {
	lustre
	ENDS+=("$THREAD")
	WORDS+=("$THREAD=TID")
	mkdir -p "$NODE/lustre/sys/llite/work-ffff9a2c41d08000"
}
case_gpfs() {
	gpfs
	ENDS+=("$MMFSD")
}

# case_conf KEY=VALUE - set it in the client's section of jobio.conf
case_conf() { sed -i "/^${1%%=*}=/d; s|^type=.*\$|&\n$*|" "$NODE/jobio.conf"; }

# case_queue NAME MASK - set the CPU mask of the workqueue; "gone": the kernel does not show it
case_queue() {
	if [[ $2 == gone ]]; then rm -r "$NODE/sysfs/$QUEUES/$1"; else echo "$2" >"$NODE/sysfs/$QUEUES/$1/cpumask"; fi
}

# case_stuck FILE TEXT - the file has this text and accepts no other: the name of a process, which
# only the process itself can change (proc_pid_comm(5))
case_stuck() {
	python3 -c '
import signal, sys
open("/proc/self/comm", "w").write(sys.argv[1])
print("ready", flush=True)
signal.pause()' "$2" >"$NODE/ready" 2>/dev/null &
	ENDS+=($!)
	wait_for test -s "$NODE/ready" || return
	ln -sf "/proc/$!/comm" "$NODE/sysfs/$1"
}
case_link() { ln -sf "$2" "$NODE/sysfs/$1"; }

# case_queues MASK... - nfsiod, rpciod, writeback and xprtiod have these masks, hexadecimal
case_queues() { expect_queues "$*"; }
case_interrupts() { expect_interrupts "$*"; }
case_irq() { echo "$2" >"$NODE/sysfs/proc/irq/$1/smp_affinity_list"; }

# case_bind CPUS - bind the thread of Lustre, or all threads of mmfsd, as an administrator does
case_bind() { taskset -acp "$1" "${THREAD:-$MMFSD}" >/dev/null; }
# case_bound CPUS - it is bound to these
case_bound() {
	local have
	have=$(taskset -cp "${THREAD:-$MMFSD}")
	[[ ${have##*: } == "$1" ]] || fail "$have"
}

# case_stubborn NAME - a thread that cannot be moved: with SCHED_DEADLINE, or of another user; for
# mmfsd it replaces the running one
case_stubborn() {
	THREAD=1
	if ((EUID == 0)); then
		chrt -d --sched-runtime 100000 --sched-deadline 100000000 --sched-period 100000000 0 sleep 600 3>&- &
		THREAD=$!
		ENDS+=("$THREAD")
		wait_for grep -q '^policy *: *6$' "/proc/$THREAD/sched"
	fi
	[[ $TYPE != gpfs ]] || rm -r "$NODE/processes/$MMFSD"
	case_thread "$1" 2 0 0 0 -1 2129984
	WORDS+=("process $THREAD.$(cut -d' ' -f22 "/proc/$THREAD/stat"):=process TID:" "thread $THREAD:=thread TID:"
		"Operation not permitted=Device or resource busy")
}

# case_thread NAME STAT... - the thread of Lustre has this name, and this parent and flags
case_thread() {
	mkdir -p "$NODE/processes/$THREAD"
	echo "$1" >"$NODE/processes/$THREAD/comm"
	echo "$THREAD ($1) S ${*:2} 0 0 0 0" >"$NODE/processes/$THREAD/stat"
}

# case_runs NAME - start a process with this name
case_runs() {
	mkdir "$NODE/processes/1"
	echo "$1" >"$NODE/processes/1/comm"
}

# case_end - run the job's epilog
case_end() { epilog 2>/dev/null; }

# case_changed OLD NEW - the record has this change and no other
case_changed() {
	local have
	have=$(record "$JOB" | jq -r '.changes[] | "\(.old) \(.new)"')
	[[ $have == "$*" ]] || fail "changed: $have"
}
