# SPDX-License-Identifier: GPL-2.0-or-later
# lib.bash - functions for tests on a virtual machine
#
# Terms   machine  2 sockets x 2 cores x 2 threads, 2 NUMA nodes; emulated by
#                  QEMU without KVM, so that it runs inside other machines.
#         disk     an ext4 image with a label, made from a folder.
#         cache    folder for kernels and root disks that are kept between runs:
#                  build/vm of the tree, or JOBIO_VM_CACHE.
# shellcheck shell=bash disable=SC2154 # a file that needs $work sets it

vm_here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source=tests/vm/bail.bash
source "$vm_here/bail.bash"
# shellcheck source=tests/cluster/enter.bash
source "$vm_here/../cluster/enter.bash"
vm_cache=${JOBIO_VM_CACHE:-$vm_here/../../build/vm}
readonly vm_root_id=6a6f6269	# of the root disk's partition table
vm_node_mib=768	# memory of each NUMA node

# cache_lock NAME - lock a cached thing while it is made; waits up to 20 minutes
cache_lock() {
	mkdir -p "$vm_cache"
	exec 8>"$vm_cache/$1.lock"
	flock -w 1200 8 || die "another build holds $vm_cache/$1.lock"
}

# disk_make LABEL DIR FILE [FREE_MIB [ID]] - an ext4 image of a folder
#
# With ID it is partition 1 of a disk with this partition table ID.
disk_make() {
	local label=$1 dir=$2 file=$3 free=${4:-8} id=${5:-} size options
	options=lazy_itable_init=1
	size=$(du -sm "$dir" | cut -f1)
	size=$((size + size / 8 + free))
	rm -f "$file"
	truncate -s "$((size + 1))M" "$file"
	if [[ -n $id ]]; then
		printf 'label: dos\nlabel-id: 0x%s\nstart=1MiB, type=83\n' "$id" |
			sfdisk -q "$file"
		options+=,offset=1048576
	fi
	mke2fs -q -F -t ext4 -O '^has_journal' -m0 -L "$label" -E "$options" \
		-d "$dir" "$file" "${size}M"
}

# machine_command KERNEL_DIR ROOT_DISK PAYLOAD_DISK INIT_ARGUMENTS [KERNEL_PARAMETERS]
#
# Sets the array $machine to the command that boots the machine. The caller
# adds serial lines: first the kernel's console, second the output of the
# script, third its exit status, fourth for any use.
#   An Intel model: TCG gives AMD models no threads. NVMe and ext4 are built into
# Debian's cloud kernels: no initramfs. Disks are found by label, since NVMe's
# numbers vary. One QEMU thread for all CPUs: QEMU before 8.1 may keep a
# translation of code that another CPU patches; Linux 6.12 crashes at boot.
# no_timer_check: on a busy host the kernel's timer test fails, and it
# panics. mitigations=off: with page tables that are switched at each system
# call the emulator translates addresses again each time; a system call takes 16
# times, a fork 3 times as long.
machine_command() {
	local kernel=$1 root=$2 payload=$3 init=$4 parameters=${5:-} console=ttyS0
	# shellcheck disable=SC2034,SC2054 # for the caller; QEMU's commas
	machine=(qemu-system-x86_64 -machine q35 -accel tcg,thread=single
		-cpu Skylake-Server-v1 -smp 8,sockets=2,cores=2,threads=2 -m $((2 * vm_node_mib))
		-object "memory-backend-ram,id=m0,size=${vm_node_mib}M"
		-object "memory-backend-ram,id=m1,size=${vm_node_mib}M"
		-numa node,nodeid=0,cpus=0-3,memdev=m0
		-numa node,nodeid=1,cpus=4-7,memdev=m1)
	if [[ $kernel == *-arm64 ]]; then
		console=ttyAMA0
		# shellcheck disable=SC2054 # QEMU's commas
		machine=(qemu-system-aarch64 -machine virt -accel tcg,thread=single -cpu cortex-a72 -smp 2 -m 1024)
	else
		parameters+=' no_timer_check'
	fi
	# shellcheck disable=SC2054 # QEMU's commas
	machine+=(-nodefaults -display none -monitor none -no-reboot
		-kernel "$kernel/vmlinuz"
		-append "root=PARTUUID=$vm_root_id-01 rootwait rw console=$console quiet panic=-1 mitigations=off $parameters init=/sbin/vm-init -- $init"
		-drive "file=$root,if=none,id=d0,format=raw,snapshot=on"
		-device nvme,serial=root,drive=d0
		-drive "file=$kernel/modules.ext4,if=none,id=d1,format=raw,readonly=on"
		-device nvme,serial=modules,drive=d1
		-drive "file=$payload,if=none,id=d2,format=raw,readonly=on"
		-device nvme,serial=payload,drive=d2)
}

# ---- functions of the bats files -------------------------------------------
# run sets JOBIO_SUITE and JOBIO_TAG, the image jobio-SUITE:TAG, and
# VM_DIR, the folder with the machine's state.

# node_is v1|v2 block|interleaved [PARAMETER] - start this compute node unless it runs; see
# tests/vm/machine
node_is() {
	[[ ! -f $VM_DIR/is || $(<"$VM_DIR/is") != "$*" ]] || return 0
	node_end
	mkdir -p "$VM_DIR"
	"$vm_here/machine" up "$VM_DIR" "$JOBIO_SUITE" "$JOBIO_TAG" "$@" \
		>"$BATS_FILE_TMPDIR/machine.log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/machine.log"
		bail "no node $*: $(tail -n 1 "$BATS_FILE_TMPDIR/machine.log")"
		return 1
	}
	printf '%s\n' "$*" >"$VM_DIR/is"
}

node_end() { "$vm_here/machine" down "$VM_DIR"; }

# node_uncounted v1|v2 block|interleaved - the same without counting in the kernel, which other
# files test and which costs seconds for each job
node_uncounted() {
	node_is "$@"
	on_node "grep -qx 'kernel = no' /etc/slurm/jobio.conf || sed -i 's/^\[count\]\$/&\nkernel = no/; /^mounts = /d' /etc/slurm/jobio.conf" >/dev/null
}

# controller COMMAND... - run as root on slurmctld's host
controller() { enter "${VM_DIR##*/}" "$@"; }

# alice COMMAND... - run as a user that may submit jobs
alice() { timeout 60 docker exec -i -u alice -w /tmp "${VM_DIR##*/}" "$@" </dev/null; }

# on_node COMMAND - run a line of shell as root on the node; limit 120 s. A reply has the ID of
# its request: a late reply is not taken for that of the next request.
on_node() {
	local status output id=$BASHPID.$EPOCHREALTIME of=''
	# <> opens without waiting for QEMU, which may have ended
	printf '%s %s\n' "$id" "$1" 1<>"$VM_DIR/shell.in"
	until [[ $of == "$id" ]]; do
		read -r -t 120 of status output 0<>"$VM_DIR/shell.out" ||
			{ printf 'no answer from the node: %s\n' "$1" >&2; return 1; }
	done
	base64 -d <<<"$output"
	return "$status"
}

# within SECONDS COMMAND... - repeat it until it succeeds; fails after SECONDS. Tries are rare,
# since docker exec takes CPU time from the emulator
within() {
	local limit=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < limit)) || { printf 'gave up: %s\n' "$*" >&2; return 1; }
		sleep 0.5
	done
}

# siblings_of CPU - the CPUs of its core
siblings_of() {
	on_node "cat /sys/devices/system/cpu/cpu$1/topology/thread_siblings_list"
}

# A task prints the CPUs that it may use after it has tried to get all.
# shellcheck disable=SC2016 # for the task's shell
readonly vm_grab='taskset -p -c 0-7 $$ >/dev/null 2>&1
	awk "/^Cpus_allowed_list/ { print \$2 }" /proc/self/status'

# step_cpus OPTION... - CPUs that an srun step of a job can use
step_cpus() { alice srun -Q -n1 --cpu-bind=none "$@" bash -c "$vm_grab"; }

# batch SCRIPT OPTION... - print the output of a batch job
batch() {
	local script=$1 job
	shift
	job=$(alice sbatch --parsable -n1 -o '/tmp/%j.out' "$@" --wrap "$script")
	within 60 job_ended "$job"
	on_node "sed '/^jobio: /d' /tmp/$job.out" # it may say what the job did not get
}

# batch_cpus OPTION... - CPUs that a batch script can use
batch_cpus() { batch "$vm_grab" "$@"; }

job_ended() {
	[[ $(controller squeue -h -j "$1" -t all -o %T) =~ ^(COMPLETED|FAILED|CANCELLED|NODE_FAIL|TIMEOUT) ]]
}

# cpus LIST - print "0-1,5" as "0 1 5"
cpus() {
	local part
	for part in ${1//,/ }; do
		seq "${part%-*}" "${part#*-}"
	done | sort -n | paste -sd' '
}

# others LIST - CPUs of the node that are not in the list, as "0 1 5"
others() {
	comm -13 <(cpus "$1" | tr ' ' '\n' | sort) <(seq 0 7 | sort) | paste -sd' '
}

# cores_of FIELD OPTION... - a field of the output of `jobio cores` on the node
cores_of() {
	local field=$1
	shift
	on_node "jobio cores --format=json $*" | jq -er ".$field"
}

# expect_equal WANTED GOT WHAT - fail unless they are equal
expect_equal() {
	[[ $2 == "$1" ]] || { printf "%s: expected '%s', got '%s'\n" "$3" "$1" "$2" >&2; return 1; }
}

# expect_withheld N LIST - N reserved cores are these CPUs: in `jobio cores`, kept from
# the tasks of jobs even if they try to use them, and in their SLURM_IO_CPUS
expect_withheld() {
	local n=$1 list=$2 wanted job
	wanted=$(cpus "$list")
	expect_equal "$list" "$(cores_of os_cpus --core-spec="$n")" "jobio cores --core-spec=$n"
	expect_equal "$wanted" "$(others "$(step_cpus --core-spec="$n")")" "srun --core-spec=$n"
	job=$(batch "$vm_grab; echo \$SLURM_IO_CPUS" --io-cores="$n")
	expect_equal "$wanted" "$(others "$(head -n 1 <<<"$job")")" "sbatch --io-cores=$n"
	expect_equal "$list" "$(tail -n 1 <<<"$job")" 'SLURM_IO_CPUS'
}

# ---- jobs and their records; the file sets $work -------------------------------

vm_out=/tmp	# what jobs print, on the node

# submit SCRIPT [OPTION...] - submit; sets $job
submit() {
	local script=$1
	shift
	job=$(alice sbatch --parsable -n1 -o "$vm_out/%j.out" "$@" --wrap "$script")
	[[ $job =~ ^[0-9]+$ ]] || { printf 'no job id: %s\n' "$job" >&2; return 1; }
}

# reported ID - the ledger has the job's record; writes the report to $work/ID
reported() {
	controller jobio report --json "$1" >"$work/$1" 2>"$work/$1.err" &&
		[[ $(jq '.records | length' "$work/$1") == 1 ]]
}

# finish ID - wait until it has ended and is reported
finish() {
	within 120 job_ended "$1"
	within 60 reported "$1"
	on_node "cat $vm_out/$1.out" >"$work/$1.out"
}

# of ID FILTER - jq on the job's record
of() { jq -rc ".records[0] | $2" "$work/$1"; }

# expect_of ID FILTER VALUE - fail unless jq prints VALUE
expect_of() { expect_equal "$3" "$(of "$1" "$2")" "job $1, $2"; }

# words ID - the words of the summary, one a line
words() { jq -r '.summary | split(" ")[]' "$work/$1"; }
