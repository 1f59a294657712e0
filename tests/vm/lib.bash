# SPDX-License-Identifier: GPL-2.0-or-later
# lib.bash - words for tests on a virtual machine
#
# Terms   machine  2 sockets x 2 cores x 2 threads, 2 NUMA nodes; emulated by
#                  QEMU without KVM, so that it runs inside other machines.
#         disk     an ext4 image with a label, made from a folder.
#         cache    where kernels and root disks are kept between runs:
#                  build/vm of the tree, or JOBIO_VM_CACHE.
# shellcheck shell=bash

vm_here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
vm_cache=${JOBIO_VM_CACHE:-$vm_here/../../build/vm}
readonly vm_root_id=6a6f6269	# of the root disk's partition table

# cache_lock NAME - one builder of a cached thing at a time; waits 20 minutes
cache_lock() {
	mkdir -p "$vm_cache"
	exec 8>"$vm_cache/$1.lock"
	flock -w 1200 8 || die "another build holds $vm_cache/$1.lock"
}

# disk_make LABEL DIR FILE [FREE_MIB [ID]] - an ext4 image of a folder
#
# With ID it is partition 1 behind a partition table that has this id.
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
# script, third its exit status, fourth what the caller likes.
#   An Intel model: TCG gives AMD ones no threads. NVMe and ext4 are built into
# Debian's cloud kernels: no initramfs. Disks are found by label, for NVMe's
# numbers vary. One QEMU thread for all CPUs: QEMU before 8.1 may keep a
# translation of code that another CPU patches; Linux 6.12 dies of it at boot.
machine_command() {
	local kernel=$1 root=$2 payload=$3 init=$4 parameters=${5:-}
	# shellcheck disable=SC2034,SC2054 # for the caller; QEMU's commas
	machine=(qemu-system-x86_64 -machine q35 -accel tcg,thread=single
		-cpu Skylake-Server-v1 -smp 8,sockets=2,cores=2,threads=2 -m 1536
		-object memory-backend-ram,id=m0,size=768M
		-object memory-backend-ram,id=m1,size=768M
		-numa node,nodeid=0,cpus=0-3,memdev=m0
		-numa node,nodeid=1,cpus=4-7,memdev=m1
		-nodefaults -display none -monitor none -no-reboot
		-kernel "$kernel/vmlinuz"
		-append "root=PARTUUID=$vm_root_id-01 rootwait rw console=ttyS0 quiet panic=-1 $parameters init=/sbin/vm-init -- $init"
		-drive "file=$root,if=none,id=d0,format=raw,snapshot=on"
		-device nvme,serial=root,drive=d0
		-drive "file=$kernel/modules.ext4,if=none,id=d1,format=raw,readonly=on"
		-device nvme,serial=modules,drive=d1
		-drive "file=$payload,if=none,id=d2,format=raw,readonly=on"
		-device nvme,serial=payload,drive=d2)
}
