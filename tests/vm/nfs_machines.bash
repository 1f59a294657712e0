# SPDX-License-Identifier: GPL-2.0-or-later
# nfs_machines.bash - run a script on virtual machines with NFS, and split its output
#
# Needs SRCDIR, BUILDDIR with jobio's helpers, those of tests/faults and the plugin,
# docker, jq and tests/vm/packages.
# Boots Debian's full 6.1 and 6.12 at the same time, or JOBIO_NFS_KERNELS.
# shellcheck shell=bash

read -ra kernels <<<"${JOBIO_NFS_KERNELS:-6.1-full 6.12-full}"

load payload

payload_make() {
	payload_add "$1" "$BUILDDIR"/jobio-{prepare,release,count,node,send,ledgerd,ask,cores,plan,facts} "$(command -v munged)"
	payload_report "$1"
	cp "$BUILDDIR/tests/faults/jobio-prepare" "$1/prepare-killed"
	cp "$SRCDIR"/tests/vm/{preload,nfs{-node,-cores,-slurm,.bash,_job.bash}} "$SRCDIR/report/calibrate-job" \
		"$SRCDIR/tests/scripts/fake-sacct" "$BUILDDIR/.libs/jobio.so" "$1"
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O1 -rdynamic -I"$SRCDIR" -o "$1/stepd" "$SRCDIR/tests/vm/stepd.c" -ldl
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE -O2 -static -pthread -o "$1/truth" "$SRCDIR/tests/vm/truth.c"
}

# machine SCRIPT KERNEL - write its output to $work/KERNEL.out, and each case to a file
machine() {
	local status=0
	"$SRCDIR/tests/vm/boot" -n -t 1700 -r jobio-nfs:base -p maxcpus=2 "$2" "$1" \
		"$work/payload" >"$work/$2.out" 2>"$work/$2.err" || status=$?
	printf '%d\n' "$status" >"$work/$2.status"
	mkdir -p "$work/$2"
	awk -v dir="$work/$2/" '
		/^@ / { file = dir substr($0, 3); gsub(" ", "_", file); next }
		file != "" { print >file }' "$work/$2.out"
}

# machines SCRIPT - run it on all kernels
machines() {
	local kernel
	export work=$BATS_FILE_TMPDIR
	"$SRCDIR/tests/vm/nfs-image" >&2
	payload_make "$work/payload"
	for kernel in "${kernels[@]}"; do
		machine "$1" "$kernel" &
	done
	wait
}

expect_done() {
	local kernel
	for kernel in "${kernels[@]}"; do
		[[ $(<"$work/$kernel.status") == 0 ]] || {
			tail -n 30 "$work/$kernel.err"
			return 1
		}
	done
}

# of KERNEL CASE FILTER - jq on the output of a case
of() { jq -rc "$3" "$work/$1/${2// /_}"; }

# expect CASE FILTER VALUE - fail unless jq prints VALUE on every kernel
expect() {
	local kernel got
	for kernel in "${kernels[@]}"; do
		got=$(of "$kernel" "$1" "$2")
		[[ $got == "$3" ]] || {
			printf '%s, %s: %s: %s instead of %s\n' "$kernel" "$1" "$2" "$got" "$3"
			of "$kernel" "$1, heard" . 2>/dev/null || :
			return 1
		}
	done
}
